//! Loads, stores, requests and synchronisation, compiled and run on the emulator.

mod common;

use common::{How, emulate, parse};
use quadra_kir as kir;

fn ints(memory: &kir::Memory, i: usize) -> Vec<i32> {
    memory.buffers[i].words().into_iter().map(|w| w as i32).collect()
}

fn memory(buffers: &[&[i32]]) -> kir::Memory {
    kir::Memory { buffers: buffers.iter().map(|b| kir::MemoryBuffer::of_i32(b)).collect() }
}

fn buffers(n: usize) -> kir::Launch {
    kir::Launch::new((0..n).map(kir::Arg::Buffer).collect())
}

/// Runs at every level and compares every buffer.
fn expect(text: &str, launch: &kir::Launch, input: &[&[i32]], output: &[&[i32]]) {
    let kernel = parse(text);
    for level in [0, 1, 2] {
        for qpus in [None, Some(launch.workers)] {
            let mut m = memory(input);
            let how = How { level, qpus, ..How::default() };
            let (c, _) = emulate(&kernel, &mut m, launch, how).unwrap_or_else(|e| panic!("{e}\n{text}"));
            for (i, want) in output.iter().enumerate() {
                assert_eq!(ints(&m, i), *want, "buffer {i} at level {level}\n{}", common::listing(&c));
            }
        }
    }
}

#[test]
fn masked_accesses_touch_live_lanes_only() {
    // The buffers end behind the live lanes: any other access would be a fault.
    let text = "kernel @t(%x: buf<i32, 1, r>, %y: buf<i32, 1, rw>) simt {
        %l = lane
        %c = cmp.lt %l, 5
        if %c {
          %i = mul24 %l, 2
          %v = load %x[%i]
          %o = load %y[%l]
          %w = add %v, %o
          store %y[%l], %w
        }
    }";
    expect(
        text,
        &buffers(2),
        &[&[1, 2, 3, 4, 5, 6, 7, 8, 9], &[10, 20, 30, 40, 50]],
        &[&[1, 2, 3, 4, 5, 6, 7, 8, 9], &[11, 23, 35, 47, 59]],
    );
}

#[test]
fn masked_rows_touch_live_lanes_only() {
    let text = "kernel @t(%x: buf<i32, 1, r>, %y: buf<i32, 1, rw>) simd {
        %l = lane
        %c = cmp.lt %l, 5
        %v = load.row %x[1] if %c
        %o = load.row %y[0] if %c
        %w = add %v, %o
        store.row %y[0], %w if %c
        %all = cmp.ge %l, 0
        %u = load.row %x[0] if %all
        store.row %y[5], %u if %all
        %r = load.row %y[5] if %all
        %s = add %r, 1
        store.row %y[5], %s
        return
    }";
    let x: Vec<i32> = (0..16).collect();
    let y = [[10, 20, 30, 40, 50].as_slice(), &[0; 16]].concat();
    let want = [[11, 22, 33, 44, 55].as_slice(), &(1..17).collect::<Vec<_>>()].concat();
    expect(text, &buffers(2), &[&x, &y], &[&x, &want]);
}

#[test]
fn what_this_launch_stores_is_loaded_back() {
    let text = "kernel @t(%y: buf<i32, 1, rw>) simd {
        %a = load.row %y[0]
        %b = add %a, 5
        store.row %y[0], %b
        %c = load.row %y[0]
        %s = load %y[3]
        %l = lane
        %i = sub 15, %l
        %g = load %y[%i]
        %t = add %c, %s
        %u = add %t, %g
        store %y[%i], %u
        store %y[0], 7
        return
    }";
    let y: Vec<i32> = (0..16).collect();
    let mut want = vec![0; 16];
    for l in 0..16i32 {
        want[15 - l as usize] = (l + 5) + 8 + (15 - l + 5);
    }
    want[0] = 7;
    expect(text, &buffers(1), &[&y], &[&want]);
}

#[test]
fn the_last_lane_wins_where_a_store_hits_one_element_twice() {
    let text = "kernel @t(%y: buf<i32, 1, w>) simd {
        %l = lane
        %i = shr %l, 2
        store %y[%i], %l
        return
    }";
    expect(text, &buffers(1), &[&[0; 4]], &[&[3, 7, 11, 15]]);
}

#[test]
fn requests_and_plain_loads_do_not_get_mixed_up() {
    let text = "kernel @t(%x: buf<i32, 1, r>, %y: buf<i32, 1, w>) simd {
        %l = lane
        tmu.request %x[%l]
        %i = add %l, 16
        tmu.request %x[%i]
        %p = load.row %x[32]
        %a = tmu.receive <i32>
        %s = for %k in 0..4 (%acc: <i32> = %p) {
          %j = shl %k, 4
          %m = add %j, %l
          tmu.request %x[%m]
          %b = tmu.receive <i32>
          %q = load %x[%m]
          %d = mul24 %b, 3
          %e = add %d, %q
          %f = add %acc, %e
          yield %f
        }
        %z = tmu.receive <i32>
        %t = add %s, %z
        %u = mul24 %a, 100
        %w = add %t, %u
        store.row %y[0], %w
        return
    }";
    let x: Vec<i32> = (0..64).map(|i| i * i).collect();
    let at = |k: usize, l: usize| x[16 * k + l];
    let mut want = Vec::new();
    for l in 0..16 {
        // One request is open in front of those of the loop, so each receives what the one before asked for.
        let asked = [at(1, l), at(0, l), at(1, l), at(2, l), at(3, l)];
        let mut s = at(2, l);
        for (k, a) in asked[..4].iter().enumerate() {
            s += 3 * a + at(k, l);
        }
        want.push(s + asked[4] + 100 * at(0, l));
    }
    expect(text, &buffers(2), &[&x, &[0; 16]], &[&x, &want]);
}

#[test]
fn atomics_return_old_values_and_lose_no_update() {
    let text = "kernel @t(%y: buf<i32, 1, rw>, %z: buf<i32, 1, w>) simd {
        %l = lane
        %i = and %l, 3
        %o = atomic.add %y[%i], 10
        %w = worker
        %base = shl %w, 4
        store.row %z[%base], %o
        return
    }";
    let old: Vec<i32> = (0..16).map(|l| l % 4 + 10 * (l / 4)).collect();
    expect(text, &buffers(2), &[&[0, 1, 2, 3], &[0; 16]], &[&[40, 41, 42, 43], &old]);
    // With several QPUs the order is open, but every update counts.
    let kernel = parse(text);
    let mut m = memory(&[&[0, 1, 2, 3], &[0; 16 * 12]]);
    let launch = kir::Launch { workers: 12, ..buffers(2) };
    emulate(&kernel, &mut m, &launch, How::default()).expect("runs");
    assert_eq!(ints(&m, 0), [480, 481, 482, 483]);
}

#[test]
fn workers_wait_for_each_other() {
    let text = "kernel @t(%y: buf<i32, 1, rw>) simd concurrent {
        %w = worker
        %n = num_workers
        %l = lane
        %a = shl %w, 4
        %v = add %l, %a
        store.row %y[%a], %v
        %first = cmp.eq %w, 0
        if %first {
          %m = sub %n, 1
          for %k in 0..%m { sema.dec 3 }
          %s = for %k in 0..%n (%acc: <i32> = 0) {
            %b = shl %k, 4
            %x = load.row %y[%b]
            %t = add %acc, %x
            yield %t
          }
          store.row %y[0], %s
          host.irq
        } else {
          sema.inc 3
        }
        return
    }";
    for workers in [1i32, 4, 12] {
        let input = vec![0; 16 * workers as usize];
        let mut want: Vec<i32> = (0..16 * workers).collect();
        for l in 0..16 {
            want[l as usize] = (0..workers).map(|w| l + 16 * w).sum();
        }
        let launch = kir::Launch { workers: workers as u32, ..buffers(1) };
        expect(text, &launch, &[&input], &[&want]);
    }
}

#[test]
fn lanes_move_by_constants_and_by_values() {
    let text = "kernel @t(%y: buf<i32, 1, w>, %n: i32) simd {
        %l = lane
        %a = rotate %l, 3
        store.row %y[0], %a
        %b = rotate %l, %n
        store.row %y[16], %b
        %c = broadcast %l, 5
        %d = broadcast %l, %n
        %e = mul24 %c, 100
        %f = add %e, %d
        store %y[32], %f
        return
    }";
    let mut launch = buffers(1);
    launch.args.push(kir::Arg::Scalar(kir::Const::i32(23)));
    let mut want: Vec<i32> = (0..16).map(|i| (i + 16 - 3) % 16).collect();
    want.extend((0..16).map(|i| (i + 16 - 7) % 16));
    want.push(507);
    expect(text, &launch, &[&[0; 33]], &[&want]);
}

#[test]
fn votes_ask_live_lanes() {
    let text = "kernel @t(%x: buf<i32, 1, r>, %y: buf<i32, 1, w>) simd {
        %v = load.row %x[0]
        %m = cmp.gt %v, 0
        %big = cmp.gt %v, 8
        %any = vote.any %big if %m
        %all = vote.all %big if %m
        %none = vote.any %m
        %i = to.i32 %any
        %j = to.i32 %all
        %k = to.i32 %none
        %j2 = shl %j, 1
        %k2 = shl %k, 2
        %s = add %i, %j2
        %t = add %s, %k2
        store %y[0], %t
        %na = not %all
        if %na { store %y[1], 1 } else { store %y[1], 2 }
        return
    }";
    let case = |x: [i32; 16], want: [i32; 2]| expect(text, &buffers(2), &[&x, &[0; 2]], &[&x, &want]);
    case([-1; 16], [2, 2]);
    case([9; 16], [7, 2]);
    let mut x = [-5; 16];
    x[7] = 3;
    case(x, [4, 1]);
    x[9] = 12;
    case(x, [5, 1]);
}

#[test]
fn prints_and_assertions_speak_as_in_the_interpreter() {
    let text = "kernel @t(%x: buf<i32, 1, r>, %y: buf<i32, 1, w>) simd {
        %v = load.row %x[0]
        %m = cmp.gt %v, 3
        %f = to.f32 %v
        %w = worker
        print \"worker {}: {} and {}\", %w, %v, %f
        %s = for %k in 0..3 (%a: <i32> = %v) {
          print \"big {} {} {}\", %k, %a, %m if %m
          %b = add %a, 1
          yield %b
        }
        %ok = cmp.lt %s, 12
        store.row %y[0], %s
        assert \"small enough\", %ok
        return
    }";
    let kernel = parse(text);
    for (x, fails) in [([0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5, 6], false), ([9; 16], true)] {
        let launch = kir::Launch { arithmetic: kir::Arithmetic::TowardZero, ..buffers(2) };
        let (mut want, mut got) = (Vec::new(), Vec::new());
        let mut m = memory(&[&x, &[0; 16]]);
        let r = kir::interp::simd::run(&kernel, &mut m, &launch, &mut |line| want.push(line.to_string()));
        assert_eq!(r.is_err(), fails);
        for level in [0, 1, 2] {
            got.clear();
            let mut m = memory(&[&x, &[0; 16]]);
            let how = How { level, ..How::default() };
            let r = common::emulate_printing(&kernel, &mut m, &launch, how, &mut |l| got.push(l.to_string()));
            assert_eq!(want, got);
            assert_eq!(want.len(), 4);
            match r {
                Err(text) => assert!(fails && text.contains("small enough"), "{text}"),
                Ok(_) => assert!(!fails),
            }
        }
    }
}

#[test]
fn buffers_that_may_be_one_are_loaded_by_dma() {
    let kernel = parse(
        "kernel @t(%x: buf<i32, 1, r>, %y: buf<i32, 1, w>) simd {
           %v = load.row %x[0]
           store.row %y[0], %v
           return
         }",
    );
    let lookups = |alias: bool| {
        let options = quadra_back_qpu::Options { alias, ..Default::default() };
        let program = quadra_back_qpu::compile(&kernel, &options).expect("compiles").program;
        program.insts.iter().flat_map(|i| i.writes()).filter(|w| w.1.is_tmu()).count()
    };
    assert_eq!((lookups(false), lookups(true)), (1, 0));
}
