//! Sweeps by colours: the bits of one row after the other; colours that are proper, and what are none.

use super::*;

/// Symmetric patterns: nothing, a diagonal, a line, a square of points with five and with nine neighbours, a random one, and all with all.
fn patterns() -> Vec<(Vec<usize>, Vec<u32>)> {
    let of = |n: usize, has: &dyn Fn(usize, usize) -> bool| {
        let (mut offsets, mut columns) = (vec![0], vec![]);
        for i in 0..n {
            columns.extend((0..n).filter(|j| i == *j || has(i, *j)).map(|j| j as u32));
            offsets.push(columns.len());
        }
        (offsets, columns)
    };
    let apart =
        |i: usize, j: usize, side: usize| [(i / side).abs_diff(j / side), (i % side).abs_diff(j % side)];
    let (ends, random, _) = system(150, 12, true, &mut Noise(8));
    vec![
        of(0, &|_, _| false),
        of(9, &|_, _| false),
        of(40, &|i, j| i.abs_diff(j) == 1),
        of(289, &|i, j| apart(i, j, 17).iter().sum::<usize>() == 1),
        of(169, &|i, j| apart(i, j, 13).iter().all(|d| *d < 2)),
        (ends, random),
        of(131, &|_, _| true),
    ]
}

/// Values by which the diagonal outweighs its row.
fn valued<T: Element>((offsets, columns): &(Vec<usize>, Vec<u32>)) -> Vec<T> {
    let mut values = Noise(4).slice::<T>(columns.len(), 1.0);
    for (i, ends) in offsets.windows(2).enumerate() {
        let at = (ends[0]..ends[1]).find(|k| columns[*k] as usize == i).unwrap();
        values[at] = T::from_usize(ends[1] - ends[0]);
    }
    values
}

/// What [`Colors::greedy`] writes.
struct Colored {
    colors: Vec<u32>,
    order: Vec<u32>,
    offsets: Vec<usize>,
}

fn colored(a: Csr<'_, f64>) -> Colored {
    let n = a.rows();
    let (mut colors, mut order, mut offsets) = (vec![7; n], vec![7; n], vec![7; n + 3]);
    let found = Colors::greedy(a, &mut colors, &mut order, &mut offsets).unwrap();
    let many = found.len();
    // Proper, and the first that there is.
    for i in 0..n {
        let near = |j: &&u32| **j as usize != i;
        assert!(a.row(i).0.iter().filter(near).all(|j| colors[*j as usize] != colors[i]), "row {i}");
        let before =
            |color: u32| a.row(i).0.iter().any(|j| (*j as usize) < i && colors[*j as usize] == color);
        assert!((0..colors[i]).all(before), "row {i} has {}", colors[i]);
    }
    let rows = |c: usize| (0..n as u32).filter(|i| colors[*i as usize] as usize == c).collect::<Vec<_>>();
    (0..many).for_each(|c| assert!(found.rows(c) == rows(c) && !found.rows(c).is_empty()));
    assert!(found.rows(many).is_empty() && colors.iter().all(|c| (*c as usize) < many));
    assert!(offsets[many + 1..].iter().all(|x| *x == 7));
    offsets.truncate(many + 1);
    Colored { colors, order, offsets }
}

#[test]
fn one_result_of_colors() {
    fn check<T: Element>() {
        for all in patterns() {
            let (values, ones) = (valued::<T>(&all), vec![1.0; all.1.len()]);
            let n = all.0.len() - 1;
            let a = Csr::new(n, n, &all.0, &all.1, &values).unwrap();
            let of = colored(Csr::new(n, n, &all.0, &all.1, &ones).unwrap());
            let by = Colors::new(&of.colors, &of.order, &of.offsets).unwrap();
            let (b, start) = (Noise(2).slice::<T>(n, 2.0), Noise(3).slice::<T>(n, 2.0));
            for (order, omega) in [(Triangle::Lower, 1.0), (Triangle::Upper, 1.25)] {
                let omega = T::from_f64(omega);
                let mut want = start.clone();
                let (last, lower) = (by.len().max(1) - 1, order == Triangle::Lower);
                for i in (0..by.len()).flat_map(|c| by.rows(if lower { c } else { last - c })) {
                    let i = *i as usize;
                    let row = || a.row(i).0.iter().zip(a.row(i).1);
                    let left = row().fold(b[i], |left, (c, v)| left - *v * want[*c as usize]);
                    let pivot = *row().find(|(c, _)| **c as usize == i).unwrap().1;
                    want[i] = want[i] + omega * (left / pivot);
                }
                for_each_lane!(|s| {
                    let (mut x, mut room) = (start.clone(), vec![T::NAN; n]);
                    gauss_seidel_colored_on(s, order, omega, a, by, &b, &mut x, &mut room).unwrap();
                    assert!(x == want, "{} of {n}", name_of(s));
                });
            }
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn what_is_no_colors() {
    let new = |colors: &[u32], order: &[u32], offsets: &[usize]| {
        Colors::new(colors, order, offsets).map(|c| c.len())
    };
    assert_eq!(new(&[0, 1, 0], &[0, 2, 1], &[0, 2, 3]), Ok(2));
    assert_eq!(new(&[], &[], &[0]), Ok(0));
    let domain = Error::domain;
    for (colors, order, offsets, error) in [
        (&[0u32, 1, 0][..], &[0u32, 2][..], &[0usize, 2, 3][..], Error::len("order", 3, 2)),
        (&[0, 1, 0], &[0, 2, 1], &[], domain("offsets")),
        (&[0, 1, 0], &[0, 2, 1], &[1, 2, 3], domain("offsets")),
        (&[0, 1, 0], &[0, 2, 1], &[0, 4, 3], domain("offsets")),
        (&[0, 1, 0], &[0, 2, 1], &[0, 2], domain("offsets")),
        (&[0, 1, 0], &[0, 3, 1], &[0, 2, 3], Error::index("order", 3, 3)),
        (&[0, 1, 0], &[2, 0, 1], &[0, 2, 3], domain("order")),
        (&[0, 1, 0], &[0, 0, 1], &[0, 2, 3], domain("order")),
        (&[0, 1, 0], &[0, 1, 2], &[0, 2, 3], domain("order")),
        (&[0, 2, 0], &[0, 2, 1], &[0, 2, 3], domain("order")),
    ] {
        assert_eq!(new(colors, order, offsets), Err(error), "{colors:?} {order:?} {offsets:?}");
    }
    let values = [2.0f64; 4];
    let (ends, columns) = ([0, 2, 4], [0, 1, 0, 1]);
    let a = Csr::new(2, 2, &ends, &columns, &values).unwrap();
    let make = |a, n: usize, m: usize, p: usize| {
        let (mut colors, mut order, mut offsets) = (vec![7; n], vec![7; m], vec![7; p]);
        let done = Colors::greedy(a, &mut colors, &mut order, &mut offsets).map(drop);
        assert!(order.iter().all(|x| *x == 7) && offsets.iter().all(|x| *x == 7));
        (done, colors.iter().all(|x| *x == 7))
    };
    let len = |arg, expected, got| Err(Error::len(arg, expected, got));
    assert_eq!(make(a, 1, 2, 3), (len("colors", 2, 1), true));
    assert_eq!(make(a, 2, 3, 3), (len("order", 2, 3), true));
    assert_eq!(make(a, 2, 2, 2), (len("offsets", 3, 2), false));
    let above = Csr::new(2, 2, &[0, 2, 3], &[0, 1, 1], &values[..3]).unwrap();
    assert_eq!(make(above, 2, 2, 3), (Err(domain("a")), true));
    let wide = Csr::new(1, 2, &[0, 1], &[0], &values[..1]).unwrap();
    assert_eq!(make(wide, 1, 1, 3), (Err(Error::shape("a", [1, 1], [1, 2])), true));
    let sweep = |a: Csr<'_, f64>, colors: Colors<'_>, sizes: [usize; 3]| {
        let [b, x, room] = sizes;
        let (b, mut x, mut room) = (vec![1.0; b], vec![7.0; x], vec![0.0; room]);
        let done = gauss_seidel_colored(Triangle::Lower, 1.0, a, colors, &b, &mut x, &mut room);
        assert!(x.iter().all(|x| *x == 7.0));
        done
    };
    let two = Colors::new(&[0, 1], &[0, 1], &[0, 1, 2]).unwrap();
    let one = Colors::new(&[0], &[0], &[0, 1]).unwrap();
    assert_eq!(sweep(wide, one, [1, 1, 1]), Err(Error::shape("a", [1, 1], [1, 2])));
    assert_eq!(sweep(a, one, [2, 2, 2]), len("colors", 2, 1));
    assert_eq!(sweep(a, two, [1, 2, 2]), len("b", 2, 1));
    assert_eq!(sweep(a, two, [2, 3, 2]), len("x", 2, 3));
    assert_eq!(sweep(a, two, [2, 2, 1]), Err(Error::workspace(2, 1)));
    let zero = Csr::new(2, 2, &ends, &columns, &[2.0, 1.0, 1.0, 0.0]).unwrap();
    assert_eq!(sweep(zero, two, [2, 2, 2]), Err(Error::pivot("a", 1)));
}

/// Past what is worth a thread: the bits of the serial form, of few colours, of many, and of one.
#[cfg(feature = "parallel")]
#[test]
fn colors_on_threads() {
    let side = 200;
    let n = side * side;
    let (mut offsets, mut columns) = (vec![0], vec![]);
    for (i, j) in (0..n).map(|k| (k / side, k % side)) {
        let near = (i.max(1) - 1..=(i + 1).min(side - 1))
            .flat_map(|p| (j.max(1) - 1..=(j + 1).min(side - 1)).map(move |q| (p, q)));
        columns.extend(near.map(|(p, q)| (p * side + q) as u32));
        offsets.push(columns.len());
    }
    let all = (offsets, columns);
    let values = valued::<f64>(&all);
    let a = Csr::new(n, n, &all.0, &all.1, &values).unwrap();
    let (mut colors, mut order, mut ends) = (vec![0; n], vec![0; n], [0; 9]);
    let few = Colors::greedy(a, &mut colors, &mut order, &mut ends).unwrap();
    assert_eq!(few.len(), 4);
    let (same, rows): (Vec<u32>, Vec<u32>) = (vec![0; n], (0..n as u32).collect());
    let whole = [0, n];
    let one = Colors::new(&same, &rows, &whole).unwrap();
    let b = Noise(2).slice::<f64>(n, 2.0);
    for by in [few, one] {
        let mut want = Noise(3).slice::<f64>(n, 2.0);
        let (start, mut room) = (want.clone(), vec![f64::NAN; n]);
        gauss_seidel_colored(Triangle::Upper, 0.75, a, by, &b, &mut want, &mut room).unwrap();
        for threads in [1, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut x = start.clone();
            pool.install(|| {
                parallel::gauss_seidel_colored(Triangle::Upper, 0.75, a, by, &b, &mut x, &mut room)
            })
            .unwrap();
            assert!(x == want, "{threads} threads, {} colours", by.len());
        }
    }
}
