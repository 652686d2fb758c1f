//! Running sums, a vector against rows, small integers as numbers.

use super::*;

#[macro_export]
macro_rules! for_each_scan {
    ($cb:ident) => {
        $cb! {
            cumsum $crate::nn::scans::Cumsum, threads;
            cosine_similarity_rows $crate::nn::scans::CosineRows, threads;
            u8_to_float $crate::nn::scans::Bytes;
            i16_to_float $crate::nn::scans::Words;
        }
    };
}

pub struct Cumsum;
impl Op for Cumsum {
    const NAME: &'static str = "cumsum";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        // Fewer rows than run side by side, as many, and more.
        let rows = 3 * rows;
        Args::new::<Self>(vec![r.slice(rows * cols, 4.0)], vec![], &[("cols", cols)])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[0].len())]
    }
    called! {
        |s, a, [out], _| fulmen::cumsum_on(s, &a.x[0], a.size("cols"), out),
        parallel fulmen::parallel::cumsum_on(s, &a.x[0], a.size("cols"), out)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let row = |x: &[f64]| {
            let (mut sum, mut mass) = (-0.0, 0.0);
            let next = |(i, x): (usize, &f64)| {
                sum += x;
                mass += x.abs();
                Want { value: sum, mass, n: i + 1 }
            };
            x.iter().enumerate().map(next).collect::<Vec<Want>>()
        };
        vec![a.x[0].chunks(a.size("cols").max(1)).flat_map(row).collect()]
    }
}

pub struct CosineRows;
impl Op for CosineRows {
    const NAME: &'static str = "cosine_similarity_rows";
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        Args::new::<Self>(vec![r.slice(cols, 3.0), r.slice(rows * cols, 5.0)], vec![], &[])
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(a.x[1].len() / a.x[0].len().max(1))]
    }
    called! {
        |s, a, [out], _| fulmen::cosine_similarity_rows_on(s, &a.x[0], &a.x[1], out),
        parallel fulmen::parallel::cosine_similarity_rows_on(s, &a.x[0], &a.x[1], out)
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let query = &a.x[0];
        // Squares of the smallest numbers are lost.
        let most = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let inner = |a: &[f64], b: &[f64], by: f64| -> f64 { a.iter().zip(b).map(|(a, b)| a / by * b).sum() };
        let row = |x: &[f64]| {
            let (p, q) = (most(query), most(x));
            let zero = |x: &[f64]| x.iter().all(|x| *x == 0.0);
            let finite = query.iter().chain(x).all(|x| x.is_finite());
            let value = if !finite {
                f64::NAN
            } else if zero(query) || zero(x) {
                0.0
            } else {
                let unit = |x: &[f64], by: f64| -> Vec<f64> { x.iter().map(|x| x / by).collect() };
                let (query, x) = (unit(query, p), unit(x, q));
                inner(&query, &x, 1.0) / (inner(&query, &query, 1.0).sqrt() * inner(&x, &x, 1.0).sqrt())
            };
            Want { value, mass: 1.0, n: query.len() }
        };
        vec![a.x[1].chunks(query.len().max(1)).map(row).collect()]
    }
}

/// Pixels of as many channels as there are columns, at most; the values are integers from `low` to `high`.
fn pixels<T: Element, O: Op>(rows: usize, cols: usize, r: &mut Noise, [low, high]: [i64; 2]) -> Args<T> {
    let any = |r: &mut Noise| T::from_f64((low + (r.bits() % (high - low + 1) as u64) as i64) as f64);
    let mut x: Vec<T> = (0..7 * rows * cols).map(|_| any(r)).collect();
    x[0] = T::from_f64(low as f64);
    x[rows * cols] = T::from_f64(high as f64);
    Args::new::<O>(vec![x, r.slice(cols, 2.0), r.slice(cols, 3.0)], vec![], &[])
}

fn scaled(a: &Args<f64>) -> Vec<Vec<Want>> {
    let channels = a.x[1].len().max(1);
    let each = |(i, x): (usize, &f64)| {
        let (scale, offset) = (a.x[1][i % channels], a.x[2][i % channels]);
        Want { value: x * scale + offset, mass: (x * scale).abs() + offset.abs(), n: 1 }
    };
    vec![a.x[0].iter().enumerate().map(each).collect()]
}

macro_rules! integers {
    ($Op:ident, $name:literal, $I:ident, $f:ident) => {
        pub struct $Op;
        impl Op for $Op {
            const NAME: &'static str = $name;
            fn unread<T: Element>(_: &Args<T>, input: usize, _: usize) -> bool {
                input == 0
            }
            fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
                pixels::<T, Self>(rows, cols, r, [i64::from($I::MIN), i64::from($I::MAX)])
            }
            fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
                vec![stale(a.x[0].len())]
            }
            called! {
                |s, a, [out], _| {
                    let x: Vec<$I> = a.x[0].iter().map(|x| x.to_f64() as $I).collect();
                    fulmen::$f(s, &x, &a.x[1], &a.x[2], out)
                }
            }
            fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
                scaled(a)
            }
        }
    };
}
integers!(Bytes, "u8_to_float", u8, u8_to_float_on);
integers!(Words, "i16_to_float", i16, i16_to_float_on);
