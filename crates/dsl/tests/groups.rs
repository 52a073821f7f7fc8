//! Groups with shared arrays and barriers, on every device as in plain Rust; and arrays of single items.

extern crate quadra_dsl as quadra;

use quadra_device::{Device, open};
use quadra_dsl::prelude::*;
use std::sync::Arc;

fn devices() -> Vec<(&'static str, Arc<dyn Device>)> {
    ["interp", "interp-qpu", "cpu", "emu"].into_iter().filter_map(|name| Some((name, open(name).ok()?))).collect()
}

/// A sum over each group by halves, in a loop with a barrier.
#[kernel]
fn group_sums(#[host] n: u32, x: Ptr<Int>, out: Ptr<Int>) {
    let i = group(n);
    let part = shared::<i32, 256>();
    part.at(i).scatter(x.at(item()).load_lanes());
    let mut half = int(n as i32 / 2);
    while half > 0 {
        barrier();
        if i < half {
            part.at(i).scatter(part.at(i).load_lanes() + part.at(i + half).load_lanes());
        }
        half = half >> 1;
    }
    if i == 0 {
        out.at(group_number()).scatter(part.at(0).load_lanes());
    }
}

#[test]
fn a_reduction_by_halves() {
    for n in [16, 32, 64, 256] {
        let input: Vec<i32> = (0..1024).map(|i| i * i % 91 - 40).collect();
        let want: Vec<i32> = input.chunks(n as usize).map(|c| c.iter().sum()).collect();
        for (name, device) in devices() {
            for qpus in [1, 3] {
                let (x, out) = (Buffer::from(input.clone()), Buffer::<i32>::new(want.len()));
                let k = group_sums(n).compile(&*device).unwrap_or_else(|e| panic!("{name}, {n}: {e}"));
                k.qpus(qpus).over(1024).call((&x, &out)).unwrap_or_else(|e| panic!("{name}, {n}: {e}"));
                assert_eq!(out.to_vec(), want, "{name}, groups of {n}, {qpus} QPUs");
            }
        }
    }
}

/// Variables, private values and a vote live across barriers; items of one group turn their numbers round.
#[kernel]
fn reversed_runs(turns: Int, x: Ptr<Float>, out: Ptr<Float>) {
    let i = group(48);
    let a = shared::<f32, 48>();
    let mut v = x.at(item()).load_lanes();
    let mut odd = (i & 1) == 1;
    let mut changes = int(0);
    for t in range(0, turns, 1) {
        a.at(i).scatter(v);
        barrier();
        let other = a.at(47 - i).load_lanes();
        if odd {
            v = v + other;
            changes += 1;
        }
        if any(odd) {
            odd = !odd;
        }
        barrier();
        if t == 1 {
            v = v * 2.0;
        }
    }
    out.at(item()).scatter(v + changes.to_float());
}

#[test]
fn values_of_items_live_across_barriers() {
    let input: Vec<f32> = (0..96).map(|i| (i % 13) as f32).collect();
    let mut want = input.clone();
    for group in want.chunks_mut(48) {
        let mut odd: Vec<bool> = (0..48).map(|i| i % 2 == 1).collect();
        let mut changes = [0; 48];
        for t in 0..3 {
            let a = group.to_vec();
            for i in 0..48 {
                if odd[i] {
                    group[i] += a[47 - i];
                    changes[i] += 1;
                }
                odd[i] = !odd[i];
                if t == 1 {
                    group[i] *= 2.0;
                }
            }
        }
        group.iter_mut().zip(changes).for_each(|(v, n)| *v += n as f32);
    }
    for (name, device) in devices() {
        let (x, out) = (Buffer::from(input.clone()), Buffer::<f32>::new(96));
        let k = reversed_runs().compile(&*device).unwrap_or_else(|e| panic!("{name}: {e}"));
        k.over(96).call((3, &x, &out)).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(out.to_vec(), want, "{name}");
    }
}

/// A matrix is transposed by tiles of 8 × 8.
#[kernel]
fn transpose(n: Int, x: Ptr<Int>, out: Ptr<Int>) {
    groups([8, 8]);
    let tile = shared::<i32, 64>();
    let (r, c) = (local_at(0), local_at(1));
    tile.at(r * 8 + c).scatter(x.at(item_at(0) * n + item_at(1)).load_lanes());
    barrier();
    if r + c == 100 {
        return;
    }
    let (row, column) = (group_at(1) * 8 + r, group_at(0) * 8 + c);
    out.at(row * extent(0) + column).scatter(tile.at(c * 8 + r).load_lanes());
}

#[test]
fn tiles_of_two_axes() {
    let (rows, columns) = (16usize, 24usize);
    let input: Vec<i32> = (0..(rows * columns) as i32).collect();
    for (name, device) in devices() {
        let (x, out) = (Buffer::from(input.clone()), Buffer::<i32>::new(rows * columns));
        let k = transpose().compile(&*device).unwrap_or_else(|e| panic!("{name}: {e}"));
        let k = k.qpus(2).over([rows as u32, columns as u32]);
        k.call((columns as i32, &x, &out)).unwrap_or_else(|e| panic!("{name}: {e}"));
        for r in 0..rows {
            for c in 0..columns {
                assert_eq!(out.get(c * rows + r), input[r * columns + c], "{name}, {r}, {c}");
            }
        }
    }
}

#[test]
fn what_groups_cannot_be() {
    for (name, device) in devices() {
        let k = group_sums(32).compile(&*device).unwrap();
        let (x, out) = (Buffer::<i32>::new(64), Buffer::<i32>::new(4));
        let e = k.over(40).call((&x, &out)).unwrap_err().to_string();
        assert!(e.contains("no whole number of groups of 32"), "{name}: {e}");
    }
    #[kernel]
    fn apart(x: Ptr<Int>) {
        let i = group(32);
        if i < 3 {
            barrier();
        }
        x.at(item()).scatter(i);
    }
    for (name, device) in devices() {
        let e = apart().compile(&*device).err().unwrap_or_else(|| panic!("{name} accepts it")).to_string();
        assert!(e.contains("E0311"), "{name}: {e}");
    }
    assert!(group_sums(40).record().is_err());
}

#[kernel]
fn counted(x: Ptr<Int>, n: Int, out: Ptr<Int>) {
    let mut counts = private::<i32, 5>();
    for i in range(0, n, 1) {
        let v = x.at(i * 16 + index()).load_lanes();
        counts.set(v, counts.get(v) + 1);
    }
    let mut sum = int(0);
    for i in range(0, 5, 1) {
        sum = sum * 10 + counts.get(i);
    }
    *out = sum + counts.get(7) + counts.elements()[0] * 1_000_000;
}

#[test]
fn arrays_of_an_item_are_indexed_by_the_kernel() {
    let input: Vec<i32> = (0..96).map(|i| (i * i + i / 16) % 7 - 1).collect();
    for (name, device) in devices() {
        let (x, out) = (Buffer::from(input.clone()), Buffer::<i32>::new(16));
        counted().compile(&*device).unwrap().call((&x, 6, &out)).unwrap_or_else(|e| panic!("{name}: {e}"));
        for lane in 0..16 {
            let mut counts = [0; 5];
            (0..6).for_each(|i| {
                if let Ok(v) = usize::try_from(input[i * 16 + lane])
                    && v < 5
                {
                    counts[v] += 1;
                }
            });
            let want = counts.iter().fold(0, |s, n| s * 10 + n) + counts[0] * 1_000_000;
            assert_eq!(out.get(lane), want, "{name}");
        }
    }
}
