//! `quadra explain CODE`.

use super::common::CliResult;
use quadra_base::{CodeEntry, Diagnostic};
use quadra_isa::vc4::hazard;

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
            Ok(())
        }
        None => Err(vec![
            Diagnostic::error("", format!("there is no error code `{code}`")).help("`quadra explain` lists all codes"),
        ]),
    }
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
