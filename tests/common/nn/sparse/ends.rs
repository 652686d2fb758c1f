//! Eigenvalues at an end of the spectrum, of matrices whose values lie about 1 apart, so that vectors are certain too.

use super::super::solvers::{indices, order, wants};
use super::super::spectra::Generalized;
use super::*;

pub struct Ends;
impl Op for Ends {
    const NAME: &'static str = "lobpcg";
    const CUBED: bool = true;
    const IDS: Option<usize> = Some(1);
    const STARTS: Option<usize> = Some(0);
    const REFUSES_NAN: bool = true;
    fn unread<T: Element>(a: &Args<T>, input: usize, _: usize) -> bool {
        input == 3 && a.get("plain").is_some() || input == 4 && a.get("alone").is_some()
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let n = order(cols);
        let (offsets, columns, values) = system(n, 4 + cols % 21, true, r);
        let off = |by: f64, on: &dyn Fn(usize) -> f64| -> Vec<T> {
            let rows =
                offsets.windows(2).enumerate().flat_map(|(i, ends)| (ends[0]..ends[1]).map(move |k| (i, k)));
            rows.map(|(i, k)| T::from_f64(if columns[k] as usize == i { on(i) } else { by * values[k] }))
                .collect()
        };
        // No order here has the factor 71.
        let a = off(0.1, &|i| (1 + 71 * i % n) as f64);
        let b = off(0.03, &|_| 1.0);
        let k = n.min(1 + rows % 3);
        let mut x: Vec<Vec<T>> = vec![
            offsets.iter().map(|x| T::from_usize(*x)).collect(),
            columns.iter().map(|c| T::from_usize(*c as usize)).collect(),
            a,
            b,
        ];
        let so_far = Args::new::<Self>(x.clone(), vec![], &[("cols", n)]);
        x.push(incomplete(&so_far.wide()).into_iter().map(T::from_f64).collect());
        x.push(r.slice(n * k, 1.0));
        let tolerance = if size_of::<T>() == 4 { 2.4e-6 } else { 4.4e-15 };
        let words = [("cols", n), ("k", k), ("most", 400), ("largest", 1), ("plain", 1), ("alone", 1)];
        let mut a = Args::new::<Self>(x, vec![T::from_f64(tolerance)], &words);
        // What makes about A's inverse leads to the smallest values.
        let smallest = cols.is_multiple_of(2);
        let drop = [smallest, !cols.is_multiple_of(3), smallest && !(rows + cols).is_multiple_of(4)];
        a.n.retain(|(name, _)| {
            !(name == "largest" && drop[0] || name == "plain" && drop[1] || name == "alone" && drop[2])
        });
        a
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![a.x[5].clone(), stale(a.size("k").min(1 << 9))]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        fulmen::lobpcg_workspace(a.x[0].len().saturating_sub(1), a.size("k").min(1 << 9))
    }
    called! {
        |s, a, [out, values], w| {
            let (offsets, n) = indices(&a.x[0]);
            let of = |k: usize| Csr::new(n.saturating_sub(1), a.size("cols"), &offsets[..n], &a.ids, &a.x[k]);
            let b = if a.get("plain").is_some() { None } else { Some(of(3)) };
            let lu = if a.get("alone").is_some() { None } else { Some(of(4)) };
            let largest = a.get("largest").is_some();
            with(a, |m| {
                let (b, lu) = (b.transpose()?, lu.transpose()?);
                fulmen::lobpcg_on(s, largest, m, b, lu, out, values, a.p[0], a.size("most"), w).map(drop)
            })
        }
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (n, k) = (a.x[0].len() - 1, a.size("k"));
        let (mut m, mut b) = (vec![0.0; n * n], vec![0.0; n * n]);
        for (at, (i, j, v)) in elements(a).enumerate() {
            m[i * n + j] = v;
            b[i * n + j] = a.x[3][at];
        }
        if a.get("plain").is_some() {
            b = (0..n * n).map(|k| f64::from(u8::from(k / n == k % n))).collect();
        }
        let all = Generalized::want(&Args::new::<Generalized>(vec![m, b], vec![], &[("n", n)]));
        let place = |i: usize| if a.get("largest").is_some() { n - 1 - i } else { i };
        let vectors = (0..k).flat_map(|c| (0..n).map(move |i| [c, i]));
        let x = vectors.map(|[c, i]| all[0][i * n + place(c)].value).collect();
        // What is left may be 40 u times twice the largest value, and vectors as much.
        let vectors = wants(x, n).into_iter().map(|w| Want { mass: 5.0 * w.mass, ..w });
        vec![vectors.collect(), wants((0..k).map(|c| all[2][place(c)].value).collect(), n)]
    }
}
