//! Discrete cosine transforms, computed by a real transform of the same length or a complex one of half of it.

use super::execute::Io;
use super::real::{RealFft, each, forward, inverse, rfft_plan_len, rfft_workspace, rows};
use super::{Direction, plan, together};
use crate::complex::Complex;
use crate::contract::contract;
use crate::error::{Error, enough};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::slices::{split, split_mut};

/// Which cosine transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum DctKind {
    /// `Σ x[j]·cos(π/n·(j + ½)·k)`, "the" cosine transform.
    II,
    /// `½·x[0] + Σ x[j]·cos(π/n·j·(k + ½))` over `j > 0`: `n/2` times the inverse of [`DctKind::II`].
    III,
    /// `Σ x[j]·cos(π/n·(j + ½)·(k + ½))`: `n/2` times its own inverse.
    IV,
}

/// A plan of cosine transforms of one kind and length: plain data, whose table is the caller's.
#[derive(Debug, Clone, Copy)]
pub struct Dct<'a, T> {
    kind: DctKind,
    real: RealFft<'a, T>,
    twist: &'a [T],
}

/// How many roots there are beside those of the transform of real numbers.
const fn roots_len(kind: DctKind, n: usize) -> usize {
    match kind {
        DctKind::IV if n.is_multiple_of(2) => n / 2,
        DctKind::IV => n,
        DctKind::II | DctKind::III => n / 2 + 1,
    }
}

/// The roots.
pub(crate) fn roots<T: Element>(kind: DctKind, n: usize) -> impl Iterator<Item = Complex<T>> {
    let whole = n as u64;
    (0..roots_len(kind, n) as u64).map(move |k| {
        let [cos, sin] = match kind {
            DctKind::II | DctKind::III => plan::turn(k, 4 * whole),
            DctKind::IV if n.is_multiple_of(2) => plan::turn(8 * k + 1, 16 * whole),
            DctKind::IV => plan::turn(2 * k + 1, 8 * whole),
        };
        Complex::new(T::from_f64(cos), T::from_f64(-sin))
    })
}

/// How many elements the table of a plan for length `n` has; `usize::MAX` when no memory holds it.
pub const fn dct_plan_len(kind: DctKind, n: usize) -> usize {
    if n == 0 {
        return 0;
    }
    rfft_plan_len(n).saturating_add(roots_len(kind, n).saturating_mul(2))
}

/// How many complex numbers of workspace [`dct`] of length `n` needs; `usize::MAX` when they cannot be counted.
pub const fn dct_workspace(n: usize) -> usize {
    if n == 0 {
        return 0;
    }
    // The numbers in another order, and their transform.
    rfft_workspace(n).saturating_add(n.saturating_add(2))
}

impl<'a, T: Element> Dct<'a, T> {
    /// The plan for length `n`, its table written to the first [`dct_plan_len`]`(kind, n)` elements of `table`; `workspace` as of
    /// [`RealFft::plan`].
    ///
    /// Errors: [`Error::Empty`] when `n` is 0, [`Error::Len`] when `table` is too short, [`Error::Workspace`].
    pub fn plan(
        kind: DctKind,
        n: usize,
        table: &'a mut [T],
        workspace: &mut [Complex<T>],
    ) -> Result<Self, Error> {
        let len = Self::check(kind, n, table.len())?;
        let (table, twist) = split_mut(table, rfft_plan_len(n));
        let twist = twist.get_mut(..len - table.len()).unwrap_or_default();
        let real = RealFft::plan(n, table, workspace)?;
        for (to, root) in Complex::of_mut(twist)?.iter_mut().zip(roots(kind, n)) {
            *to = root;
        }
        Ok(Self { kind, real, twist })
    }

    /// The plan whose table was written before by [`Dct::plan`] of this kind.
    ///
    /// Errors: as there.
    pub fn of(kind: DctKind, n: usize, table: &'a [T]) -> Result<Self, Error> {
        let len = Self::check(kind, n, table.len())?;
        let (table, twist) = split(table, rfft_plan_len(n));
        let twist = twist.get(..len - table.len()).unwrap_or_default();
        Ok(Self { kind, real: RealFft::of(n, table)?, twist })
    }

    fn check(kind: DctKind, n: usize, got: usize) -> Result<usize, Error> {
        if n == 0 {
            return Err(Error::empty("n"));
        }
        let expected = dct_plan_len(kind, n);
        if got < expected { Err(Error::len("table", expected, got)) } else { Ok(expected) }
    }

    /// The length.
    #[allow(clippy::len_without_is_empty, reason = "it is at least 1")]
    pub const fn len(&self) -> usize {
        self.real.len()
    }

    /// The kind.
    pub const fn kind(&self) -> DctKind {
        self.kind
    }
}

ops! { $ dct_ops in crate::fft::dct;
    /// The cosine transform of each `n` numbers, by its [`DctKind`]; nothing is scaled.
    ///
    /// Shapes: `x` and `out` hold whole transforms of `n = plan.len()` numbers, one after the other. An even `n` costs a complex
    /// transform of `n/2`, an odd one of `n`.
    ///
    /// NaN and ±0: a NaN reaches results of its transform; the sign of a zero is not kept.
    ///
    /// Errors: [`Error::Rows`] when `x` does not hold whole transforms, [`Error::Len`] when `out` has another length,
    /// [`Error::Workspace`]. Scratch: [`dct_workspace`]`(n)`.
    ///
    /// ```
    /// use fulmen::{Complex, Dct, DctKind, dct, dct_plan_len, dct_workspace};
    /// let (mut to, mut from) = ([0.0f64; dct_plan_len(DctKind::II, 4)], [0.0; dct_plan_len(DctKind::III, 4)]);
    /// let mut work = [Complex::ZERO; dct_workspace(4)];
    /// let to = Dct::plan(DctKind::II, 4, &mut to, &mut work)?;
    /// let from = Dct::plan(DctKind::III, 4, &mut from, &mut work)?;
    /// let (x, mut y, mut z) = ([1.0, 2.0, 3.0, 4.0], [0.0; 4], [0.0; 4]);
    /// dct(&to, &x, &mut y, &mut work)?;
    /// assert!((y[0] - 10.0).abs() < 1e-14);
    /// dct(&from, &y, &mut z, &mut work)?;
    /// // n/2 times what it was.
    /// assert!((z[3] - 8.0).abs() < 1e-14);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: J. Makhoul, "A fast cosine transform in one and two dimensions", 1980; of [`DctKind::IV`], H. S. Malvar, "Signal
    /// Processing with Lapped Transforms", 1992, and for odd lengths the residues of `2j + 1` modulo 8. Contract:
    /// `contracts/dct-v1.yaml`.
    threads "As [`fft()`]." dct, dct_on, dct_by (plan: dct T, x: in T, out: out T, workspace: scratch Complex<T>) -> Result<()>;
}

pub(crate) fn dct_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    plan: &Dct<'_, T>,
    x: &[T],
    out: &mut [T],
    workspace: &mut [Complex<T>],
) -> Result<(), Error> {
    let n = plan.len();
    rows([x.len(), n], [out.len(), n])?;
    let scratch = dct_workspace(n);
    enough(scratch, workspace.len())?;
    let even = n.is_multiple_of(2);
    each(
        j,
        [n, n],
        x,
        out,
        workspace,
        scratch,
        &|x: &[T], y: &mut [T], w: &mut [Complex<T>]| match plan.kind {
            DctKind::II => second(s, plan, x, y, w),
            DctKind::III => third(s, plan, x, y, w),
            DctKind::IV if even => fourth(s, plan, x, y, w),
            DctKind::IV => fourth_odd(s, plan, x, y, w),
        },
    );
    contract!(
        dct,
        Ok(()),
        each | check | {
            let mut rows = x.chunks_exact(n).zip(out.chunks_exact(n));
            rows.try_for_each(|(x, y)| together(x, y, check))
        }
    )
}

/// The roots.
fn twists<'a, T: Element>(plan: &Dct<'a, T>) -> &'a [Complex<T>] {
    Complex::of(plan.twist).unwrap_or_default()
}

/// Workspace: `n` real numbers, the bins of their transform, and what that needs.
fn areas<T: Element>(
    n: usize,
    workspace: &mut [Complex<T>],
) -> (&mut [T], &mut [Complex<T>], &mut [Complex<T>]) {
    let (v, rest) = split_mut(workspace, n.div_ceil(2));
    let (z, rest) = split_mut(rest, n / 2 + 1);
    (Complex::parts_mut(v).get_mut(..n).unwrap_or_default(), z, rest)
}

/// One from the front and one from the end, until there is at most one left: where the elements of each pair of a line lie when
/// its even places come before its odd ones from the end.
fn ends<I: DoubleEndedIterator>(mut v: I) -> impl Iterator<Item = [I::Item; 2]> {
    core::iter::from_fn(move || Some([v.next()?, v.next_back()?]))
}

fn second<S: Simd, T: Element>(
    s: S,
    plan: &Dct<'_, T>,
    x: &[T],
    out: &mut [T],
    workspace: &mut [Complex<T>],
) {
    let n = plan.len();
    let (v, z, rest) = areas(n, workspace);
    let (pairs, last) = x.as_chunks::<2>();
    for ([a, b], [p, q]) in pairs.iter().zip(ends(v.iter_mut())) {
        (*p, *q) = (*a, *b);
    }
    if let (Some(p), [a]) = (v.get_mut(n / 2), last) {
        *p = *a;
    }
    forward(s, &plan.real, v, z, rest);
    s.vectorize(
        #[inline(always)]
        || {
            let Some((first, others)) = out.split_first_mut() else { return };
            *first = z.first().map_or(T::ZERO, |z| z.re);
            let (low, high) = split_mut(others, n / 2);
            let turned = z.iter().zip(twists(plan)).skip(1).map(|(z, w)| *z * *w);
            let mut high = high.iter_mut().rev();
            for (z, low) in turned.zip(low) {
                *low = z.re;
                if let Some(high) = high.next() {
                    *high = -z.im;
                }
            }
        },
    );
}

fn third<S: Simd, T: Element>(s: S, plan: &Dct<'_, T>, x: &[T], out: &mut [T], workspace: &mut [Complex<T>]) {
    let n = plan.len();
    let (v, z, rest) = areas(n, workspace);
    s.vectorize(
        #[inline(always)]
        || {
            let Some((first, others)) = x.split_first() else { return };
            let mut bins = z.iter_mut().zip(twists(plan));
            if let Some((z, _)) = bins.next() {
                *z = (*first).into();
            }
            for ((z, w), (a, b)) in bins.zip(others.iter().zip(others.iter().rev())) {
                *z = Complex::new(*a, -*b) * w.conj();
            }
        },
    );
    inverse(s, &plan.real, z, v, rest);
    // The inverse transform was divided by `n`.
    let half = T::from_usize(n) * T::from_f64(0.5);
    let (pairs, last) = out.as_chunks_mut::<2>();
    for ([a, b], [p, q]) in pairs.iter_mut().zip(ends(v.iter())) {
        (*a, *b) = (*p * half, *q * half);
    }
    if let ([a], Some(p)) = (last, v.get(n / 2)) {
        *a = *p * half;
    }
}

fn fourth<S: Simd, T: Element>(
    s: S,
    plan: &Dct<'_, T>,
    x: &[T],
    out: &mut [T],
    workspace: &mut [Complex<T>],
) {
    let (z, rest) = split_mut(workspace, plan.len() / 2);
    s.vectorize(
        #[inline(always)]
        || {
            let pairs = x.as_chunks::<2>().0;
            let ends = pairs.iter().zip(pairs.iter().rev());
            for ((z, w), ([a, _], [_, b])) in z.iter_mut().zip(twists(plan)).zip(ends) {
                *z = Complex::new(*a, *b) * *w;
            }
        },
    );
    plan.real.inner().one(s, Direction::Forward, Io::Same(z), rest);
    s.vectorize(
        #[inline(always)]
        || {
            let pairs = out.as_chunks_mut::<2>().0;
            for ([a, _], (z, w)) in pairs.iter_mut().zip(z.iter().zip(twists(plan))) {
                *a = z.re * w.re - z.im * w.im;
            }
            for ([_, b], (z, w)) in pairs.iter_mut().rev().zip(z.iter().zip(twists(plan))) {
                *b = -(z.re * w.im + z.im * w.re);
            }
        },
    );
}

/// An odd `n`: the cosines go over odd multiples `m = 2j + 1` of `2π/8n`, and with their signs and those of `8n - m` and
/// `m + 4n` each class of `m` modulo 8 gives the same; of those that are 1, `m = 8b + 1`, the sum over `b` is a transform of
/// length `n`.
fn fourth_odd<S: Simd, T: Element>(
    s: S,
    plan: &Dct<'_, T>,
    x: &[T],
    out: &mut [T],
    workspace: &mut [Complex<T>],
) {
    let n = plan.len();
    let (v, z, rest) = areas(n, workspace);
    let at = |j: usize| x.get(j).copied().unwrap_or_default();
    for (m, v) in (1..).step_by(8).zip(v.iter_mut()) {
        // A cosine is the same on both sides of 0, and past a quarter of a turn the negative of what it was before.
        let near = m.min(8 * n - m);
        *v = if near > 2 * n { -at((4 * n - near) / 2) } else { at(near / 2) };
    }
    forward(s, &plan.real, v, z, rest);
    let mut q = usize::from(n > 1);
    for (y, w) in out.iter_mut().zip(twists(plan)) {
        let bin = if 2 * q > n { n - q } else { q };
        let z = z.get(bin).copied().unwrap_or_default();
        let z = if 2 * q > n { z.conj() } else { z };
        *y = z.re * w.re - z.im * w.im;
        q += 2;
        q -= if q >= n { n } else { 0 };
    }
}
