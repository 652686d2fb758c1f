//! A generator's words to the standard output, without an end: what a battery of statistical tests reads. `scripts/battery.sh` runs one.
//!
//! `stream [philox|threefry|normal|uniform] [KEY]`: words of `random_bits`; blocks of Threefry4x64-20 at counters in turn; `Φ(x)` of
//! normal numbers, which is uniform, 16 bits of each; and 16 bits of uniform ones in `f32`.

use fulmen::random::{Stream, Threefry4x64};
use std::io::Write;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let name = args.get(1).map_or("philox", String::as_str);
    let key: u64 = args.get(2).map_or(1, |k| k.parse().expect("a key is a number"));
    let mut out = std::io::stdout().lock();
    let (mut words, mut floats) = (vec![0u32; 1 << 18], vec![0.0f32; 1 << 18]);
    let mut bytes: Vec<u8> = vec![];
    let mut at = Stream::new(key);
    let (mut block, mut written) = (0u64, 0u64);
    let half = |u: f32| ((f64::from(u) * 65536.0) as u16).to_le_bytes();
    loop {
        bytes.clear();
        match name {
            "philox" => {
                fulmen::random_bits(at, &mut words);
                bytes.extend(words.iter().flat_map(|w| w.to_le_bytes()));
            }
            "threefry" => {
                for _ in 0..1 << 15 {
                    let words = Threefry4x64::generate_at([key, 0, 0, 0], [block, 0, 0, 0]);
                    bytes.extend(words.iter().flat_map(|w| w.to_le_bytes()));
                    block += 1;
                }
            }
            "normal" => {
                fulmen::normal(at, 0.0, 1.0, &mut floats).expect("a mean and a deviation");
                let cdf = |x: f32| 0.5 * (1.0 + libm::erf(f64::from(x) * std::f64::consts::FRAC_1_SQRT_2));
                bytes.extend(floats.iter().flat_map(|x| ((cdf(*x) * 65536.0) as u16).to_le_bytes()));
            }
            "uniform" => {
                fulmen::uniform(at, &mut floats);
                bytes.extend(floats.iter().flat_map(|u| half(*u)));
            }
            _ => panic!("no generator `{name}`"),
        }
        at = at.skip(words.len() as u64);
        // The reader has what it wanted.
        if out.write_all(&bytes).is_err() {
            eprintln!("{name}, key {key}: {:.1} GB", written as f64 * 1e-9);
            return;
        }
        written += bytes.len() as u64;
    }
}
