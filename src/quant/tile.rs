//! The product of four rows of quantised weights with one vector of activations; the sums stay in registers.

use super::block::{Active, Block, Sealed};
use crate::lanes::vector::Vector;
use crate::lanes::{Simd, from_fn};

/// Calls `f` for each chunk of 32 of a block, one after the other: what depends on the number is a constant there.
#[inline(always)]
fn each_chunk<S: Simd, B: Block>(mut f: impl FnMut(usize)) {
    const { assert!(B::ELEMENTS == 32 || B::ELEMENTS == 64 || B::ELEMENTS == 256) };
    if !S::REGISTERS {
        (0..B::ELEMENTS / 32).for_each(f);
        return;
    }
    f(0);
    if B::ELEMENTS > 32 {
        f(1);
    }
    if B::ELEMENTS > 64 {
        let ((), (), (), (), (), ()) = (f(2), f(3), f(4), f(5), f(6), f(7));
    }
}

/// Four products, of `R` rows of weights and a vector of activations, block by block; of one row four times the same. A
/// block's codes are multiplied in integers, and the products of blocks are added one after the other.
#[inline(always)]
#[allow(clippy::indexing_slicing, reason = "k % R < R")]
fn tile<'a, S: Simd, B: Block, const R: usize>(
    s: S,
    blocks: impl Iterator<Item = ([&'a B; R], &'a B::Partner)>,
) -> [f32; 4] {
    const {
        assert!(B::ELEMENTS == <B::Partner as Block>::ELEMENTS && (R == 4 || R == 1));
        assert!(B::OFFSET == 0 || B::GROUPS || B::ELEMENTS == 32);
    };
    let mut out = [0.0f32; 4];
    for (a, b) in blocks {
        // Less what an offset is multiplied with: lanes have it as they have the products, so there is one total of both.
        let each = if B::GROUPS { b.sums(s) } else { b.codes(s, 0) };
        let below = match (B::GROUPS, B::OFFSET) {
            (true, _) | (_, 0) => s.zero(),
            _ => s.plus(s.zero(), s.dot::<false>(s.zero(), s.bytes([1; 32]), each), -B::OFFSET),
        };
        let mut sums = [below; R];
        let mut fine = sums;
        let scales = from_fn::<_, R>(
            #[inline(always)]
            |r| a[r].scales(s),
        );
        each_chunk::<S, B>(
            #[inline(always)]
            |c| {
                let y = b.codes(s, c);
                for (((sum, fine), a), [scales, _]) in sums.iter_mut().zip(&mut fine).zip(&a).zip(&scales) {
                    let codes = a.codes(s, c);
                    if B::FINE {
                        *fine = s.dot::<true>(*fine, a.fine(s, c), y);
                    }
                    *sum = match (B::GROUPS, B::SIGNED) {
                        (true, _) => s.dot_scaled(*sum, codes, y, *scales, c),
                        (_, true) => s.dot::<true>(*sum, codes, y),
                        _ => s.dot::<false>(*sum, codes, y),
                    };
                }
            },
        );
        let totals = s.totals(from_fn(
            #[inline(always)]
            |k| {
                let r = k % R;
                match (B::FINE, B::GROUPS && B::OFFSET != 0) {
                    (true, _) => s.plus(fine[r], sums[r], 256),
                    (_, true) => s.plus(sums[r], s.dot_scales(scales[r][1], each), -B::OFFSET),
                    _ => sums[r],
                }
            },
        ));
        // What the mins are multiplied with.
        let below = match (B::MINS, B::GROUPS) {
            (true, true) => s.totals(from_fn(
                #[inline(always)]
                |k| s.dot_scales(scales[k % R][1], each),
            )),
            (true, false) => s.totals([s.dot::<false>(s.zero(), s.bytes([1; 32]), each); 4]),
            _ => [0; 4],
        };
        let [d, m] = B::factors(s, from_fn(|k| a[k % R]));
        let [by, _] = <B::Partner as Sealed>::factors(s, [b; 4]);
        for ((((out, total), below), (d, m)), by) in
            out.iter_mut().zip(totals).zip(below).zip(d.into_iter().zip(m)).zip(by)
        {
            *out += d * by * total as f32;
            if B::MINS {
                *out -= m * (by * below as f32);
            }
        }
    }
    out
}

/// The product of a row.
#[inline(always)]
pub(crate) fn product<S: Simd, B: Block>(s: S, a: &[B], b: &[B::Partner]) -> f32 {
    let pairs = a.iter().zip(b).map(
        #[inline(always)]
        |(a, b)| ([a], b),
    );
    let [y, ..] = tile::<S, B, 1>(s, pairs);
    y
}

/// The prefetch distance in bytes: a few lines, as hardware prefetchers run ahead, too.
pub(crate) const AHEAD: usize = 384;

/// Bytes of four rows that stay in the first cache beside what they are multiplied with.
pub(crate) const NEAR_BYTES: usize = 28 << 10;

/// Whether four rows at a time are best of four quarters of a matrix, each of which is then one stream from its start to
/// its end. Of few bits a weight multiplying takes longer than reading, and neighbours in memory, the next four of which are
/// prefetched meanwhile, need fewer pages at a time; but four long rows are more than the first cache.
pub(crate) const fn streams<B: Block>(each: usize) -> bool {
    4 * size_of::<B>() > 3 * B::ELEMENTS || 4 * each * size_of::<B>() > NEAR_BYTES
}

/// The products of four rows and a vector; the rows are far `apart`, or neighbours.
#[inline(always)]
pub(crate) fn of_rows<S: Simd, B: Block>(
    s: S,
    [a, b, c, d]: [&[B]; 4],
    apart: bool,
    x: &[B::Partner],
) -> [f32; 4] {
    if !S::REGISTERS {
        return [product(s, a, x), product(s, b, x), product(s, c, x), product(s, d, x)];
    }
    let mut next = d.as_ptr_range().end;
    let blocks = a.iter().zip(b).zip(c.iter().zip(d)).zip(x).map(
        #[inline(always)]
        |(((a, b), (c, d)), x)| {
            if apart {
                for row in [a, b, c, d] {
                    for line in (0..size_of::<B>()).step_by(64) {
                        S::F32::prefetch(s, core::ptr::from_ref(row).wrapping_byte_add(line + AHEAD).cast());
                    }
                }
            } else {
                for line in (0..4 * size_of::<B>()).step_by(64) {
                    S::F32::prefetch(s, next.wrapping_byte_add(line).cast());
                }
                next = next.wrapping_add(4);
            }
            ([a, b, c, d], x)
        },
    );
    tile::<S, B, 4>(s, blocks)
}
