//! The debugger and the prompt as a person uses them: at a pseudo terminal, command by command.
#![cfg(unix)]

use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Longer than anything here takes on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(100);

/// A command at a terminal of its own.
struct Person {
    child: Child,
    keys: File,
    screen: Receiver<Vec<u8>>,
    seen: String,
}

impl Drop for Person {
    fn drop(&mut self) {
        // One that has ended is none to end.
        let _ended = self.child.kill();
    }
}

impl Person {
    fn new(place: &Path, args: &[&str]) -> Person {
        let pty = openpty(None, None).expect("a pseudo terminal");
        let end = || pty.slave.try_clone().expect("another handle");
        let tools = place.join("bin");
        let path = std::env::var("PATH").unwrap_or_default();
        let child = Command::new(env!("CARGO_BIN_EXE_quadra"))
            .args(args)
            .current_dir(place)
            .env("TERM", "xterm")
            .env("HOME", place)
            .env("QUADRA_HISTORY", place.join("history"))
            .env("PATH", format!("{}:{path}", tools.display()))
            .env_remove("VISUAL")
            .env("EDITOR", "scribe")
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .expect("the command runs");
        drop(pty.slave);
        let keys = File::from(pty.master);
        let mut reader = keys.try_clone().expect("another handle");
        let (send, screen) = channel();
        std::thread::spawn(move || {
            let mut part = [0; 4096];
            // A terminal whose program has ended cannot be read.
            while let Ok(n) = reader.read(&mut part)
                && n > 0
                && send.send(part[..n].to_vec()).is_ok()
            {}
        });
        Person { child, keys, screen, seen: String::new() }
    }

    /// Waits until this text comes, and forgets what came before it.
    fn sees(&mut self, text: &str) {
        loop {
            if let Some(at) = self.seen.find(text) {
                self.seen.drain(..at + text.len());
                return;
            }
            let part = self.screen.recv_timeout(PATIENCE);
            let part = part.unwrap_or_else(|_| panic!("'{text}' does not come, but {:?}", self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&part));
        }
    }

    fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal is there");
    }

    /// Waits for the prompt, types a line, and waits for all of these texts in turn.
    fn says(&mut self, prompt: &str, line: &str, answers: &[&str]) {
        self.sees(prompt);
        self.types(&format!("{line}\r"));
        answers.iter().for_each(|text| self.sees(text));
    }

    fn interrupts(&self) {
        kill(Pid::from_raw(self.child.id() as i32), Signal::SIGINT).expect("the process is there");
    }

    fn ends(mut self) -> Option<i32> {
        self.child.wait().expect("it ends").code()
    }
}

/// A directory for one test, with an editor and a viewer that leave a trace.
fn place(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("terminal").join(name);
    // What an earlier run has left.
    let _none = std::fs::remove_dir_all(&place);
    std::fs::create_dir_all(place.join("bin")).expect("the temporary directory can be written");
    let tool = |name: &str, text: &str| {
        let path = place.join("bin").join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("the script can be written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it can be made executable");
    };
    tool("scribe", "echo 'edited = 6*7' > \"$1\"");
    for viewer in ["xdg-open", "open"] {
        tool(viewer, "echo \"$1\" >> viewed.txt");
    }
    place
}

/// The prompt as it is drawn on an empty line: the arrow of a message must not pass for it.
const PROMPT: &str = "\u{1b}[K> ";
/// What says that a line was taken. The prompt is drawn again before, with each line of one that goes on; what is typed in between may
/// be lost.
const TAKEN: &str = "\u{1b}[?2004l";
const DEBUGGER: &str = "(quasar) ";

/// A program that does not end by itself.
const PROGRAM: &str =
    concat!(include_str!("programs/begin.q"), "while s >= 0\n    s = s + 1\nend\n", include_str!("programs/end.q"));

fn debugged(name: &str, program: &str) -> Person {
    let place = place(name);
    std::fs::write(place.join("p.q"), program).expect("the program can be written");
    let mut person = Person::new(&place, &["debug", "p.q"]);
    person.sees("the program begins");
    person
}

#[test]
fn breakpoints_steps_and_frames() {
    let mut person = debugged("steps", PROGRAM);
    let mut say = |line: &str, answers: &[&str]| person.says(DEBUGGER, line, answers);
    say("help", &["step [N]", "quit"]);
    say("break twice if x==2", &["breakpoint 1: p.q:2 if x==2"]);
    say("break p.q:16", &["breakpoint 2: p.q:16"]);
    say("break", &["breakpoint 1: p.q:2 if x==2, 0 hits", "breakpoint 2: p.q:16, 0 hits"]);
    say("continue", &["breakpoint 1: twice, p.q:2", "->    2"]);
    say("backtrace", &["->   0  twice, p.q:2", "1  <program>, p.q:13"]);
    say("locals", &["x: int = 2"]);
    say("up", &["<program>, p.q:13"]);
    say("print s", &["\n4"]);
    say("down", &["twice, p.q:2"]);
    say("frame 1", &["<program>, p.q:13"]);
    say("frame 0", &["twice, p.q:2"]);
    say("list", &["->    2      z = x*2"]);
    say("list paint", &["v = pos[0]*10 + pos[1]"]);
    say("next", &["->    3"]);
    say("set z = 100", &[]);
    say("print z", &["\n100"]);
    say("z = 10", &[]);
    say("out", &["<program>, p.q:13"]);
    say("print s", &["\n15"]);
    say("next 1", &["->   13"]);
    say("p s", &["\n22"]);
    // An empty line repeats the last step; `step` goes into the function.
    say("step", &["->    2"]);
    say("", &["->    3"]);
    say("step", &["->   15"]);
    say("delete 1", &["1 removed"]);
    say("continue", &["breakpoint 2", "->   16"]);
    say("delete", &["1 removed"]);
    say("quit", &[]);
    assert_eq!(person.ends(), Some(0));
}

#[test]
fn items_of_kernels_and_stops() {
    let mut person = debugged("items", PROGRAM);
    let mut say = |line: &str, answers: &[&str]| person.says(DEBUGGER, line, answers);
    say("at i=3", &["the item is reached", "->   13"]);
    say("print i", &["\n3"]);
    say("at pos [1,2]", &["the item is reached", "->    7"]);
    say("print pos", &["\n[1, 2]"]);
    say("next", &["->    8"]);
    say("print v", &["\n12"]);
    say("at pos [3,4]", &["the item is reached", "->    7"]);
    say("print pos", &["\n[3, 4]"]);
    say("next", &["->    8"]);
    say("print v", &["\n34"]);
    say("next", &["->   17"]);
    say("stop nan", &[]);
    say("stop caught", &[]);
    say("continue", &["continue"]);
    // Whatever the program does when the signal comes, the loop has no end.
    std::thread::sleep(Duration::from_millis(300));
    person.interrupts();
    person.sees("interrupted");
    let mut say = |line: &str, answers: &[&str]| person.says(DEBUGGER, line, answers);
    say("s = -9", &[]);
    say("continue", &["the first NaN comes from here", "->   20"]);
    say("continue", &["caught", "the program fails here", "->   23"]);
    say("stop none", &[]);
    say("nonsense", &["there is no command 'nonsense'"]);
    say("print nosuch", &["'nosuch' is not defined"]);
    say("free", &["0 17 NaN", "the program has ended"]);
    assert_eq!(person.ends(), Some(0));
}

#[test]
fn the_end_of_the_input_ends_the_debugger() {
    let mut person = debugged("ends", "print 1\nprint 2\n");
    person.sees(DEBUGGER);
    // A key that interrupts while nothing runs does nothing.
    person.types("\x03");
    person.says(DEBUGGER, "next", &["\n1\r\n", "->    2"]);
    person.sees(DEBUGGER);
    person.types("\x04");
    assert_eq!(person.ends(), Some(0));
}

#[test]
fn values_and_functions_at_the_prompt() {
    let place = place("values");
    let mut person = Person::new(&place, &["repl"]);
    let mut say = |line: &str, answers: &[&str]| person.says(PROMPT, line, answers);
    say("x = 41", &[]);
    say("x + 1", &["\n42"]);
    say("ans*2", &["\n84"]);
    say("0..500", &["[0, 1, 2, ..., 498, 499, 500]"]);
    say("function y = f(a, b)\ry = a + b\rendfunction", &[]);
    say("f(2, 3)", &["\n5"]);
    say("who", &["ans", "f", "x"]);
    say("whos", &["x", "int", "41", "f(a, b)", "function"]);
    say("clear x", &[]);
    say("x", &["'x' is not defined"]);
    say("format long", &[]);
    say("1/3", &["\n0.3333333"]);
    say("format short", &[]);
    say("1/3", &["\n0.333333\r"]);
    say("tic", &[]);
    say("toc", &[" ms"]);
    say("help", &["whos", "format long, format short"]);
    say("help who", &["who: names of the variables"]);
    say("help linspace", &["linspace(a,b[,n])"]);
    say("doc eye", &["eye("]);
    say("help nosuch", &["there is no 'nosuch'"]);
    say("clear", &[]);
    say("exit", &[]);
    assert_eq!(person.ends(), Some(0));
}

#[test]
fn arrays_grow_at_the_prompt() {
    let place = place("grows");
    let mut person = Person::new(&place, &["repl"]);
    let mut say = |line: &str, answers: &[&str]| person.says(PROMPT, line, answers);
    say("x = []", &[]);
    say("x[0] = 5", &[]);
    say("x[3] = 2", &[]);
    say("x", &["[5, 0, 0, 2]"]);
    say("x[end+1] = 1+2j", &[]);
    say("x", &["[5+0j, 0+0j, 0+0j, 2+0j, 1+2j]"]);
    // What is made otherwise keeps its size and its elements, and the message says what to write.
    say("y = zeros(1,2)", &[]);
    say("y[2] = 1", &["index 2 is out of bounds (0..1) in 'y'", "y[end+1] = "]);
    say("y[0] = 1j", &["cannot store a 'cscalar' in 'y'", "y = complex(y)"]);
    say("y", &["[0, 0]"]);
    say("y = complex(y); y[0] = 1j", &[]);
    say("y", &["[0+1j, 0+0j]"]);
    say("z = zeros(1,2); z[1] = 2j", &["Q0131", "'z' is made complex"]);
    say("z", &["[0+0j, 0+2j]"]);
    say("whos", &["x", "cvec", "1x5", "y", "cvec", "z"]);
    say("exit", &[]);
    assert_eq!(person.ends(), Some(0));
}

#[test]
fn types_of_names_of_the_library_at_the_prompt() {
    let place = place("types");
    let mut person = Person::new(&place, &["repl"]);
    let mut say = |line: &str, answers: &[&str]| person.says(PROMPT, line, answers);
    say("conv([1,1],[1,1])", &["[1, 2, 1]"]);
    say("type conv : class\r weight : scalar\rendtype", &[TAKEN]);
    say("c = conv(2.5)", &[TAKEN]);
    say("c.weight", &["2.5"]);
    say("type rectangle : class\r width : scalar\rendtype", &[TAKEN]);
    say("rectangle(width := 3).width", &["3"]);
    say("whos", &["c"]);
    say("exit", &[]);
    assert_eq!(person.ends(), Some(0));
}

#[test]
fn files_and_pictures_at_the_prompt() {
    let place = place("files");
    std::fs::create_dir_all(place.join("inner")).expect("a directory");
    let mut person = Person::new(&place, &["repl"]);
    let mut say = |line: &str, answers: &[&str]| person.says("> ", line, answers);
    say("cd inner", &["inner"]);
    say("ls", &[]);
    say("edit new.q", &[]);
    say("edited", &["\n42"]);
    say("ls", &["new.q"]);
    say("cd nowhere", &["cannot go to 'nowhere'"]);
    say("ls nowhere", &["cannot list 'nowhere'"]);
    say("cd", &["inner"]);
    say("open figures", &["there are no pictures here"]);
    say("plot([0,1,4])", &[]);
    say("open figures", &["plot_001.svg"]);
    say("quit", &[]);
    assert_eq!(person.ends(), Some(0));
    // The viewer is started, not waited for.
    let started = Instant::now();
    let viewed = || std::fs::read_to_string(place.join("inner/viewed.txt")).unwrap_or_default();
    while !viewed().contains("plot_001.svg") {
        assert!(started.elapsed() < PATIENCE, "the viewer was not started: {:?}", viewed());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn interrupted_lines_leave_variables_and_history() {
    let place = place("history");
    let mut person = Person::new(&place, &["repl"]);
    person.says("> ", "x = 41", &[]);
    // An interrupted line is forgotten, an interrupted statement leaves the variables.
    person.sees("> ");
    person.types("y = 5 + \x03");
    person.says("> ", "while x > 0; x = x * 1; end", &["end"]);
    std::thread::sleep(Duration::from_millis(300));
    person.interrupts();
    person.sees("interrupted");
    person.says("> ", "x * 2", &["\n82"]);
    // The history has it still, and completion knows names.
    person.says("> ", "\x1b[A", &["\n82"]);
    person.sees("> ");
    person.types("linsp\t(0,2,3)\r");
    person.sees("[0, 1, 2]");
    person.sees("> ");
    person.types("\x04");
    assert_eq!(person.ends(), Some(0));
    // The next session begins with the lines of this one.
    let mut person = Person::new(&place, &["repl"]);
    person.says("> ", "\x1b[A", &["[0, 1, 2]"]);
    person.says("> ", "quit", &[]);
    assert_eq!(person.ends(), Some(0));
}
