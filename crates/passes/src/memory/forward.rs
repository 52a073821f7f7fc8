//! What the iteration before has stored comes in a register: a recurrence such as `x[i] = f(x[i-1])` waits for its operations and not
//! for memory.
//!
//! Not in a pipeline: a back end runs it last, since the branch that it makes would stand in the way of other passes. The buffers
//! of the launch must be different memory.
//!
//! In a `for` without control flow of its own, with one store to a buffer at an index that all lanes have in common, a load at the
//! index at which one of the iterations shortly before has stored is only made in the first iterations. Indices are compared as
//! sums, whose values but the counter come from outside of the loop; elements are as wide as the values, so that what is stored
//! is what would be loaded.
//!
//! Where each lane has its own index, as along rows that are lanes, the same holds of the iteration before if no lane stores where
//! another one loads. The first iteration's load stands before the loop then: a loop that only stores can go by tiles.
//!
//! ```text
//! for %i in 1..%n { %j = add %i, -1 %a = load.inside %x[%j] %b = mul %a, %a store.inside %x[%i], %b }     ; before
//! ```
//! ```text
//! %r = for %i in 1..%n (%p: f32 = 0.0) {                                                                  ; after
//!   %first = cmp.eq %i, 1  %j = add %i, -1
//!   %a = if %first { %l = load.inside %x[%j] yield %l } else { yield %p }
//!   %b = mul %a, %a  store.inside %x[%i], %b  yield %b
//! }
//! ```

use crate::analysis::linear::{Form, Forms};
use quadra_base::quick::{Map, Set};
use quadra_kir::{Block, Buf, Const, Effect, Elem, Inst, Kernel, Level, Mode, Op, Type, Value, Values};

/// Iterations that are looked back.
const MOST: i32 = 4;

/// Rewrites the loops of a SIMD kernel, unless two of its buffers may be the same memory.
pub fn run(kernel: &mut Kernel, alias: bool, inside: Inside<'_>) {
    if alias || kernel.level != Level::Simd || !kernel.body.any(&mut |i| i.op == Op::For) {
        return;
    }
    let (forms, mut lane) = (Forms::of(kernel), None);
    kernel.body.walk(&mut |i| lane = if i.op == Op::Lane { Some(i.result()) } else { lane });
    kernel.rewrite(|kernel, body| block(kernel, (&forms, lane, inside), body));
}

/// Whether an access lies inside its buffer whatever its mask says, and whatever was tested before.
pub type Inside<'a> = &'a dyn Fn(&Kernel, &Inst) -> bool;

fn block(kernel: &mut Kernel, (forms, lane, inside): (&Forms, Option<Value>, Inside<'_>), b: &mut Block) {
    let mut out = Vec::with_capacity(b.insts.len());
    for mut inst in std::mem::take(&mut b.insts) {
        inst.regions.iter_mut().for_each(|r| block(kernel, (forms, lane, inside), r));
        if inst.op == Op::For {
            let bufs: Vec<Buf> = stores(&inst.regions[0]).map(|s| s.1).collect();
            for buf in bufs {
                if let Some(found) = find(kernel, forms, &inst, buf) {
                    carry(kernel, &mut inst, found);
                } else if let Some(lane) = lane
                    && let Some((at, stored)) = find_lanes(kernel, (forms, lane, inside), &inst, buf)
                {
                    carry_lanes(kernel, &mut inst, at, stored, &mut out);
                }
            }
        }
        out.push(inst);
    }
    b.insts = out;
}

/// Instructions that store, and where to.
fn stores(body: &Block) -> impl Iterator<Item = (&Inst, Buf)> {
    body.insts.iter().filter(|i| i.op == Op::Store).filter_map(|i| Some((i, i.buf?)))
}

/// A store, and loads of what it has stored before.
struct Found {
    stored: Value,
    /// Positions in the body, and how many iterations before.
    loads: Vec<(usize, i32)>,
    /// First iterations, whose elements nobody has stored: the counter of the first, and the distance to the next.
    from: Value,
    step: i32,
}

/// Whether one access of the buffer is plain: the same index and value in all lanes, proved to lie inside, always made.
fn is_plain(kernel: &Kernel, inst: &Inst, value: Value) -> bool {
    let scalar = |v: Value| !kernel.ty(v).lanes;
    let wide = |e: Elem| matches!(e, Elem::I32 | Elem::F32 | Elem::F64 | Elem::I64);
    let elem = inst.buf.map(|b| kernel.bufs[b].elem);
    inst.mode == Mode::Inside
        && inst.mask.is_none()
        && scalar(inst.args[0])
        && scalar(value)
        && elem == Some(kernel.ty(value).elem)
        && elem.is_some_and(wide)
}

/// Whether nothing but the accesses of a loop's own body changes or orders memory.
fn quiet(i: &Inst) -> bool {
    let effect = i.op.info().effect;
    let only_loads = |r: &Block| r.insts.iter().all(|i| matches!(i.op, Op::Load | Op::Yield));
    i.op == Op::If && i.regions.iter().all(only_loads)
        || i.regions.is_empty() && (matches!(effect, Effect::Pure | Effect::Read | Effect::Write) || i.op == Op::Assert)
        || i.op == Op::Yield
}

fn writes(body: &Block, buf: Buf) -> usize {
    body.insts.iter().filter(|i| i.buf == Some(buf) && i.op.info().effect != Effect::Read).count()
}

fn find(kernel: &Kernel, forms: &Forms, inst: &Inst, buf: Buf) -> Option<Found> {
    let body = &inst.regions[0];
    if !body.insts.iter().all(quiet) || writes(body, buf) != 1 || kernel.bufs[buf].rank != 1 {
        return None;
    }
    let (store, _) = stores(body).find(|s| s.1 == buf)?;
    let [at, stored] = store.args[..] else { return None };
    let mut inside: Set<Value> = body.params.iter().copied().collect();
    body.insts.iter().for_each(|i| inside.extend(&i.results));
    let (counter, step) = (body.params[0], kernel.as_i32(inst.args[2])?);
    let form = forms.at(kernel, at);
    let outside = |f: &Form| f.terms.iter().all(|t| t.0 == counter || !inside.contains(&t.0));
    let stride = form.factor(counter).wrapping_mul(step);
    if !is_plain(kernel, store, stored) || !outside(&form) || stride == 0 || kernel.ty(counter).lanes {
        return None;
    }
    let distance = |load: &Inst| {
        let difference = form.minus(&forms.at(kernel, load.args[0])).as_constant()?;
        (1..=MOST).find(|m| stride.checked_mul(*m) == Some(difference))
    };
    let loads = body.insts.iter().enumerate().filter(|(_, i)| i.op == Op::Load && i.buf == Some(buf));
    let loads = loads.filter(|(_, i)| is_plain(kernel, i, i.result()));
    let mut loads: Vec<(usize, i32)> = loads.filter_map(|(at, i)| Some((at, distance(i)?))).collect();
    // Later elements are the earlier ones of other iterations: all in between are carried, too, so they should be of use.
    let reach = (1..=MOST).take_while(|m| loads.iter().any(|l| l.1 == *m)).last()?;
    loads.retain(|l| l.1 <= reach);
    // Which iterations are the first must be known where there are several.
    let known = kernel
        .as_i32(inst.args[0])
        .is_some_and(|from| step.checked_mul(MOST).is_some_and(|n| from.checked_add(n).is_some()));
    if reach > 1 && !known {
        loads.retain(|l| l.1 == 1);
    }
    Some(Found { stored, loads, from: inst.args[0], step })
}

/// Lanes of a vector.
const LANES: i32 = 16;

/// The position of a load whose lanes load what they have stored in the iteration before, and what they store.
fn find_lanes(
    kernel: &Kernel,
    (forms, lane, inside): (&Forms, Value, Inside<'_>),
    inst: &Inst,
    buf: Buf,
) -> Option<(usize, Value)> {
    let lies_inside = inside;
    let body = &inst.regions[0];
    if !body.insts.iter().all(quiet) || writes(body, buf) != 1 || kernel.bufs[buf].rank != 1 {
        return None;
    }
    let (store, _) = stores(body).find(|s| s.1 == buf)?;
    let [at, stored] = store.args[..] else { return None };
    let (counter, step) = (body.params[0], kernel.as_i32(inst.args[2])?);
    let mut inside: Set<Value> = body.params.iter().copied().collect();
    body.insts.iter().for_each(|i| inside.extend(&i.results));
    let form = forms.at(kernel, at);
    let stays = |v: Value| v == counter || v == lane || !inside.contains(&v) && !kernel.ty(v).lanes;
    let (stride, apart) = (form.factor(counter).wrapping_mul(step), form.factor(lane));
    // Between a lane's store and its load the others store in that iteration and in the next.
    let meet = |k: i32| [0, stride, stride.wrapping_neg()].contains(&apart.wrapping_mul(k));
    let own = |i: &Inst, value: Value| {
        let elem = kernel.bufs[buf].elem;
        let word = matches!(elem, Elem::I32 | Elem::F32) && elem == kernel.ty(value).elem;
        let lanes = kernel.ty(value).lanes && kernel.ty(i.args[0]).lanes;
        i.mode == Mode::Inside && word && lanes
    };
    let always = store.mask.is_none() && own(store, stored);
    let fine = form.terms.iter().all(|t| stays(t.0)) && !kernel.ty(counter).lanes && always;
    if stride == 0 || step <= 0 || (1..LANES).any(meet) || !fine {
        return None;
    }
    let mut loads = body.insts.iter().enumerate().filter(|(_, i)| i.op == Op::Load && i.buf == Some(buf));
    let ((at, load), None) = (loads.next()?, loads.next()) else { return None };
    let before = form.minus(&forms.at(kernel, load.args[0])).as_constant() == Some(stride);
    // What is tested before the load may be why it lies inside.
    let tests = |i: &Inst| i.op == Op::Assert || i.buf.is_some() && i.mode != Mode::Inside || !i.regions.is_empty();
    let free = load.mask.is_none() && !body.insts[..at].iter().any(tests) || lies_inside(kernel, load);
    (before && free && own(load, load.result())).then_some((at, stored))
}

/// Puts the first iteration's load before the loop, into `out`; the others get what is carried.
fn carry_lanes(kernel: &mut Kernel, inst: &mut Inst, at: usize, stored: Value, out: &mut Vec<Inst>) {
    let (from, to) = (inst.args[0], inst.args[1]);
    let body = &mut inst.regions[0];
    let mut load = body.insts.remove(at);
    let mask = load.mask.take();
    // The index in the first iteration.
    let mut needed: Set<Value> = load.args.iter().copied().collect();
    let mut chain = Vec::new();
    for i in body.insts[..at].iter().rev().filter(|i| i.results.len() == 1) {
        if needed.contains(&i.result()) {
            needed.extend(&i.args);
            chain.push(i.clone());
        }
    }
    let mut map: Map<Value, Value> = Map::default();
    map.insert(body.params[0], from);
    let mut first = Vec::new();
    for mut i in chain.into_iter().rev().chain([load.clone()]) {
        i.args.iter_mut().for_each(|a| *a = map.get(a).copied().unwrap_or(*a));
        let fresh = kernel.new_value(kernel.ty(i.result()));
        map.insert(i.result(), fresh);
        i.results = Values::from_slice(&[fresh]);
        first.push(i);
    }
    let (span, ty, loaded) = (load.span, kernel.ty(stored), map[&load.result()]);
    let zero = kernel.constant(Const::zero(ty.elem));
    let mut runs = Inst::new(Op::CmpLt, [from, to]).at(span);
    runs.results = Values::from_slice(&[kernel.new_value(Type::scalar(Elem::Bool))]);
    let start = kernel.new_value(ty);
    let mut branch = Inst::new(Op::If, [runs.result()]).at(span);
    branch.results = Values::from_slice(&[start]);
    first.push(Inst::new(Op::Yield, [loaded]).at(span));
    let otherwise = vec![Inst::new(Op::Yield, [zero]).at(span)];
    branch.regions = vec![Block { insts: first, ..Block::default() }, Block { insts: otherwise, ..Block::default() }];
    out.extend([runs, branch]);
    let mut carried = load.result();
    if let Some(mask) = mask {
        // Lanes that are not asked get what a load would give them.
        carried = kernel.new_value(ty);
        let mut asked = Inst::new(Op::Select, [mask, carried, zero]).at(span);
        asked.results = load.results;
        body.insts.insert(at, asked);
    }
    body.params.push(carried);
    if let Some(end) = body.insts.last_mut() {
        end.args.push(stored);
    }
    inst.args.push(start);
    let result = kernel.new_value(ty);
    inst.results.push(result);
}

fn carry(kernel: &mut Kernel, inst: &mut Inst, found: Found) {
    let ty = kernel.ty(found.stored);
    let reach = found.loads.iter().map(|l| l.1).max().unwrap_or(0);
    let zero = kernel.constant(Const::zero(ty.elem));
    let before: Vec<Value> = (0..reach).map(|_| kernel.new_value(ty)).collect();
    let counter = inst.regions[0].params[0];
    // From the last on, so that positions stay right.
    for &(at, distance) in found.loads.iter().rev() {
        let body = &mut inst.regions[0];
        let mut load = body.insts[at].clone();
        let (result, span) = (load.result(), load.span);
        let (op, than) = match (distance, kernel.as_i32(found.from)) {
            (1, _) | (_, None) => (Op::CmpEq, found.from),
            (_, Some(from)) => (Op::CmpLt, kernel.const_i32(from + distance * found.step)),
        };
        let mut first = Inst::new(op, [counter, than]).at(span);
        first.results = Values::from_slice(&[kernel.new_value(Type::scalar(Elem::Bool))]);
        let own = kernel.new_value(ty);
        load.results = Values::from_slice(&[own]);
        let end = |v: Value| Inst::new(Op::Yield, [v]).at(span);
        let mut branch = Inst::new(Op::If, [first.result()]).at(span);
        branch.results = Values::from_slice(&[result]);
        branch.regions = vec![
            Block { insts: vec![load, end(own)], ..Block::default() },
            Block { insts: vec![end(before[distance as usize - 1])], ..Block::default() },
        ];
        body.insts.splice(at..=at, [first, branch]);
    }
    let body = &mut inst.regions[0];
    body.params.extend(before.iter().copied());
    if let Some(end) = body.insts.last_mut() {
        end.args.push(found.stored);
        end.args.extend(before.iter().copied().take(reach as usize - 1));
    }
    inst.args.extend(before.iter().map(|_| zero));
    let results: Vec<Value> = before.iter().map(|_| kernel.new_value(ty)).collect();
    inst.results.extend(results);
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::{Arg, Launch, Memory, MemoryBuffer, check, interp, parse};

    /// How many loads are only made in first iterations; results must stay what they were.
    fn carried(body: &str) -> usize {
        let text = format!("kernel @k(%x: buf<f32, rw>, %y: buf<f32, rw>, %n: i32) simd group=16 over=0 {{ {body} }}");
        let kernel = parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel parses");
        let mut new = kernel.clone();
        run(&mut new, false, &|_, i| i.buf == kernel.bufs.ids().next());
        assert!(check::kernel(&new).is_empty(), "{:?}", check::kernel(&new));
        for n in [1, 2, 3, 5, 40] {
            let results = [&kernel, &new].map(|k| {
                let numbers = |seed: f32| (0..64).map(|i| seed + 0.25 * i as f32).collect::<Vec<f32>>();
                let mut memory =
                    Memory { buffers: vec![MemoryBuffer::of_f32(&numbers(1.0)), MemoryBuffer::of_f32(&numbers(-3.0))] };
                let args = vec![Arg::Buffer(0), Arg::Buffer(1), Arg::Scalar(Const::i32(n))];
                interp::simd::run(k, &mut memory, &Launch::new(args), &mut |_| {}).expect("the kernel is right");
                memory.buffers.iter().map(|b| b.bytes.clone()).collect::<Vec<_>>()
            });
            assert_eq!(results[0], results[1], "{body}");
        }
        let branches = |k: &Kernel| {
            let mut count = 0;
            k.body.walk(&mut |i| count += usize::from(i.op == Op::If));
            count
        };
        branches(&new) - branches(&kernel)
    }

    #[test]
    fn recurrences_of_one_and_several_steps_are_carried() {
        let one = "for %i in 1..%n { %j = add %i, -1 %a = load.inside %x[%j] %b = load.inside %y[%i] %c = mul %a, 0.5
            %d = add %c, %b store.inside %x[%i], %d yield }";
        assert_eq!(carried(one), 1);
        let from = "for %i in %n..45 { %j = add %i, 2 %k = add %i, 3 %a = load.inside %x[%j] %b = mul %a, 0.5
            store.inside %x[%k], %b yield }";
        assert_eq!(carried(from), 1);
        let three = "for %i in 3..%n { %h = add %i, -3 %j = add %i, -2 %k = add %i, -1 %a = load.inside %x[%j]
            %b = load.inside %x[%k] %e = load.inside %x[%h] %c = add %a, %b %d = sub %c, %e store.inside %x[%i], %d yield }";
        assert_eq!(carried(three), 3);
        let strided =
            "for %i in 0..%n step 2 { %j = sub 50, %i %k = sub 48, %i %a = load.inside %x[%j] %b = add %a, 1.0
            store.inside %x[%k], %b yield }";
        assert_eq!(carried(strided), 1);
        let rows = "for %m in 1..6 { %r = mul %m, 8 for %i in 1..8 { %s = add %r, %i %j = add %s, -1 %u = add %s, -8
            %a = load.inside %x[%j] %b = load.inside %x[%u] %c = add %a, %b store.inside %x[%s], %c yield } yield }";
        assert_eq!(carried(rows), 1);
        let both = "for %i in 1..%n { %j = add %i, -1 %a = load.inside %x[%j] %b = load.inside %y[%j] %c = add %a, %b
            store.inside %x[%i], %b store.inside %y[%i], %c yield }";
        assert_eq!(carried(both), 2);
    }

    #[test]
    fn rows_that_are_lanes_are_carried_too() {
        let in_loop = |body: &str| {
            let text = format!("%l = lane %r = mul %l, 4 {body}");
            carried(&text)
        };
        let sums = "for %i in 1..4 { %s = add %r, %i %j = add %s, -1 %a = load.inside %x[%j] %b = load.inside %y[%s]
            %c = add %a, %b store.inside %x[%s], %c yield }";
        assert_eq!(in_loop(sums), 1);
        let unknown = "%e = min %n, 4 for %i in 1..%e { %s = add %r, %i %j = add %s, -1 %a = load.inside %x[%j]
            %c = mul %a, 0.5 store.inside %x[%s], %c yield }";
        assert_eq!(in_loop(unknown), 1);
        let never = "for %i in 4..%n { %k = min %i, 7 %s = add %r, %i %m = sub %s, %i %z = add %m, 1 %j = add %m, 0
            %a = load.inside %x[%j] %c = mul %a, 0.5 store.inside %x[%z], %c yield }";
        assert_eq!(in_loop(never), 0);
        // Under a condition of the iteration's own.
        let streaks = "for %i in 1..4 { %s = add %r, %i %j = add %s, -1 %b = load.inside %y[%s] %m = cmp.gt %b, -2.0
            %a = load.inside %x[%j] if %m %c = add %a, 1.0 %d = select %m, %c, 0.0 store.inside %x[%s], %d yield }";
        assert_eq!(in_loop(streaks), 1);
        // Columns that are lanes: each lane's element of the row before is its own.
        let columns = "for %i in 1..4 { %q = mul %i, 16 %s = add %q, %l %j = add %s, -16 %a = load.inside %x[%j]
            %c = mul %a, 0.5 store.inside %x[%s], %c yield }";
        assert_eq!(in_loop(columns), 1);
    }

    #[test]
    fn lanes_that_meet_load() {
        let next =
            "%l = lane for %i in 1..40 { %s = add %l, %i %j = add %s, -1 %a = load.inside %x[%j] %c = mul %a, 0.5
            store.inside %x[%s], %c yield }";
        assert_eq!(carried(next), 0);
        let later = "%l = lane %r = mul %l, -1 %t = add %r, 20 for %i in 1..40 { %s = add %t, %i %j = add %s, -1
            %a = load.inside %x[%j] %c = mul %a, 0.5 store.inside %x[%s], %c yield }";
        assert_eq!(carried(later), 0);
    }

    #[test]
    fn what_others_may_have_stored_is_loaded() {
        // Two steps before, with nothing of use in between.
        let gap = "for %i in 2..%n { %j = add %i, -2 %a = load.inside %x[%j] store.inside %x[%i], %a yield }";
        assert_eq!(carried(gap), 0);
        let two = "for %i in 1..%n { %j = add %i, -1 %k = add %i, 4 %a = load.inside %x[%j] store.inside %x[%k], 2.0
            store.inside %x[%i], %a yield }";
        assert_eq!(carried(two), 0);
        let ahead = "for %i in 1..%n { %j = add %i, 1 %a = load.inside %x[%j] store.inside %x[%i], %a yield }";
        assert_eq!(carried(ahead), 0);
        let still = "for %i in 1..%n { %a = load.inside %x[5] %b = add %a, 1.0 store.inside %x[5], %b yield }";
        assert_eq!(carried(still), 0);
        let moving = "for %i in 1..%n { %v = load.inside %y[%i] %w = mul %v, 0.0 %z = to.i32 %w %s = add %i, %z
            %j = add %s, -1 %a = load.inside %x[%j] %b = add %a, 1.0 store.inside %x[%s], %b yield }";
        assert_eq!(carried(moving), 0);
        let condition = "for %i in 1..%n { %j = add %i, -1 %a = load.inside %x[%j] %c = cmp.lt %a, 3.0
            if %c { store.inside %x[%i], 2.0 yield } else { yield } yield }";
        assert_eq!(carried(condition), 0);
    }
}
