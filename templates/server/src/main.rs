//! One layer of a network over a batch, on the widest lanes of whatever machine this binary is started on.

use fulmen::lanes::Simd;
use fulmen::{Error, MatMut, MatRef};
use std::time::Instant;

/// `out = softmax(x · wᵀ)`, row by row, on the instruction set of `s`.
fn layer<S: Simd>(
    s: S,
    x: &[f32],
    w: &[f32],
    [rows, cols, k]: [usize; 3],
    out: &mut [f32],
    workspace: &mut [f32],
) -> Result<&'static str, Error> {
    let (x, w) = (MatRef::row_major(x, rows, k)?, MatRef::row_major(w, cols, k)?);
    fulmen::gemm_on(s, 1.0, x, w.t(), 0.0, MatMut::row_major(out, rows, cols)?, workspace)?;
    fulmen::softmax_in_place_on(s, out, cols)?;
    Ok(S::NAME)
}

fn main() -> Result<(), Error> {
    let dims @ [rows, cols, k] = [256, 512, 384];
    let numbers = |n: usize, step: f32| (0..n).map(|i| (i as f32 * step).sin()).collect::<Vec<_>>();
    let (x, w) = (numbers(rows * k, 0.37), numbers(cols * k, 0.11));
    let mut out = vec![0.0; rows * cols];
    let mut workspace = vec![0.0; fulmen::gemm_workspace(rows, cols, k)];

    // The lanes are chosen once, for the whole job.
    let began = Instant::now();
    let lanes = fulmen::dispatch!(|s| layer(s, &x, &w, dims, &mut out, &mut workspace))?;
    println!(
        "lanes: {lanes} (the build's own: {:?}), {:.2} ms",
        fulmen::NATIVE,
        began.elapsed().as_secs_f64() * 1e3
    );

    // Every row of a softmax sums to one.
    let worst = out.chunks(cols).map(|row| (fulmen::sum(row) - 1.0).abs()).fold(0.0, f32::max);
    println!("rows sum to one within {worst:.1e}");
    assert!(worst < 1e-5);
    Ok(())
}
