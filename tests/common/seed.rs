//! Seeds of tests that draw their cases anew each time.

use crate::nn::Noise;
use dense::errors;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// The seed of this run of a program: that of the variable `FULMEN_SEED`, which repeats a run, else one from the clock.
#[derive(Debug, Clone, Copy)]
pub struct Seed(u64);

impl Seed {
    /// The seed for a test, which is printed: with the output of a test that fails, or with `--nocapture`.
    pub fn new(test: &str) -> Self {
        let seed = Self::of_the_run();
        errors::drawn();
        println!("{test}: FULMEN_SEED={} repeats this", seed.0);
        seed
    }

    /// A seed that showed a fault once, beside the one of the run.
    pub const fn fixed(seed: u64) -> Self {
        Self(seed)
    }

    /// That of the test which runs, of which [`Seed::new`] printed it.
    pub fn running() -> Self {
        errors::drawn();
        Self::of_the_run()
    }

    fn of_the_run() -> Self {
        static SEED: OnceLock<u64> = OnceLock::new();
        Self(*SEED.get_or_init(|| match std::env::var("FULMEN_SEED") {
            Ok(text) => text.parse().unwrap_or_else(|_| panic!("FULMEN_SEED={text} is no number")),
            // There may be no clock.
            Err(_) if cfg!(target_arch = "wasm32") => 1,
            Err(_) => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos() as u64);
                Noise(now).bits() >> 32
            }
        }))
    }

    /// The stream for a part of the test: the same whatever ran before it.
    pub fn stream(&self, part: &str) -> Noise {
        let hash = |h: u64, c: u8| (h ^ u64::from(c)).wrapping_mul(0x0100_0000_01b3);
        Noise(part.bytes().fold(self.0 ^ 0xcbf2_9ce4_8422_2325, hash))
    }
}

impl Noise {
    /// A number from `range`, each as likely.
    pub fn within(&mut self, range: std::ops::RangeInclusive<usize>) -> usize {
        let (first, last) = (*range.start(), *range.end());
        first + (self.bits() >> 8) as usize % (last - first + 1)
    }
    /// A size up to `most`, each power of two as likely: small ones, and ones past every threshold below.
    pub fn size(&mut self, most: usize) -> usize {
        let unit = (self.bits() >> 11) as f64 / (1u64 << 53) as f64;
        let size = ((most as f64).ln() * unit).exp() as usize;
        size.clamp(1, most)
    }
    /// Whether something with odds of one in `many` happens.
    pub fn one_in(&mut self, many: usize) -> bool {
        self.within(1..=many) == 1
    }
}
