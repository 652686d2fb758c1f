//! Products of every type and tile beside cuBLAS: checked against sums in `f64`, timed by graph replays in turn.
//!
//! `fulmen-gpu LIBCUBLAS [SIZES…]` prints CSV; with the word `chosen` the planner's tile alone, in the lines of
//! `benches/device`.

mod cublas;
mod gpu;

use cublas::Cublas;
use fulmen::gpu::template::{GroupProduct, GroupTile};
use fulmen::gpu::{Group, Type};
use gpu::{Gpu, Graph};
use std::process::ExitCode;

/// Numbers as they come from a normal distribution, by a hash of their place.
fn normal(seed: u64, len: usize) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    (0..len)
        .map(|_| {
            // Eight uniform 16-bit numbers have a variance of 2/3 of 2^32.
            let (a, b) = (next(), next());
            let parts = (0..4).map(|k| ((a >> (16 * k)) & 0xffff) as f32 + ((b >> (16 * k)) & 0xffff) as f32);
            (parts.sum::<f32>() - 8.0 * 32767.5) / (65536.0 * (8.0f32 / 12.0).sqrt())
        })
        .collect()
}

fn bytes(input: Group, x: &[f32]) -> Vec<u8> {
    let bf16 = |x: f32| ((x.to_bits() + 0x7fff + (x.to_bits() >> 16 & 1)) >> 16) as u16;
    // Ties and subnormals do not matter here: what is written is what the reference reads.
    let f16 = |x: f32| {
        let f = x.to_bits();
        let e = (f >> 23 & 255) as i32 - 112;
        if e <= 0 { 0 } else { (f >> 16 & 0x8000) as u16 | (e as u16) << 10 | (f >> 13 & 1023) as u16 }
    };
    match input {
        Group::Bf16 => x.iter().flat_map(|x| bf16(*x).to_le_bytes()).collect(),
        Group::F16 => x.iter().flat_map(|x| f16(*x).to_le_bytes()).collect(),
        _ => x.iter().flat_map(|x| x.to_le_bytes()).collect(),
    }
}

fn value(ty: Type, b: &[u8]) -> f64 {
    match *b {
        [x, y] => {
            let h = u32::from(u16::from_le_bytes([x, y]));
            if ty == Type::Bf16 {
                return f64::from(f32::from_bits(h << 16));
            }
            let (e, m) = (h >> 10 & 31, f64::from(h & 1023));
            let v = if e == 0 { m / 16_777_216.0 } else { (1.0 + m / 1024.0) * (f64::from(e) - 15.0).exp2() };
            if h & 0x8000 != 0 { -v } else { v }
        }
        [x, y, z, w] => f64::from(f32::from_le_bytes([x, y, z, w])),
        _ => f64::NAN,
    }
}

/// ‖C − want‖ / ‖want‖ over elements spread over C.
fn error(p: &GroupProduct, a: &[u8], b: &[u8], c: &[u8]) -> f64 {
    let (wi, wo) = (p.input.element().bytes() as usize, p.output.bytes() as usize);
    let ty = p.input.element();
    let at = |x: &[u8], e: usize| value(ty, &x[e * wi..(e + 1) * wi]);
    let (mut off, mut all) = (0.0, 0.0);
    for s in 0..512u64 {
        let i = (s * 7919 + s * s * 31) % u64::from(p.m);
        let j = if s % 8 == 0 {
            u64::from(p.n) - 1 - s / 8 % u64::from(p.n)
        } else {
            (s * 104_729 + 17 * s * s) % u64::from(p.n)
        };
        let want: f64 = (0..p.k as usize)
            .map(|k| at(a, i as usize * p.lda as usize + k) * at(b, j as usize * p.ldb as usize + k))
            .sum();
        let e = (i * p.ldc + j) as usize;
        let got = value(p.output, &c[e * wo..(e + 1) * wo]);
        off += (got - want).powi(2);
        all += want * want;
        if got.is_nan() {
            return f64::NAN;
        }
    }
    (off / all).sqrt()
}

fn median(mut t: Vec<f64>) -> f64 {
    t.sort_by(f64::total_cmp);
    t[t.len() / 2]
}

fn case(
    gpu: &Gpu,
    blas: &Cublas,
    (input, output): (Group, Type),
    [m, n, k]: [u32; 3],
    chosen_only: bool,
) -> Result<(), String> {
    let per = 16 / u64::from(input.element().bytes());
    let ld = u64::from(k).next_multiple_of(per);
    let p = GroupProduct {
        m,
        n,
        k,
        across: [false; 2],
        lda: ld,
        ldb: ld,
        ldc: u64::from(n),
        alpha: 1.0,
        beta: 0.0,
        input,
        output,
    };
    let seed =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(1, |t| t.as_nanos() as u64);
    let a = bytes(input, &normal(seed, (u64::from(m) * ld) as usize));
    let b = bytes(input, &normal(seed ^ 0x5555, (u64::from(n) * ld) as usize));
    let c_len = (m * n * output.bytes()) as usize;
    // Several sets of operands, so that small sizes are not read from the caches of one replay.
    let one = a.len() + b.len() + c_len;
    let sets = ((256usize << 20) / one).clamp(1, 8);
    let mut buffers = Vec::new();
    for _ in 0..sets {
        buffers.push([gpu.upload(&a)?, gpu.upload(&b)?, gpu.upload(&vec![0xff; c_len])?]);
    }
    let flops = 2.0 * f64::from(m) * f64::from(n) * f64::from(k);
    let calls = ((400e-6 * 400e12 / flops) as usize).clamp(1, 64).next_multiple_of(sets);
    let chosen = p.division(gpu.multiprocessors);
    let mut graphs: Vec<(String, Graph, [gpu::Memory; 2])> = Vec::new();
    let mut notes = Vec::new();
    let peer = gpu.graph(|stream| {
        for call in 0..calls {
            let [a, b, c] = &buffers[call % sets];
            blas.product(stream, &p, [a.at, b.at, c.at])?;
        }
        Ok(())
    })?;
    gpu.time(&peer)?;
    let wrong = error(&p, &a, &b, &gpu.download(&buffers[0][2])?);
    notes.push(format!("cublas {wrong:.1e}"));
    let all =
        GroupTile::ALL.into_iter().flat_map(|tile| [1, 2, 3, 4, 6, 8, 12, 16].map(|parts| (tile, parts)));
    for (tile, parts) in all {
        let tiles = u64::from(m.div_ceil(tile.m)) * u64::from(n.div_ceil(tile.n));
        let large = tiles * u64::from(tile.m * tile.n) > 4 * u64::from(m.max(64)) * u64::from(n.max(64));
        // Parts of two slabs and more, where there are no more blocks than twice those that run.
        let many = tiles * u64::from(parts) > 2 * u64::from(gpu.multiprocessors) || p.k < 128 * parts;
        if (tile, parts) != chosen && (chosen_only || large || parts > 1 && many) {
            continue;
        }
        for set in &buffers {
            gpu.fill(&set[2], 0xff)?;
        }
        let name = format!("{}x{}x{parts}", tile.m, tile.n);
        let launch = p.launch(tile, parts, gpu.multiprocessors).map_err(|e| e.to_string())?;
        let ready = gpu.load(&launch)?;
        let sums = gpu.upload(&vec![0; p.shared(tile, parts) as usize])?;
        let ended = gpu.upload(&vec![0; 4 * p.ended(tile) as usize])?;
        let all = |set: &[gpu::Memory; 3]| [set[0].at, set[1].at, set[2].at, sums.at, ended.at];
        let bound: Result<Vec<_>, String> = buffers.iter().map(|set| gpu.bind(&launch, &all(set))).collect();
        let bound = bound?;
        let graph = gpu.graph(|stream| {
            (0..calls).try_for_each(|call| gpu.launch(&ready, &launch, &bound[call % sets], stream))
        })?;
        gpu.time(&graph)?;
        let wrong = error(&p, &a, &b, &gpu.download(&buffers[0][2])?);
        if !(wrong < 0.01) {
            println!("# {input:?} {m}x{n}x{k} {name}: WRONG by {wrong:e}");
            continue;
        }
        notes.push(format!("{name} {wrong:.1e}"));
        graphs.push((name, graph.keep(ready, bound), [sums, ended]));
    }
    let mut times = vec![Vec::new(); graphs.len() + 1];
    for _ in 0..13 {
        times[0].push(gpu.time(&peer)? / calls as f64);
        for (at, (_, g, _)) in graphs.iter().enumerate() {
            times[at + 1].push(gpu.time(g)? / calls as f64);
        }
    }
    let peer_time = median(times[0].clone());
    let peak = match input {
        Group::Tf32 => 495e12,
        Group::E4m3 => 1979e12,
        _ => 989e12,
    };
    for (at, (name, ..)) in graphs.iter().enumerate() {
        let t = median(times[at + 1].clone());
        let mark = if *name == format!("{}x{}x{}", chosen.0.m, chosen.0.n, chosen.1) { "chosen" } else { "" };
        let share = flops / (t * 1e-6) / peak;
        if chosen_only {
            let case = format!("gemm {}, {m} x {n} x {k}", format!("{input:?}").to_lowercase());
            let rate = format!("{:.1} TFLOP/s", flops / t / 1e6);
            println!("{case:40} | fulmen | {t:10.2} µs | {rate:>12} | {share:.2}");
            println!("{case:40} | cuBLAS | {peer_time:10.2} µs");
        } else {
            println!(
                "{input:?},{output:?},{m},{n},{k},{name},{mark},{t:.2},{peer_time:.2},{:.3},{share:.3}",
                peer_time / t
            );
        }
    }
    println!("# errors: {}", notes.join(", "));
    Ok(())
}

fn run() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let library = args.next().unwrap_or_else(|| "libcublas.so".into());
    let mut words: Vec<String> = args.collect();
    let chosen = words.iter().any(|w| w == "chosen");
    words.retain(|w| w != "chosen");
    let gpu = Gpu::open()?;
    let blas = Cublas::open(&library)?;
    println!("# {}, driver {}, {} multiprocessors", gpu.name(), gpu.version(), gpu.multiprocessors);
    if !chosen {
        println!("input,output,m,n,k,tile,planner,us,cublas_us,of_cublas,of_peak");
    }
    let types = [(Group::Bf16, Type::Bf16), (Group::F16, Type::F16), (Group::Tf32, Type::F32)];
    let mut shapes: Vec<[u32; 3]> =
        [32, 64, 128, 256, 512, 1000, 1024, 1536, 2048, 4096, 8192].map(|n| [n; 3]).to_vec();
    shapes.extend([[16, 4096, 4096], [128, 4096, 4096], [4096, 4096, 128]]);
    for (input, output) in types {
        for shape in &shapes {
            let size = shape.iter().max().map(u32::to_string).unwrap_or_default();
            if !words.is_empty()
                && !words.contains(&size)
                && !words.contains(&format!("{input:?}").to_lowercase())
            {
                continue;
            }
            if let Err(why) = case(&gpu, &blas, (input, output), *shape, chosen) {
                println!("# {input:?} {shape:?}: {why}");
            }
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}
