//! Emits whole kernels as WGSL: loops, shared memory and barriers, over buffers of 32-bit elements.

use super::Error;
use super::emit::{FUSED, INTEGERS, MUL_HIGH, POWER, PRELUDE, Writer, tables, ty};
use crate::gpu::ir::Rmw;
use crate::gpu::{Block, Id, Inst, Kernel, Op, Shuffle, Space, Special, Type};
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

/// How an array is accessed: by fours if anything reads or writes four elements at once, and atomically if anything does.
#[derive(Clone, Copy, Default)]
struct Access {
    fours: bool,
    atomic: bool,
}

impl Access {
    /// Adds an access to `many` neighbours.
    fn with(&mut self, many: usize, atomic: bool) -> Result<Self, Error> {
        self.fours |= many == 4;
        self.atomic |= atomic;
        if self.fours && self.atomic {
            return Err(Error::Lacks { operation: "atomic access to one of four elements" });
        }
        Ok(*self)
    }

    /// The type of an array of `words` elements, or of as many as there are.
    fn array(self, holds: &str, words: Option<u32>) -> String {
        let (holds, each) = match self {
            Self { fours: true, .. } => (format!("vec4<{holds}>"), 4),
            Self { atomic: true, .. } => (format!("atomic<{holds}>"), 1),
            _ => (String::from(holds), 1),
        };
        words.map_or(format!("array<{holds}>"), |words| format!("array<{holds}, {}>", words.div_ceil(each)))
    }
}

/// What a buffer holds, once something has said so.
#[derive(Clone, Copy, Default)]
struct Buffer {
    holds: Option<Type>,
    written: bool,
    access: Access,
}

/// An element of an array, and those behind it.
struct Place {
    of: String,
    index: String,
    access: Access,
}

impl Place {
    fn one(&self, k: usize) -> String {
        let Self { of, index, access } = self;
        let index = if k == 0 { index.clone() } else { format!("{index} + {k}u") };
        if access.fours { format!("{of}[({index}) / 4u][({index}) % 4u]") } else { format!("{of}[{index}]") }
    }

    fn read(&self, k: usize) -> String {
        let one = self.one(k);
        if self.access.atomic { format!("atomicLoad(&{one})") } else { one }
    }

    fn write(&self, k: usize, v: &str) -> String {
        let one = self.one(k);
        if self.access.atomic { format!("atomicStore(&{one}, {v});") } else { format!("{one} = {v};") }
    }

    /// Four, the first of them a multiple of four.
    fn four(&self) -> String {
        format!("{}[({}) / 4u]", self.of, self.index)
    }
}

struct Text<'k> {
    plain: Writer<'k>,
    wide: BTreeMap<Id, Wide>,
    constants: BTreeMap<Id, u64>,
    buffers: Vec<Buffer>,
    /// Words of the shared variables, how they are accessed, and what addresses are in which.
    shared: Vec<(u32, Access)>,
    within: BTreeMap<Id, usize>,
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
/// `fused` says whether the device's `fma` rounds once; otherwise the text has one that does. Shuffles are those of subgroups,
/// which a device must have in 32 threads, in the threads' order; what one reads past the last thread's is not said.
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
    let words = |v: &crate::gpu::ir::Variable| (v.bytes.div_ceil(4), Access::default());
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
        shared: kernel.shared.iter().map(words).collect(),
        within: BTreeMap::new(),
        threads,
        owners: (0..kernel.params.len()).map(owner).collect(),
        offsets: offsets.collect(),
    };
    if !fused {
        text.plain.fma = "fused";
    }
    text.block(&kernel.body, 1)?;
    let mut accesses =
        text.buffers.iter().map(|b| b.access).chain(text.shared.iter().map(|(_, access)| *access));
    if accesses.any(|access| access.fours || access.atomic) {
        // Once more, now that it is known what is read by fours or atomically.
        text.plain = Writer::new(kernel);
        if !fused {
            text.plain.fma = "fused";
        }
        text.block(&kernel.body, 1)?;
    }
    let mut head = String::from(PRELUDE);
    if !fused {
        head += FUSED;
    }
    if text.plain.text.contains("mul_high(") {
        head += MUL_HIGH;
    }
    if ["to_u32(", "to_i32("].iter().any(|f| text.plain.text.contains(f)) {
        head += INTEGERS;
    }
    if text.plain.text.contains("power(") {
        head += POWER;
    }
    head += &tables(kernel);
    let mut bound = Vec::new();
    for (k, (of, buffer)) in kernel.params.iter().zip(&text.buffers).enumerate() {
        if *of == Type::U64 && text.owners.get(k) == Some(&k) {
            let access = if buffer.written { "read_write" } else { "read" };
            let holds = ty(buffer.holds.unwrap_or(Type::F32))?;
            let (binding, array) = (bound.len(), buffer.access.array(holds, None));
            head += &format!("@group(0) @binding({binding}) var<storage, {access}> b{k}: {array};\n");
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
    for (k, (words, access)) in text.shared.iter().enumerate() {
        head += &format!("var<workgroup> shared{k}: {};\n", access.array("u32", Some(*words)));
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
        let dst = i.dst.at(0);
        let line = match i.op {
            Op::If => return self.choice(i, depth),
            Op::For { .. } => return self.counted(i, depth),
            Op::Repeat => return self.repeated(i, depth),
            Op::Barrier => String::from("workgroupBarrier();"),
            Op::Store { space, offset } => return self.store(i, (space, offset), depth),
            Op::Load { space, offset } if i.dst.len() > 1 => return self.loads(i, (space, offset), depth),
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
                Special::CtaidZ => "group.z".into(),
                Special::NctaidX => "groups.x".into(),
                Special::NctaidY => "groups.y".into(),
                Special::NtidX => format!("{}u", self.threads),
                _ => return Err(Error::Lacks { operation: "special register of this name" }),
            },
            // Addresses count from their variable's start.
            Op::Shared(k) => {
                self.within.insert(i.dst.at(0), k as usize);
                "0u".into()
            }
            Op::Add if result == Type::U32 => {
                if let Some(k) = [0, 1].iter().find_map(|k| self.within.get(&i.args.at(*k)).copied()) {
                    self.within.insert(i.dst.at(0), k);
                }
                self.plain.value(i, result)?
            }
            Op::Convert if result == Type::F32 && self.plain.kernel.ty(i.args.at(0)) == Type::U32 => {
                format!("f32(v{})", i.args.at(0).0)
            }
            Op::Shuffle(mode) => {
                let name = match mode {
                    Shuffle::Up => "Up",
                    Shuffle::Down => "Down",
                    Shuffle::Butterfly => "Xor",
                    Shuffle::Index => "",
                };
                format!("subgroupShuffle{name}(v{}, v{})", i.args.at(0).0, i.args.at(1).0)
            }
            Op::Convert if result == Type::F32 && self.plain.kernel.ty(i.args.at(0)) == Type::S32 => {
                format!("f32(v{})", i.args.at(0).0)
            }
            Op::Convert
                if matches!(result, Type::S32 | Type::U32)
                    && self.plain.kernel.ty(i.args.at(0)) == Type::F32 =>
            {
                format!("to_{}(v{})", ty(result)?, i.args.at(0).0)
            }
            Op::Div if result == Type::U32 => format!("v{} / v{}", i.args.at(0).0, i.args.at(1).0),
            Op::Load { space, offset } if i.dst.len() == 1 => {
                let place = self.place(space, i.args.at(0), offset, result, (1, false, false))?.read(0);
                match space {
                    Space::Global => place,
                    _ if result == Type::U32 => place,
                    Space::Const => format!("from_bits({place})"),
                    _ => format!("bitcast<f32>({place})"),
                }
            }
            Op::Atomic { space, rmw: Rmw::Add } if result == Type::U32 => {
                let place = self.place(space, i.args.at(0), 0, result, (1, true, true))?;
                format!("atomicAdd(&{}, v{})", place.one(0), i.args.at(1).0)
            }
            _ => self.plain.value(i, result)?,
        })
    }

    /// Where `many` neighbours from an address on are, which are also written if asked, and accessed atomically where `atomic` is set.
    fn place(
        &mut self,
        space: Space,
        at: Id,
        offset: i32,
        of: Type,
        (many, written, atomic): (usize, bool, bool),
    ) -> Result<Place, Error> {
        let far = Error::Lacks { operation: "access of this kind" };
        let more = u32::try_from(offset).map_err(|_| far)?;
        if space == Space::Shared {
            let k = self.within.get(&at).copied().ok_or(far)?;
            let (_, access) = self.shared.get_mut(k).ok_or(far)?;
            // Of four elements in one, a language may write all where one is meant: other threads write those.
            if access.fours && written && many != 4 {
                return Err(Error::Lacks { operation: "write to one of four shared elements" });
            }
            let access = access.with(many, atomic)?;
            return Ok(Place {
                of: format!("shared{k}"),
                index: format!("(v{} + {more}u) / 4u", at.0),
                access,
            });
        }
        let wide = self.wide.get(&at).cloned().ok_or(far)?;
        let index = format!("{} + {}u", wide.words()?, more / 4);
        match wide.base {
            Base::Buffer(k) => {
                let start = self.offsets.get(k as usize).copied().flatten().map(word);
                let owner = self.owners.get(k as usize).copied().ok_or(far)?;
                let buffer = self.buffers.get_mut(owner).ok_or(far)?;
                buffer.written |= written;
                let access = buffer.access.with(many, atomic)?;
                if *buffer.holds.get_or_insert(of) != of {
                    return Err(Error::Lacks { operation: "buffer of two types" });
                }
                Ok(Place {
                    of: format!("b{owner}"),
                    index: start.map_or(index.clone(), |start| format!("{start} + {index}")),
                    access,
                })
            }
            Base::Table(t) => {
                let access = Access::default();
                Ok(Place { of: format!("{}_table{t}", self.plain.kernel.name), index, access })
            }
            Base::Nothing => Err(far),
        }
    }

    /// One element, or four at once.
    fn store(&mut self, i: &Inst, (space, offset): (Space, i32), depth: usize) -> Result<(), Error> {
        let of = self.plain.kernel.ty(i.args.at(1));
        let many = i.args.len() - 1;
        let place = self.place(space, i.args.at(0), offset, of, (many, true, false))?;
        let v = |k: usize| {
            let v = i.args.at(k + 1).0;
            if space == Space::Shared { format!("bitcast<u32>(v{v})") } else { format!("v{v}") }
        };
        if many == 4 {
            let holds = if space == Space::Shared { "u32" } else { ty(of)? };
            let all = format!("vec4<{holds}>({}, {}, {}, {})", v(0), v(1), v(2), v(3));
            self.plain.line(depth, &format!("{} = {all};", place.four()));
        } else {
            (0..many).for_each(|k| self.plain.line(depth, &place.write(k, &v(k))));
        }
        Ok(())
    }

    /// Several neighbours.
    fn loads(&mut self, i: &Inst, (space, offset): (Space, i32), depth: usize) -> Result<(), Error> {
        let of = self.plain.kernel.ty(i.dst.at(0));
        let many = i.dst.len();
        let place = self.place(space, i.args.at(0), offset, of, (many, false, false))?;
        let read = format!("four{}", i.dst.at(0).0);
        if many == 4 {
            self.plain.line(depth, &format!("let {read} = {};", place.four()));
        }
        for (k, dst) in i.dst.iter().enumerate() {
            let from = if many == 4 { format!("{read}[{k}]") } else { place.read(k) };
            let from = if space == Space::Shared { format!("bitcast<{}>({from})", ty(of)?) } else { from };
            self.plain.line(depth, &format!("let v{}: {} = {from};", dst.0, ty(of)?));
        }
        Ok(())
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
        self.carry(carried, &body.yields, depth + 1);
        self.plain.line(depth, "}");
        self.results(i, carried, depth)
    }

    /// The block while its first value is true.
    fn repeated(&mut self, i: &Inst, depth: usize) -> Result<(), Error> {
        let Some(body) = i.blocks.first() else {
            return Err(Error::Lacks { operation: "loop without body" });
        };
        let carried = &body.params;
        for (p, from) in carried.iter().zip(i.args.iter()) {
            let of = ty(self.plain.kernel.ty(*p))?;
            self.plain.line(depth, &format!("var v{}: {of} = v{};", p.0, from.0));
        }
        self.plain.line(depth, "loop {");
        self.block(body, depth + 1)?;
        self.carry(carried, body.yields.get(1..).unwrap_or_default(), depth + 1);
        self.plain.line(depth + 1, &format!("if !v{} {{ break; }}", body.yields.at(0).0));
        self.plain.line(depth, "}");
        self.results(i, carried, depth)
    }

    /// What a turn hands to the next. All at once: one may be the other's old value.
    fn carry(&mut self, carried: &[Id], yields: &[Id], depth: usize) {
        for (p, from) in carried.iter().zip(yields) {
            self.plain.line(depth, &format!("let next{} = v{};", p.0, from.0));
        }
        for p in carried {
            self.plain.line(depth, &format!("v{0} = next{0};", p.0));
        }
    }

    /// What a loop leaves.
    fn results(&mut self, i: &Inst, carried: &[Id], depth: usize) -> Result<(), Error> {
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
