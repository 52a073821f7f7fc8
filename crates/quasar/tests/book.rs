//! Runs every block of Quasar in the book. A `text` block behind it is its whole output; `% error: text` and
//! `% warning: text` in it are the beginnings or parts of the messages it gives. A block without `% error` has to succeed.
//! `% par: text` behind a loop is the verdict on it.

use quadra_base::Severity;
use quadra_quasar::session::{Buffer, Options, Outcome, Session, with_stack};
use std::path::{Path, PathBuf};

fn chapters() -> Vec<PathBuf> {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src");
    let files = |directory: PathBuf| std::fs::read_dir(directory).expect("the book has chapters").flatten();
    let mut found: Vec<PathBuf> = files(book.clone()).chain(files(book.join("quasar"))).map(|e| e.path()).collect();
    found.retain(|path| path.extension().is_some_and(|e| e == "md"));
    found.sort();
    found
}

/// The blocks of a chapter, with the line each begins at and the output that stands behind it.
fn blocks(text: &str) -> Vec<(usize, String, Option<String>)> {
    let lines: Vec<&str> = text.lines().collect();
    let until_fence = |from: usize| lines[from..].iter().take_while(|l| **l != "```").count();
    let mut found = Vec::new();
    for (i, _) in lines.iter().enumerate().filter(|(_, l)| **l == "```quasar") {
        let n = until_fence(i + 1);
        let code = lines[i + 1..i + 1 + n].join("\n");
        let after = i + n + 2;
        let output = (lines.get(after) == Some(&"") && lines.get(after + 1) == Some(&"```text"))
            .then(|| lines[after + 2..after + 2 + until_fence(after + 2)].join("\n"));
        found.push((i + 1, code, output));
    }
    found
}

/// The verdict on the loop of each line that names one must be that.
fn verdicts(code: &str) -> Result<(), String> {
    let wanted: Vec<(u32, &str)> = (1..)
        .zip(code.lines())
        .filter_map(|(n, l)| l.split_once("% par: ").map(|(_, text)| (n, text.trim())))
        .collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let (_, found) = Session::new(Options::default(), Box::new(std::io::sink())).check("verdicts.q", code);
    for (line, text) in wanted {
        match found.iter().find(|v| v.span.line == line) {
            Some(v) if v.text == text => {}
            other => return Err(format!("line {line}: {:?} instead of '{text}'", other.map(|v| &v.text))),
        }
    }
    Ok(())
}

fn run(name: &str, code: &str) -> (String, Outcome) {
    let (name, code) = (name.to_string(), code.to_string());
    with_stack(move || {
        let buffer = Buffer::default();
        let options = Options { fuel: 200_000_000, ..Options::default() };
        let outcome = Session::new(options, Box::new(buffer.clone())).run(&name, &code);
        (buffer.text(), outcome)
    })
    .expect("no program may panic")
}

fn compare(code: &str, output: Option<&str>, printed: &str, outcome: &Outcome) -> Result<(), String> {
    let mut fails = false;
    for (mark, severity) in [("% error: ", Severity::Error), ("% warning: ", Severity::Warning)] {
        for text in code.lines().filter_map(|l| l.split_once(mark)).map(|(_, text)| text.trim()) {
            fails |= severity == Severity::Error;
            if !outcome.diagnostics.iter().any(|d| d.severity == severity && d.message.contains(text)) {
                return Err(format!("no {severity:?} '{text}' in {:?}", outcome.diagnostics));
            }
        }
    }
    if fails == (outcome.status == 0) {
        return Err(format!("status {}: {:?}", outcome.status, outcome.diagnostics));
    }
    let want = output.unwrap_or_default();
    if printed.trim_end_matches('\n') != want {
        return Err(format!("it prints\n{printed}\ninstead of\n{want}"));
    }
    Ok(())
}

#[test]
fn every_program_in_the_book_does_what_the_book_says() {
    let directory = tempfile::tempdir().expect("a directory for the pictures the programs write");
    let chapters = chapters();
    let texts: Vec<(PathBuf, String)> =
        chapters.into_iter().map(|p| (p.clone(), std::fs::read_to_string(p).expect("a chapter can be read"))).collect();
    std::env::set_current_dir(directory.path()).expect("the directory was just made");
    let (mut count, mut failures) = (0, Vec::new());
    for (path, text) in texts {
        for (line, code, output) in blocks(&text) {
            count += 1;
            let name = format!("{}:{line}", path.file_name().unwrap_or_default().to_string_lossy());
            let (printed, outcome) = run(&name, &code);
            if let Err(e) = verdicts(&code).and_then(|()| compare(&code, output.as_deref(), &printed, &outcome)) {
                failures.push(format!("{name}: {e}"));
            }
        }
    }
    assert!(count >= 40, "the chapters hold blocks ```quasar");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn the_picture_in_the_readme_shows_the_program_and_what_it_prints() {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the crate lies in the workspace");
    let program = std::fs::read_to_string(root.join("examples/mandelbrot.q")).expect("the program can be read");
    let picture =
        std::fs::read_to_string(root.join("book/src/images/mandelbrot.svg")).expect("the picture can be read");
    // The text of the picture without its tags.
    let mut text = String::new();
    for piece in picture.split('<') {
        let (tag, rest) = piece.split_once('>').unwrap_or(("", piece));
        text += if tag == "/text" { "\n" } else { "" };
        text += rest.trim_matches('\n');
    }
    let text = text.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let in_a_scratch_directory = program.replace("imwrite(\"mandelbrot.png\", image)", "");
    let (printed, outcome) = run("mandelbrot.q", &in_a_scratch_directory);
    assert_eq!(outcome.status, 0, "{:?}", outcome.diagnostics);
    for line in program.lines().chain(printed.lines()) {
        assert!(text.lines().any(|l| l == line), "the picture lacks '{line}':\n{text}");
    }
}

#[test]
fn the_chapter_of_functions_is_the_table_of_functions() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/quasar/functions.md");
    let table = quadra_quasar::reference::markdown();
    if std::env::var_os("QUADRA_BLESS").is_some() {
        std::fs::write(&path, &table).expect("the chapter can be written");
    }
    let text = std::fs::read_to_string(path).expect("the chapter can be read");
    assert!(text == table, "QUADRA_BLESS=1 with this test writes book/src/quasar/functions.md anew");
}
