//! Distances to the nearest pixel that is 0: against all such pixels, in whole numbers.

use super::*;
use fulmen::lanes::Simd;

/// What an image is drawn as.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// One of so many pixels is 0, at random.
    Noise(usize),
    /// One pixel is 0.
    One,
    /// No pixel is 0.
    None,
    /// All pixels are 0.
    All,
    /// One row or one column is 0.
    Line,
    /// The first or the last column is 0.
    End(bool),
    /// The first pixel, and one in the last row so far right that both are the nearest to one pixel but for its row.
    Pair,
    /// A diagonal is 0: each column has another distance.
    Diagonal,
    /// Every so many columns are 0.
    Stripes(usize),
    /// Rectangles of other pixels, which may lie over each other.
    Rectangles,
    /// Rectangles of pixels that are 0.
    Holes,
}

fn draw(r: &mut Noise, shape: Shape, size: [usize; 2]) -> Owned<u8> {
    let [w, h] = size;
    let mut place = || [r.within(0..=w - 1), r.within(0..=h - 1)];
    let (at, boxes) = (place(), [(); 5].map(|()| [place(), place()]));
    let down = r.one_in(2);
    let in_boxes = |x: usize, y: usize| {
        boxes.iter().any(|[a, b]| {
            (a[0].min(b[0])..=a[0].max(b[0])).contains(&x) && (a[1].min(b[1])..=a[1].max(b[1])).contains(&y)
        })
    };
    // Pixels beside the image are 0 in half of all cases, and must not count.
    let beside = r.one_in(2);
    let mut src = Owned::<u8>::new(r, size, 1, |r| if beside { 0 } else { r.within(1..=255) as u8 });
    let mut pixels = src.view_mut();
    for y in 0..h {
        for (x, p) in pixels.row_mut(y).iter_mut().enumerate() {
            let zero = match shape {
                Shape::Noise(n) => r.one_in(n),
                Shape::One => [x, y] == at,
                Shape::None => false,
                Shape::All => true,
                Shape::Line => {
                    if down {
                        x == at[0]
                    } else {
                        y == at[1]
                    }
                }
                Shape::End(first) => x == if first { 0 } else { w - 1 },
                Shape::Pair => [x, y] == [0, 0] || [x, y] == [256, h - 1],
                Shape::Diagonal => (if down { x + y } else { x + h - 1 - y }) == at[0] + at[1],
                Shape::Stripes(n) => (x + at[0]).is_multiple_of(n),
                Shape::Rectangles => !in_boxes(x, y),
                Shape::Holes => in_boxes(x, y),
            };
            *p = if zero { 0 } else { r.within(1..=255) as u8 };
        }
    }
    src
}

/// The squares of the distances, over all pixels that are 0.
fn squares(src: &Owned<u8>) -> Vec<Option<u64>> {
    let ([w, h], pixels) = (src.size, src.elements());
    let zeros: Vec<[usize; 2]> = (0..w * h).filter(|i| pixels[*i] == 0).map(|i| [i % w, i / w]).collect();
    let square = |a: usize, b: usize| (a.abs_diff(b) as u64).pow(2);
    (0..w * h).map(|i| zeros.iter().map(|[x, y]| square(i % w, *x) + square(i / w, *y)).min()).collect()
}

/// Whether `root` is the number of `f32` that is nearest to the root of `square`. The middles between numbers have 25 bits, so that their squares are exact in `f64`.
fn is_root(root: f32, square: Option<u64>) -> bool {
    let Some(square) = square else { return root == f32::INFINITY };
    let middle = |other: f32| ((f64::from(root) + f64::from(other)) / 2.0).powi(2);
    let exact = square as f64;
    if square == 0 {
        return root.to_bits() == 0;
    }
    root.is_finite() && root > 0.0 && middle(root.next_down()) <= exact && exact <= middle(root.next_up())
}

fn check(r: &mut Noise, shape: Shape, size: [usize; 2]) {
    let src = draw(r, shape, size);
    let want = squares(&src);
    compare(r, &src, &want, &shape);
}

/// Checks all lanes, alone and on as many threads as a workspace allows.
fn compare(r: &mut Noise, src: &Owned<u8>, want: &[Option<u64>], what: &dyn std::fmt::Debug) {
    let (size, need) = (src.size, distance_transform_workspace(src.size[0]));
    let blank = Owned::<f32>::blank(r, size, 1);
    for_each_lane!(|s| {
        let mut dst = blank.clone();
        distance_transform_on(s, src.view(), dst.view_mut(), &mut vec![0x5a5a; need]).unwrap();
        for (i, (got, want)) in dst.elements().iter().zip(want).enumerate() {
            let at = [i % size[0], i / size[0]];
            assert!(is_root(*got, *want), "{what:?} {size:?} {} at {at:?}: {got} for {want:?}", name_of(s));
        }
        assert!(dst.untouched(), "{what:?} {size:?}");
        #[cfg(feature = "parallel")]
        for threads in [1, 2, 3, 8] {
            let (mut other, mut workspace) = (blank.clone(), vec![0xa5a5; threads * need]);
            fulmen::parallel::distance_transform_on(s, src.view(), other.view_mut(), &mut workspace).unwrap();
            let same = other.data.iter().zip(&dst.data).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same, "{what:?} {size:?} on {threads} threads");
        }
    });
}

const SHAPES: [Shape; 9] = [
    Shape::Noise(2),
    Shape::Noise(400),
    Shape::One,
    Shape::Line,
    Shape::Diagonal,
    Shape::Stripes(97),
    Shape::Rectangles,
    Shape::Holes,
    Shape::Noise(20),
];

pub fn nearest(r: &mut Noise) {
    // Around the farthest column that is searched, on one side alone.
    for w in 126..=134 {
        check(r, Shape::End(true), [w, 1]);
        check(r, Shape::End(false), [w, 2]);
    }
    let rows = r.within(2..=15);
    check(r, Shape::Pair, [257, rows]);
    for shape in SHAPES.into_iter().chain([Shape::None, Shape::All]) {
        let size = [r.size(60), r.size(40)];
        check(r, shape, size);
        let lines = [[1, 1], [1, r.size(300)], [r.size(500), 1]];
        for size in lines {
            check(r, shape, size);
        }
    }
    // Around one block of a row and two, and few rows: distances are along rows.
    for width in [127, 128, 129, 255, 256, 257] {
        let size = [width, r.within(1..=5)];
        for shape in SHAPES {
            check(r, shape, size);
        }
    }
    // A distance on each side of the farthest column of a search, and of its steps; columns with and without a distance.
    for far in [124, 125, 128, 129, 130, 132, 133, 134] {
        let size = [2 * far + r.within(0..=2), r.within(1..=3)];
        check(r, Shape::Stripes(2 * far), size);
        let size = [far + r.within(0..=1), 2];
        check(r, Shape::Stripes(far + 1), size);
    }
    // Distances along columns whose squares 16 bits hold, and which they don't.
    for height in [250, 255, 256, 257, 258, 300] {
        let size = [r.within(1..=9), height];
        for shape in [Shape::One, Shape::Line, Shape::Holes, Shape::Diagonal] {
            check(r, shape, size);
        }
    }
    // Enough for threads, each with its rows: pixels that are 0 are in those of others.
    for shape in [Shape::One, Shape::Line, Shape::Diagonal, Shape::Noise(3000), Shape::Holes] {
        let size = [r.within(300..=400), r.within(60..=90)];
        check(r, shape, size);
    }
    check(r, Shape::None, [300, 60]);
    large(r);
}

/// Squares that `f32` does not hold.
fn large(r: &mut Noise) {
    for size in [[4100, 3], [3, 4100], [5000, 2], [32767, 1], [1, 32767], [32767, 2], [2, 32767]] {
        let shape = if r.one_in(3) { Shape::Noise(20_000) } else { Shape::One };
        check(r, shape, size);
    }
    // At an end: each distance there is.
    for size in [[32767, 2], [2, 32767]] {
        let mut src = Owned::<u8>::new(r, size, 1, |_| 1);
        src.view_mut().row_mut(0)[0] = 0;
        let want = squares(&src);
        compare(r, &src, &want, &"a corner");
    }
}

pub fn refusals() {
    let (long, mut to) = (vec![9u8; 32768], vec![7f32; 32768]);
    for [w, h] in [[32768, 1], [1, 32768]] {
        let (src, dst) = (Image::new(&long, w, h, 1).unwrap(), ImageMut::new(&mut to, w, h, 1).unwrap());
        let got = distance_transform(src, dst, &mut vec![0; distance_transform_workspace(w)]);
        assert_eq!(got, Err(Error::must_be("src", "at most 32767 columns and rows")));
    }
    let src = Image::new(&long[..6], 2, 3, 1).unwrap();
    let need = distance_transform_workspace(2);
    let got = distance_transform(src, ImageMut::new(&mut to[..6], 2, 3, 1).unwrap(), &mut vec![0; need - 1]);
    assert_eq!(got, Err(Error::workspace(need, need - 1)));
    assert!(to.iter().all(|x| *x == 7.0));
}

pub fn case<S: Simd>(s: S, e: &EdgeCase) -> Result<Vec<f64>, Error> {
    let (data, size, channels) = input::<u8>(e, 0);
    let need = number(e, "workspace").unwrap_or(distance_transform_workspace(size[0]));
    into::<f32>(e, size, channels, |to| {
        distance_transform_on(s, Image::new(&data, size[0], size[1], channels)?, to, &mut vec![9; need])
    })
}
