//! Convolutions of planes that are larger than a block of windows, against sums in `f64`, and on threads.

use super::*;
use common::nn::conv2d::each;
use fulmen::Conv2d;

struct Case {
    conv: Conv2d,
    x: Vec<f32>,
    w: Vec<f32>,
    bias: Vec<f32>,
    dy: Vec<f32>,
}

/// Two images of `plane` and a few rows and columns more, with uneven padding.
fn drawn(
    r: &mut Noise,
    [ci, co, groups]: [usize; 3],
    kernel: [usize; 2],
    plane: [usize; 2],
    [stride, dilation]: [[usize; 2]; 2],
) -> Case {
    let padding = kernel.map(|k| [r.within(0..=k), r.within(0..=k)]);
    let plane = plane.map(|n| n + r.within(0..=9));
    of(Conv2d { stride, dilation, padding, groups, ..Conv2d::new(ci, co, plane, kernel) }, r)
}

fn of(conv: Conv2d, r: &mut Noise) -> Case {
    let n: usize = conv.output().unwrap().iter().product();
    let Conv2d { channels_in: ci, channels_out: co, kernel: [kh, kw], .. } = conv;
    let sizes = [2 * ci * conv.height * conv.width, co * (ci / conv.groups) * kh * kw, co, 2 * co * n];
    let [x, w, bias, dy] = sizes.map(|n| r.slice::<f32>(n, 1.0));
    Case { conv, x, w, bias, dy }
}

/// One call of each, on scratch that is not numbers.
fn results(c: &Case) -> [Vec<f32>; 4] {
    let mut room = vec![f32::NAN; fulmen::conv2d_workspace(c.conv)];
    let [mut y, mut dx] = [c.dy.len(), c.x.len()].map(|n| vec![f32::NAN; n]);
    let [mut dw, mut db] = [c.w.len(), c.bias.len()].map(|n| vec![0.0; n]);
    fulmen::conv2d(c.conv, &c.x, &c.w, Some(&c.bias), &mut y, &mut room).unwrap();
    fulmen::conv2d_backward_input(c.conv, &c.dy, &c.w, &mut dx, &mut room).unwrap();
    fulmen::conv2d_backward_weights(c.conv, &c.x, &c.dy, &mut dw, Some(&mut db), &mut room).unwrap();
    [y, dx, dw, db]
}

fn cases(r: &mut Noise) -> Vec<Case> {
    let mut all = vec![
        // Several blocks, the last of them partial; groups; single channels with few filters, with many, strided; a single
        // weight that is strided.
        drawn(r, [16, 12, 1], [3, 3], [60, 70], [[1, 2], [2, 1]]),
        drawn(r, [8, 6, 2], [5, 2], [150, 90], [[2, 1], [1, 2]]),
        drawn(r, [120, 5, 1], [3, 3], [40, 30], [[1, 1], [1, 2]]),
        drawn(r, [6, 6, 6], [3, 3], [40, 50], [[1, 1], [2, 2]]),
        drawn(r, [6, 12, 6], [2, 3], [40, 50], [[2, 3], [2, 1]]),
        drawn(r, [2, 60, 2], [3, 3], [60, 70], [[2, 2], [1, 1]]),
        drawn(r, [5, 3, 1], [1, 1], [70, 80], [[2, 3], [1, 1]]),
    ];
    let bare = Conv2d::new(12, 9, [30 + r.within(0..=9), 40], [1, 1]);
    all.push(of(bare, r));
    let plain = Conv2d { padding: [[1; 2]; 2], ..Conv2d::new(8, 8, [60, 50 + r.within(0..=9)], [3, 3]) };
    all.extend([1, 8].map(|groups| of(Conv2d { groups, ..plain }, r)));
    all
}

/// The results, and of each the sum of the magnitudes of its terms.
fn wanted(c: &Case) -> [Vec<[f64; 2]>; 4] {
    let sum = |n: usize| vec![[0.0, 1e-9]; n];
    let [mut y, mut dx, mut dw, mut db] = [c.dy.len(), c.x.len(), c.w.len(), c.bias.len()].map(sum);
    let add = |[sum, mass]: &mut [f64; 2], a: f32, b: f32| {
        let term = f64::from(a) * f64::from(b);
        *sum += term;
        *mass += term.abs();
    };
    let n = c.dy.len() / 2 / c.conv.channels_out;
    for (at, (y, dy)) in y.iter_mut().zip(&c.dy).enumerate() {
        let o = at / n % c.conv.channels_out;
        add(y, c.bias[o], 1.0);
        add(&mut db[o], *dy, 1.0);
    }
    each(c.conv, 2, |to, k, from| {
        add(&mut y[to], c.w[k], c.x[from]);
        add(&mut dx[from], c.w[k], c.dy[to]);
        add(&mut dw[k], c.dy[to], c.x[from]);
    });
    [y, dx, dw, db]
}

fn verify(c: &Case) {
    for (what, (got, want)) in results(c).iter().zip(wanted(c)).enumerate() {
        for (i, (got, [sum, mass])) in got.iter().zip(&want).enumerate() {
            let got = f64::from(*got);
            let near = got == *sum || (sum.is_finite() && (got - sum).abs() <= 1e-5 * mass);
            assert!(near, "{:?}: {i} of result {what} is {got}, not {sum}", c.conv);
        }
    }
}

#[test]
fn blocks_of_windows_are_multiplied() {
    let r = &mut Seed::new("blocks_of_windows_are_multiplied").stream("conv2d");
    cases(r).iter().for_each(verify);
}

/// Padding on one side, or none: what is infinite is not multiplied by it.
#[test]
fn infinite_factors_meet_no_padding() {
    let r = &mut Seed::new("infinite_factors_meet_no_padding").stream("conv2d");
    for (side, groups, step) in (0..5)
        .flat_map(|side| [1, 2, 4].into_iter().flat_map(move |groups| [(side, groups, 1), (side, groups, 2)]))
    {
        // With a stride of 2, the last place reads less than the plane.
        let plane = [5, 6].map(|n| n + 2 * r.within(0..=2));
        let mut conv = Conv2d { stride: [step; 2], groups, ..Conv2d::new(4, 4, plane, [3, 2]) };
        // The last is no side.
        if let Some(padding) = conv.padding.as_flattened_mut().get_mut(side) {
            *padding = 1;
        }
        let mut c = of(conv, r);
        for x in [&mut c.x, &mut c.w, &mut c.dy] {
            x.iter_mut().for_each(|x| *x = 0.5 + x.abs());
        }
        // The first filter, and the first plane of the result.
        let (taps, n) = (6, c.dy.len() / 8);
        c.w[..taps].fill(f32::INFINITY);
        c.dy[..n].fill(f32::INFINITY);
        verify(&c);
    }
}

/// Products and copies are divided: on any number of threads the bits are the same.
#[test]
#[cfg(feature = "parallel")]
fn planes_on_threads_have_the_same_bits() {
    use fulmen::parallel;
    let r = &mut Seed::new("planes_on_threads_have_the_same_bits").stream("conv2d");
    for mut c in cases(r) {
        for spoilt in [false, true] {
            if spoilt {
                // Sums of rows, which multiply no padding.
                c.w[0] = f32::INFINITY;
                c.dy[0] = f32::INFINITY;
            }
            let want = results(&c);
            let threads = r.within(2..=4);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let got = pool.install(|| {
                let mut room = vec![f32::NAN; parallel::conv2d_workspace(c.conv, threads)];
                let [mut y, mut dx] = [c.dy.len(), c.x.len()].map(|n| vec![f32::NAN; n]);
                let [mut dw, mut db] = [c.w.len(), c.bias.len()].map(|n| vec![0.0; n]);
                parallel::conv2d(c.conv, &c.x, &c.w, Some(&c.bias), &mut y, &mut room).unwrap();
                parallel::conv2d_backward_input(c.conv, &c.dy, &c.w, &mut dx, &mut room).unwrap();
                let (w, b) = (&mut dw, Some(&mut db[..]));
                parallel::conv2d_backward_weights(c.conv, &c.x, &c.dy, w, b, &mut room).unwrap();
                [y, dx, dw, db]
            });
            for (what, (a, b)) in want.iter().zip(&got).enumerate() {
                let same = a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits());
                assert!(same, "{:?} on {threads} threads: result {what}", c.conv);
            }
        }
    }
}
