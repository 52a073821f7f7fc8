//! What a translation depends on: for translators that keep them.

use super::super::code::Kind;
use super::Listing;
use crate::vc4::{Inst, encode};

/// Some decoded instructions of a program, with their places, and what the engines know of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    base: u32,
    count: usize,
    ops: Vec<(usize, Op)>,
}

type Op = (Inst, Kind, u16, u8);

impl Listing<'_> {
    /// What tells programs apart with great probability, and is at hand: where it lies, its length, a hash of what was executed
    /// first.
    pub fn identity(&self) -> (u32, usize, u64) {
        (self.code.base, self.code.count, self.code.origin)
    }

    /// How many instructions are decoded.
    pub fn decoded(&self) -> usize {
        self.code.ops.end() - self.code.ops.start()
    }

    /// Whether an instruction of the program is not decoded yet.
    pub fn is_missing(&self, index: usize) -> bool {
        index < self.code.count && self.code.ops.get(index).is_none_or(|op| op.kind == Kind::Unknown)
    }

    /// These instructions, as they are decoded now.
    pub fn contents(&self, indices: &[usize]) -> Contents {
        let ops = indices.iter().filter_map(|i| Some((*i, self.op(*i)?))).collect();
        Contents { base: self.code.base, count: self.code.count, ops }
    }

    /// Whether the program has all of this now, at the same places.
    pub fn is(&self, contents: &Contents) -> bool {
        let Contents { base, count, ops } = contents;
        (self.code.base, self.code.count) == (*base, *count) && ops.iter().all(|(i, op)| self.op(*i) == Some(*op))
    }

    fn op(&self, index: usize) -> Option<Op> {
        let (op, inst) = (self.code.ops.get(index)?, self.code.insts.get(index)?);
        Some((*inst, op.kind, op.pre, op.post))
    }
}

impl Contents {
    /// How many instructions there are.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// All of it as bytes; different contents give different bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(16 + 16 * self.ops.len());
        bytes.extend_from_slice(&self.base.to_le_bytes());
        bytes.extend_from_slice(&(self.count as u64).to_le_bytes());
        for (index, (inst, kind, pre, post)) in &self.ops {
            bytes.extend_from_slice(&(*index as u32).to_le_bytes());
            bytes.extend_from_slice(&encode(inst).to_le_bytes());
            bytes.extend_from_slice(&pre.to_le_bytes());
            bytes.extend_from_slice(&[*kind as u8, *post]);
        }
        bytes
    }
}
