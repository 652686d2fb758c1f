//! Data that rounding errors are large for: graded, close about a number, large and small. Each op that takes any numbers is
//! within its contract on them; the worst of each kind is noted.

use super::*;
use common::Errors;

/// Ops whose inputs are results of others, or indices, or belong to each other: with other numbers they are not what the
/// contract is about. Those of linear algebra have matrices of their own in `solve.rs`.
const BOUND: &[&str] = &["u8_to_float", "i16_to_float", "determinant", "attention_backward"];

/// What becomes of the numbers of an input.
const KINDS: [&str; 4] = ["graded", "clustered", "large", "small"];

fn twisted<T: Element>(kind: &str, x: &mut [T]) {
    let most = x.iter().fold(T::ONE, |most, x| if x.to_f64().abs() > most.to_f64() { *x } else { most });
    for (i, x) in x.iter_mut().enumerate() {
        let by = |e: i32| T::from_f64(2f64.powi(e));
        *x = match kind {
            "graded" => *x * by(-((i * 5 % 23) as i32)),
            "clustered" => most + *x * by(-8),
            "large" => *x * by(25),
            _ => *x * by(-25),
        };
    }
}

fn check<T: Element>(op: &Routine<T>, wrong: &mut Vec<String>) {
    if op.refuses_nan || op.starts.is_some() || BOUND.contains(&op.name) {
        return;
    }
    let bounds = Bounds::of::<T>(op.name);
    for kind in KINDS {
        let mut errors = Errors::of(op.name, T::NAME, op.lane);
        for [rows, cols] in [[1, 3], [3, 7], [2, 17], [2, 65], [1, 300]] {
            let mut a = (op.sample)(rows, cols, &mut Noise(cols as u64));
            a.x.iter_mut()
                .enumerate()
                .filter(|(k, _)| op.ids != Some(*k))
                .for_each(|(_, x)| twisted(kind, x));
            let a = a.with_ids_of(op.ids);
            // What is out of the domain is refused.
            let Some(Ok(out)) = op.run(Form::On, &a) else { continue };
            for (y, w) in out.iter().flatten().zip((op.want)(&a.wide()).iter().flatten()) {
                let [value, mass] = [w.value, w.mass].map(|x| T::from_f64(x).to_f64());
                if value.is_finite() && mass.is_finite() {
                    errors.see((y.to_f64() - w.value).abs(), bounds.allowed::<T>(w), w.n);
                }
            }
        }
        if errors.share() > 1.0 {
            wrong.push(format!(
                "{} {} {kind} on {}: {:.2} of the bound",
                op.name,
                T::NAME,
                op.lane,
                errors.share()
            ));
        }
    }
}

#[test]
fn hard_data_is_within_the_contracts() {
    let mut wrong = vec![];
    macro_rules! all {
        ($($name:ident $Op:path $(, $more:ident)*;)*) => {$(
            check(&Routine::<f32>::native::<$Op>(), &mut wrong);
            check(&Routine::<f64>::native::<$Op>(), &mut wrong);
        )*};
    }
    common::for_each_nn_op!(all);
    assert!(wrong.is_empty(), "{wrong:#?}");
}
