//! 64-bit word to instruction. Every word either comes back exactly from [`encode`](super::encode()) or is refused with
//! the field that holds a reserved code.

use super::inst::{Alu, Branch, Inst, Ldi, LdiMode, Sema};
use super::op::{AddOp, BranchCond, Cond, MulOp, Signal};
use super::pack::{Pack, Unpack};
use super::reg::{Mux, Raddr, Waddr};

/// Why a word is not an instruction: which field holds which reserved code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DecodeError {
    /// Code of `op_add` that has no operation: 9 to 11, 25 to 29.
    ReservedAddOp(u8),
    /// Code of `pack` that is not defined with `pm` set: 1, 2, 8 to 10, 12 to 15.
    ReservedMulPack(u8),
    /// Mode of a load immediate: 2, 5, 6, 7.
    ReservedLdiMode(u8),
    /// Code of a branch condition: 12 to 14.
    ReservedBranchCond(u8),
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DecodeError::ReservedAddOp(code) => write!(f, "add operation code {code} is reserved"),
            DecodeError::ReservedMulPack(code) => write!(f, "pack code {code} is reserved for the mul ALU (pm = 1)"),
            DecodeError::ReservedLdiMode(code) => write!(f, "load immediate mode {code} is reserved"),
            DecodeError::ReservedBranchCond(code) => write!(f, "branch condition code {code} is reserved"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// The instruction of a word.
///
/// # Errors
/// The reserved code that makes the word invalid.
///
/// ```
/// use quadra_isa::vc4::{Inst, decode};
/// assert_eq!(decode(0x100009e7_009e7000), Ok(Inst::NOP));
/// assert!(decode(0x100009e7_099e7000).is_err());
/// ```
pub fn decode(word: u64) -> Result<Inst, DecodeError> {
    match field(word, 60, 4) {
        15 => branch(word).map(Inst::Branch),
        14 if field(word, 57, 3) == 4 => sema(word).map(Inst::Sema),
        14 => ldi(word).map(Inst::Ldi),
        _ => alu(word).map(Inst::Alu),
    }
}

fn field(word: u64, shift: u32, bits: u32) -> u8 {
    (word >> shift & ((1 << bits) - 1)) as u8
}

fn flag(word: u64, shift: u32) -> bool {
    word >> shift & 1 == 1
}

fn cond(word: u64, shift: u32) -> Cond {
    Cond::from_code(field(word, shift, 3)).expect("all eight conditions are defined")
}

fn mux(word: u64, shift: u32) -> Mux {
    Mux::from_code(field(word, shift, 3))
}

fn pack(word: u64) -> Result<Pack, DecodeError> {
    let pack = Pack::from_code(field(word, 52, 4));
    if flag(word, 56) && !pack.valid_for_mul() {
        return Err(DecodeError::ReservedMulPack(pack.code()));
    }
    Ok(pack)
}

fn alu(word: u64) -> Result<Alu, DecodeError> {
    let op_add = field(word, 24, 5);
    Ok(Alu {
        sig: Signal::from_code(field(word, 60, 4)).expect("codes 14 and 15 were told apart before"),
        unpack: Unpack::from_code(field(word, 57, 3)),
        pm: flag(word, 56),
        pack: pack(word)?,
        cond_add: cond(word, 49),
        cond_mul: cond(word, 46),
        sf: flag(word, 45),
        ws: flag(word, 44),
        waddr_add: Waddr(field(word, 38, 6)),
        waddr_mul: Waddr(field(word, 32, 6)),
        op_mul: MulOp::from_code(field(word, 29, 3)).expect("all eight mul operations are defined"),
        op_add: AddOp::from_code(op_add).ok_or(DecodeError::ReservedAddOp(op_add))?,
        raddr_a: Raddr(field(word, 18, 6)),
        raddr_b: Raddr(field(word, 12, 6)),
        add_a: mux(word, 9),
        add_b: mux(word, 6),
        mul_a: mux(word, 3),
        mul_b: mux(word, 0),
    })
}

fn ldi(word: u64) -> Result<Ldi, DecodeError> {
    let mode = match field(word, 57, 3) {
        0 => LdiMode::All,
        1 => LdiMode::PerLaneSigned,
        3 => LdiMode::PerLaneUnsigned,
        code => return Err(DecodeError::ReservedLdiMode(code)),
    };
    Ok(Ldi {
        mode,
        pm: flag(word, 56),
        pack: pack(word)?,
        cond_add: cond(word, 49),
        cond_mul: cond(word, 46),
        sf: flag(word, 45),
        ws: flag(word, 44),
        waddr_add: Waddr(field(word, 38, 6)),
        waddr_mul: Waddr(field(word, 32, 6)),
        imm: word as u32,
    })
}

fn sema(word: u64) -> Result<Sema, DecodeError> {
    Ok(Sema {
        pm: flag(word, 56),
        pack: pack(word)?,
        cond_add: cond(word, 49),
        cond_mul: cond(word, 46),
        sf: flag(word, 45),
        ws: flag(word, 44),
        waddr_add: Waddr(field(word, 38, 6)),
        waddr_mul: Waddr(field(word, 32, 6)),
        down: flag(word, 4),
        number: field(word, 0, 4),
        ignored: word as u32 >> 5,
    })
}

fn branch(word: u64) -> Result<Branch, DecodeError> {
    let code = field(word, 52, 4);
    Ok(Branch {
        cond: BranchCond::from_code(code).ok_or(DecodeError::ReservedBranchCond(code))?,
        rel: flag(word, 51),
        reg: flag(word, 50),
        raddr_a: field(word, 45, 5),
        ws: flag(word, 44),
        waddr_add: Waddr(field(word, 38, 6)),
        waddr_mul: Waddr(field(word, 32, 6)),
        imm: word as u32 as i32,
        ignored: field(word, 56, 4),
    })
}

#[cfg(test)]
mod tests {
    use super::super::encode;
    use super::*;

    #[test]
    fn words_come_back_or_name_their_reserved_code() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let (mut valid, mut invalid) = (0, 0);
        for _ in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let word = state ^ state >> 29;
            match decode(word) {
                Ok(inst) => {
                    assert_eq!(encode(&inst), word, "{word:016x} {inst:?}");
                    valid += 1;
                }
                Err(_) => invalid += 1,
            }
        }
        assert!(valid > 50_000 && invalid > 20_000, "{valid} valid, {invalid} invalid");
    }

    #[test]
    fn reserved_codes_are_named() {
        assert_eq!(decode(0x100009e7_099e7000), Err(DecodeError::ReservedAddOp(9)));
        assert_eq!(decode(0x111009e7_009e7000), Err(DecodeError::ReservedMulPack(1)));
        assert_eq!(decode(0xe40009e7_00000000), Err(DecodeError::ReservedLdiMode(2)));
        assert_eq!(decode(0xf0c009e7_00000000), Err(DecodeError::ReservedBranchCond(12)));
    }
}
