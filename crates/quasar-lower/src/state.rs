//! The state of lowering: the kernel under construction, the functions that are being inlined, variables and parameters.

use super::facts::{Facts, Supposed};
use super::own::Own;
use super::parts::{Bins, Kept, Kinds, OpenLoop, Pixels, Together};
use super::shape::Shape;
use super::value::{ArrayRef, Captured, Either, Func, Length, Local, Num, Path, Root, Small, Val, elem_of, element_of};
use super::{Low, refuse};
use quadra_base::Span;
use quadra_base::quick::{Map, Set};
use quadra_kir::{self as kir, Bounds, Builder, Const, Elem, Op, eval};
use quadra_quasar_hir::scope::Names;
use quadra_quasar_hir::types::{Access, IntKind, Type};
use quadra_quasar_syntax::ast::{Block, Function, NodeId, Text};
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::tensor::Tensor;
use quadra_quasar_vm::value::{Callable, Value};
use std::rc::Rc;

/// Lengths up to this one are constants of the kernel.
pub(super) const KNOWN_LENGTH: usize = 8;
/// Functions inlined within each other beyond which recursion is taken for endless.
const MOST_FRAMES: usize = 24;
/// Integers that are passed to a loop lie within this bound, or the loop runs on the host.
pub(super) const SMALL_INT: i64 = 1 << 24;

/// What a parameter of the kernel is bound to at a launch.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Source {
    /// The real (0) or imaginary (1) part of a number.
    Number(Path, u8),
    /// The elements of an array.
    Array(Path),
    /// A length of an array.
    Length(Path, usize),
    /// First value (0) and step (1) of the range of loop n.
    Range(usize, u8),
    /// Where groups take rows of iterations: rows of a group (0), all rows (1), iterations of a row (2).
    Rows(u8),
    /// The output of a kernel with this number, its elements in one buffer.
    Output(usize),
    /// What every item contributes to the result of a loop with this number.
    Result(usize),
    /// A length of the launch.
    Dim(usize),
    /// Memory of the blocks, so many elements for each.
    Hidden { elem: Elem, per_block: usize },
}

/// A variable.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    /// Has one value wherever it can be read.
    Fixed(Val),
    Number(Kind, kir::Var, Option<kir::Var>),
    Small(Vec<usize>, Vec<(Kind, kir::Var, Option<kir::Var>)>),
    /// An integer or a float of this kind, and whether it is the integer.
    Either(Kind, [kir::Var; 3]),
    /// A component of a pixel.
    Channel(Kind, kir::Var, Option<kir::Var>),
    /// An output of the kernel in memory: its elements, and whether it is a single number.
    Output(Rc<ArrayRef>, bool),
}

impl Slot {
    /// Whether reading it reads memory.
    pub fn in_memory(&self) -> bool {
        matches!(self, Slot::Output(..) | Slot::Fixed(Val::Array(_)))
    }
}

/// A function that is being inlined; the kernel itself is the first.
pub(super) struct Frame {
    pub vars: Map<Text, Slot>,
    /// Variables that have a value on all paths to here.
    pub defined: Set<Text>,
    pub declared: Map<Text, Type>,
    pub access: Map<Text, Access>,
    /// Of reads, and of writes.
    pub default_access: (Access, Access),
    /// Where the variables of each name were made: the region of the kernel.
    pub made: Map<Text, u32>,
    /// Values of the functions around, by name.
    pub captured: Map<Text, Captured>,
    pub generics: Map<Text, Val>,
    pub itself: Option<(Text, Func)>,
    pub assigns: Map<Text, u32>,
    pub loops: Vec<OpenLoop>,
    /// Set where the function returns out of a loop.
    pub returned: Option<kir::Var>,
    /// Whether the function's body is a loop that `return` leaves.
    pub wrapped: bool,
    /// Whether the body is an iteration, which `continue` ends.
    pub iteration: bool,
    pub outputs: Vec<Text>,
}

/// The kernel being made.
pub(super) struct Lower<'a> {
    pub b: Builder,
    pub cx: &'a Cx,
    pub double: bool,
    /// A host loop: integers must not overflow, literals are floats.
    pub host: bool,
    pub sources: Vec<Source>,
    pub arrays: Map<Path, Rc<ArrayRef>>,
    pub numbers: Map<Path, Num>,
    pub frames: Vec<Frame>,
    /// Where a float becomes an integer, and the variable.
    pub warnings: Vec<(Span, Text)>,
    /// Where NaN or infinity is asked for.
    pub asks: Vec<(Span, String)>,
    /// Positions and groups, see `item`.
    pub launch: Shape,
    /// Stores that go to an element of the item's own, by buffer.
    pub own: Own,
    /// Global functions that were inlined: a kernel is only good while they are the same.
    pub globals: Vec<(Text, Rc<Callable>)>,
    pub span: Option<Span>,
    /// Arrays of a host loop into which different iterations accumulate.
    pub accumulates: Vec<Text>,
    /// Bounds of variables that assertions give.
    pub bounds: Map<Text, i64>,
    /// The name of the array that is looked up, for messages.
    pub hint: Option<Text>,
    /// Set in kernels whose blocks one worker runs.
    pub together: Option<Together>,
    /// Set where pixels are computed channel by channel.
    pub pixels: Option<Pixels>,
    /// What is known about variables here.
    pub facts: Facts,
    pub supposed: Supposed,
    /// Tests for overflow that stand in loops.
    pub tests_in_loops: usize,
    pub wide_sums: super::wide::Sums,
    /// Bins of arrays that iterations accumulate into.
    pub bins: Vec<Bins>,
    /// Arguments that are constants of the kernel.
    pub fixed: Set<Path>,
    /// Numbers of the launch that are constants of the kernel, besides those in its key.
    pub chosen: Set<Path>,
    /// Texts and such numbers on which the kernel depends.
    pub made_for: Vec<(Path, Value)>,
    /// Variables of a loop whose values are kept from the iterations that set them, and the number of the iteration.
    pub kept: Vec<Kept>,
    pub iteration: Option<kir::Value>,
    /// Loops whose iterations are lanes, and others that could be launches, with whether those read what they combine.
    pub lanes: Vec<NodeId>,
    /// Targets of assignments of whole arrays.
    pub wholes: Vec<NodeId>,
    /// Those that set all elements to one number.
    pub fills: Vec<NodeId>,
    pub combining: Vec<(NodeId, bool)>,
    /// How often arrays were written so far.
    pub written: Map<kir::Buf, u32>,
    /// The device has numbers of double precision.
    pub doubles: bool,
    pub kinds: Kinds,
    pub in_repeat: u32,
    pub depth: u32,
    pub shared_bytes: usize,
    pub ops: usize,
}

impl<'a> Lower<'a> {
    pub fn new(name: &str, cx: &'a Cx, launch: Shape, host: bool) -> Lower<'a> {
        Lower {
            b: Builder::new(name),
            cx,
            double: cx.mode.double,
            host,
            sources: Vec::new(),
            arrays: Map::default(),
            numbers: Map::default(),
            frames: Vec::new(),
            warnings: Vec::new(),
            asks: Vec::new(),
            launch,
            globals: Vec::new(),
            span: None,
            accumulates: Vec::new(),
            bounds: Map::default(),
            hint: None,
            together: None,
            pixels: None,
            facts: Default::default(),
            supposed: Default::default(),
            tests_in_loops: 0,
            wide_sums: Vec::new(),
            bins: Vec::new(),
            own: Default::default(),
            fixed: Set::default(),
            chosen: Set::default(),
            made_for: Vec::new(),
            kept: Vec::new(),
            iteration: None,
            lanes: Vec::new(),
            wholes: Vec::new(),
            fills: Vec::new(),
            combining: Vec::new(),
            written: Map::default(),
            doubles: false,
            kinds: Default::default(),
            in_repeat: 0,
            depth: 0,
            shared_bytes: 0,
            ops: 0,
        }
    }

    pub fn at(&mut self, span: Span) {
        self.span = Some(span);
        self.b.set_span(Some(span));
    }

    pub fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a function is being lowered")
    }

    /// An operation, computed now if its operands are constants.
    pub fn op(&mut self, op: Op, args: &[kir::Value]) -> kir::Value {
        let consts: Option<Vec<Const>> = args.iter().map(|v| self.b.kernel().as_const(*v)).collect();
        if let Some(consts) = consts
            && let Some(c) = eval::constants(op, &consts, kir::Arithmetic::Nearest)
        {
            return self.b.constant(c);
        }
        self.ops += 1;
        self.b.op(op, args)
    }

    pub fn constant(&mut self, v: kir::Value) -> Option<Const> {
        self.b.kernel().as_const(v)
    }

    pub fn elem(&mut self, v: kir::Value) -> Elem {
        self.b.kernel().ty(v).elem
    }

    pub fn int(&mut self, v: i64) -> Num {
        let re = self.b.i32(v as i32);
        Num { range: Some(Bounds::exactly(v)), ..Num::new(Kind::Int, re) }
    }

    /// A constant of a float kind.
    pub fn float(&mut self, kind: Kind, v: f64) -> kir::Value {
        match elem_of(kind) {
            Elem::F64 => self.b.constant(Const::f64(v)),
            _ => self.b.f32(v as f32),
        }
    }

    pub fn zero(&mut self, kind: Kind) -> Num {
        let zero = self.b.constant(Const::zero(elem_of(kind)));
        let mut num = Num::new(kind, zero);
        if kind >= Kind::C32 {
            num.im = Some(zero);
        }
        if kind == Kind::Int {
            num.range = Some(Bounds::exactly(0));
        }
        num
    }

    /// A number as a plain integer constant, if it is one.
    pub fn known_int(&mut self, n: &Num) -> Option<i64> {
        let c = self.constant(n.re)?;
        match c.elem {
            Elem::I32 => c.as_i32().map(i64::from),
            Elem::I64 => Some(c.bits as i64),
            Elem::Bool => Some(i64::from(c.bits != 0)),
            Elem::F32 => c.as_f32().filter(|x| *x == x.trunc() && x.abs() < 1e9).map(|x| x as i64),
            _ => {
                let x = f64::from_bits(c.bits);
                (x == x.trunc() && x.abs() < 1e9).then_some(x as i64)
            }
        }
    }

    /// The value of something that the launch passes.
    pub fn given(&mut self, v: &Value, path: &Path) -> Low<Val> {
        Ok(match v {
            v if v.is_number() => Val::Num(self.given_number(v, path)?),
            Value::Array(t) => {
                let array = self.given_array(t, path)?;
                Val::Array(array)
            }
            Value::Function(f) => Val::Function(Func::Host(f.clone(), path.clone())),
            Value::Type(ty) => Val::Type((**ty).clone()),
            Value::Object(o) => {
                let Some(class) = &o.class else { refuse!("an object of no class") };
                if class.mutable || class.dynamic {
                    refuse!("'{}' is a mutable class, whose objects are shared", class.name);
                }
                let fields: Vec<(Text, Value)> = o.fields.borrow().clone();
                let mut values = Vec::new();
                for (i, (name, v)) in fields.iter().enumerate() {
                    values.push((name.clone(), self.given(v, &path.step(i))?));
                }
                Val::Struct(Rc::new(values), class.name.clone())
            }
            Value::Str(text) => Val::Text((**text).clone(), Some(path.clone())),
            _ => Val::Other,
        })
    }

    fn given_number(&mut self, v: &Value, path: &Path) -> Low<Num> {
        if let Some(n) = self.numbers.get(path) {
            return Ok(*n);
        }
        let kind = match v {
            Value::F16(_) => refuse!("half precision has no arithmetic in kernel IR"),
            Value::IntN(IntKind::U64, _) => refuse!(Width: "unsigned integers of 64 bits"),
            v => Kind::of(v).unwrap_or(Kind::F32),
        };
        let keyed = self.fixed.contains(path);
        if let (Value::Int(i), true) = (v, keyed || self.chosen.contains(path)) {
            self.made_for.extend((!keyed).then(|| (path.clone(), v.clone())));
            return Ok(self.int(i64::from(*i)));
        }
        let ty = kir::Type::scalar(elem_of(kind));
        let name = format!("n{}", self.sources.len());
        let re = self.b.scalar(&name, ty);
        self.sources.push(Source::Number(path.clone(), 0));
        let mut num = Num::new(kind, re);
        if kind >= Kind::C32 {
            num.im = Some(self.b.scalar(&format!("{name}i"), ty));
            self.sources.push(Source::Number(path.clone(), 1));
        }
        // The nest looks at its variables, but not at what their functions captured or their fields hold.
        if self.host && kind == Kind::Int && path.steps.is_empty() && matches!(path.root, Root::Argument(_)) {
            num.range = Some(Bounds::new(-SMALL_INT, SMALL_INT));
        }
        let natural = if let Value::Int(i) = v { usize::try_from(*i).ok() } else { None };
        natural.and_then(|n| self.launch.lengths.insert(re, n));
        self.numbers.insert(path.clone(), num);
        Ok(num)
    }

    fn given_array(&mut self, t: &Rc<Tensor>, path: &Path) -> Low<Rc<ArrayRef>> {
        if let Some(a) = self.arrays.get(path) {
            return Ok(a.clone());
        }
        let element = element_of(&t.data.peek())?;
        if i32::try_from(t.len().saturating_mul(element.parts())).is_err() {
            refuse!("an array with more than 2^31 elements");
        }
        let mut name = self.hint.as_ref().map_or_else(|| format!("a{}", self.sources.len()), |n| n.to_string());
        while self.arrays.values().any(|a| self.b.kernel().bufs[a.buf].name == name) {
            name.push('#');
        }
        let buf = self.b.buffer(&name, element.storage(), 1, kir::Access::ReadWrite);
        self.sources.push(Source::Array(path.clone()));
        let mut shape = Vec::new();
        for (axis, &n) in t.shape.iter().enumerate() {
            shape.push(if n <= KNOWN_LENGTH || self.fixed.contains(path) {
                Length::Known(n)
            } else {
                self.sources.push(Source::Length(path.clone(), axis));
                let length = self.b.scalar(&format!("{name}n{axis}"), kir::Type::I32);
                self.launch.lengths.insert(length, n);
                Length::Given(length)
            });
        }
        let array = Rc::new(ArrayRef { buf, base: None, shape, element, fit: t.fit, shared: false });
        self.arrays.insert(path.clone(), array.clone());
        Ok(array)
    }

    /// Makes variables that hold a value like this one, not yet set.
    pub fn slot_for(&mut self, name: &str, v: &Val) -> Slot {
        match v {
            Val::Num(n) => {
                let (re, im) = self.number_vars(name, n);
                Slot::Number(n.kind, re, im)
            }
            Val::Small(s) => {
                let items = s.items.iter().map(|n| {
                    let (re, im) = self.number_vars(name, n);
                    (n.kind, re, im)
                });
                Slot::Small(s.shape.clone(), items.collect())
            }
            Val::Either(e) => {
                let (int, float) = (self.number_vars(name, &e.int).0, self.number_vars(name, &e.float).0);
                Slot::Either(e.float.kind, [int, float, self.b.var(name, kir::Type::BOOL)])
            }
            Val::Channel(n) => {
                let (re, im) = self.number_vars(name, n);
                Slot::Channel(n.kind, re, im)
            }
            other => Slot::Fixed(other.clone()),
        }
    }

    fn number_vars(&mut self, name: &str, n: &Num) -> (kir::Var, Option<kir::Var>) {
        let ty = kir::Type::scalar(elem_of(n.kind));
        (self.b.var(name, ty), n.im.map(|_| self.b.var(name, ty)))
    }

    /// The value of a variable here.
    pub fn get_slot(&mut self, slot: &Slot) -> Low<Val> {
        Ok(match slot {
            Slot::Fixed(v) => v.clone(),
            Slot::Number(kind, re, im) => Val::Num(self.get_number(*kind, *re, *im)),
            Slot::Either(kind, [int, float, whole]) => Val::Either(Either {
                whole: self.b.get(*whole),
                int: Num::new(Kind::Int, self.b.get(*int)),
                float: Num::new(*kind, self.b.get(*float)),
            }),
            Slot::Channel(kind, re, im) => Val::Channel(self.get_number(*kind, *re, *im)),
            Slot::Small(shape, items) => {
                let items = items.iter().map(|(k, re, im)| self.get_number(*k, *re, *im)).collect();
                Val::Small(Small { shape: shape.clone(), items, mask: false })
            }
            Slot::Output(array, true) => Val::Num(self.load_flat(array, 0)?),
            Slot::Output(array, false) => Val::Array(array.clone()),
        })
    }

    fn get_number(&mut self, kind: Kind, var: kir::Var, im: Option<kir::Var>) -> Num {
        let re = self.b.get(var);
        Num { im: im.map(|v| self.b.get(v)), var: Some((var, self.facts.changes(var))), ..Num::new(kind, re) }
    }

    /// Opens the scope of a function; how its reads and writes treat what lies outside of an array.
    pub fn push_frame(&mut self, body: &Block, default_access: (Access, Access)) -> Low<()> {
        if self.frames.len() >= MOST_FRAMES {
            refuse!("its functions call each other more than {MOST_FRAMES} deep");
        }
        let mut assigns = Map::default();
        super::count::count(body, 1, &mut assigns);
        self.frames.push(Frame {
            vars: Map::default(),
            defined: Set::default(),
            declared: Map::default(),
            access: Map::default(),
            default_access,
            made: Map::default(),
            captured: Map::default(),
            generics: Map::default(),
            itself: None,
            assigns,
            loops: Vec::new(),
            returned: None,
            wrapped: false,
            iteration: false,
            outputs: Vec::new(),
        });
        Ok(())
    }

    /// A lambda of kernel code with the variables it mentions as they are now.
    pub fn local_function(&mut self, f: &Rc<Function>, itself: Option<Text>) -> Low<Val> {
        let names = Names::of_function(f);
        let mut env = Map::default();
        for name in names.mentioned.iter().chain(&names.assigned) {
            let own = f.params.iter().any(|p| p.name == *name) || f.outputs.iter().any(|o| o.0 == *name);
            if own || itself.as_ref() == Some(name) || env.contains_key(name) {
                continue;
            }
            if let Some(v) = self.variable_value(name)? {
                env.insert(name.clone(), v);
            }
        }
        let access = self.frame().access.clone();
        Ok(Val::Function(Func::Local(Rc::new(Local { ast: f.clone(), env, access, itself }))))
    }

    /// A function of the program by name.
    pub fn global_function(&mut self, name: &Text) -> Option<Val> {
        let id = *self.cx.shared.functions.get(name)?;
        let Some(Value::Function(f)) = self.cx.function(id) else { return None };
        if !self.globals.iter().any(|g| g.0 == *name) {
            self.globals.push((name.clone(), f.clone()));
        }
        Some(Val::Function(Func::Host(f, Path::new(Root::Global(name.clone())))))
    }
}
