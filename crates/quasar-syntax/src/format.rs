//! Layout of source text for `quadra fmt`: lines indented by their blocks, one blank around operators and after commas,
//! comments, line breaks and the inside of strings kept. It works on tokens, so that text with errors is laid out, too.

use super::lexer;
use super::token::{Tok, Token};
use quadra_base::FileId;

const INDENT: &str = "    ";
/// Levels that are shown: no program may be nested deeper.
const MOST_LEVELS: usize = 200;

/// `text` with the standard layout. The result has the same tokens.
///
/// ```
/// let text = "for i=0..3\nprint   i ,1\nendfor";
/// assert_eq!(quadra_quasar_syntax::format::format(text), "for i = 0..3\n    print i, 1\nendfor\n");
/// ```
pub fn format(text: &str) -> String {
    let mut out = String::new();
    let mut depth = 0usize;
    let mut brackets = 0i32;
    let mut continued = false;
    let mut blank = true;
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() {
            if !blank {
                out.push('\n');
            }
            blank = true;
            continue;
        }
        blank = false;
        let (code, comment) = split_comment(line);
        let (tokens, _) = lexer::lex(FileId::of_name("fmt"), code);
        let tokens: Vec<Token> = tokens.into_iter().filter(|t| !matches!(t.kind, Tok::Newline | Tok::End)).collect();
        let (before, after) = block_change(&tokens);
        let inside = brackets > 0 || continued;
        let level = (depth as i32 + before).max(0) as usize + usize::from(inside);
        out.push_str(&INDENT.repeat(level.min(MOST_LEVELS)));
        let laid_out = if inside || tokens_are_partial(code) { code.trim().to_string() } else { join(&tokens, code) };
        out.push_str(&laid_out);
        if !comment.is_empty() {
            if !laid_out.is_empty() {
                out.push_str("  ");
            }
            out.push_str(comment);
        }
        while out.ends_with(' ') {
            out.pop();
        }
        out.push('\n');
        depth = (depth as i32 + before + after).max(0) as usize;
        for token in &tokens {
            match token.kind {
                Tok::Punct("(" | "[" | "{" | "`") => brackets += 1,
                Tok::Punct(")" | "]" | "}" | "'") => brackets = (brackets - 1).max(0),
                _ => {}
            }
        }
        continued = matches!(tokens.last().map(|t| &t.kind), Some(Tok::Punct(p)) if super::token::CONTINUES_AFTER.contains(p) && *p != "->")
            || matches!(tokens.last().map(|t| &t.kind), Some(Tok::Name(n)) if &**n == "_");
    }
    out
}

/// The code of a line and its comment: `%` outside a string starts one.
fn split_comment(line: &str) -> (&str, &str) {
    let mut in_string = false;
    for (i, c) in line.char_indices() {
        match c {
            '"' => in_string = !in_string,
            '%' if !in_string => return (line[..i].trim_end(), &line[i..]),
            _ => {}
        }
    }
    (line, "")
}

/// A line with an open bracket or a problem keeps its inner layout.
fn tokens_are_partial(code: &str) -> bool {
    let (_, diagnostics) = lexer::lex(FileId::of_name("fmt"), code);
    !diagnostics.is_empty() || code.contains('`') || code.contains('\u{2018}') || code.contains("{!")
}

/// How the line itself is shifted, and the lines after it in addition.
fn block_change(tokens: &[Token]) -> (i32, i32) {
    let (mut level, mut lowest, mut open) = (0i32, 0i32, 0i32);
    for (i, token) in tokens.iter().enumerate() {
        let starts = i == 0 || matches!(tokens[i - 1].kind, Tok::Punct(";"));
        match &token.kind {
            Tok::Punct("(" | "[" | "{") => open += 1,
            Tok::Punct(")" | "]" | "}") => open -= 1,
            // The last index of an array.
            Tok::Keyword("end") if open > 0 => {}
            Tok::Keyword("function" | "if" | "for" | "while" | "repeat" | "match" | "try") if starts => level += 1,
            Tok::Keyword("class") => level += 1,
            Tok::Keyword(
                "endfunction" | "endif" | "endfor" | "endwhile" | "until" | "endmatch" | "endtry" | "endtype" | "end",
            ) => {
                level -= 1;
                lowest = lowest.min(level);
            }
            Tok::Keyword("else" | "elseif" | "catch") => lowest = lowest.min(level - 1),
            Tok::Punct("|") if i == 0 => lowest = lowest.min(level - 1),
            _ => {}
        }
    }
    (lowest, level - lowest)
}

/// Tokens with the standard blanks between them.
fn join(tokens: &[Token], code: &str) -> String {
    let chars: Vec<char> = code.chars().collect();
    let text = |t: &Token| -> String {
        let start = t.span.column as usize - 1;
        chars[start.min(chars.len())..(start + t.span.len as usize).min(chars.len())].iter().collect()
    };
    let mut out = String::new();
    for (i, token) in tokens.iter().enumerate() {
        let own = text(token);
        // The point of a number would become one of the range's.
        let points = out.ends_with('.') && own.starts_with('.');
        if i > 0 && (points || blank_between(tokens, i)) {
            out.push(' ');
        }
        out.push_str(&own);
    }
    out
}

/// Whether a blank belongs between tokens `i - 1` and `i`.
fn blank_between(tokens: &[Token], i: usize) -> bool {
    let (left, right) = (&tokens[i - 1], &tokens[i]);
    // A sign that follows an operator or an opening bracket belongs to its operand.
    let operand_before = |k: usize| {
        k > 0
            && match &tokens[k - 1].kind {
                Tok::Punct(p) => matches!(*p, ")" | "]" | "}" | "'"),
                Tok::Keyword(k) => matches!(*k, "nullptr" | "end"),
                Tok::Name(n) => !(k == 1 && matches!(&**n, "print" | "printf" | "error" | "warning")),
                _ => true,
            }
    };
    let binary = |k: usize, p: &str| match p {
        "+" | "-" => operand_before(k),
        // A bar begins an arm of `match`, too.
        "|" => k > 0 && operand_before(k),
        "&" | "*" | "/" | ".*" | "./" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "&&" | "||" | "=" | "+=" | "-="
        | "*=" | "/=" | "^=" | ".*=" | "./=" | ".^=" | "&=" | "|=" | "~=" | "^^=" | "__=" | "->" | "?" | ":=" => true,
        _ => false,
    };
    match (&left.kind, &right.kind) {
        (_, Tok::Punct("," | ";" | ")" | "]" | "}")) => false,
        (Tok::Punct("(" | "[" | "{" | "." | ".." | "..." | "^" | ".^" | "!"), _) => false,
        (Tok::Punct("," | ";"), _) => true,
        (Tok::Punct(p), _) if binary(i - 1, p) => true,
        (Tok::Punct("+" | "-"), _) => false,
        (_, Tok::Punct(p)) if binary(i, p) => true,
        (_, Tok::Punct(".." | "." | "^" | ".^")) => false,
        // What the author wrote decides between calls and commands, indices and literals, ternaries and types.
        _ => right.spaced,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Tok> {
        lexer::lex(FileId::of_name("t"), text).0.into_iter().map(|t| t.kind).collect()
    }

    #[test]
    fn layout_keeps_tokens_and_comments_and_is_stable() {
        let joined = "a=b&c|d&e\nmatch a with\n| 1 -> f\nendmatch\n";
        assert_eq!(kinds(joined), kinds(&format(joined)));
        assert!(format(joined).starts_with("a = b & c | d & e\n"), "{}", format(joined));
        let text = "% head\nfunction y=f(x,k=-1)   % does\nif x<0\ny= -x^2\nelse\ny=[x,\n  -k]\nendif\nendfunction\n\n\nprint -1, f(2)+1\n";
        let once = format(text);
        assert_eq!(kinds(text), kinds(&once), "{once}");
        assert_eq!(format(&once), once);
        assert!(once.contains("    if x < 0\n        y = -x^2\n    else\n"), "{once}");
        assert!(once.starts_with("% head\nfunction y = f(x, k = -1)  % does\n"), "{once}");
    }
}
