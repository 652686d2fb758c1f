//! Formats of few bits that the library does not multiply with: their blocks become numbers when a model is read.
//!
//! The layouts, and the grids in `grids.bin` (`tests/golden/blocks.py`), are those of the `gguf` package and of ggml.

use super::half;

/// Four bits of `iq4_xs`.
const LEVELS: [i8; 16] = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];
/// Twice the numbers of E2M1.
const E2M1: [i8; 16] = [0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12];

/// A table of points: where its codes begin in the file, the bits of a code, the codes of a point and what each stands for.
struct Grid {
    start: usize,
    bits: usize,
    width: usize,
    levels: &'static [i8],
}

const TWOS: &[i8] = &[0x08, 0x19, 0x2b];
const THREES: &[i8] = &[0x04, 0x0c, 0x14, 0x1c, 0x24, 0x2c, 0x34, 0x3e];
const ODD: &[i8] = &[1, 3, 5, 7, 9, 11, 13, 15];
const IQ2_XXS: Grid = Grid { start: 0, bits: 2, width: 8, levels: TWOS };
const IQ2_XS: Grid = Grid { start: 512, bits: 2, width: 8, levels: TWOS };
const IQ2_S: Grid = Grid { start: 1536, bits: 2, width: 8, levels: TWOS };
const IQ3_XXS: Grid = Grid { start: 3584, bits: 4, width: 4, levels: THREES };
const IQ3_S: Grid = Grid { start: 4096, bits: 4, width: 4, levels: ODD };
const IQ1: Grid = Grid { start: 5120, bits: 2, width: 8, levels: &[-1, 0, 1] };
const GRIDS: &[u8] = include_bytes!("grids.bin");

impl Grid {
    /// The numbers of a point.
    fn point(&self, point: usize) -> impl Iterator<Item = f32> {
        let first = point * self.width;
        (first..first + self.width).map(|i| {
            let per = 8 / self.bits;
            let byte = GRIDS.get(self.start + i / per).copied().unwrap_or(0);
            let code = usize::from(byte) >> (self.bits * (i % per)) & ((1 << self.bits) - 1);
            self.levels.get(code).copied().map_or(0.0, f32::from)
        })
    }
    /// Eight numbers of the points, whose signs are the bits of a byte, times `by`.
    fn signed(&self, points: &[usize], signs: usize, by: f32, to: &mut [f32]) {
        for (i, (to, x)) in to.iter_mut().zip(points.iter().flat_map(|p| self.point(*p))).enumerate() {
            *to = if signs >> i & 1 == 0 { by * x } else { -(by * x) };
        }
    }
}

/// Seven signs, and an eighth that makes the number of minuses even.
fn even(signs: usize) -> usize {
    let signs = signs & 127;
    signs | (signs.count_ones() as usize & 1) << 7
}

/// The half, the words and the four bits at a place.
fn half_at(b: &[u8], at: usize) -> f32 {
    half(word(b, at) as u16)
}
fn word(b: &[u8], at: usize) -> usize {
    usize::from(b[at]) | usize::from(b[at + 1]) << 8
}
fn long(b: &[u8], at: usize) -> usize {
    word(b, at) | word(b, at + 2) << 16
}
fn nibble(b: &[u8], i: usize) -> usize {
    usize::from(b[i / 2]) >> (4 * (i % 2)) & 15
}

/// What writes the numbers of a block.
type Reader = fn(&[u8], &mut [f32]);

/// The reader of the format with that number.
pub fn reader(kind: u32) -> Option<Reader> {
    Some(match kind {
        16 => iq2_xxs,
        17 => iq2_xs,
        18 => iq3_xxs,
        19 => iq1_s,
        21 => iq3_s,
        22 => iq2_s,
        23 => iq4_xs,
        29 => iq1_m,
        34 => tq1_0,
        35 => tq2_0,
        40 => nvfp4,
        _ => return None,
    })
}

fn iq4_xs(b: &[u8], to: &mut [f32]) {
    let (d, high) = (half_at(b, 0), word(b, 2));
    for (g, to) in to.chunks_exact_mut(32).enumerate() {
        let scale = nibble(&b[4..], g) | (high >> (2 * g) & 3) << 4;
        let d = d * (scale as f32 - 32.0);
        for j in 0..16 {
            let q = b[8 + 16 * g + j];
            to[j] = d * f32::from(LEVELS[usize::from(q & 15)]);
            to[16 + j] = d * f32::from(LEVELS[usize::from(q >> 4)]);
        }
    }
}

/// Five digits of base 3 in a byte, as a fraction of 256.
fn tq1_0(b: &[u8], to: &mut [f32]) {
    let (d, mut at) = (half_at(b, 52), 0);
    for (bytes, digits) in [(&b[..32], 5), (&b[32..48], 5), (&b[48..52], 4)] {
        let mut power = 1u8;
        for _ in 0..digits {
            for q in bytes {
                to[at] = d * (f32::from((u16::from(q.wrapping_mul(power)) * 3) >> 8) - 1.0);
                at += 1;
            }
            power = power.wrapping_mul(3);
        }
    }
}

fn tq2_0(b: &[u8], to: &mut [f32]) {
    let d = half_at(b, 64);
    for (i, to) in to.iter_mut().enumerate() {
        let q = b[32 * (i / 128) + i % 32] >> (2 * (i % 128 / 32)) & 3;
        *to = d * (f32::from(q) - 1.0);
    }
}

fn nvfp4(b: &[u8], to: &mut [f32]) {
    for (s, to) in to.chunks_exact_mut(16).enumerate() {
        let (e, m) = (i32::from(b[s] >> 3 & 15), f32::from(b[s] & 7));
        let d = match b[s] {
            0x7f => 0.0,
            _ if e == 0 => m / 512.0,
            // A power of two by its exponent.
            _ => (1.0 + m / 8.0) * f32::from_bits(((e - 7 + 127) as u32) << 23),
        };
        for j in 0..8 {
            let q = b[4 + 8 * s + j];
            to[j] = d * 0.5 * f32::from(E2M1[usize::from(q & 15)]);
            to[8 + j] = d * 0.5 * f32::from(E2M1[usize::from(q >> 4)]);
        }
    }
}

fn iq2_xxs(b: &[u8], to: &mut [f32]) {
    let d = half_at(b, 0);
    for (i, to) in to.chunks_exact_mut(8).enumerate() {
        let (at, k) = (2 + 8 * (i / 4), i % 4);
        let aux = long(b, at + 4);
        let by = d * (0.5 + (aux >> 28) as f32) * 0.25;
        IQ2_XXS.signed(&[usize::from(b[at + k])], even(aux >> (7 * k)), by, to);
    }
}

fn iq2_xs(b: &[u8], to: &mut [f32]) {
    let d = half_at(b, 0);
    for (i, to) in to.chunks_exact_mut(8).enumerate() {
        let q = word(b, 2 + 2 * i);
        let by = d * (0.5 + nibble(&b[66..], i / 2) as f32) * 0.25;
        IQ2_XS.signed(&[q & 511], even(q >> 9), by, to);
    }
}

fn iq2_s(b: &[u8], to: &mut [f32]) {
    let d = half_at(b, 0);
    for (i, to) in to.chunks_exact_mut(8).enumerate() {
        let point = usize::from(b[2 + i]) | (usize::from(b[66 + i / 4]) >> (2 * (i % 4)) & 3) << 8;
        let by = d * (0.5 + nibble(&b[74..], i / 2) as f32) * 0.25;
        IQ2_S.signed(&[point], usize::from(b[34 + i]), by, to);
    }
}

fn iq3_xxs(b: &[u8], to: &mut [f32]) {
    let d = half_at(b, 0);
    for (i, to) in to.chunks_exact_mut(8).enumerate() {
        let aux = long(b, 66 + 4 * (i / 4));
        let by = d * (0.5 + (aux >> 28) as f32) * 0.5;
        let points = [b[2 + 2 * i], b[3 + 2 * i]].map(usize::from);
        IQ3_XXS.signed(&points, even(aux >> (7 * (i % 4))), by, to);
    }
}

fn iq3_s(b: &[u8], to: &mut [f32]) {
    let d = half_at(b, 0);
    for (i, to) in to.chunks_exact_mut(8).enumerate() {
        let point = |e: usize| usize::from(b[2 + e]) | (usize::from(b[66 + e / 8]) >> (e % 8) & 1) << 8;
        let by = d * (1 + 2 * nibble(&b[106..], i / 4)) as f32;
        IQ3_S.signed(&[point(2 * i), point(2 * i + 1)], usize::from(b[74 + i]), by, to);
    }
}

/// Eight numbers of a point, moved by an eighth, times `by`.
fn moved(point: usize, down: bool, by: f32, to: &mut [f32]) {
    let delta = if down { -0.125 } else { 0.125 };
    to.iter_mut().zip(IQ1.point(point)).for_each(|(to, x)| *to = by * (x + delta));
}

fn iq1_s(b: &[u8], to: &mut [f32]) {
    let d = half_at(b, 0);
    for (i, to) in to.chunks_exact_mut(8).enumerate() {
        let high = word(b, 34 + 2 * (i / 4));
        let by = d * (2 * (high >> 12 & 7) + 1) as f32;
        let point = usize::from(b[2 + i]) | (high >> (3 * (i % 4)) & 7) << 8;
        moved(point, high & 0x8000 != 0, by, to);
    }
}

fn iq1_m(b: &[u8], to: &mut [f32]) {
    // The scale's bits are in the highest of four words.
    let scale = |i: usize| word(b, 48 + 2 * i);
    let bits = (0..4).fold(0, |bits, i| bits | scale(i) >> 12 << (4 * i));
    let d = half(bits as u16);
    for (i, to) in to.chunks_exact_mut(8).enumerate() {
        let high = nibble(&b[32..], i);
        let by = d * (2 * (scale(i / 8) >> (3 * (i / 2 % 4)) & 7) + 1) as f32;
        moved(usize::from(b[i]) | (high & 7) << 8, high & 8 != 0, by, to);
    }
}
