//! Small kernels, compiled and run on the emulator.

mod common;

use common::{How, emulate, listing, parse};
use quadra_kir as kir;

fn ints(memory: &kir::Memory, i: usize) -> Vec<i32> {
    memory.buffers[i].words().into_iter().map(|w| w as i32).collect()
}

fn memory(buffers: &[&[i32]]) -> kir::Memory {
    kir::Memory { buffers: buffers.iter().map(|b| kir::MemoryBuffer::of_i32(b)).collect() }
}

fn buffers(n: usize) -> kir::Launch {
    kir::Launch::new((0..n).map(kir::Arg::Buffer).collect())
}

#[test]
fn hello() {
    let kernel = parse("kernel @hello(%p: buf<i32, w>) simd { %l = lane  store.row %p[0], %l  return }");
    for level in [0, 1] {
        let mut m = memory(&[&[-1; 20]]);
        let (c, report) = emulate(&kernel, &mut m, &buffers(1), How { level, ..How::default() }).expect("runs");
        println!("{}\n{} slots", listing(&c), report.issued());
        let mut want: Vec<i32> = (0..16).collect();
        want.extend([-1; 4]);
        assert_eq!(ints(&m, 0), want);
    }
}

const GCD: &str = "
kernel @gcd(%p: buf<i32, r>, %q: buf<i32, r>, %r: buf<i32, w>) simd {
  %a0 = load.row %p[0]
  %b0 = load.row %q[0]
  %g = loop (%a: <i32> = %a0, %b: <i32> = %b0) {
    %ne = cmp.ne %a, %b
    %go = vote.any %ne
    if %go { } else { break %a }
    %gt = cmp.gt %a, %b
    %d = sub %a, %b
    %a1 = select %gt, %d, %a
    %lt = cmp.lt %a1, %b
    %e = sub %b, %a1
    %b1 = select %lt, %e, %b
    continue %a1, %b1
  }
  store.row %r[0], %g
  return
}";

#[test]
fn gcd() {
    let kernel = parse(GCD);
    let a: Vec<i32> = (0..16).map(|i| 100 + 7 * i).collect();
    let b: Vec<i32> = (0..16).map(|i| 200 - 3 * i).collect();
    fn gcd(a: i32, b: i32) -> i32 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    for level in [0, 1] {
        let mut m = memory(&[&a, &b, &[0; 16]]);
        let (c, report) = emulate(&kernel, &mut m, &buffers(3), How { level, ..How::default() }).expect("runs");
        println!("{}\n{} slots", listing(&c), report.issued());
        let want: Vec<i32> = a.iter().zip(&b).map(|(a, b)| gcd(*a, *b)).collect();
        assert_eq!(ints(&m, 2), want);
    }
}
