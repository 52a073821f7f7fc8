//! The order of a loop's operations before they get times, where it binds later: what sets flags keeps its order, and a
//! value keeps its register until its last reader.

use super::body::{Body, Web, rename};
use crate::minst::{Code, MInst, Oper, Reg, Rotate, Src};
use crate::schedule::deps::{self, Queue};

/// The body with the operations that the branch depends on as early as they may be: what sets flags keeps its order, so a
/// test at the end would keep every iteration behind the last comparison of the one before.
pub fn early_test(code: &Code, body: &Body) -> Body {
    let n = body.ops.len();
    let Some(test) = body.ops.iter().rposition(|i| i.sf) else { return body.clone() };
    let setters = flag_setters(&body.ops, n);
    if body.ops[test].keeps_destination() || setters.iter().zip(&body.ops).any(|(s, i)| reads_flags(i) && s.is_none()) {
        return body.clone();
    }
    let slice = slice(&body.ops, test);
    for k in 0..test {
        let (mut order, rest): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| i < k || slice[i]);
        // Operations of the slice that stand before `k` keep their places.
        order.sort_by_key(|&i| i);
        let branch_at = order.len();
        order.extend(rest);
        if order.iter().enumerate().all(|(at, i)| at == *i) {
            return body.clone();
        }
        let asks = order[..branch_at].iter().rev().find(|&&o| body.ops[o].sf) == Some(&test);
        if asks && is_legal(code, body, &order, &setters) {
            let ops = order.iter().map(|&i| body.ops[i]).collect();
            return Body { ops, branch_at, ..body.clone() };
        }
    }
    body.clone()
}

fn reads_flags(inst: &MInst) -> bool {
    inst.cond.is_conditional()
}

/// Per operation, the last one before it that sets flags.
fn flag_setters(ops: &[MInst], n: usize) -> Vec<Option<usize>> {
    (0..n).map(|i| ops[..i].iter().rposition(|o| o.sf)).collect()
}

/// The test, and what it is computed from in the same iteration.
fn slice(ops: &[MInst], test: usize) -> Vec<bool> {
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

/// Whether the operations do the same in this order.
fn is_legal(code: &Code, body: &Body, order: &[usize], setters: &[Option<usize>]) -> bool {
    let ops = &body.ops;
    for (at, &i) in order.iter().enumerate() {
        for &j in &order[at + 1..] {
            // `i` now stands before `j`; it used to stand behind it.
            if j < i && depend(code, &ops[j], &ops[i]) {
                return false;
            }
        }
        if reads_flags(&ops[i]) && order[..at].iter().rev().find(|&&o| ops[o].sf).copied() != setters[i] {
            return false;
        }
    }
    true
}

fn depend(code: &Code, first: &MInst, second: &MInst) -> bool {
    let sets = |inst: &MInst| deps::writes(inst, [Queue::Open; 2]);
    let (w1, w2) = (sets(first), sets(second));
    let (r1, r2) = (deps::reads(code, first), deps::reads(code, second));
    let meet = |a: &[usize], b: &[usize]| a.iter().any(|x| *x != deps::FLAGS && b.contains(x));
    meet(&w1, &r2) || meet(&r1, &w2) || meet(&w1, &w2)
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
pub fn in_place(code: &Code, body: &Body) -> Body {
    let mut body = body.clone();
    while let Some(next) = one_in_place(code, &body) {
        body = next;
    }
    body
}

fn plain_copy(inst: &MInst) -> Option<(Reg, Reg)> {
    let plain = inst.op == Oper::Mov && !inst.keeps_destination() && !inst.sf && inst.rotate == Rotate::None;
    match (plain, inst.def(), inst.src[0]) {
        (true, Some(d @ Reg::Virt(_)), Some(Src::Reg(s @ Reg::Virt(_)))) => Some((d, s)),
        _ => None,
    }
}

fn one_in_place(code: &Code, body: &Body) -> Option<Body> {
    let n = body.ops.len();
    let setters = flag_setters(&body.ops, n);
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
            let for_later = (i + 1..back).any(|j| first[j] && depend(code, &body.ops[i], &body.ops[j]));
            first[i] = for_later || body.ops[i].reads().any(|r| r == x);
        }
        let early = (0..n).filter(|&i| i < there || first[i]);
        let late = (there..n).filter(|&i| !first[i]);
        let order: Vec<usize> = early.chain(late).collect();
        let moves_test = order.iter().position(|&i| Some(i) == body.ops.iter().rposition(|o| o.sf));
        if body.branch_at != n || moves_test.is_none() || !is_legal(code, body, &order, &setters) {
            continue;
        }
        let last_setter = |order: &[usize]| order.iter().rev().find(|&&i| body.ops[i].sf).copied();
        if last_setter(&order) != body.ops.iter().rposition(|o| o.sf) {
            continue;
        }
        let kept = order.iter().filter(|&&i| i != there && i != back);
        let mut ops: Vec<MInst> = kept.map(|&i| body.ops[i]).collect();
        let (from, to) = (y.virt()? as usize, x.virt()? as usize);
        ops.iter_mut().for_each(|i| rename(i, |w| if w == from { to } else { w }));
        let mut out = Body { branch_at: ops.len(), ops, ..body.clone() };
        out.webs[to].rotated |= web.rotated;
        out.webs[from].rotated = false;
        return Some(out);
    }
    None
}

/// The body in which the late readers of a value that lives for long read a copy: a register holds the value of one
/// iteration, so that the next one could not start before the last reader.
pub fn with_late_copy(body: &Body) -> Option<Body> {
    let n = body.ops.len();
    let mut best: Option<(usize, usize, usize)> = None;
    for (w, web) in body.webs.iter().enumerate() {
        let this = Reg::Virt(w as u32);
        let writes: Vec<usize> = (0..n).filter(|&i| body.ops[i].def() == Some(this)).collect();
        let [write] = writes[..] else { continue };
        if web.live_in.is_some() || web.live_out || web.rotated || body.ops[write].keeps_destination() {
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
    let home = None;
    body.webs.push(Web { home, live_in: None, live_out: false, invariant: false, rotated: false });
    for inst in &mut body.ops[at..] {
        rename(inst, |x| if x == w { copy } else { x });
    }
    let span = body.ops[at].span;
    body.ops.insert(at, MInst { span, ..MInst::mov(Reg::Virt(copy as u32), Reg::Virt(w as u32)) });
    body.branch_at += usize::from(body.branch_at > at || body.branch_at == n);
    Some(body)
}
