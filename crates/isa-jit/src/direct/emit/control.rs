//! Branches, ways out, and what is rarely executed.

use super::*;

impl Emit<'_> {
    /// The branch itself: whether it is taken and where to, before its delay slots change what that depends on.
    pub(super) fn branch(&mut self, index: usize) {
        let Some(Inst::Branch(branch)) = self.code.known(index).map(|k| *k.inst) else { return };
        if let Some((flag, all, yes)) = branch_test(branch.cond) {
            let cc = self.asm.ktest(flag, all);
            self.asm.set(if yes { cc } else { cc.inverse() }, RAX);
            self.asm.extend_byte(RAX);
            self.asm.store32(RAX, CTX, layout::TAKEN);
        }
        let next = self.code.base().wrapping_add(8 * index as u32).wrapping_add(32);
        if branch.target(index).is_none() {
            let base = if branch.rel { next } else { 0 };
            let constant = base.wrapping_add(branch.imm as u32);
            if branch.reg {
                let Rm::Mem(register, distance) = in_memory(slot::RA + (branch.raddr_a & 31)) else { return };
                self.asm.load32(RAX, register, distance + 60);
                self.asm.add32(RAX, constant as i32);
            } else {
                self.asm.constant(RAX, constant);
            }
            self.asm.store32(RAX, CTX, layout::TARGET);
        }
        let inst = Inst::Branch(branch);
        if inst.writes().next().is_some() {
            self.asm.constant(RAX, next);
            self.asm.vector(op::VPBROADCASTD_GPR, zmm::VALUE, 0, Rm::Reg(RAX), ALL);
            for (file, waddr, _) in inst.writes() {
                self.write(file, waddr, zmm::VALUE, 0);
            }
        }
    }

    pub(super) fn end(&mut self, block: &Block, next: Option<usize>) {
        let (at, branch) = match block.end {
            End::Through(to) => return self.go_through(to, next),
            End::Leave => return self.leave(block.start + block.len, exit::AT),
            End::Branch(at, branch) => (at, branch),
        };
        let not_taken = self.asm.label();
        if branch.cond != BranchCond::Always {
            self.asm.cmp_constant32(CTX, layout::TAKEN, 0);
            self.asm.jump_if(Cc::Zero, not_taken);
        }
        match branch.target(at) {
            Some(to) => self.jump(to),
            None => self.jump_by_register(at),
        }
        if branch.cond != BranchCond::Always {
            self.asm.bind(not_taken);
            self.go_through(at + 4, next);
        }
    }

    fn go_through(&mut self, to: usize, next: Option<usize>) {
        match self.labels.get(&to) {
            Some(_) if next == Some(to) => {}
            Some(label) => self.asm.jump(*label),
            None => self.leave(to, exit::AT),
        }
    }

    fn jump(&mut self, to: usize) {
        let Some(label) = self.labels.get(&to).copied() else { return self.leave(to, exit::JUMPED) };
        // The first instruction's check with the one before asks whether there was a jump.
        if self.code.known(to).is_some_and(|k| k.pair) {
            self.note_jump();
        }
        self.asm.jump(label);
    }

    fn note_jump(&mut self) {
        self.asm.load(RCX, CTX, layout::END);
        self.asm.sub_reg(RCX, R15);
        self.asm.store(RCX, R12, core::JUMPED_AT);
    }

    fn jump_by_register(&mut self, at: usize) {
        let outside = self.asm.label();
        let base = self.code.base();
        self.asm.load32(RAX, CTX, layout::TARGET);
        self.asm.add32(RAX, base.wrapping_neg() as i32);
        self.asm.test_constant32(RAX, 7);
        self.asm.jump_if(Cc::NotZero, outside);
        let (first, count) = self.span();
        self.asm.shr32(RAX, 3);
        self.asm.add(RAX, -(first as i32));
        self.asm.cmp(RAX, count as i32);
        self.asm.jump_if(Cc::NotBelow, outside);
        let table = self.asm.label();
        self.tables.push((table, at + 3));
        self.asm.lea_label(RCX, table);
        self.asm.load32_indexed(RAX, RCX, RAX);
        self.asm.test32(RAX, RAX);
        self.asm.jump_if(Cc::Zero, outside);
        self.asm.lea_label(RCX, self.common.start);
        self.asm.add_reg(RAX, RCX);
        self.note_jump();
        self.asm.jump_to(RAX);
        self.asm.bind(outside);
        // The machine goes there by itself.
        self.leave(at + 4, exit::ADDRESS);
    }

    /// First instruction and number of instructions that tables of entries reach.
    pub fn span(&self) -> (usize, usize) {
        let first = self.labels.keys().next().copied().unwrap_or(0);
        let last = self.labels.keys().next_back().copied().unwrap_or(0);
        (first, last - first + 1)
    }

    /// What the code reads: vectors, and tables of the distances of blocks from the first byte, 0 for none.
    pub(super) fn data(&mut self) {
        self.asm.align(64);
        for (label, lanes) in std::mem::take(&mut self.vectors) {
            self.asm.bind(label);
            lanes.iter().for_each(|lane| self.asm.data(&lane.to_le_bytes()));
        }
        let (first, count) = self.span();
        for (label, slot) in std::mem::take(&mut self.tables) {
            self.asm.bind(label);
            for index in first..first + count {
                // A rule that the delay slot and the target may break together is the engine's to judge.
                let block = self.labels.get(&index).filter(|_| !self.code.may_clash(slot, index));
                let place = block.and_then(|label| self.asm.place(*label)).unwrap_or(0);
                self.asm.data(&(place as u32).to_le_bytes());
            }
        }
    }

    fn leave(&mut self, to: usize, kind: u32) {
        self.asm.store_constant(to as u32, CTX, layout::INDEX);
        self.asm.store_constant(kind, CTX, layout::KIND);
        let [.., leave] = self.common.labels();
        self.asm.jump(leave);
    }

    /// Writes what was put off.
    pub(super) fn cold(&mut self) {
        let mut done = 0;
        while done < self.stubs.len() {
            let Stub { label, cold, at } = self.stubs[done];
            done += 1;
            self.asm.bind(label);
            if let (Cold::Engine(_) | Cold::EngineMoves(_) | Cold::Leave, Some(late)) = (cold, at.late) {
                self.catch_up(late);
            }
            match cold {
                Cold::Engine(back) => self.engine_instead(at, back),
                Cold::EngineMoves(back) => {
                    self.asm.mov(R8, R13);
                    let [step, ..] = self.common.labels();
                    self.call(at, step);
                    self.asm.jump(back);
                }
                Cold::Odd(lanes, back, doubt) => {
                    match (lanes.map(|lanes| lanes.is_some()), lanes.iter().flatten().all(|lanes| *lanes == 0)) {
                        ([sum, product], true) => {
                            self.asm.call(self.common.settle[usize::from(sum) + 2 * usize::from(product) - 1])
                        }
                        _ => each_float(&mut self.asm, lanes, alu::settle),
                    }
                    self.asm.jump_if(Cc::NotZero, doubt);
                    self.asm.jump(back);
                }
                Cold::Unit(number, value, back, doubt) => self.by_rust(at, number, value, [back, doubt]),
                Cold::Peek(back, doubt) => self.peek([back, doubt]),
                Cold::Wait(number, down) => {
                    self.pass(at.pending, at.pending);
                    self.asm.add(R15, at.left);
                    self.asm.store_constant(1 | u32::from(down) << 8 | u32::from(number) << 16, CTX, layout::WAIT);
                    self.leave_at(at);
                }
                Cold::Called => self.called(at),
                Cold::Behind => self.leave_after(at, at.pending, at.pending),
                Cold::Leave => {
                    self.pass(at.pending, at.pending);
                    self.asm.add(R15, at.left);
                    self.leave_at(at);
                }
            }
        }
    }

    /// Moves the pointer behind uniforms, and counts those that the engine has not.
    pub(super) fn pass(&mut self, uniforms: i32, counted: i32) {
        if uniforms > 0 {
            self.asm.add(R13, 4 * uniforms);
        }
        if counted != 0 {
            self.asm.add_to_memory(R12, core::UNIFORMS, counted);
        }
    }

    /// The engine executes an instruction that native code cannot, this time.
    fn engine_instead(&mut self, at: Place, back: Label) {
        let (before, after) = (at.pending >> 16, at.pending & 0xffff);
        self.asm.lea(R8, R13, 4 * before);
        let [_, again, ..] = self.common.labels();
        // Whoever leaves behind it does so from the uniforms behind it.
        self.call(at, again);
        // The usual way will count what the engine has counted.
        self.pass(0, before - after);
        self.asm.jump(back);
    }

    /// The engine has stopped (1), or wants to go on by itself (2).
    fn called(&mut self, at: Place) {
        let (before, after) = (at.pending >> 16, at.pending & 0xffff);
        if at.slot.is_none() {
            self.asm.constant(RCX, at.index as u32);
            self.asm.constant(RSI, at.left as u32);
            self.asm.constant(RDX, before as u32 | ((after - before) as u32) << 16);
            return self.asm.jump(self.common.called);
        }
        let leave = self.asm.label();
        self.asm.cmp(RAX, 1);
        self.asm.jump_if(Cc::NotZero, leave);
        self.pass(before, before);
        self.asm.add(R15, at.left);
        self.leave_at(at);
        self.asm.bind(leave);
        self.leave_after(at, after, before);
    }

    /// Leaves behind an instruction; so many uniforms were read up to there, of which so many were not counted.
    fn leave_after(&mut self, at: Place, uniforms: i32, counted: i32) {
        self.pass(uniforms, counted);
        self.asm.add(R15, at.left - 1);
        match at.slot {
            // Behind the last delay slot the branch is over.
            Some((3, branch)) => self.leave_behind(branch),
            Some((n, branch)) => self.leave_at(Place { index: at.index + 1, slot: Some((n + 1, branch)), ..at }),
            None => self.leave_at(Place { index: at.index + 1, ..at }),
        }
    }

    fn leave_behind(&mut self, branch: usize) {
        let Some(Inst::Branch(inst)) = self.code.known(branch).map(|k| *k.inst) else { return };
        let not_taken = self.asm.label();
        if inst.cond != BranchCond::Always {
            self.asm.cmp_constant32(CTX, layout::TAKEN, 0);
            self.asm.jump_if(Cc::Zero, not_taken);
        }
        match inst.target(branch) {
            Some(to) => self.leave(to, exit::JUMPED),
            None => self.leave(branch + 4, exit::ADDRESS),
        }
        self.asm.bind(not_taken);
        self.leave(branch + 4, exit::AT);
    }

    fn leave_at(&mut self, at: Place) {
        let Some((slot, branch)) = at.slot else { return self.leave(at.index, exit::AT) };
        let Some(Inst::Branch(inst)) = self.code.known(branch).map(|k| *k.inst) else { return };
        if inst.cond == BranchCond::Always {
            self.asm.store_constant(1, CTX, layout::TAKEN);
        }
        self.asm.store_constant(slot, CTX, layout::SLOT);
        match inst.target(branch) {
            Some(to) => {
                self.asm.store_constant(to as u32, CTX, layout::TARGET);
                self.leave(at.index, exit::SLOT);
            }
            None => self.leave(at.index, exit::SLOT_ADDRESS),
        }
    }
}

/// Which mask a branch looks at, whether for all lanes or for any, and by which answer it is taken.
fn branch_test(cond: BranchCond) -> Option<(u8, bool, bool)> {
    use BranchCond::*;
    let flag = match cond {
        AllZs | AllZc | AnyZs | AnyZc => mask::Z,
        AllNs | AllNc | AnyNs | AnyNc => mask::N,
        AllCs | AllCc | AnyCs | AnyCc => mask::C,
        Always => return None,
    };
    Some(match cond {
        AllZs | AllNs | AllCs => (flag, true, true),
        AllZc | AllNc | AllCc => (flag, false, false),
        AnyZs | AnyNs | AnyCs => (flag, false, true),
        _ => (flag, true, false),
    })
}
