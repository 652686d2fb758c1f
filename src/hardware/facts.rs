//! The typed table of machines, which the compiler makes from `facts.pl`.

use super::const_fn::at_mut;
use super::error::FactError;
use super::machine::Target;
use super::parse;

/// The text of the facts, as SWI-Prolog loads it.
pub const FACTS: &str = include_str!("facts.pl");

/// Every machine that `facts.pl` names, in its order. A malformed or missing fact stops the build with file and line.
pub static TARGETS: [Target; parse::count(FACTS)] = match parse::parse(FACTS) {
    Ok(targets) => targets,
    Err(e) => stop(e),
};

/// The target of a name.
///
/// ```
/// let a100 = fulmen::hardware::target("sm_80").unwrap();
/// assert_eq!(a100.gpu().unwrap().sm_count, Some(108));
/// ```
#[must_use]
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|t| t.name == name)
}

/// Stops the compiler with `file:line: message`.
#[allow(clippy::panic, reason = "runs in the compiler only")]
const fn stop(e: FactError) -> ! {
    let mut text = [b' '; 160];
    let mut len = 0;
    append(&mut text, &mut len, "src/hardware/facts.pl:");
    let mut divisor = 1_000_000_000;
    while divisor > 0 {
        if e.line >= divisor {
            let digit = (e.line / divisor % 10) as u8;
            append(&mut text, &mut len, digit_text(digit));
        }
        divisor /= 10;
    }
    append(&mut text, &mut len, ": ");
    append(&mut text, &mut len, e.kind.message());
    append(&mut text, &mut len, e.kind.predicate());
    match core::str::from_utf8(&text) {
        Ok(text) => panic!("{}", text.trim_ascii()),
        Err(_) => panic!("src/hardware/facts.pl is malformed"),
    }
}

const fn digit_text(digit: u8) -> &'static str {
    let (_, rest) = "0123456789".split_at(digit as usize);
    rest.split_at(1).0
}

const fn append(text: &mut [u8], len: &mut usize, more: &str) {
    let mut more = more.as_bytes();
    while let (Some((&c, rest)), Some(place)) = (more.split_first(), at_mut(text, *len)) {
        *place = c;
        *len += 1;
        more = rest;
    }
}
