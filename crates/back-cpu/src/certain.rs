//! What a launch's numbers decide: tests that cannot fail go, and two stores of which one or the other takes effect become one.
//!
//! A front end tests products for overflow where it knows no bounds. Once arguments are known, and which groups there are, bounds of the
//! operands often prove that the test holds: of products, whose size as floats is compared with a constant, and of sums, of which the
//! signs are looked at. Floats are bounded from above by what their operands can be at most, and a little more for each
//! rounding.

use crate::grown::Grown;
use quadra_kir::{Block, Elem, Inst, Kernel, Op, Type, Value, Values, eval};
use quadra_passes::analysis::range::{Bounds, Range};
use std::collections::{HashMap, HashSet};

/// More than one rounding makes of a float of 32 bits.
const ROUNDED: f64 = 1.0 + 1.0 / (1 << 22) as f64;
/// Operations that a float is followed through.
const DEPTH: u32 = 8;

/// Takes the tests away that hold for all items of groups between these bounds.
pub fn drop_tests(kernel: &mut Kernel, most_workers: i64, groups: &[Bounds]) {
    if !kernel.body.any(&mut |i| i.op == Op::Assert) {
        return;
    }
    let proven = {
        let known = Known::of(kernel, most_workers, groups);
        let mut proven = HashSet::new();
        kernel.body.walk(&mut |i| {
            if i.op == Op::Assert && known.holds(i.args[0]) {
                proven.insert(i.args[0]);
            }
        });
        proven
    };
    prune(&mut kernel.body, &proven);
}

fn prune(block: &mut Block, proven: &HashSet<Value>) {
    block.insts.retain(|i| i.op != Op::Assert || !proven.contains(&i.args[0]));
    for inst in &mut block.insts {
        inst.regions.iter_mut().for_each(|r| prune(r, proven));
    }
}

/// What is known of a kernel's values.
struct Known<'k> {
    kernel: &'k Kernel,
    range: Range,
    grown: Grown<'k>,
    made_by: HashMap<Value, &'k Inst>,
}

impl<'k> Known<'k> {
    fn of(kernel: &'k Kernel, most_workers: i64, groups: &[Bounds]) -> Known<'k> {
        let mut made_by = HashMap::new();
        kernel.body.walk(&mut |i| {
            if let [result] = i.results[..] {
                made_by.insert(result, i);
            }
        });
        let range = Range::with_groups(kernel, most_workers, groups);
        Known { kernel, range, grown: Grown::of(kernel), made_by }
    }

    /// The operands of an operation that makes a value.
    fn args(&self, v: Value, op: Op) -> Option<&'k [Value]> {
        self.made_by.get(&v).filter(|i| i.op == op).map(|i| &i.args[..])
    }

    /// Whether a condition holds whatever the elements are.
    fn holds(&self, condition: Value) -> bool {
        self.is_small(condition).or_else(|| self.fits(condition)).unwrap_or(false)
    }

    /// Whether a float is less than a constant; nothing if that is not what is asked.
    fn is_small(&self, condition: Value) -> Option<bool> {
        let args = self.args(condition, Op::CmpLt)?;
        let limit = self.float(args[1])?;
        Some(self.size(args[0], DEPTH)? < limit)
    }

    fn float(&self, v: Value) -> Option<f64> {
        let c = self.kernel.as_const(v)?;
        match c.elem {
            Elem::F32 => Some(f32::from_bits(c.bits as u32).into()),
            Elem::F64 => Some(f64::from_bits(c.bits)),
            _ => None,
        }
        .filter(|x| x.is_finite())
    }

    /// What a float is at most, up to its sign.
    fn size(&self, v: Value, depth: u32) -> Option<f64> {
        if let Some(c) = self.float(v) {
            return Some(c.abs());
        }
        let inst = self.made_by.get(&v).filter(|_| depth > 0)?;
        let of = |n: usize| self.size(inst.args[n], depth - 1);
        match inst.op {
            Op::ToF32 | Op::ToF64 => {
                let from = inst.args[0];
                let whole = self.args(from, Op::ToI64).map_or(from, |args| args[0]);
                let bounds = self.range.bounds(self.kernel, whole);
                let size = bounds.low.unsigned_abs().max(bounds.high.unsigned_abs());
                (self.kernel.ty(whole).elem == Elem::I32).then_some(size as f64 * ROUNDED)
            }
            Op::Mul => Some(of(0)? * of(1)? * ROUNDED),
            Op::Add | Op::Sub => Some((of(0)? + of(1)?) * ROUNDED),
            Op::Abs => of(0),
            _ => None,
        }
    }

    /// Whether a sum or difference of integers of 32 bits does not wrap; nothing if that is not what is asked.
    fn fits(&self, condition: Value) -> Option<bool> {
        let args = self.args(condition, Op::CmpGe)?;
        let both = self.args(args[0], Op::And).filter(|_| self.kernel.as_i32(args[1]) == Some(0))?;
        let (left, right) = (self.args(both[0], Op::Xor)?, self.args(both[1], Op::Xor)?);
        // A constant stands behind the sum.
        let operand = if left[1] == right[1] { right[0] } else { right[1] };
        let sum = self.made_by.get(&left[1]).filter(|_| right.contains(&left[1]))?;
        let [x, y] = sum.args[..] else { return None };
        let other = match sum.op {
            Op::Add => operand,
            Op::Sub => self.args(operand, Op::Not)?[0],
            _ => return None,
        };
        if (x, y) != (left[0], other) {
            return None;
        }
        let (a, b) = (self.grown.bounds(&self.range, x), self.grown.bounds(&self.range, y));
        let exact = if sum.op == Op::Add { a.plus(b) } else { a.minus(b) };
        Some(self.kernel.ty(x).elem == Elem::I32 && exact.fitting(32).is_some())
    }
}

/// Makes one store of two to the same row, the second where the first does nothing: `if` and `else` of one condition.
pub fn merge_stores(kernel: &mut Kernel) {
    let mut body = std::mem::take(&mut kernel.body);
    merge_in(kernel, &mut body);
    kernel.body = body;
}

fn merge_in(kernel: &mut Kernel, block: &mut Block) {
    for inst in &mut block.insts {
        inst.regions.iter_mut().for_each(|r| merge_in(kernel, r));
    }
    let mut at = 0;
    while at < block.insts.len() {
        let Some(first) = partner(kernel, block, at) else {
            at += 1;
            continue;
        };
        let (mask, before) = (block.insts[first].mask, block.insts[first].args[1]);
        let store = &block.insts[at];
        let Some(mask) = mask else { return };
        let ty = Type::vector(kernel.bufs[store.buf.expect("it is a store")].elem.in_register());
        let chosen = kernel.new_value(ty);
        let mut choice = Inst::new(Op::Select, [mask, before, store.args[1]]).at(store.span);
        choice.results = Values::from_slice(&[chosen]);
        let store = &mut block.insts[at];
        (store.mask, store.args[1]) = (None, chosen);
        block.insts.insert(at, choice);
        block.insts.remove(first);
    }
}

/// The store before this one that takes effect exactly where this one does not, with nothing between that sees memory or may stop.
fn partner(kernel: &Kernel, block: &Block, at: usize) -> Option<usize> {
    let store = &block.insts[at];
    let mask = store.mask.filter(|_| store.op == Op::StoreRow)?;
    let first = (0..at).rev().find(|&n| !eval::is_lanewise(block.insts[n].op))?;
    let other = &block.insts[first];
    let same =
        other.op == Op::StoreRow && (other.buf, other.args[0], other.mode) == (store.buf, store.args[0], store.mode);
    let opposite = same && are_opposite(kernel, block, other.mask?, mask);
    let lanes = |v: Value| kernel.as_const(v).is_some() || kernel.ty(v).lanes;
    (opposite && lanes(other.args[1]) && lanes(store.args[1])).then_some(first)
}

/// Whether of two conditions exactly one holds.
fn are_opposite(kernel: &Kernel, block: &Block, a: Value, b: Value) -> bool {
    let made = |v: Value| block.insts.iter().find(|i| i.results.first() == Some(&v));
    let (Some(p), Some(q)) = (made(a), made(b)) else { return false };
    let not = |i: &Inst, of: Value| i.op == Op::Not && i.args[0] == of;
    // Comparisons that have opposites: of floats, neither holds for what is no number, so that only equality has one.
    let opposite = match p.op {
        Op::CmpEq => Op::CmpNe,
        Op::CmpNe => Op::CmpEq,
        Op::CmpLt => Op::CmpGe,
        Op::CmpGe => Op::CmpLt,
        Op::CmpGt => Op::CmpLe,
        Op::CmpLe => Op::CmpGt,
        _ => return not(p, b) || not(q, a),
    };
    let ordered = !kernel.ty(p.args[0]).elem.is_float() || matches!(p.op, Op::CmpEq | Op::CmpNe);
    not(q, a) || ordered && q.op == opposite && p.args == q.args
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(body: &str) -> Kernel {
        let text = format!(
            "kernel @k(%a: buf<i8, r>, %f: buf<f32, r>, %o: buf<i8, w>, %n: i32) simd group=16 over=1 {{
               %g = group 0 %i = shl %g, 4 %l = load.row.inside %a[%i] %x = and %l, 255 %y = load.row.inside %f[%i] {body} }}"
        );
        let mut kernel = quadra_kir::parse::kernel("t.kir", &text).expect("the test's kernel parses");
        drop_tests(&mut kernel, 1, &[Bounds::new(0, 9)]);
        merge_stores(&mut kernel);
        let wrong = quadra_kir::check::kernel(&kernel);
        assert!(wrong.is_empty(), "{wrong:?}");
        kernel
    }

    fn tests(body: &str) -> usize {
        let mut many = 0;
        changed(body).body.walk(&mut |i| many += usize::from(i.op == Op::Assert));
        many
    }

    #[test]
    fn tests_that_bounds_decide_are_dropped() {
        let product = |by: &str| {
            tests(&format!(
                "%p = to.f32 %x %q = mul %p, {by} %s = abs %q %c = cmp.lt %s, 2147480000.0 assert \"overflow\", %c"
            ))
        };
        assert_eq!((product("77.0"), product("8421000.0"), product("8422000.0")), (0, 0, 1));
        let sum = |op: &str, first: &str, sign: &str| {
            tests(&format!(
                "%z = and %n, 65535 %r = {op} {first}, %z {sign} %u = xor {first}, %r %v = xor %w, %r %b = and %u, %v
                 %c = cmp.ge %b, 0 assert \"overflow\", %c"
            ))
        };
        assert_eq!(sum("add", "%x", "%w = add %z, 0"), 1, "another operand is looked at");
        assert_eq!(sum("sub", "%x", "%w = not %z"), 0);
        assert_eq!(sum("sub", "%n", "%w = not %z"), 1);
    }

    #[test]
    fn counters_of_loops_cannot_wrap() {
        let count = |first: i32, inner: &str, by: &str| {
            tests(&format!(
                "%e = and %n, 1023 %t = for %j in 0..%e (%p: <i32> = {first}) {{ %u = for %k in {inner} (%s: <i32> = %p) {{
                   %h = and %n, {by} %r = add %s, %h %v = xor %s, %r %w = xor %r, %h %b = and %v, %w %c = cmp.ge %b, 0
                   assert \"overflow\", %c %d = cmp.gt %l, 3 %z = select %d, %r, %s yield %z }} yield %u }}
                 store.row.inside %o[%i], %t"
            ))
        };
        assert_eq!(count(0, "0..4096 step 16", "7"), 0);
        assert_eq!(count(2147483000, "0..4096 step 16", "7"), 1, "it begins near the end");
        assert_eq!(count(0, "0..%n", "7"), 1, "that many iterations");
        assert_eq!(count(0, "0..1000", "65535"), 1, "larger steps");
        assert_eq!(count(0, "0..4096 step 16", "-1"), 1, "any step");
        let back = "%e = and %n, 1023 %t = for %j in 0..%e (%p: <i32> = 5) { %q = mul %p, 3 %r = add %q, 1 %v = xor %q, %r
            %w = xor %r, 1 %b = and %v, %w %c = cmp.ge %b, 0 assert \"overflow\", %c yield %r } store.row.inside %o[%i], %t";
        assert_eq!(tests(back), 1, "no sum of what came in");
    }

    #[test]
    fn stores_of_two_opposite_conditions_are_one() {
        let stores = |body: &str| {
            let mut masks = Vec::new();
            changed(body).body.walk(&mut |i| masks.extend((i.op == Op::StoreRow).then_some(i.mask.is_some())));
            masks
        };
        let two = |first: &str, second: &str| {
            stores(&format!(
                "%c = {first} store.row.inside %o[%i], 255 if %c %d = {second} store.row.inside %o[%i], %x if %d"
            ))
        };
        assert_eq!(two("cmp.gt %x, %n", "cmp.le %x, %n"), [false]);
        assert_eq!(two("cmp.gt %y, 0.5", "not %c"), [false]);
        assert_eq!(two("cmp.gt %y, 0.5", "cmp.le %y, 0.5"), [true, true], "neither holds for what is no number");
        assert_eq!(two("cmp.gt %x, %n", "cmp.lt %x, %n"), [true, true]);
    }
}
