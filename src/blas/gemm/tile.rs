//! Describes a register tile to the micro-kernel: its operands, and how C is scaled and stored.

/// The factors of `C = βC + αAB`, and how one pass over the inner dimension treats C.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale<T> {
    pub alpha: T,
    /// C is read unless this is zero.
    pub beta: T,
    /// Whether this is the last pass over the inner dimension, after which the epilogue comes.
    pub last: bool,
    /// Whether C is prefetched before the pass, as it may not be in a near cache.
    pub prefetch: bool,
    /// Whether whole cache lines of C, which is aligned to them, are stored non-temporally.
    pub stream: bool,
}

impl<T> Scale<T> {
    /// For one pass over operands in the caches.
    #[inline(always)]
    pub(super) const fn one_pass(alpha: T, beta: T) -> Self {
        Self { alpha, beta, last: true, prefetch: false, stream: false }
    }
}

/// The operands of tiles below each other, checked by [`tiles`](super::micro::tiles).
pub(super) struct MicroTile<T> {
    /// How many tiles.
    pub count: usize,
    pub k: usize,
    pub a: *const T,
    /// From one tile's A to the next.
    pub a_next: isize,
    /// One, three, five and seven rows of A. With one register each and the scales of an address, no row
    /// costs an addition; the multiples are made outside, where the compiler can't see them as such.
    pub a_rows: [isize; 4],
    pub a_col: isize,
    pub b: *const T,
    pub b_row: isize,
    /// Columns of the last vector.
    pub tail: usize,
    pub pack: *mut T,
    pub c: *mut T,
    pub c_row: isize,
    pub c_col: isize,
    /// The row and column of C of the first tile.
    pub at: [usize; 2],
}
