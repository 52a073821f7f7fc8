//! A built-in function's name stands in its row, in documentation and in tests. Whoever else needs to know the function asks its row.

use crate::source::{self, Strings};
use quadra_quasar::builtins;
use std::collections::BTreeSet;

/// The reference of the words of the language, which shares names with functions.
const EXCEPT: &str = "builtins/words.rs";

/// Arguments whose words are names of functions, too, by the file that reads them.
const ARGUMENTS: &[(&str, &str)] = &[
    ("builtins/cylinder.rs", "lower"),
    ("builtins/cylinder.rs", "upper"),
    ("builtins/decompose.rs", "lower"),
    ("builtins/decompose.rs", "upper"),
    ("builtins/filter.rs", "conv"),
    ("builtins/frame.rs", "all"),
    ("builtins/frame.rs", "fill"),
    ("builtins/io.rs", "dir"),
    ("builtins/io.rs", "var"),
    ("compile/call.rs", "var"),
    ("builtins/random.rs", "seed"),
    ("builtins/omit.rs", "all"),
    ("compile/statement.rs", "grid"),
];

/// The crates of the language, without the grammar, which has words of its own and knows no functions.
fn knows_functions(name: &str) -> bool {
    name.starts_with("quasar") && name != "quasar-syntax"
}

/// The string literals that are names of functions, outside rows, comments and tests.
fn names_in(text: &str, names: &BTreeSet<&str>) -> Vec<String> {
    let (code, _) = source::without_tests(&source::code(text, Strings::Keep));
    let (mut found, mut rest, mut open) = (Vec::new(), code.as_str(), 0);
    while let Some(begin) = rest.find('"') {
        open = open_in_row(&rest[..begin], open);
        let literal = &rest[begin + 1..];
        let mut escaped = false;
        let end = literal.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let end = end.unwrap_or(literal.len());
        if open == 0 && names.contains(&literal[..end]) {
            found.push(literal[..end].to_string());
        }
        rest = literal.get(end + 1..).unwrap_or_default();
    }
    found
}

/// How many parentheses of a row are open behind code without strings, if so many were before it.
fn open_in_row(code: &str, mut open: usize) -> usize {
    for (at, c) in code.char_indices() {
        match c {
            '(' if open > 0 || code[..at].ends_with("row!") => open += 1,
            ')' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    open
}

#[test]
fn names_of_functions_stand_in_their_rows_only() {
    let names: BTreeSet<&str> = builtins::table().iter().map(|row| row.facts.name).collect();
    let (mut files, mut wrong) = (0, Vec::new());
    for (name, sources) in crate::crates().into_iter().filter(|c| knows_functions(&c.0)) {
        for (file, text) in sources.into_iter().filter(|f| f.0 != EXCEPT) {
            files += 1;
            let found = names_in(&text, &names).into_iter().filter(|n| !ARGUMENTS.contains(&(&file, n)));
            wrong.extend(found.map(|n| format!("{name}/{file}: \"{n}\"")));
        }
    }
    assert!(files > 100, "the sources are found");
    assert!(wrong.is_empty(), "ask the row of the function (`builtins::meaning`) instead:\n{}", wrong.join("\n"));
}

#[test]
fn a_planted_name_is_found() {
    let names = BTreeSet::from(["sin", "size"]);
    let text = "//! \"sin\" is fine here\n#[cfg(test)]\nmod fixture;\nfn f(name: &str) -> bool {\n    matches!(name, \"cos\" | \"sin\")\n}\nrow!(\n    \"size\",\n    \"size(x) \\\" (\"\n).gives(1),\nconst X: &str = \"size\";\n#[cfg(test)]\nmod tests { const Y: &str = \"sin\"; }\n";
    assert_eq!(names_in(text, &names), ["sin", "size"]);
}
