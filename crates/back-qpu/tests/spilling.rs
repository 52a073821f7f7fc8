//! Kernels with more values than registers: what they compute, and how often they load what was spilled.

mod common;

use common::{How, emulate, parse};
use quadra_back_qpu::Compiled;
use quadra_isa::vc4::{File, Inst, Raddr};
use quadra_kir as kir;

/// `values` vectors, all alive to the end, and phases that each work on eight of them again and again.
fn phases(values: usize, phases: usize, turns: usize) -> kir::Kernel {
    let mut text = String::from("kernel @phases(%x: buf<i32, r>, %y: buf<i32, w>) simd {\n");
    for i in 0..values {
        text += &format!("  %v{i} = load.row %x[{}]\n", 16 * i);
    }
    let mut at = 0;
    for p in 0..phases {
        // Eight of them, and the next eight in the next phase.
        let one = |k: usize| (8 * p + k) % values;
        text += &format!("  %a{at} = add %v{}, {p}\n", one(0));
        for k in 0..turns {
            let op = ["add", "sub", "xor", "min"][k % 4];
            text += &format!("  %a{} = {op} %a{at}, %v{}\n", at + 1, one(1 + k % 7));
            at += 1;
        }
        text += &format!("  store.row %y[{}], %a{at}\n", 16 * p);
        at += 1;
    }
    parse(&(text + "  return\n}"))
}

/// Vectors read from the VPM: loads go through the TMUs, so that all of them are spilled values.
fn reloads(compiled: &Compiled) -> usize {
    let reads = |inst: &&Inst| match inst {
        Inst::Alu(alu) => [File::A, File::B].into_iter().any(|f| alu.read(f) == Some(Raddr::VPM)),
        _ => false,
    };
    compiled.program.insts.iter().filter(reads).count()
}

fn run(kernel: &kir::Kernel, values: usize, phases: usize, how: How) -> Compiled {
    let data: Vec<i32> = (0..16 * values as i32).map(|i| i.wrapping_mul(0x1234_5677)).collect();
    let buffers = [data, vec![0; 16 * phases]].map(|b| kir::MemoryBuffer::of_i32(&b));
    let mut memory = kir::Memory { buffers: buffers.into() };
    let mut want = memory.clone();
    let launch = kir::Launch::new((0..2).map(kir::Arg::Buffer).collect());
    kir::interp::simd::run(kernel, &mut want, &launch, &mut |_| {}).expect("the interpreter runs it");
    let (compiled, _) = emulate(kernel, &mut memory, &launch, how).expect("the emulator runs it");
    assert!(memory == want, "level {}, {} registers", how.level, how.registers);
    compiled
}

#[test]
fn a_value_is_loaded_once_while_a_register_is_free_for_it() {
    let (values, n, turns) = (96, 24, 28);
    let kernel = phases(values, n, turns);
    for level in [0, 1, 2] {
        let compiled = run(&kernel, values, n, How { level, ..How::default() });
        // Each phase needs eight values, and each of them four times or five.
        assert!(reloads(&compiled) <= 8 * n, "{} loads", reloads(&compiled));
    }
}

#[test]
fn few_registers_do() {
    let (values, n, turns) = (40, 10, 14);
    let kernel = phases(values, n, turns);
    for registers in [6, 8, 12, 16] {
        for qpus in [None, Some(1)] {
            run(&kernel, values, n, How { registers, qpus, ..How::default() });
        }
    }
}
