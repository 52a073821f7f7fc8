//! Which loops add up in lanes of 8 and 16 bits, and which ask for rows before they are read.

use crate::common::function::Shape;
use crate::lower::{Plan, module};
use quadra_passes::analysis::range::Bounds;

/// Bytes `a`, halves `h` and floats `f`, in turns of so many groups.
fn written(columns: usize, body: &str) -> String {
    with_head("", columns, body)
}

fn with_head(head: &str, columns: usize, body: &str) -> String {
    let text = format!(
        "kernel @k(%a: buf<i8, r>, %h: buf<i16, r>, %f: buf<f32, r>, %o: buf<i32, w>, %p: buf<f32, w>, %n: i32) simd group=16 over=1 {head} {{
           %g = group 0 %i = shl %g, 4 {body} }}"
    );
    let kernel = quadra_kir::parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel");
    let plan = Plan {
        blocks: None,
        shape: Shape { rows: 1, columns },
        groups: vec![Bounds { low: 0, high: 63 }],
        most_workers: 1,
        scales: false,
        fuses: true,
        permutes: false,
        avx2: true,
        lengths: vec![Some(1 << 20); 5],
        streams: vec![false; 5],
        halves: false,
        border: false,
        few: false,
        atomics: true,
        ahead: false,
        alias: false,
        private: vec![None; 5],
        checked: false,
        guarded: false,
    };
    module(&kernel, &plan).expect("nothing differs between groups").0
}

/// Rows of `a`, one behind the other.
fn along(term: &str) -> String {
    written(
        1,
        &format!(
            "%s = for %k in 0..960 step 16 (%t: <i32> = 0) {{ %q = add %i, %k %xs = load.row.inside %a[%q]
               %x = and %xs, 255 {term} yield %u }} store.row.inside %o[%i], %s"
        ),
    )
}

fn times(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

#[test]
fn lanes_are_as_short_as_what_they_add_up_allows() {
    let text = along("%u = add %t, %x");
    assert!(times(&text, "load <64 x i8>") == 1 && times(&text, " = add <64 x i16>") == 1, "{text}");
    assert_eq!(times(&text, "@llvm.umin.i64(i64 %t"), 1, "{text}");
    assert!(text.contains(", i64 257)"), "257 * 255 is the greatest number of 16 bits: {text}");
    let text = along("%c = cmp.gt %x, 9 %v = add %t, 1 %u = select %c, %v, %t");
    assert!(times(&text, " = add <64 x i8>") == 1 && text.contains(", i64 255)"), "{text}");
    // The sums on the way are from -255 to 255 each, of which 128 fit.
    let text = along("%v = add %t, 255 %u = sub %v, %x");
    assert!(times(&text, "<64 x i16>") > 0 && text.contains(", i64 128)"), "{text}");
    let text = along("%d = sub %x, 100 %u = add %t, %d");
    assert!(times(&text, "<64 x i16>") > 0 && text.contains(", i64 211)"), "{text}");
    let text = along("%d = mul %x, %x %u = add %t, %d");
    assert!(times(&text, " = mul <32 x i16>") == 1 && times(&text, " = add <32 x i32>") == 1, "{text}");
}

#[test]
fn least_and_greatest_are_found_in_the_lanes_of_their_terms() {
    let text = along("%u = max %t, %x");
    assert_eq!(times(&text, "call <64 x i8> @llvm.umax.v64i8"), 1, "{text}");
    let text = along("%d = sub %x, 200 %u = min %d, %t");
    assert!(times(&text, "call <64 x i16> @llvm.smin.v64i16") == 1, "{text}");
    // Nothing that lanes begin with may be left where a condition never holds.
    for term in ["%c = cmp.gt %x, 9 %v = max %t, %x %u = select %c, %v, %t", "%v = max %t, %x %u = min %v, 77"] {
        assert_eq!(times(&along(term), "<64 x"), 0, "{term}");
    }
}

#[test]
fn floats_of_whole_numbers_are_added_up_as_such() {
    let floats = |head: &str, term: &str| {
        let body = format!(
            "%s = for %k in 0..960 step 16 (%t: <f32> = 0.0) {{ %q = add %i, %k %xs = load.row.inside %a[%q]
               %x = and %xs, 255 %y = to.f32 %x {term} yield %u }} store.row.inside %p[%i], %s"
        );
        with_head(head, 1, &body)
    };
    let text = floats("regroup", "%u = add %t, %y");
    assert!(times(&text, "add <64 x i16>") == 1 && times(&text, " = sitofp <16 x i32>") == 5, "{text}");
    let text = floats("regroup", "%c = cmp.gt %x, 9 %w = add %t, %y %v = add %w, 1.0 %u = select %c, %v, %t");
    assert_eq!(times(&text, " = add <64 x i16>"), 2, "{text}");
    for (head, term) in [("", "%u = add %t, %y"), ("regroup", "%u = max %t, %y"), ("regroup", "%u = add %t, 0.5")] {
        assert_eq!(times(&floats(head, term), "<64 x"), 0, "{term}");
    }
}

#[test]
fn columns_of_a_turn_are_lanes() {
    let loops = |load: &str| {
        format!(
            "%s = for %k in 0..900 step 1 (%t: <i32> = 0) {{ %r = shl %k, 10 %q = add %i, %r {load}
               %u = add %t, %x yield %u }} store.row.inside %o[%i], %s"
        )
    };
    let text = written(4, &loops("%xs = load.row.inside %a[%q] %x = and %xs, 255"));
    assert!(times(&text, "load <64 x i8>") == 1 && times(&text, " = add <64 x i16>") == 1, "{text}");
    // A row of 64 bytes is a line of memory: once here, and once in the iterations that are left over.
    assert_eq!(times(&text, "call void @llvm.prefetch.p0"), 2, "{text}");
    let text = written(4, &loops("%x = load.row.inside %h[%q]"));
    assert!(times(&text, "load <64 x i16>") == 1 && times(&text, " = add <64 x i32>") == 1, "{text}");
}

#[test]
fn what_is_not_short_is_added_up_as_ever() {
    for term in [
        "%d = mul %x, %k %u = add %t, %d",
        "%y = load.row.inside %o[%q] %d = and %y, 7 %u = add %t, %d",
        "%d = max %t, %x %u = add %t, %d",
        "store.row.inside %o[%q], %x %u = add %t, %x",
        "%u = mul %t, %x",
        "%c = cmp.gt %t, 9 %v = add %t, %x %u = select %c, %v, %t",
        "%m = cmp.gt %x, 3 %y = load.row.inside %a[%q] if %m %u = add %t, %y",
    ] {
        let text = along(term);
        assert_eq!((times(&text, "<64 x"), times(&text, "<32 x")), (0, 0), "{term}: {text}");
    }
}

#[test]
fn rows_are_asked_for_where_no_processor_foresees_them() {
    let asked = |many: i32, shift: i32, term: &str| {
        let body = format!(
            "%s = for %k in 0..{many} step 1 (%t: <f32> = 0.0) {{ %r = shl %k, {shift} %q = add %i, %r %x = load.row.inside %f[%q]
               {term} yield %u }} store.row.inside %p[%i], %s"
        );
        times(&written(4, &body), "call void @llvm.prefetch.p0")
    };
    assert_eq!(asked(900, 10, "%u = min %t, %x"), 4, "each part's row is a line");
    assert_eq!(asked(900, 4, "%u = min %t, %x"), 0, "rows are near each other");
    assert_eq!(asked(9, 10, "%u = min %t, %x"), 0, "there are few");
    let long = (0..12).fold(String::from("%v0 = mul %x, %x\n"), |t, n| format!("{t} %v{} = mul %v{n}, %x\n", n + 1));
    assert_eq!(asked(900, 10, &format!("{long} %u = add %t, %v12")), 0, "an iteration takes longer than memory");
}
