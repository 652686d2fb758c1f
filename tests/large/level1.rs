//! Vectors with strides around every threshold.

use crate::dd::Dd;
use crate::sizes::*;
use fulmen::contract::agrees;
use fulmen::{Element, VecMut, VecRef};

/// A vector of `n` elements `step` apart, and its slice.
struct Vector<T> {
    data: Vec<T>,
    n: usize,
    step: isize,
}

impl<T: Element> Vector<T> {
    fn new(n: usize, step: isize, seed: u64) -> Self {
        let len = if n == 0 { 0 } else { (n - 1) * step.unsigned_abs() + 1 };
        let x = Stream::new(seed).slice::<T>(n, 3.0);
        let mut v = Self { data: vec![T::NAN; len + 7], n, step };
        for (i, x) in x.into_iter().enumerate() {
            let at = v.at(i);
            v.data[at] = x;
        }
        v
    }
    fn first(&self) -> usize {
        3 + if self.step < 0 { self.n.saturating_sub(1) * self.step.unsigned_abs() } else { 0 }
    }
    fn at(&self, i: usize) -> usize {
        (self.first() as isize + i as isize * self.step) as usize
    }
    fn get(&self, i: usize) -> f64 {
        self.data[self.at(i)].to_f64()
    }
    fn view(&self) -> VecRef<'_, T> {
        VecRef::strided(&self.data, self.first(), self.n, self.step).unwrap()
    }
    fn view_mut(&mut self) -> VecMut<'_, T> {
        let (first, n, step) = (self.first(), self.n, self.step);
        VecMut::strided(&mut self.data, first, n, step).unwrap()
    }
    /// Each element is what `f` says; nothing else was written.
    fn hold(&self, what: &str, f: impl Fn(usize) -> (f64, f64)) {
        for i in 0..self.n {
            let (want, allowed) = f(i);
            assert!(
                agrees(T::from_f64(self.get(i)), want, allowed),
                "{what}: at {i} {:e}, not {want:e}",
                self.get(i)
            );
        }
        let finite = self.data.iter().filter(|x| !x.to_f64().is_nan()).count();
        assert_eq!(finite, self.n, "{what}: elements written");
    }
}

fn one<T: Element>(op: &str, what: &str, got: T, want: f64, x: [&Vector<T>; 2], mass: f64) {
    let x = x.map(|x| (0..x.n).map(|i| x.get(i)).collect::<Vec<f64>>());
    let allowed = tolerance::<T>(op).allowed::<T>(want, &[&x[0], &x[1]], mass);
    assert!(
        agrees(got, want, allowed),
        "{op} {what}: {:e}, not {want:e}, where {allowed:e} is allowed",
        got.to_f64()
    );
}

fn sweep<T: Element>() {
    let leaf = threshold("lanes::fold::LEAF_VECTORS") * width::<T>();
    let mut lengths = around::<T>(40_000);
    lengths.extend([leaf + 1, 3 * leaf + 5]);
    let u = if T::NAME == "f32" { 2f64.powi(-23) } else { 2f64.powi(-52) };
    for (turn, n) in lengths.into_iter().enumerate() {
        let [p, q] = [[1, 1], [1, 2], [3, 1], [-1, 1], [2, -2], [1, -1]][turn % 6];
        let what = format!("{} n={n} strides {p} {q}", T::NAME);
        let (x, y) = (Vector::<T>::new(n, p, 1), Vector::<T>::new(n, q, 2));
        let pair = || (Vector::<T>::new(n, p, 1), Vector::<T>::new(n, q, 2));
        let (mut a, mut b) = pair();
        fulmen::swap(a.view_mut(), b.view_mut()).unwrap();
        a.hold(&format!("swap {what}"), |i| (y.get(i), 0.0));
        b.hold(&format!("swap {what}"), |i| (x.get(i), 0.0));
        let (_, mut b) = pair();
        fulmen::copy(x.view(), b.view_mut()).unwrap();
        b.hold(&format!("copy {what}"), |i| (x.get(i), 0.0));
        for alpha in [0.0, 1.0, -1.0, 1.25] {
            let (mut a, mut b) = pair();
            fulmen::scal(T::from_f64(alpha), a.view_mut());
            a.hold(&format!("scal {what}"), |i| (alpha * x.get(i), u * (alpha * x.get(i)).abs()));
            fulmen::axpy_strided(T::from_f64(alpha), x.view(), b.view_mut()).unwrap();
            let of = |i: usize| {
                (alpha * x.get(i) + y.get(i), 2.0 * u * ((alpha * x.get(i)).abs() + y.get(i).abs()))
            };
            b.hold(&format!("axpy_strided {what}"), of);
        }
        let (mut a, mut b) = pair();
        fulmen::rot(a.view_mut(), b.view_mut(), T::from_f64(0.6), T::from_f64(-0.8)).unwrap();
        let [c, s] = [0.6, -0.8].map(|x| T::from_f64(x).to_f64());
        let of = |x: f64, y: f64| (c * x + s * y, 3.0 * u * ((c * x).abs() + (s * y).abs()));
        a.hold(&format!("rot {what}"), |i| of(x.get(i), y.get(i)));
        b.hold(&format!("rot {what}"), |i| of(y.get(i), -x.get(i)));
        let (mut a, mut b) = pair();
        let h = fulmen::RotM::from_param([-1.0, 0.5, -0.25, 1.5, 2.0].map(T::from_f64)).unwrap();
        fulmen::rotm(a.view_mut(), b.view_mut(), &h).unwrap();
        let of = |x: f64, y: f64, p: f64, q: f64| (p * x + q * y, 3.0 * u * ((p * x).abs() + (q * y).abs()));
        a.hold(&format!("rotm {what}"), |i| of(x.get(i), y.get(i), 0.5, 1.5));
        b.hold(&format!("rotm {what}"), |i| of(x.get(i), y.get(i), -0.25, 2.0));
        let sum = |f: &dyn Fn(usize) -> (f64, f64)| {
            (0..n)
                .map(|i| f(i))
                .fold((Dd::ZERO, 0.0), |(s, m), (x, y)| (s + Dd::from(x) * Dd::from(y), m + (x * y).abs()))
        };
        let (dot, mass) = sum(&|i| (x.get(i), y.get(i)));
        one::<T>(
            "dot_strided",
            &what,
            fulmen::dot_strided(x.view(), y.view()).unwrap(),
            dot.value(),
            [&x, &y],
            mass,
        );
        let (squares, _) = sum(&|i| (x.get(i), x.get(i)));
        let norm = squares.sqrt().value();
        one::<T>("nrm2", &what, fulmen::nrm2(x.view()), norm, [&x, &x], norm);
        let (abs, _) = sum(&|i| (x.get(i).abs(), 1.0));
        one::<T>("asum", &what, fulmen::asum(x.view()), abs.value(), [&x, &x], abs.value());
        for at in [0, n / 2, n - 1, n.saturating_sub(n % 64), n / 3] {
            let mut x = Vector::<T>::new(n, p, 1);
            let place = x.at(at.min(n - 1));
            x.data[place] = T::from_f64(-5.0);
            assert_eq!(fulmen::iamax(x.view()), Ok(at.min(n - 1)), "iamax {what}");
        }
    }
}

#[test]
fn f32() {
    sweep::<f32>();
}

#[test]
fn f64() {
    sweep::<f64>();
}
