//! Barriers one after the other, met by QPUs of very different speed.

extern crate quadra_dsl as quadra;

use quadra_device::emu::Emu;
use quadra_dsl::prelude::*;

/// In each step every QPU notes the step in its own place, and behind a barrier counts the places that lag behind. Who comes late
/// changes from step to step.
#[kernel]
fn march(steps: Int, seen: Ptr<Int>, late: Ptr<Int>) {
    let mut lags: Int = 0.into();
    for step in range(1, steps, 1) {
        let mut x: Int = me();
        for i in range(0, (me() * 37 + step * 11) % 53 * 20, 1) {
            x = x * 3 + i;
        }
        seen[me() << 4] = select(x == -1, step + 1, step);
        flush();
        sync_qpus(0, 1, 2);
        for q in range(0, num_qpus() << 4, 16) {
            let other: Int = (seen + q + index()).load_lanes();
            if other < step {
                lags += 1;
            }
        }
        sync_qpus(0, 1, 2);
    }
    late[me() << 4] = lags;
}

#[test]
fn nobody_passes_before_the_last_has_come() {
    for qpus in [2, 5, 12] {
        let (seen, late) = (Buffer::from(vec![0; 16 * 12]), Buffer::<i32>::new(16 * 12));
        let kernel = march().compile(&Emu::new()).unwrap().qpus(qpus);
        kernel.call((40, &seen, &late)).unwrap();
        assert!(seen.to_vec()[..16 * qpus as usize].iter().all(|s| *s == 39), "{qpus} QPUs");
        assert_eq!(late.to_vec(), [0; 16 * 12], "{qpus} QPUs");
    }
}
