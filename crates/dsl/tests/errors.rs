//! What cannot be a kernel is an error that says where and why.

extern crate quadra_dsl as quadra;

mod common;
use common::error;
use quadra_dsl::prelude::*;
use std::cell::Cell;

/// The line of this file that holds `marker`.
fn line_of(marker: &str) -> u32 {
    let text = include_str!("errors.rs");
    let at = text.lines().position(|l| l.contains(marker) && !l.contains("line_of"));
    at.expect("the marker is in this file") as u32 + 1
}

#[kernel]
fn rust_counter(x: Ptr<Int>) {
    let mut rounds = 0;
    let mut a = *x;
    while any(a > 0) {
        // the counted loop
        a -= 1;
        rounds += 1;
    }
    *x = a + rounds;
}

#[test]
fn a_rust_variable_cannot_count_a_kernel_loop() {
    let d = error(rust_counter());
    assert_eq!((d.code, d.span.map(|s| s.line)), ("E0906", Some(line_of("// the counted loop") - 1)), "{d:?}");
    assert!(d.message.contains("`rounds` is a Rust `i32`"), "{d:?}");
}

#[kernel]
fn two_buffers(x: Ptr<Int>, y: Ptr<Int>) {
    let mut p = x;
    if *x > 0 {
        // the condition
        p = y;
    }
    *p = int(1);
}

#[test]
fn a_pointer_keeps_its_buffer_under_control_flow() {
    let d = error(two_buffers());
    assert_eq!((d.code, d.span.map(|s| s.line)), ("E0905", Some(line_of("// the condition") - 1)), "{d:?}");
    assert!(d.message.contains("`p`"), "{d:?}");
}

thread_local! {
    static KEPT: Cell<Option<Int>> = const { Cell::new(None) };
}

#[kernel]
fn keep(x: Ptr<Int>) {
    KEPT.set(Some(*x));
}

#[kernel]
fn take(x: Ptr<Int>) {
    if let Some(kept) = KEPT.get() {
        *x = kept + 1; // the foreign value
    }
}

#[test]
fn a_value_of_another_recording_is_refused() {
    keep().record().expect("it can be recorded");
    let d = error(take());
    assert_eq!((d.code, d.span.map(|s| s.line)), ("E0901", Some(line_of("// the foreign value"))), "{d:?}");
}

#[kernel]
fn smuggle(x: Ptr<Int>) {
    if *x > 0 {
        KEPT.set(Some(*x + 1));
    }
    if let Some(kept) = KEPT.get() {
        *x = kept; // after its control flow
    }
}

#[test]
fn a_value_that_leaves_its_control_flow_in_hiding_is_refused() {
    let d = error(smuggle());
    assert_eq!((d.code, d.span.map(|s| s.line)), ("E0902", Some(line_of("// after its control flow"))), "{d:?}");
}

#[kernel]
fn nested(x: Ptr<Int>) {
    keep().record().unwrap_or_else(|d| panic!("{}", d[0].message));
    *x = int(1);
}

#[test]
#[should_panic(expected = "kernel `keep` is recorded while `nested` is being recorded")]
fn a_recording_inside_a_recording_is_an_error() {
    let _ = nested().record();
}

#[kernel]
fn endless(x: Ptr<Int>) {
    let mut n = 0u64;
    while n < u64::MAX {
        n += 1;
    }
    *x = int(0);
}

#[kernel]
fn large(x: Ptr<Int>) {
    for _ in 0..1_000_000 {
        for _ in 0..10 {
            *x = *x + 1;
        }
    }
}

#[test]
fn recordings_that_do_not_end_are_stopped() {
    assert_eq!(error(endless()).code, "E0904");
    assert_eq!(error(large()).code, "E0904");
}

#[kernel]
fn strides(x: Ptr<Int>) {
    if *x > 0 {
        set_read_stride(2);
    }
}

#[kernel]
fn lengths(x: Ptr<Int>) {
    let mut list = vec![*x];
    if *x > 0 {
        list.push(int(1));
    }
    *x = list[0];
}

#[kernel]
fn semaphores(x: Ptr<Int>) {
    sema_inc(16);
    *x = int(1);
}

#[kernel]
fn rust_results(x: Ptr<Int>) {
    let n = if *x > 0 { 1 } else { 2 };
    *x = int(n);
}

#[test]
fn other_refusals() {
    assert_eq!(error(strides()).code, "E0910");
    assert_eq!(error(lengths()).code, "E0907");
    assert_eq!(error(semaphores()).code, "E0911");
    assert_eq!(error(rust_results()).code, "E0909");
}

struct Both<'a> {
    a: &'a mut Int,
}

impl quadra_dsl::KernelState for Both<'_> {
    fn visit(&mut self, visitor: &mut quadra_dsl::state::Visitor<'_>) {
        self.a.visit(visitor);
    }
    fn view(&self, visitor: &mut quadra_dsl::state::Visitor<'_>) {
        self.a.view(visitor);
    }
}

impl Both<'_> {
    fn clear(&self, _: i32) {}
}

#[kernel]
fn hidden_change(x: Ptr<Int>) {
    let mut a = *x;
    let both = Both { a: &mut a };
    if *x > 0 {
        both.clear(0);
        *both.a = int(0);
    }
    *x = a;
}

#[test]
fn a_change_behind_a_binding_without_mut_is_refused() {
    assert_eq!(error(hidden_change()).code, "E0908");
}

#[test]
#[should_panic(expected = "no kernel is being recorded")]
fn kernel_values_need_a_recording() {
    let _ = int(1) + 1;
}

#[test]
fn every_code_has_an_explanation() {
    let codes: Vec<_> = quadra_dsl::codes::TABLE.iter().map(|e| e.code).collect();
    assert_eq!(codes.len(), 14);
    assert!(codes.is_sorted());
}

#[kernel]
fn leaves_a_block(x: Ptr<Int>) {
    let mut v: Int = *x;
    'a: {
        if v > 3 {
            // the if that a block leaves
            break 'a;
        }
        v += 1;
    }
    *x = v;
}

#[kernel]
fn leaves_a_closure(x: Ptr<Int>) {
    let v: Int = *x;
    let mut w = v;
    for _ in range(0, 3, 1) {
        let next = |v: Int| -> Int {
            if v > 3 {
                // the if that a closure leaves
                return v;
            }
            v + 1
        };
        w = next(w);
    }
    *x = w;
}

#[kernel]
fn leaves_within_an_if(x: Ptr<Int>) {
    let mut v: Int = *x;
    if v > 2 {
        'a: {
            if v > 3 {
                // the inner if
                v += 2;
                break 'a;
            }
            v += 1;
        }
    }
    *x = v;
}

#[test]
fn jumps_of_rust_under_a_kernel_if_are_refused_there() {
    let places = [
        (error(leaves_a_block()), "// the if that a block leaves"),
        (error(leaves_a_closure()), "// the if that a closure leaves"),
        (error(leaves_within_an_if()), "// the inner if"),
    ];
    for (d, marker) in places {
        assert_eq!((d.code, d.span.map(|s| s.line)), ("E0912", Some(line_of(marker) - 1)), "{d:?}");
        assert!(d.message.contains("this `if` of the kernel") && !d.help.is_empty(), "{d:?}");
    }
}
