//! The new body: segments in loops over the items, everything else as the group runs it.

mod pieces;

use super::plan::Plan;
use super::{is_global, returns};
use quadra_base::quick::{Map, Set};
use quadra_base::{Diagnostic, Span};
use quadra_kir::{Block, Buf, Elem, Inst, Kernel, LANES, Mode, Op, Type, Value, Values, Var};

/// A body in pieces.
enum Node<'k> {
    Group(&'k Inst),
    Cut(&'k Inst, Vec<Vec<Node<'k>>>),
    Barrier(&'k Inst),
    Items(usize, Vec<&'k Inst>),
}

struct Emit<'k> {
    old: &'k Kernel,
    plan: &'k Plan,
    kernel: Kernel,
    items: u32,
    sizes: Vec<u32>,
    extents: Vec<Value>,
    /// What `group`, `num_groups` and the like are, by operation and axis.
    places: Map<(Op, u32), Value>,
    defs: Map<Value, &'k Inst>,
    /// Of values that segments define: which.
    home: Map<Value, usize>,
    /// Memory of values and variables that live across barriers.
    values: Map<Value, Buf>,
    vars: Map<Var, Buf>,
    segments: usize,
    flushes: bool,
    /// Segment at hand: its lane's item, and what stands for values of other segments in it.
    local: Option<Value>,
    segment: Option<usize>,
    here: Map<Value, Value>,
    /// What stands for values of the group, from there on.
    fixed: Map<Value, Value>,
    span: Option<Span>,
}

pub(super) fn emit(kernel: &Kernel, plan: &Plan, items: u32) -> Result<Kernel, Vec<Diagnostic>> {
    let mut new = kernel.clone();
    new.body = Block::default();
    (new.group, new.over, new.whole) = (vec![LANES], 1, true);
    let mut defs = Map::default();
    let mut flushes = false;
    kernel.body.walk(&mut |i| {
        flushes |=
            i.buf.is_some_and(|b| !super::is_input(&kernel.bufs[b])) && i.op.info().effect != quadra_kir::Effect::Pure;
        i.results.iter().for_each(|&r| {
            defs.insert(r, i);
        });
    });
    let extents = (0..kernel.over).map(|a| new.add_scalar(&format!("extent{a}"), Type::I32)).collect();
    let mut e = Emit {
        old: kernel,
        plan,
        kernel: new,
        items,
        sizes: super::group_sizes(kernel),
        extents,
        places: Map::default(),
        defs,
        home: Map::default(),
        values: Map::default(),
        vars: Map::default(),
        segments: 0,
        flushes,
        local: None,
        segment: None,
        here: Map::default(),
        fixed: Map::default(),
        span: kernel.span,
    };
    let nodes = e.cut(&kernel.body);
    e.find_crossing(&nodes);
    let mut out = Vec::new();
    e.preamble(&mut out);
    e.nodes(&nodes, &mut out)?;
    e.kernel.body = Block { params: Values::new(), insts: out };
    Ok(e.kernel)
}

/// The variables that an instruction, or one within it, assigns.
fn assigned(inst: &Inst) -> Vec<Var> {
    let mut vars = Vec::new();
    let mut add = |i: &Inst| {
        if i.op == Op::VarSet {
            vars.extend(i.var);
        }
    };
    add(inst);
    inst.regions.iter().for_each(|r| r.walk(&mut |i| add(i)));
    vars
}

/// Calls `f` with an instruction and all within it.
fn each<'k>(inst: &'k Inst, f: &mut impl FnMut(&'k Inst)) {
    f(inst);
    inst.regions.iter().for_each(|r| r.walk(f));
}

impl<'k> Emit<'k> {
    fn op(&mut self, op: Op, args: &[Value], out: &mut Vec<Inst>) -> Value {
        let types: Vec<Type> = args.iter().map(|&v| self.kernel.ty(v)).collect();
        let ty = op.result_type(quadra_kir::Level::Simt, &types).expect("these are numbers of one type");
        self.push(Inst::new(op, args.iter().copied()), Some(ty), out)
    }

    fn push(&mut self, mut inst: Inst, ty: Option<Type>, out: &mut Vec<Inst>) -> Value {
        let result = ty.map(|ty| self.kernel.new_value(ty));
        inst.results = result.into_iter().collect();
        inst.span = inst.span.or(self.span);
        out.push(inst);
        result.unwrap_or_else(|| self.kernel.const_i32(0))
    }

    /// Where the group is: the digits of its number.
    fn preamble(&mut self, out: &mut Vec<Inst>) {
        let axes = self.sizes.len();
        let number = self.push(Inst::new(Op::Group, []), Some(Type::I32), out);
        let mut counts = Vec::new();
        for (a, &size) in self.sizes.clone().iter().enumerate() {
            let size = self.kernel.const_i32(size as i32);
            counts.push(self.op(Op::Div, &[self.extents[a], size], out));
        }
        let mut rest = number;
        for a in (0..axes).rev() {
            let digit = if a == 0 { rest } else { self.op(Op::Mod, &[rest, counts[a]], out) };
            if a > 0 {
                rest = self.op(Op::Div, &[rest, counts[a]], out);
            }
            let size = self.kernel.const_i32(self.sizes[a] as i32);
            self.places.insert((Op::Group, a as u32), digit);
            self.places.insert((Op::NumGroups, a as u32), counts[a]);
            self.places.insert((Op::GroupSize, a as u32), size);
            self.places.insert((Op::Extent, a as u32), self.extents[a]);
        }
    }

    fn nodes(&mut self, nodes: &[Node<'k>], out: &mut Vec<Inst>) -> Result<(), Vec<Diagnostic>> {
        for node in nodes {
            match node {
                Node::Barrier(inst) if self.flushes => out.push(Inst::new(Op::Flush, []).at(inst.span)),
                Node::Barrier(_) => {}
                Node::Group(inst) => {
                    self.span = inst.span;
                    self.here.clear();
                    let new = self.inst(inst, out);
                    out.extend(new);
                }
                Node::Cut(inst, regions) => {
                    self.span = inst.span;
                    self.here.clear();
                    let mut new = Inst { regions: Vec::new(), ..(*inst).clone() };
                    new.args = inst.args.iter().map(|&v| self.value(v, out)).collect();
                    for (region, block) in regions.iter().zip(&inst.regions) {
                        let mut insts = Vec::new();
                        self.nodes(region, &mut insts)?;
                        new.regions.push(Block { params: block.params.clone(), insts });
                    }
                    out.push(new);
                }
                Node::Items(number, insts) => self.segment(*number, insts, out)?,
            }
        }
        Ok(())
    }

    /// A segment, in its loop over the items.
    fn segment(&mut self, number: usize, insts: &[&'k Inst], out: &mut Vec<Inst>) -> Result<(), Vec<Diagnostic>> {
        self.span = insts.first().and_then(|i| i.span);
        self.here.clear();
        let mut body = Vec::new();
        let lane = self.push(Inst::new(Op::Lane, []), Some(Type::I32), &mut body);
        let iv = (self.items > LANES).then(|| self.kernel.new_value(Type::I32));
        let local = match iv {
            Some(iv) => self.op(Op::Add, &[iv, lane], &mut body),
            None => lane,
        };
        (self.local, self.segment) = (Some(local), Some(number));
        let mut returning = false;
        for inst in insts {
            each(inst, &mut |i| returning |= i.op == Op::Return);
        }
        let mut inner = Vec::new();
        let target = if returning { &mut inner } else { &mut body };
        self.segment_body(number, insts, target)?;
        if returning {
            // An item that returns leaves this loop of one iteration.
            inner.push(Inst::new(Op::Break, []).at(self.span));
            let mut once = Inst::new(Op::Loop, []).at(self.span);
            once.regions.push(Block { params: Values::new(), insts: inner });
            body.push(once);
        }
        (self.local, self.segment) = (None, None);
        let Some(iv) = iv else {
            out.extend(body);
            return Ok(());
        };
        body.push(Inst::new(Op::Yield, []).at(self.span));
        let bounds = [0, self.items as i32, LANES as i32].map(|n| self.kernel.const_i32(n));
        let mut each = Inst::new(Op::For, bounds).at(self.span);
        each.regions.push(Block { params: Values::from_slice(&[iv]), insts: body });
        out.push(each);
        Ok(())
    }

    fn segment_body(&mut self, number: usize, insts: &[&'k Inst], out: &mut Vec<Inst>) -> Result<(), Vec<Diagnostic>> {
        let (mut vars, mut written) = (Set::default(), Set::default());
        for inst in insts {
            each(inst, &mut |i| {
                vars.extend(i.var.filter(|v| !self.plan.is_group_var(*v)));
            });
            written.extend(assigned(inst));
        }
        let mut vars: Vec<Var> = vars.into_iter().collect();
        vars.sort();
        for &var in &vars {
            let ty = self.kernel.vars[var].ty;
            let value = match self.vars.get(&var).copied() {
                Some(buf) => self.load(buf, ty, out),
                None => self.kernel.constant(quadra_kir::Const::zero(ty.elem)),
            };
            let mut set = Inst::new(Op::VarSet, [value]);
            set.var = Some(var);
            self.push(set, None, out);
        }
        for inst in insts {
            self.span = inst.span;
            let new = self.inst(inst, out);
            out.extend(new);
            self.without_returns(out.last_mut(), false)?;
            for &r in &inst.results {
                if let (Some(&buf), Some(&home)) = (self.values.get(&r), self.home.get(&r))
                    && home == number
                {
                    let value = self.here.get(&r).copied().unwrap_or(r);
                    self.store(buf, value, out);
                }
            }
        }
        for var in vars.into_iter().filter(|v| written.contains(v)) {
            if let Some(&buf) = self.vars.get(&var) {
                let mut get = Inst::new(Op::VarGet, []);
                get.var = Some(var);
                let ty = self.kernel.vars[var].ty;
                let value = self.push(get, Some(ty), out);
                self.store(buf, value, out);
            }
        }
        Ok(())
    }

    /// Makes `break`s of `return`s that no loop of the items surrounds.
    fn without_returns(&self, inst: Option<&mut Inst>, in_loop: bool) -> Result<(), Vec<Diagnostic>> {
        let Some(inst) = inst else { return Ok(()) };
        if inst.op == Op::Return {
            if in_loop {
                return Err(vec![returns(inst.span)]);
            }
            inst.op = Op::Break;
        }
        let in_loop = in_loop || inst.op != Op::If;
        inst.regions.iter_mut().flat_map(|r| &mut r.insts).try_for_each(|i| self.without_returns(Some(i), in_loop))
    }

    /// The element of this item, or of the first one where the group asks for what all of them agree on.
    fn element(&mut self) -> Value {
        self.local.unwrap_or_else(|| self.kernel.const_i32(0))
    }

    fn load(&mut self, buf: Buf, ty: Type, out: &mut Vec<Inst>) -> Value {
        let at = self.element();
        let mut load = Inst::new(Op::Load, [at]);
        (load.buf, load.mode) = (Some(buf), Mode::Inside);
        let value = self.push(load, Some(Type::scalar(stored(ty.elem))), out);
        if ty.elem != Elem::Bool {
            return value;
        }
        let zero = self.kernel.const_i32(0);
        self.op(Op::CmpNe, &[value, zero], out)
    }

    fn store(&mut self, buf: Buf, value: Value, out: &mut Vec<Inst>) {
        let value = if self.kernel.ty(value).elem == Elem::Bool { self.op(Op::ToI32, &[value], out) } else { value };
        let at = self.element();
        let mut store = Inst::new(Op::Store, [at, value]);
        (store.buf, store.mode) = (Some(buf), Mode::Inside);
        self.push(store, None, out);
    }

    fn stands_for(&mut self, old: Value, new: Value) {
        let map = if self.segment.is_some() { &mut self.here } else { &mut self.fixed };
        map.insert(old, new);
    }

    /// What stands for a value here.
    fn value(&mut self, v: Value, out: &mut Vec<Inst>) -> Value {
        if let Some(&new) = self.here.get(&v).or_else(|| self.fixed.get(&v)) {
            return new;
        }
        let home = self.home.get(&v).copied();
        if is_global(self.old, v) || home.is_none() || home == self.segment {
            return v;
        }
        let new = match self.values.get(&v).copied() {
            Some(buf) => {
                let ty = self.kernel.ty(v);
                self.load(buf, ty, out)
            }
            None => {
                let inst = self.defs[&v];
                let mut copy = inst.clone();
                copy.args = inst.args.iter().map(|&a| self.value(a, out)).collect();
                match self.place(&copy, out) {
                    Some(place) => place,
                    None => {
                        let ty = self.kernel.ty(v);
                        self.push(copy, Some(ty), out)
                    }
                }
            }
        };
        self.here.insert(v, new);
        new
    }

    /// What an operation that asks for the item's or group's place gives.
    fn place(&mut self, inst: &Inst, out: &mut Vec<Inst>) -> Option<Value> {
        let axis = inst.imm;
        match inst.op {
            Op::Group | Op::NumGroups | Op::GroupSize | Op::Extent => self.places.get(&(inst.op, axis)).copied(),
            Op::Local => {
                let mut rest = self.local?;
                let after: u32 = self.sizes[axis as usize + 1..].iter().product();
                if after > 1 {
                    let after = self.kernel.const_i32(after as i32);
                    rest = self.op(Op::Div, &[rest, after], out);
                }
                let size = self.sizes[axis as usize];
                if self.sizes[..axis as usize].iter().all(|&n| n == 1) {
                    return Some(rest);
                }
                let size = self.kernel.const_i32(size as i32);
                Some(self.op(Op::Mod, &[rest, size], out))
            }
            Op::Item => {
                let mut local = Inst::new(Op::Local, []);
                local.imm = axis;
                let local = self.place(&local, out)?;
                let group = *self.places.get(&(Op::Group, axis))?;
                let size = self.kernel.const_i32(self.sizes[axis as usize] as i32);
                let first = self.op(Op::Mul, &[group, size], out);
                Some(self.op(Op::Add, &[first, local], out))
            }
            _ => None,
        }
    }

    /// An instruction with all in it as it runs here; nothing if something else stands for its result.
    fn inst(&mut self, inst: &'k Inst, out: &mut Vec<Inst>) -> Option<Inst> {
        if let Some(place) = self.place(inst, out) {
            self.stands_for(inst.result(), place);
            return None;
        }
        // Values of the item's own segment are in front of it, and so are those that are read from memory or computed again.
        let mut new = Inst { regions: Vec::new(), ..inst.clone() };
        new.args = inst.args.iter().map(|&v| self.value(v, out)).collect();
        if let (Op::VarGet, Some(var), None) = (inst.op, inst.var, self.local)
            && let Some(&buf) = self.vars.get(&var)
        {
            let ty = self.kernel.vars[var].ty;
            let value = self.load(buf, ty, out);
            self.stands_for(inst.result(), value);
            return None;
        }
        for block in &inst.regions {
            let mut insts = Vec::new();
            // What is made for one region is not there in another.
            let before = self.here.clone();
            for i in &block.insts {
                let made = self.inst(i, &mut insts);
                insts.extend(made);
            }
            self.here = before;
            new.regions.push(Block { params: block.params.clone(), insts });
        }
        Some(new)
    }
}

/// Truth values lie in memory as numbers.
fn stored(elem: Elem) -> Elem {
    if elem == Elem::Bool { Elem::I32 } else { elem }
}
