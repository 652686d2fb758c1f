//! Radix select: the `k` first elements of many. A histogram of one digit at a time narrows the candidates, and each
//! element found is written at its rank. Elements are ordered by keys, then by their indices.

use super::super::builder::{Builder, Value};
use super::super::error::Error;
use super::super::ir::{Cmp, Kernel, Rmw, Space, Special};
use super::super::record::Recorded;
use super::super::types::{U32, U64};
use super::flat::{each, get, named, put};
use super::layer::each_row;
use alloc::format;

/// Threads of a block, and values of a digit.
pub const DIGITS: u32 = 256;
/// Histograms of a block, so that fewer of its threads count in one word.
const COPIES: u32 = 4;
/// Words before the histograms: the key of the last element that is chosen, as far as it is known (two words), its index, how
/// many elements are before it, whether it is known, and how many places are taken.
pub const STATE: u32 = 8;

/// What digits are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// Keys.
    Keys,
    /// Indices of elements of the last key.
    Indices,
}

/// Where the state's words lie, in bytes.
const INDEX: i32 = 8;
const BEFORE: i32 = 12;
const KNOWN: i32 = 16;
const TAKEN: i64 = 20;

fn named_by<T: Recorded>(op: &str, largest: bool, of: Option<Of>) -> Builder {
    let ends = if largest { "top" } else { "bottom" };
    let of = match of {
        Some(Of::Keys) => "_keys",
        Some(Of::Indices) => "_indices",
        None => "",
    };
    named::<T>(&format!("{ends}_k_{op}{of}"))
}

/// Keys of elements that are first are the smallest; NaN is before all, and -0.0 is 0.0.
fn key<'b, T: Recorded>(v: Value<'b, T>, largest: bool) -> Value<'b, T::Bits> {
    let b = v.builder();
    let (none, sign) = (b.int::<T::Bits>(0), b.bits::<T::Bits>(1 << (8 * T::TYPE.bytes() - 1)));
    let bits = Value::select(v.compare(Cmp::Eq, b.bits(0)), none, v.cast());
    let rising = Value::select((bits & sign).compare(Cmp::Ne, none), !bits, bits | sign);
    Value::select(v.compare(Cmp::Ne, v), none, if largest { !rising } else { rising })
}

/// The low bits of a key.
fn low<T: Recorded>(key: Value<'_, T::Bits>) -> Value<'_, U32> {
    if T::TYPE.bytes() == 4 { key.cast() } else { key.to() }
}

/// A word in as many bits as a key has.
fn bits<T: Recorded>(word: Value<'_, U32>) -> Value<'_, T::Bits> {
    if T::TYPE.bytes() == 4 { word.cast() } else { word.to() }
}

/// How often each digit comes among elements that have the last one's earlier digits. Parameters: `x`, the state and the
/// histograms; elements, the histogram's number, the digit's shift (`U32`); a mask of the
/// digits before it, in the type of what they are of.
pub fn counts<T: Recorded>(largest: bool, of: Of) -> Result<Kernel, Error> {
    let b = named_by::<T>("counts", largest, Some(of));
    b.threads([DIGITS, 1, 1]);
    let [x, state] = b.params::<U64, 2>();
    let [n, pass, shift] = b.params::<U32, 3>();
    let int = |c: u32| b.int::<U32>(i64::from(c));
    // The parameter behind the others.
    let (key_mask, index_mask) = match of {
        Of::Keys => (b.param::<T::Bits>(), int(0)),
        Of::Indices => (b.int(0), b.param::<U32>()),
    };
    let tid = b.special(Special::TidX);
    let last = b.load::<T::Bits>(Space::Global, state, 0);
    let place = b.load::<U32>(Space::Global, state, INDEX);
    let known = b.load::<U32>(Space::Global, state, KNOWN).compare(Cmp::Ne, int(0));
    // Copies begin at different banks.
    let pitch = DIGITS + 1;
    let table = b.shared(4 * COPIES * pitch, 4);
    let word = |copy: Value<'_, U32>, digit: Value<'_, U32>| {
        let [copy, digit] = [copy, digit].map(|v| b.typed::<U32>(v.id()));
        table + (copy * int(pitch) + digit) * int(4)
    };
    for copy in 0..COPIES {
        b.store(Space::Shared, word(int(copy), tid), 0, int(0));
    }
    b.barrier();
    let own = tid & int(COPIES - 1);
    each(&b, Value::select(known, int(0), n), |i| {
        let i = b.typed::<U32>(i.id());
        let key = key(get::<T>(x, i), largest);
        let (within, digit) = match of {
            Of::Keys => {
                let off = (key ^ last) & key_mask;
                (off.compare(Cmp::Eq, b.int(0)), low::<T>(key >> shift))
            }
            Of::Indices => {
                let off = (i ^ place) & index_mask;
                (key.compare(Cmp::Eq, last) & off.compare(Cmp::Eq, int(0)), i >> shift)
            }
        };
        b.when(within, || {
            _ = b.atomic(Space::Shared, Rmw::Add, word(own, digit & int(DIGITS - 1)), int(1));
        });
    });
    b.barrier();
    let all = (0..COPIES).map(|copy| b.load::<U32>(Space::Shared, word(int(copy), tid), 0));
    let all = all.reduce(|p, q| p + q).unwrap_or(int(0));
    let to = state + (pass * int(DIGITS) + tid + int(STATE)).wide(int(4));
    b.when(all.compare(Cmp::Ne, int(0)), || _ = b.atomic(Space::Global, Rmw::Add, to, all));
    b.finish()
}

/// The next digit of the last element that is chosen. Parameters: the state and the histograms; how many are chosen, the histogram's
/// number, the digit's shift. Launch one block.
pub fn choose<T: Recorded>(of: Of) -> Result<Kernel, Error> {
    let b = named_by::<T>("choose", true, Some(of));
    b.threads([DIGITS, 1, 1]);
    let state = b.param::<U64>();
    let [k, pass, shift] = b.params::<U32, 3>();
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let tid = b.special(Special::TidX);
    let last = b.load::<T::Bits>(Space::Global, state, 0);
    let [place, before, known] = [INDEX, BEFORE, KNOWN].map(|at| b.load::<U32>(Space::Global, state, at));
    let own = b.load::<U32>(Space::Global, state + (pass * int(DIGITS) + tid + int(STATE)).wide(int(4)), 0);
    // How many have this digit or an earlier one.
    let table = b.shared(4 * DIGITS, 4);
    let at = table + tid * int(4);
    b.store(Space::Shared, at, 0, own);
    b.barrier();
    let up_to = b.count::<U32, U32>([int(0), int(DIGITS.ilog2()), int(1)], 1, &[own], |step, sum| {
        let by = int(1) << step;
        let earlier = || [b.load::<U32>(Space::Shared, at - by * int(4), 0)];
        let [earlier] = b.either(tid.compare(Cmp::Ge, by), earlier, || [int(0)]);
        b.barrier();
        let sum: alloc::vec::Vec<_> = sum.iter().map(|sum| *sum + earlier).collect();
        sum.iter().for_each(|sum| b.store(Space::Shared, at, 0, *sum));
        b.barrier();
        sum
    });
    let up_to = up_to.first().copied().unwrap_or(own);
    let (earlier, wanted) = (up_to - own, k - before);
    let has = earlier.compare(Cmp::Lt, wanted) & up_to.compare(Cmp::Ge, wanted);
    b.when(has & known.compare(Cmp::Eq, int(0)), || {
        // Where all that have this digit are chosen, so is whatever follows it.
        let all = up_to.compare(Cmp::Eq, wanted);
        let rest = (int(1) << shift) - int(1);
        let (last, place) = match of {
            Of::Keys => {
                let one = b.int::<T::Bits>(1);
                let digit = last | bits::<T>(tid) << shift;
                let end = digit | ((one << shift) - one);
                (Value::select(all, end, digit), Value::select(all, int(u32::MAX), place))
            }
            Of::Indices => {
                let digit = place | tid << shift;
                (last, Value::select(all, digit | rest, digit))
            }
        };
        b.store(Space::Global, state, 0, last);
        b.store(Space::Global, state, INDEX, place);
        b.store(Space::Global, state, BEFORE, before + earlier);
        b.store(Space::Global, state, KNOWN, Value::select(all, int(1), int(0)));
    });
    b.finish()
}

/// The indices of the elements up to the last one that is chosen, in no order. Parameters: `x`, the state, the indices; elements.
pub fn gather<T: Recorded>(largest: bool) -> Result<Kernel, Error> {
    let b = named_by::<T>("gather", largest, None);
    let [x, state, found] = b.params::<U64, 3>();
    let n = b.param::<U32>();
    let last = b.load::<T::Bits>(Space::Global, state, 0);
    let place = b.load::<U32>(Space::Global, state, INDEX);
    each(&b, n, |i| {
        let key = key(get::<T>(x, i), largest);
        let same = key.compare(Cmp::Eq, last) & i.compare(Cmp::Le, place);
        b.when(key.compare(Cmp::Lt, last) | same, || {
            let to = b.atomic(Space::Global, Rmw::Add, state + b.int(TAKEN), b.int::<U32>(1));
            put(found, to, i);
        });
    });
    b.finish()
}

/// The chosen elements in order: each one's place is the number of those before it. Parameters: `x`, their indices in no order,
/// where the indices and the elements go; how many they are.
pub fn order<T: Recorded>(largest: bool) -> Result<Kernel, Error> {
    let b = named_by::<T>("order", largest, None);
    b.threads([DIGITS, 1, 1]);
    let [x, found, out, values] = b.params::<U64, 4>();
    let k = b.param::<U32>();
    let int = |c: u32| b.int::<U32>(i64::from(c));
    let (tid, width) = (b.special(Special::TidX), T::TYPE.bytes());
    let keys = b.shared(DIGITS * width, width);
    let indices = b.shared(DIGITS * 4, 4);
    let blocks = (k + int(DIGITS - 1)) / int(DIGITS);
    each_row(&b, blocks, |block| {
        let own = b.typed::<U32>(block.id()) * int(DIGITS) + tid;
        let i = get::<U32>(found, own.least(k - int(1)));
        let v = get::<T>(x, i);
        let mine = key(v, largest);
        let before = b.count::<U32, U32>([int(0), k, int(DIGITS)], 1, &[int(0)], |first, before| {
            let j = get::<U32>(found, (first + tid).least(k - int(1)));
            b.store(Space::Shared, keys + tid * int(width), 0, key(get::<T>(x, j), largest));
            b.store(Space::Shared, indices + tid * int(4), 0, j);
            b.barrier();
            let end = (k - first).least(int(DIGITS));
            let before = b.count::<U32, U32>([int(0), end, int(1)], 8, before, |t, before| {
                let other = b.load::<T::Bits>(Space::Shared, keys + t * int(width), 0);
                let j = b.load::<U32>(Space::Shared, indices + t * int(4), 0);
                let same = other.compare(Cmp::Eq, mine) & j.compare(Cmp::Lt, i);
                let first = other.compare(Cmp::Lt, mine) | same;
                before.iter().map(|before| *before + Value::select(first, int(1), int(0))).collect()
            });
            b.barrier();
            before
        });
        b.when(own.compare(Cmp::Lt, k), || {
            for to in before {
                put(out, to, i);
                put(values, to, v);
            }
        });
    });
    b.finish()
}
