//! MATLAB's `.mat` files of version 7.3: HDF5 files in which datasets are arrays, groups structures, and datasets of references cells.
//! What a variable is stands in its attribute `MATLAB_class`. HDF5 names the slowest axis first and MATLAB the fastest, so that the
//! numbers come column by column, as in version 5.

use super::mat_file::{DEPTH, array, by_rows, damaged};
use crate::fault::{Res, fault};
use crate::memory;
use crate::tensor::{Data, Shape, Tensor, normal_shape, real_data};
use crate::value::{Instance, Value};
use hdf5_pure::{DType, Dataset, File, Group, Object};
use quadra_quasar_syntax::ast::Text;
use std::rc::Rc;

/// Bytes that a file begins with, before its user block or behind it.
pub fn is_hdf5(bytes: &[u8]) -> bool {
    bytes.starts_with(b"MATLAB 7.3") || bytes.starts_with(b"\x89HDF")
}

/// The variables of a file, by name.
///
/// # Errors
/// The bytes are no such file, or hold more than memory does.
pub fn variables(bytes: &[u8], double: bool) -> Res<Vec<(Text, Value)>> {
    memory::demand(bytes.len().saturating_mul(2), "a file")?;
    let Ok(file) = File::from_bytes(bytes.to_vec()) else { return damaged() };
    Reader { double }.members(&file.root(), 0)
}

struct Reader {
    double: bool,
}

impl Reader {
    /// The variables of a file or the fields of a structure. What MATLAB keeps for itself begins with `#`.
    fn members(&self, group: &Group, depth: usize) -> Res<Vec<(Text, Value)>> {
        if depth > DEPTH {
            fault!("Q0413", "its structures are nested too deeply"; "save its parts");
        }
        let (Ok(datasets), Ok(groups)) = (group.datasets(), group.groups()) else { return damaged() };
        let mut found = Vec::new();
        for name in datasets.iter().filter(|n| !n.starts_with('#')) {
            let Ok(dataset) = group.dataset(name) else { return damaged() };
            found.push((name.as_str().into(), self.dataset(&dataset, depth)?));
        }
        for name in groups.iter().filter(|n| !n.starts_with('#')) {
            let Ok(inner) = group.group(name) else { return damaged() };
            found.push((name.as_str().into(), self.group(&inner, depth)?));
        }
        found.sort_by(|a: &(Text, Value), b| a.0.cmp(&b.0));
        Ok(found)
    }

    /// A structure, or a sparse matrix, whose parts are `data`, `ir` and `jc`.
    fn group(&self, group: &Group, depth: usize) -> Res<Value> {
        let Ok(attributes) = group.attrs() else { return damaged() };
        let Some(height) = attributes.get("MATLAB_sparse").and_then(|a| a.as_u64()) else {
            return Ok(Value::Object(Rc::new(Instance::new(None, self.members(group, depth + 1)?))));
        };
        let indices = |name: &str| -> Res<Vec<usize>> {
            match group.dataset(name).and_then(|d| d.read_u64()) {
                Ok(list) => Ok(list.into_iter().map(|x| x as usize).collect()),
                Err(_) => damaged(),
            }
        };
        let starts = indices("jc")?;
        let (width, height) = (starts.len().saturating_sub(1), height as usize);
        let Some(n) = width.checked_mul(height) else { return damaged() };
        memory::elements(n, 16, "a sparse matrix as a full one")?;
        let count = starts.last().copied().unwrap_or(0);
        let (rows, values) = match (count, group.dataset("data")) {
            (0, _) => (Vec::new(), Vec::new()),
            (_, Ok(data)) => (indices("ir")?, self.reals(&data)?),
            _ => return damaged(),
        };
        if !starts.is_sorted() || rows.len() < count || values.len() < count || rows.iter().any(|r| *r >= height) {
            return damaged();
        }
        let mut full = vec![0.0; n];
        for (column, ends) in starts.windows(2).enumerate() {
            (ends[0]..ends[1]).for_each(|at| full[column * height + rows[at]] = values[at]);
        }
        Ok(array(&[height, width], real_data(full, self.double)))
    }

    fn dataset(&self, dataset: &Dataset, depth: usize) -> Res<Value> {
        let (Ok(attributes), Ok(shape), Ok(kind)) = (dataset.attrs(), dataset.shape(), dataset.dtype()) else {
            return damaged();
        };
        let class = attributes.get("MATLAB_class").and_then(|a| a.as_str()).unwrap_or("");
        if attributes.get("MATLAB_empty").and_then(|a| a.as_u64()).is_some_and(|e| e != 0) {
            return Ok(match class {
                "char" => Value::str(""),
                _ => Value::array(Tensor::new(Shape::from_slice(&[0, 0]), real_data(Vec::new(), self.double))),
            });
        }
        let mut dims: Vec<usize> = shape.iter().rev().map(|n| *n as usize).collect();
        while dims.len() < 2 {
            dims.push(1);
        }
        let n = dims.iter().try_fold(1usize, |a, b| a.checked_mul(*b)).filter(|_| dims.len() <= 16);
        let Some(n) = n else { return damaged() };
        memory::elements(n, 24, "an array")?;
        if kind == DType::ObjectReference {
            return self.cell(dataset, &dims, n, depth);
        }
        if let DType::Compound(_) = kind {
            return self.complex(dataset, &dims, n);
        }
        if class == "char" {
            return self.characters(dataset, &dims, n);
        }
        let data = self.numbers(dataset, &kind, class)?;
        if data.len() != n {
            return damaged();
        }
        Ok(array(&dims, data))
    }

    fn reals(&self, dataset: &Dataset) -> Res<Vec<f64>> {
        dataset.read_f64().or_else(|_| damaged())
    }

    fn numbers(&self, dataset: &Dataset, kind: &DType, class: &str) -> Res<Data> {
        let data = match (class, kind) {
            ("logical", _) => Data::Int(self.reals(dataset)?.iter().map(|x| i32::from(*x != 0.0)).collect()),
            (_, DType::I8) => Data::I8(dataset.read_i8().or_else(|_| damaged())?),
            (_, DType::U8) => Data::U8(dataset.read_u8().or_else(|_| damaged())?),
            (_, DType::I16) => Data::I16(dataset.read_i16().or_else(|_| damaged())?),
            (_, DType::U16) => Data::U16(dataset.read_u16().or_else(|_| damaged())?),
            (_, DType::I32) => Data::Int(dataset.read_i32().or_else(|_| damaged())?),
            (_, DType::U32) => Data::U32(dataset.read_u32().or_else(|_| damaged())?),
            (_, DType::I64) => Data::I64(dataset.read_i64().or_else(|_| damaged())?),
            (_, DType::U64) => Data::U64(dataset.read_u64().or_else(|_| damaged())?),
            (_, DType::F32 | DType::F64) => real_data(self.reals(dataset)?, self.double),
            _ => fault!("Q0413", "it holds a value that is neither numbers nor text"; "save the others by name"),
        };
        Ok(data)
    }

    /// Pairs of real and imaginary parts.
    fn complex(&self, dataset: &Dataset, dims: &[usize], n: usize) -> Res<Value> {
        let Ok(raw) = dataset.read_raw() else { return damaged() };
        let pairs: Vec<[f64; 2]> = match raw.len() / n.max(1) {
            16 => {
                let eight = |b: &[u8]| b.first_chunk::<8>().map_or(0.0, |b| f64::from_le_bytes(*b));
                raw.chunks_exact(16).map(|c| [eight(c), eight(&c[8..])]).collect()
            }
            8 => {
                let four = |b: &[u8]| b.first_chunk::<4>().map_or(0.0, |b| f64::from(f32::from_le_bytes(*b)));
                raw.chunks_exact(8).map(|c| [four(c), four(&c[4..])]).collect()
            }
            _ => return damaged(),
        };
        if pairs.len() != n {
            return damaged();
        }
        Ok(array(dims, crate::arith::complex_data(pairs, self.double)))
    }

    /// A row of characters is a string, several rows are a cell of strings.
    fn characters(&self, dataset: &Dataset, dims: &[usize], n: usize) -> Res<Value> {
        let Ok(units) = dataset.read_u16() else { return damaged() };
        if units.len() != n {
            return damaged();
        }
        let rows = dims[0].max(1);
        let line = |r: usize| {
            let row: Vec<u16> = units.iter().skip(r).step_by(rows).copied().collect();
            String::from_utf16_lossy(&row)
        };
        if rows == 1 {
            return Ok(Value::str(&line(0)));
        }
        Ok(Value::array(Tensor::vector(Data::Cell((0..rows).map(|r| Value::str(line(r).trim_end())).collect()))))
    }

    fn cell(&self, dataset: &Dataset, dims: &[usize], n: usize, depth: usize) -> Res<Value> {
        if depth > DEPTH {
            fault!("Q0413", "its structures are nested too deeply"; "save its parts");
        }
        let Ok(objects) = dataset.dereference() else { return damaged() };
        if objects.len() != n {
            return damaged();
        }
        let part = |object: &Object| match object {
            Object::Dataset(d) => self.dataset(d, depth + 1),
            Object::Group(g) => self.group(g, depth + 1),
            _ => damaged(),
        };
        let parts = objects.iter().map(part).collect::<Res<Vec<Value>>>()?;
        Ok(Value::array(Tensor::new(normal_shape(dims), by_rows(dims, Data::Cell(parts)))))
    }
}
