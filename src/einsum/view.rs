//! Strided views of tensors, and the loop nests over their elements.

use super::parse::EINSUM_INDICES as INDICES;

// A list holds each index at most once, or the axes of an operand, which are at most as many. A mask has a bit for each index, and a nest has a loop.
const _: () = assert!(INDICES <= u32::BITS as usize && INDICES <= u8::MAX as usize);

/// A list of indices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List {
    index: [u8; INDICES],
    n: u8,
}

impl List {
    pub(crate) const EMPTY: Self = Self { index: [0; INDICES], n: 0 };

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator {
        self.index.iter().take(self.n as usize).map(|i| *i as usize)
    }
    /// Appends an index. There is room for it.
    pub(crate) fn push(&mut self, i: usize) {
        debug_assert!((self.n as usize) < INDICES, "a list of more than 32 indices");
        if let Some(to) = self.index.get_mut(self.n as usize) {
            *to = i as u8;
            self.n += 1;
        }
    }
    /// Those of the mask.
    pub(crate) fn pick(&self, mask: u32) -> Self {
        let mut picked = Self::EMPTY;
        self.iter().filter(|i| mask >> i & 1 == 1).for_each(|i| picked.push(i));
        picked
    }
    pub(crate) fn and(mut self, other: &Self) -> Self {
        other.iter().for_each(|i| self.push(i));
        self
    }
    pub(crate) fn mask(&self) -> u32 {
        self.iter().fold(0, |mask, i| mask | 1 << i)
    }
}

/// The size of each index.
pub(crate) type Sizes = [usize; INDICES];

pub(crate) fn of(list: &[usize; INDICES], i: usize) -> usize {
    list.get(i).copied().unwrap_or(0)
}

/// The elements of the list's indices; `None` when they cannot be counted.
pub(crate) fn volume(sizes: &Sizes, list: &List) -> Option<usize> {
    let n = list.iter().try_fold(1usize, |n, i| n.checked_mul(of(sizes, i)))?;
    isize::try_from(n).is_ok().then_some(n)
}

/// A tensor: how far apart the elements of an index are; 0 for one that it has not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    pub stride: [usize; INDICES],
    /// Its indices, those of the largest strides first where it is dense.
    pub order: List,
    pub mask: u32,
}

impl View {
    /// Axes one after the other, the last one densest: an index of each, or none for one of a single element.
    pub(crate) fn of(sizes: &Sizes, axes: impl DoubleEndedIterator<Item = Option<usize>>) -> Self {
        let (mut stride, mut mask, mut step) = ([0; INDICES], 0u32, 1usize);
        let mut reversed = List::EMPTY;
        for i in axes.rev().flatten() {
            if let Some(stride) = stride.get_mut(i) {
                // An index twice goes along the diagonal.
                *stride += step;
            }
            if mask >> i & 1 == 0 {
                reversed.push(i);
            }
            mask |= 1 << i;
            step = step.saturating_mul(of(sizes, i));
        }
        let mut order = List::EMPTY;
        reversed.iter().rev().for_each(|i| order.push(i));
        Self { stride, order, mask }
    }
    pub(crate) fn dense(sizes: &Sizes, order: &List) -> Self {
        Self::of(sizes, order.iter().map(Some))
    }
    /// Whether the indices of the list are one loop.
    pub(crate) fn joins(&self, sizes: &Sizes, list: &List) -> bool {
        let inner = list.iter().skip(1);
        list.iter()
            .zip(inner)
            .all(|(i, k)| of(&self.stride, i) == of(&self.stride, k).saturating_mul(of(sizes, k)))
    }
}

/// A loop: how often, and how far apart the elements of three tensors are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dim {
    pub size: usize,
    pub stride: [usize; 3],
}

impl Dim {
    /// One element; of a matrix of one row any stride will do.
    pub(crate) const ONE: Self = Self { size: 1, stride: [1; 3] };

    /// Its stride in one of the tensors.
    pub(crate) fn step(&self, of: usize) -> isize {
        self.stride.get(of).map_or(0, |n| *n as isize)
    }
}

/// Loops, the outermost first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nest {
    dims: [Dim; INDICES],
    n: usize,
}

impl Nest {
    const EMPTY: Self = Self { dims: [Dim::ONE; INDICES], n: 0 };

    /// Those over the indices of a list, as few as there can be.
    pub(crate) fn new(sizes: &Sizes, list: &List, views: [&View; 3]) -> Self {
        let mut nest = Self::EMPTY;
        for i in list.iter() {
            let next = Dim { size: of(sizes, i), stride: views.map(|v| of(&v.stride, i)) };
            let last = nest.n.checked_sub(1).and_then(|i| nest.dims.get_mut(i));
            let joins = |last: &Dim| {
                let mut strides = last.stride.iter().zip(&next.stride);
                strides.all(|(outer, inner)| *outer == inner.saturating_mul(next.size))
            };
            match last {
                Some(last) if joins(last) => {
                    *last = Dim { size: last.size.saturating_mul(next.size), ..next }
                }
                _ => nest.push(next),
            }
        }
        nest
    }
    /// Appends a loop. There is room for it: a nest has at most one loop for each index of a list.
    fn push(&mut self, dim: Dim) {
        debug_assert!(self.n < INDICES, "a nest of more than 32 loops");
        if let Some(to) = self.dims.get_mut(self.n) {
            *to = dim;
            self.n += 1;
        }
    }
    pub(crate) fn dims(&self) -> &[Dim] {
        self.dims.get(..self.n).unwrap_or_default()
    }
    /// The one loop that it is, if it is one.
    pub(crate) fn single(&self) -> Option<Dim> {
        match self.dims() {
            [] => Some(Dim::ONE),
            [one] => Some(*one),
            _ => None,
        }
    }
    /// The innermost one, and those around it.
    pub(crate) fn inner(&self) -> (Self, Dim) {
        let mut outer = *self;
        let last = self.dims().last().copied().unwrap_or(Dim::ONE);
        outer.n = self.n.saturating_sub(1);
        (outer, last)
    }
    /// Without the one at `i`.
    pub(crate) fn without(&self, i: usize) -> Self {
        let mut rest = Self::EMPTY;
        self.dims().iter().enumerate().filter(|(k, _)| *k != i).for_each(|(_, dim)| rest.push(*dim));
        rest
    }

    /// Calls `f` with the place of each element in the three tensors.
    #[inline(always)]
    pub(crate) fn each(&self, mut f: impl FnMut([usize; 3])) {
        let dims = self.dims();
        let (mut count, mut at) = ([0usize; INDICES], [0usize; 3]);
        loop {
            f(at);
            let mut more = false;
            for (dim, n) in dims.iter().zip(&mut count).rev() {
                *n += 1;
                let back = *n == dim.size;
                for (at, stride) in at.iter_mut().zip(dim.stride) {
                    // Past the last one, which came by as many steps, back to the first.
                    *at = if back { *at - stride * (dim.size - 1) } else { *at + stride };
                }
                if !back {
                    more = true;
                    break;
                }
                *n = 0;
            }
            if !more {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> List {
        let mut list = List::EMPTY;
        (0..INDICES).for_each(|i| list.push(i));
        list
    }

    /// As many indices as there can be, none of which joins another, and all of them in one.
    #[cfg(target_pointer_width = "64")]
    #[test]
    fn every_index_has_a_loop() {
        let (sizes, list) = ([2; INDICES], full());
        let mut reversed = List::EMPTY;
        list.iter().rev().for_each(|i| reversed.push(i));
        let [forth, back] = [&list, &reversed].map(|order| View::dense(&sizes, order));
        let nest = Nest::new(&sizes, &list, [&forth, &back, &back]);
        assert_eq!(nest.dims().len(), INDICES);
        assert!(nest.dims().iter().rev().map(|dim| dim.stride[0]).eq((0..INDICES).map(|i| 1 << i)));
        assert_eq!(Nest::new(&sizes, &list, [&forth; 3]).single().map(|dim| dim.size), Some(1 << INDICES));
        assert_eq!(nest.without(0).dims().len(), INDICES - 1);
        assert_eq!(list.pick(0xffff).and(&list.pick(!0xffff)).mask(), u32::MAX);
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "a list of more than 32 indices")]
    fn no_index_is_dropped() {
        let list = full().and(&full().pick(1));
        assert_eq!(list.iter().len(), INDICES + 1);
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "a nest of more than 32 loops")]
    fn no_loop_is_dropped() {
        let mut nest = Nest::EMPTY;
        (0..=INDICES).for_each(|_| nest.push(Dim::ONE));
        assert_eq!(nest.dims().len(), INDICES + 1);
    }
}
