//! Expands the operations that the target lacks into ones it has.
//!
//! * Needs: a kernel at either level without variables.
//! * Gives: only operations that [`Caps::runs`], and control, memory and synchronisation as they were; loads for requests where the
//!   target has no queue.
//! * Keeps: integer and truth values exactly. Float functions change within the bounds that the expansions state.
//!
//! It stands late, because the operations it expands are easier to fold, share and hoist whole; a second round of `cse`,
//! `licm` and `dce` after it cleans up the pieces (masks of constants, halves of operands).
//!
//! ```text
//! %y = neg %x          ; before
//! %y = sub 0, %x       ; after, where `neg` is not native
//! ```
//!
//! The expansions of division, square root and reciprocal hold for **any** approximation of relative error up to 2^-10,
//! because the special function unit's tables are unpublished (boards are within 2^-13); they are written for arithmetic that truncates.

mod atomic;
mod int;
mod divide;
mod remainder;
mod round;
mod exponential;
mod trig;

use crate::defifo;
use crate::pass::{Facts, Pass};
use quadra_base::quick::Map;
use quadra_base::{Span, bug};
use quadra_kir::{Block, Caps, Elem, Inst, Kernel, Op, Value, Values};

/// The pass.
pub const PASS: Pass = Pass {
    name: "legalize",
    about: "expands operations that the target lacks",
    needs: Facts::SIMD,
    gives: Facts::LEGAL,
    run: |kernel, cx| {
        run(kernel, cx.caps);
        Ok(())
    },
};

/// Expands every operation of `kernel` that `caps` does not call native.
pub fn run(kernel: &mut Kernel, caps: &Caps) {
    if !caps.knows(Op::TmuRequest) {
        defifo::run(kernel);
    }
    let mut map = Map::default();
    kernel.rewrite(|kernel, body| block(kernel, caps, body, &mut map));
    kernel.replace_uses(&map);
}

fn block(kernel: &mut Kernel, caps: &Caps, block_: &mut Block, map: &mut Map<Value, Value>) {
    let insts = std::mem::take(&mut block_.insts);
    let mut out = Vec::with_capacity(insts.len());
    for mut inst in insts {
        for region in &mut inst.regions {
            block(kernel, caps, region, map);
        }
        if inst.op.is_atomic()
            && let Some(elem) = inst.buf.map(|b| kernel.bufs[b].elem)
            && !caps.runs(inst.op, elem)
        {
            let mut e = Emit { kernel: &mut *kernel, caps, out: &mut out, span: inst.span };
            match atomic::by_exchange(&mut e, &inst) {
                Some(value) => map.extend(inst.results.first().map(|&r| (r, value))),
                None => out.push(inst),
            }
            continue;
        }
        if !inst.op.is_pure() || inst.args.is_empty() || caps.runs(inst.op, kernel.ty(inst.args[0]).elem) {
            out.push(inst);
            continue;
        }
        let mut e = Emit { kernel: &mut *kernel, caps, out: &mut out, span: inst.span };
        match expand(&mut e, &inst) {
            Some(value) => {
                map.insert(inst.result(), value);
            }
            None => out.push(inst),
        }
    }
    block_.insts = out;
}

/// The value that replaces `inst`'s result, or `None` if there is no expansion (the back end will report it).
fn expand(e: &mut Emit<'_>, inst: &Inst) -> Option<Value> {
    let a = inst.args[0];
    let b = inst.args.get(1).copied().unwrap_or(a);
    let elem = e.kernel.ty(a).elem;
    if elem == Elem::F32 {
        return Some(match inst.op {
            Op::Neg => e.neg(a),
            Op::Abs => e.abs(a),
            Op::Div => divide::div(e, a, b),
            Op::Rem => remainder::rem(e, a, b),
            Op::Mod => remainder::modulo(e, a, b),
            Op::Recip => divide::recip(e, a),
            Op::Sqrt => divide::sqrt(e, a),
            Op::Rsqrt => divide::rsqrt(e, a),
            Op::Floor => round::floor(e, a),
            Op::Ceil => round::ceil(e, a),
            Op::Trunc => round::trunc(e, a),
            Op::Round => round::round(e, a),
            Op::Exp2 => exponential::exp2(e, a),
            Op::Log2 => exponential::log2(e, a),
            Op::Exp => exponential::exp(e, a),
            Op::Log => exponential::ln(e, a),
            Op::Pow => exponential::pow(e, a, b),
            Op::Sinh => exponential::sinh(e, a),
            Op::Cosh => exponential::cosh(e, a),
            Op::Tanh => exponential::tanh(e, a),
            Op::Sin => trig::sin(e, a),
            Op::Cos => trig::cos(e, a),
            Op::Tan => trig::tan(e, a),
            Op::Asin => trig::asin(e, a),
            Op::Acos => trig::acos(e, a),
            Op::Atan => trig::atan(e, a),
            Op::Atan2 => trig::atan2(e, a, b),
            op => return exact(e, op, a),
        });
    }
    if elem == Elem::Bool {
        return int::of_bool(e, inst);
    }
    if elem != Elem::I32 {
        return None;
    }
    int::of_i32(e, inst.op, a, b)
}

/// The exact function in place of a rough one, where the target has it.
fn exact(e: &mut Emit<'_>, op: Op, a: Value) -> Option<Value> {
    let (op, even) = match op {
        Op::RecipApprox => (Op::Recip, false),
        Op::RsqrtApprox => (Op::Rsqrt, true),
        Op::Exp2Approx => (Op::Exp2, false),
        Op::Log2Approx => (Op::Log2, true),
        _ => return None,
    };
    e.caps.runs(op, Elem::F32).then(|| {
        let a = if even { e.abs(a) } else { a };
        e.op(op, &[a])
    })
}

/// Appends the pieces of an expansion. An operation that is not native itself is expanded in turn.
struct Emit<'a> {
    kernel: &'a mut Kernel,
    caps: &'a Caps,
    out: &'a mut Vec<Inst>,
    span: Option<Span>,
}

impl Emit<'_> {
    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        let types: Vec<_> = args.iter().map(|&v| self.kernel.ty(v)).collect();
        let ty = op.result_type(self.kernel.level, &types).unwrap_or_else(|e| bug!("legalize: {e}"));
        let mut inst = Inst::new(op, args.iter().copied()).at(self.span);
        inst.results = Values::from_slice(&[self.kernel.new_value(ty)]);
        if !self.caps.runs(op, types[0].elem)
            && let Some(value) = expand(self, &inst)
        {
            return value;
        }
        let result = inst.result();
        self.out.push(inst);
        result
    }

    fn int(&mut self, value: i32) -> Value {
        self.kernel.const_i32(value)
    }

    fn float(&mut self, value: f32) -> Value {
        self.kernel.constant(quadra_kir::Const::f32(value))
    }

    fn add(&mut self, a: Value, b: Value) -> Value {
        self.op(Op::Add, &[a, b])
    }

    fn sub(&mut self, a: Value, b: Value) -> Value {
        self.op(Op::Sub, &[a, b])
    }

    fn mul(&mut self, a: Value, b: Value) -> Value {
        self.op(Op::Mul, &[a, b])
    }

    /// a * b + c, two roundings.
    fn mul_add(&mut self, a: Value, b: Value, c: Value) -> Value {
        let p = self.mul(a, b);
        self.add(p, c)
    }

    fn select(&mut self, c: Value, a: Value, b: Value) -> Value {
        self.op(Op::Select, &[c, a, b])
    }

    /// Bitwise and of a value's bits with a constant; floats stay floats.
    fn and_bits(&mut self, a: Value, mask: u32) -> Value {
        let mask = self.int(mask as i32);
        if self.kernel.ty(a).elem == Elem::F32 {
            let bits = self.op(Op::BitsI32, &[a]);
            let bits = self.op(Op::And, &[bits, mask]);
            return self.op(Op::BitsF32, &[bits]);
        }
        self.op(Op::And, &[a, mask])
    }

    fn neg(&mut self, a: Value) -> Value {
        let zero = if self.kernel.ty(a).elem == Elem::F32 { self.float(0.0) } else { self.int(0) };
        self.sub(zero, a)
    }

    fn abs(&mut self, a: Value) -> Value {
        if self.caps.runs(Op::Abs, Elem::F32) { self.op(Op::Abs, &[a]) } else { self.and_bits(a, 0x7fff_ffff) }
    }

    /// The polynomial c0 + x*(c1 + x*(c2 + …)).
    fn poly(&mut self, x: Value, coefficients: &[f32]) -> Value {
        let (last, rest) = coefficients.split_last().expect("a polynomial has coefficients");
        let mut sum = self.float(*last);
        for &c in rest.iter().rev() {
            let c = self.float(c);
            sum = self.mul_add(sum, x, c);
        }
        sum
    }
}
