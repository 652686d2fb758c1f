//! Warp-wide instructions in the interpreter: shuffles, votes and matrix products (MMA).

use super::super::error::Error;
use super::super::eval::{LANES, to_f64};
use super::super::ir::{Id, Inst, Mma, Op, Shuffle, Space, Vote};
use super::super::name::name;
use super::super::types::Type;
use super::Machine;
use super::control::{Lanes, set};
use alloc::vec::Vec;

impl Machine<'_> {
    /// Runs a warp's instruction; all its live lanes take part.
    pub(super) fn warp(&mut self, i: &Inst, lanes: Lanes) -> Result<(), Error> {
        let first = lanes.first;
        // The others need every lane.
        let all = !matches!(i.op, Op::Shuffle(_) | Op::Vote(_));
        if lanes.bits != self.live(first) || (all && lanes.bits != u32::MAX) {
            return Err(Error::Divergent { instruction: name(i.op) });
        }
        match i.op {
            Op::Shuffle(mode) => self.shuffle(i, mode, lanes)?,
            Op::Vote(v) => self.vote(i, v, lanes),
            Op::LdMatrix { transpose } => self.ldmatrix(i, transpose, first)?,
            Op::Mma(kind) => self.mma(i, kind, first),
            _ => {}
        }
        Ok(())
    }

    fn shuffle(&mut self, i: &Inst, mode: Shuffle, lanes: Lanes) -> Result<(), Error> {
        let (old, by) = (*self.row(i.args.at(0), lanes.first), *self.row(i.args.at(1), lanes.first));
        for t in lanes.each() {
            let lane = t - lanes.first;
            let by = by.get(lane).map_or(0, |by| *by as usize & (LANES - 1));
            let from = match mode {
                Shuffle::Up => lane.checked_sub(by).unwrap_or(lane),
                Shuffle::Down => Some(lane + by).filter(|l| *l < LANES).unwrap_or(lane),
                Shuffle::Butterfly => lane ^ by,
                Shuffle::Index => by,
            };
            // A lane that has ended, or never was, has no value.
            let there = lanes.bits >> from & 1 != 0;
            let v = old.get(from).filter(|_| there);
            self.set(i.dst.at(0), t, *v.ok_or_else(|| Error::Divergent { instruction: name(i.op) })?);
        }
        Ok(())
    }

    fn vote(&mut self, i: &Inst, v: Vote, lanes: Lanes) {
        let ballot = set(self.row(i.args.at(0), lanes.first)) & lanes.bits;
        let result = match v {
            Vote::All => u64::from(ballot == lanes.bits),
            Vote::Any => u64::from(ballot != 0),
            Vote::Ballot => u64::from(ballot),
        };
        self.put(i.dst.at(0), lanes, &[result; LANES]);
    }

    /// Lane `8k + r` names row `r` of matrix `k`; lane `4r + c` receives two neighbours of row `r`.
    fn ldmatrix(&mut self, i: &Inst, transpose: bool, first: usize) -> Result<(), Error> {
        for (k, id) in i.dst.iter().enumerate() {
            for lane in 0..LANES {
                let mut v = 0;
                for j in 0..2 {
                    let (across, along) = (lane / 4, 2 * (lane % 4) + j);
                    let (row, col) = if transpose { (along, across) } else { (across, along) };
                    let base = self.reg(i.args.at(0), first + 8 * k + row);
                    self.place(Space::Shared, base, 0, 16, first + lane)?;
                    v |= self.read(Space::Shared, base + 2 * col as u64, 2, first + lane)? << (16 * j);
                }
                self.set(*id, first + lane, v);
            }
        }
        Ok(())
    }

    /// The fragments are those of the PTX manual: group `g = lane / 4`, thread in the group `t = lane % 4`.
    fn mma(&mut self, i: &Inst, kind: Mma, first: usize) {
        let arg = |k: usize, lane: usize| self.reg(i.args.at(k), first + lane);
        let half = |ty, word: u64, odd: usize| to_f64(ty, word >> (16 * odd) & 0xffff);
        // Element (row, k) of A, and (k, col) of B, by the lane and register that hold it.
        let a = |row: usize, k: usize| {
            let low = usize::from(row >= 8);
            match kind {
                Mma::Tf32 => tf32(arg(low + 2 * (k / 4), 4 * (row % 8) + k % 4)),
                _ => {
                    let word = arg(low + 2 * (k / 8), 4 * (row % 8) + k % 8 / 2);
                    half(input(kind), word, k % 2)
                }
            }
        };
        let b = |k: usize, col: usize| match kind {
            Mma::Tf32 => tf32(arg(4 + k / 4, 4 * col + k % 4)),
            _ => half(input(kind), arg(4 + k / 8, 4 * col + k % 8 / 2), k % 2),
        };
        let depth = if kind == Mma::Tf32 { 8 } else { 16 };
        // Each element is read once, and multiplied eight or sixteen times.
        let rows: Vec<f64> = (0..16 * depth).map(|at| a(at / depth, at % depth)).collect();
        let cols: Vec<f64> = (0..8 * depth).map(|at| b(at % depth, at / depth)).collect();
        let mut results: Vec<(Id, usize, u64)> = Vec::with_capacity(4 * LANES);
        for lane in 0..LANES {
            for (r, id) in i.dst.iter().enumerate() {
                let (row, col) = (lane / 4 + 8 * (r / 2), 2 * (lane % 4) + r % 2);
                let c = to_f64(Type::F32, arg(6 + r, lane));
                let sum = dot(part(&rows, row, depth), part(&cols, col, depth));
                results.push((*id, first + lane, u64::from(((sum + c) as f32).to_bits())));
            }
        }
        results.into_iter().for_each(|(id, t, v)| self.set(id, t, v));
    }
}

const fn input(kind: Mma) -> Type {
    if matches!(kind, Mma::Bf16) { Type::Bf16 } else { Type::F16 }
}

/// Line `at` of a matrix.
pub(super) fn part(lines: &[f64], at: usize, depth: usize) -> &[f64] {
    lines.get(depth * at..depth * (at + 1)).unwrap_or_default()
}

/// The sum of the products in order, of a depth that is a multiple of eight.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = -0.0;
    for (x, y) in a.as_chunks().0.iter().zip(b.as_chunks().0) {
        let ([a, b, c, d, e, f, g, h], [i, j, k, l, m, n, o, p]) = (*x, *y);
        sum = sum + a * i + b * j + c * k + d * l + e * m + f * n + g * o + h * p;
    }
    sum
}

/// The upper 19 bits of a binary32.
pub(super) fn tf32(bits: u64) -> f64 {
    to_f64(Type::F32, bits & 0xffff_e000)
}
