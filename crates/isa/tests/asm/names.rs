//! Names beside the usual ones, and suffixes behind the opcode.

use super::{error, run, same, words};

#[test]
fn names_have_synonyms() {
    same("break\ntswitch\nlswitch\nwaitscb\nunlscb", "bkpt\nthrsw\nlthrsw\nsbwait\nsbdone");
    same("ldcvtlb\nldcotlb\nldcoend\nldaltlb\ntend", "loadcv\nloadc\nldcend\nloadam\nthrend");
    same("amov r0, r1; mmov r2, r3", "or r0, r1, r1; v8min r2, r3, r3");
    same("mmov r0, r1", "v8min r0, r1, r1");
    same("amov ra1, 500", "ldi ra1, 500");
    same("mv8adds r0, r1, r2; av8subs r3, r1, r2", "v8subs r3, r1, r2; mv8adds r0, r1, r2");
    assert_eq!(words("av8adds r0, r1, r2"), [0x1002_0827_1e9e_7280]);
    assert_eq!(words("mv8adds r0, r1, r2"), [0x1000_49e0_c09e_700a]);
    // Two bits per lane: the high half of the word has their upper bits.
    assert_eq!(words("ldipes r0, 0x00010005"), [0xe202_0827_0001_0005]);
    assert_eq!(words("ldipeu r0, 0x00040004"), [0xe602_0827_0004_0004]);
    same("brr.allcs -, 16\nbrr.allcc -, 16", "brr.allc -, 16\nbrr.allnc -, 16");
    same("brr.anycs -, 16\nbrr.anycc -, 16", "brr.anyc -, 16\nbrr.anync -, 16");
    same("add ra1.16aclamp, r1, r2\nfmul r0.8bclamp, r1, r2", "add ra1.16as, r1, r2\nfmul r0.8bs, r1, r2");
    same("add ra1.32i, r1, r2\nadd ra1.32clamp, r1, r2", "add ra1.32s, r1, r2\nadd ra1.32s, r1, r2");
    same("add ra1.8ddupe, r1, r2\nadd r1, ra1.8ddupe, r2", "add ra1.8888, r1, r2\nadd r1, ra1.8dr, r2");
    same("mov r0, uniform_read\nmov r0, element_number", "mov r0, unif\nmov r0, elem_num");
    same("mov vpm_write, r0\nmov r0, vpm_read\nmov mutex_release, r0", "mov vpm, r0\nmov r0, vpm\nmov mutex, r0");
    same("mov r0, x_pixel_coord\nmov r0, quad_y\nmov r0, r5rep", "mov r0, x_coord\nmov r0, y_coord\nmov r0, r5");
    same("mov tlb_z, r0\nmov tlb_colour_all, r0", "mov tlbz, r0\nmov tlbc, r0");
    let data = |a: &str, b: &str| assert_eq!(words(&format!("{a}\n.align 8")), words(&format!("{b}\n.align 8")), "{a}");
    data(".int32 1, 2\n.dword 3\n.float32 4", ".int 1, 2, 3\n.float 4");
    data(".word 1\n.int16 2\n.int8 3, 4, 5, 6", ".short 1, 2\n.byte 3, 4, 5, 6");
    data(".int64 -1\n.qword 7\n.float64 1.5", ".long -1, 7\n.double 1.5");
    data(".int4 1, 2, -1, 7\n.int2 3, -1, 0, 1\n.int1 1", ".byte 0x21, 0x7f, 0x4f, 1");
    assert!(error(".int4 16").starts_with("E0746"));
    same(".set n, 3\n.if n == 2\nnop\n.elif n == 3\nmov r0, 1\n.endif\n.undef n", "mov r0, 1");
    same(".rep i, 2\nmov r0, i\n.endrep", "mov r0, 0\nmov r0, 1");
    same(".func f(x)\nx + 1\n.endfunc\nmov r0, f(2)", "mov r0, 3");
}

#[test]
fn unpack_modes_behind_the_opcode_reach_the_operand() {
    same("mov.unpack16af ra1, ra2", "mov ra1, ra2.16af");
    same("fadd.unpack8a r0, r4, r1", "fadd r0, r4.8a, r1");
    let (found, warnings) = run("add.unpack16af r0, ra2, r2");
    assert_eq!(found, Some(words("add r0, ra2.16a, r2")));
    assert_eq!(warnings[0].message, "this operation unpacks to an integer");
}
