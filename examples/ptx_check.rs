//! Every kernel of the compiler on a real GPU, against the interpreter, bit by bit.
//!
//! `cargo run --release --features cuda --example ptx_check -- [--interpret] [NAME…]`: all kernels, or those whose names
//! contain one of the words; with `--interpret` the interpreter alone runs them.
//!
//! Prints a line for each kernel. Exits with 0 when all agree, with 1 when one differs by more than the op's contract
//! allows or does not run, with 2 when there is no driver or no GPU.

use fulmen::contract::{spec, ulp};
use fulmen::gpu::template::{self, GemmTile, THREADS};
use fulmen::gpu::{Bytes, F32, F64, Interpreter, Kernel, Module, Recorded, Target, Type, pass};
use fulmen::ops::OPS;
use fulmen::{Alu, Body, Element, Gelu, Number, Real};
use std::process::ExitCode;

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[path = "ptx_check/driver.rs"]
mod driver;

/// An argument of a kernel.
#[derive(Clone, Copy)]
enum Arg {
    /// The address of this buffer.
    Buffer(usize),
    /// These bits.
    Bits(u64),
}

/// A launch of a kernel.
struct Launch {
    kernel: Kernel,
    grid: [u32; 3],
    threads: [u32; 3],
    args: Vec<Arg>,
}

/// What is run on both machines: buffers, launches in order, the buffer that holds the result.
struct Script {
    op: &'static str,
    element: Type,
    buffers: Vec<Vec<u8>>,
    launches: Vec<Launch>,
    result: usize,
}

impl Script {
    fn new<T: Recorded>(op: &'static str) -> Self {
        Self { op, element: T::TYPE, buffers: Vec::new(), launches: Vec::new(), result: 0 }
    }

    fn buffer(&mut self, bytes: Vec<u8>) -> Arg {
        self.buffers.push(bytes);
        Arg::Buffer(self.buffers.len() - 1)
    }

    fn output(&mut self, bytes: usize) -> Arg {
        self.result = self.buffers.len();
        self.buffer(vec![0; bytes])
    }

    fn launch(&mut self, mut kernel: Kernel, grid: [u32; 2], threads: u32, args: Vec<Arg>) {
        pass::optimise(&mut kernel);
        let [x, y] = grid;
        self.launches.push(Launch { kernel, grid: [x, y, 1], threads: [threads, 1, 1], args });
    }

    fn interpreted(&self) -> Result<Vec<u8>, String> {
        let mut device = Interpreter::new();
        let addresses: Vec<u64> = self.buffers.iter().map(|b| device.buffer(Bytes::new(b.clone()))).collect();
        for l in &self.launches {
            let bits = |a: &Arg| match *a {
                Arg::Buffer(k) => addresses.get(k).copied().unwrap_or(0),
                Arg::Bits(bits) => bits,
            };
            let args: Vec<u64> = l.args.iter().map(bits).collect();
            device.launch(&l.kernel, l.grid, l.threads, &args).map_err(|e| e.to_string())?;
        }
        let at = addresses.get(self.result).copied().unwrap_or(0);
        device.get(at).map(|b| b.bytes().to_vec()).ok_or_else(|| "no result".into())
    }

    fn text(&self, target: Target) -> Result<String, String> {
        let mut text = String::new();
        let kernels = self.launches.iter().map(|l| l.kernel.clone()).collect();
        Module { kernels }.emit(target, &mut text).map_err(|e| e.to_string())?;
        Ok(text)
    }

    /// The worst distance in units in the last place, and how many the contract allows.
    fn compare(&self, got: &[u8], want: &[u8]) -> (f64, f64) {
        let double = self.element == Type::F64;
        let tolerance = spec(self.op).and_then(|s| s.tolerance(if double { "f64" } else { "f32" }));
        let (mut worst, mut allowed) = (0.0f64, f64::INFINITY);
        for (got, want) in self.values(got).zip(self.values(want)) {
            if got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()) {
                continue;
            }
            let unit = if double { ulp::<f64>(want) } else { ulp::<f32>(want) };
            // Both are within the tolerance of the exact value, so they are within twice of each other.
            let most = tolerance.as_ref().map_or(0.0, |t| match double {
                true => 2.0 * t.allowed::<f64>(want, &[], want.abs()),
                false => 2.0 * t.allowed::<f32>(want, &[], want.abs()),
            });
            // Zeros of different sign differ by the smallest step.
            let distance = ((got - want).abs() / unit).max(f64::MIN_POSITIVE);
            worst = if distance.is_finite() { worst.max(distance) } else { f64::INFINITY };
            allowed = allowed.min(most / unit);
        }
        (worst, allowed)
    }

    fn values<'a>(&self, bytes: &'a [u8]) -> Box<dyn Iterator<Item = f64> + 'a> {
        match self.element {
            Type::F64 => Box::new(bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b))),
            _ => Box::new(bytes.as_chunks().0.iter().map(|b| f64::from(f32::from_le_bytes(*b)))),
        }
    }
}

/// Numbers of all kinds: `kind` 0 is moderate, 1 adds what is special.
fn data<T: Element>(n: usize, seed: u64, kind: u8) -> Vec<u8> {
    let special = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-40, -3e-39, 3e38, 1e-300];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let values = (0..n).map(|i| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let unit = (state >> 11) as f64 / (1u64 << 53) as f64;
        let signed = if state & 1 == 0 { unit } else { -unit };
        match i % 7 {
            3 if kind == 1 => signed * (unit * 40.0).exp2(),
            5 if kind == 1 => special.get(i / 7 % 16).copied().unwrap_or(signed),
            _ => 8.0 * signed,
        }
    });
    let bytes = |x: f64| match size_of::<T>() {
        4 => (x as f32).to_le_bytes().to_vec(),
        _ => x.to_le_bytes().to_vec(),
    };
    values.flat_map(bytes).collect()
}

fn pointwise<T: Recorded>(op: &'static str) -> Option<Result<Script, String>> {
    let n = 3001;
    let kernel = match template::op::<T>(op)? {
        Ok(kernel) => kernel,
        Err(e) => return Some(Err(e.to_string())),
    };
    let mut s = Script::new::<T>(op);
    let takes = template::takes(op)?;
    let mut args: Vec<Arg> =
        (0..takes.operands).map(|k| s.buffer(data::<T::Elem>(n, k as u64 + 2, 1))).collect();
    args.extend([s.output(n * size_of::<T::Elem>()), Arg::Bits(n as u64)]);
    args.extend((0..takes.parameters).map(|k| Arg::Bits(T::bits(T::Elem::from_f64(k as f64 + 0.3)))));
    s.launch(kernel, [6, 1], 128, args);
    Some(Ok(s))
}

fn reduction<T: Recorded>(op: &'static str) -> Option<Result<Script, String>> {
    let (n, blocks) = (2011, 3);
    let r = match template::reduction::<T>(op)? {
        Ok(r) => r,
        Err(e) => return Some(Err(e.to_string())),
    };
    let mut s = Script::new::<T>(op);
    let width = size_of::<T::Elem>();
    let inputs = r.stages.first().map_or(0, |s| s.parts.params.len() - 2);
    let inputs: Vec<Arg> = (0..inputs).map(|k| s.buffer(data::<T::Elem>(n, k as u64 + 2, 0))).collect();
    let states = s.buffer(vec![0; width * r.states as usize]);
    let last = r.stages.len().saturating_sub(1);
    for (k, stage) in r.stages.into_iter().enumerate() {
        let parts = s.buffer(vec![0; width * (blocks * stage.state) as usize]);
        let to = if k < last { states } else { s.output(if r.index { 4 } else { width }) };
        let mut args = [&inputs[..], &[parts, Arg::Bits(n as u64)]].concat();
        let mut merge = vec![parts, to, Arg::Bits(blocks.into()), Arg::Bits(n as u64)];
        if k > 0 {
            args.push(states);
            merge.push(states);
        }
        s.launch(stage.parts, [blocks, 1], THREADS, args);
        s.launch(stage.merge, [1, 1], THREADS, merge);
    }
    if r.index {
        s.element = Type::F32;
    }
    Some(Ok(s))
}

fn row<T: Recorded>(op: &'static str) -> Option<Result<Script, String>> {
    let (rows, cols) = (5, 333);
    let kernel = match template::row::<T>(op)? {
        Ok(kernel) => kernel,
        Err(e) => return Some(Err(e.to_string())),
    };
    let mut s = Script::new::<T>(op);
    let x = s.buffer(data::<T::Elem>(rows * cols, 1, 0));
    let mut args = vec![x, Arg::Buffer(usize::MAX), Arg::Bits(rows as u64), Arg::Bits(cols as u64)];
    for ty in kernel.params.iter().skip(4) {
        args.push(match ty {
            Type::U64 => s.buffer(data::<T::Elem>(cols, 9, 0)),
            _ => Arg::Bits(T::bits(T::Elem::from_f64(1e-3))),
        });
    }
    let out = s.output(rows * cols * size_of::<T::Elem>());
    args.iter_mut().skip(1).take(1).for_each(|a| *a = out);
    s.launch(kernel, [2, 1], THREADS, args);
    Some(Ok(s))
}

/// `gelu(acc + bias) + residual`.
#[derive(Debug, Clone, Copy)]
struct Epilogue;
impl<T: Number> Body<T, 3> for Epilogue {
    fn eval<V: Alu<Elem = T>>(self, [acc, bias, residual]: [V; 3]) -> V {
        Gelu.eval([acc + bias]) + residual
    }
}

/// A product with an epilogue of three ops.
fn product(tile: GemmTile, [m, n, k]: [usize; 3]) -> Result<Script, String> {
    let name = format!("gemm_{}x{}x{}", tile.m, tile.n, tile.k);
    let kernel = template::gemm(&name, tile, Target::sm(61).shared_memory(), |[]| Epilogue);
    let kernel = kernel.map_err(|e| e.to_string())?;
    let mut s = Script::new::<F32>("gemm");
    let [a, b] = [m * k, k * n].map(|len| s.buffer(data::<f32>(len, len as u64, 0)));
    let more = [n, m * n].map(|len| s.buffer(data::<f32>(len, 5, 0)));
    let mut args = vec![a, b, s.output(4 * m * n)];
    args.extend(more);
    args.extend([m, n, k].map(|size| Arg::Bits(size as u64)));
    let grid = [(n as u32).div_ceil(tile.n), (m as u32).div_ceil(tile.m)];
    s.launch(kernel, grid, tile.threads(), args);
    Ok(s)
}

/// All that the compiler makes.
fn scripts() -> Vec<(&'static str, Result<Script, String>)> {
    fn of<T: Recorded>(op: &'static str) -> Option<Result<Script, String>> {
        pointwise::<T>(op).or_else(|| reduction::<T>(op)).or_else(|| row::<T>(op))
    }
    let mut all = Vec::new();
    for op in OPS {
        all.extend([of::<F32>(op.name), of::<F64>(op.name)].into_iter().flatten().map(|s| (op.name, s)));
    }
    for (tile, shape) in [
        (GemmTile { m: 32, n: 32, k: 8, tm: 4, tn: 4, stages: 1 }, [70, 45, 33]),
        (GemmTile { m: 64, n: 64, k: 8, tm: 4, tn: 8, stages: 1 }, [65, 63, 17]),
        (GemmTile { m: 128, n: 128, k: 8, tm: 8, tn: 8, stages: 1 }, [129, 130, 40]),
        (GemmTile { m: 128, n: 128, k: 16, tm: 8, tn: 8, stages: 2 }, [130, 70, 50]),
    ] {
        all.push(("gemm", product(tile, shape)));
    }
    all
}

/// The kernels of a script by their names, and the script.
fn chosen(words: &[String]) -> impl Iterator<Item = (String, Result<Script, String>)> {
    let named = scripts().into_iter().map(|(op, script)| {
        let first = script.as_ref().ok().and_then(|s| s.launches.first());
        (first.map_or_else(|| op.to_string(), |l| l.kernel.name.clone()), script)
    });
    named.filter(|(name, _)| words.is_empty() || words.iter().any(|w| name.contains(w.as_str())))
}

fn interpret(words: &[String]) -> ExitCode {
    let mut failed = 0;
    for (name, script) in chosen(words) {
        match script.and_then(|s| s.interpreted()) {
            Ok(bytes) => println!("{name:<36} {} bytes", bytes.len()),
            Err(why) => {
                failed += 1;
                println!("{name:<36} FAILED: {why}");
            }
        }
    }
    println!("{failed} wrong");
    ExitCode::from(u8::from(failed > 0))
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn check(_: &[String]) -> ExitCode {
    eprintln!("no GPU: the driver is called on Linux on x86-64 only");
    ExitCode::from(2)
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn check(words: &[String]) -> ExitCode {
    let gpu = match driver::Gpu::open() {
        Ok(gpu) => gpu,
        Err(why) => {
            eprintln!("no GPU: {why}");
            return ExitCode::from(2);
        }
    };
    let target = gpu.target();
    println!("device {}, driver {}, target {target}", gpu.name(), gpu.version());
    println!("{:<36} {:>9} {:>9}  result", "kernel", "ulps", "allowed");
    let (mut equal, mut within, mut failed) = (0, 0, 0);
    for (name, script) in chosen(words) {
        let compared = script.and_then(|s| {
            let got = gpu.run(&s, &s.text(target)?)?;
            Ok(s.compare(&got, &s.interpreted()?))
        });
        match compared {
            Ok((0.0, _)) => {
                equal += 1;
                println!("{name:<36} {:>9} {:>9}  equal", 0, "");
            }
            Ok((worst, allowed)) if worst <= allowed => {
                within += 1;
                println!("{name:<36} {worst:>9.1} {allowed:>9.1}  within its contract");
            }
            Ok((worst, allowed)) => {
                failed += 1;
                println!("{name:<36} {worst:>9.1} {allowed:>9.1}  DIFFERS");
            }
            Err(why) => {
                failed += 1;
                println!("{name:<36} {:>9} {:>9}  FAILED: {why}", "", "");
            }
        }
    }
    println!("{equal} equal in every bit, {within} within their contracts, {failed} wrong");
    ExitCode::from(u8::from(failed > 0 || equal + within == 0))
}

fn main() -> ExitCode {
    let (options, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|a| a.starts_with("--"));
    match options.as_slice() {
        [] => check(&words),
        [o] if o == "--interpret" => interpret(&words),
        _ => {
            eprintln!("the one option is --interpret");
            ExitCode::from(2)
        }
    }
}
