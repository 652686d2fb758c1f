//! Turns bytes into vectors and matrices of any strides, and calls all of BLAS and the transposes with them.

use fulmen::*;

/// The first bytes pick the op, the shapes and the strides; the rest is data, bit patterns as they come.
pub fn run(bytes: &[u8]) {
    let [op, shape @ ..] = bytes else { return };
    let Some((shape, data)) = shape.split_first_chunk::<10>() else { return };
    if op & 128 == 0 {
        let x = data.as_chunks::<4>().0.iter().map(|c| f32::from_le_bytes(*c)).collect();
        one::<f32>(op & 127, *shape, x);
    } else {
        let x = data.as_chunks::<8>().0.iter().map(|c| f64::from_le_bytes(*c)).collect();
        one::<f64>(op & 127, *shape, x);
    }
}

fn bits<T: Element>(x: &[T]) -> Vec<u64> {
    x.iter().map(|x| x.to_f64().to_bits()).collect()
}

/// Vectors and matrices over two copies of the data; what a refused call leaves is what was there.
fn one<T: Element>(op: u8, shape: [u8; 10], data: Vec<T>) {
    let (mut p, mut q) = (data.clone(), data.clone());
    // Small numbers mostly, now and then the largest.
    let size = |k: usize| if shape[k] == 255 { usize::MAX } else { usize::from(shape[k] % 41) };
    let stride = |k: usize| match shape[k] {
        255 => isize::MIN,
        254 => isize::MAX,
        x => isize::from(x as i8 % 9),
    };
    let at = |k: usize| data.get(k).copied().unwrap_or(T::ONE);
    let (a, b) = (at(0), at(1));
    macro_rules! vector {
        ($View:ident, $data:expr, $k:literal) => {{
            let Ok(v) = $View::strided($data, size($k), size($k + 1), stride($k + 2)) else { return };
            v
        }};
    }
    macro_rules! matrix {
        ($View:ident, $data:expr, $k:literal) => {{
            let (r, c) = (size($k + 1), size($k + 2));
            let Ok(v) = $View::strided($data, size($k), r, c, stride($k + 3), stride($k + 4)) else { return };
            v
        }};
    }
    let triangle = if shape[0].is_multiple_of(2) { Triangle::Lower } else { Triangle::Upper };
    let diagonal = if shape[1].is_multiple_of(2) { Diagonal::NonUnit } else { Diagonal::Unit };
    let side = if shape[2].is_multiple_of(2) { Side::Left } else { Side::Right };
    let mut w = vec![T::ZERO; 20_000];
    let refused = match op % 28 {
        0 => swap(vector!(VecMut, &mut p, 0), vector!(VecMut, &mut q, 3)).is_err(),
        1 => copy(vector!(VecRef, &p, 0), vector!(VecMut, &mut q, 3)).is_err(),
        2 => {
            scal(a, vector!(VecMut, &mut p, 0));
            false
        }
        3 => axpy_strided(a, vector!(VecRef, &p, 0), vector!(VecMut, &mut q, 3)).is_err(),
        4 => dot_strided(vector!(VecRef, &p, 0), vector!(VecRef, &q, 3)).is_err(),
        5 => nrm2(vector!(VecRef, &p, 0)).to_f64() < 0.0,
        6 => asum(vector!(VecRef, &p, 0)).to_f64() < 0.0,
        7 => {
            let x = vector!(VecRef, &p, 0);
            let i = iamax(x);
            assert!(i.map_or(x.len() == 0, |i| i < x.len()));
            i.is_err()
        }
        8 => rot(vector!(VecMut, &mut p, 0), vector!(VecMut, &mut q, 3), a, b).is_err(),
        9 | 10 => {
            let flag = if op.is_multiple_of(2) { T::from_f64(f64::from(shape[6] % 5) - 2.0) } else { a };
            let Ok(h) = RotM::from_param([flag, at(1), at(2), at(3), at(4)]) else { return };
            rotm(vector!(VecMut, &mut p, 0), vector!(VecMut, &mut q, 3), &h).is_err()
        }
        11 => {
            let g = rotg(a, b);
            let m = rotmg(a, b, at(2), at(3));
            let _ = (g, m.h.matrix());
            false
        }
        12 => transpose(matrix!(MatRef, &p, 0), matrix!(MatMut, &mut q, 5)).is_err(),
        13 => transpose_in_place(matrix!(MatMut, &mut q, 0)).is_err(),
        14 => {
            let (m, n) = (size(0), size(1));
            let x = q.get_mut(..m.wrapping_mul(n)).unwrap_or_default();
            transpose_packed_in_place(x, m, n, &mut w).is_err()
        }
        15 => gemv(a, matrix!(MatRef, &p, 0), vector!(VecRef, &p, 5), b, vector!(VecMut, &mut q, 7)).is_err(),
        16 => ger(a, vector!(VecRef, &p, 0), vector!(VecRef, &p, 3), matrix!(MatMut, &mut q, 5)).is_err(),
        17 => syr(a, vector!(VecRef, &p, 0), triangle, matrix!(MatMut, &mut q, 5)).is_err(),
        18 => {
            let (x, y) = (vector!(VecRef, &p, 0), vector!(VecRef, &p, 3));
            syr2(a, x, y, triangle, matrix!(MatMut, &mut q, 5)).is_err()
        }
        19 => {
            let (m, x) = (matrix!(MatRef, &p, 0), vector!(VecRef, &p, 5));
            symv(a, triangle, m, x, b, vector!(VecMut, &mut q, 7)).is_err()
        }
        20 => trmv(triangle, diagonal, matrix!(MatRef, &p, 0), vector!(VecMut, &mut q, 5)).is_err(),
        21 => trsv(triangle, diagonal, matrix!(MatRef, &p, 0), vector!(VecMut, &mut q, 5)).is_err(),
        22 => {
            let (m, n) = (matrix!(MatRef, &p, 0), matrix!(MatRef, &p, 5));
            symm(side, a, triangle, m, n, b, matrix!(MatMut, &mut q, 5), &mut w).is_err()
        }
        23 => syrk(a, matrix!(MatRef, &p, 0), b, triangle, matrix!(MatMut, &mut q, 5), &mut w).is_err(),
        24 => {
            let m = matrix!(MatRef, &p, 0);
            syr2k(a, m, m, b, triangle, matrix!(MatMut, &mut q, 5), &mut w).is_err()
        }
        25 | 26 => {
            let (m, n) = (matrix!(MatRef, &p, 0), matrix!(MatMut, &mut q, 5));
            let f = if op % 28 == 25 { trmm::<T> } else { trsm::<T> };
            f(side, a, triangle, diagonal, m, n, &mut w).is_err()
        }
        27 => {
            let (m, n) = (matrix!(MatRef, &p, 0), matrix!(MatRef, &p, 5));
            gemm(a, m, n, b, matrix!(MatMut, &mut q, 2), &mut w).is_err()
        }
        _ => {
            let [n, r, c] = [0, 1, 2].map(|k| size(k) % 9);
            let [i, j, k] = [3, 4, 5].map(stride);
            let Ok(x) = BatchRef::strided(&p, size(6), [n, r, c], [i, j, k]) else { return };
            let [i, j, k] = [7, 8, 9].map(stride);
            let Ok(y) = BatchMut::strided(&mut q, size(3), [n, c, r], [i, j, k]) else { return };
            transpose_batched(x, y).is_err()
        }
    };
    if refused {
        assert!(bits(&p) == bits(&data) && bits(&q) == bits(&data), "written, and then refused");
    }
}
