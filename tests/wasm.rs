//! The build's own lanes inside a WASM engine.
#![cfg(target_arch = "wasm32")]

use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn relu_on_every_length() {
    for n in 0..20 {
        let x: Vec<f32> = (0..n).map(|i| i as f32 - 7.5).collect();
        let mut y = vec![f32::NAN; n];
        fulmen::relu(&x, &mut y).unwrap();
        let want: Vec<f32> = x.iter().map(|x| x.max(0.0)).collect();
        assert_eq!(y, want);
    }
}
