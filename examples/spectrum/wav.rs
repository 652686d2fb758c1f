//! Sounds: WAV files of integers or floats, any number of channels.
//!
//! Source: IBM and Microsoft, "Multimedia programming interface and data specifications", 1991; RFC 2361.

use core::fmt;

/// The largest number: 1 is full scale.
const MOST: f32 = 1e18;

/// Why the bytes are no sound, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    pub at: usize,
    pub why: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.at, self.why)
    }
}

/// How a number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    /// Integers of so many bytes.
    Integer(usize),
    /// Floats of so many bytes.
    Float(usize),
}

impl Coding {
    fn bytes(self) -> usize {
        match self {
            Self::Integer(n) | Self::Float(n) => n,
        }
    }
    /// One number, full scale from -1 to 1.
    fn value(self, bytes: &[u8]) -> f32 {
        match (self, bytes) {
            (Self::Float(_), &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
            (Self::Float(_), &[a, b, c, d, e, f, g, h]) => {
                f64::from_le_bytes([a, b, c, d, e, f, g, h]) as f32
            }
            (Self::Integer(_), &[a]) => (f32::from(a) - 128.0) / 128.0,
            (Self::Integer(_), &[a, b]) => f32::from(i16::from_le_bytes([a, b])) / 32_768.0,
            // In the upper bytes of 32 bits, whatever the size.
            (Self::Integer(_), &[a, b, c]) => {
                (i32::from_le_bytes([0, a, b, c]) as f64 / 2_147_483_648.0) as f32
            }
            (Self::Integer(_), &[a, b, c, d]) => {
                (f64::from(i32::from_le_bytes([a, b, c, d])) / 2_147_483_648.0) as f32
            }
            _ => 0.0,
        }
    }
}

/// The head of a sound, and where its numbers are.
#[derive(Debug, Clone, PartialEq)]
pub struct Wav<'a> {
    pub rate: u32,
    pub channels: usize,
    coding: Coding,
    data: &'a [u8],
    /// Where they begin in the file.
    begin: usize,
}

fn wrong<T>(at: usize, why: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { at, why: why.into() })
}

/// Bytes from `at` on, as a little-endian number.
fn number(bytes: &[u8], at: usize, n: usize) -> Option<u32> {
    let found = bytes.get(at..at.checked_add(n)?)?;
    Some(found.iter().rev().fold(0, |sum, b| sum << 8 | u32::from(*b)))
}

impl<'a> Wav<'a> {
    /// The sound in the bytes of a file.
    pub fn of(bytes: &'a [u8]) -> Result<Self, Wrong> {
        match (bytes.get(..4), bytes.get(8..12)) {
            (Some(b"RIFF"), Some(b"WAVE")) => {}
            (Some(b"RF64" | b"RIFX"), _) => return wrong(0, "RF64 and RIFX files are not read, only RIFF"),
            _ => return wrong(0, "a WAV file begins with RIFF, its size and WAVE"),
        }
        let (mut at, mut head) = (12, None);
        loop {
            let (Some(name), Some(len)) = (bytes.get(at..at + 4), number(bytes, at + 4, 4)) else {
                let missing = if head.is_some() { "data" } else { "fmt" };
                return wrong(bytes.len(), format!("the file ends before its chunk \"{missing}\""));
            };
            let (begin, len) = (at + 8, len as usize);
            let rest = bytes.len() - begin;
            if len > rest {
                let name: String = name.iter().flat_map(|b| b.escape_ascii()).map(char::from).collect();
                return wrong(
                    at,
                    format!("the chunk \"{name}\" has {len} bytes, and {rest} are left in the file"),
                );
            }
            let chunk = bytes.get(begin..begin + len).unwrap_or_default();
            match name {
                b"fmt " if head.is_some() => return wrong(at, "there are two chunks \"fmt\""),
                b"fmt " => head = Some(format(chunk, begin)?),
                b"data" => {
                    let Some((rate, channels, coding)) = head else {
                        return wrong(at, "the chunk \"data\" comes before \"fmt\"");
                    };
                    let frame = channels * coding.bytes();
                    if !len.is_multiple_of(frame) {
                        return wrong(at, format!("{len} bytes are not whole frames of {frame}"));
                    }
                    return Ok(Self { rate, channels, coding, data: chunk, begin });
                }
                _ => {}
            }
            // Chunks begin at even bytes.
            at = begin + len + len % 2;
        }
    }

    /// How many numbers each channel has.
    pub fn len(&self) -> usize {
        self.data.len() / (self.channels * self.coding.bytes())
    }

    /// The numbers of a channel, counted from 0, or the mean of all.
    pub fn samples(&self, channel: Option<usize>) -> Result<Vec<f32>, Wrong> {
        let each = self.coding.bytes();
        let all = self.data.chunks_exact(each * self.channels).enumerate();
        let mut out = Vec::with_capacity(self.len());
        for (i, frame) in all {
            let mut sum = 0.0f64;
            for (c, bytes) in frame.chunks_exact(each).enumerate() {
                if channel.is_some_and(|only| only != c) {
                    continue;
                }
                let x = self.coding.value(bytes);
                // Far past full scale, transforms would overflow.
                if x.is_nan() || x.abs() > MOST {
                    let at = self.begin + (i * self.channels + c) * each;
                    return wrong(at, format!("number {i} of channel {} is {x}", c + 1));
                }
                sum += f64::from(x);
            }
            out.push(if channel.is_some() { sum } else { sum / self.channels as f64 } as f32);
        }
        Ok(out)
    }
}

/// Rate, channels and coding of the chunk `fmt`, which begins at this byte.
fn format(chunk: &[u8], at: usize) -> Result<(u32, usize, Coding), Wrong> {
    let field = |from, n| number(chunk, from, n);
    let (Some(tag), Some(channels), Some(rate), Some(frame), Some(bits)) =
        (field(0, 2), field(2, 2), field(4, 4), field(12, 2), field(14, 2))
    else {
        return wrong(at, format!("the chunk \"fmt\" has {} bytes, at least 16 are needed", chunk.len()));
    };
    // The extensible form has its coding at the head of a longer name.
    let tag = match tag {
        0xfffe => match field(24, 2) {
            Some(tag) => tag,
            None => return wrong(at, "the extensible \"fmt\" is too short for its coding"),
        },
        tag => tag,
    };
    let coding = match (tag, bits) {
        (1, 8 | 16 | 24 | 32) => Coding::Integer(bits as usize / 8),
        (3, 32 | 64) => Coding::Float(bits as usize / 8),
        (1, _) => {
            return wrong(at + 14, format!("integers of {bits} bits are not read, only of 8, 16, 24 and 32"));
        }
        (3, _) => return wrong(at + 14, format!("floats of {bits} bits are not read, only of 32 and 64")),
        _ => return wrong(at, format!("coding {tag} is not read, only integers (1) and floats (3)")),
    };
    if channels == 0 {
        return wrong(at + 2, "it has no channels");
    }
    if rate == 0 {
        return wrong(at + 4, "its rate is 0");
    }
    if frame as usize != channels as usize * coding.bytes() {
        let why = format!("a frame has {frame} bytes, and {channels} channels of {bits} bits do not");
        return wrong(at + 12, why);
    }
    Ok((rate, channels as usize, coding))
}
