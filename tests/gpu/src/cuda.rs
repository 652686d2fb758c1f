//! NVIDIA's driver: the story of every op, what is refused, and a kernel that faults.

use crate::{FAR, HEADS, SHAPES, device, kernel, layers, report};
use fulmen::backend::*;
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::cuda::Cuda;
use fulmen::gpu::device::{Binding, Blocking, Device, Error, Launch};
use fulmen::gpu::{Space, U64};
use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The variable that names the part of the story that a process runs.
pub const PART: &str = "FULMEN_PART";
const PARTS: [&str; 8] = [
    "ops in f32",
    "layers in f32",
    "ops in f64",
    "layers in f64",
    "transforms in f32",
    "transforms in f64",
    "blocks",
    "halves",
];

pub fn run() -> Result<bool, Error> {
    let start = Instant::now();
    let device = Cuda::from_env()?;
    let opened = start.elapsed().as_secs_f64() * 1e3;
    println!(
        "{}: {}, CUDA {}, {:?}; opened in {opened:.1} ms",
        device.facts().name,
        device.target(),
        device.driver(),
        device.facts()
    );
    refusals()?;
    device::numbers(&device)?;
    drop(device);
    let good = parts()?;
    println!("all parts in {:.1} s", start.elapsed().as_secs_f64());
    lists()?;
    memory()?;
    crate::llm::run("cuda");
    faults()?;
    Ok(good)
}

/// Every part in a process of its own, side by side: the driver compiles one kernel at a time in each.
fn parts() -> Result<bool, Error> {
    let own = std::env::current_exe().expect("a program that runs has a path");
    let start = |part: &&str| {
        let mut child = Command::new(&own);
        child.env("FULMEN_DEVICE", "cuda").env(PART, part).stdout(Stdio::piped());
        child.spawn().expect("this program starts once more")
    };
    let (mut good, mut ran, mut without) = (true, [BTreeSet::new(), BTreeSet::new()], BTreeSet::new());
    // All start before the first is waited for.
    let children: Vec<_> = PARTS.iter().map(start).collect();
    for (part, child) in PARTS.iter().zip(children) {
        let done = child.wait_with_output().expect("it ends");
        let text = String::from_utf8_lossy(&done.stdout).into_owned();
        print!("{text}");
        let line = |name: &str| text.lines().rev().find_map(|l| l.strip_prefix(name)).map(str::to_owned);
        let (Some(did), Some(host)) = (line("ran: "), line("on the host: ")) else {
            println!("{part}: ended early, {}", done.status);
            good = false;
            continue;
        };
        good &= done.status.success();
        ran[usize::from(part.ends_with("f64"))].extend(did.split_whitespace().map(str::to_owned));
        without.extend(host.split_whitespace().map(str::to_owned));
    }
    without.retain(|op| !ran[0].contains(op));
    let host: Vec<_> = without.into_iter().collect();
    println!("{} ops ran in f32 and {} in f64; on the host: {}", ran[0].len(), ran[1].len(), host.join(" "));
    Ok(good)
}

/// One of them.
pub fn part(name: &str) -> Result<bool, Error> {
    #[cfg(feature = "nccl")]
    if name == "ranks" {
        return Ok(crate::cards::run());
    }
    let start = Instant::now();
    let gpu = Gpu::new(Cuda::from_env()?);
    let sizes = [(3, 37), (1, 1), (5, 300), (33, 257)];
    let products = [
        [1, 1, 1],
        [65, 63, 17],
        [5, 70, 9],
        [33, 31, 0],
        [130, 65, 70],
        [700, 300, 3000],
        [1500, 1300, 40],
        [129, 1000, 33],
        // By warp groups, where there are some: tiles in rounds, and a depth that blocks share.
        [1100, 1300, 512],
        [900, 1030, 900],
        [640, 900, 1000],
    ];
    let mut ran: Vec<_>;
    let mut without = Vec::new();
    match name {
        "ops in f32" => (ran, without) = device::story::<f32, _>(&gpu, "f32", false, &sizes, &products)?,
        "ops in f64" => (ran, without) = device::story::<f64, _>(&gpu, "f64", false, &sizes, &products)?,
        "layers in f32" => ran = layers::story::<f32, _>(&gpu, "f32", &SHAPES, &HEADS, &FAR)?,
        "layers in f64" => ran = layers::story::<f64, _>(&gpu, "f64", &SHAPES, &HEADS, &FAR)?,
        "transforms in f32" => {
            // Also by one block with all its threads, and by three parts.
            let long = [&crate::LENGTHS[..], &[16384, 20_000, 1 << 18, 1 << 22]].concat();
            ran = layers::transforms::story::<f32, _>(&gpu, "f32", &[[6, 11]])?;
            layers::transforms::lengths::<f32, _>(&gpu, "f32", &long, &mut ran)?;
        }
        "transforms in f64" => {
            ran = layers::transforms::story::<f64, _>(&gpu, "f64", &[[6, 11]])?;
            layers::transforms::lengths::<f64, _>(&gpu, "f64", &crate::LENGTHS, &mut ran)?;
        }
        "blocks" => {
            let rows = [[1, 1, 1], [5, 40, 3], [6, 72, 2], [3, 136, 1]];
            ran = layers::blocks::story(&gpu, &rows, &[[67, 448, 5]])?;
            let sizes = [[0, 4], [1, 1], [13, 13], [333, 50], [9000, 700], [200_000, 65536]];
            ran.extend(layers::lz4::story(&gpu, &sizes)?);
            ran.extend(layers::images::story(&gpu, "f32", 200, 12)?);
        }
        // Widened, and by warp groups where there are some: tiles in rounds, parts of matrices, all layouts.
        #[cfg(feature = "half")]
        "halves" => {
            let large = [[1100, 1300, 512], [700, 300, 1000]];
            let sizes = [[&crate::HALVES[..], &large].concat(), [&crate::BYTES[..], &large].concat()];
            ran = device::low_precision_products(&gpu, [&sizes[0], &sizes[1]])?.into();
            ran.extend(device::half_attention(&gpu, 1, &crate::HALF_HEADS)?);
            ran.extend(device::half_attention(&gpu, 3, &crate::HALF_HEADS)?);
            device::few_bits::halves::products(&gpu)?;
            device::few_bits::halves::attention(&gpu)?;
            device::few_bits::caches(&gpu, half::bf16::from_f32)?;
            no_keys(&gpu)?;
            crate::shared::stored::ops(&gpu);
            crate::shared::endings::ended_products(
                &gpu,
                &[[130, 72, 65], [400, 1300, 40], [700, 300, 80], [64, 256, 2048]],
            );
            crate::shared::endings::ended_floats::<f32, _>(&gpu, &[[33, 36, 20], [34, 17, 65]]);
            crate::shared::endings::ended_floats::<f64, _>(&gpu, &[[33, 36, 20], [34, 17, 65]]);
            crate::shared::endings::ended_bytes(&gpu, &[[130, 72, 65], [300, 132, 400], [65, 257, 96]]);
            if gpu.device().facts().groups {
                crate::shared::stored::products(&Gpu::rounding(Cuda::from_env()?)?);
            }
            println!("ops on memory of bf16 are those on f32, rounded");
        }
        _ => return Ok(false),
    }
    let good = report(&ran);
    println!(
        "{name}: {:.1} s, {} kernels, {:?} compiled and read",
        start.elapsed().as_secs_f64(),
        gpu.kernels(),
        gpu.device().modules(),
    );
    // Nothing is compiled a second time, whatever the sizes; but kernels of transforms, which are of one length.
    if name == "layers in f32" {
        layers::transforms::story::<f32, _>(&gpu, "f32", &[[6, 11]])?;
    }
    let before = gpu.device().modules();
    match name {
        "ops in f32" => drop(device::story::<f32, _>(&gpu, "f32", true, &[(7, 130)], &[[3, 4, 5]])?),
        "layers in f32" => drop(layers::story::<f32, _>(&gpu, "f32", &[[6, 11]], &[[5, 6]], &[9])?),
        _ => {}
    }
    assert_eq!(gpu.device().modules(), before, "a steady state compiles nothing");
    println!("ran: {}", ran.iter().map(|w| w.op).collect::<Vec<_>>().join(" "));
    println!("on the host: {}", without.join(" "));
    Ok(good)
}

/// Arrays that grow, each freed before the next: the sum of all is many times the card's memory. What one device value gives back
/// another one has.
fn memory() -> Result<(), Error> {
    let gpu = Gpu::new(Cuda::from_env()?);
    let all = gpu.device().facts().limits.buffer >> 30;
    for i in 1..all * 9 / 10 {
        drop(gpu.alloc::<f32>((i << 28) as usize)?);
    }
    let held = gpu.memory_use();
    assert_eq!(held.live, 0);
    let start = Instant::now();
    assert_eq!(gpu.trim(), held.cached);
    let took = start.elapsed().as_secs_f64() * 1e3;
    let beside = Gpu::new(Cuda::from_env()?);
    drop(beside.alloc::<f32>(((all * 8 / 10) << 28) as usize)?);
    println!("memory: arrays of 1 to {} GiB, {held:?} given back in {took:.1} ms", all * 9 / 10 - 1);
    Ok(())
}

/// Attention without keys, which the driver has no tensor maps for.
#[cfg(feature = "half")]
fn no_keys(gpu: &Gpu<Cuda>) -> Result<(), Error> {
    for [heads, dim, rows] in [[1, 64, 5], [2, 128, 128], [1, 8, 3]] {
        let op = fulmen::Attention::new(heads, heads, dim, 0.125);
        let (cols, many) = (heads * dim, rows * heads);
        let q = gpu.upload(&vec![half::bf16::ONE; rows * cols])?;
        let (none, mut lse) = (gpu.alloc::<half::bf16>(0)?, gpu.upload(&vec![7.0f32; many])?);
        let mut out = gpu.upload(&vec![7.0f32; rows * cols])?;
        let keys = none.view().matrix(0, cols)?;
        let to = out.view_mut().matrix(rows, cols)?;
        gpu.attention_bf16(&op, q.view().matrix(rows, cols)?, keys, keys, to, Some(lse.view_mut()), ())?;
        let (mut got, mut sums) = (vec![7.0; rows * cols], vec![7.0; many]);
        gpu.download(out.view(), &mut got)?;
        gpu.download(lse.view(), &mut sums)?;
        assert!(
            got.iter().all(|x| *x == 0.0) && sums.iter().all(|x| *x == f32::NEG_INFINITY),
            "{heads} of {dim}"
        );
    }
    println!("attention without keys: zeros, and a log-sum-exp of -inf");
    Ok(())
}

/// Lists of launches as graphs: what differs from one time to the next is changed, and writes and reads in a list come
/// between the launches around them.
fn lists() -> Result<(), Error> {
    let gpu = Gpu::new(Cuda::from_env()?);
    const N: usize = 1000;
    let mut x = gpu.upload(&[1.0f32; N])?;
    let mut sum = gpu.upload(&[0.0f32])?;
    let mut back = [0.0f32];
    let mut want = [1.0f64; N];
    for turn in 1..=12u32 {
        // Other arguments each time, other kernels every third, another part of the array every fourth.
        let from = if turn % 4 == 0 { 100 } else { 0 };
        gpu.together(|| {
            let [_, mut part] = x.view_mut().split(from)?;
            gpu.scale_in_place(part.lend(), turn as f32)?;
            match turn % 3 {
                0 => gpu.sqrt_in_place(part.lend())?,
                _ => gpu.abs_in_place(part.lend())?,
            }
            gpu.sum(x.view(), sum.view_mut())
        })?;
        for x in &mut want[from..] {
            *x *= f64::from(turn);
            *x = if turn % 3 == 0 { x.sqrt() } else { x.abs() };
        }
        gpu.download(sum.view(), &mut back)?;
        let all: f64 = want.iter().sum();
        assert!((f64::from(back[0]) - all).abs() < 1e-4 * all, "turn {turn}: {}, not {all}", back[0]);
    }
    assert_eq!(gpu.device().graphs(), 1, "lists of one length are one graph");
    for turn in 0..4 {
        gpu.together(|| {
            gpu.write(&[2.0; N], x.view_mut())?;
            gpu.scale_in_place(x.view_mut(), 3.0)?;
            gpu.together(|| gpu.sum(x.view(), sum.view_mut()))?;
            gpu.download(sum.view(), &mut back)?;
            assert_eq!(back[0], 6.0 * N as f32, "turn {turn}");
            gpu.write(&[5.0; N], x.view_mut())?;
            gpu.sum(x.view(), sum.view_mut())
        })?;
        gpu.download(sum.view(), &mut back)?;
        assert_eq!(back[0], 5.0 * N as f32, "turn {turn}");
    }
    // A long list is several graphs, which come again with other arguments.
    let before = gpu.device().graphs();
    for turn in 1..=4u32 {
        gpu.write(&[1.0; N], x.view_mut())?;
        gpu.together(|| {
            (1..100u32).try_for_each(|k| {
                let by = if k == 99 { turn as f32 } else { [0.5, 2.0][k as usize % 2] };
                gpu.scale_in_place(x.view_mut(), by)
            })?;
            gpu.sum(x.view(), sum.view_mut())
        })?;
        gpu.download(sum.view(), &mut back)?;
        assert_eq!(back[0], (turn as usize * N) as f32, "turn {turn}");
    }
    assert_eq!(gpu.device().graphs(), before + 4, "launches by 8, 16, 32 and what is left");
    // An error of the work: what came before it runs, what is refused does not.
    let short = gpu.together(|| {
        gpu.fill(1.0, x.view_mut())?;
        gpu.sum(x.view(), sum.view_mut())?;
        gpu.exp(x.view().part(0..1)?, sum.view_mut().split(0)?.into_iter().next().unwrap())
    });
    assert!(matches!(short, Err(Error::Call(fulmen::Error::Len { .. }))), "{short:?}");
    gpu.download(sum.view(), &mut back)?;
    assert_eq!(back[0], N as f32);
    println!("lists of launches as graphs: {} kept", gpu.device().graphs());
    page_locked(&gpu)
}

/// Copies from and to page-locked memory come between the launches around them, and are waited for where they are looked at;
/// reads through the device's own are of any length.
fn page_locked(gpu: &Gpu<Cuda>) -> Result<(), Error> {
    const N: usize = (1 << 20) + 3;
    let (mut from, mut to) = (gpu.pinned::<f32>(N)?, gpu.pinned::<f32>(N)?);
    assert!(from.iter().all(|x| *x == 0.0));
    let mut x = gpu.alloc(N)?;
    for turn in 1..=5u16 {
        from.fill(f32::from(turn));
        gpu.write_pinned(&from, x.view_mut())?;
        gpu.scale_in_place(x.view_mut(), 2.0)?;
        gpu.read_pinned(x.view(), &mut to)?;
        gpu.scale_in_place(x.view_mut(), 3.0)?;
        assert!(to.iter().all(|x| *x == 2.0 * f32::from(turn)), "turn {turn}");
        // Below and above what goes through the device's own.
        for n in [1, 1000, (1 << 18) - 1, 1 << 18, N] {
            let mut back = vec![0.0f32; n];
            gpu.download(x.view().part(N - n..N)?, &mut back)?;
            assert!(back.iter().all(|x| *x == 6.0 * f32::from(turn)), "turn {turn}, {n}");
        }
    }
    let (mut bytes, mut on) = (gpu.pinned::<u8>(8)?, gpu.upload(&[7u8; 12])?);
    assert!(matches!(gpu.read_pinned(on.view().part(1..9)?, &mut bytes), Err(Error::Range { .. })));
    assert!(matches!(gpu.read_pinned(on.view(), &mut bytes), Err(Error::Call(fulmen::Error::Len { .. }))));
    gpu.read_pinned(on.view().part(4..12)?, &mut bytes)?;
    assert_eq!(bytes[..], [7; 8]);
    let mut halves = gpu.alloc_halves(N)?;
    assert!(matches!(gpu.write_pinned(&from, halves.view_mut()), Err(Error::Limit { .. })));
    let other = Gpu::new(Cuda::from_env()?);
    assert!(matches!(gpu.write_pinned(&other.pinned::<u8>(12)?, on.view_mut()), Err(Error::Foreign)));
    println!("copies from and to page-locked memory: as they came");
    Ok(())
}

fn refusals() -> Result<(), Error> {
    let none = Cuda::open("no such device", None).unwrap_err();
    assert!(
        matches!(&none, Error::NoAdapter { wanted, found } if wanted == "no such device" && !found.is_empty()),
        "{none}"
    );
    assert!(matches!(Cuda::open("999", None), Err(Error::NoAdapter { .. })));
    let gpu = Gpu::new(Cuda::from_env()?);
    let limits = gpu.device().facts().limits;
    let Err(far) = gpu.device().allocate(limits.buffer + 1) else { panic!("a buffer past the limit") };
    assert!(matches!(&far, Error::Limit { what: "bytes of a buffer", .. }), "{far}");
    // Two of nearly all there is: the second names what is left.
    let most = limits.buffer / 10 * 8;
    let kept = gpu.device().allocate(most)?;
    let Err(full) = gpu.device().allocate(most) else { panic!("twice the memory") };
    assert!(
        matches!(&full, Error::Limit { what: "bytes of free memory", asked, available, .. } if *asked == most && available < asked),
        "{full}"
    );
    drop(kept);
    drop(gpu.device().allocate(most)?);

    let x = gpu.upload(&[4.0f32, 9.0])?;
    let mut out = gpu.upload(&[7.0f32, 7.0])?;
    let mut back = [0.0; 2];
    let good = kernel("good", |b, out| b.store(Space::Global, out, 0, b.f32(1.0)));
    let buffer = gpu.device().allocate(8)?;
    gpu.device().write(&buffer, 0, &[0; 8])?;
    let bindings = [Binding { buffer: &buffer, start: 0, bytes: 8 }];
    let far = Launch { grid: [1, limits.grid[1] + 1, 1], ..good.clone() };
    // SAFETY: each block writes the first number.
    let said = unsafe { gpu.device().launch(&[good.clone(), far], &bindings) };
    assert!(matches!(said, Err(Error::Limit { what: "blocks along y", .. })), "{said:?}");
    let none = Launch { arguments: vec![], ..good };
    // SAFETY: a launch without arguments is refused.
    let said = unsafe { gpu.device().launch(&[none], &bindings) };
    assert!(matches!(said, Err(Error::Arguments { .. })), "{said:?}");
    let mut untouched = [1; 8];
    gpu.device().read_now(&buffer, 0, &mut untouched)?;
    assert_eq!(untouched, [0; 8], "nothing ran");
    for (start, bytes) in [(0, 12), (8, 4), (2, 4), (u64::MAX - 3, 8)] {
        let mut room = vec![3; bytes];
        let read = gpu.device().read_now(&buffer, start, &mut room);
        assert!(matches!(read, Err(Error::Range { available: 8, .. })), "{read:?}");
        assert!(room.iter().all(|b| *b == 3));
        assert!(matches!(gpu.device().write(&buffer, start, &room), Err(Error::Range { .. })));
    }
    let short = gpu.exp(x.view().part(0..1)?, out.view_mut());
    assert!(matches!(short, Err(Error::Call(fulmen::Error::Len { .. }))), "{short:?}");
    gpu.download(out.view(), &mut back)?;
    assert_eq!(back, [7.0; 2], "nothing was written");
    let other = Gpu::new(Cuda::from_env()?);
    assert_eq!(other.exp(x.view(), out.view_mut()), Err(Error::Foreign));
    println!("refusals: no device, limits, memory, ranges, arguments, foreign memory");
    Ok(())
}

/// A kernel that writes where nothing is ends the driver's work for this process, which every call says: the last test.
fn faults() -> Result<(), Error> {
    let gpu = Gpu::new(Cuda::from_env()?);
    let beside = Gpu::new(Cuda::from_env()?);
    let (x, y) = (gpu.upload(&[4.0f32])?, beside.upload(&[4.0f32])?);
    let mut out = gpu.alloc::<f32>(1)?;
    let far = kernel("far", |b, out| b.store(Space::Global, out + b.int::<U64>(1 << 46), 0, b.f32(1.0)));
    let buffer = gpu.device().allocate(8)?;
    // SAFETY: none, which is the test: the kernel writes to no memory, and the driver stops it before it reaches any of the host's.
    unsafe { gpu.device().launch(&[far], &[Binding { buffer: &buffer, start: 0, bytes: 8 }])? };
    let mut back = [3.0];
    let mut after = vec![gpu.download(x.view(), &mut back)];
    after.push(gpu.exp(x.view(), out.view_mut()));
    after.push(gpu.write(&[1.0], out.view_mut()));
    after.push(gpu.upload(&[0.0f32; 4000]).map(|_| ()));
    assert!(after.iter().all(|r| matches!(r, Err(Error::Lost { .. }))), "{after:?}");
    println!("a fault: {}", after[0].clone().unwrap_err());
    assert_eq!(back, [3.0], "the caller's memory is as it was");
    let beside = beside.download(y.view(), &mut back);
    assert!(matches!(beside, Err(Error::Lost { .. })), "{beside:?}");
    let again = Cuda::from_env().map(|_| ()).unwrap_err();
    assert!(matches!(&again, Error::Driver { reason, .. } if reason.contains("a new process")), "{again}");
    println!("then: {again}");
    Ok(())
}
