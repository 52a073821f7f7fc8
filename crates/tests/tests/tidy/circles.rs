//! Circles of imports, between the files of a crate and between its folders.

use super::source;
use std::collections::{BTreeMap, BTreeSet};

/// Which names import which others.
pub type Graph = BTreeMap<String, BTreeSet<String>>;

/// All circles: largest sets of names of which each reaches each, the greatest first.
pub fn circles(graph: &Graph) -> Vec<Vec<String>> {
    let reach: BTreeMap<&String, BTreeSet<&String>> = graph.keys().map(|from| (from, reached(graph, from))).collect();
    let mut found: BTreeSet<Vec<String>> = BTreeSet::new();
    for (from, to) in &reach {
        let circle: Vec<String> = to
            .iter()
            .filter(|t| reach.get(**t).is_some_and(|back| back.contains(*from)))
            .map(|t| (*t).clone())
            .collect();
        if circle.len() > 1 {
            found.insert(circle);
        }
    }
    let mut found: Vec<Vec<String>> = found.into_iter().collect();
    found.sort_by_key(|c| std::cmp::Reverse(c.len()));
    found
}

fn reached<'a>(graph: &'a Graph, from: &String) -> BTreeSet<&'a String> {
    let (mut seen, mut next) = (BTreeSet::new(), graph.get(from).into_iter().flatten().collect::<Vec<_>>());
    while let Some(name) = next.pop() {
        if seen.insert(name) {
            next.extend(graph.get(name).into_iter().flatten());
        }
    }
    seen
}

/// The imports between folders that imports between files are.
pub fn folders(files: &Graph) -> Graph {
    let folder = |file: &str| file.rsplit_once('/').map_or(String::new(), |p| p.0.to_string());
    let mut graph = Graph::new();
    for (from, to) in files {
        let from = folder(from);
        let others = to.iter().map(|t| folder(t)).filter(|t| *t != from);
        graph.entry(from.clone()).or_default().extend(others);
    }
    graph
}

/// A crate's modules.
struct Tree {
    /// The file of each module, by its path.
    files: BTreeMap<Vec<String>, String>,
    /// What a module exports under names of its own: the path that stands behind a name.
    exports: BTreeMap<(Vec<String>, String), Vec<String>>,
}

/// Which file of a crate names something of which other one, tests left out. A re-export imports nothing: who uses the name
/// imports the file behind it.
pub fn imports(files: &[(String, String)]) -> Graph {
    let modules = source::modules(files);
    let path = |file: &str| -> Vec<String> {
        let name = file.trim_end_matches(".rs");
        let name = name.strip_suffix("/mod").unwrap_or(name);
        if ["lib", "main"].contains(&name) { Vec::new() } else { name.split('/').map(String::from).collect() }
    };
    let mut tree = Tree { files: modules.keys().map(|f| (path(f), f.clone())).collect(), exports: BTreeMap::new() };
    let mut named = Vec::new();
    for (file, code) in &modules {
        let here = path(file);
        for (exported, segments) in paths(code) {
            let Some(whole) = tree.absolute(&here, &segments) else { continue };
            if exported {
                let name = whole.last().cloned().unwrap_or_default();
                tree.exports.insert((here.clone(), name), whole);
            } else {
                named.push((file.clone(), whole));
            }
        }
    }
    let mut graph: Graph = modules.keys().map(|f| (f.clone(), BTreeSet::new())).collect();
    for (file, whole) in named {
        let target = tree.file(&whole, 8);
        if target != file {
            graph.entry(file).or_default().insert(target);
        }
    }
    graph
}

impl Tree {
    /// A path from the root of the crate; `None` if it leads elsewhere.
    fn absolute(&self, here: &[String], segments: &[String]) -> Option<Vec<String>> {
        let mut base = here.to_vec();
        let mut rest = segments;
        match segments.first()?.as_str() {
            "crate" => {
                base.clear();
                rest = &rest[1..];
            }
            "self" => rest = &rest[1..],
            "super" => {
                while rest.first().is_some_and(|s| s == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            child => {
                let below: Vec<String> = here.iter().cloned().chain([child.to_string()]).collect();
                self.files.get(&below)?;
            }
        }
        base.extend_from_slice(rest);
        Some(base)
    }

    /// The file that holds what a path names.
    fn file(&self, path: &[String], fuel: u32) -> String {
        let mut length = 0;
        while length < path.len() && self.files.contains_key(&path[..length + 1]) {
            length += 1;
        }
        if fuel > 0
            && let Some(name) = path.get(length)
            && let Some(behind) = self.exports.get(&(path[..length].to_vec(), name.clone()))
            && behind != path
        {
            let behind: Vec<String> = behind.iter().chain(&path[length + 1..]).cloned().collect();
            return self.file(&behind, fuel - 1);
        }
        self.files.get(&path[..length]).cloned().unwrap_or_else(|| "lib.rs".into())
    }
}

/// All paths in code, those in groups one by one, and whether each is exported.
fn paths(code: &str) -> Vec<(bool, Vec<String>)> {
    let tokens = tokens(code);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        let word = |n: usize| tokens.get(n).map_or("", |t| *t);
        if word(at) == "use" {
            let end = tokens[at..].iter().position(|t| *t == ";").map_or(tokens.len(), |n| at + n);
            let before = tokens[..at].last().copied().unwrap_or_default();
            let mut all = Vec::new();
            group(&tokens[at + 1..end], &[], &mut all);
            found.extend(all.into_iter().map(|p| ([")", "pub"].contains(&before), p)));
            at = end;
        } else if is_name(word(at)) && word(at + 1) == "::" && (at == 0 || word(at - 1) != "::") {
            let mut path = vec![word(at).to_string()];
            while word(at + 1) == "::" && is_name(word(at + 2)) {
                at += 2;
                path.push(word(at).to_string());
            }
            found.push((false, path));
        }
        at += 1;
    }
    found
}

/// The paths of a use tree.
fn group(tokens: &[&str], prefix: &[String], out: &mut Vec<Vec<String>>) {
    let (mut depth, mut start) = (0, 0);
    for (n, token) in tokens.iter().chain(&[","]).enumerate() {
        match *token {
            "{" => depth += 1,
            "}" => depth -= 1,
            "," if depth == 0 => {
                let part = &tokens[start..n];
                start = n + 1;
                let mut path = prefix.to_vec();
                let names = part.iter().take_while(|t| **t != "{" && **t != "as" && **t != "*");
                path.extend(
                    names.filter(|t| (prefix.is_empty() || **t != "self") && is_name(t)).map(|t| t.to_string()),
                );
                match part.iter().position(|t| *t == "{") {
                    Some(open) => group(&part[open + 1..part.len() - 1], &path, out),
                    None if !path.is_empty() => out.push(path),
                    None => {}
                }
            }
            _ => {}
        }
    }
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn tokens(code: &str) -> Vec<&str> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let (mut out, mut rest) = (Vec::new(), code.trim_start());
    while let Some(first) = rest.chars().next() {
        let length = match first {
            c if part(c) => rest.find(|c| !part(c)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            c => c.len_utf8(),
        };
        out.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    out
}

#[test]
fn a_planted_circle_is_found() {
    let file = |name: &str, text: &str| (name.to_string(), text.to_string());
    let mut files = vec![
        file("lib.rs", "mod a;\nmod b;\nmod c;\npub use b::{deep::Thing, Other as Another};\n"),
        file("a.rs", "use crate::Thing;\nfn f() { crate::c::g(); }\n"),
        file("b/mod.rs", "pub mod deep;\npub struct Other;\n"),
        file("b/deep.rs", "use super::{Other, self as up};\n#[cfg(test)]\nmod tests { use crate::a::f; }\n"),
        file("c.rs", "// use crate::a::f;\npub fn g() { let _ = \"crate::a::f\"; }\n"),
    ];
    let graph = imports(&files);
    let of = |name: &str| graph[name].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!((of("a.rs"), of("b/deep.rs")), (vec!["b/deep.rs", "c.rs"], vec!["b/mod.rs"]));
    assert!(circles(&graph).is_empty() && circles(&folders(&graph)).is_empty(), "{graph:?}");
    // From the folder back to the root, by way of a re-export.
    files[4].1 += "use super::b::deep::Thing;\n";
    files[2].1 += "use crate::c;\nfn h() { c::g() }\n";
    let graph = imports(&files);
    assert_eq!(circles(&graph), [["b/deep.rs", "b/mod.rs", "c.rs"]]);
    assert_eq!(circles(&folders(&graph)), [["", "b"]]);
}
