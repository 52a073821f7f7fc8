//! Lookups of memory that is stored to in the same launch: native code follows the lines of the L2 cache as the interpreter does.

use quadra_isa::vc4::asm::{Options, assemble};
use quadra_isa::vc4::emu::{Config, Machine, Region, Registers, Report, RunError, Thread};
use quadra_isa_jit::Jit;
use std::sync::Arc;

const CODE: u32 = 0x1000;
const DATA: u32 = 0x10_0000;
/// A megabyte.
const WORDS: usize = 1 << 18;

/// Each turn looks 16 words up, `spread` words apart from a place that wanders through `window` words, and stores a register (r3
/// holds what it has looked up) to a row of another place. The first value that a board would not deliver and that is stored is a
/// fault.
fn program(seed: u32, spread: u32, window: u32, ahead: u32, stored: &str) -> Vec<u32> {
    let text = format!(
        "ldi ra0, 3000\nldi rb0, {seed}\nldi ra1, {DATA}\nldi rb1, {mask}\nldi r3, {spread}\nmul24 r3, elem_num, r3\nmov ra2, r3
ldi rb3, 0x80904000\nldi rb4, 0xc0000000\nldi ra5, 0x1a00\nldi ra6, {ahead}
:loop
mov r0, rb0\nldi r1, 5003\nmul24 r0, r0, r1\nldi r1, 0xfffff\nadd r0, r0, 13\nand rb0, r0, r1
nop\nmov r0, rb0\nshr r0, r0, 4\nadd r0, r0, ra2\nand r0, r0, rb1\nshl r0, r0, 2\nadd r2, r0, ra1\nmov t0s, r2
add r1, r2, 4\nmov t1s, r1\nldtmu0\nmov r3, r4\nldtmu1\nmov r1, r4
mov vw_setup, ra5\nmov vpm, {stored}\nmov r0, rb0\nldi r1, 0x3fff0\nadd r0, r0, ra6\nand r0, r0, r1\nshl r0, r0, 2\nadd r0, r0, ra1
mov vw_setup, rb3\nmov vw_setup, rb4\nmov vw_addr, r0\nmov -, vw_wait
mov r2, ra0\nnop\nsub.setf ra0, r2, 1\nbrr.anynz -, :loop\nnop\nnop\nnop\nthrend\nnop\nnop\n",
        mask = window - 1,
    );
    let (assembly, wrong) = assemble("t.qasm", &text, &Options::default());
    let words = assembly.unwrap_or_else(|| panic!("{wrong:?}")).words;
    words.iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).collect()
}

type Ending = (Result<Report, RunError>, Registers, Vec<Vec<u8>>);

fn run(words: &[u32], jit: Option<&Arc<Jit>>) -> Ending {
    let mut machine = Machine::new(Config { budget: 1_000_000, ..Config::of_others() });
    if let Some(jit) = jit {
        machine.set_translator(jit.clone());
    }
    let data: Vec<u32> = (0..WORDS as u32).collect();
    machine.add_region(Region::of_words("code", CODE, words)).expect("free");
    machine.add_region(Region::of_words("data", DATA, &data).writable()).expect("free");
    let report = machine.run(&[Thread { pc: CODE, uniforms: DATA }]);
    let registers = machine.registers(0).expect("it ran");
    (report, registers, machine.into_memory().into_regions().into_iter().map(|r| r.bytes).collect())
}

#[test]
fn stale_words_are_found_at_the_same_lookup() {
    let (mut ended, mut stale) = (0, 0);
    for seed in 0..60u32 {
        let spread = [1, 16, 40, 600, 4096][seed as usize % 5];
        let window = [1 << 12, 1 << 14, 1 << 17][seed as usize % 3];
        let stored = if seed % 4 == 3 { "ra2" } else { "r3" };
        let words = program(7919 * seed + 1, spread, window, 1000 * (seed % 7), stored);
        let expected = run(&words, None);
        match &expected.0 {
            Ok(_) => ended += 1,
            Err(RunError::Fault(_)) => stale += 1,
            Err(other) => panic!("seed {seed}: {other}"),
        }
        for jit in [Jit::direct(2, false), Jit::direct_in_halves(2, false)] {
            match jit.map(Arc::new) {
                Some(jit) => {
                    assert!(expected == run(&words, Some(&jit)), "seed {seed}");
                    assert!(jit.statistics().executed() > 10, "nothing was translated");
                }
                None => quadra_base::testing::not_here("this processor has no AVX2"),
            }
        }
    }
    assert!(ended > 0 && stale > 10, "{ended} ended, {stale} stored a stale word");
}
