//! What users are told about loops that are not parallel: places, distances and what to do.

use quadra_base::Diagnostic;
use quadra_quasar::session::{Options, Session};

fn found(code: &str) -> Vec<Diagnostic> {
    Session::new(Options::default(), Box::new(std::io::sink())).check("loops.q", code).0
}

/// The only diagnostic of a loop: its labels with their lines and columns, and the first help.
fn told(code: &str) -> (Vec<(u32, u32, String)>, String) {
    let all = found(code);
    let [one] = &all[..] else { panic!("{all:?}") };
    let labels = one.labels.iter().map(|(s, text)| (s.line, s.column, text.clone())).collect();
    (labels, one.help.first().cloned().unwrap_or_default())
}

#[test]
fn recurrences_name_their_distance() {
    let (labels, help) = told("x = ones(9)\nfor i = 1..8\n    x[i] = 2*x[i-1] + 1\nendfor");
    assert_eq!(labels[0], (3, 14, "what the iteration before has written: a distance of 1 over i".into()));
    assert_eq!(labels[1], (3, 5, "written here".into()));
    assert!(help.contains("old = copy(x)"), "{help}");
    // Steps count, and so do factors.
    let (labels, _) = told("x = ones(99)\nfor i = 9..3..30\n    x[2*i] = x[2*i-12]\nendfor");
    assert_eq!(labels[0].2, "what the iteration 2 before has written: a distance of 2 over i");
    let (labels, _) = told("x = ones(9)\nfor i = 0..7\n    x[i] = x[i+1]\nendfor");
    assert_eq!(labels[0].2, "the next iteration writes this element");
    // Nothing is said where the distance is not the same everywhere.
    let (labels, _) = told("x = ones(9)\nfor i = 0..8\n    x[8-i] = x[i]\nendfor");
    assert_eq!(labels[0].2, "this may be an element that another iteration writes");
}

#[test]
fn shared_elements_say_which_loop_shares_them() {
    let (labels, help) = told("x = ones(9)\ny = ones(9)\nfor i = 0..8\n    y[2] = y[2] + x[i]\nendfor");
    assert_eq!(labels, [(4, 5, "'i' is in no subscript, so that all its values mean this element".into())]);
    assert!(help.contains("write y[2] += …"), "{help}");
}

#[test]
fn variables_say_where_they_are_read_and_set() {
    let (labels, _) = told("x = ones(9)\nlast = 0\nfor i = 0..8\n    x[i] = last\n    last = i\nendfor");
    let places: Vec<_> = labels.iter().map(|l| (l.0, l.1)).collect();
    assert_eq!(places, [(4, 12), (5, 5)]);
}

#[test]
fn functions_say_why_no_device_takes_them() {
    let code = "function r = f(i)\n    r = rand() + i\nendfunction\nx = ones(9)\nfor i = 0..8\n    x[i] = f(i)\nendfor";
    assert_eq!(told(code).0, [(6, 12, "of 'f': it calls 'rand'".into())]);
}

#[test]
fn literals_of_arrays_say_how_they_are_written() {
    let outcome =
        Session::new(Options::default(), Box::new(std::io::sink())).run("c.q", "c : vec[mat] = {[1,2],[3,4]}");
    let help = &outcome.diagnostics[0].help[0];
    assert!(help.contains("c = vec[mat](2)"), "{help}");
}
