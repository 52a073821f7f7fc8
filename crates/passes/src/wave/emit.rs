//! The nest, sixteen rows at a time.

use super::{Nest, Source, Total};
use crate::analysis::linear::Form;
use quadra_base::quick::Map;
use quadra_base::{Span, bug};
use quadra_kir::{Block, Buf, Const, Elem, Inst, Kernel, LANES, Level, Op, Type, Value, Values};

/// Writes a nest to `out`.
pub(super) fn emit(kernel: &mut Kernel, nest: Nest, out: &mut Vec<Inst>) {
    let span = nest.outer.span;
    let mut e =
        Emit { kernel, nest: &nest, map: Map::default(), lane: Value::from_index(0), row: Value::from_index(0), span };
    e.nest(out);
}

/// A nest while it is written.
struct Emit<'a> {
    kernel: &'a mut Kernel,
    nest: &'a Nest,
    /// What stands for a value of the nest.
    map: Map<Value, Value>,
    /// The lanes' numbers, and the row of lane 0.
    lane: Value,
    row: Value,
    span: Option<Span>,
}

/// What steady steps hand to the next ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Carried {
    /// What was stored to a buffer so many steps before.
    Stored(Buf, i32),
    /// What a load has brought so many steps before: by its result.
    Loaded(Value, i32),
    /// The lanes of which an assertion did not hold: by its text.
    Failed(usize),
}

type Known = Map<Carried, Value>;

impl Emit<'_> {
    fn at(&self, v: Value) -> Value {
        self.map.get(&v).copied().unwrap_or(v)
    }

    fn int(&mut self, n: i32) -> Value {
        self.kernel.const_i32(n)
    }

    fn op(&mut self, op: Op, args: &[Value], out: &mut Vec<Inst>) -> Value {
        let types: Vec<Type> = args.iter().map(|&v| self.kernel.ty(v)).collect();
        let ty = op.result_type(Level::Simd, &types).unwrap_or_else(|e| bug!("wave: {e}"));
        self.push(Inst::new(op, args.iter().copied()).at(self.span), ty, out)
    }

    fn push(&mut self, mut inst: Inst, ty: Type, out: &mut Vec<Inst>) -> Value {
        let result = self.kernel.new_value(ty);
        inst.results = Values::from_slice(&[result]);
        out.push(inst);
        result
    }

    /// A value that has all lanes.
    fn lanes_of(&mut self, v: Value, out: &mut Vec<Inst>) -> Value {
        if self.kernel.ty(v).lanes {
            return v;
        }
        let zero = self.int(0);
        let all = self.op(Op::CmpGe, &[self.lane, zero], out);
        self.op(Op::Select, &[all, v, v], out)
    }

    /// A loop that carries values: its counter, what the body finds, and what is there behind it.
    fn repeat(
        &mut self,
        (from, to, step): (Value, Value, i32),
        carried: &[Value],
        out: &mut Vec<Inst>,
        body: impl FnOnce(&mut Self, Value, &[Value], &mut Vec<Inst>) -> Vec<Value>,
    ) -> Vec<Value> {
        let step = self.int(step);
        let counter = self.kernel.new_value(Type::I32);
        let fresh = |e: &mut Self| carried.iter().map(|&v| e.kernel.new_value(e.kernel.ty(v))).collect::<Vec<_>>();
        let (params, results) = (fresh(self), fresh(self));
        let mut insts = Vec::new();
        let ends = body(self, counter, &params, &mut insts);
        insts.push(Inst::new(Op::Yield, ends).at(self.span));
        let mut inst = Inst::new(Op::For, [from, to, step].into_iter().chain(carried.iter().copied())).at(self.span);
        inst.regions = vec![Block { params: std::iter::once(counter).chain(params).collect(), insts }];
        inst.results = results.iter().copied().collect();
        out.push(inst);
        results
    }

    fn nest(&mut self, out: &mut Vec<Inst>) {
        let (rows, inner) = (self.nest.outer.regions[0].params[0], self.nest.inner.regions[0].params.clone());
        self.lane = self.push(Inst::new(Op::Lane, []).at(self.span), Type::vector(Elem::I32), out);
        let begins: Vec<Value> = self.nest.outer.carried().to_vec();
        let totals = self.nest.totals.clone();
        let begins: Vec<Value> = totals.iter().zip(begins).map(|(t, v)| self.beginning(t.op, v, out)).collect();
        let (from, to) = (self.nest.outer.args[0], self.nest.outer.args[1]);
        let ends = self.repeat((from, to, LANES as i32), &begins, out, |e, row, sums, out| {
            e.row = row;
            let lanes = e.op(Op::Add, &[row, e.lane], out);
            e.map.insert(rows, lanes);
            let left = e.op(Op::Sub, &[to, row], out);
            let there = e.op(Op::CmpLt, &[e.lane, left], out);
            e.head((row, to), there, out);
            let sixteen = e.int(LANES as i32);
            let full = e.op(Op::CmpGe, &[left, sixteen], out);
            e.block(inner[0], (there, full), sums, out)
        });
        for ((total, &end), &result) in totals.iter().zip(&ends).zip(&self.nest.outer.results) {
            let sum = self.whole(total.op, end, out);
            let mut inst = Inst::new(Op::Broadcast, [sum, self.int(0)]).at(self.span);
            inst.results = Values::from_slice(&[result]);
            out.push(inst);
        }
    }

    /// What rows do before their columns: one after the other if they write, and what columns need of it for all lanes.
    fn head(&mut self, (row, to): (Value, Value), there: Value, out: &mut Vec<Inst>) {
        let (nest, rows) = (self.nest, self.nest.outer.regions[0].params[0]);
        if !nest.before.iter().any(|i| i.op == Op::Store) {
            return self.copy(&nest.before, Some(there), out);
        }
        let sixteen = self.int(LANES as i32);
        let end = self.op(Op::Add, &[row, sixteen], out);
        let end = self.op(Op::Min, &[end, to], out);
        let all = self.map.clone();
        self.repeat((row, end, 1), &[], out, |e, one, _, out| {
            e.map.insert(rows, one);
            for inst in &nest.outer.regions[0].insts {
                if inst.op == Op::For {
                    break;
                }
                let mut copy = inst.clone();
                e.rename(&mut copy);
                out.push(copy);
            }
            Vec::new()
        });
        self.map = all;
        let quiet: Vec<Inst> =
            nest.before.iter().filter(|i| !matches!(i.op, Op::Store | Op::Assert)).cloned().collect();
        self.copy(&quiet, Some(there), out);
    }

    /// Gives an instruction, and those in its regions, results of its own.
    fn rename(&mut self, inst: &mut Inst) {
        inst.args.iter_mut().chain(&mut inst.mask).for_each(|v| *v = self.at(*v));
        for region in &mut inst.regions {
            region.insts.iter_mut().for_each(|i| self.rename(i));
        }
        for result in &mut inst.results {
            let new = self.kernel.new_value(self.kernel.ty(*result));
            self.map.insert(*result, new);
            *result = new;
        }
    }

    /// Sixteen rows: the first steps, the steady ones, the last ones; if there are fewer rows, all as the first ones.
    fn block(
        &mut self,
        column: Value,
        (there, full): (Value, Value),
        sums: &[Value],
        out: &mut Vec<Inst>,
    ) -> Vec<Value> {
        let (from, to) = self.nest.steady();
        let [zero, one, two] = [0, 1, 2].map(|n| self.int(n));
        let [from, to, all] = [from, to, self.nest.steps()].map(|n| self.int(n));
        let phases = self.op(Op::Select, &[full, two, one], out);
        let first_end = self.op(Op::Select, &[full, from, all], out);
        self.repeat((zero, phases, 1), sums, out, |e, phase, sums, out| {
            let first = e.op(Op::CmpEq, &[phase, zero], out);
            let begin = e.op(Op::Select, &[first, zero, to], out);
            let end = e.op(Op::Select, &[first, first_end, all], out);
            let sums =
                e.repeat((begin, end, 1), sums, out, |e, step, sums, out| e.masked(column, step, there, sums, out));
            let steady = e.op(Op::And, &[first, full], out);
            let mut branch = Inst::new(Op::If, [steady]).at(e.span);
            let mut insts = Vec::new();
            let new = e.steady(column, (from, to), &sums, &mut insts);
            insts.push(Inst::new(Op::Yield, new).at(e.span));
            let other = vec![Inst::new(Op::Yield, sums.iter().copied()).at(e.span)];
            branch.regions = [insts, other].map(|insts| Block { insts, ..Block::default() }).into();
            let results: Vec<Value> = sums.iter().map(|&v| e.kernel.new_value(e.kernel.ty(v))).collect();
            branch.results = results.iter().copied().collect();
            out.push(branch);
            results
        })
    }

    /// The lanes' columns in a step, counted from 0.
    fn columns(&mut self, step: Value, out: &mut Vec<Inst>) -> Value {
        let skew = self.int(self.nest.skew);
        let behind = self.op(Op::Mul, &[self.lane, skew], out);
        self.op(Op::Sub, &[step, behind], out)
    }

    /// The lanes' column in a step, as the inner loop counts.
    fn column(&mut self, step: Value, out: &mut Vec<Inst>) -> Value {
        let columns = self.columns(step, out);
        let first = self.int(self.nest.first);
        self.op(Op::Add, &[columns, first], out)
    }

    /// A step of the lanes that have a row and a column.
    fn masked(&mut self, column: Value, step: Value, there: Value, sums: &[Value], out: &mut Vec<Inst>) -> Vec<Value> {
        let (columns, count) = (self.columns(step, out), self.int(self.nest.columns));
        let inside = self.op(Op::CmpLtU, &[columns, count], out);
        let mask = self.op(Op::And, &[inside, there], out);
        let at = self.column(step, out);
        self.map.insert(column, at);
        let nest = self.nest;
        self.copy(&nest.insts, Some(mask), out);
        let sum = |(total, &old): (&Total, &Value)| {
            let new = self.op(total.op, &[old, self.at(total.by)], out);
            self.op(Op::Select, &[mask, new, old], out)
        };
        nest.totals.iter().zip(sums).map(sum).collect()
    }

    /// Instructions of the nest for all lanes, or those of a mask. Loads that are known already are left out.
    fn copy(&mut self, insts: &[Inst], mask: Option<Value>, out: &mut Vec<Inst>) {
        for inst in insts {
            if let Some(copied) = self.copied(inst, mask, out) {
                out.push(copied);
            }
        }
    }

    fn copied(&mut self, inst: &Inst, mask: Option<Value>, out: &mut Vec<Inst>) -> Option<Inst> {
        let mut copy = inst.clone();
        copy.args.iter_mut().for_each(|v| *v = self.at(*v));
        let own = inst.mask.map(|m| self.at(m));
        let lanes = copy.args.iter().any(|&v| self.kernel.ty(v).lanes);
        // What all iterations load alike is there if any of them is.
        let alike = inst.op == Op::Load && own.is_none() && !lanes;
        copy.mask = match (inst.op, own, mask) {
            (Op::Load | Op::Store | Op::Assert, ..) if alike => None,
            (Op::Load | Op::Store | Op::Assert, Some(a), Some(b)) => Some(self.op(Op::And, &[a, b], out)),
            (Op::Load | Op::Store | Op::Assert, Some(one), None) => Some(self.lanes_of(one, out)),
            (Op::Load | Op::Store | Op::Assert, None, one) => one,
            _ => None,
        };
        if let Some(&result) = inst.results.first() {
            let types: Vec<Type> = copy.args.iter().map(|&v| self.kernel.ty(v)).collect();
            let ty = match inst.op {
                Op::Load => self.kernel.ty(result).with_lanes(lanes || copy.mask.is_some()),
                op => op.result_type(Level::Simd, &types).unwrap_or_else(|e| bug!("wave: {e}")),
            };
            let new = self.kernel.new_value(ty);
            copy.results = Values::from_slice(&[new]);
            self.map.insert(result, new);
        }
        Some(copy)
    }

    /// The steps that all lanes make; what totals are behind them.
    fn steady(&mut self, column: Value, (from, to): (Value, Value), sums: &[Value], out: &mut Vec<Inst>) -> Vec<Value> {
        let nest = self.nest;
        let texts = self.deferred();
        let carried = self.carried(texts.len());
        let mut begins: Vec<Value> = carried.iter().map(|c| self.before(*c, column, from, out)).collect();
        let many = begins.len();
        begins.extend(sums);
        let ends = self.repeat((from, to, 1), &begins, out, |e, step, params, out| {
            let at = e.column(step, out);
            e.map.insert(column, at);
            let known: Known = carried.iter().copied().zip(params.iter().copied()).collect();
            let mut failed: Vec<Value> = params[many - texts.len()..many].to_vec();
            for inst in &nest.insts {
                match (inst.op, inst.results.first().and_then(|r| nest.sources.get(r))) {
                    (Op::Load, Some((source, form))) => {
                        let value = e.forwarded(inst, *source, form, &known, step, out);
                        e.map.insert(inst.result(), value);
                    }
                    (Op::Assert, _) if !texts.is_empty() => e.note(inst, &texts, &mut failed, out),
                    _ => e.copy(std::slice::from_ref(inst), None, out),
                }
            }
            let mut ends: Vec<Value> = carried.iter().map(|c| e.after(*c, &known, &failed, out)).collect();
            for (total, &old) in nest.totals.iter().zip(&params[many..]) {
                ends.push(e.op(total.op, &[old, e.at(total.by)], out));
            }
            ends
        });
        for (n, inst) in texts.iter().enumerate() {
            let right = self.op(Op::Not, &[ends[many - texts.len() + n]], out);
            out.push(Inst { args: Values::from_slice(&[right]), mask: None, ..inst.clone() });
        }
        ends[many..].to_vec()
    }

    /// One assertion of each text, if none need be made where it stands: no index follows from what is asserted.
    fn deferred(&self) -> Vec<Inst> {
        let mut found: Vec<Inst> = Vec::new();
        for inst in self.nest.insts.iter().filter(|i| i.op == Op::Assert && self.nest.regular) {
            if found.iter().all(|f| f.text != inst.text) {
                found.push(inst.clone());
            }
        }
        found
    }

    /// Notes the lanes of which an assertion does not hold.
    fn note(&mut self, inst: &Inst, texts: &[Inst], failed: &mut [Value], out: &mut Vec<Inst>) {
        let told = self.at(inst.args[0]);
        let wrong = match inst.mask {
            Some(mask) => self.op(Op::AndNot, &[self.at(mask), told], out),
            None => self.op(Op::Not, &[told], out),
        };
        if let Some(n) = texts.iter().position(|t: &Inst| t.text == inst.text) {
            failed[n] = self.op(Op::Or, &[failed[n], wrong], out);
        }
    }

    /// The load whose value one step before is that of this one, if there is one.
    fn chained(&self, source: Source) -> Option<Value> {
        let Source::Above(buf, rows, columns) = source else { return None };
        let before = Source::Above(buf, rows, columns - 1);
        // The first of those in the order of the iteration, whichever hash they have.
        let loads = self.nest.insts.iter().filter_map(|i| i.results.first());
        loads.copied().find(|r| self.nest.sources.get(r).is_some_and(|s| s.0 == before))
    }

    /// What steps hand on; assertions last.
    fn carried(&self, texts: usize) -> Vec<Carried> {
        let mut carried = Vec::new();
        let mut add = |c: Carried| {
            if !carried.contains(&c) {
                carried.push(c);
            }
        };
        let loads = self.nest.insts.iter().filter_map(|i| i.results.first());
        for (result, (source, _)) in loads.filter_map(|r| Some((*r, self.nest.sources.get(r)?))) {
            match (*source, self.chained(*source)) {
                (_, Some(load)) => add(Carried::Loaded(load, 1)),
                (Source::Left(buf, columns), _) => (1..=columns).for_each(|n| add(Carried::Stored(buf, n))),
                (Source::Above(buf, rows, columns), _) => {
                    (1..=self.nest.skew * rows + columns).for_each(|n| add(Carried::Stored(buf, n)));
                }
                (Source::Slides, _) => (1..=self.nest.skew).for_each(|n| add(Carried::Loaded(result, n))),
            }
        }
        carried.extend((0..texts).map(Carried::Failed));
        carried
    }

    /// What is handed to the first steady step.
    fn before(&mut self, c: Carried, column: Value, from: Value, out: &mut Vec<Inst>) -> Value {
        let nest = self.nest;
        let (buf, form, steps) = match c {
            Carried::Stored(buf, steps) => {
                let form = nest.stores.iter().find(|s| s.0 == buf).map(|s| s.1.clone());
                (buf, form, steps)
            }
            Carried::Loaded(load, steps) => {
                let inst = nest.insts.iter().find(|i| i.results.first() == Some(&load));
                let Some(buf) = inst.and_then(|i| i.buf) else { bug!("wave: a load without a buffer") };
                (buf, nest.sources.get(&load).map(|s| s.1.clone()), steps)
            }
            Carried::Failed(_) => {
                let zero = self.int(0);
                return self.op(Op::CmpLt, &[self.lane, zero], out);
            }
        };
        let Some(form) = form else { bug!("wave: nothing is known of an index") };
        let steps = self.int(steps);
        let step = self.op(Op::Sub, &[from, steps], out);
        let at = self.column(step, out);
        self.map.insert(column, at);
        let index = self.index(&form, false, at, out);
        let like = nest.insts.iter().find(|i| i.buf == Some(buf) && matches!(i.op, Op::Load | Op::Store));
        let mode = like.map(|i| i.mode).unwrap_or_default();
        self.load(buf, index, mode, None, out)
    }

    fn load(
        &mut self,
        buf: Buf,
        index: Value,
        mode: quadra_kir::Mode,
        mask: Option<Value>,
        out: &mut Vec<Inst>,
    ) -> Value {
        let lanes = self.kernel.ty(index).lanes;
        let ty = Type::scalar(self.kernel.bufs[buf].elem.in_register()).with_lanes(lanes);
        let inst = Inst { buf: Some(buf), mode, mask, ..Inst::new(Op::Load, [index]).at(self.span) };
        self.push(inst, ty, out)
    }

    /// An index in a row and column: of lane 0, or of all lanes.
    fn index(&mut self, form: &Form, first: bool, column: Value, out: &mut Vec<Inst>) -> Value {
        let (rows, columns) = (self.nest.outer.regions[0].params[0], self.nest.inner.regions[0].params[0]);
        let mut sum = self.int(form.constant);
        for &(v, factor) in &form.terms {
            let value = match v {
                v if v == columns => column,
                v if v == rows && first => self.row,
                v => self.at(v),
            };
            let factor = self.int(factor);
            let term = self.op(Op::Mul, &[value, factor], out);
            sum = self.op(Op::Add, &[sum, term], out);
        }
        sum
    }

    /// The value of a load in a steady step.
    fn forwarded(
        &mut self,
        inst: &Inst,
        source: Source,
        form: &Form,
        known: &Known,
        step: Value,
        out: &mut Vec<Inst>,
    ) -> Value {
        if let Some(load) = self.chained(source) {
            return known[&Carried::Loaded(load, 1)];
        }
        let Some(buf) = inst.buf else { bug!("wave: a load without a buffer") };
        let (value, rows) = match source {
            Source::Left(buf, columns) => return known[&Carried::Stored(buf, columns)],
            Source::Above(buf, rows, columns) => (known[&Carried::Stored(buf, self.nest.skew * rows + columns)], rows),
            Source::Slides => (known[&Carried::Loaded(inst.result(), self.nest.skew)], 1),
        };
        let amount = self.int(rows);
        let moved = self.op(Op::Rotate, &[value, amount], out);
        let first = self.op(Op::CmpLt, &[self.lane, amount], out);
        let loaded = if rows == 1 {
            let begin = self.int(self.nest.first);
            let column = self.op(Op::Add, &[step, begin], out);
            let index = self.index(form, true, column, out);
            self.load(buf, index, inst.mode, None, out)
        } else {
            let index = self.at(inst.args[0]);
            self.load(buf, index, inst.mode, Some(first), out)
        };
        self.op(Op::Select, &[first, loaded, moved], out)
    }

    /// What a step hands on.
    fn after(&mut self, c: Carried, known: &Known, failed: &[Value], out: &mut Vec<Inst>) -> Value {
        let value = match c {
            Carried::Failed(n) => failed[n],
            Carried::Stored(buf, 1) => {
                let stored = self.nest.stores.iter().find(|s| s.0 == buf).map(|s| s.2);
                self.at(stored.unwrap_or_else(|| bug!("wave: nothing is stored")))
            }
            Carried::Loaded(load, 1) => self.at(load),
            Carried::Stored(buf, n) => known[&Carried::Stored(buf, n - 1)],
            Carried::Loaded(load, n) => known[&Carried::Loaded(load, n - 1)],
        };
        self.lanes_of(value, out)
    }

    /// What each lane's total begins with.
    fn beginning(&mut self, op: Op, begin: Value, out: &mut Vec<Inst>) -> Value {
        if !matches!(op, Op::Add | Op::Xor) {
            return self.lanes_of(begin, out);
        }
        let (zero, none) = (self.int(0), self.kernel.constant(Const::zero(self.kernel.ty(begin).elem)));
        let first = self.op(Op::CmpEq, &[self.lane, zero], out);
        self.op(Op::Select, &[first, begin, none], out)
    }

    /// The total of all lanes, in lane 0.
    fn whole(&mut self, op: Op, mut lanes: Value, out: &mut Vec<Inst>) -> Value {
        for away in [8, 4, 2, 1] {
            let away = self.int(away);
            let other = self.op(Op::Rotate, &[lanes, away], out);
            lanes = self.op(op, &[lanes, other], out);
        }
        lanes
    }
}
