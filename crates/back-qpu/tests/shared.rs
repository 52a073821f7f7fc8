//! Arrays that the items of a group share: what the SIMT interpreter leaves, whose items wait at barriers, the program leaves.

mod common;

use common::{How, emulate, launch_on, legal};
use quadra_kir as kir;

fn agrees(text: &str) {
    let (simt, kernel) = legal(text);
    let items = 16 * 7u32;
    let data: Vec<i32> = (0..items as i32).map(|i| i * 37 % 101 - 50).collect();
    let memory = kir::Memory { buffers: vec![kir::MemoryBuffer::of_i32(&data), kir::MemoryBuffer::of_i32(&data)] };
    let mut launch = launch_on(2, items);
    for workers in [1, 2, 12] {
        launch.workers = workers;
        let mut want = memory.clone();
        kir::interp::simt::run(&simt, &mut want, &launch, &mut |_| {}).expect("the kernel is right");
        assert!(want.buffers != memory.buffers, "it does something");
        for level in [0, 1, 2] {
            let mut got = memory.clone();
            let how = How { level, qpus: Some(workers), ..How::default() };
            let (compiled, _) =
                emulate(&kernel, &mut got, &launch, how).unwrap_or_else(|e| panic!("-O{level} on {workers} QPUs: {e}"));
            let same = got.buffers.iter().zip(&want.buffers).all(|(g, w)| g.bytes == w.bytes);
            assert!(same, "-O{level} on {workers} QPUs\n{}", common::listing(&compiled));
        }
    }
}

#[test]
fn items_exchange_through_a_shared_array() {
    agrees(
        "kernel @turn(%x: buf<i32, r>, %y: buf<i32, w>, %t: shared<i32, 16>) simt group=16 over=1 {
  %i = item 0
  %l = lane
  %a = load %x[%i]
  store %t[%l], %a
  barrier
  %k = sub 15, %l
  %b = load %t[%k]
  store %y[%i], %b
}",
    );
}

#[test]
fn each_group_begins_with_zeros() {
    agrees(
        "kernel @sums(%x: buf<i32, r>, %y: buf<i32, w>, %t: shared<i32, 40>, %u: shared<i32, 3>) simt group=16 over=1 {
  %i = item 0
  %l = lane
  %a = load %x[%i]
  %k = and %a, 3
  %j = mul %k, 9
  %old = atomic.add %t[%j], %a
  %one = atomic.add %u[1], 1
  barrier
  %b = load %t[%j]
  %n = load %u[1]
  %c = load %t[39]
  %d = add %b, %c
  %e = add %d, %n
  store %y[%i], %e
}",
    );
}
