//! What each firmware image computes: a dot product, a softmax, a norm, a layer of quantised weights and one of fixed point, compared with
//! values worked out beforehand in `f64`; and what is in `signals.rs` and `systems.rs`.

#[path = "signals.rs"]
mod signals;
#[path = "systems.rs"]
mod systems;

use crate::boot;
use core::fmt::{self, Write};

/// Elements per input: no multiple of any lane width, so the tail runs too.
const N: usize = 37;

/// What [`layer`] gives.
const WANT: [f32; 4] = [1369.75, -146.0, -90.5, 1390.0];

pub(crate) struct Console;

impl Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        boot::print(text.as_bytes());
        Ok(())
    }
}

/// Its last byte is what is added to every value that is expected. `scripts/profile.py` writes a 1 there, and the image must fail.
static PLANTED: [u8; 17] = *b"wanted values + 0";

/// Prints one result and says whether it is within `tolerance` of `want`.
pub(crate) fn check(out: &mut Console, name: &str, got: f32, want: f32, tolerance: f32) -> bool {
    // SAFETY: a byte of a static.
    let last = unsafe { (&raw const PLANTED[PLANTED.len() - 1]).read_volatile() };
    let want = want + f32::from(last - b'0');
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
    ok &= layer(out)?;
    ok &= fixed_layer(out)?;
    ok &= signals::compute(out)?;
    ok &= systems::compute(out)?;
    Ok(ok)
}

/// A layer of weights in flash as a model file has them: 4 rows of 64 in `q4_0`, whose scales are 1/4, 1/2, 1/4, … and
/// whose codes are the bytes of a counter. The activations are whole numbers up to 127, which `q8_0` holds exactly.
fn layer(out: &mut Console) -> Result<bool, fulmen::Error> {
    const FLASH: [u8; 4 * 2 * 18] = {
        let (mut bytes, mut i) = ([0; 4 * 2 * 18], 0);
        while i < bytes.len() {
            bytes[i] = match i % 18 {
                0 => 0,
                1 => [0x34, 0x38][i / 18 % 2],
                _ => (i * 7) as u8,
            };
            i += 1;
        }
        bytes
    };
    let weights = fulmen::quant::blocks::<fulmen::quant::Q4_0>(&FLASH)?;
    let x: [f32; 64] = core::array::from_fn(|i| (i * 37 % 255) as f32 - 127.0);
    let x = x.map(|x| if x == -127.0 { 127.0 } else { x });
    let (mut room, mut y) = ([0.0; 17], [0.0; 4]);
    let quantised = fulmen::quant::blocks_in(&mut room);
    fulmen::quantize(&x, None, quantised)?;
    fulmen::quant_gemv(weights, quantised, &mut y)?;
    let mut ok = true;
    for (y, want) in y.into_iter().zip(WANT) {
        ok &= check(out, "q4_0 layer", y, want, 1e-2);
    }
    Ok(ok)
}

/// A layer of Q7 weights in flash, 4 rows of 50, its activations and the softmax of its whole numbers: worked out in integers.
fn fixed_layer(out: &mut Console) -> Result<bool, fulmen::Error> {
    const FLASH: [i8; 4 * 50] = {
        let (mut w, mut i) = ([0; 4 * 50], 0);
        while i < w.len() {
            w[i] = (i * 53 % 256) as u8 as i8 ^ -128;
            i += 1;
        }
        w
    };
    let x: [i8; 50] = core::array::from_fn(|i| (i * 37 % 256) as u8 as i8 ^ -128);
    let (mut y, mut z) = ([0; 4], [0; 4]);
    fulmen::fixed_gemv(&FLASH, &x, Some(&[-100, 50, 3, -7]), 7, 10, &mut y)?;
    let mut ok = true;
    let mut all = |name: &str, got: [i8; 4], want: [i8; 4]| {
        for (got, want) in got.into_iter().zip(want) {
            ok &= check(out, name, got.into(), want.into(), 0.0);
        }
    };
    all("q7 layer", y, [7, 30, 13, 14]);
    fulmen::fixed_sigmoid(&y, 3, &mut z)?;
    all("q7 sigmoid", z, [78, 111, 89, 90]);
    fulmen::fixed_tanh(&y, 3, &mut z)?;
    all("q7 tanh", z, [53, 122, 86, 90]);
    fulmen::fixed_relu(&y.map(|y| y - 13), &mut z)?;
    all("q7 relu", z, [0, 17, 0, 1]);
    fulmen::fixed_softmax(&y.map(|y| y >> 3), 4, &mut z)?;
    all("q7 softmax", z, [14, 113, 28, 28]);
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
