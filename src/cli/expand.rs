//! A contract in full from its file, which says what differs from others of its shape.
//!
//! `equation` is the only equation, named as the op. `shapes/<shape>.yaml` has two keys. `defaults` holds what a contract of the shape says where its file does not: maps are merged key by
//! key, anything else is taken whole, and `equation` there stands for each equation. `promises` is the list of a file that has none.
//! `promises.yaml` holds promises that several contracts make, by name. A promise is an obligation together with its evidence: a test
//! (`prediction`, `test`, `if_fails`), a `theorem`, a harness of Kani (`kani`), a `review` or `types`. A file lists them in order: by name,
//! by name with the keys that differ (`{promise: NAME, …}`), in full, or `of_shape` for the list of its shape. The obligation of a promise
//! has its place in the list as number, its test and its harness their places among those; `number` and `test_number` state others.
//! In a promise `{op}` stands for the op's name, `{OP}` for it in capitals, `{formula}` for the formula of the first equation, `{inputs}` for the
//! inputs, `{posts}` for the postconditions.

use super::corpus::read;
use serde::{Deserialize, Deserializer, de};
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::fs;
use std::path::Path;

/// A value of YAML.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}
use Node::{List, Map, Text};

/// What the contracts' files leave to their shapes.
pub struct Shapes {
    shapes: BTreeMap<String, Node>,
    promises: Node,
}

impl Shapes {
    /// Reads `shapes/` and `promises.yaml` of the folder with the contracts.
    pub fn load(dir: &Path) -> Result<Self, String> {
        let mut shapes = BTreeMap::new();
        // Without the folder each contract says that its shape is missing.
        for path in
            fs::read_dir(dir.join("shapes")).into_iter().flatten().filter_map(|e| Some(e.ok()?.path()))
        {
            if path.extension().is_some_and(|e| e == "yaml") {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                shapes.insert(name, parse(&read(&path)).map_err(|e| format!("{}: {e}", path.display()))?);
            }
        }
        let text = read(&dir.join("promises.yaml"));
        let promises = if text.is_empty() {
            Map(Vec::new())
        } else {
            parse(&text).map_err(|e| format!("promises.yaml: {e}"))?
        };
        Ok(Self { shapes, promises })
    }

    /// The whole contract of a file's text, as YAML.
    pub fn expand(&self, text: &str) -> Result<String, String> {
        let mut file: Node = parse(text)?;
        let op = file.text("op").ok_or("the file names no `op`")?.to_string();
        if let Some(equation) = file.take("equation") {
            file.put("equations", Map(vec![(op.clone(), equation)]));
        }
        let shape = file.get("call").and_then(|c| c.text("shape")).ok_or("the file names no `call.shape`")?;
        let shape = self.shapes.get(shape).ok_or_else(|| format!("shapes/{shape}.yaml is missing"))?;
        if let Some(Map(defaults)) = shape.get("defaults") {
            for (key, value) in defaults {
                match key.as_str() {
                    "equation" => file.each("equations", |equation| equation.complete(value)),
                    _ => file.fill(key, value),
                }
            }
        }
        let usual = shape.get("promises").cloned().unwrap_or(List(Vec::new()));
        let promises = file.take("promises").unwrap_or_else(|| List(vec![Text("of_shape".into())]));
        for key in ["proof_obligations", "falsify", "kani_harnesses"] {
            if file.get(key).is_some() {
                return Err(format!("`{key}` comes from `promises`"));
            }
        }
        let names = Names::new(&file, &op);
        let mut all = Vec::new();
        for promise in promises.list().ok_or("`promises` is no list")? {
            match promise {
                Text(name) if name == "of_shape" => all.extend(usual.list().unwrap_or_default().iter()),
                other => all.push(other),
            }
        }
        let (mut obligations, mut tests, mut harnesses) = (Vec::new(), Vec::new(), Vec::new());
        for promise in all {
            let promise = names.put_into(&self.promise(promise)?);
            let place = |key: &str, list: &[Node]| promise.number(key).unwrap_or(list.len() as i64 + 1);
            let upper = op.to_uppercase();
            let mut evidence = Vec::new();
            if let Some(test) = promise.get("test") {
                let id = Text(format!("FALSIFY-{upper}-{:03}", place("test_number", &tests)));
                evidence.push(("test".into(), id.clone()));
                tests.push(map([
                    ("id", Some(id)),
                    ("prediction", promise.get("prediction").cloned()),
                    ("test", Some(test.clone())),
                    ("if_fails", promise.get("if_fails").cloned()),
                ]));
            }
            if let Some(kani) = promise.get("kani") {
                let id = Text(format!("KANI-{upper}-{:03}", harnesses.len() + 1));
                evidence.push(("kani".into(), id.clone()));
                let key = |key: &str| kani.get(key).cloned();
                harnesses.push(map([
                    ("id", Some(id)),
                    ("property", key("property").or_else(|| promise.get("property").cloned())),
                    ("bound", key("bound")),
                    ("harness", key("harness")),
                    ("discharged_by", key("discharged_by")),
                ]));
            }
            for key in ["theorem", "review", "types"] {
                evidence.extend(promise.get(key).map(|v| (key.to_string(), v.clone())));
            }
            let key = |key: &str| promise.get(key).cloned();
            let number = place("number", &obligations);
            obligations.push(map([
                ("id", Some(Text(format!("{upper}-P{number}")))),
                ("type", key("type")),
                ("property", key("property")),
                ("formal", key("formal")),
                ("level", key("level")),
                ("proven_by", Some(Map(evidence))),
            ]));
        }
        file.put("proof_obligations", List(obligations));
        file.put("falsify", List(tests));
        file.put("kani_harnesses", List(harnesses));
        Ok(file.to_string())
    }

    /// A promise in full.
    fn promise(&self, promise: &Node) -> Result<Node, String> {
        let named = |name: &str| {
            self.promises.get(name).cloned().ok_or_else(|| format!("promises.yaml has no promise `{name}`"))
        };
        let whole = match promise {
            Text(name) => named(name)?,
            other => {
                let mut own = other.clone();
                if let Some(Text(name)) = own.take("promise") {
                    own.complete(&named(&name)?);
                }
                own
            }
        };
        let Map(keys) = &whole else { return Err("a promise is neither a name nor a map".into()) };
        match keys.iter().find(|(k, _)| !PROMISE.contains(&k.as_str())) {
            Some((key, _)) => Err(format!("a promise has no key `{key}`")),
            None => Ok(whole),
        }
    }
}

/// The keys of a promise.
const PROMISE: [&str; 13] = [
    "type",
    "property",
    "formal",
    "level",
    "number",
    "prediction",
    "test",
    "if_fails",
    "test_number",
    "theorem",
    "kani",
    "review",
    "types",
];

/// What stands for something else in promises.
struct Names([(&'static str, String); 5]);

impl Names {
    fn new(file: &Node, op: &str) -> Self {
        let equations = match file.get("equations") {
            Some(Map(e)) => e.as_slice(),
            _ => &[],
        };
        let formula = equations.first().and_then(|(_, e)| e.text("formula")).unwrap_or_default();
        let mut posts: Vec<&str> = Vec::new();
        for post in equations.iter().filter_map(|(_, e)| e.get("postconditions")?.list()).flatten() {
            posts.extend(post.text("check").filter(|check| !posts.contains(check)));
        }
        let inputs = file.get("call").and_then(|c| c.get("inputs")?.list()).unwrap_or_default();
        let inputs: Vec<&str> = inputs.iter().filter_map(Node::as_text).collect();
        Self([
            ("{formula}", formula.into()),
            ("{posts}", posts.join(" /\\ ")),
            ("{inputs}", inputs.join(", ")),
            ("{op}", op.into()),
            ("{OP}", op.to_uppercase()),
        ])
    }

    fn put_into(&self, node: &Node) -> Node {
        match node {
            Text(text) if text.contains('{') => {
                Text(self.0.iter().fold(text.clone(), |text, (name, value)| text.replace(name, value)))
            }
            List(all) => List(all.iter().map(|n| self.put_into(n)).collect()),
            Map(all) => Map(all.iter().map(|(k, n)| (k.clone(), self.put_into(n))).collect()),
            other => other.clone(),
        }
    }
}

/// The keys that have a value.
fn map<const N: usize>(keys: [(&str, Option<Node>); N]) -> Node {
    Map(keys.into_iter().filter_map(|(k, v)| Some((k.to_string(), v?))).collect())
}

/// What a text of YAML says.
pub fn parse<T: de::DeserializeOwned>(text: &str) -> Result<T, String> {
    // An argument may be called `n` or `y`.
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options).map_err(|e| e.to_string())
}

impl Node {
    fn get(&self, key: &str) -> Option<&Self> {
        let Map(all) = self else { return None };
        all.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    fn as_text(&self) -> Option<&str> {
        let Text(text) = self else { return None };
        Some(text)
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_text()
    }

    fn number(&self, key: &str) -> Option<i64> {
        let Self::Int(n) = self.get(key)? else { return None };
        Some(*n)
    }

    fn list(&self) -> Option<&[Self]> {
        let List(all) = self else { return None };
        Some(all)
    }

    fn take(&mut self, key: &str) -> Option<Self> {
        let Map(all) = self else { return None };
        let at = all.iter().position(|(k, _)| k == key)?;
        Some(all.remove(at).1)
    }

    fn put(&mut self, key: &str, value: Self) {
        if let Map(all) = self {
            all.push((key.into(), value));
        }
    }

    /// Changes the values of a map under `key`.
    fn each(&mut self, key: &str, change: impl Fn(&mut Self)) {
        if let Map(all) = self
            && let Some((_, Map(inner))) = all.iter_mut().find(|(k, _)| k == key)
        {
            inner.iter_mut().for_each(|(_, v)| change(v));
        }
    }

    /// The value of `key` where there is none, and what a map there lacks.
    fn fill(&mut self, key: &str, value: &Self) {
        if let Map(all) = self {
            match all.iter_mut().find(|(k, _)| k == key) {
                Some((_, own)) => own.complete(value),
                None => all.push((key.into(), value.clone())),
            }
        }
    }

    /// What a map lacks of another.
    fn complete(&mut self, defaults: &Self) {
        if let (Map(_), Map(defaults)) = (&mut *self, defaults) {
            defaults.iter().for_each(|(key, value)| self.fill(key, value));
        }
    }
}

/// YAML in the form of JSON; at the top and in lists of maps there, a key or an element a line.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Map(all) = self else { return self.inline(f) };
        for (key, value) in all {
            match value {
                List(all) if all.iter().any(|n| matches!(n, Map(_))) => {
                    writeln!(f, "{key}:")?;
                    for n in all {
                        f.write_str("  - ")?;
                        n.inline(f)?;
                        f.write_char('\n')?;
                    }
                }
                _ => {
                    write!(f, "{key}: ")?;
                    value.inline(f)?;
                    f.write_char('\n')?;
                }
            }
        }
        Ok(())
    }
}

impl Node {
    fn inline(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(b) => write!(f, "{b}"),
            Self::Int(n) => write!(f, "{n}"),
            Self::Float(x) => write!(f, "{x:?}"),
            Text(text) => quoted(text, f),
            List(all) => {
                for (k, n) in all.iter().enumerate() {
                    f.write_str(if k == 0 { "[" } else { ", " })?;
                    n.inline(f)?;
                }
                f.write_str(if all.is_empty() { "[]" } else { "]" })
            }
            Map(all) => {
                for (k, (key, n)) in all.iter().enumerate() {
                    f.write_str(if k == 0 { "{" } else { ", " })?;
                    write!(f, "{key}: ")?;
                    n.inline(f)?;
                }
                f.write_str(if all.is_empty() { "{}" } else { "}" })
            }
        }
    }
}

fn quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            '\n' => f.write_str("\\n")?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Node;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_unit<E>(self) -> Result<Node, E> {
                Ok(Node::Null)
            }
            fn visit_bool<E>(self, b: bool) -> Result<Node, E> {
                Ok(Node::Bool(b))
            }
            fn visit_i64<E>(self, n: i64) -> Result<Node, E> {
                Ok(Node::Int(n))
            }
            fn visit_u64<E: de::Error>(self, n: u64) -> Result<Node, E> {
                i64::try_from(n).map(Node::Int).map_err(|_| E::custom(format!("{n} is more than 2⁶³ − 1")))
            }
            fn visit_f64<E>(self, x: f64) -> Result<Node, E> {
                Ok(Node::Float(x))
            }
            fn visit_str<E>(self, text: &str) -> Result<Node, E> {
                Ok(Text(text.into()))
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut all: A) -> Result<Node, A::Error> {
                let mut list = Vec::new();
                while let Some(n) = all.next_element()? {
                    list.push(n);
                }
                Ok(List(list))
            }
            fn visit_map<A: de::MapAccess<'de>>(self, mut all: A) -> Result<Node, A::Error> {
                let mut map: Vec<(String, Node)> = Vec::new();
                while let Some((key, value)) = all.next_entry::<String, Node>()? {
                    if map.iter().any(|(k, _)| *k == key) {
                        return Err(de::Error::custom(format!("`{key}` stands twice")));
                    }
                    map.push((key, value));
                }
                Ok(Map(map))
            }
        }
        d.deserialize_any(Visitor)
    }
}
