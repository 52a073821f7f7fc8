//! House rules that a test can check: layers, sizes, unsafe code, unfinished places.

#[path = "tidy/builtins.rs"]
mod builtins;
#[path = "tidy/circles.rs"]
mod circles;
#[path = "tidy/source.rs"]
mod source;

use source::Strings;
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

/// The files below `src` of each crate, by their path there.
fn crates() -> BTreeMap<String, Vec<(String, String)>> {
    let mut all: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (path, text) in rust_files() {
        let below = path.strip_prefix(root().join("crates")).expect("it was found there");
        let below = below.to_string_lossy().replace('\\', "/");
        if let Some((name, file)) = below.split_once("/src/") {
            all.entry(name.into()).or_default().push((file.into(), text));
        }
    }
    all
}

/// Files have at most 500 lines; a table or a gallery of tests says so in its first line.
#[test]
fn files_are_short() {
    let mut long = Vec::new();
    for (path, text) in rust_files() {
        let first = text.lines().next().unwrap_or_default().to_lowercase();
        let excused = ["table", "tables", "gallery"].iter().any(|word| source::has_word(&first, word));
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

/// The modules with unsafe code: those that touch hardware, foreign code, memory of the system or SIMD lanes.
const UNSAFE: &[(&str, &[&str])] = &[
    ("back-cpu", &["native/guard.rs", "native/lending.rs", "native/mod.rs", "native/signal.rs"]),
    ("base", &["team.rs"]),
    ("capi", &["border.rs", "lend.rs"]),
    ("device", &["cuda/api.rs", "gpu/controls.rs", "gpu/shader.rs", "pages.rs", "vc4/sys.rs"]),
    ("isa", &["vc4/emu/native.rs"]),
    ("isa-jit", &["direct/call.rs", "native.rs"]),
    ("llvm", &["child.rs", "executable.rs", "ffi.rs", "lite.rs"]),
    ("python", &["interrupt.rs", "lend.rs"]),
];

/// Every crate forbids unsafe code, except those of [`UNSAFE`], which deny it and allow it in the modules named there.
#[test]
fn unsafe_code_stays_in_its_modules() {
    for (name, files) in crates() {
        let allowed = UNSAFE.iter().find(|row| row.0 == name).map_or(&[][..], |row| row.1);
        let front = &files.iter().find(|f| f.0 == "lib.rs").expect("a crate has a library").1;
        let attribute = if allowed.is_empty() { "#![forbid(unsafe_code)]" } else { "#![deny(unsafe_code)]" };
        assert!(front.contains(attribute), "crate `{name}` does not say {attribute}");
        for (file, code) in source::modules(&files) {
            let says = source::has_word(&code, "unsafe");
            assert!(!says || allowed.contains(&file.as_str()), "{name}/{file} is no module for unsafe code");
        }
        for file in allowed {
            assert!(files.iter().any(|f| f.0 == *file), "{name}/{file} is gone: take it from the table");
        }
    }
}

/// Where a crate says that it is not built for tests in it, none would ever run.
#[test]
fn tests_in_crates_run() {
    for (name, files) in crates() {
        let manifest = fs::read_to_string(root().join(format!("crates/{name}/Cargo.toml"))).expect("a crate has one");
        let silent = manifest.lines().any(|line| line == "test = false");
        let with = files.iter().find(|(_, text)| text.lines().any(|line| line.trim() == "#[test]"));
        assert!(
            !silent || with.is_none(),
            "crate `{name}` says `test = false`, but {:?} has tests",
            with.map(|f| &f.0)
        );
    }
}

/// Crates with circles of imports: the files of the greatest circle, and the folders of the greatest one. Numbers only shrink; what
/// is not named has no circle of folders, and none of more than [`FILES`] files.
const CIRCLES: &[(&str, usize, usize)] = &[];

/// Files that may import each other.
const FILES: usize = 8;

/// Folders of a crate do not import each other in a circle, nor do more than a few files.
#[test]
fn imports_make_no_circles() {
    let mut wrong = Vec::new();
    for (name, files) in crates() {
        let (most_files, most_folders) =
            CIRCLES.iter().find(|row| row.0 == name).map_or((FILES, 0), |row| (row.1.max(FILES), row.2));
        let graph = circles::imports(&files);
        for (graph, most, what) in [(circles::folders(&graph), most_folders, "folders"), (graph, most_files, "files")] {
            if let Some(circle) = circles::circles(&graph).first().filter(|c| c.len() > most) {
                let files = circle.join(" ");
                wrong.push(format!("{} {what} of `{name}` import each other, {most} may: {files}", circle.len()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Functions that are longer than [`LINES`], with their lines. The table only shrinks.
const LONG: &[(&str, &str, usize)] = &[
    ("back-cpu", "shapes", 74),
    ("back-qpu", "new", 69),
    ("device", "bind", 87),
    ("dsl-macros", "if_", 69),
    ("dsl-macros", "rewrite_function", 61),
    ("dsl-macros", "visit_expr_mut", 80),
    ("isa", "run_loop", 64),
    ("isa-jit", "run", 74),
    ("kir", "bind", 67),
    ("kir", "result_type", 64),
    ("kir", "to_diagnostic", 88),
    ("passes", "sweep", 63),
    ("quadra-cli", "table", 67),
    ("quasar-hir", "expr", 100),
    ("quasar-hir", "statement", 77),
    ("quasar-lower", "body", 67),
    ("quasar-lower", "go", 88),
    ("quasar-lower", "launch", 61),
    ("quasar-lower", "run", 81),
    ("quasar-vm", "effect", 92),
    ("quasar-vm", "execute", 236),
    ("quasar-vm", "expression_into", 63),
    ("quasar-vm", "other", 85),
    ("quasar-vm", "put", 62),
    ("quasar-vm", "run", 71),
    ("tests", "row", 65),
    ("tests", "row_loop", 67),
    ("tests", "statement", 103),
];

const LINES: usize = 60;

/// Functions have at most 60 lines.
#[test]
fn functions_are_short() {
    let most = |name: &str, function: &str| {
        LONG.iter().find(|row| (row.0, row.1) == (name, function)).map_or(LINES, |row| row.2)
    };
    let mut long = Vec::new();
    for (name, files) in crates() {
        for (file, code) in source::modules(&files) {
            let found = source::functions(&code).into_iter().filter(|(f, lines)| *lines > most(&name, f));
            long.extend(found.map(|(f, lines)| format!("{name}/{file}: {f}, {lines} lines")));
        }
    }
    assert!(long.is_empty(), "split by steps:\n{}", long.join("\n"));
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
        ("back-gpu", &["base", "kir", "passes"]),
        ("back-qpu", &["base", "kir", "passes", "passes-dma", "isa"]),
        ("device", &["base", "kir", "passes", "llvm", "isa", "isa-jit", "back-qpu", "back-gpu", "back-cpu"]),
        ("dsl-macros", &[]),
        ("dsl", &["base", "kir", "device", "dsl-macros"]),
        ("numeric", &["base"]),
        ("figure", &["base"]),
        ("quasar-syntax", &["base"]),
        ("quasar-hir", &["base", "quasar-syntax"]),
        ("quasar-vm", &["base", "figure", "kir", "device", "numeric", "quasar-syntax", "quasar-hir"]),
        ("quasar-lower", &["base", "kir", "device", "quasar-syntax", "quasar-hir", "quasar-vm"]),
        ("quasar", &["base", "figure", "device", "quasar-syntax", "quasar-hir", "quasar-vm", "quasar-lower"]),
        ("lsp", &["base", "quasar-syntax", "quasar-hir", "quasar"]),
        ("quadra", &["base", "kir", "passes", "isa", "back-qpu", "device", "dsl", "quasar"]),
        ("capi", &["base", "device", "quasar"]),
        ("python", &[]),
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

/// Modules outside of the devices that still compare names of devices, and how often. The table only shrinks.
const NAMES: &[(&str, usize)] =
    &[("quadra-cli/quasar_profile.rs", 2), ("quasar-lower/devices.rs", 2), ("tests/drop_in/launch.rs", 1)];

/// Comparisons of something with the name of a device, in code.
fn comparisons(code: &str) -> usize {
    let names = ["\"interp\"", "\"interp-qpu\"", "\"emu\"", "\"cpu\"", "\"vc4\""];
    let compares = |line: &str| {
        let about = names.iter().any(|name| {
            line.match_indices(name).any(|(at, _)| {
                let (before, behind) = (line[..at].trim_end(), line[at + name.len()..].trim_start());
                ["==", "!="].iter().any(|how| before.ends_with(how) || behind.starts_with(how))
                    || ["=>", "|"].iter().any(|how| behind.starts_with(how))
                    || before.ends_with('|')
            })
        });
        let starts = line.contains("starts_with(\"interp");
        about || starts || line.contains("matches!(") && names.iter().any(|name| line.contains(name))
    };
    code.lines().filter(|l| compares(l)).count()
}

/// What a device can do and costs is asked (`Device::caps`): nobody but the devices tells them apart by their names.
#[test]
fn devices_are_not_told_apart_by_name() {
    let planted = r#"let single = device.name().starts_with("interp");
let same = "emu" == name; // "cpu" == name
match name { "interp" | "cpu" => 1, _ => 2 }
if d.name() == "main" { open("emu") }"#;
    assert_eq!(comparisons(&source::code(planted, Strings::Keep)), 3);
    for (name, files) in crates() {
        if name == "device" {
            continue;
        }
        for (file, text) in files {
            let (code, _) = source::without_tests(&source::code(&text, Strings::Keep));
            let place = format!("{name}/{file}");
            let most = NAMES.iter().find(|row| row.0 == place).map_or(0, |row| row.1);
            let found = comparisons(&code);
            assert!(found <= most, "{place} compares names of devices {found} times, {most} are known: ask for `caps`");
        }
    }
}
