//! Kernels of workers with 16 lanes, as they are written for QPUs, on two software drivers: each worker is a group, whose items exchange
//! values and take every branch together.
#![cfg(feature = "gpu")]

use quadra_device::launch::Print;
use quadra_device::{Argument, Buffer, Device, LaunchOptions, Module, gpu, open};
use quadra_kir::{Const, FaultKind, Kernel, parse};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Launches are counted for the whole process, so tests run one at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn drivers() -> Vec<Arc<dyn Device>> {
    let found = quadra_base::testing::gpus().into_iter().map(open);
    found.filter_map(|d| d.map_err(|why| quadra_base::testing::left_out(why.message)).ok()).collect()
}

fn kernel(text: &str) -> Kernel {
    parse::kernel("test.kir", text).unwrap_or_else(|d| panic!("{}: {text}", d[0].message))
}

fn compiled(device: &dyn Device, text: &str) -> Arc<dyn Module> {
    device.compile(&kernel(text)).unwrap_or_else(|d| panic!("{}: {text}", d[0].message))
}

fn workers(workers: u32) -> LaunchOptions {
    LaunchOptions { workers, ..LaunchOptions::default() }
}

/// What the interpreter makes of `x` and of as many elements of `y`, and whether each driver makes the same itself.
fn agree(text: &str, x: &[i32], n: i32, counts: &[u32]) {
    let _one = alone();
    let run = |device: &dyn Device, count: u32| {
        let (from, to) = (Buffer::from(x.to_vec()), Buffer::from(vec![-1_i32; x.len()]));
        let args = [Argument::from(&from), Argument::from(&to), Argument::Scalar(Const::i32(n))];
        let before = gpu::counts();
        let module = compiled(device, text);
        module.launch(&args, &workers(count)).unwrap_or_else(|f| panic!("{f:?}: {text}"));
        (from.to_vec(), to.to_vec(), gpu::counts().here > before.here)
    };
    let interp = open("interp").expect("the interpreter is always there");
    for device in drivers() {
        for &count in counts {
            let (want_x, want_y, _) = run(&*interp, count);
            let (got_x, got_y, here) = run(&*device, count);
            assert!(here, "not run by {}: {text}", device.about());
            assert_eq!((got_x, got_y), (want_x, want_y), "{count} workers on {}: {text}", device.about());
        }
    }
}

fn numbers(n: usize) -> Vec<i32> {
    (0..n as i32).map(|i| (i * 7919 + 13) % 251 + 1).collect()
}

#[test]
fn lanes_leave_loops_apart_and_ask_each_other() {
    // A greatest common divisor by subtraction: lanes end at different iterations, the loop with the last one.
    let text = "kernel @divisor(%x: buf<i32, r>, %y: buf<i32, w>, %n: i32) simt group=16 over=0 {
        %w = worker %l = lane %f = shl %w, 4 %i = add %f, %l %a0 = load %x[%i]
        %d = loop (%a: i32 = %a0, %b: i32 = %n) {
            %e = cmp.ne %a, %b %any = vote.any %e %none = not %any if %none { break %a }
            %more = cmp.gt %a, %b
            %a2 = if %more { %t = sub %a, %b yield %t } else { yield %a }
            %less = cmp.lt %a, %b
            %b2 = if %less { %t = sub %b, %a yield %t } else { yield %b }
            continue %a2, %b2 }
        store %y[%i], %d }";
    agree(text, &numbers(64), 36, &[1, 4]);
}

#[test]
fn values_are_rotated_and_broadcast_in_loops() {
    // Running sums of each worker's numbers, by rotations of 1, 2, 4 and 8 lanes; the last lane tells all of them the total.
    let text = "kernel @running(%x: buf<i32, r>, %y: buf<i32, w>, %n: i32) simt group=16 over=0 {
        %w = worker %all = num_workers %l = lane %first = shl %w, 4 %step = shl %all, 4 %size = dim %x, 0
        %total = for %k in %first..%size step %step (%t: i32 = %n) {
            %i = add %k, %l %v = load %x[%i]
            %sum = for %by in 0..4 (%s: i32 = %v) {
                %far = shl 1, %by %o = rotate %s, %far %there = cmp.ge %l, %far %more = select %there, %o, 0
                %u = add %s, %more yield %u }
            %r = add %sum, %t store %y[%i], %r
            %last = broadcast %r, 15 yield %last } }";
    agree(text, &numbers(16 * 12), 5, &[1, 3, 12]);
}

#[test]
fn lanes_see_what_others_have_stored() {
    // Odd-even transposition within each worker's 16 numbers, in place: a lane reads what its neighbours stored just before.
    let text = "kernel @sorted(%x: buf<i32, rw>, %y: buf<i32, w>, %n: i32) simt group=16 over=0 {
        %w = worker %l = lane %f = shl %w, 4 %i = add %f, %l
        for %k in 0..%n {
            %e = add %k, %l %odd = and %e, 1 %low = cmp.eq %odd, 0 %by = select %low, 1, -1
            %m = add %l, %by %a = cmp.ge %m, 0 %b = cmp.lt %m, 16 %in = and %a, %b
            if %in {
                %j = add %f, %m %mine = load %x[%i] %other = load %x[%j]
                %least = min %mine, %other %most = max %mine, %other %new = select %low, %least, %most
                store %x[%i], %new } }
        %v = load %x[%i] store %y[%i], %v }";
    agree(text, &numbers(48), 16, &[1, 3]);
}

#[test]
fn votes_ask_lanes_that_are_live() {
    let text = "kernel @votes(%x: buf<i32, r>, %y: buf<i32, w>, %n: i32) simt group=16 over=0 {
        %w = worker %l = lane %f = shl %w, 4 %i = add %f, %l %v = load %x[%i] %big = cmp.gt %v, %n
        %r = if %big {
            %even = and %v, 1 %is = cmp.eq %even, 0 %any = vote.any %is %all = vote.all %big
            %a = to.i32 %any %b = to.i32 %all %two = shl %b, 1 %s = add %a, %two yield %s
        } else { %all = vote.all %big %none = vote.any %big %a = to.i32 %all %b = to.i32 %none %s = sub %a, %b yield %s }
        store %y[%i], %r
        %leaves = cmp.lt %l, 5 if %leaves { return }
        %t = add %r, 100 store %y[%i], %t }";
    for n in [0, 100, 125, 1000] {
        agree(text, &numbers(64), n, &[4]);
    }
}

#[test]
fn requests_uniform_loads_and_sums_in_one_step() {
    // The next row is asked for before this one is stored; a counter that the worker itself increases bounds the loop.
    let text = "kernel @ahead(%x: buf<i32, rw>, %y: buf<i32, w>, %n: i32) simt group=16 over=0 {
        %w = worker %l = lane %f = mul %w, 64 %i = add %f, %l
        tmu.request %x[%i]
        loop (%k: i32 = 0) {
            %next = add %k, 16 %to = min %next, 32 %j = add %i, %to
            tmu.request %x[%j]
            %v = tmu.receive i32 %p = add %v, %n %at = add %i, %k store %y[%at], %p
            %done = cmp.ge %next, 48 if %done { break }
            continue %next }
        %rest = tmu.receive i32
        %c = add %f, 48
        store %x[%c], 0
        loop () {
            %now = load %x[%c] %end = cmp.ge %now, 5 if %end { break }
            %one = add %now, 1 store %x[%c], %one }
        %d = add %c, 1 %more = add %l, %rest %old = atomic.add %x[%d], %more }";
    agree(text, &numbers(128), 1000, &[1, 2]);
}

#[test]
fn items_of_one_subgroup_rotate_and_vote() {
    let text = "kernel @items(%x: buf<i32, r>, %y: buf<i32, w>, %n: i32) simt group=16 over=1 {
        %i = item 0 %v = load %x[%i] %r = rotate %v, %n %big = cmp.gt %v, 200 %any = vote.any %big
        %s = select %any, %r, %v store %y[%i], %s }";
    let _one = alone();
    let run = |device: &dyn Device, n: u32| {
        let (from, to) = (Buffer::from(numbers(n as usize)), Buffer::from(vec![-1_i32; n as usize]));
        let args = [Argument::from(&from), Argument::from(&to), Argument::Scalar(Const::i32(3))];
        let before = gpu::counts();
        let options = LaunchOptions { extent: vec![n], partial: true, ..LaunchOptions::default() };
        compiled(device, text).launch(&args, &options).unwrap_or_else(|f| panic!("{f:?}"));
        (to.to_vec(), gpu::counts().here > before.here)
    };
    let interp = open("interp").expect("the interpreter is always there");
    for device in drivers() {
        for n in [1, 15, 16, 17, 80] {
            let ((got, here), (want, _)) = (run(&*device, n), run(&*interp, n));
            assert!(here, "{n} items: not run by {}", device.about());
            assert_eq!(got, want, "{n} items on {}", device.about());
        }
    }
}

#[test]
fn faults_are_those_of_the_processor() {
    let _one = alone();
    let text = "kernel @outside(%x: buf<i32, rw>, %n: i32) simt group=16 over=0 {
        %l = lane %v = load %x[%l] %j = add %l, %n %any = vote.any true
        if %any { store %x[%j], %v } }";
    for device in drivers() {
        let module = compiled(&*device, text);
        let x = Buffer::from((0..32).collect::<Vec<i32>>());
        let launch = |n: i32| module.launch(&[Argument::from(&x), Argument::Scalar(Const::i32(n))], &workers(1));
        let fault = launch(17).expect_err("lane 15 stores to element 32");
        assert!(format!("{:?}", fault.kind).contains("32"), "{:?}", fault.kind);
        assert_eq!(x.to_vec(), (0..32).collect::<Vec<i32>>(), "nothing has been written");
        launch(16).expect("it stays inside");
        assert_eq!(x.to_vec(), (0..16).chain(0..16).collect::<Vec<i32>>());
    }
}

#[test]
fn an_endless_worker_ends_and_workers_that_wait_are_refused() {
    let _one = alone();
    let endless = "kernel @endless(%x: buf<i32, rw>, %n: i32) simt group=16 over=0 {
        %l = lane
        loop (%k: i32 = 1) { %e = cmp.eq %k, %n %end = vote.any %e if %end { break } %m = add %k, 2 continue %m }
        store %x[%l], 7 }";
    let waiting = "kernel @waiting(%x: buf<i32, rw>) simt group=16 over=0 concurrent {
        %l = lane mutex.lock %v = load %x[%l] %u = add %v, 1 store %x[%l], %u mutex.unlock }";
    for device in drivers() {
        let module = compiled(&*device, endless);
        let x = Buffer::from(vec![1_i32; 16]);
        let launch = |n: i32| {
            let options = LaunchOptions { budget: 1 << 20, ..workers(1) };
            module.launch(&[Argument::from(&x), Argument::Scalar(Const::i32(n))], &options)
        };
        let fault = launch(0).expect_err("odd numbers are never 0");
        assert!(matches!(fault.kind, FaultKind::Budget(_) | FaultKind::Time(_)), "{:?}", fault.kind);
        assert_eq!(x.to_vec(), [1; 16]);
        launch(9).expect("it ends");
        assert_eq!(x.to_vec(), [7; 16]);
        let refused = device.compile(&kernel(waiting)).map(drop).expect_err("no worker waits on a GPU");
        assert!(refused[0].message.contains("wait for each other"), "{}", refused[0].message);
    }
}

#[test]
fn lines_are_those_of_the_processor_in_its_order() {
    let _one = alone();
    let items = "kernel @items(%x: buf<i32, rw>, %n: i32) simt group=16 over=1 {
        %i = item 0 %v = load %x[%i] %big = cmp.gt %v, %n
        if %big { print \"{} at {}\", %v, %i } %w = add %v, 1 store %x[%i], %w }";
    let lanes = "kernel @lanes(%x: buf<i32, rw>, %n: i32) simt group=16 over=0 {
        %l = lane %v = load %x[%l] %r = rotate %v, 1 %big = cmp.gt %r, %n
        if %big { print \"lane {} has {}\", %l, %r } store %x[%l], %r }";
    for (text, options) in
        [(items, LaunchOptions { extent: vec![48], ..LaunchOptions::default() }), (lanes, workers(1))]
    {
        let run = |device: &dyn Device, most: &[i32]| {
            let module = compiled(device, text);
            let (lines, x) = (Arc::new(Mutex::new(Vec::new())), Buffer::from((0..48).collect::<Vec<i32>>()));
            let into = lines.clone();
            let print =
                Print::To(Arc::new(move |line: &str| into.lock().expect("no test has failed").push(line.to_string())));
            let options = LaunchOptions { print, ..options.clone() };
            let before = gpu::counts().here;
            for &n in most {
                let launched = module.launch(&[Argument::from(&x), Argument::Scalar(Const::i32(n))], &options);
                launched.unwrap_or_else(|f| panic!("{f:?}"));
            }
            let lines = lines.lock().expect("no test has failed").clone();
            (lines, x.to_vec(), gpu::counts().here - before)
        };
        let interp = open("interp").expect("the interpreter is always there");
        for device in drivers() {
            // The first launch prints nothing and is the GPU's own.
            let most = [100, 12, 40];
            let (want, got) = (run(&*interp, &most), run(&*device, &most));
            assert_eq!(got.2, 1, "{}", device.about());
            assert!(!got.0.is_empty());
            assert_eq!((got.0, got.1), (want.0, want.1), "{}: {text}", device.about());
        }
    }
}
