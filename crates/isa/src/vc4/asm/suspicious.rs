//! Operands that are accepted, but probably not meant.

use super::super::imm::SmallImm;
use super::super::line::{OpName, Place, Reg, Slice, SliceKind, Src};
use super::super::names;
use super::super::op::AddOp;
use super::Assembler;
use quadra_base::{Diagnostic, Span};

impl Assembler<'_> {
    /// Two operands from one register share its unpack mode: one that is written without it has it, too, with a warning.
    pub(super) fn share_unpack(&mut self, sources: &mut [(Src, Span)]) {
        let [(Src::Reg(a), at_a), (Src::Reg(b), at_b)] = sources else { return };
        if a.place != b.place {
            return;
        }
        let (given, whole, at) = match (a.slice, b.slice) {
            (Some(slice), None) => (slice, b, *at_b),
            (None, Some(slice)) => (slice, a, *at_a),
            _ => return,
        };
        let Some(unpack) = given.unpack else { return };
        whole.slice = Some(given);
        let (name, suffix) = (names::read_name(whole.place), unpack.suffix());
        let message = format!("`{name}` is unpacked as `.{suffix}` here, too");
        let help = format!("write `{name}.{suffix}`, or copy the register first");
        self.warn(Diagnostic::warning("E0760", message).at(at).help(help));
    }

    /// An unpack mode behind the opcode, of a register of file A, in the form that the operation takes: it unpacks to floats
    /// if it takes floats, whatever is written.
    pub(super) fn as_taken(&mut self, op: OpName, reg: Reg, slice: Slice, at: Span) -> Slice {
        let asked = match slice.kind {
            SliceKind::Any => return slice,
            kind => kind == SliceKind::Float,
        };
        if reg.place == Place::Acc(4) || asked == op.takes_floats() {
            return slice;
        }
        let message = format!("this operation unpacks to {}", if asked { "an integer" } else { "a float" });
        let help = "move the operand in the wanted form to a register first";
        self.warn(Diagnostic::warning("E0760", message).at(at).help(help));
        Slice { kind: SliceKind::Any, ..slice }
    }

    /// Adding 16 and setting flags has no small immediate, subtracting -16 has: zero and sign are the same, the carry is not.
    pub(super) fn negate_constant(&mut self, op: OpName, sources: &mut [(Src, Span)]) -> OpName {
        let (OpName::Add(add @ (AddOp::Add | AddOp::Sub)), [_, (Src::Imm(n), at)]) = (op, sources) else { return op };
        let small = |bits: u32| SmallImm::from_bits(bits).is_some();
        if small(*n) || !small(n.wrapping_neg()) {
            return op;
        }
        let (other, done) = if add == AddOp::Add { (AddOp::Sub, "subtracted") } else { (AddOp::Add, "added") };
        let (given, negated) = (*n as i32, n.wrapping_neg());
        let message = format!("{given} is no small immediate: {} is {done}, and the carry is of that", negated as i32);
        let help = "zero and sign are as written; for the carry load the constant with `ldi` first";
        self.warn(Diagnostic::warning("E0760", message).at(*at).help(help));
        *n = negated;
        OpName::Add(other)
    }

    /// Warns of operands that are probably not meant.
    pub(super) fn check_sources(&mut self, op: OpName, sources: &[(Src, Span)]) {
        let floats = op.takes_floats();
        let rotated = |src: &Src| matches!(src, Src::Reg(Reg { rotate: Some(_), .. }));
        let any_rotated = sources.iter().any(|(src, _)| rotated(src));
        for (src, at) in sources {
            match src {
                Src::Imm(bits) if floats && *bits != 0 && (*bits as i32).unsigned_abs() < 1 << 20 => {
                    let value = *bits as i32;
                    let message = format!("the integer {value} is an operand of a float operation");
                    self.warn(Diagnostic::warning("E0760", message).at(*at).help(format!("write `{value}.0`")));
                }
                Src::Reg(Reg { place: Place::Acc(0..=3), .. }) if any_rotated && !rotated(src) => {
                    let message = "the rotation of the other operand rotates this one too";
                    self.warn(
                        Diagnostic::warning("E0760", message).at(*at).help("write the rotation at both operands"),
                    );
                }
                _ => {}
            }
        }
    }
}
