//! Training: groups of sequences on threads, one step of AdamW for all of them, and checkpoints.
//!
//! A batch is cut into groups whose gradients are added pairwise, so the number of threads changes no bit of the result. Each rank of a run
//! has an equal share of the groups.

use crate::config::{Biases, Config};
use crate::files::{self, Failed, Place};
use crate::gguf::{self, Model, Stored, Trouble, Value, file_of};
use crate::machine::{AllReduce, Machine, Positions, Steps, Training};
use crate::memory::{self, Lack, Row, product, zeros};
use crate::model::{self, Span};
use crate::tokens::Tokenizer;
use crate::vocabulary::Vocabulary;
use core::ops::Range;
use fulmen::Adam;
use fulmen::backend::Blocking;
use fulmen::gguf::Gguf;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError, RwLock};

/// What a training run depends on, besides the text and the model's sizes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recipe {
    /// Steps in all.
    pub steps: usize,
    /// Sequences of a step.
    pub batch: usize,
    /// Tokens of a sequence.
    pub length: usize,
    /// Parts that a batch is cut into, of all ranks.
    pub groups: usize,
    /// Largest step size; it rises over the first steps and falls to a tenth along a cosine.
    pub rate: f32,
    /// Of AdamW, for every parameter.
    pub decay: f32,
    /// Longest gradient.
    pub clip: f32,
    /// Of the first weights and of the choice of sequences.
    pub seed: u32,
}

impl Default for Recipe {
    fn default() -> Self {
        Self { steps: 600, batch: 16, length: 128, groups: 4, rate: 3e-3, decay: 0.05, clip: 1.0, seed: 1 }
    }
}

impl Recipe {
    /// As a machine runs it: a device has no use for parts, but for sums in an order that the number of ranks does not change.
    fn on<M: Machine>(self, at: Rank) -> Self {
        if M::HOST || at.deterministic { self } else { Self { groups: at.ranks, ..self } }
    }
}

/// A rank of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rank {
    /// Its number, from 0.
    pub rank: usize,
    /// How many there are.
    pub ranks: usize,
    /// Whether the bits of the result are those of another number of ranks, where groups are that many.
    pub deterministic: bool,
}

impl Rank {
    /// Of a run that has no other.
    pub const ALONE: Self = Self { rank: 0, ranks: 1, deterministic: false };
}

/// Number `i` of the stream of `seed`: Steele, Lea, Flood, *Fast Splittable Pseudorandom Number Generators* (2014).
pub fn random(seed: u32, i: u64) -> u64 {
    let mut z = (u64::from(seed) << 40).wrapping_add(i.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// In 0 … 1, without 1.
pub fn uniform(seed: u32, i: u64) -> f64 {
    (random(seed, i) >> 11) as f64 / (1u64 << 53) as f64
}

/// The first weights: normal with deviation 0.02, less where a block adds to the stream; norms at 1.
pub fn first_parameters(c: &Config, seed: u32) -> Result<Vec<f32>, Lack> {
    let mut x = zeros(c.parameters())?;
    for (x, i) in x.iter_mut().zip(0..) {
        let (u, v) = (1.0 - uniform(seed, 2 * i), uniform(seed, 2 * i + 1));
        *x = (0.02 * (-2.0 * u.ln()).sqrt() * (core::f64::consts::TAU * v).cos()) as f32;
    }
    let less = 1.0 / (2.0 * c.layers as f32).sqrt();
    for l in 0..c.layers {
        let (block, at) = (&mut x[c.block_at(l)], c.block());
        block[at.norm_1].fill(1.0);
        block[at.norm_2].fill(1.0);
        block[at.o].iter_mut().for_each(|x| *x *= less);
        block[at.down].iter_mut().for_each(|x| *x *= less);
    }
    x[c.last_norm()].fill(1.0);
    Ok(x)
}

/// What a text is known by: its length and 64 bits of FNV-1a (Fowler, Noll, Vo).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark(pub [u32; 4]);

impl Mark {
    pub fn of(text: &[u8]) -> Self {
        let hash = text
            .iter()
            .fold(0xcbf2_9ce4_8422_2325, |h: u64, &c| (h ^ u64::from(c)).wrapping_mul(0x0100_0000_01b3));
        let halves = |x: u64| [x as u32, (x >> 32) as u32];
        let ([a, b], [c, d]) = (halves(text.len() as u64), halves(hash));
        Self([a, b, c, d])
    }
}

/// One part of a batch, with memory of its own.
struct Group<M: Machine> {
    /// The tokens and what follows them: the host's, and the machine's.
    chosen: [Vec<u32>; 2],
    ids: M::Words,
    targets: M::Words,
    gradient: M::Floats,
    /// On the machine, and the host's copy.
    losses: (M::Floats, Vec<f32>),
    /// As [`model::training_room`] says.
    room: [M::Floats; 2],
    workspace: M::Floats,
    loss: Result<f32, Lack>,
}

/// A model in training: everything is allocated at the start.
pub struct Trainer<M: Machine> {
    machine: M,
    pub config: Config,
    pub recipe: Recipe,
    at: Rank,
    pub parameters: RwLock<M::Floats>,
    /// Those of this rank.
    groups: Vec<Mutex<Group<M>>>,
    positions: Positions<M>,
    moments: Mutex<[M::Floats; 2]>,
    /// The length of the gradient.
    norm: Mutex<M::Floats>,
}

/// A lock whose holder has panicked: the panic is being reported already.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `Ok` when such a model is trained here, else what it has that is not.
pub fn is_trained(c: &Config, weights: &Stored) -> Result<(), &'static str> {
    match () {
        () if !c.tied => Err("output weights of its own"),
        () if c.biases != Biases::default() => Err("biases"),
        () if !weights.blocks.is_empty() => Err("blocks of few bits"),
        () if !weights.factors.is_empty() => Err("factors of its rotary angles"),
        () => Ok(()),
    }
}

/// The names and the elements of the buffers of a [`Trainer`].
pub fn trainer_plan<M: Machine>(machine: &M, c: &Config, r: &Recipe, at: Rank) -> Result<[Row; 8], Lack> {
    let r = r.on::<M>(at);
    let rows = product(&[r.batch.div_ceil(r.groups), r.length])?;
    let groups = r.groups / at.ranks;
    Ok([
        ("parameters", c.parameters()),
        ("moments", 2 * c.parameters()),
        ("gradients", product(&[groups, c.parameters()])?),
        ("activations", product(&[groups, rows, model::training_room(c, 1).iter().sum::<usize>() + 2])?),
        ("workspaces", product(&[groups, model::workspace(machine, c, rows)])?),
        ("tokens", product(&[4, groups, rows])?),
        ("positions", product(&[rows, c.head_dim()])?),
        ("losses", r.steps),
    ])
}

impl<M: Machine> Trainer<M> {
    /// Allocates everything, of a rank, of which there are as many as divide the groups.
    pub fn new(
        machine: M,
        config: Config,
        recipe: Recipe,
        parameters: Vec<f32>,
        at: Rank,
    ) -> Result<Self, Lack> {
        let recipe = recipe.on::<M>(at);
        let plan = trainer_plan(&machine, &config, &recipe, at)?;
        if M::HOST {
            memory::check(&plan)?;
        }
        let rows = recipe.batch.div_ceil(recipe.groups) * recipe.length;
        let group = |_| {
            Ok(Mutex::new(Group {
                chosen: [zeros(rows)?, zeros(rows)?],
                ids: machine.words(rows)?,
                targets: machine.words(rows)?,
                gradient: machine.floats(config.parameters())?,
                losses: (machine.floats(rows)?, zeros(rows)?),
                room: {
                    let [activations, exact] = model::training_room(&config, rows);
                    [machine.activations(activations)?, machine.floats(exact)?]
                },
                workspace: machine.floats(model::workspace(&machine, &config, rows))?,
                loss: Ok(0.0),
            }))
        };
        let moments = [machine.floats(config.parameters())?, machine.floats(config.parameters())?];
        Ok(Self {
            groups: (0..recipe.groups / at.ranks).map(group).collect::<Result<_, Lack>>()?,
            positions: Positions::new(&machine, &config, rows / recipe.length, recipe.length, &[])?,
            parameters: RwLock::new(machine.floats_of(parameters)?),
            moments: Mutex::new(moments),
            norm: Mutex::new(machine.floats(1)?),
            machine,
            config,
            recipe,
            at,
        })
    }

    /// The sequences of a batch that group `g` of this rank has.
    fn sequences(&self, g: usize) -> Range<usize> {
        let Recipe { batch, groups, .. } = self.recipe;
        let g = self.at.rank * self.groups.len() + g;
        g * batch / groups..(g + 1) * batch / groups
    }

    /// Loss and gradient of group `g` at `step`, of sequences that the seed chooses from `text`.
    #[allow(clippy::await_holding_lock, reason = "a group is of one thread, which waits for no other")]
    async fn pass(&self, g: usize, step: usize, text: &[u32]) {
        let Recipe { batch, length, seed, .. } = self.recipe;
        let sequences = self.sequences(g);
        // One token more than the sequence is needed.
        let places = (text.len() - length) as u64;
        let start = |s| {
            let i = (step * batch + sequences.start + s) as u64;
            (random(seed ^ 0x5eed, i) % places) as usize
        };
        let mut group = held(&self.groups[g]);
        group.loss = self.measure(&mut group, text, sequences.len(), start).await;
    }

    /// Loss and gradient of `sequences` sequences of `text`, of which number `s` begins at `start(s)`.
    async fn measure(
        &self,
        group: &mut Group<M>,
        text: &[u32],
        sequences: usize,
        start: impl Fn(usize) -> usize,
    ) -> Result<f32, Lack> {
        self.losses(group, text, sequences, start).await.map_err(Into::into)?;
        Ok(fulmen::sum(&group.losses.1[..sequences * self.recipe.length]))
    }

    /// As [`Trainer::measure`]: the losses are left in the group.
    async fn losses(
        &self,
        group: &mut Group<M>,
        text: &[u32],
        sequences: usize,
        start: impl Fn(usize) -> usize,
    ) -> Result<(), M::Error> {
        let Recipe { batch, length, .. } = self.recipe;
        let Group { chosen, ids, targets, gradient, losses, room, workspace, .. } = group;
        let (b, rows) = (&self.machine, sequences * length);
        for s in 0..sequences {
            let (start, row) = (start(s), s * length..(s + 1) * length);
            chosen[0][row.clone()].copy_from_slice(&text[start..start + length]);
            chosen[1][row].copy_from_slice(&text[start + 1..start + 1 + length]);
        }
        for (chosen, to) in chosen.iter().zip([&mut *ids, &mut *targets]) {
            let [to, _] = M::split(M::ids_mut(to), rows)?;
            b.write(&chosen[..rows], to)?;
        }
        b.fill(0.0, M::view_mut(gradient))?;
        let [on_machine, _] = M::split(M::view_mut(&mut losses.0), rows)?;
        {
            let parameters = self.parameters.read().unwrap_or_else(PoisonError::into_inner);
            model::train(
                b,
                &self.config,
                Span { sequences, tokens: length, past: 0 },
                M::view(&parameters),
                &self.positions.angles(),
                [M::part(M::ids(ids), 0..rows)?, M::part(M::ids(targets), 0..rows)?],
                1.0 / (batch * length) as f32,
                M::view_mut(gradient),
                on_machine,
                room.each_mut().map(|room| M::view_mut(room)),
                M::view_mut(workspace),
            )?;
        }
        b.download_async(M::part(M::view(&losses.0), 0..rows)?, &mut losses.1[..rows]).await
    }

    /// The mean loss on sequences of a text that the steps do not see, at most `most` of them, apart as far as it goes;
    /// `None` when it is too short for one. In the memory of the first group, between two steps.
    pub fn held_out(&self, text: &[u32], most: usize) -> Result<Option<f32>, Lack>
    where
        M: Blocking,
    {
        let length = self.recipe.length;
        let windows = (text.len().saturating_sub(1) / length).min(most);
        if windows == 0 {
            return Ok(None);
        }
        let stride = (text.len() - 1) / windows;
        let (mut group, at_once) = (held(&self.groups[0]), self.sequences(0).len());
        let mut loss = 0.0;
        for first in (0..windows).step_by(at_once) {
            let sequences = at_once.min(windows - first);
            let measured = self.measure(&mut group, text, sequences, |s| (first + s) * stride);
            loss += self.machine.wait(measured)?;
        }
        Ok(Some(loss / (windows * length) as f32))
    }

    /// The weights, as the host sees them.
    #[allow(clippy::await_holding_lock, reason = "one thread trains where another cannot wait")]
    #[allow(dead_code, reason = "the program saves them where they are; a page and tests ask for them")]
    pub async fn weights(&self) -> Result<Vec<f32>, Lack> {
        let parameters = self.parameters.read().unwrap_or_else(PoisonError::into_inner);
        Ok(self.machine.on_host(&parameters).await?.into_owned())
    }

    /// Whether every weight is a number of a size that a model can have. Norms hide others: of 1e30 they make 0, and the
    /// loss is that of guessing.
    pub fn is_sane(&self) -> Result<bool, Lack>
    where
        M: Blocking,
    {
        let parameters = self.parameters.read().unwrap_or_else(PoisonError::into_inner);
        Ok(self.machine.wait(self.machine.on_host(&parameters))?.iter().all(|x| x.abs() < 1e6))
    }

    /// The step size at `step`.
    fn rate(&self, step: usize) -> f32 {
        let Recipe { steps, rate, .. } = self.recipe;
        let rising = (steps / 20).clamp(1, 200);
        if step < rising {
            return rate * (step + 1) as f32 / rising as f32;
        }
        let done = (step - rising) as f32 / (steps - rising).max(1) as f32;
        rate * (0.1 + 0.45 * (1.0 + (core::f32::consts::PI * done.min(1.0)).cos()))
    }

    /// The losses of some groups of this rank, added pairwise.
    fn loss(&self, groups: Range<usize>) -> Result<f32, Lack> {
        match groups.len() {
            1 => held(&self.groups[groups.start]).loss.clone(),
            n => {
                let middle = groups.start + n.next_power_of_two() / 2;
                Ok(self.loss(groups.start..middle)? + self.loss(middle..groups.end)?)
            }
        }
    }

    /// Adds the gradients pairwise, cuts them to length, and moves the parameters. Returns the mean loss.
    fn update(&self, step: usize, others: Option<&dyn AllReduce<M>>) -> Result<f32, Lack> {
        let Recipe { batch, length, .. } = self.recipe;
        let mut loss = self.loss(0..self.groups.len())?;
        self.add_groups().map_err(Into::into)?;
        if let Some(others) = others {
            loss = others.sum_of_host(loss)?;
            others.sum(&self.machine, M::view_mut(&mut held(&self.groups[0]).gradient))?;
        }
        self.step(step).map_err(Into::into)?;
        Ok(loss / (batch * length) as f32)
    }

    /// The gradients of this rank's groups, added pairwise, in the first.
    fn add_groups(&self) -> Result<(), M::Error> {
        let mut distance = 1;
        while distance < self.groups.len() {
            for left in (0..self.groups.len() - distance).step_by(2 * distance) {
                let [mut sum, other] = [left, left + distance].map(|g| held(&self.groups[g]));
                self.machine.add_in_place(M::view_mut(&mut sum.gradient), M::view(&other.gradient))?;
            }
            distance *= 2;
        }
        Ok(())
    }

    /// The step of [`Trainer::update`].
    fn step(&self, step: usize) -> Result<(), M::Error> {
        let Recipe { decay, clip, .. } = self.recipe;
        let b = &self.machine;
        let mut first = held(&self.groups[0]);
        b.clip_by_norm(clip, M::view_mut(&mut first.gradient), M::view_mut(&mut held(&self.norm)))?;
        let step = u32::try_from(step + 1).unwrap_or(u32::MAX);
        let rate = self.rate(step as usize - 1);
        let how = Adam { lr: rate, beta1: 0.9, beta2: 0.99, eps: 1e-8, weight_decay: decay, step };
        let mut moments = held(&self.moments);
        let [m, v] = &mut *moments;
        let mut parameters = self.parameters.write().unwrap_or_else(PoisonError::into_inner);
        let (m, v, p) = (M::view_mut(m), M::view_mut(v), M::view_mut(&mut parameters));
        b.adamw(how, M::view(&first.gradient), m, v, p)
    }

    /// Writes the model, when it has come from the machine, and beside it all that a run on `text` needs to go on after `losses.len()` steps.
    pub fn save(
        &self,
        out: &Place,
        state: &Place,
        vocabulary: &Vocabulary,
        text: Mark,
        losses: &[f32],
        others: Option<&dyn AllReduce<M>>,
    ) -> Result<Result<(), Failed>, Lack>
    where
        M: Blocking,
    {
        let parameters = self.parameters.read().unwrap_or_else(PoisonError::into_inner);
        let moments = held(&self.moments);
        let [m, v] = &*moments;
        let on_host = |x| self.machine.wait(self.machine.on_host(x));
        let (parameters, moments) = (on_host(&*parameters)?, [on_host(m)?, on_host(v)?]);
        others.map_or(Ok(()), AllReduce::check)?;
        let mut file = file_of(&self.config, vocabulary, &parameters);
        if let Err(failed) = out.write(|to| file.write(to)) {
            return Ok(Err(failed));
        }
        for (name, moment) in ["first", "second"].iter().zip(&moments) {
            file.tensors.push((format!("fulmen.moment.{name}"), [1, moment.len()], moment[..].into()));
        }
        let r = &self.recipe;
        let whole = [r.steps, r.batch, r.length, r.groups, r.seed as usize]
            .map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        file.values.insert("fulmen.recipe.numbers".into(), Value::Numbers(whole.to_vec()));
        file.values.insert("fulmen.recipe.reals".into(), Value::Reals(vec![r.rate, r.decay, r.clip]));
        file.values.insert("fulmen.text".into(), Value::Numbers(text.0.to_vec()));
        file.values.insert("fulmen.losses".into(), Value::Reals(losses.to_vec()));
        Ok(state.write(|to| file.write(to)))
    }

    /// A trainer as [`Trainer::save`] left it, by any number of ranks, its vocabulary, and the losses so far.
    pub fn resume(machine: M, state: &Path, at: Rank) -> Result<(Self, Vocabulary, Mark, Vec<f32>), Trouble> {
        let bytes = files::read(state)?;
        let file = Gguf::read(&bytes)?;
        let model = Model::from_file(&file)?;
        let broken = || Trouble::Broken("it is no state of a training run".into());
        let numbers = |key| gguf::numbers(&file, key).ok_or_else(broken);
        let reals = |key| gguf::reals(&file, key).ok_or_else(broken);
        let whole = <[u32; 5]>::try_from(numbers("fulmen.recipe.numbers")?).map_err(|_| broken())?;
        let [steps, batch, length, groups, seed] = whole.map(|n| n as usize);
        let [rate, decay, clip] =
            <[f32; 3]>::try_from(reals("fulmen.recipe.reals")?).map_err(|_| broken())?;
        let recipe = Recipe { steps, batch, length, groups, rate, decay, clip, seed: seed as u32 };
        if groups == 0 || batch < groups || length == 0 || length > model.config.context {
            return Err(broken());
        }
        let Tokenizer::Ours(vocabulary) = model.vocabulary else { return Err(broken()) };
        if is_trained(&model.config, &model.weights).is_err() {
            return Err(broken());
        }
        let mark = Mark(numbers("fulmen.text")?.try_into().map_err(|_| broken())?);
        let losses = reals("fulmen.losses")?;
        let parameters = model.weights.expanded(&model.config)?;
        if !recipe.on::<M>(at).groups.is_multiple_of(at.ranks) {
            return Err(Trouble::Broken(format!(
                "its {groups} groups are not a multiple of {} ranks",
                at.ranks
            )));
        }
        let trainer = Self::new(machine, model.config, recipe, parameters, at)?;
        for (name, moment) in ["first", "second"].iter().zip(&mut *held(&trainer.moments)) {
            let name = format!("fulmen.moment.{name}");
            let host = gguf::floats(&file, &name, trainer.config.parameters()).ok_or_else(broken)?;
            *moment = trainer.machine.floats_of(host)?;
        }
        Ok((trainer, vocabulary, mark, losses))
    }
}

impl<M: Machine> Training<M> for Trainer<M> {
    async fn one(&self, others: Option<&dyn AllReduce<M>>, step: usize, text: &[u32]) -> Result<f32, Lack> {
        for g in 0..self.groups.len() {
            self.pass(g, step, text).await;
        }
        self.update(step, others)
    }

    #[cfg(feature = "gpu")]
    fn now(&self, others: Option<&dyn AllReduce<M>>, step: usize, text: &[u32]) -> Result<f32, Lack>
    where
        M: Blocking,
    {
        self.machine.wait(self.one(others, step, text))
    }

    fn with_threads<R>(
        &self,
        others: Option<&dyn AllReduce<M>>,
        threads: usize,
        text: &[u32],
        body: impl FnOnce(Steps<'_>) -> R,
    ) -> R
    where
        M: Blocking + Sync,
        M::Floats: Send + Sync,
        M::Words: Send,
    {
        let threads = threads.clamp(1, self.groups.len());
        let (barrier, stop) = (Barrier::new(threads), AtomicBool::new(false));
        let step = Mutex::new(0);
        let share = |thread: usize| {
            let step = *held(&step);
            for g in (thread..self.groups.len()).step_by(threads) {
                self.machine.wait(self.pass(g, step, text));
            }
        };
        std::thread::scope(|scope| {
            for thread in 1..threads {
                let (barrier, stop, share) = (&barrier, &stop, &share);
                scope.spawn(move || {
                    loop {
                        barrier.wait();
                        if stop.load(Ordering::Acquire) {
                            return;
                        }
                        share(thread);
                        barrier.wait();
                    }
                });
            }
            let mut one = |now: usize| {
                *held(&step) = now;
                barrier.wait();
                share(0);
                barrier.wait();
                self.update(now, others)
            };
            let done = body(&mut one);
            stop.store(true, Ordering::Release);
            barrier.wait();
            done
        })
    }
}
