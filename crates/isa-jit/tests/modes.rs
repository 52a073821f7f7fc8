//! What LLVM could compute while it compiles is rounded as the QPU rounds.

use quadra_isa::vc4::asm::{Options, assemble};
use quadra_isa::vc4::emu::{Config, Machine, Region, Registers, Thread};
use quadra_isa_jit::Jit;
use quadra_llvm::Llvm;
use std::sync::Arc;

const CODE: u32 = 0x1000;

/// A loop whose operands come from no memory: a register and itself are 0, its complement shifted by itself is 1.
const LOOP: &str = "
ldi ra0, 60
:loop
xor r0, r0, r0
not r0, r0
shr r1, r0, r0
shr r2, r0, r1
itof r2, r2
add r3, r1, r1
shr r3, r0, r3
fmul ra1, r3, r2
fadd ra2, r3, r1
fsub ra3, r2, r3
mov r3, ra0
sub.setf ra0, r3, r1
brr.anynz -, :loop
fmul ra4, r2, r2
fadd ra5, r2, r2
nop
nop
thrend
nop
nop
";

fn registers(words: &[u32], jit: Option<&Arc<Jit>>) -> Registers {
    let mut machine = Machine::new(Config { budget: 100_000, ..Config::default() });
    if let Some(jit) = jit {
        machine.set_translator(jit.clone());
    }
    machine.add_region(Region::of_words("code", CODE, words)).expect("free");
    machine.run(&[Thread { pc: CODE, uniforms: CODE }]).expect("it breaks no rule");
    machine.registers(0).expect("it ran")
}

#[test]
fn known_operands_are_rounded_toward_zero() {
    let (assembly, wrong) = assemble("t.qasm", LOOP, &Options::default());
    let words = assembly.unwrap_or_else(|| panic!("{wrong:?}")).words;
    let words: Vec<u32> = words.iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).collect();
    let expected = registers(&words, None);
    // 2^31 - 1, cut to 24 bits.
    assert!(expected.accumulators[2].0.iter().all(|bits| *bits == 0x4eff_ffff), "{:?}", expected.accumulators[2]);
    for name in ["libLLVM-15.so.1", "libLLVM-16.so.1", "libLLVM.so.19.1"] {
        let Ok(llvm) = Llvm::load(name) else {
            quadra_base::testing::left_out(format_args!("{name} is not installed"));
            continue;
        };
        for features in ["", "-avx512f", "-avx512f,-avx2,-avx"] {
            let features = if llvm.has_feature("avx512f") { features } else { "" };
            let jit = Arc::new(Jit::new(llvm.clone(), 2, features));
            assert_eq!(expected, registers(&words, Some(&jit)), "{name} {features}");
            assert!(jit.statistics().executed() > 300, "{name} translated nothing");
        }
    }
}
