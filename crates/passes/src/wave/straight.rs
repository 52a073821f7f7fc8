//! An iteration without branches, in which each element is written once.

use super::find::Places;
use quadra_base::quick::Map;
use quadra_kir::{Inst, Kernel, Mode, Op, Value, Values};

/// Takes the conditions from loads that lie inside of their buffers in every iteration.
pub(super) fn unmask(kernel: &Kernel, insts: &mut [Inst], places: &Places<'_>) {
    for inst in insts.iter_mut().filter(|i| i.op == Op::Load && i.mask.is_some()) {
        if places.is_inside(kernel, inst) {
            (inst.mask, inst.mode) = (None, Mode::Inside);
        }
    }
}

/// What an iteration reads again of what it has just stored it takes from there.
pub(super) fn forward(kernel: &Kernel, insts: &mut Vec<Inst>, places: &Places<'_>, yields: &[Value]) -> Values {
    let mut same: Map<Value, Value> = Map::default();
    let mut stored: Vec<Inst> = Vec::new();
    insts.retain_mut(|inst| {
        inst.args.iter_mut().chain(&mut inst.mask).for_each(|v| *v = same.get(v).copied().unwrap_or(*v));
        match inst.op {
            Op::Store => stored.push(inst.clone()),
            Op::Load => {
                let wrote = |s: &&Inst| {
                    let there = places.form(kernel, s).minus(&places.form(kernel, inst)).as_constant() == Some(0);
                    s.buf == inst.buf && there && s.mask.is_none() && kernel.ty(s.args[1]) == kernel.ty(inst.result())
                };
                // The last one that may have stored there.
                let last = stored.iter().rfind(|s| s.buf == inst.buf).filter(wrote);
                let wide = inst.buf.is_some_and(|b| kernel.bufs[b].elem == kernel.bufs[b].elem.in_register());
                if let Some(store) = last.filter(|_| wide) {
                    same.insert(inst.result(), store.args[1]);
                    return false;
                }
            }
            _ => {}
        }
        true
    });
    yields.iter().map(|v| same.get(v).copied().unwrap_or(*v)).collect()
}

/// Makes one store of two to the same element under opposite conditions.
pub(super) fn merge(kernel: &mut Kernel, insts: &mut Vec<Inst>, places: &Places<'_>) {
    while let Some(Pair { first, second, mask, cond }) = opposite(kernel, insts, places) {
        let (yes, no) = (insts[first].args[1], insts[second].args[1]);
        let mut select = Inst::new(Op::Select, [cond, yes, no]).at(insts[second].span);
        select.results = Values::from_slice(&[kernel.new_value(kernel.ty(yes))]);
        (insts[second].args[1], insts[second].mask) = (select.result(), mask);
        insts.insert(second, select);
        insts.remove(first);
    }
}

/// Two such stores.
struct Pair {
    first: usize,
    second: usize,
    /// Under which condition either happens.
    mask: Option<Value>,
    /// Under which the first does.
    cond: Value,
}

fn opposite(kernel: &Kernel, insts: &[Inst], places: &Places<'_>) -> Option<Pair> {
    let made: Map<Value, &Inst> = insts.iter().filter_map(|i| Some((*i.results.first()?, i))).collect();
    let op = |v: Value| made.get(&v).map(|i| (i.op, &i.args[..]));
    let store = |n: usize| insts[n].op == Op::Store && insts[n].mask.is_some();
    (0..insts.len()).filter(|n| store(*n)).find_map(|first| {
        // The first one may be made later unless somebody looks at the element in between.
        let apart = |i: &Inst| {
            let far = places.form(kernel, i).minus(&places.form(kernel, &insts[first])).as_constant();
            i.op == Op::Load && far.is_some_and(|far| far != 0)
        };
        let touches = |n: &usize| insts[*n].buf == insts[first].buf && insts[*n].op != Op::Dim && !apart(&insts[*n]);
        let second = (first + 1..insts.len()).find(touches).filter(|n| store(*n))?;
        let (yes, no) = (insts[first].mask?, insts[second].mask?);
        if places.form(kernel, &insts[first]) != places.form(kernel, &insts[second]) {
            return None;
        }
        match (op(yes), op(no)) {
            (_, Some((Op::Not, [c]))) if *c == yes => Some(Pair { first, second, mask: None, cond: yes }),
            (Some((Op::And, [m, c])), Some((Op::AndNot, [n, d]))) if m == n && c == d => {
                Some(Pair { first, second, mask: Some(*m), cond: *c })
            }
            _ => None,
        }
    })
}
