//! Sessions and the functions of their programs.

use crate::convert::Into;
use crate::error::{Message, exception, message, refuse};
use crate::interrupt;
use crate::lend::{Loans, detach};
use crate::output::{Picture, Pictures, Printed};
use crate::prompt::{SILENT, byte, character};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use quadra::base::{Diagnostic, Severity};
use quadra::quasar::around::Argument;
use quadra::quasar::value::{Callable, Value};
use quadra::quasar::{Precision, Type, prompt, session as quasar};
use send_wrapper::SendWrapper;
use std::cell::{RefCell, RefMut};
use std::path::PathBuf;

struct Inner {
    session: quasar::Session,
    printed: Printed,
    pictures: Pictures,
    double: bool,
}

/// A session of Quasar. It belongs to the thread that made it.
#[pyclass(module = "quadra._quadra", frozen)]
pub struct Session {
    inner: Option<SendWrapper<RefCell<Inner>>>,
}

impl Drop for Session {
    fn drop(&mut self) {
        // What belongs to another thread cannot be taken down here: it stays in memory.
        if self.inner.as_ref().is_some_and(|inner| !inner.valid()) {
            std::mem::forget(self.inner.take());
        }
    }
}

/// A loop: file, line, column, verdict, and how many loops of its nest run in parallel.
type Verdict = (String, u32, u32, String, usize);
/// Name, parameters and number of values of a function.
type Signature = (String, Vec<String>, usize);

fn signature(f: &Callable) -> (Vec<String>, usize) {
    match f {
        Callable::Closure(c) => {
            let outputs = if c.code.lambda { 1 } else { c.code.outputs.len() };
            (c.code.params.iter().map(|p| p.name.to_string()).collect(), outputs)
        }
        Callable::Overloads(list) => {
            let outputs = list.iter().map(|f| signature(f).1).max().unwrap_or(1);
            (Vec::new(), outputs)
        }
        Callable::Builtin(_) => (Vec::new(), usize::from(f.gives_value())),
    }
}

/// Whether a value is an array of doubles.
fn is_double(v: &Bound<'_, PyAny>) -> bool {
    v.cast::<PyUntypedArray>().is_ok_and(|a| (a.dtype().kind(), a.dtype().itemsize()) == (b'f', 8))
}

/// Whether a parameter is an array of `scalar`, which is single precision here.
fn takes_single(session: &quasar::Session, function: &str, parameter: usize) -> bool {
    let Some(Value::Function(f)) = session.value(function) else { return false };
    let Callable::Closure(c) = &*f else { return false };
    match c.code.params.get(parameter).and_then(|p| p.ty.as_ref()) {
        Some(Type::Array { element, .. }) => matches!(**element, Type::Scalar(Precision::Default)),
        _ => false,
    }
}

/// Tells Python what a run or a call had to say, and gives its errors as an exception.
fn report(py: Python<'_>, diagnostics: &[Diagnostic]) -> PyResult<()> {
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(exception(py, diagnostics));
    }
    let warnings: Vec<&Diagnostic> = diagnostics.iter().filter(|d| d.severity == Severity::Warning).collect();
    if !warnings.is_empty() {
        let class = py.import("quadra")?.getattr("Warning")?;
        let warn = py.import("warnings")?.getattr("warn")?;
        for d in warnings {
            warn.call1((d.render(false), &class, 2))?;
        }
    }
    Ok(())
}

impl Session {
    fn inner<'a>(&'a self, py: Python<'_>) -> PyResult<RefMut<'a, Inner>> {
        let Some(inner) = self.inner.as_ref().filter(|inner| inner.valid()) else {
            return Err(refuse(py, "the program belongs to another thread", "compile it in this thread"));
        };
        inner.try_borrow_mut().map_err(|_| refuse(py, "the program is running", "call it again when it has ended"))
    }

    /// Calls a function.
    fn call_value<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        args: impl Iterator<Item = Bound<'py, PyAny>>,
        outs: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut inner = self.inner(py)?;
        let mut way = Into { py, loans: Loans::default(), double: inner.double };
        let mut values = Vec::new();
        for (k, v) in args.enumerate() {
            let single = !inner.double && is_double(&v) && takes_single(&inner.session, name, k);
            values.push(way.argument(&v, single)?);
        }
        let args = values;
        let watched = interrupt::watch(inner.session.stop());
        let session = &mut inner.session;
        let called = detach(py, || session.call(name, args, outs));
        drop(watched);
        let printed = inner.printed.clone();
        drop(inner);
        printed.send(py)?;
        let (mut values, said) = called.map_err(|d| exception(py, &[d]))?;
        values.truncate(outs);
        let result = match values.len() {
            0 => py.None().into_bound(py),
            1 => way.python(values.remove(0))?,
            _ => {
                let all = values.into_iter().map(|v| way.python(v)).collect::<PyResult<Vec<_>>>()?;
                PyTuple::new(py, all)?.into_any()
            }
        };
        way.loans.settle(py)?;
        if !said.is_empty() {
            report(py, &said)?;
        }
        Ok(result)
    }
}

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (device, double=false, profile=false, qpus=None, library=Vec::new(), max_memory=None))]
    fn new(
        device: String,
        double: bool,
        profile: bool,
        qpus: Option<u32>,
        library: Vec<PathBuf>,
        max_memory: Option<usize>,
    ) -> Session {
        let mut options = quasar::Options { device, double, profile, qpus, library, ..Default::default() };
        options.max_memory = max_memory.unwrap_or(options.max_memory);
        let (printed, pictures) = (Printed::default(), Pictures::default());
        let mut session = quasar::Session::new(options, Box::new(printed.clone()));
        session.set_gallery(Box::new(pictures.clone()));
        Session { inner: Some(SendWrapper::new(RefCell::new(Inner { session, printed, pictures, double }))) }
    }

    /// Runs a text, and gives its warnings and notes. Variables and functions stay.
    fn run(&self, py: Python<'_>, name: &str, text: &str) -> PyResult<Vec<Message>> {
        let mut inner = self.inner(py)?;
        let watched = interrupt::watch(inner.session.stop());
        let session = &mut inner.session;
        let outcome = detach(py, || session.run(name, text));
        drop(watched);
        let printed = inner.printed.clone();
        drop(inner);
        printed.send(py)?;
        if outcome.status != 0 {
            return Err(exception(py, &outcome.diagnostics));
        }
        report(py, &outcome.diagnostics)?;
        Ok(outcome.diagnostics.iter().map(message).collect())
    }

    /// Compiles a text without running it: its diagnostics, and what its loops are.
    fn check(&self, py: Python<'_>, name: &str, text: &str) -> PyResult<(Vec<Message>, Vec<Verdict>)> {
        let (diagnostics, verdicts) = self.inner(py)?.session.check(name, text);
        let verdicts = verdicts
            .into_iter()
            .map(|v| (v.span.file.name().to_string(), v.span.line, v.span.column, v.text, v.depth))
            .collect();
        Ok((diagnostics.iter().map(message).collect(), verdicts))
    }

    /// How far around a position a function of a text looks, by axis: the axis, the least and the greatest distance, and whether anything
    /// along it may be looked at. Arguments are numbers of dimensions of arrays (`("array", n)`), tables of which every element may be
    /// looked at from everywhere (`("table", 0)`), integers (`("int", n)`) or others.
    fn around(
        &self,
        py: Python<'_>,
        name: &str,
        text: &str,
        function: &str,
        arguments: Vec<(String, i64)>,
    ) -> PyResult<Vec<(usize, i64, i64, bool)>> {
        let argument = |(kind, n): &(String, i64)| match (kind.as_str(), usize::try_from(*n)) {
            ("array", Ok(rank)) => Argument::Array(rank),
            ("table", _) => Argument::Table,
            ("int", _) => Argument::Integer(*n),
            _ => Argument::Other,
        };
        let arguments: Vec<Argument> = arguments.iter().map(argument).collect();
        let found = self.inner(py)?.session.around(name, text, function, &arguments);
        let axes = found.map_err(|diagnostics| exception(py, &diagnostics))?;
        Ok(axes.into_iter().map(|(axis, a)| (axis, a.low, a.high, a.whole)).collect())
    }

    /// The functions that programs defined.
    fn functions(&self, py: Python<'_>) -> PyResult<Vec<Signature>> {
        let inner = self.inner(py)?;
        let of = |name: &str| match inner.session.value(name) {
            Some(Value::Function(f)) => {
                let (params, outputs) = signature(&f);
                Some((name.to_string(), params, outputs))
            }
            _ => None,
        };
        Ok(inner.session.functions().filter_map(|name| of(name)).collect())
    }

    /// The names of global variables.
    fn variables(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.inner(py)?.session.globals().iter().map(|(name, _)| name.to_string()).collect())
    }

    /// A copy of a global variable's value.
    fn get<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        let inner = self.inner(py)?;
        let way = Into { py, loans: Loans::default(), double: inner.double };
        match inner.session.value(name) {
            None | Some(Value::Function(_)) => Ok(None),
            Some(v) => way.python(v).map(Some),
        }
    }

    /// Whether a text is an expression whose value should be shown.
    fn has_value(&self, py: Python<'_>, text: &str) -> PyResult<bool> {
        Ok(prompt::has_value(&self.inner(py)?.session, text, SILENT))
    }

    /// The value of a global variable as prompts show it.
    fn shown(&self, py: Python<'_>, name: &str) -> PyResult<Option<String>> {
        let value = self.inner(py)?.session.value(name);
        Ok(value.map(|v| quadra::quasar::display::shown(&v, prompt::SHORT)))
    }

    /// First and last character of the word before a character, and the names that begin like it.
    fn complete(&self, py: Python<'_>, text: &str, at: usize) -> PyResult<(usize, usize, Vec<String>)> {
        let names = prompt::names(&self.inner(py)?.session);
        let (start, found) = prompt::completions(&names, text, byte(text, at));
        Ok((character(text, start), at.min(text.chars().count()), found))
    }

    /// What the word at a character means.
    fn explain(&self, py: Python<'_>, text: &str, at: usize) -> PyResult<Option<String>> {
        let (start, end) = prompt::word_at(text, byte(text, at));
        Ok(prompt::explain(&self.inner(py)?.session, &text[start..end]))
    }

    /// Sets a global variable to a copy of a value.
    fn set<'py>(&self, py: Python<'py>, name: &str, value: Bound<'py, PyAny>) -> PyResult<()> {
        let mut inner = self.inner(py)?;
        let mut way = Into { py, loans: Loans::default(), double: inner.double };
        let value = way.value(&value)?;
        inner.session.set(name, value);
        way.loans.settle(py)
    }

    /// What the kernels and loops so far cost, if that was asked for.
    fn profile<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        self.inner(py)?.session.profile().map(|p| crate::profile::dictionary(py, p)).transpose()
    }

    /// Pictures since the last time that somebody asked: name, caption, bytes.
    fn pictures(&self, py: Python<'_>) -> PyResult<Vec<Picture>> {
        let pictures = self.inner(py)?.pictures.clone();
        Ok(pictures.0.take())
    }

    /// Calls a function for so many values.
    fn call<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        args: Vec<Bound<'py, PyAny>>,
        outs: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call_value(py, name, args.into_iter(), outs)
    }
}

/// A function of a program.
#[pyclass(module = "quadra", frozen)]
pub struct Function {
    session: Py<Session>,
    name: String,
    params: Vec<String>,
    outputs: usize,
    /// Gives the function of this name in the session of another thread.
    elsewhere: Py<PyAny>,
}

impl Function {
    /// Arguments in the order of the parameters.
    fn ordered<'py>(&self, args: &Bound<'py, PyTuple>, named: &Bound<'py, PyDict>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let py = args.py();
        let mut all: Vec<Bound<'py, PyAny>> = args.iter().collect();
        let mut used = 0;
        for name in self.params.iter().skip(all.len()) {
            let Some(value) = named.get_item(name)? else { break };
            all.push(value);
            used += 1;
        }
        if used < named.len() {
            let message = format!("the named arguments do not follow on the others in '{}'", self.signature());
            return Err(refuse(py, message, "name parameters that have no value yet, without a gap"));
        }
        Ok(all)
    }

    fn signature(&self) -> String {
        format!("{}({})", self.name, self.params.join(", "))
    }
}

#[pymethods]
impl Function {
    #[new]
    fn new(session: Py<Session>, name: String, params: Vec<String>, outputs: usize, elsewhere: Py<PyAny>) -> Function {
        Function { session, name, params, outputs, elsewhere }
    }

    #[pyo3(signature = (*args, **named))]
    pub(crate) fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let session = self.session.get();
        if session.inner.as_ref().is_some_and(|inner| !inner.valid()) {
            return self.elsewhere.bind(py).call1((&self.name,))?.call(args, named);
        }
        match named {
            Some(named) if !named.is_empty() => {
                session.call_value(py, &self.name, self.ordered(args, named)?.into_iter(), self.outputs)
            }
            _ => session.call_value(py, &self.name, args.iter(), self.outputs),
        }
    }

    #[getter]
    fn __name__(&self) -> &str {
        &self.name
    }

    #[getter]
    fn __text_signature__(&self) -> String {
        format!("({})", self.params.join(", "))
    }

    /// Names of its parameters; none for functions with several definitions.
    #[getter]
    fn parameters(&self) -> Vec<String> {
        self.params.clone()
    }

    /// The program that defines it.
    #[getter]
    fn program<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.elsewhere.bind(py).getattr("__self__")
    }

    /// How many values a call has.
    #[getter]
    fn outputs(&self) -> usize {
        self.outputs
    }

    fn __repr__(&self) -> String {
        format!("<Quasar function {}>", self.signature())
    }
}

/// Sets the threads that kernels run on, for the whole process, before the first of them runs.
#[pyfunction]
pub fn set_threads(n: usize) {
    quadra::device::cpu::set_threads(n);
}

/// Says where the package `llvmlite` lies, whose library makes code if there is no libLLVM.
#[pyfunction]
pub fn offer_llvmlite(package: PathBuf) {
    quadra::device::cpu::offer_llvmlite(package);
}

/// Devices: name, what it is, and why it cannot be used here.
#[pyfunction]
pub fn devices() -> Vec<(String, String, Option<String>)> {
    let row = |d: quadra::device::Listing| (d.name.into(), d.about, d.unavailable);
    quadra::device::list().into_iter().map(row).collect()
}
