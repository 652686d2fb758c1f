//! What each firmware image computes on signals: a transform whose roots of unity are in flash, filters that a block of
//! samples goes through, and random numbers by their place.

use super::{Console, check};
use fulmen::random::{Philox4x32, Stream};
use fulmen::{
    Biquad, Complex, Direction, Error, Fft, fft_in_place, fft_plan_len, fft_table_f32, fft_workspace,
};

/// Points of the transform.
const POINTS: usize = 1024;

/// The roots of unity, made when the image was compiled.
static ROOTS: [f32; fft_plan_len(POINTS)] = fft_table_f32(POINTS);

/// The transform of small whole numbers: some of its results, worked out in `f64`, and back.
fn spectrum(out: &mut Console) -> Result<bool, Error> {
    const WANT: [(usize, f32, f32); 6] = [
        (0, -60.0, -81.0),
        (1, -55.375_7, -83.930_716),
        (511, 34.541_33, -260.376_72),
        (512, 44.0, -267.0),
        (777, -16.584_104, -98.595_51),
        (1023, -64.888_824, -79.457_445),
    ];
    let part = |i: usize, by: usize, period: usize, half: f32| (i * by % period) as f32 - half;
    let signal = |i: usize| Complex::new(part(i, 37, 101, 50.0), part(i, 53, 97, 48.0));
    let mut x: [Complex<f32>; POINTS] = core::array::from_fn(signal);
    let mut workspace = [Complex::ZERO; fft_workspace(POINTS)];
    let plan = Fft::of(POINTS, &ROOTS)?;
    fft_in_place(&plan, Direction::Forward, &mut x, &mut workspace)?;
    let mut ok = true;
    for (j, re, im) in WANT {
        let y = x.get(j).copied().unwrap_or_default();
        ok &= check(out, "fft, real part", y.re, re, 5e-3);
        ok &= check(out, "fft, imaginary part", y.im, im, 5e-3);
    }
    fft_in_place(&plan, Direction::Inverse, &mut x, &mut workspace)?;
    let far = x.iter().enumerate().map(|(i, x)| (*x - signal(i)).norm_sqr()).fold(0.0, f32::max);
    Ok(ok & check(out, "fft and back, the largest square of an error", far, 0.0, 1e-8))
}

/// Two sections and five taps, in blocks as samples come.
fn filters(out: &mut Console) -> Result<bool, Error> {
    const SECTIONS: [Biquad<f32>; 2] = [
        Biquad { b: [0.0625, 0.125, 0.0625], a: [-1.25, 0.5] },
        Biquad { b: [0.25, 0.5, 0.25], a: [-0.5, 0.25] },
    ];
    let step: [f32; 64] = core::array::from_fn(|i| if i < 40 { 1.0 } else { -0.5 });
    let (mut y, mut state) = ([0.0; 64], [0.0; 4]);
    for (x, y) in step.chunks(24).zip(y.chunks_mut(24)) {
        fulmen::biquad(&SECTIONS, &mut state, x, y)?;
    }
    let mut ok = true;
    for (i, want) in [(0, 0.015_625), (5, 1.311_935_4), (39, 1.333_331_2), (63, -0.667_382_9)] {
        ok &= check(out, "biquad", y.get(i).copied().unwrap_or(f32::NAN), want, 1e-6);
    }
    // Whole numbers: exact.
    let x: [f32; 60] = core::array::from_fn(|i| (i * 7 % 23) as f32 - 11.0);
    let (mut y, mut state) = ([0.0; 20], [0.0; 4]);
    for (x, y) in x.chunks(21).zip(y.chunks_mut(7)) {
        fulmen::fir(&[1.0, -2.0, 3.0, -4.0, 5.0], 3, &mut state, x, y)?;
    }
    for (l, want) in [(0, -11.0), (1, 36.0), (19, -1.0)] {
        ok &= check(out, "fir, one of three", y.get(l).copied().unwrap_or(f32::NAN), want, 0.0);
    }
    Ok(ok)
}

/// The same in Q15: every bit is known.
fn fixed_filters(out: &mut Console) -> Result<bool, Error> {
    const SECTIONS: [Biquad<i16>; 2] = [
        Biquad { b: [1024, 2048, 1024], a: [-20480, 8192] },
        Biquad { b: [2048, 4096, 2048], a: [-8192, 4096] },
    ];
    let step: [i16; 48] = core::array::from_fn(|i| if i < 30 { 20_000 } else { -10_000 });
    let (mut y, mut state) = ([0; 48], [0; 8]);
    for (x, y) in step.chunks(20).zip(y.chunks_mut(20)) {
        fulmen::fixed_biquad(&SECTIONS, 1, &mut state, x, y)?;
    }
    let mut ok = true;
    for (i, want) in [(0, 156), (5, 13_118), (29, 13_332), (37, -9029), (47, -6627)] {
        ok &= check(out, "fixed_biquad", y.get(i).copied().unwrap_or(i16::MAX).into(), want as f32, 0.0);
    }
    let x: [i16; 40] = core::array::from_fn(|i| (i * 7919) as u16 as i16);
    let (mut y, mut state) = ([0; 20], [0; 4]);
    for (x, y) in x.chunks(14).zip(y.chunks_mut(7)) {
        fulmen::fixed_fir(&[8192, -16_384, 24_576, -32_768, 12_345], 2, &mut state, x, y)?;
    }
    for (l, want) in [(2, 0), (3, 14_431), (8, 29_132), (19, -17_260)] {
        ok &= check(
            out,
            "fixed_fir, one of two",
            y.get(l).copied().unwrap_or(i16::MAX).into(),
            want as f32,
            0.0,
        );
    }
    Ok(ok)
}

/// A published answer of Philox4x32-10, and words on both sides of block 2³². `f32` holds the upper 24 bits.
fn draws(out: &mut Console) -> bool {
    let published = Philox4x32::generate_at(
        [0xa409_3822, 0x299f_31d0],
        [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
    );
    let want = [0xd1_6cfe, 0x94_fdcc, 0x50_01e4, 0x24_126e];
    let mut words = [0; 8];
    fulmen::random_bits(Stream::new(7).skip(4 * ((1 << 32) - 1)), &mut words);
    let far = [0xca_2833, 0x1d_4517, 0x0b_d284, 0x60_baee, 0x2e_c4f5, 0x24_9ef5, 0xf6_81ec, 0x80_7a66];
    let mut ok = true;
    for (word, want) in published.iter().chain(&words).zip(want.iter().chain(&far)) {
        ok &= check(out, "philox", (word >> 8) as f32, *want as f32, 0.0);
    }
    ok
}

pub fn compute(out: &mut Console) -> Result<bool, Error> {
    Ok(spectrum(out)? & filters(out)? & fixed_filters(out)? & draws(out))
}
