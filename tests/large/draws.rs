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
