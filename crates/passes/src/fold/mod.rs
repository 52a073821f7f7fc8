//! Computes what is known at compile time.
//!
//! * Needs: a kernel without variables, at either level.
//! * Gives: operations on constants are constants; identities are applied; `if`s and counted loops whose course is known
//!   are replaced by what they do; divisions and products by powers of two are shifts.
//! * Keeps: every bit of every result, in both arithmetics: an operation on floats is folded only where both agree, and no
//!   identity of real numbers is used that rounding, NaNs or denormals could break.
//!
//! It runs first on what a front end recorded, so that other passes see less, and again behind each pass that leaves
//! constants behind (masks, bounds, expansions).
//!
//! ```kir
//! kernel @f(%p: buf<i32, w>, %x: i32) simd group=16 over=0 {
//!   %a = mul %x, 8
//!   %c = cmp.lt 3, 2
//!   %r = if %c { yield %a } else { yield %x }
//!   store %p[%a], %r
//! }
//! ; check: kernel @f(%p: buf<i32, w>, %x: i32) simd group=16 {
//! ; check:   %a = shl %x, 3
//! ; check:   store %p[%a], %x
//! ; check: }
//! ```

mod flow;
mod int;
mod logic;

use crate::pass::{Facts, Pass};
use quadra_base::Span;
use quadra_base::quick::Map;
use quadra_kir::{Arithmetic, Block, Const, Elem, Inst, Kernel, Level, Op, Type, Value, Values, eval};
use smallvec::SmallVec;

/// The pass.
pub const PASS: Pass = Pass {
    name: "fold",
    about: "computes what is known at compile time",
    needs: Facts::VALUES,
    gives: Facts::NONE,
    run: |kernel, _| {
        run(kernel);
        Ok(())
    },
};

/// Folds `kernel` once from top to bottom.
pub fn run(kernel: &mut Kernel) {
    let body = std::mem::take(&mut kernel.body);
    let mut f = Fold { kernel, map: Map::default(), defs: Map::default() };
    let body = f.block(body);
    f.kernel.body = body;
}

/// What stands for the result of a folded instruction.
enum Folded {
    /// It stays.
    Kept,
    /// Another value.
    Value(Value),
    /// Nothing is left; it had no result.
    Gone,
}

pub(crate) struct Fold<'k> {
    kernel: &'k mut Kernel,
    map: Map<Value, Value>,
    /// Pure operations by their result, to look through.
    defs: Map<Value, (Op, SmallVec<[Value; 4]>)>,
}

impl Fold<'_> {
    fn at(&self, v: Value) -> Value {
        self.map.get(&v).copied().unwrap_or(v)
    }

    fn replace(&mut self, from: Value, to: Value) {
        self.map.insert(from, to);
    }

    fn resolve(&self, inst: &mut Inst) {
        inst.args.iter_mut().for_each(|v| *v = self.at(*v));
        inst.mask = inst.mask.map(|m| self.at(m));
    }

    fn block(&mut self, mut block: Block) -> Block {
        let mut out = Vec::with_capacity(block.insts.len());
        for inst in std::mem::take(&mut block.insts) {
            self.inst(inst, &mut out);
            // Behind a folded `if` that leaves, nothing runs.
            if out.last().is_some_and(|i: &Inst| i.op.is_terminator()) {
                break;
            }
        }
        block.insts = out;
        block
    }

    fn inst(&mut self, mut inst: Inst, out: &mut Vec<Inst>) {
        self.resolve(&mut inst);
        match inst.op {
            Op::If => return self.branch(inst, out),
            Op::For => return self.counted(inst, out),
            Op::Loop => return self.endless(inst, out),
            _ => {}
        }
        let result = inst.results.first().copied();
        match self.simplify(&mut inst, out) {
            Folded::Kept => {
                self.retype(&inst);
                if let [r] = inst.results[..]
                    && inst.op.is_pure()
                {
                    self.defs.insert(r, (inst.op, SmallVec::from_slice(&inst.args)));
                }
                out.push(inst);
            }
            Folded::Value(v) => {
                if let Some(r) = result {
                    self.replace(r, v);
                }
            }
            Folded::Gone => {}
        }
    }

    fn simplify(&mut self, inst: &mut Inst, out: &mut Vec<Inst>) -> Folded {
        if inst.mask.is_some() {
            match self.masked(inst) {
                Folded::Kept => {}
                other => return other,
            }
        }
        if !inst.op.is_pure() {
            return Folded::Kept;
        }
        if let Some(v) = self.constant(inst) {
            return Folded::Value(v);
        }
        let Some(&a) = inst.args.first() else { return Folded::Kept };
        let elem = self.kernel.ty(a).elem;
        if inst.op.is_commutative(elem) && self.known(a) && !self.known(inst.args[1]) {
            inst.args.swap(0, 1);
        }
        let found = match elem {
            _ if inst.op == Op::Select => self.select(inst, out),
            Elem::Bool => self.boolean(inst, out),
            Elem::I32 => self.integer(inst, out),
            _ => None,
        };
        let found = found.or_else(|| self.any_type(inst));
        match found {
            Some(v) => Folded::Value(v),
            None => Folded::Kept,
        }
    }

    fn known(&self, v: Value) -> bool {
        self.kernel.as_const(v).is_some()
    }

    /// The value of an operation on constants, where both arithmetics agree.
    fn constant(&mut self, inst: &Inst) -> Option<Value> {
        let args: SmallVec<[Const; 4]> = inst.args.iter().map(|&v| self.kernel.as_const(v)).collect::<Option<_>>()?;
        if args.is_empty() {
            return None;
        }
        let nearest = eval::constants(inst.op, &args, Arithmetic::Nearest)?;
        let truncated = eval::constants(inst.op, &args, Arithmetic::TowardZero)?;
        (nearest == truncated).then(|| self.kernel.constant(nearest))
    }

    /// Masks that are known.
    fn masked(&mut self, inst: &mut Inst) -> Folded {
        let Some(on) = inst.mask.and_then(|m| self.kernel.as_const(m)).and_then(Const::as_bool) else {
            return Folded::Kept;
        };
        if on {
            inst.mask = None;
            return Folded::Kept;
        }
        match inst.op {
            Op::VoteAll => Folded::Value(self.kernel.constant(Const::bool(true))),
            _ if inst.results.is_empty() => Folded::Gone,
            _ => {
                let elem = self.kernel.ty(inst.result()).elem;
                Folded::Value(self.kernel.constant(Const::zero(elem)))
            }
        }
    }

    /// Identities that hold for every element type: they move bits.
    fn any_type(&mut self, inst: &Inst) -> Option<Value> {
        let a = inst.args[0];
        let simd = self.kernel.level == Level::Simd;
        let uniform = simd && !self.kernel.ty(a).lanes;
        match inst.op {
            // In a launch over an extent, lanes past it read as 0.
            Op::Rotate if uniform && self.kernel.over == 0 => Some(a),
            Op::Rotate if simd && self.kernel.as_i32(inst.args[1]).is_some_and(|n| n & 15 == 0) => Some(a),
            Op::Broadcast if uniform && self.kernel.over == 0 && !self.kernel.ty(inst.args[1]).lanes => Some(a),
            Op::VoteAny | Op::VoteAll if uniform && inst.mask.is_none() => Some(a),
            Op::BitsI32 | Op::BitsF32 => match self.defs.get(&a) {
                Some((Op::BitsI32 | Op::BitsF32, args)) => Some(args[0]),
                _ => None,
            },
            Op::ToI32 if self.kernel.ty(a).elem == Elem::I32 => Some(a),
            _ => None,
        }
    }

    /// Emits an operation on folded operands, folding it in turn.
    fn op(&mut self, op: Op, args: &[Value], out: &mut Vec<Inst>, span: Option<Span>) -> Value {
        let types: Vec<Type> = args.iter().map(|&v| self.kernel.ty(v)).collect();
        let ty = op.result_type(self.kernel.level, &types).expect("folding keeps the operands' types");
        let mut inst = Inst::new(op, args.iter().copied()).at(span);
        let result = self.kernel.new_value(ty);
        inst.results = Values::from_slice(&[result]);
        self.inst(inst, out);
        self.at(result)
    }

    fn int(&mut self, value: i32) -> Value {
        self.kernel.const_i32(value)
    }

    /// At SIMD level operands may have become scalar: the result follows.
    fn retype(&mut self, inst: &Inst) {
        let [r] = inst.results[..] else { return };
        let types: SmallVec<[Type; 4]> = inst.args.iter().map(|&v| self.kernel.ty(v)).collect();
        let ty = match inst.op {
            Op::Load => self.kernel.ty(r).with_lanes(types.iter().any(|t| t.lanes)),
            op if op.is_pure() => match op.result_type(self.kernel.level, &types) {
                Ok(ty) => ty,
                Err(_) => return,
            },
            _ => return,
        };
        self.kernel.values[r].ty = ty;
    }
}

#[cfg(test)]
mod tests;
