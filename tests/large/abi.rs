//! The C functions of level 3 against the definitions, with leading dimensions that all differ, by rows and by columns.

use crate::sizes::*;
use std::ffi::c_int;

#[allow(clippy::duplicated_attributes, reason = "one list of functions")]
unsafe extern "C" {
    fn cblas_dgemm(
        order: c_int,
        ta: c_int,
        tb: c_int,
        m: c_int,
        n: c_int,
        k: c_int,
        alpha: f64,
        a: *const f64,
        lda: c_int,
        b: *const f64,
        ldb: c_int,
        beta: f64,
        c: *mut f64,
        ldc: c_int,
    );
    fn cblas_dsymm(
        order: c_int,
        side: c_int,
        uplo: c_int,
        m: c_int,
        n: c_int,
        alpha: f64,
        a: *const f64,
        lda: c_int,
        b: *const f64,
        ldb: c_int,
        beta: f64,
        c: *mut f64,
        ldc: c_int,
    );
    fn cblas_dsyrk(
        order: c_int,
        uplo: c_int,
        trans: c_int,
        n: c_int,
        k: c_int,
        alpha: f64,
        a: *const f64,
        lda: c_int,
        beta: f64,
        c: *mut f64,
        ldc: c_int,
    );
    fn cblas_dsyr2k(
        order: c_int,
        uplo: c_int,
        trans: c_int,
        n: c_int,
        k: c_int,
        alpha: f64,
        a: *const f64,
        lda: c_int,
        b: *const f64,
        ldb: c_int,
        beta: f64,
        c: *mut f64,
        ldc: c_int,
    );
    fn cblas_dtrmm(
        order: c_int,
        side: c_int,
        uplo: c_int,
        trans: c_int,
        diag: c_int,
        m: c_int,
        n: c_int,
        alpha: f64,
        a: *const f64,
        lda: c_int,
        b: *mut f64,
        ldb: c_int,
    );
    fn cblas_dtrsm(
        order: c_int,
        side: c_int,
        uplo: c_int,
        trans: c_int,
        diag: c_int,
        m: c_int,
        n: c_int,
        alpha: f64,
        a: *const f64,
        lda: c_int,
        b: *mut f64,
        ldb: c_int,
    );
    fn cblas_dgemv(
        order: c_int,
        trans: c_int,
        m: c_int,
        n: c_int,
        alpha: f64,
        a: *const f64,
        lda: c_int,
        x: *const f64,
        incx: c_int,
        beta: f64,
        y: *mut f64,
        incy: c_int,
    );
}

const ROW: c_int = 101;
const ALPHAS: [f64; 4] = [1.0, -1.0, 0.75, 0.0];
const BETAS: [f64; 4] = [0.0, 1.0, -1.0, 0.5];

/// A matrix as C has it: whole numbers, so that sums are exact.
#[derive(Clone)]
struct M {
    x: Vec<f64>,
    ld: usize,
    shape: [usize; 2],
    order: c_int,
}

impl M {
    fn new(order: c_int, shape: [usize; 2], pad: usize, seed: u64) -> Self {
        let [lines, len] = if order == ROW { shape } else { [shape[1], shape[0]] };
        let ld = len + pad;
        let mut r = Stream::new(seed);
        let x = (0..lines * ld).map(|_| (r.below(17) as f64 - 8.0) * 0.25).collect();
        Self { x, ld, shape, order }
    }
    fn at(&self, i: usize, j: usize) -> f64 {
        self.x[if self.order == ROW { i * self.ld + j } else { j * self.ld + i }]
    }
    fn set(&mut self, i: usize, j: usize, x: f64) {
        let at = if self.order == ROW { i * self.ld + j } else { j * self.ld + i };
        self.x[at] = x;
    }
    fn ld(&self) -> c_int {
        self.ld as c_int
    }
    /// Elements outside the matrix are as they were.
    fn hold(&self, what: &str, old: &Self, want: impl Fn(usize, usize) -> f64) {
        let mut rest = old.clone();
        for i in 0..self.shape[0] {
            for j in 0..self.shape[1] {
                let want = want(i, j);
                assert!(
                    (self.at(i, j) - want).abs() <= 1e-12 * (1.0 + want.abs()),
                    "{what}: ({i}, {j}) is {}, not {want}",
                    self.at(i, j)
                );
                rest.set(i, j, self.at(i, j));
            }
        }
        assert!(self.x == rest.x, "{what}: wrote between the lines");
    }
}

#[test]
fn level3() {
    let mut turn = 0;
    for [m, n, k] in [[5, 7, 3], [65, 40, 70], [40, 151, 33], [130, 97, 260]] {
        for order in [101, 102] {
            for word in 0..8usize {
                turn += 1;
                let (alpha, beta) = (ALPHAS[turn % 4], BETAS[turn / 4 % 4]);
                let [left, upper, trans] = [0, 1, 2].map(|bit| word >> bit & 1 == 0);
                let [side, uplo, op] = [
                    if left { 141 } else { 142 },
                    if upper { 121 } else { 122 },
                    if trans { 112 } else { 111 },
                ];
                let what = format!(
                    "order {order} {m}×{n}×{k} left {left} upper {upper} trans {trans} α {alpha} β {beta}"
                );
                let was = |c: &M, i: usize, j: usize| if beta == 0.0 { 0.0 } else { beta * c.at(i, j) };
                let holds = |i: usize, j: usize| if upper { i <= j } else { i >= j };

                let a = M::new(order, if trans { [k, m] } else { [m, k] }, 1, 1);
                let b = M::new(order, if left { [k, n] } else { [n, k] }, 2, 2);
                let old = M::new(order, [m, n], 1, 3);
                let mut c = old.clone();
                let tb = if left { 111 } else { 112 };
                // SAFETY: the shapes and leading dimensions are those of the slices.
                unsafe {
                    cblas_dgemm(
                        order,
                        op,
                        tb,
                        m as c_int,
                        n as c_int,
                        k as c_int,
                        alpha,
                        a.x.as_ptr(),
                        a.ld(),
                        b.x.as_ptr(),
                        b.ld(),
                        beta,
                        c.x.as_mut_ptr(),
                        c.ld(),
                    )
                };
                let of = |i: usize, p: usize| if trans { a.at(p, i) } else { a.at(i, p) };
                let to = |p: usize, j: usize| if left { b.at(p, j) } else { b.at(j, p) };
                c.hold(&format!("dgemm {what}"), &old, |i, j| {
                    alpha * (0..k).map(|p| of(i, p) * to(p, j)).sum::<f64>() + was(&old, i, j)
                });

                let order_of = if left { m } else { n };
                let s = M::new(order, [order_of; 2], 3, 4);
                let full = |i: usize, j: usize| if holds(i, j) { s.at(i, j) } else { s.at(j, i) };
                let b = M::new(order, [m, n], 4, 5);
                let mut c = old.clone();
                // SAFETY: as above.
                unsafe {
                    cblas_dsymm(
                        order,
                        side,
                        uplo,
                        m as c_int,
                        n as c_int,
                        alpha,
                        s.x.as_ptr(),
                        s.ld(),
                        b.x.as_ptr(),
                        b.ld(),
                        beta,
                        c.x.as_mut_ptr(),
                        c.ld(),
                    )
                };
                c.hold(&format!("dsymm {what}"), &old, |i, j| {
                    let sum: f64 = if left {
                        (0..m).map(|p| full(i, p) * b.at(p, j)).sum()
                    } else {
                        (0..n).map(|p| b.at(i, p) * full(p, j)).sum()
                    };
                    alpha * sum + was(&old, i, j)
                });

                let a = M::new(order, if trans { [k, n] } else { [n, k] }, 1, 6);
                let b = M::new(order, if trans { [k, n] } else { [n, k] }, 4, 7);
                let of = |x: &M, i: usize, p: usize| if trans { x.at(p, i) } else { x.at(i, p) };
                let old2 = M::new(order, [n, n], 6, 8);
                let mut c = old2.clone();
                // SAFETY: as above.
                unsafe {
                    cblas_dsyrk(
                        order,
                        uplo,
                        op,
                        n as c_int,
                        k as c_int,
                        alpha,
                        a.x.as_ptr(),
                        a.ld(),
                        beta,
                        c.x.as_mut_ptr(),
                        c.ld(),
                    )
                };
                let half = |i: usize, j: usize, sum: f64| {
                    if holds(i, j) { alpha * sum + was(&old2, i, j) } else { old2.at(i, j) }
                };
                c.hold(&format!("dsyrk {what}"), &old2, |i, j| {
                    half(i, j, (0..k).map(|p| of(&a, i, p) * of(&a, j, p)).sum())
                });
                let mut c = old2.clone();
                // SAFETY: as above.
                unsafe {
                    cblas_dsyr2k(
                        order,
                        uplo,
                        op,
                        n as c_int,
                        k as c_int,
                        alpha,
                        a.x.as_ptr(),
                        a.ld(),
                        b.x.as_ptr(),
                        b.ld(),
                        beta,
                        c.x.as_mut_ptr(),
                        c.ld(),
                    )
                };
                let sum2 = |i: usize, j: usize| {
                    (0..k).map(|p| of(&a, i, p) * of(&b, j, p) + of(&b, i, p) * of(&a, j, p)).sum()
                };
                c.hold(&format!("dsyr2k {what}"), &old2, |i, j| half(i, j, sum2(i, j)));

                // Small off the diagonal, so that solutions don't grow.
                let mut t = s.clone();
                for i in 0..order_of {
                    for j in 0..order_of {
                        let x = if i == j { 2.0 } else { s.at(i, j) / order_of as f64 };
                        t.set(i, j, x);
                    }
                }
                let unit = turn % 2 == 0;
                let diag = if unit { 132 } else { 131 };
                let tri = |i: usize, j: usize| {
                    let (i, j) = if trans { (j, i) } else { (i, j) };
                    if i == j && unit {
                        1.0
                    } else if holds(i, j) {
                        t.at(i, j)
                    } else {
                        0.0
                    }
                };
                let times = |b: &M, i: usize, j: usize| -> f64 {
                    if left {
                        (0..m).map(|p| tri(i, p) * b.at(p, j)).sum()
                    } else {
                        (0..n).map(|p| b.at(i, p) * tri(p, j)).sum()
                    }
                };
                let old3 = M::new(order, [m, n], 7, 9);
                let mut b = old3.clone();
                // SAFETY: as above.
                unsafe {
                    cblas_dtrmm(
                        order,
                        side,
                        uplo,
                        op,
                        diag,
                        m as c_int,
                        n as c_int,
                        alpha,
                        t.x.as_ptr(),
                        t.ld(),
                        b.x.as_mut_ptr(),
                        b.ld(),
                    )
                };
                b.hold(&format!("dtrmm {what}"), &old3, |i, j| alpha * times(&old3, i, j));
                let mut b = old3.clone();
                // SAFETY: as above.
                unsafe {
                    cblas_dtrsm(
                        order,
                        side,
                        uplo,
                        op,
                        diag,
                        m as c_int,
                        n as c_int,
                        alpha,
                        t.x.as_ptr(),
                        t.ld(),
                        b.x.as_mut_ptr(),
                        b.ld(),
                    )
                };
                for i in 0..m {
                    for j in 0..n {
                        let (got, want) = (times(&b, i, j), alpha * old3.at(i, j));
                        assert!(
                            (got - want).abs() <= 1e-11 * (1.0 + want.abs()),
                            "dtrsm {what}: side ({i}, {j}) is {got}, not {want}"
                        );
                    }
                }

                let g = M::new(order, [m, n], 2, 11);
                let (rows, cols) = if trans { (n, m) } else { (m, n) };
                let x: Vec<f64> = (0..2 * cols).map(|i| (i % 13) as f64 * 0.5 - 3.0).collect();
                let old: Vec<f64> = (0..3 * rows).map(|i| (i % 7) as f64).collect();
                let mut y = old.clone();
                // SAFETY: as above; the increments are 2 and 3.
                unsafe {
                    cblas_dgemv(
                        order,
                        op,
                        m as c_int,
                        n as c_int,
                        alpha,
                        g.x.as_ptr(),
                        g.ld(),
                        x.as_ptr(),
                        2,
                        beta,
                        y.as_mut_ptr(),
                        3,
                    )
                };
                for i in 0..rows {
                    let sum: f64 =
                        (0..cols).map(|p| if trans { g.at(p, i) } else { g.at(i, p) } * x[2 * p]).sum();
                    let want = alpha * sum + if beta == 0.0 { 0.0 } else { beta * old[3 * i] };
                    assert!(
                        (y[3 * i] - want).abs() <= 1e-12 * (1.0 + want.abs()),
                        "dgemv {what}: {i} is {}, not {want}",
                        y[3 * i]
                    );
                }
            }
        }
    }
}
