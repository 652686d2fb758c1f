//! One symbol for each op, `op_NAME`, of slices, sizes and strides that the compiler cannot see: `scripts/panics.py`
//! follows the calls of each to code that panics.
#![no_std]

use fulmen::*;

/// What a call takes: bytes for slices, and numbers for lengths, sizes and strides.
pub struct Call<'a> {
    x: [&'a [f32]; 6],
    y: [&'a mut [f32]; 3],
    w: &'a mut [f32],
    ids: &'a [u32],
    n: &'a [usize; 12],
    s: &'a [isize; 12],
    p: &'a [f32; 6],
    word: bool,
}

type R = Result<(), Error>;

/// Matrix `i` of what is read: its shape and strides are numbers `i` and on.
fn a<'a>(c: &Call<'a>, i: usize) -> Result<MatRef<'a, f32>, Error> {
    let at = |k: usize| c.n.get(2 * i + k).copied().unwrap_or_default();
    let by = |k: usize| c.s.get(2 * i + k).copied().unwrap_or_default();
    let x = c.x.get(i).copied().unwrap_or_default();
    MatRef::strided(x, at(2), at(0), at(1), by(0), by(1))
}
fn m<'a>(y: &'a mut [f32], c: ([usize; 3], [isize; 2])) -> Result<MatMut<'a, f32>, Error> {
    MatMut::strided(y, c.0[2], c.0[0], c.0[1], c.1[0], c.1[1])
}
fn v<'a>(c: &Call<'a>, i: usize) -> Result<VecRef<'a, f32>, Error> {
    let at = |k: usize| c.n.get(2 * i + k).copied().unwrap_or_default();
    let x = c.x.get(i).copied().unwrap_or_default();
    VecRef::strided(x, at(0), at(1), c.s.get(i).copied().unwrap_or_default())
}
fn vm<'a>(y: &'a mut [f32], c: ([usize; 3], [isize; 2])) -> Result<VecMut<'a, f32>, Error> {
    VecMut::strided(y, c.0[0], c.0[1], c.1[0])
}
/// Sizes of the results, the last of the numbers.
fn sizes(c: &Call<'_>) -> ([usize; 3], [isize; 2]) {
    ([c.n[9], c.n[10], c.n[11]], [c.s[10], c.s[11]])
}
fn side(c: &Call<'_>) -> Side {
    if c.word { Side::Left } else { Side::Right }
}
fn triangle(c: &Call<'_>) -> Triangle {
    if c.n[8] == 0 { Triangle::Lower } else { Triangle::Upper }
}
fn diagonal(c: &Call<'_>) -> Diagonal {
    if c.n[7] == 0 { Diagonal::Unit } else { Diagonal::NonUnit }
}
fn style(c: &Call<'_>) -> RopeStyle {
    if c.n[7] == 0 { RopeStyle::Neox } else { RopeStyle::Interleaved }
}
fn conv(c: &Call<'_>) -> Conv1d {
    let [channels_in, channels_out, length, kernel, stride, padding, dilation, groups, ..] = *c.n;
    Conv1d { channels_in, channels_out, length, kernel, stride, padding, dilation, groups }
}
fn pool(c: &Call<'_>) -> Pool {
    let [a, b, d, e, f, g, h, i, ..] = *c.n;
    let (dilation, padding_end) = ([a, g, f], [b, i, h]);
    Pool { dilation, padding_end, ceil: c.word, ..Pool::volume([d, a, b], [i, d, e], [h, f, g], [e, h, i]) }
}
fn heads(c: &Call<'_>) -> Attention<f32> {
    let [.., heads, kv_heads, dim] = *c.n;
    let window = if c.n[8] == 0 { None } else { Some(c.n[8]) };
    let align = if c.n[6] == 0 { Align::BottomRight } else { Align::TopLeft };
    let (softcap, value_dim) = (c.word.then_some(c.p[1]), c.word.then_some(c.n[5]));
    Attention {
        causal: c.word,
        window,
        align,
        softcap,
        value_dim,
        ..Attention::new(heads, kv_heads, dim, c.p[0])
    }
}
fn adam_settings(c: &Call<'_>) -> Adam<f32> {
    let [lr, beta1, beta2, eps, weight_decay, _] = *c.p;
    Adam { lr, beta1, beta2, eps, weight_decay, step: c.n[0] as u32 }
}
/// A slice of another type.
fn of<T>(x: &[f32]) -> &[T] {
    // SAFETY: never run; only what the compiler makes of a call is looked at.
    unsafe { core::slice::from_raw_parts(x.as_ptr().cast(), x.len()) }
}
fn of_mut<T>(x: &mut [f32]) -> &mut [T] {
    // SAFETY: as above.
    unsafe { core::slice::from_raw_parts_mut(x.as_mut_ptr().cast(), x.len()) }
}
fn narrow<T>(c: &Call<'_>, i: usize) -> Result<MatRef<'static, T>, Error> {
    let at = |k: usize| c.n.get(2 * i + k).copied().unwrap_or_default();
    let by = |k: usize| c.s.get(2 * i + k).copied().unwrap_or_default();
    // SAFETY: as above.
    let x: &'static [T] = unsafe { core::slice::from_raw_parts(c.x[0].as_ptr().cast(), c.x[0].len()) };
    MatRef::strided(x, at(2), at(0), at(1), by(0), by(1))
}

macro_rules! own {
    ($($name:ident |$c:ident, [$y0:ident, $y1:ident, $y2:ident], $w:ident, $z:ident| $call:expr;)*) => {$(
        #[unsafe(no_mangle)]
        #[allow(unused_variables)]
        pub fn $name($c: Call<'_>) -> R {
            let $z = sizes(&$c);
            let Call { x, y, w: $w, ids, n, s, p, word } = $c;
            let $c = Call { x, y: [&mut [], &mut [], &mut []], w: &mut [], ids, n, s, p, word };
            let [$y0, $y1, $y2] = y;
            $call
        }
    )*};
}
own! {
    op_gemm |c, [y, _1, _2], w, z| gemm(c.p[0], a(&c, 0)?, a(&c, 1)?, c.p[1], m(y, z)?, w);
    op_gemm_strided_batched |c, [y, _1, _2], w, z| {
        let n = c.n[8];
        let a = BatchRef::strided(c.x[0], c.n[0], [n, c.n[1], c.n[2]], [c.s[0], c.s[1], c.s[2]])?;
        let b = BatchRef::strided(c.x[1], c.n[0], [n, c.n[3], c.n[4]], [c.s[3], c.s[4], c.s[5]])?;
        let to = BatchMut::strided(y, c.n[0], [n, c.n[5], c.n[6]], [c.s[6], c.s[7], c.s[8]])?;
        gemm_strided_batched(c.p[0], a, b, c.p[1], to, w)
    };
    op_gemm_packed |c, [y, r, _2], w, z| {
        let b = pack_b(a(&c, 1)?, r)?;
        gemm_packed(c.p[0], a(&c, 0)?, b, c.p[1], m(y, z)?, w)
    };
    op_gemm_backward_a |c, [y, _1, _2], w, z| gemm_backward_a(a(&c, 0)?, a(&c, 1)?, c.p[1], m(y, z)?, w);
    op_gemm_backward_b |c, [y, _1, _2], w, z| gemm_backward_b(a(&c, 0)?, a(&c, 1)?, c.p[1], m(y, z)?, w);
    op_gemm_i8 |c, [y, _1, _2], w, z| {
        let to = MatMut::strided(of_mut::<i32>(y), z.0[2], z.0[0], z.0[1], z.1[0], z.1[1])?;
        gemm_i8(c.ids.len() as i32, narrow::<i8>(&c, 0)?, narrow::<i8>(&c, 1)?, c.n[0] as i32, to, of_mut(w))
    };
    op_gemm_u8 |c, [y, _1, _2], w, z| {
        let to = MatMut::strided(of_mut::<i32>(y), z.0[2], z.0[0], z.0[1], z.1[0], z.1[1])?;
        let (zeros, b) = ((c.n[1] as u8, c.n[2] as i8), narrow::<i8>(&c, 1)?);
        gemm_u8(c.ids.len() as i32, narrow::<u8>(&c, 0)?, zeros.0, b, zeros.1, c.n[0] as i32, to, of_mut(w))
    };
    op_gemm_bf16 |c, [y, _1, _2], w, z| gemm_bf16(c.p[0], narrow(&c, 0)?, narrow(&c, 1)?, c.p[1], m(y, z)?, w);
    op_gemm_f16 |c, [y, _1, _2], w, z| gemm_f16(c.p[0], narrow(&c, 0)?, narrow(&c, 1)?, c.p[1], m(y, z)?, w);
    op_gemv |c, [y, _1, _2], w, z| gemv(c.p[0], a(&c, 0)?, v(&c, 1)?, c.p[1], vm(y, z)?);
    op_ger |c, [y, _1, _2], w, z| ger(c.p[0], v(&c, 0)?, v(&c, 1)?, m(y, z)?);
    op_syr |c, [y, _1, _2], w, z| syr(c.p[0], v(&c, 0)?, triangle(&c), m(y, z)?);
    op_syr2 |c, [y, _1, _2], w, z| syr2(c.p[0], v(&c, 0)?, v(&c, 1)?, triangle(&c), m(y, z)?);
    op_symv |c, [y, _1, _2], w, z| symv(c.p[0], triangle(&c), a(&c, 0)?, v(&c, 1)?, c.p[1], vm(y, z)?);
    op_trmv |c, [y, _1, _2], w, z| trmv(triangle(&c), diagonal(&c), a(&c, 0)?, vm(y, z)?);
    op_trsv |c, [y, _1, _2], w, z| trsv(triangle(&c), diagonal(&c), a(&c, 0)?, vm(y, z)?);
    op_symm |c, [y, _1, _2], w, z| symm(side(&c), c.p[0], triangle(&c), a(&c, 0)?, a(&c, 1)?, c.p[1], m(y, z)?, w);
    op_syrk |c, [y, _1, _2], w, z| syrk(c.p[0], a(&c, 0)?, c.p[1], triangle(&c), m(y, z)?, w);
    op_syr2k |c, [y, _1, _2], w, z| syr2k(c.p[0], a(&c, 0)?, a(&c, 1)?, c.p[1], triangle(&c), m(y, z)?, w);
    op_trmm |c, [y, _1, _2], w, z| trmm(side(&c), c.p[0], triangle(&c), diagonal(&c), a(&c, 0)?, m(y, z)?, w);
    op_trsm |c, [y, _1, _2], w, z| trsm(side(&c), c.p[0], triangle(&c), diagonal(&c), a(&c, 0)?, m(y, z)?, w);
    op_swap |c, [y, x, _2], w, z| swap(vm(x, z)?, vm(y, z)?);
    op_copy |c, [y, _1, _2], w, z| copy(v(&c, 0)?, vm(y, z)?);
    op_scal |c, [y, _1, _2], w, z| { scal(c.p[0], vm(y, z)?); Ok(()) };
    op_axpy_strided |c, [y, _1, _2], w, z| axpy_strided(c.p[0], v(&c, 0)?, vm(y, z)?);
    op_dot_strided |c, [y, _1, _2], w, z| set(y, dot_strided(v(&c, 0)?, v(&c, 1)?)?);
    op_nrm2 |c, [y, _1, _2], w, z| set(y, nrm2(v(&c, 0)?));
    op_asum |c, [y, _1, _2], w, z| set(y, asum(v(&c, 0)?));
    op_iamax |c, [y, _1, _2], w, z| set(y, iamax(v(&c, 0)?)? as f32);
    op_rot |c, [y, x, _2], w, z| rot(vm(x, z)?, vm(y, z)?, c.p[0], c.p[1]);
    op_rotm |c, [y, x, _2], w, z| {
        let [a, b, d, e, f, _] = *c.p;
        rotm(vm(x, z)?, vm(y, z)?, &RotM::from_param([a, b, d, e, f])?)
    };
    op_rotg |c, [y, _1, _2], w, z| { let g = rotg(c.p[0], c.p[1]); set(y, g.r + g.z + g.c + g.s) };
    op_rotmg |c, [y, _1, _2], w, z| {
        let g = rotmg(c.p[0], c.p[1], c.p[2], c.p[3]);
        set(y, g.d1 + g.d2 + g.x1 + g.h.param()[0] + g.h.param()[4])
    };
    op_transpose |c, [y, _1, _2], w, z| transpose(a(&c, 0)?, m(y, z)?);
    op_transpose_in_place |c, [y, _1, _2], w, z| transpose_in_place(m(y, z)?);
    op_transpose_packed_in_place |c, [y, _1, _2], w, z| transpose_packed_in_place(y, c.n[0], c.n[1], w);
    op_attention |c, [y, l, _2], w, z| {
        let lse = if c.n[7] == 0 { None } else { Some(&mut l[..]) };
        let mask = if c.word { Some(a(&c, 3)?) } else { None };
        attention(&heads(&c), a(&c, 0)?, a(&c, 1)?, a(&c, 2)?, mask, m(y, z)?, lse, w)
    };
    op_attention_backward |c, [dq, dk, dv], w, z| {
        let (dq, dk, dv) = (m(dq, z)?, m(dk, ([c.n[0], c.n[1], c.n[2]], z.1))?, m(dv, ([c.n[0], c.n[1], c.n[2]], z.1))?);
        let mask = if c.word { Some(a(&c, 3)?) } else { None };
        attention_backward(&heads(&c), a(&c, 0)?, a(&c, 1)?, a(&c, 2)?, mask, a(&c, 3)?, c.x[4], a(&c, 0)?, dq, dk, dv, w)
    };
    op_conv1d |c, [y, _1, _2], w, z| {
        conv1d(conv(&c), c.x[0], c.x[1], if c.word { Some(c.x[2]) } else { None }, y, w)
    };
    op_conv1d_backward_input |c, [y, _1, _2], w, z| conv1d_backward_input(conv(&c), c.x[0], c.x[1], y, w);
    op_conv1d_backward_weights |c, [y, b, _2], w, z| {
        conv1d_backward_weights(conv(&c), c.x[0], c.x[1], y, if c.word { Some(b) } else { None }, w)
    };
    op_max_pool |c, [y, _1, _2], w, z| max_pool(c.x[0], pool(&c), y);
    op_max_pool_indices |c, [y, i, _2], w, z| max_pool_indices(c.x[0], pool(&c), y, of_mut(i));
    op_max_pool_backward |c, [y, _1, _2], w, z| max_pool_backward(c.x[0], c.x[1], pool(&c), y);
    op_avg_pool |c, [y, _1, _2], w, z| avg_pool(c.x[0], pool(&c), c.word, y);
    op_avg_pool_backward |c, [y, _1, _2], w, z| avg_pool_backward(c.x[0], pool(&c), c.word, y);
    op_lz4_compress |c, [y, sizes, _2], w, z| lz4_compress(of(c.x[0]), c.n[0], of_mut(y), of_mut(sizes));
    op_lz4_decompress |c, [y, _1, _2], w, z| lz4_decompress(of(c.x[0]), c.ids, c.n[0], of_mut(y));
    op_embedding |c, [y, _1, _2], w, z| embedding(c.x[0], c.n[0], c.ids, y);
    op_scatter |c, [y, _1, _2], w, z| scatter(c.x[0], c.n[0], c.ids, y);
    op_scatter_add |c, [y, _1, _2], w, z| scatter_add(c.x[0], c.n[0], c.ids, y);
    op_rope |c, [y, _1, _2], w, z| rope(c.x[0], c.n[0], c.x[1], c.x[2], style(&c), y);
    op_rope_backward |c, [y, _1, _2], w, z| rope_backward(c.x[0], c.n[0], c.x[1], c.x[2], style(&c), y);
    op_rope_view |c, [y, _1, _2], w, z| rope_view(m(y, z)?, c.n[0], c.x[1], c.x[2], style(&c), c.word);
}

fn set(y: &mut [f32], x: f32) -> R {
    if let Some(y) = y.first_mut() {
        *y = x;
    }
    Ok(())
}

/// Whole numbers, and sections that are no floats.
#[unsafe(no_mangle)]
pub fn op_fixed_biquad(
    sections: &[Biquad<i16>],
    shift: u32,
    state: &mut [i16],
    x: &[i16],
    y: &mut [i16],
) -> R {
    fixed_biquad(sections, shift, state, x, y)
}

/// One that can panic, and must be found out.
#[unsafe(no_mangle)]
pub fn planted(c: Call<'_>) -> f32 {
    c.x[0][c.n[0]]
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
