//! A function that a program adds to the table: its row is all that there is of it, and everybody knows it.

use quadra_quasar::builtins::{self, Builtin, Run};
use quadra_quasar::session::Options;
use quadra_quasar::session::{Buffer, Session, with_stack};
use quadra_quasar_hir::meaning::Term;
use quadra_quasar_hir::op1::Op1;
use quadra_quasar_hir::op2::Op2;

const X: Term = Term::Argument(0);
const Y: Term = Term::Argument(1);
/// `sqrt(x*x + y)`.
const FORMULA: Term = Term::Map(Op1::Sqrt, &Term::Pair(Op2::Add, &Term::Pair(Op2::Mul, &X, &X), &Y));

static TABLE: [Builtin; 1] =
    [Builtin::new("fixture", ["fixture(x,y)", "sqrt(x^2 + y)", "print fixture(3,16)"], 2..=2, Run::Formula(&FORMULA))];

/// What a program prints, the launches it made on a device, and how many loops are parallel.
fn run(device: &'static str, text: &'static str) -> (String, u64, usize) {
    with_stack(move || {
        let out = Buffer::default();
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
    assert!(builtins::extend(&TABLE).is_ok(), "no program has run yet");
    let program =
        "x = 0..9\ny = zeros(10)\nfor i=0..9\ny[i] = fixture(x[i], 2*x[i]+1)\nend\nprint y\nprint fixture(3,16)";
    let (host, _, parallel) = run("host", program);
    assert_eq!(parallel, 1, "the analysis of loops knows it");
    assert_eq!(host, "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n5\n");
    assert_eq!(run("interp", program), (host, 1, 1), "the lowering knows it");
    assert!(builtins::extend(&TABLE).is_err(), "now it is too late");
}
