//! Moves, load immediates and semaphores: what one or two destinations take.

use super::super::inst::{Ldi, LdiMode};
use super::super::line::{LdiValue, Op, OpName, Reg, Src};
use super::super::op::{AddOp, Cond, MulOp};
use super::expr::Cursor;
use super::operations::{Extensions, destination_of, downward, source_of, unpackable};
use super::value::{Value, packed_constant};
use super::{Assembler, Fail};
use quadra_base::{Diagnostic, Span};

impl Assembler<'_> {
    /// `mov dst, src` and `ldi dst, value`, with one or two destinations.
    pub(super) fn load(&mut self, is_mov: bool, c: &mut Cursor<'_>, ext: &Extensions, span: Span) -> Result<Op, Fail> {
        let name = if is_mov { "mov" } else { "ldi" };
        let (mut values, places) = self.operands(c)?;
        if !(2..=3).contains(&values.len()) {
            let message = format!("`{name}` takes one or two destinations and a value, not {} operands", values.len());
            return Err(Box::new(Diagnostic::error("E0750", message).at(span).help(format!("`{name} dst, value`"))));
        }
        let value = values.pop().expect("two or three were checked");
        let (mut cond, mut setf) = (ext.cond, ext.setf);
        let mut dsts = [None; 2];
        let mut dst_rotate = None;
        for (slot, (value, at)) in values.iter().zip(&places).enumerate() {
            let (reg, dst) = destination_of(value, *at, ext)?;
            cond = cond.or(reg.cond);
            setf |= reg.setf;
            dst_rotate = dst_rotate.or(reg.rotate.map(downward));
            dsts[slot] = Some(dst);
        }
        let cond = cond.unwrap_or(Cond::Always);
        let at = places[places.len() - 1];
        let second = dsts[1].filter(|dst| *dst != Reg::NONE);
        if cond.is_conditional() && second.is_some() && !matches!(value, Value::Reg(_)) {
            let message =
                format!("the condition is the first destination's; `{name}` writes the second one in all lanes");
            let help = format!("write `{name}.cond dst, value; {name}.cond dst, value`");
            self.warn(Diagnostic::warning("E0760", message).at(places[1]).help(help));
        }
        Ok(match value {
            Value::Sema(false, number) if is_mov && number & 16 != 0 && number >= 0 => {
                let message = format!("there is no semaphore {number}; bit 4 would make the release an acquire");
                return Err(Box::new(Diagnostic::error("E0746", message).at(at)));
            }
            Value::PerLane(values) => Op::Ldi { dsts, value: LdiValue::PerLane(values), cond, setf },
            Value::Sema(down, number) if is_mov => Op::Sema { dsts, down, value: number as u32, cond, setf },
            Value::Reg(_) if is_mov => {
                let mut src = source_of(&value, at)?;
                if let Src::Reg(reg) = &mut src {
                    reg.rotate = dst_rotate.or(reg.rotate);
                    reg.slice = reg.slice.or(ext.unpack.filter(|slice| unpackable(*reg, *slice, false)));
                }
                Op::Mov { dsts, src, cond, setf }
            }
            value => {
                let value = if is_mov { packed_constant(value, &mut dsts) } else { value };
                let bits = self.constant_of(&value, at)?;
                match is_mov {
                    true => Op::Mov { dsts, src: Src::Imm(bits), cond, setf },
                    false => Op::Ldi { dsts, value: LdiValue::All(bits), cond, setf },
                }
            }
        })
    }

    /// `amov` and `mmov`: a move by the add or the mul ALU; a constant is loaded as by `mov`.
    pub(super) fn move_on(&mut self, add: bool, c: &mut Cursor<'_>, ext: &Extensions, span: Span) -> Result<Op, Fail> {
        Ok(match self.load(true, c, ext, span)? {
            Op::Mov { dsts: [Some(dst), None], src: src @ Src::Reg(_), cond, setf } => {
                let op = if add { OpName::Add(AddOp::Or) } else { OpName::Mul(MulOp::V8min) };
                Op::Alu { op, dst, a: src, b: Some(src), cond, setf }
            }
            other => other,
        })
    }

    /// `ldipes` and `ldipeu`: two bits per lane, signed or not, as a list or as the 32 bits of the instruction.
    pub(super) fn load_bits(
        &mut self,
        signed: bool,
        c: &mut Cursor<'_>,
        ext: &Extensions,
        span: Span,
    ) -> Result<Op, Fail> {
        let op = self.load(false, c, ext, span)?;
        let Op::Ldi { dsts, value: LdiValue::All(bits), cond, setf } = op else { return Ok(op) };
        let mode = if signed { LdiMode::PerLaneSigned } else { LdiMode::PerLaneUnsigned };
        let ldi = Ldi { mode, imm: bits, ..Ldi::NOP };
        let value = LdiValue::PerLane(std::array::from_fn(|lane| ldi.lane(lane) as i8));
        Ok(Op::Ldi { dsts, value, cond, setf })
    }

    pub(super) fn semaphore(
        &mut self,
        down: bool,
        c: &mut Cursor<'_>,
        ext: &Extensions,
        span: Span,
    ) -> Result<Op, Fail> {
        let (mut values, places) = self.operands(c)?;
        let last = places.last().copied().unwrap_or(span);
        let number = match values.pop() {
            Some(Value::Int(number) | Value::Sema(_, number)) if !down && number & 16 != 0 && number >= 0 => {
                let message = format!("there is no semaphore {number}; bit 4 would make the release an acquire");
                let help = "semaphores have the numbers 0 to 15";
                return Err(Box::new(Diagnostic::error("E0746", message).at(last).help(help)));
            }
            Some(Value::Int(number)) if (0..=0xffff_ffff).contains(&number) && values.len() <= 2 => number as u32,
            Some(Value::Sema(_, number)) if values.len() <= 2 => number as u32,
            Some(other) if values.len() <= 2 => {
                let message = format!("a semaphore is given by its number 0 to 15, not by {}", other.kind());
                return Err(Box::new(Diagnostic::error("E0744", message).at(last)));
            }
            _ => {
                let help = "`sacq -, 3`";
                return Err(Box::new(
                    Diagnostic::error("E0750", "a semaphore operation takes a number").at(span).help(help),
                ));
            }
        };
        let (mut cond, mut setf) = (ext.cond, ext.setf);
        let mut dsts = [Some(Reg::NONE), None];
        for (slot, (value, at)) in values.iter().zip(&places).enumerate() {
            let (reg, dst) = destination_of(value, *at, ext)?;
            cond = cond.or(reg.cond);
            setf |= reg.setf;
            dsts[slot] = Some(dst);
        }
        Ok(Op::Sema { dsts, down, value: number, cond: cond.unwrap_or(Cond::Always), setf })
    }
}
