//! NEON on ARM64 without an operating system: filters a block of samples and reports its level over the UART.
#![no_std]
#![no_main]

mod boot;

use fulmen::Error;

// A build that is slower than meant does not compile.
const _: () = assert!(matches!(fulmen::NATIVE, fulmen::lanes::Isa::Neon));

/// The panic handler that every bare-metal program needs. fulmen itself has no panic to bring here.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    boot::exit(101)
}

/// The root mean square of `x` after limiting it to -1 to 1.
fn level(x: &[f32], limited: &mut [f32]) -> Result<f32, Error> {
    fulmen::clamp(x, -1.0, 1.0, limited)?;
    Ok((fulmen::sum_of_squares(limited) / x.len() as f32).max(0.0))
}

#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    let mut x = [0.0f32; 256];
    for (i, x) in x.iter_mut().enumerate() {
        *x = (i % 8) as f32 * 0.5 - 2.0;
    }
    match level(&x, &mut [0.0; 256]) {
        // -1 five samples of eight or +1, -0.5, 0 and 0.5: the mean square is 5.5 / 8.
        Ok(mean) if (mean - 0.6875).abs() < 1e-6 => {
            boot::print(b"lanes: Neon; the level is right\n");
            boot::exit(0)
        }
        Ok(_) => {
            boot::print(b"WRONG level\n");
            boot::exit(1)
        }
        Err(_) => boot::exit(2),
    }
}
