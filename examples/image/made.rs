//! A picture without a file: a landscape with noise.

use crate::picture::Picture;
use fulmen::random::Stream;

/// Columns and rows.
pub const SIZE: [usize; 2] = [640, 480];

/// A sky, a sun, two ridges, a tiled field, and a few pixels that are black or white, by the seed.
pub fn made(seed: u64) -> Picture {
    let [width, height] = SIZE;
    let mut noise = vec![0.0f32; width * height];
    fulmen::uniform(Stream::new(seed), &mut noise);
    let mut shape = [0.0f32; 6];
    fulmen::uniform(Stream::new(seed).with_id(1), &mut shape);
    let [sun_x, sun_y, first, second, steep, hue] = shape.map(f64::from);
    let ridge = |x: f64, base: f64, phase: f64| {
        let t = x * (3.0 + 2.0 * steep) + core::f64::consts::TAU * phase;
        base + 0.09 * t.sin() + 0.045 * (2.3 * t).sin() + 0.02 * (5.7 * t).sin()
    };
    let at = |i: usize| {
        let (x, y) = ((i % width) as f64 / height as f64, (i / width) as f64 / height as f64);
        let level = noise[i];
        if level < 0.004 {
            return if level < 0.002 { [0; 3] } else { [255; 3] };
        }
        let far = (x - 0.3 - 0.7 * sun_x).hypot(y - 0.15 - 0.1 * sun_y);
        let colour = if y > 0.78 {
            // Tiles in perspective.
            let depth = 0.25 / (y - 0.7);
            let tile = ((x - 0.66) * depth * 9.0).floor() + (depth * 6.0).floor();
            if tile.rem_euclid(2.0) < 1.0 { [222.0, 206.0, 170.0] } else { [96.0, 84.0, 78.0] }
        } else if y > ridge(x, 0.68, second) {
            [52.0, 92.0, 60.0 + 30.0 * hue]
        } else if y > ridge(x, 0.5, first) {
            [96.0 + 30.0 * hue, 112.0, 150.0]
        } else if far < 0.1 {
            [255.0, 236.0, 150.0]
        } else {
            let glow = 200.0 * (0.3 - far).max(0.0);
            [120.0 + 100.0 * y + glow, 170.0 + 40.0 * y + 0.6 * glow, 235.0 - 50.0 * y]
        };
        colour.map(|x| x.clamp(0.0, 255.0) as u8)
    };
    let data: Vec<u8> = (0..width * height).flat_map(at).collect();
    Picture::new(SIZE, 3, data)
}
