//! Double-double numbers: sums and products with 106 bits, the truth for `f64` data.

/// `hi + lo` with `|lo| ≤ ulp(hi) / 2`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dd(pub f64, pub f64);

fn two_sum(a: f64, b: f64) -> Dd {
    let s = a + b;
    let t = s - a;
    Dd(s, (a - (s - t)) + (b - t))
}

impl Dd {
    pub const ZERO: Self = Self(0.0, 0.0);

    pub fn value(self) -> f64 {
        self.0 + self.1
    }

    pub fn sqrt(self) -> Self {
        if self.0 <= 0.0 {
            return Self(self.0.sqrt(), 0.0);
        }
        // One Newton step on a correctly rounded start doubles its bits.
        let r = Self::from(self.0.sqrt());
        r + (self - r * r) / Self::from(2.0 * r.0)
    }
}

impl From<f64> for Dd {
    fn from(x: f64) -> Self {
        Self(x, 0.0)
    }
}

impl std::ops::Add for Dd {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        let Dd(s, e) = two_sum(self.0, o.0);
        let Dd(t, f) = two_sum(self.1, o.1);
        let Dd(s, e) = two_sum(s, e + t);
        two_sum(s, e + f)
    }
}

impl std::ops::Sub for Dd {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self + Dd(-o.0, -o.1)
    }
}

impl std::ops::Mul for Dd {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        let p = self.0 * o.0;
        let e = self.0.mul_add(o.0, -p) + (self.0 * o.1 + self.1 * o.0);
        two_sum(p, e)
    }
}

impl std::ops::Div for Dd {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let q = Self::from(self.0 / o.0);
        let r = self - q * o;
        let q = q + Self::from(r.0 / o.0);
        let r = self - q * o;
        q + Self::from(r.0 / o.0)
    }
}

impl std::iter::Sum for Dd {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, |a, b| a + b)
    }
}
