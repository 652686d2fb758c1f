//! Reductions of two bodies: on whole numbers, whose sums are exact in any order, so that an element too many, too few or
//! twice is seen.

use common::lanes::*;
use common::reference::reduce::leaf;
use fulmen::lanes::Simd;
use fulmen::{Abs, Add, Alu, Body, Element, Error, Maximum, Minimum, Mul, Number, Sub, Then};

/// `x + 1`: what is no element must not come out of it.
#[derive(Debug, Clone, Copy)]
struct Next;
impl<T: Number> Body<T, 1> for Next {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [x]: [V; 1]) -> V {
        x + x.c(1.0)
    }
}

/// `a b + c`.
#[derive(Debug, Clone, Copy)]
struct Three;
impl<T: Number> Body<T, 3> for Three {
    #[inline(always)]
    fn eval<V: Alu<Elem = T>>(self, [a, b, c]: [V; 3]) -> V {
        a.mul_add(b, c)
    }
}

fn numbers<T: Element>(n: usize, by: usize) -> Vec<T> {
    (0..n).map(|i| T::from_f64((i * by % 7) as f64 - 3.0)).collect()
}

/// Around registers, unrolled loops, and the leaves of the tree.
fn lengths<S: Simd, T: Element>() -> impl Iterator<Item = usize> {
    let leaf = leaf::<S, T>();
    (0..=4 * 16 + 1).chain([127, 129, 1000, leaf - 1, leaf, leaf + 1, 2 * leaf + 3])
}

fn exact<S: Simd, T: Element>(s: S) {
    let most = lengths::<S, T>().max().unwrap_or(0);
    let [a, b, c] = [1, 3, 5].map(|by| numbers::<T>(most, by));
    for n in lengths::<S, T>() {
        let ([a, b, c], at) = ([&a[..n], &b[..n], &c[..n]], format!("{n} {} {}", S::NAME, T::NAME));
        let wide = |f: &dyn Fn(usize) -> f64| (0..n).map(f).collect::<Vec<_>>();
        let sum = |f: &dyn Fn(usize) -> f64| wide(f).iter().sum::<f64>();
        let [x, y, z] = [a, b, c].map(|x| move |i: usize| x[i].to_f64());
        let zero = T::ZERO;
        assert_eq!(
            fulmen::map_reduce_on(s, Next, Add, zero, [a]).unwrap().to_f64(),
            sum(&|i| x(i) + 1.0),
            "{at}"
        );
        assert_eq!(
            fulmen::map_reduce_on(s, Mul, Add, zero, [a, b]).unwrap().to_f64(),
            sum(&|i| x(i) * y(i)),
            "{at}"
        );
        let want = sum(&|i| x(i) * y(i) + z(i));
        assert_eq!(fulmen::map_reduce_on(s, Three, Add, zero, [a, b, c]).unwrap().to_f64(), want, "{at}");
    }
    // One element stands out, wherever it is.
    for n in (1..=4 * 16 + 1).chain([1000]) {
        for at in [0, n / 2, n - 1] {
            let mut a = vec![T::ONE; n];
            a[at] = T::from_f64(-9.0);
            let zeros = vec![T::ZERO; n];
            let most = fulmen::map_reduce_on(s, Then(Sub, Abs), Maximum, T::ZERO, [&a, &zeros]).unwrap();
            let least = fulmen::map_reduce_on(s, Next, Minimum, T::INFINITY, [&a]).unwrap();
            assert_eq!([most, least].map(T::to_f64), [9.0, -8.0], "{n} {at} {} {}", S::NAME, T::NAME);
        }
    }
}

#[test]
fn bodies_are_joined() {
    for_each_lane!(|s| {
        exact::<_, f32>(s);
        exact::<_, f64>(s);
    });
}

fn by_rows<S: Simd, T: Element>(s: S) {
    for (rows, cols) in [(0, 3), (1, 1), (5, 1), (3, 7), (4, 16), (2, 17), (3, 100), (2, 1001)] {
        let [a, b] = [3, 5].map(|by| numbers::<T>(rows * cols, by));
        let mut out = vec![T::NAN; rows];
        fulmen::map_reduce_rows_on(s, Mul, Add, T::ONE, [&a, &b], cols, &mut out).unwrap();
        for (r, got) in out.iter().enumerate() {
            let row = r * cols..(r + 1) * cols;
            let alone = fulmen::map_reduce_on(s, Mul, Add, T::ONE, [&a[row.clone()], &b[row]]).unwrap();
            assert_eq!(got.to_f64(), alone.to_f64(), "{rows} {cols} {r} {}", S::NAME);
        }
    }
}

#[test]
fn rows_are_as_alone() {
    for_each_lane!(|s| {
        by_rows::<_, f32>(s);
        by_rows::<_, f64>(s);
    });
}

#[cfg(feature = "parallel")]
#[test]
fn threads_give_the_same_bits() {
    let n = 400_003usize;
    let a: Vec<f32> = (0..n).map(|i| ((i * 7919 % 10_007) as f32 / 997.0).sin()).collect();
    let b: Vec<f32> = a.iter().rev().copied().collect();
    let one = fulmen::map_reduce(Mul, Add, 0.0, [&a, &b]).unwrap();
    let (cols, mut rows, mut got) = (1000, vec![0.0; 400], vec![1.0; 400]);
    let x = [&a[..400_000], &b[..400_000]];
    fulmen::map_reduce_rows(Mul, Add, 0.0, x, cols, &mut rows).unwrap();
    for threads in [2, 3] {
        common::compared::on_threads(threads, || {
            let all = fulmen::parallel::map_reduce(Mul, Add, 0.0, [&a, &b]).unwrap();
            assert_eq!(all.to_bits(), one.to_bits());
            got.fill(1.0);
            fulmen::parallel::map_reduce_rows(Mul, Add, 0.0, x, cols, &mut got).unwrap();
            assert!(rows.iter().zip(&got).all(|(a, b)| a.to_bits() == b.to_bits()));
        });
    }
}

#[test]
fn refusals_write_nothing() {
    let (a, mut out) = ([1.0f32; 6], [7.0f32; 3]);
    let bad = fulmen::Clamp(1.0f32, -1.0);
    let len = |arg, expected, got| Err(Error::len(arg, expected, got));
    assert_eq!(fulmen::map_reduce(Mul, Add, 0.0, [&a, &a[..5]]), Err(Error::len("b", 6, 5)));
    assert!(matches!(fulmen::map_reduce(bad, Add, 0.0, [&a]), Err(Error::Domain { .. })));
    assert!(matches!(fulmen::map_reduce(Next, Then(Add, bad), 0.0, [&a]), Err(Error::Domain { .. })));
    let mut rows = |x: [&[f32]; 2], cols, to| fulmen::map_reduce_rows(Mul, Add, 0.0, x, cols, &mut out[..to]);
    assert_eq!(rows([&a, &a[..4]], 2, 3), len("b", 6, 4));
    assert_eq!(rows([&a, &a], 2, 2), len("out", 3, 2));
    assert_eq!(rows([&a, &a], 4, 3), Err(Error::rows("a", 4, 6)));
    assert_eq!(rows([&a, &a], 0, 3), Err(Error::empty("cols")));
    assert!(matches!(fulmen::map_reduce_rows(bad, Add, 0.0, [&a], 2, &mut out), Err(Error::Domain { .. })));
    assert_eq!(out, [7.0; 3]);
}
