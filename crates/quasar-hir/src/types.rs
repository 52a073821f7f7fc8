//! The types of the language: how they are named, printed and related.

use quadra_quasar_syntax::ast::{FunctionKind, Text};
use std::fmt;
use std::rc::Rc;

/// Types of the variables at a point of the program; none where a type is not known.
pub type Env = quadra_base::quick::Map<Text, Option<Type>>;

/// Width and sign of an integer type. `Int` is the language's `int`, 32 bits, and differs from `I32` as an element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntKind {
    Int,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
}

impl IntKind {
    pub const ALL: [(IntKind, &'static str); 9] = [
        (IntKind::Int, "int"),
        (IntKind::I8, "int8"),
        (IntKind::I16, "int16"),
        (IntKind::I32, "int32"),
        (IntKind::I64, "int64"),
        (IntKind::U8, "uint8"),
        (IntKind::U16, "uint16"),
        (IntKind::U32, "uint32"),
        (IntKind::U64, "uint64"),
    ];

    /// As written in programs.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(k, _)| *k == self).map_or("int", |(_, n)| n)
    }

    /// Least and greatest value.
    pub fn range(self) -> (i128, i128) {
        match self {
            IntKind::Int | IntKind::I32 => (i32::MIN.into(), i32::MAX.into()),
            IntKind::I8 => (i8::MIN.into(), i8::MAX.into()),
            IntKind::I16 => (i16::MIN.into(), i16::MAX.into()),
            IntKind::I64 => (i64::MIN.into(), i64::MAX.into()),
            IntKind::U8 => (0, u8::MAX.into()),
            IntKind::U16 => (0, u16::MAX.into()),
            IntKind::U32 => (0, u32::MAX.into()),
            IntKind::U64 => (0, u64::MAX.into()),
        }
    }

    pub fn bits(self) -> u32 {
        match self {
            IntKind::I8 | IntKind::U8 => 8,
            IntKind::I16 | IntKind::U16 => 16,
            IntKind::Int | IntKind::I32 | IntKind::U32 => 32,
            IntKind::I64 | IntKind::U64 => 64,
        }
    }
}

/// How a value is fitted to an integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fit {
    Checked,
    Sat,
    Unchecked,
}

/// Precision of a floating-point type: `Default` is `scalar`, which single or double stands for, as the program is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    Default,
    Half,
    Single,
    Double,
}

impl Precision {
    fn suffix(self) -> &'static str {
        match self {
            Precision::Default => "",
            Precision::Half => "'half",
            Precision::Single => "'single",
            Precision::Double => "'double",
        }
    }
}

/// What reads and writes outside an array do. It belongs to the variable, not to the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    Checked,
    Safe,
    Circular,
    Mirror,
    Clamped,
    Unchecked,
}

/// Number of dimensions of an array type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rank {
    Fixed(u8),
    Any,
}

/// A length in an array type.
#[derive(Clone, Debug, PartialEq)]
pub enum Dim {
    Any,
    Size(usize),
    /// A size parameter of a generic function.
    Param(Text),
}

/// A class after resolution.
#[derive(Debug)]
pub struct ClassDef {
    pub name: Text,
    pub mutable: bool,
    pub dynamic: bool,
    /// Filled once all type definitions are known, because classes may refer to each other.
    pub fields: std::cell::RefCell<Vec<(Text, Type)>>,
}

/// A type.
#[derive(Clone, Debug)]
pub enum Type {
    /// `??`.
    Any,
    Int(IntKind, Fit),
    Scalar(Precision),
    Complex(Precision),
    Str,
    Array {
        rank: Rank,
        element: Rc<Type>,
        /// Sizes, one per dimension; empty without constraint.
        dims: Vec<Dim>,
    },
    Object,
    Function,
    LambdaExpr,
    KernelFunction,
    Callable(Rc<CallableType>),
    Class(Rc<ClassDef>),
    Pointer(Rc<ClassDef>),
    NullPointer,
    /// A type parameter of a generic function.
    Param(Text),
    /// A name that nothing defines: an error where it is used.
    Unknown(Text),
}

/// `[kind (params) -> (results)]`.
#[derive(Clone, Debug)]
pub struct CallableType {
    pub kind: FunctionKind,
    pub params: Vec<(bool, Type)>,
    pub results: Vec<Type>,
}

impl Type {
    /// The type of numbers that a name stands for in the language.
    pub fn of_numbers(name: &str) -> Option<Type> {
        match name {
            "scalar" => Some(Type::SCALAR),
            "cscalar" => Some(Type::COMPLEX),
            _ => IntKind::ALL.iter().find(|k| k.1 == name).map(|k| Type::Int(k.0, Fit::Checked)),
        }
    }

    pub const INT: Type = Type::Int(IntKind::Int, Fit::Checked);
    pub const SCALAR: Type = Type::Scalar(Precision::Default);
    pub const COMPLEX: Type = Type::Complex(Precision::Default);

    /// An array type without size constraint.
    pub fn array(rank: u8, element: Type) -> Type {
        Type::Array { rank: Rank::Fixed(rank), element: Rc::new(element), dims: Vec::new() }
    }

    pub fn is_number(&self) -> bool {
        matches!(self, Type::Int(..) | Type::Scalar(_) | Type::Complex(_))
    }

    /// Whether two types are the same.
    pub fn same(&self, other: &Type) -> bool {
        match (self, other) {
            (Type::Array { rank: r, element: e, dims: d }, Type::Array { rank: s, element: f, dims: g }) => {
                r == s && e.same(f) && (d == g || d.iter().chain(g).all(|d| *d == Dim::Any))
            }
            (Type::Class(a), Type::Class(b)) | (Type::Pointer(a), Type::Pointer(b)) => Rc::ptr_eq(a, b),
            (Type::Callable(a), Type::Callable(b)) => {
                a.kind == b.kind
                    && a.params.len() == b.params.len()
                    && a.results.len() == b.results.len()
                    && a.params.iter().zip(&b.params).all(|(x, y)| x.0 == y.0 && x.1.same(&y.1))
                    && a.results.iter().zip(&b.results).all(|(x, y)| x.same(y))
            }
            (Type::Any, Type::Any)
            | (Type::Str, Type::Str)
            | (Type::Object, Type::Object)
            | (Type::Function, Type::Function)
            | (Type::LambdaExpr, Type::LambdaExpr)
            | (Type::KernelFunction, Type::KernelFunction)
            | (Type::NullPointer, Type::NullPointer) => true,
            (Type::Int(a, f), Type::Int(b, g)) => a == b && f == g,
            (Type::Scalar(a), Type::Scalar(b)) | (Type::Complex(a), Type::Complex(b)) => a == b,
            (Type::Param(a), Type::Param(b)) | (Type::Unknown(a), Type::Unknown(b)) => a == b,
            _ => false,
        }
    }

    /// The name of an undefined type that this type mentions.
    pub fn unknown_name(&self) -> Option<Text> {
        match self {
            Type::Unknown(name) => Some(name.clone()),
            Type::Array { element, .. } => element.unknown_name(),
            Type::Callable(c) => c.params.iter().map(|p| &p.1).chain(&c.results).find_map(Type::unknown_name),
            _ => None,
        }
    }

    /// Whether the type or a part of it is a type or size parameter.
    pub fn is_generic(&self) -> bool {
        match self {
            Type::Param(_) => true,
            Type::Array { element, dims, .. } => {
                element.is_generic() || dims.iter().any(|d| matches!(d, Dim::Param(_)))
            }
            _ => false,
        }
    }
}

/// `vec`, `mat`, `cube` and `cube{n}` with the prefix that names the element.
fn array_name(f: &mut fmt::Formatter<'_>, rank: Rank, element: &Type) -> fmt::Result {
    let prefix = if matches!(element, Type::Complex(Precision::Default)) { "c" } else { "" };
    match rank {
        Rank::Fixed(0 | 1) => write!(f, "{prefix}vec"),
        Rank::Fixed(2) => write!(f, "{prefix}mat"),
        Rank::Fixed(3) => write!(f, "{prefix}cube"),
        Rank::Fixed(n) => write!(f, "{prefix}cube{{{n}}}"),
        Rank::Any => write!(f, "{prefix}cube{{:}}"),
    }
}

fn list(f: &mut fmt::Formatter<'_>, types: &mut dyn Iterator<Item = (bool, &Type)>, count: usize) -> fmt::Result {
    if count != 1 {
        f.write_str("(")?;
    }
    for (i, (spread, ty)) in types.enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{}{ty}", if spread { "..." } else { "" })?;
    }
    if count != 1 {
        f.write_str(")")?;
    }
    Ok(())
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Any => f.write_str("??"),
            Type::Int(kind, fit) => {
                f.write_str(kind.name())?;
                f.write_str(match fit {
                    Fit::Checked => "",
                    Fit::Sat => "'sat",
                    Fit::Unchecked => "'unchecked",
                })
            }
            Type::Scalar(p) => write!(f, "scalar{}", p.suffix()),
            Type::Complex(p) => write!(f, "cscalar{}", p.suffix()),
            Type::Str => f.write_str("string"),
            Type::Array { rank, element, dims } => {
                array_name(f, *rank, element)?;
                if dims.iter().any(|d| *d != Dim::Any) {
                    f.write_str("(")?;
                    for (i, dim) in dims.iter().enumerate() {
                        let comma = if i > 0 { "," } else { "" };
                        match dim {
                            Dim::Any => write!(f, "{comma}:")?,
                            Dim::Size(n) => write!(f, "{comma}{n}")?,
                            Dim::Param(p) => write!(f, "{comma}{p}")?,
                        }
                    }
                    f.write_str(")")?;
                }
                match &**element {
                    Type::Scalar(Precision::Default) | Type::Complex(Precision::Default) => Ok(()),
                    other => write!(f, "[{other}]"),
                }
            }
            Type::Object => f.write_str("object"),
            Type::Function => f.write_str("function"),
            Type::LambdaExpr => f.write_str("lambda_expr"),
            Type::KernelFunction => f.write_str("kernel_function"),
            Type::Callable(c) => {
                f.write_str("[")?;
                match c.kind {
                    FunctionKind::Device => f.write_str("__device__ ")?,
                    FunctionKind::Kernel => f.write_str("__kernel__ ")?,
                    FunctionKind::Host => {}
                }
                list(f, &mut c.params.iter().map(|(s, t)| (*s, t)), c.params.len())?;
                f.write_str(" -> ")?;
                list(f, &mut c.results.iter().map(|t| (false, t)), c.results.len())?;
                f.write_str("]")
            }
            Type::Class(class) => f.write_str(&class.name),
            Type::Pointer(class) => write!(f, "^{}", class.name),
            Type::NullPointer => f.write_str("nullptr"),
            Type::Param(name) | Type::Unknown(name) => f.write_str(name),
        }
    }
}

/// The subtype relation: `vec ⊂ mat ⊂ cube ⊂ …` for one element type, everything within `??`, fixed sizes within free ones.
/// Numbers are handled where values are known, since an `int` value also belongs to `scalar`.
pub fn is_subtype(sub: &Type, sup: &Type) -> bool {
    match (sub, sup) {
        (_, Type::Any) => true,
        (Type::Array { rank: r, element: e, dims: d }, Type::Array { rank: s, element: f, dims: g }) => {
            let rank = match (r, s) {
                (_, Rank::Any) => true,
                (Rank::Any, Rank::Fixed(_)) => false,
                (Rank::Fixed(a), Rank::Fixed(b)) => a <= b,
            };
            let sizes = g.iter().enumerate().all(|(i, want)| match want {
                Dim::Size(n) => d.get(i).is_some_and(|have| *have == Dim::Size(*n)),
                _ => true,
            });
            rank && sizes && e.same(f)
        }
        (Type::NullPointer, Type::Pointer(_)) => true,
        (Type::Class(a), Type::Pointer(b)) => Rc::ptr_eq(a, b),
        (Type::Int(IntKind::Int, _), Type::Scalar(_)) => true,
        (Type::Callable(_) | Type::KernelFunction | Type::LambdaExpr, Type::LambdaExpr) => true,
        (Type::Callable(c), Type::Function) => c.kind == FunctionKind::Host,
        (Type::Function, Type::LambdaExpr | Type::Callable(_)) => true,
        _ => sub.same(sup),
    }
}
