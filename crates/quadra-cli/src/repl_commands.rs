//! Commands of the prompt: lines that are no program. A variable of the same name hides none of them but where it stands alone.

use crate::quasar_repl::Prompt;
use quadra_quasar::display::{self, Format};
use quadra_quasar::prompt::SHORT;
use quadra_quasar::reference::entry;
use quadra_quasar::typing;
use quadra_quasar::value::Value;
use std::path::{Path, PathBuf};

const LONG: Format = Format { digits: (7, 15), ..SHORT };

/// What follows from a command.
pub enum Answer {
    Text(String),
    /// A piece of program to run.
    Program(String),
}

/// Commands: name, how it is written, what it does.
const COMMANDS: &[(&str, &str, &str)] = &[
    ("help", "help [NAME]", "explains a function, a word or a command"),
    ("doc", "doc [NAME]", "the same; alone, the reference of all functions and words"),
    ("who", "who", "names of the variables and functions of this session"),
    ("whos", "whos, whos x", "variables with type, size and value, and functions with their parameters"),
    ("clear", "clear [NAME…]", "forgets variables, all if none is named"),
    (
        "format",
        "format long, format short",
        "how many digits the prompt shows: 15 of double precision and 7 of single, or 6",
    ),
    ("cd", "cd [DIR]", "goes to a directory; alone, says where this is"),
    ("ls", "ls [DIR]", "the files of a directory"),
    ("edit", "edit [FILE.q]", "opens a file, or an empty one, in $EDITOR, and runs it afterwards"),
    ("open", "open figures", "shows the pictures of this session with the machine's viewer"),
    ("quit", "quit", "ends the session, as exit does"),
];

/// The names of all commands.
pub fn names() -> impl Iterator<Item = String> {
    COMMANDS.iter().map(|c| c.0.to_string())
}

/// Characters of a value in the table of variables.
const PREVIEW: usize = 40;

impl Prompt<'_> {
    /// The answer to a command; none if the line is a piece of program.
    pub(crate) fn command(&mut self, line: &str) -> Option<Answer> {
        let (name, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(a, b)| (a, b.trim()));
        // `who = 3` and `clear(x)` are programs, as is the name of a variable.
        let plain = rest.chars().all(|c| c.is_ascii_alphanumeric() || "_./~- ".contains(c));
        if !plain || rest.is_empty() && self.session.globals().iter().any(|g| *g.0 == *name) {
            return None;
        }
        Some(Answer::Text(match (name, rest) {
            ("help", "") => overview(),
            ("doc", "") => quadra_quasar::reference::markdown(),
            ("help" | "doc", name) => explained(name),
            ("who", "") => self.names_only(),
            ("whos", names) => self.variables(&names.split_whitespace().collect::<Vec<_>>()),
            ("clear", names) => {
                self.session.clear(&names.split_whitespace().collect::<Vec<_>>());
                String::new()
            }
            ("format", "long") => self.set_format(LONG),
            ("format", "short" | "") => self.set_format(SHORT),
            ("cd" | "pwd", place) => go(place),
            ("ls", place) => listed(Path::new(if place.is_empty() { "." } else { place })),
            ("open", "figures") => opened(),
            ("edit", file) => return Some(edited(file)),
            _ => return None,
        }))
    }

    fn set_format(&mut self, format: Format) -> String {
        self.format = format;
        String::new()
    }

    fn names_only(&self) -> String {
        let variables = self.session.globals().iter().map(|g| g.0.to_string());
        let functions = self.session.functions().map(ToString::to_string).filter(|f| !f.starts_with('_'));
        let mut all: Vec<String> = variables.chain(functions).collect();
        all.sort();
        all.dedup();
        if all.is_empty() { String::new() } else { all.join("  ") + "\n" }
    }

    /// The variables and functions of these names, or all.
    fn variables(&self, names: &[&str]) -> String {
        let mut out = String::new();
        let wanted = |name: &str| names.is_empty() || names.contains(&name);
        for (name, value) in self.session.globals().iter().filter(|g| wanted(&g.0)) {
            let ty = typing::type_of(value, self.session.double());
            let size = match value {
                Value::Array(t) => display::shape_text(&t.shape),
                _ => String::new(),
            };
            let text = display::shown(value, Format { shorten_above: 8, ..self.format });
            let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let preview = match line.char_indices().nth(PREVIEW) {
                Some((at, _)) => format!("{}…", &line[..at]),
                None => line,
            };
            out.push_str(format!("{name:<16} {:<20} {size:<12} {preview}", ty.to_string()).trim_end());
            out.push('\n');
        }
        let shown = |s: &String| !s.starts_with('_') && wanted(s.split(['(', ' ']).next().unwrap_or(s));
        for signature in self.session.signatures().into_iter().filter(shown) {
            out.push_str(&format!("{signature:<37} function\n"));
        }
        if let (true, [name, ..]) = (out.is_empty(), names) {
            out = format!("there is no variable or function '{name}'\n");
        }
        out
    }
}

fn overview() -> String {
    let mut out =
        String::from("Everything that is no command is run, and expressions are shown; the last one is in ans.\n");
    for (_, form, about) in COMMANDS {
        out += &format!("{form:<28} {about}\n");
    }
    out
}

fn explained(name: &str) -> String {
    if let Some((_, form, about)) = COMMANDS.iter().find(|c| c.0 == name) {
        return format!("{form}: {about}\n");
    }
    entry(name).map_or_else(|| format!("there is no '{name}'; doc lists all names\n"), |text| text + "\n")
}

/// A path as it is typed, in which `~` is the home directory.
fn path(text: &str) -> PathBuf {
    match (text.strip_prefix('~'), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest.trim_start_matches('/')),
        _ => PathBuf::from(text),
    }
}

fn go(place: &str) -> String {
    if !place.is_empty()
        && let Err(e) = std::env::set_current_dir(path(place))
    {
        return format!("cannot go to '{place}': {e}\n");
    }
    std::env::current_dir().map_or_else(|e| format!("{e}\n"), |here| format!("{}\n", here.display()))
}

fn listed(place: &Path) -> String {
    let entries = match std::fs::read_dir(path(&place.to_string_lossy())) {
        Ok(entries) => entries,
        Err(e) => return format!("cannot list '{}': {e}\n", place.display()),
    };
    let name = |e: std::fs::DirEntry| {
        let slash = if e.path().is_dir() { "/" } else { "" };
        format!("{}{slash}\n", e.file_name().to_string_lossy())
    };
    let mut names: Vec<String> = entries.flatten().map(name).filter(|n| !n.starts_with('.')).collect();
    names.sort();
    names.concat()
}

/// The viewer of the machine, with the pictures that programs write by themselves.
fn opened() -> String {
    let picture = |name: &str| ["plot_", "imshow_", "imagesc_"].iter().any(|p| name.starts_with(p));
    let shown = |name: &str| picture(name) && (name.ends_with(".svg") || name.ends_with(".png"));
    let entries = std::fs::read_dir(".").into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|e| e.path()).collect();
    files.retain(|f| f.file_name().is_some_and(|n| shown(&n.to_string_lossy())));
    files.sort();
    if files.is_empty() {
        return "there are no pictures here\n".into();
    }
    let viewer = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut out = String::new();
    for file in files {
        let quiet = std::process::Stdio::null;
        let started = std::process::Command::new(viewer).arg(&file).stdout(quiet()).stderr(quiet()).spawn();
        out += &match started {
            Ok(_) => format!("{}\n", file.display()),
            Err(e) => return format!("cannot start '{viewer}': {e}; pictures are in this directory\n"),
        };
    }
    out
}

/// Has a file edited, and runs it.
fn edited(file: &str) -> Answer {
    let (place, _kept) = match file {
        "" => match tempfile::Builder::new().suffix(".q").tempfile() {
            Ok(new) => (new.path().to_path_buf(), Some(new)),
            Err(e) => return Answer::Text(format!("cannot make a file: {e}\n")),
        },
        file => (path(file), None),
    };
    let editor = std::env::var("VISUAL").or_else(|_| std::env::var("EDITOR")).unwrap_or_else(|_| "vi".into());
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    match std::process::Command::new(program).args(words).arg(&place).status() {
        Ok(status) if status.success() => {}
        Ok(status) => return Answer::Text(format!("'{editor}' ended with {status}\n")),
        Err(e) => return Answer::Text(format!("cannot start '{editor}': {e}; set EDITOR\n")),
    }
    match quadra_quasar::load::read(&place) {
        Ok((text, _)) => Answer::Program(text),
        Err(why) => Answer::Text(why.message + "\n"),
    }
}
