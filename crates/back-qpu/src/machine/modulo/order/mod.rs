//! The order of a loop's operations before they get times, where it binds later: what sets flags keeps its order, and a
//! value keeps its register until its last reader.

use super::body::{Body, Web, copy_at, rename};
use crate::machine::code::Code;
use crate::machine::isa::{Instruction, Isa, MOST_QUEUES, Resource};
use crate::machine::registers::Reg;
use crate::machine::schedule::deps::{self, Queue};

/// The body with the operations that the branch depends on as early as they may be: what sets flags keeps its order, so a
/// test at the end would keep every iteration behind the last comparison of the one before.
pub fn early_test<I: Isa>(code: &Code<I>, body: &Body<I>) -> Body<I> {
    let n = body.ops.len();
    let Some(test) = body.ops.iter().rposition(|i| i.sets_flags()) else { return body.clone() };
    let setters = flag_setters(&body.ops, n);
    if body.ops[test].keeps_destination() || setters.iter().zip(&body.ops).any(|(s, i)| i.reads_flags() && s.is_none())
    {
        return body.clone();
    }
    let slice = slice(&body.ops, test);
    let effects = effects(code, &body.ops);
    for k in 0..test {
        let (mut order, rest): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| i < k || slice[i]);
        // Operations of the slice that stand before `k` keep their places.
        order.sort_by_key(|&i| i);
        let branch_at = order.len();
        order.extend(rest);
        if order.iter().enumerate().all(|(at, i)| at == *i) {
            return body.clone();
        }
        let asks = order[..branch_at].iter().rev().find(|&&o| body.ops[o].sets_flags()) == Some(&test);
        if asks && is_legal(body, &effects, &order, &setters) {
            let ops = order.iter().map(|&i| body.ops[i]).collect();
            return Body { ops, branch_at, ..body.clone() };
        }
    }
    body.clone()
}

/// The body in which the test comes first, on copies of the values that it looks at, where those are computed from what
/// every iteration starts with.
///
/// ```text
/// …                      add m, n, s
/// add n, n, s            max.setf -, e, m
/// max.setf -, e, n   ⟶   …
///                        mov n, m
/// ```
pub fn with_early_copy<I: Isa>(body: &Body<I>) -> Option<Body<I>> {
    let n = body.ops.len();
    let test = body.ops.iter().rposition(|i| i.sets_flags())?;
    let plain_test = !body.ops[test].keeps_destination() && body.ops[test].def().is_none() && body.branch_at == n;
    let setters = flag_setters(&body.ops, n);
    if !plain_test || setters.iter().zip(&body.ops).any(|(s, i)| i.reads_flags() && s.is_none()) {
        return None;
    }
    let mut out = body.clone();
    let first = copies_for(body, test, &mut out)?;
    out.ops.remove(test);
    out.branch_at = first.len();
    out.ops.splice(0..0, first);
    remove_dead_copies(&mut out);
    Some(out)
}

fn is_invariant<I: Isa>(body: &Body<I>, r: Reg) -> bool {
    r.virt().is_some_and(|w| body.webs[w as usize].invariant)
}

/// The test and what it is computed from, on webs of their own; what others need of it becomes a copy in `out`.
fn copies_for<I: Isa>(body: &Body<I>, test: usize, out: &mut Body<I>) -> Option<Vec<I::Inst>> {
    let slice = slice(&body.ops, test);
    let mut made: Vec<(Reg, Reg)> = Vec::new();
    let mut first = Vec::new();
    let single = |r: Reg| body.ops.iter().filter(|i| i.def() == Some(r)).count() == 1;
    for i in (0..=test).filter(|&i| slice[i]) {
        let inst = body.ops[i];
        let webs = inst.reads().all(|r| r.virt().is_some());
        if !inst.is_plain() || !webs || inst.keeps_destination() || inst.sets_flags() != (i == test) {
            return None;
        }
        for r in inst.reads() {
            let carried = r.virt().is_some_and(|w| body.webs[w as usize].live_in.is_some());
            let at_start = carried && single(r) && body.ops[..i].iter().all(|o| o.def() != Some(r));
            if !is_invariant(body, r) && !at_start && !made.iter().any(|m| m.0 == r) {
                return None;
            }
        }
        let mut copy = inst;
        copy.map_registers(|r| made.iter().find(|m| m.0 == r).map_or(r, |m| m.1));
        if i < test {
            let old = inst.def().filter(|d| single(*d))?;
            let new = Reg::Virt(out.webs.len() as u32);
            out.webs.push(Web::default());
            copy.set_def(new);
            made.push((old, new));
            out.ops[i] = copy_at::<I>(old, new, inst.span());
        }
        first.push(copy);
    }
    Some(first)
}

/// Leaves out copies that nothing reads.
fn remove_dead_copies<I: Isa>(body: &mut Body<I>) {
    for i in (0..body.ops.len()).rev() {
        let Some((d, _)) = plain_copy(&body.ops[i]) else { continue };
        let web = d.virt().map(|w| &body.webs[w as usize]);
        let needed = web.is_none_or(|w| w.live_in.is_some() || w.live_out);
        if !needed
            && !body.ops.iter().any(|x| x.reads().any(|r| r == d) || (x.keeps_destination() && x.def() == Some(d)))
        {
            body.ops.remove(i);
            body.branch_at -= usize::from(i < body.branch_at);
        }
    }
}

/// Per operation, the last one before it that sets flags.
fn flag_setters(ops: &[impl Instruction], n: usize) -> Vec<Option<usize>> {
    (0..n).map(|i| ops[..i].iter().rposition(|o| o.sets_flags())).collect()
}

/// The test, and what it is computed from in the same iteration.
fn slice(ops: &[impl Instruction], test: usize) -> Vec<bool> {
    let mut out = vec![false; ops.len()];
    out[test] = true;
    let mut wanted: Vec<Reg> = ops[test].reads().collect();
    for i in (0..test).rev() {
        let inst = &ops[i];
        if inst.def().is_some_and(|d| wanted.contains(&d)) {
            out[i] = true;
            wanted.extend(inst.reads());
        }
    }
    out
}

/// What each operation reads and writes, the flags left out.
type Effects = Vec<[Vec<Resource>; 2]>;

fn effects<I: Isa>(code: &Code<I>, ops: &[I::Inst]) -> Effects {
    let no_flags = |mut list: Vec<Resource>| {
        list.retain(|r| *r != Resource::Flags);
        list
    };
    let both = |i: &I::Inst| [no_flags(deps::reads(code, i)), no_flags(deps::writes(i, [Queue::Open; MOST_QUEUES]))];
    ops.iter().map(both).collect()
}

/// Whether the operations do the same in this order.
fn is_legal<I: Isa>(body: &Body<I>, effects: &Effects, order: &[usize], setters: &[Option<usize>]) -> bool {
    let mut setter = None;
    for &i in order {
        if body.ops[i].reads_flags() && setter != setters[i] {
            return false;
        }
        if body.ops[i].sets_flags() {
            setter = Some(i);
        }
    }
    order.iter().enumerate().all(|(at, &i)| {
        // `i` now stands before `j`; it used to stand behind it.
        order[at + 1..].iter().all(|&j| j > i || !depend(effects, j, i))
    })
}

fn depend(effects: &Effects, first: usize, second: usize) -> bool {
    let ([r1, w1], [r2, w2]) = (&effects[first], &effects[second]);
    let meet = |a: &[Resource], b: &[Resource]| a.iter().any(|x| b.contains(x));
    meet(w1, r2) || meet(r1, w2) || meet(w1, w2)
}

/// Works on a carried value in place where the body works on a copy of it only because the old value is read later:
/// those readers move before the copy.
///
/// ```text
/// mov m, n
/// sub.ifc m, m, 1        add.ifc s, s, n
/// add.ifc s, s, n   ⟶    sub.ifc n, n, 1
/// mov n, m
/// ```
pub fn in_place<I: Isa>(code: &Code<I>, body: &Body<I>) -> Body<I> {
    let mut body = body.clone();
    while let Some(next) = one_in_place(code, &body) {
        body = next;
    }
    body
}

/// Destination and source of an unconditional copy of a web.
fn plain_copy(inst: &impl Instruction) -> Option<(Reg, Reg)> {
    let webs = |(d, s): &(Reg, Reg)| d.virt().is_some() && s.virt().is_some();
    inst.as_copy().filter(|_| !inst.keeps_destination()).filter(webs)
}

fn one_in_place<I: Isa>(code: &Code<I>, body: &Body<I>) -> Option<Body<I>> {
    let n = body.ops.len();
    let setters = flag_setters(&body.ops, n);
    let effects = effects(code, &body.ops);
    for back in 0..n {
        let Some((x, y)) = plain_copy(&body.ops[back]) else { continue };
        let Some(there) = (0..back).find(|&i| plain_copy(&body.ops[i]) == Some((y, x))) else { continue };
        let touches = |i: usize, r: Reg| body.ops[i].def() == Some(r) || body.ops[i].reads().any(|o| o == r);
        let web = &body.webs[y.virt()? as usize];
        let writes_x = (0..n).any(|i| i != back && body.ops[i].def() == Some(x));
        let y_elsewhere = (0..there).chain(back + 1..n).any(|i| touches(i, y));
        if writes_x || y_elsewhere || web.live_in.is_some() || web.live_out {
            continue;
        }
        // Readers of the old value, with what they depend on, go before the copy.
        let mut first = vec![false; n];
        for i in (there + 1..back).rev() {
            let for_later = (i + 1..back).any(|j| first[j] && depend(&effects, i, j));
            first[i] = for_later || body.ops[i].reads().any(|r| r == x);
        }
        let early = (0..n).filter(|&i| i < there || first[i]);
        let late = (there..n).filter(|&i| !first[i]);
        let order: Vec<usize> = early.chain(late).collect();
        let moves_test = order.iter().position(|&i| Some(i) == body.ops.iter().rposition(|o| o.sets_flags()));
        if body.branch_at != n || moves_test.is_none() || !is_legal(body, &effects, &order, &setters) {
            continue;
        }
        let last_setter = |order: &[usize]| order.iter().rev().find(|&&i| body.ops[i].sets_flags()).copied();
        if last_setter(&order) != body.ops.iter().rposition(|o| o.sets_flags()) {
            continue;
        }
        let kept = order.iter().filter(|&&i| i != there && i != back);
        let mut ops: Vec<I::Inst> = kept.map(|&i| body.ops[i]).collect();
        let (from, to) = (y.virt()? as usize, x.virt()? as usize);
        ops.iter_mut().for_each(|i| rename(i, |w| if w == from { to } else { w }));
        let mut out = Body { branch_at: ops.len(), ops, ..body.clone() };
        out.webs[to].quick |= web.quick;
        out.webs[from].quick = false;
        return Some(out);
    }
    None
}

/// The body in which the late readers of a value that lives for long read a copy: a register holds the value of one
/// iteration, so that the next one could not start before the last reader.
pub fn with_late_copy<I: Isa>(body: &Body<I>) -> Option<Body<I>> {
    let n = body.ops.len();
    let mut best: Option<(usize, usize, usize)> = None;
    for (w, web) in body.webs.iter().enumerate() {
        let this = Reg::Virt(w as u32);
        let writes: Vec<usize> = (0..n).filter(|&i| body.ops[i].def() == Some(this)).collect();
        let [write] = writes[..] else { continue };
        if web.live_in.is_some() || web.live_out || web.quick || body.ops[write].keeps_destination() {
            continue;
        }
        let mut last = write;
        for i in (write + 1..n).filter(|&i| body.ops[i].reads().any(|r| r == this)) {
            if best.is_none_or(|b| i - last > b.0) {
                best = Some((i - last, i, w));
            }
            last = i;
        }
    }
    let (gap, at, w) = best?;
    if gap < 6 {
        return None;
    }
    let mut body = body.clone();
    let copy = body.webs.len();
    body.webs.push(Web::default());
    for inst in &mut body.ops[at..] {
        rename(inst, |x| if x == w { copy } else { x });
    }
    let span = body.ops[at].span();
    body.ops.insert(at, copy_at::<I>(Reg::Virt(copy as u32), Reg::Virt(w as u32), span));
    body.branch_at += usize::from(body.branch_at > at || body.branch_at == n);
    Some(body)
}
