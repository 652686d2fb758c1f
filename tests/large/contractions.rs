//! Contractions whose products are large, and of more operands than are searched for the cheapest order.

use crate::nn::contractions::contraction;
use crate::nn::{Noise, allowed};
use crate::sizes::POOLS;
use fulmen::contract::agrees;
use fulmen::{Einsum, EinsumPlan, Element, einsum, parallel};

fn one<T: Element>(expression: &str, shapes: &[Vec<usize>]) {
    let r = &mut Noise(41);
    let x: Vec<Vec<T>> = shapes.iter().map(|n| r.slice(n.iter().product(), 1.0)).collect();
    let wide: Vec<Vec<f64>> = x.iter().map(|x| x.iter().map(|x| x.to_f64()).collect()).collect();
    let list: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
    let plan = EinsumPlan::new(&Einsum::parse(expression).unwrap(), &list).unwrap();
    let operands: Vec<&[T]> = x.iter().map(Vec::as_slice).collect();
    let mut y = vec![T::NAN; plan.len()];
    einsum(&plan, &operands, &mut y, &mut vec![T::NAN; plan.workspace()]).unwrap();
    for (i, (y, w)) in y.iter().zip(contraction(expression, shapes, &wide)).enumerate() {
        let most = allowed::<T>("einsum", &w);
        assert!(
            agrees(*y, w.value, most),
            "{expression} {}: {i} is {}, not {}",
            T::NAME,
            y.to_f64(),
            w.value
        );
    }
    for pool in POOLS.iter() {
        let mut z = vec![T::NAN; plan.len()];
        let mut workspace = vec![T::NAN; 4 * plan.workspace()];
        pool.install(|| parallel::einsum(&plan, &operands, &mut z, &mut workspace)).unwrap();
        assert!(y == z, "{expression} {} on threads", T::NAME);
    }
}

#[test]
fn large() {
    let chain =
        |n: usize| (0..n).map(|i| format!("{}{}", letter(i), letter(i + 1))).collect::<Vec<_>>().join(",");
    let ring = |n: usize| chain(n).replace(letter(n), "a") + "->";
    let mut list = vec![
        ("bhqd,bhkd->bhqk".to_string(), vec![vec![2, 2, 70, 64], vec![2, 2, 90, 64]]),
        ("bqhd,bkhd->bhqk".into(), vec![vec![2, 70, 2, 64], vec![2, 90, 2, 64]]),
        ("bhqk,bkhd->bqhd".into(), vec![vec![2, 2, 70, 90], vec![2, 90, 2, 64]]),
        ("ij,jk->ki".into(), vec![vec![130, 300], vec![300, 70]]),
        ("abcd,bedf->acef".into(), vec![vec![9, 12, 10, 11], vec![12, 13, 11, 14]]),
        ("ab,cd->acbd".into(), vec![vec![30, 40], vec![25, 27]]),
        ("xab,bcy->ac".into(), vec![vec![5, 60, 40], vec![40, 50, 3]]),
        ("abcd->dbca".into(), vec![vec![33, 17, 20, 70]]),
        ("abc->ac".into(), vec![vec![33, 170, 70]]),
        ("abc->b".into(), vec![vec![33, 170, 70]]),
        ("ab,ab->b".into(), vec![vec![900, 170]; 2]),
        ("aab->ba".into(), vec![vec![90, 90, 70]]),
    ];
    // One below what is searched, at, above.
    for n in [7, 8, 9] {
        list.push((ring(n), vec![vec![3; 2]; n]));
    }
    for (expression, shapes) in list {
        one::<f32>(&expression, &shapes);
        one::<f64>(&expression, &shapes);
    }
}

fn letter(i: usize) -> &'static str {
    &"abcdefghijkl"[i..=i]
}
