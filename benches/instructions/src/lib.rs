//! The work that `scripts/instructions.py` counts: `C = AB` of `n` by `n` matrices in rows, on the build's own lanes.
//! Each product is a function without arguments, as a WebAssembly interpreter calls them.

use fulmen::{Element, Error, MatMut, MatRef, gemm, gemm_workspace};
use std::sync::Mutex;

/// Sizes of whole tiles, and sizes that leave a rest in both directions.
macro_rules! products {
    ($($n:literal)*) => {
        /// The products of each type, by size.
        pub const PRODUCTS: &[(usize, extern "C" fn(), extern "C" fn())] = &[$(($n, each!(f32, $n), each!(f64, $n))),*];
    };
}

macro_rules! each {
    ($T:ident, $n:literal) => {{
        #[unsafe(export_name = concat!(stringify!($T), "_", $n))]
        extern "C" fn product() {
            static OPERANDS: Mutex<Operands<$T, { $n * $n }, { gemm_workspace($n, $n, $n) }>> =
                Mutex::new(Operands { a: [1.0; _], b: [0.5; _], c: [0.0; _], workspace: [0.0; _] });
            if let Ok(mut operands) = OPERANDS.lock() {
                operands.multiply($n).unwrap_or_else(|error| panic!("{error}"));
            }
        }
        product
    }};
}

/// What a product reads and writes; it is there before anything runs.
struct Operands<T, const LEN: usize, const WORKSPACE: usize> {
    a: [T; LEN],
    b: [T; LEN],
    c: [T; LEN],
    workspace: [T; WORKSPACE],
}

impl<T: Element, const LEN: usize, const WORKSPACE: usize> Operands<T, LEN, WORKSPACE> {
    fn multiply(&mut self, n: usize) -> Result<(), Error> {
        let (a, b) = (MatRef::row_major(&self.a, n, n)?, MatRef::row_major(&self.b, n, n)?);
        gemm(T::ONE, a, b, T::ZERO, MatMut::row_major(&mut self.c, n, n)?, &mut self.workspace)
    }
}

// The interpreter prints a hundred million instructions for 256.
#[cfg(target_arch = "wasm32")]
products!(37 48 64 65 100);
#[cfg(not(target_arch = "wasm32"))]
products!(37 48 64 65 100 256);
