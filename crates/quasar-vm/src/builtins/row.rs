//! A row of the table of built-in functions, and a call in progress: what the files of the themes build on.

use crate::arith::{self, Mode};
use crate::code::Code;
use crate::cx::Cx;
use crate::fault::{Fault, Res};
use crate::tensor::Tensor;
use crate::value::Value;
use crate::{literal, typing};
use quadra_base::Span;
use quadra_quasar_hir::meaning::{Facts, Gives, Meaning, Term};
use quadra_quasar_hir::op1::Op1;
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::types::Type;
use quadra_quasar_syntax::ast::FunctionKind;
use std::ops::RangeInclusive;
use std::rc::Rc;

/// A row of the table of built-in functions.
pub struct Builtin {
    /// What everybody but the virtual machine has to know of it, its name first.
    pub facts: Facts,
    /// For example `zeros(d…)`.
    pub signature: &'static str,
    /// One line.
    pub about: &'static str,
    /// A statement that shows the function at work.
    pub example: &'static str,
    /// Least and greatest number of arguments.
    pub min: usize,
    pub max: usize,
    pub run: Run,
    /// It takes next to no memory, however long its arguments are.
    pub frugal: bool,
}

/// How a built-in function works.
#[derive(Clone, Copy)]
pub enum Run {
    /// Element by element on one operand.
    Map(Op1),
    /// Element by element on two operands, which broadcast.
    Pair(Op2),
    /// Element by element, composed of such functions.
    Formula(&'static Term),
    /// One result.
    One(fn(&mut Call) -> Res<Value>),
    /// Several results, as many as asked for.
    Many(fn(&mut Call) -> Res<Vec<Value>>),
    /// No result.
    Effect(fn(&mut Call) -> Res<()>),
}

/// Where a call stands: shared memory belongs to its place in the code.
pub struct Site<'a> {
    pub code: &'a Rc<Code>,
    pub pc: usize,
    pub sites: &'a mut Vec<(usize, u32)>,
}

/// A call in progress.
pub struct Call<'a, 'b> {
    pub args: &'a [Value],
    pub outs: usize,
    pub cx: &'a mut Cx,
    pub site: Option<Site<'b>>,
    pub name: &'static str,
    pub signature: &'static str,
}

/// The row of a function: name, signature, what it does, example, least and greatest number of arguments, code. What others must know of
/// it is added by `means`, `gives`, `host_only` and `frugal`.
macro_rules! row {
    ($name:literal, $signature:literal, $about:literal, $example:literal, $min:literal..=$max:literal, $run:expr) => {
        $crate::builtins::row::Builtin::new($name, [$signature, $about, $example], $min..=$max, $run)
    };
}
pub(crate) use row;

/// What follows from how a function works.
const fn meaning_of(run: &Run) -> Meaning {
    match run {
        Run::Map(op) => Meaning::Map(*op),
        Run::Pair(op) => Meaning::Pair(*op),
        Run::Formula(term) => Meaning::Formula(term),
        _ => Meaning::Other,
    }
}

impl Builtin {
    /// A row: the name; signature, what the function does and an example; least and greatest number of arguments; code.
    pub const fn new(
        name: &'static str,
        [signature, about, example]: [&'static str; 3],
        arguments: RangeInclusive<usize>,
        run: Run,
    ) -> Builtin {
        let facts = Facts { name, meaning: meaning_of(&run), gives: Gives::Unknown, host_only: false };
        let (min, max) = (*arguments.start(), *arguments.end());
        Builtin { facts, signature, about, example, min, max, run, frugal: false }
    }

    pub(super) const fn means(mut self, meaning: Meaning) -> Builtin {
        self.facts.meaning = meaning;
        self
    }

    pub(super) const fn gives(mut self, gives: Gives) -> Builtin {
        self.facts.gives = gives;
        self
    }

    /// Kernels cannot call it, and the compiler says so.
    pub(super) const fn host_only(mut self) -> Builtin {
        self.facts.host_only = true;
        self
    }

    /// It takes next to no memory, however long its arguments are.
    pub(super) const fn frugal(self) -> Builtin {
        Builtin { frugal: true, ..self }
    }
}

impl<'b> Call<'_, 'b> {
    /// The same call with other arguments; the place of the call goes with it.
    pub fn with<'c>(&'c mut self, args: &'c [Value]) -> Call<'c, 'b> {
        let Call { outs, name, signature, .. } = *self;
        Call { args, outs, cx: self.cx, site: self.site.take(), name, signature }
    }

    pub fn double(&self) -> bool {
        self.cx.mode.double
    }

    /// Whether kernel or device code calls.
    pub fn device(&self) -> bool {
        self.site.as_ref().is_some_and(|s| s.code.kind != FunctionKind::Host)
    }

    /// Where the call stands in the program.
    pub fn span(&self) -> Option<Span> {
        self.site.as_ref().map(|site| site.code.spans[site.pc])
    }

    pub fn mode(&self) -> Mode {
        let inttypes = self.cx.mode.inttypes || self.site.as_ref().is_some_and(|s| s.code.shipped);
        Mode { device: self.device(), inttypes, ..self.cx.mode }
    }

    /// The error that argument `i` is of the wrong kind.
    pub fn wrong(&self, i: usize, wanted: &str) -> Box<Fault> {
        let ty = typing::type_of(&self.args[i], self.double());
        let message = if matches!(self.args[i], Value::Unset) {
            format!("argument {} of '{}' was never set", i + 1, self.name)
        } else {
            format!("argument {} of '{}' needs {wanted}, not a '{ty}'", i + 1, self.name)
        };
        Fault::new("Q0314", message).help(self.signature)
    }

    /// Argument `i` as a real number.
    pub fn number(&self, i: usize) -> Res<f64> {
        let v = &self.args[i];
        match v {
            Value::Array(t) if t.len() == 1 => t.get(0).and_then(|v| v.as_f64()),
            v => v.as_f64(),
        }
        .ok_or_else(|| self.wrong(i, "a number"))
    }

    /// Argument `i` as a whole number.
    pub fn integer(&self, i: usize) -> Res<i64> {
        Ok(self.number(i)? as i64)
    }

    /// Argument `i` as text.
    pub fn text(&self, i: usize) -> Res<&str> {
        self.args[i].as_text().ok_or_else(|| self.wrong(i, "a string"))
    }

    /// Argument `i` as an array; a number counts as one element.
    pub fn tensor(&self, i: usize) -> Res<Rc<Tensor>> {
        match &self.args[i] {
            Value::Array(t) if !t.is_cell() => Ok(t.clone()),
            v if v.is_number() => {
                match literal::array(std::slice::from_ref(v), Mode { device: true, ..self.cx.mode })? {
                    Value::Array(t) => Ok(t),
                    _ => Err(self.wrong(i, "an array")),
                }
            }
            _ => Err(self.wrong(i, "an array of numbers")),
        }
    }

    /// The elements of argument `i` as numbers, which are real: nothing is lost.
    pub fn list(&self, i: usize) -> Res<Vec<f64>> {
        let t = self.tensor(i)?;
        let data = t.data.borrow();
        if data.is_complex() && arith::to_c64(&data).iter().any(|z| z[1] != 0.0) {
            return Err(self.wrong(i, "real numbers"));
        }
        Ok(arith::to_f64(&data).into_owned())
    }

    /// Argument `i` as a type: a type, or its name as text.
    pub fn type_argument(&mut self, i: usize) -> Res<Type> {
        match &self.args[i] {
            Value::Type(ty) => Ok((**ty).clone()),
            Value::Str(text) => self.cx.shared.type_named(text),
            Value::Function(_) | Value::Object(_) => Err(self.wrong(i, "a type or the name of a type")),
            _ => Err(self.wrong(i, "a type or the name of a type")),
        }
    }
}
