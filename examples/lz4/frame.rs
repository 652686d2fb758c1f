//! LZ4 frames, over the library's blocks: written in independent blocks of 64 KiB, read in every form but those that need a dictionary.
//!
//! Source: "LZ4 Frame Format Description" 1.6.4, Y. Collet (lz4_Frame_format.md).

use core::fmt;
use core::hash::Hasher;
use fulmen::lz4::LZ4_BLOCK;
use fulmen::{lz4_bound, lz4_decompress};
use std::io::{self, ErrorKind, Read, Write};
use twox_hash::XxHash32;

const MAGIC: u32 = 0x184D_2204;
/// Frames of before 2013: blocks of up to 8 MiB up to the end of the file or to another frame.
const LEGACY: u32 = 0x184C_2102;
const LEGACY_BLOCK: usize = 8 << 20;
/// Frames that readers pass over have one of 16 numbers.
const SKIPPED: u32 = 0x184D_2A50;
/// The bit of a block's size that says that it is not compressed.
const PLAIN: u32 = 1 << 31;
/// The farthest that a match lies back.
const WINDOW: usize = 65_535;
/// Blocks that are compressed at a time.
const TOGETHER: usize = 64;

/// Bits of a frame's first byte. The upper two are its version, 1.
mod flag {
    pub const VERSION: u8 = 0x40;
    pub const INDEPENDENT: u8 = 0x20;
    pub const BLOCK_SUMS: u8 = 0x10;
    pub const SIZE: u8 = 8;
    pub const SUM: u8 = 4;
    pub const DICTIONARY: u8 = 1;
}

/// Why a file is not read or written.
#[derive(Debug)]
pub enum Failed {
    /// What is read cannot be.
    From(io::Error),
    /// What is written cannot be.
    To(io::Error),
    /// No frame is there, or one that is damaged.
    Wrong { at: u64, why: String },
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::From(e) | Self::To(e) => write!(f, "{e}"),
            Self::Wrong { at, why } => write!(f, "byte {at}: {why}"),
        }
    }
}

fn sum(bytes: &[u8]) -> u32 {
    XxHash32::oneshot(0, bytes)
}

/// The check of a frame's head.
fn head_sum(head: &[u8]) -> u8 {
    (sum(head) >> 8) as u8
}

/// Compresses what `from` has, of which `size` bytes are known to come. Returns how many came and how many were written.
pub fn write(from: &mut dyn Read, size: Option<u64>, to: &mut dyn Write) -> Result<[u64; 2], Failed> {
    let mut head = vec![
        flag::VERSION | flag::INDEPENDENT | flag::SUM | if size.is_some() { flag::SIZE } else { 0 },
        4 << 4,
    ];
    head.extend(size.into_iter().flat_map(u64::to_le_bytes));
    let check = head_sum(&head);
    let (mut came, mut went) = (0, 0);
    let mut put = |bytes: &[u8]| {
        went += bytes.len() as u64;
        to.write_all(bytes).map_err(Failed::To)
    };
    put(&[&MAGIC.to_le_bytes(), &head[..], &[check]].concat())?;
    let each = lz4_bound(LZ4_BLOCK);
    let (mut data, mut slots, mut sizes) = (Vec::new(), vec![0; TOGETHER * each], vec![0; TOGETHER]);
    let mut all = XxHash32::with_seed(0);
    loop {
        data.clear();
        from.take((TOGETHER * LZ4_BLOCK) as u64).read_to_end(&mut data).map_err(Failed::From)?;
        if data.is_empty() {
            break;
        }
        came += data.len() as u64;
        all.write(&data);
        let blocks = data.len().div_ceil(LZ4_BLOCK);
        #[cfg(not(feature = "parallel"))]
        use fulmen::lz4_compress;
        #[cfg(feature = "parallel")]
        use fulmen::parallel::lz4_compress;
        let (slots, sizes) = (&mut slots[..blocks * each], &mut sizes[..blocks]);
        lz4_compress(&data, LZ4_BLOCK, slots, sizes)
            .map_err(|e| Failed::From(io::Error::other(e.to_string())))?;
        for (plain, (slot, n)) in data.chunks(LZ4_BLOCK).zip(slots.chunks(each).zip(sizes)) {
            let small = &slot[..*n as usize];
            let (bytes, bit) = if small.len() < plain.len() { (small, 0) } else { (plain, PLAIN) };
            put(&(bytes.len() as u32 | bit).to_le_bytes())?;
            put(bytes)?;
        }
    }
    if size.is_some_and(|size| size != came) {
        return Err(Failed::From(io::Error::other("it changed while it was read")));
    }
    put(&[0; 4])?;
    put(&all.finish_32().to_le_bytes())?;
    Ok([came, went])
}

/// What is read, and how far it has been.
struct Source<'a> {
    from: &'a mut dyn Read,
    at: u64,
}

impl Source<'_> {
    /// `n` bytes, of which there may be none, but not some.
    fn bytes(&mut self, n: usize, to: &mut Vec<u8>) -> Result<bool, Failed> {
        to.clear();
        (&mut *self.from).take(n as u64).read_to_end(to).map_err(Failed::From)?;
        self.at += to.len() as u64;
        match to.len() {
            len if len == n => Ok(true),
            0 => Ok(false),
            _ => self.cut(),
        }
    }
    fn cut<T>(&self) -> Result<T, Failed> {
        wrong(self.at, "the file ends within a frame")
    }
    fn array<const N: usize>(&mut self) -> Result<Option<[u8; N]>, Failed> {
        let mut bytes = Vec::new();
        Ok(if self.bytes(N, &mut bytes)? { bytes.try_into().ok() } else { None })
    }
    fn next<const N: usize>(&mut self) -> Result<[u8; N], Failed> {
        self.array()?.map_or_else(|| self.cut(), Ok)
    }
    fn word(&mut self) -> Result<u32, Failed> {
        self.next().map(u32::from_le_bytes)
    }
}

fn wrong<T>(at: u64, why: impl Into<String>) -> Result<T, Failed> {
    Err(Failed::Wrong { at, why: why.into() })
}

/// Writes what all frames of `from` stand for. Returns how many bytes were read and written.
pub fn read(from: &mut dyn Read, to: &mut dyn Write) -> Result<[u64; 2], Failed> {
    let (mut source, mut went) = (Source { from, at: 0 }, 0);
    let mut magic = Some(match source.array()? {
        Some(word) => u32::from_le_bytes(word),
        None => return wrong(0, "it is empty, and no LZ4 frame"),
    });
    while let Some(now) = magic {
        if now == LEGACY {
            magic = old_frame(&mut source, &mut went, to)?;
            continue;
        }
        let at = source.at - 4;
        match now {
            MAGIC => went += frame(&mut source, to)?,
            _ if now & !15 == SKIPPED => {
                let n = u64::from(source.word()?);
                let passed =
                    io::copy(&mut (&mut *source.from).take(n), &mut io::sink()).map_err(Failed::From)?;
                source.at += passed;
                if passed < n {
                    return source.cut();
                }
            }
            _ if at == 0 => return wrong(0, "it does not begin as an LZ4 frame"),
            _ => return wrong(at, "no LZ4 frame follows the one before"),
        }
        magic = source.array()?.map(u32::from_le_bytes);
    }
    Ok([source.at, went])
}

/// The rest of a frame; how many bytes it stands for.
fn frame(source: &mut Source<'_>, to: &mut dyn Write) -> Result<u64, Failed> {
    let at = source.at;
    let mut head = source.next::<2>()?.to_vec();
    let (flags, size) = (head[0], usize::from(head[1] >> 4));
    if flags & 0xC0 != flag::VERSION {
        return wrong(at, format!("frames of version {} are not read, only of version 1", flags >> 6));
    }
    if flags & 2 != 0 || head[1] & 0x8F != 0 || size < 4 {
        return wrong(at, "bits of the frame's head are set that have no meaning");
    }
    let most = 1 << (8 + 2 * size);
    let has = |bit| flags & bit != 0;
    let known = if has(flag::SIZE) { Some(source.next::<8>()?) } else { None };
    let dictionary = if has(flag::DICTIONARY) { Some(source.next::<4>()?) } else { None };
    head.extend(known.iter().flatten().chain(dictionary.iter().flatten()));
    let [check] = source.next()?;
    if check != head_sum(&head) {
        return wrong(source.at - 1, "the check of the frame's head differs: it is damaged");
    }
    if let Some(id) = dictionary {
        return wrong(
            at,
            format!("the frame needs the dictionary {}, and none is read", u32::from_le_bytes(id)),
        );
    }
    let (mut total, mut all, mut block, mut done) = (0u64, XxHash32::with_seed(0), Vec::new(), Vec::new());
    loop {
        let begin = source.at;
        let word = source.word()?;
        if word == 0 {
            break;
        }
        let n = (word & !PLAIN) as usize;
        if n > most {
            return wrong(begin, format!("a block of {n} bytes is larger than the {most} of this frame's"));
        }
        if !source.bytes(n, &mut block)? {
            return source.cut();
        }
        if has(flag::BLOCK_SUMS) && source.word()? != sum(&block) {
            return wrong(begin, "the checksum of the block differs: it is damaged");
        }
        // What was written is what matches refer to.
        let kept = if has(flag::INDEPENDENT) { 0 } else { done.len().min(WINDOW) };
        done.drain(..done.len() - kept);
        if word & PLAIN != 0 {
            done.extend_from_slice(&block);
        } else {
            decode(&block, &mut done, most).or_else(|why| wrong(begin, why))?;
        }
        let new = &done[kept..];
        all.write(new);
        total += new.len() as u64;
        to.write_all(new).map_err(Failed::To)?;
    }
    let end = source.at;
    if has(flag::SUM) && source.word()? != all.finish_32() {
        return wrong(end, "the checksum of the frame differs: it is damaged");
    }
    match known.map(u64::from_le_bytes) {
        Some(said) if said != total => wrong(end, format!("the frame has {total} bytes, and says {said}")),
        _ => Ok(total),
    }
}

/// The rest of a frame of the old form; the number that the next one begins with.
fn old_frame(source: &mut Source<'_>, went: &mut u64, to: &mut dyn Write) -> Result<Option<u32>, Failed> {
    let (mut block, mut done) = (Vec::new(), Vec::new());
    loop {
        let begin = source.at;
        let Some(word) = source.array()?.map(u32::from_le_bytes) else { return Ok(None) };
        if word == MAGIC || word == LEGACY || word & !15 == SKIPPED {
            return Ok(Some(word));
        }
        let n = word as usize;
        if n > lz4_bound(LEGACY_BLOCK) {
            return wrong(begin, format!("a block of {n} bytes is larger than those of old frames"));
        }
        if !source.bytes(n, &mut block)? {
            return source.cut();
        }
        done.clear();
        decode(&block, &mut done, LEGACY_BLOCK).or_else(|why| wrong(begin, why))?;
        *went += done.len() as u64;
        to.write_all(&done).map_err(Failed::To)?;
    }
}

/// The length that a token's four bits begin, and the place past its bytes.
fn length(x: &[u8], four: u8, mut at: usize) -> Option<(usize, usize)> {
    let mut n = usize::from(four);
    while let (true, Some(more)) = (n >= 15, x.get(at)) {
        at += 1;
        n += usize::from(*more);
        if *more < 255 {
            return Some((n, at));
        }
    }
    (n < 15).then_some((n, at))
}

/// How many bytes a block stands for, if its sequences are whole.
fn stands_for(x: &[u8]) -> Option<usize> {
    let (mut at, mut made) = (0, 0);
    loop {
        let token = *x.get(at)?;
        let (literals, next) = length(x, token >> 4, at + 1)?;
        made += literals;
        at = next + literals;
        if at == x.len() {
            return Some(made);
        }
        let (more, next) = length(x, token & 15, at + 2)?;
        made += more + 4;
        at = next;
    }
}

/// Adds what a block of at most `most` bytes stands for to those that it may refer to.
fn decode(x: &[u8], done: &mut Vec<u8>, most: usize) -> Result<(), String> {
    let n = stands_for(x).ok_or("the block ends within a sequence")?;
    if n > most {
        return Err(format!("the block has {n} bytes, more than the {most} of this frame's"));
    }
    // The library's blocks refer to nothing before them: those bytes become the first literals.
    let before = done.len();
    let (literals, at) = length(x, x[0] >> 4, 1).ok_or("the block ends within a sequence")?;
    let mut whole = Vec::with_capacity(before + before / 255 + x.len() + 2);
    let first = before + literals;
    whole.push((first.min(15) << 4) as u8 | x[0] & 15);
    if first >= 15 {
        whole.extend(std::iter::repeat_n(255, (first - 15) / 255));
        whole.push(((first - 15) % 255) as u8);
    }
    whole.extend_from_slice(done);
    whole.extend_from_slice(x.get(at..).unwrap_or_default());
    let block = whole.len().max(before + n);
    let mut out = vec![0; before + n];
    if out.is_empty() {
        return Ok(());
    }
    match lz4_decompress(&whole, &[whole.len() as u32], block, &mut out) {
        Ok(()) => {
            *done = out;
            Ok(())
        }
        Err(fulmen::Error::Expression { why, .. }) => Err((*why).into()),
        Err(e) => Err(e.to_string()),
    }
}

impl Failed {
    /// Whether nobody reads what is written any more.
    pub fn closed(&self) -> bool {
        matches!(self, Self::To(e) if e.kind() == ErrorKind::BrokenPipe)
    }
}
