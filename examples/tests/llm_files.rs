//! Vocabularies, sizes and files: what comes back, and what is refused.

use super::*;

#[test]
fn tokens_give_the_text_back() {
    let text = b"to be or not to be,\n\n  that is  the question: \xff\x00 to be to be";
    let learnt = Vocabulary::learn(text, 300).unwrap();
    assert!(learnt.len() > 256);
    for v in [bytes(), learnt.clone()] {
        let mut back = Vec::new();
        v.encode(text).into_iter().for_each(|token| v.decode_into(token, &mut back));
        assert_eq!(back, text);
        assert_eq!(v.encode(b""), []);
    }
    assert!(learnt.encode(text).len() < text.len());
    assert_eq!(learnt, Vocabulary::learn(text, 300).unwrap());
    assert_eq!(Vocabulary::new(learnt.pairs().to_vec()), Some(learnt));
}

#[test]
fn other_programs_can_read_the_vocabulary() {
    let v = Vocabulary::new(vec![[32, 97], [256, 10], [0xe9, 0x7f]]).unwrap();
    let texts = v.printable();
    assert_eq!(texts[256..], ["Ġa", "ĠaĊ", "éġ"]);
    assert_eq!(v.merges(), ["Ġ a", "Ġa Ċ", "é ġ"]);
    assert!(texts.iter().flat_map(|t| t.chars()).all(|c| c > ' ' && !('\x7f'..='\u{a0}').contains(&c)));
    let distinct: std::collections::BTreeSet<&String> = texts.iter().collect();
    assert_eq!((texts.len(), distinct.len()), (v.len(), v.len()));
}

#[test]
fn vocabularies_that_cannot_be_are_refused() {
    assert_eq!(Vocabulary::new(vec![[256, 0]]), None);
    // Each token twice as long as the one before.
    assert_eq!(Vocabulary::new((0..40).map(|i| [255 + i, 255 + i].map(|t| t.max(97))).collect()), None);
    assert!(Vocabulary::new(vec![[97, 98], [256, 99]]).is_some());
}

#[test]
fn entropy_of_pairs() {
    assert!(bigram_entropy(b"abababab").abs() < 1e-12);
    // After `a` comes `a` or `b`, as often; after `b` comes `a`.
    assert!((bigram_entropy(b"aabaabaabaaba") - 8.0 / 12.0 * 2f64.ln()).abs() < 0.02);
}

#[test]
fn sizes_that_do_not_go_together_are_refused() {
    let ok = tiny();
    for (bad, word) in [
        (Config { heads: 3, ..ok }, "--heads"),
        (Config { heads: 16, kv_heads: 16, ..ok }, "odd"),
        (Config { kv_heads: 3, ..ok }, "--kv-heads"),
        (Config { layers: 0, ..ok }, "at least 1"),
        (Config { hidden: 1 << 30, ..ok }, "above"),
        (Config { dim: 1 << 24, hidden: 1 << 24, layers: 1 << 24, ..ok }, "address space"),
        (Config { eps: f32::NAN, ..ok }, "epsilon"),
    ] {
        assert!(bad.checked().unwrap_err().0.contains(word), "{bad:?}");
    }
}

#[test]
fn files_come_back() {
    let model = a_model();
    let bytes = bytes_of(&a_file(&model));
    assert_eq!(Model::read(&bytes).unwrap(), model);
}

#[test]
fn truncated_and_foreign_files_are_refused() {
    let bytes = bytes_of(&a_file(&a_model()));
    for n in (0..6000).chain((6000..bytes.len()).step_by(997)) {
        let got = Model::read(&bytes[..n]);
        assert!(got.is_err(), "{n} of {} bytes", bytes.len());
    }
    assert!(matches!(Model::read(b"PK\x03\x04..."), Err(Trouble::Foreign(_))));
    assert!(matches!(Model::read(b"GGUF\x01\0\0\0........"), Err(Trouble::Foreign(_))));
}

#[test]
fn damaged_files_are_errors_and_never_panics() {
    let bytes = bytes_of(&a_file(&a_model()));
    for i in 0..8000 {
        let mut bad = bytes.clone();
        let at = random(1, i) as usize % 6000;
        bad[at] ^= 1 << (random(2, i) % 8);
        // Any answer but a panic; what is read is a model that can be.
        if let Ok(model) = Model::read(&bad) {
            assert_eq!(model.weights.expanded(&model.config).unwrap().len(), model.config.parameters());
        }
    }
}

#[test]
fn files_that_say_something_else_are_refused() {
    let say = |change: &dyn Fn(&mut Draft<'_>)| {
        let model = a_model();
        let mut file = a_file(&model);
        change(&mut file);
        Model::read(&bytes_of(&file)).unwrap_err().to_string()
    };
    let set = |key: &'static str, value: Value| {
        move |f: &mut Draft<'_>| _ = f.values.insert(key.into(), value.clone())
    };
    assert!(say(&set("general.architecture", Value::Text("gpt2".into()))).contains("architecture"));
    assert!(say(&set("llama.block_count", Value::U32(3))).contains("parameters"));
    assert!(say(&set("llama.vocab_size", Value::U32(255))).contains("vocabulary"));
    assert!(say(&set("fulmen.pairs", Value::Numbers(vec![1]))).contains("vocabulary"));
    assert!(say(&|f| _ = f.values.remove("llama.context_length")).contains("context_length"));
    assert!(say(&|f| f.tensors[3].1 = [1, 128]).contains("blk.0"));
    assert!(say(&|f| f.tensors[3].0 = "other".into()).contains("missing"));
}
