//! The numbers of a sound from their bytes: integers, floats, and the logarithmic codes of telephones.
//!
//! Source: ITU-T G.711, whose tables are in 16 bits here: A-law has 13 of them, µ-law 14.

/// How a number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// Of one byte without a sign, of more with one.
    Integer,
    Float,
    MuLaw,
    ALaw,
}

impl Coding {
    /// A number of at most 8 bytes, the lowest first; full scale is from -1 to 1.
    pub fn value(self, bytes: &[u8]) -> f32 {
        let low = bytes.iter().rev().fold(0u64, |all, b| all << 8 | u64::from(*b));
        match (self, bytes.len()) {
            (Self::Integer, 1) => (low as f32 - 128.0) / 128.0,
            // In the upper bytes of 64 bits, whatever the size.
            (Self::Integer, n) => ((low << (64 - 8 * n)) as i64 as f64 / 2f64.powi(63)) as f32,
            (Self::Float, 4) => f32::from_bits(low as u32),
            (Self::Float, _) => f64::from_bits(low) as f32,
            (Self::MuLaw, _) => {
                let (sign, size) = (low & 0x80, !low & 0x7f);
                let x = ((((size & 15) << 3) + 0x84) << (size >> 4)) as f32 - 132.0;
                (if sign == 0 { -x } else { x }) / 32_768.0
            }
            (Self::ALaw, _) => {
                let (sign, size) = (low & 0x80, (low ^ 0x55) & 0x7f);
                let x = (size & 15) << 4 | 8;
                let x = if size < 16 { x } else { (x | 0x100) << ((size >> 4) - 1) } as f32;
                (if sign == 0 { -x } else { x }) / 32_768.0
            }
        }
    }
}
