//! A function being written: names of values, slots, labels.

use super::{global_name, ty};
use naga::valid::FunctionInfo;
use naga::{Expression, Function, Handle, Literal, Module, TypeInner};
use std::fmt::Write;

pub(super) struct Body<'m> {
    pub module: &'m Module,
    pub function: &'m Function,
    info: &'m FunctionInfo,
    /// Parameters and slots that every function gets.
    pub handed: &'m [String],
    slots: String,
    code: String,
    names: Vec<Option<String>>,
    next: usize,
    /// Where `continue` and `break` of the loops around go to, the innermost last.
    pub loops: Vec<(String, String)>,
}

impl<'m> Body<'m> {
    pub fn new(module: &'m Module, function: &'m Function, info: &'m FunctionInfo, handed: &'m [String]) -> Body<'m> {
        let mut slots = String::new();
        for (local, variable) in function.local_variables.iter() {
            let _ = writeln!(slots, "  %l{} = alloca {}, align 8", local.index(), ty(&module.types[variable.ty].inner));
        }
        let names = vec![None; function.expressions.len()];
        Body { module, function, info, handed, slots, code: String::new(), names, next: 0, loops: Vec::new() }
    }

    /// The instructions, behind the slots and what comes before everything.
    pub fn finish(self, before: &str) -> String {
        format!("{}{before}{}  ret void\n", self.slots, self.code)
    }

    pub fn line(&mut self, instruction: &str) {
        let _ = writeln!(self.code, "  {instruction}");
    }

    /// An instruction with a result.
    pub fn def(&mut self, instruction: &str) -> String {
        self.next += 1;
        let name = format!("%v{}", self.next);
        let _ = writeln!(self.code, "  {name} = {instruction}");
        name
    }

    pub fn fresh_label(&mut self) -> String {
        self.next += 1;
        format!("b{}", self.next)
    }

    pub fn label(&mut self, label: &str) {
        let _ = writeln!(self.code, "{label}:");
    }

    /// An expression is called that from now on.
    pub fn name(&mut self, e: Handle<Expression>, name: String) {
        self.names[e.index()] = Some(name);
    }

    pub fn inner(&self, e: Handle<Expression>) -> &'m TypeInner {
        self.info[e].ty.inner_with(&self.module.types)
    }

    /// The scalar that a value is.
    pub fn scalar(&self, e: Handle<Expression>) -> naga::Scalar {
        self.inner(e).scalar().unwrap_or(naga::Scalar::U32)
    }

    /// What a pointer points to.
    pub fn pointee(&self, e: Handle<Expression>) -> &'m TypeInner {
        match self.inner(e) {
            TypeInner::Pointer { base, .. } => &self.module.types[*base].inner,
            _ => quadra_base::bug!("memory is reached through pointers"),
        }
    }

    /// A value with its type.
    pub fn typed(&self, e: Handle<Expression>) -> String {
        format!("{} {}", ty(self.inner(e)), self.value(e))
    }

    /// A value, as an operand.
    pub fn value(&self, e: Handle<Expression>) -> String {
        if let Some(name) = &self.names[e.index()] {
            return name.clone();
        }
        match self.function.expressions[e] {
            Expression::Literal(literal) => constant(literal),
            Expression::GlobalVariable(g) => global_name(self.module, g),
            Expression::LocalVariable(l) => format!("%l{}", l.index()),
            Expression::FunctionArgument(n) if self.is_entry() => {
                debug_assert_eq!(n, 1);
                "%inside".into()
            }
            Expression::FunctionArgument(n) => format!("%a{n}"),
            _ => quadra_base::bug!("an expression is used before it is computed"),
        }
    }

    /// Whether this is the entry point, whose arguments say where the invocation is.
    pub fn is_entry(&self) -> bool {
        self.function.arguments.iter().any(|a| a.binding.is_some())
    }
}

/// A constant. LLVM writes floats as the bits of doubles.
fn constant(literal: Literal) -> String {
    match literal {
        Literal::Bool(b) => b.to_string(),
        Literal::I32(n) => n.to_string(),
        Literal::U32(n) => n.to_string(),
        Literal::I64(n) => n.to_string(),
        Literal::U64(n) => n.to_string(),
        Literal::F32(x) => format!("0x{:016X}", f64::from(x).to_bits()),
        Literal::F64(x) => format!("0x{:016X}", x.to_bits()),
        _ => quadra_base::bug!("shaders of kernels have no such constants"),
    }
}
