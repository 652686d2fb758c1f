//! Models that other programs wrote (`tests/golden/llama.py`): their tokens, their logits, and what is missing of them.

use super::{Folder, program};
use crate::gguf::Model;
use crate::machine::{Follower, Weights};
use crate::train::random;
use fulmen::backend::Cpu;

const NAMES: [&str; 3] = ["pieces", "pairs", "words"];

fn path(file: &str) -> String {
    format!("{}/../tests/golden/llama/{file}", env!("CARGO_MANIFEST_DIR"))
}

fn file(name: &str) -> Vec<u8> {
    std::fs::read(path(&format!("{name}.gguf"))).unwrap()
}

/// The texts with their tokens, and the logits after the first.
fn golden(name: &str) -> (Vec<(Vec<u8>, Vec<u32>)>, Vec<f32>) {
    fn list<T: std::str::FromStr<Err: std::fmt::Debug>>(x: &str) -> Vec<T> {
        x.split_whitespace().map(|x| x.parse().unwrap()).collect()
    }
    let all = std::fs::read_to_string(path(&format!("{name}.txt"))).unwrap();
    let mut lines: Vec<&str> = all.lines().collect();
    let last = list(lines.pop().unwrap());
    let text = |hex: &str| {
        (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
    };
    let of = |line: &str| line.split_once('\t').map(|(hex, ids)| (text(hex), list(ids))).unwrap();
    (lines.into_iter().map(of).collect(), last)
}

#[test]
fn tokens_are_those_of_the_program_that_wrote_them() {
    for name in NAMES {
        let model = Model::read(&file(name)).unwrap();
        let (texts, _) = golden(name);
        assert_eq!(texts.len(), 10);
        for (text, want) in texts {
            let got = model.vocabulary.encode(&text);
            assert_eq!(got, want, "{name}: {:?}", String::from_utf8_lossy(&text));
            let mut back = Vec::new();
            got.iter().for_each(|id| model.vocabulary.decode_into(*id, &mut back));
            let start = if name == "pieces" && !text.is_empty() { &b" "[..] } else { &b""[..] };
            assert_eq!(back, [start, &text].concat(), "{name}");
        }
        // Bytes that are no text come back, too.
        let odd = b"a\xffb\xe6\x97 \xf0";
        let mut back = Vec::new();
        model.vocabulary.encode(odd).iter().for_each(|id| model.vocabulary.decode_into(*id, &mut back));
        assert!(back.ends_with(odd), "{name}: {back:?}");
    }
}

#[test]
fn logits_are_those_of_the_definition() {
    for (name, most) in [("pieces", 1e-5), ("words", 1e-5), ("pairs", 0.03)] {
        let Model { config, vocabulary, weights } = Model::read(&file(name)).unwrap();
        assert_eq!((config.tied, config.rope_base), (name != "pieces", 5000.0));
        let (texts, want) = golden(name);
        let weights = Weights::new(&Cpu::native(), weights).unwrap();
        let mut follower = Follower::new(Cpu::native(), config, &weights, 3).unwrap();
        let got = follower.feed(&vocabulary.encode(&texts[0].0)).unwrap();
        let size = want.iter().fold(0.0f32, |m, x| m.max(x.abs()));
        let off = want.iter().zip(&*got).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(got.len() == want.len() && off < most * size, "{name}: {off} of {size}");
        #[cfg(feature = "gpu")]
        if name == "pieces" {
            let ask = ["generate", &path("pieces.gguf"), "--prompt=t", "--tokens=1", "--temperature=0"];
            let run = |more: &[&str]| program(&[&ask[..], more].concat());
            let (cpu, device) = (run(&[]), run(&["--backend=interpreter"]));
            assert!(cpu.0 == 0 && cpu.1 == device.1, "{cpu:?} {device:?}");
        }
    }
}

#[test]
fn the_commands_take_them() {
    let folder = Folder::new("foreign");
    let text = folder.at("text");
    std::fs::write(&text, "the cat sat on the mat. ".repeat(4)).unwrap();
    for name in NAMES {
        let model = path(&format!("{name}.gguf"));
        for args in [
            &["generate", &model, "--prompt", "the cat", "--tokens=5"][..],
            &["perplexity", &model, "--text", text.to_str().unwrap(), "--tokens=20"],
            &["inspect", &model],
            &["bench", &model, "--steps=1", "--batch=1", "--length=8"],
        ] {
            let (code, out, err) = program(args);
            assert!(code == 0 && !out.is_empty(), "{args:?}: {err}");
        }
    }
}

#[test]
fn halves_are_quantised_as_the_numbers_they_are() {
    let folder = Folder::new("halves");
    let out = folder.at("small.gguf");
    let (code, _, err) =
        program(&["quantize", &path("pieces.gguf"), "--to", "q8_0", "--out", out.to_str().unwrap()]);
    assert!(code == 0 && err.contains("ffn_down.weight [32, 48]"), "{err}");
    let expanded = |bytes: &[u8]| {
        let model = Model::read(bytes).unwrap();
        (model.weights.bytes(4), model.weights.expanded(&model.config).unwrap())
    };
    let ((before, want), (after, got)) = (expanded(&file("pieces")), expanded(&std::fs::read(&out).unwrap()));
    let off = want.iter().zip(&got).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(want.len() == got.len() && off > 0.0 && off < 0.01, "{off}");
    assert!(after < before * 2 / 3, "{after} of {before}");
}

#[test]
fn what_is_missing_or_unknown_is_named() {
    let change = |name: &str, from: &[u8], to: &[u8]| {
        let mut bytes = file(name);
        assert_eq!(from.len(), to.len());
        let at = bytes.windows(from.len()).position(|w| w == from).unwrap();
        bytes[at..at + from.len()].copy_from_slice(to);
        Model::read(&bytes).unwrap_err().to_string()
    };
    for (name, from, to, why) in [
        ("pairs", "llama-bpe", "llama-xyz", "llama-xyz"),
        ("pairs", "ggml.merges", "ggml.mergez", "no `tokenizer.ggml.merges`"),
        ("pairs", "blk.1.attn_v.weight", "blk.1.attn_x.weight", "\"blk.1.attn_v.weight\" is missing"),
        (
            "pieces",
            "\r\0\0\0\0\0\0\0output.weight",
            "\r\0\0\0\0\0\0\0outpux.weight",
            "tensor `outpux.weight`",
        ),
        ("pieces", "ggml.scores", "ggml.scorez", "no `tokenizer.ggml.scores`"),
        ("pieces", "ggml.tokens", "ggml.tokenz", "no `tokenizer.ggml.tokens`"),
        (
            "pieces",
            "layer_norm_rms_epsilon",
            "layer_norm_rms_epsilox",
            "llama.attention.layer_norm_rms_epsilon",
        ),
        ("words", "rope.dimension_count\x04\0\0\0\x08", "rope.dimension_count\x04\0\0\0\x04", "where only 8"),
    ] {
        let got = change(name, from.as_bytes(), to.as_bytes());
        assert!(got.contains(why), "{name} {from}: {got}");
    }
    let folder = Folder::new("missing");
    let bad = folder.at("bad.gguf");
    let mut bytes = file("words");
    let at = bytes.windows(9).position(|w| w == b"blk.0.ffn").unwrap();
    bytes[at + 4] = b'7';
    std::fs::write(&bad, bytes).unwrap();
    let (code, out, err) = program(&["generate", bad.to_str().unwrap(), "--prompt=a"]);
    assert!(code == 2 && out.is_empty() && err.contains("\"blk.0.ffn_norm.weight\" is missing"), "{err}");
}

#[test]
fn damaged_files_of_others_are_errors_and_never_panics() {
    for name in NAMES {
        let bytes = file(name);
        let (mut read, text) = (0, b"it's 12345 \xff the cats\r\n\n  x");
        for i in 0..300 {
            let mut bad = bytes.clone();
            // The keys and the names of tensors.
            bad[random(1, i) as usize % 14_000] ^= 1 << (random(2, i) % 8);
            if let Ok(model) = Model::read(&bad) {
                let ids = model.vocabulary.encode(text);
                assert!(ids.iter().all(|id| (*id as usize) < model.config.vocab));
                read += 1;
            }
        }
        assert!(read > 0, "{name}");
    }
}
