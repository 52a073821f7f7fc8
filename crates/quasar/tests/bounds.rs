//! Bounds of loops: whatever computes them the loop is launched, and one kernel serves all of their values.

use quadra_quasar::session::{Buffer, Options, Session};

/// What a program prints on a device, how many launches there were, and how many kernels were compiled for them.
fn run(text: &str, device: &str) -> (String, u64, u64) {
    let buffer = Buffer::default();
    let options = Options { device: device.into(), profile: true, ..Options::default() };
    let mut session = Session::new(options, Box::new(buffer.clone()));
    let outcome = session.run("bounds.q", text);
    assert_eq!(outcome.status, 0, "{text}: {:?}", outcome.diagnostics);
    let records = session.profile().map(|p| p.records.clone()).unwrap_or_default();
    (buffer.text(), records.iter().map(|r| r.launches).sum(), records.iter().map(|r| r.compiled).sum())
}

#[test]
fn loops_are_launched_whatever_computes_their_bounds() {
    let bounds =
        ["idivide(n,3)", "mod(n,17)", "ends[2]", "(n > 5 ? 9 : 3)", "abs(-n)", "sum(ends)", "and(n,31)", "told(n)"];
    for bound in bounds {
        let text = format!(
            "function m = told(n)\n    print n\n    m = 3\nend\nn = 60\nends = [1,2,7]\ny = zeros(99)\n\
             for i=0..{bound}-1\n    y[i] = i+1\nend\nprint sum(y)\n"
        );
        let (output, launches, _) = run(&text, "interp");
        assert_eq!(output, run(&text, "host").0, "{bound}");
        // Nobody computes twice what may have an effect.
        assert_eq!(launches, u64::from(bound != "told(n)"), "{bound}");
    }
}

/// Loops within a loop of 40 iterations, each with its own bounds.
const CHANGING: [&str; 4] = [
    // Elimination.
    "for i=k+1..39\n f = m[i,k]/m[k,k]\n for j=k..39\n  m[i,j] -= f*m[k,j]\n end\nend",
    // A triangle, whose columns end where the outer loop stands.
    "for i=0..k\n y[i] = m[k,i] + y[i]\nend",
    // Distances from a place that moves.
    "for i=k..39\n y[i] = max(y[i], m[i,k]*2)\nend",
    // Rows behind a place, in steps.
    "for i=k..2..39\n m[i,k] = m[i,k] + y[i]\nend",
];

#[test]
fn one_kernel_serves_all_bounds_of_a_loop() {
    for body in CHANGING {
        let text = format!(
            "m = zeros(40,40)\ny = ones(40)\nfor i=0..39\n for j=0..39\n  m[i,j] = mod(i*37+j*11,19)/8 + (i==j ? 60 : 0)\n end\nend\n\
             {{!serial for}}\nfor k=0..39\n{body}\nend\nprint round(sum(m)*100), \" \", round(sum(y)*100)\n"
        );
        let expected = run(&text, "host").0;
        for device in ["interp", "cpu"] {
            if device == "cpu" && quadra_device::open("cpu").is_err() {
                quadra_base::testing::left_out("libLLVM is not installed");
                continue;
            }
            let (output, launches, compiled) = run(&text, device);
            assert_eq!(output, expected, "{device}: {body}");
            // One for the loop that fills the matrix, and some until it is clear that the sizes change.
            let most = if device == "cpu" { 12 } else { 4 };
            assert!(launches > 30 && compiled <= most, "{device}: {launches} launches of {compiled} kernels: {body}");
        }
    }
}
