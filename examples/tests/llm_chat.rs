//! Conversations, and tokens on the command line.

use super::{Folder, a_file, a_model, bytes_of, program};
use crate::gguf::Value;

const CHATML: &str = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}<|im_start|>assistant{{ '\\n' }}";

#[test]
fn a_chat_is_written_by_the_template_of_the_model() {
    let folder = Folder::new("chat");
    let [with, without, ours, template] = ["with", "without", "ours", "template"].map(|n| folder.at(n));
    let [with, without, ours, template] = [&with, &without, &ours, &template].map(|p| p.to_str().unwrap());
    let model = a_model();
    let mut file = a_file(&model);
    file.values.insert("llama.context_length".into(), Value::U32(128));
    std::fs::write(ours, bytes_of(&file)).unwrap();
    // To the program this is a vocabulary of another one.
    file.values.remove("fulmen.pairs");
    std::fs::write(without, bytes_of(&file)).unwrap();
    file.values.insert("tokenizer.chat_template".into(), Value::Text(CHATML.into()));
    std::fs::write(with, bytes_of(&file)).unwrap();
    std::fs::write(template, CHATML).unwrap();
    let ask = |file: &str, more: &[&str]| {
        program(&[&["chat", file, "--prompt=Hi", "--tokens=5", "--temperature=0"], more].concat())
    };
    let (code, out, err) = ask(with, &[]);
    assert!(code == 0 && out.ends_with('\n'), "{out} {err}");
    assert_eq!(ask(without, &["--template", template]), (0, out, err));
    // What it wrote is what follows the text of the template.
    let text = "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n";
    let (_, whole, _) = program(&["generate", with, "--prompt", text, "--tokens=5", "--temperature=0"]);
    assert_eq!(whole, [text, &ask(with, &[]).1].concat());
    assert_ne!(ask(with, &["--system=Be brief."]).1, "");
    for (file, more, why) in [
        (without, &[][..], "has no `tokenizer.chat_template`"),
        (ours, &[], "holds no conversation"),
        (with, &["--context=9"], "more than the context of 9"),
        (with, &["--template", "/nowhere"], "/nowhere"),
    ] {
        let (code, out, err) = ask(file, more);
        assert!(code == 2 && out.is_empty() && err.contains(why), "{why}: {err}");
    }
}

#[test]
fn tokens_are_printed() {
    let path = format!("{}/../tests/golden/llama/pieces.gguf", env!("CARGO_MANIFEST_DIR"));
    let ids = |args: &[&str]| program(&[&["tokenize", &path], args].concat());
    let (code, marked, err) = ids(&["--prompt", "the cat</s>"]);
    assert!(code == 0 && marked.starts_with("1 ") && marked.ends_with(" 2\n"), "{marked} {err}");
    let (_, plain, _) = ids(&["--plain", "--prompt", "the cat</s>"]);
    assert!(!plain.starts_with("1 ") && plain.len() > marked.len(), "{plain}");
    assert_eq!(ids(&[]).0, 2);
}
