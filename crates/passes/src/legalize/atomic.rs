//! Atomic operations that the target lacks: computed beside memory, and tried until nobody has written in between.

use super::Emit;
use quadra_kir::{Block, Const, Elem, Inst, Op, Type, Value};
use smallvec::smallvec;

/// What an element becomes, as an operation.
fn pure(op: Op) -> Option<Op> {
    match op {
        Op::AtomicDiv => Some(Op::Div),
        Op::AtomicPow => Some(Op::Pow),
        _ => None,
    }
}

/// An atomic division or power by `atomic.cas`: the first try supposes that the element is 0, each later one what the one before
/// has found. Of several lanes with one element one succeeds in each turn, the first one first.
pub(super) fn by_exchange(e: &mut Emit<'_>, inst: &Inst) -> Option<Value> {
    let operation = pure(inst.op)?;
    let value = *inst.args.last()?;
    let indices = &inst.args[..inst.args.len() - 1];
    let elem = e.kernel.ty(value).elem;
    let (number, truth) = (Type::vector(elem), Type::vector(Elem::Bool));
    if elem != Elem::F32 && elem != Elem::I32 || operation == Op::Pow && elem == Elem::I32 {
        return None;
    }
    let zero = if elem == Elem::F32 { e.float(0.0) } else { e.int(0) };
    let all = e.kernel.constant(Const::bool(true));
    let params: Vec<Value> = [truth, number, number].into_iter().map(|t| e.kernel.new_value(t)).collect();
    let (left, old, done) = (params[0], params[1], params[2]);
    let mut insts = Vec::new();
    let mut body = Emit { kernel: &mut *e.kernel, caps: e.caps, out: &mut insts, span: e.span };
    let new = body.op(operation, &[old, value]);
    let mut swap = Inst::new(Op::AtomicCompareExchange, indices.iter().copied().chain([old, new]));
    swap = Inst { buf: inst.buf, mode: inst.mode, mask: Some(left), ..swap.at(e.span) };
    let was = body.kernel.new_value(number);
    swap.results = smallvec![was];
    body.out.push(swap);
    // As bits: a NaN is itself.
    let bits = |b: &mut Emit<'_>, v: Value| if elem == Elem::F32 { b.op(Op::BitsI32, &[v]) } else { v };
    let (x, y) = (bits(&mut body, was), bits(&mut body, old));
    let same = body.op(Op::CmpEq, &[x, y]);
    let ready = body.op(Op::And, &[left, same]);
    let result = body.op(Op::Select, &[ready, was, done]);
    let still = body.op(Op::AndNot, &[left, same]);
    let any = body.op(Op::VoteAny, &[still]);
    let mut test = Inst::new(Op::If, vec![any]).at(e.span);
    let ends = [Inst::new(Op::Yield, Vec::new()), Inst::new(Op::Break, vec![result])];
    test.regions = ends.into_iter().map(|end| Block { params: smallvec![], insts: vec![end.at(e.span)] }).collect();
    body.out.push(test);
    body.out.push(Inst::new(Op::Continue, vec![still, was, result]).at(e.span));
    let mut turns = Inst::new(Op::Loop, vec![inst.mask.unwrap_or(all), zero, zero]).at(e.span);
    turns.regions = vec![Block { params: params.into(), insts }];
    let found = e.kernel.new_value(number);
    turns.results = smallvec![found];
    e.out.push(turns);
    Some(found)
}
