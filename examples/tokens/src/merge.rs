//! Joins neighbours, best first: what byte pairs and SentencePiece's pieces share.

use core::ops::Range;
use std::collections::BinaryHeap;

/// Joins neighbours, the pair with the greatest value first and of equals the first in the text, until no pair has a value.
///
/// `n` parts lie side by side; `value` says what joining two of them is worth, where each is a range of those parts, and
/// `none` where they are not joined. What is left is returned in order. Time: O(n·log n) calls and comparisons.
pub fn joined<V: Ord + Copy>(
    n: usize,
    mut value: impl FnMut(&Range<usize>, &Range<usize>) -> Option<V>,
) -> Vec<Range<usize>> {
    let mut parts: Vec<Option<Range<usize>>> = (0..n).map(|i| Some(i..i + 1)).collect();
    let mut next: Vec<usize> = (1..=n).collect();
    let mut before: Vec<usize> = (0..n).map(|i| i.wrapping_sub(1)).collect();
    // A pair: its value, its place (the first one is the greatest), and how far it reached when it was found.
    let mut heap: BinaryHeap<(V, core::cmp::Reverse<usize>, usize, usize)> = BinaryHeap::new();
    let mut look = |parts: &[Option<Range<usize>>], heap: &mut BinaryHeap<_>, a: usize, b: usize| {
        if let (Some(Some(left)), Some(Some(right))) = (parts.get(a), parts.get(b))
            && let Some(value) = value(left, right)
        {
            heap.push((value, core::cmp::Reverse(a), b, right.end));
        }
    };
    (1..n).for_each(|i| look(&parts, &mut heap, i - 1, i));
    while let Some((_, core::cmp::Reverse(a), b, end)) = heap.pop() {
        // A pair that was found before one of its parts grew is out of date.
        let (Some(left), Some(right)) = (&parts[a], &parts[b]) else { continue };
        if next[a] != b || right.end != end || left.end != right.start {
            continue;
        }
        parts[a] = Some(left.start..right.end);
        parts[b] = None;
        next[a] = next[b];
        if let Some(to) = before.get_mut(next[a]) {
            *to = a;
        }
        look(&parts, &mut heap, before[a], a);
        look(&parts, &mut heap, a, next[a]);
    }
    parts.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_pair_is_first_and_of_equals_the_leftmost() {
        let text = b"aaabc";
        let worth = |a: &Range<usize>, b: &Range<usize>| match &text[a.start..b.end] {
            b"aa" => Some(3),
            b"bc" => Some(5),
            b"abc" => Some(1),
            _ => None,
        };
        assert_eq!(joined(5, worth), [0..2, 2..5]);
        assert!(joined(0, worth).is_empty());
    }

    /// All texts of up to seven of three letters, with tables of values in which some pairs have none, by the definition.
    #[test]
    fn as_by_looking_at_all_pairs_each_time() {
        for table in 0..6u64 {
            for (len, code) in (0..=7).flat_map(|len| (0..3usize.pow(len)).map(move |code| (len, code))) {
                let text: Vec<u8> = (0..len).map(|i| b'a' + (code / 3usize.pow(i) % 3) as u8).collect();
                let worth = |a: &Range<usize>, b: &Range<usize>| {
                    let seed = (table, u64::from(b'|'));
                    let letters = text[a.clone()].iter().chain(b"|").chain(&text[b.clone()]);
                    let (_, hash) = letters.fold(seed, |(table, hash), c| {
                        (
                            table,
                            (hash ^ u64::from(*c) ^ table << 8)
                                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                                .rotate_left(23),
                        )
                    });
                    let value = hash % 11;
                    (value < 7).then_some(value)
                };
                let mut want: Vec<Range<usize>> = (0..text.len()).map(|i| i..i + 1).collect();
                loop {
                    let values = (1..want.len()).filter_map(|i| Some((worth(&want[i - 1], &want[i])?, i)));
                    let Some((_, i)) = values.reduce(|x, y| if y.0 > x.0 { y } else { x }) else { break };
                    want[i - 1].end = want.remove(i).end;
                }
                assert_eq!(joined(text.len(), worth), want, "{} by {table}", text.escape_ascii());
            }
        }
    }
}
