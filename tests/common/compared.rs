//! Assertions that are counted, see `dense::compared`, where that is optimised: some tests make millions.

#[allow(unused_imports, reason = "packages that share this file ask for less")]
pub use dense::compared::{add, lacks, made};

/// Runs on a pool of so many threads; what is compared there counts for this thread's test.
#[cfg(feature = "parallel")]
pub fn on_threads<R: Send>(threads: usize, f: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let (result, n) = pool.install(|| {
        let before = made();
        (f(), made() - before)
    });
    add(n);
    result
}

/// As [`core::assert!`], counted.
#[macro_export]
macro_rules! assert {
    ($($what:tt)*) => {{
        $crate::compared::add(1);
        ::core::assert!($($what)*)
    }};
}

/// As [`core::assert_eq!`], counted.
#[macro_export]
macro_rules! assert_eq {
    ($($what:tt)*) => {{
        $crate::compared::add(1);
        ::core::assert_eq!($($what)*)
    }};
}
