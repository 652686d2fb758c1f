//! The workspace sizes of the ops that need more on several threads.

use crate::{Conv1d, Conv2d};

/// Elements of workspace that [`attention`](super::attention) needs for a number of threads.
pub const fn attention_workspace(heads: usize, dim: usize, threads: usize) -> usize {
    crate::attention_workspace(heads, dim).saturating_mul(if threads == 0 { 1 } else { threads })
}

/// Elements of workspace that [`attention_backward`](super::attention_backward) needs for a number of threads.
pub const fn attention_backward_workspace(dim: usize, threads: usize) -> usize {
    crate::attention_backward_workspace(dim).saturating_mul(if threads == 0 { 1 } else { threads })
}

/// Elements of workspace that each of [`conv1d`](super::conv1d), [`conv1d_backward_input`](super::conv1d_backward_input) and
/// [`conv1d_backward_weights`](super::conv1d_backward_weights) needs for a number of threads.
pub const fn conv1d_workspace(conv: Conv1d, threads: usize) -> usize {
    crate::conv1d_workspace(conv).saturating_mul(if threads == 0 { 1 } else { threads })
}

/// Elements of workspace that each of [`conv2d`](super::conv2d), [`conv2d_backward_input`](super::conv2d_backward_input) and
/// [`conv2d_backward_weights`](super::conv2d_backward_weights) needs for a number of threads.
pub const fn conv2d_workspace(conv: Conv2d, threads: usize) -> usize {
    crate::conv2d_workspace(conv).saturating_mul(if threads == 0 { 1 } else { threads })
}
