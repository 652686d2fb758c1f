//! PNG and JPEG files.

use crate::files::shown;
use crate::picture::{Picture, Samples, fits, product, zeros};
use crate::program::Stop;
use core::fmt;
use jpeg_decoder::PixelFormat;
use png::{BitDepth, ColorType, Transformations};
use std::io::Cursor;
use std::path::Path;

/// Bytes that a chunk of a PNG file may have besides pixels, such as the tables of its colours.
const BESIDE: usize = 1 << 26;

fn useless<T>(why: impl fmt::Display) -> Result<T, Stop> {
    Err(Stop::Useless(why.to_string()))
}

/// The formats that are read and written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Format {
    Png,
    Jpeg,
}

impl Format {
    /// What the name of a file says.
    pub fn of_name(path: &Path) -> Result<Self, Stop> {
        let end = path.extension().map(|end| end.to_string_lossy().to_lowercase());
        match end.as_deref() {
            Some("png") => Ok(Self::Png),
            Some("jpg" | "jpeg") => Ok(Self::Jpeg),
            _ => useless(format_args!("{}: pictures are written to .png, .jpg or .jpeg", shown(path))),
        }
    }
    /// What the bytes of a file say.
    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', ..] => Some(Self::Png),
            [0xff, 0xd8, ..] => Some(Self::Jpeg),
            _ => None,
        }
    }
}

/// The picture in a file's bytes, and what was left out of it.
pub fn read(bytes: &[u8]) -> Result<(Picture, Option<&'static str>), Stop> {
    match Format::of_bytes(bytes) {
        Some(Format::Png) => read_png(bytes),
        Some(Format::Jpeg) => read_jpeg(bytes),
        None => useless("it is neither a PNG nor a JPEG file"),
    }
}

fn read_png(bytes: &[u8]) -> Result<(Picture, Option<&'static str>), Stop> {
    let of = |e: png::DecodingError| Stop::Useless(format!("PNG: {e}"));
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: BESIDE });
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(of)?;
    let animated = reader.info().animation_control.is_some();
    let (colour, depth) = reader.output_color_type();
    let channels = match colour {
        ColorType::Grayscale | ColorType::Indexed => 1,
        ColorType::GrayscaleAlpha => 2,
        ColorType::Rgb => 3,
        ColorType::Rgba => 4,
    };
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let n = product(&[width, height, channels])?;
    let size = reader.output_buffer_size();
    let Some(size) = size.filter(|size| *size == if depth == BitDepth::Sixteen { 2 * n } else { n }) else {
        return useless("PNG: its numbers have neither 8 nor 16 bits");
    };
    let mut data: Vec<u8> = zeros(size)?;
    reader.next_frame(&mut data).map_err(of)?;
    if !animated {
        // What follows the pixels is there, and whole.
        reader.finish().map_err(of)?;
    }
    let samples = if depth == BitDepth::Sixteen {
        let mut words = zeros(n)?;
        for (word, bytes) in words.iter_mut().zip(data.as_chunks().0) {
            *word = u16::from_be_bytes(*bytes);
        }
        Samples::Words(words)
    } else {
        Samples::Bytes(data)
    };
    let note = animated.then_some("only the first picture of the animation is read");
    Ok((Picture { width, height, channels, samples }, note))
}

fn read_jpeg(bytes: &[u8]) -> Result<(Picture, Option<&'static str>), Stop> {
    let of = |e: jpeg_decoder::Error| Stop::Useless(format!("JPEG: {e}"));
    let mut decoder = jpeg_decoder::Decoder::new(bytes);
    decoder.read_info().map_err(of)?;
    let Some(info) = decoder.info() else { return useless("JPEG: it has no size") };
    let channels = match info.pixel_format {
        PixelFormat::L8 => 1,
        PixelFormat::RGB24 => 3,
        _ => return useless("JPEG: its numbers are neither grey nor red, green and blue of 8 bits"),
    };
    let [width, height] = [info.width, info.height].map(usize::from);
    let n = product(&[width, height, channels])?;
    // The coefficients of a progressive file are in memory, too.
    fits(n.saturating_mul(4))?;
    let data = decoder.decode().map_err(of)?;
    if data.len() != n {
        return useless("JPEG: the file ends before the picture does");
    }
    let turned = decoder.exif_data().and_then(orientation).is_some_and(|o| o != 1);
    let note = turned.then_some("its note that it is to be shown turned or mirrored is ignored");
    Ok((Picture { width, height, channels, samples: Samples::Bytes(data) }, note))
}

/// The orientation that a camera noted, from 1 to 8: the tag 0x112 of the first directory.
fn orientation(exif: &[u8]) -> Option<u16> {
    let big = match exif.get(..4)? {
        b"MM\0*" => true,
        b"II*\0" => false,
        _ => return None,
    };
    let word = |at: usize| {
        let bytes = exif.get(at..)?.first_chunk()?;
        Some(if big { u16::from_be_bytes(*bytes) } else { u16::from_le_bytes(*bytes) })
    };
    let bytes = exif.get(4..)?.first_chunk()?;
    let first = if big { u32::from_be_bytes(*bytes) } else { u32::from_le_bytes(*bytes) } as usize;
    let entries = (0..usize::from(word(first)?)).map(|i| first.saturating_add(2 + 12 * i));
    entries.filter(|at| word(*at) == Some(0x112)).find_map(|at| word(at.saturating_add(8)))
}

/// The bytes of a file with this picture.
pub fn write(p: &Picture, format: Format, quality: u8) -> Result<Vec<u8>, Stop> {
    match format {
        Format::Png => write_png(p),
        Format::Jpeg => write_jpeg(p, quality),
    }
}

fn write_png(p: &Picture) -> Result<Vec<u8>, Stop> {
    let side = |n: usize| u32::try_from(n).ok().filter(|n| *n <= i32::MAX as u32);
    let (Some(width), Some(height)) = (side(p.width), side(p.height)) else {
        return useless(format_args!(
            "PNG has at most 2147483647 columns and rows, not {} x {}",
            p.width, p.height
        ));
    };
    let of = |e: png::EncodingError| Stop::Useless(format!("PNG: {e}"));
    let mut to = Vec::new();
    let mut encoder = png::Encoder::new(&mut to, width, height);
    encoder.set_color(match p.channels {
        1 => ColorType::Grayscale,
        2 => ColorType::GrayscaleAlpha,
        3 => ColorType::Rgb,
        _ => ColorType::Rgba,
    });
    encoder.set_depth(if p.bits() == 8 { BitDepth::Eight } else { BitDepth::Sixteen });
    let mut writer = encoder.write_header().map_err(of)?;
    match &p.samples {
        Samples::Bytes(data) => writer.write_image_data(data),
        Samples::Words(data) => {
            let mut bytes = zeros(product(&[data.len(), 2])?)?;
            for (to, word) in bytes.as_chunks_mut().0.iter_mut().zip(data) {
                *to = word.to_be_bytes();
            }
            writer.write_image_data(&bytes)
        }
    }
    .map_err(of)?;
    writer.finish().map_err(of)?;
    Ok(to)
}

fn write_jpeg(p: &Picture, quality: u8) -> Result<Vec<u8>, Stop> {
    let Samples::Bytes(data) = &p.samples else {
        return useless("JPEG has 8 bits for each number, not 16: the step `depth 8` rounds them");
    };
    if p.is_transparent() {
        return useless("JPEG has no alpha: the step `flatten` puts the picture on a colour");
    }
    let (Ok(width), Ok(height)) = (u16::try_from(p.width), u16::try_from(p.height)) else {
        return useless(format_args!(
            "JPEG has at most 65535 columns and rows, not {} x {}",
            p.width, p.height
        ));
    };
    let luma: Vec<u8>;
    let (data, colour) = match p.channels {
        1 => (data, jpeg_encoder::ColorType::Luma),
        2 => {
            luma = data.iter().step_by(2).copied().collect();
            (&luma, jpeg_encoder::ColorType::Luma)
        }
        3 => (data, jpeg_encoder::ColorType::Rgb),
        _ => (data, jpeg_encoder::ColorType::Rgba),
    };
    let mut to = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut to, quality);
    encoder.set_optimized_huffman_tables(true);
    match encoder.encode(data, width, height, colour) {
        Ok(()) => Ok(to),
        Err(e) => useless(format_args!("JPEG: {e}")),
    }
}
