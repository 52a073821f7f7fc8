//! Slots to a program: order, branch distances, program end, and what a block boundary still needs.

use crate::machine::schedule::{DELAY_SLOTS, Slot, delay};
use crate::vc4::minst::{Code, Reg};
use quadra_isa::vc4::program;
use quadra_isa::vc4::{Branch, File, Inst, Mux, Program, Raddr, SmallImm, Waddr};
use quadra_kir as kir;

/// The program of scheduled blocks.
pub fn run(name: &str, code: &Code, blocks: &mut [Vec<Slot>], opt_level: u8) -> Program {
    separate(code, blocks);
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
                Slot::Op { inst, span, probe } => {
                    if let Some(p) = probe {
                        add_probe(&mut program, code, *p);
                    }
                    program.push(*inst, *span);
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

/// No-operations where a block's first instructions would come too early after the last ones of a predecessor. Within
/// blocks the scheduler keeps the distances.
fn separate(code: &Code, blocks: &mut [Vec<Slot>]) {
    for b in 0..blocks.len() {
        let fixed = code.blocks[b].rows.is_some();
        let firsts = firsts(blocks, b);
        let missing = lasts(blocks, b, fixed).iter().map(|last| missing(last, &firsts)).max().unwrap_or(0);
        let span = code.blocks[b].span;
        let nops = std::iter::repeat_n(Slot::nop(span), missing);
        if fixed && b > 0 && !entered_by_branch(blocks, b) {
            // The loop itself keeps its length; it is entered from the block before it.
            blocks[b - 1].extend(nops);
        } else {
            blocks[b].splice(0..0, nops);
        }
    }
}

/// Whether another block branches to block `b`.
fn entered_by_branch(blocks: &[Vec<Slot>], b: usize) -> bool {
    let reaches = |to: usize| to <= b && blocks[to..b].iter().all(Vec::is_empty);
    let others = blocks.iter().enumerate().filter(|(n, _)| *n != b);
    others.flat_map(|(_, block)| block).any(|slot| matches!(slot, Slot::Branch { to, .. } if reaches(*to)))
}

/// Instructions within which a predecessor's matter: the longest distance is 4.
const WINDOW: usize = 3;

fn inst(slot: &Slot) -> Inst {
    match slot {
        Slot::Op { inst, .. } => *inst,
        Slot::Branch { .. } => Inst::NOP,
    }
}

/// The first instructions from block `b` on.
fn firsts(blocks: &[Vec<Slot>], b: usize) -> Vec<Inst> {
    blocks[b..].iter().flatten().take(WINDOW).map(inst).collect()
}

/// The last instructions that may run before block `b`, the last one first: of the blocks before it, and of all that branch
/// to it, itself not included if it is `fixed`.
fn lasts(blocks: &[Vec<Slot>], b: usize, fixed: bool) -> Vec<Vec<Inst>> {
    let mut out = vec![blocks[..b].iter().rev().flat_map(|block| block.iter().rev()).take(WINDOW).map(inst).collect()];
    // A branch to an empty block goes on to the next one that is not.
    let reaches = |to: usize| to <= b && blocks[to..b].iter().all(Vec::is_empty);
    for (n, block) in blocks.iter().enumerate() {
        for (i, slot) in block.iter().enumerate() {
            if matches!(slot, Slot::Branch { to, .. } if reaches(*to)) && !(fixed && n == b) {
                let delayed = &block[i + 1..(i + 1 + DELAY_SLOTS).min(block.len())];
                out.push(delayed.iter().rev().take(WINDOW).map(inst).collect());
            }
        }
    }
    out
}

/// Instructions missing between those that ran last, the last one first, and the next ones.
fn missing(last: &[Inst], next: &[Inst]) -> usize {
    let pairs = last.iter().enumerate().flat_map(|(i, l)| next.iter().enumerate().map(move |(j, n)| (i + 1 + j, l, n)));
    pairs.map(|(distance, l, n)| apart(l, n).saturating_sub(distance)).max().unwrap_or(0)
}

/// How many instructions after `last` `next` may come at the earliest (VideoCore IV guide p. 37 and 56).
pub fn apart(last: &Inst, next: &Inst) -> usize {
    let Inst::Alu(next) = next else { return 1 };
    let reads = |file: File, n: u8| next.read(file) == Some(Raddr(n));
    let rotates = next.small_imm().is_some_and(|SmallImm(code)| code >= 48);
    let operands = [next.add_a, next.add_b, next.mul_a, next.mul_b];
    let touches_r4 = operands.contains(&Mux::R4)
        || next.sig.loads_r4()
        || [next.waddr_add, next.waddr_mul].iter().any(|w| w.is_sfu());
    let needs = last.writes().map(|(file, waddr, _)| match waddr.as_accumulator() {
        Some(5) if rotates && next.small_imm() == Some(SmallImm::ROTATE_R5) => 2,
        Some(n) if rotates && n < 4 && [next.mul_a, next.mul_b].contains(&Mux::from_code(n)) => 2,
        Some(_) => 1,
        None if waddr.is_physical() && reads(file, waddr.0) => 2,
        None if waddr.is_sfu() && touches_r4 => 3,
        None if waddr == Waddr::VPM_RD_SETUP
            && file == File::A
            && [File::A, File::B].iter().any(|f| next.read(*f) == Some(Raddr::VPM)) =>
        {
            4
        }
        None => 1,
    });
    needs.max().unwrap_or(1)
}
