//! House rules that a test can check: layers, sizes, unsafe code, unfinished places.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace exists")
}

fn files_under(dir: &Path, ending: &str, out: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && name != ".git" {
                files_under(&path, ending, out);
            }
        } else if name.ends_with(ending) {
            out.push(path);
        }
    }
}

fn rust_files() -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    files_under(&root().join("crates"), ".rs", &mut paths);
    paths.sort();
    assert!(paths.len() > 50, "the tree was found");
    paths.into_iter().map(|p| (p.clone(), fs::read_to_string(&p).expect("a source file is readable"))).collect()
}

/// Files have at most 500 lines; a table or a gallery of tests says so in its first line.
#[test]
fn files_are_short() {
    let mut long = Vec::new();
    for (path, text) in rust_files() {
        let first = text.lines().next().unwrap_or_default().to_lowercase();
        let excused = first.contains("table") || first.contains("gallery");
        if text.lines().count() > 500 && !excused {
            long.push(format!("{}: {} lines", path.display(), text.lines().count()));
        }
    }
    assert!(long.is_empty(), "split by theme:\n{}", long.join("\n"));
}

/// No place in the tree waits to be finished.
#[test]
fn nothing_is_left_for_later() {
    let words = [["to", "do!("].concat(), ["unimpl", "emented!("].concat(), ["#[ign", "ore"].concat()];
    let mut found = Vec::new();
    for (path, text) in rust_files() {
        for (number, line) in text.lines().enumerate() {
            if words.iter().any(|w| line.contains(w.as_str())) {
                found.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Lines of what back-qpu does for every instruction set that name one of them.
fn named_machines(text: &str) -> Vec<&str> {
    let names = |line: &&str| ["quadra_isa", "vc4"].iter().any(|name| line.to_lowercase().contains(name));
    text.lines().filter(names).collect()
}

/// Liveness, allocation, schedulers and report know no instruction set.
#[test]
fn machine_code_is_for_any_machine() {
    let dir = root().join("crates/back-qpu/src/machine");
    let files: Vec<_> = rust_files().into_iter().filter(|(path, _)| path.starts_with(&dir)).collect();
    assert!(files.len() > 20, "the folder was found");
    for (path, text) in &files {
        let found = named_machines(text);
        assert!(found.is_empty(), "{}:\n{}", path.display(), found.join("\n"));
    }
    let planted = "fn nop() {}\nuse crate::vc4::minst::MInst;\nuse quadra_isa as isa;\n// Vc4 has three delay slots.";
    assert_eq!(named_machines(planted).len(), 3);
}

/// Every crate forbids unsafe code, except the ones that touch hardware, foreign code or SIMD lanes, which deny it and
/// allow it in named modules.
#[test]
fn unsafe_code_stays_in_its_modules() {
    let may_deny = ["isa", "device", "llvm", "isa-jit", "back-cpu"];
    for entry in fs::read_dir(root().join("crates")).expect("there are crates").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let text = fs::read_to_string(entry.path().join("src/lib.rs")).expect("a crate has a library");
        let ok = text.contains("#![forbid(unsafe_code)]")
            || may_deny.contains(&name.as_str()) && text.contains("#![deny(unsafe_code)]");
        assert!(ok, "crate `{name}` does not forbid unsafe code");
    }
}

/// Which crates a crate may depend on; the layers of ARCHITECTURE.md.
#[test]
fn layers_are_acyclic_and_as_drawn() {
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("base", &[][..]),
        ("kir", &["base"]),
        ("isa", &["base"]),
        ("llvm", &["base"]),
        ("isa-jit", &["base", "llvm", "isa"]),
        ("passes", &["base", "kir"]),
        ("passes-dma", &["base", "kir", "passes"]),
        ("back-cpu", &["base", "kir", "llvm", "passes"]),
        ("back-qpu", &["base", "kir", "passes", "passes-dma", "isa"]),
        ("device", &["base", "kir", "passes", "llvm", "isa", "isa-jit", "back-qpu", "back-cpu"]),
        ("dsl-macros", &[]),
        ("dsl", &["base", "kir", "device", "dsl-macros"]),
        ("numeric", &[]),
        ("quasar-syntax", &["base"]),
        ("quasar", &["base", "kir", "device", "numeric", "quasar-syntax"]),
        ("quadra", &["base", "kir", "passes", "isa", "back-qpu", "device", "dsl", "quasar"]),
    ]);
    for (name, allowed) in allowed {
        let text =
            fs::read_to_string(root().join("crates").join(name).join("Cargo.toml")).expect("a crate has a manifest");
        let deps = text.split("[dependencies]").nth(1).unwrap_or_default();
        let deps = deps.split("\n[").next().unwrap_or_default();
        for line in deps.lines() {
            let Some(dep) = line.strip_prefix("quadra-") else { continue };
            let dep = dep.split(['.', ' ', '=']).next().unwrap_or_default();
            assert!(allowed.contains(&dep), "crate `{name}` must not depend on `{dep}`");
        }
        for dep in ["clap", "rustyline", "indicatif", "tempfile"] {
            let has = deps.lines().any(|line| line.strip_prefix(dep).is_some_and(|l| l.starts_with(['.', ' ', '='])));
            assert!(!has, "crate `{name}` is a library's: `{dep}` belongs to the command");
        }
    }
}

/// The machine has never heard of the kernel IR, and the kernel IR names no target.
#[test]
fn the_ir_and_the_machine_do_not_know_each_other() {
    for (path, text) in rust_files() {
        let path = path.to_string_lossy().into_owned();
        if path.contains("/crates/isa/src/") {
            assert!(!text.contains("quadra_kir"), "{path} knows the kernel IR");
        }
        if path.contains("/crates/kir/src/") || path.contains("/crates/passes") {
            assert!(!text.contains("quadra_isa"), "{path} knows the machine");
        }
    }
}

/// What a device can do and costs is asked (`Device::caps`): nobody but the devices tells them apart by their names.
#[test]
fn devices_are_not_told_apart_by_name() {
    let compares = |line: &str| {
        let names = ["\"interp", "\"emu\"", "\"cpu\"", "\"vc4\""].iter().any(|name| line.contains(name));
        let asks = ["==", "!=", "starts_with", "matches!"].iter().any(|how| line.contains(how));
        names && asks && line.contains("name()")
    };
    assert!(compares(r#"let single = device.name().starts_with("interp");"#) && !compares(r#"d.name() == "main""#));
    let mut found = Vec::new();
    for (path, text) in rust_files() {
        let path = path.to_string_lossy().into_owned();
        if path.contains("/src/") && !path.contains("/crates/device/") {
            found.extend(text.lines().filter(|l| compares(l)).map(|l| format!("{path}: {}", l.trim())));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
