//! Numbers on the border between two codes, and the floats beside them.

use super::*;

/// The levels of QLoRA's table, as bitsandbytes writes them.
const LEVELS: [f32; 16] = [
    -1.0,
    -0.696_192_8,
    -0.525_073_05,
    -0.394_917_5,
    -0.284_441_38,
    -0.184_773_43,
    -0.091_050_036,
    0.0,
    0.079_580_3,
    0.160_930_2,
    0.246_112_3,
    0.337_915_24,
    0.440_709_83,
    0.562_617,
    0.722_956_84,
    1.0,
];

/// What the first elements of a block become whose others are `top`, which its scale is made from.
fn coded<B: Block>(x: &[f32], top: f32) -> Vec<f32> {
    let mut block = vec![top; B::ELEMENTS];
    block[..x.len()].copy_from_slice(x);
    let mut to = zeros::<B>(1);
    quantize(&block, None, &mut to).unwrap();
    let mut back = numbers(&to);
    back.truncate(x.len());
    back
}

fn levels<B: Block>() {
    // Powers of two change no digit of a border.
    for scale in [1.0f32, 0.125, 64.0] {
        for (i, w) in LEVELS.windows(2).enumerate() {
            let border = (w[0] + w[1]) * 0.5;
            let beside = [border.next_down(), border, border.next_up()].map(|x| x * scale);
            // On the border it is the lower level.
            let want = [w[0], w[0], w[1]].map(|x| x * scale);
            assert_eq!(coded::<B>(&beside, scale), want, "{} {i} at {scale}", B::NAME);
        }
    }
}

#[test]
fn borders_of_levels() {
    levels::<NF4>();
    levels::<NF4_LOW>();
}

fn halves<B: Block>() {
    for scale in [1.0f32, 0.25, 8.0] {
        for whole in 0..127 {
            let tie = whole as f32 + 0.5;
            let (below, above) = (whole as f32, whole as f32 + 1.0);
            for sign in [1.0, -1.0] {
                // With a scale of 1 the codes are the numbers; a tie goes away from zero.
                let beside = [tie.next_down(), tie, tie.next_up()].map(|x| sign * x * scale);
                let want = [below, above, above].map(|x| sign * x * scale);
                assert_eq!(coded::<B>(&beside, 127.0 * scale), want, "{} {tie} at {scale}", B::NAME);
            }
        }
    }
}

#[test]
fn ties_of_bytes() {
    halves::<Q8_0>();
    halves::<Q8_1>();
    halves::<Q8_K>();
    halves::<Q8_64>();
}
