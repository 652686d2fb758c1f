//! Plans a contraction of several tensors: the sizes, the order of pairs, and the offsets of intermediate results in
//! the workspace.

use super::contraction::{Contraction, Products};
use super::parse::{EINSUM_INDICES, EINSUM_OPERANDS, Einsum, Term};
use super::path::{Network, Pairs};
use super::view::{List, Sizes, View, of, volume};
use crate::error::{Error, same_len};
use core::ops::Range;

/// An operand, or the result of a pair.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// The index of each axis.
    axes: List,
    /// The axes of one element, one bit each.
    single: u32,
    /// Where a result lies in the workspace.
    offset: usize,
    len: usize,
}

impl Node {
    const NONE: Self = Self { axes: List::EMPTY, single: 0, offset: 0, len: 0 };

    fn view(&self, sizes: &Sizes) -> View {
        let axes = self.axes.iter().enumerate().map(|(axis, i)| (self.single >> axis & 1 == 0).then_some(i));
        View::of(sizes, axes)
    }
    fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.len
    }
}

/// Operands, then the results of pairs.
const NODES: usize = 2 * EINSUM_OPERANDS;

/// An expression for operands of certain shapes: the pairs in which they are contracted, and where each result lies in the
/// workspace. Plain data, which any number of calls may use.
///
/// Up to 8 operands are paired in the order of fewest multiplications (and elements of results) of all; more of them
/// one by one, each time the pair whose result is smallest beside what it takes.
///
/// ```
/// use fulmen::{Einsum, EinsumPlan, Error};
/// let e = Einsum::parse("ij,jk->ik")?;
/// let plan = EinsumPlan::new(&e, &[&[2, 3], &[3, 4]])?;
/// assert_eq!(plan.len(), 8);
/// let wrong = EinsumPlan::new(&e, &[&[2, 3], &[5, 4]]).unwrap_err();
/// assert_eq!(wrong, Error::expression("shapes", 3, &"an index of two sizes"));
/// # Ok::<(), fulmen::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct EinsumPlan {
    sizes: Sizes,
    nodes: [Node; NODES],
    pairs: Pairs,
    operands: usize,
    scratch: [usize; EINSUM_OPERANDS],
    /// The steps that are products of matrices as they lie: to find that out takes longer than a small one.
    products: [Option<Products>; EINSUM_OPERANDS],
    workspace: usize,
}

impl EinsumPlan {
    /// The plan for operands of these shapes, each in rows: the last axis is dense.
    ///
    /// An axis of one element stands for any size of its index, as if it were repeated.
    ///
    /// Errors: [`Error::Len`] when there are not as many shapes as operands; [`Error::Expression`] names `shapes` and the byte of the
    /// expression where an index has another size than before, or an operand another number of axes, or where an ellipsis stands for
    /// axes that the result has not, or with the letters for more than 32 indices; [`Error::Overflow`] when the elements of
    /// a tensor, one on the way or the workspace cannot be counted.
    pub fn new(expression: &Einsum, shapes: &[&[usize]]) -> Result<Self, Error> {
        let operands = expression.operands();
        same_len("shapes", operands, shapes.len())?;
        let mut sizes = [1; EINSUM_INDICES];
        let mut nodes = [Node::NONE; NODES];
        let misfit = |at: usize, why: &'static &'static str| Err(Error::expression("shapes", at, why));
        // The axes of the ellipsis of an operand, and the most of all.
        let without = |(term, shape): (&Term, &&[usize])| shape.len().saturating_sub(term.axes().len());
        let pairs = || expression.terms.iter().zip(shapes).filter(|(term, _)| term.dots.is_some());
        let most = pairs().map(without).max().unwrap_or(0);
        let first = expression.letters as usize;
        for ((term, shape), node) in expression.terms.iter().zip(shapes).zip(&mut nodes) {
            let Some(term) = term.spread(first, without((term, shape))) else {
                return misfit(term.dots.map_or(0, |(_, at)| at as usize), &"an ellipsis of too many axes");
            };
            if term.axes().len() != shape.len() {
                return misfit(term.start as usize, &"an operand of another number of axes");
            }
            for (axis, ((i, at), n)) in term.axes().zip(*shape).enumerate() {
                node.axes.push(i);
                if *n == 1 {
                    node.single |= 1 << axis;
                } else if let Some(size) = sizes.get_mut(i) {
                    if *size != 1 && size != n {
                        return misfit(at, &"an index of two sizes");
                    }
                    *size = *n;
                }
            }
        }
        let counted = |n: Option<usize>| n.ok_or(Error::overflow("shapes"));
        for (node, shape) in nodes.iter_mut().zip(shapes) {
            let n = shape.iter().try_fold(1usize, |n, size| n.checked_mul(*size));
            let n = if shape.contains(&0) { Some(0) } else { n.filter(|n| isize::try_from(*n).is_ok()) };
            node.len = counted(n)?;
        }
        let mut out = Node::NONE;
        if expression.out.dots.is_none()
            && let Some((_, at)) = pairs().find(|pair| without(*pair) > 0).and_then(|(term, _)| term.dots)
        {
            return misfit(at as usize, &"an ellipsis whose axes the result has not");
        }
        let Some(result) = expression.out.spread(first, most) else {
            let at = expression.out.dots.map_or(0, |(_, at)| at as usize);
            return misfit(at, &"an ellipsis of too many axes");
        };
        for (axis, (i, _)) in result.axes().enumerate() {
            out.axes.push(i);
            out.single |= u32::from(of(&sizes, i) == 1) << axis;
        }
        let empty = out.axes.iter().any(|i| of(&sizes, i) == 0);
        out.len = if empty { 0 } else { counted(volume(&sizes, &out.axes))? };
        let (pairs, scratch) = ([[0; 2]; EINSUM_OPERANDS], [0; EINSUM_OPERANDS]);
        let products = [None; EINSUM_OPERANDS];
        let mut plan = Self { sizes, nodes, pairs, operands, scratch, products, workspace: 0 };
        // Sums of nothing are 0, and take no steps.
        plan.workspace = if plan.nothing() { 0 } else { counted(plan.pair(out))? };
        plan.put(Self::result(operands.saturating_sub(2)), out);
        Ok(plan)
    }

    /// Elements of the result.
    #[allow(clippy::len_without_is_empty, reason = "of the result")]
    pub const fn len(&self) -> usize {
        self.node(Self::result(self.operands.saturating_sub(2))).len
    }

    /// The sizes of the axes of the result.
    ///
    /// ```
    /// use fulmen::{Einsum, EinsumPlan};
    /// let plan = EinsumPlan::new(&Einsum::parse("...ij,jk->...ki")?, &[&[5, 2, 3], &[3, 4]])?;
    /// assert_eq!(plan.shape().collect::<Vec<_>>(), [5, 4, 2]);
    /// # Ok::<(), fulmen::Error>(())
    /// ```
    pub fn shape(&self) -> impl ExactSizeIterator<Item = usize> {
        let out = self.node(Self::result(self.operands.saturating_sub(2)));
        out.axes.iter().map(|i| of(&self.sizes, i))
    }

    /// How many operands there are.
    pub const fn operands(&self) -> usize {
        self.operands
    }

    /// Elements of operand `i`; 0 for one that is not there.
    pub const fn operand_len(&self, i: usize) -> usize {
        if i < self.operands { self.node(i).len } else { 0 }
    }

    /// Elements of workspace that [`einsum`](crate::einsum()) needs.
    pub const fn workspace(&self) -> usize {
        self.workspace
    }

    /// The pairs in their order: an operand of the expression by its number, the result of pair `i` by `EINSUM_OPERANDS + i`.
    pub fn path(&self) -> impl ExactSizeIterator<Item = [usize; 2]> {
        self.pairs.iter().take(self.operands - 1).map(|pair| pair.map(usize::from))
    }

    /// The number of the result of a pair.
    const fn result(pair: usize) -> usize {
        EINSUM_OPERANDS + pair
    }
    #[allow(clippy::indexing_slicing, reason = "below 32")]
    const fn node(&self, i: usize) -> &Node {
        &self.nodes[i % NODES]
    }
    fn put(&mut self, i: usize, node: Node) {
        if let Some(to) = self.nodes.get_mut(i) {
            *to = node;
        }
    }
    pub(crate) const fn sizes(&self) -> &Sizes {
        &self.sizes
    }
    /// Where the elements of a node are.
    pub(crate) fn view(&self, i: usize) -> View {
        self.node(i).view(&self.sizes)
    }
    pub(crate) fn out(&self) -> View {
        self.view(Self::result(self.operands.saturating_sub(2)))
    }
    /// Whether an index has no values.
    pub(crate) fn nothing(&self) -> bool {
        self.sizes.contains(&0)
    }
    /// What of the workspace a node has: nothing when it is the caller's.
    pub(crate) fn range(&self, i: usize) -> Range<usize> {
        let results = EINSUM_OPERANDS..EINSUM_OPERANDS + self.operands.saturating_sub(2);
        if results.contains(&i) { self.node(i).range() } else { 0..0 }
    }
    /// From where on the workspace is scratch during a pair.
    pub(crate) fn scratch(&self, pair: usize) -> usize {
        of_pairs(&self.scratch, pair)
    }

    /// What a pair is, if it is products of matrices as they lie.
    pub(super) fn products(&self, pair: usize) -> Option<&Products> {
        self.products.get(pair)?.as_ref()
    }

    /// Finds the path and a place for each result; the workspace, if its elements can be counted.
    fn pair(&mut self, out: Node) -> Option<usize> {
        let Some(last) = self.operands.checked_sub(2) else { return Some(0) };
        // The indices of each node that is not taken yet.
        let mut masks = [0u32; NODES];
        for (i, mask) in masks.iter_mut().enumerate().take(self.operands) {
            *mask = self.view(i).mask;
        }
        let wanted = out.view(&self.sizes).mask;
        let operands = masks.get(..self.operands).unwrap_or_default();
        self.pairs = Network { masks: operands, out: wanted, sizes: &self.sizes }.path();
        let (mut live, mut workspace) = ([false; NODES], 0);
        for (step, [a, b]) in self.path_of(last + 1) {
            let (va, vb) = (self.view(a), self.view(b));
            let take = |list: &mut [u32; NODES], i: usize| list.get_mut(i).map_or(0, core::mem::take);
            let both = take(&mut masks, a) | take(&mut masks, b);
            let kept = both & masks.iter().fold(wanted, |all, mask| all | mask);
            let c = Self::result(step);
            let mut node = out;
            if step < last {
                let own = |view: &View, mask: u32| view.order.pick(kept & mask);
                let axes = own(&va, vb.mask).and(&own(&va, !vb.mask)).and(&own(&vb, !va.mask));
                let len = volume(&self.sizes, &axes)?;
                node = Node { axes, len, ..Node::NONE };
                node.offset = self.place(&live, len)?;
            }
            self.put(c, node);
            if let (Some(mask), Some(live)) = (masks.get_mut(c), live.get_mut(c)) {
                (*mask, *live) = (kept, step < last);
            }
            let ends =
                live.iter().enumerate().filter(|(_, live)| **live).map(|(i, _)| self.node(i).range().end);
            let scratch = ends.max().unwrap_or(0);
            if let Some(to) = self.scratch.get_mut(step) {
                *to = scratch;
            }
            let contraction = Contraction::new(&self.sizes, &va, &vb, &self.view(c))?;
            workspace = workspace.max(scratch.checked_add(contraction.needed()?)?);
            if let Some(to) = self.products.get_mut(step) {
                *to = contraction.products();
            }
            for i in [a, b] {
                if let Some(live) = live.get_mut(i) {
                    *live = false;
                }
            }
        }
        Some(workspace)
    }

    fn path_of(&self, n: usize) -> impl Iterator<Item = (usize, [usize; 2])> + use<> {
        self.pairs.into_iter().take(n).map(|pair| pair.map(usize::from)).enumerate()
    }

    /// The first place where `len` elements meet no live result.
    fn place(&self, live: &[bool; NODES], len: usize) -> Option<usize> {
        let taken = || live.iter().enumerate().filter(|(_, live)| **live).map(|(i, _)| self.node(i).range());
        let free = |at: usize| {
            let end = at.checked_add(len)?;
            taken().all(|r| end <= r.start || r.end <= at).then_some(at)
        };
        taken().map(|r| r.end).chain([0]).filter_map(free).min()
    }
}

fn of_pairs(list: &[usize; EINSUM_OPERANDS], i: usize) -> usize {
    list.get(i).copied().unwrap_or(0)
}
