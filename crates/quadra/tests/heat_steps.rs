//! Many steps of heat flow on the emulator: every bit as the interpreter with the QPU's arithmetic computes it.

use quadra::dsl::prelude::*;
use quadra::kernels::heat_map::{Shape, step};

/// The grid after each of 12 steps.
fn steps(device: &str, qpus: u32) -> Vec<Vec<u32>> {
    let shape = Shape { pitch: 64, width: 48, height: 14 };
    let device = quadra::device::open(device).expect("the device is always there");
    let k = step().compile(&*device).expect("the kernel compiles").qpus(qpus);
    let (a, b) = (Buffer::from(shape.start()), Buffer::from(shape.start()));
    let mut grids = Vec::new();
    for i in 0..12 {
        let (from, to) = if i % 2 == 0 { (&a, &b) } else { (&b, &a) };
        k.call((from, to, 64, 48, 14)).expect("the launch succeeds");
        grids.push(to.to_vec().iter().map(|x| x.to_bits()).collect());
    }
    grids
}

#[test]
fn the_emulator_and_the_interpreter_agree_after_every_step() {
    let want = steps("interp-qpu", 1);
    for qpus in [1, 2, 4, 12] {
        let got = steps("emu", qpus);
        for (i, (got, want)) in got.iter().zip(&want).enumerate() {
            let differing = (0..got.len()).find(|&at| got[at] != want[at]);
            assert_eq!(differing, None, "step {i} on {qpus} QPUs");
        }
    }
}
