//! Runs of plain operations whose float results are looked at together.
//!
//! Looking at each result by itself takes longer than computing it. In a group results stay in registers of the processor until
//! all of them are known; then one test decides, and all are written. Where it fails, nothing has happened yet: zeros are put
//! right and the rest is looked at again, and if that does not help the group's instructions are executed one by one.
//!
//! A result needs no look of its own if only float operations of the group use it, one of them does, and it is overwritten
//! before the end: then the sign of a zero does not matter, and what is no number makes the user's result none. That leaves
//! overflows, and the greatest magnitude of all such results tells whether there is one.

use super::*;
use crate::direct::alu::word;
use crate::direct::places::constant;

/// Instructions of a group at most: the test of a longer one costs little less.
const LONGEST: usize = 12;
/// Float results of a group at least: with fewer, its test and the second copy of its code cost more than it saves.
const FEWEST: usize = 7;
/// Registers for results.
const POOL: [u8; 17] = [6, 7, 10, 11, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27];
/// The greatest magnitude of results that are not looked at themselves.
const GREATEST: u8 = 28;
/// The masks that become 0 where a result is out of the ordinary: they take turns, so that none waits for the one before.
const ORDINARY: [u8; 2] = [mask::ADD, mask::MUL];
/// `VRANGEPS`: the greater magnitude, as a positive number.
const MAGNITUDE: u8 = 0b1011;

/// One operation of a group, and the register that it writes.
#[derive(Clone, Copy, Debug)]
struct Step {
    alu: Alu,
    /// Registers that the add and the mul operation write, if they do.
    to: [Option<u8>; 2],
}

impl Step {
    fn operands(&self) -> impl Iterator<Item = (Option<u8>, bool)> + use<'_> {
        let Alu { op_add, op_mul, .. } = self.alu;
        let float = [matches!(op_add, AddOp::Fadd | AddOp::Fsub), op_mul == quadra_isa::vc4::MulOp::Fmul];
        let muxes = [[self.alu.add_a, self.alu.add_b], [self.alu.mul_a, self.alu.mul_b]];
        let counts = [op_add.operands(), op_mul.operands()];
        let acts = (0..2).filter(|n| self.to[*n].is_some());
        acts.flat_map(move |n| {
            let of = move |mux: Mux| (crate::facts::operand_slot(&self.alu, mux), float[n]);
            muxes[n].into_iter().take(counts[n]).map(of)
        })
    }

    /// Whether the result of the add, or of the mul operation is a float that must be looked at.
    fn is_float(&self, n: usize) -> bool {
        let float =
            [matches!(self.alu.op_add, AddOp::Fadd | AddOp::Fsub), self.alu.op_mul == quadra_isa::vc4::MulOp::Fmul];
        self.to[n].is_some() && float[n]
    }
}

/// A group that has been computed and not written.
#[derive(Clone, Debug)]
pub(super) struct Group {
    block: Block,
    first: usize,
    len: usize,
    /// Where the state of the translation stood before.
    pending: i32,
    uniforms: i32,
    guarded: [bool; 2],
    since: [Option<usize>; 2],
    /// Registers whose zeros may have a sign.
    looked_at: Vec<u8>,
    has_greatest: bool,
    /// Here the instructions are executed one by one; here everything is written; here it was.
    careful: Label,
    write: Label,
    back: Label,
}

impl Emit<'_> {
    /// The instruction as a step of a group, if it can be one.
    fn step(&self, block: &Block, index: usize) -> Option<Step> {
        let known = self.code.known(index).filter(|k| !k.records)?;
        let Inst::Alu(alu) = known.inst else { return None };
        let signal = matches!(alu.sig, quadra_isa::vc4::Signal::None | quadra_isa::vc4::Signal::SmallImm);
        let rotates = alu.small_imm().is_some_and(|imm| imm.rotation().is_some());
        let reads = [alu.read(File::A), alu.read(File::B)].into_iter().flatten();
        let waits = reads.into_iter().any(|r| r == Raddr::VPM || r == Raddr::VPM_LD_WAIT);
        let inside = index < block.start + block.len && shape::is_plain(self.code, index);
        if !inside || !signal || alu.sf || rotates || waits || alu.unpack.code() != 0 {
            return None;
        }
        let outputs = [
            (alu.waddr_add, if alu.ws { File::B } else { File::A }, alu.cond_add),
            (alu.waddr_mul, if alu.ws { File::A } else { File::B }, alu.cond_mul),
        ];
        let mut to = [None; 2];
        for (n, acts) in acts(alu).into_iter().enumerate().filter(|a| a.1) {
            let (waddr, file, cond) = outputs[n];
            let register = crate::facts::written_register(file, waddr).filter(|r| *r != slot::R5);
            debug_assert!(acts);
            to[n] = Some(register.filter(|_| cond == Cond::Always)?);
        }
        let near = |since: Option<usize>| since.is_some_and(|at| index - at < 3);
        let too_early = near(self.since_sfu) && super::super::super::region::touches_r4(known.inst)
            || near(self.since_set) && alu.reads_uniform();
        (!too_early && (to[0].is_none() || to[0] != to[1])).then_some(Step { alu: *alu, to })
    }

    /// The steps of the group that begins at an instruction; none if that is not worth it.
    fn steps(&self, block: &Block, first: usize) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        // Float results of the group, whose bits are not to be looked at yet; registers in use.
        let (mut floats, mut used) = (Vec::new(), 0);
        while steps.len() < LONGEST {
            let Some(step) = self.step(block, first + steps.len()) else { break };
            let needed = step.to.iter().flatten().count();
            let looks = step.operands().any(|(r, float)| !float && r.is_some_and(|r| floats.contains(&r)));
            if looks || used + needed > POOL.len() {
                break;
            }
            steps.push(step);
            used += needed;
            used -= step.to.iter().flatten().filter(|r| is_freed(&steps, **r)).count();
            floats.retain(|r| !step.to.contains(&Some(*r)));
            floats.extend((0..2).filter(|n| step.is_float(*n)).filter_map(|n| step.to[n]));
        }
        let count: usize = steps.iter().map(|s| usize::from(s.is_float(0)) + usize::from(s.is_float(1))).sum();
        if count < FEWEST { Vec::new() } else { steps }
    }

    /// Writes the group that begins at an instruction; how many instructions that are, 0 if there is none.
    pub(super) fn group(&mut self, block: &Block, first: usize) -> usize {
        let steps = self.steps(block, first);
        if steps.is_empty() {
            return 0;
        }
        let [careful, write, back] = std::array::from_fn(|_| self.asm.label());
        for (n, step) in steps.iter().enumerate() {
            let at = self.place(block, first + n);
            if step.alu.reads_uniform() && self.group == 0 {
                self.expect_uniforms(block, at, self.place(block, first));
            }
        }
        let mut group = Group {
            block: *block,
            first,
            len: steps.len(),
            pending: self.pending,
            uniforms: self.group,
            guarded: self.guarded,
            since: [self.since_sfu, self.since_set],
            looked_at: Vec::new(),
            has_greatest: false,
            careful,
            write,
            back,
        };
        for (n, step) in steps.iter().enumerate() {
            if super::super::super::region::touches_r4(&Inst::Alu(step.alu)) && !self.guarded[0] {
                let at = self.place(block, first + n);
                self.guard(0, at, careful);
            }
        }
        let renamed = self.compute_group(block, first, &steps, &mut group);
        let [all, others] = ORDINARY;
        if group.looked_at.len() + usize::from(group.has_greatest) > 1 {
            self.asm.kand(all, all, others);
        }
        self.asm.kortest(all, all);
        let at = self.place(block, first);
        let slow = self.stub(Cold::Group(self.groups.len()), at);
        self.asm.jump_if(Cc::NotBelow, slow);
        self.asm.bind(write);
        for (register, from) in renamed {
            self.write_whole(register, from);
        }
        self.asm.bind(back);
        self.groups.push(group);
        steps.len()
    }

    /// Computes all results; gives the registers to be written, and where their new values are.
    fn compute_group(&mut self, block: &Block, first: usize, steps: &[Step], group: &mut Group) -> Vec<(u8, u8)> {
        let mut free = POOL.to_vec();
        let mut renamed: Vec<(u8, u8)> = Vec::new();
        for (n, step) in steps.iter().enumerate() {
            if step.alu.reads_uniform() {
                let at = self.place(block, first + n);
                self.read_uniform(block, at);
            }
            let find = |mux| match crate::facts::operand_slot(&step.alu, mux) {
                None => Rm::Reg(zmm::UNIFORM),
                Some(register) => {
                    let new = renamed.iter().find(|r| r.0 == register);
                    new.map_or_else(|| place_of(register), |r| Rm::Reg(r.1))
                }
            };
            let Alu { add_a, add_b, mul_a, mul_b, .. } = step.alu;
            let mut o = [add_a, add_b, mul_a, mul_b].map(find);
            if step.alu.op_add.operands() < 2 {
                o[1] = o[0];
            }
            let mut freed = Vec::new();
            for which in [1, 0] {
                let Some(register) = step.to[which] else { continue };
                let to = free.pop().unwrap_or(POOL[0]);
                if which == 1 {
                    alu::mul(&mut self.asm, step.alu.op_mul, to, o[2], o[3]);
                } else {
                    alu::add(&mut self.asm, step.alu.op_add, to, o[0], o[1]);
                }
                if step.is_float(which) {
                    let passes_on = passes_on(&steps[n + 1..], register);
                    self.look_later(group, to, passes_on);
                }
                freed.extend(rename(&mut renamed, register, to));
            }
            // What is put right at the end stays where it is.
            free.splice(0..0, freed.into_iter().filter(|r| !group.looked_at.contains(r)));
        }
        if group.has_greatest {
            self.asm.vector(op::VPADDD, zmm::T0, GREATEST, word(constant::HUGE_STEP), ALL);
            self.test_ordinary(group.looked_at.len(), zmm::T0);
        }
        renamed
    }

    /// Takes a float result into the test at the end.
    fn look_later(&mut self, group: &mut Group, result: u8, passes_on: bool) {
        if !passes_on {
            self.asm.vector(op::VPADDD, zmm::T0, result, Rm::Reg(zmm::ODD), ALL);
            self.test_ordinary(group.looked_at.len(), zmm::T0);
            group.looked_at.push(result);
        } else if std::mem::replace(&mut group.has_greatest, true) {
            self.asm.vector_imm(op::VRANGEPS, GREATEST, GREATEST, Rm::Reg(result), ALL, MAGNITUDE);
        } else {
            self.asm.vector(op::LOAD, GREATEST, 0, Rm::Reg(result), ALL);
        }
    }

    /// The test number `n` of a group.
    fn test_ordinary(&mut self, n: usize, shifted: u8) {
        let mask = ORDINARY[n % 2];
        self.asm.vector(op::VPTESTMD, mask, shifted, Rm::Reg(zmm::ODD_BITS), if n < 2 { ALL } else { keep(mask) });
    }

    fn write_whole(&mut self, register: u8, from: u8) {
        match place_of(register) {
            Rm::Reg(n) => self.asm.vector(op::LOAD, n, 0, Rm::Reg(from), ALL),
            memory => self.asm.vector(op::STORE, from, 0, memory, ALL),
        }
    }

    /// Something in a group is out of the ordinary.
    pub(super) fn group_again(&mut self, group: &Group) {
        // Zeros and their signs are all that can be put right.
        let [odd, one] = ORDINARY;
        self.asm.kxor(odd, odd, odd);
        if group.has_greatest {
            self.look_again(odd, one, GREATEST);
        }
        for result in &group.looked_at {
            self.asm.vector(op::VADDPS, *result, *result, Rm::Reg(zmm::ZERO), ALL);
            self.look_again(odd, one, *result);
        }
        self.asm.kortest(odd, odd);
        self.asm.jump_if(Cc::Zero, group.write);
        self.asm.bind(group.careful);
        (self.pending, self.group, self.guarded) = (group.pending, group.uniforms, group.guarded);
        ([self.since_sfu, self.since_set], self.late) = (group.since, None);
        for index in group.first..group.first + group.len {
            let at = self.place(&group.block, index);
            self.plain(&group.block, at);
        }
        self.asm.jump(group.back);
    }

    fn look_again(&mut self, odd: u8, one: u8, result: u8) {
        self.asm.vector(op::VPADDD, zmm::T0, result, Rm::Reg(result), ALL);
        self.asm.vector_imm(op::VPCMPUD, one, zmm::T0, word(constant::HUGE), ALL, 5);
        self.asm.kor(odd, odd, one);
    }
}

/// Whether the last step overwrites a result of the group that nobody wants to see again.
fn is_freed(steps: &[Step], register: u8) -> bool {
    let writer = steps[..steps.len() - 1].iter().rposition(|s| s.to.contains(&Some(register)));
    writer.is_some_and(|at| {
        let float = (0..2).any(|n| steps[at].to[n] == Some(register) && steps[at].is_float(n));
        !float || passes_on(&steps[at + 1..], register)
    })
}

/// Whether the steps use a register, for float operations only, and then overwrite it.
fn passes_on(steps: &[Step], register: u8) -> bool {
    let mut used = false;
    for step in steps {
        for (operand, float) in step.operands() {
            if operand == Some(register) {
                if !float {
                    return false;
                }
                used = true;
            }
        }
        if step.to.contains(&Some(register)) {
            return used;
        }
    }
    false
}

/// A register's value is in `to` from now on; gives where it was.
fn rename(renamed: &mut Vec<(u8, u8)>, register: u8, to: u8) -> Option<u8> {
    let known = renamed.iter_mut().find(|r| r.0 == register);
    if let Some(known) = known {
        return Some(std::mem::replace(&mut known.1, to));
    }
    renamed.push((register, to));
    None
}
