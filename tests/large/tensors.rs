//! Ops of shape `nn`, but for attention, by their own references.

use crate::nn::*;
use crate::sizes::{POOLS, around, threshold, tolerance, zeros};
use fulmen::Element;
use fulmen::contract::{Tolerance, agrees};
use fulmen::lanes::native;

/// Outputs against their references.
pub fn compare<T: Element>(op: &str, what: &str, out: &[Vec<T>], want: &[Vec<Want>]) {
    let (of, f64s) = (tolerance::<T>(op), tolerance::<f64>(op));
    assert_eq!(out.len(), want.len(), "{what}");
    for (k, (out, want)) in out.iter().zip(want).enumerate() {
        assert_eq!(out.len(), want.len(), "{what}: output {k}");
        for (i, (y, w)) in out.iter().zip(want).enumerate() {
            let mass = if w.mass.is_finite() { w.mass } else { w.value.abs() };
            let inputs: [&[f64]; 1] = [zeros(w.n)];
            let own = if of == Tolerance::Exact { 0.0 } else { f64s.allowed::<f64>(w.value, &inputs, mass) };
            let allowed = of.allowed::<T>(w.value, &inputs, mass) + own;
            assert!(
                agrees(*y, w.value, allowed),
                "{what}: output {k} at {i} is {:e}, exactly {:e}, where {allowed:e} is allowed",
                y.to_f64(),
                w.value
            );
        }
    }
}

/// Every form of one call.
pub fn verify<T: Element, O: Op>(a: &Args<T>) {
    every_form(&Routine::native::<O>(), a);
}

fn every_form<T: Element>(op: &Routine<T>, a: &Args<T>) {
    let want = (op.want)(&a.wide());
    for form in [Form::On, Form::InPlace, Form::Parallel] {
        for pool in &*POOLS {
            let what = format!("{} {} {form:?} {:?}", op.name, T::NAME, a.n);
            let Some(out) = pool.install(|| op.run(form, a)) else { break };
            compare(op.name, &what, &out.unwrap_or_else(|e| panic!("{what}: {e}")), &want);
            if form != Form::Parallel {
                break;
            }
        }
    }
}

/// Rows and columns at which an op is tried.
fn shapes<T: Element>(op: &str) -> Vec<[usize; 2]> {
    let grain = threshold("parts::GRAIN");
    // Windows and taps take their time in the references.
    let (most, many) = match op {
        _ if op.contains("pool") => (4500, 70),
        _ if op.starts_with("conv1d") || op.starts_with("conv2d") => (grain + 1, 70),
        _ if op.starts_with("gemm") => (2050, 300),
        // See `long_rows_of_sample` for more.
        "sample" if T::NAME == "f32" => (5000, 1),
        "sample" => (grain + 1, 1),
        // Their helpers hold so many elements at most.
        "embedding" | "scatter" | "scatter_add" => (grain * 2, 1000),
        "pad" | "gather" | "gather_elements" | "scatter_add_elements" => (3000, 300),
        _ => (grain * 4 + 1, 2000),
    };
    let mut shapes: Vec<[usize; 2]> =
        around::<T>(most).into_iter().map(|c| [if c > 5000 { 1 } else { 2 }, c]).collect();
    shapes.extend([[many, 33], [many * 3, 7], [9, most / 9], [3, most / 2]]);
    if op.starts_with("gemm") {
        shapes.extend([[300, 300], [65, 513], [513, 65]]);
    }
    shapes
}

fn sweep<T: Element>(op: &Routine<T>) {
    for (turn, [rows, cols]) in shapes::<T>(op.name).into_iter().enumerate() {
        every_form(op, &(op.sample)(rows, cols, &mut Noise(turn as u64)));
    }
}

/// In `f32` a draw within rounding of a boundary, of which long rows have many, may choose a neighbour in rank.
#[test]
fn long_rows_of_sample() {
    use indexed::Sample;
    let mut rows = 0;
    for n in around::<f32>(threshold("parts::GRAIN") + 1).into_iter().filter(|n| *n > 5000) {
        for seed in 0..20 {
            let a = Sample::sample::<f32>(1, n, &mut Noise(seed));
            let index = run::<_, f32, Sample>(native(), Form::On, &a).unwrap().unwrap()[0][0] as usize;
            // A sum of n terms, each a few roundings off.
            let off = (n as f64 + 32.0) * f64::from(f32::EPSILON) / 2.0;
            assert!(Sample::may_choose(&a.wide(), index, off), "{n}, seed {seed}: {index}");
            rows += 1;
        }
    }
    assert!(rows >= 100, "{rows} rows: no threshold is so large");
}

/// A step number large enough that its powers leave the exact ones, and vanish.
fn steps<T: Element>(op: &Routine<T>) {
    for step in [1, 2, 31, 999, 1000, 1001, 4096, 65_537, 1 << 20, u32::MAX as usize] {
        let mut a = (op.sample)(3, 40, &mut Noise(step as u64));
        a.n.iter_mut().filter(|(name, _)| name == "step").for_each(|(_, n)| *n = step);
        every_form(op, &a);
    }
}

#[test]
fn adam_steps() {
    steps(&Routine::<f32>::native::<optimisers::Adam>());
    steps(&Routine::<f64>::native::<optimisers::Adam>());
    steps(&Routine::<f32>::native::<optimisers::AdamW>());
    steps(&Routine::<f64>::native::<optimisers::AdamW>());
}

/// More elements than any threads take at once.
#[test]
fn optimisers_on_threads() {
    fn each<O: Op>() {
        for n in [100_001, 210_013, (1 << 20) + 1] {
            verify::<f32, O>(&O::sample::<f32>(1, n, &mut Noise(n as u64)));
        }
        verify::<f64, O>(&O::sample::<f64>(1, 300_007, &mut Noise(9)));
    }
    each::<optimisers::Sgd>();
    each::<optimisers::Momentum>();
    each::<optimisers::Adagrad>();
    each::<optimisers::Adam>();
    each::<optimisers::AdamW>();
    each::<optimisers::ClipByNorm>();
}

macro_rules! tests {
    ($($name:ident $Op:path $(, $more:ident)*;)*) => {$(
        mod $name {
            #[test]
            fn f32() {
                super::sweep(&super::Routine::<f32>::native::<$Op>());
            }
            #[test]
            fn f64() {
                super::sweep(&super::Routine::<f64>::native::<$Op>());
            }
        }
    )*};
}
for_each_conv_op!(tests);
for_each_conv2d_op!(tests);
for_each_indexed_op!(tests);
for_each_optimiser!(tests);
for_each_pool_op!(tests);
for_each_product!(tests);
for_each_rows_op!(tests);
for_each_scan!(tests);
for_each_tensor_op!(tests);
tests! {
    rope crate::nn::attention::Rope;
    rope_backward crate::nn::attention::RopeBackward;
    rope_view crate::nn::attention::RopeView;
}

/// Large vocabularies: many rows of as many classes as models have.
#[test]
fn vocabularies() {
    for cols in [50_257, 128_256] {
        for rows in [1, 3] {
            verify::<f32, indexed::CrossEntropy>(&indexed::CrossEntropy::sample(
                rows,
                cols,
                &mut Noise(cols as u64),
            ));
            verify::<f32, indexed::CrossEntropyBackward>(&indexed::CrossEntropyBackward::sample(
                rows,
                cols,
                &mut Noise(3),
            ));
        }
    }
}
