//! Rows of a loop that lie far apart: the processor is told of them some iterations before.
//!
//! Where an iteration reads rows that lie a good part of a page behind those of the one before, as in totals of columns, no processor sees
//! that there is an order in it, and each iteration waits for memory. Asking for what no iteration reads does no harm: it never faults.
//!
//! The preconditions: a counted loop of many iterations by a known step; a load of whole rows whose index is a multiple of the counter and what
//! the loop does not change; a buffer that the second cache may not hold. Where rows of a turn share what they load, arithmetic takes
//! longer than memory does, and nothing is asked for.

use super::state::Lower;
use super::words::memory_elem;
use quadra_kir::{Inst, Mode, Op, Value};
use quadra_passes::analysis::linear::Form;
use std::collections::HashSet;

/// Bytes between rows that the processor foresees by itself.
const NEAR: u64 = 1024;
/// Bytes of a buffer that a cache near the processor holds.
const SMALL: u64 = 1 << 18;
/// Fewest iterations.
const MANY: i64 = 64;
/// How many iterations before it is read a row is asked for.
const AHEAD: i32 = 16;
/// Most rows of an iteration: of more, some wait for others anyway.
const MOST: usize = 4;
/// Most instructions of an iteration for each row that it reads: longer ones do not wait for memory.
const SHORT: usize = 8;
/// Bytes that memory gives at once.
const LINE: u32 = 64;

impl Lower<'_> {
    /// Asks for what a loop's later iterations read; the counter has its value of the present one.
    pub(super) fn ask_for_rows(&mut self, inst: &Inst) {
        for (load, far) in self.far_rows(inst) {
            let Some(buf) = load.buf else { continue };
            let bytes = memory_elem(self.kernel.bufs[buf].elem).bytes();
            let parts = if self.vary.inst(load) { self.shape.parts() as u32 } else { 1 };
            for part in (0..parts).filter(|part| (part * 16 * bytes).is_multiple_of(LINE)) {
                self.part = part as usize;
                let form = self.forms.at(self.kernel, load.args[0]);
                let place = self.place_of(buf, form.plus(&Form::constant(far), AHEAD));
                let args = [("ptr", place.as_str()), ("i32", "0"), ("i32", "2"), ("i32", "1")];
                self.t.call("void", "llvm.prefetch.p0", &args);
            }
            self.part = 0;
        }
    }

    /// The loads of such rows, and how many elements lie between those of two iterations.
    fn far_rows<'a>(&self, inst: &'a Inst) -> Vec<(&'a Inst, i32)> {
        let body = &inst.regions[0];
        let step = self.kernel.as_i32(inst.args[2]).unwrap_or(0);
        let [from, to] = [0, 1].map(|n| self.range.bounds(self.kernel, inst.args[n]));
        let few = to.low - from.high < MANY * i64::from(step.max(1));
        if self.shape.rows > 1 || self.plan.blocks.is_some() || self.plan.border || step < 1 || few {
            return Vec::new();
        }
        let mut inside: HashSet<Value> = body.params[1..].iter().copied().collect();
        body.walk(&mut |i| inside.extend(&i.results));
        let far = |i: &'a Inst| {
            let row = i.op == Op::LoadRow && i.mask.is_none() && i.mode != Mode::Guarded && self.proven(i);
            let buf = i.buf.filter(|_| row)?;
            let bytes = u64::from(memory_elem(self.kernel.bufs[buf].elem).bytes());
            let small = self.plan.lengths[buf.index()].is_some_and(|n| u64::from(n) * bytes < SMALL);
            let form = self.forms.at(self.kernel, i.args[0]);
            let apart = form.factor(body.params[0]).checked_mul(step)?;
            let steady = !form.terms.iter().any(|t| inside.contains(&t.0));
            let near = u64::from(apart.unsigned_abs()) * bytes < NEAR;
            let fits = apart.checked_mul(AHEAD).is_some();
            (steady && fits && !near && !small).then_some((i, apart))
        };
        let found: Vec<_> = body.insts.iter().filter_map(far).collect();
        let short = body.count() <= SHORT * found.len();
        if found.len() > MOST || !short { Vec::new() } else { found }
    }
}
