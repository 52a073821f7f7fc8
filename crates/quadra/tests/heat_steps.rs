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

/// The grid after 7 steps in one call, as one launch or several.
fn repeated(device: &str, qpus: u32, together: bool) -> Vec<u32> {
    let shape = Shape { pitch: 64, width: 48, height: 14 };
    let device = quadra::device::open(device).expect("the device is always there");
    let k = step().compile(&*device).expect("the kernel compiles").qpus(qpus);
    let (a, b) = (Buffer::from(shape.start()), Buffer::from(shape.start()));
    let k = k.repeat(7).swapping(0, 1);
    let k = if together { k.in_one_launch() } else { k.separately() };
    let report = k.call((&a, &b, 64, 48, 14)).expect("the launch succeeds");
    assert!(report.instructions > 0);
    b.to_vec().iter().map(|x| x.to_bits()).collect()
}

#[test]
fn repeated_launches_are_launches_with_buffers_exchanged() {
    let want = &steps("interp-qpu", 1)[6];
    assert!(repeated("interp-qpu", 1, false) == *want && repeated("interp-qpu", 2, true) == *want);
    for qpus in [1, 2, 4, 12] {
        assert!(repeated("emu", qpus, false) == *want, "on {qpus} QPUs");
        assert!(repeated("emu", qpus, true) == *want, "in one launch on {qpus} QPUs");
    }
}

#[test]
fn only_buffers_change_places() {
    let device = quadra::device::open("emu").expect("the device is always there");
    let k = step().compile(&*device).expect("the kernel compiles");
    let (a, b) = (Buffer::<f32>::new(1024), Buffer::<f32>::new(1024));
    let error = k.repeat(2).swapping(0, 2).call((&a, &b, 64, 48, 14)).map(|_| ()).expect_err("parameter 2 is a number");
    assert_eq!(error.0[0].code, "E0607");
}
