//! Values that a board does not deliver, followed by lane until they are used or dropped.
//!
//! Two rules are broken harmlessly by programs that run on boards: a lookup ahead reads a word that a DMA store has just
//! written, which the caches do not see, and its value is dropped (H51); an accumulator is rotated right after its write,
//! and the lanes that come out wrong do not matter (H06). So the machine marks such values, and stops where one reaches a
//! store, an address, a setup word, the host or the decision of a branch. A mark ends where its value is overwritten.
//!
//! Marks exist only in programs that break these rules and are not judged strictly. As long as there are any, a QPU
//! executes instruction by instruction, without stretches and native code.

use super::LANES;
use super::code::{Op, SetFlags, outputs, post, pre, slot};
use super::core::{Core, Shared, Stop, plain_slot};
use super::fault::{FaultKind, Sink};
use super::vpm::{Block, ROWS, Vpm};
use crate::vc4::{AddOp, Alu, Branch, BranchCond, Cond, File, Inst, MulOp, Mux, Waddr};
use std::collections::VecDeque;

/// Where marked values come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// Index of the instruction that broke the rule.
    pub index: usize,
    /// The stale word's byte address; `None` for a rotation.
    pub address: Option<u32>,
}

/// The marked lanes of a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mark {
    pub lanes: u16,
    /// Index into [`Marks::origins`]; without meaning if no lane is marked.
    origin: u16,
}

impl Mark {
    const NONE: Mark = Mark { lanes: 0, origin: 0 };

    fn or(self, other: Mark) -> Mark {
        Mark { lanes: self.lanes | other.lanes, origin: if self.lanes != 0 { self.origin } else { other.origin } }
    }

    fn within(self, lanes: u16) -> Mark {
        Mark { lanes: self.lanes & lanes, ..self }
    }

    /// The mark of a vector whose lane l comes from lane `source(l)` of this one.
    fn moved(self, source: impl Fn(usize) -> usize) -> Mark {
        let lanes = (0..LANES).filter(|l| self.lanes >> source(*l) & 1 == 1).fold(0, |m, l| m | 1 << l);
        Mark { lanes, ..self }
    }
}

/// What all QPUs share: the origins of marks, and the marks of the VPM.
#[derive(Clone, Debug)]
pub struct Marks {
    origins: Vec<Origin>,
    /// For each word 0, or one more than its origin.
    words: Box<[[u16; 16]; ROWS]>,
}

impl Marks {
    /// Why a word of the VPM must not be stored, if it is marked.
    pub fn stored(&self, row: usize, column: usize) -> Option<FaultKind> {
        let origin = self.words[row][column].checked_sub(1)?;
        Some(self.fault(Mark { lanes: 1, origin }, Sink::Store))
    }

    /// Forgets the mark of a word; whether there was one.
    fn clear(&mut self, row: usize, column: usize) -> bool {
        std::mem::take(&mut self.words[row][column]) != 0
    }

    fn fault(&self, mark: Mark, sink: Sink) -> FaultKind {
        let origin = self.origins.get(usize::from(mark.origin)).copied();
        let Origin { index, address } = origin.unwrap_or(Origin { index: 0, address: None });
        match address {
            Some(address) => FaultKind::StaleUsed(sink, index, address),
            None => FaultKind::RotatedUsed(sink, index),
        }
    }
}

/// Marks of one QPU.
#[derive(Clone, Debug)]
pub struct Stale {
    slots: [Mark; slot::COUNT],
    /// Of the flags Z, N and C.
    flags: [Mark; 3],
    queues: [VecDeque<Mark>; 2],
    /// Of the vector that the present instruction writes to the VPM.
    vpm: Mark,
    /// Lanes of the present rotation that come out wrong.
    rotated: Mark,
}

impl Stale {
    fn any(&self) -> bool {
        let kept = self.slots[..slot::UNDEFINED as usize].iter().chain(&self.flags).chain(self.queues.iter().flatten());
        kept.into_iter().any(|mark| mark.lanes != 0)
    }
}

/// The mark for an origin.
fn mark(vpm: &mut Vpm, origin: Origin, lanes: u16) -> Mark {
    let new = || Box::new(Marks { origins: Vec::new(), words: Box::new([[0; 16]; ROWS]) });
    let origins = &mut vpm.marks.get_or_insert_with(new).origins;
    let known = origins.iter().position(|o| (o.index, o.address.is_some()) == (origin.index, origin.address.is_some()));
    let at = known.unwrap_or_else(|| {
        origins.push(origin);
        origins.len() - 1
    });
    // More places than that share the last one's name; programs have a few.
    Mark { lanes, origin: at.min(usize::from(u16::MAX) - 2) as u16 }
}

fn fault(shared: &Shared, mark: Mark, sink: Sink) -> Stop {
    let lane = (mark.lanes != 0).then(|| mark.lanes.trailing_zeros() as usize);
    let kind = shared.vpm.marks.as_ref().map(|marks| marks.fault(mark, sink));
    Stop::Fault(kind.unwrap_or(FaultKind::StaleUsed(sink, 0, 0)), lane, None)
}

fn use_only(shared: &Shared, mark: Mark, lanes: u16, sink: Sink) -> Result<(), Stop> {
    if mark.lanes & lanes == 0 { Ok(()) } else { Err(fault(shared, mark.within(lanes), sink)) }
}

impl Vpm {
    /// Forgets the mark of a word.
    pub fn clear_mark(&mut self, row: usize, column: usize) {
        if self.marked != 0
            && let Some(marks) = &mut self.marks
            && marks.clear(row, column)
        {
            self.marked -= 1;
        }
    }
}

impl Core {
    fn stale(&mut self) -> &mut Stale {
        let lengths = [self.tmu[0].len(), self.tmu[1].len()];
        self.stale.get_or_insert_with(|| {
            Box::new(Stale {
                slots: [Mark::NONE; slot::COUNT],
                flags: [Mark::NONE; 3],
                queues: lengths.map(|n| VecDeque::from(vec![Mark::NONE; n])),
                vpm: Mark::NONE,
                rotated: Mark::NONE,
            })
        })
    }

    /// Ends the marking if no lane is marked any more.
    #[cold]
    pub fn rest(&mut self) {
        if self.stale.as_ref().is_some_and(|stale| !stale.any()) {
            self.stale = None;
        }
    }

    /// The uniform just read is stale, or not.
    #[cold]
    pub fn mark_uniform(&mut self, shared: &mut Shared, address: u32, is_stale: bool) {
        let lanes = if is_stale { !0 } else { 0 };
        let mark = mark(&mut shared.vpm, Origin { index: self.index, address: Some(address) }, lanes);
        self.stale().slots[slot::UNIFORM as usize] = mark;
    }

    /// A result was put into a TMU's queue; in these lanes it is stale.
    #[cold]
    pub fn mark_request(&mut self, shared: &mut Shared, unit: usize, addresses: &super::Lanes, lanes: u16) {
        let address = addresses.0[lanes.trailing_zeros() as usize & 15];
        let mark = mark(&mut shared.vpm, Origin { index: self.index, address: Some(address) }, lanes);
        let behind = self.tmu[unit].len();
        let queue = &mut self.stale().queues[unit];
        // The queue may have been made just now, with the new result in it.
        queue.resize(behind, Mark::NONE);
        if let Some(last) = queue.back_mut() {
            *last = mark;
        }
    }

    /// The oldest result of a TMU goes to r4.
    #[cold]
    pub fn mark_received(&mut self, unit: usize) {
        if let Some(stale) = &mut self.stale {
            stale.slots[slot::R4 as usize] = stale.queues[unit].pop_front().unwrap_or_default();
        }
    }

    /// In these lanes the present rotation comes out wrong.
    #[cold]
    pub fn mark_rotation(&mut self, shared: &mut Shared, lanes: u16) {
        let mark = mark(&mut shared.vpm, Origin { index: self.index, address: None }, lanes);
        let stale = self.stale();
        stale.rotated = stale.rotated.or(mark);
    }

    /// The marks of the vector that is read from the VPM next.
    #[cold]
    pub fn mark_vpm_read(&mut self, shared: &Shared, block: &Block) {
        let Some(marks) = &shared.vpm.marks else { return };
        let mut read = Mark::NONE;
        for lane in 0..LANES {
            let (row, column, _) = block.place(lane as u32);
            if let Some(origin) = marks.words[row][column].checked_sub(1) {
                read = read.or(Mark { lanes: 1 << lane, origin });
            }
        }
        if read.lanes != 0 || self.stale.is_some() {
            self.stale().slots[slot::VPM as usize] = read;
        }
    }

    /// Carries the marks of a vector into the VPM.
    #[cold]
    pub fn mark_vpm_write(&self, shared: &mut Shared, block: &Block) {
        let mark = self.stale.as_ref().map_or(Mark::NONE, |stale| stale.vpm);
        let Vpm { marks: Some(marks), marked, .. } = &mut shared.vpm else { return };
        let whole = block.width == super::vpm::Width::Bits32;
        if mark.lanes == 0 && *marked == 0 {
            return;
        }
        for lane in 0..LANES {
            let (row, column, _) = block.place(lane as u32);
            let old = marks.words[row][column];
            let new = match mark.lanes >> lane & 1 == 1 {
                true => mark.origin + 1,
                false if whole => 0,
                false => old,
            };
            marks.words[row][column] = new;
            *marked = *marked + u32::from(new != 0) - u32::from(old != 0);
        }
    }

    /// Carries marks through the present instruction, whose operands lie in their slots. `written` are the lanes in which
    /// its two conditions hold.
    ///
    /// # Errors
    /// Where a marked lane is used.
    #[cold]
    pub fn carry_marks(&mut self, shared: &Shared, inst: &Inst, op: &Op, written: [u16; 2]) -> Result<(), Stop> {
        let Some(mut stale) = self.stale.take() else { return Ok(()) };
        let result = stale.carry(self, shared, inst, op, written);
        self.stale = Some(stale);
        result
    }

    /// The same for a branch.
    ///
    /// # Errors
    /// Where marked lanes decide about it.
    #[cold]
    pub fn branch_on_marks(&mut self, shared: &Shared, branch: &Branch) -> Result<(), Stop> {
        let Some(stale) = &mut self.stale else { return Ok(()) };
        if let Some(flag) = flag_of_branch(branch.cond) {
            let mark = stale.flags[flag];
            let bits = [self.flags.z, self.flags.n, self.flags.c][flag];
            let with = |bits: u16| {
                let mut flags = self.flags;
                *[&mut flags.z, &mut flags.n, &mut flags.c][flag] = bits;
                flags.holds(branch.cond)
            };
            // The marked lanes may have either value: do they decide?
            if with(bits & !mark.lanes) != with(bits | mark.lanes) {
                return Err(fault(shared, mark, Sink::Branch));
            }
        }
        if !self.flags.holds(branch.cond) {
            return Ok(());
        }
        if branch.reg {
            use_only(shared, stale.slots[usize::from(branch.raddr_a & 31)], 1 << 15, Sink::Branch)?;
        }
        for (file, waddr, _) in outputs(&Inst::Branch(*branch)) {
            if let Some(to) = plain_slot(file, waddr) {
                stale.slots[usize::from(to)] = Mark::NONE;
            }
        }
        if branch.raddr_a & 1 == 1 {
            stale.flags = [Mark::NONE; 3];
        }
        Ok(())
    }
}

/// Which flag a branch looks at: 0 to 2 for Z, N, C.
fn flag_of_branch(cond: BranchCond) -> Option<usize> {
    use BranchCond::*;
    match cond {
        AllZs | AllZc | AnyZs | AnyZc => Some(0),
        AllNs | AllNc | AnyNs | AnyNc => Some(1),
        AllCs | AllCc | AnyCs | AnyCc => Some(2),
        Always => None,
    }
}

impl Stale {
    fn of(&self, slot: u8) -> Mark {
        self.slots[usize::from(slot)]
    }

    /// The lanes in which the marks of flags decide whether a condition holds.
    fn of_condition(&self, cond: Cond) -> Mark {
        match cond {
            Cond::Never | Cond::Always => Mark::NONE,
            Cond::Zs | Cond::Zc => self.flags[0],
            Cond::Ns | Cond::Nc => self.flags[1],
            Cond::Cs | Cond::Cc => self.flags[2],
        }
    }

    fn carry(&mut self, core: &Core, shared: &Shared, inst: &Inst, op: &Op, written: [u16; 2]) -> Result<(), Stop> {
        let results = match inst {
            Inst::Alu(alu) => self.results(core, alu, op),
            _ => [Mark::NONE; 2],
        };
        let decided = [self.of_condition(op.cond_add), self.of_condition(op.cond_mul)];
        self.rotated = Mark::NONE;
        // What a lane holds after a write that may or may not have happened is as unknown as the flag.
        let after = |old: Mark, unit: usize| {
            old.within(!written[unit]).or(results[unit].within(written[unit])).or(decided[unit])
        };
        let flags = match op.set_flags {
            SetFlags::No => None,
            SetFlags::FromAdd => Some(self.flags.map(|old| after(old, 0))),
            SetFlags::FromMul => Some(self.flags.map(|old| after(old, 1))),
        };
        for (file, waddr, is_mul) in outputs(inst) {
            let unit = usize::from(is_mul);
            match plain_slot(file, waddr) {
                Some(to) => {
                    let old = self.of(to);
                    let partial = op.post & post::PACK != 0 && pack_is_partial(inst);
                    let new = after(old, unit);
                    self.slots[usize::from(to)] = if partial { new.or(old) } else { new };
                }
                None => self.special(
                    shared,
                    file,
                    waddr,
                    results[unit].within(written[unit]).or(decided[unit]),
                    written[unit],
                )?,
            }
        }
        if let Some(flags) = flags {
            self.flags = flags;
        }
        Ok(())
    }

    /// The marks of both ALUs' results.
    fn results(&mut self, core: &Core, alu: &Alu, op: &Op) -> [Mark; 2] {
        self.unpacked(alu);
        let mut add = Mark::NONE;
        if op.add != AddOp::Nop {
            add = self.of(op.add_a);
            if op.add.operands() == 2 {
                add = add.or(self.of(op.add_b));
            }
            // Zero, whatever the operand.
            if matches!(op.add, AddOp::Xor | AddOp::Sub | AddOp::V8subs) && op.add_a == op.add_b {
                add = Mark::NONE;
            }
        }
        let mut mul = Mark::NONE;
        if op.mul != MulOp::Nop {
            if op.pre & pre::ROTATE != 0 {
                let n = core.rotation_amount(alu);
                let turned = |mux: Mux, mark: Mark| match mux.as_accumulator() {
                    Some(0..=3) => mark.moved(|lane| (lane + LANES - n) % LANES),
                    _ => mark.moved(|lane| lane / 4 * 4 + (lane + 4 - n % 4) % 4),
                };
                mul = turned(alu.mul_a, self.of(op.unrotated[0])).or(turned(alu.mul_b, self.of(op.unrotated[1])));
                let by_r5 = alu.small_imm().and_then(|imm| imm.rotation()) == Some(crate::vc4::imm::Rotation::R5);
                if by_r5 && self.of(slot::R5).lanes & 1 == 1 {
                    mul = Mark { lanes: !0, ..self.of(slot::R5) };
                }
                mul = mul.or(self.rotated);
            } else {
                mul = self.of(op.mul_a).or(self.of(op.mul_b));
                if op.mul == MulOp::V8subs && op.mul_a == op.mul_b {
                    mul = Mark::NONE;
                }
            }
        }
        [add, mul]
    }

    fn unpacked(&mut self, alu: &Alu) {
        let from = self.of(super::core::unpacked_slot(alu));
        for to in [slot::UNPACKED_INT, slot::UNPACKED_FLOAT] {
            self.slots[usize::from(to)] = from;
        }
        self.slots[usize::from(slot::UNPACKED_R4)] = self.of(slot::R4);
    }

    /// A write to r5 or a peripheral, of a value with this mark in the lanes of `mask`.
    fn special(&mut self, shared: &Shared, file: File, waddr: Waddr, value: Mark, mask: u16) -> Result<(), Stop> {
        match waddr.0 {
            37 => {
                let source = |lane: usize| if file == File::A { lane / 4 * 4 } else { 0 };
                let written = Mark { lanes: mask, origin: 0 }.moved(source).lanes;
                let old = self.of(slot::R5).within(!written);
                self.slots[usize::from(slot::R5)] = value.moved(source).or(old);
            }
            42 if file == File::A => {
                let old = self.of(slot::MS_FLAGS).within(!mask);
                self.slots[usize::from(slot::MS_FLAGS)] = value.or(old);
            }
            42 if mask & 1 == 1 => {
                self.slots[usize::from(slot::REV_FLAG)] = value.moved(|_| 0);
            }
            48 => self.vpm = value,
            52..=55 => self.slots[usize::from(slot::R4)] = value,
            38 => use_only(shared, value, !0, Sink::Host)?,
            36 | 49 => use_only(shared, value, 1, Sink::Setup)?,
            40 | 50 => use_only(shared, value, 1, Sink::Address)?,
            56.. => use_only(shared, value, !0, Sink::Address)?,
            _ => {}
        }
        Ok(())
    }
}

fn pack_is_partial(inst: &Inst) -> bool {
    match inst {
        Inst::Alu(i) => i.pack.is_partial(),
        Inst::Ldi(i) => i.pack.is_partial(),
        Inst::Sema(i) => i.pack.is_partial(),
        Inst::Branch(_) => false,
    }
}
