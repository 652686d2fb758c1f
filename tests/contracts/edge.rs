//! Edge cases: input → outcome, exactly as the YAML states them.

use common::call::{Args, Form, Out, call};
use common::cases::{params, values};
use common::lanes::*;
use common::yaml::contract;
use common::yaml::schema::{Contract, EdgeCase, Output, Shape};
use fulmen::contract::{Tolerance, agrees, spec, ulp};
use fulmen::lanes::Simd;
use fulmen::{Element, Error};

pub fn run(op: &str) {
    let c = contract(op);
    let cases = one::<f32>(c, "f32") + one::<f64>(c, "f64");
    assert!(cases >= 10, "{op}: only {cases} cases ran");
}

fn one<T: Element>(c: &Contract, ty: &str) -> usize {
    let tolerance = spec(&c.op).and_then(|s| s.tolerance(ty)).expect("generated");
    let mut cases = 0;
    for e in c.edge_cases.iter().filter(|e| e.types.as_ref().is_none_or(|t| t.iter().any(|t| t == ty))) {
        cases += 1;
        for copies in copies(c, e) {
            for_each_lane!(|s| check::<_, T>(s, c, e, ty, tolerance, copies));
        }
    }
    cases
}

/// Element-wise cases run alone (all tail) and repeated past every register width (body and tail).
fn copies(c: &Contract, e: &EdgeCase) -> Vec<usize> {
    let first = e.inputs.first().map_or(0, Vec::len);
    let elementwise = matches!(c.call.shape, Shape::Unary | Shape::Binary | Shape::Ternary | Shape::Update);
    if elementwise && first > 0 && e.error.is_none() { vec![1, 133 / first] } else { vec![1] }
}

/// Calls `op` on `s` with these arguments, in the order of the contract.
pub fn apply<S: Simd, T: Element>(
    s: S,
    c: &Contract,
    form: Form,
    inputs: &[Vec<T>],
    params: &[T],
    cols: usize,
    out: &mut Out<'_, T>,
) -> Option<Result<(), Error>> {
    let slice = |i: usize| inputs.get(i).map_or(&[][..], Vec::as_slice);
    // `update` writes over its last input; `call` takes that one first.
    let x = if c.call.shape == Shape::Update {
        [slice(1), slice(0), &[]]
    } else {
        [slice(0), slice(1), slice(2)]
    };
    let first = params.first().copied().unwrap_or(T::ZERO);
    let cols = match c.call.shape {
        Shape::RowsScale | Shape::RowsAffine => slice(1).len(),
        _ => cols,
    };
    let args = Args { x, cols, eps: first, k: first.to_f64() as usize, params };
    call(s, &c.op, form, args, out)
}

fn check<S: Simd, T: Element>(
    s: S,
    c: &Contract,
    e: &EdgeCase,
    ty: &str,
    tolerance: Tolerance,
    copies: usize,
) {
    let inputs: Vec<Vec<T>> = e.inputs.iter().map(|x| values(x, ty, copies)).collect();
    let params = params::<T>(c, e, ty);
    let n = inputs.first().map_or(0, Vec::len);
    for form in [Form::On, Form::InPlace] {
        let at = format!("{} `{}` {ty} on {} {form:?}, {n} elements", c.op, e.name, S::NAME);
        let results = match c.call.output {
            Output::Scalar => 1,
            Output::Slice => n,
            Output::Index => 0,
            Output::TopK => n.max(3),
        };
        let mut y = if form == Form::InPlace { inputs[0].clone() } else { vec![T::from_f64(-77.0); results] };
        let mut index = vec![u32::MAX; n.max(3)];
        let before: Vec<u64> = y.iter().map(|v| v.to_f64().to_bits()).collect();
        let cols = e.cols.unwrap_or(0);
        let called = apply(s, c, form, &inputs, &params, cols, &mut Out { y: &mut y, index: &mut index });
        let Some(called) = called else { continue };
        if let Some(error) = &e.error {
            let got = called.expect_err(&at);
            assert!(format!("{got:?}").starts_with(error.as_str()), "{at}: {got:?}, expected {error}");
            let after: Vec<u64> = y.iter().map(|v| v.to_f64().to_bits()).collect();
            // Before the call `update` copies its input into `y`, which is the caller's doing.
            assert!(before == after || c.call.shape == Shape::Update, "{at}: wrote before it failed");
            continue;
        }
        called.unwrap_or_else(|e| panic!("{at}: {e}"));
        if let Some(want) = &e.indices {
            assert_eq!(&index[..want.len()], want, "{at}");
        }
        let want = e.out.as_deref().unwrap_or_default();
        let wants = want.iter().cycle().take(want.len() * copies);
        let exact: Vec<Vec<f64>> = inputs.iter().map(|x| x.iter().map(|v| v.to_f64()).collect()).collect();
        for (i, (got, want)) in y.iter().zip(wants).enumerate() {
            compare(*got, want.exact(ty), tolerance, c, &exact, &params, cols, i, &at);
        }
    }
}

#[allow(clippy::too_many_arguments, reason = "what one message needs")]
fn compare<T: Element>(
    got: T,
    want: f64,
    tolerance: Tolerance,
    c: &Contract,
    inputs: &[Vec<f64>],
    params: &[T],
    cols: usize,
    i: usize,
    at: &str,
) {
    common::compared::add(1);
    let g = got.to_f64();
    let fail =
        |allowed: f64| -> ! { panic!("{at}: element {i} is {g:e}, expected {want:e} within {allowed:e}") };
    if want == 0.0 && g == 0.0 && want.is_sign_negative() != g.is_sign_negative() {
        fail(0.0);
    }
    let rounded = T::from_f64(want).to_f64();
    let allowed = match tolerance {
        Tolerance::Exact => 0.0,
        Tolerance::Ulp(k) if k <= 0.5 => 0.0,
        // The value in the file is itself rounded, to f64.
        _ => {
            let row = |x: &Vec<f64>| {
                if cols == 0 { x.clone() } else { x.chunks(cols).nth(i / cols).unwrap_or(&[]).to_vec() }
            };
            let scope: Vec<Vec<f64>> = inputs.iter().map(row).collect();
            let scope: Vec<&[f64]> = scope.iter().map(Vec::as_slice).collect();
            tolerance.allowed::<T>(want, &scope, terms(c, inputs, params, want, i)) + 0.5 * ulp::<f64>(want)
        }
    };
    let reference = if allowed == 0.0 { rounded } else { want };
    if !agrees(got, reference, allowed) {
        fail(allowed);
    }
}

/// The magnitudes that the formula adds, see the contracts' README.
fn terms<T: Element>(c: &Contract, inputs: &[Vec<f64>], params: &[T], want: f64, i: usize) -> f64 {
    let x = |k: usize| inputs.get(k).and_then(|x| x.get(i)).copied().unwrap_or(0.0);
    let p = params.first().map_or(0.0, |p| p.to_f64());
    match c.op.as_str() {
        "fma" => (x(0) * x(1)).abs() + x(2).abs(),
        "axpy" => (p * x(0)).abs() + x(1).abs(),
        "lerp" => ((1.0 - p) * x(0)).abs() + (p * x(1)).abs(),
        // The rows of the cases are well conditioned: their spread is that of their magnitude.
        _ => 8.0 + want.abs(),
    }
}
