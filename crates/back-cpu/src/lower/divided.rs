//! Quotients of vectors of whole floats by a constant: a product with its reciprocal, corrected, instead of a division, which takes
//! several times as long.
//!
//! With `r` the rounded reciprocal of a divisor `c` above zero, `q` the rounded product `x` · `r`, and `e` = `q` · `c` - `x`, the
//! quotient is `q` - `e` · `r`, rounded once (Markstein's correction; Brisebarre, Muller and Raina have it for divisors that are known
//! in advance). It is the one that division gives if `q` and `e` are not rounded to fewer digits than normal numbers have and nothing is
//! infinite: then `q` is a neighbour of `x` / `c` wherever that is near the middle of two floats, `e` is exact there, and the
//! error of `e` · `r` is less than the distance that quotients of two floats keep from such a middle. The divisors that count here lie
//! between 2^-44 and 2^44, and whole numbers, if they are not zero, between 1 and 2^82, so that `q` lies between 2^-44 and 2^126
//! and the last digit of `e` is at least 2^-90. Zeros are right, too: `e` is `+0`, and `-0` · `r` + `q` has the sign of `q`.
//! Other floats would have to be tested, which costs as much as is gained.

use super::state::Lower;
use crate::common::text;
use quadra_kir::{Elem, Inst, Op, Type};

/// Biased exponents of divisors: the lowest, and the one above the highest.
const DIVISORS: std::ops::Range<u32> = 127 - 44..127 + 44;

/// The bits of a float behind its exponent.
const FRACTION: u32 = 23;

const LANES: Type = Type { elem: Elem::F32, lanes: true };

impl Lower<'_> {
    /// The quotient of whole numbers and a constant, if it is made of products. A power of two is none of LLVM's divisions anyway.
    pub(super) fn divided(&mut self, inst: &Inst) -> Option<String> {
        let [x, c] = inst.args[..] else { return None };
        let fits = inst.op == Op::Div && self.kernel.ty(x) == LANES && self.wholes.contains_key(&x);
        if !fits || self.kernel.relaxed || !self.plan.fuses {
            return None;
        }
        let bits = self.kernel.as_const(c)?.bits as u32;
        if bits & ((1 << FRACTION) - 1) == 0 || !DIVISORS.contains(&(bits >> FRACTION & 0xff)) {
            return None;
        }
        let size = f32::from_bits(bits).abs();
        let [divisor, r, minus_r] = [size, 1.0 / size, -1.0 / size]
            .map(|x| text::lanes_of(LANES, &format!("0x{:016X}", f64::from(x).to_bits())));
        let (ty, x) = (text::ty(LANES), self.value(x));
        let q = self.op2("fmul", LANES, &x, &r);
        let minus_x = self.t.def(&format!("fneg {ty} {x}"));
        let e = self.intrinsic("fma", LANES, &[&q, &divisor, &minus_x]);
        let quotient = self.intrinsic("fma", LANES, &[&e, &minus_r, &q]);
        Some(if bits >> 31 == 0 { quotient } else { self.t.def(&format!("fneg {ty} {quotient}")) })
    }
}
