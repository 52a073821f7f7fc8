//! The condition flags of 16 lanes and the conditions over them (guide p. 28 and 34).

use super::Lanes;
use crate::vc4::{BranchCond, Cond};

/// One bit per lane for each flag; bit i belongs to lane i.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags {
    /// Zero: all bits of the result were clear.
    pub z: u16,
    /// Negative: bit 31 of the result.
    pub n: u16,
    /// Carry; its meaning depends on the operation.
    pub c: u16,
}

impl Flags {
    /// The lanes in which a condition holds.
    #[inline(always)]
    pub fn lanes(&self, cond: Cond) -> u16 {
        match cond {
            Cond::Never => 0,
            Cond::Always => !0,
            Cond::Zs => self.z,
            Cond::Zc => !self.z,
            Cond::Ns => self.n,
            Cond::Nc => !self.n,
            Cond::Cs => self.c,
            Cond::Cc => !self.c,
        }
    }

    /// Whether a branch with this condition is taken.
    #[inline(always)]
    pub fn holds(&self, cond: BranchCond) -> bool {
        match cond {
            BranchCond::AllZs => self.z == !0,
            BranchCond::AllZc => self.z == 0,
            BranchCond::AnyZs => self.z != 0,
            BranchCond::AnyZc => self.z != !0,
            BranchCond::AllNs => self.n == !0,
            BranchCond::AllNc => self.n == 0,
            BranchCond::AnyNs => self.n != 0,
            BranchCond::AnyNc => self.n != !0,
            BranchCond::AllCs => self.c == !0,
            BranchCond::AllCc => self.c == 0,
            BranchCond::AnyCs => self.c != 0,
            BranchCond::AnyCc => self.c != !0,
            BranchCond::Always => true,
        }
    }

    /// Takes the flags of a result in the lanes of `mask`; the other lanes keep theirs.
    pub fn update(&mut self, mask: u16, result: &Lanes, carry: u16) {
        let (mut z, mut n) = (0, 0);
        for (lane, bits) in result.0.iter().enumerate() {
            z |= u16::from(*bits == 0) << lane;
            n |= ((bits >> 31) as u16) << lane;
        }
        self.z = self.z & !mask | z & mask;
        self.n = self.n & !mask | n & mask;
        self.c = self.c & !mask | carry & mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_and_its_inverse_share_the_lanes() {
        let flags = Flags { z: 0x00f1, n: 0x8000, c: 0xffff };
        for &cond in Cond::ALL {
            assert_eq!(flags.lanes(cond) ^ flags.lanes(cond.inverse()), !0, "{cond:?}");
        }
        for &cond in BranchCond::ALL {
            if let Some(inverse) = cond.inverse() {
                assert_ne!(flags.holds(cond), flags.holds(inverse), "{cond:?}");
            }
        }
        assert!(flags.holds(BranchCond::AllCs) && flags.holds(BranchCond::AnyNs) && !flags.holds(BranchCond::AllNs));
    }

    #[test]
    fn an_update_touches_only_its_lanes() {
        let mut flags = Flags { z: 0, n: !0, c: 0 };
        flags.update(0x0003, &Lanes::ZERO, 0xffff);
        assert_eq!(flags, Flags { z: 3, n: !3, c: 3 });
    }
}
