//! Quotients of vectors of floats by one number: a product with its reciprocal, corrected, instead of a division, which takes
//! five to ten times as long.
//!
//! With `r` the rounded reciprocal of a divisor `c` above zero, `q` the rounded product `x` · `r`, and `e` = `q` · `c` - `x`, the
//! quotient is `q` - `e` · `r`, rounded once (Markstein's correction; Brisebarre, Muller and Raina have it for divisors that are known
//! in advance). It is the one that division gives if `q` and `e` are not rounded to fewer digits than normal numbers have and nothing is
//! infinite: then `q` is a neighbour of `x` / `c` wherever that is near the middle of two floats, `e` is exact there, and the
//! error of `e` · `r` is less than the distance that quotients of two floats keep from such a middle. The divisors that count here lie
//! between 2^-44 and 2^44, and the numbers that are divided between 2^-80 and 2^82, so that `q` lies between 2^-124 and 2^126
//! and the last digit of `e` is at least 2^-128. Zeros are right, too: `e` is `+0`, and `-0` · `r` + `q` has the sign of `q`.
//! Lanes outside are found by one test for all of them, and then all are divided. Whole numbers up to 2^82 need no test.

use super::state::Lower;
use super::wholes;
use crate::common::text::{self, number};
use quadra_kir::{Elem, Inst, Op, Type, Value};

/// Biased exponents of the numbers that are divided: the lowest, and the one that only a power of two may have.
const LEAST: u32 = 127 - 80;
const MOST: u32 = 127 + wholes::MOST;

/// Biased exponents of divisors: the lowest, and the one above the highest.
const DIVISORS: std::ops::Range<u32> = 127 - 44..127 + 44;

/// The bits of a float behind its exponent.
const FRACTION: u32 = 23;

const LANES: Type = Type { elem: Elem::F32, lanes: true };
const WORDS: Type = Type { elem: Elem::I32, lanes: true };

/// By which numbers a kernel divides, if it does so by the product: the text that a product is made of.
struct Divisor {
    /// Above zero.
    size: String,
    reciprocal: String,
    /// Whether it is below zero; as text, the bit of the sign, if that is not known.
    sign: Sign,
    /// Whether it lies where the correction is right, if that is not known.
    fits: Option<String>,
}

enum Sign {
    Plus,
    Minus,
    Bit(String),
}

impl Lower<'_> {
    /// The quotient of a vector and a number that is the same in all lanes, if it is made of products.
    pub(super) fn divided(&mut self, inst: &Inst) -> Option<String> {
        let [x, c] = inst.args[..] else { return None };
        let fits = inst.op == Op::Div && self.kernel.ty(x) == LANES && !self.kernel.ty(c).lanes;
        if !fits || self.kernel.relaxed || self.plan.border || !self.plan.fuses {
            return None;
        }
        let divisor = self.divisor(c)?;
        let numbers = self.value(x);
        let bad = if self.wholes.contains_key(&x) { None } else { Some(self.outside(&numbers)) };
        let bad = match (bad, &divisor.fits) {
            (Some(bad), Some(fits)) => {
                let out = self.t.def(&format!("xor i1 {fits}, true"));
                Some(self.t.def(&format!("or i1 {bad}, {out}")))
            }
            (None, Some(fits)) => Some(self.t.def(&format!("xor i1 {fits}, true"))),
            (bad, None) => bad,
        };
        let quick = self.by_product(&numbers, &divisor);
        let Some(bad) = bad else { return Some(self.one_nan(LANES, quick)) };
        let ty = text::ty(LANES);
        let slot = self.t.slot(&format!("{ty}, align 64"));
        self.t.line(&format!("store {ty} {quick}, ptr {slot}, align 64"));
        let (rare, join) = (self.t.fresh_label(), self.t.fresh_label());
        self.t.line(&format!("br i1 {bad}, label %{rare}, label %{join}, !prof !1"));
        self.t.label(&rare);
        let by = self.value_as(c, LANES);
        let quotient = self.op2("fdiv", LANES, &numbers, &by);
        self.t.line(&format!("store {ty} {quotient}, ptr {slot}, align 64"));
        self.t.branch(&join);
        self.t.label(&join);
        let quotient = self.t.def(&format!("load {ty}, ptr {slot}, align 64"));
        Some(self.one_nan(LANES, quotient))
    }

    /// What is known of a divisor. None of a constant that is a power of two, whose reciprocal LLVM takes, or that does not fit.
    fn divisor(&mut self, c: Value) -> Option<Divisor> {
        if let Some(c) = self.kernel.as_const(c) {
            let bits = c.bits as u32;
            let exponent = bits >> FRACTION & 0xff;
            if bits & ((1 << FRACTION) - 1) == 0 || !DIVISORS.contains(&exponent) {
                return None;
            }
            let size = f32::from_bits(bits).abs();
            let all = |x: f32| text::lanes_of(LANES, &format!("0x{:016X}", f64::from(x).to_bits()));
            let sign = if bits >> 31 == 0 { Sign::Plus } else { Sign::Minus };
            return Some(Divisor { size: all(size), reciprocal: all(1.0 / size), sign, fits: None });
        }
        let c = self.value(c);
        let bits = self.t.def(&format!("bitcast float {c} to i32"));
        let sign = self.t.def(&format!("and i32 {bits}, {}", i32::MIN));
        let size_bits = self.t.def(&format!("and i32 {bits}, {}", i32::MAX));
        let above = self.t.def(&format!("sub i32 {size_bits}, {}", DIVISORS.start << FRACTION));
        let fits = self.t.def(&format!("icmp ult i32 {above}, {}", (DIVISORS.len() as u32) << FRACTION));
        let size = self.t.def(&format!("bitcast i32 {size_bits} to float"));
        let reciprocal = self.t.def(&format!("fdiv float {}, {size}", number(Type::F32, 1)));
        let [size, reciprocal] = [size, reciprocal].map(|x| self.t.splat("float", &x));
        let sign = self.t.splat("i32", &sign);
        Some(Divisor { size, reciprocal, sign: Sign::Bit(sign), fits: Some(fits) })
    }

    /// The corrected product.
    fn by_product(&mut self, x: &str, divisor: &Divisor) -> String {
        let ty = text::ty(LANES);
        let q = self.op2("fmul", LANES, x, &divisor.reciprocal);
        let [minus_x, minus_r] = [x, &divisor.reciprocal].map(|v| self.t.def(&format!("fneg {ty} {v}")));
        let e = self.intrinsic("fma", LANES, &[&q, &divisor.size, &minus_x]);
        let quotient = self.intrinsic("fma", LANES, &[&e, &minus_r, &q]);
        match &divisor.sign {
            Sign::Plus => quotient,
            Sign::Minus => self.t.def(&format!("fneg {ty} {quotient}")),
            Sign::Bit(sign) => {
                let words = text::ty(WORDS);
                let bits = self.t.def(&format!("bitcast {ty} {quotient} to {words}"));
                let bits = self.op2("xor", WORDS, &bits, sign);
                self.t.def(&format!("bitcast {words} {bits} to {ty}"))
            }
        }
    }

    /// Whether any lane lies outside, and is no zero. Doubled, the bits of a float lose its sign; as integers with a sign, small
    /// floats are then just above zero and large ones just below, as far as they are small or large.
    fn outside(&mut self, x: &str) -> String {
        const { assert!(MOST + LEAST == 256, "small and large numbers are found by one comparison") };
        let words = text::ty(WORDS);
        let bits = self.t.def(&format!("bitcast {} {x} to {words}", text::ty(LANES)));
        let twice = self.op2("add", WORDS, &bits, &bits);
        let size = self.t.call(&words, "llvm.abs.v16i32", &[(&words, &twice), ("i1", "false")]);
        // Zero, and the least integer, lie at the upper end.
        let from = self.op2("add", WORDS, &size, &number(WORDS, i64::from(i32::MAX)));
        let limit = i64::from(i32::MIN) + i64::from((LEAST << (FRACTION + 1)) - 1);
        if !self.plan.avx2 {
            let mask = self.op2("icmp slt", WORDS, &from, &number(WORDS, limit));
            return self.t.any(&mask);
        }
        // Of two registers, the lesser in each lane.
        const HALF: &str = "<8 x i32>";
        let [a, b] = [0, 8].map(|first| self.part_of("i32", &from, (16, first, 8)));
        let least = self.t.call(HALF, "llvm.smin.v8i32", &[(HALF, &a), (HALF, &b)]);
        let limit = vec![format!("i32 {limit}"); 8].join(", ");
        let mask = self.t.def(&format!("icmp slt {HALF} {least}, <{limit}>"));
        let word = self.t.def(&format!("bitcast <8 x i1> {mask} to i8"));
        self.t.def(&format!("icmp ne i8 {word}, 0"))
    }
}
