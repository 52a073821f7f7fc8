//! A program under `quadra run --show`.

use std::io::{BufRead, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};

/// A command that shows a program's pictures, the address of its page, and what it prints.
pub struct Shown {
    pub child: Child,
    pub address: String,
    pub lines: Lines<BufReader<ChildStdout>>,
    pub errors: Lines<BufReader<ChildStderr>>,
}

/// Runs a program in its own folder, and waits for the address.
pub fn start(program: &Path) -> Shown {
    let mut child = Command::new(env!("CARGO_BIN_EXE_quadra"))
        .args(["run", "--show"])
        .arg(program)
        .current_dir(program.parent().expect("a folder"))
        // No browser is to be found.
        .env("PATH", "")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut errors = BufReader::new(child.stderr.take().expect("piped")).lines();
    let line = errors.next().expect("it says where").expect("text");
    let address = line.split_once("at ").expect("an address").1.to_string();
    let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    Shown { child, address, lines, errors }
}
