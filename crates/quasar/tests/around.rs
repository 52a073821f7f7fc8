//! How far around a position functions look, derived from their text.

use quadra_quasar::around::{Argument, Axis};
use quadra_quasar::session::{Options, Session};

fn around(text: &str, arguments: &[Argument]) -> Result<Vec<(usize, Axis)>, String> {
    let mut session = Session::new(Options::default(), Box::new(std::io::sink()));
    session.around("program.q", text, "f", arguments).map_err(|found| found[0].message.clone())
}

/// A function whose loop over all positions has such a body.
fn over_all(body: &str) -> String {
    format!(
        "function y : mat = f(x : mat, r : int)\ny = zeros(size(x))\nfor m = 0..size(x,0)-1\nfor n = 0..size(x,1)-1\n{body}\n\
endfor\nendfor\nendfunction\n"
    )
}

fn distances(low: i64, high: i64) -> Axis {
    Axis { low, high, whole: false }
}

#[test]
fn distances_follow_from_indices() {
    let arguments = [Argument::Array(2), Argument::Integer(2)];
    for (body, rows, columns) in [
        ("y[m,n] = x[m,n]", (0, 0), (0, 0)),
        ("y[m,n] = x[m-1,n] + x[m,n+3]", (-1, 0), (0, 3)),
        ("for k = -r..1\ny[m,n] += x[m+k,n-2*k]\nendfor", (-2, 1), (-2, 4)),
        ("k = m - r\ny[m,n] = x[k+1,n]", (-1, 0), (0, 0)),
        ("for k = m-2..m+1\ny[m,n] += x[k,n]\nendfor", (-2, 1), (0, 0)),
        ("[a, b] = [x[m,n-1], x[m+1,n]]\ny[m,n] = a > b ? a : b", (0, 1), (-1, 0)),
    ] {
        let found = around(&over_all(body), &arguments).unwrap_or_else(|why| panic!("{body}: {why}"));
        assert_eq!(found, [(0, distances(rows.0, rows.1)), (1, distances(columns.0, columns.1))], "{body}");
    }
    // Near a border something else may happen: so much is needed, at least.
    let found =
        around(&over_all("if m < 3\ny[m,n] = 1\nelse\ny[m,n] = x[max(m-1,0),n]\nendif"), &arguments).expect("followed");
    assert!(found[0].1.low <= -3 && found[0].1.high == 0 && found[1].1 == distances(0, 0), "{found:?}");
    let found = around(&over_all("y[m,n] = x[m,0] + x[m,n]"), &arguments).expect("followed");
    assert!(!found[0].1.whole && found[1].1.whole);
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let arguments = [Argument::Array(2), Argument::Integer(2)];
    for (body, why) in [
        ("y[m,n] = x[n,m]", "exchanged"),
        ("y[m,n] = x[m,n] + m", "depends on the position"),
        ("y[m,n] = x[m,n]/size(x,0)", "depends on the position"),
        ("y[m+1,n] = x[m,n]", "elsewhere"),
        ("x[m,n] = 1\ny[m,n] = 2", "writes to its argument"),
        ("y[m,n] = x[m,n] + sum(x)", "may look at whole arrays"),
        ("k = int(x[m,n])\ny[m,n] = x[k,n]", "depends on data"),
        ("y[m,n] = y[m-1,n] + x[m,n]", "further"),
        ("y[m,n] = x[r*m,n]", "depends on the position"),
        ("y[m,n] = s\ns = x[m,n]", "holds the value of another position"),
        ("k = 0\nwhile x[m,n] > k\nk += 1\nendwhile\ny[m,n] = x[m+k,n]", "depends on"),
    ] {
        let found = around(&over_all(body), &arguments);
        assert!(found.as_ref().is_err_and(|message| message.contains(why)), "{body}: {found:?}");
    }
    let recursive = "function y = f(x : mat)\ny = f(x)\nendfunction\n";
    assert!(around(recursive, &[Argument::Array(2)]).is_err_and(|m| m.contains("calls itself")));
    assert!(around("function y = f(x : mat)\ny = sum(x)\nendfunction\n", &[Argument::Array(2)]).is_err());
    assert!(around("function y = g(x)\ny = x\nendfunction\n", &[]).is_err_and(|m| m.contains("defines no function")));
}

#[test]
fn distances_add_up_through_arrays_and_calls() {
    let text = "
function t = blur(x : vec)
    t = zeros(numel(x))
    for i = 1..numel(x)-2
        t[i] = x[i-1] + x[i+1]
    endfor
endfunction
function y = f(x : vec, w : vec)
    t = blur(x)
    z = t + 2*x
    y = zeros(numel(x))
    for i = 0..numel(x)-1
        for k = 0..2
            y[i] += w[k]*z[i+k]
        endfor
    endfor
endfunction
";
    let found = around(text, &[Argument::Array(1), Argument::Table]).expect("followed");
    assert_eq!(found, [(0, distances(-1, 3))]);
}

/// What a wrong answer would hide: other names of an array, writes in calls, other meanings of indices outside, nested loops.
#[test]
fn nothing_is_overlooked() {
    let two = [Argument::Array(2), Argument::Integer(2)];
    let head = "function y : mat = f(x : mat, r : int)\ny = zeros(size(x))\n";
    let shift = "for m = 0..size(x,0)-1\nfor n = 0..size(x,1)-1\nt[m,n] = x[m-1,n]\nendfor\nendfor\nendfunction\n";
    let found = around(&format!("{head}t = y\n{shift}"), &two).expect("followed");
    assert_eq!(found[0], (0, distances(-1, 0)), "another name");
    for (text, why) in [
        (format!("{head}g(x, y)\nendfunction\nfunction [] = g(x : mat, t : mat)\n{shift}"), "writes to its argument"),
        (format!("{head}t = y\nif r > 1\nt = zeros(size(x))\nendif\n{shift}"), "not known whose"),
        (over_all("for p = 0..size(x,0)-1\ny[m,n] += x[p,n]\nendfor"), "same axis"),
        (over_all("if x[m,n] > 0\nbreak\nendif\ny[m,n] = x[m,n]"), "ends a loop over positions"),
        (over_all("y[m,n] = x[m-1,n]").replace("x : mat", "x : mat'circular"), "other end"),
        (over_all("c : mat'circular = x\ny[m,n] = c[m-1,n]"), ""),
        (over_all("y[m,n] = x[m-1,n]").replace("x : mat", "x : image"), "the type 'image'"),
        (format!("{head}for i = 0..numel(x)-1\ny[i] = x[i]\nendfor\nendfunction\n"), ""),
        (format!("{head}t = 2*x\nfor i = 0..size(x,0)-1\ny[i] = t[i+1]\nendfor\nendfunction\n"), "number of positions"),
    ] {
        let found = around(&text, &two);
        assert!(found.as_ref().is_err_and(|message| message.contains(why)), "{text}: {found:?}");
    }
    let found = around(&over_all("y[m,n] = x[m-2,n]").replace("x : mat", "x : mat'mirror"), &two).expect("followed");
    assert_eq!(found[0], (0, distances(-2, 2)));
}
