//! `quadra debug FILE.q` as a script drives it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PROGRAM: &str = concat!(include_str!("programs/begin.q"), include_str!("programs/end.q"));

fn file(name: &str, text: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("debugger");
    std::fs::create_dir_all(&directory).expect("the temporary directory can be written");
    let path = directory.join(name);
    std::fs::write(&path, text).expect("the program can be written");
    path
}

/// Status and output of a session with these commands, with the file's name cut down.
fn debug(name: &str, text: &str, commands: &[&str]) -> (Option<i32>, String) {
    let path = file(name, text);
    let mut child = Command::new(env!("CARGO_BIN_EXE_quadra"))
        .arg("debug")
        .arg(&path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let script = commands.join("\n") + "\n";
    // A program that ends early leaves commands unread.
    let _unread = child.stdin.take().expect("piped").write_all(script.as_bytes());
    let out = child.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    let directory = format!("{}/", path.parent().expect("a directory").display());
    (out.status.code(), text.replace(&directory, ""))
}

/// Asserts that the output has these lines in this order, perhaps with others between.
fn in_order(out: &str, wanted: &[&str]) {
    let mut lines = out.lines();
    for line in wanted {
        assert!(lines.any(|l| l.trim() == *line), "'{line}' is missing or out of order:\n{out}");
    }
}

#[test]
fn a_breakpoint_with_a_condition_stops_and_variables_change() {
    let commands = [
        "break 13 if i==3",
        "break",
        "continue",
        "print i*10",
        "locals",
        "step",
        "backtrace",
        "up",
        "print s",
        "down",
        "next",
        "z = 100",
        "out",
        "print s",
        "quit",
    ];
    let (status, out) = debug("break.q", PROGRAM, &commands);
    let wanted = [
        "the program begins: <program>, break.q:11",
        "->   11  s = 0",
        "breakpoint 1: break.q:13 if i==3",
        "breakpoint 1: break.q:13 if i==3, 0 hits",
        "breakpoint 1: <program>, break.q:13",
        "->   13      s += twice(i)",
        "30",
        "s: int = 9",
        "i: int = 3",
        "twice, break.q:2",
        "->   0  twice, break.q:2",
        "1  <program>, break.q:13",
        "<program>, break.q:13",
        "9",
        "twice, break.q:2",
        "twice, break.q:3",
        // `z = 100` is executed, and 9 + 101 counted.
        "<program>, break.q:13",
        "->   13      s += twice(i)",
    ];
    in_order(&out, &wanted);
    assert_eq!(status, Some(0));
    assert!(out.contains("\n110\n"), "{out}");
}

#[test]
fn steps_go_into_over_and_out_of_functions() {
    let (_, over) = debug("over.q", PROGRAM, &["next 3", "next", "next", "quit"]);
    assert!(!over.contains("twice,"), "{over}");
    in_order(&over, &["<program>, over.q:13", "->   13      s += twice(i)"]);
    let (_, into) = debug("into.q", PROGRAM, &["step 3", "step", "quit"]);
    in_order(&into, &["twice, into.q:2", "->    2      z = x*2", "twice, into.q:3", "->    3      y = z + 1"]);
    let (_, out) = debug("out.q", PROGRAM, &["break twice", "c", "delete 1", "out", "quit"]);
    in_order(&out, &["breakpoint 1: out.q:2", "breakpoint 1: twice, out.q:2", "1 removed", "<program>, out.q:13"]);
}

#[test]
fn one_item_of_a_kernel_or_loop_is_looked_at() {
    let commands = ["at pos [2,3]", "next", "print v", "set v = 100.75", "print v", "next", "print im[2,3]", "quit"];
    let (_, out) = debug("item.q", PROGRAM, &commands);
    let wanted = [
        "the item is reached: paint, item.q:7",
        "->    7      v = pos[0]*10 + pos[1]",
        "paint, item.q:8",
        "23",
        // In a kernel `v` stays an integer, and the item ends where the launch does.
        "100",
        "<program>, item.q:17",
        "50",
    ];
    in_order(&out, &wanted);
    let (_, out) = debug("loop.q", PROGRAM, &["at i=2", "print s", "at i=9", "quit"]);
    in_order(&out, &["the item is reached: <program>, loop.q:13", "4", "the program has ended"]);
}

#[test]
fn the_first_nan_and_errors_stop_the_program() {
    let commands = ["stop nan", "c", "print x", "stop caught", "c", "print s", "c", "quit"];
    let (status, out) = debug("stops.q", PROGRAM, &commands);
    let wanted =
        ["the first NaN comes from here: f, stops.q:17", "0", "the program fails here: <program>, stops.q:20", "25"];
    in_order(&out, &wanted);
    assert!(status == Some(0) && out.contains("0 17 NaN"), "{out}");
    let (status, out) = debug("fails.q", "x = [1,2]\ny = 7\nprint x[y]\n", &["c", "print y", "c"]);
    in_order(&out, &["the program fails here: <program>, fails.q:3", "7", "the program has ended with status 1"]);
    assert_eq!(status, Some(1));
    // Whoever ends the program inside a try block ends it all the same.
    let (status, out) = debug("quits.q", PROGRAM, &["stop caught", "c", "quit"]);
    assert!(status == Some(0) && !out.contains("0 17"), "{out}");
}

#[test]
fn wrong_commands_say_what_is_right() {
    let commands = [
        "frobnicate",
        "break 99",
        "break nothing",
        "break 3 if (",
        "print (",
        "print q7",
        "at",
        "at pos",
        "frame 7",
        "down",
        "step x",
        "delete x",
        "stop it",
        "frame 1",
        "list 1",
        "help",
        "quit",
    ];
    let (status, out) = debug("wrong.q", PROGRAM, &commands);
    for said in [
        "there is no command 'frobnicate'",
        "has no statement from line 99 on; the last is in line 24",
        "'nothing' is neither a line nor a function",
        "Q0110",
        "'q7' is not defined",
        "at: which item?",
        "there is no frame 7: the outermost is 0",
        "this is the innermost frame",
        "'x' is no number of steps",
        "'x' is no number of a breakpoint",
        "stop: at what?",
        "      1  function y = twice(x)",
        "step [N]",
    ] {
        assert!(out.contains(said), "{said}:\n{out}");
    }
    assert_eq!(status, Some(0));
    let (status, out) = debug("broken.q", "x = (1\n", &["quit"]);
    assert!(status == Some(2) && out.contains("Q01"), "{out}");
    let help = Command::new(env!("CARGO_BIN_EXE_quadra")).args(["debug", "--help"]).output().expect("it runs");
    let help = String::from_utf8_lossy(&help.stdout).into_owned();
    assert!(help.contains("quadra debug heat.q") && help.contains("at pos [3,4]"), "{help}");
}

#[test]
fn without_the_debugger_and_to_its_end_the_program_runs_as_ever() {
    for command in ["free", "continue"] {
        let (status, out) = debug("plain.q", PROGRAM, &["break twice", "delete", command]);
        assert!(status == Some(0) && out.contains("0 17 NaN\n") && out.ends_with("has ended\n"), "{out}");
    }
    // The end of the commands ends the program.
    let (_, out) = debug("ends.q", "print 1\nprint 2\n", &["next"]);
    assert!(out.contains("1\n") && !out.contains("\n2\n"), "{out}");
}
