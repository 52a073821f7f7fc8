//! Rows of which a mask says which lanes are there.
//!
//! Processors with AVX2 take a mask from the signs of a register. LLVM (15, 16 and 19) parts longer rows itself, and takes a part of the
//! mask of which it knows that no lane is there for one with all lanes: it reads outside. So it is given rows of one
//! register each, by the processor's own instructions, and masks that it knows nothing of.

use super::state::Lower;
use super::words::{memory_elem, memory_type, suffix};
use crate::common::text::{self, MASK};
use quadra_kir::{Elem, Inst, LANES, Op, Type};

/// Bytes of a register of AVX2.
const BYTES: usize = 32;

impl Lower<'_> {
    /// The lanes of a mask at a place that is a multiple of `align`; the others are 0.
    pub(super) fn load_masked(&mut self, t: Type, place: &str, align: u32, mask: &str) -> String {
        let ty = text::ty(t);
        let Some(signs) = self.signs(t, mask) else {
            let align = align.to_string();
            let args = [("ptr", place), ("i32", align.as_str()), (MASK, mask), (&ty, "zeroinitializer")];
            return self.t.call(&ty, &format!("llvm.masked.load.{}.p0", suffix(t)), &args);
        };
        let (many, words, name) = register(t);
        let mut parts = Vec::new();
        for (n, signs) in signs.iter().enumerate() {
            let place = self.place_from(t, place, n * many);
            let args = [("ptr", place.as_str()), (&words, signs)];
            parts.push(self.t.call(&words, &format!("llvm.x86.avx2.maskload.{name}.256"), &args));
        }
        let value = self.joined(parts, text::elem(memory_elem(t.elem)), many);
        if t.elem == memory_elem(t.elem) {
            return value;
        }
        self.t.def(&format!("bitcast {} {value} to {ty}", vector(t, LANES as usize)))
    }

    /// Stores the lanes of a mask at a place that is a multiple of `align`.
    pub(super) fn store_masked(&mut self, t: Type, (value, place): (&str, &str), align: u32, mask: &str) {
        let ty = text::ty(t);
        let Some(signs) = self.signs(t, mask) else {
            let align = align.to_string();
            let args = [(ty.as_str(), value), ("ptr", place), ("i32", &align), (MASK, mask)];
            self.t.call("void", &format!("llvm.masked.store.{}.p0", suffix(t)), &args);
            return;
        };
        let whole = vector(t, LANES as usize);
        let value = match ty == whole {
            true => value.to_owned(),
            false => self.t.def(&format!("bitcast {ty} {value} to {whole}")),
        };
        let ((many, words, name), word) = (register(t), text::elem(memory_elem(t.elem)));
        for (n, signs) in signs.iter().enumerate() {
            let (part, place) = (self.some_lanes(&value, word, (n * many, many)), self.place_from(t, place, n * many));
            let args = [("ptr", place.as_str()), (words.as_str(), signs.as_str()), (&words, &part)];
            self.t.call("void", &format!("llvm.x86.avx2.maskstore.{name}.256"), &args);
        }
    }

    /// How many lanes an instruction has, if its mask is known to be that of the first ones: of rows that are shorter than a vector.
    pub(super) fn first_lanes(&self, inst: &Inst) -> Option<usize> {
        let (op, args) = self.conditions.get(&inst.mask?)?;
        let more = match op {
            Op::CmpLt => 0,
            Op::CmpLe => 1,
            _ => return None,
        };
        let (form, end) = (self.forms.at(self.kernel, args[0]), self.kernel.as_i32(args[1])?);
        let counts =
            self.lane.is_some_and(|lane| form.terms[..] == [(lane, 1)]) && (0..1 << 30).contains(&form.constant);
        let many = i64::from(end) + more - i64::from(form.constant);
        (counts && (1..i64::from(LANES)).contains(&many)).then_some(many as usize)
    }

    /// So many elements, and 0 in all other lanes.
    pub(super) fn load_first(&mut self, elem: Elem, place: &str, many: usize) -> String {
        let row = format!("<{many} x {}>", memory_type(elem));
        let value = self.t.def(&format!("load {row}, ptr {place}, align 1"));
        let lanes: Vec<String> = (0..LANES as usize).map(|lane| format!("i32 {}", lane.min(many))).collect();
        self.t.def(&format!("shufflevector {row} {value}, {row} zeroinitializer, <16 x i32> <{}>", lanes.join(", ")))
    }

    /// Stores the first lanes.
    pub(super) fn store_first(&mut self, elem: Elem, (value, place): (&str, &str), many: usize) {
        let (from, row) = (format!("<16 x {}>", memory_type(elem)), format!("<{many} x {}>", memory_type(elem)));
        let lanes: Vec<String> = (0..many).map(|lane| format!("i32 {lane}")).collect();
        let first =
            self.t.def(&format!("shufflevector {from} {value}, {from} poison, <{many} x i32> <{}>", lanes.join(", ")));
        self.t.line(&format!("store {row} {first}, ptr {place}, align 1"));
    }

    /// The lanes of a register, of 32 bits each.
    pub(super) fn load_register(&mut self, many: usize, place: &str, mask: &str) -> String {
        let ty = vector(Type::I32, many);
        let lanes = format!("<{many} x i1>");
        match self.signs_of_register(many, mask) {
            Some(signs) => self.t.call(&ty, "llvm.x86.avx2.maskload.d.256", &[("ptr", place), (&ty, &signs)]),
            None => {
                let args = [("ptr", place), ("i32", "4"), (lanes.as_str(), mask), (&ty, "zeroinitializer")];
                self.t.call(&ty, &format!("llvm.masked.load.v{many}i32.p0"), &args)
            }
        }
    }

    /// Stores them.
    pub(super) fn store_register(&mut self, many: usize, (value, place): (&str, &str), mask: &str) {
        let ty = vector(Type::I32, many);
        let lanes = format!("<{many} x i1>");
        match self.signs_of_register(many, mask) {
            Some(signs) => {
                let args = [("ptr", place), (ty.as_str(), signs.as_str()), (&ty, value)];
                self.t.call("void", "llvm.x86.avx2.maskstore.d.256", &args)
            }
            None => {
                let args = [(ty.as_str(), value), ("ptr", place), ("i32", "4"), (&lanes, mask)];
                self.t.call("void", &format!("llvm.masked.store.v{many}i32.p0"), &args)
            }
        };
    }

    /// A mask as the signs of so many registers, if that is how the processor takes it.
    fn signs(&mut self, t: Type, mask: &str) -> Option<Vec<String>> {
        if !self.plan.avx2 || t.elem.bytes() < 4 {
            return None;
        }
        let ((many, words, _), word) = (register(t), text::elem(memory_elem(t.elem)));
        let whole = vector(t, LANES as usize);
        let signs = self.t.def(&format!("sext {MASK} {mask} to {whole}"));
        let part = |first| {
            let part = self.some_lanes(&signs, word, (first, many));
            self.unknown(&words, &part)
        };
        Some((0..LANES as usize).step_by(many).map(part).collect())
    }

    fn signs_of_register(&mut self, many: usize, mask: &str) -> Option<String> {
        if !self.plan.avx2 || many * 4 != BYTES {
            return None;
        }
        let words = vector(Type::I32, many);
        let signs = self.t.def(&format!("sext <{many} x i1> {mask} to {words}"));
        Some(self.unknown(&words, &signs))
    }

    /// A value that LLVM knows nothing of.
    fn unknown(&mut self, ty: &str, value: &str) -> String {
        self.t.def(&format!("call {ty} asm \"\", \"=x,0\"({ty} {value}) readnone"))
    }

    fn place_from(&mut self, t: Type, place: &str, first: usize) -> String {
        if first == 0 {
            return place.to_owned();
        }
        self.t.def(&format!("getelementptr {}, ptr {place}, i64 {first}", text::elem(t.elem)))
    }
}

/// So many elements as memory has them.
fn vector(t: Type, many: usize) -> String {
    format!("<{many} x {}>", text::elem(memory_elem(t.elem)))
}

/// The elements of a register, its type, and what instructions call it.
fn register(t: Type) -> (usize, String, &'static str) {
    let many = BYTES / t.elem.bytes() as usize;
    (many, vector(t, many), if t.elem.bytes() == 8 { "q" } else { "d" })
}
