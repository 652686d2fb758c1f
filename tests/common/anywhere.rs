//! One program over any backend, in memory that the backend has.

use fulmen::backend::{Backend, Blocking, Memory, Transfer};
use fulmen::quant::{Q8_0, blocks};
use fulmen::random::Stream;
use fulmen::{
    Attention, Complex, Csr, DctKind, Direction, Einsum, EinsumPlan, Extent, Pad, Pages, Pool, Triangle,
};

/// Elements of memory that [`story`] takes: numbers, indices, complex numbers, blocks.
pub const SIZES: [usize; 4] = [2048, 8, 32, 8];
/// A definite matrix, its rows behind each other.
const MATRIX: [f32; 16] = [4.0, 1.0, 0.0, 0.5, 1.0, 5.0, 2.0, 0.0, 0.0, 2.0, 6.0, 1.0, 0.5, 0.0, 1.0, 7.0];

/// The numbers that a call of each op leaves.
pub type Results = Vec<(&'static str, Vec<f32>)>;

/// Families of which [`story`] calls every op.
pub const WHOLE: [&str; 9] = [
    "Transforms",
    "SparseMatrices",
    "SparseProducts",
    "Quantised",
    "Random",
    "RandomBits",
    "RandomIntegers",
    "RandomFlags",
    "Caches",
];

/// The first elements of an operand, to be written.
macro_rules! first {
    ($of:ident, $n:expr) => {{
        let [first, _] = B::split(B::lend(&mut $of), $n)?;
        first
    }};
}

/// Notes what these elements are, to compare them.
fn note<B: Transfer<f32> + Blocking>(
    b: &B,
    all: &mut Results,
    op: &'static str,
    x: B::Ref<'_, f32>,
) -> Result<(), B::Error> {
    let mut got = vec![0.0; B::len(x)];
    b.download(x, &mut got)?;
    all.push((op, got));
    Ok(())
}

/// As [`note`], of words: byte by byte, so that one that differs is further off than what [`agree`] allows.
fn note_words<B: Transfer<u32> + Blocking>(
    b: &B,
    all: &mut Results,
    op: &'static str,
    x: B::Ref<'_, u32>,
) -> Result<(), B::Error> {
    let mut got = vec![0u32; B::len(x)];
    b.download(x, &mut got)?;
    all.push((op, got.iter().flat_map(|w| w.to_le_bytes().map(f32::from)).collect()));
    Ok(())
}

/// As [`note`], of complex numbers.
fn note_complex<B: Transfer<Complex<f32>> + Blocking>(
    b: &B,
    all: &mut Results,
    op: &'static str,
    z: B::Ref<'_, Complex<f32>>,
) -> Result<(), B::Error> {
    let mut got = vec![Complex::default(); B::len(z)];
    b.download(z, &mut got)?;
    all.push((op, Complex::parts(&got).to_vec()));
    Ok(())
}

/// Transforms and filters of 16 real numbers, and of 16 complex ones in the first half of `z`; `y` has 32 elements.
fn transforms<B: Backend<f32> + Transfer<Complex<f32>> + Blocking>(
    b: &B,
    x: B::Ref<'_, f32>,
    y: B::Mut<'_, f32>,
    z: B::Mut<'_, Complex<f32>>,
    all: &mut Results,
) -> Result<(), B::Error> {
    let sizes = [
        b.fft_workspace(8).max(b.rfft_workspace(8)),
        b.fft_rows_workspace(4).max(b.fft_2d_workspace(4, 4)),
        b.fft_3d_workspace(2, 4, 2).max(b.stft_workspace(8)),
        b.dct_workspace(8).max(b.convolve_workspace(8)),
        b.convolve_complex_workspace(8),
    ];
    let mut room = vec![Complex::default(); sizes.into_iter().max().unwrap_or(0)];
    macro_rules! room {
        () => {
            B::host_workspace(&mut room)
        };
    }
    macro_rules! plan {
        ($f:ident($($arg:expr),*), $len:expr, $table:ident) => {{
            $table = vec![0.0; $len];
            b.$f($($arg,)* B::host_workspace(&mut $table), room!())?
        }};
    }
    let (mut t2, mut t4, mut real, mut cosines, mut taps, mut turns);
    let two = plan!(fft_plan(2), b.fft_plan_len(2), t2);
    let four = plan!(fft_plan(4), b.fft_plan_len(4), t4);
    let eight = plan!(rfft_plan(8), b.rfft_plan_len(8), real);
    let cosine = plan!(dct_plan(DctKind::II, 8), b.dct_plan_len(DctKind::II, 8), cosines);
    let kernel = [1.0, -2.0, 0.5];
    let filter = plan!(convolve_plan(&kernel, 8), b.convolve_plan_len(8), taps);
    let kernel = kernel.map(|x| Complex::new(x, 1.0 - x));
    let turn = plan!(convolve_complex_plan(&kernel, 8), b.convolve_complex_plan_len(8), turns);
    let ([mut from, mut to], mut y) = (B::split(z, 16)?, y);
    let numbers: Vec<_> = (0..16).map(|k| Complex::new((k * 5 % 7) as f32, (k * 3 % 5) as f32)).collect();
    b.write(&numbers, B::lend(&mut from))?;
    let forward = Direction::Forward;
    b.fft(&four, forward, B::read(&from), B::lend(&mut to), room!())?;
    note_complex(b, all, "fft", B::read(&to))?;
    b.fft_in_place(&four, Direction::Inverse, first!(to, 8), room!())?;
    note_complex(b, all, "fft_in_place", B::read(&to))?;
    let planes = B::matrix(B::read(&from), 4, 4)?;
    b.fft_rows(&four, forward, B::t(planes), B::matrix_mut(B::lend(&mut to), 4, 4)?, room!())?;
    note_complex(b, all, "fft_rows", B::read(&to))?;
    b.fft_2d(&four, &four, forward, planes, B::matrix_mut(B::lend(&mut to), 4, 4)?, room!())?;
    note_complex(b, all, "fft_2d", B::read(&to))?;
    b.fft_3d([&two, &four, &two], forward, B::read(&from), B::lend(&mut to), room!())?;
    note_complex(b, all, "fft_3d", B::read(&to))?;
    b.convolve_complex(&turn, Extent::Same, B::read(&from), B::lend(&mut to), room!())?;
    note_complex(b, all, "convolve_complex", B::read(&to))?;
    b.stft(&eight, B::part(x, 4..12)?, 4, x, first!(to, 15), room!())?;
    note_complex(b, all, "stft", B::part(B::read(&to), 0..15)?)?;
    b.rfft(&eight, x, first!(to, 10), room!())?;
    note_complex(b, all, "rfft", B::part(B::read(&to), 0..10)?)?;
    b.irfft(&eight, B::part(B::read(&to), 5..10)?, first!(y, 8), room!())?;
    note(b, all, "irfft", B::part(B::read(&y), 0..8)?)?;
    b.dct(&cosine, x, first!(y, 16), room!())?;
    note(b, all, "dct", B::part(B::read(&y), 0..16)?)?;
    b.convolve(&filter, Extent::Full, x, first!(y, 18), room!())?;
    note(b, all, "convolve", B::part(B::read(&y), 0..18)?)?;
    let [mut out, mut state] = B::split(y, 16)?;
    b.fill(0.5, first!(state, 2))?;
    b.fir_fft(&filter, first!(state, 2), x, B::lend(&mut out), room!())?;
    note(b, all, "fir_fft", B::read(&out))?;
    b.fir(B::part(x, 0..3)?, 2, first!(state, 2), x, first!(out, 8))?;
    note(b, all, "fir", B::part(B::read(&out), 0..8)?)?;
    note(b, all, "fir", B::part(B::read(&state), 0..2)?)
}

/// Products of a sparse matrix of 3 by 4 with parts of 16 numbers; `y` has 32 elements.
fn sparse<B: Backend<f32> + Blocking>(
    b: &B,
    x: B::Ref<'_, f32>,
    y: B::Mut<'_, f32>,
    all: &mut Results,
) -> Result<(), B::Error> {
    let (offsets, columns, values) = ([0, 2, 3, 6], [0, 3, 1, 0, 2, 3], [4.0, 1.0, -2.0, 0.5, 3.0, 5.0]);
    let a = b.csr(Csr::new(3, 4, &offsets, &columns, &values)?)?;
    let mut y = y;
    b.fill(2.0, B::lend(&mut y))?;
    b.spmv(1.5, &a, B::part(x, 0..4)?, 0.5, first!(y, 3))?;
    note(b, all, "spmv", B::part(B::read(&y), 0..4)?)?;
    b.spmv_transposed(1.5, &a, B::part(x, 4..7)?, 0.5, first!(y, 4))?;
    note(b, all, "spmv_transposed", B::part(B::read(&y), 0..5)?)?;
    let (dense, wide) = (B::part(x, 3..11)?, B::part(x, 5..13)?);
    b.spmm(-1.0, &a, B::matrix(dense, 4, 2)?, 0.5, B::matrix_mut(first!(y, 6), 3, 2)?)?;
    note(b, all, "spmm", B::part(B::read(&y), 0..7)?)?;
    let narrow = B::matrix(B::part(x, 0..6)?, 3, 2)?;
    b.sddmm(2.0, narrow, B::matrix(wide, 2, 4)?, &a, -0.5, first!(y, 6))?;
    note(b, all, "sddmm", B::part(B::read(&y), 0..7)?)?;
    // What a matrix is shows in a product with it.
    let (mut starts, mut of, mut what) = ([0; 5], [0; 6], [0.0; 6]);
    let parts = (B::host_workspace(&mut starts), B::host_workspace(&mut of), B::host_workspace(&mut what));
    let turned = b.csr_transpose(&a, parts.0, parts.1, parts.2)?;
    b.spmv(1.0, &turned, B::part(x, 9..12)?, 0.0, first!(y, 4))?;
    note(b, all, "csr_transpose", B::part(B::read(&y), 0..4)?)?;
    let (mut starts, mut of, mut what) = ([0; 4], [0; 9], [0.0; 9]);
    let parts = (B::host_workspace(&mut starts), B::host_workspace(&mut of), B::host_workspace(&mut what));
    let mut room = vec![0; b.spgemm_workspace(3)];
    let square = b.spgemm(&a, &turned, parts.0, parts.1, parts.2, B::host_workspace(&mut room))?;
    b.spmv(1.0, &square, B::part(x, 9..12)?, 0.0, first!(y, 3))?;
    note(b, all, "spgemm", B::part(B::read(&y), 0..3)?)
}

/// Products with quantised weights in memory of 8 blocks, and attention over a cache; `y` has 128 elements, `ids` 8.
fn quantised<B: Backend<f32> + Transfer<Q8_0> + Blocking>(
    b: &B,
    y: B::Mut<'_, f32>,
    ids: B::Mut<'_, u32>,
    memory: B::Mut<'_, Q8_0>,
    all: &mut Results,
) -> Result<(), B::Error> {
    let numbers: Vec<f32> = (0..256).map(|i| (i * 37 % 101) as f32 / 50.0 - 1.0).collect();
    let mut host = blocks::<Q8_0>(&[0; 8 * size_of::<Q8_0>()])?.to_vec();
    fulmen::quantize(&numbers, None, &mut host)?;
    let ([mut w, mut q], mut y, mut ids) = (B::split(memory, 4)?, y, ids);
    b.write(&host[..4], B::lend(&mut w))?;
    b.write(&host[4..], B::lend(&mut q))?;
    let (w, q) = (B::read(&w), B::read(&q));
    b.dequantize(w, first!(y, 128))?;
    note(b, all, "dequantize", B::part(B::read(&y), 0..128)?)?;
    b.dequantize_padded(w, 50, first!(y, 100))?;
    note(b, all, "dequantize_padded", B::part(B::read(&y), 0..128)?)?;
    b.quant_dot(B::part(w, 0..2)?, B::part(q, 1..3)?, first!(y, 1))?;
    note(b, all, "quant_dot", B::part(B::read(&y), 0..2)?)?;
    b.quant_gemv(w, B::part(q, 0..2)?, first!(y, 2))?;
    note(b, all, "quant_gemv", B::part(B::read(&y), 0..3)?)?;
    b.quant_gemm(w, q, 64, first!(y, 4))?;
    note(b, all, "quant_gemm", B::part(B::read(&y), 0..5)?)?;
    b.write(&[2u32, 0, 3], first!(ids, 3))?;
    b.quant_rows(w, 32, B::part(B::read(&ids), 0..3)?, first!(y, 96))?;
    note(b, all, "quant_rows", B::part(B::read(&y), 0..97)?)?;
    // Five keys of one head for two of queries; then the pages 2, 0 and 3 of one key each.
    let [mut cache, mut out] = B::split(y, 32)?;
    b.write(&numbers[..32], B::lend(&mut cache))?;
    let (op, cache) = (Attention::new(2, 1, 2, 0.7), B::read(&cache));
    let mut room = vec![0.0; b.attention_decode_workspace(2, 2)];
    for paged in [false, true] {
        let table = B::part(B::read(&ids), 0..3)?;
        let pages = paged.then_some(Pages { table, rows: 1, len: 3 });
        {
            let [to, mut rest] = B::split(B::lend(&mut out), 4)?;
            let (q, keys, values) = (B::part(cache, 0..4)?, B::part(cache, 4..14)?, B::part(cache, 14..24)?);
            let sums = Some(first!(rest, 2));
            b.attention_decode(&op, q, keys, values, pages, to, sums, B::host_workspace(&mut room))?;
        }
        note(b, all, "attention_decode", B::part(B::read(&out), 0..6)?)?;
    }
    Ok(())
}

/// Random numbers from a place within a stream; `y` has 16 elements, `ids` 8.
fn drawn<B: Backend<f32> + Blocking>(
    b: &B,
    y: B::Mut<'_, f32>,
    ids: B::Mut<'_, u32>,
    all: &mut Results,
) -> Result<(), B::Error> {
    let (stream, mut y, mut ids) = (Stream::new(42).skip(5), y, ids);
    b.uniform(stream, B::lend(&mut y))?;
    note(b, all, "uniform", B::read(&y))?;
    b.normal(stream, 1.0, 2.0, B::lend(&mut y))?;
    note(b, all, "normal", B::read(&y))?;
    b.exponential(stream, 3.0, B::lend(&mut y))?;
    note(b, all, "exponential", B::read(&y))?;
    b.random_bits(stream, B::lend(&mut ids))?;
    note_words(b, all, "random_bits", B::read(&ids))?;
    b.integers(stream, 3, 900_000, B::lend(&mut ids))?;
    note_words(b, all, "integers", B::read(&ids))?;
    b.bernoulli(stream, 0.4, B::lend(&mut ids))?;
    note_words(b, all, "bernoulli", B::read(&ids))
}

/// Calls ops of each family of [`Backend`], and all of [`WHOLE`].
pub fn story<B: Backend<f32> + Transfer<Complex<f32>> + Transfer<Q8_0> + Blocking>(
    b: &B,
    numbers: <B as Memory>::Mut<'_, f32>,
    indices: <B as Memory>::Mut<'_, u32>,
    complex: <B as Memory>::Mut<'_, Complex<f32>>,
    memory: <B as Memory>::Mut<'_, Q8_0>,
) -> Result<Results, B::Error> {
    let [mut a, rest] = B::split(numbers, 16)?;
    let [mut m, rest] = B::split(rest, 16)?;
    let [mut y, mut w] = B::split(rest, 128)?;
    let (mut ids, mut z, mut all) = (indices, complex, Results::new());
    // The first elements of an operand, to be written or to be read.
    use first as to;
    macro_rules! of {
        ($of:ident, $n:expr) => {
            B::part(B::read(&$of), 0..$n)?
        };
    }
    macro_rules! work {
        () => {
            B::workspace(B::lend(&mut w))
        };
    }
    // Notes the first elements of `y`, or of another place.
    macro_rules! note {
        ($op:ident, $n:expr) => {{
            let mut got = vec![0.0; $n];
            b.download(of!(y, $n), &mut got)?;
            all.push((stringify!($op), got));
        }};
        ($op:ident, $n:expr, $of:ident) => {{
            let mut got = vec![0u32; $n];
            b.download(of!($of, $n), &mut got)?;
            all.push((stringify!($op), got.iter().map(|i| *i as f32).collect()));
        }};
    }
    b.write(&MATRIX, B::lend(&mut a))?;
    b.exp(of!(a, 8), to!(y, 8))?;
    note!(exp, 8);
    b.softmax(B::read(&a), 4, to!(y, 16))?;
    note!(softmax, 16);
    // Reductions, and what takes the indices of one.
    b.sum(B::read(&a), to!(y, 1))?;
    note!(sum, 1);
    b.dot(B::read(&a), B::read(&a), to!(y, 1))?;
    note!(dot, 1);
    b.nrm2(B::vector(of!(a, 5)), to!(y, 1))?;
    note!(nrm2, 1);
    b.argmax(of!(a, 12), to!(ids, 1))?;
    note!(argmax, 1, ids);
    b.top_k(of!(a, 4), 2, to!(y, 2), to!(ids, 2))?;
    note!(top_k, 2, ids);
    b.embedding(B::read(&a), 4, of!(ids, 2), to!(y, 8))?;
    note!(embedding, 8);
    // Products, layers, triangles, pools.
    let matrix = B::matrix(B::read(&a), 4, 4)?;
    b.gemm(1.0, matrix, B::t(matrix), 0.0, B::matrix_mut(to!(y, 16), 4, 4)?, work!())?;
    note!(gemm, 16);
    b.clip_by_norm(1.0, to!(y, 16), to!(m, 1))?;
    note!(clip_by_norm, 16);
    b.syrk(1.0, matrix, 0.0, Triangle::Lower, B::matrix_mut(to!(y, 16), 4, 4)?, work!())?;
    note!(syrk, 1);
    b.max_pool(of!(a, 8), Pool::line(4, 2, 2, 0), to!(y, 4))?;
    note!(max_pool, 4);
    // Scans and losses.
    b.cumsum(B::read(&a), 4, to!(y, 16))?;
    note!(cumsum, 16);
    b.write(&[2u32, 0, 3, 1], to!(ids, 4))?;
    b.nll(None, 0.5, B::read(&a), of!(ids, 4), 4, to!(y, 4))?;
    note!(nll, 4);
    // Complex numbers.
    b.interleave(of!(a, 8), of!(a, 8), to!(z, 8))?;
    b.abs_complex(of!(z, 8), to!(y, 8))?;
    note!(abs_complex, 8);
    {
        let [mut one, others] = B::split(to!(z, 8), 1)?;
        b.dot_complex(true, B::vector(B::read(&others)), B::vector(B::read(&others)), B::lend(&mut one))?;
        note_complex(b, &mut all, "dot_complex", B::read(&one))?;
    }
    // Contractions.
    let plan = EinsumPlan::new(&Einsum::parse("ij,jk->ik").unwrap(), &[&[4, 4], &[4, 4]]).unwrap();
    b.einsum(&plan, &[B::read(&a), B::read(&a)], to!(y, 16), work!())?;
    note!(einsum, 16);
    b.pad(of!(a, 4), &[2, 2], &[[1, 0], [0, 1]], Pad::Edge, to!(y, 9))?;
    note!(pad, 9);
    // Systems of equations: the pivots of one op are those of the next.
    b.write(&MATRIX, B::lend(&mut m))?;
    b.lu(B::matrix_mut(B::lend(&mut m), 4, 4)?, to!(ids, 4), work!())?;
    b.determinant(B::matrix(B::read(&m), 4, 4)?, of!(ids, 4), to!(y, 1))?;
    note!(determinant, 1);
    b.write(&[1.0, 2.0, 3.0, 4.0], to!(y, 4))?;
    b.lu_solve(B::matrix(B::read(&m), 4, 4)?, of!(ids, 4), B::matrix_mut(to!(y, 4), 4, 1)?, work!())?;
    note!(lu_solve, 4);
    b.write(&MATRIX, B::lend(&mut m))?;
    b.cholesky(B::matrix_mut(B::lend(&mut m), 4, 4)?, work!())?;
    b.write(&[1.0, 2.0, 3.0, 4.0], to!(y, 4))?;
    b.cholesky_solve(B::matrix(B::read(&m), 4, 4)?, B::matrix_mut(to!(y, 4), 4, 1)?, work!())?;
    note!(cholesky_solve, 4);
    b.write(&MATRIX, B::lend(&mut m))?;
    b.eigh(B::matrix_mut(B::lend(&mut m), 4, 4)?, to!(y, 4), work!())?;
    note!(eigh, 4);
    transforms(b, B::read(&a), to!(y, 32), z, &mut all)?;
    sparse(b, B::read(&a), to!(y, 32), &mut all)?;
    quantised(b, B::lend(&mut y), B::lend(&mut ids), memory, &mut all)?;
    drawn(b, to!(y, 16), to!(ids, 8), &mut all)?;
    Ok(all)
}

/// Panics unless ops that the results name are all of the families of [`WHOLE`]; then, unless the results are those of a CPU but for the rounding of other orders of summation.
pub fn agree(got: &Results, want: &Results) {
    for s in fulmen::ops::signatures().filter(|s| s.family.is_some_and(|f| WHOLE.contains(&f))) {
        assert!(got.iter().any(|(op, _)| *op == s.op), "{} is not called", s.op);
    }
    assert_eq!(got.len(), want.len());
    for ((op, got), (of, want)) in got.iter().zip(want) {
        let near = |(x, y): (&f32, &f32)| (x - y).abs() <= 1e-4 * (1.0 + y.abs());
        assert!(
            op == of && got.len() == want.len() && got.iter().zip(want).all(near),
            "{op}: {got:?} {want:?}"
        );
    }
}
