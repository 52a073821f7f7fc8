//! Rules H37 to H46: queues and locks, by one analysis of how much can be outstanding at each instruction.
//!
//! The analysis keeps, per instruction, the least and the most that can be outstanding on any way there. Most rules report
//! only what is wrong on every way; what may be wrong on some way is a warning, and only for the depth of the TMU queue.

use super::super::inst::Inst;
use super::super::op::Signal;
use super::super::reg::{File, Raddr, Waddr};
use super::{Context, Severity, data, flow};

/// Counts above this are not told apart.
const MOST: u8 = 17;

/// The TMU requests that measurements found reliable; the guide has 8.
const TMU_DEPTH: u8 = 4;

/// The least and the most of something outstanding.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Range {
    least: u8,
    most: u8,
}

impl Range {
    const ZERO: Range = Range { least: 0, most: 0 };
    const UNKNOWN: Range = Range { least: 0, most: MOST };

    fn exactly(n: u8) -> Range {
        Range { least: n, most: n }
    }

    fn up(self) -> Range {
        Range { least: (self.least + 1).min(MOST), most: (self.most + 1).min(MOST) }
    }

    fn down(self) -> Range {
        let most = if self.most == MOST { MOST } else { self.most.saturating_sub(1) };
        Range { least: self.least.saturating_sub(1), most }
    }

    fn join(self, other: Range) -> Range {
        Range { least: self.least.min(other.least), most: self.most.max(other.most) }
    }
}

/// What is outstanding before an instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State {
    tmu: [Range; 2],
    vpm_reads: Range,
    load: Range,
    store: Range,
    mutex: Range,
}

impl State {
    const START: State = State {
        tmu: [Range::ZERO; 2],
        vpm_reads: Range::ZERO,
        load: Range::ZERO,
        store: Range::ZERO,
        mutex: Range::ZERO,
    };

    fn join(self, other: State) -> State {
        State {
            tmu: [self.tmu[0].join(other.tmu[0]), self.tmu[1].join(other.tmu[1])],
            vpm_reads: self.vpm_reads.join(other.vpm_reads),
            load: self.load.join(other.load),
            store: self.store.join(other.store),
            mutex: self.mutex.join(other.mutex),
        }
    }
}

fn requests(cx: &Context<'_>, i: usize, unit: usize) -> bool {
    cx.uses[i].writes_to(|w| w == [Waddr::TMU0_S, Waddr::TMU1_S][unit])
}

fn collects(cx: &Context<'_>, i: usize, unit: usize) -> bool {
    cx.program.insts[i].signal() == [Signal::LoadTmu0, Signal::LoadTmu1][unit]
}

fn starts_load(cx: &Context<'_>, i: usize) -> bool {
    cx.uses[i].writes_in(File::A, Waddr::VPM_LD_ADDR)
}

fn starts_store(cx: &Context<'_>, i: usize) -> bool {
    cx.uses[i].writes_in(File::B, Waddr::VPM_ST_ADDR)
}

fn transfer(cx: &Context<'_>, i: usize, before: State) -> State {
    let (uses, mut s) = (&cx.uses[i], before);
    for unit in 0..2 {
        if collects(cx, i, unit) {
            s.tmu[unit] = s.tmu[unit].down();
        }
        if requests(cx, i, unit) {
            s.tmu[unit] = s.tmu[unit].up();
        }
    }
    if uses.reads(Raddr::VPM) {
        s.vpm_reads = s.vpm_reads.down();
    }
    match data::vpm_read_setup(cx, i) {
        Some(Some(vectors)) => s.vpm_reads = Range::exactly(vectors as u8),
        // The value may be a DMA setup, which leaves the count, or announce any number.
        Some(None) => s.vpm_reads = Range::UNKNOWN,
        None => {}
    }
    if uses.raddr_a == Some(Raddr::VPM_LD_WAIT) {
        s.load = Range::ZERO;
    }
    if uses.raddr_b == Some(Raddr::VPM_ST_WAIT) {
        s.store = Range::ZERO;
    }
    if starts_load(cx, i) {
        s.load = Range::exactly(1);
    }
    if starts_store(cx, i) {
        s.store = Range::exactly(1);
    }
    if uses.reads(Raddr::MUTEX_ACQUIRE) {
        s.mutex = Range::exactly(1);
    }
    if uses.writes_to(|w| w == Waddr::MUTEX_RELEASE) {
        s.mutex = Range::ZERO;
    }
    s
}

/// The state before each instruction that can be reached from the first one; after a call through a register everything
/// that a link address may lead to starts unknown.
fn states(cx: &Context<'_>) -> Vec<Option<State>> {
    let len = cx.program.insts.len();
    let next = flow::successors(cx.program);
    let mut states: Vec<Option<State>> = vec![None; len];
    let mut work = Vec::new();
    if len > 0 {
        states[0] = Some(State::START);
        work.push(0);
    }
    while let Some(i) = work.pop() {
        let Some(before) = states[i] else { continue };
        let after = transfer(cx, i, before);
        for j in next[i].into_iter().flatten() {
            let joined = states[j].map_or(after, |old| old.join(after));
            if states[j] != Some(joined) {
                states[j] = Some(joined);
                work.push(j);
            }
        }
    }
    states
}

/// Calls `check` for every instruction whose state is known. A program with jumps to computed addresses is left alone.
fn each(cx: &mut Context<'_>, check: impl Fn(&mut Context<'_>, usize, State)) {
    let computed = |inst: &Inst| matches!(inst, Inst::Branch(b) if b.reg || !b.rel);
    if cx.program.insts.iter().any(computed) {
        return;
    }
    for (i, state) in states(cx).into_iter().enumerate() {
        if let Some(state) = state {
            check(cx, i, state);
        }
    }
}

/// Too many TMU requests in flight.
pub(super) fn h37(cx: &mut Context<'_>) {
    each(cx, |cx, i, state| {
        for unit in 0..2 {
            if !requests(cx, i, unit) {
                continue;
            }
            let tmu = state.tmu[unit];
            let waiting = if collects(cx, i, unit) { tmu.down() } else { tmu };
            let (severity, how) = match waiting {
                Range { least, .. } if least >= TMU_DEPTH => (Severity::Error, "has"),
                Range { most, .. } if most >= TMU_DEPTH => (Severity::Warning, "may have"),
                _ => continue,
            };
            let message = format!("TMU{unit} {how} more than {TMU_DEPTH} requests in flight");
            cx.report_as(severity, i, None, message, "collect a result with `ldtmu0` or `ldtmu1` first");
        }
    });
}

/// A result collected that was never requested, or requested and never collected.
pub(super) fn h38(cx: &mut Context<'_>) {
    each(cx, |cx, i, state| {
        for unit in 0..2 {
            if collects(cx, i, unit) && state.tmu[unit].most == 0 {
                let message = format!("nothing was requested from TMU{unit}; the QPU waits forever");
                cx.report(i, None, message, "write an address to the TMU first");
            }
            if cx.program.insts[i].signal().ends_program() && state.tmu[unit].least > 0 {
                let message = format!("the program ends with results of TMU{unit} not collected");
                cx.report_as(Severity::Warning, i, None, message, "collect every request before the end");
            }
        }
    });
}

/// More or fewer VPM reads than announced.
pub(super) fn h40(cx: &mut Context<'_>) {
    each(cx, |cx, i, state| {
        if cx.uses[i].reads(Raddr::VPM) && state.vpm_reads.most == 0 {
            let message = "more vectors are read from the VPM than the setup announced".to_string();
            cx.report(i, None, message, "write a read setup for as many vectors as are read");
        }
        if matches!(data::vpm_read_setup(cx, i), Some(Some(_))) && state.vpm_reads.least > 1 {
            let message =
                format!("a VPM read setup is ignored while {} vectors are not read yet", state.vpm_reads.least);
            cx.report(i, None, message, "read all announced vectors before the next setup");
        }
    });
}

/// A DMA transfer started while the last one in the same direction may run.
pub(super) fn h42(cx: &mut Context<'_>) {
    each(cx, |cx, i, state| {
        if starts_load(cx, i) && state.load.least > 0 {
            let message = "a DMA load is started before the last one was waited for".to_string();
            cx.report(i, None, message, "read `vr_wait` first");
        }
        if starts_store(cx, i) && state.store.least > 0 {
            let message = "a DMA store is started before the last one was waited for".to_string();
            cx.report(i, None, message, "read `vw_wait` first");
        }
    });
}

/// A VPM read while a DMA load runs.
pub(super) fn h44(cx: &mut Context<'_>) {
    each(cx, |cx, i, state| {
        if cx.uses[i].reads(Raddr::VPM) && state.load.least > 0 {
            let message = "the VPM is read while a DMA load may still be writing it".to_string();
            cx.report(i, None, message, "read `vr_wait` first, unless the load fills other rows");
        }
    });
}

/// The mutex acquired twice, or released by a QPU that does not own it.
pub(super) fn h46(cx: &mut Context<'_>) {
    each(cx, |cx, i, state| {
        if cx.uses[i].reads(Raddr::MUTEX_ACQUIRE) && state.mutex.least > 0 {
            let message = "the mutex is acquired by a QPU that owns it already, and waits forever".to_string();
            cx.report(i, None, message, "release it first");
        }
        let releases = cx.uses[i].writes_to(|w| w == Waddr::MUTEX_RELEASE);
        if releases && state.mutex.most == 0 && !cx.uses[i].reads(Raddr::MUTEX_ACQUIRE) {
            let message = "the mutex is released by a QPU that does not own it".to_string();
            cx.report_as(Severity::Warning, i, None, message, "acquire it first");
        }
    });
}
