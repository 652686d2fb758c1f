//! Everything that a language model decodes with, as one WASM module: each op is an export over memory of its caller, which
//! gives 0 where it succeeds.
#![no_std]

use core::slice::{from_raw_parts, from_raw_parts_mut};
use fulmen::{Attention, Error, MatMut, MatRef, RopeScaling, RopeStyle, Sampling, VecMut, VecRef};

/// Exports of ops: what is read, indices, what is written, places, and numbers. A slice is a pointer and a length.
macro_rules! export {
    ($($(#[$doc:meta])* $f:ident(
        $($x:ident $n:ident),*; $($t:ident $t_n:ident),*; $($y:ident $y_n:ident),*; $($i:ident $i_n:ident),*; $($p:ident: $of:ty),*
    ) $body:expr;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// Slices are valid, and what is written overlaps nothing else.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments, reason = "slices in two words")]
        pub unsafe extern "C" fn $f(
            $($x: *const f32, $n: usize,)*
            $($t: *const u32, $t_n: usize,)*
            $($y: *mut f32, $y_n: usize,)*
            $($i: *mut u32, $i_n: usize,)*
            $($p: $of,)*
        ) -> i32 {
            // SAFETY: the caller's promise.
            unsafe {
                $(let $x = from_raw_parts($x, $n);)*
                $(let $t = from_raw_parts($t, $t_n);)*
                $(let $y = from_raw_parts_mut($y, $y_n);)*
                $(let $i = from_raw_parts_mut($i, $i_n);)*
                let mut run = || -> Result<(), Error> { $body };
                i32::from(run().is_err())
            }
        }
    )*};
}

export! {
    /// The rows `ids` of a table.
    embedding(table a; ids b; out c; ; cols: usize) fulmen::embedding(table, cols, ids, out);
    /// Rows over their root mean square, times `gamma`.
    rms_norm(x a, gamma b; ; out c; ; eps: f32) fulmen::rms_norm(x, gamma, eps, out);
    /// `y = A·x`, with a row of A for each element of y.
    gemv(w a, x b; ; y c; ;) {
        let (rows, cols) = (y.len(), x.len());
        fulmen::gemv(1.0, MatRef::row_major(w, rows, cols)?, VecRef::from(x), 0.0, VecMut::from(y))
    };
    /// `Y = X·Wᵀ` of rows of `k`.
    gemm(x a, w b; ; y c, room d; ; rows: usize, cols: usize, k: usize) {
        let (x, w) = (MatRef::row_major(x, rows, k)?, MatRef::row_major(w, cols, k)?);
        fulmen::gemm(1.0, x, w.t(), 0.0, MatMut::row_major(y, rows, cols)?, room)
    };
    /// Cosines and sines of the positions from `start` on.
    rope_table(; ; cos a, sin b; ; start: usize, dim: usize, base: f32)
        fulmen::rope_table(start, dim, base, RopeScaling::None, cos, sin);
    /// Turns the heads of queries or keys.
    rope(cos a, sin b; ; x c; ; rows: usize, cols: usize, dim: usize) {
        fulmen::rope_view(MatMut::row_major(x, rows, cols)?, dim, cos, sin, RopeStyle::Interleaved, false)
    };
    /// Queries of the last positions over a cache of keys and of values.
    attention(q a, k b, v c; ; out d, room e; ; rows: usize, past: usize, heads: usize, kv_heads: usize, dim: usize, scale: f32) {
        let op = Attention { causal: true, ..Attention::new(heads, kv_heads, dim, scale) };
        let overflow = Error::overflow("dim");
        let [wide, narrow] = [heads, kv_heads].map(|n| n.checked_mul(dim));
        let (wide, narrow) = (wide.ok_or(overflow)?, narrow.ok_or(overflow)?);
        let all = rows.checked_add(past).ok_or(overflow)?;
        let (k, v) = (MatRef::row_major(k, all, narrow)?, MatRef::row_major(v, all, narrow)?);
        let (q, out) = (MatRef::row_major(q, rows, wide)?, MatMut::row_major(out, rows, wide)?);
        fulmen::attention(&op, q, k, v, None, out, None, room)
    };
    /// Each row's exponentials over their sum.
    softmax(x a; ; out b; ; cols: usize) fulmen::softmax(x, cols, out);
    /// `silu(g)·u` of rows of both.
    swiglu(x a; ; out b; ; cols: usize) fulmen::swiglu_packed(x, cols, out);
    /// `x += y`.
    add(y a; ; x b; ;) fulmen::add_in_place(x, y);
    /// The index of the largest.
    argmax(x a; ; ; at b;) {
        let found = fulmen::argmax(x)?;
        at.fill(found as u32);
        Ok(())
    };
    /// A token by its logits. `values` and `indices` are the workspace.
    sample(logits a; ; values b; indices c, at d; temperature: f32, top_k: usize, top_p: f32, draw: f32) {
        let with = Sampling { temperature, top_k, top_p };
        let found = fulmen::sample(logits, with, draw, values, indices)?;
        at.fill(found as u32);
        Ok(())
    };
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}
