//! Removes what nobody needs.
//!
//! * Needs: nothing.
//! * Gives: no unused pure operation or load, no unused result of an `if`, no unused carried value, no empty counted loop.
//! * Keeps: every effect, and endless loops.
//!
//! It stands wherever other passes leave pieces behind. A value is needed if an effect, a kept condition or a needed value
//! reads it; so values that a loop only carries around for themselves go, too.
//!
//! ```kir
//! kernel @f(%p: buf<i32, w>, %n: i32) simd group=16 over=0 {
//!   %r, %s = for %i in 0..%n (%a: i32 = 0, %b: i32 = 0) {
//!     %a1 = add %a, %i
//!     %b1 = mul %b, 3
//!     yield %a1, %b1
//!   }
//!   store %p[0], %r
//! }
//! ; check: kernel @f(%p: buf<i32, w>, %n: i32) simd group=16 {
//! ; check:   %r = for %i in 0..%n (%a: i32 = 0) {
//! ; check:     %a1 = add %a, %i
//! ; check:     yield %a1
//! ; check:   }
//! ; check:   store %p[0], %r
//! ; check: }
//! ```

use crate::pass::{Facts, Pass};
use quadra_kir::{Block, Effect, Inst, Kernel, Op, Value, Values};

/// The pass.
pub const PASS: Pass = Pass {
    name: "dce",
    about: "removes what nobody uses",
    needs: Facts::VALUES,
    gives: Facts::NONE,
    run: |kernel, _| {
        run(kernel);
        Ok(())
    },
};

/// Removes dead code from `kernel`.
pub fn run(kernel: &mut Kernel) {
    let n = kernel.values.len();
    let mut needs = Needs { last: vec![NONE; n], deps: Vec::with_capacity(2 * n), live: vec![false; n] };
    let mut roots = Vec::new();
    needs.block(&kernel.body, None, &mut roots);
    while let Some(v) = roots.pop() {
        if !std::mem::replace(&mut needs.live[v.index()], true) {
            let mut at = needs.last[v.index()];
            while let Some(&(on, before)) = needs.deps.get(at as usize) {
                roots.push(on);
                at = before;
            }
        }
    }
    sweep(&mut kernel.body, &needs.live, None);
}

/// No entry of a list.
const NONE: u32 = u32::MAX;

struct Needs {
    /// What must be kept if a value is: lists in one vector, each entry with the one before it.
    last: Vec<u32>,
    deps: Vec<(Value, u32)>,
    live: Vec<bool>,
}

/// Whether an instruction may go when its results are unused.
fn is_removable(op: Op) -> bool {
    matches!(op.info().effect, Effect::Pure | Effect::Read) || op == Op::VarGet
}

/// Whether a region must be run for what it does rather than for its results.
fn acts(block: &Block) -> bool {
    block.insts.iter().any(|i| match i.op {
        Op::If | Op::For => i.regions.iter().any(acts),
        Op::Yield => false,
        Op::Break | Op::Continue | Op::Return => true,
        Op::Loop => true,
        op => !is_removable(op),
    })
}

/// As [`acts`], for the body of a counted loop: its own `break` and `continue` do nothing outside.
fn loop_acts(block: &Block) -> bool {
    block.insts.iter().any(|i| match i.op {
        Op::If => i.regions.iter().any(loop_acts),
        Op::For => i.regions.iter().any(acts),
        Op::Break | Op::Continue | Op::Yield => false,
        Op::Return | Op::Loop => true,
        op => !is_removable(op),
    })
}

impl Needs {
    fn add(&mut self, of: Value, on: Value) {
        self.deps.push((on, self.last[of.index()]));
        self.last[of.index()] = self.deps.len() as u32 - 1;
    }

    fn depend(&mut self, of: &[Value], on: &[Value]) {
        for (&v, &d) in of.iter().zip(on) {
            self.add(v, d);
        }
    }

    fn depend_all(&mut self, of: &[Value], on: &[Value]) {
        for &v in of {
            on.iter().for_each(|&d| self.add(v, d));
        }
    }

    fn block(&mut self, block: &Block, frame: Option<&Inst>, roots: &mut Vec<Value>) {
        for inst in &block.insts {
            match inst.op {
                Op::If => {
                    if inst.regions.iter().any(acts) {
                        roots.push(inst.args[0]);
                    }
                    self.depend_all(&inst.results, &inst.args);
                    for region in &inst.regions {
                        self.block(region, frame, roots);
                        if let Some(t) = region.terminator().filter(|t| t.op == Op::Yield) {
                            self.depend(&inst.results, &t.args);
                        }
                    }
                }
                Op::For | Op::Loop => self.repeat(inst, roots),
                Op::Break => {
                    if let Some(f) = frame {
                        self.depend(&f.results, &inst.args);
                    }
                }
                Op::Continue => self.carry(frame, &inst.args),
                Op::Yield if frame.is_some_and(|f| f.op == Op::For && std::ptr::eq(&f.regions[0], block)) => {
                    self.carry(frame, &inst.args);
                }
                Op::Yield | Op::Return => {}
                op if is_removable(op) => {
                    self.depend_all(&inst.results, &inst.args);
                    if let Some(mask) = inst.mask {
                        self.depend_all(&inst.results, &[mask]);
                    }
                }
                _ => roots.extend(inst.uses()),
            }
        }
    }

    fn carry(&mut self, frame: Option<&Inst>, args: &[Value]) {
        if let Some(f) = frame {
            let skip = usize::from(f.op == Op::For);
            self.depend(&f.regions[0].params[skip..], args);
        }
    }

    fn repeat(&mut self, inst: &Inst, roots: &mut Vec<Value>) {
        let body = &inst.regions[0];
        let skip = usize::from(inst.op == Op::For);
        if skip == 1 {
            let bounds = inst.args[..3].to_vec();
            self.depend_all(&body.params, &bounds);
            self.depend_all(&inst.results, &bounds);
            // Both stay or both go, so a carried value that stays needs what a `break` gives in its place, too.
            self.depend(&inst.results, &body.params[1..]);
            self.depend(&body.params[1..], &inst.results);
            if loop_acts(body) {
                roots.extend(bounds);
            }
        }
        self.depend(&body.params[skip..], inst.carried());
        // The conditions under which a loop is left decide its results.
        let mut conditions = Vec::new();
        exit_conditions(body, &mut conditions);
        self.depend_all(&inst.results, &conditions);
        self.depend_all(&body.params, &conditions);
        self.block(body, Some(inst), roots);
    }
}

/// The conditions of the `if`s that hold an exit of the surrounding loop.
fn exit_conditions(block: &Block, out: &mut Vec<Value>) {
    for inst in &block.insts {
        if inst.op == Op::If && inst.regions.iter().any(leaves) {
            out.push(inst.args[0]);
            inst.regions.iter().for_each(|r| exit_conditions(r, out));
        }
    }
}

/// Whether an `if`'s region holds an exit of the surrounding loop.
fn leaves(region: &Block) -> bool {
    [Op::Break, Op::Continue, Op::Return].iter().any(|op| region.exits(*op) > 0)
}

fn keep(items: &mut Values, kept: &[bool]) {
    let mut kept = kept.iter();
    items.retain(|_| kept.next().copied().unwrap_or(true));
}

/// Which of a loop's values stay, for its exits: results and carried values.
#[derive(Clone, Copy)]
struct Kept<'a> {
    results: &'a [bool],
    carried: &'a [bool],
    is_for: bool,
}

fn sweep(block: &mut Block, live: &[bool], frame: Option<Kept<'_>>) {
    let alive = |v: &Value| live[v.index()];
    block.insts.retain_mut(|inst| match inst.op {
        Op::If => {
            let kept: Vec<bool> = inst.results.iter().map(alive).collect();
            if !kept.contains(&true) && !inst.regions.iter().any(acts) {
                return false;
            }
            for region in &mut inst.regions {
                sweep(region, live, frame);
                if let Some(t) = region.insts.last_mut().filter(|t| t.op == Op::Yield) {
                    keep(&mut t.args, &kept);
                }
            }
            keep(&mut inst.results, &kept);
            true
        }
        Op::For | Op::Loop => {
            let is_for = inst.op == Op::For;
            if is_for && !inst.results.iter().any(alive) && !loop_acts(&inst.regions[0]) {
                return false;
            }
            let skip = usize::from(is_for);
            let mut carried: Vec<bool> = inst.regions[0].params[skip..].iter().map(alive).collect();
            let mut results: Vec<bool> = inst.results.iter().map(alive).collect();
            if is_for {
                // A counted loop's results are its carried values: both stay or both go.
                carried.iter_mut().zip(&mut results).for_each(|(c, r)| {
                    *c |= *r;
                    *r = *c;
                });
            }
            let all: Vec<bool> = std::iter::repeat_n(true, skip).chain(carried.iter().copied()).collect();
            keep(&mut inst.regions[0].params, &all);
            let args: Vec<bool> = std::iter::repeat_n(true, skip * 3).chain(carried.iter().copied()).collect();
            keep(&mut inst.args, &args);
            keep(&mut inst.results, &results);
            sweep(&mut inst.regions[0], live, Some(Kept { results: &results, carried: &carried, is_for }));
            if is_for && let Some(t) = inst.regions[0].insts.last_mut().filter(|t| t.op == Op::Yield) {
                keep(&mut t.args, &carried);
            }
            true
        }
        Op::Break => {
            if let Some(f) = frame {
                keep(&mut inst.args, if f.is_for { f.carried } else { f.results });
            }
            true
        }
        Op::Continue => {
            if let Some(f) = frame {
                keep(&mut inst.args, f.carried);
            }
            true
        }
        op if is_removable(op) => inst.results.iter().any(alive),
        _ => true,
    });
}
