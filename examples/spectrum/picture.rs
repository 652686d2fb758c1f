//! The levels of a sound by time and frequency, as a picture.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fulmen::lanes::Simd;
use fulmen::{Complex, Error, RealFft, rfft_plan_len, stft_frames, stft_on, stft_workspace, sum_on};
use plotters::prelude::*;
use std::error::Error as Any;
use std::io::{self, Write};

/// Frames that are transformed at a time.
const TOGETHER: usize = 64;

/// A line for each frequency, the highest first, and a byte for each frame: its level, 255 at 0 dB.
pub struct Levels {
    pub width: usize,
    pub height: usize,
    pub bytes: Vec<u8>,
    /// The peak of the highest level: frame, bin, dB.
    pub peak: (usize, usize, f32),
}

fn magnitude(y: &Complex<f32>) -> f32 {
    y.re.hypot(y.im)
}

/// How many bins of a transform of `n` numbers share the amplitude at the frequency of bin `j`. One half of a tone is in its bin, the
/// other half in the bin of the negative frequency; bin 0, and bin `n / 2` of an even `n`, are their own partners.
fn partners(j: usize, n: usize) -> f32 {
    if j == 0 || 2 * j == n { 1.0 } else { 2.0 }
}

/// Whether no neighbour of bin `j` has a larger magnitude. The side of a constant's main lobe counts twice in a one-sided spectrum and
/// may thus exceed bin 0; it is no peak of its own.
fn is_peak(row: &[Complex<f32>], j: usize, n: usize) -> bool {
    // Bins n and -n are bin 0, and those of negative frequencies have the magnitudes of their partners.
    let at = |k: usize| row.get(k.min(n - k)).map_or(0.0, magnitude);
    let here = at(j);
    here >= at(j.abs_diff(1)) && here >= at(j + 1)
}

/// Levels down to `range` dB below a tone of full scale, whose peak has 0 dB. The picture has to fit into memory.
pub fn levels<S: Simd>(
    s: S,
    x: &[f32],
    n: usize,
    window: &[f32],
    hop: usize,
    range: f32,
) -> Result<Levels, Error> {
    let mut table = vec![0.0; rfft_plan_len(n)];
    let mut work = vec![Complex::ZERO; stft_workspace(n)];
    let plan = RealFft::plan(n, &mut table, &mut work)?;
    let (width, height) = (stft_frames(x.len(), window.len(), hop), plan.bins());
    let mut bytes = vec![0; width * height];
    let mut peak = (0, 0, f32::NEG_INFINITY);
    let full = sum_on(s, window);
    let mut out = vec![Complex::ZERO; TOGETHER * height];
    for first in (0..width).step_by(TOGETHER) {
        let frames = TOGETHER.min(width - first);
        let begin = first * hop;
        let part = &x[begin..begin + (frames - 1) * hop + window.len()];
        let out = &mut out[..frames * height];
        stft_on(s, &plan, window, hop, part, out, &mut work)?;
        for (f, row) in out.chunks_exact(height).enumerate() {
            for (j, y) in row.iter().enumerate() {
                let level = 20.0 * (partners(j, n) * magnitude(y) / full).log10();
                if level > peak.2 && is_peak(row, j, n) {
                    peak = (first + f, j, level);
                }
                bytes[(height - 1 - j) * width + first + f] = (255.0 * (1.0 + level / range)).round() as u8;
            }
        }
    }
    Ok(Levels { width, height, bytes, peak })
}

/// Colours from silence to full scale: each brighter than the one before.
fn palette() -> Vec<u8> {
    const STOPS: [[f32; 3]; 6] = [
        [0.0, 0.0, 0.0],
        [40.0, 12.0, 88.0],
        [128.0, 30.0, 108.0],
        [214.0, 70.0, 60.0],
        [250.0, 164.0, 36.0],
        [255.0, 255.0, 216.0],
    ];
    let colour = |i: usize| {
        let at = i as f32 / 255.0 * (STOPS.len() - 1) as f32;
        let k = (at as usize).min(STOPS.len() - 2);
        [0, 1, 2].map(|c| (STOPS[k][c] + (at - k as f32) * (STOPS[k + 1][c] - STOPS[k][c])).round() as u8)
    };
    (0..256).flat_map(colour).collect()
}

/// The picture as PNG.
pub fn png(levels: &Levels, to: &mut dyn Write) -> io::Result<()> {
    let side = |n: usize| u32::try_from(n).map_err(io::Error::other);
    let mut encoder = png::Encoder::new(to, side(levels.width)?, side(levels.height)?);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette());
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&levels.bytes)?;
    Ok(writer.finish()?)
}

/// What is said beside the levels.
pub struct About<'a> {
    pub title: &'a str,
    pub seconds: f64,
    /// Numbers of a second.
    pub rate: f64,
    /// Decibels from black to white.
    pub range: f64,
    pub lanes: &'a str,
}

/// The picture with axes, a scale of its colours, the machine and the date. The levels are in it as PNG.
pub fn svg(levels: &Levels, about: &About<'_>) -> Result<String, String> {
    let mut text = String::new();
    let [across, down] = draw(&mut text, about).map_err(|e| e.to_string())?;
    let mut bytes = Vec::new();
    png(levels, &mut bytes).map_err(|e| e.to_string())?;
    let [(x, w), (y, h)] = [across, down].map(|side| (side.start, side.end - side.start));
    let image = format!(
        "<image x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" preserveAspectRatio=\"none\" \
         href=\"data:image/png;base64,{}\"/>\n</svg>",
        STANDARD.encode(bytes)
    );
    Ok(text.replace("</svg>", &image))
}

/// Everything but the levels; where those go, across and down.
fn draw<'a>(
    text: &'a mut String,
    about: &About<'_>,
) -> Result<[core::ops::Range<i32>; 2], Box<dyn Any + 'a>> {
    const FONT: &str = "sans-serif";
    let root = SVGBackend::with_string(text, (960, 540)).into_drawing_area();
    root.fill(&WHITE)?;
    let (above, below) = root.split_vertically(518);
    let (main, scale) = above.split_horizontally(870);
    let small = |size: i32| (FONT, size).into_font().color(&RGBColor(40, 40, 40));
    let note = format!("lanes {}; {}", about.lanes, crate::chart::machine_and_date());
    below.draw(&Text::new(note, (12, 2), small(12)))?;
    let mut chart = ChartBuilder::on(&main)
        .caption(about.title, (FONT, 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..about.seconds, 0.0..about.rate / 2000.0)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_desc("time, s")
        .y_desc("frequency, kHz")
        .label_style((FONT, 13))
        .draw()?;
    let (across, down) = chart.plotting_area().get_pixel_range();
    let colours = palette();
    let height = f64::from(down.end - down.start);
    let at = |i: usize| down.end - (height * i as f64 / 256.0) as i32;
    for (i, c) in colours.chunks_exact(3).enumerate() {
        let colour = RGBColor(c[0], c[1], c[2]).filled();
        scale.draw(&Rectangle::new([(8, at(i + 1)), (26, at(i))], colour))?;
    }
    for i in 0..=4 {
        let level = format!("{:.0} dB", about.range * (f64::from(i) / 4.0 - 1.0));
        scale.draw(&Text::new(level, (30, at(64 * i as usize) - 8), small(13)))?;
    }
    root.present()?;
    Ok([across, down])
}
