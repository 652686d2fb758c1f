//! Hopper's asynchronous instructions in the interpreter: barriers in shared memory (mbarrier), tensor loads (TMA) and
//! products of warp groups (WGMMA). Each completes when it is issued.

use super::super::error::Error;
use super::super::eval::to_f64;
use super::super::ir::{Group, Hopper, Id, Inst, Space};
use super::super::name::name;
use super::super::types::Type;
use super::control::Lanes;
use super::memory::{Access, Kind};
use super::warp::{dot, part, tf32};
use super::{Interpreter, Machine, label};
use alloc::vec;
use alloc::vec::Vec;

/// Threads of a warp group.
const GROUP: usize = 128;
/// Tensor maps are above all other addresses, so many bytes apart.
const MAP: u64 = 1 << 63;
const MAP_BYTES: u64 = 128;

/// A matrix in global memory, and the box that a tensor load takes out of it. What lies outside reads as zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TensorMap {
    /// The address of the first element.
    pub at: u64,
    /// Type of the elements.
    pub element: Type,
    /// Rows and columns of the matrix.
    pub size: [u32; 2],
    /// Bytes from row to row.
    pub stride: u64,
    /// Rows and columns of the box, at most 256.
    pub part: [u32; 2],
    /// Whether the eight 16-byte parts of row `r` of the box, which is 128 bytes wide, are exchanged by `r`.
    pub swizzle: bool,
    /// The third and the fourth dimension, where the tensor has them: their sizes, and the bytes from one matrix to the next. A box
    /// has one matrix.
    pub outer: Option<[(u32, u64); 2]>,
}

impl Interpreter {
    /// The address of a tensor map.
    pub fn tensor(&mut self, map: TensorMap) -> u64 {
        self.maps.push(map);
        MAP + MAP_BYTES * (self.maps.len() as u64 - 1)
    }
}

/// The phase of a barrier in shared memory: over when all threads have arrived and all bytes have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Phase {
    threads: u64,
    pending: u64,
    bytes: i64,
    parity: u64,
}

impl Machine<'_> {
    pub(super) fn hopper(&mut self, h: Hopper, i: &Inst, lanes: Lanes) -> Result<(), Error> {
        let arg = |m: &Self, k: usize, t: usize| m.reg(i.args.at(k), t);
        match h {
            Hopper::BarrierInit => {
                for t in lanes.each() {
                    let (at, threads) = (arg(self, 0, t), arg(self, 1, t));
                    Access { space: label(Space::Shared), address: at, thread: t as u32 }.aligned(8)?;
                    self.phases.insert(at, Phase { threads, pending: threads, bytes: 0, parity: 0 });
                }
                Ok(())
            }
            Hopper::BarrierExpect => lanes.each().try_for_each(|t| {
                let (at, bytes) = (arg(self, 0, t), arg(self, 1, t) as i64);
                self.progress(at, 1, bytes)
            }),
            Hopper::BarrierArrive => lanes.each().try_for_each(|t| self.progress(arg(self, 0, t), 1, 0)),
            Hopper::BarrierTryWait => lanes.each().try_for_each(|t| {
                let over = self.phase(arg(self, 0, t))?.parity != arg(self, 1, t) & 1;
                self.set(i.dst.at(0), t, u64::from(over));
                Ok(())
            }),
            Hopper::TensorLoad => lanes.each().try_for_each(|t| {
                let at = |m: &Self, k: usize| i64::from(arg(m, k, t) as u32 as i32);
                let barrier = i.args.len() - 1;
                let outer = (barrier == 6).then(|| [at(self, 4), at(self, 5)]);
                let corner = [at(self, 3), at(self, 2)];
                let bytes = self.tensor_load(arg(self, 0, t), arg(self, 1, t), (corner, outer), t)?;
                self.progress(arg(self, barrier, t), 0, -bytes)
            }),
            // What registers and order cost is not modelled.
            _ => Ok(()),
        }
    }

    fn phase(&self, at: u64) -> Result<Phase, Error> {
        let unknown = Error::Uninitialised { space: label(Space::Shared), address: at };
        self.phases.get(&at).copied().ok_or(unknown)
    }

    /// Threads arrive, and more bytes are waited for; fewer, where they have come.
    fn progress(&mut self, at: u64, arrived: u64, bytes: i64) -> Result<(), Error> {
        let mut phase = self.phase(at)?;
        let why = "more threads arrive than the barrier counts";
        phase.pending = phase.pending.checked_sub(arrived).ok_or(Error::Barrier { why })?;
        phase.bytes += bytes;
        if phase.pending == 0 && phase.bytes == 0 {
            phase = Phase { pending: phase.threads, parity: phase.parity ^ 1, ..phase };
            // Who has seen the end of the phase sees what was written before.
            self.races.barrier();
            self.events += 1;
        }
        self.phases.insert(at, phase);
        Ok(())
    }

    /// Copies the box whose corner is at this row and column, and at this place of the outer dimensions; gives its bytes.
    fn tensor_load(
        &mut self,
        to: u64,
        map: u64,
        (corner, beyond): ([i64; 2], Option<[i64; 2]>),
        t: usize,
    ) -> Result<i64, Error> {
        let who = Access { space: label(Space::Shared), address: to, thread: t as u32 };
        who.aligned(128)?;
        let known =
            map.checked_sub(MAP).and_then(|m| self.device.maps.get((m / MAP_BYTES) as usize)).copied();
        let missing =
            Access { space: "tensor map", address: map, thread: t as u32 }.missing(MAP_BYTES as u32);
        let TensorMap { at, element, size, stride, part, swizzle, outer } = known.ok_or(missing)?;
        let width = element.bytes();
        if part.iter().any(|n| !(1..=256).contains(n)) || (swizzle && part[1].saturating_mul(width) != 128) {
            return Err(Error::Tile {
                rule: "a box of a tensor map is at most 256 by 256, 128 bytes wide if swizzled",
            });
        }
        who.aligned(if swizzle { 1024 } else { 128 })?;
        if outer.is_some() != beyond.is_some() {
            return Err(Error::Tile { rule: "a load has a coordinate for each dimension of its tensor map" });
        }
        let outer = outer.unwrap_or([(1, 0); 2]).into_iter().zip(beyond.unwrap_or([0; 2]));
        let (mut at, mut there) = (at, true);
        for ((many, apart), place) in outer {
            there &= (0..i64::from(many)).contains(&place);
            at = at.wrapping_add((place as u64).wrapping_mul(apart));
        }
        let mut place = 0;
        for r in 0..part[0] {
            for c in 0..part[1] {
                let [row, col] = [corner[0] + i64::from(r), corner[1] + i64::from(c)];
                let inside =
                    there && (0..i64::from(size[0])).contains(&row) && (0..i64::from(size[1])).contains(&col);
                let v = if inside {
                    let from = (row as u64).wrapping_mul(stride).wrapping_add(col as u64 * u64::from(width));
                    let from = at.wrapping_add(from);
                    self.read(Space::Global, from, width, t)?
                } else {
                    0
                };
                let place_here = to + if swizzle { swizzled(place) } else { place };
                self.races.access(place_here, width, t as u32, Kind::Write)?;
                self.shared.write(place_here, width, v, who)?;
                place += u64::from(width);
            }
        }
        Ok(place as i64)
    }

    /// A warp group: 64 rows of A and `n` of B, both with 32 bytes along the depth; A `held` in registers, or one of them with
    /// its depth `across` its rows, if so.
    pub(super) fn group(
        &mut self,
        i: &Inst,
        n: usize,
        input: Group,
        (held, across): (bool, [bool; 2]),
        first: usize,
    ) -> Result<(), Error> {
        let depth = input.depth();
        let (a, b, operands) = if held {
            let mut a = vec![0.0; 64 * depth];
            for (t, r) in (0..GROUP).flat_map(|t| (0..4).map(move |r| (t, r))) {
                let word = self.reg(i.args.at(r), first + t);
                let row = 16 * (t / 32) + t % 32 / 4 + 8 * (r % 2);
                for half in 0..2 {
                    let col = 8 * (r / 2) + 2 * (t % 4) + half;
                    if let Some(a) = a.get_mut(row * depth + col) {
                        *a = to_f64(input.element(), word >> (16 * half) & 0xffff);
                    }
                }
            }
            (a, self.across(i, self.reg(i.args.at(4), first), n, input, first)?, 5)
        } else {
            let [a, b] = [(0, 64), (1, n)].map(|(k, rows)| {
                let descriptor = self.reg(i.args.at(k), first);
                match across.get(k) {
                    Some(true) => self.across(i, descriptor, rows, input, first),
                    _ => self.operand(i, descriptor, rows, input, first),
                }
            });
            (a?, b?, 2)
        };
        let mut results: Vec<(Id, usize, u64)> = Vec::with_capacity(GROUP * i.dst.len());
        for t in 0..GROUP {
            for (r, id) in i.dst.iter().enumerate() {
                let row = 16 * (t / 32) + t % 32 / 4 + 8 * (r / 2 % 2);
                let col = 8 * (r / 4) + 2 * (t % 4) + r % 2;
                let (x, y) = (part(&a, row, depth), part(&b, col, depth));
                let sum = dot(x, y);
                let c = i.args.get(operands + r).map_or(0, |c| self.reg(*c, first + t));
                let sum = match input.sums() {
                    _ if input == Group::E4m3 => (aligned(x, y, to_f64(Type::F32, c)) as f32).to_bits(),
                    Type::F32 => ((sum + to_f64(Type::F32, c)) as f32).to_bits(),
                    // Exact, and modulo 2³².
                    _ => (sum as i32 as u32).wrapping_add(c as u32),
                };
                results.push((*id, first + t, u64::from(sum)));
            }
        }
        results.into_iter().for_each(|(id, t, v)| self.set(id, t, v));
        Ok(())
    }

    /// As [`Machine::operand`], of a matrix whose depth goes across its rows: pieces of 8 rows of 64 columns, swizzled.
    /// The first distance of the descriptor is that from 64 columns to the next, the second that along the depth.
    fn across(
        &mut self,
        i: &Inst,
        descriptor: u64,
        n: usize,
        input: Group,
        t: usize,
    ) -> Result<Vec<f64>, Error> {
        if descriptor >> 62 != 1 {
            return Err(Error::NotInterpreted { instruction: name(i.op) });
        }
        let [start, along, deep] = [0, 16, 32].map(|at| (descriptor >> at & 0x3fff) << 4);
        let mut values = Vec::with_capacity(16 * n);
        for (col, p) in (0..n as u64).flat_map(|col| (0..16).map(move |p| (col, p))) {
            let at = start + col / 64 * along + p / 8 * deep + p % 8 * 128 + col % 64 * 2;
            let bits = self.read(Space::Shared, swizzled(at), 2, t)?;
            values.push(to_f64(input.element(), bits));
        }
        Ok(values)
    }

    /// The rows that a descriptor names: 14 bits each for the start, the distance of pieces along the depth and along
    /// the rows, in units of 16 bytes; two bits for the layout. Pieces are 8 rows of 16 bytes, or 8 rows of 128 bytes
    /// in which the eight 16-byte parts of row `r` are exchanged by `r`.
    fn operand(
        &mut self,
        i: &Inst,
        descriptor: u64,
        rows: usize,
        input: Group,
        t: usize,
    ) -> Result<Vec<f64>, Error> {
        let (layout, depth) = (descriptor >> 62, input.depth() as u64);
        if layout > 1 {
            return Err(Error::NotInterpreted { instruction: name(i.op) });
        }
        let width = 32 / depth;
        let [start, deep, down] = [0, 16, 32].map(|at| (descriptor >> at & 0x3fff) << 4);
        let mut values = Vec::with_capacity(depth as usize * rows);
        for row in 0..rows as u64 {
            for byte in (0..32).step_by(width as usize) {
                let at = if layout == 1 {
                    swizzled(start + row / 8 * down + row % 8 * 128 + byte)
                } else {
                    start + row / 8 * down + byte / 16 * deep + row % 8 * 16 + byte % 16
                };
                let bits = self.read(Space::Shared, at, width as u32, t)?;
                values.push(match input {
                    Group::F16 => to_f64(Type::F16, bits),
                    Group::Bf16 => to_f64(Type::Bf16, bits),
                    Group::Tf32 => tf32(bits),
                    Group::E4m3 => e4m3(bits),
                    Group::S8 => f64::from(bits as u8 as i8),
                });
            }
        }
        Ok(values)
    }
}

/// Where the byte of an address lies when parts of 16 bytes are exchanged in pieces of 8 rows of 128 bytes.
const fn swizzled(at: u64) -> u64 {
    at ^ (at >> 7 & 7) << 4
}

/// The sum of products and of what was before as Hopper's units make it for 8-bit floats: each is cut off 13 bits below
/// the exponent of the largest. Measured by DeepSeek-AI (DeepSeek-V3 Technical Report, 2024, 3.3.2).
fn aligned(a: &[f64], b: &[f64], before: f64) -> f64 {
    let all = || a.iter().zip(b).map(|(x, y)| x * y).chain([before]);
    let most = all().fold(0.0, |most: f64, x| most.max(x.abs()));
    // Of zeros, or where one is no number or infinite.
    if most == 0.0 || !all().all(f64::is_finite) {
        return all().sum();
    }
    let step = f64::from_bits(((most.to_bits() >> 52) - 13) << 52);
    all().map(|x| libm::trunc(x / step) * step).sum()
}

/// Four bits of exponent, three of significand, no infinities.
fn e4m3(bits: u64) -> f64 {
    let (e, m) = (bits >> 3 & 15, bits & 7);
    let magnitude = match (e, m) {
        (15, 7) => f64::NAN,
        (0, m) => m as f64 / 512.0,
        (e, m) => f64::from_bits((e + 1016) << 52 | m << 49),
    };
    if bits & 0x80 != 0 { -magnitude } else { magnitude }
}
