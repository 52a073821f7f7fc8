//! A gallery: instruction words that public assemblers produce or hardware programs contain, with their text.

use quadra_isa::vc4::{asm, decode, disasm, encode, fit, roundtrip};

/// Words on which vc4asm, its disassembler and py-videocore agree, or which one of them alone can produce.
const WORDS: &[(u64, &str)] = &[
    (0x100009e7009e7000, "nop"),
    (0x100208270c9e7280, "add r0, r1, r2"),
    (0x10024061219c21d3, "fadd ra1, r0, rb2; fmul r1, r2, r3"),
    (0x1002514721146df7, "fadd rb5, ra5, rb6; fmul ra7, ra5, rb6"),
    (0x100200e715827d80, "mov ra3, unif"),
    (0x100229e70d9e7040, "sub.setf -, r0, r1"),
    (0x100401270d107dc0, "sub.ifz ra4, ra4, rb7"),
    (0x100708234c9e728a, "add.ifnz r0, r1, r2; mul24.ifn r3, r1, r2"),
    (0x100e08a70f9e7440, "asr.ifcc r2, r2, r1"),
    (0xd002082711982dc0, "shl r0, elem_num, 2"),
    (0xd00208270c9d01c0, "add r0, r0, -16"),
    (0xd00208270c9df1c0, "add r0, r0, -1"),
    (0xd0024862219e01c7, "fadd r1, r0, 1.0; fmul r2, r0, 1.0"),
    (0xd00049e0209e700f, "fmul r0, r1, 128.0"),
    (0xd00049e0209e800f, "fmul r0, r1, 0.00390625"),
    (0xd00049e0209ef00f, "fmul r0, r1, 0.5"),
    (0xd00049e1809f1000, "mov r1, r0 >> 1"),
    (0xd00049e1809ff000, "mov r1, r0 >> 15"),
    (0xd00049e1809f0000, "mov r1, r0 >> r5"),
    (0xd00049e1209f4013, "fmul r1, r2 >> 4, r3 >> 4"),
    (0xd0024821959f4fd2, "or r0, -12, -12; mov r1, r2 >> 4"),
    (0xe002082712345678, "ldi r0, 0x12345678"),
    (0xe0024082ffffffff, "ldi ra2, rb2, -1"),
    (0xe20229e70000fffe, "ldi.setf -, [0,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"),
    (0xe2020827cccc6666, "ldi r0, [0,1,-1,-2,0,1,-1,-2,0,1,-1,-2,0,1,-1,-2]"),
    (0xe6020827ccccaaaa, "ldi r0, [0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]"),
    (0xe00408e73f800000, "ldi.ifz r3, 1.0"),
    (0xe80009e700000003, "srel -, 3"),
    (0xe80009e700000013, "sacq -, 3"),
    (0xf0f809e7ffffffe0, "brr -, -32"),
    (0xf03809e700000010, "brr.anynz -, 16"),
    (0xf01809e7fffffce0, "brr.allnz -, -800"),
    (0xf00807e700000040, "brr.allz ra31, 64"),
    (0xf0f489e700000000, "bra -, ra4, 0"),
    (0xf0acd7e700000100, "brr.anyc rb31, ra6, 256"),
    (0xf04009e700001000, "bra.alln -, 4096"),
    (0x1202082701067c40, "fadd r0, ra1.16a, r1"),
    (0x140208270c067c40, "add r0, ra1.16b, r1"),
    (0x1602082715067d80, "mov r0, ra1.8dr"),
    (0x1a0208270c067c40, "add r0, ra1.8b, r1"),
    (0x1d020827019e7840, "fadd r0, r4.8c, r1"),
    (0x13020827019e7840, "fadd r0, r4.16a, r1"),
    (0x102201e7159e7000, "mov ra7.16b, r0"),
    (0x101201e7019e7040, "fadd ra7.16a, r0, r1"),
    (0x108202270c9e7040, "add ra8.32s, r0, r1"),
    (0x10b20267129e7040, "min ra9.8888s, r0, r1"),
    (0x10720267139e7040, "max ra9.8d, r0, r1"),
    (0x114049e2209e7001, "fmul r2.8asf, r0, r1"),
    (0x10b250c3219e7041, "fadd rb3, r0, r1; fmul ra3.8888s, r0, r1"),
    (0x101059c3409e7001, "mul24 ra3.16a, r0, r1"),
    (0x10020e27159e7000, "mov t0s, r0"),
    (0xa0020867159e7900, "mov r1, r4; ldtmu0"),
    (0x10020d27159e7000, "mov recip, r0"),
    (0x10020de715027d80, "mov log, ra0"),
    (0x10020967159e7000, "mov r5quad, r0"),
    (0x10021967159e7000, "mov r5rep, r0"),
    (0xe0020c6783010000, "ldi vr_setup, 0x83010000"),
    (0xe0021c6780104000, "ldi vw_setup, 0x80104000"),
    (0x10020ca7159e76c0, "mov vr_addr, r3"),
    (0x10021ca7159e76c0, "mov vw_addr, r3"),
    (0x100209e715ca7d80, "mov -, vr_wait"),
    (0x100009e7009f2000, "read vw_wait"),
    (0x1002082715c27d80, "mov r0, vpm"),
    (0x10024c0021000c39, "fadd vpm, ra0, r0; fmul rb0, rb0, r1"),
    (0x100209e715ce7d80, "mov -, mutex"),
    (0x10020ce7159e7d80, "mov mutex, -"),
    (0xd00209a7159c1fc0, "or irq, 1, 1"),
    (0x10020a27159e7480, "mov unif_addr, r2"),
    (0x300009e7009e7000, "thrend"),
    (0xa00257e8819dfe12, "fadd rb31, rb31, r0; mov unif_addr, r2; ldtmu0"),
    (0x100247e0217e0c27, "fadd ra31, ra31, r0; fmul r0, r4, unif"),
    (0x100248e0fe9e728a, "v8adds r3, r1, r2; v8subs r0, r1, r2"),
    (0x10020827079e7240, "ftoi r0, r1"),
    (0x10020027189c0fc0, "clz ra0, rb0"),
    (0xe012006700012345, "ldi ra1.16a, 0x00012345"),
    (0x200009e7009e7000, "thrsw"),
    (0x600009e7009e7000, "lthrsw"),
    (0x000009e7009e7000, "bkpt"),
    (0x400009e7009e7000, "sbwait"),
    (0x500009e7009e7000, "sbdone"),
    (0x700009e7009e7000, "loadcv"),
    (0x800009e7009e7000, "loadc"),
    (0x900009e7009e7000, "ldcend"),
    (0xc00009e7009e7000, "loadam"),
    (0xb00009e7009e7000, "ldtmu1"),
    (0x100009e700827000, "read unif"),
    (0xe00209a700000001, "ldi irq, 1"),
    (0xe002092700000001, "ldi tmurs, 1"),
    (0x1802082715067d80, "mov r0, ra1.8a"),
    (0x100200e7089c4fc0, "itof ra3, rb4"),
    (0x10020827179e7240, "not r0, r1"),
    (0x10020827050a7380, "fminabs r0, r1, ra2"),
    (0xd00210e710105dc0, "ror rb3, ra4, 5"),
    (0x100208a718267d80, "clz r2, ra9"),
    (0x100049c160083037, "v8muld rb1, ra2, rb3"),
    (0xe6024000ff00f0f0, "ldi ra0, rb0, [0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3]"),
    (0x100d4823269e728a, "fmaxabs.ifc r0, r1, r2; fmul.ifnn r3, r1, r2"),
    (0x11b049e2209e7001, "fmul r2.8888sf, r0, r1; fields pack=11"),
    (0x113250c3219e7041, "fadd rb3, r0, r1; fmul ra3.8888sf, r0, r1"),
    (0xe80249e700000003, "srel -, -, 3"),
    (0xe80249e700000013, "sacq -, -, 3"),
    (0x100009e700ce7000, "read mutex"),
    (0x10124041959e7009, "mov ra1.16a, r0; mov rb1, r1"),
    (0x19024821959e7b64, "mov r0, r5; mov r1, r4.8a"),
    (0x1202082703067d80, "fmin r0, ra1.16a, ra1.16a"),
    (0x1202082715067d80, "mov r0, ra1.16a"),
    (0x100049e2009e7000, "mnop r2"),
    (0x1009482095041dbf, "mov.ifn r0, ra1; mov.ifnn r0, rb1"),
];

#[test]
fn words_have_these_texts() {
    for (word, text) in WORDS {
        assert_eq!(disasm::word(*word), *text, "{word:016x}");
    }
    assert_eq!(WORDS.len(), 108);
}

#[test]
fn words_come_back_from_fields_and_from_operations() {
    for (word, text) in WORDS {
        let inst = decode(*word).expect("a valid word");
        assert_eq!(encode(&inst), *word, "{text}");
        let fitted = fit::fit(&disasm::line(&inst)).expect("the operations fit");
        assert_eq!(fitted, inst, "{text}");
    }
}

#[test]
fn texts_assemble_to_their_words() {
    let text: Vec<&str> = WORDS.iter().map(|(_, text)| *text).collect();
    let (assembly, diagnostics) = asm::assemble("gallery.qasm", &text.join("\n"), &asm::Options::default());
    assert_eq!(diagnostics, []);
    for ((word, text), assembled) in WORDS.iter().zip(assembly.expect("no errors").words) {
        assert_eq!(assembled, *word, "{text}");
    }
}

#[test]
fn random_words_come_back_from_their_text() {
    let counts = roundtrip::run(7, 100_000).expect("every word comes back");
    println!("{counts:?}");
    assert!(counts.equal > 60_000 && counts.reserved > 10_000, "{counts:?}");
}
