//! Kernels of convolutions of planes. A thread sums its result in a fixed order, so that results are deterministic.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Special};
use super::super::record::Recorded;
use super::super::types::{Pred, U32, U64};
use super::THREADS;
use super::block_reduce::{Meet, block_reduce};
use super::flat::{each, get, named, put};
use super::layer::{each_row, leads};
use super::window::fold;

/// The sizes of a convolution of planes. Of each pair, the first is down the rows.
struct Maps<'b> {
    channels_in: Value<'b, U32>,
    channels_out: Value<'b, U32>,
    /// Channels of a group.
    ci: Value<'b, U32>,
    co: Value<'b, U32>,
    /// Elements of a plane, and places.
    size: [Value<'b, U32>; 2],
    n: [Value<'b, U32>; 2],
    kernel: [Value<'b, U32>; 2],
    stride: [Value<'b, U32>; 2],
    /// Zeros above and to the left.
    padding: [Value<'b, U32>; 2],
    dilation: [Value<'b, U32>; 2],
}

impl<'b> Maps<'b> {
    /// From the next parameters: channels of the input, of the result, of a group of either; then of each direction elements,
    /// places, weights, from one place to the next, zeros before, from one weight to the next.
    fn new(b: &'b Builder) -> Self {
        let [channels_in, channels_out, ci, co] = b.params::<U32, 4>();
        let [size, n, kernel, stride, padding, dilation] = [(); 6].map(|()| b.params::<U32, 2>());
        Self { channels_in, channels_out, ci, co, size, n, kernel, stride, padding, dilation }
    }

    /// What weights `p` and `q` meet at the place in row `r` and column `l`: past the plane, also before it.
    fn row(&self, r: Value<'b, U32>, p: Value<'b, U32>) -> Value<'b, U32> {
        let ([stride, _], [dilation, _], [above, _]) = (self.stride, self.dilation, self.padding);
        r * stride + p * dilation - above
    }
    fn column(&self, l: Value<'b, U32>, q: Value<'b, U32>) -> Value<'b, U32> {
        let ([_, stride], [_, dilation], [_, left]) = (self.stride, self.dilation, self.padding);
        l * stride + q * dilation - left
    }
}

/// Number `i` of rows of so many: its row, and its place in this.
fn row_and_place<'b>(i: Value<'b, U32>, n: Value<'b, U32>) -> [Value<'b, U32>; 2] {
    let row = i / n;
    [row, i - row * n]
}

/// The place that lies so far behind the start of the padding, and whether it is one of `n`.
fn place<'b>(
    from: Value<'b, U32>,
    stride: Value<'b, U32>,
    n: Value<'b, U32>,
) -> (Value<'b, U32>, Value<'b, Pred>) {
    let l = from / stride;
    (l, (l * stride).compare(Cmp::Eq, from) & l.compare(Cmp::Lt, n))
}

/// Convolution of planes. Parameters: `x`, the weights, the bias, `out`; elements of `out`, whether there is a bias; those
/// of [`Maps::new`].
pub fn conv2d<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("conv2d");
    let [x, weights, bias, out] = b.params::<U64, 4>();
    let [n, biased] = b.params::<U32, 2>();
    let c = Maps::new(&b);
    let ([h, w], [rows, cols], [kh, kw]) = (c.size, c.n, c.kernel);
    each(&b, n, |at| {
        let [line, l] = row_and_place(at, cols);
        let [plane, r] = row_and_place(line, rows);
        let [image, o] = row_and_place(plane, c.channels_out);
        let first = image * c.channels_in + o / c.co * c.ci;
        let [init] = b.either(biased.compare(Cmp::Ne, b.int(0)), || [get::<T>(bias, o)], || [b.bits(0)]);
        let sum = fold(&b, [b.int(0), c.ci], init, |i, sum| {
            let (plane, filter) = ((first + i) * h, (o * c.ci + i) * kh);
            fold(&b, [b.int(0), kh], sum, |p, sum| {
                let down = c.row(r, p);
                let (line, filter, inside) =
                    ((plane + down) * w, (filter + p) * kw, down.compare(Cmp::Lt, h));
                fold(&b, [b.int(0), kw], sum, |q, sum| {
                    let met = c.column(l, q);
                    let add = || [get::<T>(weights, filter + q).fma(get(x, line + met), sum)];
                    let [sum] = b.either(inside & met.compare(Cmp::Lt, w), add, || [sum]);
                    sum
                })
            })
        });
        put(out, at, sum);
    });
    b.finish()
}

/// Its gradient by the input. Parameters: `dy`, the weights, `dx`; elements of `dx`; those of [`Maps::new`].
pub fn conv2d_backward_input<T: Recorded>() -> Result<Kernel, Error> {
    let b = named::<T>("conv2d_backward_input");
    let [dy, weights, dx] = b.params::<U64, 3>();
    let n = b.param::<U32>();
    let c = Maps::new(&b);
    let ([h, w], [rows, cols], [kh, kw]) = (c.size, c.n, c.kernel);
    let ([sh, sw], [dh, dw], [above, left]) = (c.stride, c.dilation, c.padding);
    each(&b, n, |at| {
        let [line, j] = row_and_place(at, w);
        let [plane, i] = row_and_place(line, h);
        let [image, channel] = row_and_place(plane, c.channels_in);
        let [group, channel] = row_and_place(channel, c.ci);
        let first = group * c.co;
        let sum = fold(&b, [b.int(0), c.co], b.bits(0), |o, sum| {
            let o = first + o;
            let (plane, filter) = ((image * c.channels_out + o) * rows, (o * c.ci + channel) * kh);
            fold(&b, [b.int(0), kh], sum, |p, sum| {
                let (r, inside) = place(i + above - p * dh, sh, rows);
                let (line, filter) = ((plane + r) * cols, (filter + p) * kw);
                fold(&b, [b.int(0), kw], sum, |q, sum| {
                    let (l, meets) = place(j + left - q * dw, sw, cols);
                    let add = || [get::<T>(weights, filter + q).fma(get(dy, line + l), sum)];
                    let [sum] = b.either(inside & meets, add, || [sum]);
                    sum
                })
            })
        });
        put(dx, at, sum);
    });
    b.finish()
}

/// Its gradient by the weights, added to, a block for each. Parameters: `x`, `dy`, where it goes; weights, images; those of
/// [`Maps::new`].
pub fn conv2d_backward_weights<T: Recorded>(meet: Meet) -> Result<Kernel, Error> {
    let b = named::<T>("conv2d_backward_weights");
    b.threads([THREADS, 1, 1]);
    let [x, dy, out] = b.params::<U64, 3>();
    let [weights, images] = b.params::<U32, 2>();
    let c = Maps::new(&b);
    let ([h, w], [rows, cols], [kh, kw]) = (c.size, c.n, c.kernel);
    each_row(&b, weights, |at| {
        let [line, q] = row_and_place(at, kw);
        let [filter, p] = row_and_place(line, kh);
        let [o, i] = row_and_place(filter, c.ci);
        let channel = o / c.co * c.ci + i;
        let bounds = [b.special(Special::TidX), images * rows * cols, b.int(i64::from(THREADS))];
        let zero = b.bits::<T>(0);
        let sum = b.count::<U32, T>(bounds, 1, &[zero], |e, sum| {
            let [line, l] = row_and_place(e, cols);
            let [image, r] = row_and_place(line, rows);
            let (down, met) = (c.row(r, p), c.column(l, q));
            let old = sum.first().copied().unwrap_or(zero);
            let add = || {
                let x = get::<T>(x, ((image * c.channels_in + channel) * h + down) * w + met);
                [x.fma(get(dy, ((image * c.channels_out + o) * rows + r) * cols + l), old)]
            };
            let inside = down.compare(Cmp::Lt, h) & met.compare(Cmp::Lt, w);
            b.either(inside, add, || [old]).to_vec()
        });
        let [sum] = block_reduce(&b, meet, [sum.first().copied().unwrap_or(zero)], |[p], [q]| [p + q]);
        b.when(leads(&b), || put(out, at, get::<T>(out, at) + sum));
    });
    b.finish()
}
