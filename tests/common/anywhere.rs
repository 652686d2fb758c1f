//! One program over any backend, in memory that the backend has.

use fulmen::backend::{Backend, Blocking, Memory, Transfer};
use fulmen::{Complex, Einsum, EinsumPlan, Pad, Pool, Triangle};

/// Elements of memory that [`story`] takes: numbers, indices, complex numbers.
pub const SIZES: [usize; 3] = [2048, 8, 8];
/// A definite matrix, its rows behind each other.
const MATRIX: [f32; 16] = [4.0, 1.0, 0.0, 0.5, 1.0, 5.0, 2.0, 0.0, 0.0, 2.0, 6.0, 1.0, 0.5, 0.0, 1.0, 7.0];

/// The numbers that a call of each op leaves.
pub type Results = Vec<(&'static str, Vec<f32>)>;

/// Calls ops of each family of [`Backend`].
pub fn story<B: Backend<f32> + Transfer<Complex<f32>> + Blocking>(
    b: &B,
    numbers: <B as Memory>::Mut<'_, f32>,
    indices: <B as Memory>::Mut<'_, u32>,
    complex: <B as Memory>::Mut<'_, Complex<f32>>,
) -> Result<Results, B::Error> {
    let [mut a, rest] = B::split(numbers, 16)?;
    let [mut m, rest] = B::split(rest, 16)?;
    let [mut y, mut w] = B::split(rest, 32)?;
    let (mut ids, mut z, mut all) = (indices, complex, Results::new());
    // The first elements of an operand, to be written or to be read.
    macro_rules! to {
        ($of:ident, $n:expr) => {{
            let [first, _] = B::split(B::lend(&mut $of), $n)?;
            first
        }};
    }
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
    let mut one = [Complex::default()];
    let [mut first, others] = B::split(B::lend(&mut z), 1)?;
    b.dot_complex(true, B::vector(B::read(&others)), B::vector(B::read(&others)), B::lend(&mut first))?;
    b.download(B::read(&first), &mut one)?;
    all.push(("dot_complex", vec![one[0].re, one[0].im]));
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
    Ok(all)
}

/// Panics unless the results are those of a CPU but for the rounding of other orders of summation.
pub fn agree(got: &Results, want: &Results) {
    assert_eq!(got.len(), want.len());
    for ((op, got), (of, want)) in got.iter().zip(want) {
        let near = |(x, y): (&f32, &f32)| (x - y).abs() <= 1e-4 * (1.0 + y.abs());
        assert!(
            op == of && got.len() == want.len() && got.iter().zip(want).all(near),
            "{op}: {got:?} {want:?}"
        );
    }
}
