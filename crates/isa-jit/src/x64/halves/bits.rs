//! Masks of lanes as bits: comparisons that make them, and what integer instructions make of them.

use super::*;

impl Asm {
    /// The integer register with the bits of a mask: its own, or scratch.
    pub(in crate::x64) fn bits_of(&mut self, mask: u8) -> u8 {
        if mask >= WIDE {
            let own = self.bits_of((mask - WIDE) / 2 + 1);
            if mask.is_multiple_of(2) {
                return own;
            }
            self.bits(0x8b, SCRATCH[0], own);
            self.bits_constant(6, SCRATCH[0], 0xffff);
            return SCRATCH[0];
        }
        match self.halves().places.masks[usize::from(mask) - 1] {
            Bits::Reg(n) => n,
            Bits::Memory(base, distance) => {
                self.load32(SCRATCH[0], base, distance);
                SCRATCH[0]
            }
        }
    }

    fn put_bits(&mut self, mask: u8, from: u8) {
        match self.halves().places.masks[usize::from(mask) - 1] {
            Bits::Reg(n) if n == from => {}
            Bits::Reg(n) => self.bits(0x8b, n, from),
            Bits::Memory(base, distance) => self.store32(from, base, distance),
        }
    }

    pub(in crate::x64) fn combine_bits(&mut self, opcode: u8, to: u8, [a, b]: [u8; 2], not_a: bool) {
        let a = self.bits_of(a);
        self.bits(0x8b, SCRATCH[1], a);
        if not_a {
            self.not32(SCRATCH[1]);
        }
        let b = self.bits_of(b);
        self.bits(opcode, SCRATCH[1], b);
        self.put_bits(to, SCRATCH[1]);
    }

    pub(in crate::x64) fn clear_bits(&mut self, mask: u8) {
        match self.halves().places.masks[usize::from(mask) - 1] {
            Bits::Reg(n) => self.bits(0x33, n, n),
            Bits::Memory(base, distance) => self.store_constant(0, base, distance),
        }
    }

    pub(in crate::x64) fn copy_bits(&mut self, to: u8, from: u8, flipped: i32) {
        let from = self.bits_of(from);
        if flipped == 0 {
            return self.put_bits(to, from);
        }
        self.bits(0x8b, SCRATCH[1], from);
        self.bits_constant(6, SCRATCH[1], flipped);
        self.put_bits(to, SCRATCH[1]);
    }

    pub(in crate::x64) fn test_bits(&mut self, a: u8, b: u8) {
        let first = self.bits_of(a);
        if a == b {
            return self.test32(first, first);
        }
        self.bits(0x8b, SCRATCH[1], first);
        let b = self.bits_of(b);
        self.bits(0x0b, SCRATCH[1], b);
    }

    pub(in crate::x64) fn load_bits(&mut self, mask: u8, base: u8, distance: i32) {
        self.load16(SCRATCH[1], base, distance);
        self.put_bits(mask, SCRATCH[1]);
    }

    /// A mask of the lanes in which a comparison holds.
    pub(super) fn compare(&mut self, (op, imm): (Op, u8), to: u8, second: u8, rm: Rm, masked: Masked) {
        let values = [0, 1].map(|half| self.compare_half((op, imm), second, rm, half));
        self.vex(VMOVMSKPS, SCRATCH[1], 0, Half::Reg(values[1]));
        self.shl(SCRATCH[1], 8);
        self.vex(VMOVMSKPS, SCRATCH[0], 0, Half::Reg(values[0]));
        self.bits(0x0b, SCRATCH[1], SCRATCH[0]);
        if op == op::VPTESTMD || op == op::VPCMPUD && matches!(imm, 1 | 4) {
            self.bits_constant(6, SCRATCH[1], 0xffff);
        }
        if masked.mask != 0 {
            let lanes = self.bits_of(masked.mask);
            self.bits(0x23, SCRATCH[1], lanes);
        }
        self.put_bits(to, SCRATCH[1]);
    }

    /// The register whose signs say where it holds; where it does not for `VPTESTMD`, "below" and "other".
    fn compare_half(&mut self, (op, imm): (Op, u8), second: u8, rm: Rm, half: usize) -> u8 {
        let to = [A, B][half];
        let b = self.half(rm, half);
        if op == op::VPMOVD2M {
            return self.in_register(b, to);
        }
        let a = self.half(Rm::Reg(second), half);
        if op == op::VPCMPD && imm == 1 {
            let b = self.in_register(b, C);
            let a = self.operand(a, D);
            self.vex(VPCMPGTD, to, b, a);
            return to;
        }
        let first = self.in_register(a, C);
        let b = if a == b { Half::Reg(first) } else { self.operand(b, D) };
        match (op, imm) {
            (op::VPCMPD, _) => self.vex(VPCMPGTD, to, first, b),
            (op::VPCMPUD, 0 | 4) => self.vex(VPCMPEQD, to, first, b),
            (op::VPCMPUD, _) => {
                self.vex(VPMAXUD, to, first, b);
                self.vex(VPCMPEQD, to, to, Half::Reg(first));
            }
            _ => {
                let value = if b == Half::Reg(first) { first } else { to };
                if value == to {
                    self.vex(op::VPANDD, to, first, b);
                }
                self.vex(op::VPXORD, D, D, Half::Reg(D));
                self.vex(VPCMPEQD, to, value, Half::Reg(D));
            }
        }
        to
    }

    /// "Not zero" if one of these floats may be a zero or of a magnitude above 0x7f000000: by the upper halves of their words,
    /// so that others of the least magnitudes are among them.
    pub fn test_odd(&mut self, floats: &[u8]) {
        let [less, high] = [0x8100_8100, 0x7e00_7e00].map(|word| self.datum(Data::Word(word)));
        let mut vectors: Vec<Half> = Vec::new();
        for half in 0..2 {
            vectors.extend(floats.iter().map(|float| self.half(Rm::Reg(*float), half)).collect::<Vec<_>>());
        }
        for (n, pair) in vectors.chunks(2).enumerate() {
            let to = [A, B][n];
            let low = self.in_register(pair[1], to);
            self.vex_imm(VPSRLD, 2, to, Half::Reg(low), 16);
            self.vex_imm(VPBLENDW, to, to, pair[0], 0xaa);
            self.vex(VPADDW, to, to, less);
            self.vex(op::VPANDD, to, to, high);
        }
        if vectors.len() > 2 {
            self.vex(VPMINUW, A, A, Half::Reg(B));
        }
        self.vex(op::VPXORD, B, B, Half::Reg(B));
        self.vex(VPCMPEQW, A, A, Half::Reg(B));
        self.vex(VPMOVMSKB, SCRATCH[0], 0, Half::Reg(A));
        self.test32(SCRATCH[0], SCRATCH[0]);
    }
}
