//! Facts about machines and the tiles made from them: against published results, against SWI-Prolog on the same
//! facts, against what the driver of a real machine says, and for machines that do not exist.

use fulmen::hardware::*;
use proptest::prelude::*;
use std::fmt::Write as _;

fn gpu(name: &str) -> &'static Gpu {
    target(name).unwrap().gpu().unwrap()
}

/// The reference rule on the two machines for which its results were published.
#[test]
fn published_tiles() {
    let p4 = reference_tile(target("sm_61").unwrap(), false).unwrap();
    assert_eq!([p4.m, p4.n, p4.k], [32, 32, 128]);
    let bytes = p4.shared_bytes(Form::Gemm, Scalar::F32, 32).unwrap();
    assert_eq!((bytes, gpu("sm_61").shared_memory_per_block_max), (32 << 10, 48 << 10));
    assert_eq!((f64::from(bytes) / f64::from(48 << 10) * 100.0).round(), 67.0);
    assert_eq!(arithmetic_intensity(&p4, Scalar::F32), Ok(7111));

    let a100 = reference_tile(target("sm_80").unwrap(), true).unwrap();
    assert_eq!([a100.m, a100.n, a100.k], [64, 64, 64]);
    let bytes = a100.shared_bytes(Form::Gemm, Scalar::F32, 32).unwrap();
    let optin = gpu("sm_80").shared_memory_per_block_optin.unwrap();
    assert_eq!((bytes, optin), (32 << 10, 163 << 10));
    assert_eq!(bytes * 100 / optin, 19);
    let twice = Tile { stages: 2, ..a100 };
    let double = check_tile(target("sm_80").unwrap(), Form::Gemm, Scalar::F32, &twice).unwrap();
    assert_eq!(double.shared_bytes, 64 << 10);
    assert!(double.optin, "double buffering needs the memory that is asked for");
}

/// The published rule needs what it asks for.
#[test]
fn reference_rule_refuses() {
    let cpu = target("x86_64_v4").unwrap();
    assert_eq!(reference_tile(cpu, false), Err(PlanError::WrongDevice { expected: "GPU" }));
    assert!(matches!(reference_tile(target("sm_61").unwrap(), true), Err(PlanError::WrongDevice { .. })));
    let mut small = *target("sm_61").unwrap();
    let Device::Gpu(gpu) = &mut small.device else { panic!() };
    gpu.shared_memory_per_block_max = 32 * 2 * 32 * 4 - 1;
    assert_eq!(reference_tile(&small, false), Err(PlanError::NoTile { limit: Limit::SharedMemory }));
    let Device::Gpu(gpu) = &mut small.device else { panic!() };
    gpu.warp_size = 0;
    assert_eq!(reference_tile(&small, false), Err(PlanError::Domain { arg: "warp_size" }));
}

fn line(target: &Target, form: Form, scalar: Scalar) -> String {
    let name = format!("{} {} {}", target.name, form.name(), scalar.name());
    let Ok(c) = optimal_tile(target, form, scalar) else { return format!("{name} none") };
    let Tile { m, n, k, per_thread: [rows, cols], stages } = c.tile;
    let blocks = c.occupancy.map_or(0, |o| o.blocks);
    format!("{name} {m} {n} {k} {rows} {cols} {stages} {} {blocks}", c.shared_bytes)
}

/// Every tile, said by the crate.
fn tiles(targets: &[Target]) -> String {
    let mut out = String::new();
    for t in targets {
        for form in Form::ALL {
            for scalar in Scalar::ALL {
                writeln!(out, "{}", line(t, form, scalar)).unwrap();
            }
        }
    }
    for t in targets {
        for (mode, optin) in [("default", false), ("optin", true)] {
            if let Ok(tile) = reference_tile(t, optin) {
                writeln!(out, "{} reference {mode} {} {} {}", t.name, tile.m, tile.n, tile.k).unwrap();
            }
        }
    }
    out
}

/// SWI-Prolog loads the facts as they are and derives the same tiles by rules of its own.
#[cfg(target_arch = "x86_64")]
#[test]
fn prolog_agrees() {
    let root = common::ROOT;
    let load = format!("consult(['{root}/src/hardware/facts.pl', '{root}/tests/devices/hardware/tiles.pl'])");
    let run =
        std::process::Command::new("swipl").args(["-q", "-g", &load, "-g", "report", "-t", "halt"]).output();
    let out = match run {
        Ok(out) => out,
        Err(e) => {
            assert!(std::env::var("FULMEN_STRICT").is_err(), "swipl cannot be run: {e}");
            println!("skipped Prolog: swipl cannot be run ({e}); apt-get install swi-prolog-nox");
            return;
        }
    };
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && errors.is_empty(), "swipl: {errors}");
    let theirs = String::from_utf8(out.stdout).unwrap();
    let ours = tiles(&TARGETS);
    for (ours, theirs) in ours.lines().zip(theirs.lines()) {
        assert_eq!(ours, theirs, "the crate, then Prolog");
    }
    assert_eq!(ours.lines().count(), theirs.lines().count());
    assert!(ours.lines().count() > 20 * Form::ALL.len() * Scalar::ALL.len());
}

/// A fact text with one change, and what the reader says about it.
#[test]
fn bad_facts_are_named_with_their_line() {
    use FactErrorKind::*;
    const GOOD: &str = "% a machine\nhardware_target(t).\nhw_language(t, wgsl).\nhw_warp_size(t, 32).\nhw_threads_per_block_max(t, 256).\nhw_grid_x_max(t, 65535).\nhw_grid_y_max(t, 65535).\nhw_shared_memory_per_block_max(t, 16384).\nhw_supports_tensor_cores(t, false).\n";
    const { core::assert!(count(GOOD) == 1) };
    parse::<1>(GOOD).unwrap();
    let changed = |from: &str, to: &str| -> &'static str {
        assert!(GOOD.contains(from), "{from}");
        GOOD.replacen(from, to, 1).leak()
    };
    let more = |line: &str| -> &'static str { format!("{GOOD}{line}\n").leak() };
    for (text, line, kind) in [
        (changed("hw_warp_size(t, 32).", "hw_warp_size(t, 32)"), 4, Syntax),
        (changed("hw_warp_size(t, 32).", "hw_warp_size t, 32)."), 4, Syntax),
        (changed("hw_warp_size(t, 32).", "hw_warp_size(t)."), 4, Syntax),
        (changed("hw_warp_size(t, 32).", "hw_warp_size(T, 32)."), 4, Syntax),
        (changed("hw_warp_size(t, 32).", "hw_warp_size(t, 0)."), 4, Value),
        (changed("hw_warp_size(t, 32).", "hw_warp_size(t, -32)."), 4, Value),
        (changed("hw_warp_size(t, 32).", "hw_warp_size(t, 32.5)."), 4, Value),
        (changed("hw_warp_size(t, 32).", "hw_warp_size(t, 4294967296)."), 4, Value),
        (changed("hw_warp_size(t, 32).", "hw_warp_size(t, 99999999999999999999999)."), 4, Value),
        (changed("hw_warp_size(t, 32).", "hw_warp_size(t, many)."), 4, Value),
        (changed("hw_warp_size(t, 32).", "hw_warp_sise(t, 32)."), 4, UnknownPredicate),
        (changed("hw_warp_size(t, 32).", "hw_warp_size(u, 32)."), 4, UnknownTarget),
        (changed("hw_warp_size(t, 32).", ""), 2, Missing("hw_warp_size")),
        (changed("hw_warp_size(t, 32).", "hw_warp_size('t, 32)."), 4, Syntax),
        (changed("hw_warp_size(t, 32).", "hw_warp_size('', 32)."), 4, Syntax),
        (changed("hw_warp_size(t, 32).", "hw_warp_size(t, '32)."), 4, Syntax),
        (changed("hw_warp_size(t, 32).", "hw_warp_size(t, 'many')."), 4, Value),
        (changed("hw_warp_size(t, 32).", "hw_warp_size('\nt', 32)."), 4, Syntax),
        (changed("hw_language(t, wgsl).", "hw_language(t, cobol)."), 3, Value),
        (changed("hw_language(t, wgsl).", "hw_language(t, ptx)."), 2, Missing("hw_compute_capability")),
        (changed("hw_language(t, wgsl).", "hw_language(t, rust)."), 2, Missing("hw_isa")),
        (
            changed("hw_warp_size(t, 32).", "hw_warp_size(t, 33)."),
            2,
            Contradiction("hw_threads_per_block_max"),
        ),
        (more("hw_warp_size(t, 32)."), 10, Duplicate),
        (more("hardware_target(t)."), 10, Duplicate),
        (more("hw_threads_per_sm_max(t, 128)."), 2, Contradiction("hw_threads_per_sm_max")),
        (
            more("hw_shared_memory_per_block_optin(t, 16383)."),
            2,
            Contradiction("hw_shared_memory_per_block_optin"),
        ),
        (more("hw_shared_memory_per_sm(t, 16383)."), 2, Contradiction("hw_shared_memory_per_sm")),
        (more("hw_isa(t, neon)."), 2, Contradiction("hw_isa")),
        (more("hw_compute_capability(t, 8.65)."), 2, Contradiction("hw_compute_capability")),
        (more("hw_fp32_flops_tflops(t, 1.2345)."), 10, Value),
        (
            more("hw_tensor_core_shapes(t, f16, [mma_shape(16, 16, 16)])."),
            2,
            Contradiction("hw_supports_tensor_cores"),
        ),
        (more("hw_tensor_core_shapes(t, f17, [mma_shape(16, 16, 16)])."), 10, Value),
        (more("hw_tensor_core_shapes(t, f16, [mma_shape(16, 16)])."), 10, Syntax),
        (more("hw_tensor_core_shapes(t, f16, [])."), 10, Syntax),
        (more("hw_tensor_core_shapes(t, f16, [mma_shape(16, 16, 16)"), 11, Syntax),
        (more("hw_sm_count(t"), 11, Syntax),
        (more("?"), 10, Syntax),
    ] {
        assert_eq!(parse::<1>(text), Err(FactError { line, kind }), "{text}");
    }
    assert!(matches!(parse::<0>(GOOD), Err(FactError { line: 2, kind: Capacity })));
    assert!(matches!(parse::<2>(GOOD), Err(FactError { kind: Capacity, .. })));
    let shapes = vec!["mma_shape(8, 8, 8)"; 13].join(", ");
    let crowded = more(&format!("hw_tensor_core_shapes(t, f16, [{shapes}])."));
    assert_eq!(parse::<1>(crowded), Err(FactError { line: 10, kind: Capacity }));
    let said = parse::<1>(changed("hw_warp_size(t, 32).", "")).unwrap_err().to_string();
    assert_eq!(said, "line 2: the target lacks the fact hw_warp_size");
}

/// Facts as they are published: versions between quotes, no language, no grid, and tensor cores of unknown shapes.
#[test]
fn published_facts_are_enough() {
    const SEED: &str = "hardware_target(p4).\nhw_compute_capability(p4, '6.1').\nhw_warp_size(p4, 32).\nhw_threads_per_block_max(p4, 1024).\nhw_shared_memory_per_block_max(p4, 49152).\nhw_supports_tensor_cores(p4, false).\nhardware_target('cdna-2').\nhw_warp_size('cdna-2', 64).\nhw_threads_per_block_max('cdna-2', 1024).\nhw_shared_memory_per_block_max('cdna-2', 65536).\nhw_sm_count('cdna-2', 220).\nhw_supports_tensor_cores('cdna-2', true).\nhardware_target(core).\nhw_isa(core, 'avx2').\nhw_vector_bits(core, 256).\nhw_vector_registers(core, 16).\nhw_supports_fma(core, true).\n";
    const { core::assert!(count(SEED) == 3) };
    let [p4, cdna2, core] = parse::<3>(SEED).unwrap();
    assert_eq!((p4.language, p4.gpu().unwrap().compute_capability), (Language::Ptx, Some([6, 1])));
    assert_eq!((cdna2.name, cdna2.language, core.language), ("cdna-2", Language::Wgsl, Language::Rust));
    let g = cdna2.gpu().unwrap();
    assert!(g.tensor_cores && g.shapes.is_empty() && g.grid_max == [65535; 2]);
    for t in [p4, cdna2, core] {
        for form in Form::ALL {
            let choice = optimal_tile(&t, form, Scalar::F32).unwrap();
            assert!(!choice.tensor_cores, "{choice:?}");
        }
    }
}

/// What the reader makes of the file, read a second time with nothing but string functions.
#[test]
fn table_is_the_file() {
    let mut facts = 0;
    for l in FACTS.lines().filter(|l| l.starts_with("hw_") || l.starts_with("hardware_target")) {
        let (predicate, rest) = l.split_once('(').unwrap();
        let (name, value) = rest.trim_end_matches(").").split_once(", ").unwrap_or((rest, ""));
        let t = target(name.trim_end_matches(").")).unwrap();
        let number = value.parse::<f64>().ok();
        let whole = number.map(|v| v as u32);
        let thousandths = number.map(|v| (v * 1000.0).round() as u64);
        facts += 1;
        let same = match (predicate, &t.device) {
            ("hardware_target", _) => value.is_empty() && t.is(t.name),
            ("hw_language", _) => {
                value
                    == match t.language {
                        Language::Ptx => "ptx",
                        Language::Wgsl => "wgsl",
                        Language::Rust => "rust",
                    }
            }
            ("hw_compute_capability", Device::Gpu(g)) => {
                g.compute_capability.map(|[a, b]| format!("{a}.{b}")).as_deref() == Some(value)
            }
            ("hw_warp_size", Device::Gpu(g)) => whole == Some(g.warp_size),
            ("hw_threads_per_block_max", Device::Gpu(g)) => whole == Some(g.threads_per_block_max),
            ("hw_threads_per_sm_max", Device::Gpu(g)) => whole == g.threads_per_sm_max,
            ("hw_blocks_per_sm_max", Device::Gpu(g)) => whole == g.blocks_per_sm_max,
            ("hw_grid_x_max", Device::Gpu(g)) => whole == Some(g.grid_max[0]),
            ("hw_grid_y_max", Device::Gpu(g)) => whole == Some(g.grid_max[1]),
            ("hw_shared_memory_per_block_max", Device::Gpu(g)) => {
                whole == Some(g.shared_memory_per_block_max)
            }
            ("hw_shared_memory_per_block_optin", Device::Gpu(g)) => whole == g.shared_memory_per_block_optin,
            ("hw_shared_memory_per_sm", Device::Gpu(g)) => whole == g.shared_memory_per_sm,
            ("hw_shared_memory_reserved_per_block", Device::Gpu(g)) => {
                whole == Some(g.shared_memory_reserved_per_block)
            }
            ("hw_registers_per_sm", Device::Gpu(g)) => whole == g.registers_per_sm,
            ("hw_registers_per_thread_max", Device::Gpu(g)) => whole == g.registers_per_thread_max,
            ("hw_register_allocation_unit", Device::Gpu(g)) => whole == g.register_allocation_unit,
            ("hw_warp_allocation_unit", Device::Gpu(g)) => whole == g.warp_allocation_unit,
            ("hw_shared_memory_allocation_unit", Device::Gpu(g)) => whole == g.shared_memory_allocation_unit,
            ("hw_sm_count", Device::Gpu(g)) => whole == g.sm_count,
            ("hw_memory_bandwidth_gb_s", Device::Gpu(g)) => thousandths == g.memory_mb_s,
            ("hw_fp32_flops_tflops", Device::Gpu(g)) => thousandths == g.fp32_gflops,
            ("hw_fp16_flops_tflops", Device::Gpu(g)) => thousandths == g.fp16_gflops,
            ("hw_supports_tensor_cores", Device::Gpu(g)) => value == g.tensor_cores.to_string(),
            ("hw_tensor_core_shapes", Device::Gpu(g)) => {
                let (scalar, _) = value.split_once(", ").unwrap();
                let shapes = g.shapes.iter().filter(|s| s.scalar.name() == scalar);
                let said: Vec<_> = shapes.map(|s| format!("mma_shape({}, {}, {})", s.m, s.n, s.k)).collect();
                value == format!("{scalar}, [{}]", said.join(", "))
            }
            ("hw_isa", Device::Cpu(c)) => value == format!("{:?}", c.isa).to_lowercase(),
            ("hw_vector_bits", Device::Cpu(c)) => whole == Some(c.vector_bits),
            ("hw_vector_registers", Device::Cpu(c)) => whole == Some(c.vector_registers),
            ("hw_supports_fma", Device::Cpu(c)) => value == c.fma.to_string(),
            ("hw_fma_pipes", Device::Cpu(c)) => whole == c.fma_pipes,
            ("hw_fma_latency", Device::Cpu(c)) => whole == c.fma_latency,
            ("hw_l1_data_cache", Device::Cpu(c)) => whole == c.l1_data_cache,
            ("hw_l2_cache", Device::Cpu(c)) => whole == c.l2_cache,
            ("hw_cache_line", Device::Cpu(c)) => whole == c.cache_line,
            _ => false,
        };
        assert!(same, "{l}: {t:?}");
    }
    assert!(facts > 300, "{facts}");
    assert!(target("sm_1").is_none());
}

/// A tile is within every limit that the facts know, by sums of the test's own.
fn fits(t: &Target, c: &Choice) {
    let g = t.gpu().unwrap();
    let Tile { m, n, k, per_thread: [rows, cols], stages } = c.tile;
    assert_eq!((m % rows, n % cols), (0, 0), "{c:?}");
    let threads = (m / rows) * (n / cols);
    assert!(
        threads == c.threads && threads % g.warp_size == 0 && threads <= g.threads_per_block_max,
        "{c:?}"
    );
    if c.form == Form::Gemm {
        assert_eq!(c.shared_bytes, stages * (m + n) * k * c.scalar.bytes());
    }
    assert!(
        c.shared_bytes <= g.shared_memory_per_block_optin.unwrap_or(g.shared_memory_per_block_max),
        "{c:?}"
    );
    assert_eq!(c.optin, c.shared_bytes > g.shared_memory_per_block_max);
    let o = c.occupancy.unwrap();
    assert!(o.blocks >= 1 && o.warps == o.blocks * (threads / g.warp_size), "{c:?}");
    let within = |limit: Option<u32>, used: u32| assert!(limit.is_none_or(|l| used <= l), "{c:?}");
    within(g.threads_per_sm_max, o.blocks * threads);
    within(g.blocks_per_sm_max, o.blocks);
    within(g.shared_memory_per_sm, o.blocks * (c.shared_bytes + g.shared_memory_reserved_per_block));
    within(g.registers_per_sm, o.blocks * threads * c.registers);
    within(g.registers_per_thread_max, c.registers);
    assert!(o.percent().is_none_or(|p| p <= 100), "{c:?}");
    if c.tensor_cores {
        let whole = |s: &MmaShape| s.scalar == c.scalar && m % s.m == 0 && n % s.n == 0 && k % s.k == 0;
        assert!(g.shapes.iter().any(whole), "{c:?}");
    }
}

#[test]
fn every_tile_fits_its_target() {
    for t in TARGETS.iter().filter(|t| t.gpu().is_some()) {
        for form in Form::ALL {
            for scalar in Scalar::ALL {
                let c = optimal_tile(t, form, scalar).unwrap();
                fits(t, &c);
                assert_eq!(check_tile(t, form, scalar, &c.tile), Ok(c));
            }
        }
    }
}

/// The driver's own figures (cuOccupancyMaxActiveBlocksPerMultiprocessor on an H200, kernels of ten register counts).
#[test]
fn occupancy_is_what_the_driver_says() {
    let mut rows = 0;
    for l in include_str!("../golden/occupancy_h200.csv").lines().skip(1) {
        let v: Vec<u32> = l.split(',').map(|v| v.parse().unwrap()).collect();
        let [registers, threads, shared, blocks] = v[..] else { panic!("{l}") };
        let ours = occupancy(gpu("sm_90"), threads, registers, shared).map_or(0, |o| o.blocks);
        assert_eq!(ours, blocks, "{registers} registers, {threads} threads, {shared} bytes");
        rows += 1;
    }
    assert!(rows > 1500, "{rows}");
}

/// Facts of a machine that does not exist.
fn facts_of(v: &[u32; 12], tensor: bool) -> &'static str {
    let [warp, warps, more, blocks, shared, optin, sm, reserved, registers, each, bandwidth, rate] = *v;
    let warp = 1 << (3 + warp % 4);
    let threads = warp * (1 + warps % 32);
    let shared = 1 + shared % 100_000;
    let optin = shared + optin % 200_000;
    let mut text = format!(
        "hardware_target(made).\nhw_language(made, ptx).\nhw_compute_capability(made, 8.0).\nhw_warp_size(made, {warp}).\n\
         hw_threads_per_block_max(made, {threads}).\nhw_grid_x_max(made, 65535).\nhw_grid_y_max(made, 65535).\n\
         hw_shared_memory_per_block_max(made, {shared}).\nhw_shared_memory_per_block_optin(made, {optin}).\n\
         hw_shared_memory_per_sm(made, {}).\nhw_shared_memory_reserved_per_block(made, {}).\n\
         hw_threads_per_sm_max(made, {}).\nhw_blocks_per_sm_max(made, {}).\nhw_supports_tensor_cores(made, {tensor}).\n",
        optin + 1 + reserved % 2048 + sm % 100_000,
        1 + reserved % 2048,
        threads + warp * (more % 64),
        1 + blocks % 40,
    );
    if registers % 5 > 0 {
        writeln!(text, "hw_registers_per_sm(made, {}).", 1 + registers % 200_000).unwrap();
        writeln!(text, "hw_registers_per_thread_max(made, {}).", 1 + each % 512).unwrap();
        writeln!(text, "hw_register_allocation_unit(made, {}).", 1 + each % 700).unwrap();
        writeln!(text, "hw_warp_allocation_unit(made, {}).", 1 + each % 6).unwrap();
        writeln!(text, "hw_shared_memory_allocation_unit(made, {}).", 1 + each % 600).unwrap();
    }
    if rate % 4 > 0 {
        writeln!(text, "hw_memory_bandwidth_gb_s(made, {}).", 1 + bandwidth % 9000).unwrap();
        writeln!(text, "hw_fp32_flops_tflops(made, {}.{}).", 1 + rate % 99, rate % 10).unwrap();
    }
    if tensor {
        text += "hw_tensor_core_shapes(made, f16, [mma_shape(16, 16, 16), mma_shape(64, 256, 32)]).\n";
    }
    text.leak()
}

fn any_scalar() -> impl Strategy<Value = Scalar> {
    (0..Scalar::ALL.len()).prop_map(|i| Scalar::ALL[i])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the machine, a tile fits or is refused by name.
    #[test]
    fn no_machine_gets_a_tile_that_does_not_fit(v in any::<[u32; 12]>(), tensor: bool, scalar in any_scalar()) {
        let [t] = parse::<1>(facts_of(&v, tensor)).unwrap();
        for form in Form::ALL {
            match optimal_tile(&t, form, scalar) {
                Ok(c) => fits(&t, &c),
                Err(e) => prop_assert!(matches!(e, PlanError::NoTile { .. }), "{e:?}"),
            }
        }
        if let Ok(tile) = reference_tile(&t, true) {
            let bytes = tile.shared_bytes(Form::Gemm, Scalar::F32, 32).unwrap();
            prop_assert!(bytes <= t.gpu().unwrap().shared_memory() && tile.k % t.gpu().unwrap().warp_size == 0);
        }
    }

    /// Any numbers at all: an answer or a named error, never a panic.
    #[test]
    fn any_tile_is_judged(v in any::<[u32; 6]>(), small: bool, scalar in any_scalar()) {
        common::compared::add(1);
        let v = if small { v.map(|x| x % 300) } else { v };
        let [m, n, k, rows, cols, stages] = v;
        let tile = Tile { m, n, k, per_thread: [rows, cols], stages };
        for t in &TARGETS {
            for form in Form::ALL {
                if let Ok(c) = check_tile(t, form, scalar, &tile) {
                    fits(t, &c);
                }
            }
        }
        if let Ok(i) = arithmetic_intensity(&tile, scalar) {
            let [m, n, k] = [m, n, k].map(f64::from);
            let want = 2000.0 * m * n * k / ((m * k + k * n + m * n) * f64::from(scalar.bytes()));
            prop_assert!((i as f64 - want).abs() <= 1.0 + want * 1e-12, "{i} {want}");
        } else {
            prop_assert!([m, n, k].iter().filter(|&&x| x == 0).count() >= 2, "{tile:?}");
        }
        let Ok([t]) = parse::<1>(facts_of(&[m; 12], false)) else { unreachable!() };
        let mut odd = t;
        if let Device::Gpu(g) = &mut odd.device {
            (g.warp_size, g.register_allocation_unit, g.shared_memory_reserved_per_block) = (n, Some(k), rows);
            (g.registers_per_sm, g.threads_per_sm_max) = (Some(cols), Some(stages));
        }
        let _ = (optimal_tile(&odd, Form::Gemm, scalar), reference_tile(&odd, small));
        let _ = check_tile(&odd, Form::Reduce, scalar, &tile);
    }

    /// Text that is no fact: an error or a table, never a panic or an endless loop.
    #[test]
    fn any_text_is_read(lines in prop::collection::vec("[a-z_0-9(), .%:\\[\\]\n-]{0,40}", 0..8)) {
        common::compared::add(1);
        let text: &'static str = format!("{FACTS}{}", lines.join("\n")).leak();
        let _ = parse::<{ TARGETS.len() }>(text);
        let _ = count(text);
        let alone: &'static str = lines.join("\n").leak();
        if parse::<1>(alone).is_ok() {
            prop_assert_eq!(count(alone), 1);
        }
    }
}

/// The map of a tile reaches each element once, and its inverse takes it back: every tile that the model tries, and
/// every small one.
#[test]
fn tile_maps_are_bijections() {
    let check = |tile: Tile| {
        let [rows, cols] = tile.per_thread;
        let mut seen = vec![false; (tile.m * tile.n) as usize];
        for thread in 0..tile.threads().unwrap() {
            for i in 0..rows * cols {
                let [row, col] = tile.element(thread, i).unwrap();
                assert_eq!(tile.owner([row, col]), Some([thread, i]), "{tile:?}");
                let place = &mut seen[(row * tile.n + col) as usize];
                assert!(!*place, "{tile:?} meets {row} {col} twice");
                *place = true;
            }
        }
        assert!(seen.iter().all(|&s| s), "{tile:?}");
        assert_eq!(tile.element(tile.threads().unwrap(), 0), None);
        assert_eq!(tile.element(0, rows * cols), None);
        assert_eq!((tile.owner([tile.m, 0]), tile.owner([0, tile.n])), (None, None));
    };
    for t in &TARGETS {
        for form in Form::ALL {
            check(optimal_tile(t, form, Scalar::F32).unwrap().tile);
        }
    }
    for rows in 1..=4 {
        for cols in 1..=4 {
            for (down, across) in [(1, 1), (1, 5), (3, 2), (4, 4), (7, 1)] {
                let per_thread = [rows, cols];
                check(Tile { m: rows * down, n: cols * across, k: 1, per_thread, stages: 1 });
            }
        }
    }
    let none = Tile { m: 4, n: 4, k: 1, per_thread: [0, 0], stages: 1 };
    assert_eq!((none.element(0, 0), none.owner([0, 0])), (None, None));
}

#[test]
fn tiles_that_do_not_fit_are_refused_by_name() {
    let p4 = target("sm_61").unwrap();
    let judge = |tile: Tile| check_tile(p4, Form::Gemm, Scalar::F32, &tile).unwrap_err();
    let good = Tile { m: 64, n: 64, k: 16, per_thread: [8, 8], stages: 1 };
    assert!(check_tile(p4, Form::Gemm, Scalar::F32, &good).is_ok());
    let shared = |needed| PlanError::DoesNotFit { limit: Limit::SharedMemory, needed, available: 49152 };
    assert_eq!(judge(Tile { k: 128, ..good }), shared(65536));
    assert_eq!(judge(Tile { m: 63, ..good }), PlanError::Domain { arg: "m" });
    assert_eq!(judge(Tile { per_thread: [8, 0], ..good }), PlanError::Domain { arg: "n" });
    assert_eq!(judge(Tile { per_thread: [64, 64], ..good }), PlanError::Domain { arg: "threads" });
    assert_eq!(judge(Tile { k: u32::MAX, ..good }), PlanError::Overflow { arg: "shared" });
    assert_eq!(
        judge(Tile { m: 1 << 31, per_thread: [1, 1], ..good }),
        PlanError::Overflow { arg: "threads" }
    );
    let threads = PlanError::DoesNotFit { limit: Limit::Threads, needed: 4096, available: 1024 };
    assert_eq!(judge(Tile { per_thread: [1, 1], ..good }), threads);
    let registers = PlanError::DoesNotFit { limit: Limit::Registers, needed: 352, available: 255 };
    assert_eq!(judge(Tile { m: 128, n: 64, per_thread: [16, 16], ..good }), registers);
    let volta = target("sm_70").unwrap();
    let odd = Tile { k: 8, ..good };
    let refused = check_tile(volta, Form::Gemm, Scalar::F16, &odd);
    assert_eq!(refused, Err(PlanError::NoTile { limit: Limit::TensorCores }));
    let cpu = target("wasm_simd128").unwrap();
    assert_eq!(
        check_tile(cpu, Form::Gemm, Scalar::F32, &good),
        Err(PlanError::WrongDevice { expected: "GPU" })
    );
}
