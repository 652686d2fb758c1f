//! Templates against what Jinja of Python makes of them (`tests/golden/chat.py`), and hostile ones.
#![allow(clippy::unwrap_used, reason = "a test stops where it fails")]

use crate::chat::{LONGEST, Message, Template};

fn talks() -> [Vec<Message>; 3] {
    let m = Message::new;
    [
        vec![m("user", "Hello!")],
        vec![
            m("system", "  Be brief.\n"),
            m("user", "<b>1 & 2</b> 'ä'"),
            m("assistant", "<think>hm</think>\n Yes. "),
            m("user", "Why?"),
        ],
        vec![m("user", "a"), m("user", "b")],
    ]
}

#[test]
fn conversations_become_what_python_makes_of_them() {
    macro_rules! golden {
        ($($name:literal)*) => {[$((
            $name,
            include_str!(concat!("../../../tests/golden/chat/", $name, ".jinja")),
            include_str!(concat!("../../../tests/golden/chat/", $name, ".txt")),
        )),*]};
    }
    for (name, source, want) in golden!["chatml" "llama3" "mistral" "gemma" "deepseek" "marked" "python"] {
        let template = Template::new(source, ["<s>", "</s>"]).unwrap();
        let mut got = String::new();
        for (i, messages) in talks().iter().enumerate() {
            let text = template.text(messages);
            // The reason of a refusal is the template's own.
            let text =
                text.unwrap_or_else(|e| format!("refused: {}", e.rsplit(": ").next().unwrap_or_default()));
            got += &format!("=== {i}\n{text}\n");
        }
        assert_eq!(got, want, "{name}");
    }
}

#[test]
fn hostile_templates_are_errors() {
    for source in [
        "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}",
        "{% set ns = namespace(x='aaaaaaaa') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
        "{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x | tojson }}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{{ raise_exception('no') }}",
        "{{ messages[0].nothing.more }}",
        "{{ strftime_now('%Q%!') }}",
        "{% include 'chat' %}",
        "{{ 'x' * 999999999999 }}",
    ] {
        let made = Template::new(source, ["", ""]).and_then(|t| t.text(&talks()[0]));
        assert!(made.is_err(), "{source}");
    }
    for source in [
        "{% if %}",
        "{{",
        "{% endfor %}",
        &"{% if x %}".repeat(9999),
        &"(".repeat(99),
        &" ".repeat(LONGEST + 1),
    ] {
        let source = if source.starts_with('(') { format!("{{{{ {source} }}}}") } else { source.into() };
        assert!(Template::new(&source, ["", ""]).is_err());
    }
    let year = Template::new("{{ strftime_now('%Y-%m') }}", ["", ""]).unwrap().text(&[]).unwrap();
    assert!(year.len() == 7 && year.starts_with("20"), "{year}");
}
