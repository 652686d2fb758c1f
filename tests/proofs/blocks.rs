//! Where the bits of quantised numbers stand.

use super::coq::{Proof, Value};
use super::*;
use fulmen::quant::*;

/// 1 as a number of 16 bits.
const ONE: [u8; 2] = [0x00, 0x3c];

/// The elements that differ from those of the bytes once these are changed.
fn changed<B: Block>(bytes: &[u8], change: impl Fn(&mut [u8])) -> Vec<(usize, f32)> {
    let all = |bytes: &[u8]| {
        let mut out = vec![0.0f32; B::ELEMENTS];
        dequantize(blocks::<B>(bytes).unwrap(), &mut out).unwrap();
        out
    };
    let mut other = bytes.to_vec();
    change(&mut other);
    let pairs = all(bytes).into_iter().zip(all(&other));
    pairs.enumerate().filter(|(_, (a, b))| a != b).map(|(e, (a, b))| (e, b - a)).collect()
}

/// The formula of the proof has each element at the place whose bit changes it, by this much.
fn places<B: Block>(proof: &Proof, name: &str, bytes: &[u8], by: f32, bit: impl Fn(usize) -> (usize, u8)) {
    for place in 0..B::ELEMENTS {
        let (byte, bit) = bit(place);
        match changed::<B>(bytes, |b| b[byte] ^= bit)[..] {
            [(e, change)] => assert_eq!((proof.number(name, &[e]), change), (place, by), "{name}"),
            ref all => panic!("{name}: {all:?} at {place}"),
        }
    }
}

#[test]
fn places_of_quantised_numbers() {
    let proof = Proof::read("Packing.v");
    let nibble = |from: usize| move |place: usize| (from + place / 2, 1 << (place % 2 * 4));
    // Scales of one before the numbers.
    let legacy = |len: usize| [&ONE[..], &vec![0; len - 2]].concat();
    places::<Q4_0>(&proof, "q4_0_place", &legacy(18), 1.0, nibble(2));
    places::<Q4_1>(&proof, "q4_0_place", &legacy(20), 1.0, nibble(4));
    places::<Q5_0>(&proof, "q4_0_place", &legacy(22), 1.0, nibble(6));
    places::<Q5_1>(&proof, "q4_0_place", &legacy(24), 1.0, nibble(8));
    let k = |len: usize| [&ONE[..], &[0, 0], &[1; 4], &[0; 4], &[1; 4], &vec![0; len - 16]].concat();
    places::<Q4_K>(&proof, "q4_k_place", &k(144), 1.0, nibble(16));
    places::<Q5_K>(&proof, "q4_k_place", &k(176), 1.0, nibble(48));
    places::<Q5_K>(&proof, "q5_k_bit_place", &k(176), 16.0, |place| (16 + place / 8, 1 << (place % 8)));
    let q6 = [&[0; 192], &[1; 16][..], &ONE].concat();
    places::<Q6_K>(&proof, "q6_k_low_place", &q6, 1.0, nibble(0));
    places::<Q6_K>(&proof, "q6_k_high_place", &q6, 16.0, |place| (128 + place / 4, 1 << (place % 4 * 2)));
    for scale in 0..16 {
        let of: Vec<_> = changed::<Q6_K>(&q6, |b| b[192 + scale] = 2).iter().map(|x| x.0).collect();
        assert_eq!(of, (0..256).filter(|e| proof.number("q6_k_scale", &[*e]) == scale).collect::<Vec<_>>());
    }
}

/// Scales and minima of 6 bits are read where the proof packs them.
#[test]
fn scales_of_six_bits() {
    let proof = Proof::read("Packing.v");
    let pack = |name: &str, a: u8, b: u8| {
        proof.number(name, &[usize::from(a), usize::from(b)]).try_into().expect("a byte")
    };
    let mut noise = Noise(1);
    for case in 0..200 {
        let [s, t, m, n] = core::array::from_fn(|_| if case == 0 { 63 } else { noise.bits() as u8 % 64 });
        for i in 0..4 {
            // Every number is 1, so an element is its scale less its minimum.
            let mut bytes = [&ONE[..], &ONE, &[0; 12], &[0x11; 128]].concat();
            bytes[4 + i] = pack("pack_low", s, t);
            bytes[8 + i] = pack("pack_low", m, n);
            bytes[12 + i] = pack("pack_high", t, n);
            let mut out = [0.0f32; 256];
            dequantize(blocks::<Q4_K>(&bytes).unwrap(), &mut out).unwrap();
            let of = |scale: u8, least: u8| f32::from(scale) - f32::from(least);
            for (group, x) in out.chunks(32).enumerate() {
                let want = match group {
                    g if g == i => of(s, m),
                    g if g == i + 4 => of(t, n),
                    _ => 0.0,
                };
                assert!(x.iter().all(|x| *x == want), "group {group} of scale {i}: {s} {t} {m} {n}");
            }
        }
    }
    assert_eq!(proof.of("pack_low", &[5, 48].map(Value::Number)), Value::Number(5 + 192));
}
