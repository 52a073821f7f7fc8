//! Bounds of loops: whatever computes them the loop is launched, and one kernel serves all of their values. And loops that are launched
//! where the parallel loop around them becomes no kernel.

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

/// Loops that no device runs, for an array of a length that only a launch knows, with loops within them that any device does.
const WITHIN: [&str; 3] = [
    // One loop.
    "part = zeros(n)\n for i=0..n-1\n  part[i] = x[i]*k\n endfor\n y[k,:] = part",
    // A nest, and a sum behind it.
    "part = zeros(n,n)\n for i=0..n-1\n  for j=0..n-1\n   part[i,j] = x[i] + k*x[j]\n  endfor\n endfor\n y[k,0] = sum(part[:,1])",
    // Under a condition, in a loop in order.
    "part = zeros(n)\n for t=1..2\n  if k > 1\n   for i=0..n-1\n    part[i] = part[i]/2 + x[i]\n   endfor\n  endif\n endfor\n y[k,:] = part",
];

#[test]
fn loops_within_one_that_becomes_no_kernel_are_launched() {
    for (body, times) in WITHIN.into_iter().zip([8, 8, 12]) {
        let text = format!(
            "n = 90\nx = ones(n)\nfor i=0..n-1\n x[i] = mod(i*7,11)\nendfor\ny = zeros(8,n)\nfor k=0..7\n {body}\nendfor\nprint sum(y)\n"
        );
        let (output, launches, _) = run(&text, "interp");
        assert_eq!(output, run(&text, "host").0, "{body}");
        // The first loop is one more.
        assert_eq!(launches, times + 1, "{body}");
    }
    // Where the loop around is a kernel it is one launch, and no other one.
    let text =
        "y = zeros(80)\nfor k=0..79\n s = 0.0\n for i=0..k+99\n  s += i\n endfor\n y[k] = s\nendfor\nprint sum(y)\n";
    assert_eq!(run(text, "interp").1, 1);
}
