//! What each command does.

use super::*;
use fulmen_tokens::Reading;

pub(super) fn quantize(r: &Request, io: &mut Streams<'_>) -> Result<(), Stop> {
    let (Some(out), Some(kind)) = (r.out.as_deref(), r.to) else { return Ok(()) };
    let files = parts::read(&r.file).map_err(|why| useless(&r.file, why))?;
    let inputs: Vec<&Path> = files.paths.iter().map(|path| &**path).collect();
    let place = Place::claim(out, &inputs)?;
    let file = Parts::of(&files).map_err(|why| useless(&r.file, why))?;
    // What is wrong with the model is said of its file, before there is another.
    Model::from_parts(&file).map_err(|why| useless(&r.file, why))?;
    let mut whole = Vec::new();
    weights::quantize(&file, kind, io, &mut whole).map_err(|why| useless(&r.file, why))?;
    place.write(|to| to.write_all(&whole))?;
    let before: usize = files.bytes.iter().map(Vec::len).sum();
    Ok(writeln!(io.out, "{}: {} bytes, from {before}", shown(out), whole.len())?)
}

/// Prints the bytes of each buffer of `f32` or tokens.
pub(super) fn print_plan(out: &mut dyn Write, rows: &[Row]) -> Result<(), Stop> {
    for (name, elements) in rows {
        writeln!(out, "{:>14}  {name}", 4 * *elements as u128)?;
    }
    let total = memory::total(rows);
    writeln!(out, "{total:>14}  in all ({}), allocated once", Bytes(total))?;
    if let Some(free) = memory::free() {
        writeln!(out, "{free:>14}  free now ({})", Bytes(free.into()))?;
    }
    Ok(())
}

/// `path` with `more` at its end.
pub(super) fn beside(path: &Path, more: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(more);
    name.into()
}

/// The text that is learnt and, of longer ones, a twentieth in five stretches that is held out to measure by.
pub fn hold_out(text: &[u8], stretch: usize) -> (Vec<u8>, Vec<u8>) {
    let (mut learnt, mut held) = (Vec::with_capacity(text.len()), Vec::new());
    let parts = if stretch == 0 { 1 } else { 5 };
    for part in 0..parts {
        let part = &text[part * text.len() / parts..(part + 1) * text.len() / parts];
        let from = (part.len() - stretch) / 2;
        learnt.extend_from_slice(&part[..from]);
        held.extend_from_slice(&part[from..from + stretch]);
        learnt.extend_from_slice(&part[from + stretch..]);
    }
    (learnt, held)
}

/// The places of the results; refuses those that cannot be written, before there are any.
pub(super) fn claim_outputs<const N: usize>(text: &Path, outputs: [&Path; N]) -> Result<Vec<Place>, Stop> {
    let claim = |(i, path): (usize, &&Path)| {
        if outputs[..i].iter().any(|other| other == path || files::same(other, path)) {
            return Err(useless(path, "two results would go there"));
        }
        Ok(Place::claim(path, &[text])?)
    };
    outputs.iter().enumerate().map(claim).collect()
}

pub(super) fn train<M: Machine + Blocking>(
    machine: M,
    r: &Request,
    io: &mut Streams<'_>,
) -> Result<(), Stop> {
    let name = machine.name();
    let plan = trainer_plan(&machine, &r.config, &r.recipe)?;
    let text = files::read(&r.file).map_err(|why| useless(&r.file, why))?;
    if r.plan {
        let of_text = Words::of(&text)?.plan(r.config.vocab, text.len());
        return print_plan(io.out, &[&plan[..], &of_text].concat());
    }
    let out = r.out.as_deref().unwrap_or(Path::new(""));
    let state = beside(out, ".state");
    let svg = r.svg.clone().unwrap_or_else(|| beside(out, ".svg"));
    let places = claim_outputs(&r.file, [out, &state, &svg])?;
    let [model_place, state_place, svg_place] = places.as_slice() else { return Ok(()) };
    let mark = Mark::of(&text);
    // A stretch of a hundredth, when a sequence of mostly single bytes fits into all five.
    let stretch = if text.len() / 20 > 4 * r.config.context { text.len() / 100 } else { 0 };
    let bigram = bigram_entropy(&text) as f32;
    let whole = text;
    let (text, apart) = hold_out(&whole, stretch);
    drop(whole);
    let (trainer, vocabulary, mut losses) = if r.resume {
        let (trainer, vocabulary, of, losses) =
            Trainer::resume(machine, &state).map_err(|why| useless(&state, why))?;
        if of != mark {
            let why = "this is not the text that the run to resume was learning";
            return Err(useless(&r.file, why));
        }
        (trainer, vocabulary, losses)
    } else {
        if state.exists() && !r.fresh {
            return Err(useless(&state, "a run left this; --resume goes on from it, --fresh starts over it"));
        }
        // Before the time that learning a vocabulary takes.
        let plan = if M::HOST { &plan[..] } else { &[] };
        memory::check(plan)?;
        let of_text = Words::of(&text)?.plan(r.config.vocab, text.len());
        memory::check(&[plan, &of_text].concat())?;
        let vocabulary = Vocabulary::learn(&text, r.config.vocab)?;
        let config = Config { vocab: vocabulary.len(), ..r.config };
        let parameters = first_parameters(&config, r.recipe.seed)?;
        (Trainer::new(machine, config, r.recipe, parameters)?, vocabulary, Vec::new())
    };
    let Recipe { steps, length, batch, .. } = trainer.recipe;
    let (tokens, held) = (vocabulary.encode(&text), vocabulary.encode(&apart));
    if tokens.len() <= length {
        let why = format!("it has {} tokens, training needs more than {length} (--length)", tokens.len());
        return Err(useless(&r.file, why));
    }
    let per_token = |text: &[u8], tokens: &[u32]| text.len() as f32 / tokens.len().max(1) as f32;
    let (bytes, held_bytes) = (per_token(&text, &tokens), per_token(&apart, &held));
    drop((text, apart));
    let c = &trainer.config;
    io.note(format_args!(
        "{} parameters, {} tokens of {bytes:.2} bytes, {} threads on {}; entropy of byte pairs {bigram:.3} nats per byte\n",
        c.parameters(),
        tokens.len(),
        r.workers().min(trainer.recipe.groups),
        name
    ));
    let first = losses.len();
    losses.try_reserve_exact(steps.saturating_sub(first)).map_err(|e| Stop::Useless(e.to_string()))?;
    let started = Instant::now();
    // Ten times the loss of one who knows nothing.
    let most = 10.0 * (c.vocab as f32).ln();
    let result: Result<(), Stop> = M::steps(&trainer, r.workers(), &tokens, |one| {
        for step in first..steps {
            let loss = one(step)?;
            let done = step + 1;
            let save = done % r.save_every == 0 || done == steps;
            // What the step made of the weights shows in the next loss only: before they are saved, one is asked for.
            let next = if save { trainer.held_out(&tokens[..=length])? } else { None };
            let lost = [Some(loss), next].iter().flatten().any(|l| l.is_nan() || *l > most);
            if lost || save && !trainer.is_sane()? {
                return Err(Stop::Astray(format!(
                    "the training went astray at step {done} (loss {loss}) and is not saved; a --rate below {} may help",
                    trainer.recipe.rate
                )));
            }
            losses.push(loss);
            let loss = recent(&losses) / bytes;
            let spent = started.elapsed().as_secs_f32();
            let rate = ((done - first) * batch * length) as f32 / spent;
            if io.terminal {
                let filled = 30 * done / steps;
                let bar = [&"=".repeat(filled)[..], &" ".repeat(30 - filled)[..]].concat();
                let left = (spent * (steps - done) as f32 / (done - first) as f32).round() as u64;
                io.note(format_args!(
                    "\r[{bar}] {done}/{steps}  {loss:.3} nats per byte  {rate:.0} tokens/s  {}:{:02} left ",
                    left / 60,
                    left % 60
                ));
            } else if done % 50 == 0 || done == steps {
                io.note(format_args!("step {done}: {loss:.3} nats per byte, {rate:.0} tokens/s\n"));
            }
            if save {
                trainer.save(model_place, state_place, &vocabulary, mark, &losses)??;
            }
        }
        Ok(())
    });
    if io.terminal {
        io.note(format_args!("\n"));
    }
    result?;
    let per_byte: Vec<f32> = losses.iter().map(|x| x / bytes).collect();
    let picture = chart::svg(&per_byte, bigram);
    svg_place.write(|to| to.write_all(picture.as_bytes()))?;
    let last = recent(&losses) / bytes;
    let mut apart = String::from("the text is too short to hold some of it out");
    if let Some(loss) = trainer.held_out(&held)? {
        let loss = loss / held_bytes;
        apart = format!("{loss:.3} on text held out");
        if loss > 1.25 * last {
            io.note(format_args!(
                "warning: {apart}, {last:.3} on what it has seen: it memorises; more text or fewer --steps help\n"
            ));
        }
    }
    Ok(writeln!(
        io.out,
        "{}: {last:.3} nats per byte ({:.3} below byte pairs), {apart}",
        shown(out),
        bigram - last
    )?)
}

/// The mean of the last twenty losses.
fn recent(losses: &[f32]) -> f32 {
    let last = &losses[losses.len().saturating_sub(20)..];
    last.iter().sum::<f32>() / last.len().max(1) as f32
}

/// Draws tokens as the request says.
pub struct Sampler {
    with: fulmen::Sampling<f32>,
    seed: u32,
    drawn: u64,
    values: Vec<f32>,
    indices: Vec<usize>,
}

impl Sampler {
    /// Of a vocabulary of so many tokens.
    pub fn new(r: &Request, vocab: usize) -> Result<Self, Lack> {
        let with = fulmen::Sampling { temperature: r.temperature, top_k: r.top_k, top_p: r.top_p };
        let n = fulmen::sample_workspace(vocab, r.top_k);
        let (values, indices) = (memory::zeros(n)?, memory::zeros(n)?);
        Ok(Self { with, seed: r.recipe.seed, drawn: 0, values, indices })
    }

    /// The next token, which is none of `never`.
    pub fn next(&mut self, logits: &mut [f32], never: &[u32]) -> Result<u32, fulmen::Error> {
        for &token in never {
            if let Some(x) = logits.get_mut(token as usize) {
                *x = f32::NEG_INFINITY;
            }
        }
        // Rounded to `f32`, a number below 1 may be 1.
        let draw = (uniform(self.seed, self.drawn) as f32).min(1.0 - f32::EPSILON / 2.0);
        self.drawn += 1;
        Ok(fulmen::sample(logits, self.with, draw, &mut self.values, &mut self.indices)? as u32)
    }
}

/// Says what a user is to know of a file's vocabulary.
pub fn say_notes(path: &Path, vocabulary: &Tokenizer, io: &mut Streams<'_>) {
    for note in vocabulary.notes() {
        io.note(format_args!("note: {}: {note}\n", shown(path)));
    }
}

/// Prints the tokens of the prompt, or of each file of text, in a line.
pub(super) fn tokenize(r: &Request, io: &mut Streams<'_>) -> Result<(), Stop> {
    let files = parts::read(&r.file).map_err(|why| useless(&r.file, why))?;
    let file = Parts::of(&files).map_err(|why| useless(&r.file, why))?;
    let vocabulary = gguf::tokenizer(file.first()).map_err(|why| useless(&r.file, why))?;
    say_notes(&r.file, &vocabulary, io);
    let how = Reading { marks: !r.plain, control: !r.plain };
    let mut line = |text: &[u8]| {
        let ids: Vec<String> = vocabulary.read(text, how).iter().map(u32::to_string).collect();
        writeln!(io.out, "{}", ids.join(" "))
    };
    if let Some(prompt) = &r.prompt {
        line(prompt)?;
    }
    for path in &r.texts {
        line(&files::read(path).map_err(|why| useless(path, why))?)?;
    }
    Ok(())
}

pub(super) fn generate<M: Machine + Blocking>(
    machine: M,
    r: &Request,
    io: &mut Streams<'_>,
) -> Result<(), Stop> {
    let name = machine.name();
    let Model { config, vocabulary, weights } = Model::open(&r.file).map_err(|why| useless(&r.file, why))?;
    say_notes(&r.file, &vocabulary, io);
    let prompt = r.prompt.as_deref().unwrap_or_default();
    let ids = vocabulary.encode_prompt(prompt);
    let room = (config.context + 1).saturating_sub(ids.len());
    if room == 0 || r.tokens.is_some_and(|n| n > room) {
        let wanted = r.tokens.unwrap_or(1);
        let why = format!(
            "a prompt of {} tokens and {wanted} to write are more than the model's context of {}",
            ids.len(),
            config.context
        );
        return Err(Stop::Useless(why));
    }
    let mut count = r.tokens.unwrap_or(200.min(room));
    // Memory for this text, not for the longest that the model takes.
    let config = Config { context: config.context.min(ids.len() + count).max(1), ..config };
    let at_once = ids.len().clamp(1, 512);
    if r.plan {
        let bytes = weights.bytes(machine.weight_bytes());
        let mut rows = vec![("weights", bytes.div_ceil(4))];
        rows.extend(follower_plan(&machine, &config, at_once));
        return print_plan(io.out, &rows);
    }
    let mut sampler = Sampler::new(r, config.vocab)?;
    let weights = Weights::new(&machine, weights)?;
    let mut follower = Follower::new(machine, config, &weights, at_once)?;
    io.out.write_all(prompt)?;
    let started = Instant::now();
    let mut logits = follower.feed(&ids)?;
    let read = started.elapsed();
    let mut bytes = Vec::new();
    for i in 0..count {
        let token = sampler.next(logits, vocabulary.never())?;
        if vocabulary.ends(token) {
            count = i + 1;
            break;
        }
        vocabulary.decode_into(token, &mut bytes);
        io.out.write_all(&bytes)?;
        io.out.flush()?;
        bytes.clear();
        if i + 1 == count {
            break;
        }
        logits = follower.feed(&[token])?;
    }
    writeln!(io.out)?;
    let wrote = started.elapsed() - read;
    let rate = |n: usize, t: std::time::Duration| n as f64 / t.as_secs_f64().max(1e-9);
    let (reading, writing) = (rate(ids.len(), read), rate(count.saturating_sub(1), wrote));
    io.note(format_args!("read {reading:.0} tokens/s, wrote {writing:.0} tokens/s on {name}\n"));
    Ok(())
}
