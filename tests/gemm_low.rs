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
        for i in 0..m {
            for j in 0..n {
                let sum: i64 = (0..k).map(|p| i64::from(a.at(i, p)) * i64::from(b.at(p, j))).sum();
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
    assert_eq!(call(a, a, 3, 4, workspace), Err(Error::Shape { arg: "b", expected: [4, 4], got: [3, 4] }));
    assert_eq!(call(a, b, 3, 4, workspace), Err(Error::Shape { arg: "c", expected: [3, 3], got: [3, 4] }));
    assert_eq!(call(a, b, 2, 3, workspace), Err(Error::Shape { arg: "c", expected: [3, 3], got: [2, 3] }));
    let Err(Error::Workspace { needed, got: 0 }) = call(a, b, 3, 3, 0) else {
        panic!("no workspace was accepted")
    };
    assert!(needed <= workspace, "{needed} are needed of {workspace}");
    assert_eq!(call(a, b, 3, 3, needed - 1), Err(Error::Workspace { needed, got: needed - 1 }));
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

/// The token, or a line that says why its tests do not run.
#[cfg(all(target_arch = "x86_64", feature = "std", feature = "avx512"))]
fn tiles() -> Option<fulmen::lanes::Amx> {
    let token = fulmen::lanes::Amx::detect();
    if token.is_none() {
        println!("skipped amx: this CPU or its operating system has no tiles; nothing was tested on them");
    }
    token
}

#[cfg(feature = "half")]
mod halves {
    use super::*;
    use fulmen::E4m3;
    use fulmen::contract::spec;
    use fulmen::lanes::Simd;
    use half::{bf16, f16};

    /// `C = αAB + βC` is within the tolerance of the contract of `gemm`, plus `more` of the terms.
    pub fn floats<T: Copy, R: PartialEq + core::fmt::Debug>(
        name: &str,
        from: impl Fn(f32) -> T,
        to: impl Fn(T) -> f64,
        workspace: impl Fn(usize, usize, usize) -> usize,
        more: f64,
        ok: R,
        mut run: impl FnMut(f32, MatRef<'_, T>, MatRef<'_, T>, f32, MatMut<'_, f32>, &mut [f32]) -> R,
    ) {
        let tolerance = spec("gemm").and_then(|c| c.tolerance("f32")).unwrap();
        let number = |x: u64| (x as f64 / (1u64 << 52) as f64 - 1.0) as f32;
        cases(|[m, n, k], layouts, turn| {
            let (alpha, beta) = SCALES[turn % 6];
            let (alpha, beta) = (alpha as f32 * 0.5, beta as f32 * 0.75);
            let (alpha, beta) = if turn % 6 < 2 { (alpha * 2.0, beta / 0.75) } else { (alpha, beta) };
            let a = Matrix::new(layouts[0], [m, k], from(f32::NAN), |x| from(number(x)), 1);
            let b = Matrix::new(layouts[1], [k, n], from(f32::NAN), |x| from(number(x)), 2);
            let old = Matrix::new(layouts[2], [m, n], f32::NAN, number, 3);
            let mut c = old.clone();
            if beta == 0.0 {
                c.data.fill(f32::NAN);
            }
            let mut ws = vec![f32::NAN; workspace(m, n, k)];
            let what = format!("{name} {m} x {n} x {k} {layouts:?} {alpha} {beta}");
            assert_eq!(run(alpha, a.view(), b.view(), beta, c.view_mut(), &mut ws), ok, "{what}");
            assert!(c.only(&old, f32::to_bits), "{what}: something outside C was written");
            let row = vec![0.0; k];
            for i in 0..m {
                for j in 0..n {
                    let terms = (0..k).map(|p| to(a.at(i, p)) * to(b.at(p, j)));
                    let (sum, mass) = terms.fold((0.0, 0.0), |(s, m), x| (s + x, m + x.abs()));
                    let (mut want, mut mass) = if alpha == 0.0 {
                        (0.0, 0.0)
                    } else {
                        (f64::from(alpha) * sum, f64::from(alpha.abs()) * mass)
                    };
                    let split = more * mass;
                    if beta != 0.0 {
                        let y = f64::from(beta) * f64::from(old.at(i, j));
                        (want, mass) = (want + y, mass + y.abs());
                    }
                    let (got, bound) =
                        (f64::from(c.at(i, j)), tolerance.allowed::<f32>(want, &[&row], mass) + split);
                    let error = (got - want).abs();
                    assert!(
                        error <= bound,
                        "{what}: ({i}, {j}) is {got}, off by {error:e}, allowed {bound:e}"
                    );
                }
            }
        });
    }

    /// `low` gives the bits of the product of the converted matrices.
    fn as_f32<S: Simd, T: Copy>(
        s: S,
        nan: T,
        number: impl Fn(u64) -> T,
        to: impl Fn(T) -> f32,
        low: impl Fn(MatRef<'_, T>, MatRef<'_, T>, MatMut<'_, f32>, &mut [f32]) -> Result<(), Error>,
    ) {
        for [m, n, k] in [[5, 9, 3], [37, 70, 40], [33, 50, 700]] {
            let (a, b) =
                (Matrix::new(Rows, [m, k], nan, &number, 1), Matrix::new(Cols, [k, n], nan, &number, 2));
            let wide = |x: &Matrix<T>| Matrix {
                data: x.data.iter().map(|x| to(*x)).collect(),
                offset: x.offset,
                shape: x.shape,
                strides: x.strides,
            };
            let (x, y) = (wide(&a), wide(&b));
            let mut got = Matrix::new(Rows, [m, n], 0.0, |_| 1.0f32, 3);
            let mut want = got.clone();
            let mut ws = vec![0.0; fulmen::gemm_workspace(m, n, k)];
            fulmen::gemm_on(s, 0.5, x.view(), y.view(), 2.0, want.view_mut(), &mut ws).unwrap();
            let mut ws = vec![0.0; fulmen::gemm_bf16_workspace(m, n, k)];
            low(a.view(), b.view(), got.view_mut(), &mut ws).unwrap();
            let bits = |x: &Matrix<f32>| x.data.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert!(bits(&got) == bits(&want), "{} {m} x {n} x {k}", S::NAME);
        }
    }

    #[test]
    fn bf16_has_the_bits_of_f32() {
        let number = |x: u64| bf16::from_bits((x % 0x1000 + 0x3800) as u16 | (x >> 20) as u16 & 0x8000);
        for_each_lane!(|s| as_f32(s, bf16::NAN, number, bf16::to_f32, |a, b, c, ws| {
            fulmen::gemm_bf16_on(s, 0.5, a, b, 2.0, c, ws)
        }));
    }

    #[test]
    fn f16_has_the_bits_of_f32() {
        let number = |x: u64| f16::from_bits((x % 0x5000) as u16 | (x >> 20) as u16 & 0x8000);
        for_each_lane!(|s| as_f32(s, f16::NAN, number, f16::to_f32, |a, b, c, ws| {
            fulmen::gemm_f16_on(s, 0.5, a, b, 2.0, c, ws)
        }));
    }

    #[test]
    fn e4m3_has_the_bits_of_f32() {
        let number = |x: u64| E4m3::from_bits((x >> 20) as u8 & 0xfe);
        for_each_lane!(|s| as_f32(s, E4m3::NAN, number, E4m3::to_f32, |a, b, c, ws| {
            fulmen::gemm_e4m3_on(s, 0.5, a, b, 2.0, c, ws)
        }));
    }

    #[test]
    fn e4m3_on_every_lane() {
        for_each_lane!(|s| {
            let run = |alpha, a: MatRef<'_, _>, b: MatRef<'_, _>, beta, c: MatMut<'_, _>, ws: &mut [f32]| {
                fulmen::gemm_e4m3_on(s, alpha, a, b, beta, c, ws)
            };
            let wide = |x: E4m3| f64::from(x.to_f32());
            floats(name_of(s), E4m3::from_f32, wide, fulmen::gemm_e4m3_workspace, 0.0, Ok(()), run);
        });
    }

    /// Each of the 256 numbers by the formula of the format, and what is rounded to it: of all numbers between two, the
    /// halves to the even one.
    #[test]
    fn e4m3_is_the_format() {
        let value = |bits: u8| {
            let (e, m) = (i32::from(bits >> 3 & 15), f64::from(bits & 7));
            let size = if e == 0 { m * 2f64.powi(-9) } else { (8.0 + m) * 2f64.powi(e - 10) };
            if bits & 0x80 == 0 { size } else { -size }
        };
        for bits in (0..=255).filter(|b| b & 0x7f != 0x7f) {
            let x = E4m3::from_bits(bits);
            assert_eq!(f64::from(x.to_f32()).to_bits(), value(bits).to_bits(), "{bits:#x}");
            assert_eq!(E4m3::from_f32(x.to_f32()).to_bits(), bits);
            // To the next one away from 0; past the largest there is none.
            let (here, next) = (value(bits), value(bits + 1));
            if bits & 0x7f == 0x7e {
                let sign = here.signum() as f32;
                for x in [449.0, 464.0, 480.0, 1e30, f32::INFINITY] {
                    assert_eq!(E4m3::from_f32(sign * x).to_bits(), bits, "{x}");
                }
                continue;
            }
            let middle = ((here + next) / 2.0) as f32;
            let even = bits + (bits & 1);
            assert_eq!(E4m3::from_f32(middle).to_bits(), even, "{middle}");
            let step = |by: i32| f32::from_bits((middle.to_bits() as i32 + by) as u32);
            assert_eq!(
                [step(-1), step(1)].map(|x| E4m3::from_f32(x).to_bits()),
                [bits, bits + 1],
                "{middle}"
            );
        }
        for (x, bits) in [(f32::NAN, 0x7f), (-f32::NAN, 0xff), (1e-30, 0), (-1e-30, 0x80)] {
            assert_eq!(E4m3::from_f32(x).to_bits(), bits, "{x}");
        }
        assert!(E4m3::NAN.to_f32().is_nan() && E4m3::from_bits(0xff).to_f32().is_sign_negative());
        assert_eq!(E4m3::MAX.to_f32(), 448.0);
        assert!(E4m3::NAN != E4m3::NAN && E4m3::from_bits(0x80) == E4m3::default());
        assert!(E4m3::from_f32(-2.0) < E4m3::from_f32(0.5));
    }

    #[test]
    fn bf16_on_every_lane() {
        for_each_lane!(|s| {
            let run = |alpha, a: MatRef<'_, _>, b: MatRef<'_, _>, beta, c: MatMut<'_, _>, ws: &mut [f32]| {
                fulmen::gemm_bf16_on(s, alpha, a, b, beta, c, ws)
            };
            floats(name_of(s), bf16::from_f32, bf16::to_f64, fulmen::gemm_bf16_workspace, 0.0, Ok(()), run);
        });
    }

    #[test]
    fn f16_on_every_lane() {
        for_each_lane!(|s| {
            let run = |alpha, a: MatRef<'_, _>, b: MatRef<'_, _>, beta, c: MatMut<'_, _>, ws: &mut [f32]| {
                fulmen::gemm_f16_on(s, alpha, a, b, beta, c, ws)
            };
            floats(name_of(s), f16::from_f32, f16::to_f64, fulmen::gemm_f16_workspace, 0.0, Ok(()), run);
        });
    }

    /// What holds for every form: NaN and infinities spread, α = 0 reads neither A nor B, β = 0 does not read C.
    pub fn specials<T: Copy>(
        from: impl Fn(f32) -> T,
        run: impl Fn(f32, MatRef<'_, T>, MatRef<'_, T>, f32, MatMut<'_, f32>),
    ) {
        let product = |alpha: f32, a: &[f32], b: &[f32], beta: f32, c: f32| {
            let (a, b): (Vec<T>, Vec<T>) =
                (a.iter().map(|x| from(*x)).collect(), b.iter().map(|x| from(*x)).collect());
            let (mut y, k) = ([c], a.len());
            let (a, b) = (MatRef::row_major(&a, 1, k).unwrap(), MatRef::row_major(&b, k, 1).unwrap());
            run(alpha, a, b, beta, MatMut::row_major(&mut y, 1, 1).unwrap());
            y[0]
        };
        let inf = f32::INFINITY;
        assert_eq!(product(0.0, &[f32::NAN], &[inf], 2.0, 3.0), 6.0);
        assert_eq!(product(1.0, &[2.0], &[3.0], 0.0, f32::NAN), 6.0);
        assert_eq!(product(f32::NAN, &[], &[], 0.0, f32::NAN), 0.0);
        assert_eq!(product(f32::NAN, &[], &[], 2.0, 3.0), 6.0);
        assert!(product(1.0, &[0.0], &[inf], 0.0, 0.0).is_nan());
        assert!(product(1.0, &[1.0, f32::NAN], &[1.0, 0.0], 0.0, 0.0).is_nan());
        assert!(product(f32::NAN, &[1.0], &[1.0], 0.0, 0.0).is_nan());
        assert!(product(1.0, &[inf, 1.0], &[1.0, -inf], 0.0, 0.0).is_nan());
        assert_eq!(product(1.0, &[inf, 1.0], &[2.0, 1.0], 0.0, 0.0), inf);
        assert_eq!(product(1.0, &[1.5], &[-inf], 1.0, 5.0), -inf);
        assert_eq!(product(1.0, &[-0.0], &[1.0], 0.0, 0.0).to_bits(), 0);
        // C is not the tiles' business: its subnormals stay.
        let tiny = f32::from_bits(3);
        assert_eq!(product(1.0, &[0.0], &[1.0], 1.0, tiny), tiny);
    }

    #[test]
    fn special_values_on_every_lane() {
        for_each_lane!(|s| {
            specials(bf16::from_f32, |alpha, a, b, beta, c| {
                fulmen::gemm_bf16_on(s, alpha, a, b, beta, c, &mut [0.0; 2000]).unwrap();
            });
            specials(f16::from_f32, |alpha, a, b, beta, c| {
                fulmen::gemm_f16_on(s, alpha, a, b, beta, c, &mut [0.0; 2000]).unwrap();
            });
        });
    }

    #[test]
    fn half_refusals_name_the_argument_and_leave_c() {
        let w = fulmen::gemm_bf16_workspace(3, 3, 4);
        for_each_lane!(|s| {
            refusals(7.0, |a, b, c, ws| fulmen::gemm_bf16_on(s, 1.0, a, b, 0.0, c, ws), w);
            refusals(7.0, |a, b, c, ws| fulmen::gemm_f16_on(s, 1.0, a, b, 0.0, c, ws), w);
            refusals(7.0, |a, b, c, ws| fulmen::gemm_e4m3_on(s, 1.0, a, b, 0.0, c, ws), w);
        });
    }
}

#[cfg(all(target_arch = "x86_64", feature = "std", feature = "avx512", feature = "half"))]
mod amx {
    use super::halves::{floats, specials};
    use super::*;
    use fulmen::contract::spec;
    use fulmen::{AmxPath, gemm_f32_amx, gemm_f32_amx_workspace, gemm_f32_amx3};
    use half::bf16;

    #[test]
    fn i8_on_tiles() {
        let Some(amx) = tiles() else { return };
        bytes("amx", |alpha, a, b, beta, c, ws| fulmen::gemm_i8_amx(amx, alpha, a, b, beta, c, ws));
    }

    #[test]
    fn bf16_on_tiles() {
        let Some(amx) = tiles() else { return };
        let run = |alpha, a: MatRef<'_, _>, b: MatRef<'_, _>, beta, c: MatMut<'_, _>, ws: &mut [f32]| {
            fulmen::gemm_bf16_amx(amx, alpha, a, b, beta, c, ws)
        };
        floats("amx", bf16::from_f32, bf16::to_f64, fulmen::gemm_bf16_workspace, 0.0, Ok(()), run);
    }

    #[test]
    fn f32_by_six_products_is_within_the_contract_of_gemm() {
        let Some(amx) = tiles() else { return };
        let run = |alpha, a: MatRef<'_, _>, b: MatRef<'_, _>, beta, c: MatMut<'_, _>, ws: &mut [f32]| {
            gemm_f32_amx(amx, alpha, a, b, beta, c, ws)
        };
        floats("amx", |x| x, f64::from, gemm_f32_amx_workspace, 0.0, Ok(AmxPath::Tiles), run);
    }

    #[test]
    fn f32_by_three_products_is_within_its_bound() {
        let Some(amx) = tiles() else { return };
        let run = |alpha, a: MatRef<'_, _>, b: MatRef<'_, _>, beta, c: MatMut<'_, _>, ws: &mut [f32]| {
            gemm_f32_amx3(amx, alpha, a, b, beta, c, ws)
        };
        let left_out = (1.0 + 1.0 / 512.0) / 32768.0;
        floats("amx", |x| x, f64::from, gemm_f32_amx_workspace, left_out, Ok(AmxPath::Tiles), run);
    }

    #[test]
    fn special_values_on_tiles() {
        let Some(amx) = tiles() else { return };
        specials(bf16::from_f32, |alpha, a, b, beta, c| {
            fulmen::gemm_bf16_amx(amx, alpha, a, b, beta, c, &mut [0.0; 2000]).unwrap();
        });
        for run in [gemm_f32_amx, gemm_f32_amx3] {
            specials(
                |x| x,
                |alpha, a, b, beta, c| {
                    run(amx, alpha, a, b, beta, c, &mut [0.0; 4000]).unwrap();
                },
            );
        }
    }

    #[test]
    fn refusals_on_tiles() {
        let Some(amx) = tiles() else { return };
        let (w, v) = (fulmen::gemm_bf16_workspace(3, 3, 4), gemm_f32_amx_workspace(3, 3, 4));
        refusals(7.0, |a, b, c, ws| fulmen::gemm_bf16_amx(amx, 1.0, a, b, 0.0, c, ws), w);
        refusals(7.0, |a, b, c, ws| gemm_f32_amx(amx, 1.0, a, b, 0.0, c, ws).map(|_| ()), v);
        refusals(7.0, |a, b, c, ws| gemm_f32_amx3(amx, 1.0, a, b, 0.0, c, ws).map(|_| ()), v);
    }

    /// One product of a 1 by 2 and a 2 by 1 matrix, and the path it took.
    fn pair(amx: fulmen::lanes::Amx, a: [f32; 2], b: [f32; 2]) -> (AmxPath, f32) {
        let mut c = [0.0];
        let (a, b) = (MatRef::row_major(&a, 1, 2).unwrap(), MatRef::row_major(&b, 2, 1).unwrap());
        let y = MatMut::row_major(&mut c, 1, 1).unwrap();
        let path = gemm_f32_amx(amx, 1.0, a, b, 0.0, y, &mut [0.0; 4000]).unwrap();
        (path, c[0])
    }

    #[test]
    fn extreme_values_take_the_lanes() {
        let Some(amx) = tiles() else { return };
        let (two, tiny) = (|e: i32| 2.0f32.powi(e), f32::from_bits(1));
        for (a, b, path, want) in [
            ([1.0, 0.0], [3.0, 0.0], AmxPath::Tiles, 3.0),
            ([0.0, 0.0], [0.0, 0.0], AmxPath::Tiles, 0.0),
            ([two(-96), 0.0], [1.0, 1.0], AmxPath::Tiles, two(-96)),
            ([two(-97), 0.0], [1.0, 1.0], AmxPath::Lanes, two(-97)),
            ([two(-50), 0.0], [two(-46), 1.0], AmxPath::Tiles, two(-96)),
            ([two(-50), 0.0], [two(-47), 1.0], AmxPath::Lanes, two(-97)),
            ([tiny, 1.0], [1.0, 0.0], AmxPath::Lanes, tiny),
            ([two(60), 0.0], [two(60), 0.0], AmxPath::Tiles, two(120)),
            ([two(64), two(64)], [two(64), -two(64)], AmxPath::Lanes, f32::NAN),
            ([two(63), two(63)], [two(63), two(63)], AmxPath::Lanes, two(127)),
            ([f32::MAX, 0.0], [0.0, 0.0], AmxPath::Lanes, 0.0),
            ([f32::INFINITY, 1.0], [1.0, 1.0], AmxPath::Lanes, f32::INFINITY),
            ([f32::INFINITY, 1.0], [0.0, 0.0], AmxPath::Lanes, f32::NAN),
            ([1.0, f32::NAN], [0.0, 0.0], AmxPath::Lanes, f32::NAN),
        ] {
            for (a, b) in [(a, b), (b, a)] {
                let (took, got) = pair(amx, a, b);
                // ∞ - ∞ of the first overflow.
                let same =
                    got == want || (got.is_nan() && want.is_nan()) || (want.is_nan() && got.is_infinite());
                assert!(
                    took == path && same,
                    "{a:?} {b:?}: {got:e} by {took:?}, expected {want:e} by {path:?}"
                );
            }
        }
    }

    /// Elements all over the range that the tiles take, so that what they flush would show.
    #[test]
    fn the_whole_range_of_the_tiles_is_within_the_contract() {
        let Some(amx) = tiles() else { return };
        let tolerance = spec("gemm").and_then(|c| c.tolerance("f32")).unwrap();
        let (m, n, k) = (33, 34, 70);
        for (low, high) in [(-48, -40), (-48, 55), (-20, 59), (0, 59)] {
            let number = |x: u64| {
                let size = 1.0 + (x % (1 << 23)) as f32 / (1 << 23) as f32;
                let scaled = size * 2.0f32.powi(low + (x >> 30) as i32 % (high - low));
                if x >> 29 & 1 == 0 { scaled } else { -scaled }
            };
            let (a, b) =
                (Matrix::new(Rows, [m, k], 0.0, number, 5), Matrix::new(Rows, [k, n], 0.0, number, 6));
            let mut c = Matrix::new(Rows, [m, n], 0.0, |_| 0.0, 7);
            let mut ws = vec![0.0; gemm_f32_amx_workspace(m, n, k)];
            let path = gemm_f32_amx(amx, 1.0, a.view(), b.view(), 0.0, c.view_mut(), &mut ws);
            assert_eq!(path, Ok(AmxPath::Tiles));
            let row = vec![0.0; k];
            for i in 0..m {
                for j in 0..n {
                    let terms = (0..k).map(|p| f64::from(a.at(i, p)) * f64::from(b.at(p, j)));
                    let (want, mass) = terms.fold((0.0, 0.0), |(s, m), x| (s + x, m + x.abs()));
                    let (error, bound) =
                        ((f64::from(c.at(i, j)) - want).abs(), tolerance.allowed::<f32>(want, &[&row], mass));
                    assert!(
                        error <= bound,
                        "{low} to {high}: ({i}, {j}) off by {error:e}, allowed {bound:e}"
                    );
                }
            }
        }
    }

    /// An element's bits depend on its row, its column, α and β alone.
    #[test]
    fn bits_do_not_depend_on_shape_or_layout() {
        let Some(amx) = tiles() else { return };
        let number = |x: u64| (x as f64 / (1u64 << 52) as f64 - 1.0) as f32;
        for k in [5, 300, 1100] {
            let (m, n) = (37, 70);
            let (a, b) =
                (Matrix::new(Rows, [m, k], 0.0, number, 1), Matrix::new(Rows, [k, n], 0.0, number, 2));
            let mut ws = vec![0.0; gemm_f32_amx_workspace(m, n, k)];
            for (alpha, beta) in [(1.0, 0.0), (1.5, 0.5), (1.0, 1.0)] {
                let mut whole = Matrix::new(Rows, [m, n], 0.0, |_| 0.25, 3);
                gemm_f32_amx(amx, alpha, a.view(), b.view(), beta, whole.view_mut(), &mut ws).unwrap();
                for (rows, cols) in
                    [(0..1, 0..n), (3..4, 17..18), (0..m, 5..6), (30..m, 1..n), (2..35, 30..65)]
                {
                    for layout in [Rows, Cols, Apart] {
                        let mut c = Matrix::new(layout, [rows.len(), cols.len()], 0.0, |_| 0.25, 9);
                        let (a, b) = (
                            a.view().sub(rows.clone(), 0..k).unwrap(),
                            b.view().sub(0..k, cols.clone()).unwrap(),
                        );
                        gemm_f32_amx(amx, alpha, a, b, beta, c.view_mut(), &mut ws).unwrap();
                        for (i, row) in rows.clone().enumerate() {
                            for (j, col) in cols.clone().enumerate() {
                                let (got, want) = (c.at(i, j), whole.at(row, col));
                                assert_eq!(
                                    got.to_bits(),
                                    want.to_bits(),
                                    "{layout:?} ({row}, {col}), k = {k}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }

    /// A subnormal bf16 counts as zero, as documented; if a CPU did otherwise, the documentation would be wrong.
    #[test]
    fn subnormal_bf16_elements_count_as_zero() {
        let Some(amx) = tiles() else { return };
        let (a, b) = ([bf16::from_bits(1)], [bf16::MAX]);
        let mut c = [1.0];
        let (a, b) = (MatRef::row_major(&a, 1, 1).unwrap(), MatRef::row_major(&b, 1, 1).unwrap());
        fulmen::gemm_bf16_amx(
            amx,
            1.0,
            a,
            b,
            0.0,
            MatMut::row_major(&mut c, 1, 1).unwrap(),
            &mut [0.0; 2000],
        )
        .unwrap();
        assert_eq!(c, [0.0]);
    }

    /// Threads change no bit; a workspace for one is enough.
    #[cfg(feature = "parallel")]
    #[test]
    fn threads_on_tiles_give_the_same_bits() {
        use fulmen::parallel;
        let Some(amx) = tiles() else { return };
        let number = |x: u64| (x as f64 / (1u64 << 52) as f64 - 1.0) as f32;
        let shapes = if cfg!(debug_assertions) {
            vec![[5, 7, 9], [260, 300, 270], [33, 1100, 600]]
        } else {
            vec![[5, 7, 9], [260, 300, 270], [33, 1100, 600], [700, 333, 310], [70, 900, 1100]]
        };
        for [m, n, k] in shapes {
            let (a, b) =
                (Matrix::new(Rows, [m, k], 0.0, number, 1), Matrix::new(Cols, [k, n], 0.0, number, 2));
            let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            macro_rules! same {
                ($f:ident, $a:expr, $b:expr, $t:ty, $old:expr, $room:expr, $scales:expr) => {
                    for (alpha, beta) in $scales {
                        let mut want = vec![$old; m * n];
                        let mut ws = vec![<$t>::default(); $room * 3];
                        let c = MatMut::row_major(&mut want, m, n).unwrap();
                        let path = fulmen::$f(amx, alpha, $a, $b, beta, c, &mut ws).unwrap();
                        for (threads, room) in [(1, 1), (2, 2), (3, 3), (3, 1)] {
                            let mut got = vec![$old; m * n];
                            let c = MatMut::row_major(&mut got, m, n).unwrap();
                            let ws = &mut ws[..$room * room];
                            let took = pool(threads)
                                .install(|| parallel::$f(amx, alpha, $a, $b, beta, c, ws).unwrap());
                            assert_eq!(took, path);
                            assert!(want == got, "{} {m} x {n} x {k}, {threads} threads", stringify!($f));
                        }
                        let c = MatMut::row_major(&mut want, m, n).unwrap();
                        let short = parallel::$f(amx, alpha, $a, $b, beta, c, &mut []);
                        assert!(matches!(short, Err(Error::Workspace { got: 0, .. })));
                    }
                };
            }
            let scales = [(1.0, 0.0), (1.5, 0.5)];
            let room = gemm_f32_amx_workspace(m, n, k);
            same!(gemm_f32_amx, a.view(), b.view(), f32, 0.25, room, scales);
            same!(gemm_f32_amx3, a.view(), b.view(), f32, 0.25, room, scales);
            let halves = |x: &Matrix<f32>, len: usize, cols: usize| -> Vec<bf16> {
                (0..len * cols).map(|i| bf16::from_f32(x.at(i / cols, i % cols))).collect()
            };
            let (a16, b16) = (halves(&a, m, k), halves(&b, k, n));
            let (a16, b16) = (MatRef::row_major(&a16, m, k).unwrap(), MatRef::row_major(&b16, k, n).unwrap());
            same!(gemm_bf16_amx, a16, b16, f32, 0.25, fulmen::gemm_bf16_workspace(m, n, k), scales);
            let (a8, b8): (Vec<i8>, Vec<i8>) = (
                (0..m * k).map(|i| (i % 251) as i8).collect(),
                (0..k * n).map(|i| (i % 241) as i8).collect(),
            );
            let (a8, b8) = (MatRef::row_major(&a8, m, k).unwrap(), MatRef::row_major(&b8, k, n).unwrap());
            same!(gemm_i8_amx, a8, b8, i32, 3, fulmen::gemm_i8_workspace(m, n, k), [(1, 0), (3, -2)]);
        }
        // Beyond the range of the tiles: the lanes, for all of C.
        let n = 600;
        let mut a = vec![1.0f32; n * n];
        a[n * n - 1] = f32::INFINITY;
        let (x, mut c) = (MatRef::row_major(&a, n, n).unwrap(), vec![0.0; n * n]);
        let mut ws = vec![0.0; 2 * gemm_f32_amx_workspace(n, n, n)];
        let c = MatMut::row_major(&mut c, n, n).unwrap();
        assert_eq!(parallel::gemm_f32_amx(amx, 1.0, x, x, 0.0, c, &mut ws), Ok(AmxPath::Lanes));
    }
}
