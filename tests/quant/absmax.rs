//! Scales that are quantised themselves, beside bitsandbytes (`tests/golden/nf4.py`), and blocks that hold them.

use super::*;
#[cfg(not(target_arch = "wasm32"))]
use common::yaml::contract;

/// The map, the scales, the offset, the codes, the scales of scales, and what they stand for.
fn of_bitsandbytes() -> (Vec<f32>, Vec<f32>, f32, Vec<u8>, Vec<f32>, Vec<f32>) {
    let (n, rest) = golden("absmax").expect("a golden file");
    let (map, rest) = rest.split_at(1024);
    let (absmax, rest) = rest.split_at(4 * n);
    let (offset, rest) = rest.split_at(4);
    let (codes, rest) = rest.split_at(n);
    let (scales, back) = rest.split_at(4 * n.div_ceil(256));
    (floats(map), floats(absmax), floats(offset)[0], codes.to_vec(), floats(scales), floats(back))
}

#[test]
fn bytes_are_those_of_bitsandbytes() {
    let (map, absmax, offset, codes, scales, _) = of_bitsandbytes();
    // Its map is of single precision throughout.
    for (ours, theirs) in DYNAMIC_MAP.iter().zip(&map) {
        assert!((ours - theirs).abs() <= 1.2e-7 * theirs.abs(), "{ours} {theirs}");
    }
    for_each_lane!(|s| {
        let (mut q, mut d) = (vec![7; codes.len()], vec![7.0; scales.len()]);
        let got = quantize_absmax_on(s, &map, &absmax, &mut q, &mut d).unwrap();
        assert_eq!((got, &d), (offset, &scales));
        // Its search takes a neighbour where two are all but as near.
        let off = |i: usize, q: u8| {
            f64::from(map[usize::from(q)]) - f64::from(absmax[i] - offset) / f64::from(d[i / 256])
        };
        let other: Vec<usize> = (0..q.len()).filter(|i| q[*i] != codes[*i]).collect();
        assert!(other.len() <= 2 && other.iter().all(|i| off(*i, q[*i]).abs() < off(*i, codes[*i]).abs()));
    });
    // Between two elements of the map the lower one, and past its ends the last.
    let halves: [f32; 256] = std::array::from_fn(|i| i as f32 / 256.0 - 0.5);
    let (mut q, mut d) = ([7; 4], [7.0; 1]);
    quantize_absmax(&halves, &[1.0, -1.0, 0.5 / 256.0, -0.5 / 256.0], &mut q, &mut d).unwrap();
    assert_eq!((q, d), ([255, 0, 128, 127], [1.0]));
}

#[test]
fn numbers_are_those_of_bitsandbytes() {
    let (map, _, offset, codes, scales, want) = of_bitsandbytes();
    for_each_lane!(|s| {
        let mut out = vec![7.0; want.len()];
        dequantize_absmax_on(s, &map, &codes, &scales, offset, &mut out).unwrap();
        same(&out, &want, "absmax");
    });
}

// Contracts are files, which this target has not.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn edge_cases() {
    let of = |e: &common::yaml::schema::EdgeCase, i: usize| -> Vec<f32> {
        e.inputs[i].iter().map(|x| x.value("f32") as f32).collect()
    };
    let bytes = |x: &[f32]| x.iter().map(|x| *x as u8).collect::<Vec<_>>();
    for (op, least) in [("dequantize_absmax", 6), ("quantize_absmax", 7)] {
        let c = contract(op);
        assert!(c.edge_cases.len() >= least);
        for e in &c.edge_cases {
            for_each_lane!(|s| {
                let got = if op == "quantize_absmax" {
                    let x = of(e, 1);
                    let (mut q, mut d) = (vec![7; x.len()], vec![7.0; x.len().div_ceil(256)]);
                    quantize_absmax_on(s, &DYNAMIC_MAP, &x, &mut q, &mut d)
                        .map(|offset| [vec![offset], d, q.iter().map(|q| f32::from(*q)).collect()].concat())
                } else {
                    let (q, d) = (bytes(&of(e, 1)), of(e, 2));
                    let offset = e.params.as_ref().unwrap()[0].value("f32") as f32;
                    let mut out = vec![7.0; q.len()];
                    dequantize_absmax_on(s, &DYNAMIC_MAP, &q, &d, offset, &mut out).map(|()| out)
                };
                match (&e.error, got) {
                    (Some(error), got) => assert!(
                        format!("{:?}", got.unwrap_err()).starts_with(error.as_str()),
                        "{op} {}",
                        e.name
                    ),
                    (None, got) => {
                        let want: Vec<f32> =
                            e.out.as_ref().unwrap().iter().map(|x| x.value("f32") as f32).collect();
                        let got = got.unwrap();
                        // Without scales there is nothing but the mean.
                        same(&got, &want, &format!("{op} {}", e.name));
                    }
                }
            });
        }
    }
}

#[test]
fn refusals() {
    let (mut q, mut d, mut out) = ([7u8; 3], [7.0f32; 1], [7.0f32; 3]);
    let map = DYNAMIC_MAP;
    let len = Error::len;
    let x = [1.0, 2.0, 3.0];
    assert_eq!(quantize_absmax(&map[1..], &x, &mut q, &mut d), Err(len("map", 256, 255)));
    assert_eq!(quantize_absmax(&map, &x, &mut q[1..], &mut d), Err(len("codes", 3, 2)));
    assert_eq!(quantize_absmax(&map, &x, &mut q, &mut []), Err(len("scales", 1, 0)));
    let mut turned = map;
    turned.swap(3, 4);
    assert_eq!(quantize_absmax(&turned, &x, &mut q, &mut d), Err(Error::domain("map")));
    turned = map;
    turned[255] = f32::NAN;
    assert_eq!(quantize_absmax(&turned, &x, &mut q, &mut d), Err(Error::domain("map")));
    for bad in [f32::NAN, f32::INFINITY] {
        assert_eq!(quantize_absmax(&map, &[1.0, bad, 0.0], &mut q, &mut d), Err(Error::domain("absmax")));
    }
    assert_eq!(dequantize_absmax(&map[1..], &q, &d, 0.0, &mut out), Err(len("map", 256, 255)));
    assert_eq!(dequantize_absmax(&map, &q, &[], 0.0, &mut out), Err(len("scales", 1, 0)));
    assert_eq!(dequantize_absmax(&map, &q, &d, 0.0, &mut out[1..]), Err(len("out", 3, 2)));
    let mut to = zeros::<NF4>(2);
    assert_eq!(NF4::join(&[1.0, 2.0], &[0; 63], &mut to), Err(len("codes", 64, 63)));
    assert_eq!(NF4::join(&[1.0], &[0; 32], &mut to), Err(len("out", 1, 2)));
    assert_eq!(NF4_LOW::split(&zeros::<NF4_LOW>(1), &mut out, &mut [0; 32]), Err(len("absmax", 1, 3)));
    assert_eq!(NF4_LOW::split(&zeros::<NF4_LOW>(1), &mut out[..1], &mut [0; 31]), Err(len("codes", 32, 31)));
    assert_eq!((q, d, out, bytes_of(&to)), ([7; 3], [7.0; 1], [7.0; 3], &[0u8; 72][..]));
}

/// A tensor as bitsandbytes stores it, doubly quantised, to blocks and back.
#[test]
fn blocks_are_joined_and_split() {
    let (map, _, offset, codes, scales, want) = of_bitsandbytes();
    let mut absmax = vec![0.0; codes.len()];
    dequantize_absmax(&map, &codes, &scales, offset, &mut absmax).unwrap();
    let data: Vec<u8> = (0..32 * absmax.len()).map(|i| (i * 37 % 251) as u8).collect();
    let (mut to, mut low) = (zeros::<NF4>(absmax.len()), zeros::<NF4_LOW>(absmax.len()));
    NF4::join(&absmax, &data, &mut to).unwrap();
    let turned: Vec<u8> = data.iter().map(|x| x.rotate_left(4)).collect();
    NF4_LOW::join(&absmax, &turned, &mut low).unwrap();
    same(&numbers(&low), &numbers(&to), "nf4");
    assert_eq!(
        numbers(&to).iter().fold(0.0f32, |m, x| m.max(x.abs())),
        want.iter().fold(0.0, |m: f32, x| m.max(*x))
    );
    let (mut a, mut b) = (vec![7.0; absmax.len()], vec![7; data.len()]);
    NF4::split(&to, &mut a, &mut b).unwrap();
    assert_eq!((&a, &b), (&absmax, &data));
    NF4_LOW::split(&low, &mut a, &mut b).unwrap();
    assert_eq!((&a, &b), (&absmax, &turned));
}
