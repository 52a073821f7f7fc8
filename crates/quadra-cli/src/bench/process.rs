//! A peer's process: it answers lines, and stands still while it is not asked.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Whether a process runs.
#[derive(Clone, Copy)]
enum State {
    Running,
    Stopped,
}

/// A process that is told what to do on its input and says on its output what came of it. It ends with this value.
pub struct Process {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Starts it; nothing if the program is not there.
    pub fn start(command: &mut Command) -> Option<Process> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let (input, output) = (child.stdin.take()?, BufReader::new(child.stdout.take()?));
        Some(Process { child, input, output })
    }

    /// Its next line; empty if it has ended. It is stopped afterwards.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        // A process that has ended, or whose text is no text, has said nothing.
        if self.output.read_line(&mut line).is_err() {
            line.clear();
        }
        self.put(State::Stopped);
        line.trim().to_string()
    }

    /// The answer to a line; empty if the process has ended.
    pub fn ask(&mut self, line: &str) -> String {
        self.put(State::Running);
        match writeln!(self.input, "{line}").and_then(|()| self.input.flush()) {
            Ok(()) => self.line(),
            Err(_) => String::new(),
        }
    }

    /// Threads of OpenMP and of BLAS wait for their next work without sleeping, for a fifth of a second and more: they would take
    /// a processor from whoever is measured next.
    fn put(&self, state: State) {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process};
            let signal = match state {
                State::Running => Signal::CONT,
                State::Stopped => Signal::STOP,
            };
            // Where it has ended, there is nothing to stop.
            let _ = kill_process(Pid::from_child(&self.child), signal);
        }
        #[cfg(not(unix))]
        let _ = state;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It is this one's own child, and idle; whether it has ended already makes no difference.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_peer_answers_and_stands_still_between() {
        let mut peer =
            Process::start(Command::new("sh").args(["-c", "while read x; do echo \"<$x>\"; done"])).expect("a shell");
        for word in ["one", "two"] {
            assert_eq!(peer.ask(word), format!("<{word}>"));
        }
        if cfg!(target_os = "linux") {
            let path = format!("/proc/{}/stat", peer.child.id());
            let stopped = || std::fs::read_to_string(&path).expect("its state").contains(") T ");
            // The signal takes effect a moment later.
            while !stopped() {
                std::thread::yield_now();
            }
        }
        assert_eq!(peer.ask("three"), "<three>");
    }

    #[test]
    fn a_peer_that_ended_says_nothing() {
        assert!(Process::start(&mut Command::new("/nowhere/at/all")).is_none());
        let mut peer = Process::start(&mut Command::new("true")).expect("a program that ends");
        assert_eq!(peer.ask("anything"), "");
    }
}
