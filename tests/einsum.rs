//! Contractions: any expression against loops over all indices, what is wrong with one, and the order of pairs.

use common::lanes::*;
use common::nn::contractions::{contraction, terms};
use common::nn::{Bounds, Noise};
use common::seed::Seed;
use fulmen::contract::agrees;
use fulmen::lanes::{Portable, Simd, native};
use fulmen::*;

const PARSED: Einsum = match Einsum::parse("bhqd,bhkd->bhqk") {
    Ok(e) => e,
    Err(_) => panic!(),
};

#[test]
fn mistakes_are_pointed_at() {
    let many = "a,".repeat(16) + "a";
    let indices: String = (b'A'..=b'Z').chain(b'a'..=b'z').take(33).map(char::from).collect();
    let axes = "a".repeat(33);
    for (expression, at, why) in [
        ("i1,j->i", 1, "neither"),
        ("i,ĵ->i", 2, "neither"),
        ("i-j", 1, "neither"),
        ("ij-", 2, "neither"),
        ("ij,jk->iq", 8, "no operand has"),
        ("ij , jk -> i q", 13, "no operand has"),
        ("ij,jk->iki", 9, "has already"),
        ("i,j->i,j", 6, "a comma behind the arrow"),
        ("ij->ji->ij", 6, "a second arrow"),
        ("ij,..->i", 3, "no part of an ellipsis"),
        ("ij.", 2, "no part of an ellipsis"),
        ("ij, ... k...->i", 9, "a second ellipsis"),
        ("...i->...i...", 10, "a second ellipsis"),
        ("->i", 2, "no operand has"),
        (&many, 31, "more than 16 operands"),
        (&indices, 32, "more than 32 indices"),
        (&axes, 32, "more than 32 axes"),
    ] {
        match Einsum::parse(expression) {
            Err(Error::Expression { arg: "expression", at: found, why: text, .. }) => {
                assert!(found == at && text.contains(why), "{expression}: {found} {text}");
            }
            other => panic!("{expression}: {other:?}"),
        }
    }
    assert_eq!(Einsum::parse("b h q d, b h k d -> b h q k").unwrap().operands(), PARSED.operands());
    let long = " ".repeat(65_536) + "i";
    assert!(matches!(Einsum::parse(&long), Err(Error::Expression { at: 65_536, .. })));
    assert!(Einsum::parse(&long[1..]).is_ok());
}

#[test]
fn shapes_that_do_not_fit_are_pointed_at() {
    let plan = |expression: &str, shapes: &[&[usize]]| {
        EinsumPlan::new(&Einsum::parse(expression).unwrap(), shapes).map(|p| (p.len(), p.workspace()))
    };
    let misfit = |at: usize, why: &'static &'static str| Err(Error::expression("shapes", at, why));
    let (sizes, axes) = (&"an index of two sizes", &"an operand of another number of axes");
    assert_eq!(plan("ij,jk->ik", &[&[2, 3], &[4, 5]]), misfit(3, sizes));
    assert_eq!(plan("ij, jk->ik", &[&[2, 3], &[4, 5]]), misfit(4, sizes));
    assert_eq!(plan("ii->i", &[&[2, 3]]), misfit(1, sizes));
    assert_eq!(plan("ij,jk->ik", &[&[2, 0], &[4, 5]]), misfit(3, sizes));
    assert_eq!(plan("ij,jk->ik", &[&[2, 3], &[3]]), misfit(2, axes));
    assert_eq!(plan("ij,jk->ik", &[&[], &[3, 4]]), misfit(0, axes));
    assert_eq!(plan("ij,->i", &[&[2, 3], &[1]]), misfit(2, axes));
    // The axes of an ellipsis are matched from the last one on.
    let (many, lost) = (&"an ellipsis of too many axes", &"an ellipsis whose axes the result has not");
    assert_eq!(plan("...ij,...jk->...ik", &[&[7, 1, 2, 3], &[5, 3, 4]]).map(|p| p.0), Ok(7 * 5 * 2 * 4));
    assert_eq!(plan("i...,...", &[&[2, 3], &[3]]).map(|p| p.0), Ok(3 * 2));
    assert_eq!(plan("...i->i", &[&[3]]).map(|p| p.0), Ok(3));
    assert_eq!(plan("i->...i", &[&[3]]).map(|p| p.0), Ok(3));
    assert_eq!(plan("ij, i...j->i", &[&[2, 3], &[2, 5, 3]]), misfit(5, lost));
    assert_eq!(plan("...ij,...jk->...ik", &[&[4, 2, 3], &[5, 3, 4]]), misfit(6, sizes));
    assert_eq!(plan("...ij->...", &[&[4]]), misfit(0, axes));
    assert_eq!(plan("...i->...", &[&[1; 33]]), misfit(0, many));
    assert_eq!(plan("...i->...", &[&[1; 32]]).map(|p| p.0), Ok(1));
    assert_eq!(plan("ij,jk->ik", &[&[2, 3]]), Err(Error::len("shapes", 2, 1)));
    assert_eq!(plan(PARSED_TEXT, &[&[2, 3, 4, 5], &[2, 3, 6, 5]]).map(|p| p.0), Ok(2 * 3 * 4 * 6));
    // One element stands for any size, also where another operand has none.
    assert_eq!(plan("ij,jk->ik", &[&[2, 1], &[4, 5]]).map(|p| p.0), Ok(10));
    assert_eq!(plan("ij,jk->jk", &[&[2, 1], &[0, 5]]), Ok((0, 0)));
    let large = 1 << (usize::BITS - 2);
    let overflow = Err(Error::overflow("shapes"));
    // An operand, the result, one on the way, all that is there at once.
    assert_eq!(plan("ij->i", &[&[large, 4]]), overflow);
    assert_eq!(plan("ij->i", &[&[usize::MAX, 1]]), overflow);
    assert_eq!(plan("i,j->ij", &[&[large], &[4]]), overflow);
    assert_eq!(plan("i,j,ij->", &[&[large], &[4], &[1, 4]]).map(|p| p.0), Ok(1));
    assert_eq!(plan("ai,bi,abi->", &[&[large, 2], &[4, 2], &[1, 1, 2]]), overflow);
    assert_eq!(plan("ij->i", &[&[0, usize::MAX]]).map(|p| p.0), Ok(0));
}

const PARSED_TEXT: &str = "bhqd,bhkd->bhqk";

/// Expressions with names say what their letters would.
#[test]
fn names_are_expressions() {
    let same = |named: Result<Einsum, Error>, text: &str, shapes: &[&[usize]]| {
        let run = |e: &Einsum| {
            let plan = EinsumPlan::new(e, shapes).unwrap();
            let mut r = Noise(5);
            let x: Vec<Vec<f64>> = shapes.iter().map(|n| r.slice(n.iter().product(), 1.0)).collect();
            let operands: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
            let mut out = vec![f64::NAN; plan.len()];
            einsum(&plan, &operands, &mut out, &mut vec![f64::NAN; plan.workspace()]).unwrap();
            out
        };
        assert_eq!(run(&named.unwrap()), run(&Einsum::parse(text).unwrap()), "{text}");
    };
    same(Einsum::permute(&[2, 0, 1]), "abc->cab", &[&[2, 3, 4]]);
    same(Einsum::permute(&[]), "->", &[&[]]);
    same(Einsum::trace(2, [1, 0]), "aa->", &[&[4, 4]]);
    same(Einsum::trace(4, [3, 1]), "abcb->ac", &[&[2, 3, 4, 3]]);
    same(Einsum::outer([2, 1]), "ab,c->abc", &[&[2, 3], &[4]]);
    same(Einsum::tensordot([3, 4], &[[2, 0], [0, 3]]), "abc,cdea->bde", &[&[2, 3, 4], &[4, 5, 3, 2]]);
    same(Einsum::tensordot([2, 2], &[[0, 0], [1, 1]]), "ab,ab->", &[&[2, 3], &[2, 3]]);
    same(Einsum::matmul([2, 2]), "ab,bc->ac", &[&[2, 3], &[3, 4]]);
    same(Einsum::matmul([1, 1]), "a,a->", &[&[3], &[3]]);
    same(Einsum::matmul([1, 3]), "b,xbc->xc", &[&[3], &[2, 3, 4]]);
    same(Einsum::matmul([4, 1]), "xyab,b->xya", &[&[2, 5, 4, 3], &[3]]);
    same(Einsum::matmul([4, 3]), "xyab,ybc->xyac", &[&[2, 5, 4, 3], &[5, 3, 2]]);
    same(Einsum::matmul([3, 4]), "yab,xybc->xyac", &[&[1, 4, 3], &[2, 5, 3, 2]]);
    let domain = |arg| Err(Error::domain(arg));
    assert_eq!(Einsum::permute(&[0, 0]), domain("axes"));
    assert_eq!(Einsum::permute(&[1]), domain("axes"));
    assert_eq!(Einsum::permute(&std::array::from_fn::<_, 33, _>(|k| k)), domain("axes"));
    assert!(Einsum::permute(&std::array::from_fn::<_, 32, _>(|k| 31 - k)).is_ok());
    assert_eq!(Einsum::trace(2, [0, 0]), domain("pair"));
    assert_eq!(Einsum::trace(2, [0, 2]), domain("pair"));
    assert_eq!(Einsum::trace(40, [0, 1]), domain("rank"));
    assert_eq!(Einsum::tensordot([2, 2], &[[2, 0]]), domain("pairs"));
    assert_eq!(Einsum::tensordot([2, 2], &[[0, 1], [1, 1]]), domain("pairs"));
    assert_eq!(Einsum::outer([20, 13]), domain("ranks"));
    assert_eq!(Einsum::outer([usize::MAX, 1]), domain("ranks"));
    assert_eq!(Einsum::matmul([0, 2]), domain("ranks"));
    assert_eq!(Einsum::matmul([40, 2]), domain("ranks"));
    let shapes = EinsumPlan::new(&Einsum::matmul([2, 2]).unwrap(), &[&[2, 3], &[4, 5]]).map(|p| p.len());
    assert!(matches!(shapes, Err(Error::Expression { arg: "shapes", at: 2, .. })), "{shapes:?}");
}

fn agree<S: Simd, T: Element>(s: S, expression: &str, shapes: &[Vec<usize>], r: &mut Noise) {
    let x: Vec<Vec<T>> = shapes.iter().map(|n| r.slice(n.iter().product(), 1.0)).collect();
    let wide: Vec<Vec<f64>> = x.iter().map(|x| x.iter().map(|x| x.to_f64()).collect()).collect();
    let want = contraction(expression, shapes, &wide);
    let list: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
    let plan = EinsumPlan::new(&Einsum::parse(expression).unwrap(), &list).unwrap();
    let at = format!("{expression} {shapes:?} {} on {}", T::NAME, S::NAME);
    assert_eq!(plan.len(), want.len(), "{at}");
    let operands: Vec<&[T]> = x.iter().map(Vec::as_slice).collect();
    let mut out = vec![T::from_f64(-77.0); want.len()];
    let mut workspace = vec![T::NAN; plan.workspace()];
    einsum_on(s, &plan, &operands, &mut out, &mut workspace).unwrap();
    let bounds = Bounds::of::<T>("einsum");
    let mut errors = common::Errors::of("einsum", T::NAME, S::NAME);
    for (i, (y, w)) in out.iter().zip(&want).enumerate() {
        let most = bounds.allowed::<T>(w);
        errors.see((y.to_f64() - w.value).abs(), most, w.n);
        assert!(agrees(*y, w.value, most), "{at}: {i} is {}, not {}", y.to_f64(), w.value);
    }
}

/// An expression of up to five operands over five letters of all, with ellipses now and then, and shapes with few elements.
fn any(r: &mut Noise) -> (String, Vec<Vec<usize>>) {
    let mut below = |n: usize| r.bits() as usize % n;
    // Now and then an index of no values.
    let most = 6 + usize::from(below(4) == 0);
    let mut alphabet: Vec<u8> = (b'A'..=b'Z').chain(b'a'..=b'z').collect();
    let chosen: Vec<u8> = (0..5).map(|_| alphabet.swap_remove(below(alphabet.len()))).collect();
    let letter = |i: usize| char::from(chosen[i]);
    // The last of them are those of an ellipsis, from its last axis on.
    let sizes: Vec<usize> = (0..7).map(|_| [1, 2, 3, 4, 5, 7, 0][below(most)]).collect();
    let dotted = below(3) == 0;
    let (mut expression, mut shapes, mut seen) = (String::new(), vec![], vec![]);
    for operand in 0..1 + below(5) {
        if operand > 0 {
            expression.push(',');
        }
        let letters: Vec<usize> = (0..below(5)).map(|_| below(5)).collect();
        let mut axes = letters.clone();
        let mut text: Vec<String> = letters.iter().map(|i| letter(*i).to_string()).collect();
        if dotted && below(3) > 0 {
            let (at, many) = (below(letters.len() + 1), below(3));
            text.insert(at, "...".into());
            axes.splice(at..at, (0..many).rev().map(|k| 5 + k));
        }
        expression.push_str(&text.concat());
        // Axes of one element stand for any size.
        shapes.push(axes.iter().map(|i| if below(8) == 0 { 1 } else { sizes[*i] }).collect());
        seen.extend(letters);
    }
    seen.sort_unstable();
    seen.dedup();
    if below(4) > 0 {
        let mut out = vec![];
        while !seen.is_empty() && below(4) > 0 {
            let i = seen.remove(below(seen.len()));
            out.push(letter(i).to_string());
        }
        if dotted {
            out.insert(below(out.len() + 1), "...".into());
        }
        expression = format!("{expression}->{}", out.concat());
    }
    (expression, shapes)
}

#[test]
fn any_expression() {
    let r = &mut Seed::new("any_expression").stream("einsum");
    for case in 0..600 {
        let (expression, shapes) = any(r);
        match case % 4 {
            0 => agree::<_, f32>(Portable::<1>::default(), &expression, &shapes, r),
            1 => agree::<_, f64>(Portable::<16>::default(), &expression, &shapes, r),
            2 => agree::<_, f64>(native(), &expression, &shapes, r),
            _ => agree::<_, f32>(native(), &expression, &shapes, r),
        }
    }
}

/// Of each kind, with sizes past registers and blocks.
#[test]
fn kinds() {
    let r = &mut Noise(31);
    let sizes = |shapes: &[&[usize]]| -> Vec<Vec<usize>> { shapes.iter().map(|s| s.to_vec()).collect() };
    for (expression, shapes) in [
        (PARSED_TEXT, sizes(&[&[2, 3, 17, 20], &[2, 3, 33, 20]])),
        ("bqhd,bkhd->bhqk", sizes(&[&[2, 9, 3, 20], &[2, 33, 3, 20]])),
        ("bhqk,bkhd->bqhd", sizes(&[&[2, 3, 9, 33], &[2, 33, 3, 20]])),
        // Groups that no stride takes together: of each operand, and of the result.
        ("abcd,bedf->acef", sizes(&[&[3, 4, 5, 6], &[4, 7, 6, 8]])),
        ("abc,bd->adc", sizes(&[&[3, 40, 5], &[40, 7]])),
        ("abcd,ced->aeb", sizes(&[&[3, 4, 19, 6], &[19, 7, 6]])),
        ("ab,cd->acbd", sizes(&[&[3, 40], &[5, 17]])),
        // Sums of one factor, and diagonals.
        ("abx,bc->ac", sizes(&[&[3, 40, 9], &[40, 17]])),
        ("xab,bcy->ac", sizes(&[&[9, 3, 40], &[40, 17, 2]])),
        ("aab,bcc->ca", sizes(&[&[9, 9, 40], &[40, 17, 17]])),
        // Rearranged: rows, squares, of each axis, and from a diagonal.
        ("abc->acb", sizes(&[&[3, 40, 35]])),
        ("abc->bca", sizes(&[&[20, 40, 35]])),
        ("abcd->acbd", sizes(&[&[3, 5, 20, 70]])),
        ("abcd->dcba", sizes(&[&[5, 6, 7, 18]])),
        ("aab->ba", sizes(&[&[19, 19, 35]])),
        // Summed: whole rows, along rows, both.
        ("abc->ac", sizes(&[&[3, 40, 35]])),
        ("abc->ab", sizes(&[&[3, 40, 350]])),
        ("abc->b", sizes(&[&[3, 40, 35]])),
        ("abc->", sizes(&[&[3, 40, 35]])),
        ("aa", sizes(&[&[300, 300]])),
        // Element by element, dots of rows and of columns.
        ("ab,ab->ab", sizes(&[&[9, 70], &[9, 70]])),
        ("ab,ba->ab", sizes(&[&[9, 70], &[70, 9]])),
        ("ab,ab->a", sizes(&[&[9, 700], &[9, 700]])),
        ("ab,ab->b", sizes(&[&[9, 70], &[9, 70]])),
        ("abc,bac->c", sizes(&[&[9, 4, 70], &[4, 9, 70]])),
        ("ab,a->ab", sizes(&[&[9, 70], &[9]])),
        (",ab->ba", sizes(&[&[], &[9, 70]])),
        // Intermediate results that are live together, in a tree and in a chain of more than is searched.
        ("ab,bc,cd,de->ae", sizes(&[&[9, 20], &[20, 7], &[7, 19], &[19, 8]])),
        ("ab,bc,xy,yz,cx->az", sizes(&[&[20, 20], &[20, 3], &[20, 20], &[20, 4], &[3, 20]])),
        ("ab,bc,cd,de,ef,fg,gh,hi->ai", vec![vec![3; 2]; 8]),
        ("ab,bc,cd,de,ef,fg,gh,hi,ij->aj", vec![vec![3; 2]; 9]),
        ("a,b,c,d,ab,cd,abcd,d,e,ae->", [1, 1, 1, 1, 2, 2, 4, 1, 1, 2].iter().map(|n| vec![3; *n]).collect()),
    ] {
        for_each_lane!(|s| {
            agree::<_, f32>(s, expression, &shapes, r);
            agree::<_, f64>(s, expression, &shapes, r);
        });
    }
}

/// Multiplications and elements of results of all pairs, by the letters that each needs.
fn cost(expression: &str, shapes: &[Vec<usize>], path: &[[usize; 2]]) -> f64 {
    let (operands, out) = terms(expression, shapes);
    let size = |c: &char| {
        let axes = operands.iter().zip(shapes).flat_map(|(term, shape)| term.iter().zip(shape));
        axes.filter(|(d, _)| *d == c).map(|(_, n)| *n as f64).fold(1.0, f64::max)
    };
    // An axis of one element is no factor's own.
    let own = |(term, shape): (&Vec<char>, &Vec<usize>)| -> Vec<char> {
        term.iter().zip(shape).filter(|(_, n)| **n != 1).map(|(c, _)| *c).collect()
    };
    let mut left: Vec<(usize, Vec<char>)> = operands.iter().zip(shapes).map(own).enumerate().collect();
    let mut all = 0.0;
    for (step, pair) in path.iter().enumerate() {
        let mut take = |i: usize| left.remove(left.iter().position(|node| node.0 == i).unwrap()).1;
        let mut both = [take(pair[0]), take(pair[1])];
        let needed = |c: &char, other: &[char]| {
            out.contains(c) || other.contains(c) || left.iter().any(|node| node.1.contains(c))
        };
        // What one alone has is summed over first.
        let [a, b] = both.clone();
        both[0].retain(|c| needed(c, &b));
        both[1].retain(|c| needed(c, &a));
        let mut union = both.concat();
        union.sort_unstable();
        union.dedup();
        all += union.iter().map(size).product::<f64>();
        union.retain(|c| needed(c, &[]));
        all += union.iter().map(size).product::<f64>();
        left.push((EINSUM_OPERANDS + step, union));
    }
    all
}

/// The least cost of all orders.
fn least(expression: &str, shapes: &[Vec<usize>], left: &[usize], path: &mut Vec<[usize; 2]>) -> f64 {
    if left.len() < 2 {
        return cost(expression, shapes, path);
    }
    let mut best = f64::INFINITY;
    for i in 0..left.len() {
        for j in 0..i {
            let mut rest: Vec<usize> = left.to_vec();
            rest.remove(i);
            rest.remove(j);
            rest.push(EINSUM_OPERANDS + path.len());
            path.push([left[i], left[j]]);
            best = best.min(least(expression, shapes, &rest, path));
            path.pop();
        }
    }
    best
}

#[test]
fn paths_are_optimal() {
    let r = &mut Noise(37);
    let mut gains = 0;
    for _ in 0..60 {
        let (mut expression, mut shapes) = any(r);
        while shapes.len() < 3 || shapes.iter().flatten().any(|n| *n == 0) {
            (expression, shapes) = any(r);
        }
        let list: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
        let plan = EinsumPlan::new(&Einsum::parse(&expression).unwrap(), &list).unwrap();
        let path: Vec<[usize; 2]> = plan.path().collect();
        let found = cost(&expression, &shapes, &path);
        let operands: Vec<usize> = (0..shapes.len()).collect();
        let best = least(&expression, &shapes, &operands, &mut vec![]);
        assert_eq!(found, best, "{expression} {shapes:?} {path:?}");
        let mut first = vec![[0, 1]];
        first.extend((2..shapes.len()).map(|i| [EINSUM_OPERANDS + i - 2, i]));
        gains += usize::from(cost(&expression, &shapes, &first) > best);
    }
    assert!(gains > 20, "{gains}");
}

/// A workspace of one element less is refused, and one that the plan states is enough whatever is in it.
#[test]
fn the_workspace_is_what_is_needed() {
    let shapes: [&[usize]; 3] = [&[9, 20], &[20, 7], &[7, 19]];
    let plan = EinsumPlan::new(&Einsum::parse("ab,bc,cd->da").unwrap(), &shapes).unwrap();
    let x: Vec<Vec<f32>> = shapes.iter().map(|n| vec![1.0; n.iter().product()]).collect();
    let operands: Vec<&[f32]> = x.iter().map(Vec::as_slice).collect();
    let (mut y, needed) = (vec![5.0; 9 * 19], plan.workspace());
    let short = einsum(&plan, &operands, &mut y, &mut vec![0.0; needed - 1]);
    assert_eq!(short, Err(Error::workspace(needed, needed - 1)));
    for (list, got) in [(&operands[..2], 2), (&[], 0)] {
        let error = einsum(&plan, list, &mut y, &mut vec![0.0; needed]);
        assert_eq!(error, Err(Error::len("operands", 3, got)));
    }
    let error = einsum(&plan, &[&x[0], &x[1], &x[2][1..]], &mut y, &mut vec![0.0; needed]);
    assert_eq!(error, Err(Error::len("operands", 133, 132)));
    assert!(y.iter().all(|y| *y == 5.0));
    einsum(&plan, &operands, &mut y, &mut vec![f32::NAN; needed]).unwrap();
    assert!(y.iter().all(|y| *y == 140.0));
}
