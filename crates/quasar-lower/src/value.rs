//! What an expression of kernel code stands for while it is lowered: numbers are values of the kernel IR, small arrays lists of
//! numbers, big arrays buffers. Functions, classes and types exist during lowering only.

use super::state::Lower;
use super::{Low, refuse};
use quadra_base::quick::Map;
use quadra_kir::{self as kir, Bounds, Elem};
pub(super) use quadra_quasar_hir::par::fresh::MOST_SMALL;
use quadra_quasar_hir::types::{Access, Fit, IntKind, Type};
use quadra_quasar_syntax::ast::{Function, Text};
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::tensor::Data;
use quadra_quasar_vm::value::{Callable, Value};
use std::rc::Rc;

/// A number. Truth values are `Kind::Int` whose IR value is a `bool` until somebody computes with it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Num {
    pub kind: Kind,
    pub re: kir::Value,
    /// The imaginary part of a complex number.
    pub im: Option<kir::Value>,
    /// Bounds of an integer that are known, so that sums of subscripts need no test for overflow.
    pub range: Option<Bounds>,
    /// How it follows from the item's index along an axis of the launch.
    pub item: Option<Item>,
    /// It is not negative and less than this parameter of the kernel.
    pub below: Option<kir::Value>,
    /// Where pixels are computed channel by channel and this is a column: the number of the element in its row.
    pub wide: Option<kir::Value>,
    /// It is the item's channel.
    pub channel: bool,
    /// It is an integer on the host in some cases and a float in others.
    pub mixed: bool,
    /// It is a float here and may be an integer on the host, of the same value: what is changed in place must know which. Or it has 64 bits
    /// here and may be an `int` there.
    pub early: bool,
    /// It was read from this variable after so many changes of it.
    pub var: Option<(kir::Var, u32)>,
}

/// An integer or a real float.
#[derive(Clone, Copy, Debug)]
pub(super) struct Either {
    /// Whether it is the integer.
    pub whole: kir::Value,
    /// 0 or anything else where it is the float: nothing is known of its bounds.
    pub int: Num,
    /// The float, or what the integer converts to.
    pub float: Num,
}

/// The item's index along an axis, and the bounds of what is added to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Item {
    pub axis: u8,
    pub low: i64,
    pub high: i64,
    /// A parameter of the kernel that is added as well.
    pub plus: Option<kir::Value>,
}

impl Item {
    pub fn new(axis: usize) -> Item {
        Item { axis: axis as u8, low: 0, high: 0, plus: None }
    }
}

impl Num {
    pub fn new(kind: Kind, re: kir::Value) -> Num {
        Num {
            kind,
            re,
            im: None,
            range: None,
            item: None,
            below: None,
            wide: None,
            channel: false,
            mixed: false,
            early: false,
            var: None,
        }
    }

    pub fn complex(kind: Kind, re: kir::Value, im: kir::Value) -> Num {
        Num { im: Some(im), ..Num::new(kind, re) }
    }
}

/// The IR's element type for a real kind; for complex kinds that of their parts.
pub(super) fn elem_of(kind: Kind) -> Elem {
    match kind {
        Kind::Int => Elem::I32,
        Kind::Wide => Elem::I64,
        Kind::F64 | Kind::C64 => Elem::F64,
        _ => Elem::F32,
    }
}

/// The kind of the parts of a complex number.
pub(super) fn real_kind(kind: Kind) -> Kind {
    match kind {
        Kind::C32 => Kind::F32,
        Kind::C64 => Kind::F64,
        real => real,
    }
}

/// A length of an array.
#[derive(Clone, Copy, Debug)]
pub(super) enum Length {
    Known(usize),
    /// An `i32` parameter of the kernel.
    Given(kir::Value),
}

impl Length {
    pub fn known(self) -> Option<usize> {
        if let Length::Known(n) = self { Some(n) } else { None }
    }
}

/// What the elements of an array in memory are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Element {
    Float(Elem),
    Complex(Elem),
    Int(IntKind),
    /// Truth values, which read as `int`.
    Mask,
}

impl Element {
    /// The kind of a number that was read.
    pub fn kind(self) -> Kind {
        match self {
            Element::Float(Elem::F64) => Kind::F64,
            Element::Float(_) => Kind::F32,
            Element::Complex(Elem::F64) => Kind::C64,
            Element::Complex(_) => Kind::C32,
            Element::Int(IntKind::I64) => Kind::Wide,
            Element::Int(_) | Element::Mask => Kind::Int,
        }
    }

    /// How it is stored.
    pub fn storage(self) -> Elem {
        match self {
            Element::Float(e) | Element::Complex(e) => e,
            Element::Int(kind) => match kind.bits() {
                8 => Elem::I8,
                16 => Elem::I16,
                64 => Elem::I64,
                _ => Elem::I32,
            },
            Element::Mask => Elem::I32,
        }
    }

    /// Elements of the buffer per element of the array.
    pub fn parts(self) -> usize {
        if matches!(self, Element::Complex(_)) { 2 } else { 1 }
    }
}

/// The elements that arrays of this kind have in memory.
pub(super) fn element_of(data: &Data) -> Low<Element> {
    Ok(match data {
        Data::F32(_) => Element::Float(Elem::F32),
        Data::F64(_) => Element::Float(Elem::F64),
        Data::C32(_) => Element::Complex(Elem::F32),
        Data::C64(_) => Element::Complex(Elem::F64),
        Data::Mask(_) => Element::Mask,
        Data::F16(_) => refuse!("half precision has no arithmetic in kernel IR"),
        Data::U64(_) => refuse!(Width: "unsigned integers of 64 bits"),
        Data::Cell(_) => refuse!("a cell"),
        ints => Element::Int(ints.int_kind().unwrap_or(IntKind::Int)),
    })
}

/// An array in memory.
#[derive(Clone, Debug)]
pub(super) struct ArrayRef {
    pub buf: kir::Buf,
    /// Number of the first element in the buffer, unless it is 0.
    pub base: Option<kir::Value>,
    /// At least two lengths, as the language counts them.
    pub shape: Vec<Length>,
    pub element: Element,
    pub fit: Fit,
    pub shared: bool,
}

impl ArrayRef {
    /// Whether it has the shape 1×N.
    pub fn is_vector(&self) -> bool {
        self.shape.len() == 2 && self.shape[0].known() == Some(1)
    }

    /// The number of elements, if it is known.
    pub fn known_len(&self) -> Option<usize> {
        self.shape.iter().map(|l| l.known()).product()
    }
}

/// An array in registers.
#[derive(Clone, Debug)]
pub(super) struct Small {
    pub shape: Vec<usize>,
    pub items: Vec<Num>,
    /// The unmodified result of a comparison.
    pub mask: bool,
}

impl Small {
    pub fn vector(items: Vec<Num>) -> Small {
        Small { shape: vec![1, items.len()], items, mask: false }
    }

    pub fn is_vector(&self) -> bool {
        self.shape.len() == 2 && self.shape[0] == 1
    }

    /// The kind that its elements have. Of an empty array none is known: the host keeps that of what it was selected from.
    pub fn kind(&self) -> Low<Kind> {
        let Some(first) = self.items.first() else { refuse!("an element of an empty array") };
        Ok(first.kind)
    }
}

/// Where a value that the launch passes comes from: a root and captures or fields from there on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Path {
    pub root: Root,
    pub steps: Vec<usize>,
}

/// The beginning of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Root {
    /// An argument of the kernel, or a variable that a loop mentions.
    Argument(usize),
    /// A value that the kernel captured.
    Capture(usize),
    /// A global function.
    Global(Text),
}

impl Path {
    pub fn new(root: Root) -> Path {
        Path { root, steps: Vec::new() }
    }

    pub fn step(&self, n: usize) -> Path {
        let mut path = self.clone();
        path.steps.push(n);
        path
    }
}

/// A function that is inlined where it is called.
#[derive(Clone, Debug)]
pub(super) enum Func {
    /// Of the program, with the values it captured.
    Host(Rc<Callable>, Path),
    /// Defined in kernel code.
    Local(Rc<Local>),
}

/// A lambda of kernel code with the values it captured.
#[derive(Debug)]
pub(super) struct Local {
    pub ast: Rc<Function>,
    pub env: Map<Text, Val>,
    /// Access modes of the captured variables.
    pub access: Map<Text, Access>,
    pub itself: Option<Text>,
}

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Val {
    Num(Num),
    Small(Small),
    /// An integer in some cases and a float in others.
    Either(Either),
    /// The item's own component of a pixel, where pixels are computed channel by channel.
    Channel(Num),
    Array(Rc<ArrayRef>),
    /// An array that is not in memory, of a length that may not be known.
    Long(Long),
    Function(Func),
    /// An instance of an immutable class.
    Struct(Rc<Vec<(Text, Val)>>, Text),
    Type(Type),
    /// `from`, `step`, `to` and whether both first are integers, as an index.
    Colon,
    /// A text, and where the launch gives it: kernels compare texts while they are compiled.
    Text(Text, Option<Path>),
    /// Anything that kernels cannot compute with.
    Other,
    /// No value, as of a call without outputs.
    Nothing,
}

impl Val {
    /// For messages.
    pub fn what(&self) -> String {
        match self {
            Val::Num(_) | Val::Either(_) => "a number".into(),
            Val::Channel(_) => "a pixel".into(),
            Val::Small(_) | Val::Array(_) | Val::Long(_) => "an array".into(),
            Val::Function(_) => "a function".into(),
            Val::Struct(..) => "an object".into(),
            Val::Type(_) => "a type".into(),
            Val::Colon => "':'".into(),
            Val::Text(..) => "a string".into(),
            Val::Other => "a value that kernel IR has no type for".into(),
            Val::Nothing => "nothing".into(),
        }
    }
}

/// What computes the element of an array with an index along each dimension.
pub(super) type ElementAt = dyn Fn(&mut Lower<'_>, &[Num]) -> Low<Num>;

/// An array that is not in memory, or a part of one.
#[derive(Clone)]
pub(super) struct Long {
    /// At least two lengths.
    pub shape: Vec<Length>,
    /// The element with an index along each dimension.
    pub at: Rc<ElementAt>,
    pub reads: Vec<Read>,
}

/// Elements of an array in memory that a value stands for.
#[derive(Clone, Debug)]
pub(super) struct Read {
    pub buf: kir::Buf,
    /// How often the array had been written.
    pub version: u32,
    /// What is selected, if that can be told.
    pub which: Option<String>,
}

impl std::fmt::Debug for Long {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Long({:?})", self.shape)
    }
}

impl Long {
    /// Whether it has the shape 1×N.
    pub fn is_vector(&self) -> bool {
        self.shape.len() == 2 && self.shape[0].known() == Some(1)
    }

    /// Dimensions that may have other lengths than 1.
    pub fn wide(&self) -> Vec<usize> {
        (0..self.shape.len()).filter(|d| self.shape[*d].known() != Some(1)).collect()
    }
}

/// A value from outside a function.
#[derive(Clone, Debug)]
pub(super) enum Captured {
    Host(Value, Path),
    Here(Val),
}
