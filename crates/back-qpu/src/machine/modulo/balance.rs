//! Invariants of a loop move to the other file where one file is read much more often than the other: an instruction reads
//! one register of each, so that operations which all read the same file cannot share instructions.

use super::body::{Body, Web, is_fixed, kept};
use crate::machine::isa::{Instruction, Isa, Operand};
use crate::machine::registers::{self, Bank, Reg, available, last};

/// Copies before the loop that this may cost.
const MOST_MOVED: usize = 6;

/// The body with some invariants in the other file, if that makes the reads of both files more equal.
pub fn run<I: Isa>(body: &Body<I>, registers: u8) -> Option<Body<I>> {
    if I::FILES < 2 {
        return None;
    }
    let mut body = body.clone();
    let mut moved = 0;
    while moved < MOST_MOVED {
        let reads = reads(&body);
        let heavy = usize::from(reads[1] > reads[0]);
        let excess = reads[heavy] - reads[1 - heavy];
        // The one that leaves the least difference.
        let in_first = body.in_first();
        let may = |w: &usize| file(&body, *w) == Some(heavy) && may_move(&body, *w) && !in_first[*w];
        let candidates = (0..body.webs.len()).filter(may);
        let best = candidates
            .map(|w| (w, 2 * body.ops.iter().filter(|i| reads_web::<I>(i, w)).count() as i32))
            .filter(|&(_, n)| n > 0 && n < 2 * excess)
            .min_by_key(|&(w, n)| ((excess - 2 * n).abs(), w));
        let Some((w, _)) = best else { break };
        let Some(seat) = spare(&body, 1 - heavy, registers) else { break };
        body.webs[w].seat = Some(seat);
        moved += 1;
    }
    (moved > 0).then_some(body)
}

fn reads_web<I: Isa>(inst: &I::Inst, w: usize) -> bool {
    inst.operands().contains(&Some(Operand::Register(Reg::Virt(w as u32))))
}

/// The file of a web that keeps its register.
fn file<I: Isa>(body: &Body<I>, w: usize) -> Option<usize> {
    let web: &Web = &body.webs[w];
    match Bank::of::<I>(web.seat().filter(|_| is_fixed(web))?)? {
        Bank::File(n) => Some(n.into()),
        Bank::Quick => None,
    }
}

/// Twice the operations that read each file; what is free to lie in a quick register counts half.
fn reads<I: Isa>(body: &Body<I>) -> [i32; 2] {
    let mut out = [0; 2];
    for inst in &body.ops {
        let mut read = [0; 2];
        let files = inst.operands().map(|s| file(body, s?.reg()?.virt()? as usize));
        for f in files.into_iter().flatten() {
            read[f] = 2;
        }
        let free = |s: &Operand| matches!(s, Operand::Register(Reg::Virt(w)) if !is_fixed(&body.webs[*w as usize]));
        if let [Some(f), None] | [None, Some(f)] = files
            && inst.operands().iter().flatten().any(free)
        {
            read[1 - f] = 1;
        }
        out = [out[0] + read[0], out[1] + read[1]];
    }
    out
}

/// Whether all operations that read an invariant can read it from the other file.
fn may_move<I: Isa>(body: &Body<I>, w: usize) -> bool {
    let web = &body.webs[w];
    let to = file(body, w).map(|f| 1 - f);
    let partner_allows = |inst: &I::Inst| {
        inst.operands().iter().flatten().all(|s| match s {
            Operand::Register(Reg::Virt(p)) => *p as usize == w || file(body, *p as usize) != to,
            Operand::Register(_) => true,
            _ => false,
        })
    };
    web.invariant
        && web.live_in.is_some()
        && web.seat.is_none()
        && body.ops.iter().filter(|i| reads_web::<I>(i, w)).all(partner_allows)
}

/// A register of a file that holds nothing at the start of the loop, and nothing of the loop.
fn spare<I: Isa>(body: &Body<I>, file: usize, registers: u8) -> Option<Reg> {
    let taken = body.webs.iter().filter(|w| is_fixed(w)).fold(body.reserved, |set, w| set | kept(w));
    let free = Bank::File(file as u8).members::<I>() & available::<I>(registers) & !taken;
    last(free).map(registers::at)
}
