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
    let banded = |n: usize| {
        let (mut offsets, mut columns) = (vec![0], vec![]);
        for i in 0..n {
            columns.extend((i.saturating_sub(2)..(i + 3).min(n)).map(|c| c as u32));
            offsets.push(columns.len());
        }
        Rows::new(n, (offsets, columns))
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
    let long = Error::Len { arg: "x", expected: a.cols(), got: a.cols() + 1 };
    assert_eq!(product(T::ONE, &x, T::ZERO, &mut y), Err(long));
    x.pop();
    y.push(T::ONE);
    let long = Error::Len { arg: "y", expected: a.rows(), got: a.rows() + 1 };
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
    let domain = |arg| Error::Domain { arg };
    let len = |arg, expected, got| Error::Len { arg, expected, got };
    let index = |arg, index, below| Error::Index { arg, index, below };
    let huge = usize::MAX;
    for (shape, with, n, error) in [
        ([3, 4, 0, 2], good, 8, domain("chunk")),
        ([3, 4, 2, 0], good, 8, domain("sigma")),
        ([huge, 4, 2, 2], good, 8, Error::Overflow { arg: "rows" }),
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
    let len = |arg, expected, got| Error::Len { arg, expected, got };
    assert_eq!(Sell::sort(a, 2, &mut short), Err(len("order", 2, 1)));
    assert_eq!(Sell::sort(a, 0, &mut [7; 2]), Err(Error::Domain { arg: "sigma" }));
    assert_eq!(short, [7]);
    assert_eq!(Sell::stored(a, 0, &[1, 0]), Err(Error::Domain { arg: "chunk" }));
    assert_eq!(Sell::stored(a, 2, &[1]), Err(len("order", 2, 1)));
    assert_eq!(Sell::stored(a, usize::MAX, &[1, 0]), Err(Error::Overflow { arg: "a" }));
    let good = ([2usize, 2], [1u32, 0], [2usize, 2, 4, 4]);
    for ((sizes, order, room), error) in [
        (([0, 2], good.1, good.2), Error::Domain { arg: "chunk" }),
        (([2, 0], good.1, good.2), Error::Domain { arg: "sigma" }),
        (([2, 2], [0, 1], good.2), Error::Domain { arg: "order" }),
        (([2, 2], [1, 1], good.2), Error::Domain { arg: "order" }),
        (([2, 1], good.1, good.2), Error::Domain { arg: "order" }),
        (([2, 2], [1, 2], good.2), Error::Index { arg: "order", index: 2, below: 2 }),
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
