//! The debugger's machine: what it computes is what runs compute, and going back gives the states that were there.

use quadra_isa::vc4::debug::{Debugger, Stopped};
use quadra_isa::vc4::emu::{Config, Machine, Region, Registers, RunError, Thread, WaitFor};
use quadra_isa::vc4::{Program, asm};

const CODE: u32 = 0x1000;
const DATA: u32 = 0x10_0000;

/// Every QPU adds its number and a uniform to a counter in VPM row 0, under the mutex, 40 times, and stores it.
const PROGRAM: &str = "
    mov ra0, unif
    ldi ra1, 40
    ldi ra2, 1048704
:loop
    mov -, mutex_acq
    ldi vpmvcd_rd_setup, 0x00101a00
    nop
    nop
    nop
    add r0, vpm, ra0
    add r0, r0, qpu_num
    ldi vpmvcd_wr_setup, 0x00001a00
    mov vpm, r0
    mov mutex_rel, 0
    sub.setf ra1, ra1, 1
    brr.anynz -, r:loop
    nop
    nop
    nop
    mov -, mutex_acq
    ldi vpmvcd_wr_setup, 0x80904000
    mov vpm_st_addr, ra2
    mov -, vpm_st_wait
    mov mutex_rel, 0
    mov interrupt, 1
    thrend
    nop
    nop
";

fn assembled(text: &str) -> Program {
    let (assembly, problems) = asm::assemble("debug.qasm", text, &asm::Options::default());
    assert!(problems.is_empty(), "{problems:?}");
    assembly.expect("no problems").program()
}

fn machine(qpus: u32) -> (Machine, Vec<Thread>) {
    let mut machine = Machine::new(Config { budget: 100_000, ..Config::default() });
    machine.add_program(CODE, &assembled(PROGRAM)).expect("free");
    machine.add_region(Region::of_words("data", DATA, &[7; 64]).writable()).expect("free");
    let threads = (0..qpus).map(|q| Thread { pc: CODE, uniforms: DATA + 4 * q }).collect();
    (machine, threads)
}

fn registers(debugger: &Debugger) -> Vec<Registers> {
    (0..debugger.qpus()).map(|q| debugger.machine().registers(q).expect("exists")).collect()
}

#[test]
fn it_computes_what_a_run_computes() {
    let (mut plain, threads) = machine(3);
    let issued = plain.run(&threads).expect("ends").issued();
    let (started, threads) = machine(3);
    let mut debugger = Debugger::new(started, &threads).expect("starts");
    // Also with breakpoints, which make it go instruction by instruction.
    debugger.add_breakpoint(CODE + 3 * 8);
    let mut stops = 0;
    let end = loop {
        match debugger.run(u64::MAX) {
            Stopped::Breakpoint { pc, .. } => {
                assert_eq!(pc, CODE + 24);
                stops += 1;
            }
            other => break other,
        }
    };
    assert_eq!((end, stops, debugger.executed()), (Stopped::Done, 3 * 40, issued));
    let words = |m: &Machine| m.memory().region("data").expect("exists").words();
    assert_eq!(words(debugger.machine()), words(&plain));
}

#[test]
fn going_back_restores_every_state() {
    let (started, threads) = machine(2);
    let mut debugger = Debugger::new(started, &threads).expect("starts");
    let mut states = vec![registers(&debugger)];
    while debugger.run(1) == Stopped::Stepped {
        states.push(registers(&debugger));
    }
    let last = debugger.executed();
    assert_eq!(states.len() as u64, last + 1);
    let mut random = 1u64;
    for _ in 0..60 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let undone = debugger.back(random >> 33 & 127);
        assert!(undone <= 127);
        assert_eq!(registers(&debugger), states[debugger.executed() as usize]);
        debugger.run(random >> 50 & 63);
        assert_eq!(registers(&debugger), states[debugger.executed() as usize]);
    }
    debugger.back(u64::MAX);
    assert_eq!((debugger.executed(), registers(&debugger)), (0, states[0].clone()));
    assert_eq!(debugger.run(u64::MAX), Stopped::Done);
    assert_eq!((debugger.executed(), registers(&debugger)), (last, states[last as usize].clone()));
}

#[test]
fn a_step_of_another_qpu_can_be_taken_back() {
    let (started, threads) = machine(2);
    let mut debugger = Debugger::new(started, &threads).expect("starts");
    assert_eq!(debugger.step(1, 4), Stopped::Stepped);
    let before = registers(&debugger);
    // QPU 1 holds the mutex.
    let Stopped::Waits(waiting) = debugger.step(0, 10) else { panic!("QPU 0 must wait") };
    assert_eq!((waiting.on, debugger.waits_for(0)), (WaitFor::Mutex { owner: 1 }, Some(WaitFor::Mutex { owner: 1 })));
    assert_eq!((debugger.executed(), debugger.machine().mutex()), (7, Some(1)));
    assert_eq!((debugger.back(3), registers(&debugger)), (3, before));
    assert_eq!(debugger.run(u64::MAX), Stopped::Done);
    assert_eq!(debugger.step(1, 1), Stopped::Ended { qpu: 1 });
}

#[test]
fn a_fault_leaves_the_state_before_the_instruction() {
    let mut machine = Machine::new(Config::default());
    machine
        .add_program(CODE, &assembled("mov r0, unif\nmov r1, unif\nmov t0s, r1\nnop\nthrend\nnop\nnop"))
        .expect("free");
    machine.add_region(Region::of_words("data", DATA, &[1, 0x40])).expect("free");
    let mut debugger = Debugger::new(machine, &[Thread { pc: CODE, uniforms: DATA }]).expect("starts");
    for _ in 0..2 {
        let Stopped::Failed(RunError::Fault(fault)) = debugger.run(u64::MAX) else {
            panic!("address 0x40 is unmapped")
        };
        assert_eq!((fault.index, debugger.executed()), (2, 2));
        assert_eq!(debugger.machine().registers(0).expect("exists").accumulators[1].0, [0x40; 16]);
    }
    assert_eq!(debugger.machine().pending(0).expect("exists").uniforms, DATA + 8);
    debugger.back(1);
    assert_eq!(debugger.machine().pending(0).expect("exists").uniforms, DATA + 4);
}

#[test]
fn a_deadlock_names_who_waits() {
    let mut machine = Machine::new(Config::default());
    machine.add_program(CODE, &assembled("sacq -, 3\nnop\nthrend\nnop\nnop")).expect("free");
    machine.add_region(Region::of_words("data", DATA, &[0])).expect("free");
    let threads = [Thread { pc: CODE, uniforms: DATA }; 2];
    let mut debugger = Debugger::new(machine, &threads).expect("starts");
    let Stopped::Failed(RunError::Deadlock(waiting)) = debugger.run(u64::MAX) else { panic!("nobody raises it") };
    assert_eq!(waiting.iter().map(|w| (w.qpu, w.pc)).collect::<Vec<_>>(), [(0, CODE), (1, CODE)]);
}
