//! The arguments of a contract's edge case.

use crate::yaml::schema::{Contract, EdgeCase, Scalar};
use fulmen::Element;

/// So many copies of an input, one behind the other.
pub fn values<T: Element>(x: &[Scalar], ty: &str, copies: usize) -> Vec<T> {
    let once = x.iter().map(|v| T::from_f64(v.value(ty)));
    (0..copies).flat_map(|_| once.clone()).collect()
}

/// The parameters of a case, or the samples of the contract.
pub fn params<T: Element>(c: &Contract, e: &EdgeCase, ty: &str) -> Vec<T> {
    let samples: Vec<Scalar> = c.call.params.iter().map(|p| p.sample.clone()).collect();
    values(e.params.as_deref().unwrap_or(&samples), ty, 1)
}
