//! Stores to elements at equal distances.

mod common;

use common::{How, emulate, launch_on, legal};
use quadra_kir as kir;

/// Runs a kernel with the buffers `%x` (512 numbers to read), `%y` and `%z` (4,096 to write) at every level on several QPUs, and
/// gives the transfers that a run at the highest level starts.
fn agrees(body: &str, over: u32) -> usize {
    let text = format!(
        "kernel @k(%x: buf<i32, r>, %y: buf<i32, w>, %z: buf<i32, w>) simt group=16 over={} {{ {body} }}",
        u32::from(over > 0)
    );
    let (_, kernel) = legal(&text);
    let numbers = |n: i32| kir::MemoryBuffer::of_i32(&(0..n).map(|i| i * 7 + 1).collect::<Vec<_>>());
    let memory = kir::Memory { buffers: vec![numbers(512), numbers(4096), numbers(4096)] };
    let mut launch = launch_on(3, over);
    let mut starts = 0;
    for workers in [1, 3, 12] {
        launch.workers = workers;
        let mut want = memory.clone();
        kir::interp::simd::run(&kernel, &mut want, &launch, &mut |_| {}).expect("the kernel is right");
        assert!(want.buffers != memory.buffers, "it does something");
        for level in [0, 1, 2] {
            let mut got = memory.clone();
            let how = How { level, qpus: Some(workers), ..How::default() };
            let (compiled, _) = emulate(&kernel, &mut got, &launch, how).unwrap_or_else(|e| panic!("-O{level}: {e}"));
            let listing = common::listing(&compiled);
            assert!(got.buffers == want.buffers, "-O{level}, {workers} QPUs\n{listing}");
            starts = listing.matches("vw_addr").count();
        }
    }
    starts
}

#[test]
fn a_channel_of_pixels_goes_in_one_transfer() {
    let body = "%w = worker %r = mul %w, 16 %l = lane %i = add %r, %l %a = load %x[%i]
                %j = mul %i, 3 %k = add %j, 1 store %y[%k], %a";
    assert_eq!(agrees(body, 0), 1);
}

/// Live lanes in a row go in one transfer, others one by one, and no transfer starts where nothing is live: the first lanes, the
/// last ones, some in the middle, a single one, every other one, none; rows, and elements at equal distances.
#[test]
fn live_lanes_in_a_row_go_in_one_transfer() {
    for lanes in [
        "cmp.lt %l, 5",
        "cmp.ge %l, 3",
        "cmp.eq %l, 9",
        "cmp.lt.u %far, 4",
        "cmp.ne %odd, 0",
        "cmp.gt %l, %w",
        "cmp.lt %l, -1",
    ] {
        let body = format!(
            "%w = worker %r = mul %w, 16 %l = lane %i = add %r, %l %a = load %x[%i] %far = sub %l, 6 %odd = and %l, 1
             %live = {lanes} if %live {{ store %y[%i], %a }}
             %j = mul %i, 5 %k = add %j, 2 if %live {{ store %z[%k], %a }}
             store %y[%w], %w"
        );
        agrees(&body, 0);
    }
}

/// The transfers of a store of the first lanes, of which there are as many as a parameter says.
#[test]
fn the_first_lanes_of_a_row_are_one_transfer() {
    let text = "kernel @k(%y: buf<i32, 1, w>, %n: i32) simt group=16 {
                  %l = lane %in = cmp.lt %l, %n if %in { store %y[%l], %l } }";
    let (_, kernel) = legal(text);
    let transfers = |n: i32| {
        let zeros = kir::MemoryBuffer::of_i32(&[-1; 32]);
        let mut memory = kir::Memory { buffers: vec![zeros] };
        let mut launch = launch_on(1, 0);
        launch.args = vec![kir::Arg::Buffer(0), kir::Arg::Scalar(kir::Const::i32(n))];
        let how = How { qpus: Some(1), ..How::default() };
        let (_, report) = emulate(&kernel, &mut memory, &launch, how).expect("it runs");
        let want: Vec<i32> = (0..32).map(|i| if i < n.min(16) { i } else { -1 }).collect();
        assert_eq!(memory.buffers, [kir::MemoryBuffer::of_i32(&want)], "{n} lanes");
        report.qpus.iter().map(|q| q.dma_stores).sum::<u64>()
    };
    assert_eq!([-3, 0, 1, 7, 15, 16, 20].map(transfers), [0, 0, 1, 1, 1, 1, 1]);
}

/// The last group has dead lanes, which are not stored.
#[test]
fn the_last_items_may_be_fewer_than_a_vector() {
    let body = "%i = item 0 %a = load %x[%i] %j = shl %i, 2 store %y[%j], %a";
    agrees(body, 100);
}

#[test]
fn rows_and_strides_have_gaps_of_their_own() {
    let body = "%w = worker %l = lane %r = mul %w, 256 %b = add %r, %l %a = load %x[%l] %d = mul %l, 5
                for %i in 0..2 step 1 {
                  %o = mul %i, 128 %p = add %r, %o %q = add %p, %d store %y[%q], %a
                  %e = mul %i, 64 %f = add %b, %e store %z[%f], %a %g = add %f, 32 store %z[%g], %l
                }";
    agrees(body, 0);
}

#[test]
fn elements_may_lie_as_far_apart_as_a_gap_reaches() {
    for stride in [2, 200, 255] {
        let body =
            format!("%w = worker %l = lane %d = mul %l, {stride} %e = add %d, %w %a = load %x[%l] store %y[%e], %a");
        agrees(&body, 0);
    }
}
