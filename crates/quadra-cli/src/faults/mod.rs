//! What becomes of programs when things go wrong: memory that is refused, a disk that is full, a process that is killed.
//!
//! Programs run in processes of their own, which read from [`VARIABLE`] what is to fail. Each run ends with a result or with one
//! error, and every file holds what it held before or what it is to hold.

use quadra_base::{inject, memory};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The environment variable that says what fails: `alloc=17` is the 17th block from 0, `alloc=17..` all from then on, `write=3` all
/// writes of files and outputs from the third.
pub const VARIABLE: &str = "QUADRA_FAULTS";

/// Takes the faults that the environment asks for.
pub fn from_environment() {
    let Ok(text) = std::env::var(VARIABLE) else { return };
    let number = |text: &str| text.parse().ok();
    match text.split_once('=') {
        Some(("alloc", n)) => {
            let (n, for_ever) = n.strip_suffix("..").map_or((n, false), |n| (n, true));
            number(n).into_iter().for_each(|n| memory::fail_after(n, for_ever));
        }
        Some(("write", n)) => number(n).into_iter().for_each(inject::fail_writes_after),
        _ => {}
    }
}

/// The programs: each writes into the directory that it is called with.
const PROGRAMS: [(&str, &str, &str); 5] = [
    ("arrays", include_str!("arrays.q"), "host"),
    ("texts", include_str!("texts.q"), "host"),
    ("files", include_str!("files.q"), "host"),
    ("kernels", include_str!("kernels.q"), "auto"),
    ("emulated", include_str!("emulated.q"), "emu"),
];

/// What every file holds before a program runs.
const OLD: &str = "what was there before";

/// How many runs came to which end.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub results: u64,
    pub errors: u64,
    pub killed: u64,
    /// What went wrong first.
    pub failure: Option<String>,
}

/// A program, where it lies, and what it does if nothing fails.
struct Case {
    name: &'static str,
    device: &'static str,
    exe: PathBuf,
    program: PathBuf,
    directory: PathBuf,
    printed: Vec<u8>,
    files: BTreeMap<String, Vec<u8>>,
    took: Duration,
}

type Files = BTreeMap<String, Vec<u8>>;

fn files(directory: &Path) -> std::io::Result<Files> {
    let mut found = Files::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        found.insert(entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path())?);
    }
    Ok(found)
}

impl Case {
    fn new(exe: &Path, root: &Path, (name, text, device): (&'static str, &str, &'static str)) -> Result<Case, String> {
        let (program, directory) = (root.join(name).with_extension("q"), root.join(name));
        let made = std::fs::create_dir_all(&directory).and_then(|()| std::fs::write(&program, text));
        made.map_err(|e| format!("{}: {e}", program.display()))?;
        let exe = exe.to_path_buf();
        let (printed, files_of, took) = (Vec::new(), Files::new(), Duration::ZERO);
        let mut case = Case { name, device, exe, program, directory, printed, files: files_of, took };
        // Once more with what is kept on disk.
        for _ in 0..2 {
            let start = Instant::now();
            let out = case.output("")?;
            (case.took, case.printed) = (start.elapsed(), out.stdout.clone());
            case.files = files(&case.directory).map_err(|e| e.to_string())?;
            if out.status.code() != Some(0) {
                return Err(format!("{name} fails by itself: {}", String::from_utf8_lossy(&out.stderr)));
            }
        }
        Ok(case)
    }

    fn command(&self, fault: &str) -> Command {
        let mut command = Command::new(&self.exe);
        command.arg("run").arg("--device").arg(self.device).arg(&self.program).arg(&self.directory);
        command.env(VARIABLE, fault).env("QUADRA_CACHE", self.program.with_file_name("cache")).stdin(Stdio::null());
        command
    }

    fn output(&self, fault: &str) -> Result<Output, String> {
        self.prepare().map_err(|e| e.to_string())?;
        self.command(fault).output().map_err(|e| e.to_string())
    }

    /// Puts the files back to what they were before.
    fn prepare(&self) -> std::io::Result<()> {
        for name in files(&self.directory)?.keys() {
            std::fs::remove_file(self.directory.join(name))?;
        }
        self.files.keys().try_for_each(|name| std::fs::write(self.directory.join(name), OLD))
    }

    /// Every file is old or new.
    fn whole(&self, killed: bool) -> Result<(), String> {
        for (name, bytes) in files(&self.directory).map_err(|e| e.to_string())? {
            match self.files.get(&name) {
                Some(new) if bytes == OLD.as_bytes() || bytes == *new => {}
                None if killed && name.ends_with(".part") => {}
                // A text file holds what was written to it before an error.
                Some(new) if name.ends_with(".txt") && !killed && new.starts_with(&bytes) => {}
                _ => return Err(format!("{name} is broken: {} bytes", bytes.len())),
            }
        }
        Ok(())
    }

    /// Runs with a fault; whether it came to its result.
    fn with_fault(&self, fault: &str) -> Result<bool, String> {
        let out = self.output(fault)?;
        let said = String::from_utf8_lossy(&out.stderr);
        let why = |text: String| format!("{} with {VARIABLE}={fault}: {text}\n{said}", self.name);
        match out.status.code() {
            Some(0) if out.stdout == self.printed => {
                let files = files(&self.directory).map_err(|e| e.to_string())?;
                if files == self.files { Ok(true) } else { Err(why("its files differ".into())) }
            }
            Some(0) => Err(why("it printed something else".into())),
            Some(1 | 2) if said.contains("error") => {
                if !self.printed.starts_with(&out.stdout) {
                    return Err(why("it printed something else before the error".into()));
                }
                self.whole(false).map_err(why)?;
                Ok(false)
            }
            _ => Err(why(format!("{}", out.status))),
        }
    }

    /// Kills it after so long.
    fn killed(&self, after: Duration) -> Result<(), String> {
        self.prepare().map_err(|e| e.to_string())?;
        let mut command = self.command("");
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().map_err(|e| format!("{}: {e}", self.name))?;
        std::thread::sleep(after);
        // It may be over already.
        let _over = child.kill();
        child.wait().map_err(|e| e.to_string())?;
        self.whole(true).map_err(|text| format!("{} killed after {after:?}: {text}", self.name))
    }
}

/// Runs each program with each of its first `count` blocks of memory refused, every tenth time with all that follow, too; with
/// each of its writes failing; and kills it at `count / 10` moments, which follow from the seed.
pub fn run(exe: &Path, seed: u64, count: u64) -> Report {
    let mut report = Report::default();
    let result = tempfile::tempdir().map_err(|e| e.to_string()).and_then(|root| {
        PROGRAMS.iter().try_for_each(|program| one(&Case::new(exe, root.path(), *program)?, seed, count, &mut report))
    });
    report.failure = result.err();
    report
}

fn one(case: &Case, seed: u64, count: u64, report: &mut Report) -> Result<(), String> {
    let mut note = |result: bool| *if result { &mut report.results } else { &mut report.errors } += 1;
    for n in 0..count {
        note(case.with_fault(&format!("alloc={n}"))?);
        if n % 10 == 0 {
            note(case.with_fault(&format!("alloc={n}.."))?);
        }
    }
    for n in 0..count {
        let result = case.with_fault(&format!("write={n}"))?;
        note(result);
        if result {
            break;
        }
    }
    let mut state = seed;
    for _ in 0..count / 10 {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let part = (z >> 32) as f64 / f64::from(u32::MAX);
        case.killed(case.took.mul_f64(part))?;
        report.killed += 1;
    }
    Ok(())
}
