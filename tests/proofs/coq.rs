//! Definitions of a proof, evaluated: arithmetic over natural numbers and integers, `let`, other definitions, and blocks of four words.

use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    Number(i128),
    Block([i128; 4]),
}

impl Value {
    fn number(self) -> i128 {
        match self {
            Self::Number(x) => x,
            Self::Block(_) => panic!("a block is no number"),
        }
    }
    pub fn block(self) -> [i128; 4] {
        match self {
            Self::Block(x) => x,
            Self::Number(_) => panic!("a number is no block"),
        }
    }
}

/// The definitions of a file.
pub struct Proof(BTreeMap<String, (Vec<String>, Vec<String>)>);

/// Words, numbers and signs, without comments and scopes.
fn tokens(text: &str) -> Vec<String> {
    let (mut out, mut depth, chars) = (Vec::new(), 0, text.chars().collect::<Vec<_>>());
    let at = |i: usize| chars.get(i).copied().unwrap_or(' ');
    let mut i = 0;
    while i < chars.len() {
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        match (at(i), at(i + 1)) {
            ('(', '*') => (depth, i) = (depth + 1, i + 2),
            ('*', ')') if depth > 0 => (depth, i) = (depth - 1, i + 2),
            (c, _) if depth > 0 || c.is_whitespace() => i += 1,
            ('%', _) => {
                i += 1;
                while word(at(i)) {
                    i += 1;
                }
            }
            (c, _) if word(c) => {
                let from = i;
                // A dot inside a name is one of a module's.
                while word(at(i)) || at(i) == '.' && at(i + 1).is_alphabetic() {
                    i += 1;
                }
                out.push(chars[from..i].iter().collect());
            }
            (':', '=') => {
                out.push(":=".into());
                i += 2;
            }
            (c, _) => {
                out.push(c.into());
                i += 1;
            }
        }
    }
    out
}

impl Proof {
    pub fn read(file: &str) -> Self {
        let path = std::path::Path::new(common::ROOT).join("contracts/proofs").join(file);
        let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{file}: {e}"));
        let words = tokens(&text);
        let mut all = BTreeMap::new();
        for (i, _) in words.iter().enumerate().filter(|(_, w)| *w == "Definition") {
            let words = &words[i + 1..];
            let end = words.iter().position(|w| w == ".").unwrap();
            let Some(is) = words[..end].iter().position(|w| w == ":=") else { continue };
            let (mut parameters, mut names) = (Vec::new(), false);
            for w in &words[1..is] {
                match w.as_str() {
                    "(" => names = true,
                    ":" | ")" => names = false,
                    w if names => parameters.push(w.into()),
                    _ => {}
                }
            }
            all.insert(words[0].clone(), (parameters, words[is + 1..end].to_vec()));
        }
        Self(all)
    }

    /// A definition of these arguments.
    pub fn of(&self, name: &str, arguments: &[Value]) -> Value {
        let (parameters, body) = self.0.get(name).unwrap_or_else(|| panic!("no definition of {name}"));
        assert_eq!(parameters.len(), arguments.len(), "{name}");
        let local = parameters.iter().cloned().zip(arguments.iter().copied()).collect();
        let mut reader = Reader { proof: self, words: body, at: 0, local };
        let value = reader.expression();
        assert_eq!(reader.at, body.len(), "{name}: {:?} is left", &body[reader.at..]);
        value
    }

    pub fn number(&self, name: &str, arguments: &[usize]) -> usize {
        let arguments: Vec<_> = arguments.iter().map(|x| Value::Number(*x as i128)).collect();
        self.of(name, &arguments).number().try_into().expect("a natural number")
    }
}

struct Reader<'a> {
    proof: &'a Proof,
    words: &'a [String],
    at: usize,
    local: BTreeMap<String, Value>,
}

impl Reader<'_> {
    fn peek(&self) -> &str {
        self.words.get(self.at).map_or("", String::as_str)
    }
    fn take(&mut self, word: &str) -> bool {
        let there = self.peek() == word;
        self.at += usize::from(there);
        there
    }
    fn name(&mut self) -> String {
        self.at += 1;
        self.words[self.at - 1].clone()
    }

    fn expression(&mut self) -> Value {
        if self.take("let") {
            let name = self.name();
            assert!(self.take(":="), "let {name}");
            let value = self.expression();
            assert!(self.take("in"), "let {name}");
            self.local.insert(name, value);
            return self.expression();
        }
        let mut x = self.product();
        loop {
            x = match self.peek() {
                "+" | "-" => {
                    let minus = self.name() == "-";
                    let y = self.product().number();
                    Value::Number(x.number() + if minus { -y } else { y })
                }
                _ => return x,
            };
        }
    }
    fn product(&mut self) -> Value {
        let mut x = self.power();
        while matches!(self.peek(), "*" | "/" | "mod") {
            let sign = self.name();
            let (a, b) = (x.number(), self.power().number());
            x = Value::Number(match sign.as_str() {
                "*" => a.checked_mul(b).expect("127 bits"),
                "/" => a.div_euclid(b),
                _ => a.rem_euclid(b),
            });
        }
        x
    }
    fn power(&mut self) -> Value {
        let x = self.application();
        if !self.take("^") {
            return x;
        }
        let y = self.power().number();
        Value::Number(x.number().checked_pow(y.try_into().unwrap()).expect("127 bits"))
    }
    fn application(&mut self) -> Value {
        let head = self.peek().to_owned();
        let known = self.local.contains_key(&head);
        if known || !head.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            return self.atom();
        }
        self.at += 1;
        let mut arguments = Vec::new();
        while self.peek() == "("
            || self.peek().starts_with(|c: char| c.is_alphanumeric() || c == '_')
                && !matches!(self.peek(), "mod" | "in")
        {
            arguments.push(self.atom());
        }
        self.call(&head, &arguments)
    }
    fn atom(&mut self) -> Value {
        if self.take("(") {
            let x = self.expression();
            assert!(self.take(")"), "`)` before {:?}", self.peek());
            return x;
        }
        let word = self.name();
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let hex = word.strip_prefix("0x").map(|x| i128::from_str_radix(x, 16));
            return Value::Number(hex.unwrap_or_else(|| word.parse()).unwrap());
        }
        self.local.get(&word).copied().unwrap_or_else(|| self.call(&word, &[]))
    }
    fn call(&self, name: &str, arguments: &[Value]) -> Value {
        match (name, arguments) {
            ("N.lor", [a, b]) => Value::Number(a.number() | b.number()),
            ("N.land", [a, b]) => Value::Number(a.number() & b.number()),
            ("N.shiftl", [a, b]) => Value::Number(a.number() << b.number()),
            ("N.shiftr", [a, b]) => Value::Number(a.number() >> b.number()),
            ("Z.lxor", [a, b]) => Value::Number(a.number() ^ b.number()),
            ("B", [a, b, c, d]) => Value::Block([a, b, c, d].map(|x| x.number())),
            ("c0" | "c1" | "c2" | "c3", [b]) => {
                Value::Number(b.block()[usize::from(name.as_bytes()[1] - b'0')])
            }
            _ => self.proof.of(name, arguments),
        }
    }
}

#[test]
fn definitions_are_evaluated() {
    let text = Proof(
        [
            ("f", vec!["a", "b"], "let q := a / b in (q + 2) * 3 - a mod b * 2 ^ g 1"),
            ("g", vec!["x"], "x + 0x1"),
        ]
        .into_iter()
        .map(|(name, p, body)| (name.into(), (p.into_iter().map(Into::into).collect(), tokens(body))))
        .collect(),
    );
    assert_eq!(text.of("f", &[Value::Number(17), Value::Number(5)]), Value::Number((3 + 2) * 3 - 2 * 4));
    assert_eq!(tokens("a (* b (* c *) *) (x%nat)"), ["a", "(", "x", ")"]);
}
