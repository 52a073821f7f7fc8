//! Sums at places that the data say: QPUs that keep ranges of an array in registers leave what plain Rust does, and report what is
//! outside of it.

extern crate quadra_dsl as quadra;

use quadra_device::open;
use quadra_dsl::prelude::*;

#[kernel]
fn weigh(x: Ptr<Int>, w: Ptr<Float>, count: Ptr<Int>, sum: Ptr<Float>) {
    let bin = x.at(item()).load_lanes();
    let weight = w.at(item()).load_lanes();
    if weight > 0.0 {
        count.at(bin).atomic_add(1);
    }
    sum.at(bin).atomic_add(weight);
}

fn data(items: usize, bins: usize) -> (Vec<i32>, Vec<f32>) {
    (0..items).map(|i| ((i * 7919 % bins) as i32, (i % 7) as f32 - 3.0)).unzip()
}

#[test]
fn ranges_of_bins_add_up() {
    let emu = open("emu").expect("the emulator is always there");
    for (items, bins) in [(3000, 300), (5003, 4097)] {
        let (x, w) = data(items, bins);
        let (mut counts, mut sums) = (vec![5; bins], vec![0.5f32; bins]);
        for (&bin, &weight) in x.iter().zip(&w) {
            counts[bin as usize] += i32::from(weight > 0.0);
            sums[bin as usize] += weight;
        }
        for qpus in [1, 2, 12] {
            let (count, sum) = (Buffer::from(vec![5; bins]), Buffer::from(vec![0.5f32; bins]));
            let (x, w) = (Buffer::from(x.clone()), Buffer::from(w.clone()));
            let k = weigh().compile(&*emu).expect("it compiles").qpus(qpus).over(items as u32);
            k.call((&x, &w, &count, &sum)).expect("it runs");
            assert_eq!(count.to_vec(), counts, "{bins} bins on {qpus} QPUs");
            assert_eq!(sum.to_vec(), sums, "{bins} bins on {qpus} QPUs");
        }
    }
}

#[test]
fn what_is_in_nobodys_range_is_reported() {
    let emu = open("emu").expect("the emulator is always there");
    // Addresses have 32 bits: 2^30 elements further lies the same one.
    for outside in [1000, 1003, -1, 1 << 29, -(1 << 29)] {
        let (mut x, w) = data(4000, 1000);
        x[777] = outside;
        let (count, sum) = (Buffer::<i32>::new(1000), Buffer::<f32>::new(1000));
        let k = weigh().compile(&*emu).expect("it compiles").qpus(12).over(4000);
        let error = k.call((&Buffer::from(x), &Buffer::from(w), &count, &sum)).expect_err("it is outside");
        assert!(error.to_string().contains("outside buffer `"), "{outside}: {error}");
    }
}
