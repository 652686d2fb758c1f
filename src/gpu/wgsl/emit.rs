//! Emits recorded bodies of pointwise ops as WGSL functions, and the helper functions that replace WGSL's inexact
//! built-ins.

use super::Error;
use crate::alu::Body;
use crate::gpu::template::chain::Steps;
use crate::gpu::template::{Takes, apply};
use crate::gpu::{Approx, Block, Builder, Cmp, F32, Id, Inst, Kernel, Op, Param, Space, Type, U64, Value};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What every text starts with. No compiler knows that `zero_bits` is 0, so none folds NaN and infinity, which are refused
/// in constants, and none takes `(x + c) - c` for `x`, as WGSL lets it: that is how bodies round, split and compensate.
pub(super) const PRELUDE: &str = "var<private> zero_bits: u32;
fn from_bits(bits: u32) -> f32 { return bitcast<f32>(bits | zero_bits); }
fn rounded(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) | zero_bits); }
";

/// The high word of a product, which WGSL has no function for.
pub(super) const MUL_HIGH: &str = "fn mul_high(a: u32, b: u32) -> u32 {
  let low = (a & 0xffffu) * (b & 0xffffu);
  let p = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
  let q = (a & 0xffffu) * (b >> 16u) + (p & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (p >> 16u) + (q >> 16u);
}
";

/// From `f32` to integers, as Rust's `as`: towards zero, what is out of range becomes the nearest integer, NaN 0. WGSL leaves it open
/// what its own conversions make of NaN, and its implementations differ past the range; so the bits decide, and none converts these.
pub(super) const INTEGERS: &str = "fn to_u32(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let inside = bits < 0x4f800000u;
  return select(select(0u, 0xffffffffu, bits <= 0x7f800000u), u32(select(0.0f, x, inside)), inside);
}
fn to_i32(x: f32) -> i32 {
  let bits = bitcast<u32>(x);
  let size = bits & 0x7fffffffu;
  let inside = size < 0x4f000000u;
  let limit = bitcast<i32>(select(0x7fffffffu, 0x80000000u, bits > 0x7fffffffu));
  return select(select(0i, limit, size <= 0x7f800000u), i32(select(0.0f, x, inside)), inside);
}
";

/// Powers of two up to 2¹⁰⁰, 0 from the smallest normal number down, within a relative 2⁻²²: WGSL's own may be off by more, and
/// need not be 0.
pub(super) const POWER: &str = "fn power(x: f32) -> f32 {
  let t = select(x, -127.0f, x < -127.0f);
  let shifted = rounded(t + 12583039.0f);
  let n = rounded(shifted - 12583039.0f);
  let f = rounded(t - n) * 0.69314718f;
  var p = fma(f, 0.008312515f, 0.04189020f);
  p = fma(p, f, 0.16667115f);
  p = fma(p, f, 0.49999231f);
  p = fma(fma(p, f, 1.0f), f, 1.0f);
  return p * bitcast<f32>(bitcast<u32>(shifted) << 23u);
}
";

/// `fma` for devices that round the product, as WGSL lets them: bodies reduce arguments and keep second words with it. The
/// product and the sum are taken in two words (Dekker, Knuth); outside the range of those it is rounded twice.
pub(super) const FUSED: &str = "fn upper(x: f32) -> f32 {
  let c = rounded(x * 4097.0f);
  return rounded(c - rounded(c - x));
}
fn fused(a: f32, b: f32, c: f32) -> f32 {
  let p = rounded(a * b);
  let s = rounded(p + c);
  if !(max(max(abs(a), abs(b)), max(abs(p), abs(c))) < 1e30f && abs(p) > 1e-25f) { return s; }
  let a1 = upper(a);
  let a2 = rounded(a - a1);
  let b1 = upper(b);
  let b2 = rounded(b - b1);
  let cross = rounded(rounded(rounded(rounded(a1 * b1) - p) + rounded(a1 * b2)) + rounded(a2 * b1));
  let low = rounded(cross + rounded(a2 * b2));
  let t = rounded(s - p);
  let left = rounded(rounded(p - rounded(s - t)) + rounded(c - t));
  return rounded(s + rounded(low + left));
}
";

/// `fn name(x0: f32, …) -> array<f32, 1>`: a body, on its inputs and then its parameters.
pub(super) fn body<B: Body<Param<F32>, N>, const P: usize, const N: usize>(
    name: &str,
    body: impl FnOnce([Param<F32>; P]) -> B,
) -> Result<String, Error> {
    function(name, |b| {
        let x = b.params::<F32, N>();
        [body(b.numbers()).eval(x)]
    })
}

/// `fn name(x0: f32, …) -> array<f32, 1>`: an op of the list, as [`body`].
pub(super) fn op(name: &str, op: &str, takes: Takes) -> Result<String, Error> {
    of_lists(name, [takes.operands, takes.parameters], |x, p| {
        apply(op, x, p).ok_or(crate::gpu::Error::Arguments)
    })
}

/// `fn name(x0: f32, …) -> array<f32, 1>`: the steps of a chain, on a value before them, if there is one, and their
/// operands, then their parameters.
pub(super) fn steps(name: &str, steps: &Steps<'_>, before: bool) -> Result<String, Error> {
    of_lists(name, [usize::from(before) + steps.operands.len(), steps.parameters.len()], |x, p| {
        let (first, rest) = x.split_at(usize::from(before).min(x.len()));
        steps.run(first.first().copied(), rest, p)
    })
}

/// A function of so many values and parameters.
fn of_lists(
    name: &str,
    [operands, parameters]: [usize; 2],
    of: impl for<'b> FnOnce(&[Value<'b, F32>], &[Param<F32>]) -> Result<Value<'b, F32>, crate::gpu::Error>,
) -> Result<String, Error> {
    let mut failed = None;
    let code = function(name, |b| {
        let x: Vec<_> = (0..operands).map(|_| b.param::<F32>()).collect();
        let numbers: Vec<_> = (0..parameters).map(|_| b.param::<F32>().number()).collect();
        [of(&x, &numbers).unwrap_or_else(|e| {
            failed = Some(e);
            b.f32(0.0)
        })]
    })?;
    failed.map_or(Ok(code), |e| Err(e.into()))
}

/// Records a function of `f32` and writes it. Its results are stores to the first parameter, which is no parameter of
/// the function.
fn function<const K: usize>(
    name: &str,
    record: impl for<'b> FnOnce(&'b Builder) -> [Value<'b, F32>; K],
) -> Result<String, Error> {
    let b = Builder::new(name);
    let out = b.param::<U64>();
    results(out, &record(&b));
    written(name, &b.finish()?, K)
}

fn results<'b>(out: Value<'b, U64>, values: &[Value<'b, F32>]) {
    for (offset, y) in (0..).step_by(4).zip(values) {
        out.builder().store(Space::Global, out, offset, *y);
    }
}

/// The recorded function of so many results.
fn written(name: &str, kernel: &Kernel, results: usize) -> Result<String, Error> {
    let mut writer = Writer::new(kernel);
    writer.text += &tables(kernel);
    let inputs: Vec<_> = (1..kernel.params.len()).map(|i| format!("x{}: f32", i - 1)).collect();
    writer.text += &format!(
        "fn {name}({}) -> array<f32, {results}> {{\n  var out: array<f32, {results}>;\n",
        inputs.join(", ")
    );
    writer.block(&kernel.body, 1)?;
    writer.text += "  return out;\n}\n";
    Ok(writer.text)
}

/// The constant tables of a kernel, by their bits.
pub(super) fn tables(kernel: &Kernel) -> String {
    let mut text = String::new();
    for (i, table) in kernel.tables.iter().enumerate() {
        let rows: Vec<_> = table.bits.iter().map(|&b| format!("{b:#x}u")).collect();
        let (name, count) = (&kernel.name, rows.len());
        text += &format!("const {name}_table{i} = array<u32, {count}>({});\n", rows.join(", "));
    }
    text
}

/// What an address is: WGSL has none, so each access is named by what it reaches.
#[derive(Clone, Copy)]
enum Address {
    Results,
    Table(u32),
    /// A byte offset: an index times a width.
    Scaled(Id),
    Element(u32, Id),
}

pub(super) struct Writer<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) text: String,
    addresses: BTreeMap<Id, Address>,
    products: BTreeSet<Id>,
    /// The constants that are ±0, by their bits.
    zeros: BTreeMap<Id, u64>,
    pub(super) fma: &'static str,
}

/// The constants of floats that are ±0.
fn zeros(block: &Block, into: &mut BTreeMap<Id, u64>) {
    for inst in &block.insts {
        if let Op::Const(bits @ (0 | 0x8000_0000)) = inst.op {
            into.insert(inst.dst.at(0), bits);
        }
        inst.blocks.iter().for_each(|b| zeros(b, into));
    }
}

/// What `fma` and `*` of floats give.
fn products(kernel: &Kernel, block: &Block, into: &mut BTreeSet<Id>) {
    for inst in &block.insts {
        let dst = inst.dst.at(0);
        if matches!(inst.op, Op::Fma | Op::Mul) && kernel.ty(dst) == Type::F32 {
            into.insert(dst);
        }
        inst.blocks.iter().for_each(|b| products(kernel, b, into));
    }
}

pub(super) const fn ty(t: Type) -> Result<&'static str, Error> {
    match t {
        Type::Pred => Ok("bool"),
        Type::U32 => Ok("u32"),
        Type::S32 => Ok("i32"),
        Type::F32 => Ok("f32"),
        _ => Err(Error::Lacks { operation: "type of this width" }),
    }
}

impl<'k> Writer<'k> {
    pub(super) fn new(kernel: &'k Kernel) -> Self {
        let mut all = BTreeSet::new();
        products(kernel, &kernel.body, &mut all);
        let mut none = BTreeMap::new();
        zeros(&kernel.body, &mut none);
        Self {
            kernel,
            text: String::new(),
            addresses: BTreeMap::new(),
            products: all,
            zeros: none,
            fma: "fma",
        }
    }

    pub(super) fn line(&mut self, depth: usize, line: &str) {
        self.text.extend(core::iter::repeat_n("  ", depth));
        self.text += line;
        self.text.push('\n');
    }

    fn block(&mut self, block: &Block, depth: usize) -> Result<(), Error> {
        block.insts.iter().try_for_each(|inst| self.inst(inst, depth))
    }

    fn inst(&mut self, inst: &Inst, depth: usize) -> Result<(), Error> {
        let dst = inst.dst.at(0);
        let v = |k: usize| format!("v{}", inst.args.at(k).0);
        match inst.op {
            Op::If => return self.choice(inst, depth),
            Op::Store { space: Space::Global, offset } => {
                if !matches!(self.addresses.get(&inst.args.at(0)), Some(Address::Results)) {
                    return Err(Error::Lacks { operation: "store of a body" });
                }
                self.line(depth, &format!("out[{}] = {};", offset / 4, v(1)));
                return Ok(());
            }
            _ => {}
        }
        if let Some(address) = self.address(inst)? {
            self.addresses.insert(dst, address);
            return Ok(());
        }
        let result = self.kernel.ty(dst);
        if result == Type::U64 {
            // The width of a table's element: the index alone is used.
            return if matches!(inst.op, Op::Const(_)) {
                Ok(())
            } else {
                Err(Error::Lacks { operation: "64-bit integer" })
            };
        }
        let value = self.value(inst, result)?;
        self.line(depth, &format!("let v{}: {} = {value};", dst.0, ty(result)?));
        Ok(())
    }

    /// What the instruction points to, if it makes an address.
    fn address(&self, inst: &Inst) -> Result<Option<Address>, Error> {
        let known = |k: usize| self.addresses.get(&inst.args.at(k)).copied();
        Ok(match inst.op {
            Op::Param(0) => Some(Address::Results),
            Op::Table(t) => Some(Address::Table(t)),
            Op::MulWide => Some(Address::Scaled(inst.args.at(0))),
            Op::Add if self.kernel.ty(inst.dst.at(0)) == Type::U64 => match (known(0), known(1)) {
                (Some(Address::Table(t)), Some(Address::Scaled(i))) => Some(Address::Element(t, i)),
                _ => return Err(Error::Lacks { operation: "address arithmetic" }),
            },
            _ => None,
        })
    }

    pub(super) fn value(&self, inst: &Inst, result: Type) -> Result<String, Error> {
        let v = |k: usize| format!("v{}", inst.args.at(k).0);
        let infix = |sign: &str| format!("{} {sign} {}", v(0), v(1));
        let (float, bool) = (result == Type::F32, result == Type::Pred);
        // Compilers take it that there are no NaN and no infinities, so that a product with 0 is 0, and x - x, and x/x is 1: bodies
        // find what is not finite with such. What no compiler knows is not folded.
        let factor = |k: usize| match self.zeros.get(&inst.args.at(k)) {
            Some(bits) => format!("from_bits({bits:#x}u)"),
            None => v(k),
        };
        let same = |k: usize| match inst.args.at(0) == inst.args.at(1) && k == 1 {
            true => format!("rounded({})", v(k)),
            false => v(k),
        };
        Ok(match inst.op {
            Op::Const(bits) => literal(result, bits),
            Op::Param(i) => format!("x{}", i.saturating_sub(1)),
            Op::Neg if float => format!("-{}", v(0)),
            Op::Abs if float => format!("abs({})", v(0)),
            Op::Not => format!("{}{}", if bool { '!' } else { '~' }, v(0)),
            Op::Sqrt => format!("sqrt({})", v(0)),
            Op::Approx(Approx::Ex2) => format!("power({})", v(0)),
            Op::Approx(Approx::Rcp) => format!("1.0f / {}", v(0)),
            Op::Bitcast => format!("bitcast<{}>({})", ty(result)?, v(0)),
            Op::Convert if self.kernel.ty(inst.args.at(0)) == result => v(0),
            Op::Add | Op::Sub => {
                let sign = if inst.op == Op::Add { "+" } else { "-" };
                // A product is rounded before it is added to, too; that of a loop of `fma` is not.
                let term = |k: usize| match self.products.contains(&inst.args.at(k)) {
                    true => format!("rounded({})", v(k)),
                    false => same(k),
                };
                if float { format!("rounded({} {sign} {})", term(0), term(1)) } else { infix(sign) }
            }
            Op::Mul if float => format!("{} * {}", factor(0), factor(1)),
            Op::Mul => infix("*"),
            Op::MulHi => format!("mul_high({}, {})", v(0), v(1)),
            Op::Div if float => format!("{} / {}", v(0), same(1)),
            // Of integers only: those of floats differ in what they do with NaN.
            Op::Min if !float => format!("min({}, {})", v(0), v(1)),
            Op::Max if !float => format!("max({}, {})", v(0), v(1)),
            Op::And => infix("&"),
            Op::Or => infix("|"),
            Op::Xor => infix(if bool { "!=" } else { "^" }),
            Op::Shl => infix("<<"),
            Op::Shr => infix(">>"),
            // By its bits: WGSL's compilers may take it that there is no NaN.
            Op::Compare(cmp @ (Cmp::Eq | Cmp::Ne)) if self.itself(inst) => {
                let sign = if cmp == Cmp::Eq { "<=" } else { ">" };
                format!("(bitcast<u32>({}) & 0x7fffffffu) {sign} 0x7f800000u", v(0))
            }
            // `!=` is false with NaN where it becomes an ordered comparison, as on Vulkan.
            Op::Compare(Cmp::Ne) if self.kernel.ty(inst.args.at(0)) == Type::F32 => {
                format!("!({})", infix("=="))
            }
            Op::Compare(cmp) => infix(match cmp {
                Cmp::Lt => "<",
                Cmp::Le => "<=",
                Cmp::Gt => ">",
                Cmp::Ge => ">=",
                Cmp::Eq => "==",
                Cmp::Ne => "!=",
            }),
            Op::Fma if float => format!("{}({}, {}, {})", self.fma, factor(0), factor(1), v(2)),
            Op::Dot4 => format!("bitcast<u32>(dot4I8Packed({}, {})) + {}", v(0), v(1), v(2)),
            Op::Select => format!("select({}, {}, {})", v(2), v(1), v(0)),
            Op::Load { space: Space::Const, offset: 0 } => match self.addresses.get(&inst.args.at(0)) {
                Some(Address::Element(t, i)) => {
                    let bits = format!("{}_table{t}[v{}]", self.kernel.name, i.0);
                    if float { format!("from_bits({bits})") } else { bits }
                }
                _ => return Err(Error::Lacks { operation: "load of a body" }),
            },
            _ => return Err(Error::Lacks { operation: "instruction of this kind" }),
        })
    }

    /// Whether an `f32` is compared with itself, which tells NaN.
    fn itself(&self, inst: &Inst) -> bool {
        inst.args.at(0) == inst.args.at(1) && self.kernel.ty(inst.args.at(0)) == Type::F32
    }

    /// Both blocks, each handing its values to variables.
    fn choice(&mut self, inst: &Inst, depth: usize) -> Result<(), Error> {
        for dst in inst.dst.iter() {
            let of = ty(self.kernel.ty(*dst))?;
            self.line(depth, &format!("var v{}: {of};", dst.0));
        }
        self.line(depth, &format!("if v{} {{", inst.args.at(0).0));
        for (i, block) in inst.blocks.iter().enumerate() {
            if i > 0 {
                self.line(depth, "} else {");
            }
            self.block(block, depth + 1)?;
            for (dst, from) in inst.dst.iter().zip(block.yields.iter()) {
                self.line(depth + 1, &format!("v{} = v{};", dst.0, from.0));
            }
        }
        self.line(depth, "}");
        Ok(())
    }
}

/// A constant. NaN, infinity and subnormals come from their bits.
fn literal(of: Type, bits: u64) -> String {
    let low = bits as u32;
    match of {
        Type::Pred => format!("{}", bits != 0),
        Type::F32 => {
            let x = f32::from_bits(low);
            if x.is_normal() || low == 0 { format!("{x:?}f") } else { format!("from_bits({low:#x}u)") }
        }
        Type::S32 => format!("i32({})", low.cast_signed()),
        _ => format!("{low}u"),
    }
}
