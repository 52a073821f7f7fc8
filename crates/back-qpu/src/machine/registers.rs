//! Registers and the banks that they lie in.
//!
//! Physical registers are numbers: first the quick ones, then those of one or two files, then special ones, which allocation leaves
//! alone. Sets of them are bits of one word.

use super::isa::Isa;

/// A register: virtual until it is allocated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Reg {
    Virt(u32),
    Phys(u8),
}

impl Reg {
    /// The number of a virtual register.
    pub fn virt(self) -> Option<u32> {
        match self {
            Reg::Virt(n) => Some(n),
            Reg::Phys(_) => None,
        }
    }
}

/// Where registers of one kind lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bank {
    /// Read without a port, by the next instruction.
    Quick,
    /// The first file or the second.
    File(u8),
}

impl Bank {
    /// All banks: in tables, the quick registers come first.
    pub const ALL: [Bank; 3] = [Bank::Quick, Bank::File(0), Bank::File(1)];

    /// The number in a table of banks.
    pub fn index(self) -> usize {
        match self {
            Bank::Quick => 0,
            Bank::File(n) => 1 + n as usize,
        }
    }

    /// The registers of this bank; empty if the machine has no such bank.
    pub fn members<I: Isa>(self) -> Set {
        let all = |first: u32, n: u32| ((1 << n) - 1) << first;
        match self {
            Bank::Quick => all(0, I::QUICK.into()),
            Bank::File(n) if n < I::FILES => all((I::QUICK + n * I::FILE).into(), I::FILE.into()),
            Bank::File(_) => 0,
        }
    }

    /// The bank of a physical register that can be allocated.
    pub fn of<I: Isa>(r: Reg) -> Option<Bank> {
        let Reg::Phys(n) = r else { return None };
        if n < I::QUICK {
            Some(Bank::Quick)
        } else {
            let file = (n - I::QUICK) / I::FILE;
            (file < I::FILES).then_some(Bank::File(file))
        }
    }

    /// Register `n` of this bank.
    pub fn register<I: Isa>(self, n: u8) -> Reg {
        match self {
            Bank::Quick => Reg::Phys(n),
            Bank::File(file) => Reg::Phys(I::QUICK + file * I::FILE + n),
        }
    }
}

/// One bit per physical register, and one for the flags.
pub type Set = u128;

/// The bit of a register or of the flags.
pub fn bit(state: usize) -> Set {
    1 << state
}

/// How many registers can be allocated.
pub fn allocatable<I: Isa>() -> usize {
    (I::QUICK + I::FILES * I::FILE).into()
}

/// The number of the flags, behind all registers.
pub fn flags<I: Isa>() -> usize {
    allocatable::<I>() + I::SPECIAL as usize
}

/// The place of a register that can be allocated.
pub fn place<I: Isa>(r: Reg) -> Option<usize> {
    match r {
        Reg::Phys(n) if usize::from(n) < allocatable::<I>() => Some(n.into()),
        _ => None,
    }
}

/// All quick registers and the first `registers` of each file.
pub fn available<I: Isa>(registers: u8) -> Set {
    let files =
        (0..I::FILES).flat_map(|file| (0..registers.min(I::FILE)).map(move |n| Bank::File(file).register::<I>(n)));
    let files = files.filter_map(place::<I>).fold(0, |set, p| set | bit(p));
    files | Bank::Quick.members::<I>()
}

/// The register at a place.
pub fn at(place: usize) -> Reg {
    Reg::Phys(place as u8)
}

/// The places in a set, the first one first.
pub fn each(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (first < Set::BITS).then_some(first as usize)
    })
}

/// The last place in a set.
pub fn last(set: Set) -> Option<usize> {
    set.checked_ilog2().map(|p| p as usize)
}
