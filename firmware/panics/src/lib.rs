//! One symbol for each op of the crate's list, `op_NAME`, whose arguments the compiler knows nothing of but their types:
//! `scripts/panics.py` links images of them, without those that panic. Nothing here is ever run.
#![no_std]

use fulmen::image::{Image, Kernel, ResizePlan};
use fulmen::lanes::Native;
use fulmen::quant::{IQ4_NL, MXFP4, NF4, Q2_K, Q4_0, Q4_K, Q6_K, Q8_0, Q8_1, Q8_K};
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

/// Calls the function with each list of types, or as it is.
macro_rules! with {
    ($f:ident) => { fulmen::$f.call() };
    ($f:ident $($t:ty),+) => {{ $(fulmen::$f::<$t>.call();)+ }};
}

/// What stands for the types of each op: `f32`, but for those here.
macro_rules! typed {
    (mixed $f:ident) => { with!($f) };
    (convert $f:ident) => { with!($f) };
    (random $f:ident) => { typed!(@ $f) };
    (quant $f:ident) => { typed!(@ $f) };
    ($shape:ident $f:ident) => { with!($f f32) };
    (@ quant_gemm) => { with!(quant_gemm Q4_0, Q4_K, Q6_K, MXFP4) };
    (@ quant_gemv) => { with!(quant_gemv Q4_0, Q4_K, Q6_K, MXFP4) };
    (@ quant_dot) => { with!(quant_dot Q4_0, Q2_K, Q4_K, Q6_K, IQ4_NL, MXFP4) };
    (@ quant_rows) => { with!(quant_rows Q4_0, Q6_K, NF4) };
    (@ dequantize) => { with!(dequantize Q4_0, Q8_0, Q2_K, Q4_K, Q6_K, IQ4_NL, MXFP4, NF4) };
    (@ dequantize_padded) => { with!(dequantize_padded Q4_0, Q6_K, NF4) };
    (@ quantize) => { with!(quantize Q4_0, Q8_0, Q8_1, Q8_K, Q2_K, Q4_K, Q6_K, IQ4_NL, MXFP4, NF4) };
    (@ quantize_padded) => { with!(quantize_padded Q4_0, Q4_K) };
    (@ attention_decode) => { with!(attention_decode f32, Q8_0) };
    (@ uniform) => { with!(uniform f32, f64) };
    (@ normal) => { with!(normal f32, f64) };
    (@ exponential) => { with!(exponential f32, f64) };
    (@ truncated_normal) => { with!(truncated_normal f32) };
    (@ integers) => { with!(integers u32, i64) };
    (@ bernoulli) => { with!(bernoulli bool, u32) };
    (@ shuffle) => { with!(shuffle f32) };
    (@ fixed_dot) => { with!(fixed_dot i8, i16) };
    (@ fixed_gemv) => { with!(fixed_gemv i8, i16) };
    (@ fixed_softmax) => { with!(fixed_softmax i8, i16) };
    (@ fixed_relu) => { with!(fixed_relu i8, i16) };
    (@ fixed_sigmoid) => { with!(fixed_sigmoid i8, i16) };
    (@ fixed_tanh) => { with!(fixed_tanh i8, i16) };
    (@ fixed_fir) => { with!(fixed_fir i8, i16) };
    (@ fixed_biquad) => { with!(fixed_biquad i8, i16) };
    (@ resize) => { with!(resize u8, f32) };
    (@ correlate_separable) => { with!(correlate_separable u8, f32) };
    (@ sobel) => { with!(sobel u8, f32) };
    (@ gaussian) => { with!(gaussian u8, f32) };
    (@ integral) => { with!(integral u32, u64) };
    (@ rgb_to_bgr) => { with!(rgb_to_bgr u8, f32) };
    (@ flip) => { with!(flip u8, f32) };
    (@ rotate90) => { with!(rotate90 u8, f32) };
    (@ warp_affine) => { with!(warp_affine u8, u16, f32) };
    (@ remap) => { with!(remap u8, u16, f32) };
    (@ $f:ident) => { with!($f) };
}

macro_rules! symbols {
    ($($shape:ident $name:ident($($f:ident),*) $body:tt [$($parameter:ident: $p:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
        $(symbol!($shape $name);)*
    };
}
/// Units of their own have no symbol.
macro_rules! symbol {
    (mixed gemm_bf16_amx) => {};
    (mixed gemm_f32_amx3) => {};
    ($shape:ident $name:ident) => { named!($name: typed!($shape $name)); };
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
    rope_table: with!(rope_table f32);
    pack_b: with!(pack_b f32);
    gemm_packed: fulmen::gemm_packed::<Native, f32>.call();
    gemm_strided_batched: with!(gemm_strided_batched f32);
    transpose_in_place: with!(transpose_in_place f32);
    transpose_packed_in_place: with!(transpose_packed_in_place f32);
    fft_in_place: with!(fft_in_place f32)
}

/// One that can panic, and must be found out.
#[unsafe(no_mangle)]
pub extern "C" fn planted() {
    let at = |x: &[f32], i: usize| x[i];
    let f: fn(&[f32], usize) -> f32 = at;
    f.call();
}

unsafe extern "C" {
    /// It does not exist: what panics does not link.
    fn a_panic_is_linked() -> !;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    // SAFETY: never run.
    unsafe { a_panic_is_linked() }
}
