//! The files under `tests/kir/PASS`: a kernel, and behind it as `; check:` lines what the pass makes of it, or as an
//! `; error:` line why it refuses. `BLESS=1` rewrites these lines.

use quadra_kir::{Kernel, check, parse, print};
use quadra_passes::pass::{Launches, PassCx};
use std::path::{Path, PathBuf};

/// What the line `; launches: uncached=N rows=N near=N` of a file says, by default as the passes themselves have it.
fn launches(text: &str) -> Launches {
    let mut launches = Launches::default();
    let words = text.lines().filter_map(|l| l.strip_prefix("; launches: ")).flat_map(str::split_whitespace);
    for (name, value) in words.filter_map(|w| w.split_once('=')) {
        let value: u32 = value.parse().expect("a number");
        match name {
            "uncached" => launches.uncached = value.into(),
            "rows" => launches.staging_rows = value,
            "near" => launches.near_rows = value,
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

/// What is wrong with a file, if anything.
fn problem(path: &Path, pass: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).expect("a test file is readable");
    let name = path.display().to_string();
    let (kernels, found) = parse::kernels(&name, &text);
    if let Some(d) = found.first() {
        return Some(d.render(false));
    }
    let got: Vec<String> = kernels.iter().flat_map(|k| expectation(k, pass, launches(&text))).collect();
    let want: Vec<&str> = text.lines().filter(|l| is_expectation(l)).collect();
    if got == want {
        return None;
    }
    if std::env::var_os("BLESS").is_some() {
        let kept: Vec<&str> = text.lines().filter(|l| !is_expectation(l)).collect();
        let new = format!("{}\n{}\n", kept.join("\n").trim_end(), got.join("\n"));
        std::fs::write(path, new).expect("a test file is writable");
        return None;
    }
    Some(format!("{name}: expected\n{}\ngot\n{}", want.join("\n"), got.join("\n")))
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
            problems.extend(problem(&file, &pass));
        }
    }
    assert!(files >= 10, "only {files} files were found");
    assert!(problems.is_empty(), "{}", problems.join("\n\n"));
}
