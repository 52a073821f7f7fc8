//! Predicated loop-carried values: a lane that has left a loop keeps what the loop goes on with, and so leaves it again in every
//! iteration that other lanes still need.
//!
//! * Needs: SIMD level.
//! * Gives: loops that carry no set of live lanes and no results of lanes that have left, where that is not dearer.
//! * Keeps: what every lane of the loop computes, and the number of iterations.
//!
//! For targets whose writes are conditional at no cost. It stands before whatever else looks at loops. A loop qualifies if its body
//! is pure, flat and the same computation in every lane (no votes but that of its exit, no rotations), so that a lane whose
//! carried values stay computes the same again. Then
//!
//! 1. the set of live lanes is the one that the loop was entered with;
//! 2. the carried values on which the loop's condition or a result depends take their next value only in lanes that stay;
//!    uniform ones become values per lane;
//! 3. a result that was noted when a lane left is what the last iteration computes, since all lanes leave in it.
//!
//! What a lane that has left holds must not be told from what it was: `truth` shows that a result and the value that notes it agree
//! in lanes that leave and stay as they are in lanes that have left.
//!
//! ```kir
//! kernel @f(%x: buf<i32, r>, %y: buf<i32, w>) simd group=16 over=0 {
//!   %x0 = load.row %x[0]
//!   %a = loop (%live: <bool> = true, %v: <i32> = %x0, %note: <i32> = 0) {
//!     %goes = cmp.ne %v, 1
//!     %out = andnot %live, %goes
//!     %noted = select %out, %v, %note
//!     %stay = andnot %live, %out
//!     %next = shr %v, 1
//!     %any = vote.any %stay
//!     if %any {} else { break %noted }
//!     continue %stay, %next, %noted
//!   }
//!   store.row %y[0], %a
//! }
//! ; check: kernel @f(%x: buf<i32, r>, %y: buf<i32, w>) simd group=16 {
//! ; check:   %x0 = load.row %x[0]
//! ; check:   %a = loop (%v: <i32> = %x0, %note: <i32> = 0) {
//! ; check:     %goes = cmp.ne %v, 1
//! ; check:     %out = andnot true, %goes
//! ; check:     %noted = select %out, %v, %note
//! ; check:     %stay = andnot true, %out
//! ; check:     %next = shr %v, 1
//! ; check:     %any = vote.any %stay
//! ; check:     %0 = select %goes, %next, %v
//! ; check:     %1 = vote.any %goes
//! ; check:     if %1 {} else { break %0 }
//! ; check:     continue %0, %note
//! ; check:   }
//! ; check:   store.row %y[0], %a
//! ; check: }
//! ```

mod apply;
mod cost;
mod truth;

use crate::pass::{Facts, Pass};
use quadra_base::quick::{Map, Set};
use quadra_kir::ops::Rule;
use quadra_kir::{Block, Effect, Inst, Kernel, Level, Op, Type, Value};
use truth::{Form, Truth};

/// The pass.
pub const PASS: Pass = Pass {
    name: "predicate",
    about: "lanes that have left a loop keep its values, so that no mask says who is left",
    needs: Facts::VALUES.and(Facts::SIMD),
    gives: Facts::NONE,
    run: |kernel, _| {
        run(kernel);
        Ok(())
    },
};

/// Instructions of a body up to which it is looked at: what is asked of it recurses over its operations.
const LONGEST: usize = 400;

/// Rewrites the loops of a SIMD kernel.
pub fn run(kernel: &mut Kernel) {
    if kernel.level == Level::Simd {
        kernel.rewrite(block);
    }
}

fn block(kernel: &mut Kernel, b: &mut Block) {
    let mut out = Vec::with_capacity(b.insts.len());
    for mut inst in std::mem::take(&mut b.insts) {
        inst.regions.iter_mut().for_each(|r| block(kernel, r));
        match Plan::of(kernel, &inst).filter(|plan| cost::pays(kernel, &inst, plan)) {
            Some(plan) => apply::run(kernel, inst, plan, &mut out),
            None => out.push(inst),
        }
    }
    b.insts = out;
}

/// How a loop is rewritten. Values are those of the loop as it is.
struct Plan {
    /// Where the exit stands in the body, and the vote that it asks.
    exit: usize,
    /// The parameter that holds the live lanes, and the lanes that go on after an iteration.
    live: usize,
    stay: Value,
    /// Per parameter, its next value in lanes that stay.
    next: Vec<Form>,
    /// Per parameter, whether it must keep its value in lanes that have left.
    held: Vec<bool>,
    /// Per result, what it is in lanes that leave, and the parameter that notes it.
    results: Vec<(Form, usize)>,
    /// Values that are uniform and become values per lane.
    widened: Set<Value>,
}

/// What computes the values of a body.
type Defs<'a> = Map<Value, &'a Inst>;

/// The exit of a body: where it stands, the lanes that its vote asks for, and what the loop gives then.
struct Exit<'a> {
    at: usize,
    voted: Value,
    gives: &'a [Value],
}

/// The only exit of a body that is otherwise flat and pure.
fn exit<'a>(body: &'a Block, defs: &Defs<'_>) -> Option<Exit<'a>> {
    let at = body.insts.iter().position(|i| !i.regions.is_empty())?;
    let [test] = body.insts[at].args[..] else { return None };
    let [stays, leaves] = &body.insts[at].regions[..] else { return None };
    let only = |region: &'a Block, op: Op| match &region.insts[..] {
        [last] if last.op == op => Some(&last.args[..]),
        _ => None,
    };
    let vote = defs.get(&test).filter(|i| i.op == Op::VoteAny && i.mask.is_none())?;
    let plain = |i: &Inst| {
        let rule = i.op.info().rule;
        let alone = !matches!(rule, Rule::Vote | Rule::Rotate | Rule::Broadcast);
        i.op.info().effect == Effect::Pure && i.mask.is_none() && (alone || i.results.contains(&test))
    };
    let last = body.insts.len() - 1;
    let flat = body.insts.iter().enumerate().all(|(j, i)| j == at || j == last || plain(i));
    let ends = body.insts[at].op == Op::If && body.insts[at].results.is_empty() && body.insts[last].op == Op::Continue;
    let test_alone = body.insts.iter().filter(|i| i.uses().any(|v| v == test)).count() == 1;
    if !flat || !ends || !test_alone || only(stays, Op::Yield).is_none() {
        return None;
    }
    Some(Exit { at, voted: vote.args[0], gives: only(leaves, Op::Break)? })
}

impl Plan {
    fn of(kernel: &Kernel, inst: &Inst) -> Option<Plan> {
        if inst.op != Op::Loop || inst.regions[0].insts.len() > LONGEST {
            return None;
        }
        let body = &inst.regions[0];
        let defs: Defs<'_> = body.insts.iter().flat_map(|i| i.results.iter().map(move |&r| (r, i))).collect();
        let exit = exit(body, &defs)?;
        let end = body.terminator()?;
        let truth = |known: &[(Value, bool)]| Truth::new(kernel, &defs, known);
        let live = (0..body.params.len()).find(|&p| {
            let (live, stay) = (body.params[p], end.args[p]);
            let none = truth(&[(live, false)]).of(exit.voted) == Some(false);
            let left = truth(&[(live, true), (exit.voted, false)]).of(stay) == Some(false);
            kernel.ty(live) == Type::vector(quadra_kir::Elem::Bool)
                && live != exit.voted
                && none
                && left
                && truth(&[(live, false)]).of(stay) == Some(false)
        })?;
        let (alive, stay) = (body.params[live], end.args[live]);
        let results = results(kernel, body, &exit, &truth, (alive, stay))?;
        let mut stays = truth(&[(alive, true), (stay, true)]);
        let next: Vec<Form> = end.args.iter().map(|&v| stays.form(v)).collect();
        let mut plan = Plan {
            exit: exit.at,
            live,
            stay,
            next,
            held: vec![false; body.params.len()],
            results,
            widened: Set::default(),
        };
        plan.hold(body, &defs);
        plan.widen(kernel, inst).then_some(plan)
    }

    /// Finds the parameters on which it depends who stays and what the loop gives: those must keep their values.
    fn hold(&mut self, body: &Block, defs: &Defs<'_>) {
        let mut seen = Set::default();
        let mut left = vec![self.stay];
        self.results.iter().for_each(|(form, _)| form.values(&mut left));
        while let Some(v) = left.pop() {
            if seen.insert(v) {
                left.extend(defs.get(&v).into_iter().flat_map(|i| i.uses()));
            }
        }
        for (held, p) in self.held.iter_mut().zip(&body.params) {
            *held = seen.contains(p);
        }
        self.held[self.live] = false;
    }

    /// Uniform parameters that are held differ between lanes, and so does what follows from them. False if a result of the loop
    /// would have to.
    fn widen(&mut self, kernel: &Kernel, inst: &Inst) -> bool {
        let body = &inst.regions[0];
        let lanes = |wide: &Set<Value>, v: Value| kernel.ty(v).lanes || wide.contains(&v);
        let held = body.params.iter().zip(&self.held).filter(|(_, held)| **held);
        let mut wide: Set<Value> = held.map(|(&p, _)| p).filter(|&p| !kernel.ty(p).lanes).collect();
        loop {
            let before = wide.len();
            for i in body.insts.iter().filter(|i| i.results.len() == 1 && i.op.info().rule != Rule::Vote) {
                if !kernel.ty(i.result()).lanes && i.args.iter().any(|&a| wide.contains(&a)) {
                    wide.insert(i.result());
                }
            }
            for (next, &p) in self.next.iter().zip(&body.params) {
                let mut values = Vec::new();
                next.values(&mut values);
                if !kernel.ty(p).lanes && values.iter().any(|&v| lanes(&wide, v)) {
                    wide.insert(p);
                }
            }
            if wide.len() == before {
                break;
            }
        }
        let fits = self.results.iter().zip(&inst.results).all(|((form, _), &r)| {
            let mut values = Vec::new();
            form.values(&mut values);
            kernel.ty(r).lanes || values.iter().all(|&v| !lanes(&wide, v))
        });
        self.widened = wide;
        fits
    }
}

/// Per result, what lanes give that leave the loop, and the parameter that notes it for those that have left. Nothing unless both are
/// the same whether the loop ends with the iteration in which a lane leaves or goes on for others.
fn results<'a>(
    kernel: &Kernel,
    body: &Block,
    exit: &Exit<'_>,
    truth: &impl Fn(&[(Value, bool)]) -> Truth<'a>,
    (live, stay): (Value, Value),
) -> Option<Vec<(Form, usize)>> {
    let end = body.terminator()?;
    let mut has_left = truth(&[(live, false)]);
    let mut leaves = truth(&[(live, true), (stay, false)]);
    let mut ends = truth(&[(live, true), (stay, false), (exit.voted, false)]);
    let found = exit.gives.iter().map(|&given| {
        let Form::Value(note) = has_left.form(given) else { return None };
        let Some(at) = body.params.iter().position(|&p| p == note) else {
            // The same for all lanes at all times.
            let invariant = !body.insts.iter().any(|i| i.results.contains(&note)) && given == note;
            return invariant.then_some((Form::Value(note), usize::MAX));
        };
        let noted = end.args[at];
        let keeps = has_left.form(noted) == Form::Value(note);
        let agrees = ends.form(noted) == ends.form(given);
        (keeps && agrees && kernel.ty(note).lanes == kernel.ty(given).lanes).then(|| (leaves.form(noted), at))
    });
    found.collect()
}
