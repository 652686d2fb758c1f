//! The ops of shape `nn`: how each is called, with what, and what it should give. One [`Op`] each, in the file
//! of its family; the tests are made from the families' lists.

use fulmen::contract::{Tolerance, spec};
pub use fulmen::lanes::Native;
use fulmen::lanes::Simd;
use fulmen::{Element, Error};

/// [`Op::call`] from the expression of each form.
macro_rules! called {
    (|$s:ident, $a:ident, [$($o:ident),*], $w:pat_param| $on:expr $(, parallel $parallel:expr)? $(, in_place $over:expr)?) => {
        fn call<S: Simd, T: Element>(
            $s: S,
            form: Form,
            $a: &Args<T>,
            out: &mut [&mut [T]],
            $w: &mut [T],
        ) -> Option<Result<(), Error>> {
            let [$($o),*] = out else { return None };
            match form {
                Form::On => Some($on),
                $(
                    // On the build's own lanes: each others' would be compiled, and nothing runs them.
                    #[cfg(feature = "parallel")]
                    Form::Parallel if S::NAME == <$crate::nn::Native as Simd>::NAME => {
                        let $s = fulmen::lanes::native();
                        Some($parallel)
                    }
                )?
                $(Form::InPlace => $over,)?
                #[allow(unreachable_patterns, reason = "an op may have every form")]
                _ => None,
            }
        }
    };
}

#[macro_use]
pub mod complex;
#[macro_use]
pub mod contractions;
#[macro_use]
pub mod conv1d;
#[macro_use]
pub mod conv2d;
#[macro_use]
pub mod convolutions;
pub mod eigen;
pub mod filters;
#[macro_use]
pub mod indexed;
#[macro_use]
pub mod optimisers;
#[macro_use]
pub mod pairs;
#[macro_use]
pub mod pool;
#[macro_use]
pub mod products;
#[macro_use]
pub mod ranks;
pub mod refined;
#[macro_use]
pub mod reflections;
pub mod routine;
#[macro_use]
pub mod rows;
#[macro_use]
pub mod scans;
#[macro_use]
pub mod solvers;
#[macro_use]
pub mod sparse;
#[macro_use]
pub mod spectra;
#[macro_use]
pub mod symmetric;
#[macro_use]
pub mod tensors;
#[macro_use]
pub mod transforms;

#[macro_use]
pub mod attention;

pub use routine::Routine;

/// Every family's list.
#[macro_export]
macro_rules! for_each_nn_op {
    ($cb:ident) => {
        $crate::for_each_complex!($cb);
        $crate::for_each_contraction!($cb);
        $crate::for_each_conv_op!($cb);
        $crate::for_each_conv2d_op!($cb);
        $crate::for_each_convolution!($cb);
        $crate::for_each_indexed_op!($cb);
        $crate::for_each_optimiser!($cb);
        $crate::for_each_pair!($cb);
        $crate::for_each_pool_op!($cb);
        $crate::for_each_product!($cb);
        $crate::for_each_rows_op!($cb);
        $crate::for_each_scan!($cb);
        $crate::for_each_solver!($cb);
        $crate::for_each_rank!($cb);
        $crate::for_each_reflection!($cb);
        $crate::for_each_spectrum!($cb);
        $crate::for_each_sparse_op!($cb);
        $crate::for_each_tensor_op!($cb);
        $crate::for_each_transform!($cb);
        $crate::for_each_attention_op!($cb);
    };
}

/// Names in [`Args::n`] that are there or not, whatever their number.
pub const WORDS: [&str; 16] = [
    "across",
    "alone",
    "back",
    "causal",
    "ceil",
    "correlation",
    "count_padding",
    "down",
    "interleaved",
    "inverse",
    "largest",
    "nesterov",
    "plain",
    "top_left",
    "unit",
    "upper",
];

/// The arguments of a call, but for what it writes.
#[derive(Debug, Clone, PartialEq)]
pub struct Args<T> {
    /// What it reads, in the order of the contract; indices as numbers.
    pub x: Vec<Vec<T>>,
    /// The input of indices again, as integers.
    pub ids: Vec<u32>,
    /// The parameters, in the order of the contract.
    pub p: Vec<T>,
    /// Sizes, and words as 1.
    pub n: Vec<(String, usize)>,
}

impl<T: Element> Args<T> {
    pub fn new<O: Op>(x: Vec<Vec<T>>, p: Vec<T>, n: &[(&str, usize)]) -> Self {
        let n = n.iter().map(|(name, n)| ((*name).into(), *n)).collect();
        Self { x, ids: vec![], p, n }.with_ids::<O>()
    }
    /// The indices anew from their input.
    pub fn with_ids<O: Op>(self) -> Self {
        self.with_ids_of(O::IDS)
    }
    pub fn with_ids_of(mut self, input: Option<usize>) -> Self {
        let ids = input.and_then(|i| self.x.get(i));
        // The largest integer stands for itself in `f32` too: the conversion saturates.
        self.ids = ids.map_or(vec![], |x| x.iter().map(|x| x.to_f64() as u32).collect());
        self
    }
    /// The options of an edge case: `cols=2`, `causal`.
    pub fn parse(words: &[String]) -> Vec<(String, usize)> {
        let one = |w: &String| match w.split_once('=') {
            Some((name, n)) => (name.into(), n.parse().unwrap()),
            None => (w.clone(), 1),
        };
        words.iter().map(one).collect()
    }
    pub fn get(&self, name: &str) -> Option<usize> {
        self.n.iter().find(|(n, _)| n == name).map(|(_, n)| *n)
    }
    /// The size of this name.
    pub fn size(&self, name: &str) -> usize {
        self.get(name).unwrap_or_else(|| panic!("no `{name}` among {:?}", self.n))
    }
    /// The same in `f64`.
    pub fn wide(&self) -> Args<f64> {
        let wide = |x: &Vec<T>| x.iter().map(|x| x.to_f64()).collect();
        let (x, p) = (self.x.iter().map(wide).collect(), wide(&self.p));
        Args { x, ids: self.ids.clone(), p, n: self.n.clone() }
    }
}

/// One element of an output: its exact value, the magnitudes that its formula adds, and how many.
#[derive(Debug, Clone, Copy)]
pub struct Want {
    pub value: f64,
    pub mass: f64,
    pub n: usize,
}

/// A value that is copied.
pub fn copied(value: f64) -> Want {
    Want { value, mass: value.abs(), n: 1 }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    On,
    /// Over an input, where the op has such a form; same bits.
    InPlace,
    /// On threads, where the op has such a form; same bits.
    Parallel,
}

pub trait Op {
    const NAME: &'static str;
    /// The input that holds indices.
    const IDS: Option<usize> = None;
    /// The input that says where rows begin.
    const STARTS: Option<usize> = None;
    /// Whether NaN anywhere reaches every output.
    const ONE_NAN_IS_ALL: bool = false;
    /// Whether NaN anywhere is refused.
    const REFUSES_NAN: bool = false;
    /// Whether this element of an input is not read, or is no float: NaN there is not refused.
    fn unread<T: Element>(_: &Args<T>, _input: usize, _at: usize) -> bool {
        false
    }
    /// How many results in a row, of the first output, one transform or complex product computes: one of them is NaN where any should be,
    /// and the others may be. Of an infinity some of them are NaN and some infinite, even where there is one result: a transform of a
    /// block adds and subtracts it. `None`: each result is computed on its own.
    fn mixes<T: Element>(_: &Args<T>) -> Option<usize> {
        None
    }
    /// Whether the op's documentation leaves open of which class a result is, beside operands that are not finite or so vast that a step on
    /// the way overflows.
    fn open<T: Element>(_: &Args<T>, _output: usize, _at: usize) -> bool {
        false
    }
    /// Puts what the op takes of its forward op's results in their places, as they follow from the other arguments.
    fn follow<T: Element>(_: &mut Args<T>) {}
    /// Whether its time is the cube of a side, with steps that no lane knows of: the build's own lanes take every shape,
    /// others and an emulator the [`SMALL`].
    const CUBED: bool = false;
    /// The longest line of a shape that a seed draws: shorter where the reference takes the square of its time.
    const LINE: usize = 4000;
    /// Outputs that are gradients: the output, and the input that [`Op::loss`] is derived by.
    const GRADIENTS: &'static [(usize, usize)] = &[];
    /// Arguments for `rows` and `cols`, from the stream of noise.
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T>;
    /// The outputs before the call, also for arguments that are refused. What is only written holds [`STALE`].
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>>;
    /// Elements of scratch.
    fn workspace<T: Element>(_: &Args<T>) -> usize {
        0
    }
    /// `None` when there is no such form.
    fn call<S: Simd, T: Element>(
        s: S,
        form: Form,
        a: &Args<T>,
        out: &mut [&mut [T]],
        workspace: &mut [T],
    ) -> Option<Result<(), Error>>;
    /// The exact outputs.
    fn want(a: &Args<f64>) -> Vec<Vec<Want>>;
    /// Where the slope of the loss is taken: for a gradient that takes the value of its forward op, an argument that
    /// has this value.
    fn point(a: &Args<f64>) -> Args<f64> {
        a.clone()
    }
    /// What the gradients are of.
    fn loss(_: &Args<f64>) -> f64 {
        panic!("{} is no gradient", Self::NAME)
    }
}

/// Whether products of such numbers overflow.
pub fn vast<T: Element>(x: T) -> bool {
    x.to_f64().abs() > if T::NAME == "f32" { 1e18 } else { 1e150 }
}

/// What an output holds that the op only writes.
pub const STALE: f64 = -77.0;

pub fn stale<T: Element>(n: usize) -> Vec<T> {
    vec![T::from_f64(STALE); n]
}

/// A fixed stream of numbers (splitmix64).
pub struct Noise(pub u64);
impl Noise {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// In [-spread, spread).
    pub fn slice<T: Element>(&mut self, n: usize, spread: f64) -> Vec<T> {
        (0..n)
            .map(|_| T::from_f64(spread * ((self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0)))
            .collect()
    }
    /// In [0, spread).
    pub fn positive<T: Element>(&mut self, n: usize, spread: f64) -> Vec<T> {
        self.slice::<T>(n, spread).iter().map(|x| if x.to_f64() < 0.0 { -*x } else { *x }).collect()
    }
    /// Indices below `most`.
    pub fn ids<T: Element>(&mut self, n: usize, most: usize) -> Vec<T> {
        (0..n).map(|_| T::from_usize(self.bits() as usize % most.max(1))).collect()
    }
}

/// Rows and columns around register widths and unrolled loops.
pub const SHAPES: [[usize; 2]; 18] = [
    [1, 1],
    [3, 2],
    [2, 3],
    [1, 4],
    [2, 5],
    [3, 7],
    [2, 8],
    [1, 9],
    [2, 15],
    [2, 16],
    [3, 17],
    [2, 31],
    [1, 33],
    [2, 64],
    [2, 65],
    [1, 127],
    [5, 1],
    [2, 300],
];
/// The first of them, up to matrices of twice a block.
pub const SMALL: usize = 14;

pub fn bits<T: Element>(x: &[T]) -> Vec<u64> {
    x.iter().map(|x| x.to_f64().to_bits()).collect()
}

/// Calls the op. The outputs, and what it returned; panics when something was written outside them, or at all
/// by a call that was refused.
pub fn run<S: Simd, T: Element, O: Op>(s: S, form: Form, a: &Args<T>) -> Option<Result<Vec<Vec<T>>, Error>> {
    Routine::of::<O>(s).run(form, a)
}

/// What an op's contract allows, looked up once for all elements.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    own: Tolerance,
    wide: Tolerance,
}

impl Bounds {
    pub fn of<T: Element>(name: &str) -> Self {
        Self::on::<T>(name, T::NAME)
    }
    /// On a device of this language, whose contract may have an entry of its own.
    pub fn on<T: Element>(name: &str, language: &str) -> Self {
        let spec = spec(name).unwrap_or_else(|| panic!("no contract of {name}"));
        let of = |ty: &str| spec.tolerance(ty).unwrap_or_else(|| panic!("{name} has no tolerance"));
        Self { own: spec.tolerance(language).unwrap_or_else(|| of(T::NAME)), wide: of("f64") }
    }
    /// The error allowed for an element.
    pub fn allowed<T: Element>(&self, w: &Want) -> f64 {
        // The magnitudes say nothing next to an infinity.
        let mass = if w.mass.is_finite() { w.mass } else { w.value.abs() };
        let inputs = vec![0.0; w.n];
        // The reference rounds too, in f64.
        let exact = self.own == Tolerance::Exact;
        let rounded = if exact { 0.0 } else { self.wide.allowed::<f64>(w.value, &[&inputs], mass) };
        self.own.allowed::<T>(w.value, &[&inputs], mass) + rounded
    }
}

/// The error allowed for an element.
pub fn allowed<T: Element>(name: &str, w: &Want) -> f64 {
    Bounds::of::<T>(name).allowed::<T>(w)
}

/// Ops that refuse nothing: a vector and a number fit each other always.
pub const FITTING: [&str; 3] = ["scal_complex", "nrm2_complex", "asum_complex"];

/// One call against the reference; `None` when there is no such form.
pub fn check<S: Simd, T: Element, O: Op>(s: S, form: Form, a: &Args<T>) -> Option<f64> {
    Routine::of::<O>(s).check(form, a)
}
