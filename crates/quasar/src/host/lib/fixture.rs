//! A built-in function that exists in tests only: its row is all that there is of it, and everybody knows it.

use super::{Builtin, Run, Term, row};
use crate::host::lib::math::Op1;
use crate::host::scalar_ops::Op2;
use crate::session::{Options, Session, with_stack};

const X: Term = Term::Argument(0);
const Y: Term = Term::Argument(1);
/// `sqrt(x*x + y)`.
const FORMULA: Term = Term::Map(Op1::Sqrt, &Term::Pair(Op2::Add, &Term::Pair(Op2::Mul, &X, &X), &Y));

pub const TABLE: &[Builtin] =
    &[row!("fixture", "fixture(x,y)", "sqrt(x^2 + y)", "print fixture(3,16)", 2..=2, Run::Formula(&FORMULA))];

/// What a program prints, the launches it made on a device, and how many loops are parallel.
fn run(device: &'static str, text: &'static str) -> (String, u64, usize) {
    with_stack(move || {
        let out = crate::session::Buffer::default();
        let options = Options { device: device.into(), profile: true, ..Options::default() };
        let parallel = {
            let mut session = Session::new(options.clone(), Box::new(std::io::sink()));
            session.check("fixture.q", text).1.iter().filter(|l| l.text.starts_with("parallel")).count()
        };
        let mut session = Session::new(options, Box::new(out.clone()));
        let outcome = session.run("fixture.q", text);
        assert!(outcome.diagnostics.is_empty(), "{:?}", outcome.diagnostics);
        let records = &session.profile().expect("asked for").records;
        (out.text(), records.iter().filter(|r| r.device == device).map(|r| r.launches).sum(), parallel)
    })
    .expect("no program may panic")
}

#[test]
fn a_row_is_all_that_a_function_needs() {
    let program =
        "x = 0..9\ny = zeros(10)\nfor i=0..9\ny[i] = fixture(x[i], 2*x[i]+1)\nend\nprint y\nprint fixture(3,16)";
    let (host, _, parallel) = run("host", program);
    assert_eq!(parallel, 1, "the analysis of loops knows it");
    assert_eq!(host, "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n5\n");
    assert_eq!(run("interp", program), (host, 1, 1), "the lowering knows it");
}
