use quadra_numeric::threads::*;
use std::ops::Range;

#[test]
fn every_item_is_handed_out_once_and_results_are_in_order() {
    for n in [0, 1, 2, 7, 1000, 4097] {
        for size in [1, 3, 64, 5000] {
            let mut seen = vec![0; n];
            parts(&mut seen, size, &|from, part| {
                assert!(from % size == 0 && part.len() <= size);
                part.iter_mut().zip(from..).for_each(|(o, k)| *o += k + 1);
            });
            assert_eq!(seen, (1..=n).collect::<Vec<_>>());
            assert_eq!(ranges(n, size, &|r| r).into_iter().flatten().collect::<Vec<_>>(), (0..n).collect::<Vec<_>>());
            assert_eq!(lists(n, size, &|r| r.collect()), (0..n).collect::<Vec<_>>());
            let add = |r: Range<usize>, bins: &mut [u64]| r.for_each(|k| bins[k % 5] += k as u64);
            let want: Vec<u64> = (0..5).map(|b| (b..n).step_by(5).map(|k| k as u64).sum()).collect();
            assert_eq!(tallies(n, 5, size, &add), want);
        }
    }
}

#[test]
fn a_panic_reaches_the_caller() {
    let caught = std::panic::catch_unwind(|| parts(&mut [0u8; 100], 1, &|from, _| assert!(from != 57)));
    assert!(caught.is_err());
}
