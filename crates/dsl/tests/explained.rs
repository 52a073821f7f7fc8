//! The kernels that `quadra explain` shows for codes of the front end: each raises its code.

extern crate quadra_dsl as quadra;

mod common;
use common::error;
use quadra_device::open as device;
use quadra_dsl::prelude::*;
use quadra_dsl::state::Visitor;
use std::cell::Cell;

include!("../src/examples.rs");

#[test]
fn every_example_raises_its_code() {
    keeps().record().expect("it can be recorded");
    let found = [
        error(takes()),
        error(hides()),
        error(unrolled()),
        error(two_buffers()),
        error(counts()),
        error(grows()),
        error(behind()),
        error(chooses()),
        error(strides()),
        error(seventeenth()),
        error(leaves()),
        error(at_most_four(5)),
    ];
    let codes: Vec<&str> = found.iter().map(|d| d.code).collect();
    let recorded =
        ["E0901", "E0902", "E0904", "E0905", "E0906", "E0907", "E0908", "E0909", "E0910", "E0911", "E0912", "E0913"];
    assert_eq!(codes, recorded);
    at_most_four(4).record().expect("it is not too many");
    let (a, b) = (Table::<i32>::new(&[16]), Table::<i32>::new(&[16]));
    assert!(twice(&a, &b).expect_err("tables stay").to_string().contains("E0914"));
}

#[test]
fn a_recording_inside_another_raises_its_code() {
    let stopped = std::panic::catch_unwind(|| outer().record().map(|_| ()).map_err(|d| d[0].code));
    match stopped {
        Ok(result) => assert_eq!(result, Err("E0903")),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            assert!(text.contains("`inner` is recorded while `outer` is being recorded"), "{text}");
        }
    }
}

#[test]
fn every_code_has_an_example() {
    for entry in quadra_dsl::codes::TABLE {
        let example = quadra_dsl::codes::example(entry.code).unwrap_or_else(|| panic!("{} has none", entry.code));
        assert!(example.contains("#[kernel]") && example.contains("// what to do:"), "{example}");
    }
}
