//! Where factors and solvers stop: pivots out of range, patterns that are not symmetric, operands that are not finite, curvature
//! that rounding alone made negative, and the most iterations.

use super::*;

fn square<'a, T: Element>(n: usize, offsets: &'a [usize], columns: &'a [u32], values: &'a [T]) -> Csr<'a, T> {
    Csr::new(n, n, offsets, columns, values).unwrap()
}

/// Finite elements whose elimination leaves the range.
#[test]
fn a_pivot_out_of_range() {
    fn check<T: Element>(small: f64, large: f64) {
        let values = [small, large, large, 1.0].map(T::from_f64);
        let a = square(2, &[0, 2, 4], &[0, 1, 0, 1], &values);
        assert_eq!(ilu0(a, &mut [T::ZERO; 4]), Err(Error::pivot("a", 1)));
        assert_eq!(ic0(a, &mut [T::ZERO; 4]), Err(Error::pivot("a", 1)));
    }
    check::<f32>(1e-30, 1e10);
    check::<f64>(1e-300, 1e100);
}

#[test]
fn what_is_not_finite_or_not_symmetric() {
    fn check<T: Element>() {
        let (offsets, columns) = ([0, 2, 4], [0, 1, 0, 1]);
        for (odd, nan) in [(T::NAN, true), (T::INFINITY, false), (-T::INFINITY, false)] {
            for at in 0..4 {
                let mut values = [4.0, 1.0, 1.0, 4.0].map(T::from_f64);
                values[at] = odd;
                let a = square(2, &offsets, &columns, &values);
                let arg = "a";
                let want = Err(if nan { Error::nan(arg) } else { Error::domain(arg) });
                assert_eq!(ic0(a, &mut [T::ZERO; 4]), want, "ic0: {odd:?} at {at}");
                assert_eq!(ilu0(a, &mut [T::ZERO; 4]), want, "ilu0: {odd:?} at {at}");
            }
        }
        // An element above the diagonal without its twin.
        let values = [4.0, 1.0, 4.0].map(T::from_f64);
        let a = square(2, &[0, 2, 3], &[0, 1, 1], &values);
        assert_eq!(ic0(a, &mut [T::ZERO; 3]), Err(Error::domain("a")));
    }
    check::<f32>();
    check::<f64>();
}

/// `pᵀAp` of -u, which is less than its own rounding errors, says nothing of A; of -0.5 it does.
#[test]
fn curvature_below_rounding() {
    fn check<T: Element>(u: f64) {
        let solve = |last: f64| {
            let values = [1.0, 1.0, 1.0, last].map(T::from_f64);
            let a = square(2, &[0, 2, 4], &[0, 1, 0, 1], &values);
            let mut x = [T::ZERO; 2];
            let mut workspace = vec![T::ZERO; cg_workspace(2)];
            cg(a, None, &[T::ONE, -T::ONE], &mut x, T::from_f64(1e-3), 10, &mut workspace)
        };
        let near = solve(1.0 - u);
        assert!(matches!(near, Err(Error::Convergence { .. })), "{near:?}");
        assert_eq!(solve(0.5), Err(Error::pivot("a", 0)));
    }
    check::<f32>(2f64.powi(-24));
    check::<f64>(2f64.powi(-53));
}

/// A step after which no digit of b is left in the residual is not taken, nor is one whose residual is no number: x stays as it was.
#[test]
fn steps_that_leave_nothing_of_b() {
    fn check<T: Element>(values: [f64; 2], b: [f64; 2]) {
        let values = values.map(T::from_f64);
        let a = square(2, &[0, 1, 2], &[0, 1], &values);
        for most in [1, 5] {
            let mut x = [T::ZERO; 2];
            let mut workspace = vec![T::NAN; cg_workspace(2)];
            let done = cg(a, None, &b.map(T::from_f64), &mut x, T::from_f64(1e-5), most, &mut workspace);
            let whole = matches!(done, Err(Error::Convergence { residual: Some(r), .. }) if r.value() == 1.0);
            assert!(whole && x == [T::ZERO; 2], "{values:?}: {done:?}, {x:?}");
        }
    }
    let p = |n| f64::powi(2.0, n);
    // The residual grows by 2^29 and by 2^59, and beyond the range.
    check::<f32>([1.0, p(-60)], [p(-30), 1.0]);
    check::<f64>([1.0, p(-120)], [p(-60), 1.0]);
    check::<f32>([1e38, 1e-38], [1e-38, 1.0]);
    check::<f64>([1e300, 1e-300], [1e-300, 1.0]);
}

/// The last cycle of `gmres` stops at `max_iterations`: one call with 6 gives the bits of a call with 4 and a second one with 2 from its result.
#[test]
fn the_last_cycle_is_shorter() {
    fn check<T: Element>() {
        let n = 24_usize;
        let (mut offsets, mut columns, mut values) = (vec![0], vec![], vec![]);
        for i in 0..n {
            for (j, v) in [(i.wrapping_sub(1), -1.0), (i, 2.1), (i + 1, -0.8)] {
                if j < n {
                    columns.push(j as u32);
                    values.push(T::from_f64(v));
                }
            }
            offsets.push(columns.len());
        }
        let a = square(n, &offsets, &columns, &values);
        let b = Noise(3).slice::<T>(n, 1.0);
        let cycles = |parts: &[usize]| {
            let mut x = vec![T::ZERO; n];
            for most in parts {
                let mut workspace = vec![T::ZERO; gmres_workspace(n, 4)];
                let done = gmres(a, None, &b, &mut x, T::from_f64(1e-30), 4, *most, &mut workspace);
                assert!(matches!(done, Err(Error::Convergence { .. })), "{done:?}");
            }
            x.iter().map(|x| x.to_f64().to_bits()).collect::<Vec<_>>()
        };
        assert_eq!(cycles(&[6]), cycles(&[4, 2]));
        assert_eq!(cycles(&[11]), cycles(&[4, 4, 3]));
        assert_ne!(cycles(&[6]), cycles(&[8]));
    }
    check::<f32>();
    check::<f64>();
}
