//! Products of few bits on threads have the bits of one thread, and each thread its share of the workspace.

use super::*;
use core::fmt::Debug;
use fulmen::{BiasCol, Chain, RoundTiesEven, ScaleRow, parallel};

/// Threads, and shapes that are worth them: rows are cut, columns, a product of several passes; and one that is not.
const CASES: [(usize, [usize; 3], [Layout; 3]); 4] = [
    (3, [260, 97, 130], [Rows, Cols, Padded]),
    (2, [97, 200, 110], [Backwards, Rows, Cols]),
    (2, [40, 50, 1100], [Cols, Apart, Rows]),
    (3, [3, 2, 5], [Rows, Rows, Rows]),
];

/// Scales of rows and biases of columns.
type Lines<'a> = Chain<ScaleRow<'a, f32>, BiasCol<'a, f32>>;

/// What one thread and several make of the same operands, with a workspace for each thread and for one.
#[allow(clippy::too_many_arguments)]
fn same<A: Copy + Sync, B: Copy + Sync, C: Copy + Debug + Send + Sync, W: Copy + PartialEq + Send + Sync>(
    name: &str,
    (of_a, of_b, of_c): (fn(u64) -> A, fn(u64) -> B, fn(u64) -> C),
    scratch: fn(usize, usize, usize) -> usize,
    stale: W,
    one: impl Fn(MatRef<'_, A>, MatRef<'_, B>, MatMut<'_, C>, Lines<'_>, &mut [W]) -> Result<(), Error> + Sync,
    many: impl Fn(MatRef<'_, A>, MatRef<'_, B>, MatMut<'_, C>, Lines<'_>, &mut [W]) -> Result<(), Error> + Sync,
) {
    for (threads, [m, n, k], layouts) in CASES {
        let what = format!("{name} {m} x {n} x {k} on {threads} threads");
        let a = Matrix::new(layouts[0], [m, k], of_a(0), of_a, 1);
        let b = Matrix::new(layouts[1], [k, n], of_b(0), of_b, 2);
        let old = Matrix::new(layouts[2], [m, n], of_c(7), of_c, 3);
        let line =
            |n: usize, by: usize| (0..n).map(|i| (i * by % 13) as f32 * 0.5 - 2.25).collect::<Vec<_>>();
        let (scales, biases) = (line(m, 5), line(n, 7));
        let lines = Chain(ScaleRow(&scales), BiasCol(&biases));
        let needed = scratch(m, n, k);
        let mut want = old.clone();
        let mut room = vec![stale; needed];
        assert_eq!(one(a.view(), b.view(), want.view_mut(), lines, &mut room), Ok(()), "{what}");
        for shares in [threads, 1] {
            let (mut got, mut room) = (old.clone(), vec![stale; shares * needed]);
            let done = common::compared::on_threads(threads, || {
                many(a.view(), b.view(), got.view_mut(), lines, &mut room)
            });
            assert_eq!(done, Ok(()), "{what}");
            assert_eq!(format!("{:?}", got.data), format!("{:?}", want.data), "{what}, {shares} shares");
            // The last thread packed into its own.
            let last = &room[(shares - 1) * needed..];
            assert!(shares == 1 || m < 10 || last.iter().any(|x| *x != stale), "{what}: fewer ran");
        }
    }
}

#[test]
fn bytes_have_the_bits_of_one_thread() {
    let (i, u): (fn(u64) -> i8, fn(u64) -> u8) = (|x| x as i8, |x| x as u8);
    same(
        "i8",
        (i, i, |x| x as i32),
        gemm_i8_workspace,
        i32::MIN,
        |a, b, c, _, w| fulmen::gemm_i8(-3, a, b, 2, c, w),
        |a, b, c, _, w| parallel::gemm_i8(-3, a, b, 2, c, w),
    );
    same(
        "u8",
        (u, i, |x| x as i32),
        fulmen::gemm_u8_workspace,
        i32::MIN,
        |a, b, c, _, w| fulmen::gemm_u8(2, a, 128, b, -3, 1, c, w),
        |a, b, c, _, w| parallel::gemm_u8(2, a, 128, b, -3, 1, c, w),
    );
    same(
        "i8 with an epilogue",
        (i, i, |x| x as f32),
        fulmen::gemm_i8_with_workspace,
        i32::MIN,
        |a, b, c, e, w| fulmen::gemm_i8_with(0.37, a, b, c, e, w),
        |a, b, c, e, w| parallel::gemm_i8_with(0.37, a, b, c, e, w),
    );
    same(
        "u8 to bytes",
        (u, i, u),
        fulmen::gemm_i8_with_workspace,
        i32::MIN,
        |a, b, c, e, w| {
            let e = Chain(e, fulmen::Pointwise(RoundTiesEven));
            fulmen::gemm_u8_with(0.001, a, 7, b, -128, c, e, w)
        },
        |a, b, c, e, w| {
            let e = Chain(e, fulmen::Pointwise(RoundTiesEven));
            parallel::gemm_u8_with(0.001, a, 7, b, -128, c, e, w)
        },
    );
}

#[cfg(feature = "half")]
#[test]
fn halves_have_the_bits_of_one_thread() {
    use half::{bf16, f16};
    macro_rules! halves {
        ($($H:ident $f:ident $with:ident $scratch:ident;)*) => {$(
            let number: fn(u64) -> $H = |x| $H::from_f32((x % 1021) as f32 / 340.0 - 1.5);
            let all: (_, _, fn(u64) -> f32) = (number, number, |x| (x % 2043) as f32 / 511.0);
            same(
                stringify!($f),
                all,
                fulmen::$scratch,
                f32::MIN,
                |a, b, c, _, w| fulmen::$f(0.75, a, b, 2.0, c, w),
                |a, b, c, _, w| parallel::$f(0.75, a, b, 2.0, c, w),
            );
            same(
                stringify!($with),
                all,
                fulmen::$scratch,
                f32::MIN,
                |a, b, c, e, w| fulmen::$with(0.75, a, b, -1.0, c, e, w),
                |a, b, c, e, w| parallel::$with(0.75, a, b, -1.0, c, e, w),
            );
        )*};
    }
    use fulmen::E4m3;
    halves! {
        bf16 gemm_bf16 gemm_bf16_with gemm_bf16_workspace;
        f16 gemm_f16 gemm_f16_with gemm_f16_workspace;
        E4m3 gemm_e4m3 gemm_e4m3_with gemm_e4m3_workspace;
    }
}
