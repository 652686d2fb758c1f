//! Parses `facts.pl` at compile time: every function is `const`, and the table of machines is made from its result.

use super::const_fn::{at, at_mut, get, same};
use super::error::{FactError, FactErrorKind};
use super::machine::{MmaShape, MmaShapes, Scalar, Target};
use super::predicates::{Kind, PREDICATES, Raw, SHAPES, TARGET, typed};

const fn place(list: &[&str], name: &str) -> Option<usize> {
    let (mut rest, mut i) = (list, 0);
    while let [one, tail @ ..] = rest {
        if same(one, name) {
            return Some(i);
        }
        rest = tail;
        i += 1;
    }
    None
}

/// What is left of the text.
#[derive(Clone, Copy)]
struct Cursor {
    rest: &'static [u8],
    line: u32,
}

impl Cursor {
    const fn new(text: &'static str) -> Self {
        Self { rest: text.as_bytes(), line: 1 }
    }
    const fn wrong(&self, kind: FactErrorKind) -> FactError {
        FactError { line: self.line, kind }
    }
    /// Past one character, which ends no line.
    const fn step(&mut self) {
        if let [_, rest @ ..] = self.rest {
            self.rest = rest;
        }
    }
    const fn peek(&self) -> u8 {
        match self.rest {
            [c, ..] => *c,
            [] => 0,
        }
    }
    /// Past blanks, comments and directives. Loops over characters call nothing, here and below: a call is what takes time
    /// in the compiler.
    const fn skip(&mut self) {
        let mut rest = self.rest;
        loop {
            match rest {
                [b' ' | b'\t' | b'\r', tail @ ..] => rest = tail,
                [b'\n', tail @ ..] => {
                    self.line += 1;
                    rest = tail;
                }
                [b'%', tail @ ..] => {
                    rest = tail;
                    while let [c, tail @ ..] = rest
                        && *c != b'\n'
                    {
                        rest = tail;
                    }
                }
                [b':', tail @ ..] => {
                    rest = tail;
                    while let [c, tail @ ..] = rest {
                        rest = tail;
                        self.line += (*c == b'\n') as u32;
                        if *c == b'.' {
                            break;
                        }
                    }
                }
                _ => break,
            }
        }
        self.rest = rest;
    }
    const fn expect(&mut self, c: u8) -> Result<(), FactError> {
        self.skip();
        if self.peek() == c {
            self.step();
            return Ok(());
        }
        Err(self.wrong(FactErrorKind::Syntax))
    }
    /// A small letter, then letters, digits and `_`; or anything on one line between quotes, of which it has none inside.
    const fn atom(&mut self) -> Result<&'static str, FactError> {
        self.skip();
        let quoted = self.peek() == b'\'';
        if quoted {
            self.step();
        } else if !self.peek().is_ascii_lowercase() {
            return Err(self.wrong(FactErrorKind::Syntax));
        }
        let from = self.rest;
        let mut rest = from;
        if quoted {
            while let [c, tail @ ..] = rest
                && !matches!(*c, b'\'' | b'\\' | b'\n' | 0)
            {
                rest = tail;
            }
        } else {
            while let [b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_', tail @ ..] = rest {
                rest = tail;
            }
        }
        self.rest = rest;
        let word = match from.split_at_checked(from.len() - self.rest.len()) {
            Some((word, _)) => core::str::from_utf8(word),
            None => Ok(""),
        };
        if quoted {
            get!(self.quote());
        }
        match word {
            Ok(word) if !word.is_empty() => Ok(word),
            _ => Err(self.wrong(FactErrorKind::Syntax)),
        }
    }
    /// The end of what is quoted.
    const fn quote(&mut self) -> Result<(), FactError> {
        if self.peek() != b'\'' {
            return Err(self.wrong(FactErrorKind::Syntax));
        }
        self.step();
        Ok(())
    }
    /// A number in thousandths; between quotes too, as versions such as `'6.1'` are written.
    const fn number(&mut self) -> Result<u64, FactError> {
        self.skip();
        if self.peek() != b'\'' {
            return self.digits();
        }
        self.step();
        let value = get!(self.digits());
        get!(self.quote());
        Ok(value)
    }
    const fn digits(&mut self) -> Result<u64, FactError> {
        if !self.peek().is_ascii_digit() {
            return Err(self.wrong(FactErrorKind::Value));
        }
        let mut value = 0u64;
        let mut decimals = 0;
        let mut point = false;
        loop {
            let c = self.peek();
            if c.is_ascii_digit() {
                if point {
                    decimals += 1;
                }
                let digit = (c - b'0') as u64;
                value = match value.checked_mul(10) {
                    Some(v) if v <= u64::MAX - 9 && decimals <= 3 => v + digit,
                    _ => return Err(self.wrong(FactErrorKind::Value)),
                };
            } else if c == b'.' && !point && matches!(self.rest, [_, b'0'..=b'9', ..]) {
                point = true;
            } else {
                break;
            }
            self.step();
        }
        while decimals < 3 {
            value = match value.checked_mul(10) {
                Some(v) => v,
                None => return Err(self.wrong(FactErrorKind::Value)),
            };
            decimals += 1;
        }
        Ok(value)
    }
    const fn whole(&mut self) -> Result<u32, FactError> {
        let v = get!(self.number());
        if v == 0 || v % 1000 != 0 || v / 1000 > u32::MAX as u64 {
            return Err(self.wrong(FactErrorKind::Value));
        }
        Ok((v / 1000) as u32)
    }
    const fn value(&mut self, kind: Kind) -> Result<u64, FactError> {
        match kind {
            Kind::Whole => Ok(get!(self.whole()) as u64),
            Kind::Decimal => {
                let v = get!(self.number());
                if v == 0 { Err(self.wrong(FactErrorKind::Value)) } else { Ok(v) }
            }
            Kind::Atom(list) => match place(list, get!(self.atom())) {
                Some(i) => Ok(i as u64),
                None => Err(self.wrong(FactErrorKind::Value)),
            },
        }
    }
    /// `[mma_shape(M, N, K), …]`, of one type.
    const fn shapes(&mut self, shapes: &mut MmaShapes) -> Result<(), FactError> {
        let name = get!(self.atom());
        let mut i = 0;
        let scalar = loop {
            match at(&Scalar::ALL, i) {
                Some(&s) if same(s.name(), name) => break s,
                Some(_) => i += 1,
                None => return Err(self.wrong(FactErrorKind::Value)),
            }
        };
        if shapes.has(scalar) {
            return Err(self.wrong(FactErrorKind::Duplicate));
        }
        get!(self.expect(b','));
        get!(self.expect(b'['));
        loop {
            if !same(get!(self.atom()), "mma_shape") {
                return Err(self.wrong(FactErrorKind::Syntax));
            }
            get!(self.expect(b'('));
            let m = get!(self.whole());
            get!(self.expect(b','));
            let n = get!(self.whole());
            get!(self.expect(b','));
            let k = get!(self.whole());
            get!(self.expect(b')'));
            if !shapes.push(MmaShape { scalar, m, n, k }) {
                return Err(self.wrong(FactErrorKind::Capacity));
            }
            self.skip();
            if self.peek() != b',' {
                return self.expect(b']');
            }
            self.step();
        }
    }
}

/// How many targets a text names: the length of the table that [`parse`] makes of it.
#[must_use]
pub const fn count(text: &'static str) -> usize {
    let mut cursor = Cursor::new(text);
    let mut n = 0;
    loop {
        cursor.skip();
        match cursor.atom() {
            Ok(word) => n += same(word, TARGET) as usize,
            // Whatever it is, `parse` meets it too and says what is wrong.
            Err(_) => return n,
        }
        // The end of a fact is its full stop after a bracket; brackets may close before.
        let mut closed = false;
        while let [c, tail @ ..] = cursor.rest {
            cursor.rest = tail;
            closed |= *c == b')';
            if closed && *c == b'.' {
                break;
            }
        }
    }
}

/// Reads `N` targets from facts; [`count`] gives `N`.
///
/// # Errors
/// The first fact that is malformed, unknown, given twice, or contradicts others; the first target that lacks one.
pub const fn parse<const N: usize>(text: &'static str) -> Result<[Target; N], FactError> {
    let mut raws = [Raw::EMPTY; N];
    let mut len = 0;
    let mut cursor = Cursor::new(text);
    loop {
        cursor.skip();
        if cursor.rest.is_empty() {
            break;
        }
        get!(fact(&mut cursor, &mut raws, &mut len));
    }
    if len != N {
        return Err(cursor.wrong(FactErrorKind::Capacity));
    }
    let mut targets = [Target::EMPTY; N];
    let mut i = 0;
    while let (Some(raw), Some(target)) = (at(&raws, i), at_mut(&mut targets, i)) {
        *target = get!(typed(raw));
        i += 1;
    }
    Ok(targets)
}

/// Where the target of a name is among the first so many, from the last: most facts are of the one that was named last.
const fn named(raws: &[Raw], len: usize, name: &str) -> Option<usize> {
    let Some((mut rest, _)) = raws.split_at_checked(len) else { return None };
    while let [before @ .., raw] = rest {
        if same(raw.name, name) {
            return Some(before.len());
        }
        rest = before;
    }
    None
}

/// One fact, from its name to its full stop.
const fn fact(cursor: &mut Cursor, raws: &mut [Raw], len: &mut usize) -> Result<(), FactError> {
    let line = cursor.line;
    let predicate = get!(cursor.atom());
    get!(cursor.expect(b'('));
    let name = get!(cursor.atom());
    let known = named(raws, *len, name);
    if same(predicate, TARGET) {
        if known.is_some() {
            return Err(FactError { line, kind: FactErrorKind::Duplicate });
        }
        match at_mut(raws, *len) {
            Some(raw) => (raw.name, raw.line) = (name, line),
            None => return Err(FactError { line, kind: FactErrorKind::Capacity }),
        }
        *len += 1;
    } else {
        let raw = match known {
            Some(place) => at_mut(raws, place),
            None => None,
        };
        let Some(raw) = raw else {
            return Err(FactError { line, kind: FactErrorKind::UnknownTarget });
        };
        get!(cursor.expect(b','));
        if same(predicate, SHAPES) {
            get!(cursor.shapes(&mut raw.shapes));
        } else {
            let (mut rest, mut key): (&[(&str, Kind)], _) = (&PREDICATES, 0);
            let kind = loop {
                match rest {
                    [p, ..] if same(p.0, predicate) => break p.1,
                    [_, tail @ ..] => (rest, key) = (tail, key + 1),
                    [] => return Err(FactError { line, kind: FactErrorKind::UnknownPredicate }),
                }
            };
            let value = get!(cursor.value(kind));
            match at_mut(&mut raw.values, key) {
                Some(place) if *place == 0 => *place = value + 1,
                _ => return Err(FactError { line, kind: FactErrorKind::Duplicate }),
            }
        }
    }
    get!(cursor.expect(b')'));
    // On the same line, so that the error names the fact that lacks it.
    if cursor.peek() != b'.' {
        return Err(cursor.wrong(FactErrorKind::Syntax));
    }
    cursor.step();
    Ok(())
}
