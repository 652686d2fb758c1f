//! Edge cases and refusals of the ops of shape `nn`.

use common::cases::{params, values};
use common::lanes::*;
use common::nn::*;
use common::yaml::contract;
use common::yaml::schema::EdgeCase;
use fulmen::Element;
use fulmen::lanes::Simd;

fn cases<O: Op>(refused: bool) -> impl Iterator<Item = &'static EdgeCase> {
    contract(O::NAME).edge_cases.iter().filter(move |e| e.error.is_some() == refused)
}

fn args<T: Element, O: Op>(e: &EdgeCase) -> Args<T> {
    let x = e.inputs.iter().map(|x| values(x, T::NAME, 1)).collect();
    let p = params(contract(O::NAME), e, T::NAME);
    Args { x, ids: vec![], p, n: Args::<T>::parse(&e.options) }.with_ids::<O>()
}

fn edge<S: Simd, T: Element, O: Op>(s: S, e: &EdgeCase) {
    let a = args::<T, O>(e);
    let at = format!("{} `{}` {} on {}", O::NAME, e.name, T::NAME, S::NAME);
    let stated: Vec<f64> = e.out.as_ref().unwrap().iter().map(|x| x.exact(T::NAME)).collect();
    // How far a result may be off follows from the reference, which the case must agree with.
    let mut want = O::want(&a.wide());
    assert_eq!(want.iter().flatten().count(), stated.len(), "{at}");
    for (w, stated) in want.iter_mut().flatten().zip(stated) {
        let most = allowed::<T>(O::NAME, w) + 1e-15 * stated.abs();
        assert!(
            fulmen::contract::agrees(w.value, stated, most),
            "{at}: {stated}, by the reference {}",
            w.value
        );
        w.value = stated;
    }
    for form in [Form::On, Form::InPlace] {
        let Some(out) = run::<S, T, O>(s, form, &a) else { continue };
        let out = out.unwrap_or_else(|e| panic!("{at}: {e}"));
        compare::<T, O>(S::NAME, &at, &out, &want);
        for (y, w) in out.iter().flatten().zip(want.iter().flatten()) {
            let (y, w) = (y.to_f64(), w.value);
            let sign = y != 0.0 || w != 0.0 || y.is_sign_negative() == w.is_sign_negative();
            assert!(sign, "{at}: {y:?}, expected {w:?}");
        }
    }
}

fn edges<O: Op>() {
    let mut n = 0;
    for e in cases::<O>(false) {
        n += 1;
        for_each_lane!(|s| {
            edge::<_, f32, O>(s, e);
            edge::<_, f64, O>(s, e);
        });
    }
    assert!(n >= 5, "{}: {n} cases", O::NAME);
}

/// Each refusal names its error, in every form, and [`run`] sees that nothing is written.
fn refusals<O: Op>() {
    let mut n = 0;
    for e in cases::<O>(true) {
        n += 1;
        let a = args::<f32, O>(e);
        for form in [Form::On, Form::InPlace, Form::Parallel] {
            let Some(got) = run::<_, f32, O>(fulmen::lanes::native(), form, &a) else { continue };
            let (got, error) = (got.err(), e.error.as_ref().unwrap());
            let named = got.is_some_and(|got| format!("{got:?}").starts_with(error.as_str()));
            assert!(named, "{} `{}` {form:?}: {got:?}, expected {error}", O::NAME, e.name);
        }
    }
    let guaranteed = contract(O::NAME).equations.values().any(|e| !e.preconditions.is_empty());
    assert_eq!(n >= 1, guaranteed, "{}: {n} refusals", O::NAME);
}

/// The invariants, at every shape of the build's own lanes.
fn invariants<O: Op>() {
    fn of<T: Element, O: Op>() -> usize {
        let c = contract(O::NAME);
        let shapes = SHAPES.iter().take(if O::CUBED { SMALL } else { SHAPES.len() });
        // What scales is the algorithm's: an emulator sees some shapes.
        let shapes = shapes.step_by(if cfg!(fulmen_emulated) { 4 } else { 1 });
        let one = |(turn, [rows, cols]): (usize, &[usize; 2])| {
            let a = O::sample::<T>(*rows, *cols, &mut Noise(turn as u64));
            common::scaling::holds(c, |factor| {
                let mut a = a.clone();
                for (x, name) in a.x.iter_mut().zip(&c.call.inputs) {
                    let by = factor(name);
                    x.iter_mut().for_each(|x| *x = *x * by);
                }
                a.p.iter_mut().zip(&c.call.params).for_each(|(p, param)| *p = *p * factor(&param.name));
                let out =
                    run::<_, T, O>(fulmen::lanes::native(), Form::On, &a).expect("every op has this form");
                out.unwrap_or_else(|e| panic!("{} {:?}: {e}", O::NAME, a.n))
            })
        };
        shapes.enumerate().map(one).sum()
    }
    let compared = of::<f32, O>() + of::<f64, O>();
    let stated = contract(O::NAME).equations.values().any(|e| !e.invariants.is_empty());
    assert_eq!(compared >= 16, stated, "{}: {compared} elements compared", O::NAME);
}

macro_rules! ops {
    ($($name:ident $Op:path $(, $more:ident)*;)*) => {$(
        mod $name {
            #[test]
            fn edge_cases() {
                super::edges::<$Op>();
            }
            #[test]
            fn preconditions() {
                super::refusals::<$Op>();
            }
            #[test]
            fn invariants() {
                super::invariants::<$Op>();
            }
        }
    )*};
}
common::for_each_nn_op!(ops);
