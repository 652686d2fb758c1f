//! Products that a pattern samples: what is not read, rows without elements, and patterns past a block's threads.

use super::*;
use fulmen::Csr;

const NAN: f32 = f32::NAN;

/// A pattern of so many rows of so many columns, of which every third has elements: all that `there` says.
fn pattern([m, n]: [usize; 2], there: impl Fn(usize, usize) -> bool) -> (Vec<usize>, Vec<u32>) {
    let (mut offsets, mut columns) = (vec![0], vec![]);
    for i in 0..m {
        columns.extend((0..n).filter(|j| i % 3 == 1 && there(i, *j)).map(|j| j as u32));
        offsets.push(columns.len());
    }
    (offsets, columns)
}

/// What the device makes of `old`, and what a CPU does.
fn both([m, n, k]: [usize; 3], [alpha, beta]: [f32; 2], [x, y]: [&[f32]; 2], old: f32) -> [Vec<f32>; 2] {
    let (offsets, columns) = pattern([m, n], |i, j| (i + j) % 2 == 0);
    let of_a = vec![NAN; columns.len()];
    let a = Csr::new(m, n, &offsets, &columns, &of_a).unwrap();
    let mut want = vec![old; a.len()];
    let (x_on, y_on) =
        (fulmen::MatRef::row_major(x, m, k).unwrap(), fulmen::MatRef::row_major(y, k, n).unwrap());
    fulmen::sddmm(alpha, x_on, y_on, a, beta, &mut want).unwrap();
    let gpu = Gpu::new(Host::default());
    let on_a = gpu.sparse(a).unwrap();
    let (x, y, mut values) =
        (gpu.upload(x).unwrap(), gpu.upload(y).unwrap(), gpu.upload(&vec![old; a.len()]).unwrap());
    let (x, y) = (x.view().matrix(m, k).unwrap(), y.view().matrix(k, n).unwrap());
    gpu.sddmm(alpha, x, y, &on_a, beta, values.view_mut()).unwrap();
    let mut got = vec![9.0; a.len()];
    gpu.download(values.view(), &mut got).unwrap();
    [got, want]
}

/// Integers, so that the order of sums does not matter: every element of its own product.
#[test]
fn sampled_products_are_those_of_a_cpu() {
    for [m, n, k] in [
        [1, 1, 1],
        [2, 1, 3],
        [3, 2, 1],
        [400, 3, 5],
        [7, 530, 2],
        [1025, 2, 33],
        [3, 0, 2],
        [0, 3, 2],
        [5, 4, 0],
    ] {
        let x: Vec<f32> = (0..m * k).map(|i| (i % 17) as f32 - 8.0).collect();
        let y: Vec<f32> = (0..k * n).map(|i| (i % 13) as f32 - 6.0).collect();
        for by in [[1.0, 0.0], [-2.0, 1.0], [0.5, -3.0], [0.0, 2.0], [0.0, 0.0]] {
            let [got, want] = both([m, n, k], by, [&x, &y], 4.0);
            assert_eq!(got, want, "{m} by {k} by {n}, {by:?}");
        }
    }
}

#[test]
fn sampled_products_read_what_they_must() {
    let (x, odd) = ([2.0; 12], [NAN; 12]);
    let of = |by, x, y, old| {
        let [got, want] = both([6, 4, 2], by, [x, y], old);
        assert!(
            got.iter().zip(&want).all(|(x, y)| x == y || x.is_nan() && y.is_nan()),
            "{got:?}, not {want:?}"
        );
        got
    };
    assert_eq!(of([1.0, 0.0], &x, &x[..8], NAN), [8.0; 4]);
    assert_eq!(of([0.0, 3.0], &odd, &odd[..8], 2.0), [6.0; 4]);
    assert_eq!(of([0.0, 0.0], &odd, &odd[..8], NAN), [0.0; 4]);
    assert!(of([1.0, 0.0], &odd, &x[..8], 1.0).iter().all(|x| x.is_nan()));
    assert!(of([NAN, 0.0], &x, &x[..8], 1.0).iter().all(|x| x.is_nan()));
    assert!(of([1.0, NAN], &x, &x[..8], 1.0).iter().all(|x| x.is_nan()));
}
