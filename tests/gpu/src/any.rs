//! Any adapter of wgpu's: the story of every op, and what is refused.

use crate::config::Config;
use crate::gguf::Stored;
use crate::machine::{Follower, Weights};
use crate::{FAR, HEADS, LENGTHS, SHAPES, device, kernel, layers, report};
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::device::{Binding, Blocking, Device, Error, Launch};
use fulmen::gpu::wgpu::Wgpu;
use fulmen::gpu::{Approx, F32, Space, U32};
use std::collections::BTreeSet;
use std::time::Instant;

pub fn run() -> Result<bool, Error> {
    let device = Wgpu::from_env()?;
    let facts = device.facts().clone();
    println!(
        "{}: {:?}, fma rounds {}, {} cooperative matrices",
        facts.name,
        facts.limits,
        if device.fused() { "once" } else { "twice" },
        if facts.matrices { "with" } else { "without" }
    );
    refusals()?;
    powers()?;
    device::numbers(&Wgpu::from_env()?)?;
    tokens()?;
    let gpu = Gpu::new(device);
    let start = Instant::now();
    let sizes = [(3, 37), (1, 1), (5, 300), (33, 257)];
    let products =
        [[1, 1, 1], [65, 63, 17], [5, 70, 9], [33, 31, 0], [130, 65, 70], [260, 130, 20], [9, 5, 300]];
    let (mut ran, mut without) = device::story::<f32, _>(&gpu, "wgsl", false, &sizes, &products)?;
    ran.extend(layers::story::<f32, _>(&gpu, "wgsl", &SHAPES, &HEADS, &FAR)?);
    ran.extend(layers::blocks::story(&gpu, &[[5, 40, 3]], &[[2, 72, 1], [3, 136, 2]])?);
    ran.extend(layers::images::story(&gpu, "wgsl", 60, 2)?);
    layers::transforms::lengths::<f32, _>(&gpu, "wgsl", &LENGTHS, &mut ran)?;
    assert_eq!(layers::linear::nan_is_largest(&gpu)?, [2049, 70, 2051]);
    #[cfg(feature = "half")]
    ran.extend(device::low_precision_products(&gpu, [&crate::HALVES, &crate::BYTES])?);
    #[cfg(feature = "half")]
    for (batch, most) in [(1, 20_000_000), (2, 5_000_000)] {
        // No kernel here has tiles that the larger ones are for, and the reference takes half a minute for one of them.
        let few: Vec<_> = crate::HALF_HEADS
            .into_iter()
            .filter(|([heads, _, dim, n, len], _, window)| heads * dim * n * window.unwrap_or(*len) <= most)
            .collect();
        assert!(few.len() > 10, "{few:?}");
        ran.extend(device::half_attention(&gpu, batch, &few)?);
    }
    #[cfg(feature = "half")]
    {
        crate::shared::endings::ended_products(&gpu, &[[5, 7, 9], [33, 36, 20], [34, 17, 65]]);
        crate::shared::endings::ended_floats::<f32, _>(&gpu, &[[33, 36, 20], [34, 17, 65]]);
        crate::shared::endings::ended_bytes(&gpu, &[[5, 7, 9], [33, 36, 20], [34, 17, 65]]);
    }
    without.retain(|op| !ran.iter().any(|w| w.op == *op));
    crate::llm::run("wgpu");
    // An op of several calls is one.
    let names: BTreeSet<_> = ran.iter().map(|w| w.op).collect();
    println!(
        "{} ops ran in {:.1} s ({} kernels, {} pipelines); on the host: {}",
        names.len(),
        start.elapsed().as_secs_f64(),
        gpu.kernels(),
        gpu.device().pipelines(),
        without.join(" ")
    );
    Ok(report(&ran))
}

/// Powers of two, which WGSL's kernels make by a polynomial of their own: as near as it says, and 0 from where numbers are
/// subnormal.
fn powers() -> Result<(), Error> {
    const MANY: usize = 4096;
    let gpu = Gpu::new(Wgpu::from_env()?);
    let kernel = kernel("powers", |b, all| {
        b.count::<U32, U32>([b.int(0), b.int(MANY as i64), b.int(1)], 1, &[], |i, _| {
            let at = all + i.wide(b.int(4));
            b.store(Space::Global, at, 0, b.load::<F32>(Space::Global, at, 0).approx(Approx::Ex2));
            Vec::new()
        });
    });
    let mut x: Vec<f32> = (0..MANY).map(|i| i as f32 * 225.0 / MANY as f32 - 125.0).collect();
    x[..4].copy_from_slice(&[f32::NEG_INFINITY, -1e30, -127.5, -127.0]);
    let buffer = gpu.device().allocate(4 * MANY as u64)?;
    let bytes: Vec<u8> = x.iter().flat_map(|x| x.to_le_bytes()).collect();
    gpu.device().write(&buffer, 0, &bytes)?;
    let bindings = [Binding { buffer: &buffer, start: 0, bytes: bytes.len() as u64 }];
    // SAFETY: the kernel touches as many numbers as there are.
    unsafe { gpu.device().launch(&[kernel], &bindings)? };
    let mut back = vec![0; bytes.len()];
    gpu.device().read_now(&buffer, 0, &mut back)?;
    for (x, got) in x.iter().zip(back.as_chunks::<4>().0) {
        let got = f64::from(f32::from_le_bytes(*got));
        let want = if *x <= -127.0 { 0.0 } else { f64::from(*x).exp2() };
        assert!((got - want).abs() <= want / f64::from(1 << 22), "2^{x} is {got:e}, not {want:e}");
    }
    println!("powers of two: as near as their polynomial");
    Ok(())
}

/// A token that the program `llm` follows is one submission: the ids, every op, the logits and the status words together.
fn tokens() -> Result<(), Error> {
    let gpu = Gpu::new(Wgpu::from_env()?);
    let c = Config {
        vocab: 40,
        dim: 24,
        layers: 2,
        heads: 4,
        kv_heads: 2,
        hidden: 40,
        context: 12,
        ..Config::default()
    };
    let numbers = (0..c.parameters()).map(|i| (i % 31) as f32 / 31.0 - 0.5).collect();
    let weights = Weights::new(&gpu, Stored::of(&c, numbers)).expect("a small model");
    let mut follower = Follower::new(gpu.clone(), c, &weights, 4).expect("a small model");
    follower.feed(&[1, 2, 3]).expect("three tokens");
    for token in 4..12 {
        let before = gpu.device().submissions();
        follower.feed(&[token]).expect("a token");
        assert_eq!(gpu.device().submissions() - before, 1, "submissions of a token");
    }
    println!("llm: one submission for each token");
    Ok(())
}

/// What must be refused is, with its name, and the device goes on.
fn refusals() -> Result<(), Error> {
    let none = Wgpu::open("no such adapter").unwrap_err();
    assert!(
        matches!(&none, Error::NoAdapter { wanted, found } if wanted == "no such adapter" && !found.is_empty()),
        "{none}"
    );
    assert!(matches!(Wgpu::open("999"), Err(Error::NoAdapter { .. })));

    let gpu = Gpu::new(Wgpu::from_env()?);
    let limits = gpu.device().facts().limits;
    let Err(far) = gpu.device().allocate(limits.buffer + 1) else { panic!("a buffer past the limit") };
    assert!(
        matches!(&far, Error::Limit { what: "bytes of a buffer", asked, .. } if *asked == limits.buffer + 1),
        "{far}"
    );

    let x = gpu.upload(&[4.0f32, 9.0])?;
    let mut out = gpu.upload(&[7.0f32, 7.0])?;
    let mut back = [0.0; 2];
    // A kernel that WGSL cannot say, and one that has f64, behind one that can run: neither runs.
    let good = kernel("good", |b, out| b.store(Space::Global, out, 0, b.f32(1.0)));
    let wide = kernel("wide", |b, out| b.store(Space::Global, out, 0, b.f64(1.0)));
    let bits = kernel("bits", |b, out| b.store(Space::Global, out, 0, b.int::<U32>(3).popc()));
    let buffer = gpu.device().allocate(8)?;
    gpu.device().write(&buffer, 0, &[0; 8])?;
    let bindings = [Binding { buffer: &buffer, start: 0, bytes: 8 }];
    for bad in [wide, bits] {
        // SAFETY: each kernel writes the first number.
        let said = unsafe { gpu.device().launch(&[good.clone(), bad], &bindings) }.unwrap_err();
        assert!(matches!(said, Error::Refused { .. }), "{said}");
    }
    let mut untouched = [1; 8];
    gpu.device().read_now(&buffer, 0, &mut untouched)?;
    assert_eq!(untouched, [0; 8], "nothing ran");
    let far = Launch { grid: [limits.grid[0] + 1, 1, 1], ..good };
    // SAFETY: each block writes the first number.
    let said = unsafe { gpu.device().launch(&[far], &bindings) };
    assert!(matches!(said, Err(Error::Limit { what: "blocks along x", .. })), "{said:?}");
    let short = gpu.exp(x.view().part(0..1)?, out.view_mut());
    assert!(matches!(short, Err(Error::Call(fulmen::Error::Len { .. }))), "{short:?}");
    gpu.download(out.view(), &mut back)?;
    assert_eq!(back, [7.0; 2], "nothing was written");

    // One kernel, one pipeline, for every parameter; many launches before one read.
    gpu.sqrt(x.view(), out.view_mut())?;
    let before = gpu.device().pipelines();
    for k in 0..1000 {
        gpu.scale_in_place(out.view_mut(), if k % 2 == 0 { 2.0 } else { 0.5 })?;
    }
    gpu.download(out.view(), &mut back)?;
    assert_eq!((back, gpu.device().pipelines()), ([2.0, 3.0], before + 1));

    // Another device's memory, then the loss of this one; a new one can be made.
    let other = Gpu::new(Wgpu::from_env()?);
    assert_eq!(other.exp(x.view(), out.view_mut()), Err(Error::Foreign));
    gpu.device().destroy();
    let lost = [
        gpu.exp(x.view(), out.view_mut()),
        gpu.download(x.view(), &mut back),
        gpu.write(&[1.0, 1.0], out.view_mut()),
        gpu.upload(&[0.0f32; 4000]).map(|_| ()),
    ];
    assert!(lost.iter().all(|r| matches!(r, Err(Error::Lost { .. }))), "{lost:?}");
    assert_eq!(back, [2.0, 3.0], "the caller's memory is as it was");
    let again = other.upload(&[1.0f32])?;
    other.download(again.view(), &mut back[..1])?;
    assert_eq!(back[0], 1.0);
    println!("refusals: no adapter, limits, kernels, foreign memory, loss");
    Ok(())
}
