//! What is found while compiling: `check` fails on what every run meets, `run` only on immutable fields and on the number of a
//! kernel's arguments; the rest stays an error that a program can catch.

use quadra_base::Severity;
use quadra_quasar::session::{Options, Session, with_stack};

/// Codes of the errors of a check, and the status of a run.
fn outcome(text: &'static str) -> (Vec<&'static str>, i32) {
    with_stack(move || {
        let session = || Session::new(Options::default(), Box::new(std::io::sink()));
        let (found, _) = session().check("program.q", text);
        let codes = found.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code).collect();
        (codes, session().run("program.q", text).status)
    })
    .expect("no program may panic")
}

const CLASS: &str = "type p : class\nx : int\nendtype\n";

#[test]
fn what_every_run_meets_fails_the_check() {
    for (text, code) in [
        ("a = ones(2,3)*ones(2,3)", "Q0399"),
        ("a = ones(2,3)\nb = a + ones(3,2)", "Q0320"),
        ("a = zeros(4)\nprint a[4]", "Q0340"),
        ("a = zeros(4)\na[-1] = 2", "Q0340"),
        ("a = zeros(4,5)\nn = 3\nprint a[n+1,0]", "Q0340"),
        ("a = zeros(4,5)\nprint a[0,2..5]", "Q0340"),
        ("a = zeros(4)\nfor i = 0..3\na[i+4] = 1\nendfor", "Q0340"),
        ("function y = f(x : cube(:,:,3))\ny = x[0,0,0]\nendfunction\nprint f(zeros(8,8,4))", "Q0311"),
        ("function y = f(x : cube(:,:,3))\ny = x[0,0,3]\nendfunction", "Q0340"),
        ("function y = f(x)\ny = x*ones(2,3)\nendfunction\nprint f(ones(2,2)*ones(2,4))", "Q0399"),
        (
            "function y = f(x)\nif size(x,0) == 2\ny = x[0,3]\nelse\ny = 0\nendif\nendfunction\nprint f(ones(2,3))",
            "Q0340",
        ),
        ("function [] = main()\na = [1,2,3] + [1,2]\nendfunction", "Q0320"),
        ("function y = never()\ny = ones(2,3)*ones(2,3)\nendfunction\nprint 1", "Q0399"),
        ("type p : class\nx : int\nendtype\nq = p(x:=1)\nprint q.z", "Q0353"),
        ("type p : class\nx : int\nendtype\nq = p(z:=1)", "Q0353"),
        ("type p : mutable class\nx : int\nendtype\nq = p(x:=1)\nq.z = 3", "Q0353"),
    ] {
        let (codes, status) = outcome(text);
        assert_eq!(codes, [code], "{text}");
        assert!(status < 2, "{text}: the run meets it where it comes by");
    }
}

#[test]
fn sizes_that_are_solved_are_named() {
    let text = "function y = f[P : int](a : cube(:,:,P), b : cube(:,:,P))\ny = 0\nendfunction\nprint f(zeros(2,2,3), zeros(2,2,4))";
    let (found, _) = Session::new(Options::default(), Box::new(std::io::sink())).check("program.q", text);
    let message = found.iter().find(|d| d.code == "Q0311").map(|d| d.message.clone()).expect("an error");
    assert!(message.contains("cube(:,:,3)") && message.contains("2x2x4"), "{message}");
    let run = Session::new(Options::default(), Box::new(std::io::sink())).run("program.q", text);
    let message = run.diagnostics.iter().find(|d| d.code == "Q0311").map(|d| d.message.clone()).expect("an error");
    assert!(message.contains("cube(:,:,3)") && message.contains("2x2x4"), "{message}");
}

#[test]
fn a_run_does_not_start_with_immutable_fields_changed_or_arguments_missing() {
    for (text, code) in [
        ("print 1\ntype p : class\nx : int\nendtype\nq = p(x:=1)\nq.x = 2", "Q0357"),
        ("type p : class\nx : int\nendtype\nfunction [] = f(q : p)\nif q.x > 0\nq.x += 1\nendif\nendfunction", "Q0357"),
        ("function [] = __kernel__ k(y, a, pos : int)\ny[pos] = a\nendfunction\nparallel_do(3, zeros(3), k)", "Q0425"),
        (
            "function [] = f()\nfunction [] = __kernel__ k(y, pos : int)\ny[pos] = 1\nendfunction\nserial_do(3, k)\nendfunction",
            "Q0425",
        ),
    ] {
        assert_eq!(outcome(text), (vec![code], 2), "{text}");
    }
}

#[test]
fn what_some_run_does_not_meet_passes_the_check() {
    let programs = [
        "a = zeros(4)\ntry\nprint a[4]\ncatch ex\nprint ex\nendtry".to_string(),
        "a = zeros(4)\nif rand() > 2\nprint a[4]\nendif".into(),
        "a = zeros(4)\nn = 3\nwhile n > 5\na[9] = 1\nn = n - 1\nendwhile".into(),
        "a = zeros(4)\nn = 4\nfor i = 5..n\na[9] = 1\nendfor".into(),
        "a : vec'safe = zeros(4)\nprint a[4]\na[7] = 1".into(),
        "a : vec'safe = zeros(4)\nb = a\nprint b[4]".into(),
        "a = zeros(4)\nb = zeros(4)\nfor i = 0..3\nb[i] = a[i] + a[4]\nendfor".into(),
        "function y = f(x : vec'clamped)\ny = x[9]\nendfunction\nprint f([1,2,3])".into(),
        "function y = f(x)\nif size(x,2) == 3\ny = x[0,0,2]\nelse\ny = 0\nendif\nendfunction\nprint f(zeros(4,4))".into(),
        "function y = f(x)\nreturn\nprint x[9]\nendfunction\nf(zeros(3))".into(),
        "a = ones(2,3)*ones(3,2) + ones(2,1) .* ones(1,2)\nprint [1,2,3]*[4,5,6], ones(3,1)*[1,2,3]".into(),
        "a = 5\na = zeros(9)\nprint a[8]\na = ones(2,3)\nprint a[5]".into(),
        "exit(0)\na = zeros(4)\nprint a[4]".into(),
        "function [] = __kernel__ k(y : vec, pos : int)\ny[pos+9] = y[5]\nendfunction\nparallel_do(4, zeros(4), k)".into(),
        format!("{CLASS}q = p(x:=1)\nq = object()\nq.z = 3\nprint q.z"),
        format!("{CLASS}function [] = f(q)\nq.x = 2\nendfunction\ntry\nf(p(x:=1))\ncatch ex\nendtry"),
        "type d : dynamic class\nx : int\nendtype\nq = d(x:=1)\nq.y = 2\nprint q.y".into(),
        "function [] = k(y, a)\ny[0] = a\nendfunction\nk(zeros(3), 1)".into(),
        "function [] = __kernel__ k(y, pos : int)\ny[pos] = 1\nendfunction\nfunction [] = f(k)\nk(1)\nendfunction\nf(x -> x)".into(),
    ];
    for text in programs {
        let text: &'static str = text.leak();
        assert_eq!(outcome(text), (Vec::new(), 0), "{text}");
    }
}
