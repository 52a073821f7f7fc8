//! Fewer assertions: what a statement's parts assert under the same mask is asserted once, behind the last of them.
//!
//! A sum of nine integers asserts eight times that nothing has wrapped, and each time lanes become a mask, the mask a word, and the
//! word a branch. A launch that fails leaves nothing behind, so that it may do so later; but an index may have been proved to lie
//! inside because of what was asserted, so nothing in between may find elements with values that the assertions are about. Assertions
//! of other lines stay apart: a failure names its place.
//!
//! ```kir
//! %c = cmp.ge %x, 0  assert "integer overflow", %c    …    %d = cmp.ge %y, 0  assert "integer overflow", %d    ; before
//! ```
//! ```kir
//! …    %z = or %x, %y  %d = cmp.ge %z, 0  assert "integer overflow", %d                                        ; after
//! ```

use quadra_base::FileId;
use quadra_kir::{Block, Const, Inst, Kernel, Op, Value, Values};
use std::collections::{HashMap, HashSet};

/// Merges the assertions of vectors in each block.
pub(crate) fn merge(kernel: &mut Kernel) {
    let mut asserts = 0;
    kernel.body.walk(&mut |i| asserts += usize::from(i.op == Op::Assert));
    if asserts < 2 {
        return;
    }
    let mut made: HashMap<Value, Inst> = HashMap::new();
    kernel.body.walk(&mut |i| {
        if i.regions.is_empty() {
            made.extend(i.results.iter().map(|&r| (r, i.clone())));
        }
    });
    kernel.rewrite(|kernel, body| block(kernel, &made, body));
}

fn block(kernel: &mut Kernel, made: &HashMap<Value, Inst>, b: &mut Block) {
    b.insts.iter_mut().flat_map(|i| &mut i.regions).for_each(|r| block(kernel, made, r));
    let mut at = 0;
    while at < b.insts.len() {
        let group = group(kernel, made, &b.insts, at);
        match group.as_slice() {
            [_, .., last] => {
                let last = *last;
                one(kernel, made, b, &group);
                at = last + 1 - (group.len() - 1);
            }
            _ => at += 1,
        }
    }
}

/// The vector of integers that an assertion finds not to be negative.
fn signs(kernel: &Kernel, made: &HashMap<Value, Inst>, inst: &Inst) -> Option<Value> {
    let told = inst.args.first().filter(|_| inst.op == Op::Assert)?;
    let test = made.get(told).filter(|t| t.op == Op::CmpGe)?;
    let zero = kernel.as_const(test.args[1]).is_some_and(|c| c.bits == 0);
    let ty = kernel.ty(test.args[0]);
    (zero && ty.lanes && ty.elem.is_int()).then_some(test.args[0])
}

/// Assertions from this one on that one can stand for, by their places.
fn group(kernel: &Kernel, made: &HashMap<Value, Inst>, insts: &[Inst], first: usize) -> Vec<usize> {
    let begin = &insts[first];
    let Some(own) = signs(kernel, made, begin) else { return Vec::new() };
    let (mut about, mut found) = (HashSet::new(), vec![first]);
    asserted(made, own, &mut about);
    for (n, inst) in insts.iter().enumerate().skip(first + 1) {
        let finds = inst.buf.is_some() && inst.op != Op::Dim && inst.args.first().is_some_and(|v| about.contains(v));
        if !inst.regions.is_empty() || finds || inst.op.is_terminator() {
            break;
        }
        if inst.op == Op::Assert {
            let same = (inst.mask, &inst.text, line(inst)) == (begin.mask, &begin.text, line(begin));
            match signs(kernel, made, inst).filter(|&v| same && kernel.ty(v) == kernel.ty(own)) {
                Some(v) => {
                    asserted(made, v, &mut about);
                    found.push(n);
                }
                None => break,
            }
        } else if inst.uses().any(|v| about.contains(&v)) {
            about.extend(&inst.results);
        }
    }
    found
}

/// Where an instruction's statement is: its parts stand in one line.
fn line(inst: &Inst) -> Option<(FileId, u32)> {
    inst.span.map(|s| (s.file, s.line))
}

/// What a test is about: the operands of its operations on bits.
fn asserted(made: &HashMap<Value, Inst>, v: Value, to: &mut HashSet<Value>) {
    if to.insert(v)
        && let Some(inst) = made.get(&v).filter(|i| matches!(i.op, Op::And | Op::Or | Op::Xor | Op::AndNot))
    {
        inst.args.iter().for_each(|&a| asserted(made, a, to));
    }
}

fn one(kernel: &mut Kernel, made: &HashMap<Value, Inst>, b: &mut Block, group: &[usize]) {
    let words: Vec<Value> = group.iter().filter_map(|&n| signs(kernel, made, &b.insts[n])).collect();
    let last = group[group.len() - 1];
    let ty = kernel.ty(words[0]);
    let span = b.insts[last].span;
    let mut new = Vec::new();
    let mut make = |kernel: &mut Kernel, op: Op, x: Value, y: Value| {
        let result = kernel.new_value(if op == Op::Or { ty } else { ty.with_elem(quadra_kir::Elem::Bool) });
        let mut inst = Inst::new(op, [x, y]).at(span);
        inst.results = Values::from_slice(&[result]);
        new.push(inst);
        result
    };
    let all = words[1..].iter().fold(words[0], |all, &word| make(kernel, Op::Or, all, word));
    let zero = kernel.constant(Const::zero(ty.elem));
    b.insts[last].args[0] = make(kernel, Op::CmpGe, all, zero);
    b.insts.splice(last..last, new);
    for &n in group[..group.len() - 1].iter().rev() {
        b.insts.remove(n);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_base::Span;

    /// The assertions that are left of a body over integers.
    fn left(body: &str) -> usize {
        left_of(body, 1)
    }

    /// The same, if what stands in later lines stands in this one.
    fn left_of(body: &str, line: u32) -> usize {
        let text = format!(
            "kernel @k(%a: buf<i32, r>, %b: buf<i32, rw>) simd group=16 over=1 {{ %g = group 0 %i = shl %g, 4 {body} }}"
        );
        let mut kernel =
            quadra_kir::parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel parses");
        // Each part has a column of its own.
        kernel.body.walk_mut(&mut |i| i.span = i.span.map(|s| Span { line: s.line.min(line), ..s }));
        merge(&mut kernel);
        assert!(quadra_kir::check::kernel(&kernel).is_empty());
        let mut many = 0;
        kernel.body.walk(&mut |i| many += usize::from(i.op == Op::Assert));
        many
    }

    const SUM: &str =
        "%x = load.row %a[%i] %y = load.row %b[%i] %s = add %x, %y %p = xor %x, %s %q = xor %y, %s %o = and %p, %q
        %c = cmp.ge %o, 0 assert \"wraps\", %c";

    #[test]
    fn a_statement_asserts_once() {
        let again = "%j = add %i, 16 %z = load.row %a[%j] %t = add %s, %z %u = xor %s, %t %v = xor %z, %t %w = and %u, %v %d = cmp.ge %w, 0";
        assert_eq!(left(&format!("{SUM} {again} assert \"wraps\", %d store.row %b[%i], %t")), 1);
        assert_eq!(left(&format!("{SUM} {again} assert \"is large\", %d store.row %b[%i], %t")), 2, "another text");
        assert_eq!(
            left(&format!("%l = lane %m = cmp.lt %l, 5 {SUM} {again} assert \"wraps\", %d if %m store.row %b[%i], %t")),
            2
        );
        let lines = format!("{SUM}\n{again} assert \"wraps\", %d store.row %b[%i], %t");
        assert_eq!((left_of(&lines, 1), left_of(&lines, 9)), (1, 2), "another line");
    }

    #[test]
    fn what_finds_elements_is_asserted_before() {
        let again =
            "%z = load.inside %a[%s] %t = add %s, %z %u = xor %s, %t %v = xor %z, %t %w = and %u, %v %d = cmp.ge %w, 0";
        assert_eq!(left(&format!("{SUM} {again} assert \"wraps\", %d store.row %b[%i], %t")), 2);
        let branch = "%l = lane %m = cmp.lt %i, 5 if %m { store.row %b[%i], %s }";
        let again =
            "%z = load.row %a[%i] %t = add %s, %z %u = xor %s, %t %v = xor %z, %t %w = and %u, %v %d = cmp.ge %w, 0";
        assert_eq!(left(&format!("{SUM} {branch} {again} assert \"wraps\", %d store.row %b[%i], %t")), 2);
    }
}
