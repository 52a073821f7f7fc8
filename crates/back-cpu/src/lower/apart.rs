//! Loads of lanes from anywhere, and stores, as a function for all of a module.
//!
//! Without instructions for lanes under a mask, each of them is long: LLVM takes several milliseconds to choose the instructions of some.
//! In code that computes the little that an interior leaves, that is most of what a first launch waits for. There one function, which goes
//! from lane to lane, does what all of them ask, a little slower.

use super::state::Lower;
use super::words::{memory_elem, memory_type};
use crate::common::text::{self, LANES, MASK};
use quadra_kir::{Elem, Type};

impl Lower<'_> {
    /// The elements at these indices from a place on, and 0 in lanes that are not asked, if that is done apart.
    pub(super) fn gathered_apart(&mut self, elem: Elem, base: &str, index: &str, asked: &str) -> Option<String> {
        if !self.is_apart() {
            return None;
        }
        let (memory, vector) = types(elem);
        let body = format!(
            "  %element = load {memory}, ptr %from, align 1\n  %into = getelementptr {memory}, ptr %values, i64 %at\n\
             \x20 store {memory} %element, ptr %into\n"
        );
        let end = format!("  %all = load {vector}, ptr %values\n  ret {vector} %all\n");
        let begin = format!("  store {vector} zeroinitializer, ptr %values\n");
        self.lanes_apart(&format!("{vector} @gather_{memory}"), elem, "", (&begin, &body, &end));
        let word = self.t.def(&format!("bitcast {MASK} {asked} to i16"));
        Some(self.t.def(&format!("call {vector} @gather_{memory}(ptr {base}, {LANES} {index}, i16 {word})")))
    }

    /// Stores elements, of lanes that are asked, from the first lane to the last; whether that is done apart.
    pub(super) fn scattered_apart(
        &mut self,
        elem: Elem,
        value: &str,
        (base, index): (&str, &str),
        asked: &str,
    ) -> bool {
        if !self.is_apart() {
            return false;
        }
        let (memory, vector) = types(elem);
        let body = format!(
            "  %lane = getelementptr {memory}, ptr %values, i64 %at\n  %element = load {memory}, ptr %lane\n\
             \x20 store {memory} %element, ptr %from, align 1\n"
        );
        let (begin, more) = (format!("  store {vector} %value, ptr %values\n"), format!(", {vector} %value"));
        self.lanes_apart(&format!("void @scatter_{memory}"), elem, &more, (&begin, &body, "  ret void\n"));
        let word = self.t.def(&format!("bitcast {MASK} {asked} to i16"));
        let args = format!("ptr {base}, {LANES} {index}, i16 {word}, {vector} {value}");
        self.t.line(&format!("call void @scatter_{memory}({args})"));
        true
    }

    /// Whether there is little to compute, and lanes under a mask are no instructions.
    fn is_apart(&self) -> bool {
        self.plan.few && !self.plan.scales
    }

    /// A function that does something for each lane of a mask, unless the module has it.
    fn lanes_apart(&mut self, head: &str, elem: Elem, more: &str, (begin, body, end): (&str, &str, &str)) {
        let (memory, vector) = types(elem);
        let head = format!("define internal {head}(ptr %base, {LANES} %index, i16 %mask{more}) noinline nounwind ");
        if self.functions.contains(&head) {
            return;
        }
        self.functions += &format!(
            "{head}{{\nentry:\n  %indices = alloca {LANES}\n  %values = alloca {vector}\n  store {LANES} %index, ptr %indices\n\
             {begin}  br label %next\nnext:\n  %left = phi i16 [ %mask, %entry ], [ %rest, %one ]\n\
             \x20 %some = icmp ne i16 %left, 0\n  br i1 %some, label %one, label %end\none:\n\
             \x20 %bit = call i16 @llvm.cttz.i16(i16 %left, i1 true)\n  %at = zext i16 %bit to i64\n\
             \x20 %place = getelementptr i32, ptr %indices, i64 %at\n  %n = load i32, ptr %place\n\
             \x20 %from = getelementptr {memory}, ptr %base, i32 %n\n\
             {body}  %less = sub i16 %left, 1\n  %rest = and i16 %left, %less\n  br label %next\nend:\n{end}}}\n"
        );
        self.t.declare("declare i16 @llvm.cttz.i16(i16, i1)");
    }
}

/// The type of an element in memory, and of a vector of such.
fn types(elem: Elem) -> (&'static str, String) {
    (memory_type(elem), text::ty(Type::vector(memory_elem(elem))))
}
