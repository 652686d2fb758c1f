//! Kernels for GPUs of any maker: the same bodies as everywhere, written in the language of the device.

pub mod wgsl;
