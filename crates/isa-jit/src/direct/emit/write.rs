//! Where results go: registers, flags, and what comes out of the queues.

use super::*;

impl Emit<'_> {
    /// Moves the pointer of the uniforms, if it stays in the memory that may be read.
    pub(super) fn move_uniforms(&mut self, at: Place, value: u8, doubt: Label) {
        self.asm.first_word(RAX, value);
        self.asm.and32(RAX, !3);
        self.asm.add_memory(RAX, CTX, layout::UNIFORM_BIAS);
        self.asm.cmp_memory(RAX, CTX, layout::UNIFORM_START);
        self.asm.jump_if(Cc::Below, doubt);
        self.asm.cmp_reg(RAX, R14);
        self.asm.jump_if(Cc::NotBelow, doubt);
        self.asm.mov(R13, RAX);
        // Most programs go through their uniforms in equal steps: those of the fourth step come while these are used.
        self.asm.mov(RCX, RAX);
        self.asm.sub_memory(RCX, CTX, layout::SET);
        self.asm.shl(RCX, 2);
        self.asm.add_reg(RCX, RAX);
        self.asm.store(RAX, CTX, layout::SET);
        for line in 0..4 {
            self.asm.prefetch(RCX, 64 * line);
        }
        self.asm.load(RAX, CTX, layout::END);
        self.asm.sub_reg(RAX, R15);
        self.asm.add(RAX, -at.left);
        self.asm.store(RAX, R12, core::UNIFORM_SET_AT);
        self.since_set = Some(at.index);
    }

    pub(super) fn write(&mut self, file: File, waddr: Waddr, value: u8, mask: u8) {
        if waddr == Waddr(37) {
            return match file {
                File::A => self.asm.vector_imm(op::VPSHUFD, zmm::R5, 0, Rm::Reg(value), ALL, 0),
                File::B => self.asm.vector(op::VPBROADCASTD, zmm::R5, 0, Rm::Reg(value), ALL),
            };
        }
        let Some(register) = crate::facts::written_register(file, waddr) else { return };
        match place_of(register) {
            Rm::Reg(n) => self.asm.vector(op::LOAD, n, 0, Rm::Reg(value), keep(mask)),
            memory if mask == 0 => self.asm.vector(op::STORE, value, 0, memory, ALL),
            memory if self.asm.has_halves() => self.asm.merge(value, memory, keep(mask)),
            // A masked store cannot be forwarded to the load that often follows.
            memory => {
                self.asm.vector(op::LOAD, zmm::T0, 0, memory, ALL);
                self.asm.vector(op::LOAD, zmm::T0, 0, Rm::Reg(value), keep(mask));
                self.asm.vector(op::STORE, zmm::T0, 0, memory, ALL);
            }
        }
    }

    /// Where the flags of an instruction can be found later, if the next one replaces all of them anyway, and it neither
    /// reads them nor can be reached otherwise: its result, which stays until the next one writes.
    pub(super) fn flags_to_come(&self, block: &Block, at: Place, alu: &Alu) -> Option<Late> {
        let float = matches!(alu.op_add, AddOp::Fadd | AddOp::Fsub);
        let bits = matches!(alu.op_add, AddOp::And | AddOp::Or | AddOp::Xor | AddOp::Not);
        let next = at.index + 1;
        let inside = next < block.start + block.len && shape::is_plain(self.code, next);
        let whole = |alu: &Alu| {
            let op = alu.op_add != AddOp::Nop && alu.cond_add == Cond::Always;
            alu.sf && op && !alu.cond_mul.is_conditional()
        };
        let file = if alu.ws { File::B } else { File::A };
        let register = crate::facts::written_register(file, alu.waddr_add).filter(|r| *r != slot::R5)?;
        let here = |w: &(File, Waddr, Cond)| crate::facts::written_register(w.0, w.1) == Some(register);
        let twice = Inst::Alu(*alu).writes().filter(here).count() > 1;
        let special = [alu.waddr_add, alu.waddr_mul].into_iter().any(shape::special);
        let replaced = match self.code.known(next).map(|k| k.inst) {
            Some(Inst::Alu(next)) => whole(next) && acts(next)[0],
            _ => false,
        };
        let late = (float || bits) && inside && whole(alu) && acts(alu)[0] && !twice && !special && replaced;
        late.then_some(Late { register, float })
    }

    /// Computes flags that were put off.
    pub(super) fn catch_up(&mut self, late: Late) {
        self.asm.vector(op::LOAD, zmm::T1, 0, place_of(late.register), ALL);
        self.asm.kclear(mask::U);
        if late.float {
            self.asm.vector_imm(op::VPCMPD, mask::U, zmm::T1, Rm::Reg(zmm::ZERO), ALL, 6);
        }
        self.set_flags(zmm::T1, 0);
    }

    /// Flags from a result, and C from the scratch mask, in the lanes of a mask.
    pub(super) fn set_flags(&mut self, value: u8, lanes: u8) {
        if lanes == 0 {
            self.asm.vector(op::VPTESTNMD, mask::Z, value, Rm::Reg(value), ALL);
            self.asm.vector(op::VPMOVD2M, mask::N, 0, Rm::Reg(value), ALL);
            return self.asm.kmov(mask::C, mask::U);
        }
        // The mask may be one of the flags: it must not change on the way.
        self.asm.kmov(mask::ADD, lanes);
        let lanes = mask::ADD;
        let merge = |asm: &mut Asm, flag: u8, new: u8| {
            asm.kand(new, new, lanes);
            asm.kandn(flag, lanes, flag);
            asm.kor(flag, flag, new);
        };
        merge(&mut self.asm, mask::C, mask::U);
        self.asm.vector(op::VPTESTNMD, mask::T, value, Rm::Reg(value), ALL);
        merge(&mut self.asm, mask::Z, mask::T);
        self.asm.vector(op::VPMOVD2M, mask::T, 0, Rm::Reg(value), ALL);
        merge(&mut self.asm, mask::N, mask::T);
    }

    /// Takes the oldest result out of a TMU's queue.
    pub(super) fn receive(&mut self, unit: usize) {
        let (head, length) = (core::queue_head(unit), core::queue_length(unit));
        self.asm.load32(RAX, R12, head);
        self.asm.lea(RCX, RAX, 1);
        self.asm.and32(RCX, core::QUEUE_MASK);
        self.asm.store32(RCX, R12, head);
        self.asm.shl(RAX, 6);
        self.asm.add_reg(RAX, R12);
        self.asm.vector(op::LOAD, zmm::R4, 0, Rm::Mem(RAX, core::queue_entries(unit)), ALL);
        self.asm.load32(RCX, R12, length);
        self.asm.add32(RCX, -1);
        self.asm.store32(RCX, R12, length);
    }

    pub(super) fn load_immediate(&mut self, at: Place, ldi: &Ldi, doubt: Label) {
        let masks = [self.condition(ldi.cond_add, mask::ADD), self.condition(ldi.cond_mul, mask::MUL)];
        self.record(at, [ldi.cond_add, ldi.cond_mul]);
        if ldi.mode == LdiMode::All {
            self.asm.constant(RAX, ldi.lane(0));
            self.asm.vector(op::VPBROADCASTD_GPR, zmm::VALUE, 0, Rm::Reg(RAX), ALL);
        } else {
            let vector = self.asm.label();
            self.vectors.push((vector, std::array::from_fn(|lane| ldi.lane(lane))));
            self.asm.lea_label(RAX, vector);
            self.asm.vector(op::LOAD, zmm::VALUE, 0, Rm::Mem(RAX, 0), ALL);
        }
        let inst = Inst::Ldi(*ldi);
        if let Some((file, waddr, _)) = inst.writes().find(|(_, waddr, _)| shape::special(*waddr)) {
            self.unit(at, (file, waddr), zmm::VALUE, doubt);
        }
        for (file, waddr, _) in inst.writes() {
            let mask = masks[usize::from(file != inst.add_file())];
            self.write(file, waddr, zmm::VALUE, mask);
        }
        if ldi.sf {
            self.asm.kclear(mask::U);
            self.set_flags(zmm::VALUE, masks[0]);
        }
    }
}
