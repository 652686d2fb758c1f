//! Packs blocks of A and B into the layout of AMX tiles.
//!
//! A tile of A has sixteen rows, each with groups of elements along the inner dimension; a tile of B has such groups in
//! its rows, for sixteen columns. So the transpose of a tile of A, as 32-bit words, is a tile of B of the transposed
//! matrix, and two packing loops serve every layout.

use super::pack;
use crate::lanes::Avx512;
use crate::lanes::amx::{AmxTile, Group, split, split_below, split_beside};
use crate::view::MatRef;

/// Whether rows are contiguous.
#[inline(always)]
fn unit<T>(x: MatRef<'_, T>) -> bool {
    x.col_stride() == 1 || x.cols() <= 1
}

/// A tile of A.
#[inline(always)]
pub(super) fn left<T: Group>(s: Avx512, a: MatRef<'_, T>, to: &mut [AmxTile], half: usize) {
    let Some(to) = to.get_mut(half) else { return };
    if unit(a) {
        along(s, a, to);
    } else if unit(a.t()) {
        across(s, a.t(), to);
        turn(s, to);
    } else {
        apart(a, to);
    }
}

/// A tile of B.
#[inline(always)]
pub(super) fn right<T: Group>(s: Avx512, b: MatRef<'_, T>, to: &mut [AmxTile], half: usize) {
    let Some(to) = to.get_mut(half) else { return };
    if unit(b) {
        across(s, b, to);
    } else {
        if unit(b.t()) {
            along(s, b.t(), to)
        } else {
            apart(b.t(), to)
        }
        turn(s, to);
    }
}

/// Lane `i` of row `j` becomes lane `j` of row `i`.
pub(super) fn turn(s: Avx512, t: &mut AmxTile) {
    pack::turn(s, &mut t.0);
}

/// Groups of neighbours in each row.
#[inline(always)]
fn along<T: Group>(s: Avx512, x: MatRef<'_, T>, to: &mut AmxTile) {
    if x.rows() == 16 && x.cols() == 16 * T::LEN {
        for (i, to) in to.0.iter_mut().enumerate() {
            // SAFETY: each of the sixteen rows has so many contiguous elements.
            unsafe { T::beside(s, x.ptr().offset(i as isize * x.row_stride()), to) };
        }
        return;
    }
    for (i, to) in to.0.iter_mut().enumerate() {
        let row = x.row_slice(i).unwrap_or_default();
        // Missing elements are zeros.
        *to = [0; 16];
        for (to, group) in to.iter_mut().zip(row.chunks(T::LEN)) {
            for (x, i) in group.iter().zip(0..) {
                *to |= x.bits() << (T::BITS * i);
            }
        }
    }
}

/// Groups of neighbours in each column.
#[inline(always)]
fn across<T: Group>(s: Avx512, x: MatRef<'_, T>, to: &mut AmxTile) {
    if x.rows() == 16 * T::LEN && x.cols() == 16 {
        for (q, to) in to.0.iter_mut().enumerate() {
            // SAFETY: each of the rows has sixteen contiguous elements.
            unsafe {
                T::below(s, x.ptr().offset((q * T::LEN) as isize * x.row_stride()), x.row_stride(), to)
            };
        }
        return;
    }
    for (q, to) in to.0.iter_mut().enumerate() {
        *to = [0; 16];
        for i in 0..T::LEN {
            let row = x.row_slice(q * T::LEN + i).unwrap_or_default();
            for (to, x) in to.iter_mut().zip(row) {
                *to |= x.bits() << (T::BITS * i as u32);
            }
        }
    }
}

/// [`along`], for any strides.
fn apart<T: Group>(x: MatRef<'_, T>, to: &mut AmxTile) {
    for (i, to) in to.0.iter_mut().enumerate() {
        for (q, to) in to.iter_mut().enumerate() {
            let group =
                (0..T::LEN).map(|r| x.get(i, q * T::LEN + r).map_or(0, T::bits) << (T::BITS * r as u32));
            *to = group.fold(0, |word, x| word | x);
        }
    }
}

/// Tiles of the parts of A.
#[inline(always)]
pub(super) fn left_parts<const P: usize>(s: Avx512, a: MatRef<'_, f32>, to: &mut [AmxTile], half: usize) {
    let mut scratch = [[0.0; 32]; 16];
    let (from, step) = whole(s, a, &mut scratch);
    for i in 0..16 {
        // SAFETY: `whole` gives sixteen rows of 32 elements.
        let (first, second) = unsafe {
            let row = from.offset(i as isize * step);
            (split::<P>(s, row), split::<P>(s, row.add(16)))
        };
        for (part, (first, second)) in first.into_iter().zip(second).enumerate() {
            let row = to.get_mut(2 * part + half).and_then(|t| t.0.get_mut(i));
            row.into_iter().for_each(|row| split_beside(first, second, row));
        }
    }
}

/// Tiles of the parts of B.
#[inline(always)]
pub(super) fn right_parts<const P: usize>(s: Avx512, b: MatRef<'_, f32>, to: &mut [AmxTile], half: usize) {
    let mut scratch = [[0.0; 16]; 32];
    let (from, step) = whole(s, b, &mut scratch);
    for q in 0..16 {
        // SAFETY: `whole` gives 32 rows of sixteen elements.
        let (even, odd) = unsafe {
            let row = from.offset(2 * q as isize * step);
            (split::<P>(s, row), split::<P>(s, row.offset(step)))
        };
        for (part, (even, odd)) in even.into_iter().zip(odd).enumerate() {
            let row = to.get_mut(2 * part + half).and_then(|t| t.0.get_mut(q));
            row.into_iter().for_each(|row| split_below(even, odd, row));
        }
    }
}

/// `H` rows of `W` contiguous elements, and their stride: where they are, or, if `x` is smaller or its
/// strides are others, in the scratch, where what it lacks stays zero.
#[inline(always)]
fn whole<const W: usize, const H: usize>(
    s: Avx512,
    x: MatRef<'_, f32>,
    scratch: &mut [[f32; W]; H],
) -> (*const f32, isize) {
    if x.col_stride() == 1 && x.rows() == H && x.cols() == W {
        return (x.ptr(), x.row_stride());
    }
    if unit(x) {
        for (i, to) in scratch.iter_mut().enumerate() {
            let row = x.row_slice(i).unwrap_or_default();
            to.iter_mut().zip(row).for_each(|(to, x)| *to = *x);
        }
    } else {
        pack::panel(s, x, W, scratch.as_flattened_mut());
    }
    (scratch.as_ptr().cast(), W as isize)
}
