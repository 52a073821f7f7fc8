//! Loops whose first and last turns alone keep an index inside are cut there, and do what they did.

use quadra_kir::{Arg, Launch, Memory, MemoryBuffer, Op, check, interp, parse};
use quadra_passes::ends;

/// Into how many loops a loop is cut; results stay what they were.
fn loops(body: &str) -> usize {
    let text =
        format!("kernel @k(%a: buf<f32, r>, %y: buf<f32, rw>, %n: i32) simd group=16 over=0 {{ %l = lane {body} }}");
    let old = parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel parses");
    let mut new = old.clone();
    let changed = ends::run(&mut new, 1, &[]);
    assert!(check::kernel(&new).is_empty(), "{:?}", check::kernel(&new));
    let results = [&old, &new].map(|k| {
        let numbers: Vec<f32> = (0..400).map(|i| (i * 37 % 101) as f32).collect();
        let mut memory = Memory { buffers: vec![MemoryBuffer::of_f32(&numbers), MemoryBuffer::of_f32(&numbers)] };
        let args = vec![Arg::Buffer(0), Arg::Buffer(1), Arg::Scalar(quadra_kir::Const::i32(9))];
        interp::simd::run(k, &mut memory, &Launch::new(args), &mut |_| {}).expect("the kernel is right");
        memory.buffers.into_iter().map(|b| b.bytes).collect::<Vec<_>>()
    });
    assert_eq!(results[0], results[1], "{body}");
    let mut many = 0;
    new.body.walk(&mut |i| many += usize::from(i.op == Op::For));
    assert_eq!(changed, many > 1);
    many
}

#[test]
fn ends_are_cut_off() {
    let both = "%s = for %i in 0..320 step 16 (%t: f32 = 1.0) { %j = add %i, %l %p = add %j, -1 %q = max %p, 0 %r = add %j, 2
        %e = min %r, 319 %x = load.inside %a[%q] %z = load.inside %a[%e] %w = add %x, %z %f = add %j, 7 store.inside %y[%f], %w
        %u = mul %t, 0.5 %v = add %u, 1.0 yield %v } store.inside %y[0], %s";
    assert_eq!(loops(both), 3);
    let low = "for %i in 0..320 step 16 { %j = add %i, %l %p = add %j, -20 %q = max %p, 0 %x = load.inside %a[%q]
        store.inside %y[%j], %x yield }";
    assert_eq!(loops(low), 2);
    let high = "for %i in 3..300 step 16 { %j = add %i, %l %p = add %j, 5 %q = min %p, 310 %x = load.inside %a[%q]
        store.inside %y[%j], %x yield }";
    assert_eq!(loops(high), 2);
}

#[test]
fn other_loops_stay() {
    // In the middle, of values, of unknown bounds, and too short.
    for body in [
        "for %i in 0..320 step 16 { %j = add %i, %l %q = max %j, 160 %x = load.inside %a[%q] store.inside %y[%j], %x yield }",
        "for %i in 0..320 step 16 { %j = add %i, %l %q = max %j, 10 %x = to.f32 %q store.inside %y[%j], %x yield }",
        "for %i in 0..%n { %j = add %i, %l %p = add %j, -1 %q = max %p, 0 %x = load.inside %a[%q] store.inside %y[%j], %x yield }",
        "for %i in 0..96 step 16 { %j = add %i, %l %p = add %j, -1 %q = max %p, 0 %x = load.inside %a[%q] store.inside %y[%j], %x yield }",
    ] {
        assert_eq!(loops(body), 1, "{body}");
    }
}

#[test]
fn conditions_are_decided_but_at_the_ends() {
    let masked = "for %i in 0..320 step 16 { %j = add %i, %l %c = cmp.gt %j, 2 %d = cmp.lt %j, 318 %m = and %c, %d %p = add %i, -3
        %x = load.row.inside %a[%p] if %m %w = select %m, %x, 5.0 store.inside %y[%j], %w yield }";
    assert_eq!(loops(masked), 3);
    let stored = "for %i in 16..320 step 16 { %j = add %i, %l %x = load.inside %a[%j] %c = cmp.ge %j, 40
        store.inside %y[%j], %x if %c yield }";
    assert_eq!(loops(stored), 2);
    let unsigned = "for %i in 0..320 step 16 { %j = add %i, %l %p = add %j, 7 %c = cmp.lt.u %p, 320 %d = not %c %x = load.inside %a[%j]
        %w = select %d, 1.0, %x store.inside %y[%j], %w yield }";
    assert_eq!(loops(unsigned), 2);
}

#[test]
fn conditions_that_split_a_loop_stay() {
    for body in [
        "for %i in 0..320 step 16 { %j = add %i, %l %c = cmp.lt %j, 150 %x = load.inside %a[%j] if %c
            %w = select %c, %x, 2.0 store.inside %y[%j], %w yield }",
        "for %i in 0..320 step 16 { %j = add %i, %l %x = load.inside %a[%j] %c = cmp.gt %x, 10.0
            store.inside %y[%j], %x if %c yield }",
        "for %i in 0..320 step 16 { %j = add %i, %l %c = cmp.gt %j, 2 %x = to.f32 %j %b = to.i32 %x store.inside %y[%j], %x yield }",
    ] {
        assert_eq!(loops(body), 1, "{body}");
    }
}
