//! Helpers for `const fn`, which has no `?`, no indexing without a panic and no equality of strings.

/// `?`, which a `const fn` cannot write.
macro_rules! get {
    ($e:expr) => {
        match $e {
            Ok(v) => v,
            Err(e) => return Err(e),
        }
    };
}
pub(super) use get;

/// `slice[i]` in a `const fn`, without a panic.
pub(super) const fn at<T>(slice: &[T], i: usize) -> Option<&T> {
    match slice.split_at_checked(i) {
        Some((_, rest)) => rest.first(),
        None => None,
    }
}

pub(super) const fn at_mut<T>(slice: &mut [T], i: usize) -> Option<&mut T> {
    match slice.split_at_mut_checked(i) {
        Some((_, rest)) => rest.first_mut(),
        None => None,
    }
}

/// `a == b`, which a `const fn` cannot write. Its loop calls nothing: calls are what takes time in the compiler.
pub(super) const fn same(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    while let ([x, more_a @ ..], [y, more_b @ ..]) = (a, b) {
        if *x != *y {
            return false;
        }
        (a, b) = (more_a, more_b);
    }
    true
}
