//! Values in lanes of 8 and 16 bits, a vector of them for all columns of a turn.
//!
//! Registers of kernel IR have 32 bits; bytes and halves of memory are widened when they are loaded. What a kernel computes of them
//! alone, and stores as such again, mostly needs fewer bits: either only the lowest ones of a value are asked for (a sum that
//! is stored as a byte), or its bounds say that it fits. A value is *short* if
//!
//! - it is loaded from memory of 8 or 16 bits, at neighbouring elements in neighbouring groups and inside for all lanes; or computed of
//!   short values, constants and numbers that all groups share, by an operation that needs no more bits (`short_ways`);
//! - a store of 8 or 16 bits to neighbouring elements uses it, directly or by way of short values.
//!
//! Demands go from stores back to loads. An operation that is asked for its `n` lowest bits, and whose result depends on its operands'
//! lowest bits alone, asks them for so many; any other asks for all, which lanes of `n` bits have if the bounds of
//! the operand fit them, with a sign or without. What does not work out that way is as wide as ever, and asks for all of its operands.
//! Others may use a short value, too: it is widened for them.

use quadra_kir::{Buf, Elem, Inst, Op, Value};
use std::collections::{HashMap, HashSet};

/// The short values of a kernel.
#[derive(Default)]
pub(super) struct Shorts {
    pub values: HashMap<Value, Short>,
    /// Stores of such.
    pub stores: HashSet<Target>,
}

/// A store: its buffer, index and value.
pub(super) type Target = (Buf, Value, Value);

impl Shorts {
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// A short value: the bits of its lanes (1 for conditions), and how it is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Short {
    pub bits: u32,
    pub way: Way,
}

/// How a short value is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// As it stands.
    Plain,
    /// A sum or difference of these, or the nearest number that the lanes hold.
    Saturated { op: Op, args: [Value; 2], signed: bool },
    /// Half of the sum of these, rounded down, of which the sum itself may not fit.
    Mean { args: [Value; 2], signed: bool },
}

/// Bits of an element that may be short.
pub(super) fn bits_of(elem: Elem) -> Option<u32> {
    match elem {
        Elem::I8 => Some(8),
        Elem::I16 => Some(16),
        _ => None,
    }
}

/// The store that an instruction is.
pub(super) fn target(inst: &Inst) -> Option<Target> {
    let buf = inst.buf.filter(|_| inst.op == Op::StoreRow)?;
    Some((buf, inst.args[0], inst.args[1]))
}
