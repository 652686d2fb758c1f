//! What runs the model: the lanes that this CPU has, and memory that the program allocates once.

use crate::config::Config;
use crate::memory::{self, Lack, Row, zeros};
use crate::model::{self, Angles, In, Out, Span};
use fulmen::Error;
#[cfg(feature = "parallel")]
use fulmen::backend::Threads;
use fulmen::backend::{Backend, Cpu, Memory};
use fulmen::lanes::Simd;

/// A backend whose memory is the program's own.
pub trait Machine: Backend + Copy + Send + Sync {
    /// The name of its lanes.
    const NAME: &'static str;
    fn view(x: &[f32]) -> In<'_, Self>;
    fn view_mut(x: &mut [f32]) -> Out<'_, Self>;
    fn ids(x: &[u32]) -> <Self as Memory>::Ref<'_, u32>;
    /// The same lanes on rayon's threads.
    #[cfg(feature = "parallel")]
    fn threaded(self) -> impl Machine;
}

macro_rules! machine {
    ($Backend:ident) => {
        impl<S: Simd> Machine for $Backend<S> {
            const NAME: &'static str = S::NAME;
            fn view(x: &[f32]) -> &[f32] {
                x
            }
            fn view_mut(x: &mut [f32]) -> &mut [f32] {
                x
            }
            fn ids(x: &[u32]) -> &[u32] {
                x
            }
            #[cfg(feature = "parallel")]
            fn threaded(self) -> impl Machine {
                Threads(self.0)
            }
        }
    };
}
machine!(Cpu);
#[cfg(feature = "parallel")]
machine!(Threads);

/// Something to do on any machine.
pub trait Job {
    type Done;
    fn run<M: Machine>(self, machine: M) -> Self::Done;
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
    fn run<M: Machine>(self, machine: M) -> J::Done {
        match rayon::ThreadPoolBuilder::new().num_threads(self.1).build() {
            Ok(pool) => pool.install(|| self.0.run(machine.threaded())),
            Err(_) => self.0.run(machine),
        }
    }
}

/// The cosines and sines of all positions.
pub struct Positions {
    cos: Vec<f32>,
    sin: Vec<f32>,
}

impl Positions {
    pub fn new(c: &Config) -> Result<Self, Lack> {
        let n = c.context * c.head_dim() / 2;
        let (mut cos, mut sin) = (zeros(n)?, zeros(n)?);
        fulmen::rope_table(0, c.head_dim(), c.rope_base, fulmen::RopeScaling::None, &mut cos, &mut sin)?;
        Ok(Self { cos, sin })
    }
    pub fn angles<M: Machine>(&self) -> Angles<'_, M> {
        Angles { cos: M::view(&self.cos), sin: M::view(&self.sin) }
    }
}

/// Follows a text token by token.
pub struct Follower<'a, M: Machine> {
    machine: M,
    config: Config,
    parameters: &'a [f32],
    positions: Positions,
    cache: Vec<f32>,
    room: Vec<f32>,
    workspace: Vec<f32>,
    logits: Vec<f32>,
    /// Tokens that it has seen.
    past: usize,
    /// Tokens that one call takes at most.
    most: usize,
}

/// The names and the elements of the buffers of a [`Follower`], besides the parameters.
pub fn follower_plan<M: Machine>(machine: M, c: &Config, most: usize) -> [Row; 5] {
    [
        ("keys and values", model::cache_len(c)),
        ("activations", model::generating_room(c, most)),
        ("workspace", model::workspace(&machine, c, most)),
        ("logits", c.vocab),
        ("positions", c.context * c.head_dim()),
    ]
}

impl<'a, M: Machine> Follower<'a, M> {
    /// Allocates everything; it takes up to `most` tokens at once.
    pub fn new(machine: M, config: Config, parameters: &'a [f32], most: usize) -> Result<Self, Lack> {
        let plan = follower_plan(machine, &config, most);
        memory::check(&plan)?;
        let [cache, room, workspace, logits, _] = plan.map(|(_, n)| zeros(n));
        let [cache, room, workspace, logits] = [cache?, room?, workspace?, logits?];
        let positions = Positions::new(&config)?;
        Ok(Self { machine, config, parameters, positions, cache, room, workspace, logits, past: 0, most })
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
    /// Errors: `Error::Domain` for more tokens than there is room for, or none.
    pub fn feed(&mut self, ids: &[u32]) -> Result<&mut [f32], Error> {
        if ids.is_empty() || ids.len() > self.left() {
            return Err(Error::Domain { arg: "ids" });
        }
        for ids in ids.chunks(self.most) {
            let span = Span { sequences: 1, tokens: ids.len(), past: self.past };
            model::logits(
                &self.machine,
                &self.config,
                span,
                M::view(self.parameters),
                &self.positions.angles::<M>(),
                M::ids(ids),
                M::view_mut(&mut self.cache),
                M::view_mut(&mut self.room),
                M::view_mut(&mut self.workspace),
                M::view_mut(&mut self.logits),
            )?;
            self.past += ids.len();
        }
        Ok(&mut self.logits)
    }
}
