//! What stands around the body: declarations, where an item is, the entry point.

use super::turns::{self, Plan};
use super::{Cx, Expr, Place, Refused, Result, buffers, refused, scalar};
use crate::abi::{self, Form};
use crate::abi::{ENTRY, Target};
use naga::{
    AddressSpace, ArraySize, AtomicFunction, BinaryOperator as B, Binding, BuiltIn, EntryPoint, Expression, Function,
    FunctionArgument, GlobalVariable, Handle, Module, ResourceBinding, Scalar, ScalarKind, ShaderStage, Span,
    Statement, StorageAccess, TypeInner,
};
use quadra_base::quick::Map;
use quadra_kir::{Elem, Kernel, Level, Op, Param, Space};
use std::num::NonZeroU32;

/// Whether items of a group share memory or wait for each other.
pub(crate) fn is_grouped(kernel: &Kernel) -> bool {
    kernel.shared().next().is_some() || kernel.body.any(&mut |i| waits(i.op))
}

/// Whether the items of a group wait for each other there.
pub(super) fn waits(op: Op) -> bool {
    op == Op::Barrier || op.is_cross_lane()
}

/// How the items of a kernel are dealt out.
pub(super) fn form(kernel: &Kernel, target: &Target) -> Result<Form> {
    let no = |what: String| Err(refused(what).at(kernel.span).into());
    if kernel.level != Level::Simt {
        return no("its items are vectors".into());
    }
    if kernel.concurrent {
        return no("its groups wait for each other".into());
    }
    if u32::from(kernel.over) > abi::AXES {
        return no(format!("it is launched over more than {} axes", abi::AXES));
    }
    let grouped = is_grouped(kernel);
    let items: u64 = kernel.group.iter().map(|&n| u64::from(n)).product();
    if items > u64::from(quadra_kir::LANES) && kernel.body.any(&mut |i| i.op.is_cross_lane()) {
        return no(format!("its groups have {items} items, of which 16 each exchange values"));
    }
    if grouped && turns::may_miss(kernel) {
        return no("items may go elsewhere while others of their group wait for them".into());
    }
    let form = Form::new(kernel, grouped, target.items.min(target.group));
    if grouped && form.invocations > target.group {
        return no(format!("its groups have {} items, those of this GPU at most {}", form.invocations, target.group));
    }
    let bytes: u64 = kernel.shared().map(|(_, b)| b.elements().saturating_mul(8)).sum();
    if bytes > u64::from(target.shared_bytes) {
        return no(format!("its groups share {bytes} bytes, those of this GPU at most {}", target.shared_bytes));
    }
    if kernel.values.iter().any(|(_, v)| v.ty.elem == Elem::F64) && !target.float64 {
        return no("it computes with f64".into());
    }
    if kernel.values.iter().any(|(_, v)| v.ty.elem == Elem::I64) && !target.int64 {
        return no("it computes with i64".into());
    }
    Ok(form)
}

impl<'k> Cx<'k> {
    pub(super) fn new(kernel: &'k Kernel, target: &'k Target, form: &Form, plan: Plan) -> Result<Cx<'k>> {
        let mut module = Module::default();
        let word = insert(&mut module, TypeInner::Scalar(Scalar::U32));
        let words = array(&mut module, word, 4, None);
        let atomic = insert(&mut module, TypeInner::Atomic(Scalar::U32));
        let atomics = array(&mut module, atomic, 4, None);
        let header = storage(&mut module, words, abi::HEADER, StorageAccess::LOAD);
        let marks = storage(&mut module, atomics, abi::MARKS, StorageAccess::LOAD | StorageAccess::STORE);
        let bad = variable(&mut module, word, AddressSpace::Private);
        let fuel = variable(&mut module, word, AddressSpace::Private);
        let group_fuel = variable(&mut module, word, AddressSpace::Private);
        let mut cx = Cx {
            kernel,
            target,
            module,
            f: Function { name: Some("item".into()), ..Function::default() },
            blocks: vec![naga::Block::new()],
            values: Map::default(),
            places: Map::default(),
            header,
            marks,
            bad,
            fuel,
            group_fuel,
            loops: Vec::new(),
            returns: None,
            yields: Vec::new(),
            item: Vec::new(),
            local: Vec::new(),
            group: Vec::new(),
            lane: None,
            sizes: form.sizes.clone(),
            grouped: form.grouped,
            live: None,
            in_step: if form.grouped { turns::in_step(kernel) } else { Vec::new() },
            plan,
            next_loop: 0,
            marks_anything: false,
            gathered: Vec::new(),
            exchange: Map::default(),
            invocations: form.invocations,
            zero: None,
            fused_function: None,
        };
        cx.memories()?;
        Ok(cx)
    }

    /// Declares buffers and shared arrays.
    fn memories(&mut self) -> Result {
        let kernel = self.kernel;
        let mut atomic = Vec::new();
        let mut narrow_store = Vec::new();
        kernel.body.walk(&mut |i| {
            if let Some(b) = i.buf {
                if i.op.is_atomic() {
                    atomic.push(b);
                }
                if i.op == Op::Store {
                    narrow_store.push(b);
                }
            }
        });
        let places = abi::places(kernel);
        let dims = |b| {
            let at = kernel.params.iter().position(|p| *p == Param::Buffer(b));
            at.map_or(0, |at| places[at])
        };
        for (number, b) in buffers(kernel).enumerate() {
            let elem = kernel.bufs[b].elem;
            let narrow = matches!(elem, Elem::I8 | Elem::I16);
            if elem == Elem::F16 {
                return Err(self.no(format!("buffer `{}` has half floats", kernel.bufs[b].name)));
            }
            if elem == Elem::I64 && !self.target.int64 || elem == Elem::F64 && !self.target.float64 {
                return Err(self.no(format!("buffer `{}` has elements {elem}", kernel.bufs[b].name)));
            }
            let atomic = atomic.contains(&b) || narrow && narrow_store.contains(&b);
            let ty = self.elements(elem, atomic, None);
            let binding = abi::FIRST_BUFFER + number as u32;
            let global = storage(&mut self.module, ty, binding, StorageAccess::LOAD | StorageAccess::STORE);
            self.places.insert(b, Place { global, elem, atomic, shared: false, dims: dims(b) });
        }
        for (b, info) in kernel.shared() {
            debug_assert_eq!(info.space, Space::Shared);
            if matches!(info.elem, Elem::F16) {
                return Err(self.no(format!("array `{}` has half floats", info.name)));
            }
            let atomic = atomic.contains(&b);
            let ty = self.elements(info.elem.in_register(), atomic, Some(info.elements().max(1) as u32));
            let global = variable(&mut self.module, ty, AddressSpace::WorkGroup);
            self.places.insert(b, Place { global, elem: info.elem, atomic, shared: true, dims: 0 });
        }
        Ok(())
    }

    fn no(&self, what: String) -> Refused {
        refused(what).at(self.kernel.span).into()
    }

    /// The type of an array of elements: words that hold narrow ones, atomic words where `atomic`.
    pub(super) fn elements(&mut self, elem: Elem, atomic: bool, size: Option<u32>) -> Handle<naga::Type> {
        let inner = match elem {
            Elem::I32 if atomic => TypeInner::Atomic(Scalar::I32),
            Elem::I64 | Elem::F64 => TypeInner::Scalar(scalar(elem)),
            _ if atomic => TypeInner::Atomic(Scalar::U32),
            Elem::I32 | Elem::F32 => TypeInner::Scalar(scalar(elem)),
            _ => TypeInner::Scalar(Scalar::U32),
        };
        let base = insert(&mut self.module, inner);
        array(&mut self.module, base, elem.bytes().max(4), size)
    }

    /// Where the item is, and the values of the parameters.
    pub(super) fn prelude(&mut self, form: &Form) {
        let word = self.ty(TypeInner::Scalar(Scalar::U32));
        for name in ["number", "local"] {
            self.f.arguments.push(FunctionArgument { name: Some(name.into()), ty: word, binding: None });
        }
        let number = self.pre(Expression::FunctionArgument(0));
        let inside = self.pre(Expression::FunctionArgument(1));
        let axes = form.sizes.len();
        let mut rest = number;
        let mut index = vec![number; axes];
        for axis in (0..axes).rev() {
            let extent = self.word(abi::EXTENT + axis as u32);
            let length = if form.grouped { self.tiles(extent, form.sizes[axis]) } else { extent };
            let length = self.tiles(length, form.tile(axis));
            if axis > 0 {
                index[axis] = self.binary(B::Modulo, rest, length);
                rest = self.binary(B::Divide, rest, length);
            } else {
                index[axis] = rest;
            }
        }
        let mut within = inside;
        let mut linear = None;
        for axis in (0..axes).rev() {
            let size = form.sizes[axis];
            let (item, local, group) = if form.grouped {
                let local = if axis > 0 { self.times(within, size, B::Modulo) } else { within };
                within = self.times(within, size, B::Divide);
                let first = self.times(index[axis], size, B::Multiply);
                (self.binary(B::Add, first, local), local, index[axis])
            } else {
                let tile = form.tile(axis);
                let item = if tile > 1 { self.times(index[axis], tile, B::Multiply) } else { index[axis] };
                (item, self.times(item, size, B::Modulo), self.times(item, size, B::Divide))
            };
            linear.get_or_insert(local);
            for (list, e) in [(0, item), (1, local), (2, group)] {
                let e = self.bits(e, ScalarKind::Sint);
                [&mut self.item, &mut self.local, &mut self.group][list].insert(0, e);
            }
        }
        let linear = if form.grouped { Some(inside) } else { linear };
        if form.partial {
            self.live = self.there(form, inside);
        }
        self.lane = linear.map(|n| {
            let lane = self.times(n, quadra_kir::LANES, B::Modulo);
            self.bits(lane, ScalarKind::Sint)
        });
        if self.target.folds {
            let count = self.word(abi::COUNT);
            let ones = self.math(naga::MathFunction::CountOneBits, count);
            self.zero = Some(self.times(ones, 6, B::ShiftRight));
        }
        self.parameters();
    }

    /// Whether the item is one of the launch, and of its group.
    fn there(&mut self, form: &Form, inside: Expr) -> Option<Expr> {
        let mut there = Vec::new();
        for (axis, item) in (0..).zip(self.item.clone()) {
            let (item, extent) = (self.bits(item, ScalarKind::Uint), self.word(abi::EXTENT + axis));
            there.push(self.binary(B::Less, item, extent));
        }
        let items = form.sizes.iter().product();
        if form.invocations > items {
            there.push(self.times(inside, items, B::Less));
        }
        there.into_iter().reduce(|a, b| self.binary(B::LogicalAnd, a, b))
    }

    /// How many tiles of so many items there are.
    fn tiles(&mut self, items: Expr, tile: u32) -> Expr {
        if tile == 1 {
            return items;
        }
        let more = self.times(items, tile - 1, B::Add);
        self.times(more, tile, B::Divide)
    }

    /// `a` and a constant, combined.
    pub(super) fn times(&mut self, a: Expr, by: u32, op: B) -> Expr {
        let by = self.u32(by);
        self.binary(op, a, by)
    }

    fn parameters(&mut self) {
        let places = abi::places(self.kernel);
        for (param, &at) in self.kernel.params.iter().zip(&places) {
            let Param::Scalar(v) = *param else { continue };
            let low = self.word(at);
            let value = match self.elem(v) {
                Elem::Bool => {
                    let zero = self.u32(0);
                    self.binary(B::NotEqual, low, zero)
                }
                Elem::F32 | Elem::F16 => self.bits(low, ScalarKind::Float),
                elem @ (Elem::I64 | Elem::F64) => {
                    let high = self.word(at + 1);
                    let wide = self.wide(low, high);
                    let kind = if elem == Elem::I64 { ScalarKind::Sint } else { ScalarKind::Float };
                    self.bits(wide, kind)
                }
                _ => self.bits(low, ScalarKind::Sint),
            };
            self.values.insert(v, value);
        }
    }

    /// 64 bits of two words.
    fn wide(&mut self, low: Expr, high: Expr) -> Expr {
        let (low, high) = (self.convert(low, ScalarKind::Uint, 8), self.convert(high, ScalarKind::Uint, 8));
        let by = self.u32(32);
        let high = self.binary(B::ShiftLeft, high, by);
        self.binary(B::InclusiveOr, high, low)
    }

    /// The module: the body as a function, and the entry point that calls it.
    pub(super) fn finish(mut self, form: &Form) -> Module {
        let body = self.blocks.pop().expect("the body's block is always there");
        let item = Function { body, ..std::mem::take(&mut self.f) };
        let item = self.module.functions.append(item, Span::UNDEFINED);
        self.blocks.push(naga::Block::new());
        let word = self.ty(TypeInner::Scalar(Scalar::U32));
        let three = TypeInner::Vector { size: naga::VectorSize::Tri, scalar: Scalar::U32 };
        let three = self.ty(three);
        for (ty, builtin) in [(three, BuiltIn::WorkGroupId), (word, BuiltIn::LocalInvocationIndex)] {
            let binding = Some(Binding::BuiltIn(builtin));
            self.f.arguments.push(FunctionArgument { name: None, ty, binding });
        }
        let group = self.pre(Expression::FunctionArgument(0));
        let inside = self.pre(Expression::FunctionArgument(1));
        let [x, y] = [0, 1].map(|index| self.emit(Expression::AccessIndex { base: group, index }));
        let across = self.word(abi::ACROSS);
        let row = self.binary(B::Multiply, y, across);
        let group = self.binary(B::Add, row, x);
        let count = self.word(abi::COUNT);
        let Plan { fuel, group_fuel, .. } = self.plan;
        let (fuel, group_fuel, zero) = (self.u32(fuel), self.u32(group_fuel), self.u32(0));
        self.set_global(self.fuel, fuel);
        self.set_global(self.group_fuel, group_fuel);
        self.set_global(self.bad, zero);
        if self.gathered.is_empty() {
            let first = if form.grouped { group } else { self.times(group, form.invocations, B::Multiply) };
            let number = if form.grouped { first } else { self.binary(B::Add, first, inside) };
            let base = self.word(abi::BASE);
            let number = self.binary(B::Add, number, base);
            let count = if form.grouped || !self.plan.counts() { count } else { self.unless_slow(count) };
            self.call(item, (number, count, inside));
            self.leave_marks(number);
        } else {
            self.gather_series(form, (group, inside, count), item);
        }
        let body = self.blocks.pop().expect("it has just been pushed");
        let function = Function { body, ..std::mem::take(&mut self.f) };
        self.module.entry_points.push(EntryPoint {
            name: ENTRY.into(),
            stage: ShaderStage::Compute,
            early_depth_test: None,
            workgroup_size: [form.invocations, 1, 1],
            workgroup_size_overrides: None,
            function,
            mesh_info: None,
            task_payload: None,
            incoming_ray_payload: None,
        });
        self.module
    }

    /// So many items, or none once one took too long: the launch is dropped, and the others would only keep the GPU busy.
    fn unless_slow(&mut self, count: Expr) -> Expr {
        let base = self.pre(Expression::GlobalVariable(self.marks));
        let pointer = self.emit(Expression::AccessIndex { base, index: 0 });
        let marks = self.emit(Expression::Load { pointer });
        let slow = self.times(marks, abi::MARK_FUEL, B::And);
        let none = self.u32(0);
        let slow = self.binary(B::NotEqual, slow, none);
        self.select(slow, none, count)
    }

    /// Calls the body for an item, if there is one of this number.
    pub(super) fn call(&mut self, body: Handle<Function>, (number, count, inside): (Expr, Expr, Expr)) {
        let condition = self.binary(B::Less, number, count);
        let mut accept = naga::Block::new();
        let arguments = vec![number, inside];
        accept.push(Statement::Call { function: body, arguments, result: None }, Span::UNDEFINED);
        self.push(Statement::If { condition, accept, reject: naga::Block::new() });
    }

    /// Says in the marks what went wrong, and which of the items that took too long is the first.
    pub(super) fn leave_marks(&mut self, number: Expr) {
        if !self.marks_anything {
            return;
        }
        let bad = self.get_global(self.bad);
        let zero = self.u32(0);
        let any = self.binary(B::NotEqual, bad, zero);
        self.blocks.push(naga::Block::new());
        let slow = self.u32(abi::MARK_FUEL);
        let slow = self.binary(B::And, bad, slow);
        let slow = self.binary(B::NotEqual, slow, zero);
        let none = self.u32(u32::MAX);
        let first = self.select(slow, number, none);
        for (index, fun, value) in [(0, AtomicFunction::InclusiveOr, bad), (1, AtomicFunction::Min, first)] {
            let base = self.pre(Expression::GlobalVariable(self.marks));
            let pointer = self.emit(Expression::AccessIndex { base, index });
            self.push(Statement::Atomic { pointer, fun, value, result: None });
        }
        let accept = self.blocks.pop().expect("it has just been pushed");
        self.push(Statement::If { condition: any, accept, reject: naga::Block::new() });
    }
}

fn insert(module: &mut Module, inner: TypeInner) -> Handle<naga::Type> {
    module.types.insert(naga::Type { name: None, inner }, Span::UNDEFINED)
}

fn array(module: &mut Module, base: Handle<naga::Type>, stride: u32, size: Option<u32>) -> Handle<naga::Type> {
    let size = size.and_then(NonZeroU32::new).map_or(ArraySize::Dynamic, ArraySize::Constant);
    insert(module, TypeInner::Array { base, size, stride })
}

pub(super) fn variable(module: &mut Module, ty: Handle<naga::Type>, space: AddressSpace) -> Handle<GlobalVariable> {
    let memory_decorations = naga::MemoryDecorations::empty();
    let variable = GlobalVariable { name: None, space, binding: None, ty, init: None, memory_decorations };
    module.global_variables.append(variable, Span::UNDEFINED)
}

fn storage(module: &mut Module, ty: Handle<naga::Type>, binding: u32, access: StorageAccess) -> Handle<GlobalVariable> {
    let global = variable(module, ty, AddressSpace::Storage { access });
    module.global_variables[global].binding = Some(ResourceBinding { group: 0, binding });
    global
}
