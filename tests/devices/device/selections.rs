//! The largest and the smallest elements, by digits and by chunks.

use super::*;
use fulmen::gpu::backend::Scalar;
use fulmen::gpu::device::Computes;
use std::cmp::Ordering;

/// By the definition: NaN first, then by value, then by index.
fn by_definition<T: Scalar>(x: &[T], k: usize, largest: bool) -> Vec<u32> {
    let mut all: Vec<u32> = (0..x.len() as u32).collect();
    let at = |i: u32| if largest { -x[i as usize].to_f64() } else { x[i as usize].to_f64() };
    all.sort_by(|a, b| {
        let [p, q] = [at(*a), at(*b)];
        let numbers = (!p.is_nan()).cmp(&!q.is_nan());
        numbers.then(p.partial_cmp(&q).unwrap_or(Ordering::Equal)).then(a.cmp(b))
    });
    all.truncate(k);
    all
}

fn selected<T: Scalar>(gpu: &Gpu<Host>, x: &[T], k: usize, largest: bool)
where
    Host: Computes<T>,
{
    let on = gpu.upload(x).unwrap();
    let mut values = gpu.upload(&vec![T::from_f64(7.0); k]).unwrap();
    let mut indices = gpu.upload(&vec![9u32; k]).unwrap();
    match largest {
        true => gpu.top_k(on.view(), k, values.view_mut(), indices.view_mut()).unwrap(),
        false => gpu.bottom_k(on.view(), k, values.view_mut(), indices.view_mut()).unwrap(),
    }
    let (mut v, mut at) = (vec![T::ZERO; k], vec![0; k]);
    gpu.download(values.view(), &mut v).unwrap();
    gpu.download(indices.view(), &mut at).unwrap();
    let say = || format!("{k} of {}, {}: {:?}", x.len(), T::NAME, gpu.device().facts());
    assert_eq!(at, by_definition(x, k, largest), "{}", say());
    let same = |(v, at): (&T, &u32)| v.to_f64().to_bits() == x[*at as usize].to_f64().to_bits();
    assert!(v.iter().zip(&at).all(same), "{}", say());
}

/// Numbers of few values, of which many are equal, and of all; NaN, infinities and zeros of both signs.
fn numbers<T: Scalar>(n: usize, values: usize, r: &mut common::nn::Noise) -> Vec<T> {
    let special = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1e-40];
    let one = |r: &mut common::nn::Noise| match r.within(0..=values) {
        0 => special[r.within(0..=5)],
        at => (at as f64 - values as f64 / 2.0) * 1.37e-3,
    };
    (0..n).map(|_| T::from_f64(one(r))).collect()
}

/// Past a chunk, and past the places of a block; few chosen and many, of many equal ones and of others.
#[test]
fn the_first_elements_are_those_of_the_definition() {
    let mut r = Seed::new("the_first_elements").stream("shapes");
    let digits = Gpu::new(super::host(16 << 10, 2, Language::Ptx));
    let drawn = 513 + r.size(300);
    for (n, k, values, largest) in
        [(513, 270, 1, false), (520, 5, 1 << 20, true), (drawn, r.size(100), [2, 3, 40][drawn % 3], true)]
    {
        selected(&digits, &numbers::<f32>(n, values, &mut r), k, largest);
    }
    // Equal ones up to the end of a digit of their indices.
    selected(&digits, &[1.0f32; 600], 256, true);
    // Keys that differ in their last digits alone.
    let near: Vec<f64> = (0..520).map(|i| f64::from_bits(1f64.to_bits() + (i * 37 % 520))).collect();
    selected(&digits, &near, 20, true);
    selected(&digits, &numbers::<f64>(515, 3, &mut r), 9, false);
    // Where kernels have no atomic additions, by chunks.
    selected(&Gpu::new(super::host(16 << 10, 8, Language::Wgsl)), &numbers::<f32>(514, 3, &mut r), 3, true);
}

/// Elements are read once for each of their digits, and once more, however many are chosen.
#[test]
fn selections_have_as_many_launches_as_digits() {
    let planner = Planner::new(super::host(48 << 10, 1056, Language::Ptx).facts());
    for ([n, k], launches) in
        [([512, 9], 1), ([1 << 20, 1000], 1 + 2 * 7 + 2), ([1 << 24, 50], 17), ([(1 << 24) + 1, 1 << 20], 19)]
    {
        assert_eq!(planner.selection::<F32>([n, k], true).unwrap().launches.len(), launches, "{k} of {n}");
    }
    let short = Planner::new(short().facts());
    assert_eq!(short.selection::<F32>([1 << 10, 9], true).unwrap().launches.len(), 2, "by chunks");
}
