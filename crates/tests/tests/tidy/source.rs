//! Rust source as the house rules read it: without comments, strings and tests.

use std::collections::BTreeMap;

/// What becomes of string literals.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Strings {
    Keep,
    Blank,
}

/// The same text with blanks for comments, characters and, if so wanted, strings. Lines stay where they are.
pub fn code(text: &str, strings: Strings) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let (mut at, mut in_word) = (0, false);
    while at < chars.len() {
        let (end, blank) = literal(&chars, at, in_word, strings);
        match end {
            Some(end) => {
                let keep = |c: &char| if *c == '\n' || !blank { *c } else { ' ' };
                out.extend(chars[at..end].iter().map(keep));
                (at, in_word) = (end, false);
            }
            None => {
                out.push(chars[at]);
                in_word = chars[at].is_alphanumeric() || chars[at] == '_';
                at += 1;
            }
        }
    }
    out
}

/// Where a comment or literal that begins here ends, if one does, and whether it is to be blanked.
fn literal(chars: &[char], at: usize, in_word: bool, strings: Strings) -> (Option<usize>, bool) {
    let is = |offset: usize, c: char| chars.get(at + offset) == Some(&c);
    let blank = strings == Strings::Blank;
    if is(0, '/') && is(1, '/') {
        let length = chars[at..].iter().position(|c| *c == '\n').unwrap_or(chars.len() - at);
        return (Some(at + length), true);
    }
    if is(0, '/') && is(1, '*') {
        return (Some(end_of_comment(chars, at)), true);
    }
    if is(0, '\'') {
        // A lifetime has no second quote.
        let end = if is(1, '\\') {
            chars[at + 3..].iter().position(|c| *c == '\'').map(|n| at + n + 4)
        } else {
            is(2, '\'').then_some(at + 3)
        };
        return (end, true);
    }
    if is(0, 'r') && !in_word {
        let hashes = chars[at + 1..].iter().take_while(|c| **c == '#').count();
        if is(1 + hashes, '"') {
            let close: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
            let from = at + hashes + 2;
            let length = chars[from..].windows(close.len()).position(|w| *w == close[..]).unwrap_or(chars.len() - from);
            return (Some((from + length + close.len()).min(chars.len())), blank);
        }
    }
    if is(0, '"') {
        let mut end = at + 1;
        while end < chars.len() && chars[end] != '"' {
            end += if chars[end] == '\\' { 2 } else { 1 };
        }
        return (Some((end + 1).min(chars.len())), blank);
    }
    (None, false)
}

fn end_of_comment(chars: &[char], at: usize) -> usize {
    let (mut depth, mut end) = (0, at);
    while end + 1 < chars.len() {
        match (chars[end], chars[end + 1]) {
            ('/', '*') => (depth, end) = (depth + 1, end + 2),
            ('*', '/') => (depth, end) = (depth - 1, end + 2),
            _ => end += 1,
        }
        if depth == 0 {
            return end;
        }
    }
    chars.len()
}

/// Byte position behind the brace that closes the first one from `at` on; `None` if a semicolon comes before it.
pub fn end_of_body(code: &str, at: usize) -> Option<usize> {
    let mut depth = 0;
    let mut brackets = 0;
    for (n, c) in code[at..].char_indices() {
        match c {
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets -= 1,
            ';' if depth == 0 && brackets == 0 => return None,
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + n + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The code without what only tests compile, and the names of the files that are such modules.
pub fn without_tests(code: &str) -> (String, Vec<String>) {
    const MARK: &str = "#[cfg(test)]";
    let (mut out, mut modules, mut rest) = (String::new(), Vec::new(), code);
    while let Some(at) = rest.find(MARK) {
        out += &rest[..at];
        rest = &rest[at + MARK.len()..];
        match end_of_body(rest, 0) {
            Some(end) => rest = &rest[end..],
            None => {
                let end = rest.find(';').map_or(rest.len(), |n| n + 1);
                let words: Vec<&str> = rest[..end].split_whitespace().collect();
                let name = words.iter().position(|w| *w == "mod").and_then(|n| words.get(n + 1));
                modules.extend(name.map(|n| n.trim_end_matches(';').to_string()));
                rest = &rest[end..];
            }
        }
    }
    (out + rest, modules)
}

/// The lengths of all functions with a body, by name, in lines.
pub fn functions(code: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let before = code[..at].chars().next_back();
        let name: String = code[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_') || name.is_empty() {
            continue;
        }
        if let Some(end) = end_of_body(code, at) {
            found.push((name, code[at..end].lines().count()));
        }
    }
    found
}

/// Whether a word stands in code by itself.
pub fn has_word(code: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        !code[..at].chars().next_back().is_some_and(part) && !code[at + word.len()..].chars().next().is_some_and(part)
    })
}

/// The source files of a crate by their path below `src`, as code without tests.
pub fn modules(files: &[(String, String)]) -> BTreeMap<String, String> {
    let mut tests = Vec::new();
    let mut all = BTreeMap::new();
    for (path, text) in files {
        let (code, hidden) = without_tests(&code(text, Strings::Blank));
        let folder = path.rsplit_once('/').map_or("", |p| p.0);
        let stem = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".rs");
        let below =
            if ["lib", "main", "mod"].contains(&stem) { folder.to_string() } else { format!("{folder}/{stem}") };
        let below = below.trim_start_matches('/').to_string();
        tests.extend(hidden.into_iter().map(|m| format!("{below}/{m}").trim_start_matches('/').to_string()));
        all.insert(path.clone(), code);
    }
    all.retain(|path, _| {
        let name = path.trim_end_matches(".rs").trim_end_matches("/mod");
        !tests.iter().any(|t| name == t || name.strip_prefix(t.as_str()).is_some_and(|rest| rest.starts_with('/')))
    });
    all
}

#[test]
fn code_is_read_without_comments_strings_and_tests() {
    let text = "/* a /* b */ c */ let x = \"fn }\\\" {\"; // fn\nlet c = '{'; let r = r#\"\"}\"#; fn f<'a>(x: &'a str) {\n}\n#[cfg(test)]\nmod tests { fn g() {} }\n#[cfg(test)]\nmod fake;\n";
    let plain = code(text, Strings::Blank);
    assert!(!plain.contains("fn }") && !plain.contains('"') && !plain.contains('c'.to_string().repeat(2).as_str()));
    assert_eq!(plain.lines().count(), text.lines().count());
    assert!(code(text, Strings::Keep).contains("\"fn }\\\" {\""));
    let (left, hidden) = without_tests(&plain);
    assert_eq!((functions(&left), hidden), (vec![("f".to_string(), 2)], vec!["fake".to_string()]));
    assert!(has_word("a unsafe{", "unsafe") && !has_word("unsafe_code", "unsafe"));
}
