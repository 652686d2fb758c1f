//! The first byte says what the others are: the length and the numbers of a Fourier transform, filters of Q15 and a signal in blocks, an
//! expression of tensors and their shapes, one that has a name, a tensor and what is put around it, or one and indices:
//! `cargo +nightly fuzz run signals`. What is taken agrees with the definition; what is refused has a reason that is found here, too.
#![no_main]

use common::nn::contractions::contraction;
use common::nn::transforms::dft;
use common::nn::{Noise, Want, allowed};
use fulmen::{
    Biquad, Complex, Direction, Einsum, EinsumPlan, Error, Fft, Pad, einsum, fft, fft_in_place, fft_plan_len,
    fft_workspace, fixed_biquad, fixed_fir,
};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some(([kind, first, second], rest)) = bytes.split_first_chunk() else { return };
    let [first_n, second_n] = [*first, *second].map(usize::from);
    match kind % 6 {
        // Any of the radices, two passes and convolutions are below this; the reference takes the square.
        0 => transform(first_n % 200, *second, rest),
        1 => filters(first_n, second_n % 20, second_n / 20 + 1, rest),
        2 => {
            let (shapes, text) = rest.split_at((first_n % 33).min(rest.len()));
            if let Ok(text) = std::str::from_utf8(text) {
                contract(Einsum::parse(text), text, shapes);
            }
        }
        3 => name(first_n, [second_n % 6, second_n / 6 % 6], rest),
        4 => padded(first_n, second_n, rest),
        _ => gathered(first_n, second_n, rest),
    }
});

/// A length of 0 is refused; any other one, there and in place, is the sum by its definition.
fn transform(n: usize, way: u8, bytes: &[u8]) {
    let (mut table, mut work) = (vec![0.0f64; fft_plan_len(n)], vec![Complex::ZERO; fft_workspace(n)]);
    let plan = match Fft::plan(n, &mut table, &mut work) {
        Ok(plan) => plan,
        Err(_) => return assert_eq!(n, 0),
    };
    let byte = |k: usize| f64::from(bytes.get(k % bytes.len().max(1)).copied().unwrap_or(1)) - 100.0;
    let x: Vec<Complex<f64>> = (0..n).map(|k| Complex::new(byte(2 * k), byte(2 * k + 1))).collect();
    let direction = if way % 2 == 0 { Direction::Forward } else { Direction::Inverse };
    let mut y = vec![Complex::ZERO; n];
    fft(&plan, direction, &x, &mut y, &mut work).unwrap();
    let mut z = x.clone();
    fft_in_place(&plan, direction, &mut z, &mut work).unwrap();
    assert!(y == z, "{n} in place");
    let want = dft(Complex::parts(&x), way % 2 == 1);
    let scale = if way % 2 == 1 { n as f64 } else { 1.0 };
    let mass = (n as f64 * x.iter().map(|z| z.norm_sqr()).sum::<f64>()).sqrt() / scale;
    for (y, want) in Complex::parts(&y).iter().zip(want) {
        let bound = allowed::<f64>("fft", &Want { value: want, mass, n });
        assert!((y - want).abs() <= bound, "{n}: {y}, not {want}");
    }
}

/// Filters of Q15 in blocks of `block` results: sums by the definition, in 128 bits.
fn filters(taps: usize, decimation: usize, block: usize, bytes: &[u8]) {
    let numbers: Vec<i16> = bytes.as_chunks::<2>().0.iter().map(|b| i16::from_le_bytes(*b)).collect();
    let (h, rest) = numbers.split_at(taps.min(numbers.len()));
    let x = &rest[..rest.len() - rest.len() % decimation.max(1)];
    let end = |sum: i128, shift: u32| (sum >> shift).clamp(-32768, 32767) as i16;
    let (mut state, mut y) = (vec![0; h.len().saturating_sub(1)], vec![7; x.len() / decimation.max(1)]);
    if h.is_empty() || decimation == 0 {
        assert!(fixed_fir(h, decimation, &mut state, x, &mut y).is_err());
        return;
    }
    for (x, y) in x.chunks(block * decimation).zip(y.chunks_mut(block)) {
        fixed_fir(h, decimation, &mut state, x, y).unwrap();
    }
    for (l, y) in y.iter().enumerate() {
        let seen = x[..=l * decimation].iter().rev();
        let sum = h.iter().zip(seen).map(|(h, x)| i128::from(*h) * i128::from(*x)).sum();
        assert_eq!(*y, end(sum, 15), "{taps} {decimation} {block}: {l}");
    }
    let sections: Vec<_> =
        h.as_chunks::<5>().0.iter().map(|[b, c, d, e, f]| Biquad { b: [*b, *c, *d], a: [*e, *f] }).collect();
    let (shift, mut state, mut y) = (decimation as u32 % 16, vec![0; 4 * sections.len()], vec![7; x.len()]);
    for (x, y) in x.chunks(block).zip(y.chunks_mut(block)) {
        fixed_biquad(&sections, shift, &mut state, x, y).unwrap();
    }
    let mut want = x.to_vec();
    for Biquad { b, a } in &sections {
        let mut kept = [0i16; 4];
        for x in &mut want {
            let six = [*x, kept[0], kept[1], kept[2], kept[3]].map(i128::from);
            let c = [b[0], b[1], b[2], a[0], a[1]].map(i128::from);
            let sum = c[0] * six[0] + c[1] * six[1] + c[2] * six[2] - c[3] * six[3] - c[4] * six[4];
            let y = end(sum, 15 - shift);
            kept = [*x, kept[0], y, kept[2]];
            *x = y;
        }
    }
    assert_eq!(y, want, "{} sections, {block}", sections.len());
}

/// An expression that is read has axes for shapes, and what it says is what loops over all indices come to.
fn contract(expression: Result<Einsum, Error>, text: &str, sizes: &[u8]) {
    let Ok(expression) = expression else { return };
    let terms = text.split("->").next().unwrap_or_default().split(',');
    let mut sizes = sizes.iter().chain(std::iter::repeat(&2)).map(|n| usize::from(n % 4));
    // Letters have sizes of their own, so that most shapes fit.
    let mut letters = [None; 128];
    let mut size = |c: char| *letters[c as usize % 128].get_or_insert_with(|| sizes.next().unwrap_or(1));
    let shapes: Vec<Vec<usize>> =
        terms.map(|term| term.chars().filter(|c| *c != ' ').map(&mut size).collect()).collect();
    let list: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
    let Ok(plan) = EinsumPlan::new(&expression, &list) else { return };
    let all = letters.iter().flatten().fold(1usize, |n, size| n.saturating_mul((*size).max(1)));
    // An axis that is there often makes an operand long whose loop is short.
    let longest = shapes.iter().map(|s| s.iter().fold(1usize, |n, size| n.saturating_mul(*size))).max();
    if all > 1 << 14 || plan.workspace() > 1 << 22 || longest > Some(1 << 22) {
        return;
    }
    let mut noise = Noise(all as u64);
    let x: Vec<Vec<f64>> = shapes.iter().map(|s| noise.slice(s.iter().product(), 2.0)).collect();
    let operands: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
    let (mut y, mut work) = (vec![f64::NAN; plan.len()], vec![f64::NAN; plan.workspace()]);
    einsum(&plan, &operands, &mut y, &mut work).unwrap();
    let want = contraction(text, &shapes, &x);
    assert_eq!(y.len(), want.len(), "{text}");
    for (y, want) in y.iter().zip(&want) {
        assert!((y - want.value).abs() <= allowed::<f64>("einsum", want), "{text} {shapes:?}: {y}");
    }
}

/// Whether a number is there twice.
fn twice(mut list: Vec<usize>) -> bool {
    list.sort_unstable();
    list.windows(2).any(|pair| pair[0] == pair[1])
}

/// What has a name is the expression that letters say; axes that are none, or there twice, are refused.
fn name(which: usize, [m, n]: [usize; 2], bytes: &[u8]) {
    let (list, sizes) = bytes.split_at(bytes.len().min(which / 8 % 8));
    let axes: Vec<usize> = list.iter().map(|a| usize::from(a % 8)).collect();
    let letters = |from: u8, n: usize| (0..n as u8).map(|k| char::from(from + k)).collect::<Vec<_>>();
    let text = |terms: &[&[char]], out: &[char]| {
        let terms: Vec<String> = terms.iter().map(|term| term.iter().collect()).collect();
        format!("{}->{}", terms.join(","), out.iter().collect::<String>())
    };
    let (a, mut b) = (letters(b'a', m), letters(b'A', n));
    let (named, fits, text) = match which % 5 {
        0 => {
            let a = letters(b'a', axes.len());
            let fits = axes.iter().all(|k| *k < a.len()) && !twice(axes.clone());
            let out: Vec<char> = axes.iter().filter_map(|k| a.get(*k).copied()).collect();
            (Einsum::permute(&axes), fits, text(&[&a], &out))
        }
        1 => {
            let pair = [which / 8 % 8, n];
            let fits = pair.iter().all(|k| *k < m) && pair[0] != pair[1];
            let mut term = a.clone();
            if fits {
                term[pair[1]] = term[pair[0]];
            }
            let out: Vec<char> = (0..m).filter(|k| !pair.contains(k)).map(|k| a[k]).collect();
            (Einsum::trace(m, pair), fits, text(&[&term], &out))
        }
        2 => {
            let pairs: Vec<[usize; 2]> = axes.as_chunks::<2>().0.to_vec();
            let of = |side: usize| pairs.iter().map(|pair| pair[side]).collect::<Vec<_>>();
            let below = pairs.iter().all(|[j, k]| *j < m && *k < n);
            let fits = below && !twice(of(0)) && !twice(of(1));
            let mut out: Vec<char> = (0..m).filter(|k| !of(0).contains(k)).map(|k| a[k]).collect();
            out.extend((0..n).filter(|k| !of(1).contains(k)).map(|k| b[k]));
            pairs.iter().filter(|_| fits).for_each(|[j, k]| b[*k] = a[*j]);
            (Einsum::tensordot([m, n], &pairs), fits, text(&[&a, &b], &out))
        }
        3 => (Einsum::outer([m, n]), true, text(&[&a, &b], &[a.clone(), b.clone()].concat())),
        _ => {
            // Rows, sum and columns are x, y and z; the axes before them are met from the last one on.
            let before = |rank: usize| letters(b'a', rank.saturating_sub(2)).into_iter().rev();
            let rows = (m > 1).then_some('x');
            let cols = (n > 1).then_some('z');
            let first: Vec<char> = before(m).chain(rows).chain(['y']).collect();
            let second: Vec<char> = before(n).chain(['y']).chain(cols).collect();
            let out: Vec<char> = before(m.max(n)).chain(rows).chain(cols).collect();
            (Einsum::matmul([m, n]), m > 0 && n > 0, text(&[&first, &second], &out))
        }
    };
    assert_eq!(named.is_ok(), fits, "{which} {m} {n} {axes:?}");
    contract(named, &text, sizes);
}

/// A tensor of few elements, its shape from the first bytes: each one a number of its own, so that a wrong place shows.
fn tensor<'a>(axes: usize, bytes: &'a [u8]) -> (Vec<usize>, Vec<f32>, &'a [u8]) {
    let (shape, rest) = bytes.split_at(bytes.len().min(axes));
    let shape: Vec<usize> = shape.iter().map(|n| usize::from(n % 6)).collect();
    let x = (0..shape.iter().product::<usize>()).map(|k| k as f32).collect();
    (shape, x, rest)
}

/// Every index of these sizes, the last one fastest.
fn indices(sizes: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    (0..sizes.iter().product()).map(move |mut i| {
        let mut at = vec![0; sizes.len()];
        for (at, n) in at.iter_mut().zip(sizes).rev() {
            (*at, i) = (i % n, i / n);
        }
        at
    })
}

/// The element of `x` at an index.
fn at(x: &[f32], shape: &[usize], index: impl Iterator<Item = usize>) -> f32 {
    x[shape.iter().zip(index).fold(0, |at, (n, i)| at * n + i)]
}

/// Padding that the axes have elements for shows the place that its kind says.
fn padded(axes: usize, with: usize, bytes: &[u8]) {
    let (shape, x, rest) = tensor(axes % 5, bytes);
    let mut by = rest.iter().map(|n| usize::from(n % 8));
    let padding: Vec<[usize; 2]> =
        shape.iter().map(|_| [by.next().unwrap_or(1), by.next().unwrap_or(0)]).collect();
    let all: Vec<usize> = shape.iter().zip(&padding).map(|(n, [before, after])| n + before + after).collect();
    let len = all.iter().product::<usize>();
    // Now and then one element more or less than there is room for.
    let got = if with / 4 % 8 == 1 { len ^ 1 } else { len };
    if len > 1 << 12 {
        return;
    }
    let mut out = vec![-1.0f32; got];
    let kind = [Pad::Constant(-7.0), Pad::Edge, Pad::Reflect, Pad::Wrap][with % 4];
    let fits = shape.iter().zip(&padding).all(|(n, by)| {
        by.iter().all(|by| match with % 4 {
            0 => true,
            1 => *by == 0 || *n > 0,
            2 => *by == 0 || by < n,
            _ => by <= n,
        })
    });
    let done = fulmen::pad(&x, &shape, &padding, kind, &mut out);
    assert_eq!(done.is_ok(), fits && got == len, "{shape:?} {padding:?} {kind:?}: {done:?}");
    if done.is_err() {
        return assert!(out.iter().all(|y| *y == -1.0), "{shape:?} {padding:?} {kind:?}: written");
    }
    for (y, index) in out.iter().zip(indices(&all)) {
        let from: Vec<isize> =
            index.iter().zip(&padding).map(|(i, by)| *i as isize - by[0] as isize).collect();
        let inside = from.iter().zip(&shape).all(|(i, n)| (0..*n as isize).contains(i));
        let place = |(i, n): (&isize, &usize)| {
            let (i, n) = (*i, *n as isize);
            // Where an axis has one element, a mirror has nothing to show, and nothing is asked of it.
            (match with % 4 {
                1 => i.clamp(0, n - 1),
                2 if i < 0 => -i,
                2 if i >= n => 2 * n - 2 - i,
                3 => i.rem_euclid(n),
                _ => i,
            }) as usize
        };
        let want =
            if inside || with % 4 > 0 { at(&x, &shape, from.iter().zip(&shape).map(place)) } else { -7.0 };
        assert!(*y == want, "{shape:?} {padding:?} {kind:?} at {index:?}: {y}, not {want}");
    }
}

/// Indices below the axis choose its elements; others are refused before anything is written.
fn gathered(axes: usize, axis: usize, bytes: &[u8]) {
    let (shape, x, ids) = tensor(axes % 5, bytes);
    let axis = axis % 6;
    // Most are below the axis.
    let n = shape.get(axis).copied().unwrap_or(1);
    let ids: Vec<u32> = ids
        .iter()
        .take(40)
        .map(|id| if *id >= 250 { u32::from(*id) } else { u32::from(*id) % n.max(1) as u32 })
        .collect();
    let mut all = shape.clone();
    if let Some(n) = all.get_mut(axis) {
        *n = ids.len();
    }
    let mut out = vec![-1.0f32; all.iter().product()];
    let fits = axis < shape.len() && ids.iter().all(|id| (*id as usize) < n);
    let done = fulmen::gather(&x, &shape, axis, &ids, &mut out);
    assert_eq!(done.is_ok(), fits, "{shape:?} {axis} {ids:?}: {done:?}");
    if done.is_err() {
        return assert!(out.iter().all(|y| *y == -1.0), "{shape:?} {axis} {ids:?}: written");
    }
    for (y, index) in out.iter().zip(indices(&all)) {
        let from = index.iter().enumerate().map(|(k, i)| if k == axis { ids[*i] as usize } else { *i });
        assert!(*y == at(&x, &shape, from), "{shape:?} {axis} {ids:?} at {index:?}: {y}");
    }
}
