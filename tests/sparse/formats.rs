//! Other formats of a sparse matrix: the bits of the stated order, by independent sums over compressed rows; what is no such matrix.

use super::*;

/// A matrix of compressed rows in memory of its own.
struct Rows<T> {
    cols: usize,
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<T>,
}

impl<T: Element> Rows<T> {
    fn new(cols: usize, (offsets, columns): (Vec<usize>, Vec<u32>)) -> Self {
        let values = Noise(cols as u64 + 1).slice(columns.len(), 1.0);
        Self { cols, offsets, columns, values }
    }
    fn view(&self) -> Csr<'_, T> {
        Csr::new(self.offsets.len() - 1, self.cols, &self.offsets, &self.columns, &self.values).unwrap()
    }
}

/// Five diagonals.
fn banded<T: Element>(n: usize) -> Rows<T> {
    let (mut offsets, mut columns) = (vec![0], vec![]);
    for i in 0..n {
        columns.extend((i.saturating_sub(2)..(i + 3).min(n)).map(|c| c as u32));
        offsets.push(columns.len());
    }
    Rows::new(n, (offsets, columns))
}

/// Nothing, one row, whole rows, a band, rows of every length, and a few long ones among many short.
fn matrices<T: Element>() -> Vec<Rows<T>> {
    let lengths = |rows: usize, cols: usize, of: &dyn Fn(usize) -> usize| {
        let (mut offsets, mut columns) = (vec![0], vec![]);
        for i in 0..rows {
            let n = of(i).min(cols);
            columns.extend((0..n).map(|k| (k * cols / n.max(1)) as u32));
            offsets.push(columns.len());
        }
        Rows::new(cols, (offsets, columns))
    };
    vec![
        lengths(0, 3, &|_| 0),
        lengths(5, 0, &|_| 0),
        lengths(1, 9, &|_| 4),
        lengths(33, 7, &|_| 7),
        banded(70),
        Rows::new(90, pattern(131, 90, 40, &mut Noise(3))),
        lengths(200, 300, &|i| if i % 37 == 5 { 120 } else { i % 4 }),
    ]
}

/// `αAx + βy` of one element after the other.
fn stated<T: Element>(a: Csr<'_, T>, [alpha, beta]: [T; 2], x: &[T], y: &[T]) -> Vec<u64> {
    let one = |(i, y): (usize, &T)| {
        let (c, v) = a.row(i);
        let sum = c.iter().zip(v).fold(T::ZERO, |sum, (c, v)| sum + *v * x[*c as usize]);
        let old = if beta == T::ZERO { T::ZERO } else { beta * *y };
        bits(if alpha == T::ZERO { old } else { alpha * sum + old })
    };
    y.iter().enumerate().map(one).collect()
}

/// One NaN is as good as another.
fn bits<T: Element>(x: T) -> u64 {
    let x = x.to_f64();
    if x.is_nan() { u64::MAX } else { x.to_bits() }
}

/// A product agrees with the stated one for each pair of factors, an infinity among `x` and what must not be read among the rest.
fn agrees<T: Element>(
    a: Csr<'_, T>,
    product: impl Fn(T, &[T], T, &mut [T]) -> Result<(), Error>,
    want: impl Fn([T; 2], &[T], &[T]) -> Vec<u64>,
    what: &str,
) {
    let r = &mut Noise(23);
    for (alpha, beta) in [(1.25, -0.5), (1.0, 0.0), (0.0, 2.0), (-1.0, 1.0)] {
        let (mut x, mut y) = (r.slice::<T>(a.cols(), 1.0), r.slice::<T>(a.rows(), 1.0));
        if alpha == -1.0 {
            x.iter_mut().take(1).for_each(|x| *x = T::INFINITY);
        }
        if alpha == 0.0 {
            x.fill(T::NAN);
        }
        if beta == 0.0 {
            y.fill(T::NAN);
        }
        let [alpha, beta] = [alpha, beta].map(T::from_f64);
        let want = want([alpha, beta], &x, &y);
        product(alpha, &x, beta, &mut y).unwrap();
        let got: Vec<u64> = y.iter().map(|y| bits(*y)).collect();
        assert_eq!(
            got,
            want,
            "{} {what} of {} by {}: {} {}",
            T::NAME,
            a.rows(),
            a.cols(),
            alpha.to_f64(),
            beta.to_f64()
        );
    }
    let (mut x, mut y) = (vec![T::ONE; a.cols() + 1], vec![T::ONE; a.rows()]);
    let long = Error::len("x", a.cols(), a.cols() + 1);
    assert_eq!(product(T::ONE, &x, T::ZERO, &mut y), Err(long));
    x.pop();
    y.push(T::ONE);
    let long = Error::len("y", a.rows(), a.rows() + 1);
    assert_eq!(product(T::ONE, &x, T::ZERO, &mut y), Err(long));
    assert!(y.iter().all(|y| *y == T::ONE));
}

/// Slices of rows: what [`Sell::from_csr`] writes.
struct Slices<T> {
    offsets: Vec<usize>,
    lengths: Vec<u32>,
    order: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<T>,
}

fn sliced<T: Element>(a: Csr<'_, T>, chunk: usize, sigma: usize) -> Slices<T> {
    let mut order = vec![u32::MAX; a.rows()];
    Sell::sort(a, sigma, &mut order).unwrap();
    let n = Sell::stored(a, chunk, &order).unwrap();
    let (mut offsets, mut lengths) = (vec![9; a.rows().div_ceil(chunk) + 1], vec![9; a.rows()]);
    let (mut columns, mut values) = (vec![9; n], vec![T::NAN; n]);
    Sell::from_csr(a, chunk, sigma, &order, &mut offsets, &mut lengths, &mut columns, &mut values).unwrap();
    // What fills is not read.
    for (p, row) in order.iter().enumerate() {
        let [from, to] = [0, 1].map(|k| offsets[p / chunk + k] + p % chunk);
        (from..to).step_by(chunk).skip(lengths[*row as usize] as usize).for_each(|at| values[at] = T::NAN);
    }
    Slices { offsets, lengths, order, columns, values }
}

#[test]
fn one_result_of_slices() {
    fn check<T: Element>() {
        for all in matrices::<T>() {
            let (a, rows) = (all.view(), all.offsets.len() - 1);
            let most = rows.max(1);
            let sizes = [
                (1, 1),
                (3, 7),
                (4, 16),
                (5, usize::MAX),
                (15, 1),
                (16, 64),
                (17, most),
                (20, 32),
                (35, 7),
                (most, 1),
            ];
            for (chunk, sigma) in sizes {
                let of = sliced(a, chunk, sigma);
                let Slices { offsets, lengths, order, columns, values } = &of;
                let (cols, what) = (a.cols(), format!("{chunk} {sigma}"));
                // What is made is a matrix.
                let b =
                    Sell::new(rows, cols, chunk, sigma, offsets, lengths, order, columns, values).unwrap();
                let want = |f: [T; 2], x: &[T], y: &[T]| stated(a, f, x, y);
                agrees(a, |alpha, x, beta, y| spmv_sell(alpha, b, x, beta, y), want, &what);
                if chunk == 20 && sigma == 32 {
                    for_each_lane!(|s| agrees(
                        a,
                        |alpha, x, beta, y| spmv_sell_on(s, alpha, b, x, beta, y),
                        want,
                        name_of(s)
                    ));
                }
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn slices_in_order() {
    // Rows of 1, 3, 0, 3 and 2 elements; where a chunk has no row, 0 fills.
    let columns = [2, 0, 1, 3, 0, 1, 2, 1, 3];
    let values: Vec<f32> = (1..10).map(|x| x as f32).collect();
    let a = Csr::new(5, 4, &[0, 1, 4, 4, 7, 9], &columns, &values).unwrap();
    let of = sliced(a, 2, 4);
    assert_eq!((&of.order[..], &of.lengths[..]), (&[1, 3, 0, 2, 4][..], &[1, 3, 0, 3, 2][..]));
    assert_eq!(
        (&of.offsets[..], &of.columns[..]),
        (&[0, 6, 8, 12][..], &[0, 0, 1, 1, 3, 2, 2, 0, 1, 0, 3, 0][..])
    );
    let kept = |k: &usize| !of.values[*k].is_nan();
    let all: Vec<(usize, f32)> = (0..12).filter(kept).map(|k| (k, of.values[k])).collect();
    let want = [2, 5, 3, 6, 4, 7, 1].iter().map(|x| *x as f32).enumerate().collect::<Vec<_>>();
    assert_eq!(all, [want, vec![(8, 8.0), (9, 0.0), (10, 9.0), (11, 0.0)]].concat());
}

#[test]
fn what_is_no_slices() {
    // Rows of 3, 2 and 1 elements, the last two exchanged by no window: chunks of 2, windows of 2.
    let good = (&[0usize, 6, 8][..], &[2u32, 3, 1][..], &[1u32, 0, 2][..], &[0u32, 1, 1, 3, 2, 0, 3, 0][..]);
    let values = [1.0f32; 9];
    let new = |shape: [usize; 4],
               (offsets, lengths, order, columns): (&[usize], &[u32], &[u32], &[u32]),
               n: usize| {
        let [rows, cols, chunk, sigma] = shape;
        Sell::new(rows, cols, chunk, sigma, offsets, lengths, order, columns, &values[..n])
            .map(|a| (a.rows(), a.cols()))
    };
    let (o, l, p, c) = good;
    assert_eq!(new([3, 4, 2, 2], good, 8), Ok((3, 4)));
    assert_eq!(new([0, 4, 2, 2], (&[0], &[], &[], &[]), 0), Ok((0, 4)));
    let domain = Error::domain;
    let len = Error::len;
    let index = Error::index;
    let huge = usize::MAX;
    for (shape, with, n, error) in [
        ([3, 4, 0, 2], good, 8, domain("chunk")),
        ([3, 4, 2, 0], good, 8, domain("sigma")),
        ([huge, 4, 2, 2], good, 8, Error::overflow("rows")),
        ([5, 4, 2, 2], good, 8, len("offsets", 4, 3)),
        ([3, 4, huge, 2], good, 8, len("offsets", 2, 3)),
        ([4, 4, 2, 2], good, 8, len("lengths", 4, 3)),
        ([3, 4, 2, 2], (o, l, &p[..2], c), 8, len("order", 3, 2)),
        ([3, 4, 2, 2], (&[2, 6, 8], l, p, c), 8, domain("offsets")),
        ([3, 4, 2, 2], (&[0, 7, 8], l, p, c), 8, domain("offsets")),
        ([3, 4, 2, 2], (&[0, 10, 8], l, p, c), 8, domain("offsets")),
        ([3, 4, 2, 2], (&[0, 6, 10], l, p, c), 8, len("columns", 10, 8)),
        ([3, 4, 2, 2], (&[0, 6, huge - 1], l, p, c), 8, len("columns", huge - 1, 8)),
        ([3, 4, 2, 2], good, 7, len("values", 8, 7)),
        ([3, 4, 2, 2], good, 9, len("values", 8, 9)),
        ([3, 4, 2, 2], (o, l, &[0, 1, 2], c), 8, domain("order")),
        ([3, 4, 2, 2], (o, l, &[1, 1, 2], c), 8, domain("order")),
        ([3, 4, 2, 2], (o, l, &[1, 2, 0], c), 8, domain("order")),
        ([3, 4, 2, 1], good, 8, domain("order")),
        ([3, 4, 2, 2], (o, l, &[1, 0, 3], c), 8, index("order", 3, 3)),
        ([3, 4, 2, 2], (o, l, &[1, 0, u32::MAX], c), 8, index("order", u32::MAX as usize, 3)),
        ([3, 4, 2, 2], (o, &[2, 4, 1], p, c), 8, domain("lengths")),
        ([3, 4, 2, 2], (o, &[2, 3, 2], p, c), 8, domain("lengths")),
        ([3, 4, 2, 2], (o, l, p, &[0, 1, 1, 1, 2, 0, 3, 0]), 8, domain("columns")),
        ([3, 4, 2, 2], (o, l, p, &[0, 1, 1, 3, 1, 0, 3, 0]), 8, domain("columns")),
        ([3, 3, 2, 2], good, 8, index("columns", 3, 3)),
        // What fills is checked, too.
        ([3, 4, 2, 2], (o, l, p, &[0, 1, 1, 3, 2, 4, 3, 0]), 8, index("columns", 4, 4)),
        ([3, 0, 2, 2], (&[0, 2, 4], &[0, 0, 0], &[0, 1, 2], &c[..4]), 4, index("columns", 0, 0)),
    ] {
        assert_eq!(new(shape, with, n), Err(error), "{shape:?} {with:?}");
    }
}

#[test]
fn no_room_for_slices() {
    let values = [1.0f32; 3];
    let a = Csr::new(2, 3, &[0, 1, 3], &[0, 0, 2], &values).unwrap();
    let mut short = [7; 1];
    let len = Error::len;
    assert_eq!(Sell::sort(a, 2, &mut short), Err(len("order", 2, 1)));
    assert_eq!(Sell::sort(a, 0, &mut [7; 2]), Err(Error::domain("sigma")));
    assert_eq!(short, [7]);
    assert_eq!(Sell::stored(a, 0, &[1, 0]), Err(Error::domain("chunk")));
    assert_eq!(Sell::stored(a, 2, &[1]), Err(len("order", 2, 1)));
    assert_eq!(Sell::stored(a, usize::MAX, &[1, 0]), Err(Error::overflow("a")));
    let good = ([2usize, 2], [1u32, 0], [2usize, 2, 4, 4]);
    for ((sizes, order, room), error) in [
        (([0, 2], good.1, good.2), Error::domain("chunk")),
        (([2, 0], good.1, good.2), Error::domain("sigma")),
        (([2, 2], [0, 1], good.2), Error::domain("order")),
        (([2, 2], [1, 1], good.2), Error::domain("order")),
        (([2, 1], good.1, good.2), Error::domain("order")),
        (([2, 2], [1, 2], good.2), Error::index("order", 2, 2)),
        ((good.0, good.1, [1, 2, 4, 4]), len("offsets", 2, 1)),
        ((good.0, good.1, [2, 3, 4, 4]), len("lengths", 2, 3)),
        ((good.0, good.1, [2, 2, 3, 4]), len("columns", 4, 3)),
        ((good.0, good.1, [2, 2, 4, 5]), len("values", 4, 5)),
    ] {
        let [n, m, p, q] = room;
        let (mut offsets, mut lengths, mut columns, mut values) =
            (vec![7; n], vec![7; m], vec![7; p], vec![7.0; q]);
        let [chunk, sigma] = sizes;
        let made =
            Sell::from_csr(a, chunk, sigma, &order, &mut offsets, &mut lengths, &mut columns, &mut values);
        assert_eq!(made.map(drop), Err(error));
        let kept = [&lengths[..], &columns[..]].concat().iter().all(|x| *x == 7);
        assert!(kept && offsets.iter().all(|x| *x == 7) && values.iter().all(|x| *x == 7.0));
    }
}

/// Past what is worth a thread, at any number of them.
#[cfg(feature = "parallel")]
#[test]
fn formats_on_threads() {
    let all = Rows::<f64>::new(700, pattern(4000, 700, 60, &mut Noise(5)));
    let a = all.view();
    let want = |f: [f64; 2], x: &[f64], y: &[f64]| stated(a, f, x, y);
    for threads in [1, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for (chunk, sigma) in [(16, 256), (4000, 1), (5, 7), (64, 3000)] {
            let of = sliced(a, chunk, sigma);
            let b = Sell::new(
                4000,
                700,
                chunk,
                sigma,
                &of.offsets,
                &of.lengths,
                &of.order,
                &of.columns,
                &of.values,
            );
            let b = b.unwrap();
            let product = |alpha, x: &[f64], beta, y: &mut [f64]| {
                pool.install(|| parallel::spmv_sell(alpha, b, x, beta, y))
            };
            agrees(a, product, want, "on threads");
        }
    }
}

/// As [`formats_on_threads`], of dense blocks and of diagonals.
#[cfg(feature = "parallel")]
#[test]
fn blocks_on_threads() {
    let pools = [1, 3, 8].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap());
    let all = Rows::<f64>::new(150, pattern(1500, 150, 60, &mut Noise(5)));
    let a = all.view();
    for block in [[3, 2], [16, 16]] {
        let of = blocked(a, block);
        let b = Bsr::new(1500, 150, block, &of.offsets, &of.columns, &of.values).unwrap();
        let wide = filled(a, |i, j| of.has(i, j));
        for pool in &pools {
            let want = |f: [f64; 2], x: &[f64], y: &[f64]| stated(wide.view(), f, x, y);
            let product = |alpha, x: &[f64], beta, y: &mut [f64]| {
                pool.install(|| parallel::spmv_bsr(alpha, b, x, beta, y))
            };
            agrees(a, product, want, "blocks on threads");
        }
    }
    let band = banded::<f64>(20_000);
    let (offsets, values) = diagonal(band.view());
    let b = Dia::new(20_000, 20_000, &offsets, &values).unwrap();
    for pool in &pools {
        let want = |f: [f64; 2], x: &[f64], y: &[f64]| stated(band.view(), f, x, y);
        let product =
            |alpha, x: &[f64], beta, y: &mut [f64]| pool.install(|| parallel::spmv_dia(alpha, b, x, beta, y));
        agrees(band.view(), product, want, "diagonals on threads");
    }
}

/// The same matrix with a 0 wherever the format has an element that `a` has not.
fn filled<T: Element>(a: Csr<'_, T>, has: impl Fn(usize, usize) -> bool) -> Rows<T> {
    let mut all = Rows { cols: a.cols(), offsets: vec![0], columns: vec![], values: vec![] };
    for i in 0..a.rows() {
        let (columns, values) = a.row(i);
        for j in 0..a.cols() {
            let at = columns.iter().position(|column| *column as usize == j);
            if has(i, j) {
                all.columns.push(j as u32);
                all.values.push(at.map_or(T::ZERO, |at| values[at]));
            } else {
                assert!(at.is_none(), "an element is nowhere");
            }
        }
        all.offsets.push(all.columns.len());
    }
    all
}

/// Blocks: what [`Bsr::from_csr`] writes, and NaN past the edges.
struct Blocks<T> {
    block: [usize; 2],
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<T>,
}

impl<T> Blocks<T> {
    fn has(&self, i: usize, j: usize) -> bool {
        let [r, c] = self.block;
        self.columns[self.offsets[i / r]..self.offsets[i / r + 1]].contains(&((j / c) as u32))
    }
}

fn blocked<T: Element>(a: Csr<'_, T>, block: [usize; 2]) -> Blocks<T> {
    let ([r, c], n) = (block, Bsr::blocks(a, block).unwrap());
    let (mut offsets, mut columns) = (vec![9; a.rows().div_ceil(r) + 1], vec![9; n]);
    let mut values = vec![T::NAN; n * r * c];
    let b = Bsr::from_csr(a, block, &mut offsets, &mut columns, &mut values).unwrap();
    assert_eq!([b.rows(), b.cols(), b.len()], [a.rows(), a.cols(), n]);
    // Each is one that `a` has an element in.
    for (i, ends) in offsets.windows(2).enumerate() {
        for column in &columns[ends[0]..ends[1]] {
            let inside = |j: &u32| *j as usize / c == *column as usize;
            assert!((i * r..a.rows().min((i + 1) * r)).any(|i| a.row(i).0.iter().any(inside)));
        }
        let all = (ends[0] * r * c..).zip(&mut values[ends[0] * r * c..ends[1] * r * c]);
        for (at, x) in all {
            let (k, j, below) = (at / (r * c), at / r % c, at % r);
            if i * r + below >= a.rows() || columns[k] as usize * c + j >= a.cols() {
                assert!(*x == T::ZERO);
                *x = T::NAN;
            }
        }
    }
    Blocks { block, offsets, columns, values }
}

#[test]
fn one_result_of_blocks() {
    fn check<T: Element>() {
        for all in matrices::<T>() {
            let a = all.view();
            let sizes =
                [[1, 1], [2, 3], [3, 2], [4, 4], [5, 1], [7, 16], [8, 2], [13, 5], [35, 40], [400, 400]];
            for block in sizes {
                let of = blocked(a, block);
                let b = Bsr::new(a.rows(), a.cols(), block, &of.offsets, &of.columns, &of.values).unwrap();
                let wide = filled(a, |i, j| of.has(i, j));
                let want = |f: [T; 2], x: &[T], y: &[T]| {
                    let want = stated(wide.view(), f, x, y);
                    let finite = x.iter().all(|x| x.to_f64().is_finite());
                    assert!(!finite || want == stated(a, f, x, y));
                    want
                };
                agrees(a, |alpha, x, beta, y| spmv_bsr(alpha, b, x, beta, y), want, &format!("{block:?}"));
                if block == [13, 5] {
                    for_each_lane!(|s| agrees(
                        a,
                        |alpha, x, beta, y| spmv_bsr_on(s, alpha, b, x, beta, y),
                        want,
                        name_of(s)
                    ));
                }
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn what_is_no_blocks() {
    // Two rows of blocks over 3 by 5 elements: two blocks, then one.
    let good = (&[0usize, 2, 3][..], &[0u32, 2, 1][..]);
    let values = [1.0f32; 13];
    let new = |[rows, cols, r, c]: [usize; 4], (offsets, columns): (&[usize], &[u32]), n: usize| {
        Bsr::new(rows, cols, [r, c], offsets, columns, &values[..n]).map(|a| [a.rows(), a.cols(), a.len()])
    };
    let (o, c) = good;
    assert_eq!(new([3, 5, 2, 2], good, 12), Ok([3, 5, 3]));
    assert_eq!(new([4, 6, 2, 2], good, 12), Ok([4, 6, 3]));
    assert_eq!(new([0, 5, 2, 2], (&[0], &[]), 0), Ok([0, 5, 0]));
    let domain = Error::domain;
    let len = Error::len;
    let huge = usize::MAX;
    for (shape, with, n, error) in [
        ([3, 5, 0, 2], good, 12, domain("block")),
        ([3, 5, 2, 0], good, 12, domain("block")),
        ([3, 5, 2, huge], good, 12, Error::overflow("block")),
        ([5, 5, 2, 2], good, 12, len("offsets", 4, 3)),
        ([huge, 5, 1, 2], good, 12, len("offsets", huge, 3)),
        ([3, 5, 2, 2], (&[1, 2, 3], c), 12, domain("offsets")),
        ([3, 5, 2, 2], (&[0, 4, 3], c), 12, domain("offsets")),
        ([3, 5, 2, 2], (&[0, 2, 4], c), 12, len("columns", 4, 3)),
        ([3, 5, 2, 2], (&[0, 2, huge], c), 12, len("columns", huge, 3)),
        ([3, 5, 2, 2], good, 11, len("values", 12, 11)),
        ([3, 5, 2, 2], good, 13, len("values", 12, 13)),
        ([3, 5, huge / 2, 1], (&[0, 3], c), 12, Error::overflow("values")),
        ([3, 5, 2, 2], (o, &[2, 0, 1]), 12, domain("columns")),
        ([3, 5, 2, 2], (o, &[1, 1, 1]), 12, domain("columns")),
        ([3, 5, 2, 2], (o, &[0, 3, 1]), 12, Error::index("columns", 3, 3)),
        ([3, 4, 2, 2], good, 12, Error::index("columns", 2, 2)),
    ] {
        assert_eq!(new(shape, with, n), Err(error), "{shape:?} {with:?}");
    }
    let a = Csr::new(2, 3, &[0, 1, 3], &[0, 0, 2], &values[..3]).unwrap();
    assert_eq!(Bsr::blocks(a, [0, 1]), Err(domain("block")));
    for ([n, p, q], block, error) in [
        ([2, 2, 8], [2, 0], domain("block")),
        ([3, 2, 8], [2, 2], len("offsets", 2, 3)),
        ([2, 1, 8], [2, 2], len("columns", 2, 1)),
        ([2, 2, 9], [2, 2], len("values", 8, 9)),
        ([2, 2, 8], [huge / 2, 2], Error::overflow("values")),
    ] {
        let (mut offsets, mut columns, mut values) = (vec![7; n], vec![7; p], vec![7.0; q]);
        let made = Bsr::from_csr(a, block, &mut offsets, &mut columns, &mut values).map(drop);
        assert_eq!(made, Err(error), "{block:?}");
        assert!(offsets.iter().all(|x| *x == 7) && columns.iter().all(|x| *x == 7));
        assert!(values.iter().all(|x| *x == 7.0));
    }
}

/// What [`Dia::from_csr`] writes, and NaN past the edges.
fn diagonal<T: Element>(a: Csr<'_, T>) -> (Vec<isize>, Vec<T>) {
    let (rows, cols) = (a.rows(), a.cols());
    let mut offsets = vec![isize::MAX; rows + cols];
    let n = Dia::diagonals(a, &mut offsets).unwrap();
    assert!(offsets[n..].iter().all(|x| *x == isize::MAX));
    offsets.truncate(n);
    let mut values = vec![T::NAN; rows * n];
    let b = Dia::from_csr(a, &offsets, &mut values).unwrap();
    assert_eq!([b.rows(), b.cols(), b.len()], [rows, cols, n]);
    for (at, x) in values.iter_mut().enumerate() {
        let column = (at % rows) as isize + offsets[at / rows];
        if !(0..cols as isize).contains(&column) {
            assert!(*x == T::ZERO);
            *x = T::NAN;
        }
    }
    (offsets, values)
}

#[test]
fn one_result_of_diagonals() {
    fn check<T: Element>() {
        for all in matrices::<T>() {
            let a = all.view();
            let (offsets, values) = diagonal(a);
            let b = Dia::new(a.rows(), a.cols(), &offsets, &values).unwrap();
            let wide = filled(a, |i, j| offsets.contains(&(j as isize - i as isize)));
            let want = |f: [T; 2], x: &[T], y: &[T]| {
                let want = stated(wide.view(), f, x, y);
                let finite = x.iter().all(|x| x.to_f64().is_finite());
                assert!(!finite || want == stated(a, f, x, y));
                want
            };
            for_each_lane!(|s| agrees(
                a,
                |alpha, x, beta, y| spmv_dia_on(s, alpha, b, x, beta, y),
                want,
                name_of(s)
            ));
            agrees(a, |alpha, x, beta, y| spmv_dia(alpha, b, x, beta, y), want, "diagonals");
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn what_is_no_diagonals() {
    let values = [1.0f32; 10];
    let new = |rows, cols, offsets: &[isize], n: usize| {
        Dia::new(rows, cols, offsets, &values[..n]).map(|a| [a.rows(), a.cols(), a.len()])
    };
    assert_eq!(new(3, 4, &[-2, 0, 3], 9), Ok([3, 4, 3]));
    assert_eq!(new(0, 4, &[], 0), Ok([0, 4, 0]));
    assert_eq!(new(4, 0, &[], 0), Ok([4, 0, 0]));
    let domain = Error::domain("offsets");
    let huge = usize::MAX;
    for (rows, cols, offsets, n, error) in [
        (3, 4, &[0isize, -1][..], 6, domain),
        (3, 4, &[1, 1], 6, domain),
        (3, 4, &[-3, 1], 6, domain),
        (3, 4, &[0, 4], 6, domain),
        (3, 4, &[isize::MIN, 1], 6, domain),
        (3, 4, &[0, isize::MAX], 6, domain),
        (0, 4, &[0], 0, domain),
        (3, 0, &[0], 3, domain),
        (3, 0, &[-1], 3, domain),
        (0, 4, &[1], 0, domain),
        (3, 4, &[0, 1], 5, Error::len("values", 6, 5)),
        (3, 4, &[0, 1], 7, Error::len("values", 6, 7)),
        (huge, 4, &[0, 1], 6, Error::overflow("values")),
    ] {
        assert_eq!(new(rows, cols, offsets, n), Err(error), "{rows} {cols} {offsets:?}");
    }
    // Diagonals -1, 2 and 0, found in this order.
    let a = Csr::new(2, 3, &[0, 1, 3], &[2, 0, 1], &values[..3]).unwrap();
    let mut offsets = [7isize; 2];
    let short = Error::len("offsets", 3, 2);
    assert_eq!(Dia::diagonals(a, &mut offsets), Err(short));
    let mut offsets = [7isize; 4];
    assert_eq!(Dia::diagonals(a, &mut offsets), Ok(3));
    assert_eq!(offsets, [-1, 0, 2, 7]);
    for (offsets, n, error) in [
        (&[-1isize, 0][..], 4, domain),
        (&[-1, 2], 4, domain),
        (&[-1, 2, 0], 6, domain),
        (&[-2, -1, 0, 2], 8, domain),
        (&[-1, 0, 2], 5, Error::len("values", 6, 5)),
    ] {
        let mut to = vec![7.0; n];
        assert_eq!(Dia::from_csr(a, offsets, &mut to).map(drop), Err(error), "{offsets:?}");
        assert!(to.iter().all(|x| *x == 7.0));
    }
    let mut to = [7.0; 8];
    let b = Dia::from_csr(a, &[-1, 0, 1, 2], &mut to).unwrap();
    assert_eq!((b.len(), to), (4, [0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0]));
}
