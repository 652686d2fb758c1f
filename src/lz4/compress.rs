//! The LZ4 compressor: a greedy match finder with one candidate per hash, as in the `fast` level of LZ4. The kernel of
//! a device finds the same matches with a warp, which examines 32 positions at once and takes the first match.

/// Bits of a hash, as many as LZ4 has for blocks of up to 64 KiB: a table of 16 KiB, as stacks and a warp's shared memory hold it. With 12
/// of them blocks are up to 1.8 % larger.
pub(crate) const BITS: u32 = 13;
/// 2³² over the golden ratio (Knuth, The Art of Computer Programming 3, 6.4): the hash of four bytes is the upper bits of the product.
pub(crate) const MULTIPLIER: u32 = 2_654_435_761;
/// The fewest bytes of a match.
pub(crate) const LEAST: usize = 4;
/// A match begins so many bytes before the end at least, and ends [`TAIL`] before it at least.
pub(crate) const MARGIN: usize = 12;
/// Bytes at the end of a block that are always literals.
pub(crate) const TAIL: usize = 5;
/// Places between which the distance of two is the same, 1 at first and one more each time: what does not compress is soon past.
pub(crate) const PATIENCE: usize = 64;

/// Entries of places, by hash; all 0 at first, which is the place of the first byte.
type Table = [u16; 1 << BITS];

/// [`LEAST`] for places, which are words of 32 bits here: the compiler then sees that their sums are below those of `usize`.
const FOUR: u32 = LEAST as u32;
/// The least length that its token does not hold.
const LONG: u32 = 15;

#[inline(always)]
fn array<const N: usize>(x: &[u8], at: u32) -> Option<&[u8; N]> {
    x.get(at as usize..(at as usize).wrapping_add(N))?.first_chunk()
}

#[inline(always)]
fn load4(x: &[u8], at: u32) -> Option<u32> {
    array(x, at).map(|x| u32::from_le_bytes(*x))
}

#[inline(always)]
fn array_mut<const N: usize>(x: &mut [u8], at: u32) -> Option<&mut [u8; N]> {
    x.get_mut(at as usize..(at as usize).wrapping_add(N))?.first_chunk_mut()
}

#[inline(always)]
fn put<const N: usize>(out: &mut [u8], at: u32, bytes: [u8; N]) {
    if let Some(to) = array_mut(out, at) {
        *to = bytes;
    }
}

/// The place of `four` in the table, exchanged for `at`.
#[inline(always)]
fn exchange(table: &mut Table, four: u32, at: u32) -> u32 {
    let hash = four.wrapping_mul(MULTIPLIER) >> (32 - BITS);
    table.get_mut(hash as usize).map_or(0, |x| u32::from(core::mem::replace(x, at as u16)))
}

/// How many bytes from `a` and from `b` on are equal, if these are fewer than 16. A branch for each word is faster than one
/// for both: the processor goes on with the length that it expects.
#[inline(always)]
fn few(x: &[u8], a: u32, b: u32) -> Option<u32> {
    let (a, b) = (array::<16>(x, a)?, array::<16>(x, b)?);
    let word = |x: &[u8; 16], at: usize| {
        x.get(at..at + 8).and_then(|x| x.first_chunk()).map_or(0, |x| u64::from_le_bytes(*x))
    };
    let differ = word(a, 0) ^ word(b, 0);
    if differ != 0 {
        return Some(differ.trailing_zeros() / 8);
    }
    let differ = word(a, 8) ^ word(b, 8);
    if differ != 0 {
        return Some(8 + differ.trailing_zeros() / 8);
    }
    None
}

/// How many bytes from `a` and from `b` on are equal, before `end`, where `a < b`.
#[inline(always)]
fn common(x: &[u8], a: u32, b: u32, end: usize) -> u32 {
    let (Some(a), Some(b)) = (x.get(a as usize..), x.get(b as usize..end)) else { return 0 };
    let mut n = 0;
    while let (Some(x), Some(y)) = (array(a, n), array(b, n)) {
        let differ = u128::from_le_bytes(*x) ^ u128::from_le_bytes(*y);
        if differ != 0 {
            return n + differ.trailing_zeros() / 8;
        }
        n += 16;
    }
    while b.get(n as usize).is_some() && a.get(n as usize) == b.get(n as usize) {
        n += 1;
    }
    n
}

/// One block of at most 65536 bytes; how many of `out`, which has `lz4_bound` of them, were written. No lanes are in it: a
/// function of its own, whose loop has the registers for itself, is enough for all of them.
#[inline(never)]
pub(super) fn block(x: &[u8], out: &mut [u8]) -> usize {
    let table: &mut Table = &mut [0; _];
    let (mut anchor, mut at, mut tries, mut to) = (0u32, 1u32, 0, 0);
    // Where a match may begin four bytes are.
    let starts = x.get(..x.len().saturating_sub(MARGIN - LEAST)).unwrap_or_default();
    if starts.len() < LEAST {
        return last(x, 0, out, 0) as usize;
    }
    let end = starts.len() - LEAST;
    'all: loop {
        let mut from;
        // Places before `stop` are as far apart as `step` says.
        let mut step = 1;
        let mut stop = at + (PATIENCE as u32 - tries);
        'search: loop {
            let near = starts.get(..stop as usize + LEAST - 1).unwrap_or(starts);
            let Some(until) = near.len().checked_sub(LEAST) else { break 'all };
            let (mut here, stride) = (at as usize, step as usize);
            // A comparison with the last place stands for the check of a range, which is two.
            while here <= until
                && let Some(four) = near.get(here..here.wrapping_add(LEAST)).and_then(|x| x.first_chunk())
            {
                let four = u32::from_le_bytes(*four);
                from = exchange(table, four, here as u32);
                if from as usize <= end && load4(starts, from) == Some(four) {
                    at = here as u32;
                    break 'search;
                }
                here += stride;
            }
            at = here as u32;
            if at < stop {
                break 'all;
            }
            step += 1;
            stop = at + PATIENCE as u32 * step;
        }
        while at > anchor
            && let (Some(a), Some(b)) =
                (starts.get(at as usize - 1), starts.get(from.wrapping_sub(1) as usize))
            && a == b
        {
            (at, from) = (at - 1, from - 1);
        }
        if let Some(more) = few(starts, from + FOUR, at + FOUR)
            && let Some(next) = short(starts, anchor, at - anchor, at - from, more, out, to)
        {
            to = next;
            at += FOUR + more;
        } else {
            (at, to) = long(x, anchor, from, at, out, to);
        }
        // Matches that follow each other without literals between.
        loop {
            anchor = at;
            let Some(six) = array::<6>(starts, at - 2) else { break 'all };
            let [before, four] =
                [six.first_chunk(), six.last_chunk()].map(|x| x.map_or(0, |x| u32::from_le_bytes(*x)));
            // What a match ends with is often the beginning of the next.
            exchange(table, before, at - 2);
            from = exchange(table, four, at);
            let there = load4(starts, from);
            if there != Some(four) {
                (at, tries) = (at + 1, 1);
                break;
            }
            if let Some(more) = few(starts, from + FOUR, at + FOUR)
                && more < LONG
                && let Some(bytes) = array_mut(out, to)
            {
                // The fourth byte is written over.
                *bytes = (more | (at - from) << 8).to_le_bytes();
                to += 3;
                at += FOUR + more;
            } else {
                (at, to) = long(x, anchor, from, at, out, to);
            }
        }
    }
    last(x, anchor, out, to) as usize
}

/// Writes the literals from `anchor` on, which a block ends with: where it ends.
#[inline(never)]
fn last(x: &[u8], anchor: u32, out: &mut [u8], to: u32) -> u32 {
    let n = x.len() as u32 - anchor;
    put(out, to, [(n.min(LONG) << 4) as u8]);
    literals(x, anchor, n, out, to + 1)
}

/// Writes a sequence whose lengths are within its token, with whole words, if there is room for them: where the next one begins.
#[inline(always)]
fn short(x: &[u8], anchor: u32, n: u32, offset: u32, more: u32, out: &mut [u8], to: u32) -> Option<u32> {
    if n >= LONG || more >= LONG {
        return None;
    }
    let literals = array::<16>(x, anchor)?;
    let [token, rest @ ..] = array_mut::<18>(out, to)?;
    *token = (n << 4 | more) as u8;
    *rest.first_chunk_mut()? = *literals;
    *array_mut(rest, n)? = (offset as u16).to_le_bytes();
    Some(to + n + 3)
}

/// Writes a sequence of any lengths: where its match has its end, and where the next one begins.
#[cold]
#[inline(never)]
fn long(x: &[u8], anchor: u32, from: u32, at: u32, out: &mut [u8], to: u32) -> (u32, u32) {
    let (n, end) = (at - anchor, x.len());
    let more = common(x, from + FOUR, at + FOUR, end - TAIL);
    put(out, to, [(n.min(LONG) << 4 | more.min(LONG)) as u8]);
    let to = literals(x, anchor, n, out, to + 1);
    put(out, to, ((at - from) as u16).to_le_bytes());
    (at + FOUR + more, length(out, to + 2, more))
}

/// Writes what of a length is past the 15 of its token: where the next byte is written.
#[inline(always)]
fn length(out: &mut [u8], mut to: u32, n: u32) -> u32 {
    let Some(rest) = n.checked_sub(LONG) else { return to };
    if rest >= 255 {
        let whole = to + rest / 255;
        if let Some(bytes) = out.get_mut(to as usize..whole as usize) {
            bytes.fill(255);
        }
        to = whole;
    }
    put(out, to, [(rest % 255) as u8]);
    to + 1
}

/// Writes the length of `n` literals from `from` on, and them: where the next byte is written.
#[inline(always)]
fn literals(x: &[u8], mut from: u32, n: u32, out: &mut [u8], to: u32) -> u32 {
    let mut to = length(out, to, n);
    let end = to + n;
    // A call costs more than a few words.
    if n <= 256 {
        while to < end
            && let (Some(words), Some(bytes)) = (array::<16>(x, from), array_mut(out, to))
        {
            *bytes = *words;
            (to, from) = (to + 16, from + 16);
        }
    }
    if to < end
        && let Some(bytes) = out.get_mut(to as usize..end as usize)
        && let Some(rest) = x.get(from as usize..from as usize + bytes.len())
    {
        bytes.copy_from_slice(rest);
    }
    end
}
