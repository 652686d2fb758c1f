//! Op × lane × (serial, parallel), against naive references, within the tolerance of each contract.
//! Prints the matrix: the worst error as a share of what is allowed. Fails when an op of the list did not
//! run on a lane, or when a lane that `FULMEN_REQUIRE_LANES` names was absent. Ops of shape `nn` are in `nn_story.rs`.

use common::Errors;
use common::call::{Args, Form, Out, call};
use common::lanes::*;
use common::reference::story::{self, answer};
use common::shares::Shares;
use fulmen::Element;
use fulmen::contract::{agrees, spec, ulp};
use fulmen::lanes::Simd;
use fulmen::ops::{OPS, Op};

/// Lengths around register widths and unrolled loops. Longer ones are in `tests/reduce.rs` and
/// `tests/rows.rs`.
const LENGTHS: &[usize] = &[1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 64, 65, 127, 1000];

/// `kind` 0 is moderate, 1 spans sixty binades, 2 is small whole numbers, with ties and zeros, 3 lies close about a number
/// that is large beside its spread.
fn data<T: Element>(n: usize, seed: u64, kind: u8) -> Vec<T> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..n)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let unit = (state >> 11) as f64 / (1u64 << 53) as f64;
            let sign = if state & (1 << 63) == 0 { 1.0 } else { -1.0 };
            T::from_f64(match kind {
                0 => 8.0 * unit * sign,
                1 => sign * (unit * 60.0 - 30.0).exp2(),
                3 => 40.0 + 0.01 * unit * sign,
                _ => (unit * 9.0).floor() - 4.0,
            })
        })
        .collect()
}

/// The largest error found as a share of what is allowed: above 1 the contract is broken. `None` when
/// the op has no such form.
fn worst<S: Simd, T: Element>(s: S, op: &Op, form: Form) -> Option<f64> {
    let at = format!("{} {} on {}", op.name, T::NAME, S::NAME);
    let tolerance = spec(op.name).and_then(|c| c.tolerance(T::NAME));
    let tolerance = tolerance.unwrap_or_else(|| panic!("{at}: no contract states a tolerance"));
    let mut worst = 0.0f64;
    let mut errors = Errors::of(op.name, T::NAME, S::NAME);
    for (round, &n) in LENGTHS.iter().enumerate() {
        // The build's own lanes see all of them, others, and those in an emulator, these in turn.
        let kinds = if cfg!(target_arch = "x86_64") { taken::<S>(1).min(4) } else { 1 };
        for kind in (0..4u8).cycle().skip(round).take(kinds) {
            let seed = round as u64 * 4 + u64::from(kind) + 1;
            // From the second element on, so that nothing is aligned.
            let raw: [Vec<T>; 3] = [0, 1, 2].map(|k| data(n + 1, seed + 100 * k, kind));
            let x = [&raw[0][1..], &raw[1][1..], &raw[2][1..]];
            let cols = if n % 4 == 0 { n / 4 } else { n };
            let args = Args { x, params: &[], cols, eps: T::from_f64(1e-3), k: n.min(3) };
            let want = answer::<S, T>(op, args);
            let (mut y, mut index) = (vec![T::NAN; n], vec![u32::MAX; n]);
            let done = call(s, op.name, form, args, &mut Out { y: &mut y, index: &mut index })?;
            assert_eq!(done, Ok(()), "{at}");
            assert_eq!(&index[..want.index.len()], &want.index[..], "{at} n={n}");
            for (i, w) in want.y.iter().enumerate() {
                // Past the type's range the exact result is an infinity of the type.
                let near = T::from_f64(w.value).to_f64();
                let w = &story::Want { value: if near.is_infinite() { near } else { w.value }, ..*w };
                // A reduction's bound is about its inputs, an element's about itself.
                let wide = |x: &[T]| -> Vec<f64> { x.iter().map(|x| x.to_f64()).collect() };
                let inputs = if want.y.len() == 1 { [wide(x[0]), wide(x[1])] } else { [vec![], vec![]] };
                let contract = tolerance.allowed::<T>(w.value, &[&inputs[0], &inputs[1]], w.terms);
                // A reference composed in f64 is off by some ulp of its own; f64 results are held sharply by
                // accuracy.rs and tests/log_trig.rs, reductions by double-doubles.
                let own = w.own * ulp::<f64>(w.value);
                let allowed = w.bound.unwrap_or(contract) + own;
                let error = (y[i].to_f64() - w.value).abs();
                assert!(
                    agrees(y[i], w.value, allowed),
                    "{at} n={n} kind={kind} at {i}: {:e}, exactly {:e}, off by {error:e} where {allowed:e} is allowed",
                    y[i].to_f64(),
                    w.value
                );
                // A row's bound is that of its analysis, which `rows.rs` compares with the contract's.
                if w.bound.is_none() {
                    errors.see(error, allowed, if want.y.len() == 1 { n } else { 1 });
                }
                if error > 0.0 && error.is_finite() {
                    worst = worst.max(error / allowed);
                }
            }
        }
    }
    Some(worst)
}

/// Those that are called by their shape. The others run in nn_story.rs, tests/convert.rs, gemm.rs, gemm_low.rs, blas.rs,
/// quant.rs and random.rs.
fn of_slices(shape: &str) -> bool {
    !["convert", "gemm", "blas", "nn", "mixed", "quant", "random"].contains(&shape)
}

fn column<S: Simd>(shares: &mut Shares, s: S, form: Form, title: &str) {
    shares.columns.push(format!("{}{title}", S::NAME));
    for op in OPS.iter().filter(|op| of_slices(op.shape)) {
        for (ty, worst) in [("f32", worst::<S, f32>(s, op, form)), ("f64", worst::<S, f64>(s, op, form))] {
            // Only a selection has no parallel form.
            assert!(worst.is_some() || (form != Form::On && op.shape == "select"), "{} did not run", op.name);
            shares.add(op.name, ty, worst);
        }
    }
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
#[cfg_attr(not(target_arch = "wasm32"), test)]
fn every_op_on_every_lane() {
    let mut shares = Shares::default();
    let ran = for_each_lane!(|s| column(&mut shares, s, Form::On, ""));
    #[cfg(feature = "parallel")]
    column(&mut shares, fulmen::lanes::native(), Form::Parallel, "/par");
    shares.print(&ran, of_slices);
}
