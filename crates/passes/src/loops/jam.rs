//! Several neighbouring items of a launch in one, for targets on which each item loads for itself.
//!
//! What does not depend on where items stand along an axis, they compute and load once: a row of a matrix serves the columns of a
//! product. Instructions that depend on it are there once for each item, side by side, in the same branches and loops; so none of
//! these may depend on it, but for branches without loops, which are there several times as a whole. Items at the end of the axis
//! stand for those behind it and compute the same again, which nobody sees: such a kernel loads nothing that it stores, and does
//! nothing in one step.
//!
//! Not a pass: whoever launches has to know that there are fewer items, and for which launches it pays.
//!
//! ```text
//! for %k in 0..%n (…) { %a = load %x[%row, %k] %b = load %y[%k, %column] … }                           ; before
//! ```
//! ```text
//! for %k in 0..%n (…) { %a = load %x[%row, %k] %b = load %y[%k, %column] %d = load %y[%k, %next] … }   ; two items
//! ```

use super::unroll::{copy, emit};
use quadra_base::quick::{Map, Set};
use quadra_kir::{Block, Elem, Inst, Kernel, Level, Op, Type, Value, Values};

/// How much less is loaded, of so much, if items along an axis share their loads: by the number of loops around each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loads {
    /// Loads of a single item.
    pub all: u64,
    /// Those that the items share.
    pub shared: u64,
}

/// Loads in a loop count so often.
const LOOP: u64 = 16;

/// The loads of a kernel's loops, if items along an axis may be computed together.
pub fn loads(kernel: &Kernel, axis: u32) -> Option<Loads> {
    let variant = variant(kernel, axis)?;
    let mut loads = Loads::default();
    count(&kernel.body, &variant, 1, &mut loads);
    Some(loads)
}

fn count(block: &Block, variant: &Set<Value>, weight: u64, loads: &mut Loads) {
    for inst in &block.insts {
        if inst.op == Op::Load && weight > 1 {
            loads.all += weight;
            loads.shared += if inst.results.iter().any(|r| variant.contains(r)) { 0 } else { weight };
        }
        let weight = if inst.op == Op::For { weight * LOOP } else { weight };
        inst.regions.iter().for_each(|r| count(r, variant, weight, loads));
    }
}

/// Computes `factor` neighbouring items along an axis in one. The item's index along it is then that of the first of them, which
/// exists. The kernel must be one of which [`loads`] tells something.
pub fn run(kernel: &mut Kernel, axis: u32, factor: u32) {
    let Some(variant) = variant(kernel, axis) else { return };
    kernel.rewrite(|kernel, body| {
        let maps = vec![Map::default(); factor as usize];
        let mut jam = Jam { kernel, axis, variant, maps };
        let insts = std::mem::take(&mut body.insts);
        body.insts = jam.insts(insts, &[]);
    });
}

/// Moves what loops compute anew each time, to the same result, in front of them: operations that are defined everywhere and concern one
/// item alone.
pub fn hoist(kernel: &mut Kernel) {
    kernel.rewrite(|_, body| hoist_from(body));
}

fn hoist_from(block: &mut Block) {
    let mut insts = Vec::with_capacity(block.insts.len());
    for mut inst in std::mem::take(&mut block.insts) {
        inst.regions.iter_mut().for_each(hoist_from);
        if matches!(inst.op, Op::For | Op::Loop) {
            let body = &mut inst.regions[0];
            let mut own: Set<Value> = body.params.iter().copied().collect();
            for i in std::mem::take(&mut body.insts) {
                let alone = !matches!(i.op, Op::VoteAny | Op::VoteAll | Op::Rotate | Op::Broadcast);
                if alone && i.op.is_pure() && i.uses().all(|v| !own.contains(&v)) {
                    insts.push(i);
                } else {
                    own.extend(i.results.iter().copied());
                    body.insts.push(i);
                }
            }
        }
        insts.push(inst);
    }
    block.insts = insts;
}

/// Whether an operation may stand in a kernel whose items are computed together.
fn may(inst: &Inst) -> bool {
    match inst.op {
        Op::Load | Op::Store | Op::If | Op::For | Op::Yield | Op::Return | Op::Comment => true,
        Op::Lane | Op::LaneActive | Op::Local | Op::Group | Op::VoteAny | Op::VoteAll => false,
        Op::Rotate | Op::Broadcast => false,
        op => op.is_pure(),
    }
}

/// The values that depend on where an item stands along the axis; nothing if items cannot be computed together.
fn variant(kernel: &Kernel, axis: u32) -> Option<Set<Value>> {
    if kernel.level != Level::Simt || axis >= u32::from(kernel.over) || kernel.body.any(&mut |i| !may(i)) {
        return None;
    }
    // Nobody returns early, and what is stored is not loaded.
    let mut early = false;
    let (mut loaded, mut stored) = (Set::default(), Set::default());
    kernel.body.walk(&mut |i| {
        early |= i.regions.iter().any(|r| r.any(&mut |i| i.op == Op::Return));
        match (i.op, i.buf) {
            (Op::Load, Some(b)) => drop(loaded.insert(b)),
            (Op::Store, Some(b)) => drop(stored.insert(b)),
            _ => {}
        }
    });
    if early || stored.is_empty() || !loaded.is_disjoint(&stored) {
        return None;
    }
    let mut found = Set::default();
    mark(&kernel.body, axis, &mut found).then_some(found)
}

/// Adds what depends on the item's place; whether loops and what is around them do not.
fn mark(block: &Block, axis: u32, found: &mut Set<Value>) -> bool {
    block.insts.iter().all(|inst| {
        let depends = inst.uses().any(|v| found.contains(&v));
        match inst.op {
            Op::Item if inst.imm == axis => {
                found.extend(inst.results.iter().copied());
                true
            }
            Op::If if found.contains(&inst.args[0]) => {
                found.extend(inst.results.iter().copied());
                let place = |i: &Inst| i.op == Op::Item && i.imm == axis;
                !inst.regions.iter().any(|r| r.any(&mut |i| i.op == Op::For || place(i)))
            }
            Op::If => {
                let fine = inst.regions.iter().all(|r| mark(r, axis, found));
                for region in &inst.regions {
                    gives(region, &inst.results, found);
                }
                fine
            }
            Op::For => {
                let body = &inst.regions[0];
                let fine = !inst.args[..3].iter().any(|v| found.contains(v));
                let carried = body.params[1..].iter().zip(inst.carried());
                found.extend(carried.filter(|(_, v)| found.contains(v)).map(|(p, _)| *p).collect::<Vec<_>>());
                loop {
                    let before = found.len();
                    if !mark(body, axis, found) {
                        return false;
                    }
                    gives(body, &body.params[1..], found);
                    if found.len() == before {
                        break;
                    }
                }
                let results = inst.results.iter().zip(&body.params[1..]);
                found.extend(results.filter(|(_, p)| found.contains(p)).map(|(r, _)| *r).collect::<Vec<_>>());
                fine
            }
            _ => {
                if depends {
                    found.extend(inst.results.iter().copied());
                }
                true
            }
        }
    })
}

/// Of what a block passes on to `into`, what depends on the item's place makes that depend on it.
fn gives(block: &Block, into: &[Value], found: &mut Set<Value>) {
    let Some(end) = block.terminator().filter(|end| end.op == Op::Yield) else { return };
    let depending: Vec<Value> =
        into.iter().zip(&end.args).filter(|(_, v)| found.contains(v)).map(|(into, _)| *into).collect();
    found.extend(depending);
}

struct Jam<'k> {
    kernel: &'k mut Kernel,
    axis: u32,
    variant: Set<Value>,
    /// For each item what stands for values; the first one's stand for themselves.
    maps: Vec<Map<Value, Value>>,
}

impl Jam<'_> {
    /// Instructions, in a region that passes on values of which some are expanded.
    fn insts(&mut self, insts: Vec<Inst>, expanded: &[bool]) -> Vec<Inst> {
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            self.inst(inst, expanded, &mut out);
        }
        out
    }

    fn inst(&mut self, mut inst: Inst, expanded: &[bool], out: &mut Vec<Inst>) {
        let depends = inst.uses().any(|v| self.variant.contains(&v));
        match inst.op {
            Op::Item if inst.imm == self.axis => self.items(inst, out),
            Op::If if !self.variant.contains(&inst.args[0]) => {
                let flags = self.flags(&inst.results);
                inst.results = self.declared(&inst.results);
                self.regions(&mut inst, &flags);
                out.push(inst);
            }
            Op::For => {
                let flags = self.flags(&inst.results);
                let carried = self.expanded(inst.carried(), &flags);
                inst.args = inst.args[..3].iter().copied().chain(carried).collect();
                inst.results = self.declared(&inst.results);
                let body = &mut inst.regions[0];
                let params = self.declared(&body.params[1..]);
                body.params = body.params[..1].iter().copied().chain(params).collect();
                self.regions(&mut inst, &flags);
                out.push(inst);
            }
            Op::Yield => {
                inst.args = self.expanded(&inst.args, expanded);
                out.push(inst);
            }
            _ if depends => {
                for at in 1..self.maps.len() {
                    let copies = copy(self.kernel, std::slice::from_ref(&inst), &mut self.maps[at]);
                    out.extend(copies);
                }
                out.push(inst);
            }
            _ => out.push(inst),
        }
    }

    /// The items behind the first one, or the last one of the axis in place of those that there are not.
    fn items(&mut self, inst: Inst, out: &mut Vec<Inst>) {
        let first = inst.result();
        let mut extent = Inst::new(Op::Extent, []).at(inst.span);
        extent.imm = self.axis;
        let all = self.kernel.new_value(Type::I32);
        extent.results = Values::from_slice(&[all]);
        out.extend([inst.clone(), extent]);
        let one = self.kernel.const_i32(1);
        let last = emit(self.kernel, Op::Sub, &[all, one], Type::I32, &inst, out);
        let ty = self.kernel.ty(first);
        debug_assert_eq!(ty.elem, Elem::I32);
        for at in 1..self.maps.len() {
            let by = self.kernel.const_i32(at as i32);
            let next = emit(self.kernel, Op::Add, &[first, by], ty, &inst, out);
            let next = emit(self.kernel, Op::Min, &[next, last], ty, &inst, out);
            self.maps[at].insert(first, next);
        }
    }

    fn regions(&mut self, inst: &mut Inst, flags: &[bool]) {
        for region in &mut inst.regions {
            let insts = std::mem::take(&mut region.insts);
            region.insts = self.insts(insts, flags);
        }
    }

    fn flags(&self, values: &[Value]) -> Vec<bool> {
        values.iter().map(|v| self.variant.contains(v)).collect()
    }

    /// Values that are about to be declared, one for each item where they depend on its place.
    fn declared(&mut self, values: &[Value]) -> Values {
        let mut all = Values::new();
        for &v in values {
            all.push(v);
            if self.variant.contains(&v) {
                for at in 1..self.maps.len() {
                    let new = self.kernel.new_value(self.kernel.ty(v));
                    self.maps[at].insert(v, new);
                    all.push(new);
                }
            }
        }
        all
    }

    /// Values that are passed on to what is expanded as the flags say.
    fn expanded(&self, values: &[Value], flags: &[bool]) -> Values {
        let mut all = Values::new();
        for (n, &v) in values.iter().enumerate() {
            all.push(v);
            if flags.get(n).copied().unwrap_or(false) {
                all.extend(self.maps[1..].iter().map(|map| map.get(&v).copied().unwrap_or(v)));
            }
        }
        all
    }
}
