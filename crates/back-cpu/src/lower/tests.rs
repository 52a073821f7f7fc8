//! The text of modules: how elements are noted, how rows of long arrays are read.

use super::*;
use quadra_kir::Op;

fn parsed(body: &str) -> Kernel {
    let head = "kernel @k(%v: buf<f32, r>, %h: buf<i32, rw>, %s: buf<f32, rw>) simd group=16 over=1";
    quadra_kir::parse::kernel("t.kir", &format!("{head} {{ {body} }}")).expect("the test's kernel parses")
}

/// Turns of four groups; buffer 1 is private and of this length, buffer 2 of one element.
fn plan(length: u32, halves: bool) -> Plan {
    let private = |length, copies| Some(Private { op: Op::AtomicAdd, length, copies });
    Plan {
        shape: Shape { rows: 1, columns: 4 },
        groups: vec![Bounds { low: 0, high: 255 }],
        most_workers: 1,
        scales: true,
        lengths: vec![Some(4096), Some(length), Some(1)],
        streams: vec![false; 3],
        halves,
        private: vec![None, private(length, 8), private(1, 1)],
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
