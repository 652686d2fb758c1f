//! Random numbers of lengths around every threshold, from places that no group starts at: whole, on threads, and one by
//! one from the words of the generator.

use crate::sizes::{POOLS, around, threshold};
use fulmen::parallel;
use fulmen::random::Stream;

/// Word `i` of a stream.
fn word(stream: Stream, i: u64) -> u32 {
    let at = stream.offset.wrapping_add(i);
    stream.generate_at(at / 4)[(at % 4) as usize]
}

#[test]
fn streams_are_the_same_in_one_part_and_in_many() {
    let most = 9 * threshold("random::stream::GRAIN") + 1;
    let mut lengths = around::<f32>(most);
    lengths.extend((1..=8).flat_map(|k| [0, 1, 2].map(|d| (k << 15) + d - 1)));
    lengths.push(most);
    for (turn, n) in lengths.into_iter().enumerate() {
        let stream = Stream::new(n as u64).with_id(3).skip(u64::MAX - 40 * turn as u64);
        let (mut bits, mut same) = (vec![7u32; n], vec![7u32; n]);
        fulmen::random_bits(stream, &mut bits);
        let pool = &POOLS[turn % 2];
        pool.install(|| parallel::random_bits(stream, &mut same));
        assert!(bits == same, "{n} words on threads");
        let (mut x, mut y) = (vec![f32::NAN; n], vec![f32::NAN; n]);
        fulmen::uniform(stream, &mut x);
        pool.install(|| parallel::uniform(stream, &mut y));
        assert!(x == y, "{n} uniform numbers on threads");
        let near = |i: usize| i % 997 == 0 || i < 70 || i + 70 > n || (i + 70) % (1 << 15) < 140;
        for i in (0..n).filter(|i| near(*i)) {
            let word = word(stream, i as u64);
            assert_eq!(bits[i], word, "{i} of {n}");
            assert_eq!(x[i], (word >> 8) as f32 / 16_777_216.0, "{i} of {n}");
        }
        let (mut x, mut y) = (vec![f64::NAN; n], vec![f64::NAN; n]);
        fulmen::normal(stream, 1.0, 2.0, &mut x).unwrap();
        pool.install(|| parallel::normal(stream, 1.0, 2.0, &mut y)).unwrap();
        assert!(x == y, "{n} normal numbers on threads");
        let part = n / 3;
        fulmen::normal(stream.skip(part as u64), 1.0, 2.0, &mut y[part..]).unwrap();
        assert!(x == y, "{n} normal numbers from {part} on");
    }
}

/// Box and Muller by the standard library: two numbers from words of `bits` bits, `f32` from 32 and `f64` from 64.
fn normal_pair(low: u64, high: u64, bits: u32) -> [f64; 2] {
    let (p, angle) = if bits == 32 { (22, low) } else { (51, high) };
    // How far from 0 in (0, 1], by all bits that there are, and the angle from the middle of its quarter turn.
    let u = if bits == 32 {
        let rest = (high & 0x1ff) << 8 | low >> 24;
        (high >> 9) as f64 * 2f64.powi(-23) + (rest as f64 + 0.5) * 2f64.powi(-40)
    } else {
        (low >> 12) as f64 * 2f64.powi(-52) + ((low & 0xfff) as f64 + 0.5) * 2f64.powi(-64)
    };
    let part = (angle & ((1 << p) - 1)) as f64 - ((1u64 << (p - 1)) as f64 - 0.5);
    let (sin, cos) = (part * std::f64::consts::FRAC_PI_2 * 2f64.powi(-p)).sin_cos();
    let r = (-2.0 * u.ln()).sqrt() * if angle >> (p + 1) & 1 == 1 { -1.0 } else { 1.0 };
    if angle >> p & 1 == 0 { [r * cos, r * sin] } else { [r * sin, r * cos] }
}

/// Far out, too: of so many numbers the largest is past 4.5.
#[test]
fn normal_numbers_are_those_of_their_words() {
    let (n, stream) = (1 << 20, Stream::new(11).skip(1 << 34));
    let (mut x, mut y) = (vec![f32::NAN; n], vec![f64::NAN; n]);
    fulmen::normal(stream, 0.0, 1.0, &mut x).unwrap();
    fulmen::normal(stream, 0.0, 1.0, &mut y).unwrap();
    let mut most = [0.0f64; 2];
    for i in (0..n).step_by(2) {
        let at = stream.offset + i as u64;
        let [a, b, c, d] = stream.generate_at(at / 4);
        let (low, high) = if at % 4 == 0 { (a, b) } else { (c, d) };
        let want = normal_pair(low.into(), high.into(), 32);
        let [a, b, c, d] = stream.generate_at(at / 2).map(u64::from);
        let wide = normal_pair(b << 32 | a, d << 32 | c, 64);
        for k in 0..2 {
            let (x, y) = (f64::from(x[i + k]), y[i + k]);
            assert!((x - want[k]).abs() < 4e-6 * (1.0 + want[k].abs()), "f32 {i}: {x}, {}", want[k]);
            assert!((y - wide[k]).abs() < 1e-13 * (1.0 + wide[k].abs()), "f64 {i}: {y}, {}", wide[k]);
            most = [most[0].max(x.abs()), most[1].max(y.abs())];
        }
    }
    assert!(most.iter().all(|x| *x > 4.5), "{most:?}");
}
