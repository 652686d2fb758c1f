//! Kernels over sliding windows: pooling, one-dimensional convolution and filters. A thread sums its result in a fixed
//! order, so that results are deterministic.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Special};
use super::super::record::Recorded;
use super::super::types::{Scalar, U32, U64};
use super::THREADS;
use super::block_reduce::{Meet, block_reduce};
use super::flat::{each, get, named, put};
use super::layer::{each_row, leads};
use crate::alu::{Body, Number};
use crate::pointwise::{Add, Maximum};
use alloc::vec::Vec;

/// `f` on each of `start..end` and what it gave before.
pub(super) fn fold<'b, T: Scalar>(
    b: &'b Builder,
    [start, end]: [Value<'b, U32>; 2],
    init: Value<'b, T>,
    f: impl FnOnce(Value<'b, U32>, Value<'b, T>) -> Value<'b, T>,
) -> Value<'b, T> {
    fold_by(b, [start, end, b.int(1)], init, f)
}

/// `f` on each step from `start` to below `end` and what it gave before.
fn fold_by<'b, T: Scalar>(
    b: &'b Builder,
    [start, end, step]: [Value<'b, U32>; 3],
    init: Value<'b, T>,
    f: impl FnOnce(Value<'b, U32>, Value<'b, T>) -> Value<'b, T>,
) -> Value<'b, T> {
    let all = b.count::<U32, T>([start, end, step], 1, &[init], |i, old| {
        Vec::from([f(i, old.first().copied().unwrap_or(init))])
    });
    all.first().copied().unwrap_or(init)
}

/// `n / d`, rounded up; the sum of both is counted.
fn ceil<'b>(n: Value<'b, U32>, d: Value<'b, U32>) -> Value<'b, U32> {
    (n + d - n.builder().int(1)) / d
}

/// Windows along one direction.
#[derive(Clone, Copy)]
struct Along<'b> {
    /// Elements, and windows.
    size: Value<'b, U32>,
    count: Value<'b, U32>,
    kernel: Value<'b, U32>,
    stride: Value<'b, U32>,
    padding: Value<'b, U32>,
    dilation: Value<'b, U32>,
}

impl<'b> Along<'b> {
    /// Places from the first to behind the last of a window.
    fn span(self) -> Value<'b, U32> {
        let one = self.size.builder().int(1);
        (self.kernel - one) * self.dilation + one
    }

    /// `near` where elements of a window are neighbours, else what `far` makes of their distance.
    fn apart(
        self,
        near: Value<'b, U32>,
        far: impl FnOnce(Value<'b, U32>) -> Value<'b, U32>,
    ) -> Value<'b, U32> {
        let b = self.size.builder();
        let [value] = b.either(self.dilation.compare(Cmp::Eq, b.int(1)), || [near], || [far(self.dilation)]);
        value
    }

    /// The elements in window `i`, and from one to the next; there is one at least.
    fn elements(self, i: Value<'b, U32>) -> [Value<'b, U32>; 3] {
        let start = i * self.stride;
        let before = start.most(self.padding) - start;
        let first = start + self.apart(before, |d| ceil(before, d) * d) - self.padding;
        [first, (start + self.span() - self.padding).least(self.size), self.dilation]
    }

    /// The windows that have element `at`, and others between them where elements are not neighbours.
    fn windows(self, at: Value<'b, U32>) -> [Value<'b, U32>; 2] {
        let b = at.builder();
        let (place, span) = (at + self.padding, self.span());
        let first = ceil((place + b.int(1)).most(span) - span, self.stride);
        [first, (place / self.stride + b.int(1)).least(self.count)]
    }

    /// What is 0 where window `i`, of those of [`Along::windows`], has element `at`.
    fn misses(self, at: Value<'b, U32>, i: Value<'b, U32>) -> Value<'b, U32> {
        let place = at + self.padding - i * self.stride;
        self.apart(at.builder().int(0), |d| place - place / d * d)
    }

    /// How many elements of window `i` are in the range, whose ends are counted from the start of the padding.
    fn within(self, i: Value<'b, U32>, [low, high]: [Value<'b, U32>; 2]) -> Value<'b, U32> {
        let start = i * self.stride;
        let [before, behind] = [low.most(start), high].map(|end| {
            let places = end - start;
            self.apart(places, |d| ceil(places, d))
        });
        behind.least(self.kernel) - before
    }
}

/// Windows over planes, or over volumes.
#[derive(Clone, Copy)]
struct Windows<'b> {
    b: &'b Builder,
    planes: Option<Along<'b>>,
    rows: Along<'b>,
    cols: Along<'b>,
}

/// A window: the first element of its volume, its plane, its row and its column.
struct Window<'b> {
    first: Value<'b, U32>,
    k: Value<'b, U32>,
    i: Value<'b, U32>,
    j: Value<'b, U32>,
}

impl<'b> Windows<'b> {
    /// From the next parameters: rows and columns of a plane, of windows, of a window, from one window to the next, of
    /// the padding before, from one element of a window to the next; then the same of planes, if there are `volumes`.
    fn new(b: &'b Builder, volumes: bool) -> Self {
        let [h, w, rows, cols, kh, kw, sh, sw, ph, pw, dh, dw] = b.params::<U32, 12>();
        let planes = volumes.then(|| {
            let [size, count, kernel, stride, padding, dilation] = b.params::<U32, 6>();
            Along { size, count, kernel, stride, padding, dilation }
        });
        Self {
            b,
            planes,
            rows: Along { size: h, count: rows, kernel: kh, stride: sh, padding: ph, dilation: dh },
            cols: Along { size: w, count: cols, kernel: kw, stride: sw, padding: pw, dilation: dw },
        }
    }

    /// Elements of a plane.
    fn area(&self) -> Value<'b, U32> {
        self.rows.size * self.cols.size
    }

    /// Volume, plane, row and column of `i`, of volumes of so many of these; a plane is a volume.
    fn place(
        i: Value<'b, U32>,
        planes: Option<Value<'b, U32>>,
        rows: Value<'b, U32>,
        cols: Value<'b, U32>,
    ) -> [Value<'b, U32>; 4] {
        let line = i / cols;
        let plane = line / rows;
        let (r, c) = (line - plane * rows, i - line * cols);
        match planes {
            None => [plane, i.builder().int(0), r, c],
            Some(planes) => {
                let volume = plane / planes;
                [volume, plane - volume * planes, r, c]
            }
        }
    }

    /// Window `i` of all.
    fn window(&self, i: Value<'b, U32>) -> Window<'b> {
        let [volume, k, i, j] =
            Self::place(i, self.planes.map(|along| along.count), self.rows.count, self.cols.count);
        let plane = self.planes.map_or(volume, |along| volume * along.size);
        Window { first: plane * self.area(), k, i, j }
    }

    /// `f` on each element of a window, row by row.
    fn over<T: Scalar>(
        &self,
        &Window { first, k, i, j }: &Window<'b>,
        init: Value<'b, T>,
        f: impl FnOnce(Value<'b, U32>, Value<'b, T>) -> Value<'b, T>,
    ) -> Value<'b, T> {
        let [left, right, apart] = self.cols.elements(j);
        let rows = self.rows.elements(i);
        let plane = |first: Value<'b, U32>, init: Value<'b, T>| {
            fold_by(self.b, rows, init, |r, all| {
                let line = first + r * self.cols.size;
                fold_by(self.b, [line + left, line + right, apart], all, f)
            })
        };
        match self.planes {
            None => plane(first, init),
            Some(along) => {
                fold_by(self.b, along.elements(k), init, |p, all| plane(first + p * self.area(), all))
            }
        }
    }

    /// The first element of a window.
    fn corner(&self, &Window { first, k, i, j }: &Window<'b>) -> Value<'b, U32> {
        let [[top, ..], [left, ..]] = [self.rows.elements(i), self.cols.elements(j)];
        let [front, ..] = self.planes.map_or([self.b.int(0); 3], |along| along.elements(k));
        let first = if self.planes.is_some() { first + front * self.area() } else { first };
        first + top * self.cols.size + left
    }

    /// `f` on each window of [`Along::windows`] about element `at` of all, row by row: its number, itself, and what is 0
    /// where it has the element.
    fn around<T: Scalar>(
        &self,
        at: Value<'b, U32>,
        init: Value<'b, T>,
        f: impl FnOnce(Value<'b, U32>, Window<'b>, Value<'b, U32>, Value<'b, T>) -> Value<'b, T>,
    ) -> Value<'b, T> {
        let [volume, p, r, c] =
            Self::place(at, self.planes.map(|along| along.size), self.rows.size, self.cols.size);
        let (rows, columns) = (self.rows.windows(r), self.cols.windows(c));
        let plane = |plane: Value<'b, U32>, k: Value<'b, U32>, init: Value<'b, T>| {
            fold(self.b, rows, init, |i, all| {
                let line = (plane * self.rows.count + i) * self.cols.count;
                fold(self.b, columns, all, |j, all| {
                    let misses = self.rows.misses(r, i) + self.cols.misses(c, j);
                    let misses = self.planes.map_or(misses, |along| misses + along.misses(p, k));
                    f(line + j, Window { first: self.b.int(0), k, i, j }, misses, all)
                })
            })
        };
        match self.planes {
            None => plane(volume, p, init),
            Some(along) => {
                fold(self.b, along.windows(p), init, |k, all| plane(volume * along.count + k, k, all))
            }
        }
    }
}

/// What the means of windows count.
struct Counts<'b> {
    rows: [Value<'b, U32>; 2],
    cols: [Value<'b, U32>; 2],
    planes: Option<[Value<'b, U32>; 2]>,
}

impl<'b> Counts<'b> {
    /// From the next parameters: where what is counted starts and ends in rows, then in columns, then in planes if there
    /// are `volumes`, from the start of the padding on.
    fn new(b: &'b Builder, volumes: bool) -> Self {
        let [rows, cols] = [(); 2].map(|()| b.params::<U32, 2>());
        Self { rows, cols, planes: volumes.then(|| b.params::<U32, 2>()) }
    }

    /// Elements that the mean of a window counts.
    fn of<T: Recorded>(&self, windows: &Windows<'b>, &Window { k, i, j, .. }: &Window<'b>) -> Value<'b, T> {
        let plane = windows.rows.within(i, self.rows) * windows.cols.within(j, self.cols);
        let planes = windows.planes.zip(self.planes);
        planes.map_or(plane, |(along, counted)| plane * along.within(k, counted)).to::<T>()
    }
}

/// The largest element of each window, over planes or over `volumes`. Parameters: `x`, `out`; windows; those of
/// [`Windows::new`].
pub fn max_pool<T: Recorded>(volumes: bool) -> Result<Kernel, Error> {
    let b = named::<T>("max_pool");
    let [x, out] = b.params::<U64, 2>();
    let n = b.param::<U32>();
    let windows = Windows::new(&b, volumes);
    each(&b, n, |i| {
        let none = b.bits(T::bits(-T::Elem::INFINITY));
        let larger = |at, all| Maximum.eval([all, get::<T>(x, at)]);
        put(out, i, windows.over(&windows.window(i), none, larger));
    });
    b.finish()
}

/// The mean of each window, over planes or over `volumes`. Parameters: `x`, `out`; windows; those of [`Windows::new`], of
/// [`Counts::new`].
pub fn avg_pool<T: Recorded>(volumes: bool) -> Result<Kernel, Error> {
    let b = named::<T>("avg_pool");
    let [x, out] = b.params::<U64, 2>();
    let n = b.param::<U32>();
    let windows = Windows::new(&b, volumes);
    let counts = Counts::new(&b, volumes);
    each(&b, n, |at| {
        let window = windows.window(at);
        let sum = windows.over(&window, b.bits(0), |at, sum| Add.eval([sum, get::<T>(x, at)]));
        put(out, at, sum / counts.of::<T>(&windows, &window));
    });
    b.finish()
}

/// Its gradient. Parameters: `dy`, `dx`; elements; those of [`Windows::new`], of [`Counts::new`].
pub fn avg_pool_backward<T: Recorded>(volumes: bool) -> Result<Kernel, Error> {
    let b = named::<T>("avg_pool_backward");
    let [dy, dx] = b.params::<U64, 2>();
    let n = b.param::<U32>();
    let windows = Windows::new(&b, volumes);
    let counts = Counts::new(&b, volumes);
    each(&b, n, |at| {
        let sum = windows.around(at, b.bits(0), |w, window, misses, sum| {
            let share = get::<T>(dy, w) / counts.of::<T>(&windows, &window);
            Value::select(misses.compare(Cmp::Eq, b.int(0)), sum + share, sum)
        });
        put(dx, at, sum);
    });
    b.finish()
}

/// Where the first of the largest elements of each window is, or its first NaN: among all of `x`, or with `values`, which it
/// writes too, in its plane or volume. Parameters: `x`, where the indices go, where values; windows; those of
/// [`Windows::new`].
pub fn largest<T: Recorded>(values: bool, volumes: bool) -> Result<Kernel, Error> {
    let b = named::<T>(if values { "max_pool_indices" } else { "largest" });
    let [x, out] = b.params::<U64, 2>();
    let values = values.then(|| b.param::<U64>());
    let n = b.param::<U32>();
    let windows = Windows::new(&b, volumes);
    each(&b, n, |w| {
        let window = windows.window(w);
        let found = windows.over(&window, windows.corner(&window), |at, most| {
            let (v, before) = (get::<T>(x, at), get::<T>(x, most));
            let nan = v.compare(Cmp::Ne, v) & before.compare(Cmp::Eq, before);
            Value::select(v.compare(Cmp::Gt, before) | nan, at, most)
        });
        put(out, w, if values.is_some() { found - window.first } else { found });
        values.into_iter().for_each(|values| put(values, w, get::<T>(x, found)));
    });
    b.finish()
}

/// The gradient of [`max_pool`]. Parameters: where the windows' largest elements are, `dy`, `dx`; elements; those of
/// [`Windows::new`].
pub fn max_pool_backward<T: Recorded>(volumes: bool) -> Result<Kernel, Error> {
    let b = named::<T>("max_pool_backward");
    let [largest, dy, dx] = b.params::<U64, 3>();
    let n = b.param::<U32>();
    let windows = Windows::new(&b, volumes);
    each(&b, n, |at| {
        let sum = windows.around(at, b.bits(0), |w, _, _, sum| {
            let [sum] =
                b.either(get::<U32>(largest, w).compare(Cmp::Eq, at), || [sum + get::<T>(dy, w)], || [sum]);
            sum
        });
        put(dx, at, sum);
    });
    b.finish()
}

/// The sizes of a convolution along lines.
struct Lines<'b> {
    channels_in: Value<'b, U32>,
    channels_out: Value<'b, U32>,
    /// Channels of a group.
    ci: Value<'b, U32>,
    co: Value<'b, U32>,
    /// Elements of a line, and places.
    length: Value<'b, U32>,
    n: Value<'b, U32>,
    kernel: Value<'b, U32>,
    stride: Value<'b, U32>,
    padding: Value<'b, U32>,
    dilation: Value<'b, U32>,
}

impl<'b> Lines<'b> {
    /// From the next parameters: channels of the input, of the result, of a group of either, elements of a line, places,
    /// weights of a filter, from one place to the next, zeros before a line, from one weight to the next.
    fn new(b: &'b Builder) -> Self {
        let [channels_in, channels_out, ci, co, length, n, kernel, stride, padding, dilation] =
            b.params::<U32, 10>();
        Self { channels_in, channels_out, ci, co, length, n, kernel, stride, padding, dilation }
    }

    /// What tap `k` meets at place `l`: past the line, also before it.
    fn met(&self, l: Value<'b, U32>, k: Value<'b, U32>) -> Value<'b, U32> {
        l * self.stride + k * self.dilation - self.padding
    }
}

/// Convolution along lines. Parameters: `x`, the weights, the bias, `out`; elements of `out`, whether there is a bias; those
/// of [`Lines::new`].
pub fn conv1d<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("conv1d");
    let [x, weights, bias, out] = b.params::<U64, 4>();
    let [n, biased] = b.params::<U32, 2>();
    let c = Lines::new(&b);
    each(&b, n, |at| {
        let row = at / c.n;
        let (l, image) = (at - row * c.n, row / c.channels_out);
        let o = row - image * c.channels_out;
        let first = image * c.channels_in + o / c.co * c.ci;
        let [init] = b.either(biased.compare(Cmp::Ne, b.int(0)), || [get::<T>(bias, o)], || [b.bits(0)]);
        let sum = fold(&b, [b.int(0), c.ci], init, |i, sum| {
            let (line, filter) = ((first + i) * c.length, (o * c.ci + i) * c.kernel);
            fold(&b, [b.int(0), c.kernel], sum, |k, sum| {
                let met = c.met(l, k);
                let add = || [get::<T>(weights, filter + k).fma(get(x, line + met), sum)];
                let [sum] = b.either(met.compare(Cmp::Lt, c.length), add, || [sum]);
                sum
            })
        });
        put(out, at, sum);
    });
    b.finish()
}

/// Its gradient by the input. Parameters: `dy`, the weights, `dx`; elements of `dx`; those of [`Lines::new`].
pub fn conv1d_backward_input<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("conv1d_backward_input");
    let [dy, weights, dx] = b.params::<U64, 3>();
    let n = b.param::<U32>();
    let c = Lines::new(&b);
    each(&b, n, |at| {
        let row = at / c.length;
        let (place, image) = (at - row * c.length + c.padding, row / c.channels_in);
        let channel = row - image * c.channels_in;
        let group = channel / c.ci;
        let (i, first) = (channel - group * c.ci, group * c.co);
        let sum = fold(&b, [b.int(0), c.co], b.bits(0), |o, sum| {
            let o = first + o;
            let (line, filter) = ((image * c.channels_out + o) * c.n, (o * c.ci + i) * c.kernel);
            fold(&b, [b.int(0), c.kernel], sum, |k, sum| {
                let from = place - k * c.dilation;
                let l = from / c.stride;
                let meets = (l * c.stride).compare(Cmp::Eq, from) & l.compare(Cmp::Lt, c.n);
                let add = || [get::<T>(weights, filter + k).fma(get(dy, line + l), sum)];
                let [sum] = b.either(meets, add, || [sum]);
                sum
            })
        });
        put(dx, at, sum);
    });
    b.finish()
}

/// Its gradient by the weights, added to, a block for each. Parameters: `x`, `dy`, where it goes; weights, images; those of
/// [`Lines::new`].
pub fn conv1d_backward_weights<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let b = named::<T>("conv1d_backward_weights");
    b.threads([THREADS, 1, 1]);
    let [x, dy, out] = b.params::<U64, 3>();
    let [weights, images] = b.params::<U32, 2>();
    let c = Lines::new(&b);
    each_row(&b, weights, |at| {
        let filter = at / c.kernel;
        let (k, o) = (at - filter * c.kernel, filter / c.ci);
        let channel = o / c.co * c.ci + filter - o * c.ci;
        let bounds = [b.special(Special::TidX), images * c.n, b.int(i64::from(THREADS))];
        let zero = b.bits::<T>(0);
        let sum = b.count::<U32, T>(bounds, 1, &[zero], |e, sum| {
            let image = e / c.n;
            let l = e - image * c.n;
            let met = c.met(l, k);
            let old = sum.first().copied().unwrap_or(zero);
            let add = || {
                let x = get::<T>(x, (image * c.channels_in + channel) * c.length + met);
                [x.fma(get(dy, (image * c.channels_out + o) * c.n + l), old)]
            };
            b.either(met.compare(Cmp::Lt, c.length), add, || [old]).to_vec()
        });
        let [sum] = block_reduce(&b, meet, [sum.first().copied().unwrap_or(zero)], |[p], [q]| [p + q]);
        b.when(leads(&b), || put(out, at, get::<T>(out, at) + sum));
    });
    b.finish()
}

/// Sums of channels over all images, added to, a block for each. Parameters: `dy`, where they go; channels, images, elements of a
/// line.
pub fn channel_sums<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let b = named::<T>("channel_sums");
    b.threads([THREADS, 1, 1]);
    let [dy, out] = b.params::<U64, 2>();
    let [channels, images, n] = b.params::<U32, 3>();
    each_row(&b, channels, |o| {
        let bounds = [b.special(Special::TidX), images * n, b.int(i64::from(THREADS))];
        let zero = b.bits::<T>(0);
        let sum = b.count::<U32, T>(bounds, 4, &[zero], |e, sum| {
            let image = e / n;
            let v = get::<T>(dy, (image * channels + o) * n + e - image * n);
            sum.iter().map(|s| *s + v).collect()
        });
        let [sum] = block_reduce(&b, meet, [sum.first().copied().unwrap_or(zero)], |[p], [q]| [p + q]);
        b.when(leads(&b), || put(out, o, get::<T>(out, o) + sum));
    });
    b.finish()
}

/// A filter's results. Parameters: taps, what came before `x`, `x`, `out`; results, taps, elements from one result to the next.
pub fn fir<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("fir");
    let [taps, state, x, out] = b.params::<U64, 4>();
    let [n, count, decimation] = b.params::<U32, 3>();
    let before = count - b.int(1);
    each(&b, n, |l| {
        let last = l * decimation + before;
        let sum = fold(&b, [b.int(0), count], b.bits::<T>(0), |k, sum| {
            let at = last - k;
            let old = at.compare(Cmp::Lt, before);
            let [v] = b.either(old, || [get::<T>(state, at)], || [get(x, at - before)]);
            get::<T>(taps, k).fma(v, sum)
        });
        put(out, l, sum);
    });
    b.finish()
}
