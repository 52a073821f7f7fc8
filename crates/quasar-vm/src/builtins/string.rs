//! Strings and C formats.

use super::{Builtin, Call, Run, row};
use crate::display;
use crate::fault::{Res, fault};
use crate::memory;
use crate::tensor::{Data, Tensor};
use crate::value::Value;
use quadra_quasar_hir::meaning::Gives;
use std::rc::Rc;

/// One conversion of a format: flags, width, precision, letter.
struct Conversion {
    left: bool,
    zero: bool,
    plus: bool,
    space: bool,
    width: usize,
    /// Whether the width comes as a value of its own.
    starred: bool,
    precision: Option<usize>,
    letter: char,
}

/// `printf`'s text: C conversions, escapes in the format, arrays converted element by element. A format that has conversions begins
/// anew while there are values, and ends where there are no more.
pub fn format_values(args: &[Value]) -> Res<String> {
    let Some(Value::Str(format)) = args.first() else {
        fault!("Q0314", "the first argument of a printf function is the format"; "printf(\"%d\\n\", x)");
    };
    let chars: Vec<char> = format.chars().collect();
    let mut values = args[1..].iter();
    let mut out = String::new();
    loop {
        let before = values.len();
        let whole = pass(&chars, &mut values, &mut out)?;
        let first = before == args.len() - 1;
        if !whole && first {
            fault!("Q0410", "the format \"{format}\" needs more values than are given"; "give one value per conversion");
        }
        if !whole || values.len() == 0 {
            return Ok(out);
        }
        if values.len() == before {
            fault!("Q0410", "the format \"{format}\" prints none of {before} values"; "a conversion such as %d or %s prints a value");
        }
        memory::elements(out.len(), 2, "a string")?;
    }
}

/// Whether the first value is a format for the others, as in `error("row %d of %d", i, n)`: it has one conversion for each. A blank
/// behind the percent sign ("100 % sure") is text here.
pub fn is_format(args: &[Value]) -> bool {
    let [Value::Str(format), values @ ..] = args else { return false };
    let chars: Vec<char> = format.chars().collect();
    let (mut i, mut conversions) = (0, 0);
    while i < chars.len() {
        if chars[i] != '%' || chars.get(i + 1) == Some(&'%') {
            i += if chars[i] == '%' { 2 } else { 1 };
            continue;
        }
        match parse(&chars, &mut i) {
            Ok(c) if c.letter.is_ascii_alphabetic() && !c.space && !c.starred => conversions += 1,
            _ => return false,
        }
    }
    conversions > 0 && conversions == values.len()
}

/// The format once, with the next values; false if these are too few.
fn pass(chars: &[char], values: &mut std::slice::Iter<'_, Value>, out: &mut String) -> Res<bool> {
    let mut i = 0;
    while i < chars.len() {
        match chars[i] {
            '\\' => {
                i += 1;
                match chars.get(i) {
                    Some('n') => out.push('\n'),
                    Some('t') => out.push('\t'),
                    Some('r') => out.push('\r'),
                    Some('\\') => out.push('\\'),
                    Some(c) => {
                        out.push('\\');
                        out.push(*c);
                    }
                    None => out.push('\\'),
                }
                i += 1;
            }
            '%' if chars.get(i + 1) == Some(&'%') => {
                out.push('%');
                i += 2;
            }
            '%' => {
                let mut conversion = parse(chars, &mut i)?;
                if conversion.starred {
                    let Some(width) = values.next() else { return Ok(false) };
                    let width = width.as_index().unwrap_or(0);
                    conversion.left |= width < 0;
                    conversion.width = width.unsigned_abs().min(1000) as usize;
                }
                let Some(v) = values.next() else { return Ok(false) };
                convert(&conversion, v, out)?;
            }
            c => {
                out.push(c);
                i += 1;
            }
        }
    }
    Ok(true)
}

fn parse(chars: &[char], i: &mut usize) -> Res<Conversion> {
    *i += 1;
    let mut c = Conversion {
        left: false,
        zero: false,
        plus: false,
        space: false,
        width: 0,
        starred: false,
        precision: None,
        letter: ' ',
    };
    while let Some(flag) = chars.get(*i) {
        match flag {
            '-' => c.left = true,
            '0' => c.zero = true,
            '+' => c.plus = true,
            ' ' => c.space = true,
            '#' => {}
            _ => break,
        }
        *i += 1;
    }
    let number = |i: &mut usize| {
        let mut n = 0usize;
        while let Some(d) = chars.get(*i).and_then(|c| c.to_digit(10)) {
            n = (n * 10 + d as usize).min(1000);
            *i += 1;
        }
        n
    };
    if chars.get(*i) == Some(&'*') {
        c.starred = true;
        *i += 1;
    }
    c.width = number(i);
    if chars.get(*i) == Some(&'.') {
        *i += 1;
        c.precision = Some(number(i));
    }
    while matches!(chars.get(*i), Some('l' | 'h')) {
        *i += 1;
    }
    let Some(letter) = chars.get(*i) else {
        fault!("Q0410", "the format ends inside a conversion"; "write %% for a percent sign")
    };
    c.letter = *letter;
    *i += 1;
    Ok(c)
}

fn convert(c: &Conversion, v: &Value, out: &mut String) -> Res<()> {
    if let Value::Array(t) = v {
        out.push('[');
        for k in 0..t.len() {
            if k > 0 {
                out.push_str(", ");
            }
            convert(c, &t.get(k).unwrap_or_default(), out)?;
        }
        out.push(']');
        return Ok(());
    }
    let text = match c.letter {
        's' => {
            let text = display::value(v);
            match c.precision {
                Some(n) => text.chars().take(n).collect(),
                None => text,
            }
        }
        'c' => match v {
            Value::Str(s) => s.chars().take(1).collect(),
            v => v.as_index().and_then(|i| char::from_u32(i as u32)).map(String::from).unwrap_or_default(),
        },
        'd' | 'i' | 'u' | 'x' | 'X' | 'o' => {
            // What is not whole is printed as it is.
            let whole = v.as_f64().is_some_and(|x| x.is_finite() && x == x.trunc());
            let Some(n) = v.as_index().filter(|_| whole) else {
                return push_text(c, v, out);
            };
            match c.letter {
                'x' => format!("{n:x}"),
                'X' => format!("{n:X}"),
                'o' => format!("{n:o}"),
                _ => signed(c, n.to_string(), n >= 0),
            }
        }
        'f' | 'F' | 'e' | 'E' | 'g' | 'G' => {
            let Some(x) = v.as_f64() else { return push_text(c, v, out) };
            let text = float(c, x);
            signed(c, text, x >= 0.0)
        }
        other => fault!("Q0410", "unknown conversion '%{other}'"; "use %d %x %o %c %f %e %g %s or %%"),
    };
    let zero = c.zero && !c.left && !matches!(c.letter, 's' | 'c');
    out.push_str(&display::with_width(text, c.width, c.left, zero));
    Ok(())
}

fn push_text(c: &Conversion, v: &Value, out: &mut String) -> Res<()> {
    out.push_str(&display::with_width(display::value(v), c.width, c.left, false));
    Ok(())
}

fn signed(c: &Conversion, text: String, positive: bool) -> String {
    match (positive, c.plus, c.space) {
        (true, true, _) => format!("+{text}"),
        (true, false, true) => format!(" {text}"),
        _ => text,
    }
}

fn float(c: &Conversion, x: f64) -> String {
    if x.is_nan() {
        return "nan".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let precision = c.precision.unwrap_or(6);
    match c.letter {
        'f' | 'F' => format!("{x:.precision$}"),
        'e' | 'E' => {
            let text = format!("{x:.precision$e}");
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            let exponent: i32 = exponent.parse().unwrap_or(0);
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}{}{sign}{:02}", if c.letter == 'E' { 'E' } else { 'e' }, exponent.abs())
        }
        _ => display::general(x, precision),
    }
}

fn sprintf(call: &mut Call) -> Res<Value> {
    Ok(Value::str(&format_values(call.args)?))
}

fn str2num(call: &mut Call) -> Res<Value> {
    let text = call.text(0)?.trim();
    if let Ok(i) = text.parse::<i32>() {
        return Ok(Value::Int(i));
    }
    match text.parse::<f64>() {
        Ok(x) => Ok(Value::scalar(x, call.double())),
        Err(_) => {
            fault!("Q0332", "\"{text}\" is not a number"; "write digits with an optional sign, point and exponent")
        }
    }
}

fn codes(call: &mut Call) -> Res<Value> {
    let codes: Vec<f64> = call.text(0)?.chars().map(|c| f64::from(u32::from(c))).collect();
    Ok(Value::array(Tensor::scalars(codes, call.double())))
}

fn from_codes(call: &mut Call) -> Res<Value> {
    let codes = call.list(0)?;
    let text: Option<String> = codes.iter().map(|c| if *c >= 0.0 { char::from_u32(*c as u32) } else { None }).collect();
    match text {
        Some(text) => Ok(Value::str(&text)),
        None => fault!("Q0411", "a number that is no character code in '{}'", call.name; "codes run from 0 to 1114111"),
    }
}

fn words(items: Vec<String>) -> Value {
    Value::array(Tensor::vector(Data::Cell(items.iter().map(|s| Value::str(s)).collect())))
}

fn strfind(call: &mut Call) -> Res<Value> {
    let (text, part) = (call.text(0)?, call.text(1)?);
    let (text, part): (Vec<char>, Vec<char>) = (text.chars().collect(), part.chars().collect());
    let at = (0..text.len()).find(|i| !part.is_empty() && text[*i..].starts_with(&part));
    Ok(Value::Int(at.map_or(-1, |i| i as i32)))
}

/// `strsplit(s[,between])`: between is a text, or a cell of several of which any parts.
/// `strsplit(s[,separators][,"CollapseDelimiters",tf])`.
fn strsplit(call: &mut Call) -> Res<Value> {
    let named = (1..call.args.len()).find(|i| {
        *i + 2 == call.args.len()
            && call.args[*i].as_text().is_some_and(|s| s.eq_ignore_ascii_case("collapsedelimiters"))
    });
    if let Some(i) = named {
        let collapses = call.number(i + 1)? != 0.0;
        let args = call.args[..i].to_vec();
        return split(&mut call.with(&args), collapses);
    }
    if call.args.len() > 2 {
        return Err(call.wrong(2, "\"CollapseDelimiters\" and whether they collapse"));
    }
    split(call, false)
}

/// The parts of a text between separators; several that follow each other are one if they collapse.
fn split(call: &mut Call, collapses: bool) -> Res<Value> {
    let separators: Vec<String> = match call.args.get(1) {
        Some(Value::Array(t)) if t.is_cell() && !t.is_empty() => {
            let one = |k: usize| t.get(k).unwrap_or_default().as_text().filter(|s| !s.is_empty()).map(str::to_string);
            (0..t.len()).map(one).collect::<Option<_>>().ok_or_else(|| call.wrong(1, "texts"))?
        }
        Some(_) => vec![call.text(1)?.to_string()],
        None => vec![" ".into()],
    };
    let mut rest = call.text(0)?;
    if separators[0].is_empty() {
        return Ok(words(rest.chars().map(String::from).collect()));
    }
    let mut parts = Vec::new();
    // The first separator that follows, and of those that begin there the longest.
    let next = |rest: &str| {
        let found = separators.iter().filter_map(|s| Some((rest.find(s.as_str())?, s.len())));
        found.min_by_key(|(at, length)| (*at, usize::MAX - length))
    };
    while let Some((at, length)) = next(rest) {
        parts.push(rest[..at].to_string());
        rest = &rest[at + length..];
        while let Some((0, length)) = next(rest).filter(|_| collapses) {
            rest = &rest[length..];
        }
    }
    parts.push(rest.to_string());
    Ok(words(parts))
}

fn strreplace(call: &mut Call) -> Res<Value> {
    let (text, old, new) = (call.text(0)?, call.text(1)?, call.text(2)?);
    let length = text.len().saturating_add(text.matches(old).count().saturating_mul(new.len()));
    if !crate::memory::fits(length) {
        fault!("Q0310", "out of memory: a string with {length} bytes"; "replace in parts of the text");
    }
    Ok(Value::str(&text.replace(old, new)))
}

fn text_of(call: &mut Call) -> Res<Value> {
    Ok(Value::str(&display::value(&call.args[0])))
}

fn strcat(call: &mut Call) -> Res<Value> {
    let cells = call.args.iter().filter_map(|v| match v {
        Value::Array(t) if t.is_cell() => Some(t.clone()),
        _ => None,
    });
    let cells: Vec<Rc<Tensor>> = cells.collect();
    let Some(longest) = cells.iter().max_by_key(|t| t.len()).filter(|t| !t.is_empty()) else {
        return joined(call.args.iter());
    };
    if let Some(other) = cells.iter().find(|t| t.len() != 1 && t.len() != longest.len()) {
        fault!("Q0320", "'strcat' of cells with {} and {} elements", longest.len(), other.len(); "use equal sizes, or one text");
    }
    let part = |v: &Value, k: usize| match v {
        Value::Array(t) if t.is_cell() => t.get(if t.len() == 1 { 0 } else { k }).unwrap_or_default(),
        v => v.clone(),
    };
    let item = |k: usize| joined(call.args.iter().map(|v| part(v, k)).collect::<Vec<_>>().iter());
    let items = (0..longest.len()).map(item).collect::<Res<_>>()?;
    Ok(Value::array(Tensor::new(longest.shape.clone(), Data::Cell(items))))
}

/// The texts of values one after another.
fn joined<'a>(values: impl Iterator<Item = &'a Value> + Clone) -> Res<Value> {
    let bytes = values.clone().filter_map(Value::as_text).fold(0usize, |n, s| n.saturating_add(s.len()));
    memory::elements(bytes, 3, "a string")?;
    // What has no elements adds no text.
    let adds = |v: &&Value| !matches!(v, Value::Unset) && !matches!(v, Value::Array(t) if t.is_empty());
    Ok(Value::str(&values.filter(adds).map(display::value).collect::<String>()))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "sprintf",
        "sprintf(format,…)",
        "text in a C format",
        "print sprintf(\"%.2f\", pi)",
        1..=250,
        Run::One(sprintf)
    )
    .gives(Gives::Text)
    .host_only(),
    row!("str", "str(x)", "the text that print writes", "print str([1,2])", 1..=1, Run::One(text_of))
        .gives(Gives::Text)
        .host_only(),
    row!("str2num", "str2num(s)", "the number in a text", "print str2num(\"42\")+1", 1..=1, Run::One(str2num))
        .host_only(),
    row!(
        "strlen",
        "strlen(s)",
        "number of characters",
        "print strlen(\"abc\")",
        1..=1,
        Run::One(|c| Ok(Value::size(c.text(0)?.chars().count())))
    ),
    row!(
        "strcat",
        "strcat(a,…)",
        "texts joined; of cells, text by text",
        "print strcat(\"a\",\"b\")",
        1..=250,
        Run::One(strcat)
    )
    .gives(Gives::Text),
    row!(
        "strfind",
        "strfind(s,part)",
        "index of the first occurrence, or -1",
        "print strfind(\"banana\",\"nan\")",
        2..=2,
        Run::One(strfind)
    ),
    row!(
        "strreplace",
        "strreplace(s,old,new)",
        "every occurrence of old replaced",
        "print strreplace(\"a-b\",\"-\",\"+\")",
        3..=3,
        Run::One(strreplace)
    )
    .gives(Gives::Text),
    row!(
        "strsplit",
        "strsplit(s[,separator][,\"CollapseDelimiters\",tf])",
        "cell of the parts between separators, of which a cell may hold several; those that follow each other part nothing if they collapse",
        "print strsplit(\"a b\")",
        1..=4,
        Run::One(strsplit)
    ),
    row!(
        "strupper",
        "strupper(s)",
        "upper case",
        "print strupper(\"abc\")",
        1..=1,
        Run::One(|c| Ok(Value::str(&c.text(0)?.to_uppercase())))
    )
    .gives(Gives::Text),
    row!(
        "strlower",
        "strlower(s)",
        "lower case",
        "print strlower(\"ABC\")",
        1..=1,
        Run::One(|c| Ok(Value::str(&c.text(0)?.to_lowercase())))
    )
    .gives(Gives::Text),
    row!(
        "strtrim",
        "strtrim(s)",
        "without blanks at both ends",
        "print strtrim(\" a \")",
        1..=1,
        Run::One(|c| Ok(Value::str(c.text(0)?.trim())))
    )
    .gives(Gives::Text),
    row!("fromascii", "fromascii(s)", "character codes of a text", "print fromascii(\"AB\")", 1..=1, Run::One(codes)),
    row!(
        "fromunicode",
        "fromunicode(s)",
        "character codes of a text",
        "print fromunicode(\"AB\")",
        1..=1,
        Run::One(codes)
    ),
    row!("toascii", "toascii(v)", "text of character codes", "print toascii([72,105])", 1..=1, Run::One(from_codes)),
    row!(
        "tounicode",
        "tounicode(v)",
        "text of character codes",
        "print tounicode([72,105])",
        1..=1,
        Run::One(from_codes)
    ),
];
