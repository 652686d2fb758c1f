//! A small classifier on a Cortex-M4F: no heap, all sizes known when it is built.
#![no_std]
#![no_main]

use cortex_m_rt::entry;
use cortex_m_semihosting::{debug, hprintln};
use fulmen::{Error, MatRef, VecMut, VecRef};
use panic_halt as _;

const INPUTS: usize = 4;
const CLASSES: usize = 3;
const WEIGHTS: [f32; CLASSES * INPUTS] = [0.5, -1.0, 0.25, 0.0, 1.0, 0.5, -0.5, 0.25, -0.25, 0.75, 1.0, -1.0];
const BIAS: [f32; CLASSES] = [0.1, -0.2, 0.0];

/// The class and its probability: `softmax(W·x + b)`.
fn classify(x: &[f32; INPUTS]) -> Result<(usize, f32), Error> {
    let (mut scores, mut p) = (BIAS, [0.0; CLASSES]);
    let weights = MatRef::row_major(&WEIGHTS, CLASSES, INPUTS)?;
    fulmen::gemv(1.0, weights, VecRef::from(x), 1.0, VecMut::from(&mut scores))?;
    fulmen::softmax(&scores, CLASSES, &mut p)?;
    let class = fulmen::argmax(&p)?;
    Ok((class, p[class]))
}

#[entry]
fn main() -> ! {
    match classify(&[1.0, 2.0, -0.5, 0.25]) {
        Ok((class, p)) => {
            let _ =
                hprintln!("lanes: {:?}; class {} with {} %", fulmen::NATIVE, class, (100.0 * p + 0.5) as u32);
            debug::exit(debug::EXIT_SUCCESS);
        }
        Err(_) => debug::exit(debug::EXIT_FAILURE),
    }
    loop {}
}
