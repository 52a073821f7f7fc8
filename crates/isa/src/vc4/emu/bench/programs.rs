//! Whole programs on several QPUs, of the kinds that people write: a matrix product and a transform.

use super::{Sample, Translator};
use crate::vc4::asm;
use crate::vc4::emu::{Config, Machine, Region, Thread};
use crate::vc4::sgemm::{Data, Plan, Version};
use std::sync::Arc;
use std::time::Instant;

const CODE: u32 = 0x1000;
const UNIFORMS: u32 = 0x8000;
const SOURCE: u32 = 0x10_0000;
const TARGET: u32 = 0x20_0000;
/// QPUs of the transform.
const QPUS: u32 = 8;

/// The butterflies' program; see its text.
fn butterflies(iterations: u32) -> (Machine, Vec<Thread>) {
    let text = include_str!("butterflies.qasm");
    let (assembly, _) = asm::assemble("butterflies.qasm", text, &asm::Options::default());
    let words = assembly.expect("the text is right").words;
    let source: Vec<u32> = (0..0x5000u32).map(|i| ((i % 89) as f32 / 64.0 - 0.5).to_bits()).collect();
    let uniforms: Vec<u32> = (0..QPUS).flat_map(|number| [number, SOURCE, TARGET, iterations]).collect();
    let mut machine = Machine::new(Config::default());
    let code = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    for region in [
        Region::new("code", CODE, code),
        Region::of_words("uniforms", UNIFORMS, &uniforms),
        Region::of_words("source", SOURCE, &source),
        Region::of_words("target", TARGET, &[0; 256]).writable(),
    ] {
        machine.add_region(region).expect("nothing else lies there");
    }
    (machine, (0..QPUS).map(|number| Thread { pc: CODE, uniforms: UNIFORMS + 16 * number }).collect())
}

/// A program by its name, ready to run: the published matrix product on 12 QPUs, or butterflies on 8.
///
/// # Panics
/// For any other name.
pub fn program(name: &str, iterations: u32) -> (Machine, Vec<Thread>) {
    match name {
        "sgemm" => {
            let version = Version::ALL[0];
            let plan = Plan::published(version, version.best_split());
            plan.machine(&Data::numpy(&plan, 0), Config::default()).expect("the published plan is valid")
        }
        "butterflies" => butterflies(iterations),
        _ => panic!("there is no program `{name}`"),
    }
}

/// The names that [`program`] knows.
pub const NAMES: [&str; 2] = ["sgemm", "butterflies"];

/// How a whole program runs; the name of it, and what makes a translator before each run.
pub type Way<'a> = (&'static str, &'a dyn Fn() -> Option<Arc<dyn Translator>>);

/// The speed of whole programs in several ways, which take turns: the median of nine runs each. Programs of a length take about
/// as many instructions as the number behind their name says.
pub fn measure_programs(ways: &[Way<'_>], iterations: u32) -> Vec<Sample> {
    let mut samples = Vec::new();
    for (title, name, iterations) in [
        ("sgemm", "sgemm", iterations),
        ("butterflies", "butterflies", iterations),
        ("butterflies 1M", "butterflies", iterations.div_ceil(10)),
        ("butterflies 100k", "butterflies", iterations.div_ceil(100)),
        ("butterflies 10k", "butterflies", iterations.div_ceil(1000)),
    ] {
        let mut speeds = vec![Vec::new(); ways.len()];
        for _ in 0..9 {
            for ((_, translator), speeds) in ways.iter().zip(&mut speeds) {
                let (mut machine, threads) = program(name, iterations);
                if let Some(translator) = translator() {
                    machine.set_translator(translator);
                }
                let start = Instant::now();
                let issued = machine.run(&threads).expect("the programs break no rule").issued();
                speeds.push(issued as f64 / start.elapsed().as_secs_f64() / 1e6);
            }
        }
        for ((engine, _), mut speeds) in ways.iter().zip(speeds) {
            speeds.sort_by(f64::total_cmp);
            samples.push(Sample { engine, name: title, timing: false, minstr_per_s: speeds[speeds.len() / 2] });
        }
    }
    samples
}
