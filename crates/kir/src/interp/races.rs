//! Finds accesses to one element that nothing orders.
//!
//! In a kernel launched over an extent every item counts for itself: two items of one group are ordered only by a barrier
//! between them, items of different groups never. In a kernel that runs once per worker, a worker's lanes are in lockstep
//! and different workers are never ordered, unless the kernel uses semaphores or the mutex: then accesses of different
//! workers are not judged. Atomics do not race with one another.

use super::thread::Position;
use crate::kernel::{Inst, Kernel, Space};
use crate::launch::FaultKind;
use crate::ops::{Effect, Op};
use crate::types::LANES;
use quadra_base::Span;
use std::collections::HashMap;

/// Who accessed an element, where and how.
#[derive(Clone, Copy, PartialEq)]
struct Access {
    group: u64,
    epoch: u32,
    item: u32,
    /// Index in the extent.
    position: [u32; 4],
    atomic: bool,
    write: bool,
    span: Option<Span>,
}

#[derive(Default)]
struct Cell {
    write: Option<Access>,
    /// The last two readers; two, so that one of them is not the next writer.
    reads: [Option<Access>; 2],
}

/// What has been accessed in this launch so far.
#[derive(Default)]
pub(super) struct Races {
    /// Counts groups and barriers of the worker that runs now.
    pub epoch: u32,
    cells: HashMap<(u64, usize, usize), Cell>,
    synchronised: Option<bool>,
}

impl Races {
    /// Notes an access of one lane to an element (space, buffer, number); gives the race that it is part of.
    pub fn touch(
        &mut self,
        kernel: &Kernel,
        at: &Position,
        inst: &Inst,
        (space, buffer, element): (Space, usize, usize),
        lane: usize,
    ) -> Option<FaultKind> {
        let ordered = *self.synchronised.get_or_insert_with(|| {
            kernel.body.any(&mut |i| matches!(i.op, Op::SemaInc | Op::SemaDec | Op::MutexLock | Op::MutexUnlock))
        });
        let per_worker = kernel.over == 0;
        let group = at.group.iter().fold(0u64, |n, &g| n << 21 ^ g as u64);
        let effect = inst.op.info().effect;
        let now = Access {
            group: if per_worker { at.worker as u64 } else { group },
            epoch: self.epoch,
            item: if per_worker { 0 } else { at.subgroup * LANES + lane as u32 },
            position: std::array::from_fn(|axis| at.item.get(axis).map_or(0, |lanes| lanes[lane])),
            atomic: effect == Effect::ReadWrite,
            write: matches!(effect, Effect::Write | Effect::ReadWrite),
            span: inst.span,
        };
        let key = (if space == Space::Shared { now.group + 1 } else { 0 }, buffer, element);
        let cell = self.cells.entry(key).or_default();
        let conflict = |old: &Access| {
            let same = old.group == now.group && (old.item == now.item || old.epoch != now.epoch);
            let judged = !(ordered && per_worker);
            judged && !same && !(old.atomic && now.atomic) && (old.write || now.write)
        };
        let other = cell.write.iter().chain(cell.reads.iter().flatten()).find(|old| conflict(old)).copied();
        if now.write {
            cell.write = Some(now);
        } else if cell.reads[0].is_none_or(|r| (r.group, r.item) != (now.group, now.item)) {
            cell.reads = [Some(now), cell.reads[0]];
        } else {
            cell.reads[0] = Some(now);
        }
        other.map(|other| FaultKind::Race {
            buffer: inst.buf.map_or(String::new(), |b| kernel.bufs[b].name.clone()),
            element: element as u64,
            write: now.write,
            other: other.span,
            other_write: other.write,
            other_item: other.position[..at.item.len().min(4)].to_vec(),
        })
    }
}
