//! The trait of executors, which run the parts of an op on this thread or on several. The tree of parts depends on the
//! number of elements alone, so the results do, too.

/// Runs the two halves of a tree: one after the other, or on two threads.
pub trait Executor: Copy + Send + Sync {
    /// Whether parts always run one after the other.
    const SERIAL: bool;
    /// Runs both; together they work on `n` elements.
    fn join<A: Send, B: Send>(
        self,
        n: usize,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B);
    /// How many parts can run at once.
    #[inline(always)]
    fn threads(self) -> usize {
        1
    }
}

/// One after the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Serial;

impl Executor for Serial {
    const SERIAL: bool = true;
    #[inline(always)]
    fn join<A: Send, B: Send>(
        self,
        _: usize,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        (a(), b())
    }
}

/// Where the tree splits `n > leaf` elements.
#[cfg_attr(not(fulmen_compact), inline)]
#[cfg_attr(fulmen_compact, inline(never))]
pub(crate) fn split(n: usize, leaf: usize) -> usize {
    n.div_ceil(leaf).div_ceil(2).next_power_of_two() * leaf
}

/// The merged results of `part(start, length)` over the leaves of `start..start + n`.
pub(crate) fn tree<J: Executor, R: Send>(
    j: J,
    start: usize,
    n: usize,
    leaf: usize,
    part: &(impl Fn(usize, usize) -> R + Sync),
    merge: &(impl Fn(R, R) -> R + Sync),
) -> R {
    if n <= leaf {
        return part(start, n);
    }
    let mid = split(n, leaf);
    let (a, b) = j.join(
        n,
        || tree(j, start, mid, leaf, part, merge),
        || tree(j, start + mid, n - mid, leaf, part, merge),
    );
    merge(a, b)
}
