//! Data, launches and kernels for the other tests.

use fulmen::Element;
use fulmen::gpu::{Bytes, Error, Interpreter, Kernel, Target, template};
use fulmen::ops::{OPS, Op};
use std::path::PathBuf;
use std::process::Command;

/// `kind` 0 is moderate, 1 spans sixty binades, 2 is small whole numbers, with ties and zeros.
pub fn data<T: Element>(n: usize, seed: u64, kind: u8) -> Vec<T> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..n)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let unit = (state >> 11) as f64 / (1u64 << 53) as f64;
            let sign = if state & (1 << 63) == 0 { 1.0 } else { -1.0 };
            T::from_f64(match kind {
                0 => 8.0 * unit * sign,
                1 => sign * (unit * 60.0 - 30.0).exp2(),
                _ => (unit * 9.0).floor() - 4.0,
            })
        })
        .collect()
}

/// Moves slices to a device and back.
pub trait Moved: Element {
    fn bytes(x: &[Self]) -> Bytes;
    fn back(b: &Bytes) -> Vec<Self>;
    fn kernel(name: &str) -> Option<Result<Kernel, Error>>;
    fn same(a: Self, b: Self) -> bool;
}
impl Moved for f32 {
    fn bytes(x: &[Self]) -> Bytes {
        Bytes::f32(x)
    }
    fn back(b: &Bytes) -> Vec<Self> {
        b.to_f32()
    }
    fn kernel(name: &str) -> Option<Result<Kernel, Error>> {
        template::op::<fulmen::gpu::F32>(name)
    }
    fn same(a: Self, b: Self) -> bool {
        a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
    }
}
impl Moved for f64 {
    fn bytes(x: &[Self]) -> Bytes {
        Bytes::f64(x)
    }
    fn back(b: &Bytes) -> Vec<Self> {
        b.to_f64()
    }
    fn kernel(name: &str) -> Option<Result<Kernel, Error>> {
        template::op::<fulmen::gpu::F64>(name)
    }
    fn same(a: Self, b: Self) -> bool {
        a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
    }
}

/// The bits of an argument.
pub fn bits<T: Moved>(x: T) -> u64 {
    T::bytes(&[x]).bytes().iter().rev().fold(0, |all, b| all << 8 | u64::from(*b))
}

macro_rules! samples {
    ($($shape:ident $name:ident($($f:ident),*) $body:tt [$($parameter:ident: $p:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
        /// The parameters in the row of an op, which its references have.
        pub fn sample(op: &str) -> Vec<f64> {
            match op {
                $(stringify!($name) => vec![$($p),*],)*
                _ => panic!("no op named {op}"),
            }
        }
    };
}
fulmen::for_each_op!(samples);

/// Runs an element-wise kernel on a grid.
pub fn run<T: Moved>(
    k: &Kernel,
    grid: u32,
    threads: u32,
    x: &[&[T]],
    parameters: &[T],
) -> Result<Vec<T>, Error> {
    let n = x[0].len();
    let mut device = Interpreter::new();
    let mut args: Vec<u64> = x.iter().map(|x| device.buffer(T::bytes(x))).collect();
    let out = device.buffer(Bytes::uninitialised(size_of_val(x[0])));
    args.extend([out, n as u64]);
    args.extend(parameters.iter().map(|p| bits(*p)));
    device.launch(k, [grid, 1, 1], [threads, 1, 1], &args)?;
    let out = device.get(out).unwrap();
    assert!(out.complete(), "{}: an element was not written", k.name);
    Ok(T::back(out))
}

/// The ops that run element by element.
pub fn pointwise() -> impl Iterator<Item = &'static Op> {
    OPS.iter().filter(|op| ["unary", "binary", "ternary", "update"].contains(&op.shape))
}

/// The assembler: `FULMEN_PTXAS`, what `.ci/run` installs, or the path's.
pub fn ptxas() -> Option<PathBuf> {
    let installed = std::path::Path::new(common::ROOT).join("target/cuda/nvidia/cuda_nvcc/bin/ptxas");
    let given = std::env::var_os("FULMEN_PTXAS").map(PathBuf::from);
    let found = [given, Some(installed), Some("ptxas".into())]
        .into_iter()
        .flatten()
        .find(|p| Command::new(p).arg("--version").output().is_ok_and(|o| o.status.success()));
    if found.is_none() {
        assert!(std::env::var_os("FULMEN_STRICT").is_none(), "no ptxas: .ci/run installs it");
        println!("SKIPPED no ptxas: .ci/run installs it into target/cuda");
    }
    found
}

/// What `ptxas` says of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Usage {
    pub kernel: String,
    pub target: String,
    pub registers: u32,
    pub spills: u32,
}

/// Assembles a file.
pub fn assemble(ptxas: &PathBuf, text: &str, target: Target) -> Result<Vec<Usage>, String> {
    let path =
        std::env::temp_dir().join(format!("fulmen-{}-{target}-{:x}.ptx", std::process::id(), text.len()));
    std::fs::write(&path, text).unwrap();
    let out = Command::new(ptxas)
        .args(["-v", "-o", "/dev/null", &format!("-arch={target}")])
        .arg(&path)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned() + &String::from_utf8_lossy(&out.stdout);
    if !out.status.success() {
        return Err(format!("{}: {said}", path.display()));
    }
    std::fs::remove_file(&path).unwrap();
    // Products of warp groups that wait for each other would be several times slower.
    if said.contains("wgmma.mma_async instructions are serialized") {
        return Err(said);
    }
    let number = |line: &str, unit: &str| -> Option<u32> {
        line.split(unit).next()?.trim().rsplit([' ', ',']).next()?.parse().ok()
    };
    let (mut list, mut kernel, mut spills) = (Vec::new(), String::new(), 0);
    for line in said.lines() {
        if let Some(rest) = line.split("Compiling entry function '").nth(1) {
            kernel = rest.split('\'').next().unwrap().into();
        } else if line.contains("bytes spill stores") {
            spills = number(line, " bytes spill stores").unwrap();
        } else if line.contains("Used ") && line.contains(" registers") {
            let registers = number(line, " registers").unwrap();
            list.push(Usage { kernel: kernel.clone(), target: target.to_string(), registers, spills });
        }
    }
    Ok(list)
}
