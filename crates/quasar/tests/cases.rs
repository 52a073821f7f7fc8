//! Runs programs and compares what they print and report: the cases of the language sheet where they are at hand, and the
//! files under `tests/q`, whose expectations stand in their comments.

use quadra_base::{Diagnostic, Severity, near};
use quadra_quasar::session::{Buffer, Options, Outcome, Session, with_stack};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the crate lies in the workspace")
}

/// Devices that every case runs on: with the same output and the same messages, but for the last digits of the QPU, which
/// truncates.
const DEVICES: [&str; 7] = ["host", "interp", "qpu", "cpu", "gpu", "gpu:SwiftShader", "auto"];

/// Those of them that this machine has; where tests are asked for other GPUs, those alone.
fn devices() -> Vec<&'static str> {
    if std::env::var_os(quadra_base::testing::GPUS).is_some() {
        return quadra_base::testing::gpus();
    }
    let optional = ["cpu", "gpu", "gpu:SwiftShader"];
    let missing =
        |d: &&str| optional.contains(d) && quadra_device::open(d).map_err(quadra_base::testing::left_out).is_err();
    DEVICES.into_iter().filter(|d| !missing(d)).collect()
}

/// Options of a case: `-double`, `-v`, `--check-races`, and the device.
fn options(args: &str, device: &str) -> Options {
    quadra_base::checked::set(true);
    let words: Vec<&str> = args.split_whitespace().collect();
    let device = words.iter().position(|w| *w == "--device").and_then(|i| words.get(i + 1)).copied().unwrap_or(device);
    Options {
        double: words.contains(&"-double"),
        verbose: words.contains(&"-v"),
        fuel: 200_000_000,
        device: device.into(),
        check_races: words.contains(&"--check-races"),
        ..Options::default()
    }
}

/// Runs a file on a thread of its own.
fn run(path: &Path, options: Options) -> (String, Outcome, Vec<(u32, String)>) {
    let path = path.to_path_buf();
    with_stack(move || {
        let text = std::fs::read_to_string(&path).expect("the case can be read");
        let name = path.to_string_lossy().into_owned();
        let (found, verdicts) = Session::new(options.clone(), Box::new(std::io::sink())).check(&name, &text);
        let verdicts = verdicts.into_iter().map(|v| (v.span.line, v.text)).collect();
        let buffer = Buffer::default();
        let mut session = Session::new(options, Box::new(buffer.clone()));
        let mut outcome = session.run(&name, &text);
        // Some warnings are given by `check` alone.
        let more = found.into_iter().filter(|d| d.severity == Severity::Warning);
        let more: Vec<Diagnostic> = more.filter(|d| outcome.diagnostics.iter().all(|o| o.code != d.code)).collect();
        outcome.diagnostics.extend(more);
        (buffer.text(), outcome, verdicts)
    })
    .expect("no program may panic")
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = vec![directory.to_path_buf()];
    while let Some(d) = todo.pop() {
        for entry in std::fs::read_dir(&d).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|e| e == "q") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn has(diagnostics: &[Diagnostic], severity: Severity, text: &str) -> bool {
    let text = text.to_lowercase();
    diagnostics.iter().any(|d| d.severity == severity && d.message.to_lowercase().contains(&text))
}

/// Text equal, numbers within the tolerance.
fn close(got: &str, want: &str, tolerance: f64) -> bool {
    near::texts(got, want, |p, q| (p - q).abs() <= tolerance * q.abs().max(1.0))
}

/// Kernels of the language sheet that no device but the host runs, as `FILE: what`.
const SHEET_FALLBACKS: [&str; 4] = [
    "244_syncthreads_granularity: kernel 'k'",
    "252_kernel_nested_parallel_do: kernel 'outer'",
    "254_kernel_typed_cell_argument: kernel 'k'",
    "271_autopar_alias_is_serialised: the for-loop",
];

/// What shaders do not do yet, as `FILE: what`.
const GPU_FALLBACKS: [&str; 1] = [
    // Sums of doubles in one step.
    "wavelet_denoising: the for-loop",
];

/// What a GPU may lack, in the words in which it says so: SwiftShader has no 64-bit numbers, groups of 256
/// items, and shaders with 8 buffers. Where it lacks them for a loop, it may get the loops within.
const MISSING: [&str; 9] = [
    "holds integers of 32 and of 64 bits",
    "a product of 64-bit integers on a device without doubles",
    "it computes with f64",
    "it computes with i64",
    "has elements f64",
    "has elements i64",
    "takes 64-bit numbers",
    "those of this GPU at most 256",
    "and the GPU takes 8",
];

fn is_gpu(device: &str) -> bool {
    device.starts_with("gpu") || device == "cuda"
}

/// What of a list is of a file.
fn of_file(known: &[&'static str], path: &Path) -> Vec<&'static str> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    known.iter().filter_map(|k| k.split_once(": ")).filter(|k| k.0 == stem).map(|k| k.1).collect()
}

/// What did not run on the device asked for must be what is known not to: the output alone would not tell. A GPU may lack something,
/// too.
fn falls_back_as_known(diagnostics: &[Diagnostic], known: &[&str], device: &str) -> Result<(), String> {
    let mut found: Vec<(&str, &str)> = diagnostics
        .iter()
        .filter(|d| d.code == "Q0521")
        .filter_map(|d| d.message.split_once(" does not run on device "))
        .collect();
    found.sort_unstable();
    found.dedup_by_key(|f| f.0);
    let lacks = |why: &str| device == "gpu:SwiftShader" && MISSING.iter().any(|m| why.contains(m));
    let fine = found.iter().all(|(what, why)| known.contains(what) || lacks(why))
        && known.iter().all(|k| found.iter().any(|(what, _)| what == k));
    if fine { Ok(()) } else { Err(format!("{found:?} fall back instead of {known:?}: {diagnostics:?}")) }
}

/// Compares a run with an `.expected` file: directive lines `#! …`, then the output.
fn sheet_case(path: &Path, expected: &str, tolerance: f64, device: &str) -> Result<(), String> {
    let directives: Vec<&str> = expected.lines().take_while(|l| l.starts_with("#! ")).map(|l| &l[3..]).collect();
    let want = expected.lines().skip(directives.len()).collect::<Vec<_>>().join("\n");
    let get = |key: &str| directives.iter().filter_map(|d| d.strip_prefix(key)).collect::<Vec<_>>();
    let (output, mut outcome, _) = run(path, options(get("args: ").first().unwrap_or(&""), device));
    // What the chip lacks is told there only.
    outcome.diagnostics.retain(|d| d.code != "Q0527");
    let tolerance = if device == "qpu" { tolerance.max(1e-5) } else { tolerance };
    if !close(output.trim_end_matches('\n'), want.trim_end_matches('\n'), tolerance) {
        return Err(format!("output\n{output}instead of\n{want}\n{:?}", outcome.diagnostics));
    }
    let status = if !get("compile-error: ").is_empty() { 2 } else { i32::from(!get("error: ").is_empty()) };
    if outcome.status != status {
        return Err(format!("status {} instead of {status}: {:?}", outcome.status, outcome.diagnostics));
    }
    for (key, severity) in [
        ("error: ", Severity::Error),
        ("compile-error: ", Severity::Error),
        ("warning: ", Severity::Warning),
        ("info: ", Severity::Note),
    ] {
        for text in get(key) {
            if !has(&outcome.diagnostics, severity, text) {
                return Err(format!("no {severity:?} '{text}' in {:?}", outcome.diagnostics));
            }
        }
    }
    if get("warning: ").is_empty() && outcome.diagnostics.iter().any(|d| d.severity == Severity::Warning) {
        return Err(format!("unexpected warning: {:?}", outcome.diagnostics));
    }
    let mut known = Vec::new();
    if matches!(device, "cpu" | "qpu") || is_gpu(device) {
        known.extend(of_file(&SHEET_FALLBACKS, path));
    }
    if is_gpu(device) {
        known.extend(of_file(&GPU_FALLBACKS, path));
    }
    falls_back_as_known(&outcome.diagnostics, &known, device)
}

/// Compares a run with the expectations in comments: `% out: text` in the order of the output (or a last `% out:` block),
/// `% error[CODE]: text`, `% warning[CODE]: text` and `% note[CODE]: text` on the line they name, `% par: text` on a loop.
/// Lines of their own: `% compile` (the errors come before the program runs), `% args: -double -v --check-races`, `% fuel: STEPS`,
/// `% memory: BYTES`, `% falls back: WHAT` for what runs on no device but the host,
/// `% falls back on qpu: WHAT` for what the QPU alone does not run.
fn dropped_case(path: &Path, device: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let directive = |key: &str| text.lines().find_map(|l| l.strip_prefix(key));
    let number = |key: &str| directive(key).map(|n| n.parse::<u64>().expect("a whole number"));
    let mut options = options(directive("% args: ").unwrap_or(""), device);
    options.fuel = number("% fuel: ").unwrap_or(options.fuel);
    options.max_memory = number("% memory: ").map_or(options.max_memory, |n| n as usize);
    let (output, outcome, verdicts) = run(path, options);
    let mut want = Vec::new();
    let mut fails = false;
    let mut compile = false;
    for (number, line) in text.lines().enumerate() {
        let number = number as u32 + 1;
        if let Some((_, text)) = line.split_once("% out:") {
            want.push(text.strip_prefix(' ').unwrap_or(text).to_string());
        } else if let Some((_, text)) = line.split_once("% par: ") {
            let found = verdicts.iter().find(|v| v.0 == number).ok_or(format!("line {number}: no verdict"))?;
            if found.1 != text {
                return Err(format!("line {number}: verdict '{}' instead of '{text}'", found.1));
            }
        }
        for (key, severity) in
            [("% error[", Severity::Error), ("% warning[", Severity::Warning), ("% note[", Severity::Note)]
        {
            let Some((_, rest)) = line.split_once(key) else { continue };
            let (code, text) = rest.split_once("]: ").ok_or(format!("line {number}: malformed expectation"))?;
            let found = outcome.diagnostics.iter().any(|d| {
                d.code == code
                    && d.severity == severity
                    && d.message.contains(text)
                    && d.span.iter().chain(d.labels.iter().map(|l| &l.0)).any(|s| s.line == number)
            });
            if !found {
                return Err(format!("line {number}: no {code} '{text}' in {:?}", outcome.diagnostics));
            }
            fails |= severity == Severity::Error;
        }
        compile |= line.starts_with("% compile");
    }
    let status = match (fails, compile) {
        (true, true) => 2,
        (true, false) => 1,
        _ => 0,
    };
    if outcome.status != status {
        return Err(format!("status {} instead of {status}: {:?}", outcome.status, outcome.diagnostics));
    }
    let got: Vec<&str> = output.lines().collect();
    let tolerance = if device == "qpu" { 1e-5 } else { 0.0 };
    if got.len() != want.len() || !close(&got.join("\n"), &want.join("\n"), tolerance) {
        return Err(format!("output\n{}\ninstead of\n{}", got.join("\n"), want.join("\n")));
    }
    if fails || !matches!(device, "cpu" | "qpu") && !is_gpu(device) || text.contains("% note[Q0521]") {
        return Ok(());
    }
    let mut known: Vec<&str> = text.lines().filter_map(|l| l.strip_prefix("% falls back: ")).collect();
    if device == "qpu" {
        known.extend(text.lines().filter_map(|l| l.strip_prefix("% falls back on qpu: ")));
    }
    if is_gpu(device) {
        known.extend(of_file(&GPU_FALLBACKS, path));
    }
    falls_back_as_known(&outcome.diagnostics, &known, device)
}

fn report(what: &str, results: Vec<(PathBuf, Result<(), String>)>) {
    let failed: Vec<String> =
        results.iter().filter_map(|(path, r)| r.as_ref().err().map(|e| format!("{}: {e}", path.display()))).collect();
    println!("{what}: {} of {} pass", results.len() - failed.len(), results.len());
    assert!(failed.is_empty(), "{} {what} fail:\n{}", failed.len(), failed.join("\n\n"));
}

/// A new directory for what a case writes.
fn written() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("quasar-cases-").tempdir().expect("the temporary directory can be written")
}

/// Cases write files into the working directory, which belongs to one test at a time while it holds this.
fn scratch() -> MutexGuard<'static, Option<tempfile::TempDir>> {
    static DIRECTORY: Mutex<Option<tempfile::TempDir>> = Mutex::new(None);
    // A test that failed leaves nothing behind that the next could trip over.
    let mut guard = DIRECTORY.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = written();
    std::env::set_current_dir(directory.path()).expect("the directory was just made");
    *guard = Some(directory);
    guard
}

/// Gives this thread, and those that it starts, a working directory of their own, where the system has such a thing.
#[cfg(target_os = "linux")]
fn own_directory() -> bool {
    thread_local! {
        // SAFETY: it takes no pointer, and changes what a relative path means for this thread alone.
        static OWN: bool = unsafe { libc::unshare(libc::CLONE_FS) } == 0;
    }
    OWN.with(|own| *own)
}

#[cfg(not(target_os = "linux"))]
fn own_directory() -> bool {
    false
}

/// Runs cases, each in an empty directory: on every processor, if the system lets threads have working directories of their own,
/// otherwise one after the other.
fn each<R: Send>(paths: &[PathBuf], case: impl Fn(&Path) -> R + Sync) -> Vec<(PathBuf, R)> {
    quadra_base::testing::each(paths, |path| {
        if !own_directory() {
            let _directory = scratch();
            return (path.clone(), case(path));
        }
        let directory = written();
        std::env::set_current_dir(directory.path()).expect("the directory was just made");
        let result = case(path);
        // A directory in which a thread stands cannot be taken away everywhere.
        std::env::set_current_dir(std::env::temp_dir()).expect("the directory of temporary files is there");
        (path.clone(), result)
    })
}

#[test]
fn cases_of_the_language_sheet() {
    let sheet = root().join("../shared/quasar");
    if !sheet.is_dir() {
        quadra_base::testing::not_here(format_args!("{} is not there", sheet.display()));
        return;
    }
    for (directory, tolerance) in [("cases", 0.0), ("programs", 2e-3)] {
        let paths = files(&sheet.join(directory));
        for device in devices() {
            let results = each(&paths, |path| {
                let expected = std::fs::read_to_string(path.with_extension("expected")).ok()?;
                Some(sheet_case(path, &expected, tolerance, device))
            });
            let results = results.into_iter().filter_map(|(path, result)| Some((path, result?))).collect();
            report(&format!("{directory} on {device}"), results);
        }
    }
}

#[test]
fn dropped_in_cases() {
    let paths = files(&root().join("tests/q"));
    assert!(!paths.is_empty(), "tests/q holds cases");
    let devices = devices();
    let results: Vec<_> = devices.iter().map(|device| each(&paths, |path| dropped_case(path, device))).collect();
    // What fails on several devices is seen in one run.
    let failed = |r: &[(PathBuf, Result<(), String>)]| r.iter().any(|r| r.1.is_err());
    for (device, results) in devices.iter().zip(&results).filter(|(_, r)| failed(r)) {
        println!("{device}: {:?}", results.iter().filter(|r| r.1.is_err()).collect::<Vec<_>>());
    }
    for (device, results) in devices.into_iter().zip(results) {
        report(&format!("cases of tests/q on {device}"), results);
    }
}

#[test]
fn layout_keeps_the_tokens_of_all_cases() {
    use quadra_quasar_syntax::{format::format, lexer};
    let kinds = |text: &str| -> Vec<_> {
        let (tokens, _) = lexer::lex(quadra_base::FileId::of_name("layout"), text);
        tokens.into_iter().map(|t| t.kind).collect()
    };
    let mut all = files(&root().join("tests/q"));
    all.extend(files(&root().join("../shared/quasar")));
    for path in all {
        let text = std::fs::read_to_string(&path).expect("the case can be read");
        let once = format(&text);
        assert_eq!(kinds(&text), kinds(&once), "{}", path.display());
        assert_eq!(format(&once), once, "{} changes again", path.display());
    }
}

/// The reference: theme, name, signature and example of all its entries.
fn reference() -> Vec<(&'static str, &'static str, &'static str, &'static str)> {
    use quadra_quasar::builtins;
    let rows = builtins::themes()
        .into_iter()
        .flat_map(|(t, rows)| rows.iter().map(move |r| (t, r.facts.name, r.signature, r.example)));
    let words = builtins::words::themes();
    let words = words.into_iter().flat_map(|(t, words)| words.iter().map(move |w| (t, w.name, w.signature, w.example)));
    let library = quadra_quasar::library::names().filter_map(|name| {
        let (signature, _) = quadra_quasar::library::entry(name)?;
        let example = quadra_quasar::library::example(name)?;
        Some(("Written in the language", name, &*String::leak(signature), example))
    });
    rows.chain(words).chain(library).collect()
}

#[test]
fn every_function_of_the_table_has_an_example_that_runs() {
    let _directory = scratch();
    for (theme, name, signature, example) in reference() {
        let status = with_stack(move || {
            quadra_quasar::session::run_text("example.q", &example.replace("; ", "\n"), &options("", "host")).1.status
        });
        assert_eq!(status, Some(0), "{theme}: the example of {name} fails: {example}");
        assert!(signature.contains(name), "{name}");
    }
}

/// The texts of all dropped-in cases.
fn texts() -> Vec<String> {
    files(&root().join("tests/q")).iter().map(|p| std::fs::read_to_string(p).expect("the case can be read")).collect()
}

#[test]
fn every_function_of_the_table_has_a_case() {
    let directory = root().join("tests/q/functions");
    let cases: Vec<(String, String)> = files(&directory)
        .iter()
        .map(|p| (p.file_stem().unwrap_or_default().to_string_lossy().into_owned(), p))
        .map(|(stem, p)| (stem, std::fs::read_to_string(p).expect("the case can be read")))
        .collect();
    for (_, name, ..) in reference() {
        let prefix = format!("{name}_");
        let found = cases.iter().any(|(stem, text)| (stem == name || stem.starts_with(&prefix)) && text.contains(name));
        assert!(found, "'{name}' has no case in {}", directory.display());
    }
}

#[test]
fn every_message_has_a_case() {
    // Raised by what no small text can bring about; tested in `rare.rs` and `files.rs`.
    const ELSEWHERE: &[&str] =
        &["Q0130", "Q0317", "Q0318", "Q0412", "Q0418", "Q0522", "Q0523", "Q0524", "Q0525", "Q0526", "Q0528"];
    let texts = texts();
    for entry in quadra_quasar_syntax::codes::TABLE {
        let wanted = format!("[{}]: ", entry.code);
        let found = texts.iter().any(|t| t.contains(&wanted));
        assert!(found != ELSEWHERE.contains(&entry.code), "{}: {}", entry.code, entry.title);
    }
}
