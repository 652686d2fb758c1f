//! Solve a sparse system by conjugate gradients: the temperature of a plate with a source.

use fulmen::owned;

pub fn main() -> Result<(), fulmen::Error> {
    let n = 20;
    let (mut i, mut j, mut x) = (vec![], vec![], vec![]);
    let mut put = |row: usize, col: usize, value: f64| {
        i.push(row as u32);
        j.push(col as u32);
        x.push(value);
    };
    for (r, c) in (0..n).flat_map(|r| (0..n).map(move |c| (r, c))) {
        put(r * n + c, r * n + c, 4.0);
        for (r2, c2) in [(r + 1, c), (r, c + 1)].into_iter().filter(|(r, c)| *r < n && *c < n) {
            put(r * n + c, r2 * n + c2, -1.0);
            put(r2 * n + c2, r * n + c, -1.0);
        }
    }
    let a = owned::coo_to_csr(n * n, n * n, &i, &j, &x)?;
    let mut b = vec![0.0; n * n];
    b[n * n / 2 + n / 2] = 1.0;
    let factors = owned::ilu0(a.view()?)?;
    let t = owned::cg(a.view()?, Some(factors.view()?), &b, 1e-10, 200)?;
    // Without a preconditioner the result is the same, after more steps.
    let plain = owned::cg(a.view()?, None, &b, 1e-10, 200)?;
    let off = fulmen::euclidean_distance(&t, &plain)?;
    println!("warmest: {:.4} of {} unknowns, {} elements", fulmen::max(&t)?, b.len(), a.values.len());
    assert!(off < 1e-8 && fulmen::min(&t)? > 0.0);
    Ok(())
}
