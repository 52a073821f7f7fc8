//! Counts once per loop: carried values that move in step are computed from one of them.
//!
//! * Needs: a SIMD kernel without variables.
//! * Gives: in each loop, integers that are carried only to have the loop's step added are sums of a value from outside and the
//!   loop's counter (the induction variable of a `for`, the first such value of a `loop`).
//! * Keeps: every value.
//!
//! It stands before `access`, which sees that a pointer of this form is a row from a scalar on, where a carried value per lane
//! would need a broadcast; and before `cse`, which finds that two pointers move together. A `for`'s result is its last
//! carried value, so a value whose result is used stays carried.
//!
//! ```kir
//! kernel @f(%x: buf<f32, rw>, %n: i32) simd group=16 over=0 {
//!   %l = lane
//!   %r = for %i in 0..%n step 16 (%p: <i32> = %l) {
//!     store %x[%p], 1.0
//!     %q = add %p, 16
//!     yield %q
//!   }
//! }
//! ; check: kernel @f(%x: buf<f32, rw>, %n: i32) simd group=16 {
//! ; check:   %l = lane
//! ; check:   for %i in 0..%n step 16 {
//! ; check:     %p = add %l, %i
//! ; check:     store %x[%p], 1.0
//! ; check:     %q = add %p, 16
//! ; check:   }
//! ; check: }
//! ```

use crate::pass::{Facts, Pass};
use quadra_base::quick::{Map, Set};
use quadra_kir::{Block, Elem, Inst, Kernel, Level, Op, Value, Values};

/// The pass.
pub const PASS: Pass = Pass {
    name: "induction",
    about: "computes what moves in step from one counter",
    needs: Facts::VALUES.and(Facts::SIMD),
    gives: Facts::NONE,
    run: |kernel, _| {
        run(kernel);
        Ok(())
    },
};

/// Rewrites the loops of `kernel`.
pub fn run(kernel: &mut Kernel) {
    if kernel.level != Level::Simd || !kernel.body.any(&mut |i| matches!(i.op, Op::For | Op::Loop)) {
        return;
    }
    let uses = kernel.use_counts();
    kernel.rewrite(|kernel, body| block(kernel, &uses, body));
}

fn block(kernel: &mut Kernel, uses: &[u32], b: &mut Block) {
    let mut out = Vec::with_capacity(b.insts.len());
    for mut inst in std::mem::take(&mut b.insts) {
        inst.regions.iter_mut().for_each(|r| block(kernel, uses, r));
        if matches!(inst.op, Op::For | Op::Loop) {
            rewrite(kernel, uses, &mut inst, &mut out);
        }
        out.push(inst);
    }
    b.insts = out;
}

/// The value that every way into the next iteration adds to each carried value, if there is one and it comes from outside.
fn steps(kernel: &Kernel, inst: &Inst) -> Vec<Option<Value>> {
    let body = &inst.regions[0];
    let skip = usize::from(inst.op == Op::For);
    let params = &body.params[skip..];
    let mut inside: Set<Value> = body.params.iter().copied().collect();
    let mut sums: Map<Value, (Value, Value)> = Map::default();
    body.walk(&mut |i| {
        inside.extend(&i.results);
        i.regions.iter().for_each(|r| inside.extend(&r.params));
        if i.op == Op::Add && kernel.ty(i.result()).elem == Elem::I32 {
            sums.insert(i.result(), (i.args[0], i.args[1]));
        }
    });
    let mut found: Vec<Option<Option<Value>>> = vec![None; params.len()];
    body.ends(&mut |end| {
        if !(end.op == Op::Continue || end.op == Op::Yield) {
            return;
        }
        for (j, v) in end.args.iter().enumerate() {
            let step = match sums.get(v) {
                Some(&(a, b)) if a == params[j] && !inside.contains(&b) => Some(b),
                Some(&(a, b)) if b == params[j] && !inside.contains(&a) => Some(a),
                _ => None,
            };
            found[j] = match found[j] {
                None => Some(step),
                Some(old) => Some(old.filter(|o| Some(*o) == step)),
            };
        }
    });
    found.into_iter().map(Option::flatten).collect()
}

/// Removes the items behind the first `lead` whose flag is set.
fn retain(items: &mut Values, gone: &[bool], lead: usize) {
    let mut at = 0;
    items.retain(|_| {
        at += 1;
        at <= lead || !gone[at - 1 - lead]
    });
}

fn rewrite(kernel: &mut Kernel, uses: &[u32], inst: &mut Inst, out: &mut Vec<Inst>) {
    let is_for = inst.op == Op::For;
    let skip = usize::from(is_for);
    let steps = steps(kernel, inst);
    let params = inst.regions[0].params[skip..].to_vec();
    // The counter: its value, where it starts, its step; and the carried value that it is.
    let (counter, start, step, own) = if is_for {
        (inst.regions[0].params[0], inst.args[0], inst.args[2], None)
    } else {
        let first = (0..params.len()).filter(|&j| steps[j].is_some()).min_by_key(|&j| kernel.ty(params[j]).lanes);
        let Some(j) = first else { return };
        (params[j], inst.args[j], steps[j].expect("it was chosen for its step"), Some(j))
    };
    let lanes = kernel.ty(counter).lanes;
    let gone: Vec<bool> = (0..params.len())
        .map(|j| {
            let used = is_for && uses[inst.results[j].index()] > 0;
            let sum_lanes = lanes || kernel.ty(inst.carried()[j]).lanes || kernel.ty(start).lanes;
            let fits = kernel.ty(params[j]).lanes == sum_lanes;
            steps[j] == Some(step) && own != Some(j) && !used && fits
        })
        .collect();
    let mut first = Vec::new();
    for j in (0..params.len()).filter(|&j| gone[j]) {
        let init = inst.carried()[j];
        let from = if kernel.as_i32(start) == Some(0) { init } else { emit(kernel, Op::Sub, init, start, inst, out) };
        let mut sum = Inst::new(Op::Add, [from, counter]).at(inst.span);
        sum.results = Values::from_slice(&[params[j]]);
        first.push(sum);
    }
    if first.is_empty() {
        return;
    }
    retain(&mut inst.args, &gone, 3 * skip);
    if is_for {
        retain(&mut inst.results, &gone, 0);
    }
    let body = &mut inst.regions[0];
    retain(&mut body.params, &gone, skip);
    body.ends_mut(&mut |end| {
        if end.op == Op::Continue || is_for && matches!(end.op, Op::Yield | Op::Break) {
            retain(&mut end.args, &gone, 0);
        }
    });
    body.insts.splice(0..0, first);
}

fn emit(kernel: &mut Kernel, op: Op, a: Value, b: Value, at: &Inst, out: &mut Vec<Inst>) -> Value {
    let mut inst = Inst::new(op, [a, b]).at(at.span);
    let lanes = kernel.ty(a).lanes || kernel.ty(b).lanes;
    let v = kernel.new_value(kernel.ty(a).with_lanes(lanes));
    inst.results = Values::from_slice(&[v]);
    out.push(inst);
    v
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::{check, parse, print};

    fn rewritten(body: &str) -> String {
        let text =
            format!("kernel @k(%p: buf<i32, rw>, %x: i32, %n: i32) simd group=16 over=0 {{\n%l = lane\n{body}\n}}");
        let mut k = parse::kernel("t.kir", &text).expect("the test's kernel parses");
        run(&mut k);
        assert_eq!(check::kernel(&k), []);
        print::kernel(&k)
    }

    #[test]
    fn pointers_follow_the_counter() {
        let out =
            rewritten("%r = for %i in 0..%n step 16 (%q: <i32> = %l) { store %p[%q], %i %s = add %q, 16 yield %s }");
        assert!(out.contains("for %i in 0..%n step 16 {") && out.contains("%q = add %l, %i"), "{out}");
    }

    #[test]
    fn a_result_that_is_used_stays_carried() {
        let out = rewritten(
            "%r = for %i in 0..%n step 16 (%q: i32 = %x) { store %p[%q], %i %s = add %q, 16 yield %s } store %p[0], %r",
        );
        assert!(out.contains("(%q: i32 = %x)"), "{out}");
    }

    #[test]
    fn values_of_a_loop_follow_the_first_scalar() {
        let out = rewritten(
            "loop (%a: <i32> = %l, %b: i32 = 3, %c: i32 = %x) {
               %e = cmp.ge %b, %n if %e { break } store %p[%a], %c
               %a1 = add %a, 4 %b1 = add %b, 4 %c1 = add %c, 5 continue %a1, %b1, %c1
             }",
        );
        assert!(out.contains("loop (%b: i32 = 3, %c: i32 = %x)") && out.contains("sub %l, 3"), "{out}");
    }
}
