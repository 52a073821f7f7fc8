//! What a notebook asks of the text of a cell. Places are counted in characters, as Python does.

use pyo3::prelude::*;
use quadra::quasar::prompt;

/// Functions that may have a value, but are called for what they do.
pub const SILENT: &[&str] = &["parallel_do", "serial_do", "toc", "plot", "imshow"];

/// The byte of a character.
pub fn byte(text: &str, at: usize) -> usize {
    text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte)
}

/// The character of a byte.
pub fn character(text: &str, byte: usize) -> usize {
    text[..byte].chars().count()
}

/// `complete`, `incomplete` if further lines are missing, `invalid` if none would help.
#[pyfunction]
pub fn state(text: &str) -> &'static str {
    match (prompt::is_complete(text), prompt::is_wrong(text)) {
        (_, true) => "invalid",
        (true, _) => "complete",
        _ => "incomplete",
    }
}

/// The character that the last statement begins at, if that is an expression.
#[pyfunction]
pub fn last_expression(text: &str) -> Option<usize> {
    prompt::last_expression(text).map(|at| character(text, at))
}
