//! Fourier transforms by their formula.

/// Cosine and sine of `2π·at/n`, exact at quarters of a turn.
pub fn turn(at: usize, n: usize) -> [f64; 2] {
    let at = at % n;
    let (octant, rest) = (8 * at / n, 8 * at % n);
    let odd = octant % 2 == 1;
    let part = if odd { n - rest } else { rest };
    let (sin, cos) = (std::f64::consts::FRAC_PI_4 * part as f64 / n as f64).sin_cos();
    let [c, s] = if odd { [sin, cos] } else { [cos, sin] };
    match octant / 2 {
        0 => [c, s],
        1 => [-s, c],
        2 => [-c, -s],
        _ => [s, -c],
    }
}

/// A sum in two parts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum(f64, f64);
impl Sum {
    pub fn add(&mut self, x: f64) {
        let s = self.0 + x;
        let t = s - self.0;
        let off = (self.0 - (s - t)) + (x - t);
        // Past infinity there is no error to carry.
        self.1 += if off.is_finite() { off } else { 0.0 };
        self.0 = s;
    }
    pub fn value(self) -> f64 {
        self.0 + self.1
    }
}

fn product(x: f64, k: f64) -> f64 {
    if k == 0.0 { 0.0 } else { x * k }
}

/// `Σ x[k]·e^(∓2πi·jk/n)`, with `x` and the results in pairs; the inverse divided by `n`.
pub fn dft(x: &[f64], back: bool) -> Vec<f64> {
    let n = x.len() / 2;
    let roots: Vec<[f64; 2]> = (0..n).map(|k| turn(k, n)).collect();
    let mut y = vec![Sum::default(); 2 * n];
    for j in 0..n {
        for k in 0..n {
            let [c, s] = roots[j * k % n];
            let s = if back { s } else { -s };
            y[2 * j].add(product(x[2 * k], c));
            y[2 * j].add(-product(x[2 * k + 1], s));
            y[2 * j + 1].add(product(x[2 * k], s));
            y[2 * j + 1].add(product(x[2 * k + 1], c));
        }
    }
    y.iter().map(|y| if back { y.value() / n as f64 } else { y.value() }).collect()
}

/// The cosine transform of kind 2, 3 or 4 by its definition, without a factor.
pub fn dct(x: &[f64], kind: usize) -> Vec<f64> {
    let n = x.len();
    let cosine = |j: usize, k: usize| match kind {
        2 => turn((2 * j + 1) * k, 4 * n)[0],
        3 if j == 0 => 0.5,
        3 => turn(j * (2 * k + 1), 4 * n)[0],
        _ => turn((2 * j + 1) * (2 * k + 1), 8 * n)[0],
    };
    let of = |k: usize| {
        let mut y = Sum::default();
        x.iter().enumerate().for_each(|(j, x)| y.add(x * cosine(j, k)));
        y.value()
    };
    (0..n).map(of).collect()
}
