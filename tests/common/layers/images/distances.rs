//! Distances to the nearest pixel that is 0, with the bits of a CPU.

use super::*;

/// Few, many and no pixels that are 0, in images of up to `most` rows; and rows so long that the nearest columns are far.
pub fn distances<D: Blocking>(gpu: &Gpu<D>, r: &mut Noise, most: usize) -> Result<(), Error> {
    let far = [r.within(257..=300), r.within(1..=3)];
    let high = [r.within(1..=3), r.within(257..=300)];
    for many in [0, 1, 2, 9, 200] {
        for size in [drawn(r, most), far, high] {
            let (from, to) = (Layout::random(r, size, 1), Layout::random(r, size, 1));
            let mut x: Vec<u8> =
                (0..from.len()).map(|_| if many == 1 { 0 } else { r.within(1..=255) as u8 }).collect();
            for p in &mut x {
                *p = if many > 1 && r.one_in(many) { 0 } else { *p };
            }
            if many == 200 {
                // The rightmost columns of all rows, so that the others are at each distance from them.
                for y in 0..size[1] {
                    let start = from.before + y * from.stride;
                    x[start..start + size[0]].fill(9);
                    x[start + size[0] - 1] = (y % 2) as u8;
                }
            }
            compare(
                (gpu, r),
                &("distance_transform", many),
                [(from, x)],
                to,
                |[x], to| {
                    let n = distance_transform_workspace(size[0]);
                    fulmen::distance_transform(x, to, &mut vec![7; n])
                },
                |[x], to: ImageViewMut<'_, f32, D>| gpu.distance_transform(x, to, ()),
            )?;
        }
    }
    // Groups of pixels that are 0, far from each other: rows between them have an envelope of several parabolas, of which some are above it.
    for _ in 0..2 {
        let size = [r.within(800..=900), r.within(5..=8)];
        let layout = Layout::random(r, size, 1);
        let mut x = vec![9u8; layout.len()];
        for group in [20, 380, 740] {
            for _ in 0..4 {
                let [column, row] = [group + r.within(0..=40), r.within(0..=size[1] - 1)];
                x[layout.before + row * layout.stride + column] = 0;
            }
        }
        let to = Layout::random(r, size, 1);
        compare(
            (gpu, r),
            &"distance_transform, groups",
            [(layout, x)],
            to,
            |[x], to| {
                let n = distance_transform_workspace(size[0]);
                fulmen::distance_transform(x, to, &mut vec![7; n])
            },
            |[x], to: ImageViewMut<'_, f32, D>| gpu.distance_transform(x, to, ()),
        )?;
    }
    // Squares that `f32` does not hold: one pixel that is 0 at an end of a row or of a column.
    if most > 1 {
        for size in [[5000 + r.within(0..=99), 1], [1, 9000 + r.within(0..=99)]] {
            let layout = Layout { size, channels: 1, before: 0, stride: size[0], after: 0 };
            let mut x = vec![1u8; layout.len()];
            x[0] = 0;
            compare(
                (gpu, r),
                &"distance_transform, far",
                [(layout, x)],
                layout,
                |[x], to| {
                    let n = distance_transform_workspace(size[0]);
                    fulmen::distance_transform(x, to, &mut vec![7; n])
                },
                |[x], to: ImageViewMut<'_, f32, D>| gpu.distance_transform(x, to, ()),
            )?;
        }
    }
    Ok(())
}
