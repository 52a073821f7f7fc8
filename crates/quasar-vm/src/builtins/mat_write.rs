//! Writing `.mat` files of version 5; see `mat_file`. Every variable is compressed by itself, as MATLAB does it.

use super::mat_file::{COMPRESSED, DEPTH, HEADER, INT8, INT32, MATRIX, UINT16, UINT32, UTF16, row_order};
use crate::fault::{Res, fault};
use crate::tensor::{Data, Tensor};
use crate::value::{Instance, Value};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use quadra_quasar_syntax::ast::Text;
use std::io::Write;

/// Characters of a name.
const NAME: usize = 63;
const LOGICAL: u32 = 0x200;
const COMPLEX: u32 = 0x800;

/// The bytes of a file with these variables.
///
/// # Errors
/// A name that MATLAB does not take, or a value that it does not have.
pub fn file(variables: &[(Text, Value)]) -> Res<Vec<u8>> {
    let mut out = format!("{:124}", "MATLAB 5.0 MAT-file, written by quadra").into_bytes();
    out.extend([0, 1]);
    out.extend(b"IM");
    debug_assert_eq!(out.len(), HEADER);
    for (name, value) in variables {
        let plain = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !plain || name.len() > NAME {
            fault!("Q0413", "save: '{name}' is no name of a variable"; "a letter, then letters, digits and underscores, 63 at most");
        }
        let mut matrix = Vec::new();
        put(&mut matrix, name, value, 0)?;
        let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
        let packed = packer.write_all(&matrix).and_then(|()| packer.finish());
        let Ok(packed) = packed else { fault!("Q0413", "save: '{name}' cannot be compressed") };
        let Ok(size) = u32::try_from(packed.len()) else { return too_large() };
        out.extend(COMPRESSED.to_le_bytes());
        out.extend(size.to_le_bytes());
        out.extend(packed);
    }
    Ok(out)
}

fn too_large<T>() -> Res<T> {
    fault!("Q0413", "save: a variable of a .mat file has at most 4 GiB"; "save its parts, or as .npy")
}

/// Appends an element, filled up to eight bytes.
fn element(out: &mut Vec<u8>, kind: u32, body: &[u8]) -> Res<()> {
    let Ok(size) = u32::try_from(body.len()) else { return too_large() };
    out.extend(kind.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(body);
    out.resize(out.len().next_multiple_of(8), 0);
    Ok(())
}

/// Appends a value as a variable of this name.
fn put(out: &mut Vec<u8>, name: &str, value: &Value, depth: usize) -> Res<()> {
    if depth > DEPTH {
        fault!("Q0413", "save: the value is nested too deeply or contains itself"; "save its parts");
    }
    let mut body = Vec::new();
    match value {
        Value::Array(t) => array(&mut body, name, t, depth)?,
        Value::Str(text) => {
            let units: Vec<u16> = text.encode_utf16().collect();
            head(&mut body, 4, &[usize::from(!units.is_empty()), units.len()], name)?;
            // Some readers take plain 16-bit units for bytes of another encoding.
            let kind = if text.is_ascii() { UINT16 } else { UTF16 };
            element(&mut body, kind, &units.iter().flat_map(|u| u.to_le_bytes()).collect::<Vec<u8>>())?;
        }
        Value::Object(o) => structure(&mut body, name, o, depth)?,
        Value::Unset | Value::Null => {
            head(&mut body, 6, &[0, 0], name)?;
            element(&mut body, 9, &[])?;
        }
        number if number.is_number() => {
            let one = std::slice::from_ref(number);
            let mode = crate::arith::Mode { double: true, device: true, inttypes: true };
            match crate::literal::array(one, mode)? {
                Value::Array(t) => array(&mut body, name, &t, depth)?,
                _ => fault!("Q0413", "save: '{name}' cannot be saved"),
            }
        }
        _ => fault!("Q0413", "save: functions and types cannot be saved"; "save the data they work on"),
    }
    element(out, MATRIX, &body)
}

/// Flags, dimensions and name.
fn head(out: &mut Vec<u8>, class: u32, dims: &[usize], name: &str) -> Res<()> {
    let flags: Vec<u8> = [class, 0].iter().flat_map(|w| w.to_le_bytes()).collect();
    element(out, UINT32, &flags)?;
    let mut lengths = Vec::new();
    for n in dims {
        let Ok(n) = i32::try_from(*n) else { return too_large() };
        lengths.extend(n.to_le_bytes());
    }
    element(out, INT32, &lengths)?;
    element(out, INT8, name.as_bytes())
}

fn array(out: &mut Vec<u8>, name: &str, t: &Tensor, depth: usize) -> Res<()> {
    let data = t.data.borrow();
    macro_rules! numbers {
        ($v:expr, $class:expr, $kind:expr) => {{
            head(out, $class, &t.shape, name)?;
            let bytes: Vec<u8> = by_columns(t).flat_map(|i| $v[i].to_le_bytes()).collect();
            element(out, $kind, &bytes)
        }};
    }
    macro_rules! pairs {
        ($v:expr, $class:expr, $kind:expr) => {{
            head(out, $class | COMPLEX, &t.shape, name)?;
            for part in 0..2 {
                let bytes: Vec<u8> = by_columns(t).flat_map(|i| $v[i][part].to_le_bytes()).collect();
                element(out, $kind, &bytes)?;
            }
            Ok(())
        }};
    }
    match &*data {
        Data::F64(v) => numbers!(v, 6, 9),
        Data::F32(v) | Data::F16(v) => numbers!(v, 7, 7),
        Data::C64(v) => pairs!(v, 6, 9),
        Data::C32(v) => pairs!(v, 7, 7),
        Data::Mask(v) => numbers!(v, 9 | LOGICAL, 2),
        Data::I8(v) => numbers!(v, 8, INT8),
        Data::U8(v) => numbers!(v, 9, 2),
        Data::I16(v) => numbers!(v, 10, 3),
        Data::U16(v) => numbers!(v, 11, UINT16),
        Data::Int(v) | Data::I32(v) => numbers!(v, 12, INT32),
        Data::U32(v) => numbers!(v, 13, UINT32),
        Data::I64(v) => numbers!(v, 14, 12),
        Data::U64(v) => numbers!(v, 15, 13),
        Data::Cell(v) => {
            head(out, 1, &t.shape, name)?;
            by_columns(t).try_for_each(|i| put(out, "", &v[i], depth + 1))
        }
    }
}

/// The positions, among elements that are stored row by row, of those column by column: as the other way round, with the
/// dimensions reversed.
fn by_columns(t: &Tensor) -> impl Iterator<Item = usize> + use<> {
    let reversed: Vec<usize> = t.shape.iter().rev().copied().collect();
    row_order(&reversed)
}

fn structure(out: &mut Vec<u8>, name: &str, o: &Instance, depth: usize) -> Res<()> {
    head(out, 2, &[1, 1], name)?;
    let fields = o.fields.borrow();
    // Names have one length, with a zero at least behind each.
    element(out, INT32, &(NAME as i32 + 1).to_le_bytes())?;
    let mut names = Vec::new();
    for (field, _) in fields.iter() {
        if field.len() > NAME || !field.is_ascii() {
            fault!("Q0413", "save: '{field}' is no name of a field"; "at most 63 letters, digits and underscores");
        }
        names.extend(field.bytes());
        names.resize(names.len().next_multiple_of(NAME + 1), 0);
    }
    element(out, INT8, &names)?;
    fields.iter().try_for_each(|(_, value)| put(out, "", value, depth + 1))
}
