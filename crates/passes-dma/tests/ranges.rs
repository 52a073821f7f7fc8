//! Which kernels keep ranges of arrays in registers, and for which launches.

use quadra_kir::parse;
use quadra_passes_dma::ranges::{arrays, pays};

const COUNT: &str = "kernel @f(%x: buf<i32, r>, %h: buf<i32, rw>) simd group=16 over=1 {
  %g = group 0
  %i = shl %g, 4
  %a = load.row %x[%i]
  %old = atomic.add %h[%a], 1
}";

#[test]
fn ranges_fit_the_workers() {
    let (kernels, found) = parse::kernels("f", COUNT);
    assert!(found.is_empty());
    let k = &kernels[0];
    assert_eq!(arrays(k).len(), 1);
    let rows = |items, arrays, elements, workers| pays(k, items, (arrays, elements), workers);
    // One worker waits for nobody, and few items are added sooner than a range is.
    assert_eq!([rows(1 << 18, 1, 1024, 1), rows(10, 1, 1024, 12)], [0, 0]);
    // Each worker has one range, or all have as many.
    assert_eq!([rows(1 << 18, 1, 1024, 12), rows(1 << 18, 1, 1024, 2), rows(1 << 18, 1, 7000, 12)], [6, 32, 19]);
    assert_eq!(rows(1 << 18, 2, 7000, 12), 13);
    assert_eq!(rows(1 << 18, 1, 1 << 20, 12), 0);
}

#[test]
fn what_is_read_or_stored_besides_is_refused() {
    for (old, new) in [
        ("%old = atomic", "%b = load %h[%a]\n  %old = atomic"),
        ("%old = atomic", "store.row %h[%i], %a\n  %old = atomic"),
        ("%h[%a], 1", "%h[%a], 1\n  %o = atomic.or %h[%a], 1"),
        ("atomic.add", "atomic.max"),
    ] {
        let (kernels, _) = parse::kernels("f", &COUNT.replace(old, new));
        assert!(arrays(&kernels[0]).is_empty(), "{new}");
    }
}
