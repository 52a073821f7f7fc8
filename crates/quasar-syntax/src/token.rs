//! Tokens of the language.

use quadra_base::Span;
use std::rc::Rc;

/// One token and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    pub kind: Tok,
    pub span: Span,
    /// Whether blanks, a comment or a line end stand directly before it.
    pub spaced: bool,
}

/// The kinds of tokens. Punctuation keeps its spelling, keywords theirs.
#[derive(Clone, Debug, PartialEq)]
pub enum Tok {
    /// An integer constant that fits `int`.
    Int(i64),
    Float(f64),
    Imag(f64),
    Str(Rc<str>),
    Name(Rc<str>),
    Keyword(&'static str),
    /// An apostrophe and the word after it: `'sat`.
    Modifier(Rc<str>),
    /// The words of `{!words}`.
    Attribute(Rc<str>),
    Punct(&'static str),
    /// A line end that ends a statement.
    Newline,
    End,
}

impl Tok {
    /// How the token is called in messages.
    pub fn describe(&self) -> String {
        match self {
            Tok::Int(v) => format!("'{v}'"),
            Tok::Float(v) => format!("'{v}'"),
            Tok::Imag(v) => format!("'{v}j'"),
            Tok::Str(s) => format!("the string \"{s}\""),
            Tok::Name(n) => format!("'{n}'"),
            Tok::Keyword(k) | Tok::Punct(k) => format!("'{k}'"),
            Tok::Modifier(m) => format!("the modifier ''{m}'"),
            Tok::Attribute(_) => "a code attribute".into(),
            Tok::Newline => "the end of the line".into(),
            Tok::End => "the end of the file".into(),
        }
    }
}

/// Words that are never identifiers.
pub const KEYWORDS: &[&str] = &[
    "function",
    "endfunction",
    "if",
    "elseif",
    "else",
    "endif",
    "for",
    "endfor",
    "while",
    "endwhile",
    "repeat",
    "until",
    "match",
    "endmatch",
    "break",
    "continue",
    "return",
    "try",
    "catch",
    "endtry",
    "import",
    "type",
    "endtype",
    "class",
    "end",
    "syncthreads",
    "memfence",
    "__kernel__",
    "__device__",
    "nullptr",
    "with",
    "mutable",
    "dynamic",
    "reduction",
    "where",
];

/// Those of [`KEYWORDS`] that no statement begins with or contains.
pub const RESERVED: &[&str] = &["reduction", "where"];

/// Functions that are called without parentheses, too: their arguments go on in the next line after a comma.
pub const COMMANDS: &[&str] = &["print", "printf", "error", "warning"];

/// Punctuation, longest first so that the first match is the longest.
pub const PUNCTUATION: &[&str] = &[
    ".*=", "./=", ".^=", "^^=", "__=", "...", "..", ".*", "./", ".^", "->", ":=", "==", "!=", "<=", ">=", "&&", "||",
    "+=", "-=", "*=", "/=", "^=", "&=", "|=", "~=", "??", "+", "-", "*", "/", "\\", "^", "=", "<", ">", "!", "?", ":",
    ",", ";", "(", ")", "[", "]", "{", "}", "|", "&", ".",
];

/// After these a line end does not end the statement.
pub const CONTINUES_AFTER: &[&str] = &[
    "+", "-", "*", "/", "\\", ".*", "./", ".^", "^", "..", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "=", "+=",
    "-=", "*=", "/=", "^=", ".*=", "./=", ".^=", "&=", "|=", "~=", "^^=", "__=", "->", ",", "?", ":", ":=", "!", ".",
];

/// A line that starts with one of these continues the line before it.
pub const CONTINUES_BEFORE: &[&str] =
    &["||", "&&", ".*", "./", ".^", "*", "/", "^", "==", "!=", "<", "<=", ">", ">=", "?", ":"];

/// Modifiers that may follow a type name inside an expression without a blank.
pub const LITERAL_MODIFIERS: &[&str] = &["half", "single", "double", "sat", "checked", "unchecked"];
