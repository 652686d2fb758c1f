//! Numbers of contracts.

use serde::{Deserialize, Deserializer, de};

/// A number that may be a property of the element type: `nan`, `-inf`, `max`, `min_normal`,
/// `min_subnormal`, `eps`, or a multiple such as `0.5*eps`.
#[derive(Debug, Clone, PartialEq)]
pub struct Scalar {
    pub factor: f64,
    pub word: Word,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    One,
    Nan,
    Inf,
    Max,
    MinNormal,
    MinSubnormal,
    Eps,
}

impl Scalar {
    pub fn parse(s: &str) -> Option<Self> {
        let word = |s: &str| {
            Some(match s {
                "nan" => Word::Nan,
                "inf" => Word::Inf,
                "max" => Word::Max,
                "min_normal" => Word::MinNormal,
                "min_subnormal" => Word::MinSubnormal,
                "eps" => Word::Eps,
                _ => return None,
            })
        };
        let (factor, s) = match s.split_once('*') {
            Some((k, rest)) => (k.trim().parse().ok()?, rest.trim()),
            None => match s.strip_prefix('-') {
                Some(rest) if word(rest).is_some() => (-1.0, rest),
                _ => (1.0, s),
            },
        };
        word(s).map_or_else(
            || s.parse().ok().map(|v: f64| Self { factor: v, word: Word::One }),
            |word| Some(Self { factor, word }),
        )
    }

    /// The value in the element type `ty`, exactly, as `f64`.
    pub fn value(&self, ty: &str) -> f64 {
        let f32_ = ty == "f32";
        let unit = match self.word {
            Word::One => return if f32_ { f64::from(self.factor as f32) } else { self.factor },
            Word::Nan => f64::NAN,
            Word::Inf => f64::INFINITY,
            Word::Max => {
                if f32_ {
                    f64::from(f32::MAX)
                } else {
                    f64::MAX
                }
            }
            Word::MinNormal => {
                if f32_ {
                    f64::from(f32::MIN_POSITIVE)
                } else {
                    f64::MIN_POSITIVE
                }
            }
            Word::MinSubnormal => {
                if f32_ {
                    f64::from(f32::from_bits(1))
                } else {
                    f64::from_bits(1)
                }
            }
            Word::Eps => {
                if f32_ {
                    f64::from(f32::EPSILON)
                } else {
                    f64::EPSILON
                }
            }
        };
        self.factor * unit
    }

    /// The number as written: not rounded to the element type.
    pub fn exact(&self, ty: &str) -> f64 {
        if self.word == Word::One { self.factor } else { self.value(ty) }
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Scalar;
            fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str("a number or one of nan, inf, max, min_normal, min_subnormal, eps")
            }
            fn visit_f64<E>(self, v: f64) -> Result<Scalar, E> {
                Ok(Scalar { factor: v, word: Word::One })
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> Result<Scalar, E> {
                self.visit_f64(v as f64)
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<Scalar, E> {
                self.visit_f64(v as f64)
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Scalar, E> {
                Scalar::parse(v).ok_or_else(|| E::custom(format!("`{v}` is no number")))
            }
        }
        d.deserialize_any(Visitor)
    }
}
