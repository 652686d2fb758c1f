//! Contractions, and what they should be: loops over all indices.

use super::*;
use fulmen::{Einsum, EinsumPlan};

#[macro_export]
macro_rules! for_each_contraction {
    ($cb:ident) => {
        $cb! {
            einsum $crate::nn::contractions::Contraction, threads;
        }
    };
}

/// The operands' letters and those of the result, by NumPy's rules: an axis of an ellipsis, by its place from the last one, is one of
/// the letters from `À` on.
pub fn terms(expression: &str, shapes: &[Vec<usize>]) -> (Vec<Vec<char>>, Vec<char>) {
    let (operands, out) = expression.split_once("->").map_or((expression, None), |(a, b)| (a, Some(b)));
    let own = |term: &str| term.chars().filter(|c| !" .".contains(*c)).count();
    let covered = |(term, shape): (&str, &Vec<usize>)| shape.len() - own(term).min(shape.len());
    let dotted = |term: &str| term.contains("...");
    let most = operands.split(',').zip(shapes).filter(|pair| dotted(pair.0)).map(covered).max().unwrap_or(0);
    let spread =
        |n: usize| -> String { (0..n as u32).rev().filter_map(|k| char::from_u32(0xc0 + k)).collect() };
    let letters = |term: String| term.chars().filter(|c| *c != ' ').collect::<Vec<_>>();
    let of = |pair: (&str, &Vec<usize>)| letters(pair.0.replace("...", &spread(covered(pair))));
    let all: Vec<_> = operands.split(',').zip(shapes).map(of).collect();
    let out = out.map_or_else(
        || {
            let mut once: Vec<char> = all.concat();
            once.sort_unstable();
            let single = |c: &char| c.is_ascii() && once.iter().filter(|d| *d == c).count() == 1;
            letters(spread(most)).into_iter().chain(once.iter().copied().filter(single)).collect()
        },
        |out| letters(out.replace("...", &spread(most))),
    );
    (all, out)
}

/// Every value of indices of these sizes, the last one fastest.
fn values(sizes: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    (0..sizes.iter().product()).map(move |mut i| {
        let mut at = vec![0; sizes.len()];
        for (at, n) in at.iter_mut().zip(sizes).rev() {
            (*at, i) = (i % n, i / n);
        }
        at
    })
}

/// The definition.
pub fn contraction(expression: &str, shapes: &[Vec<usize>], x: &[Vec<f64>]) -> Vec<Want> {
    let (operands, out) = terms(expression, shapes);
    let mut letters = out.clone();
    operands.concat().iter().for_each(|c| letters.extend((!letters.contains(c)).then_some(*c)));
    let size = |c: char| {
        let axes = operands.iter().zip(shapes).flat_map(|(term, shape)| term.iter().zip(shape));
        axes.filter(|(d, _)| **d == c).map(|(_, n)| *n).find(|n| *n != 1).unwrap_or(1)
    };
    let sizes: Vec<usize> = letters.iter().map(|c| size(*c)).collect();
    let (kept, summed) = sizes.split_at(out.len());
    let terms = summed.iter().product::<usize>();
    // How far one step of each letter goes in each operand; an axis of one element is repeated.
    let step = |c: &char, (term, shape): (&Vec<char>, &Vec<usize>)| {
        let place = |axis: usize| shape[axis + 1..].iter().product::<usize>();
        let axes = (0..term.len()).filter(|axis| term[*axis] == *c && shape[*axis] != 1);
        axes.map(place).sum::<usize>()
    };
    let steps: Vec<Vec<usize>> =
        letters.iter().map(|c| operands.iter().zip(shapes).map(|o| step(c, o)).collect()).collect();
    // Plain loops, which take a tenth of the time where nothing is optimised.
    let one = |fixed: &[usize]| {
        let (mut value, mut mass) = (0.0, 0.0);
        let mut at = vec![0; x.len()];
        for (i, steps) in fixed.iter().zip(&steps) {
            at.iter_mut().zip(steps).for_each(|(at, step)| *at += i * step);
        }
        let mut free = vec![0; summed.len()];
        for _ in 0..terms {
            let mut product = 1.0;
            let mut k = 0;
            while k < x.len() {
                product *= x[k][at[k]];
                k += 1;
            }
            value += product;
            mass += f64::abs(product);
            // The last index goes first.
            let mut j = summed.len();
            while j > 0 {
                j -= 1;
                free[j] += 1;
                let steps = &steps[kept.len() + j];
                let turn = free[j] == summed[j];
                let mut k = 0;
                while k < x.len() {
                    at[k] = if turn { at[k] - (summed[j] - 1) * steps[k] } else { at[k] + steps[k] };
                    k += 1;
                }
                if !turn {
                    break;
                }
                free[j] = 0;
            }
        }
        Want { value, mass, n: terms * x.len() }
    };
    values(kept).map(|fixed| one(&fixed)).collect()
}

/// Axes of an operand here.
const AXES: usize = 4;

/// The expression among the options. Nothing here allocates, as the calls of the op may not.
fn expression<T: Element>(a: &Args<T>) -> &str {
    let is = |name: &&str| name.contains([',', '>']) || *name == "ii";
    a.n.iter().map(|n| n.0.as_str()).find(is).unwrap()
}

/// Operands, axes of each, and the shapes by the sizes of the letters.
fn shapes<T: Element>(a: &Args<T>) -> (usize, [usize; 3], [[usize; AXES]; 3]) {
    let (mut ranks, mut shapes, mut n) = ([0; 3], [[1; AXES]; 3], 0);
    for term in expression(a).split("->").next().unwrap().split(',') {
        // An ellipsis is one axis here.
        let dots = term.find("...").map(|at| at..at + 2);
        for (_, c) in term.bytes().enumerate().filter(|(k, _)| dots.as_ref().is_none_or(|d| !d.contains(k))) {
            let letter = [c];
            let c = if c == b'.' { "dots" } else { std::str::from_utf8(&letter).unwrap_or_default() };
            shapes[n][ranks[n].min(AXES - 1)] = a.get(c).unwrap_or(1);
            ranks[n] = (ranks[n] + 1).min(AXES);
        }
        n += 1;
    }
    if let Some(size) = a.get("second") {
        shapes[1][0] = size;
    }
    (n, ranks, shapes)
}

pub fn plan<T: Element>(a: &Args<T>) -> Result<EinsumPlan, Error> {
    let (n, ranks, shapes) = shapes(a);
    let list: [&[usize]; 3] = std::array::from_fn(|i| &shapes[i][..ranks[i]]);
    EinsumPlan::new(&Einsum::parse(expression(a))?, &list[..n])
}

fn operands<T: Element>(a: &Args<T>) -> [&[T]; 3] {
    std::array::from_fn(|i| a.x.get(i).map_or(&[][..], Vec::as_slice))
}

pub struct Contraction;
impl Op for Contraction {
    const NAME: &'static str = "einsum";
    fn unread<T: Element>(a: &Args<T>, input: usize, at: usize) -> bool {
        // Beside the diagonal of `iij`.
        let (_, _, [[i, _, j, _], ..]) = shapes(a);
        expression(a).starts_with("iij") && input == 0 && at / j / i != at / j % i
    }
    fn sample<T: Element>(rows: usize, cols: usize, r: &mut Noise) -> Args<T> {
        let list = [
            ("bij,bjk->bik", vec![("b", rows), ("i", 3), ("j", cols), ("k", 5)]),
            ("ij,jk,kl->il", vec![("i", rows), ("j", cols), ("k", 5), ("l", 3)]),
            ("ij,ij->i", vec![("i", rows), ("j", cols)]),
            ("ijk->kj", vec![("i", rows), ("j", 3), ("k", cols)]),
            ("i,j->ij", vec![("i", rows), ("j", cols)]),
            ("iij,j->ji", vec![("i", rows), ("j", cols)]),
            ("...ij,jk...->k...i", vec![("dots", rows), ("i", 3), ("j", cols), ("k", 5)]),
        ];
        let (expression, mut n) = list[(rows + cols) % list.len()].clone();
        n.push((expression, 1));
        let mut a = Args::new::<Self>(vec![], vec![], &n);
        let (operands, _, shapes) = shapes(&a);
        a.x = shapes[..operands].iter().map(|shape| r.slice(shape.iter().product(), 2.0)).collect();
        a
    }
    fn before<T: Element>(a: &Args<T>) -> Vec<Vec<T>> {
        vec![stale(plan(a).map_or(4, |plan| plan.len()))]
    }
    fn workspace<T: Element>(a: &Args<T>) -> usize {
        plan(a).map_or(0, |plan| plan.workspace())
    }
    called! {
        |s, a, [out], workspace| plan(a).and_then(|p| fulmen::einsum_on(s, &p, &operands(a)[..shapes(a).0], out, workspace)),
        parallel plan(a).and_then(|p| fulmen::parallel::einsum_on(s, &p, &operands(a)[..shapes(a).0], out, workspace))
    }
    fn want(a: &Args<f64>) -> Vec<Vec<Want>> {
        let (n, ranks, shapes) = shapes(a);
        let list: Vec<Vec<usize>> = (0..n).map(|i| shapes[i][..ranks[i]].to_vec()).collect();
        vec![contraction(expression(a), &list, &a.x[..n])]
    }
}
