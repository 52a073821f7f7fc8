//! Loops with several sums under way: a sum of floats waits some cycles for the one before, and processors add twice in each.

use super::emit::Emit;
use super::lanes::State;
use super::{Carried, Strip};
use quadra_kir::{Block, Const, Elem, Inst, LANES, Op, Type, Value, Values};

/// Most vectors of one sum that are under way together.
const MOST_WAYS: usize = 4;
/// Vectors of all sums together that a processor has registers for, beside those of a turn: of 512 bits (AVX-512), or in parts.
const WHOLE: usize = 24;
const IN_PARTS: usize = 6;
/// Instructions of a turn that take longer than its sum.
const LONG: usize = 12;

impl Emit {
    /// As many turns from `lo` on as are a multiple of what several sums take, in a loop; where it ends, and what lanes have made.
    pub(super) fn several(
        &mut self,
        inst: &Inst,
        strip: &Strip,
        (lo, hi): (Value, Value),
        state: State,
        out: &mut Vec<Inst>,
    ) -> (Value, State) {
        let sums = self.sums(strip, &state);
        let known = self.kernel.as_i32(lo).zip(self.kernel.as_i32(hi));
        let ways = self.ways(sums.len());
        let many = LANES as i32 * ways as i32;
        let few = known.is_some_and(|(lo, hi)| hi.saturating_sub(lo) < 2 * many);
        if ways < 2 || few || strip.insts.len() > LONG || self.adds_whole_numbers(strip) {
            return (lo, state);
        }
        let end = self.multiple(known, (lo, hi), many, out, inst);
        let first = self.kernel.new_value(Type::I32);
        let mut begins: Vec<Value> = state.values().to_vec();
        for &(n, op) in &sums {
            let elem = self.kernel.ty(state.carried[n]).elem;
            let neutral = self.kernel.constant(neutral(op, elem));
            begins.extend(vec![neutral; ways - 1]);
        }
        let mut types = self.types(strip, &state);
        types.extend(sums.iter().flat_map(|&(n, _)| vec![types[n]; ways - 1]).collect::<Vec<_>>());
        let fresh = |e: &mut Emit| types.iter().map(|&t| e.kernel.new_value(t)).collect::<Values>();
        let (params, results) = (fresh(self), fresh(self));
        let own = state.values().len();
        let (mut now, mut others) = (state.from(&params[..own]), params[own..].to_vec());
        let mut insts = Vec::new();
        for way in 0..ways {
            let ahead = self.kernel.const_i32(way as i32 * LANES as i32);
            let at = if way == 0 { first } else { self.op(Op::Add, &[first, ahead], &mut insts, inst.span) };
            let turn = self.op(Op::Add, &[at, self.lane], &mut insts, inst.span);
            // The sum of this way takes the place of the first one's.
            let swap = |now: &mut State, others: &mut Vec<Value>| {
                for (k, &(n, _)) in sums.iter().enumerate().filter(|_| way > 0) {
                    std::mem::swap(&mut now.carried[n], &mut others[k * (ways - 1) + way - 1]);
                }
            };
            swap(&mut now, &mut others);
            now = self.turn(inst, strip, turn, &now, None, &mut insts);
            swap(&mut now, &mut others);
        }
        insts.push(Inst::new(Op::Yield, now.values().into_iter().chain(others)).at(inst.span));
        let step = self.kernel.const_i32(many);
        let mut turns = Inst::new(Op::For, [lo, end, step].into_iter().chain(begins)).at(inst.span);
        turns.regions = vec![Block { params: std::iter::once(first).chain(params).collect(), insts }];
        turns.results = results.clone();
        out.push(turns);
        let mut state = state.from(&results[..own]);
        for (k, &(n, op)) in sums.iter().enumerate() {
            let others = &results[own + k * (ways - 1)..][..ways - 1];
            state.carried[n] =
                others.iter().fold(state.carried[n], |all, &other| self.op(op, &[all, other], out, inst.span));
        }
        (end, state)
    }

    /// Whether all floats of a turn are sums of what integers of 8 or 16 bits make, which are added up as such.
    fn adds_whole_numbers(&self, strip: &Strip) -> bool {
        let short = |i: &Inst| i.buf.is_some_and(|b| self.kernel.bufs[b].elem.bytes() < 4);
        let float = |i: &Inst| i.results.iter().chain(&i.args).any(|&v| self.kernel.ty(v).elem.is_float());
        let fits = |i: &Inst| match i.op {
            Op::Load => short(i),
            Op::ToF32 | Op::Add | Op::Sub | Op::Select => true,
            _ => !float(i),
        };
        strip.insts.iter().any(|i| i.op == Op::Load) && strip.insts.iter().all(fits)
    }

    /// Vectors of each of so many sums that are under way together: a power of two of them, none of which has to wait in memory.
    fn ways(&self, sums: usize) -> usize {
        let most = if self.whole { WHOLE } else { IN_PARTS };
        most.checked_div(sums).and_then(usize::checked_ilog2).map_or(0, |n| MOST_WAYS.min(1 << n))
    }

    /// Sums and products of floats, by their number.
    fn sums(&self, strip: &Strip, state: &State) -> Vec<(usize, Op)> {
        let sum = |(n, c): (usize, &Carried)| match *c {
            Carried::Total(op @ (Op::Add | Op::Mul)) if self.kernel.ty(state.carried[n]).elem.is_float() => {
                Some((n, op))
            }
            _ => None,
        };
        strip.carried.iter().enumerate().filter_map(sum).collect()
    }

    /// The last number before `hi` that lies a multiple of `many` behind `lo`.
    pub(super) fn multiple(
        &mut self,
        known: Option<(i32, i32)>,
        (lo, hi): (Value, Value),
        many: i32,
        out: &mut Vec<Inst>,
        inst: &Inst,
    ) -> Value {
        if let Some((lo, hi)) = known {
            return self.kernel.const_i32(lo + (hi.max(lo) - lo) / many * many);
        }
        let (zero, whole) = (self.kernel.const_i32(0), self.kernel.const_i32(-many));
        let span = self.op(Op::Sub, &[hi, lo], out, inst.span);
        let span = self.op(Op::Max, &[span, zero], out, inst.span);
        let span = self.op(Op::And, &[span, whole], out, inst.span);
        self.op(Op::Add, &[lo, span], out, inst.span)
    }
}

/// What changes nothing: added to anything, that stays, whatever the sign of a zero.
pub(super) fn neutral(op: Op, elem: Elem) -> Const {
    match (op, elem) {
        (Op::Add, Elem::F32) => Const { elem, bits: u64::from((-0.0f32).to_bits()) },
        (Op::Add, Elem::F64) => Const { elem, bits: (-0.0f64).to_bits() },
        (Op::Mul, Elem::F32) => Const { elem, bits: u64::from(1f32.to_bits()) },
        (Op::Mul, Elem::F64) => Const { elem, bits: 1f64.to_bits() },
        (Op::Mul, _) => Const { elem, bits: 1 },
        _ => Const::zero(elem),
    }
}
