//! No allocation: results and scratch are arrays, whose lengths the compiler knows.

use fulmen::{MatMut, MatRef, lu, lu_solve, lu_solve_workspace, lu_workspace};

const N: usize = 3;
const ROOM: usize =
    if lu_workspace(N, N) > lu_solve_workspace(N, 1) { lu_workspace(N, N) } else { lu_solve_workspace(N, 1) };

pub fn main() -> Result<(), fulmen::Error> {
    let (mut pivots, mut workspace) = ([0; N], [0.0f32; ROOM]);
    // One workspace serves all steps of a loop.
    for step in 1..=3 {
        let k = step as f32;
        let (mut a, mut x) = ([2.0 * k, 0.0, 0.0, 0.0, 4.0 * k, 0.0, 0.0, 0.0, 8.0 * k], [k; N]);
        lu(MatMut::row_major(&mut a, N, N)?, &mut pivots, &mut workspace)?;
        let factors = MatRef::row_major(&a, N, N)?;
        lu_solve(factors, &pivots, MatMut::row_major(&mut x, N, 1)?, &mut workspace)?;
        println!("step {step}: {x:?}");
        assert_eq!(x, [0.5, 0.25, 0.125]);
    }
    println!("workspace: {ROOM} numbers");
    Ok(())
}
