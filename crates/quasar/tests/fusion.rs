//! Expressions over long arrays in one pass: the same bits as one operation after the other.

use quadra_quasar::session::{Buffer, Options, Session};
use quadra_quasar::tensor::Data;
use quadra_quasar::value::Value;

/// Arrays with zeros of both signs, infinities, NaNs and denormals among usual numbers; their length is no multiple of anything.
const ARRAYS: &str = "n = 70003
t = linspace(-3, 5, n)
a = t.*t.*t - 2
b = 1 ./ (t + 3)
c = t.*1e30
d = mod(t, 0.25)
a[7] = 0.0
a[8] = -0.0
b[8] = 0.0
a[9] = 1e38*1e38
b[10] = -1e38*1e38
a[11] = (1e38*1e38) - (1e38*1e38)
b[12] = (1e38*1e38) - (1e38*1e38)
d[13] = 1e-42
";

fn bits(v: &Value) -> Vec<u64> {
    let canon = |nan: bool, bits: u64| if nan { u64::MAX } else { bits };
    match v {
        Value::F32(x) => vec![canon(x.is_nan(), x.to_bits().into())],
        Value::F64(x) => vec![canon(x.is_nan(), x.to_bits())],
        Value::Array(t) => match &*t.data.borrow() {
            Data::F32(v) => v.iter().map(|x| canon(x.is_nan(), x.to_bits().into())).collect(),
            Data::F64(v) => v.iter().map(|x| canon(x.is_nan(), x.to_bits())).collect(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

/// Runs a program after [`ARRAYS`]; the variables `whole` and `steps`, and how many expressions and operations were fused.
fn run(text: &str, device: &str, double: bool) -> (Vec<u64>, Vec<u64>, (u64, u64)) {
    let options = Options { device: device.into(), double, profile: true, ..Options::default() };
    let mut session = Session::new(options, Box::new(Buffer::default()));
    let outcome = session.run("arrays.q", ARRAYS);
    assert_eq!(outcome.status, 0, "{:?}", outcome.diagnostics);
    let before = session.fused();
    // A program that fails leaves its variables in place.
    let outcome = session.run("fusion.q", &format!("{ARRAYS}{text}error \"stop\"\n"));
    assert!(outcome.diagnostics.iter().any(|d| d.message.contains("stop")), "{:?}", outcome.diagnostics);
    let of_arrays = before;
    let after = session.fused();
    let fused = (after.0 - before.0 - of_arrays.0, after.1 - before.1 - of_arrays.1);
    let value = |name: &str| bits(&session.globals().iter().find(|g| *g.0 == *name).expect("assigned").1);
    (value("whole"), value("steps"), fused)
}

/// An expression, the same in steps, and its operations; one that begins with a sign is taken from behind it.
const CASES: &[(&str, &str, u64)] = &[
    ("a.*b + c", "x = a.*b\nsteps = x + c", 2),
    ("sqrt(a.*a + b.*b) - c", "x = a.*a\ny = b.*b\nz = x + y\nw = sqrt(z)\nsteps = w - c", 5),
    ("(a + b) .* (c - d)", "x = a + b\ny = c - d\nsteps = x.*y", 3),
    ("2*a - b/3 + 1", "x = 2*a\ny = b/3\nz = x - y\nsteps = z + 1", 4),
    ("1 - (a - (b - (c - d)))", "x = c - d\ny = b - x\nz = a - y\nsteps = 1 - z", 4),
    ("max(a, b) + min(c, d)", "x = max(a, b)\ny = min(c, d)\nsteps = x + y", 3),
    ("max(min(a, 1), -b) ./ d", "x = min(a, 1)\ny = -b\nz = max(x, y)\nsteps = z ./ d", 4),
    ("abs(floor(a) - ceil(b)) .* -d", "x = floor(a)\ny = ceil(b)\nz = x - y\nw = abs(z)\nv = -d\nsteps = w.*v", 6),
    ("exp(-a.*a) + sin(b)", "x = -a\ny = x.*a\nz = exp(y)\nw = sin(b)\nsteps = z + w", 4),
    ("sum(a.*c)", "x = a.*c\nsteps = sum(x)", 2),
    ("sum(d.*d)", "x = d.*d\nsteps = sum(x)", 2),
    ("mean(abs(d - 0.1))", "x = d - 0.1\ny = abs(x)\nsteps = mean(y)", 3),
    ("max(abs(c) - d)", "x = abs(c)\ny = x - d\nsteps = max(y)", 3),
    ("min(a.*b)", "x = a.*b\nsteps = min(x)", 2),
];

#[test]
fn fused_expressions_have_the_bits_of_their_steps() {
    let mut devices = vec!["host"];
    match quadra_device::open("cpu") {
        Ok(_) => devices.push("cpu"),
        Err(why) => quadra_base::testing::left_out(why),
    }
    for device in devices {
        for double in [false, true] {
            for (whole, steps, operations) in CASES {
                let text = format!("whole = {whole}\n{steps}\n");
                let (got, want, fused) = run(&text, device, double);
                assert_eq!(fused, (1, *operations), "{whole} on {device}");
                let wrong = got.iter().zip(&want).position(|(a, b)| a != b);
                let differ = wrong.map(|i| (i, format!("{:x} instead of {:x}", got[i], want[i])));
                assert_eq!((differ, got.len()), (None, want.len()), "{whole} on {device}, double: {double}");
            }
        }
    }
}

#[test]
fn what_is_used_twice_or_is_short_is_not_fused() {
    let (whole, steps, fused) = run("x = a.*b\nwhole = x + x.*c\nsteps = x + x.*c\n", "host", false);
    assert_eq!(whole, steps);
    assert_eq!(fused, (2, 4), "`x` is a variable: the product and the sum are one expression, twice");
    let (_, _, fused) = run("e = [1,2,3]\nwhole = e.*e + 1.5\nsteps = whole\n", "host", false);
    assert_eq!(fused, (0, 0));
    // Another shape and integers are left to the general operators.
    let (_, _, fused) = run("k = 0..n-1\nwhole = a + a[0..0] - 1.5\nsteps = (k + 1.5) .* a\n", "host", false);
    assert!(fused.0 <= 1, "{fused:?}");
}

#[test]
fn large_expressions_become_one_kernel_on_the_processor() {
    if let Err(why) = quadra_device::open("cpu") {
        return quadra_base::testing::left_out(why);
    }
    let options = Options { device: "cpu".into(), profile: true, ..Options::default() };
    let mut session = Session::new(options, Box::new(Buffer::default()));
    let text = "x = ones(300,300)\ny = 2*x\nfor k=1..7\n    z = k*x.*y + y - x./k + 0.5\nend\nprint z[5,6]\n";
    let outcome = session.run("kernel.q", text);
    assert_eq!(outcome.status, 0, "{:?}", outcome.diagnostics);
    let fused: Vec<_> = session.profile().expect("asked for").records.iter().filter(|r| r.name == "fused").collect();
    let [r] = &fused[..] else { panic!("{fused:?}") };
    // The numbers are parameters, so that one kernel serves all turns.
    assert_eq!((r.launches, r.compiled, r.items), (7, 1, 7 * 90_000));
}

/// Loops whose iterations make their arrays anew are one program: the host makes none of the steps.
#[test]
fn steps_that_make_their_arrays_anew_are_one_launch() {
    if quadra_device::open("cpu").is_err() {
        return quadra_base::testing::left_out("libLLVM is not installed");
    }
    let rows = "row = e[0,:]
    for y = 1..size(e,0)-1
        before : vec'clamped = row
        next = zeros(size(e,1))
        for x = 0..size(e,1)-1
            next[x] = e[y,x] + max(before[x-1], before[x+1])
        endfor
        row = next
    endfor
    print sum(row), \" \", row[3], \" \", sum(e)";
    let part = rows.replace("0..size(e,1)-1\n            next", "2..size(e,1)-1\n            next");
    // Two names of one array that somebody looks at afterwards.
    let both = rows.replace("        row = next", "        c = next\n        row = next");
    let both = both.replace("row = e", "c = e[1,:]\n    row = e").replace("print ", "print c[5], ");
    for body in [rows, &part, &both] {
        let text = format!(
            "function [] = steps(e : mat)\n    {body}\nendfunction\nsteps(reshape(mod((0..49999)*7,11), 250, 200))\n"
        );
        let result = |device: &str| {
            let buffer = Buffer::default();
            let options = Options { device: device.into(), profile: true, ..Options::default() };
            let mut session = Session::new(options, Box::new(buffer.clone()));
            let outcome = session.run("steps.q", &text);
            assert_eq!(outcome.status, 0, "{:?}", outcome.diagnostics);
            let records = session.profile().map(|p| p.records.clone()).unwrap_or_default();
            (buffer.text(), records.iter().filter(|r| r.name == "for-loop").map(|r| r.launches).sum::<u64>())
        };
        let (host, device) = (result("host"), result("cpu"));
        assert_eq!(host.0, device.0, "{body}");
        assert_eq!(device.1 == 1, body != both, "{body}: {device:?}");
    }
}
