//! The reference of the language, made of the rows of functions and words.

use quadra_quasar_vm::builtins::{themes, words};

/// The reference of functions and words as Markdown, one table per theme.
pub fn markdown() -> String {
    let mut out = String::from("# Built-in functions\n");
    let cell = |s: &str| s.replace('|', "\\|");
    let line = |signature: &str, about: &str, example: &str| {
        format!("| `{}` | {} | `{}` |\n", cell(signature), cell(about), cell(example))
    };
    let heading = |theme: &str| format!("\n## {theme}\n\n| function | meaning | example |\n|---|---|---|\n");
    for (theme, rows) in themes() {
        out.push_str(&heading(theme));
        rows.iter().for_each(|row| out.push_str(&line(row.signature, row.about, row.example)));
    }
    for (theme, words) in words::themes() {
        out.push_str(&heading(theme));
        words.iter().for_each(|word| out.push_str(&line(word.signature, word.about, word.example)));
    }
    out.push_str("\n## Written in the language\n\n| function | meaning |\n|---|---|\n");
    for (signature, about) in crate::library::described() {
        out.push_str(&format!("| `{}` | {} |\n", cell(&signature), cell(about)));
    }
    out
}
