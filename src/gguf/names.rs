//! Sorts the names and the offsets of a file on the stack, to find names that occur twice and tensors that overlap.

use super::MAX_NAMES;

/// Places that a small frame on the stack has room for.
const FEW: usize = 512;

/// Calls `body` with the `n` places that `from` yields, sorted by `key`: in time `n·ln n`, whatever the keys are.
///
/// The places lie on the stack: `FEW` words, or [`MAX_NAMES`] words when `n` is larger, which are 128 KB where a word has 64
/// bits. Those beyond are left out: whoever calls has refused so many before.
pub(super) fn sorted<K: Ord, R>(
    n: usize,
    from: impl Iterator<Item = usize>,
    key: impl Fn(usize) -> K,
    body: impl FnOnce(&[usize]) -> R,
) -> R {
    if n <= FEW { framed::<FEW, K, R>(from, key, body) } else { framed::<MAX_NAMES, K, R>(from, key, body) }
}

/// [`sorted`] in a frame of its own, so that the large one is there only while it is needed.
#[inline(never)]
fn framed<const N: usize, K: Ord, R>(
    from: impl Iterator<Item = usize>,
    key: impl Fn(usize) -> K,
    body: impl FnOnce(&[usize]) -> R,
) -> R {
    let mut places = [0; N];
    let mut n = 0;
    for (to, place) in places.iter_mut().zip(from) {
        *to = place;
        n += 1;
    }
    let places = places.get_mut(..n).unwrap_or_default();
    places.sort_unstable_by_key(|&place| key(place));
    body(places)
}

/// The first place in `places`, which are sorted by `key`, whose key is that of the place before it.
pub(super) fn twice<K: Ord>(places: &[usize], key: impl Fn(usize) -> K) -> Option<usize> {
    let same = |pair: &[usize]| match *pair {
        [a, b] if key(a) == key(b) => Some(b),
        _ => None,
    };
    places.windows(2).find_map(same)
}

/// The place in `places`, which are sorted by `key`, whose key is this one.
pub(super) fn place_of<K: Ord>(places: &[usize], key: impl Fn(usize) -> K, is: &K) -> Option<usize> {
    let at = places.binary_search_by(|&place| key(place).cmp(is)).ok()?;
    places.get(at).copied()
}
