//! Sizes that are 0, that do not fit each other, and that no arithmetic holds, for every op: never a panic, nothing
//! written by a call that is refused, and its error names an argument that the function has.

use common::call;
use common::nn::{Args, Form, Noise, Routine, WORDS};
use fulmen::lanes::native;
use fulmen::{Element, Error};

/// As large as a stride can be.
pub const HUGE: usize = isize::MAX as usize;

/// Sizes of all magnitudes, of which products and sums overflow.
const SIZES: [usize; 11] =
    [0, 1, 2, 3, 1 << (usize::BITS / 2), HUGE / 2 + 1, HUGE - 1, HUGE, HUGE + 1, usize::MAX - 1, usize::MAX];

pub fn bits<T: Element>(x: &[T]) -> Vec<u64> {
    x.iter().map(|x| x.to_f64().to_bits()).collect()
}

#[cfg(not(target_arch = "wasm32"))]
fn all(dir: &std::path::Path, to: &mut Vec<String>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all(&path, to);
        } else if path.extension().is_some_and(|e| e == "rs") {
            to.push(std::fs::read_to_string(path).unwrap());
        }
    }
}

/// The parameters of `op` with the fields of those that are sizes in one, and what is refused where the test makes their views and plans.
#[cfg(not(target_arch = "wasm32"))]
fn parameters(op: &str) -> [Vec<String>; 2] {
    let words = |text: &str| -> Vec<String> {
        let mut found = vec![];
        for (at, _) in text.match_indices(':') {
            let before = text[..at].trim_end();
            let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |i| i + 1);
            found.push(before[start..].to_string());
        }
        found
    };
    let (mut all, mut made) = (vec![], vec![]);
    for row in fulmen::ops::signatures().filter(|row| row.op == op) {
        for argument in row.arguments {
            all.push(argument.name.to_string());
            if argument.kind.name.contains("mat") {
                made.push("data".into());
            }
            // What the parts of a struct are.
            let parts: &[&str] = match argument.ty.trim_start_matches(['&', ' ']).split([' ', '<']).next() {
                Some("EinsumPlan") => &["expression", "shapes"],
                Some("Convolver" | "ComplexConvolver") => &["kernel"],
                Some("Csr") => &["rows", "offsets", "columns", "values"],
                _ => &[],
            };
            made.extend(parts.iter().map(|part| part.to_string()));
        }
    }
    assert!(!all.is_empty(), "{op} has no row");
    // A plan is made in the call; of planes there are two, of volumes three.
    if all.iter().any(|w| ["plan", "along", "plans"].contains(&w.as_str())) {
        made.extend(["n", "table", "workspace"].map(String::from));
    }
    // A structure's fields count where it is an argument.
    let heads = fulmen::Attention::new(1, 1, 1, 1.0f32);
    let (lr, weight_decay) = (0.1f32, 0.0);
    let with = match op {
        "momentum" => {
            let (mu, dampening) = (0.9, 0.0);
            format!("{:?}", fulmen::Momentum { lr, mu, dampening, weight_decay, nesterov: false })
        }
        "adagrad" => format!("{:?}", fulmen::Adagrad { lr, eps: 1e-8, weight_decay }),
        _ => format!("{:?}", fulmen::Adam { lr, beta1: 0.9, beta2: 0.99, eps: 1e-8, weight_decay, step: 1 }),
    };
    for (word, fields) in [
        ("conv", format!("{:?}", fulmen::Conv1d::new(1, 1, 1, 1))),
        ("conv", format!("{:?}", fulmen::Conv2d::new(1, 1, [1; 2], [1; 2]))),
        ("pool", format!("{:?}", fulmen::Pool::line(1, 1, 1, 0))),
        ("op", format!("{heads:?}")),
        ("with", with),
    ] {
        if all.iter().any(|w| w == word) {
            all.extend(words(&fields));
        }
    }
    [all, made]
}

/// The error names `op` and an argument of it.
#[cfg(not(target_arch = "wasm32"))]
pub fn names(op: &str, e: &Error) {
    use std::collections::HashMap;
    thread_local! {
        static KNOWN: std::cell::RefCell<HashMap<String, [Vec<String>; 2]>> = Default::default();
    }
    KNOWN.with_borrow_mut(|known| {
        let [all, made] = known.entry(op.into()).or_insert_with(|| parameters(op));
        // A constructor is no op.
        let (own, known) = (e.op().is_some(), if e.op().is_some() { all } else { made });
        assert!(!own || e.op() == Some(op), "{op}: {e}");
        let scratch = own && matches!(e, Error::Workspace { .. });
        assert!(scratch || known.iter().any(|w| w == e.argument()), "{op}: {e}: it is none of {known:?}");
    });
}

#[cfg(target_arch = "wasm32")]
pub fn names(_: &str, e: &Error) {
    assert!(e.argument() != "data");
}

/// One call with outputs of their own sizes.
fn attempt<T: Element>(
    op: &Routine<T>,
    form: Form,
    a: &Args<T>,
    before: &[Vec<T>],
    workspace: usize,
) -> Option<bool> {
    let mut room = before.to_vec();
    let mut w = vec![T::ZERO; workspace];
    let done = {
        let mut out: Vec<&mut [T]> = room.iter_mut().map(|x| &mut x[..]).collect();
        op.call(form, a, &mut out, &mut w)?
    };
    if let Err(e) = done {
        let at = format!("{} {} {:?}", op.name, T::NAME, a.n);
        // What a factorisation or an iteration finds while it runs is reported after it has written.
        let on_the_way = matches!(e, Error::Pivot { .. } | Error::Convergence { .. });
        for (x, before) in room.iter().zip(before) {
            assert!(on_the_way || bits(x) == bits(before), "{at}: wrote, and then refused with {e}");
        }
        names(op.name, &e);
    }
    Some(done.is_err())
}

fn own<T: Element>(op: &Routine<T>) {
    let (mut called, mut refused) = (0, 0);
    for (seed, [rows, cols]) in [[1, 1], [2, 3], [3, 17]].into_iter().enumerate() {
        let base = (op.sample)(rows, cols, &mut Noise(seed as u64));
        let (before, enough) = ((op.before)(&base), (op.workspace)(&base));
        let mut see = |a: &Args<T>, before: &[Vec<T>], workspace: usize| {
            for form in [Form::On, Form::InPlace] {
                if let Some(no) = attempt(op, form, a, before, workspace) {
                    called += 1;
                    refused += usize::from(no);
                }
            }
        };
        see(&base, &before, enough);
        // A word is there or not, whatever its number.
        let sizes: Vec<usize> = (0..base.n.len()).filter(|i| !WORDS.contains(&&*base.n[*i].0)).collect();
        for (at, &i) in sizes.iter().enumerate() {
            for v in SIZES {
                let mut one = base.clone();
                one.n[i].1 = v;
                for workspace in [enough, 0] {
                    see(&one, &before, workspace);
                }
                for &k in &sizes[at + 1..] {
                    for u in SIZES {
                        let mut two = one.clone();
                        two.n[k].1 = u;
                        see(&two, &before, enough);
                        // Of nothing, any sizes may do.
                        two.x.iter_mut().for_each(Vec::clear);
                        see(&two.with_ids_of(op.ids), &vec![vec![]; before.len()], enough);
                    }
                }
            }
        }
        for i in 0..base.x.len() {
            for n in [0, 1, base.x[i].len().saturating_sub(1), base.x[i].len() + 1] {
                let mut a = base.clone();
                a.x[i].resize(n, T::ZERO);
                see(&a.with_ids_of(op.ids), &before, enough);
            }
        }
        for i in 0..before.len() {
            for n in [0, 1, before[i].len().saturating_sub(1), before[i].len() + 1] {
                let mut out = before.clone();
                out[i].resize(n, T::ONE);
                see(&base, &out, enough);
                if n == 0 {
                    // On threads, whose error has the same name.
                    attempt(op, Form::Parallel, &base, &out, enough);
                }
            }
        }
        if enough > 0 {
            for workspace in [0, 1, enough / 2, enough - 1] {
                see(&base, &before, workspace);
            }
        }
    }
    // One slice and a number fit each other always.
    let fits = op.name == "clip_by_norm" || common::nn::FITTING.contains(&op.name);
    assert!(
        (refused == 0) == fits && refused < called,
        "{}: {refused} of {called} calls were refused",
        op.name
    );
}

/// The calls ask whether a word is there, and never for its number.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn words_have_no_number() {
    let mut texts = vec![];
    all(&std::path::Path::new(common::ROOT).join("tests/common/nn"), &mut texts);
    let text = texts.concat();
    for word in WORDS {
        let asked = text.matches(&format!("get(\"{word}\").is_some()")).count();
        assert!(asked > 0, "nothing asks for `{word}`");
        assert_eq!(text.matches(&format!("get(\"{word}\")")).count(), asked, "{word}");
        assert!(!text.contains(&format!("size(\"{word}\")")), "{word}");
    }
}

macro_rules! each_op {
    ($($name:ident $Op:path $(, $more:ident)*;)*) => {$(
        #[test]
        fn $name() {
            own(&Routine::<f32>::native::<$Op>());
        }
    )*};
}
common::for_each_nn_op!(each_op);

/// The forms of an op of a common shape that a test on slices reaches.
#[cfg(feature = "parallel")]
const FORMS: [call::Form; 3] = [call::Form::On, call::Form::InPlace, call::Form::Parallel];
#[cfg(not(feature = "parallel"))]
const FORMS: [call::Form; 2] = [call::Form::On, call::Form::InPlace];

/// The ops of the common shapes.
#[test]
fn slices() {
    let lengths = [0, 1, 2, 5, 17];
    let x: Vec<f32> = (0..17).map(|i| 0.25 + i as f32).collect();
    let (mut called, mut refused) = (0, 0);
    for op in fulmen::ops::OPS {
        for a in lengths {
            for b in lengths {
                for y in lengths {
                    for cols in SIZES {
                        for form in FORMS {
                            // Where the shape has rows or a count, this is it; the others need it once.
                            let sized = op.shape.starts_with("rows") || op.shape == "select";
                            if !sized && cols != 0 {
                                continue;
                            }
                            let before = vec![-77.0; y];
                            let (mut out, mut index) = (before.clone(), vec![u32::MAX; y]);
                            let args = call::Args {
                                x: [&x[..a], &x[..b], &x[..b]],
                                cols,
                                eps: if b == 2 { -1.0 } else { 0.5 },
                                k: cols,
                                params: &[],
                            };
                            let mut to = call::Out { y: &mut out, index: &mut index };
                            let Some(done) = call::call(native(), op.name, form, args, &mut to) else {
                                continue;
                            };
                            called += 1;
                            if let Err(e) = done {
                                refused += 1;
                                // The test's own copy of the first input.
                                if op.shape != "update" {
                                    assert!(bits(&out) == bits(&before), "{} wrote, and then {e}", op.name);
                                }
                                assert!(index.iter().all(|i| *i == u32::MAX), "{}", op.name);
                                // Of other lengths, where it copies, the test refuses.
                                if op.shape != "update" || a == y {
                                    names(op.name, &e);
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(called > 10_000 && refused > called / 4, "{called} calls, {refused} refused");
}
