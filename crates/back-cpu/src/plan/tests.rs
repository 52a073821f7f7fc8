use super::*;
use crate::parts::little;

#[test]
fn around_the_interior_outer_loops_stay() {
    let text = "kernel @k(%a: buf<f32, r>, %o: buf<f32, w>) simd group=16 over=2 {
        %y = group 0
        %x = group 1
        %s = for %j in -5..6 step 1 (%t: f32 = 0.0) {
            %u = for %i in -5..6 step 1 (%v: f32 = %t) {
                %r = add %y, %j
                %p = mul %r, 64
                %q = add %p, %i
                %l = load %a[%q]
                %w = add %v, %l
                yield %w
            }
            yield %u
        }
        %z = shl %x, 4
        store.row %o[%z], %s
    }";
    let kernel = quadra_kir::parse::kernel("t.kir", text).map_err(|d| format!("{d:?}")).expect("the test's kernel");
    let loops = |most: usize| {
        let facts = Facts::VALUES.and(Facts::IN_BOUNDS).and(Facts::SIMD);
        let all = [Bounds { low: 0, high: 99 }, Bounds { low: 0, high: 3 }];
        let kernel = narrowed(&kernel, 1, &all, facts, (most, None), &[]).expect("nothing is wrong with it");
        let mut loops = 0;
        kernel.body.walk(&mut |i| loops += usize::from(i.op == Op::For));
        loops
    };
    assert_eq!((loops(UNFOLD), loops(UNFOLD_SMALL)), (0, 1));
    let box_of = |n: i64| vec![Bounds { low: 1, high: n }, Bounds { low: 0, high: 9 }];
    assert!(little(Some(&box_of(900)), &box_of(1000)) && !little(Some(&box_of(600)), &box_of(1000)));
    assert!(little(None, &box_of(40)) && !little(None, &box_of(60)));
}
