//! What errors say, exactly, and how large they are.

use fulmen::{Complex, Conv1d, Conv2d, Csr, Dimension, Einsum, EinsumPlan, Error, MatMut, MatRef};

/// The sentence, the op and the argument of a refusal.
fn says<T>(done: Result<T, Error>, op: Option<&str>, arg: &str, text: &str) {
    let e = done.err().unwrap();
    assert_eq!(e.to_string(), text);
    assert_eq!((e.op(), e.argument()), (op, arg), "{e}");
}

#[test]
fn sentences() {
    let (x, mut y) = ([1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [0.0f32; 6]);
    let a = MatRef::row_major(&x, 2, 3).unwrap();
    let b = MatRef::row_major(&x, 3, 2).unwrap();
    says(fulmen::add(&x, &x[..4], &mut y), Some("add"), "b", "add: `b` has 4 elements, 6 expected");
    says(fulmen::max::<f32>(&[]), Some("max"), "x", "max: `x` is empty or 0, at least 1 expected");
    says(
        fulmen::softmax(&x[..5], 2, &mut y[..5]),
        Some("softmax"),
        "x",
        "softmax: `x` has 5 elements, a multiple of 2 expected",
    );
    says(fulmen::clamp(&x, 2.0, 1.0, &mut y), Some("clamp"), "lo", "clamp: `lo` must be at most `hi`");
    says(
        fulmen::argmax(&[1.0, f32::NAN]),
        Some("argmax"),
        "x",
        "argmax: `x` contains NaN, which must be replaced or left out",
    );
    says(
        fulmen::gemm(1.0, a, a, 0.0, MatMut::row_major(&mut y, 2, 3).unwrap(), &mut []),
        Some("gemm"),
        "b",
        "gemm: `b` has 2 rows, 3 expected",
    );
    says(
        fulmen::gemm(1.0, a, b, 0.0, MatMut::row_major(&mut y, 2, 3).unwrap(), &mut []),
        Some("gemm"),
        "c",
        "gemm: `c` has 3 columns, 2 expected",
    );
    let mut square = [2.0f32, 1.0, 1.0, 2.0];
    let view = MatMut::row_major(&mut square, 2, 2).unwrap();
    says(
        fulmen::eigh(view, &mut y[..2], &mut []),
        Some("eigh"),
        "workspace",
        &format!(
            "eigh: the workspace has 0 elements, {} needed: the op's `_workspace` function gives the number",
            fulmen::eigh_workspace(2)
        ),
    );
    says(
        fulmen::embedding(&x, 3, &[7], &mut y[..3]),
        Some("embedding"),
        "ids",
        "embedding: `ids` contains 7, all must be below 2",
    );
    // A constructor is no op.
    says(
        MatRef::strided(&x, 0, 4, 2, 2, 1),
        None,
        "data",
        "the view reaches outside `data`, which has 6 elements, rows or columns",
    );
    says(
        MatMut::strided(&mut y, 0, 2, 3, 0, 1),
        None,
        "data",
        "elements of the view of `data` overlap: each must have an address of its own",
    );
    let mut singular = [1.0f32, 2.0, 2.0, 1.0];
    let view = MatMut::row_major(&mut singular, 2, 2).unwrap();
    says(
        fulmen::cholesky(view, &mut vec![0.0; fulmen::cholesky_workspace(2)]),
        Some("cholesky"),
        "a",
        "cholesky: pivot 1 of `a` cannot be divided by: the matrix is singular, or not of the kind that the method needs",
    );
    let matrix = |values| Csr::new(2, 2, &[0, 1, 2], &[0, 1], values).unwrap();
    let (a, mut solution) = (matrix(&[1.0f32, 1e6]), [0.0f32; 2]);
    let room = &mut [0.0; fulmen::cg_workspace(2)];
    let e = fulmen::cg(a, None, &[1.0, 1.0], &mut solution, 1e-6, 1, room).unwrap_err();
    assert!(matches!(e, Error::Convergence { arg: "a", residual: Some(_), .. }), "{e:?}");
    let text = e.to_string();
    let (start, end) = (
        "cg: the iteration on `a` did not converge, the residual is ",
        ": allow more steps or a larger tolerance",
    );
    assert!(text.starts_with(start) && text.ends_with(end), "{text}");
    says(
        Einsum::parse("ij,jk->iq"),
        None,
        "expression",
        "`expression` at byte 8: an index that no operand has",
    );
    let product = Einsum::parse("ij,jk->ik").unwrap();
    assert!(
        EinsumPlan::new(&product, &[&[2, 3], &[4, 2]])
            .unwrap_err()
            .to_string()
            .starts_with("`shapes` at byte 3: ")
    );
    let huge = Conv1d { padding: usize::MAX, ..Conv1d::new(1, 1, 4, 1) };
    says(huge.output(), None, "padding", "the size of `padding` does not fit the machine's integers");
    let conv = Conv2d { padding: [[1, 0], [0, 0]], ..Conv2d::new(1, 1, [2, 3], [4, 1]) };
    let text = "conv2d: `kernel` must be no larger than the padded plane";
    let (x, mut y) = ([0.0f32; 6], [0.0f32; 3]);
    says(fulmen::conv2d(conv, &x, &x[..4], None, &mut y, &mut []), Some("conv2d"), "kernel", text);
    says(Complex::<f32>::of(&x[..3]), None, "parts", "`parts` has 3 elements, a multiple of 2 expected");
}

/// An op of an op has the name of the outermost.
#[test]
fn the_call_is_named() {
    let mut y = [0.0f32; 3];
    for done in [
        fulmen::softmax_in_place(&mut y, 2),
        fulmen::softmax_on(fulmen::lanes::native(), &[1.0; 3], 2, &mut y),
        #[cfg(feature = "parallel")]
        fulmen::parallel::softmax(&[1.0; 3], 2, &mut y),
    ] {
        assert_eq!(done.unwrap_err().op(), Some("softmax"));
    }
}

/// The reason and the argument make errors equal; the op and the words do not.
#[test]
fn equal() {
    let e = fulmen::scale(&[1.0f32], 2.0, &mut [0.0; 2]).unwrap_err();
    assert_eq!(e, Error::len("out", 1, 2));
    let unequal = [
        Error::len("out", 1, 3),
        Error::len("x", 1, 2),
        Error::rows("out", 1, 2),
        Error::shape("out", [1, 1], [2, 1]),
        Error::empty("out"),
    ];
    assert!(unequal.iter().all(|other| *other != e));
    assert_eq!(Error::domain("k"), Error::must_be("k", "at least 1"));
    assert_ne!(Error::shape("a", [2, 3], [2, 4]), Error::shape("a", [3, 2], [4, 2]));
    assert!(matches!(
        Error::shape("a", [2, 3], [2, 4]),
        Error::Shape { side: Dimension::Columns, expected: 3, got: 4, .. }
    ));
    assert_ne!(Error::expression("e", 1, &"a"), Error::expression("e", 1, &"b"));
}

/// It travels in each result of an op.
#[test]
fn small() {
    let most = if cfg!(target_pointer_width = "64") { 40 } else { 24 };
    assert_eq!(size_of::<Error>(), most);
    assert_eq!(size_of::<Result<(), Error>>(), most);
    assert!(format!("{:?}", Error::nan("x")).contains("arg: \"x\""));
}
