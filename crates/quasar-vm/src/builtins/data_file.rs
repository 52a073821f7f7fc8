//! Arrays in the formats of other programs: `.npy` (NumPy's format, versions 1 to 3, numpy.lib.format), `.csv`
//! and `.mat`.

use super::{Call, mat_file};
use crate::arith::to_f64;
use crate::display;
use crate::fault::{Fault, Res, fault};
use crate::memory;
use crate::tensor::{Data, Shape, Tensor, normal_shape, real_data};
use crate::value::{Instance, Value};
use quadra_quasar_syntax::ast::Text;
use std::rc::Rc;

/// Which of these formats a file name asks for.
pub fn format_of(path: &str) -> Option<Format> {
    match path.rsplit('.').next().map(str::to_ascii_lowercase).as_deref() {
        Some("npy") => Some(Format::Npy),
        Some("csv") => Some(Format::Csv),
        Some("mat") => Some(Format::Mat),
        _ => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Npy,
    Csv,
    Mat,
}

/// The bytes of a file that holds what a `save` is given: one array, or variables of a `.mat` file.
pub fn encode(format: Format, call: &Call) -> Res<Vec<u8>> {
    if format == Format::Mat {
        return mat_file::encode(&call.args[1..]);
    }
    if call.args.len() != 2 {
        fault!("Q0413", "save: a {} file holds one array", name(format); "use another extension for several values");
    }
    let t = call.tensor(1)?;
    match format {
        Format::Npy => Ok(npy(&t)),
        _ => csv(&t),
    }
}

/// The array in a file, or the variables of a `.mat` file: as one object, or by themselves if several are asked for.
pub fn decode(
    format: Format,
    bytes: &[u8],
    path: &str,
    names: &[Text],
    (double, outs): (bool, usize),
) -> Res<Vec<Value>> {
    let one = match format {
        Format::Mat => {
            let variables = chosen(mat_file::read(bytes, path, double)?, names, path)?;
            if outs <= 1 {
                return Ok(vec![Value::Object(Rc::new(Instance::new(None, variables)))]);
            }
            if variables.len() < outs {
                fault!("Q0313", "load: '{path}' holds {} values, {outs} are assigned", variables.len(); "assign fewer variables");
            }
            return Ok(variables.into_iter().map(|(_, value)| value).collect());
        }
        _ if !names.is_empty() => {
            fault!("Q0413", "load: the values in '{path}' have no names"; "x = load(file) gives the array")
        }
        _ => decode_array(format, bytes, path, double)?,
    };
    Ok(vec![one])
}

/// The variables of these names, in their order; all if there are no names.
fn chosen(variables: Vec<(Text, Value)>, names: &[Text], path: &str) -> Res<Vec<(Text, Value)>> {
    if names.is_empty() {
        return Ok(variables);
    }
    let of_name = |name: &Text| match variables.iter().find(|v| v.0 == *name) {
        Some(found) => Ok(found.clone()),
        None => {
            let has: Vec<&str> = variables.iter().map(|v| &*v.0).collect();
            fault!("Q0413", "load: '{path}' has no variable '{name}'"; format!("it has {}", has.join(", ")))
        }
    };
    names.iter().map(of_name).collect()
}

fn decode_array(format: Format, bytes: &[u8], path: &str, double: bool) -> Res<Value> {
    match format {
        // The elements, and doubles of them.
        Format::Npy => match memory::elements(bytes.len(), 4, "an array").map(|()| read_npy(bytes, double))? {
            Ok(t) => Ok(Value::array(t)),
            Err(what) => {
                fault!("Q0413", "load: '{path}' cannot be read: {what}"; "arrays of numbers in little-endian order")
            }
        },
        _ => read_csv(&String::from_utf8_lossy(bytes), path, 0, double),
    }
}

fn name(format: Format) -> &'static str {
    match format {
        Format::Npy => ".npy",
        Format::Csv => ".csv",
        Format::Mat => ".mat",
    }
}

fn bytes_of<const N: usize, T: Copy>(values: &[T], f: fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|x| f(*x)).collect()
}

/// Vectors are stored with one dimension, everything else with the dimensions it has.
fn npy(t: &Tensor) -> Vec<u8> {
    let data = t.data.borrow();
    let half = |x: f32| half::f16::from_f32(x).to_le_bytes();
    let (kind, body) = match &*data {
        Data::F32(v) => ("<f4", bytes_of(v, f32::to_le_bytes)),
        Data::F64(v) => ("<f8", bytes_of(v, f64::to_le_bytes)),
        Data::F16(v) => ("<f2", bytes_of(v, half)),
        Data::C32(v) => ("<c8", v.iter().flatten().flat_map(|x| x.to_le_bytes()).collect()),
        Data::C64(v) => ("<c16", v.iter().flatten().flat_map(|x| x.to_le_bytes()).collect()),
        Data::Mask(v) => ("|b1", v.clone()),
        Data::Int(v) | Data::I32(v) => ("<i4", bytes_of(v, i32::to_le_bytes)),
        Data::I8(v) => ("|i1", bytes_of(v, i8::to_le_bytes)),
        Data::I16(v) => ("<i2", bytes_of(v, i16::to_le_bytes)),
        Data::I64(v) => ("<i8", bytes_of(v, i64::to_le_bytes)),
        Data::U8(v) => ("|u1", v.clone()),
        Data::U16(v) => ("<u2", bytes_of(v, u16::to_le_bytes)),
        Data::U32(v) => ("<u4", bytes_of(v, u32::to_le_bytes)),
        Data::U64(v) => ("<u8", bytes_of(v, u64::to_le_bytes)),
        Data::Cell(_) => ("<f8", Vec::new()),
    };
    let dims = if t.is_vector() { &t.shape[1..] } else { &t.shape[..] };
    let shape: String = dims.iter().map(|n| format!("{n},")).collect();
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    // Magic, version and length take 10 bytes; the whole is a multiple of 64 and ends with a line feed.
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((header.len() as u16).to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(body);
    out
}

/// The text behind `'key':` in the header.
fn entry<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = header.split_once(&format!("'{key}':"))?;
    Some(rest.trim_start())
}

fn read_npy(bytes: &[u8], double: bool) -> Result<Tensor, String> {
    let damaged = || "it is damaged".to_string();
    let rest = bytes.strip_prefix(b"\x93NUMPY").ok_or("it does not start as such files do")?;
    let (length, rest) = match rest {
        [1, _, a, b, rest @ ..] => (usize::from(u16::from_le_bytes([*a, *b])), rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        _ => return Err("its version is not known".into()),
    };
    let header = std::str::from_utf8(rest.get(..length).ok_or_else(damaged)?).map_err(|_| damaged())?;
    let body = &rest[length..];
    let kind = entry(header, "descr").and_then(|s| s.strip_prefix('\'')).and_then(|s| s.split('\'').next());
    let kind = kind.ok_or("its element type is no plain number")?;
    if entry(header, "fortran_order").ok_or_else(damaged)?.starts_with("True") {
        return Err("it is stored column by column".into());
    }
    let shape = entry(header, "shape").and_then(|s| s.strip_prefix('(')).and_then(|s| s.split(')').next());
    let dims: Vec<usize> = shape
        .ok_or_else(damaged)?
        .split(',')
        .map(str::trim)
        .filter(|s| !s.is_empty())
        .map(|s| s.parse().map_err(|_| damaged()))
        .collect::<Result<_, _>>()?;
    let n = dims.iter().try_fold(1usize, |a, b| a.checked_mul(*b)).ok_or_else(damaged)?;
    if dims.len() > 16 || body.len() > n.saturating_mul(16) {
        return Err(damaged());
    }
    let data = elements(kind, body, double).ok_or_else(|| format!("elements of type '{kind}' are not known"))?;
    if data.len() != n {
        return Err(format!("it has {} elements instead of {n}", data.len()));
    }
    Ok(Tensor::new(normal_shape(&dims), data))
}

/// The elements of a body; singles and doubles become `scalar`, other types stay.
fn elements(kind: &str, body: &[u8], double: bool) -> Option<Data> {
    fn each<const N: usize, T>(body: &[u8], f: fn([u8; N]) -> T) -> Option<Vec<T>> {
        let (chunks, rest) = body.as_chunks::<N>();
        rest.is_empty().then(|| chunks.iter().map(|c| f(*c)).collect())
    }
    let real = |v: Vec<f64>| real_data(v, double);
    let pairs = |v: Vec<f64>| crate::arith::complex_data(v.chunks_exact(2).map(|z| [z[0], z[1]]).collect(), double);
    let wide = |v: Vec<f32>| v.into_iter().map(f64::from).collect::<Vec<_>>();
    Some(match kind {
        "<f4" => real(wide(each(body, f32::from_le_bytes)?)),
        "<f8" => real(each(body, f64::from_le_bytes)?),
        "<f2" => Data::F16(each(body, |b| half::f16::from_le_bytes(b).to_f32())?),
        "<c8" => pairs(wide(each(body, f32::from_le_bytes)?)),
        "<c16" => pairs(each(body, f64::from_le_bytes)?),
        "|b1" => Data::Int(body.iter().map(|b| i32::from(*b != 0)).collect()),
        "<i4" => Data::Int(each(body, i32::from_le_bytes)?),
        "|i1" => Data::I8(each(body, i8::from_le_bytes)?),
        "<i2" => Data::I16(each(body, i16::from_le_bytes)?),
        "<i8" => Data::I64(each(body, i64::from_le_bytes)?),
        "|u1" => Data::U8(body.to_vec()),
        "<u2" => Data::U16(each(body, u16::from_le_bytes)?),
        "<u4" => Data::U32(each(body, u32::from_le_bytes)?),
        "<u8" => Data::U64(each(body, u64::from_le_bytes)?),
        _ => return None,
    })
}

/// A real matrix as text: one line per row; numbers with as many digits as tell them apart.
pub fn csv(t: &Tensor) -> Res<Vec<u8>> {
    let data = t.data.borrow();
    if t.shape.len() > 2 || data.is_complex() {
        fault!("Q0413", "save: an array of size {} does not fit into a table", display::shape_text(&t.shape); "tables are real matrices");
    }
    let mut out = String::new();
    let single = matches!(*data, Data::F32(_));
    for row in to_f64(&data).chunks(t.shape[1].max(1)) {
        let cells: Vec<String> =
            row.iter().map(|x| if single { format!("{}", *x as f32) } else { format!("{x}") }).collect();
        out.push_str(&cells.join(","));
        out.push('\n');
    }
    Ok(out.into_bytes())
}

/// A table of numbers, separated by commas, semicolons or tabs, from a column on. A first line without any number is a heading.
///
/// # Errors
/// The lines differ in length, or hold what is no number.
pub fn read_csv(text: &str, path: &str, from: usize, double: bool) -> Res<Value> {
    // A number takes two characters at least, and the list of them grows by doubling.
    memory::elements(text.len(), 8, "a table")?;
    let mut values = Vec::new();
    let mut columns = None;
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let cells: Vec<&str> = line.split([',', ';', '\t']).skip(from).map(|s| s.trim().trim_matches('"')).collect();
        let parsed: Vec<Option<f64>> = cells.iter().map(|c| c.parse().ok()).collect();
        if columns.is_none() && parsed.iter().all(Option::is_none) && number == 0 {
            continue;
        }
        if let Some(n) = columns.filter(|n| *n != cells.len()) {
            fault!("Q0413", "load: line {} of '{path}' has {} values instead of {n}", number + 1, cells.len(); "every line needs the same number of values");
        }
        columns = Some(cells.len());
        for (cell, value) in cells.iter().zip(parsed) {
            let Some(x) = value else {
                fault!("Q0413", "load: \"{cell}\" in line {} of '{path}' is not a number", number + 1; "tables hold numbers only");
            };
            values.push(x);
        }
    }
    let n = columns.unwrap_or(0);
    let rows = values.len().checked_div(n).unwrap_or(0);
    let shape = Shape::from_slice(&[rows, n]);
    Ok(Value::array(Tensor::new(shape, real_data(values, double))))
}

/// The error of a `save` that fails.
pub fn cannot_write(path: &str, e: &std::io::Error) -> Box<Fault> {
    Fault::new("Q0413", format!("save: cannot write '{path}': {e}"))
        .help("check the name and the permissions of the file")
}
