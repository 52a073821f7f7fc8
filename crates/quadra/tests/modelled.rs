//! Figures of shipped kernels that must not be lost. All are counts of the emulator and its timing model, which repeat exactly:
//! no clock of this machine is read. Every run also compares its results with plain Rust.

use quadra::back_qpu;
use quadra::device::{Device, Report, emu::Emu, interp::Interp};
use quadra::kernels;
use quadra::passes::pipeline;
use quadra::qpu::vc4::timing::Parameters;

/// A Pi 1, which the published figures are about.
const CLOCK_MHZ: f64 = 250.0;

/// The report of the workload that `quadra bench qpu` shows in this line.
fn run(kernel: &str, workload: &str, qpus: u32, parameters: Parameters) -> Report {
    run_on(&Emu::new().with_model(parameters), kernel, workload, qpus)
}

fn run_on(device: &dyn Device, kernel: &str, workload: &str, qpus: u32) -> Report {
    let kernel = kernels::find(kernel).expect("the kernel is shipped");
    let workload = kernel.workloads.iter().find(|w| w.name == workload && w.qpus == qpus).expect("it is in the list");
    (workload.run)(device, qpus).expect("the result is right")
}

/// Seconds in the model, launches by registers included.
fn seconds(report: &Report, parameters: &Parameters) -> f64 {
    let model = report.model.as_ref().expect("the model was asked for");
    (model.clocks as f64 / CLOCK_MHZ + model.launches as f64 * parameters.launch_registers) * 1e-6
}

/// GFLOPS of the article's product on 12 QPUs.
fn product(parameters: Parameters) -> f64 {
    let [m, n, k] = kernels::sgemm::ARTICLE;
    let report = run("sgemm", "96x363 by 363x3072", 12, parameters);
    2.0 * (m * n * k) as f64 / seconds(&report, &parameters) * 1e-9
}

/// The article's program, written by hand, was measured at 8.32 GFLOPS.
#[test]
fn the_matrix_product_is_faster_than_the_one_written_by_hand() {
    let gflops = product(Parameters::default());
    println!("{gflops:.2} GFLOPS");
    assert!(gflops >= 12.0, "{gflops} GFLOPS");
}

#[test]
fn the_matrix_product_is_faster_even_if_fills_of_caches_are_slow() {
    let line = 64.0 / 1.3e9 * CLOCK_MHZ * 1e6;
    let default = Parameters::default();
    let fill = product(Parameters { l2_line: default.l2_line.max(line), ..default });
    let memory = product(Parameters { memory_line: line, ..default });
    println!("{fill:.2} GFLOPS at 1.3 GB/s out of the L2 cache, {memory:.2} GFLOPS at 1.3 GB/s from memory");
    assert!(fill > 8.32 && memory > 8.32, "{fill} and {memory} GFLOPS");
}

#[test]
fn rotations_take_less_than_four_milliseconds() {
    let parameters = Parameters::default();
    let ms = |name: &str, qpus: u32| {
        let report = run(name, "192,000 vertices", qpus, parameters);
        let ms = seconds(&report, &parameters) * 1e3;
        println!("{name} on {qpus}: {ms:.3} ms, {} slots", report.instructions);
        // 12,000 vectors.
        assert!(report.instructions <= 12 * 12_000, "{name} on {qpus}: {} slots", report.instructions);
        // The store engine takes 39 clocks for a transfer and 14 for each of its rows: 2.28 ms with four rows in each. Stores
        // and lookups share the memory.
        let most = match qpus {
            1 => 3.95,
            2 => 2.9,
            _ => 2.45,
        };
        assert!(ms <= most, "{name} on {qpus}: {ms} ms");
        ms
    };
    let (plain, ahead) = (ms("rot3d_v1", 1), ms("rot3d_v2", 1));
    assert!(plain <= 1.05 * ahead, "loads where they stand take {plain} ms, loads requested ahead {ahead} ms");
    for qpus in [1, 2, 4, 12] {
        ms("rot3d_v3", qpus);
    }
}

/// What `quadra bench qpu --bound` prints in its last column.
#[test]
fn twelve_qpus_reach_more_than_half_of_what_each_unit_allows_by_itself() {
    let parameters = Parameters::default();
    for (kernel, workload) in [("convolution_3", "480 x 576 points"), ("fft", "48 transforms of 1,024")] {
        let report = run(kernel, workload, 12, parameters);
        let work = run_on(&Interp::counting(), kernel, workload, 12).work.expect("it counts");
        let (clocks, limit) = work.bound(12, &parameters);
        let reached = clocks / report.model.as_ref().expect("the model was asked for").clocks as f64;
        println!(
            "{kernel}: {:.3} ms, {:.0} % of {}",
            seconds(&report, &parameters) * 1e3,
            reached * 100.0,
            limit.name()
        );
        // 0.54 for the FFT until uniforms that come from memory took 89 clocks instead of 75.
        assert!(reached >= 0.52, "{kernel}: {reached}");
    }
}

/// A condition of two comparisons is no branch: the loop over numbers is pipelined as one block.
#[test]
fn counting_takes_less_than_four_point_seven_million_slots() {
    let report = run("histogram", "393,216 numbers", 1, Parameters::default());
    println!("{} slots", report.instructions);
    assert!(report.instructions <= 4_700_000, "{} slots", report.instructions);
}

/// Slots of the shortest innermost loop per vector of results, of which an iteration computes `vectors`.
fn slots(kernel: &str, vectors: u32) -> f64 {
    let kernel = (kernels::find(kernel).expect("the kernel is shipped").record)().expect("it records");
    let simd = pipeline::compile(&kernel, &back_qpu::caps()).expect("it compiles");
    let options = back_qpu::Options { qpus: Some(12), ..back_qpu::Options::default() };
    let (_, loops) = back_qpu::explain(&simd, &options).expect("it compiles");
    f64::from(loops[0].slots) / f64::from(vectors)
}

#[test]
fn innermost_loops_are_short() {
    let (gcd, rot3d, heat) = (slots("gcd", 1), slots("rot3d_v3", 4), slots("heat_map", 4));
    println!("gcd {gcd}, rot3d {rot3d}, heat_map {heat} slots");
    assert!(gcd <= 6.0 && rot3d <= 12.0 && heat <= 26.0, "gcd {gcd}, rot3d {rot3d}, heat_map {heat} slots");
}
