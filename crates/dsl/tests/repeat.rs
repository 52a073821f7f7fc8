//! Several runs of a kernel: as launches one after the other, and as one launch with a barrier between the runs.

extern crate quadra_dsl as quadra;

use quadra_back_qpu as back_qpu;
use quadra_device::emu::Emu;
use quadra_device::{Device, Loads, Runs};
use quadra_dsl::prelude::*;
use quadra_isa::vc4::timing::Parameters;

/// A wave on a ring of 16 n points: every QPU reads points that others wrote in the run before, by requests of its own.
#[kernel]
fn wave(n: Int, old: Ptr<Float>, new: Ptr<Float>) {
    for i in range(me(), n, num_qpus()) {
        let at = 16 * i + index();
        gather(old + select(at == 0, 16 * n - 1, at - 1));
        gather(old + select(at == 16 * n - 1, int(0), at + 1));
        let (left, right): (Float, Float) = (received(), received());
        *(new + 16 * i) = 0.5 * (left + right) + old[16 * i] * 0.25;
    }
}

/// The same on a line, by plain loads of rows.
#[kernel]
fn rows(n: Int, old: Ptr<Float>, new: Ptr<Float>) {
    for i in range(me(), n, num_qpus()) {
        let at = 16 * i;
        let next = select(i + 1 == n, int(0), at + 16);
        *(new + at) = 0.5 * (old[at] + old[next]);
    }
}

/// In place: each QPU turns the blocks of another one round, so that all runs must keep apart.
#[kernel]
fn pass_on(n: Int, x: Ptr<Int>) {
    for i in range(me(), n, num_qpus()) {
        let v: Int = (x + 16 * i + (15 - index())).load_lanes();
        sema_inc(3);
        sema_dec(3);
        *(x + 16 * i) = 3 * v + me() + index();
    }
}

fn emus() -> impl Iterator<Item = (u8, Emu)> {
    (0..3).map(|opt_level| {
        (opt_level, Emu::new().with_options(back_qpu::Options { opt_level, ..back_qpu::Options::default() }))
    })
}

#[test]
fn double_buffers_are_exchanged_within_one_launch() {
    let start: Vec<f32> = (0..26 * 16).map(|i| (i * i % 31) as f32).collect();
    let run = |device: &dyn Device, qpus: u32, runs: u32, together: bool| {
        let (a, b) = (Buffer::from(start.clone()), Buffer::<f32>::new(start.len()));
        let k = wave().compile(device).unwrap().qpus(qpus).repeat(runs).swapping(1, 2);
        let k = if together { k.in_one_launch() } else { k.separately() };
        let report = k.call((26, &a, &b)).unwrap();
        let bits = |x: &Buffer<f32>| x.to_vec().iter().map(|f| f.to_bits()).collect::<Vec<_>>();
        (report, bits(&a), bits(&b))
    };
    let oracle = quadra_device::open("interp-qpu").unwrap();
    for runs in [2, 5, 8] {
        let (_, a, b) = run(&*oracle, 1, runs, false);
        for (level, emu) in emus() {
            for qpus in [1, 2, 4, 12] {
                let (_, x, y) = run(&emu, qpus, runs, true);
                assert!(x == a && y == b, "{runs} runs at -O{level} on {qpus} QPUs");
            }
        }
    }
    let model = Emu::new().with_model(Parameters::default());
    let launches = |together| run(&model, 12, 8, together).0.model.unwrap().launches;
    assert_eq!((launches(true), launches(false)), (1, 8));
}

#[test]
fn runs_in_place_follow_each_other() {
    let run = |device: &dyn Device, qpus: u32, together: bool| {
        let x = Buffer::from((0..20 * 16).collect::<Vec<i32>>());
        let k = pass_on().compile(device).unwrap().qpus(qpus).repeat(6);
        let k = if together { k.in_one_launch() } else { k.separately() };
        k.call((20, &x)).unwrap();
        x.to_vec()
    };
    let oracle = quadra_device::open("interp-qpu").unwrap();
    for qpus in [1, 2, 4, 12] {
        let want = run(&*oracle, qpus, false);
        for (level, emu) in emus() {
            assert!(run(&emu, qpus, true) == want, "at -O{level} on {qpus} QPUs");
            assert!(run(&emu, qpus, false) == want, "as launches at -O{level} on {qpus} QPUs");
        }
    }
}

/// Small buffers stay in one launch, whose program is in the caches from the second run on; large ones would all come by DMA.
#[test]
fn runs_follow_one_another_as_is_faster() {
    let model = Emu::new().with_model(Parameters::default());
    let oracle = quadra_device::open("interp-qpu").unwrap();
    let sizes = [(1, 1), (2, 1), (4, 1), (8, 1), (12, 1), (12, 12), (24, 12), (40, 4), (100, 12), (600, 1)];
    for (blocks, qpus, kernel) in sizes.into_iter().flat_map(|(b, q)| [(b, q, wave()), (b, q, rows())]) {
        let start: Vec<f32> = (0..16 * blocks).map(|i| (i * i % 31) as f32).collect();
        let run = |device: &dyn Device, runs: Option<Runs>| {
            let (a, b) = (Buffer::from(start.clone()), Buffer::<f32>::new(start.len()));
            let k = kernel.compile(device).unwrap().qpus(qpus).repeat(20).swapping(1, 2);
            let k = match runs {
                None | Some(Runs::Auto) => k,
                Some(Runs::Together) => k.in_one_launch(),
                Some(Runs::Apart) => k.separately(),
            };
            let report = k.call((blocks, &a, &b)).unwrap();
            // By registers a launch takes 2 µs: 500 clocks.
            let clocks = report.model.map_or(0, |m| m.clocks + 500 * m.launches);
            (clocks, b.to_vec().iter().map(|f| f.to_bits()).collect::<Vec<_>>())
        };
        let (together, x) = run(&model, Some(Runs::Together));
        let (apart, y) = run(&model, Some(Runs::Apart));
        let (chosen, z) = run(&model, None);
        let want = run(&*oracle, None).1;
        println!("{blocks} vectors on {qpus} QPUs: {together} clocks together, {apart} apart, {chosen} as chosen");
        assert!(x == want && y == want && z == want);
        assert!(chosen as f64 <= 1.15 * together.min(apart) as f64, "{blocks} vectors on {qpus} QPUs");
    }
}

#[test]
fn an_endless_launch_ends_with_its_time() {
    #[kernel]
    fn endless(x: Ptr<Int>) {
        let mut i: Int = *x;
        while any(i >= 0) {
            i = i & 7;
        }
        *x = i;
    }
    for device in ["interp", "interp-qpu", "emu"] {
        let device = quadra_device::open(device).unwrap();
        let x = Buffer::from(vec![3; 16]);
        let limit = std::time::Duration::from_millis(30);
        let k = endless().compile(&*device).unwrap().budget(u64::MAX).time_limit(limit);
        let error = k.call((&x,)).map(|_| ()).unwrap_err();
        assert_eq!(error.0[0].code, "E0604", "{error}");
        assert!(error.0[0].message.contains("after 0.03 s"), "{error}");
    }
}

#[test]
fn one_run_alone_is_an_ordinary_launch() {
    let (a, b) = (Buffer::from(vec![1.0f32; 16]), Buffer::<f32>::new(16));
    let model = Emu::new().with_model(Parameters::default());
    let k = wave().compile(&model).unwrap().repeat(1).swapping(1, 2).in_one_launch();
    assert_eq!(k.call((1, &a, &b)).unwrap().model.unwrap().launches, 1);
    assert_eq!(b.to_vec(), vec![1.25; 16]);
}

#[test]
fn loads_can_be_forced_through_the_vpm() {
    let run = |device: &dyn Device, loads: Loads| {
        let (a, b) = (Buffer::from((0..64).map(|i| i as f32).collect::<Vec<f32>>()), Buffer::<f32>::new(64));
        let report = wave().compile(device).unwrap().qpus(2).loads(loads).call((4, &a, &b)).unwrap();
        (report.model.map(|m| m.fill_bytes), b.to_vec())
    };
    let model = Emu::new().with_model(Parameters::default());
    let (tmu, want) = run(&model, Loads::Auto);
    let (vpm, got) = run(&model, Loads::Vpm);
    assert_eq!(got, want);
    // Nothing but instructions and uniforms comes through the caches.
    let code = |fill: Option<u64>| fill.expect("the model counts");
    let data = 64 * 4;
    assert!(code(tmu) >= data, "{tmu:?}");
    let quiet = Emu::new().with_options(back_qpu::Options { uncached: 7, ..back_qpu::Options::default() });
    let quiet = run(&quiet.with_model(Parameters::default()), Loads::Auto);
    assert_eq!((vpm, got), quiet, "the same program");
}
