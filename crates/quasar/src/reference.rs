//! The reference of the language, made of the rows of functions and words.

use crate::library;
use quadra_quasar_vm::builtins::{self, themes, words};

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
    out.push_str(&heading("Written in the language"));
    let mut names: Vec<&str> = library::names().collect();
    names.sort_unstable();
    for name in names {
        let (signature, about) = library::entry(name).unwrap_or_default();
        out.push_str(&line(&signature, about, library::example(name).unwrap_or_default()).replace(" `` ", "  "));
    }
    out
}

/// Signature, meaning and example of a built-in function, of a word of the language, or of a function written in it.
pub fn entry(name: &str) -> Option<String> {
    let text = |signature: &str, about: &str, example: &str| {
        format!("{signature}\n    {about}\n    {example}").trim_end().to_string()
    };
    if let Some(row) = builtins::named(name) {
        return Some(text(row.signature, row.about, row.example));
    }
    if let Some(word) = words::find(name) {
        return Some(text(word.signature, word.about, word.example));
    }
    let (signature, about) = library::entry(name)?;
    Some(text(&signature, about, library::example(name).unwrap_or_default()))
}

/// The names of functions, whether built in or written in the language, that contain a text.
pub fn names_with(part: &str) -> Vec<&'static str> {
    let rows = builtins::table().iter().map(|row| row.facts.name);
    let mut found: Vec<&str> = rows.chain(library::names()).filter(|name| name.contains(part)).collect();
    found.sort_unstable();
    found
}
