//! Comparing, joining and searching strings, and regular expressions.

use super::{Builtin, Call, Run, row};
use crate::display;
use crate::fault::{Fault, Res, fault};
use crate::tensor::{Data, Tensor};
use crate::value::{Instance, Value};
use fancy_regex::{Match, Regex, RegexBuilder};
use quadra_quasar_hir::meaning::Gives;
use std::rc::Rc;

type Captures<'t> = fancy_regex::Captures<'t, str>;

/// The function of a text, or of every text in a cell.
fn map_texts(call: &mut Call, f: impl Fn(&str) -> Res<Value>) -> Res<Value> {
    match &call.args[0] {
        Value::Array(t) if t.is_cell() => {
            let item = |i: usize| match t.get(i).unwrap_or_default().as_text() {
                Some(s) => f(s),
                None => Err(call.wrong(0, "a string or a cell of strings")),
            };
            let items = (0..t.len()).map(item).collect::<Res<Vec<Value>>>()?;
            Ok(Value::array(Tensor::new(t.shape.clone(), Data::Cell(items))))
        }
        _ => f(call.text(0)?),
    }
}

/// Whether two texts agree; with a cell, for each of its elements. What is no text agrees with nothing.
fn agree(call: &mut Call, f: impl Fn(&str, &str) -> bool) -> Res<Value> {
    let test = |a: &Value, b: &Value| a.as_text().zip(b.as_text()).is_some_and(|(a, b)| f(a, b));
    let cell = |v: &Value| match v {
        Value::Array(t) if t.is_cell() => Some(t.clone()),
        _ => None,
    };
    let mask = |t: &Tensor, f: &dyn Fn(usize) -> bool| {
        let truths = (0..t.len()).map(|i| u8::from(f(i))).collect();
        Value::array(Tensor::new(t.shape.clone(), Data::Mask(truths)))
    };
    let (a, b) = (&call.args[0], &call.args[1]);
    Ok(match (cell(a), cell(b)) {
        (None, None) => Value::bool(test(a, b)),
        (Some(t), None) => mask(&t, &|i| test(&t.get(i).unwrap_or_default(), b)),
        (None, Some(t)) => mask(&t, &|i| test(a, &t.get(i).unwrap_or_default())),
        (Some(s), Some(t)) if s.shape == t.shape => {
            mask(&s, &|i| test(&s.get(i).unwrap_or_default(), &t.get(i).unwrap_or_default()))
        }
        (Some(s), Some(t)) => {
            let (a, b) = (display::shape_text(&s.shape), display::shape_text(&t.shape));
            fault!("Q0320", "operands of '{}' have incompatible sizes {a} and {b}", call.name; "compare cells of one size")
        }
    })
}

/// The first `n` characters of both texts, which have to be there.
fn agree_first(call: &mut Call, same: fn(&str, &str) -> bool) -> Res<Value> {
    let n = usize::try_from(call.integer(2)?).map_err(|_| call.wrong(2, "a number from 0"))?;
    let head = |s: &str| s.chars().take(n).collect::<String>();
    agree(call, |a, b| {
        let (a, b) = (head(a), head(b));
        a.chars().count() == n && b.chars().count() == n && same(&a, &b)
    })
}

fn same(a: &str, b: &str) -> bool {
    a == b
}

fn same_letters(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

fn join(call: &mut Call) -> Res<Value> {
    let between = if call.args.len() > 1 { call.text(1)? } else { " " };
    let Value::Array(t) = &call.args[0] else { return Err(call.wrong(0, "a cell of strings")) };
    let parts: Vec<String> = (0..t.len()).map(|i| display::value(&t.get(i).unwrap_or_default())).collect();
    let bytes = parts.iter().fold(0usize, |n, s| n.saturating_add(s.len() + between.len()));
    crate::memory::elements(bytes, 1, "a string")?;
    Ok(Value::str(&parts.join(between)))
}

fn is_space(call: &mut Call) -> Res<Value> {
    let blanks = call.text(0)?.chars().map(|c| u8::from(c.is_whitespace())).collect();
    Ok(Value::array(Tensor::vector(Data::Mask(blanks))))
}

/// A number in `digits` significant digits, as `%g` writes it.
fn digits(x: f64, digits: usize) -> Res<String> {
    super::string::format_values(&[Value::str(&format!("%.{digits}g")), Value::F64(x)])
}

/// `mat2str(x[,digits])`: text that the language reads as the same array.
fn mat2str(call: &mut Call) -> Res<Value> {
    let count = if call.args.len() > 1 { call.integer(1)?.clamp(1, 17) as usize } else { 15 };
    if let Value::Str(s) = &call.args[0] {
        return Ok(Value::str(&format!("\"{}\"", s.replace('"', "\"\""))));
    }
    let t = call.tensor(0)?;
    if t.shape.len() > 2 {
        return Err(call.wrong(0, "a number, a vector or a matrix"));
    }
    let data = t.data.borrow();
    let (complex, single) = (data.is_complex(), matches!(*data, Data::F32(_) | Data::C32(_)));
    let count = if single && call.args.len() < 2 { 7 } else { count };
    let element = |z: &[f64; 2]| -> Res<String> {
        let re = digits(z[0], count)?;
        let im = digits(z[1], count)?;
        Ok(if complex { format!("{re}{}{im}j", if im.starts_with('-') { "" } else { "+" }) } else { re })
    };
    let texts = crate::arith::to_c64(&data).iter().map(element).collect::<Res<Vec<String>>>()?;
    let rows: Vec<String> = texts.chunks(t.shape[1].max(1)).map(|row| format!("[{}]", row.join(","))).collect();
    Ok(Value::str(&match &call.args[0] {
        v if v.is_number() => texts[0].clone(),
        _ if t.is_empty() => "[]".to_string(),
        _ if t.shape[0] == 1 => rows[0].clone(),
        _ => format!("[{}]", rows.join(",")),
    }))
}

/// `num2str(x)`, `num2str(x,digits)`, `num2str(x,format)`; the elements of arrays follow each other.
fn num2str(call: &mut Call) -> Res<Value> {
    let Some(second) = call.args.get(1) else { return Ok(Value::str(&display::value(&call.args[0]))) };
    let t = call.tensor(0)?;
    if t.data.borrow().is_complex() {
        fault!("Q0325", "'num2str' of complex numbers in a format"; "use it on real(z) and imag(z)");
    }
    let element = |i: usize| {
        let v = t.get(i).unwrap_or_default();
        match second.as_text() {
            Some(_) => super::string::format_values(&[second.clone(), v]),
            None => digits(v.as_f64().unwrap_or(f64::NAN), call.integer(1)?.clamp(1, 17) as usize),
        }
    };
    let parts = (0..t.len()).map(element).collect::<Res<Vec<String>>>()?;
    Ok(Value::str(&parts.join(if second.as_text().is_some() { "" } else { "  " })))
}

/// Steps back that a match may take: patterns with look-around or backward references can need exponentially many.
const STEPS_BACK: usize = 1_000_000;

/// The pattern in argument 1.
fn pattern(call: &Call, ignore_case: bool) -> Res<Regex> {
    let text = call.text(1)?;
    // Named groups are written (?<name>…) and (?P<name>…).
    let mut builder = RegexBuilder::new(text);
    builder.case_insensitive(ignore_case).delegate_size_limit(1 << 20).backtrack_limit(STEPS_BACK);
    builder.build().map_err(|_| {
        Fault::new("Q0314", format!("'{}' cannot read the pattern \"{text}\"", call.name))
            .help("brackets belong together, and what *, + or ? repeats stands before them; \\. is a point")
    })
}

/// The error of a pattern that takes too long.
fn too_long(who: &str) -> Box<Fault> {
    Fault::new("Q0314", format!("'{who}' gives up: the pattern tries too many ways to match"))
        .help("repetitions within repetitions, as in (a+)+, are slow with look-around and backward references")
}

/// The words that follow the first `n` arguments.
fn has_word(call: &Call, n: usize, word: &str) -> bool {
    call.args.iter().skip(n).any(|v| v.as_text() == Some(word))
}

fn known_words(call: &Call, n: usize, known: &[&str]) -> Res<()> {
    match call.args.iter().skip(n).find(|v| !v.as_text().is_some_and(|w| known.contains(&w))) {
        None => Ok(()),
        Some(v) => {
            fault!("Q0314", "'{}' knows no option {}", call.name, display::value(v); known.join(", "))
        }
    }
}

/// `regexprep(s,pattern,new[,"once"][,"ignorecase"])`; `$1` in the new text is the first group.
fn regexprep(call: &mut Call) -> Res<Value> {
    known_words(call, 3, &["once", "ignorecase"])?;
    let regex = pattern(call, has_word(call, 3, "ignorecase"))?;
    // `$1x` names group 1 and the letter x, not a group called 1x.
    let digits = Regex::new(r"\$(\d+)").map_err(|_| call.wrong(2, "a text"))?;
    let new = digits.replace_all(call.text(2)?, "$${${1}}").into_owned();
    let limit = usize::from(has_word(call, 3, "once"));
    let name = call.name;
    map_texts(call, |s| {
        let out = regex.try_replacen(s, limit, new.as_str()).map_err(|_| too_long(name))?;
        crate::memory::elements(out.len(), 1, "a string")?;
        Ok(Value::str(&out))
    })
}

fn cell(items: Vec<Value>) -> Value {
    Value::array(Tensor::vector(Data::Cell(items)))
}

/// What `regexp` gives, by the words that ask for it.
const PARTS: [&str; 6] = ["start", "end", "match", "tokens", "split", "names"];

/// `regexp(s,pattern[,what…][,"once"])` of a text; of a cell of texts, a cell of what it gives for each.
fn regexp(call: &mut Call, any_case: bool) -> Res<Vec<Value>> {
    let Some(Value::Array(texts)) = call.args.first().filter(|v| matches!(v, Value::Array(t) if t.is_cell())) else {
        return regexp_of_one(call, any_case);
    };
    let mut results: Vec<Vec<Value>> = Vec::new();
    for k in 0..texts.len() {
        let mut args = call.args.to_vec();
        args[0] = texts.get(k).unwrap_or_default();
        for (i, value) in regexp_of_one(&mut call.with(&args), any_case)?.into_iter().enumerate() {
            results.resize(results.len().max(i + 1), Vec::new());
            results[i].push(value);
        }
    }
    let whole = |items: Vec<Value>| Value::array(cells(items).reshaped(texts.shape.clone()));
    Ok(if results.is_empty() { vec![cell(Vec::new())] } else { results.into_iter().map(whole).collect() })
}

fn cells(items: Vec<Value>) -> Tensor {
    Tensor::vector(Data::Cell(items))
}

fn regexp_of_one(call: &mut Call, any_case: bool) -> Res<Vec<Value>> {
    let known: Vec<&str> = PARTS.into_iter().chain(["once", "ignorecase"]).collect();
    known_words(call, 2, &known)?;
    let regex = pattern(call, any_case || has_word(call, 2, "ignorecase"))?;
    let (s, once) = (call.text(0)?, has_word(call, 2, "once"));
    let position = |byte: usize| s[..byte].chars().count() as i64;
    let all = regex.captures_iter(s).take(if once { 1 } else { usize::MAX });
    let found: Vec<Captures<'_>> = all.collect::<Result<_, _>>().map_err(|_| too_long(call.name))?;
    let whole: Vec<Match<'_>> = found.iter().filter_map(|c| c.get(0)).collect();
    let matches = || whole.iter().map(|m| Value::str(m.as_str())).collect::<Vec<_>>();
    let places = |of: &dyn Fn(&Match<'_>) -> i64| match once {
        false => Value::array(Tensor::ints(whole.iter().map(of))),
        true => Value::Int(whole.first().map_or(-1, |m| of(m) as i32)),
    };
    let result = |what: &str| match (what, once) {
        ("match", false) => cell(matches()),
        ("match", true) => matches().pop().unwrap_or(Value::str("")),
        ("tokens", false) => cell(found.iter().map(groups).collect()),
        ("tokens", true) => found.first().map_or(cell(Vec::new()), groups),
        ("split", _) => {
            let ends = whole.iter().map(Match::end);
            let next = whole.iter().map(Match::start).chain([s.len()]);
            cell(std::iter::once(0).chain(ends).zip(next).map(|(from, to)| Value::str(&s[from..to])).collect())
        }
        ("names", _) => named(&regex, found.first()),
        ("end", _) => places(&|m| position(m.end()) - 1),
        _ => places(&|m| position(m.start())),
    };
    let asked: Vec<&str> = call.args.iter().skip(2).filter_map(Value::as_text).filter(|w| PARTS.contains(w)).collect();
    Ok(match asked[..] {
        [] => vec![result("start"), result("match"), result("tokens")],
        _ => asked.into_iter().map(result).collect(),
    })
}

/// The groups of a match, or all of it if the pattern has none.
fn groups(c: &Captures<'_>) -> Value {
    let text = |g: Option<Match<'_>>| Value::str(g.map_or("", |g| g.as_str()));
    let first = usize::from(c.len() > 1);
    cell(c.iter().skip(first).map(text).collect())
}

/// The named groups of a match, as fields of an object.
fn named(regex: &Regex, found: Option<&Captures<'_>>) -> Value {
    let text = |name: &str| Value::str(found.and_then(|c| c.name(name)).map_or("", |g| g.as_str()));
    let fields = regex.capture_names().flatten().map(|name| (name.into(), text(name))).collect();
    Value::Object(Rc::new(Instance::new(None, fields)))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "strcmp",
        "strcmp(a,b)",
        "1 if two texts are equal; for each text of a cell",
        "print strcmp(\"a\",\"a\")",
        2..=2,
        Run::One(|c| agree(c, same))
    ),
    row!(
        "strcmpi",
        "strcmpi(a,b)",
        "strcmp that ignores upper and lower case",
        "print strcmpi(\"a\",\"A\")",
        2..=2,
        Run::One(|c| agree(c, same_letters))
    ),
    row!(
        "strncmp",
        "strncmp(a,b,n)",
        "1 if the first n characters are equal",
        "print strncmp(\"abc\",\"abd\",2)",
        3..=3,
        Run::One(|c| agree_first(c, same))
    ),
    row!(
        "strncmpi",
        "strncmpi(a,b,n)",
        "strncmp that ignores upper and lower case",
        "print strncmpi(\"abc\",\"ABd\",2)",
        3..=3,
        Run::One(|c| agree_first(c, same_letters))
    ),
    row!(
        "strjoin",
        "strjoin(c[,between])",
        "the texts of a cell as one, blanks between them by default",
        "print strjoin({\"a\",\"b\"},\"-\")",
        1..=2,
        Run::One(join)
    )
    .gives(Gives::Text),
    row!(
        "strrep",
        "strrep(s,old,new)",
        "every occurrence of old replaced, in a text or those of a cell",
        "print strrep(\"a-b\",\"-\",\"+\")",
        3..=3,
        Run::One(|c| {
            let (old, new) = (c.text(1)?.to_string(), c.text(2)?.to_string());
            map_texts(c, |s| {
                let grown = s.matches(&old).count().saturating_mul(new.len());
                crate::memory::elements(s.len().saturating_add(grown), 1, "a string")?;
                Ok(Value::str(&s.replace(&old, &new)))
            })
        })
    ),
    row!(
        "upper",
        "upper(s)",
        "upper case, of a text or those of a cell",
        "print upper(\"abc\")",
        1..=1,
        Run::One(|c| map_texts(c, |s| Ok(Value::str(&s.to_uppercase()))))
    ),
    row!(
        "lower",
        "lower(s)",
        "lower case, of a text or those of a cell",
        "print lower(\"ABC\")",
        1..=1,
        Run::One(|c| map_texts(c, |s| Ok(Value::str(&s.to_lowercase()))))
    ),
    row!("isspace", "isspace(s)", "1 for every blank of a text", "print isspace(\"a b\")", 1..=1, Run::One(is_space)),
    row!(
        "num2str",
        "num2str(x[,digits or format])",
        "a number as text; in so many digits, or in a C format",
        "print num2str(2.5)",
        1..=2,
        Run::One(num2str)
    )
    .gives(Gives::Text)
    .host_only(),
    row!(
        "mat2str",
        "mat2str(x[,digits])",
        "text that the language reads as the same array",
        "print mat2str([[1,2],[3,4]])",
        1..=2,
        Run::One(mat2str)
    )
    .gives(Gives::Text)
    .host_only(),
    row!(
        "regexprep",
        "regexprep(s,pattern,new[,\"once\"][,\"ignorecase\"])",
        "what matches a regular expression replaced; $1 is the first group",
        "print regexprep(\"a1b22\",\"[0-9]+\",\"#\")",
        3..=5,
        Run::One(regexprep)
    ),
    row!(
        "regexp",
        "regexp(s,pattern[,what…]), [at,m,t]=regexp(s,pattern)",
        "where a regular expression matches, what does, and its groups; what: \"start\", \"end\", \"match\", \"tokens\", \"split\", \"names\", \"once\"; of each text of a cell",
        "print regexp(\"a1b22\",\"[0-9]+\",\"match\")",
        2..=9,
        Run::Many(|c| regexp(c, false))
    ),
    row!(
        "regexpi",
        "regexpi(s,pattern[,what…])",
        "regexp that ignores upper and lower case",
        "print regexpi(\"aB\",\"b\",\"match\")",
        2..=9,
        Run::Many(|c| regexp(c, true))
    ),
];
