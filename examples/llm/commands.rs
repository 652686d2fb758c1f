//! What each command does.

use super::*;
use crate::chart::{self, Chart, Line};
#[cfg(feature = "trace")]
use crate::model::profile::{self, Watch};
use crate::progress::Progress;
use fulmen_tokens::Reading;

pub(super) fn quantize(r: &Request, io: &mut Streams<'_>) -> Result<(), Stop> {
    let (Some(out), Some(kind)) = (r.out.as_deref(), r.to) else { return Ok(()) };
    let files = parts::read(r.file()).map_err(|why| useless(r.file(), why))?;
    let inputs: Vec<&Path> = files.paths.iter().map(|path| &**path).collect();
    let place = Place::claim(out, &inputs)?;
    let file = Parts::of(&files).map_err(|why| useless(r.file(), why))?;
    // What is wrong with the model is said of its file, before there is another.
    Model::from_parts(&file).map_err(|why| useless(r.file(), why))?;
    let mut whole = Vec::new();
    weights::quantize(&file, kind, io, &mut whole).map_err(|why| useless(r.file(), why))?;
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

/// Refuses sizes and numbers that were given beside `--resume` and that the run to go on with has not.
fn same_run(r: &Request, config: &Config, recipe: &Recipe) -> Result<(), Stop> {
    for (name, given) in &r.given {
        let has = match *name {
            "--batch" => recipe.batch as f64,
            "--length" => recipe.length as f64,
            "--seed" => f64::from(recipe.seed),
            "--rate" => f64::from(recipe.rate),
            "--vocab" => config.vocab as f64,
            "--dim" => config.dim as f64,
            "--layers" => config.layers as f64,
            "--heads" => config.heads as f64,
            "--kv-heads" => config.kv_heads as f64,
            "--hidden" => config.hidden as f64,
            _ => config.context as f64,
        };
        if *given != has {
            return Err(Stop::Usage(format!(
                "{name} {} cannot be changed: the run that --resume goes on with has {}",
                *given as f32, has as f32
            )));
        }
    }
    Ok(())
}

/// The trainer, the vocabulary and the losses of a run that goes on from `state`.
fn resumed<M: Machine + Blocking>(
    machine: M,
    r: &Request,
    state: &Path,
    mark: Mark,
    at: Rank,
) -> Result<(Trainer<M>, Vocabulary, Vec<f32>), Stop> {
    let (mut trainer, vocabulary, of, losses) =
        Trainer::resume(machine, state, at).map_err(|why| useless(state, why))?;
    if of != mark {
        return Err(useless(r.file(), "this is not the text that the run to resume was learning"));
    }
    same_run(r, &trainer.config, &trainer.recipe)?;
    let (done, steps) = (losses.len(), r.steps.unwrap_or(trainer.recipe.steps));
    if steps < done || r.steps == Some(done) && done < trainer.recipe.steps {
        let why = format!("{done} steps are done, so --steps must be more than {done}");
        return Err(useless(state, why));
    }
    trainer.recipe.steps = steps;
    Ok((trainer, vocabulary, losses))
}

/// The trainer and the vocabulary of a run that begins.
fn begun<M: Machine + Blocking>(
    machine: M,
    r: &Request,
    text: &[u8],
    plan: &[Row],
    at: Rank,
) -> Result<(Trainer<M>, Vocabulary), Stop> {
    // Before the time that learning a vocabulary takes.
    let plan = if M::HOST { plan } else { &[] };
    memory::check(&plan.repeat(at.ranks))?;
    let of_text = Words::of(text)?.plan(r.config.vocab, text.len());
    memory::check(&[plan, &of_text].concat().repeat(at.ranks))?;
    let vocabulary = Vocabulary::learn(text, r.config.vocab)?;
    let config = Config { vocab: vocabulary.len(), ..r.config };
    let parameters = first_parameters(&config, r.recipe.seed)?;
    Ok((Trainer::new(machine, config, r.recipe, parameters, at)?, vocabulary))
}

pub(super) fn train<M: Machine + Blocking>(
    machine: M,
    r: &Request,
    io: &mut Streams<'_>,
    at: Rank,
    others: Option<&dyn AllReduce<M>>,
) -> Result<(), Stop> {
    let name = machine.name();
    let plan = trainer_plan(&machine, &r.config, &r.recipe, at)?;
    let text = r.text()?;
    if r.plan {
        let of_text = Words::of(&text)?.plan(r.config.vocab, text.len());
        return print_plan(io.out, &[&plan[..], &of_text].concat());
    }
    let out = r.out.as_deref().unwrap_or(Path::new(""));
    let state = beside(out, ".state");
    let svg = r.svg.clone().unwrap_or_else(|| beside(out, ".svg"));
    let places = if at.rank == 0 { claim_outputs(r.file(), [out, &state, &svg])? } else { Vec::new() };
    let mark = Mark::of(&text);
    // A stretch of a hundredth, when a sequence of mostly single bytes fits into all five.
    let stretch = if text.len() / 20 > 4 * r.config.context { text.len() / 100 } else { 0 };
    let bigram = bigram_entropy(&text) as f32;
    let whole = text;
    let (text, apart) = hold_out(&whole, stretch);
    drop(whole);
    let (trainer, vocabulary, mut losses) = if r.resume {
        resumed(machine.clone(), r, &state, mark, at)?
    } else if state.exists() && !r.fresh {
        return Err(useless(&state, "a run left this; --resume goes on from it, --fresh starts over it"));
    } else {
        let (trainer, vocabulary) = begun(machine.clone(), r, &text, &plan, at)?;
        (trainer, vocabulary, Vec::new())
    };
    let Recipe { steps, length, batch, .. } = trainer.recipe;
    let (tokens, held) = (vocabulary.encode(&text), vocabulary.encode(&apart));
    if tokens.len() <= length {
        let why = format!("it has {} tokens, training needs more than {length} (--length)", tokens.len());
        return Err(useless(r.file(), why));
    }
    let per_token = |text: &[u8], tokens: &[u32]| text.len() as f32 / tokens.len().max(1) as f32;
    let (bytes, held_bytes) = (per_token(&text, &tokens), per_token(&apart, &held));
    drop((text, apart));
    let [model_place, state_place, svg_place] = places.as_slice() else {
        // Another rank than 0: it writes nothing.
        let first = losses.len();
        return M::steps(&trainer, others, r.workers(), &tokens, |one| {
            Ok((first..steps).try_for_each(|step| one(step).map(drop))?)
        });
    };
    let c = &trainer.config;
    io.note(format_args!(
        "{} parameters, {} tokens of {bytes:.2} bytes, {}{} threads; entropy of byte pairs {bigram:.3} nats per byte\n{}\n",
        c.parameters(),
        tokens.len(),
        if at.ranks > 1 { format!("{} ranks of ", at.ranks) } else { String::new() },
        r.workers().min(trainer.recipe.groups / at.ranks),
        program::lanes(&name)
    ));
    let first = losses.len();
    if first == steps {
        io.note(format_args!("all {steps} steps are done; --steps with a larger number goes on\n"));
    }
    losses.try_reserve_exact(steps.saturating_sub(first)).map_err(|e| Stop::Useless(e.to_string()))?;
    let started = Instant::now();
    // Ten times the loss of one who knows nothing.
    let most = 10.0 * (c.vocab as f32).ln();
    #[cfg(feature = "trace")]
    let watch = watch(r)?;
    let mut progress = Progress::new(steps, first, io.terminal);
    let mut apart: Vec<(usize, f32)> = Vec::new();
    let every = (steps / 20).max(5);
    let asked = (io.interrupt)();
    let result: Result<(), Stop> = M::steps(&trainer, others, r.workers(), &tokens, |one| {
        for step in first..steps {
            let loss = one(step)?;
            let done = step + 1;
            let stop = asked.load(Ordering::Relaxed);
            let save = done % r.save_every == 0 || done == steps || stop;
            // What the step made of the weights shows in the next loss only: before they are saved, one is asked for.
            let next = if save { trainer.held_out(&tokens[..=length], 1)? } else { None };
            let lost = [Some(loss), next].iter().flatten().any(|l| l.is_nan() || *l > most);
            if lost || save && !trainer.is_sane()? {
                return Err(Stop::Without(format!(
                    "the training went astray at step {done} (loss {loss}) and is not saved; a --rate below {} may help",
                    trainer.recipe.rate
                )));
            }
            losses.push(loss);
            if done % every == 0 || done == steps {
                let sequences = if done == steps { 64 } else { batch };
                apart.extend(trainer.held_out(&held, sequences)?.map(|loss| (done, loss / held_bytes)));
            }
            let mut message = format!("{:.3} nats per byte", recent(&losses) / bytes);
            if let Some((_, loss)) = apart.last() {
                message += &format!(", {loss:.3} held out");
            }
            let rate = ((done - first) * batch * length) as f32 / started.elapsed().as_secs_f32();
            message += &format!(", {rate:.0} tokens/s");
            progress.show(done, &message, done % 50 == 0 || done == steps || step == first, io.err);
            if save {
                trainer.save(model_place, state_place, &vocabulary, mark, &losses, others)??;
            }
            if stop && done < steps {
                return Err(Stop::Without(format!(
                    "stopped after step {done} of {steps}; `--resume` goes on from {}",
                    shown(&state)
                )));
            }
        }
        Ok(())
    });
    progress.clear();
    #[cfg(feature = "trace")]
    report(watch, r, &trainer.config, None, io);
    result?;
    drop(trainer);
    let seen = losses.iter().enumerate().map(|(i, x)| (i as f64 + 1.0, f64::from(x / bytes)));
    let points = [seen.collect(), apart.iter().map(|(i, x)| (*i as f64, f64::from(*x))).collect()];
    let picture = picture(points, bigram, steps, &format!("{}, lanes {name}", shown(r.file())))?;
    svg_place.write(|to| to.write_all(picture.as_bytes()))?;
    let last = recent(&losses) / bytes;
    let mut of_held = String::from("the text is too short to hold some of it out");
    if let Some((_, loss)) = apart.last() {
        of_held = format!("{loss:.3} on text held out");
        if *loss > 1.25 * last {
            io.note(format_args!(
                "warning: {of_held}, {last:.3} on what it has seen: it memorises; more text or fewer --steps help\n"
            ));
        }
    }
    writeln!(
        io.out,
        "{}: {last:.3} nats per byte on text that it has seen, {of_held}; byte pairs have {bigram:.3}",
        shown(out)
    )?;
    writeln!(io.out, "{}: the losses as a picture\n", shown(&svg))?;
    let sample = generate(machine, &r.sample(out), io);
    next(r, out, steps, io);
    sample
}

/// Starts the profile and the trace that the request asks for.
#[cfg(feature = "trace")]
fn watch(r: &Request) -> Result<Watch, Stop> {
    let file = r.trace.as_deref().map(|path| files::stream(path, &[r.file()])).transpose()?;
    Ok(Watch::begin(r.profile, file))
}

/// Ends them, and prints the profile.
#[cfg(feature = "trace")]
fn report(
    watch: Watch,
    r: &Request,
    c: &Config,
    places: Option<&[crate::config::Place]>,
    io: &mut Streams<'_>,
) {
    let path = r.trace.as_deref().unwrap_or(Path::new(""));
    io.note(format_args!("{}", watch.end(c, places, path)));
}

/// The losses by step, in nats per byte, with the entropy of byte pairs to compare with.
fn picture(
    [seen, apart]: [Vec<(f64, f64)>; 2],
    bigram: f32,
    steps: usize,
    about: &str,
) -> Result<String, Stop> {
    let line = |name: &str, points, dashed| Line { name: name.into(), points, dashed };
    let pairs = [0.0, steps as f64].map(|x| (x, f64::from(bigram))).to_vec();
    let lines = [
        line("text that it learns", seen, false),
        line("text held out", apart, false),
        line(&format!("entropy of byte pairs, {bigram:.3}"), pairs, true),
    ];
    let chart = Chart {
        title: "Loss of a language model by step",
        x: "step",
        y: "loss, nats per byte",
        powers: false,
    };
    chart.svg(&lines, &format!("{about}; {}", chart::machine_and_date())).map_err(Stop::Useless)
}

/// Says what to try next.
fn next(r: &Request, out: &Path, steps: usize, io: &mut Streams<'_>) {
    let (llm, out) = (program::again("llm"), shown(out));
    let again = match &r.file {
        Some(file) => format!("{} --out {out}", shown(file)),
        None => String::new(),
    };
    io.note(format_args!(
        "\nnext:\n  {llm} generate {out} --prompt \"It was \"\n  {llm} train {again}{}--resume --steps {}\n  \
         {llm} train FILE --out model.gguf   (a text of yours)\n",
        if again.is_empty() { "" } else { " " },
        2 * steps
    ));
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
    indices: Vec<u32>,
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
        #[cfg(feature = "trace")]
        profile::start();
        for &token in never {
            if let Some(x) = logits.get_mut(token as usize) {
                *x = f32::NEG_INFINITY;
            }
        }
        // Rounded to `f32`, a number below 1 may be 1.
        let draw = (uniform(self.seed, self.drawn) as f32).min(1.0 - f32::EPSILON / 2.0);
        self.drawn += 1;
        let token = fulmen::sample(logits, self.with, draw, &mut self.values, &mut self.indices)? as u32;
        #[cfg(feature = "trace")]
        profile::lap(profile::SAMPLING);
        Ok(token)
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
    let files = parts::read(r.file()).map_err(|why| useless(r.file(), why))?;
    let file = Parts::of(&files).map_err(|why| useless(r.file(), why))?;
    let vocabulary = gguf::tokenizer(file.first()).map_err(|why| useless(r.file(), why))?;
    say_notes(r.file(), &vocabulary, io);
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
    let Model { config, vocabulary, weights } =
        Model::open(r.file()).map_err(|why| useless(r.file(), why))?;
    say_notes(r.file(), &vocabulary, io);
    let prompt = r.prompt.as_deref().unwrap_or_default();
    let ids = vocabulary.encode_prompt(prompt);
    if ids.is_empty() && !r.plan {
        let why = "--prompt is empty, and this model has no token that a text begins with";
        return Err(Stop::Usage(why.into()));
    }
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
    #[cfg(feature = "trace")]
    let watch = watch(r)?;
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
    #[cfg(feature = "trace")]
    report(watch, r, &config, Some(weights.places()), io);
    let rate = |n: usize, t: std::time::Duration| n as f64 / t.as_secs_f64().max(1e-9);
    let (reading, writing) = (rate(ids.len(), read), rate(count.saturating_sub(1), wrote));
    io.note(format_args!("read {reading:.0} tokens/s, wrote {writing:.0} tokens/s on {name}\n"));
    Ok(())
}
