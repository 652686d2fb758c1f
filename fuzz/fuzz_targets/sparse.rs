//! Reads the input as a Matrix Market file, then as compressed rows that may be none, then as coordinates and two matrices:
//! `cargo +nightly fuzz run sparse`. What is taken agrees with dense sums; values are whole, so that those are exact.
#![no_main]

use fulmen::sparse::market::{LINE, Reader, write};
use fulmen::{
    Bsr, Csr, Dia, Sell, coo_to_csr, coo_to_csr_workspace, csr_transpose, spadd, spgemm, spgemm_workspace,
    spmv, spmv_bsr, spmv_dia, spmv_sell, spmv_transposed,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's allocator, which notes the largest piece that was asked for.
struct Noting;
static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Noting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller guarantees.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller guarantees.
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LARGEST.fetch_max(size, Ordering::Relaxed);
        // SAFETY: as the caller guarantees.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Noting = Noting;

/// Elements by row and column.
type Places = BTreeMap<(usize, usize), f64>;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    market(bytes);
    let Some((&[kind, m, k, n], rest)) = bytes.split_first_chunk() else { return };
    let [m, k, n] = [m, k, n].map(|x| usize::from(x % 9));
    if kind % 4 == 2 {
        slices_that_may_be_none([m, k, n], rest);
        formats_that_may_be_none([m, k, n], rest);
    } else if kind % 4 == 0 {
        rows_that_may_be_none(m, k, n, rest);
    } else {
        let (a, b) = rest.split_at(rest.len() / 2);
        let (of_a, of_b) = (coordinates(m, k, a), coordinates(k, n, b));
        products(&of_a, &of_b);
        sums(&of_a, &coordinates(m, k, b));
    }
});

/// A file that is read to its end is the matrix that is written, and what is written is read again.
fn market(bytes: &[u8]) {
    LARGEST.store(0, Ordering::Relaxed);
    let Ok(mut reader) = Reader::new(bytes) else { return };
    let (rows, cols, stored) = (reader.rows(), reader.cols(), reader.stored());
    let (mut wrong, mut seen) = (false, 0u64);
    for element in reader.by_ref() {
        assert!(!wrong, "something comes after an error");
        match element {
            Ok((i, j, _)) => assert!((i as usize) < rows && (j as usize) < cols),
            Err(_) => wrong = true,
        }
        seen += 1;
    }
    assert!(reader.next().is_none() && seen <= 2 * bytes.len() as u64);
    // Whatever the counts say; a message of the standard library's own may be longer than a line.
    assert!(LARGEST.load(Ordering::Relaxed) <= 4 * LINE, "memory grows with what the file says");
    if wrong || rows > 1 << 12 || cols > 1 << 12 {
        return;
    }
    assert!(seen >= stored);
    let elements = Reader::new(bytes).unwrap().map(Result::unwrap);
    let (mut i, mut j, mut x) = (vec![], vec![], vec![]);
    for (row, column, value) in elements {
        (i.push(row), j.push(column), x.push(value));
    }
    let all = compressed(rows, cols, &i, &j, &x);
    let a = all.view();
    let mut text = vec![];
    write(a, &mut text).unwrap();
    let mut again = Reader::new(&text[..]).unwrap();
    assert_eq!((again.rows(), again.cols(), again.stored()), (rows, cols, a.len() as u64));
    for r in 0..rows {
        for (c, v) in a.row(r).0.iter().zip(a.row(r).1) {
            let (row, column, value) = again.next().unwrap().unwrap();
            assert_eq!((row as usize, column, of_number(value)), (r, *c, of_number(*v)));
        }
    }
    assert!(again.next().is_none());
}

/// The bits of a number; one NaN is as good as another.
fn of_number(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
}

/// Compressed rows in memory of their own.
struct Rows {
    cols: usize,
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Rows {
    fn view(&self) -> Csr<'_, f64> {
        Csr::new(self.offsets.len() - 1, self.cols, &self.offsets, &self.columns, &self.values).unwrap()
    }
    /// Cut to what is there, and checked against places.
    fn checked(
        cols: usize,
        offsets: Vec<usize>,
        mut columns: Vec<u32>,
        mut values: Vec<f64>,
        n: usize,
        want: &Places,
    ) -> Self {
        columns.truncate(n);
        values.truncate(n);
        let all = Self { cols, offsets, columns, values };
        let all_of = |places: &Places| places.iter().map(|(p, x)| (*p, of_number(*x))).collect::<Vec<_>>();
        assert_eq!(all_of(&all.places()), all_of(want));
        all
    }
    fn places(&self) -> Places {
        let a = self.view();
        let row = |i| a.row(i).0.iter().zip(a.row(i).1).map(move |(c, v)| ((i, *c as usize), *v));
        (0..a.rows()).flat_map(row).collect()
    }
}

fn compressed(rows: usize, cols: usize, i: &[u32], j: &[u32], x: &[f64]) -> Rows {
    let len = x.len();
    let (mut offsets, mut columns, mut values) = (vec![7; rows + 1], vec![7; len], vec![7.0; len]);
    let mut workspace = vec![usize::MAX; coo_to_csr_workspace(rows, cols, len)];
    let n = coo_to_csr(rows, cols, i, j, x, &mut offsets, &mut columns, &mut values, &mut workspace).unwrap();
    let mut want = Places::new();
    for ((i, j), x) in i.iter().zip(j).zip(x) {
        want.entry((*i as usize, *j as usize)).and_modify(|sum| *sum += x).or_insert(*x);
    }
    Rows::checked(cols, offsets, columns, values, n, &want)
}

/// A matrix of coordinates, those outside among them, which are refused.
fn coordinates(rows: usize, cols: usize, bytes: &[u8]) -> Rows {
    let (mut i, mut j, mut x) = (vec![], vec![], vec![]);
    for [row, column, value] in bytes.as_chunks::<3>().0.iter().take(80) {
        i.push(u32::from(row % 9));
        j.push(u32::from(column % 9));
        x.push(f64::from(*value) - 128.0);
    }
    let inside = |k: usize| (i[k] as usize) < rows && (j[k] as usize) < cols;
    let len = x.len();
    if !(0..len).all(inside) {
        let mut workspace = vec![0; coo_to_csr_workspace(rows, cols, len)];
        let (mut offsets, mut columns, mut values) = (vec![7; rows + 1], vec![7; len], vec![7.0; len]);
        let refused =
            coo_to_csr(rows, cols, &i, &j, &x, &mut offsets, &mut columns, &mut values, &mut workspace);
        let kept = offsets.iter().all(|x| *x == 7)
            && columns.iter().all(|x| *x == 7)
            && values.iter().all(|x| *x == 7.0);
        assert!(refused.is_err() && kept, "coordinates outside");
    }
    let keep: Vec<usize> = (0..len).filter(|k| inside(*k)).collect();
    let [i, j] = [&i, &j].map(|x| keep.iter().map(|k| x[*k]).collect::<Vec<_>>());
    let x: Vec<f64> = keep.iter().map(|k| x[*k]).collect();
    let all = compressed(rows, cols, &i, &j, &x);
    turned(&all);
    all
}

/// The transpose, and products with a vector.
fn turned(all: &Rows) {
    let a = all.view();
    let (mut offsets, mut columns, mut values) =
        (vec![7; a.cols() + 1], vec![7; a.len()], vec![7.0; a.len()]);
    csr_transpose(a, &mut offsets, &mut columns, &mut values).unwrap();
    let want = all.places().into_iter().map(|((i, j), x)| ((j, i), x)).collect();
    let n = a.len();
    Rows::checked(a.rows(), offsets, columns, values, n, &want);
    let x = |n: usize| (0..n).map(|k| k as f64 - 2.0).collect::<Vec<_>>();
    let (mut y, mut z) = (vec![f64::NAN; a.rows()], vec![f64::NAN; a.cols()]);
    spmv(1.0, a, &x(a.cols()), 0.0, &mut y).unwrap();
    spmv_transposed(1.0, a, &x(a.rows()), 0.0, &mut z).unwrap();
    let (mut of_y, mut of_z) = (vec![0.0; a.rows()], vec![0.0; a.cols()]);
    for ((i, j), v) in all.places() {
        of_y[i] += v * (j as f64 - 2.0);
        of_z[j] += v * (i as f64 - 2.0);
    }
    assert!(y == of_y && z == of_z);
    for (chunk, sigma) in [(1, 1), (2, 3), (4, 4), (a.rows().max(1), 1)] {
        let mut order = vec![9; a.rows()];
        Sell::sort(a, sigma, &mut order).unwrap();
        let n = Sell::stored(a, chunk, &order).unwrap();
        let (mut offsets, mut lengths) = (vec![9; a.rows().div_ceil(chunk) + 1], vec![9; a.rows()]);
        let (mut columns, mut values) = (vec![9; n], vec![f64::NAN; n]);
        let (o, l, c, v) = (&mut offsets, &mut lengths, &mut columns, &mut values);
        Sell::from_csr(a, chunk, sigma, &order, o, l, c, v).unwrap();
        let b = Sell::new(a.rows(), a.cols(), chunk, sigma, &offsets, &lengths, &order, &columns, &values)
            .unwrap();
        y.fill(f64::NAN);
        spmv_sell(1.0, b, &x(a.cols()), 0.0, &mut y).unwrap();
        assert!(y == of_y);
    }
    for block in [[1, 1], [2, 3], [3, 2], [5, 9]] {
        let n = Bsr::blocks(a, block).unwrap();
        let (mut offsets, mut columns) = (vec![9; a.rows().div_ceil(block[0]) + 1], vec![9; n]);
        let mut values = vec![f64::NAN; n * block[0] * block[1]];
        Bsr::from_csr(a, block, &mut offsets, &mut columns, &mut values).unwrap();
        let b = Bsr::new(a.rows(), a.cols(), block, &offsets, &columns, &values).unwrap();
        y.fill(f64::NAN);
        spmv_bsr(1.0, b, &x(a.cols()), 0.0, &mut y).unwrap();
        assert!(y == of_y);
    }
    let mut offsets = vec![9; a.rows() + a.cols()];
    let n = Dia::diagonals(a, &mut offsets).unwrap();
    let mut values = vec![f64::NAN; n * a.rows()];
    Dia::from_csr(a, &offsets[..n], &mut values).unwrap();
    let b = Dia::new(a.rows(), a.cols(), &offsets[..n], &values).unwrap();
    y.fill(f64::NAN);
    spmv_dia(1.0, b, &x(a.cols()), 0.0, &mut y).unwrap();
    assert!(y == of_y);
}

/// A matrix of blocks that may be none, then of diagonals: taken exactly when they are, and then multiplied.
fn formats_that_may_be_none([rows, cols, more]: [usize; 3], bytes: &[u8]) {
    let (r, c) = (more % 4, more / 3);
    let mut bytes = bytes.iter().copied();
    let mut take = |n: usize| bytes.by_ref().take(n).map(usize::from).collect::<Vec<_>>();
    let far = |x: usize| if x > 250 { usize::MAX - x } else { x % 8 };
    let offsets: Vec<usize> = take(rows.div_ceil(r.max(1)) + 1).into_iter().map(far).collect();
    let columns: Vec<u32> = take(more).into_iter().map(|x| far(x) as u32).collect();
    let diagonals: Vec<isize> = take(more).into_iter().map(|x| far(x) as isize - 4).collect();
    let values: Vec<f64> = (0..columns.len() * r * c).map(|k| (k % 7) as f64 - 3.0).collect();
    let x: Vec<f64> = (0..cols).map(|k| k as f64 - 2.0).collect();
    let made = Bsr::new(rows, cols, [r, c], &offsets, &columns, &values);
    let ends = r * c > 0 && offsets.len() == rows.div_ceil(r) + 1 && offsets[0] == 0;
    let fits = ends && offsets.is_sorted() && offsets[offsets.len() - 1] == columns.len();
    let ascends = |row: &[u32]| {
        row.windows(2).all(|w| w[0] < w[1]) && row.iter().all(|j| (*j as usize) < cols.div_ceil(c))
    };
    let is = fits && offsets.windows(2).all(|w| ascends(&columns[w[0]..w[1]]));
    assert_eq!(made.is_ok(), is, "{made:?}");
    if let Ok(a) = made {
        let mut y = vec![f64::NAN; rows];
        spmv_bsr(1.0, a, &x, 0.0, &mut y).unwrap();
        for (i, y) in y.iter().enumerate() {
            let of = |k: usize, j: usize| {
                x.get(columns[k] as usize * c + j).map_or(0.0, |x| x * values[(k * c + j) * r + i % r])
            };
            let row = offsets[i / r]..offsets[i / r + 1];
            assert_eq!(*y, row.map(|k| (0..c).map(|j| of(k, j)).sum::<f64>()).sum());
        }
    }
    let values: Vec<f64> = (0..diagonals.len() * rows).map(|k| (k % 7) as f64 - 3.0).collect();
    let made = Dia::new(rows, cols, &diagonals, &values);
    let inside = |d: &isize| (0..rows).any(|i| i.checked_add_signed(*d).is_some_and(|j| j < cols));
    assert_eq!(made.is_ok(), diagonals.windows(2).all(|w| w[0] < w[1]) && diagonals.iter().all(inside));
    if let Ok(a) = made {
        let mut y = vec![f64::NAN; rows];
        spmv_dia(1.0, a, &x, 0.0, &mut y).unwrap();
        for (i, y) in y.iter().enumerate() {
            let of = |(k, d): (usize, &isize)| {
                let x = i.checked_add_signed(*d).and_then(|j| x.get(j));
                x.map_or(0.0, |x| x * values[k * rows + i])
            };
            assert_eq!(*y, diagonals.iter().enumerate().map(of).sum());
        }
    }
}

/// Slices as they come: taken exactly when they are SELL-C-σ, and then multiplied.
fn slices_that_may_be_none([rows, cols, more]: [usize; 3], bytes: &[u8]) {
    let (chunk, sigma) = (more % 4, more / 3);
    let mut bytes = bytes.iter().copied();
    let mut take = |n: usize| bytes.by_ref().take(n).map(usize::from).collect::<Vec<_>>();
    let narrow = |x: Vec<usize>| {
        x.into_iter().map(|x| if x > 250 { u32::MAX } else { x as u32 % 12 }).collect::<Vec<_>>()
    };
    let far = |x: usize| if x > 250 { usize::MAX - x } else { x % 32 };
    let offsets: Vec<usize> = take(rows.div_ceil(chunk.max(1)) + 1).into_iter().map(far).collect();
    let (lengths, order) = (narrow(take(rows)), narrow(take(rows)));
    let columns = narrow(take(64));
    let values: Vec<f64> = columns.iter().map(|c| f64::from(c % 7) - 3.0).collect();
    let made = Sell::new(rows, cols, chunk, sigma, &offsets, &lengths, &order, &columns, &values);
    // Each row once, in its window, the longest first.
    let once = |order: &[u32]| (0..rows as u32).all(|i| order.iter().filter(|row| **row == i).count() == 1);
    let window = |p: usize| p / sigma == order[p] as usize / sigma;
    let key = |p: usize| (u32::MAX - lengths[order[p] as usize], order[p]);
    let there = chunk > 0 && sigma > 0 && lengths.len() == rows && order.len() == rows && once(&order);
    let sorts = there && (0..rows).all(window) && (1..rows).all(|p| p % sigma == 0 || key(p - 1) < key(p));
    let ends = sorts && offsets.len() == rows.div_ceil(chunk) + 1 && offsets[0] == 0;
    let whole = ends && offsets.windows(2).all(|w| w[0] <= w[1] && (w[1] - w[0]) % chunk == 0);
    let fits =
        whole && offsets[offsets.len() - 1] == columns.len() && columns.iter().all(|c| (*c as usize) < cols);
    let row = |p: usize| (offsets[p / chunk] + p % chunk..offsets[p / chunk + 1]).step_by(chunk);
    let count = |p: usize| lengths[order[p] as usize] as usize;
    let ascends = |p: usize| {
        let of: Vec<u32> = row(p).take(count(p)).map(|at| columns[at]).collect();
        of.len() == count(p) && of.windows(2).all(|w| w[0] < w[1])
    };
    let is = fits && (0..rows).all(ascends);
    assert_eq!(made.is_ok(), is, "{made:?}");
    let Ok(a) = made else { return };
    let (x, mut y) = ((0..cols).map(|k| k as f64 - 2.0).collect::<Vec<_>>(), vec![f64::NAN; rows]);
    spmv_sell(1.0, a, &x, 0.0, &mut y).unwrap();
    for p in 0..rows {
        let sum: f64 = row(p).take(count(p)).map(|at| values[at] * x[columns[at] as usize]).sum();
        assert_eq!(y[order[p] as usize], sum);
    }
}

/// `AB`, with an element wherever a product falls.
fn products(of_a: &Rows, of_b: &Rows) {
    let (a, b) = (of_a.view(), of_b.view());
    let mut want = Places::new();
    for ((i, k), x) in of_a.places() {
        for (j, y) in b.row(k).0.iter().zip(b.row(k).1) {
            *want.entry((i, *j as usize)).or_insert(0.0) += x * y;
        }
    }
    let mut workspace = vec![usize::MAX; spgemm_workspace(b.cols())];
    let n = a.product_len(b, &mut workspace).unwrap();
    let (mut offsets, mut columns, mut values) = (vec![7; a.rows() + 1], vec![7; n], vec![7.0; n]);
    let made = spgemm(a, b, &mut offsets, &mut columns, &mut values, &mut workspace).unwrap();
    assert_eq!(made, n);
    Rows::checked(b.cols(), offsets, columns, values, n, &want);
}

/// `2A - 3B`, with an element wherever either has one.
fn sums(of_a: &Rows, of_b: &Rows) {
    let (a, b) = (of_a.view(), of_b.view());
    let mut want: Places = of_a.places().into_iter().map(|(p, x)| (p, 2.0 * x)).collect();
    for (p, y) in of_b.places() {
        want.entry(p).and_modify(|x| *x += -3.0 * y).or_insert(-3.0 * y);
    }
    let n = a.sum_len(b).unwrap();
    let (mut offsets, mut columns, mut values) = (vec![7; a.rows() + 1], vec![7; n], vec![7.0; n]);
    assert_eq!(spadd(2.0, a, -3.0, b, &mut offsets, &mut columns, &mut values).unwrap(), n);
    Rows::checked(a.cols(), offsets, columns, values, n, &want);
}

/// Offsets and columns as they come: taken exactly when they are compressed rows.
fn rows_that_may_be_none(rows: usize, cols: usize, more: usize, bytes: &[u8]) {
    let (ends, rest) = bytes.split_at((rows + 1 + more / 8).min(bytes.len()));
    // Some are far past what is there.
    let far = |x: &u8| if *x > 250 { usize::MAX - usize::from(*x) } else { usize::from(*x % 32) };
    let offsets: Vec<usize> = ends.iter().map(far).collect();
    let columns: Vec<u32> =
        rest.iter().map(|x| if *x > 250 { u32::MAX } else { u32::from(x % 12) }).collect();
    let values: Vec<f64> = rest.iter().map(|x| f64::from(*x) - 100.0).collect();
    let few = values.len() - usize::from(more == 1).min(values.len());
    let made = Csr::new(rows, cols, &offsets, &columns, &values[..few]);
    let row = |i: usize| columns.get(offsets[i]..offsets[i + 1]);
    let fits = |row: &[u32]| row.windows(2).all(|w| w[0] < w[1]) && row.iter().all(|c| (*c as usize) < cols);
    let is = offsets.len() == rows + 1
        && offsets[0] == 0
        && offsets[rows] == columns.len()
        && few == columns.len()
        && (0..rows).all(|i| offsets[i] <= offsets[i + 1])
        && (0..rows).all(|i| row(i).is_some_and(fits));
    assert_eq!(made.is_ok(), is, "{made:?}");
    if is {
        turned(&Rows { cols, offsets, columns, values });
    }
}
