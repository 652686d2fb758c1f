//! Executes the passes of a planned transform; they alternate between two arrays.

use super::pass::{Pass, along, first, groups};
use super::plan::{SPREAD, Steps};
use super::small;
use crate::complex::Complex;
use crate::lanes::vector::Vector;
use crate::lanes::{Element, Simd};
use core::num::NonZero;

/// Input and output, which may be one.
pub(super) enum Io<'a, T> {
    Apart(&'a [Complex<T>], &'a mut [Complex<T>]),
    Same(&'a mut [Complex<T>]),
}

impl<'a, T: Element> Io<'a, T> {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Apart(x, y) => x.len().min(y.len()),
            Self::Same(x) => x.len(),
        }
    }

    /// The first `at` numbers and the others.
    pub(super) fn split_at(self, at: usize) -> (Self, Self) {
        let at = at.min(self.len());
        match self {
            Self::Apart(x, y) => {
                let (x, y) = (x.split_at(at), y.split_at_mut(at));
                (Self::Apart(x.0, y.0), Self::Apart(x.1, y.1))
            }
            Self::Same(x) => {
                let x = x.split_at_mut(at);
                (Self::Same(x.0), Self::Same(x.1))
            }
        }
    }

    pub(super) fn input(&self) -> &[Complex<T>] {
        match self {
            Self::Apart(x, _) => x,
            Self::Same(x) => x,
        }
    }

    pub(super) fn output(&mut self) -> &mut [Complex<T>] {
        match self {
            Self::Apart(_, y) => y,
            Self::Same(x) => x,
        }
    }
}

/// A pass by its radix.
macro_rules! by_radix {
    ($r:expr, $f:ident::<$S:ident, $T:ident, _ $(, $more:literal)*>($($arg:expr),*)) => {
        match $r {
            2 => $f::<$S, $T, 2 $(, $more)*>($($arg),*),
            3 => $f::<$S, $T, 3 $(, $more)*>($($arg),*),
            4 => $f::<$S, $T, 4 $(, $more)*>($($arg),*),
            5 => $f::<$S, $T, 5 $(, $more)*>($($arg),*),
            7 => $f::<$S, $T, 7 $(, $more)*>($($arg),*),
            8 => $f::<$S, $T, 8 $(, $more)*>($($arg),*),
            _ => $f::<$S, $T, 16 $(, $more)*>($($arg),*),
        }
    };
}

/// The transform by `steps`, whose roots are in `table`: with the parts of input and output exchanged and the result times
/// `scale` if `back`.
#[inline]
pub(super) fn passes<S: Simd, T: Element>(
    s: S,
    steps: &Steps,
    table: &[T],
    back: bool,
    scale: T,
    mut io: Io<'_, T>,
    workspace: &mut [Complex<T>],
) {
    let n = steps.n;
    let large = n > 32 && !small::fits::<S, T>(n);
    if large || io.len() < n {
        return one_by_one(s, steps, table, back, scale, io, workspace);
    }
    let from = Complex::parts(io.input()).as_ptr();
    let to = Complex::parts_mut(io.output()).as_mut_ptr();
    // SAFETY: `from` and `to` hold `n` complex numbers; the constructors of plans see to it that `table` holds the roots.
    unsafe {
        if n > 32 {
            small::whole(s, n, from, to, table.as_ptr(), (back, scale));
        } else if small::few(s, n, from, to, table.as_ptr(), (back, scale)).is_none() {
            one_by_one(s, steps, table, back, scale, io, workspace);
        }
    }
}

/// [`passes`], each from one array to the other.
#[inline(never)]
fn one_by_one<S: Simd, T: Element>(
    s: S,
    steps: &Steps,
    table: &[T],
    back: bool,
    scale: T,
    mut io: Io<'_, T>,
    workspace: &mut [Complex<T>],
) {
    let n = steps.n;
    let [r, rest @ ..] = steps.radices() else {
        // One point.
        if let (Some(x), Some(y)) = (io.input().first().copied(), io.output().first_mut()) {
            *y = x;
        }
        return;
    };
    // No radix is 0.
    let r = NonZero::new(usize::from(*r)).unwrap_or(NonZero::<usize>::MIN);
    let pad = steps.pad();
    let plane = n + 16 * pad;
    if io.len() < n || workspace.len() < if pad > 0 { 2 * plane } else { n } {
        return debug_assert!(false, "as all callers check");
    }
    let work = Complex::parts_mut(workspace).as_mut_ptr();
    let same = matches!(io, Io::Same(_));
    let mut from = Complex::parts(io.input()).as_ptr();
    let out = Complex::parts_mut(io.output()).as_mut_ptr();
    let one = Pass { width: 1, places: [1, 0, 0], points: [1, 1], roots: [0; 3], spread: false };
    let mut roots = table.as_ptr();
    // SAFETY: `from` and `out` hold `n` complex numbers, `work` as many or, with padding, twice `plane`, all apart but for
    // `from` and `out`, which only a single butterfly may have in common; the constructors of plans see to it that `table`
    // holds the roots of each pass, as long as this adds to `roots`.
    unsafe {
        // The last pass goes from the workspace to the output, the one before back or, with padding, to the other half of
        // the workspace, and so on.
        let planes = |turn: usize| {
            let other = if pad > 0 { work.add(2 * plane) } else { out };
            let p = if turn.is_multiple_of(2) { other } else { work };
            [p, p.add(plane)]
        };
        let mut turn = rest.len();
        if same && pad == 0 && turn.is_multiple_of(2) {
            core::ptr::copy_nonoverlapping(from, work, 2 * n);
            from = work;
        }
        // Passes write a sixteenth of a padded plane at a time.
        let parts = if pad > 0 { 16 } else { 1 };
        let m = n / r;
        for part in 0..parts {
            let to = planes(turn).map(|p| p.add(part * pad));
            let (start, end) = (part * m / parts, (part + 1) * m / parts);
            match back {
                false => by_radix!(r.get(), first::<S, T, _, false>(s, from, to, roots, m, start, end)),
                true => by_radix!(r.get(), first::<S, T, _, true>(s, from, to, roots, m, start, end)),
            }
        }
        roots = roots.add(2 * (r.get() - 1) * m);
        let mut all = r;
        for by in rest.iter().filter_map(|r| NonZero::new(usize::from(*r))) {
            let (done, r) = (all.get(), by.get());
            all = all.saturating_mul(by);
            let m = n / all;
            let from = planes(turn).map(<*mut T>::cast_const);
            turn -= 1;
            // The sixteenths between two points.
            let apart = m * done + 16 / by * pad;
            let pass = Pass { width: done, points: [apart, done], roots: [2 * (r - 1), 2, 1], ..one };
            if m > 1 && done < SPREAD {
                let pass = Pass {
                    places: [m / parts, done, r * done],
                    roots: [done, 2 * m * done, m * done],
                    spread: true,
                    ..pass
                };
                for part in 0..parts {
                    let at = part * (m / parts) * done;
                    let from = from.map(|p| p.add(at + part / by * pad));
                    let to = planes(turn).map(|p| p.add(r * at + part * pad));
                    let roots = roots.add(at);
                    let lanes = T::Vec::<S>::LANES;
                    // Groups of 4 and 8 that are less than a vector; no vector of four lanes has several.
                    let several = const { T::Vec::<S>::LANES > 4 }
                        && lanes > done
                        && lanes.is_multiple_of(done)
                        && lanes <= 4 * done
                        && lanes <= m / parts * done;
                    match r {
                        4 if several => groups::<S, T, 4>(s, from, to, roots, &pass),
                        8 if several => groups::<S, T, 8>(s, from, to, roots, &pass),
                        _ => {
                            by_radix!(
                                r,
                                along::<S, T, _, false, false, true, false>(s, from, to, roots, scale, &pass)
                            );
                        }
                    }
                }
                roots = roots.add(2 * (r - 1) * m * done);
            } else if m > 1 {
                let places = m / parts;
                let pass = Pass { places: [places, done, r * done], ..pass };
                for part in 0..parts {
                    let from = from.map(|p| p.add(part * places * done + part / by * pad));
                    let to = planes(turn).map(|p| p.add(part * places * r * done + part * pad));
                    let roots = roots.add(2 * (r - 1) * places * part);
                    by_radix!(
                        r,
                        along::<S, T, _, false, false, true, false>(s, from, to, roots, scale, &pass)
                    );
                }
                roots = roots.add(2 * (r - 1) * m);
            } else if back {
                by_radix!(
                    r,
                    along::<S, T, _, false, true, false, true>(s, from, [out; 2], roots, scale, &pass)
                );
            } else {
                by_radix!(
                    r,
                    along::<S, T, _, false, true, false, false>(s, from, [out; 2], roots, scale, &pass)
                );
            }
        }
    }
}
