//! Kernels that a planner keeps, by type and form, and scratch as large as what they leave there: operands that begin anywhere, rows of any
//! length, sums of many blocks.

use super::*;

/// Both types by one value: the kernel of one is none of the other.
#[test]
fn kernels_of_two_types() {
    let gpu = Gpu::new(Host::default());
    let (x, y): (Vec<f32>, Vec<f64>) = (0..50).map(|i| (i as f32, f64::from(i) * 0.1)).unzip();
    let (on_x, on_y) = (gpu.upload(&x).unwrap(), gpu.upload(&y).unwrap());
    let (mut p, mut q) = (gpu.alloc::<f32>(50).unwrap(), gpu.alloc::<f64>(50).unwrap());
    for _ in 0..2 {
        gpu.add(on_x.view(), on_x.view(), p.view_mut()).unwrap();
        gpu.add(on_y.view(), on_y.view(), q.view_mut()).unwrap();
    }
    let (mut p_back, mut q_back) = ([0.0; 50], [0.0; 50]);
    gpu.download(p.view(), &mut p_back).unwrap();
    gpu.download(q.view(), &mut q_back).unwrap();
    assert!((0..50).all(|i| p_back[i] == x[i] + x[i] && q_back[i] == y[i] + y[i]), "{p_back:?} {q_back:?}");
}

/// That rows of `cols` elements from place `start` on are those of softmax.
fn softmax(gpu: &Gpu<Host>, [rows, cols]: [usize; 2], start: usize) {
    let n = rows * cols;
    let x: Vec<f32> = (0..start + n).map(|i| (i * 37 % 101) as f32 * 0.1).collect();
    let (on_x, mut out) = (gpu.upload(&x).unwrap(), gpu.alloc::<f32>(start + n).unwrap());
    let [_, part] = out.view_mut().split(start).unwrap();
    gpu.softmax(on_x.view().part(start..start + n).unwrap(), cols, part).unwrap();
    let mut got = vec![0.0; n];
    gpu.download(out.view().part(start..start + n).unwrap(), &mut got).unwrap();
    for (got, x) in got.chunks(cols).zip(x[start..].chunks(cols)) {
        let sum: f64 = x.iter().map(|x| f64::from(*x).exp()).sum();
        let near = |(y, x): (&f32, &f32)| (f64::from(*y) * sum / f64::from(*x).exp() - 1.0).abs() < 1e-5;
        assert!(got.iter().zip(x).all(near), "{rows} rows of {cols} from {start}");
    }
}

/// Rows of many lengths by one value, some drawn, in registers and through memory; few long ones, which several blocks share.
#[test]
fn rows_of_every_length() {
    let gpu = Gpu::new(Host::default());
    let r = &mut Seed::new("rows_of_every_length").stream("");
    for cols in (4..=700).step_by(12).chain([1000, 1024, 2048]).chain((0..9).map(|_| r.within(1..=900))) {
        softmax(&gpu, [2, cols], 0);
    }
    softmax(&Gpu::new(host(48 << 10, 264, Language::Ptx)), [8, (1 << 13) + 5], 1);
}

/// Operands that begin at any element of an array, also where others begin at whole pieces of 16 bytes.
#[test]
fn operands_begin_anywhere() {
    let gpu = Gpu::new(Host::default());
    let numbers: Vec<f32> = (0..60).map(|i| (i * i % 41) as f32).collect();
    let x = gpu.upload(&numbers).unwrap();
    for [p, q, to] in (0..125).map(|k| [k % 5, 2 * (k / 5 % 5), [0, 2, 3, 4, 9][k / 25]]) {
        let mut out = gpu.upload(&[-1.0f32; 60]).unwrap();
        let [_, rest] = out.view_mut().split(to).unwrap();
        let [part, _] = rest.split(44).unwrap();
        let [a, b] = [p, q].map(|from| x.view().part(from..from + 44).unwrap());
        gpu.add(a, b, part).unwrap();
        let mut got = [0.0; 60];
        gpu.download(out.view(), &mut got).unwrap();
        let inside = |i: usize| (to..to + 44).contains(&i);
        let want = |i: usize| if inside(i) { numbers[p + i - to] + numbers[q + i - to] } else { -1.0 };
        assert!((0..60).all(|i| got[i] == want(i)), "{p}, {q} to {to}: {got:?}");
    }
}

/// As many blocks as run at once, each of which leaves several values.
#[test]
fn sums_of_many_blocks() {
    let gpu = Gpu::new(host(48 << 10, 64, Language::Ptx));
    let x: Vec<f32> = (0..64 * 2048).map(|i| (i % 17) as f32 - 8.0).collect();
    let (on_x, mut out, mut got) = (gpu.upload(&x).unwrap(), gpu.alloc::<f32>(1).unwrap(), [0.0]);
    gpu.variance(on_x.view(), out.view_mut()).unwrap();
    gpu.download(out.view(), &mut got).unwrap();
    let mean = |f: &dyn Fn(f64) -> f64| x.iter().map(|x| f(f64::from(*x))).sum::<f64>() / x.len() as f64;
    let middle = mean(&|x| x);
    let want = mean(&|x| (x - middle).powi(2));
    assert!((f64::from(got[0]) / want - 1.0).abs() < 1e-4, "{got:?} of {want}");
}
