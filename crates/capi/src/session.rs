//! A session behind its handle: programs, calls, and what they give until the next one.

use crate::lend::Loans;
use crate::types::{Array, CValue, Element, Kind, LoopRow};
use quadra_base::{Diagnostic, Severity};
use quadra_quasar::IntKind;
use quadra_quasar::session::{Buffer, Options, Session};
use quadra_quasar::tensor::{Data, Tensor};
use quadra_quasar::value::Value;
use std::ffi::{CString, c_char, c_void};
use std::rc::Rc;

/// A text for C, which ends at the first zero.
pub fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

/// An error of a program, or of its caller.
#[derive(Debug)]
pub enum Failure {
    Program(String),
    Call(String),
}

impl From<&str> for Failure {
    fn from(why: &str) -> Failure {
        Failure::Call(why.to_string())
    }
}

impl From<String> for Failure {
    fn from(why: String) -> Failure {
        Failure::Call(why)
    }
}

/// What quadra_session_open() gives.
pub struct Opened {
    session: Session,
    printed: Buffer,
    /// Bytes of the output that were asked for.
    read: usize,
    warnings: String,
    /// What C has pointers to.
    texts: Vec<CString>,
    shapes: Vec<Vec<usize>>,
    arrays: Vec<Rc<Tensor>>,
    loops: Vec<LoopRow>,
}

fn rendered(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| d.render(false) + "\n").collect()
}

impl Opened {
    pub fn new(options: Options) -> Opened {
        let printed = Buffer::default();
        let session = Session::new(options, Box::new(printed.clone()));
        Opened {
            session,
            printed,
            read: 0,
            warnings: String::new(),
            texts: Vec::new(),
            shapes: Vec::new(),
            arrays: Vec::new(),
            loops: Vec::new(),
        }
    }

    pub fn stop(&self) -> quadra_base::stop::Stop {
        self.session.stop()
    }

    /// Whether a number is double precision.
    pub fn double(&self) -> bool {
        self.session.double()
    }

    /// What C had pointers to is over.
    fn forget(&mut self) {
        self.texts.clear();
        self.shapes.clear();
        self.arrays.clear();
        self.loops.clear();
        self.warnings.clear();
    }

    fn keep(&mut self, text: &str) -> *const c_char {
        self.texts.push(c_text(text));
        self.texts[self.texts.len() - 1].as_ptr()
    }

    /// Runs a program.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn compile(&mut self, name: &str, text: &str) -> Result<(), Failure> {
        self.forget();
        let outcome = self.session.run(name, text);
        let (errors, others): (Vec<_>, Vec<_>) =
            outcome.diagnostics.into_iter().partition(|d| d.severity == Severity::Error);
        self.warnings = rendered(&others);
        match outcome.status {
            0 => Ok(()),
            status if errors.is_empty() => Err(Failure::Program(format!("the program ended with status {status}"))),
            _ => Err(Failure::Program(rendered(&errors))),
        }
    }

    /// The verdicts of a program's loops, without running it.
    ///
    /// # Errors
    /// The program is wrong.
    pub fn verdicts(&mut self, name: &str, text: &str) -> Result<&[LoopRow], Failure> {
        self.forget();
        let (diagnostics, verdicts) = self.session.check(name, text);
        let errors: Vec<Diagnostic> = diagnostics.into_iter().filter(Diagnostic::is_error).collect();
        if !errors.is_empty() {
            return Err(Failure::Program(rendered(&errors)));
        }
        let loops: Vec<LoopRow> = verdicts
            .iter()
            .map(|v| LoopRow {
                line: v.span.line,
                depth: u32::try_from(v.depth).unwrap_or(u32::MAX),
                verdict: self.keep(&v.text),
            })
            .collect();
        self.loops = loops;
        Ok(&self.loops)
    }

    /// Calls a function, whose arguments were made with `loans`; fills `results`.
    ///
    /// # Errors
    /// The function is unknown or fails, or a result has no counterpart in C.
    pub fn call(&mut self, name: &str, args: Vec<Value>, loans: &Loans, results: &mut [CValue]) -> Result<(), Failure> {
        self.forget();
        let called = self.session.call(name, args, results.len());
        let (values, said) = called.map_err(|d| Failure::Program(d.render(false)))?;
        self.warnings = rendered(&said);
        let mut values = values.into_iter();
        for result in results {
            let value = values.next().unwrap_or_default();
            *result = self.result(&value, loans)?;
        }
        Ok(())
    }

    fn result(&mut self, value: &Value, loans: &Loans) -> Result<CValue, Failure> {
        let mut result = NOTHING;
        match value {
            Value::Unset | Value::Null => {}
            Value::Int(n) => (result.kind, result.integer) = (Kind::QuadraInteger as u32, i64::from(*n)),
            // Those above 2^63 keep their bits.
            Value::IntN(_, n) => (result.kind, result.integer) = (Kind::QuadraInteger as u32, *n),
            Value::C32(_) | Value::C64(_) => {
                let [re, im] = value.as_complex().unwrap_or_default();
                (result.kind, result.number, result.imaginary) = (Kind::QuadraComplex as u32, re, im);
            }
            Value::Str(text) => (result.kind, result.text) = (Kind::QuadraText as u32, self.keep(text)),
            Value::Array(tensor) => {
                result.kind = Kind::QuadraArray as u32;
                result.array = self.array(tensor, loans)?;
            }
            other => match other.as_f64() {
                Some(x) => (result.kind, result.number) = (Kind::QuadraNumber as u32, x),
                None => {
                    return Err(Failure::Program(
                        "a result is an object or a function, which C has no value for".into(),
                    ));
                }
            },
        }
        Ok(result)
    }

    fn array(&mut self, tensor: &Rc<Tensor>, loans: &Loans) -> Result<Array, Failure> {
        let shape: Vec<usize> = if tensor.is_vector() { tensor.shape[1..].to_vec() } else { tensor.shape.to_vec() };
        let (element, data) = match loans.original(tensor) {
            Some(lent) => lent,
            None => {
                let place = place(&tensor.data.borrow()).ok_or_else(|| {
                    Failure::Program("a result is a cell, which C has no value for: give its elements".into())
                })?;
                self.arrays.push(tensor.clone());
                place
            }
        };
        self.shapes.push(shape);
        let shape = &self.shapes[self.shapes.len() - 1];
        let rank = u32::try_from(shape.len()).unwrap_or(0);
        Ok(Array { element: element as u32, rank, shape: shape.as_ptr(), data })
    }

    /// What programs printed since it was asked last.
    pub fn output(&mut self) -> *const c_char {
        let text = self.printed.text();
        let new = text.get(self.read..).unwrap_or_default().to_string();
        self.read = text.len();
        self.keep(&new)
    }

    pub fn warnings(&mut self) -> *const c_char {
        let text = self.warnings.clone();
        self.keep(&text)
    }
}

/// A value that is none.
pub const NOTHING: CValue = CValue {
    kind: Kind::QuadraNothing as u32,
    number: 0.0,
    imaginary: 0.0,
    integer: 0,
    text: std::ptr::null(),
    array: Array { element: 0, rank: 0, shape: std::ptr::null(), data: std::ptr::null_mut() },
};

/// Where the elements of an array are; none for a cell.
fn place(data: &Data) -> Option<(Element, *mut c_void)> {
    macro_rules! at {
        ($element:ident, $v:expr) => {
            (Element::$element, $v.as_ptr().cast_mut().cast())
        };
    }
    Some(match data {
        Data::F32(v) | Data::F16(v) => at!(QuadraF32, v),
        Data::F64(v) => at!(QuadraF64, v),
        Data::C32(v) => at!(QuadraC32, v),
        Data::C64(v) => at!(QuadraC64, v),
        Data::Mask(v) | Data::U8(v) => at!(QuadraU8, v),
        Data::Int(v) | Data::I32(v) => at!(QuadraI32, v),
        Data::I8(v) => at!(QuadraI8, v),
        Data::I16(v) => at!(QuadraI16, v),
        Data::I64(v) => at!(QuadraI64, v),
        Data::U16(v) => at!(QuadraU16, v),
        Data::U32(v) => at!(QuadraU32, v),
        Data::U64(v) => at!(QuadraU64, v),
        Data::Cell(_) => return None,
    })
}

/// A number of C that is an integer for programs.
pub fn integer(n: i64) -> Value {
    i32::try_from(n).map_or(Value::IntN(IntKind::I64, n), Value::Int)
}
