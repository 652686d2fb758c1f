//! What files say of a model: the logits of `tests/golden/models.py`, a forward pass that is not ours, and what is refused.

use super::{Draft, Folder, Value, a_file, a_model, bytes_of, program};
use crate::gguf::{Model, Trouble};
use crate::machine::{Follower, Machine, Weights};
use fulmen::backend::{Blocking, Cpu};
use std::path::{Path, PathBuf};

const TEXT: &[u8] = b"abcahgdpomnkkabcfdelijbaponmlkjihgfe";

fn golden(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/models").join(file)
}

/// The models' names with their logits.
fn all() -> Vec<(String, Vec<f32>)> {
    let lines = std::fs::read_to_string(golden("logits.txt")).unwrap();
    let of = |line: &str| {
        let mut words = line.split(' ');
        (words.next().unwrap().into(), words.map(|x| x.parse().unwrap()).collect())
    };
    lines.lines().map(of).collect()
}

fn open(name: &str) -> Model {
    let part = golden(&format!("{name}-00001-of-00003.gguf"));
    let path = if part.exists() { part } else { golden(&format!("{name}.gguf")) };
    Model::open(&path).unwrap_or_else(|why| panic!("{name}: {why}"))
}

/// The logits after the text, of which `most` tokens are taken at once.
fn logits<M: Machine + Blocking>(machine: &M, model: Model, most: usize) -> Vec<f32> {
    let Model { config, vocabulary, weights } = model;
    let weights = Weights::new(machine, weights).unwrap();
    let mut follower = Follower::new(machine.clone(), config, &weights, most).unwrap();
    follower.feed(&vocabulary.encode(TEXT)).unwrap().to_vec()
}

#[test]
fn logits_are_those_of_another_forward_pass() {
    let all = all();
    assert_eq!(all.len(), 20);
    let check = |name: &str, got: Vec<f32>, want: &[f32]| {
        let size = want.iter().fold(1.0f32, |m, x| m.max(x.abs()));
        let off = want.iter().zip(&got).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        // Of blocks the activations have eight bits.
        let most = if name == "quantised_bias" { 0.03 } else { 1e-4 };
        assert!(got.len() == want.len() && off <= most * size, "{name}: {off} of {size}");
    };
    for (name, want) in &all {
        for most in [1, 7, TEXT.len()] {
            check(name, logits(&Cpu::native(), open(name), most), want);
        }
        #[cfg(feature = "gpu")]
        if ["all_biases", "quantised_bias", "qwen2", "wide", "factors_linear"].contains(&&name[..]) {
            let gpu = fulmen::gpu::backend::Gpu::new(fulmen::gpu::device::Host::default());
            check(name, logits(&gpu, open(name), 7), want);
        }
    }
}

#[test]
fn a_large_vocabulary_has_the_logits_of_the_rows_that_it_repeats() {
    let (small, n) = (open("plain"), 70_001);
    let rows = small.config.vocab;
    let mut large = open("plain");
    large.config.vocab = n;
    let (first, rest) = small.weights.numbers.split_at(small.config.embedding().end);
    let d = small.config.dim;
    let numbers =
        (0..n).flat_map(|i| &first[i % rows * d..(i % rows + 1) * d]).chain(rest).copied().collect();
    large.weights = crate::gguf::Stored::of(&large.config, numbers);
    let (want, got) = (logits(&Cpu::native(), small, 9), logits(&Cpu::native(), large, 9));
    assert_eq!(got.len(), n);
    assert!(got.iter().enumerate().all(|(i, x)| (x - want[i % rows]).abs() <= 1e-5 * (1.0 + x.abs())));
}

/// What is said of the tiny model of these tests after `change`.
fn said(change: impl FnOnce(&mut Draft<'_>)) -> Result<Model, String> {
    let model = a_model();
    let mut file = a_file(&model);
    change(&mut file);
    Model::read(&bytes_of(&file)).map_err(|why| why.to_string())
}

/// With a key more, or another value of it.
fn with(key: &str, value: Value) -> Result<Model, String> {
    said(|file| _ = file.values.insert(key.into(), value))
}

#[test]
fn keys_that_are_not_known_are_refused_by_name() {
    // Whatever comes later, too.
    for key in [
        "llama.invented_tomorrow",
        "llama.rope.dimension_sections",
        "llama.attention.temperature_length",
        "llama.attention.q_lora_rank",
        "llama.rope.scaling.invented",
        "llama.",
    ] {
        let why = with(key, Value::U32(1)).unwrap_err();
        assert!(why.contains(key) && why.contains("not known here"), "{why}");
    }
    for (key, value, part) in [
        ("llama.expert_count", Value::U32(8), "is 8, where only 0"),
        ("llama.expert_used_count", Value::U32(2), "is 2, where only 0"),
        ("llama.attention.causal", Value::U32(0), "is 0, where only 1"),
        ("llama.logit_scale", Value::F32(2.0), "is 2, where only 1"),
        ("llama.attention.scale", Value::F32(0.5), "is 0.5, where only 0"),
        ("llama.final_logit_softcapping", Value::F32(30.0), "is 30, where only 0"),
        ("llama.attention.value_length", Value::U32(8), "is 8, where only 4"),
        ("llama.rope.dimension_count", Value::U32(2), "is 2, where only 4"),
        ("llama.rope.scaling.type", Value::Text("longrope".into()), "scaling.type` is longrope"),
        ("llama.rope.scaling.type", Value::U32(1), "llama.rope.scaling.type"),
        ("llama.rope.scaling.factor", Value::F32(-2.0), "the factor is -2"),
        ("llama.rope.scale_linear", Value::F32(f32::NAN), "the factor is NaN"),
        ("llama.rope.scaling.attn_factor", Value::F32(0.0), "rotary pairs"),
        ("llama.rope.scaling.factor", Value::Text("4".into()), "`llama.rope.scaling.factor` is no number"),
        (
            "llama.attention.head_count",
            Value::Text("4".into()),
            "`llama.attention.head_count` is no whole number",
        ),
        ("llama.attention.head_count_kv", Value::Numbers(vec![2, 1]), "not the same in all blocks"),
        ("llama.attention.key_length", Value::U32(3), "odd"),
        ("general.type", Value::Text("adapter".into()), "`general.type` is adapter"),
        ("general.architecture", Value::Text("falcon".into()), "architecture is falcon"),
    ] {
        let why = with(key, value).unwrap_err();
        assert!(why.contains(part), "{key}: {why}");
    }
    // What says what is so anyway.
    for (key, value) in [
        ("llama.expert_count", Value::U32(0)),
        ("llama.attention.causal", Value::U32(1)),
        ("llama.logit_scale", Value::F32(1.0)),
        ("llama.rope.scaling.finetuned", Value::U32(0)),
        ("llama.attention.head_count_kv", Value::Numbers(vec![2, 2])),
        ("llama.attention.key_length", Value::U32(4)),
        ("general.type", Value::Text("model".into())),
        ("general.invented", Value::U32(7)),
    ] {
        let got = with(key, value).unwrap_or_else(|why| panic!("{key}: {why}"));
        assert_eq!(got, a_model(), "{key}");
    }
    // As many tokens as a window of attention has.
    let windowed = with("llama.attention.sliding_window", Value::U32(9)).unwrap();
    assert_eq!((a_model().config.context, windowed.config.context), (24, 9));
    assert_eq!(with("llama.attention.sliding_window", Value::U32(4096)).unwrap(), a_model());
}

#[test]
fn tensors_that_no_key_speaks_of_are_read_or_refused() {
    let add = |name: &'static str, x: Vec<f32>| {
        said(move |file| file.tensors.push((name.into(), [1, x.len()], x.into())))
    };
    assert_eq!(add("rope_freqs.weight", vec![1.0, 2.0]).unwrap().weights.factors, [1.0, 2.0]);
    for (name, x, part) in [
        ("rope_freqs.weight", vec![1.0; 3], "rope_freqs.weight"),
        ("rope_freqs.weight", vec![1.0, f32::NAN], "rope_freqs.weight"),
        ("rope_factors_long.weight", vec![1.0; 2], "rope_factors_long.weight"),
        ("blk.0.attn_q_norm.weight", vec![1.0; 4], "blk.0.attn_q_norm.weight"),
        ("blk.0.attn_norm.bias", vec![1.0; 16], "blk.0.attn_norm.bias"),
        ("blk.7.attn_q.bias", vec![1.0; 16], "blk.7.attn_q.bias"),
        ("output.bias", vec![1.0; 256], "output.bias"),
        ("blk.0.attn_q.bias", vec![1.0; 15], "blk.0.attn_q.bias"),
    ] {
        let why = add(name, x).unwrap_err();
        assert!(why.contains(part), "{name}: {why}");
    }
    // Those that such a model has nothing to train with are measured as they run, and are not trained.
    for name in ["all_biases", "factors", "split-00001-of-00003"] {
        let path = golden(&format!("{name}.gguf"));
        let (code, out, err) = program(&["bench", path.to_str().unwrap(), "--steps=1"]);
        assert!(code == 0 && out.contains("writing:") && !out.contains("training:"), "{out} {err}");
        assert!(err.contains("training is not measured"), "{err}");
    }
    for name in ["linear", "yarn", "narrow"] {
        let path = golden(&format!("{name}.gguf"));
        let (code, out, err) =
            program(&["bench", path.to_str().unwrap(), "--steps=1", "--batch=1", "--length=8"]);
        assert!(code == 0 && out.contains("training:"), "{out} {err}");
    }
}

#[test]
fn parts_of_a_split_model_are_read_beside_each_other() {
    let folder = Folder::new("parts");
    let name = |no: usize| format!("split-{no:05}-of-00003.gguf");
    let copy = |no: usize, to: &str| std::fs::copy(golden(&name(no)), folder.at(to)).unwrap();
    let say = |file: &str| match Model::open(&folder.at(file)) {
        Err(why @ Trouble::Incomplete(_)) => why.to_string(),
        other => panic!("{file}: {other:?}"),
    };
    // A part alone, by path and as bytes.
    copy(1, &name(1));
    let alone = say(&name(1));
    assert!(
        alone.contains("part 1 of 3") && alone.contains("split-00002-of-00003.gguf is missing"),
        "{alone}"
    );
    let why = Model::read(&std::fs::read(golden(&name(2))).unwrap()).unwrap_err().to_string();
    assert!(why.contains("part 2 of 3"), "{why}");
    // Another file in its place, and a name that says nothing of the others.
    copy(2, &name(2));
    copy(2, &name(3));
    let why = say(&name(1));
    assert!(why.contains("split-00003-of-00003.gguf says that it is part 2 of 3"), "{why}");
    std::fs::write(folder.at(&name(3)), b"GGUF\x03\0\0\0").unwrap();
    let why = say(&name(1));
    assert!(why.contains("split-00003-of-00003.gguf is of no use"), "{why}");
    copy(1, "model.gguf");
    let why = say("model.gguf");
    assert!(why.contains("does not end in -00001-of-00003.gguf"), "{why}");
    // Any part stands for all.
    copy(3, &name(3));
    let whole = open("split");
    for no in 1..=3 {
        assert_eq!(Model::open(&folder.at(&name(no))).unwrap(), whole);
    }
    // No part is written over.
    let ask = |out: &str| {
        let [from, to] = [name(2), out.into()].map(|file| folder.at(&file).to_str().unwrap().to_string());
        program(&["quantize", &from, "--to=Q4_0", "--out", &to])
    };
    for no in 1..=3 {
        let (code, _, err) = ask(&name(no));
        assert!(code == 2 && err.contains(&name(no)) && !err.contains("whole blocks"), "{err}");
    }
    let (code, _, err) = ask("whole.gguf");
    // No row has a whole block, so there is nothing to do.
    assert!(code == 2 && err.contains("split-00002-of-00003.gguf") && err.contains("whole blocks"), "{err}");
}

#[test]
fn a_vocabulary_alone_and_other_files_are_named() {
    let why = said(|file| file.tensors.clear()).unwrap_err();
    assert!(why.contains("no tensors, but a vocabulary alone"), "{why}");
    // A text in Latin-1.
    let mut bytes = bytes_of(&a_file(&a_model()));
    let at = bytes.windows(5).position(|w| w == b"gpt-2").unwrap();
    bytes[at] = 0xe9;
    let why = Model::read(&bytes).unwrap_err().to_string();
    assert!(
        why.contains("\"tokenizer.ggml.pre\"") && why.contains("UTF-8") && !why.contains("damaged"),
        "{why}"
    );
    // The file is named by every command.
    let folder = Folder::new("named");
    let odd = folder.at("odd.gguf");
    std::fs::write(&odd, b"PK\x03\x04").unwrap();
    for args in [
        &["inspect", odd.to_str().unwrap()][..],
        &["generate", odd.to_str().unwrap(), "--prompt=a"],
        &["quantize", odd.to_str().unwrap(), "--to=q4_0", "--out=x.gguf"],
    ] {
        let (code, out, err) = program(args);
        assert!(code == 2 && out.is_empty() && err.contains("odd.gguf: "), "{args:?}: {err}");
    }
}

/// The model `name` of `tests/golden/llama` as a file whose `tensor` has `x` at element `at` of its bytes.
fn spoilt(folder: &Folder, name: &str, tensor: &str, at: usize, x: &[u8]) -> String {
    let path = format!("{}/../tests/golden/llama/{name}.gguf", env!("CARGO_MANIFEST_DIR"));
    let mut bytes = std::fs::read(path).unwrap();
    let file = fulmen::gguf::Gguf::read(&bytes).unwrap();
    let start = file.tensor(tensor).unwrap().bytes.as_ptr() as usize - bytes.as_ptr() as usize;
    bytes[start + at..][..x.len()].copy_from_slice(x);
    let to = folder.at(&format!("{tensor}.gguf"));
    std::fs::write(&to, bytes).unwrap();
    to.to_str().unwrap().into()
}

#[test]
fn weights_that_are_no_numbers_are_named() {
    let folder = Folder::new("nan");
    let text = folder.at("text");
    std::fs::write(&text, "the cat sat on the mat. ".repeat(4)).unwrap();
    let text = text.to_str().unwrap();
    let (nan, infinite) = (f32::NAN.to_le_bytes(), f32::NEG_INFINITY.to_le_bytes());
    for (name, tensor, at, x, part) in [
        ("words", "blk.1.ffn_up.weight", 4 * 77, &nan[..], "`blk.1.ffn_up.weight` has NaN at element 77"),
        ("words", "output_norm.weight", 4 * 31, &infinite, "`output_norm.weight` has -inf at element 31"),
        // Halves: the scale of a block, of which the second of a row is element 32; and a number.
        ("pairs", "blk.0.ffn_up.weight", 18 * 5, &[0, 0x7e], "`blk.0.ffn_up.weight` has NaN at element 160"),
        ("pieces", "token_embd.weight", 2 * 5, &[0, 0x7e], "`token_embd.weight` has NaN at element 5"),
    ] {
        let model = spoilt(&folder, name, tensor, at, x);
        let (code, out, err) = program(&["perplexity", &model, "--text", text]);
        assert!(code != 0 && out.is_empty(), "{tensor}: {code} {out}");
        assert!(err.contains(part) && err.contains(&format!("{tensor}.gguf: ")), "{tensor}: {err}");
    }
    // Of a token that the prompt has; and weights that are numbers, whose products are not.
    let (code, _, err) = program(&[
        "generate",
        folder.at("output_norm.weight.gguf").to_str().unwrap(),
        "--prompt=the",
        "--tokens=2",
    ]);
    assert!(code != 0 && err.contains("logits after"), "{err}");
    let huge = [f32::MAX; 64].map(f32::to_le_bytes).concat();
    let model = spoilt(&folder, "words", "blk.0.ffn_down.weight", 0, &huge);
    let (code, out, err) = program(&["perplexity", &model, "--text", text]);
    assert!(code != 0 && out.is_empty() && err.contains("logits after"), "{out} {err}");
}

#[test]
fn rows_that_blocks_do_not_divide_take_the_format_of_llama_cpp() {
    let folder = Folder::new("instead");
    let model = format!("{}/../tests/golden/llama/words.gguf", env!("CARGO_MANIFEST_DIR"));
    // Rows of 32 elements, and of 48 in `ffn_down`.
    for (to, instead) in [
        ("q2_k", "iq4_nl"),
        ("Q3_K", "iq4_nl"),
        ("q4_k", "q5_0"),
        ("Q5_K", "q5_1"),
        ("q6_k", "q8_0"),
        ("MXFP4", "mxfp4"),
    ] {
        let out = folder.at("small.gguf");
        let out = out.to_str().unwrap();
        let (code, _, err) = program(&["quantize", &model, "--to", to, "--out", out]);
        let aloud = err.contains(&format!("so in {instead}, as llama.cpp does: token_embd.weight ["));
        assert!(
            code == 0 && (aloud || to == "MXFP4") && err.contains("so as they are: blk.0.ffn_down.weight"),
            "{err}"
        );
        let bytes = std::fs::read(out).unwrap();
        let file = fulmen::gguf::Gguf::read(&bytes).unwrap();
        for t in file.tensors() {
            let is = fulmen::gguf::format(t.info.kind()).unwrap().name;
            let stays = t.info.shape().len() == 1 || t.info.name().contains("ffn_down");
            assert_eq!(is, if stays { "f32" } else { instead }, "{to}: {}", t.info.name());
        }
        assert!(Model::read(&bytes).is_ok());
        // What is quantised is not quantised again.
        let (code, _, err) =
            program(&["quantize", out, "--to", to, "--out", folder.at("x").to_str().unwrap()]);
        assert!(
            code == 2 && err.contains("small.gguf: ") && err.contains(&format!("is {instead}, not f32")),
            "{err}"
        );
    }
}

#[test]
fn many_different_words_are_counted_before_they_are_learnt() {
    let folder = Folder::new("distinct");
    let text = folder.at("text");
    let words: String = (0..200_000u32).map(|i| format!(" {:08x}", i.wrapping_mul(2_654_435_761))).collect();
    std::fs::write(&text, &words).unwrap();
    let text = text.to_str().unwrap();
    let (code, out, err) = program(&["train", text, "--plan"]);
    assert_eq!(code, 0, "{err}");
    let row = |name: &str| -> usize {
        let line = out
            .lines()
            .find(|l| l.ends_with(&format!("  {name}")))
            .unwrap_or_else(|| panic!("{name}: {out}"));
        line.split_whitespace().next().unwrap().parse().unwrap()
    };
    // Nine letters of four bytes, and an entry and a place for each word; the tokens of all of them; the text.
    assert!(row("words") > 200_000 * (9 * 4 + 24 + 24), "{out}");
    assert!(row("text's tokens") >= 4 * words.len() && row("text") >= words.len(), "{out}");
    let few = folder.at("few");
    std::fs::write(&few, "ab ".repeat(600_000)).unwrap();
    let (_, out, _) = program(&["train", few.to_str().unwrap(), "--plan"]);
    let line = out.lines().find(|l| l.ends_with("  words")).unwrap();
    assert!(line.split_whitespace().next().unwrap().parse::<usize>().unwrap() < 10_000, "{out}");
}

#[test]
fn blocks_that_become_numbers_are_those_of_the_reference() {
    let folder = golden("../blocks");
    let mut seen = 0;
    for kind in 0..64 {
        let Some(format) = fulmen::gguf::format(kind) else { continue };
        let Ok(all) = std::fs::read(folder.join(format!("{}.bin", format.name))) else {
            assert!(!format.name.starts_with("iq") || format.name == "iq4_nl", "{}", format.name);
            continue;
        };
        let n = all.len() / (format.bytes + 4 * format.elements);
        let (blocks, numbers) = all.split_at(n * format.bytes);
        let want: Vec<u32> = numbers.as_chunks().0.iter().map(|x| u32::from_le_bytes(*x)).collect();
        let got: Vec<u32> =
            crate::gguf::read_blocks(kind, blocks).unwrap().into_iter().map(f32::to_bits).collect();
        // Of two zeros either.
        let same = |(a, b): (&u32, &u32)| a == b || (a | b) << 1 == 0;
        let off = want.iter().zip(&got).position(|pair| !same(pair));
        assert!(n == 6 && want.len() == got.len() && off.is_none(), "{}: {off:?}", format.name);
        seen += 1;
    }
    assert_eq!(seen, 11);
}

#[test]
fn a_model_of_such_blocks_has_their_numbers() {
    use fulmen::gguf::{Error, Info, Value as Stored, write};
    let sizes =
        crate::config::Config { dim: 256, heads: 2, kv_heads: 1, hidden: 256, layers: 1, ..a_model().config };
    let model = Model {
        config: sizes,
        weights: crate::gguf::Stored::of(&sizes, crate::train::first_parameters(&sizes, 3).unwrap()),
        ..a_model()
    };
    let plain = bytes_of(&a_file(&model));
    let plain = fulmen::gguf::Gguf::read(&plain).unwrap();
    let values: Vec<(&str, Stored<'_>)> = plain.values().collect();
    // `tq2_0`, whose blocks end with their scale, 0.5.
    let of = |t: &fulmen::gguf::Tensor<'_>| {
        let mut bytes = vec![0x94; t.bytes.len() / 1024 * 66];
        bytes.chunks_exact_mut(66).for_each(|b| b[64..].copy_from_slice(&[0, 0x38]));
        bytes
    };
    let all: Vec<_> = plain
        .tensors()
        .map(|t| (t, if t.info.shape().len() == 2 { of(&t) } else { t.bytes.to_vec() }))
        .collect();
    let infos: Vec<_> = all
        .iter()
        .map(|(t, _)| {
            Info::new(t.info.name(), t.info.shape(), if t.info.shape().len() == 2 { 35 } else { 0 }).unwrap()
        })
        .collect();
    let mut bytes = Vec::new();
    let sink = |b: &[u8]| {
        bytes.extend_from_slice(b);
        Ok::<(), Error<'_>>(())
    };
    write(&values, &infos, sink, |i, put| put(&all[i].1)).unwrap();
    let read = Model::read(&bytes).unwrap();
    assert!(read.weights.blocks.is_empty());
    // 0b10_01_01_00: minus, nothing, nothing, plus, 32 of each.
    let row: Vec<f32> = [-0.5, 0.0, 0.0, 0.5].into_iter().flat_map(|x| [x; 32]).collect();
    assert!(read.weights.numbers[..256 * 256].chunks(128).all(|part| part == row));
    let (code, _, err) = {
        let folder = Folder::new("ternary");
        let path = folder.at("ternary.gguf");
        std::fs::write(&path, &bytes).unwrap();
        program(&["quantize", path.to_str().unwrap(), "--to=q4_0", "--out", folder.at("x").to_str().unwrap()])
    };
    assert!(code == 2 && err.contains("is tq2_0, not f32"), "{err}");
}
