//! Rank pages by their links: a sparse matrix times a vector, again and again.

use fulmen::{Csr, owned, spmv};

pub fn main() -> Result<(), fulmen::Error> {
    // Links from page to page; each page shares its weight among those that it links.
    let links = [(0u32, 1u32), (0, 2), (1, 2), (2, 0), (3, 2)];
    let share = |from: u32| 1.0 / links.iter().filter(|(f, _)| *f == from).count() as f64;
    let (to, from): (Vec<u32>, Vec<u32>) = links.iter().map(|(f, t)| (*t, *f)).unzip();
    let weights: Vec<f64> = from.iter().map(|f| share(*f)).collect();
    let a = owned::coo_to_csr(4, 4, &to, &from, &weights)?;
    let a: Csr<'_, f64> = a.view()?;
    let mut rank = vec![0.25; 4];
    for _ in 0..100 {
        // next = 0.85·A·rank + 0.15/4
        let mut next = vec![0.15 / 4.0; 4];
        spmv(0.85, a, &rank, 1.0, &mut next)?;
        rank = next;
    }
    println!("ranks: {rank:.3?}");
    assert!(fulmen::argmax(&rank)? == 2 && (fulmen::sum(&rank) - 1.0).abs() < 1e-9);
    Ok(())
}
