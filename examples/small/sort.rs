//! Sort numbers, with the places that they come from (argsort).

use fulmen::owned::{bottom_k, top_k};

pub fn main() -> Result<(), fulmen::Error> {
    let x = [3.5f32, -1.0, 9.0, 2.0];
    let (ascending, order) = bottom_k(&x, x.len())?;
    println!("{ascending:?} from {order:?}");
    assert_eq!((ascending, order), (vec![-1.0, 2.0, 3.5, 9.0], vec![1, 3, 0, 2]));
    assert_eq!(top_k(&x, 2)?.0, [9.0, 3.5]);
    // NaN has no place in an order.
    println!("{}", bottom_k(&[1.0, f32::NAN], 2).unwrap_err());
    Ok(())
}
