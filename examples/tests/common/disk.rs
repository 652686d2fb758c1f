//! A program on a disk that is full: this test program again, in a process whose files have a kilobyte at most.

use std::process::Command;

/// The variable with the arguments, one a line.
const ARGS: &str = "FULMEN_TEST_ARGS";

/// Runs the test `name`, which hands its arguments to the program when [`inside`] has some. Returns what that said, after it
/// failed and said it in a line.
pub fn full(name: &str, args: &[&str]) -> String {
    let script = r#"trap "" XFSZ; ulimit -f 1; exec "$0" "$@""#;
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(std::env::current_exe().unwrap());
    let out = command.args(["--exact", name, "--nocapture"]).env(ARGS, args.join("\n")).output().unwrap();
    let said = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(2), "{args:?}: {said}");
    let last = said.lines().last().unwrap_or_default().to_string();
    assert!(last.contains("too large") || last.contains("No space"), "{args:?}: {said}");
    last
}

/// In that process: runs the program and ends.
pub fn inside(program: impl FnOnce(&[&str]) -> (u8, String, String)) {
    if let Ok(args) = std::env::var(ARGS) {
        let (code, _, err) = program(&args.split('\n').collect::<Vec<_>>());
        eprintln!("{}", err.trim_end());
        std::process::exit(code.into());
    }
}
