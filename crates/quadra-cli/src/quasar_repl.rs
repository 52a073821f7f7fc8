//! The prompt of Quasar: statements run as soon as they are complete, expressions are printed. On a terminal lines can be
//! edited, recalled and completed.

use crate::interrupt::{self, Meaning};
use crate::output::Output;
use crate::quasar_cli::{report, show_progress};
use crate::repl_commands::{self, Answer};
use quadra_quasar::display::{self, Format};
use quadra_quasar::prompt::{self, ANSWER, completions, is_complete};
use quadra_quasar::session::{Options, Session};
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::history::DefaultHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Context, Editor, Helper, Highlighter, Hinter};
use std::cell::RefCell;
use std::io::{BufRead, IsTerminal, Write};
use std::path::PathBuf;
use std::rc::Rc;

/// Functions that may have a value, but are called for what they do.
const SILENT: &[&str] = &["parallel_do", "serial_do", "tic", "toc", "plot", "imshow"];

/// What follows an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Go,
    Quit,
}

/// A session at the prompt and where the answers of its commands go.
pub struct Prompt<'a> {
    pub(crate) session: Session,
    answers: &'a mut dyn Write,
    pub(crate) format: Format,
}

impl<'a> Prompt<'a> {
    pub fn new(session: Session, answers: &'a mut dyn Write) -> Prompt<'a> {
        Prompt { session, answers, format: prompt::SHORT }
    }

    /// Runs a command or a complete piece of program.
    pub fn input(&mut self, text: &str) -> Next {
        let line = text.trim();
        if matches!(line, "quit" | "exit") {
            return Next::Quit;
        }
        match self.command(line) {
            Some(Answer::Text(answer)) => self.say(&answer),
            Some(Answer::Program(program)) => drop(self.run(&program)),
            None => self.statements(line, text),
        }
        Next::Go
    }

    /// Writes an answer.
    fn say(&mut self, answer: &str) {
        // A prompt whose answers nobody can read has nobody to tell, either.
        drop(self.answers.write_all(answer.as_bytes()));
    }

    /// Runs a program; whether it came to its end.
    fn run(&mut self, program: &str) -> bool {
        let _meaning = interrupt::means(Meaning::Statement);
        let outcome = self.session.run("input", program);
        report(&outcome.diagnostics);
        outcome.status == 0
    }

    /// Runs a piece of program. The value of an expression is kept in `ans`, unless it has a name already, and shown.
    fn statements(&mut self, line: &str, text: &str) {
        if prompt::is_command(&self.session, line) {
            // A word alone is a call, as `tic` and `toc` are written elsewhere.
            let call = format!("{line}()");
            return self.statements(&call, &call);
        }
        let named = line.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let known = |p: &Prompt, name: &str| p.session.globals().iter().find(|g| *g.0 == *name).map(|g| g.1.clone());
        // A variable may have the name of what a program leaves out.
        if named && let Some(value) = known(self, line) {
            return self.session.print(&display::shown(&value, self.format));
        }
        if !prompt::has_value(&self.session, line, SILENT) {
            self.run(&format!("{text}\n"));
            return;
        }
        if self.run(&format!("{ANSWER} = ({line})\n"))
            && let Some(value) = known(self, ANSWER)
        {
            self.session.print(&display::shown(&value, self.format));
        }
    }

    /// What completion offers.
    fn names(&self) -> Vec<String> {
        let mut names = prompt::names(&self.session);
        names.extend(repl_commands::names());
        names
    }
}

/// What the editor asks for help.
#[derive(Helper, Highlighter, Hinter)]
struct Assistant {
    names: Rc<RefCell<Vec<String>>>,
}

impl Completer for Assistant {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, found) = completions(&self.names.borrow(), line, at);
        Ok((start, found.into_iter().map(|n| Pair { display: n.clone(), replacement: n }).collect()))
    }
}

impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext) -> rustyline::Result<ValidationResult> {
        // An empty line ends what cannot be completed, so that nobody is caught in an open bracket.
        let text = context.input();
        let done = text.ends_with("\n") || text.starts_with("help") || is_complete(&format!("{text}\n"));
        Ok(if done { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}

/// Runs the prompt until the input ends; true if all went well.
pub fn run(options: Options) -> bool {
    let terminal = std::io::stdin().is_terminal();
    let mut session =
        Session::new(Options { terminal: std::io::stdout().is_terminal(), ..options }, Box::new(Output::new()));
    show_progress(&mut session);
    let mut answers = std::io::stdout();
    let mut prompt = Prompt::new(session, &mut answers);
    match terminal {
        true => edited(&mut prompt).is_ok(),
        false => piped(&mut prompt, std::io::stdin().lock()),
    }
}

/// Reads lines as they come, without editing.
pub fn piped(prompt: &mut Prompt, input: impl BufRead) -> bool {
    let mut pending = String::new();
    for line in input.lines() {
        let Ok(line) = line else { return false };
        pending.push_str(&line);
        pending.push('\n');
        if line.trim().is_empty() || is_complete(&pending) {
            if prompt.input(&pending) == Next::Quit {
                return true;
            }
            pending.clear();
        }
    }
    if !pending.trim().is_empty() {
        prompt.input(&pending);
    }
    true
}

fn history() -> Option<PathBuf> {
    std::env::var_os("QUADRA_HISTORY").map(PathBuf::from).or_else(|| {
        let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"))?;
        Some(PathBuf::from(home).join(".quadra_history"))
    })
}

fn edited(prompt: &mut Prompt) -> rustyline::Result<()> {
    let config = Config::builder().completion_type(CompletionType::List).auto_add_history(true).build();
    let mut editor: Editor<Assistant, DefaultHistory> = Editor::with_config(config)?;
    let names = Rc::new(RefCell::new(prompt.names()));
    editor.set_helper(Some(Assistant { names: names.clone() }));
    let file = history();
    if let Some(file) = &file {
        // The first session has no history yet.
        drop(editor.load_history(file));
    }
    loop {
        match editor.readline("> ") {
            Ok(text) => {
                if prompt.input(&text) == Next::Quit {
                    break;
                }
                *names.borrow_mut() = prompt.names();
                if let Some(file) = &file {
                    // Kept after each line, so that nothing is lost however the session ends.
                    drop(editor.append_history(file));
                }
            }
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(e) => return Err(e),
        }
    }
    if let Some(file) = &file {
        // A history that cannot be kept is no reason to complain at the end of a session.
        drop(editor.save_history(file));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_quasar::session::Buffer;

    /// The output of programs and the answers of the prompt to these lines.
    fn talk(lines: &str) -> (String, String) {
        let buffer = Buffer::default();
        let session = Session::new(Options::default(), Box::new(buffer.clone()));
        let mut answers = Vec::new();
        assert!(piped(&mut Prompt::new(session, &mut answers), lines.as_bytes()));
        (buffer.text(), String::from_utf8(answers).expect("answers are text"))
    }

    #[test]
    fn statements_run_when_they_are_complete() {
        let (out, _) = talk("for i=0..1\nprint i\nendfor\nx = [1,\n2]\nprint x\n");
        assert_eq!(out, "0\n1\n[1, 2]\n");
    }

    #[test]
    fn expressions_are_printed_and_effects_are_not() {
        let (out, _) = talk(
            "1+2\nx = 5\nx\nseed(3)\nfunction [] = f()\nprint \"in f\"\nendfunction\nf()\ng = y -> y^2\ng(3)\nprint [7,8][1]\n",
        );
        assert_eq!(out, "3\n5\nin f\n9\n8\n");
    }

    #[test]
    fn commands_answer() {
        let (out, answers) =
            talk("x = eye(2)\ns = \"a\"\nwhos\nhelp linspace\nhelp cell\nhelp nosuch\nquit\nprint 1\n");
        assert_eq!(out, "");
        let lines: Vec<&str> = answers.lines().collect();
        assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["x", "mat", "2x2", "[[1,", "0],", "[0,", "1]]"]);
        assert_eq!(lines[1].split_whitespace().collect::<Vec<_>>(), ["s", "string", "a"]);
        assert_eq!(lines[2], "linspace(a,b[,n])");
        assert!(answers.contains("print linspace(1,2,5)") && answers.contains("cell(d…)"));
        assert!(answers.contains("there is no 'nosuch'"));
    }

    #[test]
    fn the_last_value_is_kept_and_long_ones_are_shortened() {
        let (out, _) = talk("1+2\nans*2\nx = 7\nx\nans\n0..200\n1/0 + nosuch\nformat long\n1/3\nformat short\nans\n");
        assert_eq!(out, "3\n6\n7\n6\n[0, 1, 2, ..., 198, 199, 200]\n0.3333333\n0.333333\n");
    }

    #[test]
    fn variables_are_listed_and_forgotten() {
        let (out, answers) = talk(
            "x = eye(2)\nfunction y = f(a, b)\ny = a + b\nendfunction\nwho\nwhos\nclear x\nwho\nhelp who\nprint x\nwho = 4\nwho\n",
        );
        assert_eq!(out, "4\n", "x is gone, and who is a variable then");
        let words: Vec<String> = answers.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let expected = [
            "f x",
            "x mat 2x2 [[1, 0], [0, 1]]",
            "f(a, b) function",
            "f",
            "who: names of the variables and functions of this session",
        ];
        assert_eq!(words, expected);
    }

    #[test]
    fn a_function_without_arguments_is_called_by_its_name() {
        let (out, answers) = talk("tic\nx = 1\ntoc\nwho\ntoc = 5\ntoc\n");
        let lines: Vec<&str> = out.lines().collect();
        assert!(lines.len() == 2 && lines[0].ends_with("ms") && lines[1] == "5", "{out}");
        assert_eq!(answers.trim(), "x", "the functions are no values");
    }

    #[test]
    fn a_variable_may_be_called_help() {
        assert_eq!(talk("help = 3\nhelp + 1\n").0, "4\n");
    }
}
