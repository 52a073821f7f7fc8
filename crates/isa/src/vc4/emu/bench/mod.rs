//! How fast the engines are: loops of known composition, and the time they take.

use super::{Config, Engine, Machine, Region, Thread, Translator};
use crate::vc4::timing::{self, Parameters};
use crate::vc4::{
    AddOp, Alu, Branch, BranchCond, File, Inst, Ldi, MulOp, Mux, Program, Raddr, Signal, SmallImm, Waddr,
};
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;

mod programs;
pub use programs::{NAMES, Way, measure_programs, program};

/// One measurement.
#[derive(Clone, Debug, Serialize)]
pub struct Sample {
    pub engine: &'static str,
    #[serde(rename = "loop")]
    pub name: &'static str,
    pub timing: bool,
    /// Millions of QPU instructions (each 16 lanes, both ALUs) per second on one core.
    pub minstr_per_s: f64,
}

const CODE: u32 = 0x1000;
const UNIFORMS: u32 = 0x10_0000;
const MATRIX: u32 = 0x20_0000;

/// A loop that [`measure`] knows.
#[derive(Clone, Debug)]
pub struct Loop {
    pub name: &'static str,
    pub program: Program,
    pub uniforms: Vec<u32>,
}

/// The loops: six ALU instructions with both ALUs busy, and the inner loop of a matrix product (a uniform and two float
/// operations in nearly every instruction, one TMU lookup per 64).
pub fn loops(iterations: u32) -> Vec<Loop> {
    vec![alu_loop(iterations), product_loop(iterations / 11 + 1)]
}

fn finish(mut program: Program, name: &'static str, uniforms: Vec<u32>) -> Loop {
    program.push(Alu::signal(Signal::ProgramEnd), None);
    program.extend([Inst::NOP, Inst::NOP]);
    Loop { name, program, uniforms }
}

fn count_down(waddr: Waddr, mux: Mux) -> Alu {
    Alu { sf: true, ..Alu::NOP.with_small_imm(SmallImm(1)) }.with_add(AddOp::Sub, waddr, mux, Mux::B)
}

fn alu_loop(iterations: u32) -> Loop {
    let mut program = Program::new("alu");
    program.push(Ldi::all(File::A, Waddr::R0, iterations), None);
    program.push(Ldi::all(File::A, Waddr::R1, 1.5f32.to_bits()), None);
    program.push(Ldi::all(File::A, Waddr::R2, 0.25f32.to_bits()), None);
    let top = program.len();
    program.push(count_down(Waddr::R0, Mux::R0), None);
    let pair =
        |add, mul| Alu::NOP.with_add(add, Waddr::R3, Mux::R1, Mux::R2).with_mul(mul, Waddr::R2, Mux::R1, Mux::R2);
    program.push(pair(AddOp::Fadd, MulOp::Mul24), None);
    program.push(Branch::between(program.len(), top).when(BranchCond::AnyZc), None);
    program.push(pair(AddOp::Fsub, MulOp::V8min), None);
    program.push(pair(AddOp::Xor, MulOp::Fmul), None);
    program.push(pair(AddOp::Max, MulOp::Fmul), None);
    finish(program, "alu", Vec::new())
}

fn product_loop(iterations: u32) -> Loop {
    let mut program = Program::new("product");
    program.push(Ldi::all(File::A, Waddr::R3, iterations), None);
    program.push(Ldi::all(File::A, Waddr::R1, MATRIX), None);
    program.push(Ldi::all(File::A, Waddr::R2, UNIFORMS), None);
    program.push(Ldi::all(File::A, Waddr::R0, 0), None);
    program.push(mov(Waddr::TMU0_S, Mux::R1), None);
    let top = program.len();
    program.push(Alu { sig: Signal::LoadTmu0, ..mov(Waddr::TMU0_S, Mux::R1) }, None);
    program.push(count_down(Waddr::R3, Mux::R3), None);
    for n in 0..64u8 {
        let (mux, read) = if n % 2 == 0 { (Mux::A, File::A) } else { (Mux::B, File::B) };
        let inst = Alu { ws: n % 2 == 1, ..Alu::NOP }.with_add(AddOp::Fadd, Waddr(n / 2), mux, Mux::R0);
        let other = if read == File::A { Mux::B } else { Mux::A };
        let inst = inst.with_mul(MulOp::Fmul, Waddr::R0, Mux::R4, other);
        let (own, uniform) = (Raddr(n / 2), Raddr::UNIFORM);
        let inst = match read {
            File::A => inst.reading_a(own).reading_b(uniform),
            File::B => inst.reading_a(uniform).reading_b(own),
        };
        program.push(inst, None);
    }
    program.push(Alu { ws: true, ..Alu::NOP }.with_mul(MulOp::V8min, Waddr::UNIFORMS_ADDRESS, Mux::R2, Mux::R2), None);
    program.push(Branch::between(program.len(), top).when(BranchCond::AnyZc), None);
    program.extend([Inst::NOP; 3]);
    program.push(Alu::signal(Signal::LoadTmu0), None);
    finish(program, "product", (0..64).map(|i| (1.0 + i as f32 / 64.0).to_bits()).collect())
}

fn mov(waddr: Waddr, from: Mux) -> Alu {
    Alu::NOP.with_add(AddOp::Or, waddr, from, from)
}

/// A machine ready to run a loop.
pub fn machine(work: &Loop, config: Config) -> (Machine, Thread) {
    let mut machine = Machine::new(config);
    machine.add_program(CODE, &work.program).expect("nothing else lies there");
    machine.add_region(Region::of_words("uniforms", UNIFORMS, &work.uniforms)).expect("nothing else lies there");
    let matrix = Region::of_words("matrix", MATRIX, &[1.25f32.to_bits(); 16]);
    machine.add_region(matrix).expect("nothing else lies there");
    (machine, Thread { pc: CODE, uniforms: UNIFORMS })
}

/// The speed of an engine on every loop, without and with the timing model; the best of three runs each.
pub fn measure(engine: Engine, iterations: u32) -> Vec<Sample> {
    let mut samples = Vec::new();
    for work in loops(iterations) {
        for timing in [false, true] {
            let speed = (0..3).map(|_| speed(&work, engine, timing)).fold(0f64, f64::max);
            let engine = engine.resolve().name();
            samples.push(Sample { engine, name: work.name, timing, minstr_per_s: speed });
        }
    }
    samples
}

/// The speed of a translator on every loop, without the timing model; the best of five runs each, the first of which may
/// have to compile.
pub fn measure_translated(translator: &Arc<dyn Translator>, iterations: u32) -> Vec<Sample> {
    let speed = |work: &Loop| {
        let (mut machine, thread) = machine(work, Config::default());
        machine.set_translator(translator.clone());
        let start = Instant::now();
        let issued = machine.run(&[thread]).expect("the loops break no rule").issued();
        issued as f64 / start.elapsed().as_secs_f64() / 1e6
    };
    let sample = |work: &Loop| {
        let minstr_per_s = (0..5).map(|_| speed(work)).fold(0f64, f64::max);
        Sample { engine: "translated", name: work.name, timing: false, minstr_per_s }
    };
    loops(iterations).iter().map(sample).collect()
}

fn speed(work: &Loop, engine: Engine, timing: bool) -> f64 {
    let (mut machine, thread) = machine(work, Config { engine, ..Config::default() });
    let start = Instant::now();
    let issued = if timing {
        let outcome = timing::run(&mut machine, &[thread], &Parameters::default(), None);
        outcome.expect("the loops break no rule").report.issued()
    } else {
        machine.run(&[thread]).expect("the loops break no rule").issued()
    };
    issued as f64 / start.elapsed().as_secs_f64() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loops_have_the_stated_length() {
        for work in loops(110) {
            let (mut machine, thread) = machine(&work, Config::default());
            let issued = machine.run(&[thread]).expect("runs").issued();
            let expected = if work.name == "alu" { 3 + 110 * 6 + 3 } else { 5 + 11 * 71 + 4 };
            assert_eq!(issued, expected, "{}", work.name);
        }
    }
}
