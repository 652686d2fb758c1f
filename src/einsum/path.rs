//! Chooses the order of contraction: which pair of operands is contracted next.

use super::parse::{EINSUM_INDICES, EINSUM_OPERANDS};

/// So many operands have the cheapest order of all; more go by what shrinks most.
pub(crate) const OPTIMAL: usize = 8;
/// One of each set of operands.
type Sets<X> = [X; 1 << OPTIMAL];

/// The pairs in their order: an operand by its number, the result of pair `i` by `EINSUM_OPERANDS + i`.
pub(super) type Pairs = [[u8; 2]; EINSUM_OPERANDS];

/// What a path is looked for.
pub(super) struct Network<'a> {
    /// The indices of each operand, one bit each.
    pub masks: &'a [u32],
    pub out: u32,
    pub sizes: &'a [usize; EINSUM_INDICES],
}

impl Network<'_> {
    pub(super) fn path(&self) -> Pairs {
        let mut pairs = [[0; 2]; EINSUM_OPERANDS];
        if self.masks.len() <= OPTIMAL {
            self.optimal(&mut pairs)
        } else {
            self.greedy(&mut pairs)
        }
        pairs
    }

    /// The product of the sizes.
    fn volume(&self, mask: u32) -> f64 {
        let sizes = self.sizes.iter().enumerate();
        sizes.filter(|(i, _)| mask >> i & 1 == 1).map(|(_, n)| *n as f64).product()
    }

    /// The path of fewest multiplications, and elements of results, by dynamic programming over sets of operands.
    fn optimal(&self, pairs: &mut Pairs) {
        let n = self.masks.len();
        let all = (1usize << n) - 1;
        let union = |set: usize| {
            let masks = self.masks.iter().enumerate();
            masks.filter(|(i, _)| set >> i & 1 == 1).fold(0, |mask, (_, m)| mask | m)
        };
        let (mut kept, mut cost, mut cut) =
            ([0u32; 1 << OPTIMAL], [0.0f64; 1 << OPTIMAL], [0u8; 1 << OPTIMAL]);
        for set in 1..=all {
            let mask = union(set) & (self.out | union(all & !set));
            // The part that has the first operand stands first.
            let first = set & set.wrapping_neg();
            let (mut best, mut at, mut part) = (f64::INFINITY, 0, set);
            while part > 0 {
                part = (part - 1) & set;
                let other = set & !part;
                if part & first == 0 || other == 0 {
                    continue;
                }
                let of = |list: &Sets<f64>, i: usize| list.get(i).copied().unwrap_or(0.0);
                let both = kept.get(part).unwrap_or(&0) | kept.get(other).unwrap_or(&0);
                let c = of(&cost, part) + of(&cost, other) + self.volume(both);
                if c < best || at == 0 {
                    (best, at) = (c, part);
                }
            }
            if let (Some(k), Some(c), Some(p)) = (kept.get_mut(set), cost.get_mut(set), cut.get_mut(set)) {
                (*k, *c, *p) = (mask, if at == 0 { 0.0 } else { best + self.volume(mask) }, at as u8);
            }
        }
        let mut next = 0;
        emit(&cut, all, pairs, &mut next);
    }

    /// The pair whose result has the fewest elements beside what it takes, again and again.
    fn greedy(&self, pairs: &mut Pairs) {
        // What is left, and its indices.
        let mut nodes = [(0u8, 0u32); EINSUM_OPERANDS];
        let mut n = self.masks.len();
        for (i, (node, mask)) in nodes.iter_mut().zip(self.masks).enumerate() {
            *node = (i as u8, *mask);
        }
        for (step, pair) in pairs.iter_mut().enumerate().take(n.saturating_sub(1)) {
            let left = nodes.get(..n).unwrap_or_default();
            let (mut best, mut at) = (f64::INFINITY, (0, 1, 0));
            for (i, a) in left.iter().enumerate() {
                for (j, b) in left.iter().enumerate().skip(i + 1) {
                    let others = left.iter().enumerate().filter(|(k, _)| *k != i && *k != j);
                    let needed = others.fold(self.out, |mask, (_, c)| mask | c.1);
                    let mask = (a.1 | b.1) & needed;
                    let grows = self.volume(mask) - self.volume(a.1) - self.volume(b.1);
                    // Infinite sizes compare as no better.
                    if grows < best || (i, j) == (0, 1) {
                        (best, at) = (grows, (i, j, mask));
                    }
                }
            }
            let (i, j, mask) = at;
            let of = |i: usize| left.get(i).map_or(0, |node| node.0);
            *pair = [of(i), of(j)];
            if let Some(node) = nodes.get_mut(i) {
                *node = ((EINSUM_OPERANDS + step) as u8, mask);
            }
            if let Some(rest) = nodes.get_mut(j..n).filter(|rest| !rest.is_empty()) {
                rest.rotate_left(1);
            }
            n -= 1;
        }
    }
}

/// The pairs of a set, those of its parts first; the node that it becomes.
fn emit(cut: &Sets<u8>, set: usize, pairs: &mut Pairs, next: &mut usize) -> u8 {
    let part = cut.get(set).map_or(0, |p| *p as usize);
    if part == 0 {
        return set.trailing_zeros() as u8;
    }
    let pair = [emit(cut, part, pairs, next), emit(cut, set & !part, pairs, next)];
    let node = (EINSUM_OPERANDS + *next) as u8;
    if let Some(to) = pairs.get_mut(*next) {
        *to = pair;
    }
    *next += 1;
    node
}
