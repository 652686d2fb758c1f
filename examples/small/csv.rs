//! Read a matrix from CSV text, and standardise its columns.

use fulmen::{Mul, Sub, map_with_row, mean, owned, stddev};

pub fn main() -> Result<(), fulmen::Error> {
    let text = "height,weight\n1.5,50\n1.7,70\n1.9,90\n";
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let parsed: Result<Vec<f64>, _> = lines.flat_map(|line| line.split(',')).map(str::parse).collect();
    let Ok(x) = parsed else { panic!("a field is no number") };
    // Columns become rows, which are slices.
    let columns = owned::transpose(&x, names.len())?;
    let (mut means, mut scales) = (vec![], vec![]);
    for column in columns.chunks_exact(x.len() / names.len()) {
        means.push(mean(column)?);
        scales.push(1.0 / stddev(column)?);
    }
    let (mut centred, mut standard) = (vec![0.0; x.len()], vec![0.0; x.len()]);
    map_with_row(Sub, &x, &means, &mut centred)?;
    map_with_row(Mul, &centred, &scales, &mut standard)?;
    println!("{names:?}, means {means:.2?}: {standard:.3?}");
    assert!((standard[0] - standard[1]).abs() < 1e-12 && standard[2].abs() < 1e-12);
    Ok(())
}
