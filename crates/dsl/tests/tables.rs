//! Pointers to pointers, on every device: rows of different lengths, loads and stores through pointers that were loaded, and what
//! happens outside.

extern crate quadra_dsl as quadra;

use quadra_dsl::prelude::*;

/// Devices that every test runs on.
const DEVICES: [&str; 3] = ["interp", "emu", "cpu"];

fn on_devices(test: impl Fn(&dyn quadra_device::Device, &str)) {
    for name in DEVICES {
        test(&*quadra_device::open(name).expect("the device is there"), name);
    }
}

/// The sum of the first `n` elements of each row, one lane for each row.
#[kernel]
fn sums(rows: Ptr<Ptr<Float>>, lengths: Ptr<Int>, out: Ptr<Float>) {
    let (row, n) = (*rows, *lengths);
    let mut sum = float(0.0);
    let mut i = int(0);
    while i < n {
        sum += row.at(i).load_lanes();
        i += 1;
    }
    *out = sum;
}

#[test]
fn each_lane_follows_its_own_pointer() {
    let rows: Vec<Vec<f32>> = (0..16).map(|k| (0..3 * k + 1).map(|i| (k * 10 + i) as f32).collect()).collect();
    let want: Vec<f32> = rows.iter().map(|r| r.iter().sum()).collect();
    let lengths = Buffer::from(rows.iter().map(|r| r.len() as i32).collect::<Vec<_>>());
    let table = Table::from(rows);
    on_devices(|device, name| {
        let out = Buffer::<f32>::new(16);
        sums().compile(device).expect("compiles").call((&table, &lengths, &out)).expect("runs");
        assert_eq!(out.to_vec(), want, "{name}");
    });
}

/// Rows of whole vectors: `to[k] = from[order[k]] + 1`.
#[kernel]
fn shuffle(from: Ptr<Ptr<Int>>, order: Ptr<Int>, vectors: Int, rows: Int, to: Ptr<Ptr<Int>>) {
    for k in range(me(), rows, num_qpus()) {
        let source = (from + (order + k).load_lanes()).load_lanes();
        let target = to[k];
        for v in range(0, vectors * 16, 16) {
            target[v] = source[v] + 1;
        }
    }
}

#[test]
fn rows_are_loaded_and_stored_through_loaded_pointers() {
    let order = [3, 0, 4, 1, 2];
    let rows: Vec<Vec<i32>> = (0..5).map(|k| (0..32).map(|i| k * 100 + i).collect()).collect();
    let from = Table::from(rows.clone());
    let order_there = Buffer::from(order.to_vec());
    on_devices(|device, name| {
        for qpus in [1, 3] {
            let mut to = Table::<i32>::new(&[32; 5]);
            to.write(2, &[7; 32]);
            let kernel = shuffle().compile(device).expect("compiles").qpus(qpus);
            kernel.call((&from, &order_there, 2, 5, &to)).expect("runs");
            for (k, &o) in order.iter().enumerate() {
                let want: Vec<i32> = rows[o as usize].iter().map(|x| x + 1).collect();
                assert_eq!(to.row(k), want, "row {k} on {qpus} of {name}");
            }
        }
    });
}

/// Elements narrower than a word, and pointers that a branch chooses lane by lane.
#[kernel]
fn narrow(rows: Ptr<Ptr<i8>>, which: Ptr<Int>, out: Ptr<Int>) {
    let mut row = (rows + 0).load_lanes();
    if *which > 0 {
        row = (rows + 1).load_lanes();
    }
    *out = (row + index()).load_lanes();
}

#[test]
fn pointers_may_differ_between_lanes() {
    let table = Table::from(vec![(0..16).collect::<Vec<i8>>(), (0..16).map(|i| -i).collect()]);
    let which = Buffer::from((0..16).map(|i| i % 3).collect::<Vec<i32>>());
    on_devices(|device, name| {
        let out = Buffer::<i32>::new(16);
        narrow().compile(device).expect("compiles").call((&table, &which, &out)).expect("runs");
        let want: Vec<i32> = (0..16).map(|i| if i % 3 > 0 { -i } else { i }).collect();
        assert_eq!(out.to_vec(), want, "{name}");
    });
}

#[kernel]
fn one(rows: Ptr<Ptr<Int>>, k: Int, at: Int, out: Ptr<Int>) {
    let row = (rows + k).load_lanes();
    *out = (row + at).load_lanes();
}

/// What leaves the table is the error that it is for every pointer, whether the pointer lies outside or what it points to.
#[test]
fn nothing_outside_the_table_is_reached() {
    let table = Table::from(vec![vec![1, 2], vec![], vec![3; 20]]);
    on_devices(|device, name| {
        let kernel = one().compile(device).expect("compiles");
        let out = Buffer::from(vec![-1; 16]);
        for (k, at) in [(0, 22), (2, 20), (0, -1), (3, 0), (18, 0), (19, 0), (-1, 0), (i32::MAX, 0), (0, -100_000)] {
            let fault = kernel.call((&table, k, at, &out)).expect_err("it lies outside");
            let text = fault.to_string();
            assert!(text.contains("rows") && text.contains("tables.rs"), "{name}, {k} and {at}: {text}");
            assert_eq!(out.to_vec(), [-1; 16], "{name}");
        }
        kernel.call((&table, 2, 19, &out)).expect("it lies inside");
        assert_eq!(out.to_vec(), [3; 16], "{name}");
    });
}

#[kernel]
fn step(from: Ptr<Ptr<Int>>, to: Ptr<Ptr<Int>>) {
    let (a, b) = (from[0], to[0]);
    *b = *a + 1;
}

#[test]
fn tables_do_not_change_places() {
    let (a, b) = (Table::<i32>::new(&[16]), Table::<i32>::new(&[16]));
    let device = quadra_device::open("interp").expect("the device is there");
    let kernel = step().compile(&*device).expect("compiles").repeat(2).swapping(0, 1);
    let error = kernel.call((&a, &b)).expect_err("it is refused").to_string();
    assert!(error.contains("E0914") && error.contains("`from`"), "{error}");
    assert_eq!((a.row(0), b.row(0)), (vec![0; 16], vec![0; 16]));
}
