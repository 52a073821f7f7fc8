//! Tests that others imply: the same one before, and tests of sums that another test behind them says, too.
//!
//! A loop that adds up numbers tests of each sum that it has not wrapped, and that it lies in a range. Where what was added to lies in
//! that range already, a sum that wraps comes to lie outside of it: it is off by all of its bits, and the range has a quarter of the
//! numbers on either side of 0 at most. So the second test says what the first one does. What a loop carries lies in the range if its
//! first value does and what every iteration passes on has been tested.
//!
//! ```kir
//! %s = add %a, %b  assert "integer overflow", (%s has not wrapped)  assert "integer overflow", -2^54 <= %s < 2^54    ; before
//! ```
//! ```kir
//! %s = add %a, %b  assert "integer overflow", -2^54 <= %s < 2^54          ; after, if -2^54 <= %a < 2^54
//! ```

use quadra_kir::{Block, Elem, Inst, Kernel, Op, Value, eval};
use std::collections::{HashMap, HashSet};

/// Takes away the tests that others imply.
pub(crate) fn run(kernel: &mut Kernel) {
    let mut asserts: HashMap<Value, usize> = HashMap::new();
    kernel.body.walk(&mut |i| {
        if i.op == Op::Assert {
            *asserts.entry(i.args[0]).or_default() += 1;
        }
    });
    if asserts.values().sum::<usize>() < 2 {
        return;
    }
    let found = {
        let facts = Facts::of(kernel);
        let mut found = HashSet::new();
        facts.search(&kernel.body, &mut found);
        // What is tested in other places, too, is left alone.
        found.retain(|truth| asserts[truth] == 1);
        found
    };
    if !found.is_empty() {
        prune(&mut kernel.body, &found);
    }
    once(&mut kernel.body, &HashSet::new());
}

/// What has been tested is not tested again in its block, and in those within.
fn once(block: &mut Block, before: &HashSet<Value>) {
    let mut tested = before.clone();
    block.insts.retain(|i| i.op != Op::Assert || i.mask.is_some() || tested.insert(i.args[0]));
    // A test within a block says nothing of what stands before it.
    let mut tested = before.clone();
    for inst in &mut block.insts {
        inst.regions.iter_mut().for_each(|r| once(r, &tested));
        if inst.op == Op::Assert && inst.mask.is_none() {
            tested.insert(inst.args[0]);
        }
    }
}

fn prune(block: &mut Block, implied: &HashSet<Value>) {
    block.insts.retain(|i| i.op != Op::Assert || !implied.contains(&i.args[0]));
    block.insts.iter_mut().flat_map(|i| &mut i.regions).for_each(|r| prune(r, implied));
}

/// The least and the greatest of some numbers.
type Bounds = (i64, i64);

struct Facts<'k> {
    kernel: &'k Kernel,
    made: HashMap<Value, &'k Inst>,
    /// What loops carry, as the names within and behind them: the loop, and which one.
    carried: HashMap<Value, (&'k Inst, usize)>,
}

impl<'k> Facts<'k> {
    fn of(kernel: &'k Kernel) -> Facts<'k> {
        let mut facts = Facts { kernel, made: HashMap::new(), carried: HashMap::new() };
        kernel.body.walk(&mut |i| {
            if i.regions.is_empty() {
                facts.made.extend(i.results.iter().map(|&r| (r, i)));
            } else if i.op == Op::For && is_plain(&i.regions[0]) {
                let names = i.regions[0].params[1..].iter().enumerate().chain(i.results.iter().enumerate());
                facts.carried.extend(names.map(|(n, &v)| (v, (i, n))));
            }
        });
        facts
    }

    fn search(&self, block: &Block, found: &mut HashSet<Value>) {
        for (n, inst) in block.insts.iter().enumerate() {
            inst.regions.iter().for_each(|r| self.search(r, found));
            if let Some((sum, terms)) = self.sum_tested(inst)
                && let Some(bounds) = self.tested_behind(inst, sum, &block.insts[n + 1..])
                && terms.iter().any(|&v| self.lies(v, bounds, &mut HashSet::new()))
            {
                found.insert(inst.args[0]);
            }
        }
    }

    fn made(&self, v: Value, op: Op) -> Option<[Value; 2]> {
        let inst = self.made.get(&v).filter(|i| i.op == op)?;
        <[Value; 2]>::try_from(&inst.args[..]).ok()
    }

    fn constant(&self, v: Value) -> Option<i64> {
        let c = self.kernel.as_const(v)?;
        match c.elem {
            Elem::I64 => Some(c.bits as i64),
            Elem::I32 => Some(i64::from(c.bits as i32)),
            _ => None,
        }
    }

    /// The sum of which an assertion says that it has not wrapped, and its terms.
    fn sum_tested(&self, inst: &Inst) -> Option<(Value, [Value; 2])> {
        if inst.op != Op::Assert || inst.mask.is_some() {
            return None;
        }
        let [both, zero] = self.made(inst.args[0], Op::CmpGe)?;
        self.constant(zero).filter(|c| *c == 0)?;
        let [x, y] = self.made(both, Op::And)?.map(|v| self.made(v, Op::Xor));
        let (x, y) = (x?, y?);
        let sum = x.into_iter().find(|&v| y.contains(&v) && self.made(v, Op::Add).is_some())?;
        let terms = self.made(sum, Op::Add)?;
        let other = |pair: [Value; 2]| if pair[0] == sum { pair[1] } else { pair[0] };
        let told = [other(x), other(y)];
        (told == terms || [told[1], told[0]] == terms).then_some((sum, terms))
    }

    /// The range in which the next test finds a sum, if nothing happens before it that could be seen, and it fails in the same words.
    fn tested_behind(&self, first: &Inst, sum: Value, behind: &[Inst]) -> Option<Bounds> {
        let next = behind.iter().find(|i| !eval::is_lanewise(i.op))?;
        let line = |i: &Inst| i.span.map(|s| (s.file, s.line));
        let (of, bounds) = self.range_tested(next)?;
        (of == sum && next.text == first.text && line(next) == line(first)).then_some(bounds)
    }

    /// The value that an assertion is about, and the range in which it must lie: a quarter of all numbers on either side of 0 at most.
    fn range_tested(&self, inst: &Inst) -> Option<(Value, Bounds)> {
        if inst.op != Op::Assert || inst.mask.is_some() {
            return None;
        }
        let [shifted, count] = self.made(inst.args[0], Op::CmpLtU)?;
        let count = self.constant(count).filter(|c| *c > 0)?;
        let [a, b] = self.made(shifted, Op::Add)?;
        let (v, plus) = match (self.constant(a), self.constant(b)) {
            (None, Some(c)) => (a, c),
            (Some(c), None) => (b, c),
            _ => return None,
        };
        let (low, high) = (plus.checked_neg()?, count.checked_sub(plus)?.checked_sub(1)?);
        let most = match self.kernel.ty(v).elem {
            Elem::I64 => 1_i64 << 62,
            Elem::I32 => 1 << 30,
            _ => return None,
        };
        (-most <= low && low <= high && high < most).then_some((v, (low, high)))
    }

    /// Whether a value lies in a range whenever it is there, if those that are `supposed` to do.
    fn lies(&self, v: Value, bounds: Bounds, supposed: &mut HashSet<Value>) -> bool {
        if let Some(c) = self.constant(v) {
            return bounds.0 <= c && c <= bounds.1;
        }
        let Some(&(inst, n)) = self.carried.get(&v) else { return false };
        let body = &inst.regions[0];
        if !supposed.insert(body.params[n + 1]) {
            return true;
        }
        let (Some(&first), Some(end)) = (inst.carried().get(n), body.terminator()) else { return false };
        let tested = |v: Value| {
            let within = |of: (Value, Bounds)| of.0 == v && bounds.0 <= of.1.0 && of.1.1 <= bounds.1;
            body.insts.iter().any(|i| self.range_tested(i).is_some_and(within))
        };
        self.lies(first, bounds, supposed) && (tested(end.args[n]) || self.lies(end.args[n], bounds, supposed))
    }
}

/// Whether a loop's body is left at its end only.
fn is_plain(body: &Block) -> bool {
    let leaves = body.exits(Op::Break) + body.exits(Op::Continue) + body.exits(Op::Return);
    leaves == 0 && body.terminator().is_some_and(|t| t.op == Op::Yield)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The assertions that are left of a loop that adds to what it carries, which begins as `first`, and tests `range` of the sum.
    fn left(first: &str, range: &str, between: &str) -> usize {
        let text = format!(
            "kernel @k(%a: buf<i64, r>, %b: buf<i64, rw>) simd group=16 over=1 {{
                %g = group 0 %i = shl %g, 4 %h = load.row %a[%i]
                %r = for %o in 0..4 (%u: <i64> = {first}) {{
                    %q = for %k in 0..64 step 16 (%t: <i64> = %u) {{
                        %x = load.row %a[%k] %s = add %t, %x
                        %p = xor %t, %s %w = xor %x, %s %n = and %p, %w %c = cmp.ge %n, 0:i64 assert \"overflow\", %c {between}
                        {range}
                        yield %s
                    }}
                    yield %q
                }}
                store.row %b[%i], %r
            }}"
        );
        let mut kernel =
            quadra_kir::parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel parses");
        kernel.body.walk_mut(&mut |i| i.span = i.span.map(|s| quadra_base::Span { line: 1, ..s }));
        run(&mut kernel);
        assert!(quadra_kir::check::kernel(&kernel).is_empty());
        let mut many = 0;
        kernel.body.walk(&mut |i| many += usize::from(i.op == Op::Assert));
        many
    }

    const NARROW: &str = "%y = add %s, 4096:i64 %d = cmp.lt.u %y, 8192:i64 assert \"overflow\", %d";

    #[test]
    fn a_sum_within_a_range_has_not_wrapped() {
        assert_eq!(left("0:i64", NARROW, ""), 1);
        assert_eq!(left("4095:i64", NARROW, ""), 1);
        let all = NARROW.replace("4096", "4611686018427387904").replace("8192", "9223372036854775807");
        assert_eq!(left("0:i64", &all, ""), 1);
    }

    #[test]
    fn what_has_been_tested_is_not_tested_again() {
        let twice = "assert \"overflow\", %c %e = add %k, 1 assert \"overflow\", %c";
        assert_eq!(left("0:i64", "", twice), 1);
        assert_eq!(left("0:i64", "", "for %z in 0..2 { assert \"overflow\", %c }"), 1);
        let apart = "for %z in 0..2 { %d = cmp.lt.u %s, 5:i64 assert \"overflow\", %d }";
        assert_eq!(left("0:i64", "", apart), 2);
    }

    #[test]
    fn other_sums_are_tested() {
        assert_eq!(left("4096:i64", NARROW, ""), 2, "what it begins with lies outside");
        assert_eq!(left("%h", NARROW, ""), 2, "nothing is known of what it begins with");
        assert_eq!(left("0:i64", &NARROW.replace("overflow", "large"), ""), 2, "another text");
        assert_eq!(left("0:i64", &NARROW.replace("add %s", "add %x"), ""), 2, "another value");
        assert_eq!(left("0:i64", NARROW, "store.row %b[%k], %s"), 2, "something happens before");
        assert_eq!(left("0:i64", "", ""), 1, "there is no other test");
        let wide = NARROW.replace("add %s, 4096", "add %s, 6917529027641081856");
        assert_eq!(left("0:i64", &wide, ""), 2, "the range may hold sums that have wrapped");
    }
}
