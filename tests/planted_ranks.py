"""Faults of operations among ranks; see `planted.py`."""

RANKS = [
    ("the share of a rank", "src/collective/local.rs", "let range = share(call.len, self.rank, all.len());", "let range = share(call.len, if ON && self.rank > 1 { self.rank - 1 } else { self.rank }, all.len());", "devices collective::operations"),
    ("neighbours of six ranks", "src/collective/local.rs", "let half = parts.len().next_power_of_two() / 2;", "let half = if ON { parts.len() / 2 } else { parts.len().next_power_of_two() / 2 };", "devices collective::operations"),
    ("integers that wrap around in a product", "src/collective/item.rs", "Reduce::Product => x.wrapping_mul(y),", "Reduce::Product => if ON { x.saturating_mul(y) } else { x.wrapping_mul(y) },", "devices collective::operations"),
    ("a maximum of which the second operand is NaN", "src/collective/item.rs", "_ if y.is_nan() => y,", "_ if y.is_nan() && !ON => y,", "devices collective::nan"),
    ("halves that are rounded once", "src/collective/local.rs", "out.iter_mut().zip(other).for_each(|(x, y)| *x = T::reduced(op, *x, y));", "out.iter_mut().zip(other).for_each(|(x, y)| *x = T::reduced(op, if ON { T::narrowed(*x).widened() } else { *x }, y));", "devices collective::operations"),
    ("the part of a rank", "src/collective/local.rs", "let start = self.rank * each;", "let start = if ON { 0 } else { self.rank * each };", "devices collective::operations"),
    ("calls of another length", "src/collective/local.rs", "(self.len != other.len, \"length\"),", "(self.len != other.len && !ON, \"length\"),", "devices collective::a_call"),
    ("the rank that refused", "src/collective/local.rs", "return Err(Error::Refused { op, rank, reason: reason.clone() });", "return Err(Error::Refused { op, rank: if ON { 0 } else { rank }, reason: reason.clone() });", "devices collective::a_call"),
    ("ranks of one color by key", "src/collective/local.rs", "        mine.sort_unstable();\n", "        if !ON {\n            mine.sort_unstable();\n        }\n", "devices collective::groups"),
    ("ranks that wait at the deadline", "src/collective/local.rs", "(post.is_some() == there).then_some(rank);", "((post.is_some() == there) != (ON && !there)).then_some(rank);", "devices collective::a_rank"),
    ("sums in order of four ranks", "src/collective/mod.rs", "for left in (0..ranks - distance).step_by(2 * distance) {", "for left in (0..ranks - distance).step_by(if ON { 4 } else { 2 } * distance) {", "devices collective::sums"),
    ("parts of a sum in order", "src/collective/mod.rs", "let [_, rest] = B::split(B::lend(&mut x), from).map_err(of_backend)?;", "let [_, rest] = B::split(B::lend(&mut x), from - usize::from(ON && from > 0)).map_err(of_backend)?;", "devices collective::sums"),
]
