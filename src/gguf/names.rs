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
    // Of equal keys the first place comes first, as an error names the second one.
    sort(places, &|a, b| (key(a), a) < (key(b), b));
    body(places)
}

/// A heap sort, compiled once. `sort_unstable` has 27 KB of code for each kind of key and caller.
fn sort(places: &mut [usize], less: &dyn Fn(usize, usize) -> bool) {
    let n = places.len();
    for root in (0..n / 2).rev() {
        sift(places, root, less);
    }
    for last in (1..n).rev() {
        places.swap(0, last);
        sift(places.get_mut(..last).unwrap_or_default(), 0, less);
    }
}

/// Moves the place at `root` down to where none below it is larger.
fn sift(heap: &mut [usize], mut root: usize, less: &dyn Fn(usize, usize) -> bool) {
    let at = |heap: &[usize], i| heap.get(i).copied();
    while let Some(left) = at(heap, 2 * root + 1) {
        let right = at(heap, 2 * root + 2).filter(|&right| less(left, right));
        let (child, larger) = right.map_or((2 * root + 1, left), |right| (2 * root + 2, right));
        if !at(heap, root).is_some_and(|place| less(place, larger)) {
            break;
        }
        heap.swap(root, child);
        root = child;
    }
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
