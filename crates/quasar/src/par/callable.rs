//! Functions by what a kernel can do with them.

use super::advice::{Kind, Reason};
use super::body::Body;
use crate::sema::infer::{Env, Infer};
use quadra_quasar_syntax::ast::{Function, FunctionKind, Text};
use std::collections::HashSet;

/// Built-in functions that work on a device.
pub const DEVICE: &[&str] = &[
    "assert",
    "int",
    "float",
    "scalar",
    "cscalar",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "size",
    "numel",
    "ndims",
    "ind2pos",
    "pos2ind",
    "transpose",
    "sum",
    "prod",
    "mean",
    "max",
    "min",
    "any",
    "all",
    "dotprod",
    "inprod",
    "norm",
    "cross",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "exp",
    "log",
    "log2",
    "log10",
    "sqrt",
    "atan2",
    "pow",
    "hypot",
    "abs",
    "sign",
    "floor",
    "ceil",
    "round",
    "fix",
    "frac",
    "mod",
    "idivide",
    "saturate",
    "lerp",
    "clamp",
    "periodize",
    "mirror_ext",
    "isnan",
    "isinf",
    "real",
    "imag",
    "conj",
    "angle",
    "complex",
    "and",
    "or",
    "xor",
    "not",
    "shl",
    "shr",
    "maxvalue",
    "minvalue",
];

/// Functions whose arguments are asked for their size only.
pub const MEASURES: &[&str] = &["size", "numel", "ndims"];

/// Allocations: their sizes must be known.
pub const ALLOCATES: &[&str] = &["zeros", "ones", "uninit", "czeros", "eye"];

/// Whether a function gives memory of the block.
pub fn is_shared(function: &str) -> bool {
    matches!(function, "shared" | "shared_zeros")
}

impl Body<'_> {
    /// A function that the loop calls must be able to run on a device, too.
    pub(super) fn callee(&mut self, name: &Text, f: &Function, infer: &mut Infer) {
        if f.kind == FunctionKind::Kernel {
            return self.hard(format!("it calls the kernel '{name}'"));
        }
        if !self.called.insert(name.clone()) {
            return;
        }
        let mut defined: HashSet<Text> = f.params.iter().map(|p| p.name.clone()).collect();
        let empty = Env::default();
        let called = std::mem::take(&mut self.called);
        let mut inner = Body::empty(&empty);
        (inner.inner_loops, inner.called) = (1, called);
        for default in f.params.iter().filter_map(|p| p.default.as_ref()) {
            inner.expr(default, &mut defined, infer);
        }
        inner.block(&f.body, &mut defined, infer);
        if let Some(value) = &f.value {
            inner.expr(value, &mut defined, infer);
        }
        self.called = std::mem::take(&mut inner.called);
        let found = inner.reasons.iter().find(|r| r.kind == Kind::Hard).map(|r| r.text.clone());
        let write = inner.accesses.iter().find(|a| a.write);
        let why = found.or(write.map(|w| format!("it changes elements of '{}'", w.array)));
        if let Some(why) = why {
            let reason = Reason::new(Kind::Hard, format!("it calls '{name}', which cannot run on a device"));
            self.reasons.push(reason.also(self.here, format!("of '{name}': {why}")));
        }
    }
}
