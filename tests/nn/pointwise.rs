//! Gradients of one-input ops: `op(a, b)` is the slope of the forward op at `x`, times `b`; `a` is `x`, or the value there.

macro_rules! slope {
    ($($name:ident $forward:ident($($p:expr),*) $of_value:literal;)*) => {$(
        mod $name {
            #[test]
            fn gradient() {
                let forward = |x: f64| {
                    let mut y = [0.0];
                    fulmen::$forward(&[x], $($p,)* &mut y).unwrap();
                    y[0]
                };
                for i in -40..=40 {
                    // Not at 0, where some have a corner.
                    let x = f64::from(i) / 7.0 + 0.05;
                    let a = if $of_value { forward(x) } else { x };
                    let (mut got, h) = ([0.0], 1e-3);
                    fulmen::$name(&[a], &[1.5], $($p,)* &mut got).unwrap();
                    let near = 8.0 * (forward(x + h) - forward(x - h));
                    let slope = 1.5 * (near - (forward(x + 2.0 * h) - forward(x - 2.0 * h))) / (12.0 * h);
                    assert!((got[0] - slope).abs() < 1e-9, "at {x}: {}, slope {slope}", got[0]);
                }
            }
        }
    )*};
}
slope! {
    relu_backward relu() false;
    leaky_relu_backward leaky_relu(0.25) false;
    sigmoid_backward sigmoid() true;
    tanh_backward tanh() true;
    silu_backward silu() false;
    gelu_backward gelu() false;
}
