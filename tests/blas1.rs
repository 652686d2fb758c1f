//! Level 1 on vectors with strides: the definition, element by element, on every lane.

use common::lanes::*;
use common::reference::dd::Dd;
use common::reference::reduce;
use fulmen::contract::spec;
use fulmen::lanes::Simd;
use fulmen::*;

/// What surrounds a vector.
const GUARD: usize = 4;

/// A vector that is spread over a slice whose other elements are NaN.
#[derive(Clone)]
struct Spread<T> {
    data: Vec<T>,
    first: usize,
    len: usize,
    stride: isize,
}

impl<T: Element> Spread<T> {
    fn new(len: usize, stride: isize, seed: usize) -> Self {
        let room = len.saturating_sub(1) * stride.unsigned_abs();
        let first = GUARD + if stride < 0 { room } else { 0 };
        let mut s = Self { data: vec![T::NAN; room + 1 + 2 * GUARD], first, len, stride };
        let mut state = (seed as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        for i in 0..len {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let at = s.at(i);
            s.data[at] = T::from_f64((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0);
        }
        s
    }
    fn at(&self, i: usize) -> usize {
        (self.first as isize + i as isize * self.stride) as usize
    }
    fn read(&self) -> VecRef<'_, T> {
        VecRef::strided(&self.data, self.first, self.len, self.stride).unwrap()
    }
    fn write(&mut self) -> VecMut<'_, T> {
        VecMut::strided(&mut self.data, self.first, self.len, self.stride).unwrap()
    }
    fn values(&self) -> Vec<T> {
        (0..self.len).map(|i| self.data[self.at(i)]).collect()
    }
    /// Nothing beside the vector was written.
    fn clean(&self) -> bool {
        let inside: Vec<usize> = (0..self.len).map(|i| self.at(i)).collect();
        self.data.iter().enumerate().all(|(i, x)| inside.contains(&i) || x.to_f64().is_nan())
    }
}

fn bits<T: Element>(x: &[T]) -> Vec<u64> {
    x.iter().map(|x| x.to_f64().to_bits()).collect()
}

const STRIDES: [isize; 5] = [1, 2, -1, -3, 17];

/// Whether `got` is `Σ p q` within the tolerance of `op`.
fn close<T: Element>(op: &str, got: T, terms: [(f64, f64); 2]) -> bool {
    let want = terms.iter().fold(Dd::ZERO, |sum, (p, q)| sum + Dd::from(*p) * Dd::from(*q));
    let mass = terms.iter().map(|(p, q)| (p * q).abs()).sum();
    let tolerance = spec(op).and_then(|s| s.tolerance(T::NAME)).unwrap();
    let error = (Dd::from(got.to_f64()) - want).value().abs();
    let allowed = tolerance.allowed::<T>(want.value(), &[], mass);
    common::Errors::of(op, T::NAME, "all").see(error, allowed, 1);
    error <= allowed
}

fn every_stride<S: Simd, T: Element>(s: S) {
    let lengths = (0..=34).chain([64, 67, 130]);
    for (seed, n) in lengths.enumerate() {
        for (k, &p) in STRIDES.iter().enumerate() {
            let q = STRIDES[(k + seed) % STRIDES.len()];
            let (x, y) = (Spread::<T>::new(n, p, seed), Spread::<T>::new(n, q, seed + 1000));
            let (a, b) = (x.values(), y.values());
            let what = format!("{n} elements, strides {p} and {q}, {} on {}", T::NAME, S::NAME);

            let (mut u, mut v) = (x.clone(), y.clone());
            swap_on(s, u.write(), v.write()).unwrap();
            assert!(bits(&u.values()) == bits(&b) && bits(&v.values()) == bits(&a), "swap, {what}");
            assert!(u.clean() && v.clean(), "swap, {what}");

            let mut v = y.clone();
            copy_on(s, x.read(), v.write()).unwrap();
            assert!(bits(&v.values()) == bits(&a) && v.clean(), "copy, {what}");
            // One element over all.
            if let Some(first) = a.first() {
                let fill = VecRef::strided(&x.data, x.at(0), n, 0).unwrap();
                copy_on(s, fill, v.write()).unwrap();
                assert!(v.values().iter().all(|x| x == first) && v.clean(), "copy of one, {what}");
            }

            let mut u = x.clone();
            let alpha = T::from_f64(1.75);
            scal_on(s, alpha, u.write());
            let want: Vec<T> = a.iter().map(|x| *x * alpha).collect();
            assert!(bits(&u.values()) == bits(&want) && u.clean(), "scal, {what}");

            let mut v = y.clone();
            axpy_strided_on(s, alpha, x.read(), v.write()).unwrap();
            for (i, got) in v.values().into_iter().enumerate() {
                let terms = [(1.75, a[i].to_f64()), (1.0, b[i].to_f64())];
                assert!(close("axpy_strided", got, terms), "axpy, element {i} of {what}");
            }
            assert!(v.clean(), "axpy, {what}");

            let (mut u, mut v) = (x.clone(), y.clone());
            rot_on(s, u.write(), v.write(), T::from_f64(0.5), alpha).unwrap();
            let h = RotM::Full { h11: T::from_f64(0.5), h21: -alpha, h12: alpha, h22: T::from_f64(0.5) };
            verify_pair("rot", &h, [&a, &b], [&u, &v], &what);
            let [h11, h21, h12, h22] = [0.25, -3.0, 0.75, 1.5].map(T::from_f64);
            for h in [
                RotM::Identity,
                RotM::Full { h11, h21, h12, h22 },
                RotM::UnitDiagonal { h21, h12 },
                RotM::UnitAntidiagonal { h11, h22 },
            ] {
                let (mut u, mut v) = (x.clone(), y.clone());
                rotm_on(s, u.write(), v.write(), &h).unwrap();
                verify_pair("rotm", &h, [&a, &b], [&u, &v], &what);
                assert_eq!(RotM::from_param(h.param()), Ok(h));
            }

            let largest = a.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
            let want = a.iter().position(|x| x.to_f64().abs() == largest);
            assert_eq!(iamax_on(s, x.read()).ok(), want, "iamax, {what}");
        }
    }
    // Blocks, of which a later one has the largest, its equals, or NaN.
    for stride in [1, -2] {
        let mut x = Spread::<T>::new(9001, stride, 5);
        for (at, value, want) in
            [(8999, -7.0, 8999), (5000, 7.0, 5000), (4096, f64::NAN, 4096), (3, f64::NAN, 3)]
        {
            let i = x.at(at);
            x.data[i] = T::from_f64(value);
            assert_eq!(iamax_on(s, x.read()), Ok(want));
        }
    }
}

fn verify_pair<T: Element>(op: &str, h: &RotM<T>, old: [&[T]; 2], new: [&Spread<T>; 2], what: &str) {
    for (row, new) in h.matrix().into_iter().zip(new) {
        for (i, got) in new.values().into_iter().enumerate() {
            let terms = [0, 1].map(|k| (row[k].to_f64(), old[k][i].to_f64()));
            assert!(close(op, got, terms), "{op}, element {i} of {what}");
        }
        assert!(new.clean(), "{op}, {what}");
    }
}

#[test]
fn every_stride_on_every_lane() {
    for_each_lane!(|s| {
        every_stride::<_, f32>(s);
        every_stride::<_, f64>(s);
    });
}

fn same_bits<S: Simd, T: Element>(s: S) {
    // Several leaves of the tree of the widest register, in release builds.
    let long = if cfg!(debug_assertions) { 9000 } else { 2 * 8192 * 16 + 8192 + 77 };
    for n in (0..70).chain([127, 128, 129, 300, 1000, 8192 + 3, long]) {
        let (x, y) = (Spread::<T>::new(n, 1, n), Spread::<T>::new(n, 1, n + 1));
        let (a, b) = (x.values(), y.values());
        let alpha = T::from_f64(0.3);
        let mut axpy = b.clone();
        axpy_on(s, alpha, &a, &mut axpy).unwrap();
        let mut scaled = a.clone();
        scale_on(s, &a, alpha, &mut scaled).unwrap();
        let sums = [dot_on(s, &a, &b).unwrap(), norm_l2_on(s, &a), norm_l1_on(s, &a)];
        let wide = [&a, &b].map(|x| x.iter().map(|x| x.to_f64()).collect::<Vec<f64>>());
        let exact = [
            reduce::dot(&a, &b),
            reduce::dot(&a, &a).sqrt(),
            reduce::sum(&wide[0].iter().map(|x| x.abs()).collect::<Vec<f64>>()),
        ];
        for ((op, got), want) in ["dot_strided", "nrm2", "asum"].into_iter().zip(sums).zip(exact) {
            let tolerance = spec(op).and_then(|s| s.tolerance(T::NAME)).unwrap();
            let allowed = tolerance.allowed::<T>(want.value(), &[&wide[0], &wide[1]], 0.0);
            let error = (Dd::from(got.to_f64()) - want).value().abs();
            common::Errors::of(op, T::NAME, S::NAME).see(error, allowed, n);
            assert!(error <= allowed, "{op} of {n} elements, {} on {}", T::NAME, S::NAME);
        }
        for (k, &p) in STRIDES.iter().enumerate().take(if n > 2000 { 3 } else { 5 }) {
            let q = STRIDES[(k + n) % if n > 2000 { 3 } else { 5 }];
            let what = format!("{n} elements, strides {p} and {q}, {} on {}", T::NAME, S::NAME);
            let (x, mut y) = (Spread::<T>::new(n, p, n), Spread::<T>::new(n, q, n + 1));
            let got =
                [dot_strided_on(s, x.read(), y.read()).unwrap(), nrm2_on(s, x.read()), asum_on(s, x.read())];
            assert_eq!(bits(&got), bits(&sums), "{what}");
            axpy_strided_on(s, alpha, x.read(), y.write()).unwrap();
            assert_eq!(bits(&y.values()), bits(&axpy), "{what}");
            let mut x = x;
            scal_on(s, alpha, x.write());
            assert_eq!(bits(&x.values()), bits(&scaled), "{what}");
        }
    }
    // Where squares overflow and where they vanish.
    for value in [T::from_f64(3e38), T::from_f64(-1e-40)] {
        let x = vec![value; 200];
        let odd = VecRef::strided(&x, 1, 100, 2).unwrap();
        assert_eq!(bits(&[nrm2_on(s, odd)]), bits(&[norm_l2_on(s, &x[..100])]));
        assert!((nrm2_on(s, odd).to_f64() / value.to_f64().abs() - 10.0).abs() < 1e-3 || T::NAME == "f32");
    }
}

#[test]
fn bits_do_not_depend_on_strides() {
    for_each_lane!(|s| {
        same_bits::<_, f32>(s);
        same_bits::<_, f64>(s);
    });
}

#[test]
fn refusals_name_the_argument_and_leave_the_vectors() {
    let (mut a, mut b) = ([1.0f32; 6], [2.0f32; 6]);
    let wrong = Err(Error::len("y", 2, 3));
    macro_rules! x {
        () => {
            VecMut::strided(&mut a, 1, 2, 3).unwrap()
        };
    }
    macro_rules! y {
        () => {
            VecMut::strided(&mut b, 5, 3, -2).unwrap()
        };
    }
    assert_eq!(swap(x!(), y!()), wrong);
    assert_eq!(copy(x!().as_ref(), y!()), wrong);
    assert_eq!(axpy_strided(1.0, x!().as_ref(), y!()), wrong);
    assert_eq!(dot_strided(x!().as_ref(), y!().as_ref()).map(|_| ()), wrong);
    assert_eq!(rot(x!(), y!(), 0.0, 1.0), wrong);
    assert_eq!(rotm(x!(), y!(), &RotM::UnitDiagonal { h21: 1.0, h12: 1.0 }), wrong);
    assert_eq!(iamax::<f32>(VecRef::from(&[][..])), Err(Error::empty("x")));
    assert_eq!(RotM::from_param([0.5f32, 0.0, 0.0, 0.0, 0.0]), Err(Error::domain("param")));
    assert_eq!(RotM::from_param([f32::NAN, 0.0, 0.0, 0.0, 0.0]), Err(Error::domain("param")));
    assert_eq!((a, b), ([1.0; 6], [2.0; 6]));
}

/// `Σ ± p q r` in twice the precision, against its magnitude.
fn residual(terms: &[[f64; 3]]) -> (f64, f64) {
    let product = |t: &[f64; 3]| Dd::from(t[0]) * Dd::from(t[1]) * Dd::from(t[2]);
    let sum = terms.iter().fold(Dd::ZERO, |sum, t| sum + product(t));
    (sum.value().abs(), terms.iter().map(|t| (t[0] * t[1] * t[2]).abs()).sum())
}

fn givens<T: Element>() {
    let u = T::from_f64(if T::NAME == "f32" { 2f64.powi(-24) } else { 2f64.powi(-53) }).to_f64();
    let (low, high) = if T::NAME == "f32" { (-149, 127) } else { (-1000, 1000) };
    let mut errors = common::Errors::of("rotg", T::NAME, common::lanes::name_of(fulmen::lanes::native()));
    let tolerance = spec("rotg").and_then(|s| s.tolerance(T::NAME)).unwrap();
    let mut seen = 0;
    for e in (low..=high).step_by(7) {
        for f in (low..=high).step_by(11) {
            for (p, q) in [(1.0, 1.0), (-1.25, 1.75), (1.5, -1.125), (-1.875, -1.0)] {
                let [a, b] = [(p, e), (q, f)].map(|(p, e): (f64, i32)| T::from_f64(p * 2f64.powi(e)));
                let g = rotg(a, b);
                assert_eq!(g, rotg_on(fulmen::lanes::native(), a, b));
                let [x, y, r, c, s, z] = [a, b, g.r, g.c, g.s, g.z].map(|v| v.to_f64());
                let larger = if x.abs() > y.abs() { x } else { y };
                assert!(r.is_sign_negative() == larger.is_sign_negative(), "{a:?} {b:?}: {g:?}");
                // Scaled, so that the squares of the reference stay in range.
                let up = 2f64.powi(-e.max(f));
                let root = (Dd::from(x * up) * Dd::from(x * up) + Dd::from(y * up) * Dd::from(y * up))
                    .value()
                    .sqrt();
                let want = root.copysign(r) / up;
                if T::from_f64(want).to_f64().is_finite() {
                    let allowed = tolerance.allowed::<T>(want, &[], 0.0) + want.abs() * 2f64.powi(-51);
                    errors.see((r - want).abs(), allowed, 1);
                    assert!((r - want).abs() <= allowed, "{a:?} {b:?}: {g:?}, expected {want:e}");
                    seen += 1;
                }
                // What is subnormal has no relative precision.
                let normal =
                    |v: f64| v.abs() > if T::NAME == "f32" { 2f64.powi(-100) } else { 2f64.powi(-900) };
                if [x, y, c, s].into_iter().all(normal) && r.is_finite() {
                    assert!((c * c + s * s - 1.0).abs() <= 20.0 * u, "{a:?} {b:?}: {g:?}");
                    let (off, mass) = residual(&[[c, y * up, 1.0], [-s, x * up, 1.0]]);
                    assert!(off <= 10.0 * u * mass + 1e-300, "{a:?} {b:?}: {g:?}");
                    // c and s from z.
                    let (c2, s2) = match z {
                        1.0 => (0.0, 1.0),
                        z if z.abs() < 1.0 => ((1.0 - z * z).sqrt(), z),
                        z => (1.0 / z, (1.0 - 1.0 / (z * z)).sqrt()),
                    };
                    assert!((c2 - c).abs() <= 20.0 * u && (s2 - s).abs() <= 20.0 * u, "{a:?} {b:?}: {g:?}");
                }
            }
        }
    }
    assert!(seen > 1000);
}

#[test]
fn givens_over_the_whole_range() {
    givens::<f32>();
    givens::<f64>();
    assert!((rotg(3e38f32, 1e38).r / 3.162_277_7e38 - 1.0).abs() < 1e-6);
    assert_eq!(rotg(3e-45f32, 4e-45).r, 5e-45);
}

fn modified<T: Element>() {
    let u = if T::NAME == "f32" { 2f64.powi(-24) } else { 2f64.powi(-53) };
    let mut forms = [0; 4];
    let mut errors = common::Errors::of("rotmg", T::NAME, common::lanes::name_of(fulmen::lanes::native()));
    for d in (-60..=60).step_by(5) {
        for e in (-60..=60).step_by(6) {
            for f in (-12..=12).step_by(4) {
                for (p, q) in [(1.0, 1.0), (1.25, -1.75), (-1.5, 1.125)] {
                    let args = [1.5 * 2f64.powi(d), 1.25 * 2f64.powi(e), p * 2f64.powi(f), q];
                    let [d1, d2, x1, y1] = args.map(T::from_f64);
                    let g = rotmg(d1, d2, x1, y1);
                    assert_eq!(g, rotmg_on(fulmen::lanes::native(), d1, d2, x1, y1));
                    forms[(g.h.param()[0].to_f64() + 2.0) as usize] += 1;
                    let h = g.h.matrix().map(|r| r.map(|h| h.to_f64()));
                    let [n1, n2, z1] = [g.d1, g.d2, g.x1].map(|v| v.to_f64());
                    let [d1, d2, x1, y1] = args;
                    let what = format!("{args:?}: {g:?}");
                    for d in [n1, n2] {
                        assert!(2f64.powi(-24) < d.abs() && d.abs() < 2f64.powi(24), "{what}");
                    }
                    let zero = residual(&[[h[1][0], x1, 1.0], [h[1][1], y1, 1.0]]);
                    let first = residual(&[[h[0][0], x1, 1.0], [h[0][1], y1, 1.0], [-z1, 1.0, 1.0]]);
                    let norm = residual(&[[d1, x1, x1], [d2, y1, y1], [-n1, z1, z1]]);
                    for (off, mass) in [zero, first, norm] {
                        errors.see(off, 40.0 * u * mass, 1);
                        assert!(off <= 40.0 * u * mass, "{what}: off by {off:e} of {mass:e}");
                    }
                }
            }
        }
    }
    // The identity comes of zeros only.
    assert!(forms[0] == 0 && forms[1..].iter().all(|n| *n > 10), "{forms:?}");
}

#[test]
fn modified_givens_over_the_whole_range() {
    modified::<f32>();
    modified::<f64>();
    // Weights that are not finite end the scaling, whatever comes out.
    for x in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324, f64::MAX] {
        for y in [0.0, 1.0, -1.0, x] {
            for z in [1.0, x] {
                let _ = [rotmg(x, y, z, 1.0), rotmg(y, x, z, 1.0), rotmg(1.0, z, x, y), rotmg(z, 1.0, y, x)];
            }
        }
    }
}
