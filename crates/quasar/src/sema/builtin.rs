//! What the text says of calls of built-in functions: the types of their results, and arguments that no kernel takes.

use super::infer::Infer;
use super::rules::{binary, element};
use super::types::{Rank, Type};
use crate::syntax::ast::{Arg, BinaryOp};
use quadra_base::Diagnostic;
use std::rc::Rc;

impl Infer<'_> {
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
            "zeros" | "ones" | "uninit" | "rand" | "randn" if dims_known => Some(scalar_array(args.len())),
            "zeros" | "ones" | "uninit" | "rand" | "randn" if args.is_empty() => Some(Type::SCALAR),
            "zeros" | "ones" | "uninit" | "rand" | "randn" => {
                Some(Type::Array { rank: Rank::Any, element: Rc::new(Type::SCALAR), dims: Vec::new() })
            }
            "eye" => Some(Type::array(2, Type::SCALAR)),
            "linspace" => Some(Type::array(1, Type::SCALAR)),
            "cell" => Some(Type::array(args.len().min(16) as u8, Type::Any)),
            "object" => Some(Type::Object),
            "sprintf" | "str" | "num2str" | "strcat" | "strupper" | "strlower" | "strtrim" | "strreplace" => {
                Some(Type::Str)
            }
            "numel" | "ndims" | "int" => Some(Type::INT),
            "size" if args.len() == 1 => Some(Type::array(1, Type::INT)),
            "size" => match types.get(1)? {
                Some(Type::Int(..)) => Some(Type::INT),
                _ => Some(Type::array(1, Type::INT)),
            },
            "copy" | "abs" | "floor" | "ceil" | "round" | "transpose" | "fix" => first,
            "sin" | "cos" | "tan" | "exp" | "log" | "sqrt" | "atan" | "tanh" => match first? {
                Type::Int(..) => Some(Type::SCALAR),
                other => Some(other),
            },
            "sum" | "prod" | "mean" if args.len() == 1 => first.as_ref().and_then(element).cloned(),
            "max" | "min" | "mod" if args.len() == 2 => binary(BinaryOp::Max, first, types[1].clone()),
            "scalar" | "float" | "toc" | "norm" => Some(Type::SCALAR),
            _ => self
                .types
                .classes
                .get(name)
                .map(|c| Type::Class(c.clone()))
                .or_else(|| self.types.aliases.get(name).cloned()),
        }
    }
}
