//! The LZ4 decompressor. All sequences are validated before anything is written, so that a malformed block is refused
//! and `out` is unchanged.

use super::compress::LEAST;

/// What is wrong with an offset.
const OFFSET: &&str = &"an offset of 0, or to before the block";
/// What is wrong with the lengths together.
const LENGTH: &&str = &"not as many bytes as the block has";

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

/// Bytes of a sequence whose lengths are within its token, literals of fewer than 15 bytes among them.
const SHORT: usize = 18;

/// The sequence at `here`, if its lengths are within its token and it is far from the end: the literals and what may follow
/// them, how many there are, the offset, and the length of the match less [`LEAST`].
#[inline(always)]
fn short(x: &[u8], here: usize) -> Option<(&[u8; 16], usize, usize, usize)> {
    let ahead = x.get(here..)?.first_chunk::<SHORT>()?;
    let [token, behind @ ..] = ahead;
    let (literals, more) = (usize::from(token >> 4), usize::from(token & 15));
    if literals == 15 || more == 15 {
        return None;
    }
    let offset = u16::from_le_bytes(*behind.get(literals..)?.first_chunk()?);
    Some((behind.first_chunk()?, literals, usize::from(offset), more))
}

/// [`check`] of all [`short`] sequences that follow each other: where the next one is, and what they make. A loop of its own
/// keeps what it needs in registers.
#[inline(never)]
fn checked(
    x: &[u8],
    mut here: usize,
    mut made: usize,
    n: usize,
) -> Result<(usize, usize), (usize, &'static &'static str)> {
    while let Some((_, literals, offset, more)) = short(x, here) {
        made += literals;
        // An offset of 0 is beyond everything.
        if offset.wrapping_sub(1) >= made {
            return Err((here + 1 + literals, OFFSET));
        }
        made += more + LEAST;
        if made > n {
            return Err((here, LENGTH));
        }
        here += literals + 3;
    }
    Ok((here, made))
}

/// Where `x` is not a block of `n` bytes, and why.
#[inline(always)]
pub(super) fn check(x: &[u8], n: usize) -> Result<(), (usize, &'static &'static str)> {
    let (mut here, mut made) = (0, 0);
    loop {
        (here, made) = checked(x, here, made, n)?;
        let cut = (here, &"the block ends within a sequence");
        let other = (here, LENGTH);
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
            return Err((at, OFFSET));
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

/// Decodes the sequence at `at`, if it is a [`short`] one and there is room for whole words past its end: how many bytes it
/// is, and makes.
#[inline(always)]
fn quick(x: &[u8], at: usize, out: &mut [u8], made: usize) -> Option<(usize, usize)> {
    let (bytes, literals, offset, more) = short(x, at)?;
    let room = out.get_mut(made..)?;
    *room.first_chunk_mut()? = *bytes;
    let here = made + literals;
    let from = out.get_mut(here.wrapping_sub(offset)..)?;
    if offset < 8 || from.len() < offset + 24 {
        return None;
    }
    // One after the other: the later ones may read what the first have written.
    for k in [0, 8] {
        let eight: [u8; 8] = *from.get(k..)?.first_chunk()?;
        *from.get_mut(offset + k..)?.first_chunk_mut()? = eight;
    }
    let two: [u8; 2] = *from.get(16..)?.first_chunk()?;
    *from.get_mut(offset + 16..)?.first_chunk_mut()? = two;
    Some((literals + 3, literals + more + LEAST))
}

/// Decodes all sequences that follow each other for which it is [`quick`].
#[inline(never)]
fn quickly(x: &[u8], mut at: usize, out: &mut [u8], mut made: usize) -> (usize, usize) {
    while let Some((read, wrote)) = quick(x, at, out, made) {
        (at, made) = (at + read, made + wrote);
    }
    (at, made)
}

/// Decodes what [`check`] passed.
#[inline(always)]
pub(super) fn block(x: &[u8], out: &mut [u8]) {
    let (mut at, mut made) = (0, 0);
    loop {
        (at, made) = quickly(x, at, out, made);
        let Some(token) = x.get(at) else { return };
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
