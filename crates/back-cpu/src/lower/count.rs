//! Counting: elements that one constant is added to are noted, and counted when enough of them have gathered.
//!
//! Adding at once would make the processor guess, mostly wrongly, that the next load does not meet a store whose address it does
//! not know yet. Counting takes a store per note and leaves the memory idle, so that it asks for what the next turns read.

use super::state::Lower;
use super::words::memory_type;
use crate::common::function::Private;
use crate::common::text::{self, LANES, MASK};
use quadra_kir::{Elem, Inst, Kernel, Op, Type, Value};

/// How many elements are noted before they are counted: they stay in the first cache, with what is read ahead meanwhile.
const NOTES: usize = 2048;
/// Notes that one turn of the counting loop takes, and those that one word of 64 bits holds at most.
const TURN: usize = 16;
/// Bytes of a cache line.
const LINE: usize = 64;

/// How the elements of one buffer are noted.
#[derive(Clone, Debug)]
pub(super) struct Notes {
    /// Bits of a note.
    bits: usize,
    /// Vectors noted so far in this turn, if all turns note the same number. Then it is asked once a turn whether it is time to
    /// count.
    turn: Option<usize>,
    /// The load that walks through memory beside the notes, and how many bytes it reads for each note of a turn.
    stream: Option<(Inst, usize)>,
}

impl Lower<'_> {
    /// Begins to note what one constant is added to; a buffer of which that is not all is not noted.
    pub(super) fn begin_notes(&mut self, n: usize, private: Private) {
        let Some(constant) = self.counted(n) else { return };
        let mut atomics = Vec::new();
        self.kernel.body.walk(&mut |i| {
            if i.op.is_atomic() && i.buf.is_some_and(|b| b.index() == n) {
                atomics.push(i.mask.is_some());
            }
        });
        let of_buffer = |i: &&Inst| i.op.is_atomic() && i.buf.is_some_and(|b| b.index() == n);
        let outside = self.kernel.body.insts.iter().filter(of_buffer).count();
        let steady = self.whole_turns && outside == atomics.len();
        let vectors = if steady { outside * self.shape.parts() } else { 1 };
        // A lane that is not asked notes an element behind the last.
        let highest = private.length as usize - 1 + usize::from(atomics.contains(&true));
        let bits = match highest {
            0..256 => 8,
            256..65_536 => 16,
            _ => 32,
        };
        let stream = if steady { self.stream(vectors) } else { None };
        let room = NOTES + 16 * vectors;
        self.t.slots += &format!("  %notes{n} = alloca [{room} x i{bits}], align 64\n  %noted{n} = alloca i64\n");
        self.t.line(&format!("store i64 0, ptr %noted{n}"));
        let bytes = stream.as_ref().map(|s| s.1);
        self.notes.insert(n, Notes { bits, turn: steady.then_some(0), stream });
        let function = self.counting_function(n, private, &constant, bits, bytes);
        self.functions.push_str(&function);
    }

    /// A row that neighbouring groups read next to each other, of a buffer that nobody writes, and the bytes per note if a turn
    /// notes so many vectors.
    fn stream(&self, vectors: usize) -> Option<(Inst, usize)> {
        let last = (self.kernel.over as usize).checked_sub(1)?;
        let walks = |i: &&Inst| {
            let Some(buf) = i.buf.filter(|_| i.op == Op::LoadRow) else { return false };
            let form = self.forms.at(self.kernel, i.args[0]);
            let along: i32 = form.terms.iter().filter(|t| self.axis_of.get(&t.0) == Some(&last)).map(|t| t.1).sum();
            along == 16 && !self.kernel.body.any(&mut |w| w.buf == Some(buf) && super::words::writes(w))
        };
        let load = self.kernel.body.insts.iter().find(walks)?;
        let size = self.kernel.bufs[load.buf?].elem.bytes() as usize;
        Some((load.clone(), (size * self.shape.columns).div_ceil(vectors)))
    }

    /// Notes 16 elements.
    pub(super) fn note(&mut self, inst: &Inst, n: usize, private: Private) {
        let Some(Notes { bits, turn, .. }) = self.notes.get(&n).cloned() else { return };
        let mut index = self.value_as(inst.args[0], Type::vector(Elem::I32));
        if inst.mask.is_some() {
            let asked = self.asked(inst);
            let nowhere = text::number(Type::vector(Elem::I32), i64::from(private.length));
            index = self.t.def(&format!("select {MASK} {asked}, {LANES} {index}, {LANES} {nowhere}"));
        }
        let short = match bits {
            32 => index,
            _ => self.t.def(&format!("trunc {LANES} {index} to <16 x i{bits}>")),
        };
        let at = self.t.def(&format!("load i64, ptr %noted{n}"));
        let mut place = self.t.def(&format!("getelementptr i{bits}, ptr %notes{n}, i64 {at}"));
        if let Some(before) = turn.filter(|t| *t > 0) {
            place = self.t.def(&format!("getelementptr i{bits}, ptr {place}, i64 {}", 16 * before));
        }
        self.t.line(&format!("store <16 x i{bits}> {short}, ptr {place}, align {}", 2 * bits));
        match (turn, self.notes.get_mut(&n)) {
            (Some(before), Some(notes)) => notes.turn = Some(before + 1),
            _ => self.noted(n, 1),
        }
    }

    /// Ends a turn of the loops over groups: counts if enough is noted.
    pub(super) fn end_turn_of_notes(&mut self) {
        let mut buffers: Vec<usize> = self.notes.keys().copied().collect();
        buffers.sort_unstable();
        for n in buffers {
            if let Some(vectors) = self.notes[&n].turn {
                self.noted(n, vectors);
            }
        }
    }

    /// So many vectors were noted.
    fn noted(&mut self, n: usize, vectors: usize) {
        let at = self.t.def(&format!("load i64, ptr %noted{n}"));
        let next = self.t.def(&format!("add i64 {at}, {}", 16 * vectors));
        self.t.line(&format!("store i64 {next}, ptr %noted{n}"));
        // In front of the branch: what an address is made of is known from there on, for the next buffer, too.
        let ahead = match self.notes.get(&n).and_then(|notes| notes.stream.clone()) {
            Some((load, _)) => self.behind(&load),
            None => "null".into(),
        };
        let full = self.t.def(&format!("icmp uge i64 {next}, {NOTES}"));
        let (count, go) = (self.t.fresh_label(), self.t.fresh_label());
        self.t.branch_if(&full, &count, &go);
        self.t.label(&count);
        self.t.line(&format!("call void @count{n}(ptr %v{n}, ptr %notes{n}, i64 {next}, ptr {ahead})"));
        self.t.line(&format!("store i64 0, ptr %noted{n}"));
        self.t.branch(&go);
        self.t.label(&go);
    }

    /// Where the next turn reads what a load has read in this one.
    fn behind(&mut self, load: &Inst) -> String {
        let Some(buf) = load.buf else { return "null".into() };
        let (sum, constant) = self.address(load.args[0]);
        let next = constant.wrapping_add(16 * self.shape.columns as i32);
        let at = self.t.def(&format!("add i32 {sum}, {next}"));
        let memory = memory_type(self.kernel.bufs[buf].elem);
        self.t.def(&format!("getelementptr {memory}, ptr %p{}, i32 {at}", buf.index()))
    }

    /// Counts what is noted at the end.
    pub(super) fn count_rest(&mut self, n: usize) {
        if !self.notes.contains_key(&n) {
            return;
        }
        let many = self.t.def(&format!("load i64, ptr %noted{n}"));
        let some = self.t.def(&format!("icmp ne i64 {many}, 0"));
        let (count, go) = (self.t.fresh_label(), self.t.fresh_label());
        self.t.branch_if(&some, &count, &go);
        self.t.label(&count);
        self.t.line(&format!("call void @count{n}(ptr %v{n}, ptr %notes{n}, i64 {many}, ptr null)"));
        self.t.branch(&go);
        self.t.label(&go);
    }

    /// The function that counts notes, neighbours in different copies. While it does, it asks for `bytes` of memory per note from
    /// `%ahead` on.
    fn counting_function(
        &mut self,
        n: usize,
        private: Private,
        constant: &str,
        bits: usize,
        bytes: Option<usize>,
    ) -> String {
        let elem = self.element_of(n);
        let (one, memory) = (text::elem(elem), memory_type(elem));
        let outer = std::mem::take(&mut self.t.lines);
        if let Some(bytes) = bytes {
            let from = self.t.def(&format!("mul i64 %i, {bytes}"));
            let ahead = self.t.def(&format!("getelementptr i8, ptr %ahead, i64 {from}"));
            for line in 0..(bytes * TURN).div_ceil(LINE) {
                let at = self.t.def(&format!("getelementptr i8, ptr {ahead}, i64 {}", line * LINE));
                let args = [("ptr", at.as_str()), ("i32", "0"), ("i32", "3"), ("i32", "1")];
                self.t.call("void", "llvm.prefetch.p0", &args);
            }
        }
        let (many, low) = (64 / bits, (1u64 << bits) - 1);
        for note in 0..TURN {
            if note % many == 0 {
                let word = self.t.def(&format!("getelementptr i{bits}, ptr %place, i64 {note}"));
                self.t.line(&format!("%word{note} = load i64, ptr {word}, align 8"));
            }
            let (word, shift) = (note / many * many, note % many * bits);
            let at = self.t.def(&format!("lshr i64 %word{word}, {shift}"));
            let at = self.t.def(&format!("and i64 {at}, {low}"));
            let copy = note as u32 % private.copies * private.stride();
            let base = self.t.def(&format!("getelementptr {memory}, ptr %v, i64 {copy}"));
            let place = self.t.def(&format!("getelementptr {memory}, ptr {base}, i64 {at}"));
            let old = self.t.def(&format!("load {one}, ptr {place}"));
            let new = self.combined(private.op, Type::scalar(elem), &old, constant);
            self.t.line(&format!("store {one} {new}, ptr {place}"));
        }
        let body = std::mem::replace(&mut self.t.lines, outer);
        format!(
            "define internal void @count{n}(ptr %v, ptr %notes, i64 %many, ptr %ahead) noinline nounwind {{\nentry:\n\
             \x20 br label %turn\nturn:\n  %i = phi i64 [ 0, %entry ], [ %next, %turn ]\n\
             \x20 %place = getelementptr i{bits}, ptr %notes, i64 %i\n\
             {body}  %next = add i64 %i, {TURN}\n  %more = icmp ult i64 %next, %many\n\
             \x20 br i1 %more, label %turn, label %end\nend:\n  ret void\n}}\n"
        )
    }

    /// The constant that all atomic operations on a buffer add, if there is one.
    fn counted(&self, n: usize) -> Option<String> {
        let mut constants: Vec<Option<Value>> = Vec::new();
        self.kernel.body.walk(&mut |i| {
            if i.buf.is_some_and(|b| b.index() == n) && i.op.is_atomic() {
                constants.push(self.kernel.as_const(i.args[1]).map(|_| i.args[1]));
            }
        });
        constants.dedup();
        let [Some(value)] = constants[..] else { return None };
        self.kernel.as_const(value).map(text::constant)
    }
}

/// A kernel whose atomic operations under a mask are not asked for a vote first, where threads have copies of what they change:
/// without live lanes they change nothing, and noting that costs less than asking.
pub fn without_votes(kernel: &Kernel, private: &[Option<Private>]) -> Kernel {
    let mut kernel = kernel.clone();
    let mut at = 0;
    while at < kernel.body.insts.len() {
        if let Some(inside) = asked_twice(&kernel, at, private) {
            kernel.body.insts.splice(at..=at, inside);
        } else {
            at += 1;
        }
    }
    kernel
}

/// What stands under a vote of lanes, if nothing but those lanes can tell that it runs.
fn asked_twice(kernel: &Kernel, at: usize, private: &[Option<Private>]) -> Option<Vec<Inst>> {
    let inst = &kernel.body.insts[at];
    if inst.op != Op::If || !inst.results.is_empty() || inst.regions.iter().skip(1).any(|r| r.insts.len() > 1) {
        return None;
    }
    let vote = kernel.body.insts[..at].iter().find(|i| i.results.first() == Some(&inst.args[0]))?;
    let mask = *vote.args.first().filter(|_| vote.op == Op::VoteAny && vote.mask.is_none())?;
    let (end, inside) = inst.regions.first()?.insts.split_last()?;
    let inside = if end.op == Op::Yield { inside } else { &inst.regions[0].insts };
    let own = |i: &Inst| i.buf.is_some_and(|b| private.get(b.index()).is_some_and(Option::is_some));
    let silent = |i: &Inst| {
        let atomic = i.op.is_atomic() && i.mask == Some(mask) && own(i);
        atomic || quadra_kir::eval::is_lanewise(i.op)
    };
    inside.iter().all(silent).then(|| inside.to_vec())
}
