//! Sums that only addresses are made of: loads write what their address is from the sums' terms, so nobody needs them.

use super::state::Lower;
use super::words::is_row;
use quadra_kir::{Elem, Inst, Mode, Op, Value, eval};
use std::collections::HashMap;

impl Lower<'_> {
    /// Finds the values that need not be written: whole numbers that are sums of others, all of whose uses are addresses or
    /// sums of that kind.
    pub(super) fn find_silent(&mut self) {
        let mut all: Vec<&Inst> = Vec::new();
        self.kernel.body.walk(&mut |i| all.push(i));
        // What nobody uses is needed by nobody, either.
        let mut heard: HashMap<Value, bool> = HashMap::new();
        for inst in all.into_iter().rev() {
            let silent = inst.results.len() == 1
                && inst.regions.is_empty()
                && eval::is_lanewise(inst.op)
                && !heard.get(&inst.result()).copied().unwrap_or(false)
                && self.is_sum(inst.result());
            if silent {
                self.silent.insert(inst.result());
                continue;
            }
            let address = self.takes_apart(inst);
            for (n, &v) in inst.args.iter().enumerate() {
                *heard.entry(v).or_default() |= n > 0 || !address;
            }
            inst.mask.iter().for_each(|&v| *heard.entry(v).or_default() = true);
        }
    }

    fn is_sum(&self, v: Value) -> bool {
        let t = self.kernel.ty(v);
        let form = || self.forms.at(self.kernel, v);
        t.elem == Elem::I32 && !form().terms.iter().any(|term| term.0 == v)
    }

    /// Whether an access finds its address by the terms of its index alone.
    fn takes_apart(&self, inst: &Inst) -> bool {
        let plain = inst.mask.is_none() && inst.mode != Mode::Guarded;
        let known = match inst.op {
            Op::Load | Op::LoadRow => !self.kernel.ty(inst.args[0]).lanes,
            Op::StoreRow => is_row(inst),
            _ => false,
        };
        self.is_strided(inst)
            || self.is_ahead(inst)
            || self.is_turned(inst)
            || self.is_line(inst)
            || plain && known && self.proven(inst)
    }

    /// Whether an instruction need not be written.
    pub(super) fn is_silent(&self, inst: &Inst) -> bool {
        inst.results.first().is_some_and(|r| self.silent.contains(r))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::function::Shape;
    use crate::lower::vary::Vary;
    use crate::lower::{Plan, module};
    use quadra_passes::analysis::range::Bounds;

    #[test]
    fn sums_that_only_addresses_are_made_of_are_not_written() {
        let text = "kernel @k(%a: buf<f32, r>, %o: buf<f32, w>, %n: i32) simd group=16 over=1 {
            %g = group 0
            %i = shl %g, 4
            %j = add %i, 1
            %k = add %i, 2
            %x = load.row %a[%j]
            %y = load.row %a[%k]
            %f = to.f32 %k
            %s = add %x, %y
            %t = add %s, %f
            store.row %o[%i], %t
            return
        }";
        let kernel = quadra_kir::parse::kernel("t.kir", text).map_err(|d| format!("{d:?}")).expect("the test's kernel");
        let plan = Plan {
            shape: Shape::ONE,
            blocks: None,
            groups: vec![Bounds { low: 0, high: 3 }],
            most_workers: 1,
            scales: false,
            fuses: false,
            permutes: false,
            avx2: false,
            lengths: vec![Some(80), Some(64)],
            streams: vec![false; 2],
            private: vec![None; 2],
            halves: false,
            border: false,
            few: false,
            atomics: true,
            ahead: false,
            alias: false,
            checked: false,
            guarded: false,
        };
        let mut l = Lower::new(&kernel, &plan, Vary::of(&kernel, &[]).expect("nothing varies"));
        l.find_silent();
        // `%j` only; `%k` is a number, too, for which `%i` is needed.
        assert_eq!(l.silent.len(), 1, "{:?}", l.silent);
        let (text, _) = module(&kernel, &plan).expect("one group at a time is always possible");
        let adds = |n: &str| text.lines().any(|l| l.contains("= add i32") && l.ends_with(n));
        assert!(adds(", 2") && !adds(", 1"), "{text}");
    }
}
