//! Words for types and lanes, and what kind of access an instruction is.

use crate::common::brief::IOTA;
use crate::common::text;
use quadra_kir::{Effect, Elem, Inst, Op, Type};

/// Whether it is one element per lane from a scalar index on.
pub(super) fn is_row(inst: &Inst) -> bool {
    matches!(inst.op, Op::LoadRow | Op::StoreRow)
}

/// Whether it may change memory that loads read.
pub(super) fn writes(inst: &Inst) -> bool {
    let effect = inst.op.info().effect;
    matches!(effect, Effect::Write | Effect::ReadWrite | Effect::Ordered)
}

/// The element as memory holds it, an integer.
pub fn memory_elem(elem: Elem) -> Elem {
    match elem {
        Elem::Bool | Elem::I32 | Elem::F32 => Elem::I32,
        Elem::I64 | Elem::F64 => Elem::I64,
        other => other,
    }
}

/// Whether a register holds a float as memory does.
pub fn is_plain_float(elem: Elem) -> bool {
    matches!(elem, Elem::F32 | Elem::F64)
}

pub(super) fn memory_type(elem: Elem) -> &'static str {
    text::elem(memory_elem(elem))
}

/// All lanes.
pub fn all() -> String {
    text::lanes_of(Type::vector(Elem::Bool), "true")
}

/// The lanes' numbers.
pub fn iota() -> String {
    IOTA.to_string()
}

/// The part of an intrinsic's name that says its type.
pub fn suffix(t: Type) -> String {
    let one = match t.elem {
        Elem::Bool => "i1",
        Elem::I8 => "i8",
        Elem::I16 | Elem::F16 => "i16",
        Elem::I32 => "i32",
        Elem::I64 => "i64",
        Elem::F32 => "f32",
        Elem::F64 => "f64",
    };
    if t.lanes { format!("v16{one}") } else { one.to_string() }
}
