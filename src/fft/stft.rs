//! The short-time Fourier transform: windowed pieces of a real signal, which overlap, are transformed to spectra over
//! time.

use super::real::{GRAIN, RealFft, forward, rfft_workspace};
use super::spread;
use crate::complex::Complex;
use crate::contract::contract;
use crate::error::{Error, enough, not_empty, same_len};
use crate::forms::ops;
use crate::lanes::executor::Executor;
use crate::lanes::{Element, Simd};
use crate::slices::split_mut;

/// How many frames of `window` numbers, one each `hop`, lie whole in a signal of `len`; none where `hop` or `window` is 0.
///
/// ```
/// assert_eq!(fulmen::stft_frames(10, 4, 3), 3);
/// assert_eq!(fulmen::stft_frames(3, 4, 3), 0);
/// ```
pub const fn stft_frames(len: usize, window: usize, hop: usize) -> usize {
    if window == 0 || hop == 0 || len < window {
        return 0;
    }
    (len - window) / hop + 1
}

/// How many complex numbers of workspace [`stft`] with transforms of `n` real numbers needs; `usize::MAX` when they cannot be counted.
pub const fn stft_workspace(n: usize) -> usize {
    // The frame times its window, in pairs.
    rfft_workspace(n).saturating_add(n.div_ceil(2))
}

ops! { $ stft_ops in crate::fft::stft;
    /// `out[f, j] = Σ window[k]·x[f·hop + k]·e^(-2πi·jk/n)` for `j` up to `n/2`: the transforms of frames of the signal `x`,
    /// one each `hop` numbers.
    ///
    /// Shapes: `out` has a row of `plan.bins()` complex numbers for each of [`stft_frames`]`(x.len(), window.len(), hop)` frames.
    /// A window that is shorter than `n = plan.len()` is followed by zeros, which give more bins, not more resolution. Frames
    /// are whole: numbers of `x` after the last one are not used, and whoever wants the ends in the middle of frames puts zeros
    /// around `x`. [`Window`](crate::Window) has the usual windows.
    ///
    /// NaN and ±0: a NaN reaches a part of each number of the frames that it is in, also next to a zero of the window; the
    /// sign of a zero is not kept.
    ///
    /// Errors: [`Error::Empty`] when there is no `window`, [`Error::Domain`] when `hop` is 0, [`Error::Len`] when `window` is
    /// longer than `n` or `out` has another length, [`Error::Workspace`]. Scratch: [`stft_workspace`]`(n)`.
    ///
    /// ```
    /// use fulmen::{Complex, RealFft, Window, rfft_plan_len, stft, stft_frames, stft_workspace};
    /// let mut table = [0.0f32; rfft_plan_len(8)];
    /// let plan = RealFft::plan(8, &mut table, &mut [])?;
    /// let mut window = [0.0; 8];
    /// Window::Hann.periodic(&mut window)?;
    /// // A tone that goes around every four numbers: bin 2 of 8.
    /// let x = [1.0f32, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0, 0.0];
    /// let mut out = [Complex::ZERO; stft_frames(12, 8, 4) * 5];
    /// stft(&plan, &window, 4, &x, &mut out, &mut [Complex::ZERO; stft_workspace(8)])?;
    /// assert!((out[2].re - 2.0).abs() < 1e-6 && (out[5 + 2].re - 2.0).abs() < 1e-6);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// See `examples/small/spectrogram.rs`.
    ///
    /// Source: J. B. Allen, L. R. Rabiner, "A unified approach to short-time Fourier analysis and synthesis", 1977. Contract:
    /// `contracts/stft-v1.yaml`.
    threads "As [`fft()`], of frames." stft, stft_on, stft_by
        (plan: rfft T, window: in T, hop: by usize, x: in T, out: out Complex<T>, workspace: scratch Complex<T>) -> Result<()>;
}

#[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
pub(crate) fn stft_by<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    plan: &RealFft<'_, T>,
    window: &[T],
    hop: usize,
    x: &[T],
    out: &mut [Complex<T>],
    workspace: &mut [Complex<T>],
) -> Result<(), Error> {
    let (n, bins) = (plan.len(), plan.bins());
    not_empty("window", window.len())?;
    if hop == 0 {
        return Err(Error::must_be("hop", "at least 1"));
    }
    if window.len() > n {
        return Err(Error::len("window", n, window.len()));
    }
    let frames = stft_frames(x.len(), window.len(), hop);
    same_len("out", frames.saturating_mul(bins), out.len())?;
    enough(stft_workspace(n), workspace.len())?;
    each(j, s, plan, window, hop, x, out, workspace);
    contract!(
        stft,
        Ok(()),
        each | check | {
            let mut rows = out.chunks_exact(bins).enumerate();
            rows.try_for_each(|(f, y)| {
                let frame = x.get(f * hop..f * hop + window.len()).unwrap_or_default();
                spread(frame, y, check)?;
                spread(window, y, check)
            })
        }
    )
}

/// The frames of `x` that `out` has room for; on threads as far as the workspace reaches.
#[allow(clippy::too_many_arguments, reason = "the tensors of one formula")]
fn each<J: Executor, S: Simd, T: Element>(
    j: J,
    s: S,
    plan: &RealFft<'_, T>,
    window: &[T],
    hop: usize,
    x: &[T],
    out: &mut [Complex<T>],
    workspace: &mut [Complex<T>],
) {
    let (n, bins) = (plan.len(), plan.bins());
    let frames = out.len() / bins;
    if !J::SERIAL && frames > 1 && frames * n > GRAIN && workspace.len() / 2 >= stft_workspace(n) {
        let (a, b) = out.split_at_mut(frames / 2 * bins);
        let later = x.get(frames / 2 * hop..).unwrap_or_default();
        let (v, w) = workspace.split_at_mut(workspace.len() / 2);
        j.join(
            frames * n,
            || each(j, s, plan, window, hop, x, a, v),
            || each(j, s, plan, window, hop, later, b, w),
        );
        return;
    }
    let (frame, rest) = split_mut(workspace, n.div_ceil(2));
    let frame = Complex::parts_mut(frame).get_mut(..n).unwrap_or_default();
    frame.fill(T::ZERO);
    for (f, y) in out.chunks_exact_mut(bins).enumerate() {
        s.vectorize(
            #[inline(always)]
            || {
                let x = x.get(f * hop..).unwrap_or_default();
                for (to, (x, w)) in frame.iter_mut().zip(x.iter().zip(window)) {
                    *to = *x * *w;
                }
            },
        );
        forward(s, plan, frame, y, rest);
    }
}
