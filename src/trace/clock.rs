//! Clocks for a [`Listener`](super::Listener) or a [`Profiler`](super::Profiler).

/// The time-stamp counter of the processor, which runs at a constant rate on processors with an invariant counter, whatever the
/// frequency of the core. Its reads are not ordered with the instructions around them.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[must_use]
pub fn cycles() -> u64 {
    // SAFETY: every x86-64 processor has the instruction; where an operating system forbids it, the program ends with a signal.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// The nanoseconds since the first call, by the operating system's monotonic clock.
#[cfg(feature = "std")]
#[must_use]
pub fn nanoseconds() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static FIRST: OnceLock<Instant> = OnceLock::new();
    u64::try_from(FIRST.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// The fastest clock of this module: [`cycles`] on x86-64, else [`nanoseconds`].
#[cfg(feature = "std")]
#[inline(always)]
#[must_use]
pub fn fastest() -> u64 {
    #[cfg(target_arch = "x86_64")]
    return cycles();
    #[cfg(not(target_arch = "x86_64"))]
    nanoseconds()
}

/// The nanoseconds that a measurement of a tick lasts: many times the resolution of the clocks, and the time of a read.
#[cfg(feature = "std")]
const LONG: u64 = 20_000_000;

/// The nanoseconds of a tick of `clock`, measured against [`nanoseconds`] for 20 ms; 0 for a clock that does not advance.
#[cfg(feature = "std")]
#[must_use]
pub fn tick(clock: fn() -> u64) -> f64 {
    let (from, first) = (nanoseconds(), clock());
    loop {
        let (now, last) = (nanoseconds(), clock());
        let waited = now.saturating_sub(from);
        if waited >= LONG {
            return match last.saturating_sub(first) {
                0 => 0.0,
                ticks => waited as f64 / ticks as f64,
            };
        }
    }
}
