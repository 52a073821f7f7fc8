//! The error for a name that nothing defines, with what was probably meant.

use crate::code::Code;
use crate::cx::Cx;
use crate::fault::Fault;

/// The error for a parameter that the call left out, as a function that asks for `nargin` allows.
pub fn left_out(name: &str, code: &Code) -> Option<Box<Fault>> {
    let param = code.params.iter().find(|p| *p.name == *name && p.optional)?;
    let help = format!("test nargin before it is read, or give it a default: {} = 0", param.name);
    Some(Fault::new("Q0308", format!("'{}' misses argument '{name}'", code.name)).help(help))
}

/// The error for a name that nothing defines.
pub fn undefined(name: &str, cx: &Cx) -> Box<Fault> {
    let help = match elsewhere(name) {
        Some(help) => help.to_string(),
        None => match near(name, cx) {
            Some(known) => format!("did you mean '{known}'?"),
            None => "assign it before; functions see the variables that exist where they are defined".to_string(),
        },
    };
    Fault::new("Q0302", format!("'{name}' is not defined")).help(help)
}

/// The function, constant or function of the program whose name is most like this one.
fn near<'c>(name: &str, cx: &'c Cx) -> Option<&'c str> {
    let functions = cx.shared.functions.keys().map(|k| &**k);
    let rows = crate::builtins::table().iter().map(|b| b.facts.name);
    let known = functions.chain(rows).chain(crate::builtins::shipped().iter().copied());
    let length = name.chars().count();
    let alike = |k: &&str| k.chars().count().abs_diff(length) <= 1 + k.len() / 4;
    let close = known.filter(alike).filter_map(|k| {
        let distance = if k.eq_ignore_ascii_case(name) { 0 } else { distance(k, name) };
        // Of two that are as near, the one of the same length: letters that changed places are more usual than one too many.
        (distance <= 1 + k.len() / 4).then_some((distance, k.chars().count().abs_diff(length), k))
    });
    close.min().map(|(_, _, k)| k)
}

/// What a function of MATLAB, Octave or Python is called or written here.
fn elsewhere(name: &str) -> Option<&'static str> {
    Some(match name {
        "nargin" | "nargout" => "it counts the arguments or results of a host function, within the function",
        "puts" | "println" => "write print x",
        "len" => "write numel(x), or length(x)",
        "rows" | "height" => "write size(x,0)",
        "columns" | "cols" | "width" => "write size(x,1)",
        "concatenate" => "write vertcat(a,b), horzcat(a,b) or cat(dim,a,b)",
        "arrayfun" | "bsxfun" | "map" => "call the function on the array, or write a loop",
        "bitcmp" => "write not(x)",
        "replace" => "write strrep(s,old,new)",
        "sumsq" => "write sum(x.^2)",
        "True" | "False" | "None" | "NULL" => "the constants are true, false and nullptr",
        "np" | "numpy" | "math" => "functions stand on their own: zeros(3), sqrt(2)",
        "arange" | "colon" => "a range is written 0..n-1, with a step 0..2..n-1",
        "struct" => "write object(a:=1, b:=2)",
        "class" | "typeof" => "write type(x)",
        "isa" | "isinstance" => "write type(x,T)",
        _ => return None,
    })
}

/// Edit distance, for suggestions; two letters that change places are one edit (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let above = &rows[i - 1];
            let mut least = (above[j - 1] + usize::from(a[i - 1] != b[j - 1])).min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
