//! Products of a batch: one launch for all of them, by tiles of every size.

use super::*;
use fulmen::gpu::backend::{Batch, BatchMut, Many};
use fulmen::{Einsum, EinsumPlan};

/// Small integers, whose products and sums are exact.
fn integers(n: usize, r: &mut common::nn::Noise) -> Vec<f32> {
    (0..n).map(|_| (r.bits() % 9) as f32 - 4.0).collect()
}

/// A batch of matrices: how many, rows, columns; whether they lie by columns, and elements between their lines.
struct Lay {
    sizes: [usize; 3],
    strides: [usize; 3],
}

impl Lay {
    fn new(sizes: [usize; 3], by_columns: bool, between: usize) -> Self {
        let [_, rows, cols] = sizes;
        let (one, line) = if by_columns { (cols, rows + between) } else { (rows, cols + between) };
        let [row, col] = if by_columns { [1, line] } else { [line, 1] };
        Self { sizes, strides: [one * line + between, row, col] }
    }
    /// One matrix for all.
    fn shared(self) -> Self {
        let [_, row, col] = self.strides;
        Self { strides: [0, row, col], ..self }
    }
    fn len(&self) -> usize {
        1 + self.sizes.iter().zip(self.strides).map(|(n, by)| (n - 1) * by).sum::<usize>()
    }
    fn at(&self, [k, i, j]: [usize; 3]) -> usize {
        let [by, row, col] = self.strides;
        k * by + i * row + j * col
    }
}

/// Devices: all tiles, a grid that is no deeper than three, no shuffles, kernels of few instructions.
fn devices() -> Vec<Gpu<Host>> {
    let shallow = super::host(16 << 10, 8, Language::Ptx).facts().clone();
    let [x, y, _] = shallow.limits.grid;
    let limits = Limits { grid: [x, y, 3], ..shallow.limits };
    vec![
        Gpu::new(super::host(48 << 10, 8, Language::Ptx)),
        Gpu::new(Host::with(Facts { limits, ..shallow })),
        Gpu::new(super::host(16 << 10, 8, Language::Wgsl)),
        Gpu::new(short()),
    ]
}

/// Drawn numbers of matrices, and sizes past each of the tiles' sides; one A for all, lines that are apart, and columns.
#[test]
fn products_of_a_batch_are_those_of_each_matrix() {
    let mut r = Seed::new("products_of_a_batch").stream("shapes");
    for gpu in devices() {
        let drawn = [r.within(2..=5), r.size(40), r.size(40), r.size(20)];
        let little = [r.within(2..=9), r.size(12), r.size(12), r.size(12)];
        for (case, [count, m, n, k]) in [
            [5, 16, 16, 9],
            [4, 17, 5, 3],
            [3, 33, 34, 5],
            [2, 65, 70, 4],
            [7, 3, 2, 0],
            drawn,
            [6, 9, 7, 4],
            little,
        ]
        .into_iter()
        .enumerate()
        {
            let [by_columns, between] = [case % 2 == 1, case % 3 == 0];
            let a = Lay::new([count, m, k.max(1)], by_columns, usize::from(between));
            let a = if case % 4 == 3 { a.shared() } else { a };
            let b = Lay::new([count, k.max(1), n], !by_columns, 0);
            let c = Lay::new([count, m, n], case == 2, 2 * usize::from(between));
            let [x, y, z] = [&a, &b, &c].map(|of| integers(of.len(), &mut r));
            let (beta, mut want) = ([0.0, -2.0][case / 2 % 2], z.clone());
            for at in (0..count * m * n).map(|e| [e / (m * n), e / n % m, e % n]) {
                let [q, i, j] = at;
                let sum: f32 = (0..k).map(|p| x[a.at([q, i, p])] * y[b.at([q, p, j])]).sum();
                let to = &mut want[c.at(at)];
                *to = 0.5 * sum + if beta == 0.0 { 0.0 } else { beta * *to };
            }
            let [x, y] = [x, y].map(|x| gpu.upload(&x).unwrap());
            let mut on = gpu.upload(&z).unwrap();
            let [_, _, depth] = [count, m, k];
            let p = Batch::strided(x.view(), [count, m, depth], a.strides).unwrap();
            let q = Batch::strided(y.view(), [count, depth, n], b.strides).unwrap();
            let to = BatchMut::strided(on.view_mut(), c.sizes, c.strides).unwrap();
            gpu.gemm_strided_batched(0.5, p, q, beta, to).unwrap();
            let mut got = z;
            gpu.download(on.view(), &mut got).unwrap();
            assert_eq!(got, want, "{count} of {m} x {n} x {k}: {:?}", gpu.device().facts());
        }
    }
}

/// Batches that differ in number, and matrices in shape: those of a CPU, and nothing is written.
#[test]
fn bad_batches_of_products_are_refused() {
    let gpu = gpu();
    let (x, mut z) = (gpu.upload(&[1.0f32; 12]).unwrap(), gpu.upload(&[7.0f32; 12]).unwrap());
    let of = |sizes: [usize; 3]| Batch::strided(x.view(), sizes, [sizes[1] * sizes[2], sizes[2], 1]).unwrap();
    for (a, b, c, named) in [
        ([2, 2, 3], [3, 3, 1], [2, 2, 1], "`b`"),
        ([2, 2, 3], [2, 3, 1], [3, 2, 1], "`c`"),
        ([2, 2, 3], [2, 2, 1], [2, 2, 1], "`b`"),
        ([2, 3, 2], [2, 2, 1], [2, 2, 1], "`a`"),
    ] {
        let to = BatchMut::strided(z.view_mut(), c, [c[1] * c[2], c[2], 1]).unwrap();
        let said = gpu.gemm_strided_batched(1.0, of(a), of(b), 0.0, to).unwrap_err().to_string();
        assert!(said.contains(named), "{said}");
    }
    let mut back = [0.0; 12];
    gpu.download(z.view(), &mut back).unwrap();
    assert_eq!(back, [7.0; 12], "written");
}

/// Contractions with several axes that both factors and the result have: two by one launch, another one around them.
#[test]
fn axes_of_a_batch_are_those_of_a_contraction() {
    let mut r = Seed::new("axes_of_a_batch").stream("numbers");
    for gpu in devices() {
        for (expression, shapes) in [
            ("bij,bjk->bik", [vec![3, 17, 16], vec![3, 16, 18]]),
            ("abij,bajk->abik", [vec![2, 3, 16, 17], vec![3, 2, 17, 16]]),
            ("abcij,cbajk->bacik", [vec![2, 2, 3, 16, 16], vec![3, 2, 2, 16, 17]]),
        ] {
            let plan =
                EinsumPlan::new(&Einsum::parse(expression).unwrap(), &[&shapes[0], &shapes[1]]).unwrap();
            let x: Vec<Vec<f32>> = shapes.iter().map(|s| integers(s.iter().product(), &mut r)).collect();
            let (mut want, mut work) = (vec![0.0; plan.len()], vec![0.0; plan.workspace()]);
            fulmen::einsum(&plan, &[&x[0], &x[1]], &mut want, &mut work).unwrap();
            let on: Vec<_> = x.iter().map(|x| gpu.upload(x).unwrap()).collect();
            let mut out = gpu.upload(&vec![7.0f32; plan.len()]).unwrap();
            gpu.einsum(&plan, &[on[0].view(), on[1].view()], out.view_mut(), ()).unwrap();
            let mut got = vec![0.0; plan.len()];
            gpu.download(out.view(), &mut got).unwrap();
            assert_eq!(got, want, "{expression}: {:?}", gpu.device().facts());
        }
    }
}

/// One launch for as many products as a grid has; none where each alone occupies the device by better means.
#[test]
fn one_launch_has_all_products_of_a_batch() {
    let planner = Planner::new(super::host(48 << 10, 1056, Language::Ptx).facts());
    let plan = |count: usize, n: usize, k: usize| {
        let product = Product::new([n, n, k], [[k, 1], [n, 1], [n, 1]], [1.0, 0.0]);
        let many = Many { counts: [1, count], apart: [[0, n * k], [0, k * n], [0, n * n]] };
        planner.products::<F32>(&product, &many).unwrap()
    };
    for (count, n, grids) in [
        (4096, 16, vec![[1, 1, 4096]]),
        (4096, 32, vec![[1, 1, 4096]]),
        (1024, 64, vec![[1, 1, 1024]]),
        (256, 256, vec![[2, 2, 256]]),
        (64, 512, vec![[4, 4, 64]]),
        (8, 64, vec![[2, 2, 8]]),
        (70_000, 16, vec![[1, 1, 65_535], [1, 1, 4465]]),
        // A thread for each element.
        (70_000, 15, vec![[1056, 1, 1]]),
        (70_000, 8, vec![[1056, 1, 1]]),
        (0, 8, vec![]),
    ] {
        let launches = plan(count, n, n).unwrap().launches;
        let got: Vec<[u32; 3]> = launches.iter().map(|l| l.grid).collect();
        assert_eq!(got, grids, "{count} of {n}");
    }
    // One, few of a long depth, and more elements than kernels count.
    assert_eq!([plan(1, 64, 64), plan(2, 64, 4096), plan(1 << 17, 128, 128)].map(|p| p.is_none()), [true; 3]);
    let planner = Planner::new(hopper_host(132).facts());
    let product = Product::new([1024; 3], [[1024, 1]; 3], [1.0, 0.0]);
    let many = Many { counts: [1, 4], apart: [[0, 1 << 20]; 3] };
    assert!(planner.products::<F32>(&product, &many).unwrap().is_none(), "by tensor cores");
}
