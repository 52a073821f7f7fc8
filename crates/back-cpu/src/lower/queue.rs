//! Requests and receipts: a queue of four vectors in the frame.

use super::state::Lower;
use crate::common::function::Sort;
use crate::common::text;
use quadra_kir::{Elem, Inst, Op};

impl Lower<'_> {
    pub(super) fn begin_queue(&mut self) {
        self.t.slots += "  %queue = alloca [4 x [16 x i64]], align 64\n  %qhead = alloca i32\n  %qlen = alloca i32\n";
        self.queue = Some("%queue".into());
        self.t.line("store i32 0, ptr %qhead");
        self.t.line("store i32 0, ptr %qlen");
    }

    /// At the kernel's end nothing may wait.
    pub(super) fn end_queue(&mut self) {
        if self.queue.is_some() {
            let left = self.t.def("load i32, ptr %qlen");
            let empty = self.t.def(&format!("icmp eq i32 {left}, 0"));
            let site = Inst::new(Op::Return, []).at(self.kernel.span);
            self.demand(&empty, &site, Sort::QueueLeft);
        }
    }

    /// A value of a queue's place, as 64-bit words.
    fn queued(&mut self, at: &str) -> String {
        let at = self.t.def(&format!("and i32 {at}, 3"));
        self.t.def(&format!("getelementptr [16 x i64], ptr %queue, i32 {at}"))
    }

    pub(super) fn request(&mut self, inst: &Inst, value: &str) {
        let (head, length) = (self.t.def("load i32, ptr %qhead"), self.t.def("load i32, ptr %qlen"));
        let room = self.t.def(&format!("icmp ult i32 {length}, 4"));
        self.demand(&room, inst, Sort::QueueFull);
        let at = self.t.def(&format!("add i32 {head}, {length}"));
        let place = self.queued(&at);
        let elem = inst.buf.map_or(Elem::I32, |b| self.kernel.bufs[b].elem.in_register());
        self.t.line(&format!("store <16 x {}> {value}, ptr {place}, align 64", text::elem(elem)));
        let length = self.t.def(&format!("add i32 {length}, 1"));
        self.t.line(&format!("store i32 {length}, ptr %qlen"));
    }

    pub(super) fn receive(&mut self, inst: &Inst) {
        if self.queue.is_none() {
            return self.demand("false", inst, Sort::QueueEmpty);
        }
        let (head, length) = (self.t.def("load i32, ptr %qhead"), self.t.def("load i32, ptr %qlen"));
        let some = self.t.def(&format!("icmp ne i32 {length}, 0"));
        self.demand(&some, inst, Sort::QueueEmpty);
        let place = self.queued(&head);
        let t = self.kernel.ty(inst.result());
        let value = self.t.def(&format!("load {}, ptr {place}, align 64", text::ty(t)));
        self.define(inst.result(), &value);
        let (head, length) = (self.t.def(&format!("add i32 {head}, 1")), self.t.def(&format!("sub i32 {length}, 1")));
        self.t.line(&format!("store i32 {head}, ptr %qhead"));
        self.t.line(&format!("store i32 {length}, ptr %qlen"));
    }
}
