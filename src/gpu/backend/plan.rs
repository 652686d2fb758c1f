//! Plans an op: from its name and sizes to kernels and launches, without a device.

use super::super::device::{Binding, Error, Facts, Launch, Limits, Program};
use super::super::ir::Kernel;
use super::super::record::Recorded;
use super::super::template::attention::{self, Scores};
use super::super::template::factor::FACTOR;
use super::super::template::flash::{FLASH_DIM, Flash, FlashTile, flash};
use super::super::template::panel::Held;
use super::super::template::{self, Along, Argument, LONG, Meet, Pieces, THREADS, Threads};
use super::super::types::F32;
use crate::hardware::Language;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::any::TypeId;
use core::cell::RefCell;

/// Threads of a block of element-wise kernels.
pub(super) const POINTWISE: u32 = 256;
/// Elements that a block of a reduction has at least, but for the last.
pub(super) const PART: usize = 2048;

/// Elements from which on reductions have a kernel that reads 16 bytes at a time.
const WIDE: usize = 1 << 13;
/// Blocks of a reduction, where it is not known how many run at once.
const MERGED: u32 = 1024;
/// Columns from which on blocks share a row, where there are fewer rows than multiprocessors.
const LONG_ROW: usize = 1 << 13;

/// Launches, and the memory between them. Their bindings are the operands, then the scratch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// In the order in which they run.
    pub launches: Vec<Launch>,
    /// Bytes of each piece of memory that only the launches use.
    pub scratch: Vec<u64>,
}

/// What a reduction or another op is made of.
#[derive(Debug, Clone)]
pub(super) struct Made {
    pub(super) programs: Vec<Arc<Program>>,
    /// Values that each stage's blocks leave.
    pub(super) widths: Vec<u32>,
    /// Values that stages leave for later ones.
    pub(super) states: u32,
}

/// Makes plans for a device, each kernel once.
#[derive(Debug)]
pub struct Planner {
    pub(super) device: String,
    pub(super) language: Language,
    pub(super) optimise: bool,
    pub(super) meet: Meet,
    pub(super) groups: bool,
    /// Whether operands of products in `f32` are rounded to `bf16`.
    pub(super) rounds: bool,
    #[cfg(all(feature = "half", feature = "wgsl"))]
    pub(super) matrices: bool,
    /// Whether kernels are to be short.
    pub(super) short: bool,
    pub(super) blocks: u32,
    pub(super) limits: Limits,
    /// By op, bytes of an element, and form: whether operands are read by 16 bytes, or which tile.
    made: RefCell<BTreeMap<(&'static str, u32, u32), Rc<Made>>>,
    /// By type of the formula, bytes of an element, and whether operands are read by 16 bytes.
    pub(super) formulas: RefCell<BTreeMap<(TypeId, u32, bool), Arc<Program>>>,
    /// Products that a formula ends, and what their kernels' steps weigh: by its type, op, form, and what a bias has a value for.
    pub(super) endings: RefCell<BTreeMap<(TypeId, &'static str, u32, Option<Along>), (Arc<Program>, usize)>>,
}

/// Whether all operands start at multiples of 16 bytes.
pub(super) fn wide<B>(bound: &[Binding<'_, B>]) -> bool {
    bound.iter().all(|b| b.start.is_multiple_of(16))
}

/// The elements of an operand as kernels count them.
pub(super) fn counted(arg: &'static str, n: usize) -> Result<u32, Error> {
    // Counters pass the end by as many as the grid has threads.
    let count = u32::try_from(n).ok().filter(|n| *n <= 1 << 31);
    count.ok_or_else(|| crate::Error::overflow(arg).into())
}

impl Planner {
    /// For this device.
    #[must_use]
    pub fn new(facts: &Facts) -> Self {
        Self {
            device: facts.name.clone(),
            language: facts.language,
            // The emitter of WGSL takes kernels as they are recorded: its compiler has the passes.
            optimise: facts.language != Language::Wgsl,
            meet: facts.meet,
            groups: facts.groups,
            rounds: false,
            #[cfg(all(feature = "half", feature = "wgsl"))]
            matrices: facts.matrices,
            short: facts.short,
            blocks: facts.blocks.clamp(1, 1 << 20).min(facts.limits.grid[0]),
            limits: facts.limits,
            made: RefCell::default(),
            formulas: RefCell::default(),
            endings: RefCell::default(),
        }
    }

    /// Kernels made so far.
    #[must_use]
    pub fn kernels(&self) -> usize {
        let made: usize = self.made.borrow().values().map(|m| m.programs.len()).sum();
        made + self.formulas.borrow().len() + self.endings.borrow().len()
    }

    pub(super) fn program(&self, kernel: Kernel) -> Arc<Program> {
        Arc::new(if self.optimise { Program::optimised(kernel) } else { Program::new(kernel) }.own())
    }

    pub(super) fn made<T: Recorded>(
        &self,
        op: &'static str,
        form: u32,
        make: impl FnOnce() -> Option<Result<Made, super::super::Error>>,
    ) -> Result<Rc<Made>, Error> {
        let key = (op, T::TYPE.bytes(), form);
        if let Some(made) = self.made.borrow().get(&key) {
            return Ok(Rc::clone(made));
        }
        let none = super::super::Error::Node { node: 0 };
        let name = || format!("{op}_{}", <T::Elem as crate::Real>::NAME);
        let made = make().unwrap_or(Err(none)).map_err(|error| Error::Kernel { kernel: name(), error })?;
        let made = Rc::new(made);
        self.made.borrow_mut().insert(key, Rc::clone(&made));
        Ok(made)
    }

    pub(super) fn one<T: Recorded>(
        &self,
        op: &'static str,
        kernel: impl FnOnce() -> Option<Result<Kernel, super::super::Error>>,
    ) -> Result<Arc<Program>, Error> {
        self.one_by::<T>(op, 0, kernel)
    }

    pub(super) fn one_by<T: Recorded>(
        &self,
        op: &'static str,
        form: u32,
        kernel: impl FnOnce() -> Option<Result<Kernel, super::super::Error>>,
    ) -> Result<Arc<Program>, Error> {
        let single = |k| Made { programs: vec![self.program(k)], widths: Vec::new(), states: 0 };
        let made = self.made::<T>(op, form, || kernel().map(|k| k.map(single)))?;
        made.programs.first().cloned().ok_or(Error::Arguments { kernel: op.to_string() })
    }

    /// Elements that a kernel reaches whole wherever they start, in whole pieces of 16 bytes.
    pub(super) fn most(&self, width: usize) -> usize {
        // Bindings start at multiples of up to 256 bytes.
        let bytes = self.limits.binding.saturating_sub(256).min(4 << 30) / 16 * 16;
        usize::try_from(bytes).unwrap_or(usize::MAX) / width
    }

    /// Refuses an operand that no kernel reaches whole.
    pub(super) fn reach(&self, elements: usize, width: u32) -> Result<(), Error> {
        let (asked, available) = (elements as u64 * u64::from(width), self.limits.binding);
        if asked <= available {
            return Ok(());
        }
        Err(Error::Limit { device: self.device.clone(), what: "bytes of a binding", asked, available })
    }

    /// A launch of a thread for each element of `n`, or for each 16 bytes where operands are `wide`, as all start at multiples
    /// of so many. WGSL's arrays of four elements have no rest that one thread may write a part of.
    pub(super) fn map<T: Recorded>(
        &self,
        op: &'static str,
        wide: bool,
        make: impl FnOnce(bool) -> Option<Result<Kernel, super::super::Error>>,
        n: usize,
        arguments: Vec<Argument>,
    ) -> Result<Launch, Error> {
        self.map_by::<T>(op, (wide, 1), make, n, arguments)
    }

    /// As [`Planner::map`], of a kernel whose threads take so many pieces of 16 bytes where they are wide.
    pub(super) fn map_by<T: Recorded>(
        &self,
        op: &'static str,
        (wide, pieces): (bool, u32),
        make: impl FnOnce(bool) -> Option<Result<Kernel, super::super::Error>>,
        n: usize,
        arguments: Vec<Argument>,
    ) -> Result<Launch, Error> {
        self.elements::<T>(
            (wide, pieces),
            |wide| self.one_by::<T>(op, u32::from(wide), || make(wide)),
            n,
            arguments,
        )
    }

    pub(super) fn elements<T: Recorded>(
        &self,
        (wide, pieces): (bool, u32),
        program: impl FnOnce(bool) -> Result<Arc<Program>, Error>,
        n: usize,
        arguments: Vec<Argument>,
    ) -> Result<Launch, Error> {
        let wide = wide && (self.optimise || n.is_multiple_of(4));
        let program = program(wide)?;
        let each = if wide { pieces * POINTWISE * 16 / T::TYPE.bytes() } else { POINTWISE };
        self.threads(program, n, each, arguments)
    }

    /// A launch of a thread for each element of `n`, of which a block has `each`.
    pub(super) fn threads(
        &self,
        program: Arc<Program>,
        n: usize,
        each: u32,
        arguments: Vec<Argument>,
    ) -> Result<Launch, Error> {
        // Blocks that do their elements and end are faster than blocks that loop: on an H100 maps of 2^26 run at 1.01 of a copy
        // beside 0.86 to 0.97, through Vulkan too.
        let most = self.blocks.saturating_mul(if self.optimise { 64 } else { 16 });
        let grid = [counted("x", n)?.div_ceil(each).clamp(1, most.min(self.limits.grid[0])), 1, 1];
        Ok(Launch { program, grid, block: [POINTWISE, 1, 1], arguments })
    }

    /// A launch of a thread for each of `n` results.
    pub(super) fn flat<T: Recorded>(
        &self,
        op: &'static str,
        make: impl FnOnce() -> Option<Result<Kernel, super::super::Error>>,
        n: usize,
        arguments: Vec<Argument>,
    ) -> Result<Launch, Error> {
        self.map::<T>(op, false, |_| make(), n, arguments)
    }

    /// As [`Planner::flat`], of a kernel with forms.
    pub(super) fn flat_by<T: Recorded>(
        &self,
        op: &'static str,
        form: u32,
        make: impl FnOnce() -> Option<Result<Kernel, super::super::Error>>,
        n: usize,
        arguments: Vec<Argument>,
    ) -> Result<Launch, Error> {
        let program = self.one_by::<T>(op, form, make)?;
        let grid = [counted("x", n)?.div_ceil(POINTWISE).clamp(1, self.blocks), 1, 1];
        Ok(Launch { program, grid, block: [POINTWISE, 1, 1], arguments })
    }

    /// A launch of a block of [`THREADS`] for each of `grid`, of which as many as there may be along x loop.
    pub(super) fn blocks<T: Recorded>(
        &self,
        op: &'static str,
        make: impl FnOnce(Meet) -> Result<Kernel, super::super::Error>,
        [x, y]: [usize; 2],
        arguments: Vec<Argument>,
    ) -> Result<Launch, Error> {
        let program = self.one::<T>(op, || Some(make(self.meet)))?;
        self.grid_of(program, THREADS, [x, y], arguments)
    }

    /// A launch of a kernel that has so many blocks of [`FACTOR`] threads.
    pub(super) fn factor<T: Recorded>(
        &self,
        op: &'static str,
        make: impl FnOnce() -> Result<Kernel, super::super::Error>,
        blocks: usize,
        arguments: Vec<Argument>,
    ) -> Result<Launch, Error> {
        let program = self.one::<T>(op, || Some(make()))?;
        self.grid_of(program, FACTOR, [blocks, 1], arguments)
    }

    /// A launch of one block for columns of `m` elements: in registers, if a block has them and the memory that it shares, and
    /// kernels need not be short; else through memory. Compilers of WGSL get the kernel of the fewest rows alone: with the
    /// others Mesa's takes as long as all ops together.
    pub(super) fn panel<T: Recorded>(
        &self,
        op: &'static str,
        m: usize,
        make: impl Fn(Meet, Option<Held>) -> Result<Kernel, super::super::Error>,
        arguments: Vec<Argument>,
    ) -> Result<Launch, Error> {
        if let Some(held) =
            Held::of(m, T::TYPE.bytes()).filter(|held| !self.short && (self.optimise || held.rows == 2))
        {
            let program = self.one_by::<T>(op, held.rows, || Some(make(self.meet, Some(held))))?;
            if program.kernel().shared_bytes() <= self.limits.shared {
                return self.grid_of(program, FACTOR, [1, 1], arguments);
            }
        }
        let program = self.one::<T>(op, || Some(make(self.meet, None)))?;
        self.grid_of(program, THREADS, [1, 1], arguments)
    }

    /// Attention or one of its gradients for `rows` queries or keys of `heads` of up to `dim` elements: by tiles where there are
    /// some rows, and the device has the shared memory and the shuffles that they take; else by a block for each row.
    pub(super) fn attention<T: Recorded>(
        &self,
        which: Flash,
        scores: Scores,
        dim: usize,
        [rows, heads]: [usize; 2],
        arguments: Vec<Argument>,
    ) -> Result<Launch, Error> {
        let fits = !self.short && T::TYPE.bytes() == 4 && (16..).contains(&rows) && dim <= FLASH_DIM;
        let most = if dim <= 64 { 64 } else { 128 };
        for (k, tile) in FlashTile::ALL.into_iter().enumerate().filter(|(_, tile)| fits && tile.is_for(most))
        {
            let op = match which {
                Flash::Forward => "flash_attention",
                Flash::Queries => "flash_attention_queries",
                Flash::Keys => "flash_attention_keys",
            };
            let form = 4 * (2 * k + usize::from(most > 64)) as u32 + scores.form();
            let make = || Some(flash::<T>(which, most, tile, self.meet, scores));
            let program = self.one_by::<T>(op, form, make)?;
            if program.kernel().shared_bytes() <= self.limits.shared && tile.threads() <= self.limits.threads
            {
                let tiles = rows.div_ceil(tile.rows as usize);
                return self.grid_of(program, tile.threads(), [tiles, heads], arguments);
            }
        }
        let (op, make): (_, &dyn Fn() -> _) = match which {
            Flash::Forward => ("attention", &|| attention::attention::<T>(self.meet, scores)),
            Flash::Queries => ("attention_queries", &|| attention::attention_queries::<T>(scores)),
            Flash::Keys => ("attention_keys", &|| attention::attention_keys::<T>(scores)),
        };
        let program = self.one_by::<T>(op, scores.form(), || Some(make()))?;
        self.grid_of(program, THREADS, [rows, heads], arguments)
    }

    /// Refuses more blocks than a launch may have.
    pub(super) fn grid(&self, blocks: [usize; 3]) -> Result<[u32; 3], Error> {
        let names = ["blocks along x", "blocks along y", "blocks along z"];
        for ((what, n), most) in names.into_iter().zip(blocks).zip(self.limits.grid) {
            let (asked, available) = (n as u64, u64::from(most));
            if asked > available {
                return Err(Error::Limit { device: self.device.clone(), what, asked, available });
            }
        }
        Ok(blocks.map(|n| n as u32))
    }

    pub(super) fn grid_of(
        &self,
        program: Arc<Program>,
        threads: u32,
        [x, y]: [usize; 2],
        arguments: Vec<Argument>,
    ) -> Result<Launch, Error> {
        let along = counted("x", x)?.clamp(1, self.limits.grid[0]);
        let grid = self.grid([along as usize, y, 1])?;
        Ok(Launch { program, grid, block: [threads, 1, 1], arguments })
    }

    /// These two words by turns, `n` words in all.
    pub(super) fn fill(&self, n: usize, words: [u32; 2]) -> Result<Plan, Error> {
        self.line::<F32>("to", n)?;
        if n == 0 {
            return Ok(Plan { launches: Vec::new(), scratch: Vec::new() });
        }
        Ok(Plan { launches: vec![self.filled(0, n, words)?], scratch: Vec::new() })
    }

    /// The launch that does it to the operand `at`.
    pub(super) fn filled(&self, at: usize, n: usize, words: [u32; 2]) -> Result<Launch, Error> {
        let count = counted("to", n)?;
        let arguments = [count, words[0], words[1]].map(|w| Argument::Bits(u64::from(w))).into_iter();
        let arguments = core::iter::once(Argument::Buffer(at)).chain(arguments).collect();
        self.flat::<F32>("fill", || Some(template::flat::fill()), n, arguments)
    }

    /// Refuses a matrix that kernels do not count or reach.
    pub(super) fn matrix<T: Recorded>(
        &self,
        arg: &'static str,
        [rows, cols]: [usize; 2],
        [r, c]: [usize; 2],
    ) -> Result<(), Error> {
        let overflow = crate::Error::overflow(arg);
        let last = |n: usize, s: usize| n.saturating_sub(1).checked_mul(s);
        let end = last(rows, r).zip(last(cols, c)).and_then(|(a, b)| a.checked_add(b));
        let end = end.and_then(|e| e.checked_add(1)).ok_or(overflow)?;
        counted(arg, end)?;
        counted(arg, rows.max(cols))?;
        self.reach(end, T::TYPE.bytes())
    }

    /// Refuses a line of elements that kernels do not count or reach.
    pub(super) fn line<T: Recorded>(&self, arg: &'static str, n: usize) -> Result<(), Error> {
        counted(arg, n)?;
        self.reach(n, T::TYPE.bytes())
    }

    /// An element-wise op of `n` elements. `operands` are the bindings of its inputs, then of its result: in place, that
    /// of an input. `wide`: whether all of them start at multiples of 16 bytes.
    ///
    /// # Errors
    /// `Overflow`, [`Error::Limit`], [`Error::Kernel`] for another op.
    pub fn pointwise<T: Recorded>(
        &self,
        op: &'static str,
        operands: &[usize],
        n: usize,
        parameters: &[u64],
        wide: bool,
    ) -> Result<Plan, Error> {
        let program = |wide| self.one_by::<T>(op, u32::from(wide), || template::op_by::<T>(op, wide));
        self.each::<T>(operands, n, parameters, wide, program)
    }

    /// A reduction of `n` elements of each of `inputs` operands, which are `wide` where all start at multiples of 16 bytes; the
    /// result is the operand behind them.
    ///
    /// # Errors
    /// `Overflow`, [`Error::Limit`], [`Error::Kernel`] for another op.
    pub fn reduction<T: Recorded>(
        &self,
        op: &'static str,
        inputs: usize,
        n: usize,
        wide: bool,
    ) -> Result<Plan, Error> {
        let count = counted("x", n)?;
        self.reach(n, T::TYPE.bytes())?;
        let wide = wide && !self.short && (self.optimise || n.is_multiple_of(4)) && n >= WIDE;
        let made = self.made::<T>(op, u32::from(wide), || {
            let made = template::reduction_by::<T>(op, self.meet, wide)?;
            Some(made.map(|r| Made {
                widths: r.stages.iter().map(|s| s.state).collect(),
                states: r.states,
                programs:
                    r.stages.into_iter().flat_map(|s| [s.parts, s.merge]).map(|k| self.program(k)).collect(),
            }))
        })?;
        let width = u64::from(T::TYPE.bytes());
        // One block merges what they leave: of WGSL's as many as run at once on a large device.
        let most = if self.optimise { self.blocks } else { self.blocks.min(MERGED) };
        let blocks = u32::try_from(n.div_ceil(PART)).unwrap_or(u32::MAX).clamp(1, most);
        let widest = made.widths.iter().copied().max().unwrap_or(1);
        let (parts, states) = (inputs + 1, inputs + 2);
        let mut scratch = vec![u64::from(blocks) * u64::from(widest) * width];
        if made.states > 0 {
            scratch.push(u64::from(made.states) * width);
        }
        let last = (made.programs.len() / 2).saturating_sub(1);
        let bits = |v: u32| Argument::Bits(u64::from(v));
        let mut launches = Vec::new();
        for (stage, pair) in made.programs.as_chunks::<2>().0.iter().enumerate() {
            let [fold, merge] = pair;
            let earlier = (stage > 0).then_some(Argument::Buffer(states));
            let mut arguments: Vec<Argument> = (0..inputs).map(Argument::Buffer).collect();
            arguments.extend([Argument::Buffer(parts), bits(count)]);
            arguments.extend(earlier);
            let block = [THREADS, 1, 1];
            launches.push(Launch { program: Arc::clone(fold), grid: [blocks, 1, 1], block, arguments });
            let to = if stage == last { inputs } else { states };
            let mut arguments =
                vec![Argument::Buffer(parts), Argument::Buffer(to), bits(blocks), bits(count)];
            arguments.extend(earlier);
            launches.push(Launch { program: Arc::clone(merge), grid: [1, 1, 1], block, arguments });
        }
        Ok(Plan { launches, scratch })
    }

    /// A row op. The operands are the rows, the result and `columns` rows of weights; in place, `out` is 0. `wide`: whether all of
    /// them start at multiples of 16 bytes.
    ///
    /// # Errors
    /// `Overflow`, [`Error::Limit`], [`Error::Kernel`] for another op.
    pub fn rows<T: Recorded>(
        &self,
        op: &'static str,
        [rows, cols]: [usize; 2],
        out: usize,
        columns: usize,
        eps: Option<u64>,
        wide: bool,
    ) -> Result<Plan, Error> {
        let n = rows.checked_mul(cols).ok_or(crate::Error::overflow("x"))?;
        counted("x", n)?;
        self.reach(n, T::TYPE.bytes())?;
        if n == 0 {
            return Ok(Plan { launches: Vec::new(), scratch: Vec::new() });
        }
        let (count, cols) = (counted("x", rows)?, counted("cols", cols)?);
        let multiprocessors = (self.blocks as usize / 8).max(1);
        let few = self.optimise && (count as usize) < multiprocessors;
        let by = self.holding::<T>([rows, cols as usize], wide);
        if few && cols as usize >= LONG_ROW && by.is_none() {
            return self.long_rows::<T>(op, [count, cols], out, columns, eps, wide);
        }
        let of = if few { Threads::of_few } else { Threads::of_rows };
        let by = by.unwrap_or_else(|| (of(cols as usize, self.widest()), Pieces::NONE));
        let bits = |v: u32| Argument::Bits(u64::from(v));
        let mut arguments = Vec::with_capacity(5 + columns);
        arguments.extend([Argument::Buffer(0), Argument::Buffer(out), bits(count), bits(cols)]);
        arguments.extend((0..columns).map(|k| Argument::Buffer(out + 1 + k)));
        arguments.extend(eps.map(Argument::Bits));
        let make = |meet, (threads, held)| template::row_by::<T>(op, meet, threads, held);
        let launch = self.by_rows::<T>(op, make, by, rows, arguments)?;
        Ok(Plan { launches: vec![launch], scratch: Vec::new() })
    }

    /// Threads of a block at most; WGSL's have up to 256.
    pub(super) fn widest(&self) -> u32 {
        if self.optimise { self.limits.threads } else { 256.min(self.limits.threads) }
    }

    /// How threads hold rows in registers, where they can.
    pub(super) fn holding<T: Recorded>(
        &self,
        [rows, cols]: [usize; 2],
        wide: bool,
    ) -> Option<(Threads, Pieces)> {
        let few = self.optimise && rows < (self.blocks as usize / 8).max(1);
        let many = (16 / T::TYPE.bytes()) as usize;
        let (threads, by) =
            (wide && !self.short).then(|| Threads::holding(cols, many, self.widest(), few))??;
        // WGSL's compilers do not see that all take it; where rows share a block and reduce through memory, not all do.
        Some((threads, Pieces { branches: self.optimise && self.meet == Meet::Warps, ..by }))
    }

    /// Whether rows that start at multiples of 16 bytes are read in pieces of so many.
    pub(super) fn by_pieces<T: Recorded>(&self, cols: usize, wide: bool) -> bool {
        wide && !self.short && cols.is_multiple_of((16 / T::TYPE.bytes()) as usize)
    }

    /// The threads of rows that are read from memory.
    pub(super) fn reading(&self, cols: usize) -> Threads {
        Threads::of_rows(cols, self.widest())
    }

    /// A launch of as many threads for each row.
    pub(super) fn by_rows<T: Recorded>(
        &self,
        op: &'static str,
        make: impl FnOnce(Meet, (Threads, Pieces)) -> Option<Result<Kernel, super::super::Error>>,
        by: (Threads, Pieces),
        rows: usize,
        arguments: Vec<Argument>,
    ) -> Result<Launch, Error> {
        let (threads, held) = by;
        let program = self.one_by::<T>(op, threads.row << 4 | held.each, || make(self.meet, by))?;
        self.grid_of(program, threads.block, [rows.div_ceil(threads.rows() as usize), 1], arguments)
    }

    /// [`Planner::rows`] where there are fewer rows than multiprocessors, and these are long: blocks share a row.
    fn long_rows<T: Recorded>(
        &self,
        op: &'static str,
        [rows, cols]: [u32; 2],
        out: usize,
        columns: usize,
        eps: Option<u64>,
        wide: bool,
    ) -> Result<Plan, Error> {
        let wide = wide && !self.short && cols.is_multiple_of(16 / T::TYPE.bytes());
        let made = self.made::<T>(op, u32::MAX - u32::from(wide), || {
            let made = template::long_row::<T>(op, self.meet, wide)?;
            Some(made.map(|r| Made {
                programs: r.kernels.into_iter().map(|k| self.program(k)).collect(),
                widths: Vec::new(),
                states: r.states,
            }))
        })?;
        // As many as run at once, each with some elements for every thread.
        let blocks = (self.blocks / rows).clamp(1, cols.div_ceil(8 * LONG.row));
        let bits = |v: u32| Argument::Bits(u64::from(v));
        let mut arguments = vec![Argument::Buffer(0), Argument::Buffer(out), bits(rows), bits(cols)];
        arguments.extend((0..columns).map(|k| Argument::Buffer(out + 1 + k)));
        arguments.extend(eps.map(Argument::Bits));
        arguments.push(Argument::Buffer(out + 1 + columns));
        let launches = made.programs.iter().map(|program| Launch {
            program: Arc::clone(program),
            grid: [blocks, rows, 1],
            block: [LONG.block, 1, 1],
            arguments: arguments.clone(),
        });
        let scratch = u64::from(rows * blocks) * u64::from(made.states * T::TYPE.bytes());
        Ok(Plan { launches: launches.collect(), scratch: vec![scratch] })
    }
}
