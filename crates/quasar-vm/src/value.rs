//! Values at run time. Numbers are stored in place, everything else by reference; a value takes 16 bytes.

use super::tensor::Tensor;
use quadra_quasar_hir::types::{ClassDef, IntKind, Type};
use quadra_quasar_syntax::ast::Text;
use std::cell::RefCell;
use std::rc::Rc;

/// A value of the language, or one of the internal kinds at the end of the list.
#[derive(Clone, Debug, Default)]
pub enum Value {
    /// A variable without value.
    #[default]
    Unset,
    Int(i32),
    F32(f32),
    F64(f64),
    /// Half precision, kept as the single that has the same value.
    F16(f32),
    C32([f32; 2]),
    C64(Box<[f64; 2]>),
    /// An integer of a fixed width (or an `int` result that needs 64 bits); unsigned 64-bit values keep their bits.
    IntN(IntKind, i64),
    Str(Rc<Text>),
    Array(Rc<Tensor>),
    Object(Rc<Instance>),
    Null,
    Function(Rc<Callable>),
    /// A type as a value, as in `maxvalue(scalar)`.
    Type(Rc<Type>),
    /// `:` as an index.
    Colon,
    /// A range as an index.
    Range(Rc<RangeValue>),
    /// Counters of loops.
    Raw(i64),
}

/// `start + k * step` for `k` in `0..count`.
#[derive(Clone, Copy, Debug)]
pub struct RangeValue {
    pub start: f64,
    pub step: f64,
    pub count: usize,
    /// Whether all items are integers.
    pub integral: bool,
}

/// What an instance counts for the limit on memory.
const INSTANCE_BYTES: usize = 160;

/// An instance of a class, or a dynamic object (without class).
#[derive(Debug)]
pub struct Instance {
    pub class: Option<Rc<ClassDef>>,
    pub fields: RefCell<Vec<(Text, Value)>>,
    /// Declared types of the fields of dynamic objects.
    pub types: RefCell<Vec<(Text, Type)>>,
    /// Whether it is a dictionary, of which the number of fields can be asked as if it were one.
    pub keyed: bool,
}

/// A function as a value.
#[derive(Debug)]
pub enum Callable {
    Closure(Closure),
    Builtin(Native),
    /// Overloads under one name, in the order of their definition.
    Overloads(Vec<Rc<Callable>>),
}

/// A built-in function: its number in the table of the library, and what is asked of it without a look there.
#[derive(Clone, Copy, Debug)]
pub struct Native {
    pub id: usize,
    pub name: &'static str,
    /// Whether a call has a value.
    pub gives_value: bool,
}

/// Code with the values it captured.
#[derive(Debug)]
pub struct Closure {
    pub code: Rc<super::code::Code>,
    pub captures: Vec<Value>,
}

impl Value {
    pub fn str(text: &str) -> Value {
        Value::Str(Rc::new(text.into()))
    }

    pub fn bool(b: bool) -> Value {
        Value::Int(i32::from(b))
    }

    pub fn array(tensor: Tensor) -> Value {
        Value::Array(Rc::new(tensor))
    }

    /// A `scalar` in the precision of the session.
    pub fn scalar(x: f64, double: bool) -> Value {
        if double { Value::F64(x) } else { Value::F32(x as f32) }
    }

    /// A `cscalar` in the precision of the session.
    pub fn complex(re: f64, im: f64, double: bool) -> Value {
        if double { Value::C64(Box::new([re, im])) } else { Value::C32([re as f32, im as f32]) }
    }

    /// An integer, which is an `int` if it fits there.
    pub fn integer(v: i64) -> Value {
        i32::try_from(v).map_or(Value::IntN(IntKind::I64, v), Value::Int)
    }

    /// A length or an index.
    pub fn size(n: usize) -> Value {
        i32::try_from(n).map_or(Value::IntN(IntKind::I64, n as i64), Value::Int)
    }

    /// The value of a real number.
    pub fn as_f64(&self) -> Option<f64> {
        Some(match self {
            Value::Int(v) => f64::from(*v),
            Value::F32(v) | Value::F16(v) => f64::from(*v),
            Value::F64(v) => *v,
            Value::IntN(IntKind::U64, v) => *v as u64 as f64,
            Value::IntN(_, v) | Value::Raw(v) => *v as f64,
            _ => return None,
        })
    }

    /// Real and imaginary part of a number.
    pub fn as_complex(&self) -> Option<[f64; 2]> {
        Some(match self {
            Value::C32([re, im]) => [f64::from(*re), f64::from(*im)],
            Value::C64(z) => **z,
            other => [other.as_f64()?, 0.0],
        })
    }

    /// The value of a number, truncated toward zero.
    pub fn as_index(&self) -> Option<i64> {
        Some(match self {
            Value::Int(v) => i64::from(*v),
            Value::F32(v) | Value::F16(v) => *v as i64,
            Value::F64(v) => *v as i64,
            Value::IntN(_, v) | Value::Raw(v) => *v,
            _ => return None,
        })
    }

    pub fn as_text(&self) -> Option<&str> {
        if let Value::Str(s) = self { Some(s) } else { None }
    }

    pub fn is_number(&self) -> bool {
        matches!(
            self,
            Value::Int(_)
                | Value::F32(_)
                | Value::F64(_)
                | Value::F16(_)
                | Value::C32(_)
                | Value::C64(_)
                | Value::IntN(..)
        )
    }

    pub fn is_integer(&self) -> bool {
        matches!(self, Value::Int(_) | Value::IntN(..))
    }

    pub fn is_float(&self) -> bool {
        matches!(self, Value::F32(_) | Value::F64(_) | Value::F16(_))
    }

    /// Whether dropping the value may have to walk a structure.
    fn is_deep(&self) -> bool {
        matches!(self, Value::Object(_) | Value::Array(_) | Value::Function(_))
    }
}

impl Instance {
    pub fn new(class: Option<Rc<ClassDef>>, fields: Vec<(Text, Value)>) -> Instance {
        super::memory::charge(INSTANCE_BYTES);
        Instance { class, fields: RefCell::new(fields), types: RefCell::default(), keyed: false }
    }

    /// An empty dictionary.
    pub fn keyed() -> Instance {
        let mut instance = Instance::new(None, Vec::new());
        instance.keyed = true;
        instance
    }

    pub fn get(&self, name: &str) -> Option<Value> {
        self.fields.borrow().iter().find(|(n, _)| &**n == name).map(|(_, v)| v.clone())
    }

    /// Sets a field, or adds it.
    pub fn set(&self, name: &Text, value: Value) {
        let mut fields = self.fields.borrow_mut();
        let old = match fields.iter_mut().find(|(n, _)| n == name) {
            Some((_, slot)) => std::mem::replace(slot, value),
            None => {
                fields.push((name.clone(), value));
                Value::Unset
            }
        };
        drop(fields);
        drop(old);
    }

    /// The name under which the value is printed.
    pub fn type_name(&self) -> &str {
        self.class.as_ref().map_or("object", |c| &c.name)
    }
}

/// Long chains of objects are taken apart one by one, because dropping them recursively would overflow the stack.
pub fn drop_later(values: impl Iterator<Item = Value>) {
    thread_local! {
        static QUEUE: RefCell<Option<Vec<Value>>> = const { RefCell::new(None) };
    }
    let mut deep: Vec<Value> = values.filter(Value::is_deep).collect();
    if deep.is_empty() {
        return;
    }
    let busy = QUEUE.try_with(|queue| match &mut *queue.borrow_mut() {
        Some(queue) => {
            queue.append(&mut deep);
            true
        }
        none => {
            *none = Some(std::mem::take(&mut deep));
            false
        }
    });
    if busy != Ok(false) {
        return;
    }
    while let Some(value) = QUEUE.with(|q| q.borrow_mut().as_mut().and_then(Vec::pop)) {
        drop(value);
    }
    QUEUE.with(|q| *q.borrow_mut() = None);
}

impl Drop for Instance {
    fn drop(&mut self) {
        let fields = std::mem::take(self.fields.get_mut());
        super::memory::release(INSTANCE_BYTES);
        drop_later(fields.into_iter().map(|f| f.1));
    }
}

impl Drop for Closure {
    fn drop(&mut self) {
        if !self.captures.is_empty() {
            drop_later(std::mem::take(&mut self.captures).into_iter());
        }
    }
}

impl Callable {
    /// Whether a call has a value: functions without outputs and library functions that only do something have none.
    pub fn gives_value(&self) -> bool {
        match self {
            Callable::Closure(c) => c.code.lambda || !c.code.outputs.is_empty(),
            Callable::Builtin(native) => native.gives_value,
            Callable::Overloads(list) => list.iter().all(|c| c.gives_value()),
        }
    }

    /// The name under which the function was defined; empty for lambdas.
    pub fn name(&self) -> &str {
        match self {
            Callable::Closure(c) => &c.code.name,
            Callable::Builtin(native) => native.name,
            Callable::Overloads(list) => list.first().map_or("", |c| c.name()),
        }
    }
}
