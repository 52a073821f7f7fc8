//! Moves and constants: which instruction does them.

use super::{error, run, same, words};

#[test]
fn moves_choose_their_instruction() {
    // A constant alone: load immediate. Beside another operation: a small immediate.
    assert_eq!(words("mov r0, 5"), words("ldi r0, 5"));
    assert_eq!(words("mov irq, 1"), [0xe00209a700000001]);
    same("mov r0, 5; mov r1, r2", "or r0, 5, 5; v8min r1, r2, r2");
    same("mov r0, 64; mov r1, r2", "shl r0, 4, 4; v8min r1, r2, r2");
    same("mov r1, r2; mov r0, 64", "mov r1, r2; mul24 r0, 8, 8");
    // Constants that only another form of the operation can have.
    same("shl r0, r1, 28", "shl r0, r1, -4");
    same("add r0, ra1, 16", "sub r0, ra1, -16");
    same("sub r0, r1, 16", "add r0, r1, -16");
    same("add.setf ra0, r1, 16", "sub.setf ra0, r1, -16");
    let (_, warnings) = run("sub.setf ra0, r1, 16");
    assert!(warnings.iter().any(|w| w.code == "E0760" && w.message.contains("the carry is of that")), "{warnings:?}");
    assert!(error("add.setf r0, r1, 17").starts_with("E0745: 17 is no small immediate"));
    same("shr r0, r1, 0xffff", "shr r0, r1, 31");
    same("shl r0, r1, 64", "shl r0, r1, 0");
    // Bytes of what is no register of file A: the mul ALU's output packs them.
    assert_eq!(words("ldi rb31.8a, 15"), [0xe1c0_49df_0000_000f]);
    assert_eq!(words("srel rb26.8c, 12"), [0xe9e0_49da_0000_000c]);
    assert_eq!(words("sacq rb1.8a, 3"), [0xe9c0_49c1_0000_0013]);
    assert_eq!(words("srel ra1, r2, 4"), [0xe802_4062_0000_0004]);
    assert!(error("ldi.setf rb31.8a, 15").contains("cannot pack colours"));
    same("v8adds r3, r3 >> 8, r1 >> 8; mov rb0, -1", "asr rb0, -8, -8; v8adds r3, r3 >> 8, r1 >> 8");
    same("mov r0, 0; ldtmu0", "xor r0, r0, r0; ldtmu0");
    same("mov r3, 0x80000000; mov tmurs, 1", "ror r3, 1, 1; v8min tmurs, 1, 1");
    same("mov r0, r1, 0x12345678", "ldi r0, r1, 0x12345678");
    same("mov ra1, ra2.16af", "fmin ra1, ra2.16a, ra2.16a");
    same("mov r0, [0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]", "ldi r0, [0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]");
    same("mov -, sacq7", "sacq -, 7");
    same("mov -, srel(3+1)", "srel -, 4");
    // What gives back its operand is a move where its own ALU cannot have it.
    same("and r0, r1, r1; or r2, r3, r3", "or r0, r1, r1; v8min r2, r3, r3");
    same("v8max r0, r1, r1; fmul r2, r3, r3", "or r0, r1, r1; fmul r2, r3, r3");
    same("max r0 >> 4, r1, r1", "v8min r0 >> 4, r1, r1");
    same("min r0, 3, 3; add r1, r2, r3", "v8min r0, 3, 3; add r1, r2, r3");
    same("min.ifc rb18.8as, 0, 0", "nop; v8subs.ifc rb18.8as, r0, r0");
    // What gives 0 is a difference of bytes there.
    same("sub r0, r1, r1; add r2, r3, r0", "v8subs r0, r1, r1; add r2, r3, r0");
    same("xor r5quad.8c, ra1, ra1", "nop; v8subs r5quad.8c, ra1, ra1");
    assert!(error("sub.setf r0, r1, r1; add r2, r3, r0").contains("both operations need the add ALU"));
    assert!(error("and.setf r0, r1, r1; or r2, r3, r0").contains("both operations need the add ALU"));
    assert!(error("min.setf r0, r1, r1; max.setf r2, r3, r3").contains("both operations need the add ALU"));
    same("mov ra0, rb0; mov rb0, ra0; ldtmu0", "or ra0, rb0, rb0; v8min rb0, ra0, ra0; ldtmu0");
}
