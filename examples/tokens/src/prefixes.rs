//! The tokens that a text starts with.

/// Texts in order, each with its token.
#[derive(Debug, Clone, Default)]
pub struct Prefixes(Vec<(Box<[u8]>, u32)>);

impl Prefixes {
    /// Of texts that are not empty; of two that are equal, the first stays.
    pub fn new(all: impl Iterator<Item = (Box<[u8]>, u32)>) -> Self {
        let mut all: Vec<_> = all.filter(|(text, _)| !text.is_empty()).collect();
        all.sort();
        all.dedup_by(|b, a| a.0 == b.0);
        Self(all)
    }

    /// The lengths and tokens of those that `text` starts with, in ascending order. Time: the logarithm of their number for
    /// each byte up to the longest.
    pub fn of(&self, text: &[u8]) -> impl Iterator<Item = (usize, u32)> {
        let (mut rest, mut depth) = (&self.0[..], 0);
        core::iter::from_fn(move || {
            loop {
                let next = *text.get(depth)?;
                // Those that are no longer than `depth` stand first.
                let from = rest.partition_point(|(t, _)| t.get(depth).is_none_or(|&c| c < next));
                let len = rest[from..].partition_point(|(t, _)| t.get(depth) == Some(&next));
                rest = &rest[from..from + len];
                depth += 1;
                let (first, id) = rest.first()?;
                if first.len() == depth {
                    return Some((depth, *id));
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_prefixes_are_found() {
        let all = ["a", "abc", "ab", "b", "abd", "", "abcde"];
        let all = Prefixes::new(all.iter().zip(0..).map(|(t, id)| (t.as_bytes().into(), id)));
        let of = |text: &str| all.of(text.as_bytes()).collect::<Vec<_>>();
        assert_eq!(of("abcdx"), [(1, 0), (2, 2), (3, 1)]);
        assert_eq!(of("abcde"), [(1, 0), (2, 2), (3, 1), (5, 6)]);
        assert_eq!(of("ca"), []);
        let twice = ["b", "a", "b", "a", "b"];
        let twice = Prefixes::new(twice.iter().zip(7..).map(|(t, id)| (t.as_bytes().into(), id)));
        assert_eq!(twice.of(b"a").chain(twice.of(b"b")).collect::<Vec<_>>(), [(1, 8), (1, 7)]);
        assert_eq!(of(""), []);
    }
}
