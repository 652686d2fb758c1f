//! Preconditions: each one is violated in each way the call allows; the named error must come back
//! and the output must be untouched.

use super::edge::apply;
use common::call::{Form, Out};
use common::lanes::*;
use common::yaml::contract;
use common::yaml::schema::{Contract, Domain, Output, Pre, PreCheck, Shape};
use fulmen::Element;
use fulmen::lanes::Simd;

pub fn run(op: &str) {
    let c = contract(op);
    assert!(c.pres().count() > 0, "{op} has no precondition to violate");
    for p in c.pres() {
        for_each_lane!(|s| {
            violate::<_, f32>(s, c, p, "f32");
            violate::<_, f64>(s, c, p, "f64");
        });
    }
}

/// One set of arguments that satisfies every precondition.
#[derive(Clone)]
struct Arguments<T> {
    inputs: Vec<Vec<T>>,
    params: Vec<T>,
    cols: usize,
    y: usize,
    index: usize,
}

fn valid<T: Element>(c: &Contract, ty: &str) -> Arguments<T> {
    let rows = matches!(c.call.shape, Shape::Rows | Shape::RowsEps | Shape::RowsScale | Shape::RowsAffine);
    let input = |i: usize| {
        let n = if rows && i > 0 { 6 } else { 12 };
        (0..n).map(|j| T::from_f64(f64::from(j) * 0.25 + 1.0)).collect()
    };
    let params: Vec<T> = c.call.params.iter().map(|p| T::from_f64(p.sample.value(ty))).collect();
    let k = params.first().map_or(0, |k| k.to_f64() as usize);
    let (y, index) = match c.call.output {
        Output::Slice => (12, 0),
        Output::Scalar => (1, 0),
        Output::Index => (0, 1),
        Output::TopK => (k, k),
    };
    Arguments {
        inputs: (0..c.call.inputs.len()).map(input).collect(),
        params,
        cols: if rows { 6 } else { 0 },
        y,
        index,
    }
}

/// Every way to break `p`.
fn broken<T: Element>(c: &Contract, p: &Pre, good: &Arguments<T>) -> Vec<Arguments<T>> {
    let mut all = Vec::new();
    let mut push = |f: &dyn Fn(&mut Arguments<T>)| {
        let mut a = good.clone();
        f(&mut a);
        all.push(a);
    };
    let input = |name: &str| c.call.inputs.iter().position(|i| i == name);
    match p.check {
        PreCheck::SameLen => {
            for arg in p.args.iter().skip(1) {
                match (input(arg), arg.as_str()) {
                    (Some(i), _) => push(&|a| {
                        a.inputs[i].pop();
                    }),
                    (None, "indices") => push(&|a| a.index -= 1),
                    (None, _) => {
                        push(&|a| a.y -= 1);
                        push(&|a| a.y += 1);
                    }
                }
            }
        }
        PreCheck::NotEmpty => push(&|a| {
            for (i, x) in a.inputs.iter_mut().enumerate() {
                if p.args[0] != "gamma" || i > 0 {
                    x.clear();
                }
            }
            if p.args[0] == "cols" {
                a.cols = 0;
                a.inputs = good.inputs.clone();
            }
        }),
        PreCheck::WholeRows => push(&|a| {
            a.inputs[0].pop();
            a.y -= 1;
        }),
        PreCheck::ParamDomain => {
            for (i, param) in c.call.params.iter().enumerate() {
                let outside: &[f64] = match param.domain {
                    Domain::Any => &[],
                    Domain::Finite => &[f64::NAN, f64::INFINITY],
                    Domain::NonNegative => &[f64::NAN, -1.0, f64::NEG_INFINITY],
                    Domain::Positive => &[f64::NAN, -1.0, 0.0],
                };
                for &x in outside {
                    push(&|a| a.params[i] = T::from_f64(x));
                }
            }
        }
        PreCheck::NoNan => {
            for at in [0, 5, 11] {
                push(&|a| a.inputs[0][at] = T::NAN);
            }
        }
        PreCheck::Ordered => {
            push(&|a| a.params.reverse());
            push(&|a| a.params[0] = T::NAN);
            push(&|a| a.params[1] = T::NAN);
        }
        PreCheck::KInRange => push(&|a| {
            a.params[0] = T::from_f64(13.0);
            (a.y, a.index) = (13, 13);
        }),
        // Of views: `tests/gemm.rs` and `tests/blas.rs`.
        PreCheck::InRange | PreCheck::Shapes | PreCheck::Pivots | PreCheck::Workspace => {}
    }
    assert!(!all.is_empty(), "{}: nothing violates {p:?}", c.op);
    all
}

fn violate<S: Simd, T: Element>(s: S, c: &Contract, p: &Pre, ty: &str) {
    let good = valid::<T>(c, ty);
    let sentinel = T::from_f64(-77.0);
    let call = |a: &Arguments<T>| {
        let mut y = vec![sentinel; a.y];
        let mut index = vec![u32::MAX; a.index];
        let r =
            apply(s, c, Form::On, &a.inputs, &a.params, a.cols, &mut Out { y: &mut y, index: &mut index });
        (r.expect("the form exists"), y, index)
    };
    let at = format!("{} {ty} on {}", c.op, S::NAME);
    assert_eq!(call(&good).0, Ok(()), "{at}: valid arguments were refused");
    for a in broken(c, p, &good) {
        let (r, y, index) = call(&a);
        let e = r.expect_err(&format!("{at}: {p:?} was violated and accepted"));
        assert!(format!("{e:?}").starts_with(p.error.as_str()), "{at}: {e:?} for {p:?}");
        // Before the call `update` copies its input into `y`, which is the caller's doing.
        let untouched = y.iter().all(|&v| v == sentinel) && index.iter().all(|&i| i == u32::MAX);
        assert!(untouched || c.call.shape == Shape::Update, "{at}: wrote before it failed with {e:?}");
    }
}
