//! One way to call every op of the list: by name, on a lane, in each of its forms.

use fulmen::lanes::Simd;
use fulmen::{Element, Error};

/// The arguments an op may take; each shape uses what it needs.
#[derive(Clone, Copy)]
pub struct Args<'a, T> {
    /// The inputs, all of one length, in the order of the signature.
    pub x: [&'a [T]; 3],
    /// Row length; the first `cols` elements of `x[1]` and `x[2]` are γ and β.
    pub cols: usize,
    pub eps: T,
    pub k: usize,
    /// The op's parameters; the values of its row where this is shorter.
    pub params: &'a [T],
}

/// The next parameter given, or the row's.
fn next<T: Element>(given: &mut core::slice::Iter<'_, T>, row: f64) -> T {
    given.next().copied().unwrap_or(T::from_f64(row))
}

/// Where results go: elements (or the one value, in `y[0]`), and indices.
pub struct Out<'a, T> {
    pub y: &'a mut [T],
    pub index: &'a mut [u32],
}

/// Which function of the op to call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `op`, on the lanes of the build.
    Native,
    /// `op_on`.
    On,
    /// `op_in_place`: over `y`, which holds the first input.
    InPlace,
    /// `parallel::op`, on the lanes of the build.
    #[cfg(feature = "parallel")]
    Parallel,
}

/// `None` when the op has no such form.
pub type Called = Option<Result<(), Error>>;

fn set<T>(out: &mut Out<'_, T>, r: Result<T, Error>) -> Result<(), Error> {
    let v = r?;
    if let Some(y) = out.y.first_mut() {
        *y = v;
    }
    Ok(())
}

fn set_index<T>(out: &mut Out<'_, T>, r: Result<usize, Error>) -> Result<(), Error> {
    let v = r?;
    if let Some(i) = out.index.first_mut() {
        *i = v as u32;
    }
    Ok(())
}

macro_rules! calls {
    ($($shape:ident $name:ident($($f:ident),*) $body:tt [$($parameter:ident: $p:expr),*] $family:ident, $gpu:ident $(: $why:literal)?;)*) => {
        /// Calls the op. Panics on a name that is not in the list.
        #[inline(never)]
        pub fn call<S: Simd, T: Element>(s: S, name: &str, form: Form, a: Args<'_, T>, out: &mut Out<'_, T>) -> Called {
            match name {
                $(stringify!($name) => calls!(@$shape ($($f),*) [$($p),*] s, form, a, out),)*
                _ => panic!("no op named {name}"),
            }
        }
    };
    (@unary ($f:ident, $on:ident, $ip:ident) [$($p:expr),*] $s:ident, $form:ident, $a:ident, $out:ident) => {{
        #[allow(unused_mut, unused_variables, reason = "for ops that have parameters")]
        let mut params = $a.params.iter();
        Some(match $form {
            Form::Native => fulmen::$f($a.x[0], $(next(&mut params, $p),)* $out.y),
            Form::On => fulmen::$on($s, $a.x[0], $(next(&mut params, $p),)* $out.y),
            Form::InPlace => fulmen::$ip($out.y, $(next(&mut params, $p)),*),
            #[cfg(feature = "parallel")]
            Form::Parallel => fulmen::parallel::$f($a.x[0], $(next(&mut params, $p),)* $out.y),
        })
    }};
    (@binary ($f:ident, $on:ident, $ip:ident) [$($p:expr),*] $s:ident, $form:ident, $a:ident, $out:ident) => {{
        #[allow(unused_mut, unused_variables, reason = "for ops that have parameters")]
        let mut params = $a.params.iter();
        Some(match $form {
            Form::Native => fulmen::$f($a.x[0], $a.x[1], $(next(&mut params, $p),)* $out.y),
            Form::On => fulmen::$on($s, $a.x[0], $a.x[1], $(next(&mut params, $p),)* $out.y),
            Form::InPlace => fulmen::$ip($out.y, $a.x[1], $(next(&mut params, $p)),*),
            #[cfg(feature = "parallel")]
            Form::Parallel => fulmen::parallel::$f($a.x[0], $a.x[1], $(next(&mut params, $p),)* $out.y),
        })
    }};
    (@ternary ($f:ident, $on:ident) [] $s:ident, $form:ident, $a:ident, $out:ident) => {{
        match $form {
            Form::Native => Some(fulmen::$f($a.x[0], $a.x[1], $a.x[2], $out.y)),
            Form::On => Some(fulmen::$on($s, $a.x[0], $a.x[1], $a.x[2], $out.y)),
            Form::InPlace => None,
            #[cfg(feature = "parallel")]
            Form::Parallel => Some(fulmen::parallel::$f($a.x[0], $a.x[1], $a.x[2], $out.y)),
        }
    }};
    // Over `y`, which holds the first input.
    (@update ($f:ident, $on:ident) [$p:expr] $s:ident, $form:ident, $a:ident, $out:ident) => {{
        let p = next(&mut $a.params.iter(), $p);
        let whole = $a.x[0].len() == $out.y.len();
        match $form {
            Form::InPlace => None,
            _ if !whole => Some(Err(Error::len("y", $a.x[0].len(), $out.y.len()))),
            Form::Native => { $out.y.copy_from_slice($a.x[0]); Some(fulmen::$f(p, $a.x[1], $out.y)) }
            Form::On => { $out.y.copy_from_slice($a.x[0]); Some(fulmen::$on($s, p, $a.x[1], $out.y)) }
            #[cfg(feature = "parallel")]
            Form::Parallel => { $out.y.copy_from_slice($a.x[0]); Some(fulmen::parallel::$f(p, $a.x[1], $out.y)) }
        }
    }};
    (@total ($f:ident, $on:ident) [] $s:ident, $form:ident, $a:ident, $out:ident) => {{
        match $form {
            Form::Native => Some(set($out, Ok(fulmen::$f($a.x[0])))),
            Form::On => Some(set($out, Ok(fulmen::$on($s, $a.x[0])))),
            Form::InPlace => None,
            #[cfg(feature = "parallel")]
            Form::Parallel => Some(set($out, Ok(fulmen::parallel::$f($a.x[0])))),
        }
    }};
    (@reduce ($f:ident, $on:ident) [] $s:ident, $form:ident, $a:ident, $out:ident) => {{
        match $form {
            Form::Native => Some(set($out, fulmen::$f($a.x[0]))),
            Form::On => Some(set($out, fulmen::$on($s, $a.x[0]))),
            Form::InPlace => None,
            #[cfg(feature = "parallel")]
            Form::Parallel => Some(set($out, fulmen::parallel::$f($a.x[0]))),
        }
    }};
    (@reduce2 ($f:ident, $on:ident) [] $s:ident, $form:ident, $a:ident, $out:ident) => {{
        match $form {
            Form::Native => Some(set($out, fulmen::$f($a.x[0], $a.x[1]))),
            Form::On => Some(set($out, fulmen::$on($s, $a.x[0], $a.x[1]))),
            Form::InPlace => None,
            #[cfg(feature = "parallel")]
            Form::Parallel => Some(set($out, fulmen::parallel::$f($a.x[0], $a.x[1]))),
        }
    }};
    (@arg ($f:ident, $on:ident) [] $s:ident, $form:ident, $a:ident, $out:ident) => {{
        match $form {
            Form::Native => Some(set_index($out, fulmen::$f($a.x[0]))),
            Form::On => Some(set_index($out, fulmen::$on($s, $a.x[0]))),
            Form::InPlace => None,
            #[cfg(feature = "parallel")]
            Form::Parallel => Some(set_index($out, fulmen::parallel::$f($a.x[0]))),
        }
    }};
    (@select ($f:ident, $on:ident) [] $s:ident, $form:ident, $a:ident, $out:ident) => {{
        let (ny, ni) = ($out.y.len(), $out.index.len());
        let (y, i) = (&mut $out.y[..$a.k.min(ny)], &mut $out.index[..$a.k.min(ni)]);
        match $form {
            Form::Native => Some(fulmen::$f($a.x[0], $a.k, y, i)),
            Form::On => Some(fulmen::$on($s, $a.x[0], $a.k, y, i)),
            Form::InPlace => None,
            #[cfg(feature = "parallel")]
            Form::Parallel => None,
        }
    }};
    (@rows ($f:ident, $on:ident, $ip:ident) [] $s:ident, $form:ident, $a:ident, $out:ident) => {{
        Some(match $form {
            Form::Native => fulmen::$f($a.x[0], $a.cols, $out.y),
            Form::On => fulmen::$on($s, $a.x[0], $a.cols, $out.y),
            Form::InPlace => fulmen::$ip($out.y, $a.cols),
            #[cfg(feature = "parallel")]
            Form::Parallel => fulmen::parallel::$f($a.x[0], $a.cols, $out.y),
        })
    }};
    (@rows_eps ($f:ident, $on:ident, $ip:ident) [] $s:ident, $form:ident, $a:ident, $out:ident) => {{
        Some(match $form {
            Form::Native => fulmen::$f($a.x[0], $a.cols, $a.eps, $out.y),
            Form::On => fulmen::$on($s, $a.x[0], $a.cols, $a.eps, $out.y),
            Form::InPlace => fulmen::$ip($out.y, $a.cols, $a.eps),
            #[cfg(feature = "parallel")]
            Form::Parallel => fulmen::parallel::$f($a.x[0], $a.cols, $a.eps, $out.y),
        })
    }};
    (@rows_scale ($f:ident, $on:ident, $ip:ident) [] $s:ident, $form:ident, $a:ident, $out:ident) => {{
        let gamma = $a.x[1].get(..$a.cols).unwrap_or(&[]);
        Some(match $form {
            Form::Native => fulmen::$f($a.x[0], gamma, $a.eps, $out.y),
            Form::On => fulmen::$on($s, $a.x[0], gamma, $a.eps, $out.y),
            Form::InPlace => fulmen::$ip($out.y, gamma, $a.eps),
            #[cfg(feature = "parallel")]
            Form::Parallel => fulmen::parallel::$f($a.x[0], gamma, $a.eps, $out.y),
        })
    }};
    (@rows_affine ($f:ident, $on:ident, $ip:ident) [] $s:ident, $form:ident, $a:ident, $out:ident) => {{
        let gamma = $a.x[1].get(..$a.cols).unwrap_or(&[]);
        let beta = $a.x[2].get(..$a.cols).unwrap_or(&[]);
        Some(match $form {
            Form::Native => fulmen::$f($a.x[0], gamma, beta, $a.eps, $out.y),
            Form::On => fulmen::$on($s, $a.x[0], gamma, beta, $a.eps, $out.y),
            Form::InPlace => fulmen::$ip($out.y, gamma, beta, $a.eps),
            #[cfg(feature = "parallel")]
            Form::Parallel => fulmen::parallel::$f($a.x[0], gamma, beta, $a.eps, $out.y),
        })
    }};
    // Other element types on each side: `tests/convert.rs` calls these.
    (@convert ($f:ident, $on:ident) [] $s:ident, $form:ident, $a:ident, $out:ident) => { None };
    // Views of matrices: `tests/gemm.rs`, `tests/gemm_low.rs` and `tests/blas.rs` call them.
    (@gemm ($f:ident, $on:ident) [] $s:ident, $form:ident, $a:ident, $out:ident) => { None };
    (@mixed ($($f:ident),*) [] $s:ident, $form:ident, $a:ident, $out:ident) => { None };
    (@quant ($($f:ident),*) [] $s:ident, $form:ident, $a:ident, $out:ident) => { None };
    (@random ($($f:ident),*) [] $s:ident, $form:ident, $a:ident, $out:ident) => { None };
    // `tests/nn.rs` calls these.
    (@nn ($($f:ident),*) [] $s:ident, $form:ident, $a:ident, $out:ident) => { None };
    (@blas ($f:ident, $on:ident) [] $s:ident, $form:ident, $a:ident, $out:ident) => { None };
}
fulmen::for_each_op!(calls);
