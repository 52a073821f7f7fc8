//! What a program needs of the library's files: the functions that it calls, what these call, and no more. The rest of a file is blank
//! lines to the parser, so that places in messages are those of the file.

use crate::library;
use std::collections::{BTreeMap, BTreeSet};

/// The functions of a file that are needed, and where the file's functions are.
struct Part {
    text: &'static str,
    functions: Vec<Function>,
    needed: BTreeSet<usize>,
}

/// A function of a file: its name and its lines.
struct Function {
    name: &'static str,
    first: usize,
    text: &'static str,
}

/// The files, by name, with what of their text is needed for these calls. `own` knows what the program defines itself.
pub fn of(calls: &BTreeSet<&'static str>, own: &dyn Fn(&str) -> bool) -> Vec<(&'static str, &'static str, String)> {
    let mut parts: BTreeMap<&'static str, Part> = BTreeMap::new();
    let mut open: Vec<&'static str> = calls.iter().copied().collect();
    let mut done = BTreeSet::new();
    while let Some(name) = open.pop() {
        let Some((file, text)) = library::holding(name).filter(|_| done.insert(name) && !own(name)) else { continue };
        let part = parts.entry(file).or_insert_with(|| Part::of(text));
        for text in part.add(name) {
            open.extend(library::calls(text));
            // Functions of the library's own, which may stand in another file.
            open.extend(library::words(text).filter(|word| word.starts_with('_')));
        }
    }
    parts.into_iter().map(|(file, part)| (file, part.text, part.rest())).collect()
}

impl Part {
    /// A file's functions: each begins and ends at the beginning of a line.
    fn of(text: &'static str) -> Part {
        let mut functions = Vec::new();
        let (mut at, mut open) = (0, None);
        for (number, line) in text.split_inclusive('\n').enumerate() {
            if let Some(name) = library::head(line) {
                open = Some((name, number, at));
            }
            at += line.len();
            if line.trim_end() == "end"
                && let Some((name, first, from)) = open.take()
            {
                functions.push(Function { name, first, text: &text[from..at] });
            }
        }
        Part { text, functions, needed: BTreeSet::new() }
    }

    /// Adds the functions of a name and those of the file that they name; gives the texts of those that are new.
    fn add(&mut self, name: &str) -> Vec<&'static str> {
        let of_name = |part: &Part, name: &str| -> Vec<usize> {
            (0..part.functions.len()).filter(|at| part.functions[*at].name == name).collect()
        };
        let (mut open, mut new) = (of_name(self, name), Vec::new());
        while let Some(at) = open.pop() {
            if self.needed.insert(at) {
                let text = self.functions[at].text;
                new.push(text);
                open.extend(library::words(text).flat_map(|word| of_name(self, word)));
            }
        }
        new
    }

    /// The file without the functions that nothing needs, each line where it was.
    fn rest(&self) -> String {
        let (mut text, mut line) = (String::new(), 0);
        for function in self.needed.iter().map(|at| &self.functions[*at]) {
            text.extend(std::iter::repeat_n('\n', function.first - line));
            text += function.text;
            line = function.first + function.text.lines().count();
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_hold_functions_and_comments_alone() {
        for (file, text) in library::FILES {
            let functions: usize = Part::of(text).functions.iter().map(|f| f.text.lines().count()).sum();
            let between = text.lines().filter(|l| l.is_empty() || l.starts_with('%')).count();
            let within = text.lines().count() - between;
            assert!(functions >= within, "{file}: a statement stands outside functions");
        }
    }

    #[test]
    fn a_name_stands_for_one_function_of_the_library() {
        let mut seen = BTreeSet::new();
        for name in library::FILES.iter().flat_map(|(_, text)| text.lines().filter_map(library::head)) {
            assert!(seen.insert(name), "{name} is defined twice");
        }
    }

    #[test]
    fn what_is_needed_stands_where_it_stood() {
        let (file, text) = library::defining("schur").expect("it is there");
        let found = of(&BTreeSet::from(["schur"]), &|_| false);
        let (_, _, part) = found.iter().find(|f| f.0 == file).expect("its file");
        assert!(part.contains("= schur(") && part.contains("_real_schur(") && part.contains("= hess("), "{part}");
        assert!(!part.contains("= logm("), "{part}");
        let lines: Vec<&str> = text.lines().collect();
        assert!(part.lines().enumerate().all(|(i, l)| l.is_empty() || lines[i] == l));
        // What the program defines is left to it.
        assert!(of(&BTreeSet::from(["schur"]), &|name| name == "schur").is_empty());
    }
}
