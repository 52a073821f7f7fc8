//! Moves what a loop computes anew each time, to the same result, in front of it.
//!
//! * Needs: a SIMD kernel without variables.
//! * Gives: no pure operation at the top of a loop's body has only operands from outside; no load or assertion either, if the loop
//!   surely executes it and writes nothing. No load passes an assertion: its index may lie inside because of what is asserted.
//!   Sums of integers are regrouped, so that what is known outside is added outside.
//! * Keeps: everything else, in order. A vote is pure here, because its mask says who votes.
//!
//! It stands behind `mask`, because only there does it know that a loop's body is run by all lanes, and again behind
//! `legalize`, whose pieces are often invariant though the whole was not. Operations inside an `if` of the loop stay: they
//! may be run seldom or never.
//!
//! ```kir
//! kernel @f(%p: buf<i32, w>, %x: i32, %n: i32) simd group=16 over=0 {
//!   for %i in 0..%n {
//!     %a = mul %x, %x
//!     %b = add %a, %i
//!     store %p[%b], %i
//!   }
//! }
//! ; check: kernel @f(%p: buf<i32, w>, %x: i32, %n: i32) simd group=16 {
//! ; check:   %a = mul %x, %x
//! ; check:   for %i in 0..%n {
//! ; check:     %b = add %a, %i
//! ; check:     store %p[%b], %i
//! ; check:   }
//! ; check: }
//! ```

use crate::cse::changes_memory;
use crate::pass::{Facts, Pass};
use quadra_base::quick::{Map, Set};
use quadra_kir::{Block, Elem, Inst, Kernel, Level, Mode, Op, Value, Values};

/// The pass.
pub const PASS: Pass = Pass {
    name: "licm",
    about: "moves invariant computations out of loops",
    needs: Facts::VALUES.and(Facts::SIMD),
    gives: Facts::NONE,
    run: |kernel, _| {
        run(kernel);
        Ok(())
    },
};

/// Hoists from all loops of `kernel`, innermost first.
pub fn run(kernel: &mut Kernel) {
    if kernel.level != Level::Simd {
        return;
    }
    kernel.rewrite(block);
}

fn block(kernel: &mut Kernel, b: &mut Block) {
    // What moves in front of each loop: most blocks keep their instructions where they are.
    let mut moved: Vec<(usize, Vec<Inst>)> = Vec::new();
    for (at, inst) in b.insts.iter_mut().enumerate().filter(|(_, i)| !i.regions.is_empty()) {
        inst.regions.iter_mut().for_each(|r| block(kernel, r));
        if matches!(inst.op, Op::For | Op::Loop) {
            let mut out = Vec::new();
            hoist(kernel, inst, &mut out);
            moved.extend((!out.is_empty()).then_some((at, out)));
        }
    }
    for (at, insts) in moved.into_iter().rev() {
        b.insts.splice(at..at, insts);
    }
}

/// Moves the invariant instructions of a loop's body to `out`, in order.
fn hoist(kernel: &mut Kernel, inst: &mut Inst, out: &mut Vec<Inst>) {
    let surely = runs(kernel, inst);
    let body = &mut inst.regions[0];
    let reads_same = !body.any(&mut |i| changes_memory(i.op));
    let mut inside: Set<Value> = body.params.iter().copied().collect();
    inside.reserve(body.insts.len());
    // Up to the first way out, everything is executed at least once if the loop is; what may stop the launch is a way out.
    let mut reached = surely;
    let mut sums = Map::default();
    body.insts.retain_mut(|i| {
        if i.op == Op::Add && kernel.ty(i.result()).elem == Elem::I32 {
            regroup(kernel, i, &inside, &sums, out);
            sums.insert(i.result(), (i.args[0], i.args[1]));
        }
        let invariant = i.uses().all(|v| !inside.contains(&v));
        let movable = match i.op {
            Op::Load | Op::LoadRow | Op::Assert => reached && reads_same,
            op => op.is_pure(),
        };
        if invariant && movable {
            out.push(std::mem::replace(i, Inst::new(Op::Comment, [])));
            return false;
        }
        inside.extend(&i.results);
        reached &= !leaves(i) && !stops(i);
        true
    });
}

/// (x + y) + z with only y from inside the loop is (x + z) + y, the first sum of which moves out.
fn regroup(
    kernel: &mut Kernel,
    i: &mut Inst,
    inside: &Set<Value>,
    sums: &Map<Value, (Value, Value)>,
    out: &mut Vec<Inst>,
) {
    let split = |a: Value, b: Value| match (inside.contains(&a), inside.contains(&b)) {
        (true, false) => Some((a, b)),
        (false, true) => Some((b, a)),
        _ => None,
    };
    let Some((sum, z)) = split(i.args[0], i.args[1]) else { return };
    let Some((y, x)) = sums.get(&sum).and_then(|&(a, b)| split(a, b)) else { return };
    let lanes = kernel.ty(x).lanes || kernel.ty(z).lanes;
    let mut outer = Inst::new(Op::Add, [x, z]).at(i.span);
    let v = kernel.new_value(kernel.ty(x).with_lanes(lanes));
    outer.results = Values::from_slice(&[v]);
    out.push(outer);
    i.args = Values::from_slice(&[v, y]);
}

/// Whether the loop's body is run at least once.
fn runs(kernel: &Kernel, inst: &Inst) -> bool {
    if inst.op == Op::Loop {
        return true;
    }
    match (kernel.as_i32(inst.args[0]), kernel.as_i32(inst.args[1]), kernel.as_i32(inst.args[2])) {
        (Some(lo), Some(hi), Some(step)) => {
            if step < 0 {
                lo > hi
            } else {
                lo < hi
            }
        }
        _ => false,
    }
}

/// Whether control may go elsewhere than behind the instruction; loops inside count, because they may not end.
fn leaves(inst: &Inst) -> bool {
    matches!(inst.op, Op::Loop | Op::Break | Op::Continue | Op::Return)
        || inst.regions.iter().any(|r| r.insts.iter().any(leaves))
}

/// Whether an instruction may end the launch, or shows something before it may end.
fn stops(inst: &Inst) -> bool {
    let tested = inst.buf.is_some() && inst.op != Op::Dim && inst.mode != Mode::Inside;
    tested || matches!(inst.op, Op::Assert | Op::Print) || inst.regions.iter().any(|r| r.insts.iter().any(stops))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::{check, parse, print};

    fn hoisted(body: &str) -> String {
        let text = format!(
            "kernel @k(%p: buf<i32, rw>, %q: buf<i32, rw>, %x: i32, %n: i32) simd group=16 over=0 {{\n{body}\n}}"
        );
        let mut k = parse::kernel("t.kir", &text).expect("the test's kernel parses");
        run(&mut k);
        assert_eq!(check::kernel(&k), []);
        print::kernel(&k)
    }

    fn line(out: &str, what: &str) -> usize {
        out.lines().position(|l| l.contains(what)).unwrap_or_else(|| panic!("`{what}` in {out}"))
    }

    #[test]
    fn chains_leave_nested_loops() {
        let out = hoisted(
            "for %i in 0..%n { for %j in 0..%n { %a = add %x, 1 %b = mul %a, %a %c = add %b, %j store %p[%c], %i } }",
        );
        assert!(line(&out, "mul") < line(&out, "for %i") && line(&out, "%c = add") > line(&out, "for %j"), "{out}");
    }

    #[test]
    fn loads_leave_only_loops_that_surely_run_and_write_nothing() {
        let first = |body: &str| {
            let out = hoisted(body);
            line(&out, "load") < line(&out, "for")
        };
        assert!(first(
            "%r = for %i in 0..4 (%a: i32 = 0) { %v = load %p[%x] %b = add %a, %v yield %b } store %q[0], %r"
        ));
        assert!(!first(
            "%r = for %i in 0..%n (%a: i32 = 0) { %v = load %p[%x] %b = add %a, %v yield %b } store %q[0], %r"
        ));
        assert!(!first("for %i in 0..4 { %v = load %p[%x] store %q[%i], %v }"));
    }

    /// The index lies inside because of the assertion, however the load is marked.
    #[test]
    fn loads_stay_behind_assertions_that_stay() {
        let first = |what: &str, head: &str| {
            let out = hoisted(&format!(
                "{head}(%a: i32 = 0) {{ %c = cmp.lt.u %x, %n %d = cmp.lt.u %a, %n {what} %v = load.inside %p[%x] %b = add %a, %v yield %b }} \
                 store %q[0], %r"
            ));
            line(&out, "load") < line(&out, "for")
        };
        let head = "%r = for %i in 0..4 ";
        assert!(first("", head) && first("assert \"x\", %c", head), "what is invariant goes along");
        assert!(!first("assert \"x\", %d", head));
        assert!(!first("if %d { assert \"x\", %c }", head));
        assert!(!first("%o = load %p[%i]", head), "which may be the fault that is reported");
        assert!(!first("", "%r = for %i in 0..%n "));
    }
}
