//! [`Invariant::Scales`] of a contract: arguments times powers of two give results times powers of two, bit for bit.

use crate::nn::STALE;
use crate::yaml::schema::{Contract, Invariant};
use fulmen::Element;

/// The powers that each argument is multiplied by, one call each.
const POWERS: [i32; 2] = [1, -3];

/// How many elements were compared. `outputs` calls the op, each of its arguments times what `factor(name)` is.
#[track_caller]
pub fn holds<T: Element>(c: &Contract, outputs: impl Fn(&dyn Fn(&str) -> T) -> Vec<Vec<T>>) -> usize {
    let stated = || c.equations.values().flat_map(|e| &e.invariants);
    let plain = stated().next().map(|_| outputs(&|_| T::ONE));
    let mut compared = 0;
    for (inv, power) in stated().flat_map(|inv| POWERS.map(|power| (inv, power))) {
        let Invariant::Scales { by, out } = inv else { continue };
        let times = |n: i32| T::from_f64(2f64.powi(n * power));
        let scaled = outputs(&|name| by.get(name).map_or(T::ONE, |n| times(*n)));
        let plain = plain.as_ref().expect("an invariant is stated");
        assert_eq!((plain.len(), scaled.len()), (out.len(), out.len()), "outputs of {}", c.op);
        for (k, ((plain, scaled), n)) in plain.iter().zip(&scaled).zip(out).enumerate() {
            assert_eq!(plain.len(), scaled.len(), "{}", c.op);
            for (i, (x, y)) in plain.iter().zip(scaled).enumerate() {
                let want = (*x * times(*n)).to_f64();
                let same = want.to_bits() == y.to_f64().to_bits() || (want.is_nan() && y.to_f64().is_nan());
                // An element that is not written is not scaled either.
                let unwritten = x.to_f64() == STALE && y.to_f64() == STALE;
                assert!(
                    same || unwritten,
                    "{} {}: {by:?} times 2^{power} each, output {k} at {i} of {}: {y:?}, not {want:?}",
                    c.op,
                    T::NAME,
                    plain.len(),
                );
            }
            compared += plain.len();
        }
    }
    compared
}
