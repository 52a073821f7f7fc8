//! Diagnostics as Python sees them.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use quadra::base::{Diagnostic, Severity};

create_exception!(
    quadra,
    Error,
    PyException,
    "What is wrong with a program, or with a call; its text is the diagnostic."
);
create_exception!(quadra, Interrupted, Error, "Somebody stopped the program, but not with Ctrl-C.");

/// A diagnostic: an error, a warning or a note.
#[pyclass(frozen, get_all, module = "quadra", name = "Message")]
pub struct Message {
    /// Code of the diagnostic, which `quadra explain` explains.
    code: String,
    /// `error`, `warning` or `note`.
    severity: &'static str,
    message: String,
    file: Option<String>,
    /// From 1.
    line: Option<u32>,
    /// From 1.
    column: Option<u32>,
    notes: Vec<String>,
    help: Vec<String>,
    /// The diagnostic with the lines that it is about.
    text: String,
}

#[pymethods]
impl Message {
    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<{} {}: {}>", self.severity, self.code, self.message)
    }
}

/// A diagnostic for Python.
pub fn message(d: &Diagnostic) -> Message {
    let severity = match d.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    Message {
        code: d.code.into(),
        severity,
        message: d.message.clone(),
        file: d.span.map(|s| s.file.name().to_string()),
        line: d.span.map(|s| s.line),
        column: d.span.map(|s| s.column),
        notes: d.notes.clone(),
        help: d.help.clone(),
        text: d.render(false),
    }
}

/// The exception for diagnostics, of which the first error counts; Ctrl-C is Python's own exception.
pub fn exception(py: Python<'_>, diagnostics: &[Diagnostic]) -> PyErr {
    if let Err(interrupt) = py.check_signals() {
        return interrupt;
    }
    let shown: Vec<&Diagnostic> = diagnostics.iter().filter(|d| d.is_error()).collect();
    let text: Vec<String> = shown.iter().map(|d| d.render(false)).collect();
    let text = format!("\n{}", text.join("\n\n"));
    let Some(first) = shown.first() else { return Error::new_err("the program ended with an error") };
    let error = if first.code == "Q0317" { Interrupted::new_err(text) } else { Error::new_err(text) };
    match dress(py, &error, first) {
        Ok(()) => error,
        Err(other) => other,
    }
}

fn dress(py: Python<'_>, error: &PyErr, d: &Diagnostic) -> PyResult<()> {
    let value = error.value(py);
    let m = message(d);
    value.setattr("code", &m.code)?;
    value.setattr("message", &m.message)?;
    value.setattr("file", &m.file)?;
    value.setattr("line", m.line)?;
    value.setattr("column", m.column)?;
    value.setattr("notes", m.notes.clone())?;
    value.setattr("help", m.help.clone())
}

/// An error that this crate raises itself.
pub fn refuse(py: Python<'_>, what: impl Into<String>, help: &str) -> PyErr {
    exception(py, &[Diagnostic::error("", what).help(help)])
}
