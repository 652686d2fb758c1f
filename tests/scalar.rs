//! Ops on one element, and with a row or a column for all: the bits of the op on slices.

use common::lanes::*;
use fulmen::lanes::Simd;
use fulmen::{Add, Body, Clamp, Element, Error, Mul, Number, Prelu, Sub};

fn bits<T: Element>(x: T) -> u64 {
    if x.to_f64().is_nan() { 1 } else { x.to_f64().to_bits() }
}

const X: [f64; 12] =
    [0.0, -0.0, 1.0, -1.5, 0.3, -7.25, 30.0, -88.5, 1e-40, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

/// Ops of the list that are there; each compared on all of `X`.
macro_rules! same {
    ($($shape:ident $name:ident($f:ident $(, $more:ident)*) $body:tt [$($parameter:ident: $value:expr),*]
       $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
        fn every<T: Element>() -> usize {
            let x: Vec<T> = X.map(T::from_f64).to_vec();
            let y: Vec<T> = x.iter().rev().copied().collect();
            let z: Vec<T> = x[3..].iter().chain(&x[..3]).copied().collect();
            let mut out = vec![T::ZERO; x.len()];
            let mut ops = 0;
            $(same!(@$shape $f [$($value),*] T, x, y, z, out, ops);)*
            ops
        }
    };
    (@unary $f:ident $p:tt $($v:tt)*) => { same!(=$f $p (x), $($v)*) };
    (@binary $f:ident $p:tt $($v:tt)*) => { same!(=$f $p (x, y), $($v)*) };
    (@ternary $f:ident $p:tt $($v:tt)*) => { same!(=$f $p (x, y, z), $($v)*) };
    (@$other:ident $f:ident $p:tt $($v:tt)*) => {};
    (=$f:ident [] $inputs:tt, $T:ident, $x:ident, $y:ident, $z:ident, $out:ident, $ops:ident) => {
        same!(on $f [] $inputs [$x $y $z] $out);
        for (i, got) in $out.iter().enumerate() {
            let one = same!(one $f $inputs [$x $y $z] i []);
            assert_eq!(bits(one), bits(*got), "{} at {i}", stringify!($f));
        }
        $ops += 1;
    };
    (=$f:ident [$($p:expr),+] $inputs:tt, $T:ident, $x:ident, $y:ident, $z:ident, $out:ident, $ops:ident) => {
        same!(on $f [$($T::from_f64($p)),+] $inputs [$x $y $z] $out);
        for (i, got) in $out.iter().enumerate() {
            let one = same!(one $f $inputs [$x $y $z] i [$($T::from_f64($p)),+]).unwrap();
            assert_eq!(bits(one), bits(*got), "{} at {i}", stringify!($f));
        }
        $ops += 1;
    };
    (on $f:ident [$($p:expr),*] (x) [$x:ident $y:ident $z:ident] $out:ident) => { fulmen::$f(&$x, $($p,)* &mut $out).unwrap() };
    (on $f:ident [$($p:expr),*] (x, y) [$x:ident $y:ident $z:ident] $out:ident) => { fulmen::$f(&$x, &$y, $($p,)* &mut $out).unwrap() };
    (on $f:ident [] (x, y, z) [$x:ident $y:ident $z:ident] $out:ident) => { fulmen::$f(&$x, &$y, &$z, &mut $out).unwrap() };
    (one $f:ident (x) [$x:ident $y:ident $z:ident] $i:ident [$($p:expr),*]) => { fulmen::scalar::$f($x[$i] $(, $p)*) };
    (one $f:ident (x, y) [$x:ident $y:ident $z:ident] $i:ident [$($p:expr),*]) => { fulmen::scalar::$f($x[$i], $y[$i] $(, $p)*) };
    (one $f:ident (x, y, z) [$x:ident $y:ident $z:ident] $i:ident []) => { fulmen::scalar::$f($x[$i], $y[$i], $z[$i]) };
}
fulmen::for_each_op!(same);

#[test]
fn one_element_has_the_bits_of_many() {
    let listed =
        fulmen::ops::OPS.iter().filter(|op| ["unary", "binary", "ternary"].contains(&op.shape)).count();
    assert_eq!((every::<f32>(), every::<f64>()), (listed, listed));
    assert_eq!(fulmen::scalar::clamp(1.0f32, 2.0, 1.0), Err(Error::domain("lo")));
    assert_eq!(fulmen::scalar::celu(1.0f64, -1.0), Err(Error::domain("alpha")));
}

/// A body of two inputs, with a domain.
#[derive(Clone, Copy)]
struct Within<T>(T);
impl<T: Number> Body<T, 2> for Within<T> {
    fn eval<V: fulmen::Alu<Elem = T>>(self, [a, b]: [V; 2]) -> V {
        (a * b).min(a.param(self.0))
    }
    fn check(self) -> Result<(), Error>
    where
        T: fulmen::Real,
    {
        Body::<T, 1>::check(Clamp(T::ZERO, self.0))
    }
}

fn broadcast<S: Simd, T: Element>(s: S) {
    for (rows, cols) in [(1, 1), (1, 9), (3, 1), (2, 7), (5, 16), (3, 33), (2, 200)] {
        let number = |i: usize| T::from_f64((i * 37 % 101) as f64 * 0.25 - 12.0);
        let x: Vec<T> = (0..rows * cols).map(number).collect();
        let (row, column): (Vec<T>, Vec<T>) =
            ((0..cols).map(|c| number(c + 3)).collect(), (0..rows).map(|r| number(r + 50)).collect());
        let (by_row, by_column): (Vec<T>, Vec<T>) =
            (0..rows * cols).map(|i| (row[i % cols], column[i / cols])).unzip();
        fn each<S: Simd, T: Element, B: Body<T, 2>>(
            s: S,
            body: B,
            [x, row, column, by_row, by_column]: [&[T]; 5],
        ) {
            let (mut got, mut want) = (vec![T::NAN; x.len()], vec![T::NAN; x.len()]);
            fulmen::map_with_row_on(s, body, x, row, &mut got).unwrap();
            fulmen::map_on(s, body, [x, by_row], &mut want).unwrap();
            assert!(
                got.iter().zip(&want).all(|(a, b)| bits(*a) == bits(*b)),
                "row of {} in {}",
                row.len(),
                x.len()
            );
            got.fill(T::NAN);
            fulmen::map_with_column_on(s, body, x, column, &mut got).unwrap();
            fulmen::map_on(s, body, [x, by_column], &mut want).unwrap();
            assert!(got.iter().zip(&want).all(|(a, b)| bits(*a) == bits(*b)), "column of {}", column.len());
        }
        let data = [&x[..], &row, &column, &by_row, &by_column];
        each(s, Add, data);
        each(s, Sub, data);
        each(s, Prelu, data);
        each(s, Within(T::from_f64(20.0)), data);
    }
}

#[test]
fn a_row_or_a_column_for_all() {
    for_each_lane!(|s| {
        broadcast::<_, f32>(s);
        broadcast::<_, f64>(s);
    });
    let (x, mut out) = ([1.0f32; 6], [7.0; 6]);
    assert_eq!(fulmen::map_with_row(Mul, &x, &[], &mut out), Err(Error::empty("row")));
    assert_eq!(fulmen::map_with_column(Mul, &x, &[], &mut out), Err(Error::empty("column")));
    assert_eq!(fulmen::map_with_row(Mul, &x, &[1.0; 4], &mut out), Err(Error::rows("x", 4, 6)));
    assert_eq!(fulmen::map_with_column(Mul, &x, &[1.0; 4], &mut out), Err(Error::rows("x", 4, 6)));
    let short = Err(Error::len("out", 6, 5));
    assert_eq!(fulmen::map_with_row(Mul, &x, &[1.0; 3], &mut out[..5]), short);
    assert_eq!(fulmen::map_with_column(Mul, &x, &[1.0; 3], &mut out[..5]), short);
    let domain = Err(Error::domain("lo"));
    assert_eq!(fulmen::map_with_row(Within(-1.0), &x, &[1.0; 3], &mut out), domain);
    assert_eq!(fulmen::map_with_column(Within(-1.0), &x, &[1.0; 3], &mut out), domain);
    assert_eq!(out, [7.0; 6]);
    // No rows.
    assert_eq!(fulmen::map_with_row(Mul, &[], &[1.0], &mut [0.0f32; 0]), Ok(()));
    assert_eq!(fulmen::map_with_column(Mul, &[], &[1.0], &mut [0.0f32; 0]), Ok(()));
}
