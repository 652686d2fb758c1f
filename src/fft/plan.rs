//! Plans a transform: the radices of its passes, and the twiddle factors in the order in which the passes read them.

use crate::lanes::Element;

/// `cos` and `sin` of `2π·k/n`, each rounded once but for rare cases of the last bit. `k < n < 2⁵³`.
///
/// The angle is reduced to an eighth of a turn in integers, and held in two parts from there.
pub(crate) const fn turn(k: u64, n: u64) -> [f64; 2] {
    let n = if n == 0 { 1 } else { n };
    // Below 2⁵⁶.
    let (octant, rest) = (8 * k / n, 8 * k % n);
    let odd = octant % 2 == 1;
    let part = if odd { n - rest } else { rest };
    let (n, part) = (n as f64, part as f64);
    // part / n, and what its rounding left.
    let q = part / n;
    let [p, e] = product(q, n);
    let low = ((part - p) - e) / n;
    const QUARTER: f64 = core::f64::consts::FRAC_PI_4;
    // π/4 less its nearest `f64`.
    const REST: f64 = 3.061_616_997_868_383e-17;
    let [x, e] = product(QUARTER, q);
    let [cos, sin] = both(x, e + (QUARTER * low + REST * q));
    let [cos, sin] = if odd { [sin, cos] } else { [cos, sin] };
    // Cosine and sine of a quarter turn more, octant by octant.
    match octant {
        0 => [cos, sin],
        1 => [cos, sin],
        2 => [-sin, cos],
        3 => [-sin, cos],
        4 => [-cos, -sin],
        5 => [-cos, -sin],
        6 => [sin, -cos],
        _ => [sin, -cos],
    }
}

/// `a·b` and what its rounding left, by splitting (Dekker).
const fn product(a: f64, b: f64) -> [f64; 2] {
    const fn halves(x: f64) -> [f64; 2] {
        let c = 134_217_729.0 * x;
        let high = c - (c - x);
        [high, x - high]
    }
    let p = a * b;
    let ([ah, al], [bh, bl]) = (halves(a), halves(b));
    [p, al * bl - (((p - ah * bh) - al * bh) - ah * bl)]
}

/// Cosine and sine of `x + y`, `0 <= x <= π/4` and `y` far smaller: Taylor's series, whose first terms are added last.
#[allow(clippy::indexing_slicing, reason = "below 9")]
const fn both(x: f64, y: f64) -> [f64; 2] {
    let z = x * x;
    let (mut cos, mut sin, mut i) = (0.0, 0.0, 9);
    while i > 0 {
        i -= 1;
        sin = sin * z + SINE[i];
        cos = cos * z + COSINE[i];
    }
    let half = 0.5 * z;
    let one = 1.0 - half;
    // What the square's rounding left matters to the cosine.
    let [_, e] = product(x, x);
    let cos = one + (((1.0 - one) - half) + (z * z * cos - x * y - 0.5 * e));
    let sin = x + (x * z * sin + y * one);
    [cos, sin]
}

/// -1/3!, 1/5!, … and 1/4!, -1/6!, …
const SINE: [f64; 9] = inverse_factorials(3, -1.0);
const COSINE: [f64; 9] = inverse_factorials(4, 1.0);

#[allow(clippy::indexing_slicing, reason = "below 9")]
const fn inverse_factorials(first: usize, sign: f64) -> [f64; 9] {
    let (mut out, mut i) = ([0.0; 9], 0);
    while i < 9 {
        let (mut f, mut k) = (if i % 2 == 0 { sign } else { -sign }, 2);
        while k <= first + 2 * i {
            f *= k as f64;
            k += 1;
        }
        out[i] = 1.0 / f;
        i += 1;
    }
    out
}

/// The radices of a length, the first one first.
///
/// Powers of two go first, so that lanes are full from the third pass on. Of 64 and more the first two are 4 or 8, whose points and
/// results fit the registers while they change lanes; the others are 16 where possible, and what is left comes before those, so that
/// the last pass has 16 points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Radices {
    /// What is left of the length.
    rest: usize,
    /// How many were taken, and the powers of two in the length.
    taken: u32,
    twos: u32,
}

impl Radices {
    pub(super) const fn of(n: usize) -> Self {
        Self { rest: n, taken: 0, twos: n.trailing_zeros() }
    }

    /// The next radix and the length before it; `None` when nothing, or nothing that there is a radix for, is left.
    pub(super) const fn take(&mut self) -> Option<[usize; 2]> {
        let n = self.rest;
        if n <= 1 {
            return None;
        }
        let r = match (n.trailing_zeros(), self.twos, self.taken) {
            (0, ..) => match n {
                n if n.is_multiple_of(3) => 3,
                n if n.is_multiple_of(5) => 5,
                n if n.is_multiple_of(7) => 7,
                _ => return None,
            },
            (1, ..) => 2,
            (2, ..) => 4,
            (3, ..) => 8,
            (4, 4, 0) => 4,
            (5, 5, 0) => 8,
            (_, 9, _) => 8,
            (_, 6, _) => 4,
            (_, z, 0) if z % 4 == 2 => 8,
            (_, z, 1) if z % 4 != 3 => 8,
            (_, _, 0 | 1) => 4,
            // What 16 does not divide comes third.
            (z, ..) if z % 4 == 3 => 8,
            _ => 16,
        };
        self.rest = n / r;
        self.taken += 1;
        Some([r, n])
    }
}

/// The passes of a length that is a product of radices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steps {
    /// The length.
    pub n: usize,
    /// The radices: no length has more than 40.
    radices: [u8; 40],
    count: u8,
}

impl Steps {
    /// Those of `n`; of what has radices, where `n` is no product of them.
    #[allow(clippy::indexing_slicing, reason = "below 40")]
    pub(crate) const fn of(n: usize) -> Self {
        let (mut list, mut count, mut radices) = ([0; 40], 0, Radices::of(n));
        while count < 40
            && let Some([r, _]) = radices.take()
        {
            list[count] = r as u8;
            count += 1;
        }
        Self { n, radices: list, count: count as u8 }
    }

    pub(crate) fn radices(&self) -> &[u8] {
        self.radices.get(..usize::from(self.count)).unwrap_or_default()
    }

    /// Numbers between the sixteenths of a plane.
    pub(super) const fn pad(&self) -> usize {
        pad(self.n)
    }
}

/// Powers of two from here on have planes of their own, with some numbers between their sixteenths: points that lie a power
/// of two apart meet in few sets of the first cache.
pub(crate) const PADDED: usize = 1 << 12;

/// Numbers between the sixteenths of a plane: two lines of a cache in `f64`.
const fn pad(n: usize) -> usize {
    if n >= PADDED && n.is_power_of_two() { 16 } else { 0 }
}

/// Complex numbers of workspace that the passes need.
pub(super) const fn scratch(n: usize) -> usize {
    if pad(n) > 0 { n.saturating_add(16 * pad(n)).saturating_mul(2) } else { n }
}

/// Whether a length is a product of radices.
pub(crate) const fn smooth(n: usize) -> bool {
    let mut radices = Radices::of(n);
    while radices.take().is_some() {}
    radices.rest == 1
}

/// While fewer contiguous numbers than this are transformed, each has its root beside that of the number before: lanes go along
/// the numbers of several places.
pub(crate) const SPREAD: usize = 16;

/// How many numbers the roots of a length are that is a product of radices.
pub(super) const fn roots_len(all: usize) -> usize {
    let (mut radices, mut len, mut done) = (Radices::of(all), 0usize, 1usize);
    while let Some([r, n]) = radices.take() {
        if n > r {
            let m = radices.rest;
            let places = if done < SPREAD { m.saturating_mul(done) } else { m };
            len = len.saturating_add(places.saturating_mul(2 * (r - 1)));
        }
        done = done.saturating_mul(r);
    }
    len
}

/// The roots of `n` in the order in which the passes read them: `w = e^(-2πi·jp/n)` for each output `j > 0` of a butterfly and
/// each place `p`. Of the first pass all real parts of one `j` and then all imaginary ones; so of those that follow as long as less
/// than [`SPREAD`] numbers lie side by side, with each root as often as there are; of the others `p` by `p` pairs.
/// `n / r` places of the passes but the last, whose roots are 1.
macro_rules! roots {
    ($n:ident, |$at:ident, $cos:ident, $sin:ident| $put:expr) => {
        let (mut radices, mut start, mut done) = (Radices::of($n), 0, 1);
        while let Some([r, n]) = radices.take() {
            let m = radices.rest;
            let spread = done < SPREAD;
            let many = if spread { m * done } else { m };
            let mut j = 1;
            while j < r && m > 1 {
                let mut p = 0;
                while p < m {
                    let [$cos, sin] = turn((j * p) as u64, n as u64);
                    let $sin = -sin;
                    let mut q = 0;
                    while q < if spread { done } else { 1 } {
                        let $at = if spread {
                            let real = start + 2 * (j - 1) * many + p * done + q;
                            [real, real + many]
                        } else {
                            let pair = start + 2 * (p * (r - 1) + j - 1);
                            [pair, pair + 1]
                        };
                        $put
                        q += 1;
                    }
                    p += 1;
                }
                j += 1;
            }
            if m > 1 {
                start += 2 * (r - 1) * many;
            }
            done *= r;
        }
    };
}

/// Fills `table`, which is `roots_len(n)` long.
pub(super) fn fill<T: Element>(n: usize, table: &mut [T]) {
    roots!(n, |at, cos, sin| {
        for (at, x) in at.into_iter().zip([cos, sin]) {
            if let Some(to) = table.get_mut(at) {
                *to = T::from_f64(x);
            }
        }
    });
}

macro_rules! constant {
    ($($(#[$doc:meta])* $name:ident $T:ident;)*) => {$(
        $(#[$doc])*
        #[allow(clippy::indexing_slicing, reason = "in a constant, where it does not compile")]
        pub const fn $name<const LEN: usize>(n: usize) -> [$T; LEN] {
            assert!(smooth(n) && LEN == roots_len(n), "a product of 2, 3, 5 and 7, and `fft_plan_len` of it");
            let mut table = [0.0; LEN];
            roots!(n, |at, cos, sin| {
                table[at[0]] = cos as $T;
                table[at[1]] = sin as $T;
            });
            table
        }
    )*};
}
constant! {
    /// The table of a plan as a constant, for lengths that are products of 2, 3, 5 and 7: firmware keeps it in flash.
    ///
    /// ```
    /// use fulmen::{Complex, Direction, Fft, fft, fft_plan_len, fft_table_f32};
    /// static TABLE: [f32; fft_plan_len(64)] = fft_table_f32(64);
    /// let plan = Fft::of(64, &TABLE)?;
    /// let (x, mut y, mut work) = ([Complex::ONE; 64], [Complex::ZERO; 64], [Complex::ZERO; 64]);
    /// fft(&plan, Direction::Forward, &x, &mut y, &mut work)?;
    /// assert_eq!((y[0].re, y[1].re), (64.0, 0.0));
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    ///
    /// Does not compile as a constant (and panics elsewhere) when `n` is no such product or `LEN` not
    /// [`fft_plan_len`](crate::fft_plan_len)`(n)`.
    fft_table_f32 f32;
    /// [`fft_table_f32`] in `f64`.
    fft_table_f64 f64;
}
