use quadra_device::cpu::CAPS;
use quadra_kir::Caps;
use quadra_kir::caps::Cost;
use quadra_kir::caps::Status;
use quadra_quasar_vm::auto::*;

#[test]
fn small_launches_never_pay_and_others_do_in_time() {
    let mut auto = Auto::default();
    assert!((0..100_000).all(|_| !auto.pays(1, 500, |_| true)));
    assert!(auto.pays(2, work(1 << 20, 10, 1), |_| false), "one large launch");
    let medium = work(64 * 64, 10, 1);
    let mut first = |id, kept| (0..100).position(|_| auto.pays(id, medium, |_| kept)).expect("it pays in the end");
    assert_eq!((first(3, false), first(4, true)), (39, 4));
    assert!(auto.pays(3, medium, |_| false));
}

#[test]
fn what_has_to_be_brought_there_counts_as_does_what_a_launch_costs() {
    let costs = quadra_kir::Costs {
        launch: Cost::new(20_000.0, Status::Guess, "a test"),
        transfer: Cost::new(0.1, Status::Guess, "a test"),
        operation: Cost::new(2.0, Status::Guess, "a test"),
        ..CAPS.costs
    };
    let gpu = Caps { in_place: false, costs, ..CAPS.clone() };
    let quicker = |work: u64, bytes: u64| estimate(&gpu, 4096, work, bytes) < estimate(&CAPS, 4, work, bytes);
    assert!(!quicker(10_000, 0), "a launch costs more");
    assert!(quicker(100_000_000, 4 << 20), "much work on few bytes");
    assert!(!quicker(10_000_000, 400 << 20) && quicker(10_000_000, 0), "unless they are there already");
}

#[test]
fn inner_loops_count_more_than_once() {
    assert_eq!(work(10, 20, 1), 200);
    assert_eq!(work(10, 20, 8), 1600);
    assert_eq!(work(i64::MAX, 20, 8), u64::MAX);
    assert_eq!(work(-1, 20, 8), 0);
}
