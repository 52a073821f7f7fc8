//! Programs built in Rust are those of the same text.

use quadra_isa::vc4::builder::{Asm, registers::*};
use quadra_isa::vc4::hazard::Strictness;
use quadra_isa::vc4::setup::{Cell, Vector};
use quadra_isa::vc4::{BranchCond, Cond, Pack, Unpack, asm, disasm};

/// Compares a built program with a text.
fn same(built: Asm, text: &str) {
    let program = built.finish().expect("the program fits");
    let (assembly, diagnostics) = asm::assemble("same.qasm", text, &asm::Options::default());
    assert_eq!(diagnostics, []);
    let listing = |words: &[u64]| words.iter().map(|w| disasm::word(*w)).collect::<Vec<_>>();
    assert_eq!(listing(&program.words()), listing(&assembly.expect("assembles").words));
}

#[test]
fn operations_share_instructions() {
    let mut b = Asm::new("joined");
    b.fadd(ra(1), r0, rb(2)).fmul(r1, r2, r3);
    b.add(r0, r1, r2).setf().when(Cond::Zc).mul24(r3, r1, r2).when(Cond::Ns);
    b.mov(r1, r4).ldtmu0();
    b.nop().v8muld(rb(1), ra(2), rb(3));
    b.fadd(r0, ra(1).unpack(Unpack::H16a), 1.0);
    b.mov(ra(7).pack(Pack::H16b), r0);
    b.fmul(r2.pack_colour(Pack::B8a), r0, r1);
    b.mov(r1, r0.rot(1));
    b.fmul(r1, r2.rot_r5(), r3.rot_r5());
    b.shl(r0, elem_num, 2);
    b.not(r0, r1);
    b.read(unif);
    b.ldi(r0, [0, 1, -1, -2, 0, 1, -1, -2, 0, 1, -1, -2, 0, 1, -1, -2]);
    b.ldi2(ra(2), rb(2), -1);
    b.mov(r0, 5);
    b.sema_up(3);
    b.mutex_acquire();
    b.mutex_release();
    same(
        b,
        "fadd ra1, r0, rb2; fmul r1, r2, r3\n add.ifnz.setf r0, r1, r2; mul24.ifn r3, r1, r2\n mov r1, r4; ldtmu0\n nop; v8muld rb1, ra2, rb3\n\
         fadd r0, ra1.16a, 1.0\n mov ra7.16b, r0\n fmul r2.8asf, r0, r1\n mov r1, r0 >> 1\n fmul r1, r2 >> r5, r3 >> r5\n shl r0, elem_num, 2\n\
         not r0, r1\n read unif\n ldi r0, [0,1,-1,-2,0,1,-1,-2,0,1,-1,-2,0,1,-1,-2]\n ldi ra2, rb2, -1\n mov r0, 5\n srel -, 3\n mov -, mutex\n mov mutex, -",
    );
}

#[test]
fn labels_loops_and_setup_helpers() {
    let mut b = Asm::new("copy");
    b.mov(ra(0), unif);
    b.mov(ra(1), unif);
    let done = b.label();
    let top = b.here();
    b.setup_dma_load(16, 1, 64, 1, Cell::H32 { y: 0, x: 0 });
    b.start_dma_load(ra(0));
    b.wait_dma_load();
    b.setup_vpm_read(1, 1, Vector::H32 { y: 0 });
    b.setup_vpm_write(1, Vector::H32 { y: 1 });
    for _ in 0..2 {
        b.nop();
    }
    b.mov(vpm, vpm);
    b.setup_dma_store(1, 16, 0, Cell::H32 { y: 1, x: 0 });
    b.start_dma_store(ra(1));
    b.wait_dma_store();
    b.sub(r0, r0, 1).setf();
    b.branch(BranchCond::AllZs, done);
    b.nop();
    b.nop();
    b.nop();
    b.jump(top);
    b.nop();
    b.nop();
    b.nop();
    b.bind(done);
    b.interrupt();
    b.exit();
    let clean = b.clone().finish_checked(Strictness::Strict);
    assert!(clean.is_ok(), "{clean:?}");
    same(
        b,
        ".include <vc4.qinc>\nmov ra0, unif\nmov ra1, unif\n:top\nldi vr_setup, vdr_setup_1(64)\nldi vr_setup, vdr_setup_0(0, 16, 1, vdr_h32(1, 0, 0))\n\
         mov vr_addr, ra0\nread vr_wait\nldi vr_setup, vpm_setup(1, 1, h32(0))\nldi vw_setup, vpm_setup(0, 1, h32(1))\nnop\nnop\nmov vpm, vpm\n\
         ldi vw_setup, vdw_setup_1(0)\nldi vw_setup, vdw_setup_0(1, 16, dma_h32(1, 0))\nmov vw_addr, ra1\nread vw_wait\nsub.setf r0, r0, 1\n\
         brr.allz -, r:done\nnop\nnop\nnop\nbrr -, r:top\nnop\nnop\nnop\n:done\nldi irq, 1\nthrend\nnop\nnop",
    );
}

#[test]
fn calls_and_returns() {
    let mut b = Asm::new("call");
    let sub = b.label();
    b.call(ra(30), sub);
    b.nop();
    b.nop();
    b.nop();
    b.exit();
    b.bind(sub);
    b.jump_to(ra(30));
    b.nop();
    b.nop();
    b.nop();
    same(b, "brr ra30, r:sub\nnop\nnop\nnop\nthrend\nnop\nnop\n:sub\nbra -, ra30, 0\nnop\nnop\nnop");
}

#[test]
fn mistakes_are_reported_at_their_line() {
    let mut b = Asm::new("wrong");
    let lost = b.label();
    b.fadd(r0, ra(1), ra(2));
    let line = line!() - 1;
    b.mov(r4, r0);
    b.mov(ra(99), r0);
    b.add(r0, recip, 1);
    b.jump(lost);
    b.sema_up(16);
    b.setup_vpm_read(17, 1, Vector::H32 { y: 0 });
    let errors = b.finish().expect_err("many mistakes");
    let codes: Vec<_> = errors.iter().map(|e| e.code).collect();
    assert_eq!(codes, ["E0744", "E0744", "E0744", "E0744", "E0746", "E0745", "E0748"]);
    let misfit = &errors[5];
    assert_eq!(misfit.message, "`ra2` and `ra1` are both read from register file A");
    let span = misfit.span.expect("a place");
    assert_eq!((span.line, &*span.file.name()), (line, file!()));
}

#[test]
fn hazards_are_errors_with_a_place() {
    let mut b = Asm::new("hazard");
    b.mov(ra(0), r0);
    b.mov(r1, ra(0));
    b.exit();
    let errors = b.finish_checked(Strictness::Normal).expect_err("H01");
    assert_eq!(errors[0].code, "H01");
    assert!(errors[0].span.is_some());
}
