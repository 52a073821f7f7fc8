//! Rules with levels: what a board survives is a warning in programs of others and a fault in our own; values that a board
//! would not deliver are judged where they are used. The same on all engines.

use quadra_isa::vc4::asm;
use quadra_isa::vc4::emu::{Config, Engine, FaultKind, Machine, Region, Report, RunError, Sink, Thread, Warning};

const CODE: u32 = 0x1000;
const UNIFORMS: u32 = 0x4000;
const DATA: u32 = 0x8000;

/// The end of every program here.
const END: &str = "read vw_wait\nthrend\nnop\nnop\n";

/// Looks up 16 words at the uniform's address, stores 7 into them, and leaves their addresses in r0.
const STORED: &str = "\
.include <vc4.qinc>
mov r1, unif
shl r0, elem_num, 2
add r0, r0, r1
mov t0s, r0
ldtmu0
mov vw_setup, vpm_setup(0, 1, h32(0))
mov vpm, 7
mov vw_setup, vdw_setup_1(0)
mov vw_setup, vdw_setup_0(1, 16, dma_h32(0, 0))
mov vw_addr, r1
read vw_wait
";

/// Stores row 1 of the VPM to the second 64 bytes of the data.
const STORE_ROW_1: &str = "\
ldi r3, 0x8040
mov vw_setup, vdw_setup_0(1, 16, dma_h32(1, 0))
mov vw_addr, r3
";

struct Outcome {
    result: Result<Report, RunError>,
    data: Vec<u32>,
}

fn run(text: &str, config: Config) -> Outcome {
    let (assembly, diagnostics) = asm::assemble("lints.qasm", text, &asm::Options::default());
    let program = assembly.unwrap_or_else(|| panic!("{diagnostics:?}")).program();
    let mut machine = Machine::new(Config { budget: 10_000, leftovers: Some(3), ..config });
    machine.add_program(CODE, &program).expect("free");
    machine.add_region(Region::of_words("uniforms", UNIFORMS, &[DATA, DATA + 64, 0, 0])).expect("free");
    machine.add_region(Region::of_words("data", DATA, &[0; 64]).writable()).expect("free");
    machine.add_region(Region::of_words("far", 0x1_0000, &[0; 1 << 14]).writable()).expect("free");
    let result = machine.run(&[Thread { pc: CODE, uniforms: UNIFORMS }]);
    Outcome { result, data: machine.memory().region("data").expect("exists").words() }
}

/// Runs a program leniently on all engines, which agree.
fn lenient(text: &str) -> Outcome {
    let mut all = [Engine::Portable, Engine::Avx2, Engine::Auto]
        .map(|engine| run(text, Config { engine, ..Config::of_others() }))
        .into_iter();
    let first = all.next().expect("three engines");
    for other in all {
        assert_eq!((&other.result, &other.data), (&first.result, &first.data));
    }
    first
}

fn kind_of(outcome: &Outcome) -> FaultKind {
    match &outcome.result {
        Err(RunError::Fault(fault)) => fault.kind.clone(),
        other => panic!("no fault: {other:?}"),
    }
}

/// The kind of the fault that a program ends with, judged leniently.
fn fault(body: &str) -> FaultKind {
    kind_of(&lenient(&format!("{body}{END}")))
}

fn strict(body: &str) -> FaultKind {
    kind_of(&run(&format!("{body}{END}"), Config::default()))
}

/// The rules that a program breaks without harm.
fn warned(body: &str) -> Vec<&'static str> {
    let report = lenient(&format!("{body}{END}")).result.expect("a board survives it");
    let rule = |w: &Warning| if let Warning::Rule { kind, .. } = w { kind.rule() } else { "" };
    report.warnings.iter().map(rule).collect()
}

#[test]
fn a_stale_value_that_is_dropped_is_a_warning() {
    let dropped = format!("{STORED}mov t0s, r0\nldtmu0\nldi r4_is_left, 0\n").replace("r4_is_left", "r2");
    assert_eq!(warned(&dropped), ["H51"]);
    assert!(matches!(strict(&dropped), FaultKind::StoredThisLaunch(_)));
    // Computed with, and overwritten before anything looks.
    let overwritten = format!("{STORED}mov t0s, r0\nldtmu0\nfadd r2, r4, r4\nmov ra3, r2\nmov r2, 1\nmov ra3, 1\n");
    assert_eq!(warned(&overwritten), ["H51"]);
    // A register less itself is zero, whatever it held.
    let zero = format!(
        "{STORED}mov t0s, r0\nldtmu0\nmov r2, r4\nxor r2, r2, r2\nmov vw_setup, vpm_setup(0, 1, h32(1))\nmov vpm, r2\n{STORE_ROW_1}"
    );
    assert_eq!(warned(&zero), ["H51"]);
}

#[test]
fn a_stale_value_that_is_used_is_a_fault() {
    let loaded = format!("{STORED}mov t0s, r0\nldtmu0\n");
    let sink = |body: &str| match fault(&format!("{loaded}{body}")) {
        FaultKind::StaleUsed(sink, index, address) => {
            assert_eq!((index, address), (11, DATA), "where it was loaded");
            sink
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(sink("mov t0s, r4\nldtmu0\n"), Sink::Address);
    assert_eq!(sink("mov unif_addr, r4\n"), Sink::Address);
    assert_eq!(sink("mov vw_setup, r4\n"), Sink::Setup);
    assert_eq!(sink("mov irq, r4\n"), Sink::Host);
    assert_eq!(sink("mov.setf -, r4\nbrr.anyz -, r:e\nnop\nnop\nnop\n:e\n"), Sink::Branch);
    assert_eq!(sink("mov r5rep, r4\nmov ra2, r5\nnop\nadd vr_setup, ra2, ra2\n"), Sink::Setup);
    // Through the VPM, and by the flags that chose it.
    let row = "mov vw_setup, vpm_setup(0, 1, h32(1))\n";
    assert_eq!(sink(&format!("{row}mov vpm, r4\n{STORE_ROW_1}")), Sink::Store);
    assert_eq!(
        sink(&format!("{row}mov.setf -, r4\nmov r2, 1\nmov.ifz r2, 2\nmov vpm, r2\n{STORE_ROW_1}")),
        Sink::Store
    );
    assert_eq!(sink(&format!("{row}mov recip, r4\nnop\nnop\nmov r2, r4\nmov vpm, r2\n{STORE_ROW_1}")), Sink::Store);
    assert_eq!(sink(&format!("{row}mov ra1.16a, r4\nmov ra1.16b, 0\nnop\nmov vpm, ra1\n{STORE_ROW_1}")), Sink::Store);
    assert_eq!(sink(&format!("{row}mov r2, r4\nnop\nmov r2, r2 >> 3\nmov vpm, r2\n{STORE_ROW_1}")), Sink::Store);
}

#[test]
fn stale_values_are_told_apart_by_lane() {
    // Lanes 0 to 7 read what was stored, the others memory that nothing was stored to.
    let half = format!("{STORED}ldi r2, 32\nadd r0, r0, r2\nmov t0s, r0\nldtmu0\nmov r2, r4\n");
    let row = "mov vw_setup, vpm_setup(0, 1, h32(1))\nmov vpm, r2\nldi r3, 0x8080\n";
    let columns = |first: u32| format!("mov vw_setup, vdw_setup_0(1, 8, dma_h32(1, {first}))\nmov vw_addr, r3\n");
    assert_eq!(warned(&format!("{half}{row}{}", columns(8))), ["H51"]);
    assert!(matches!(fault(&format!("{half}{row}{}", columns(0))), FaultKind::StaleUsed(Sink::Store, ..)));
    // Lane 15 is good, and lane 0 replaced.
    assert_eq!(warned(&format!("{half}sub.setf -, elem_num, 8\nmov.ifn r2, 3\n{row}{}", columns(0))), ["H51"]);
    // A branch that the good lanes decide.
    let decided = "mov.setf -, r2\nbrr.anyz -, r:e\nnop\nnop\nnop\n:e\n";
    assert_eq!(warned(&format!("{half}{decided}")), ["H51"]);
    assert!(matches!(fault(&format!("{half}sub r2, r2, 1\n{decided}")), FaultKind::StaleUsed(Sink::Branch, ..)));
}

#[test]
fn only_lines_that_a_cache_holds_are_stale() {
    let row = "mov vw_setup, vpm_setup(0, 1, h32(1))\nmov vpm, r4\nldi r3, 0x8040\nmov vw_setup, vdw_setup_0(1, 16, dma_h32(1, 0))\nmov vw_addr, r3\n";
    // Stored without ever having been looked up: the lookup brings what memory has.
    let fresh = STORED.replacen("mov t0s, r0\nldtmu0\n", "", 1);
    let text = format!("{fresh}mov t0s, r0\nldtmu0\n{row}");
    assert_eq!(warned(&text), Vec::<&str>::new());
    assert_eq!(lenient(&format!("{text}{END}")).data[16..32], [7; 16]);
    assert!(matches!(strict(&text), FaultKind::StoredThisLaunch(_)));
    // Between store and lookup 512 other lines come into the cache; after 511 the old one is still there.
    let sweep = |lines: u32| {
        format!(
            "ldi r2, 0x10000\nldi r3, {lines}\n:again\nmov t0s, r2\nldi ra5, 64\nldtmu0\nsub.setf r3, r3, 1\nbrr.anynz -, r:again\nadd r2, r2, ra5\nnop\nnop\n"
        )
    };
    assert_eq!(warned(&format!("{STORED}{}mov t0s, r0\nldtmu0\n{row}", sweep(512))), Vec::<&str>::new());
    let held = format!("{STORED}{}mov t0s, r0\nldtmu0\n{row}", sweep(511));
    assert!(matches!(fault(&held), FaultKind::StaleUsed(Sink::Store, ..)));
}

#[test]
fn stale_uniforms_are_marked_too() {
    let moved = format!("{STORED}mov unif_addr, r1\nnop\nnop\n");
    assert_eq!(warned(&format!("{moved}mov r2, unif\nmov r2, 0\n")), ["H51"]);
    assert!(matches!(fault(&format!("{moved}add t0s, r0, unif\n")), FaultKind::StaleUsed(Sink::Address, ..)));
    assert!(matches!(strict(&format!("{moved}mov r2, unif\n")), FaultKind::StoredThisLaunch(_)));
}

#[test]
fn both_alus_may_write_the_same_value() {
    assert_eq!(warned("mov r0, 5\nmov r0, r0; mov r0, r0\n"), ["H24"]);
    assert_eq!(strict("mov r0, 5\nmov r0, r0; mov r0, r0\n"), FaultKind::SameValue);
    assert_eq!(fault("mov r0, 5\nmov r1, 6\nmov r2, r0; mov r2, r1\n"), FaultKind::SameDestination);
    // Lanes kept apart by complementary conditions break no rule; equal sums of different operands are equal.
    assert_eq!(warned("sub.setf -, elem_num, 8\nmov.ifn r0, r1; mov.ifnn r0, r2\n"), Vec::<&str>::new());
    assert_eq!(warned("mov r0, 2\nmov r1, 2\nadd r2, r0, r1; mul24 r2, r0, r1\n"), ["H24"]);
    assert_eq!(fault("mov r0, elem_num\nmov r1, 2\nadd r2, r0, r1; mul24 r2, r0, r1\n"), FaultKind::SameDestination);
}

#[test]
fn a_rotation_too_early_counts_where_its_wrong_lanes_do() {
    // Lanes 0 to 2 would get what lanes 13 to 15 held before; lane 0 alone is taken.
    assert_eq!(warned("mov r0, elem_num\nmov r1, r0 >> 3\nmov r1, 0\n"), ["H06"]);
    let stored = |lanes: &str| {
        format!(
            ".include <vc4.qinc>\nmov vw_setup, vpm_setup(0, 1, h32(1))\nmov r0, elem_num\nmov r1, r0 >> 3\nmov vpm, r1\nmov vw_setup, vdw_setup_1(0)\nmov vw_setup, vdw_setup_0(1, {lanes})\nmov vw_addr, unif\n"
        )
    };
    assert_eq!(warned(&stored("13, dma_h32(1, 3)")), ["H06"]);
    assert_eq!(fault(&stored("14, dma_h32(1, 2)")), FaultKind::RotatedUsed(Sink::Store, 2));
    assert_eq!(strict(&stored("13, dma_h32(1, 3)")), FaultKind::RotateTooEarly);
    // Down by one inside quads: lane 3 of each quad is wrong, the lanes that r5 takes are not.
    assert_eq!(
        warned("mov r0, elem_num\nmov r5quad, r0 << 1\nmov.setf -, r5\nbrr.allz -, r:e\nnop\nnop\nnop\n:e\n"),
        ["H06"]
    );
}

#[test]
fn what_boards_survive_is_a_warning_and_a_fault_when_strict() {
    let gap = ".include <vc4.qinc>\nmov vw_setup, vpm_setup(0, 1, h32(0))\nmov vpm, 1\nmov vpm, 2\nmov vw_setup, vdw_setup_0(2, 16, dma_h32(0, 0))\nmov vw_addr, unif\n";
    let pitch =
        ".include <vc4.qinc>\nmov vr_setup, vdr_setup_0(0, 16, 2, vdr_h32(1, 0, 0))\nmov vr_addr, unif\nread vr_wait\n";
    let deep = "shl r0, elem_num, 2\nadd r0, r0, unif\n.rep i, 5\nmov t0s, r0\n.endr\n.rep i, 5\nldtmu0\n.endr\n";
    let noswap = "shl r0, elem_num, 2\nadd r0, r0, unif\nmov tmurs, 1\nmov t0s, r0\nldtmu0\n";
    for (body, rule, kind) in [
        (gap, "H53", FaultKind::StrideNotSet),
        (pitch, "H53", FaultKind::PitchNotSet),
        (&gap.replace("mov vw_addr", "mov vw_setup, vdw_setup_1p(4)\nmov vw_addr"), "H53", FaultKind::GapClosed),
        (deep, "H37", FaultKind::TmuDeep),
        (noswap, "H11", FaultKind::NoswapTooLate),
        ("mov mutex, -\n", "H46", FaultKind::MutexNotHeld),
        ("shl r0, elem_num, 2\nadd t0s, r0, unif\n", "H38", FaultKind::TmuUndrained(1)),
    ] {
        assert_eq!(warned(body), [rule], "{body}");
        assert_eq!(strict(body), kind, "{body}");
    }
    // The gap is 0 after reset.
    let words = lenient(&format!("{gap}{END}")).data;
    assert_eq!(words[..32], [[1; 16], [2; 16]].concat());
    let nine = deep.replace(".rep i, 5\nmov", ".rep i, 9\nmov");
    assert_eq!(fault(&nine), FaultKind::TmuFull);
    let report = lenient("nop\nthrend\nread unif\nnop\n").result.expect("survives");
    assert_eq!(
        report.warnings.iter().map(Warning::to_string).collect::<Vec<_>>(),
        ["QPU 0, instruction 1: uniform or VPM access in the last three instructions of the program [H19]"]
    );
}

/// Each place is named once, however often it is executed.
#[test]
fn a_place_is_named_once() {
    let body = "ldi r1, 20\n:again\nmov r0, r0; mov r0, r0\nsub.setf r1, r1, 1\nbrr.anynz -, r:again\nnop\nnop\nnop\n";
    assert_eq!(warned(body), ["H24"]);
    assert_eq!(warned(&format!("{body}mov r2, r0; mov r2, r0\n")), ["H24", "H24"]);
}
