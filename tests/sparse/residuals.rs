//! What an iterative solver calls solved, by the residual of what it returns: of graded, ill-conditioned, singular and badly scaled systems, of
//! orders that are drawn at each run.

use super::*;
use common::seed::Seed;

/// A square matrix with all of its elements, by rows.
struct Dense<T> {
    n: usize,
    x: Vec<T>,
}

impl<T: Element> Dense<T> {
    /// `Q·diag(values)·Qᵀ` of some orthogonal Q, symmetric to the last bit; and Q's columns.
    fn of(values: &[f64], r: &mut Noise) -> (Self, Vec<Vec<f64>>) {
        let n = values.len();
        let mut q: Vec<Vec<f64>> = vec![];
        while q.len() < n {
            let mut v = r.slice::<f64>(n, 1.0);
            for _ in 0..3 {
                for u in &q {
                    let along: f64 = u.iter().zip(&v).map(|(u, v)| u * v).sum();
                    v.iter_mut().zip(u).for_each(|(v, u)| *v -= along * u);
                }
                let long = v.iter().map(|v| v * v).sum::<f64>().sqrt();
                v.iter_mut().for_each(|v| *v /= long);
            }
            q.push(v);
        }
        let at = |i: usize, j: usize| (0..n).map(|k| q[k][i] * values[k] * q[k][j]).sum::<f64>();
        let x = (0..n * n).map(|k| T::from_f64(at((k / n).min(k % n), (k / n).max(k % n)))).collect();
        (Self { n, x }, q)
    }
    fn times(&self, x: &[f64], by: f64) -> Vec<T> {
        let row = |i: usize| (0..self.n).map(|j| self.x[i * self.n + j].to_f64() * x[j]).sum::<f64>();
        (0..self.n).map(|i| T::from_f64(row(i) * by)).collect()
    }
}

/// `‖b - Ax‖/‖b‖` with sums in twice the precision of `f64`.
fn left<T: Element>(a: &Dense<T>, b: &[T], x: &[T]) -> f64 {
    // By powers of 2, so that no square is lost.
    let most = |x: &[f64]| x.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let norm = |x: &[f64]| {
        let most = most(x).max(f64::MIN_POSITIVE);
        most * x.iter().map(|x| (x / most).powi(2)).sum::<f64>().sqrt()
    };
    let row = |i: usize| {
        let (mut hi, mut lo) = (b[i].to_f64(), 0.0);
        for (a, x) in a.x[i * a.n..(i + 1) * a.n].iter().zip(x) {
            let (a, x) = (-a.to_f64(), x.to_f64());
            let product = a * x;
            lo += a.mul_add(x, -product);
            let sum = hi + product;
            let part = sum - hi;
            lo += (hi - (sum - part)) + (product - part);
            hi = sum;
        }
        hi + lo
    };
    let all: Vec<f64> = (0..a.n).map(row).collect();
    let whole: Vec<f64> = b.iter().map(|b| b.to_f64()).collect();
    norm(&all) / norm(&whole)
}

const SOLVERS: [&str; 5] = ["cg", "Cg", "gmres", "gmres(3)", "bicgstab"];

/// A solver of that name on the matrix of all elements, without a preconditioner or with the diagonal.
fn solve<T: Element>(
    name: &str,
    a: &Dense<T>,
    jacobi: bool,
    b: &[T],
    x: &mut [T],
    tolerance: f64,
) -> Result<(), Error> {
    let n = a.n;
    let (offsets, columns): (Vec<usize>, Vec<u32>) =
        ((0..=n).map(|i| i * n).collect(), (0..n * n).map(|k| (k % n) as u32).collect());
    let m = Csr::new(n, n, &offsets, &columns, &a.x).unwrap();
    let (ends, diagonal): (Vec<usize>, Vec<u32>) = ((0..=n).collect(), (0..n as u32).collect());
    let about: Vec<T> = (0..n).map(|i| a.x[i * n + i]).collect();
    let lu = jacobi.then(|| Csr::new(n, n, &ends, &diagonal, &about).unwrap());
    let (t, most) = (T::from_f64(tolerance), 6 * n + 60);
    let room = |n: usize| vec![T::NAN; n];
    match name {
        "cg" => cg(m, lu, b, x, t, most, &mut room(cg_workspace(n))),
        "Cg" => {
            let mut w = room(cg_workspace(n));
            let mut state = Cg::new(m, lu, b, x, &mut w)?;
            while !state.solved(t)? {
                if state.steps() == most {
                    // What the steps say is not all that there is to say.
                    state.renew()?;
                    return match state.residual() <= t {
                        true => Ok(()),
                        false => cg(m, lu, b, &mut x.to_vec(), t, 0, &mut room(cg_workspace(n))),
                    };
                }
                state.step()?;
            }
            Ok(())
        }
        "gmres" => gmres(m, lu, b, x, t, n.max(1), most, &mut room(gmres_workspace(n, n.max(1)))),
        "gmres(3)" => gmres(m, lu, b, x, t, 3, most, &mut room(gmres_workspace(n, 3))),
        _ => bicgstab(m, lu, b, x, t, most, &mut room(bicgstab_workspace(n))),
    }
}

/// What holds of every answer.
fn answered<T: Element>(a: &Dense<T>, b: &[T], x: &[T], tolerance: f64, done: Result<(), Error>, at: &str) {
    assert!(x.iter().all(|x| x.to_f64().is_finite()), "{at}: {done:?}: {x:?}");
    let (share, tolerance) = (left(a, b, x), T::from_f64(tolerance).to_f64());
    match done {
        Ok(()) => assert!(share <= tolerance * (1.0 + 1e-6), "{at}: Ok with {share:e}"),
        Err(Error::Convergence { arg: "a", residual: Some(r), .. }) => {
            let far = (r.value() - share).abs();
            assert!(r.value() > tolerance && far <= 1e-5 * share, "{at}: {r} of {share:e}");
        }
        Err(Error::Pivot { arg: "a", .. } | Error::Domain { arg: "a" | "x", .. }) => {}
        other => panic!("{at}: {other:?}"),
    }
}

#[test]
fn ok_is_what_the_residual_says() {
    fn check<T: Element>(r: &mut Noise, digits: f64) {
        for turn in 0..16 {
            let n = 1 + r.bits() as usize % 24;
            let decades = [0.0, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0, 14.0][turn % 8];
            let grade = |k: usize| 10f64.powf(decades * k as f64 / (n.max(2) - 1) as f64);
            let values: Vec<f64> = (0..n).map(grade).collect();
            let (a, q) = Dense::<T>::of(&values, r);
            // The worst there is for one that looks at its own sums alone: x among the smallest values.
            let chosen = if turn % 3 == 0 { q[0].clone() } else { r.slice::<f64>(n, 1.0) };
            let by = [1.0, 1e-20, 1e30, 1e-30, 1e20][(turn + turn / 8) % 5];
            // Values of the matrix and of b that the type has.
            let by = if T::SIGNIFICAND < 30 && by > 1e20 && decades > 6.0 { 1e20 } else { by };
            let b = a.times(&chosen, by);
            for tolerance in [1e-3, 0.3 * 10f64.powf(2.0 - digits), 10f64.powf(-digits), 0.0] {
                for name in SOLVERS {
                    for jacobi in [false, true] {
                        let mut x = vec![T::ZERO; n];
                        let done = solve(name, &a, jacobi, &b, &mut x, tolerance);
                        let at =
                            format!("{} {name} of {n}, 1e{decades}, {by:e}, {tolerance:e} {jacobi}", T::NAME);
                        answered(&a, &b, &x, tolerance, done, &at);
                        // Where every digit counts all of them have to solve it.
                        let easy = decades <= 1.0 && tolerance >= 10f64.powf(2.0 - digits) * 0.2;
                        assert!(!easy || name == "gmres(3)" || done.is_ok(), "{at}: {done:?}");
                        // A is positive definite as far as the type can say.
                        let definite = decades + 2.0 < digits;
                        assert!(!definite || !matches!(done, Err(Error::Pivot { .. })), "{at}: {done:?}");
                    }
                }
            }
        }
    }
    let r = &mut Seed::new("ok_is_what_the_residual_says").stream("ok_is_what_the_residual_says");
    check::<f32>(r, 7.0);
    check::<f64>(r, 15.0);
}

/// The residual that is updated falls below the tolerance long after that of x has ended to fall.
#[test]
fn a_residual_that_no_x_has() {
    fn check<T: Element>(decades: f64, tolerance: f64) {
        let n = 30;
        let values: Vec<f64> = (0..n).map(|k| 10f64.powf(decades * k as f64 / 29.0)).collect();
        let (a, q) = Dense::<T>::of(&values, &mut Noise(1));
        let b = a.times(&q[0], 1.0);
        for name in SOLVERS {
            let mut x = vec![T::ZERO; n];
            let done = solve(name, &a, false, &b, &mut x, tolerance);
            assert!(matches!(done, Err(Error::Convergence { residual: Some(_), .. })), "{name}: {done:?}");
            answered(&a, &b, &x, tolerance, done, name);
        }
    }
    check::<f32>(6.0, 1e-6);
    check::<f64>(10.0, 1e-12);
}

/// The right-hand side of a diagonal in every decade that the type has.
#[test]
fn right_hand_sides_of_every_size() {
    fn check<T: Element>(decades: std::ops::RangeInclusive<i32>, tolerance: f64) {
        let n = 6;
        let x = (0..n * n).map(|k| T::from_usize(if k % 7 == 0 { 1 + k / 7 } else { 0 })).collect();
        let a = Dense { n, x };
        for by in decades.map(|e| 10f64.powi(e)) {
            let b: Vec<T> = (0..n).map(|i| T::from_f64(by * (1.0 + 0.1 * i as f64))).collect();
            for name in SOLVERS {
                let mut x = vec![T::ZERO; n];
                let done = solve(name, &a, false, &b, &mut x, tolerance);
                let at = format!("{} {name} {by:e}", T::NAME);
                assert!(done.is_ok() || name == "gmres(3)", "{at}: {done:?}");
                answered(&a, &b, &x, tolerance, done, &at);
            }
        }
    }
    check::<f32>(-37..=37, 1e-6);
    check::<f64>(-30..=30, 1e-14);
    check::<f64>(-305..=-290, 1e-14);
    check::<f64>(295..=307, 1e-14);
}

/// Singular matrices, with right-hand sides that they make and ones that they do not.
#[test]
fn singular_matrices() {
    fn check<T: Element>(r: &mut Noise) {
        for turn in 0..20 {
            let n = 2 + r.bits() as usize % 20;
            let zeros = 1 + r.bits() as usize % (n - 1);
            let values: Vec<f64> =
                (0..n).map(|k| if k < zeros { 0.0 } else { 10f64.powi(turn % 5) }).collect();
            let mut a = Dense::<T>::of(&values, r).0;
            if turn % 2 == 0 {
                // As exact as a singular matrix can be.
                let v: Vec<f64> = (0..n).map(|_| (r.bits() % 9) as f64 - 4.0).collect();
                a.x = (0..n * n).map(|k| T::from_f64(v[k / n] * v[k % n])).collect();
            }
            let chosen = r.slice::<f64>(n, 1.0);
            let made = a.times(&chosen, 1.0);
            for b in [made, r.slice::<T>(n, 1.0), r.slice::<T>(n, 1e30)] {
                if b.iter().all(|b| *b == T::ZERO) {
                    continue;
                }
                for name in SOLVERS {
                    let mut x = vec![T::ZERO; n];
                    let done = solve(name, &a, false, &b, &mut x, 1e-5);
                    let left_range = matches!(done, Err(Error::Domain { .. }));
                    answered(&a, &b, &x, 1e-5, done, &format!("{} {name} of {n}: {turn}", T::NAME));
                    // Of 0 the residual is b. Where x leaves the range it is as far as it came.
                    let share = if left_range { 0.0 } else { left(&a, &b, &x) };
                    assert!(
                        !name.starts_with("gmres") || share <= 1.0 + 1e-6,
                        "{name} of {n}: {turn}: {share:e}"
                    );
                }
            }
        }
    }
    // In the second one's `f64` a step of bicgstab was so long that rounding errors were all that was left.
    for seed in [Seed::new("singular_matrices"), Seed::fixed(614_237_214)] {
        let r = &mut seed.stream("singular_matrices");
        check::<f32>(r);
        check::<f64>(r);
    }
}

/// Where A makes 0 of what is left of b, `gmres` has the least residual that there is, and x does not grow.
#[test]
fn directions_of_rounding_alone() {
    fn check<T: Element>(r: &mut Noise) {
        for turn in 0..20 {
            let n = 2 + r.bits() as usize % 12;
            let zero = |i: usize| i == turn % n || (i * 7 + turn).is_multiple_of(5);
            let x = (0..n * n).map(|k| T::from_usize(usize::from(k / n == k % n && !zero(k / n)))).collect();
            let a = Dense { n, x };
            let b = r.slice::<T>(n, 1.0);
            let mut x = vec![T::ZERO; n];
            let done = solve("gmres", &a, false, &b, &mut x, 1e-5);
            let size = |keep: &dyn Fn(usize) -> bool| -> f64 {
                (0..n).filter(|i| keep(*i)).map(|i| b[i].to_f64().powi(2)).sum::<f64>().sqrt()
            };
            let (least, whole) = (size(&zero), size(&|_| true));
            let got = left(&a, &b, &x);
            let at = format!("{} of {n}: {turn}: {done:?}", T::NAME);
            assert!((got * whole - least).abs() <= 1e-5 * whole, "{at}: {got:e}, {least:e} of {whole:e}");
            assert!(x.iter().all(|x| x.to_f64().abs() <= 1e3 * whole), "{at}: {x:?}");
        }
    }
    let r = &mut Seed::new("directions_of_rounding_alone").stream("directions_of_rounding_alone");
    check::<f32>(r);
    check::<f64>(r);
}

/// A singular symmetric matrix, and a right-hand side that it does not make: `gmres` comes as near as any x does, says what is left, and x
/// does not grow by what A makes of rounding errors.
#[test]
fn inconsistent_singular_systems() {
    fn check<T: Element>(r: &mut Noise, unit: f64) {
        for turn in 0..24 {
            let n = 2 + r.bits() as usize % 14;
            // The Laplacian of a graph in parts, each of which is a line with some more edges: whole numbers, and no rounding.
            let parts = 1 + turn % n.min(3);
            let mut a = Dense { n, x: vec![T::ZERO; n * n] };
            for j in parts..n {
                let others = [j - parts, j % parts + r.bits() as usize % (j / parts) * parts];
                for i in others {
                    let weight = T::from_usize(1 + r.bits() as usize % 4);
                    for (row, col, sign) in [(i, i, T::ONE), (j, j, T::ONE), (i, j, -T::ONE), (j, i, -T::ONE)]
                    {
                        a.x[row * n + col] = a.x[row * n + col] + sign * weight;
                    }
                }
            }
            let size = |c: usize| (c..n).step_by(parts).count() as f64;
            let of = |c: usize, i: usize| if i % parts == c { 1.0 / size(c).sqrt() } else { 0.0 };
            let q: Vec<Vec<f64>> = (0..parts).map(|c| (0..n).map(|i| of(c, i)).collect()).collect();
            let by = [1.0, 1e-20, 1e20][turn % 3];
            let mut b: Vec<T> = r.slice(n, by);
            if turn % 4 == 3 {
                // Nothing that it makes.
                b = q[0].iter().map(|x| T::from_f64(by * x)).collect();
            }
            let whole = b.iter().map(|b| b.to_f64().powi(2)).sum::<f64>().sqrt();
            let part = |q: &Vec<f64>| q.iter().zip(&b).map(|(q, b)| q * b.to_f64()).sum::<f64>().powi(2);
            let least = q.iter().map(part).sum::<f64>().sqrt() / whole;
            for name in ["gmres", "gmres(3)"] {
                let mut x = vec![T::ZERO; n];
                let done = solve(name, &a, false, &b, &mut x, 1e-9);
                let at = format!("{} {name}, {parts} of {n}, {by:e}: {turn}", T::NAME);
                let reached = matches!(done, Err(Error::Convergence { residual: Some(_), .. }));
                answered(&a, &b, &x, 1e-9, done, &at);
                // A makes 0 of the first direction where it makes nothing of b.
                let pivot = matches!(done, Err(Error::Pivot { .. })) && least > 1.0 - 1e-6;
                assert!(reached || pivot || least < 1e-6, "{at}: {done:?} where {least:e} is left");
                let got = left(&a, &b, &x);
                let most = if name == "gmres" { least + 100.0 * unit } else { 1.0 + 1e-6 };
                assert!(got <= most, "{at}: {got:e}, {least:e}: {done:?}");
                assert!(x.iter().all(|x| x.to_f64().abs() <= 32.0 * whole), "{at}: {x:?} of {whole:e}");
            }
        }
    }
    // In the `f64` of the second one a direction that reduced the residual by less than its rounding made x 24 000 times as long as b; in the
    // `f32` of the third the residual was larger by rounding errors of a long y.
    let seeds = [614_237_214, 1_612_118_077].map(Seed::fixed);
    for seed in [Seed::new("inconsistent_singular_systems")].into_iter().chain(seeds) {
        let r = &mut seed.stream("inconsistent_singular_systems");
        check::<f32>(r, f64::from(f32::EPSILON));
        check::<f64>(r, f64::EPSILON);
    }
}

/// A solution beyond the largest number is named by itself.
#[test]
fn solutions_beyond_the_range() {
    let a = Dense { n: 2, x: vec![1e-20f32, 0.0, 0.0, 2e-20] };
    for name in SOLVERS {
        let mut x = [1.0; 2];
        let done = solve(name, &a, false, &[1e30, 1e30], &mut x, 1e-3);
        assert_eq!(done, Err(Error::domain("x")), "{name}");
        assert!(x.iter().all(|x| x.is_finite()));
    }
}

/// Values at an end of the spectrum, by what their vectors leave in sums of twice the precision.
#[test]
fn pairs_are_what_they_leave() {
    fn check<T: Element>(r: &mut Noise, digits: f64) {
        for turn in 0..12 {
            let n = 3 + r.bits() as usize % 25;
            let (k, decades) = (1 + turn % 2, [0.5, 2.0, 6.0][turn % 3]);
            let values: Vec<f64> = (0..n).map(|i| 10f64.powf(decades * i as f64 / (n - 1) as f64)).collect();
            let a = Dense::<T>::of(&values, r).0;
            let (offsets, columns): (Vec<usize>, Vec<u32>) =
                ((0..=n).map(|i| i * n).collect(), (0..n * n).map(|k| (k % n) as u32).collect());
            let m = Csr::new(n, n, &offsets, &columns, &a.x).unwrap();
            let size = (0..n).map(|i| a.x[i * n..(i + 1) * n].iter().map(|x| x.to_f64().abs()).sum::<f64>());
            let size = size.fold(0.0, f64::max);
            for share in [-2.0, 0.0, 0.7, 3.0] {
                let tolerance = T::from_f64(10f64.powf(share - digits));
                let (mut x, mut found) = (r.slice::<T>(n * k, 1.0), vec![T::NAN; k]);
                let mut room = vec![T::NAN; lobpcg_workspace(n, k)];
                let done = lobpcg(true, m, None, None, &mut x, &mut found, tolerance, 200, &mut room);
                let mut worst = 0.0f64;
                for (x, value) in x.chunks(n).zip(&found) {
                    // `-Ax` of a matrix less λ on its diagonal would round: λx is the right-hand side.
                    let b: Vec<f64> = x.iter().map(|x| value.to_f64() * x.to_f64()).collect();
                    let wide = Dense { n, x: a.x.iter().map(|x| x.to_f64()).collect() };
                    let long: Vec<f64> = x.iter().map(|x| x.to_f64()).collect();
                    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
                    let of = left(&wide, &b, &long) * norm(&b);
                    worst = worst.max(of / (size + value.to_f64().abs()) / norm(&long));
                }
                let at = format!("{} {k} of {n}, 1e{decades}, {:e}", T::NAME, tolerance.to_f64());
                // λx rounds to half a unit, which is no part of what is looked at.
                let margin = if T::SIGNIFICAND < 30 { 1e-14 } else { 1.2e-16 };
                match done {
                    Ok(_) => assert!(worst <= tolerance.to_f64() + margin, "{at}: Ok with {worst:e}"),
                    Err(Error::Convergence { residual: Some(_), .. }) => {
                        assert!(share < 3.0, "{at}: {done:?}")
                    }
                    other => panic!("{at}: {other:?}"),
                }
            }
        }
    }
    let r = &mut Seed::new("pairs_are_what_they_leave").stream("pairs_are_what_they_leave");
    check::<f32>(r, 7.0);
    check::<f64>(r, 16.0);
}
