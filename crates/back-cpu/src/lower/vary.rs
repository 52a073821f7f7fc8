//! Which values differ between the groups that one turn of the group loop computes together.
//!
//! A turn computes `rows` neighbouring groups along the last but one axis times `columns` along the last: its parts. What
//! does not depend on the part is computed once. Conditions must not depend on it, but for votes, which ask the lanes of
//! all parts: a part without live lanes may run along.

use quadra_kir::{Block, Inst, Kernel, Op, Value};

/// Values that differ between parts, by [`Value::index`].
#[derive(Clone, Debug, Default)]
pub struct Vary(Vec<bool>);

impl Vary {
    /// For turns whose parts differ in their position along these axes; `None` if a condition differs between parts.
    pub fn of(kernel: &Kernel, axes: &[usize]) -> Option<Vary> {
        let mut v = Vary(vec![false; kernel.values.len()]);
        if axes.is_empty() {
            return Some(v);
        }
        while v.block(&kernel.body, None, axes)? {}
        Some(v)
    }

    /// For one group at a time of the same kernel.
    pub fn none(&self) -> Vary {
        Vary(vec![false; self.0.len()])
    }

    /// For parts that differ in what `values` are before `insts`, and in what these make of it.
    pub fn beginning<'a>(&self, values: impl Iterator<Item = Value>, insts: impl Iterator<Item = &'a Inst>) -> Vary {
        let mut v = self.none();
        values.for_each(|value| v.0[value.index()] = true);
        for inst in insts {
            if v.inst(inst) {
                inst.results.iter().for_each(|r| v.0[r.index()] = true);
            }
        }
        v
    }

    /// Whether a value differs between parts.
    pub fn at(&self, v: Value) -> bool {
        self.0[v.index()]
    }

    /// Whether an instruction must be computed for each part.
    pub fn inst(&self, inst: &Inst) -> bool {
        inst.op.is_atomic() || inst.uses().chain(inst.results.iter().copied()).any(|v| self.at(v))
    }

    fn pass(&mut self, to: &[Value], from: &[Value]) -> bool {
        let mut changed = false;
        for (t, f) in to.iter().zip(from) {
            changed |= self.at(*f) && !std::mem::replace(&mut self.0[t.index()], true);
        }
        changed
    }

    fn set(&mut self, v: Value) -> bool {
        !std::mem::replace(&mut self.0[v.index()], true)
    }

    fn block(&mut self, block: &Block, frame: Option<&Inst>, axes: &[usize]) -> Option<bool> {
        let mut changed = false;
        for inst in &block.insts {
            match inst.op {
                Op::If => {
                    if self.at(inst.args[0]) {
                        return None;
                    }
                    for region in &inst.regions {
                        changed |= self.block(region, frame, axes)?;
                        if let Some(end) = region.terminator().filter(|t| t.op == Op::Yield) {
                            changed |= self.pass(&inst.results, &end.args);
                        }
                    }
                }
                Op::For | Op::Loop => {
                    let skip = usize::from(inst.op == Op::For);
                    if skip == 1 && inst.args[..3].iter().any(|&v| self.at(v)) {
                        return None;
                    }
                    let params = inst.regions[0].params[skip..].to_vec();
                    changed |= self.pass(&params, inst.carried());
                    if skip == 1 {
                        changed |= self.pass(&inst.results, &params);
                    }
                    changed |= self.block(&inst.regions[0], Some(inst), axes)?;
                }
                Op::Break => changed |= frame.is_some_and(|f| self.pass(&f.results, &inst.args)),
                Op::Continue => changed |= self.carry(frame, &inst.args),
                Op::Yield if frame.is_some_and(|f| f.op == Op::For && std::ptr::eq(&f.regions[0], block)) => {
                    changed |= self.carry(frame, &inst.args);
                }
                Op::Group if axes.contains(&(inst.imm as usize)) => changed |= self.set(inst.result()),
                Op::LaneActive => changed |= self.set(inst.result()),
                Op::VoteAny | Op::VoteAll => {}
                op if op.is_atomic() => inst.results.iter().for_each(|&r| changed |= self.set(r)),
                _ => {
                    if inst.uses().any(|v| self.at(v)) {
                        inst.results.iter().for_each(|&r| changed |= self.set(r));
                    }
                }
            }
        }
        Some(changed)
    }

    fn carry(&mut self, frame: Option<&Inst>, args: &[Value]) -> bool {
        let Some(f) = frame else { return false };
        let skip = usize::from(f.op == Op::For);
        self.pass(&f.regions[0].params[skip..], args)
    }
}
