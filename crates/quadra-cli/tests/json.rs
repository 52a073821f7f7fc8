//! Every output of `--json` is an object with the version of its schema, and the commands that look after the machine say what they
//! are asked.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// The version that the book describes.
const SCHEMA: u32 = 1;

fn quadra(args: &[&str], variables: &[(&str, &Path)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadra"));
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).args(args);
    command.envs(variables.iter().copied()).output().expect("the binary is built with the tests")
}

fn help(path: &[&str]) -> String {
    let out = quadra(&[path, &["--help"]].concat(), &[]);
    String::from_utf8(out.stdout).expect("text")
}

/// The commands below one that take `--json`.
fn with_json(path: &[&str], found: &mut Vec<String>) {
    let text = help(path);
    if text.lines().any(|l| l.trim().split(' ').next() == Some("--json")) {
        found.push(path.join(" "));
    }
    let commands = text.split("\nCommands:\n").nth(1).unwrap_or_default();
    for name in commands.lines().map_while(|l| l.strip_prefix("  ")).filter_map(|l| l.split(' ').next()) {
        if !name.is_empty() && name != "help" {
            with_json(&[path, &[name]].concat(), found);
        }
    }
}

/// A command's words and the options that make its output short.
const OUTPUTS: &[(&str, &str)] = &[
    ("compile", "gcd --explain --json"),
    ("timing", "--json"),
    ("timing", "--report --json"),
    ("profile", "gcd --json"),
    ("devices", "--json"),
    ("doctor", "--json"),
    ("cache size", "--json"),
    ("kernels", "--json"),
    ("kernels", "--slots --json hello"),
    ("fuzz", "kir --count 1 --json"),
    ("fuzz", "qpu --count 1 --json"),
    ("fuzz", "devices --count 1 --json"),
    ("fuzz", "loops --count 1 --device interp --json"),
    ("fuzz", "quasar --count 1 --json"),
    ("bench emulator", "--turns 100 --json"),
    ("bench qpu", "--kernel hello --quick --json"),
    ("bench qpu", "--kernel hello --quick --summary --json"),
    ("bench cpu", "--only K9 --variants rust --runs 1 --json"),
    ("bench general", "--only negative,counts --no-peers --rounds 1 --turn 1 --json"),
    ("bench gpu", "--only LAUNCH --json"),
    ("bench growth", "--sides 64 --runs 1 --json"),
    ("bench editor", "--lines 200 --json"),
    ("bench host", "--rounds 0 --only cumsum --json"),
    ("bench auto", "--rounds 0 --only product --devices host --json"),
    ("run", "--profile --json PROGRAM"),
    ("compare", "--qpus 1 --json PROGRAM"),
    ("check", "--json PROGRAM"),
];

#[test]
fn every_json_output_carries_its_schema() {
    let directory = tempfile::tempdir().expect("a place for files");
    let program = directory.path().join("one.q");
    std::fs::write(&program, "x = zeros(4096)\nfor i=0..4095\nx[i] = i\nendfor\nprint x[3]\n").expect("own directory");
    let mut known = Vec::new();
    with_json(&[], &mut known);
    assert!(known.len() > 12, "{known:?}");
    for command in &known {
        assert!(OUTPUTS.iter().any(|o| o.0 == command), "`quadra {command} --json` is not tested");
    }
    quadra_base::testing::each(OUTPUTS, |(command, options)| {
        let line = format!("{command} {options}").replace("PROGRAM", program.to_str().expect("text"));
        let out = quadra(&line.split(' ').collect::<Vec<_>>(), &[]);
        let [printed, told] = [&out.stdout, &out.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        if told.contains("E0851") || told.contains("E0730") {
            return quadra_base::testing::left_out("libLLVM is not installed, or no GPU is named");
        }
        // A profile stays apart from what the program prints.
        let text = if *command == "run" { &told } else { &printed };
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>().peekable();
        assert!(values.peek().is_some(), "{line}: {printed}{told}");
        for value in values {
            let value = value.unwrap_or_else(|e| panic!("{line}: {e}: {text}"));
            assert_eq!(value["schema"], SCHEMA, "{line}: {text}");
        }
    });
}

#[test]
fn the_doctor_names_what_is_wrong_and_a_cure() {
    let directory = tempfile::tempdir().expect("a place for files");
    let file = directory.path().join("file");
    std::fs::write(&file, "").expect("own directory");
    let ask = |variables: &[(&str, &Path)]| {
        let out = quadra(&["doctor", "--json"], variables);
        assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
        let found: Value = serde_json::from_slice(&out.stdout).expect("JSON");
        found["rows"].as_array().expect("a list").clone()
    };
    let rows = ask(&[("QUADRA_LLVM", &file), ("QUADRA_CACHE", &file)]);
    let of = |subject: &str| rows.iter().find(|r| r["subject"] == subject).unwrap_or_else(|| panic!("{rows:?}"));
    assert_eq!(of("kernels")["state"], "ok");
    for subject in ["libLLVM", "cache"] {
        assert_eq!(of(subject)["state"], "problem", "{rows:?}");
        assert!(!of(subject)["cures"].as_array().expect("a list").is_empty(), "{rows:?}");
    }
    assert!(of("GPU")["text"].as_str().is_some_and(|t| t.contains("the system shows")));
    let own = directory.path().join("cache");
    let rows = ask(&[("QUADRA_CACHE", &own)]);
    let cache = rows.iter().find(|r| r["subject"] == "cache").expect("it is looked at");
    assert!(cache["state"] == "ok" && cache["text"].as_str().is_some_and(|t| t.contains("writable, own")), "{rows:?}");
}

#[test]
fn the_cache_says_what_it_takes_and_is_emptied() {
    let directory = tempfile::tempdir().expect("a place for files");
    let own = [("QUADRA_CACHE", directory.path())];
    quadra_base::cache::Cache::at(directory.path()).expect("own directory").put(b"key", &[7; 1000]);
    std::fs::write(directory.path().join("letter"), "dear").expect("own directory");
    let size =
        || -> Value { serde_json::from_slice(&quadra(&["cache", "size", "--json"], &own).stdout).expect("JSON") };
    assert!(size()["files"] == 1 && size()["bytes"].as_u64() > Some(1000));
    let out = quadra(&["cache", "clear"], &own);
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success() && text.starts_with("removed from ") && text.contains(": 1 files, 0.0 MiB"), "{text}");
    assert_eq!(size()["files"], 0);
    assert!(directory.path().join("letter").is_file());
    let off = quadra(&["cache", "size"], &[("QUADRA_CACHE", Path::new("off"))]);
    assert!(off.status.success() && String::from_utf8_lossy(&off.stdout).contains("switched off"));
}
