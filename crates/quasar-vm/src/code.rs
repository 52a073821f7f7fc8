//! The compiled form of functions: instructions on registers. A call's frame is a window of the value stack; parameters come
//! first, then captured values, then the other variables, then temporaries.

use super::value::Value;
use quadra_base::Span;
use quadra_quasar_hir::op2::Op2;
use quadra_quasar_hir::types::{Access, Type};
use quadra_quasar_syntax::ast::{FunctionKind, Text};
use std::rc::Rc;

/// A register of the current frame.
pub type Reg = u16;

/// One instruction. `d` is the register of the result.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Const {
        d: Reg,
        k: u16,
    },
    /// A fresh copy of an array constant.
    ConstArray {
        d: Reg,
        k: u16,
    },
    Move {
        d: Reg,
        a: Reg,
    },
    /// Takes the value of a temporary.
    Take {
        d: Reg,
        a: Reg,
    },
    /// The value of a variable; if it has none, a function or type of that name, or an error.
    Load {
        d: Reg,
        a: Reg,
        name: u16,
    },
    /// A function, constant or type by name.
    Global {
        d: Reg,
        name: u16,
    },
    /// The global function with this number.
    Function {
        d: Reg,
        id: u16,
    },
    /// The closure that runs.
    Itself {
        d: Reg,
    },
    /// Assignment to a variable with a declared type.
    StoreTyped {
        d: Reg,
        a: Reg,
        ty: u16,
    },
    /// Assignment in kernel code, where a variable keeps its first type.
    StoreKeep {
        d: Reg,
        a: Reg,
        name: u16,
    },
    Unset {
        d: Reg,
    },
    Binary {
        op: Op2,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Add {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Sub {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Mul {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    AddConst {
        d: Reg,
        a: Reg,
        k: u16,
    },
    SubConst {
        d: Reg,
        a: Reg,
        k: u16,
    },
    MulConst {
        d: Reg,
        a: Reg,
        k: u16,
    },
    /// `*`, `/` and `^` between arrays: matrix meaning.
    Matrix {
        op: Op2,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    /// `v op= e`: as the operator, but an `int` variable stays one.
    Compound {
        op: Op2,
        matrix: bool,
        d: Reg,
        a: Reg,
        b: Reg,
        name: u16,
    },
    Neg {
        d: Reg,
        a: Reg,
    },
    Not {
        d: Reg,
        a: Reg,
    },
    /// An integer exponent that is no literal counts as a float.
    Exponent {
        d: Reg,
        a: Reg,
    },
    /// A condition to 0 or 1. `what`: 0 condition, 1 `&&`, 2 `||`.
    Truth {
        d: Reg,
        a: Reg,
        what: u8,
    },
    Jump {
        to: u32,
    },
    JumpUnless {
        a: Reg,
        to: u32,
    },
    JumpIf {
        a: Reg,
        to: u32,
    },
    /// Jumps over a nest within another one, unless no kernel has become of that.
    UnlessRefused {
        index: u16,
        to: u32,
    },
    /// `from`, `step`, `to` in three registers from `a`. `index`: as an index, not as an array.
    Range {
        d: Reg,
        a: Reg,
        index: bool,
    },
    /// Prepares a loop: `state` and the two registers after it hold item, count and the sequence.
    ForRange {
        state: Reg,
        a: Reg,
        to: u32,
    },
    ForEach {
        state: Reg,
        a: Reg,
        to: u32,
    },
    /// Sets `var` to the next item and goes back to `to`, or goes on.
    ForNext {
        state: Reg,
        var: Reg,
        to: u32,
    },
    Index {
        access: Access,
        d: Reg,
        a: Reg,
        i: Reg,
        name: u16,
    },
    Index2 {
        access: Access,
        d: Reg,
        a: Reg,
        i: Reg,
        j: Reg,
        name: u16,
    },
    IndexN {
        access: Access,
        d: Reg,
        a: Reg,
        first: Reg,
        n: u8,
        name: u16,
    },
    /// One index (`n` is 1) may be any register, more follow each other.
    SetIndex {
        access: Access,
        n: u8,
        a: Reg,
        first: Reg,
        value: Reg,
        name: u16,
    },
    /// Indices with `...v` among them: which ones, is in the list `spread`.
    IndexSpread {
        access: Access,
        d: Reg,
        a: Reg,
        spec: u16,
        name: u16,
    },
    SetIndexSpread {
        access: Access,
        a: Reg,
        spec: u16,
        value: Reg,
        name: u16,
    },
    Field {
        d: Reg,
        a: Reg,
        name: u16,
    },
    SetField {
        a: Reg,
        name: u16,
        value: Reg,
    },
    DeclareField {
        a: Reg,
        name: u16,
        ty: u16,
    },
    /// Array and cell literals of `n` items from `first`.
    Array {
        d: Reg,
        first: Reg,
        n: u16,
    },
    Cell {
        d: Reg,
        first: Reg,
        n: u16,
    },
    /// A literal with `...v` items.
    ArraySpread {
        d: Reg,
        spec: u16,
    },
    Closure {
        d: Reg,
        index: u16,
    },
    /// Defines a global function again, now with what it captures here.
    Define {
        index: u16,
    },
    Call {
        d: Reg,
        f: Reg,
        n: u8,
        outs: u8,
    },
    /// A call of a built-in function on `n` registers from `first`.
    Builtin {
        d: Reg,
        id: u16,
        first: Reg,
        n: u8,
        outs: u8,
    },
    /// A call with named or spread arguments.
    CallSpec {
        d: Reg,
        f: Reg,
        spec: u16,
        outs: u8,
    },
    /// `object.name(…)`; the object is in `f`.
    Method {
        d: Reg,
        f: Reg,
        spec: u16,
        name: u16,
        outs: u8,
    },
    /// Like `Method`, where the function `name` may also be in register `a`; the object is the first item of `spec`.
    MethodLocal {
        d: Reg,
        f: Reg,
        a: Reg,
        spec: u16,
        name: u16,
        outs: u8,
    },
    Return,
    /// Returns the value of a lambda.
    ReturnValue {
        a: Reg,
    },
    /// Checks `(e : T)`.
    Check {
        d: Reg,
        a: Reg,
        ty: u16,
    },
    /// A declared variable gets its default value.
    Default {
        d: Reg,
        ty: u16,
    },
    /// A type as a value, with the type parameters of the frame put in.
    TypeValue {
        d: Reg,
        ty: u16,
    },
    /// An optional parameter: goes on if it has no value yet.
    UnlessUnset {
        a: Reg,
        to: u32,
    },
    /// Checks an optional parameter after its default.
    CheckParam {
        param: u16,
    },
    /// Prints `n` values from `first` as a command.
    Command {
        what: u8,
        first: Reg,
        n: u8,
    },
    CommandSpread {
        what: u8,
        spec: u16,
    },
    /// Splits the value in `a` into `n` registers from `d`.
    Split {
        d: Reg,
        a: Reg,
        n: u8,
    },
    /// `round(a/b)` in the directions of [`quadra_quasar_hir::quotient::Round`]; `whole`: as an integer. `d` has the quotient of floats.
    Quotient {
        round: quadra_quasar_hir::quotient::Round,
        whole: bool,
        matrix: bool,
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Equal {
        d: Reg,
        a: Reg,
        b: Reg,
    },
    Try {
        to: u32,
        name: Reg,
    },
    EndTry,
    Barrier {
        scope: u8,
    },
    /// Runs a parallel nest on the device; its bounds follow each other from `bounds`. `d` is 1 if that was possible.
    Nest {
        d: Reg,
        index: u16,
        bounds: Reg,
    },
    /// Runs the iterations of a nest that are left on the device, if that pays by now, and goes behind the loop. `state` is that of the
    /// loop, with one register more.
    Rest {
        index: u16,
        bounds: Reg,
        state: Reg,
        to: u32,
    },
    Fail {
        message: u16,
    },
    /// Lets the session and `eval` see the global variables as they are now.
    Publish,
}

/// How the arguments of a call or the items of a literal are put together.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// Register, whether it is spread, and the name of a named argument.
    pub items: Vec<(Reg, bool, Option<Text>)>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct ParamInfo {
    pub name: Text,
    pub ty: Option<Type>,
    pub optional: bool,
    pub variadic: bool,
    pub access: Option<Access>,
    pub constant: bool,
}

/// Where a captured value comes from when a closure is made.
#[derive(Clone, Copy, Debug)]
pub enum Capture {
    Register(Reg),
    /// The closure that makes the new one.
    Itself,
    /// A variable of the program's global scope, for code that is compiled while it runs.
    Missing,
}

/// A compiled function.
#[derive(Debug)]
pub struct Code {
    pub name: Text,
    pub kind: FunctionKind,
    pub lambda: bool,
    pub params: Vec<ParamInfo>,
    /// Registers and types of the outputs.
    pub outputs: Vec<(Text, Reg, Option<Type>)>,
    /// Registers of the captured values, in the order of `Closure::captures`.
    pub captures: Vec<(Reg, Capture)>,
    /// Variables for how many arguments a call gives and results it takes.
    pub counts: [Option<Reg>; 2],
    /// Type and size parameters and their registers.
    pub generics: Vec<(Text, Reg)>,
    /// Whether arguments can be left as they are: no types, defaults or variadic parameter.
    pub plain: bool,
    /// Whether it is to be found by name (global functions).
    pub global: bool,
    pub registers: u16,
    pub ops: Vec<Op>,
    pub spans: Vec<Span>,
    /// First instructions of statements, in their order, and where the statements stand.
    pub statements: Vec<(u32, Span)>,
    pub consts: Vec<Value>,
    pub names: Vec<Text>,
    pub types: Vec<Type>,
    pub specs: Vec<Spec>,
    pub functions: Vec<Rc<Code>>,
    pub span: Span,
    /// Names of all variables, for messages and for `whos`.
    pub variables: Vec<(Text, Reg)>,
    /// First parameter is called `self`.
    pub method: bool,
    /// Of a file of the library, which may compute with sized integers in any program.
    pub shipped: bool,
    /// The text of the function, for lowering.
    pub ast: Option<Rc<quadra_quasar_syntax::ast::Function>>,
    /// Access modes of the captured variables.
    pub captured_access: Vec<(Text, Access)>,
    /// Loops that may run on a device.
    pub nests: Vec<Rc<super::nest::Nest>>,
}

impl Code {
    /// The statement that begins with this instruction.
    pub fn statement_at(&self, pc: usize) -> Option<Span> {
        self.statements.binary_search_by_key(&pc, |s| s.0 as usize).ok().map(|at| self.statements[at].1)
    }

    /// Whether a register holds nothing but intermediate values: each is read once, by the instruction it was computed for.
    pub fn is_temporary(&self, reg: Reg) -> bool {
        let named = self.params.len() + self.captures.len() + self.generics.len();
        reg as usize >= named
            && !self.captures.iter().any(|(r, _)| *r == reg)
            && !self.outputs.iter().any(|(_, r, _)| *r == reg)
            && !self.variables.iter().any(|(_, r)| *r == reg)
    }
}
