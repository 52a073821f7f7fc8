use quadra_quasar_vm::profile::*;
use std::time::Duration;
use std::time::Instant;

#[test]
fn launches_of_one_kernel_add_up() {
    let mut p = Profile::default();
    let (a, b) = (p.record("k", None, "cpu"), p.record("k", None, "qpu"));
    assert_eq!((a, b, p.record("k", None, "cpu")), (0, 1, 0));
    p.records[a].flops = Some(100.0);
    let work = Work { runs: 1, items: 10, bytes: 40.0, ..Work::default() };
    (0..3).for_each(|_| p.launch(a, Instant::now(), None, work));
    p.launch(b, Instant::now(), None, Work { modelled_seconds: Some(0.5), ..work });
    let (r, s) = (&p.records[a], &p.records[b]);
    assert_eq!((r.launches, r.items, r.bytes, r.flops), (3, 30, 120.0, Some(300.0)));
    assert_eq!((s.launches, s.modelled_seconds, s.flops), (1, Some(0.5), None));
    assert_eq!(p.events.len(), 4);
    p.called("sort", None, Duration::ZERO);
    count_copied(Instant::now(), 16, 0);
    count_copied(Instant::now(), 0, 0);
    let host: Vec<(&str, u64)> = p.host_events().iter().map(|e| (e.name, e.bytes)).collect();
    assert_eq!((&host[..], p.copied()), (&[("sort", 0), ("copy to the device", 16)][..], (16, 0)));
}
