//! Drop-in tests: every file of `tests/qasm`.
//!
//! The first line says what is tested: `# test: assemble` (the words are those of the `# hex:` lines), `# test: round-trip`
//! (printed and assembled again the words are the same), or both; other kinds belong to other harnesses. Diagnostics of the
//! assembler and findings of the validator stand behind the line that causes them, `# error[H01]: …`, and no others may
//! occur. `BLESS=1` rewrites the expectations.

use quadra_base::{Diagnostic, Severity};
use quadra_isa::vc4::asm::{Assembly, Options, assemble};
use quadra_isa::vc4::hazard::{self, Check, Strictness};
use quadra_isa::vc4::{disasm, encode};
use std::path::{Path, PathBuf};

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/qasm")
}

fn files() -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = std::fs::read_dir(directory())
        .expect("tests/qasm exists")
        .map(|entry| entry.expect("a readable directory").path())
        .filter(|path| path.extension().is_some_and(|e| e == "qasm"))
        .map(|path| (path.display().to_string(), std::fs::read_to_string(&path).expect("a readable file")))
        .collect();
    files.sort();
    files
}

/// The kinds of test a file asks for.
fn kinds(text: &str) -> Vec<&str> {
    let first = text.lines().next().unwrap_or("");
    let list = first.strip_prefix("# test:").unwrap_or_else(|| panic!("the first line is `{first}`, not `# test: …`"));
    list.split([' ', '|', ',']).filter(|k| !k.is_empty()).collect()
}

/// The text without its expectations, so that they cannot change what is tested. Lines keep their numbers.
fn without_expectations(text: &str) -> Vec<String> {
    let cut = |line: &str| ["# error[", "# warning["].iter().filter_map(|mark| line.find(mark)).min();
    let hex = |line: &str| line.starts_with("# hex:");
    text.lines()
        .filter(|line| !hex(line))
        .map(|line| line[..cut(line).unwrap_or(line.len())].trim_end().to_string())
        .collect()
}

/// The file as it should be: what it says, with the expectations that come true.
fn blessed(name: &str, text: &str) -> (Option<Assembly>, String) {
    let kinds = kinds(text);
    let mut lines = without_expectations(text);
    let (assembly, mut diagnostics) = assemble(name, &lines.join("\n"), &Options::default());
    if let Some(assembly) = &assembly {
        diagnostics.extend(hazard::diagnostics(&assembly.program(), Strictness::Normal));
    }
    for diagnostic in &diagnostics {
        let span = diagnostic.span.expect("every diagnostic has a place");
        assert_eq!(&*span.file.name(), name, "{diagnostic}");
        let line = &mut lines[span.line as usize - 1];
        line.push_str(&expectation(diagnostic));
    }
    if let Some(assembly) = assembly.as_ref().filter(|_| kinds.contains(&"assemble")) {
        let hex = assembly.words.chunks(6).map(|row| {
            let words: Vec<String> = row.iter().map(|word| format!("{word:016x}")).collect();
            format!("# hex: {}", words.join(" "))
        });
        lines.splice(1..1, hex);
    }
    (assembly, lines.join("\n") + "\n")
}

fn expectation(diagnostic: &Diagnostic) -> String {
    let severity = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
    // The validator's messages end with the instruction, which stands on the line already.
    let message = diagnostic.message.split(" (instruction ").next().unwrap_or_default();
    format!(" # {severity}[{}]: {message}", diagnostic.code)
}

#[test]
fn files_meet_their_expectations() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    let mut tested = 0;
    for (name, text) in files() {
        let known = ["assemble", "round-trip"];
        if !kinds(&text).iter().any(|kind| known.contains(kind)) {
            continue;
        }
        tested += 1;
        let (assembly, expected) = blessed(&name, &text);
        if let Some(assembly) = assembly.filter(|_| kinds(&text).contains(&"round-trip")) {
            round_trip(&name, &assembly);
        }
        if expected != text && bless {
            std::fs::write(&name, &expected).expect("a writable file");
        } else if expected != text {
            let differs = |(a, b): (&str, &str)| a != b;
            let line = text.lines().zip(expected.lines()).position(differs).unwrap_or(0);
            let (is, should) = (text.lines().nth(line), expected.lines().nth(line));
            wrong.push(format!(
                "{name}:{}:\n  in the file: {}\n  found now:   {}",
                line + 1,
                is.unwrap_or(""),
                should.unwrap_or("")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}\n(BLESS=1 rewrites expectations)", wrong.join("\n"));
    assert!(tested >= 10, "{tested} files");
}

/// A listing of the instructions assembles to the same words.
fn round_trip(name: &str, assembly: &Assembly) {
    let program = assembly.program();
    let (again, diagnostics) = assemble("listing.qasm", &disasm::program(&program), &Options::default());
    let again = again.unwrap_or_else(|| panic!("{name}: the listing does not assemble: {diagnostics:?}"));
    for (index, inst) in program.insts.iter().enumerate() {
        assert_eq!(again.words.get(index), Some(&encode(inst)), "{name}: {}", disasm::inst(inst));
    }
    assert_eq!(again.words.len(), program.len(), "{name}");
}

#[test]
fn every_checked_rule_has_a_file_that_breaks_it() {
    let all: String = files().into_iter().map(|(_, text)| text).collect();
    let checked = hazard::RULES.iter().filter(|rule| matches!(rule.check, Check::Static(_)));
    let missing: Vec<_> = checked.map(|rule| rule.id).filter(|id| !all.contains(&format!("[{id}]"))).collect();
    assert_eq!(missing, Vec::<&str>::new());
}
