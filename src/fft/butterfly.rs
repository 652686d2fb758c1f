//! Radix butterflies: discrete Fourier transforms of a few points in registers. Real and imaginary parts are in
//! separate registers, so that a multiplication by `±i` costs nothing.

use crate::alu::Alu;
use crate::lanes::from_fn;

/// Real and imaginary parts.
pub(crate) type Pair<V> = [V; 2];

/// `y[j] = Σ x[k]·e^(-2πi·jk/R)`: each point is loaded once, and then each result stored once.
pub(crate) trait Radix<const R: usize> {
    fn dft<V: Alu>(load: impl Fn(usize) -> Pair<V>, store: impl FnMut(usize, Pair<V>));
}

/// What has a [`Radix`].
pub(crate) struct Dft;

#[inline(always)]
fn add<V: Alu>([a, b]: Pair<V>, [c, d]: Pair<V>) -> Pair<V> {
    [a + c, b + d]
}

#[inline(always)]
fn sub<V: Alu>([a, b]: Pair<V>, [c, d]: Pair<V>) -> Pair<V> {
    [a - c, b - d]
}

/// Times `-i`.
#[inline(always)]
fn turned<V: Alu>([a, b]: Pair<V>) -> Pair<V> {
    [b, -a]
}

/// `x·w`.
#[inline(always)]
pub(crate) fn mul<V: Alu>([a, b]: Pair<V>, [c, d]: Pair<V>) -> Pair<V> {
    [a.mul_add(c, -(b * d)), a.mul_add(d, b * c)]
}

/// `a ∓ i·b`.
#[inline(always)]
fn across<V: Alu>([a, b]: Pair<V>, [c, d]: Pair<V>) -> [Pair<V>; 2] {
    [[a + d, b - c], [a - d, b + c]]
}

/// `x·(c - i·s)`, of constants.
#[inline(always)]
fn by<V: Alu>(x: Pair<V>, c: f64, s: f64) -> Pair<V> {
    let v = x[0];
    mul(x, [v.c(c), v.c(-s)])
}

/// `x·e^(-iπ/4)`.
#[inline(always)]
fn eighth<V: Alu>([a, b]: Pair<V>) -> Pair<V> {
    let h = a.c(core::f64::consts::FRAC_1_SQRT_2);
    [(a + b) * h, (b - a) * h]
}

/// `x·e^(-3iπ/4)`.
#[inline(always)]
fn three_eighths<V: Alu>([a, b]: Pair<V>) -> Pair<V> {
    let h = a.c(core::f64::consts::FRAC_1_SQRT_2);
    [(b - a) * h, -((a + b) * h)]
}

#[inline(always)]
fn four<V: Alu>([a, b, c, d]: [Pair<V>; 4]) -> [Pair<V>; 4] {
    let (p, q, r) = (add(a, c), sub(a, c), add(b, d));
    let [y1, y3] = across(q, sub(b, d));
    [add(p, r), y1, sub(p, r), y3]
}

impl Radix<1> for Dft {
    #[inline(always)]
    fn dft<V: Alu>(load: impl Fn(usize) -> Pair<V>, mut store: impl FnMut(usize, Pair<V>)) {
        store(0, load(0));
    }
}

impl Radix<2> for Dft {
    #[inline(always)]
    fn dft<V: Alu>(load: impl Fn(usize) -> Pair<V>, mut store: impl FnMut(usize, Pair<V>)) {
        let (a, b) = (load(0), load(1));
        store(0, add(a, b));
        store(1, sub(a, b));
    }
}

impl Radix<4> for Dft {
    #[inline(always)]
    fn dft<V: Alu>(load: impl Fn(usize) -> Pair<V>, mut store: impl FnMut(usize, Pair<V>)) {
        let [a, b, c, d] = four([load(0), load(1), load(2), load(3)]);
        store(0, a);
        store(1, b);
        store(2, c);
        store(3, d);
    }
}

impl Radix<8> for Dft {
    #[inline(always)]
    fn dft<V: Alu>(load: impl Fn(usize) -> Pair<V>, mut store: impl FnMut(usize, Pair<V>)) {
        let [q0, q1, q2, q3] = four([load(1), load(3), load(5), load(7)]);
        let (q1, q3) = (eighth(q1), three_eighths(q3));
        let [p0, p1, p2, p3] = four([load(0), load(2), load(4), load(6)]);
        store(0, add(p0, q0));
        store(4, sub(p0, q0));
        store(1, add(p1, q1));
        store(5, sub(p1, q1));
        let [y2, y6] = across(p2, q2);
        store(2, y2);
        store(6, y6);
        store(3, add(p3, q3));
        store(7, sub(p3, q3));
    }
}

/// Four of 16 results.
#[inline(always)]
fn column<V: Alu>(store: &mut impl FnMut(usize, Pair<V>), j: usize, x: [Pair<V>; 4]) {
    let [a, b, c, d] = four(x);
    store(j, a);
    store(j + 4, b);
    store(j + 8, c);
    store(j + 12, d);
}

impl Radix<16> for Dft {
    #[inline(always)]
    fn dft<V: Alu>(load: impl Fn(usize) -> Pair<V>, mut store: impl FnMut(usize, Pair<V>)) {
        const C: f64 = 0.923_879_532_511_286_8;
        const S: f64 = 0.382_683_432_365_089_8;
        let [a0, a1, a2, a3] = four([load(0), load(4), load(8), load(12)]);
        let [b0, b1, b2, b3] = four([load(1), load(5), load(9), load(13)]);
        let (b1, b2, b3) = (by(b1, C, S), eighth(b2), by(b3, S, C));
        let [c0, c1, c2, c3] = four([load(2), load(6), load(10), load(14)]);
        let (c1, c2, c3) = (eighth(c1), turned(c2), three_eighths(c3));
        let [d0, d1, d2, d3] = four([load(3), load(7), load(11), load(15)]);
        let (d1, d2, d3) = (by(d1, S, C), three_eighths(d2), by(d3, -C, -S));
        column(&mut store, 0, [a0, b0, c0, d0]);
        column(&mut store, 1, [a1, b1, c1, d1]);
        column(&mut store, 2, [a2, b2, c2, d2]);
        column(&mut store, 3, [a3, b3, c3, d3]);
    }
}

/// An odd number of points: `x[k] ± x[R - k]` meet the cosines and the sines of `2π·jk/R`, which `turns` has for `jk mod R`.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "below R")]
fn odd<V: Alu, const R: usize>(x: [Pair<V>; R], turns: [[f64; 2]; R]) -> [Pair<V>; R] {
    let mut y = x;
    let mut sum = x[0];
    let mut k = 1;
    while 2 * k < R {
        sum = add(sum, add(x[k], x[R - k]));
        k += 1;
    }
    y[0] = sum;
    let mut j = 1;
    while 2 * j < R {
        let (mut even, mut other) = (x[0], [x[0][0].c(0.0); 2]);
        let mut k = 1;
        while 2 * k < R {
            let ([p, q], [r, t]) = (add(x[k], x[R - k]), sub(x[k], x[R - k]));
            let [cos, sin] = turns[j * k % R];
            let (cos, sin) = (p.c(cos), p.c(sin));
            even = [p.mul_add(cos, even[0]), q.mul_add(cos, even[1])];
            other = if k == 1 {
                [r * sin, t * sin]
            } else {
                [r.mul_add(sin, other[0]), t.mul_add(sin, other[1])]
            };
            k += 1;
        }
        [y[j], y[R - j]] = across(even, other);
        j += 1;
    }
    y
}

const THIRDS: [[f64; 2]; 3] = turns();
const FIFTHS: [[f64; 2]; 5] = turns();
const SEVENTHS: [[f64; 2]; 7] = turns();

#[allow(clippy::indexing_slicing, reason = "below R")]
const fn turns<const R: usize>() -> [[f64; 2]; R] {
    let mut t = [[1.0, 0.0]; R];
    let mut k = 1;
    while k < R {
        let [cos, sin] = super::plan::turn(k as u64, R as u64);
        t[k] = [cos, sin];
        k += 1;
    }
    t
}

macro_rules! odd {
    ($($R:literal $turns:ident;)*) => {$(
        impl Radix<$R> for Dft {
            #[inline(always)]
            #[allow(clippy::indexing_slicing, reason = "below R")]
            fn dft<V: Alu>(load: impl Fn(usize) -> Pair<V>, mut store: impl FnMut(usize, Pair<V>)) {
                let y: [Pair<V>; $R] = odd(from_fn(load), $turns);
                let mut j = 0;
                while j < $R {
                    store(j, y[j]);
                    j += 1;
                }
            }
        }
    )*};
}
odd! { 3 THIRDS; 5 FIFTHS; 7 SEVENTHS; }
