//! Decoding: sequences are looked at before anything is written, so that what is malformed is refused with `out` as it was.

use super::compress::LEAST;

/// The length that a token's 15 begins, and the place past its bytes.
#[inline(always)]
fn length(x: &[u8], token: u8, mut at: usize) -> Option<(usize, usize)> {
    let mut n = usize::from(token);
    if token == 15 {
        loop {
            let more = *x.get(at)?;
            at += 1;
            n += usize::from(more);
            if more < 255 {
                break;
            }
        }
    }
    Some((n, at))
}

/// Where `x` is not a block of `n` bytes, and why.
#[inline(always)]
pub(super) fn check(x: &[u8], n: usize) -> Result<(), (usize, &'static str)> {
    let (mut here, mut made) = (0, 0);
    loop {
        let cut = (here, "the block ends within a sequence");
        let other = (here, "not as many bytes as the block has");
        let token = *x.get(here).ok_or(cut)?;
        // No sum leaves a word: each is at most 255 times what is in memory.
        let (literals, at) = length(x, token >> 4, here + 1).ok_or(cut)?;
        let at = at + literals;
        made += literals;
        let Some(offset) = x.get(at..).and_then(|x| x.first_chunk()) else {
            return match (at == x.len(), made == n) {
                (true, true) => Ok(()),
                (true, false) => Err(other),
                _ => Err(cut),
            };
        };
        let offset = usize::from(u16::from_le_bytes(*offset));
        if offset == 0 || offset > made {
            return Err((at, "an offset of 0, or to before the block"));
        }
        let more;
        (more, here) = length(x, token & 15, at + 2).ok_or(cut)?;
        made += more + LEAST;
        if made > n {
            return Err(other);
        }
    }
}

/// `n` bytes from `offset` before `at` to there, one after the other: a pattern repeats.
#[inline(always)]
fn repeat(out: &mut [u8], mut at: usize, offset: usize, n: usize) {
    let end = at + n;
    // A short pattern as often as it fits into eight bytes.
    let (step, pattern) = if offset < 8 {
        let eight =
            out.get(at - offset..).and_then(|x| x.first_chunk()).map_or(0, |x| u64::from_le_bytes(*x));
        let mut p = eight & ((1 << (8 * offset)) - 1);
        for k in [8, 16, 32] {
            p |= p.checked_shl((k * offset) as u32).unwrap_or(0);
        }
        (8 - 8 % offset.max(1), Some(p.to_le_bytes()))
    } else {
        (8, None)
    };
    while at < end
        && let Some(rest) = out.get_mut(at - offset..)
        && rest.len() >= offset + 8
    {
        let eight = pattern.or(rest.first_chunk().copied()).unwrap_or_default();
        if let Some(to) = rest.get_mut(offset..).and_then(|x| x.first_chunk_mut()) {
            *to = eight;
        }
        at += step;
    }
    while at < end {
        let byte = out.get(at - offset).copied().unwrap_or(0);
        if let Some(to) = out.get_mut(at) {
            *to = byte;
        }
        at += 1;
    }
}

/// Decodes what [`check`] passed.
#[inline(always)]
pub(super) fn block(x: &[u8], out: &mut [u8]) {
    let (mut at, mut made) = (0, 0);
    while let Some(token) = x.get(at) {
        let ahead = x.get(at + 1..).unwrap_or_default();
        let mut n = usize::from(token >> 4);
        let to = out.get_mut(made..).unwrap_or_default();
        if let (true, Some(from), Some(to)) = (n < 15, ahead.first_chunk::<16>(), to.first_chunk_mut()) {
            *to = *from;
            at += 1 + n;
        } else {
            let next;
            let Some(all) = length(x, token >> 4, at + 1) else { return };
            (n, next) = all;
            if let (Some(from), Some(to)) = (x.get(next..next + n), to.get_mut(..n)) {
                to.copy_from_slice(from);
            }
            at = next + n;
        }
        made += n;
        let Some(offset) = x.get(at..).and_then(|x| x.first_chunk()) else { return };
        let offset = usize::from(u16::from_le_bytes(*offset));
        let Some((more, next)) = length(x, token & 15, at + 2) else { return };
        at = next;
        let n = more + LEAST;
        let Some((before, after)) = out.split_at_mut_checked(made) else { return };
        let from = before.get(before.len().wrapping_sub(offset)..).unwrap_or_default();
        if let (true, Some(from), Some(to)) = (n <= 32, from.first_chunk::<32>(), after.first_chunk_mut()) {
            *to = *from;
        } else if let (Some(from), Some(to)) = (from.get(..n), after.get_mut(..n)) {
            to.copy_from_slice(from);
        } else {
            repeat(out, made, offset, n);
        }
        made += n;
    }
}
