//! A loop, sixteen turns at a time.

use super::emit::Emit;
use super::ways::neutral;
use super::{Carried, Strip, Take};
use quadra_base::quick::Map;
use quadra_kir::{Block, Inst, LANES, Level, Op, Type, Value, Values};

/// What lanes have made of the turns so far: of each carried value, and for each choice the turn that it took.
#[derive(Clone)]
pub(super) struct State {
    pub(super) carried: Vec<Value>,
    turns: Vec<Value>,
}

impl State {
    pub(super) fn values(&self) -> Values {
        self.carried.iter().chain(&self.turns).copied().collect()
    }

    pub(super) fn from(&self, values: &[Value]) -> State {
        let (carried, turns) = values.split_at(self.carried.len());
        State { carried: carried.to_vec(), turns: turns.to_vec() }
    }
}

/// The turn of a lane that has taken nothing.
fn nothing(take: &Take) -> i32 {
    if take.latest { i32::MIN } else { i32::MAX }
}

impl Emit {
    /// Puts a loop whose turns are lanes to `out`, and what stands for its results into the map.
    pub(super) fn strip(&mut self, inst: &Inst, out: &mut Vec<Inst>) {
        let params = inst.regions[0].params.clone();
        let strip = self.strips.remove(&params[0]).expect("the caller has looked");
        let begins: Vec<Value> = inst.carried().iter().map(|&v| self.at(v)).collect();
        let deferred = |e: &Emit, n: usize| e.deferred.contains(&(params[0], n));
        let carried = (0..begins.len()).map(|n| match strip.carried[n] {
            Carried::Total(op) if !deferred(self, n) => self.beginning(op, begins[n]),
            _ => begins[n],
        });
        let carried = carried.collect();
        let turns = strip.takes.iter().map(|t| self.kernel.const_i32(nothing(t))).collect();
        let (lo, hi) = (self.at(inst.args[0]), self.at(inst.args[1]));
        let state = self.all_turns(inst, &strip, (lo, hi), State { carried, turns }, out);
        let taken: Vec<(Value, Value, Value)> =
            (0..strip.takes.len()).map(|t| self.choose(&strip, t, &state, lo, out)).collect();
        for (n, &begin) in begins.iter().enumerate() {
            let value = match strip.carried[n] {
                Carried::Same => begin,
                Carried::Counted => state.carried[n],
                Carried::Total(_) if deferred(self, n) => state.carried[n],
                Carried::Total(op) => {
                    let total = self.whole_total(op, begin, state.carried[n], out, inst.span);
                    let float = self.kernel.ty(begin).elem.is_float();
                    match float && matches!(op, Op::Min | Op::Max) {
                        true => self.first_zero(inst, n, total, state.carried[n], out),
                        false => total,
                    }
                }
                Carried::Taken(t) => {
                    let (turn, found, lane) = taken[t];
                    let made = strip.insts.iter().find(|i| i.results.first() == Some(&strip.yields[n]));
                    // The counter itself needs no lane's value.
                    match made.is_some_and(|i| i.args[1] == params[0]) {
                        true => self.op(Op::Select, &[found, turn, begin], out, inst.span),
                        false => self.op(Op::Broadcast, &[state.carried[n], lane], out, inst.span),
                    }
                }
            };
            self.map.insert(inst.results[n], value);
        }
    }

    /// The turns from `lo` to `hi`: whole vectors of them in a loop, and what is left.
    fn all_turns(
        &mut self,
        inst: &Inst,
        strip: &Strip,
        (lo, hi): (Value, Value),
        mut state: State,
        out: &mut Vec<Inst>,
    ) -> State {
        let sixteen = self.kernel.const_i32(LANES as i32);
        let lo = {
            let (end, after) = self.several(inst, strip, (lo, hi), state, out);
            state = after;
            end
        };
        let known = self.kernel.as_i32(lo).zip(self.kernel.as_i32(hi)).map(|(lo, hi)| (lo, hi.max(lo)));
        let full = self.multiple(known, (lo, hi), LANES as i32, out, inst);
        if full != lo {
            let first = self.kernel.new_value(Type::I32);
            let types = self.types(strip, &state);
            let fresh = |e: &mut Emit| types.iter().map(|&t| e.kernel.new_value(t)).collect::<Values>();
            let (params, results) = (fresh(self), fresh(self));
            let mut insts = Vec::new();
            let turn = self.op(Op::Add, &[first, self.lane], &mut insts, inst.span);
            let next = self.turn(inst, strip, turn, &state.from(&params), None, &mut insts);
            insts.push(Inst::new(Op::Yield, next.values()).at(inst.span));
            let mut vectors = Inst::new(Op::For, [lo, full, sixteen].into_iter().chain(state.values())).at(inst.span);
            vectors.regions = vec![Block { params: std::iter::once(first).chain(params).collect(), insts }];
            vectors.results = results.clone();
            out.push(vectors);
            state = state.from(&results);
        }
        match known {
            Some((lo, hi)) if (hi - lo) % LANES as i32 == 0 => state,
            Some((lo, hi)) => {
                let left = self.kernel.const_i32((hi - lo) % LANES as i32);
                self.last_turns(inst, strip, (full, left), &state, out)
            }
            None => {
                let zero = self.kernel.const_i32(0);
                let left = self.op(Op::Sub, &[hi, full], out, inst.span);
                let some = self.op(Op::CmpGt, &[left, zero], out, inst.span);
                let mut insts = Vec::new();
                let next = self.last_turns(inst, strip, (full, left), &state, &mut insts);
                let mut branch = Inst::new(Op::If, [some]).at(inst.span);
                let types = self.types(strip, &state);
                branch.results = types.into_iter().map(|t| self.kernel.new_value(t)).collect();
                insts.push(Inst::new(Op::Yield, next.values()).at(inst.span));
                let none = vec![Inst::new(Op::Yield, state.values()).at(inst.span)];
                branch.regions = [insts, none].map(|insts| Block { params: Values::new(), insts }).into();
                let results = branch.results.clone();
                out.push(branch);
                state.from(&results)
            }
        }
    }

    /// The types of what lanes make: vectors, but for counts.
    pub(super) fn types(&self, strip: &Strip, state: &State) -> Vec<Type> {
        let counted = |n: usize| strip.carried.get(n) == Some(&Carried::Counted);
        let ty = |(n, &v): (usize, &Value)| self.kernel.ty(v).with_lanes(!counted(n));
        state.values().iter().enumerate().map(ty).collect()
    }

    /// Fewer turns than lanes.
    fn last_turns(
        &mut self,
        inst: &Inst,
        strip: &Strip,
        (first, many): (Value, Value),
        state: &State,
        out: &mut Vec<Inst>,
    ) -> State {
        let live = self.op(Op::CmpLt, &[self.lane, many], out, inst.span);
        let turn = self.op(Op::Add, &[first, self.lane], out, inst.span);
        self.turn(inst, strip, turn, state, Some(live), out)
    }

    /// The body for sixteen turns, or those of `live` lanes.
    pub(super) fn turn(
        &mut self,
        inst: &Inst,
        strip: &Strip,
        turn: Value,
        state: &State,
        live: Option<Value>,
        out: &mut Vec<Inst>,
    ) -> State {
        let params = &inst.regions[0].params;
        let mut own: Map<Value, Value> = Map::default();
        own.insert(params[0], turn);
        own.extend(params[1..].iter().copied().zip(state.carried.iter().copied()));
        let mut state = state.clone();
        for (n, old) in strip.insts.iter().enumerate() {
            if n == strip.ready {
                self.count(inst, strip, &mut own, &mut state, live, out);
            }
            let at = |e: &Emit, v: Value| own.get(&v).copied().unwrap_or_else(|| e.at(v));
            let mut new = Inst { results: Values::new(), mask: None, ..old.clone() };
            new.args = old.args.iter().map(|&v| at(self, v)).collect();
            if matches!(old.op, Op::Load | Op::Store | Op::Assert) {
                let each = old.mask.is_some() || new.args.iter().any(|&v| self.kernel.ty(v).lanes);
                new.mask = match (old.mask.map(|m| at(self, m)), live.filter(|_| each)) {
                    (Some(m), Some(live)) => Some(self.op(Op::And, &[live, m], out, inst.span)),
                    (m, live) => m.or(live),
                };
            }
            if let Some(&result) = old.results.first() {
                let types: Vec<Type> = new.args.iter().map(|&v| self.kernel.ty(v)).collect();
                let ty = match new.op {
                    Op::Load => self.kernel.ty(result).with_lanes(types.iter().any(|t| t.lanes)),
                    op if types.is_empty() => op.result_type(Level::Simd, &types).unwrap_or(self.kernel.ty(result)),
                    op => op.result_type(Level::Simd, &types).unwrap_or_else(|e| quadra_base::bug!("along: {e}")),
                };
                let v = self.kernel.new_value(ty);
                new.results = Values::from_slice(&[v]);
                own.insert(result, v);
            }
            out.push(new);
        }
        self.end_of_turn(inst, strip, (turn, &own), &state, live, out)
    }

    /// What each turn is told of what is counted, and what the turns count together. The sum of what lanes before a lane count is
    /// that of the one before, then of two, four and eight.
    fn count(
        &mut self,
        inst: &Inst,
        strip: &Strip,
        own: &mut Map<Value, Value>,
        state: &mut State,
        live: Option<Value>,
        out: &mut Vec<Inst>,
    ) {
        let [zero, one] = [0, 1].map(|c| self.kernel.const_i32(c));
        for (n, meets) in &strip.counts {
            let mut mask = None;
            for &(cond, yes) in meets {
                let cond = own.get(&cond).copied().unwrap_or_else(|| self.at(cond));
                mask = Some(match (mask, yes) {
                    (None, true) => cond,
                    (None, false) => self.op(Op::Not, &[cond], out, inst.span),
                    (Some(m), true) => self.op(Op::And, &[m, cond], out, inst.span),
                    (Some(m), false) => self.op(Op::AndNot, &[m, cond], out, inst.span),
                });
            }
            let mut mask = mask.expect("a count has a condition");
            if let Some(live) = live {
                mask = self.op(Op::And, &[live, mask], out, inst.span);
            }
            let ones = self.op(Op::Select, &[mask, one, zero], out, inst.span);
            let mut rank = ones;
            for away in [1, 1, 2, 4, 8] {
                let by = self.kernel.const_i32(away);
                let other = self.op(Op::Rotate, &[rank, by], out, inst.span);
                let there = self.op(Op::CmpGe, &[self.lane, by], out, inst.span);
                let before = self.op(Op::Select, &[there, other, zero], out, inst.span);
                rank = if rank == ones { before } else { self.op(Op::Add, &[rank, before], out, inst.span) };
            }
            let begin = state.carried[*n];
            let each = self.op(Op::Add, &[begin, rank], out, inst.span);
            own.insert(inst.regions[0].params[1 + n], each);
            let all = self.total(Op::Add, ones, out);
            state.carried[*n] = self.op(Op::Add, &[begin, all], out, inst.span);
        }
    }

    /// What lanes have made once a turn is over.
    fn end_of_turn(
        &mut self,
        inst: &Inst,
        strip: &Strip,
        (turn, own): (Value, &Map<Value, Value>),
        state: &State,
        live: Option<Value>,
        out: &mut Vec<Inst>,
    ) -> State {
        let at = |e: &Emit, v: Value| own.get(&v).copied().unwrap_or_else(|| e.at(v));
        let mut carried = Vec::new();
        for (n, &v) in strip.yields.iter().enumerate() {
            let next = at(self, v);
            carried.push(match (live, strip.carried[n]) {
                (_, Carried::Same | Carried::Counted) => state.carried[n],
                (Some(live), _) => self.op(Op::Select, &[live, next, state.carried[n]], out, inst.span),
                (None, _) => next,
            });
        }
        let mut turns = Vec::new();
        for (take, &before) in strip.takes.iter().zip(&state.turns) {
            let mut takes = at(self, take.cond);
            if let Some(live) = live {
                takes = self.op(Op::And, &[live, takes], out, inst.span);
            }
            turns.push(self.op(Op::Select, &[takes, turn, before], out, inst.span));
        }
        State { carried, turns }
    }

    /// The turn that is chosen at last, whether there is one, and its lane.
    fn choose(
        &mut self,
        strip: &Strip,
        t: usize,
        state: &State,
        lo: Value,
        out: &mut Vec<Inst>,
    ) -> (Value, Value, Value) {
        let (take, turns) = (strip.takes[t], state.turns[t]);
        let none = self.kernel.const_i32(nothing(&take));
        let mut candidates = turns;
        if let Some((best, least)) = take.best {
            let values = state.carried[best];
            let all = self.total(if least { Op::Min } else { Op::Max }, values, out);
            let equal = self.op(Op::CmpEq, &[values, all], out, None);
            candidates = self.op(Op::Select, &[equal, turns, none], out, None);
        }
        let turn = self.total(if take.latest { Op::Max } else { Op::Min }, candidates, out);
        let found = self.op(Op::CmpNe, &[turn, none], out, None);
        let lane = self.op(Op::Sub, &[turn, lo], out, None);
        let fifteen = self.kernel.const_i32(LANES as i32 - 1);
        let lane = self.op(Op::And, &[lane, fifteen], out, None);
        (turn, found, lane)
    }

    /// The value with which lanes begin a total.
    pub(super) fn beginning(&mut self, op: Op, begin: Value) -> Value {
        let elem = self.kernel.ty(begin).elem;
        match op {
            Op::Add | Op::Mul | Op::Xor => self.kernel.constant(neutral(op, elem)),
            _ => begin,
        }
    }
}
