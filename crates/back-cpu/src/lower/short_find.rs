//! Finds the values that are short: see [`super::short`].

use super::partial::Around;
use super::short::{Short, Shorts, Target, Way, bits_of, target};
use super::short_ways::{ends, is_known};
use super::state::Lower;
use quadra_kir::{Def, Elem, Inst, Mode, Op, Type, Value};
use std::collections::{HashMap, HashSet};

/// Bits of a whole value.
pub(super) const WHOLE: u32 = 32;
/// Rounds in which what is short may shrink before nothing is.
const MOST_ROUNDS: usize = 12;

/// How the search goes on.
#[derive(Default)]
pub(super) struct Search<'k> {
    /// All instructions, in order.
    insts: Vec<&'k Inst>,
    pub made_by: HashMap<Value, &'k Inst>,
    /// What may still be short.
    pub may: HashMap<Value, Option<Short>>,
    stores: HashSet<Target>,
    /// What is asked for besides.
    roots: HashMap<Value, u32>,
}

impl<'k> Lower<'k> {
    /// Finds the short values.
    pub(super) fn find_short(&mut self) {
        let least = [Op::LoadRow, Op::Load].iter().any(|op| {
            self.kernel
                .body
                .any(&mut |i| i.op == *op && i.buf.is_some_and(|b| bits_of(self.kernel.bufs[b].elem).is_some()))
        });
        if self.shape.columns < 2 || self.kernel.over == 0 || !least {
            return;
        }
        let mut search = Search::default();
        self.kernel.body.walk(&mut |i| search.insts.push(i));
        for &inst in &search.insts {
            if let [result] = inst.results[..] {
                search.made_by.insert(result, inst);
                if self.may_be_short(inst) {
                    search.may.insert(result, None);
                }
            }
            search.stores.extend(target(inst).filter(|_| self.is_short_store(inst)));
        }
        if let Some(widths) = self.searched(&mut search) {
            let stores = search.stores.into_iter().filter(|s| widths.contains_key(&s.2)).collect();
            self.shorts = Shorts { values: widths, stores };
        }
    }

    /// The short values among instructions of a loop that make the values asked for: see [`super::partial`].
    pub(super) fn short_within(
        &self,
        insts: &[&Inst],
        around: &Around<'_>,
        asked: &HashSet<Value>,
    ) -> Option<HashMap<Value, Short>> {
        let mut search = Search { insts: insts.to_vec(), ..Search::default() };
        search.roots.extend(asked.iter().map(|&v| (v, WHOLE)));
        for &inst in insts {
            let [result] = inst.results[..] else { return None };
            search.made_by.insert(result, inst);
            let t = self.kernel.ty(result);
            let may = match inst.op {
                Op::LoadRow if around.joins => self.is_row_of(inst, around),
                Op::LoadRow | Op::Load => self.short_load(inst).is_some(),
                op => is_known(op) && (around.joins || self.vary.at(result)),
            };
            if t.lanes && matches!(t.elem, Elem::I32 | Elem::Bool) && inst.mask.is_none() && may {
                search.may.insert(result, None);
            }
        }
        self.searched(&mut search)
    }

    /// Whether a load reads short elements behind those of the iteration before.
    fn is_row_of(&self, inst: &Inst, around: &Around<'_>) -> bool {
        let short = inst.buf.is_some_and(|b| bits_of(self.kernel.bufs[b].elem).is_some());
        let form = self.forms.at(self.kernel, inst.args[0]);
        let steady = form.terms.iter().all(|t| t.0 == around.counter || !around.inside.contains(&t.0));
        short && steady && form.factor(around.counter) == 1 && inst.mode != Mode::Guarded && self.proven(inst)
    }

    fn searched(&self, search: &mut Search<'_>) -> Option<HashMap<Value, Short>> {
        (0..MOST_ROUNDS).find(|_| !self.round(search)).map(|_| self.widths(search))
    }

    /// Whether an instruction may make a short value, as far as it alone can tell.
    fn may_be_short(&self, inst: &Inst) -> bool {
        let result = inst.result();
        let t = self.kernel.ty(result);
        if !t.lanes || !matches!(t.elem, Elem::I32 | Elem::Bool) || !self.vary.at(result) || inst.mask.is_some() {
            return false;
        }
        match inst.op {
            Op::LoadRow | Op::Load => self.short_load(inst).is_some(),
            op => is_known(op),
        }
    }

    /// The bits of the elements, and their distance, of a load that can be made for all columns at once.
    pub(super) fn short_load(&self, inst: &Inst) -> Option<(u32, i32)> {
        let bits = inst.buf.and_then(|b| bits_of(self.kernel.bufs[b].elem))?;
        let plain = inst.mask.is_none() && inst.mode != Mode::Guarded;
        if !plain || !self.proven(inst) {
            return None;
        }
        let step = match inst.op {
            Op::LoadRow => 1,
            _ => self.forward_step(inst).filter(|_| bits == 16 || self.plan.permutes || self.plan.avx2)?,
        };
        (self.along(inst) == 16 * step).then_some((bits, step))
    }

    /// Whether a store writes short elements for all columns at once.
    fn is_short_store(&self, inst: &Inst) -> bool {
        let short = inst.buf.is_some_and(|b| bits_of(self.kernel.bufs[b].elem).is_some());
        let plain = inst.op == Op::StoreRow && inst.mask.is_none() && inst.mode != Mode::Guarded;
        short && plain && self.proven(inst) && self.along(inst) == 16
    }

    /// Whether a store is one of several that write neighbouring short elements, for all columns one behind the other.
    pub(super) fn is_short_strip(&self, inst: &Inst) -> bool {
        let bits = inst.buf.and_then(|b| bits_of(self.kernel.bufs[b].elem));
        let moves = bits.is_some_and(|bits| bits == 16 || self.plan.permutes || self.plan.avx2);
        let forward = || self.stretch(inst).is_some_and(|(step, _)| step > 1 && self.along(inst) == 16 * step);
        moves && inst.op == Op::Store && self.is_strided(inst) && forward()
    }

    /// How far the elements of neighbouring groups lie apart.
    fn along(&self, inst: &Inst) -> i32 {
        let last = self.kernel.over as usize - 1;
        let form = self.forms.at(self.kernel, inst.args[0]);
        let along = form.terms.iter().filter(|t| self.axis_of.get(&t.0) == Some(&last)).map(|t| t.1);
        along.fold(0, i32::wrapping_add)
    }

    /// Asks for bits from the last instruction to the first; whether something turned out not to be short.
    fn round(&self, search: &mut Search<'_>) -> bool {
        let mut asked = search.roots.clone();
        let mut ask = |v: Value, bits: u32| {
            let all = asked.entry(v).or_default();
            *all = (*all).max(bits);
            *all
        };
        let mut lost = Vec::new();
        // What a store uses, directly or not; known before the instruction is met, as all its users stand behind it.
        let mut useful: HashSet<Value> = search.roots.keys().copied().collect();
        for &inst in search.insts.iter().rev() {
            let store = target(inst).filter(|s| search.stores.contains(s) && search.may.contains_key(&s.2));
            if let Some((buf, _, value)) = store {
                ask(value, 8 * self.kernel.bufs[buf].elem.bytes());
                useful.insert(value);
                continue;
            }
            let strip = inst.args.get(1).filter(|v| self.is_short_strip(inst) && search.may.contains_key(v));
            if let (Some(&value), Some(buf)) = (strip, inst.buf) {
                // Whichever way it is stored, no more of it is.
                ask(value, 8 * self.kernel.bufs[buf].elem.bytes());
                useful.insert(value);
                continue;
            }
            let short = inst.results.first().filter(|r| search.may.contains_key(r) && inst.results.len() == 1);
            let Some(&v) = short else {
                inst.uses().for_each(|v| {
                    ask(v, WHOLE);
                });
                continue;
            };
            let bits = ask(v, 0);
            let way = Some(bits).filter(|_| useful.contains(&v)).and_then(|bits| self.way(inst, bits, search));
            let Some((short, demands)) = way else {
                lost.push(v);
                inst.uses().for_each(|v| {
                    ask(v, WHOLE);
                });
                continue;
            };
            search.may.insert(v, Some(short));
            for (arg, bits) in demands {
                ask(arg, bits);
                useful.insert(arg);
            }
        }
        for v in &lost {
            search.may.remove(v);
        }
        !lost.is_empty()
    }

    /// Lanes as wide as those of the operands where that costs nothing: one conversion at the end instead of several.
    fn widths(&self, search: &Search<'_>) -> HashMap<Value, Short> {
        let mut widths: HashMap<Value, Short> = HashMap::new();
        for &inst in &search.insts {
            let Some(Some(short)) = inst.results.first().and_then(|r| search.may.get(r)) else { continue };
            let mut short = short.clone();
            if short.way == Way::Plain && short.bits > 1 && !matches!(inst.op, Op::Load | Op::LoadRow) {
                let of = inst.args.iter().filter_map(|a| widths.get(a)).map(|s| s.bits);
                short.bits = of.fold(short.bits, u32::max);
            }
            widths.insert(inst.result(), short);
        }
        widths
    }

    /// Whether all lanes of a value fit so many bits, with a sign or without.
    pub(super) fn fits(&self, v: Value, bits: u32, signed: bool) -> bool {
        let bounds = self.range.bounds(self.kernel, v);
        let (low, high) = ends(bits, signed);
        self.kernel.ty(v).elem == Elem::I32 && bounds.within(low, high)
    }

    /// Whether a value is one number for all lanes and groups of a turn.
    pub(super) fn is_shared(&self, v: Value) -> bool {
        let shared = !self.kernel.ty(v).lanes && !self.vary.at(v);
        matches!(self.kernel.values[v].def, Def::Const(_))
            || shared && matches!(self.kernel.ty(v), Type { elem: Elem::I32 | Elem::Bool, .. })
    }
}
