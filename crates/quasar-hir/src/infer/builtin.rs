//! What the text says of calls of built-in functions: the types of their results, and arguments that no kernel takes.

use super::Infer;
use super::rules::{binary, element};
use crate::kernel::SPECIAL;
use crate::meaning::{Fill, Gives, Meaning, Measure};
use crate::op1::Op1;
use crate::op2::Op2;
use crate::types::{Env, Rank, Type};
use quadra_base::quick::Map;
use quadra_base::{Diagnostic, Span};
use quadra_quasar_syntax::ast::{Arg, BinaryOp, Block, Expr, ExprKind, Function, FunctionKind, StmtKind, Text};
use std::rc::Rc;

/// Notes a kernel by its name; of several nobody knows here which one is meant.
pub(super) fn note_kernel(f: &Rc<Function>, kernels: &mut Map<Text, Option<Rc<Function>>>) {
    let only = f.kind == FunctionKind::Kernel
        && kernels.get(&f.name).is_none_or(|k| k.as_ref().is_some_and(|k| Rc::ptr_eq(k, f)));
    kernels.insert(f.name.clone(), only.then(|| f.clone()));
}

/// The kernels that a block defines.
pub(super) fn kernels(block: &Block, kernels: &mut Map<Text, Option<Rc<Function>>>) {
    let mut own = Map::default();
    definitions(block, &mut own);
    kernels.extend(own);
}

fn definitions(block: &Block, own: &mut Map<Text, Option<Rc<Function>>>) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::Function(f) => note_kernel(f, own),
            StmtKind::Module(m) => definitions(&m.body, own),
            StmtKind::If { arms, otherwise } => {
                arms.iter().for_each(|a| definitions(&a.1, own));
                definitions(otherwise, own);
            }
            StmtKind::For(f) => definitions(&f.body, own),
            StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => definitions(body, own),
            StmtKind::Try { body, handler, .. } => {
                definitions(body, own);
                definitions(handler, own);
            }
            StmtKind::Match { arms, .. } => arms.iter().for_each(|a| definitions(&a.body, own)),
            _ => {}
        }
    }
}

impl Infer<'_> {
    /// A launch gives a kernel as many arguments as it has parameters that are not special.
    pub(super) fn check_count(&mut self, span: Span, args: &[Arg], env: &Env) {
        let plain = args.iter().all(|a| a.name.is_none() && !matches!(a.value.kind, ExprKind::Spread(_)));
        let Some(Arg { value: Expr { kind: ExprKind::Name(name), .. }, .. }) = args.last() else { return };
        let Some(Some(f)) = self.kernels.get(name).cloned() else { return };
        if !plain || env.contains_key(name) || f.params.iter().any(|p| p.variadic || p.default.is_some()) {
            return;
        }
        let wanted = f.params.iter().filter(|p| !SPECIAL.contains(&&*p.name)).count();
        let given = args.len().saturating_sub(2);
        if wanted != given {
            let message = format!("kernel '{name}' needs {wanted} arguments, {given} are given");
            let help = "the special parameters (pos, blkpos, …) are not passed";
            self.report(Diagnostic::error("Q0425", message).at(span).help(help));
        }
    }

    /// A field of an instance of an immutable class keeps its value.
    pub(super) fn check_mutable(&mut self, ty: Option<Type>, name: &Text, span: Span) {
        let Some(Type::Class(class) | Type::Pointer(class)) = ty else { return };
        if !class.mutable && class.fields.borrow().iter().any(|f| f.0 == *name) {
            let message = format!("class '{}' is immutable: its field '{name}' cannot be changed", class.name);
            let help = format!("define it as 'type {} : mutable class'", class.name);
            self.report(Diagnostic::error("Q0357", message).at(span).help(help));
        }
    }

    /// Strings, untyped cells and dynamic objects cannot go to a kernel.
    pub(super) fn check_launch(&mut self, args: &[Arg], types: &[Option<Type>]) {
        let inner = 1..args.len().saturating_sub(1).max(1);
        for (arg, ty) in args.iter().zip(types).take(inner.end).skip(inner.start) {
            let bad = match ty {
                Some(Type::Str | Type::Object) => true,
                Some(Type::Array { element, .. }) => matches!(**element, Type::Any),
                _ => false,
            };
            if let (true, Some(ty)) = (bad, ty) {
                let message = format!("a '{ty}' cannot be passed to a kernel function");
                let help = "kernels take numbers, arrays, cells with a type (c = vec[mat](2), then c[0] = x), classes and device functions";
                self.report(Diagnostic::error("Q0426", message).at(arg.value.span).help(help));
            }
        }
    }

    pub(super) fn builtin(&mut self, name: &str, args: &[Arg], types: &[Option<Type>]) -> Option<Type> {
        let first = types.first().cloned().flatten();
        let scalar_array = |count: usize| Type::array(if count <= 1 { 1 } else { count.min(16) as u8 }, Type::SCALAR);
        // One dimension argument that is a vector says nothing about the rank.
        let dims_known = args.len() > 1 || matches!(first, Some(Type::Int(..)));
        match name {
            "cell" => return Some(Type::array(args.len().min(16) as u8, Type::Any)),
            "object" => return Some(Type::Object),
            "int" => return Some(Type::INT),
            "scalar" => return Some(Type::SCALAR),
            _ => {}
        }
        if let Some(class) = self.types.classes.get(name) {
            return Some(Type::Class(class.clone()));
        }
        if let Some(alias) = self.types.aliases.get(name) {
            return Some(alias.clone());
        }
        let row = self.library.facts(name)?;
        match row.meaning {
            Meaning::Fill(Fill::ComplexZeros) => None,
            Meaning::Fill(_) | Meaning::Random if dims_known => Some(scalar_array(args.len())),
            Meaning::Fill(_) | Meaning::Random if args.is_empty() => Some(Type::SCALAR),
            Meaning::Fill(_) | Meaning::Random => {
                Some(Type::Array { rank: Rank::Any, element: Rc::new(Type::SCALAR), dims: Vec::new() })
            }
            Meaning::Identity => Some(Type::array(2, Type::SCALAR)),
            Meaning::Measure(Measure::Elements | Measure::Dimensions) => Some(Type::INT),
            Meaning::Measure(Measure::Lengths) => match types.get(1) {
                Some(Some(Type::Int(..))) => Some(Type::INT),
                _ => Some(Type::array(1, Type::INT)),
            },
            // The magnitude of a complex number is real.
            Meaning::Map(Op1::Abs) => first.filter(|t| !matches!(element(t).unwrap_or(t), Type::Complex(_))),
            Meaning::Map(Op1::Floor | Op1::Ceil | Op1::Round | Op1::Fix) | Meaning::Copy | Meaning::Transpose => first,
            Meaning::Map(op) if op.is_elementary() => match first? {
                Type::Int(..) => Some(Type::SCALAR),
                other => Some(other),
            },
            Meaning::Float | Meaning::Norm => Some(Type::SCALAR),
            Meaning::Sum | Meaning::Product | Meaning::Mean if args.len() == 1 => {
                first.as_ref().and_then(element).cloned()
            }
            Meaning::Extreme(_) | Meaning::Pair(Op2::Mod | Op2::Rem) if args.len() == 2 => {
                binary(BinaryOp::Max, first, types[1].clone())
            }
            _ => match row.gives {
                Gives::Unknown => None,
                Gives::Text => Some(Type::Str),
                Gives::Scalar => Some(Type::SCALAR),
                Gives::Vector => Some(Type::array(1, Type::SCALAR)),
            },
        }
    }
}
