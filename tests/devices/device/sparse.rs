//! Products that a pattern samples: what is not read, rows without elements, and patterns past a block's threads. Transposes and products of
//! sparse matrices: the bits of a CPU.

use super::*;
use fulmen::Csr;
use fulmen::gpu::backend::{Sparse, View};

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
    let on_a = gpu.csr(a).unwrap();
    let (x, y, mut values) =
        (gpu.upload(x).unwrap(), gpu.upload(y).unwrap(), gpu.upload(&vec![old; a.len()]).unwrap());
    let (x, y) = (x.view().matrix(m, k).unwrap(), y.view().matrix(k, n).unwrap());
    gpu.sddmm(alpha, x, y, &on_a, beta, values.view_mut()).unwrap();
    let mut got = vec![9.0; a.len()];
    gpu.download(values.view(), &mut got).unwrap();
    [got, want]
}

/// Rows that a thread takes alone, whose rest a warp takes, of which there are several in a warp and some past a warp's threads; and the last
/// rows of a block. Integers, so that the order of sums does not matter.
#[test]
fn products_with_rows_of_any_length() {
    for m in [1, 33, 130, 301] {
        let n = 90;
        let lengths = [0, 5, 15, 16, 17, 3, 48, 49, 90, 1, 0, 33];
        let (mut offsets, mut columns) = (vec![0], vec![]);
        for i in 0..m {
            columns.extend((0..n as u32).skip(i % 2).take(lengths[i * 7 % lengths.len()]));
            offsets.push(columns.len());
        }
        let values: Vec<f32> = (0..columns.len()).map(|i| (i % 11) as f32 - 5.0).collect();
        let a = Csr::new(m, n, &offsets, &columns, &values).unwrap();
        let [x, y] = [n, m].map(|n| (0..n).map(|i| (i % 7) as f32 - 3.0).collect::<Vec<f32>>());
        for gpu in [Gpu::new(Host::default()), Gpu::new(Host::new(Meet::Memory))] {
            let on_a = gpu.csr(a).unwrap();
            for [alpha, beta] in [[1.0, 0.0], [-2.0, 3.0], [0.0, 1.0]] {
                let (mut want, mut got) = (y.clone(), gpu.upload(&y).unwrap());
                fulmen::spmv(alpha, a, &x, beta, &mut want).unwrap();
                gpu.spmv(alpha, &on_a, gpu.upload(&x).unwrap().view(), beta, got.view_mut()).unwrap();
                let mut back = vec![NAN; m];
                gpu.download(got.view(), &mut back).unwrap();
                assert_eq!(back, want, "{m}, {alpha}, {beta}");
                let (mut want, mut got) = (x.clone(), gpu.upload(&x).unwrap());
                fulmen::spmv_transposed(alpha, a, &y, beta, &mut want).unwrap();
                gpu.spmv_transposed(alpha, &on_a, gpu.upload(&y).unwrap().view(), beta, got.view_mut())
                    .unwrap();
                let mut back = vec![NAN; n];
                gpu.download(got.view(), &mut back).unwrap();
                assert_eq!(back, want, "{m}, {alpha}, {beta}, transposed");
            }
        }
    }
}

/// A matrix and its transpose by each of the kernels for rows, one after the other on one device, in both orders: neither takes the
/// program of the other.
#[test]
fn transposes_have_programs_of_their_own() {
    let few = |i: usize, j: usize| (i + 3 * j).is_multiple_of(17);
    let all: fn(usize, usize) -> bool = |_, _| true;
    for (what, a, meet) in [
        ("a block for a row", Made::new([40, 40], all), Meet::Warps),
        ("threads and warps", Made::new([40, 40], few), Meet::Warps),
        ("a thread for a row", Made::new([40, 40], few), Meet::Memory),
    ] {
        let values: Vec<f32> = (0..a.columns.len()).map(|i| (i % 11) as f32 - 5.0).collect();
        let a = Csr::new(40, 40, &a.offsets, &a.columns, &values).unwrap();
        let x: Vec<f32> = (0..40).map(|i| (i % 7) as f32 - 3.0).collect();
        for turned in [[false, true], [true, false]] {
            let gpu = Gpu::new(Host::new(meet));
            let (on_a, on_x) = (gpu.csr(a).unwrap(), gpu.upload(&x).unwrap());
            for turned in turned {
                let (mut want, mut got) = (vec![0.0; 40], gpu.upload(&[NAN; 40]).unwrap());
                let mut back = vec![NAN; 40];
                if turned {
                    fulmen::spmv_transposed(1.0, a, &x, 0.0, &mut want).unwrap();
                    gpu.spmv_transposed(1.0, &on_a, on_x.view(), 0.0, got.view_mut()).unwrap();
                } else {
                    fulmen::spmv(1.0, a, &x, 0.0, &mut want).unwrap();
                    gpu.spmv(1.0, &on_a, on_x.view(), 0.0, got.view_mut()).unwrap();
                }
                gpu.download(got.view(), &mut back).unwrap();
                assert_eq!(back, want, "{what}, transposed: {turned}");
            }
        }
    }
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

/// A matrix with about so many elements in a hundred places.
struct Made {
    shape: [usize; 2],
    offsets: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

impl Made {
    fn new(shape: [usize; 2], there: impl Fn(usize, usize) -> bool) -> Self {
        let [m, n] = shape;
        let (mut offsets, mut columns) = (vec![0], vec![]);
        for i in 0..m {
            columns.extend((0..n).filter(|j| there(i, *j)).map(|j| j as u32));
            offsets.push(columns.len());
        }
        // Sums depend on their order.
        let values = (0..columns.len()).map(|k| 1.0 / ((k * 7919 % 1000) as f32 - 500.5)).collect();
        Self { shape, offsets, columns, values }
    }
    fn csr(&self) -> Csr<'_, f32> {
        Csr::new(self.shape[0], self.shape[1], &self.offsets, &self.columns, &self.values).unwrap()
    }
}

/// Some of the elements.
fn some(i: usize, j: usize) -> bool {
    (i * 31 + j * 17 + i * j) % 7 < 2
}

type Elements = (Vec<usize>, Vec<u32>, Vec<u32>);

fn bits(offsets: Vec<usize>, columns: Vec<u32>, values: &[f32]) -> Elements {
    (offsets, columns, values.iter().map(|x| x.to_bits()).collect())
}

fn found(gpu: &Gpu<Host>, of: &Sparse<f32, Host>) -> Elements {
    let words = |from: View<'_, u32, Host>| {
        let mut to = vec![7; from.len()];
        gpu.download(from, &mut to).unwrap();
        to
    };
    let mut values = vec![7.0; of.values().len()];
    gpu.download(of.values(), &mut values).unwrap();
    bits(words(of.offsets()).iter().map(|x| *x as usize).collect(), words(of.columns()), &values)
}

/// More elements than a thread sorts, columns of one digit, two and three, and counters that need three levels of sums.
#[test]
fn transposes_are_those_of_a_cpu() {
    let gpu = Gpu::new(Host::default());
    for a in [
        Made::new([3, 2], some),
        Made::new([1, 1], |_, _| true),
        Made::new([0, 4], some),
        Made::new([4, 0], some),
        Made::new([4, 5], |_, _| false),
        Made::new([9, 300], some),
        Made::new([50, 90], |_, _| true),
        Made::new([3, 66_000], |i, j| (j + i) % 9000 < 2),
    ] {
        let ([m, n], len) = (a.shape, a.columns.len());
        let (mut offsets, mut columns, mut values) = (vec![0; n + 1], vec![0; len], vec![0.0; len]);
        fulmen::csr_transpose(a.csr(), &mut offsets, &mut columns, &mut values).unwrap();
        let t = gpu.csr_transpose(&gpu.csr(a.csr()).unwrap(), (), (), ()).unwrap();
        assert_eq!(t.shape(), [n, m]);
        assert_eq!(found(&gpu, &t), bits(offsets, columns, &values), "{m} by {n}");
        assert_eq!(
            found(&gpu, &gpu.csr_transpose(&t, (), (), ()).unwrap()),
            bits(a.offsets, a.columns, &a.values)
        );
    }
}

/// Rows in one part and in some, of one window and more, of one product and many for an element.
#[test]
fn products_of_sparse_matrices_are_those_of_a_cpu() {
    let gpu = Gpu::new(Host::default());
    let far = |_: usize, j: usize| j % 700 < 2;
    for (a, b) in [
        (Made::new([1, 1], |_, _| true), Made::new([1, 1], |_, _| true)),
        (Made::new([5, 8], some), Made::new([8, 31], some)),
        (Made::new([4, 9], |_, _| true), Made::new([9, 33], some)),
        (Made::new([3, 6], |i, _| i != 1), Made::new([6, 65], |i, j| some(i, j) || j == 64)),
        (Made::new([2, 5], |_, _| true), Made::new([5, 2200], some)),
        (Made::new([3, 4], some), Made::new([4, 2200], far)),
        (Made::new([0, 3], some), Made::new([3, 2], some)),
        (Made::new([3, 0], some), Made::new([0, 2], some)),
        (Made::new([3, 2], some), Made::new([2, 0], some)),
        (Made::new([3, 2], some), Made::new([2, 4], |_, _| false)),
        (Made::new([3, 2], |_, _| false), Made::new([2, 4], some)),
    ] {
        let ([m, _], [k, n]) = (a.shape, b.shape);
        let mut marks = vec![0; fulmen::spgemm_workspace(n)];
        let len = a.csr().product_len(b.csr(), &mut marks).unwrap();
        let (mut offsets, mut columns, mut values) = (vec![0; m + 1], vec![0; len], vec![0.0; len]);
        fulmen::spgemm(a.csr(), b.csr(), &mut offsets, &mut columns, &mut values, &mut marks).unwrap();
        let [p, q] = [&a, &b].map(|x| gpu.csr(x.csr()).unwrap());
        let c = gpu.spgemm(&p, &q, (), (), (), ()).unwrap();
        assert_eq!(c.shape(), [m, n]);
        assert_eq!(found(&gpu, &c), bits(offsets, columns, &values), "{m} by {k} by {n}");
        if n != m {
            let shape = fulmen::Error::shape("b", [n, k], [m, k]);
            let turned = gpu.csr(Made::new([m, k], some).csr()).unwrap();
            assert_eq!(gpu.spgemm(&q, &turned, (), (), (), ()).unwrap_err(), Error::Call(shape));
        }
    }
    // A matrix with itself.
    let a = gpu.csr(Made::new([40, 40], some).csr()).unwrap();
    let same = gpu.csr(Made::new([40, 40], some).csr()).unwrap();
    assert_eq!(
        found(&gpu, &gpu.spgemm(&a, &a, (), (), (), ()).unwrap()),
        found(&gpu, &gpu.spgemm(&a, &same, (), (), (), ()).unwrap())
    );
}
