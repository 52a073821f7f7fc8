//! Rules H15 to H23 and H49: branches, the start and the end of a program.

use super::super::inst::Inst;
use super::super::op::Signal;
use super::super::reg::{File, Raddr, Waddr};
use super::{Context, flow};

fn is_branch(cx: &Context<'_>, i: usize) -> bool {
    matches!(cx.program.insts[i], Inst::Branch(_))
}

fn ends(cx: &Context<'_>, i: usize) -> bool {
    cx.program.insts[i].signal().ends_program()
}

/// The instructions that pass `first`, each with what executes within `depth` instructions after it.
fn windows(
    cx: &Context<'_>,
    depth: usize,
    first: fn(&Context<'_>, usize) -> bool,
) -> Vec<(usize, Vec<(usize, usize)>)> {
    let mut found = Vec::new();
    for i in (0..cx.program.insts.len()).filter(|i| first(cx, *i)) {
        let mut window = Vec::new();
        flow::after(cx.program, i, depth, &mut |j, distance| window.push((j, distance)));
        found.push((i, window));
    }
    found
}

/// Two branches closer than three instructions.
pub(super) fn h15(cx: &mut Context<'_>) {
    for (i, window) in windows(cx, 2, is_branch) {
        for (j, distance) in window {
            if is_branch(cx, j) {
                let message = format!("a branch {distance} instruction(s) after another branch");
                cx.report(
                    j,
                    Some(i),
                    message,
                    "put at least two other instructions between, even if only one can be taken",
                );
            }
        }
    }
}

/// A branch whose register number also means "set flags".
pub(super) fn h16(cx: &mut Context<'_>) {
    for i in 0..cx.program.insts.len() {
        if let Inst::Branch(branch) = cx.program.insts[i]
            && branch.raddr_a & 1 == 1
        {
            let message =
                format!("the branch uses ra{}: with an odd number it sets the flags when taken", branch.raddr_a);
            cx.report(i, None, message, "use a register with an even number");
        }
    }
}

/// Control flow in the delay slots of a program end or thread switch, and program ends in the delay slots of a branch.
pub(super) fn h18(cx: &mut Context<'_>) {
    let leaves = |cx: &Context<'_>, i: usize| {
        ends(cx, i) || matches!(cx.program.insts[i].signal(), Signal::ThreadSwitch | Signal::LastThreadSwitch)
    };
    for (i, window) in windows(cx, 2, leaves) {
        for (j, _) in window {
            if leaves(cx, j) || is_branch(cx, j) {
                let message = "control flow in the delay slots of a program end or thread switch".to_string();
                cx.report(j, Some(i), message, "fill the two delay slots with other instructions");
            }
        }
    }
    for (i, window) in windows(cx, 3, is_branch) {
        for (j, _) in window {
            if ends(cx, j) {
                let message = "the program ends in the delay slots of a branch".to_string();
                cx.report(j, Some(i), message, "move the end to the branch target");
            }
        }
    }
}

/// The program end with the two instructions after it.
fn last_three(cx: &Context<'_>) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (i, window) in windows(cx, 2, ends) {
        found.push((i, i));
        found.extend(window.into_iter().map(|(j, _)| (i, j)));
    }
    found
}

/// Uniform, varying or VPM access at the end.
pub(super) fn h19(cx: &mut Context<'_>) {
    for (i, j) in last_three(cx) {
        let uses = &cx.uses[j];
        let streams = uses.reads(Raddr::UNIFORM) || uses.reads(Raddr::VARYING);
        let reads_vpm = (48..=50).any(|address| uses.reads(Raddr(address)));
        let message = match (streams, reads_vpm || uses.writes_to(|w| matches!(w.0, 48..=50))) {
            (true, _) => "a uniform or varying is read in the last three instructions",
            (false, true) => "VPM or DMA are accessed in the last three instructions",
            _ => continue,
        };
        cx.report(j, Some(i), message.to_string(), "move the access in front of the program end");
    }
}

/// A register file write beside the program end.
pub(super) fn h20(cx: &mut Context<'_>) {
    for i in 0..cx.program.insts.len() {
        if ends(cx, i) && cx.uses[i].writes_to(Waddr::is_physical) {
            let message = "the instruction with the program end writes a register of file A or B".to_string();
            cx.report(i, None, message, "write an accumulator, or one instruction later");
        }
    }
}

/// Address 14, where the hardware leaves values for the next thread.
pub(super) fn h21(cx: &mut Context<'_>) {
    for (i, j) in last_three(cx) {
        if cx.uses[j].reads(Raddr(14)) || cx.uses[j].writes_to(|w| w == Waddr(14)) {
            let message = "register 14 is accessed in the last three instructions".to_string();
            cx.report(j, Some(i), message, "use another register");
        }
    }
}

/// A depth write in the last instruction.
pub(super) fn h22(cx: &mut Context<'_>) {
    for (i, window) in windows(cx, 2, ends) {
        for (j, distance) in window {
            if distance == 2 && cx.uses[j].writes_to(|w| w == Waddr::TLB_Z) {
                cx.report(j, Some(i), "tlbz is written in the last instruction".to_string(), "write it earlier");
            }
        }
    }
}

/// A program that does not end, or ends before its stores.
pub(super) fn h23(cx: &mut Context<'_>) {
    let len = cx.program.insts.len();
    if len == 0 {
        return;
    }
    let next = flow::successors(cx.program);
    let ended = |i: usize| i >= 2 && ends(cx, i - 2);
    let jumps = |i: usize| i >= 3 && is_branch(cx, i - 3);
    if !ended(len - 1) && !jumps(len - 1) {
        let message = "execution runs past the last instruction".to_string();
        cx.report(len - 1, None, message, "finish with `thrend` and two more instructions");
    } else if !(0..len).any(|i| ends(cx, i)) && !next.iter().enumerate().any(|(i, n)| jumps(i) && n[0].is_none()) {
        let message = "the program has no end".to_string();
        cx.report(len - 1, None, message, "finish with `thrend` and two more instructions");
    }
    let last_store = (0..len).rfind(|i| cx.uses[*i].writes_in(File::B, Waddr::VPM_ST_ADDR));
    if let Some(store) = last_store
        && !(0..len).any(|i| cx.uses[i].raddr_b == Some(Raddr::VPM_ST_WAIT))
    {
        let message = "nothing waits for the DMA store; the host may read stale data".to_string();
        cx.report(store, None, message, "read `vw_wait` before the host interrupt and the program end");
    }
}

/// Scoreboard in the first two instructions (fragment shaders).
pub(super) fn h49(cx: &mut Context<'_>) {
    for i in 0..cx.program.insts.len().min(2) {
        let signal = cx.program.insts[i].signal();
        let loads = matches!(
            signal,
            Signal::ScoreboardWait
                | Signal::CoverageLoad
                | Signal::ColourLoad
                | Signal::ColourLoadEnd
                | Signal::AlphaMaskLoad
        );
        if loads || cx.uses[i].writes_to(Waddr::is_tlb) {
            let message = "the scoreboard is used in the first two instructions".to_string();
            cx.report(i, None, message, "start the fragment shader with two other instructions");
        }
    }
}
