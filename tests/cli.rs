//! The program `fulmen` as a user runs it: what it prints is what the library makes, and a reader that is gone or a full
//! disk is no panic.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where it fails")]

use std::process::{Command, Stdio};

fn fulmen(args: &[&str]) -> Command {
    let mut c = Command::new(env!("CARGO_BIN_EXE_fulmen"));
    c.args(args).current_dir(env!("CARGO_MANIFEST_DIR"));
    c
}

/// Exit status, standard output, standard error.
fn run(args: &[&str]) -> (Option<i32>, String, String) {
    let got = fulmen(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (got.status.code(), text(&got.stdout), text(&got.stderr))
}

const COMMANDS: [&[&str]; 5] = [
    &["tile", "--target", "sm_61"],
    &["fuse", "--example", "--target", "webgpu", "--print"],
    &["contract", "status"],
    &["--help"],
    &["ptx", "gemm"],
];

#[test]
fn a_reader_that_is_gone_is_no_panic() {
    for args in COMMANDS {
        let mut child = fulmen(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&done.stderr);
        assert!(!err.contains("panicked"), "{args:?}: {err}");
        let expected = if args[0] == "ptx" && !cfg!(feature = "cuda") { 2 } else { 0 };
        assert_eq!(done.status.code(), Some(expected), "{args:?}: {err}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    for args in COMMANDS {
        let done = fulmen(args).stdout(full()).output().unwrap();
        let err = String::from_utf8_lossy(&done.stderr);
        assert!(!err.contains("panicked"), "{args:?}: {err}");
        // clap prints its help itself and takes no notice.
        if args != ["--help"] {
            assert_eq!(done.status.code(), Some(2), "{args:?}: {err}");
            assert!(err.contains("standard output") || !cfg!(feature = "cuda"), "{args:?}: {err}");
        }
        // With both streams full the exit status is all there is.
        let done = fulmen(args).stdout(full()).stderr(full()).status().unwrap();
        assert!(done.code().is_some_and(|c| c != 101), "{args:?}: {done}");
    }
}

#[test]
fn a_missing_feature_is_named() {
    let (code, out, err) = run(&["ptx", "exp", "--target", "sm_90"]);
    if cfg!(feature = "cuda") {
        assert!(code == Some(0) && out.contains(".target sm_90"), "{out} {err}");
    } else {
        assert!(code == Some(2) && err.contains("--features cli,cuda"), "{err}");
    }
}

/// The example's chains: with the features, the numbers are those of kernels that were made just then.
#[test]
fn chains_are_counted_in_kernels_that_are_made() {
    for (target, here, feature) in
        [("sm_80", cfg!(feature = "cuda"), "cuda"), ("webgpu", cfg!(feature = "wgsl"), "wgsl")]
    {
        let (code, out, err) = run(&["fuse", "--example", "--target", target]);
        assert_eq!(code, Some(0), "{err}");
        let said = |chain: &str| out.lines().find_map(|l| l.strip_prefix(chain)).unwrap_or("").to_string();
        let (up, down) = (said("rms_norm > up > add_bias > gelu: "), said("down > residual: "));
        // up and add_bias, then down: elements of four bytes, written and read.
        let saved = [2 * 512 * 11008 * 8, 512 * 4096 * 8].map(|n| format!(", {n} bytes not moved"));
        assert!(up.ends_with(&saved[0]) && down.ends_with(&saved[1]), "{out}");
        if here {
            assert!(up.starts_with("2 kernels,") && down.starts_with("one kernel,"), "{out}");
            let (_, half, _) = run(&["fuse", "--example", "--target", target, "--type", "f16"]);
            assert!(half.contains("no kernel (") && !half.contains("one kernel"), "{half}");
        } else {
            assert!(up.contains(&format!("--features cli,{feature}")), "{out}");
        }
    }
    let (_, host, _) = run(&["fuse", "--example", "--target", "x86_64_v4"]);
    assert!(!host.contains("one kernel") && host.contains("on the host"), "{host}");
}

#[test]
fn tiles_are_those_that_run() {
    for (target, tile) in
        [("x86_64_v4", "8 x 48 x 512"), ("x86_64_v3", "6 x 16 x 256"), ("neoverse_n1", "8 x 12 x 256")]
    {
        let (_, out, _) = run(&["tile", "--target", target]);
        assert!(out.contains(&format!("tile        {tile} of f32 for gemm")), "{out}");
    }
    for (scalar, none) in [("f32", false), ("f16", true), ("i8", true)] {
        let (_, out, _) = run(&["tile", "--target", "sm_80", "--type", scalar]);
        assert_eq!(out.contains("kernel      none"), none, "{out}");
    }
}
