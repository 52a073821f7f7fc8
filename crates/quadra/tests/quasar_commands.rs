//! The commands for Quasar programs as a user runs them: output, messages, exit status.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A program in a directory of its own.
fn file(name: &str, text: &str) -> PathBuf {
    let directory = std::env::temp_dir().join(format!("quadra-commands-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("the temporary directory can be written");
    let path = directory.join(name);
    std::fs::write(&path, text).expect("the program can be written");
    path
}

fn quadra(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_quadra")).args(args).output().expect("the command runs")
}

/// Exit status, standard output and standard error of `quadra run` with these options.
fn run(name: &str, text: &str, options: &[&str]) -> (Option<i32>, String, String) {
    let path = file(name, text);
    let path = path.to_str().expect("the path is text");
    let out = quadra(&[&["run"], options, &[path]].concat());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code(), text(&out.stdout), text(&out.stderr))
}

#[test]
fn the_status_tells_success_run_time_error_compile_error_and_usage() {
    assert_eq!(run("good.q", "print 1\n", &[]), (Some(0), "1\n".into(), String::new()));
    let (status, out, err) = run("stops.q", "print 1\nprint [1,2][5]\nprint 3\n", &[]);
    assert_eq!((status, out.as_str()), (Some(1), "1\n"));
    assert!(err.contains("Q0340") && err.contains("stops.q:2:7") && err.contains("help"), "{err}");
    let (status, out, err) = run("wrong.q", "print 1\nx = (2\n", &[]);
    assert_eq!((status, out.as_str()), (Some(2), ""), "{err}");
    assert_eq!(run("exits.q", "exit(7)\n", &[]).0, Some(7));
    assert_eq!(run("usage.q", "print 1\n", &["--no-such-option"]).0, Some(64));
    assert_eq!(quadra(&["run"]).status.code(), Some(64));
    assert_eq!(quadra(&["run", "no such file.q"]).status.code(), Some(64));
    assert_eq!(quadra(&["run", "--help"]).status.code(), Some(0));
}

#[test]
fn double_precision_has_both_spellings() {
    for option in ["-double", "--double"] {
        assert_eq!(run("eps.q", "print eps\n", &[option]).1, "2.22045e-16\n");
    }
    assert_eq!(run("eps.q", "print eps\n", &[]).1, "1.19209e-07\n");
}

#[test]
fn the_limit_on_memory_is_an_error_of_the_program() {
    let text = "x = zeros(1000,1000)\nprint \"fits\"\n";
    assert_eq!(run("memory.q", text, &["--max-memory", "16M"]).1, "fits\n");
    let (status, _, err) = run("memory.q", text, &["--max-memory", "1M"]);
    assert_eq!(status, Some(1));
    assert!(err.contains("Q0310") && err.contains("1000x1000"), "{err}");
    let (status, _, err) = run("memory.q", text, &["--max-memory", "lots"]);
    assert_eq!(status, Some(64), "{err}");
}

#[test]
fn check_reports_every_file_without_running_it() {
    let good = file("check_good.q", "print 1\nx = ones(4)\nfor i=0..3\nx[i] = i\nendfor\n");
    let bad = file("check_bad.q", "a = )\nb = 1\nc = ]\n");
    let (good, bad) = (good.to_str().expect("text"), bad.to_str().expect("text"));
    let out = quadra(&["check", good, bad, "--json"]);
    assert_eq!(out.status.code(), Some(2));
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let found: Vec<serde_json::Value> =
        text.lines().map(|l| serde_json::from_str(l).expect("a line is a list of diagnostics")).collect();
    assert_eq!(found.len(), 2, "{text}");
    assert_eq!(found[0].as_array().map(Vec::len), Some(0));
    let errors = found[1].as_array().expect("a list");
    assert_eq!(errors.len(), 2, "both lines are reported: {text}");
    assert!(errors.iter().all(|e| e["code"] == "Q0110" && e["severity"] == "error"), "{text}");
    assert_eq!(quadra(&["check", good]).status.code(), Some(0));
    let verdicts = quadra(&["check", good, "--verdicts"]);
    assert!(String::from_utf8_lossy(&verdicts.stdout).contains("parallel over (i)"));
}

#[test]
fn doc_explains_functions_and_words() {
    for (name, part) in [("linspace", "linspace(a,b,n)"), ("cell", "cell(d…)"), ("syncthreads", "waits for")] {
        let out = quadra(&["doc", name]);
        assert_eq!(out.status.code(), Some(0));
        assert!(String::from_utf8_lossy(&out.stdout).contains(part), "{name}");
    }
    assert_eq!(quadra(&["doc", "nosuch"]).status.code(), Some(64));
}

#[test]
fn the_prompt_reads_what_is_piped_into_it() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_quadra"))
        .arg("repl")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let lines = "x = 3\nfor i=0..1\n    x += i\nendfor\nx * 2\nprint [1][4]\nhelp det\nwhos\n";
    child.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("the prompt reads");
    let out = child.wait_with_output().expect("the command ends");
    assert_eq!(out.status.code(), Some(0));
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(text.starts_with("8\ndet(A)\n"), "{text}");
    assert!(text.lines().any(|l| l.split_whitespace().eq(["x", "int"])), "{text}");
    assert!(String::from_utf8_lossy(&out.stderr).contains("Q0340"));
}

#[test]
fn arguments_behind_the_file_go_to_main() {
    let path = file(
        "greets.q",
        "function [] = main(name, ...rest)\nprint \"hello \", name, \" and \", numel(rest)\nendfunction\n",
    );
    let path = path.to_str().expect("the path is text");
    let out = quadra(&["run", path, "Ada", "2", "3"]);
    assert_eq!(String::from_utf8_lossy(&out.stdout), "hello Ada and 2\n", "{}", String::from_utf8_lossy(&out.stderr));
    assert_eq!(quadra(&["run", path]).status.code(), Some(1), "main needs an argument");
}
