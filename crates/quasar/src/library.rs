//! The part of the library that is written in the language itself: files that come with it. They are imported by name, or because
//! a program calls a function of theirs that it does not define.

use quadra_base::{FileId, SHIPPED};
use quadra_quasar_syntax::lexer;
use quadra_quasar_syntax::token::Tok;
use quadra_quasar_vm::builtins;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// The files and their texts.
pub const FILES: &[(&str, &str)] = &[
    ("ui.q", include_str!("../library/ui.q")),
    ("color.q", include_str!("../library/color.q")),
    ("filters.q", include_str!("../library/filters.q")),
    ("arrays.q", include_str!("../library/arrays.q")),
    ("pictures.q", include_str!("../library/pictures.q")),
    ("solvers.q", include_str!("../library/solvers.q")),
    ("wavelets.q", include_str!("../library/wavelets.q")),
    ("dtcwt.q", include_str!("../library/dtcwt.q")),
    ("sparse.q", include_str!("../library/sparse.q")),
    ("numbers.q", include_str!("../library/numbers.q")),
    ("matrices.q", include_str!("../library/matrices.q")),
    ("signals.q", include_str!("../library/signals.q")),
    ("images.q", include_str!("../library/images.q")),
    ("neighbourhoods.q", include_str!("../library/neighbourhoods.q")),
    ("design.q", include_str!("../library/design.q")),
    ("vision.q", include_str!("../library/vision.q")),
    ("systems.q", include_str!("../library/systems.q")),
    ("projections.q", include_str!("../library/projections.q")),
    ("graphics.q", include_str!("../library/graphics.q")),
    ("words.q", include_str!("../library/words.q")),
    ("lines.q", include_str!("../library/lines.q")),
    ("codes.q", include_str!("../library/codes.q")),
    ("spectra.q", include_str!("../library/spectra.q")),
    ("chances.q", include_str!("../library/chances.q")),
    ("bands.q", include_str!("../library/bands.q")),
    ("programming.q", include_str!("../library/programming.q")),
    ("pieces.q", include_str!("../library/pieces.q")),
    ("fusion.q", include_str!("../library/fusion.q")),
    ("drawn.q", include_str!("../library/drawn.q")),
    ("companions.q", include_str!("../library/companions.q")),
    ("dates.q", include_str!("../library/dates.q")),
    ("curves.q", include_str!("../library/curves.q")),
    ("records.q", include_str!("../library/records.q")),
    ("spots.q", include_str!("../library/spots.q")),
    ("factors.q", include_str!("../library/factors.q")),
    ("charts.q", include_str!("../library/charts.q")),
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
pub const CLOSED: &[&str] = &["colored_noise.q", "multirestransforms.q", "parallelblocks.q"];

/// Modules that have the original's names, but not all of its functions.
pub const PARTIAL: &[&str] = &["dtcwt.q"];

/// The text of a file of the library.
pub fn text(name: &str) -> Option<&'static str> {
    FILES.iter().find(|(file, _)| *file == name).map(|(_, text)| *text)
}

/// How messages name a file of the library.
pub fn path(name: &str) -> String {
    format!("{SHIPPED}{name}")
}

/// Whether a file is one of the library.
pub fn holds(file: FileId) -> bool {
    file.is_shipped()
}

/// All functions that the files define, and the files. Names with a leading underscore are the library's own.
fn all_functions() -> &'static HashMap<&'static str, (&'static str, &'static str)> {
    static FUNCTIONS: OnceLock<HashMap<&'static str, (&'static str, &'static str)>> = OnceLock::new();
    FUNCTIONS.get_or_init(|| {
        let heads =
            |(file, text): &'static (&str, &str)| text.lines().filter_map(head).map(|name| (name, (*file, *text)));
        FILES.iter().flat_map(heads).collect()
    })
}

/// The functions that the files define for programs, and the files.
fn functions() -> &'static HashMap<&'static str, (&'static str, &'static str)> {
    static FUNCTIONS: OnceLock<HashMap<&'static str, (&'static str, &'static str)>> = OnceLock::new();
    FUNCTIONS.get_or_init(|| {
        all_functions().iter().filter(|f| !f.0.starts_with('_')).map(|(name, at)| (*name, *at)).collect()
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
pub(crate) fn head(line: &str) -> Option<&str> {
    line.strip_prefix("function ")?.split('(').next()?.rsplit(['=', ' ']).next()
}

/// The name of the function for programs whose definition begins on this line.
fn defined_here(line: &str) -> Option<&str> {
    head(line).filter(|name| !name.starts_with('_'))
}

/// The words of a text that may be names.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The file that defines a function, be it the library's own, and its text.
pub(crate) fn holding(name: &str) -> Option<(&'static str, &'static str)> {
    all_functions().get(name).copied()
}

/// The file that defines a function for programs, and its text.
pub fn defining(name: &str) -> Option<(&'static str, &'static str)> {
    functions().get(name).copied()
}

/// Functions of the library that a text calls.
pub fn calls(text: &str) -> Vec<&'static str> {
    let functions = functions();
    if !words(text).any(|word| functions.contains_key(word)) {
        return Vec::new();
    }
    let (tokens, _) = lexer::lex(FileId::of_text("", ""), text);
    let called = tokens.windows(2).enumerate().filter_map(|(i, w)| match (&w[0].kind, &w[1].kind) {
        (Tok::Name(name), Tok::Punct("(")) if i > 0 && matches!(tokens[i - 1].kind, Tok::Punct(".")) => {
            methods().get(&**name).copied()
        }
        (Tok::Name(name), Tok::Punct("(")) => functions.get_key_value(&**name).map(|(name, _)| *name),
        _ => None,
    });
    let given = tokens.windows(4).filter_map(|w| match (&w[0].kind, &w[1].kind, &w[2].kind, &w[3].kind) {
        (Tok::Name(callee), Tok::Punct("("), Tok::Name(name) | Tok::Str(name), Tok::Punct("," | ")")) => {
            let known = functions.get_key_value(&**name).map(|(name, _)| *name);
            known.filter(|_| takes_function(callee))
        }
        _ => None,
    });
    called.chain(given).collect()
}

/// Whether the first argument of a function is a function, which the library and the built-in ones call f.
fn takes_function(name: &str) -> bool {
    static FUNCTIONS: OnceLock<HashSet<&'static str>> = OnceLock::new();
    let names = FUNCTIONS.get_or_init(|| {
        let lines = FILES.iter().flat_map(|(_, text)| text.lines());
        let own = lines.filter(|line| line.contains("(f,") || line.contains("(f)")).filter_map(defined_here);
        let rows = builtins::table().iter().map(|row| row.facts.name);
        own.chain(rows.filter(|name| {
            let takes = |form: &str| form.starts_with(&format!("{name}(f,c")) || form == format!("{name}(f)");
            builtins::named(name).is_some_and(|row| row.signature.split(", ").any(takes))
        }))
        .collect()
    });
    names.contains(name)
}

/// The names of the functions.
pub fn names() -> impl Iterator<Item = &'static str> {
    functions().keys().copied()
}

/// The line on which each function's definition begins, and the comments above it, the nearest first.
fn heads() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    FILES.iter().flat_map(|(_, text)| {
        let lines: Vec<&str> = text.lines().collect();
        let heads = (0..lines.len()).filter(|i| defined_here(lines[*i]).is_some());
        let above = |i: usize| lines[..i].iter().rev().map_while(|l| l.strip_prefix("% ")).collect();
        heads.map(|i| (lines[i], above(i))).collect::<Vec<_>>()
    })
}

/// Signatures and meanings of the functions, as the files have them: a function's head and the comment above it.
pub fn described() -> Vec<(String, &'static str)> {
    heads()
        .map(|(head, above)| {
            let (results, call) = head.trim_start_matches("function ").split_once(" = ").unwrap_or(("", head));
            let result = results.split(" :").next().unwrap_or(results);
            let signature = if result == "[]" { call.to_string() } else { format!("{result} = {call}") };
            (signature, above.into_iter().find(|l| !l.starts_with("> ")).unwrap_or_default())
        })
        .collect()
}

/// A statement that shows a function at work: the line above its definition that begins with `% > `.
pub fn example(name: &str) -> Option<&'static str> {
    let (_, above) = heads().find(|(head, _)| defined_here(head) == Some(name))?;
    above.into_iter().find_map(|line| line.strip_prefix("> "))
}

/// Signature and meaning of a function.
pub fn entry(name: &str) -> Option<(String, &'static str)> {
    let heads = heads().map(|(head, _)| head).zip(described());
    heads.filter(|(head, _)| defined_here(head) == Some(name)).map(|(_, entry)| entry).next()
}
