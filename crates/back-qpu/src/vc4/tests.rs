//! What the machine-independent part makes of operations of the VideoCore IV.

use super::Vc4;
use super::minst::{Block, Code, Dst, MInst, Reg, Src, Term};
use crate::machine::isa::Isa;
use crate::machine::liveness;
use crate::machine::registers::Bank;
use crate::machine::schedule::{self, Slot, deps};
use quadra_isa::vc4::{AddOp, BranchCond, Cond, MulOp, SmallImm};

/// r0 to r3.
pub fn acc(n: u8) -> Reg {
    Bank::Quick.register::<Vc4>(n)
}

/// A register of file A.
pub fn a(n: u8) -> Reg {
    Bank::File(0).register::<Vc4>(n)
}

/// A register of file B.
pub fn b(n: u8) -> Reg {
    Bank::File(1).register::<Vc4>(n)
}

fn one() -> Src {
    Src::Imm(SmallImm::from_int(1).expect("small"))
}

#[test]
fn a_loop_keeps_its_carried_value_alive() {
    let mut code = Code::default();
    let (x, y) = (code.fresh(), code.fresh());
    let block = |insts: Vec<MInst>, term| Block::new(insts, term, 0, None);
    code.blocks.push(block(vec![MInst::mov(x, one())], Term::Jump(1)));
    let branch = Term::Branch { cond: BranchCond::AnyZc, taken: 1, other: 2 };
    code.blocks.push(block(vec![MInst::mov(y, x), MInst::mov(x, one()).when(Cond::Zs)], branch));
    code.blocks.push(block(vec![], Term::End));
    let live = liveness::compute(&code);
    // Instructions: 0 mov a, 1 jump, 2 mov b, 3 mov.zs a, 4 branch, 5 end.
    assert_eq!(live.ranges[0][..], [(1, 10)]);
    assert_eq!(live.ranges[1][..], [(5, 6)]);
}

#[test]
fn a_wait_for_stores_comes_behind_what_the_vectors_are_made_of() {
    let made = |to: u8, from: u8| MInst::mul(MulOp::Fmul, a(to), a(from), a(from));
    let insts = vec![
        made(0, 8),
        made(1, 0),
        made(2, 8),
        made(3, 2),
        MInst::mov(Dst::None, Src::StoreWait),
        MInst::mov(Dst::VPM, a(1)).glue(),
        MInst::mov(Dst::VPM, a(3)).glue(),
    ];
    let g = deps::graph(&Code::default(), &insts, [deps::Queue::Closed; 2]);
    let before: Vec<usize> = (0..4).filter(|&i| g.next(i).iter().any(|e| e.to == 4)).collect();
    assert_eq!(before, [2], "the operand of the second of two vectors, and nothing else");
}

fn schedule(insts: Vec<MInst>, term: Term, level: u8) -> Vec<Slot<Vc4>> {
    let block = Block::new(insts, term, 0, None);
    let end = Block::new(Vec::new(), Term::End, 0, None);
    let code = Code { blocks: vec![block, end.clone(), end], ..Code::default() };
    schedule::run(&code, deps::queues(&code), level).remove(0)
}

fn adds(n: u8) -> Vec<MInst> {
    (0..n).map(|i| MInst::add(AddOp::Add, a(i), a(i), b(i))).collect()
}

#[test]
fn add_and_mul_share_an_instruction() {
    let insts = vec![MInst::add(AddOp::Fadd, acc(0), acc(1), acc(2)), MInst::mul(MulOp::Fmul, acc(1), acc(2), acc(3))];
    assert_eq!(schedule(insts.clone(), Term::Jump(1), 1).len(), 1);
    assert_eq!(schedule(insts, Term::Jump(1), 0).len(), 2);
}

#[test]
fn a_file_register_is_not_read_by_the_next_instruction() {
    let insts = vec![MInst::add(AddOp::Add, a(0), acc(1), acc(2)), MInst::add(AddOp::Add, acc(0), a(0), acc(2))];
    for level in [0, 1] {
        assert_eq!(schedule(insts.clone(), Term::Jump(1), level).len(), 3);
    }
}

#[test]
fn delay_slots_are_filled() {
    let mut insts = adds(5);
    insts.push(MInst::mov(Dst::None, Src::Imm(SmallImm::from_int(1).expect("small"))).flags());
    let term = Term::Branch { cond: BranchCond::AnyZc, taken: 2, other: 1 };
    let slots = schedule(insts, term, 1);
    let at = slots.iter().position(|s| matches!(s, Slot::Branch { .. })).expect("a branch");
    assert_eq!(slots.len() - at, 1 + Vc4::DELAY_SLOTS);
    assert_eq!(slots.len(), 7, "five additions, what sets the flags, and the branch");
}
