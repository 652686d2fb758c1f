//! Splitting of slices without panic code, by lengths that were checked where an op was entered. Where `core` would
//! panic for a length that does not fit, these functions give the elements that exist.

use core::iter::from_fn;

/// The first `at` elements and the others; all of them come first where they are fewer.
#[inline(always)]
pub(crate) fn split<X>(x: &[X], at: usize) -> (&[X], &[X]) {
    x.split_at_checked(at.min(x.len())).unwrap_or_default()
}

/// [`split`] of what is written.
#[inline(always)]
pub(crate) fn split_mut<X>(x: &mut [X], at: usize) -> (&mut [X], &mut [X]) {
    let at = at.min(x.len());
    x.split_at_mut_checked(at).unwrap_or_default()
}

/// Lines of `n` elements. There is none of no elements. The iterators of `core` divide by `n` for their length.
#[inline(always)]
pub(crate) fn lines<X>(x: &[X], n: usize) -> impl Iterator<Item = &[X]> {
    let (mut rest, n) = (if n == 0 { &[] } else { x }, n.max(1));
    from_fn(
        #[inline(always)]
        move || {
            let (line, behind) = rest.split_at_checked(n)?;
            rest = behind;
            Some(line)
        },
    )
}

/// [`lines`] of what is written.
#[inline(always)]
pub(crate) fn lines_mut<X>(x: &mut [X], n: usize) -> impl Iterator<Item = &mut [X]> {
    let (mut rest, n) = (if n == 0 { &mut [] } else { x }, n.max(1));
    from_fn(
        #[inline(always)]
        move || {
            let (line, behind) = core::mem::take(&mut rest).split_at_mut_checked(n)?;
            rest = behind;
            Some(line)
        },
    )
}

/// Exchanges two elements; nothing where one is not there.
#[inline(always)]
pub(crate) fn swap<X>(x: &mut [X], i: usize, k: usize) {
    if let Ok([a, b]) = x.get_disjoint_mut([i, k]) {
        core::mem::swap(a, b);
    }
}

/// Copies as many elements as both have.
#[inline(always)]
pub(crate) fn copy<X: Copy>(from: &[X], to: &mut [X]) {
    let n = from.len().min(to.len());
    if let (Some(from), Some(to)) = (from.get(..n), to.get_mut(..n)) {
        to.copy_from_slice(from);
    }
}
