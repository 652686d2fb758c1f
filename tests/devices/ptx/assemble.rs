//! Every kernel through the real assembler; and a few of them letter by letter.

use super::support::*;
use super::templates::{TILES, of, product};
use fulmen::gpu::{F32, F64, Kernel, Module, Target, pass, template};
use std::collections::BTreeMap;
use std::path::Path;

/// All kernels that the templates make, optimised.
fn kernels() -> Module {
    let mut m = Module::new();
    for name in ["pointwise", "reduce", "row_reduce"].into_iter().flat_map(of) {
        m.kernels.extend(template::named::<F32>(name).unwrap().unwrap().kernels);
        m.kernels.extend(template::named::<F64>(name).unwrap().unwrap().kernels);
    }
    for tile in TILES {
        let mut k: Kernel = product(tile);
        pass::optimise(&mut k);
        m.kernels.push(k);
    }
    m
}

/// What is checked in at `path` is `text`; `FULMEN_BLESS=1` puts it there.
pub fn golden(path: &str, text: &str) {
    let path = Path::new(common::ROOT).join("tests/golden").join(path);
    if std::env::var_os("FULMEN_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    common::compared::add(1);
    let there = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    if there != text {
        let line = there.lines().zip(text.lines()).position(|(a, b)| a != b);
        let at = line.map_or("the end".into(), |l| {
            format!(
                "line {}: `{}` is now `{}`",
                l + 1,
                there.lines().nth(l).unwrap(),
                text.lines().nth(l).unwrap()
            )
        });
        panic!("{} differs at {at}; FULMEN_BLESS=1 accepts it", path.display());
    }
}

/// The oldest target, the newest, and what servers have.
const ASSEMBLED: [Target; 4] = [Target::sm(61), Target::sm(80), Target::sm(90), Target::sm(121)];

/// Registers of each kernel, as `ptxas` reports them; no `f32` kernel spills. Targets share the text but for its first
/// lines, and those of kernels that start early, so four of them are assembled.
#[test]
fn every_kernel_assembles() {
    let m = kernels();
    let emitted = |target: Target| {
        let mut text = String::new();
        m.emit(target, &mut text).unwrap_or_else(|e| panic!("{target}: {e}"));
        text
    };
    let body = |text: &str| text.split_once(".address_size").unwrap().1.to_string();
    let files = ASSEMBLED.map(|target| (target, emitted(target)));
    for target in Target::ALL {
        let alike = |(other, _): &&(Target, String)| other.starts_early() == target.starts_early();
        let (_, text) = files.iter().find(alike).unwrap();
        assert!(body(&emitted(target)) == body(text), "{target} has a text of its own: assemble it");
    }
    let Some(ptxas) = ptxas() else { return };
    let used: Vec<Usage> = std::thread::scope(|s| {
        let halves = files.chunks(files.len().div_ceil(2)).map(|files| {
            let ptxas = &ptxas;
            s.spawn(move || {
                files
                    .iter()
                    .flat_map(|(target, text)| {
                        assemble(ptxas, text, *target).unwrap_or_else(|e| panic!("{target}: {e}"))
                    })
                    .collect::<Vec<_>>()
            })
        });
        let halves: Vec<_> = halves.collect();
        halves.into_iter().flat_map(|h| h.join().unwrap()).collect()
    });
    assert_eq!(used.len(), m.kernels.len() * ASSEMBLED.len());
    let mut rows: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut spilled = Vec::new();
    for u in &used {
        let spills = if u.spills > 0 { format!(" spills {}", u.spills) } else { String::new() };
        rows.entry(&u.kernel).or_default().push(format!("{}{spills}", u.registers));
        // Doubles of a row may, by a few bytes; what is hot may not.
        if u.spills > 0 && !u.kernel.contains("_f64") {
            spilled.push(u);
        }
    }
    assert!(spilled.is_empty(), "{spilled:#?}");
    let targets = ASSEMBLED.map(|t| t.to_string());
    let mut table = format!("kernel,instructions,{}\n", targets.join(","));
    for k in &m.kernels {
        let registers = rows[k.name.as_str()].join(",");
        table += &format!("{},{},{registers}\n", k.name, k.instructions());
    }
    println!("registers per thread, and bytes that spill\n{table}");
    golden("ptxas.csv", &table);
}

#[test]
fn the_text_of_four_kernels() {
    for (name, target) in [("relu", 61), ("exp", 75), ("dot", 80), ("softmax", 90)] {
        let mut text = String::new();
        template::named::<F32>(name).unwrap().unwrap().emit(Target::sm(target), &mut text).unwrap();
        golden(&format!("ptx/{name}.ptx"), &text);
    }
}
