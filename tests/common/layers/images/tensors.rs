//! Frames as tensors.

use super::*;

/// Frames in NV12 or of red, green and blue, as tensors in another size.
pub fn tensors<D: Blocking>(gpu: &Gpu<D>, r: &mut Noise, language: &str, most: usize) -> Result<(), Error> {
    // Drivers may fuse a product and a sum, of numbers below 1024.
    let tolerance = if language == "wgsl" { 1024.0 * f32::EPSILON } else { 0.0 };
    let coding = [Yuv::Bt601, Yuv::Bt709, Yuv::Bt601Full, Yuv::Bt709Full][r.within(0..=3)];
    // Rows that a block reads in one part, and in several.
    for (coding, parts) in [(None, false), (Some(coding), false), (None, true), (Some(coding), true)] {
        let by = |r: &mut Noise| {
            let all = [
                Interpolation::Bilinear,
                Interpolation::Lanczos3,
                Interpolation::Area,
                Interpolation::Nearest,
            ];
            all[r.within(0..=3)]
        };
        let (mut from, mut to) = (drawn(r, most), drawn(r, most));
        if parts {
            let least = if coding.is_some() { 4100 } else { 1370 };
            (from, to) = ([r.within(least..=least + 99), r.size(3)], [r.size(5), r.size(3)]);
        }
        let resize = Resize { from, to, by: by(r), antialias: r.one_in(2) };
        let of_chroma = Resize { by: by(r), ..resize.chroma() };
        let mut three = || [0; 3].map(|_| r.within(0..=1000) as f32 / 300.0 - 1.0);
        let n = Normalization { scale: three(), offset: three() };
        let source = Layout::random(r, from, if coding.is_some() { 1 } else { 3 });
        let pairs = Layout::random(r, of_chroma.from, 2);
        let (x, uv): (Vec<u8>, Vec<u8>) = (source.noise(r), pairs.noise(r));
        let mut memory =
            [resize, of_chroma].map(|of| (vec![[0; 2]; of.spans()], vec![0; of.weights::<i16>()]));
        let [(s, w), (t, v)] = &mut memory;
        let (plan, other) = (ResizePlan::new(resize, s, w)?, ResizePlan::new(of_chroma, t, v)?);
        // Elements before and behind the result stay.
        let (before, len) = (r.within(0..=3), 3 * to[0] * to[1]);
        let old = vec![7.0f32; before + len + 2];
        let (mut want, mut got) = (old.clone(), old.clone());
        let need = rgb_to_tensor_workspace(from[0], to[0]).max(nv12_to_tensor_workspace(from[0], to[0]));
        let mut workspace = vec![7; need];
        let (on, on_pairs, mut out) = (gpu.upload(&x)?, gpu.upload(&uv)?, gpu.upload(&old)?);
        let (frame, frame_pairs) = (source.device(on.view()), pairs.device(on_pairs.view()));
        let [_, rest] = out.view_mut().split(before)?;
        let [part, _] = rest.split(len)?;
        let dst = &mut want[before..before + len];
        match coding {
            None => {
                fulmen::rgb_to_tensor(plan, source.host(&x), n, dst, &mut workspace)?;
                gpu.rgb_to_tensor(plan, frame, n, part, ())?;
            }
            Some(coding) => {
                let (y, c) = (source.host(&x), pairs.host(&uv));
                fulmen::nv12_to_tensor(plan, other, y, c, coding, n, dst, &mut workspace)?;
                gpu.nv12_to_tensor(plan, other, frame, frame_pairs, coding, n, part, ())?;
            }
        }
        gpu.download(out.view(), &mut got)?;
        let differ =
            |(x, y): (&f32, &f32)| x.to_bits() != y.to_bits() && ((x - y).abs() > tolerance || x.is_nan());
        assert!(
            !got.iter().zip(&want).any(differ),
            "{coding:?} {resize:?} {of_chroma:?} {source:?} {pairs:?} {n:?}: {got:?}, not {want:?}"
        );
    }
    Ok(())
}
