//! Assembly that is run: files of `tests/qasm` and the book's blocks.
//!
//! * `# run: qpus=4 out=zeros(64) me n=3 f=0.5 x=[1.5, 2.0] == out=[3, 4, ..]` runs the program on the emulator, four QPUs here
//!   and one without `qpus=`. What stands before `==` becomes the uniforms, in this order: a buffer gives its address, a
//!   number itself, `me` the number of the QPU and `qpus` how many there are. Buffers are lists of numbers, `zeros(n)`,
//!   `ints(n)` (0, 1, 2, …) or `floats(n)`. Behind `==` stands what buffers must hold afterwards, to the bit; `..` at the end
//!   leaves the rest open. Instead of it `== error[E0723]: text` expects the program to be stopped with this message.
//! * `# cycles: 123` behind a run: the clocks that the timing model gives it, without the launch.
//! * `# error[H01]: text` and `# warning[H05]: text` behind a line: diagnostics of the assembler and findings of the
//!   validator; no others may occur.

use super::Report;
use quadra_base::{Diagnostic, Severity};
use quadra_isa::vc4::emu::{Config, Machine, Region, Tail, Thread};
use quadra_isa::vc4::timing::{self, Parameters};
use quadra_isa::vc4::{Program, asm, hazard};
use std::path::Path;

const CODE: u32 = 0x1000;
const UNIFORMS: u32 = 0x8_0000;
const BUFFERS: u32 = 0x10_0000;

/// Runs every file of a directory whose first line asks for it (`# test: emulate` or `# test: timing`).
pub fn run(directory: &Path) -> Report {
    let mut report = Report::default();
    for (name, text) in super::texts(directory, "qasm") {
        let first = text.lines().next().unwrap_or_default();
        if first.starts_with("# test:") && (first.contains("emulate") || first.contains("timing")) {
            one(&name, &text, &mut report);
        }
    }
    report
}

/// Assembles every block of assembly (```` ```qasm ````) of the Markdown files of a directory, and runs those that say how.
pub fn run_book(directory: &Path) -> Report {
    let mut report = Report::default();
    for (name, text) in super::texts(directory, "md") {
        for (n, block) in text.split("```qasm\n").skip(1).enumerate() {
            let text = block.split("```").next().unwrap_or_default();
            one(&format!("{name}, block {}", n + 1), text, &mut report);
        }
    }
    report
}

fn one(name: &str, text: &str, report: &mut Report) {
    report.files += 1;
    if let Err(message) = check(name, text, report) {
        report.failures.push(format!("{name}: {message}"));
    }
}

fn check(name: &str, text: &str, report: &mut Report) -> Result<(), String> {
    let (assembly, mut found) = asm::assemble(name, text, &asm::Options::default());
    let program = assembly.map(|a| a.program());
    if let Some(program) = &program {
        let findings = hazard::diagnostics(program, hazard::Strictness::Normal);
        // A fragment need not end.
        let whole = text.contains("thrend");
        found.extend(findings.into_iter().filter(|d| whole || d.code != "H23"));
    }
    expected_diagnostics(text, &found, report)?;
    let mut outcome = None;
    for line in text.lines() {
        let Some(directive) = line.trim().strip_prefix('#').map(str::trim) else { continue };
        if let Some(run) = directive.strip_prefix("run:") {
            let program = program.as_ref().ok_or("the program does not assemble and cannot run")?;
            outcome = launch(program, run).map_err(|e| format!("{line}: {e}"))?;
            report.compared += 1;
        } else if let Some(cycles) = directive.strip_prefix("cycles:") {
            let expected: u64 = cycles.trim().parse().map_err(|_| format!("`{cycles}` is no number of clocks"))?;
            let clocks = outcome.take().ok_or("`cycles:` stands behind a run")?;
            report.compared += 1;
            if clocks != expected {
                return Err(format!("the run takes {clocks} clocks, not {expected}"));
            }
        }
    }
    Ok(())
}

/// Compares diagnostics with the comments behind the lines.
fn expected_diagnostics(text: &str, found: &[Diagnostic], report: &mut Report) -> Result<(), String> {
    let mut open: Vec<&Diagnostic> = found.iter().collect();
    for (number, line) in (1..).zip(text.lines()) {
        for (mark, severity) in [("# error[", Severity::Error), ("# warning[", Severity::Warning)] {
            let Some((code, rest)) = line.split_once(mark) else { continue };
            if code.trim_start().starts_with('#') || code.contains("==") {
                continue;
            }
            let (code, message) = rest.split_once("]:").ok_or("an expectation is `# error[H01]: message`")?;
            let fits = |d: &&Diagnostic| {
                let here = d.span.is_some_and(|s| s.line == number);
                here && d.code == code && d.severity == severity && d.message.starts_with(message.trim())
            };
            let at = open
                .iter()
                .position(fits)
                .ok_or_else(|| format!("line {number}: {mark}{rest} does not come; there is {}", super::list(found)))?;
            open.remove(at);
            report.compared += 1;
        }
    }
    match open.first() {
        Some(d) => Err(format!("not expected: {}", d.render(false))),
        None => Ok(()),
    }
}

/// One argument of a run.
enum Argument {
    Buffer(String, Vec<u32>),
    Number(u32),
    Me,
    Qpus,
}

/// Splits at blanks outside brackets.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut depth) = (Vec::new(), String::new(), 0u32);
    for c in text.chars() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if c.is_whitespace() && depth == 0 {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
        } else {
            word.push(c);
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// The word of a number: a float if it has a point, else an integer.
fn number(text: &str) -> Result<u32, String> {
    let text = text.trim();
    let wrong = || format!("`{text}` is no number");
    match text.contains('.') {
        true => text.parse::<f32>().map(f32::to_bits).map_err(|_| wrong()),
        false => match text.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).map_err(|_| wrong()),
            None => text.parse::<i64>().map(|n| n as u32).map_err(|_| wrong()),
        },
    }
}

/// The words of a buffer and whether more may follow, or nothing if the text is no buffer.
fn buffer(text: &str) -> Result<Option<(Vec<u32>, bool)>, String> {
    let call = |name: &str| text.strip_prefix(name).and_then(|t| t.strip_prefix('(')).and_then(|t| t.strip_suffix(')'));
    let count = |text: &str| text.trim().parse::<u32>().map_err(|_| format!("`{text}` is no length"));
    if let Some(n) = call("zeros") {
        return Ok(Some((vec![0; count(n)? as usize], false)));
    }
    if let Some(n) = call("ints") {
        return Ok(Some(((0..count(n)?).collect(), false)));
    }
    if let Some(n) = call("floats") {
        return Ok(Some(((0..count(n)?).map(|i| (i as f32).to_bits()).collect(), false)));
    }
    let Some(list) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) else { return Ok(None) };
    let open = list.trim_end().ends_with("..");
    let list = list.trim_end().trim_end_matches("..");
    let items = list.split(',').filter(|item| !item.trim().is_empty());
    Ok(Some((items.map(number).collect::<Result<_, _>>()?, open)))
}

fn argument(word: &str) -> Result<Argument, String> {
    let Some((name, value)) = word.split_once('=') else {
        return match word {
            "me" => Ok(Argument::Me),
            "qpus" => Ok(Argument::Qpus),
            _ => Err(format!("`{word}` is neither `name=value`, `me` nor `qpus`")),
        };
    };
    Ok(match buffer(value)? {
        Some((words, _)) => Argument::Buffer(name.to_string(), words),
        None => Argument::Number(number(value)?),
    })
}

/// Runs a program as the directive says; gives its modelled clocks.
fn launch(program: &Program, directive: &str) -> Result<Option<u64>, String> {
    let (before, after) = directive.split_once("==").ok_or("a run is `uniforms == results`")?;
    let mut given = words(before);
    let mut qpus = 1;
    if let Some(count) = given.first().and_then(|w| w.strip_prefix("qpus=")) {
        qpus = count.parse().map_err(|_| format!("`{count}` is no number of QPUs"))?;
        given.remove(0);
    }
    let arguments: Vec<Argument> = given.iter().map(|w| argument(w)).collect::<Result<_, _>>()?;
    let mut machine = Machine::new(Config { budget: 100_000_000, ..Config::default() });
    let add = |machine: &mut Machine, region| machine.add_region(region).map_err(|e| e.to_string());
    add(&mut machine, Region::new("code", CODE, program.bytes()))?;
    let mut next = BUFFERS;
    let mut uniforms = vec![Vec::new(); qpus];
    for argument in &arguments {
        let at = next;
        if let Argument::Buffer(name, words) = argument {
            add(&mut machine, Region::of_words(name, at, words).writable().with_tail(Tail::Zero))?;
            next = (next + 4 * words.len() as u32).next_multiple_of(0x1000) + 0x1000;
        }
        for (me, stream) in uniforms.iter_mut().enumerate() {
            stream.push(match argument {
                Argument::Buffer(..) => at,
                Argument::Number(n) => *n,
                Argument::Me => me as u32,
                Argument::Qpus => qpus as u32,
            });
        }
    }
    let mut threads = Vec::new();
    for (me, stream) in uniforms.iter().enumerate() {
        let base = UNIFORMS + 0x1000 * me as u32;
        add(&mut machine, Region::of_words(format!("uniforms {me}"), base, stream).with_tail(Tail::Zero))?;
        threads.push(Thread { pc: CODE, uniforms: base });
    }
    let done = timing::run(&mut machine, &threads, &Parameters::default(), None);
    let after = after.trim();
    if let Some(rest) = after.strip_prefix("error[") {
        let (code, message) = rest.split_once("]:").ok_or("an error is `error[E0723]: message`")?;
        let error = done.err().ok_or("the program ends")?.diagnostic();
        let fits = error.code == code && error.message.contains(message.trim());
        return if fits { Ok(None) } else { Err(format!("it stops with another error: {error}")) };
    }
    let done = done.map_err(|e| e.diagnostic().to_string())?;
    for word in words(after) {
        let (name, value) = word.split_once('=').ok_or_else(|| format!("`{word}` is no `name=[…]`"))?;
        let (expected, open) = buffer(value)?.ok_or_else(|| format!("`{value}` is no list"))?;
        let words = machine.memory().region(name).ok_or_else(|| format!("there is no buffer `{name}`"))?.words();
        let seen = if open { words.get(..expected.len()).unwrap_or(&words) } else { &words[..] };
        if seen != expected {
            let floats: Vec<f32> = seen.iter().map(|w| f32::from_bits(*w)).collect();
            return Err(format!("`{name}` holds {seen:?}, as floats {floats:?}"));
        }
    }
    Ok(Some(done.clocks))
}
