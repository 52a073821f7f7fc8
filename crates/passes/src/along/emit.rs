//! The kernel whose items come one after the other.

use super::{Carried, Strips};
use quadra_base::quick::{Map, Set};
use quadra_base::{Span, bug};
use quadra_kir::{Block, Elem, Inst, Kernel, LANES, Level, Op, Type, Value, Values};

/// A kernel under construction.
pub(super) struct Emit {
    pub kernel: Kernel,
    pub strips: Strips,
    /// What stands for a value of the SIMT kernel.
    pub map: Map<Value, Value>,
    /// The lanes' numbers.
    pub lane: Value,
    /// Uses of each value of the SIMT kernel.
    uses: Vec<u32>,
    /// Totals that an outer loop goes on with: the counter, and which carried value.
    pub deferred: Set<(Value, usize)>,
    /// Whether items come one after the other; else code around the loops stays as it is.
    items: bool,
    /// Whether a vector is one register.
    pub whole: bool,
}

/// The kernel with the turns of these loops along the lanes, which compute with scalars.
pub(super) fn in_place(mut kernel: Kernel, strips: Strips, whole: bool) -> Kernel {
    let uses = kernel.use_counts();
    let body = std::mem::take(&mut kernel.body);
    let lane = kernel.new_value(Type::vector(Elem::I32));
    let (map, deferred) = (Map::default(), Set::default());
    let mut e = Emit { kernel, strips, map, lane, uses, deferred, items: false, whole };
    let mut inst = Inst::new(Op::Lane, []);
    inst.results = Values::from_slice(&[lane]);
    let (params, mut insts) = (body.params.clone(), vec![inst]);
    e.block(body, &mut insts);
    e.kernel.body = Block { params, insts };
    e.kernel.whole = true;
    e.kernel
}

/// The kernel with the turns of these loops along the lanes.
pub(super) fn run(mut kernel: Kernel, strips: Strips, whole: bool) -> Kernel {
    let uses = kernel.use_counts();
    let body = std::mem::take(&mut kernel.body);
    kernel.level = Level::Simd;
    let last = kernel.over as u32 - 1;
    let lane = kernel.new_value(Type::vector(Elem::I32));
    let (map, deferred) = (Map::default(), Set::default());
    let mut e = Emit { kernel, strips, map, lane, uses, deferred, items: true, whole };
    let mut out = Vec::new();
    let mut inst = Inst::new(Op::Lane, []);
    inst.results = Values::from_slice(&[lane]);
    out.push(inst);
    let groups: Vec<Value> = (0..=last).map(|axis| e.axis(Op::Group, axis, &mut out)).collect();
    let (four, sixteen, one) = (e.kernel.const_i32(4), e.kernel.const_i32(LANES as i32), e.kernel.const_i32(1));
    let first = e.op(Op::Shl, &[groups[last as usize], four], &mut out, None);
    let mut end = e.op(Op::Add, &[first, sixteen], &mut out, None);
    if !e.kernel.whole {
        let extent = e.axis(Op::Extent, last, &mut out);
        end = e.op(Op::Min, &[end, extent], &mut out, None);
    }
    let item = e.kernel.new_value(Type::I32);
    body.walk(&mut |i| {
        if i.op == Op::Item {
            let axis = i.imm;
            e.map.insert(i.result(), if axis == last { item } else { groups[axis as usize] });
        }
    });
    let mut insts = Vec::new();
    e.block(body, &mut insts);
    insts.push(Inst::new(Op::Yield, []));
    let mut items = Inst::new(Op::For, [first, end, one]);
    items.regions = vec![Block { params: Values::from_slice(&[item]), insts }];
    out.push(items);
    out.push(Inst::new(Op::Return, []));
    let mut kernel = e.kernel;
    kernel.body = Block { params: Values::new(), insts: out };
    // Lanes are no items, so that all of them exist.
    kernel.whole = true;
    kernel
}

impl Emit {
    pub(super) fn at(&self, v: Value) -> Value {
        self.map.get(&v).copied().unwrap_or(v)
    }

    pub(super) fn op(&mut self, op: Op, args: &[Value], out: &mut Vec<Inst>, span: Option<Span>) -> Value {
        let types: Vec<Type> = args.iter().map(|&v| self.kernel.ty(v)).collect();
        let ty = op.result_type(Level::Simd, &types).unwrap_or_else(|e| bug!("along: {e}"));
        let mut inst = Inst::new(op, args.iter().copied()).at(span);
        inst.results = Values::from_slice(&[self.kernel.new_value(ty)]);
        let result = inst.result();
        out.push(inst);
        result
    }

    fn axis(&mut self, op: Op, axis: u32, out: &mut Vec<Inst>) -> Value {
        let v = self.op(op, &[], out, None);
        out.last_mut().expect("an instruction was just added").imm = axis;
        v
    }

    /// Scalar code: as it was, around the loops whose turns are lanes.
    fn block(&mut self, block: Block, out: &mut Vec<Inst>) {
        for mut inst in block.insts {
            match inst.op {
                Op::Item | Op::Return if self.items => continue,
                Op::For if self.strips.contains_key(&inst.regions[0].params[0]) => {
                    self.strip(&inst, out);
                    continue;
                }
                Op::For => {
                    self.outer(inst, out);
                    continue;
                }
                _ => {}
            }
            self.rename(&mut inst);
            for region in &mut inst.regions {
                self.region(region);
            }
            out.push(inst);
        }
    }

    fn rename(&self, inst: &mut Inst) {
        inst.args.iter_mut().chain(&mut inst.mask).for_each(|v| *v = self.at(*v));
    }

    fn region(&mut self, region: &mut Block) {
        let mut insts = Vec::new();
        let body = Block { params: Values::new(), insts: std::mem::take(&mut region.insts) };
        self.block(body, &mut insts);
        region.insts = insts;
    }

    /// A counted loop of scalar code. Totals of loops within that it only carries on are added up behind it.
    fn outer(&mut self, mut inst: Inst, out: &mut Vec<Inst>) {
        let counter = inst.regions[0].params[0];
        let many = inst.results.len();
        let deferring: Vec<Option<(Op, (Value, usize))>> = (0..many).map(|n| self.defers(&inst, n)).collect();
        let begins: Vec<Value> = inst.carried().iter().map(|&v| self.at(v)).collect();
        self.rename(&mut inst);
        let mut totals = Vec::new();
        for (n, deferring) in deferring.into_iter().enumerate() {
            let Some((op, inner)) = deferring else { continue };
            self.deferred.insert(inner);
            let (param, result) = (inst.regions[0].params[1 + n], inst.results[n]);
            let lanes = self.kernel.ty(param).with_lanes(true);
            let (new, all) = (self.kernel.new_value(lanes), self.kernel.new_value(lanes));
            self.map.insert(param, new);
            (inst.regions[0].params[1 + n], inst.results[n]) = (new, all);
            // The value is one of lanes already if a loop further out carries it on.
            let further = self.deferred.contains(&(counter, n));
            if further {
                self.map.insert(result, all);
            } else {
                inst.args[3 + n] = self.beginning(op, begins[n]);
                totals.push((op, begins[n], all, result));
            }
        }
        let mut region = std::mem::take(&mut inst.regions[0]);
        self.region(&mut region);
        inst.regions[0] = region;
        let span = inst.span;
        out.push(inst);
        for (op, begin, all, result) in totals {
            let total = self.whole_total(op, begin, all, out, span);
            self.map.insert(result, total);
        }
    }

    /// Whether carried value `n` of a loop only goes through a loop within, which makes a total of it: by which operation, and
    /// as which carried value of which loop.
    fn defers(&self, inst: &Inst, n: usize) -> Option<(Op, (Value, usize))> {
        let body = &inst.regions[0];
        let param = *body.params.get(1 + n)?;
        let leaves = [Op::Break, Op::Continue, Op::Return].into_iter().any(|op| body.exits(op) > 0);
        let end = body.terminator().filter(|t| t.op == Op::Yield && !leaves)?.args[n];
        let alone = |v: Value| self.uses.get(v.index()) == Some(&1);
        let inner = body.insts.iter().find(|i| i.op == Op::For && i.results.contains(&end))?;
        let m = inner.results.iter().position(|r| *r == end)?;
        if inner.carried()[m] != param || !alone(param) || !alone(end) {
            return None;
        }
        let counter = inner.regions[0].params[0];
        let op = match self.strips.get(&counter) {
            Some(strip) => match strip.carried[m] {
                Carried::Total(op) => op,
                _ => return None,
            },
            None => self.defers(inner, m)?.0,
        };
        // The sign of a zero may ask for a look at the turns in their order.
        let again = matches!(op, Op::Min | Op::Max) && self.kernel.ty(param).elem.is_float();
        (!again).then_some((op, (counter, m)))
    }
}
