//! The order of straight code for several rows: loads by their addresses, each followed by all that waits for it alone.
//!
//! Rows of a stencil share loads. In the order of the program a row's first use of one lies far from another's, so that
//! values would wait in registers that are not there. By addresses, each load is used by all rows at once.

use super::state::Lower;
use super::words::is_row;
use quadra_kir::eval;
use quadra_kir::{Inst, Op, Value};
use std::collections::{BTreeMap, HashMap};

impl Lower<'_> {
    /// How many of these instructions can be reordered: pure ones, and loads that are known to stay inside.
    pub(super) fn run_length(&self, insts: &[Inst]) -> usize {
        // Short values are written for all columns at once.
        if self.shape.rows == 1 || !self.shorts.is_empty() {
            return 0;
        }
        insts.iter().take_while(|i| self.moves(i)).count()
    }

    fn moves(&self, inst: &Inst) -> bool {
        match inst.op {
            Op::Load if self.is_strided(inst) => true,
            Op::Load | Op::LoadRow => {
                inst.mask.is_none()
                    && matches!(inst.mode, quadra_kir::Mode::Unchecked | quadra_kir::Mode::Inside)
                    && !self.kernel.ty(inst.args[0]).lanes
                    && self.proven(inst)
            }
            Op::Group | Op::Lane | Op::LaneActive | Op::Extent | Op::Dim | Op::NumGroups => true,
            op => eval::is_lanewise(op),
        }
    }

    /// Writes instructions in the order of the addresses that they load from.
    pub(super) fn schedule(&mut self, insts: &[Inst]) {
        if self.kernel.relaxed
            && let Some(mut sum) = self.shared_sum(insts)
        {
            self.schedule(&self.without(insts, &sum));
            self.add_up(insts, &mut sum);
            return self.schedule(&insts[sum.root + 1..]);
        }
        let parts = self.shape.parts();
        // A unit is an instruction in a part, or in all at once.
        let mut made_by: HashMap<(Value, usize), usize> = HashMap::new();
        let mut units: Vec<(usize, usize)> = Vec::new();
        for (n, inst) in insts.iter().enumerate().filter(|(_, i)| !self.is_silent(i)) {
            let varies = self.vary.inst(inst);
            for part in 0..if varies { parts } else { 1 } {
                for &r in &inst.results {
                    if varies {
                        made_by.insert((r, part), units.len());
                    } else {
                        made_by.extend((0..parts).map(|p| ((r, p), units.len())));
                    }
                }
                units.push((n, part));
            }
        }
        let mut waits = vec![0usize; units.len()];
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); units.len()];
        let mut loads: BTreeMap<(usize, bool, i32, usize), Vec<usize>> = BTreeMap::new();
        let mut ready = Vec::new();
        for (u, &(n, part)) in units.iter().enumerate() {
            let inst = &insts[n];
            if is_row(inst) || inst.op == Op::Load {
                loads.entry(self.order(inst, part)).or_default().push(u);
                continue;
            }
            let mut from: Vec<usize> = inst.uses().filter_map(|v| made_by.get(&(v, part)).copied()).collect();
            from.sort_unstable();
            from.dedup();
            waits[u] = from.len();
            from.iter().for_each(|&f| users[f].push(u));
            if from.is_empty() {
                ready.push(u);
            }
        }
        ready.reverse();
        self.follow(insts, &units, ready, &mut waits, &users);
        for (_, units_here) in loads {
            for u in units_here {
                self.follow(insts, &units, vec![u], &mut waits, &users);
            }
        }
        self.part = 0;
    }

    /// Where among the loads one stands.
    fn order(&self, inst: &Inst, part: usize) -> (usize, bool, i32, usize) {
        let form = self.forms.at(self.kernel, inst.args[0]);
        let mut constant = form.constant;
        let mut key = 0usize;
        for &(v, factor) in &form.terms {
            if let Some(&axis) = self.axis_of.get(&v) {
                let offset = self.offset_of(part, axis);
                constant = constant.wrapping_add(factor.wrapping_mul(offset as i32));
            }
            key = key.wrapping_mul(31).wrapping_add(v.index()).wrapping_mul(31).wrapping_add(factor as usize);
        }
        let buf = inst.buf.map_or(0, quadra_kir::Buf::index);
        (buf, is_row(inst), constant, key)
    }

    /// Writes units, and after each whatever waits for nothing else any more.
    fn follow(
        &mut self,
        insts: &[Inst],
        units: &[(usize, usize)],
        mut ready: Vec<usize>,
        waits: &mut [usize],
        users: &[Vec<usize>],
    ) {
        while let Some(u) = ready.pop() {
            let (n, part) = units[u];
            self.part = part;
            self.one(&insts[n]);
            for &user in users[u].iter().rev() {
                waits[user] -= 1;
                if waits[user] == 0 {
                    ready.push(user);
                }
            }
        }
    }
}
