//! Pictures in memory.

use crate::files::{Bytes, free};
use crate::machine::Held;
use crate::program::Stop;
use core::fmt;
use fulmen::image::Pixel;

/// The numbers of all pixels, row after row.
#[derive(Debug, Clone, PartialEq)]
pub enum Samples {
    Bytes(Vec<u8>),
    Words(Vec<u16>),
}

/// Does the same with bytes and with words.
macro_rules! with_samples {
    ($samples:expr, |$data:ident| $body:expr) => {
        match $samples {
            $crate::picture::Samples::Bytes($data) => $body,
            $crate::picture::Samples::Words($data) => $body,
        }
    };
}
pub(crate) use with_samples;

/// A picture: grey, or red, green and blue; with an even number of channels the last one is alpha.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    pub width: usize,
    pub height: usize,
    pub channels: usize,
    pub samples: Samples,
}

impl Picture {
    pub fn new<P: Sample>([width, height]: [usize; 2], channels: usize, data: Vec<P>) -> Self {
        Self { width, height, channels, samples: P::wrap(data) }
    }
    pub fn size(&self) -> [usize; 2] {
        [self.width, self.height]
    }
    pub fn has_alpha(&self) -> bool {
        self.channels.is_multiple_of(2)
    }
    /// Channels without alpha.
    pub fn colours(&self) -> usize {
        self.channels - usize::from(self.has_alpha())
    }
    /// Whether something shows through.
    pub fn is_transparent(&self) -> bool {
        with_samples!(&self.samples, |data| self.has_alpha() && shows_through(data, self.channels))
    }
    pub fn bits(&self) -> u32 {
        if matches!(self.samples, Samples::Bytes(_)) { 8 } else { 16 }
    }
}

/// Whether alpha, the last channel, is anywhere less than all.
fn shows_through<P: Sample>(data: &[P], channels: usize) -> bool {
    data.chunks_exact(channels).filter_map(|pixel| pixel.last()).any(|a| a.word() < P::MOST)
}

impl fmt::Display for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.channels {
            1 => "grey",
            2 => "grey and alpha",
            3 => "RGB",
            _ => "RGB and alpha",
        };
        write!(f, "{} x {}, {kind}, {} bits", self.width, self.height, self.bits())
    }
}

/// The numbers that files have.
pub trait Sample: Pixel + Held {
    /// White.
    const MOST: u32;
    fn wrap(data: Vec<Self>) -> Samples;
    fn word(self) -> u32;
    /// The nearest one, of those in its range.
    fn nearest(x: f32) -> Self;
    /// The one of this value, at most [`Self::MOST`].
    fn of(x: u32) -> Self;
}

/// The nearest whole number, half up, from 0 to 65535, without a call of the system's library. A conversion rounds down, and saturates.
fn whole(x: f32) -> u32 {
    let down = x.clamp(0.0, 65_535.0) as u32;
    down + u32::from(x - down as f32 >= 0.5)
}

impl Sample for u8 {
    const MOST: u32 = 255;
    fn wrap(data: Vec<Self>) -> Samples {
        Samples::Bytes(data)
    }
    fn word(self) -> u32 {
        self.into()
    }
    fn nearest(x: f32) -> Self {
        Self::of(whole(x))
    }
    fn of(x: u32) -> Self {
        x.min(Self::MOST) as Self
    }
}

impl Sample for u16 {
    const MOST: u32 = 65_535;
    fn wrap(data: Vec<Self>) -> Samples {
        Samples::Words(data)
    }
    fn word(self) -> u32 {
        self.into()
    }
    fn nearest(x: f32) -> Self {
        Self::of(whole(x))
    }
    fn of(x: u32) -> Self {
        x.min(Self::MOST) as Self
    }
}

/// The product of these numbers, where memory can have addresses for as many elements of eight bytes.
pub fn product(sizes: &[usize]) -> Result<usize, Stop> {
    let n = sizes.iter().try_fold(1usize, |n, size| n.checked_mul(*size));
    n.filter(|n| *n <= isize::MAX as usize / 8).ok_or_else(|| {
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        Stop::Useless(format!("{} numbers are more than memory has addresses", sizes.join(" x ")))
    })
}

/// Refuses what needs more bytes than there are.
pub fn fits(bytes: usize) -> Result<(), Stop> {
    // To ask the system takes longer than what little memory is used for.
    const LITTLE: usize = 1 << 25;
    match free().filter(|free| bytes > LITTLE && bytes as u64 > *free) {
        Some(free) => Err(Stop::Useless(format!(
            "there is not enough memory for this size: {} are needed, {} are free",
            Bytes(bytes as u128),
            Bytes(free.into())
        ))),
        None => Ok(()),
    }
}

/// An empty vector with room for `n` elements.
pub fn room<T>(n: usize) -> Result<Vec<T>, Stop> {
    fits(n.saturating_mul(size_of::<T>()))?;
    let mut data = Vec::new();
    data.try_reserve_exact(n)?;
    Ok(data)
}

/// So many zeros.
pub fn zeros<T: Copy + Default>(n: usize) -> Result<Vec<T>, Stop> {
    let mut data = room(n)?;
    data.resize(n, T::default());
    Ok(data)
}

/// The numbers of an iterator that has `n`.
pub fn collect<T>(n: usize, from: impl Iterator<Item = T>) -> Result<Vec<T>, Stop> {
    let mut data = room(n)?;
    data.extend(from.take(n));
    Ok(data)
}
