//! `quadra doctor`: what of this machine Quadra can use, and what to do about the rest.

use crate::json;
use quadra::kernels::gcd::GCD;
use quadra_base::cache::{Trouble, state};
use quadra_base::{Diagnostic, cache};
use quadra_device::vc4::{self, Obstacle};
use quadra_llvm::Llvm;
use serde::Serialize;
use std::io::ErrorKind;
use std::path::Path;
use std::process::ExitCode;

/// Say what of this machine can be used, and what to do about the rest. The exit status is 1 if no kernel can be compiled and run here.
#[derive(clap::Args)]
pub struct Args {
    /// Print JSON, rows of `{subject, state, text, cures}`.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    /// It can be used.
    Ok,
    /// It is not there, and Quadra works without it.
    Absent,
    /// It is there, or should be, and something is wrong.
    Problem,
}

#[derive(Debug, Serialize)]
struct Row {
    subject: &'static str,
    state: State,
    text: String,
    /// Commands or steps, each of which may help.
    cures: Vec<String>,
}

/// The row without which nothing works.
const MAIN: &str = "kernels";

pub fn run(args: &Args) -> ExitCode {
    let rows: Vec<Row> =
        [vec![kernels()], libllvm(), vec![gpus(Path::new("/dev")), cuda(), pi(&vc4::look().map(|m| m.model))]]
            .into_iter()
            .flatten()
            .chain([kept(), temporary()])
            .collect();
    if args.json {
        println!("{}", json::pretty(&rows));
    } else {
        rows.iter().for_each(|row| print!("{}", text(row)));
    }
    status(&rows)
}

/// Fails if kernels cannot be compiled and run.
fn status(rows: &[Row]) -> ExitCode {
    ExitCode::from(u8::from(rows.iter().any(|r| r.subject == MAIN && r.state != State::Ok)))
}

fn text(row: &Row) -> String {
    let state = match row.state {
        State::Ok => "ok",
        State::Absent => "-",
        State::Problem => "!",
    };
    let mut out = format!("{:<12} {state:<2} {}\n", row.subject, row.text);
    for cure in &row.cures {
        out += &format!("{:<15} → {cure}\n", "");
    }
    out
}

fn row(subject: &'static str, state: State, text: impl Into<String>) -> Row {
    Row { subject, state, text: text.into(), cures: Vec::new() }
}

/// A problem in the words of a diagnostic.
fn problem(subject: &'static str, d: &Diagnostic) -> Row {
    Row { cures: d.help.clone(), ..row(subject, State::Problem, d.message.clone()) }
}

/// Compiles and runs a kernel on a device, without what the cache has, and compares with plain Rust.
fn trial(device: &str) -> Result<(), Diagnostic> {
    let device = quadra_device::open(device)?;
    let workload = &GCD.workloads[0];
    cache::without(|| (workload.run)(&*device, workload.qpus)).map(drop)
}

fn kernels() -> Row {
    match trial("emu") {
        Ok(()) => row(MAIN, State::Ok, "compiled for the QPU and run on the emulator, with the right result"),
        Err(d) => problem(MAIN, &d),
    }
}

/// Which library there is, and whether its code runs.
fn libllvm() -> Vec<Row> {
    const SUBJECT: &str = "libLLVM";
    let llvm = match Llvm::get() {
        Ok(llvm) => llvm,
        Err(d) => {
            let mut missing = problem(SUBJECT, &d);
            if d.code == "E0851" {
                missing.state = State::Absent;
                missing
                    .cures
                    .insert(0, install(&std::fs::read_to_string("/etc/os-release").unwrap_or_default()).into());
            }
            return vec![missing];
        }
    };
    let (major, minor, patch) = llvm.version();
    let found = format!("version {major}.{minor}.{patch}, {}, for {}", llvm.path().display(), llvm.triple());
    let code = match trial("cpu") {
        Ok(()) => row("cpu", State::Ok, "compiled for this processor and run, with the right result"),
        Err(d) => problem("cpu", &d),
    };
    vec![row(SUBJECT, State::Ok, found), code]
}

/// How to install libLLVM on the system that `/etc/os-release` describes.
fn install(os_release: &str) -> &'static str {
    if cfg!(target_os = "macos") {
        return "brew install llvm@19";
    }
    let field =
        |name: &str| os_release.lines().find_map(|l| l.strip_prefix(name)).unwrap_or_default().trim_matches('"');
    let names: Vec<&str> = field("ID=").split(' ').chain(field("ID_LIKE=").split(' ')).collect();
    let line = |known: &[&str]| known.iter().any(|k| names.contains(k));
    if line(&["debian", "ubuntu", "raspbian"]) {
        "sudo apt-get install libllvm19   (or the newest of libllvm15 to libllvm22 that the release has)"
    } else if line(&["fedora", "rhel", "centos"]) {
        "sudo dnf install llvm-libs"
    } else if line(&["arch"]) {
        "sudo pacman -S llvm-libs"
    } else if line(&["alpine"]) {
        "sudo apk add llvm19-libs"
    } else if line(&["suse", "opensuse"]) {
        "sudo zypper install libLLVM19"
    } else {
        "install the library of LLVM 19 (libLLVM.so.19.1), or any version from 15 on, with the system's packages"
    }
}

/// This build runs nothing there; what the system has is said all the same.
fn gpus(devices: &Path) -> Row {
    let nodes = quadra_device::gpu_files(devices);
    let listed: Vec<String> = nodes.iter().map(|n| n.display().to_string()).collect();
    let seen = if listed.is_empty() {
        "the system shows none".to_string()
    } else {
        format!("the system shows {}", listed.join(", "))
    };
    let mut found = match quadra_device::open("gpu") {
        Ok(gpu) => row("GPU", State::Ok, format!("{}; {seen}", gpu.about())),
        Err(d) if d.code == "E0701" => row("GPU", State::Absent, format!("no GPU device in this build; {seen}")),
        Err(d) => Row { cures: d.help, ..row("GPU", State::Absent, format!("{}; {seen}", d.message)) },
    };
    let refused = |n: &&std::path::PathBuf| {
        std::fs::File::options().read(true).write(true).open(n).is_err_and(|e| e.kind() == ErrorKind::PermissionDenied)
    };
    if let Some(node) = nodes.iter().find(refused) {
        found
            .cures
            .push(format!("sudo usermod -aG render $USER, and log in anew: {} may not be opened", node.display()));
    }
    found
}

fn cuda() -> Row {
    match quadra_device::open("cuda") {
        Ok(gpu) => row("CUDA", State::Ok, gpu.about()),
        // Whoever has no such GPU need not install anything.
        Err(d) if d.code == "E0730" || d.code == "E0701" => row("CUDA", State::Absent, d.message),
        Err(d) => Row { cures: d.help, ..row("CUDA", State::Problem, d.message) },
    }
}

fn pi(found: &Result<String, Vec<Obstacle>>) -> Row {
    const SUBJECT: &str = "Pi";
    let obstacles = match found {
        Ok(model) => return row(SUBJECT, State::Ok, format!("{model}: kernels run on its QPUs (device vc4)")),
        Err(obstacles) => obstacles,
    };
    let elsewhere = |o: &Obstacle| matches!(o, Obstacle::NotLinux | Obstacle::NotAPi(_) | Obstacle::OtherGpu { .. });
    let messages: Vec<String> = obstacles.iter().map(Obstacle::message).collect();
    let state = if obstacles.iter().any(elsewhere) { State::Absent } else { State::Problem };
    Row { cures: obstacles.iter().map(Obstacle::help).collect(), ..row(SUBJECT, state, messages.join("; ")) }
}

fn kept() -> Row {
    const SUBJECT: &str = "cache";
    let Some(directory) = cache::place() else {
        let mut off = row(SUBJECT, State::Absent, "switched off: compiled code is not kept");
        off.cures.push(format!("unset {}, or let it name a directory", cache::VARIABLE));
        return off;
    };
    let at = directory.display();
    match state::trouble(&directory) {
        None => {
            let size = state::size(&directory).unwrap_or_default();
            row(SUBJECT, State::Ok, format!("{}, writable, own", super::cache::text(&directory, size)))
        }
        Some(Trouble::NotWritable(e)) => {
            let mut trouble = row(SUBJECT, State::Problem, format!("{at} cannot be written: {e}"));
            trouble.cures.push(format!("let {} name a directory that can be written", cache::VARIABLE));
            trouble
        }
        Some(Trouble::NotADirectory) => {
            let mut trouble = row(SUBJECT, State::Problem, format!("{at} is no directory"));
            trouble.cures.push(format!("rename it, or let {} name a directory", cache::VARIABLE));
            trouble
        }
        Some(Trouble::NotOwn) => {
            let text = format!("{at} belongs to another user, or others may write there: nothing in it is trusted");
            let mut trouble = row(SUBJECT, State::Problem, text);
            trouble.cures.push(format!("sudo chown -R $USER {at} && chmod -R go-w {at}"));
            trouble
        }
    }
}

fn temporary() -> Row {
    const SUBJECT: &str = "permissions";
    match tempfile::tempfile() {
        Ok(_) => row(SUBJECT, State::Ok, format!("{} can be written", std::env::temp_dir().display())),
        Err(e) => {
            let mut trouble = row(SUBJECT, State::Problem, format!("no temporary file can be made: {e}"));
            trouble.cures.push("let TMPDIR name a directory that can be written".into());
            trouble
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_that_of_kernels_alone() {
        let rows = |state| [row(MAIN, state, ""), row("libLLVM", State::Absent, ""), row("cache", State::Problem, "")];
        let code = |state| format!("{:?}", status(&rows(state)));
        assert_eq!(code(State::Ok), format!("{:?}", ExitCode::SUCCESS));
        assert_eq!(code(State::Problem), format!("{:?}", ExitCode::from(1)));
    }

    #[cfg(not(target_os = "macos"))]
    #[test]
    fn every_system_has_a_line_to_install() {
        assert!(install("NAME=x\nID=raspbian\nID_LIKE=debian\n").starts_with("sudo apt-get install libllvm19"));
        assert_eq!(install("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n"), "sudo dnf install llvm-libs");
        assert!(install("").contains("from 15 on"));
    }

    #[test]
    fn a_pi_that_refuses_is_a_problem_and_another_machine_is_none() {
        let absent = pi(&Err(vec![Obstacle::NotAPi(None)]));
        assert_eq!((absent.state, absent.cures.len()), (State::Absent, 1));
        let both = pi(&Err(vec![Obstacle::Missing("/dev/vcio"), Obstacle::InUse]));
        assert_eq!((both.state, both.cures.len()), (State::Problem, 2));
        assert!(text(&both).contains("does not exist; another process") && text(&both).matches('→').count() == 2);
        assert_eq!(pi(&Ok("Raspberry Pi 3".into())).state, State::Ok);
    }

    #[test]
    fn gpus_that_the_system_shows_are_named() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        assert!(gpus(directory.path()).text.ends_with("the system shows none"));
        let shared = directory.path().join("dri");
        std::fs::create_dir(&shared).expect("own directory");
        for file in [shared.join("renderD128"), shared.join("card0"), directory.path().join("nvidiactl")] {
            std::fs::write(file, b"").expect("own directory");
        }
        let found = gpus(directory.path());
        assert!(found.text.ends_with("renderD128"), "{}", found.text);
        std::fs::write(directory.path().join("nvidia0"), b"").expect("own directory");
        let found = gpus(directory.path());
        assert!(found.text.ends_with("nvidia0"), "{}", found.text);
    }
}
