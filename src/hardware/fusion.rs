//! Finds chains of ops in a graph that one kernel can compute (fusion of a prologue and an epilogue). The chains are
//! the same for every machine.

use super::error::PlanError;
use super::machine::Scalar;
use super::tiling::Form;

/// The most nodes of a graph.
pub const MAX_NODES: usize = 128;
/// The most ops of a chain.
pub const MAX_CHAIN: usize = 16;

// Nodes are bits of a mask.
const _: () = assert!(MAX_NODES <= u128::BITS as usize);

/// What a node computes, as far as fusion has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Data that exists before.
    Input,
    /// Each element from those at its place; an input may be one row, one column or one element.
    Pointwise,
    /// Each row from itself, of the same length: softmax, the norms. Further inputs may be one row or one column.
    Norm,
    /// One element from each row.
    RowReduce,
    /// One element from all.
    Reduce,
    /// A product of two matrices.
    Contraction,
}

/// An op of a graph.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a> {
    /// For messages.
    pub name: &'a str,
    /// What it computes.
    pub kind: Kind,
    /// The nodes that it reads, by their places in the graph, in any order of the graph.
    pub inputs: &'a [usize],
    /// The op's parameters in the order of its call, such as `lo` and `hi` of `clamp`: arguments of the kernel.
    pub parameters: &'a [f64],
    /// Rows and columns of its value.
    pub shape: [u32; 2],
    /// Whether the value is wanted after the graph is done, besides those that no node reads.
    pub kept: bool,
}

/// Ops that become one kernel, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain {
    nodes: [usize; MAX_CHAIN],
    len: usize,
    root: usize,
}

impl Chain {
    /// A place for a chain.
    pub const EMPTY: Self = Self { nodes: [0; MAX_CHAIN], len: 0, root: 0 };

    /// A chain of these nodes; number `root` of them decides the form.
    fn of<const N: usize>(first: [usize; N], root: usize) -> Self {
        const { assert!(N <= MAX_CHAIN) };
        let mut nodes = [0; MAX_CHAIN];
        nodes.iter_mut().zip(first).for_each(|(to, node)| *to = node);
        Self { nodes, len: N, root }
    }
    /// Appends a node, and returns whether there was room.
    #[must_use]
    fn push(&mut self, node: usize) -> bool {
        let Some(place) = self.nodes.get_mut(self.len) else { return false };
        *place = node;
        self.len += 1;
        true
    }
    /// Its nodes, the first computed first.
    #[must_use]
    pub fn nodes(&self) -> &[usize] {
        self.nodes.get(..self.len).unwrap_or_default()
    }
    /// The node that decides the form of the kernel: the contraction, or the first op.
    #[must_use]
    pub fn root(&self) -> Option<usize> {
        self.nodes().get(self.root).copied()
    }
    /// The norm in front of the contraction.
    #[must_use]
    pub fn prologue(&self) -> &[usize] {
        self.nodes().get(..self.root).unwrap_or_default()
    }
    /// The pointwise ops behind the root: they see the results in registers.
    #[must_use]
    pub fn epilogue(&self) -> &[usize] {
        self.nodes().get(self.root + 1..).unwrap_or_default()
    }
    /// Bytes that the chain does not move because values stay in registers from the root on: each would be written once
    /// and read once. A norm in front of a product hands its rows on in memory.
    ///
    /// # Errors
    /// `Overflow`; `UnknownInput` when the graph is not that of the chain.
    pub fn saved_bytes(&self, graph: &[Node<'_>], scalar: Scalar) -> Result<u64, PlanError> {
        let inner =
            self.nodes().get(self.root..).and_then(<[usize]>::split_last).map_or(&[][..], |(_, inner)| inner);
        inner.iter().try_fold(0u64, |sum, &node| {
            let [rows, cols] = graph.get(node).ok_or(PlanError::UnknownInput { node, input: node })?.shape;
            let elements = u64::from(rows) * u64::from(cols);
            let moved = elements.checked_mul(2 * u64::from(scalar.bytes()));
            moved.and_then(|m| sum.checked_add(m)).ok_or(PlanError::Overflow { arg: "saved" })
        })
    }
}

/// The places of a graph, each after those that it reads.
struct Order {
    places: [u8; MAX_NODES],
    len: usize,
}

impl Order {
    fn iter(&self) -> impl Iterator<Item = usize> {
        self.places.iter().take(self.len).map(|&p| usize::from(p))
    }
}

/// Checks a graph and sorts it.
fn sort(graph: &[Node<'_>]) -> Result<Order, PlanError> {
    if graph.len() > MAX_NODES {
        return Err(PlanError::TooManyNodes { most: MAX_NODES });
    }
    for (node, n) in graph.iter().enumerate() {
        if let Some(&input) = n.inputs.iter().find(|&&i| i >= graph.len()) {
            return Err(PlanError::UnknownInput { node, input });
        }
        shapes(graph, node, n)?;
    }
    let mut order = Order { places: [0; MAX_NODES], len: 0 };
    let mut done = 0u128;
    while order.len < graph.len() {
        let before = order.len;
        for (node, n) in graph.iter().enumerate() {
            let ready = n.inputs.iter().all(|&i| done >> i & 1 == 1);
            if done >> node & 1 == 0 && ready {
                done |= 1 << node;
                if let (Some(place), Ok(id)) = (order.places.get_mut(order.len), u8::try_from(node)) {
                    *place = id;
                }
                order.len += 1;
            }
        }
        if order.len == before {
            let node = (0..graph.len()).find(|&i| done >> i & 1 == 0).unwrap_or_default();
            return Err(PlanError::Cycle { node });
        }
    }
    Ok(order)
}

fn shapes(graph: &[Node<'_>], node: usize, n: &Node<'_>) -> Result<(), PlanError> {
    let mut inputs = n.inputs.iter().filter_map(|&i| graph.get(i)).map(|i| i.shape);
    let [rows, cols] = n.shape;
    let spreads = |[r, c]: [u32; 2]| (r == rows || r == 1) && (c == cols || c == 1);
    let (least, most) = match n.kind {
        Kind::Input => (0, 0),
        Kind::Pointwise | Kind::Norm => (1, usize::MAX),
        Kind::RowReduce | Kind::Reduce => (1, 1),
        Kind::Contraction => (2, 2),
    };
    if n.inputs.len() < least || n.inputs.len() > most {
        return Err(PlanError::Inputs { node });
    }
    let good = match n.kind {
        Kind::Input => true,
        Kind::Pointwise => inputs.all(spreads),
        Kind::Norm => inputs.next() == Some(n.shape) && inputs.all(spreads),
        Kind::RowReduce => inputs.next().is_some_and(|[r, _]| r == rows) && cols == 1,
        Kind::Reduce => n.shape == [1, 1],
        Kind::Contraction => match (inputs.next(), inputs.next()) {
            (Some([m, k]), Some([l, n])) => m == rows && n == cols && k == l,
            _ => false,
        },
    };
    if good { Ok(()) } else { Err(PlanError::Shapes { node }) }
}

/// The one node that reads a value which nobody else wants.
fn only_reader(graph: &[Node<'_>], node: usize) -> Option<usize> {
    if graph.get(node)?.kept {
        return None;
    }
    let mut readers = graph.iter().enumerate().filter(|(_, n)| n.inputs.contains(&node));
    let (reader, _) = readers.next()?;
    readers.next().is_none().then_some(reader)
}

/// Whether `second` may directly follow `first` in a chain; that it is the only reader is another matter.
fn follows(graph: &[Node<'_>], first: usize, second: usize) -> bool {
    let (Some(a), Some(b)) = (graph.get(first), graph.get(second)) else { return false };
    match (a.kind, b.kind) {
        (Kind::Contraction | Kind::Pointwise, Kind::Pointwise) => {
            b.inputs.contains(&first) && a.shape == b.shape
        }
        // As the left factor only: its rows are those of the result.
        (Kind::Norm, Kind::Contraction) => matches!(b.inputs, &[l, r] if l == first && r != first),
        _ => false,
    }
}

/// Appends pointwise ops for as long as each value has one reader that no other chain has: a sum of two products goes
/// to the first. Ops that a full chain has no room for begin the next chain.
fn extend(graph: &[Node<'_>], chain: &mut Chain, mut last: usize, used: u128) {
    while let Some(next) = only_reader(graph, last) {
        let pointwise = graph.get(next).is_some_and(|n| n.kind == Kind::Pointwise);
        if !pointwise || used >> next & 1 == 1 || !follows(graph, last, next) || !chain.push(next) {
            return;
        }
        last = next;
    }
}

/// Calls `found` with each chain.
fn walk(graph: &[Node<'_>], mut found: impl FnMut(&Chain)) -> Result<(), PlanError> {
    let order = sort(graph)?;
    let mut used = 0u128;
    // Products first: what they take is worth most.
    for kind in [Kind::Contraction, Kind::Pointwise] {
        for node in order.iter() {
            let Some(n) = graph.get(node) else { continue };
            if n.kind != kind || used >> node & 1 == 1 {
                continue;
            }
            let mut chain = match n.inputs.first() {
                Some(&left)
                    if kind == Kind::Contraction
                        && follows(graph, left, node)
                        && only_reader(graph, left) == Some(node) =>
                {
                    Chain::of([left, node], 1)
                }
                _ => Chain::of([node], 0),
            };
            extend(graph, &mut chain, node, used);
            for &node in chain.nodes() {
                used |= 1 << node;
            }
            if chain.len > 1 {
                found(&chain);
            }
        }
    }
    Ok(())
}

/// Finds the chains of a graph: a norm that only one product reads, as its left factor; the product; then pointwise
/// ops, each the only reader of the one before. Pointwise ops that follow each other without a product are a chain
/// too. A chain has at most [`MAX_CHAIN`] nodes; pointwise ops behind a full one are another chain. No node is in two chains. Returns how many chains
/// there are, products first, each in the order of computation.
///
/// # Errors
/// `TooManyNodes`, `UnknownInput`, `Inputs`, `Shapes`, `Cycle`; `Capacity` when `chains` is too short. Nothing is
/// written then.
///
/// ```
/// use fulmen::hardware::{Chain, Kind, Node, find_fusible_chains};
/// let node = |name, kind, inputs, shape| Node { name, kind, inputs, parameters: &[], shape, kept: false };
/// let graph = [
///     node("x", Kind::Input, &[], [8, 16]),
///     node("w", Kind::Input, &[], [16, 4]),
///     node("bias", Kind::Input, &[], [1, 4]),
///     node("product", Kind::Contraction, &[0, 1], [8, 4]),
///     node("add", Kind::Pointwise, &[3, 2], [8, 4]),
///     node("relu", Kind::Pointwise, &[4], [8, 4]),
/// ];
/// let mut chains = [Chain::EMPTY; 4];
/// assert_eq!(find_fusible_chains(&graph, &mut chains), Ok(1));
/// assert_eq!(chains[0].nodes(), [3, 4, 5]);
/// ```
pub fn find_fusible_chains(graph: &[Node<'_>], chains: &mut [Chain]) -> Result<usize, PlanError> {
    let mut needed = 0;
    walk(graph, |_| needed += 1)?;
    let got = chains.len();
    if needed > got {
        return Err(PlanError::Capacity { needed, got });
    }
    let mut places = chains.iter_mut();
    walk(graph, |chain| {
        if let Some(place) = places.next() {
            *place = *chain;
        }
    })?;
    Ok(needed)
}

/// A chain of one's own choice, checked by the rules of [`find_fusible_chains`]; one op alone is a chain here.
///
/// # Errors
/// Those of the graph; `NotFusible` for an op that cannot follow, `SeveralConsumers` for a value that is read elsewhere
/// too, `Capacity` when there are more than [`MAX_CHAIN`].
pub fn check_chain(graph: &[Node<'_>], nodes: &[usize]) -> Result<Chain, PlanError> {
    sort(graph)?;
    let mut chain = Chain::EMPTY;
    let mut last = None;
    for (i, &node) in nodes.iter().enumerate() {
        let kind = graph.get(node).ok_or(PlanError::UnknownInput { node, input: node })?.kind;
        let may = match last {
            None => kind != Kind::Input,
            Some(last) => follows(graph, last, node),
        };
        if !may {
            return Err(PlanError::NotFusible { node });
        }
        if let Some(last) = last
            && only_reader(graph, last) != Some(node)
        {
            return Err(PlanError::SeveralConsumers { node: last });
        }
        if !chain.push(node) {
            return Err(PlanError::Capacity { needed: nodes.len(), got: MAX_CHAIN });
        }
        if kind == Kind::Contraction {
            chain.root = i;
        }
        last = Some(node);
    }
    if chain.len == 0 { Err(PlanError::Domain { arg: "chain" }) } else { Ok(chain) }
}

/// The template that a root needs.
pub(super) const fn form(kind: Kind) -> Option<Form> {
    match kind {
        Kind::Input => None,
        Kind::Pointwise => Some(Form::Pointwise),
        Kind::Norm | Kind::RowReduce => Some(Form::RowReduce),
        Kind::Reduce => Some(Form::Reduce),
        Kind::Contraction => Some(Form::Gemm),
    }
}
