//! NVIDIA's driver: the story of every op, what is refused, and a kernel that faults.

use crate::{FAR, HEADS, SHAPES, device, kernel, layers, report};
use fulmen::gpu::backend::Gpu;
use fulmen::gpu::cuda::Cuda;
use fulmen::gpu::device::{Binding, Blocking, Device, Error, Launch};
use fulmen::gpu::{Space, U64};
use std::time::Instant;

/// Where there is no driver, that is what is said.
pub fn without() -> Result<(), Error> {
    match Cuda::open("", None) {
        Err(Error::Driver { device, reason }) if device == "CUDA" => println!("CUDA: {reason}"),
        Err(Error::NoAdapter { .. }) => println!("CUDA: the driver knows no device"),
        Ok(device) => println!("CUDA: {}; FULMEN_DEVICE=cuda runs on it", device.facts().name),
        Err(other) => return Err(other),
    }
    Ok(())
}

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
    let gpu = Gpu::new(device);
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
    let start = Instant::now();
    let (mut ran, mut without) = device::story::<f32, _>(&gpu, "f32", false, &sizes, &products)?;
    ran.extend(layers::story::<f32, _>(&gpu, "f32", &SHAPES, &HEADS, &FAR)?);
    let rows = [[1, 1, 1], [5, 40, 3], [6, 72, 2], [3, 136, 1]];
    ran.extend(layers::blocks::story(&gpu, &rows, &[[67, 448, 5]])?);
    // Also by one block with all its threads, and by three parts.
    let long = [&crate::LENGTHS[..], &[16384, 20_000, 1 << 18, 1 << 22]].concat();
    layers::transforms::lengths::<f32, _>(&gpu, "f32", &long, &mut ran)?;
    // Widened, and by warp groups where there are some: tiles in rounds, parts of matrices, all layouts.
    #[cfg(feature = "half")]
    ran.extend(device::half_products(
        &gpu,
        &[&crate::HALVES[..], &[[1100, 1300, 512], [700, 300, 1000]]].concat(),
    )?);
    #[cfg(feature = "half")]
    ran.push(device::half_attention(&gpu, &crate::HALF_HEADS)?);
    without.retain(|op| !ran.iter().any(|w| w.op == *op));
    let mut good = report(&ran);
    let (mut wide, _) = device::story::<f64, _>(&gpu, "f64", false, &sizes, &products)?;
    wide.extend(layers::story::<f64, _>(&gpu, "f64", &SHAPES, &HEADS, &FAR)?);
    layers::transforms::lengths::<f64, _>(&gpu, "f64", &crate::LENGTHS, &mut wide)?;
    good &= report(&wide);
    println!(
        "{} ops ran in f32 and {} in f64 in {:.1} s, {} kernels, {:?} compiled and read; on the host: {}",
        ran.len(),
        wide.len(),
        start.elapsed().as_secs_f64(),
        gpu.kernels(),
        gpu.device().modules(),
        without.join(" ")
    );
    // Nothing is compiled a second time, whatever the sizes; but kernels of transforms, which are of one length.
    layers::transforms::story::<f32, _>(&gpu, "f32", &[[6, 11]])?;
    let before = gpu.device().modules();
    device::story::<f32, _>(&gpu, "f32", true, &[(7, 130)], &[[3, 4, 5]])?;
    layers::story::<f32, _>(&gpu, "f32", &[[6, 11]], &[[5, 6]], &[9])?;
    assert_eq!(gpu.device().modules(), before, "a steady state compiles nothing");
    lists()?;
    crate::llm::run("cuda");
    faults()?;
    Ok(good)
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
    let said = gpu.device().launch(&[good.clone(), far], &bindings);
    assert!(matches!(said, Err(Error::Limit { what: "blocks along y", .. })), "{said:?}");
    let none = Launch { arguments: vec![], ..good };
    assert!(matches!(gpu.device().launch(&[none], &bindings), Err(Error::Arguments { .. })));
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
    gpu.device().launch(&[far], &[Binding { buffer: &buffer, start: 0, bytes: 8 }])?;
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
