//! Products, transposes and level 1 on views of hostile shapes and strides.

use crate::hostile::{HUGE, bits, names};
use fulmen::*;

/// Elements of what views are made from.
const N: usize = 24;

/// Offset, shape and strides of views: small ones, those that reach outside, and those whose sizes no arithmetic holds.
fn places() -> Vec<(usize, [usize; 2], [isize; 2])> {
    let mut all = vec![];
    let shapes = [[0, 0], [0, 3], [3, 0], [1, 1], [1, 3], [3, 1], [2, 3], [3, 2], [3, 3], [2, 2]];
    for s in shapes {
        all.push((0, s, [s[1] as isize, 1]));
        all.push((0, s, [1, s[0] as isize]));
        all.push((N - 1, s, [-(s[1] as isize), -1]));
    }
    for s in [isize::MIN, isize::MIN + 1, isize::MAX, isize::MAX / 2 + 1, isize::MAX / 16, -1, 0] {
        all.extend([(0, [1, 3], [s, 1]), (0, [3, 1], [1, s]), (0, [1, 1], [s, s]), (0, [2, 2], [s, 1])]);
        all.extend([
            (0, [0, 3], [s, s]),
            (0, [3, 0], [s, s]),
            (0, [0, HUGE], [s, s]),
            (0, [HUGE, 0], [s, s]),
        ]);
        all.extend([(usize::MAX, [2, 2], [1, s]), (0, [usize::MAX, 2], [s, 1]), (HUGE, [0, 0], [s, s])]);
    }
    all
}

/// `f` with every pair of places, the second of what is written.
fn pairs(mut f: impl FnMut((usize, [usize; 2], [isize; 2]), (usize, [usize; 2], [isize; 2]))) {
    for a in places() {
        for b in places() {
            f(a, b);
        }
    }
}

fn matrix(x: &[f32], (o, [r, c], [rs, cs]): (usize, [usize; 2], [isize; 2])) -> Option<MatRef<'_, f32>> {
    MatRef::strided(x, o, r, c, rs, cs).ok()
}

fn matrix_mut(
    x: &mut [f32],
    (o, [r, c], [rs, cs]): (usize, [usize; 2], [isize; 2]),
) -> Option<MatMut<'_, f32>> {
    MatMut::strided(x, o, r, c, rs, cs).ok()
}

/// Calls each op of two or three operands; what a refused call leaves is what was there.
#[test]
fn views_are_checked_before_anything_is_written() {
    let x: Vec<f32> = (0..N).map(|i| 1.0 + i as f32 / 8.0).collect();
    let (mut called, mut refused) = (0, 0);
    let mut w = vec![0.0; 20_000];
    let mut try_one =
        |op: &str, at, f: &mut dyn FnMut(&mut [f32], &mut [f32]) -> Option<Result<(), Error>>| {
            for short in [false, true] {
                let mut y = x.clone();
                let Some(done) = f(&mut y, if short { &mut [] } else { &mut w }) else { continue };
                called += 1;
                if let Err(e) = done {
                    refused += 1;
                    assert!(bits(&y) == bits(&x), "{op} {at:?}: wrote, and then refused with {e}");
                    names(op, &e);
                }
            }
        };
    pairs(|p, q| {
        let at = (p, q);
        let Some(a) = matrix(&x, p) else { return };
        macro_rules! op {
            ($name:literal, |$c:ident, $w:ident| $call:expr) => {
                try_one($name, at, &mut |y, $w| {
                    let $c = matrix_mut(y, q)?;
                    let _ = &$w;
                    Some($call)
                });
            };
        }
        op!("transpose", |c, w| transpose(a, c));
        op!("gemm", |c, w| gemm(2.0, a, a, 0.5, c, w));
        op!("gemm", |c, w| gemm(2.0, a, a.t(), 0.5, c, w));
        op!("gemm", |c, w| gemm(0.0, a.t(), a, 0.5, c, w));
        op!("gemm_backward_a", |c, w| gemm_backward_a(a, a, 1.0, c, w));
        op!("gemm_backward_b", |c, w| gemm_backward_b(a, a, 1.0, c, w));
        op!("syrk", |c, w| syrk(2.0, a, 0.5, Triangle::Upper, c, w));
        op!("syr2k", |c, w| syr2k(2.0, a, a, 0.5, Triangle::Lower, c, w));
        op!("rope_view", |c, w| rope_view(c, 2, &x[..1], &x[..1], RopeStyle::Neox, false));
        for side in [Side::Left, Side::Right] {
            op!("symm", |c, w| symm(side, 2.0, Triangle::Lower, a, a, 0.5, c, w));
            op!("trmm", |c, w| trmm(side, 2.0, Triangle::Upper, Diagonal::Unit, a, c, w));
            op!("trsm", |c, w| trsm(side, 2.0, Triangle::Lower, Diagonal::NonUnit, a, c, w));
        }
        let Ok(v) = a.col(0) else { return };
        op!("ger", |c, w| ger(2.0, v, v, c));
        op!("syr", |c, w| syr(2.0, v, Triangle::Lower, c));
        op!("syr2", |c, w| syr2(2.0, v, v, Triangle::Upper, c));
        macro_rules! op {
            ($name:literal, |$y:ident| $call:expr) => {
                try_one($name, at, &mut |y, _| {
                    let $y = matrix_mut(y, q)?.col(0).ok()?;
                    Some($call)
                });
            };
        }
        op!("gemv", |y| gemv(2.0, a, v, 0.5, y));
        op!("symv", |y| symv(2.0, Triangle::Upper, a, v, 0.5, y));
        op!("trmv", |y| trmv(Triangle::Upper, Diagonal::Unit, a, y));
        op!("trsv", |y| trsv(Triangle::Lower, Diagonal::Unit, a, y));
        op!("copy", |y| copy(v, y));
        op!("axpy_strided", |y| axpy_strided(2.0, v, y));
        op!("dot_strided", |y| dot_strided(v, y.as_ref()).map(|_| ()));
    });
    assert!(called > 20_000 && refused > called / 2, "{called} calls, {refused} refused");
}

/// Batches of any sizes and strides: refused where they are made, or not at all.
#[test]
fn batches_are_checked() {
    let x: Vec<f32> = (0..N).map(|i| 1.0 + i as f32 / 8.0).collect();
    let sizes = [0, 1, 2, 3, HUGE, usize::MAX];
    let strides = [0, 1, 4, -4, isize::MAX, isize::MIN];
    let (mut made, mut called) = (0, 0);
    for count in sizes {
        for rows in sizes {
            for cols in sizes {
                for stride in strides {
                    for rs in strides {
                        let shape = [count, rows, cols];
                        let a = BatchRef::strided(&x, 0, shape, [stride, rs, 1]);
                        let mut y = x.clone();
                        let b = BatchMut::strided(&mut y, 0, [count, cols, rows], [stride, rs, 1]);
                        made += usize::from(a.is_ok()) + usize::from(b.is_ok());
                        let (Ok(a), Ok(b)) = (a, b) else { continue };
                        let done = transpose_batched(a, b);
                        called += 1;
                        assert_eq!(done, Ok(()), "{shape:?}");
                    }
                }
            }
        }
    }
    assert!(made > 1000 && called > 100, "{made} batches, {called} calls");
}
