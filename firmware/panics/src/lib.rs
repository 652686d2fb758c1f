//! One symbol for each op of the crate's list, `op_NAME`, whose arguments the compiler knows nothing of but their types:
//! `scripts/panics.py` links images of them, without those that panic. Nothing here is ever run.
//!
//! With the feature `avx2` the symbols call the ops on AVX2 in a build for any x86-64, as a program does that chooses its instruction set when it
//! runs: `scripts/inlined.py` looks for instructions that became functions.
#![cfg_attr(not(feature = "avx2"), no_std)]

#[cfg(not(feature = "avx2"))]
use fulmen::image::{Image, Kernel, ResizePlan};
#[cfg(not(feature = "avx2"))]
use fulmen::lanes::Native;
use fulmen::quant::{IQ4_NL, MXFP4, NF4, Q2_K, Q4_0, Q4_K, Q6_K, Q8_0, Q8_1, Q8_K};
#[cfg(not(feature = "avx2"))]
use fulmen::{BatchRef, Csr, Dct, EinsumPlan, Fft, MatRef, RealFft, VecRef};

/// A value that is found where the compiler cannot look.
fn some<T>() -> T {
    // SAFETY: never run; only what the compiler makes of a call is looked at.
    unsafe { core::ptr::read_volatile(4096 as *const T) }
}

/// A function of any number of arguments, `M` their types.
trait Call<M> {
    fn call(self);
}

macro_rules! arities {
    ($($($a:ident)*;)*) => {$(
        impl<F: FnOnce($($a),*) -> Out, Out, $($a),*> Call<($($a,)*)> for F {
            #[inline(always)]
            fn call(self) {
                let out = self($(some::<$a>()),*);
                // SAFETY: never run.
                unsafe { core::ptr::write_volatile(4096 as *mut Out, out) };
            }
        }
    )*};
}
arities! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E G;
    A B C D E G H;
    A B C D E G H I;
    A B C D E G H I J;
    A B C D E G H I J K;
    A B C D E G H I J K L;
    A B C D E G H I J K L N;
    A B C D E G H I J K L N O;
}

/// Calls the op with each list of types, or as it is: by its name, or with `avx2` by that of its form for these lanes.
#[cfg(not(feature = "avx2"))]
macro_rules! with {
    ($f:ident $on:ident) => { fulmen::$f.call() };
    ($f:ident $on:ident $($t:ty),+) => {{ $(fulmen::$f::<$t>.call();)+ }};
}
#[cfg(feature = "avx2")]
macro_rules! with {
    ($f:ident $on:ident) => { fulmen::$on::<fulmen::lanes::Avx2>.call() };
    ($f:ident $on:ident $($t:ty),+) => {{ $(fulmen::$on::<fulmen::lanes::Avx2, $t>.call();)+ }};
}

/// What stands for the types of each op: `f32`, but for those here.
macro_rules! typed {
    (mixed $f:ident $on:ident) => { with!($f $on) };
    (convert $f:ident $on:ident) => { with!($f $on) };
    (random $f:ident $on:ident) => { typed!(@ $f $on) };
    (quant $f:ident $on:ident) => { typed!(@ $f $on) };
    ($shape:ident $f:ident $on:ident) => { with!($f $on f32) };
    (@ quant_gemm $on:ident) => { with!(quant_gemm $on Q4_0, Q4_K, Q6_K, MXFP4) };
    (@ quant_gemv $on:ident) => { with!(quant_gemv $on Q4_0, Q4_K, Q6_K, MXFP4) };
    (@ quant_dot $on:ident) => { with!(quant_dot $on Q4_0, Q2_K, Q4_K, Q6_K, IQ4_NL, MXFP4) };
    (@ quant_rows $on:ident) => { with!(quant_rows $on Q4_0, Q6_K, NF4) };
    (@ dequantize $on:ident) => { with!(dequantize $on Q4_0, Q8_0, Q2_K, Q4_K, Q6_K, IQ4_NL, MXFP4, NF4) };
    (@ dequantize_padded $on:ident) => { with!(dequantize_padded $on Q4_0, Q6_K, NF4) };
    (@ quantize $on:ident) => { with!(quantize $on Q4_0, Q8_0, Q8_1, Q8_K, Q2_K, Q4_K, Q6_K, IQ4_NL, MXFP4, NF4) };
    (@ quantize_padded $on:ident) => { with!(quantize_padded $on Q4_0, Q4_K) };
    (@ attention_decode $on:ident) => { with!(attention_decode $on f32, Q8_0) };
    (@ uniform $on:ident) => { with!(uniform $on f32, f64) };
    (@ normal $on:ident) => { with!(normal $on f32, f64) };
    (@ exponential $on:ident) => { with!(exponential $on f32, f64) };
    (@ truncated_normal $on:ident) => { with!(truncated_normal $on f32) };
    (@ integers $on:ident) => { with!(integers $on u32, i64) };
    (@ bernoulli $on:ident) => { with!(bernoulli $on bool, u32) };
    (@ shuffle $on:ident) => { with!(shuffle $on f32) };
    (@ fixed_dot $on:ident) => { with!(fixed_dot $on i8, i16) };
    (@ fixed_gemv $on:ident) => { with!(fixed_gemv $on i8, i16) };
    (@ fixed_softmax $on:ident) => { with!(fixed_softmax $on i8, i16) };
    (@ fixed_relu $on:ident) => { with!(fixed_relu $on i8, i16) };
    (@ fixed_sigmoid $on:ident) => { with!(fixed_sigmoid $on i8, i16) };
    (@ fixed_tanh $on:ident) => { with!(fixed_tanh $on i8, i16) };
    (@ fixed_fir $on:ident) => { with!(fixed_fir $on i8, i16) };
    (@ fixed_biquad $on:ident) => { with!(fixed_biquad $on i8, i16) };
    (@ resize $on:ident) => { with!(resize $on u8, f32) };
    (@ correlate_separable $on:ident) => { with!(correlate_separable $on u8, f32) };
    (@ sobel $on:ident) => { with!(sobel $on u8, f32) };
    (@ gaussian $on:ident) => { with!(gaussian $on u8, f32) };
    (@ integral $on:ident) => { with!(integral $on u32, u64) };
    (@ rgb_to_bgr $on:ident) => { with!(rgb_to_bgr $on u8, f32) };
    (@ flip $on:ident) => { with!(flip $on u8, f32) };
    (@ rotate90 $on:ident) => { with!(rotate90 $on u8, f32) };
    (@ warp_affine $on:ident) => { with!(warp_affine $on u8, u16, f32) };
    (@ remap $on:ident) => { with!(remap $on u8, u16, f32) };
    (@ $f:ident $on:ident) => { with!($f $on) };
}

macro_rules! symbols {
    ($($shape:ident $name:ident($($f:ident),*) $body:tt [$($parameter:ident: $p:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
        $(symbol!($shape $name $($f)*);)*
    };
}
/// Units of their own have no symbol.
macro_rules! symbol {
    (mixed gemm_bf16_amx $($f:ident)*) => {};
    (mixed gemm_f32_amx3 $($f:ident)*) => {};
    ($shape:ident $name:ident $op:ident $on:ident $($f:ident)*) => { named!($name: typed!($shape $op $on)); };
}
macro_rules! named {
    ($($name:ident: $call:expr);*) => {$(
        const _: () = {
            #[unsafe(export_name = concat!("op_", stringify!($name)))]
            pub extern "C" fn op() {
                $call;
            }
        };
    )*};
}
fulmen::for_each_op!(symbols);

// What is no op of the list: how views and plans are made, and other forms of ops.
#[cfg(not(feature = "avx2"))]
named! {
    mat_ref: MatRef::<f32>::strided.call();
    vec_ref: VecRef::<f32>::strided.call();
    batch_ref: BatchRef::<f32>::strided.call();
    csr: Csr::<f32>::new.call();
    fft_of: Fft::<f32>::of.call();
    fft_plan: Fft::<f32>::plan.call();
    rfft_of: RealFft::<f32>::of.call();
    rfft_plan: RealFft::<f32>::plan.call();
    dct_of: Dct::<f32>::of.call();
    dct_plan: Dct::<f32>::plan.call();
    einsum_plan: EinsumPlan::new.call();
    image: Image::<u8>::strided.call();
    resize_plan: ResizePlan::<i16>::new.call();
    kernel: Kernel::<i16>::new.call();
    gaussian_kernel: Kernel::<f32>::gaussian.call();
    rope_table: fulmen::rope_table::<f32>.call();
    pack_b: fulmen::pack_b::<f32>.call();
    gemm_packed: fulmen::gemm_packed::<Native, f32>.call();
    gemm_strided_batched: fulmen::gemm_strided_batched::<f32>.call();
    transpose_in_place: fulmen::transpose_in_place::<f32>.call();
    transpose_packed_in_place: fulmen::transpose_packed_in_place::<f32>.call();
    fft_in_place: fulmen::fft_in_place::<f32>.call()
}

/// One that can panic, and must be found out.
#[cfg(not(feature = "avx2"))]
#[unsafe(no_mangle)]
pub extern "C" fn planted() {
    let at = |x: &[f32], i: usize| x[i];
    let f: fn(&[f32], usize) -> f32 = at;
    f.call();
}

#[cfg(not(feature = "avx2"))]
unsafe extern "C" {
    /// It does not exist: what panics does not link.
    fn a_panic_is_linked() -> !;
}

#[cfg(not(feature = "avx2"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    // SAFETY: never run.
    unsafe { a_panic_is_linked() }
}
