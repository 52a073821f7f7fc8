//! Random kernels with fixed seeds.

use quadra_tests::fuzz::{self, Options, Shape};

#[test]
fn random_kernels_do_the_same_behind_every_pass() {
    let options = Options::default();
    let report = fuzz::kernels(0, 500, Shape::default(), &options);
    if let Some(failure) = &report.failure {
        panic!("{failure}");
    }
    println!("{} kernels, {} refused, {} instructions", report.kernels, report.refused, report.instructions);
    assert!(report.refused * 20 < report.kernels, "{} of {} refused", report.refused, report.kernels);
    assert!(report.instructions > 25_000, "the kernels hardly do anything: {}", report.instructions);
}

/// Larger kernels as words: at every optimisation level the same memory as in the interpreter, and no rule of the machine broken.
#[test]
fn random_words_do_the_same_at_every_level() {
    let shape = Shape { length: 30, depth: 4, ..Shape::default() };
    let options = Options { levels: vec![0, 1, 2], passes: false, check: false };
    let report = fuzz::kernels(50_000, 1000, shape, &options);
    if let Some(failure) = &report.failure {
        panic!("{failure}");
    }
    println!("{} kernels, {} refused, {} instructions", report.kernels, report.refused, report.instructions);
    assert!(report.refused * 20 < report.kernels, "{} of {} refused", report.refused, report.kernels);
    assert!(report.instructions > 100_000, "the kernels hardly do anything: {}", report.instructions);
}

/// Groups with barriers, conditions with side effects, numbers without a sign, indices outside: alike on all devices.
#[test]
fn random_kernels_do_the_same_on_every_device() {
    let report = fuzz::devices(0, 300);
    if let Some(failure) = &report.failure {
        panic!("{failure}");
    }
    println!("{report:?}");
    assert!(
        report.unused <= report.outside,
        "{} loads outside were left out, {} were not",
        report.unused,
        report.outside
    );
    assert!(report.outside >= 10 && report.grouped >= 75, "{} outside, {} grouped", report.outside, report.grouped);
}

/// `tests/fuzz/*.kir` holds what random kernels have found, made small: each a kernel with the parameters of the random
/// ones, run on several sets of random data.
#[test]
fn kernels_that_once_went_wrong() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fuzz");
    let mut files: Vec<_> = std::fs::read_dir(directory).expect("the directory is there").flatten().collect();
    files.sort_by_key(|f| f.path());
    assert!(!files.is_empty());
    for file in files {
        let name = file.path().display().to_string();
        let text = std::fs::read_to_string(file.path()).expect("the file can be read");
        let kernel = quadra_kir::parse::kernel(&name, &text).unwrap_or_else(|e| panic!("{}", e[0].render(false)));
        let found = quadra_kir::check::kernel(&kernel);
        assert!(found.is_empty(), "{}", found[0]);
        for seed in 0..8 {
            let case = fuzz::kernels::with_seed(seed, kernel.clone());
            if let Err(mismatch) = fuzz::differential(&case, &Options::default()) {
                panic!("{name}, data of seed {seed}: {mismatch}");
            }
        }
    }
}

/// The random kernels have work for the passes that fit accesses to memory.
#[test]
fn random_kernels_are_fitted_to_memory() {
    use quadra_kir::Op;
    let caps = quadra_back_qpu::caps();
    let (mut joined, mut requested) = (0, 0);
    for seed in 0..300 {
        let case = fuzz::kernels::case(seed, Shape::default());
        let Ok(mut kernel) = quadra_passes::pipeline::compile(&case.kernel, &caps) else { continue };
        let requests = |kernel: &quadra_kir::Kernel| kernel.body.any(&mut |i| i.op == Op::TmuRequest);
        let before = requests(&kernel);
        let options = quadra_passes::pass::Options::default();
        let launches = quadra_passes::pass::Launches::default();
        quadra_passes_dma::memory(&mut kernel, &caps, launches, &options, &mut |_| {})
            .expect("these passes refuse nothing");
        joined += usize::from(kernel.body.any(&mut |i| i.op == Op::StoreRows));
        requested += usize::from(!before && requests(&kernel));
    }
    println!("{joined} of 300 kernels store several rows, {requested} request ahead");
    assert!(joined >= 20 && requested >= 6, "{joined} store several rows, {requested} request ahead");
}
