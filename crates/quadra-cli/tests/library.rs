//! The library beside NumPy and SciPy: `tests/library/compare.py`, and the longer programs of `tests/q/programs` beside their twins.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

/// Python with SciPy, if it is there.
fn python() -> Option<String> {
    let python = std::env::var("QUADRA_PYTHON").unwrap_or_else(|_| "python3".into());
    let has = Command::new(&python).args(["-c", "import numpy, scipy"]).output();
    if has.is_ok_and(|out| out.status.success()) {
        return Some(python);
    }
    quadra_base::testing::left_out("the Python packages of tests/library/requirements.txt are not installed");
    None
}

fn run(command: &mut Command) -> Output {
    command.env("QUADRA_CACHE", "off").output().expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n")
}

#[test]
fn functions_give_what_numpy_and_scipy_give() {
    let Some(python) = python() else { return };
    let script = root().join("tests/library/compare.py");
    let out = run(Command::new(python).arg(script).arg(env!("CARGO_BIN_EXE_quadra")));
    assert!(out.status.success(), "{}{}", text(&out.stdout), text(&out.stderr));
    assert!(text(&out.stdout).contains(" comparisons of "), "{}", text(&out.stdout));
}

#[test]
fn longer_programs_print_what_their_twins_in_numpy_print() {
    let Some(python) = python() else { return };
    let programs = std::fs::read_dir(root().join("tests/q/programs")).expect("the folder is there").flatten();
    let twins: Vec<PathBuf> = programs.map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "py")).collect();
    assert!(twins.len() >= 5, "{twins:?}");
    for twin in twins {
        let program = twin.with_extension("q");
        let double = std::fs::read_to_string(&program).is_ok_and(|t| t.starts_with("% args: -double"));
        let mut quadra = Command::new(env!("CARGO_BIN_EXE_quadra"));
        quadra.arg("run").arg(&program).args(double.then_some("--double"));
        let (mine, theirs) = (run(&mut quadra), run(Command::new(&python).arg(&twin)));
        assert!(mine.status.success() && theirs.status.success(), "{}{}", text(&mine.stderr), text(&theirs.stderr));
        assert_eq!(text(&mine.stdout), text(&theirs.stdout), "{}", program.display());
    }
}
