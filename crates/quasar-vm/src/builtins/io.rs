//! Output, files, time.
//!
//! `save` writes the bytes `QDAT`, a version byte (1), and the values one after another: a tag byte, then little-endian
//! numbers. Tags: 0 unset, 1 int, 2 single, 3 double, 4 half, 5 complex (two doubles, a byte for double precision),
//! 6 integer of a width (kind, i64), 7 text (u64 length, UTF-8), 8 array (u8 rank, u64 lengths, element tag, elements),
//! 9 object (u64 count, then names and values), 10 null. File names that end in `.npy`, `.csv` or `.mat` select these formats.

use super::{Builtin, Call, Run, data_file, row};
use crate::cx::Cx;
use crate::fault::{Fault, Res, fault};
use crate::tensor::{Data, Shape, Tensor};
use crate::value::{Instance, Value};
use crate::{display, object};
use quadra_base::{Diagnostic, Span};
use quadra_quasar_hir::meaning::{Gives, Meaning};
use quadra_quasar_hir::types::{Fit, IntKind, Precision, Type};
use quadra_quasar_syntax::ast::Text;
use std::io::Write;
use std::rc::Rc;

/// Writes to the output of the program.
pub fn write(cx: &mut Cx, text: &str) -> Res<()> {
    cx.watch.hide();
    match cx.unsent.take().map_or_else(|| cx.out.write_all(text.as_bytes()), Err) {
        Ok(()) => Ok(()),
        Err(e) => Err(Fault::new("Q0412", format!("cannot write the output: {e}")).fatal()),
    }
}

fn print(call: &mut Call, what: u8) -> Res<()> {
    let span = match &call.site {
        Some(site) => site.code.spans[site.pc],
        None => Span::new(quadra_base::FileId::of_name(""), 1, 1, 1),
    };
    command(what, call.args, span, call.cx)
}

/// `print`, `printf`, `error` and `warning` as commands and calls.
pub fn command(what: u8, args: &[Value], span: Span, cx: &mut Cx) -> Res<()> {
    let text = match what {
        1 => super::string::format_values(args)?,
        2 | 3 if super::string::is_format(args) => super::string::format_values(args)?,
        _ => args.iter().map(printed).collect::<Vec<_>>().concat(),
    };
    match what {
        0 => write(cx, &(text + "\n")),
        1 => write(cx, &text),
        2 => Err(Fault::new("Q0300", text).help("raised by 'error': catch it with try … catch")),
        _ => {
            cx.warn(Diagnostic::warning("Q0361", text).at(span));
            Ok(())
        }
    }
}

/// The text of a value in `print`; an error that was caught prints its message.
fn printed(v: &Value) -> String {
    if let Value::Object(o) = v
        && o.class.is_none()
        && let (Some(message), Some(_), 2) = (o.get("message"), o.get("line"), o.fields.borrow().len())
    {
        return display::value(&message);
    }
    display::value(v)
}

const MAGIC: &[u8] = b"QDAT\x01";

fn save(call: &mut Call) -> Res<()> {
    if let Some(format) = data_file::format_of(call.text(0)?) {
        let path = call.text(0)?.to_string();
        let bytes = data_file::encode(format, call)?;
        return call.cx.write_file(&path, call.name, &bytes, |e| data_file::cannot_write(&path, &e));
    }
    let mut out = MAGIC.to_vec();
    for v in &call.args[1..] {
        encode(v, &mut out, 0)?;
    }
    let path = call.text(0)?.to_string();
    call.cx.write_file(&path, call.name, &out, |e| data_file::cannot_write(&path, &e))
}

fn encode(v: &Value, out: &mut Vec<u8>, depth: usize) -> Res<()> {
    if !crate::memory::fits(out.len()) {
        fault!("Q0310", "out of memory: save writes more than fits"; "save its parts");
    }
    if depth > 200 {
        fault!("Q0413", "save: the value is nested too deeply or contains itself"; "save its parts");
    }
    match v {
        Value::Unset => out.push(0),
        Value::Int(x) => tagged(out, 1, &x.to_le_bytes()),
        Value::F32(x) => tagged(out, 2, &x.to_le_bytes()),
        Value::F64(x) => tagged(out, 3, &x.to_le_bytes()),
        Value::F16(x) => tagged(out, 4, &x.to_le_bytes()),
        Value::C32(_) | Value::C64(_) => {
            let z = v.as_complex().unwrap_or_default();
            tagged(out, 5, &z[0].to_le_bytes());
            out.extend(z[1].to_le_bytes());
            out.push(u8::from(matches!(v, Value::C64(_))));
        }
        Value::IntN(kind, x) => {
            tagged(out, 6, &[kind_code(*kind)]);
            out.extend(x.to_le_bytes());
        }
        Value::Str(s) => {
            tagged(out, 7, &(s.len() as u64).to_le_bytes());
            out.extend(s.as_bytes());
        }
        Value::Array(t) => {
            tagged(out, 8, &[t.shape.len() as u8]);
            t.shape.iter().for_each(|n| out.extend((*n as u64).to_le_bytes()));
            let data = t.data.borrow();
            out.push(element_code(&data));
            for i in 0..data.len() {
                encode(&data.get(i).unwrap_or_default(), out, depth + 1)?;
            }
        }
        Value::Object(o) => {
            let fields = o.fields.borrow();
            tagged(out, 9, &(fields.len() as u64).to_le_bytes());
            for (name, value) in fields.iter() {
                encode(&Value::str(name), out, depth + 1)?;
                encode(value, out, depth + 1)?;
            }
        }
        Value::Null => out.push(10),
        _ => fault!("Q0413", "save: functions and types cannot be saved"; "save the data they work on"),
    }
    Ok(())
}

fn tagged(out: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    out.push(tag);
    out.extend(bytes);
}

fn kind_code(kind: IntKind) -> u8 {
    IntKind::ALL.iter().position(|(k, _)| *k == kind).unwrap_or(0) as u8
}

fn element_code(data: &Data) -> u8 {
    match data {
        Data::F32(_) => 100,
        Data::F64(_) => 101,
        Data::F16(_) => 102,
        Data::C32(_) => 103,
        Data::C64(_) => 104,
        Data::Cell(_) => 105,
        other => kind_code(other.int_kind().unwrap_or(IntKind::Int)),
    }
}

fn element_type(code: u8) -> Option<Type> {
    Some(match code {
        100 => Type::Scalar(Precision::Single),
        101 => Type::Scalar(Precision::Double),
        102 => Type::Scalar(Precision::Half),
        103 => Type::Complex(Precision::Single),
        104 => Type::Complex(Precision::Double),
        105 => Type::Any,
        k => Type::Int(IntKind::ALL.get(usize::from(k))?.0, Fit::Checked),
    })
}

/// Bytes of a saved file, read from the front.
struct Reader<'a> {
    bytes: &'a [u8],
    double: bool,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.bytes.split_first_chunk::<N>()?;
        self.bytes = rest;
        Some(*head)
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > 250 {
            return None;
        }
        let [tag] = self.take()?;
        Some(match tag {
            0 => Value::Unset,
            1 => Value::Int(i32::from_le_bytes(self.take()?)),
            2 => Value::F32(f32::from_le_bytes(self.take()?)),
            3 => Value::F64(f64::from_le_bytes(self.take()?)),
            4 => Value::F16(f32::from_le_bytes(self.take()?)),
            5 => {
                let (re, im) = (f64::from_le_bytes(self.take()?), f64::from_le_bytes(self.take()?));
                let [double] = self.take()?;
                Value::complex(re, im, double != 0)
            }
            6 => {
                let [kind] = self.take()?;
                Value::IntN(IntKind::ALL.get(usize::from(kind))?.0, i64::from_le_bytes(self.take()?))
            }
            7 => {
                let n = usize::try_from(u64::from_le_bytes(self.take()?)).ok()?;
                let text = self.bytes.get(..n)?;
                self.bytes = &self.bytes[n..];
                Value::str(std::str::from_utf8(text).ok()?)
            }
            8 => self.array(depth)?,
            9 => {
                let n = u64::from_le_bytes(self.take()?);
                let mut fields = Vec::new();
                for _ in 0..n {
                    let name = self.value(depth + 1)?;
                    fields.push((name.as_text()?.into(), self.value(depth + 1)?));
                }
                Value::Object(Rc::new(Instance::new(None, fields)))
            }
            10 => Value::Null,
            _ => return None,
        })
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        let [rank] = self.take()?;
        let mut shape = Shape::new();
        for _ in 0..rank {
            shape.push(usize::try_from(u64::from_le_bytes(self.take()?)).ok()?);
        }
        let [code] = self.take()?;
        // Every element takes at least a byte, which bounds what a damaged file can ask for.
        let n = shape.iter().try_fold(1usize, |a, b| a.checked_mul(*b)).filter(|n| *n <= self.bytes.len())?;
        let t = Tensor::zeros(shape, &element_type(code)?, self.double).ok()?;
        for i in 0..n {
            let v = self.value(depth + 1)?;
            crate::store::put(&mut t.data.borrow_mut(), i, &v, Fit::Unchecked).ok()?;
        }
        Some(Value::array(t))
    }
}

fn load(call: &mut Call) -> Res<Vec<Value>> {
    let path = call.text(0)?.to_string();
    let bytes = call.cx.read_file(&path, call.name, |e| {
        Fault::new("Q0413", format!("load: cannot open '{path}'")).help(e.to_string())
    })?;
    if let Some(format) = data_file::format_of(&path) {
        let names = (1..call.args.len()).map(|i| call.text(i).map(Text::from)).collect::<Res<Vec<_>>>()?;
        let values = data_file::decode(format, &bytes, &path, &names, (call.double(), call.outs))?;
        if call.outs == 0 {
            unused(call, &path, &values);
        }
        return Ok(values);
    }
    if call.args.len() > 1 {
        fault!("Q0413", "load: the values in '{path}' have no names"; "[a,b] = load(file) gives them in their order");
    }
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        fault!("Q0413", "load: '{path}' is no file that save wrote"; "images are read with imread");
    };
    let mut reader = Reader { bytes: rest, double: call.double() };
    let mut values = Vec::new();
    while !reader.bytes.is_empty() {
        match reader.value(0) {
            Some(v) => values.push(v),
            None => fault!("Q0413", "load: '{path}' is damaged"; "save it again"),
        }
    }
    if values.len() < call.outs {
        fault!("Q0313", "load: '{path}' holds {} values, {} are assigned", values.len(), call.outs; "assign fewer variables");
    }
    Ok(values)
}

/// Says what a statement that loads a file and takes nothing of it should have been.
fn unused(call: &mut Call, path: &str, values: &[Value]) {
    let Some(site) = &call.site else { return };
    let span = site.code.spans[site.pc];
    let names: Vec<String> = match values {
        [Value::Object(o)] => o.fields.borrow().iter().map(|f| f.0.to_string()).collect(),
        _ => Vec::new(),
    };
    let help = match &names[..] {
        [] => "x = load(file)".to_string(),
        [one] => format!("load(\"{path}\", \"{one}\") makes the variable {one}"),
        [first, ..] => {
            let all: Vec<String> = names.iter().map(|n| format!("\"{n}\"")).collect();
            format!(
                "load(\"{path}\", {}) makes these variables, s = load(\"{path}\") gives s.{first} and so on",
                all.join(", ")
            )
        }
    };
    let message = format!("nothing takes what is loaded from '{path}'");
    call.cx.warn(Diagnostic::warning("Q0217", message).at(span).help(help));
}

/// `tic()`, or `start = tic()`: a moment for `toc(start)`, which leaves the clock alone.
fn tic(call: &mut Call) -> Res<Vec<Value>> {
    // What was to happen before has happened.
    crate::series::finish(call.cx);
    if call.outs > 0 {
        return Ok(vec![Value::F64(call.cx.clock.date())]);
    }
    call.cx.timer = Some(call.cx.clock.now());
    Ok(Vec::new())
}

fn toc(call: &mut Call) -> Res<Vec<Value>> {
    crate::series::finish(call.cx);
    let silent = call.args.first().is_some_and(|v| v.as_text().is_some());
    let elapsed = match call.args.first() {
        Some(_) if !silent => (call.cx.clock.date() - call.number(0)?).max(0.0) * 1e3,
        _ => call.cx.timer.map_or(0.0, |t| call.cx.clock.since(t) * 1e3),
    };
    if call.args.is_empty() || !silent && call.outs == 0 {
        write(call.cx, &format!("{} ms\n", display::real((elapsed * 1000.0).round() / 1000.0)))?;
        if call.outs == 0 {
            return Ok(Vec::new());
        }
    }
    Ok(vec![Value::scalar(elapsed, call.double())])
}

fn time(call: &mut Call) -> Res<Value> {
    crate::series::finish(call.cx);
    Ok(Value::F64(call.cx.clock.date()))
}

/// Today as year-month-day (days to civil date after Howard Hinnant's `days_from_civil`).
fn date(call: &mut Call) -> Res<Value> {
    let z = (call.cx.clock.date() / 86400.0) as i64 + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let m = (5 * day_of_year + 2) / 153;
    let month = if m < 10 { m + 3 } else { m - 9 };
    let y = year + era * 400 + i64::from(month <= 2);
    Ok(Value::str(&format!("{y:04}-{month:02}-{:02}", day_of_year - (153 * m + 2) / 5 + 1)))
}

fn exit(call: &mut Call) -> Res<()> {
    let code = if call.args.is_empty() { 0 } else { call.integer(0)? };
    let mut fault = Fault::new("", "the program ended with exit").fatal();
    fault.exit = Some(code.clamp(0, 255) as i32);
    Err(fault)
}

fn exists(call: &mut Call) -> Res<Value> {
    let name = call.text(0)?.to_string();
    Ok(Value::bool(call.cx.readable(&name, call.name)?.exists()))
}

/// What a name stands for that is no variable, which the compiler knows: the numbers are MATLAB's.
fn exist(call: &mut Call) -> Res<Value> {
    let name = call.text(0)?.to_string();
    let kind = if call.args.len() > 1 { call.text(1)? } else { "" };
    let (files, functions) = match kind {
        "" => (true, true),
        "file" | "dir" => (true, false),
        "builtin" => (false, true),
        "var" => (false, false),
        _ => fault!("Q0314", "'exist' knows no kind \"{kind}\""; "\"var\", \"builtin\", \"file\" or \"dir\""),
    };
    let only_directories = kind == "dir";
    let known = super::lookup(call.cx, &name).is_some() || super::shipped().contains(&&*name);
    if functions && (known || call.cx.shared.type_named(&name).is_ok()) {
        return Ok(Value::Int(5));
    }
    let path = files.then(|| call.cx.readable(&name, call.name)).transpose()?;
    Ok(Value::Int(match path {
        Some(path) if path.is_dir() => 7,
        Some(path) if path.exists() && !only_directories => 2,
        _ => 0,
    }))
}

fn copy(call: &mut Call) -> Res<Value> {
    Ok(object::deep_copy(&call.args[0]))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "print",
        "print a, b, …",
        "the values one after another and a line end",
        "print 1, \" \", 2",
        0..=250,
        Run::Effect(|c| print(c, 0))
    )
    .host_only(),
    row!(
        "printf",
        "printf(format,…)",
        "text in a C format, without line end",
        "printf(\"%d\\n\", 3)",
        1..=250,
        Run::Effect(|c| print(c, 1))
    )
    .host_only(),
    row!(
        "error",
        "error a, b, …",
        "raises an error with this text; of a format with one conversion for each further value the text as printf has it",
        "try; error \"no\"; catch e; print e; endtry",
        0..=250,
        Run::Effect(|c| print(c, 2))
    )
    .means(Meaning::Error),
    row!(
        "warning",
        "warning a, b, …",
        "a message that does not stop the program; formats as error does",
        "x = 1",
        0..=250,
        Run::Effect(|c| print(c, 3))
    )
    .host_only(),
    row!(
        "save",
        "save(file,a,…)",
        "writes values to a file; .npy and .csv hold one array, .mat (MATLAB) named values or the fields of an object",
        "save(\"a.dat\",[1,2])",
        1..=250,
        Run::Effect(save)
    )
    .host_only(),
    row!(
        "load",
        "[a,…] = load(file[,name…])",
        "reads the values of a file that save wrote, or of a .npy, .csv or .mat file; of MATLAB's .mat an object, of these variables",
        "save(\"a.dat\",[1,2]); print load(\"a.dat\")",
        1..=250,
        Run::Many(load)
    )
    .host_only(),
    row!("copy", "copy(x)", "a copy that shares nothing with x", "print copy([1,2])", 1..=1, Run::One(copy))
        .means(Meaning::Copy),
    row!("tic", "tic(), start=tic()", "starts the clock, or gives a moment for toc", "tic()", 0..=0, Run::Many(tic))
        .host_only(),
    row!(
        "toc",
        "toc(), toc(\"\"), toc(start)",
        "milliseconds since tic(), or since start = tic(); printed, or only returned if they are a value of toc(\"\") or toc(start)",
        "tic(); x = toc(\"\")",
        0..=1,
        Run::Many(toc)
    )
    .gives(Gives::Scalar)
    .host_only(),
    row!("time", "time()", "seconds since 1970", "x = time()", 0..=0, Run::One(time)),
    row!("date", "date()", "today as year-month-day", "x = date()", 0..=0, Run::One(date)),
    row!("exit", "exit([code])", "ends the program", "x = 1", 0..=1, Run::Effect(exit)).means(Meaning::Exit),
    row!(
        "exist",
        "exist(\"name\"[,\"var\"|\"builtin\"|\"file\"|\"dir\"])",
        "1 if the variable has a value, 5 if a function of this name exists, 2 a file, 7 a directory, otherwise 0; the name of a variable is a literal",
        "x = 3; print exist(\"x\"), exist(\"y\")",
        1..=2,
        Run::One(exist)
    )
    .means(Meaning::Exist)
    .host_only(),
    row!("exists", "exists(file)", "1 if the file is there", "print exists(\"no such file\")", 1..=1, Run::One(exists)),
];
