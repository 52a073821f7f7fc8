//! The groups of a launch in which conditions come out one way.

use quadra_kir::parse;
use quadra_passes::analysis::range::Bounds;
use quadra_passes::interior;

/// The groups of the interior along an axis of so many, where each lane's element has neighbours so far to either side.
fn inside(groups: i64, below: i32, above: i32) -> Option<(i64, i64)> {
    let last = 16 * groups - 1;
    let text = format!(
        "kernel @k(%a: buf<f32, r>, %o: buf<f32, w>) simd group=16 over=1 {{
            %g = group 0 %i = shl %g, 4 %l = lane %j = add %i, %l
            %p = add %j, -{below} %q = max %p, 0 %r = add %j, {above} %s = min %r, {last}
            %x = load %a[%q] %y = load %a[%s] %z = add %x, %y store.row %o[%i], %z }}"
    );
    let kernel = parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel parses");
    let all = [Bounds { low: 0, high: groups - 1 }];
    interior::find(&kernel, 1, &all, &all).map(|found| (found[0].low, found[0].high))
}

#[test]
fn few_groups_have_an_interior_between_both_ends() {
    assert_eq!(inside(64, 1, 1), Some((1, 62)));
    // Two of five are no quarter of a launch, but the three between them are most of it.
    assert_eq!([5, 6, 7].map(|n| inside(n, 1, 1)), [Some((1, 3)), Some((1, 4)), Some((1, 5))]);
    assert_eq!(inside(6, 3, 0), Some((1, 5)));
}

#[test]
fn what_splits_few_groups_is_left() {
    // Two groups at an end of six are a third.
    assert_eq!(inside(6, 20, 0), Some((0, 5)));
    assert_eq!(inside(64, 20, 0), Some((2, 63)));
}
