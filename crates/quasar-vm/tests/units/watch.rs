use quadra_quasar_vm::value::Value;
use quadra_quasar_vm::watch::*;
use std::cell::RefCell;
use std::rc::Rc;

#[test]
fn the_outermost_loop_under_way_is_reported_and_cleared() {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let log = seen.clone();
    let mut watch = Watch::new(Box::new(move |p| log.borrow_mut().push(p)));
    let regs =
        [Value::Int(1), Value::Raw(9), Value::Raw(9), Value::Raw(2), Value::Raw(5), Value::Raw(0), Value::Raw(7)];
    watch.loops(&regs);
    watch.hide();
    watch.hide();
    assert_eq!(*seen.borrow(), [Some(Progress { what: "loop", done: 2, total: 5 }), None]);
}

#[test]
fn nothing_is_shown_before_two_seconds() {
    let mut watch = Watch::new(Box::new(|_| panic!("too early")));
    watch.start();
    (0..1000).for_each(|k| watch.step("kernel", k, 1000));
    watch.hide();
}
