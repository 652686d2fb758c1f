//! Templates of chats: `tokenizer.chat_template`, written in Jinja, says how the messages of a conversation become a text.
//!
//! What a template may use is what `transformers` gives it: blocks trimmed on both sides, `break` and `continue`, methods of
//! Python's texts, lists and dictionaries, `raise_exception`, `strftime_now`, and `tojson` that escapes nothing for HTML. The
//! work and the memory of one text are bounded by `FUEL`.

use crate::Tokens;
use fulmen::gguf::{Gguf, Value};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Value as Jinja, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, context, filters};
use regex_automata::meta::Regex;

/// Who says something, `system`, `user` or `assistant`, and what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub role: String,
    pub content: String,
}

impl Message {
    pub fn new(role: &str, content: impl Into<String>) -> Self {
        Self { role: role.into(), content: content.into() }
    }
}

/// The most work for one text: instructions, and 64 bytes of what is made (256 MB).
pub const FUEL: u64 = 4_000_000;
/// The longest template, in bytes. The longest of models in use has 50 000.
pub const LONGEST: usize = 1 << 20;

/// A template, and what it knows of the vocabulary.
pub struct Template {
    environment: Environment<'static>,
    marks: [String; 2],
}

/// The only template of an environment.
const NAME: &str = "chat";

fn failed(why: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, why)
}

/// Takes the parts of a value from `left`, which is none when they are more: a list may hold itself many times.
fn counted(value: &Jinja, left: u64) -> Result<u64, Error> {
    let mut left = left.checked_sub(1).ok_or_else(|| failed("`tojson` of too large a value".into()))?;
    if matches!(value.kind(), ValueKind::Seq | ValueKind::Map | ValueKind::Iterable) {
        for item in value.try_iter()? {
            if value.kind() == ValueKind::Map {
                left = counted(&value.get_item(&item)?, left)?;
            }
            left = counted(&item, left)?;
        }
    } else if let Some(text) = value.as_str() {
        left = left
            .checked_sub(text.len() as u64 / 8)
            .ok_or_else(|| failed("`tojson` of too long a text".into()))?;
    }
    Ok(left)
}

/// JSON as Python writes it: what stands for a character of HTML is that character.
fn tojson(
    state: &State<'_, '_>,
    value: &Jinja,
    indent: Option<Jinja>,
    args: Kwargs,
) -> Result<String, Error> {
    // Arguments of `json.dumps` that change nothing here.
    for name in ["ensure_ascii", "sort_keys", "separators"] {
        if args.has(name) {
            match (name, args.get::<bool>(name)) {
                ("ensure_ascii", Ok(false)) | ("sort_keys", Ok(false)) => {}
                _ => return Err(failed(format!("`tojson` with `{name}` is not known here"))),
            }
        }
    }
    let indent = match indent {
        Some(indent) => Some(indent),
        None => args.get::<Option<Jinja>>("indent")?,
    };
    counted(value, 1 << 20)?;
    let json = filters::tojson(value, indent, [(); 0].iter().map(|()| ("", Jinja::UNDEFINED)).collect())?
        .to_string();
    state.consume_fuel((json.len() / 64) as u64)?;
    let (mut out, mut rest) = (String::with_capacity(json.len()), &json[..]);
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let plain = [("\\u003c", '<'), ("\\u003e", '>'), ("\\u0026", '&'), ("\\u0027", '\'')];
        if let Some((code, c)) = plain.iter().find(|(code, _)| escape.starts_with(code)) {
            out.push(*c);
            rest = &escape[code.len()..];
        } else {
            // The backslash and what it escapes, which is one byte.
            let (both, left) = escape.split_at_checked(2).unwrap_or((escape, ""));
            out.push_str(both);
            rest = left;
        }
    }
    out.push_str(rest);
    Ok(out)
}

/// The template with `generation`, a block of `transformers` that marks what a model learns from, as a block that is always
/// taken: it changes no text.
fn without_generation(source: &str) -> Result<String, String> {
    let tag = Regex::new(r"\{%[-+]?\s*(?:end)?generation\s*[-+]?%\}").map_err(|e| e.to_string())?;
    let (mut out, mut done) = (String::with_capacity(source.len()), 0);
    for found in tag.find_iter(source) {
        out.push_str(&source[done..found.start()]);
        let tag = &source[found.range()];
        let ends = tag.contains("endgeneration");
        let [name, is] = if ends { ["endgeneration", "endif"] } else { ["generation", "if true"] };
        out.push_str(&tag.replace(name, is));
        done = found.end();
    }
    out.push_str(&source[done..]);
    Ok(out)
}

impl Template {
    /// The template of a file, where it has one.
    ///
    /// Errors: what is wrong with it.
    pub fn of_file(file: &Gguf<'_>, tokens: &Tokens) -> Result<Option<Self>, String> {
        match file.value("tokenizer.chat_template") {
            None => Ok(None),
            Some(Value::Text(source)) => Self::new(source, tokens.marks()).map(Some),
            Some(_) => Err("its `tokenizer.chat_template` is no text".into()),
        }
    }

    /// From a template's text, and the names of the tokens of start and end.
    ///
    /// Errors: where the template is no Jinja.
    pub fn new(source: &str, marks: [&str; 2]) -> Result<Self, String> {
        if source.len() > LONGEST {
            return Err(format!("its chat template has {} bytes; at most {LONGEST} are read", source.len()));
        }
        let mut environment = Environment::new();
        let said = |e: Error| format!("its chat template: {}", shown(&e));
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.map_err(said)?);
        environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
        environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.set_fuel(Some(FUEL));
        environment.add_filter("tojson", tojson);
        environment.add_function("raise_exception", |why: String| Err::<String, _>(failed(why)));
        environment.add_function("strftime_now", |format: String| {
            let now = jiff::ZonedDateTime::now();
            jiff::fmt::strtime::format(&format, &now).map_err(|e| failed(e.to_string()))
        });
        // Python cannot iterate over its `None`, which templates ask of their tools.
        environment.add_test("iterable", |value: &Jinja| !value.is_none() && value.try_iter().is_ok());
        environment.add_template_owned(NAME, without_generation(source)?).map_err(said)?;
        Ok(Self { environment, marks: marks.map(String::from) })
    }

    /// The text of a conversation, up to where the model is to say something.
    ///
    /// Errors: what the template says against the messages, or that it asks for too much work.
    pub fn text(&self, messages: &[Message]) -> Result<String, String> {
        let messages: Vec<Jinja> =
            messages.iter().map(|m| context! { role => &m.role, content => &m.content }).collect();
        let [bos_token, eos_token] = &self.marks;
        let values = context! {
            messages, bos_token, eos_token, add_generation_prompt => true, tools => Jinja::from(()), documents => Jinja::from(()),
        };
        let template = self.environment.get_template(NAME).map_err(|e| shown(&e))?;
        template.render(values).map_err(|e| format!("its chat template: {}", shown(&e)))
    }
}

/// An error in one line, with the line of the template.
fn shown(e: &Error) -> String {
    let line = e.line().map_or(String::new(), |n| format!("line {n}: "));
    let what = e.detail().map_or_else(|| e.kind().to_string(), String::from);
    line + &what.chars().take(300).collect::<String>()
}
