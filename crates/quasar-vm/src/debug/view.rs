//! What a debugger's observer sees of a program that has stopped: functions in progress, their variables, and expressions computed
//! among them.

use super::{Place, Settings, numbers};
use crate::builtins;
use crate::compile;
use crate::cx::Cx;
use crate::fault::Fault;
use crate::machine::run::run;
use crate::thread::{Frame, Thread};
use crate::typing;
use crate::value::{Callable, Closure, Value};
use quadra_base::{Diagnostic, FileId};
use quadra_quasar_hir::scope::Names;
use quadra_quasar_syntax::ast::{Block, Expr, ExprKind, FunctionKind, Stmt, StmtKind, Text};
use quadra_quasar_syntax::parser;
use std::rc::Rc;

/// A program that has stopped.
pub struct View<'a> {
    pub settings: &'a mut Settings,
    thread: &'a mut Thread,
    cx: &'a mut Cx,
    levels: &'a [Vec<Place>],
    /// The frame that commands are about, counted from the innermost one.
    chosen: usize,
}

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

impl<'a> View<'a> {
    pub(crate) fn new(
        settings: &'a mut Settings,
        thread: &'a mut Thread,
        cx: &'a mut Cx,
        levels: &'a [Vec<Place>],
    ) -> View<'a> {
        View { settings, thread, cx, levels, chosen: 0 }
    }

    /// Functions in progress, innermost first.
    pub fn places(&self) -> Vec<Place> {
        self.levels.iter().flatten().rev().cloned().collect()
    }

    /// The frame that is looked at, counted from the innermost one.
    pub fn chosen(&self) -> usize {
        self.chosen
    }

    /// Looks at another frame.
    ///
    /// # Errors
    /// There is none of this number, or it waits for a built-in function: of such a one only the place is known.
    pub fn choose(&mut self, frame: usize) -> std::result::Result<(), String> {
        let all = self.levels.iter().flatten().count();
        if frame >= all {
            return Err(format!("there is no frame {frame}: the outermost is {}", all.saturating_sub(1)));
        }
        if frame >= self.thread.frames.len() {
            return Err(format!(
                "frame {frame} waits for a launch or a built-in function: its variables are out of reach"
            ));
        }
        self.chosen = frame;
        Ok(())
    }

    fn frame(&self) -> &Frame {
        let frames = &self.thread.frames;
        &frames[frames.len() - 1 - self.chosen]
    }

    /// Variables of the chosen frame that have values, and those of the debugger.
    pub fn variables(&self) -> Vec<(Text, Value)> {
        let frame = self.frame();
        let value = |reg: u16| self.thread.stack[frame.base + reg as usize].clone();
        let mut all: Vec<(Text, Value)> = frame.code.variables.iter().map(|(n, r)| (n.clone(), value(*r))).collect();
        all.retain(|(_, v)| !matches!(v, Value::Unset | Value::Raw(_)));
        for own in &self.settings.own {
            if !all.iter().any(|v| v.0 == own.0) {
                all.push(own.clone());
            }
        }
        all
    }

    /// The type of a value as programs name it.
    pub fn type_of(&self, value: &Value) -> String {
        typing::type_of(value, self.cx.mode.double).to_string()
    }

    /// Computes an expression with the variables of the chosen frame, or executes statements there, which may change them. Gives
    /// the value of an expression that has one.
    ///
    /// # Errors
    /// The text is no Quasar, or fails.
    pub fn evaluate(&mut self, text: &str) -> Result<Option<Value>> {
        let file = FileId::of_text("debugger", text);
        let (module, diagnostics) = parser::parse(file, text, &mut self.cx.next_id);
        if let Some(d) = diagnostics.into_iter().find(Diagnostic::is_error) {
            return Err(Box::new(d));
        }
        let before = (self.cx.shared.diagnostics.len(), self.cx.shared.evaluates, self.cx.catching);
        let globals = std::mem::take(&mut self.cx.globals);
        let result = match &module.body[..] {
            [Stmt { kind: StmtKind::Expr(e), .. }] if self.has_value(e) => self.value(e).map(Some),
            body => self.execute(&body.to_vec(), file).map(|()| None),
        };
        self.cx.globals = globals;
        (self.cx.shared.evaluates, self.cx.catching) = (before.1, before.2);
        self.cx.shared.diagnostics.truncate(before.0);
        self.cx.send();
        result
    }

    /// Whether a condition is true in the chosen frame.
    pub(crate) fn holds(&mut self, text: &str) -> Result<bool> {
        let value = self.evaluate(text)?;
        let truth = value.as_ref().and_then(numbers).filter(|n| n.len() == 1).map(|n| n[0] != 0.0);
        truth.ok_or_else(|| {
            let message = format!("the condition '{text}' is no number");
            Box::new(Diagnostic::error("Q0316", message).help("compare something: i == 3"))
        })
    }

    /// The numbers that an expression gives: what an item is told by.
    ///
    /// # Errors
    /// It gives something else, or fails.
    pub fn numbers(&mut self, text: &str) -> Result<Vec<f64>> {
        let value = self.evaluate(text)?;
        value.as_ref().and_then(numbers).ok_or_else(|| {
            let help = "a position is a number or a short vector: [3,4]";
            Box::new(Diagnostic::error("Q0316", format!("'{text}' is no position")).help(help))
        })
    }

    fn has_value(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Assign { .. } | ExprKind::MultiAssign { .. } | ExprKind::Declare { .. } => false,
            ExprKind::Call { callee, .. } => match &callee.kind {
                ExprKind::Name(name) => match builtins::lookup(self.cx, name) {
                    Some(Value::Function(f)) => f.gives_value(),
                    _ => true,
                },
                _ => true,
            },
            _ => true,
        }
    }

    /// The first error of a compilation since there were `before`.
    fn refused(&mut self, before: usize) -> Result<()> {
        let mut said = self.cx.shared.diagnostics.drain(before..);
        said.find(Diagnostic::is_error).map_or(Ok(()), |d| Err(Box::new(d)))
    }

    fn value(&mut self, e: &Expr) -> Result<Value> {
        let variables = self.variables();
        let names: Vec<Text> = variables.iter().map(|v| v.0.clone()).collect();
        let before = self.cx.shared.diagnostics.len();
        let (code, captured) = compile::expression(&mut self.cx.shared, e, &names);
        self.refused(before)?;
        let of = |name: &Text| variables.iter().find(|v| v.0 == *name).map(|v| v.1.clone()).unwrap_or_default();
        let captures = captured.iter().map(of).collect();
        let callable = Value::Function(Rc::new(Callable::Closure(Closure { code, captures })));
        let results = self.cx.call(&callable, Vec::new(), 1).map_err(plainly)?;
        Ok(results.into_iter().next().unwrap_or_default())
    }

    fn execute(&mut self, body: &Block, file: FileId) -> Result<()> {
        let variables = self.variables();
        let names: Vec<Text> = variables.iter().map(|v| v.0.clone()).collect();
        let before = self.cx.shared.diagnostics.len();
        let span = quadra_base::Span::new(file, 1, 1, 1);
        let code = compile::program(&mut self.cx.shared, body, &names, span, None);
        self.refused(before)?;
        let mut thread = Thread::default();
        thread.stack.resize(code.registers as usize, Value::Unset);
        for (name, value) in variables {
            if let Some((_, reg)) = code.variables.iter().find(|v| v.0 == name) {
                thread.stack[*reg as usize] = value;
            }
        }
        let callable = Rc::new(Callable::Closure(Closure { code: code.clone(), captures: Vec::new() }));
        thread.frames.push(Frame { code, callable, pc: 0, base: 0, to: 0, outs: 0 });
        run(&mut thread, self.cx).map_err(plainly)?;
        let values = std::mem::take(&mut self.cx.globals);
        let assigned = Names::of_block(body).assigned;
        values.into_iter().filter(|v| assigned.contains(&v.0)).try_for_each(|(name, value)| self.put(name, value))
    }

    /// Puts a value into a variable of the chosen frame, or into one of the debugger if it has none of this name. In kernels a
    /// variable keeps its type.
    fn put(&mut self, name: Text, value: Value) -> Result<()> {
        let frame = self.frame();
        let Some((_, reg)) = frame.code.variables.iter().find(|v| v.0 == name) else {
            self.settings.own.retain(|v| v.0 != name);
            self.settings.own.push((name, value));
            return Ok(());
        };
        let (at, device) = (frame.base + *reg as usize, frame.code.kind != FunctionKind::Host);
        let old = &self.thread.stack[at];
        let double = self.cx.mode.double;
        let value = match device && !matches!(old, Value::Unset) {
            true => typing::convert(&value, &typing::type_of(old, double), double).map_err(plainly)?,
            false => value,
        };
        self.thread.stack[at] = value;
        Ok(())
    }
}

/// A failure of what the debugger computes, without the program's calls.
fn plainly(fault: impl Into<Box<Fault>>) -> Box<Diagnostic> {
    let mut fault = fault.into();
    fault.stack.clear();
    Box::new(fault.diagnostic())
}
