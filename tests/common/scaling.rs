//! [`Invariant::Scales`] of a contract: arguments times powers of two give results times powers of two, bit for bit.

use crate::nn::STALE;
use crate::yaml::schema::{Contract, Invariant};
use fulmen::Element;

/// The powers that each argument is multiplied by, one call each.
const POWERS: [i32; 2] = [1, -3];

/// Whole numbers below 97 in no order.
pub fn eighths(seed: usize) -> impl Iterator<Item = usize> {
    (0..).map(move |i| (i * 7919 + seed * 104_729) % 97)
}

/// Numbers from -6 to 6, an eighth apart.
pub fn moderate<T: Element>(seed: usize) -> impl Iterator<Item = T> {
    eighths(seed).map(|x| T::from_f64(x as f64 / 8.0 - 6.0))
}

/// How many elements were compared, of all that the contract says. `outputs` calls the op, each of its arguments times what
/// `factor(name)` is.
#[track_caller]
pub fn holds<T: Element>(c: &Contract, outputs: impl Fn(&dyn Fn(&str) -> T) -> Vec<Vec<T>>) -> usize {
    let stated = c.equations.values().flat_map(|e| &e.invariants);
    stated.map(|inv| one_holds(c, inv, &outputs)).sum()
}

/// Of one invariant; 0 of one that says nothing of scales.
#[track_caller]
pub fn one_holds<T: Element>(
    c: &Contract,
    inv: &Invariant,
    outputs: impl Fn(&dyn Fn(&str) -> T) -> Vec<Vec<T>>,
) -> usize {
    let Invariant::Scales { by, out } = inv else { return 0 };
    let plain = outputs(&|_| T::ONE);
    let mut compared = 0;
    for power in POWERS {
        let times = |n: i32| T::from_f64(2f64.powi(n * power));
        let scaled = outputs(&|name| by.get(name).map_or(T::ONE, |n| times(*n)));
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
