//! Instructions on integer registers, jumps and calls.

use super::{Asm, Cc, Label};

impl Asm {
    /// An instruction of a register, of 64 bits if it is wide, and the word at `base` and a distance.
    fn with_memory(&mut self, wide: bool, opcode: u8, reg: u8, base: u8, distance: i32) {
        self.rex(wide, reg, 0, base);
        self.byte(opcode);
        self.memory(reg, base, distance);
    }

    /// `reg` = the 64-bit word at `base` and a distance.
    pub fn load(&mut self, reg: u8, base: u8, distance: i32) {
        self.with_memory(true, 0x8b, reg, base, distance);
    }

    pub fn load32(&mut self, reg: u8, base: u8, distance: i32) {
        self.with_memory(false, 0x8b, reg, base, distance);
    }

    /// `reg` = the 32-bit word at `base` plus four times `index`, with the upper half 0.
    pub fn load32_indexed(&mut self, reg: u8, base: u8, index: u8) {
        self.rex(false, reg, index, base);
        self.bytes(&[0x8b, 0x80 | (reg & 7) << 3 | 4, 0x80 | (index & 7) << 3 | base & 7]);
        self.bytes(&[0; 4]);
    }

    pub fn store(&mut self, reg: u8, base: u8, distance: i32) {
        self.with_memory(true, 0x89, reg, base, distance);
    }

    pub fn store32(&mut self, reg: u8, base: u8, distance: i32) {
        self.with_memory(false, 0x89, reg, base, distance);
    }

    /// The 32-bit word in memory becomes a constant.
    pub fn store_constant(&mut self, value: u32, base: u8, distance: i32) {
        self.with_memory(false, 0xc7, 0, base, distance);
        self.bytes(&value.to_le_bytes());
    }

    pub fn mov(&mut self, to: u8, from: u8) {
        self.rex(true, from, 0, to);
        self.bytes(&[0x89, 0xc0 | (from & 7) << 3 | to & 7]);
    }

    /// A constant, with the upper half 0.
    pub fn constant(&mut self, to: u8, value: u32) {
        self.rex(false, 0, 0, to);
        self.byte(0xb8 | to & 7);
        self.bytes(&value.to_le_bytes());
    }

    pub(super) fn arithmetic(&mut self, extension: u8, wide: bool, reg: u8, value: i32) {
        self.rex(wide, 0, 0, reg);
        self.bytes(&[0x81, 0xc0 | extension << 3 | reg & 7]);
        self.bytes(&value.to_le_bytes());
    }

    pub fn add(&mut self, reg: u8, value: i32) {
        self.arithmetic(0, true, reg, value);
    }

    pub fn sub(&mut self, reg: u8, value: i32) {
        self.arithmetic(5, true, reg, value);
    }

    pub fn cmp(&mut self, reg: u8, value: i32) {
        self.arithmetic(7, true, reg, value);
    }

    pub fn and32(&mut self, reg: u8, value: i32) {
        self.arithmetic(4, false, reg, value);
    }

    /// 32-bit sum with a constant.
    pub fn add32(&mut self, reg: u8, value: i32) {
        self.arithmetic(0, false, reg, value);
    }

    fn two(&mut self, opcode: u8, to: u8, from: u8) {
        self.rex(true, from, 0, to);
        self.bytes(&[opcode, 0xc0 | (from & 7) << 3 | to & 7]);
    }

    pub fn add_reg(&mut self, to: u8, from: u8) {
        self.two(0x01, to, from);
    }

    pub fn sub_reg(&mut self, to: u8, from: u8) {
        self.two(0x29, to, from);
    }

    pub fn cmp_reg(&mut self, a: u8, b: u8) {
        self.two(0x39, a, b);
    }

    /// `to` less the 64-bit word in memory.
    pub fn sub_memory(&mut self, to: u8, base: u8, distance: i32) {
        self.with_memory(true, 0x2b, to, base, distance);
    }

    /// 32-bit difference, with the upper half 0.
    pub fn sub32_memory(&mut self, to: u8, base: u8, distance: i32) {
        self.with_memory(false, 0x2b, to, base, distance);
    }

    /// Both of the 32-bit words.
    pub fn and32_memory(&mut self, to: u8, base: u8, distance: i32) {
        self.with_memory(false, 0x23, to, base, distance);
    }

    pub fn add_memory(&mut self, to: u8, base: u8, distance: i32) {
        self.with_memory(true, 0x03, to, base, distance);
    }

    pub fn cmp_memory(&mut self, reg: u8, base: u8, distance: i32) {
        self.with_memory(true, 0x3b, reg, base, distance);
    }

    /// Compares the 32-bit word in memory with a constant.
    pub fn cmp_constant32(&mut self, base: u8, distance: i32, value: i32) {
        self.rex(false, 0, 0, base);
        self.byte(0x81);
        self.memory(7, base, distance);
        self.bytes(&value.to_le_bytes());
    }

    pub fn add32_memory(&mut self, to: u8, base: u8, distance: i32) {
        self.with_memory(false, 0x03, to, base, distance);
    }

    /// Adds a constant to the 32-bit word in memory.
    pub fn add_to_memory32(&mut self, base: u8, distance: i32, value: i32) {
        self.with_memory(false, 0x81, 0, base, distance);
        self.bytes(&value.to_le_bytes());
    }

    pub fn add_reg_to_memory(&mut self, from: u8, base: u8, distance: i32) {
        self.with_memory(true, 0x01, from, base, distance);
    }

    /// Adds a constant to the 64-bit word in memory.
    pub fn add_to_memory(&mut self, base: u8, distance: i32, value: i32) {
        self.with_memory(true, 0x81, 0, base, distance);
        self.bytes(&value.to_le_bytes());
    }

    pub fn lea(&mut self, to: u8, base: u8, distance: i32) {
        self.with_memory(true, 0x8d, to, base, distance);
    }

    /// 32-bit shift to the right.
    pub fn shr32(&mut self, reg: u8, count: u8) {
        self.rex(false, 0, 0, reg);
        self.bytes(&[0xc1, 0xe8 | reg & 7, count]);
    }

    pub fn shl(&mut self, reg: u8, count: u8) {
        self.rex(true, 0, 0, reg);
        self.bytes(&[0xc1, 0xe0 | reg & 7, count]);
    }

    /// 64-bit shift to the right by the low byte of `rcx`.
    pub fn shr_by_rcx(&mut self, reg: u8) {
        self.rex(true, 0, 0, reg);
        self.bytes(&[0xd3, 0xe8 | reg & 7]);
    }

    /// Carry becomes the bit of `reg` with this number.
    pub fn bit_test(&mut self, reg: u8, number: u8) {
        self.rex(true, number, 0, reg);
        self.bytes(&[0x0f, 0xa3, 0xc0 | (number & 7) << 3 | reg & 7]);
    }

    /// 32-bit decrement that stays at 0.
    pub fn count_down32(&mut self, reg: u8) {
        self.arithmetic(5, false, reg, 1);
        self.arithmetic(2, false, reg, 0);
    }

    /// Adds a constant to the byte in memory.
    pub fn add_to_byte(&mut self, base: u8, distance: i32, value: i8) {
        self.with_memory(false, 0x80, 0, base, distance);
        self.byte(value as u8);
    }

    /// Compares the byte in memory with a constant.
    pub fn cmp_byte(&mut self, base: u8, distance: i32, value: u8) {
        self.rex(false, 0, 0, base);
        self.byte(0x80);
        self.memory(7, base, distance);
        self.byte(value);
    }

    pub fn test32(&mut self, a: u8, b: u8) {
        self.rex(false, b, 0, a);
        self.bytes(&[0x85, 0xc0 | (b & 7) << 3 | a & 7]);
    }

    pub fn test_constant32(&mut self, reg: u8, value: u32) {
        self.rex(false, 0, 0, reg);
        self.bytes(&[0xf7, 0xc0 | reg & 7]);
        self.bytes(&value.to_le_bytes());
    }

    /// The byte register becomes 1 or 0.
    pub fn set(&mut self, cc: Cc, reg: u8) {
        self.rex(false, 0, 0, reg);
        self.bytes(&[0x0f, 0x90 | cc as u8, 0xc0 | reg & 7]);
    }

    /// Extends the low byte.
    pub fn extend_byte(&mut self, reg: u8) {
        self.rex(false, reg, 0, reg);
        self.bytes(&[0x0f, 0xb6, 0xc0 | (reg & 7) << 3 | reg & 7]);
    }

    pub fn push(&mut self, reg: u8) {
        self.rex(false, 0, 0, reg);
        self.byte(0x50 | reg & 7);
    }

    pub fn pop(&mut self, reg: u8) {
        self.rex(false, 0, 0, reg);
        self.byte(0x58 | reg & 7);
    }

    pub fn ret(&mut self) {
        self.byte(0xc3);
    }

    pub fn jump(&mut self, label: Label) {
        self.byte(0xe9);
        self.distance(label);
    }

    pub fn jump_if(&mut self, cc: Cc, label: Label) {
        self.bytes(&[0x0f, 0x80 | cc as u8]);
        self.distance(label);
    }

    pub fn call(&mut self, label: Label) {
        self.byte(0xe8);
        self.distance(label);
    }

    pub fn jump_to(&mut self, reg: u8) {
        self.rex(false, 0, 0, reg);
        self.bytes(&[0xff, 0xe0 | reg & 7]);
    }

    pub fn call_memory(&mut self, base: u8, distance: i32) {
        self.rex(false, 0, 0, base);
        self.byte(0xff);
        self.memory(2, base, distance);
    }
}
