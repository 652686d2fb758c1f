//! Products of tiny row-major matrices, which call the micro-kernel without packing. The overhead of a call shows at
//! these sizes, so they are dispatched before anything else is examined.

use super::micro::few;
use super::{Problem, loops, tune};
use crate::lanes::vector::Vector;
use crate::lanes::{COMPACT, Element, Simd};

/// Whether any product of this set comes here.
pub(super) const fn here<S: Simd>() -> bool {
    !COMPACT && tune::few(S::ISA) > 0
}

/// `C = αAB + βC` of operands that [`plan::few`](super::plan::few) takes.
#[inline(always)]
#[allow(clippy::collapsible_match, reason = "what is false of the constants is not compiled")]
pub(super) fn run<S: Simd, T: Element>(s: S, p: &Problem<'_, T>) {
    let lanes = T::Vec::<S>::LANES;
    let mut col = 0;
    while col < p.c.cols() {
        let n = loops::share((p.c.cols() - col).div_ceil(lanes), tune::vectors(S::ISA));
        let mut row = 0;
        while row < p.c.rows() {
            let rows = loops::run_of(p.c.rows() - row, tune::rows(S::ISA), false);
            macro_rules! tiles {
                ($($R:literal)*) => {
                    match rows.min(tune::rows(S::ISA)) {
                        $($R => tiles!(@ $R 1 2 3),)*
                        _ => {}
                    }
                };
                (@ $R:literal $($N:literal)*) => {
                    match n {
                        $($N => {
                            if const { $R <= tune::rows(S::ISA) && $N <= tune::vectors(S::ISA) } {
                                // SAFETY: `plan::few` saw the shapes and strides; there are `rows` rows from `row` on and
                                // `n` vectors of columns from `col` on, of which the last is the last of C if in part.
                                unsafe { few::<S, T, $R, $N>(s, p, [row, col], rows / $R) }
                            }
                        })*
                        _ => {}
                    }
                };
            }
            tiles!(1 2 3 4 5 6 7 8);
            row += rows;
        }
        col += n * lanes;
    }
}
