//! How a recording sees the variables of a kernel: the kernel values inside Rust places.
//!
//! Under kernel control flow a place may hold different values in different lanes or iterations. So before an `if` or loop
//! the recording reads the handles out of every variable that its body may change, reads them again where the body ends,
//! and afterwards writes merged handles back. That works for whatever way the place was changed: assignment, `&mut`
//! arguments, methods, `std::mem::swap`. [`KernelState`] says where the handles are.

use crate::codes;
use crate::record::Raw;
use quadra_base::Diagnostic;
use quadra_kir::Type;
use std::any::Any;
use std::cell::Cell;

/// Types with kernel values inside, which kernel control flow can follow: `Int`, `Float`, `Mask`, `Ptr`, arrays, vectors,
/// options, tuples and references of them, and structs that derive it.
///
/// ```
/// # extern crate quadra_dsl as quadra;
/// use quadra_dsl::prelude::*;
/// #[derive(Clone, Copy, KernelState)]
/// struct Point { x: Float, y: Float }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not known to kernel control flow",
    label = "kernel `if`s and loops cannot follow the kernel values in here",
    note = "for a struct, add `#[derive(KernelState)]`"
)]
pub trait KernelState {
    /// Shows every kernel value inside, always in the same order.
    fn visit(&mut self, visitor: &mut Visitor<'_>);
    /// As [`visit`](KernelState::visit) for a place that cannot be written.
    fn view(&self, visitor: &mut Visitor<'_>);
}

/// What is fixed while a kernel is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixed {
    /// Which buffer a pointer points into.
    Buffer,
    /// How many values there are.
    Length,
}

/// A Rust value among the kernel's variables, to find out whether it changes.
pub(crate) struct Host {
    value: Box<dyn Any>,
    same: fn(&dyn Any, &dyn Any) -> bool,
    pub type_name: &'static str,
}

/// One thing found in a variable.
pub(crate) enum What {
    Leaf(Raw, Type),
    /// A kernel value that cannot be written.
    Frozen(Raw),
    Fixed(Fixed, u64),
    Host(Host),
    /// A Rust value that cannot be compared.
    Opaque,
}

/// One thing found, and in which variable.
pub(crate) struct Item {
    pub name: &'static str,
    pub what: What,
}

/// Reads handles out of variables, or writes them back, in one fixed order.
pub struct Visitor<'a> {
    mode: Mode<'a>,
    name: &'static str,
}

enum Mode<'a> {
    Read(&'a mut Vec<Item>),
    Write(std::slice::Iter<'a, Raw>),
}

impl Visitor<'_> {
    /// The variable that is visited next.
    pub fn variable(&mut self, name: &'static str) -> &mut Self {
        self.name = name;
        self
    }

    /// A kernel value in a place that can be written.
    pub fn leaf(&mut self, raw: &mut Raw, ty: Type) {
        let name = self.name;
        match &mut self.mode {
            Mode::Read(items) => items.push(Item { name, what: What::Leaf(*raw, ty) }),
            Mode::Write(handles) => {
                if let Some(&handle) = handles.next() {
                    *raw = handle;
                }
            }
        }
    }

    /// A kernel value in a place that cannot be written: it must not change.
    pub fn shared_leaf(&mut self, raw: Raw) {
        self.push(What::Frozen(raw));
    }

    /// Something that kernel control flow may not change.
    pub fn fixed(&mut self, what: Fixed, key: u64) {
        self.push(What::Fixed(what, key));
    }

    /// A Rust value, which kernel control flow may not change.
    pub fn host<T: Copy + PartialEq + 'static>(&mut self, value: T) {
        fn same<T: PartialEq + 'static>(a: &dyn Any, b: &dyn Any) -> bool {
            match (a.downcast_ref::<T>(), b.downcast_ref::<T>()) {
                // What is not equal to itself (a NaN) cannot be told from a change; it is taken as unchanged.
                #[expect(clippy::eq_op, reason = "finds values that differ from themselves")]
                (Some(a), Some(b)) => a == b || (a != a && b != b),
                _ => false,
            }
        }
        self.push(What::Host(Host { value: Box::new(value), same: same::<T>, type_name: std::any::type_name::<T>() }));
    }

    fn push(&mut self, what: What) {
        let name = self.name;
        if let Mode::Read(items) = &mut self.mode {
            items.push(Item { name, what });
        }
    }
}

/// Shows a list of variables to a visitor.
pub type List<'a> = &'a mut dyn FnMut(&mut Visitor<'_>);

/// What is in the variables now.
pub(crate) fn read(list: List<'_>) -> Vec<Item> {
    let mut items = Vec::new();
    list(&mut Visitor { mode: Mode::Read(&mut items), name: "" });
    items
}

/// Puts new handles into the variables, one for each leaf.
pub(crate) fn write(list: List<'_>, handles: &[Raw]) {
    list(&mut Visitor { mode: Mode::Write(handles.iter()), name: "" });
}

/// The handles among the items.
pub(crate) fn leaves(items: &[Item]) -> impl Iterator<Item = (&'static str, Raw, Type)> + '_ {
    items.iter().filter_map(|item| match item.what {
        What::Leaf(raw, ty) => Some((item.name, raw, ty)),
        _ => None,
    })
}

/// The handles among the items, alone.
pub(crate) fn handles(items: &[Item]) -> Vec<Raw> {
    leaves(items).map(|(_, raw, _)| raw).collect()
}

/// Checks that only kernel values differ between two readings of the same variables. `place` completes the sentence
/// "changes …". `values` are results, where nothing may stay uncompared.
pub(crate) fn compare(a: &[Item], b: &[Item], place: &str, values: bool) -> Result<(), Diagnostic> {
    let shape = |item: &Item| {
        let name = item.name;
        Diagnostic::error(codes::SHAPE, format!("`{name}` changes its number of kernel values {place}"))
            .help("keep vectors and options at one length under kernel control flow")
    };
    for (x, y) in a.iter().zip(b) {
        let name = x.name;
        match (&x.what, &y.what) {
            (What::Leaf(_, t), What::Leaf(_, u)) if t == u => {}
            (What::Frozen(r), What::Frozen(s)) => {
                if r != s {
                    let text = format!("what `{name}` refers to changes {place}");
                    return Err(Diagnostic::error(codes::BINDING, text)
                        .help(format!("bind it with `let mut {name}`, so that the kernel can follow the change")));
                }
            }
            (What::Fixed(k, i), What::Fixed(l, j)) if k == l => match (k, i == j) {
                (_, true) => {}
                (Fixed::Buffer, false) => {
                    return Err(Diagnostic::error(codes::POINTER, format!("the pointer `{name}` changes its buffer {place}"))
                        .note("lanes and iterations would then point into different buffers, which no load or store can follow")
                        .help("keep one pointer per buffer, and `select` between the values that are loaded"));
                }
                (Fixed::Length, false) => return Err(shape(x)),
            },
            (What::Host(h), What::Host(i)) => {
                if !(h.same)(&*h.value, &*i.value) {
                    let ty = h.type_name;
                    if values {
                        let text = format!("the Rust value of type `{ty}` differs between the lanes {place}");
                        return Err(
                            Diagnostic::error(codes::VALUE, text).help("make it a kernel value: `int(…)`, `float(…)`")
                        );
                    }
                    let text = format!("`{name}` is a Rust `{ty}` and changes {place}");
                    return Err(Diagnostic::error(codes::HOST, text)
                        .note("the kernel is recorded once: the change would happen once, whatever the lanes do")
                        .help(format!("make `{name}` a kernel variable, for example `let mut {name}: Int = 0`")));
                }
            }
            (What::Opaque, What::Opaque) => {
                if values {
                    let text = format!("kernel control flow gives a Rust value {place}");
                    return Err(
                        Diagnostic::error(codes::VALUE, text).help("only kernel values can differ between lanes")
                    );
                }
            }
            _ => return Err(shape(x)),
        }
    }
    match a.get(b.len()).or(b.get(a.len())) {
        Some(item) => Err(shape(item)),
        None => Ok(()),
    }
}

/// Finds out how a variable is visited: by [`KernelState`], as a Rust value that can be compared, or as a Rust value that
/// cannot hold kernel values because it is `Send`. Methods are looked up on `&&&Probe` first, then on less references.
pub struct Probe<R>(Cell<Option<R>>);

impl<R> Probe<R> {
    /// A probe of this reference.
    pub fn new(place: R) -> Probe<R> {
        Probe(Cell::new(Some(place)))
    }
}

/// First choice of [`Probe`].
pub trait ProbeState {
    fn probe(&self, visitor: &mut Visitor<'_>);
}

impl<T: KernelState + ?Sized> ProbeState for &&Probe<&mut T> {
    fn probe(&self, visitor: &mut Visitor<'_>) {
        if let Some(place) = self.0.take() {
            place.visit(visitor);
        }
    }
}

impl<T: KernelState + ?Sized> ProbeState for &&Probe<&T> {
    fn probe(&self, visitor: &mut Visitor<'_>) {
        if let Some(place) = self.0.take() {
            place.view(visitor);
        }
    }
}

/// Second choice of [`Probe`].
pub trait ProbeHost {
    fn probe(&self, visitor: &mut Visitor<'_>);
}

impl<T: Copy + PartialEq + Send + 'static> ProbeHost for &Probe<&mut T> {
    fn probe(&self, visitor: &mut Visitor<'_>) {
        if let Some(place) = self.0.take() {
            visitor.host(*place);
        }
    }
}

/// Last choice of [`Probe`].
pub trait ProbeAny {
    /// What is referred to.
    type Place: ?Sized;
    fn probe(&self, visitor: &mut Visitor<'_>)
    where
        Self::Place: Followed;
}

macro_rules! any {
    ($($place:ty),*) => {$(
        impl<T: ?Sized> ProbeAny for Probe<$place> {
            type Place = T;
            fn probe(&self, visitor: &mut Visitor<'_>)
            where
                T: Followed,
            {
                visitor.push(What::Opaque);
            }
        }
    )*};
}
any!(&mut T, &T);

/// What a kernel `if` or loop can follow.
#[diagnostic::on_unimplemented(
    message = "kernel control flow cannot follow a variable of type `{Self}`",
    label = "it may change inside a kernel `if` or loop, and may hold kernel values",
    note = "add `#[derive(KernelState)]` to the struct `{Self}`; a closure that changes kernel variables can become a `#[kernel_fn]`"
)]
pub trait Followed {}
#[diagnostic::do_not_recommend]
impl<T: Send + ?Sized> Followed for T {}

impl<T: KernelState + ?Sized> KernelState for &mut T {
    fn visit(&mut self, visitor: &mut Visitor<'_>) {
        (**self).visit(visitor);
    }
    fn view(&self, visitor: &mut Visitor<'_>) {
        (**self).view(visitor);
    }
}

/// What is borrowed shared cannot change while it is.
impl<T: KernelState + ?Sized> KernelState for &T {
    fn visit(&mut self, _: &mut Visitor<'_>) {}
    fn view(&self, _: &mut Visitor<'_>) {}
}

impl<T: KernelState + ?Sized> KernelState for Box<T> {
    fn visit(&mut self, visitor: &mut Visitor<'_>) {
        (**self).visit(visitor);
    }
    fn view(&self, visitor: &mut Visitor<'_>) {
        (**self).view(visitor);
    }
}

impl<T: KernelState> KernelState for [T] {
    fn visit(&mut self, visitor: &mut Visitor<'_>) {
        visitor.fixed(Fixed::Length, self.len() as u64);
        self.iter_mut().for_each(|x| x.visit(visitor));
    }
    fn view(&self, visitor: &mut Visitor<'_>) {
        visitor.fixed(Fixed::Length, self.len() as u64);
        self.iter().for_each(|x| x.view(visitor));
    }
}

impl<T: KernelState, const N: usize> KernelState for [T; N] {
    fn visit(&mut self, visitor: &mut Visitor<'_>) {
        self.as_mut_slice().visit(visitor);
    }
    fn view(&self, visitor: &mut Visitor<'_>) {
        self.as_slice().view(visitor);
    }
}

impl<T: KernelState> KernelState for Vec<T> {
    fn visit(&mut self, visitor: &mut Visitor<'_>) {
        self.as_mut_slice().visit(visitor);
    }
    fn view(&self, visitor: &mut Visitor<'_>) {
        self.as_slice().view(visitor);
    }
}

impl<T: KernelState> KernelState for Option<T> {
    fn visit(&mut self, visitor: &mut Visitor<'_>) {
        self.as_mut_slice().visit(visitor);
    }
    fn view(&self, visitor: &mut Visitor<'_>) {
        self.as_slice().view(visitor);
    }
}

impl<T: KernelState> KernelState for std::slice::Iter<'_, T> {
    fn visit(&mut self, _: &mut Visitor<'_>) {}
    fn view(&self, _: &mut Visitor<'_>) {}
}

macro_rules! tuples {
    ($($T:ident $i:tt),*) => {
        impl<$($T: KernelState),*> KernelState for ($($T,)*) {
            fn visit(&mut self, visitor: &mut Visitor<'_>) {
                $(self.$i.visit(visitor);)*
            }
            fn view(&self, visitor: &mut Visitor<'_>) {
                $(self.$i.view(visitor);)*
            }
        }
    };
}
tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);

macro_rules! hosts {
    ($($t:ty)*) => {$(
        impl KernelState for $t {
            fn visit(&mut self, visitor: &mut Visitor<'_>) {
                visitor.host(*self);
            }
            fn view(&self, _: &mut Visitor<'_>) {}
        }
    )*};
}
hosts!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 bool char &'static str);
