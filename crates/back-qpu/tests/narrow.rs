//! Buffers of 8- and 16-bit integers and of half floats: every way to load and store them leaves what the interpreter leaves.

mod common;

use common::{How, emulate, launch_on, legal};
use quadra_back_qpu as back;
use quadra_kir as kir;

/// Items: neither a whole number of rows nor of words.
const ITEMS: u32 = 75;

fn bytes(elem: kir::Elem, salt: u32) -> kir::MemoryBuffer {
    let n = ITEMS * elem.bytes();
    let bytes = (0..n).map(|i| (i.wrapping_mul(2_654_435_761).wrapping_add(salt) >> 21) as u8).collect();
    kir::MemoryBuffer { elem, dims: vec![ITEMS], bytes }
}

/// Runs a kernel of parameters `%x` (read), `%y` (both) and `%z` (written), at every level and by both ways of loads.
fn agrees(body: &str) {
    for (elem, name) in [(kir::Elem::I8, "i8"), (kir::Elem::I16, "i16")] {
        agrees_for(elem, name, "i32", body);
    }
}

fn agrees_for(elem: kir::Elem, name: &str, wide: &str, body: &str) {
    let text = format!(
        "kernel @k(%x: buf<{name}, r>, %y: buf<{name}, rw>, %z: buf<{wide}, w>) simt group=16 over=1 {{ %i = item 0 {body} }}"
    );
    let (_, kernel) = legal(&text);
    let written = kir::MemoryBuffer { elem: elem.in_register(), ..kir::MemoryBuffer::of_i32(&[5; 75]) };
    let memory = kir::Memory { buffers: vec![bytes(elem, 1), bytes(elem, 7), written] };
    let mut launch = launch_on(3, ITEMS);
    for workers in [1, 3, 12] {
        launch.workers = workers;
        let mut want = memory.clone();
        kir::interp::simd::run(&kernel, &mut want, &launch, &mut |_| {}).expect("the kernel is right");
        assert!(want.buffers != memory.buffers, "it does something");
        for (level, loads) in [0, 1, 2].into_iter().flat_map(|l| [(l, back::Loads::Auto), (l, back::Loads::Vpm)]) {
            let mut got = memory.clone();
            let how = How { level, loads, qpus: Some(workers), ..How::default() };
            let ran = emulate(&kernel, &mut got, &launch, how);
            let (compiled, _) = ran.unwrap_or_else(|e| panic!("{name}, -O{level}, {loads:?}: {e}"));
            for (n, (g, w)) in got.buffers.iter().zip(&want.buffers).enumerate() {
                let same = g.bytes == w.bytes;
                assert!(same, "{name}, buffer {n}, -O{level}, {loads:?}\n{}", common::listing(&compiled));
            }
        }
    }
}

/// Runs a kernel of parameters `%x` (read), `%y` (both) and `%z` (written), at every level and by both ways of loads.
fn halves_agree(body: &str) {
    agrees_for(kir::Elem::F16, "f16", "f32", body);
}

#[test]
fn half_floats_are_converted() {
    halves_agree("%a = load %x[%i] store %z[%i], %a %b = add %a, 1.5 store %y[%i], %b");
    halves_agree("%a = load %y[%i] %b = mul %a, 0.3 store %y[%i], %b store %z[%i], %b");
}

#[test]
fn half_floats_lie_anywhere() {
    halves_agree("%k = sub 74, %i %a = load %y[%k] %b = mul %a, 3.0 store %y[%k], %b store %z[%k], %a");
    halves_agree("%a = load %x[70] %b = load %x[3] %c = sub %a, %b store %z[%i], %c store %y[%i], %c");
    halves_agree(
        "%j = xor %i, 3 %k = min %j, 74 %a = load %x[%k] %c = cmp.gt %a, 0.0
         if %c { %b = load %y[%i] store %y[%i], %a } else {} store %z[%i], %a",
    );
}

#[test]
fn rows_are_widened_and_narrowed() {
    agrees("%a = load %x[%i] %b = mul %a, 3 store %z[%i], %b %c = add %a, 77 store %y[%i], %c");
}

#[test]
fn rows_are_changed_in_place() {
    agrees("%a = load %y[%i] %b = add %a, 100 store %y[%i], %b store %z[%i], %b");
}

#[test]
fn elements_lie_anywhere() {
    agrees(
        "%j = xor %i, 3 %k = min %j, 74 %a = load %x[%k] %c = cmp.gt %a, 0 if %c { %b = load %y[%i] store %y[%i], %a } else {}
         store %z[%i], %a",
    );
}

#[test]
fn one_element_serves_all() {
    agrees("%a = load %x[70] %b = load %x[3] %c = sub %a, %b store %z[%i], %c %d = add %c, %i store %y[%i], %d");
}

/// What is loaded from and stored to one buffer in scattered order: each item its own element.
#[test]
fn scattered_elements_leave_their_neighbours() {
    agrees("%k = sub 74, %i %a = load %y[%k] %b = add %a, %i store %y[%k], %b store %z[%k], %a");
}
