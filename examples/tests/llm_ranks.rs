//! `llm train --ranks`, on CPUs and on the interpreter's device.

use super::line::{folder, with};
use crate::machine::{AllReduce, Machine};
use crate::memory::Lack;
use crate::ranks::{RankJob, on_ranks};
use crate::train::Rank;
use fulmen::backend::Blocking;
use fulmen::collective::Error;

#[test]
fn the_number_of_ranks_changes_no_bit() {
    let (folder, line) = folder("ranks");
    let files = |ranks: &str| {
        let (code, out, err) = with(&line, &["--fresh", "--batch=5", "--steps=4", "--ranks", ranks]);
        assert!(code == 0 && out.contains("model.svg: the losses"), "{ranks}: {err}");
        ["model", "model.state"].map(|name| std::fs::read(folder.at(name)).unwrap())
    };
    let one = files("1");
    assert!(files("2") == one && files("4") == one);
    // A run goes on with another number of ranks.
    let on_two = with(&line, &["--resume", "--batch=5", "--steps=6", "--ranks=2"]);
    assert_eq!(on_two.0, 0, "{}", on_two.2);
    let state = std::fs::read(folder.at("model.state")).unwrap();
    assert_eq!(with(&line, &["--fresh", "--batch=5", "--steps=6"]).0, 0);
    // The steps of the first part were of a shorter run, whose rates were others.
    assert!(state.len() == std::fs::read(folder.at("model.state")).unwrap().len());
}

#[cfg(feature = "gpu")]
#[test]
fn deterministic_devices_of_ranks_give_the_same_bits() {
    let (folder, line) = folder("device-ranks");
    let train = |more: &[&str]| {
        let more = [&["--fresh", "--backend=interpreter", "--batch=4", "--length=4"], more].concat();
        let (code, _, err) = with(&line, &more);
        assert_eq!(code, 0, "{more:?}: {err}");
        std::fs::read(folder.at("model")).unwrap()
    };
    let one = train(&["--deterministic"]);
    assert!(train(&["--deterministic", "--ranks=2"]) == one);
    assert!(train(&["--deterministic", "--ranks=4"]) == one);
    // Without it a device has one group, and these are two.
    assert_eq!(train(&["--ranks=2"]).len(), one.len());
}

#[test]
fn ranks_that_do_not_fit_are_refused() {
    let (folder, line) = folder("no-ranks");
    for (more, part) in [
        (&["--ranks=3"][..], "--ranks 3 does not divide the 4 groups of a batch"),
        (&["--ranks=8"], "--ranks is more than the sequences of a --batch"),
        (&["--ranks=0"], "0 is not in 1..="),
        (&["--ranks=2", "--backend=abacus"], "there is no backend abacus in this build"),
    ] {
        let (code, out, err) = with(&line, more);
        assert!(code == 2 && out.is_empty() && err.contains(part), "{more:?}: {code} {err}");
        assert!(!folder.at("model").exists());
    }
}

/// What each rank of a job gives.
struct Leaves(usize);

impl RankJob for Leaves {
    type Done = Result<f32, Lack>;
    fn run<M: Machine + Blocking>(self, _: M, at: Rank, others: &dyn AllReduce<M>) -> Self::Done {
        let first = others.sum_of_host(at.rank as f32)?;
        if at.rank == self.0 {
            return Ok(first);
        }
        others.sum_of_host(1.0)
    }
}

#[test]
fn a_rank_that_leaves_ends_the_others() {
    let done = on_ranks("cpu", 3, false, |_| Leaves(1));
    let [first, second, third] = done.try_into().unwrap();
    let ended = Err(Lack::Ranks(Error::Ended { op: "all_reduce", rank: 1 }));
    assert_eq!(second.unwrap().unwrap(), Ok(3.0));
    assert_eq!(first.unwrap().unwrap(), ended);
    assert_eq!(third.unwrap().unwrap(), ended);
}

/// The error of the rank that failed is the program's, whichever failed next because of it.
#[test]
fn a_text_that_is_too_short_is_said_once() {
    let (folder, mut line) = folder("short");
    line[1] = folder.file("short", b"to be");
    let (code, out, err) = with(&line, &["--ranks=2"]);
    assert!(code == 2 && out.is_empty() && err.contains("training needs more than"), "{code} {err}");
    assert_eq!(err.matches("training needs").count(), 1, "{err}");
}
