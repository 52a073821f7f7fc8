//! Slots to a program: order, branch distances, program end, and what a block boundary still needs.

use crate::minst::{Code, Reg};
use crate::schedule::{DELAY_SLOTS, Slot};
use quadra_kir as kir;
use quadra_qpu::vc4::program;
use quadra_qpu::vc4::{Branch, File, Inst, Mux, Program, Raddr, SmallImm};

/// The program of scheduled blocks.
pub fn run(name: &str, code: &Code, mut blocks: Vec<Vec<Slot>>) -> Program {
    separate(&mut blocks);
    let mut starts = Vec::with_capacity(blocks.len());
    let mut next = 0;
    for block in &blocks {
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
                Slot::Op { inst, span, probe } => {
                    if let Some(p) = probe {
                        add_probe(&mut program, code, *p);
                    }
                    program.push(*inst, *span);
                }
                Slot::Branch { cond, to, span } => {
                    let at = program.len();
                    program.push(Branch::between(at, starts[*to]).when(*cond), *span);
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
    let place = |r: Reg| match r {
        Reg::A(n) => program::Place::A(n),
        Reg::B(n) => program::Place::B(n),
        Reg::Acc(n) => program::Place::Accumulator(n),
        Reg::R4 => program::Place::Accumulator(4),
        Reg::R5 | Reg::Virt(_) => program::Place::Accumulator(5),
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

/// A no-operation at the start of each block whose first instruction would come too early after the last one of a
/// predecessor. Within blocks the scheduler keeps the distances.
fn separate(blocks: &mut [Vec<Slot>]) {
    for b in 0..blocks.len() {
        let Some(Slot::Op { inst: first, span, .. }) = first_slot(blocks, b).cloned() else { continue };
        let clash = lasts(blocks, b).iter().any(|last| clashes(last, &first));
        if clash {
            blocks[b].insert(0, Slot::nop(span));
        }
    }
}

fn first_slot(blocks: &[Vec<Slot>], b: usize) -> Option<&Slot> {
    blocks[b..].iter().find_map(|block| block.first())
}

/// The last instructions that may run before block `b`: of the block before it, and of all that branch to it.
fn lasts(blocks: &[Vec<Slot>], b: usize) -> Vec<Inst> {
    let mut out = Vec::new();
    let mut op = |slot: Option<&Slot>| {
        if let Some(Slot::Op { inst, .. }) = slot {
            out.push(*inst);
        }
    };
    op(blocks[..b].iter().rev().find_map(|block| block.last()));
    // A branch to an empty block goes on to the next one that is not.
    let reaches = |to: usize| to <= b && blocks[to..b].iter().all(Vec::is_empty);
    for block in blocks {
        for (i, slot) in block.iter().enumerate() {
            if matches!(slot, Slot::Branch { to, .. } if reaches(*to)) {
                op(block.get(i + DELAY_SLOTS));
            }
        }
    }
    out
}

/// Whether `next` reads a file register that `last` wrote, or rotates what `last` wrote.
fn clashes(last: &Inst, next: &Inst) -> bool {
    let Inst::Alu(next) = next else { return false };
    let reads = |file: File, n: u8| next.read(file) == Some(Raddr(n));
    let rotates = next.small_imm().is_some_and(|SmallImm(code)| code >= 48);
    last.writes().any(|(file, waddr, _)| match waddr.as_accumulator() {
        Some(5) => rotates && next.small_imm() == Some(SmallImm::ROTATE_R5),
        Some(n) => rotates && [next.mul_a, next.mul_b].contains(&Mux::from_code(n)),
        None => waddr.is_physical() && reads(file, waddr.0),
    })
}
