//! Programs of a few lines, each of which shows one thing: prints what it finds, and checks it.
//!
//! ```sh
//! cargo run --release --example small                  # all of them
//! cargo run --release --example small -- solve tone    # some, by name
//! ```

mod attention;
mod classifier;
mod clusters;
mod complex;
mod compress;
mod csv;
mod einsum;
mod fixed_point;
mod fused;
mod lanes;
mod layers;
mod low_pass;
mod low_rank;
mod matrix_product;
mod page_rank;
mod poisson;
mod polynomial;
mod principal_axes;
mod quantised;
mod random;
mod resample;
mod roots;
mod search;
mod shuffle;
mod smooth;
mod solve;
mod sort;
mod spectrogram;
mod statistics;
mod strides;
#[cfg(feature = "parallel")]
mod threads;
mod tone;
mod workspace;

use std::process::ExitCode;

/// One of the programs.
type Main = fn() -> Result<(), fulmen::Error>;

const ALL: &[(&str, Main)] = &[
    ("attention", attention::main),
    ("classifier", classifier::main),
    ("clusters", clusters::main),
    ("complex", complex::main),
    ("compress", compress::main),
    ("csv", csv::main),
    ("einsum", einsum::main),
    ("fixed_point", fixed_point::main),
    ("fused", fused::main),
    ("lanes", lanes::main),
    ("layers", layers::main),
    ("low_pass", low_pass::main),
    ("low_rank", low_rank::main),
    ("matrix_product", matrix_product::main),
    ("page_rank", page_rank::main),
    ("poisson", poisson::main),
    ("polynomial", polynomial::main),
    ("principal_axes", principal_axes::main),
    ("quantised", quantised::main),
    ("random", random::main),
    ("resample", resample::main),
    ("roots", roots::main),
    ("search", search::main),
    ("shuffle", shuffle::main),
    ("smooth", smooth::main),
    ("solve", solve::main),
    ("sort", sort::main),
    ("spectrogram", spectrogram::main),
    ("statistics", statistics::main),
    ("strides", strides::main),
    #[cfg(feature = "parallel")]
    ("threads", threads::main),
    ("tone", tone::main),
    ("workspace", workspace::main),
];

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if let Some(none) = wanted.iter().find(|name| ALL.iter().all(|(known, _)| known != name)) {
        let known: Vec<&str> = ALL.iter().map(|(name, _)| *name).collect();
        eprintln!("error: there is no program `{none}`; there are {}", known.join(", "));
        return ExitCode::from(2);
    }
    for (name, main) in ALL.iter().filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|w| w == name)) {
        println!("{name}");
        if let Err(why) = main() {
            eprintln!("error: {name}: {why}");
            return ExitCode::FAILURE;
        }
        println!();
    }
    ExitCode::SUCCESS
}

#[test]
fn all_of_them_run() {
    for (name, main) in ALL {
        assert_eq!(main(), Ok(()), "{name}");
    }
}
