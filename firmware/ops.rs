//! The ops under measurement: those that the environment variable `FULMEN_OP` names at compile
//! time, joined by `+`, or `empty` for none. The calls are made from the crate's list of ops.

use fulmen::Error;

/// Elements in each slice that the images make.
#[allow(dead_code, reason = "the WASM module gets its slices from outside")]
pub const LEN: usize = 37;

const EPS: f32 = 1e-5;

const OP: &str = env!("FULMEN_OP");

/// Whether `OP` names this op.
const fn wanted(name: &str) -> bool {
    let (list, name) = (OP.as_bytes(), name.as_bytes());
    let (mut start, mut end) = (0, 0);
    while end <= list.len() {
        if end == list.len() || list[end] == b'+' {
            let mut same = end - start == name.len();
            let mut i = 0;
            while same && i < name.len() {
                same = list[start + i] == name[i];
                i += 1;
            }
            if same {
                return true;
            }
            start = end + 1;
        }
        end += 1;
    }
    false
}

/// What the ops return, as one float.
trait Value {
    fn value(self) -> Result<f32, Error>;
}
impl Value for () {
    fn value(self) -> Result<f32, Error> {
        Ok(0.0)
    }
}
impl Value for f32 {
    fn value(self) -> Result<f32, Error> {
        Ok(self)
    }
}
impl Value for usize {
    fn value(self) -> Result<f32, Error> {
        Ok(self as f32)
    }
}
impl<T: Value> Value for Result<T, Error> {
    fn value(self) -> Result<f32, Error> {
        self?.value()
    }
}

macro_rules! call {
    (unary $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { fulmen::$f($a, $($p,)* $out) };
    (binary $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { fulmen::$f($a, $b, $($p,)* $out) };
    (ternary $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { fulmen::$f($a, $b, $a, $($p,)* $out) };
    (update $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { fulmen::$f($($p,)* $a, $out) };
    (reduce $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { fulmen::$f($a $(, $p)*) };
    (total $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { fulmen::$f($a $(, $p)*) };
    (arg $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { fulmen::$f($a $(, $p)*) };
    (reduce2 $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { fulmen::$f($a, $b $(, $p)*) };
    (select $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => {
        match $out.get_mut(..4) {
            Some(values) => fulmen::$f($a, 4, values, &mut [0; 4]),
            None => Ok(()),
        }
    };
    // Conversions need a feature that firmware profiles leave out, products take matrices, others have calls of
    // their own; `sizes.py` never asks for them.
    (convert $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { () };
    (gemm $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { () };
    (mixed $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { () };
    (quant $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { () };
    (random $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { () };
    (blas $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { () };
    (nn $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { () };
    (rows $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { fulmen::$f($a, $b.len(), $($p,)* $out) };
    (rows_eps $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { fulmen::$f($a, $b.len(), $($p,)* EPS, $out) };
    (rows_scale $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { fulmen::$f($a, $b, $($p,)* EPS, $out) };
    (rows_affine $f:ident [$($p:expr),*] $a:ident $b:ident $out:ident) => { fulmen::$f($a, $b, $b, $($p,)* EPS, $out) };
}

macro_rules! ops {
    ($($shape:ident $name:ident($f:ident $(, $rest:ident)*) $body:tt [$($parameter:ident: $p:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
        const _: () = assert!(wanted("empty") $(|| wanted(stringify!($name)))*, "FULMEN_OP names no op");

        /// Runs the wanted ops and adds up what they return.
        #[inline(always)]
        pub fn op(a: &[f32], b: &[f32], out: &mut [f32]) -> Result<f32, Error> {
            let _ = (a, b, &out);
            #[allow(unused_mut, reason = "`empty` adds nothing")]
            let mut sum = 0.0;
            $(if const { wanted(stringify!($name)) } {
                sum += call!($shape $f [$($p),*] a b out).value()?;
            })*
            Ok(sum)
        }
    };
}
fulmen::for_each_op!(ops);
