//! The header is what the code says, and programs of C that use it run: linked with the shared library and with the static one, and
//! under valgrind, which sees what they do wrong with memory.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

// Has cargo build the libraries.
use quadra_capi as _;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository is there")
}

fn said(out: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|out| out.status.success())
}

/// Where cargo put the libraries.
fn built() -> PathBuf {
    let test = std::env::current_exe().expect("the test has a path");
    let folder = test.parent().and_then(Path::parent).expect("a test lies in the folder of its profile");
    // Cargo puts what a test needs beside it, and beside the programs only what was asked for by name.
    [folder.join("deps"), folder.to_path_buf()]
        .into_iter()
        .find(|place| place.join("libquadra_capi.so").is_file())
        .expect("the shared library is built")
}

#[derive(Clone, Copy, PartialEq)]
enum Link {
    Shared,
    Static,
}

/// Compiles a program of C in a folder; none without a compiler.
fn compile(source: &str, folder: &Path, link: Link) -> Option<PathBuf> {
    if !has("cc") {
        quadra_base::testing::left_out("there is no C compiler `cc`");
        return None;
    }
    let program = folder.join("program");
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-g", "-O1", "-pthread", "-I"])
        .arg(root().join("crates/capi/include"));
    cc.arg("-o").arg(&program).arg(root().join(source));
    match link {
        Link::Shared => {
            std::fs::copy(built().join("libquadra_capi.so"), folder.join("libquadra.so.0")).expect("it is copied");
            cc.arg(folder.join("libquadra.so.0")).arg(format!("-Wl,-rpath,{}", folder.display()));
        }
        Link::Static => {
            cc.arg(built().join("libquadra_capi.a")).args(["-lm", "-ldl", "-lpthread"]);
        }
    }
    let out = cc.output().expect("cc runs");
    assert!(out.status.success(), "{source}: {}", said(&out));
    Some(program)
}

/// What a program of C prints.
fn run(source: &str, arguments: &[&str], link: Link) -> Option<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let program = compile(source, folder.path(), link)?;
    let out = Command::new(program).args(arguments).output().expect("it runs");
    assert!(out.status.success(), "{source}: {:?} {}", out.status, said(&out));
    Some(String::from_utf8_lossy(&out.stdout).into_owned())
}

#[test]
fn the_header_is_what_the_code_says() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut text = Vec::new();
    let config = cbindgen::Config::from_file(here.join("cbindgen.toml")).expect("the configuration is right");
    let made = cbindgen::Builder::new()
        .with_config(config)
        .with_src(here.join("src/types.rs"))
        .with_src(here.join("src/session.rs"))
        .with_src(here.join("src/border.rs"))
        .generate()
        .expect("the code has a header");
    made.write(&mut text);
    let text = String::from_utf8(text).expect("a header is text");
    let file = here.join("include/quadra.h");
    if std::env::var_os("QUADRA_BLESS").is_some() {
        std::fs::write(&file, &text).expect("it is written");
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(kept, text, "QUADRA_BLESS=1 cargo test --release -p quadra-capi writes the header anew");
}

#[test]
fn a_loop_works_on_an_array_of_c() {
    let Some(shared) = run("examples/c/heat.c", &[], Link::Shared) else { return };
    // The plate loses nothing: 20 times 30 pieces of 64 times 96 were hot.
    assert_eq!(shared, "mean temperature 0.097656\n");
    assert_eq!(run("examples/c/heat.c", &[], Link::Static), Some(shared));
}

#[test]
fn the_program_in_the_book_runs() {
    let chapter = std::fs::read_to_string(root().join("book/src/capi.md")).expect("the chapter is there");
    let program = chapter.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).expect("it has a program");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("book.c");
    std::fs::write(&file, program).expect("it is written");
    if let Some(text) = run(&file.to_string_lossy(), &[], Link::Shared) {
        assert_eq!(text, "6\n");
    }
}

#[test]
fn functions_give_numbers_texts_and_arrays() {
    let Some(text) = run("examples/c/results.c", &[], Link::Shared) else { return };
    assert_eq!(text, "least 1, most 5, 5 numbers\nthe program said: described 5\n3 4 8 9 14\n");
}

#[test]
fn loops_have_their_verdicts() {
    let heat = root().join("examples/heat.q");
    let Some(text) = run("examples/c/verdicts.c", &[&heat.to_string_lossy()], Link::Shared) else { return };
    assert!(text.contains("device emu: can be used"), "{text}");
    assert!(text.contains("line 4: parallel over (m, n)\n") && text.contains("line 17: serial: "), "{text}");
}

#[test]
fn wrong_calls_are_errors() {
    run("tests/capi/wrong.c", &[], Link::Shared);
}

#[test]
fn memory_is_used_as_it_should_be() {
    if !has("valgrind") {
        return quadra_base::testing::left_out("valgrind is not installed");
    }
    quadra_base::testing::each(&["examples/c/results.c", "tests/capi/wrong.c"], |source| {
        let folder = tempfile::tempdir().expect("a folder");
        let Some(program) = compile(source, folder.path(), Link::Shared) else { return };
        let out = Command::new("valgrind")
            .args(["--quiet", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"])
            // The code of kernels has instructions that it does not know.
            .arg(program)
            .env("QUADRA_LLVM", "off")
            .output()
            .expect("valgrind runs");
        assert!(out.status.success(), "{source}: {}", said(&out));
    });
}
