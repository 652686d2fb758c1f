//! Random numbers of a [`Stream`] in an allocated vector.

use super::filled;
use crate::error::Error;
use crate::random::{Integer, Stream, Variate};
use alloc::vec::Vec;

/// `n` numbers in `0 ≤ x < 1`, each as likely, by [`uniform`](crate::uniform()).
///
/// NaN and ±0: no NaN; the 0 is +0. Errors: [`Error::Overflow`] names `out`.
///
/// ```
/// use fulmen::{owned::uniform, random::Stream};
/// assert!(uniform::<f32>(Stream::new(42), 1000)?.iter().all(|u| (0.0..1.0).contains(u)));
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "rand")]
pub fn uniform<T: Variate>(stream: Stream, n: usize) -> Result<Vec<T>, Error> {
    let mut out = filled("out", T::ZERO, n)?;
    crate::uniform(stream, &mut out);
    Ok(out)
}

/// `n` numbers of the normal distribution, by [`normal`](crate::normal()).
///
/// NaN and ±0: no NaN. Errors: [`Error::Domain`] names `mean` or `stddev`; [`Error::Overflow`] `out`.
///
/// ```
/// use fulmen::{owned::normal, random::Stream};
/// let x = normal(Stream::new(42), 5.0f64, 2.0, 10_000)?;
/// assert!((fulmen::mean(&x)? - 5.0).abs() < 0.1);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "randn")]
pub fn normal<T: Variate>(stream: Stream, mean: T, stddev: T, n: usize) -> Result<Vec<T>, Error> {
    let mut out = filled("out", T::ZERO, n)?;
    crate::normal(stream, mean, stddev, &mut out)?;
    Ok(out)
}

/// `n` integers from `low` to `high`, by [`integers`](crate::integers()), which says whether `high` is one of them.
///
/// Errors: those of the op; [`Error::Overflow`] names `out`.
///
/// ```
/// use fulmen::{owned::integers, random::Stream};
/// assert!(integers(Stream::new(42), 1u32, 6, 100)?.iter().all(|x| (1..=6).contains(x)));
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "randint")]
pub fn integers<I: Integer + Default>(stream: Stream, low: I, high: I, n: usize) -> Result<Vec<I>, Error> {
    let mut out = filled("out", I::default(), n)?;
    crate::integers(stream, low, high, &mut out)?;
    Ok(out)
}

/// The numbers below `n` in an order by chance, by [`permutation`](crate::permutation()).
///
/// Errors: [`Error::Overflow`] names `out`.
///
/// ```
/// use fulmen::{owned::permutation, random::Stream};
/// let mut order = permutation(Stream::new(42), 5)?;
/// order.sort_unstable();
/// assert_eq!(order, [0, 1, 2, 3, 4]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[doc(alias = "randperm")]
pub fn permutation(stream: Stream, n: usize) -> Result<Vec<usize>, Error> {
    let mut out = filled("out", 0, n)?;
    crate::permutation(stream, &mut out);
    Ok(out)
}
