//! Device `cuda` where there is no driver of NVIDIA's, and with one that looks at what it is told and computes nothing.
#![cfg(all(feature = "gpu", target_os = "linux"))]

use std::path::Path;
use std::process::{Command, Output};

fn quadra(args: &[&str], library: &Path, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadra"));
    // Costs and code of a driver that is none are nobody's.
    let own = [("LD_LIBRARY_PATH", library.as_os_str()), ("QUADRA_CACHE", "off".as_ref())];
    command.args(args).envs(own).envs(variables.iter().copied()).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A directory with a program, and with the driver if there is a compiler for it.
fn place(driver: bool) -> Option<tempfile::TempDir> {
    let directory = tempfile::tempdir().expect("a place for files");
    let program = "x = linspace(0, 1, 5000)\ny = zeros(5000)\nfor k = 1..4\nfor i = 0..4999\ny[i] = x[i] * 2 + k\nend\nend\nprint sum(y)\n";
    std::fs::write(directory.path().join("steps.q"), program).expect("own directory");
    if driver {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ptx/fake_driver.c");
        let file = directory.path().join("libcuda.so.1");
        let built = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&file).arg(source).status();
        if !built.is_ok_and(|s| s.success()) {
            quadra_base::testing::left_out("there is no C compiler");
            return None;
        }
    }
    Some(directory)
}

fn program(directory: &Path) -> String {
    directory.join("steps.q").to_string_lossy().into_owned()
}

#[test]
fn without_a_driver_one_line_says_so() {
    let directory = place(false).expect("it needs no compiler");
    let out = quadra(&["run", "--device", "cuda", &program(directory.path())], directory.path(), &[]);
    let told = text(&out.stderr);
    if out.status.success() {
        return quadra_base::testing::not_here("this machine has a driver of NVIDIA's");
    }
    assert!(told.contains("E0730") && told.contains("libcuda.so.1") && out.stdout.is_empty(), "{told}");
    assert_eq!(told.matches("error").count(), 1, "{told}");
}

#[test]
fn help_loads_no_driver() {
    let Some(directory) = place(true) else { return };
    let loaded = |args: &[&str]| text(&quadra(args, directory.path(), &[("LD_DEBUG", "libs")]).stderr);
    let help = loaded(&["--help"]);
    assert!(help.contains("libc.so") && !help.contains("libcuda"), "{help}");
    assert!(loaded(&["devices"]).contains("libcuda"), "the same list shows it where it is used");
}

/// The driver tests addresses and sizes itself, and counts.
#[test]
fn buffers_go_there_once_and_come_back_once() {
    let Some(directory) = place(true) else { return };
    if quadra_llvm::Llvm::get().is_err() {
        return quadra_base::testing::left_out("libLLVM is not installed");
    }
    let list = text(&quadra(&["devices"], directory.path(), &[]).stdout);
    assert!(list.contains("A driver that computes nothing, through CUDA 13.0, sm_90, exact"), "{list}");
    let out = quadra(&["run", "--device", "cuda", &program(directory.path())], directory.path(), &[]);
    let told = text(&out.stderr);
    assert!(out.status.success(), "{told}");
    // What is never computed is what was there.
    assert_eq!(text(&out.stdout), "0\n", "{told}");
    let counts = told.lines().find(|l| l.starts_with("fake driver: ")).unwrap_or_else(|| panic!("{told}"));
    assert!(counts.contains("wrong 0") && counts.contains("bytes back 20000 "), "{counts}");
    assert!(counts.contains("launches 4 ") && counts.contains("bytes there 40000 "), "{counts}");
}

#[test]
fn what_the_driver_says_is_told() {
    let Some(directory) = place(true) else { return };
    if quadra_llvm::Llvm::get().is_err() {
        return quadra_base::testing::left_out("libLLVM is not installed");
    }
    let told = |refuses: &str| {
        let out =
            quadra(&["run", "--device", "cuda", &program(directory.path())], directory.path(), &[("REFUSES", refuses)]);
        let right = text(&out.stdout) == "25000\n";
        assert_eq!(out.status.success(), right, "{}", text(&out.stderr));
        (right, text(&out.stderr))
    };
    // What the GPU gave up runs on the processor.
    let (ran, why) = told("launch");
    assert!(ran && why.contains("Q0521") && why.contains("it failed while it ran (CUDA error 719)"), "{why}");
    let (ran, why) = told("memory");
    assert!(!ran && why.contains("E0731") && why.contains("out of memory"), "{why}");
    let (ran, why) = told("module");
    assert!(ran && why.contains("its assembler has a reason"), "{why}");
}
