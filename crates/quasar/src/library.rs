//! The part of the library that is written in the language itself: files that come with it. They are imported by name, or because
//! a program calls a function of theirs that it does not define.

use quadra_base::FileId;
use quadra_quasar_syntax::lexer;
use quadra_quasar_syntax::token::Tok;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// The files and their texts.
pub const FILES: &[(&str, &str)] = &[
    ("ui.q", include_str!("../library/ui.q")),
    ("color.q", include_str!("../library/color.q")),
    ("filters.q", include_str!("../library/filters.q")),
];

/// Modules whose functions are built in or load by themselves where a program calls them: importing them does nothing.
pub const MODULES: &[&str] = &[
    "system.q",
    "inttypes.q",
    "imfilter.q",
    "linalg.q",
    "colortransform.q",
    "immedfilt.q",
    "imresize.q",
    "immorphology.q",
    "imboundary.q",
];

/// Modules of the original's own library that are not there.
pub const CLOSED: &[&str] = &["colored_noise.q", "dtcwt.q", "multirestransforms.q", "parallelblocks.q"];

/// The text of a file of the library.
pub fn text(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(file, _)| *file == name).map(|(_, text)| *text)
}

/// How messages name a file of the library.
pub fn path(name: &str) -> String {
    format!("<library>/{name}")
}

/// Whether a file is one of the library.
pub fn holds(file: FileId) -> bool {
    file.name().starts_with("<library>/")
}

/// The functions that the files define for programs, and the files. Names with a leading underscore are the files' own.
fn functions() -> &'static HashMap<&'static str, (&'static str, &'static str)> {
    static FUNCTIONS: OnceLock<HashMap<&'static str, (&'static str, &'static str)>> = OnceLock::new();
    FUNCTIONS.get_or_init(|| {
        let defined = |(file, text): &(&'static str, &'static str)| {
            let (file, text) = (*file, *text);
            text.lines().filter_map(defined_here).map(move |name| (name, (file, text))).collect::<Vec<_>>()
        };
        FILES.iter().flat_map(defined).collect()
    })
}

/// Those of them that are methods of pictures: their first parameter is called `self`.
fn methods() -> &'static HashSet<&'static str> {
    static METHODS: OnceLock<HashSet<&'static str>> = OnceLock::new();
    METHODS.get_or_init(|| {
        let lines = FILES.iter().flat_map(|(_, text)| text.lines());
        lines.filter(|line| line.contains("(self")).filter_map(defined_here).collect()
    })
}

/// The name of the function whose definition begins on this line.
fn defined_here(line: &str) -> Option<&str> {
    let head = line.strip_prefix("function ")?.split('(').next()?;
    let name = head.rsplit(['=', ' ']).next()?;
    (!name.starts_with('_')).then_some(name)
}

/// The file that defines a function, and its text.
pub fn defining(name: &str) -> Option<(&'static str, &'static str)> {
    functions().get(name).copied()
}

/// Functions of the library that a text calls.
pub fn calls(text: &str) -> Vec<&'static str> {
    let functions = functions();
    if !functions.keys().any(|name| text.contains(name)) {
        return Vec::new();
    }
    let (tokens, _) = lexer::lex(FileId::of_text("", ""), text);
    let called = tokens.windows(3).filter_map(|w| match (&w[0].kind, &w[1].kind, &w[2].kind) {
        (Tok::Punct("."), Tok::Name(name), Tok::Punct("(")) => methods().get(&**name).copied(),
        (_, Tok::Name(name), Tok::Punct("(")) => functions.get_key_value(&**name).map(|(name, _)| *name),
        _ => None,
    });
    called.collect()
}

/// Signatures and meanings of the functions, as the files have them: a function's head and the comment above it.
pub fn described() -> Vec<(String, &'static str)> {
    let lines = FILES.iter().flat_map(|(_, text)| text.lines());
    let pairs = lines.clone().zip(lines.skip(1));
    let heads = pairs.filter(|(_, head)| defined_here(head).is_some());
    heads
        .map(|(about, head)| {
            let (results, call) = head.trim_start_matches("function ").split_once(" = ").unwrap_or(("", head));
            let result = results.split(" :").next().unwrap_or(results);
            let signature = if result == "[]" { call.to_string() } else { format!("{result} = {call}") };
            (signature, about.trim_start_matches("% "))
        })
        .collect()
}
