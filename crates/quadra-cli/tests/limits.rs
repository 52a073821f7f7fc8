//! What ends a program from outside: Ctrl-C, time, memory, a full disk, a sandbox. Nobody measures time here; what must end soon is
//! waited for long.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn place(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("limits").join(name);
    // What an earlier run has left.
    let _none = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("the temporary directory can be written");
    directory
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadra"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a program with options: exit status, standard output, standard error.
fn run(name: &str, text: &str, options: &[&str]) -> (Option<i32>, String, String) {
    let path = place(name).join("program.q");
    std::fs::write(&path, text).expect("the program can be written");
    let path = path.to_str().expect("the path is text");
    parts(&command(&[&["run"], options, &[path]].concat()).output().expect("the command runs"))
}

fn parts(out: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code(), text(&out.stdout), text(&out.stderr))
}

/// Sends a signal to a process.
fn signal(child: &Child, name: &str) {
    let status = Command::new("kill").args(["-s", name, &child.id().to_string()]).status();
    assert!(status.expect("kill is there").success());
}

/// Waits for the end of a process that must not hang.
fn end_of(mut child: Child) -> Output {
    let start = Instant::now();
    while child.try_wait().expect("it can be waited for").is_none() {
        if start.elapsed() > Duration::from_secs(60) {
            // The test fails in any case.
            let _gone = child.kill();
            panic!("the process does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("it has ended")
}

/// What never ends by itself: on the host, within one function of the library, in kernels, on the emulated chip.
const ENDLESS: [(&str, &str, &str); 6] = [
    ("host", "print \"go\"\nx = 0\nwhile true\n    x = x + 1\nendwhile\n", "host"),
    ("long", "print \"go\"\na = ones(3000,3000)\nfor i=0..999999\n    a = a * a\nendfor\n", "host"),
    ("item", KERNEL, "host"),
    ("interp", KERNEL, "interp"),
    ("cpu", KERNEL, "cpu"),
    ("emu", KERNEL, "emu"),
];

const KERNEL: &str = "function [] = __kernel__ spin(x : vec, pos : int)\n    y = x[pos]\n    while y < 2\n        y = y * 0.5 + 0.1\n    endwhile\n    x[pos] = y\nendfunction\nprint \"go\"\nx = zeros(64)\nparallel_do(64, x, spin)\nprint \"never\"\n";

#[test]
fn ctrl_c_ends_what_runs_and_shows_what_was_printed() {
    for (name, text, device) in ENDLESS {
        let program = place(name).join("program.q");
        std::fs::write(&program, text).expect("the program can be written");
        let args = ["run", "--device", device, program.to_str().expect("text")];
        let mut child = command(&args).spawn().expect("the command runs");
        // The text appears while the program runs, though nobody watches.
        let mut go = [0; 3];
        child.stdout.as_mut().expect("a pipe").read_exact(&mut go).expect("it prints");
        assert_eq!(&go, b"go\n", "{name}");
        signal(&child, "INT");
        let (status, _, err) = parts(&end_of(child));
        let missing = device == "cpu" && err.contains("libllvm");
        assert!(status == Some(130) || missing, "{name}: {status:?} {err}");
    }
}

#[test]
fn the_time_limit_counts_the_host_and_devices() {
    for (name, text, device) in ENDLESS {
        let (status, out, err) = run(&format!("time-{name}"), text, &["--time-limit", "0.3", "--device", device]);
        let missing = device == "cpu" && err.contains("libllvm");
        assert!(status == Some(1) && err.contains("Q0318") && out == "go\n" || missing, "{name}: {status:?} {err}");
    }
    assert_eq!(run("time-none", "print 1\n", &["--time-limit", "0"]).1, "1\n");
    assert_eq!(run("time-wrong", "print 1\n", &["--time-limit", "-1"]).0, Some(64));
}

#[test]
fn ctrl_c_ends_the_statement_and_not_the_prompt() {
    let mut child = command(&["repl", "--device", "cpu"]).spawn().expect("the command runs");
    let mut to = child.stdin.take().expect("a pipe");
    let mut from = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    for (statement, n) in [
        ("while true\nx = 1\nendwhile\n", 1),
        (&KERNEL.replace("print \"go\"\n", "").replace("print \"never\"\n", ""), 2),
    ] {
        write!(to, "print \"go\"\n{statement}\n").expect("it reads");
        line.clear();
        from.read_line(&mut line).expect("it prints");
        assert_eq!(line, "go\n");
        // The statement begins some time after the line before it.
        std::thread::sleep(Duration::from_millis(300));
        signal(&child, "INT");
        writeln!(to, "print {n}").expect("it reads");
        loop {
            line.clear();
            assert!(from.read_line(&mut line).expect("it prints") > 0, "the prompt has ended");
            // Without libLLVM the kernel runs on the host, where it can be ended, too.
            if line == format!("{n}\n") {
                break;
            }
        }
    }
    drop(to);
    let (status, _, err) = parts(&end_of(child));
    assert!(status == Some(0) && err.matches("Q0317").count() >= 1, "{status:?} {err}");
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let directory = place("disk");
    let old = directory.join("a.dat");
    for (n, text) in [
        "save(\"F\", ones(100,100))",
        "imwrite(\"F.png\", ones(100,100))",
        "f = fopen(\"F\", \"w\")\nfor i=0..9999\nfprintf(f, \"%d\\n\", i)\nendfor\nfclose(f)",
    ]
    .iter()
    .enumerate()
    {
        let name = if n == 1 { directory.join("a.dat.png") } else { old.clone() };
        std::fs::write(&name, "old").expect("writable");
        let path = directory.join("program.q");
        std::fs::write(&path, text.replace('F', old.to_str().expect("text"))).expect("writable");
        let mut command = command(&["run", path.to_str().expect("text")]);
        let out = command.env("QUADRA_FAULTS", "write=0").output().expect("the command runs");
        let (status, _, err) = parts(&out);
        assert!(status == Some(1) && err.contains("cannot write"), "{status:?} {err}");
        assert_eq!(std::fs::read(&name).expect("it is there"), b"old");
    }
    let left = std::fs::read_dir(&directory).expect("it is there").flatten();
    assert!(left.into_iter().all(|e| !e.file_name().to_string_lossy().ends_with(".part")));
}

#[test]
fn everything_counts_for_the_limit_on_memory() {
    let long = "0123456789".repeat(30);
    let strings =
        format!("c = cell(100000)\nfor i=0..99999\n    c[i] = \"{long}\" + num2str(i)\nendfor\nprint \"fits\"\n");
    for (name, text) in [
        ("strings", strings),
        ("text", "s = \"0123456789\"\nfor i=0..30\n    s = s + s\nendfor\n".into()),
        ("cells", "c = {}\nfor i=0..9999999\n    c = {c, i}\nendfor\n".into()),
        ("product", "a = ones(1,4000)\nb = transpose(a) * a\nprint sum(b)\n".into()),
        ("slices", "a : mat'circular = ones(100,100)\nb = a[(-3000..3000),(-3000..3000)]\nprint sum(b)\n".into()),
    ] {
        let (status, out, err) = run(&format!("memory-{name}"), &text, &["--max-memory", "16M", "--device", "host"]);
        assert!(status == Some(1) && err.contains("Q0310"), "{name}: {status:?} {out} {err}");
    }
}

#[test]
fn the_sandbox_has_its_spellings() {
    let directory = place("sandbox");
    let inside = directory.to_str().expect("text");
    std::fs::write(directory.join("program.q"), "f = fopen(\"/etc/passwd\")\n").expect("writable");
    let program = directory.join("program.q");
    let program = program.to_str().expect("text");
    let equals = format!("--sandbox={inside}");
    for args in [&["run", "--sandbox", inside, program][..], &["run", &equals, program], &["run", program, "--sandbox"]]
    {
        let (status, _, err) = parts(&command(args).output().expect("the command runs"));
        assert!(status == Some(1) && err.contains("Q0418"), "{args:?}: {status:?} {err}");
    }
    let (status, _, err) = parts(&command(&["run", "--sandbox", program]).output().expect("the command runs"));
    assert!(status == Some(1) && err.contains("Q0418"), "the option without a value: {status:?} {err}");
}

#[test]
fn what_no_person_writes_ends_with_one_error_or_a_result() {
    let chain = format!("x = 1{}\n", " + 1".repeat(1_000_000));
    let calls = format!("x = f{}\n", "(1)".repeat(300_000));
    let powers = format!("x = 2{}\n", "^1".repeat(300_000));
    let blocks = format!("{}{}", "if true\n".repeat(50_000), "endif\n".repeat(50_000));
    let name = format!("{} = 1\nprint b\n", "a".repeat(30 << 20));
    let unknown = format!("print {}\n", "b".repeat(30 << 20));
    for (what, text, status) in [
        ("chain", chain, 2),
        ("calls", calls, 2),
        ("powers", powers, 2),
        ("blocks", blocks, 2),
        ("nuls", "\0".repeat(50 << 10), 2),
        ("noise", "~@$?".repeat(20_000), 2),
        ("name", name, 1),
        ("unknown", unknown, 1),
        ("cells", "q = {}\nfor k=0..99999\n    q = {q, k}\nendfor\nprint q == q\n".into(), 1),
        ("fits", format!("x = 1{}\nprint x\n", " + 1".repeat(1_900)), 0),
    ] {
        let path = place(what).join("program.q");
        std::fs::write(&path, text).expect("the program can be written");
        let path = path.to_str().expect("text");
        let (found, _, err) = parts(&command(&["run", path]).output().expect("the command runs"));
        assert_eq!(found, Some(status), "{what}: {}", &err[..err.len().min(500)]);
        assert!(err.len() < 200_000, "{what}");
        for other in if ["blocks", "noise"].contains(&what) { &["check", "fmt"][..] } else { &[] } {
            assert!(command(&[other, path]).output().expect("the command runs").status.code().is_some(), "{what}");
        }
        std::fs::remove_file(path).expect("own file");
    }
}

#[test]
fn faults_on_purpose_end_in_results_or_errors() {
    let out = command(&["fuzz", "faults", "--count", "12"]).output().expect("the command runs");
    let (status, said, err) = parts(&out);
    assert_eq!(status, Some(0), "{said}{err}");
}
