//! Quotients and remainders of vectors of integers, which no processor divides as vectors, by way of doubles.
//!
//! Integers of 32 bits are doubles, and the quotient of two such, truncated, is theirs. Of integers of 64 bits the sizes are
//! divided, as numbers without sign up to 2^63: their doubles' quotient is off by 2^-51 of itself at most, so that
//! truncated it is the right one, or a neighbour, as long as it is below 2^51. That it is right is seen from the remainder, which
//! is not negative and less than the divisor; where it is not in some lane, all lanes are divided again by a function that is
//! right for all numbers. Without AVX-512 a double becomes an integer by adding 2^52, and numbers beyond that go to the
//! function, which divides one by one.

use super::state::Lower;
use crate::common::text::{self, MASK, number};
use quadra_kir::{Elem, Op, Type};

/// What the doubles of whole numbers below 2^52 have in common, and the number it stands for.
const MAGIC: i64 = 0x4330_0000_0000_0000;
const TWO_52: i64 = 1 << 52;

/// The function that divides what the quick way does not.
const FUNCTION: &str = "quotients";

const WIDE: Type = Type { elem: Elem::I64, lanes: true };
const DOUBLES: Type = Type { elem: Elem::F64, lanes: true };

/// What the lanes of one division are computed from.
struct Sizes {
    a: String,
    b: String,
}

/// The function where nothing divides vectors. As a loop it is compiled in a fraction of the time that LLVM takes for 16 lanes.
fn one_by_one() -> String {
    format!(
        "define internal void @{FUNCTION}(ptr %x, ptr %y, ptr %z) noinline cold nounwind {{\nentry:\n  br label %next\nnext:\n\
         %i = phi i64 [ 0, %entry ], [ %j, %next ]\n\
         %xi = getelementptr i64, ptr %x, i64 %i\n%yi = getelementptr i64, ptr %y, i64 %i\n\
         %zi = getelementptr i64, ptr %z, i64 %i\n%a = load i64, ptr %xi\n%b = load i64, ptr %yi\n\
         %q = udiv i64 %a, %b\nstore i64 %q, ptr %zi\n%j = add i64 %i, 1\n%more = icmp ult i64 %j, 16\n\
         br i1 %more, label %next, label %done\ndone:\n  ret void\n}}\n"
    )
}

/// Whether LLVM divides by it without dividing: a power of two, or for 32 bits any constant.
fn is_easy(elem: Elem, divisor: &str) -> bool {
    let constant = divisor.trim_matches('`').split_whitespace().last().and_then(|n| n.parse::<i64>().ok());
    let constant = constant.filter(|_| divisor.starts_with('`'));
    constant.is_some_and(|c| elem == Elem::I32 || c.unsigned_abs().is_power_of_two())
}

impl Lower<'_> {
    /// Truncated quotients, or the remainders with the sign of `a`; by 0 both are 0. Nothing if LLVM has a better way.
    pub(super) fn divide_lanes(&mut self, op: Op, t: Type, a: &str, b: &str) -> Option<String> {
        if !t.lanes || is_easy(t.elem, b) {
            return None;
        }
        let key = format!("quotients {} {a} {b}", text::elem(t.elem));
        let rest = format!("rests of {key}");
        if !self.memo.contains_key(&key) {
            let (q, r) = if t.elem == Elem::I64 { self.divide_wide(a, b) } else { self.divide_short(t, a, b) };
            self.memo.insert(key.clone(), q);
            self.memo.insert(rest.clone(), r);
        }
        self.memo.get(if op == Op::Div { &key } else { &rest }).cloned()
    }

    /// Of 32 bits.
    fn divide_short(&mut self, t: Type, a: &str, b: &str) -> (String, String) {
        let zero = number(t, 0);
        let by_zero = self.op2("icmp eq", t, b, &zero);
        let divisor = self.choose(t, &by_zero, &number(t, 1), b);
        // MIN / -1 is MIN, as MIN / 1 is.
        let least = self.op2("icmp eq", t, a, &number(t, i32::MIN.into()));
        let minus = self.op2("icmp eq", t, b, &number(t, -1));
        let wraps = self.op2("and", t.with_elem(Elem::Bool), &least, &minus);
        let divisor = self.choose(t, &wraps, &number(t, 1), &divisor);
        let (ty, wide) = (text::ty(t), text::ty(DOUBLES));
        let [x, y] = [a, &divisor].map(|v| self.t.def(&format!("sitofp {ty} {v} to {wide}")));
        let quotient = self.op2("fdiv", DOUBLES, &x, &y);
        let q = self.t.def(&format!("fptosi {wide} {quotient} to {ty}"));
        let q = self.choose(t, &by_zero, &zero, &q);
        let product = self.op2("mul", t, &q, &divisor);
        let r = self.op2("sub", t, a, &product);
        (q, self.choose(t, &by_zero, &zero, &r))
    }

    /// Of 64 bits.
    fn divide_wide(&mut self, a: &str, b: &str) -> (String, String) {
        let zero = number(WIDE, 0);
        let by_zero = self.op2("icmp eq", WIDE, b, &zero);
        let size = |l: &mut Self, v: &str| {
            let ty = text::ty(WIDE);
            l.t.call(&ty, "llvm.abs.v16i64", &[(&ty, v), ("i1", "false")])
        };
        let sizes = Sizes { a: size(self, a), b: size(self, b) };
        let b_size = self.choose(WIDE, &by_zero, &number(WIDE, 1), &sizes.b);
        let sizes = Sizes { b: b_size, ..sizes };
        let (q, r) = self.divide_sizes(&sizes);
        // Signs.
        let signs = self.op2("xor", WIDE, a, b);
        let differ = self.op2("icmp slt", WIDE, &signs, &zero);
        let minus = self.op2("sub", WIDE, &zero, &q);
        let q = self.choose(WIDE, &differ, &minus, &q);
        let q = self.choose(WIDE, &by_zero, &zero, &q);
        let negative = self.op2("icmp slt", WIDE, a, &zero);
        let minus = self.op2("sub", WIDE, &zero, &r);
        (q, self.choose(WIDE, &negative, &minus, &r))
    }

    /// Quotient and remainder of numbers without sign up to 2^63, the divisor at least 1.
    fn divide_sizes(&mut self, sizes: &Sizes) -> (String, String) {
        let Sizes { a, b } = sizes;
        let (q, fits) = if self.plan.scales { (self.estimate(a, b), None) } else { self.estimate_below(a, b) };
        let (q, r) = self.one_less(&q, a, b);
        let mut good = self.op2("icmp ult", WIDE, &r, b);
        if let Some(fits) = fits {
            good = self.op2("and", WIDE.with_elem(Elem::Bool), &good, &fits);
        }
        let bad = self.t.def(&format!("xor {MASK} {good}, {}", super::words::all()));
        let any = self.t.any(&bad);
        let ty = text::ty(WIDE);
        let [quotient, rest] = [(); 2].map(|()| self.t.slot(&format!("{ty}, align 64")));
        let keep = |l: &mut Self, q: &str, r: &str| {
            for (value, slot) in [(q, &quotient), (r, &rest)] {
                l.t.line(&format!("store {ty} {value}, ptr {slot}, align 64"));
            }
        };
        keep(self, &q, &r);
        let (again, done) = (self.t.fresh_label(), self.t.fresh_label());
        self.t.branch_if(&any, &again, &done);
        self.t.label(&again);
        let [x, y, z] = self.room_for_quotients();
        self.t.line(&format!("store {ty} {a}, ptr {x}, align 64"));
        self.t.line(&format!("store {ty} {b}, ptr {y}, align 64"));
        self.t.line(&format!("call void @{FUNCTION}(ptr {x}, ptr {y}, ptr {z})"));
        let q = self.t.def(&format!("load {ty}, ptr {z}, align 64"));
        let r = self.rest_of(&q, a, b);
        keep(self, &q, &r);
        self.t.branch(&done);
        self.t.label(&done);
        let [q, r] = [&quotient, &rest].map(|slot| self.t.def(&format!("load {ty}, ptr {slot}, align 64")));
        (q, r)
    }

    /// What is left of `a` without `q` times `b`.
    fn rest_of(&mut self, q: &str, a: &str, b: &str) -> String {
        let product = self.op2("mul", WIDE, q, b);
        self.op2("sub", WIDE, a, &product)
    }

    /// An estimate or, where it is too large, one less; and the rest.
    fn one_less(&mut self, q: &str, a: &str, b: &str) -> (String, String) {
        let r = self.rest_of(q, a, b);
        let below = self.op2("icmp slt", WIDE, &r, &number(WIDE, 0));
        let (less, more) = (self.op2("add", WIDE, q, &number(WIDE, -1)), self.op2("add", WIDE, &r, b));
        (self.choose(WIDE, &below, &less, q), self.choose(WIDE, &below, &more, &r))
    }

    /// The quotient of the doubles, truncated: at most 2^63.
    fn estimate(&mut self, a: &str, b: &str) -> String {
        let (ty, wide) = (text::ty(WIDE), text::ty(DOUBLES));
        let [x, y] = [a, b].map(|v| self.t.def(&format!("uitofp {ty} {v} to {wide}")));
        let quotient = self.op2("fdiv", DOUBLES, &x, &y);
        self.t.def(&format!("fptoui {wide} {quotient} to {ty}"))
    }

    /// As [`estimate`](Lower::estimate) for numbers below 2^52, rounded, and where they are.
    fn estimate_below(&mut self, a: &str, b: &str) -> (String, Option<String>) {
        let (ty, wide) = (text::ty(WIDE), text::ty(DOUBLES));
        let both = self.op2("or", WIDE, a, b);
        let fits = self.op2("icmp ult", WIDE, &both, &number(WIDE, TWO_52));
        let [x, y] = [a, b].map(|v| {
            let bits = self.op2("or", WIDE, v, &number(WIDE, MAGIC));
            let above = self.t.def(&format!("bitcast {ty} {bits} to {wide}"));
            self.op2("fsub", DOUBLES, &above, &number(DOUBLES, TWO_52))
        });
        let quotient = self.op2("fdiv", DOUBLES, &x, &y);
        let above = self.op2("fadd", DOUBLES, &quotient, &number(DOUBLES, TWO_52));
        let bits = self.t.def(&format!("bitcast {wide} {above} to {ty}"));
        (self.op2("and", WIDE, &bits, &number(WIDE, TWO_52 - 1)), Some(fits))
    }

    /// Room for what the function divides and for what it finds; the function is written the first time.
    fn room_for_quotients(&mut self) -> [String; 3] {
        if let Some(room) = &self.quotients {
            return room.clone();
        }
        let room = [(); 3].map(|()| self.t.slot(&format!("{}, align 64", text::ty(WIDE))));
        self.quotients = Some(room.clone());
        if !self.plan.scales {
            self.functions += &one_by_one();
            return room;
        }
        let lines = std::mem::take(&mut self.t.lines);
        let ty = text::ty(WIDE);
        let [a, b] = ["%x", "%y"].map(|p| self.t.def(&format!("load {ty}, ptr {p}, align 64")));
        let q = self.refined(&a, &b);
        self.t.line(&format!("store {ty} {q}, ptr %z, align 64"));
        let body = std::mem::replace(&mut self.t.lines, lines);
        self.functions += &format!(
            "define internal void @{FUNCTION}(ptr %x, ptr %y, ptr %z) noinline cold nounwind {{\nentry:\n{}  ret void\n}}\n",
            crate::common::brief::brief(&body)
        );
        room
    }

    /// Right for all numbers: what an estimate leaves, which is below 2^12 times the divisor, is divided again and rounded down;
    /// what that leaves lies between 0 and twice the divisor, or just below 0.
    fn refined(&mut self, a: &str, b: &str) -> String {
        let (ty, wide) = (text::ty(WIDE), text::ty(DOUBLES));
        let q = self.estimate(a, b);
        let r = self.rest_of(&q, a, b);
        let x = self.t.def(&format!("sitofp {ty} {r} to {wide}"));
        let y = self.t.def(&format!("uitofp {ty} {b} to {wide}"));
        let quotient = self.op2("fdiv", DOUBLES, &x, &y);
        let quotient = self.intrinsic("floor", DOUBLES, &[&quotient]);
        let more = self.t.def(&format!("fptosi {wide} {quotient} to {ty}"));
        let q = self.op2("add", WIDE, &q, &more);
        let (q, r) = self.one_less(&q, a, b);
        let above = self.op2("icmp uge", WIDE, &r, b);
        let next = self.op2("add", WIDE, &q, &number(WIDE, 1));
        self.choose(WIDE, &above, &next, &q)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divisions_that_are_shifts_or_multiplications_stay_with_llvm() {
        assert!(is_easy(Elem::I64, &number(WIDE, 64)) && is_easy(Elem::I64, &number(WIDE, -8)));
        assert!(!is_easy(Elem::I64, &number(WIDE, 1000)) && !is_easy(Elem::I64, "%t7"));
        assert!(is_easy(Elem::I32, &number(WIDE.with_elem(Elem::I32), 1000)));
    }
}
