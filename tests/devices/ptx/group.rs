//! Products of warp groups in the interpreter against sums in `f64`, and what the interpreter refuses.

use super::support::*;
use fulmen::gpu::template::{Argument, Factor, GroupProduct, GroupTile};
use fulmen::gpu::{Bytes, Error, Group, Interpreter, Kernel, Module, Target, Type};

/// Eighths in [-7/8, 7/8], which every input type holds exactly, and their bytes.
fn element(input: Group, e: i64) -> (f64, Vec<u8>) {
    let x = ((e * 37 + 11).rem_euclid(15) - 7) as f32 / 8.0;
    let f = x.to_bits();
    let bytes = match input {
        Group::Bf16 => ((f >> 16) as u16).to_le_bytes().to_vec(),
        Group::Tf32 => x.to_le_bytes().to_vec(),
        Group::F16 if x == 0.0 => vec![0, 0],
        Group::F16 => {
            let h = (f >> 16 & 0x8000) | (((f >> 23 & 255) - 112) << 10) | (f >> 13 & 1023);
            (h as u16).to_le_bytes().to_vec()
        }
        Group::S8 => return (f64::from(8.0 * x), vec![(8.0 * x) as i8 as u8]),
        Group::E4m3 if x == 0.0 => vec![0],
        Group::E4m3 => vec![((f >> 24 & 0x80) | (((f >> 23 & 255) - 120) << 3) | (f >> 20 & 7)) as u8],
    };
    (f64::from(x), bytes)
}

/// Runs a launch on the interpreter; C starts as ones. Gives C in `f64`. What blocks that share tiles count in is zeros again.
fn run<T: Factor + Into<f64>>(
    p: &GroupProduct<T>,
    tile: GroupTile,
    parts: u32,
    blocks: u32,
) -> Result<Vec<f64>, Error> {
    let launch = p.launch(tile, parts, blocks)?;
    let mut d = Interpreter::new();
    let matrix = |rows: u32, ld: u64, seed: i64| -> Vec<u8> {
        let all = (0..i64::from(rows) * ld as i64).flat_map(|e| element(p.input, e * 3 + seed).1);
        all.collect()
    };
    let one: &[u8] = match p.output {
        Type::U32 => &[1, 0, 0, 0],
        Type::F32 => &[0, 0, 0x80, 0x3f],
        Type::Bf16 => &[0x80, 0x3f],
        _ => &[0, 0x3c],
    };
    let c = if p.beta.into() == 0.0 {
        // Read, it would be an error.
        Bytes::uninitialised(p.m as usize * p.ldc as usize * one.len())
    } else {
        Bytes::new(one.repeat(p.m as usize * p.ldc as usize))
    };
    let (sums, ended) = (p.shared(tile, parts) as usize, 4 * p.ended(tile) as usize);
    let [a, b] = [matrix(p.m, p.lda, 1), matrix(p.n, p.ldb, 2)].map(Bytes::new);
    let buffers = [a, b, c, Bytes::uninitialised(sums), Bytes::new(vec![0; ended])].map(|b| d.buffer(b));
    let args: Vec<u64> = launch
        .args
        .iter()
        .map(|a| match *a {
            Argument::Buffer(k) => buffers[k],
            Argument::Bits(bits) => bits,
            Argument::Map(k, mut map) => {
                map.at += buffers[k];
                d.tensor(map)
            }
        })
        .collect();
    d.launch(&launch.kernel, launch.grid, launch.threads, &args)?;
    assert_eq!(d.get(buffers[4]).unwrap().bytes(), vec![0; ended]);
    let bytes = d.get(buffers[2]).unwrap().bytes();
    Ok(bytes
        .chunks_exact(one.len())
        .map(|b| match p.output {
            Type::U32 => f64::from(i32::from_le_bytes(b.try_into().unwrap())),
            Type::F32 => f64::from(f32::from_le_bytes(b.try_into().unwrap())),
            Type::Bf16 => f64::from(f32::from_bits(u32::from(u16::from_le_bytes([b[0], b[1]])) << 16)),
            _ => {
                let h = u32::from(u16::from_le_bytes([b[0], b[1]]));
                let (e, m) = (h >> 10 & 31, f64::from(h & 1023));
                let x =
                    if e == 0 { m / 16_777_216.0 } else { (m / 1024.0 + 1.0) * (f64::from(e) - 15.0).exp2() };
                if h & 0x8000 != 0 { -x } else { x }
            }
        })
        .collect())
}

fn check<T: Factor + Into<f64> + core::fmt::Debug>(p: GroupProduct<T>, tile: GroupTile, blocks: u32) {
    check_parts(p, tile, 1, blocks);
}

fn check_parts<T: Factor + Into<f64> + core::fmt::Debug>(
    p: GroupProduct<T>,
    tile: GroupTile,
    parts: u32,
    blocks: u32,
) {
    let got = run(&p, tile, parts, blocks).unwrap_or_else(|e| panic!("{p:?} {tile:?}: {e}"));
    let unit = match p.output {
        Type::U32 => 0.0,
        Type::F32 => f64::from(f32::EPSILON),
        Type::Bf16 => 1.0 / 256.0,
        _ => 1.0 / 2048.0,
    };
    let at = |e: u64, seed: i64| element(p.input, e as i64 * 3 + seed).0;
    for i in 0..u64::from(p.m) {
        for j in 0..u64::from(p.n) {
            let terms = (0..u64::from(p.k)).map(|k| at(i * p.lda + k, 1) * at(j * p.ldb + k, 2));
            // Products and sums of eighths are exact in f32; what is left is the last rounding.
            let want = p.alpha.into() * terms.sum::<f64>() + p.beta.into();
            let got = got[(i * p.ldc + j) as usize];
            assert!((got - want).abs() <= unit * want.abs(), "{i},{j}: {got}, not {want}; {p:?} {tile:?}");
        }
    }
}

/// Every tile: more tiles than blocks, more slabs than stages, edges on all sides.
#[test]
fn every_tile_multiplies_every_type() {
    let types = [
        (Group::Bf16, Type::Bf16),
        (Group::F16, Type::F32),
        (Group::E4m3, Type::F16),
        (Group::Tf32, Type::F32),
    ];
    for (t, tile) in GroupTile::ALL.into_iter().enumerate() {
        let (input, output) = match types[t % 4] {
            // Of these a thread has two sums.
            (Group::E4m3, _) if tile.m * tile.n / tile.groups > 64 * 192 => types[0],
            of => of,
        };
        let per = 16 / u64::from(input.element().bytes());
        let deep = 4 * input.depth() as u32;
        let k = deep * (tile.stages + 1) - 5;
        let ld = u64::from(k).next_multiple_of(per);
        let p = GroupProduct {
            m: tile.m + 7,
            n: tile.n + 4,
            k,
            across: [false; 2],
            lda: ld,
            ldb: ld + per,
            // Sixteen bytes at once, where C has 16 bits.
            ldc: u64::from(tile.n + 8),
            alpha: 0.5,
            beta: 0.0,
            input,
            output,
        };
        check(p, tile, 3);
    }
}

/// Blocks that share the depth of a tile: parts of one length and a shorter last one, more tiles than blocks, edges, every type
/// of C, which is read or not.
#[test]
fn the_last_block_of_a_tile_adds_up() {
    let cases = [
        (3, 2, Group::Bf16, Type::Bf16, 0.0),
        (5, 3, Group::F16, Type::F32, -2.0),
        (7, 4, Group::Tf32, Type::F32, 0.0),
        (8, 5, Group::E4m3, Type::F16, 0.5),
        (7, 16, Group::Bf16, Type::F16, 1.0),
    ];
    for (at, parts, input, output, beta) in cases {
        let tile = GroupTile::ALL[at];
        let per = 16 / u64::from(input.element().bytes());
        let k = 4 * input.depth() as u32 * 9 - 3;
        let (m, n, ld) = (tile.m + 7, 2 * tile.n + 3, u64::from(k).next_multiple_of(per));
        let p = GroupProduct {
            m,
            n,
            k,
            across: [false; 2],
            lda: ld,
            ldb: ld + per,
            ldc: u64::from(n + 1),
            alpha: 0.5,
            beta,
            input,
            output,
        };
        check_parts(p, tile, parts, 3);
    }
}

/// Signed bytes: more slabs than stages, edges, C whose rows are odd, and read.
#[test]
fn bytes_are_summed_in_integers() {
    for (t, tile) in [GroupTile::ALL[3], GroupTile::ALL[5], GroupTile::ALL[8]].into_iter().enumerate() {
        let (input, output, across) = (Group::S8, Type::U32, [false; 2]);
        let (m, n, k) = (tile.m + 7, tile.n + 3, 128 * (tile.stages + 1) - 5);
        let ld = u64::from(k).next_multiple_of(16);
        let ldc = u64::from(n + t as u32 % 2);
        // Pairs of neighbours are written where C is even, and not read: the second.
        let (alpha, beta) = [(-3, 5), (2, 0), (1, 0)][t];
        check(
            GroupProduct { m, n, k, across, lda: ld, ldb: ld + 16, ldc, alpha, beta, input, output },
            tile,
            2,
        );
    }
}

#[test]
fn factors_types_and_odd_rows() {
    let tile = GroupTile { m: 64, n: 64, stages: 2, groups: 1 };
    for (input, output) in [
        (Group::Bf16, Type::F32),
        (Group::F16, Type::F16),
        (Group::E4m3, Type::Bf16),
        (Group::Tf32, Type::F16),
        (Group::Bf16, Type::Bf16),
    ] {
        for (n, ldc, beta) in [(64, 65, 0.0), (64, 66, 0.0), (64, 64, -2.0), (9, 9, 0.25), (65, 66, 1.0)] {
            let p = GroupProduct {
                m: 65,
                n,
                k: 33,
                across: [false; 2],
                lda: 48,
                ldb: 64,
                ldc,
                alpha: 2.0,
                beta,
                input,
                output,
            };
            check(p, tile, 1);
        }
    }
}

/// What a product cannot be is named before anything runs.
#[test]
fn launches_that_are_refused() {
    let good = GroupProduct {
        m: 64,
        n: 64,
        k: 64,
        across: [false; 2],
        lda: 64,
        ldb: 64,
        ldc: 64,
        alpha: 1.0,
        beta: 0.0,
        input: Group::Bf16,
        output: Type::F32,
    };
    let tile = GroupTile::ALL[7];
    assert!(good.launch(tile, 1, 1).is_ok());
    for bad in [
        GroupProduct { m: 0, ..good },
        GroupProduct { k: u32::MAX, ..good },
        GroupProduct { lda: 65, ..good },
        GroupProduct { across: [false, true], ldb: 56, ..good },
        GroupProduct { across: [true, false], lda: 56, ..good },
        GroupProduct { across: [false, true], input: Group::Tf32, ..good },
        GroupProduct { ldb: 56, ..good },
        GroupProduct { ldc: 63, ..good },
        GroupProduct { lda: u64::MAX, ..good },
        GroupProduct { output: Type::F64, ..good },
    ] {
        assert!(bad.launch(tile, 1, 1).is_err(), "{bad:?}");
    }
    let columns = GroupProduct { across: [false, true], ..good };
    assert!(columns.launch(tile, 1, 1).is_ok());
    assert!(matches!(
        columns.launch(GroupTile { n: 96, ..GroupTile::ALL[4] }, 1, 1),
        Err(Error::Tile { .. })
    ));
    for bad in [
        GroupTile { m: 96, ..tile },
        GroupTile { n: 60, ..tile },
        GroupTile { stages: 1, ..tile },
        GroupTile { groups: 0, ..tile },
    ] {
        assert!(matches!(good.launch(bad, 1, 1), Err(Error::Tile { .. })), "{bad:?}");
    }
}

/// The text does not depend on the sizes, and `ptxas` finds room for it without spilling.
#[test]
fn every_tile_assembles() {
    let mut m = Module::new();
    for tile in GroupTile::ALL {
        let all = [
            (Group::Bf16, Type::Bf16),
            (Group::Tf32, Type::F32),
            (Group::E4m3, Type::F16),
            (Group::S8, Type::U32),
        ];
        for (input, output) in all {
            if input == Group::E4m3 && tile.m * tile.n / tile.groups > 64 * 192 {
                assert!(fulmen::gpu::template::group_gemm(tile, input, output, [false; 2], false).is_err());
                continue;
            }
            m.kernels
                .push(fulmen::gpu::template::group_gemm(tile, input, output, [false; 2], false).unwrap());
        }
    }
    for tile in GroupTile::ALL {
        let kernel = fulmen::gpu::template::group_gemm(tile, Group::Bf16, Type::Bf16, [false; 2], true);
        m.kernels.push(kernel.unwrap());
    }
    for across in [[true, false], [false, true], [true, true]] {
        let kernel =
            fulmen::gpu::template::group_gemm(GroupTile::ALL[0], Group::Bf16, Type::F32, across, false);
        m.kernels.push(kernel.unwrap());
    }
    // Of heads, the widths at which the tiles or the kernels change.
    let some = |width: u32| [64, 96, 112, 128, 160, 176, 192, 256].contains(&width);
    #[cfg(feature = "half")]
    for size in fulmen::gpu::template::GroupFlash::all().filter(|size| some(size.width())) {
        let mut k = fulmen::gpu::template::group_flash(size).unwrap();
        fulmen::gpu::pass::optimise(&mut k);
        m.kernels.push(k);
    }
    #[cfg(feature = "half")]
    for size in fulmen::gpu::template::GroupSlopes::all().filter(|size| some(size.width())) {
        let mut k = fulmen::gpu::template::group_slopes(size).unwrap();
        fulmen::gpu::pass::optimise(&mut k);
        m.kernels.push(k);
    }
    let mut text = String::new();
    m.emit(Target::SM_90A, &mut text).unwrap();
    assert!(m.emit(Target::sm(90), &mut String::new()).is_err());
    let Some(ptxas) = ptxas() else { return };
    let used = assemble(&ptxas, &text, Target::SM_90A).unwrap();
    let names: Vec<&Kernel> = m.kernels.iter().collect();
    assert_eq!(used.len(), names.len());
    let mut table = String::from("kernel,registers,spills\n");
    for u in &used {
        table += &format!("{},{},{}\n", u.kernel, u.registers, u.spills);
    }
    // What a block asks for by `setmaxnreg` has to be what it was given: its threads would wait for ever, or fault.
    for part in text.split(".entry ").skip(1) {
        let name = part.split('(').next().unwrap_or_default();
        let (Some(u), Some(k)) =
            (used.iter().find(|u| u.kernel == name), m.kernels.iter().find(|k| k.name == name))
        else {
            panic!("{name} was not assembled")
        };
        let count = |how: &str| -> u32 {
            let after = part.split(&format!("setmaxnreg.{how}.sync.aligned.u32 ")).nth(1);
            after.and_then(|n| n.split(';').next()?.parse().ok()).unwrap_or(0)
        };
        let (few, many, groups) = (count("dec"), count("inc"), k.threads.map_or(0, |t| t[0]) / 128);
        let given = u.registers.next_multiple_of(8) * groups;
        assert!(few + many * (groups - 1) <= given || many == 0, "{name}: {few} and {many} of {given}");
    }
    println!("{table}");
    assert!(used.iter().all(|u| u.spills == 0), "{table}");
    super::assemble::golden("ptxas_group.csv", &table);
}
