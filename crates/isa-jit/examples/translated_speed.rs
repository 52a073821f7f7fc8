//! How fast translated loops run here: `cargo run --release -p quadra-isa-jit --example translated_speed`.

use quadra_isa::vc4::emu::{Translator, bench};
use quadra_isa_jit::Jit;
use std::sync::Arc;

fn main() {
    let jit = match Jit::get() {
        Ok(jit) => jit,
        Err(why) => return eprintln!("{}", why.render(false)),
    };
    let translator: Arc<dyn Translator> = jit.clone();
    for sample in bench::measure_translated(&translator, 4_000_000) {
        println!("{:10} {:8.0} M instructions/s", sample.name, sample.minstr_per_s);
    }
    let s = jit.statistics();
    let (regions, seconds) = (s.compiled(), s.compile_seconds());
    println!("{regions} regions compiled in {seconds:.3} s; {} executed, {} undone", s.executed(), s.undone());
}
