//! Expressions over long arrays in one pass: element-wise operators and functions that feed each other, such as
//! `sqrt(a.*a + b.*b) - c`, and a sum, mean, maximum or minimum of all elements at the end. Results between them, which
//! nobody else sees, never exist as arrays. Found while running, by a look at the instructions that follow, so scalar code pays nothing.
//! `fuse` computes what is found here, piece by piece; every element goes through the same operations as one by one, so that
//! the results are the same to the bit.

use crate::builtins::{self, Run, fuse};
use crate::code::{Code, Op, Reg};
use crate::cx::Cx;
use crate::expression::{Apply, Expression, Source, Tail};
use crate::storage::LONG;
use crate::tensor::{Data, Tensor};
use crate::value::Value;
use quadra_quasar_hir::meaning::Meaning;
use quadra_quasar_hir::op1::Op1;
use quadra_quasar_hir::op2::Op2;
use smallvec::SmallVec;
use std::rc::Rc;

/// Operations of one expression.
const MOST: usize = 64;

/// An instruction as far as it may be part of an expression.
enum Step<'c> {
    /// `d = a op b`, the second operand a register or a constant.
    Two {
        op: Op2,
        matrix: bool,
        d: Reg,
        a: Reg,
        b: Result<Reg, &'c Value>,
    },
    One {
        op: Op1,
        d: Reg,
        a: Reg,
    },
    /// `d = a`.
    Same {
        d: Reg,
        a: Reg,
    },
    Const {
        d: Reg,
        v: &'c Value,
    },
    Tail {
        tail: Tail,
        d: Reg,
        a: Reg,
    },
    /// `d = sum(a, b)`, or the mean, `b` being the register behind `a`.
    Along {
        mean: bool,
        d: Reg,
        a: Reg,
    },
}

fn step<'c>(code: &'c Code, op: &Op) -> Option<Step<'c>> {
    let two = |op, matrix: bool, d, a, b: Result<Reg, u16>| {
        let simple = matches!(op, Op2::Add | Op2::Sub | Op2::Mul | Op2::Div | Op2::Max | Op2::Min)
            || !matrix && matches!(op, Op2::Pow | Op2::Mod | Op2::Rem | Op2::Atan2 | Op2::Hypot);
        simple.then(|| Step::Two { op, matrix, d, a, b: b.map_err(|k| &code.consts[k as usize]) })
    };
    match *op {
        Op::Add { d, a, b } => two(Op2::Add, false, d, a, Ok(b)),
        Op::Sub { d, a, b } => two(Op2::Sub, false, d, a, Ok(b)),
        Op::Mul { d, a, b } => two(Op2::Mul, true, d, a, Ok(b)),
        Op::Binary { op, d, a, b } => two(op, false, d, a, Ok(b)),
        Op::Matrix { op: Op2::Div, d, a, b } => two(Op2::Div, true, d, a, Ok(b)),
        Op::Compound { op, matrix, d, a, b, .. } => two(op, matrix, d, a, Ok(b)),
        Op::AddConst { d, a, k } => two(Op2::Add, false, d, a, Err(k)),
        Op::SubConst { d, a, k } => two(Op2::Sub, false, d, a, Err(k)),
        Op::MulConst { d, a, k } => two(Op2::Mul, true, d, a, Err(k)),
        Op::Neg { d, a } => Some(Step::One { op: Op1::Neg, d, a }),
        Op::Load { d, a, .. } | Op::Move { d, a } => Some(Step::Same { d, a }),
        Op::Const { d, k } => Some(Step::Const { d, v: &code.consts[k as usize] }),
        Op::Builtin { d, id, first: a, n: 1, outs: 0 | 1 } => call(id as usize, d, a),
        Op::Builtin { d, id, first, n: 2, outs: 0 | 1 } => {
            let row = &builtins::table()[id as usize];
            match (row.facts.meaning, row.run) {
                (Meaning::Extreme(op), _) | (_, Run::Pair(op)) => two(op, false, d, first, Ok(first + 1)),
                (Meaning::Sum, _) => Some(Step::Along { mean: false, d, a: first }),
                (Meaning::Mean, _) => Some(Step::Along { mean: true, d, a: first }),
                _ => None,
            }
        }
        _ => None,
    }
}

fn call<'c>(id: usize, d: Reg, a: Reg) -> Option<Step<'c>> {
    let row = &builtins::table()[id];
    if let Run::Map(op) = row.run {
        let real = !matches!(op, Op1::IsNan | Op1::IsInf | Op1::Not | Op1::BitNot | Op1::Imag | Op1::Angle);
        return real.then_some(Step::One { op, d, a });
    }
    let tail = match row.facts.meaning {
        Meaning::Sum => Tail::Sum,
        Meaning::Mean => Tail::Mean,
        Meaning::Extreme(op) => Tail::Extreme(op),
        _ => return None,
    };
    Some(Step::Tail { tail, d, a })
}

/// What is known of an expression while instructions are added to it.
struct Builder<'r> {
    regs: &'r [Value],
    lead: &'r Rc<Tensor>,
    double: bool,
    nodes: Vec<Apply>,
    arrays: SmallVec<[&'r Rc<Tensor>; 4]>,
    /// Registers that do not hold their values yet, and where these come from.
    pending: SmallVec<[(Reg, Source); 4]>,
}

impl<'r> Builder<'r> {
    /// The elements or number that a value stands for.
    fn of_value(&mut self, v: &'r Value) -> Option<Source> {
        match v {
            Value::Array(t) => {
                let data = t.data.peek();
                let fits = matches!((&*data, self.double), (Data::F32(_), false) | (Data::F64(_), true));
                if !fits || t.shape != self.lead.shape {
                    return None;
                }
                let known = self.arrays.iter().position(|known| Rc::ptr_eq(known, t));
                Some(Source::Array(known.unwrap_or_else(|| {
                    self.arrays.push(t);
                    self.arrays.len() - 1
                })))
            }
            Value::F32(x) => Some(Source::Number(f64::from(*x))),
            Value::Int(x) => Some(Source::Number(f64::from(*x))),
            Value::F64(x) if self.double => Some(Source::Number(*x)),
            _ => None,
        }
    }

    fn of_register(&mut self, a: Reg) -> Option<Source> {
        match self.pending.iter().position(|p| p.0 == a) {
            Some(i) => Some(self.pending.remove(i).1),
            None => self.of_value(&self.regs[a as usize]),
        }
    }

    /// Adds an instruction; gives the register of its result.
    fn add(&mut self, s: &Step<'r>) -> Option<Reg> {
        match *s {
            Step::Two { op, matrix, d, a, b } => {
                // What is not in its register yet can be read once only.
                if b.is_ok_and(|b| a == b) && self.pending.iter().any(|p| p.0 == a) {
                    return None;
                }
                let x = self.of_register(a)?;
                let y = match b {
                    Ok(b) => self.of_register(b)?,
                    Err(k) => self.of_value(k)?,
                };
                let arrays = [x, y].iter().filter(|s| !matches!(s, Source::Number(_))).count();
                // Two arrays of a shape are multiplied element by element if they are vectors.
                if arrays == 0 || matrix && arrays == 2 && !self.lead.is_vector() {
                    return None;
                }
                self.nodes.push(Apply::Two(op, x, y));
                Some(d)
            }
            Step::One { op, d, a } => {
                let x = self.of_register(a).filter(|x| !matches!(x, Source::Number(_)))?;
                self.nodes.push(Apply::One(op, x));
                Some(d)
            }
            Step::Same { .. } | Step::Const { .. } | Step::Tail { .. } | Step::Along { .. } => None,
        }
    }

    /// What an instruction makes of the last result and its register, if nothing else is left over.
    fn end(&self, s: &Step<'r>) -> Option<(Tail, Reg)> {
        match (s, &self.pending[..]) {
            (Step::Tail { tail, d, a }, [(r, Source::Node(_))]) if r == a => Some((*tail, *d)),
            (Step::Along { mean, d, a }, [(r, Source::Node(_)), (behind, Source::Number(number))])
                if r == a && *behind == a + 1 =>
            {
                let dim = (0..self.lead.shape.len()).find(|k| *k as f64 == *number)?;
                Some((Tail::Lines { dim, mean: *mean }, *d))
            }
            _ => None,
        }
    }
}

/// The array that an instruction works on, if it is long.
fn lead<'r>(s: &Step<'r>, regs: &'r [Value]) -> Option<&'r Rc<Tensor>> {
    let array = |r: Reg| if let Value::Array(t) = &regs[r as usize] { Some(t) } else { None };
    let found = match *s {
        Step::Two { a, b, .. } => array(a).or_else(|| array(b.ok()?)),
        Step::One { a, .. } => array(a),
        Step::Same { .. } | Step::Const { .. } | Step::Tail { .. } | Step::Along { .. } => None,
    };
    found.filter(|t| is_long_array(t))
}

/// Whether the elements of an array are so many, or still to be computed with others, that an expression is worth its while.
fn is_long_array(t: &Tensor) -> bool {
    t.len() >= LONG || t.data.waits()
}

/// Whether a function of this one argument may begin an expression.
#[inline]
pub fn is_long(v: &Value) -> bool {
    matches!(v, Value::Array(t) if is_long_array(t))
}

/// Runs the instruction before `at` and those behind it that form an expression with it, if there are any. Gives the position
/// behind them, the register of the result, and the result.
#[cold]
#[inline(never)]
pub fn run(code: &Code, regs: &[Value], at: usize, cx: &mut Cx) -> Option<(usize, Reg, Value)> {
    let head = step(code, &code.ops[at - 1])?;
    let lead = lead(&head, regs)?;
    if !lead.data.waits() {
        step(code, code.ops.get(at)?)?;
    }
    let double = match *lead.data.peek() {
        Data::F32(_) => false,
        Data::F64(_) => true,
        _ => return None,
    };
    let (nodes, pending) = (Vec::new(), SmallVec::new());
    let mut builder = Builder { regs, lead, double, nodes, arrays: SmallVec::new(), pending };
    // The longest expression so far: its operations, the position behind it, its register and its end.
    let mut best: Option<(usize, usize, Reg, Option<Tail>)> = None;
    let mut next = at - 1;
    while let Some(s) = code.ops.get(next).and_then(|op| step(code, op))
        && builder.nodes.len() < MOST
    {
        next += 1;
        match s {
            Step::Same { d, a } => {
                if !code.is_temporary(d) || builder.pending.iter().any(|p| p.0 == a) {
                    break;
                }
                let Some(source) = builder.of_value(&regs[a as usize]) else { break };
                builder.pending.push((d, source));
            }
            Step::Const { d, v } => {
                let Some(source) = builder.of_value(v).filter(|_| code.is_temporary(d)) else { break };
                builder.pending.push((d, source));
            }
            Step::Tail { .. } | Step::Along { .. } => {
                let end = builder.end(&s);
                best = end.map(|(tail, d)| (builder.nodes.len(), next, d, Some(tail))).or(best);
                break;
            }
            s => {
                let Some(d) = builder.add(&s) else { break };
                let node = Source::Node(builder.nodes.len() - 1);
                if builder.pending.is_empty() {
                    best = Some((builder.nodes.len(), next, d, None));
                }
                if !code.is_temporary(d) {
                    break;
                }
                builder.pending.push((d, node));
            }
        }
    }
    let (count, next, d, tail) = best?;
    // One operation has nothing to feed, but the launches that wait need not run for it.
    if count + usize::from(tail.is_some()) < if lead.data.waits() { 1 } else { 2 } {
        return None;
    }
    let Builder { mut nodes, arrays, .. } = builder;
    nodes.truncate(count);
    if tail.is_none() && !crate::memory::fits(lead.len() * if double { 8 } else { 4 }) {
        return None;
    }
    let expression = Expression { nodes: &nodes, arrays: &arrays, len: lead.len(), double, tail };
    let v = fuse::value(&expression, lead, code.spans[at - 1], cx);
    let operations = count + usize::from(tail.is_some());
    if operations > 1 {
        cx.fused.0 += 1;
        cx.fused.1 += operations as u64;
    }
    Some((next, d, v))
}
