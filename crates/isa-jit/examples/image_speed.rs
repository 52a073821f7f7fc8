//! How fast an image runs without and with translation, and whether both leave the same memory:
//! `cargo run --release -p quadra-isa-jit --example image_speed IMAGE.json [RUNS]`.

use quadra_isa::vc4::emu::Config;
use quadra_isa::vc4::image::Loaded;
use quadra_isa_jit::Jit;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Seconds that this thread has had a processor, where the system tells; else seconds since the first call.
fn clock() -> f64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = spent.and_then(|s| s.split(' ').next()?.parse::<f64>().ok());
    spent.map_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

fn main() {
    let mut args = std::env::args().skip(1);
    let (Some(path), runs) = (args.next(), args.next().and_then(|n| n.parse().ok()).unwrap_or(5)) else {
        return eprintln!("which image?");
    };
    let loaded = match Loaded::read(Path::new(&path)) {
        Ok(loaded) => loaded,
        Err(why) => return eprintln!("{}", why.render(false)),
    };
    let mut memories = Vec::new();
    for _ in 0..runs {
        let only = std::env::args().nth(3);
        for way in ["interp", "direct"].into_iter().filter(|w| only.as_deref().is_none_or(|o| o == *w)) {
            let (mut machine, threads) = loaded.machine(Config::of_others()).expect("a valid image");
            let jit = (way == "direct").then(Jit::of_its_own);
            if let Some(jit) = &jit {
                machine.set_translator(jit.clone());
            }
            let start = clock();
            let outcome = machine.run(&threads);
            let seconds = clock() - start;
            let issued = match &outcome {
                Ok(report) => report.issued(),
                Err(why) => {
                    println!("{way}: {why}");
                    0
                }
            };
            let speed = issued as f64 / seconds / 1e6;
            print!("{way:8} {:8.1} ms {speed:8.1} M instructions/s", seconds * 1e3);
            if let Some(jit) = jit {
                let s = jit.statistics();
                let native = s.executed() as f64 / issued.max(1) as f64;
                print!("; {} units in {:.2} ms, {native:.4}", s.compiled(), s.compile_seconds() * 1e3);
            }
            println!();
            let memory: Vec<Vec<u8>> = machine.into_memory().into_regions().into_iter().map(|r| r.bytes).collect();
            memories.push((outcome, memory));
        }
    }
    let same = memories.windows(2).all(|pair| pair[0] == pair[1]);
    println!("{}", if same { "all runs agree" } else { "THE RUNS DIFFER" });
    if !same {
        first_difference(&loaded);
    }
}

/// Everything that can be seen of a machine after so many instructions.
fn state(loaded: &Loaded, budget: u64, direct: bool) -> (String, Vec<String>) {
    let (mut machine, threads) = loaded.machine(Config { budget, ..Config::of_others() }).expect("a valid image");
    if direct {
        machine.set_translator(Arc::new(Jit::direct(2, false).expect("this needs AVX2")));
    }
    let outcome = format!("{:?}", machine.run(&threads));
    let mut state = Vec::new();
    for q in 0..threads.len() {
        let Some(r) = machine.registers(q) else { continue };
        state.push(format!(
            "QPU {q} pc {:x} flags {:x?} counts {:?}",
            r.pc,
            r.flags,
            machine.pending(q).map(|p| p.counts)
        ));
        for n in 0..32 {
            state.push(format!("QPU {q} ra{n} {:x?}", r.a[n].0));
            state.push(format!("QPU {q} rb{n} {:x?}", r.b[n].0));
        }
        for n in 0..6 {
            state.push(format!("QPU {q} r{n} {:x?}", r.accumulators[n].0));
        }
    }
    (outcome, state)
}

fn first_difference(loaded: &Loaded) {
    let (mut good, mut bad) = (0, 1);
    while state(loaded, bad, false) == state(loaded, bad, true) && bad < 1 << 34 {
        (good, bad) = (bad, bad * 2);
    }
    while bad - good > 1 {
        let middle = (good + bad) / 2;
        if state(loaded, middle, false) == state(loaded, middle, true) { good = middle } else { bad = middle }
    }
    let (expected, got) = (state(loaded, bad, false), state(loaded, bad, true));
    println!("after {bad} instructions:\n{}\n{}", expected.0, got.0);
    for (a, b) in expected.1.iter().zip(&got.1).filter(|(a, b)| a != b).take(8) {
        println!("- {a}\n+ {b}");
    }
}
