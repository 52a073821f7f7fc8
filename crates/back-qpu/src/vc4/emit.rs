//! Slots to a program: order, branch distances, probes.

use super::Vc4;
use super::minst::{Code, Place, Reg};
use crate::machine::schedule::{Slot, borders, delay};
use quadra_isa::vc4::{Branch, Program, program};
use quadra_kir as kir;

/// The program of scheduled blocks.
pub fn run(name: &str, code: &Code, blocks: &mut [Vec<Slot<Vc4>>], opt_level: u8) -> Program {
    borders::separate(code, blocks);
    if opt_level > 0 {
        delay::fill(code, blocks);
    }
    let mut starts = Vec::with_capacity(blocks.len());
    let mut next = 0;
    for block in blocks.iter() {
        starts.push(next);
        next += block.len();
    }
    let mut program = Program::new(name);
    for (b, block) in blocks.iter().enumerate() {
        if b > 0 {
            program.label(format!("L{b}"));
        }
        for slot in block {
            match slot {
                Slot::Op { bundle, span, probe } => {
                    if let Some(p) = probe {
                        add_probe(&mut program, code, *p);
                    }
                    program.push(*bundle, *span);
                }
                Slot::Branch { cond, to, skip, span } => {
                    let at = program.len();
                    program.push(Branch::between(at, starts[*to] + skip).when(*cond), *span);
                }
            }
        }
    }
    program
}

/// The probe for the next instruction.
fn add_probe(program: &mut Program, code: &Code, p: u32) {
    let point = &code.probes[p as usize];
    if point.comment {
        program.comment(point.text.to_string());
        return;
    }
    let place = |r: Reg| match Place::of(r) {
        Some(Place::A(n)) => program::Place::A(n),
        Some(Place::B(n)) => program::Place::B(n),
        Some(Place::Acc(n)) => program::Place::Accumulator(n),
        Some(Place::R4) => program::Place::Accumulator(4),
        Some(Place::R5) | None => program::Place::Accumulator(5),
    };
    let kind = |ty: kir::Type| match ty.elem {
        kir::Elem::Bool => program::OperandKind::Bool,
        elem if elem.is_float() => program::OperandKind::Float,
        _ => program::OperandKind::Int,
    };
    program.comment(format!("{} {:?}", if point.assert { "assert" } else { "print" }, point.text));
    let operands = point.operands.iter();
    program.probes.push(program::Probe {
        at: program.len(),
        assert: point.assert,
        text: point.text.to_string(),
        operands: operands.map(|(r, ty)| program::Operand { place: place(*r), kind: kind(*ty) }).collect(),
        mask: point.mask.map(place),
    });
}
