//! The hand-written matrix products on the emulator: speed in the timing model, errors, and what bounds them.
//!
//! ```text
//! cargo run --release -p quadra-isa --example sgemm_by_hand                        all versions
//! cargo run --release -p quadra-isa --example sgemm_by_hand -- --version broadcast --split 3x4
//! cargo run --release -p quadra-isa --example sgemm_by_hand -- --splits            every split of the article's version
//! cargo run --release -p quadra-isa --example sgemm_by_hand -- --prefetch          with and without prefetching uniforms
//! cargo run --release -p quadra-isa --example sgemm_by_hand -- --image out.json    files for `quadra emulate`
//! ```

use quadra_isa::vc4::sgemm::report::{self, Expected, Row};
use quadra_isa::vc4::sgemm::{Plan, Split, Version};
use quadra_isa::vc4::timing::{Board, Parameters};
use std::process::ExitCode;

const USAGE: &str = "\
options: --version article|pipelined|broadcast   one version instead of all
         --split AxB                             parts of A and of B, one QPU for each pair
         --shape PxQxR                           A is P x Q, B is Q x R; 96x363x3072 unless said otherwise
         --splits                                every split over 12 QPUs
         --prefetch                              uniforms prefetched through the TMU, beside the plain article
         --pi zero|1|2|3                         the board whose clock is meant; 1 unless said otherwise
         --image FILE.json                       write the image of the first plan, run nothing
         --json                                  a list of objects";

#[derive(Default)]
struct Options {
    version: Option<Version>,
    split: Option<Split>,
    shape: Option<[u32; 3]>,
    splits: bool,
    prefetch: bool,
    json: bool,
    pi: Option<Board>,
    image: Option<String>,
}

fn numbers<const N: usize>(text: &str) -> Option<[u32; N]> {
    let numbers: Option<Vec<u32>> = text.split('x').map(|n| n.parse().ok()).collect();
    numbers?.try_into().ok()
}

fn options() -> Option<Options> {
    let mut options = Options::default();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--version" => options.version = Some(Version::from_name(&args.next()?)?),
            "--split" => options.split = Some(numbers(&args.next()?).map(|[a, b]| Split { a, b })?),
            "--shape" => options.shape = Some(numbers(&args.next()?)?),
            "--splits" => options.splits = true,
            "--prefetch" => options.prefetch = true,
            "--json" => options.json = true,
            "--pi" => options.pi = Some(Board::from_name(&args.next()?)?),
            "--image" => options.image = Some(args.next()?),
            _ => return None,
        }
    }
    Some(options)
}

/// The runs that the options ask for.
fn plans(options: &Options) -> Vec<Plan> {
    let [p, q, r] = options.shape.unwrap_or([96, 363, 3072]);
    let mut plans = Vec::new();
    let versions = if options.prefetch { vec![Version::Article] } else { Version::ALL.to_vec() };
    for version in options.version.map_or(versions, |v| vec![v]) {
        let splits = match options.split {
            Some(split) => vec![split],
            None if options.splits => Split::all(12),
            None => vec![Split { a: 1, b: 1 }, version.best_split()],
        };
        for split in splits {
            let plan = Plan::new(version, p, q, r, split);
            plans.push(plan);
            plans.extend(options.prefetch.then_some(Plan { prefetch: true, ..plan }));
        }
    }
    plans
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Box<quadra_base::Diagnostic>> {
    let (plans, params) = (plans(options), Parameters::default());
    let clock = options.pi.unwrap_or(Board::Pi1).clock_mhz();
    plans[0].check()?;
    let expected = Expected::new(&plans[0]);
    if let Some(file) = &options.image {
        return plans[0].image(&expected.data)?.write(file.as_ref());
    }
    let mut rows = Vec::new();
    for plan in &plans {
        let row = report::row(plan, &expected, &params, clock)?;
        if !options.json {
            print(&row, options.splits);
        }
        rows.push(row);
    }
    if options.json {
        println!("{}", serde_json::to_string_pretty(&rows).expect("the types have no maps with odd keys"));
    }
    Ok(())
}

fn print(row: &Row, short: bool) {
    let plan = &row.plan;
    println!(
        "{}{}, {} x {} by {} x {}, A in {}, B in {}: {:.3} ms at {} MHz, {:.2} GFLOPS",
        plan.version.name(),
        if plan.prefetch { " with uniforms prefetched" } else { "" },
        plan.p,
        plan.q,
        plan.q,
        plan.r,
        plan.split.a,
        plan.split.b,
        row.seconds * 1e3,
        row.clock_mhz,
        row.gflops
    );
    if short {
        return;
    }
    println!("  {} clocks, {} instructions on {} QPUs", row.clocks, row.issued, row.threads);
    println!("  words that differ from the truncating reference: {}", row.wrong_words);
    println!("  largest error against sums rounded to nearest: {:.4e}", row.max_error);
    let waits: Vec<String> = row.waits.iter().map(|(name, share)| format!("{name} {:.1} %", 100.0 * share)).collect();
    println!("  waiting: {}", waits.join(", "));
    for bound in &row.bounds {
        let share = 100.0 * bound.clocks as f64 / row.clocks.max(1) as f64;
        let gflops = plan.gflops(bound.clocks, row.clock_mhz);
        println!("  bound {gflops:7.2} GFLOPS ({share:5.1} % of the time): {}; {}", bound.name, bound.assumed);
    }
}
