//! Pooling: the maximum or the mean of each window of a plane or a volume, and the backward passes.

pub(crate) mod geometry;
mod loops;

use crate::contract::{Call, contract};
use crate::error::{Error, same_len};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::parts::{Read, Write, count, each_row};
use crate::pointwise::{Add, Maximum};
use geometry::Planes;
use loops::part;

/// Windows over volumes of planes, rows and columns: `kernel` elements, `dilation` apart, one window each `stride`, from
/// `padding` places before the first element to `padding_end` behind the last. A plane is a volume of one plane, a line a
/// plane of one row.
///
/// Each triple is planes (the depth), rows, columns. A window that would end behind the padding is left out; with `ceil` it
/// is kept if it begins in the volume or in the padding before it.
///
/// ```
/// use fulmen::Pool;
/// let halves = Pool::new([224, 112], [3, 3], [2, 2], [1, 1]);
/// assert_eq!(halves.output(), Ok([1, 112, 56]));
/// assert_eq!(Pool::line(10, 4, 3, 0).output(), Ok([1, 1, 3]));
/// assert_eq!(Pool { ceil: true, ..Pool::line(9, 4, 3, 0) }.output(), Ok([1, 1, 3]));
/// assert_eq!(Pool { dilation: [1, 1, 3], padding_end: [0, 0, 2], ..Pool::line(8, 3, 1, 0) }.output(), Ok([1, 1, 4]));
/// assert_eq!(Pool::global([7, 7]).output(), Ok([1, 1, 1]));
/// assert_eq!(Pool::volume([16, 112, 112], [2, 3, 3], [2, 2, 2], [0, 1, 1]).output(), Ok([8, 56, 56]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Pool {
    /// Elements of a volume.
    pub input: [usize; 3],
    /// Elements of a window.
    pub kernel: [usize; 3],
    /// Elements from one window to the next.
    pub stride: [usize; 3],
    /// Elements from one element of a window to the next.
    pub dilation: [usize; 3],
    /// Places before the first element, fewer than a window spans.
    pub padding: [usize; 3],
    /// Places behind the last element, fewer than a window spans.
    pub padding_end: [usize; 3],
    /// Whether the number of windows is rounded up.
    pub ceil: bool,
}

/// A [`Pool`] along one direction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Along {
    /// Elements of the volume, and of a window.
    pub(crate) n: usize,
    pub(crate) kernel: usize,
    pub(crate) stride: usize,
    pub(crate) dilation: usize,
    /// Places of the padding before and behind.
    pub(crate) before: usize,
    pub(crate) behind: usize,
    ceil: bool,
}

impl Along {
    /// A window of one element has no other that would be apart.
    const fn near(self) -> Self {
        match self {
            Self { kernel: 1, dilation: 1.., .. } => Self { dilation: 1, ..self },
            _ => self,
        }
    }

    /// Windows, of sizes that may be anything.
    const fn windows(&self) -> Result<usize, Error> {
        let Self { n, kernel, stride, dilation, before, behind, ceil } = *self;
        if n == 0 {
            return Err(Error::empty("input"));
        }
        let Some(last) = kernel.checked_sub(1) else { return Err(Error::empty("kernel")) };
        if stride == 0 {
            return Err(Error::must_be("stride", "at least 1"));
        }
        // Elements that are farther apart could lie before and behind the volume alone.
        if dilation == 0 || (last > 0 && dilation > n) {
            return Err(Error::must_be("dilation", "at least 1 and at most the volume's elements"));
        }
        let Some(span) = last.checked_mul(dilation) else { return Err(Error::overflow("dilation")) };
        // So that no window is padding alone.
        if before > span {
            return Err(Error::must_be("padding", "less than what a window spans"));
        }
        if behind > span {
            return Err(Error::must_be("padding_end", "less than what a window spans"));
        }
        let Some(front) = n.checked_add(before) else { return Err(Error::overflow("padding")) };
        let Some(padded) = front.checked_add(behind) else {
            return Err(Error::overflow("padding_end"));
        };
        if span >= padded {
            return Err(Error::must_be("kernel", "no longer than the padded volume"));
        }
        let free = padded - span - 1;
        let whole = free / stride + 1;
        match whole.checked_mul(stride) {
            Some(start) if ceil && !free.is_multiple_of(stride) && start < front => Ok(whole + 1),
            _ => Ok(whole),
        }
    }

    /// Places from the first to behind the last element of a window.
    pub(crate) const fn span(&self) -> usize {
        (self.kernel - 1).saturating_mul(self.dilation).saturating_add(1)
    }

    /// Where the padding ends, counted from its start.
    pub(crate) const fn padded(&self) -> usize {
        self.n + self.before + self.behind
    }

    /// Where the last of `count` windows ends.
    pub(crate) const fn end(&self, count: usize) -> usize {
        (count - 1).saturating_mul(self.stride).saturating_add(self.span())
    }
}

impl Pool {
    /// Windows over planes, with as much padding behind as before, a dilation of 1, and whole windows alone. Each pair is
    /// rows, columns.
    pub const fn new(input: [usize; 2], kernel: [usize; 2], stride: [usize; 2], padding: [usize; 2]) -> Self {
        let ([h, w], [kh, kw], [sh, sw], [ph, pw]) = (input, kernel, stride, padding);
        Self::volume([1, h, w], [1, kh, kw], [1, sh, sw], [0, ph, pw])
    }

    /// As [`Pool::new`] over volumes: planes, rows, columns.
    pub const fn volume(
        input: [usize; 3],
        kernel: [usize; 3],
        stride: [usize; 3],
        padding: [usize; 3],
    ) -> Self {
        Self { input, kernel, stride, dilation: [1; 3], padding, padding_end: padding, ceil: false }
    }

    /// Windows over lines of `input` elements.
    pub const fn line(input: usize, kernel: usize, stride: usize, padding: usize) -> Self {
        Self::new([1, input], [1, kernel], [1, stride], [0, padding])
    }

    /// One window over the whole plane.
    pub const fn global(input: [usize; 2]) -> Self {
        Self::new(input, input, [1, 1], [0, 0])
    }

    /// Planes, rows and columns of the result.
    ///
    /// Errors: [`Error::Empty`] names `input` or `kernel`, [`Error::Domain`] `stride` when it is 0, `dilation` when it is 0
    /// or more than the volume's elements, `padding` or `padding_end` when it is not below what a window spans
    /// (`(kernel - 1) · dilation + 1`), `kernel` when that is more than the padded input; [`Error::Overflow`].
    pub const fn output(&self) -> Result<[usize; 3], Error> {
        let [deep, down, across] = self.along();
        match (deep.windows(), down.windows(), across.windows()) {
            (Ok(depth), Ok(rows), Ok(cols)) => Ok([depth, rows, cols]),
            (Err(e), ..) | (_, Err(e), _) | (.., Err(e)) => Err(e),
        }
    }

    /// Planes, then rows, then columns.
    const fn along(&self) -> [Along; 3] {
        let Self {
            input: [d, h, w],
            kernel: [kd, kh, kw],
            stride: [sd, sh, sw],
            dilation: [dd, dh, dw],
            padding: [front, top, left],
            padding_end: [back, bottom, right],
            ceil,
        } = *self;
        [
            Along { n: d, kernel: kd, stride: sd, dilation: dd, before: front, behind: back, ceil }.near(),
            Along { n: h, kernel: kh, stride: sh, dilation: dh, before: top, behind: bottom, ceil }.near(),
            Along { n: w, kernel: kw, stride: sw, dilation: dw, before: left, behind: right, ceil }.near(),
        ]
    }

    /// For so many elements of volumes, and of results.
    pub(crate) fn on(
        self,
        (arg, len): (&'static str, usize),
        out: (&'static str, usize),
    ) -> Result<Planes, Error> {
        let windows = self.output()?;
        let of = |sizes: [usize; 3], arg: &'static str| {
            let all = sizes.iter().try_fold(1usize, |all, n| all.checked_mul(*n));
            all.ok_or(Error::overflow(arg))
        };
        let (volume, cells) = (of(self.input, "input")?, of(windows, "padding")?);
        same_len(out.0, count(arg, len, volume)?.saturating_mul(cells), out.1)?;
        let ([deep, down, across], [depth, rows, cols]) = (self.along(), windows);
        let over = [deep, down, across].iter().zip(windows).any(|(along, n)| along.end(n) > along.padded());
        let area = down.n * across.n;
        Ok(Planes { deep, down, across, area, volume, cells, depth, rows, cols, over })
    }

    /// For so many elements, results and indices, which count those of a volume.
    pub(crate) fn with_indices(self, x: usize, out: usize, indices: usize) -> Result<Planes, Error> {
        let planes = self.on(("x", x), ("out", out))?;
        same_len("indices", out, indices)?;
        match u32::try_from(planes.volume - 1) {
            Ok(_) => Ok(planes),
            Err(_) => Err(Error::overflow("input")),
        }
    }
}

ops! { $ pool_ops in crate::nn::pool;
    /// `out[c][w] = max_t x[c][w·s + t·d - p]` over the elements of window `w` that are in the volume: all but `c` are triples,
    /// of planes, rows and columns. For planes and lines with [`Pool::new`] and [`Pool::line`].
    ///
    /// Shapes and units: `x` holds whole volumes (images times channels), `out` one of [`Pool::output`] for each.
    ///
    /// NaN and ±0: NaN when an element of the window is NaN; -0 is below +0. Padding never is the largest.
    ///
    /// Errors: those of [`Pool::output`](crate::Pool::output), [`Error::Rows`] when `x` does not hold whole volumes,
    /// [`Error::Len`] when `out` has another length. Scratch: none.
    ///
    /// ```
    /// let mut out = [0.0f32; 3];
    /// fulmen::max_pool(&[1.0, 4.0, 2.0, 3.0, 0.0, 5.0], fulmen::Pool::line(6, 2, 2, 0), &mut out)?;
    /// assert_eq!(out, [4.0, 3.0, 5.0]);
    /// // Two planes of two rows, and one window over each pair of columns.
    /// let x = [1.0f32, 4.0, 2.0, 3.0, 8.0, 5.0, 0.0, 1.0, 7.0, 2.0, 6.0, 9.0];
    /// fulmen::max_pool(&x, fulmen::Pool::volume([2, 2, 3], [2, 2, 2], [1; 3], [0; 3]), &mut out[..2])?;
    /// assert_eq!(out[..2], [8.0, 9.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/max_pool-v1.yaml`.
    threads max_pool, max_pool_on, max_pool_by (x: in T, pool: by Pool, out: out T) -> Result<()>;

    /// `out[c][w] = x[c][indices[c][w]]`: the largest element of each window, and where in its volume that is, row by row.
    ///
    /// Shapes and units: `x` holds whole volumes, `out` and `indices` one of [`Pool::output`] for each. An index counts the
    /// elements of one volume, from 0; of equal elements the first one is the largest, as in
    /// [`max_pool_backward`](crate::max_pool_backward()). Over lines with [`Pool::line`].
    ///
    /// NaN and ±0: in a window with NaN the first NaN is the largest; -0 and +0 are equal, so `out` may be -0 where
    /// [`max_pool`](crate::max_pool()) gives +0, and has its values everywhere else. Padding never is the largest.
    ///
    /// Errors: those of [`Pool::output`](crate::Pool::output), [`Error::Rows`] when `x` does not hold whole volumes,
    /// [`Error::Len`] when `out` or `indices` has another length, [`Error::Overflow`] for volumes of more than 2^32 elements.
    /// Scratch: none.
    ///
    /// ```
    /// let (mut out, mut indices) = ([0.0f32; 3], [0; 3]);
    /// let pool = fulmen::Pool::line(6, 2, 2, 0);
    /// fulmen::max_pool_indices(&[1.0, 4.0, 2.0, 2.0, 0.0, 5.0], pool, &mut out, &mut indices)?;
    /// assert_eq!((out, indices), ([4.0, 2.0, 5.0], [1, 2, 5]));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/max_pool_indices-v1.yaml`.
    threads max_pool_indices, max_pool_indices_on, max_pool_indices_by (x: in T, pool: by Pool, out: out T, indices: out u32) -> Result<()>;

    /// `dx[c][a] = Σ dy[c][w]` over the windows whose largest element is `a`: the gradient of
    /// [`max_pool`](crate::max_pool()).
    ///
    /// Shapes and units: `x` and `dx` hold whole volumes, `dy` one of [`Pool::output`] for each. Of equal elements the
    /// first one, row by row, is the largest; it is searched again, so that nothing is kept from the forward op.
    ///
    /// NaN and ±0: -0 and +0 are equal; in a window with NaN the first NaN is the largest. NaN in `dy` reaches that
    /// element only.
    ///
    /// Errors: those of [`Pool::output`](crate::Pool::output), [`Error::Rows`] when `x` does not hold whole volumes,
    /// [`Error::Len`] when `dy` or `dx` has another length. Scratch: none.
    ///
    /// ```
    /// let mut dx = [0.0f32; 4];
    /// let pool = fulmen::Pool::line(4, 2, 1, 0);
    /// fulmen::max_pool_backward(&[1.0, 4.0, 4.0, 3.0], &[0.5, 1.0, 2.0], pool, &mut dx)?;
    /// assert_eq!(dx, [0.0, 1.5, 2.0, 0.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the chain rule. Contract: `contracts/max_pool_backward-v1.yaml`.
    threads max_pool_backward, max_pool_backward_on, max_pool_backward_by (x: in T, dy: in T, pool: by Pool, dx: out T) -> Result<()>;

    /// `out[c][w] = Σ_t x[c][w·s + t·d - p] / n` over the elements of window `w` that are in the volume: all but `c` are
    /// triples, of planes, rows and columns. `n` counts these or, with `count_padding`, the padding too (not what is behind it).
    /// For planes and lines with [`Pool::new`] and [`Pool::line`].
    ///
    /// Shapes and units: `x` holds whole volumes (images times channels), `out` one of [`Pool::output`] for each.
    ///
    /// NaN and ±0: NaN when an element of the window is NaN, or two are opposite infinities; the mean of zeros is +0.
    ///
    /// Errors: those of [`Pool::output`](crate::Pool::output), [`Error::Rows`] when `x` does not hold whole volumes,
    /// [`Error::Len`] when `out` has another length. Scratch: none.
    ///
    /// ```
    /// use fulmen::{Pool, avg_pool};
    /// let (x, mut out) = ([1.0f32, 3.0, 5.0, 7.0], [0.0; 3]);
    /// avg_pool(&x, Pool::line(4, 2, 2, 1), false, &mut out)?;
    /// assert_eq!(out, [1.0, 4.0, 7.0]);
    /// avg_pool(&x, Pool::line(4, 2, 2, 1), true, &mut out)?;
    /// assert_eq!(out, [0.5, 4.0, 3.5]);
    /// // Two channels to one number each.
    /// avg_pool(&x, Pool::global([1, 2]), false, &mut out[..2])?;
    /// assert_eq!(out[..2], [2.0, 6.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the definition. Contract: `contracts/avg_pool-v1.yaml`.
    threads avg_pool, avg_pool_on, avg_pool_by (x: in T, pool: by Pool, count_padding: by bool, out: out T) -> Result<()>;

    /// `dx[c][a] = Σ dy[c][w] / n` over the windows that have `a`: the gradient of [`avg_pool`](crate::avg_pool()).
    ///
    /// Shapes and units: `dx` holds whole volumes, `dy` one of [`Pool::output`] for each; `n` is that of the forward op.
    ///
    /// NaN and ±0: NaN in `dy` reaches the elements of its window; what no window has becomes +0.
    ///
    /// Errors: those of [`Pool::output`](crate::Pool::output), [`Error::Rows`] when `dx` does not hold whole volumes,
    /// [`Error::Len`] when `dy` has another length. Scratch: none.
    ///
    /// ```
    /// let mut dx = [0.0f32; 4];
    /// fulmen::avg_pool_backward(&[2.0, 4.0, 6.0], fulmen::Pool::line(4, 2, 1, 0), false, &mut dx)?;
    /// assert_eq!(dx, [1.0, 3.0, 5.0, 3.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: the chain rule. Contract: `contracts/avg_pool_backward-v1.yaml`.
    threads avg_pool_backward, avg_pool_backward_on, avg_pool_backward_by
        (dy: in T, pool: by Pool, count_padding: by bool, dx: out T) -> Result<()>;
}

#[inline]
pub(crate) fn max_pool_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    x: &[T],
    pool: Pool,
    out: &mut [T],
) -> Result<(), Error> {
    let planes = pool.on(("x", x.len()), ("out", out.len()))?;
    each_row(
        j,
        s,
        planes.volume,
        (Read(x, planes.volume), Write(&mut *out, planes.cells)),
        #[inline(always)]
        |(x, out): (Read<'_, T>, Write<'_, T>)| planes.windows(s, Maximum, -T::INFINITY, x.0, out.0),
    );
    contract!(max_pool, Ok(()), each | check | planes.each_call(x, out, check))
}

#[inline]
pub(crate) fn max_pool_indices_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    x: &[T],
    pool: Pool,
    out: &mut [T],
    indices: &mut [u32],
) -> Result<(), Error> {
    let planes = pool.with_indices(x.len(), out.len(), indices.len())?;
    each_row(
        j,
        s,
        planes.volume,
        (Read(x, planes.volume), Write(&mut *out, planes.cells), Write(indices, planes.cells)),
        #[inline(always)]
        |(x, out, indices): (Read<'_, T>, Write<'_, T>, Write<'_, u32>)| {
            planes.max_indices(s, x.0, out.0, indices.0);
        },
    );
    contract!(max_pool_indices, Ok(()), each | check | planes.each_call(x, out, check))
}

#[inline]
pub(crate) fn max_pool_backward_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    x: &[T],
    dy: &[T],
    pool: Pool,
    dx: &mut [T],
) -> Result<(), Error> {
    let planes = pool.on(("x", x.len()), ("dy", dy.len()))?;
    same_len("dx", x.len(), dx.len())?;
    each_row(
        j,
        s,
        planes.volume,
        (Read(x, planes.volume), Read(dy, planes.cells), Write(&mut *dx, planes.volume)),
        #[inline(always)]
        |(x, dy, dx): (Read<'_, T>, Read<'_, T>, Write<'_, T>)| {
            dx.0.fill(T::ZERO);
            planes.max_backward(s, x.0, dy.0, dx.0);
        },
    );
    contract!(
        max_pool_backward,
        Ok(()),
        each | check | {
            let all = x.chunks_exact(planes.volume).zip(dy.chunks_exact(planes.cells));
            all.zip(dx.chunks_exact(planes.volume)).try_for_each(|((x, dy), dx)| {
                let mut found = Ok(());
                planes.each_window(|line, j, at| {
                    let largest = planes.largest(x, line, j);
                    let dy = [part(dy, at..at + 1)];
                    found = found.and(check(&Call::new(&dy, part(dx, largest..largest + 1))));
                });
                found
            })
        }
    )
}

#[inline]
pub(crate) fn avg_pool_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    x: &[T],
    pool: Pool,
    count_padding: bool,
    out: &mut [T],
) -> Result<(), Error> {
    let planes = pool.on(("x", x.len()), ("out", out.len()))?;
    each_row(
        j,
        s,
        planes.volume,
        (Read(x, planes.volume), Write(&mut *out, planes.cells)),
        #[inline(always)]
        |(x, out): (Read<'_, T>, Write<'_, T>)| {
            if planes.whole() {
                return out.0.fill(loops::mean(s, x.0));
            }
            planes.windows(s, Add, T::ZERO, x.0, out.0);
            planes.means(s, count_padding, out.0);
        },
    );
    contract!(avg_pool, Ok(()), each | check | planes.each_call(x, out, check))
}

#[inline]
pub(crate) fn avg_pool_backward_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    dy: &[T],
    pool: Pool,
    count_padding: bool,
    dx: &mut [T],
) -> Result<(), Error> {
    let planes = pool.on(("dx", dx.len()), ("dy", dy.len()))?;
    each_row(
        j,
        s,
        planes.volume,
        (Read(dy, planes.cells), Write(&mut *dx, planes.volume)),
        #[inline(always)]
        |(dy, dx): (Read<'_, T>, Write<'_, T>)| {
            dx.0.fill(T::ZERO);
            planes.avg_backward(s, count_padding, dy.0, dx.0);
        },
    );
    contract!(
        avg_pool_backward,
        Ok(()),
        each | check | {
            dy.chunks_exact(planes.cells).zip(dx.chunks_exact(planes.volume)).try_for_each(|(dy, dx)| {
                let mut found = Ok(());
                planes.each_window(|line, j, at| {
                    for piece in planes.pieces(line, j) {
                        let dy = [dy.get(at).copied().unwrap_or_default()];
                        found = found.and(check(&Call::new(&[&dy], part(dx, piece))));
                    }
                });
                found
            })
        }
    )
}
