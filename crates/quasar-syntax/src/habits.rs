//! Help for those who write what MATLAB, Python or C would have written.

use super::token::{Tok, Token};

/// Help for `x(2:5)`.
const PART: &str = "a range is written 1..10, and elements stand in brackets: x[1..10]";
pub(super) const RANGE: &str = "a range is written 1..10, with a step 1..2..10";

/// Help for a token that is not what was `wanted`: the last one of `line`, the statement's tokens up to there.
pub(super) fn help(wanted: &str, line: &[Token]) -> Option<&'static str> {
    let (found, before) = line.split_last()?;
    let first = line.first().and_then(word);
    let last = before.last().map(|t| &t.kind);
    if before.len() == 1
        && !matches!(found.kind, Tok::Newline | Tok::End)
        && let Some(help) = first.and_then(statement)
    {
        return Some(help);
    }
    match &found.kind {
        Tok::Punct("...") => Some("a line that ends with an operator, a comma or '_' goes on in the next one"),
        Tok::Punct(":=") => Some("a variable is assigned with '='; ':=' names an argument"),
        Tok::Punct(":") if wanted == "an expression" => {
            Some("elements are read with brackets, all of a dimension: A[:,1]")
        }
        Tok::Punct(":") if wanted.starts_with("a line end") => Some(RANGE),
        Tok::Int(_) | Tok::Float(_) if wanted == "a type" => Some(PART),
        Tok::Punct("{") if matches!(last, Some(Tok::Name(_))) => {
            Some("elements of a cell are read with brackets: c[0]")
        }
        Tok::Keyword("end") if wanted == "an expression" => {
            Some("brackets hold indices from 0; the last one of x is x[end]")
        }
        Tok::Newline if matches!(last, Some(Tok::Punct("+" | "-"))) => Some("to count, write x += 1"),
        Tok::Name(n) if &**n == "in" && first == Some("for") => Some("write for i = 0..n-1"),
        Tok::Name(n) if matches!(&**n, "and" | "or") => Some("conditions are joined by '&&' and '||'"),
        Tok::Punct("(") if wanted == "'='" && first == Some("function") => {
            Some("results come first, also if there are none: function [] = f(x)")
        }
        kind if begins_expression(kind) => match last {
            Some(Tok::Name(n)) if &**n == "not" => Some("negation is '!'"),
            _ if wanted == "']'" => Some("elements are separated by commas: [1, 2]"),
            _ => None,
        },
        _ => None,
    }
}

fn word(token: &Token) -> Option<&str> {
    match &token.kind {
        Tok::Name(n) => Some(n),
        Tok::Keyword(k) => Some(k),
        _ => None,
    }
}

/// Words that begin a statement elsewhere.
fn statement(word: &str) -> Option<&'static str> {
    Some(match word {
        "switch" | "case" | "otherwise" => "cases are told apart by match x with, lines | 1 -> …, endmatch",
        "def" | "fn" | "func" => "a function is written function y = f(x), its results first",
        "let" | "var" | "const" | "global" | "local" => "a variable is made by assigning to it: x = 3",
        "elif" => "write elseif",
        "close" | "pkg" => "remove it: there is no such command",
        _ => return None,
    })
}

fn begins_expression(kind: &Tok) -> bool {
    matches!(kind, Tok::Int(_) | Tok::Float(_) | Tok::Imag(_) | Tok::Str(_) | Tok::Name(_) | Tok::Punct("[" | "("))
}

#[cfg(test)]
mod tests {
    use crate::parser::parse;
    use quadra_base::FileId;

    #[test]
    fn what_other_languages_write_gets_help() {
        let pairs = [
            ("x = [1 2 3]", "separated by commas"),
            ("x = {1, 2}\nprint x{1}", "elements of a cell"),
            ("print x(end)", "indices from 0"),
            ("print A(:,1)", "all of a dimension"),
            ("y = 1:5", "a range"),
            ("im(5:10,5:10) = 255", "elements stand in brackets"),
            ("for i = 1:10\nendfor", "a range"),
            ("for i in 1..3\nendfor", "for i = "),
            ("x = 1 + ...\n 2", "goes on in the next one"),
            ("x++\n", "x += 1"),
            ("x := 3", "assigned with '='"),
            ("x = not true", "negation"),
            ("print a and b", "'&&'"),
            ("function f(x)\nendfunction", "function [] = f(x)"),
            ("switch x\nend", "match x with"),
            ("def f(x):", "function y = f(x)"),
            ("let x = 3", "assigning"),
            ("pkg load image", "no such command"),
            ("// note\nx = 1", "comments start with '%'"),
            ("x = 1 # note", "comments start with '%'"),
            ("if x then\nendif", "remove the word"),
            ("if x ~= 3\nendif", "'!=' compares"),
            ("while x = 3\nendwhile", "'==' compares"),
        ];
        for (text, help) in pairs {
            let (_, diagnostics) = parse(FileId::of_text("habits", text), text, &mut 0);
            let first = diagnostics.first().unwrap_or_else(|| panic!("nothing is said of {text:?}"));
            assert!(first.help.iter().any(|h| h.contains(help)), "{text:?}: {first:?}");
        }
    }
}
