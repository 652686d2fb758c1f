//! Split data by chance into a part to learn from and a part to test with.

use fulmen::owned::permutation;
use fulmen::random::Stream;

pub fn main() -> Result<(), fulmen::Error> {
    let names = ["ash", "birch", "cedar", "elm", "fir", "oak", "pine", "yew"];
    let order = permutation(Stream::new(2026), names.len())?;
    let (learn, test) = order.split_at(6);
    let of = |places: &[usize]| places.iter().map(|at| names[*at]).collect::<Vec<_>>();
    println!("learn from {:?}, test with {:?}", of(learn), of(test));
    let mut all = [of(learn), of(test)].concat();
    all.sort_unstable();
    assert_eq!(all, names);
    Ok(())
}
