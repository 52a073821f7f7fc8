//! Places where native code must leave exactly what the interpreter leaves.

use quadra_isa::vc4::asm::{Options, assemble};
use quadra_isa::vc4::emu::{Config, Machine, Region, Registers, Report, RunError, Thread};
use quadra_isa_jit::Jit;
use std::sync::Arc;

const CODE: u32 = 0x1000;
const DATA: u32 = 0x2000;

/// A loop that makes what follows hot, then the instructions in question.
fn program(text: &str) -> Vec<u32> {
    let text = format!(
        "ldi ra0, 5\n:loop\nldi r0, 1.5\nldi r1, -2.5\nmov r2, ra0\nnop\nsub.setf ra0, r2, 1\nbrr.anynz -, :loop\nnop\nnop\n\
         nop\n{text}\nthrend\nnop\nnop\n"
    );
    let (assembly, wrong) = assemble("t.qasm", &text, &Options::default());
    let words = assembly.unwrap_or_else(|| panic!("{wrong:?}")).words;
    words.iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).collect()
}

type Ending = (Result<Report, RunError>, Registers, Vec<Vec<u32>>);

fn run(words: &[u32], jit: Option<&Arc<Jit>>) -> Ending {
    let mut machine = Machine::new(Config { budget: 100_000, ..Config::default() });
    if let Some(jit) = jit {
        machine.set_translator(jit.clone());
    }
    machine.add_region(Region::of_words("code", CODE, words)).expect("free");
    machine.add_region(Region::of_words("data", DATA, &[7; 64]).writable()).expect("free");
    let report = machine.run(&[Thread { pc: CODE, uniforms: DATA }]);
    let registers = machine.registers(0).expect("it ran");
    (report, registers, machine.into_memory().regions().iter().map(Region::words).collect())
}

/// Both ways, which must agree.
fn both(text: &str) -> Ending {
    let words = program(text);
    let expected = run(&words, None);
    for jit in [Jit::direct(2, false), Jit::direct_in_halves(2, false)] {
        let Some(jit) = jit.map(Arc::new) else {
            quadra_base::testing::not_here("this processor has no AVX2");
            continue;
        };
        assert_eq!(expected, run(&words, Some(&jit)), "{text}");
        assert!(jit.statistics().executed() > 10, "nothing was translated: {text}");
    }
    expected
}

#[test]
fn flags_that_were_put_off_are_there_at_a_fault() {
    // No read was set up, so that the second instruction is a fault before it sets flags.
    let (report, registers, _) = both("fsub.setf r2, r1, r0\nfadd.setf r3, vpm, r0");
    assert!(report.is_err());
    assert_eq!((registers.flags.n, registers.flags.z, registers.flags.c), (0xffff, 0, 0));
    let (report, registers, _) = both("xor.setf r2, r1, r1\nor.setf r3, vpm, r0");
    assert!(report.is_err());
    assert_eq!((registers.flags.n, registers.flags.z, registers.flags.c), (0, 0xffff, 0));
    // In the order of execution, with the last one's flags at the end.
    let (report, registers, _) = both("fsub.setf r2, r1, r0\nor.setf r3, r0, r0\nfadd.setf r2, r0, r1\nnop");
    assert!(report.is_ok());
    assert_eq!(registers.flags.n, 0xffff);
}

#[test]
fn a_vector_is_read_once_however_its_sum_comes_out() {
    for setup in [0x1a00, 0x1200] {
        let text = format!(
            "ldi r3, 0x7f7fffff\nldi vw_setup, {setup}\nmov vpm, r3\nmov vpm, r0\nldi vr_setup, {}\nnop\nnop\nnop\n\
             fadd r2, vpm, r3\nmov ra1, vpm\nnop",
            setup | 2 << 20
        );
        let (report, registers, _) = both(&text);
        assert_eq!(report.expect("no fault").qpus[0].vpm_reads, 2);
        assert_eq!(registers.accumulators[2].0, [0x7f80_0000; 16]);
        assert_eq!(registers.a[1].0, [1.5f32.to_bits(); 16]);
    }
}

#[test]
fn a_negative_zero_is_none() {
    // Products of a zero, and one that is too small for a number.
    let (report, registers, _) =
        both("xor r2, r2, r2\nldi r3, 0x00800000\nfmul r2, r2, r1\nfmul r3, r3, 0.125\nfmul ra1, r3, r1");
    assert!(report.is_ok());
    assert_eq!((registers.accumulators[2].0[0], registers.accumulators[3].0[0], registers.a[1].0[0]), (0, 0, 0));
}

#[test]
fn a_store_ends_what_uniforms_may_read() {
    let store = format!(
        "ldi vw_setup, 0x1a00\nmov vpm, r0\nldi vw_setup, 0x80904000\nldi vw_setup, 0xc0000000\nldi vw_addr, {DATA}"
    );
    let (report, _, memory) = both(&format!("mov r2, unif\n{store}\nmov -, vw_wait\nmov r3, unif"));
    assert!(report.is_err(), "the second uniform was stored in this launch");
    assert_eq!(memory[1][..2], [1.5f32.to_bits(); 2]);
    let (report, registers, _) = both(&format!("mov r2, unif\n{store}\nmov -, vw_wait"));
    assert!(report.is_ok());
    assert_eq!(registers.accumulators[2].0[0], 7);
}

#[test]
fn flags_come_from_what_r4_was_before_a_special_function() {
    // r4 is 2, whose larger one of the two operands is the second, and becomes 1/4, with which it would be the first.
    let (report, registers, _) = both(
        "ldi r0, 0.5\nldi ra1, 4.0\nmov sfu_recip, r0\nnop\nnop\nnop\nfmax.setf -, 1.0, r4; v8min sfu_recip, ra1, ra1\nnop\nnop",
    );
    assert!(report.is_ok());
    assert_eq!(registers.flags.c, 0);
}

/// Float operations one behind the other, on operands of every kind.
#[test]
fn runs_of_float_operations_end_the_same_way() {
    let kinds = [
        "0",
        "1.5",
        "-2.5",
        "0x80000000",
        "0x7f800000",
        "0xff800000",
        "0x7fc00001",
        "0x7f7fffff",
        "0xff7fffff",
        "0x00000001",
        "0x00800001",
        "0x80800001",
    ];
    for (n, a) in kinds.iter().enumerate() {
        for b in &kinds[n..] {
            let (report, ..) = both(&format!(
                "ldi r1, {a}\nldi r2, {b}\nldi r3, 0.25\nmov ra1, r1\nmov ra2, r2\nmov rb1, r2\nldi r0, 0\nnop\n\
                 fmul r0, r1, r2\nfadd ra3, ra1, r0; fmul r0, r2, r3\nfsub rb3, rb1, r0; fmul r0, r1, r3\n\
                 fadd ra4, ra2, r0; fmul r0, r2, r2\nfsub ra5, ra1, r0; fmul r0, r1, r1\nfadd rb5, rb1, r0; fmul r3, r3, r3\n\
                 fsub ra6, r0, r0; fmul r0, r3, r3\nfmul r3, r0, r1\nmax ra7, r3, r0\nmov rb7, r0\nnop"
            ));
            assert!(report.is_ok(), "{report:?}");
        }
    }
}

/// The program's own words as uniforms: small integers, great ones, floats of all sizes.
const WORDS_AS_UNIFORMS: &str = "ldi unif_addr, 0x1000\nldi ra1, -3.25\nldi rb1, 5\nldi r2, 0x80c1f277\nnop";

#[test]
fn operands_may_be_uniforms_in_either_place() {
    let two = "fadd fsub fmin fmax fminabs fmaxabs add sub shr asr ror shl min max and or xor v8adds v8subs";
    for op in two.split(' ') {
        let text = format!(
            "{WORDS_AS_UNIFORMS}\n{op}.setf r0, unif, ra1\n{op} r1, ra1, unif\n{op} ra5, unif, r2\n{op} rb5, r2, unif\n\
             {op}.ifn ra6, unif, unif\n{op} rb6, rb1, unif\n{op}.setf rb7, ra1, rb1\n{op}.ifcs ra8, unif, r1"
        );
        assert!(both(&text).0.is_ok(), "{op}");
    }
    for op in ["ftoi", "itof", "not", "clz"] {
        let text = format!("{WORDS_AS_UNIFORMS}\n{op}.setf r0, unif\n{op} ra5, ra1\n{op}.ifnz rb5, unif\n{op} r1, r2");
        assert!(both(&text).0.is_ok(), "{op}");
    }
    for op in ["fmul", "mul24", "v8min", "v8max", "v8adds", "v8subs"] {
        let text = format!(
            "{WORDS_AS_UNIFORMS}\nnop; {op} r0, unif, ra1\nmov.setf r1, ra1; {op} r3, ra1, unif\n\
             fadd ra5, unif, r2; {op} rb5, r2, unif\nnop; {op}.ifnn r2, unif, unif\nmov ra6, rb1; {op} rb6, rb1, rb1"
        );
        assert!(both(&text).0.is_ok(), "{op}");
    }
}

#[test]
fn neighbouring_lanes_are_looked_up_like_others() {
    let lookup = |first: u32, change: &str| {
        format!(
            "ldi r0, {first}\nshl r1, elem_num, 2\nadd r0, r0, r1\n{change}\nmov t0s, r0\nadd t1s, r0, 4\nldtmu0\nmov ra5, r4\n\
             ldtmu1\nmov rb5, r4\nnop"
        )
    };
    // At the start of a line, in the middle, over two; up to the end of the program's words, which are data here.
    for first in [0x1000, 0x1004, 0x103c, 0x1020, 0x1001, 0x103f] {
        let (report, registers, _) = both(&lookup(first, "nop"));
        assert_eq!(report.expect("no fault").qpus[0].tmu_requests, 2);
        let at = |word: u32| registers.a[5].0[word as usize];
        assert!((1..16).any(|lane| at(lane) != at(0)), "{first:x}");
    }
    // One lane is elsewhere; all are at the same place; they go down; they wrap around.
    for change in [
        "ldi r1, [0,0,0,0,0,0,0,0,0,0,0,1,0,0,0,0]\nshl r1, r1, 2\nadd r0, r0, r1",
        "sub r0, r0, r1",
        "sub r0, r0, r1\nsub r0, r0, r1\nadd r0, r0, 15\nadd r0, r0, 15\nadd r0, r0, 15\nadd r0, r0, 15",
        "nop\nmov r0, r0 << 1",
    ] {
        assert!(both(&lookup(0x1010, change)).0.is_ok(), "{change}");
    }
    // The last words of a region, and one word further.
    assert!(both(&lookup(DATA + 64 * 4 - 68, "nop")).0.is_ok());
    drop(both(&lookup(DATA + 64 * 4 - 64, "nop")));
}

#[test]
fn conditions_see_the_flags_of_their_time() {
    for cond in ["ifz", "ifnz", "ifn", "ifnn", "ifc", "ifnc"] {
        let text = format!(
            "mov r2, elem_num\nmov ra5, 0\nmov rb5, 0\nsub.setf r3, r2, 5\nmov.{cond} ra5, r2; fmul.{cond} r0, r1, r1\n\
             add.{cond}.setf rb5, r2, 7\nsub.{cond} r0, r0, r2\nsub.setf -, r2, 11\nmov.{cond} r1, r2; v8min.{cond} rb6, r3, r2\n\
             add.{cond} ra6, ra5, r2\nldi.{cond} rb7, 0.75\nnop"
        );
        assert!(both(&text).0.is_ok(), "{cond}");
    }
}
