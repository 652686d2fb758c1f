//! A conversation: the model's own template makes a text of its messages, and what the model writes is the next one.

use crate::cli::commands::{Sampler, say_notes};
use crate::cli::{Request, Stop, Streams, useless};
use crate::files;
use crate::gguf::Model;
use crate::gguf::parts::{self, Parts};
use crate::machine::{Follower, Machine, Weights};
use crate::tokens::Tokenizer;
use fulmen::backend::Blocking;
use fulmen_tokens::Reading;
use fulmen_tokens::chat::{Message, Template};
use std::io::BufRead;
use std::path::Path;

/// Tokens of the longest conversation, unless `--context` says another number.
const CONTEXT: usize = 4096;

/// The template of the file, or the one that stands in another.
fn template(r: &Request) -> Result<Template, Stop> {
    let files = parts::read(r.file()).map_err(|why| useless(r.file(), why))?;
    let file = Parts::of(&files).map_err(|why| useless(r.file(), why))?;
    let file = file.first();
    let tokens = match crate::gguf::tokenizer(file).map_err(|why| useless(r.file(), why))? {
        Tokenizer::Foreign(tokens) => tokens,
        Tokenizer::Ours(_) => {
            return Err(useless(r.file(), "its tokens are bytes of one text: it holds no conversation"));
        }
    };
    if let Some(path) = &r.template {
        let source = files::read(path).map_err(|why| useless(path, why))?;
        let source = String::from_utf8(source).map_err(|_| useless(path, "it is no text in UTF-8"))?;
        return Template::new(&source, tokens.marks()).map_err(|why| useless(path, why));
    }
    let found = Template::of_file(file, &tokens).map_err(|why| useless(r.file(), why))?;
    let none = "it has no `tokenizer.chat_template`, so how its messages are written is not known; --template FILE says it";
    found.ok_or_else(|| useless(r.file(), none))
}

/// The tokens of the text of a template, which may write the token of the start itself.
fn tokens_of(vocabulary: &Tokenizer, text: &str) -> Vec<u32> {
    let mut ids = vocabulary.read(text.as_bytes(), Reading { marks: false, control: true });
    if let Tokenizer::Foreign(tokens) = vocabulary
        && let Some(start) = tokens.start().filter(|start| ids.first() != Some(start))
    {
        ids.insert(0, start);
    }
    ids
}

/// Answers `--prompt`, or each line of `input`.
pub fn run<M: Machine + Blocking>(
    machine: M,
    r: &Request,
    input: &mut dyn BufRead,
    io: &mut Streams<'_>,
) -> Result<(), Stop> {
    let template = template(r)?;
    let Model { config, vocabulary, weights } =
        Model::open(r.file()).map_err(|why| useless(r.file(), why))?;
    say_notes(r.file(), &vocabulary, io);
    let mut config = config;
    config.context = config.context.min(r.context.unwrap_or(CONTEXT)).max(1);
    let context = config.context;
    let mut sampler = Sampler::new(r, config.vocab)?;
    let weights = Weights::new(&machine, weights)?;
    let mut follower = Follower::new(machine, config, &weights, context.min(512))?;
    let mut messages: Vec<Message> =
        r.system.iter().map(|text| Message::new("system", text.as_str())).collect();
    // The tokens that the model has read.
    let mut seen: Vec<u32> = Vec::new();
    loop {
        let said = match &r.prompt {
            Some(prompt) => String::from_utf8_lossy(prompt).into_owned(),
            None => {
                if io.terminal {
                    io.note(format_args!("> "));
                }
                match line(input)? {
                    Some(said) => said,
                    None => return Ok(()),
                }
            }
        };
        messages.push(Message::new("user", said));
        let text = template.text(&messages).map_err(|why| useless(r.file(), why))?;
        let ids = tokens_of(&vocabulary, &text);
        if ids.is_empty() {
            return Err(useless(r.file(), "its chat template makes no text of the conversation"));
        }
        if ids.len() > context {
            let why =
                format!("the conversation has {} tokens, more than the context of {context}", ids.len());
            return Err(Stop::Useless(why));
        }
        // A template may write an earlier message otherwise than the model did.
        if !ids.starts_with(&seen) || ids.len() == seen.len() {
            follower.restart();
            seen.clear();
        }
        let mut logits = follower.feed(&ids[seen.len()..])?;
        seen.clone_from(&ids);
        let mut answer = Vec::new();
        let most = r.tokens.unwrap_or(usize::MAX);
        for count in 0..most {
            let token = sampler.next(logits, vocabulary.never())?;
            if vocabulary.ends(token) {
                break;
            }
            let from = answer.len();
            vocabulary.decode_into(token, &mut answer);
            io.out.write_all(&answer[from..])?;
            io.out.flush()?;
            if seen.len() == context {
                io.note(format_args!("\nnote: the context of {context} tokens is full\n"));
                break;
            }
            if count + 1 == most {
                break;
            }
            logits = follower.feed(&[token])?;
            seen.push(token);
        }
        writeln!(io.out)?;
        io.out.flush()?;
        if r.prompt.is_some() {
            return Ok(());
        }
        messages.push(Message::new("assistant", String::from_utf8_lossy(&answer)));
    }
}

/// The next line that is not empty; none at the end.
fn line(input: &mut dyn BufRead) -> Result<Option<String>, Stop> {
    loop {
        let mut line = Vec::new();
        let read = input.read_until(b'\n', &mut line);
        if read.map_err(|why| useless(Path::new("standard input"), why))? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\r', '\n']);
        if !text.trim().is_empty() {
            return Ok(Some(text.into()));
        }
    }
}
