//! The backend story of ops of shape `nn`: each on every lane and in parallel, against its reference, within the
//! tolerance of its contract.

use common::lanes::*;
use common::nn::{Form, Routine};
use common::shares::Shares;
use fulmen::Element;
use fulmen::lanes::Simd;

fn cell<T: Element>(shares: &mut Shares, op: &Routine<T>, form: Form) {
    let worst = op.worst(form);
    assert!(worst.is_some() || form != Form::On, "{} did not run", op.name);
    shares.add(op.name, T::NAME, worst);
}

fn column<S: Simd>(shares: &mut Shares, s: S, form: Form, title: &str) {
    shares.columns.push(format!("{}{title}", S::NAME));
    macro_rules! cells {
        ($($name:ident $Op:path $(, $more:ident)*;)*) => {$(
            cell(shares, &Routine::<f32>::of::<$Op>(s), form);
            cell(shares, &Routine::<f64>::of::<$Op>(s), form);
        )*};
    }
    common::for_each_nn_op!(cells);
}

#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
#[cfg_attr(not(target_arch = "wasm32"), test)]
fn every_op_on_every_lane() {
    let mut shares = Shares::default();
    let ran = for_each_lane!(|s| column(&mut shares, s, Form::On, ""));
    #[cfg(feature = "parallel")]
    column(&mut shares, fulmen::lanes::native(), Form::Parallel, "/par");
    shares.print(&ran, |shape| shape == "nn");
}
