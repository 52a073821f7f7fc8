//! What prompts and notebooks share: which inputs are complete, which have a value to show, and which names complete a word.

use crate::session::Session;
use quadra_base::FileId;
use quadra_quasar_syntax::ast::{ExprKind, Stmt, StmtKind};
use quadra_quasar_syntax::token::{KEYWORDS, RESERVED, Tok};
use quadra_quasar_syntax::{lexer, parser};
use quadra_quasar_vm::builtins;
use quadra_quasar_vm::display::{self, Format};
use quadra_quasar_vm::typing;
use quadra_quasar_vm::value::Value;

/// The variable that holds the value of the last expression.
pub const ANSWER: &str = "ans";

/// What a text is called that was typed.
const TYPED: &str = "typed";

/// How prompts show values: long rows and columns by their ends.
pub const SHORT: Format = Format { digits: (6, 6), shorten_above: 100 };

/// Whether the input is an expression whose value should be shown. Calls of `silent` functions are made for what they do.
pub fn has_value(session: &Session, text: &str, silent: &[&str]) -> bool {
    let (module, diagnostics) = parser::parse(FileId::of_name(TYPED), text, &mut 0);
    let [Stmt { kind: StmtKind::Expr(expr), .. }] = &module.body[..] else { return false };
    if !diagnostics.is_empty() {
        return false;
    }
    match &expr.kind {
        ExprKind::Assign { .. } | ExprKind::MultiAssign { .. } | ExprKind::Declare { .. } => false,
        ExprKind::Call { callee, .. } => match &callee.kind {
            ExprKind::Name(name) => !silent.contains(&&**name) && session.gives_value(name),
            _ => true,
        },
        _ => true,
    }
}

/// Whether the line is the name of a built-in function that may be called without arguments, and of nothing that a program defined.
pub fn is_command(session: &Session, line: &str) -> bool {
    let own = || session.globals().iter().any(|g| *g.0 == *line) || session.functions().any(|f| **f == *line);
    builtins::named(line).is_some_and(|row| row.min == 0) && !own()
}

/// Where the last statement of a text begins, in bytes, if it is an expression. None if the text has errors, or a semicolon at its end.
pub fn last_expression(text: &str) -> Option<usize> {
    let (module, diagnostics) = parser::parse(FileId::of_name(TYPED), text, &mut 0);
    let Stmt { kind: StmtKind::Expr(_), span, .. } = module.body.last()? else { return None };
    if !diagnostics.is_empty() || text.trim_end().ends_with(';') {
        return None;
    }
    let above: usize = text.split_inclusive('\n').take(span.line as usize - 1).map(str::len).sum();
    let before = text[above..].chars().take(span.column as usize - 1).map(char::len_utf8).sum::<usize>();
    Some(above + before)
}

/// What a name means in a session: type, size and value of a variable, the parameters of a function, or the reference's entry.
pub fn explain(session: &Session, name: &str) -> Option<String> {
    if let Some((_, value)) = session.globals().iter().find(|g| *g.0 == *name) {
        let size = match value {
            Value::Array(t) => format!(" {}", display::shape_text(&t.shape)),
            _ => String::new(),
        };
        let ty = typing::type_of(value, session.double());
        return Some(format!("{name} : {ty}{size}\n{}", display::shown(value, SHORT)));
    }
    let head = format!("{name}(");
    let own: Vec<String> = session.signatures().into_iter().filter(|s| s.starts_with(&head)).collect();
    if own.is_empty() { crate::reference::entry(name) } else { Some(own.join("\n")) }
}

/// All names that mean something in a session, sorted: keywords, built-in functions, words, the library's functions, and what programs
/// defined.
pub fn names(session: &Session) -> Vec<String> {
    let words = KEYWORDS.iter().filter(|word| !RESERVED.contains(word)).map(|w| w.to_string());
    let mut names: Vec<String> = words.collect();
    names.extend(builtins::table().iter().map(|b| b.facts.name.to_string()));
    names.extend(builtins::words::themes().iter().flat_map(|(_, words)| *words).map(|w| w.name.to_string()));
    names.extend(crate::library::names().map(str::to_string));
    names.extend(session.globals().iter().map(|g| g.0.to_string()));
    names.extend(session.functions().map(ToString::to_string));
    names.sort();
    names.dedup();
    names
}

/// Whether the text has all its closing words and brackets.
pub fn is_complete(text: &str) -> bool {
    let file = FileId::of_name(TYPED);
    let (_, diagnostics) = parser::parse(file, text, &mut 0);
    let open: i32 = lexer::lex(file, text)
        .0
        .iter()
        .map(|token| match token.kind {
            Tok::Punct("(" | "[" | "{") => 1,
            Tok::Punct(")" | "]" | "}") => -1,
            _ => 0,
        })
        .sum();
    // What is nested too deeply does not get better by more of it.
    if diagnostics.iter().any(|d| d.code == "Q0111") {
        return true;
    }
    open <= 0 && !diagnostics.iter().any(|d| d.code == "Q0120" || d.message.contains("the end of the file"))
}

/// Whether no further lines make a program of the text.
pub fn is_wrong(text: &str) -> bool {
    let (_, diagnostics) = parser::parse(FileId::of_name(TYPED), text, &mut 0);
    is_complete(text) && diagnostics.iter().any(quadra_base::Diagnostic::is_error)
}

/// Byte range of the name that a byte touches, which may be empty.
pub fn word_at(text: &str, at: usize) -> (usize, usize) {
    let other = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let (head, tail) = text.split_at_checked(at).unwrap_or((text, ""));
    let end = head.len() + tail.find(other).unwrap_or(tail.len());
    (word_start(head), end)
}

/// Where the name starts that a text ends with.
fn word_start(head: &str) -> usize {
    let last = head.char_indices().rfind(|(_, c)| !c.is_ascii_alphanumeric() && *c != '_');
    last.map_or(0, |(at, c)| at + c.len_utf8())
}

/// Where the word starts that the cursor is behind, and which names start like it.
pub fn completions(names: &[String], line: &str, at: usize) -> (usize, Vec<String>) {
    let head = line.get(..at).unwrap_or(line);
    let start = word_start(head);
    let word = &head[start..];
    let found = names.iter().filter(|n| !word.is_empty() && n.starts_with(word)).cloned().collect();
    (start, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_completed_where_the_cursor_is() {
        let names: Vec<String> = ["linspace", "log", "log10", "my_value"].map(String::from).to_vec();
        assert_eq!(completions(&names, "x = lo", 6), (4, vec!["log".into(), "log10".into()]));
        assert_eq!(completions(&names, "f(my_, 2)", 5), (2, vec!["my_value".into()]));
        assert_eq!(completions(&names, "x = ", 4).1, Vec::<String>::new());
    }

    #[test]
    fn words_behind_letters_of_several_bytes() {
        let names = ["log".to_string()];
        assert_eq!(completions(&names, "\"ä\" ä lo", 9), (8, vec!["log".into()]));
        assert_eq!(completions(&names, "älo", 4), (2, vec!["log".into()]));
        assert_eq!(word_at("x = älog10(3)", 8), (6, 11));
        assert_eq!(word_at("ä", 1), (2, 2), "inside of a letter is the end");
    }

    #[test]
    fn the_last_statement_of_a_text() {
        let at = |text: &str| last_expression(text).map(|at| text[at..].to_string());
        assert_eq!(at("x = 1\nif x\n  x\nendif\n  x + \"ä\"  % a\n").as_deref(), Some("x + \"ä\"  % a\n"));
        assert_eq!(at("s = \"ä\"; s").as_deref(), Some("s"));
        for text in ["", "x = ", "if 1\n1\nendif", "1+2;"] {
            assert_eq!(at(text), None, "{text}");
        }
    }

    #[test]
    fn what_names_mean() {
        let mut session = Session::new(Default::default(), Box::new(std::io::sink()));
        session.run("a", "m = eye(2)\nfunction y = twice(x)\n  y = 2*x\nendfunction\n");
        assert!(explain(&session, "m").is_some_and(|t| t.starts_with("m : mat 2x2\n")));
        assert_eq!(explain(&session, "twice").as_deref(), Some("twice(x)"));
        assert!(explain(&session, "linspace").is_some_and(|t| t.starts_with("linspace(a,b[,n])")));
        assert_eq!(explain(&session, "nothing_here"), None);
    }

    #[test]
    fn what_no_further_line_mends() {
        assert!(is_wrong("x = )\n") && !is_wrong("if 1\n") && !is_wrong("x = 1\n"));
    }

    #[test]
    fn open_blocks_and_brackets_are_not_complete() {
        for text in ["if 1\n", "for i=0..3\nprint i\n", "x = [1,\n", "f = (a,\n"] {
            assert!(!is_complete(text), "{text}");
        }
        for text in ["x = 1\n", "if 1\nprint 2\nendif\n", "x = )\n"] {
            assert!(is_complete(text), "{text}");
        }
    }
}
