//! Clocks for a [`Listener`](super::Listener) or a [`Profiler`](super::Profiler).

/// The time-stamp counter of the processor, which runs at one rate whatever the clock of the core: about 20 cycles to read,
/// and not ordered with the instructions around it.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
#[must_use]
pub fn cycles() -> u64 {
    // SAFETY: every x86-64 has the counter, and an operating system that traps the instruction ends the program.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// Nanoseconds since the first call, of the operating system's monotonic clock.
#[cfg(feature = "std")]
#[must_use]
pub fn nanoseconds() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static FIRST: OnceLock<Instant> = OnceLock::new();
    u64::try_from(FIRST.get_or_init(Instant::now).elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// The fastest clock that this processor has: [`cycles`] on x86-64, else [`nanoseconds`].
#[cfg(feature = "std")]
#[inline(always)]
#[must_use]
pub fn fastest() -> u64 {
    #[cfg(target_arch = "x86_64")]
    return cycles();
    #[cfg(not(target_arch = "x86_64"))]
    nanoseconds()
}

/// Nanoseconds that are long against the resolution of clocks and the time that it takes to read them.
#[cfg(feature = "std")]
const LONG: u64 = 20_000_000;

/// Nanoseconds of a tick of `clock`, measured against [`nanoseconds`] for 20 ms; 0 of a clock that stands still.
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
