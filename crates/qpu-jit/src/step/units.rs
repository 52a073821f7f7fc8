//! What a block does with the uniforms, the TMUs, special functions, constants and rotations.

use super::super::native::layout;
use super::super::text::{V, vector};
use super::{Kind, Value, Writer};
use quadra_qpu::vc4::Mux;
use quadra_qpu::vc4::emu::translate::registers as slot;
use quadra_qpu::vc4::imm::Rotation;

impl Writer<'_> {
    /// A constant out of the module's pool, which is reached through memory so that LLVM does not know its contents.
    pub(super) fn pooled(&mut self, lanes: &[u32; 16]) -> String {
        let at = self.text.pool(*lanes);
        let at = self.text.at("%pool", 64 * at);
        self.text.def(&format!("load {V}, ptr {at}, align 64, !invariant.load !0"))
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
        let gather = self.text.load("ptr", "%c", layout::GATHER);
        let done = self.text.def(&format!("call i32 {gather}(ptr %c, ptr {from}, ptr {to})"));
        let done = self.text.def(&format!("icmp ne i32 {done}, 0"));
        self.go_on_if(&done);
        let length = self.text.def(&format!("add i64 {length}, 1"));
        self.text.line(&format!("store i64 {length}, ptr %length{unit}"));
        self.add_to("%requests", 1);
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
        self.text.line(&format!("br i1 {condition}, label %{label}, label %undone"));
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
