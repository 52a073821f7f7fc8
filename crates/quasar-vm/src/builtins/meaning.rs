//! What the rows of functions say to those who do not run them, in the terms of [`quadra_quasar_hir::meaning`].

use quadra_quasar_hir::meaning::{Library, Meaning};
use std::sync::OnceLock;

/// What is known of all functions.
pub fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| super::table().iter().map(|row| &row.facts).collect())
}

/// What a name means as long as the program gives it no other meaning.
pub fn meaning(name: &str) -> Meaning {
    library().meaning(name)
}

/// The name of a function by its meaning, for messages.
pub fn name_of(meaning: Meaning) -> &'static str {
    super::table().iter().find(|row| row.facts.meaning == meaning).map_or("", |row| row.facts.name)
}
