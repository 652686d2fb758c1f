//! Attention of heads of any width by warp groups.

use super::*;
use common::device::half_attention;

/// Heads whose width is a multiple of an instruction's depth, of 16 bytes, and any: all run on warp groups, with masks, windows,
/// shared keys and sequences that share a launch or cannot.
#[test]
fn attention_of_any_width_keeps_its_contract() {
    let r = &mut Seed::new("attention_of_any_width_keeps_its_contract").stream("shapes");
    let mut cases: Vec<_> = [16, 8, 1]
        .map(|by| {
            let dim = by * r.size(256 / by);
            let causal = r.within(0..=1) == 1;
            let window = (r.within(0..=2) == 0).then(|| r.within(1..=150));
            let [n, len] = [r.within(2..=40), r.within(20..=140)];
            ([r.within(1..=2), 1, dim, n, len], causal, window)
        })
        .into();
    // How operands lie goes by the place in the list.
    cases.rotate_left(r.within(0..=2));
    for worst in half_attention(&hopper(2), r.within(1..=2), &cases).unwrap() {
        assert!(worst.share <= 1.0, "{worst:?}");
    }
}

/// The widest heads, whose tiles are no power of two and whose gradients of keys and of values come from two kernels; and heads that
/// are copied. None of them is widened.
#[test]
fn attention_of_the_widest_heads() {
    let of = "attention, the sums of gradients, those of queries";
    for (dim, more) in [(256, "those of keys, those of values"), (33, "those of keys and values, the copy")] {
        let gpu = hopper(8);
        for worst in half_attention(&gpu, 1, &[([1, 1, dim, 20, 90], true, None)]).unwrap() {
            assert!(worst.share <= 1.0, "{worst:?}");
        }
        assert_eq!(gpu.kernels(), 5, "{of}, {more}");
    }
}
