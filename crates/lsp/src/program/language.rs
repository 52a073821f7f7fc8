//! What the server takes from the language's crates: the one place that knows where it lies.

pub use quadra_quasar::LoopVerdict;
pub use quadra_quasar::builtins;
pub use quadra_quasar::library;
pub use quadra_quasar::session::{Analysis, Options, Session, with_stack};
pub use quadra_quasar_hir::scope::{COUNTS, Names};
pub use quadra_quasar_hir::types::Type;
pub use quadra_quasar_syntax::format::format;
pub use quadra_quasar_syntax::{ast, lexer, token};
use std::path::PathBuf;
use std::sync::Arc;

/// Analyses a program; `edited` texts count instead of what is on disk, and imports are looked for in `library`, too.
pub fn analyse(name: &str, text: &str, edited: Vec<(PathBuf, Arc<str>)>, library: &[PathBuf]) -> Analysis {
    let options = Options { edited, library: library.to_vec(), ..Options::default() };
    Session::new(options, Box::new(std::io::sink())).analyse(name, text)
}

/// Signature, meaning and example of a built-in function, or of a word of the language.
pub fn entry(name: &str) -> Option<[&'static str; 3]> {
    let row = builtins::named(name).map(|row| [row.signature, row.about, row.example]);
    row.or_else(|| builtins::words::find(name).map(|word| [word.signature, word.about, word.example]))
}

/// What a name means that a program does not define.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shipped {
    Constant,
    Function,
    Type,
}

/// Names of types that need no definition.
const TYPES: &[&str] =
    &["string", "object", "function", "lambda_expr", "kernel_function", "cell", "shared", "shared_zeros"];

pub fn shipped(name: &str) -> Option<Shipped> {
    if builtins::constant(name, false).is_some() {
        return Some(Shipped::Constant);
    }
    let array = || {
        let name = name.strip_prefix(['c', 'i']).unwrap_or(name);
        let rest = ["vec", "mat", "cube"].iter().find_map(|base| name.strip_prefix(base));
        rest.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == 'x'))
    };
    if Type::of_numbers(name).is_some() || TYPES.contains(&name) || array() {
        return Some(Shipped::Type);
    }
    let defined = builtins::named(name).is_some() || library::defining(name).is_some();
    (defined || token::COMMANDS.contains(&name)).then_some(Shipped::Function)
}

/// Parameters that a launch gives by their names.
pub const SPECIAL: &[&str] = &["pos", "blkpos", "blkidx", "blkdim", "blkcnt", "warpsize"];
