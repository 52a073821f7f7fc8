//! The files under `tests/kir/PASS`, and the blocks of kernel IR in the headers of passes: a kernel, and behind it as `; check:` lines
//! what the pass makes of it, or as an `; error:` line why it refuses. `BLESS=1` rewrites these lines.

use quadra_kir::{Kernel, check, parse, print};
use quadra_passes::pass::{Launches, PassCx};
use std::path::{Path, PathBuf};

/// What the line `; launches: uncached=N rows=N near=N ranges=N` of a file says, by default as the passes themselves have it.
fn launches(text: &str) -> Launches {
    let mut launches = Launches::default();
    let words = text.lines().filter_map(|l| l.strip_prefix("; launches: ")).flat_map(str::split_whitespace);
    for (name, value) in words.filter_map(|w| w.split_once('=')) {
        let value: u32 = value.parse().expect("a number");
        match name {
            "uncached" => launches.uncached = value.into(),
            "rows" => launches.staging_rows = value,
            "near" => launches.near_rows = value,
            "ranges" => launches.range_rows = value,
            other => panic!("launches have no `{other}`"),
        }
    }
    launches
}

fn expectation(kernel: &Kernel, pass: &str, launches: Launches) -> Vec<String> {
    let pass = quadra_passes_dma::find(pass).expect("the directory is named after a pass");
    let caps = quadra_back_qpu::caps();
    let mut kernel = kernel.clone();
    match (pass.run)(&mut kernel, &PassCx { caps: &caps, launches }) {
        Ok(()) => {
            assert_eq!(check::kernel(&kernel), [], "{}", print::kernel(&kernel));
            print::kernel(&kernel).trim_end().lines().map(|l| format!("; check: {l}")).collect()
        }
        Err(found) => found.iter().map(|d| format!("; error: {} {}", d.code, d.message)).collect(),
    }
}

fn is_expectation(line: &str) -> bool {
    line.starts_with("; check:") || line.starts_with("; error:")
}

/// A text with kernels, with the expectations that it should have behind them.
fn blessed(name: &str, text: &str, pass: &str) -> Result<String, String> {
    let (kernels, found) = parse::kernels(name, text);
    if let Some(d) = found.first() {
        return Err(d.render(false));
    }
    let got: Vec<String> = kernels.iter().flat_map(|k| expectation(k, pass, launches(text))).collect();
    let kept: Vec<&str> = text.lines().filter(|l| !is_expectation(l)).collect();
    Ok(format!("{}\n{}\n", kept.join("\n").trim_end(), got.join("\n")))
}

/// What is wrong with a file whose text should be this, if anything.
fn problem(path: &Path, text: &str, wanted: Result<String, String>) -> Option<String> {
    let wanted = match wanted {
        Ok(wanted) => wanted,
        Err(why) => return Some(why),
    };
    let expectations = |text: &str| {
        text.lines()
            .filter(|l| l.contains("; check:") || l.contains("; error:"))
            .map(str::to_string)
            .collect::<Vec<_>>()
    };
    let (want, got) = (expectations(text), expectations(&wanted));
    if got == want {
        return None;
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, wanted).expect("a test file is writable");
        return None;
    }
    Some(format!("{}: expected\n{}\ngot\n{}", path.display(), want.join("\n"), got.join("\n")))
}

/// A source file whose blocks of kernel IR have the expectations that they should have, and how many blocks there are.
fn with_blocks(path: &Path, text: &str) -> (usize, Result<String, String>) {
    let pass = text.split_once("name: \"").and_then(|(_, rest)| rest.split('"').next()).unwrap_or_default();
    let (mut out, mut blocks) = (String::new(), 0);
    let mut parts = text.split("//! ```kir\n");
    out += parts.next().unwrap_or_default();
    for part in parts {
        blocks += 1;
        let (block, rest) = part.split_once("//! ```\n").unwrap_or((part, ""));
        let block: Vec<&str> = block.lines().map(|l| l.strip_prefix("//!").unwrap_or(l)).collect();
        let block: Vec<&str> = block.iter().map(|l| l.strip_prefix(' ').unwrap_or(l)).collect();
        let block = match blessed(&path.display().to_string(), &block.join("\n"), pass) {
            Ok(block) => block,
            Err(why) => return (blocks, Err(format!("{}: {why}", path.display()))),
        };
        let lines: String = block.lines().map(|l| format!("//! {l}").trim_end().to_string() + "\n").collect();
        out += &format!("//! ```kir\n{lines}//! ```\n{rest}");
    }
    (blocks, Ok(out))
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = std::fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path()).collect();
    all.sort();
    all
}

#[test]
fn what_passes_make_of_kernels() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kir");
    let (mut files, mut problems) = (0, Vec::new());
    for dir in entries(&root) {
        let pass = dir.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_string();
        if quadra_passes_dma::find(&pass).is_none() {
            continue;
        }
        for file in entries(&dir) {
            files += 1;
            let text = std::fs::read_to_string(&file).expect("a test file is readable");
            problems.extend(problem(&file, &text, blessed(&file.display().to_string(), &text, &pass)));
        }
    }
    assert!(files >= 10, "only {files} files were found");
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}

/// All files below a directory.
fn below(dir: &Path) -> Vec<PathBuf> {
    entries(dir).into_iter().flat_map(|p| if p.is_dir() { below(&p) } else { vec![p] }).collect()
}

/// Every block of kernel IR in the sources of passes is an example that runs; what is only a sketch is text.
#[test]
fn what_the_headers_of_passes_show() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut blocks, mut problems) = (0, Vec::new());
    for file in ["passes/src", "passes-dma/src"].iter().flat_map(|dir| below(&crates.join(dir))) {
        let text = std::fs::read_to_string(&file).expect("a source is readable");
        let (found, wanted) = with_blocks(&file, &text);
        blocks += found;
        problems.extend(problem(&file, &text, wanted));
    }
    assert!(blocks >= 15, "only {blocks} blocks were found");
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}
