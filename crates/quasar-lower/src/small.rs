//! Arithmetic on arrays in registers: element by element with broadcasting, matrix products, reductions, literals.

use super::state::Lower;
use super::value::{MOST_SMALL, Num, Small, Val};
use super::{Low, refuse};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::tensor::normal_shape;

/// The position of an element after broadcasting: `at` counts in `out`, the result in `shape`.
fn broadcast_at(mut at: usize, out: &[usize], shape: &[usize]) -> usize {
    let mut index = vec![0; out.len()];
    for d in (0..out.len()).rev() {
        index[d] = at % out[d].max(1);
        at /= out[d].max(1);
    }
    let length = |d: usize| shape.get(d).copied().unwrap_or(1);
    (0..out.len().max(shape.len())).fold(0, |p, d| {
        let i = if length(d) == 1 { 0 } else { index.get(d).copied().unwrap_or(0) };
        p * length(d) + i
    })
}

impl Lower<'_> {
    /// An operator on two values. `matrix`: `*`, `/` and `^` have their matrix meaning.
    pub fn operate(&mut self, op: Op2, matrix: bool, a: &Val, b: &Val, literal: bool) -> Low<Val> {
        if let (Val::Num(x), Val::Num(y)) = (a, b) {
            return self.binary(op, x, y, literal).map(Val::Num);
        }
        if let Some(v) = self.operate_either(op, matrix, (a, b), literal)? {
            return Ok(v);
        }
        if matches!(a, Val::Channel(_)) || matches!(b, Val::Channel(_)) {
            let (x, y) = (self.channel_of(a)?, self.channel_of(b)?);
            return self.binary(op, &x, &y, literal).map(Val::Channel);
        }
        if self.is_long(a) || self.is_long(b) {
            return self.operate_long(op, matrix, a, b, literal);
        }
        let arrays = |v: &Val| matches!(v, Val::Array(_) | Val::Small(_));
        if !(arrays(a) || matches!(a, Val::Num(_))) || !(arrays(b) || matches!(b, Val::Num(_))) {
            let odd = if arrays(a) || matches!(a, Val::Num(_)) { b } else { a };
            refuse!("'{}' of {}", op.name(), odd.what());
        }
        let (x, y) = (self.small_of(a)?, self.small_of(b)?);
        if matrix && arrays(a) && arrays(b) && !(x.is_vector() && y.is_vector()) {
            if op != Op2::Mul {
                refuse!("'{}' of matrices", op.name());
            }
            return self.matrix_product(&x, &y);
        }
        if matrix && op == Op2::Pow && arrays(a) && !x.is_vector() {
            refuse!("a power of a matrix");
        }
        self.elementwise(op, &x, &y, literal)
    }

    fn elementwise(&mut self, op: Op2, x: &Small, y: &Small, literal: bool) -> Low<Val> {
        let rank = x.shape.len().max(y.shape.len());
        let mut shape = Vec::new();
        for d in 0..rank {
            let (m, n) = (x.shape.get(d).copied().unwrap_or(1), y.shape.get(d).copied().unwrap_or(1));
            if m != n && m != 1 && n != 1 {
                refuse!("operands have different sizes");
            }
            shape.push(if m == 1 { n } else { m });
        }
        let len: usize = shape.iter().product();
        if len > MOST_SMALL {
            refuse!("an array of {len} elements is computed as a whole");
        }
        let mut items = Vec::new();
        for at in 0..len {
            let (a, b) = (x.items[broadcast_at(at, &shape, &x.shape)], y.items[broadcast_at(at, &shape, &y.shape)]);
            items.push(self.binary(op, &a, &b, literal)?);
        }
        Ok(Val::Small(Small { shape, items, mask: op.is_comparison() }))
    }

    fn matrix_product(&mut self, x: &Small, y: &Small) -> Low<Val> {
        let [m, k] = x.shape[..] else { refuse!("a product of arrays with three dimensions") };
        let [k2, n] = y.shape[..] else { refuse!("a product of arrays with three dimensions") };
        if k != k2 || m * n > MOST_SMALL {
            refuse!("a product of {m}x{k} and {k2}x{n} matrices");
        }
        let mut items = Vec::new();
        for i in 0..m {
            for j in 0..n {
                let mut sum: Option<Num> = None;
                for l in 0..k {
                    let term = self.binary(Op2::Mul, &x.items[i * k + l], &y.items[l * n + j], false)?;
                    sum = Some(match sum {
                        Some(s) => self.binary(Op2::Add, &s, &term, false)?,
                        None => term,
                    });
                }
                let Some(sum) = sum else { refuse!("a product of empty matrices") };
                // Products of matrices are computed on floats.
                items.push(if sum.kind.is_int() { self.float_of(&sum) } else { sum });
            }
        }
        Ok(Val::Small(Small { shape: vec![m, n], items, mask: false }))
    }

    /// The elements of an array in registers; a number counts as one element.
    pub fn small_of(&mut self, v: &Val) -> Low<Small> {
        match v {
            Val::Num(n) => Ok(Small { shape: vec![1, 1], items: vec![*n], mask: false }),
            Val::Small(s) => Ok(s.clone()),
            Val::Array(a) => {
                let len = match a.known_len() {
                    Some(n) if n <= MOST_SMALL => n,
                    _ => refuse!("an array of more than {MOST_SMALL} elements is used as a whole"),
                };
                a.no_slice()?;
                let mut items = Vec::new();
                for i in 0..len {
                    items.push(self.load_flat(a, i)?);
                }
                let shape = a.shape.iter().map(|l| l.known().unwrap_or(1)).collect();
                Ok(Small { shape, items, mask: false })
            }
            other => refuse!("{} where an array is needed", other.what()),
        }
    }

    /// `[a, b, …]`: numbers give a vector, arrays of one shape one more leading dimension.
    pub fn literal(&mut self, items: Vec<Val>) -> Low<Val> {
        if items.is_empty() || items.len() > MOST_SMALL {
            refuse!("an array literal with {} items", items.len());
        }
        let numbers: Option<Vec<Num>> =
            items.iter().map(|v| if let Val::Num(n) = v { Some(*n) } else { None }).collect();
        if let Some(numbers) = numbers {
            let items = self.literal_items(numbers);
            if self.is_pixel(items.len()) {
                return self.channel_among(&items).map(Val::Channel);
            }
            return Ok(Val::Small(Small::vector(items)));
        }
        let mut rows = Vec::new();
        for item in &items {
            if matches!(item, Val::Num(_)) {
                refuse!("an array literal mixes numbers and arrays");
            }
            rows.push(self.small_of(item)?);
        }
        let first = rows[0].clone();
        if rows.iter().any(|r| r.shape != first.shape) || rows.len() * first.items.len() > MOST_SMALL {
            refuse!("rows of an array literal have different sizes");
        }
        let inner = if first.is_vector() { &first.shape[1..] } else { &first.shape[..] };
        let shape: Vec<usize> = std::iter::once(rows.len()).chain(inner.iter().copied()).collect();
        let shape = if shape.len() == 1 { vec![shape[0], 1] } else { shape };
        let kind = rows.iter().flat_map(|r| &r.items).fold(Kind::Int, |k, n| k.promote(n.kind));
        let items = rows.iter().flat_map(|r| r.items.clone()).collect::<Vec<_>>();
        let items = items.iter().map(|n| self.convert(n, kind)).collect();
        Ok(Val::Small(Small { shape, items, mask: false }))
    }

    /// Items of one vector have one kind; on the host that is a float.
    fn literal_items(&mut self, items: Vec<Num>) -> Vec<Num> {
        let mut kind = items.iter().fold(Kind::Int, |k, n| k.promote(n.kind));
        if kind.is_int() {
            kind = if self.host { self.scalar_kind() } else { Kind::Int };
        }
        items.iter().map(|n| self.convert(n, kind)).collect()
    }

    /// `count` equal numbers in a shape.
    pub fn filled(&mut self, dims: &[usize], value: Num) -> Low<Val> {
        let shape: Vec<usize> = normal_shape(dims).to_vec();
        let len: usize = shape.iter().product();
        if len > MOST_SMALL || len == 0 {
            refuse!("an array of {len} elements within a kernel");
        }
        if shape[0] == 1 && self.is_pixel(len) {
            return Ok(Val::Channel(value));
        }
        Ok(Val::Small(Small { shape, items: vec![value; len], mask: false }))
    }

    /// `sum`, `prod`, `min` and `max` of all elements.
    pub fn fold(&mut self, op: Op2, v: &Val) -> Low<Num> {
        let small = self.small_of(v)?;
        let mut items = small.items.iter();
        let Some(first) = items.next() else { refuse!("a reduction of an empty array") };
        let mut result = self.plain(first);
        for item in items {
            result = self.binary(op, &result, item, false)?;
        }
        Ok(result)
    }

    /// The sum of products of two arrays of the same length.
    pub fn dot(&mut self, a: &Val, b: &Val) -> Low<Num> {
        let (x, y) = (self.small_of(a)?, self.small_of(b)?);
        if x.items.len() != y.items.len() || x.items.is_empty() {
            refuse!("operands have different sizes");
        }
        let mut sum: Option<Num> = None;
        for (p, q) in x.items.iter().zip(&y.items) {
            let term = self.binary(Op2::Mul, p, q, false)?;
            sum = Some(match sum {
                Some(s) => self.binary(Op2::Add, &s, &term, false)?,
                None => term,
            });
        }
        match sum {
            Some(s) => Ok(s),
            None => refuse!("a reduction of an empty array"),
        }
    }

    /// Applies a function to a number or to every element of an array.
    pub fn map(&mut self, v: &Val, f: &mut dyn FnMut(&mut Self, &Num) -> Low<Num>) -> Low<Val> {
        match v {
            Val::Num(n) => f(self, n).map(Val::Num),
            Val::Either(e) => self.map_either(e, f),
            Val::Channel(n) => f(self, n).map(Val::Channel),
            Val::Small(_) | Val::Array(_) => {
                let small = self.small_of(v)?;
                let items = small.items.iter().map(|n| f(self, n)).collect::<Low<Vec<_>>>()?;
                Ok(Val::Small(Small { items, mask: false, ..small }))
            }
            other => refuse!("a function of {}", other.what()),
        }
    }
}
