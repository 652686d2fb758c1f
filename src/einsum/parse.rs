//! Parses an expression such as `"ij,jk->ik"`: which index each axis has.

use crate::error::Error;

/// Operands of an expression, at most.
pub const EINSUM_OPERANDS: usize = 16;
/// Different indices of an expression, and axes of an operand, at most.
pub const EINSUM_INDICES: usize = 32;

/// The axes of one operand or of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Term {
    /// The index of each axis, numbered in the order in which the expression first names them.
    pub index: [u8; EINSUM_INDICES],
    /// The byte of the expression that names it.
    pub at: [u16; EINSUM_INDICES],
    pub rank: u8,
    /// Where it begins: at the comma before it.
    pub start: u16,
    /// How many axes stand before its ellipsis, and the byte of that.
    pub dots: Option<(u8, u16)>,
}

impl Term {
    pub(super) const SCALAR: Self =
        Self { index: [0; EINSUM_INDICES], at: [0; EINSUM_INDICES], rank: 0, start: 0, dots: None };

    /// One more axis, of which there is room.
    pub(super) fn push(&mut self, index: usize, at: usize) {
        push(self, index, at);
    }

    /// With `axes` in place of the ellipsis, which have the indices from `first` on, the last axis the first of them; `None` when there are
    /// more than 32.
    pub(super) fn spread(&self, first: usize, axes: usize) -> Option<Self> {
        let Some((before, at)) = self.dots else { return Some(*self) };
        if axes + self.rank as usize > EINSUM_INDICES || first + axes > EINSUM_INDICES {
            return None;
        }
        let mut all = Self { start: self.start, ..Self::SCALAR };
        let own = || self.axes().enumerate();
        own().filter(|(k, _)| *k < before as usize).for_each(|(_, (i, at))| all.push(i, at));
        (0..axes).rev().for_each(|k| all.push(first + k, at as usize));
        own().filter(|(k, _)| *k >= before as usize).for_each(|(_, (i, at))| all.push(i, at));
        Some(all)
    }

    /// The index of each axis and where it stands.
    pub(super) fn axes(&self) -> impl DoubleEndedIterator<Item = (usize, usize)> + ExactSizeIterator {
        self.index.iter().zip(&self.at).take(self.rank as usize).map(|(i, at)| (*i as usize, *at as usize))
    }
}

/// What an expression like `"bhqd,bhkd->bhqk"` says: plain data, which may be a constant.
///
/// Each operand is a list of letters, an index for each of its axes; the letters behind `->` are the axes of the result.
/// What is not among them is summed over. Without `->` the result has each letter that occurs once, in the order
/// `A`…`Z`, `a`…`z`. A letter twice in an operand means its diagonal. An operand without letters is one number; spaces are skipped.
///
/// An ellipsis `...` stands for the axes of an operand that have no letter, any number of them, none too. Those of several operands are
/// matched from the last one on, and one of one element is repeated. The result has them where its own ellipsis stands: it must
/// have one if there are such axes. Without `->` they come first. These are the rules of NumPy 2.4.
///
/// One that is known when the program is built is better written with [`einsum!`](macro@crate::einsum).
///
/// ```
/// use fulmen::{Einsum, Error};
/// assert_eq!(Einsum::parse("bhqd,bhkd->bhqk")?.operands(), 2);
/// let wrong = Einsum::parse("ij,jk->iq").unwrap_err();
/// assert!(matches!(wrong, Error::Expression { arg: "expression", at: 8, .. }));
/// assert_eq!(wrong.to_string(), "`expression` at byte 8: an index that no operand has");
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Einsum {
    pub(super) terms: [Term; EINSUM_OPERANDS],
    pub(super) out: Term,
    operands: u8,
    /// Different letters.
    pub(super) letters: u8,
}

impl Einsum {
    /// Reads an expression.
    ///
    /// Errors: [`Error::Expression`] names the byte that is wrong: what is neither a letter, a comma, an arrow nor a space; an index of the result
    /// that no operand has, or that it has twice; a 17th operand; a 33rd index, or axis of an operand; a dot that is no part of an ellipsis, or a second
    /// ellipsis of an operand or the result.
    pub const fn parse(expression: &str) -> Result<Self, Error> {
        let text = expression.as_bytes();
        let terms = [Term::SCALAR; EINSUM_OPERANDS];
        let mut e = Self { terms, out: Term::SCALAR, operands: 1, letters: 0 };
        // The letters in the order in which they come, and how often each does.
        let (mut letters, mut times) = ([0; EINSUM_INDICES], [0u16; EINSUM_INDICES]);
        let (mut known, mut arrow, mut at, mut dots) = (0, false, 0, false);
        while at < text.len() {
            if at > u16::MAX as usize {
                return wrong(at, &"an expression of more than 65 536 bytes");
            }
            #[allow(clippy::indexing_slicing, reason = "below the length")]
            let c = text[at];
            match c {
                b' ' => {}
                b',' if arrow => return wrong(at, &"a comma behind the arrow"),
                b',' if e.operands as usize == EINSUM_OPERANDS => return wrong(at, &"more than 16 operands"),
                b',' => {
                    e.operands += 1;
                    start(&mut e.terms, e.operands as usize - 1, at);
                }
                #[allow(clippy::indexing_slicing, reason = "below the length")]
                b'-' if at + 1 < text.len() && text[at + 1] == b'>' => {
                    if arrow {
                        return wrong(at, &"a second arrow");
                    }
                    arrow = true;
                    at += 1;
                }
                #[allow(clippy::indexing_slicing, reason = "below the length, and 1 to 16 operands")]
                b'.' if at + 2 < text.len() && text[at + 1] == b'.' && text[at + 2] == b'.' => {
                    let term = if arrow { &mut e.out } else { &mut e.terms[e.operands as usize - 1] };
                    if term.dots.is_some() {
                        return wrong(at, &"a second ellipsis");
                    }
                    term.dots = Some((term.rank, at as u16));
                    (dots, at) = (true, at + 2);
                }
                b'.' => return wrong(at, &"a dot that is no part of an ellipsis"),
                b'A'..=b'Z' | b'a'..=b'z' => {
                    let i = find(&letters, known, c);
                    if i == known {
                        if arrow {
                            return wrong(at, &"an index that no operand has");
                        }
                        if known == EINSUM_INDICES {
                            return wrong(at, &"more than 32 indices");
                        }
                        put(&mut letters, i, c);
                        known += 1;
                    }
                    #[allow(clippy::indexing_slicing, reason = "1 to 16 operands")]
                    let term = if arrow { &mut e.out } else { &mut e.terms[e.operands as usize - 1] };
                    if arrow && find(&term.index, term.rank as usize, i as u8) < term.rank as usize {
                        return wrong(at, &"an index that the result has already");
                    }
                    if term.rank as usize == EINSUM_INDICES {
                        return wrong(at, &"more than 32 axes");
                    }
                    push(term, i, at);
                    #[allow(clippy::indexing_slicing, reason = "below 32")]
                    if i < EINSUM_INDICES {
                        times[i] = times[i].saturating_add(1);
                    }
                }
                _ => return wrong(at, &"neither a letter, a comma, an arrow, an ellipsis nor a space"),
            }
            at += 1;
        }
        e.letters = known as u8;
        if dots && !arrow {
            e.out.dots = Some((0, at as u16));
        }
        let mut c = b'A';
        while !arrow && c <= b'z' {
            let i = find(&letters, known, c);
            #[allow(clippy::indexing_slicing, reason = "below 32")]
            if i < known && i < EINSUM_INDICES && times[i] == 1 {
                push(&mut e.out, i, at);
            }
            c += 1;
        }
        Ok(e)
    }

    /// What [`einsum!`](macro@crate::einsum) makes: does not compile as a constant when the expression is wrong.
    #[doc(hidden)]
    #[allow(clippy::panic, reason = "in a constant, where it does not compile")]
    pub const fn constant(expression: &str) -> Self {
        match Self::parse(expression) {
            Ok(e) => e,
            Err(Error::Expression { at, why, .. }) => {
                let mut shown = [0; SHOWN];
                let n = show(expression.as_bytes(), at, why.as_bytes(), &mut shown);
                match core::str::from_utf8(shown.split_at(n).0) {
                    Ok(shown) => panic!("{}", shown),
                    Err(_) => panic!("{}", *why),
                }
            }
            Err(_) => panic!("an expression"),
        }
    }

    pub(super) fn of(first: [Term; 2], out: Term, operands: u8) -> Self {
        let mut terms = [Term::SCALAR; EINSUM_OPERANDS];
        terms.iter_mut().zip(first).for_each(|(to, term)| *to = term);
        Self { terms, out, operands, letters: EINSUM_INDICES as u8 }
    }

    /// How many operands it has.
    pub const fn operands(&self) -> usize {
        self.operands as usize
    }
}

/// The bytes of a message, at most.
const SHOWN: usize = 512;

/// The expression, an arrow below the character at byte `at`, and `why`. The length; a message that does not fit has `why` alone.
#[allow(clippy::indexing_slicing, reason = "below SHOWN, as is looked at before")]
const fn show(expression: &[u8], at: usize, why: &[u8], to: &mut [u8; SHOWN]) -> usize {
    let mut n = 0;
    if 2 * expression.len() + why.len() + 4 <= SHOWN {
        to[n] = b'\n';
        n += 1;
        let mut i = 0;
        while i < expression.len() {
            to[n] = expression[i];
            n += 1;
            i += 1;
        }
        to[n] = b'\n';
        n += 1;
        i = 0;
        while i < at && i < expression.len() {
            to[n] = b' ';
            n += 1;
            i += 1;
        }
        to[n] = b'^';
        to[n + 1] = b' ';
        n += 2;
    }
    let mut i = 0;
    while i < why.len() && n < SHOWN {
        to[n] = why[i];
        n += 1;
        i += 1;
    }
    n
}

/// The [`Einsum`](crate::Einsum) of an expression that is known when the program is built: read then, so that a run does not, and a wrong one does not
/// compile. The error shows the character:
///
/// ```text
/// ij,jk->iq
///         ^ an index that no operand has
/// ```
///
/// Shapes: `expression` is a string, or a constant that is one. What it may say: [`Einsum`](crate::Einsum).
///
/// ```
/// use fulmen::{Einsum, EinsumPlan, einsum};
/// const SCORES: Einsum = einsum!("bhqd,bhkd->bhqk");
/// assert_eq!(SCORES, Einsum::parse("bhqd,bhkd->bhqk")?);
/// let plan = EinsumPlan::new(&einsum!("ij,j->i"), &[&[2, 2], &[2]])?;
/// let mut y = [0.0; 2];
/// einsum(&plan, &[&[1.0, 2.0, 3.0, 4.0], &[10.0, 100.0]], &mut y, &mut vec![0.0; plan.workspace()])?;
/// assert_eq!(y, [210.0, 430.0]);
/// # Ok::<(), fulmen::Error>(())
/// ```
///
/// No operand of this has an index `q`:
///
/// ```compile_fail,E0080
/// let wrong = fulmen::einsum!("ij,jk->iq");
/// ```
#[macro_export]
macro_rules! einsum {
    ($expression:expr $(,)?) => {{
        const EINSUM: $crate::Einsum = $crate::Einsum::constant($expression);
        EINSUM
    }};
}

const fn wrong(at: usize, why: &'static &'static str) -> Result<Einsum, Error> {
    Err(Error::expression("expression", at, why))
}

/// Where `c` is among the first `n`; `n` if it is not.
#[allow(clippy::indexing_slicing, reason = "below 32")]
const fn find(list: &[u8; EINSUM_INDICES], n: usize, c: u8) -> usize {
    let mut i = 0;
    while i < n && i < EINSUM_INDICES {
        if list[i] == c {
            return i;
        }
        i += 1;
    }
    n
}

#[allow(clippy::indexing_slicing, reason = "below 32")]
const fn put(list: &mut [u8; EINSUM_INDICES], i: usize, c: u8) {
    if i < EINSUM_INDICES {
        list[i] = c;
    }
}

#[allow(clippy::indexing_slicing, reason = "below 16")]
const fn start(terms: &mut [Term; EINSUM_OPERANDS], i: usize, comma: usize) {
    if i < EINSUM_OPERANDS {
        terms[i].start = comma as u16;
    }
}

#[allow(clippy::indexing_slicing, reason = "below 32")]
const fn push(term: &mut Term, i: usize, at: usize) {
    let rank = term.rank as usize;
    debug_assert!(rank < EINSUM_INDICES, "a term of more than 32 axes");
    if rank < EINSUM_INDICES {
        term.index[rank] = i as u8;
        term.at[rank] = at as u16;
        term.rank += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{EINSUM_INDICES, Einsum, SHOWN, Term, show};
    use std::string::String;

    /// The last axis that there is room for, and one more: of an expression, with an ellipsis, and of a term itself.
    #[test]
    fn axes_past_the_most() {
        let most = "a".repeat(EINSUM_INDICES);
        assert_eq!(Einsum::parse(&most).unwrap().terms[0].rank as usize, EINSUM_INDICES);
        let wrong = crate::Error::expression("expression", EINSUM_INDICES, &"more than 32 axes");
        assert_eq!(Einsum::parse(&(most + "a")), Err(wrong));
        let term = Einsum::parse("ab...").unwrap().terms[0];
        assert_eq!(term.spread(2, 30).unwrap().rank as usize, EINSUM_INDICES);
        assert_eq!(term.spread(2, 31), None);
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "a term of more than 32 axes")]
    fn no_axis_is_dropped() {
        let mut term = Term::SCALAR;
        (0..=EINSUM_INDICES).for_each(|_| term.push(0, 0));
        assert_eq!(term.rank as usize, EINSUM_INDICES + 1);
    }

    fn shown(expression: &str) -> String {
        let crate::Error::Expression { at, why, .. } = Einsum::parse(expression).unwrap_err() else {
            panic!()
        };
        let mut to = [0; SHOWN];
        let n = show(expression.as_bytes(), at, why.as_bytes(), &mut to);
        String::from_utf8(to[..n].to_vec()).unwrap()
    }

    #[test]
    fn messages_point_at_the_character() {
        assert_eq!(shown("ij,jk->iq"), "\nij,jk->iq\n        ^ an index that no operand has");
        assert_eq!(shown("i,é"), "\ni,é\n  ^ neither a letter, a comma, an arrow, an ellipsis nor a space");
        assert_eq!(Einsum::constant("ij->ji"), Einsum::parse("ij->ji").unwrap());
        // An expression that is too long is not shown.
        let why = "a dot that is no part of an ellipsis";
        for spaces in [200, 221, 222, 223, 224, 225, 230, 300, 600] {
            let text = shown(&(" ".repeat(spaces) + "."));
            assert!(text.ends_with(why), "{spaces}");
            assert_eq!(text.contains('^'), 2 * (spaces + 1) + why.len() + 4 <= SHOWN, "{spaces}");
        }
    }
}
