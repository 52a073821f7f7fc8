//! Code of every group is made where a launch has groups outside the interior, and nowhere else: by the launch's sizes, whatever the
//! kernel. What is computed is the same either way.

mod common;

use common::{compiled, made, ways};
use quadra_back_cpu::later::General;
use quadra_kir::{Arg, Kernel, Launch, Memory, MemoryBuffer, interp, parse};

/// Sizes of launches, and whether all their groups are in the interior.
type Extents = &'static [(&'static [u32], bool)];

/// A kernel over some axes that reads one array and writes another, and sizes.
const CASES: [(&str, &str, Extents); 3] = [
    (
        "over=1",
        "%i = item 0 %x = load %a[%i] %y = mul %x, %x %z = sub %y, %x store %o[%i], %z",
        &[(&[512], true), (&[16 * 41 + 5], false), (&[16 * 41], false)],
    ),
    (
        "over=1",
        "%i = item 0 %p = sub %i, 1 %q = max %p, 0 %x = load %a[%q] store %o[%i], %x",
        &[(&[640], false), (&[643], false)],
    ),
    (
        "over=2",
        "%y = item 0 %x = item 1 %p = mul %y, 64 %q = add %p, %x %r = add %q, 65 %v = load %a[%r] %w = load %a[%q]
         %z = max %v, %w store %o[%q], %z",
        &[(&[32, 64], true), (&[32, 61], false)],
    ),
];

/// Loops whose iterations, written one after the other, are long text, and which have more than one group a turn.
#[test]
fn long_loops_stay_loops_and_compute_the_same() {
    let all = ways();
    for (rows, columns, apart) in [(8, 8, 5), (3, 31, 2), (16, 5, 3)] {
        let text = format!(
            "kernel @k(%a: buf<i32, r>, %o: buf<i32, w>) simt group=16 over=2 {{ %y = item 0 %x = item 1 %p = mul %x, {apart}
             %s = for %j in 0..{rows} step 1 (%t: i32 = 7) {{ %u = for %i in 0..{columns} step 1 (%v: i32 = %t) {{
             %r = add %y, %j %m = mul %r, 300 %q = add %p, %i %e = add %m, %q %l = load %a[%e] %d = sub %l, %v
             %f = sub 0, %d %g = max %d, %f %h = xor %g, %l yield %h }} yield %u }}
             %w = mul %y, 33 %z = add %w, %x store %o[%z], %s }}"
        );
        let kernel: Kernel = parse::kernel("t.kir", &text).expect("the case parses");
        let numbers = |seed: i32| (0..6300).map(|i: i32| i.wrapping_mul(seed) >> 4).collect::<Vec<i32>>();
        let memory =
            Memory { buffers: vec![MemoryBuffer::of_i32(&numbers(7919)), MemoryBuffer::of_i32(&numbers(3)[..330])] };
        let mut launch = Launch::new(vec![Arg::Buffer(0), Arg::Buffer(1)]);
        launch.extent = vec![4, 33];
        let mut want = memory.clone();
        interp::simt::run(&kernel, &mut want, &launch, &mut |_| {}).expect("it stays inside");
        for (llvm, long) in &all {
            let got = compiled(llvm, &kernel, &memory, &launch, *long);
            assert!(got[1] == want.buffers[1].bytes, "{text} {llvm:?} long: {long}");
        }
    }
}

#[test]
fn every_groups_code_is_made_where_some_lie_outside_the_interior() {
    let all = ways();
    for (over, body, sizes) in CASES {
        let text = format!("kernel @k(%a: buf<i32, r>, %o: buf<i32, w>) simt group=16 {over} {{ {body} }}");
        let kernel: Kernel = parse::kernel("t.kir", &text).expect("the case parses");
        for (extent, whole) in sizes {
            let numbers = |seed: i32| (0..4096).map(|i: i32| i.wrapping_mul(seed) >> 4).collect::<Vec<i32>>();
            let memory =
                Memory { buffers: vec![MemoryBuffer::of_i32(&numbers(7919)), MemoryBuffer::of_i32(&numbers(3))] };
            let mut launch = Launch::new(vec![Arg::Buffer(0), Arg::Buffer(1)]);
            launch.extent = extent.to_vec();
            let mut want = memory.clone();
            interp::simt::run(&kernel, &mut want, &launch, &mut |_| {}).expect("it stays inside");
            for (llvm, long) in &all {
                let variant = made(llvm, &kernel, &memory, &launch, *long);
                let later = matches!(variant.general, General::Later(_));
                let turns = variant.inner.as_ref().map(|i| i.shape);
                assert!(!later || *whole || turns.is_some(), "{text} {extent:?}");
                if *whole {
                    assert!(later || turns.is_none(), "{text} {extent:?} {turns:?} {llvm:?}");
                } else if extent.last().is_some_and(|n| n % 16 != 0) {
                    assert!(!later, "{text} {extent:?} {turns:?} {llvm:?}");
                }
                assert!(variant.general.code().is_ok(), "it can be made in any case: {text} {extent:?}");
                let got = compiled(llvm, &kernel, &memory, &launch, *long);
                assert!(got[1] == want.buffers[1].bytes, "{text} {extent:?} {llvm:?} long: {long}");
            }
        }
    }
}
