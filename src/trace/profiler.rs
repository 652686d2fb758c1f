//! A profiler in fixed memory, which measures the time of each brick of a program.

use crate::error::Error;

/// The id of a brick: a part of a program whose calls a [`Profiler`] counts and times. The built-in bricks are those of a transformer;
/// the ids of a program's own bricks follow them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BrickId(u16);

macro_rules! bricks {
    ($($(#[$doc:meta])* $name:ident $at:literal $text:literal;)*) => {
        impl BrickId {
            $($(#[$doc])* pub const $name: Self = Self($at);)*
            /// The built-in bricks.
            pub const BUILT_IN: &[Self] = &[$(Self::$name),*];
            const NAMES: &[&str] = &[$($text),*];
        }
    };
}
bricks! {
    /// RMS norms, with the residual sums before them.
    RMS_NORM 0 "RMS norm";
    /// The products that compute queries, keys and values.
    QKV 1 "QKV";
    /// Rotary position embedding.
    ROPE 2 "RoPE";
    /// Scaled dot-product attention over the cache of keys and values.
    ATTENTION 3 "attention";
    /// The output projection of attention.
    OUTPUT 4 "output";
    /// The gate and up projections of a feed-forward block.
    GATE_UP 5 "gate-up";
    /// The gated activation between the projections.
    SWIGLU 6 "SwiGLU";
    /// The down projection of a feed-forward block.
    DOWN 7 "down";
    /// The product that computes the logits.
    HEAD 8 "head";
    /// The sampling of a token.
    SAMPLING 9 "sampling";
}

impl BrickId {
    /// The id of a program's own brick `k`, from 0.
    ///
    /// Errors: [`Error::Index`] when `k` is so large that the id exceeds 16 bits.
    pub const fn own(k: usize) -> Result<Self, Error> {
        let most = u16::MAX as usize + 1 - Self::BUILT_IN.len();
        if k >= most {
            return Err(Error::index("k", k, most));
        }
        Ok(Self((Self::BUILT_IN.len() + k) as u16))
    }
    /// The index of the brick in a [`Profiler`].
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
    /// The name of a built-in brick; `None` for a program's own.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        Self::NAMES.get(self.index()).copied()
    }
}

/// The buckets of the histogram for each power of two.
const SUB: usize = 8;

/// The statistics of one brick. Its times are self times, in ticks of the clock: they exclude the time of the bricks nested in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stats<const B: usize> {
    /// The number of calls that have ended.
    pub count: u64,
    /// The sum of their self times.
    pub total: u64,
    min: u64,
    max: u64,
    buckets: [u64; B],
}

impl<const B: usize> Stats<B> {
    const NONE: Self = Self { count: 0, total: 0, min: u64::MAX, max: 0, buckets: [0; B] };

    /// The bucket of a time. Each time below 8 has its own; above, each power of two has eight. The last bucket holds all longer times.
    #[inline(always)]
    fn bucket(time: u64) -> usize {
        let power = (time | 1).ilog2() as usize;
        let at =
            if power < 3 { time as usize } else { (power - 2) * SUB + ((time >> (power - 3)) as usize & 7) };
        at.min(B - 1)
    }
    /// The middle of a bucket, which is not the last one.
    fn middle(bucket: usize) -> u64 {
        let (power, step) = (bucket / SUB, (bucket % SUB) as u64);
        if power == 0 { step } else { ((SUB as u64 + step) << (power - 1)) + (1 << (power - 1)) / 2 }
    }
    #[inline(always)]
    fn record(&mut self, time: u64) {
        self.count += 1;
        self.total += time;
        self.min = self.min.min(time);
        self.max = self.max.max(time);
        if let Some(n) = self.buckets.get_mut(Self::bucket(time)) {
            *n += 1;
        }
    }
    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.total += other.total;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        for (n, more) in self.buckets.iter_mut().zip(&other.buckets) {
            *n += more;
        }
    }
    /// The self time of the shortest call.
    #[must_use]
    pub fn min(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min)
    }
    /// The self time of the longest call.
    #[must_use]
    pub fn max(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }
    /// The quantile `q`, from 0 to 1, of the self times: the time that the fraction `q` of the calls did not exceed. Its error is at most
    /// a sixteenth, and 0 below 8 ticks. For a quantile in the last bucket, from 2^(`B` / 8 + 1) · 15 / 8 ticks on, the result is
    /// the longest time. It is `None` without calls, and for a `q` that is NaN or not from 0 to 1.
    #[must_use]
    pub fn quantile(&self, q: f64) -> Option<u64> {
        if self.count == 0 || !(0.0..=1.0).contains(&q) {
            return None;
        }
        let rank = (libm::ceil(q * self.count as f64) as u64).clamp(1, self.count);
        let mut below = 0;
        for (k, n) in self.buckets.iter().enumerate() {
            below += n;
            if below >= rank {
                let time = if k + 1 == B { self.max } else { Self::middle(k) };
                return Some(time.clamp(self.min, self.max));
            }
        }
        Some(self.max)
    }
}

/// The number of bricks that may be open at a time, nested in each other.
const DEPTH: usize = 16;

/// Measures the bricks of one thread: `N` bricks in fixed memory, each with a histogram of `B` buckets. The default of `B` covers about
/// 2^42 ticks. The caller passes each time, in ticks of one monotonic clock.
///
/// Every tick between a begin and its end belongs to one brick: to a lap, or else to the innermost open brick. So no time is counted
/// twice, and the self times of all bricks sum to the elapsed time. A program has a profiler for each thread, and
/// [merges](Profiler::merge) them.
///
/// ```
/// use fulmen::trace::{BrickId, Profiler};
/// let mut profiler = Profiler::<16>::new();
/// profiler.start(100);
/// profiler.lap(BrickId::QKV, 130)?; // from 100 to 130
/// profiler.lap(BrickId::ATTENTION, 150)?; // from 130 to 150: one reading of the clock for each brick
/// let step = BrickId::own(0)?;
/// profiler.begin(step, 200)?;
/// profiler.lap(BrickId::HEAD, 210)?;
/// profiler.end(214)?;
/// let total = |id| profiler.stats(id).map(|stats| stats.total);
/// assert_eq!(total(BrickId::QKV), Some(30));
/// assert_eq!([total(BrickId::HEAD), total(step)], [Some(10), Some(4)]);
/// # Ok::<(), fulmen::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Profiler<const N: usize = 32, const B: usize = 320> {
    stats: [Stats<B>; N],
    /// The open bricks, and the self time of each so far.
    open: [(BrickId, u64); DEPTH],
    depth: usize,
    last: u64,
}

impl<const N: usize, const B: usize> Default for Profiler<N, B> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize, const B: usize> Profiler<N, B> {
    /// A profiler without calls.
    #[must_use]
    pub const fn new() -> Self {
        const { assert!(B >= SUB, "a histogram has at least 8 buckets") };
        Self { stats: [Stats::NONE; N], open: [(BrickId(0), 0); DEPTH], depth: 0, last: 0 }
    }

    /// Begins the next lap at `now`. The time since the last lap belongs to the innermost open brick, if there is one.
    #[inline(always)]
    pub fn start(&mut self, now: u64) {
        let passed = self.passed(now);
        if let Some((_, own)) = self.depth.checked_sub(1).and_then(|top| self.open.get_mut(top)) {
            *own += passed;
        }
    }

    /// Ends the brick `id` at `now`. It began at the time of the call before this one (`start`, `lap`, `begin` or `end`).
    ///
    /// Errors: [`Error::Index`] when `id` is not below `N`; its time belongs to the next lap then.
    #[inline(always)]
    pub fn lap(&mut self, id: BrickId, now: u64) -> Result<(), Error> {
        let Some(stats) = self.stats.get_mut(id.index()) else {
            return Err(Error::index("id", id.index(), N));
        };
        stats.record(now.saturating_sub(self.last));
        self.last = now;
        Ok(())
    }

    /// Begins the brick `id` at `now`, nested in the innermost open brick.
    ///
    /// Errors: [`Error::Index`] when `id` is not below `N`, or 16 bricks are open (`depth`); nothing is counted then.
    #[inline(always)]
    pub fn begin(&mut self, id: BrickId, now: u64) -> Result<(), Error> {
        if id.index() >= N {
            return Err(Error::index("id", id.index(), N));
        }
        let depth = self.depth;
        if depth >= DEPTH {
            return Err(Error::index("depth", depth, DEPTH));
        }
        self.start(now);
        if let Some(top) = self.open.get_mut(depth) {
            *top = (id, 0);
        }
        self.depth = depth + 1;
        Ok(())
    }

    /// Ends the innermost open brick at `now`.
    ///
    /// Errors: [`Error::Empty`] when no brick is open.
    #[inline(always)]
    pub fn end(&mut self, now: u64) -> Result<(), Error> {
        let top = self.depth.checked_sub(1).ok_or(Error::empty("open"))?;
        self.start(now);
        self.depth = top;
        if let Some((id, own)) = self.open.get(top)
            && let Some(stats) = self.stats.get_mut(id.index())
        {
            stats.record(*own);
        }
        Ok(())
    }

    #[inline(always)]
    fn passed(&mut self, now: u64) -> u64 {
        let passed = now.saturating_sub(self.last);
        self.last = now;
        passed
    }

    /// The statistics of a brick; `None` for an `id` that is not below `N`.
    #[must_use]
    pub fn stats(&self, id: BrickId) -> Option<&Stats<B>> {
        self.stats.get(id.index())
    }

    /// The bricks that have calls, with their statistics.
    pub fn bricks(&self) -> impl Iterator<Item = (BrickId, &Stats<B>)> {
        let id = |k| BrickId(k as u16);
        self.stats.iter().enumerate().filter(|(_, s)| s.count > 0).map(move |(k, s)| (id(k), s))
    }

    /// The sum of the self times of all bricks.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.stats.iter().map(|s| s.total).sum()
    }

    /// Adds the calls of another profiler, as if one profiler had counted both. Bricks that are still open in `other` are not added.
    pub fn merge(&mut self, other: &Self) {
        for (stats, more) in self.stats.iter_mut().zip(&other.stats) {
            stats.merge(more);
        }
    }
}
