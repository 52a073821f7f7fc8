//! Operations on masks: one bit per lane.

use super::{Asm, Cc};

impl Asm {
    /// `to` = `a` op `b`.
    fn masks(&mut self, opcode: u8, to: u8, a: u8, b: u8) {
        self.bytes(&[0xc5, 0x80 | (!a & 15) << 3 | 4, opcode, 0xc0 | to << 3 | b]);
    }

    /// Both.
    pub fn kand(&mut self, to: u8, a: u8, b: u8) {
        if self.has_halves() {
            return self.combine_bits(0x23, to, [a, b], false);
        }
        self.masks(0x41, to, a, b);
    }

    /// `b` without `a`.
    pub fn kandn(&mut self, to: u8, a: u8, b: u8) {
        if self.has_halves() {
            return self.combine_bits(0x23, to, [a, b], true);
        }
        self.masks(0x42, to, a, b);
    }

    pub fn kor(&mut self, to: u8, a: u8, b: u8) {
        if self.has_halves() {
            return self.combine_bits(0x0b, to, [a, b], false);
        }
        self.masks(0x45, to, a, b);
    }

    /// No lane.
    pub fn kclear(&mut self, to: u8) {
        if self.has_halves() {
            return self.clear_bits(to);
        }
        self.masks(0x47, to, to, to);
    }

    pub fn knot(&mut self, to: u8, from: u8) {
        if self.has_halves() {
            return self.copy_bits(to, from, 0xffff);
        }
        self.bytes(&[0xc5, 0xf8, 0x44, 0xc0 | to << 3 | from]);
    }

    pub fn kmov(&mut self, to: u8, from: u8) {
        if self.has_halves() {
            return self.copy_bits(to, from, 0);
        }
        self.bytes(&[0xc5, 0xf8, 0x90, 0xc0 | to << 3 | from]);
    }

    /// Zero if no bit is set in either.
    pub fn kortest(&mut self, a: u8, b: u8) {
        if self.has_halves() {
            return self.test_bits(a, b);
        }
        self.bytes(&[0xc5, 0xf8, 0x98, 0xc0 | a << 3 | b]);
    }

    /// Looks whether all bits of a mask are set or, unless `all`, whether one is. Gives the condition for "yes".
    pub fn ktest(&mut self, mask: u8, all: bool) -> Cc {
        match (all, self.has_halves()) {
            (true, true) => {
                let bits = self.bits_of(mask);
                self.bits_constant(7, bits, 0xffff);
                Cc::Zero
            }
            (all, _) => {
                self.kortest(mask, mask);
                if all { Cc::Below } else { Cc::NotZero }
            }
        }
    }

    fn mask_memory(&mut self, opcode: u8, mask: u8, base: u8, distance: i32) {
        // The three-byte form reaches all base registers.
        self.bytes(&[0xc4, 0xc1 | (!base >> 3 & 1) << 5, 0x78, opcode]);
        self.memory(mask, base, distance);
    }

    pub fn kload(&mut self, mask: u8, base: u8, distance: i32) {
        if self.has_halves() {
            return self.load_bits(mask, base, distance);
        }
        self.mask_memory(0x90, mask, base, distance);
    }

    pub fn kstore(&mut self, mask: u8, base: u8, distance: i32) {
        if self.has_halves() {
            let bits = self.bits_of(mask);
            return self.store16(bits, base, distance);
        }
        self.mask_memory(0x91, mask, base, distance);
    }
}
