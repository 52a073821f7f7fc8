//! The text of modules: how elements are noted, how rows of long arrays are read.

use super::*;
use crate::common::function::{Private, Shape};
use crate::common::text::LANES;
use quadra_kir::Op;
use quadra_passes::analysis::range::Bounds;

fn parsed(body: &str) -> Kernel {
    let head = "kernel @k(%v: buf<f32, r>, %h: buf<i32, rw>, %s: buf<f32, rw>) simd group=16 over=1";
    quadra_kir::parse::kernel("t.kir", &format!("{head} {{ {body} }}")).expect("the test's kernel parses")
}

/// Turns of four groups; buffer 1 is private and of this length, buffer 2 of one element.
fn plan(length: u32, halves: bool) -> Plan {
    let private = |length, copies| Some(Private { op: Op::AtomicAdd, length, copies });
    Plan {
        blocks: None,
        shape: Shape { rows: 1, columns: 4 },
        groups: vec![Bounds { low: 0, high: 255 }],
        most_workers: 1,
        scales: true,
        fuses: true,
        permutes: true,
        avx2: false,
        lengths: vec![Some(4096), Some(length), Some(1)],
        streams: vec![false; 3],
        halves,
        border: false,
        few: false,
        atomics: true,
        ahead: false,
        alias: false,
        private: vec![None, private(length, 8), private(1, 1)],
        checked: false,
        guarded: false,
    }
}

fn written(kernel: &Kernel, length: u32, halves: bool) -> String {
    let plan = plan(length, halves);
    module(&without_votes(kernel, &plan.private), &plan).expect("nothing differs between groups").0
}

fn times(text: &str, what: &str) -> usize {
    text.matches(what).count()
}

const BINS: &str = "%g = group 0 %i = shl %g, 4 %x = load.row.inside %v[%i] %n = to.i32 %x";

#[test]
fn what_fits_is_noted_in_bytes_and_asked_for_once_a_turn() {
    let text = written(&parsed(&format!("{BINS} %a = atomic.add %h[%n], 1")), 256, false);
    assert_eq!(times(&text, "store <16 x i8>"), 4, "{text}");
    // At the end of a turn, and at the end of all.
    assert_eq!(times(&text, "call void @count1"), 2, "{text}");
    // 16 notes are 16 floats: a line of the cache each.
    assert_eq!(times(&text, "call void @llvm.prefetch.p0"), 1, "{text}");
}

#[test]
fn lanes_that_are_not_asked_are_noted_behind_the_last_element() {
    let vote = "%m = cmp.lt.u %n, 200 %any = vote.any %m";
    let add = "%a = atomic.add %h[%n], 1 if %m";
    let kernel = parsed(&format!("{BINS} {vote} if %any {{ {add} }}"));
    let text = written(&kernel, 256, false);
    assert_eq!(times(&text, "store <16 x i16>"), 4, "{text}");
    assert_eq!(times(&text, "call void @count1"), 2, "no vote divides the turn: {text}");
    let text = written(&kernel, 255, false);
    assert_eq!(times(&text, "store <16 x i8>"), 4, "{text}");
}

#[test]
fn votes_stay_where_others_would_notice() {
    let stays = |inside: &str| {
        let kernel = parsed(&format!("{BINS} %m = cmp.lt.u %n, 200 %any = vote.any %m if %any {{ {inside} }}"));
        let private = [None, Some(Private { op: Op::AtomicAdd, length: 256, copies: 8 }), None];
        without_votes(&kernel, &private).body.any(&mut |i| i.op == Op::If)
    };
    assert!(!stays("%a = atomic.add %h[%n], 1 if %m"));
    assert!(stays("%a = atomic.add %h[%n], 1"), "all lanes add");
    assert!(stays("%a = atomic.add %s[%n], 1.0 if %m"), "the buffer is everybody's");
    assert!(stays("store.inside %h[%n], 1 if %m"), "a store is no addition to a copy");
}

#[test]
fn in_loops_it_is_asked_after_each_note() {
    let kernel = parsed(&format!("{BINS} for %k in 0..3 step 1 {{ %a = atomic.add %h[%n], 1 yield }}"));
    let text = written(&kernel, 256, false);
    assert_eq!(times(&text, "call void @count1"), 4 + 1, "{text}");
    assert_eq!(times(&text, "llvm.prefetch"), 0, "{text}");
}

#[test]
fn rows_of_long_arrays_are_read_in_halves_and_in_order() {
    let kernel = parsed("%g = group 0 %i = shl %g, 4 %x = load.row.inside %v[%i] %a = atomic.add %s[0], %x");
    let text = written(&kernel, 256, true);
    assert_eq!(times(&text, "load volatile <16 x float>"), 4, "{text}");
    assert_eq!(times(&text, "\"min-legal-vector-width\"=\"256\""), 1, "{text}");
    let text = written(&kernel, 256, false);
    assert_eq!((times(&text, "volatile"), times(&text, "\"min-legal-vector-width\"=\"512\"")), (0, 1), "{text}");
}

#[test]
fn no_function_contains_wider_instructions_than_it_may_have() {
    let exponential = "%g = group 0 %i = shl %g, 4 %x = load.row.inside %v[%i] %e = exp %x %a = atomic.add %s[0], %e";
    let text = written(&parsed(exponential), 256, true);
    assert_eq!(times(&text, "\"min-legal-vector-width\"=\"256\""), 1, "{text}");
    assert_eq!(
        (times(&text, ".ps.512("), times(&text, "call <8 x float> @llvm.x86.avx512.mask.scalef.ps.256(")),
        (0, 8)
    );
    let text = written(&parsed(exponential), 256, false);
    assert_eq!(times(&text, "\"min-legal-vector-width\"=\"512\""), 1, "{text}");
    let wide = |name: &str| is_wide(&format!("declare {LANES} @{name}({LANES}, {LANES})"));
    assert!(wide("llvm.x86.avx512.permvar.si.512") && !wide("llvm.x86.avx512.mask.range.ps.256"));
    assert!(!wide("llvm.smax.v16i32"), "LLVM splits what it knows itself");
}

#[test]
fn differences_of_signs_are_one_instruction() {
    let kernel = |last: &str| {
        let sums = "%g = group 0 %i = shl %g, 4 %x = load.row.inside %h[%i] %l = lane %y = mul %l, %l %s1 = add %x, %y";
        parsed(&format!("{sums} %a = xor %s1, %x {last} %w = and %a, %b store.row.inside %h[%i], %w"))
    };
    let together =
        |last: &str, halves| times(&written(&kernel(last), 4096, halves), "call <16 x i32> @llvm.x86.avx512.pternlog");
    assert_eq!((together("%b = xor %y, %s1", false), together("%b = xor %s1, %y", false)), (4, 4));
    assert_eq!(together("%b = xor %y, %l", false), 0, "they have nothing in common");
    assert_eq!(together("%b = or %y, %s1", false), 0);
    assert_eq!(together("%b = xor %y, %s1", true), 0, "the instruction is one of 512 bits");
}

#[test]
fn clamped_rows_are_permuted_where_all_between_the_limits_lies_inside() {
    let index = "%g = group 0 %i = shl %g, 4 %l = lane %j = add %i, %l %k = add %j, -7";
    let kernel = |low: i32, high: i32| {
        let clamp = format!("%c = max %k, {low} %d = min %c, {high}");
        parsed(&format!("{index} {clamp} %x = load %v[%d] %a = atomic.add %s[0], %x"))
    };
    let gathers = |low, high| times(&written(&kernel(low, high), 256, false), "call <16 x i32> @llvm.masked.gather");
    assert_eq!(gathers(0, 4095), 0);
    assert_eq!(times(&written(&kernel(0, 4095), 256, false), "call <16 x i32> @llvm.x86.avx512.permvar"), 4);
    assert_eq!(gathers(0, 14), 4, "less than a row");
    // Of bytes and of 16 bits, too.
    let short = |elem: &str, low: i32| {
        let body = format!(
            "{index} %c = max %k, {low} %d = min %c, 4095 %x = load %b[%d] %f = to.f32 %x %a = atomic.add %s[0], %f"
        );
        let text = format!(
            "kernel @k(%b: buf<{elem}, r>, %h: buf<i32, rw>, %s: buf<f32, rw>) simd group=16 over=1 {{ {body} }}"
        );
        written(&quadra_kir::parse::kernel("t.kir", &text).expect("the test's kernel parses"), 256, false)
    };
    for (elem, permuted) in
        [("i8", "call <16 x i8> @llvm.x86.ssse3.pshuf.b.128"), ("i16", "call <16 x i32> @llvm.x86.avx512.permvar")]
    {
        assert_eq!(times(&short(elem, 0), permuted), 4, "{elem}");
        assert_eq!(times(&short(elem, -1), permuted), 0, "{elem}: what lies outside must fault");
    }
    assert_eq!((gathers(-1, 4095), gathers(0, 4096)), (4, 4), "what lies outside must fault");
}

#[test]
fn colours_of_pixels_are_constants_where_turns_begin_with_a_pixel() {
    let index = "%g = group 0 %i = shl %g, 4 %l = lane %j = add %i, %l";
    let kernel = |by: i32| parsed(&format!("{index} %m = mod %j, {by} %f = to.f32 %m %a = atomic.add %s[0], %f"));
    assert_eq!((period(&kernel(3)), period(&kernel(12)), period(&kernel(16)), period(&kernel(11))), (3, 3, 1, 1));
    let text = |by: i32, columns: usize| {
        let plan = Plan { shape: Shape { rows: 1, columns }, ..plan(256, false) };
        module(&kernel(by), &plan).expect("nothing differs between groups").0
    };
    let divided = |text: String| times(&text, "srem");
    assert_eq!((divided(text(3, 3)), divided(text(3, 6)), divided(text(16, 4))), (0, 0, 0));
    assert_eq!((divided(text(3, 4)), divided(text(11, 4))), (4, 4), "the pattern begins elsewhere in each turn");
    // The interior begins with group 0: the second vector with element 16, the second colour.
    assert!(text(3, 3).contains("<i32 1, i32 2, i32 0, i32 1"), "{}", text(3, 3));
}

/// Turns of so many rows and columns of a kernel over 100 x 1024 elements, whose body has the coordinates of a row, `%i`.
fn over_rows(head: &str, body: &str, shape: Shape, scales: bool) -> String {
    let text = format!(
        "kernel @k(%v: buf<f32, r>, %h: buf<i32, rw>, %s: buf<f32, rw>) simd group=16 over=2 {head} {{
           %y = group 0 %x = group 1 %r = shl %y, 10 %c = shl %x, 4 %i = add %r, %c {body} }}"
    );
    let kernel = quadra_kir::parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel");
    let groups = vec![Bounds { low: 8, high: 91 }, Bounds { low: 1, high: 62 }];
    let length = Some(100 << 10);
    let plan = Plan { shape, groups, scales, lengths: vec![length; 3], private: vec![None; 3], ..plan(256, false) };
    module(&kernel, &plan).expect("nothing differs between groups").0
}

/// A weighted sum of the rows from so many elements on, a number of elements apart.
fn weighted(first: i32, many: i32, apart: i32) -> String {
    let mut body = String::from("%a0 = mul 0.0, 0.0");
    for n in 0..many {
        let at = first + n * apart;
        body += &format!(" %i{n} = add %i, {at} %l{n} = load.row %v[%i{n}] %m{n} = mul %l{n}, 0.5");
        body += &format!(" %a{} = add %a{n}, %m{n}", n + 1);
    }
    body + &format!(" store.row %s[%i], %a{many}")
}

#[test]
fn coordinates_around_the_interior_say_nothing_to_the_optimiser() {
    let kernel =
        quadra_kir::parse::kernel("t.kir", "kernel @k(%v: buf<f32, rw>) simd group=16 over=1 { %g = group 0 }");
    let kernel = kernel.map_err(|d| format!("{d:?}")).expect("the test's kernel");
    let opaque = |border| {
        let plan = Plan { shape: Shape::ONE, border, ..plan(256, false) };
        times(&module(&kernel, &plan).expect("one group at a time").0, " = call i32 asm \"\", \"=r,0\"(i32 %t")
    };
    assert_eq!((opaque(false), opaque(true)), (0, 1));
}

#[test]
fn least_and_largest_numbers_of_recurrences_are_moved_and_not_guessed() {
    let moves = |body: &str| {
        let body = format!("%x = load %h[3] {body} store %h[5], %r");
        times(&written(&parsed(&body), 256, false), ", !unpredictable !0")
    };
    let turn = |op: &str| format!("%y = load %h[%i] %m = {op} %y, %c %d = add %m, 1 yield %d");
    let carried = |op: &str| format!("%r = for %i in 0..90 (%c: i32 = 7) {{ {} }}", turn(op));
    assert_eq!((moves(&carried("min")), moves(&carried("max"))), (1, 1));
    assert_eq!(moves(&carried("add")), 0);
    // With a number that is known there is nothing to guess, and nobody waits for it where nothing is carried.
    assert_eq!(moves("%r = for %i in 0..90 (%c: i32 = 7) { %m = min %c, 80 %d = add %m, 1 yield %d }"), 0);
    assert_eq!(moves("%y = load %h[4] %r = min %x, %y"), 0);
    // Vectors have an instruction for it.
    let lanes = "%l = lane %r = for %i in 0..90 (%c: <i32> = 7) { %m = min %l, %c %d = add %m, 1 yield %d }";
    assert_eq!(
        times(
            &written(&parsed(&format!("{lanes} %g = group 0 %j = shl %g, 4 store.row %h[%j], %r")), 256, false),
            "asm"
        ),
        0
    );
}

#[test]
fn some_rows_that_overlap_are_put_together_from_aligned_ones() {
    let count = |first, many, columns, scales| {
        let text = over_rows("", &weighted(first, many, 1), Shape { rows: 1, columns }, scales);
        (times(&text, " = shufflevector <16 x i32> %"), times(&text, " = load <16 x "))
    };
    assert_eq!(count(-7, 15, 4, false), (0, 4 * 15), "where that takes several instructions, all are loaded");
    let (spliced, loaded) = count(-7, 15, 4, true);
    assert!((10..=20).contains(&spliced), "{spliced}");
    assert_eq!(spliced + loaded, 4 * 15 + 2, "the aligned rows around the turn are loaded besides");
    assert_eq!(count(0, 2, 4, true).0, 0, "few rows are loaded");
}

#[test]
fn rows_outside_of_the_buffer_are_not_read() {
    // The first row's elements before its ninth would lie before the buffer if the interior began with group 0.
    let text = over_rows("", &weighted(-8 * 1024 - 15, 15, 1), Shape { rows: 1, columns: 4 }, true);
    assert!(!text.contains("i64 -8209"), "{text}");
    let outside = over_rows("", &weighted(8 * 1024 + 17 + 15, 15, 1), Shape { rows: 1, columns: 4 }, true);
    let last = 8 * 1024 + 17 + 15 + 14 + 48;
    assert!((last + 1..last + 64).all(|at| !outside.contains(&format!(", i64 {at}\n"))), "{outside}");
}

#[test]
fn sums_of_neighbouring_rows_serve_several_parts() {
    let mut body = String::from("%a0 = mul 0.0, 0.0");
    for n in 0..12 {
        body +=
            &format!(" %i{n} = add %i, {} %l{n} = load.row %v[%i{n}] %a{} = add %a{n}, %l{n}", (n - 6) * 1024, n + 1);
    }
    body += " store.row %s[%i], %a12";
    let text = over_rows("relaxed", &body, Shape { rows: 8, columns: 1 }, true);
    // The five rows that all sums have are one term of 15: of these, 14 sums of two, 12 of four, 8 of eight; and what each begins with.
    assert_eq!(times(&text, " = load <16 x "), 19, "{text}");
    assert_eq!(times(&text, " = fadd "), 4 + 14 + 12 + 8 + 8, "{text}");
}

#[test]
fn large_windows_are_added_up_in_a_loop_over_their_rows() {
    let window = |rows: i32, shape| {
        let mut body = String::from("%a0 = mul 0.0, 0.0");
        for (n, at) in (0..rows * 11).map(|n| (n, n / 11 * 1024 + n % 11 * 3 - 15)) {
            body += &format!(" %i{n} = add %i, {at} %l{n} = load.row %v[%i{n}] %a{} = add %a{n}, %l{n}", n + 1);
        }
        over_rows("relaxed", &(body + &format!(" store.row %s[%i], %a{}", rows * 11)), shape, true)
    };
    let text = window(7, Shape { rows: 6, columns: 2 });
    // Each of twelve rows of two vectors is added up by the same ten additions for each, read once more, and stored once.
    assert!(text.contains(" = alloca [24 x <16 x float>], align 64") && text.contains("icmp eq i32"), "{text}");
    assert_eq!(times(&text, "store <16 x float> "), 2 + 12, "{text}");
    assert_eq!(times(&text, " = load <16 x float>, "), 24, "{text}");
    // Of each column's sums six have the two middle rows in common: one addition, five more for each, and what they begin with.
    assert_eq!(times(&text, " = fadd "), 2 * 10 + 2 * (1 + 6 * 5 + 6), "{text}");
    let few = window(2, Shape { rows: 6, columns: 2 });
    assert!(!few.contains("icmp eq i32"), "a small window is written out: {few}");
}

#[test]
fn addresses_that_differ_otherwise_than_groups_share_no_sums() {
    let mut body = String::from("%a0 = mul 0.0, 0.0 %q = mod %y, 7 %w = shl %q, 10 %j = add %w, %c");
    for n in 0..8 {
        body += &format!(" %i{n} = add %j, {} %l{n} = load.row %v[%i{n}] %a{} = add %a{n}, %l{n}", n * 1024, n + 1);
    }
    body += " store.row %s[%i], %a8";
    let text = over_rows("relaxed", &body, Shape { rows: 8, columns: 1 }, true);
    assert_eq!(times(&text, " = load <16 x "), 64, "{text}");
}

#[test]
fn elements_at_equal_distances_are_read_and_written_as_rows() {
    let text = |step: i32, stores: &[i32], scales| {
        let mut body = format!("%n = lane %p = add %c, %n %q = mul %p, {step} %w = add %q, 4000");
        for (n, at) in [0, 1].into_iter().enumerate() {
            body += &format!(" %j{n} = add %w, {at} %l{n} = load %v[%j{n}] %m{n} = mul %l{n}, 0.5");
        }
        for (n, at) in stores.iter().enumerate() {
            body += &format!(" %o{n} = add %w, {at} store %s[%o{n}], %m{}", n % 2);
        }
        over_rows("", &body, Shape { rows: 2, columns: 1 }, scales)
    };
    let count = |text: String| {
        (times(&text, "= call <16 x i32> @llvm.masked.gather"), times(&text, "call void @llvm.masked.scatter"))
    };
    // The rows are the same for both parts, which are written anew: the kernel does not look at `%y`.
    assert_eq!(count(text(3, &[2, 0, 1], true)), (0, 0));
    assert_eq!(count(text(-2, &[0, 1], true)), (0, 0));
    assert_eq!(count(text(4, &[0, 1, 2, 3], true)), (0, 0));
    assert_eq!(count(text(3, &[0, 1], true)), (0, 2), "a colour is missing");
    assert_eq!(count(text(3, &[0, 1, 3], true)), (0, 3), "a colour is missing");
    assert_eq!(count(text(3, &[0, 1, 1], true)), (0, 3), "one is written twice");
    assert_eq!(count(text(5, &[0, 1, 2, 3, 4], true)), (2, 5), "too far apart");
    assert_eq!(count(text(3, &[0, 1, 2], false)), (2, 3), "without the instructions for it");
}

#[test]
fn sums_of_many_integers_are_tested_by_their_terms() {
    let text = |places: &[i32], scales| {
        let mut body = String::from("%s0 = load.row %h[%i]");
        for (n, at) in places.iter().enumerate() {
            body += &format!(
                " %j{n} = add %i, {at} %l{n} = load.row %h[%j{n}] %s{m} = add %s{n}, %l{n} %x{n} = xor %s{n}, %s{m}
                 %y{n} = xor %l{n}, %s{m} %z{n} = and %x{n}, %y{n}",
                m = n + 1
            );
            body += &if n == 0 { " %w0 = or %z0, %z0".into() } else { format!(" %w{n} = or %w{}, %z{n}", n - 1) };
        }
        let last = places.len();
        body += &format!(" %d = cmp.ge %w{}, 0 assert \"wraps\", %d", last - 1);
        let text = over_rows("", &format!("{body} %f = to.f32 %s{last} store.row %s[%i], %f"), Shape::ONE, scales);
        (
            times(&text, "@llvm.abs.v16i32(") - times(&text, "declare <16 x i32> @llvm.abs"),
            times(&text, "load volatile"),
        )
    };
    assert_eq!(text(&[1, 2, 3, 4], false), (2, 5), "the first and the last row cover the others");
    assert_eq!(text(&[1, 2, 3, 4], true), (0, 0), "an instruction says whether a sum wraps");
    assert_eq!(text(&[1024, 2048, 3072, 4096], false), (5, 5));
    assert_eq!(text(&[16, 1024, 1040, 17], false), (5, 5), "rows that only meet cover none");
    assert_eq!(text(&[2048, 4096], false), (0, 0), "of few sums each has its test");
}

#[test]
fn rows_of_lanes_are_read_and_written_sixteen_turns_at_a_time() {
    let kernel = |inner: &str| {
        let head = "kernel @k(%v: buf<f32, r>, %h: buf<i32, rw>, %s: buf<f32, rw>, %n: i32) simd group=16 over=1";
        let body = format!(
            "%g = group 0 %l = lane %i = shl %g, 4 %j = add %i, %l %b = mul %j, 100
             for %k in 0..%n {{ %a = add %b, %k %x = load.inside %v[%a] {inner} }}"
        );
        quadra_kir::parse::kernel("t.kir", &format!("{head} {{ {body} }}")).map_err(|d| format!("{d:?}"))
    };
    let moved = |inner: &str, ahead, alias| {
        let kernel = kernel(inner).expect("the test's kernel parses");
        let plan = Plan { shape: Shape::ONE, ahead, alias, ..plan(256, false) };
        let text = module(&kernel, &plan).expect("one group at a time is always possible").0;
        let count = |what| times(&text, what);
        (count(" = call <16 x i32> @llvm.masked.load."), count("call void @llvm.masked.store."), count(".gather."))
    };
    let store = "store.inside %s[%a], %x";
    assert_eq!(moved(store, true, false), (16, 16, 0));
    assert_eq!(moved(store, false, false).0, 0, "other processors have no such loads");
    let eight = |inner: &str| {
        let kernel = kernel(inner).expect("the test's kernel parses");
        let plan = Plan { shape: Shape::ONE, ahead: true, scales: false, ..plan(256, false) };
        let text = module(&kernel, &plan).expect("one group at a time is always possible").0;
        let count = |what| times(&text, what);
        (count("call <8 x i32> @llvm.masked.load."), count(" = load <8 x i32>"), count("call void @llvm.masked.store."))
    };
    // Whole squares without masks, and the last iterations with them; what is written is read from the tile each time.
    assert_eq!(eight(store), (32, 32 + 64, 32), "squares of eight");
    assert_eq!(moved(store, true, true).0, 0, "what is stored could be what is read");
    assert_eq!(
        moved("store.inside %s[%a], %x %y = load.inside %s[%b]", true, false),
        (16, 0, 1),
        "an element is read again"
    );
    let assert = "%c = cmp.lt %x, 9.0 assert \"small\", %c store.inside %s[%a], %x";
    assert_eq!(moved(assert, true, false), (16, 16, 0), "of a launch that fails nothing stays");
    let test = "%c = cmp.lt.u %k, 100 assert \"inside\", %c %y = load.inside %s[%a]";
    assert_eq!(moved(test, true, false), (16, 0, 1), "what the next iterations read is not tested yet");
}

/// The text of a kernel that adds up elements at these places of each stretch of `step`.
fn stretches(elem: &str, step: usize, places: &[usize]) -> String {
    let to_int = if elem == "f32" { "to.i32" } else { "or 0," };
    let mut body = format!("%g = group 0 %l = lane %s = shl %g, 4 %t = add %s, %l %b = mul %t, {step} ");
    let mut sum = "0".to_string();
    for k in places {
        body += &format!(
            "%i{k} = add %b, {k} %x{k} = load.inside %v[%i{k}] %y{k} = {to_int} %x{k} %z{k} = add {sum}, %y{k} "
        );
        sum = format!("%z{k}");
    }
    let head = format!("kernel @k(%v: buf<{elem}, r>, %o: buf<i32, rw>) simd group=16 over=1");
    let text = format!("{head} {{ {body} store.row.inside %o[%s], {sum} }}");
    let kernel = quadra_kir::parse::kernel("t.kir", &text).expect("the test's kernel parses");
    let plan = Plan {
        shape: Shape::ONE,
        lengths: vec![Some(1 << 20), Some(1 << 16)],
        streams: vec![false; 2],
        private: vec![None; 2],
        ..plan(1, false)
    };
    module(&kernel, &plan).expect("nothing differs between groups").0
}

#[test]
fn loads_that_name_all_elements_of_a_stretch_share_its_rows() {
    for (elem, memory, step) in [("i8", "i8", 3), ("f32", "float", 5), ("i16", "i16", 8), ("i8", "i8", 2)] {
        let row = format!("load <16 x {memory}>");
        let all: Vec<usize> = (0..step).collect();
        let text = stretches(elem, step, &all);
        assert_eq!((times(&text, &row), times(&text, "gather")), (step, 0), "{elem} {step}: {text}");
        // Without the last one nobody knows that the end of the last row is there.
        let text = stretches(elem, step, &all[..step - 1]);
        let apart = times(&text, "masked.gather") > 0 || times(&text, &row) > 0;
        assert!(apart && (step <= 4 || times(&text, &row) == 0), "{elem} {step}: {text}");
    }
}

#[test]
fn quotients_of_whole_numbers_by_a_constant_are_products() {
    let divisions = |body: &str| {
        let load =
            "%g = group 0 %i = shl %g, 4 %x = load.row.inside %v[%i] %k = trunc %x %n = to.i32 %k %y = to.f32 %n";
        times(&written(&parsed(&format!("{load} {body} store.row.inside %s[%i], %q")), 256, false), "fdiv <16 x float>")
    };
    // What integers have become, and their sums and products.
    for whole in ["%q = div %y, 7.0", "%z = mul %y, 3.0 %q = div %z, -9.0", "%z = sub %y, 2.0 %q = div %z, 0.1"] {
        assert_eq!(divisions(whole), 0, "{whole}");
    }
    // Floats that may be small or large, divisors that are not known, too small, powers of two (LLVM's), or of each lane.
    let others = ["%q = div %x, 7.0", "%z = mul %y, 0.3 %q = div %z, 7.0", "%d = to.f32 %g %q = div %y, %d"];
    let divisors = ["%q = div %y, 1.0e-20", "%q = div %y, 8.0", "%q = div %y, %y"];
    for other in others.into_iter().chain(divisors) {
        assert_eq!(divisions(other), 4, "{other}");
    }
}

#[test]
fn four_neighbours_of_each_lane_are_half_a_square() {
    let text = |body: &str| {
        let head = "%l = lane %g = group 0 %b = shl %g, 4 %i = add %b, %l %r = mul %i, 12";
        written(&parsed(&format!("{head} {body}")), 256, false)
    };
    let at = |n: usize| format!("%i{n} = add %r, {n}");
    let load = |n: usize| format!("{} %x{n} = load.inside %v[%i{n}]", at(n));
    let store = |n: usize, m: usize| format!("store.inside %s[%i{n}], %x{m}");
    let all = |of: &[String]| of.join(" ");
    let quads = |text: &str| (times(text, "load <4 x i32>"), times(text, "store <4 x i32>"));
    let loads: Vec<String> = (1..5).map(load).collect();
    let stores: Vec<String> = [4, 2, 1, 3].map(|n| store(n, 5 - n)).to_vec();
    // Four groups of sixteen lines.
    assert_eq!(quads(&text(&all(&[all(&loads), all(&stores)]))), (64, 64));
    // Three neighbours are none; nor are four with a gap, or with something between that the launch may end at.
    let three: Vec<String> = (1..4).map(load).collect();
    let gap: Vec<String> = [1, 2, 4, 5].map(load).to_vec();
    let stores_of = |n: [usize; 4]| all(&n.map(|n| store(n, 1)));
    assert_eq!(quads(&text(&all(&[all(&three), store(1, 2)]))), (0, 0));
    assert_eq!(quads(&text(&all(&[all(&gap), stores_of([1, 2, 4, 5])]))), (0, 0));
    let ends = "%c = cmp.gt %x1, 0.0 assert \"it is\", %c";
    let parts = [all(&loads), store(1, 1), store(2, 1), ends.into(), store(3, 1), store(4, 1)];
    assert_eq!(quads(&text(&all(&parts))), (64, 0));
}
