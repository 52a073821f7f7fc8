//! The server on the programs of the repository: renaming keeps what a program means, fixes remove what they fix, and no text ends it.

mod client;

use client::{Client, apply, place, programs, uri};
use quadra_quasar::session::{Options, run_text};
use serde_json::{Value, json};

/// Places of identifiers, as line and UTF-16 unit.
fn identifiers(text: &str) -> Vec<(u32, u32, String)> {
    let mut found = Vec::new();
    for (line, row) in text.split('\n').enumerate() {
        let (mut unit, mut word) = (0, String::new());
        for c in row.chars().chain(['\n']) {
            if c.is_ascii_alphanumeric() || c == '_' {
                word.push(c);
            } else if !word.is_empty() {
                found.push((line as u32, unit - word.len() as u32, std::mem::take(&mut word)));
            }
            unit += c.len_utf16() as u32;
        }
    }
    found
}

/// The text with all names changed that can be, and what they were: `zz3_`, the fourth.
fn renamed(client: &mut Client, uri: &str, text: &str) -> (String, Vec<String>) {
    let (mut text, mut old, mut at) = (text.to_string(), Vec::new(), 0);
    while let Some((line, unit, word)) = identifiers(&text).get(at).cloned() {
        at += 1;
        if word.starts_with("zz") || word.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let Ok(edit) = client.rename(uri, line, unit, &format!("zz{}_", old.len())) else { continue };
        let edits = &edit["changes"];
        if edits.as_object().is_none_or(|files| files.len() != 1 || !files.contains_key(uri)) {
            continue;
        }
        text = apply(&text, &edits[uri]);
        client.change(uri, &text);
        old.push(word);
    }
    (text, old)
}

#[test]
fn renamed_programs_do_the_same() {
    // Some of them write files.
    let folder = tempfile::tempdir().expect("a folder");
    std::env::set_current_dir(folder.path()).expect("it is there");
    let mut client = Client::new(&[]);
    let mut all = 0;
    let options = Options { fuel: 2_000_000, ..Options::default() };
    let folders = ["tests/q/language", "tests/q/loops", "tests/q/kernels", "tests/q/library", "tests/q/functions"];
    for (path, text) in folders.into_iter().flat_map(programs) {
        let name = path.to_string_lossy().into_owned();
        let uri = uri(&path);
        client.open(&uri, &text);
        let (new, old) = renamed(&mut client, &uri, &text);
        client.close(&uri);
        all += old.len();
        let (before, mut after) = (run_text(&name, &text, &options), run_text(&name, &new, &options));
        // Programs print names of their types and fields.
        for (i, old) in old.iter().enumerate() {
            after.0 = after.0.replace(&format!("zz{i}_"), old);
        }
        assert_eq!((before.0, before.1.status), (after.0, after.1.status), "{name}:\n{new}\n{:?}", after.1.diagnostics);
    }
    assert!(all > 500, "{all} names");
    assert_eq!(client.end(), 0);
}

#[test]
fn fixes_of_the_messages_in_the_tests_remove_them() {
    let mut client = Client::new(&[]);
    let mut fixed: Vec<(String, usize)> = Vec::new();
    for (path, text) in programs("tests/q/messages") {
        let uri = uri(&path);
        client.open(&uri, &text);
        let errors = client.errors(&uri);
        for error in &errors {
            for fix in client.fixes(&uri, &error["range"]) {
                let new = apply(&text, &fix["edit"]["changes"][&uri]);
                assert_ne!(new, text, "{path:?}: {fix}");
                client.change(&uri, &new);
                let left = client.errors(&uri);
                let code = error["code"].as_str().unwrap_or_default().to_string();
                let same = |list: &[Value]| list.iter().filter(|e| e["message"] == error["message"]).count();
                assert!(
                    same(&left) < same(&errors) || left.len() < errors.len(),
                    "{path:?} {fix}\n{new}\n{errors:?}\n{left:?}"
                );
                match fixed.iter_mut().find(|f| f.0 == code) {
                    Some(f) => f.1 += 1,
                    None => fixed.push((code, 1)),
                }
                client.change(&uri, &text);
            }
        }
        client.close(&uri);
    }
    assert!(fixed.len() > 10, "{fixed:?}");
    assert_eq!(client.end(), 0);
}

/// Numbers from a seed.
fn random(seed: &mut u64) -> usize {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 33) as usize
}

/// A program with a part missing, doubled, or replaced by what is likely to break something.
fn mutated(text: &str, seed: &mut u64) -> String {
    const BITS: &[&str] = &[
        "(",
        ")",
        "[",
        "\"",
        "'",
        "`",
        "%",
        "{!",
        "\r",
        "\u{1F600}",
        "é",
        ".",
        "...",
        "end",
        "endif",
        "function ",
        "import \"",
        "x = (y) -> ",
        "_",
        "\0",
    ];
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + random(seed) % 4 {
        let at = random(seed) % (chars.len() + 1);
        let to = (at + random(seed) % 40).min(chars.len());
        match random(seed) % 4 {
            0 => chars.truncate(at),
            1 => drop(chars.drain(at..to)),
            2 => {
                let part = chars[at..to].to_vec();
                chars.splice(at..at, part);
            }
            _ => {
                let bit = BITS[random(seed) % BITS.len()].chars();
                chars.splice(at..at, bit);
            }
        }
    }
    chars.into_iter().collect()
}

/// A place of a text in the protocol's units, and the byte there.
fn anywhere(text: &str, seed: &mut u64) -> (Value, usize) {
    let lines: Vec<&str> = text.split('\n').collect();
    let line = random(seed) % lines.len();
    let before: usize = lines[..line].iter().map(|l| l.len() + 1).sum();
    let at = random(seed) % (lines[line].chars().count() + 1);
    let head: String = lines[line].chars().take(at).collect();
    (json!({ "line": line, "character": head.encode_utf16().count() }), before + head.len())
}

/// What is typed piece by piece is the text as a whole.
#[test]
fn changes_add_up_to_the_text() {
    let mut client = Client::new(&[]);
    let (pieces, whole) = ("file:///nowhere/pieces.q", "file:///nowhere/whole.q");
    let mut seed = 3;
    for (_, text) in programs("tests/q/language") {
        let mut text = text;
        client.open(pieces, &text);
        for version in 0..20 {
            let (mut from, mut to) = (anywhere(&text, &mut seed), anywhere(&text, &mut seed));
            if from.1 > to.1 {
                std::mem::swap(&mut from, &mut to);
            }
            let new = ["", "x", "\u{1F600}", "é = 3\n", "\n\n", "\"𝒳\""][random(&mut seed) % 6];
            // Long pieces stay, so that something is left.
            let end = if to.1 - from.1 < 60 { to } else { from.clone() };
            let change = json!([{ "range": { "start": from.0, "end": end.0 }, "text": new }]);
            text.replace_range(from.1..end.1, new);
            let id = json!({ "uri": pieces, "version": version });
            client.notify("textDocument/didChange", json!({ "textDocument": id, "contentChanges": change }));
        }
        client.open(whole, &text);
        for method in ["textDocument/semanticTokens/full", "textDocument/documentSymbol", "textDocument/formatting"] {
            assert_eq!(client.of(method, pieces), client.of(method, whole), "{text}");
        }
        let said = |errors: Vec<Value>| {
            errors.into_iter().map(|e| (e["range"].clone(), e["message"].clone())).collect::<Vec<_>>()
        };
        assert_eq!(said(client.errors(pieces)), said(client.errors(whole)));
        client.close(whole);
        client.close(pieces);
    }
    assert_eq!(client.end(), 0);
}

#[test]
fn no_text_ends_the_server() {
    let mut client = Client::new(&[]);
    let texts: Vec<_> =
        ["examples", "tests/q/language", "tests/q/loops", "tests/q/kernels"].into_iter().flat_map(programs).collect();
    let mut seed = 7;
    let uri = "file:///nowhere/broken.q";
    client.open(uri, "");
    for (_, text) in texts.iter().cycle().take(2 * texts.len()) {
        let text = mutated(text, &mut seed);
        client.change(uri, &text);
        let lines = text.lines().count().max(1);
        for method in ["documentSymbol", "semanticTokens/full", "foldingRange", "formatting"] {
            client.of(&format!("textDocument/{method}"), uri);
        }
        let everything = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": lines, "character": 0 } });
        client.fixes(uri, &everything);
        client
            .request("textDocument/inlayHint", json!({ "textDocument": { "uri": uri }, "range": everything }))
            .expect("hints");
        for _ in 0..4 {
            let (line, unit) = (random(&mut seed) % (lines + 1), random(&mut seed) % 60);
            for method in ["hover", "completion", "signatureHelp", "definition", "references", "documentHighlight"] {
                let answer = client.at(&format!("textDocument/{method}"), uri, line as u32, unit as u32);
                assert!(answer.is_ok(), "{method} at {line}:{unit}: {answer:?}\n{text}");
            }
            // A refusal is an answer, too.
            for (method, params) in [("rename", Some("zz")), ("prepareRename", None)] {
                let mut at = place(uri, line as u32, unit as u32);
                params.into_iter().for_each(|new| at["newName"] = json!(new));
                let answer = client.request(&format!("textDocument/{method}"), at);
                assert!(answer.as_ref().err().is_none_or(|e| e.0 == -32803), "{answer:?}\n{text}");
            }
        }
    }
    assert_eq!(client.end(), 0);
}
