//! Contractions as transformers and tensor networks have them, plans made ahead, contenders interleaved.

use fulmen::{Einsum, EinsumPlan, Element, MatMut, MatRef, einsum, gemm, gemm_workspace};
use fulmen_harness::race::{Case, Contender, Kind, Race};
use ndarray::{ArrayD, IxDyn, LinalgScalar};
use ndarray_einsum::{ArrayLike, OptimizationMethod, einsum_path};

/// An expression, with a space for each comma as these stand in tables; the sizes of its indices; whether it is a product of
/// matrices of the first two operands as they lie, for each value of the indices that come first.
const CASES: [(&str, &str, Option<usize>); 24] = [
    ("ij jk->ik", "i16 j16 k16", Some(0)),
    ("ij jk->ik", "i64 j64 k64", Some(0)),
    ("ij jk->ik", "i256 j256 k256", Some(0)),
    ("ij jk->ik", "i1024 j1024 k1024", Some(0)),
    ("bij bjk->bik", "b64 i64 j64 k64", Some(1)),
    ("bij bjk->bik", "b512 i16 j16 k16", Some(1)),
    // Attention: scores and what they weigh, heads before and behind the rows.
    ("bhqd bhkd->bhqk", "b2 h8 q128 k128 d64", None),
    ("bhqk bhkd->bhqd", "b2 h8 q128 k128 d64", Some(2)),
    ("bqhd bkhd->bhqk", "b2 h8 q128 k128 d64", None),
    ("bhqk bkhd->bqhd", "b2 h8 q128 k128 d64", None),
    // Projections to heads and back.
    ("bsd dhe->bhse", "b2 s128 d512 h8 e64", None),
    ("bhse hed->bsd", "b2 s128 d512 h8 e64", None),
    ("bsd df->bsf", "b2 s128 d512 f2048", None),
    // Gradients of weights.
    ("bsd bsf->df", "b2 s128 d512 f512", None),
    // Tensor networks: a chain, a ring, states of matrices, a contraction of three indices out of order.
    ("ij jk kl lm->im", "i40 j400 k20 l300 m40", None),
    ("aib bjc ckd dla->ijkl", "a16 b16 c16 d16 i8 j8 k8 l8", None),
    ("ap pbq aix xjb->iqj", "a32 p32 b32 q32 i4 x8 j4", None),
    ("abcd dbce->ae", "a64 b16 c16 d16 e64", None),
    ("ijkl klmn->ijmn", "i16 j16 k16 l16 m16 n16", None),
    // A form of two vectors, sums and what is only moved.
    ("bi ijk bk->bj", "b64 i64 j64 k64", None),
    ("bi bi->b", "b1024 i1024", None),
    ("ijk->k", "i128 j128 k128", None),
    ("ijkl->ljki", "i32 j32 k32 l32", None),
    ("i j->ij", "i1000 j1000", None),
];

fn numbers<T: Element>(n: usize) -> Vec<T> {
    (0..n).map(|i| T::from_f64((i as f64 * 0.618_034).fract() - 0.5)).collect()
}

fn race<T: Element + LinalgScalar>(race: &mut Race, ty: &str, only: Option<&str>) {
    for (name, sizes, batch) in CASES {
        if only.is_some_and(|only| !name.starts_with(only)) {
            continue;
        }
        let size = |c: char| sizes.split(' ').find_map(|s| s.strip_prefix(c)?.parse::<usize>().ok());
        let shape =
            |term: &str| term.chars().map(|c| size(c).expect("every index has a size")).collect::<Vec<_>>();
        let (left, right) = name.split_once("->").expect("a result");
        let shapes: Vec<Vec<usize>> = left.split(' ').map(shape).collect();
        let text = name.replace(' ', ",");
        let lists: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
        let plan = EinsumPlan::new(&Einsum::parse(&text).unwrap(), &lists).unwrap();
        let x: Vec<Vec<T>> = shapes.iter().map(|s| numbers(s.iter().product())).collect();
        let operands: Vec<&[T]> = x.iter().map(Vec::as_slice).collect();
        let (mut y, mut room) = (vec![T::ZERO; plan.len()], vec![T::ZERO; plan.workspace()]);
        let theirs: Vec<ArrayD<T>> = shapes
            .iter()
            .zip(&x)
            .map(|(s, x)| ArrayD::from_shape_vec(IxDyn(s), x.clone()).unwrap())
            .collect();
        let views: Vec<&dyn ArrayLike<T>> = theirs.iter().map(|a| a as &dyn ArrayLike<T>).collect();
        let path = einsum_path(&text, &views, OptimizationMethod::Naive).unwrap();
        // The same numbers come out.
        einsum(&plan, &operands, &mut y, &mut room).unwrap();
        let most = y.iter().map(|y| y.to_f64().abs()).fold(1e-3, f64::max);
        for (y, want) in y.iter().zip(path.contract_operands(&views).iter()) {
            assert!((y.to_f64() - want.to_f64()).abs() < 1e-4 * most, "{name}: {y:?}, not {want:?}");
        }
        // Those of the loop over all indices for two operands, of what is read and written else.
        let all: usize = sizes.split(' ').map(|s| s[1..].parse::<usize>().unwrap()).product();
        let (work, unit) = match shapes.len() {
            2 if left.len() + right.len() > 6 => (2.0 * all as f64, "GFLOP/s"),
            _ => {
                let moved = x.iter().map(Vec::len).sum::<usize>() + y.len();
                ((moved * size_of::<T>()) as f64, "GB/s")
            }
        };
        let mut by_hand = y.clone();
        let mut list = vec![
            Contender::ours(|| einsum(&plan, &operands, &mut y, &mut room).unwrap()),
            Contender::peer("ndarray-einsum", || {
                std::hint::black_box(path.contract_operands(&views));
            }),
        ];
        let mut scratch = Vec::new();
        if let Some(batch) = batch {
            let [m, k] = [shapes[0][batch], shapes[0][batch + 1]];
            let n = shapes[1][batch + 1];
            scratch.resize(gemm_workspace(m, n, k), T::ZERO);
            let (a, b, c) = (operands[0], operands[1], &mut by_hand);
            list.push(Contender::new(Kind::Roof, "gemm", move || {
                let each = a.chunks(m * k).zip(b.chunks(k * n)).zip(c.chunks_mut(m * n));
                for ((a, b), c) in each {
                    let (a, b) = (MatRef::row_major(a, m, k).unwrap(), MatRef::row_major(b, k, n).unwrap());
                    gemm(T::ONE, a, b, T::ZERO, MatMut::row_major(c, m, n).unwrap(), &mut scratch).unwrap();
                }
            }));
        }
        race.case(&Case { op: name, ty, size: sizes.into(), work, unit }, list);
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |key: &str| args.iter().find_map(|a| a.strip_prefix(key));
    println!("lanes {:?}", fulmen::NATIVE);
    let mut table = Race::new(&args);
    let ty = |t: &str| value("--type=").is_none_or(|ty| ty == t);
    if ty("f32") {
        race::<f32>(&mut table, "f32", value("--only="));
    }
    if ty("f64") {
        race::<f64>(&mut table, "f64", value("--only="));
    }
    if let Some(path) = value("--csv=").map(std::path::Path::new) {
        table.finish(path, "speed of fulmen over the best peer (right of 1 is faster)").unwrap();
    }
}
