//! Quantised blocks: against the vectors of `tests/golden/quant.py`, references in f64, and one lane against another.

use common::lanes::*;
use fulmen::lanes::{Portable, Simd};
use fulmen::quant::*;
use fulmen::*;

/// Calls `$f::<Format>(arguments)` for every format.
macro_rules! each_format {
    ($f:ident ($($arg:expr),*)) => {{
        $f::<Q4_0>($($arg),*);
        $f::<Q4_1>($($arg),*);
        $f::<Q5_0>($($arg),*);
        $f::<Q5_1>($($arg),*);
        $f::<Q8_0>($($arg),*);
        $f::<Q8_1>($($arg),*);
        $f::<IQ4_NL>($($arg),*);
        $f::<MXFP4>($($arg),*);
        $f::<Q2_K>($($arg),*);
        $f::<Q3_K>($($arg),*);
        $f::<Q4_K>($($arg),*);
        $f::<Q5_K>($($arg),*);
        $f::<Q6_K>($($arg),*);
        $f::<Q8_K>($($arg),*);
        $f::<NF4>($($arg),*);
        $f::<NF4_LOW>($($arg),*);
        $f::<Q8_64>($($arg),*);
    }};
}

// After the macro, which they use.
mod absmax;
mod borders;
mod bytes;
// Contracts are files, which this target has not.
#[cfg(not(target_arch = "wasm32"))]
mod edge_cases;
#[cfg(not(target_arch = "wasm32"))]
mod padded;

/// A golden file's count and the rest.
fn golden(name: &str) -> Option<(usize, Vec<u8>)> {
    let path = format!("{}/tests/golden/quant/{name}.bin", common::ROOT);
    let bytes = std::fs::read(path).ok()?;
    let (count, rest) = bytes.split_at(4);
    Some((u32::from_le_bytes(count.try_into().unwrap()) as usize, rest.to_vec()))
}

fn floats(x: &[u8]) -> Vec<f32> {
    x.as_chunks::<4>().0.iter().map(|x| f32::from_le_bytes(*x)).collect()
}

/// The same bits, but for NaN.
fn same(got: &[f32], want: &[f32], what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (a, b)) in got.iter().zip(want).enumerate() {
        assert!(
            a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
            "{what}: element {i} is {a:e}, not {b:e}"
        );
    }
}

/// Numbers of a seed.
struct Rng(u64);
impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let x = (self.0 ^ self.0 >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x ^ x >> 32
    }
    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
    fn gauss(&mut self) -> f64 {
        (-2.0 * self.uniform().max(1e-300).ln()).sqrt() * (6.283185307179586 * self.uniform()).cos()
    }
    /// Gaussian, or of heavy tails (Student's t of two degrees of freedom).
    fn row(&mut self, n: usize, heavy: bool) -> Vec<f32> {
        let mut one = || {
            let g = self.gauss();
            let tail = if heavy { ((self.gauss().powi(2) + self.gauss().powi(2)) / 2.0).sqrt() } else { 1.0 };
            (g / tail) as f32
        };
        (0..n).map(|_| one()).collect()
    }
}

/// Blocks of any codes; scales are finite and moderate.
fn random<B: Block>(rng: &mut Rng, n: usize) -> Vec<B> {
    // What encodes takes the longest: past as many blocks they come again, a prime number that no row's length is a multiple of.
    let of = n.min(61);
    let x = rng.row(of * B::ELEMENTS, n.is_multiple_of(2));
    let mut to = zeros::<B>(of);
    quantize(&x, None, &mut to).unwrap();
    let to: Vec<B> = to.iter().cycle().take(n).copied().collect();
    // The codes that no encoder writes, too.
    let mut bytes = bytes_of(&to).to_vec();
    if B::NAME == "q8_0" {
        for b in bytes.chunks_mut(34) {
            b[2..].iter_mut().for_each(|q| *q = [0x80, 0x7f, 0x81, 3][rng.next() as usize % 4]);
        }
    }
    blocks::<B>(&bytes).unwrap().to_vec()
}

fn zeros<B: Block>(n: usize) -> Vec<B> {
    blocks::<B>(&vec![0; n * size_of::<B>()]).unwrap().to_vec()
}

fn numbers<B: Block>(x: &[B]) -> Vec<f32> {
    let mut to = vec![7.0; x.len() * B::ELEMENTS];
    dequantize(x, &mut to).unwrap();
    to
}

/// Blocks of a golden file in the format: those of `nf4` with the halves of bytes exchanged are `nf4_low`.
fn of_file<B: Block>(x: &[u8]) -> Vec<u8> {
    let swap = |i: usize, x: u8| if B::NAME == "nf4_low" && i % 36 > 3 { x.rotate_left(4) } else { x };
    x.iter().enumerate().map(|(i, x)| swap(i, *x)).collect()
}

fn golden_numbers<B: Block>() {
    let Some((count, rest)) = golden(B::NAME.trim_end_matches("_low")) else {
        return assert!(B::NAME.starts_with("q8_") && B::NAME != "q8_0", "{} has no golden file", B::NAME);
    };
    let (x, want) = rest.split_at(count * size_of::<B>());
    let x = &of_file::<B>(x)[..];
    // At an odd address, too.
    let odd = [&[0][..], x].concat();
    let want = floats(want);
    for_each_lane!(|s| {
        let mut got = vec![7.0f32; want.len()];
        dequantize_on(s, blocks::<B>(&odd[1..]).unwrap(), &mut got).unwrap();
        same(&got, &want, B::NAME);
    });
}

#[test]
fn numbers_are_those_of_the_reference() {
    each_format!(golden_numbers());
}

/// The squared error of what `x` becomes.
fn error(x: &[f32], y: &[f32]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (f64::from(*x) - f64::from(*y)).powi(2)).sum()
}

fn golden_error<B: Block>() {
    let Some((rows, rest)) = golden(&format!("{}-encoded", B::NAME.trim_end_matches("_low"))) else {
        // `steps_are_chosen_well` has the other.
        let apart = ["iq4_nl", "q8_1", "q8_k", "q8_64"].contains(&B::NAME);
        return assert!(apart, "{} has no golden file", B::NAME);
    };
    let (x, theirs) = rest.split_at(rows * B::ELEMENTS * 4);
    let theirs = of_file::<B>(theirs);
    let (x, theirs) = (floats(x), blocks::<B>(&theirs).unwrap());
    let mut ours = zeros::<B>(rows);
    quantize(&x, None, &mut ours).unwrap();
    if ["q8_0", "nf4", "nf4_low"].contains(&B::NAME) {
        return assert_eq!(bytes_of(&ours), bytes_of(theirs));
    }
    for (row, x) in x.chunks(B::ELEMENTS).enumerate() {
        let [a, b] = [&ours, theirs].map(|y| error(x, &numbers(&y[row..=row])));
        println!("{} row {row}: {a:.4e}, the reference {b:.4e}", B::NAME);
        assert!(a <= b * 1.0001 + 1e-13, "{} row {row}: {a:e}, the reference has {b:e}", B::NAME);
    }
}

#[test]
fn errors_are_below_those_of_the_reference() {
    each_format!(golden_error());
}

/// The table of `iq4_nl`, each code tried for each element: our error against that of the scale that puts the largest
/// element at an end of the table, and against the reference's, which moves it by whole steps.
#[test]
fn steps_are_chosen_well() {
    const STEPS: [f64; 16] =
        [-127., -104., -83., -65., -49., -35., -22., -10., 1., 13., 25., 38., 53., 69., 89., 113.];
    let mut rng = Rng(23);
    for round in 0..40 {
        let x = rng.row(32, round % 2 == 0);
        let mut to = zeros::<IQ4_NL>(1);
        quantize(&x, None, &mut to).unwrap();
        let ours = error(&x, &numbers(&to));
        let top = x.iter().fold(0.0f64, |m, x| if f64::from(x.abs()) > m.abs() { f64::from(*x) } else { m });
        let at = |by: f64| -> (f64, f64) {
            let near =
                |x: f64| STEPS.into_iter().min_by(|a, b| (a - x * by).abs().total_cmp(&(b - x * by).abs()));
            let pairs: Vec<_> = x.iter().map(|x| (f64::from(*x), near((*x).into()).unwrap())).collect();
            let d =
                pairs.iter().map(|(x, v)| x * v).sum::<f64>() / pairs.iter().map(|(_, v)| v * v).sum::<f64>();
            (d, pairs.iter().map(|(x, v)| (x - d * v).powi(2)).sum())
        };
        // The codes are nearest under the scale that came before; a half rounds it by 2⁻¹¹.
        let theirs = (-7..=7).map(|i| at((f64::from(i) - 127.0) / top).1).fold(f64::INFINITY, f64::min);
        assert!(ours <= theirs * 1.005, "row {round}: {ours:e}, {theirs:e}");
    }
}

/// The powers of `mxfp4`: the elements are exact when they are multiples of one.
#[test]
fn powers_are_found() {
    for e in [-126, -100, -3, 0, 7, 100, 125] {
        let unit = 2f32.powi(e);
        let x: Vec<f32> = (0..32)
            .map(|i| {
                [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0][i % 8] * if i < 16 { unit } else { -unit } * 0.25
            })
            .collect();
        let mut to = zeros::<MXFP4>(1);
        quantize(&x, None, &mut to).unwrap();
        if e > -124 {
            same(&numbers(&to), &x.iter().map(|x| x + 0.0).collect::<Vec<_>>(), "mxfp4");
        }
    }
    // The largest that there are saturate.
    let mut to = zeros::<MXFP4>(1);
    quantize(&[f32::MAX; 32], None, &mut to).unwrap();
    assert_eq!(numbers(&to), [f32::from_bits(0x7f40_0000); 32]);
}

/// Data whose range or place is hard for the scales.
fn hard<B: Block>() {
    let n = B::ELEMENTS;
    let ramp: Vec<f32> = (0..n).map(|i| i as f32 / n as f32 - 0.5).collect();
    // `(scale, offset, least share of the largest magnitude)`: subnormal scales, all positive, all negative, the largest.
    for (scale, offset, allowed) in [
        (1.0f32, 0.0f32, 0.07),
        (1e-3, 0.0, 0.07),
        (1e-5, 0.0, 0.1),
        (1.0, 3.0, 0.07),
        (1.0, -3.0, 0.07),
        (1000.0, 0.0, 0.07),
        (0.0, 1.0, 0.07),
        (0.0, 0.0, 0.0),
    ] {
        let x: Vec<f32> = ramp.iter().map(|x| scale * x + offset).collect();
        let top = x.iter().fold(0.0f32, |a, x| a.max(x.abs()));
        let mut to = zeros::<B>(1);
        quantize(&x, None, &mut to).unwrap();
        for (x, y) in x.iter().zip(numbers(&to)) {
            // Bytes are those of the scale before it was rounded, as the reference has them.
            let allowed = match B::NAME {
                "q8_0" | "q8_1" | "q8_k" | "q8_64" if top < 1e-4 => 0.6,
                // Two and three bits, and floats of one bit of mantissa.
                "q2_k" | "mxfp4" if scale != 0.0 => 0.18,
                "q3_k" | "iq4_nl" if scale != 0.0 => 0.12,
                // Half of the widest step.
                "nf4" | "nf4_low" if scale != 0.0 => 0.152,
                _ => allowed,
            };
            assert!((x - y).abs() <= allowed * top, "{} {scale} {offset}: {x} is {y}", B::NAME);
        }
    }
    // The largest.
    if ["q8_k", "q8_64", "nf4", "nf4_low"].contains(&B::NAME) {
        let mut to = zeros::<B>(1);
        quantize(&vec![f32::MAX; n], None, &mut to).unwrap();
        assert!(numbers(&to).iter().all(|y| y.is_finite() && *y > 0.999 * f32::MAX), "{}", B::NAME);
    }
    // Numbers that vanish.
    let tiny: Vec<f32> = ramp.iter().map(|x| x * 1e-40).collect();
    let mut to = zeros::<B>(1);
    quantize(&tiny, None, &mut to).unwrap();
    assert!(numbers(&to).iter().all(|y| y.abs() < 1e-30), "{}", B::NAME);
}

#[test]
fn hard_ranges_are_kept() {
    each_format!(hard());
    // A min of the other sign keeps what lies far from zero.
    let x: Vec<f32> = (0..256).map(|i| 3.0 + i as f32 / 256.0).collect();
    for name in ["q4_k", "q5_k"] {
        let mut y = vec![0.0; 256];
        let (mut four, mut five) = (zeros::<Q4_K>(1), zeros::<Q5_K>(1));
        quantize(&x, None, &mut four).unwrap();
        quantize(&x, None, &mut five).unwrap();
        if name == "q4_k" {
            dequantize(&four, &mut y).unwrap()
        } else {
            dequantize(&five, &mut y).unwrap()
        }
        let worst = x.iter().zip(&y).map(|(x, y)| (x - y).abs()).fold(0.0, f32::max);
        assert!(worst < 0.04, "{name}: {worst}");
    }
}

fn weighted<B: Block>() {
    if B::NAME.starts_with("q8") {
        return;
    }
    let mut rng = Rng(5);
    let x = rng.row(2 * B::ELEMENTS, true);
    let w: Vec<f32> = (0..B::ELEMENTS).map(|i| if i % 7 == 0 { 50.0 } else { 0.1 }).collect();
    let (mut plain, mut to) = (zeros::<B>(2), zeros::<B>(2));
    quantize(&x, None, &mut plain).unwrap();
    quantize(&x, Some(&w), &mut to).unwrap();
    let cost = |y: &[f32]| -> f64 {
        let each = x.iter().zip(y).zip(w.iter().cycle());
        each.map(|((x, y), w)| f64::from(*w) * f64::from(x - y).powi(2)).sum()
    };
    let [a, b] = [&to, &plain].map(|y| cost(&numbers(y)));
    assert!(a < b, "{}: {a:e} with weights, {b:e} without", B::NAME);
}

#[test]
fn important_errors_are_smaller() {
    each_format!(weighted());
}

/// Blocks and their partners: products of some, rows, and rows so long that what each has next is asked for. What encodes them
/// knows no lane, and takes the longest.
struct Factors<B: Block> {
    short: [(Vec<B>, Vec<B::Partner>); 5],
    rows: (Vec<B>, Vec<B::Partner>),
    long: (Vec<B>, Vec<B::Partner>),
}

/// Rows past two registers, and vectors past one tile.
const ROWS: usize = 35;
const VECTORS: usize = 9;

fn products<B: Block>() {
    let mut rng = Rng(9);
    let mut pair = |of: usize, by: usize| {
        (random::<B>(&mut rng, of), random::<B::Partner>(&mut rng, by * B::ELEMENTS / B::Partner::ELEMENTS))
    };
    let (cols, long) = (256 / B::ELEMENTS + 1, (8 << 10) / size_of::<B>() + 1);
    let short = [0, 1, 2, 3, 5].map(|n| pair(n, n));
    let factors = Factors { short, rows: pair(ROWS * cols, VECTORS * cols), long: pair(5 * long, long) };
    for_each_lane!(|s| products_on(s, &factors));
}

fn products_on<S: Simd, B: Block>(s: S, factors: &Factors<B>) {
    let step = B::ELEMENTS / B::Partner::ELEMENTS;
    for (a, b) in &factors.short {
        let n = a.len();
        let got = quant_dot_on(s, a, b).unwrap();
        let (x, y) = (numbers(a), numbers(b));
        let terms = || x.iter().zip(&y).map(|(x, y)| f64::from(*x) * f64::from(*y));
        let (want, mass) = (terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
        // Levels of 16 bits are off by half of one, and a level can be as small as 0.08.
        let most = match (B::NAME, B::Partner::NAME) {
            ("nf4" | "nf4_low", _) => 0.5 / 32639.0 / 0.0795 + 3e-6,
            // Three roundings a block: sums of codes are exact.
            _ => 3e-6,
        };
        assert!((f64::from(got) - want).abs() <= most * mass, "{} {} {n}: {got} {want}", S::NAME, B::NAME);
        let one = quant_dot_on(Portable::<1>::new(), a, b).unwrap();
        assert_eq!(got.to_bits(), one.to_bits(), "{} {}", S::NAME, B::NAME);
    }
    // A second step, some short: the bits of single products.
    let (w, x) = &factors.rows;
    let cols = w.len() / ROWS;
    let mut out = vec![7.0; ROWS * VECTORS];
    quant_gemm_on(s, w, x, cols * B::ELEMENTS, &mut out).unwrap();
    for (x, out) in x.chunks(cols * step).zip(out.chunks(ROWS)) {
        let mut line = vec![7.0; ROWS];
        quant_gemv_on(s, w, x, &mut line).unwrap();
        same(out, &line, B::NAME);
        for (w, y) in w.chunks(cols).zip(&line) {
            same(&[*y], &[quant_dot_on(s, w, x).unwrap()], B::NAME);
        }
    }
    let (whole, one) = &factors.long;
    let mut line = vec![7.0; 5];
    quant_gemv_on(s, whole, one, &mut line).unwrap();
    for (w, y) in whole.chunks(whole.len() / 5).zip(&line) {
        same(&[*y], &[quant_dot_on(s, w, one).unwrap()], B::NAME);
    }
    let mut row = vec![7.0; 3 * cols * B::ELEMENTS];
    quant_rows_on(s, w, cols * B::ELEMENTS, &[4, 0, 4], &mut row).unwrap();
    let all = numbers(w);
    let want: Vec<f32> = [4, 0, 4]
        .iter()
        .flat_map(|r| &all[r * cols * B::ELEMENTS..][..cols * B::ELEMENTS])
        .copied()
        .collect();
    same(&row, &want, B::NAME);
}

#[test]
fn products_on_every_lane() {
    each_format!(products());
}

/// Products of `nf4` take the levels in 16 bits: with one element that is 1 they are those levels, of either order.
#[test]
fn levels_are_of_sixteen_bits() {
    let Some((count, rest)) = golden("nf4") else { panic!("nf4 has no golden file") };
    let (x, values) = rest.split_at(count * 36);
    let values = floats(values);
    for_each_lane!(|s| {
        for (at, value) in values.iter().enumerate().take(64) {
            let y = [
                &(1f32 / 127.0).to_le_bytes()[..],
                &std::array::from_fn::<u8, 64, _>(|i| if i == at { 127 } else { 0 }),
            ];
            let y = y.concat();
            let y = blocks::<Q8_64>(&y).unwrap();
            let absmax = floats(&x[..4])[0];
            let want = (f64::from(value / absmax) * 32639.0).round() / 32639.0 * f64::from(absmax);
            let got = [
                quant_dot_on(s, blocks::<NF4>(&x[..36]).unwrap(), y).unwrap(),
                quant_dot_on(s, blocks::<NF4_LOW>(&of_file::<NF4_LOW>(&x[..36])).unwrap(), y).unwrap(),
            ];
            for got in got {
                assert!((f64::from(got) - want).abs() <= 3e-7 * want.abs(), "{at}: {got} {want}");
            }
        }
    });
}

/// The integers, at their ends: every code of a format against the extreme bytes.
#[test]
fn sums_of_products_are_exact() {
    for_each_lane!(|s| {
        let mut rng = Rng(11);
        for _ in 0..200 {
            let pick = |rng: &mut Rng| [-128i8, 127, -127, 1, 0, -1, 100, -77][rng.next() as usize % 8];
            let (a, b): ([i8; 32], [i8; 32]) =
                (core::array::from_fn(|_| pick(&mut rng)), core::array::from_fn(|_| pick(&mut rng)));
            let of = |x: &[i8; 32]| [&[0, 0x3c][..], &x.map(|x| x as u8)].concat();
            let (x, y) = (of(&a), of(&b));
            let got = quant_dot_on(s, blocks::<Q8_0>(&x).unwrap(), blocks::<Q8_0>(&y).unwrap()).unwrap();
            let want: i32 = a.iter().zip(&b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
            assert_eq!(got, want as f32);
            let four = [&[0, 0x3c][..], &a.map(|x| x as u8)[..16]].concat();
            let got = quant_dot_on(s, blocks::<Q4_0>(&four).unwrap(), blocks::<Q8_0>(&y).unwrap()).unwrap();
            let code = |i: usize| i32::from(a[i % 16] as u8 >> (4 * (i / 16)) & 15) - 8;
            let want: i32 = b.iter().enumerate().map(|(i, b)| code(i) * i32::from(*b)).sum();
            assert_eq!(got, want as f32);
        }
        // Six bits at both ends, and the largest scales and bytes.
        let y = [-128i8 as u8; 256];
        let eight = [&1f32.to_le_bytes()[..], &y, &(-2048i16).to_le_bytes().repeat(16)].concat();
        for (codes, value) in [(0u8, -32.0), (0xff, 31.0)] {
            let six = [&[codes; 192][..], &[0x80; 16], &[0, 0x3c]].concat();
            let got =
                quant_dot_on(s, blocks::<Q6_K>(&six).unwrap(), blocks::<Q8_K>(&eight).unwrap()).unwrap();
            assert_eq!(got, 256.0 * value * -128.0 * -128.0);
        }
    });
}

fn refusals<B: Block>() {
    let n = B::ELEMENTS;
    let (x, w) = (vec![1.0f32; 2 * n], vec![1.0f32; n]);
    let before = random::<B>(&mut Rng(1), 2);
    let mut to = before.clone();
    let step = n / B::Partner::ELEMENTS;
    let other = zeros::<B::Partner>(2 * step);
    let mut out = vec![7.0f32; 2 * n];
    assert_eq!(quantize(&x[1..], None, &mut to), Err(Error::len("x", 2 * n, 2 * n - 1)));
    assert_eq!(quantize(&x, Some(&w[1..]), &mut to), Err(Error::rows("importance", n, n - 1)));
    assert_eq!(quantize(&x, Some(&[]), &mut to), Err(Error::rows("importance", n, 0)));
    let three = vec![1.0; 3 * n];
    assert_eq!(quantize(&x, Some(&three), &mut to), Err(Error::rows("x", 3 * n, 2 * n)));
    for bad in [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        if matches!(B::NAME, "q8_k" | "mxfp4" | "nf4" | "nf4_low" | "q8_64") { f32::NAN } else { 65505.0 },
    ] {
        let mut x = x.clone();
        x[2 * n - 1] = bad;
        assert_eq!(quantize(&x, None, &mut to), Err(Error::domain("x")), "{} {bad}", B::NAME);
    }
    for bad in [f32::NAN, f32::INFINITY, -1.0] {
        let mut w = w.clone();
        w[n - 1] = bad;
        assert_eq!(quantize(&x, Some(&w), &mut to), Err(Error::domain("importance")));
    }
    assert_eq!(bytes_of(&to), bytes_of(&before));
    let len = |arg, expected, got| Err(Error::len(arg, expected, got));
    assert_eq!(dequantize(&before, &mut out[1..]), len("out", 2 * n, 2 * n - 1));
    assert_eq!(quant_dot(&before, &other[1..]).map(|_| ()), len("b", 2 * step, 2 * step - 1));
    assert_eq!(quant_gemv(&before, &other, &mut out[..2]), len("weights", 4, 2));
    if step > 1 {
        assert!(matches!(quant_gemv(&before, &other[1..], &mut out[..1]), Err(Error::Rows { arg: "x", .. })));
    }
    assert_eq!(quant_gemm(&before, &other, n, &mut out[..3]), len("out", 4, 3));
    assert_eq!(quant_gemm(&before, &other, 0, &mut out[..4]), Err(Error::empty("cols")));
    assert_eq!(quant_gemm(&before, &other, n + 1, &mut out[..4]), Err(Error::rows("cols", n, n + 1)));
    assert_eq!(quant_gemm(&before[1..], &other, 2 * n, &mut out[..4]), Err(Error::rows("weights", 2, 1)));
    assert_eq!(
        quant_gemm(&before, &other[..step], 2 * n, &mut out[..4]),
        Err(Error::rows("x", 2 * step, step))
    );
    assert_eq!(quant_rows(&before, n, &[2], &mut out[..n]), Err(Error::index("ids", 2, 2)));
    assert_eq!(quant_rows(&before, n, &[1, 0], &mut out[..n]), len("out", 2 * n, n));
    assert_eq!(quant_rows(&before, n - 1, &[1], &mut out[..n]), Err(Error::rows("cols", n, n - 1)));
    assert_eq!(quant_rows(&before[1..], 2 * n, &[0], &mut out), Err(Error::rows("table", 2, 1)));
    assert_eq!(quant_rows(&before, 0, &[1], &mut out[..n]), Err(Error::empty("cols")));
    assert!(out.iter().all(|y| *y == 7.0), "{}", B::NAME);
    let each = size_of::<B>();
    assert_eq!(blocks::<B>(&vec![0; each + 1]).map(|_| ()), Err(Error::rows("bytes", each, each + 1)));
    // Nothing is nothing.
    assert_eq!(quant_dot::<B>(&[], &[]), Ok(0.0));
    assert_eq!(quant_gemv::<B>(&[], &[], &mut out[..2]), Ok(()));
    assert_eq!(out[..3], [0.0, 0.0, 7.0]);
    assert_eq!(quant_gemm::<B>(&[], &other, n, &mut []), Ok(()));
    assert_eq!(quant_rows::<B>(&[], n, &[], &mut []), Ok(()));
    assert_eq!(quantize::<B>(&[], None, &mut []), Ok(()));
    assert_eq!(dequantize::<B>(&[], &mut []), Ok(()));
}

#[test]
fn refusals_name_the_argument_and_write_nothing() {
    each_format!(refusals());
}

#[cfg(feature = "parallel")]
fn threads<B: Block>() {
    let (rows, cols, m) = (70, 6, 5);
    let mut rng = Rng(21);
    let step = B::ELEMENTS / B::Partner::ELEMENTS;
    let (w, x) = (random::<B>(&mut rng, rows * cols), random::<B::Partner>(&mut rng, m * cols * step));
    let (mut a, mut b) = (vec![7.0; rows * m], vec![8.0; rows * m]);
    quant_gemm(&w, &x, cols * B::ELEMENTS, &mut a).unwrap();
    parallel::quant_gemm(&w, &x, cols * B::ELEMENTS, &mut b).unwrap();
    same(&b, &a, B::NAME);
    b.fill(8.0);
    parallel::quant_gemv(&w, &x[..cols * step], &mut b[..rows]).unwrap();
    same(&b[..rows], &a[..rows], B::NAME);
    let (mut a, mut b) = (numbers(&w), vec![8.0; rows * cols * B::ELEMENTS]);
    parallel::dequantize(&w, &mut b).unwrap();
    same(&b, &a, B::NAME);
    let ids: Vec<u32> = (0..rows as u32).rev().collect();
    quant_rows(&w, cols * B::ELEMENTS, &ids, &mut a).unwrap();
    parallel::quant_rows(&w, cols * B::ELEMENTS, &ids, &mut b).unwrap();
    same(&b, &a, B::NAME);
    assert_eq!(parallel::quant_dot(&w[..cols], &x[..cols * step]), quant_dot(&w[..cols], &x[..cols * step]));
    let (x, weights) = (&a[..6 * B::ELEMENTS * 10], vec![1.0; cols * B::ELEMENTS]);
    let (mut p, mut q) = (zeros::<B>(60), zeros::<B>(60));
    let x: Vec<f32> = x.iter().map(|x| x.clamp(-900.0, 900.0)).collect();
    quantize(&x, Some(&weights), &mut p).unwrap();
    parallel::quantize(&x, Some(&weights), &mut q).unwrap();
    assert_eq!(bytes_of(&p), bytes_of(&q));
}

#[cfg(feature = "parallel")]
#[test]
fn threads_give_the_same_bits() {
    each_format!(threads());
}

#[test]
fn a_backend_has_them() {
    use fulmen::backend::{Cpu, HostBackend, Quantised};
    fn run<B: HostBackend<f32>>(b: &B, x: B::Ref<'_, f32>, to: B::Mut<'_, Q8_0>) -> Result<(), B::Error> {
        b.quantize(x, None, to)
    }
    let mut to = zeros::<Q8_0>(1);
    run(&Cpu::native(), &[1.0; 32], &mut to).unwrap();
    let mut out = [0.0];
    Cpu::native().quant_dot(&to, &to, &mut out).unwrap();
    assert_eq!(Ok(out[0]), quant_dot(&to, &to));
}
