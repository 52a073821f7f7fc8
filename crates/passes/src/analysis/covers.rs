//! Whether a launch writes all of a buffer and never reads it, so that what was in it before does not matter.

use crate::analysis::linear::Forms;
use quadra_kir::{Buf, Kernel, Op};

/// Whether every launch of `simd` over this extent stores to every one of the `length` elements of `buf`, and loads none: each
/// item stores to its own place, whatever it computes.
pub fn covers(simd: &Kernel, buf: Buf, extent: &[u32], length: u64) -> bool {
    let mut uses = 0;
    let mut returns = false;
    simd.body.walk(&mut |i| {
        uses += usize::from(i.buf == Some(buf) && i.op != Op::Dim);
        returns |= i.op == Op::Return;
    });
    let stores = |i: &&quadra_kir::Inst| i.buf == Some(buf) && matches!(i.op, Op::Store | Op::StoreRow);
    let Some(store) = simd.body.insts.iter().find(stores).filter(|_| uses == 1 && !returns) else { return false };
    if extent.len() != simd.over as usize || extent.is_empty() {
        return false;
    }
    if extent.iter().map(|n| u64::from(*n)).product::<u64>() != length {
        return false;
    }
    // The mask of the store is that of the items within the extent, and nothing else.
    let entry = store.mask.is_none_or(|m| &*simd.values[m].name == "entry");
    let (mut strides, mut lane) = (vec![0i64; extent.len()], i64::from(store.op == Op::StoreRow));
    let mut expected = vec![1i64; extent.len()];
    for axis in (0..extent.len() - 1).rev() {
        expected[axis] = expected[axis + 1] * i64::from(extent[axis + 1]);
    }
    *expected.last_mut().expect("there is an axis") = 16;
    let form = Forms::of(simd).at(simd, store.args[0]);
    for &(v, factor) in &form.terms {
        let mut known = false;
        simd.body.walk(&mut |i| {
            if i.results.first() == Some(&v) {
                match i.op {
                    Op::Group => strides[i.imm as usize] += i64::from(factor),
                    Op::Lane => lane += i64::from(factor),
                    _ => return,
                }
                known = true;
            }
        });
        if !known {
            return false;
        }
    }
    entry && form.constant == 0 && lane == 1 && strides == expected
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::parse;

    #[test]
    fn only_a_store_of_every_item_to_its_own_place_covers() {
        let covered = |body: &str, n: u64| {
            let text =
                format!("kernel @k(%p: buf<i32, r>, %q: buf<i32, w>) simt group=16 over=1 {{ %i = item 0 {body} }}");
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
    }
}
