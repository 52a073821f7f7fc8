//! Chains of element-wise operators on long arrays, such as `a.*b + c`, in one pass: each instruction uses the result of the one
//! before, which nobody else sees, so it never has to exist as an array. The operands are read once, in pieces that stay in
//! the first-level cache. Found while running, by a look at the instructions that follow, so scalar code pays nothing.

use super::bulk::{self, CHUNK, Element, LONG, Operand};
use super::code::{Code, Op, Reg};
use super::scalar_ops::Op2;
use super::tensor::{Data, Shape, Tensor};
use super::value::Value;
use rayon::prelude::*;
use smallvec::SmallVec;
use std::cell::Ref;

/// Elements computed at a time: three operands fill half of a first-level cache.
const PIECE: usize = 2048;

/// An operator with its registers or constant, as far as it may take part in a chain.
struct Step<'c> {
    op: Op2,
    matrix: bool,
    d: Reg,
    a: Reg,
    /// A register or a constant.
    b: Result<Reg, &'c Value>,
}

fn step<'c>(code: &'c Code, op: &Op) -> Option<Step<'c>> {
    let (op, matrix, d, a, b) = match *op {
        Op::Add { d, a, b } => (Op2::Add, false, d, a, Ok(b)),
        Op::Sub { d, a, b } => (Op2::Sub, false, d, a, Ok(b)),
        Op::Mul { d, a, b } => (Op2::Mul, true, d, a, Ok(b)),
        Op::Binary { op, d, a, b } => (op, false, d, a, Ok(b)),
        Op::Matrix { op: Op2::Div, d, a, b } => (Op2::Div, true, d, a, Ok(b)),
        Op::AddConst { d, a, k } => (Op2::Add, false, d, a, Err(k)),
        Op::SubConst { d, a, k } => (Op2::Sub, false, d, a, Err(k)),
        Op::MulConst { d, a, k } => (Op2::Mul, true, d, a, Err(k)),
        _ => return None,
    };
    let simple = matches!(op, Op2::Add | Op2::Sub | Op2::Mul | Op2::Div | Op2::Max | Op2::Min);
    simple.then(|| Step { op, matrix, d, a, b: b.map_err(|k| &code.consts[k as usize]) })
}

/// An operand of the chain: elements of the shape, or a number.
enum Term<'r> {
    Array(Ref<'r, Data>),
    Number(f64),
}

fn term<'r>(v: &'r Value, shape: &Shape, double: bool) -> Option<Term<'r>> {
    match v {
        Value::Array(t) => {
            let data = t.data.borrow();
            let fits = matches!((&*data, double), (Data::F32(_), false) | (Data::F64(_), true));
            (fits && t.shape == *shape).then_some(Term::Array(data))
        }
        Value::F32(x) => Some(Term::Number(f64::from(*x))),
        Value::Int(x) => Some(Term::Number(f64::from(*x))),
        Value::F64(x) if double => Some(Term::Number(*x)),
        _ => None,
    }
}

fn right<'r>(regs: &'r [Value], s: &Step<'r>, shape: &Shape, double: bool) -> Option<Term<'r>> {
    term(s.b.map_or_else(|k| k, |r| &regs[r as usize]), shape, double)
}

struct Link<'r> {
    op: Op2,
    other: Term<'r>,
    /// The result so far is the right operand.
    swapped: bool,
}

/// Runs the instruction before `at` and those behind it that continue it, if there are any. Gives the position behind them,
/// the register of the result, and the result.
#[cold]
#[inline(never)]
pub fn run(code: &Code, regs: &[Value], at: usize) -> Option<(usize, Reg, Value)> {
    let head = step(code, &code.ops[at - 1])?;
    step(code, code.ops.get(at)?)?;
    let array = |r: Reg| if let Value::Array(t) = &regs[r as usize] { Some(t) } else { None };
    let lead = array(head.a).or_else(|| array(head.b.ok()?)).filter(|t| t.len() >= LONG)?;
    let double = matches!(*lead.data.borrow(), Data::F64(_));
    let shape = &lead.shape;
    let read = |r: Reg| term(&regs[r as usize], shape, double);
    // Two arrays of a shape are multiplied element by element if they are vectors.
    let fits =
        |s: &Step<'_>, x: bool, y: &Term<'_>| !(s.matrix && x && matches!(y, Term::Array(_))) || lead.is_vector();
    let start = read(head.a)?;
    let other = right(regs, &head, shape, double).filter(|y| fits(&head, matches!(start, Term::Array(_)), y))?;
    let mut links: SmallVec<[Link<'_>; 4]> = SmallVec::new();
    links.push(Link { op: head.op, other, swapped: false });
    let (mut d, mut next) = (head.d, at);
    while code.is_temporary(d)
        && let Some(s) = code.ops.get(next).and_then(|op| step(code, op))
    {
        // A temporary has one reader, and is one of its operands.
        let swapped = matches!(s.b, Ok(b) if b == d);
        if swapped == (s.a == d) {
            break;
        }
        let other = if swapped { read(s.a) } else { right(regs, &s, shape, double) };
        let Some(other) = other.filter(|y| fits(&s, true, y)) else { break };
        links.push(Link { op: s.op, other, swapped });
        (d, next) = (s.d, next + 1);
    }
    if links.len() < 2 || !super::memory::fits(lead.len() * if double { 8 } else { 4 }) {
        return None;
    }
    let data = if double {
        Data::F64(compute(lead.len(), &start, &links, |d| if let Data::F64(v) = d { v } else { &[] }, |x| x))
    } else {
        Data::F32(compute(lead.len(), &start, &links, |d| if let Data::F32(v) = d { v } else { &[] }, |x| x as f32))
    };
    Some((next, d, Value::array(Tensor::new(shape.clone(), data))))
}

fn compute<'r, T: Element>(
    n: usize,
    start: &'r Term<'r>,
    links: &'r [Link<'r>],
    elements: impl Fn(&'r Data) -> &'r [T],
    number: impl Fn(f64) -> T,
) -> Vec<T> {
    let operand = |t: &'r Term<'r>| match t {
        Term::Array(data) => Operand::Array(elements(data)),
        Term::Number(x) => Operand::Number(number(*x)),
    };
    let start = operand(start);
    let links: Vec<(Op2, Operand<'_, T>, bool)> = links.iter().map(|l| (l.op, operand(&l.other), l.swapped)).collect();
    let mut out = bulk::storage(n);
    out.par_chunks_mut(CHUNK).enumerate().for_each(|(c, chunk)| {
        for (p, piece) in chunk.chunks_mut(PIECE).enumerate() {
            let from = c * CHUNK + p * PIECE;
            let range = from..from + piece.len();
            let (op, other, _) = &links[0];
            T::combine(*op, piece, Some(start.part(&range)), other.part(&range), false);
            for (op, other, swapped) in &links[1..] {
                T::combine(*op, piece, None, other.part(&range), *swapped);
            }
        }
    });
    out
}
