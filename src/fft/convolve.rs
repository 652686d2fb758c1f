//! Convolution and correlation of signals with a kernel by overlap-save: blocks that overlap are transformed.

use super::execute::Io;
use super::real::{RealFft, forward, inverse, rfft_plan_len, rfft_workspace};
use super::{Direction, Fft, fft_plan_len, fft_workspace, together};
use crate::complex::Complex;
use crate::contract::contract;
use crate::error::{Error, enough, not_empty, same_len};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::slices::split_mut;

/// Which part of a convolution of `len` numbers with `taps` others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Extent {
    /// All of it, `len + taps - 1` numbers.
    Full,
    /// `len` of them, the same number less on both sides, on the left one less where that is odd.
    Same,
    /// Those that no zero from outside is a part of: `len - taps + 1`, none where that is negative.
    Valid,
}

impl Extent {
    /// Zeros before a signal, so that its first result is that of the extent.
    pub(crate) const fn zeros(self, taps: usize) -> usize {
        match self {
            Self::Full => taps - 1,
            Self::Same => taps / 2,
            Self::Valid => 0,
        }
    }
}

/// How many results a convolution has; `usize::MAX` when no memory holds them.
pub const fn convolve_len(extent: Extent, len: usize, taps: usize) -> usize {
    match extent {
        Extent::Full => len.saturating_add(taps.saturating_sub(1)),
        Extent::Same => len,
        Extent::Valid => (len.saturating_add(1)).saturating_sub(taps),
    }
}

/// A length of transforms for `taps` numbers of a kernel that meets signals of `len` numbers: a power of two, of which a
/// kernel takes an eighth at most, or all of the signal.
pub const fn convolve_block(taps: usize, len: usize) -> usize {
    const fn power(n: usize) -> usize {
        match n.checked_next_power_of_two() {
            Some(n) => n,
            None => usize::MAX,
        }
    }
    let (all, some) = (power(convolve_len(Extent::Full, len, taps)), power(taps.saturating_mul(8)));
    if all < some { all } else { some }
}

macro_rules! convolver {
    ($(#[$doc:meta])* $name:ident, $X:ty, $plan:ident, $plan_len:ident, $inner_len:ident, $bins:expr, $op:literal,
     |$s:ident, $fft:ident, $v:ident, $z:ident, $w:ident| $transform:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name<'a, T> {
            fft: $plan<'a, T>,
            taps: usize,
            spectrum: &'a [Complex<T>],
        }

        #[doc = concat!("How many elements the table of a [`", stringify!($name), "`] with transforms of length `n` has.")]
        pub const fn $plan_len(n: usize) -> usize {
            let bins: usize = $bins(n);
            $inner_len(n).saturating_add(bins.saturating_mul(2))
        }

        impl<'a, T: Element> $name<'a, T> {
            #[doc = concat!("For convolutions with `kernel` by transforms of length `n`; workspace as of [`", $op, "`](crate::", $op, "()).")]
            ///
            /// A power of two some times as long as the kernel is best: [`convolve_block`].
            ///
            /// Errors: [`Error::Empty`] when there is no `kernel`, [`Error::Domain`] when `n` is less than it has numbers,
            /// [`Error::Len`] when `table` is too short, [`Error::Workspace`].
            pub fn plan(
                kernel: &[$X],
                n: usize,
                table: &'a mut [T],
                workspace: &mut [Complex<T>],
            ) -> Result<Self, Error> {
                Self::make(kernel.len(), kernel.iter().copied(), n, table, workspace)
            }

            fn make(
                taps: usize,
                kernel: impl Iterator<Item = $X>,
                n: usize,
                table: &'a mut [T],
                workspace: &mut [Complex<T>],
            ) -> Result<Self, Error> {
                not_empty("kernel", taps)?;
                if n < taps {
                    return Err(Error::must_be("n", "at least the length of `kernel`"));
                }
                let (expected, got) = ($plan_len(n), table.len());
                if got < expected {
                    return Err(Error::len("table", expected, got));
                }
                enough(Self::scratch(n), workspace.len())?;
                let (table, $z) = table.split_at_mut($inner_len(n));
                let bins: usize = $bins(n);
                let $z = Complex::of_mut($z.get_mut(..2 * bins).unwrap_or_default())?;
                let $fft = &$plan::plan(n, table, workspace)?;
                let ($v, $w) = Self::areas(n, workspace);
                let zeros = core::iter::repeat(<$X>::default());
                for (v, x) in $v.iter_mut().zip(kernel.chain(zeros)) {
                    *v = x;
                }
                let $s = crate::lanes::native();
                $transform;
                Ok(Self { fft: *$fft, taps, spectrum: $z })
            }

            /// Numbers of the kernel.
            pub const fn taps(&self) -> usize {
                self.taps
            }

            /// The length of the transforms.
            pub const fn block(&self) -> usize {
                self.fft.len()
            }
        }
    };
}
const fn bins(n: usize) -> usize {
    n / 2 + 1
}
const fn all(n: usize) -> usize {
    n
}
convolver! {
    /// A kernel of real numbers, transformed once: plain data, whose table is the caller's.
    Convolver, T, RealFft, convolve_plan_len, rfft_plan_len, bins, "convolve",
    |s, fft, v, z, w| forward(s, fft, v, z, w)
}
convolver! {
    /// A kernel of complex numbers, transformed once: plain data, whose table is the caller's.
    ComplexConvolver, Complex<T>, Fft, convolve_complex_plan_len, fft_plan_len, all, "convolve_complex",
    |s, fft, v, z, w| fft.one(s, Direction::Forward, Io::Apart(v, z), w)
}

impl<'a, T: Element> Convolver<'a, T> {
    /// For correlations with `kernel`, `Σ kernel[k]·x[l + k]`: convolutions with it from its end. Otherwise as [`Convolver::plan`].
    ///
    /// Errors: as there.
    pub fn correlation(
        kernel: &[T],
        n: usize,
        table: &'a mut [T],
        workspace: &mut [Complex<T>],
    ) -> Result<Self, Error> {
        Self::make(kernel.len(), kernel.iter().rev().copied(), n, table, workspace)
    }

    const fn scratch(n: usize) -> usize {
        convolve_workspace(n)
    }

    /// A block, and what is left.
    fn areas(n: usize, workspace: &mut [Complex<T>]) -> (&mut [T], &mut [Complex<T>]) {
        let (v, rest) = split_mut(workspace, n.div_ceil(2));
        (Complex::parts_mut(v).get_mut(..n).unwrap_or_default(), rest)
    }
}

impl<'a, T: Element> ComplexConvolver<'a, T> {
    /// For correlations with `kernel`, `Σ conj(kernel[k])·x[l + k]`: convolutions with its conjugate from its end. Otherwise as
    /// [`ComplexConvolver::plan`].
    ///
    /// Errors: as there.
    pub fn correlation(
        kernel: &[Complex<T>],
        n: usize,
        table: &'a mut [T],
        workspace: &mut [Complex<T>],
    ) -> Result<Self, Error> {
        Self::make(kernel.len(), kernel.iter().rev().map(|x| x.conj()), n, table, workspace)
    }

    const fn scratch(n: usize) -> usize {
        convolve_complex_workspace(n)
    }

    fn areas(n: usize, workspace: &mut [Complex<T>]) -> (&mut [Complex<T>], &mut [Complex<T>]) {
        split_mut(workspace, n)
    }
}

/// How many complex numbers of workspace [`convolve`] and [`fir_fft`] with transforms of length `n` need; `usize::MAX` when they cannot be counted.
pub const fn convolve_workspace(n: usize) -> usize {
    rfft_workspace(n).saturating_add(n.saturating_add(2))
}

/// How many complex numbers of workspace [`convolve_complex`] with transforms of length `n` needs; `usize::MAX` when they cannot be counted.
pub const fn convolve_complex_workspace(n: usize) -> usize {
    fft_workspace(n).saturating_add(n)
}

ops! { $ convolve_ops in crate::fft::convolve;
    /// `out[l] = Σ kernel[k]·x[l + start - k]`, where `x` is 0 outside, by transforms of blocks of `plan.block()` numbers that
    /// overlap: for any kernel but a short one far fewer operations than [`fir`](crate::fir()). A kernel from its end makes
    /// it a correlation ([`Convolver::correlation`]).
    ///
    /// Shapes: `out` has [`convolve_len`] numbers for the `extent`; `start` is 0, `(taps - 1)/2` or `taps - 1`.
    ///
    /// NaN and ±0: a NaN or an infinity reaches all results of the blocks that it is in; of the kernel, all results. The sign
    /// of a zero is not kept. The error is relative to the norms of the block and of the kernel, not to one result.
    ///
    /// Errors: [`Error::Len`] when `out` has another length, [`Error::Workspace`]. Scratch: [`convolve_workspace`]`(n)`.
    ///
    /// ```
    /// use fulmen::{Complex, Convolver, Extent, convolve, convolve_plan_len, convolve_workspace};
    /// let (mut table, mut work) = ([0.0f64; convolve_plan_len(4)], [Complex::ZERO; convolve_workspace(4)]);
    /// let plan = Convolver::plan(&[1.0, -1.0], 4, &mut table, &mut work)?;
    /// let mut out = [0.0; 5];
    /// convolve(&plan, Extent::Full, &[1.0, 4.0, 9.0, 16.0], &mut out, &mut work)?;
    /// assert!(out.iter().zip([1.0, 3.0, 5.0, 7.0, -16.0]).all(|(a, b)| (a - b).abs() < 1e-14));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/smooth.rs`.
    ///
    /// Source: T. G. Stockham, "High-speed convolution and correlation", 1966 (overlap-save). Contract: `contracts/convolve-v1.yaml`.
    #[doc(alias = "overlap_add")]
    #[doc(alias = "fftconvolve")]
    threads "Blocks are on different threads as far as `workspace` holds [`convolve_workspace`](crate::convolve_workspace()) for each." convolve, convolve_on, convolve_by
        (plan: convolver T, extent: by Extent, x: in T, out: out T, workspace: scratch Complex<T>) -> Result<()>;

    /// [`convolve`](crate::convolve()) of complex numbers.
    ///
    /// Shapes, NaN and ±0: as there.
    ///
    /// Errors: [`Error::Len`] when `out` has another length, [`Error::Workspace`]. Scratch: [`convolve_complex_workspace`]`(n)`.
    ///
    /// ```
    /// use fulmen::{Complex, ComplexConvolver, Extent, convolve_complex, convolve_complex_plan_len, convolve_complex_workspace};
    /// let mut table = [0.0f32; convolve_complex_plan_len(2)];
    /// let mut work = [Complex::ZERO; convolve_complex_workspace(2)];
    /// let plan = ComplexConvolver::correlation(&[Complex::I], 2, &mut table, &mut work)?;
    /// let mut out = [Complex::ZERO; 2];
    /// convolve_complex(&plan, Extent::Same, &[Complex::I, Complex::new(2.0, 0.0)], &mut out, &mut work)?;
    /// assert_eq!(out, [Complex::ONE, Complex::new(0.0, -2.0)]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as there. Contract: `contracts/convolve_complex-v1.yaml`.
    threads "As [`convolve()`]." convolve_complex, convolve_complex_on, convolve_complex_by
        (plan: complex_convolver T, extent: by Extent, x: in Complex<T>, out: out Complex<T>, workspace: scratch Complex<T>) -> Result<()>;

    /// [`fir`](crate::fir()) by transforms of blocks: numbers before the first one are those of `state`, which then holds the last
    /// ones of `x`.
    ///
    /// Shapes: `out` is as long as `x`, `state` has one number less than the kernel, the oldest first, zeros in the beginning.
    /// Blocks of `plan.block() - plan.taps() + 1` numbers, or several of them, are best.
    ///
    /// NaN and ±0: as [`convolve`](crate::convolve()).
    ///
    /// Errors: [`Error::Len`] when `state` or `out` has another length, [`Error::Workspace`]. Scratch: [`convolve_workspace`]`(n)`.
    ///
    /// ```
    /// use fulmen::{Complex, Convolver, convolve_plan_len, convolve_workspace, fir_fft};
    /// let (mut table, mut work) = ([0.0f64; convolve_plan_len(4)], [Complex::ZERO; convolve_workspace(4)]);
    /// let plan = Convolver::plan(&[0.5, 0.5], 4, &mut table, &mut work)?;
    /// let (mut state, mut out) = ([0.0], [0.0; 2]);
    /// fir_fft(&plan, &mut state, &[2.0, 4.0], &mut out, &mut work)?;
    /// fir_fft(&plan, &mut state, &[6.0, 8.0], &mut out, &mut work)?;
    /// assert!((out[0] - 5.0).abs() < 1e-14 && (out[1] - 7.0).abs() < 1e-14 && state == [8.0]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Source: as [`convolve`](crate::convolve()). Contract: `contracts/fir_fft-v1.yaml`.
    threads "As [`convolve()`]." fir_fft, fir_fft_on, fir_fft_by
        (plan: convolver T, state: inout T, x: in T, out: out T, workspace: scratch Complex<T>) -> Result<()>;
}

/// A signal: zeros, or what came before, then `x`, then zeros.
#[derive(Clone, Copy)]
struct Signal<'a, X> {
    zeros: usize,
    before: &'a [X],
    x: &'a [X],
}

impl<X: Copy + Default> Signal<'_, X> {
    /// `x` with the zeros that make result 0 the first of the extent.
    fn extended(extent: Extent, taps: usize, x: &[X]) -> Signal<'_, X> {
        Signal { zeros: extent.zeros(taps), before: &[], x }
    }

    /// The numbers from `at` on.
    fn copy(&self, at: usize, to: &mut [X]) {
        let zeros = core::iter::repeat_n(X::default(), self.zeros.saturating_sub(at));
        let at = at.saturating_sub(self.zeros);
        let before = self.before.get(at..).unwrap_or_default();
        let x = self.x.get(at.saturating_sub(self.before.len())..).unwrap_or_default();
        let (head, body) = to.split_at_mut(to.len().min(zeros.len() + before.len()));
        for (to, x) in head.iter_mut().zip(zeros.chain(before.iter().copied())) {
            *to = x;
        }
        let (body, tail) = body.split_at_mut(body.len().min(x.len()));
        for (to, x) in body.iter_mut().zip(x) {
            *to = *x;
        }
        tail.fill(X::default());
    }
}

/// Results that are worth a thread.
pub(crate) const GRAIN: usize = 1 << 13;

/// `f` of each block of `step` results, with where it starts; on threads as far as the workspace reaches.
fn each_block<J: Executor, X: Send, T: Element>(
    j: J,
    step: usize,
    start: usize,
    out: &mut [X],
    workspace: &mut [Complex<T>],
    scratch: usize,
    f: &(impl Fn(usize, &mut [X], &mut [Complex<T>]) + Sync),
) {
    let step = step.max(1);
    let (len, blocks) = (out.len(), out.len().div_ceil(step));
    if !J::SERIAL && blocks > 1 && len > GRAIN && workspace.len() / 2 >= scratch {
        let cut = blocks / 2 * step;
        let (a, b) = out.split_at_mut(cut);
        let (v, w) = workspace.split_at_mut(workspace.len() / 2);
        j.join(
            len,
            || each_block(j, step, start, a, v, scratch, f),
            || each_block(j, step, start + cut, b, w, scratch, f),
        );
        return;
    }
    for (i, out) in out.chunks_mut(step).enumerate() {
        f(start + i * step, out, workspace);
    }
}

/// Results of the signal, of which the first has `taps - 1` numbers before its own.
fn real<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    plan: &Convolver<'_, T>,
    signal: Signal<'_, T>,
    out: &mut [T],
    workspace: &mut [Complex<T>],
) {
    let n = plan.block();
    each_block(
        j,
        n + 1 - plan.taps,
        0,
        out,
        workspace,
        convolve_workspace(n),
        &|at, out: &mut [T], w: &mut [Complex<T>]| {
            let (v, rest) = Convolver::areas(n, w);
            let (z, rest) = split_mut(rest, bins(n));
            signal.copy(at, v);
            forward(s, &plan.fft, v, z, rest);
            times(s, z, plan.spectrum);
            inverse(s, &plan.fft, z, v, rest);
            for (to, y) in out.iter_mut().zip(v.iter().skip(plan.taps - 1)) {
                *to = *y;
            }
        },
    );
}

/// Number by number.
fn times<S: Simd, T: Element>(s: S, z: &mut [Complex<T>], by: &[Complex<T>]) {
    s.vectorize(
        #[inline(always)]
        || {
            for (z, by) in z.iter_mut().zip(by) {
                *z *= *by;
            }
        },
    );
}

pub(crate) fn convolve_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    plan: &Convolver<'_, T>,
    extent: Extent,
    x: &[T],
    out: &mut [T],
    workspace: &mut [Complex<T>],
) -> Result<(), Error> {
    same_len("out", convolve_len(extent, x.len(), plan.taps), out.len())?;
    enough(convolve_workspace(plan.block()), workspace.len())?;
    real(j, s, plan, Signal::extended(extent, plan.taps, x), out, workspace);
    contract!(convolve, Ok(()), each | check | together(x, out, check))
}

pub(crate) fn fir_fft_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    plan: &Convolver<'_, T>,
    state: &mut [T],
    x: &[T],
    out: &mut [T],
    workspace: &mut [Complex<T>],
) -> Result<(), Error> {
    same_len("state", plan.taps - 1, state.len())?;
    same_len("out", x.len(), out.len())?;
    enough(convolve_workspace(plan.block()), workspace.len())?;
    real(j, s, plan, Signal { zeros: 0, before: state, x }, out, workspace);
    crate::delay_line::shift_history(state, x);
    contract!(fir_fft, Ok(()), each | check | together(x, out, check))
}

pub(crate) fn convolve_complex_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    plan: &ComplexConvolver<'_, T>,
    extent: Extent,
    x: &[Complex<T>],
    out: &mut [Complex<T>],
    workspace: &mut [Complex<T>],
) -> Result<(), Error> {
    let (n, taps) = (plan.block(), plan.taps);
    same_len("out", convolve_len(extent, x.len(), taps), out.len())?;
    let scratch = convolve_complex_workspace(n);
    enough(scratch, workspace.len())?;
    let signal = Signal::extended(extent, taps, x);
    each_block(
        j,
        n + 1 - taps,
        0,
        out,
        workspace,
        scratch,
        &|at, out: &mut [Complex<T>], w: &mut [Complex<T>]| {
            let (v, rest) = ComplexConvolver::areas(n, w);
            signal.copy(at, v);
            plan.fft.one(s, Direction::Forward, Io::Same(v), rest);
            times(s, v, plan.spectrum);
            plan.fft.one(s, Direction::Inverse, Io::Same(v), rest);
            for (to, y) in out.iter_mut().zip(v.iter().skip(taps - 1)) {
                *to = *y;
            }
        },
    );
    contract!(
        convolve_complex,
        Ok(()),
        each | check | together(Complex::parts(x), Complex::parts(out), check)
    )
}
