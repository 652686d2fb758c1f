//! A pool of device memory: freed buffers are used again.
//!
//! A device whose buffers can be divided gives blocks, of which arrays and scratch have parts: the smallest free range that is large
//! enough is cut, and what comes back is joined with the free ranges beside it. Small, middle and large parts lie in blocks of their
//! own, so that one small array does not keep a large block. Of another device each part is a buffer, which whoever comes next takes if
//! no more than a quarter of it is left over.
//!
//! Blocks of which nothing is in use are kept for what comes next, and given back when it would not fit beside them: when the device
//! or the limit refuses a new block, and before the pool holds a quarter more than was ever in use at a time.

use super::super::device::{Device, Error};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::cell::RefCell;

/// Parts start at multiples of it.
const UNIT: u64 = 256;
/// The largest part of each class but the last, and the bytes of a block of it.
const SMALL: [u64; 2] = [1 << 20, 4 << 20];
const MIDDLE: [u64; 2] = [16 << 20, 32 << 20];
/// What the pool may hold beside the most that was in use, and a quarter of that.
const SPARE: u64 = 64 << 20;

/// Memory from the pool.
#[derive(Debug)]
pub(super) struct Allocation<B> {
    pub(super) buffer: B,
    pub(super) bytes: u64,
    place: Place,
}

/// Where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// A buffer of its own, of so many bytes.
    Whole(u64),
    /// A part of a block.
    Part { block: u32, start: u64 },
}

/// Memory that a [`Gpu`](super::Gpu) holds, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryUse {
    /// What arrays and the scratch of running ops have, rounded up as it is allocated.
    pub live: u64,
    /// What nothing has, which is kept for what comes next. [`Gpu::trim`](super::Gpu::trim) gives it back.
    pub cached: u64,
    /// The most that was live at a time.
    pub peak: u64,
}

/// Memory of the device, of which parts are in use.
#[derive(Debug)]
struct Block<B> {
    whole: B,
    bytes: u64,
    class: u8,
    /// Free ranges: where they start, and how long they are.
    free: BTreeMap<u64, u64>,
}

#[derive(Debug)]
struct Held<B> {
    blocks: BTreeMap<u32, Block<B>>,
    next: u32,
    /// The free ranges of all blocks: the class, bytes, the block, the start.
    free: BTreeSet<(u8, u64, u32, u64)>,
    /// Buffers that nobody has, by their size.
    whole: BTreeMap<u64, Vec<B>>,
    /// Bytes that the device gave, and those of them that are in use.
    held: u64,
    live: u64,
    peak: u64,
    limit: u64,
}

/// What a device gave.
#[derive(Debug)]
pub(super) struct Pool<B>(RefCell<Held<B>>);

impl<B> Default for Pool<B> {
    fn default() -> Self {
        Self(RefCell::new(Held {
            blocks: BTreeMap::new(),
            next: 0,
            free: BTreeSet::new(),
            whole: BTreeMap::new(),
            held: 0,
            live: 0,
            peak: 0,
            limit: u64::MAX,
        }))
    }
}

impl<B> Pool<B> {
    /// At least so many bytes; `give_up` frees what is not needed, and says whether there was any.
    pub(super) fn take<D: Device<Buffer = B>>(
        &self,
        device: &D,
        bytes: u64,
        give_up: impl Fn() -> bool,
    ) -> Result<Allocation<B>, Error> {
        let (divides, most) = (device.divides(), device.facts().limits.buffer);
        let size = size(bytes, most, divides);
        if let Some(found) = self.0.borrow_mut().find(device, size, divides) {
            return Ok(found);
        }
        // A range of which parts are cut later, if there is room for one.
        let [class, block] = if divides { block(size, most) } else { [0, size] };
        self.make_room(block);
        let limited = |asked| {
            let held = self.0.borrow();
            let (what, available) = ("bytes of memory", held.limit.saturating_sub(held.live));
            let fits = held.held.checked_add(asked).is_some_and(|all| all <= held.limit);
            let device = || device.facts().name.clone();
            if fits { Ok(()) } else { Err(Error::Limit { device: device(), what, asked, available }) }
        };
        let get = |bytes| limited(bytes).and_then(|()| device.allocate(bytes));
        let made = get(block).map(|buffer| (buffer, block)).or_else(|refused| {
            let freed = give_up();
            if self.trim() == 0 && !freed && block == size {
                return Err(refused);
            }
            // What was given up may be a part that is large enough.
            get(block).map(|buffer| (buffer, block)).or_else(|_| get(size).map(|buffer| (buffer, size)))
        });
        let mut held = self.0.borrow_mut();
        let (whole, bytes) = match made {
            Ok(made) => made,
            Err(refused) => return held.find(device, size, divides).ok_or(refused),
        };
        held.held += bytes;
        if !divides {
            return Ok(
                held.used(Allocation { buffer: whole, bytes: size, place: Place::Whole(bytes) }, bytes)
            );
        }
        let number = held.next;
        held.next = number.wrapping_add(1);
        let class = class as u8;
        held.free.insert((class, bytes, number, 0));
        held.blocks.insert(number, Block { whole, bytes, class, free: BTreeMap::from([(0, bytes)]) });
        held.find(device, size, divides).ok_or(Error::Foreign)
    }

    /// For whoever comes next.
    pub(super) fn give(&self, memory: Allocation<B>) {
        let held = &mut *self.0.borrow_mut();
        match memory.place {
            Place::Whole(bytes) => {
                held.live -= bytes;
                held.whole.entry(bytes).or_default().push(memory.buffer);
            }
            Place::Part { block, start } => {
                held.live -= memory.bytes;
                held.join(block, start, memory.bytes);
            }
        }
    }

    /// Gives back what nothing has; the bytes of it.
    pub(super) fn trim(&self) -> u64 {
        self.release(u64::MAX)
    }

    /// Gives back free blocks, the largest first, until so many bytes are.
    fn release(&self, enough: u64) -> u64 {
        let mut gone = Vec::new();
        let (mut held, mut bytes) = (self.0.borrow_mut(), 0);
        let Held { blocks, free, whole, .. } = &mut *held;
        let mut empty: Vec<_> = blocks
            .iter()
            .filter(|(_, b)| b.free.get(&0) == Some(&b.bytes))
            .map(|(k, b)| (b.bytes, *k))
            .collect();
        empty.sort_unstable();
        while bytes < enough {
            let part = empty.pop().and_then(|(_, k)| blocks.remove_entry(&k)).map(|(k, b)| {
                free.remove(&(b.class, b.bytes, k, 0));
                (b.whole, b.bytes)
            });
            let Some((buffer, size)) = part.or_else(|| {
                let mut last = whole.last_entry()?;
                let (size, buffer) = (*last.key(), last.get_mut().pop());
                if last.get().is_empty() {
                    last.remove();
                }
                Some((buffer?, size))
            }) else {
                break;
            };
            bytes += size;
            gone.push(buffer);
        }
        held.held -= bytes;
        drop(held);
        // The device takes them back outside of the pool's own borrow.
        drop(gone);
        bytes
    }

    /// Gives free blocks back where the pool would hold too much with a new one.
    fn make_room(&self, block: u64) {
        let held = self.0.borrow();
        let most = held.peak.max(held.live.saturating_add(block));
        let most = most.saturating_add(most / 4).saturating_add(SPARE).min(held.limit);
        let over = held.held.saturating_add(block).saturating_sub(most);
        drop(held);
        if over > 0 {
            self.release(over);
        }
    }

    pub(super) fn memory_use(&self) -> MemoryUse {
        let held = self.0.borrow();
        MemoryUse { live: held.live, cached: held.held - held.live, peak: held.peak }
    }

    pub(super) fn limit(&self, bytes: u64) {
        self.0.borrow_mut().limit = bytes;
    }
}

impl<B> Held<B> {
    /// A free range or buffer for so many bytes.
    fn find<D: Device<Buffer = B>>(&mut self, device: &D, size: u64, divides: bool) -> Option<Allocation<B>> {
        if !divides {
            let (bytes, all) = self.whole.range_mut(size..=size.saturating_add(size / 4)).next()?;
            let (bytes, buffer) = (*bytes, all.pop());
            if all.is_empty() {
                self.whole.remove(&bytes);
            }
            return Some(
                self.used(Allocation { buffer: buffer?, bytes: size, place: Place::Whole(bytes) }, bytes),
            );
        }
        let [class, _] = block(size, u64::MAX);
        let class = class as u8;
        let (_, bytes, block, start) = *self.free.range((class, size, 0, 0)..(class + 1, 0, 0, 0)).next()?;
        let of = self.blocks.get_mut(&block)?;
        let buffer = device.part(&of.whole, start, size)?;
        of.free.remove(&start);
        self.free.remove(&(class, bytes, block, start));
        if bytes > size {
            of.free.insert(start + size, bytes - size);
            self.free.insert((class, bytes - size, block, start + size));
        }
        Some(self.used(Allocation { buffer, bytes: size, place: Place::Part { block, start } }, size))
    }

    fn used(&mut self, memory: Allocation<B>, bytes: u64) -> Allocation<B> {
        self.live += bytes;
        self.peak = self.peak.max(self.live);
        memory
    }

    /// A range is free, with those beside it.
    fn join(&mut self, block: u32, start: u64, bytes: u64) {
        let Some(of) = self.blocks.get_mut(&block) else { return };
        let (mut from, mut end) = (start, start + bytes);
        if let Some((before, length)) = of.free.range(..start).next_back().map(|(s, n)| (*s, *n))
            && before + length == start
        {
            of.free.remove(&before);
            self.free.remove(&(of.class, length, block, before));
            from = before;
        }
        if let Some(length) = of.free.remove(&end) {
            self.free.remove(&(of.class, length, block, end));
            end += length;
        }
        of.free.insert(from, end - from);
        self.free.insert((of.class, end - from, block, from));
    }
}

/// The class of a part, and the bytes of a new block for it.
const fn block(size: u64, most: u64) -> [u64; 2] {
    let [class, block] = if size <= SMALL[0] {
        [0, SMALL[1]]
    } else if size <= MIDDLE[0] {
        [1, MIDDLE[1]]
    } else {
        [2, size]
    };
    [class, if block > most { size } else { block }]
}

/// What is allocated for so many bytes: a multiple of [`UNIT`], and where buffers are not divided one of a sixteenth of the next
/// power of two, so that more of them fit for what comes next.
fn size(bytes: u64, most: u64, divides: bool) -> u64 {
    let step = match bytes.checked_next_power_of_two() {
        Some(above) if !divides => (above / 16).max(UNIT),
        _ => UNIT,
    };
    let rounded = bytes.max(1).checked_next_multiple_of(step).unwrap_or(u64::MAX);
    // What fits is not refused for its rounding.
    if rounded > most { bytes } else { rounded }
}
