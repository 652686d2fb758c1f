//! Sounds: WAV files of integers, floats, µ-law or A-law, any number of channels, as programs and recorders write them.
//!
//! Data that a file says to be longer than the file is, as in what was piped or cut, is read up to the end, and `notes` say so. One
//! reader has every form: `hound` 3.5 has neither RF64, µ-law and A-law, 64-bit floats, sizes of other than 8, 16, 24 and 32 bits nor
//! files that are cut.
//!
//! Sources: IBM and Microsoft, "Multimedia programming interface and data specifications", 1991; RFC 2361; EBU Tech 3306 (RF64);
//! ITU-R BS.2088 (BW64); ITU-T G.711.

#[path = "coding.rs"]
mod coding;

use coding::Coding;
use core::fmt;

/// The largest number: 1 is full scale.
const MOST: f32 = 1e18;
/// The ends of the names of codings in the form WAVE_FORMAT_EXTENSIBLE: of Microsoft, and of Ambisonic B-format.
const NAMES: [(usize, usize, [u8; 8]); 2] = [
    (0, 0x10, [0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71]),
    (0x0721, 0x11d3, [0x86, 0x44, 0xc8, 0xc1, 0xca, 0, 0, 0]),
];

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

/// What the chunk `fmt` says.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Format {
    rate: u32,
    channels: usize,
    coding: Coding,
    /// Bytes of a number.
    each: usize,
    /// Bytes of it that may count: fewer where a head of the plain form has more bytes than its bits need.
    used: usize,
}

/// The head of a sound, and where its numbers are.
#[derive(Debug, Clone, PartialEq)]
pub struct Wav<'a> {
    pub rate: u32,
    pub channels: usize,
    /// What the file says of itself and is not so.
    pub notes: Vec<String>,
    format: Format,
    big: bool,
    data: &'a [u8],
    /// Where they begin in the file.
    begin: usize,
}

fn wrong<T>(at: usize, why: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { at, why: why.into() })
}

/// Bytes whose numbers have their lowest byte first, or last where `big`.
struct Fields<'a> {
    bytes: &'a [u8],
    big: bool,
}

impl Fields<'_> {
    /// The `n` bytes from `at` on, as a number.
    fn number(&self, at: usize, n: usize) -> Option<u64> {
        let found = self.bytes.get(at..at.checked_add(n)?)?.iter();
        let next = |sum: u64, b: &u8| sum << 8 | u64::from(*b);
        Some(if self.big { found.fold(0, next) } else { found.rev().fold(0, next) })
    }
}

impl<'a> Wav<'a> {
    /// The sound in the bytes of a file.
    pub fn of(bytes: &'a [u8]) -> Result<Self, Wrong> {
        let big = match (bytes.get(..4), bytes.get(8..12)) {
            (Some(b"RIFF" | b"RF64" | b"BW64"), Some(b"WAVE")) => false,
            (Some(b"RIFX"), Some(b"WAVE")) => true,
            _ => return wrong(0, "a WAV file begins with RIFF, RIFX, RF64 or BW64, its size and WAVE"),
        };
        let file = Fields { bytes, big };
        let (mut at, mut head, mut long, mut notes) = (12, None, None, Vec::new());
        loop {
            let (Some(name), Some(said)) = (bytes.get(at..at + 4), file.number(at + 4, 4)) else {
                let missing = if head.is_some() { "data" } else { "fmt" };
                return wrong(bytes.len(), format!("the file ends before its chunk \"{missing}\""));
            };
            let begin = at + 8;
            let rest = bytes.len() - begin;
            let said = if name == b"data" && said == 0xffff_ffff { long.unwrap_or(said) } else { said };
            let whole = usize::try_from(said).ok().filter(|n| *n <= rest);
            let chunk = bytes.get(begin..begin + whole.unwrap_or(rest)).unwrap_or_default();
            match name {
                b"data" => {
                    let Some(format) = head else {
                        return wrong(at, "the chunk \"data\" comes before \"fmt\"");
                    };
                    // A recorder that was stopped has not yet written the sizes: that of the file is none, or of the head alone.
                    let open = said == 0
                        && file.number(4, 4).is_some_and(|n| n <= begin as u64 - 8 || n == 0xffff_ffff);
                    let data = if open { bytes.get(begin..).unwrap_or_default() } else { chunk };
                    if whole.is_none() || open && rest > 0 {
                        notes.push(format!("the chunk \"data\" says {said} bytes, and {rest} are in the file: they are read up to its end"));
                    }
                    return Ok(Self::from_data(format, big, data, begin, notes));
                }
                _ if whole.is_none() => {
                    let name: String = name.iter().flat_map(|b| b.escape_ascii()).map(char::from).collect();
                    let why =
                        format!("the chunk \"{name}\" has {said} bytes, and {rest} are left in the file");
                    return wrong(at, why);
                }
                b"fmt " if head.is_some() => return wrong(at, "there are two chunks \"fmt\""),
                b"fmt " => head = Some(format(&Fields { bytes: chunk, big }, begin, &mut notes)?),
                b"ds64" if bytes.starts_with(b"RF64") || bytes.starts_with(b"BW64") => {
                    long = Fields { bytes: chunk, big }.number(8, 8);
                }
                _ => {}
            }
            // Chunks begin at even bytes.
            at = begin + chunk.len() + chunk.len() % 2;
        }
    }

    fn from_data(
        mut format: Format,
        big: bool,
        mut data: &'a [u8],
        begin: usize,
        mut notes: Vec<String>,
    ) -> Self {
        let Format { rate, channels, each, used, .. } = format;
        let past = data.len() % (channels * each);
        if past > 0 {
            notes.push(format!("{past} bytes after the last whole frame are left out"));
            data = data.get(..data.len() - past).unwrap_or_default();
        }
        if used < each {
            // Nothing says where the bits are; in the form that does, those that do not count are the lowest, and 0.
            let spare = |x: &[u8]| {
                if big {
                    x.iter().skip(used).any(|b| *b != 0)
                } else {
                    x.iter().take(each - used).any(|b| *b != 0)
                }
            };
            let low = data.chunks_exact(each).any(spare);
            let which = if low { "lower" } else { "upper" };
            notes.push(format!("numbers of {used} bytes have {each}: they are taken from the {which} ones"));
            format.used = if low { used } else { each };
        }
        Self { rate, channels, notes, format, big, data, begin }
    }

    /// How many numbers each channel has.
    pub fn len(&self) -> usize {
        self.data.len() / (self.channels * self.format.each)
    }

    /// The number of channel `c` at `i`.
    pub fn at(&self, i: usize, c: usize) -> Result<f32, Wrong> {
        let Format { coding, each, used, .. } = self.format;
        let at = (i * self.channels + c) * each;
        let mut bytes = [0; 8];
        for (to, k) in bytes.iter_mut().zip(0..used) {
            let k = if self.big { each - 1 - k } else { k };
            *to = self.data.get(at + k).copied().unwrap_or_default();
        }
        let x = coding.value(bytes.get(..used).unwrap_or_default());
        // Far past full scale, transforms would overflow.
        if x.is_nan() || x.abs() > MOST {
            return wrong(self.begin + at, format!("number {i} of channel {} is {x}", c + 1));
        }
        Ok(x)
    }

    /// The numbers of a channel, counted from 0, or the mean of all.
    pub fn samples(&self, channel: Option<usize>) -> Result<Vec<f32>, Wrong> {
        let mean = |i| {
            let sum = (0..self.channels).map(|c| self.at(i, c).map(f64::from)).sum::<Result<f64, _>>()?;
            Ok((sum / self.channels as f64) as f32)
        };
        (0..self.len()).map(|i| channel.map_or_else(|| mean(i), |c| self.at(i, c))).collect()
    }
}

/// What the chunk `fmt` says, which begins at byte `at`.
fn format(chunk: &Fields<'_>, at: usize, notes: &mut Vec<String>) -> Result<Format, Wrong> {
    let field = |from, n| chunk.number(from, n).map(|x| x as usize);
    let (Some(tag), Some(channels), Some(rate), Some(frame), Some(bits)) =
        (field(0, 2), field(2, 2), field(4, 4), field(12, 2), field(14, 2))
    else {
        return wrong(
            at,
            format!("the chunk \"fmt\" has {} bytes, at least 16 are needed", chunk.bytes.len()),
        );
    };
    // The extensible form has its coding at the head of a longer name.
    let extensible = tag == 0xfffe;
    let tag = match (extensible, field(24, 4), field(28, 2), field(30, 2), chunk.bytes.get(32..40)) {
        (false, ..) => tag,
        (_, Some(tag), Some(a), Some(b), Some(c))
            if NAMES.iter().any(|n| (n.0, n.1, &n.2[..]) == (a, b, c)) =>
        {
            tag
        }
        (.., Some(_)) => return wrong(at + 28, "the extensible \"fmt\" names a coding of another maker"),
        _ => return wrong(at, "the extensible \"fmt\" is too short for its coding"),
    };
    let coding = match (tag, bits) {
        (1, 1..=64) => Coding::Integer,
        (3, 32 | 64) => Coding::Float,
        (6, 8) => Coding::ALaw,
        (7, 8) => Coding::MuLaw,
        (1 | 3 | 6 | 7, _) => {
            let kinds = "integers of 1 to 64 bits, floats of 32 and 64, A-law and µ-law of 8";
            return wrong(at + 14, format!("coding {tag} of {bits} bits is not read, only {kinds}"));
        }
        _ => {
            return wrong(
                at,
                format!("coding {tag} is not read, only integers (1), floats (3), A-law (6) and µ-law (7)"),
            );
        }
    };
    if channels == 0 {
        return wrong(at + 2, "it has no channels");
    }
    if rate == 0 {
        return wrong(at + 4, "its rate is 0");
    }
    let least = bits.div_ceil(8);
    let each = frame / channels;
    let fits = frame.is_multiple_of(channels)
        && (each == least || coding == Coding::Integer && (least..=8).contains(&each));
    if !fits {
        notes.push(format!("a frame is said to have {frame} bytes: it has {channels} numbers of {least}"));
    }
    let each = if fits { each } else { least };
    // What the extensible form has more of are the lowest bits, and 0.
    Ok(Format { rate: rate as u32, channels, coding, each, used: if extensible { each } else { least } })
}
