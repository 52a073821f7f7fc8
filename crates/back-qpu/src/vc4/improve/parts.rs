//! Bytes and halves of words are taken where they are read: file A unpacks them on the way.
//!
//! ```text
//! shr y, x, 8
//! and t, y, 255
//! add z, z, t       ⟶     add z, z, x.8b
//! ```
//! The word must lie in file A then, and nothing else beside it. Operations on floats read other things of a part, so they keep
//! their integers. It runs before results of the TMUs are read from r4, where no part of them can be had.

use super::Counts;
use crate::machine::isa::Instruction;
use crate::machine::registers::Bank;
use crate::vc4::minst::{Block, Code, MInst, Oper, Reg, Rotate, Src};
use quadra_base::quick::Map;
use quadra_isa::vc4::{AddOp, Unpack};

/// What a register holds of another one, as long as neither changes.
#[derive(Clone, Copy, PartialEq)]
enum Holds {
    /// Shifted right, zeros or the sign coming in, or left.
    Shr(u32),
    Shl(u32),
    Part(Unpack),
}

/// A part and who reads it.
struct Found {
    word: u32,
    part: Unpack,
    /// Operations that go if it is unpacked where it is read.
    saved: u32,
    temp: u32,
    /// Block, instruction and operand.
    readers: Vec<(usize, usize, usize)>,
}

/// Reads parts from the words that they are parts of.
pub fn run(code: &mut Code) {
    let counts = Counts::of(code);
    let mut found: Vec<Found> = Vec::new();
    for b in 0..code.blocks.len() {
        block(code, b, &counts, &mut found);
    }
    found.retain(|f| f.readers.len() == counts.uses[f.temp as usize] as usize && !f.readers.is_empty());
    let mut saved: Map<u32, u32> = Map::default();
    found.iter().for_each(|f| *saved.entry(f.word).or_default() += f.saved);
    let from_r4 = from_r4(code);
    for f in found {
        // A result of a TMU would need no register of its own. A single operation that runs less often than others is not worth
        // binding a word to a file: registers of inner loops would have to make room.
        let b = f.readers[0].0;
        let cheaper = saved[&f.word] > u32::from(from_r4[f.word as usize] || !is_innermost(code, b));
        let free = |&(b, i, _): &(usize, usize, usize)| !code.blocks[b].insts[i].src.iter().flatten().any(is_part);
        if cheaper && f.readers.iter().all(free) {
            for (b, i, s) in f.readers {
                code.blocks[b].insts[i].src[s] = Some(Src::Part(Reg::Virt(f.word), f.part));
            }
            code.virt[f.word as usize].bank = Some(Bank::File(0));
        }
    }
}

/// Whether a block belongs to a loop with no loops inside.
fn is_innermost(code: &Code, b: usize) -> bool {
    let depth = code.blocks[b].depth;
    let same = |block: &&Block| block.depth >= depth;
    let mut around = code.blocks[..b].iter().rev().take_while(same).chain(code.blocks[b..].iter().take_while(same));
    depth > 0 && around.all(|block| block.depth == depth)
}

fn is_part(s: &Src) -> bool {
    matches!(s, Src::Part(..))
}

/// Per register, whether it is a plain copy of r4.
fn from_r4(code: &Code) -> Vec<bool> {
    let mut out = vec![false; code.virt.len()];
    for inst in code.blocks.iter().flat_map(|b| &b.insts) {
        if let Some(v) = inst.def().and_then(Reg::virt) {
            out[v as usize] = inst.op == Oper::Mov && inst.src[0] == Some(Src::Reg(Reg::R4));
        }
    }
    out
}

fn block(code: &Code, b: usize, counts: &Counts, found: &mut Vec<Found>) {
    let mut holds: Map<u32, (u32, Holds)> = Map::default();
    // The parts that have not changed yet, by register.
    let mut open: Map<u32, usize> = Map::default();
    for (i, inst) in code.blocks[b].insts.iter().enumerate() {
        for (s, src) in inst.src.iter().enumerate() {
            if let Some(Src::Reg(Reg::Virt(t))) = src
                && let Some(&f) = open.get(t)
                && may_read_part(inst, s, found[f].word)
            {
                found[f].readers.push((b, i, s));
            }
        }
        let Some(d) = inst.def().and_then(Reg::virt) else { continue };
        let new = held(code, counts, inst, &holds).filter(|(word, _)| *word != d);
        holds.retain(|t, (word, _)| *t != d && *word != d);
        open.retain(|t, f| *t != d && found[*f].word != d);
        let Some((word, what)) = new else { continue };
        holds.insert(d, (word, what));
        if let Holds::Part(part) = what
            && counts.defs[d as usize] == 1
            && code.virt[word as usize].bank != Some(Bank::Quick)
        {
            open.insert(d, found.len());
            let through = inst.reads().filter_map(Reg::virt).find(|y| *y != word && holds.contains_key(y));
            let saved = 1 + u32::from(through.is_some_and(|y| counts.is_temporary(y)));
            found.push(Found { word, part, saved, temp: d, readers: Vec::new() });
        }
    }
}

/// Whether operand `s` may be a part of a word: integers are wanted, and nothing else comes from file A.
fn may_read_part(inst: &MInst, s: usize, word: u32) -> bool {
    let integers = match inst.op {
        Oper::Add(op) => !op.takes_floats(),
        Oper::Mul(op) => !op.takes_floats(),
        Oper::Mov => true,
        _ => false,
    };
    let other = match inst.src[1 - s] {
        None | Some(Src::Imm(_)) => true,
        Some(Src::Reg(r)) => r != Reg::Virt(word) && Some(Src::Reg(r)) != inst.src[s],
        Some(_) => false,
    };
    integers && other && inst.rotate == Rotate::None
}

/// What an instruction makes of which word.
fn held(code: &Code, counts: &Counts, inst: &MInst, holds: &Map<u32, (u32, Holds)>) -> Option<(u32, Holds)> {
    if inst.keeps_destination() || inst.sf || inst.rotate != Rotate::None || inst.glued {
        return None;
    }
    let Oper::Add(op) = inst.op else { return None };
    let register = |s: Option<Src>| match s {
        Some(Src::Reg(r)) => r.virt(),
        _ => None,
    };
    let number = |s: Option<Src>| match s? {
        Src::Imm(imm) => Some(imm.bits() as i32),
        Src::Reg(Reg::Virt(v)) if counts.defs[v as usize] == 1 => code.virt[v as usize].constant.map(|c| c as i32),
        _ => None,
    };
    let (a, n) = match (register(inst.src[0]), number(inst.src[1])) {
        (Some(a), Some(n)) => (a, n),
        _ if op == AddOp::And => (register(inst.src[1])?, number(inst.src[0])?),
        _ => return None,
    };
    let before = holds.get(&a).copied();
    Some(match (op, n & 31) {
        (AddOp::And, _) if n == 255 => match before {
            Some((word, Holds::Shr(8))) => (word, Holds::Part(Unpack::B8b)),
            Some((word, Holds::Shr(16))) => (word, Holds::Part(Unpack::B8c)),
            _ => (a, Holds::Part(Unpack::B8a)),
        },
        (AddOp::Shr, 24) => (a, Holds::Part(Unpack::B8d)),
        (AddOp::Shr, n @ (8 | 16)) => (a, Holds::Shr(n as u32)),
        (AddOp::Shl, 16) => (a, Holds::Shl(16)),
        (AddOp::Asr, 16) => match before {
            Some((word, Holds::Shl(16))) => (word, Holds::Part(Unpack::H16a)),
            _ => (a, Holds::Part(Unpack::H16b)),
        },
        // The bits that come in are not looked at.
        (AddOp::Asr, 8) => (a, Holds::Shr(8)),
        _ => return None,
    })
}
