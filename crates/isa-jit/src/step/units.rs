//! What a block does with the uniforms, the TMUs, special functions, constants and rotations.

use super::super::alu;
use super::super::native::layout;
use super::super::region::Block;
use super::super::text::{V, splat, vector};
use super::{Kind, Value, Writer};
use quadra_isa::vc4::Mux;
use quadra_isa::vc4::emu::translate::registers as slot;
use quadra_isa::vc4::imm::Rotation;

impl Writer<'_> {
    /// A constant out of the module's pool, which is reached through memory so that LLVM does not know its contents.
    pub(super) fn pooled(&mut self, lanes: &[u32; 16]) -> String {
        let at = self.text.pool(*lanes);
        let at = self.text.at("%pool", 64 * at);
        self.text.def(&format!("load {V}, ptr {at}, align 64, !invariant.load !0"))
    }

    pub(super) fn read_uniform(&mut self, block: &Block) {
        let base = format!("%ub{}", block.start);
        if self.float_uniforms && self.uniforms_read.is_multiple_of(16) {
            let first = self.uniforms_read.min(block.uniforms as usize - 16);
            let at = self.text.at(&base, 4 * first);
            let words = self.text.def(&format!("load {V}, ptr {at}, align 4"));
            let nan = alu::not_numbers(self.text, &words);
            self.bad(&nan);
        }
        let word = self.text.load("i32", &base, 4 * self.uniforms_read);
        self.uniforms_read += 1;
        let one = self.text.def(&format!("insertelement {V} zeroinitializer, i32 {word}, i32 0"));
        let name = self.text.def(&format!("shufflevector {V} {one}, {V} zeroinitializer, <16 x i32> zeroinitializer"));
        self.uniform = Some(Value { name, kind: Kind::Exact, number: self.float_uniforms, register: None });
    }

    pub(super) fn set_uniforms(&mut self, value: Value) {
        let value = self.exact(value);
        let address = self.text.def(&format!("extractelement {V} {}, i32 0", value.name));
        let address = self.text.def(&format!("and i32 {address}, -4"));
        let at = self.text.def(&format!("sub i32 {address}, %ubase"));
        let at = self.text.def(&format!("zext i32 {at} to i64"));
        self.text.line(&format!("store i64 {at}, ptr %upos"));
    }

    pub(super) fn special_function(&mut self, function: u8, value: Value) {
        let value = self.exact(value);
        self.text.store(V, &value.name, "%c", layout::SCRATCH);
        let from = self.text.at("%c", layout::SCRATCH);
        let to = self.text.at("%c", layout::SCRATCH + 64);
        let special = self.text.load("ptr", "%c", layout::SPECIAL);
        self.text.line(&format!("call void {special}(ptr %c, i32 {function}, ptr {from}, ptr {to})"));
        let name = self.text.load(V, "%c", layout::SCRATCH + 64);
        self.add_to("%sfus", 1);
        self.set(slot::R4, &Value { name, kind: Kind::Exact, number: true, register: None });
    }

    pub(super) fn tmu_request(&mut self, unit: usize, value: Value) {
        let value = self.exact(value);
        self.text.store(V, &value.name, "%c", layout::SCRATCH);
        let from = self.text.at("%c", layout::SCRATCH);
        let head = self.text.def(&format!("load i64, ptr %head{unit}"));
        let length = self.text.def(&format!("load i64, ptr %length{unit}"));
        let room = self.text.def(&format!("icmp ult i64 {length}, {}", layout::DEPTH));
        self.go_on_if(&room);
        let to = self.queued(unit, &head, &length);
        self.gather(&value.name, &from, &to);
        let length = self.text.def(&format!("add i64 {length}, 1"));
        self.text.line(&format!("store i64 {length}, ptr %length{unit}"));
        self.add_to("%requests", 1);
    }

    /// Reads words into a place of the queue: here if all lie in the memory that was last read from, else by a call.
    fn gather(&mut self, addresses: &str, from: &str, to: &str) {
        let base = self.text.load("i32", "%c", layout::WINDOW_BASE);
        let length = self.text.load("i32", "%c", layout::WINDOW_LENGTH);
        let [base, length] = [base, length].map(|word| {
            let one = self.text.def(&format!("insertelement {V} zeroinitializer, i32 {word}, i32 0"));
            self.text.def(&format!("shufflevector {V} {one}, {V} zeroinitializer, <16 x i32> zeroinitializer"))
        });
        let words = self.text.def(&format!("and {V} {addresses}, {}", splat(!3)));
        let at = self.text.def(&format!("sub {V} {words}, {base}"));
        let inside = self.text.def(&format!("icmp ult {V} {at}, {length}"));
        let inside = self.text.def(&format!("bitcast <16 x i1> {inside} to i16"));
        let all = self.text.def(&format!("icmp eq i16 {inside}, -1"));
        let [here, call, done] = [(); 3].map(|()| self.text.fresh_label());
        self.text.branch_if(&all, &here, &call);
        self.text.label(&call);
        let gather = self.text.load("ptr", "%c", layout::GATHER);
        let read = self.text.def(&format!("call i32 {gather}(ptr %c, ptr {from}, ptr {to})"));
        let read = self.text.def(&format!("icmp ne i32 {read}, 0"));
        self.text.branch_if(&read, &done, "undone");
        self.text.label(&here);
        let memory = self.text.load("ptr", "%c", layout::WINDOW);
        // The window is shorter than 2^31, so that offsets are positive.
        let places = self.text.def(&format!("getelementptr i8, ptr {memory}, {V} {at}"));
        let intrinsic = "@llvm.masked.gather.v16i32.v16p0";
        self.text.declare(&format!("declare {V} {intrinsic}(<16 x ptr>, i32 immarg, <16 x i1>, {V})"));
        let lanes = super::all_lanes();
        let value = self
            .text
            .def(&format!("call {V} {intrinsic}(<16 x ptr> {places}, i32 4, <16 x i1> {lanes}, {V} zeroinitializer)"));
        self.text.line(&format!("store {V} {value}, ptr {to}, align 64"));
        self.text.branch(&done);
        self.text.label(&done);
    }

    pub(super) fn load_tmu(&mut self, unit: usize) {
        let head = self.text.def(&format!("load i64, ptr %head{unit}"));
        let length = self.text.def(&format!("load i64, ptr %length{unit}"));
        let some = self.text.def(&format!("icmp ne i64 {length}, 0"));
        self.go_on_if(&some);
        let from = self.queued(unit, &head, "0");
        let name = self.text.def(&format!("load {V}, ptr {from}, align 64"));
        let head = self.text.def(&format!("add i64 {head}, 1"));
        let length = self.text.def(&format!("sub i64 {length}, 1"));
        self.text.line(&format!("store i64 {head}, ptr %head{unit}"));
        self.text.line(&format!("store i64 {length}, ptr %length{unit}"));
        self.set(slot::R4, &Value { name, kind: Kind::Exact, number: false, register: None });
    }

    /// The place of the result `length` behind the head of a TMU's queue.
    fn queued(&mut self, unit: usize, head: &str, length: &str) -> String {
        let at = self.text.def(&format!("add i64 {head}, {length}"));
        let at = self.text.def(&format!("and i64 {at}, {}", layout::DEPTH - 1));
        let at = self.text.def(&format!("shl i64 {at}, 6"));
        let base = self.text.at("%c", layout::QUEUES + unit * layout::DEPTH * 64);
        self.text.def(&format!("getelementptr i8, ptr {base}, i64 {at}"))
    }

    /// Gives the attempt up unless a condition holds.
    fn go_on_if(&mut self, condition: &str) {
        let label = self.text.fresh_label();
        self.text.branch_if(condition, &label, "undone");
        self.text.label(&label);
    }

    pub(super) fn rotate(&mut self, mux: Mux, by: Rotation, value: Value) -> Value {
        let name = match by {
            Rotation::By(n) => {
                let n = usize::from(n);
                let full = mux.as_accumulator().is_some_and(|r| r < 4);
                let from = |lane: usize| match full {
                    true => (lane + 16 - n) % 16,
                    false => lane / 4 * 4 + (lane + 4 - n % 4) % 4,
                };
                self.shuffle(&value.name, from)
            }
            // An immediate is the same in all lanes.
            Rotation::R5 if mux == Mux::B => value.name.clone(),
            Rotation::R5 => {
                let r5 = self.register(slot::R5);
                let r5 = self.exact(r5);
                let n = self.text.def(&format!("extractelement {V} {}, i32 0", r5.name));
                let n = self.text.def(&format!("and i32 {n}, 15"));
                let n = self.text.def(&format!("sub i32 16, {n}"));
                let n = self.text.def(&format!("zext i32 {n} to i64"));
                self.text.store(V, &value.name, "%c", layout::SCRATCH);
                self.text.store(V, &value.name, "%c", layout::SCRATCH + 64);
                let base = self.text.at("%c", layout::SCRATCH);
                let at = self.text.def(&format!("getelementptr i32, ptr {base}, i64 {n}"));
                self.text.def(&format!("load {V}, ptr {at}, align 4"))
            }
        };
        Value { name, register: None, ..value }
    }

    pub(super) fn shuffle(&mut self, value: &str, from: impl Fn(usize) -> usize) -> String {
        let lanes = vector(&std::array::from_fn(|lane| from(lane) as u32));
        self.text.def(&format!("shufflevector {V} {value}, {V} zeroinitializer, <16 x i32> {lanes}"))
    }
}
