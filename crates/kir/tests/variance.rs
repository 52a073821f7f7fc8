//! The variance analysis on small kernels whose answers are known.

use quadra_kir::variance::{Variance, Vary};
use quadra_kir::{Kernel, Value, parse};

fn analysed(body: &str) -> (Kernel, Variance) {
    let text = format!(
        "kernel @f(%r: buf<i32, r>, %w: buf<i32, rw>, %u: i32, %s: shared<i32, 64>) simt group=4x16 over=2 {{ {body} }}"
    );
    let kernel = parse::kernel("variance.kir", &text).unwrap_or_else(|e| panic!("{}", e[0].render(false)));
    let variance = Variance::of(&kernel);
    (kernel, variance)
}

fn named(kernel: &Kernel, name: &str) -> Value {
    let found = kernel.values.iter().find(|(_, info)| &*info.name == name);
    found.unwrap_or_else(|| panic!("there is no %{name}")).0
}

fn expect(body: &str, levels: &[(&str, Vary)]) {
    let (kernel, variance) = analysed(body);
    for &(name, level) in levels {
        assert_eq!(variance.level(named(&kernel, name)), level, "%{name} in {body}");
    }
}

#[test]
fn places_and_loads_vary_as_their_sources() {
    expect(
        "%row = item 0 %col = item 1 %l = lane %g = group 0 %n = extent 1
         %a = load %r[%u] %b = load %w[%u] %c = load %s[%u] %d = load %r[%col] %e = load %r[%row]
         store %w[0], 1 %v = cmp.lt %l, 3 %any = vote.any %v %bc = broadcast %d, 3 %rot = rotate %u, 1 %m = add %g, %n",
        &[
            ("row", Vary::Subgroup),
            ("col", Vary::Lane),
            ("g", Vary::Group),
            ("n", Vary::Grid),
            ("a", Vary::Grid),
            ("b", Vary::Subgroup),
            ("c", Vary::Group),
            ("d", Vary::Lane),
            ("e", Vary::Subgroup),
            ("any", Vary::Subgroup),
            ("bc", Vary::Subgroup),
            ("rot", Vary::Lane),
            ("m", Vary::Group),
        ],
    );
}

#[test]
fn a_branch_gives_a_varying_value_only_if_its_sides_differ() {
    expect(
        "%l = lane %c = cmp.lt %l, 3
         %a = if %c { yield 1 } else { yield 2 }
         %b = if %c { yield %u } else { yield %u }
         %d = if %c { yield %u } else { return }",
        &[("a", Vary::Lane), ("b", Vary::Grid), ("d", Vary::Grid)],
    );
}

#[test]
fn a_loop_that_lanes_leave_at_different_times_keeps_its_counter_uniform() {
    expect(
        "%l = lane %r0 = loop (%i: i32 = 0) { %c = cmp.ge %i, %l if %c { break %i } %n = add %i, 1 continue %n }
         %r1 = for %j in 0..%l (%acc: i32 = 0) { %t = add %acc, %j yield %t }
         %r2 = for %k in 0..%u (%ac: i32 = 0) { %t2 = add %ac, %k yield %t2 }",
        &[
            ("i", Vary::Grid),
            ("n", Vary::Grid),
            ("r0", Vary::Lane),
            ("j", Vary::Grid),
            ("acc", Vary::Lane),
            ("r1", Vary::Lane),
            ("k", Vary::Grid),
            ("r2", Vary::Grid),
        ],
    );
}

#[test]
fn different_ways_round_a_loop_make_its_values_vary() {
    expect(
        "%l = lane %c = cmp.lt %l, 3
         %x = loop (%i: i32 = 0, %n: i32 = 0) {
           %end = cmp.gt %n, 9 if %end { break %u }
           %m = add %n, 1
           if %c { continue %i, %m }
           %k = add %i, 1
           continue %k, %m
         }",
        &[("i", Vary::Lane), ("n", Vary::Lane), ("x", Vary::Lane)],
    );
}

#[test]
fn a_break_that_only_some_lanes_reach_is_a_divergent_one() {
    // Lanes 0 to 2 skip the break in the first iteration though its condition is uniform.
    expect(
        "%l = lane %c = cmp.lt %l, 3 %p = load %w[%u] store %w[0], 1
         %x = loop {
           %q = load %w[%u]
           %z = cmp.eq %q, 5
           if %c { continue }
           if %z { break %q }
         }",
        &[("p", Vary::Subgroup), ("q", Vary::Subgroup), ("x", Vary::Lane)],
    );
}

#[test]
fn only_values_that_every_lane_has_are_full() {
    let (kernel, v) = analysed(
        "%l = lane %c = cmp.lt %l, 3 %a = load %r[%l]
         if %c { %b = load %r[%l] %d = add %a, 1 %e = add %b, 1 %f = load %r[%u] store %w[0], %e
                 %j = if %c { yield %a } else { yield 0 } store %w[1], %j store %w[2], %d store %w[3], %f }
         %g = if %c { return } else { yield %l }
         %h = load %r[%l]
         store %w[0], %g
         store %w[0], %h",
    );
    let full = |name: &str| v.is_full(named(&kernel, name));
    assert!(full("a") && full("d") && full("f") && full("c"));
    assert!(!full("b") && !full("e") && !full("j") && !full("g") && !full("h"));
}

#[test]
fn variables_are_uniform_while_they_are_set_together() {
    let text = "kernel @f(%w: buf<i32, rw>) simt group=16 { var $x: i32 var $y: i32
      %l = lane %c = cmp.lt %l, 3 set $x, 1 if %c { set $y, 1 %a = get $x store %w[0], %a } %b = get $y store %w[0], %b }";
    let kernel = parse::kernel("v.kir", text).expect("the text is right");
    let v = Variance::of(&kernel);
    assert_eq!(v.level(named(&kernel, "a")), Vary::Grid);
    assert_eq!(v.level(named(&kernel, "b")), Vary::Lane);
    assert!(v.is_full(named(&kernel, "b")));
}

fn whole(text: &str) -> (Kernel, Variance) {
    let kernel = parse::kernel("whole.kir", text).expect("the test's kernel parses");
    let variance = Variance::of(&kernel);
    (kernel, variance)
}

#[test]
fn an_if_on_lanes_makes_its_results_differ() {
    let (k, v) = whole(
        "kernel @k(%p: buf<i32, rw>, %n: i32) simt group=16 over=0 {
           %l = lane
           %c = cmp.lt %l, %n
           %a = if %c { yield 1 } else { yield 2 }
           %b = if %c { yield %n } else { yield %n }
           %u = cmp.lt %n, 3
           %d = if %u { yield 1 } else { yield 2 }
           %e = vote.any %c
         }",
    );
    let level = |n: &str| v.level(named(&k, n));
    assert_eq!(level("a"), Vary::Lane);
    assert_eq!((level("b"), level("d")), (Vary::Grid, Vary::Grid));
    assert_eq!(level("e"), Vary::Subgroup);
}

#[test]
fn a_value_computed_from_full_values_is_full_everywhere() {
    let (k, v) = whole(
        "kernel @k(%p: buf<i32, r>, %n: i32) simt group=16 over=0 {
           %l = lane
           %c = cmp.lt %l, %n
           if %c {
             %a = add %l, 16
             %b = load %p[%a]
             %d = add %b, 1
           }
         }",
    );
    let full = |n: &str| v.is_full(named(&k, n));
    assert!(full("a"));
    assert!(!full("b") && !full("d"));
}

#[test]
fn lanes_that_leave_a_loop_early_make_its_results_differ() {
    let (k, v) = whole(
        "kernel @k(%n: i32) simt group=16 over=0 {
           %l = lane
           %r = loop (%i: i32 = 0) {
             %c = cmp.ge %i, %l
             if %c { break %i } else { }
             %j = add %i, 1
             continue %j
           }
         }",
    );
    assert_eq!(v.level(named(&k, "r")), Vary::Lane);
    assert_eq!(v.level(named(&k, "i")), Vary::Grid, "one continue: dead lanes run along");
    assert!(v.is_divergent_loop(&k.body.insts[1]));
}
