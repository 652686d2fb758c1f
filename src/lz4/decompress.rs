//! The LZ4 decompressor: one pass that checks a sequence where it decodes it.

use super::compress::LEAST;

/// What is wrong with an offset.
const OFFSET: &&str = &"an offset of 0, or to before the block";
/// What is wrong with the lengths together.
const LENGTH: &&str = &"not as many bytes as the block has";

/// What is wrong where a block has no end.
const CUT: &&str = &"the block ends within a sequence";

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

/// Copies `N` bytes within `window`.
#[inline(always)]
fn step<const N: usize>(window: &mut [u8], from: usize, to: usize) -> Option<()> {
    let bytes: [u8; N] = *window.get(from..)?.first_chunk()?;
    *window.get_mut(to..)?.first_chunk_mut()? = bytes;
    Some(())
}

/// Bytes of `x` that a sequence of fewer than 15 literals is read with: its token, 15 literals, its offset.
const AHEAD: usize = 18;
/// Bytes of `out` that it is written with, if its match is of fewer than 19 bytes: 14 literals, 24 bytes of the match, and two more.
const ROOM: usize = 40;

/// Decodes the sequence at `at`, if it has fewer than 15 literals, its offset is 8 or more, and there is room for whole words past its
/// end: where the next one is, and how many bytes of `out` are written then.
#[inline(always)]
fn quick(x: &[u8], at: usize, out: &mut [u8], made: usize) -> Option<(usize, usize)> {
    let [token, behind @ ..] = x.get(at..at + AHEAD)?.first_chunk::<AHEAD>()?;
    let (literals, more) = (usize::from(token >> 4), usize::from(token & 15));
    if literals == 15 {
        return None;
    }
    let offset = usize::from(u16::from_le_bytes(*behind.get(literals..)?.first_chunk()?));
    *out.get_mut(made..made + 16)?.first_chunk_mut()? = *behind.first_chunk::<16>()?;
    let here = made + literals;
    if offset < 8 || offset > here {
        return None;
    }
    if more < 15 {
        // One after the other: the later ones may read what the first have written.
        let window = out.get_mut(here - offset..here + 24)?;
        step::<8>(window, 0, offset)?;
        step::<8>(window, 8, offset + 8)?;
        step::<2>(window, 16, offset + 16)?;
        return Some((at + literals + 3, here + more + LEAST));
    }
    let (more, next) = length(x, 15, at + literals + 3)?;
    let n = more + LEAST;
    let window = out.get_mut(here - offset..here + n + 32)?;
    let mut k = 0;
    if offset >= 32 {
        while k < n {
            step::<32>(window, k, offset + k)?;
            k += 32;
        }
    } else {
        while k < n {
            step::<8>(window, k, offset + k)?;
            k += 8;
        }
    }
    Some((next, here + n))
}

/// Decodes all sequences that follow each other for which it is [`quick`]. Its two comparisons stand for the checks of the ranges there.
#[inline(never)]
fn quickly(x: &[u8], mut at: usize, out: &mut [u8], mut made: usize) -> (usize, usize) {
    let (Some(last), Some(full)) = (x.len().checked_sub(AHEAD), out.len().checked_sub(ROOM)) else {
        return (at, made);
    };
    while at <= last
        && made <= full
        && let Some(next) = quick(x, at, out, made)
    {
        (at, made) = next;
    }
    (at, made)
}

/// Decodes the block `x` to all of `out`, in one pass: each copy is of bytes that are there, to where there is room. What is no block of
/// as many bytes is an error, with the byte of `x` where its sequence is wrong, and the reason.
#[inline(always)]
pub(super) fn block(x: &[u8], out: &mut [u8]) -> Result<(), (usize, &'static &'static str)> {
    let (mut at, mut made) = (0, 0);
    loop {
        (at, made) = quickly(x, at, out, made);
        let (cut, other) = ((at, CUT), (at, LENGTH));
        let token = *x.get(at).ok_or(cut)?;
        let ahead = x.get(at + 1..).unwrap_or_default();
        let mut n = usize::from(token >> 4);
        let to = out.get_mut(made..).unwrap_or_default();
        if let (true, Some(from), Some(to)) = (n < 15, ahead.first_chunk::<16>(), to.first_chunk_mut()) {
            *to = *from;
            at += 1 + n;
        } else {
            // No sum leaves a word: each is at most 255 times what is in memory.
            let next;
            (n, next) = length(x, token >> 4, at + 1).ok_or(cut)?;
            let from = x.get(next..next + n).ok_or(cut)?;
            to.get_mut(..n).ok_or(other)?.copy_from_slice(from);
            at = next + n;
        }
        made += n;
        let Some(offset) = x.get(at..).and_then(|x| x.first_chunk()) else {
            return match (at == x.len(), made == out.len()) {
                (true, true) => Ok(()),
                (true, false) => Err(other),
                _ => Err(cut),
            };
        };
        let offset = usize::from(u16::from_le_bytes(*offset));
        if offset == 0 || offset > made {
            return Err((at, OFFSET));
        }
        let (more, next) = length(x, token & 15, at + 2).ok_or(cut)?;
        at = next;
        let n = more + LEAST;
        let (before, after) = out.split_at_mut_checked(made).ok_or(other)?;
        if n > after.len() {
            return Err(other);
        }
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
