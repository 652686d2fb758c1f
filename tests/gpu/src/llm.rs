//! The program `llm` on a device: the losses and the text of the CPU.

use std::path::Path;

fn llm(args: &[&str]) -> String {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = crate::cli::run(args.iter().map(Into::into), &mut out, &mut err, false, Default::default);
    assert_eq!(code, 0, "{args:?}: {}", String::from_utf8_lossy(&err));
    // A sample of a model of bytes may be no text.
    String::from_utf8_lossy(&out).into_owned()
}

fn losses(model: &Path) -> Vec<f32> {
    let mut state = model.as_os_str().to_os_string();
    state.push(".state");
    let bytes = std::fs::read(state).expect("the state beside the model");
    let file = fulmen::gguf::Gguf::read(&bytes).expect("a file of this program");
    crate::gguf::reals(&file, "fulmen.losses").expect("losses")
}

/// Trains and writes on both. A loss may differ by what the orders of sums do.
pub fn run(backend: &str) {
    let dir = std::env::temp_dir().join(format!("fulmen-llm-{backend}-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a directory for the models");
    let text = dir.join("text");
    std::fs::write(&text, "a rose is a rose is a rose, and a daisy is a daisy. ".repeat(40)).expect("a text");
    let model = |name: &str| dir.join(name);
    let on = |name: &str| {
        let (text, out) = (text.to_string_lossy(), model(name).to_string_lossy().into_owned());
        let sizes = "--steps 8 --batch 4 --length 20 --vocab 260 --dim 32 --hidden 64 --heads 4 --kv-heads 2 --layers 2 \
                     --context 40 --save-every 8 --rate 0.01 --backend";
        let args: Vec<&str> =
            ["train", &text, "--out", &out].into_iter().chain(sizes.split_whitespace()).collect();
        llm(&[&args[..], &[name]].concat());
        losses(&model(name))
    };
    let (cpu, device) = (on("cpu"), on(backend));
    assert!(cpu.len() == 8 && cpu[7] < cpu[0] - 0.5, "it learns: {cpu:?}");
    let off = cpu.iter().zip(&device).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(cpu.len() == device.len() && off < 1e-4, "{cpu:?} and {device:?}");
    let write = |from: &str, backend: &str| {
        let from = model(from).to_string_lossy().into_owned();
        llm(&[
            "generate",
            &from,
            "--prompt",
            "a rose",
            "--tokens",
            "24",
            "--temperature",
            "0",
            "--backend",
            backend,
        ])
    };
    // As it is, and in blocks, which stay so on a device.
    let [from, to] = ["cpu", "blocks"].map(|name| model(name).to_string_lossy().into_owned());
    llm(&["quantize", &from, "--to", "q4_0", "--out", &to]);
    for from in ["cpu", "blocks"] {
        assert_eq!(write(from, "cpu"), write(from, backend), "the same greedy text");
    }
    println!(
        "llm on {backend}: losses {:.4} to {:.4}, within {off:.1e} of the CPU's; the same text",
        device[0], device[7]
    );
    std::fs::remove_dir_all(&dir).expect("the models go");
}

/// Trains on several cards: near the losses of one and, in order, with its bits.
#[cfg(feature = "nccl")]
pub fn ranks(ranks: usize) {
    let dir = std::env::temp_dir().join(format!("fulmen-llm-ranks-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a directory for the models");
    let text = dir.join("text");
    std::fs::write(&text, "a rose is a rose is a rose, and a daisy is a daisy. ".repeat(40)).expect("a text");
    let sizes = "--steps 8 --batch 8 --length 20 --vocab 260 --dim 32 --hidden 64 --heads 4 --kv-heads 2 --layers 2 \
                 --context 40 --save-every 8 --rate 0.01 --fresh --backend cuda --ranks";
    let on = |ranks: usize, more: &[&str]| {
        let (text, out) = (text.to_string_lossy(), dir.join("model"));
        let (name, count) = (out.to_string_lossy().into_owned(), ranks.to_string());
        let args: Vec<&str> =
            ["train", &text, "--out", &name].into_iter().chain(sizes.split_whitespace()).collect();
        llm(&[&args[..], &[&count], more].concat());
        (losses(&out), std::fs::read(out).expect("a model"))
    };
    let (one, many) = (on(1, &[]).0, on(ranks, &[]).0);
    let off = one.iter().zip(&many).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(one.len() == 8 && many.len() == 8 && off < 1e-4, "{one:?} and {many:?}");
    if ranks <= 4 {
        assert!(
            on(1, &["--deterministic"]) == on(ranks, &["--deterministic"]),
            "the bits of {ranks} cards in order"
        );
    }
    println!("llm on {ranks} cards: losses {:.4} to {:.4}, within {off:.1e} of one card's", many[0], many[7]);
    std::fs::remove_dir_all(&dir).expect("the models go");
}
