//! The one registry of operations: mnemonic, arity, typing rule, effect, level, meaning in words and as code. Its rows stand in
//! `core` and, for what only some targets have, in [`ext`](crate::ext). Printer, parser, checker and interpreters read it; nothing
//! else lists the operations.

use super::core::core_rows;
use crate::eval::meaning::{Meaning, meaning};
use crate::eval::{elementary, exponential, real, toward_zero};
use crate::ext::Ext;
use crate::ext::{approx::approx_rows, narrow::narrow_rows, queue::queue_rows, sync::sync_rows};
use crate::kernel::Level;
use crate::types::{Elem, Type};

/// How the result type follows from the operand types. Unless said otherwise all operands have one element type, and a
/// result has one element per lane as soon as one operand has (SIMD level).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Numbers (int or float) to the same type.
    Num,
    /// Integers to the same type.
    Int,
    /// Floats to the same type.
    Float,
    /// Integers or bools to the same type.
    Bits,
    /// Two numbers or two bools to `bool`.
    Compare,
    /// Two integers to `bool`, compared as unsigned.
    CompareInt,
    /// `bool`, T, T to T.
    Select,
    /// A number or bool to this element type.
    To(Elem),
    /// `f32` to `i32` or back, same bits.
    Bitcast(Elem),
    /// No operand, an `i32` that is the same in all lanes.
    UniformI32,
    /// No operand, an `i32` per lane.
    LaneI32,
    /// No operand, a `bool` per lane (SIMD level).
    LaneBool,
    /// `bool` to one `bool` for the subgroup.
    Vote,
    /// A value and an `i32` amount to the same type.
    Rotate,
    /// A value and an `i32` lane to one element for the subgroup.
    Broadcast,
    /// Anything that has its own rule in the checker: memory, variables, synchronisation, control.
    Own,
}

/// What an operation does besides computing its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: it may be moved, copied and removed, and it is defined for all inputs in all lanes.
    Pure,
    /// Reads a buffer.
    Read,
    /// Writes a buffer.
    Write,
    /// Reads and writes a buffer (atomics).
    ReadWrite,
    /// Keeps its place among the other ordered operations: synchronisation, queues, `print`, `assert`.
    Ordered,
    /// Reads or writes a variable (before `promote`).
    Variable,
    /// Structured control flow or a terminator.
    Control,
}

/// At which level an operation may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    Both,
    Simt,
    Simd,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// Name in the text form.
    pub mnemonic: &'static str,
    /// Number of operands; `None` where it varies.
    pub arity: Option<usize>,
    pub rule: Rule,
    pub effect: Effect,
    pub at: At,
    /// The table that it stands in.
    pub ext: Ext,
    /// Meaning, in one line.
    pub doc: &'static str,
    /// What it computes of single lanes.
    pub(crate) meaning: Meaning,
}

/// Makes [`Op`] and the table of its rows of the rows of all tables:
///
/// ```text
/// Variant "mnemonic" arity, rule, effect, level, "meaning in words"
///     = kind |a, b| result, …;
/// ```
/// What operations of single lanes compute stands in the row; [`Meaning`] lists the kinds.
macro_rules! registry {
    ([] $($ext:ident {
        $($variant:ident $mnemonic:literal $arity:expr, $rule:expr, $effect:ident, $at:ident, $doc:literal
            $(= $($kind:ident |$a:ident, $b:ident| $body:expr),+)?;)*
    })*) => {
        /// An operation. See [`OpInfo`] for its row in the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op {
            $($(#[doc = $doc] $variant,)*)*
        }
        impl Op {
            /// All operations in the order of the tables.
            pub const ALL: &'static [Op] = &[$($(Op::$variant,)*)*];
        }
        static TABLE: &[OpInfo] = &[
            $($(OpInfo {
                mnemonic: $mnemonic,
                arity: $arity,
                rule: $rule,
                effect: Effect::$effect,
                at: At::$at,
                ext: Ext::$ext,
                doc: $doc,
                meaning: meaning!($($($kind |$a, $b| $body),+)?),
            },)*)*
        ];
    };
}

use Rule::*;
core_rows! { [queue_rows approx_rows narrow_rows sync_rows registry] }

impl Op {
    /// This operation's row of the table.
    #[inline]
    pub fn info(self) -> &'static OpInfo {
        &TABLE[self as usize]
    }

    /// The name in the text form.
    pub fn mnemonic(self) -> &'static str {
        self.info().mnemonic
    }

    /// The operation with this name.
    pub fn from_mnemonic(name: &str) -> Option<Op> {
        TABLE.iter().position(|row| row.mnemonic == name).map(|i| Op::ALL[i])
    }

    /// Whether it ends a block.
    pub fn is_terminator(self) -> bool {
        matches!(self, Op::Yield | Op::Break | Op::Continue | Op::Return)
    }

    /// Whether it has no effect and is defined everywhere, so that it may be moved, shared and dropped.
    #[inline]
    pub fn is_pure(self) -> bool {
        self.info().effect == Effect::Pure
    }

    /// Whether it reads and writes one element atomically.
    pub fn is_atomic(self) -> bool {
        self.info().effect == Effect::ReadWrite
    }

    /// Whether it has a buffer and an access mode.
    pub fn accesses_memory(self) -> bool {
        matches!(self.info().effect, Effect::Read | Effect::Write | Effect::ReadWrite) || self == Op::TmuRequest
    }

    /// Whether the result depends on which lanes are live, so that it needs a mask at SIMD level and must not be moved
    /// across control flow though it has no effect.
    pub fn is_vote(self) -> bool {
        matches!(self, Op::VoteAny | Op::VoteAll)
    }

    /// Whether lanes see other lanes' values.
    pub fn is_cross_lane(self) -> bool {
        matches!(self, Op::Rotate | Op::Broadcast | Op::VoteAny | Op::VoteAll)
    }

    /// Whether exchanging the two operands, of this element type, changes nothing in either arithmetic. The sum of two
    /// infinities is the second one in the arithmetic of the QPU, and the smaller of two equal floats is the first.
    pub fn is_commutative(self, elem: Elem) -> bool {
        use Op::*;
        match self {
            Add | Min | Max => !elem.is_float(),
            Mul | Mul24 | MinU | MaxU | And | Or | Xor | CmpEq | CmpNe => true,
            _ => false,
        }
    }

    /// The result type of an operation that has a [`Rule`] other than `Own`.
    ///
    /// # Errors
    /// What is wrong with the operands, in words.
    pub fn result_type(self, level: Level, args: &[Type]) -> Result<Type, String> {
        let info = self.info();
        let name = info.mnemonic;
        if let Some(n) = info.arity
            && n != args.len()
        {
            return Err(format!("`{name}` takes {n} operands, not {}", args.len()));
        }
        let shape = |args: &[Type]| -> Result<Type, String> {
            let mut out = args[0];
            for t in &args[1..] {
                if t.elem != out.elem {
                    return Err(format!("`{name}` of {out} and {t}: the element types differ"));
                }
                out = out.with_lanes(out.lanes | t.lanes);
            }
            Ok(out)
        };
        let want = |ok: bool, t: Type, what: &str| {
            if ok { Ok(t) } else { Err(format!("`{name}` wants {what}, not {t}")) }
        };
        match info.rule {
            Num => shape(args).and_then(|t| want(t.elem != Elem::Bool, t, "numbers")),
            Int => shape(args).and_then(|t| want(t.elem.is_int(), t, "integers")),
            Float => shape(args).and_then(|t| want(t.elem.is_float(), t, "floats")),
            Bits => shape(args).and_then(|t| want(!t.elem.is_float(), t, "integers or bools")),
            Compare => shape(args).map(|t| t.with_elem(Elem::Bool)),
            CompareInt => {
                shape(args).and_then(|t| want(t.elem.is_int(), t, "integers")).map(|t| t.with_elem(Elem::Bool))
            }
            Rule::Select => {
                let t = shape(&args[1..])?;
                want(args[0].elem == Elem::Bool, args[0], "a bool first")?;
                Ok(t.with_lanes(t.lanes | args[0].lanes))
            }
            To(elem) => Ok(args[0].with_elem(elem)),
            Bitcast(elem) => {
                let from = if elem == Elem::I32 { Elem::F32 } else { Elem::I32 };
                want(args[0].elem == from, args[0], from.name()).map(|t| t.with_elem(elem))
            }
            UniformI32 => Ok(Type::I32),
            LaneI32 => Ok(Type::I32.with_lanes(level == Level::Simd)),
            LaneBool => Ok(Type::vector(Elem::Bool)),
            Vote => want(args[0].elem == Elem::Bool, args[0], "a bool").map(|_| Type::BOOL),
            // Lanes past the extent read as 0, so even a uniform operand gives one element per lane.
            Rule::Rotate => want(args[1].elem == Elem::I32, args[1], "an i32 amount")
                .map(|_| args[0].with_lanes(level == Level::Simd)),
            Rule::Broadcast => {
                want(args[1].elem == Elem::I32, args[1], "an i32 lane").map(|_| args[0].with_lanes(false))
            }
            Own => Err(format!("`{name}` has no general typing rule")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mnemonics_are_distinct_and_found_again() {
        for &op in Op::ALL {
            assert_eq!(Op::from_mnemonic(op.mnemonic()), Some(op), "{}", op.mnemonic());
        }
    }

    #[test]
    fn a_result_has_lanes_as_soon_as_an_operand_has() {
        let t = Op::Add.result_type(Level::Simd, &[Type::I32, Type::vector(Elem::I32)]);
        assert_eq!(t, Ok(Type::vector(Elem::I32)));
        assert!(Op::Add.result_type(Level::Simd, &[Type::I32, Type::F32]).is_err());
        assert_eq!(Op::CmpLt.result_type(Level::Simt, &[Type::F32, Type::F32]), Ok(Type::BOOL));
    }
}
