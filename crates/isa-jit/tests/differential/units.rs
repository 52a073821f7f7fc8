//! Random instructions at the peripherals.

use super::{Builder, DATA, OUT};
use quadra_isa::vc4::{AddOp, Alu, Cond, File, Inst, Ldi, MulOp, Mux, Raddr, Sema, SmallImm, Waddr};

impl Builder {
    /// A gather from a random part of the data: address = data + (r & 15) << n, through r2.
    pub fn lookup(&mut self) {
        let unit = self.random.below(2) as usize;
        if self.pending[unit] >= 4 {
            return;
        }
        self.pending[unit] += 1;
        let imm = |n: i32| Alu::NOP.with_small_imm(SmallImm::from_int(n).expect("small"));
        let shift = if self.units { self.random.below(13) as i32 } else { 2 };
        self.push(imm(15).with_add(AddOp::And, Waddr::R2, Mux::R1, Mux::B).into());
        self.push(imm(shift).with_add(AddOp::Shl, Waddr::R2, Mux::R2, Mux::B).into());
        let to = if unit == 0 { Waddr::TMU0_S } else { Waddr::TMU1_S };
        self.push(Alu::NOP.with_add(AddOp::Add, to, Mux::R2, Mux::B).reading_b(Raddr(31)).into());
    }

    /// Writes a word to a register of the peripherals, as an immediate or by way of r1.
    fn set_up(&mut self, file: File, waddr: Waddr, word: u32) {
        if self.random.chance(50) {
            return self.push(Ldi::all(file, waddr, word).into());
        }
        self.push(Ldi::all(File::A, Waddr::R1, word).into());
        let mut alu = self.arithmetic();
        if alu.reads_uniform() && self.random.chance(80) || self.random.chance(30) {
            alu = Alu::NOP;
        }
        // The other operation may come along, unless it writes r1 or what the set-up writes.
        (alu.ws, alu.sf) = (file == File::B, alu.sf && self.random.chance(20));
        if self.random.chance(30) {
            alu.ws = file == File::A;
            return self.push(alu.with_mul(MulOp::V8min, waddr, Mux::R1, Mux::R1).into());
        }
        self.push(alu.with_add(AddOp::Or, waddr, Mux::R1, Mux::R1).into());
    }

    /// The setup word of a block of the VPM: mostly a row or a column of words.
    fn block(&mut self, row: u32) -> u32 {
        if self.random.chance(70) {
            return (2 << 8) | self.random.below(2) << 11 | (1 + self.random.below(2)) << 12 | row;
        }
        self.random.below(3) << 8 | self.random.below(4) << 10 | self.random.below(64) << 12 | self.random.below(256)
    }

    /// Writes vectors to the VPM, which were set up.
    fn vectors(&mut self) {
        for _ in 0..1 + self.random.below(3) {
            let mut alu = self.arithmetic();
            if self.random.chance(50) {
                alu.waddr_add = Waddr::VPM;
                alu.cond_add = if self.random.chance(95) { Cond::Always } else { alu.cond_add };
            } else {
                alu.waddr_mul = Waddr::VPM;
                alu.cond_mul = if self.random.chance(95) { Cond::Always } else { alu.cond_mul };
            }
            alu.sf &= self.random.chance(30);
            self.push(alu.into());
        }
    }

    /// Reads vectors of the VPM, which were set up.
    fn read_vectors(&mut self, count: u32) {
        for _ in 0..count {
            let mut alu = self.arithmetic();
            if alu.small_imm().is_none() && self.random.chance(40) {
                alu.raddr_b = Raddr::VPM;
            } else {
                alu.raddr_a = Raddr::VPM;
            }
            let writes_too = self.random.chance(20);
            if writes_too {
                (alu.waddr_add, alu.cond_add) = (Waddr::VPM, Cond::Always);
            }
            self.push(alu.into());
        }
    }

    /// Something that the other QPUs can see: VPM, DMA, the mutex, a semaphore, a special register.
    pub fn shared_unit(&mut self) {
        let (row, number) = (self.random.below(16), 1 + self.random.below(5) as u8);
        let semaphore = |down| Inst::Sema(Sema { down, ..Sema::up(number) });
        let word = self.block(row);
        match self.random.below(7) {
            0 => {
                self.set_up(File::B, Waddr(49), word);
                self.vectors();
            }
            1 => {
                let count = 1 + self.random.below(3);
                self.set_up(File::A, Waddr(49), word | count << 20);
                if count == 1 && self.random.chance(50) {
                    let word = self.block(row);
                    self.set_up(File::A, Waddr(49), word | 1 << 20);
                    self.push(Inst::NOP);
                    self.push(Inst::NOP);
                    self.read_vectors(1);
                }
                (0..3).for_each(|_| self.push(Inst::NOP));
                self.set_up(File::B, Waddr(49), word);
                self.read_vectors(count);
            }
            2 => {
                self.push(Alu::NOP.reading_a(Raddr(51)).into());
                self.push(Inst::NOP);
                self.push(Ldi::all(File::A, Waddr(51), 0).into());
            }
            3 => {
                let alone = self.random.chance(4);
                self.push(semaphore(false));
                self.push(Inst::NOP);
                if !alone {
                    self.push(semaphore(true));
                }
            }
            4 => {
                let units = 1 + self.random.below(3);
                let vertical = self.random.below(2) << 11;
                self.set_up(File::A, Waddr(49), 0x8300_1000 | units << 16 | row << 4 | vertical);
                let from = DATA + 4 * self.random.below(1000);
                self.set_up(File::A, Waddr(50), from);
                if self.random.chance(90) {
                    self.push(Alu::NOP.reading_a(Raddr(50)).into());
                }
            }
            _ => {
                let units = 1 + self.random.below(2);
                self.set_up(File::B, Waddr(49), 3 << 30);
                self.set_up(File::B, Waddr(49), 2 << 30 | units << 23 | 16 << 16 | 1 << 14 | row << 7);
                let to = if self.random.chance(70) { OUT + 64 * row } else { DATA + 4 * self.random.below(1000) };
                self.set_up(File::B, Waddr(50), to);
                if self.random.chance(90) {
                    self.push(Alu::NOP.reading_b(Raddr(50)).into());
                }
            }
        }
    }
}
