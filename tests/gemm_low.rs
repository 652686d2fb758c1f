//! Products of bf16, f16 and i8 matrices on every lane, and those on the tiles of AMX, against naive references.

use common::lanes::*;
use fulmen::{Error, MatMut, MatRef, gemm_i8_on, gemm_i8_workspace};

/// How a matrix lies in its slice.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Layout {
    Rows,
    Cols,
    /// Rows with a gap between them.
    Padded,
    /// Neither stride is one.
    Apart,
    /// Both strides negative.
    Backwards,
    /// Rows that are one row (operands only).
    Repeated,
    /// Columns that are one column (operands only).
    Constant,
}
use Layout::*;

const OPERANDS: [Layout; 7] = [Rows, Cols, Padded, Apart, Backwards, Repeated, Constant];
const RESULTS: [Layout; 5] = [Rows, Cols, Padded, Apart, Backwards];

/// A matrix in a slice whose other elements are `guard`.
#[derive(Debug, Clone)]
struct Matrix<T> {
    data: Vec<T>,
    offset: usize,
    shape: [usize; 2],
    strides: [isize; 2],
}

/// What surrounds a matrix.
const GUARD: usize = 5;

impl<T: Copy> Matrix<T> {
    fn new(
        layout: Layout,
        [rows, cols]: [usize; 2],
        guard: T,
        mut f: impl FnMut(u64) -> T,
        seed: u64,
    ) -> Self {
        let (r, c) = (rows as isize, cols as isize);
        let strides = match layout {
            Rows => [c, 1],
            Cols => [1, r],
            Padded => [c + 3, 1],
            Apart => [2 * c + 1, 2],
            Backwards => [-(c + 1), -1],
            Repeated => [0, 1],
            Constant => [1, 0],
        };
        let far = |n: usize, s: isize| n.saturating_sub(1) as isize * s;
        let span = far(rows, strides[0]).abs() + far(cols, strides[1]).abs();
        let first = GUARD as isize - far(rows, strides[0]).min(0) - far(cols, strides[1]).min(0);
        let data = vec![guard; span as usize + 1 + 2 * GUARD];
        let mut x = Self { data, offset: first as usize, shape: [rows, cols], strides };
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        for i in 0..rows {
            for j in 0..cols {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let at = x.index(i, j);
                x.data[at] = f(state >> 11);
            }
        }
        x
    }
    fn index(&self, i: usize, j: usize) -> usize {
        (self.offset as isize + i as isize * self.strides[0] + j as isize * self.strides[1]) as usize
    }
    fn at(&self, i: usize, j: usize) -> T {
        self.data[self.index(i, j)]
    }
    fn view(&self) -> MatRef<'_, T> {
        let [r, c] = self.shape;
        MatRef::strided(&self.data, self.offset, r, c, self.strides[0], self.strides[1]).unwrap()
    }
    fn view_mut(&mut self) -> MatMut<'_, T> {
        let [r, c] = self.shape;
        MatMut::strided(&mut self.data, self.offset, r, c, self.strides[0], self.strides[1]).unwrap()
    }
    /// The rows as numbers, for `dense::dot`, whose sums of products of bytes are exact.
    fn rows_as(&self, to: impl Fn(T) -> f64) -> Vec<Vec<f64>> {
        let [rows, cols] = self.shape;
        (0..rows).map(|i| (0..cols).map(|j| to(self.at(i, j))).collect()).collect()
    }
    /// The columns.
    fn cols_as(&self, to: impl Fn(T) -> f64) -> Vec<Vec<f64>> {
        let [rows, cols] = self.shape;
        (0..cols).map(|j| (0..rows).map(|i| to(self.at(i, j))).collect()).collect()
    }
    /// The elements in rows, and whether everything else is as `old` has it.
    fn only<E: PartialEq>(&self, old: &Self, key: impl Fn(T) -> E) -> bool {
        let mut inside = vec![false; self.data.len()];
        for i in 0..self.shape[0] {
            for j in 0..self.shape[1] {
                inside[self.index(i, j)] = true;
            }
        }
        inside.iter().enumerate().all(|(at, inside)| *inside || key(self.data[at]) == key(old.data[at]))
    }
}

/// Shapes around tiles of 4 to 32 rows and columns and around groups of the inner dimension; then larger ones, in
/// several passes and blocks.
fn shapes() -> Vec<[usize; 3]> {
    let mut all = vec![[0, 3, 2], [3, 0, 2], [3, 2, 0], [1, 1, 1], [1, 40, 3], [40, 1, 5]];
    for m in [1, 7, 15, 16, 17, 31, 32, 33, 49] {
        for n in [1, 2, 15, 16, 17, 32, 33, 65] {
            all.push([m, n, [1, 2, 3, 31, 32, 33, 63, 64, 65, 130][(m + n) % 10]]);
        }
    }
    all.extend([[33, 50, 530], [65, 40, 1090]]);
    if !cfg!(debug_assertions) {
        all.extend([[130, 200, 300], [70, 610, 70], [530, 33, 65], [600, 1100, 40], [5, 9, 3000]]);
    }
    all
}

/// Calls `f` with every shape, layouts in turn; then with every pair of layouts of the operands.
fn cases(mut f: impl FnMut([usize; 3], [Layout; 3], usize)) {
    let all = shapes();
    for (i, dims) in all.iter().enumerate() {
        f(*dims, [OPERANDS[i % 7], OPERANDS[i / 7 % 7], RESULTS[i % 5]], i);
    }
    for (i, dims) in all.iter().rev().take(4).enumerate() {
        f(*dims, [[Rows, Cols][i % 2], [Rows, Rows, Cols][i % 3], Rows], 0);
    }
    // Whole tiles.
    for (i, a) in [Rows, Padded, Backwards, Repeated].into_iter().enumerate() {
        f([64, 40 + 24 * (i % 2), 128], [a, Rows, RESULTS[i]], i);
    }
    for (x, a) in OPERANDS.into_iter().enumerate() {
        for (y, b) in OPERANDS.into_iter().enumerate() {
            f([33 + x, 37 + 2 * y, 35 + x], [a, b, RESULTS[(x + y) % 5]], x * 7 + y);
        }
    }
}

const SCALES: [(i32, i32); 6] = [(1, 0), (1, 1), (-3, 2), (0, 5), (2, 0), (0, 0)];

/// `C = αAB + βC` modulo 2³² is what `run` gives.
fn bytes(
    name: &str,
    mut run: impl FnMut(
        i32,
        MatRef<'_, i8>,
        MatRef<'_, i8>,
        i32,
        MatMut<'_, i32>,
        &mut [i32],
    ) -> Result<(), Error>,
) {
    cases(|[m, n, k], layouts, turn| {
        let (alpha, beta) = SCALES[turn % 6];
        // One matrix in eight has nothing but the most negative number.
        let byte = |x: u64| if turn % 8 == 3 { i8::MIN } else { x as i8 };
        let a = Matrix::new(layouts[0], [m, k], 77, byte, 1);
        let b = Matrix::new(layouts[1], [k, n], 77, byte, 2);
        let old = Matrix::new(layouts[2], [m, n], 1 << 30, |x| x as i32, 3);
        let mut c = old.clone();
        let mut ws = vec![i32::MIN; gemm_i8_workspace(m, n, k)];
        let what = format!("{name} {m} x {n} x {k} {layouts:?} {alpha} {beta}");
        assert_eq!(run(alpha, a.view(), b.view(), beta, c.view_mut(), &mut ws), Ok(()), "{what}");
        assert!(c.only(&old, |x| x), "{what}: something outside C was written");
        let columns = b.cols_as(f64::from);
        for (i, row) in a.rows_as(f64::from).iter().enumerate() {
            for (j, column) in columns.iter().enumerate() {
                let sum = dense::dot(row, column)[0] as i64;
                let want = i64::from(alpha) * sum + i64::from(beta) * i64::from(old.at(i, j));
                assert_eq!(c.at(i, j), want as i32, "{what}: ({i}, {j})");
            }
        }
    });
}

#[test]
fn i8_on_every_lane() {
    for_each_lane!(|s| bytes(name_of(s), |alpha, a, b, beta, c, ws| gemm_i8_on(s, alpha, a, b, beta, c, ws)));
}

#[test]
fn i8_wraps_modulo_two_to_the_32() {
    fn check(run: impl Fn(MatRef<'_, i8>, MatRef<'_, i8>, MatMut<'_, i32>, &mut [i32])) {
        let lengths: &[usize] =
            if cfg!(debug_assertions) { &[131_072] } else { &[131_071, 131_072, 262_145] };
        for &k in lengths {
            let x = vec![i8::MIN; k];
            let (mut c, mut ws) = ([0], vec![0; gemm_i8_workspace(1, 1, k)]);
            let (a, b) = (MatRef::row_major(&x, 1, k).unwrap(), MatRef::row_major(&x, k, 1).unwrap());
            run(a, b, MatMut::row_major(&mut c, 1, 1).unwrap(), &mut ws);
            assert_eq!(c[0], (16384 * k as i64) as i32, "k = {k}");
        }
    }
    for_each_lane!(|s| check(|a, b, c, ws| gemm_i8_on(s, 1, a, b, 0, c, ws).unwrap()));
    #[cfg(all(target_arch = "x86_64", feature = "std", feature = "avx512"))]
    if let Some(amx) = tiles() {
        check(|a, b, c, ws| fulmen::gemm_i8_amx(amx, 1, a, b, 0, c, ws).unwrap());
    }
}

/// Each refusal names its argument and leaves C.
fn refusals<T: Copy + Default, C: Copy + PartialEq + core::fmt::Debug>(
    seven: C,
    run: impl Fn(MatRef<'_, T>, MatRef<'_, T>, MatMut<'_, C>, &mut [C]) -> Result<(), Error>,
    workspace: usize,
) {
    let x = [T::default(); 12];
    let mut y = [seven; 12];
    let (a, b) = (MatRef::row_major(&x, 3, 4).unwrap(), MatRef::row_major(&x, 4, 3).unwrap());
    let mut call = |a, b, rows: usize, cols: usize, len: usize| {
        let c = MatMut::strided(&mut y, 0, rows, cols, cols as isize, 1).unwrap();
        let r = run(a, b, c, &mut vec![seven; len]);
        assert_eq!(y, [seven; 12]);
        r
    };
    assert_eq!(call(a, a, 3, 4, workspace), Err(Error::shape("b", [4, 4], [3, 4])));
    assert_eq!(call(a, b, 3, 4, workspace), Err(Error::shape("c", [3, 3], [3, 4])));
    assert_eq!(call(a, b, 2, 3, workspace), Err(Error::shape("c", [3, 3], [2, 3])));
    let Err(Error::Workspace { needed, got: 0, .. }) = call(a, b, 3, 3, 0) else {
        panic!("no workspace was accepted")
    };
    assert!(needed <= workspace, "{needed} are needed of {workspace}");
    assert_eq!(call(a, b, 3, 3, needed - 1), Err(Error::workspace(needed, needed - 1)));
}

#[test]
fn i8_refusals_name_the_argument_and_leave_c() {
    let w = gemm_i8_workspace(3, 3, 4);
    for_each_lane!(|s| refusals(7, |a, b, c, ws| gemm_i8_on(s, 1, a, b, 0, c, ws), w));
    #[cfg(all(target_arch = "x86_64", feature = "std", feature = "avx512"))]
    if let Some(amx) = tiles() {
        refusals(7, |a, b, c, ws| fulmen::gemm_i8_amx(amx, 1, a, b, 0, c, ws), w);
    }
}

#[test]
fn u8_on_every_lane() {
    for_each_lane!(|s| cases(|[m, n, k], layouts, turn| {
        let (alpha, beta) = SCALES[turn % 6];
        let (a_zero, b_zero) = [(0, 0), (128, -3), (255, 127), (7, -128)][turn % 4];
        // One matrix in eight lies as far from its zero as can be.
        let far = turn % 8 == 3;
        let a = Matrix::new(layouts[0], [m, k], 77, |x| if far { 0 } else { x as u8 }, 1);
        let b = Matrix::new(layouts[1], [k, n], 77, |x| if far { i8::MAX } else { x as i8 }, 2);
        let old = Matrix::new(layouts[2], [m, n], 1 << 30, |x| x as i32, 3);
        let mut c = old.clone();
        let mut ws = vec![i32::MIN; fulmen::gemm_u8_workspace(m, n, k)];
        let what = format!("{} {m} x {n} x {k} {layouts:?} {alpha} {beta} {a_zero} {b_zero}", name_of(s));
        let to = c.view_mut();
        fulmen::gemm_u8_on(s, alpha, a.view(), a_zero, b.view(), b_zero, beta, to, &mut ws).unwrap();
        assert!(c.only(&old, |x| x), "{what}: something outside C was written");
        let columns = b.cols_as(|x| f64::from(x) - f64::from(b_zero));
        for (i, row) in a.rows_as(|x| f64::from(x) - f64::from(a_zero)).iter().enumerate() {
            for (j, column) in columns.iter().enumerate() {
                let sum = dense::dot(row, column)[0] as i64;
                let want = i64::from(alpha) * sum + i64::from(beta) * i64::from(old.at(i, j));
                assert_eq!(c.at(i, j), want as i32, "{what}: ({i}, {j})");
            }
        }
    }));
}

#[test]
fn u8_wraps_modulo_two_to_the_32() {
    for_each_lane!(|s| for k in [33_025, 33_026, 66_051] {
        let (x, y) = (vec![255u8; k], vec![i8::MIN; k]);
        let (mut c, mut ws) = ([0], vec![0; fulmen::gemm_u8_workspace(1, 1, k)]);
        let (a, b) = (MatRef::row_major(&x, 1, k).unwrap(), MatRef::row_major(&y, k, 1).unwrap());
        let to = MatMut::row_major(&mut c, 1, 1).unwrap();
        fulmen::gemm_u8_on(s, 1, a, 0, b, i8::MAX, 0, to, &mut ws).unwrap();
        assert_eq!(c[0], (-65_025 * k as i64) as i32, "k = {k}");
    });
}

#[test]
fn u8_refusals_name_the_argument_and_leave_c() {
    let w = fulmen::gemm_u8_workspace(3, 3, 4);
    // The operands are of two types: a B of the shape that is asked for.
    let y = [0i8; 12];
    let call = |s, a: MatRef<'_, u8>, b: MatRef<'_, u8>, c: MatMut<'_, i32>, ws: &mut [i32]| {
        let b = MatRef::row_major(&y, b.rows(), b.cols()).unwrap();
        fulmen::gemm_u8_on(s, 1, a, 3, b, 4, 0, c, ws)
    };
    refusals(7, |a, b, c, ws| call(fulmen::lanes::native(), a, b, c, ws), w);
}

/// The token, or a line that says why its tests do not run.
#[cfg(all(target_arch = "x86_64", feature = "std", feature = "avx512"))]
fn tiles() -> Option<fulmen::lanes::Amx> {
    let token = fulmen::lanes::Amx::detect();
    if token.is_none() {
        common::compared::lacks("AMX");
    }
    token
}

#[cfg(feature = "half")]
mod halves;

mod requantized;

#[cfg(feature = "parallel")]
mod threads;

#[cfg(all(target_arch = "x86_64", feature = "std", feature = "avx512", feature = "half"))]
mod amx;
