//! Views with strides: a column, a part of a matrix, every second element, a transpose, without copies.

use fulmen::{MatMut, MatRef, VecRef, dot_strided, nrm2, transpose};

pub fn main() -> Result<(), fulmen::Error> {
    let data: Vec<f32> = (0..12).map(|k| k as f32).collect();
    let a = MatRef::row_major(&data, 3, 4)?;
    // The dot product of the columns 0 and 2.
    let product = dot_strided(a.col(0)?, a.col(2)?)?;
    println!("columns 0 and 2: {product}");
    assert_eq!(product, 0.0 * 2.0 + 4.0 * 6.0 + 8.0 * 10.0);
    // The lower right 2 by 2 part, transposed into a buffer.
    let mut part = [0.0; 4];
    transpose(a.sub(1..3, 2..4)?, MatMut::row_major(&mut part, 2, 2)?)?;
    println!("part, transposed: {part:?}");
    assert_eq!(part, [6.0, 10.0, 7.0, 11.0]);
    // Six elements from the first on, each second one, read backwards.
    let backwards = VecRef::strided(&data, 10, 6, -2)?;
    assert_eq!((backwards.get(0), backwards.get(5)), (Some(10.0), Some(0.0)));
    println!("length of every second: {:.3}", nrm2(backwards));
    Ok(())
}
