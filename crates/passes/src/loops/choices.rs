//! Loops that index an item's small arrays become their iterations.
//!
//! * Needs: a kernel without variables, at either level.
//! * Gives: of counted loops of few iterations whose counters choose among values only their iterations are left, and of the
//!   choices the values.
//! * Keeps: everything that the kernel computes.
//!
//! Front ends keep an item's small arrays (`v = zeros(9)`) as one value an element. An element at a constant index costs
//! nothing; at any other, it is compared with every index. So sorting nine elements by two loops takes ten times what the
//! comparisons themselves take, unless the loops are written out.
//!
//! ```text
//! for %i in 0..2 { %c = cmp.eq %i, 1  %v = select %c, %b, %a … }        ; before
//! ```
//! ```text
//! … %a … %b                                                             ; after
//! ```

use crate::pass::{Facts, Pass};
use crate::{cse, dce, fold, unfold};
use quadra_base::quick::{Map, Set};
use quadra_kir::{Kernel, Op, Value};

/// The pass.
pub const PASS: Pass = Pass {
    name: "choices",
    about: "repeats loops whose counters choose among values",
    needs: Facts::VALUES,
    gives: Facts::NONE,
    run: |kernel, _| {
        run(kernel);
        Ok(())
    },
};

/// Fewer choices do not pay for the copies.
const LEAST_CHOICES: usize = 3;
/// The most instructions that a loop's iterations have in all, before they are folded.
const MOST_INSTS: usize = 10_000;
/// The most instructions that a kernel may have in the end: more are as slow to compile and to fetch as the choices.
const MOST_LEFT: usize = 1200;
/// How deep loops are nested whose bounds are the counters of others.
const ROUNDS: usize = 4;

/// Unfolds loops whose counters choose.
pub fn run(kernel: &mut Kernel) {
    let before = kernel.clone();
    for round in 0..ROUNDS {
        let counters = counters(kernel);
        let wanted = !counters.is_empty()
            && unfold::run_where(kernel, MOST_INSTS, &|inst| counters.contains(&inst.regions[0].params[0]));
        if !wanted {
            if round == 0 {
                return;
            }
            break;
        }
        fold::run(kernel);
        cse::run(kernel);
        dce::run(kernel);
    }
    if kernel.body.count() > MOST_LEFT.max(before.body.count()) {
        *kernel = before;
    }
}

/// The counters of loops that choose among values: such values are compared with constants for them.
fn counters(kernel: &Kernel) -> Set<Value> {
    // Of which counters, and constants, a value is made.
    let mut made: Map<Value, Vec<Value>> = Map::default();
    let mut choosing: Map<Value, usize> = Map::default();
    let mut compared: Map<Value, Vec<Value>> = Map::default();
    kernel.body.walk(&mut |i| match i.op {
        Op::For => {
            let counter = i.regions[0].params[0];
            made.insert(counter, vec![counter]);
        }
        Op::Add | Op::Sub | Op::Mul | Op::Shl => {
            let mut of = Vec::new();
            for &a in &i.args {
                match made.get(&a) {
                    Some(counters) => of.extend(counters),
                    None if kernel.as_i32(a).is_some() => {}
                    None => return,
                }
            }
            made.insert(i.result(), of);
        }
        Op::CmpEq => {
            let constant = i.args.iter().any(|&a| kernel.as_i32(a).is_some());
            if let Some(of) = i.args.iter().find_map(|a| made.get(a)).filter(|_| constant) {
                compared.insert(i.result(), of.clone());
            }
        }
        Op::Select => {
            for &counter in compared.get(&i.args[0]).into_iter().flatten() {
                *choosing.entry(counter).or_default() += 1;
            }
        }
        _ => {}
    });
    choosing.into_iter().filter(|c| c.1 >= LEAST_CHOICES).map(|c| c.0).collect()
}
