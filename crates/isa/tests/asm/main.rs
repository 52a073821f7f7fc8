//! The assembly language: what it accepts, and how it refuses.

mod moves;
mod names;

use quadra_base::Diagnostic;
use quadra_isa::vc4::asm::{Options, assemble};
use quadra_isa::vc4::disasm;

fn options(most_steps: Option<u64>) -> Options {
    Options { no_files: true, most_steps, ..Options::default() }
}

fn run(text: &str) -> (Option<Vec<u64>>, Vec<Diagnostic>) {
    let (assembly, diagnostics) = assemble("test.qasm", text, &options(None));
    (assembly.map(|a| a.words), diagnostics)
}

fn words(text: &str) -> Vec<u64> {
    let (words, diagnostics) = run(text);
    words.unwrap_or_else(|| panic!("{text}\n{}", diagnostics.iter().map(|d| d.render(false)).collect::<String>()))
}

/// Two texts that mean the same.
fn same(a: &str, b: &str) {
    let text = |words: Vec<u64>| words.into_iter().map(disasm::word).collect::<Vec<_>>();
    assert_eq!(text(words(a)), text(words(b)), "{a}\n--- and ---\n{b}");
}

/// The code and message of the first error.
fn error(text: &str) -> String {
    let (words, diagnostics) = run(text);
    assert!(words.is_none(), "`{text}` assembled");
    let first = diagnostics.iter().find(|d| d.is_error()).expect("an error");
    format!("{}: {}", first.code, first.message)
}

#[test]
fn extensions_stand_at_opcode_or_operand() {
    same("add.setf r0, r1, r2", "add r0.setf, r1, r2");
    same("mov.ifnz r0, ra7", "mov r0.nz, ra7");
    same("sub.ifcc r0, r0, r1", "sub r0.cc, r0, r1");
    same("add.pack16a ra1, r0, r1", "add ra1.16a, r0, r1");
    same("add r0, r4, ra1.unpack8b", "add r0, r4, ra1.8b");
    same("fadd.unpack8af r0, r4, r1", "fadd r0, r4.8a, r1");
    same("add.unpack8af r0, r4, ra1", "add r0, r4.8a, ra1");
    same("add.unpack16bi r0, r4, ra1", "add r0, r4, ra1.16b");
    same("fmul r0.8888sf, r1, r2", "fmul r0.8abcdsf, r1, r2");
    same("mov ra1.32, r0", "mov ra1, r0");
}

#[test]
fn rotations_name_where_elements_come_from() {
    same("mov r0, r1 >> 1", "mov r0, r1 << 15");
    same("mov r0 << 3, r1", "mov r0, r1 >> 3");
    same(
        "mov r0, r1 >> 16",
        "nop; mov r0, r1; fields op_add=21, cond_add=1, waddr_add=32, add_a=1, add_b=1, op_mul=0, cond_mul=0, waddr_mul=39, mul_a=0, mul_b=0",
    );
    same("mov r0, r1 >> r5", "mnop r0; fields op_mul=4, mul_a=1, mul_b=1, sig=13, raddr_b=48");
    same("or r0, -12, -12; mov r1, r2 >> 4", "mov r1, r2 >> 4; or r0, -12, -12");
    assert!(
        error("mov r0, r1 >> 1; mov r2, rb3").starts_with("E0745: a rotation cannot be combined with reading `rb3`")
    );
    assert!(error("fadd r0, r1 >> 1, r2 >> 1").starts_with("E0745: rotation works in the mul ALU only"));
    same("fmul r0, r1 >> 5, ra0 >> 1", "fmul r0, r1 >> 5, ra0 >> 5");
    let (words, warnings) = run("fmul r0, r1 >> 4, r2");
    assert!(words.is_some() && warnings[0].code == "E0760", "{warnings:?}");
}

#[test]
fn labels_and_branches() {
    let text = ":start\n nop\n brr.allz -, r:start\n nop\n nop\n :1 nop\n brr ra31, r:1b\n nop\n nop\n nop\n brr -, r:1f\n nop\n nop\n nop\n:1";
    let text = text.replace(" :1 nop", ":1 nop");
    let w = words(&text);
    assert_eq!(disasm::word(w[1]), "brr.allz -, -40");
    assert_eq!(disasm::word(w[5]), "brr ra31, -40");
    assert_eq!(disasm::word(w[9]), "brr -, 0");
    same(":a\nbra -, :a\nnop\nnop\nnop", "bra -, 0\nnop\nnop\nnop");
    same("brr -, ra4, 16\nnop\nnop\nnop", "brr -, 16, ra4\nnop\nnop\nnop");
    same("bra -, :0_x\n:0_x\nnop\n:0_x\nnop\nbra -, :0_x", "bra -, 8\nnop\nnop\nbra -, 16");
    same("brr ra30, rb3, -, r:x\nnop\nnop\nnop\n:x", "brr ra30, rb3, -, 0\nnop\nnop\nnop");
    same("nop\n:a\nnop\n:b\nldi r0, :b - :a\nldi r1, :b", "nop\nnop\nldi r0, 8\nldi r1, 16");
    same("brr -, r:t + 2*8\nnop\nnop\nnop\n:t\nnop\nnop\nnop", "brr -, 16\nnop\nnop\nnop\nnop\nnop\nnop");
    assert_eq!(error("brr -, r:nowhere"), "E0748: there is no label `nowhere`");
    assert_eq!(error(":a\n:a"), "E0747: the label `a` is defined twice");
    same("bra -, r:a\n:a", "bra -, 8");
    let (_, warnings) = run("bra -, r:a\nnop\nnop\nnop\n:a\nnop");
    assert_eq!(warnings[0].code, "E0760", "{warnings:?}");
    // The colon can stand behind a name that begins a line.
    same("a: nop\nb:\nc: d: brr -, r:b\nnop\nnop\nnop", ":a nop\n:b\n:c :d brr -, r:b\nnop\nnop\nnop");
    assert_eq!(error("a:\na:"), "E0747: the label `a` is defined twice");
}

#[test]
fn symbols_functions_and_macros() {
    same(".set n, 3\n.set n, n + 1\nldi r0, n", "ldi r0, 4");
    same(".set twice(x) x * 2\nldi r0, twice(twice(5))", "ldi r0, 20");
    same(".const link, ra0\nmov link, r0", "mov ra0, r0");
    same(".set base, ra4\nmov base + 2, r0", "mov ra6, r0");
    same(".set part, ra0.8b\nmov r0, part", "mov r0, ra0.8b");
    same(".macro swap, a, b\n mov a, b; mov b, a\n.endm\nswap ra1, rb2", "mov ra1, rb2; mov rb2, ra1");
    same(
        ".func pick(c)\n.if c\n 1.0\n.else\n 2.0\n.endif\n.endf\nldi r0, pick(0)\nldi r1, pick(7)",
        "ldi r0, 2.0\nldi r1, 1.0",
    );
    same(".macro m\n.lset x, 1\n.set y, x\n.endm\n.set y, 0\nm\nldi r0, y", "ldi r0, 1");
    same(".local\n:.1\nbrr -, r:.1\nnop\nnop\nnop\n.endloc\n.local\n:.1\n.endloc", "brr -, -32\nnop\nnop\nnop");
    assert_eq!(error(".const a, 1\n.const a, 2"), "E0747: `a` is a constant and defined already");
    assert_eq!(error("mov r0, elemnum"), "E0743: `elemnum` is not defined");
    assert_eq!(error(".macro m, a\nnop\n.endm\nm 1, 2"), "E0750: the macro `m` takes 1 argument(s), not 2");
    assert_eq!(error(".set x, 1\n.unset x\nldi r0, x"), "E0743: `x` is not defined");
}

#[test]
fn loops_conditions_and_insertion() {
    same(".rep i, 3\nldi r0, i * 4\n.endr", "ldi r0, 0\nldi r0, 4\nldi r0, 8");
    same(".foreach r, ra0, rb1\nmov r, r0\n.endfor", "mov ra0, r0\nmov rb1, r0");
    same(".foreach r ra0, rb1\n;mov r, r0;\n.endr", "mov ra0, r0; mov rb1, r0");
    same("add r0, r0, 1;\n;mov r2, 64", "add r0, r0, 1\nmov r2, 64");
    same("add r0, r0, 8;\n;mov r2, 64", "add r0, r0, 8; mov r2, 64");
    same(".if 0\nbad words\n.elseif 2 > 1\nnop\n.else\nthrend\n.endif", "nop");
    same(".set a, 1\n.ifset a\nnop\n.endif\n.ifset b\nthrend\n.endif", "nop");
    same("mov r0, r1\nmov r2, r3\n.back 1\nnop\n.endb", "mov r0, r1\nnop\nmov r2, r3");
    same(":l\nnop\n.rep i, 3\nnop\n.endr\n.back 3\nbrr -, r:l\n.endb", ":l\nnop\nbrr -, r:l\nnop\nnop\nnop");
    same("nop\n:t\nmov r0, r1\nmov r2, r3\n.clone :t, 2", "nop\nmov r0, r1\nmov r2, r3\nmov r0, r1\nmov r2, r3");
    same(
        "brr -, r:t + 8\n.clone :t, 1\nnop\nnop\n:t\nmov r0, r1",
        "brr -, r:t + 8\nmov r0, r1\nnop\nnop\n:t\nmov r0, r1",
    );
    assert_eq!(error(".rep i, 2\nnop"), "E0749: `.rep` is never closed");
    assert_eq!(error("nop\n.endr"), "E0749: `.endr` without the directive that opens the block");
    assert_eq!(error(".rep i, 2\nnop\n.endif"), "E0749: `.endif` closes a block that `.rep` opened");
    assert_eq!(error(".assert 1 == 2"), "E0752: the assertion does not hold");
}

#[test]
fn expressions() {
    for (expression, value) in [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("2 ** 3 ** 2", 512),
        ("-7 / 2", -3),
        ("7 % 4", 3),
        ("0x10 | 0b11 | 0100", 0x53),
        ("1 << 4 >> 2", 4),
        ("-1 >>> 28", 15),
        ("0x80000001 ><< 1", 3),
        ("1 >>< 1", i32::MIN),
        ("3 < 5 && 5 <= 5", 1),
        ("1 <=> 2", -1),
        ("1.5 > 1", 1),
        ("1 == 1.0", 1),
        ("1 === 1.0", 0),
        ("!0 ^^ 1", 0),
        ("~5 & 0xff", 0xfa),
        ("5 !^ 5", -1),
        ("floor(2.7) + ceil 2.1", 5),
        ("abs -3", 3),
        ("countBits(0xff)", 8),
        ("reverseBits(1, 4)", 8),
        ("ilog2(4)", 2),
        ("isRegister(ra0) + isSmallImmd(64) + isSmallImmd(15) + isAccu(r3) + isRegfileB(ra1)", 3),
    ] {
        assert_eq!(words(&format!("ldi r0, {expression}"))[0] as u32, value as i64 as u32, "{expression}");
    }
    assert_eq!(words("ldi r0, 0.5 * 3")[0] as u32, 1.5f32.to_bits());
    assert_eq!(words("ldi r0, cos(0) + exp 0")[0] as u32, 2f32.to_bits());
    assert_eq!(words("ldi r0, 1.0 << 3")[0] as u32, 8f32.to_bits());
    assert_eq!(error("ldi r0, 1 / 0"), "E0754: division by zero");
    assert_eq!(error("ldi r0, 0x100000000"), "E0746: this constant has more than 32 bits");
    assert_eq!(error("ldi r0, r1 * 2"), "E0754: `*` does not apply to a register and an integer");
}

#[test]
fn data_and_alignment() {
    assert_eq!(words(".int 1, 2\n.long 3"), [0x2_0000_0001, 3]);
    assert_eq!(words(".byte 1, 2, -1\n.short 0x1234"), [0x0012_34ff_0201]);
    assert_eq!(words(".float 1.0, 2"), [0x4000_0000_3f80_0000]);
    assert_eq!(words(".half 1.0"), [0x3c00]);
    assert_eq!(words(".double 1.0"), [0x3ff0_0000_0000_0000]);
    assert_eq!(words(".bit 1, 0, 1"), [5]);
    assert_eq!(words("nop\n.align 32\n.byte 7").len(), 5);
    assert_eq!(words(".byte 1\nnop"), [1, 0x100009e7009e7000]);
    same(".int 1\n:a\n.int 2\nldi r0, :a", ".int 1\n.int 2\nldi r0, 4");
    assert_eq!(error(".byte 256"), "E0746: the value does not fit into 8 bits");
    assert_eq!(error(".align 3"), "E0746: an alignment is a power of two");
}

#[test]
fn setup_helpers_give_the_customary_words() {
    for (expression, word) in [
        ("vdr_setup_0(0,16,16,vdr_h32(1,0,0))", 0x8000_1000u32),
        ("vdr_setup_0(3,16,1,vdr_h32(1,5,0))", 0x8301_1050),
        ("vdr_setup_0(3,16,4,vdr_v32(16,0,5))", 0x8304_0805),
        ("vdr_setup_1(0x1000)", 0x9000_1000),
        ("vdw_setup_0(16,16,dma_h32(0,0))", 0x8810_4000),
        ("vdw_setup_0(1,16,dma_h32(5,0))", 0x8090_4280),
        ("vdw_setup_0(64,16,dma_h32(0,0))", 0xa010_4000),
        ("vdw_setup_0(16,16,dma_v32(16,0))", 0x8810_0800),
        ("vdw_setup_1(0x40)", 0xc000_0040),
        ("vdw_setup_1p(0)", 0xc001_0000),
        ("vpm_setup(16,1,h32(0))", 0x0000_1a00),
        ("vpm_setup(1,1,h32(7))", 0x0010_1a07),
        ("vpm_setup(4,1,v32(16,3))", 0x0040_1213),
        ("vpm_setup(8,1,h16l(2,1))", 0x0080_1d05),
        ("vpm_setup(4,1,h8p(3,2))", 0x0040_180e),
        ("vpm_setup(0,1,h32(0))", 0x0000_1a00),
        ("vpm_setup(0,1,v32(0,2))", 0x0000_1202),
        ("vpm_setup(0,2,v8l(32,5,3))", 0x0000_2497),
    ] {
        let text = format!(".include <vc4.qinc>\nldi vr_setup, {expression}");
        assert_eq!(words(&text)[0] as u32, word, "{expression}");
    }
    let refused = error(".include <vc4.qinc>\nldi vr_setup, vpm_setup(17,1,h32(0))");
    assert_eq!(refused, "E0752: `vpm_setup` does not take these arguments");
    let (_, diagnostics) = run("ldi vr_setup, vpm_setup(1,1,0)");
    assert_eq!(diagnostics[0].help, ["`.include <vc4.qinc>` defines it"]);
    assert!(error(".include <none.qinc>").starts_with("E0753: cannot include `none.qinc`"));
}

#[test]
fn several_errors_are_reported_with_help() {
    let (words, diagnostics) =
        run("ad r0, r1, r2\nfadd r0, ra1, ra2\nadd r0, r1, 99\nmov r4, r0\nmov r5, r0\nadd r0, r1");
    assert!(words.is_none());
    let codes: Vec<_> = diagnostics.iter().map(|d| (d.code, d.span.map(|s| s.line))).collect();
    let line = |n| Some(n);
    let expected = [("E0742", 1), ("E0745", 2), ("E0745", 3), ("E0744", 4), ("E0744", 5), ("E0750", 6)];
    assert_eq!(codes, expected.map(|(code, n)| (code, line(n))));
    assert!(diagnostics.iter().all(|d| !d.help.is_empty()), "{diagnostics:?}");
    assert_eq!(diagnostics[0].help, ["did you mean `add`?"]);
}

#[test]
fn operations_that_exclude_each_other_say_why() {
    for (text, message) in [
        ("add r0, r1, r2; sub r3, r1, r2", "both operations need the add ALU"),
        ("fmul r0, r1, r2; mul24 r3, r1, r2", "both operations need the mul ALU"),
        ("add ra1, r0, r0; fmul ra2, r0, r0", "`ra2` and the other destination are both in register file A"),
        ("add r0, r1, 3; ldtmu0", "`ldtmu0` cannot be combined with a small immediate or a rotation"),
        ("ldtmu0; thrend", "an instruction has room for one signal"),
        ("add r0, r1, 3; fmul r2, r1, 4.0", "two small immediates, 3 and 4.0, in one instruction"),
        ("add r0, rb1, 3", "the constant 3 cannot be combined with reading `rb1`"),
        ("mov r0, r1; fmul.setf r2, r1, r1", "the flags would come from the add operation beside it"),
        ("fadd r0, ra1.16a, r1; fmul r2, ra1, r1", "`ra1` would be unpacked as `.16a` too"),
        ("fadd r0, ra1.16a, r4.8a", "two different unpack formats in one instruction"),
        ("mov rb1.16a, r0", "`rb1` cannot be written in 16-bit or saturated form"),
        ("ldi r0, 5; mov r1, r2", "nothing can share an instruction with a load immediate"),
        ("brr -, 0; nop", "nothing can share an instruction with a branch"),
        ("add r0, ra1.16af, r1", "this operation takes integers, so the operand is unpacked to an integer"),
    ] {
        assert_eq!(error(text), format!("E0745: {message}"), "{text}");
    }
}

#[test]
fn endless_texts_end() {
    assert!(error(".macro m\nm\n.endm\nm").starts_with("E0751: macros, functions and includes are nested"));
    assert!(error(".macro m\nm\nm\n.endm\nm").starts_with("E0751"));
    assert!(error(".set f(x) f(x)\nldi r0, f(1)").starts_with("E0751"));
    assert!(error(".func f(x)\nf(x) + f(x)\n.endf\nldi r0, f(1)").contains("E07"));
    assert!(error(".rep i, 1000000000000\n.endr").starts_with("E0751: the program grows without end"));
    assert!(error(".rep i, 1000000\n.rep j, 1000000\nnop\n.endr\n.endr").starts_with("E0751"));
    let deep = format!("ldi r0, {}1{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(error(&deep).starts_with("E0751: this expression is nested too deeply"));
    assert!(error(&format!("ldi r0, {}1", "-".repeat(100_000))).starts_with("E0751"));
    assert!(error(&format!("ldi r0, {}1", "2 ** ".repeat(100_000))).starts_with("E0751"));
}

/// Texts made of the language's own pieces in random order: any result but a panic or a hang.
#[test]
fn random_texts_never_panic() {
    const PIECES: &[&str] = &[
        "add",
        "fmul",
        "mov",
        "ldi",
        "nop",
        "brr",
        "bra",
        "read",
        "sacq",
        "ldtmu0",
        "thrend",
        "fields",
        "raddr_b",
        "=",
        " r0",
        " ra1",
        " rb2",
        " r4",
        " r5",
        " unif",
        " vpm",
        " -",
        ",",
        ",",
        ",",
        ";",
        "\n",
        "\n",
        "\n",
        " 1",
        " 0.5",
        " 0x7fffffffffffffff",
        "[",
        "]",
        "(",
        ")",
        ".16a",
        ".8asf",
        ".setf",
        ".ifz",
        ".never",
        ".allz",
        " >> ",
        " << ",
        " ** ",
        "-",
        "+",
        "~",
        ":a",
        "\n:a\n",
        "\n:1 ",
        " r:a",
        " r:1f",
        " :1b",
        "\n.set x,",
        "\n.set f(a) ",
        " f(",
        " x",
        "\n.rep i, 3\n",
        "\n.endr\n",
        "\n.if ",
        "\n.else\n",
        "\n.endif\n",
        "\n.macro m\n",
        "\n.endm\n",
        "\nm\n",
        "\n.func g()\n",
        "\n.endf\n",
        " g()",
        "\n.back 2\n",
        "\n.endb\n",
        "\n.local\n",
        "\n.endloc\n",
        "\n.byte ",
        "\n.int ",
        "\n.half ",
        "\n.align ",
        "\n.clone :a, 2\n",
        "\n.global ",
        "\"",
        "<",
        "vc4.qinc",
        ">",
        "\n.include ",
        " floor ",
        " log",
        " exp",
        "#",
        "\u{e9}",
        "\n.unset x\n",
        "\n.assert ",
        "\n.foreach r ra0, 1\n",
        "\n.endfor\n",
        " sacq0",
        "\n.rep i, 99999999\n",
        " isRegister(",
    ];
    let mut state = 11u64;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut assembled = 0;
    for _ in 0..3000 {
        let text: String = (0..random(40)).map(|_| PIECES[random(PIECES.len())]).collect();
        let (words, diagnostics) = assemble("random.qasm", &text, &options(Some(2000)));
        assert_eq!(words.is_none(), diagnostics.iter().any(Diagnostic::is_error), "{text}");
        diagnostics.iter().for_each(|d| drop(d.render(false)));
        assembled += usize::from(words.is_some());
    }
    assert!(assembled > 20, "{assembled} texts were programs");
}

#[test]
fn outputs_hold_the_words() {
    let options = Options::default();
    let (assembly, _) = assemble("k.qasm", "::main\nnop\nthrend\n.int 1, 2\n.global size, 24", &options);
    let assembly = assembly.expect("assembles");
    assert_eq!(assembly.bytes().len(), 24);
    assert!(assembly.to_rust("k").starts_with("pub const K: [u64; 3] = [\n    0x100009e7009e7000, // 0000: nop\n"));
    assert!(assembly.to_c("my kernel").contains("const uint32_t my_kernel[6]"));
    let json: serde_json::Value = serde_json::from_str(&assembly.to_json()).expect("valid JSON");
    assert_eq!(json["words"][2], "0000000200000001");
    assert_eq!(json["code"], serde_json::json!([true, true, false]));
    assert_eq!(json["labels"]["main"], 0);
    assert_eq!(json["globals"]["size"], 24);
    assert_eq!(assembly.program().len(), 3);
}

#[test]
fn listings_assemble_to_the_same_program() {
    let text = ":loop\nsub.setf r0, r0, 1\nbrr.anynz -, r:loop\nnop\nnop\nnop\nbrr -, r:end\nnop\nnop\nnop\nadd r1, r1, r2; fmul r3, r3, 0.5\n:end\nthrend\nnop\nnop\n";
    let (assembly, _) = assemble("l.qasm", text, &Options::default());
    let program = assembly.expect("assembles").program();
    assert_eq!(disasm::program(&program), text);
    // For reading: address, word, operations, and the source line behind.
    let annotated = disasm::annotated(&program);
    let line = annotated.lines().find(|l| l.starts_with("0008")).expect("the second instruction is listed");
    assert!(line.starts_with("0008  f03809e7ffffffd8  brr.anynz -, r:loop "), "{line}");
    assert!(line.ends_with("  # l.qasm:3  brr.anynz -, r:loop"), "{line}");
}

/// Forms in which vc4asm has its own mind about conditions, and the byte packs of the mul ALU.
#[test]
fn words_are_those_of_the_public_assembler() {
    for (text, word) in [
        ("fmul r0.8b, r1, r2", 0x11d0_49e0_209e_700a_u64),
        ("fmul vpm.8c, r1, r2", 0x11e0_49f0_209e_700a),
        ("mov r0.8a, r1", 0x11c0_49e0_809e_7009),
        ("fmul r0.8bs, r1, r2", 0x1150_49e0_209e_700a),
        ("fmul ra1.8b, r1, r2", 0x1050_59c1_209e_700a),
        ("ldi.ifz r0, r1, 5", 0xe004_4821_0000_0005),
        ("ldi.ifz -, 5", 0xe000_09e7_0000_0005),
        ("ldi.ifz -, r0, 0", 0xe000_49e0_0000_0000),
        ("ldi.ifz.setf r0, -, 5", 0xe004_2827_0000_0005),
        ("ldi.ifz r0, 5; ldi.ifnz r1, 5", 0xe004_c821_0000_0005),
        ("ldi r0, -, 5", 0xe002_0827_0000_0005),
        ("add -, r1, r2", 0x1000_09e7_0c9e_7280),
        ("fmul.ifn -, r1, r2", 0x1000_09e7_209e_700a),
        ("add -, r1, r2; fmul.ifz r3, r1, r2", 0x1000_89e3_2c9e_728a),
        ("mov -, r3", 0x1000_09e7_159e_76c0),
        ("sub.setf -, r0, r1", 0x1002_29e7_0d9e_7040),
        // A wait or an acquire that never executes may not happen: there we differ.
        ("mov -, mutex", 0x1002_09e7_15ce_7d80),
    ] {
        let (assembly, diagnostics) = assemble("words.qasm", text, &Options::default());
        let words = assembly.unwrap_or_else(|| panic!("{text}: {diagnostics:?}")).words;
        assert_eq!(words, [word], "{text}: {:016x}", words[0]);
    }
    let (_, diagnostics) = assemble("two.qasm", "ldi.ifz r0, r1, 5", &Options::default());
    assert_eq!((diagnostics.len(), diagnostics[0].code), (1, "E0760"));
}

#[test]
fn constants_that_are_too_wide_are_errors() {
    for (text, code) in [
        ("mov r0, 2**100", "E0754"),
        (".long 3**41", "E0754"),
        ("ldi r0, 1<<200", "E0754"),
        ("mov r0, 1<<64", "E0754"),
        ("mov r0, 1<<32", "E0746"),
        ("srel -, 31", "E0746"),
        ("srel -, 16", "E0746"),
    ] {
        let (assembly, diagnostics) = assemble("wide.qasm", text, &Options::default());
        assert!(assembly.is_none(), "{text}");
        assert_eq!(diagnostics[0].code, code, "{text}: {}", diagnostics[0].message);
    }
    for text in ["mov r0, 2**31", "mov r0, 0<<100", ".long 1<<63", ".long -2**63", "sacq -, 31", "srel -, 15"] {
        let (assembly, diagnostics) = assemble("fits.qasm", text, &Options::default());
        assert!(assembly.is_some(), "{text}: {diagnostics:?}");
    }
}
