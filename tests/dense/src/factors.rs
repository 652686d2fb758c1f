//! Factors of matrices in rows by the plainest methods: Householder's, Jacobi's, and QR steps.

/// `C = C - τv(vᵀC)` for the `v` of column `k` of `f`, which has `n` columns.
pub fn reflect(f: &[f64], n: usize, k: usize, tau: f64, c: &mut [f64], cols: usize) {
    let v = |i: usize| if i == k { 1.0 } else { f[i * n + k] };
    let m = f.len() / n;
    for j in 0..cols {
        let w: f64 = (k..m).map(|i| v(i) * c[i * cols + j]).sum();
        (k..m).for_each(|i| c[i * cols + j] -= tau * w * v(i));
    }
}

/// The factors of `m` rows over A, and τ.
pub fn qr(a: &mut [f64], m: usize, n: usize) -> Vec<f64> {
    (0..m.min(n))
        .map(|k| {
            let alpha = a[k * n + k];
            if (k + 1..m).all(|i| a[i * n + k] == 0.0) {
                return 0.0;
            }
            // No square of a subnormal number is one.
            let most = (k..m).fold(0.0f64, |most, i| most.max(a[i * n + k].abs()));
            let norm = most * (k..m).map(|i| (a[i * n + k] / most).powi(2)).sum::<f64>().sqrt();
            let beta = if alpha < 0.0 { norm } else { -norm };
            (k + 1..m).for_each(|i| a[i * n + k] /= alpha - beta);
            let tau = (beta - alpha) / beta;
            let f = a.to_vec();
            for j in k + 1..n {
                let mut column: Vec<f64> = (0..m).map(|i| a[i * n + j]).collect();
                reflect(&f, n, k, tau, &mut column, 1);
                (0..m).for_each(|i| a[i * n + j] = column[i]);
            }
            a[k * n + k] = beta;
            tau
        })
        .collect()
}

/// The angle that makes `p` of the symmetric `[a p; p b]` 0, as cosine and sine.
fn angle(a: f64, p: f64, b: f64) -> [f64; 2] {
    let t = {
        let theta = (b - a) / (2.0 * p);
        theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt())
    };
    let c = 1.0 / (t * t + 1.0).sqrt();
    [c, c * t]
}

/// Columns `p` and `q` of a matrix of `n` columns, turned.
fn turn(x: &mut [f64], n: usize, p: usize, q: usize, [c, s]: [f64; 2]) {
    for row in x.chunks_mut(n) {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
}

fn identity(n: usize) -> Vec<f64> {
    (0..n * n).map(|k| f64::from(u8::from(k / n == k % n))).collect()
}

/// A matrix of so many columns, the other way round.
pub fn transposed(x: &[f64], cols: usize) -> Vec<f64> {
    (0..cols).flat_map(|j| x.iter().skip(j).step_by(cols.max(1)).copied()).collect()
}

/// The columns in an order, and each with its largest element positive; what is 0 without a sign.
pub fn arranged(x: &[f64], n: usize, order: &[usize], signs: &[f64]) -> Vec<f64> {
    x.chunks(n.max(1))
        .flat_map(|row| order.iter().zip(signs).map(|(k, sign)| row[*k] * sign + 0.0).collect::<Vec<_>>())
        .collect()
}

/// Of the largest element of each column, in an order.
pub fn signs(x: &[f64], n: usize, order: &[usize]) -> Vec<f64> {
    let most = |k: usize| {
        x.iter().skip(k).step_by(n).fold(0.0f64, |most, x| if x.abs() > most.abs() { *x } else { most })
    };
    order.iter().map(|k| if most(*k) < 0.0 { -1.0 } else { 1.0 }).collect()
}

/// Values ascending and vectors of what the lower triangle says.
pub fn eigen(a: &[f64], n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut a: Vec<f64> = (0..n * n).map(|k| a[(k / n).max(k % n) * n + (k / n).min(k % n)]).collect();
    let mut v = identity(n);
    for _ in 0..30 {
        for p in 0..n {
            for q in p + 1..n {
                if a[p * n + q].abs() > 1e-300 {
                    let by = angle(a[p * n + p], a[p * n + q], a[q * n + q]);
                    turn(&mut a, n, p, q, by);
                    for k in 0..n {
                        let ([c, s], x, y) = (by, a[p * n + k], a[q * n + k]);
                        (a[p * n + k], a[q * n + k]) = (c * x - s * y, s * x + c * y);
                    }
                    turn(&mut v, n, p, q, by);
                }
            }
        }
        let off = (0..n * n).filter(|k| k / n != k % n).fold(0.0f64, |most, k| most.max(a[k].abs()));
        if off < 1e-17 * n as f64 {
            break;
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, k| a[i * n + i].total_cmp(&a[k * n + k]));
    let signs = signs(&v, n, &order);
    (arranged(&v, n, &order, &signs), order.iter().map(|k| a[k * n + k]).collect())
}

/// Left vectors, values and right vectors in rows, of at least as many rows as columns.
pub fn singular(a: &[f64], n: usize) -> [Vec<f64>; 3] {
    let (mut w, mut v) = (a.to_vec(), identity(n));
    for _ in 0..30 {
        let mut turned = false;
        for p in 0..n {
            for q in p + 1..n {
                let dot = |i: usize, k: usize| w.chunks(n).map(|row| row[i] * row[k]).sum::<f64>();
                let [x, y, z] = [dot(p, p), dot(p, q), dot(q, q)];
                if y.abs() > 1e-17 * (x * z).sqrt() {
                    turned = true;
                    let by = angle(x, y, z);
                    turn(&mut w, n, p, q, by);
                    turn(&mut v, n, p, q, by);
                }
            }
        }
        if !turned {
            break;
        }
    }
    let size = |k: usize| {
        let most = w.chunks(n).fold(0.0f64, |most, row| most.max(row[k].abs()));
        if most == 0.0 {
            0.0
        } else {
            most * w.chunks(n).map(|row| (row[k] / most).powi(2)).sum::<f64>().sqrt()
        }
    };
    let sizes: Vec<f64> = (0..n).map(size).collect();
    // What is 0 has the vectors of the identity, in the cases that are tried.
    for (k, x) in w.iter_mut().enumerate() {
        let size = sizes[k % n];
        *x = if size == 0.0 { f64::from(u8::from(k / n == k % n)) } else { *x / size };
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, k| sizes[*k].total_cmp(&sizes[*i]));
    let signs = signs(&w, n, &order);
    let values = order.iter().map(|k| sizes[*k]).collect();
    [arranged(&w, n, &order, &signs), values, transposed(&arranged(&v, n, &order, &signs), n)]
}

/// `x·y` and `x/y` of complex numbers.
fn times(x: [f64; 2], y: [f64; 2]) -> [f64; 2] {
    [x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]]
}

/// The eigenvalues by complex QR steps with single shifts on the whole matrix, row by row: another way than the op's.
pub fn eigenvalues(a: &[f64], n: usize) -> Vec<[f64; 2]> {
    let minus = |x: [f64; 2], y: [f64; 2]| [x[0] - y[0], x[1] - y[1]];
    let size = |x: [f64; 2]| x[0].hypot(x[1]);
    let mut h: Vec<[f64; 2]> = a.iter().map(|x| [*x, 0.0]).collect();
    // Zeros below the first diagonal under the main one, by rotations.
    let rotate =
        |h: &mut Vec<[f64; 2]>, p: usize, q: usize, c: f64, s: [f64; 2], cols: std::ops::Range<usize>| {
            for j in cols {
                let (x, y) = (h[p * n + j], h[q * n + j]);
                let sy = times(s, y);
                let sx = times([s[0], -s[1]], x);
                h[p * n + j] = [c * x[0] + sy[0], c * x[1] + sy[1]];
                h[q * n + j] = [c * y[0] - sx[0], c * y[1] - sx[1]];
            }
        };
    let back = |h: &mut Vec<[f64; 2]>, p: usize, q: usize, c: f64, s: [f64; 2], rows: usize| {
        for i in 0..rows {
            let (x, y) = (h[i * n + p], h[i * n + q]);
            let sy = times([s[0], -s[1]], y);
            let sx = times(s, x);
            h[i * n + p] = [c * x[0] + sy[0], c * x[1] + sy[1]];
            h[i * n + q] = [c * y[0] - sx[0], c * y[1] - sx[1]];
        }
    };
    let turn = |x: [f64; 2], y: [f64; 2]| {
        let r = size(x).hypot(size(y));
        if size(y) == 0.0 {
            return (1.0, [0.0; 2]);
        }
        if size(x) == 0.0 {
            return (0.0, [y[0] / r, -y[1] / r]);
        }
        let of = times([x[0] / size(x), x[1] / size(x)], [y[0], -y[1]]);
        (size(x) / r, [of[0] / r, of[1] / r])
    };
    for k in 0..n.saturating_sub(2) {
        for i in (k + 2..n).rev() {
            let (c, s) = turn(h[(i - 1) * n + k], h[i * n + k]);
            rotate(&mut h, i - 1, i, c, s, 0..n);
            back(&mut h, i - 1, i, c, s, n);
        }
    }
    let mut end = n;
    let mut turns = 0;
    while end > 1 {
        let i = end - 1;
        let mut l = i;
        while l > 0 && size(h[l * n + l - 1]) > 1e-16 * (size(h[l * n + l]) + size(h[(l - 1) * n + l - 1])) {
            l -= 1;
        }
        if l == i {
            end -= 1;
            continue;
        }
        turns += 1;
        assert!(turns < 1000 * n, "the reference does not end");
        // The eigenvalue of the last two rows that is nearer to the last element, or another shift now and then.
        let [a, b, c, d] = [h[(i - 1) * n + i - 1], h[(i - 1) * n + i], h[i * n + i - 1], h[i * n + i]];
        let half = [(a[0] - d[0]) / 2.0, (a[1] - d[1]) / 2.0];
        let (square, bc) = (times(half, half), times(b, c));
        let of = [square[0] + bc[0], square[1] + bc[1]];
        let (length, angle) = (size(of).sqrt(), of[1].atan2(of[0]) / 2.0);
        let root = [length * angle.cos(), length * angle.sin()];
        let both = [1.0, -1.0].map(|s| [d[0] + half[0] + s * root[0], d[1] + half[1] + s * root[1]]);
        let mut shift = if size(minus(both[0], d)) < size(minus(both[1], d)) { both[0] } else { both[1] };
        if turns % 11 == 10 {
            shift = [d[0] + size(c), d[1] + 0.3 * size(c)];
        }
        (l..=i).for_each(|k| h[k * n + k] = minus(h[k * n + k], shift));
        let mut all = vec![];
        for k in l..i {
            let (c, s) = turn(h[k * n + k], h[(k + 1) * n + k]);
            rotate(&mut h, k, k + 1, c, s, 0..n);
            all.push((k, c, s));
        }
        all.into_iter().for_each(|(k, c, s)| back(&mut h, k, k + 1, c, s, i + 1));
        (l..=i).for_each(|k| h[k * n + k] = [h[k * n + k][0] + shift[0], h[k * n + k][1] + shift[1]]);
    }
    (0..n).map(|k| h[k * n + k]).collect()
}
