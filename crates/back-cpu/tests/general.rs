//! Code of every group is made where a launch has groups outside the interior, and nowhere else: by the launch's sizes, whatever the
//! kernel. What is computed is the same either way.

mod common;

use common::{launched, made, ways};
use quadra_back_cpu::later::General;
use quadra_kir::{Arg, Kernel, Launch, Memory, MemoryBuffer, interp, parse};

/// A kernel over some axes that reads one array and writes another, and sizes, with whether all groups are in the interior.
const CASES: [(&str, &str, &[(&[u32], bool)]); 3] = [
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

#[test]
fn every_groups_code_is_made_where_some_lie_outside_the_interior() {
    let all = ways();
    for (over, body, sizes) in CASES {
        let text = format!("kernel @k(%a: buf<i32, r>, %o: buf<i32, w>) simt group=16 {over} {{ {body} }}");
        let kernel: Kernel = parse::kernel("t.kir", &text).expect("the case parses");
        for (extent, whole) in sizes {
            let numbers = |seed: i32| (0..4096).map(|i: i32| i.wrapping_mul(seed) >> 4).collect::<Vec<i32>>();
            let memory = Memory { buffers: vec![MemoryBuffer::of_i32(&numbers(7919)), MemoryBuffer::of_i32(&numbers(3))] };
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
                let got = launched(llvm, &kernel, &memory, &launch, *long).expect("it stays inside");
                assert!(got[1] == want.buffers[1].bytes, "{text} {extent:?} {llvm:?} long: {long}");
            }
        }
    }
}
