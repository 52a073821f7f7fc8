//! Pictures of runs of the matrix products: splits, and where the time goes.

use super::svg::{BLUE, GREEN, ORANGE, PALE, RED, Svg, VIOLET};
use quadra_isa::vc4::emu::Config;
use quadra_isa::vc4::sgemm::{self, Data, Plan, Split, Version};
use quadra_isa::vc4::timing::{Cause, Outcome, Parameters};

/// File names and contents.
pub fn all() -> Vec<(&'static str, String)> {
    let data = Data::numpy(&Plan::published(Version::Article, Split { a: 1, b: 1 }), 0);
    vec![("splits.svg", splits(&data)), ("waits.svg", waits(&data))]
}

fn timed(plan: &Plan, data: &Data) -> Outcome {
    let done = sgemm::run(plan, data, Config::default(), Some(&Parameters::default()));
    done.ok().and_then(|d| d.outcome).expect("the published shape fits every version")
}

/// Bars of every split and version.
fn splits(data: &Data) -> String {
    let mut svg = Svg::new(660.0, 330.0);
    let scale = 11.0;
    for (group, split) in Split::all(12).into_iter().enumerate() {
        let y = 16.0 + 48.0 * group as f64;
        svg.right(92.0, y + 24.0, &format!("A in {}, B in {}", split.a, split.b));
        for (n, (version, colour)) in Version::ALL.into_iter().zip([BLUE, GREEN, ORANGE]).enumerate() {
            let plan = Plan::published(version, split);
            let ms = timed(&plan, data).seconds(250.0, 0.0) * 1e3;
            let y = y + 13.0 * n as f64;
            svg.rect(100.0, y, scale * ms, 12.0, colour).left(106.0 + scale * ms, y + 10.0, &format!("{ms:.1} ms"));
        }
    }
    svg.left(100.0, 320.0, "article (blue), pipelined (green), broadcast (orange); 12 QPUs at 250 MHz");
    svg.finish()
}

/// Shares of the time of all QPUs.
fn waits(data: &Data) -> String {
    let mut svg = Svg::new(680.0, 250.0);
    let cases = [
        (Version::Article, false, Split { a: 1, b: 1 }),
        (Version::Article, true, Split { a: 1, b: 1 }),
        (Version::Article, false, Split { a: 2, b: 6 }),
        (Version::Pipelined, false, Split { a: 2, b: 6 }),
        (Version::Broadcast, false, Split { a: 6, b: 2 }),
    ];
    for (n, (version, prefetch, split)) in cases.into_iter().enumerate() {
        let plan = Plan { prefetch, ..Plan::published(version, split) };
        let outcome = timed(&plan, data);
        let y = 14.0 + 38.0 * n as f64;
        let name = if prefetch { "prefetching" } else { version.name() };
        let threads = split.threads();
        svg.right(142.0, y + 18.0, &format!("{name}, {threads} QPU{}", if threads > 1 { "s" } else { "" }));
        let all = (outcome.clocks * outcome.qpus.len() as u64) as f64;
        let clocks = |causes: &[Cause]| -> u64 {
            causes.iter().map(|c| outcome.qpus.iter().map(|q| q.stalls[*c as usize]).sum::<u64>()).sum()
        };
        let parts = [
            (outcome.report.issued() * 4, BLUE),
            (clocks(&[Cause::Uniform]), ORANGE),
            (clocks(&[Cause::Tmu]), GREEN),
            (clocks(&[Cause::DmaLoad, Cause::DmaStore]), VIOLET),
            (clocks(&[Cause::Mutex, Cause::Semaphore]), RED),
        ];
        let mut x = 150.0;
        for (clocks, colour) in parts {
            let width = 440.0 * clocks as f64 / all;
            if width >= 0.5 {
                svg.rect(x, y, width, 26.0, colour);
            }
            x += width;
        }
        svg.rect(x, y, (590.0 - x).max(0.0), 26.0, PALE);
        let gflops = plan.gflops(outcome.clocks, 250.0);
        svg.left(598.0, y + 18.0, &format!("{gflops:.1} GFLOPS"));
    }
    let legend = [
        (20.0, "issuing", BLUE),
        (110.0, "uniforms", ORANGE),
        (210.0, "TMU", GREEN),
        (280.0, "DMA", VIOLET),
        (350.0, "mutex, semaphores", RED),
        (510.0, "other", PALE),
    ];
    for (x, name, colour) in legend {
        svg.rect(x, 222.0, 12.0, 12.0, colour).left(x + 16.0, 232.0, name);
    }
    svg.finish()
}
