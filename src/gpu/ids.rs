//! The identifiers of SSA values, and short lists of them.

use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

/// A value, by its number in the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub u32);

/// A list of values; up to four need no allocation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ids {
    /// The first `u8` of these.
    Few(u8, [Id; 4]),
    /// More than four.
    Many(Vec<Id>),
}

impl Ids {
    /// No values.
    pub const NONE: Self = Self::Few(0, [Id(0); 4]);

    /// Adds a value at the end.
    pub fn push(&mut self, id: Id) {
        match self {
            Self::Few(n, list) => match list.get_mut(usize::from(*n)) {
                Some(slot) => {
                    *slot = id;
                    *n += 1;
                }
                None => {
                    let mut many = Vec::with_capacity(8);
                    many.extend_from_slice(list);
                    many.push(id);
                    *self = Self::Many(many);
                }
            },
            Self::Many(list) => list.push(id),
        }
    }

    /// The value at `k`; an operand that is not there reads as value 0, which verification refuses.
    #[must_use]
    #[inline]
    pub fn at(&self, k: usize) -> Id {
        self.get(k).copied().unwrap_or(Id(0))
    }
}

impl Deref for Ids {
    type Target = [Id];
    #[inline]
    fn deref(&self) -> &[Id] {
        match self {
            Self::Few(n, list) => list.get(..usize::from(*n)).unwrap_or_default(),
            Self::Many(list) => list,
        }
    }
}

impl DerefMut for Ids {
    fn deref_mut(&mut self) -> &mut [Id] {
        match self {
            Self::Few(n, list) => list.get_mut(..usize::from(*n)).unwrap_or_default(),
            Self::Many(list) => list,
        }
    }
}

impl From<&[Id]> for Ids {
    fn from(ids: &[Id]) -> Self {
        let mut list = Self::NONE;
        ids.iter().for_each(|id| list.push(*id));
        list
    }
}

impl FromIterator<Id> for Ids {
    fn from_iter<I: IntoIterator<Item = Id>>(ids: I) -> Self {
        let mut list = Self::NONE;
        ids.into_iter().for_each(|id| list.push(id));
        list
    }
}
