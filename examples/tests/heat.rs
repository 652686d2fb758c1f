//! The heat example: its systems, Matrix Market files that are wrong, and the command line without a process.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops where it fails"
)]

#[path = "../common/chart.rs"]
mod chart;
#[path = "../heat/cli.rs"]
mod cli;
mod common;
#[path = "../common/files.rs"]
#[allow(dead_code, reason = "the rest is for programs that read files as a whole")]
mod files;
#[path = "../heat/market.rs"]
mod market;
#[path = "../common/program.rs"]
#[allow(dead_code, reason = "the program's main has the rest")]
mod program;
#[path = "../common/progress.rs"]
mod progress;
#[path = "../heat/system.rs"]
mod system;

use std::path::PathBuf;
use system::Matrix;

/// What the program says to these arguments.
fn program(args: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = cli::run(args.iter().map(|a| (*a).into()), &mut out, &mut err, false);
    // Which lanes it ran on is said by every run that computed.
    let err = String::from_utf8(err).unwrap();
    let rest: Vec<&str> = err.split_inclusive('\n').filter(|line| !line.starts_with("lanes: ")).collect();
    assert!(code != 0 || args.iter().any(|a| ["--help", "--samples"].contains(a)) || err.contains("lanes: "));
    (code, String::from_utf8(out).unwrap(), rest.concat())
}

fn file(name: &str, text: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("fulmen-heat-{}-{name}", std::process::id()));
    std::fs::write(&path, text).unwrap();
    path
}

fn read(text: &str) -> Result<Matrix, String> {
    market::read(text.as_bytes())
}

const HEAD: &str = "%%MatrixMarket matrix coordinate real general\n";

#[test]
fn a_plate_gets_warm_in_its_middle() {
    // The sum of sines that solves it, where it is warmest; the points of this grid are heated on exactly half of a length.
    let wave = |m: usize| {
        let [a, b] = [0.25, 0.75].map(|x| (core::f64::consts::PI * m as f64 * x).cos());
        (a - b) / (core::f64::consts::PI * m as f64) * if m % 4 == 1 { 1.0 } else { -1.0 }
    };
    let odd = || (1..400).step_by(2);
    let term = |m: usize, n: usize| {
        4.0 * wave(m) * wave(n) / ((m * m + n * n) as f64 * core::f64::consts::PI.powi(2))
    };
    let series: f64 = odd().map(|m| odd().map(|n| term(m, n)).sum::<f64>()).sum();
    let mut steps = Vec::new();
    for preconditioner in ["ilu0", "jacobi", "none"] {
        let (code, out, err) = program(&["--grid=37", "--preconditioner", preconditioner]);
        assert!(code == 0 && err.is_empty(), "{out} {err}");
        assert!(out.contains("1369 unknowns, 6697 elements") && out.contains("at (0.500, 0.500)"), "{out}");
        let warmest: f64 = out.split("has ").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
        assert!((warmest / series - 1.0).abs() < 0.01, "{out} {series}");
        steps.push(
            out.split("elements: ").nth(1).unwrap().split(' ').next().unwrap().parse::<usize>().unwrap(),
        );
    }
    // All points have one diagonal, so Jacobi's steps are those without it.
    assert!(2 * steps[0] < steps[1] && steps[1] == steps[2], "{steps:?}");
}

/// The temperatures are those of the sum of sines that solves it.
#[test]
fn a_sine_is_its_own_temperature() {
    let side = 20;
    let m = system::laplacian(side).unwrap();
    let a = m.csr().unwrap();
    let angle = |i: usize| (core::f64::consts::PI * (i + 1) as f64 / (side + 1) as f64).sin();
    let wave: Vec<f64> = (0..side * side).map(|k| angle(k / side) * angle(k % side)).collect();
    let mut y = vec![0.0; side * side];
    fulmen::spmv(1.0, a, &wave, 0.0, &mut y).unwrap();
    let half = (core::f64::consts::PI / (2 * (side + 1)) as f64).sin();
    assert!(y.iter().zip(&wave).all(|(y, w)| (y - 8.0 * half * half * w).abs() < 1e-14));
    assert_eq!(m.lopsided(), None);
}

#[test]
fn matrix_market_files() {
    let m = read(&format!("{HEAD}% a note\n\n2 2 4\n1 1 4e0\n2 2 3\r\n2 1 -1\n1 2 -1")).unwrap();
    assert_eq!(
        m,
        Matrix { offsets: vec![0, 2, 4], columns: vec![0, 1, 0, 1], values: vec![4.0, -1.0, -1.0, 3.0] }
    );
    let lower =
        read("%%matrixmarket MATRIX Coordinate integer symmetric\n2 2 3\n2 2 3\n1 1 4\n2 1 -1\n").unwrap();
    assert_eq!(lower, m);
    // Numbers as Fortran writes them, more elements than places, and a comment of any length.
    let long = "long ".repeat(3000);
    let of = format!("{HEAD}%{long}\n2 2 6\n1 1 3.0D+00\n2 2 1.5d0\n2 2 0.15+001\n1 2 -1\n1 1 1\n2 1 -1.\n");
    assert_eq!(read(&of).unwrap(), m);
    let array = read("%%MatrixMarket matrix array unsigned-integer symmetric\n2 2\n4\n1.0\n3\n").unwrap();
    assert_eq!(array.values, [4.0, 1.0, 1.0, 3.0]);
    // One place twice.
    let twice = read("%%MatrixMarket matrix coordinate real symmetric\n2 2 4\n1 1 4\n2 2 3\n2 1 -2\n2 1 1\n")
        .unwrap();
    assert_eq!(twice, m);
}

#[test]
fn files_that_lie_are_refused_with_the_line() {
    let head = |rest: &str| format!("{HEAD}{rest}");
    let long = "1".repeat(2000);
    for (text, why) in [
        (String::new(), "line 1: the file is empty"),
        ("hello\n".into(), "line 1: a Matrix Market file begins"),
        ("%%MatrixMarket vector array real general\n1\n1\n".into(), "line 1: only a matrix is read"),
        ("%%MatrixMarket matrix coordinate complex general\n".into(), "line 1: elements are complex"),
        (head(""), "line 2: the file ends before its sizes"),
        (head("2 1 2\n"), "2 x 1 is not square"),
        (head("0 0 0\n"), "0 x 0 is not square, or empty"),
        (head("4000000000 4000000000 5\n"), "5 elements are too few"),
        (head("4000000000 4000000000 5000000000\n1 1 1\n"), "line 4: the file ends before its last element"),
        (head("1 1 1\n1 1 1\n1 1 1\n"), "line 4: there are more elements than the sizes say"),
        (head("1 1 1\n1 1 x\n"), "line 3: a number is expected"),
        (head("1 1 1\n1 1 nan\n"), "row 1 and column 1 have no finite number"),
        (head("1 1 1\n1 1 inf\n"), "row 1 and column 1 have no finite number"),
        (head("1 1 1\n1 1 1e999\n"), "line 3: the number is beyond the largest f64"),
        (head("1 1 1\n2 1 1\n"), "line 3: the row or the column is past the sizes"),
        (head(&format!("1 1 1\n1 1 {long}\n")), "line 3: it is longer than 1024 bytes"),
        (head("2 2 2\n1 1 1\n2 1 1\n"), "element 2 of the diagonal is not stored"),
        (head("2 2 3\n1 1 1\n2 2 1\n2 1 1\n"), "it is not symmetric in row 2 and column 1"),
        (head("2 2 4\n1 1 1\n2 2 1\n2 1 1\n1 2 2\n"), "it is not symmetric in row 1 and column 2"),
        (
            "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n2 1 1\n2 1 1\n".into(),
            "element 1 of the diagonal is not stored",
        ),
    ] {
        let got = read(&text).unwrap_err();
        assert!(got.starts_with(why), "{text:?}: {got}");
    }
    let mut bytes = head("1 1 1\n").into_bytes();
    bytes.extend(b"1 1 \xff\n");
    assert_eq!(market::read(&bytes[..]).unwrap_err(), "line 3: the line is not UTF-8");
}

#[test]
fn a_file_is_solved_and_drawn() {
    let path = file(
        "solved.mtx",
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 2\n2 1 -1\n2 2 2\n3 2 -1\n3 3 2\n",
    );
    let svg = path.with_extension("svg");
    let [from, to] = [&path, &svg].map(|p| p.to_str().unwrap());
    let (code, out, err) = program(&[from, "--preconditioner=jacobi", "--svg", to]);
    assert!(code == 0 && err.is_empty(), "{out} {err}");
    assert!(out.starts_with("3 unknowns, 7 elements: ") && out.contains("differs from ones by"), "{out}");
    let picture = std::fs::read_to_string(&svg).unwrap();
    assert!(
        picture.starts_with("<svg") && picture.ends_with("</svg>\n") && !picture.contains("NaN"),
        "{picture}"
    );
    // One point for each residual; the last one, where it is 0, has no place on an axis of powers.
    let steps = out.split("elements: ").nth(1).unwrap().split(' ').next().unwrap().parse::<usize>().unwrap();
    let line =
        picture.split("<polyline").filter(|l| l.contains("#0072B2")).map(|l| l.matches(',').count()).max();
    assert!((steps..=steps + 1).contains(&line.unwrap()), "{steps}: {picture}");
    std::fs::remove_file(&svg).unwrap();
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn what_is_not_solved_is_said() {
    let (code, out, err) = program(&["--grid=50", "--steps=3", "--preconditioner=none"]);
    assert!(code == 1 && out.contains(": 3 steps, residual") && err.contains("after 3 steps"), "{out} {err}");
    let path = file("indefinite.mtx", &format!("{HEAD}2 2 4\n1 1 1\n2 2 -3\n1 2 2\n2 1 2\n"));
    let (code, _, err) = program(&[path.to_str().unwrap(), "--preconditioner=none"]);
    assert!(code == 1 && err == "heat: the matrix is not positive definite, as step 0 shows\n", "{err}");
    // Both others are tried first, aloud.
    let (code, _, err) = program(&[path.to_str().unwrap()]);
    let lines: Vec<&str> = err.lines().collect();
    assert!(code == 1 && lines.len() == 3, "{err}");
    assert_eq!(lines[0], "heat: ILU(0) is not positive definite in row 2: Jacobi takes its place");
    assert_eq!(lines[1], "heat: the diagonal is not positive definite in row 2: none takes its place");
    std::fs::remove_file(path).unwrap();
}

/// Matrices that are solved though their incomplete factors are of no use.
#[test]
fn another_preconditioner_takes_the_place() {
    let kershaw = "%%MatrixMarket matrix coordinate real symmetric\n4 4 8\n1 1 3\n2 1 -2\n4 1 2\n2 2 3\n3 2 -2\n3 3 3\n4 3 -2\n4 4 3\n";
    let singular = format!("{HEAD}2 2 4\n1 1 1\n2 2 1\n1 2 1\n2 1 1\n");
    for (name, text, row) in [("kershaw.mtx", kershaw, 4), ("singular.mtx", singular.as_str(), 2)] {
        let path = file(name, text);
        let (code, out, err) = program(&[path.to_str().unwrap()]);
        let said = format!("heat: ILU(0) is not positive definite in row {row}: Jacobi takes its place\n");
        assert!(code == 0 && err == said, "{out} {err}");
        let steps = out.split("elements: ").nth(1).unwrap().split(' ').next().unwrap();
        assert!(steps.parse::<usize>().unwrap() <= 2, "{out}");
        std::fs::remove_file(path).unwrap();
    }
}

/// In a process of its own, with less memory than the plate needs.
#[cfg(target_os = "linux")]
#[test]
fn little_memory_is_an_error() {
    const CHILD: &str = "FULMEN_HEAT_CHILD";
    if std::env::var_os(CHILD).is_some() {
        let (code, out, err) = program(&["--grid=10000"]);
        assert!(code == 2 && out.is_empty(), "{out} {err}");
        assert!(err.starts_with("heat: there is not enough memory") && err.lines().count() == 1, "{err}");
        return;
    }
    let me = std::env::current_exe().unwrap();
    // One that has not enough for the first array, and one that has not enough for a later one.
    for kilobytes in ["1000000", "3500000"] {
        let done = std::process::Command::new("sh")
            .args(["-c", "ulimit -v $1 && exec \"$0\" --exact little_memory_is_an_error --test-threads=1"])
            .args([me.as_os_str(), kilobytes.as_ref()])
            .env(CHILD, "1")
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    }
}

#[test]
fn arguments_of_no_use() {
    for (args, why) in [
        (&["--grid=0"][..], "0 is not in 1..=10000"),
        (&["--grid", "100000"], "100000 is not in 1..=10000"),
        (&["--grid"], "a value is required"),
        (&["--tolerance=0"], "it must be between 0 and 1"),
        (&["--tolerance=nan"], "it must be between 0 and 1"),
        (&["--steps=-1"], "'-1'"),
        (&["--preconditioner=x\u{1b}"], "'x\\u{1b}'"),
        (&["--unknown"], "unexpected argument '--unknown'"),
        (&["a", "b"], "unexpected argument"),
        (&["a", "--grid=3"], "cannot be used with"),
    ] {
        let (code, out, err) = program(args);
        assert!(
            code == 2 && out.is_empty() && err.starts_with("heat: ") && err.contains(why),
            "{args:?}: {err}"
        );
        assert!(err.lines().count() < 6, "{err}");
    }
    let (code, out, err) = program(&["/no/such/file"]);
    assert!(
        code == 2 && out.is_empty() && err.starts_with("heat: /no/such/file: ") && err.lines().count() == 1,
        "{err}"
    );
    let (code, _, err) = program(&["--grid=3", "--svg=/no/such/folder/x.svg"]);
    assert!(code == 2 && err.starts_with("heat: /no/such/folder/x.svg: "), "{err}");
    let (code, _, err) = program(&[std::env::temp_dir().to_str().unwrap()]);
    assert!(code == 2 && err.lines().count() == 1, "{err}");
    let (code, out, err) = program(&["--help"]);
    assert!(code == 0 && out.contains("Usage: heat") && err.is_empty());
}

/// What is in a folder of its own, after a test of writing.
fn names(folder: &std::path::Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

#[cfg(unix)]
#[test]
fn the_picture_replaces_no_input_and_is_whole_or_not_there() {
    common::disk::inside(program);
    let folder = std::env::temp_dir().join(format!("fulmen-heat-{}-picture", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let word = |name: &str| folder.join(name).to_str().unwrap().to_string();
    let (matrix, svg) = (word("a.mtx"), word("a.svg"));
    let text = format!("{HEAD}2 2 3\n1 1 2\n2 2 3\n1 2 0\n")
        .replace("general", "symmetric")
        .replace("1 2 0", "2 1 1");
    std::fs::write(&matrix, &text).unwrap();
    std::fs::hard_link(&matrix, word("hard")).unwrap();
    std::os::unix::fs::symlink(&matrix, word("soft")).unwrap();
    for out in ["a.mtx", "hard", "soft"] {
        let (code, said, err) = program(&[&matrix, "--svg", &word(out)]);
        assert!(
            code == 2 && said.is_empty() && err.contains("a.mtx, which is read and would be written over"),
            "{err}"
        );
        assert_eq!(std::fs::read_to_string(&matrix).unwrap(), text);
    }
    let (code, _, err) = program(&["--grid=3", "--svg", &word("no/such")]);
    assert!(code == 2 && err.contains("no/such"), "{err}");
    std::fs::write(&svg, "old").unwrap();
    let name = "the_picture_replaces_no_input_and_is_whole_or_not_there";
    assert!(common::disk::full(name, &["--grid=30", "--svg", &svg]).starts_with("heat: "));
    {
        let _other = files::Place::claim(svg.as_ref(), &[]).unwrap();
        let (code, _, err) = program(&["--grid=3", "--svg", &svg]);
        assert!(code == 2 && err.contains("a.svg: another run is writing to it"), "{err}");
    }
    assert_eq!(std::fs::read_to_string(&svg).unwrap(), "old");
    assert_eq!(names(&folder), ["a.mtx", "a.svg", "hard", "soft"]);
    assert_eq!(program(&["--grid=30", "--svg", &svg]).0, 0);
    let drawn = std::fs::read_to_string(&svg).unwrap();
    for word in
        ["<svg", "Conjugate gradients: 900 unknowns", "residual, share of the right-hand side", "lanes "]
    {
        assert!(drawn.contains(word), "{word}: {drawn}");
    }
    assert_eq!(names(&folder), ["a.mtx", "a.svg", "hard", "soft"]);
    std::fs::remove_dir_all(&folder).unwrap();
}
