//! The name of an op in errors: a number of two bytes, and the table of names.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    reason = "the compiler computes all that stands here as constants"
)]

use super::signature::{OWN, REGULAR, Signature};
use core::fmt;

/// Functions beside the rows that refuse arguments.
const OTHERS: &[&str] = &[
    "map",
    "zip_in_place",
    "map_reduce",
    "map_reduce_rows",
    "gemm_with",
    "gemm_strided_batched",
    "gemm_i8_with",
    "gemm_u8_with",
    "gemm_bf16_with",
    "gemm_f16_with",
    "gemm_e4m3_with",
];

const LISTS: [&[&[Signature]]; 2] = [REGULAR, OWN];

const fn count() -> usize {
    let (mut n, mut k) = (1 + OTHERS.len(), 0);
    while k < LISTS.len() {
        let mut i = 0;
        while i < LISTS[k].len() {
            n += LISTS[k][i].len();
            i += 1;
        }
        k += 1;
    }
    n
}

/// The first one stands for none.
static NAMES: [&str; count()] = ALL;
const ALL: [&str; count()] = {
    let (mut all, mut n, mut k) = ([""; count()], 1, 0);
    while k < LISTS.len() {
        let mut i = 0;
        while i < LISTS[k].len() {
            let mut j = 0;
            while j < LISTS[k][i].len() {
                all[n] = LISTS[k][i][j].op;
                n += 1;
                j += 1;
            }
            i += 1;
        }
        k += 1;
    }
    let mut k = 0;
    while k < OTHERS.len() {
        all[n] = OTHERS[k];
        n += 1;
        k += 1;
    }
    all
};

const fn starts(x: &[u8], with: &[u8]) -> bool {
    if x.len() < with.len() {
        return false;
    }
    let mut i = 0;
    while i < with.len() {
        if x[i] != with[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// The name of an op, in two bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct OpName(u16);

impl OpName {
    pub(crate) const NONE: Self = Self(0);

    /// Of a function of the rows, or its form `_in_place` or `_on`. A name that no row has stops the build, as all calls are constants.
    pub(crate) const fn of(name: &str) -> Self {
        let name = name.as_bytes();
        let mut k = 1;
        while k < ALL.len() {
            let op = ALL[k].as_bytes();
            let form = match name.len() - if op.len() < name.len() { op.len() } else { name.len() } {
                0 => op.len() == name.len(),
                3 | 9 | 12 => name[op.len()] == b'_',
                _ => false,
            };
            if form && starts(name, op) {
                let rest = name.split_at(op.len()).1;
                if rest.is_empty() || starts(rest, b"_in_place") || (rest.len() == 3 && starts(rest, b"_on"))
                {
                    return Self(k as u16);
                }
            }
            k += 1;
        }
        panic!("no row has this name")
    }

    /// The text; `None` of what is no op's.
    #[inline]
    pub fn text(self) -> Option<&'static str> {
        NAMES.get(usize::from(self.0)).copied().filter(|name| !name.is_empty())
    }
}

impl fmt::Debug for OpName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.text().unwrap_or_default(), f)
    }
}
impl fmt::Display for OpName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text().unwrap_or_default())
    }
}
