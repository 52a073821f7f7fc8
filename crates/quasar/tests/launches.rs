//! Where launches run, how often kernels are compiled, and what a profile says about it.

use quadra_quasar::profile::Profile;
use quadra_quasar::session::{Buffer, Options, Outcome, Session};

fn run(text: &str, options: Options) -> (String, Outcome, Option<Profile>) {
    let buffer = Buffer::default();
    let mut session = Session::new(options, Box::new(buffer.clone()));
    let outcome = session.run("launches.q", text);
    (buffer.text(), outcome, session.profile().cloned())
}

fn options(device: &str) -> Options {
    Options { device: device.into(), profile: true, verbose: true, ..Options::default() }
}

/// Whether code can be compiled for this processor.
fn has_cpu() -> bool {
    let found = quadra_device::open("cpu").is_ok();
    if !found {
        quadra_base::testing::left_out("libLLVM is not installed");
    }
    found
}

const LOOP: &str = "x = zeros(N)\ny = ones(N)\nfor k=1..TIMES\n    for i=0..N-1\n        x[i] = x[i] + 2*y[i] + i\n    end\nend\n\
print sum(x), \" \", x[3]\n";

fn program(n: usize, times: usize) -> String {
    LOOP.replace('N', &n.to_string()).replace("TIMES", &times.to_string())
}

#[test]
fn a_loop_is_compiled_once_and_launched_often() {
    for device in ["interp", "qpu", "cpu"] {
        if device == "cpu" && !has_cpu() {
            continue;
        }
        let (output, outcome, profile) = run(&program(40, 25), options(device));
        let (expected, ..) = run(&program(40, 25), options("host"));
        assert_eq!((output, outcome.status), (expected, 0), "{device}");
        let records = profile.expect("asked for").records;
        let [r] = &records[..] else { panic!("{records:?}") };
        assert_eq!((r.launches, r.compiled, r.items), (25, 1, 1000), "{device}");
        // Two arrays of 40 floats are read, one is written.
        assert_eq!(r.bytes, 25.0 * 480.0);
        // A product, two sums and the conversion of `i` per item; the conversion is none on floats.
        assert_eq!(r.flops, Some(3000.0), "{device}");
        assert_eq!(r.span.map(|s| s.line), Some(4));
        assert_eq!(r.modelled_seconds.is_some(), device == "qpu");
        if let (Some(modelled), Some((bound, _))) = (r.modelled_seconds, r.bound) {
            assert!(modelled > bound && bound > 0.0, "{modelled} {bound}");
        }
    }
}

#[test]
fn arrays_stay_on_the_device_until_the_host_reads_them() {
    for device in ["interp", "qpu"] {
        let (.., profile) = run(&program(40, 25), options(device));
        // Two arrays of 40 floats once to the device, one of them once back, for `sum(x)`.
        assert_eq!(profile.expect("asked for").copied(), (320, 160), "{device}");
        let between = program(40, 25).replace("for i=0", "y[0] = x[0]\n    for i=0");
        let (output, outcome, profile) = run(&between, options(device));
        let (expected, ..) = run(&between, options("host"));
        assert_eq!((output, outcome.status), (expected, 0), "{device}");
        // The host reads `x` and writes `y` before each launch, so both are copied each time, and `x` once more at the end.
        assert_eq!(profile.expect("asked for").copied(), (160 + 25 * 160, 25 * 160), "{device}");
    }
}

#[test]
fn a_relaxed_loop_is_near_the_loop_as_written() {
    let window = "x = sin(reshape(0..24*80-1, 24, 80))\ny = zeros(24,80)\nATTRIBUTE\nfor m=0..23\n    for n=0..79\n        s = 0.0\n        \
                  for k=-2..2\n            for l=-2..2\n                s += x[m+k,n+l]\n            end\n        end\n        \
                  y[m,n] = s\n    end\nend\nprint sum(y.*x), \" \", y[0,0], \" \", y[12,40]\n";
    let (expected, ..) = run(&window.replace("ATTRIBUTE", ""), options("host"));
    for device in ["interp", "cpu"] {
        if device == "cpu" && !has_cpu() {
            continue;
        }
        let (output, outcome, profile) = run(&window.replace("ATTRIBUTE", "{!relaxed for}"), options(device));
        let numbers = |s: &str| s.split_whitespace().map(|w| w.parse::<f64>().expect("a number")).collect::<Vec<_>>();
        let near =
            numbers(&output).iter().zip(numbers(&expected)).all(|(a, b)| (a - b).abs() < 1e-3 * b.abs().max(1.0));
        assert!(near && outcome.status == 0, "{device}: {output}{expected}");
        assert_eq!(profile.expect("asked for").records.iter().map(|r| r.launches).sum::<u64>(), 1);
    }
}

#[test]
fn loops_that_are_forced_and_loops_with_running_sums_are_launched() {
    let forced = "p = [3,0,2,1]\ny = zeros(4)\nc = 0\n{!parallel for}\nfor i=0..3\n    y[p[i]] = i\n    c += 1\nend\nprint y, c\n";
    let running = "x = ones(1,1000)\ny = zeros(1000)\ns = 2\nfor i=0..999\n    s += 3\n    y[i] = s*x[i]\nend\nprint y[999], s, i\n";
    // A kernel for the contributions of the blocks, and one for all.
    for (text, launches, printed) in [(forced, 1, "[1, 3, 2, 0]4\n"), (running, 2, "30023002999\n")] {
        for device in ["interp", "qpu", "cpu"] {
            if device == "cpu" && !has_cpu() {
                continue;
            }
            let (output, outcome, profile) = run(text, options(device));
            assert_eq!((output.as_str(), outcome.status), (printed, 0), "{device}");
            let records = profile.expect("asked for").records;
            assert_eq!(records.iter().map(|r| r.launches).sum::<u64>(), launches, "{device}: {records:?}");
        }
    }
}

#[test]
fn what_a_loop_on_a_device_did_is_forgotten_if_its_sums_overflow() {
    let text = "x = zeros(40)\nc = 2147483000\nfor k=1..2\n    for i=0..39\n        x[i] = x[i] + 1\n    end\nend\n\
                try\n    for i=0..39\n        x[i] = x[i] + 1\n        c += 100\n    end\ncatch e\n    print \"full\"\nend\nprint x[0], \" \", x[39]\n";
    let (expected, ..) = run(text, options("host"));
    for device in ["interp", "qpu", "cpu"] {
        if device != "cpu" || has_cpu() {
            let (output, ..) = run(text, options(device));
            assert_eq!(output, expected, "{device}");
        }
    }
}

#[test]
fn the_choice_is_left_to_the_size_of_a_launch() {
    if !has_cpu() {
        return;
    }
    let (small, outcome, profile) = run(&program(20, 10), options("auto"));
    assert_eq!(profile.expect("asked for").records.len(), 0);
    assert!(!outcome.diagnostics.iter().any(|d| d.code == "Q0522"), "{:?}", outcome.diagnostics);
    assert_eq!(small, run(&program(20, 10), options("host")).0);
    let (large, outcome, profile) = run(&program(200_000, 2), options("auto"));
    let profile = profile.expect("asked for");
    assert_eq!((profile.records[0].launches, profile.records[0].device), (2, "cpu"));
    let said = outcome.diagnostics.iter().find(|d| d.code == "Q0522").expect("--verbose says it");
    assert_eq!(said.message, "the for-loop runs on device cpu");
    assert_eq!(large, run(&program(200_000, 2), options("host")).0);
    // Small launches that come often enough are compiled, too.
    let (_, _, profile) = run(&program(1000, 1000), options("auto"));
    let launches = profile.expect("asked for").records[0].launches;
    assert!((100..1000).contains(&launches), "{launches}");
    // Without `--verbose` nobody is told.
    let (_, outcome, _) = run(&program(200_000, 2), Options { verbose: false, ..options("auto") });
    assert_eq!(outcome.diagnostics.len(), 0, "{:?}", outcome.diagnostics);
}

/// A loop that fails in the middle, within `try`.
const FAILING: &str = "x = zeros(1000)\ny = ones(1000)\nz = ones(500)\ntry\n    for i=0..999\n        x[i] = x[i] + y[i] + z[i]\n    end\n\
catch e\n    print e\nend\nprint sum(x), \" \", x[499], \" \", x[500]\n";

#[test]
fn a_launch_in_place_that_fails_leaves_arrays_as_the_serial_loop_does() {
    let (expected, outcome, _) = run(FAILING, options("host"));
    assert_eq!(outcome.status, 0, "{:?}", outcome.diagnostics);
    for device in ["interp", "cpu"] {
        if device == "cpu" && !has_cpu() {
            continue;
        }
        assert_eq!(run(FAILING, options(device)).0, expected, "{device}");
    }
}

#[test]
fn integers_that_overflow_in_place_are_counted_once() {
    let text = "n = int(2000000000)\nx = vec[int](100)\nfor k=0..99\n    x[k] = k\nend\n\
try\n    for k=0..99\n        x[k] = x[k] + n * (k - 10)\n    end\ncatch e\n    print e\nend\nprint x[9], \" \", x[10], \" \", x[11], \" \", x[99]\n";
    let (expected, outcome, _) = run(text, options("host"));
    assert_eq!(outcome.status, 0, "{:?}", outcome.diagnostics);
    for device in ["interp", "cpu"] {
        if device == "cpu" && !has_cpu() {
            continue;
        }
        assert_eq!(run(text, options(device)).0, expected, "{device}");
    }
}

#[test]
fn items_of_a_block_run_by_rows() {
    let text = "function [] = __kernel__ matmul(a : mat, b : mat, c : mat, pos : ivec2, blkpos : ivec2)
    ta = shared(16,16)
    tb = shared(16,16)
    s = 0.0
    for t = 0..16..size(a,1)-1
        ta[blkpos[0],blkpos[1]] = a[pos[0],t+blkpos[1]]
        tb[blkpos[0],blkpos[1]] = b[t+blkpos[0],pos[1]]
        syncthreads
        for k = 0..15
            s += ta[blkpos[0],k]*tb[k,blkpos[1]]
        endfor
        syncthreads
    endfor
    c[pos] = s
endfunction
a = reshape(mod(0..2047, 7), 32, 64)
b = reshape(mod(0..2047, 11), 64, 32)
c = zeros(32,32)
parallel_do([[32,32],[16,16]], a, b, c, matmul)
print max(abs(c-a*b))
";
    for device in ["qpu", "cpu"] {
        if device == "cpu" && !has_cpu() {
            continue;
        }
        let (output, outcome, profile) = run(text, options(device));
        assert_eq!((output.as_str(), outcome.status), ("0\n", 0), "{device}: {:?}", outcome.diagnostics);
        let profile = profile.expect("asked for");
        let r = profile.records.iter().find(|r| r.name == "matmul").expect("it ran");
        assert_eq!(r.device, if device == "qpu" { "emu" } else { device });
        if device == "qpu" {
            // A gather for each lane's own element of the two arrays would take ten times as long.
            // The same number of operations whatever the form: a product and a sum per term.
            assert!(r.flops.is_some_and(|f| (f - 131_072.0).abs() < 13_000.0), "{:?}", r.flops);
            let modelled = r.modelled_seconds.expect("the device has a model");
            assert!(modelled < 4e-3, "{modelled}");
        }
    }
}

#[test]
fn steps_through_time_are_runs_of_few_launches() {
    if !has_cpu() {
        return;
    }
    let text = "function [a, b, last] = heat(start : mat, steps : int)
    a = copy(start)
    b = copy(start)
    last = -1
    step = 0
    for step = 10..2..8+2*steps
        for m = 1..size(a,0)-2
            for n = 1..size(a,1)-2
                b[m,n] = a[m,n] + 0.125*(a[m-1,n] + a[m+1,n] + a[m,n-1] + a[m,n+1] - 4*a[m,n])MORE
            endfor
        endfor
        BETWEEN
    endfor
    last = step
endfunction
[a, b, last] = heat(reshape(sin(0..200*250-1), 200, 250), STEPS)
for m=0..7..199
    print a[m,:], b[m,:], last
endfor
";
    const SWAP: &str = "[a, b] = [b, a]";
    // The first step is made alone, and a launch makes 256 runs at most. What is no such loop waits for other launches to run with.
    for (steps, between, more, joined) in [
        (1, SWAP, "", 0),
        (2, SWAP, "", 1),
        (7, SWAP, "", 5),
        (8, SWAP, "", 6),
        (300, SWAP, "", 297),
        (9, "[a, b] = [a, b]", "", 8),
        (9, "b[0,0] = step\n[a, b] = [b, a]", "", 0),
        (9, SWAP, " + step", 8),
    ] {
        let text = text.replace("BETWEEN", between).replace("MORE", more).replace("STEPS", &steps.to_string());
        let (output, outcome, profile) = run(&text, options("cpu"));
        let (expected, ..) = run(&text, options("host"));
        assert_eq!((output, outcome.status), (expected, 0), "{steps} {between} {more}");
        let records = profile.expect("asked for").records;
        let heat = records.iter().max_by_key(|r| r.launches).expect("it is launched");
        assert_eq!((heat.launches, heat.joined), (steps, joined), "{steps} {between} {more}");
        assert_eq!(heat.items, steps * 198 * 248);
    }
}

/// Programs that step through time, with what the launches of a step are and how many follow another one at once.
const STEPS: [(&str, &str, u64, u64); 5] = [
    // Two fields, each with a kernel of its own, and two exchanges. Where operations of a kernel are counted, the host reads.
    (
        "two fields",
        "for t=1..60
    for i=1..n-2
        for j=1..n-2
            c[i,j] = a[i,j] + 0.1*(a[i-1,j]+a[i+1,j]+a[i,j-1]+a[i,j+1]-4*a[i,j]) - a[i,j]*b[i,j]
        end
    end
    for i=1..n-2
        for j=1..n-2
            d[i,j] = b[i,j] + 0.2*(b[i-1,j]+b[i+1,j]+b[i,j-1]+b[i,j+1]-4*b[i,j]) + a[i,j]*b[i,j]
        end
    end
    [a, c] = [c, a]
    [b, d] = [d, b]
end",
        120,
        118,
    ),
    // A scalar that changes with the step, a kernel that depends on it, and element-wise work between the kernels. That gets
    // kernels of its own once it has been met often.
    (
        "scalars and arrays",
        "for t=0..39
    phase = t*0.25
    for i=0..n-1
        for j=0..n-1
            a[i,j] = a[i,j] + phase*b[i,j]
        end
    end
    b = 0.5*b + 0.25*a
    c += 0.125*b
    for i=1..n-2
        for j=0..n-1
            a[i,j] = 0.5*a[i,j] + c[i-1,j] - c[i+1,j]
        end
    end
end",
        80,
        47,
    ),
    // What the host reads or writes between two kernels has been computed.
    (
        "the host in between",
        "for t=1..30
    for i=0..n-1
        for j=0..n-1
            a[i,j] = a[i,j] + b[i,j]
        end
    end
    if a[3,4] > 2
        a[3,4] = a[3,4] - 1
        b[t,t] = a[3,5]
    endif
    for i=0..n-1
        for j=0..n-1
            b[i,j] = 0.5*a[i,j]
        end
    end
end",
        60,
        29,
    ),
    // A kernel that fails names its place, and those before it have run.
    (
        "a failure",
        "for t=0..50
    for i=0..n-1
        for j=0..n-1
            a[i,j] = a[i,j] + b[i,j]
        end
    end
    for i=0..n-1
        for j=0..n-1
            b[i,j] = 0.5*a[i,j]
        end
    end
    try
        for i=0..n-1
            a[i+t-25,0] = t
        end
    catch e
        c[t,t] = a[t,t+1]
    end
    d[2*t,t] = b[t,t]
end",
        u64::MAX,
        u64::MAX,
    ),
    (
        "copies",
        "for t=1..20
    for i=0..n-1
        for j=0..n-1
            a[i,j] = a[i,j] + b[i,j]
        end
    end
    d = copy(a)
    for i=0..n-1
        for j=0..n-1
            b[i,j] = d[j,i]
        end
    end
end",
        40,
        19,
    ),
];

#[test]
fn kernels_of_a_step_run_in_one_parallel_region() {
    if !has_cpu() {
        return;
    }
    let frame = "function [a, b, c, d] = steps(n : int)
a = reshape(sin(0..n*n-1), n, n)
b = reshape(cos(0..n*n-1), n, n)
c = copy(a)
d = copy(b)
BODY
end
[a, b, c, d] = steps(SIZE)
print sum(a), \" \", sum(b), \" \", sum(c), \" \", sum(d), \" \", a[3,4], b[4,3], c[1,2], d[7,9]
";
    for (what, body, launches, joined) in STEPS {
        // Steps of large arrays alone are launches; shorter ones run with all others as one program.
        let size = if what == "the host in between" { "250" } else { "52" };
        let text = frame.replace("BODY", body).replace("SIZE", size);
        let (output, outcome, profile) = run(&text, options("cpu"));
        let (expected, host, _) = run(&text, options("host"));
        assert_eq!((output, outcome.status), (expected, host.status), "{what}: {:?}", outcome.diagnostics);
        let place = |o: &Outcome| o.diagnostics.last().map(|d| (d.code, d.span));
        assert_eq!(host.status, i32::from(what == "a failure"), "{what}: {:?}", host.diagnostics);
        if host.status != 0 {
            assert_eq!(place(&outcome), place(&host), "{what}");
        }
        let records = profile.expect("asked for").records;
        if launches < u64::MAX {
            let loops = || records.iter().filter(|r| r.name == "for-loop");
            assert_eq!(loops().map(|r| r.launches).sum::<u64>(), launches, "{what}: {records:?}");
            assert_eq!(loops().map(|r| r.joined).sum::<u64>(), joined, "{what}: {records:?}");
            assert!(loops().all(|r| r.compiled == 1 && r.items == r.launches * (r.items / r.launches)), "{what}");
        }
    }
}

/// A kernel that no device takes.
const HOST_ONLY: &str = "function [] = __kernel__ k(c : vec[vec], y : vec, pos : int)\n   y[pos] = sum(c[pos])\nendfunction\n\
c = vec[vec](N)\nfor i=0..N-1\n   c[i] = [1,2]\nendfor\ny = zeros(N)\nfor k=1..2\n   parallel_do(N, c, y, k)\nendfor\nprint sum(y)\n";

#[test]
fn what_takes_the_host_long_is_told_once_with_what_to_write_instead() {
    if !has_cpu() {
        return;
    }
    let told = |n: usize, options: Options| {
        let (output, outcome, _) = run(&HOST_ONLY.replace('N', &n.to_string()).replace("for k=", "for r="), options);
        assert_eq!(output.trim(), (3 * n).to_string());
        outcome.diagnostics.into_iter().filter(|d| d.code == "Q0528").collect::<Vec<_>>()
    };
    let long = told(100_000, options("auto"));
    assert!(
        matches!(&long[..], [d] if d.message.contains("'k'") && d.span.is_some() && !d.help.is_empty()),
        "{long:?}"
    );
    assert!(told(20, options("auto")).is_empty(), "a short launch");
    let quiet = Options { verbose: false, ..options("auto") };
    assert!(told(100_000, quiet.clone()).is_empty(), "nobody watches");
    assert_eq!(told(100_000, Options { terminal: true, ..quiet }).len(), 1);
}

/// Loops in order: what they compute on the device is what the host computes, and they are launched.
#[test]
fn loops_whose_iterations_need_each_other_run_in_order_on_the_device() {
    if !has_cpu() {
        return;
    }
    // A filter with two poles, the longest run of equal numbers, what meets a condition moved together.
    const POLES: &str = "function y = f(x)\n y = zeros(numel(x))\n for i=2..numel(x)-1\n  y[i] = 0.5*y[i-1] - 0.25*y[i-2] + x[i]\n \
endfor\nendfunction\nprint f(linspace(0,1,5000))[4990..4999]\n";
    const LONGEST: &str = "function [best, at] = f(v)\n n = 0\n best = 0\n at = -1\n last = -1\n for i=0..numel(v)-1\n  \
if v[i] == last\n   n += 1\n  else\n   n = 1\n   last = v[i]\n  endif\n  if n > best\n   best = n\n   at = i\n  endif\n \
endfor\nendfunction\nv = vec[int](4000)\nfor i=0..3999\n v[i] = mod(i*i, 7)\nendfor\n[b,a] = f(v)\nprint b, \" \", a\n";
    const MOVED: &str = "function [y, n] = f(x)\n y = zeros(numel(x))\n n = 0\n for i=0..numel(x)-1\n  if mod(x[i], 3) == 1\n   \
y[n] = x[i]\n   n += 1\n  endif\n endfor\nendfunction\n[y,n] = f(0..4999)\nprint n, \" \", sum(y), \" \", y[0..4]\n";
    // Sums down the rows of a table: the loop within is parallel and short, so that its iterations are lanes.
    const DOWN: &str = "function m = f(e)\n m = copy(e)\n for y=1..size(e,0)-1\n  for x=0..size(e,1)-1\n   \
m[y,x] = e[y,x] + min(m[y-1,max(x-1,0)], m[y-1,min(x+1,size(e,1)-1)])\n  endfor\n endfor\nendfunction\n\
m = f(reshape(mod(0..4000, 37), 1, 4001)[0,0..3999])\nm = f(reshape(mod(0..3999, 37), 80, 50))\nprint sum(m), \" \", m[79,:]\n";
    for text in [POLES, LONGEST, MOVED, DOWN] {
        let (expected, ..) = run(text, options("host"));
        let (output, outcome, profile) = run(text, options("cpu"));
        assert_eq!(output, expected, "{text}{:?}", outcome.diagnostics);
        let records = profile.expect("asked for").records;
        let launched = |r: &quadra_quasar::profile::Record| r.device == "cpu" && r.launches > 0;
        assert!(records.iter().any(launched), "{text}{records:?}");
    }
}

/// A loop in order that faults leaves what the host's loop leaves.
#[test]
fn loops_in_order_that_fault_are_the_hosts() {
    if !has_cpu() {
        return;
    }
    for text in [
        "x = ones(3000)\ntry\n for i=1..3000\n  x[i] = x[i-1] + 1\n endfor\ncatch e\n print e.message\nendtry\nprint x[2999], \" \", sum(x)\n",
        "n = 2147480000\nv = vec[int](4000)\ntry\n for i=0..3999\n  n = n + 1\n  v[i] = n - v[max(i-1,0)]\n endfor\ncatch e\n print e.message\nendtry\n\
print n, \" \", v[3000]\n",
        "y = zeros(4000)\nn = 0\ntry\n for i=0..3999\n  if mod(i,2) == 0\n   y[2*n] = i\n   n += 1\n  endif\n  y[n+2500] = n\n endfor\n\
catch e\n print e.message\nendtry\nprint n, \" \", sum(y)\n",
    ] {
        let (expected, ..) = run(text, options("host"));
        let (output, ..) = run(text, options("cpu"));
        assert_eq!(output, expected, "{text}");
    }
}

/// A loop of which an iteration takes longer than its text says becomes a kernel while the host carries it out.
#[test]
fn the_rest_of_a_loop_that_takes_long_runs_on_the_device() {
    let text = "function s = f(n)\n s = 0\n for i=0..n-1\n  k : int = 0\n  while k < 40*i\n   k += 1\n  endwhile\n  \
                s = mod(s + k, 1001)\n endfor\nendfunction\nprint f(500)\n";
    let (expected, ..) = run(text, options("host"));
    let (output, _, profile) = run(text, options("auto"));
    assert_eq!(output, expected);
    let launches = profile.expect("asked for").records.first().map_or(0, |r| r.launches);
    assert_eq!(launches, u64::from(has_cpu()));
}
