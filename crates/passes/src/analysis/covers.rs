//! Whether a launch writes all of a buffer and never reads it, so that what was in it before does not matter.

use crate::analysis::linear::Forms;
use quadra_base::quick::Map;
use quadra_kir::{Block, Buf, Inst, Kernel, LANES, Op, Value, Values};
use std::ops::Range;

/// Whether every launch of `simd` over this extent stores to every one of the `length` elements of `buf`, and loads none: each
/// item stores to places of its own, whatever it computes. They may be several, in loops with known trip counts within each other: counters
/// and the item's position are then the digits of the element's number, in any order.
pub fn covers(simd: &Kernel, buf: Buf, extent: &[u32], length: u64) -> bool {
    frame(simd, buf, extent, length).is_some_and(|f| f.first == 0 && f.rest(length).is_empty())
}

/// What launches write of a buffer that they read nothing of: runs of elements at equal distances, such as the rows of a picture but
/// for its border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub first: u64,
    /// Elements of a run, from one run's beginning to the next one's, and how many runs there are.
    pub run: u64,
    pub stride: u64,
    pub times: u64,
}

impl Frame {
    /// The elements that are not written, of so many.
    pub fn rest(&self, length: u64) -> Vec<Range<u64>> {
        let begin = |n: u64| if n == self.times { length } else { self.first + n * self.stride };
        let end = |n: u64| if n == 0 { 0 } else { begin(n - 1) + self.run };
        (0..=self.times).map(|n| end(n)..begin(n)).filter(|r| !r.is_empty()).collect()
    }
}

/// What every launch of `simd` over this extent writes of a buffer of so many elements, if it is a frame and the launch loads none.
/// Each item stores to places of its own, as for [`covers`].
pub fn frame(simd: &Kernel, buf: Buf, extent: &[u32], length: u64) -> Option<Frame> {
    let mut uses = 0;
    let mut defs: Map<Value, (Op, u32, Values)> = Map::default();
    simd.body.walk(&mut |i| {
        uses += usize::from(i.buf == Some(buf) && i.op != Op::Dim);
        if let [result] = i.results[..] {
            defs.insert(result, (i.op, i.imm, i.args.clone()));
        }
    });
    // Every kernel ends with a `return`; items that leave before are another matter.
    let leaves = simd.body.insts.iter().flat_map(|i| &i.regions).any(|r| r.any(&mut |i| i.op == Op::Return));
    if uses != 1 || leaves || extent.len() != simd.over as usize || extent.contains(&0) || extent.is_empty() {
        return None;
    }
    let mut counters = Vec::new();
    let store = store_of(simd, &simd.body, buf, &mut counters)?;
    let cover = Cover { simd, extent, defs, forms: Forms::of(simd) };
    let all = store.mask.is_none_or(|mask| cover.within(mask));
    cover.enumerates(store, &counters).filter(|f| {
        let end = f.stride.checked_mul(f.times - 1).and_then(|n| n.checked_add(f.first)?.checked_add(f.run));
        all && end.is_some_and(|end| end <= length)
    })
}

/// A counted loop around a store: its counter, and how many iterations it has, from 0 on.
type Counter = (Value, u64);

/// The buffer's store, if it is made in every iteration of the loops around it, which are the `counters`.
fn store_of<'a>(simd: &Kernel, block: &'a Block, buf: Buf, counters: &mut Vec<Counter>) -> Option<&'a Inst> {
    for inst in &block.insts {
        match inst.op {
            Op::Store | Op::StoreRow if inst.buf == Some(buf) => return Some(inst),
            Op::For if inst.regions[0].any(&mut |i| i.buf == Some(buf)) => {
                let body = &inst.regions[0];
                let at = |n: usize| simd.as_i32(inst.args[n]);
                let whole =
                    at(0) == Some(0) && at(2) == Some(1) && body.exits(Op::Break) + body.exits(Op::Continue) == 0;
                counters.push((body.params[0], at(1).filter(|n| whole && *n > 0)? as u64));
                return store_of(simd, body, buf, counters);
            }
            _ => {}
        }
    }
    None
}

struct Cover<'a> {
    simd: &'a Kernel,
    extent: &'a [u32],
    defs: Map<Value, (Op, u32, Values)>,
    forms: Forms,
}

impl Cover<'_> {
    /// How often each axis' group, the lane and each counter count in an index, and a constant; nothing, if other things do, too.
    fn place(&self, v: Value, counters: &[Counter]) -> Option<(Vec<i64>, i64, Vec<i64>, i64)> {
        let form = self.forms.at(self.simd, v);
        let (mut groups, mut lane, mut turns) = (vec![0i64; self.extent.len()], 0, vec![0i64; counters.len()]);
        for &(v, factor) in &form.terms {
            if let Some(n) = counters.iter().position(|c| c.0 == v) {
                turns[n] += i64::from(factor);
                continue;
            }
            match self.defs.get(&v)? {
                (Op::Group, axis, _) => groups[*axis as usize] += i64::from(factor),
                (Op::Lane, ..) => lane += i64::from(factor),
                _ => return None,
            }
        }
        Some((groups, lane, turns, form.constant.into()))
    }

    /// Whether the mask of a store is that of the items within the extent.
    fn within(&self, mask: Value) -> bool {
        let last = self.extent.len() - 1;
        match self.defs.get(&mask) {
            Some((Op::CmpLt, _, args)) => {
                let mut item = vec![0; self.extent.len()];
                item[last] = LANES.into();
                let end = match self.defs.get(&args[1]) {
                    Some((Op::Extent, axis, _)) => *axis as usize == last,
                    _ => self.simd.as_i32(args[1]).is_some_and(|n| n as u32 == self.extent[last]),
                };
                end && self.place(args[0], &[]) == Some((item, 1, Vec::new(), 0))
            }
            _ => false,
        }
    }

    /// The indices of all items and iterations, if each comes once and they are a frame.
    fn enumerates(&self, store: &Inst, counters: &[Counter]) -> Option<Frame> {
        let (groups, lane, turns, first) = self.place(store.args[0], counters)?;
        let last = self.extent.len() - 1;
        // A row's lanes follow the index.
        let lane = if store.op == Op::StoreRow { lane + 1 } else { lane };
        // The last axis' items are its groups' lanes.
        if groups[last] != lane * i64::from(LANES) {
            return None;
        }
        let axes =
            self.extent.iter().enumerate().map(|(axis, &n)| (if axis == last { lane } else { groups[axis] }, n.into()));
        let mut digits: Vec<(i64, u64)> = axes.chain(turns.into_iter().zip(counters.iter().map(|c| c.1))).collect();
        digits.retain(|d| d.1 != 1);
        digits.sort_unstable();
        let mut frame = Frame { first: u64::try_from(first).ok()?, run: 1, stride: 1, times: 1 };
        for (factor, many) in digits {
            let factor = u64::try_from(factor).ok()?;
            if frame.times == 1 && factor == frame.run {
                (frame.run, frame.stride) = (frame.run.checked_mul(many)?, frame.run.checked_mul(many)?);
            } else if frame.times == 1 && factor > frame.run {
                (frame.stride, frame.times) = (factor, many);
            } else if frame.times > 1 && Some(factor) == frame.stride.checked_mul(frame.times) {
                frame.times = frame.times.checked_mul(many)?;
            } else {
                return None;
            }
        }
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::parse;

    #[test]
    fn only_a_store_of_every_item_to_its_own_place_covers() {
        let covered = |body: &str, n: u64| {
            let text =
                format!("kernel @k(%p: buf<i32, r>, %q: buf<i32, rw>) simt group=16 over=1 {{ %i = item 0 {body} }}");
            let k = parse::kernel("t.kir", &text).expect("the test's kernel parses");
            let simd = crate::pipeline::compile(&k, &quadra_kir::Caps::EVERYTHING).expect("it is right");
            let buf = simd.bufs.ids().nth(1).expect("there are two");
            covers(&simd, buf, &[100], n)
        };
        assert!(covered("%a = load %p[%i] store %q[%i], %a", 100));
        assert!(!covered("%a = load %p[%i] store %q[%i], %a", 101));
        assert!(!covered("%c = cmp.lt %i, 7 if %c { store %q[%i], 1 } else {}", 100));
        assert!(!covered("%c = cmp.lt %i, 7 if %c { return } else {} store %q[%i], 1", 100));
        assert!(!covered("%j = xor %i, 1 store %q[%j], 1", 100));
        assert!(!covered("%a = load %q[%i] store %q[%i], %a", 100));
        // Rows of four elements, in both orders; not all of them, not each once, and not always.
        let each = |from: &str, index: &str, more: &str| format!("for %n in {from} {{ {index} {more} yield }}");
        let store = "store %q[%k], 1";
        let rows = "%j = mul %i, 4 %k = add %j, %n";
        assert!(covered(&each("0..4", rows, store), 400));
        assert!(covered(&each("0..4", "%j = mul %n, 100 %k = add %j, %i", store), 400));
        assert!(!covered(&each("0..3", rows, store), 400));
        assert!(!covered(&each("0..5", rows, store), 500));
        assert!(!covered(&each("1..4", rows, store), 400));
        assert!(!covered(&each("0..4 step 2", rows, store), 400));
        assert!(!covered(&each("0..4", "%k = add %i, %n", store), 400));
        assert!(!covered(&each("0..4", rows, "%c = cmp.lt %n, 2 if %c { store %q[%k], 1 } else {}"), 400));
        assert!(!covered(&each("0..4", rows, "%c = cmp.lt %n, 2 if %c { break } else {} store %q[%k], 1"), 400));
        let inner =
            "for %m in 0..2 { %j = mul %i, 8 %h = mul %m, 4 %l = add %j, %h %k = add %l, %n store %q[%k], 1 yield }";
        assert!(covered(&each("0..4", "", inner), 800));
        assert!(!covered(&each("0..2", "", inner), 400));
        assert!(!covered("%entry = cmp.lt %i, 7 if %entry { store %q[%i], 1 } else {}", 100));
    }

    #[test]
    fn what_is_left_around_a_frame_is_told() {
        let framed = |body: &str, extent: &[u32], n: u64| {
            let over = extent.len();
            let text = format!(
                "kernel @k(%q: buf<i32, rw>) simt group=16 over={over} {{ %i = item 0 %j = item {} {body} }}",
                over - 1
            );
            let k = parse::kernel("t.kir", &text).expect("the test's kernel parses");
            let simd = crate::pipeline::compile(&k, &quadra_kir::Caps::EVERYTHING).expect("it is right");
            frame(&simd, simd.bufs.ids().next().expect("there is one"), extent, n)
        };
        let inside = "%r = mul %i, 100 %p = add %r, 203 %k = add %p, %j store %q[%k], 1";
        let found = framed(inside, &[5, 90], 1000).expect("a picture but for its border");
        assert_eq!(found, Frame { first: 203, run: 90, stride: 100, times: 5 });
        let rest = found.rest(1000);
        assert_eq!((rest[0].clone(), rest[1].clone(), rest.last().cloned()), (0..203, 293..303, Some(693..1000)));
        let mut written = vec![0; 1000];
        (0..5).flat_map(|m| (0..90).map(move |n| 203 + 100 * m + n)).for_each(|at: usize| written[at] += 1);
        rest.iter().flat_map(|r| r.clone()).for_each(|at| written[at as usize] += 1);
        assert!(written.iter().all(|w| *w == 1), "each element is either written or left");
        // Beyond the end; on top of each other; every second element, which are runs of one.
        assert_eq!(framed(inside, &[5, 90], 692), None);
        assert_eq!(framed("%r = mul %i, 50 %k = add %r, %j store %q[%k], 1", &[5, 90], 1000), None);
        let second = framed("%k = mul %i, 2 store %q[%k], 1", &[40], 80).expect("runs of one");
        assert_eq!(second, Frame { first: 0, run: 1, stride: 2, times: 40 });
        assert_eq!(framed("%k = sub %i, 1 store %q[%k], 1", &[40], 80), None);
    }
}
