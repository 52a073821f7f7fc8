//! What goes through the caller: `print`, `assert`, semaphores and the mutex.

use super::state::Lower;
use super::words::all;
use crate::common::function::Sort;
use crate::common::text::{self, MASK};
use crate::native::context::layout;
use quadra_kir::{Elem, Inst, Type};

impl Lower<'_> {
    pub(super) fn live(&mut self, inst: &Inst) -> String {
        match inst.mask {
            Some(mask) => self.value_as(mask, Type::vector(Elem::Bool)),
            None => all(),
        }
    }

    pub(super) fn print(&mut self, inst: &Inst) {
        let live = self.live(inst);
        let site = self.site(inst);
        let place = self.t.slot(&format!("[{} x i64], align 64", 16 * inst.args.len().max(1)));
        for (n, &arg) in inst.args.iter().enumerate() {
            let t = self.kernel.ty(arg).with_lanes(true);
            let value = self.value_as(arg, t);
            let at = self.t.def(&format!("getelementptr i64, ptr {place}, i64 {}", 16 * n));
            self.spill(t, &value, &at);
        }
        let word = self.t.def(&format!("bitcast {MASK} {live} to i16"));
        let helper = self.helper(layout::PRINT);
        self.t.line(&format!("call void {helper}(ptr %c, i32 {site}, i16 {word}, ptr {place})"));
    }

    pub(super) fn assert(&mut self, inst: &Inst) {
        if inst.mask.is_none() && !self.kernel.ty(inst.args[0]).lanes {
            let truth = match self.not_wrapped(inst.args[0]) {
                Some(truth) => truth,
                None => self.value(inst.args[0]),
            };
            return self.demand(&truth, inst, Sort::Assert);
        }
        if self.products.asserts(inst) {
            return;
        }
        let live = self.live(inst);
        let truth = self.value_as(inst.args[0], Type::vector(Elem::Bool));
        let mut small = self.small_terms(inst.args[0]);
        if small.is_none() && !self.kernel.ty(inst.args[0]).lanes {
            // Which lanes count is asked only if what is the same in all does not hold.
            small = Some(self.value(inst.args[0]));
        }
        if small.is_none()
            && inst.mask.is_some()
            && let Some(any) = self.quickly_wrong(inst)
        {
            // Any lane, of those that count or not: these are looked at if there is one.
            small = Some(self.t.def(&format!("xor i1 {any}, true")));
        }
        let small = small.map(|small| {
            let [large, over] = [(); 2].map(|()| self.t.fresh_label());
            self.t.branch_if(&small, &over, &large);
            self.t.label(&large);
            over
        });
        if small.is_none()
            && let Some(any) = self.quickly_wrong(inst)
        {
            return self.fault_if(inst, &any, &truth);
        }
        let truth = self.tests_again(inst.args[0]).unwrap_or(truth);
        let not = self.t.def(&format!("xor {} {truth}, {}", text::ty(Type::vector(Elem::Bool)), all()));
        let wrong = self.t.def(&format!("and {MASK} {live}, {not}"));
        let any = self.t.any(&wrong);
        let (bad, good) = (self.t.fresh_label(), self.t.fresh_label());
        self.t.branch_if(&any, &bad, &good);
        self.t.label(&bad);
        self.fault(inst, Sort::Assert, &wrong);
        self.t.label(&good);
        if let Some(over) = small {
            self.t.branch(&over);
            self.t.label(&over);
        }
    }

    pub(super) fn synchronise(&mut self, inst: &Inst) {
        let helper = self.helper(layout::SYNCHRONISE);
        let (op, n) = (inst.op as u32, inst.imm & 15 | (self.site(inst) as u32) << 4);
        let stopped = self.t.def(&format!("call i32 {helper}(ptr %c, i32 {op}, i32 {n})"));
        let goes_on = self.t.def(&format!("icmp eq i32 {stopped}, 0"));
        self.demand(&goes_on, inst, Sort::Noted);
    }
}
