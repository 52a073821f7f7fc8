use quadra_kir::MemoryBuffer;
use quadra_quasar_vm::elements::*;
use quadra_quasar_vm::tensor::Data;

fn buffer(data: &Data, blank: bool) -> Option<MemoryBuffer> {
    let Data::F32(v) = data else { return None };
    Some(MemoryBuffer::of_f32(&if blank { vec![0.0; v.len()] } else { v.clone() }))
}

fn values(e: &Elements) -> Vec<f32> {
    match &*e.borrow() {
        Data::F32(v) => v.clone(),
        _ => Vec::new(),
    }
}

#[test]
fn blank_storage_is_zeros_for_who_looks_and_anything_for_who_overwrites() {
    let e = Elements::blank(Data::F32(vec![7.0; 3]));
    assert_eq!(e.peek().len(), 3);
    let (data, blank) = e.lend(true).expect("nobody uses it");
    assert!(blank && matches!(&*data, Data::F32(v) if v[0] == 7.0));
    drop(data);
    // The launch failed: it is still zeros.
    assert_eq!(values(&e), [0.0; 3]);
    let e = Elements::blank(Data::F32(vec![7.0; 3]));
    if let Data::F32(v) = &mut *e.lend(true).expect("nobody uses it").0 {
        v.fill(2.0);
    }
    e.overwritten();
    assert_eq!(values(&e), [2.0; 3]);
    let e = Elements::blank(Data::F32(vec![7.0; 3]));
    let (data, blank) = e.lend(false).expect("nobody uses it");
    assert!(!blank && matches!(&*data, Data::F32(v) if v[0] == 0.0), "who reads sees zeros");
}

#[test]
fn elements_stay_on_the_device_until_the_host_reads_them() {
    let e = Elements::new(Data::F32(vec![1.0, 2.0]));
    let before = quadra_quasar_vm::profile::copied();
    let moved = || (quadra_quasar_vm::profile::copied().0 - before.0, quadra_quasar_vm::profile::copied().1 - before.1);
    let copy = e.on_device(false, buffer).expect("floats");
    assert_eq!(moved(), (8, 0));
    *copy.write() = MemoryBuffer::of_f32(&[3.0, 4.0]);
    e.changed_there();
    let again = e.on_device(false, |_, _| None).expect("the copy is there");
    assert!(copy.same(&again));
    assert_eq!(moved(), (8, 0), "nothing is copied twice");
    assert_eq!((values(&e), values(&e)), (vec![3.0, 4.0], vec![3.0, 4.0]));
    assert_eq!(moved(), (8, 8));
    assert!(copy.same(&e.on_device(false, |_, _| None).expect("reading leaves the copy")));
    if let Data::F32(v) = &mut *e.borrow_mut() {
        v[0] = 5.0;
    }
    let new = e.on_device(false, buffer).expect("floats");
    assert!(!copy.same(&new));
    assert_eq!(moved(), (16, 8));
    // A launch whose results are not wanted.
    *new.write() = MemoryBuffer::of_f32(&[0.0, 0.0]);
    e.forget_copy();
    assert_eq!(values(&e), [5.0, 4.0]);
}
