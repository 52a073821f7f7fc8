//! The published matrix product on 12 QPUs, translated, end to end: from memory contents to memory contents.

use quadra_isa::vc4::emu::Config;
use quadra_isa::vc4::sgemm::{Data, Plan, Version};
use quadra_isa_jit::Jit;
use std::sync::Arc;
use std::time::Instant;

fn main() {
    let loaded = Instant::now();
    // A first use loads libLLVM.
    if let Err(why) = Jit::get() {
        return eprintln!("{}", why.render(false));
    }
    println!("libLLVM loaded in {:.1} ms", loaded.elapsed().as_secs_f64() * 1e3);
    let llvm = quadra_llvm::Llvm::get().expect("just loaded");
    for version in Version::ALL {
        let plan = Plan::published(version, version.best_split());
        let data = Data::numpy(&plan, 0);
        for round in 0..5 {
            let jit = Arc::new(Jit::new(llvm.clone(), 400, ""));
            let (mut machine, threads) = plan.machine(&data, Config::default()).expect("a valid plan");
            machine.set_translator(jit.clone());
            let start = Instant::now();
            let report = machine.run(&threads).expect("the program breaks no rule");
            let seconds = start.elapsed().as_secs_f64();
            let s = jit.statistics();
            println!(
                "{:10} {round} {:6.1} ms, {:5.1} of them compiling {} regions; {} of {} instructions translated",
                version.name(),
                seconds * 1e3,
                s.compile_seconds() * 1e3,
                s.compiled(),
                s.executed(),
                report.issued()
            );
        }
    }
}
