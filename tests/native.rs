//! The forms without a token are those of the build's own, and the backends are the ops of the same names.

use fulmen::backend::{Backend, Blocking, Cpu, Memory, Transfer};
use fulmen::lanes::native;
use fulmen::{Error, MatMut, MatRef};

const N: usize = 9;

fn numbers(seed: usize) -> [f32; N * N] {
    core::array::from_fn(|i| ((i * 37 + seed) % 23) as f32 / 4.0 - 2.5)
}

/// `gemm` on the build's own lanes: what the others are to give.
fn product(alpha: f32, beta: f32) -> [f32; N * N] {
    let (a, b, mut c) = (numbers(1), numbers(2), numbers(3));
    let (a, b) = (MatRef::row_major(&a, N, N).unwrap(), MatRef::row_major(&b, N, N).unwrap());
    let c_view = MatMut::row_major(&mut c, N, N).unwrap();
    let mut workspace = vec![0.0; fulmen::gemm_workspace(N, N, N)];
    fulmen::gemm_on(native(), alpha, a, b, beta, c_view, &mut workspace).unwrap();
    c
}

#[test]
fn gemm_of_a_fixed_size() {
    let rows = |x: &[f32; N * N]| -> [[f32; N]; N] {
        core::array::from_fn(|i| core::array::from_fn(|j| x[i * N + j]))
    };
    let mut c = rows(&numbers(3));
    fulmen::gemm_fixed(0.5, &rows(&numbers(1)), &rows(&numbers(2)), 2.0, &mut c);
    assert_eq!(c, rows(&product(0.5, 2.0)));
}

#[test]
fn gemm_of_bytes() {
    let (a, b): (Vec<i8>, Vec<i8>) = (0..N * N).map(|i| ((i % 11) as i8 - 5, (i % 7) as i8 - 3)).unzip();
    let view = |x| MatRef::row_major(x, N, N).unwrap();
    let (mut c, mut d) = (vec![1; N * N], vec![1; N * N]);
    let mut w = vec![0; fulmen::gemm_i8_workspace(N, N, N)];
    fulmen::gemm_i8(2, view(&a), view(&b), 3, MatMut::row_major(&mut c, N, N).unwrap(), &mut w).unwrap();
    fulmen::gemm_i8_on(native(), 2, view(&a), view(&b), 3, MatMut::row_major(&mut d, N, N).unwrap(), &mut w)
        .unwrap();
    assert_eq!(c, d);
    let sum: i32 = (0..N).map(|p| i32::from(a[p]) * i32::from(b[p * N])).sum();
    assert_eq!(c[0], 2 * sum + 3);
}

#[cfg(feature = "half")]
#[test]
fn gemm_of_halves() {
    use fulmen::E4m3;
    use half::{bf16, f16};
    // All of these are numbers of each format, and so are the products in f32.
    let (x, y) = (numbers(1), numbers(2));
    let want = product(1.0, 0.0);
    macro_rules! check {
        ($H:ident, $gemm:ident, $workspace:ident) => {{
            let (x, y) = (x.map($H::from_f32), y.map($H::from_f32));
            let mut c = [0.0f32; N * N];
            let mut w = vec![0.0; fulmen::$workspace(N, N, N)];
            let (a, b) = (MatRef::row_major(&x, N, N).unwrap(), MatRef::row_major(&y, N, N).unwrap());
            fulmen::$gemm(1.0, a, b, 0.0, MatMut::row_major(&mut c, N, N).unwrap(), &mut w).unwrap();
            assert_eq!(c, want);
        }};
    }
    check!(bf16, gemm_bf16, gemm_bf16_workspace);
    check!(f16, gemm_f16, gemm_f16_workspace);
    check!(E4m3, gemm_e4m3, gemm_e4m3_workspace);
}

#[cfg(feature = "parallel")]
#[test]
fn parallel_products() {
    use fulmen::{BatchMut, BatchRef};
    let (a, b, mut c) = (numbers(1), numbers(2), numbers(3));
    let view = |x| MatRef::row_major(x, N, N).unwrap();
    let mut workspace = vec![0.0; fulmen::parallel::gemm_workspace(N, N, N, 2)];
    let c_view = MatMut::row_major(&mut c, N, N).unwrap();
    fulmen::parallel::gemm(0.5, view(&a), view(&b), 2.0, c_view, &mut workspace).unwrap();
    assert_eq!(c, product(0.5, 2.0));

    let [a, b] = [1, 2].map(|i| [numbers(i), numbers(i)].concat());
    let mut c = [numbers(3), numbers(3)].concat();
    let step = (N * N) as isize;
    let batch = |x| BatchRef::strided(x, 0, [2, N, N], [step, N as isize, 1]).unwrap();
    let (a, b) = (batch(&a), batch(&b));
    let c_view = BatchMut::strided(&mut c, 0, [2, N, N], [step, N as isize, 1]).unwrap();
    fulmen::parallel::gemm_strided_batched(0.5, a, b, 2.0, c_view, &mut workspace).unwrap();
    assert_eq!(c, [product(0.5, 2.0), product(0.5, 2.0)].concat());

    let (x, mut y) = (numbers(4), numbers(5));
    let mut z = y;
    fulmen::parallel::gemv(1.5, view(&x), (&x[..N]).into(), 0.5, (&mut y[..N]).into()).unwrap();
    fulmen::gemv(1.5, view(&x), (&x[..N]).into(), 0.5, (&mut z[..N]).into()).unwrap();
    assert_eq!(y, z);
    fulmen::parallel::softmax_in_place(&mut y, N).unwrap();
    fulmen::softmax_in_place(&mut z, N).unwrap();
    assert_eq!(y, z);
}

#[test]
fn views_say_what_they_are() {
    let (x, mut y) = ([1.0f32; 6], [1.0f32; 6]);
    assert_eq!(format!("{:?}", MatRef::row_major(&x, 2, 3).unwrap().t()), "MatRef(3 x 2, strides 1 and 3)");
    assert_eq!(format!("{:?}", MatMut::row_major(&mut y, 3, 2).unwrap()), "MatMut(3 x 2, strides 2 and 1)");
}

/// A program over any backend: elements, rows, a number, a product.
fn program<B: Backend<f32> + Blocking + Memory<Error = Error>>(
    b: &B,
    x: B::Ref<'_, f32>,
    y: B::Mut<'_, f32>,
    workspace: B::Mut<'_, f32>,
) -> Result<f32, Error> {
    let [mut y, mut z] = B::split(y, N * N)?;
    b.scale(x, 2.0, B::lend(&mut y))?;
    b.add_in_place(B::lend(&mut y), x)?;
    b.softmax_in_place(B::lend(&mut y), N)?;
    let (a, w) = (B::matrix(x, N, N)?, B::matrix(B::read(&y), N, N)?);
    let [left, right] = B::split_cols(B::matrix_mut(B::lend(&mut z), N, N)?, 4)?;
    let [w_left, w_right] = [B::cols(w, 0..4)?, B::cols(w, 4..N)?];
    let mut workspace = workspace;
    b.gemm(1.0, B::t(a), w_left, 0.0, left, B::workspace(B::lend(&mut workspace)))?;
    b.gemm(1.0, B::t(a), w_right, 0.0, right, B::workspace(workspace))?;
    assert_eq!(B::len(B::part(x, 3..7)?), 4);
    assert_eq!(B::part(x, 0..N * N + 1).err(), Some(Error::out_of_bounds("x", N * N)));
    let ([mut one, _], mut number) = (B::split(y, 1)?, [0.0]);
    b.dot(B::read(&z), x, B::lend(&mut one))?;
    b.download(B::read(&one), &mut number)?;
    Ok(number[0])
}

fn on<B>(b: &B) -> f32
where
    B: Backend<f32>
        + Blocking
        + for<'a> Memory<Error = Error, Ref<'a, f32> = &'a [f32], Mut<'a, f32> = &'a mut [f32]>,
{
    let mut y = [0.0; 2 * N * N];
    program(b, &numbers(1), &mut y, &mut vec![0.0; fulmen::gemm_workspace(N, N, N)]).unwrap()
}

#[test]
fn backends_are_the_ops() {
    let x = numbers(1);
    let mut y = x;
    fulmen::scale(&x, 2.0, &mut y).unwrap();
    fulmen::add_in_place(&mut y, &x).unwrap();
    fulmen::softmax_in_place(&mut y, N).unwrap();
    let mut z = [0.0f32; N * N];
    let (a, w) = (MatRef::row_major(&x, N, N).unwrap(), MatRef::row_major(&y, N, N).unwrap());
    let mut workspace = vec![0.0; fulmen::gemm_workspace(N, N, N)];
    fulmen::gemm(1.0, a.t(), w, 0.0, MatMut::row_major(&mut z, N, N).unwrap(), &mut workspace).unwrap();
    let want = fulmen::dot(&z, &x).unwrap();
    assert_eq!(on(&Cpu::native()), want);
    #[cfg(feature = "parallel")]
    assert_eq!(on(&fulmen::backend::Threads::native()), want);
    let mut one = [0.0f32];
    assert_eq!(Cpu::native().write(&[1.0, 2.0], &mut one[..]), Err(Error::len("to", 2, 1)));
    Cpu::native().download(&x[..1], &mut one).unwrap();
    assert_eq!(one[0], x[0]);
}

/// The program over any backend, on threads as on this one: the same bits.
#[cfg(all(feature = "std", feature = "parallel"))]
#[test]
fn one_program_runs_on_threads() {
    use common::anywhere::{SIZES, story};
    use fulmen::quant::Q8_0;
    fn run<B>(b: &B) -> common::anywhere::Results
    where
        B: Backend<f32> + Transfer<fulmen::Complex<f32>> + Transfer<Q8_0> + Blocking + Memory<Error = Error>,
        for<'a> B: Memory<Mut<'a, f32> = &'a mut [f32]>,
        for<'a> B: Memory<Mut<'a, u32> = &'a mut [u32]>,
        for<'a> B: Memory<Mut<'a, fulmen::Complex<f32>> = &'a mut [fulmen::Complex<f32>]>,
        for<'a> B: Memory<Mut<'a, Q8_0> = &'a mut [Q8_0]>,
    {
        let (mut x, mut ids) = (vec![0.0; SIZES[0]], vec![0; SIZES[1]]);
        let mut blocks = fulmen::quant::blocks::<Q8_0>(&[0; SIZES[3] * size_of::<Q8_0>()]).unwrap().to_vec();
        story(b, &mut x, &mut ids, &mut vec![fulmen::Complex::default(); SIZES[2]], &mut blocks).unwrap()
    }
    let (one, many) = (run(&Cpu::native()), run(&fulmen::backend::Threads::native()));
    common::anywhere::agree(&many, &one);
    assert_eq!(one, many);
}

/// The lanes that `dispatch!` should take, found another way.
#[cfg(all(feature = "std", target_arch = "x86_64"))]
#[test]
fn dispatch_takes_the_widest_lanes() {
    use fulmen::lanes::{Isa, Simd};
    fn isa<S: Simd>(_: S) -> Isa {
        S::ISA
    }
    let has = |name: &str| {
        let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap();
        cpu.lines().find(|l| l.starts_with("flags")).unwrap().split_whitespace().any(|word| word == name)
    };
    let wide = ["avx512f", "avx512bw", "avx512dq", "avx512vl"].into_iter().all(has);
    let expected = match () {
        () if cfg!(feature = "avx512") && wide => Isa::Avx512,
        () if has("avx2") && has("fma") => Isa::Avx2,
        () => Isa::Sse2,
    };
    assert_eq!(fulmen::dispatch!(|s| isa(s)), expected);
    // The body may move what it uses, and its value is the macro's.
    let x = vec![3.0f32, -4.0];
    assert_eq!(fulmen::dispatch!(|s| (fulmen::norm_l1_on(s, &x), x)), (7.0, vec![3.0, -4.0]));
}

#[test]
fn vectors_of_what_a_user_holds() {
    use fulmen::{VecMut, VecRef};
    let mut x = [1.0f32, 2.0, 3.0];
    assert_eq!(VecRef::from(&x).get(2), Some(3.0));
    assert!(VecMut::from(&mut x).set(0, 7.0));
    assert_eq!(x, [7.0, 2.0, 3.0]);
    #[cfg(feature = "alloc")]
    {
        let mut x = vec![1.0f32, 2.0];
        assert!(VecMut::from(&mut x).set(1, 5.0));
        assert_eq!(VecRef::from(&x).as_slice(), Some(&[1.0, 5.0][..]));
    }
}
