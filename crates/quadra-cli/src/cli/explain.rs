//! `quadra explain CODE`.

use super::common::CliResult;
use super::explain_examples::{self, Shown};
use quadra_base::{CodeEntry, Diagnostic};
use quadra_isa::vc4::hazard;
use quadra_quasar::session::{Options, Session, with_stack};
use quadra_quasar_syntax::codes::{self, Example};

/// Steps that an example may take.
const FUEL: u64 = 1_000_000;

/// Prints what an error code means, an example that raises it, and what to do.
#[derive(clap::Args)]
pub struct Args {
    /// The code as messages show it in brackets, for example E0602; without a code, the list of all.
    code: Option<String>,
}

/// The tables of all crates.
fn tables() -> Vec<&'static [CodeEntry]> {
    vec![
        quadra_kir::codes::CODES,
        quadra_back_qpu::codes::TABLE,
        quadra_device::codes::TABLE,
        quadra_isa::codes::TABLE,
        quadra_llvm::codes::TABLE,
        quadra_isa::vc4::asm::CODES,
        quadra_passes::codes::TABLE,
        quadra_quasar_syntax::codes::TABLE,
        quadra_dsl::codes::TABLE,
        quadra::codes::TABLE,
        crate::codes::TABLE,
        #[cfg(feature = "gpu")]
        quadra_device::gpu::CODES,
    ]
}

pub fn run(args: &Args) -> CliResult {
    let mut entries: Vec<&CodeEntry> = tables().into_iter().flatten().collect();
    entries.sort_by_key(|e| e.code);
    let Some(code) = &args.code else {
        for e in entries {
            println!("{}  {}", e.code, e.title);
        }
        for rule in hazard::RULES {
            println!("{}  {}", rule.id, rule.title);
        }
        return Ok(());
    };
    let wanted = code.to_uppercase();
    if let Some(rule) = hazard::rule_of(&wanted) {
        println!("{}: {}\n\n{}\n{}", rule.id, rule.title, rule.checked_by(), rule.level());
        return Ok(());
    }
    match entries.iter().find(|e| e.code == wanted) {
        Some(e) => {
            println!("{}: {}\n\n{}", e.code, e.title, e.explanation.trim());
            if let Some(example) = codes::example(e.code) {
                print!("{}", shown(e.code, example));
            } else if let Some(example) = explain_examples::example(e.code) {
                print!("{}", other(e.code, &example));
            }
            Ok(())
        }
        None => Err(vec![
            Diagnostic::error("", format!("there is no error code `{code}`")).help("`quadra explain` lists all codes"),
        ]),
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|l| format!("    {l}\n")).collect()
}

/// An example of a code that no Quasar program raises.
fn other(code: &str, example: &Shown) -> String {
    let text = indented(example.text);
    let what = match example.kind {
        "kir" => "a kernel",
        "asm" => "assembly",
        "json" => "an image",
        "rust" => "a kernel in Rust",
        "$" => "a command",
        _ => return format!("\nExample, in words:\n{text}"),
    };
    let how = if example.how.is_empty() { String::new() } else { format!(" {}", example.how) };
    let said: String = match example.kind {
        "$" | "rust" => String::new(),
        _ => explain_examples::said(example)
            .iter()
            .filter(|d| d.code == code)
            .take(1)
            .map(|d| indented(&d.render(false)))
            .collect(),
    };
    let said = if said.is_empty() { said } else { format!("\nWhat is said of it, and what to do:\n{said}") };
    format!("\nExample, {what}{how}:\n{text}{said}")
}

/// An example of a code for Quasar, and what is said of it: it is run.
fn shown(code: &'static str, example: Example) -> String {
    if example.command {
        return format!("\nExample:\n{}", indented(example.text));
    }
    let said = with_stack(move || said_of(example)).unwrap_or_default();
    let said: String = said.iter().filter(|d| d.code == code).take(1).map(|d| indented(&d.render(false))).collect();
    let with = if example.options.is_empty() { String::new() } else { format!(", with {}", example.options) };
    format!("\nExample{with}:\n{}\nWhat is said of it, and what to do:\n{said}", indented(example.text))
}

/// What checking and running an example reports. It runs in a directory of its own, which is gone afterwards.
fn said_of(example: Example) -> Vec<Diagnostic> {
    let place = tempfile::tempdir();
    if let Ok(place) = &place {
        // In the wrong directory an example may find a file that it misses.
        let _there = std::env::set_current_dir(place.path());
    }
    let words: Vec<&str> = example.options.split_whitespace().collect();
    let device = words.iter().position(|w| *w == "--device").and_then(|i| words.get(i + 1));
    let options = Options {
        verbose: true,
        once: true,
        fuel: FUEL,
        double: words.contains(&"-double"),
        check_races: words.contains(&"--check-races"),
        device: device.map_or("host", |d| *d).into(),
        ..Options::default()
    };
    let mut session = Session::new(options.clone(), Box::new(std::io::sink()));
    let (mut said, _) = session.check("example.q", example.text);
    said.extend(Session::new(options, Box::new(std::io::sink())).run("example.q", example.text).diagnostics);
    // The directory cannot be removed everywhere while somebody is in it.
    let _left = std::env::set_current_dir(std::env::temp_dir());
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_code_stands_in_one_table_once() {
        let mut seen = HashSet::new();
        for entry in tables().into_iter().flatten() {
            assert!(seen.insert(entry.code), "{} is given twice", entry.code);
            assert!(!entry.explanation.trim().is_empty(), "{} is not explained", entry.code);
        }
        assert!(seen.len() > 60);
    }
}
