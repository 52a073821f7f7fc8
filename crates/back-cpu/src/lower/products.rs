//! Products of vectors of integers of 64 bits where the processor multiplies 32 by 32 bits (AVX2), and the doubles that tell whether they fit.
//!
//! A product of 64 bits is made of three of 32, and that it has not wrapped is told by the product of the operands' doubles. Where both
//! operands of all lanes fit 32 bits with a sign, one multiplication is enough, and the product fits. So that is asked first: of what
//! is not known to fit, by one sum and one disjunction for each register. What does not fit goes to a function, which multiplies whole
//! numbers and tests them. The function finds out about the assertion behind the product, too, if nothing stands between both that
//! could end the launch.

use super::state::Lower;
use super::wide::{DOUBLES, Product, Products, WIDE};
use super::words::all;
use crate::common::brief::brief;
use crate::common::function::Sort;
use crate::common::text::{self, MASK, number};
use quadra_kir::{Block, Elem, Inst, Op, Value, eval};
use std::collections::HashMap;

/// The function that multiplies what does not fit 32 bits.
const FUNCTION: &str = "products";

/// No product of two integers of 32 bits is larger.
const LARGEST: f64 = (1_u64 << 62) as f64;

/// Instructions by their results.
type Made<'k> = HashMap<Value, &'k Inst>;

impl<'k> Lower<'k> {
    /// Finds the products. What only their assertions ask for is written, but dropped as what nobody uses.
    pub(super) fn find_products(&mut self) {
        if !self.plan.avx2 || !self.kernel.body.any(&mut |i| i.op == Op::Mul && self.kernel.ty(i.result()) == WIDE) {
            return;
        }
        let mut made: Made<'k> = HashMap::new();
        self.kernel.body.walk(&mut |i| made.extend(i.results.iter().map(|&r| (r, i))));
        let mut found = Products::default();
        self.products_of(&self.kernel.body, &made, &mut found);
        self.products = found;
    }

    fn products_of(&self, block: &'k Block, made: &Made<'k>, found: &mut Products) {
        for (n, inst) in block.insts.iter().enumerate() {
            inst.regions.iter().for_each(|r| self.products_of(r, made, found));
            if inst.op != Op::Mul || self.kernel.ty(inst.result()) != WIDE {
                continue;
            }
            let args = [inst.args[0], inst.args[1]].map(|v| (v, self.is_narrow(v, made)));
            let behind = block.insts[n + 1..].iter().position(|i| !eval::is_lanewise(i.op));
            let (between, assert) =
                behind.map_or((&[][..], None), |b| (&block.insts[n + 1..][..b], block.insts.get(n + 1 + b)));
            // Which lanes it is about has to be known before the product.
            let early = |mask: Value| !between.iter().any(|i| i.results.contains(&mask));
            let assert = assert.filter(|i| i.op == Op::Assert && i.mask.is_none_or(early));
            let test = assert.and_then(|a| self.test_of(a, [args[0].0, args[1].0], made));
            let known = args.iter().all(|a| a.1);
            if !known && test.is_none() {
                continue;
            }
            let mut product = Product { args, assert: None };
            if let (Some(assert), Some(bound)) = (assert, test) {
                found.asserted.insert((assert.args[0], assert.mask));
                product.assert = Some((assert.clone(), bound));
            }
            found.of.insert(inst.result(), product);
        }
    }

    /// If an assertion says that the product of these, as doubles, is below a number that no product of 32 bits reaches: that number.
    fn test_of(&self, assert: &Inst, of: [Value; 2], made: &Made<'k>) -> Option<String> {
        let by = |v: Value, op: Op| made.get(&v).filter(|i| i.op == op).map(|i| &i.args);
        let truth = by(assert.args[0], Op::CmpLt)?;
        let bound =
            self.kernel.as_const(truth[1]).filter(|c| c.elem == Elem::F64 && f64::from_bits(c.bits) > LARGEST)?;
        let product = by(by(truth[0], Op::Abs)?[0], Op::Mul)?;
        let of_both =
            |x: usize, y: usize| self.is_double(product[x], of[0], made) && self.is_double(product[y], of[1], made);
        let doubles = self.kernel.ty(truth[0]) == DOUBLES && (of_both(0, 1) || of_both(1, 0));
        doubles.then(|| text::constant(bound))
    }

    /// Whether a value is the double of an integer, or a constant that is exactly as much as a small one.
    fn is_double(&self, double: Value, of: Value, made: &Made<'k>) -> bool {
        match (self.kernel.as_const(double), self.kernel.as_const(of)) {
            (Some(d), Some(c)) => {
                let small = i32::try_from(c.bits as i64).ok();
                d.elem == Elem::F64 && small.is_some_and(|c| f64::from_bits(d.bits) == f64::from(c))
            }
            _ => made.get(&double).is_some_and(|i| i.op == Op::ToF64 && i.args[0] == of),
        }
    }

    /// Whether a value is known to fit 32 bits with a sign.
    fn is_narrow(&self, v: Value, made: &Made<'k>) -> bool {
        if let Some(c) = self.kernel.as_const(v) {
            return i32::try_from(c.bits as i64).is_ok();
        }
        let Some(inst) = made.get(&v) else { return false };
        let constant = |n: usize| inst.args.get(n).and_then(|&a| self.kernel.as_const(a)).map(|c| c.bits as i64);
        match inst.op {
            Op::ToI64 => matches!(self.kernel.ty(inst.args[0]).elem, Elem::I32 | Elem::Bool),
            Op::Asr => constant(1).is_some_and(|c| (32..64).contains(&c)),
            Op::Shr => constant(1).is_some_and(|c| (33..64).contains(&c)),
            Op::And => [0, 1].into_iter().any(|n| constant(n).is_some_and(|c| (0..=i64::from(i32::MAX)).contains(&c))),
            _ => false,
        }
    }

    /// The value of a product that is computed so, in the present part.
    pub(super) fn product(&mut self, inst: &Inst) -> Option<String> {
        let product = self.products.of.get(inst.results.first()?)?.clone();
        let args = product.args.map(|(v, narrow)| (self.value_as(v, WIDE), narrow, self.kernel.ty(v).lanes));
        if product.args.iter().all(|a| a.1) {
            return Some(self.short_product(&args));
        }
        let slot = self.t.slot(&format!("{}, align 64", text::ty(WIDE)));
        let tested: Vec<_> = args.iter().filter(|a| !a.1).map(|a| a.0.clone()).collect();
        let wide = self.exceeds(&tested, 1 << 31, 32);
        let [quick, slow, done] = [(); 3].map(|()| self.t.fresh_label());
        self.t.branch_if(&wide, &slow, &quick);
        self.t.label(&slow);
        let whole = self.whole_product(&product, [&args[0].0, &args[1].0]);
        self.t.line(&format!("store {} {whole}, ptr {slot}, align 64", text::ty(WIDE)));
        self.t.branch(&done);
        self.t.label(&quick);
        let short = self.short_product(&args);
        self.t.line(&format!("store {} {short}, ptr {slot}, align 64", text::ty(WIDE)));
        self.t.branch(&done);
        self.t.label(&done);
        Some(self.t.def(&format!("load {}, ptr {slot}, align 64", text::ty(WIDE))))
    }

    /// A product of operands that fit 32 bits. LLVM finds the one instruction if it sees beside the product that they do: what is
    /// made elsewhere is hidden from it, so that the shifts that say so stay here. No code comes of them.
    fn short_product(&mut self, args: &[(String, bool, bool); 2]) -> String {
        let (ty, by) = (text::ty(WIDE), number(WIDE, 32));
        let short = args.each_ref().map(|(value, narrow, lanes)| {
            let value = if *narrow || !*lanes { self.hidden(value) } else { value.clone() };
            let up = self.t.def(&format!("shl {ty} {value}, {by}"));
            self.t.def(&format!("ashr {ty} {up}, {by}"))
        });
        self.op2("mul", WIDE, &short[0], &short[1])
    }

    /// A vector of 64 bits a lane as one of which LLVM knows nothing, made here.
    fn hidden(&mut self, value: &str) -> String {
        let quarters = self
            .quarters(WIDE, value)
            .map(|q| self.t.def(&format!("call <4 x i64> asm sideeffect \"\", \"=x,0\"(<4 x i64> {q})")));
        self.join("i64", 4, quarters.into(), 16)
    }

    /// The product of any numbers; the launch ends where the assertion fails.
    fn whole_product(&mut self, product: &Product, [a, b]: [&str; 2]) -> String {
        let ty = text::ty(WIDE);
        let [x, y, z] = self.room_for_products();
        self.t.line(&format!("store {ty} {a}, ptr {x}, align 64"));
        self.t.line(&format!("store {ty} {b}, ptr {y}, align 64"));
        let bound = product.assert.as_ref().map_or("0.0".to_string(), |a| a.1.clone());
        let wrong = self.t.def(&format!("call i16 @{FUNCTION}(ptr {x}, ptr {y}, ptr {z}, double {bound})"));
        if let Some((assert, _)) = &product.assert {
            let live = self.live(assert);
            let live = self.t.def(&format!("bitcast {MASK} {live} to i16"));
            let wrong = self.t.def(&format!("and i16 {wrong}, {live}"));
            let any = self.t.def(&format!("icmp ne i16 {wrong}, 0"));
            let (bad, good) = (self.t.fresh_label(), self.t.fresh_label());
            self.t.branch_if(&any, &bad, &good);
            self.t.label(&bad);
            let mask = self.t.def(&format!("bitcast i16 {wrong} to {MASK}"));
            self.fault(assert, Sort::Assert, &mask);
            self.t.label(&good);
        }
        self.t.def(&format!("load {ty}, ptr {z}, align 64"))
    }

    /// Room for what the function multiplies and for what it finds; the function is written the first time.
    fn room_for_products(&mut self) -> [String; 3] {
        if let Some(room) = &self.products.room {
            return room.clone();
        }
        let (ty, wide) = (text::ty(WIDE), text::ty(DOUBLES));
        let room = [(); 3].map(|()| self.t.slot(&format!("{ty}, align 64")));
        self.products.room = Some(room.clone());
        let lines = std::mem::take(&mut self.t.lines);
        let [a, b] = ["%x", "%y"].map(|p| self.t.def(&format!("load {ty}, ptr {p}, align 64")));
        let product = self.op2("mul", WIDE, &a, &b);
        self.t.line(&format!("store {ty} {product}, ptr %z, align 64"));
        let [a, b] = [a, b].map(|v| self.doubles(&v));
        let product = self.op2("fmul", DOUBLES, &a, &b);
        let size = self.intrinsic("fabs", DOUBLES, &[&product]);
        let bound = self.t.splat("double", "%bound");
        let fits = self.t.def(&format!("fcmp olt {wide} {size}, {bound}"));
        let wrong = self.t.def(&format!("xor {MASK} {fits}, {}", all()));
        let word = self.t.def(&format!("bitcast {MASK} {wrong} to i16"));
        self.t.line(&format!("ret i16 {word}"));
        let body = std::mem::replace(&mut self.t.lines, lines);
        self.functions += &format!(
            "define internal i16 @{FUNCTION}(ptr %x, ptr %y, ptr %z, double %bound) noinline cold nounwind {{\nentry:\n{}}}\n",
            brief(&body)
        );
        room
    }

    /// The doubles nearest to integers of 64 bits, which AVX2 converts one by one: the high half above 2^84 and the low half above 2^52,
    /// each as the bits of a double. Their difference to what they stand on is exact, and the sum is rounded once.
    pub(super) fn doubles(&mut self, a: &str) -> String {
        const LOW: i64 = 0x4330_0000_0000_0000;
        const HIGH: i64 = 0x4530_0000_8000_0000;
        const BOTH: i64 = 0x4530_0000_8010_0000;
        let (ty, wide) = (text::ty(WIDE), text::ty(DOUBLES));
        let low = self.op2("and", WIDE, a, &number(WIDE, 0xffff_ffff));
        let low = self.op2("or", WIDE, &low, &number(WIDE, LOW));
        let high = self.op2("lshr", WIDE, a, &number(WIDE, 32));
        let high = self.op2("xor", WIDE, &high, &number(WIDE, HIGH));
        let [low, high] = [low, high].map(|v| self.t.def(&format!("bitcast {ty} {v} to {wide}")));
        let both = text::lanes_of(DOUBLES, &text::constant(quadra_kir::Const { elem: Elem::F64, bits: BOTH as u64 }));
        let high = self.op2("fsub", DOUBLES, &high, &both);
        self.op2("fadd", DOUBLES, &high, &low)
    }
}
