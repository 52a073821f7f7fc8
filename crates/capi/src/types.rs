//! What C and the library hand each other.

use std::ffi::{c_char, c_void};

/// What became of a call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    QuadraSuccess = 0,
    /// The program is wrong or failed; quadra_error() has its diagnostics.
    QuadraProgramError = 1,
    /// The arguments of the call are wrong: a null pointer, a size, a session of another thread.
    QuadraWrongCall = 2,
    /// A mistake of Quadra.
    QuadraBug = 3,
}

/// Elements of an array.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    QuadraF32 = 0,
    QuadraF64 = 1,
    QuadraI8 = 2,
    QuadraI16 = 3,
    QuadraI32 = 4,
    QuadraI64 = 5,
    QuadraU8 = 6,
    QuadraU16 = 7,
    QuadraU32 = 8,
    QuadraU64 = 9,
    /// Pairs of float: real and imaginary part.
    QuadraC32 = 10,
    /// Pairs of double.
    QuadraC64 = 11,
}

impl Element {
    pub const ALL: [Element; 12] = [
        Element::QuadraF32,
        Element::QuadraF64,
        Element::QuadraI8,
        Element::QuadraI16,
        Element::QuadraI32,
        Element::QuadraI64,
        Element::QuadraU8,
        Element::QuadraU16,
        Element::QuadraU32,
        Element::QuadraU64,
        Element::QuadraC32,
        Element::QuadraC64,
    ];

    /// The one with this number.
    pub fn of(number: u32) -> Option<Element> {
        Element::ALL.into_iter().find(|e| *e as u32 == number)
    }

    /// Bytes of an element, and what its address is a multiple of.
    pub fn layout(self) -> (usize, usize) {
        match self {
            Element::QuadraI8 | Element::QuadraU8 => (1, 1),
            Element::QuadraI16 | Element::QuadraU16 => (2, 2),
            Element::QuadraF32 | Element::QuadraI32 | Element::QuadraU32 => (4, 4),
            Element::QuadraF64 => (8, align_of::<f64>()),
            Element::QuadraI64 | Element::QuadraU64 => (8, align_of::<u64>()),
            Element::QuadraC32 => (8, 4),
            Element::QuadraC64 => (16, align_of::<f64>()),
        }
    }
}

/// What a value is.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// No value: nullptr.
    QuadraNothing = 0,
    /// `number`.
    QuadraNumber = 1,
    /// `integer`.
    QuadraInteger = 2,
    /// `number` and `imaginary`.
    QuadraComplex = 3,
    /// `text`.
    QuadraText = 4,
    /// `array`.
    QuadraArray = 5,
}

/// An array: its elements lie one behind the other, the last index the fastest.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Array {
    /// A quadra_element.
    pub element: u32,
    /// Dimensions, 1 to 8.
    pub rank: u32,
    /// The lengths of the dimensions.
    pub shape: *const usize,
    /// The elements. A function of a program reads and writes them in place.
    pub data: *mut c_void,
}

/// An argument or a result.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CValue {
    /// A quadra_kind, which says which of the fields below count.
    pub kind: u32,
    pub number: f64,
    pub imaginary: f64,
    pub integer: i64,
    pub text: *const c_char,
    pub array: Array,
}

/// How programs of a session run. Fields that are 0 are as if nobody had said anything.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct OpenOptions {
    /// Where kernels and parallel loops run: auto (also for a null pointer), host, cpu, gpu, qpu, emu, vc4, interp.
    pub device: *const c_char,
    /// Not 0: `scalar` is double precision.
    pub double_precision: u32,
    /// QPUs of the emulated Pi, 1 to 12; 0 for all.
    pub qpus: u32,
    /// Bytes that arrays of programs may take; 0 for 8 GiB.
    pub max_memory: usize,
    /// Seconds after which a call ends with an error; 0 for no limit.
    pub time_limit: f64,
}

/// A loop of a program, and whether it is parallel.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LoopRow {
    pub line: u32,
    /// Loops of the nest that run in parallel, this one the outermost; 0 for a serial one.
    pub depth: u32,
    /// "parallel over (i, j)", or "serial: " and why.
    pub verdict: *const c_char,
}

/// A device that kernels may run on.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DeviceRow {
    pub name: *const c_char,
    pub about: *const c_char,
    /// Why it cannot be used here; a null pointer if it can.
    pub unavailable: *const c_char,
}
