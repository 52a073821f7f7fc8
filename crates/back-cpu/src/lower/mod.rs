//! A kernel as a function of LLVM IR: loops over groups around the kernel's body.
//!
//! The function computes the groups of a box. One turn of its loops takes [`Shape::parts`](crate::common::function::Shape::parts) groups at once: neighbours along
//! the last axis and along the one before it, so that loads serve several rows and several vectors are under way. What is the
//! same for all parts is computed once ([`vary`]).
//!
//! Control flow is scalar at this level, so that regions become basic blocks (`flow`). Results of regions and carried values
//! go through slots of the frame, which LLVM turns into values.

mod ahead;
mod apart;
mod atomic;
mod bins;
mod blocks;
mod clamped;
mod count;
mod divided;
mod elementary;
mod far;
mod flow;
mod lanes;
mod lines;
mod masked;
mod memory;
mod neighbours;
mod ops;
mod overflow;
mod pack;
mod partial;
mod partial_find;
#[cfg(test)]
mod partial_tests;
mod periodic;
mod place;
mod products;
mod proof;
mod queue;
mod quick;
mod quotient;
mod reduce;
mod refill;
mod rolled;
mod schedule;
mod short;
mod short_find;
#[cfg(test)]
mod short_tests;
mod short_ways;
mod short_write;
mod silent;
mod speak;
mod splice;
mod square;
mod squares;
mod state;
mod strided;
mod sums;
mod terms;
mod total;
mod turned;
#[cfg(test)]
mod tests;
pub mod vary;
mod wide;
mod wholes;
mod words;
mod woven;

use crate::common::brief::brief;
use crate::common::function::Site;
use quadra_kir::{Elem, Inst, Kernel, LANES, Op, eval};
use vary::Vary;

pub use ahead::{has_rows, long_rows};
pub use count::without_votes;
pub use periodic::period;
pub use reduce::private;
pub use refill::{most_groups, parts, refilled};
pub use state::{Lower, Plan};
pub use turned::{ROWS as SQUARE_ROWS, has_squares};

/// The module for a kernel that [`unsupported`] lets through, and its sites; `None` if the kernel cannot be computed in turns
/// of this shape.
pub fn module(kernel: &Kernel, plan: &Plan) -> Option<(String, Vec<Site>)> {
    let over = kernel.over as usize;
    let mut axes = Vec::new();
    if plan.shape.columns > 1 {
        axes.push(over.checked_sub(1)?);
    }
    if plan.shape.rows > 1 {
        axes.push(over.checked_sub(2)?);
    }
    let mut l = Lower::new(kernel, plan, Vary::of(kernel, &axes)?);
    l.find_strided();
    l.find_ahead();
    l.find_turned();
    l.find_lines();
    l.find_short();
    // What is tested has to be written.
    if !plan.checked {
        l.find_silent();
    }
    l.find_totals();
    l.find_ranks();
    l.find_overflows();
    l.find_products();
    l.find_bins();
    l.find_terms();
    l.find_spliced();
    l.function();
    Some(l.text())
}

/// Whether a declaration is of an operation that this processor has for 512 bits only: a function that must do with less
/// cannot contain it, and LLVM ends the process over one that does.
fn is_wide(declaration: &str) -> bool {
    declaration.contains("@llvm.x86.") && (declaration.contains(".512(") || declaration.contains(".v16i32("))
}

/// What of a kernel this back end does not do, in words.
pub fn unsupported(kernel: &Kernel) -> Option<&'static str> {
    // Passes make integers of half floats, if nothing but loads and stores goes to them.
    let half = |e: Elem| e == Elem::F16;
    if kernel.shared().map(|(_, info)| info.bytes()).fold(0, u64::saturating_add) > crate::common::caps::MOST_SHARED {
        return Some("more than 256 KiB of memory shared by a group");
    }
    if kernel.bufs.iter().any(|(_, b)| b.rank != 1 || half(b.elem)) {
        return Some("buffers of several axes, of small vectors or of half floats");
    }
    if kernel.over > 3 || kernel.over > 0 && kernel.group != [LANES] {
        return Some("groups of another shape than 16 items");
    }
    let strange = |i: &Inst| i.op == Op::Barrier || i.op.info().at == quadra_kir::At::Simt;
    kernel.body.any(&mut |i| strange(i)).then_some("barriers")
}

impl<'k> Lower<'k> {
    /// The module, once the function is written.
    fn text(self) -> (String, Vec<Site>) {
        let mut module = String::new();
        for declaration in &self.t.declarations {
            module += declaration;
            module += "\n";
        }
        module += &self.functions;
        let bits = if self.plan.halves && !self.t.declarations.iter().any(|d| is_wide(d)) { 256 } else { 512 };
        let attributes = format!("nounwind \"prefer-vector-width\"=\"{bits}\" \"min-legal-vector-width\"=\"{bits}\"");
        module += &format!(
            "define i32 @kernel(ptr noalias %c) {attributes} {{\nentry:\n{}{}}}\n!0 = !{{i32 1}}\n",
            self.t.slots,
            brief(&self.t.lines)
        );
        (module, self.sites)
    }

    /// An instruction that is not control flow, in all parts if they differ in it.
    fn plain(&mut self, inst: &Inst) {
        if self.is_silent(inst) || self.write_short(inst) {
            return;
        }
        if matches!(inst.op, Op::VoteAny | Op::VoteAll) {
            return self.vote(inst);
        }
        let parts = if self.vary.inst(inst) { self.shape.parts() } else { 1 };
        for part in 0..parts {
            self.part = part;
            self.one(inst);
        }
        self.part = 0;
    }

    /// An instruction in the present part.
    fn one(&mut self, inst: &Inst) {
        if let Some(constant) = self.periodic(inst) {
            return self.define(inst.result(), &constant);
        }
        if let Some(rank) = self.load_rank(inst) {
            return self.define(inst.result(), &rank);
        }
        if let Some(signs) = self.differing_signs(inst) {
            return self.define(inst.result(), &signs);
        }
        if let Some(value) = self.product(inst).or_else(|| self.truncated(inst)).or_else(|| self.divided(inst)) {
            return self.define(inst.result(), &value);
        }
        match inst.op {
            op if eval::is_lanewise(op) => {
                let to = self.kernel.ty(inst.result());
                let from = self.kernel.ty(inst.args[usize::from(op == Op::Select)]);
                let args: Vec<String> = inst
                    .args
                    .iter()
                    .map(|&v| {
                        let t = self.kernel.ty(v).with_lanes(to.lanes);
                        self.value_as(v, t)
                    })
                    .collect();
                let from = from.with_lanes(to.lanes);
                let value = match self.side_of_zero(inst, from) {
                    Some(side) => self.by_side(op, from, side, &args),
                    None => self.lanewise(op, from, to, &args),
                };
                self.define(inst.result(), &value);
            }
            Op::Load | Op::LoadRow | Op::TmuRequest => self.load_elements(inst),
            Op::Store | Op::StoreRow => self.store(inst),
            Op::StoreRows => self.store_rows(inst),
            Op::Rotate | Op::Broadcast => self.across(inst),
            Op::TmuReceive => self.receive(inst),
            Op::Print => self.print(inst),
            Op::Assert => self.assert(inst),
            Op::SemaInc | Op::SemaDec | Op::MutexLock | Op::MutexUnlock => self.synchronise(inst),
            Op::Fence | Op::Flush => self.t.line("fence seq_cst"),
            Op::HostIrq | Op::Comment => {}
            op if op.is_atomic() => self.atomic(inst),
            _ => self.whereabouts(inst),
        }
    }
}
