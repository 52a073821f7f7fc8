//! Operands of the builder: registers by their names in assembly text, constants by `into()`.
#![allow(non_upper_case_globals)]

use super::super::imm::{Rotation, SmallImm};
use super::super::line::{LdiValue, Place, Reg, Slice, SliceKind, Src};
use super::super::names::Named;
use super::super::pack::{Pack, Unpack};
use super::super::reg::File;

/// A register as an operand or destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct R {
    /// What it is where it is read and where it is written.
    pub named: Named,
    /// The part of it that is meant.
    pub slice: Option<Slice>,
    /// As an operand: how far its elements move up.
    pub rotate: Option<Rotation>,
}

/// A source operand: a register or a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    Reg(R),
    Imm(u32),
}

const fn both(place: Place) -> R {
    R { named: Named { read: Some(place), write: Some(place) }, slice: None, rotate: None }
}

const fn read(place: Place) -> R {
    R { named: Named { read: Some(place), write: None }, slice: None, rotate: None }
}

const fn write(place: Place) -> R {
    R { named: Named { read: None, write: Some(place) }, slice: None, rotate: None }
}

/// Register `n` of file A. Numbers from 32 name peripherals, as `ra32` does in text; beyond 63 there is nothing, which
/// [`Asm::finish`](super::Asm::finish) reports.
pub const fn ra(n: u8) -> R {
    numbered(File::A, n)
}

/// Register `n` of file B, likewise.
pub const fn rb(n: u8) -> R {
    numbered(File::B, n)
}

const fn numbered(file: File, n: u8) -> R {
    if n < 64 {
        both(Place::File(file, n))
    } else {
        R { named: Named { read: None, write: None }, slice: None, rotate: None }
    }
}

pub const r0: R = both(Place::Acc(0));
pub const r1: R = both(Place::Acc(1));
pub const r2: R = both(Place::Acc(2));
pub const r3: R = both(Place::Acc(3));
/// Results of SFU and load signals; cannot be written.
pub const r4: R = read(Place::Acc(4));
/// For reading; write [`r5quad`] or [`r5rep`].
pub const r5: R = read(Place::Acc(5));
/// r5 from lanes 0, 4, 8 and 12, each for its quad.
pub const r5quad: R = write(Place::File(File::A, 37));
/// r5 from lane 0 for all lanes.
pub const r5rep: R = write(Place::File(File::B, 37));
/// No register: `-` in text.
pub const null: R = both(Place::Io(39));
/// The next value of the uniform stream.
pub const unif: R = read(Place::Io(32));
/// Lane i reads i.
pub const elem_num: R = read(Place::File(File::A, 38));
/// The number of this QPU.
pub const qpu_num: R = read(Place::File(File::B, 38));
/// The next vector of the VPM, in either direction.
pub const vpm: R = both(Place::Io(48));
/// Setup of VPM reads and DMA loads.
pub const vr_setup: R = write(Place::File(File::A, 49));
/// Setup of VPM writes and DMA stores.
pub const vw_setup: R = write(Place::File(File::B, 49));
/// Starts a DMA load.
pub const vr_addr: R = write(Place::File(File::A, 50));
/// Starts a DMA store.
pub const vw_addr: R = write(Place::File(File::B, 50));
/// Waits for the DMA load.
pub const vr_wait: R = read(Place::File(File::A, 50));
/// Waits for the DMA store.
pub const vw_wait: R = read(Place::File(File::B, 50));
/// Reading acquires the mutex, writing releases it.
pub const mutex: R = both(Place::Io(51));
/// Non-zero raises the host interrupt.
pub const irq: R = write(Place::Io(38));
/// The address of the uniform stream.
pub const unif_addr: R = write(Place::File(File::A, 40));
/// Non-zero switches TMU balancing off.
pub const tmurs: R = write(Place::Io(36));
/// 1/x into r4.
pub const recip: R = write(Place::Io(52));
/// 1/sqrt|x| into r4.
pub const recipsqrt: R = write(Place::Io(53));
/// 2^x into r4.
pub const exp: R = write(Place::Io(54));
/// log2|x| into r4.
pub const log: R = write(Place::Io(55));
/// TMU0 address or coordinate s.
pub const t0s: R = write(Place::Io(56));
/// TMU0 coordinate t.
pub const t0t: R = write(Place::Io(57));
/// TMU0 coordinate r or border colour.
pub const t0r: R = write(Place::Io(58));
/// TMU0 level-of-detail bias.
pub const t0b: R = write(Place::Io(59));
/// TMU1 address or coordinate s.
pub const t1s: R = write(Place::Io(60));
/// TMU1 coordinate t.
pub const t1t: R = write(Place::Io(61));
/// TMU1 coordinate r or border colour.
pub const t1r: R = write(Place::Io(62));
/// TMU1 level-of-detail bias.
pub const t1b: R = write(Place::Io(63));

impl R {
    /// As an operand: the elements move up by `n` mod 16, so that element 0 of the result is element 16 - n of this.
    pub fn rot(self, n: u8) -> R {
        R { rotate: SmallImm::from_rotation(n).map(|_| Rotation::By(n & 15)), ..self }
    }

    /// As an operand: the elements move up by bits 3:0 of r5.
    pub const fn rot_r5(self) -> R {
        R { rotate: Some(Rotation::R5), ..self }
    }

    /// As an operand: this part of the register.
    pub fn unpack(self, unpack: Unpack) -> R {
        R { slice: Slice::of_unpack(unpack), ..self }
    }

    /// As a destination in file A: into this part.
    pub fn pack(self, pack: Pack) -> R {
        let slice = (pack != Pack::None).then_some(Slice { pack: Some(pack), unpack: None, kind: SliceKind::Int });
        R { slice, ..self }
    }

    /// As a destination of the mul ALU: a colour of 0.0 to 1.0 into a byte, or replicated with [`Pack::B8888`].
    pub fn pack_colour(self, pack: Pack) -> R {
        let slice = (pack != Pack::None).then_some(Slice { pack: Some(pack), unpack: None, kind: SliceKind::Float });
        R { slice, ..self }
    }

    pub(super) fn source(self) -> Option<Reg> {
        Some(Reg { place: self.named.read?, slice: self.slice, rotate: self.rotate })
    }

    pub(super) fn destination(self) -> Option<Reg> {
        Some(Reg { place: self.named.write?, slice: self.slice, rotate: None })
    }
}

impl From<R> for Operand {
    fn from(reg: R) -> Operand {
        Operand::Reg(reg)
    }
}

impl From<i32> for Operand {
    fn from(value: i32) -> Operand {
        Operand::Imm(value as u32)
    }
}

impl From<u32> for Operand {
    fn from(value: u32) -> Operand {
        Operand::Imm(value)
    }
}

impl From<f32> for Operand {
    fn from(value: f32) -> Operand {
        Operand::Imm(value.to_bits())
    }
}

impl From<i32> for LdiValue {
    fn from(value: i32) -> LdiValue {
        LdiValue::All(value as u32)
    }
}

impl From<u32> for LdiValue {
    fn from(value: u32) -> LdiValue {
        LdiValue::All(value)
    }
}

impl From<f32> for LdiValue {
    fn from(value: f32) -> LdiValue {
        LdiValue::All(value.to_bits())
    }
}

/// One value per lane, all within -2..=1 or all within 0..=3.
impl From<[i8; 16]> for LdiValue {
    fn from(values: [i8; 16]) -> LdiValue {
        LdiValue::PerLane(values)
    }
}

impl Operand {
    pub(super) fn source(self) -> Option<Src> {
        match self {
            Operand::Imm(bits) => Some(Src::Imm(bits)),
            Operand::Reg(reg) => reg.source().map(Src::Reg),
        }
    }
}
