//! MATLAB's `.mat` files, version 5 (what `save` of MATLAB writes with `-v6` and `-v7`): read and written after "MAT-File Format",
//! The MathWorks. Version 7.3 is HDF5, another format altogether (`mat_hdf5`).
//!
//! Numbers of both floating-point classes become `scalar`; integers keep their class, logical values become `int`, rows of
//! characters strings, structures objects, sparse matrices full ones.

use super::{mat_hdf5, mat_write};
use crate::arith::complex_data;
use crate::fault::{Fault, Res, fault};
use crate::memory;
use crate::tensor::{Data, Shape, Tensor, normal_shape, real_data, remap};
use crate::value::{Instance, Value};
use flate2::read::ZlibDecoder;
use quadra_quasar_syntax::ast::Text;
use std::io::Read;
use std::rc::Rc;

pub const HEADER: usize = 128;
/// Structures and cells within each other.
pub const DEPTH: usize = 50;
/// Bytes that are decompressed between two looks at memory.
const PIECE: u64 = 1 << 20;

/// Types of elements.
pub const INT8: u32 = 1;
pub const INT32: u32 = 5;
pub const UINT16: u32 = 4;
pub const UINT32: u32 = 6;
pub const UTF16: u32 = 17;
pub const MATRIX: u32 = 14;
pub const COMPRESSED: u32 = 15;

/// The variables of a file, in their order.
///
/// # Errors
/// The bytes are no such file, or hold more than memory does.
pub fn read(bytes: &[u8], path: &str, double: bool) -> Res<Vec<(Text, Value)>> {
    variables(bytes, double).map_err(|mut fault| {
        if fault.code == "Q0413" {
            fault.message = format!("load: '{path}' cannot be read: {}", fault.message);
        }
        fault
    })
}

pub(super) fn damaged<T>() -> Res<T> {
    fault!("Q0413", "it is damaged"; "save it again")
}

fn variables(bytes: &[u8], double: bool) -> Res<Vec<(Text, Value)>> {
    if mat_hdf5::is_hdf5(bytes) {
        return mat_hdf5::variables(bytes, double);
    }
    let Some((head, rest)) = bytes.split_at_checked(HEADER) else {
        fault!("Q0413", "it is no .mat file of version 5"; "MATLAB writes one with save(…, '-v7')");
    };
    let big = match &head[126..] {
        b"IM" => false,
        b"MI" => true,
        _ => fault!("Q0413", "it is no .mat file of version 5"; "MATLAB writes one with save(…, '-v7')"),
    };
    let mut reader = Reader { bytes: rest, big, double };
    let mut found = Vec::new();
    while !reader.bytes.is_empty() {
        let (kind, body) = reader.element()?;
        match kind {
            MATRIX => found.extend(reader.of(body).matrix(0)?),
            COMPRESSED => {
                let unpacked = unpack(body)?;
                let mut inner = reader.of(&unpacked);
                let (kind, body) = inner.element()?;
                if kind == MATRIX {
                    found.extend(reader.of(body).matrix(0)?);
                }
            }
            _ => {}
        }
    }
    // What MATLAB keeps for itself has no name.
    found.retain(|(name, _)| !name.is_empty());
    Ok(found)
}

fn unpack(packed: &[u8]) -> Res<Vec<u8>> {
    let mut decoder = ZlibDecoder::new(packed);
    let mut bytes = Vec::new();
    loop {
        memory::demand(bytes.len().saturating_mul(2), "a file")?;
        match (&mut decoder).take(PIECE).read_to_end(&mut bytes) {
            Ok(0) => return Ok(bytes),
            Ok(_) => {}
            Err(_) => return damaged(),
        }
    }
}

/// Elements, read from the front.
struct Reader<'a> {
    bytes: &'a [u8],
    big: bool,
    double: bool,
}

/// Whatever the numbers of an element are stored as.
enum Numbers {
    Real(Vec<f64>),
    Signed(Vec<i64>),
    Unsigned(Vec<u64>),
}

impl<'a> Reader<'a> {
    fn of<'b>(&self, bytes: &'b [u8]) -> Reader<'b> {
        Reader { bytes, big: self.big, double: self.double }
    }

    fn word(&self, at: usize) -> Res<u32> {
        let Some(four) = self.bytes.get(at..).and_then(|b| b.first_chunk::<4>()) else { return damaged() };
        Ok(if self.big { u32::from_be_bytes(*four) } else { u32::from_le_bytes(*four) })
    }

    /// The next element: its type and its bytes. Short ones share eight bytes with their tag, others are filled up to eight.
    fn element(&mut self) -> Res<(u32, &'a [u8])> {
        let first = self.word(0)?;
        let (kind, from, size) = match first >> 16 {
            0 => (first, 8, self.word(4)? as usize),
            size => (first & 0xffff, 4, size as usize),
        };
        let Some(body) = self.bytes.get(from..).and_then(|b| b.get(..size)) else { return damaged() };
        let end = match (from, kind) {
            (4, _) => 8,
            (_, COMPRESSED) => 8 + size,
            _ => 8 + size.next_multiple_of(8),
        };
        self.bytes = self.bytes.get(end..).unwrap_or(&[]);
        Ok((kind, body))
    }

    /// The numbers of the next element.
    fn numbers(&mut self) -> Res<Numbers> {
        let (kind, body) = self.element()?;
        memory::elements(body.len(), 8, "an array")?;
        macro_rules! each {
            ($t:ty, $to:ident, $wide:ty) => {{
                let (parts, rest) = body.as_chunks::<{ size_of::<$t>() }>();
                if !rest.is_empty() {
                    return damaged();
                }
                let of = if self.big { <$t>::from_be_bytes } else { <$t>::from_le_bytes };
                Numbers::$to(parts.iter().map(|p| of(*p) as $wide).collect())
            }};
        }
        Ok(match kind {
            INT8 => each!(i8, Real, f64),
            2 | 16 => each!(u8, Real, f64),
            3 => each!(i16, Real, f64),
            UINT16 | UTF16 => each!(u16, Real, f64),
            INT32 => each!(i32, Real, f64),
            UINT32 | 18 => each!(u32, Real, f64),
            7 => each!(f32, Real, f64),
            9 => each!(f64, Real, f64),
            12 => each!(i64, Signed, i64),
            13 => each!(u64, Unsigned, u64),
            _ => return damaged(),
        })
    }

    fn real(&mut self) -> Res<Vec<f64>> {
        Ok(match self.numbers()? {
            Numbers::Real(v) => v,
            Numbers::Signed(v) => v.into_iter().map(|x| x as f64).collect(),
            Numbers::Unsigned(v) => v.into_iter().map(|x| x as f64).collect(),
        })
    }

    fn indices(&mut self) -> Res<Vec<usize>> {
        Ok(self.real()?.into_iter().map(|x| x as usize).collect())
    }

    fn text(&mut self) -> Res<String> {
        let (_, body) = self.element()?;
        Ok(body.iter().map(|b| char::from(*b)).collect())
    }

    /// A variable, or a part of one: its name and value. Functions and the like are left out.
    fn matrix(mut self, depth: usize) -> Res<Option<(Text, Value)>> {
        if depth > DEPTH {
            fault!("Q0413", "its structures are nested too deeply"; "save its parts");
        }
        // Empty cells may have no contents at all.
        if self.bytes.is_empty() {
            return Ok(Some(("".into(), Value::array(Tensor::new(Shape::from_slice(&[0, 0]), Data::F32(Vec::new()))))));
        }
        let (_, flags) = self.element()?;
        let flags = self.of(flags).word(0)?;
        let (class, complex, logical) = (flags & 0xff, flags & 0x800 != 0, flags & 0x200 != 0);
        // Objects of other kinds have no dimensions.
        if !(1..=15).contains(&class) {
            return Ok(None);
        }
        let dims = self.indices()?;
        let n = dims.iter().try_fold(1usize, |a, b| a.checked_mul(*b)).filter(|_| (2..=16).contains(&dims.len()));
        let Some(n) = n else { return damaged() };
        let name: Text = self.text()?.into();
        let value = match class {
            1 => self.cell(&dims, n, depth)?,
            2 | 3 => self.structure(class == 3, &dims, n, depth)?,
            4 => self.characters(&dims, n)?,
            5 => self.sparse(&dims, n, complex)?,
            _ => self.plain(class, complex, logical, &dims, n)?,
        };
        Ok(Some((name, value)))
    }

    fn plain(&mut self, class: u32, complex: bool, logical: bool, dims: &[usize], n: usize) -> Res<Value> {
        let numbers = self.numbers()?;
        let count = match &numbers {
            Numbers::Real(v) => v.len(),
            Numbers::Signed(v) => v.len(),
            Numbers::Unsigned(v) => v.len(),
        };
        if count != n {
            return damaged();
        }
        if complex {
            let (Numbers::Real(re), im) = (numbers, self.real()?) else { return damaged() };
            if im.len() != n {
                return damaged();
            }
            return Ok(array(dims, complex_data(re.into_iter().zip(im).map(|(a, b)| [a, b]).collect(), self.double)));
        }
        let data = match numbers {
            Numbers::Signed(v) => Data::I64(v),
            Numbers::Unsigned(v) => Data::U64(v),
            Numbers::Real(v) if logical => Data::Int(v.iter().map(|x| i32::from(*x != 0.0)).collect()),
            Numbers::Real(v) => match class {
                8 => Data::I8(v.iter().map(|x| *x as i8).collect()),
                9 => Data::U8(v.iter().map(|x| *x as u8).collect()),
                10 => Data::I16(v.iter().map(|x| *x as i16).collect()),
                11 => Data::U16(v.iter().map(|x| *x as u16).collect()),
                12 => Data::Int(v.iter().map(|x| *x as i32).collect()),
                13 => Data::U32(v.iter().map(|x| *x as u32).collect()),
                14 => Data::I64(v.iter().map(|x| *x as i64).collect()),
                15 => Data::U64(v.iter().map(|x| *x as u64).collect()),
                _ => real_data(v, self.double),
            },
        };
        Ok(array(dims, data))
    }

    /// A row of characters is a string, several rows are a cell of strings.
    fn characters(&mut self, dims: &[usize], n: usize) -> Res<Value> {
        let mut peeked = self.of(self.bytes);
        let codes: Vec<u32> = match peeked.element()? {
            (16, body) => match std::str::from_utf8(body) {
                Ok(text) => text.chars().map(u32::from).collect(),
                Err(_) => return damaged(),
            },
            _ => self.real()?.into_iter().map(|x| x as u32).collect(),
        };
        if codes.len() != n {
            return damaged();
        }
        let rows = dims[0];
        let line = |r: usize| -> String {
            let units = codes.iter().skip(r).step_by(rows.max(1));
            let narrow: Vec<u16> = units.clone().filter_map(|c| u16::try_from(*c).ok()).collect();
            match narrow.len() == units.clone().count() {
                true => String::from_utf16_lossy(&narrow),
                false => units.filter_map(|c| char::from_u32(*c)).collect(),
            }
        };
        if rows <= 1 {
            return Ok(Value::str(&line(0)));
        }
        Ok(Value::array(Tensor::vector(Data::Cell((0..rows).map(|r| Value::str(line(r).trim_end())).collect()))))
    }

    fn sparse(&mut self, dims: &[usize], n: usize, complex: bool) -> Res<Value> {
        memory::elements(n, 16, "a sparse matrix as a full one")?;
        let (rows, columns) = (self.indices()?, self.indices()?);
        let re = self.real()?;
        let im = if complex { self.real()? } else { Vec::new() };
        let (&[height, width], Some(&count)) = (dims, columns.last()) else { return damaged() };
        let counts = columns.len() == width + 1 && columns.is_sorted() && count <= rows.len() && count <= re.len();
        if !counts || complex && count > im.len() || rows[..count].iter().any(|r| *r >= height) {
            return damaged();
        }
        let places = || {
            let column = |k: usize| columns[k]..columns[k + 1];
            (0..width).flat_map(move |j| column(j).map(move |at| (j, at)))
        };
        if complex {
            let mut full = vec![[0.0; 2]; n];
            places().for_each(|(j, at)| full[j * height + rows[at]] = [re[at], im[at]]);
            return Ok(array(dims, complex_data(full, self.double)));
        }
        let mut full = vec![0.0; n];
        places().for_each(|(j, at)| full[j * height + rows[at]] = re[at]);
        Ok(array(dims, real_data(full, self.double)))
    }

    /// The next part of a cell or structure.
    fn part(&mut self, depth: usize) -> Res<Value> {
        let (kind, body) = self.element()?;
        if kind != MATRIX {
            return damaged();
        }
        Ok(self.of(body).matrix(depth + 1)?.map_or(Value::Null, |(_, value)| value))
    }

    /// Every part takes eight bytes, which bounds what a damaged file can ask for.
    fn parts(&mut self, n: usize, depth: usize) -> Res<Vec<Value>> {
        if n > self.bytes.len() / 8 {
            return damaged();
        }
        (0..n).map(|_| self.part(depth)).collect()
    }

    fn cell(&mut self, dims: &[usize], n: usize, depth: usize) -> Res<Value> {
        let parts = self.parts(n, depth)?;
        Ok(Value::array(Tensor::new(normal_shape(dims), by_rows(dims, Data::Cell(parts)))))
    }

    /// One structure is an object, several are a cell of objects.
    fn structure(&mut self, named: bool, dims: &[usize], n: usize, depth: usize) -> Res<Value> {
        if named {
            self.text()?;
        }
        let (_, length) = self.element()?;
        let length = self.of(length).word(0)? as usize;
        let (_, names) = self.element()?;
        if length == 0 && !names.is_empty() {
            return damaged();
        }
        let name = |part: &[u8]| -> Text {
            part.iter().take_while(|b| **b != 0).map(|b| char::from(*b)).collect::<String>().into()
        };
        let names: Vec<Text> = names.chunks_exact(length.max(1)).map(name).collect();
        let Some(all) = n.checked_mul(names.len()) else { return damaged() };
        let parts = self.parts(all, depth)?;
        if names.is_empty() && n > self.bytes.len() + 1 {
            return damaged();
        }
        let mut parts = parts.into_iter();
        let mut object = || {
            let fields = names.iter().cloned().zip(parts.by_ref().take(names.len())).collect();
            Value::Object(Rc::new(Instance::new(None, fields)))
        };
        if n == 1 {
            return Ok(object());
        }
        let objects = (0..n).map(|_| object()).collect();
        Ok(Value::array(Tensor::new(normal_shape(dims), by_rows(dims, Data::Cell(objects)))))
    }
}

/// Elements that are stored column by column as an array; one element is a number.
pub(super) fn array(dims: &[usize], data: Data) -> Value {
    let t = Tensor::new(normal_shape(dims), by_rows(dims, data));
    match t.len() {
        1 => t.get(0).unwrap_or_default(),
        _ => Value::array(t),
    }
}

/// The positions, among elements that are stored column by column, of those row by row.
pub fn row_order(dims: &[usize]) -> impl Iterator<Item = usize> + use<> {
    let n = dims.iter().product();
    let mut strides = vec![1; dims.len()];
    for d in 1..dims.len() {
        strides[d] = strides[d - 1] * dims[d - 1];
    }
    let (dims, mut index, mut at) = (dims.to_vec(), vec![0; dims.len()], 0);
    (0..n).map(move |_| {
        let here = at;
        for d in (0..dims.len()).rev() {
            index[d] += 1;
            at += strides[d];
            if index[d] < dims[d] {
                break;
            }
            at -= strides[d] * dims[d];
            index[d] = 0;
        }
        here
    })
}

#[allow(clippy::clone_on_copy)]
pub(super) fn by_rows(dims: &[usize], data: Data) -> Data {
    remap!(data, v => row_order(dims).map(|i| v[i].clone()).collect())
}

/// The bytes of a file with these values: the fields of one object, or values behind their names.
///
/// # Errors
/// The arguments are neither, or a value has no counterpart in MATLAB.
pub fn encode(args: &[Value]) -> Res<Vec<u8>> {
    let named: Vec<(Text, Value)> = match args {
        [Value::Object(o)] => o.fields.borrow().clone(),
        _ => {
            let pair = |p: &[Value]| match p {
                [Value::Str(name), value] => Some(((**name).clone(), value.clone())),
                _ => None,
            };
            let pairs: Option<Vec<_>> = args.chunks(2).map(pair).collect();
            let Some(pairs) = pairs else {
                return Err(Fault::new("Q0413", "save: the values in a .mat file have names")
                    .help("save(\"a.mat\", \"x\", x, \"y\", y), or save(\"a.mat\", s), where s is an object"));
            };
            pairs
        }
    };
    mat_write::file(&named)
}
