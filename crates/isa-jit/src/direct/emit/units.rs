//! Instructions at the peripherals: TMU, VPM, DMA, semaphores.

use super::*;
use quadra_isa::vc4::emu::translate::shared;

/// Vectors that Rust code may destroy.
const LOST: [u8; 2] = [zmm::SUM, zmm::PRODUCT];
/// The number of the setup of writes and stores, behind those that `Qpu::use_unit` knows.
const SET_UP: u8 = 3;

impl Emit<'_> {
    /// Looks whether all uniforms that the block reads by itself from `at` on are there, else leaves at another place.
    pub(super) fn expect_uniforms(&mut self, block: &Block, at: Place, from: Place) {
        if self.group == 0 {
            let end = block.start + block.len;
            let reads =
                |i: usize| matches!(self.code.known(i).map(|k| k.inst), Some(Inst::Alu(a)) if a.reads_uniform());
            let own = (at.index..end).take_while(|i| {
                let is_branch = matches!(self.code.known(*i).map(|k| k.inst), Some(Inst::Branch(_)));
                is_branch || shape::is_plain(self.code, *i)
            });
            self.group = own.filter(|i| reads(*i)).count() as i32;
            let leave = self.stub(Cold::Leave, from);
            self.guard(1, at, leave);
            self.asm.lea(RAX, R13, 4 * (self.pending + self.group));
            self.asm.cmp_reg(RAX, R14);
            self.asm.jump_if(Cc::Above, leave);
        }
    }

    pub(super) fn read_uniform(&mut self, block: &Block, at: Place) {
        self.expect_uniforms(block, at, at);
        // It stays in memory: nothing changes it as long as the instruction looks at it.
        self.uniform = Rm::Word(R13, 4 * self.pending);
        self.pending += 1;
        self.group -= 1;
    }

    /// Reading a register that waits for a transfer: it is over.
    pub(super) fn waits(&mut self, alu: &Alu) {
        for (file, rows) in [(File::A, core::LOAD_ROWS), (File::B, core::STORE_ROWS)] {
            if alu.read(file) == Some(Raddr::VPM_LD_WAIT) {
                self.asm.store_constant(0, R12, rows);
                self.asm.store_constant(0, R12, rows + 4);
            }
        }
    }

    /// Brings the next vector of the VPM; the queue moves when nothing can go wrong any more.
    pub(super) fn read_vpm(&mut self, at: Place, doubt: Label) {
        self.asm.call(self.common.units.read);
        let back = self.asm.label();
        let cold = self.stub(Cold::Peek(back, doubt), at);
        self.unless_done(cold);
        self.asm.bind(back);
    }

    fn unless_done(&mut self, otherwise: Label) {
        self.asm.test32(RAX, RAX);
        self.asm.jump_if(Cc::NotZero, otherwise);
    }

    pub(super) fn unit(&mut self, at: Place, (file, waddr): (File, Waddr), value: u8, doubt: Label) {
        let units = self.common.units;
        let (number, code) = match waddr.0 {
            49 if file == File::B => (SET_UP, units.set_up),
            49 | 50 | 52..=55 => return self.set_up(at, (file, waddr), value, doubt),
            48 => (2, units.write),
            56 => (0, units.look_up[0]),
            _ => (1, units.look_up[1]),
        };
        self.asm.vector(op::LOAD, zmm::VALUE, 0, Rm::Reg(value), ALL);
        self.asm.call(code);
        let back = self.asm.label();
        let cold = self.stub(Cold::Unit(number, value, back, doubt), at);
        self.unless_done(cold);
        self.asm.bind(back);
    }

    fn lend(&mut self, registers: &[u8]) {
        for (n, register) in registers.iter().enumerate() {
            self.asm.vector(op::STORE, *register, 0, Rm::Mem(CTX, layout::VALUES + 64 * n as i32), ALL);
        }
    }

    fn take_back(&mut self, registers: &[u8]) {
        for (n, register) in registers.iter().enumerate() {
            self.asm.vector(op::LOAD, *register, 0, Rm::Mem(CTX, layout::VALUES + 64 * n as i32), ALL);
        }
    }

    /// Writes a setup register, or starts a transfer or a special function.
    pub(super) fn set_up(&mut self, at: Place, (file, waddr): (File, Waddr), value: u8, doubt: Label) {
        let registers = if value == zmm::VALUE { &[zmm::VALUE][..] } else { &LOST[..] };
        self.lend(registers);
        self.asm.lea(RCX, CTX, layout::VALUES + if value == zmm::PRODUCT { 64 } else { 0 });
        self.asm.constant(RSI, at.index as u32);
        self.asm.constant(RDX, u32::from(waddr.0) | u32::from(file == File::B) << 8);
        let [.., set_up, special, _, _] = self.common.labels();
        if waddr.is_sfu() {
            self.asm.constant(R8, at.left as u32);
            self.asm.call(special);
        } else {
            self.asm.call(set_up);
        }
        self.unless_done(doubt);
        self.take_back(registers);
        if waddr.is_sfu() {
            self.since_sfu = Some(at.index);
        }
    }

    /// What the units' own code has not done.
    pub(super) fn by_rust(&mut self, at: Place, number: u8, value: u8, [back, doubt]: [Label; 2]) {
        if number == SET_UP {
            self.set_up(at, (File::B, Waddr::VPM_WR_SETUP), value, doubt);
            return self.asm.jump(back);
        }
        self.lend(&LOST);
        self.asm.lea(RCX, CTX, layout::VALUES + if value == zmm::SUM { 0 } else { 64 });
        self.asm.constant(RSI, at.index as u32);
        self.asm.constant(RDX, number.into());
        let [_, _, unit, ..] = self.common.labels();
        self.asm.call(unit);
        self.unless_done(doubt);
        self.take_back(&LOST);
        self.asm.jump(back);
    }

    pub(super) fn peek(&mut self, [back, doubt]: [Label; 2]) {
        let [.., peek, _] = self.common.labels();
        self.asm.call(peek);
        self.unless_done(doubt);
        self.asm.vector(op::LOAD, zmm::VPM, 0, in_memory(slot::VPM), ALL);
        self.asm.jump(back);
    }

    pub(super) fn semaphore(&mut self, at: Place, sema: &Sema) {
        let (value, raised) = (shared::semaphore(sema.number), shared::raised(sema.number));
        self.record(at, [sema.cond_add, sema.cond_mul]);
        let wait = self.stub(Cold::Wait(sema.number, sema.down), at);
        self.asm.load(RAX, CTX, layout::SHARED);
        self.asm.cmp_byte(RAX, value, if sema.down { 0 } else { 15 });
        self.asm.jump_if(Cc::Zero, wait);
        self.asm.add_to_byte(RAX, value, if sema.down { -1 } else { 1 });
        if !sema.down {
            // QPU and code lie side by side.
            self.asm.load(RCX, CTX, layout::NUMBERS);
            self.asm.store(RCX, RAX, raised);
            self.asm.store_constant(at.index as u32, RAX, raised + 8);
        }
    }
}
