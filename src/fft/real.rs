//! Transforms of real signals (`rfft`, `irfft`): an even number of real points is transformed as half as many complex
//! ones, and a last pass separates the spectrum.

use super::execute::Io;
use super::pass::untangle;
use super::{Direction, Fft, fft_plan_len, fft_workspace, plan, spread};
use crate::complex::Complex;
use crate::contract::contract;
use crate::error::{Error, enough, same_len};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::slices::{lines, lines_mut, split, split_mut};

/// A plan of transforms of `n` real numbers: plain data, whose table is the caller's.
#[derive(Debug, Clone, Copy)]
pub struct RealFft<'a, T> {
    n: usize,
    /// Of `n / 2` complex numbers, or of `n` where that is odd.
    inner: Fft<'a, T>,
    /// `-i·e^(-2πi·k/n)` for `k` up to a quarter of `n`, where that is even.
    twist: &'a [T],
}

/// The length of the complex transform, and how many roots take it apart.
const fn parts(n: usize) -> [usize; 2] {
    if n.is_multiple_of(2) { [n / 2, n / 4 + 1] } else { [n, 0] }
}

/// How many elements the table of a plan for `n` real numbers has; `usize::MAX` when they cannot be counted.
pub const fn rfft_plan_len(n: usize) -> usize {
    let [inner, roots] = parts(n);
    fft_plan_len(inner).saturating_add(2 * roots)
}

/// How many complex numbers of workspace [`rfft`] and [`irfft`] of `n` real numbers need; `usize::MAX` when they cannot be counted.
pub const fn rfft_workspace(n: usize) -> usize {
    let [inner, roots] = parts(n);
    // The numbers before the complex transform; where it has the full length, those after it, too.
    let copies = if roots > 0 { inner } else { inner.saturating_mul(2) };
    fft_workspace(inner).saturating_add(copies)
}

impl<'a, T: Element> RealFft<'a, T> {
    /// The plan for `n` real numbers, its table written to the first [`rfft_plan_len`]`(n)` elements of `table`.
    ///
    /// `workspace` is used where half of `n`, or `n` itself if it is odd, is not a product of 2, 3, 5 and 7, and is as long
    /// as [`rfft_workspace`]`(n)` then.
    ///
    /// Errors: [`Error::Empty`] when `n` is 0, [`Error::Len`] when `table` is too short, [`Error::Workspace`].
    pub fn plan(n: usize, table: &'a mut [T], workspace: &mut [Complex<T>]) -> Result<Self, Error> {
        let (inner, roots) = Self::check(n, table.len())?;
        let (table, twist) = split_mut(table, inner[1]);
        let twist = twist.get_mut(..2 * roots).unwrap_or_default();
        let inner = Fft::plan(inner[0], table, workspace)?;
        for (k, to) in twist.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let [cos, sin] = plan::turn(k as u64, n as u64);
            *to = [T::from_f64(-sin), T::from_f64(-cos)];
        }
        Ok(Self { n, inner, twist })
    }

    /// The plan whose table was written before by [`RealFft::plan`].
    ///
    /// Errors: as there.
    pub fn of(n: usize, table: &'a [T]) -> Result<Self, Error> {
        let (inner, roots) = Self::check(n, table.len())?;
        let (table, twist) = split(table, inner[1]);
        Ok(Self { n, inner: Fft::of(inner[0], table)?, twist: twist.get(..2 * roots).unwrap_or_default() })
    }

    /// The complex transform and its table's length, and how many roots follow.
    fn check(n: usize, got: usize) -> Result<([usize; 2], usize), Error> {
        if n == 0 {
            return Err(Error::empty("n"));
        }
        let [inner, roots] = parts(n);
        let expected = rfft_plan_len(n);
        if got < expected {
            Err(Error::len("table", expected, got))
        } else {
            Ok(([inner, fft_plan_len(inner)], roots))
        }
    }

    /// The complex transform: of half the length where that is even.
    pub(super) const fn inner(&self) -> &Fft<'a, T> {
        &self.inner
    }

    /// How many real numbers.
    #[allow(clippy::len_without_is_empty, reason = "it is at least 1")]
    pub const fn len(&self) -> usize {
        self.n
    }

    /// How many complex numbers: `n/2 + 1`. The others are their conjugates.
    pub const fn bins(&self) -> usize {
        self.n / 2 + 1
    }
}

ops! { $ real_ops in crate::fft::real;
    /// `out[j] = Σ x[k]·e^(-2πi·jk/n)` for `j` up to `n/2`, of each `n` real numbers; the rest are conjugates of these.
    ///
    /// Shapes: `x` holds whole transforms of `n = plan.len()` numbers, `out` as many times `plan.bins()` complex ones. An odd `n`
    /// costs as much as a complex transform of its length, an even one half.
    ///
    /// The spectrum has one side: of power and amplitude, bins `1` to `(n-1)/2` have half, as the conjugates have the other; bin 0, and bin
    /// `n/2` of an even `n`, have all: `n·Σ x² = |out[0]|² + 2·Σ |out[j]|² + |out[n/2]|²`.
    ///
    /// NaN and ±0: as [`fft`](crate::fft()).
    ///
    /// Errors: [`Error::Rows`] when `x` does not hold whole transforms, [`Error::Len`] when `out` has another length,
    /// [`Error::Workspace`]. Scratch: [`rfft_workspace`]`(n)`.
    ///
    /// ```
    /// use fulmen::{Complex, RealFft, irfft, rfft, rfft_plan_len, rfft_workspace};
    /// let mut table = [0.0f32; rfft_plan_len(8)];
    /// let plan = RealFft::plan(8, &mut table, &mut [])?;
    /// let x = [1.0f32, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0, 0.0];
    /// let (mut y, mut back) = ([Complex::ZERO; 5], [0.0; 8]);
    /// let mut work = [Complex::ZERO; rfft_workspace(8)];
    /// rfft(&plan, &x, &mut y, &mut work)?;
    /// assert_eq!(y[2], Complex::new(4.0, 0.0));
    /// irfft(&plan, &y, &mut back, &mut work)?;
    /// assert_eq!(back, x);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/tone.rs`.
    ///
    /// Source: J. W. Cooley, P. A. W. Lewis, P. D. Welch, "The fast Fourier transform algorithm: programming considerations in the
    /// calculation of sine, cosine and Laplace transforms", 1970. Contract: `contracts/rfft-v1.yaml`.
    #[doc(alias = "real_fft")]
    threads "As [`fft()`]." rfft, rfft_on, rfft_by
        (plan: rfft T, x: in T, out: out Complex<T>, workspace: scratch Complex<T>) -> Result<()>;

    /// `out[k] = 1/n·Σ x[j]·e^(2πi·jk/n)` over all `n` numbers `j`, of which `x` has those up to `n/2` and the others are
    /// conjugates: undoes [`rfft`](crate::rfft()).
    ///
    /// Shapes: `x` holds whole transforms of `plan.bins()` complex numbers, `out` as many times `n = plan.len()` real ones. The
    /// imaginary part of the first, and for an even `n` of the last number of a transform is not used.
    ///
    /// NaN and ±0: NaN in a number of `x` reaches results of its transform.
    ///
    /// Errors: [`Error::Rows`] when `x` does not hold whole transforms, [`Error::Len`] when `out` has another length,
    /// [`Error::Workspace`]. Scratch: [`rfft_workspace`]`(n)`.
    ///
    /// ```
    /// use fulmen::{Complex, RealFft, irfft, rfft_plan_len, rfft_workspace};
    /// let mut table = [0.0f32; rfft_plan_len(4)];
    /// let plan = RealFft::plan(4, &mut table, &mut [])?;
    /// let mut out = [0.0; 4];
    /// irfft(&plan, &[0.0, 2.0, 0.0].map(Complex::from), &mut out, &mut [Complex::ZERO; rfft_workspace(4)])?;
    /// assert_eq!(out, [1.0, 0.0, -1.0, 0.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`rfft`](crate::rfft()). Contract: `contracts/irfft-v1.yaml`.
    threads "As [`fft()`]." irfft, irfft_on, irfft_by
        (plan: rfft T, x: in Complex<T>, out: out T, workspace: scratch Complex<T>) -> Result<()>;
}

/// The transforms of `x` rows: `expected` elements of `out` each.
pub(super) fn rows(x: [usize; 2], out: [usize; 2]) -> Result<usize, Error> {
    let ([got, cols], [len, each]) = (x, out);
    match got.checked_rem(cols) {
        Some(0) => {}
        _ => return Err(Error::rows("x", cols, got)),
    }
    let rows = got / cols;
    same_len("out", rows.saturating_mul(each), len)?;
    Ok(rows)
}

/// Numbers that are worth a thread.
pub(crate) const GRAIN: usize = 1 << 13;

/// `f` on each row, with the workspace; on threads as far as that reaches.
pub(super) fn each<J: Executor, A: Sync, B: Send, T: Element>(
    j: J,
    [from, to]: [usize; 2],
    x: &[A],
    out: &mut [B],
    workspace: &mut [Complex<T>],
    scratch: usize,
    f: &(impl Fn(&[A], &mut [B], &mut [Complex<T>]) + Sync),
) {
    let rows = x.len().checked_div(from).unwrap_or(0);
    if !J::SERIAL && rows > 1 && rows * to > GRAIN && workspace.len() / 2 >= scratch {
        let (a, b) = x.split_at(rows / 2 * from);
        let (p, q) = out.split_at_mut(rows / 2 * to);
        let (v, w) = workspace.split_at_mut(workspace.len() / 2);
        j.join(
            rows * to,
            || each(j, [from, to], a, p, v, scratch, f),
            || each(j, [from, to], b, q, w, scratch, f),
        );
        return;
    }
    for (x, y) in lines(x, from).zip(lines_mut(out, to)) {
        f(x, y, workspace);
    }
}

pub(crate) fn rfft_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    plan: &RealFft<'_, T>,
    x: &[T],
    out: &mut [Complex<T>],
    workspace: &mut [Complex<T>],
) -> Result<(), Error> {
    let (n, bins) = (plan.n, plan.bins());
    rows([x.len(), n], [out.len(), bins])?;
    let scratch = rfft_workspace(n);
    enough(scratch, workspace.len())?;
    each(j, [n, bins], x, out, workspace, scratch, &|x: &[T], y: &mut [Complex<T>], w: &mut [Complex<T>]| {
        forward(s, plan, x, y, w);
    });
    contract!(
        rfft,
        Ok(()),
        each | check | {
            let mut rows = x.chunks_exact(n).zip(out.chunks_exact(bins));
            rows.try_for_each(|(x, y)| spread(x, y, check))
        }
    )
}

/// The transform of the `n` numbers `x`.
pub(super) fn forward<S: Simd, T: Element>(
    s: S,
    plan: &RealFft<'_, T>,
    x: &[T],
    out: &mut [Complex<T>],
    workspace: &mut [Complex<T>],
) {
    let n = plan.n;
    if let (false, Ok(x)) = (plan.twist.is_empty(), Complex::of(x)) {
        let m = n / 2;
        let (z, last) = split_mut(out, m);
        plan.inner.one(s, Direction::Forward, Io::Apart(x, z), workspace);
        if let (Some(first), Some(last)) = (z.first_mut(), last.first_mut()) {
            let Complex { re, im } = *first;
            *first = (re + im).into();
            *last = (re - im).into();
        }
        untangle(s, z, plan.twist, false);
        return;
    }
    let (z, rest) = split_mut(workspace, n);
    let (y, rest) = split_mut(rest, n);
    for (z, x) in z.iter_mut().zip(x) {
        *z = (*x).into();
    }
    plan.inner.one(s, Direction::Forward, Io::Apart(z, y), rest);
    for (out, y) in out.iter_mut().zip(y) {
        *out = *y;
    }
}

pub(crate) fn irfft_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    plan: &RealFft<'_, T>,
    x: &[Complex<T>],
    out: &mut [T],
    workspace: &mut [Complex<T>],
) -> Result<(), Error> {
    let (n, bins) = (plan.n, plan.bins());
    rows([x.len(), bins], [out.len(), n])?;
    let scratch = rfft_workspace(n);
    enough(scratch, workspace.len())?;
    each(j, [bins, n], x, out, workspace, scratch, &|x: &[Complex<T>], y: &mut [T], w: &mut [Complex<T>]| {
        inverse(s, plan, x, y, w);
    });
    contract!(
        irfft,
        Ok(()),
        each | check | {
            let mut rows = x.chunks_exact(bins).zip(out.chunks_exact(n));
            rows.try_for_each(|(x, y)| {
                // One number for the transform: NaN where any result is.
                let y = y.iter().copied().find(|y| y.to_f64().is_nan()).unwrap_or_default();
                let ends = usize::from(n.is_multiple_of(2));
                let used = x.iter().take(bins - ends).skip(1).flat_map(|z| [z.re, z.im]);
                let used =
                    used.chain(x.first().map(|z| z.re)).chain(x.last().filter(|_| ends == 1).map(|z| z.re));
                let x: T = used.filter(|x| x.to_f64().is_nan()).last().unwrap_or_default();
                check(&crate::contract::Call::new(&[&[x]], &[y]))
            })
        }
    )
}

/// The `n` numbers whose transform is `x`.
pub(super) fn inverse<S: Simd, T: Element>(
    s: S,
    plan: &RealFft<'_, T>,
    x: &[Complex<T>],
    out: &mut [T],
    workspace: &mut [Complex<T>],
) {
    let n = plan.n;
    if !plan.twist.is_empty() {
        let m = n / 2;
        let (z, rest) = split_mut(workspace, m);
        let (head, last) = split(x, m);
        for (z, x) in z.iter_mut().zip(head) {
            *z = *x;
        }
        if let (Some(first), Some(last)) = (z.first_mut(), last.first()) {
            let half = T::from_f64(0.5);
            let (a, b) = (first.re * half, last.re * half);
            *first = Complex::new(a + b, a - b);
        }
        untangle(s, z, plan.twist, true);
        if let Ok(out) = Complex::of_mut(out) {
            plan.inner.one(s, Direction::Inverse, Io::Apart(z, out), rest);
        }
        return;
    }
    let (z, rest) = split_mut(workspace, n);
    let (y, rest) = split_mut(rest, n);
    for (k, x) in x.iter().enumerate() {
        let x = if k == 0 { x.re.into() } else { *x };
        for (at, x) in [(k, x), (if k == 0 { 0 } else { n - k }, x.conj())] {
            if let Some(z) = z.get_mut(at) {
                *z = x;
            }
        }
    }
    plan.inner.one(s, Direction::Inverse, Io::Apart(z, y), rest);
    for (out, y) in out.iter_mut().zip(y) {
        *out = y.re;
    }
}
