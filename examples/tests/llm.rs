//! The `llm` example: its vocabulary, files, refusals, gradient, threads, resumption and command line.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops where it fails"
)]

#[path = "../llm/bench.rs"]
mod bench;
#[path = "../common/chart.rs"]
mod chart;
#[path = "../llm/chat.rs"]
mod chat;
#[path = "../llm/cli.rs"]
mod cli;
mod common;
#[path = "../llm/config.rs"]
mod config;
#[path = "../common/files.rs"]
mod files;
#[path = "../llm/gguf.rs"]
mod gguf;
#[path = "../llm/machine.rs"]
mod machine;
#[path = "../llm/memory.rs"]
mod memory;
#[path = "../llm/model.rs"]
mod model;
#[path = "../common/program.rs"]
mod program;
#[path = "../common/progress.rs"]
mod progress;
#[cfg(feature = "collective")]
#[path = "../llm/ranks.rs"]
mod ranks;
#[path = "../llm/tokens.rs"]
mod tokens;
#[path = "../llm/train.rs"]
mod train;
#[path = "../llm/vocabulary.rs"]
mod vocabulary;
#[path = "../llm/weights.rs"]
mod weights;

#[path = "llm_chat.rs"]
mod chat_tests;
#[path = "llm_files.rs"]
mod file_tests;
#[path = "llm_foreign.rs"]
mod foreign;
#[path = "llm_line.rs"]
mod line;
#[path = "llm_manners.rs"]
mod manners;
#[path = "llm_models.rs"]
mod models;
#[cfg(feature = "collective")]
#[path = "llm_ranks.rs"]
mod rank_tests;

use common::Folder;
use config::Config;
use fulmen::Error;
use fulmen::backend::{Blocking, Cpu};
use gguf::{Draft, Model, Stored, Trouble, Value};
use machine::{Follower, Positions, Training, Weights};
use memory::Lack;
use model::Span;
use std::ffi::OsString;
use std::path::PathBuf;
use tokens::Tokenizer;
use train::{Mark, Rank, Recipe, Trainer, first_parameters, random};
use vocabulary::{Vocabulary, bigram_entropy};

fn tiny() -> Config {
    let sizes = Config {
        vocab: 256,
        dim: 16,
        layers: 2,
        heads: 4,
        kv_heads: 2,
        hidden: 24,
        context: 24,
        ..Config::default()
    };
    sizes.checked().unwrap()
}

/// The vocabulary of the bytes alone.
fn bytes() -> Vocabulary {
    Vocabulary::new(Vec::new()).unwrap()
}

fn text() -> Vec<u8> {
    "the cat sat on the mat. the dog sat on the log. ".repeat(40).into_bytes()
}

fn a_model() -> Model {
    let config = tiny();
    let weights = Stored::of(&config, first_parameters(&config, 3).unwrap());
    Model { config, vocabulary: Tokenizer::Ours(bytes()), weights }
}

fn a_file(model: &Model) -> Draft<'_> {
    gguf::file_of(&model.config, &bytes(), &model.weights.numbers)
}

fn bytes_of(file: &Draft<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.write(&mut bytes).unwrap();
    bytes
}

/// Loss and gradient of a model of tokens below 256 at `parameters`.
fn loss(c: &Config, parameters: &[f32], gradient: &mut [f32]) -> f32 {
    let b = Cpu::native();
    let span = Span { sequences: 2, tokens: 9, past: 0 };
    let ids: Vec<u32> = (0..18).map(|i| (i * 7 % 13) as u32).collect();
    let mut targets: Vec<u32> = (0..18).map(|i| (i * 5 % 11) as u32).collect();
    targets[4] = u32::MAX;
    // Longer than this takes, as a batch of fewer sequences finds it.
    let [mut room, mut exact] = model::training_room(c, 20).map(|n| vec![f32::NAN; n]);
    let mut workspace = vec![f32::NAN; model::workspace(&b, c, 18)];
    let positions = Positions::new(&b, c, 2, 9, &[]).unwrap();
    let angles = positions.angles();
    let mut losses = [f32::NAN; 18];
    model::train(
        &b,
        c,
        span,
        parameters,
        &angles,
        [&ids, &targets],
        1.0,
        gradient,
        &mut losses,
        [&mut room, &mut exact],
        &mut workspace,
    )
    .unwrap();
    fulmen::sum(&losses)
}

#[test]
fn the_gradient_is_the_slope() {
    slopes(tiny());
    // Wider and narrower heads, whose rotary positions are those of a file.
    let rope = config::Rope {
        style: fulmen::RopeStyle::Neox,
        scaling: fulmen::RopeScaling::Linear { factor: 4.0 },
        length: 1.2,
    };
    slopes(Config { head: 6, rope, ..tiny() }.checked().unwrap());
    slopes(Config { head: 2, ..tiny() }.checked().unwrap());
}

fn slopes(c: Config) {
    // Larger weights than the first ones, so that every part has a gradient to see.
    let x: Vec<f32> =
        first_parameters(&c, 5).unwrap().iter().map(|x| if *x == 1.0 { 1.1 } else { x * 12.0 }).collect();
    let mut gradient = vec![0.0; x.len()];
    loss(&c, &x, &mut gradient);
    let block = c.block();
    let at =
        |l: usize, r: &core::ops::Range<usize>| c.block_at(l).start + r.start..c.block_at(l).start + r.end;
    let mut parts = vec![c.embedding(), c.last_norm()];
    for l in 0..c.layers {
        let all = [&block.norm_1, &block.q, &block.kv, &block.o, &block.norm_2, &block.gate_up, &block.down];
        parts.extend(all.map(|r| at(l, r)));
    }
    for part in parts {
        // Along the gradient of this part alone, the slope is the gradient's length.
        let length = gradient[part.clone()].iter().map(|g| g * g).sum::<f32>().sqrt();
        assert!(length > 1e-3, "{part:?}: {length}");
        let step = 2e-2 / length.max(1.0);
        let moved = |sign: f32| {
            let mut y = x.clone();
            for i in part.clone() {
                y[i] += sign * step * gradient[i] / length;
            }
            loss(&c, &y, &mut vec![0.0; x.len()])
        };
        let slope = (moved(1.0) - moved(-1.0)) / (2.0 * step);
        assert!((slope - length).abs() < 0.03 * length + 2e-3, "{part:?}: slope {slope}, gradient {length}");
    }
}

fn run_steps(threads: usize, steps: usize) -> (Vec<f32>, Vec<f32>) {
    let recipe = Recipe { steps: 30, batch: 5, length: 12, groups: 3, rate: 1e-2, ..Recipe::default() };
    let c = tiny();
    let trainer =
        Trainer::new(Cpu::native(), c, recipe, first_parameters(&c, 1).unwrap(), Rank::ALONE).unwrap();
    let tokens = bytes().encode(&text());
    let losses =
        trainer.with_threads(None, threads, &tokens, |one| (0..steps).map(|s| one(s).unwrap()).collect());
    (losses, trainer.parameters.into_inner().unwrap())
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let one = run_steps(1, 4);
    assert!(one.0.iter().all(|x| x.is_finite()));
    assert_eq!(one, run_steps(2, 4));
    assert_eq!(one, run_steps(3, 4));
}

#[test]
fn it_learns() {
    let (losses, _) = run_steps(2, 30);
    let mean = |x: &[f32]| x.iter().sum::<f32>() / x.len() as f32;
    assert!(losses[0] > 5.0, "{losses:?}");
    assert!(mean(&losses[25..]) < 3.2, "{losses:?}");
}

/// Exit status, standard output and standard error of the program.
fn program(args: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = cli::run(args.iter().map(OsString::from), &mut out, &mut err, false, Default::default);
    (code, String::from_utf8_lossy(&out).into_owned(), String::from_utf8_lossy(&err).into_owned())
}

const SMALL: [&str; 14] = [
    "--dim=16",
    "--layers=1",
    "--heads=2",
    "--kv-heads=1",
    "--hidden=16",
    "--context=32",
    "--vocab=270",
    "--batch=4",
    "--length=8",
    "--threads=2",
    "--save-every=3",
    "--rate=0.01",
    "--seed=7",
    "--backend=cpu",
];

#[test]
fn a_resumed_run_has_the_losses_of_one_that_went_on() {
    let folder = Folder::new("resume");
    let (file, whole, half) = (folder.at("text"), folder.at("whole"), folder.at("half"));
    std::fs::write(&file, text()).unwrap();
    let [file, whole, half] = [&file, &whole, &half].map(|p| p.to_str().unwrap());
    let args =
        |out, more: &[&'static str]| [&["train", file, "--out", out, "--steps=6"], &SMALL[..], more].concat();
    let (code, out, err) = program(&args(whole, &[]));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("nats per byte"), "{out}");
    // A run that was cut off after its first state: the state of step 3 of a run of 6.
    let state = |of: &str| PathBuf::from(format!("{of}.state"));
    let (first, vocabulary, mark, losses) =
        Trainer::resume(Cpu::native(), &state(whole), Rank::ALONE).unwrap();
    assert_eq!(losses.len(), 6);
    let config = first.config;
    let tokens = vocabulary.encode(&text());
    machine::on_best_lanes(Cut {
        recipe: first.recipe,
        config,
        tokens: &tokens,
        to: [half.into(), state(half)],
        vocabulary: &vocabulary,
        mark,
    });
    let (code, _, err) = program(&args(half, &[]));
    assert_eq!(code, 2);
    assert!(err.contains("--resume"), "{err}");
    let (code, _, err) = program(&args(half, &["--resume"]));
    assert_eq!(code, 0, "{err}");
    for name in ["", ".state"] {
        let [a, b] = [whole, half].map(|f| std::fs::read(format!("{f}{name}")).unwrap());
        assert!(a == b, "the files \"{name}\" differ");
    }
    assert!(std::fs::read_to_string(format!("{half}.svg")).unwrap().contains("</svg>"));
    assert!(!std::fs::exists(format!("{half}.part")).unwrap());
}

/// Half of a run, and its state.
struct Cut<'a> {
    recipe: Recipe,
    config: Config,
    tokens: &'a [u32],
    to: [PathBuf; 2],
    vocabulary: &'a Vocabulary,
    mark: Mark,
}

impl machine::Job for Cut<'_> {
    type Done = ();
    fn run<M: machine::Machine + Blocking>(self, m: M) {
        let trainer = Trainer::new(
            m,
            self.config,
            self.recipe,
            first_parameters(&self.config, 7).unwrap(),
            Rank::ALONE,
        )
        .unwrap();
        let losses: Vec<f32> =
            M::steps(&trainer, None, 1, self.tokens, |one| (0..3).map(|s| one(s).unwrap()).collect());
        let [out, state] = [0, 1].map(|i| files::Place::claim(&self.to[i], &[]).unwrap());
        trainer.save(&out, &state, self.vocabulary, self.mark, &losses, None).unwrap().unwrap();
    }
}

#[test]
fn it_generates_and_says_what_it_cannot() {
    let folder = Folder::new("generate");
    let (file, model, bad) = (folder.at("text"), folder.at("model.gguf"), folder.at("bad.gguf"));
    std::fs::write(&file, text()).unwrap();
    std::fs::write(&bad, b"GGUF").unwrap();
    let [file, model, bad] = [&file, &model, &bad].map(|p| p.to_str().unwrap());
    let mut train = vec!["train", file, "--out", model, "--steps=2"];
    train.extend(SMALL);
    assert_eq!(program(&train).0, 0);

    let greedy = ["generate", model, "--prompt", "the cat", "--tokens=9", "--temperature=0"];
    let (code, out, err) = program(&greedy);
    assert_eq!((code, out.starts_with("the cat")), (0, true), "{err}");
    assert_eq!(program(&greedy).1, out);
    assert_eq!(program(&["generate", model, "--prompt=the", "--seed=3"]).0, 0);
    let (code, out, _) = program(&["generate", model, "--prompt=x", "--plan"]);
    assert_eq!((code, out.contains("keys and values"), out.contains("in all")), (0, true, true), "{out}");
    let (code, out, _) = program(&["bench", model, "--steps=1", "--batch=2", "--length=8", "--threads=1"]);
    assert_eq!((code, out.contains("tokens/s"), out.contains("GB/s")), (0, true, true), "{out}");

    let long = "word ".repeat(40);
    for (args, word) in [
        (vec!["generate", model, "--prompt", &long], "context"),
        (vec!["generate", model, "--prompt=a", "--tokens=99"], "context"),
        (vec!["generate", model, "--prompt=a", "--top-p=0"], "--top-p"),
        (vec!["generate", model, "--prompt=a", "--top-p=1.5"], "--top-p"),
        (vec!["generate", model, "--prompt="], "--prompt is empty"),
        (vec!["generate", bad, "--prompt=a"], "damaged"),
        (vec!["generate", file, "--prompt=a"], "not a model"),
        (vec!["generate", "/no/such", "--prompt=a"], "/no/such"),
        (vec!["train", file], "--out"),
        (vec!["train", "/no/such", "--out", "x"], "/no/such"),
        (vec!["train", file, "--out", "x", "--dim=15"], "--dim"),
        (vec!["train", file, "--out", "x", "--length=300"], "--context"),
        (vec!["train", file, "--out", "x", "--batch=0"], "--batch"),
        (vec!["train", file, "--out", "x", "--vocab=3"], "--vocab"),
        (vec!["train", file, "--out", "x", "--rate=fast"], "--rate"),
        (vec!["train", file, "--out", "x", "--steps"], "--steps"),
        (vec!["train", file, "--out", "x", "--what=1"], "--what"),
        (vec!["train", file, "--out", "x", "--backend=abacus"], "abacus"),
        (vec!["train", file, file], "unexpected argument"),
        (vec!["sing"], "sing"),
    ] {
        let (code, _, err) = program(&args);
        assert!(code == 2 && err.contains(word), "{args:?}: {code} {err}");
    }
    assert_eq!(program(&["--help"]).0, 0);
    let (code, _, err) = program(&["train", bad, "--out", folder.at("x").to_str().unwrap()]);
    assert!(code == 2 && err.contains("tokens"), "{err}");
}

#[test]
fn text_at_once_or_token_by_token() {
    let Model { config, mut weights, .. } = a_model();
    // Larger weights than the first ones: logits that differ.
    weights.numbers.iter_mut().for_each(|x| *x = if *x == 1.0 { 1.0 } else { *x * 10.0 });
    let weights = Weights::new(&Cpu::native(), weights).unwrap();
    let ids: Vec<u32> = (0..20).map(|i| i * 11 % 256).collect();
    let at_once = |most| {
        let mut f = Follower::new(Cpu::native(), config, &weights, most).unwrap();
        f.feed(&ids).unwrap().to_vec()
    };
    let one = at_once(20);
    let mut f = Follower::new(Cpu::native(), config, &weights, 4).unwrap();
    let mut last = Vec::new();
    for id in &ids {
        last = f.feed(&[*id]).unwrap().to_vec();
    }
    for other in [at_once(7), last] {
        let worst = one.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(worst < 1e-4, "{worst}");
    }
    assert_eq!(f.left(), 4);
    assert_eq!(f.feed(&[1; 5]).err(), Some(Lack::Kernel(Error::domain("ids"))));
    assert_eq!(f.feed(&[]).err(), Some(Lack::Kernel(Error::domain("ids"))));
    assert_eq!(f.left(), 4);
}

/// Weights of which each matrix is in the format that `kind` says of its name.
fn in_formats(c: &Config, x: &[f32], kind: impl Fn(&str) -> &'static str) -> Stored {
    let mut all = Stored::default();
    for (name, range, [rows, cols]) in gguf::tensors(c) {
        let x = &x[range];
        let kind = if rows == 1 { gguf::F32 } else { gguf::named(kind(&name)).unwrap_or(gguf::F32) };
        let start = if kind == gguf::F32 { all.numbers.len() } else { all.blocks.len() };
        let end = if kind == gguf::F32 {
            all.numbers.extend(x);
            all.numbers.len()
        } else {
            x.chunks(cols).for_each(|row| all.blocks.extend(gguf::encoded(kind, row).unwrap()));
            all.blocks.len()
        };
        all.places.push(config::Place { kind, rows, range: start..end });
    }
    all
}

#[test]
fn blocks_of_any_mix_are_multiplied_as_they_are() {
    let c = Config { dim: 256, hidden: 256, vocab: 256, layers: 1, context: 16, ..tiny() }.checked().unwrap();
    let x: Vec<f32> =
        first_parameters(&c, 5).unwrap().iter().map(|x| if *x == 1.0 { 1.0 } else { x * 4.0 }).collect();
    let mixed = in_formats(&c, &x, |name| match name.trim_start_matches(|c| c != 'a' && c != 'f') {
        "attn_k.weight" | "ffn_down.weight" => "q8_0",
        "attn_q.weight" => "q6_k",
        "ffn_gate.weight" => "q5_1",
        "ffn_up.weight" => "q4_k",
        "attn_output.weight" => "iq4_nl",
        // The values, next to keys in blocks, and the embedding.
        _ => "f32",
    });
    assert_eq!(mixed.places.iter().filter(|p| p.kind == gguf::F32).count(), 2 + 2 + 1);
    let numbers = Stored::of(&c, mixed.clone().expanded(&c).unwrap());
    assert!(mixed.bytes(4) < numbers.bytes(4) / 2);
    let follow = |stored: &Stored, most: usize| {
        let weights = Weights::new(&Cpu::native(), stored.clone()).unwrap();
        let mut f = Follower::new(Cpu::native(), c, &weights, most).unwrap();
        f.feed(&[7, 200, 31, 4, 90, 17, 250]).unwrap().to_vec()
    };
    let want = follow(&numbers, 7);
    let size = want.iter().fold(0.0f32, |m, x| m.max(x.abs()));
    assert!(size > 0.1, "{size}");
    for got in [follow(&mixed, 7), follow(&mixed, 1)] {
        let off = want.iter().zip(&got).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        // The activations have eight bits.
        assert!(off > 0.0 && off < 0.03 * size, "{off} of {size}");
    }
    // On a device they stay blocks: what differs is the order of the other sums, and a byte of an activation here and there.
    #[cfg(feature = "gpu")]
    {
        let gpu = fulmen::gpu::backend::Gpu::new(fulmen::gpu::device::Host::default());
        let weights = Weights::new(&gpu, mixed.clone()).unwrap();
        let mut f = Follower::new(gpu, c, &weights, 7).unwrap();
        let got = f.feed(&[7, 200, 31, 4, 90, 17, 250]).unwrap().to_vec();
        let cpu = follow(&mixed, 7);
        let off = cpu.iter().zip(&got).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(off < 0.003 * size, "{off} of {size}");
    }
}

#[test]
fn quantised_models_are_written_and_read() {
    let folder = Folder::new("quantised");
    let (text_file, out) = (folder.at("text"), folder.at("model.gguf"));
    std::fs::write(&text_file, text()).unwrap();
    let small = folder.at("small.gguf");
    let [file, model, small] = [&text_file, &out, &small].map(|p| p.to_str().unwrap());
    let sizes =
        ["--steps=15", "--rate=0.01", "--vocab=256", "--dim=32", "--layers=1", "--heads=2", "--kv-heads=1"];
    let more = ["--hidden=48", "--context=32", "--batch=4", "--length=32"];
    let train = [&["train", file, "--out", model], &sizes[..], &more].concat();
    assert_eq!(program(&train).0, 0);
    let measured = |model| {
        let (code, out, err) = program(&["perplexity", model, "--text", file, "--tokens=100"]);
        assert_eq!(code, 0, "{err}");
        out.split(' ').nth(1).unwrap().parse::<f64>().unwrap()
    };
    let full = measured(model);
    assert!(full > 1.0 && full < 100.0, "{full}");
    for (format, most) in [("q8_0", 1.01), ("q4_0", 1.2), ("mxfp4", 1.3)] {
        let (code, out, err) = program(&["quantize", model, "--to", format, "--out", small]);
        assert_eq!(code, 0, "{err}");
        // A row of 48 is no whole blocks; a vector is no matrix.
        assert!(err.contains("ffn_down.weight [32, 48]") && err.lines().count() == 1, "{err}");
        assert!(out.contains("bytes, from"), "{out}");
        let got = measured(small);
        assert!((full / most..full * most).contains(&got) && got != full, "{format}: {got}, f32 {full}");
        let (code, out, _) = program(&["inspect", small]);
        assert_eq!(code, 0);
        let line = |name: &str| out.lines().find(|l| l.contains(name)).unwrap().trim().to_owned();
        assert!(line("blk.0.attn_k.weight").starts_with(&format!("{format} [16, 32]")), "{out}");
        assert!(line("output_norm.weight").starts_with("f32 [32]"), "{out}");
        assert!(line("general.architecture").ends_with("\"llama\""), "{out}");
        assert!(
            line("tokenizer.ggml.tokens").contains("256 of [") && line("fulmen.pairs").contains("0 of []")
        );
    }
    let ask = ["generate", small, "--prompt", "the ", "--tokens=4", "--temperature=0"];
    let (code, out, err) = program(&ask);
    assert!(code == 0 && out.starts_with("the "), "{out} {err}");
    #[cfg(feature = "gpu")]
    {
        let (code, device, err) = program(&[&ask[..], &["--backend=interpreter"]].concat());
        assert!(code == 0 && device == out, "{device} {err}");
    }
    let (code, out, err) = program(&["bench", small, "--steps=1"]);
    assert!(code == 0 && !out.contains("training") && out.contains("writing"), "{out} {err}");
    let bytes = |model| {
        let (code, out, err) = program(&["generate", model, "--prompt=the", "--plan"]);
        assert_eq!(code, 0, "{err}");
        let line = out.lines().find(|l| l.ends_with("weights")).unwrap().trim();
        line.split(' ').next().unwrap().parse::<u64>().unwrap()
    };
    assert!(2 * bytes(small) < bytes(model), "{} of {}", bytes(small), bytes(model));
    for (args, why) in [
        (&["quantize", small, "--to", "q8_0", "--out", model][..], "is mxfp4, not f32, f16"),
        (&["quantize", model, "--to", "q9", "--out", small], "'q9'"),
        (&["quantize", model, "--out", small], "--to"),
        (&["perplexity", model], "--text"),
        (&["inspect", file], "GGUF"),
    ] {
        let (code, out, err) = program(args);
        assert!(code == 2 && out.is_empty() && err.contains(why), "{args:?}: {code} {out} {err}");
    }
    assert_eq!(measured(model), full);
}

/// The losses of training, and what is written, on any machine.
#[cfg(feature = "gpu")]
struct Whole<'a>(Config, Recipe, &'a [u32]);

#[cfg(feature = "gpu")]
impl machine::Job for Whole<'_> {
    type Done = (Vec<f32>, Vec<usize>);
    fn run<M: machine::Machine + Blocking>(self, m: M) -> Self::Done {
        let Self(config, recipe, tokens) = self;
        let parameters = first_parameters(&config, 7).unwrap();
        let trainer = Trainer::new(m.clone(), config, recipe, parameters, Rank::ALONE).unwrap();
        let losses =
            M::steps(&trainer, None, 1, tokens, |one| (0..recipe.steps).map(|s| one(s).unwrap()).collect());
        let trained = Stored::of(&config, m.wait(trainer.weights()).unwrap());
        let weights = Weights::new(&m, trained).unwrap();
        let mut follower = Follower::new(m, config, &weights, 4).unwrap();
        let mut next = |ids: &[u32]| fulmen::argmax(follower.feed(ids).unwrap()).unwrap();
        let mut text = vec![next(&tokens[..6])];
        for _ in 0..3 {
            text.push(next(&[text[text.len() - 1] as u32]));
        }
        (losses, text)
    }
}

/// A device is another order of the same sums.
#[cfg(feature = "gpu")]
#[test]
fn the_interpreter_trains_as_the_cpu() {
    let config =
        Config { vocab: 20, dim: 8, hidden: 12, heads: 2, kv_heads: 1, layers: 1, context: 16, ..tiny() };
    let recipe = Recipe { steps: 2, batch: 2, length: 5, groups: 2, rate: 0.1, ..Recipe::default() };
    let tokens: Vec<u32> = (0..200).map(|i| (i * i % 17) as u32).collect();
    let whole = || Whole(config, recipe, &tokens);
    let (want, text) = machine::on_best_lanes(whole());
    let (losses, same) = machine::on_device("interpreter", whole()).unwrap().unwrap();
    let off = want.iter().zip(&losses).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(losses.len() == 2 && off < 1e-5, "{want:?} and {losses:?}");
    assert_eq!(text, same);
}
