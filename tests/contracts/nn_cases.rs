//! Edge cases and refusals of the ops of shape `nn`.

use common::cases::{params, values};
use common::lanes::*;
use common::nn::*;
use common::yaml::contract;
use common::yaml::schema::EdgeCase;
use fulmen::Element;

fn cases(op: &str, refused: bool) -> impl Iterator<Item = &'static EdgeCase> {
    contract(op).edge_cases.iter().filter(move |e| e.error.is_some() == refused)
}

fn args<T: Element>(op: &Routine<T>, e: &EdgeCase) -> Args<T> {
    let x = e.inputs.iter().map(|x| values(x, T::NAME, 1)).collect();
    let p = params(contract(op.name), e, T::NAME);
    Args { x, ids: vec![], p, n: Args::<T>::parse(&e.options) }.with_ids_of(op.ids)
}

fn edge<T: Element>(op: &Routine<T>, e: &EdgeCase) {
    let a = args(op, e);
    let at = format!("{} `{}` {} on {}", op.name, e.name, T::NAME, op.lane);
    let stated: Vec<f64> = e.out.as_ref().unwrap().iter().map(|x| x.exact(T::NAME)).collect();
    // How far a result may be off follows from the reference, which the case must agree with.
    let mut want = (op.want)(&a.wide());
    assert_eq!(want.iter().flatten().count(), stated.len(), "{at}");
    for (w, stated) in want.iter_mut().flatten().zip(stated) {
        let most = allowed::<T>(op.name, w) + 1e-15 * stated.abs();
        assert!(
            fulmen::contract::agrees(w.value, stated, most),
            "{at}: {stated}, by the reference {}",
            w.value
        );
        w.value = stated;
    }
    for form in [Form::On, Form::InPlace] {
        let Some(out) = op.run(form, &a) else { continue };
        let out = out.unwrap_or_else(|e| panic!("{at}: {e}"));
        op.compare(&at, &out, &want);
        for (y, w) in out.iter().flatten().zip(want.iter().flatten()) {
            let (y, w) = (y.to_f64(), w.value);
            let sign = y != 0.0 || w != 0.0 || y.is_sign_negative() == w.is_sign_negative();
            assert!(sign, "{at}: {y:?}, expected {w:?}");
        }
    }
}

fn edges<O: Op>() {
    let mut n = 0;
    for e in cases(O::NAME, false) {
        n += 1;
        for_each_lane!(|s| {
            edge(&Routine::<f32>::of::<O>(s), e);
            edge(&Routine::<f64>::of::<O>(s), e);
        });
    }
    assert!(n >= 5, "{}: {n} cases", O::NAME);
}

/// Each refusal names its error, in every form, and [`run`] sees that nothing is written.
fn refusals(op: &Routine<f32>) {
    let mut n = 0;
    for e in cases(op.name, true) {
        n += 1;
        let a = args(op, e);
        for form in [Form::On, Form::InPlace, Form::Parallel] {
            let Some(got) = op.run(form, &a) else { continue };
            let (got, error) = (got.err(), e.error.as_ref().unwrap());
            let named = got.is_some_and(|got| format!("{got:?}").starts_with(error.as_str()));
            assert!(named, "{} `{}` {form:?}: {got:?}, expected {error}", op.name, e.name);
        }
    }
    let guaranteed = contract(op.name).equations.values().any(|e| !e.preconditions.is_empty());
    assert_eq!(n >= 1, guaranteed, "{}: {n} refusals", op.name);
}

/// The invariants, at every shape of the build's own lanes.
fn invariants<O: Op>() {
    fn of<T: Element>(op: &Routine<T>) -> usize {
        let c = contract(op.name);
        let shapes = SHAPES.iter().take(if op.cubed { SMALL } else { SHAPES.len() });
        // What scales is the algorithm's: an emulator sees some shapes.
        let shapes = shapes.step_by(if cfg!(fulmen_emulated) { 4 } else { 1 });
        let one = |(turn, [rows, cols]): (usize, &[usize; 2])| {
            let a = (op.sample)(*rows, *cols, &mut Noise(turn as u64));
            common::scaling::holds(c, |factor| {
                let mut a = a.clone();
                for (x, name) in a.x.iter_mut().zip(&c.call.inputs) {
                    let by = factor(name);
                    x.iter_mut().for_each(|x| *x = *x * by);
                }
                a.p.iter_mut().zip(&c.call.params).for_each(|(p, param)| *p = *p * factor(&param.name));
                let out = op.run(Form::On, &a).expect("every op has this form");
                out.unwrap_or_else(|e| panic!("{} {:?}: {e}", op.name, a.n))
            })
        };
        shapes.enumerate().map(one).sum()
    }
    let compared = of(&Routine::<f32>::native::<O>()) + of(&Routine::<f64>::native::<O>());
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
                super::refusals(&common::nn::Routine::native::<$Op>());
            }
            #[test]
            fn invariants() {
                super::invariants::<$Op>();
            }
        }
    )*};
}
common::for_each_nn_op!(ops);
