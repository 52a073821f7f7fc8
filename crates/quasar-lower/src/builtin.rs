//! Built-in functions in kernel code.

use super::function::is_unary;
use super::shape::Amount;
use super::state::Lower;
use super::value::{Length, Num, Small, Val, real_kind};
use super::{Low, refuse};
use quadra_base::Span;
use quadra_kir::{Bounds, Op};
use quadra_quasar_hir::meaning::{Boundary, Fill, Meaning, Measure, Term};
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::quotient::Round;
use quadra_quasar_hir::types::{Fit, IntKind, Type};
use quadra_quasar_syntax::ast::{Arg, Expr, ExprKind};
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::builtins::{Builtin, name_of};

impl Lower<'_> {
    /// A call of a built-in function.
    pub fn builtin(&mut self, row: &'static Builtin, args: &[Arg], outs: usize, span: Span) -> Low<Vec<Val>> {
        let (name, meaning) = (row.facts.name, row.facts.meaning);
        if args.iter().any(|a| a.name.is_some() || matches!(a.value.kind, ExprKind::Spread(_))) {
            refuse!("named or spread arguments of '{name}'");
        }
        let exprs: Vec<&Expr> = args.iter().map(|a| &a.value).collect();
        match meaning {
            Meaning::Shared { .. } => return Ok(vec![self.shared(&Type::SCALAR, args)?]),
            Meaning::Assert => return self.assert(&exprs).map(|()| Vec::new()),
            Meaning::Error => return Ok(self.error()),
            Meaning::TypeOf => refuse!("'{name}' within a kernel"),
            Meaning::Launch => refuse!("a launch within a kernel"),
            _ => {}
        }
        let mut values = Vec::new();
        for e in &exprs {
            values.push(self.expr(e)?);
        }
        self.at(span);
        if matches!(meaning, Meaning::PositionOfNumber | Meaning::NumberOfPosition) {
            return Ok(vec![self.positions(meaning, &values)?]);
        }
        if let (Meaning::Extreme(op), [v], 2) = (meaning, &values[..], outs) {
            return self.extreme_and_place(op, v);
        }
        let v = match self.measure(meaning, &values)? {
            Some(v) => v,
            None => match self.elementary(meaning, &values)? {
                Some(v) => v,
                None => self.reduction(row, &values)?,
            },
        };
        if outs > 1 {
            refuse!("{outs} outputs of '{name}'");
        }
        Ok(vec![v])
    }

    /// `assert(c[, text])`; what bounds shared memory is known from the text of the program.
    fn assert(&mut self, args: &[&Expr]) -> Low<()> {
        let Some(condition) = args.first() else { return Ok(()) };
        self.assume(condition)?;
        let c = self.condition(condition)?;
        self.require(c, "assertion failed");
        Ok(())
    }

    /// Sizes and allocations.
    fn measure(&mut self, meaning: Meaning, args: &[Val]) -> Low<Option<Val>> {
        Ok(Some(match (meaning, args) {
            (Meaning::Measure(Measure::Lengths), [v]) => {
                let mut lengths = self.lengths(v)?;
                if lengths.len() == 1 {
                    lengths.insert(0, self.int(1));
                }
                Val::Small(Small::vector(lengths))
            }
            (Meaning::Measure(Measure::Lengths), [v, Val::Num(k)]) => {
                let lengths = self.lengths(v)?;
                let Some(k) = self.known_int(k) else { refuse!("'size' along a dimension that is not known") };
                Val::Num(usize::try_from(k).ok().and_then(|k| lengths.get(k).copied()).unwrap_or(self.int(1)))
            }
            (Meaning::Measure(Measure::Lengths), [v, Val::Small(list)]) => self.some_lengths(v, list)?,
            (Meaning::Measure(Measure::Elements), [v]) => {
                let mut total = self.int(1);
                let host = std::mem::replace(&mut self.host, false);
                for n in self.lengths(v)? {
                    total = self.binary(Op2::Mul, &total, &n, false)?;
                }
                self.host = host;
                Val::Num(total)
            }
            (Meaning::Measure(Measure::Dimensions), [Val::Num(_)]) => Val::Num(self.int(0)),
            (Meaning::Measure(Measure::Dimensions), [v]) => {
                let n = self.lengths(v)?.len();
                let vector = matches!(v, Val::Array(a) if a.is_vector()) || matches!(v, Val::Small(s) if s.is_vector());
                Val::Num(self.int(if vector { 1 } else { n as i64 }))
            }
            (Meaning::Fill(fill), [_, ..]) => {
                let sizes = self.known_sizes(args)?;
                let one = self.int(i64::from(fill == Fill::Ones));
                let kind = match (fill, self.double) {
                    (Fill::ComplexZeros, false) => Kind::C32,
                    (Fill::ComplexZeros, true) => Kind::C64,
                    _ => self.scalar_kind(),
                };
                let value = self.convert(&one, kind);
                self.filled(&sizes, value)?
            }
            (Meaning::Identity, [_] | [_, _]) => {
                let sizes = self.known_sizes(args)?;
                let (r, c) = (sizes[0], *sizes.last().unwrap_or(&sizes[0]));
                let kind = self.scalar_kind();
                let zero = self.zero(kind);
                let Val::Small(mut s) = self.filled(&[r, c], zero)? else { refuse!("an identity matrix") };
                let one = Num::new(kind, self.float(kind, 1.0));
                (0..r.min(c)).for_each(|i| s.items[i * c + i] = one);
                Val::Small(s)
            }
            _ => return Ok(None),
        }))
    }

    fn some_lengths(&mut self, v: &Val, list: &Small) -> Low<Val> {
        let lengths = self.lengths(v)?;
        let mut items = Vec::new();
        for k in &list.items {
            let Some(k) = self.known_int(k) else { refuse!("'size' along dimensions that are not known") };
            let one = self.int(1);
            items.push(usize::try_from(k).ok().and_then(|k| lengths.get(k).copied()).unwrap_or(one));
        }
        Ok(Val::Small(Small::vector(items)))
    }

    /// The lengths of an array's dimensions; a number has none but 1.
    fn lengths(&mut self, v: &Val) -> Low<Vec<Num>> {
        Ok(match v {
            Val::Num(_) => vec![self.int(1), self.int(1)],
            Val::Channel(_) => vec![self.int(1), self.int(self.pixels.as_ref().map_or(1, |p| p.count))],
            Val::Small(s) => s.shape.iter().map(|n| self.int(*n as i64)).collect(),
            Val::Array(_) | Val::Long(_) => {
                let shape = match v {
                    Val::Long(x) => &x.shape,
                    Val::Array(a) => &a.shape,
                    _ => refuse!("the size of {}", v.what()),
                };
                let mut list = Vec::new();
                for l in shape {
                    let re = self.length(*l);
                    let range = self.length_range(*l);
                    list.push(Num { range: Some(range), ..Num::new(Kind::Int, re) });
                }
                list
            }
            other => refuse!("the size of {}", other.what()),
        })
    }

    /// Dimensions that are known while compiling, given as numbers or as one vector.
    pub fn known_sizes(&mut self, args: &[Val]) -> Low<Vec<usize>> {
        let numbers: Vec<Num> = match args {
            [Val::Num(n)] => vec![*n],
            [v] => self.small_of(v)?.items,
            many => {
                let mut list = Vec::new();
                for v in many {
                    let Val::Num(n) = v else { refuse!("{} as a length", v.what()) };
                    list.push(*n);
                }
                list
            }
        };
        let mut sizes = Vec::new();
        for n in &numbers {
            match self.known_int(n).and_then(|n| usize::try_from(n).ok()) {
                Some(n) => sizes.push(n),
                None => refuse!(Length: "an array whose length is not known while compiling"),
            }
        }
        Ok(sizes)
    }

    /// Row-major numbers to positions and back.
    fn positions(&mut self, meaning: Meaning, args: &[Val]) -> Low<Val> {
        let of_number = meaning == Meaning::PositionOfNumber;
        let [sizes, at] = args else { refuse!("'{}' with other than two arguments", name_of(meaning)) };
        let mut sizes = self.small_of(sizes)?.items;
        if let Some(first) = sizes.first().copied()
            && sizes.len() == 2
            && self.known_int(&first) == Some(1)
        {
            sizes.remove(0);
        } else if let [first, _] = sizes[..]
            && of_number
            && self.known_int(&first).is_none()
            && !self.launch.fits(Amount::Nothing, 2, Length::Given(first.re))
        {
            // The shape of a vector has positions of one component.
            let (first, one) = (self.subscript(&first)?, self.b.i32(1));
            let matrix = self.op(Op::CmpNe, &[first.re, one]);
            self.require(matrix, "the shape of a vector");
        }
        let host = std::mem::replace(&mut self.host, false);
        let result = if of_number { self.position_of(&sizes, at) } else { self.number_of(&sizes, at) };
        self.host = host;
        result
    }

    fn position_of(&mut self, sizes: &[Num], at: &Val) -> Low<Val> {
        let Val::Num(at) = at else { refuse!("the position of {}", at.what()) };
        let mut rest = self.subscript(at)?;
        let mut items = Vec::new();
        for n in sizes[1..].iter().rev() {
            // Lengths below 1 count as 1.
            let (n, one) = (self.subscript(n)?, self.int(1));
            let n =
                if self.bounds(&n).is_some_and(|r| r.low >= 1) { n } else { self.binary(Op2::Max, &n, &one, false)? };
            let (x, y) = (
                self.bounds(&rest).unwrap_or(Bounds::ANY),
                self.bounds(&n).unwrap_or(Bounds::new(1, Bounds::ANY.high)),
            );
            let r = self.op(Op::Mod, &[rest.re, n.re]);
            // Quotients are cut off towards zero, those of negative numbers have to be rounded down.
            let q = if x.is_natural() {
                self.op(Op::Div, &[rest.re, n.re])
            } else {
                let all = self.b.i32(31);
                let sign = self.op(Op::Asr, &[rest.re, all]);
                let size = self.op(Op::Xor, &[rest.re, sign]);
                let q = self.op(Op::Div, &[size, n.re]);
                self.op(Op::Xor, &[q, sign])
            };
            items.push(Num { range: Bounds::of(Op::Mod, 32, x, y), ..Num::new(Kind::Int, r) });
            let range = Bounds { low: x.low.min(0), high: x.high.max(-1) };
            rest = Num { range: Some(range), ..Num::new(Kind::Int, q) };
        }
        items.push(rest);
        items.reverse();
        Ok(Val::Small(Small::vector(items)))
    }

    fn number_of(&mut self, sizes: &[Num], at: &Val) -> Low<Val> {
        let at = self.small_of(at)?.items;
        if at.len() < sizes.len() {
            refuse!("a position with {} components", at.len());
        }
        let mut flat = self.subscript(&at[0])?;
        for (n, i) in sizes.iter().zip(&at).skip(1) {
            let row = self.binary(Op2::Mul, &flat, n, false)?;
            let i = self.subscript(i)?;
            flat = self.binary(Op2::Add, &row, &i, false)?;
        }
        let zero = self.int(0);
        let natural = self.bounds(&flat).is_some_and(|r| r.is_natural());
        Ok(Val::Num(if natural { flat } else { self.binary(Op2::Max, &flat, &zero, false)? }))
    }

    /// Functions that work on every element.
    pub fn elementary(&mut self, meaning: Meaning, args: &[Val]) -> Low<Option<Val>> {
        if let ([Val::Either(e)], true) = (args, is_unary(meaning)) {
            return self.function_of_either(meaning, e).map(Some);
        }
        if let ([v], true) = (args, is_unary(meaning)) {
            return if self.is_long(v) {
                self.map_long(v, move |l, n| l.unary_function(meaning, n)).map(Some)
            } else {
                self.map(v, &mut |l, n| l.unary_function(meaning, n)).map(Some)
            };
        }
        match (meaning, args) {
            (_, [_]) => Ok(None),
            (Meaning::Quotient, [Val::Num(x), Val::Num(y), how @ ..]) => {
                let round = match how {
                    [] => Some(Round::Fix),
                    [Val::Text(name, _)] => Round::named(name),
                    _ => None,
                };
                let Some(round) = round else { return Ok(None) };
                self.quotient_of_whole(x, y, round).map(|n| Some(Val::Num(n)))
            }
            (Meaning::Pair(op) | Meaning::Extreme(op), [a, b]) => self.operate(op, false, a, b, false).map(Some),
            (Meaning::Pair(_) | Meaning::Extreme(_), _) => {
                refuse!("'{}' with {} arguments", name_of(meaning), args.len())
            }
            _ => self.special_functions(meaning, args),
        }
    }

    fn special_functions(&mut self, meaning: Meaning, args: &[Val]) -> Low<Option<Val>> {
        Ok(Some(match (meaning, args) {
            (Meaning::Formula(term), _) => self.formula(term, args)?,
            (Meaning::Boundary(boundary), [x, Val::Num(n)]) => {
                let n = self.subscript(n)?;
                self.map(x, &mut |l, i| l.boundary(boundary, i, &n))?
            }
            (Meaning::Complex, [Val::Num(re), Val::Num(im)]) => {
                let kind = re.kind.promote(im.kind);
                let kind = if kind.is_int() { self.scalar_kind() } else { real_kind(kind) };
                let (re, im) = (self.convert(re, kind), self.convert(im, kind));
                Val::Num(Num::complex(if kind == Kind::F64 { Kind::C64 } else { Kind::C32 }, re.re, im.re))
            }
            (Meaning::Cast, [v, Val::Type(ty)]) => {
                let ty = ty.clone();
                self.cast(v, &ty)?
            }
            (Meaning::CrossProduct, [a, b]) => self.cross(a, b)?,
            _ => return Ok(None),
        }))
    }

    fn formula(&mut self, term: &Term, args: &[Val]) -> Low<Val> {
        Ok(match term {
            Term::Argument(i) => match args.get(*i) {
                Some(v) => v.clone(),
                None => refuse!("a formula of {} arguments", args.len()),
            },
            Term::Map(op, x) => {
                let x = self.formula(x, args)?;
                match self.elementary(Meaning::Map(*op), &[x])? {
                    Some(v) => v,
                    None => refuse!(Call: "it calls '{}'", name_of(Meaning::Map(*op))),
                }
            }
            Term::Pair(op, x, y) => {
                let (x, y) = (self.formula(x, args)?, self.formula(y, args)?);
                self.operate(*op, false, &x, &y, false)?
            }
        })
    }

    fn boundary(&mut self, boundary: Boundary, i: &Num, n: &Num) -> Low<Num> {
        let clamps = boundary == Boundary::Clamp;
        if clamps && matches!(i.kind, Kind::F32 | Kind::F64) {
            // A number that stays one; what is no number becomes 0.
            let (zero, n) = (self.float(i.kind, 0.0), self.convert(n, i.kind));
            let high = self.op(Op::Max, &[i.re, zero]);
            return Ok(Num::new(i.kind, self.op(Op::Min, &[high, n.re])));
        }
        let i = if clamps { self.subscript(i)? } else { self.periodic_subscript(i)? };
        let re = match boundary {
            Boundary::Clamp => {
                let low = self.op(Op::Min, &[i.re, n.re]);
                let zero = self.b.i32(0);
                self.op(Op::Max, &[low, zero])
            }
            Boundary::Periodize => self.wrapped(&i, n.re).re,
            Boundary::Mirror => self.mirrored(&i, n.re),
        };
        Ok(Num::new(Kind::Int, re))
    }

    fn cross(&mut self, a: &Val, b: &Val) -> Low<Val> {
        let (x, y) = (self.small_of(a)?.items, self.small_of(b)?.items);
        if x.len() != 3 || y.len() != 3 {
            refuse!("the cross product of vectors that do not have three elements");
        }
        let mut items = Vec::new();
        for (i, j) in [(1, 2), (2, 0), (0, 1)] {
            let p = self.binary(Op2::Mul, &x[i], &y[j], false)?;
            let q = self.binary(Op2::Mul, &x[j], &y[i], false)?;
            items.push(self.binary(Op2::Sub, &p, &q, false)?);
        }
        Ok(Val::Small(Small::vector(items)))
    }

    /// Functions of all elements.
    fn reduction(&mut self, row: &Builtin, args: &[Val]) -> Low<Val> {
        let meaning = row.facts.meaning;
        if args.iter().any(|v| self.is_long(v)) {
            if let (Meaning::Transpose, [v]) = (meaning, args) {
                return self.transpose_long(v);
            }
            if let Some(v) = self.reduce_long(meaning, args)? {
                return Ok(v);
            }
        }
        Ok(match (meaning, args) {
            (Meaning::Sum, [v]) => Val::Num(self.fold(Op2::Add, v)?),
            (Meaning::Product, [v]) => Val::Num(self.fold(Op2::Mul, v)?),
            (Meaning::Extreme(op), [v]) => Val::Num(self.fold(op, v)?),
            (Meaning::Mean, [v]) => {
                let count = self.small_of(v)?.items.len();
                let sum = self.fold(Op2::Add, v)?;
                let n = self.int(count as i64);
                Val::Num(self.binary(Op2::Div, &sum, &n, false)?)
            }
            (Meaning::DotProduct, [a, b]) => Val::Num(self.dot(a, b)?),
            (Meaning::Norm, [v]) => {
                let square = self.dot(v, v)?;
                let square = self.float_of(&square);
                Val::Num(Num::new(square.kind, self.op(Op::Sqrt, &[square.re])))
            }
            (Meaning::Truth { all }, [v]) => {
                let small = self.small_of(v)?;
                let mut result = self.known_bool(all).re;
                for n in &small.items {
                    let t = self.is_true(n)?;
                    result = self.op(if all { Op::And } else { Op::Or }, &[result, t]);
                }
                Val::Num(self.truth(result))
            }
            (Meaning::Transpose, [v]) => {
                let s = self.small_of(v)?;
                let [m, n] = s.shape[..] else { refuse!("the transpose of an array with three dimensions") };
                let items = (0..n).flat_map(|j| (0..m).map(move |i| i * n + j)).map(|at| s.items[at]).collect();
                Val::Small(Small { shape: vec![n, m], items, mask: false })
            }
            (Meaning::Limit { greatest }, [Val::Type(ty)]) => self.limit(row.facts.name, greatest, &ty.clone())?,
            _ => refuse!(Call: "it calls '{}'", row.facts.name),
        })
    }

    fn limit(&mut self, name: &str, greatest: bool, ty: &Type) -> Low<Val> {
        Ok(Val::Num(match ty {
            Type::Int(kind, _) if kind.bits() <= 32 && *kind != IntKind::U32 => {
                let (low, high) = kind.range();
                self.int(if greatest { high } else { low } as i64)
            }
            Type::Scalar(_) => {
                let Some(kind) = self.kind_of_type(ty) else { refuse!("'{name}' of '{ty}'") };
                let most = if kind == Kind::F64 { f64::MAX } else { f64::from(f32::MAX) };
                Num::new(kind, self.float(kind, if greatest { most } else { -most }))
            }
            _ => refuse!("'{name}' of '{ty}'"),
        }))
    }

    /// Memory of the block.
    pub fn shared(&mut self, element: &Type, args: &[Arg]) -> Low<Val> {
        if self.together.as_ref().is_some_and(|t| t.item.is_some()) {
            refuse!("the size of shared memory, or whether there is any, depends on what items assign");
        }
        if self.depth > 0 {
            refuse!("shared memory is allocated in a branch or loop");
        }
        let mut sizes = Vec::new();
        for arg in args {
            sizes.extend(self.bounded(&arg.value)?);
        }
        self.grouped()?;
        if sizes.len() == 1 {
            sizes.insert(0, (Length::Known(1), 1));
        }
        let capacity: usize = sizes.iter().map(|s| s.1).product();
        let element = match element {
            Type::Int(IntKind::U64, _) => refuse!(Width: "unsigned integers of 64 bits"),
            Type::Int(kind, _) => super::value::Element::Int(*kind),
            other => match self.kind_of_type(other) {
                Some(k @ (Kind::F32 | Kind::F64)) => super::value::Element::Float(super::value::elem_of(k)),
                Some(k @ (Kind::C32 | Kind::C64)) => super::value::Element::Complex(super::value::elem_of(k)),
                _ => refuse!("shared memory of '{other}'"),
            },
        };
        let len = capacity.saturating_mul(element.parts());
        self.shared_bytes = self.shared_bytes.saturating_add(len.saturating_mul(element.storage().bytes() as usize));
        if self.shared_bytes > quadra_quasar_vm::builtins::kernel::SHARED_LIMIT {
            refuse!("{} bytes of shared memory", self.shared_bytes);
        }
        let name = self.hint.as_ref().map_or_else(|| "memory".to_string(), |n| n.to_string());
        let (buf, base) = if self.together.is_some() {
            let buf = self.block_array(&name, len, element.storage());
            (buf, self.block_base(buf, len)?)
        } else {
            (self.b.kernel().add_shared(&name, element.storage(), vec![len as u32]), None)
        };
        let shape = sizes.into_iter().map(|s| s.0).collect();
        let array = super::value::ArrayRef { buf, base, shape, element, fit: Fit::Unchecked, shared: true };
        Ok(Val::Array(std::rc::Rc::new(array)))
    }
}
