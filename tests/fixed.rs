//! Fixed point: against formulas in 128-bit integers and in f64, on every lane.

use common::lanes::*;
use common::yaml::{contract, schema::EdgeCase};
use fulmen::fixed::Fixed;
use fulmen::*;

/// Words of a seed.
fn words(n: usize, seed: u64) -> impl Iterator<Item = u64> {
    let mut s = seed;
    (0..n).map(move |_| {
        s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        s >> 33
    })
}

/// Numbers of `bits` bits, some at the ends.
fn numbers(n: usize, bits: u32, seed: u64) -> Vec<i64> {
    let least = -1i64 << (bits - 1);
    let one = |w: u64| match w % 5 {
        0 => least,
        1 => -least - 1,
        _ => (w as i64 >> 3) % (1 << bits) + least,
    };
    words(n, seed).map(one).collect()
}

/// One of both types.
trait Number: Fixed<Sum: Into<i64>> {
    const BITS: u32;
    fn of(x: i64) -> Self;
    fn get(self) -> i64;
    fn all(x: &[i64]) -> Vec<Self> {
        x.iter().map(|x| Self::of(*x)).collect()
    }
}
impl Number for i8 {
    const BITS: u32 = 8;
    fn of(x: i64) -> i8 {
        x.try_into().unwrap()
    }
    fn get(self) -> i64 {
        self.into()
    }
}
impl Number for i16 {
    const BITS: u32 = 16;
    fn of(x: i64) -> i16 {
        x.try_into().unwrap()
    }
    fn get(self) -> i64 {
        self.into()
    }
}

fn saturated(x: i128, bits: u32) -> i64 {
    x.clamp(-1 << (bits - 1), (1 << (bits - 1)) - 1) as i64
}

fn sums<T: Number>() {
    for n in [0, 1, 31, 32, 33, 64, 95, 1000] {
        let (a, b) = (numbers(n, T::BITS, 3), numbers(n, T::BITS, 5));
        let want: i128 = a.iter().zip(&b).map(|(a, b)| i128::from(*a) * i128::from(*b)).sum();
        let (a, b) = (T::all(&a), T::all(&b));
        for_each_lane!(|s| assert_eq!(i128::from(fixed_dot_on(s, &a, &b).unwrap().into()), want, "{n}"));
    }
}

#[test]
fn products_are_exact() {
    sums::<i8>();
    sums::<i16>();
    // Past a run of what 32 bits hold, and past 32 bits.
    let run = fulmen::thresholds::ALL.iter().find(|t| t.name == "fixed::RUN").unwrap().value;
    for n in [run - 1, run, run + 1, 2 * run - 1] {
        let x = vec![-128i8; n];
        for_each_lane!(|s| assert_eq!(fixed_dot_on(s, &x, &x), Ok(n as i32 * 16384)));
    }
    let (least, most) = (vec![-128i8; 2 * run + 1], vec![127i8; 3 * run]);
    let more = vec![-128i8; 3 * run];
    assert_eq!(fixed_dot(&least, &least), Ok(i32::MAX));
    assert_eq!(fixed_dot(&more, &most), Ok(i32::MIN));
    let x = vec![-32768i16; 3000];
    for_each_lane!(|s| assert_eq!(fixed_dot_on(s, &x, &x), Ok(3000 << 30)));
}

fn layers<T: Number>() {
    for (cols, rows) in [(1, 1), (33, 3), (70, 5), (512, 2)] {
        let (w, x, b) =
            (numbers(cols * rows, T::BITS, 7), numbers(cols, T::BITS, 9), numbers(rows, T::BITS, 2));
        let (tw, tx, tb) = (T::all(&w), T::all(&x), T::all(&b));
        for (bias_shift, out_shift) in [(0, 0), (7, 7), (3, 1), (31, 31), (0, 20), (15, 15)] {
            for bias in [None, Some(&tb[..])] {
                let want: Vec<i64> = (0..rows)
                    .map(|r| {
                        let row = w[r * cols..][..cols].iter().zip(&x);
                        let sum: i128 = row.map(|(a, b)| i128::from(*a) * i128::from(*b)).sum();
                        let sum = sum + if bias.is_some() { i128::from(b[r]) << bias_shift } else { 0 };
                        // ⌊y + 1/2⌋ of twice as much.
                        saturated((2 * sum + (1 << out_shift)).div_euclid(2 << out_shift), T::BITS)
                    })
                    .collect();
                for_each_lane!(|s| {
                    let mut out = vec![T::of(7); rows];
                    fixed_gemv_on(s, &tw, &tx, bias, bias_shift, out_shift, &mut out).unwrap();
                    let got: Vec<i64> = out.iter().map(|x| x.get()).collect();
                    assert_eq!(got, want, "{cols} {rows} {bias_shift} {out_shift}");
                });
            }
        }
    }
}

#[test]
fn layers_are_exact() {
    layers::<i8>();
    layers::<i16>();
}

/// The formula, with quotients of whole numbers.
fn softmax(x: &[i64], q15: bool) -> Vec<i64> {
    let depth = if q15 { 16 } else { 8 };
    let top = *x.iter().max().unwrap();
    let d = |x: &i64| x - top + depth;
    let power = |k: i64| 2i128.pow(k as u32);
    if q15 {
        let sum: i128 = x.iter().map(d).filter(|d| *d > 0).map(power).sum();
        let of = |d: i64| if d > 0 { saturated((1 << 32) / sum / power(17 - d), 16) } else { 0 };
        return x.iter().map(|x| of(d(x))).collect();
    }
    let sum: i128 = x.iter().map(|x| power(d(x).clamp(0, 7))).sum();
    x.iter().map(|x| saturated((1 << 20) / sum / power((13 - d(x)).min(31)), 8)).collect()
}

fn rows<T: Number>() {
    for cols in [1, 2, 7, 33, 100] {
        for spread in [1, 6, 20, 1 << (T::BITS - 1)] {
            let x: Vec<i64> = numbers(3 * cols, T::BITS, cols as u64).iter().map(|x| x % spread).collect();
            let want: Vec<i64> = x.chunks(cols).flat_map(|x| softmax(x, T::BITS == 16)).collect();
            for_each_lane!(|s| {
                let mut out = vec![T::of(7); 3 * cols];
                fixed_softmax_on(s, &T::all(&x), cols, &mut out).unwrap();
                assert_eq!(out.iter().map(|x| x.get()).collect::<Vec<_>>(), want);
            });
        }
    }
}

#[test]
fn softmax_is_the_formula() {
    rows::<i8>();
    rows::<i16>();
    // A long row: what a sum of 32 bits holds no more.
    let x = vec![-32768i16; 70_000];
    let mut out = vec![7; x.len()];
    fixed_softmax(&x, x.len(), &mut out).unwrap();
    assert_eq!(out, vec![0; x.len()]);
}

/// The entry `k` of a table.
fn entry(f: fn(f64) -> f64, k: i64, bits: u32) -> i64 {
    saturated((f(k as f64 / 16.0) * 2f64.powi(bits as i32 - 1)).round() as i128, bits)
}

fn tables<T: Number>() {
    let (least, most) = (-1i64 << (T::BITS - 1), (1i64 << (T::BITS - 1)) - 1);
    let x: Vec<i64> = (least..=most).collect();
    let tx = T::all(&x);
    type Op<T> = (fn(f64) -> f64, fn(&[T], u32, &mut [T]) -> Result<(), Error>);
    let ops: [Op<T>; 2] = [(|x| 1.0 / (1.0 + (-x).exp()), fixed_sigmoid), (f64::tanh, fixed_tanh)];
    for int_bits in 0..=3 {
        for (f, op) in ops {
            let all: Vec<i64> = (-128..128).map(|k| entry(f, k, T::BITS)).collect();
            let at = |k: i64| all[(k + 128) as usize];
            let mut out = vec![T::of(7); x.len()];
            op(&tx, int_bits, &mut out).unwrap();
            for (x, got) in x.iter().zip(&out) {
                let unit = 1i64 << (T::BITS - 5 - int_bits);
                let (k, part) = (x.div_euclid(unit), x.rem_euclid(unit));
                let want = match (T::BITS, k) {
                    (8, _) | (_, 127) => at(k),
                    _ => ((unit - part) * at(k) + part * at(k + 1)).div_euclid(unit),
                };
                assert_eq!(got.get(), want, "{x} {int_bits}");
            }
        }
    }
    for_each_lane!(|s| {
        let [mut a, mut b] = [vec![T::of(7); x.len()], vec![T::of(7); x.len()]];
        fixed_relu_on(s, &tx, &mut a).unwrap();
        assert!(a.iter().zip(&x).all(|(a, x)| a.get() == *x.max(&0)));
        for int_bits in [0, 3] {
            fixed_sigmoid_on(s, &tx, int_bits, &mut a).unwrap();
            fixed_sigmoid(&tx, int_bits, &mut b).unwrap();
            assert_eq!(a, b);
            fixed_tanh_on(s, &tx, int_bits, &mut a).unwrap();
            fixed_tanh(&tx, int_bits, &mut b).unwrap();
            assert_eq!(a, b);
        }
    });
}

#[test]
fn activations_are_the_tables() {
    tables::<i8>();
    tables::<i16>();
}

/// The definition, in whole numbers of 128 bits.
fn filtered(taps: &[i64], decimation: usize, state: &[i64], x: &[i64], bits: u32) -> Vec<i64> {
    let all: Vec<i64> = state.iter().chain(x).copied().collect();
    let at = |l: usize| {
        let newest = state.len() + l * decimation;
        let sum: i128 =
            taps.iter().enumerate().map(|(k, h)| i128::from(*h) * i128::from(all[newest - k])).sum();
        saturated(sum.div_euclid(1 << (bits - 1)), bits)
    };
    (0..x.len() / decimation).map(at).collect()
}

fn firs<T: Number>() {
    let [group, near] = ["GROUP", "NEAR"].map(|name| {
        let name = format!("fixed::filter::{name}");
        fulmen::thresholds::ALL.iter().find(|t| t.name == name).unwrap().value
    });
    // Gains within 32 bits, and numbers at the ends, whose groups are short.
    for gain in [8, 1] {
        for taps in [1, 2, 7, group - 1, group, group + 1, 3 * group + 5] {
            for decimation in [1, 2, 3, near - 1, near, near + 1, 70] {
                for n in [1, 5, 131, 300] {
                    let n = if decimation > 3 { n / 3 + 1 } else { n };
                    let of = |n: usize, seed| numbers(n, T::BITS, seed);
                    let h: Vec<i64> = of(taps, 3 + n as u64).iter().map(|h| h / gain).collect();
                    let (state, x) = (of(taps - 1, 11), of(n * decimation, 17 + taps as u64));
                    let want = filtered(&h, decimation, &state, &x, T::BITS);
                    let both: Vec<i64> = state.iter().chain(&x).copied().collect();
                    let (th, tx) = (T::all(&h), T::all(&x));
                    for_each_lane!(|s| {
                        let (mut st, mut out) = (T::all(&state), vec![T::of(7); n]);
                        fixed_fir_on(s, &th, decimation, &mut st, &tx, &mut out).unwrap();
                        let got: Vec<i64> = out.iter().map(|x| x.get()).collect();
                        assert_eq!(got, want, "{taps} {decimation} {n} on {s:?}");
                        assert_eq!(st, T::all(&both[both.len() - state.len()..]), "{taps} {decimation} {n}");
                    });
                }
            }
        }
    }
}

#[test]
fn filters_are_exact() {
    firs::<i8>();
    firs::<i16>();
}

fn cascades<T: Number>() {
    for count in [0, 1, 3, 4, 5, 9] {
        for shift in [0, 1, T::BITS - 1] {
            let n = 40;
            let (c, mut state, x) =
                (numbers(5 * count, T::BITS, 5), numbers(4 * count, T::BITS, 7), numbers(n, T::BITS, 9));
            let (mut want, before) = (x.clone(), state.clone());
            for (c, kept) in c.chunks(5).zip(state.chunks_mut(4)) {
                for y in &mut want {
                    let six = [*y, kept[0], kept[1], -kept[2], -kept[3]];
                    let sum: i128 = c.iter().zip(six).map(|(c, x)| i128::from(*c) * i128::from(x)).sum();
                    kept.copy_within(..3, 1);
                    kept[0] = *y;
                    *y = saturated(sum.div_euclid(1 << (T::BITS - 1 - shift)), T::BITS);
                    kept[2] = *y;
                }
            }
            let section = |c: &[i64]| Biquad { b: [c[0], c[1], c[2]].map(T::of), a: [c[3], c[4]].map(T::of) };
            let sections: Vec<_> = c.chunks(5).map(section).collect();
            for_each_lane!(|s| {
                let (mut st, mut out) = (T::all(&before), vec![T::of(7); n]);
                fixed_biquad_on(s, &sections, shift, &mut st, &T::all(&x), &mut out).unwrap();
                assert_eq!((out, st), (T::all(&want), T::all(&state)), "{count} {shift}");
            });
        }
    }
}

#[test]
fn recursive_filters_are_exact() {
    cascades::<i8>();
    cascades::<i16>();
}

#[test]
fn filters_in_blocks() {
    let all = i16::all(&numbers(900, 16, 21));
    let (taps, x) = all.split_at(300);
    for decimation in [1, 3, 10] {
        let mut whole = vec![0; 600 / decimation];
        fixed_fir(taps, decimation, &mut [0; 299], x, &mut whole).unwrap();
        for block in [1, 2, 9, 200 / decimation] {
            let (mut state, mut out) = ([0; 299], vec![7; 600 / decimation]);
            for (x, y) in x.chunks(block * decimation).zip(out.chunks_mut(block)) {
                fixed_fir(taps, decimation, &mut state, x, y).unwrap();
            }
            assert_eq!(out, whole, "{decimation} {block}");
        }
    }
    let sections: Vec<_> =
        taps.chunks(5).take(6).map(|c| Biquad { b: [c[0], c[1], c[2]], a: [c[3], c[4]] }).collect();
    let mut whole = vec![0; 600];
    fixed_biquad(&sections, 1, &mut [0; 24], x, &mut whole).unwrap();
    for block in [1, 7, 599] {
        let (mut state, mut out) = ([0; 24], vec![7; 600]);
        for (x, y) in x.chunks(block).zip(out.chunks_mut(block)) {
            fixed_biquad(&sections, 1, &mut state, x, y).unwrap();
        }
        assert_eq!(out, whole, "{block}");
    }
}

fn option(e: &EdgeCase, name: &str) -> usize {
    let all = e.options.iter().filter_map(|o| o.split_once('='));
    all.filter(|(k, _)| *k == name).map(|(_, v)| v.parse().unwrap()).next().unwrap()
}

fn run<T: Number, S: fulmen::lanes::Simd>(s: S, op: &str, e: &EdgeCase) -> Result<Vec<i64>, Error> {
    let of = |i: usize| T::all(&e.inputs[i].iter().map(|x| x.value("f64") as i64).collect::<Vec<_>>());
    let x = of(0);
    let mut out = vec![T::of(7); x.len()];
    match op {
        "fixed_dot" => return fixed_dot_on(s, &x, &of(1)).map(|y| vec![y.into()]),
        "fixed_gemv" => {
            let bias = of(2);
            out.truncate(0);
            out.resize(bias.len(), T::of(7));
            let shift = |name| option(e, name) as u32;
            fixed_gemv_on(s, &x, &of(1), Some(&bias), shift("bias_shift"), shift("out_shift"), &mut out)
        }
        "fixed_softmax" => fixed_softmax_on(s, &x, option(e, "cols"), &mut out),
        "fixed_relu" => fixed_relu_on(s, &x, &mut out),
        "fixed_fir" | "fixed_biquad" => {
            let (mut state, of) = (of(1), of(2));
            let option = |name| option(e, name);
            out.resize(
                if op == "fixed_fir" { of.len() / option("decimation").max(1) } else { of.len() },
                T::of(7),
            );
            if op == "fixed_fir" {
                fixed_fir_on(s, &x, option("decimation"), &mut state, &of, &mut out)
            } else {
                let section = |c: &[T]| Biquad { b: [c[0], c[1], c[2]], a: [c[3], c[4]] };
                let sections: Vec<_> = x.chunks(5).map(section).collect();
                fixed_biquad_on(s, &sections, option("shift") as u32, &mut state, &of, &mut out)
            }
        }
        "fixed_sigmoid" => fixed_sigmoid_on(s, &x, option(e, "int_bits") as u32, &mut out),
        _ => fixed_tanh_on(s, &x, option(e, "int_bits") as u32, &mut out),
    }?;
    Ok(out.iter().map(|x| x.get()).collect())
}

#[test]
fn edge_cases() {
    for op in [
        "fixed_dot",
        "fixed_gemv",
        "fixed_softmax",
        "fixed_relu",
        "fixed_sigmoid",
        "fixed_tanh",
        "fixed_fir",
        "fixed_biquad",
    ] {
        let c = contract(op);
        assert!(c.edge_cases.len() >= 3, "{op}");
        for e in &c.edge_cases {
            for_each_lane!(|s| {
                for ty in ["i8", "i16"] {
                    if e.types.as_ref().is_some_and(|all| !all.iter().any(|t| t == ty)) {
                        continue;
                    }
                    let got = if ty == "i8" { run::<i8, _>(s, op, e) } else { run::<i16, _>(s, op, e) };
                    match &e.error {
                        Some(error) => assert!(format!("{:?}", got.unwrap_err()).starts_with(error.as_str())),
                        None => {
                            let want = e.out.as_ref().unwrap().iter().map(|x| x.value("f64") as i64);
                            assert_eq!(got.unwrap(), want.collect::<Vec<_>>(), "{op} {} {ty}", e.name);
                        }
                    }
                }
            });
        }
    }
}

#[test]
fn refusals() {
    let (x, mut out) = ([1i8, 2, 3], [7i8; 3]);
    let len = |arg, expected, got| Err(Error::len(arg, expected, got));
    assert_eq!(fixed_dot(&x, &x[1..]).map(|_| ()), len("b", 3, 2));
    assert_eq!(fixed_gemv(&x, &x[..2], None, 0, 0, &mut out), len("weights", 6, 3));
    assert_eq!(fixed_gemv(&x, &x[..1], Some(&x[..2]), 0, 0, &mut out), len("bias", 3, 2));
    assert_eq!(fixed_gemv(&x, &x[..1], None, 32, 0, &mut out), Err(Error::domain("bias_shift")));
    assert_eq!(fixed_gemv(&x, &x[..1], None, 0, 32, &mut out), Err(Error::domain("out_shift")));
    assert_eq!(fixed_softmax(&x, 0, &mut out), Err(Error::empty("cols")));
    assert_eq!(fixed_softmax(&x, 2, &mut out), Err(Error::rows("x", 2, 3)));
    assert_eq!(fixed_softmax(&x, 3, &mut out[1..]), len("out", 3, 2));
    assert_eq!(fixed_relu(&x, &mut out[1..]), len("out", 3, 2));
    for op in [fixed_sigmoid::<i8>, fixed_tanh::<i8>] {
        assert_eq!(op(&x, 4, &mut out), Err(Error::domain("int_bits")));
        assert_eq!(op(&x, 3, &mut out[1..]), len("out", 3, 2));
    }
    let mut state = [5; 4];
    let domain = |arg| Err(Error::domain(arg));
    assert_eq!(fixed_fir(&[], 1, &mut state, &x, &mut out), Err(Error::empty("taps")));
    assert_eq!(fixed_fir(&x, 0, &mut state[2..], &x, &mut out), domain("decimation"));
    assert_eq!(fixed_fir(&x, 1, &mut state, &x, &mut out), len("state", 2, 4));
    let rows = Err(Error::rows("x", 2, 3));
    assert_eq!(fixed_fir(&x, 2, &mut state[2..], &x, &mut out), rows);
    assert_eq!(fixed_fir(&x, 1, &mut state[2..], &x, &mut out[1..]), len("out", 3, 2));
    let one = [Biquad { b: [1, 2, 3], a: [4, 5] }];
    assert_eq!(fixed_biquad(&one, 8, &mut state, &x, &mut out), domain("shift"));
    assert_eq!(fixed_biquad(&one, 7, &mut state[1..], &x, &mut out), len("state", 4, 3));
    assert_eq!(fixed_biquad(&one, 7, &mut state, &x, &mut out[1..]), len("out", 3, 2));
    assert_eq!((out, state), ([7; 3], [5; 4]));
}
