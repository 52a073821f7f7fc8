//! Vectors of 512 bits as two halves, for processors with AVX2 only.
//!
//! The names of vector registers and masks are those of AVX-512; [`Places`] says where each of them is: a pair of 256-bit
//! registers, or memory. Masks are 16 bits in integer registers or memory; those of conditions may also lie in memory as vectors
//! ([`Asm::widen`]), and have the names from [`WIDE`] on. Scratch are four vector registers and two integer registers.

use super::vex::*;
use super::{Asm, Label, Masked, Op, Rm, gpr::*, op};

const A: u8 = 12;
const B: u8 = 13;
const C: u8 = 14;
const D: u8 = 15;
const SCRATCH: [u8; 2] = [R8, RDI];

/// The first name of a mask that lies in memory as a vector: flag 1, the lanes without it, flag 2, and so on.
pub const WIDE: u8 = 8;

/// Where a vector register is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum At {
    /// In this 256-bit register and the next.
    Pair(u8),
    /// In memory at a register and a distance.
    Memory(u8, i32),
    /// It has this word in all lanes and never changes.
    Constant(u32),
}

/// Where the bits of a mask are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bits {
    Reg(u8),
    Memory(u8, i32),
}

/// Where things are.
#[derive(Clone, Debug)]
pub struct Places {
    pub vectors: [At; 32],
    /// Masks 1 to 7.
    pub masks: [Bits; 7],
    /// Memory for the masks 1 to 3 as vectors.
    pub wide: (u8, i32),
    /// Words in memory whose values are known.
    pub words: (u8, i32),
    pub values: &'static [u32],
}

#[derive(Clone, Debug)]
pub struct Halves {
    places: Places,
    /// Registers that are not where they should be, but still in memory.
    aliases: [Option<Rm>; 32],
    /// Vectors in the code: a word in all lanes, or the bits of the lanes of a half.
    data: Vec<(Data, Label)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Data {
    Word(u32),
    Lanes(usize),
}

impl Asm {
    /// An assembler for processors without AVX-512.
    pub fn with_halves(places: Places) -> Asm {
        let halves = Halves { places, aliases: [None; 32], data: Vec::new() };
        Asm { halves: Some(Box::new(halves)), ..Asm::default() }
    }

    pub fn has_halves(&self) -> bool {
        self.halves.is_some()
    }

    fn halves(&mut self) -> &mut Halves {
        self.halves.as_mut().expect("asked before")
    }

    /// Until the register is written, it is what is in memory there, which must not change.
    pub fn alias(&mut self, register: u8, memory: Rm) {
        self.halves().aliases[usize::from(register)] = Some(memory);
    }

    fn datum(&mut self, datum: Data) -> Half {
        if let Some((_, label)) = self.halves().data.iter().find(|d| d.0 == datum) {
            return Half::Data(*label);
        }
        let label = self.label();
        self.halves().data.push((datum, label));
        Half::Data(label)
    }

    /// Writes the vectors that the code uses.
    pub(super) fn put_data(&mut self) {
        let Some(halves) = &mut self.halves else { return };
        let data = std::mem::take(&mut halves.data);
        self.align(32);
        for (datum, label) in data {
            self.bind(label);
            for lane in 0..8 {
                let word = match datum {
                    Data::Word(word) => word,
                    Data::Lanes(half) => 1 << (8 * half + lane),
                };
                self.data(&word.to_le_bytes());
            }
        }
    }

    /// Where half of a register lives.
    fn home(&mut self, register: u8, half: usize) -> Half {
        match self.halves().places.vectors[usize::from(register)] {
            At::Pair(first) => Half::Reg(first + half as u8),
            At::Memory(base, distance) => Half::Mem(base, distance + 32 * half as i32),
            At::Constant(word) => self.datum(Data::Word(word)),
        }
    }

    fn half(&mut self, rm: Rm, half: usize) -> Half {
        match rm {
            Rm::Reg(n) => match self.halves().aliases[usize::from(n)] {
                Some(memory) => self.half(memory, half),
                None => self.home(n, half),
            },
            Rm::Mem(base, distance) => Half::Mem(base, distance + 32 * half as i32),
            Rm::Word(base, distance) | Rm::Scalar(base, distance) => {
                let Places { words, values, .. } = &self.halves().places;
                let at = usize::try_from(distance - words.1).ok().filter(|_| words.0 == base);
                match at.and_then(|at| values.get(at / 4)) {
                    Some(word) => {
                        let word = *word;
                        self.datum(Data::Word(word))
                    }
                    None => Half::Word(base, distance),
                }
            }
        }
    }

    /// What [`Asm::vector`] does.
    pub(super) fn both_halves(&mut self, (op, imm): (Op, u8), reg: u8, second: u8, rm: Rm, masked: Masked) {
        match op {
            op::STORE | op::STORE_UNALIGNED => return self.store_halves(reg, rm),
            op::VPCMPD | op::VPCMPUD | op::VPTESTMD | op::VPTESTNMD | op::VPMOVD2M => {
                return self.compare((op, imm), reg, second, rm, masked);
            }
            _ => {}
        }
        if matches!(self.halves().places.vectors[usize::from(reg)], At::Constant(_)) {
            return;
        }
        match op {
            op::VPBROADCASTD => {
                let from = self.half(rm, 0);
                match from {
                    Half::Mem(base, distance) => _ = self.in_register(Half::Word(base, distance), A),
                    Half::Reg(_) => self.vex(op, A, 0, from),
                    from => _ = self.in_register(from, A),
                }
                self.put_both(reg, [A; 2], masked);
            }
            op::VPBROADCASTD_GPR => {
                if let Rm::Reg(from) = rm {
                    self.spread(A, from);
                }
                self.put_both(reg, [A; 2], masked);
            }
            op::VALIGND => self.rotate(reg, rm, imm, masked),
            _ => {
                for half in 0..2 {
                    let value = self.one_half((op, imm), reg, second, (rm, half), masked);
                    self.put(reg, half, value, masked);
                }
            }
        }
        self.halves().aliases[usize::from(reg)] = None;
    }

    /// Half of the result: in which register it is.
    fn one_half(&mut self, (op, imm): (Op, u8), reg: u8, second: u8, (rm, half): (Rm, usize), masked: Masked) -> u8 {
        let to = match self.home(reg, half) {
            Half::Reg(n) if masked.mask == 0 => n,
            _ => A,
        };
        let b = self.half(rm, half);
        match op {
            op::LOAD | op::LOAD_UNALIGNED => return self.in_register(b, to),
            op::VPSHUFD => {
                let b = self.operand(b, B);
                self.vex_imm(op, to, 0, b, imm);
                return to;
            }
            op::VCVTTPS2DQ | op::VCVTDQ2PS => {
                let b = self.operand(b, B);
                self.vex(op, to, 0, b);
                return to;
            }
            op::VPLZCNTD => {
                self.leading_zeros(b);
                return A;
            }
            _ => {}
        }
        let a = self.half(Rm::Reg(second), half);
        // The first half has left it there.
        let b = if matches!(b, Half::Word(..)) && half == 1 && masked.mask == 0 { Half::Reg(B) } else { b };
        let (a, b, scratch) = match (a, b) {
            (Half::Mem(..), Half::Word(..) | Half::Reg(_)) if op.commutes() => (b, a, B),
            (a, b) => (a, b, A),
        };
        let a = self.in_register(a, scratch);
        match op {
            op::VPERMD => {
                let [low, high] = [0, 1].map(|half| self.half(rm, half));
                self.vex(op, B, a, low);
                self.vex(op, C, a, high);
                // Bit 3 of the lane's number says which half it is in.
                self.vex_imm(VPSRLD, 6, D, Half::Reg(a), 28);
                self.blend(A, B, Half::Reg(C), D);
                A
            }
            op::VPRORVD => {
                let b = self.operand(b, B);
                self.rotate_right(a, b);
                A
            }
            _ => {
                let b = self.operand(b, B);
                self.vex(op, to, a, b);
                to
            }
        }
    }

    /// `A` = `a` rotated by the low five bits of `b`: shifted to the right, or to the left by the rest.
    fn rotate_right(&mut self, a: u8, b: Half) {
        let most = self.datum(Data::Word(31));
        let b = self.in_register(b, B);
        self.vex(op::VPXORD, C, C, Half::Reg(C));
        self.vex(op::VPSUBD, C, C, Half::Reg(b));
        self.vex(op::VPANDD, C, C, most);
        self.vex(op::VPSLLVD, C, a, Half::Reg(C));
        self.vex(op::VPANDD, D, b, most);
        self.vex(op::VPSRLVD, A, a, Half::Reg(D));
        self.vex(op::VPORD, A, A, Half::Reg(C));
    }

    /// `A` = the number of zeros above the highest one, by the exponent of the float: conversions cut off.
    fn leading_zeros(&mut self, b: Half) {
        let [most, bias, none] = [32, 158, 0].map(|word| self.datum(Data::Word(word)));
        let b = self.operand(b, B);
        self.vex(op::VCVTDQ2PS, A, 0, b);
        self.vex_imm(VPSRLD, 2, A, Half::Reg(A), 23);
        self.in_register(bias, C);
        self.vex(op::VPSUBD, A, C, Half::Reg(A));
        self.vex(op::VPMINSD, A, A, most);
        // The sign is above the exponent: no zero.
        self.vex(op::VPMAXSD, A, A, none);
    }

    fn put_both(&mut self, reg: u8, values: [u8; 2], masked: Masked) {
        for (half, value) in values.into_iter().enumerate() {
            self.put(reg, half, value, masked);
        }
    }

    /// Writes half of a register, in the lanes of a mask.
    fn put(&mut self, reg: u8, half: usize, value: u8, masked: Masked) {
        let (to, before) = (self.home(reg, half), self.half(Rm::Reg(reg), half));
        self.put_to(to, before, (value, half), masked);
    }

    fn put_to(&mut self, to: Half, before: Half, (mut value, half): (u8, usize), masked: Masked) {
        if masked.mask != 0 {
            let inverted = self.mask_half(masked.mask, half);
            match (masked.clear, inverted) {
                (true, false) => self.vex(op::VPANDD, B, C, Half::Reg(value)),
                (true, true) => self.vex(VPANDN, B, C, Half::Reg(value)),
                (false, false) => {
                    let before = self.in_register(before, B);
                    self.blend(B, before, Half::Reg(value), C);
                }
                (false, true) => self.blend(B, value, before, C),
            }
            value = B;
        }
        match to {
            Half::Reg(n) if n == value => {}
            Half::Reg(n) => self.vex(op::LOAD, n, 0, Half::Reg(value)),
            memory => self.vex(op::STORE_UNALIGNED, value, 0, memory),
        }
    }

    /// Writes a register to memory, in the lanes of a mask only.
    pub fn merge(&mut self, register: u8, memory: Rm, masked: Masked) {
        for half in 0..2 {
            let value = self.half(Rm::Reg(register), half);
            let value = self.in_register(value, A);
            let to = self.half(memory, half);
            self.put_to(to, to, (value, half), masked);
        }
    }

    /// `C` = ones in the lanes of half a mask; whether the lanes meant are the others.
    fn mask_half(&mut self, mask: u8, half: usize) -> bool {
        if mask >= WIDE {
            let (base, distance) = self.halves().places.wide;
            self.in_register(Half::Mem(base, distance + 64 * i32::from((mask - WIDE) / 2) + 32 * half as i32), C);
            return mask % 2 == 1;
        }
        if half == 0 {
            let bits = self.bits_of(mask);
            self.spread(D, bits);
        }
        let lanes = self.datum(Data::Lanes(half));
        self.vex(op::VPANDD, C, D, lanes);
        self.vex(VPCMPEQD, C, C, lanes);
        false
    }

    /// Puts mask 1, 2 or 3 into memory as a vector, so that the names from [`WIDE`] on can be used until it changes.
    pub fn widen(&mut self, mask: u8) {
        let (base, distance) = self.halves().places.wide;
        for half in 0..2 {
            self.mask_half(mask, half);
            let to = Half::Mem(base, distance + 64 * i32::from(mask - 1) + 32 * half as i32);
            self.vex(op::STORE_UNALIGNED, C, 0, to);
        }
    }

    fn store_halves(&mut self, reg: u8, to: Rm) {
        for half in 0..2 {
            let (value, to) = (self.half(Rm::Reg(reg), half), self.half(to, half));
            // Some registers are where they would be stored.
            if value != to {
                let value = self.in_register(value, A);
                self.vex(op::STORE_UNALIGNED, value, 0, to);
            }
        }
    }

    /// Lane i = lane i + `by` of the same register.
    fn rotate(&mut self, reg: u8, from: Rm, by: u8, masked: Masked) {
        for half in 0..2 {
            let first = 2 * half + usize::from(by / 4);
            let low = self.quads(from, first, A);
            let value = if by.is_multiple_of(4) {
                self.in_register(low, A)
            } else {
                let high = self.quads(from, first + 1, B);
                let high = self.in_register(high, B);
                self.vex_imm(VPALIGNR, A, high, low, 4 * (by % 4));
                A
            };
            self.put(reg, half, value, masked);
        }
    }

    /// Two neighbouring quads, of which the last and the first are neighbours, too.
    fn quads(&mut self, from: Rm, first: usize, scratch: u8) -> Half {
        let [low, high] = [0, 1].map(|half| self.half(from, half));
        let (one, other) = match first % 4 {
            0 => return low,
            2 => return high,
            1 => (low, high),
            _ => (high, low),
        };
        let one = self.in_register(one, scratch);
        self.vex_imm(VPERM2I128, scratch, one, other, 0x21);
        Half::Reg(scratch)
    }

    pub(super) fn gather_halves(&mut self, to: u8, base: u8, index: u8) {
        for half in 0..2 {
            let index = self.half(Rm::Reg(index), half);
            let index = self.in_register(index, A);
            self.gather_half(B, base, index, C);
            self.put(to, half, B, super::ALL);
        }
        self.halves().aliases[usize::from(to)] = None;
    }

    pub(super) fn first_of_halves(&mut self, to: u8, from: u8) {
        match self.half(Rm::Reg(from), 0) {
            Half::Mem(base, distance) | Half::Word(base, distance) => self.load32(to, base, distance),
            Half::Reg(n) => self.low_word(to, n),
            data => {
                self.in_register(data, A);
                self.low_word(to, A);
            }
        }
    }
}

mod bits;
