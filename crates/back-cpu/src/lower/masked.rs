//! Rows of which a mask says which lanes are there.
//!
//! Processors with AVX2 take a mask from the signs of a register. LLVM (15 to 20) parts longer rows itself, and takes a part of the mask
//! of which it knows that no lane is there for one with all lanes: it reads and writes outside. So it is given rows of one
//! register each, by the processor's own instructions, and masks that it knows nothing of.

use super::state::Lower;
use super::words::{memory_elem, suffix};
use crate::common::text::{self, MASK};
use quadra_kir::{LANES, Type};

/// Bytes of a register of AVX2.
const BYTES: usize = 32;

impl Lower<'_> {
    /// The lanes of a mask at a place that is a multiple of `align`; the others are 0.
    pub(super) fn load_masked(&mut self, t: Type, place: &str, align: u32, mask: &str) -> String {
        let many = self.lanes_at_once(t);
        if many == LANES as usize {
            return self.load_some(t, many, (place, align), mask);
        }
        let mut parts = Vec::new();
        for first in (0..LANES as usize).step_by(many) {
            let (place, mask) = (self.place_from(t, place, first), self.part_of_row(MASK, mask, first, many));
            parts.push(self.load_some(t, many, (&place, align), &mask));
        }
        let mut width = many;
        while parts.len() > 1 {
            let joined = |pair: &[String], l: &mut Self| {
                let ty = vector(t, width);
                l.t.def(&format!("shufflevector {ty} {}, {ty} {}, {}", pair[0], pair[1], counted(0, 2 * width)))
            };
            parts = parts.chunks(2).map(|pair| joined(pair, self)).collect();
            width *= 2;
        }
        parts.swap_remove(0)
    }

    /// Stores the lanes of a mask at a place that is a multiple of `align`.
    pub(super) fn store_masked(&mut self, t: Type, (value, place): (&str, &str), align: u32, mask: &str) {
        let many = self.lanes_at_once(t);
        if many == LANES as usize {
            return self.store_some(t, many, (value, place, align), mask);
        }
        for first in (0..LANES as usize).step_by(many) {
            let value = self.part_of_row(&text::ty(t), value, first, many);
            let (place, mask) = (self.place_from(t, place, first), self.part_of_row(MASK, mask, first, many));
            self.store_some(t, many, (&value, &place, align), &mask);
        }
    }

    /// How many lanes of a row one access has.
    fn lanes_at_once(&self, t: Type) -> usize {
        let bytes = t.elem.bytes() as usize;
        if self.plan.avx2 && bytes >= 4 { BYTES / bytes } else { LANES as usize }
    }

    /// The lanes of a mask of so many, which are what a register holds where this matters.
    pub(super) fn load_some(&mut self, t: Type, many: usize, (place, align): (&str, u32), mask: &str) -> String {
        let ty = vector(t, many);
        let (lanes, align) = (format!("<{many} x i1>"), align.to_string());
        let Some(signs) = self.signs(t, many, mask) else {
            let args = [("ptr", place), ("i32", align.as_str()), (&lanes, mask), (&ty, "zeroinitializer")];
            return self.t.call(&ty, &format!("llvm.masked.load.v{many}{}.p0", suffix(Type::scalar(t.elem))), &args);
        };
        let (words, name) = words(t, many);
        let value =
            self.t.call(&words, &format!("llvm.x86.avx2.maskload.{name}.256"), &[("ptr", place), (&words, &signs)]);
        if words == ty { value } else { self.t.def(&format!("bitcast {words} {value} to {ty}")) }
    }

    /// Stores the lanes of a mask of so many.
    pub(super) fn store_some(&mut self, t: Type, many: usize, (value, place, align): (&str, &str, u32), mask: &str) {
        let ty = vector(t, many);
        let (lanes, align) = (format!("<{many} x i1>"), align.to_string());
        let Some(signs) = self.signs(t, many, mask) else {
            let args = [(ty.as_str(), value), ("ptr", place), ("i32", &align), (&lanes, mask)];
            self.t.call("void", &format!("llvm.masked.store.v{many}{}.p0", suffix(Type::scalar(t.elem))), &args);
            return;
        };
        let (words, name) = words(t, many);
        let value = match words == ty {
            true => value.to_owned(),
            false => self.t.def(&format!("bitcast {ty} {value} to {words}")),
        };
        let args = [("ptr", place), (words.as_str(), signs.as_str()), (&words, &value)];
        self.t.call("void", &format!("llvm.x86.avx2.maskstore.{name}.256"), &args);
    }

    /// A register's mask by its signs, if that is how the processor takes it.
    fn signs(&mut self, t: Type, many: usize, mask: &str) -> Option<String> {
        if !self.plan.avx2 || many * t.elem.bytes() as usize != BYTES || many > 8 {
            return None;
        }
        let (words, _) = words(t, many);
        let signs = self.t.def(&format!("sext <{many} x i1> {mask} to {words}"));
        Some(self.t.def(&format!("call {words} asm \"\", \"=x,0\"({words} {signs})")))
    }

    fn part_of_row(&mut self, ty: &str, of: &str, first: usize, many: usize) -> String {
        self.t.def(&format!("shufflevector {ty} {of}, {ty} zeroinitializer, {}", counted(first, many)))
    }

    fn place_from(&mut self, t: Type, place: &str, first: usize) -> String {
        if first == 0 {
            return place.to_owned();
        }
        self.t.def(&format!("getelementptr {}, ptr {place}, i64 {first}", text::elem(t.elem)))
    }
}

/// So many lanes from one on, for a shuffle.
fn counted(first: usize, many: usize) -> String {
    let lanes: Vec<String> = (first..first + many).map(|n| format!("i32 {n}")).collect();
    format!("<{many} x i32> <{}>", lanes.join(", "))
}

fn vector(t: Type, many: usize) -> String {
    format!("<{many} x {}>", text::elem(t.elem))
}

/// A register of the elements as integers, and what an instruction calls them.
fn words(t: Type, many: usize) -> (String, &'static str) {
    let name = if t.elem.bytes() == 8 { "q" } else { "d" };
    (vector(Type::scalar(memory_elem(t.elem)), many), name)
}
