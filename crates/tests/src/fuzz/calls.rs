//! Calls of the library's functions with arguments at the edge: empty, extreme, complex, of other kinds than wanted.

use super::quasar::{Rng, function};

/// Arguments, as they are written in a program.
const ODD: &[&str] = &[
    "0",
    "1",
    "-1",
    "2.5",
    "-0.0",
    "1e300",
    "0/0",
    "1/0",
    "3",
    "7",
    "2147483647",
    "-2147483648",
    "4294967296.0",
    "1e10",
    "2+3j",
    "\"text\"",
    "\"\"",
    "\"linear\"",
    "\"%d %s\\n\"",
    "\"int\"",
    "zeros(0)",
    "zeros(0, 3)",
    "zeros(3, 0)",
    "zeros(2, 0, 3)",
    "[5]",
    "[3, 1, 2, 3]",
    "[0/0, 1, 2]",
    "[1/0, -1/0, 0]",
    "[1j, 2, 3j]",
    "[1e30, -1e30]",
    "[0, 0, 0]",
    "[-1, -2]",
    "eye(3)",
    "ones(2, 3)",
    "ones(3, 3, 2)",
    "[[0/0, 1], [2, 3]]",
    "{1, \"b\", [1, 2]}",
    "{}",
    "{\"a\", \"b\"}",
    "object(a := 1)",
    "x -> x + 1",
    "(x, y) -> x + y",
    "() -> 1",
    "0..4",
    "3..1",
    "0..-1..-3",
    "int([1, 2, 3])",
    "uint8([1, 2, 255])",
    "rand(5, 5)",
    "rand(2, 2, 2)",
    "sparse(eye(3))",
    "[true, false, true]",
];

/// A program of some calls, each of which may fail by itself.
pub fn program(r: &mut Rng) -> String {
    let mut text = String::new();
    for _ in 0..1 + r.below(6) {
        let name = function(r);
        let arguments: Vec<&str> = (0..r.below(6)).map(|_| r.pick(ODD)).collect();
        let results = r.pick(&["", "y = ", "[y, z] = ", "[y, z, w] = "]);
        text.push_str(&format!("try\n{results}{name}({})\ncatch ex\nendtry\n", arguments.join(", ")));
    }
    text
}
