//! Prints how many QPU instructions each engine executes per second on this processor; a name as argument picks one engine.

use quadra_isa::vc4::emu::{Engine, bench};

fn main() {
    let wanted = std::env::args().nth(1);
    for engine in [Engine::Portable, Engine::Avx2, Engine::Avx512] {
        if wanted.as_deref().is_some_and(|name| name != engine.name()) {
            continue;
        }
        for sample in bench::measure(engine, 5_000_000) {
            let timing = if sample.timing { "timing" } else { "" };
            println!("{:9} {:8} {timing:7} {:7.1} M instructions/s", sample.engine, sample.name, sample.minstr_per_s);
        }
    }
}
