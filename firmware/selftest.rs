//! What each firmware image computes: a dot product, a softmax and a norm, compared with values
//! worked out beforehand in `f64`.

use crate::boot;
use core::fmt::{self, Write};

/// Elements per input: no multiple of any lane width, so the tail runs too.
const N: usize = 37;

struct Console;

impl Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        boot::print(text.as_bytes());
        Ok(())
    }
}

/// Prints one result and says whether it is within `tolerance` of `want`.
fn check(out: &mut Console, name: &str, got: f32, want: f32, tolerance: f32) -> bool {
    let want = if cfg!(feature = "planted") { want + 1.0 } else { want };
    let ok = (got - want).abs() <= tolerance;
    let verdict = if ok { "ok" } else { "WRONG" };
    let _ = writeln!(out, "{name} = {got}, want {want}: {verdict}");
    ok
}

fn compute(out: &mut Console) -> Result<bool, fulmen::Error> {
    let _ = writeln!(out, "native = {:?}", fulmen::NATIVE);
    // x[i] = i / 8 - 2, w[i] = 1/2: every product and sum is exact.
    let x: [f32; N] = core::array::from_fn(|i| i as f32 * 0.125 - 2.0);
    let w = [0.5f32; N];
    let mut y = [0.0f32; N];

    let mut ok = check(out, "dot", fulmen::dot(&x, &w)?, 4.625, 0.0);

    // exp(x[i]) / Σ exp(x)
    fulmen::softmax(&x, N, &mut y)?;
    ok &= check(out, "softmax[0]", y[0], 0.001_318_265_3, 1e-9);
    ok &= check(out, "softmax[36]", y[36], 0.118_666_46, 1e-7);
    ok &= check(out, "Σ softmax", fulmen::sum(&y), 1.0, 1e-6);

    // (x[i] - mean) / √(variance + 1e-5) · 1/2 + 1/2
    fulmen::layer_norm(&x, &w, &w, 1e-5, &mut y)?;
    ok &= check(out, "layer_norm[0]", y[0], -0.342_924_86, 1e-6);
    ok &= check(out, "layer_norm[18]", y[18], 0.5, 1e-6);

    // x[i] / √(Σ x² / n + 1e-5) · 1/2
    fulmen::rms_norm(&x, &w, 1e-5, &mut y)?;
    ok &= check(out, "rms_norm[36]", y[36], 0.920_572_1, 1e-6);
    Ok(ok)
}

/// The exit status: 0 when everything agrees, 1 when a value is wrong, 2 when an op refuses.
pub fn run() -> u8 {
    let mut out = Console;
    match compute(&mut out) {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(error) => {
            let _ = writeln!(out, "{error}");
            2
        }
    }
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    let _ = writeln!(Console, "{info}");
    boot::exit(101)
}
