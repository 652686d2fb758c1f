//! Places of elements, and draws.

use super::coq::{Proof, Value};
use super::*;
use common::nn::sparse::pattern;
use fulmen::random::{Philox4x32, Stream};

/// Elements that are numbered from 1.
struct Numbered {
    rows: usize,
    cols: usize,
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Numbered {
    fn new(rows: usize, cols: usize, most: usize) -> Self {
        let (offsets, columns) = pattern(rows, cols, most, &mut Noise((rows * cols) as u64));
        let values = (1..=columns.len()).map(|x| x as f64).collect();
        Self { rows, cols, offsets, columns, values }
    }
    fn view(&self) -> Csr<'_, f64> {
        Csr::new(self.rows, self.cols, &self.offsets, &self.columns, &self.values).unwrap()
    }
    /// Row, column, place in the row and value.
    fn all(&self) -> impl Iterator<Item = (usize, usize, usize, f64)> + '_ {
        (0..self.rows).flat_map(move |i| {
            let (from, to) = (self.offsets[i], self.offsets[i + 1]);
            (from..to).map(move |e| (i, self.columns[e] as usize, e - from, self.values[e]))
        })
    }
}

const SHAPES: [(usize, usize, usize); 5] = [(1, 1, 1), (7, 9, 4), (33, 20, 11), (64, 64, 9), (50, 131, 30)];

/// The values of a format: each element once where the formula of the proof has it, and nothing else but zeros.
fn placed(values: &[f64], places: impl Iterator<Item = (usize, f64)>, len: usize) {
    let (mut n, mut seen) = (0, vec![false; values.len()]);
    for (at, value) in places {
        assert_eq!((values[at], seen[at]), (value, false), "at {at}");
        (seen[at], n) = (true, n + 1);
    }
    assert_eq!(n, len);
    assert_eq!(values.iter().filter(|x| **x != 0.0).count(), len);
}

#[test]
fn places_of_sparse_formats() {
    let proof = Proof::read("Formats.v");
    for (rows, cols, most) in SHAPES {
        let a = Numbered::new(rows, cols, most);
        let len = a.columns.len();
        for [r, c] in [[1, 1], [2, 3], [4, 4], [5, 2]] {
            let n = Bsr::blocks(a.view(), [r, c]).unwrap();
            let (mut offsets, mut columns) = (vec![0; rows.div_ceil(r) + 1], vec![0; n]);
            let mut values = vec![0.0; n * r * c];
            Bsr::from_csr(a.view(), [r, c], &mut offsets, &mut columns, &mut values).unwrap();
            let places = a.all().map(|(i, j, _, value)| {
                let (from, to) = (offsets[i / r], offsets[i / r + 1]);
                let k = from + columns[from..to].iter().position(|b| *b as usize == j / c).unwrap();
                (proof.number("bsr_place", &[r, c, k, j % c, i % r]), value)
            });
            placed(&values, places, len);
        }
        let mut offsets = vec![0; rows + cols];
        let n = Dia::diagonals(a.view(), &mut offsets).unwrap();
        let mut values = vec![0.0; n * rows];
        Dia::from_csr(a.view(), &offsets[..n], &mut values).unwrap();
        let places = a.all().map(|(i, j, _, value)| {
            let d = offsets[..n].binary_search(&(j as isize - i as isize)).unwrap();
            (proof.number("dia_place", &[rows, d, i]), value)
        });
        placed(&values, places, len);
        for (chunk, sigma) in [(1, 1), (4, 1), (16, 32), (5, 7)] {
            let mut order = vec![0; rows];
            Sell::<f64>::sort(a.view(), sigma, &mut order).unwrap();
            let stored = Sell::stored(a.view(), chunk, &order).unwrap();
            let (mut offsets, mut lengths) = (vec![0; rows.div_ceil(chunk) + 1], vec![0; rows]);
            let (mut columns, mut values) = (vec![0; stored], vec![0.0; stored]);
            let parts = (&mut offsets, &mut lengths, &mut columns, &mut values);
            Sell::from_csr(a.view(), chunk, sigma, &order, parts.0, parts.1, parts.2, parts.3).unwrap();
            // Chunks begin where the widths of those before end.
            let widths: Vec<usize> = order
                .chunks(chunk)
                .map(|rows| rows.iter().map(|i| lengths[*i as usize]).max().unwrap() as usize)
                .collect();
            let places = a.all().map(|(i, _, k, value)| {
                let p = order.iter().position(|row| *row as usize == i).unwrap();
                let from: usize = widths[..p / chunk].iter().map(|w| w * chunk).sum();
                (proof.number("sell_place_from", &[from, chunk, p, k]), value)
            });
            placed(&values, places, len);
        }
    }
}

/// Where the proof has element `e`: behind those of smaller keys, and those before it that have its own.
fn sorted_place(keys: &[u32], e: usize) -> usize {
    let smaller = keys.iter().filter(|key| **key < keys[e]).count();
    smaller + keys[..e].iter().filter(|key| **key == keys[e]).count()
}

#[test]
fn counting_sorts() {
    stated("Formats.v", "at_ (row_ptr (counts n keys)) c + count_occ Nat.eq_dec (firstn e keys) c.");
    for (rows, cols, most) in SHAPES {
        let a = Numbered::new(rows, cols, most);
        let n = a.columns.len();
        let (mut offsets, mut columns, mut values) = (vec![0; cols + 1], vec![0; n], vec![0.0; n]);
        csr_transpose(a.view(), &mut offsets, &mut columns, &mut values).unwrap();
        for (e, (i, j, _, value)) in a.all().enumerate() {
            let at = sorted_place(&a.columns, e);
            assert_eq!((columns[at] as usize, values[at]), (i, value));
            assert!((offsets[j]..offsets[j + 1]).contains(&at));
        }
        // Coordinates without two of one place: sorted by columns, and those by rows.
        let mut noise = Noise(3);
        let mut all: Vec<_> = a.all().map(|(i, j, _, value)| (i as u32, j as u32, value)).collect();
        for k in (1..all.len()).rev() {
            all.swap(k, noise.bits() as usize % (k + 1));
        }
        let i: Vec<u32> = all.iter().map(|x| x.0).collect();
        let j: Vec<u32> = all.iter().map(|x| x.1).collect();
        let x: Vec<f64> = all.iter().map(|x| x.2).collect();
        let mut offsets = vec![0; rows + 1];
        let mut workspace = vec![0; coo_to_csr_workspace(rows, cols, n)];
        let (columns, values) = (&mut columns[..], &mut values[..]);
        coo_to_csr(rows, cols, &i, &j, &x, &mut offsets, columns, values, &mut workspace).unwrap();
        let mut first = vec![0; n];
        (0..n).for_each(|e| first[sorted_place(&j, e)] = e);
        let keys: Vec<u32> = first.iter().map(|e| i[*e]).collect();
        for (e, of) in first.iter().enumerate() {
            let at = sorted_place(&keys, e);
            assert_eq!((columns[at], values[at]), (j[*of], x[*of]));
        }
    }
}

/// The rounds of the proof make the blocks of the code, and its inverse rounds undo them.
#[test]
fn rounds_of_philox() {
    let proof = Proof::read("Philox.v");
    let constant = |name: &str| match proof.of(name, &[]) {
        Value::Number(x) => x,
        Value::Block(_) => panic!("{name}"),
    };
    let mut noise = Noise(5);
    for case in 0..40 {
        let mut word = || if case == 0 { u32::MAX } else { (noise.bits() >> 16) as u32 };
        let (key, counter) = ([word(), word()], [word(), word(), word(), word()]);
        let keys: Vec<_> = (0..10)
            .map(|round| {
                let of = |k: u32, w| Value::Number((i128::from(k) + round * w) % constant("w32"));
                [of(key[0], constant("W0")), of(key[1], constant("W1"))]
            })
            .collect();
        let start = Value::Block(counter.map(i128::from));
        let end = keys.iter().fold(start, |b, [k, l]| proof.of("round", &[*k, *l, b]));
        assert_eq!(end.block(), Philox4x32::generate_at(key, counter).map(i128::from));
        let back = keys.iter().rev().fold(end, |b, [k, l]| proof.of("unround", &[*k, *l, b]));
        assert_eq!(back, start);
        // A stream is the blocks of its key.
        let stream = Stream {
            key: u64::from(key[0]) | u64::from(key[1]) << 32,
            id: counter[2],
            offset: 4 * u64::from(counter[0]),
        };
        let mut words = [0; 4];
        random_bits(stream, &mut words);
        assert_eq!(words, Philox4x32::generate_at(key, [counter[0], 0, counter[2], 0]));
    }
}

/// The first of some words that counts, as the proof has it: the value, or nothing.
fn draw(word: u128, m: u128, r: u128) -> Option<u128> {
    (m % r <= word * r % m).then_some(word * r / m)
}

/// Words of 64 bits of try `attempt` of number `at`; the first try has those of the block that it shares.
fn words(stream: Stream, at: u64, attempt: u32) -> Vec<u64> {
    let key = [stream.key as u32, (stream.key >> 32) as u32];
    let of = |block: u64, attempt| {
        Philox4x32::generate_at(key, [block as u32, (block >> 32) as u32, stream.id, attempt])
    };
    let pairs =
        |b: [u32; 4]| [[b[0], b[1]], [b[2], b[3]]].map(|[low, high]| u64::from(low) | u64::from(high) << 32);
    match attempt {
        0 => vec![pairs(of(at / 2, 0))[at as usize % 2]],
        _ => pairs(of(at, attempt)).to_vec(),
    }
}

fn drawn(stream: Stream, at: u64, r: u128) -> u64 {
    let mut all = (0..).flat_map(|attempt| words(stream, at, attempt));
    all.find_map(|word| draw(u128::from(word), 1 << 64, r)).unwrap() as u64
}

#[test]
fn draws_and_exchanges() {
    stated("Draws.v", "(w * r / m = n /\\ m mod r <= (w * r) mod m) <-> a <= w < a + m / r.");
    stated("Draws.v", "match n with O => x | S k => shuffle k t (swap k (t k) x) end.");
    let stream = Stream { key: 77, id: 3, offset: 5 };
    // Of a half and one, nearly every second word is drawn again.
    for r in [1u64, 2, 6, 1000, (1 << 31) + 1, (1 << 32) - 1] {
        let mut out = [0u32; 100];
        integers(stream, 10, 10 + (r as u32 - 1).min(u32::MAX - 10), &mut out).unwrap();
        let r = u128::from((r as u32 - 1).min(u32::MAX - 10)) + 1;
        for (at, x) in (stream.offset..).zip(out) {
            let key = [stream.key as u32, 0];
            let of =
                |block: u64, attempt| Philox4x32::generate_at(key, [block as u32, 0, stream.id, attempt]);
            let again = (1..).flat_map(|attempt| of(at, attempt));
            let mut all = [of(at / 4, 0)[at as usize % 4]].into_iter().chain(again);
            let n = all.find_map(|word| draw(u128::from(word), 1 << 32, r)).unwrap();
            assert_eq!(u128::from(x), n + 10, "{r} values");
        }
    }
    for r in [3u64, (1 << 63) + 1, u64::MAX] {
        let mut out = [0u64; 60];
        integers(stream, 0, r - 1, &mut out).unwrap();
        for (at, x) in (stream.offset..).zip(out) {
            assert_eq!(x, drawn(stream, at, u128::from(r)), "{r} values");
        }
    }
    for n in [0usize, 1, 2, 3, 10, 257, 600] {
        let mut out = vec![0; n];
        permutation(stream, &mut out);
        let mut x: Vec<usize> = (0..n).collect();
        for (i, k) in (1..n).rev().enumerate() {
            let t = drawn(stream, stream.offset + i as u64, k as u128 + 1) as usize;
            assert!(t <= k);
            x.swap(k, t);
        }
        assert_eq!(out, x);
    }
}
