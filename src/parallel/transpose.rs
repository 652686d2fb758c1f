//! Transposes: halves of the longer side on different threads.

use super::Threads;
use crate::blas::transpose_by;
use crate::lanes::{Simd, native};
use crate::{Element, Error, MatMut, MatRef};

/// [`transpose`](crate::transpose()) on rayon's threads, same bits.
///
/// ```
/// use fulmen::{MatMut, MatRef, parallel};
/// let (a, mut b) = ([1.0f32, 2.0, 3.0, 4.0], [0.0; 4]);
/// parallel::transpose(MatRef::row_major(&a, 2, 2)?, MatMut::row_major(&mut b, 2, 2)?)?;
/// assert_eq!(b, [1.0, 3.0, 2.0, 4.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[inline]
pub fn transpose<T: Element>(a: MatRef<'_, T>, b: MatMut<'_, T>) -> Result<(), Error> {
    transpose_on(native(), a, b)
}

/// [`transpose`] on the instruction set of `s`.
#[inline]
pub fn transpose_on<S: Simd, T: Element>(s: S, a: MatRef<'_, T>, b: MatMut<'_, T>) -> Result<(), Error> {
    transpose_by(Threads, s, a, b)
}
