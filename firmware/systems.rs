//! What each firmware image computes of linear systems: heat on a plate, whose matrix is in flash, and the steps of a Kalman filter on the stack.

use super::{Console, check};
use fulmen::{
    Csr, Error, cg, cg_workspace, cholesky_fixed, cholesky_solve_fixed, gemm_fixed, ilu0, inverse_fixed, spmv,
};

/// Points along each side of the plate, all, and the elements of their matrix.
const SIDE: usize = 12;
const POINTS: usize = SIDE * SIDE;
const STORED: usize = 5 * POINTS - 4 * SIDE;

/// A point less its neighbours, 0 outside: rows, columns and values.
struct Laplacian {
    offsets: [usize; POINTS + 1],
    columns: [u32; STORED],
    values: [f32; STORED],
}

static PLATE: Laplacian = {
    let mut m = Laplacian { offsets: [0; POINTS + 1], columns: [0; STORED], values: [-1.0; STORED] };
    let (mut point, mut at) = (0, 0);
    while point < POINTS {
        let (i, j) = (point / SIDE, point % SIDE);
        let near = [
            (i > 0, point.wrapping_sub(SIDE)),
            (j > 0, point.wrapping_sub(1)),
            (true, point),
            (j + 1 < SIDE, point + 1),
            (i + 1 < SIDE, point + SIDE),
        ];
        let mut k = 0;
        while k < near.len() {
            if near[k].0 {
                m.columns[at] = near[k].1 as u32;
                if near[k].1 == point {
                    m.values[at] = 4.0;
                }
                at += 1;
            }
            k += 1;
        }
        point += 1;
        m.offsets[point] = at;
    }
    m
};

/// `examples/heat` in small: a heater in the middle of a plate whose border is cold, by conjugate gradients after an incomplete
/// factorisation, all in memory that is here. Some temperatures, and what is left, beside elimination in `f64`.
fn heat(out: &mut Console) -> Result<bool, Error> {
    let matrix = |values| Csr::new(POINTS, POINTS, &PLATE.offsets, &PLATE.columns, values);
    let a = matrix(&PLATE.values)?;
    let mut factors = [0.0; STORED];
    ilu0(a, &mut factors)?;
    let heated = |i: usize| (3..9).contains(&i);
    let b: [f32; POINTS] =
        core::array::from_fn(|k| if heated(k / SIDE) && heated(k % SIDE) { 1.0 } else { 0.0 });
    let (mut x, mut workspace) = ([0.0; POINTS], [0.0; cg_workspace(POINTS)]);
    cg(a, Some(matrix(&factors)?), &b, &mut x, 1e-6, 40, &mut workspace)?;
    let mut ok = true;
    for (k, want) in [(0, 0.234_733), (5, 1.137_021), (78, 6.939_245), (143, 0.234_733)] {
        ok &= check(out, "heat", x.get(k).copied().unwrap_or(f32::NAN), want, 2e-5);
    }
    let mut left = b;
    spmv(-1.0, a, &x, 1.0, &mut left)?;
    Ok(ok & check(out, "heat, the norm of what is left", fulmen::norm_l2(&left), 0.0, 3e-5))
}

fn transpose<const M: usize, const N: usize>(a: &[[f32; N]; M]) -> [[f32; M]; N] {
    let at = |i: usize, j: usize| a.get(i).and_then(|row| row.get(j)).copied().unwrap_or_default();
    core::array::from_fn(|j| core::array::from_fn(|i| at(i, j)))
}

/// A diagonal matrix.
fn diagonal<const N: usize>(x: [f32; N]) -> [[f32; N]; N] {
    let mut rows = x.iter().enumerate();
    core::array::from_fn(|_| {
        let mut row = [0.0; N];
        if let Some((to, x)) = rows.next().and_then(|(i, x)| Some((row.get_mut(i)?, *x))) {
            *to = x;
        }
        row
    })
}

/// Three steps of a Kalman filter: place and speed in the plane, of which places are measured.
fn kalman(out: &mut Console) -> Result<bool, Error> {
    const F: [[f32; 4]; 4] =
        [[1.0, 0.0, 0.5, 0.0], [0.0, 1.0, 0.0, 0.5], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    const H: [[f32; 4]; 2] = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]];
    const NOISE: [[f32; 2]; 2] = [[0.25, 0.0625], [0.0625, 0.5]];
    let drift = diagonal([0.007_812_5, 0.007_812_5, 0.015_625, 0.015_625]);
    let (mut x, mut p) = ([[0.0]; 4], diagonal([1.0, 2.0, 4.0, 8.0]));
    let mut exact = [[0.0; 2]; 2];
    for z in [[1.5, -0.75], [2.5, -1.75], [3.25, -2.5]] {
        // x = Fx, P = FPFᵀ + Q
        let (before, mut fp) = (x, [[0.0; 4]; 4]);
        gemm_fixed(1.0, &F, &before, 0.0, &mut x);
        gemm_fixed(1.0, &F, &p, 0.0, &mut fp);
        p = drift;
        gemm_fixed(1.0, &fp, &transpose(&F), 1.0, &mut p);
        // S = HPHᵀ + R, and Kᵀ = S⁻¹HP.
        let (mut hp, mut s) = ([[0.0; 4]; 2], NOISE);
        gemm_fixed(1.0, &H, &p, 0.0, &mut hp);
        gemm_fixed(1.0, &hp, &transpose(&H), 1.0, &mut s);
        let (mut gain, mut l) = (hp, s);
        cholesky_fixed(&mut l)?;
        cholesky_solve_fixed(&l, &mut gain)?;
        // x = x + K(z - Hx), P = P - KHP
        let mut y = z.map(|z| [z]);
        gemm_fixed(-1.0, &H, &x, 1.0, &mut y);
        let gain = transpose(&gain);
        gemm_fixed(1.0, &gain, &y, 1.0, &mut x);
        gemm_fixed(-1.0, &gain, &hp, 1.0, &mut p);
        // The other way to the same: SS⁻¹ is I.
        let mut inverse = s;
        inverse_fixed(&mut inverse)?;
        gemm_fixed(1.0, &s, &inverse, 0.0, &mut exact);
    }
    let mut ok = true;
    let [[px, .., pv], _, [.., vv, _], _] = p;
    for (name, got, want) in [
        ("kalman, x", x, [3.279_895, -2.462_830_6, 1.814_879_6, -1.582_117_8]),
        (
            "kalman, P",
            [[px], [p[1][1]], [vv], [pv]],
            [0.182_591_29, 0.364_092_28, 0.345_935_57, 0.035_515_876],
        ),
        ("kalman, SS⁻¹", [[exact[0][0]], [exact[0][1]], [exact[1][0]], [exact[1][1]]], [1.0, 0.0, 0.0, 1.0]),
    ] {
        for ([got], want) in got.into_iter().zip(want) {
            ok &= check(out, name, got, want, 2e-6);
        }
    }
    Ok(ok)
}

pub fn compute(out: &mut Console) -> Result<bool, Error> {
    Ok(heat(out)? & kalman(out)?)
}
