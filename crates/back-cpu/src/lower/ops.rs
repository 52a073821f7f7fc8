//! Lane-wise operations: what `kir::eval` says in round-to-nearest arithmetic, as LLVM IR.
//!
//! Operands have the type of the operation, one element per lane or one for all; the results are those of the interpreter
//! bit for bit, except that a NaN may have another sign where nothing looks at bits. Functions that no instruction computes are the interpreter's own,
//! called with 16 lanes.

use super::state::Lower;
use super::words::suffix;
use crate::common::text::{self, number};
use quadra_kir::eval::exponential;
use quadra_kir::{Elem, Inst, Op, Type};

/// A question that an operand of an instruction is asked: whether it is above zero, or below.
#[derive(Clone, Copy)]
pub(super) struct Side {
    operand: usize,
    above: bool,
}

impl Lower<'_> {
    /// The value of `op` on operands `a`, `b`, `c` of type `t` (the second operand's of a `select`), with results of `to`.
    pub(super) fn lanewise(&mut self, op: Op, t: Type, to: Type, args: &[String]) -> String {
        let none = String::new();
        let (a, b) = (&args[0], args.get(1).unwrap_or(&none));
        match op {
            Op::Select => {
                let cond = text::ty(Type { elem: Elem::Bool, ..to });
                let ty = text::ty(to);
                self.t.def(&format!("select {cond} {a}, {ty} {b}, {ty} {}", args[2]))
            }
            Op::ToI32 | Op::ToF32 | Op::ToI64 | Op::ToF64 => {
                let value = self.convert(op, t, to, a);
                if to.elem.is_float() && t.elem.is_float() && t != to { self.one_nan(to, value) } else { value }
            }
            Op::BitsI32 | Op::BitsF32 => self.t.def(&format!("bitcast {} {a} to {}", text::ty(t), text::ty(to))),
            _ if t.elem.is_float() => {
                let value = self.float(op, t, a, b);
                let makes_nan = to.elem.is_float() && !matches!(op, Op::Min | Op::Max | Op::Abs);
                if makes_nan { self.one_nan(to, value) } else { value }
            }
            _ => self.integer(op, t, a, b),
        }
    }

    /// A NaN that an operation makes is the positive quiet one. Only the bits tell, so that kernels that never look at bits
    /// do without this.
    fn one_nan(&mut self, t: Type, value: String) -> String {
        if !self.looks_at_bits {
            return value;
        }
        let nan = self.op2("fcmp uno", t, &value, &value);
        let (word, quiet) = match t.elem {
            Elem::F64 => ("i64", 0x7ff8_0000_0000_0000u64),
            _ => ("i32", 0x7fc0_0000),
        };
        let quiet = text::lanes_of(t, &format!("bitcast ({word} {quiet} to {})", text::elem(t.elem)));
        self.choose(t, &nan, &quiet, &value)
    }

    pub(super) fn op2(&mut self, name: &str, t: Type, a: &str, b: &str) -> String {
        self.t.def(&format!("{name} {} {a}, {b}", text::ty(t)))
    }

    pub(super) fn choose(&mut self, t: Type, cond: &str, a: &str, b: &str) -> String {
        let (mask, ty) = (text::ty(t.with_elem(Elem::Bool)), text::ty(t));
        self.t.def(&format!("select {mask} {cond}, {ty} {a}, {ty} {b}"))
    }

    pub(super) fn intrinsic(&mut self, name: &str, t: Type, args: &[&str]) -> String {
        let ty = text::ty(t);
        let args: Vec<(&str, &str)> = args.iter().map(|a| (ty.as_str(), *a)).collect();
        self.t.call(&ty, &format!("llvm.{name}.{}", suffix(t)), &args)
    }

    /// Whether a minimum or maximum is one of two numbers that the data say, in a kernel whose loops carry integers from iteration
    /// to iteration.
    fn is_recurrence(&self, t: Type, a: &str, b: &str) -> bool {
        let scalar = |t: Type| !t.lanes && matches!(t.elem, Elem::I32 | Elem::I64);
        let carries =
            |i: &Inst| matches!(i.op, Op::For | Op::Loop) && i.results.iter().any(|&r| scalar(self.kernel.ty(r)));
        let known = |v: &str| !v.starts_with('%');
        let fits = scalar(t) && (t.elem == Elem::I32 || self.plan.scales);
        fits && !known(a) && !known(b) && self.kernel.body.any(&mut |i| carries(i))
    }

    /// A minimum or maximum by a conditional move. LLVM would make a branch of it in a loop that waits for it, which the processor
    /// guesses wrong as often as the data are random: that costs more than all else in an iteration. Older than version 17, it does so
    /// all the same; and if it knew that this is a minimum, it would forget that nobody can guess.
    fn moved(&mut self, op: Op, t: Type, a: &str, b: &str) -> String {
        let ty = text::ty(t);
        let hidden = self.t.def(&format!("call {ty} asm \"\", \"=r,0\"({ty} {a}) readnone nounwind"));
        let other = self.op2(if op == Op::Min { "icmp sgt" } else { "icmp slt" }, t, &hidden, b);
        self.t.def(&format!("select i1 {other}, {ty} {b}, {ty} {a}, !unpredictable !0"))
    }

    fn integer(&mut self, op: Op, t: Type, a: &str, b: &str) -> String {
        let zero = number(t, 0);
        let width = if t.elem == Elem::I64 { 64 } else { 32 };
        match op {
            Op::Add => self.op2("add", t, a, b),
            Op::Sub => self.op2("sub", t, a, b),
            Op::Mul => self.op2("mul", t, a, b),
            Op::Mul24 => {
                let low = number(t, 0xff_ffff);
                let (a, b) = (self.op2("and", t, a, &low), self.op2("and", t, b, &low));
                let product = self.op2("mul", t, &a, &b);
                if width == 64 { self.op2("and", t, &product, &number(t, 0xffff_ffff)) } else { product }
            }
            Op::Div | Op::Rem | Op::Mod => self.divide(op, t, a, b),
            Op::Min | Op::Max if self.is_recurrence(t, a, b) => self.moved(op, t, a, b),
            Op::Min => self.intrinsic("smin", t, &[a, b]),
            Op::Max => self.intrinsic("smax", t, &[a, b]),
            Op::MinU => self.intrinsic("umin", t, &[a, b]),
            Op::MaxU => self.intrinsic("umax", t, &[a, b]),
            Op::Neg => self.op2("sub", t, &zero, a),
            Op::Abs => {
                let negative = self.op2("sub", t, &zero, a);
                let below = self.op2("icmp slt", t, a, &zero);
                self.choose(t, &below, &negative, a)
            }
            Op::And => self.op2("and", t, a, b),
            Op::Or => self.op2("or", t, a, b),
            Op::Xor => self.op2("xor", t, a, b),
            Op::Not => self.op2("xor", t, a, &ones(t)),
            Op::AndNot => {
                let not = self.op2("xor", t, b, &ones(t));
                self.op2("and", t, a, &not)
            }
            Op::Shl | Op::Shr | Op::Asr => {
                let count = self.op2("and", t, b, &number(t, width - 1));
                let name =
                    [(Op::Shl, "shl"), (Op::Shr, "lshr")].into_iter().find(|n| n.0 == op).map_or("ashr", |n| n.1);
                self.op2(name, t, a, &count)
            }
            Op::Ror => self.intrinsic("fshr", t, &[a, a, b]),
            Op::Popcount => self.intrinsic("ctpop", t, &[a]),
            Op::Clz => self.leading_zeros(t, a),
            _ => {
                let cond = match op {
                    Op::CmpEq => "eq",
                    Op::CmpNe => "ne",
                    Op::CmpLt => "slt",
                    Op::CmpLe => "sle",
                    Op::CmpGt => "sgt",
                    Op::CmpGe => "sge",
                    Op::CmpLtU => "ult",
                    Op::CmpLeU => "ule",
                    Op::CmpGtU => "ugt",
                    Op::CmpGeU => "uge",
                    _ => quadra_base::bug!("`{}` has no meaning on integers", op.mnemonic()),
                };
                self.op2(&format!("icmp {cond}"), t, a, b)
            }
        }
    }

    fn leading_zeros(&mut self, t: Type, a: &str) -> String {
        let ty = text::ty(t);
        self.t.call(&ty, &format!("llvm.ctlz.{}", suffix(t)), &[(&ty, a), ("i1", "false")])
    }

    /// Division with a divisor of 1 where the true one would trap: for 0, and for MIN / -1.
    fn divide(&mut self, op: Op, t: Type, a: &str, b: &str) -> String {
        let zero = number(t, 0);
        if let Some(value) = self.divide_lanes(op, t, a, b) {
            return if op == Op::Mod { self.with_sign_of_divisor(t, &value, b) } else { value };
        }
        let least = number(t, if t.elem == Elem::I64 { i64::MIN } else { i64::from(i32::MIN) });
        let by_zero = self.op2("icmp eq", t, b, &zero);
        let minus = self.op2("icmp eq", t, b, &number(t, -1));
        let lowest = self.op2("icmp eq", t, a, &least);
        let truth = t.with_elem(Elem::Bool);
        let wraps = self.op2("and", truth, &minus, &lowest);
        let traps = self.op2("or", truth, &by_zero, &wraps);
        let divisor = self.choose(t, &traps, &number(t, 1), b);
        if op == Op::Div {
            let quotient = self.op2("sdiv", t, a, &divisor);
            return self.choose(t, &by_zero, &zero, &quotient);
        }
        let rest = self.op2("srem", t, a, &divisor);
        if op == Op::Rem { rest } else { self.with_sign_of_divisor(t, &rest, b) }
    }

    /// A remainder as `mod` has it.
    fn with_sign_of_divisor(&mut self, t: Type, rest: &str, b: &str) -> String {
        let (zero, truth) = (number(t, 0), t.with_elem(Elem::Bool));
        let some = self.op2("icmp ne", t, rest, &zero);
        let signs = self.op2("xor", t, rest, b);
        let differ = self.op2("icmp slt", t, &signs, &zero);
        let wrong = self.op2("and", truth, &some, &differ);
        let moved = self.op2("add", t, rest, b);
        self.choose(t, &wrong, &moved, rest)
    }

    /// An operation with LLVM's permissions for kernels that need not be exact.
    fn may_contract(&self, name: &'static str) -> &'static str {
        match name {
            _ if !self.kernel.relaxed => name,
            // For each sum whose zero has no sign, LLVM would look whether its negative is cheaper.
            "fadd" => "fadd contract",
            "fsub" => "fsub nsz arcp contract",
            "fmul" => "fmul nsz arcp contract",
            _ => "fdiv nsz arcp contract",
        }
    }

    fn float(&mut self, op: Op, t: Type, a: &str, b: &str) -> String {
        match op {
            Op::Add => self.op2(self.may_contract("fadd"), t, a, b),
            Op::Sub => self.op2(self.may_contract("fsub"), t, a, b),
            Op::Mul => self.op2(self.may_contract("fmul"), t, a, b),
            Op::Div => self.op2(self.may_contract("fdiv"), t, a, b),
            Op::Recip | Op::RecipApprox => self.op2("fdiv", t, &number(t, 1), a),
            Op::Neg => self.op2("fsub", t, &number(t, 0), a),
            Op::Abs => self.intrinsic("fabs", t, &[a]),
            Op::Min | Op::Max => {
                let greater = self.op2("fcmp ogt", t, a, b);
                if op == Op::Min { self.choose(t, &greater, b, a) } else { self.choose(t, &greater, a, b) }
            }
            Op::CmpEq => self.op2("fcmp oeq", t, a, b),
            Op::CmpNe => self.op2("fcmp une", t, a, b),
            Op::CmpLt => self.op2("fcmp olt", t, a, b),
            Op::CmpLe => self.op2("fcmp ole", t, a, b),
            Op::CmpGt => self.op2("fcmp ogt", t, a, b),
            Op::CmpGe => self.op2("fcmp oge", t, a, b),
            Op::Floor => self.intrinsic("floor", t, &[a]),
            Op::Ceil => self.intrinsic("ceil", t, &[a]),
            Op::Trunc => self.intrinsic("trunc", t, &[a]),
            Op::Sqrt => self.square_root(t, a),
            Op::Exp | Op::Exp2 | Op::Exp2Approx if t.elem == Elem::F32 => self.exponential(op, t, a),
            Op::Rsqrt | Op::RsqrtApprox => self.reciprocal_root(op, t, a),
            _ => self.elementary(op, t, a, b).unwrap_or_else(|| self.library(op, t, a, b)),
        }
    }

    /// Whether `inst` asks on which side of zero an operand is, in a way that LLVM must not see where the processor has a
    /// minimum: it takes `x < 0 ? x : 0` for one and forgets that its own may give either zero (not so on x86-64).
    pub(super) fn side_of_zero(&self, inst: &Inst, t: Type) -> Option<Side> {
        if cfg!(target_arch = "x86_64") || !t.elem.is_float() {
            return None;
        }
        let bits =
            |c: quadra_kir::Const| if c.elem == Elem::F64 { c.bits << 1 } else { u64::from((c.bits as u32) << 1) };
        let zero = |i: usize| self.kernel.as_const(inst.args[i]).is_some_and(|c| bits(c) == 0);
        let greater = match inst.op {
            Op::CmpGt | Op::Min | Op::Max => true,
            Op::CmpLt => false,
            _ => return None,
        };
        match (zero(0), zero(1)) {
            (_, true) => Some(Side { operand: 0, above: greater }),
            (true, _) => Some(Side { operand: 1, above: !greater }),
            _ => None,
        }
    }

    /// The comparison, minimum or maximum that `side` decides, told from the bits as an integer.
    pub(super) fn by_side(&mut self, op: Op, t: Type, side: Side, args: &[String]) -> String {
        let (word, first, count) = match (t.elem, side.above) {
            (Elem::F64, true) => (Elem::I64, 1, 0x7ff0_0000_0000_0000),
            (Elem::F64, false) => (Elem::I64, i64::MIN + 1, 0x7ff0_0000_0000_0000),
            (_, true) => (Elem::I32, 1, 0x7f80_0000),
            (_, false) => (Elem::I32, i64::from(i32::MIN) + 1, 0x7f80_0000),
        };
        let words = t.with_elem(word);
        let bits = self.t.def(&format!("bitcast {} {} to {}", text::ty(t), args[side.operand], text::ty(words)));
        let from = self.op2("sub", words, &bits, &number(words, first));
        let holds = self.op2("icmp ult", words, &from, &number(words, count));
        match op {
            Op::Min => self.choose(t, &holds, &args[1], &args[0]),
            Op::Max => self.choose(t, &holds, &args[0], &args[1]),
            _ => holds,
        }
    }

    fn square_root(&mut self, t: Type, a: &str) -> String {
        let zero = number(t, 0);
        let negative = self.op2("fcmp olt", t, a, &zero);
        let a = self.choose(t, &negative, &zero, a);
        self.intrinsic("sqrt", t, &[&a])
    }

    /// As `kir::eval::exponential` does it; a NaN goes through all of it.
    fn exponential(&mut self, op: Op, t: Type, x: &str) -> String {
        let base_e = op == Op::Exp;
        let (low, high) = if base_e { exponential::EXP_LIMITS } else { exponential::EXP2_LIMITS };
        let constant = |c: f32| text::lanes_of(t, &format!("0x{:016X}", f64::from(c).to_bits()));
        // Or the rest is kept small: then 2 to the n alone says what is infinite, 0 or no number.
        let scales = self.plan.scales && t.lanes;
        let tame = if scales {
            x.to_string()
        } else {
            let above = self.op2("fcmp ogt", t, x, &constant(high));
            let tame = self.choose(t, &above, &constant(high), x);
            let below = self.op2("fcmp olt", t, &tame, &constant(low));
            self.choose(t, &below, &constant(low), &tame)
        };
        let scaled = if base_e { self.op2("fmul", t, &tame, &constant(exponential::LOG2_E)) } else { tame.clone() };
        let n = self.intrinsic("roundeven", t, &[&scaled]);
        let rest = if base_e {
            let minus = self.t.def(&format!("fneg {} {n}", text::ty(t)));
            let rest = self.fused(t, &minus, &constant(exponential::LN_2.0), &tame);
            self.fused(t, &minus, &constant(exponential::LN_2.1), &rest)
        } else {
            self.op2("fsub", t, &tame, &n)
        };
        let rest = if scales { self.nearer_to_zero(t, &rest, &constant(0.5)) } else { rest };
        let factors: &[f32] = if base_e { &exponential::EXP } else { &exponential::EXP2 };
        let mut sum = constant(factors[0]);
        for c in factors[1..].iter().chain(&[1.0]) {
            sum = self.fused(t, &sum, &rest, &constant(*c));
        }
        self.scale(t, &sum, &n)
    }

    /// What lies nearer to zero, `x` or `most` with the sign of `x`; `most` if `x` is no number.
    fn nearer_to_zero(&mut self, t: Type, x: &str, most: &str) -> String {
        self.avx512("range", t, [x, most], Some("2"))
    }

    /// One of AVX-512's operations on two vectors of floats, in halves if vectors are handled so: LLVM cannot split an
    /// instruction that is named with its width.
    fn avx512(&mut self, name: &str, t: Type, args: [&str; 2], how: Option<&str>) -> String {
        let v = text::ty(t);
        if !self.plan.halves {
            let mut all = vec![(v.as_str(), args[0]), (&v, args[1])];
            all.extend(how.map(|how| ("i32", how)));
            all.extend([(v.as_str(), "zeroinitializer"), ("i16", "-1"), ("i32", "4")]);
            return self.t.call(&v, &format!("llvm.x86.avx512.mask.{name}.ps.512"), &all);
        }
        const HALF: &str = "<8 x float>";
        let numbers = |from: usize, many: usize| {
            let numbers: Vec<String> = (from..from + many).map(|n| format!("i32 {n}")).collect();
            format!("<{many} x i32> <{}>", numbers.join(", "))
        };
        let halves = [0, 8].map(|first| {
            let cut = |t: &mut text::Text, x: &str| {
                t.def(&format!("shufflevector {v} {x}, {v} zeroinitializer, {}", numbers(first, 8)))
            };
            let (a, b) = (cut(&mut self.t, args[0]), cut(&mut self.t, args[1]));
            let mut all = vec![(HALF, a.as_str()), (HALF, &b)];
            all.extend(how.map(|how| ("i32", how)));
            all.extend([(HALF, "zeroinitializer"), ("i8", "-1")]);
            self.t.call(HALF, &format!("llvm.x86.avx512.mask.{name}.ps.256"), &all)
        });
        self.t.def(&format!("shufflevector {HALF} {}, {HALF} {}, {}", halves[0], halves[1], numbers(0, 16)))
    }

    /// `p` times 2 to the `n`, a whole number as a float, rounded once.
    fn scale(&mut self, t: Type, p: &str, n: &str) -> String {
        if self.plan.scales && t.lanes {
            return self.avx512("scalef", t, [p, n], None);
        }
        // By two powers of about half of it: between the limits of `x` the first product is exact, and the second one rounded.
        let whole = t.with_elem(Elem::I32);
        let nan = self.op2("fcmp uno", t, n, n);
        let safe = self.choose(t, &nan, &number(t, 0), n);
        let n = self.t.def(&format!("fptosi {} {safe} to {}", text::ty(t), text::ty(whole)));
        let half = self.op2("ashr", whole, &n, &number(whole, 1));
        let rest = self.op2("sub", whole, &n, &half);
        let mut product = p.to_string();
        for by in [half, rest] {
            let biased = self.op2("add", whole, &by, &number(whole, 127));
            let bits = self.op2("shl", whole, &biased, &number(whole, 23));
            let power = self.t.def(&format!("bitcast {} {bits} to {}", text::ty(whole), text::ty(t)));
            product = self.op2("fmul", t, &product, &power);
        }
        product
    }

    /// In double precision, and rounded once, as the interpreter does.
    fn reciprocal_root(&mut self, op: Op, t: Type, a: &str) -> String {
        let wide = t.with_elem(Elem::F64);
        let (from, to) = (text::ty(t), text::ty(wide));
        let x = if t == wide { a.to_string() } else { self.t.def(&format!("fpext {from} {a} to {to}")) };
        let root = match op {
            Op::Rsqrt => self.square_root(wide, &x),
            _ => {
                let x = self.intrinsic("fabs", wide, &[&x]);
                self.intrinsic("sqrt", wide, &[&x])
            }
        };
        let r = self.op2("fdiv", wide, &number(wide, 1), &root);
        if t == wide { r } else { self.t.def(&format!("fptrunc {to} {r} to {from}")) }
    }

    /// The integer that a float becomes which is known to fit.
    pub(super) fn truncated(&mut self, inst: &Inst) -> Option<String> {
        let &from = inst.args.first().filter(|_| inst.op == Op::ToI32)?;
        self.range.span(self.kernel, from)?.truncated()?;
        let (to, of) =
            (self.kernel.ty(inst.result()), self.kernel.ty(from).with_lanes(self.kernel.ty(inst.result()).lanes));
        let value = self.value_as(from, of);
        Some(self.t.def(&format!("fptosi {} {value} to {}", text::ty(of), text::ty(to))))
    }

    fn convert(&mut self, op: Op, from: Type, to: Type, a: &str) -> String {
        let (f, t) = (text::ty(from), text::ty(to));
        let conversion = match (from.elem, op) {
            (Elem::Bool, Op::ToI32 | Op::ToI64) => "zext",
            (Elem::Bool, _) => "uitofp",
            (Elem::I32, Op::ToI32) | (Elem::I64, Op::ToI64) | (Elem::F32, Op::ToF32) | (Elem::F64, Op::ToF64) => {
                return a.to_string();
            }
            (Elem::I32, Op::ToI64) => "sext",
            (Elem::I64, Op::ToI32) => "trunc",
            (Elem::I64, Op::ToF64) if from.lanes && self.plan.avx2 => return self.doubles(a),
            (Elem::I32 | Elem::I64, _) => "sitofp",
            (Elem::F32, Op::ToF64) => "fpext",
            (Elem::F64, Op::ToF32) => "fptrunc",
            (_, op) => {
                // Out of range, and NaN, gives 0.
                let limit = if op == Op::ToI32 { 1i64 << 31 } else { i64::MAX };
                let size = self.intrinsic("fabs", from, &[a]);
                let fits = self.op2("fcmp olt", from, &size, &number(from, limit));
                let a = self.choose(from, &fits, a, &number(from, 0));
                return self.t.def(&format!("fptosi {f} {a} to {t}"));
            }
        };
        self.t.def(&format!("{conversion} {f} {a} to {t}"))
    }

    /// A function of the interpreter, called with 16 lanes through the frame.
    pub(super) fn library(&mut self, op: Op, t: Type, a: &str, b: &str) -> String {
        let lanes = t.with_lanes(true);
        let ty = text::ty(lanes);
        let slots = self.scratch(t.elem);
        for (value, slot) in [(a, &slots[0]), (b, &slots[1])] {
            if !value.is_empty() {
                let value = if t.lanes { value.to_string() } else { self.t.splat(text::elem(t.elem), value) };
                self.t.line(&format!("store {ty} {value}, ptr {slot}, align 64"));
            }
        }
        let code = op as u32;
        let function = self.helper(crate::native::context::layout::FUNCTION);
        let wide = u32::from(t.elem == Elem::F64);
        let (x, y, r) = (&slots[0], &slots[1], &slots[2]);
        self.t.line(&format!("call void {function}(i32 {code}, i32 {wide}, ptr {x}, ptr {y}, ptr {r})"));
        let result = self.t.def(&format!("load {ty}, ptr {r}, align 64"));
        if t.lanes { result } else { self.t.def(&format!("extractelement {ty} {result}, i32 0")) }
    }
}

/// All bits set.
fn ones(t: Type) -> String {
    if t.elem == Elem::Bool { text::lanes_of(t, "true") } else { number(t, -1) }
}
