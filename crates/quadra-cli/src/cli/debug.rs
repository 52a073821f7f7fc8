//! `quadra debug CASE.json|KERNEL`: the session; `debug_quasar` has that of `quadra debug FILE.q`. Commands are in `debug_show` as far as they only look.

use super::common::CliResult;
use super::debug_dap;
use super::debug_quasar;
use super::debug_show::{self as show, View};
use super::quasar_kernels;
use super::target::{Choice, Code, Target};
use quadra_base::Diagnostic;
use quadra_isa::vc4::debug::{Debugger, Stopped};
use quadra_isa::vc4::disasm;
use quadra_isa::vc4::emu::RunError;
use std::io::{BufRead, IsTerminal, Write};

/// Runs a Quasar program statement by statement, or a QPU program instruction by instruction, forwards and backwards.
/// Commands come from the terminal, or line by line from standard input; `help` lists them.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  quadra debug heat.q                     the program, statement by statement, on this processor
  quadra debug heat.q --kernel 4          the QPU code of the first launch of the kernel or loop in line 4
  quadra debug heat_map                   the QPU code of a shipped kernel
  quadra debug --dap                      for an editor
  printf 'break 12 if i == 3\\ncontinue\\nlocals\\n' | quadra debug heat.q
  printf 'break L26\\ncontinue\\nregisters r0 float\\n' | quadra debug case.json

A session with a Quasar program, in which line 7 is in a kernel:
  break 7           stop before line 7
  continue          in the first item that comes there
  at pos [3,4]      go on to this item instead
  next              one statement further in this item
  print x[pos]*2    compute something here
  x[pos] = 0        and change it
  stop nan          from here on, stop where the first NaN comes from
  continue")]
pub struct Args {
    #[command(flatten)]
    choice: Option<Choice>,
    /// Serve an editor: the Debug Adapter Protocol over standard input and output. The editor says what is debugged.
    #[arg(long, exclusive = true)]
    dap: bool,
    /// Quasar program: scalars in double precision.
    #[arg(long)]
    double: bool,
    /// Quasar program: what its function `main` is called with, as strings.
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
}

/// What a line of input asks for beside output.
#[derive(PartialEq, Eq, Debug)]
pub enum Flow {
    GoOn,
    Quit,
}

/// A debugging session.
pub struct Session {
    pub debugger: Debugger,
    pub codes: Vec<Code>,
    /// The QPU that commands are about.
    pub qpu: usize,
    view: View,
    budget: u64,
    /// Warnings that were printed.
    warned: usize,
}

/// Debugs a Quasar program, if that is asked for and not the code that it launches on QPUs, or serves an editor; gives the status of
/// the process.
pub fn quasar(args: &Args) -> Option<u8> {
    let choice = match &args.choice {
        Some(choice) if !args.dap => choice,
        _ => return Some(debug_dap::run()),
    };
    let program = quasar_kernels::is_program(&choice.target) && !choice.names_code();
    program.then(|| {
        debug_quasar::run(debug_quasar::Request {
            file: choice.target.clone().into(),
            double: args.double,
            arguments: args.arguments.clone(),
        })
    })
}

pub fn run(args: &Args) -> CliResult {
    let Some(choice) = &args.choice else { return Ok(()) };
    let target = choice.prepare(false)?;
    let heading = target.name.clone();
    let mut session = Session::new(target, choice.budget()).map_err(|e| vec![e.diagnostic()])?;
    println!("{heading}\n{}", session.here());
    if std::io::stdin().is_terminal() { from_terminal(&mut session) } else { from_pipe(&mut session) }
}

fn from_pipe(session: &mut Session) -> CliResult {
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|e| vec![Diagnostic::error("E0721", format!("cannot read standard input: {e}"))])?;
        let (text, flow) = session.execute(&line);
        print!("{text}");
        if flow == Flow::Quit {
            break;
        }
    }
    Ok(())
}

fn from_terminal(session: &mut Session) -> CliResult {
    let broken = |e: rustyline::error::ReadlineError| {
        vec![Diagnostic::error("E0721", format!("cannot read from the terminal: {e}"))]
    };
    let mut editor = rustyline::DefaultEditor::new().map_err(broken)?;
    let mut last = String::new();
    loop {
        match editor.readline(&format!("(QPU {}) ", session.qpu)) {
            Ok(line) => {
                // An empty line repeats the last command, as in other debuggers.
                let line = if line.trim().is_empty() { last.clone() } else { line };
                let _ = editor.add_history_entry(&line);
                let (text, flow) = session.execute(&line);
                print!("{text}");
                let _ = std::io::stdout().flush();
                last = line;
                if flow == Flow::Quit {
                    return Ok(());
                }
            }
            Err(rustyline::error::ReadlineError::Interrupted) => {}
            Err(rustyline::error::ReadlineError::Eof) => return Ok(()),
            Err(e) => return Err(broken(e)),
        }
    }
}

const HELP: &str = "\
step [N] [QPU]          execute N instructions of a QPU
continue                let all QPUs run to a breakpoint or the end
back [N]                undo the last N instructions, of whatever QPU
break PLACE             stop before an instruction: 0x1040, a label (L12), or every copy of a source line (heat_map.rs:98)
delete [PLACE]          remove a breakpoint, or all
qpu N                   look at another QPU
list [PLACE] [N]        N instructions around a place, with source lines
registers [NAME] [VIEW] all registers that are not 0, or one (ra3, rb31, r5), lane by lane
acc [VIEW]              r0 to r5
flags                   zero, negative, carry, lane by lane
memory ADDRESS [N] [VIEW]   N words of memory
uniforms [N]            the next N uniforms
vpm [ROW] [N] [VIEW]    N rows of the VPM
backtrace               where each QPU is, and what it waits for
view int|hex|float      how numbers are shown
help, quit              commands may be shortened as long as they stay unambiguous
";

const COMMANDS: [&str; 16] = [
    "step",
    "continue",
    "back",
    "break",
    "delete",
    "qpu",
    "list",
    "registers",
    "acc",
    "flags",
    "memory",
    "uniforms",
    "vpm",
    "backtrace",
    "view",
    "help",
];

impl Session {
    /// A session at the start of all threads.
    ///
    /// # Errors
    /// As [`Debugger::new`].
    pub fn new(target: Target, budget: u64) -> Result<Session, RunError> {
        let debugger = Debugger::new(target.machine, &target.threads)?;
        Ok(Session { debugger, codes: target.codes, qpu: 0, view: View::Int, budget, warned: 0 })
    }

    /// Executes one line of input; gives what to print.
    pub fn execute(&mut self, line: &str) -> (String, Flow) {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() || words[0].starts_with('#') {
            return (String::new(), Flow::GoOn);
        }
        let name = match words.remove(0) {
            "quit" | "q" | "exit" => return (String::new(), Flow::Quit),
            "bt" | "where" => "backtrace",
            "b" => "break",
            "x" => "memory",
            short => match command(short) {
                Ok(name) => name,
                Err(message) => return (message, Flow::GoOn),
            },
        };
        let view = self.take_view(&mut words);
        let text = match name {
            "step" => self.step(&words),
            "continue" => self.go_on(),
            "back" => self.back(&words),
            "break" => self.set_breakpoint(&words),
            "delete" => self.delete(&words),
            "qpu" => self.choose(&words),
            "list" => self.list(&words),
            "registers" => show::registers(self.debugger.machine(), self.qpu, words.first().copied(), view),
            "acc" => show::accumulators(self.debugger.machine(), self.qpu, view),
            "flags" => show::flags(self.debugger.machine(), self.qpu),
            "memory" => self.memory(&words, view),
            "uniforms" => self.uniforms(&words, view),
            "vpm" => show::vpm(self.debugger.machine(), number(&words, 0), number(&words, 1), view),
            "backtrace" => Ok(show::backtrace(&self.debugger, &self.codes)),
            "view" => {
                self.view = view;
                Ok(String::new())
            }
            _ => Ok(HELP.to_string()),
        };
        (text.unwrap_or_else(|message| message + "\n"), Flow::GoOn)
    }

    /// Takes the name of a view out of the arguments.
    fn take_view(&self, words: &mut Vec<&str>) -> View {
        let at = words.iter().position(|w| View::from_name(w).is_some());
        at.and_then(|i| View::from_name(words.remove(i))).unwrap_or(self.view)
    }

    fn step(&mut self, words: &[&str]) -> Result<String, String> {
        let count = number(words, 0).unwrap_or(1);
        if let Some(qpu) = number(words, 1) {
            self.choose_number(qpu)?;
        }
        let stopped = self.debugger.step(self.qpu, count.min(self.left()));
        Ok(self.report(&stopped))
    }

    fn go_on(&mut self) -> Result<String, String> {
        let left = self.left();
        let stopped = self.debugger.run(left);
        if stopped == Stopped::Stepped {
            return Ok(format!(
                "stopped: {} instructions are executed, which is the budget\n",
                self.debugger.executed()
            ));
        }
        Ok(self.report(&stopped))
    }

    /// Instructions left of the budget.
    pub fn left(&self) -> u64 {
        self.budget.saturating_sub(self.debugger.executed())
    }

    fn back(&mut self, words: &[&str]) -> Result<String, String> {
        let undone = self.debugger.back(number(words, 0).unwrap_or(1));
        Ok(format!("{undone} undone, {} executed\n{}\n", self.debugger.executed(), self.here()))
    }

    fn report(&mut self, stopped: &Stopped) -> String {
        let text = match stopped {
            Stopped::Stepped => String::new(),
            Stopped::Breakpoint { qpu, pc } => {
                self.qpu = *qpu;
                format!("QPU {qpu} is at the breakpoint {pc:#x}\n")
            }
            Stopped::Waits(w) => format!("QPU {} waits for {}\n", w.qpu, w.on),
            Stopped::Ended { qpu } => format!("QPU {qpu} has ended\n"),
            Stopped::Done => {
                let executed = self.debugger.executed();
                return format!("{}all QPUs have ended after {executed} instructions\n", self.warnings());
            }
            Stopped::Failed(error) => {
                if let RunError::Fault(fault) = error {
                    self.qpu = fault.qpu;
                }
                format!("{error}\n")
            }
        };
        format!("{}{text}{}\n", self.warnings(), self.here())
    }

    /// The warnings that have come up since the last look.
    pub fn warnings(&mut self) -> String {
        let all = self.debugger.machine().warnings();
        let new: String = all.iter().skip(self.warned).map(|w| format!("warning: {w}\n")).collect();
        self.warned = self.warned.max(all.len());
        new
    }

    /// The chosen QPU's next instruction.
    fn here(&self) -> String {
        let Some(registers) = self.debugger.machine().registers(self.qpu) else { return String::new() };
        if registers.ended {
            return format!("QPU {}: ended", self.qpu);
        }
        let instruction = show::instruction(&self.debugger, &self.codes, registers.pc);
        format!("QPU {}: {instruction}", self.qpu)
    }

    fn choose(&mut self, words: &[&str]) -> Result<String, String> {
        self.choose_number(number(words, 0).ok_or("qpu: which one? `qpu 3`")?)?;
        Ok(self.here() + "\n")
    }

    fn choose_number(&mut self, qpu: u64) -> Result<(), String> {
        if qpu >= self.debugger.qpus() as u64 {
            return Err(format!("there is no QPU {qpu}: {} are running", self.debugger.qpus()));
        }
        self.qpu = qpu as usize;
        Ok(())
    }

    fn set_breakpoint(&mut self, words: &[&str]) -> Result<String, String> {
        let Some(place) = words.first() else {
            let list: Vec<String> = self.debugger.breakpoints().iter().map(|pc| format!("{pc:#x}\n")).collect();
            return Ok(if list.is_empty() { "no breakpoints\n".into() } else { list.concat() });
        };
        let mut out = String::new();
        for address in self.places(place)? {
            self.debugger.add_breakpoint(address);
            out += &format!("breakpoint at {}\n", show::instruction(&self.debugger, &self.codes, address));
        }
        Ok(out)
    }

    fn delete(&mut self, words: &[&str]) -> Result<String, String> {
        let addresses = match words.first() {
            Some(place) => self.places(place)?,
            None => self.debugger.breakpoints().iter().copied().collect(),
        };
        let count = addresses.into_iter().filter(|a| self.debugger.remove_breakpoint(*a)).count();
        Ok(format!("{count} removed\n"))
    }

    /// The byte address of a label, of the first copy of a source line, or a number.
    fn place(&self, text: &str) -> Result<u32, String> {
        self.places(text).map(|places| places[0])
    }

    /// The byte addresses of a label, a source line or a number, at least one. A line stands wherever it was repeated: in
    /// macros and loops that were unrolled, in copies that the compiler made.
    pub fn places(&self, text: &str) -> Result<Vec<u32>, String> {
        for code in &self.codes {
            let labels = disasm::labels(&code.program);
            if let Some((index, _)) = labels.iter().find(|(_, name)| *name == text) {
                return Ok(vec![code.address(*index)]);
            }
        }
        if let Some((file, line)) = text.rsplit_once(':')
            && let Ok(line) = line.parse::<u32>()
        {
            let found: Vec<u32> = self.codes.iter().flat_map(|code| copies(code, file, line)).collect();
            if !found.is_empty() {
                return Ok(found);
            }
        }
        let address = parse(text).and_then(|n| u32::try_from(n).ok());
        let known = |a: &u32| Code::at(self.debugger.machine().memory(), *a).is_some_and(|c| c.index_of(*a).is_some());
        let found = address.filter(known).map(|address| vec![address]);
        found.ok_or_else(|| format!("`{text}` is no label, source line or address of an instruction"))
    }

    fn list(&self, words: &[&str]) -> Result<String, String> {
        let address = match words.first() {
            Some(place) => self.place(place)?,
            None => self.debugger.machine().registers(self.qpu).map_or(0, |r| r.pc),
        };
        show::list(&self.debugger, &self.codes, address, number(words, 1).unwrap_or(11))
    }

    fn memory(&self, words: &[&str], view: View) -> Result<String, String> {
        let address = words.first().and_then(|w| parse(w)).ok_or("memory: where? `memory 0x100000 32 float`")?;
        show::memory(self.debugger.machine(), address, number(words, 1).unwrap_or(16), view)
    }

    fn uniforms(&self, words: &[&str], view: View) -> Result<String, String> {
        let address = self.debugger.machine().pending(self.qpu).map_or(0, |p| p.uniforms);
        show::memory(self.debugger.machine(), u64::from(address), number(words, 0).unwrap_or(8), view)
    }
}

/// The addresses at which the copies of a source line begin. A line of assembly is one instruction, so that each one is a
/// copy; of what a compiler made of a line, the first instruction of each stretch.
fn copies(code: &Code, file: &str, line: u32) -> Vec<u32> {
    let matches = |i: usize| code.source(i).is_some_and(|s| s.line == line && s.file.ends_with(file));
    let single = |i: usize| code.source(i).is_some_and(|s| s.file.ends_with(".qasm") || s.file.ends_with(".qinc"));
    let begins = |i: &usize| matches(*i) && (*i == 0 || !matches(*i - 1) || single(*i));
    (0..code.words.len()).filter(begins).map(|i| code.address(i)).collect()
}

/// The command that a word is the beginning of.
fn command(short: &str) -> Result<&'static str, String> {
    // What is meant most often comes first in the list and wins.
    let preferred = ["step", "continue", "list", "registers", "memory", "help"];
    let found = preferred.iter().chain(&COMMANDS).find(|name| name.starts_with(short));
    found.copied().ok_or_else(|| format!("there is no command `{short}`; `help` lists them\n"))
}

/// A number in decimal or, with 0x, hexadecimal.
fn parse(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

fn number(words: &[&str], at: usize) -> Option<u64> {
    words.get(at).and_then(|w| parse(w))
}
