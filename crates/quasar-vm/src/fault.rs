//! Run-time errors.

use quadra_base::{Diagnostic, Span};

/// What went wrong, where, and through which calls.
#[derive(Clone, Debug)]
pub struct Fault {
    pub code: &'static str,
    pub message: String,
    pub help: String,
    pub span: Option<Span>,
    /// Functions that were running and the places of their calls, innermost first.
    pub stack: Vec<(String, Span)>,
    /// Whether `catch` must not see it: the budget of the run is used up, or the program asked to end.
    pub fatal: bool,
    /// Exit status asked for by `exit(code)`.
    pub exit: Option<i32>,
}

/// Results of run-time operations.
pub type Res<T> = Result<T, Box<Fault>>;

impl Fault {
    pub fn new(code: &'static str, message: impl Into<String>) -> Box<Fault> {
        Box::new(Fault {
            code,
            message: message.into(),
            help: String::new(),
            span: None,
            stack: Vec::new(),
            fatal: false,
            exit: None,
        })
    }

    pub fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Fault> {
        self.help = help.into();
        self
    }

    /// Another place than the instruction that failed.
    pub fn at(mut self: Box<Self>, span: Span) -> Box<Fault> {
        self.span = Some(span);
        self
    }

    pub fn fatal(mut self: Box<Self>) -> Box<Fault> {
        self.fatal = true;
        self
    }

    /// As the user reads it.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut d = Diagnostic::error(self.code, self.message.clone()).at(self.span);
        if !self.help.is_empty() {
            d = d.help(self.help.clone());
        }
        const SHOWN: usize = 8;
        for (name, span) in self.stack.iter().take(SHOWN) {
            d = d.note(format!("in '{name}', called at {span}"));
        }
        if self.stack.len() > SHOWN {
            d = d.note(format!("and {} more calls", self.stack.len() - SHOWN));
        }
        d
    }
}

/// Returns early with a fault: `fault!("Q0301", "message {x}")`, with `; "help"` if there is help.
macro_rules! fault {
    ($code:literal, $($fmt:expr),+ ; $help:expr) => {
        return Err($crate::fault::Fault::new($code, format!($($fmt),+)).help($help))
    };
    ($code:literal, $($fmt:expr),+) => {
        return Err($crate::fault::Fault::new($code, format!($($fmt),+)))
    };
}
pub(crate) use fault;
