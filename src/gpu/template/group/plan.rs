//! The tiles of attention, by what a multiprocessor has: registers for the sums and scores of a thread, and shared memory for the
//! rows of a block and the ring of tiles.

use super::{COLS, GROUP, SLAB};

/// Rows of a warp group.
pub(super) const ROWS: u32 = 64;
/// Tiles of each matrix in shared memory.
pub(super) const STAGES: u32 = 2;
/// Bytes of shared memory of a block for tiles: Hopper's 227 KiB less what barriers and the tiles' alignment take.
const SHARED: u32 = 224 << 10;
/// Depth of an instruction: kernels are of heads whose width is a multiple of it.
const DEPTH: u32 = 16;
/// The widest head: columns of an instruction.
pub(crate) const WIDEST: usize = 256;

const fn least(a: u32, b: u32) -> u32 {
    if a < b { a } else { b }
}

/// Slabs of a row of a head of so many elements, filled up to whole ones.
pub(super) const fn slabs(dim: u32) -> u32 {
    dim.div_ceil(COLS)
}

/// Rows of tiles of `matrices`, in [`STAGES`] each, beside as many `own` rows of a block.
const fn rows_beside(dim: u32, own: u32, matrices: u32) -> u32 {
    (SHARED / (slabs(dim) * SLAB)).saturating_sub(own) / (STAGES * matrices)
}

/// The width of the kernel that heads of so many elements take.
fn filled(dim: usize) -> Option<u32> {
    let dim = u32::try_from(dim).ok().filter(|dim| (1..=WIDEST as u32).contains(dim))?;
    Some(dim.next_multiple_of(DEPTH))
}

/// The forward kernel's sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupFlash {
    /// Elements of a head, a multiple of 16: shorter heads are filled up with zeros.
    pub(crate) dim: u32,
    /// Warp groups that multiply: two, or three, whose registers only short heads leave.
    pub(crate) groups: u32,
    /// Keys of a tile.
    pub(crate) keys: u32,
}

impl GroupFlash {
    /// The longest tile that there is room for: a thread has `dim / 2` sums, and of a tile half as many scores as it has keys,
    /// and half of that as words of weights.
    const fn new(dim: u32, groups: u32) -> Self {
        let registers = if groups == 2 { 192 } else { 128 };
        let room = least((registers - dim / 2) * 4 / 3, rows_beside(dim, groups * ROWS, 2));
        Self { dim, groups, keys: least(room, 128) / DEPTH * DEPTH }
    }

    /// Those of heads of so many elements: with three groups first, where their tiles are not short.
    fn of_width(dim: u32) -> impl Iterator<Item = Self> {
        [Self::new(dim, 3), Self::new(dim, 2)].into_iter().filter(|f| f.groups == 2 || f.keys >= 96)
    }

    /// All that there are.
    pub fn all() -> impl Iterator<Item = Self> {
        (DEPTH..=WIDEST as u32).step_by(DEPTH as usize).flat_map(Self::of_width)
    }

    /// Elements of a head.
    #[must_use]
    pub const fn width(self) -> u32 {
        self.dim
    }

    /// That of heads of so many elements and as many queries: the most groups whose last block is not mostly empty.
    pub(crate) fn of(dim: usize, queries: usize) -> Option<Self> {
        let fits = |f: &Self| {
            let filled = queries.next_multiple_of(f.queries() as usize);
            f.groups == 2 || filled - queries <= queries / 16
        };
        Self::of_width(filled(dim)?).find(fits)
    }

    /// Threads of a block.
    pub(crate) const fn threads(self) -> u32 {
        GROUP * (self.groups + 1)
    }

    /// Queries of a block.
    pub(crate) const fn queries(self) -> u32 {
        ROWS * self.groups
    }

    /// Registers of a thread that loads, and of one that multiplies.
    pub(super) const fn registers(self) -> [u16; 2] {
        if self.groups == 2 { [40, 232] } else { [32, 160] }
    }

    /// The boxes of the tensor maps of queries, keys and values.
    pub(crate) const fn parts(self) -> [[u32; 2]; 3] {
        [[self.queries(), COLS], [self.keys, COLS], [self.keys, COLS]]
    }

    /// Another number for each.
    pub(crate) const fn number(self) -> u32 {
        self.dim << 8 | self.groups
    }
}

/// Which gradients a kernel makes: blocks are of queries, or of keys. Those of long heads' keys and of their values come from two
/// kernels, each with registers for one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slopes {
    /// `dq`.
    Queries,
    /// `dk` and `dv`.
    Both,
    /// `dk`.
    Keys,
    /// `dv`.
    Values,
}

/// The sizes of a kernel of gradients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupSlopes {
    /// Elements of a head, as those of [`GroupFlash`].
    pub(crate) dim: u32,
    pub(crate) of: Slopes,
    /// The rows that come in tiles, a power of two.
    pub(crate) tile: u32,
}

impl GroupSlopes {
    /// The longest tile that there is room for: a thread has `dim / 2` sums of a result, and half as many scores as a tile has
    /// rows, and products of gradients and values.
    fn new(dim: u32, of: Slopes) -> Self {
        let (sums, most) = match of {
            Slopes::Queries => (dim / 2, 128),
            Slopes::Both => (dim, 64),
            Slopes::Keys | Slopes::Values => (dim / 2, 64),
        };
        let room = least(192u32.saturating_sub(sums), rows_beside(dim, 2 * Self::rows(), 2));
        Self { dim, of, tile: least(room, most).checked_ilog2().map_or(0, |bits| 1 << bits) }
    }

    fn of_width(dim: u32) -> impl Iterator<Item = Self> {
        let both = Some(Self::new(dim, Slopes::Both)).filter(|both| both.tile >= 32);
        let apart = [Slopes::Keys, Slopes::Values].map(|of| Self::new(dim, of));
        let apart = apart.into_iter().filter(move |_| both.is_none());
        [Self::new(dim, Slopes::Queries)].into_iter().chain(both).chain(apart)
    }

    /// All that there are.
    pub fn all() -> impl Iterator<Item = Self> {
        (DEPTH..=WIDEST as u32).step_by(DEPTH as usize).flat_map(Self::of_width)
    }

    /// Elements of a head.
    #[must_use]
    pub const fn width(self) -> u32 {
        self.dim
    }

    /// Those of heads of so many elements, which make all gradients.
    pub(crate) fn of(dim: usize) -> Option<impl Iterator<Item = Self>> {
        filled(dim).map(Self::of_width)
    }

    /// Threads of a block.
    pub(crate) const fn threads() -> u32 {
        3 * GROUP
    }

    /// Rows of a block.
    pub(crate) const fn rows() -> u32 {
        2 * ROWS
    }

    /// Whether blocks are of keys, and not of queries.
    pub(crate) fn keys(self) -> bool {
        self.of != Slopes::Queries
    }

    /// The boxes of the tensor maps of queries, keys, values and gradients of the results.
    pub(crate) fn parts(self) -> [[u32; 2]; 4] {
        let (own, others) = ([Self::rows(), COLS], [self.tile, COLS]);
        let [of_queries, of_keys] = if self.keys() { [others, own] } else { [own, others] };
        [of_queries, of_keys, of_keys, of_queries]
    }

    /// Registers of a thread that loads, and of one that multiplies.
    pub(super) const fn registers() -> [u16; 2] {
        [40, 232]
    }

    /// Another number for each.
    pub(crate) fn number(self) -> u32 {
        self.dim << 2 | self.of as u32
    }
}
