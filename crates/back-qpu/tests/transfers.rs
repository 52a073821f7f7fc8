//! How kernels move data: what it costs in the model of the machine's time, and that the result is the interpreter's.

mod common;

use common::{How, floats, run, run_with};
use quadra_back_qpu as back;
use quadra_kir as kir;

/// Rotation of vertices in place: load, compute, store.
const ROTATE: &str =
    "kernel @rot3d_v1(%n: i32, %cos_theta: f32, %sin_theta: f32, %x: buf<f32, rw>, %y: buf<f32, rw>) simd group=16 {
  for %0 in 0..%n step 16 {
    %1 = load.row %x[%0]
    %2 = load.row %y[%0]
    %3 = mul %1, %cos_theta
    %4 = mul %2, %sin_theta
    %5 = sub %3, %4
    store.row %x[%0], %5
    %6 = mul %2, %cos_theta
    %7 = mul %1, %sin_theta
    %8 = add %6, %7
    store.row %y[%0], %8
  }
}
";

/// The same with requests one iteration ahead.
const ROTATE_AHEAD: &str =
    "kernel @rot3d_v2(%n: i32, %cos_theta: f32, %sin_theta: f32, %x: buf<f32, rw>, %y: buf<f32, rw>) simd group=16 {
  %0 = lane
  tmu.request %x[%0]
  tmu.request %y[%0]
  %1 = add %0, 16
  for %2 in 0..%n step 16 {
    %3 = add %1, %2
    tmu.request %x[%3]
    tmu.request %y[%3]
    %4 = tmu.receive <f32>
    %5 = tmu.receive <f32>
    %6 = mul %4, %cos_theta
    %7 = mul %5, %sin_theta
    %8 = sub %6, %7
    store.row %x[%2], %8
    %9 = mul %5, %cos_theta
    %10 = mul %4, %sin_theta
    %11 = add %9, %10
    store.row %y[%2], %11
  }
  %12 = tmu.receive <f32>
  %13 = tmu.receive <f32>
}
";

/// The same on several workers, which take rows in turn.
const ROTATE_IN_TURN: &str =
    "kernel @rot3d_v3(%n: i32, %cos_theta: f32, %sin_theta: f32, %x: buf<f32, rw>, %y: buf<f32, rw>) simd group=16 {
  %0 = num_workers
  %1 = shl %0, 4
  %2 = lane
  %3 = worker
  %4 = shl %3, 4
  %5 = add %2, %4
  tmu.request %x[%5]
  tmu.request %y[%5]
  %6 = sub %5, %4
  %7 = add %6, %1
  for %8 in %4..%n step %1 {
    %9 = add %7, %8
    tmu.request %x[%9]
    tmu.request %y[%9]
    %10 = tmu.receive <f32>
    %11 = tmu.receive <f32>
    %12 = mul %10, %cos_theta
    %13 = mul %11, %sin_theta
    %14 = sub %12, %13
    store.row %x[%8], %14
    %15 = mul %11, %cos_theta
    %16 = mul %10, %sin_theta
    %17 = add %15, %16
    store.row %y[%8], %17
  }
  %18 = tmu.receive <f32>
  %19 = tmu.receive <f32>
}
";

/// One step of heat flow on a grid with windows of vectors that slide along its rows.
const HEAT: &str = "kernel @step(%grid: buf<f32, r>, %grid_out: buf<f32, w>, %pitch: i32, %width: i32, %height: i32) simd group=16 {
  %0 = worker
  %1 = shr %pitch, 24
  %2 = shr %0, 24
  %3 = mul24 %pitch, %0
  %4 = mul24 %1, %0
  %5 = mul24 %pitch, %2
  %6 = add %4, %5
  %7 = shl %6, 24
  %8 = add %3, %7
  %9 = lane
  %10 = add %8, %9
  %11 = num_workers
  %12 = add %pitch, 16
  %13 = shl %pitch, 1
  %14 = add %13, 16
  %15 = add %pitch, 32
  %16 = add %13, 32
  %17 = cmp.eq %9, 15
  %18 = cmp.eq %9, 0
  %19 = shr %11, 24
  %20 = mul24 %pitch, %11
  %21 = mul24 %1, %11
  %22 = mul24 %pitch, %19
  %23 = add %21, %22
  %24 = shl %23, 24
  %25 = add %20, %24
  %grid.1 = for %26 in %0..%height step %11 (%grid.2: <i32> = %10) {
    %27 = shr %26, 24
    %28 = mul24 %26, %pitch
    %29 = mul24 %27, %pitch
    %30 = mul24 %26, %1
    %31 = add %29, %30
    %32 = shl %31, 24
    %33 = add %28, %32
    %34 = add %pitch, %33
    tmu.request %grid[%grid.2]
    %35 = add %grid.2, 16
    %36 = add %grid.2, %pitch
    tmu.request %grid[%36]
    %37 = add %12, %grid.2
    %38 = add %grid.2, %13
    tmu.request %grid[%38]
    %39 = add %14, %grid.2
    %40 = tmu.receive <f32>
    tmu.request %grid[%35]
    %41 = tmu.receive <f32>
    tmu.request %grid[%37]
    %42 = tmu.receive <f32>
    tmu.request %grid[%39]
    %43 = add %grid.2, 32
    %44 = add %15, %grid.2
    %45 = add %16, %grid.2
    %row, %row.1, %row.2, %row.3, %row.4, %row.5 = for %46 in 0..%width step 16 (%row.6: <f32> = 0.0, %row.7: <f32> = %40, %row.8: <f32> = 0.0, %row.9: <f32> = %41, %row.10: <f32> = 0.0, %row.11: <f32> = %42) {
      %p = add %34, %46
      %47 = add %43, %46
      tmu.request %grid[%47]
      %48 = tmu.receive <f32>
      %49 = add %44, %46
      tmu.request %grid[%49]
      %50 = tmu.receive <f32>
      %51 = add %45, %46
      tmu.request %grid[%51]
      %52 = tmu.receive <f32>
      %53 = rotate %row.7, 15
      %54 = rotate %48, 15
      %55 = select %17, %54, %53
      %56 = rotate %row.9, 15
      %57 = rotate %50, 15
      %58 = select %17, %57, %56
      %59 = rotate %row.11, 15
      %60 = rotate %52, 15
      %61 = select %17, %60, %59
      %62 = rotate %row.7, 1
      %63 = rotate %row.6, 1
      %64 = select %18, %63, %62
      %65 = rotate %row.9, 1
      %66 = rotate %row.8, 1
      %67 = select %18, %66, %65
      %68 = rotate %row.11, 1
      %69 = rotate %row.10, 1
      %70 = select %18, %69, %68
      %71 = add %64, %row.7
      %72 = add %71, %55
      %73 = add %72, %67
      %74 = add %73, %58
      %75 = add %74, %70
      %76 = add %75, %row.11
      %77 = add %76, %61
      %78 = mul %77, 0.125
      %79 = sub %row.9, %78
      %80 = mul %79, 0.25
      %81 = sub %row.9, %80
      store.row %grid_out[%p], %81
      yield %row.7, %48, %row.9, %50, %row.11, %52
    }
    %82 = tmu.receive <f32>
    %83 = tmu.receive <f32>
    %84 = tmu.receive <f32>
    %85 = add %grid.2, %25
    yield %85
  }
}
";

/// The sum of nine neighbours, load by load.
const STENCIL: &str =
    "kernel @stencil(%grid: buf<f32, r>, %out: buf<f32, w>, %pitch: i32, %width: i32, %height: i32) simd group=16 {
  %me = worker
  %all = num_workers
  for %y in %me..%height step %all {
    %r0 = mul24 %y, %pitch
    %r1 = add %r0, %pitch
    %r2 = add %r1, %pitch
    for %x0 in 0..%width step 16 {
      %x1 = add %x0, 1
      %x2 = add %x0, 2
      %a00 = add %r0, %x0
      %v00 = load.row %grid[%a00]
      %a01 = add %r0, %x1
      %v01 = load.row %grid[%a01]
      %a02 = add %r0, %x2
      %v02 = load.row %grid[%a02]
      %a10 = add %r1, %x0
      %v10 = load.row %grid[%a10]
      %a11 = add %r1, %x1
      %v11 = load.row %grid[%a11]
      %a12 = add %r1, %x2
      %v12 = load.row %grid[%a12]
      %a20 = add %r2, %x0
      %v20 = load.row %grid[%a20]
      %a21 = add %r2, %x1
      %v21 = load.row %grid[%a21]
      %a22 = add %r2, %x2
      %v22 = load.row %grid[%a22]
      %s0 = add %v00, %v01
      %s1 = add %s0, %v02
      %s2 = add %s1, %v10
      %s3 = add %s2, %v11
      %s4 = add %s3, %v12
      %s5 = add %s4, %v20
      %s6 = add %s5, %v21
      %s7 = add %s6, %v22
      %m = mul %s7, 0.125
      store.row %out[%a00], %m
    }
  }
}
";

/// Clocks and slots per vector of 16 vertices.
fn rotate(text: &str, qpus: u32) -> (f64, f64) {
    const N: usize = 19_200;
    let memory = kir::Memory { buffers: vec![floats(N, 1), floats(N, 2)] };
    let scalars = [kir::Const::i32(N as i32), kir::Const::f32(0.8), kir::Const::f32(0.6)];
    let outcome = run(text, memory, &scalars, &[false, false, false, true, true], qpus);
    let vectors = N as f64 / 16.0;
    let found = (outcome.clocks as f64 / vectors, outcome.report.issued() as f64 / vectors);
    println!("{qpus} QPUs: {:.1} clocks, {:.2} slots per 16 vertices", found.0, found.1);
    found
}

#[test]
fn a_plain_loop_is_as_fast_as_one_that_requests_ahead() {
    let (plain, _) = rotate(ROTATE, 1);
    let (ahead, _) = rotate(ROTATE_AHEAD, 1);
    assert!(plain <= 1.05 * ahead, "{plain} clocks instead of {ahead}");
}

/// The store engine takes 39 clocks per transfer and 14 per row for the whole chip: single rows would cost 106 clocks.
#[test]
fn twelve_qpus_rotate_at_the_speed_of_two_rows_per_store() {
    let (clocks, slots) = rotate(ROTATE_IN_TURN, 12);
    assert!(clocks <= 75.0, "{clocks} clocks per 16 vertices");
    assert!(slots <= 20.0, "{slots} slots per 16 vertices");
}

/// Nine loads per vector would keep the TMU, which looks up one lane per clock for two QPUs, busy for 288 clocks.
#[test]
fn a_plain_stencil_loads_each_vector_once() {
    let (pitch, width, height) = (512usize, 496, 24);
    let memory = kir::Memory { buffers: vec![floats(pitch * (height + 2), 1), floats(pitch * (height + 2), 2)] };
    let scalars = [pitch, width, height].map(|n| kir::Const::i32(n as i32));
    let outcome = run(STENCIL, memory, &scalars, &[true, true, false, false, false], 4);
    let vectors = (width / 16 * height) as f64;
    let (clocks, slots) = (4.0 * outcome.clocks as f64 / vectors, outcome.report.issued() as f64 / vectors);
    println!("{clocks:.1} clocks of each QPU, {slots:.2} slots per 16 cells");
    let lookups = outcome.busy.iter().filter(|(name, _)| name.starts_with("TMU")).map(|b| b.1).sum::<u64>() as f64;
    assert!(lookups / 16.0 / vectors <= 3.5, "{} lookups per 16 cells", lookups / 16.0 / vectors);
    assert!(clocks <= 210.0 && slots <= 40.0, "{clocks} clocks, {slots} slots per 16 cells");
}

/// A grid that the launch writes by other means than the kernel shows is read by DMA, although the kernel requests it.
#[test]
fn requests_of_what_the_launch_writes_become_loads() {
    for level in [0, 1, 2] {
        let (pitch, width, height) = (64usize, 32, 4);
        let memory = kir::Memory { buffers: vec![floats(pitch * (height + 2), 1), floats(pitch * (height + 2), 2)] };
        let scalars = [pitch, width, height].map(|n| kir::Const::i32(n as i32));
        let how = How { qpus: Some(2), uncached: 1, level, ..How::default() };
        let outcome = run_with(HEAT, memory, &scalars, &[true, true, false, false, false], how);
        let used: Vec<&str> = outcome.busy.iter().map(|(name, _)| name.as_str()).collect();
        assert!(!used.iter().any(|u| u.to_lowercase().contains("tmu")), "{used:?}");
    }
}

/// Three rows of the grid per vector: 238 clocks of the load engine one by one, 103 four at a time.
#[test]
fn windows_past_the_caches_slide_by_several_rows_at_once() {
    for (qpus, most) in [(1, 290.0), (4, 135.0), (12, 165.0)] {
        let (pitch, width, height) = (512usize, 496, 48);
        // Requests run ahead of the last row.
        let memory = kir::Memory { buffers: vec![floats(pitch * (height + 4), 1), floats(pitch * (height + 2), 2)] };
        let scalars = [pitch, width, height].map(|n| kir::Const::i32(n as i32));
        let how = How { qpus: Some(qpus), loads: back::Loads::Vpm, ..How::default() };
        let outcome = run_with(HEAT, memory, &scalars, &[true, true, false, false, false], how);
        let clocks = outcome.clocks as f64 / (width / 16 * height) as f64;
        println!("{qpus} QPUs: {clocks:.1} clocks per 16 cells");
        assert!(clocks <= most, "{qpus} QPUs: {clocks:.1} clocks per 16 cells");
    }
}

/// Single rows would cost 53 clocks, four at once cost 24.
#[test]
fn twelve_qpus_compute_heat_at_the_speed_of_four_rows_per_store() {
    let (pitch, width, height) = (512usize, 496, 48);
    let memory = kir::Memory { buffers: vec![floats(pitch * (height + 2), 1), floats(pitch * (height + 2), 2)] };
    let scalars = [pitch, width, height].map(|n| kir::Const::i32(n as i32));
    let outcome = run(HEAT, memory, &scalars, &[true, true, false, false, false], 12);
    let vectors = (width / 16 * height) as f64;
    let (clocks, slots) = (outcome.clocks as f64 / vectors, outcome.report.issued() as f64 / vectors);
    println!("{clocks:.1} clocks, {slots:.2} slots per 16 cells");
    assert!(clocks <= 31.0 && slots <= 38.0, "{clocks} clocks, {slots} slots per 16 cells");
}

/// Sums of products down a column of A, one row per lane, and along a row of B, for each row of B.
const PRODUCT: &str = "kernel @product(%k: i32, %a: buf<f32, r>, %b: buf<f32, r>, %c: buf<f32, w>) simd group=16 {
  %l = lane
  %first = mul24 %l, %k
  tmu.request %a[%first]
  tmu.request %b[%l]
  %last = sub %k, 1
  %p, %q, %s = for %i in 0..%last (%p0: <i32> = %first, %q0: <i32> = %l, %s0: <f32> = 0.0) {
    %x = tmu.receive <f32>
    %p1 = add %p0, 1
    tmu.request %a[%p1]
    %y = tmu.receive <f32>
    %q1 = add %q0, 16
    tmu.request %b[%q1]
    SUMS
    yield %p1, %q1, %t
  }
  %u = tmu.receive <f32>
  %v = tmu.receive <f32>
  %w = mul %u, %v
  %sum = add %s, %w
  store.row %c[0], %sum
}
";

/// With time enough in the loop, the rows of four QPUs go through one TMU, their scattered words through the other.
#[test]
fn rows_and_scattered_words_have_a_tmu_each() {
    let k = 40;
    let product = |turns: usize| {
        let mut sums = String::from("%z = mul %x, %y\n%t0 = add %s0, %z\n");
        (0..turns).for_each(|i| sums += &format!("%z{i} = mul %x, %t{i}\n%t{} = add %t{i}, %z{i}\n", i + 1));
        sums += &format!("%t = mul %t{turns}, 0.5\n");
        PRODUCT.replace("SUMS", &sums)
    };
    for (turns, alone) in [(40, true), (2, false)] {
        let memory = kir::Memory { buffers: vec![floats(16 * k, 1), floats(16 * k, 2), floats(16, 3)] };
        let outcome = run(&product(turns), memory, &[kir::Const::i32(k as i32)], &[false, true, true, true], 4);
        let busy = |unit: &str| outcome.busy.iter().find(|(name, _)| name == unit).map_or(0, |b| b.1);
        let (rows, scattered) = (busy("TMU 0 of slice 0"), busy("TMU 1 of slice 0"));
        assert_eq!(rows, scattered, "both get one vector per step: {alone}");
        let lookups = outcome.lines.lookups;
        println!("{turns}: {lookups} lines");
        // 40 rows of B, and 16 rows of A in 40 lines: once for all four QPUs, or by both TMUs.
        assert_eq!(lookups <= 40 + 48, alone, "{lookups} lines with {turns} turns");
    }
}
