//! `fulmen-instructions TYPE N COUNT`: so many products, for a counter of a whole program.

use fulmen_instructions::PRODUCTS;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let [_, kind, n, count] = &args[..] else { panic!("TYPE N COUNT") };
    let number = |word: &str| word.parse::<usize>().expect("a number");
    let (_, single, double) = PRODUCTS.iter().find(|p| p.0 == number(n)).expect("no product of this size");
    for _ in 0..number(count) {
        if kind == "f32" { single() } else { double() }
    }
}
