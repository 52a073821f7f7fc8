//! Every kind of request, asked by a client in the process.

mod client;

use client::{Client, apply, place, uri};
use lsp_server::{Message, Request, RequestId};
use serde_json::{Value, json};

const HEAT: &str = include_str!("../../../examples/heat.q");
const A: &str = "file:///nowhere/a.q";

const CLASS: &str = "% A point of the plane.
type Point : mutable class
    x : scalar
    y : scalar
endtype
% The length of a point's vector.
function r = norm2(self : Point, scale = 1)
    r = scale*sqrt(self.x^2 + self.y^2)
endfunction
p = Point(x:=3, y:=4)
z = zeros(3, 4)
print p.norm2(scale:=2), norm2(p)
p.
";

fn opened(text: &str) -> Client {
    let mut client = Client::new(&[]);
    client.open(A, text);
    client
}

/// The text of a hover at a place.
fn hover(client: &mut Client, line: u32, character: u32) -> String {
    let answer = client.at("textDocument/hover", A, line, character).expect("an answer");
    answer["contents"]["value"].as_str().unwrap_or_default().to_string()
}

/// Lines and characters where the ranges of an answer begin.
fn starts(answer: &Value) -> Vec<(u64, u64)> {
    let list = answer.as_array().cloned().unwrap_or_default();
    let start = |v: &Value| v["range"]["start"].clone();
    list.iter()
        .map(|v| (start(v)["line"].as_u64().unwrap_or(99), start(v)["character"].as_u64().unwrap_or(99)))
        .collect()
}

fn labels(client: &mut Client, line: u32, character: u32) -> Vec<String> {
    let answer = client.at("textDocument/completion", A, line, character).expect("an answer");
    answer.as_array().expect("items").iter().map(|i| i["label"].as_str().unwrap_or_default().to_string()).collect()
}

#[test]
fn hover_says_types_sizes_and_documentation() {
    let mut client = opened(CLASS);
    assert!(hover(&mut client, 10, 0).contains("z : mat") && hover(&mut client, 10, 0).contains("size 3x4"));
    assert!(hover(&mut client, 10, 5).contains("zeros(d…)"), "a built-in function");
    let function = hover(&mut client, 11, 10);
    assert!(function.contains("function r = norm2(self : Point, scale = 1)") && function.contains("The length of"));
    assert!(hover(&mut client, 7, 24).contains("Point.x : scalar"));
    let class = hover(&mut client, 9, 5);
    assert!(class.contains("mutable class\n    x : scalar") && class.contains("A point of the plane."), "{class}");
    assert!(hover(&mut client, 6, 3).contains("function"), "a keyword");
    assert_eq!(hover(&mut client, 0, 5), "", "a comment");
    assert_eq!(client.end(), 0);
}

#[test]
fn completion_knows_fields_variables_functions_modifiers_and_attributes() {
    let mut client = opened(CLASS);
    assert_eq!(labels(&mut client, 12, 2), ["norm2", "x", "y"]);
    let inside = labels(&mut client, 7, 8);
    for name in ["self", "scale", "r", "p", "norm2", "sqrt", "pi", "endfunction", "rgb2gray", "Point"] {
        assert!(inside.iter().any(|l| l == name), "{name}");
    }
    assert!(!labels(&mut client, 9, 0).contains(&"self".to_string()), "outside of the function");
    client.change(A, "{!pa\nx : vec'\nimport \"fi\nzer\n% zer\n\"a");
    assert_eq!(labels(&mut client, 0, 4), ["parallel for", "serial for", "relaxed for"]);
    assert!(labels(&mut client, 1, 8).contains(&"clamped".to_string()));
    assert!(labels(&mut client, 2, 10).contains(&"filters.q".to_string()));
    assert!(labels(&mut client, 3, 3).iter().all(|l| l.to_lowercase().starts_with("zer")));
    assert_eq!(labels(&mut client, 4, 5).len() + labels(&mut client, 5, 2).len(), 0);
    assert_eq!(client.end(), 0);
}

#[test]
fn signatures_follow_the_argument() {
    let mut client = opened(CLASS);
    let help = client.at("textDocument/signatureHelp", A, 11, 16).expect("an answer");
    assert_eq!(help["signatures"][0]["label"], "r = norm2(self : Point, scale = 1)");
    assert_eq!(help["activeParameter"], 1, "the point before a method is its first argument");
    let help = client.at("textDocument/signatureHelp", A, 10, 13).expect("an answer");
    assert!(help["signatures"][0]["label"].as_str().is_some_and(|l| l.starts_with("zeros(")), "{help}");
    assert_eq!(client.at("textDocument/signatureHelp", A, 0, 3), Ok(Value::Null));
    assert_eq!(client.end(), 0);
}

#[test]
fn names_are_found_and_renamed_where_they_mean_the_same() {
    let mut client = opened(CLASS);
    let definition = client.at("textDocument/definition", A, 11, 10).expect("an answer");
    assert_eq!(starts(&definition), [(6, 13)]);
    let found = client.at("textDocument/references", A, 6, 14).expect("an answer");
    assert_eq!(starts(&found), [(6, 13), (11, 8), (11, 25)]);
    let found = client.at("textDocument/documentHighlight", A, 6, 34).expect("an answer");
    assert_eq!(starts(&found), [(6, 33), (7, 8), (11, 14)], "named arguments are parameters");
    let edit = client.rename(A, 2, 4, "east").expect("a field is renamed");
    let text = apply(CLASS, &edit["changes"][A]);
    assert!(text.contains("self.east^2") && text.contains("Point(east:=3"), "{text}");
    let prepared = client.at("textDocument/prepareRename", A, 9, 0).expect("an answer");
    assert_eq!(prepared["placeholder"], "p");
    let rename = |client: &mut Client, line, unit, new: &str| client.rename(A, line, unit, new).expect_err(new).1;
    for (new, why) in [
        ("3x", "is no name"),
        ("for", "meaning of its own"),
        ("ä", "is no name"),
        ("z", "another meaning"),
        ("vec3", "type"),
    ] {
        assert!(rename(&mut client, 9, 0, new).contains(why), "{new}");
    }
    assert!(rename(&mut client, 6, 19, "this").contains("makes the function a method"));
    assert!(rename(&mut client, 10, 4, "nulls").contains("belongs to the language"));
    assert_eq!(client.end(), 0);
}

#[test]
fn inner_functions_share_the_variables_around_them_and_no_others() {
    let text = "function y = f(x)\n    k = 2\n    g = x -> x*k\n    y = g(x)\nendfunction\nx = f(5)\n";
    let mut client = opened(text);
    let found = client.at("textDocument/references", A, 1, 4).expect("an answer");
    assert_eq!(starts(&found), [(1, 4), (2, 15)]);
    let edit = client.rename(A, 0, 15, "v").expect("a parameter is renamed");
    let new = apply(text, &edit["changes"][A]);
    assert_eq!(new, text.replacen("f(x)", "f(v)", 1).replace("y = g(x)", "y = g(v)"), "the lambda has its own");
    assert!(client.rename(A, 0, 15, "k").is_err_and(|e| e.1.contains("line 2")));
    assert_eq!(client.end(), 0);
}

#[test]
fn units_are_those_of_utf16() {
    let text = "s = \"😀ä\"; print s\n% 𝒳\nnn = 3; print \"😀\", nn, lenght(s)\n";
    let mut client = opened(text);
    let found = client.at("textDocument/references", A, 0, 17).expect("an answer");
    assert_eq!(starts(&found), [(0, 0), (0, 17), (2, 31)]);
    let edit = client.rename(A, 2, 20, "mm").expect("it is a name");
    assert_eq!(apply(text, &edit["changes"][A]), text.replace("nn", "mm"));
    let errors = client.errors(A);
    assert_eq!(errors[0]["range"]["start"], json!({ "line": 2, "character": 24 }), "{errors:?}");
    // An edit between the halves of a pair and behind it.
    let changes = json!([{ "range": { "start": { "line": 0, "character": 7 }, "end": { "line": 0, "character": 8 } }, "text": "ß" }]);
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": A, "version": 9 }, "contentChanges": changes }),
    );
    let found = client.at("textDocument/references", A, 0, 17).expect("an answer");
    assert_eq!(starts(&found), [(0, 0), (0, 17), (2, 31)]);
    assert_eq!(client.end(), 0);
}

#[test]
fn every_loop_has_its_hint() {
    let text =
        format!("{HEAT}while plate[0,0] > 100\n    plate = plate - 1\nendwhile\nfor v = [1,2]\n    print v\nendfor\n");
    let mut client = opened(&text);
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let hints = client
        .request("textDocument/inlayHint", json!({ "textDocument": { "uri": A }, "range": range }))
        .expect("hints");
    let hints: Vec<(u64, String)> = hints
        .as_array()
        .expect("a list")
        .iter()
        .map(|h| (h["position"]["line"].as_u64().unwrap_or(99), h["label"].as_str().unwrap_or_default().to_string()))
        .collect();
    let says = |line: u64, what: &str| hints.iter().any(|h| h.0 == line && h.1.starts_with(what));
    assert!(says(3, "parallel over (m, n)") && says(4, "parallel with the loop over m"), "{hints:?}");
    assert!(
        says(16, "serial: it calls") && says(26, "serial: a while-loop") && says(29, "serial: it runs over the items"),
        "{hints:?}"
    );
    let few = json!({ "start": { "line": 4, "character": 0 }, "end": { "line": 5, "character": 0 } });
    let hints =
        client.request("textDocument/inlayHint", json!({ "textDocument": { "uri": A }, "range": few })).expect("hints");
    assert_eq!(hints.as_array().map(Vec::len), Some(1));
    assert_eq!(client.end(), 0);
}

#[test]
fn outline_folds_tokens_and_layout() {
    let text = "%a\n%b\nfunction y=f(x)\n  y = x\nendfunction\nk = \"s\" % c\n";
    let mut client = opened(text);
    let symbols = client.of("textDocument/documentSymbol", A);
    assert_eq!((&symbols[0]["name"], &symbols[0]["range"]["end"]["line"]), (&json!("f"), &json!(4)), "{symbols}");
    assert_eq!((&symbols[1]["name"], &symbols[1]["kind"]), (&json!("k"), &json!(13)));
    let folds = client.of("textDocument/foldingRange", A);
    assert_eq!(folds.as_array().map(Vec::len), Some(2), "{folds}");
    let tokens = client.of("textDocument/semanticTokens/full", A);
    let data: Vec<u64> = tokens["data"].as_array().expect("numbers").iter().filter_map(Value::as_u64).collect();
    assert_eq!(data[..5], [0, 0, 2, 1, 0], "a comment");
    assert_eq!(data[10..20], [1, 0, 8, 0, 0, 0, 9, 1, 5, 1], "function, and the definition of y");
    assert_eq!(data.len() % 5, 0);
    let edits = client.of("textDocument/formatting", A);
    assert_eq!(apply(text, &edits), "%a\n%b\nfunction y = f(x)\n    y = x\nendfunction\nk = \"s\"  % c\n");
    client.change(A, "k = 1\n");
    assert_eq!(client.of("textDocument/formatting", A), json!([]));
    assert_eq!(client.end(), 0);
}

#[test]
fn fixes_do_what_the_help_says() {
    let mut client = Client::new(&[]);
    for (text, fixed) in [
        ("print zerso(2)\n", "print zeros(2)\n"),
        ("if 1\n    print 1\n", "if 1\n    print 1\nendif\n"),
        ("x = 3\nif x = 3\nendif\n", "x = 3\nif x == 3\nendif\n"),
        ("print len([1,2])\n", "print numel([1,2])\n"),
        ("int n = 3\n", "n : int = 3\n"),
        ("x = [1 2]\n", "x = [1, 2]\n"),
        ("// note\nx = 1\n", "% note\nx = 1\n"),
        ("x = 2\nx++\n", "x = 2\nx += 1\n"),
    ] {
        client.open(A, text);
        let errors = client.errors(A);
        assert!(!errors.is_empty(), "{text} is a program: its name was given to something that is there now");
        let fixes = client.fixes(A, &errors[0]["range"]);
        let new = fixes.iter().map(|f| apply(text, &f["edit"]["changes"][A])).find(|new| new == fixed);
        assert!(new.is_some(), "{text}: {errors:?} {fixes:?}");
    }
    assert_eq!(client.end(), 0);
}

#[test]
fn imports_join_programs() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().canonicalize().expect("it is there").join(name);
    std::fs::write(path("lib.q"), "function y = twice(x)\n    y = 2*x\nendfunction\n").expect("it is written");
    std::fs::write(path("other.q"), "import \"lib.q\"\nprint twice(4)\n").expect("it is written");
    let (main, lib, other) = (uri(&path("main.q")), uri(&path("lib.q")), uri(&path("other.q")));
    let mut client = Client::new(&[folder.path()]);
    client.open(&main, "import \"lib.q\"\nprint twice(3)\n");
    assert_eq!(client.errors(&main), Vec::<Value>::new());
    let definition = client.at("textDocument/definition", &main, 1, 8).expect("an answer");
    assert_eq!((&definition[0]["uri"], starts(&definition)), (&json!(lib), vec![(0, 13)]));
    let target = client.at("textDocument/definition", &main, 0, 10).expect("an answer");
    assert_eq!(target["uri"], json!(lib));
    let edit = client.rename(&main, 1, 8, "double2").expect("it is renamed");
    let files = edit["changes"].as_object().expect("files");
    assert_eq!(files.len(), 3, "{edit}");
    assert!(files.contains_key(&lib) && files.contains_key(&other));
    // What is typed in one file counts in the other.
    client.open(&lib, "function y = thrice(x)\n    y = 3*x\nendfunction\n");
    assert!(client.errors(&main)[0]["message"].as_str().is_some_and(|m| m.contains("'twice' is not defined")));
    client.change(&lib, "function y = twice(x)\n    y = (2*x\nendfunction\n");
    let errors = client.errors(&main);
    assert_eq!(
        errors[0]["range"]["start"]["line"], 0,
        "an error of the imported file stands at its import: {errors:?}"
    );
    client.close(&lib);
    assert_eq!(client.errors(&main), Vec::<Value>::new());
    assert_eq!(client.end(), 0);
}

#[test]
fn a_text_with_errors_is_known_as_far_as_it_was_read() {
    let mut client = opened("zz = zeros(2,2)\nfunction y = f(x)\n    y = x + \nprint z");
    assert!(hover(&mut client, 0, 0).contains("zz : mat"));
    assert!(!client.errors(A).is_empty());
    let symbols = client.of("textDocument/documentSymbol", A);
    assert_eq!(symbols.as_array().map(Vec::len), Some(2), "{symbols}");
    assert_eq!(client.end(), 0);
}

#[test]
fn the_protocol_is_kept() {
    let mut client = opened("x = 1\n");
    let refused = client.request("textDocument/nonsense", json!({})).expect_err("unknown");
    assert_eq!(refused.0, -32601);
    assert_eq!(client.request("textDocument/hover", json!({})).expect_err("no place").0, -32602);
    assert_eq!(client.at("textDocument/hover", "file:///not/open.q", 0, 0).expect_err("not open").0, -32602);
    client.notify("$/unknown", json!({}));
    client.notify("textDocument/didChange", json!({ "nonsense": true }));
    // The client is quicker than the server: what waits when the order to cancel comes is not computed.
    let answers: Vec<(RequestId, bool)> = {
        let slow = "for i = 0..9\n    x[i] = i\nendfor\n".repeat(3000);
        client.change(A, &slow);
        let first = client.send("textDocument/hover", place(A, 0, 0));
        let second = client.send("textDocument/hover", place(A, 1, 4));
        client.notify("$/cancelRequest", json!({ "id": second.clone() }));
        let got = [client.receive(), client.receive()];
        assert!(got.iter().any(|r| r.id == first) && got.iter().any(|r| r.id == second));
        got.into_iter().map(|r| (r.id, r.response_result.is_err_and(|e| e.code == -32800))).collect()
    };
    assert!(answers.iter().any(|a| a.1), "{answers:?}");
    assert_eq!(client.request("shutdown", Value::Null), Ok(Value::Null));
    assert_eq!(client.at("textDocument/hover", A, 0, 0).expect_err("it ends").0, -32600);
    assert_eq!(client.exit(), 0);
}

#[test]
fn an_end_without_order_is_a_failure() {
    assert_eq!(opened("x = 1\n").exit(), 1);
    let client = Client::silent();
    let early = Request::new(RequestId::from(1), "textDocument/hover".into(), place(A, 0, 0));
    client.connection.sender.send(early.into()).expect("the server listens");
    match client.connection.receiver.recv() {
        Ok(Message::Response(r)) => assert_eq!(r.response_result.expect_err("not yet").code, -32002),
        other => panic!("{other:?}"),
    }
}
