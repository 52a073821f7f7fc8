//! Matrix products on 12 QPUs: the translator gives every word and every count of the interpreter.

use quadra_isa::vc4::emu::{Config, Report};
use quadra_isa::vc4::sgemm::{Data, Plan, Version};
use quadra_isa_jit::Jit;
use quadra_llvm::Llvm;
use std::sync::Arc;

fn run(plan: &Plan, data: &Data, jit: Option<&Arc<Jit>>) -> (Vec<u32>, Report) {
    let (mut machine, threads) = plan.machine(data, Config::default()).expect("a valid plan");
    if let Some(jit) = jit {
        machine.set_translator(jit.clone());
    }
    let report = machine.run(&threads).expect("the program breaks no rule");
    (plan.result(&machine).into_iter().map(f32::to_bits).collect(), report)
}

#[test]
fn every_version_gives_the_same_words_and_counts() {
    let Ok(llvm) = Llvm::get() else { return quadra_base::testing::left_out("libLLVM is not installed") };
    for version in Version::ALL {
        let plan = Plan::new(version, 96, 37, 768, version.best_split());
        let data = Data::numpy(&plan, 1);
        let jit = Arc::new(Jit::new(llvm.clone(), 20, ""));
        let (expected, got) = (run(&plan, &data, None), run(&plan, &data, Some(&jit)));
        assert_eq!(expected.1, got.1, "{version:?}");
        assert!(expected.0 == got.0, "{version:?}: words of C differ");
        assert!(jit.failure().is_none(), "{:?}", jit.failure());
        let s = jit.statistics();
        println!("{version:?}: {} of {} translated, {} undone", s.executed(), got.1.issued(), s.undone());
        assert!(s.executed() * 2 > got.1.issued(), "{version:?}: {} of {}", s.executed(), got.1.issued());
    }
}

#[test]
fn programs_of_several_qpus_end_the_same_way() {
    for jit in [Jit::direct(2, false), Jit::direct_in_halves(2, false)] {
        end_the_same_way(jit.map(Arc::new));
    }
}

fn end_the_same_way(jit: Option<Arc<Jit>>) {
    let Some(jit) = jit else {
        return quadra_base::testing::not_here("this processor has no AVX2");
    };
    for name in quadra_isa::vc4::emu::bench::NAMES {
        let run = |jit: Option<&Arc<Jit>>| {
            let (mut machine, threads) = quadra_isa::vc4::emu::bench::program(name, 40);
            if let Some(jit) = jit {
                machine.set_translator(jit.clone());
            }
            let report = machine.run(&threads).expect("the program breaks no rule");
            (report, machine.into_memory().into_regions().into_iter().map(|r| r.bytes).collect::<Vec<_>>())
        };
        assert!(run(None) == run(Some(&jit)), "{name}");
    }
    assert!(jit.statistics().executed() > 1_000_000, "{}", jit.statistics().executed());
}
