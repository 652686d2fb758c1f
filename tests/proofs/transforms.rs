//! The passes, the plans' tables and the steps around them.

use super::*;
use std::f64::consts::TAU;

type C = Complex<f64>;

fn root(k: usize, n: usize) -> C {
    let angle = TAU * (k % n) as f64 / n as f64;
    C::new(angle.cos(), -angle.sin())
}

fn power(z: C, k: usize) -> C {
    (0..k).fold(C::ONE, |y, _| y * z)
}

fn apart(a: C, b: C) -> f64 {
    (a.re - b.re).hypot(a.im - b.im)
}

/// A transform by a table.
fn transform(n: usize, table: &[f64], x: &[C]) -> Vec<C> {
    let (mut y, mut work) = (vec![C::ZERO; n], vec![C::ZERO; fft_workspace(n)]);
    fft(&Fft::of(n, table).unwrap(), Direction::Forward, x, &mut y, &mut work).unwrap();
    y
}

fn table(n: usize) -> Vec<f64> {
    let mut table = vec![0.0; fft_plan_len(n)];
    Fft::plan(n, &mut table, &mut vec![C::ZERO; fft_workspace(n)]).unwrap();
    table
}

fn numbers(n: usize, seed: u64) -> Vec<C> {
    Noise(seed).slice::<f64>(2 * n, 1.0).as_chunks::<2>().0.iter().map(|x| C::new(x[0], x[1])).collect()
}

/// A pass: its radix, the numbers done before, and where its roots begin in the table.
#[derive(Debug, Clone, Copy)]
struct Pass {
    r: usize,
    d: usize,
    m: usize,
    start: usize,
}

impl Pass {
    fn after(d: usize, r: usize, left: usize, start: usize) -> Self {
        Self { r, d, m: left / r, start }
    }
    /// Where the root of output `j` at place `p` stands, as often as numbers lie side by side while those are few.
    fn places(&self, j: usize, p: usize) -> Vec<[usize; 2]> {
        let Self { r, d, m, start } = *self;
        if j == 0 || m == 1 {
            return vec![];
        }
        let real = |q| start + 2 * (j - 1) * m * d + p * d + q;
        let pair = start + 2 * (p * (r - 1) + j - 1);
        if d < 16 { (0..d).map(|q| [real(q), real(q) + m * d]).collect() } else { vec![[pair, pair + 1]] }
    }
    fn len(&self) -> usize {
        if self.m == 1 { 0 } else { 2 * (self.r - 1) * self.m * if self.d < 16 { self.d } else { 1 } }
    }
}

/// The passes whose roots the table has: `w^(jp)`, `w` that of the numbers that are left.
fn passes_of(n: usize, table: &[f64], d: usize, start: usize) -> Option<Vec<Pass>> {
    let left = n / d;
    if left == 1 {
        return (start == table.len()).then(Vec::new);
    }
    [2, 3, 4, 5, 7, 8, 16].into_iter().filter(|r| left.is_multiple_of(*r)).find_map(|r| {
        let pass = Pass::after(d, r, left, start);
        let holds = start + pass.len() <= table.len()
            && (1..r).all(|j| {
                (0..pass.m).all(|p| {
                    let w = root(j * p, left);
                    pass.places(j, p).iter().all(|[re, im]| apart(C::new(table[*re], table[*im]), w) < 1e-14)
                })
            });
        let rest = holds.then(|| passes_of(n, table, d * r, start + pass.len()))??;
        Some([vec![pass], rest].concat())
    })
}

/// The theorem's passes with any numbers for roots, and their exchanges of places.
fn passes(all: &[Pass], table: &[f64], x: &[C]) -> Vec<C> {
    all.iter().fold(x.to_vec(), |z, pass| {
        let Pass { r, d, m, .. } = *pass;
        let one = |i: usize| {
            let (s, p, j) = (i % d, i / d / r, i / d % r);
            let w = pass.places(j, p).first().map_or(C::ONE, |[re, im]| C::new(table[*re], table[*im]));
            let sum = (0..r).fold(C::ZERO, |sum, q| sum + z[(p + q * m) * d + s] * root(j * q, r));
            w * sum
        };
        (0..z.len()).map(one).collect()
    })
}

#[test]
fn passes_of_the_theorem() {
    stated(
        "Fft.v",
        "let s := (i mod d)%nat in let p := (i / d / r)%nat in let j := ((i / d) mod r)%nat in
         cpow w (j * p) * csum r (fun q => z ((p + q * m) * d + s)%nat * cpow (cpow w m) (j * q))",
    );
    let long = if cfg!(debug_assertions) { vec![4096] } else { vec![4096, 8192, 1 << 15] };
    for n in (1..=130)
        .chain([144, 160, 192, 210, 243, 256, 343, 360, 500, 512, 625, 1000, 1024, 2048, 2187])
        .chain(long)
    {
        let smooth = [2, 3, 5, 7].into_iter().fold(n, |mut n, f| {
            while n % f == 0 {
                n /= f;
            }
            n
        });
        if smooth != 1 {
            continue;
        }
        let own = table(n);
        let all = passes_of(n, &own, 1, 0).unwrap_or_else(|| panic!("{n}: the table has no theorem's roots"));
        // The code's roots, and others, so that no root stands for another one.
        let mut others = vec![0.0; own.len()];
        let mut noise = Noise(n as u64);
        for pass in &all {
            for (j, p) in (1..pass.r).flat_map(|j| (0..pass.m).map(move |p| (j, p))) {
                let turn = root(noise.bits() as usize % 997, 997);
                pass.places(j, p).iter().for_each(|[re, im]| (others[*re], others[*im]) = (turn.re, turn.im));
            }
        }
        let x = numbers(n, 1);
        for table in [&own, &others] {
            let (have, want) = (transform(n, table, &x), passes(&all, table, &x));
            let worst = have.iter().zip(&want).map(|(a, b)| apart(*a, *b)).fold(0.0, f64::max);
            assert!(worst < 1e-12, "{n} by {all:?}: {worst}");
        }
    }
}

#[test]
fn primes_by_powers_of_a_root() {
    stated("Rader.v", "Definition place (p g q : nat) : nat := g ^ q mod p.");
    stated("Rader.v", "let filter := fun q => cpow w (at_ ((m - q) mod m)%nat) in");
    for n in [257, 337, 401, 433, 449, 641] {
        let (m, own) = (n - 1, table(n));
        let (powers, rest) = own.split_at(m);
        let (filter, rest) = rest.split_at(2 * m);
        assert_eq!(rest, table(m), "{n}: the plan of the convolution");
        let g = powers[1] as usize;
        let place: Vec<usize> = core::iter::successors(Some(1), |x| Some(x * g % n)).take(m + 1).collect();
        assert_eq!(powers, place[..m].iter().map(|x| *x as f64).collect::<Vec<_>>(), "{n}: powers of {g}");
        // What the theorem asks of g, and its test of that.
        assert_eq!(place[m], 1);
        for f in [2, 3, 5, 7].into_iter().filter(|f| m % f == 0) {
            assert_ne!(place[m / f], 1, "{g} to the power {m}/{f}");
        }
        // The filter is the transform of what the theorem has, with 1/m of the way back.
        let order: Vec<C> = (0..m).map(|q| root(place[(m - q) % m], n)).collect();
        let want = transform(m, rest, &order);
        for (have, want) in filter.as_chunks::<2>().0.iter().zip(&want) {
            assert!(apart(C::new(have[0] * m as f64, have[1] * m as f64), *want) < 1e-11, "{n}: the filter");
        }
        // The identity, with the code's own transforms.
        let x = numbers(n, 2);
        let a: Vec<C> = (0..m).map(|q| x[place[q]]).collect();
        let b: Vec<C> = transform(m, rest, &a)
            .iter()
            .zip(filter.as_chunks::<2>().0)
            .map(|(a, f)| *a * C::new(f[0], f[1]))
            .collect();
        let turned = |x: &[C]| x.iter().map(|z| C::new(z.im, z.re)).collect::<Vec<_>>();
        let convolved = turned(&transform(m, rest, &turned(&b)));
        let y = transform(n, &own, &x);
        for (t, c) in convolved.iter().enumerate() {
            assert!(apart(y[place[(m - t) % m]], x[0] + *c) < 1e-12, "{n}: result {t}");
        }
    }
}

#[test]
fn chirps_of_other_lengths() {
    stated(
        "Fft.v",
        "if (q <? n)%nat then cpow d (q * q) else if (m - q <? n)%nat then cpow d ((m - q) * (m - q)) else 0.",
    );
    for n in [11, 13, 101, 254, 1013] {
        let own = table(n);
        let (chirp, rest) = own.split_at(2 * n);
        for (k, c) in chirp.as_chunks::<2>().0.iter().enumerate() {
            assert!(apart(C::new(c[0], c[1]), root(k * k, 2 * n)) < 1e-13, "{n}: chirp {k}");
        }
        // The length whose table follows the filter.
        let m = (2 * n - 1..4 * n)
            .find(|m| m % 16 == 0 && 2 * m + fft_plan_len(*m) == rest.len() && table(*m) == rest[2 * m..]);
        let m = m.unwrap_or_else(|| panic!("{n}: no length of a convolution"));
        let (filter, roots) = rest.split_at(2 * m);
        let inverse = |k: usize| root(k * k, 2 * n).conj();
        let of = |q: usize| {
            if q < n {
                inverse(q)
            } else if m - q < n {
                inverse(m - q)
            } else {
                C::ZERO
            }
        };
        let want = transform(m, roots, &(0..m).map(of).collect::<Vec<_>>());
        for (have, want) in filter.as_chunks::<2>().0.iter().zip(&want) {
            assert!(apart(C::new(have[0] * m as f64, have[1] * m as f64), *want) < 1e-10, "{n}: the filter");
        }
    }
}

#[test]
fn halves_of_a_real_transform() {
    stated("RealFft.v", "Definition twist (w : C) (k : nat) : C := (0, -1)%R * cpow w k.");
    stated("RealFft.v", "Definition apart_low (a b t : C) : C := even_part a b + odd_part a b * t.");
    stated("RealFft.v", "Definition apart_high (a b t : C) : C := conj (even_part a b - odd_part a b * t).");
    for m in [1, 2, 3, 8, 15, 16, 30, 64, 100] {
        let n = 2 * m;
        let mut own = vec![0.0; rfft_plan_len(n)];
        RealFft::plan(n, &mut own, &mut vec![C::ZERO; rfft_workspace(n)]).unwrap();
        let (inner, twist) = own.split_at(fft_plan_len(m));
        assert_eq!(inner, table(m), "the plan of half as many");
        let twist: Vec<C> = twist.as_chunks::<2>().0.iter().map(|t| C::new(t[0], t[1])).collect();
        assert_eq!(twist.len(), m / 2 + 1);
        for (k, t) in twist.iter().enumerate() {
            assert!(apart(*t, C::new(0.0, -1.0) * power(root(1, n), k)) < 1e-13, "twist {k} of {n}");
        }
        let x: Vec<f64> = Noise(m as u64).slice(n, 1.0);
        let z =
            transform(m, inner, &x.as_chunks::<2>().0.iter().map(|x| C::new(x[0], x[1])).collect::<Vec<_>>());
        let mut y = vec![C::ZERO; m + 1];
        let plan = RealFft::of(n, &own).unwrap();
        let mut work = vec![C::ZERO; rfft_workspace(n)];
        rfft(&plan, &x, &mut y, &mut work).unwrap();
        let half = C::new(0.5, 0.0);
        let steps = |a: C, b: C, t: C| {
            let (even, odd) = ((a + b.conj()) * half, (a - b.conj()) * half);
            [even + odd * t, (even - odd * t).conj()]
        };
        assert!(apart(y[0], C::new(z[0].re + z[0].im, 0.0)) < 1e-13);
        assert!(apart(y[m], C::new(z[0].re - z[0].im, 0.0)) < 1e-13);
        for k in 1..=m / 2 {
            let [low, high] = steps(z[k], z[m - k], twist[k]);
            assert!(apart(y[k], low) < 1e-13 && apart(y[m - k], high) < 1e-13, "{k} of {n}");
            // And back.
            let [a, b] = steps(y[k], y[m - k], twist[k].conj());
            assert!(apart(a, z[k]) < 1e-13 && apart(b, z[m - k]) < 1e-13, "{k} of {n}, back");
        }
        let mut back = vec![0.0; n];
        irfft(&plan, &y, &mut back, &mut work).unwrap();
        assert!(back.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-13));
    }
}
