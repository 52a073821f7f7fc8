//! Rewrites a loop by its plan.

use super::{Defs, Form, Plan, Truth};
use quadra_base::quick::Map;
use quadra_kir::{Block, Const, Inst, Kernel, Op, Type, Value, Values};

/// The end of the body under construction.
struct Tail<'a> {
    kernel: &'a mut Kernel,
    insts: Vec<Inst>,
    span: Option<quadra_base::Span>,
    /// How often the body's own operations and the next iteration use each value.
    uses: Map<Value, u32>,
}

impl Tail<'_> {
    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        let lanes = op != Op::VoteAny && args.iter().any(|&v| self.kernel.ty(v).lanes);
        let elem = self.kernel.ty(args[args.len() - 1]).elem;
        let mut inst = Inst::new(op, args.iter().copied()).at(self.span);
        inst.results = Values::from_slice(&[self.kernel.new_value(Type::scalar(elem).with_lanes(lanes))]);
        let v = inst.result();
        self.insts.push(inst);
        v
    }
}

/// A condition without what is known of it.
enum Truths {
    Is(bool),
    Value(Value),
    Not(Box<Truths>),
    Op(Op, Box<Truths>, Box<Truths>),
}

/// Connectives that are taken apart: operands that several of them share would be taken apart as often.
const MOST_PARTS: u32 = 64;

fn simplified(v: Value, truth: &mut Truth<'_>, defs: &Defs<'_>) -> Truths {
    let mut left = MOST_PARTS;
    parts(v, truth, defs, &mut left)
}

fn parts(v: Value, truth: &mut Truth<'_>, defs: &Defs<'_>, left: &mut u32) -> Truths {
    if let Some(is) = truth.of(v) {
        return Truths::Is(is);
    }
    if *left == 0 {
        return Truths::Value(v);
    }
    *left -= 1;
    let Some(inst) = defs.get(&v) else { return Truths::Value(v) };
    let both = |a: Truths, b: Truths| (Box::new(a), Box::new(b));
    match (inst.op, &inst.args[..]) {
        (Op::Not, &[a]) => negated(parts(a, truth, defs, left)),
        (Op::And | Op::Or | Op::AndNot, &[a, b]) => {
            match (inst.op, parts(a, truth, defs, left), parts(b, truth, defs, left)) {
                (Op::And, Truths::Is(true), x) | (Op::And, x, Truths::Is(true)) => x,
                (Op::Or, Truths::Is(false), x) | (Op::Or, x, Truths::Is(false)) => x,
                (Op::AndNot, x, Truths::Is(false)) => x,
                (Op::AndNot, Truths::Is(true), x) => negated(x),
                (Op::AndNot, x, Truths::Not(y)) => Truths::Op(Op::And, Box::new(x), y),
                (op, x, y) => {
                    let (x, y) = both(x, y);
                    Truths::Op(op, x, y)
                }
            }
        }
        _ => Truths::Value(v),
    }
}

fn negated(t: Truths) -> Truths {
    match t {
        Truths::Is(is) => Truths::Is(!is),
        Truths::Not(x) => *x,
        x => Truths::Not(Box::new(x)),
    }
}

impl Tail<'_> {
    fn condition(&mut self, t: &Truths) -> Value {
        match t {
            Truths::Is(is) => self.kernel.constant(Const::bool(*is)),
            Truths::Value(v) => *v,
            Truths::Not(x) => {
                let x = self.condition(x);
                self.op(Op::Not, &[x])
            }
            Truths::Op(op, x, y) => {
                let (x, y) = (self.condition(x), self.condition(y));
                self.op(*op, &[x, y])
            }
        }
    }

    /// The value of a form, its conditions without what `truth` knows.
    fn form(&mut self, form: &Form, truth: &mut Truth<'_>, defs: &Defs<'_>) -> Value {
        match form {
            Form::Value(v) => *v,
            Form::Select(c, a, b) => {
                let c = self.condition(&simplified(*c, truth, defs));
                let (a, b) = (self.form(a, truth, defs), self.form(b, truth, defs));
                self.op(Op::Select, &[c, a, b])
            }
        }
    }
}

/// Choices of choices that are computed where the loop ends.
const DEEPEST: u32 = 4;

impl Tail<'_> {
    /// The value of a result, its choices made anew where nothing but `others` wants those of the body.
    fn result(&mut self, form: &Form, truth: &mut Truth<'_>, defs: &Defs<'_>, (depth, others): (u32, u32)) -> Value {
        let unused = |v: &Value| self.uses.get(v).copied().unwrap_or(0) == others;
        let (c, a, b) = match form {
            Form::Select(c, a, b) => (*c, (**a).clone(), (**b).clone()),
            Form::Value(v) => match defs.get(v).filter(|i| i.op == Op::Select && depth > 0 && unused(v)) {
                Some(i) => (i.args[0], Form::Value(i.args[1]), Form::Value(i.args[2])),
                None => return *v,
            },
        };
        let c = self.condition(&simplified(c, truth, defs));
        let inner = (depth.saturating_sub(1), u32::from(matches!(form, Form::Value(_))));
        let (a, b) = (self.result(&a, truth, defs, inner), self.result(&b, truth, defs, inner));
        self.op(Op::Select, &[c, a, b])
    }
}

/// Rewrites `inst` and puts it, with what has to follow it, to `out`.
pub(super) fn run(kernel: &mut Kernel, mut inst: Inst, plan: Plan, out: &mut Vec<Inst>) {
    for &v in &plan.widened {
        let ty = kernel.ty(v);
        kernel.values[v].ty = ty.with_lanes(true);
    }
    let body = std::mem::take(&mut inst.regions[0]);
    let (live, entered) = (body.params[plan.live], inst.args[plan.live]);
    let all = kernel.as_const(entered).and_then(Const::as_bool) == Some(true);
    let mut insts = tail(kernel, &body, &plan, (!all).then_some(entered));
    let Block { mut params, insts: mut before } = body;
    before.pop();
    before.remove(plan.exit);
    before.append(&mut insts);
    for i in &mut before {
        i.args.iter_mut().chain(&mut i.mask).filter(|v| **v == live).for_each(|v| *v = entered);
    }
    params.remove(plan.live);
    let noted: Vec<Value> = inst.args.to_vec();
    inst.args.remove(plan.live);
    inst.regions[0] = Block { params, insts: before };
    let mut choices = Vec::new();
    for (j, (_, note)) in plan.results.iter().enumerate().filter(|(_, (_, note))| !all && *note != usize::MAX) {
        if !kernel.ty(inst.results[j]).lanes {
            // The same at all times, or lanes would not agree on it.
            continue;
        }
        // Lanes that did not enter hold what they would have held.
        let old = inst.results[j];
        let new = kernel.new_value(kernel.ty(old));
        inst.results[j] = new;
        let mut choice = Inst::new(Op::Select, [entered, new, noted[*note]]).at(inst.span);
        choice.results = Values::from_slice(&[old]);
        choices.push(choice);
    }
    out.push(inst);
    out.append(&mut choices);
}

/// What follows the body's own operations: who stays, the held values, the exit and the next iteration.
fn tail(kernel: &mut Kernel, body: &Block, plan: &Plan, entered: Option<Value>) -> Vec<Inst> {
    let defs: Defs<'_> = body.insts.iter().flat_map(|i| i.results.iter().map(move |&r| (r, i))).collect();
    let (live, span) = (body.params[plan.live], body.insts[plan.exit].span);
    let table = kernel.clone();
    let mut inside = Truth::new(&table, &defs, &[(live, true)]);
    let mut uses: Map<Value, u32> = Map::default();
    let own = body.insts.iter().enumerate().filter(|&(at, i)| at != plan.exit && !i.op.is_terminator());
    let mut wanted: Vec<Value> = own.flat_map(|(_, i)| i.uses()).collect();
    plan.next.iter().for_each(|form| form.values(&mut wanted));
    wanted.into_iter().for_each(|v| *uses.entry(v).or_default() += 1);
    let mut t = Tail { kernel, insts: Vec::new(), span, uses };
    let next: Vec<Value> = plan.next.iter().map(|form| t.form(form, &mut inside, &defs)).collect();
    // What only the end of the loop asks for is computed there.
    let before = std::mem::take(&mut t.insts);
    let mut gives: Vec<Value> =
        plan.results.iter().map(|(form, _)| t.result(form, &mut inside, &defs, (DEEPEST, 0))).collect();
    let mut leaving = std::mem::replace(&mut t.insts, before);
    let stay = simplified(plan.stay, &mut inside, &defs);
    let mut stay = t.condition(&stay);
    if let Some(entered) = entered {
        stay = t.op(Op::And, &[entered, stay]);
    }
    let mut goes_on = Values::new();
    for (j, &next) in next.iter().enumerate() {
        let p = body.params[j];
        if j == plan.live {
            continue;
        }
        let held = plan.held[j] && next != p;
        goes_on.push(if held { t.op(Op::Select, &[stay, next, p]) } else { next });
        if held {
            // All lanes leave when the loop ends, so that the held value is the old one.
            let new = goes_on[goes_on.len() - 1];
            gives.iter_mut().filter(|v| **v == p).for_each(|v| *v = new);
        }
    }
    let any = t.op(Op::VoteAny, &[stay]);
    let mut test = Inst::new(Op::If, [any]).at(span);
    leaving.push(Inst::new(Op::Break, gives));
    let region = |insts| Block { params: Values::new(), insts };
    test.regions = vec![region(vec![Inst::new(Op::Yield, [])]), region(leaving)];
    t.insts.push(test);
    t.insts.push(Inst::new(Op::Continue, goes_on));
    t.insts
}
