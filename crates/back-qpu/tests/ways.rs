//! Loads past the caches: several rows at once, and when they are chosen.

mod common;

use common::{How, floats, run_with};
use quadra_back_qpu as back;
use quadra_kir as kir;

/// Four rows in place, which workers take in turn.
const FOUR_ROWS: &str = "kernel @four_rows(%n: i32, %x: buf<f32, rw>) simd group=16 {
  %w = worker
  %all = num_workers
  %first = shl %w, 6
  %step = shl %all, 6
  for %0 in %first..%n step %step {
    %i1 = add %0, 16
    %i2 = add %0, 32
    %i3 = add %0, 48
    %a = load.row %x[%0]
    %b = load.row %x[%i1]
    %c = load.row %x[%i2]
    %d = load.row %x[%i3]
    %ab = add %a, %b
    %cd = mul %c, %d
    store.row %x[%0], %cd
    store.row %x[%i1], %ab
    store.row %x[%i2], %a
    store.row %x[%i3], %c
  }
}
";

/// Rows one behind the other that must come past the caches: 80 clocks each by itself, 138 for four at once.
#[test]
fn rows_that_a_block_loads_past_the_caches_come_together() {
    for (qpus, most) in [(1, 40.0), (2, 40.0), (4, 43.0), (12, 57.0)] {
        for level in [0, 1, 2] {
            let n = 64 * 25;
            let scalars = [kir::Const::i32(n as i32)];
            let how = How { qpus: Some(qpus), uncached: 0b10, level, ..How::default() };
            let memory = kir::Memory { buffers: vec![floats(n, 1)] };
            let outcome = run_with(FOUR_ROWS, memory, &scalars, &[false, true], how);
            let load = outcome.busy.iter().find(|(name, _)| name == "DMA load engine").map_or(0, |b| b.1) as f64;
            let each = load / (n / 16) as f64;
            println!("{qpus} QPUs, -O{level}: {each:.1} clocks per row");
            assert!(load > 0.0 && (level == 0 || each <= most), "{qpus} QPUs, -O{level}: {each:.1} clocks per row");
        }
    }
}

/// Rows in place that workers take in turn, one each.
const IN_PLACE: &str = "kernel @in_place(%n: i32, %x: buf<f32, rw>) simd group=16 {
  %w = worker
  %all = num_workers
  %first = shl %w, 4
  %step = shl %all, 4
  for %0 in %first..%n step %step {
    %a = load.row %x[%0]
    %b = mul %a, 0.5
    store.row %x[%0], %b
  }
}
";

/// What is changed in place past the caches is loaded into the rows that it is stored from, four at a time both ways, though
/// the rows of a worker lie apart in memory.
#[test]
fn rows_changed_in_place_come_and_go_together() {
    for qpus in [1, 2, 4, 12] {
        let n = 16 * 12 * 128;
        let scalars = [kir::Const::i32(n as i32)];
        let how = How { qpus: Some(qpus), uncached: 0b10, ..How::default() };
        let run = |how| run_with(IN_PLACE, kir::Memory { buffers: vec![floats(n, 1)] }, &scalars, &[false, true], how);
        let outcome = run(how);
        let through_tmu = run(How { qpus: Some(qpus), loads: back::Loads::Tmu, ..How::default() }).clocks;
        let busy = |engine: &str| outcome.busy.iter().find(|(name, _)| name == engine).map_or(0, |b| b.1) as f64;
        let each = [busy("DMA load engine"), busy("DMA store engine")].map(|t| t / (n / 16) as f64);
        let in_all = [outcome.clocks, through_tmu].map(|t| t as f64 / (n / 16) as f64);
        println!("{qpus} QPUs: {each:.1?} clocks per row, {:.1} in all, {:.1} through a TMU", in_all[0], in_all[1]);
        assert!(in_all[1] < in_all[0], "the VPM does not pay where a TMU will do");
        assert!(each[0] > 0.0 && each[0] <= 56.0 && each[1] <= 54.0, "{qpus} QPUs: {each:.1?} clocks per row");
    }
}

/// A sum of several streams, of which workers take rows in turn.
fn streams(count: usize) -> String {
    let params: String = (0..count).map(|i| format!("%x{i}: buf<f32, r>, ")).collect();
    let mut body = String::from("%s0 = load.row %x0[%0]\n");
    for i in 1..count {
        body += &format!("%v{i} = load.row %x{i}[%0]\n%s{i} = add %s{}, %v{i}\n", i - 1);
    }
    format!(
        "kernel @streams(%n: i32, {params}%y: buf<f32, w>) simd group=16 {{
  %w = worker
  %all = num_workers
  %first = shl %w, 4
  %step = shl %all, 4
  for %0 in %first..%n step %step {{
    {body}
    store.row %y[%0], %s{}
  }}
}}
",
        count - 1
    )
}

/// Of several streams some are loaded past the caches, where the way from memory to the L2 cache is what all wait for.
#[test]
fn streams_share_both_ways_to_memory() {
    for (count, qpus) in
        [(1, 12), (2, 12), (3, 12), (4, 12), (5, 12), (6, 12), (8, 12), (4, 1), (4, 4), (4, 8), (4, 10), (5, 9), (6, 8)]
    {
        let n = 16 * 12 * 32;
        let order: Vec<bool> = (0..count + 2).map(|i| i > 0).collect();
        let time = |loads: back::Loads| {
            let buffers = (0..=count as u32).map(|i| floats(n, i)).collect();
            let how = How { qpus: Some(qpus), loads, ..How::default() };
            run_with(&streams(count), kir::Memory { buffers }, &[kir::Const::i32(n as i32)], &order, how).clocks
        };
        let of = |loads| time(loads) as f64 / (n / 16) as f64;
        let (tmu, vpm, auto) = (of(back::Loads::Tmu), of(back::Loads::Vpm), of(back::Loads::Auto));
        println!("{count} streams, {qpus} QPUs: TMU {tmu:.1}, VPM {vpm:.1}, chosen {auto:.1} clocks per row");
        // The choice counts on two ways side by side; the timing model lets them share the memory, and finds the TMUs alone faster
        // by up to a fifth where both are used.
        assert!(auto <= 1.25 * tmu.min(vpm), "{count} streams, {qpus} QPUs");
        assert!(auto <= vpm, "{count} streams, {qpus} QPUs");
    }
}
