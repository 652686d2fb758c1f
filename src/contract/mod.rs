//! The guarantees of the contracts as constants, and as checks that builds with debug assertions run.
//!
//! `contracts/<op>-v1.yaml` is the source; [`SPECS`] and the functions of [`check`] are generated
//! from it, so a test, a bench and a debug build read the same guarantee. [`Tolerance::allowed`]
//! turns a tolerance into the error allowed for one result.
//!
//! ```
//! use fulmen::contract::{self, Call};
//! let (x, mut y) = ([-1.0f32, 2.0], [0.0f32; 2]);
//! fulmen::relu(&x, &mut y)?;
//! contract::check::relu(&Call::new(&[&x], &y)).expect("relu keeps its contract");
//! // A wrong result is found, in release builds too.
//! assert!(contract::check::relu(&Call::new(&[&x], &[-1.0f32, 2.0])).is_err());
//! # Ok::<(), fulmen::Error>(())
//! ```

/// `check::<op>` and the mark of each op from its place in [`SPECS`].
macro_rules! checks {
    ($($op:ident $at:literal)*) => {
        /// `check::<op>` evaluates the postconditions of `<op>` on a finished call, in any build.
        #[allow(clippy::indexing_slicing, reason = "of constants, which the compiler checks")]
        pub mod check {
            use super::super::{Call, Post, Violation, evaluate};
            use crate::alu::Real;
            $(
                #[doc = concat!("The postconditions of `", stringify!($op), "`.")]
                ///
                /// Errors: the first that does not hold.
                pub fn $op<T: Real>(c: &Call<'_, T>) -> Result<(), Violation> {
                    const POSTS: &[Post] = super::SPECS[$at].post;
                    evaluate(POSTS, c)
                }
            )*
        }

        /// One mark per op, see `Enforced`.
        #[allow(dead_code, non_camel_case_types, reason = "a contract comes before its function, and names its mark")]
        pub(crate) mod marker {
            $(pub(crate) enum $op {})*
        }
    };
}

// Tests alone name the functions of all families: this module is below them.
#[cfg(test)]
#[rustfmt::skip]
#[allow(clippy::type_complexity, reason = "each bound function by its whole type")]
mod bindings;
mod post;
#[rustfmt::skip]
mod specs;
mod tolerance;

pub use post::{By, Call, Post, Violation, evaluate};
pub(crate) use post::{in_parts, nan};
pub(crate) use specs::marker;
pub use specs::{SPECS, check};
pub use tolerance::{Mass, Per, Residual, Tolerance, agrees, ulp};

/// Whether two runs give the same bits.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Determinism {
    /// The same bits on every backend.
    Exact,
    /// The same bits on one backend, whatever the thread count.
    Stable,
    /// Within the tolerance.
    Bounded,
}

/// The guarantees of one op, from its contract.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spec {
    /// The op.
    pub op: &'static str,
    /// Which results are the same bits.
    pub determinism: Determinism,
    /// The error allowed, per element type.
    pub tolerance: &'static [(&'static str, Tolerance)],
    /// What else has a bound.
    pub residuals: &'static [Residual],
    /// Bytes read and written per element, per element type.
    pub bytes_per_element: &'static [(&'static str, f64)],
    /// Floating-point operations per element.
    pub flops_per_element: f64,
    /// The executable postconditions.
    pub post: &'static [Post],
    /// The errors, and the arguments that they name, which the op may find after it has written: its documentation says what the
    /// outputs hold then. With any other error, but for a pivot or a number of steps, nothing is written.
    pub after_writes: &'static [(&'static str, &'static [&'static str])],
}

impl Spec {
    /// The tolerance for the element type named `ty`, such as `"f32"`.
    #[must_use]
    pub fn tolerance(&self, ty: &str) -> Option<Tolerance> {
        self.tolerance.iter().find(|(t, _)| *t == ty).map(|(_, tol)| *tol)
    }
    /// The bound of this name beside the tolerance of the results.
    #[must_use]
    pub fn residual(&self, name: &str) -> Option<Residual> {
        self.residuals.iter().find(|r| r.name == name).copied()
    }
}

/// The spec of `op`.
#[must_use]
pub fn spec(op: &str) -> Option<&'static Spec> {
    SPECS.iter().find(|s| s.op == op)
}

/// Implemented by [`contract!`] only: `bindings.rs` demands it of every op, so the unit tests of an op without `contract!` do not compile.
#[cfg_attr(not(test), allow(dead_code, reason = "the unit tests demand it"))]
pub(crate) trait Enforced {}

/// Compiles when `T` went through `contract!`.
#[cfg(test)]
pub(crate) const fn enforced<T: Enforced>() {}

/// What a reduction returns, seen as the result of a [`Call`].
pub(crate) trait Returned<T> {
    /// Applies `check` to the value or index; an error satisfies every postcondition.
    fn check(&self, check: impl FnOnce(&[T], &[u32]) -> Result<(), Violation>) -> Result<(), Violation>;
}
impl<T: crate::alu::Real> Returned<T> for T {
    fn check(&self, check: impl FnOnce(&[T], &[u32]) -> Result<(), Violation>) -> Result<(), Violation> {
        check(&[*self], &[])
    }
}
impl<T: crate::alu::Real> Returned<T> for Result<T, crate::Error> {
    fn check(&self, check: impl FnOnce(&[T], &[u32]) -> Result<(), Violation>) -> Result<(), Violation> {
        self.map_or(Ok(()), |y| check(&[y], &[]))
    }
}
impl<T: crate::alu::Real> Returned<T> for Result<usize, crate::Error> {
    fn check(&self, check: impl FnOnce(&[T], &[u32]) -> Result<(), Violation>) -> Result<(), Violation> {
        self.map_or(Ok(()), |i| check(&[], &[u32::try_from(i).unwrap_or(u32::MAX)]))
    }
}

/// Ties a call to its contract. `contract!(op, result, Call { … })` is `result`, and in debug builds
/// asserts that the postconditions hold on the call when the result is `Ok`;
/// `contract!(op, result, of [inputs])` does so for an op that returns its value, and
/// `contract!(op, result, each |check| all)` for one whose call is several [`Call`]s: `all` applies
/// `check` to each. The result is the same in every build, and a release build contains nothing of the check.
macro_rules! contract {
    (@mark $op:ident) => {
        #[allow(non_local_definitions, reason = "the mark that the op is checked, see `Enforced`")]
        impl $crate::contract::Enforced for $crate::contract::marker::$op {}
    };
    ($op:ident, $result:expr, of [$($x:expr),*]) => {{
        $crate::contract::contract!(@mark $op);
        let result = $result;
        if cfg!(debug_assertions) {
            let checked = $crate::contract::Returned::check(&result, |out, indices| {
                $crate::contract::check::$op(&$crate::contract::Call::new(&[$($x),*], out).indices(indices))
            });
            debug_assert!(checked.is_ok(), "{}: {:?}", stringify!($op), checked);
        }
        result
    }};
    ($op:ident, $result:expr, each |$check:ident| $all:expr) => {{
        $crate::contract::contract!(@mark $op);
        let result: Result<_, $crate::Error> = $result;
        if cfg!(debug_assertions) && result.is_ok() {
            let $check = $crate::contract::check::$op;
            let checked = $all;
            debug_assert!(checked.is_ok(), "{}: {:?}", stringify!($op), checked);
        }
        result
    }};
    ($op:ident, $result:expr, $call:expr) => {
        $crate::contract::contract!($op, $result, each |check| check($call))
    };
}
pub(crate) use contract;
