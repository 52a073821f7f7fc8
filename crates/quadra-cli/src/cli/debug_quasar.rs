//! `quadra debug FILE.q`: reads commands line by line and gives them to the engine in `quadra_quasar::debug`.

use crate::interrupt::{self, Meaning, While};
use crate::output::Output;
use crate::quasar_cli;
use quadra_base::{Diagnostic, FileId, Span};
use quadra_quasar::debug::{Breakpoint, Go, Observer, Place, View, Why};
use quadra_quasar::display;
use quadra_quasar::session::{Options, Session, with_stack};
use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;

/// Commands: name, how it is written, what it does. Of several that a word abbreviates, the first is meant.
const COMMANDS: &[(&str, &str, &str)] = &[
    ("step", "step [N]", "go to the next statement, into functions and kernels"),
    ("next", "next [N]", "go to the next statement of this function and item"),
    ("out", "out", "go on until this function or item is done"),
    ("continue", "continue", "go on to a breakpoint, or to the end"),
    ("break", "break [FILE:]LINE [if EXPR]", "stop before a line, if the expression is true there; `break` lists all"),
    ("break", "break FUNCTION [if EXPR]", "stop where a function or kernel begins"),
    ("delete", "delete [N]", "remove a breakpoint, or all"),
    (
        "at",
        "at NAME=VALUE[, NAME=VALUE]",
        "go on to this item of a kernel or loop, past breakpoints: at i=3, at pos [3,4]",
    ),
    ("stop", "stop nan", "stop when an operation gives the first NaN"),
    ("stop", "stop caught", "stop at errors that the program catches, too; `stop none` at neither"),
    ("print", "print EXPR", "compute an expression here"),
    ("set", "set STATEMENT", "execute a statement here, as x = 3 or y[2] = 0; `x = 3` alone does so, too"),
    ("locals", "locals", "the variables of this function"),
    ("backtrace", "backtrace", "the functions in progress, innermost first"),
    ("frame", "frame N", "look at another of them; `up` and `down` at its neighbour"),
    ("up", "up", "look at the function that called this one"),
    ("down", "down", "look at the function that this one called"),
    ("list", "list [LINE|FUNCTION]", "the text around a line, or around here"),
    ("free", "free", "go on to the end without the debugger"),
    ("help", "help", "this list; commands may be shortened, and an empty line on a terminal repeats the last"),
    ("quit", "quit", "end the program"),
];

/// How many lines `list` shows on either side.
const AROUND: u32 = 5;
/// Characters of a value in the list of variables.
const PREVIEW: usize = 100;

/// What is debugged and how.
pub struct Request {
    pub file: PathBuf,
    pub double: bool,
    pub arguments: Vec<String>,
}

/// Debugs a program; gives the status of the process: that of the program.
pub fn run(request: Request) -> u8 {
    interrupt::install();
    with_stack(move || {
        let text = match quasar_cli::read(&request.file) {
            Ok(text) => text,
            Err(status) => return status,
        };
        let options = Options { double: request.double, arguments: request.arguments, ..Options::default() };
        let mut session = Session::new(options, Box::new(Output::new()));
        session.set_debugger(Box::new(Console::new()));
        let _meaning = interrupt::means(Meaning::Statement);
        let outcome = session.run(&request.file.to_string_lossy(), &text);
        let unfinished = session.finish();
        quasar_cli::report(&outcome.diagnostics);
        quasar_cli::report(&unfinished);
        say(&match outcome.status {
            0 => "the program has ended\n".to_string(),
            status => format!("the program has ended with status {status}\n"),
        });
        u8::try_from(outcome.status).unwrap_or(1)
    })
    .unwrap_or(70)
}

fn say(text: &str) {
    // Nobody is left to tell if the output is gone.
    let mut out = std::io::stdout();
    drop(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// Where commands come from.
enum Input {
    Terminal(Box<rustyline::DefaultEditor>),
    Lines,
}

impl Input {
    fn line(&mut self) -> Option<String> {
        match self {
            Input::Lines => std::io::stdin().lock().lines().next()?.ok(),
            Input::Terminal(editor) => loop {
                match editor.readline("(quasar) ") {
                    Ok(line) => {
                        // A history that cannot be kept is none.
                        let _kept = editor.add_history_entry(&line);
                        return Some(line);
                    }
                    Err(rustyline::error::ReadlineError::Interrupted) => {}
                    Err(_) => return None,
                }
            },
        }
    }
}

/// The person at the terminal, or a script.
struct Console {
    input: Input,
    last: String,
    /// The step that is repeated, and how often still.
    again: Option<(Go, u64)>,
    running: Option<While>,
    /// What `list` showed last.
    shown: Option<Span>,
}

/// What a line of input leads to.
enum Flow {
    Stay(String),
    Go(Go),
}

impl Observer for Console {
    fn stopped(&mut self, why: &Why, view: &mut View<'_>) -> Go {
        self.running = None;
        if let (Why::Step, Some((go, left))) = (why, self.again.take())
            && left > 1
        {
            self.again = Some((go, left - 1));
            return go;
        }
        say(&arrival(why, view));
        self.shown = None;
        let go = loop {
            let Some(line) = self.input.line() else { break Go::Quit };
            let line = match (line.trim(), &self.input) {
                ("", Input::Terminal(_)) => self.last.clone(),
                (line, _) => line.to_string(),
            };
            match self.execute(&line, view) {
                Ok(Flow::Stay(text)) => say(&text),
                Ok(Flow::Go(go)) => {
                    self.last = line;
                    break go;
                }
                Err(message) => say(&(message.trim_end().to_string() + "\n")),
            }
            self.last = line;
        };
        self.running = Some(interrupt::means(Meaning::Statement));
        go
    }
}

/// What is said when the program stops.
fn arrival(why: &Why, view: &View<'_>) -> String {
    let reason = match why {
        Why::Start => "the program begins".to_string(),
        Why::Step => String::new(),
        Why::Breakpoint(number) => format!("breakpoint {number}"),
        Why::Condition(number, d) => format!("{}\nbreakpoint {number}, whose condition fails", d.render(false)),
        Why::Item => "the item is reached".to_string(),
        Why::Nan => "the first NaN comes from here".to_string(),
        Why::Error(d) => format!("{}\nthe program fails here", d.render(false)),
        Why::Interrupted | Why::Asked => "interrupted".to_string(),
    };
    let places = view.places();
    let Some(place) = places.first() else { return reason + "\n" };
    let head = if reason.is_empty() { String::new() } else { reason + ": " };
    format!("{head}{}\n{}", at(place), source(place.span, 0, Some(place.span.line)))
}

/// `blur, heat.q:12`.
fn at(place: &Place) -> String {
    let name = if place.function.is_empty() { "a lambda expression" } else { &place.function };
    format!("{name}, {}:{}", place.span.file.name(), place.span.line)
}

/// The lines around a place, with an arrow at one.
fn source(span: Span, around: u32, arrow: Option<u32>) -> String {
    let Some(text) = span.file.text() else { return String::new() };
    let from = span.line.saturating_sub(around).max(1);
    let lines = text.lines().enumerate().skip(from as usize - 1).take((span.line + around - from + 1) as usize);
    let shown = lines.map(|(i, line)| {
        let mark = if arrow == Some(i as u32 + 1) { "->" } else { "  " };
        format!("{mark} {:4}  {}\n", i + 1, line.trim_end())
    });
    shown.collect()
}

fn help() -> String {
    COMMANDS.iter().map(|(_, form, what)| format!("{form:30} {what}\n")).collect()
}

type Answer = Result<Flow, String>;

impl Console {
    fn new() -> Console {
        let editor = if std::io::stdin().is_terminal() { rustyline::DefaultEditor::new().ok() } else { None };
        let input = editor.map_or(Input::Lines, |e| Input::Terminal(Box::new(e)));
        Console { input, last: String::new(), again: None, running: None, shown: None }
    }

    fn execute(&mut self, line: &str, view: &mut View<'_>) -> Answer {
        if line.is_empty() || line.starts_with('#') {
            return Ok(Flow::Stay(String::new()));
        }
        let (word, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(a, b)| (a, b.trim()));
        let name = match word {
            "finish" => "out",
            "bt" | "where" => "backtrace",
            "exit" => "quit",
            _ => match COMMANDS.iter().find(|c| c.0.starts_with(word)) {
                // `s = 3` is a statement, whatever command begins like it.
                Some((name, ..)) if !rest.starts_with('=') || rest.starts_with("==") => name,
                _ if line.contains('=') => return statement(line, view),
                _ => return Err(format!("there is no command '{word}'; `help` lists them, `print` computes")),
            },
        };
        match name {
            "step" => self.repeat(Go::Into, rest),
            "next" => self.repeat(Go::Over, rest),
            "out" => Ok(Flow::Go(Go::Out)),
            "continue" => Ok(Flow::Go(Go::On)),
            "free" => Ok(Flow::Go(Go::Free)),
            "quit" => Ok(Flow::Go(Go::Quit)),
            "at" => item(rest, view),
            "break" => set_breakpoint(rest, view).map(Flow::Stay),
            "delete" => delete(rest, view).map(Flow::Stay),
            "stop" => stops(rest, view).map(Flow::Stay),
            "print" => statement(rest, view),
            "set" => statement(rest, view),
            "locals" => Ok(Flow::Stay(locals(view))),
            "backtrace" => Ok(Flow::Stay(backtrace(view))),
            "frame" => choose(rest.parse().map_err(|_| "frame: which one? `backtrace` numbers them")?, view),
            "up" => choose(view.chosen() + 1, view),
            "down" => match view.chosen().checked_sub(1) {
                Some(frame) => choose(frame, view),
                None => Err("this is the innermost frame".into()),
            },
            "list" => self.list(rest, view).map(Flow::Stay),
            _ => Ok(Flow::Stay(help())),
        }
    }

    fn repeat(&mut self, go: Go, count: &str) -> Answer {
        let count = match count {
            "" => 1,
            n => n.parse().ok().filter(|n| *n > 0).ok_or_else(|| format!("'{n}' is no number of steps"))?,
        };
        self.again = Some((go, count));
        Ok(Flow::Go(go))
    }

    fn list(&mut self, place: &str, view: &View<'_>) -> Result<String, String> {
        let here = view.places().get(view.chosen()).map(|p| p.span).ok_or("the program is nowhere")?;
        let span = match (place, self.shown) {
            ("", None) => here,
            ("", Some(last)) => Span { line: last.line + 2 * AROUND + 1, ..last },
            (place, _) => {
                let (file, line) = find(place, view)?;
                Span::new(file, line, 1, 1)
            }
        };
        self.shown = Some(span);
        let text = source(span, AROUND, (span.file == here.file).then_some(here.line));
        if text.is_empty() { Err("the file has no more lines".into()) } else { Ok(text) }
    }
}

/// Computes an expression and shows its value, or executes a statement.
fn statement(text: &str, view: &mut View<'_>) -> Answer {
    if text.is_empty() {
        return Err("print: what? `print x+1`".into());
    }
    let value = view.evaluate(text).map_err(|d| d.render(false))?;
    Ok(Flow::Stay(value.map_or(String::new(), |v| display::value(&v) + "\n")))
}

fn locals(view: &View<'_>) -> String {
    let line = |(name, value): &(std::rc::Rc<str>, _)| {
        let text = display::value(value).replace('\n', " ");
        let short: String = text.chars().take(PREVIEW).collect();
        let more = if short.len() < text.len() { "…" } else { "" };
        format!("{name}: {} = {short}{more}\n", view.type_of(value))
    };
    let all: String = view.variables().iter().map(line).collect();
    if all.is_empty() { "no variable has a value yet\n".into() } else { all }
}

fn backtrace(view: &View<'_>) -> String {
    let mark = |i: usize| if i == view.chosen() { "->" } else { "  " };
    view.places().iter().enumerate().map(|(i, place)| format!("{} {i:3}  {}\n", mark(i), at(place))).collect()
}

fn choose(frame: usize, view: &mut View<'_>) -> Answer {
    view.choose(frame)?;
    let place = view.places().into_iter().nth(frame).ok_or("the program is nowhere")?;
    Ok(Flow::Stay(format!("{}\n{}", at(&place), source(place.span, 0, Some(place.span.line)))))
}

/// The file and line that `12`, `lib.q:12` or the name of a function says.
fn find(place: &str, view: &View<'_>) -> Result<(FileId, u32), String> {
    let settings = &view.settings;
    let main = settings.main.ok_or("the program has no file")?;
    if let Ok(line) = place.parse() {
        return Ok((main, line));
    }
    if let Some((file, line)) = place.rsplit_once(':')
        && let Ok(line) = line.parse()
    {
        let found = settings.lines.keys().find(|f| f.name().ends_with(file));
        return found.map(|f| (*f, line)).ok_or_else(|| format!("'{file}' is not part of the program"));
    }
    let found = settings.functions.iter().find(|f| *f.0 == *place);
    found.map(|f| (f.1.file, f.1.line)).ok_or_else(|| format!("'{place}' is neither a line nor a function"))
}

fn shown(b: &Breakpoint) -> String {
    let condition = b.condition.as_ref().map_or(String::new(), |c| format!(" if {c}"));
    format!("breakpoint {}: {}:{}{condition}", b.number, b.file.name(), b.line)
}

fn set_breakpoint(rest: &str, view: &mut View<'_>) -> Result<String, String> {
    if rest.is_empty() {
        let line = |b: &Breakpoint| format!("{}, {} hits\n", shown(b), b.hits);
        let all: String = view.settings.breakpoints.iter().map(line).collect();
        return Ok(if all.is_empty() { "no breakpoints\n".into() } else { all });
    }
    let (place, condition) = match rest.split_once(" if ") {
        Some((place, condition)) => (place.trim(), Some(condition.trim().to_string())),
        None => (rest, None),
    };
    if let Some(text) = &condition {
        let file = FileId::of_text("condition", text);
        let (_, said) = quadra_quasar_syntax::parser::parse_expression(file, text, &mut 0);
        if let Some(d) = said.into_iter().find(Diagnostic::is_error) {
            return Err(d.render(false));
        }
    }
    let (file, line) = find(place, view)?;
    Ok(shown(view.settings.break_at(file, line, condition)?) + "\n")
}

fn delete(rest: &str, view: &mut View<'_>) -> Result<String, String> {
    let list = &mut view.settings.breakpoints;
    let before = list.len();
    match rest {
        "" => list.clear(),
        number => {
            let number: usize = number.parse().map_err(|_| format!("'{number}' is no number of a breakpoint"))?;
            list.retain(|b| b.number != number);
        }
    }
    Ok(format!("{} removed\n", before - list.len()))
}

fn stops(rest: &str, view: &mut View<'_>) -> Result<String, String> {
    let settings = &mut *view.settings;
    match rest {
        "nan" => settings.nan = true,
        "caught" => settings.caught = true,
        "none" => (settings.nan, settings.caught) = (false, false),
        _ => return Err("stop: at what? `stop nan`, `stop caught` or `stop none`".into()),
    }
    Ok(String::new())
}

/// Goes on to the item that `pos [3,4]` or `i=3, j=4` names.
fn item(rest: &str, view: &mut View<'_>) -> Answer {
    let wrong = || "at: which item? `at pos [3,4]` in a kernel, `at i=3` or `at i=3, j=4` in loops".to_string();
    let mut item = Vec::new();
    for part in pieces(rest) {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').ok_or_else(wrong)?;
        let (name, value) = part.split_at(end);
        let value = value.trim().trim_start_matches('=').trim();
        if name.is_empty() || value.is_empty() {
            return Err(wrong());
        }
        item.push((name.into(), view.numbers(value).map_err(|d| d.render(false))?));
    }
    if item.is_empty() {
        return Err(wrong());
    }
    view.settings.item = item;
    Ok(Flow::Go(Go::On))
}

/// The parts between commas that stand outside of brackets.
fn pieces(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut all) = (0, 0, Vec::new());
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                all.push(text[from..i].trim());
                from = i + 1;
            }
            _ => {}
        }
    }
    all.push(text[from..].trim());
    all
}
