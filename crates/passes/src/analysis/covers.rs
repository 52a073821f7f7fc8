//! Whether a launch writes all of a buffer and never reads it, so that what was in it before does not matter.

use crate::analysis::linear::Forms;
use quadra_base::quick::Map;
use quadra_kir::{Buf, Inst, Kernel, LANES, Op, Value, Values};

/// Whether every launch of `simd` over this extent stores to every one of the `length` elements of `buf`, and loads none: each
/// item stores to its own place, whatever it computes.
pub fn covers(simd: &Kernel, buf: Buf, extent: &[u32], length: u64) -> bool {
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
    let stores = |i: &&Inst| i.buf == Some(buf) && matches!(i.op, Op::Store | Op::StoreRow);
    let Some(store) = simd.body.insts.iter().find(stores).filter(|_| uses == 1 && !leaves) else { return false };
    let size = extent.iter().map(|n| u64::from(*n)).product::<u64>();
    if extent.len() != simd.over as usize || extent.is_empty() || size != length {
        return false;
    }
    let last = extent.len() - 1;
    let forms = Forms::of(simd);
    // How often each axis' group and the lane count in an index; nothing, if other things do, too.
    let place = |v: Value| -> Option<(Vec<i64>, i64)> {
        let form = forms.at(simd, v);
        let (mut groups, mut lane) = (vec![0i64; extent.len()], 0);
        for &(v, factor) in &form.terms {
            match defs.get(&v)? {
                (Op::Group, axis, _) => groups[*axis as usize] += i64::from(factor),
                (Op::Lane, ..) => lane += i64::from(factor),
                _ => return None,
            }
        }
        (form.constant == 0).then_some((groups, lane))
    };
    // The mask of the store, if it has one, is that of the items within the extent.
    let within = |mask: Value| match defs.get(&mask) {
        Some((Op::CmpLt, _, args)) => {
            let mut item = vec![0; extent.len()];
            item[last] = LANES.into();
            let end = match defs.get(&args[1]) {
                Some((Op::Extent, axis, _)) => *axis as usize == last,
                _ => simd.as_i32(args[1]).is_some_and(|n| n as u32 == extent[last]),
            };
            end && place(args[0]) == Some((item, 1))
        }
        _ => false,
    };
    let mut expected = vec![1i64; extent.len()];
    for axis in (0..last).rev() {
        expected[axis] = expected[axis + 1] * i64::from(extent[axis + 1]);
    }
    expected[last] = LANES.into();
    // A row's lanes follow the index.
    let lane = if store.op == Op::StoreRow { 0 } else { 1 };
    store.mask.is_none_or(within) && place(store.args[0]) == Some((expected, lane))
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
        assert!(!covered("%entry = cmp.lt %i, 7 if %entry { store %q[%i], 1 } else {}", 100));
    }
}
