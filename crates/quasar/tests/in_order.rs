//! Loops whose iterations need each other are one launch, whatever they do within: arrays that iterations make, loops whose bounds
//! follow, loops along rows.

use quadra_quasar::session::{Buffer, Options, Session};

/// What a program prints on a device, and how many launches and kernels there were.
fn run(text: &str, device: &str) -> (String, u64, u64) {
    let buffer = Buffer::default();
    let options = Options { device: device.into(), profile: true, ..Options::default() };
    let mut session = Session::new(options, Box::new(buffer.clone()));
    let outcome = session.run("in_order.q", text);
    assert_eq!(outcome.status, 0, "{text}: {:?}", outcome.diagnostics);
    let records = session.profile().map(|p| p.records.clone()).unwrap_or_default();
    (buffer.text(), records.iter().map(|r| r.launches).sum(), records.iter().map(|r| r.compiled).sum())
}

/// Runs the bodies of a loop over 60 iterations in a function: one launch on the processor, with the host's results.
fn are_one_launch(bodies: &[&str]) {
    are_one_launch_of(60, bodies);
}

fn are_one_launch_of(n: usize, bodies: &[&str]) {
    if quadra_device::open("cpu").is_err() {
        return quadra_base::testing::left_out("libLLVM is not installed");
    }
    for body in bodies {
        let text = format!(
            "import \"inttypes.q\"\nfunction [g, y] = steps(g : mat'checked, y : vec'checked, n : int)\n \
             for t=1..n-2\n {body}\n endfor\nendfunction\nn = {n}\n\
             [g, y] = steps(mod(reshape(0..n*n-1,[n,n])*37,19)-9, mod((0..n-1)*7,11), n)\n\
             print sum(mod(g,64)), \" \", sum(mod(y,64)), \" \", g[7,5], \" \", y[9]\n"
        );
        let (output, launches, compiled) = run(&text, "cpu");
        assert_eq!(output, run(&text, "host").0, "{body}");
        assert_eq!((launches, compiled), (1, 1), "{body}");
    }
}

#[test]
fn arrays_that_iterations_make_need_no_host() {
    are_one_launch(&[
        // Filled, since not all elements are set.
        "v = zeros(n)\n for k=0..t\n v[k] = g[t-1,k] + y[k]\n endfor\n for k=0..n-1\n g[t,k] = mod(g[t,k] + v[k], 32)\n endfor\n y[t] = y[t-1] + 1",
        // Of integers, in a branch of a loop.
        "for r=0..1\n if mod(t+r,3) > 0\n c : vec[int] = vec[int](n)\n for k=0..n-1\n c[k] = k + r\n endfor\n y[t] = mod(y[t-1] + c[t], 16)\n endif\n endfor",
        // A matrix of doubles with the lengths of another array, all of which is set.
        "w = mat[scalar'double](size(g,0), numel(y))\n for a=0..size(g,0)-1\n for b=0..numel(y)-1\n w[a,b] = g[a,b] - y[b]\n endfor\n endfor\n \
         y[t] = mod(w[t-1,t] + y[t-1], 8)",
    ]);
}

#[test]
fn arrays_that_iterations_make_may_be_checked() {
    are_one_launch(&[
        "v : vec'checked = zeros(n)\n for k=0..t\n v[k] = g[t-1,k] + y[k]\n endfor\n for k=0..n-1\n g[t,k] = mod(g[t,k] + v[k], 32)\n endfor\n y[t] = y[t-1] + 1",
        "c : vec[int]'checked = vec[int](n)\n for k=0..n-1\n c[k] = k + t\n endfor\n s = y[t-1]\n for k=0..n-2\n s += c[k+1]\n endfor\n y[t] = mod(s, 16)",
        "w : mat[scalar'double]'checked = mat[scalar'double](n, 2)\n for a=0..n-1\n for b=0..1\n w[a,b] = g[a,b] - y[a]\n endfor\n endfor\n y[t] = mod(w[t-1,1] + y[t-1], 8)",
    ]);
}

#[test]
fn bounds_may_follow_from_what_an_iteration_computes() {
    are_one_launch(&[
        "first = max(t-9, 0)\n most = min(first+20, n-1)\n for k=first..most\n y[k] = mod(y[k] + g[t,k], 16)\n endfor",
        "for k=0..t\n for j=k..n-1\n g[k,j] = mod(g[k,j] + y[t], 8)\n endfor\n y[k] = y[k] + 1\n endfor",
        "s = 0.0\n for k=0..n-1-t\n s += g[k+t,t]\n endfor\n y[t] = mod(y[t-1] + s, 32)",
    ]);
}

#[test]
fn lanes_go_along_rows() {
    are_one_launch(&[
        "for r=t+1..n-1\n f = mod(g[r,t], 4)\n for c=0..n-1\n g[r,c] = mod(g[r,c] - f*g[t,c], 8)\n endfor\n y[r] += f\n endfor",
        // Two loops in each row.
        "for r=0..t-1\n for c=1..n-1\n g[r,c] = mod(g[r,c] + g[t,c-1], 16)\n endfor\n for c=0..n-2\n g[r,c] = mod(g[r,c] + y[c+1], 16)\n endfor\n endfor\n y[t] = g[t-1,0]",
        // Rows in which something stands under a condition.
        "for r=t..n-1\n k = mod(r*t, n)\n for c=0..n-1\n if g[r,c] > g[t-1,k]\n g[r,c] = g[t-1,c] - 1\n endif\n endfor\n y[r] = k\n endfor",
    ]);
}

#[test]
fn arrays_assigned_as_a_whole_are_the_loop_s_own() {
    are_one_launch_of(
        150,
        &[
            // A column that a loop within changes.
            "v = g[:,t]\n for k=0..t-1\n v = mod(v - y[k]*g[:,k], 16)\n endfor\n g[:,t] = v\n y[t] = mod(sum(v), 8)",
        ],
    );
    are_one_launch_of(
        400,
        &[
            // One that lasts from one iteration to the next, changed in place under a condition.
            "for r=0..9\n if g[t,0] > y[t]\n y += g[t,:]\n endif\n y = mod(y + r, 16)\n endfor",
            // Two that follow from each other, and elements of one.
            "for r=0..9\n u = y - g[t,:]\n w = u + r*y\n u = mod(u.*w, 8)\n u[t] = 3\n y = mod(y + u, 32)\n g[t,:] = u\n endfor",
        ],
    );
}

#[test]
fn matrices_of_few_elements_last_in_registers_and_memory() {
    are_one_launch_of(
        500,
        &[
            "if t == 1\n p = [[1.0,0.5],[0.25,1.0]]\n endif\n y[t] = y[t-1] + 1\n m = g[0..1,0..1]\n m = mod(m*m + y[t], 8)\n g[0..1,0..1] = m",
            "m = g[0..1,0..2]\n m = mod(m + t, 8)\n c = transpose(m)*m\n c = mod(c, 16)\n g[0..2,0..2] = c\n y[t] = mod(y[t-1] + c[1,1], 8)",
            "x = y[0..3]\n x = 2*x\n x = mod(x + g[t,4..7], 8)\n y[0..3] = x\n y[t] = y[t-1]",
        ],
    );
}
