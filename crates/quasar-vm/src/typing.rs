//! Types of values: naming them, testing membership, and the conversions of argument passing and typed assignment.

use super::display;
use super::fault::{Fault, Res, fault};
use super::tensor::{Data, Tensor};
use super::value::{Callable, Value};
use quadra_quasar_hir::types::{CallableType, Dim, Fit, IntKind, Precision, Rank, Type};
use quadra_quasar_syntax::ast::{FunctionKind, Text};
use std::rc::Rc;

fn single(double: bool) -> Precision {
    if double { Precision::Single } else { Precision::Default }
}

fn double_precision(double: bool) -> Precision {
    if double { Precision::Default } else { Precision::Double }
}

/// The element type of an array.
pub fn element_type(t: &Tensor, double: bool) -> Type {
    match &*t.data.peek() {
        Data::F32(_) => Type::Scalar(single(double)),
        Data::F64(_) => Type::Scalar(double_precision(double)),
        Data::F16(_) => Type::Scalar(Precision::Half),
        Data::C32(_) => Type::Complex(single(double)),
        Data::C64(_) => Type::Complex(double_precision(double)),
        Data::Cell(_) => t.cell_type.as_deref().cloned().unwrap_or(Type::Any),
        data => Type::Int(data.int_kind().unwrap_or(IntKind::Int), t.fit),
    }
}

/// The type of a value.
pub fn type_of(v: &Value, double: bool) -> Type {
    match v {
        Value::Int(_) => Type::INT,
        Value::F32(_) => Type::Scalar(single(double)),
        Value::F64(_) => Type::Scalar(double_precision(double)),
        Value::F16(_) => Type::Scalar(Precision::Half),
        Value::C32(_) => Type::Complex(single(double)),
        Value::C64(_) => Type::Complex(double_precision(double)),
        Value::IntN(kind, _) => Type::Int(*kind, Fit::Checked),
        Value::Str(_) => Type::Str,
        Value::Array(t) => Type::array(t.rank().min(16) as u8, element_type(t, double)),
        Value::Object(o) => o.class.clone().map_or(Type::Object, Type::Class),
        Value::Null => Type::NullPointer,
        Value::Function(f) => match kind_of(f) {
            FunctionKind::Kernel => Type::KernelFunction,
            _ => Type::Function,
        },
        _ => Type::Any,
    }
}

/// The types of the parameters and results of a function that was defined, `??` where it says none. Lambda expressions and built-in
/// functions have no signature.
pub fn signature(f: &Callable) -> Option<Type> {
    let Callable::Closure(c) = f else { return None };
    let code = &c.code;
    // Of kernels the specification has the word alone.
    if code.lambda || code.kind == FunctionKind::Kernel {
        return None;
    }
    let any = |ty: &Option<Type>| ty.clone().unwrap_or(Type::Any);
    Some(Type::Callable(Rc::new(CallableType {
        kind: code.kind,
        params: code.params.iter().map(|p| (p.variadic, any(&p.ty))).collect(),
        results: code.outputs.iter().map(|o| any(&o.2)).collect(),
    })))
}

/// Host, device or kernel.
pub fn kind_of(f: &Callable) -> FunctionKind {
    match f {
        Callable::Closure(c) => c.code.kind,
        Callable::Builtin(_) => FunctionKind::Host,
        Callable::Overloads(list) => list.first().map_or(FunctionKind::Host, |f| kind_of(f)),
    }
}

/// Whether sizes agree with the constraint of an array type.
fn dims_fit(t: &Tensor, rank: Rank, dims: &[Dim]) -> bool {
    let vector = matches!(rank, Rank::Fixed(1));
    dims.iter().enumerate().all(|(i, dim)| match dim {
        Dim::Size(n) => t.shape.get(if vector { i + 1 } else { i }).copied().unwrap_or(1) == *n,
        _ => true,
    })
}

fn same_element(have: &Type, want: &Type) -> bool {
    match (have, want) {
        (Type::Int(a, _), Type::Int(b, _)) => a == b,
        (_, Type::Param(_)) => true,
        _ => have.same(want),
    }
}

fn same_precision(have: Precision, want: Precision, double: bool) -> bool {
    let normal = |p| match p {
        Precision::Single if !double => Precision::Default,
        Precision::Double if double => Precision::Default,
        p => p,
    };
    normal(have) == normal(want)
}

/// `type(x, T)`: whether the value belongs to the type.
pub fn belongs(v: &Value, ty: &Type, double: bool) -> bool {
    match (v, ty) {
        (_, Type::Any | Type::Param(_)) => true,
        (Value::Int(_) | Value::IntN(..), Type::Scalar(_)) => true,
        (v, Type::Scalar(p)) => matches!(type_of(v, double), Type::Scalar(q) if same_precision(q, *p, double)),
        (v, Type::Complex(p)) => matches!(type_of(v, double), Type::Complex(q) if same_precision(q, *p, double)),
        (Value::Int(_), Type::Int(k, _)) => *k == IntKind::Int,
        (Value::IntN(k, _), Type::Int(l, _)) => k == l,
        (Value::Str(_), Type::Str) => true,
        (Value::Array(t), Type::Array { rank, element, dims }) => {
            let rank_fits = match rank {
                Rank::Any => true,
                Rank::Fixed(r) => t.rank() <= usize::from(*r),
            };
            let have = element_type(t, double);
            let element_fits = same_element(&have, element) || precision_same(&have, element, double);
            rank_fits && element_fits && dims_fit(t, *rank, dims)
        }
        (Value::Object(o), Type::Object) => o.class.is_none(),
        (Value::Object(o), Type::Class(c) | Type::Pointer(c)) => o.class.as_ref().is_some_and(|d| Rc::ptr_eq(d, c)),
        (Value::Null, Type::Pointer(_) | Type::NullPointer) => true,
        (Value::Function(f), Type::Function) => kind_of(f) != FunctionKind::Kernel,
        (Value::Function(_), Type::LambdaExpr) => true,
        (Value::Function(f), Type::KernelFunction) => kind_of(f) == FunctionKind::Kernel,
        (Value::Function(f), Type::Callable(c)) => callable_fits(f, c),
        _ => false,
    }
}

fn precision_same(have: &Type, want: &Type, double: bool) -> bool {
    match (have, want) {
        (Type::Scalar(a), Type::Scalar(b)) | (Type::Complex(a), Type::Complex(b)) => same_precision(*a, *b, double),
        _ => false,
    }
}

/// Whether a function can stand where a function type is wanted: kind, number of parameters, and declared parameter types.
fn callable_fits(f: &Callable, want: &CallableType) -> bool {
    match f {
        Callable::Overloads(list) => list.iter().any(|f| callable_fits(f, want)),
        Callable::Builtin(_) => want.kind == FunctionKind::Host,
        Callable::Closure(c) => {
            let code = &c.code;
            let kind = match want.kind {
                FunctionKind::Host => code.kind != FunctionKind::Kernel,
                kind => code.kind == kind,
            };
            let spread = want.params.iter().any(|p| p.0);
            if spread {
                return kind && code.params.last().is_some_and(|p| p.variadic);
            }
            let required = code.params.iter().filter(|p| !p.optional && !p.variadic).count();
            let variadic = code.params.iter().any(|p| p.variadic);
            let count = want.params.len() >= required && (variadic || want.params.len() <= code.params.len());
            let types = code.params.iter().zip(&want.params).all(|(p, (_, w))| match &p.ty {
                Some(Type::Any | Type::Param(_)) | None => true,
                Some(ty) => quadra_quasar_hir::types::is_subtype(w, ty) || matches!(w, Type::Any) || numbers(w, ty),
            });
            kind && count && types
        }
    }
}

fn numbers(a: &Type, b: &Type) -> bool {
    matches!((a, b), (Type::Int(..), Type::Scalar(_) | Type::Complex(_)) | (Type::Scalar(_), Type::Complex(_)))
}

/// Fits an exact integer to an integer type.
pub fn fit_int(value: i128, kind: IntKind, fit: Fit) -> Res<i64> {
    let (low, high) = kind.range();
    if (low..=high).contains(&value) {
        return Ok(value as i64);
    }
    match fit {
        Fit::Sat => Ok(value.clamp(low, high) as i64),
        Fit::Unchecked => {
            let bits = kind.bits();
            let wrapped = value & ((1i128 << bits) - 1);
            Ok(if low < 0 && wrapped > high { (wrapped - (1i128 << bits)) as i64 } else { wrapped as i64 })
        }
        Fit::Checked => fault!(
            "Q0330", "value {value} does not fit in {}", kind.name();
            format!("use {}'sat to clip, {}'unchecked to wrap, or a wider type", kind.name(), kind.name())
        ),
    }
}

/// Truncates a float and fits it to an integer type.
pub fn fit_float(x: f64, kind: IntKind, fit: Fit) -> Res<i64> {
    if x.is_nan() {
        if fit == Fit::Checked {
            fault!("Q0330", "value NaN does not fit in {}", kind.name(); "test with isnan(x) first");
        }
        return Ok(0);
    }
    if x.is_infinite() && fit == Fit::Checked {
        fault!("Q0330", "value {} does not fit in {}", display::real(x), kind.name(); "check for a division by 0");
    }
    fit_int(x.trunc() as i128, kind, fit)
}

fn int_value(kind: IntKind, v: i64) -> Value {
    if kind == IntKind::Int { Value::Int(v as i32) } else { Value::IntN(kind, v) }
}

pub(crate) fn exact(v: &Value) -> Option<i128> {
    match v {
        Value::IntN(IntKind::U64, x) => Some(i128::from(*x as u64)),
        Value::Int(_) | Value::IntN(..) | Value::Raw(_) => v.as_index().map(i128::from),
        _ => None,
    }
}

/// A float in a precision.
pub fn float_value(x: f64, p: Precision, double: bool) -> Value {
    match p {
        Precision::Default => Value::scalar(x, double),
        Precision::Half => Value::F16(super::scalar_ops::round_half(x as f32)),
        Precision::Single => Value::F32(x as f32),
        Precision::Double => Value::F64(x),
    }
}

fn complex_value(z: [f64; 2], p: Precision, double: bool) -> Value {
    Value::complex(z[0], z[1], p == Precision::Double || (p == Precision::Default && double))
}

/// Explicit conversion of a number (or text) to a number type, as `int(x)` and `cast(x, T)` do.
pub fn convert(v: &Value, ty: &Type, double: bool) -> Res<Value> {
    let wrong = || {
        let from = type_of(v, double);
        Err(Fault::new("Q0331", format!("a '{from}' cannot be converted to '{ty}'"))
            .help("use real(z) or abs(z) for complex numbers, str2num(s) for text"))
    };
    match (v, ty) {
        (_, Type::Any) => Ok(v.clone()),
        (Value::Array(t), Type::Array { element, .. }) => Ok(Value::Array(convert_elements(t, element, double)?)),
        (Value::Array(t), Type::Int(..) | Type::Scalar(_) | Type::Complex(_)) => {
            Ok(Value::Array(convert_elements(t, ty, double)?))
        }
        (Value::Str(s), Type::Int(..) | Type::Scalar(_)) => match s.trim().parse::<f64>() {
            Ok(x) => convert(&Value::F64(x), ty, double),
            Err(_) => {
                fault!("Q0332", "\"{s}\" is not a number"; "write digits with an optional sign, point and exponent")
            }
        },
        (v, Type::Int(kind, fit)) => match (exact(v), v.as_f64()) {
            (Some(x), _) => Ok(int_value(*kind, fit_int(x, *kind, *fit)?)),
            (_, Some(x)) => Ok(int_value(*kind, fit_float(x, *kind, *fit)?)),
            _ => wrong(),
        },
        (v, Type::Scalar(p)) => match v.as_f64() {
            Some(x) => Ok(float_value(x, *p, double)),
            None => wrong(),
        },
        (v, Type::Complex(p)) => match v.as_complex() {
            Some(z) => Ok(complex_value(z, *p, double)),
            None => wrong(),
        },
        (v, Type::Str) => Ok(Value::str(&display::value(v))),
        (v, ty) if belongs(v, ty, double) => Ok(v.clone()),
        _ => wrong(),
    }
}

/// A copy of an array with another element type.
pub fn convert_elements(t: &Tensor, element: &Type, double: bool) -> Res<Rc<Tensor>> {
    let out = Tensor::zeros(t.shape.clone(), element, double)?;
    if let Some(data) = super::exact::converted(&t.data.borrow(), &out.data.peek()) {
        let (fit, cell_type) = (out.fit, out.cell_type.clone());
        return Ok(Rc::new(Tensor::new(t.shape.clone(), data).with_fit(fit).with_cell_type(cell_type)));
    }
    {
        let source = t.data.borrow();
        let mut target = out.data.borrow_mut();
        for i in 0..t.len() {
            let v = source.get(i).unwrap_or_default();
            if super::store::put(&mut target, i, &v, out.fit)? == super::store::Put::Refused {
                let from = element_type(t, double);
                fault!("Q0331", "'{from}' elements cannot be converted to '{element}'"; "use real(z) or abs(z) first");
            }
        }
    }
    Ok(Rc::new(out))
}

/// Arrays of so many elements become integers where whole numbers do, as arrays of fixed size do.
const SMALL: usize = 64;

/// The integer that a float is, if it is one and the type has it.
fn whole(x: f64, kind: IntKind) -> Option<i64> {
    let (low, high) = kind.range();
    // Beyond 2^64 the conversion ends at a bound of the wider type, outside of each range.
    (x.fract() == 0.0 && (low..=high).contains(&(x as i128))).then_some(x as i128 as i64)
}

/// Whether a small or fixed-size array of floats holds nothing but integers of an element type.
fn all_whole(t: &Tensor, element: &Type, dims: &[Dim]) -> bool {
    let Type::Int(kind, _) = element else { return false };
    let fixed = !dims.is_empty() && dims.iter().all(|d| matches!(d, Dim::Size(_)));
    if !(fixed || t.len() <= SMALL) {
        return false;
    }
    let data = t.data.borrow();
    let floats = matches!(*data, Data::F32(_) | Data::F64(_) | Data::F16(_));
    let one = |i: usize| data.get(i).and_then(|v| v.as_f64()).and_then(|x| whole(x, *kind));
    floats && (0..data.len()).all(|i| one(i).is_some())
}

/// Whole numbers as integers: a number, or the elements of an array; nothing if one is not whole.
pub fn whole_numbers(v: &Value) -> Res<Option<Value>> {
    match v {
        Value::Array(t) if t.is_cell() => Ok(None),
        Value::Array(t) => {
            let data = t.data.borrow();
            let one = |i: usize| {
                let v = data.get(i)?;
                if v.is_integer() { v.as_index() } else { v.as_f64().and_then(|x| whole(x, IntKind::Int)) }
            };
            let all: Option<Vec<i32>> = (0..data.len()).map(|i| one(i).and_then(|x| i32::try_from(x).ok())).collect();
            Ok(all.map(|list| Value::array(Tensor::new(t.shape.clone(), Data::Int(list)))))
        }
        v if v.is_integer() => Ok(Some(v.clone())),
        v if v.is_float() => Ok(v.as_f64().and_then(|x| whole(x, IntKind::Int)).map(|i| Value::Int(i as i32))),
        _ => Ok(None),
    }
}

/// What a typed parameter, variable or field makes of a value: the value, a converted one, or nothing if the type does not
/// admit it. `host_param`: a number becomes a 1×1 array where an unconstrained array is wanted.
pub fn admit(v: &Value, ty: &Type, double: bool, host_param: bool) -> Res<Option<Value>> {
    Ok(Some(match (v, ty) {
        (_, Type::Any | Type::Param(_)) => v.clone(),
        (_, Type::Scalar(p)) if v.is_integer() || v.is_float() => float_value(v.as_f64().unwrap_or(0.0), *p, double),
        (_, Type::Complex(p)) if v.is_number() => complex_value(v.as_complex().unwrap_or_default(), *p, double),
        (_, Type::Int(kind, fit)) if v.is_integer() => int_value(*kind, fit_int(exact(v).unwrap_or(0), *kind, *fit)?),
        (_, Type::Int(kind, _)) if v.is_float() => match v.as_f64().and_then(|x| whole(x, *kind)) {
            Some(i) => int_value(*kind, i),
            None => return Ok(None),
        },
        (Value::Array(t), Type::Array { rank, element, dims }) => {
            if belongs(v, ty, double) {
                return Ok(Some(v.clone()));
            }
            let have = element_type(t, double);
            let free = Type::Array { rank: *rank, element: Rc::new(have.clone()), dims: dims.clone() };
            let convertible = matches!(
                (&have, &**element),
                (Type::Int(IntKind::Int, _), Type::Scalar(_)) | (Type::Scalar(_), Type::Scalar(_))
            );
            // An empty literal has no element type of its own.
            let empty = t.is_empty() && !t.is_cell();
            let whole = all_whole(t, element, dims);
            if (convertible || empty || whole) && belongs(v, &free, double) {
                return Ok(Some(Value::Array(convert_elements(t, element, double)?)));
            }
            return Ok(None);
        }
        (v, Type::Array { dims, element, .. }) if host_param && v.is_number() && dims.is_empty() => {
            let one = Tensor::zeros(super::tensor::normal_shape(&[1]), element, double)?;
            let put = super::store::put(&mut one.data.borrow_mut(), 0, v, one.fit)?;
            if put == super::store::Put::Refused {
                return Ok(None);
            }
            Value::array(one)
        }
        _ if belongs(v, ty, double) => v.clone(),
        _ => return Ok(None),
    }))
}

/// Type and size parameters bound so far in a call.
pub type Bindings = Vec<(Text, Value)>;

/// Binds the type and size parameters of `ty` to what the value has. `None`: the value contradicts an earlier binding.
pub fn bind(v: &Value, ty: &Type, bindings: &mut Bindings, double: bool) -> Option<()> {
    let Type::Array { rank, element, dims } = ty else {
        if let Type::Param(name) = ty {
            return bind_one(name, Value::Type(Rc::new(type_of(v, double))), bindings);
        }
        return Some(());
    };
    let Value::Array(t) = v else { return Some(()) };
    if let Type::Param(name) = &**element {
        bind_one(name, Value::Type(Rc::new(element_type(t, double))), bindings)?;
    }
    for (i, dim) in dims.iter().enumerate() {
        if let Dim::Param(name) = dim {
            let at = if matches!(rank, Rank::Fixed(1)) { i + 1 } else { i };
            bind_one(name, Value::size(t.shape.get(at).copied().unwrap_or(1)), bindings)?;
        }
    }
    Some(())
}

fn bind_one(name: &Text, value: Value, bindings: &mut Bindings) -> Option<()> {
    match bindings.iter().find(|(n, _)| n == name) {
        None => bindings.push((name.clone(), value)),
        Some((_, old)) => {
            let same = match (old, &value) {
                (Value::Type(a), Value::Type(b)) => a.same(b),
                (a, b) => a.as_index() == b.as_index(),
            };
            if !same {
                return None;
            }
        }
    }
    Some(())
}

/// Replaces type and size parameters by what they are bound to.
pub fn substitute(ty: &Type, lookup: &dyn Fn(&str) -> Option<Value>) -> Type {
    match ty {
        Type::Param(name) => match lookup(name) {
            Some(Value::Type(t)) => (*t).clone(),
            _ => Type::Unknown(name.clone()),
        },
        Type::Array { rank, element, dims } => Type::Array {
            rank: *rank,
            element: Rc::new(substitute(element, lookup)),
            dims: dims
                .iter()
                .map(|d| match d {
                    Dim::Param(p) => lookup(p).and_then(|v| v.as_index()).map_or(Dim::Any, |n| Dim::Size(n as usize)),
                    other => other.clone(),
                })
                .collect(),
        },
        other => other.clone(),
    }
}
