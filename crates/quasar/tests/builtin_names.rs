//! A built-in function's name stands in its row, in documentation and in tests. Whoever else needs to know the function asks its row.

use quadra_quasar::host::lib;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The reference of the words of the language, which shares names with functions.
const EXCEPT: &str = "host/lib/words.rs";

/// The string literals of a source text that are names of functions, outside rows, comments and the tests at its end.
fn names_in<'t>(text: &'t str, names: &BTreeSet<&str>) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut row = 0i32;
    for line in text.lines().take_while(|l| l.trim() != "#[cfg(test)]" || !l.starts_with('#')) {
        let code = line.trim_start();
        if code.starts_with("//") {
            continue;
        }
        let opens = |c| line.matches(c).count() as i32;
        if row > 0 || code.contains("row!(") {
            row += opens('(') - opens(')');
            continue;
        }
        found.extend(line.split('"').skip(1).step_by(2).filter(|s| names.contains(s)));
    }
    found
}

fn sources(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a directory of the sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

#[test]
fn names_of_functions_stand_in_their_rows_only() {
    let names: BTreeSet<&str> = lib::table().iter().map(|row| row.name).collect();
    let mut files = Vec::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for entry in fs::read_dir(crates).expect("the crates").flatten() {
        // The grammar has words of its own and knows no functions.
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("quasar") && name != "quasar-syntax" {
            sources(&entry.path().join("src"), &mut files);
        }
    }
    assert!(files.len() > 100, "the sources are found");
    let mut wrong = Vec::new();
    for path in files.iter().filter(|p| !p.ends_with(EXCEPT)) {
        let text = fs::read_to_string(path).expect("a source");
        wrong.extend(names_in(&text, &names).into_iter().map(|n| format!("{}: \"{n}\"", path.display())));
    }
    assert!(wrong.is_empty(), "ask the row of the function (`lib::meaning`) instead:\n{}", wrong.join("\n"));
}

#[test]
fn a_planted_name_is_found() {
    let names = BTreeSet::from(["sin", "size"]);
    let text = "//! \"sin\" is fine here\nfn f(name: &str) -> bool {\n    matches!(name, \"cos\" | \"sin\")\n}\nrow!(\n    \"size\",\n    \"size(x)\"\n),\nconst X: &str = \"size\";\n";
    assert_eq!(names_in(text, &names), ["sin", "size"]);
}
