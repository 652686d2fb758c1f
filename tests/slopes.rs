//! The tails of the activations' gradients: where the exponential multiplies the error of its argument, and where results
//! leave the normal numbers. The errors are those that the contracts state, of the two terms of a slope.

use common::lanes::*;
use common::reference::dd::Dd;
use fulmen::contract::{agrees, spec};
use fulmen::lanes::Simd;
use fulmen::{Element, Error};

/// `e^(-v/2)` of two words, for `v ≥ 0`: its square may leave the normal numbers where the slope does not.
fn half_decay(v: Dd) -> f64 {
    (-v.0 / 2.0).exp() * (1.0 - v.1 / 2.0)
}

/// The slope at `x` and the magnitudes of its terms, from `v` and `x v'`, `v` having the sign of `x`.
fn slope(x: f64, v: Dd, along: f64) -> (f64, f64) {
    let h = half_decay(if x < 0.0 { Dd(-v.0, -v.1) } else { v });
    let (r, left) = (1.0 / (1.0 + h * h), x < 0.0);
    let s = if left { h * h * r } else { r };
    let part = along * h * r * r * h;
    (s + part, s + part.abs())
}

fn silu(x: f64) -> (f64, f64) {
    slope(x, Dd::from(x), x)
}

fn gelu(x: f64) -> (f64, f64) {
    // √(8/π) and 0.044715 in two words.
    let (k, c) = (Dd(1.5957691216057308, -9.96930880911092e-17), Dd(0.044715, 2.1960211427085595e-18));
    let wide = Dd::from(x);
    let v = k * (wide + c * wide * wide * wide);
    slope(x, v, x * k.0 * (1.0 + 3.0 * 0.044715 * x * x))
}

/// Both signs, densely where the slopes leave the numbers of `T`.
fn points<T: Element>(end: f64) -> Vec<T> {
    (0..4000).flat_map(|i| [-1.0, 1.0].map(|s| T::from_f64(s * end * f64::from(i) / 4000.0))).collect()
}

type Gradient<S, T> = fn(S, &[T], &[T], &mut [T]) -> Result<(), Error>;

fn check<S: Simd, T: Element>(s: S, op: &str, f: Gradient<S, T>, exact: fn(f64) -> (f64, f64), end: f64) {
    let mut errors = common::Errors::of(op, T::NAME, S::NAME);
    let tolerance = spec(op).and_then(|c| c.tolerance(T::NAME)).unwrap();
    let least = T::MIN_NORMAL.to_f64();
    let x = points::<T>(end);
    for dy in [1.0, -3.0, 1e30, 1e-20] {
        let mut out = vec![T::ZERO; x.len()];
        f(s, &x, &vec![T::from_f64(dy); x.len()], &mut out).unwrap();
        let dy = T::from_f64(dy).to_f64();
        for (x, got) in x.iter().zip(out) {
            let (slope, terms) = exact(x.to_f64());
            let (want, terms) = (slope * dy, terms.max(least) * dy.abs());
            let allowed = tolerance.allowed::<T>(want, &[], terms);
            errors.see((got.to_f64() - want).abs(), allowed, 1);
            assert!(
                agrees(got, want, allowed),
                "{op} {} {} at {x:?}, dy = {dy:e}: {got:?}, not {want:e} ± {allowed:e}",
                T::NAME,
                name_of(s)
            );
        }
    }
}

#[test]
fn slopes_keep_their_contracts_far_out() {
    for_each_lane!(|s| {
        check::<_, f32>(s, "gelu_backward", fulmen::gelu_backward_on, gelu, 12.0);
        check::<_, f64>(s, "gelu_backward", fulmen::gelu_backward_on, gelu, 21.4);
        check::<_, f32>(s, "silu_backward", fulmen::silu_backward_on, silu, 130.0);
        check::<_, f64>(s, "silu_backward", fulmen::silu_backward_on, silu, 700.0);
    });
}
