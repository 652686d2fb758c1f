//! Sparse matrices made of others, and what solves systems that are not symmetric: one result on every set of lanes, by independent
//! sums in the stated order; patterns of every kind.

use super::*;

fn bits<T: Element>(x: &[T]) -> Vec<u64> {
    x.iter().map(|x| x.to_f64().to_bits()).collect()
}

fn numbers<T: Element>(n: usize, seed: u64) -> Vec<T> {
    Noise(seed).slice(n, 1.0)
}

/// A product in compressed rows, of exactly the room that it needs.
fn multiplied<S: fulmen::lanes::Simd, T: Element>(
    s: S,
    a: Csr<'_, T>,
    b: Csr<'_, T>,
) -> (Vec<usize>, Vec<u32>, Vec<T>) {
    let mut room = vec![usize::MAX; spgemm_workspace(b.cols())];
    let n = a.product_len(b, &mut room).unwrap();
    let (mut offsets, mut columns, mut values) = (vec![9; a.rows() + 1], vec![9; n], vec![T::NAN; n]);
    assert_eq!(spgemm_on(s, a, b, &mut offsets, &mut columns, &mut values, &mut room), Ok(n));
    // What is made is a matrix.
    Csr::new(a.rows(), b.cols(), &offsets, &columns, &values).unwrap();
    (offsets, columns, values)
}

/// The rows of a matrix: `sizes` of elements of each, at columns that `at` gives.
fn shaped(cols: usize, sizes: &[usize], at: impl Fn(usize, usize) -> usize) -> (Vec<usize>, Vec<u32>) {
    let (mut offsets, mut columns) = (vec![0], vec![]);
    for (i, n) in sizes.iter().enumerate() {
        let mut row: Vec<u32> = (0..*n).map(|k| (at(i, k) % cols) as u32).collect();
        row.sort_unstable();
        row.dedup();
        columns.extend(row);
        offsets.push(columns.len());
    }
    (offsets, columns)
}

#[test]
fn products_of_every_pattern() {
    let power = |i: usize| 1 + 4000 / (1 + i * i);
    let patterns: Vec<(&str, usize, Vec<usize>, fn(usize, usize) -> usize)> = vec![
        ("a diagonal", 70, vec![1; 70], |i, _| i),
        ("a band", 150, vec![9; 150], |i, k| i + k),
        ("a power law", 300, (0..300).map(power).collect(), |i, k| (i * 7919 + k * k * 31) ^ (k * 17)),
        ("whole rows", 40, vec![40; 40], |_, k| k),
        ("words apart", 9000, [[40; 30], [0; 30]].concat(), |i, k| (i * 64 + k * 4096 + k) * 61),
        ("the last columns", 130, vec![30; 20], |_, k| 129 - k),
        ("short rows and long ones", 500, (0..64).map(|i| 20 + i % 9).collect(), |i, k| i * 31 + k * 7),
    ];
    for (name, n, sizes, at) in patterns {
        // The first matrix chooses rows of the second.
        let m = sizes.len();
        let (offsets, columns) = shaped(n, &sizes, at);
        let values = numbers::<f64>(columns.len(), n as u64);
        let b = Csr::new(m, n, &offsets, &columns, &values).unwrap();
        let chosen: Vec<usize> = (0..m).map(|i| i % 5).collect();
        let (offsets, columns) = shaped(m, &chosen, |i, k| i * 13 + k * 29);
        let values = numbers::<f64>(columns.len(), 3);
        let a = Csr::new(m, m, &offsets, &columns, &values).unwrap();
        let (offsets, columns, values) = multiplied(fulmen::lanes::native(), a, b);
        for i in 0..m {
            let mut row = std::collections::BTreeMap::new();
            for (k, v) in a.row(i).0.iter().zip(a.row(i).1) {
                let of = b.row(*k as usize);
                of.0.iter().zip(of.1).for_each(|(c, w)| *row.entry(*c).or_insert(0.0) += v * w);
            }
            let at = offsets[i]..offsets[i + 1];
            assert_eq!(columns[at.clone()], row.keys().copied().collect::<Vec<_>>(), "{name}: row {i}");
            let want: Vec<f64> = row.into_values().collect();
            assert_eq!(bits(&values[at]), bits(&want), "{name}: row {i}");
        }
    }
}

#[test]
fn one_result_of_spgemm() {
    fn check<T: Element>() {
        let (offsets, columns) = pattern(60, 90, 40, &mut Noise(3));
        let values = numbers::<T>(columns.len(), 5);
        let a = Csr::new(60, 90, &offsets, &columns, &values).unwrap();
        let (offsets, columns) = pattern(90, 200, 60, &mut Noise(4));
        let values = numbers::<T>(columns.len(), 6);
        let b = Csr::new(90, 200, &offsets, &columns, &values).unwrap();
        let mut want = vec![];
        for i in 0..60 {
            let mut row = std::collections::BTreeMap::new();
            for (k, v) in a.row(i).0.iter().zip(a.row(i).1) {
                let of = b.row(*k as usize);
                for (c, w) in of.0.iter().zip(of.1) {
                    let to = row.entry(*c).or_insert(T::ZERO);
                    *to = *to + *v * *w;
                }
            }
            want.extend(row.into_values());
        }
        for_each_lane!(|s| assert_eq!(
            bits(&multiplied(s, a, b).2),
            bits(&want),
            "{} {}",
            T::NAME,
            name_of(s)
        ));
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn one_result_of_spadd() {
    fn check<T: Element>() {
        let of = |seed| {
            let (offsets, columns) = pattern(50, 70, 30, &mut Noise(seed));
            let values = numbers::<T>(columns.len(), seed + 1);
            (offsets, columns, values)
        };
        let (x, y) = (of(21), of(31));
        let a = Csr::new(50, 70, &x.0, &x.1, &x.2).unwrap();
        let b = Csr::new(50, 70, &y.0, &y.1, &y.2).unwrap();
        let [alpha, beta] = [1.3, -0.7].map(T::from_f64);
        let n = a.sum_len(b).unwrap();
        let mut want = vec![];
        for i in 0..50 {
            let mut row = std::collections::BTreeMap::new();
            a.row(i).0.iter().zip(a.row(i).1).for_each(|(c, v)| _ = row.insert(*c, alpha * *v));
            for (c, v) in b.row(i).0.iter().zip(b.row(i).1) {
                row.entry(*c).and_modify(|x| *x = *x + beta * *v).or_insert(beta * *v);
            }
            want.extend(row.into_values());
        }
        assert_eq!(want.len(), n);
        for_each_lane!(|s| {
            let (mut offsets, mut columns, mut values) = (vec![9; 51], vec![9; n], vec![T::NAN; n]);
            assert_eq!(spadd_on(s, alpha, a, beta, b, &mut offsets, &mut columns, &mut values), Ok(n));
            Csr::new(50, 70, &offsets, &columns, &values).unwrap();
            assert_eq!(bits(&values), bits(&want), "{} {}", T::NAME, name_of(s));
        });
        let wide = Csr::new(50, 71, &x.0, &x.1, &x.2).unwrap();
        let shape = Error::shape("b", [50, 71], [50, 70]);
        assert_eq!(wide.sum_len(b), Err(shape));
    }
    check::<f32>();
    check::<f64>();
}

/// Sixteen sums in turn, halves added, for rows and columns of any strides.
#[test]
fn one_result_of_sddmm() {
    fn check<T: Element>() {
        for k in [0, 1, 15, 16, 17, 31, 32, 33, 70] {
            let (m, n) = (13, 11);
            let (offsets, columns) = pattern(m, n, 6, &mut Noise(7));
            let zeros = vec![T::ZERO; columns.len()];
            let a = Csr::new(m, n, &offsets, &columns, &zeros).unwrap();
            let (x, y, old) =
                (numbers::<T>(m * k, 8), numbers::<T>(k * n, 9), numbers::<T>(columns.len(), 10));
            let [alpha, beta] = [1.3, -0.7].map(T::from_f64);
            let mut want = old.clone();
            for i in 0..m {
                for p in offsets[i]..offsets[i + 1] {
                    let at = |q: usize| x[i * k + q] * y[q * n + columns[p] as usize];
                    let mut sums = vec![T::ZERO; 16];
                    (0..k / 16 * 16).for_each(|q| sums[q % 16] = sums[q % 16] + at(q));
                    while sums.len() > 1 {
                        let half = sums.split_off(sums.len() / 2);
                        sums.iter_mut().zip(half).for_each(|(x, y)| *x = *x + y);
                    }
                    let sum = (k / 16 * 16..k).fold(sums[0], |sum, q| sum + at(q));
                    want[p] = alpha * sum + beta * old[p];
                }
            }
            let turned: Vec<T> = (0..n * k).map(|q| y[q % k * n + q / k]).collect();
            for_each_lane!(|s| {
                let x = MatRef::row_major(&x, m, k).unwrap();
                for y in [MatRef::row_major(&y, k, n).unwrap(), MatRef::col_major(&turned, k, n).unwrap()] {
                    let mut values = old.clone();
                    sddmm_on(s, alpha, x, y, a, beta, &mut values).unwrap();
                    assert_eq!(bits(&values), bits(&want), "{} {} {k}", T::NAME, name_of(s));
                }
            });
        }
    }
    check::<f32>();
    check::<f64>();
}

/// Coordinates in any order, with many in one place.
#[test]
fn coordinates() {
    let (rows, cols) = (40, 700);
    let r = &mut Noise(41);
    for n in [0, 1, 2, 50, 5000] {
        let index = |most: usize, r: &mut Noise| {
            (0..n).map(|_| (r.bits() as usize % most) as u32).collect::<Vec<_>>()
        };
        let (i, j, x) = (index(rows, r), index(cols / 30, r), r.slice::<f64>(n, 1.0));
        let mut dense = vec![None; rows * cols];
        for k in 0..n {
            let to = &mut dense[i[k] as usize * cols + j[k] as usize];
            *to = Some(to.map_or(x[k], |old: f64| old + x[k]));
        }
        let len = dense.iter().flatten().count();
        let (mut offsets, mut columns, mut values) = (vec![9; rows + 1], vec![9; len], vec![f64::NAN; len]);
        let mut room = vec![usize::MAX; coo_to_csr_workspace(rows, cols, n)];
        let got = coo_to_csr(rows, cols, &i, &j, &x, &mut offsets, &mut columns, &mut values, &mut room);
        assert_eq!(got, Ok(len));
        let a = Csr::new(rows, cols, &offsets, &columns, &values).unwrap();
        for k in 0..rows {
            let want: Vec<(u32, f64)> =
                (0..cols).filter_map(|c| Some((c as u32, dense[k * cols + c]?))).collect();
            let got: Vec<(u32, f64)> = a.row(k).0.iter().copied().zip(a.row(k).1.iter().copied()).collect();
            assert_eq!(got, want);
        }
    }
}

#[test]
fn one_result_of_coo_to_csr() {
    fn check<T: Element>() {
        let n = 900;
        let r = &mut Noise(43);
        let [i, j] = [0; 2].map(|_| (0..n).map(|_| (r.bits() % 12) as u32).collect::<Vec<_>>());
        let x = r.slice::<T>(n, 1.0);
        let mut want = std::collections::BTreeMap::new();
        for k in 0..n {
            want.entry((i[k], j[k])).and_modify(|old| *old = *old + x[k]).or_insert(x[k]);
        }
        let want: Vec<T> = want.into_values().collect();
        for_each_lane!(|s| {
            let (mut offsets, mut columns, mut values) = ([0; 13], vec![0; n], vec![T::NAN; n]);
            let mut room = vec![0; coo_to_csr_workspace(12, 12, n)];
            let len =
                coo_to_csr_on(s, 12, 12, &i, &j, &x, &mut offsets, &mut columns, &mut values, &mut room)
                    .unwrap();
            assert_eq!(bits(&values[..len]), bits(&want), "{} {}", T::NAME, name_of(s));
        });
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn transposes() {
    let (rows, cols) = (200, 33);
    let (offsets, columns) = pattern(rows, cols, 20, &mut Noise(47));
    let values = numbers::<f32>(columns.len(), 48);
    let a = Csr::new(rows, cols, &offsets, &columns, &values).unwrap();
    let (mut to, mut index, mut of) = (vec![9; cols + 1], vec![9; a.len()], vec![f32::NAN; a.len()]);
    csr_transpose(a, &mut to, &mut index, &mut of).unwrap();
    let t = Csr::new(cols, rows, &to, &index, &of).unwrap();
    for (i, j) in (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j))) {
        let at =
            |m: Csr<'_, f32>, i, j| m.row(i).0.iter().position(|c| *c as usize == j).map(|k| m.row(i).1[k]);
        assert_eq!(at(a, i, j), at(t, j, i));
    }
    let (mut back, mut first, mut same) = (vec![9; rows + 1], vec![9; a.len()], vec![f32::NAN; a.len()]);
    csr_transpose(t, &mut back, &mut first, &mut same).unwrap();
    assert_eq!((back, first, same), (offsets, columns, values));
}

#[test]
fn one_result_of_ic0() {
    let n = 300;
    let (offsets, columns, values) = system(n, 30, true, &mut Noise(13));
    let a = Csr::new(n, n, &offsets, &columns, &values).unwrap();
    let mut first = vec![];
    for_each_lane!(|s| {
        let mut factors = vec![0.0; a.len()];
        ic0_on(s, a, &mut factors).unwrap();
        if first.is_empty() {
            first = bits(&factors);
            let mut l = vec![0.0; n * n];
            let f = Csr::new(n, n, &offsets, &columns, &factors).unwrap();
            for i in 0..n {
                f.row(i).0.iter().zip(f.row(i).1).for_each(|(c, v)| l[i * n + *c as usize] = *v);
            }
            for i in 0..n {
                for (c, v) in a.row(i).0.iter().zip(a.row(i).1) {
                    let j = *c as usize;
                    let sum: f64 = (0..=i.min(j)).map(|k| l[i * n + k] * l[j * n + k]).sum();
                    assert!((sum - v).abs() < 1e-14, "{i} {j}: {sum} {v}");
                    assert_eq!(l[i * n + j], l[j * n + i]);
                }
            }
            // Both triangles solve.
            let mut x = numbers::<f64>(n, 14);
            let b = x.clone();
            spsv(Triangle::Lower, Diagonal::NonUnit, f, &mut x).unwrap();
            spsv(Triangle::Upper, Diagonal::NonUnit, f, &mut x).unwrap();
            let t: Vec<f64> = (0..n).map(|i| (i..n).map(|k| l[k * n + i] * x[k]).sum()).collect();
            for i in 0..n {
                let back: f64 = (0..=i).map(|k| l[i * n + k] * t[k]).sum();
                assert!((back - b[i]).abs() < 1e-12);
            }
        }
        assert_eq!(bits(&factors), first, "{}", name_of(s));
    });
}

/// The Laplacian of a line of points, with what flows along it.
fn convection(n: usize, flow: f64) -> (Vec<usize>, Vec<u32>, Vec<f64>) {
    let (mut offsets, mut columns, mut values) = (vec![0], vec![], vec![]);
    for i in 0..n {
        for (there, c, v) in
            [(i > 0, i.wrapping_sub(1), -1.0 - flow), (true, i, 2.0), (i + 1 < n, i + 1, flow - 1.0)]
        {
            columns.extend(there.then_some(c as u32));
            values.extend(there.then_some(v));
        }
        offsets.push(columns.len());
    }
    (offsets, columns, values)
}

#[test]
fn one_result_of_gauss_seidel() {
    let n = 12;
    let (offsets, columns, values) = convection(n, 0.0);
    let a = Csr::new(n, n, &offsets, &columns, &values).unwrap();
    let (chosen, mut b) = (numbers::<f64>(n, 51), vec![0.0; n]);
    spmv(1.0, a, &chosen, 0.0, &mut b).unwrap();
    let mut first = vec![];
    for_each_lane!(|s| {
        let mut x = vec![0.0; n];
        for _ in 0..200 {
            gauss_seidel_on(s, Triangle::Lower, 1.2, a, &b, &mut x).unwrap();
            gauss_seidel_on(s, Triangle::Upper, 1.2, a, &b, &mut x).unwrap();
        }
        assert!(x.iter().zip(&chosen).all(|(x, c)| (x - c).abs() < 1e-12));
        let mut x = vec![0.5; n];
        gauss_seidel_on(s, Triangle::Lower, 0.9, a, &b, &mut x).unwrap();
        gauss_seidel_on(s, Triangle::Upper, 0.9, a, &b, &mut x).unwrap();
        if first.is_empty() {
            first = bits(&x);
        }
        assert_eq!(bits(&x), first, "{}", name_of(s));
    });
}

/// How a method solves: the matrix, what preconditions it, right-hand side, solution, tolerance, steps.
type Method = fn(Csr<'_, f64>, Option<Csr<'_, f64>>, &[f64], &mut [f64], f64, usize) -> Result<(), Error>;

fn convected(by: Method, flow: f64, steps: [usize; 2]) {
    let n = 400;
    let (offsets, columns, values) = convection(n, flow);
    let a = Csr::new(n, n, &offsets, &columns, &values).unwrap();
    let (chosen, mut b) = (numbers::<f64>(n, 53), vec![0.0; n]);
    spmv(1.0, a, &chosen, 0.0, &mut b).unwrap();
    let (ends, diagonal): (Vec<usize>, Vec<u32>) = ((0..=n).collect(), (0..n as u32).collect());
    let twos = vec![2.0; n];
    let jacobi = Csr::new(n, n, &ends, &diagonal, &twos).unwrap();
    // Not quite the factors, which would leave nothing to do.
    let near: Vec<f64> = values.iter().map(|v| if *v == 2.0 { 2.3 } else { *v }).collect();
    let other = Csr::new(n, n, &offsets, &columns, &near).unwrap();
    let mut factors = vec![0.0; a.len()];
    ilu0(other, &mut factors).unwrap();
    let lu = Csr::new(n, n, &offsets, &columns, &factors).unwrap();
    let without = (None, steps[1]);
    for (m, most) in [(Some(lu), steps[0]), (Some(jacobi), steps[1]), without] {
        let mut x = vec![0.0; n];
        by(a, m, &b, &mut x, 1e-10, most).unwrap();
        let mut left = b.clone();
        spmv(-1.0, a, &x, 1.0, &mut left).unwrap();
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!(norm(&left) <= 2e-10 * norm(&b), "{:e}", norm(&left) / norm(&b));
        // From there on there is nothing to do.
        let before = x.clone();
        by(a, m, &b, &mut x, 3e-10, 0).unwrap();
        assert_eq!(x, before);
        let mut x = vec![0.0; n];
        assert!(matches!(by(a, m, &b, &mut x, 1e-10, 2), Err(Error::Convergence { arg: "a", .. })));
        assert!(x.iter().any(|x| *x != 0.0), "the last iterate");
    }
    // Nothing that this matrix makes lies in the direction of b.
    let none = Csr::new(2, 2, &[0, 1, 1], &[1], &[1.0]).unwrap();
    let stuck = by(none, None, &[1.0, 0.0], &mut [0.0; 2], 1e-3, 50);
    assert!(matches!(stuck, Err(Error::Pivot { arg: "a", .. } | Error::Convergence { .. })), "{stuck:?}");
}

#[test]
fn convection_by_gmres() {
    convected(
        |a, m, b, x, tolerance, most| {
            gmres(a, m, b, x, tolerance, 30, most, &mut vec![f64::NAN; gmres_workspace(a.rows(), 30)])
        },
        3.0,
        [60, 3000],
    );
}

/// A cycle of points, of which two directions show nothing: no number of steps is enough, and it ends.
#[test]
fn what_brings_nothing_ends() {
    let (offsets, columns, ones) = ([0, 1, 2, 3, 4], [1, 2, 3, 0], [1.0; 4]);
    let a = Csr::new(4, 4, &offsets, &columns, &ones).unwrap();
    let b = [1.0, 0.0, 0.0, 0.0];
    let by = |restart: usize| {
        let mut x = [0.0; 4];
        let mut room = vec![f64::NAN; gmres_workspace(4, restart)];
        (gmres(a, None, &b, &mut x, 1e-9, restart, usize::MAX, &mut room), x)
    };
    assert!(matches!(by(2).0, Err(Error::Convergence { arg: "a", .. })));
    assert_eq!(by(4), (Ok(()), [0.0, 1.0, 0.0, 0.0]));
}

#[test]
fn convection_by_bicgstab() {
    convected(
        |a, m, b, x, tolerance, most| {
            bicgstab(a, m, b, x, tolerance, most, &mut vec![f64::NAN; bicgstab_workspace(a.rows())])
        },
        0.4,
        [120, 3000],
    );
}
