//! The name of an op in errors: a number of two bytes, and the table of names.
#![expect(clippy::indexing_slicing, reason = "the compiler computes all that stands here as constants")]

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

/// Where the search for a name begins in `PLACES`. This and `of` call nothing in their loops: each of some 700 calls of ops searches when
/// the library is compiled.
const fn hash(name: &[u8], places: usize) -> usize {
    let (mut rest, mut h) = (name, 0u32);
    while let [c, tail @ ..] = rest {
        h = (h ^ *c as u32).wrapping_mul(0x0100_0193);
        rest = tail;
    }
    (h >> 12) as usize % places
}

/// The numbers of the names, each at its hash or the next place that was free; 0 is free.
static PLACES: [u16; 4 * count()] = {
    // Mentioning a constant array copies it, so none is in a loop.
    let (mut places, mut k, names) = ([0; 4 * count()], 1, &NAMES);
    while k < names.len() {
        let mut at = hash(names[k].as_bytes(), places.len());
        while places[at] != 0 {
            at = (at + 1) % places.len();
        }
        places[at] = k as u16;
        k += 1;
    }
    places
};

/// The number of a name; 0 if no row has it.
const fn number(name: &[u8]) -> u16 {
    let mut at = hash(name, PLACES.len());
    while PLACES[at] != 0 {
        let (mut x, mut y) = (name, NAMES[PLACES[at] as usize].as_bytes());
        while let ([a, more @ ..], [b, rest @ ..]) = (x, y)
            && *a == *b
        {
            (x, y) = (more, rest);
        }
        if x.is_empty() && y.is_empty() {
            return PLACES[at];
        }
        at = (at + 1) % PLACES.len();
    }
    0
}

/// The name of an op, in two bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct OpName(u16);

impl OpName {
    pub(crate) const NONE: Self = Self(0);

    /// Of a function of the rows, or its form `_in_place` or `_on`. A name that no row has stops the build, as all calls are constants.
    pub(crate) const fn of(name: &str) -> Self {
        let name = name.as_bytes();
        let serial = match name {
            [op @ .., b'_', b'o', b'n'] => op,
            op => op,
        };
        let op = match serial {
            [op @ .., b'_', b'i', b'n', b'_', b'p', b'l', b'a', b'c', b'e'] => op,
            op => op,
        };
        // Some forms have rows of their own, which come after those of their ops; `zip_in_place` has no other.
        let (mut k, mut names) = (0, &[name, serial, op] as &[&[u8]]);
        while let [one, rest @ ..] = names {
            let found = number(one);
            if found != 0 && (k == 0 || found < k) {
                k = found;
            }
            names = rest;
        }
        assert!(k != 0, "no row has this name");
        Self(k)
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
