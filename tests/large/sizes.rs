//! Sizes from the thresholds, and what all tests share.

use fulmen::Element;
use fulmen::contract::{Tolerance, spec};
use fulmen::lanes::{Simd, native};
use fulmen::thresholds::{ALL, Unit, lanes};
use std::sync::LazyLock;

/// Lengths around every threshold, up to `most`: in elements, in bytes of one to four operands, in registers.
pub fn around<T: Element>(most: usize) -> Vec<usize> {
    let mut all = vec![];
    for t in ALL {
        let at: &[usize] = match t.unit {
            Unit::Elements | Unit::Products => &[t.value],
            Unit::Bytes => &[1, 2, 3, 4].map(|operands| t.value / (operands * size_of::<T>())),
            Unit::Vectors => &[1, 2, 3].map(|times| times * t.value * width::<T>()),
        };
        for at in at {
            all.extend([at.saturating_sub(1), *at, at + 1]);
        }
    }
    all.retain(|n| (1..=most).contains(n));
    all.sort_unstable();
    all.dedup();
    all
}

/// Elements of a register of the build's lanes.
pub fn width<T: Element>() -> usize {
    fn of<S: Simd, T: Element>(_: S) -> usize {
        lanes::<S, T>()
    }
    of::<_, T>(native())
}

/// On the build's lanes, and where those are wider on AVX2's, whose blocks are of other sizes.
macro_rules! on_blocks {
    (|$s:ident| $body:expr) => {{
        let $s = fulmen::lanes::native();
        $body;
        #[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
        {
            let $s = fulmen::lanes::Avx2::detect().expect("a CPU with AVX-512 has AVX2");
            $body;
        }
    }};
}
pub(crate) use on_blocks;

/// Tiles of the product of matrices on the build's lanes.
pub fn tiles<T: Element>() -> [usize; 5] {
    fn of<S: Simd, T: Element>(_: S) -> [usize; 5] {
        fulmen::thresholds::tiles::<S, T>()
    }
    of::<_, T>(native())
}

/// The value of the threshold of this name.
pub fn threshold(name: &str) -> usize {
    let mut found = ALL.iter().filter(|t| t.name == name);
    found.next().unwrap_or_else(|| panic!("no threshold {name}")).value
}

/// As many threads whatever the machine has, and another number that divides nothing evenly.
pub static POOLS: LazyLock<[rayon::ThreadPool; 2]> =
    LazyLock::new(|| [4, 3].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap()));

/// A fixed stream of numbers (xorshift, multiplied).
pub struct Stream(u64);
impl Stream {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }
    pub fn below(&mut self, n: usize) -> usize {
        self.bits() as usize % n.max(1)
    }
    /// In [-spread, spread).
    pub fn slice<T: Element>(&mut self, n: usize, spread: f64) -> Vec<T> {
        (0..n).map(|_| T::from_f64(spread * (self.bits() as f64 / (1u64 << 52) as f64 - 1.0))).collect()
    }
}

/// Places of `n` that a fault leaves out least: both ends, around multiples of every threshold, and some at random.
pub fn places(n: usize, random: usize) -> Vec<usize> {
    let mut at: Vec<usize> = (0..n.min(40)).chain(n.saturating_sub(40)..n).collect();
    for t in ALL.iter().filter(|t| t.unit != Unit::Products && t.value >= 4096) {
        for multiple in (1..).map(|k| k * t.value).take_while(|m| *m < n).take(40) {
            at.extend([multiple - 1, multiple, multiple + 1]);
        }
    }
    let mut r = Stream::new(n as u64);
    at.extend((0..random).map(|_| r.below(n)));
    at.retain(|i| *i < n);
    at.sort_unstable();
    at.dedup();
    at
}

pub fn bits<T: Element>(x: T) -> u64 {
    x.to_f64().to_bits()
}

/// That two results are the same bits.
pub fn same<T: Element>(what: &str, a: &[T], b: &[T]) {
    assert_eq!(a.len(), b.len(), "{what}");
    if let Some(i) = (0..a.len()).find(|i| bits(a[*i]) != bits(b[*i])) {
        panic!("{what}: at {i} {:e} on one thread, {:e} on several", a[i].to_f64(), b[i].to_f64());
    }
}

/// The tolerance of an op.
pub fn tolerance<T: Element>(op: &str) -> Tolerance {
    spec(op)
        .and_then(|s| s.tolerance(T::NAME))
        .unwrap_or_else(|| panic!("{op} states no tolerance of {}", T::NAME))
}

/// As many zeros as any op has terms: a bound asks for their number alone.
pub fn zeros(n: usize) -> &'static [f64] {
    static ZEROS: LazyLock<Vec<f64>> = LazyLock::new(|| vec![0.0; 1 << 23]);
    &ZEROS[..n]
}
