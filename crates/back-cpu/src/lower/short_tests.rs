//! In how many bits, and in how many instructions, short values are computed.

use crate::common::function::Shape;
use crate::lower::{Plan, module};
use quadra_passes::analysis::range::Bounds;

/// Bytes `a` and `b`, a number `n`, the expression `%z`, stored as bytes in turns of four groups.
fn written(body: &str) -> String {
    let text = format!(
        "kernel @k(%a: buf<i8, r>, %b: buf<i8, r>, %o: buf<i8, w>, %n: i32) simd group=16 over=1 {{
           %g = group 0 %i = shl %g, 4 %xs = load.row %a[%i] %ys = load.row %b[%i] %x = and %xs, 255 %y = and %ys, 255
           {body} store.row %o[%i], %z }}"
    );
    let kernel = quadra_kir::parse::kernel("t.kir", &text).expect("the test's kernel parses");
    let plan = Plan {
        blocks: None,
        shape: Shape { rows: 1, columns: 4 },
        groups: vec![Bounds { low: 0, high: 255 }],
        most_workers: 1,
        scales: true,
        fuses: true,
        permutes: true,
        avx2: false,
        lengths: vec![Some(4096); 3],
        streams: vec![false; 3],
        halves: false,
        border: false,
        few: false,
        atomics: true,
        ahead: false,
        alias: false,
        private: vec![None; 3],
        checked: false,
        guarded: false,
    };
    module(&kernel, &plan).expect("nothing differs between groups").0
}

fn times(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

#[test]
fn bytes_stay_bytes_where_that_is_what_a_store_asks_for() {
    let text = written("%z = sub 255, %x");
    assert!(times(&text, " = sub <64 x i8>") == 1 && times(&text, "store <64 x i8>") == 1, "{text}");
    let text = written("%s = add %x, %y %z = min %s, 255");
    assert!(times(&text, "@llvm.uadd.sat.v64i8(<64 x i8> ") == 1 && times(&text, "i16") == 0, "{text}");
    let text = written("%d = sub %x, %y %z = max %d, 0");
    assert!(times(&text, "call <64 x i8> @llvm.usub.sat.v64i8") == 1, "{text}");
    let text = written("%d = sub %xs, %ys %l = max %d, -128 %z = min %l, 127");
    assert!(times(&text, "call <64 x i8> @llvm.ssub.sat.v64i8") == 1, "{text}");
}

#[test]
fn sums_and_products_of_bytes_take_16_bits() {
    // Whatever the number is, a byte of the result comes of 16 bits of the products.
    let text = written("%p = mul %x, %n %r = sub 256, %n %q = mul %y, %r %s = add %p, %q %z = asr %s, 8");
    assert!(times(&text, " = mul <64 x i16>") == 2 && times(&text, "<16 x i32>") == 0, "{text}");
    // A number far beyond all bytes is compared as one just beyond them.
    let text = written("%c = cmp.gt %x, %n %z = select %c, 255, 0");
    assert!(times(&text, " = icmp sgt <64 x i16>") == 1 && times(&text, " = select <64 x i1>") == 1, "{text}");
}

#[test]
fn what_needs_more_bits_has_them() {
    // The highest bits of a product of three bytes are asked for.
    let text = written("%p = mul %x, %y %q = mul %p, %x %z = asr %q, 16");
    assert!(times(&text, " = mul <16 x i32>") == 8 && times(&text, "store <16 x i8>") == 4, "{text}");
    // A float is made of the sum as it is, and a byte of its lowest bits.
    let text = written("%p = mul %x, %y %f = to.f32 %p %h = mul %f, 0.5 %z = to.i32 %h");
    assert!(times(&text, "<64 x") == 0, "{text}");
}
