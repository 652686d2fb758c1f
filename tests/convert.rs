//! Conversions against the `half` crate, an independent implementation: every half, and one `f32` in
//! 251 with all values around each rounding boundary.
#![cfg(feature = "half")]

use half::{bf16, f16};

/// NaN compares by being NaN with the same sign; everything else by its bits.
fn same16(a: u16, b: u16, exponent: u16) -> bool {
    let nan = |x: u16| x & 0x7fff > exponent;
    if nan(a) || nan(b) { nan(a) && nan(b) && (a ^ b) & 0x8000 == 0 } else { a == b }
}

#[test]
fn widening_is_exact_for_every_half() {
    let all: Vec<u16> = (0..=u16::MAX).collect();
    let mut out = vec![0.0f32; all.len()];
    let x: Vec<f16> = all.iter().map(|&b| f16::from_bits(b)).collect();
    fulmen::f16_to_f32(&x, &mut out).unwrap();
    for (x, o) in x.iter().zip(&out) {
        let want = x.to_f32();
        assert!(want.to_bits() == o.to_bits() || (want.is_nan() && o.is_nan()), "{x:?} gave {o}");
        assert_eq!(x.is_sign_negative(), o.is_sign_negative());
    }
    let x: Vec<bf16> = all.iter().map(|&b| bf16::from_bits(b)).collect();
    fulmen::bf16_to_f32(&x, &mut out).unwrap();
    for (x, o) in x.iter().zip(&out) {
        let want = x.to_f32();
        assert!(want.to_bits() == o.to_bits() || (want.is_nan() && o.is_nan()), "{x:?} gave {o}");
        assert_eq!(x.is_sign_negative(), o.is_sign_negative());
    }
}

#[test]
fn narrowing_rounds_to_nearest_even() {
    let strided = (0..u32::MAX / 1009).map(|i| i * 1009);
    // Halfway points between neighbours of either format, and one bit to each side.
    let halves = (0..=u16::MAX).flat_map(|h| {
        let f = f16::from_bits(h).to_f32().to_bits();
        let b = u32::from(h) << 16;
        [
            f.wrapping_add(0x1000),
            f.wrapping_add(0xfff),
            f.wrapping_add(0x1001),
            b + 0x8000,
            b + 0x7fff,
            b + 0x8001,
        ]
    });
    let x: Vec<f32> = strided.chain(halves).map(f32::from_bits).collect();
    let mut h = vec![f16::ZERO; x.len()];
    let mut b = vec![bf16::ZERO; x.len()];
    fulmen::f32_to_f16(&x, &mut h).unwrap();
    fulmen::f32_to_bf16(&x, &mut b).unwrap();
    let mut errors =
        [("f32_to_f16", "f16"), ("f32_to_bf16", "bf16")].map(|(op, ty)| common::Errors::of(op, ty, "all"));
    // In ulp: the distance of a result to its neighbours is that of its last bit.
    let ulp = |x: f32, y: f32, next: f32| f64::from((x - y).abs()) / f64::from((next - y).abs());
    for ((&x, h), b) in x.iter().zip(&h).zip(&b) {
        let [near, next] = [h.to_bits(), h.to_bits() ^ 1].map(|x| f16::from_bits(x).to_f32());
        errors[0].see(ulp(x, near, next), 0.5, 1);
        let [near, next] = [b.to_bits(), b.to_bits() ^ 1].map(|x| bf16::from_bits(x).to_f32());
        errors[1].see(ulp(x, near, next), 0.5, 1);
        assert!(same16(h.to_bits(), f16::from_f32(x).to_bits(), 0x7c00), "{x:e} gave {h:?}");
        assert!(same16(b.to_bits(), bf16::from_f32(x).to_bits(), 0x7f80), "{x:e} gave {b:?}");
    }
}

#[test]
fn unequal_lengths_are_refused() {
    let mut out = [f16::ONE; 2];
    let error = fulmen::Error::len("out", 1, 2);
    assert_eq!(fulmen::f32_to_f16(&[2.0], &mut out), Err(error));
    assert_eq!(out, [f16::ONE; 2]);
}
