//! The transpose against its definition, on every lane.

use common::lanes::*;
use fulmen::lanes::Simd;
use fulmen::*;

/// How a matrix lies in its slice.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Layout {
    Rows,
    Cols,
    /// Rows with a gap between them, so long that all begin at one place of a line.
    Padded,
    /// Neither stride is one.
    Apart,
    /// Both strides negative.
    Backwards,
    /// Columns, the last one first.
    LastColumnFirst,
}
use Layout::*;
const LAYOUTS: [Layout; 6] = [Rows, Cols, Padded, Apart, Backwards, LastColumnFirst];

/// What surrounds a matrix.
const GUARD: usize = 5;

/// A matrix in a slice whose other elements are NaN.
#[derive(Debug, Clone)]
struct Matrix<T> {
    data: Vec<T>,
    offset: usize,
    shape: [usize; 2],
    strides: [isize; 2],
}

impl<T: Element> Matrix<T> {
    fn new(layout: Layout, [rows, cols]: [usize; 2]) -> Self {
        let (r, c) = (rows as isize, cols as isize);
        let strides = match layout {
            Rows => [c, 1],
            Cols => [1, r],
            Padded => [(c + 16) / 16 * 16, 1],
            Apart => [2 * c + 1, 2],
            Backwards => [-(c + 1), -1],
            LastColumnFirst => [1, -(r + 2)],
        };
        let far = |n: usize, s: isize| n.saturating_sub(1) as isize * s;
        let span = far(rows, strides[0]).abs() + far(cols, strides[1]).abs();
        let first = GUARD as isize - far(rows, strides[0]).min(0) - far(cols, strides[1]).min(0);
        let data = vec![T::NAN; span as usize + 1 + 2 * GUARD];
        Self { data, offset: first as usize, shape: [rows, cols], strides }
    }
    /// Every element another number.
    fn numbered(layout: Layout, shape: [usize; 2]) -> Self {
        let mut x = Self::new(layout, shape);
        for i in 0..shape[0] {
            for j in 0..shape[1] {
                let at = x.index(i, j);
                x.data[at] = T::from_usize(1 + i * shape[1] + j);
            }
        }
        x
    }
    fn index(&self, i: usize, j: usize) -> usize {
        (self.offset as isize + i as isize * self.strides[0] + j as isize * self.strides[1]) as usize
    }
    fn at(&self, i: usize, j: usize) -> f64 {
        self.data[self.index(i, j)].to_f64()
    }
    fn view(&self) -> MatRef<'_, T> {
        let [r, c] = self.shape;
        MatRef::strided(&self.data, self.offset, r, c, self.strides[0], self.strides[1]).unwrap()
    }
    fn view_mut(&mut self) -> MatMut<'_, T> {
        let [r, c] = self.shape;
        MatMut::strided(&mut self.data, self.offset, r, c, self.strides[0], self.strides[1]).unwrap()
    }
    /// Whether this is the transpose of `a`, and nothing beside it was written.
    fn verify(&self, a: &Self, what: &str) {
        let mut inside = 0;
        for j in 0..self.shape[0] {
            for i in 0..self.shape[1] {
                assert_eq!(self.at(j, i), a.at(i, j), "{what}: ({j}, {i})");
                inside += 1;
            }
        }
        let nans = self.data.iter().filter(|x| x.to_f64().is_nan()).count();
        assert_eq!(nans + inside, self.data.len(), "{what}: written beside the matrix");
    }
}

fn one<S: Simd, T: Element>(s: S, [m, n]: [usize; 2], from: Layout, to: Layout) {
    let a = Matrix::<T>::numbered(from, [m, n]);
    let mut b = Matrix::<T>::new(to, [n, m]);
    transpose_on(s, a.view(), b.view_mut()).unwrap();
    b.verify(&a, &format!("{m} x {n}, {from:?} to {to:?}, {} on {}", T::NAME, S::NAME));
}

fn sizes<S: Simd, T: Element>(s: S) {
    let mut turn = 0;
    for m in (0..=18).chain([31, 32, 33]) {
        for n in (0..=18).chain([31, 32, 33]) {
            turn += 1;
            one::<S, T>(s, [m, n], LAYOUTS[turn % 6], LAYOUTS[turn / 6 % 6]);
            one::<S, T>(s, [m, n], Rows, [Rows, Padded][turn % 2]);
        }
    }
    for from in LAYOUTS {
        for to in LAYOUTS {
            one::<S, T>(s, [69, 83], from, to);
        }
    }
    one::<S, T>(s, [200, 65], Rows, Padded);
    one::<S, T>(s, [1, 300], Padded, Rows);
    one::<S, T>(s, [300, 1], Padded, Rows);
}

#[test]
fn every_size_and_layout_on_every_lane() {
    for_each_lane!(|s| {
        sizes::<_, f32>(s);
        sizes::<_, f64>(s);
    });
}

fn forms<S: Simd, T: Element>(s: S) {
    for n in (0..=35).chain([64, 65, 130]) {
        for layout in LAYOUTS {
            let a = Matrix::<T>::numbered(layout, [n, n]);
            let mut b = a.clone();
            transpose_in_place_on(s, b.view_mut()).unwrap();
            b.verify(&a, &format!("in place, {n}, {layout:?}, {} on {}", T::NAME, S::NAME));
        }
    }
    let (m, n, count) = (9, 20, 3);
    let a: Vec<T> = (0..m * n * count).map(T::from_usize).collect();
    let mut b = vec![T::NAN; (m * n + 4) * count];
    let shape = |x: usize, y: usize, gap: usize| ([count, x, y], [(x * y + gap) as isize, y as isize, 1]);
    let ((from, from_strides), (to, to_strides)) = (shape(m, n, 0), shape(n, m, 4));
    let batch = BatchRef::strided(&a, 0, from, from_strides).unwrap();
    transpose_batched_on(s, batch, BatchMut::strided(&mut b, 2, to, to_strides).unwrap()).unwrap();
    for k in 0..count {
        for i in 0..m {
            for j in 0..n {
                assert_eq!(b[2 + k * (m * n + 4) + j * m + i], a[(k * m + i) * n + j]);
            }
        }
    }
    assert_eq!(b.iter().filter(|x| x.to_f64().is_nan()).count(), 4 * count);
}

#[test]
fn in_place_and_batched_on_every_lane() {
    for_each_lane!(|s| {
        forms::<_, f32>(s);
        forms::<_, f64>(s);
    });
}

/// Where the first element of a view stands that begins so many elements behind a line.
fn behind(x: &[f32], shift: usize) -> usize {
    x.as_ptr().align_offset(64) + shift
}

fn large<S: Simd>(s: S) {
    // Past the caches, and not; lines that begin at one place in all rows, and not.
    let mut shapes = vec![[816, 700], [752, 799], [300, 310]];
    if !cfg!(debug_assertions) {
        shapes.extend([[2000, 1700], [1808, 1999]]);
    }
    for [m, n] in shapes {
        let a = dense::numbered(m * n);
        let view = MatRef::row_major(&a, m, n).unwrap();
        for (shift, gap) in [(0, 0), (5, 0), (0, (16 - m % 16) % 16), (11, 16 - m % 16)] {
            let mut b = vec![f32::NAN; n * (m + gap) + 64];
            let (first, stride) = (behind(&b, shift), m + gap);
            let to = MatMut::strided(&mut b, first, n, m, stride as isize, 1).unwrap();
            transpose_on(s, view, to).unwrap();
            let right = dense::is_transpose(&a, [m, n], &b[first..], stride);
            assert!(right, "{m} x {n}, {shift}, {gap} on {}", S::NAME);
            assert_eq!(dense::nans(&b), b.len() - m * n);
        }
    }
}

#[test]
fn large_and_parallel() {
    for_each_lane!(|s| large(s));
    #[cfg(feature = "parallel")]
    for [m, n] in [[3, 3], [700, 900], [1, 500_000], [1001, 603]] {
        let a: Vec<f64> = (0..m * n).map(|i| i as f64).collect();
        let view = MatRef::row_major(&a, m, n).unwrap();
        let (mut b, mut c) = (vec![0.0; m * n], vec![0.0; m * n]);
        transpose(view, MatMut::row_major(&mut b, n, m).unwrap()).unwrap();
        parallel::transpose(view, MatMut::row_major(&mut c, n, m).unwrap()).unwrap();
        assert!(b == c, "{m} x {n}");
        assert_eq!(c[m * n - 1], a[m * n - 1]);
        let short = parallel::transpose(view, MatMut::row_major(&mut c, m, n).unwrap());
        assert_eq!(short.is_err(), m != n);
    }
}

fn rectangles<S: Simd, T: Element>(s: S) {
    let most = if cfg!(debug_assertions) { 21 } else { 40 };
    let small = (0..most).flat_map(|m| (0..most).map(move |n| [m, n]));
    // Without a common divisor, with some, and multiples; around the strips of columns.
    let large =
        [[70, 101], [101, 70], [64, 96], [96, 64], [40, 200], [200, 40], [17, 34], [33, 500], [512, 33]];
    for [m, n] in small.chain(large) {
        let a: Vec<T> = (0..m * n).map(T::from_usize).collect();
        let needed = transpose_packed_in_place_workspace(m, n);
        // As long as needed, and as long as a copy.
        for room in [needed, m * n + 3] {
            let (mut b, mut workspace) = (a.clone(), vec![T::NAN; room.max(needed)]);
            transpose_packed_in_place_on(s, &mut b, m, n, &mut workspace).unwrap();
            let right = (0..m).all(|i| (0..n).all(|j| b[j * m + i] == a[i * n + j]));
            assert!(right, "{m} x {n} with {room}, {} on {}", T::NAME, S::NAME);
        }
    }
}

#[test]
fn rectangles_in_place_on_every_lane() {
    for_each_lane!(|s| {
        rectangles::<_, f32>(s);
        rectangles::<_, f64>(s);
    });
    let mut a = [1.0f32, f32::NAN, -0.0, 4.0, 5.0, 6.0];
    transpose_packed_in_place(&mut a, 3, 2, &mut [0.0; 6]).unwrap();
    assert_eq!(a.map(f32::to_bits), [1.0, -0.0, 5.0, f32::NAN, 4.0, 6.0].map(f32::to_bits));
    for (m, n) in [(2, 3), (3, 2)] {
        let r = transpose_packed_in_place(&mut a[..5], m, n, &mut [0.0; 99]);
        assert_eq!(r, Err(Error::len("a", 6, 5)));
        let r = transpose_packed_in_place(&mut a, m, n, &mut [0.0; 5]);
        assert_eq!(r, Err(Error::workspace(6, 5)));
    }
    let r = transpose_packed_in_place(&mut a, usize::MAX, 2, &mut []);
    assert_eq!(r, Err(Error::overflow("a")));
    assert_eq!(a[4], 4.0, "written, and then refused");
}

#[test]
fn refusals_name_the_argument_and_leave_b() {
    let a = [1.0f32; 6];
    let mut b = [7.0f32; 6];
    let wide = MatRef::row_major(&a, 2, 3).unwrap();
    let r = transpose(wide, MatMut::row_major(&mut b, 2, 3).unwrap());
    assert_eq!(r, Err(Error::shape("b", [3, 2], [2, 3])));
    let r = transpose_in_place(MatMut::row_major(&mut b, 2, 3).unwrap());
    assert_eq!(r, Err(Error::shape("a", [2, 2], [2, 3])));
    let batch = BatchRef::strided(&a, 0, [3, 2, 1], [2, 1, 1]).unwrap();
    let r = transpose_batched(batch, BatchMut::strided(&mut b, 0, [2, 1, 2], [2, 2, 1]).unwrap());
    assert_eq!(r, Err(Error::len("b", 3, 2)));
    let r = transpose_batched(batch, BatchMut::strided(&mut b, 0, [3, 2, 1], [2, 1, 1]).unwrap());
    assert_eq!(r, Err(Error::shape("b", [1, 2], [2, 1])));
    assert_eq!(b, [7.0; 6]);
}
