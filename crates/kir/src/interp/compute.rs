//! Instructions that compute, read and write memory, or speak.

use super::code::{Lanes, Slot, Step};
use super::launch::Machine;
use super::memory::{self, Place};
use super::thread::{Thread, lanes};
use crate::eval;
use crate::kernel::Mode;
use crate::launch::{Fault, FaultKind, MemoryBuffer};
use crate::ops::Op;
use crate::types::{Elem, LANES};

/// Requests that may wait at once.
const QUEUE_DEPTH: usize = 4;

impl Thread {
    fn register(&self, slot: Slot) -> &Lanes {
        &self.registers[slot.at as usize]
    }

    pub(super) fn compute(&mut self, m: &mut Machine<'_, '_>, step: &Step<'_>) -> Result<(), Fault> {
        let op = step.inst.op;
        match op {
            _ if eval::is_lanewise(op) => self.lanewise(m, step),
            Op::Load | Op::LoadRow | Op::TmuRequest => self.load(m, step),
            Op::Store | Op::StoreRow => self.store(m, step),
            Op::StoreRows => self.store_rows(m, step),
            _ if op.is_atomic() => self.atomic(m, step),
            Op::VoteAny | Op::VoteAll => {
                let (asked, truth) = (self.asked(step), self.truth(step.args[0]));
                let answer = if op == Op::VoteAny { asked & truth != 0 } else { asked & !truth == 0 };
                self.put_all(m, step, [answer as u64; LANES as usize])
            }
            Op::Rotate | Op::Broadcast => self.across(m, step),
            Op::TmuReceive => match self.queue.pop_front() {
                Some(value) => self.put_all(m, step, value),
                None => Err(self.fault(m, step, FaultKind::Queue("a receive without a waiting request".into()), None)),
            },
            Op::Print => {
                let asked = self.asked(step);
                let operands: Vec<(Elem, Lanes)> =
                    step.args.iter().map(|&s| (s.elem, self.registers[s.at as usize])).collect();
                if asked != 0 {
                    (m.sink)(&super::line(step.inst.text.as_deref().unwrap_or_default(), &operands, asked));
                }
                Ok(())
            }
            Op::Assert => match lanes(self.asked(step) & !self.truth(step.args[0])).next() {
                Some(l) => {
                    let text = step.inst.text.as_deref().unwrap_or_default().to_string();
                    Err(self.fault(m, step, FaultKind::Assert(text), Some(l)))
                }
                None => Ok(()),
            },
            Op::Fence | Op::Flush | Op::HostIrq | Op::Comment => Ok(()),
            _ => {
                let value = self.whereabouts(m, step);
                self.put_all(m, step, value)
            }
        }
    }

    fn lanewise(&mut self, m: &Machine<'_, '_>, step: &Step<'_>) -> Result<(), Fault> {
        let (op, arithmetic) = (step.inst.op, m.launch.arithmetic);
        let elem = step.args[if op == Op::Select { 1 } else { 0 }].elem;
        let to = step.results[0];
        let operand = |i: usize| step.args.get(i).map_or(&[0; LANES as usize], |&s| self.register(s));
        let (x, y, z) = (operand(0), operand(1), operand(2));
        let value = |l: usize| eval::lane(op, elem, &[x[l], y[l], z[l]], arithmetic);
        let result = if to.uniform && !m.simt() { [value(0); LANES as usize] } else { std::array::from_fn(value) };
        self.put_all(m, step, result)
    }

    /// `rotate` and `broadcast`; lanes past the extent read as 0.
    fn across(&mut self, m: &Machine<'_, '_>, step: &Step<'_>) -> Result<(), Fault> {
        let (x, by) = (*self.register(step.args[0]), *self.register(step.args[1]));
        let active = self.position.active;
        let from = |l: u64| {
            let l = l as usize % LANES as usize;
            if active >> l & 1 != 0 { x[l] } else { 0 }
        };
        let value = if step.inst.op == Op::Rotate {
            std::array::from_fn(|l| from((l as u64).wrapping_sub(by[l])))
        } else {
            std::array::from_fn(|l| from(by[l]))
        };
        self.put_all(m, step, value)
    }

    fn whereabouts(&self, m: &Machine<'_, '_>, step: &Step<'_>) -> Lanes {
        let (here, axis) = (&self.position, step.inst.imm as usize);
        let each = |lanes: Option<&[u32; LANES as usize]>| lanes.map_or([0; LANES as usize], |x| x.map(|i| i as u64));
        let all = |x: u32| [x as u64; LANES as usize];
        match step.inst.op {
            Op::Lane => std::array::from_fn(|l| l as u64),
            Op::LaneActive => std::array::from_fn(|l| (here.active >> l & 1) as u64),
            Op::Item => each(here.item.get(axis)),
            Op::Local => each(here.local.get(axis)),
            Op::Group => all(here.group.get(axis).copied().unwrap_or(0)),
            Op::NumGroups => all(m.groups.get(axis).copied().unwrap_or(1)),
            Op::GroupSize => all(m.group_size.get(axis).copied().unwrap_or(1)),
            Op::Extent => all(m.launch.extent.get(axis).copied().unwrap_or(0)),
            Op::Worker => all(here.worker),
            Op::NumWorkers => all(m.launch.workers),
            Op::Dim => all(step.inst.buf.map_or(0, |b| m.buffer(b).dims.get(axis).copied().unwrap_or(0))),
            _ => [0; LANES as usize],
        }
    }

    /// The place that a lane's indices name.
    fn place(&self, m: &Machine<'_, '_>, step: &Step<'_>, rank: usize, l: usize) -> Result<Option<usize>, Fault> {
        let inst = step.inst;
        let (row, mode) = match inst.op {
            Op::LoadRow | Op::StoreRow => (l as i32, inst.mode),
            Op::TmuRequest => (0, Mode::Guarded),
            _ => (0, inst.mode),
        };
        self.place_at(m, step, (rank, row, mode), l)
    }

    /// The place that a lane's indices plus an offset name.
    fn place_at(
        &self,
        m: &Machine<'_, '_>,
        step: &Step<'_>,
        (rank, row, mode): (usize, i32, Mode),
        l: usize,
    ) -> Result<Option<usize>, Fault> {
        let inst = step.inst;
        let Some(buf) = inst.buf else { return Ok(None) };
        let index = |s: &Slot| (self.registers[s.at as usize][l] as u32 as i32).wrapping_add(row);
        let info = &m.code.kernel.bufs[buf];
        match memory::locate(m.buffer(buf), mode, step.args[..rank].iter().map(index)) {
            Place::At(at) => Ok(Some(at)),
            Place::Nowhere => Ok(None),
            Place::Outside(index) => {
                let write = !matches!(inst.op, Op::Load | Op::LoadRow | Op::TmuRequest);
                let len = m.buffer(buf).dims.iter().map(|&d| d as u64).product();
                let kind = FaultKind::OutOfBounds { buffer: info.name.clone(), index, len, write };
                Err(self.fault(m, step, kind, Some(l)))
            }
        }
    }

    fn rank(&self, m: &Machine<'_, '_>, step: &Step<'_>) -> usize {
        step.inst.buf.map_or(0, |b| m.code.kernel.bufs[b].rank as usize)
    }

    fn load(&mut self, m: &mut Machine<'_, '_>, step: &Step<'_>) -> Result<(), Fault> {
        let rank = self.rank(m, step);
        let Some(buf) = step.inst.buf else { return Ok(()) };
        let asked = self.asked(step);
        let mut value = [0; LANES as usize];
        for l in lanes(asked) {
            if let Some(at) = self.place(m, step, rank, l)? {
                m.touch(self, step, buf, at, l)?;
                value[l] = memory::read(m.buffer(buf), at);
            }
        }
        if step.inst.op == Op::TmuRequest {
            if self.queue.len() == QUEUE_DEPTH {
                let text = format!("more than {QUEUE_DEPTH} requests wait");
                return Err(self.fault(m, step, FaultKind::Queue(text), None));
            }
            self.queue.push_back(value);
            return Ok(());
        }
        if step.results[0].uniform && !m.simt() {
            // One load for all lanes, if any lane wants it.
            value = [if asked == 0 { 0 } else { value[asked.trailing_zeros() as usize] }; LANES as usize];
        }
        self.put_all(m, step, value)
    }

    fn store(&mut self, m: &mut Machine<'_, '_>, step: &Step<'_>) -> Result<(), Fault> {
        let rank = self.rank(m, step);
        let Some(buf) = step.inst.buf else { return Ok(()) };
        let value = step.args[rank];
        for l in lanes(self.asked(step)) {
            if let Some(at) = self.place(m, step, rank, l)? {
                m.touch(self, step, buf, at, l)?;
                memory::write(m.buffer_mut(buf), at, self.register(value)[l]);
            }
        }
        Ok(())
    }

    /// As many rows, one after the other.
    fn store_rows(&mut self, m: &mut Machine<'_, '_>, step: &Step<'_>) -> Result<(), Fault> {
        let Some(buf) = step.inst.buf else { return Ok(()) };
        let stride = self.registers[step.args[1].at as usize][0] as u32;
        for (row, &value) in step.args[2..].iter().enumerate() {
            for l in lanes(self.live) {
                let offset = stride.wrapping_mul(row as u32).wrapping_add(l as u32) as i32;
                if let Some(at) = self.place_at(m, step, (1, offset, step.inst.mode), l)? {
                    m.touch(self, step, buf, at, l)?;
                    memory::write(m.buffer_mut(buf), at, self.registers[value.at as usize][l]);
                }
            }
        }
        Ok(())
    }

    fn atomic(&mut self, m: &mut Machine<'_, '_>, step: &Step<'_>) -> Result<(), Fault> {
        let rank = self.rank(m, step);
        let Some(buf) = step.inst.buf else { return Ok(()) };
        let mut old = [0; LANES as usize];
        for l in lanes(self.asked(step)) {
            let Some(at) = self.place(m, step, rank, l)? else { continue };
            m.touch(self, step, buf, at, l)?;
            old[l] = memory::read(m.buffer(buf), at);
            let operand = |i: usize| self.registers[step.args[rank + i].at as usize][l];
            let second = if step.inst.op == Op::AtomicCompareExchange { operand(1) } else { 0 };
            let elem = step.args[rank].elem;
            let new = eval::atomic(step.inst.op, elem, old[l], [operand(0), second], m.launch.arithmetic);
            let buffer: &mut MemoryBuffer = m.buffer_mut(buf);
            memory::write(buffer, at, new);
        }
        if step.results.is_empty() { Ok(()) } else { self.put_all(m, step, old) }
    }
}
