//! What a translation depends on: for translators that keep them.

use super::super::code::Kind;
use super::Listing;
use crate::vc4::Inst;

/// The decoded instructions of a program, and what the engines know of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    base: u32,
    count: usize,
    first: usize,
    ops: Vec<(Inst, Kind, u16, u8)>,
}

impl Listing<'_> {
    /// A hash of the [`Contents`], which is at hand.
    pub fn digest(&self) -> u64 {
        self.code.digest
    }

    /// How many instructions are decoded.
    pub fn decoded(&self) -> usize {
        self.code.ops.end() - self.code.ops.start()
    }

    /// All that is decoded now.
    pub fn contents(&self) -> Contents {
        let first = self.code.ops.start();
        Contents { base: self.code.base, count: self.code.count, first, ops: self.each().collect() }
    }

    /// Whether this is all that is decoded now.
    pub fn is(&self, contents: &Contents) -> bool {
        let Contents { base, count, first, ops } = contents;
        let place = (self.code.base, self.code.count, self.code.ops.start());
        place == (*base, *count, *first) && self.decoded() == ops.len() && self.each().eq(ops.iter().copied())
    }

    fn each(&self) -> impl Iterator<Item = (Inst, Kind, u16, u8)> {
        let code = self.code;
        (code.ops.start()..code.ops.end()).map(|i| (code.insts[i], code.ops[i].kind, code.ops[i].pre, code.ops[i].post))
    }
}
