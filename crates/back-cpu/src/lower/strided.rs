//! Elements at equal distances: pixels of several colours, every second sample, a row from its end.
//!
//! Sixteen elements that lie two to four apart lie in two to four rows, and moving lanes puts them together in a tenth of the
//! time that a gather takes. Stores to all elements of such a stretch, one after the other, become stores of rows.

use super::state::Lower;
use crate::common::text::{self, LANES};
use quadra_kir::{Block, Buf, Elem, Inst, Mode, Op, Type, Value, eval};
use quadra_passes::analysis::linear::Form;
use std::collections::HashMap;

/// Elements of a row.
const ROW: i32 = 16;
/// The largest distance of elements that rows are read for, and where loads of all elements between share these rows.
const MOST: i32 = 4;
const MOST_SHARED: i32 = 8;

/// A store as one of several that write a stretch.
#[derive(Clone, Debug)]
pub(super) enum Strip {
    /// Another one writes its elements, too.
    Waits,
    /// What is written, by place, and where the first element lies.
    All { first: Form, values: Vec<Value>, reversed: bool },
}

/// How a load finds its elements.
#[derive(Clone, Copy, Debug)]
struct Steps {
    step: i32,
    /// How far behind the beginning of the rows the first element lies, where other loads read the elements between.
    shared: Option<i32>,
}

/// Accesses at equal distances.
#[derive(Default)]
pub(super) struct Strided {
    /// By the load's result.
    loads: HashMap<Value, Steps>,
    /// By the store's index.
    stores: HashMap<Value, Strip>,
}

/// Where elements at equal distances lie.
pub(super) struct Weave {
    pub buf: Buf,
    /// The first element that may be read.
    pub first: Form,
    /// The distance, and whether the last element comes first.
    pub step: i32,
    pub reversed: bool,
    /// How far behind `first` the first element wanted lies, if all between may be read.
    pub shared: Option<i32>,
    /// How many elements are wanted.
    pub lanes: i32,
}

/// Stores that may become one of rows.
struct Pending<'k> {
    buf: Buf,
    step: i32,
    /// Constants of their indices and the stores.
    stores: Vec<(i32, &'k Inst)>,
    first: Form,
}

/// Loads by what their indices have in common: buffer, distance and terms; the constants of their indices.
type Groups = HashMap<(Buf, i32, Vec<(Value, i32)>), Vec<(i32, Value)>>;

/// Decides which loads share rows.
fn share(groups: Groups, found: &mut HashMap<Value, Steps>) {
    for ((_, step, _), loads) in groups {
        let least = loads.iter().map(|l| l.0).min().unwrap_or(0);
        let there = |c: Option<i32>| loads.iter().any(|l| Some(l.0) == c);
        for &(at, result) in &loads {
            let shift = at.checked_sub(least).map(|d| d.rem_euclid(step.saturating_abs()));
            let shared = shift.filter(|shift| {
                let begin = at.checked_sub(*shift);
                step > 1 && there(begin) && there(begin.and_then(|b| b.checked_add(step - 1)))
            });
            if shared.is_some() || step.saturating_abs() <= MOST {
                found.insert(result, Steps { step, shared });
            }
        }
    }
}

impl Lower<'_> {
    /// Finds the accesses of the kernel that are made of rows.
    pub(super) fn find_strided(&mut self) {
        let moves = self.plan.scales || self.plan.avx2;
        if !moves || self.plan.halves || self.lane.is_none() {
            return;
        }
        let mut found = Strided::default();
        self.find_loads(&self.kernel.body, &mut found.loads);
        // A store is known by its index.
        let mut users: HashMap<Value, usize> = HashMap::new();
        self.kernel.body.walk(&mut |i| {
            if i.op == Op::Store {
                *users.entry(i.args[0]).or_default() += 1;
            }
        });
        self.strips(&self.kernel.body, &users, &mut found.stores);
        self.strided = found;
    }

    /// Finds the loads of a block, and of those within it. Loads that follow each other, with nothing between that may end the
    /// launch, and that together name all elements from the first to the last of 16 steps, read the same rows: if one of them runs,
    /// all do, and so every element of the rows is inside.
    fn find_loads(&self, block: &Block, found: &mut HashMap<Value, Steps>) {
        let mut groups = Groups::new();
        for inst in &block.insts {
            inst.regions.iter().for_each(|r| self.find_loads(r, found));
            // Nor do stores to other memory, if all of them are made.
            let apart = |loads: &Groups| loads.keys().all(|k| Some(k.0) != inst.buf);
            let passes = match inst.op {
                Op::Load | Op::LoadRow => self.proven(inst),
                Op::Store => self.passes(inst) && apart(&groups),
                op => eval::is_lanewise(op),
            };
            if !passes {
                share(std::mem::take(&mut groups), found);
            }
            if inst.op == Op::Load
                && let (Some((step, first)), Some(buf)) = (self.stretch(inst), inst.buf)
            {
                groups.entry((buf, step, first.terms.to_vec())).or_default().push((first.constant, inst.result()));
            }
        }
        share(groups, found);
    }

    /// The distance of the elements of an access to all lanes, and the index of lane 0.
    pub(super) fn stretch(&self, inst: &Inst) -> Option<(i32, Form)> {
        let (buf, lane) = (inst.buf?, self.lane?);
        let elem = self.kernel.bufs[buf].elem;
        let plain = inst.mask.is_none() && inst.mode != Mode::Guarded && self.kernel.ty(inst.args[0]).lanes;
        if !plain || elem == Elem::Bool || elem.in_register().bytes() != 4 {
            return None;
        }
        let form = self.forms.at(self.kernel, inst.args[0]);
        let step = form.factor(lane);
        let first = form.plus(&Form::value(lane), step.wrapping_neg());
        let uniform = first.terms.iter().all(|t| !self.kernel.ty(t.0).lanes);
        ((2..=MOST_SHARED).contains(&step.saturating_abs()) || step == -1)
            .then_some((step, first))
            .filter(|_| uniform && self.proven(inst))
    }

    /// Whether an access ends no launch, and no other buffer is its memory.
    fn passes(&self, inst: &Inst) -> bool {
        !self.plan.alias && inst.mode != Mode::Guarded && self.proven(inst)
    }

    /// Stores of a block, and of those within it, that follow each other and write all elements of a stretch.
    fn strips<'k>(&self, block: &'k Block, users: &HashMap<Value, usize>, found: &mut HashMap<Value, Strip>) {
        let mut pending: Option<Pending<'k>> = None;
        for inst in &block.insts {
            inst.regions.iter().for_each(|r| self.strips(r, users, found));
            // What is loaded from other memory in between may as well be loaded before the stores.
            let other = pending.as_ref().is_none_or(|p| Some(p.buf) != inst.buf);
            let reads = matches!(inst.op, Op::Load | Op::LoadRow);
            if eval::is_lanewise(inst.op) || reads && self.passes(inst) && other {
                continue;
            }
            let alone = inst.op == Op::Store && users[&inst.args[0]] == 1;
            let stretch = if alone { self.stretch(inst).filter(|s| s.0.saturating_abs() <= MOST) } else { None };
            let (Some((step, first)), Some(buf)) = (stretch, inst.buf) else {
                pending = None;
                continue;
            };
            let at = first.constant;
            let fits = |p: &Pending| {
                let all = p.stores.iter().map(|s| s.0).chain([at]);
                let (low, high) = all.fold((i32::MAX, i32::MIN), |(low, high), c| (low.min(c), high.max(c)));
                let new = p.stores.iter().all(|s| s.0 != at);
                let near = high.checked_sub(low).is_some_and(|d| d < step.abs());
                (p.buf, p.step, &p.first.terms) == (buf, step, &first.terms) && new && near
            };
            let mut p = match pending.take().filter(fits) {
                Some(p) => p,
                None => Pending { buf, step, stores: Vec::new(), first },
            };
            p.stores.push((at, inst));
            if p.stores.len() < step.unsigned_abs() as usize {
                pending = Some(p);
                continue;
            }
            for (_, store) in &p.stores {
                found.insert(store.args[0], Strip::Waits);
            }
            p.stores.sort_unstable_by_key(|s| s.0);
            let (reversed, mut first) = (step < 0, p.first);
            first.constant = p.stores[0].0.wrapping_add(if reversed { (ROW - 1) * step } else { 0 });
            let values = p.stores.iter().map(|s| s.1.args[1]).collect();
            found.insert(inst.args[0], Strip::All { first, values, reversed });
        }
    }

    /// Whether an access finds its elements by the terms of its index.
    pub(super) fn is_strided(&self, inst: &Inst) -> bool {
        match inst.op {
            Op::Load => self.strided.loads.contains_key(&inst.result()),
            Op::Store => self.strided.stores.contains_key(&inst.args[0]),
            _ => false,
        }
    }

    /// The distance of the elements of a load that follow each other forward.
    pub(super) fn forward_step(&self, inst: &Inst) -> Option<i32> {
        Some(self.forward_steps(inst)?.0)
    }

    /// The same, how far behind the beginning of the rows the first element lies if other loads read the elements between, and
    /// where it lies.
    pub(super) fn forward_steps(&self, inst: &Inst) -> Option<(i32, Option<i32>, Form)> {
        let steps = self.strided.loads.get(inst.results.first()?).filter(|s| s.step > 1)?;
        Some((steps.step, steps.shared, self.stretch(inst)?.1))
    }

    /// What a store that writes a stretch forward, all its elements with others, writes at last: where it begins, and the values.
    pub(super) fn forward_strip(&self, inst: &Inst) -> Option<(Form, Vec<Value>)> {
        match self.strided.stores.get(&inst.args[0])? {
            Strip::All { first, values, reversed: false } => Some((first.clone(), values.clone())),
            _ => None,
        }
    }

    /// The value of a load at equal distances.
    pub(super) fn load_strided(&mut self, inst: &Inst, buf: Buf) -> Option<String> {
        let &Steps { step, shared } = self.strided.loads.get(inst.results.first()?)?;
        let (_, mut first) = self.stretch(inst)?;
        if step < 0 {
            first.constant = first.constant.wrapping_add((ROW - 1) * step);
        }
        let shift = shared.unwrap_or(0);
        first.constant = first.constant.wrapping_sub(shift);
        let place = self.place_of(buf, first.clone());
        let key = format!("load strided {place} {step} {shift}");
        if let Some(value) = self.memo.get(&key) {
            return Some(value.clone());
        }
        let elem = self.kernel.bufs[buf].elem;
        if self.plan.avx2 {
            let weave = Weave { buf, first, step: step.abs(), reversed: step < 0, shared, lanes: ROW };
            let value = self.woven(&weave);
            let value = self.widen(elem, Type::vector(elem.in_register()), &value);
            self.memo.insert(key, value.clone());
            return Some(value);
        }
        let (ty, step_by) = (text::ty(Type::vector(elem.in_register())), step.abs());
        let element = |lane: i32| shift + step_by * if step < 0 { ROW - 1 - lane } else { lane };
        // Unless others read what lies between, the last row ends with the last element, so that nothing else is read.
        let last = if shared.is_some() { i32::MAX } else { (ROW - 1) * (step_by - 1) };
        let offsets = (0..step_by).map(|n| (n * ROW).min(last));
        let rows: Vec<(i32, String)> = offsets
            .map(|at| {
                let constant = first.constant.wrapping_add(at);
                (at, self.row(buf, Form { constant, ..first.clone() }))
            })
            .collect();
        let mut value = rows[0].1.clone();
        // Lanes below `known` are in place, or are those of the first row.
        let (mut known, mut in_place) = (ROW, false);
        for (at, row) in if rows.len() > 1 { &rows[1..] } else { &rows[..] } {
            let end = at + ROW;
            let from = (0..ROW).map(|lane| match element(lane) {
                e if e < known => Some(if in_place { lane } else { e }),
                e if e < end => Some(ROW + e - at),
                _ => None,
            });
            value = self.lanes_from(&ty, [&value, row], from);
            (known, in_place) = (end, true);
        }
        self.memo.insert(key, value.clone());
        Some(value)
    }

    /// A vector of lanes of two others; any where it does not matter.
    fn lanes_from(&mut self, ty: &str, of: [&str; 2], from: impl Iterator<Item = Option<i32>>) -> String {
        let from: Vec<String> = from.map(|l| l.map_or("i32 undef".into(), |l| format!("i32 {l}"))).collect();
        self.t.def(&format!("shufflevector {ty} {}, {ty} {}, {LANES} <{}>", of[0], of[1], from.join(", ")))
    }

    /// A store at equal distances; whether it is one.
    pub(super) fn store_strided(&mut self, inst: &Inst, buf: Buf) -> bool {
        let Some(strip) = self.strided.stores.get(&inst.args[0]).cloned() else { return false };
        let Strip::All { first, values, reversed } = strip else { return true };
        let t = Type::vector(self.kernel.bufs[buf].elem.in_register());
        let (ty, many) = (text::ty(t), values.len() as i32);
        let values: Vec<String> = values.iter().map(|&v| self.value_as(v, t)).collect();
        if self.plan.avx2 {
            let elem = self.kernel.bufs[buf].elem;
            let values: Vec<String> = values.iter().map(|v| self.narrow(elem, t, v)).collect();
            self.weave(&Weave { buf, first, step: many, reversed, shared: Some(0), lanes: ROW }, &values);
            return true;
        }
        for n in 0..many {
            // Which value's which lane an element is.
            let element = |lane: i32| {
                let (value, of) = ((n * ROW + lane) % many, (n * ROW + lane) / many);
                (value, if reversed { ROW - 1 - of } else { of })
            };
            let mut row = values[0].clone();
            for (k, value) in values.iter().enumerate().skip(usize::from(many > 1)) {
                let from = (0..ROW).map(|lane| match element(lane) {
                    (v, of) if v == k as i32 => Some(ROW + of),
                    (0, of) if k == 1 => Some(of),
                    (v, _) if v < k as i32 => Some(lane),
                    _ => None,
                });
                row = self.lanes_from(&ty, [&row, value], from);
            }
            let constant = first.constant.wrapping_add(n * ROW);
            self.store_whole(buf, Form { constant, ..first.clone() }, &row);
        }
        true
    }
}
