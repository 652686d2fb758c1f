//! Recorded kernels as whole texts: loops, shared memory and barriers, over buffers of 32-bit elements.

use super::Error;
use super::emit::{FUSED, PRELUDE, Writer, tables, ty};
use crate::gpu::{Block, Id, Inst, Kernel, Op, Space, Special, Type};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// A 64-bit value: WGSL has none, so it is known by what it points to. `expr · scale` bytes from `base`.
#[derive(Clone)]
struct Wide {
    base: Base,
    expr: String,
    scale: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    Nothing,
    Buffer(u32),
    Table(u32),
}

/// What a buffer holds, once something has said so.
#[derive(Clone, Copy, Default)]
struct Buffer {
    holds: Option<Type>,
    written: bool,
}

struct Text<'k> {
    plain: Writer<'k>,
    wide: BTreeMap<Id, Wide>,
    constants: BTreeMap<Id, u64>,
    buffers: Vec<Buffer>,
    starts: Vec<u32>,
    threads: u32,
    owners: Vec<usize>,
    /// The word that has the first element of a parameter's buffer, if one has.
    offsets: Vec<Option<usize>>,
}

/// The text of a kernel for a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    /// The text; its entry point is `main`.
    pub text: String,
    /// The parameters that are bound, in the order of their bindings, and whether they are written.
    pub bound: Vec<(usize, bool)>,
}

/// The text of a kernel in blocks of `threads` threads. `shared[k]` is the first parameter that is in the same buffer as
/// parameter `k`: that one alone is bound, as a buffer that is written must be bound once. The words of the uniform
/// `params`, which is bound last, are those of the parameters that are no addresses, in order, then for each that is one
/// the element of its buffer that it starts at, then a word that is 0.
///
/// `fused` says whether the device's `fma` rounds once; otherwise the text has one that does.
///
/// # Errors
/// `Lacks`, `Threads`.
pub fn kernel(kernel: &Kernel, threads: u32, shared: &[usize], fused: bool) -> Result<Whole, Error> {
    write(kernel, threads, Some(shared), fused)
}

/// As [`kernel`], with each parameter a buffer of its own that starts where it starts, and the kernel's own threads.
pub(super) fn text(kernel: &Kernel) -> Result<String, Error> {
    let [threads, 1, 1] = kernel.threads.unwrap_or([0; 3]) else { return Err(Error::Threads) };
    Ok(write(kernel, threads, None, true)?.text)
}

fn write(kernel: &Kernel, threads: u32, shared: Option<&[usize]>, fused: bool) -> Result<Whole, Error> {
    if !threads.is_power_of_two() || threads > 256 || kernel.threads.is_some_and(|t| t != [threads, 1, 1]) {
        return Err(Error::Threads);
    }
    let mut starts = Vec::new();
    let mut words = 0;
    for v in &kernel.shared {
        starts.push(4 * words);
        words += v.bytes.div_ceil(4);
    }
    let owner = |k: usize| shared.and_then(|s| s.get(k)).copied().unwrap_or(k);
    let scalars = kernel.params.iter().filter(|t| **t != Type::U64).count();
    let offsets = kernel.params.iter().scan(scalars, |word, t| {
        let here = *word;
        *word += usize::from(*t == Type::U64);
        Some(shared.map(|_| here))
    });
    let mut text = Text {
        plain: Writer::new(kernel),
        wide: BTreeMap::new(),
        constants: BTreeMap::new(),
        buffers: vec![Buffer::default(); kernel.params.len()],
        starts,
        threads,
        owners: (0..kernel.params.len()).map(owner).collect(),
        offsets: offsets.collect(),
    };
    if !fused {
        text.plain.fma = "fused";
    }
    text.block(&kernel.body, 1)?;
    let mut head = String::from(PRELUDE);
    if !fused {
        head += FUSED;
    }
    head += &tables(kernel);
    let mut bound = Vec::new();
    for (k, (of, buffer)) in kernel.params.iter().zip(&text.buffers).enumerate() {
        if *of == Type::U64 && text.owners.get(k) == Some(&k) {
            let access = if buffer.written { "read_write" } else { "read" };
            let holds = ty(buffer.holds.unwrap_or(Type::F32))?;
            let binding = bound.len();
            head += &format!("@group(0) @binding({binding}) var<storage, {access}> b{k}: array<{holds}>;\n");
            bound.push((k, buffer.written));
        }
    }
    let (all, zero) = match shared {
        Some(_) => (kernel.params.len() + 1, word(kernel.params.len())),
        // The first word is a count, which is lower.
        None => (scalars, format!("u32({} == 0xffffffffu)", word(0))),
    };
    let (binding, rows) = (bound.len(), all.div_ceil(4).max(1));
    head += &format!("@group(0) @binding({binding}) var<uniform> params: array<vec4<u32>, {rows}>;\n");
    if words > 0 {
        head += &format!("var<workgroup> shared_words: array<u32, {words}>;\n");
    }
    let text = format!(
        "{head}@compute @workgroup_size({threads})
fn main(@builtin(local_invocation_index) tid: u32, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {{
  zero_bits = {zero};
{}}}
",
        text.plain.text
    );
    Ok(Whole { text, bound })
}

/// A word of the uniform.
fn word(k: usize) -> String {
    format!("params[{}][{}]", k / 4, k % 4)
}

impl Text<'_> {
    fn block(&mut self, block: &Block, depth: usize) -> Result<(), Error> {
        block.insts.iter().try_for_each(|i| self.inst(i, depth))
    }

    fn inst(&mut self, i: &Inst, depth: usize) -> Result<(), Error> {
        let v = |k: usize| format!("v{}", i.args.at(k).0);
        let dst = i.dst.at(0);
        let line = match i.op {
            Op::If => return self.choice(i, depth),
            Op::For { .. } => return self.counted(i, depth),
            Op::Barrier => String::from("workgroupBarrier();"),
            Op::Store { space, offset } => {
                let of = self.plain.kernel.ty(i.args.at(1));
                let place = self.place(space, i.args.at(0), offset, of, true)?;
                match space {
                    Space::Shared => format!("{place} = bitcast<u32>({});", v(1)),
                    _ => format!("{place} = {};", v(1)),
                }
            }
            _ if self.plain.kernel.ty(dst) == Type::U64 => return self.address(i, dst),
            _ => {
                let result = self.plain.kernel.ty(dst);
                if let Op::Const(bits) = i.op {
                    self.constants.insert(dst, bits);
                }
                let value = self.value(i, result)?;
                format!("let v{}: {} = {value};", dst.0, ty(result)?)
            }
        };
        self.plain.line(depth, &line);
        Ok(())
    }

    fn value(&mut self, i: &Inst, result: Type) -> Result<String, Error> {
        let params = &self.plain.kernel.params;
        Ok(match i.op {
            Op::Param(p) => {
                let word = word(params.iter().take(p as usize).filter(|t| **t != Type::U64).count());
                match result {
                    Type::F32 => format!("bitcast<f32>({word})"),
                    _ => word,
                }
            }
            Op::Special(s) => match s {
                Special::TidX => "tid".into(),
                Special::CtaidX => "group.x".into(),
                Special::CtaidY => "group.y".into(),
                Special::NctaidX => "groups.x".into(),
                Special::NtidX => format!("{}u", self.threads),
                _ => return Err(Error::Lacks { operation: "special register of this name" }),
            },
            Op::Shared(k) => {
                let start = self.starts.get(k as usize).copied();
                format!("{}u", start.ok_or(Error::Lacks { operation: "shared variable" })?)
            }
            Op::Convert if result == Type::F32 && self.plain.kernel.ty(i.args.at(0)) == Type::U32 => {
                format!("f32(v{})", i.args.at(0).0)
            }
            Op::Div if result == Type::U32 => format!("v{} / v{}", i.args.at(0).0, i.args.at(1).0),
            Op::Load { space, offset } if i.dst.len() == 1 => {
                let place = self.place(space, i.args.at(0), offset, result, false)?;
                match space {
                    Space::Global => place,
                    _ if result == Type::U32 => place,
                    Space::Const => format!("from_bits({place})"),
                    _ => format!("bitcast<f32>({place})"),
                }
            }
            _ => self.plain.value(i, result)?,
        })
    }

    /// What is at an address.
    fn place(&mut self, space: Space, at: Id, offset: i32, of: Type, written: bool) -> Result<String, Error> {
        let far = Error::Lacks { operation: "access of this kind" };
        let more = u32::try_from(offset).map_err(|_| far)?;
        if space == Space::Shared {
            return Ok(format!("shared_words[(v{} + {more}u) / 4u]", at.0));
        }
        let wide = self.wide.get(&at).cloned().ok_or(far)?;
        let index = format!("{} + {}u", wide.words()?, more / 4);
        match wide.base {
            Base::Buffer(k) => {
                let start = self.offsets.get(k as usize).copied().flatten().map(word);
                let owner = self.owners.get(k as usize).copied().ok_or(far)?;
                let buffer = self.buffers.get_mut(owner).ok_or(far)?;
                buffer.written |= written;
                if *buffer.holds.get_or_insert(of) != of {
                    return Err(Error::Lacks { operation: "buffer of two types" });
                }
                Ok(match start {
                    Some(start) => format!("b{owner}[{start} + {index}]"),
                    None => format!("b{owner}[{index}]"),
                })
            }
            Base::Table(t) => Ok(format!("{}_table{t}[{index}]", self.plain.kernel.name)),
            Base::Nothing => Err(far),
        }
    }

    fn address(&mut self, i: &Inst, dst: Id) -> Result<(), Error> {
        let lacks = Error::Lacks { operation: "64-bit integer" };
        let known = |k: usize| self.wide.get(&i.args.at(k)).cloned().ok_or(lacks);
        let constant = |k: usize| self.constants.get(&i.args.at(k)).copied();
        let nothing = |expr: String, scale| Wide { base: Base::Nothing, expr, scale };
        let v = |k: usize| format!("v{}", i.args.at(k).0);
        let base = |base| Wide { base, expr: String::new(), scale: 4 };
        let wide = match i.op {
            Op::Const(bits) => {
                self.constants.insert(dst, bits);
                nothing(format!("{}u", bits as u32), 1)
            }
            Op::Param(k) => base(Base::Buffer(k)),
            Op::Table(t) => base(Base::Table(t)),
            Op::MulWide => match constant(1) {
                Some(c) => nothing(v(0), c),
                None => nothing(format!("({} * {})", v(0), v(1)), 1),
            },
            Op::Mul => {
                let a = known(0)?;
                let c = constant(1).ok_or(lacks)?;
                Wide { scale: a.scale.checked_mul(c).ok_or(lacks)?, ..a }
            }
            Op::Add => known(0)?.plus(known(1)?)?,
            _ => return Err(lacks),
        };
        self.wide.insert(dst, wide);
        Ok(())
    }

    /// Both blocks, each handing its values to variables.
    fn choice(&mut self, i: &Inst, depth: usize) -> Result<(), Error> {
        for dst in i.dst.iter() {
            let of = ty(self.plain.kernel.ty(*dst))?;
            self.plain.line(depth, &format!("var v{}: {of};", dst.0));
        }
        self.plain.line(depth, &format!("if v{} {{", i.args.at(0).0));
        for (k, block) in i.blocks.iter().enumerate() {
            if k > 0 {
                self.plain.line(depth, "} else {");
            }
            self.block(block, depth + 1)?;
            for (dst, from) in i.dst.iter().zip(block.yields.iter()) {
                self.plain.line(depth + 1, &format!("v{} = v{};", dst.0, from.0));
            }
        }
        self.plain.line(depth, "}");
        Ok(())
    }

    fn counted(&mut self, i: &Inst, depth: usize) -> Result<(), Error> {
        let Some(body) = i.blocks.first() else {
            return Err(Error::Lacks { operation: "loop without body" });
        };
        let [start, end, step] = [0, 1, 2].map(|k| i.args.at(k).0);
        let (counter, carried) = (body.params.at(0).0, body.params.get(1..).unwrap_or_default());
        for (p, from) in carried.iter().zip(i.args.iter().skip(3)) {
            let of = ty(self.plain.kernel.ty(*p))?;
            self.plain.line(depth, &format!("var v{}: {of} = v{};", p.0, from.0));
        }
        let head = format!("for (var v{counter} = v{start}; v{counter} < v{end}; v{counter} += v{step}) {{");
        self.plain.line(depth, &head);
        self.block(body, depth + 1)?;
        // All at once: one may be the other's old value.
        for (p, from) in carried.iter().zip(body.yields.iter()) {
            self.plain.line(depth + 1, &format!("let next{} = v{};", p.0, from.0));
        }
        for p in carried {
            self.plain.line(depth + 1, &format!("v{0} = next{0};", p.0));
        }
        self.plain.line(depth, "}");
        for (dst, p) in i.dst.iter().zip(carried) {
            let of = ty(self.plain.kernel.ty(*dst))?;
            self.plain.line(depth, &format!("let v{}: {of} = v{};", dst.0, p.0));
        }
        Ok(())
    }
}

impl Wide {
    /// In elements of four bytes.
    fn words(&self) -> Result<String, Error> {
        if !self.scale.is_multiple_of(4) {
            return Err(Error::Lacks { operation: "access of parts of a word" });
        }
        Ok(match (self.expr.as_str(), self.scale / 4) {
            ("", _) => "0u".into(),
            (expr, 1) => expr.into(),
            (expr, times) => format!("{expr} * {times}u"),
        })
    }

    fn plus(self, o: Self) -> Result<Self, Error> {
        let base = match (self.base, o.base) {
            (base, Base::Nothing) | (Base::Nothing, base) => base,
            _ => return Err(Error::Lacks { operation: "sum of two addresses" }),
        };
        let expr = match (self.expr.is_empty(), o.expr.is_empty()) {
            (true, _) => o.words()?,
            (_, true) => self.words()?,
            _ => format!("({} + {})", self.words()?, o.words()?),
        };
        Ok(Self { base, expr: if expr == "0u" { String::new() } else { expr }, scale: 4 })
    }
}
