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
pub(super) type Table = [u16; 1 << BITS];

#[inline(always)]
fn load4(x: &[u8], at: usize) -> u32 {
    x.get(at..).and_then(|x| x.first_chunk()).map_or(0, |x| u32::from_le_bytes(*x))
}

#[inline(always)]
fn load8(x: &[u8], at: usize) -> Option<u64> {
    x.get(at..).and_then(|x| x.first_chunk()).map(|x| u64::from_le_bytes(*x))
}

/// The place of `four` in the table, exchanged for `at`.
#[inline(always)]
fn exchange(table: &mut Table, four: u32, at: usize) -> usize {
    let hash = four.wrapping_mul(MULTIPLIER) >> (32 - BITS);
    table.get_mut(hash as usize).map_or(0, |x| usize::from(core::mem::replace(x, at as u16)))
}

/// How many bytes from `a` and from `b` on are equal, before `end`, where `a < b`.
#[inline(always)]
fn common(x: &[u8], a: usize, b: usize, end: usize) -> usize {
    let (Some(a), Some(b)) = (x.get(a..), x.get(b..end)) else { return 0 };
    let eight = |x: &[u8], at: usize| load8(x, at);
    let mut n = 0;
    while let (Some(x), Some(y)) = (eight(a, n), eight(b, n)) {
        if x != y {
            return n + (x ^ y).trailing_zeros() as usize / 8;
        }
        n += 8;
        while let (Some(x), Some(y)) =
            (a.get(n..).and_then(|x| x.first_chunk::<32>()), b.get(n..).and_then(|x| x.first_chunk()))
            && x == y
        {
            n += 32;
        }
    }
    while b.get(n).is_some() && a.get(n) == b.get(n) {
        n += 1;
    }
    n
}

/// One block of at most 65536 bytes; how many of `out`, which has `lz4_bound` of them, were written.
#[inline(always)]
pub(super) fn block(x: &[u8], table: &mut Table, out: &mut [u8]) -> usize {
    let end = x.len();
    let mut to = Writer { out, at: 0 };
    let (mut anchor, mut at, mut tries) = (0, 1, 0);
    let starts = x.get(..end.saturating_sub(MARGIN - LEAST)).unwrap_or_default();
    'all: loop {
        let mut from;
        loop {
            // Where a match may begin four bytes are.
            let Some(four) = starts.get(at..).and_then(|x| x.first_chunk()) else { break 'all };
            let four = u32::from_le_bytes(*four);
            from = exchange(table, four, at);
            if load4(starts, from) == four {
                break;
            }
            at += 1 + tries / PATIENCE;
            tries += 1;
        }
        while at > anchor && from > 0 && x.get(at - 1) == x.get(from - 1) {
            (at, from) = (at - 1, from - 1);
        }
        let more = common(x, from + LEAST, at + LEAST, end - TAIL);
        let literals = x.get(anchor..at).unwrap_or_default();
        to.sequence(literals, x.get(anchor..).unwrap_or_default(), at - from, more);
        at += LEAST + more;
        (anchor, tries) = (at, 0);
        // What a match ends with is often the beginning of the next.
        exchange(table, load4(x, at - 2), at - 2);
    }
    to.last(x.get(anchor..).unwrap_or_default());
    to.at
}

/// Writes sequences one after the other.
struct Writer<'a> {
    out: &'a mut [u8],
    at: usize,
}

impl Writer<'_> {
    #[inline(always)]
    fn byte(&mut self, byte: u8) {
        if let Some(to) = self.out.get_mut(self.at) {
            *to = byte;
        }
        self.at += 1;
    }

    /// What of a length is past the 15 of its token.
    #[inline(always)]
    fn length(&mut self, n: usize) {
        let Some(mut rest) = n.checked_sub(15) else { return };
        while rest >= 255 {
            self.byte(255);
            rest -= 255;
        }
        self.byte(rest as u8);
    }

    /// Literals, which `ahead` begins with.
    #[inline(always)]
    fn literals(&mut self, literals: &[u8], ahead: &[u8]) {
        let n = literals.len();
        match (self.out.get_mut(self.at..).and_then(|x| x.first_chunk_mut::<16>()), ahead.first_chunk::<16>())
        {
            (Some(to), Some(from)) if n <= 16 => *to = *from,
            _ => {
                if let Some(to) = self.out.get_mut(self.at..self.at + n) {
                    to.copy_from_slice(literals);
                }
            }
        }
        self.at += n;
    }

    #[inline(always)]
    fn sequence(&mut self, literals: &[u8], ahead: &[u8], offset: usize, more: usize) {
        self.byte((literals.len().min(15) << 4 | more.min(15)) as u8);
        self.length(literals.len());
        self.literals(literals, ahead);
        if let Some(to) = self.out.get_mut(self.at..).and_then(|x| x.first_chunk_mut()) {
            *to = (offset as u16).to_le_bytes();
        }
        self.at += 2;
        self.length(more);
    }

    #[inline(always)]
    fn last(&mut self, literals: &[u8]) {
        self.byte((literals.len().min(15) << 4) as u8);
        self.length(literals.len());
        self.literals(literals, literals);
    }
}
