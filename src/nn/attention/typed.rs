//! Declares the public attention functions of `bf16`. The declarations are read without the feature `half`.

#[cfg(feature = "half")]
use super::Attention;
#[cfg(feature = "half")]
use super::half::{attention_bf16_backward_by, attention_bf16_by};
use crate::forms::ops;

ops! { $ half_ops in crate::nn::attention::half #[cfg(feature = "half")];
    /// [`attention`](crate::attention()) of queries, keys and values in bf16, with results in `f32`.
    ///
    /// Shapes, options, log-sum-exps and strides: as [`attention`](crate::attention()), without a mask. On a CPU the bits are its bits for
    /// operands converted to `f32`. A GPU with tensor cores for bf16 rounds each weight `e^(score - peak)` to bf16 before it is
    /// multiplied with the values, as FlashAttention 2.8 does; their sum is that of the weights as they were.
    ///
    /// NaN and ±0: as [`attention`](crate::attention()).
    ///
    /// Errors: as [`attention`](crate::attention()). Nothing is written then.
    ///
    /// Scratch: [`attention_bf16_workspace`](crate::attention_bf16_workspace()), in `f32`; what it holds does not matter.
    ///
    /// ```
    /// use fulmen::{Attention, MatMut, MatRef, attention_bf16, attention_bf16_workspace};
    /// use half::bf16;
    /// let op = Attention { causal: true, ..Attention::new(1, 1, 1, 1.0) };
    /// let (q, k, v) = ([bf16::ZERO; 2], [bf16::ONE; 2], [1.0, 3.0].map(bf16::from_f32));
    /// let (mut out, mut workspace) = ([0.0; 2], [0.0; attention_bf16_workspace(1, 1, 1, 2, 2)]);
    /// let view = |x| MatRef::row_major(x, 2, 1);
    /// attention_bf16(&op, view(&q)?, view(&k)?, view(&v)?, MatMut::row_major(&mut out, 2, 1)?, None, &mut workspace)?;
    /// assert_eq!(out, [1.0, 2.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J. Shah et al., "FlashAttention-3" (2024). Contract: `contracts/attention_bf16-v1.yaml`.
    serial attention_bf16<>, attention_bf16_on, attention_bf16_by
        (op: by &Attention<f32>, q: mat ::half::bf16, k: mat ::half::bf16, v: mat ::half::bf16, out: mat_out f32, lse: opt_out f32, workspace: scratch f32) -> Result<()>;

    /// [`attention_backward`](crate::attention_backward()) of queries, keys, values and gradients of the results in bf16, with
    /// gradients in `f32`. `out` and `lse` are the results of [`attention_bf16`](crate::attention_bf16()).
    ///
    /// Shapes, options and strides: as [`attention_backward`](crate::attention_backward()), without a mask. On a CPU the bits are
    /// its bits for operands converted to `f32`. A GPU with tensor cores for bf16 rounds weights and slopes of scores to bf16
    /// before they are multiplied, and a NaN or infinity of a key, value, query or gradient may also reach the gradients of what
    /// does not see it.
    ///
    /// NaN and ±0: as [`attention_backward`](crate::attention_backward()).
    ///
    /// Errors: as [`attention_backward`](crate::attention_backward()). Nothing is written then.
    ///
    /// Scratch: [`attention_bf16_backward_workspace`](crate::attention_bf16_backward_workspace()), in `f32`; what it holds does not matter.
    ///
    /// ```
    /// use fulmen::{Attention, MatMut, MatRef, attention_bf16_backward, attention_bf16_backward_workspace};
    /// use half::bf16;
    /// // One query sees two keys alike: each value gets half of the gradient.
    /// let op = Attention::new(1, 1, 1, 1.0f32);
    /// let (q, k, v, dout) = ([bf16::ONE], [bf16::ZERO; 2], [1.0, 3.0].map(bf16::from_f32), [bf16::ONE]);
    /// let (out, lse) = ([2.0], [2f32.ln()]);
    /// let ([mut dq], [mut dk, mut dv]) = ([[0.0; 1]], [[0.0; 2]; 2]);
    /// let mut workspace = [0.0; attention_bf16_backward_workspace(1, 1, 1, 1, 2)];
    /// let view = |x, rows| MatRef::row_major(x, rows, 1);
    /// let [to_q, to_k, to_v] = [(&mut dq[..], 1), (&mut dk, 2), (&mut dv, 2)].map(|(x, rows)| MatMut::row_major(x, rows, 1));
    /// attention_bf16_backward(
    ///     &op, view(&q, 1)?, view(&k, 2)?, view(&v, 2)?, MatRef::row_major(&out, 1, 1)?, &lse, view(&dout, 1)?,
    ///     to_q?, to_k?, to_v?, &mut workspace,
    /// )?;
    /// assert!((dv[0] - 0.5).abs() < 1e-6 && (dk[0] + 0.5).abs() < 1e-6 && dq == [0.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J. Shah et al., "FlashAttention-3" (2024). Contract: `contracts/attention_bf16_backward-v1.yaml`.
    serial attention_bf16_backward<>, attention_bf16_backward_on, attention_bf16_backward_by
        (op: by &Attention<f32>, q: mat ::half::bf16, k: mat ::half::bf16, v: mat ::half::bf16, out: mat f32, lse: in f32, dout: mat ::half::bf16,
         dq: mat_out f32, dk: mat_out f32, dv: mat_out f32, workspace: scratch f32) -> Result<()>;
}
