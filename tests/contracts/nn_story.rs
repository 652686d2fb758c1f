//! The backend story of ops of shape `nn`: each on every lane and in parallel, against its reference, within the
//! tolerance of its contract.

use common::lanes::*;
use common::nn::{Form, Op, worst};
use common::shares::Shares;
use fulmen::Element;
use fulmen::lanes::Simd;

fn cell<S: Simd, T: Element, O: Op>(shares: &mut Shares, s: S, form: Form) {
    let worst = worst::<S, T, O>(s, form);
    assert!(worst.is_some() || form != Form::On, "{} did not run", O::NAME);
    shares.add(O::NAME, T::NAME, worst);
}

fn column<S: Simd>(shares: &mut Shares, s: S, form: Form, title: &str) {
    shares.columns.push(format!("{}{title}", S::NAME));
    macro_rules! cells {
        ($($name:ident $Op:path $(, $more:ident)*;)*) => {$(
            cell::<S, f32, $Op>(shares, s, form);
            cell::<S, f64, $Op>(shares, s, form);
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
