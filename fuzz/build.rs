//! Declares what include/fulmen.h declares, and a table of it, for the target `capi`.

use std::fmt::Write as _;
use std::{env, fs, path::Path};

/// The text without its comments.
fn code(mut text: &str) -> String {
    let mut out = String::new();
    while let Some((before, rest)) = text.split_once("/*") {
        out.push_str(before);
        text = rest.split_once("*/").unwrap().1;
    }
    out + text
}

fn main() {
    println!("cargo::rerun-if-changed=../include/fulmen.h");
    let header = code(&fs::read_to_string("../include/fulmen.h").unwrap());
    let (mut declared, mut table) = (String::new(), String::new());
    for line in header.split(';') {
        let words: Vec<&str> = line.split_whitespace().collect();
        let line = words.join(" ");
        let Some((result, rest)) = line.split_once(' ') else { continue };
        let Some((name, arguments)) = rest.strip_suffix(')').and_then(|rest| rest.split_once('(')) else {
            continue;
        };
        let result = match result {
            "void" => "",
            "int" => " -> c_int",
            "size_t" => " -> usize",
            "float" => " -> f32",
            "double" => " -> f64",
            _ => continue,
        };
        if name == "fulmen_set_xerbla" {
            continue;
        }
        let (mut types, mut rows, mut passed) = (String::new(), String::new(), String::new());
        for (i, argument) in arguments.split(", ").enumerate() {
            let (of, name) = argument.rsplit_once([' ', '*']).unwrap();
            let pointer = argument.contains('*');
            let word = of.starts_with("CBLAS_") || of.contains("char");
            let base = of.trim_start_matches("const ").trim_end_matches([' ', '*']);
            let base = if of.starts_with("CBLAS_") { "int" } else { base };
            let (kind, pass) = match base {
                _ if pointer => ("*mut c_void", "pointer()"),
                "int" => ("c_int", "int()"),
                "float" => ("f32", "float()"),
                "double" => ("f64", "double()"),
                _ => panic!("{argument}"),
            };
            write!(types, "_: {kind}, ").unwrap();
            write!(passed, "v[{i}].{pass}, ").unwrap();
            let constant = of.starts_with("const");
            write!(rows, "Argument {{ name: {name:?}, of: {base:?}, word: {word}, pointer: {pointer}, constant: {constant} }}, ")
                .unwrap();
        }
        writeln!(declared, "fn {name}({types}){result};").unwrap();
        writeln!(
            table,
            "Routine {{ name: {name:?}, arguments: &[{rows}], call: |v| unsafe {{ {name}({passed}); }} }},"
        )
        .unwrap();
    }
    let all = format!("unsafe extern \"C\" {{\n{declared}}}\nconst ROUTINES: &[Routine] = &[\n{table}];\n");
    fs::write(Path::new(&env::var("OUT_DIR").unwrap()).join("routines.rs"), all).unwrap();
}
