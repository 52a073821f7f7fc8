//! Invariants of a loop move to the other file where one file is read much more often than the other: an instruction reads
//! one register of each, so that operations which all read the same file cannot share instructions.

use super::body::Body;
use super::forward::occupancy::{is_fixed, kept};
use crate::machine::live_physical::bit;
use crate::machine::schedule::deps;
use crate::vc4::minst::{MInst, Reg, Src};

/// Copies before the loop that this may cost.
const MOST_MOVED: usize = 6;

/// The body with some invariants in the other file, if that makes the reads of both files more equal.
pub fn run(body: &Body, registers: u8) -> Option<Body> {
    let mut body = body.clone();
    let mut moved = 0;
    while moved < MOST_MOVED {
        let reads = reads(&body);
        let heavy = usize::from(reads[1] > reads[0]);
        let excess = reads[heavy] - reads[1 - heavy];
        // The one that leaves the least difference.
        let in_a = body.in_a();
        let may = |w: &usize| file(&body, *w) == Some(heavy) && may_move(&body, *w) && !in_a[*w];
        let candidates = (0..body.webs.len()).filter(may);
        let best = candidates
            .map(|w| (w, 2 * body.ops.iter().filter(|i| reads_web(i, w)).count() as i32))
            .filter(|&(_, n)| n > 0 && n < 2 * excess)
            .min_by_key(|&(w, n)| ((excess - 2 * n).abs(), w));
        let Some((w, _)) = best else { break };
        let Some(seat) = spare(&body, 1 - heavy, registers) else { break };
        body.webs[w].seat = Some(seat);
        moved += 1;
    }
    (moved > 0).then_some(body)
}

fn reads_web(inst: &MInst, w: usize) -> bool {
    inst.src.iter().flatten().any(|s| *s == Src::Reg(Reg::Virt(w as u32)))
}

/// The file of a web that keeps its register.
fn file(body: &Body, w: usize) -> Option<usize> {
    let web = &body.webs[w];
    let place = if is_fixed(web) { web.seat() } else { None };
    match place? {
        Reg::A(_) => Some(0),
        Reg::B(_) => Some(1),
        _ => None,
    }
}

/// Twice the operations that read each file; what is free to lie in an accumulator counts half.
fn reads(body: &Body) -> [i32; 2] {
    let mut out = [0; 2];
    for inst in &body.ops {
        let mut read = [0; 2];
        let files = inst.src.map(|s| s.and_then(Src::reg).and_then(Reg::virt).and_then(|w| file(body, w as usize)));
        for f in files.into_iter().flatten() {
            read[f] = 2;
        }
        let free = |s: &Src| matches!(s, Src::Reg(Reg::Virt(w)) if !is_fixed(&body.webs[*w as usize]));
        if let [Some(f), None] | [None, Some(f)] = files
            && inst.src.iter().flatten().any(free)
        {
            read[1 - f] = 1;
        }
        out = [out[0] + read[0], out[1] + read[1]];
    }
    out
}

/// Whether all operations that read an invariant can read it from the other file.
fn may_move(body: &Body, w: usize) -> bool {
    let web = &body.webs[w];
    let to = file(body, w).map(|f| 1 - f);
    let partner_allows = |inst: &MInst| {
        inst.src.iter().flatten().all(|s| match s {
            Src::Reg(Reg::Virt(p)) => *p as usize == w || file(body, *p as usize) != to,
            Src::Reg(_) => true,
            _ => false,
        })
    };
    web.invariant
        && web.live_in.is_some()
        && web.seat.is_none()
        && body.ops.iter().filter(|i| reads_web(i, w)).all(partner_allows)
}

/// A register of a file that holds nothing at the start of the loop, and nothing of the loop.
fn spare(body: &Body, file: usize, registers: u8) -> Option<Reg> {
    let mut taken = body.reserved;
    for web in &body.webs {
        taken |= if is_fixed(web) { kept(web) } else { 0 };
    }
    let reg = |n| if file == 0 { Reg::A(n) } else { Reg::B(n) };
    (0..registers.min(32)).rev().map(reg).find(|r| taken & bit(deps::resource(*r)) == 0)
}
