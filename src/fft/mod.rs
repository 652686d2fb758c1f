//! Fast Fourier transforms of any length, real and complex; cosine transforms, convolutions and spectrograms by them;
//! and filters in the time domain.
//!
//! A plan, [`Fft`], is a length and a table of twiddle factors in memory of the caller. Lengths that are products of 2,
//! 3, 5 and 7 run as passes of Stockham's algorithm. A prime from 257 on that exceeds such a product, which 16 divides,
//! by one runs as a convolution of that length (Rader); every other length as a convolution with a chirp of twice its
//! length (Bluestein).

pub(crate) mod bluestein;
pub(crate) mod butterfly;
pub(crate) mod convolve;
pub(crate) mod dct;
mod execute;
pub(crate) mod filter;
pub(crate) mod pass;
pub(crate) mod plan;
pub(crate) mod rader;
pub(crate) mod real;
pub(crate) mod rows;
pub(crate) mod small;
pub(crate) mod stft;
mod window;

pub use convolve::*;
pub use dct::*;
pub use filter::*;
pub use plan::{fft_table_f32, fft_table_f64};
pub use real::*;
pub use rows::*;
pub use stft::*;
pub use window::Window;

use crate::complex::Complex;
use crate::contract::{Call, contract};
use crate::error::{Error, enough, not_empty, same_len};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use execute::Io;
use plan::Steps;

/// Which transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Direction {
    /// `Σ x[k]·e^(-2πi·jk/n)`.
    Forward,
    /// `1/n·Σ x[k]·e^(+2πi·jk/n)`: undoes the forward one.
    Inverse,
}

/// A plan of transforms of one length: plain data, whose table is the caller's.
///
/// ```
/// use fulmen::{Complex, Fft, fft_plan_len};
/// let mut table = [0.0f32; fft_plan_len(1000)];
/// let plan = Fft::plan(1000, &mut table, &mut [])?;
/// assert_eq!(plan.len(), 1000);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Fft<'a, T> {
    n: usize,
    /// The passes, of the convolution where `n` is no product of radices.
    steps: Steps,
    /// Complex numbers of workspace that it needs.
    scratch: usize,
    table: &'a [T],
}

/// How many elements the table of a plan for length `n` has; `usize::MAX` when no memory holds it.
pub const fn fft_plan_len(n: usize) -> usize {
    if n == 0 {
        return 0;
    }
    if plan::smooth(n) {
        plan::roots_len(n)
    } else if rader::fits(n) {
        rader::plan_len(n)
    } else {
        bluestein::plan_len(n)
    }
}

/// How many complex numbers of workspace a transform of length `n` needs; `usize::MAX` when no memory holds them.
pub const fn fft_workspace(n: usize) -> usize {
    if n == 0 {
        return 0;
    }
    if plan::smooth(n) {
        plan::scratch(n)
    } else if rader::fits(n) {
        rader::workspace(n)
    } else {
        bluestein::workspace(n)
    }
}

impl<'a, T: Element> Fft<'a, T> {
    /// The plan for length `n`, its table written to the first [`fft_plan_len`]`(n)` elements of `table`.
    ///
    /// `workspace` is used by lengths that are not products of 2, 3, 5 and 7, which need [`fft_workspace`]`(n)`.
    ///
    /// Errors: [`Error::Empty`] when `n` is 0, [`Error::Len`] when `table` is too short, [`Error::Workspace`].
    pub fn plan(n: usize, table: &'a mut [T], workspace: &mut [Complex<T>]) -> Result<Self, Error> {
        let len = Self::check(n, table.len())?;
        let table = table.get_mut(..len).unwrap_or_default();
        if plan::smooth(n) {
            plan::fill(n, table);
        } else {
            enough(fft_workspace(n), workspace.len())?;
            if rader::fits(n) {
                rader::fill(n, table, workspace);
            } else {
                bluestein::fill(n, table, workspace);
            }
        }
        Ok(Self { n, steps: Self::steps(n), scratch: fft_workspace(n), table })
    }

    /// The plan whose table was written before, by [`Fft::plan`] or as a constant by [`fft_table_f32`].
    ///
    /// Another table gives the transform with its numbers for roots. Errors: as [`Fft::plan`].
    pub const fn of(n: usize, table: &'a [T]) -> Result<Self, Error> {
        match Self::check(n, table.len()) {
            Ok(len) => {
                Ok(Self { n, steps: Self::steps(n), scratch: fft_workspace(n), table: table.split_at(len).0 })
            }
            Err(e) => Err(e),
        }
    }

    const fn steps(n: usize) -> Steps {
        Steps::of(if plan::smooth(n) {
            n
        } else if rader::fits(n) {
            n - 1
        } else {
            bluestein::padded_len(n)
        })
    }

    const fn check(n: usize, got: usize) -> Result<usize, Error> {
        if n == 0 {
            return Err(Error::empty("n"));
        }
        let expected = fft_plan_len(n);
        if got < expected { Err(Error::len("table", expected, got)) } else { Ok(expected) }
    }

    /// The length.
    #[allow(clippy::len_without_is_empty, reason = "it is at least 1")]
    pub const fn len(&self) -> usize {
        self.n
    }

    /// One transform, whose numbers and workspace are as many as it takes.
    fn one<S: Simd>(&self, s: S, direction: Direction, io: Io<'_, T>, workspace: &mut [Complex<T>]) {
        let Self { n, steps, table, .. } = self;
        let back = direction == Direction::Inverse;
        let scale = if back { T::ONE / T::from_usize(*n) } else { T::ONE };
        if steps.n == *n {
            execute::passes(s, steps, table, back, scale, io, workspace);
        } else if steps.n + 1 == *n {
            rader::one(s, *n, steps, table, back, scale, io, workspace);
        } else {
            bluestein::one(s, *n, steps, table, back, scale, io, workspace);
        }
    }
}

ops! { $ fft_ops in crate::fft;
    /// `out[j] = Σ x[k]·e^(∓2πi·jk/n)` of each `n` numbers, the inverse one divided by `n`.
    ///
    /// Shapes: `x` and `out` hold whole transforms of `n = plan.len()` complex numbers, one after the other.
    ///
    /// NaN and ±0: a NaN, and most infinities, reach a part of each number of their transform; the sign of a zero is not kept.
    ///
    /// Errors: [`Error::Rows`] when `x` does not hold whole transforms, [`Error::Len`] when `out` has another length,
    /// [`Error::Workspace`]. Scratch: [`fft_workspace`]`(n)`.
    ///
    /// ```
    /// use fulmen::{Complex, Direction, Fft, fft, fft_plan_len, fft_workspace};
    /// let mut table = [0.0f64; fft_plan_len(6)];
    /// let plan = Fft::plan(6, &mut table, &mut [])?;
    /// let x = [1.0, -1.0, 1.0, -1.0, 1.0, -1.0].map(Complex::from);
    /// let (mut y, mut z) = ([Complex::ZERO; 6], [Complex::ZERO; 6]);
    /// let mut work = [Complex::ZERO; fft_workspace(6)];
    /// fft(&plan, Direction::Forward, &x, &mut y, &mut work)?;
    /// assert!((y[3].re - 6.0).abs() < 1e-15 && y[1].norm_sqr() < 1e-30);
    /// fft(&plan, Direction::Inverse, &y, &mut z, &mut work)?;
    /// assert!((z[1] - x[1]).norm_sqr() < 1e-30);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: T. G. Stockham, "High-speed convolution and correlation", 1966; L. I. Bluestein, "A linear filtering approach to
    /// the computation of discrete Fourier transform", 1970; C. M. Rader, "Discrete Fourier transforms when the number of data
    /// samples is prime", 1968. Contract: `contracts/fft-v1.yaml`.
    #[doc(alias = "dft")]
    threads "Transforms are on different threads, as many at a time as `workspace` has room for." fft, fft_on, fft_by
        (plan: fft T, direction: by Direction, x: in Complex<T>, out: out Complex<T>, workspace: scratch Complex<T>) -> Result<()>;

    /// [`fft`] over its input.
    threads "As [`fft()`]." fft_in_place, fft_in_place_on, fft_in_place_by
        (plan: fft T, direction: by Direction, x: inout Complex<T>, workspace: scratch Complex<T>) -> Result<()>;
}

pub(crate) fn fft_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    plan: &Fft<'_, T>,
    direction: Direction,
    x: &[Complex<T>],
    out: &mut [Complex<T>],
    workspace: &mut [Complex<T>],
) -> Result<(), Error> {
    whole(plan, x.len())?;
    same_len("out", x.len(), out.len())?;
    enough(plan.scratch, workspace.len())?;
    each(j, s, plan, direction, Io::Apart(x, out), workspace);
    contract!(
        fft,
        Ok(()),
        each | check | {
            let mut rows = x.chunks_exact(plan.n).zip(out.chunks_exact(plan.n));
            rows.try_for_each(|(x, y)| spread(Complex::parts(x), y, check))
        }
    )
}

pub(crate) fn fft_in_place_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    plan: &Fft<'_, T>,
    direction: Direction,
    x: &mut [Complex<T>],
    workspace: &mut [Complex<T>],
) -> Result<(), Error> {
    whole(plan, x.len())?;
    enough(plan.scratch, workspace.len())?;
    each(j, s, plan, direction, Io::Same(x), workspace);
    Ok(())
}

fn whole<T>(plan: &Fft<'_, T>, got: usize) -> Result<(), Error> {
    not_empty("n", plan.n)?;
    if got.is_multiple_of(plan.n) { Ok(()) } else { Err(Error::rows("x", plan.n, got)) }
}

/// A call of the contract for each result: NaN among the numbers `x` of a transform must be in a part of it.
fn spread<T: Element, E>(
    x: &[T],
    y: &[Complex<T>],
    check: impl Fn(&Call<'_, T>) -> Result<(), E>,
) -> Result<(), E> {
    let nan = x.iter().any(|x| x.to_f64().is_nan());
    let x = [if nan { T::NAN } else { T::ZERO }];
    y.iter().try_for_each(|y| {
        let part = if y.re.to_f64().is_nan() { y.re } else { y.im };
        check(&Call::new(&[&x], &[part]))
    })
}

/// A call of the contract for all results: NaN among the numbers `x` must be among them, if there are any.
fn together<T: Element, E>(x: &[T], y: &[T], check: impl Fn(&Call<'_, T>) -> Result<(), E>) -> Result<(), E> {
    let of = |x: &[T]| x.iter().copied().find(|x| x.to_f64().is_nan()).unwrap_or_default();
    if y.is_empty() { Ok(()) } else { check(&Call::new(&[&[of(x)]], &[of(y)])) }
}

/// Complex numbers that are worth a thread.
pub(crate) const GRAIN: usize = 1 << 12;

/// All transforms of `io`; on threads as far as the workspace reaches.
fn each<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    plan: &Fft<'_, T>,
    direction: Direction,
    mut io: Io<'_, T>,
    workspace: &mut [Complex<T>],
) {
    let (n, scratch) = (plan.n, plan.scratch);
    let rows = io.len().checked_div(n).unwrap_or(0);
    if !J::SERIAL && rows > 1 && io.len() > GRAIN && workspace.len() / 2 >= scratch {
        let (a, b) = io.split_at(rows / 2 * n);
        let (v, w) = workspace.split_at_mut(workspace.len() / 2);
        j.join(rows * n, || each(j, s, plan, direction, a, v), || each(j, s, plan, direction, b, w));
        return;
    }
    while io.len() >= n {
        let (row, rest) = io.split_at(n);
        plan.one(s, direction, row, workspace);
        io = rest;
    }
}
