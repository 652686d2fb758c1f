//! What runs the model: the lanes that this CPU has, and memory that the program allocates once.

#[cfg(feature = "gpu")]
#[path = "resident.rs"]
mod resident;

use crate::config::{Config, Place};
use crate::gguf::{Stored, of_kind};
use crate::memory::{self, Lack, Row, zeros};
use crate::model::{self, Angles, Blocked, Ids, In, Out, Span, Table};
use core::ops::Range;
#[cfg(feature = "parallel")]
use fulmen::backend::Threads;
use fulmen::backend::{Blocking, Cpu, HostQuantised, Memory, Plain, Quantised, Reductions};
#[cfg(feature = "gpu")]
use fulmen::gpu::backend::Gpu;
use fulmen::lanes::Simd;
use fulmen::quant::{Block, blocks, blocks_in};
use fulmen::{Error, RopeScaling};
use std::borrow::Cow;

/// A backend, and memory that is its own.
pub trait Machine: Blocked + Memory<Error: Into<Lack>> + Clone {
    /// Elements.
    type Floats;
    /// Tokens.
    type Words;
    /// Whether its memory is the host's.
    const HOST: bool = true;
    /// What it is: the name of lanes, or of a device.
    fn name(&self) -> String;
    /// So many zeros.
    fn floats(&self, n: usize) -> Result<Self::Floats, Lack>;
    /// So many zeros of activations, which products read and write: in 16 bits where the machine rounds their operands to those.
    fn activations(&self, n: usize) -> Result<Self::Floats, Lack> {
        self.floats(n)
    }
    /// So many tokens.
    fn words(&self, n: usize) -> Result<Self::Words, Lack>;
    fn view(x: &Self::Floats) -> In<'_, Self>;
    fn view_mut(x: &mut Self::Floats) -> Out<'_, Self>;
    fn ids(x: &Self::Words) -> Ids<'_, Self>;
    fn ids_mut(x: &mut Self::Words) -> <Self as Memory>::Mut<'_, u32>;
    /// Runs `body` with a function that does one step of training, on `threads` threads of the host's where they help.
    fn steps<R>(
        trainer: &impl Training<Self>,
        others: Option<&dyn AllReduce<Self>>,
        threads: usize,
        text: &[u32],
        body: impl FnOnce(Steps<'_>) -> R,
    ) -> R
    where
        Self: Blocking;
    /// Does `work`, the ops of one token, as a device does the same list again.
    fn together(&self, work: impl FnOnce() -> Result<(), Lack>) -> Result<(), Lack> {
        work()
    }
    /// The sum of numbers of the host's, where this machine reads those.
    fn sum_of(&self, x: &[f32]) -> Option<f32>;
    /// Runs `job` with each op on so many of rayon's threads, where it has such ops.
    #[cfg(feature = "parallel")]
    fn on_threads<J: Job<Done: Send> + Send>(self, threads: usize, job: J) -> J::Done
    where
        Self: Blocking;

    /// The host's, moved to where this machine has its own: nowhere, if that is the host.
    fn floats_of(&self, x: Vec<f32>) -> Result<Self::Floats, Lack>;
    /// [`Machine::floats_of`] of weights that are read alone: in 16 bits where the machine rounds operands of products to those.
    fn weights_of(&self, x: Vec<f32>) -> Result<Self::Floats, Lack> {
        self.floats_of(x)
    }
    /// Bytes of an element of such weights, and of keys and values.
    fn weight_bytes(&self) -> usize {
        4
    }
    /// A file's blocks, moved there as they are; tensors of one format that follow each other stay so.
    fn store_of(&self, blocks: Vec<u8>, places: &[Place]) -> Result<Self::Store, Lack>;
    /// As the host sees them: copied, if they are elsewhere.
    fn on_host<'a>(&self, x: &'a Self::Floats) -> impl Future<Output = Result<Cow<'a, [f32]>, Lack>>;
}

/// The sums over the ranks of a run. Every rank makes the same calls in the same order.
pub trait AllReduce<M: Machine> {
    /// The sum over all ranks of a number of the host's.
    fn sum_of_host(&self, x: f32) -> Result<f32, Lack>;
    /// The sum of gradients over all ranks, in their place.
    fn sum(&self, machine: &M, gradients: Out<'_, M>) -> Result<(), Lack>;
    /// The error of a sum of gradients that did not end, after which the machine's parameters are not written. It waits for nobody.
    fn check(&self) -> Result<(), Lack> {
        Ok(())
    }
}

/// What trains on a machine.
pub trait Training<M: Machine> {
    /// One step on this thread.
    #[allow(dead_code, reason = "a build without devices trains on threads")]
    fn one(
        &self,
        others: Option<&dyn AllReduce<M>>,
        step: usize,
        text: &[u32],
    ) -> impl Future<Output = Result<f32, Lack>>;
    /// As [`Training::one`]; this thread waits.
    #[cfg(feature = "gpu")]
    fn now(&self, others: Option<&dyn AllReduce<M>>, step: usize, text: &[u32]) -> Result<f32, Lack>
    where
        M: Blocking;
    /// Runs `body` with a function that does one step on `threads` threads; the calling thread is one of them.
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
        M::Words: Send;
}

/// Rows of a format.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    kind: u32,
    bytes: &'a [u8],
}

/// Elements of workspace in which `rows` of `n` activations are quantised to any format.
const fn activations(rows: usize, n: usize) -> usize {
    // The largest per element has 292 bytes for 256 of them.
    rows * n.div_ceil(256) * 73
}

/// A step of training: its loss.
pub type Steps<'a> = &'a mut dyn FnMut(usize) -> Result<f32, Lack>;

macro_rules! machine {
    ($Backend:ident) => {
        impl<S: Simd> Blocked for $Backend<S> {
            type Store = Vec<u8>;
            type Blocks<'a> = Rows<'a>;
            fn blocks(all: &Vec<u8>, kind: u32, range: Range<usize>) -> Option<Rows<'_>> {
                Some(Rows { kind, bytes: all.get(range)? })
            }
            fn times(
                &self,
                w: Rows<'_>,
                n: usize,
                x: &[f32],
                y: &mut [f32],
                workspace: &mut [f32],
            ) -> Result<(), Error> {
                fn by<Q: Block<Partner: Plain> + Plain>(
                    b: &$Backend<impl Simd>,
                    (w, n): (Rows<'_>, usize),
                    x: &[f32],
                    y: &mut [f32],
                    room: &mut [f32],
                ) -> Result<(), Error> {
                    let (needed, got) = (activations(x.len() / n, n), room.len());
                    let to = blocks_in(room).get_mut(..x.len() / Q::Partner::ELEMENTS);
                    let to = to.ok_or(Error::workspace(needed, got))?;
                    b.quantize(x, None, to)?;
                    b.quant_gemm::<Q>(blocks(w.bytes)?, to, n, y)
                }
                let unknown = Err(Error::domain("weights"));
                of_kind!(w.kind, by(self, (w, n), x, y, workspace)).unwrap_or(unknown)
            }
            fn rows(&self, w: Rows<'_>, n: usize, ids: &[u32], out: &mut [f32]) -> Result<(), Error> {
                fn of<Q: Block<Partner: Plain> + Plain>(
                    b: &$Backend<impl Simd>,
                    w: Rows<'_>,
                    n: usize,
                    ids: &[u32],
                    out: &mut [f32],
                ) -> Result<(), Error> {
                    b.quant_rows::<Q>(blocks(w.bytes)?, n, ids, out)
                }
                let unknown = Err(Error::domain("weights"));
                of_kind!(w.kind, of(self, w, n, ids, out)).unwrap_or(unknown)
            }
        }
        impl<S: Simd> Machine for $Backend<S> {
            type Floats = Vec<f32>;
            type Words = Vec<u32>;
            fn name(&self) -> String {
                S::NAME.into()
            }
            fn floats(&self, n: usize) -> Result<Vec<f32>, Lack> {
                zeros(n)
            }
            fn floats_of(&self, x: Vec<f32>) -> Result<Vec<f32>, Lack> {
                Ok(x)
            }
            fn store_of(&self, blocks: Vec<u8>, _: &[Place]) -> Result<Vec<u8>, Lack> {
                Ok(blocks)
            }
            async fn on_host<'a>(&self, x: &'a Vec<f32>) -> Result<Cow<'a, [f32]>, Lack> {
                Ok(Cow::Borrowed(x))
            }
            fn words(&self, n: usize) -> Result<Vec<u32>, Lack> {
                zeros(n)
            }
            fn view(x: &Vec<f32>) -> &[f32] {
                x
            }
            fn view_mut(x: &mut Vec<f32>) -> &mut [f32] {
                x
            }
            fn ids(x: &Vec<u32>) -> &[u32] {
                x
            }
            fn ids_mut(x: &mut Vec<u32>) -> &mut [u32] {
                x
            }
            fn steps<R>(
                trainer: &impl Training<Self>,
                others: Option<&dyn AllReduce<Self>>,
                threads: usize,
                text: &[u32],
                body: impl FnOnce(Steps<'_>) -> R,
            ) -> R {
                trainer.with_threads(others, threads, text, body)
            }
            fn sum_of(&self, x: &[f32]) -> Option<f32> {
                let mut sum = [0.0];
                self.sum(x, &mut sum).ok().map(|()| sum[0])
            }
            #[cfg(feature = "parallel")]
            fn on_threads<J: Job<Done: Send> + Send>(self, threads: usize, job: J) -> J::Done {
                match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
                    Ok(pool) => pool.install(|| job.run(Threads(self.0))),
                    Err(_) => job.run(self),
                }
            }
        }
    };
}
machine!(Cpu);
#[cfg(feature = "parallel")]
machine!(Threads);

/// Runs `job` on the device that a backend's name means; `None` when this build has none of that name.
#[allow(unused_variables, reason = "a build may have no devices")]
pub fn on_device<J: Job>(name: &str, job: J) -> Option<Result<J::Done, Lack>> {
    match name {
        #[cfg(feature = "gpu")]
        "interpreter" => Some(Ok(job.run(Gpu::new(fulmen::gpu::device::Host::default())))),
        // A browser opens its own.
        #[cfg(all(feature = "wgpu", not(target_arch = "wasm32")))]
        "wgpu" => Some(fulmen::gpu::wgpu::Wgpu::from_env().map(|d| job.run(Gpu::new(d))).map_err(Lack::from)),
        #[cfg(feature = "cuda")]
        "cuda-bf16" => Some(
            fulmen::gpu::cuda::Cuda::from_env()
                .and_then(|d| Ok(job.run(Gpu::rounding(d)?)))
                .map_err(Lack::from),
        ),
        #[cfg(feature = "cuda")]
        "cuda" => Some(fulmen::gpu::cuda::Cuda::from_env().map(|d| job.run(Gpu::new(d))).map_err(Lack::from)),
        _ => None,
    }
}

/// The backends that this build has, for a message.
pub const BACKENDS: &str = match (cfg!(feature = "gpu"), cfg!(feature = "wgpu"), cfg!(feature = "cuda")) {
    (false, ..) => "cpu",
    (_, false, false) => "cpu and interpreter",
    (_, true, false) => "cpu, interpreter and wgpu",
    (_, false, true) => "cpu, interpreter and cuda",
    (_, true, true) => "cpu, interpreter, wgpu and cuda",
};

/// Something to do on any machine.
pub trait Job {
    type Done;
    fn run<M: Machine + Blocking>(self, machine: M) -> Self::Done;
}

/// Runs `job` on the widest lanes that this CPU has and this build knows.
pub fn on_best_lanes<J: Job>(job: J) -> J::Done {
    #[cfg(all(target_arch = "x86_64", feature = "avx512", feature = "std"))]
    if let Some(token) = fulmen::lanes::Avx512::detect() {
        return job.run(Cpu(token));
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the CPU has just said that it has both.
        return job.run(Cpu(unsafe { fulmen::lanes::Avx2::assume() }));
    }
    job.run(Cpu::native())
}

/// The same lanes, with each op on `threads` threads: what the feature `parallel` adds.
#[cfg(feature = "parallel")]
pub struct OnThreads<J>(pub J, pub usize);

#[cfg(feature = "parallel")]
impl<J: Job<Done: Send> + Send> Job for OnThreads<J> {
    type Done = J::Done;
    fn run<M: Machine + Blocking>(self, machine: M) -> J::Done {
        machine.on_threads(self.1, self.0)
    }
}

/// The cosines and sines of positions.
pub struct Positions<M: Machine> {
    cos: M::Floats,
    sin: M::Floats,
}

impl<M: Machine> Positions<M> {
    /// Of the tokens of some sequences of this length, where the angles of each pair are divided by its factor, if there are factors.
    pub fn new(
        machine: &M,
        c: &Config,
        sequences: usize,
        length: usize,
        factors: &[f32],
    ) -> Result<Self, Lack> {
        let (dim, half) = (c.head_dim(), c.head_dim() / 2);
        let n = length * half;
        let (mut cos, mut sin) = (zeros(sequences * n)?, zeros(sequences * n)?);
        let (first_cos, first_sin) = (&mut cos[..n], &mut sin[..n]);
        fulmen::rope_table(0, dim, c.rope_base, c.rope.scaling, first_cos, first_sin)?;
        let slowed = if let RopeScaling::Linear { factor } = c.rope.scaling { factor } else { 1.0 };
        for (i, factor) in factors.iter().enumerate().take(half) {
            let turn = f64::from(c.rope_base).powf(-2.0 * i as f64 / dim as f64);
            let turn = turn / (f64::from(slowed) * f64::from(*factor));
            for row in 0..length {
                let angle = row as f64 * turn;
                first_cos[row * half + i] = angle.cos() as f32;
                first_sin[row * half + i] = angle.sin() as f32;
            }
        }
        first_cos.iter_mut().chain(first_sin).for_each(|x| *x *= c.rope.length);
        for table in [&mut cos, &mut sin] {
            (1..sequences).for_each(|s| table.copy_within(..n, s * n));
        }
        Ok(Self { cos: machine.floats_of(cos)?, sin: machine.floats_of(sin)? })
    }
    pub fn angles(&self) -> Angles<'_, M> {
        Angles { cos: M::view(&self.cos), sin: M::view(&self.sin) }
    }
}

/// A model's weights where a machine has them: in their formats where it multiplies with blocks.
pub struct Weights<M: Machine> {
    numbers: M::Floats,
    blocks: M::Store,
    places: Vec<Place>,
    factors: Vec<f32>,
}

impl<M: Machine> Weights<M> {
    pub fn new(machine: &M, stored: Stored) -> Result<Self, Lack> {
        let Stored { numbers, blocks, places, factors } = stored;
        let blocks = machine.store_of(blocks, &places)?;
        Ok(Self { numbers: machine.weights_of(numbers)?, blocks, places, factors })
    }
    /// The place of each tensor.
    #[cfg(feature = "trace")]
    pub fn places(&self) -> &[Place] {
        &self.places
    }
    fn table(&self) -> Table<'_, M> {
        Table { numbers: M::view(&self.numbers), blocks: &self.blocks, places: &self.places }
    }
}

/// Follows a text token by token.
pub struct Follower<'a, M: Machine> {
    machine: M,
    config: Config,
    weights: &'a Weights<M>,
    positions: Positions<M>,
    cache: M::Floats,
    room: M::Floats,
    workspace: M::Floats,
    /// On the machine, and the host's copy.
    logits: (M::Floats, Vec<f32>),
    ids: M::Words,
    /// Tokens that it has seen.
    past: usize,
    /// Tokens that one call takes at most.
    most: usize,
}

/// The names and the words of four bytes of the buffers of a [`Follower`], besides the parameters.
pub fn follower_plan<M: Machine>(machine: &M, c: &Config, most: usize) -> [Row; 6] {
    [
        ("keys and values", model::cache_len(c).div_ceil(4 / machine.weight_bytes())),
        ("activations", model::generating_room(c, most)),
        (
            "workspace",
            model::workspace(machine, c, most).max(activations(most, c.dim.max(c.hidden).max(c.q_width()))),
        ),
        ("logits", 2 * c.vocab),
        ("tokens", most),
        ("positions", c.context * c.head_dim()),
    ]
}

impl<'a, M: Machine> Follower<'a, M> {
    /// Allocates everything; it takes up to `most` tokens at once.
    pub fn new(machine: M, config: Config, weights: &'a Weights<M>, most: usize) -> Result<Self, Lack> {
        let plan = follower_plan(&machine, &config, most);
        if M::HOST {
            memory::check(&plan)?;
        }
        let [_, (_, room), (_, workspace), ..] = plan;
        let [room, workspace] = [room, workspace].map(|n| machine.floats(n));
        let [cache, room, workspace] = [machine.activations(model::cache_len(&config))?, room?, workspace?];
        let logits = (machine.floats(config.vocab)?, zeros(config.vocab)?);
        let positions = Positions::new(&machine, &config, 1, config.context, &weights.factors)?;
        let ids = machine.words(most)?;
        Ok(Self { machine, config, weights, positions, cache, room, workspace, logits, ids, past: 0, most })
    }

    /// Tokens that there is room for.
    pub fn left(&self) -> usize {
        self.config.context - self.past
    }

    /// Forgets the text.
    pub fn restart(&mut self) {
        self.past = 0;
    }

    /// The logits of what follows `ids`, which follow the tokens before.
    ///
    /// Errors: `Error::Domain` for more tokens than there is room for, or none; [`Lack::Odd`] when a logit is not finite.
    pub fn feed(&mut self, ids: &[u32]) -> Result<&mut [f32], Lack>
    where
        M: Blocking,
    {
        self.machine.clone().wait(self.feed_async(ids))
    }

    /// As [`Follower::feed`], without waiting.
    pub async fn feed_async(&mut self, ids: &[u32]) -> Result<&mut [f32], Lack> {
        if ids.is_empty() || ids.len() > self.left() {
            return Err(Error::domain("ids").into());
        }
        for ids in ids.chunks(self.most) {
            let [to, _] = M::split(M::ids_mut(&mut self.ids), ids.len()).map_err(Into::into)?;
            self.machine.write(ids, to).map_err(Into::into)?;
            let span = Span { sequences: 1, tokens: ids.len(), past: self.past };
            let machine = self.machine.clone();
            machine.together(|| {
                let done = model::logits(
                    &self.machine,
                    &self.config,
                    span,
                    &self.weights.table(),
                    &self.positions.angles(),
                    M::part(M::ids(&self.ids), 0..ids.len()).map_err(Into::into)?,
                    M::view_mut(&mut self.cache),
                    M::view_mut(&mut self.room),
                    M::view_mut(&mut self.workspace),
                    M::view_mut(&mut self.logits.0),
                );
                done.map_err(Into::into)
            })?;
            self.past += ids.len();
        }
        self.machine.download_async(M::view(&self.logits.0), &mut self.logits.1).await.map_err(Into::into)?;
        if !self.logits.1.iter().all(|x| x.is_finite()) {
            return Err(Lack::Odd(self.past));
        }
        Ok(&mut self.logits.1)
    }
}
