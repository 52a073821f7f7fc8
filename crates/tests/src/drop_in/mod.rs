//! Tests that are files: kernels with their expectations as comments.
//!
//! * `; error[E0311]: barrier in divergent control flow` behind the line at fault: exactly these diagnostics come out of
//!   parser and checker. The message is given by its beginning.
//! * `; run: gcd(p=[12, 18], q=[8, 27]) workers=2 over=[2] == r=[4, 9]`: the buffers after the launch. A buffer that is
//!   expected and not given starts as zeros. Without `over` a kernel is launched over the shape of its first buffer of
//!   that rank. Floats are compared bit for bit, or with `~=` to 5 digits. `== error[E0601]` expects a fault.
//! * `; on: simt simd16 emu cpu`: where the file's launches run; simt, simd16 and emu unless said otherwise. Devices that are
//!   absent are skipped and counted.

mod launch;
pub mod qasm;

use quadra_base::Diagnostic;
use quadra_kir::{Kernel, check, parse};
use std::path::{Path, PathBuf};

/// One test file.
pub struct Case {
    pub path: PathBuf,
    pub text: String,
}

/// What came of the files of a directory.
#[derive(Debug, Default)]
pub struct Report {
    pub files: usize,
    /// Expectations that were compared.
    pub compared: usize,
    /// Launches on devices that are absent.
    pub skipped: usize,
    pub failures: Vec<String>,
}

impl Case {
    /// The comments that begin with `key`, with their line numbers from 1 and whether code stands before them.
    fn directives<'a>(&'a self, key: &'a str) -> impl Iterator<Item = (u32, bool, &'a str)> {
        self.text.lines().zip(1..).filter_map(move |(line, number)| {
            let (code, comment) = line.split_once(';')?;
            let rest = comment.trim().strip_prefix(key)?;
            Some((number, !code.trim().is_empty(), rest.trim()))
        })
    }

    fn name(&self) -> String {
        self.path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
    }
}

/// Runs every `.kir` file of a directory, sorted by name.
pub fn run(directory: &Path) -> Report {
    let mut report = Report::default();
    let mut paths: Vec<PathBuf> = match std::fs::read_dir(directory) {
        Ok(entries) => entries.flatten().map(|e| e.path()).collect(),
        Err(e) => {
            report.failures.push(format!("{}: {e}", directory.display()));
            return report;
        }
    };
    paths.retain(|p| p.extension().is_some_and(|e| e == "kir"));
    paths.sort();
    for path in paths {
        match std::fs::read_to_string(&path) {
            Ok(text) => one(&Case { path, text }, &mut report),
            Err(e) => report.failures.push(format!("{}: {e}", path.display())),
        }
    }
    report
}

/// Runs every block of kernel IR (```` ```kir ````) of the Markdown files of a directory, sorted by name.
pub fn run_book(directory: &Path) -> Report {
    let mut report = Report::default();
    for (path, text) in texts(directory, "md") {
        let path = PathBuf::from(path);
        for block in text.split("```kir\n").skip(1) {
            let text = block.split("```").next().unwrap_or_default().to_string();
            one(&Case { path: path.clone(), text }, &mut report);
        }
    }
    report
}

/// The files of a directory with this ending, sorted by name, and their texts; those that cannot be read are left out.
fn texts(directory: &Path, ending: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(directory).map(|e| e.flatten().map(|e| e.path()).collect::<Vec<_>>());
    let mut paths = entries.unwrap_or_default();
    paths.retain(|p| p.extension().is_some_and(|e| e == ending));
    paths.sort();
    let texts = paths.iter().filter_map(|p| Some((p.display().to_string(), std::fs::read_to_string(p).ok()?)));
    texts.collect()
}

fn one(case: &Case, report: &mut Report) {
    report.files += 1;
    let before = report.compared;
    let (kernels, mut found) = parse::kernels(&case.name(), &case.text);
    found.extend(kernels.iter().flat_map(check::kernel));
    if let Err(text) = errors(case, &found, report) {
        return report.failures.push(format!("{}: {text}", case.path.display()));
    }
    let runs: Vec<(u32, bool, &str)> = case.directives("run:").collect();
    for (line, _, text) in runs {
        if let Err(e) = launch::run(case, &kernels, text, report) {
            report.failures.push(format!("{}:{line}: {e}", case.path.display()));
        }
    }
    if report.compared == before && report.failures.is_empty() {
        report.failures.push(format!("{}: the file expects nothing", case.path.display()));
    }
}

/// The kernel called `name`, or the only one.
pub fn kernel<'k>(kernels: &'k [Kernel], name: &str) -> Result<&'k Kernel, String> {
    kernels.iter().find(|k| k.name == name).ok_or_else(|| format!("there is no kernel `{name}`"))
}

/// Compares the diagnostics with the `error[…]` comments: every one has its comment and the other way round.
fn errors(case: &Case, found: &[Diagnostic], report: &mut Report) -> Result<(), String> {
    let mut open: Vec<&Diagnostic> = found.iter().collect();
    for (line, behind_code, text) in case.directives("error[") {
        report.compared += 1;
        let (code, message) = text.split_once("]:").ok_or("an expectation is `error[E0311]: message`")?;
        let fits = |d: &&Diagnostic| {
            let here = !behind_code || d.span.is_some_and(|s| s.line == line);
            d.code == code && here && d.message.starts_with(message.trim())
        };
        let at = open.iter().position(fits);
        let at = at.ok_or_else(|| format!("line {line}: `error[{text}` does not come; there is {}", list(found)))?;
        open.remove(at);
    }
    match open.first() {
        Some(d) => Err(format!("not expected: {}", d.render(false))),
        None => Ok(()),
    }
}

fn list(found: &[Diagnostic]) -> String {
    if found.is_empty() { "none".into() } else { found.iter().map(|d| d.to_string()).collect::<Vec<_>>().join("; ") }
}
