//! Recognises how a memory operation's lanes lie: uniform, a row of consecutive elements, or each lane on its own.
//!
//! * Needs: a SIMD kernel without variables; buffers have one axis or are flattened.
//! * Gives: `load` and `store` of consecutive lanes become `load.row` and `store.row` with a scalar index; reads of lane 0 of
//!   an affine value are computed from scalars where that is possible.
//! * Keeps: every value and effect.
//!
//! It stands behind `mask`, which makes lanes visible, and before `licm` and `cse`, which then see scalar addresses.
//!
//! ```kir
//! kernel @f(%p: buf<f32, r>, %q: buf<f32, w>, %base: i32) simd group=16 over=0 {
//!   %l = lane
//!   %i = add %base, %l
//!   %x = load %p[%i]
//!   store %q[%i], %x
//! }
//! ; check: kernel @f(%p: buf<f32, r>, %q: buf<f32, w>, %base: i32) simd group=16 {
//! ; check:   %l = lane
//! ; check:   %i = add %base, %l
//! ; check:   %x = load.row %p[%base]
//! ; check:   store.row %q[%base], %x
//! ; check: }
//! ```

use crate::analysis::affine::Affine;
use crate::pass::{Facts, Pass};
use quadra_base::quick::Map;
use quadra_kir::{Block, Inst, Kernel, LANES, Level, Op, Value, Values};

/// The pass.
pub const PASS: Pass = Pass {
    name: "access",
    about: "recognises rows and scalar accesses",
    needs: Facts::SIMD,
    gives: Facts::NONE,
    run: |kernel, _| {
        run(kernel);
        Ok(())
    },
};

/// Rewrites the memory operations of `kernel`.
pub fn run(kernel: &mut Kernel) {
    if kernel.level != Level::Simd {
        return;
    }
    let affine = Affine::of(kernel);
    let mut defs = Map::default();
    kernel.body.walk(&mut |i| {
        if i.op.is_pure()
            && let [r] = i.results[..]
        {
            defs.insert(r, (i.op, i.args.clone()));
        }
    });
    let map = kernel.rewrite(|kernel, body| {
        let mut a = Rows { kernel, affine, defs, map: Map::default() };
        a.block(body);
        a.map
    });
    kernel.replace_uses(&map);
}

struct Rows<'a> {
    kernel: &'a mut Kernel,
    affine: Affine,
    defs: Map<Value, (Op, Values)>,
    map: Map<Value, Value>,
}

/// How many operations may be spent on computing a scalar base instead of reading lane 0.
const DEPTH: u32 = 6;

impl Rows<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(block.insts.len());
        for mut inst in std::mem::take(&mut block.insts) {
            inst.regions.iter_mut().for_each(|r| self.block(r));
            match inst.op {
                Op::Load | Op::Store => self.memory(&mut inst, &mut out),
                Op::Broadcast => {
                    let lane = self.kernel.as_i32(inst.args[1]).map(|n| n.rem_euclid(LANES as i32));
                    if let Some(lane) = lane
                        && let Some(v) = self.lane_of(inst.args[0], lane, DEPTH, &mut out, &inst)
                    {
                        self.map.insert(inst.result(), v);
                        continue;
                    }
                }
                _ => {}
            }
            out.push(inst);
        }
        block.insts = out;
    }

    fn memory(&mut self, inst: &mut Inst, out: &mut Vec<Inst>) {
        let store = inst.op == Op::Store;
        let indices = inst.args.len() - usize::from(store);
        if indices != 1 || !inst.mode.is_plain() {
            return;
        }
        let index = inst.args[0];
        if !self.kernel.ty(index).lanes || self.affine.stride(index) != Some(1) {
            return;
        }
        inst.args[0] = self.first_of(index, DEPTH, out, inst);
        inst.op = if store { Op::StoreRow } else { Op::LoadRow };
    }

    /// A scalar that equals lane 0 of `v`, read from there as far as it cannot be computed: of a sum only the operand that
    /// stands in the way.
    fn first_of(&mut self, v: Value, depth: u32, out: &mut Vec<Inst>, at: &Inst) -> Value {
        if let Some(scalar) = self.lane_of(v, 0, depth, out, at) {
            return scalar;
        }
        if let Some((Op::Add, args)) = self.defs.get(&v).cloned()
            && depth > 0
            && args.iter().any(|&a| self.can(a, depth - 1))
        {
            let scalars: Values = args.into_iter().map(|a| self.first_of(a, depth - 1, out, at)).collect();
            return self.emit(Op::Add, &scalars, out, at);
        }
        let zero = self.kernel.const_i32(0);
        self.emit(Op::Broadcast, &[v, zero], out, at)
    }

    fn emit(&mut self, op: Op, args: &[Value], out: &mut Vec<Inst>, at: &Inst) -> Value {
        let types: Vec<_> = args.iter().map(|&v| self.kernel.ty(v)).collect();
        let ty = op.result_type(Level::Simd, &types).expect("the operands are scalars of the original's types");
        let mut inst = Inst::new(op, args.iter().copied()).at(at.span);
        inst.results = Values::from_slice(&[self.kernel.new_value(ty)]);
        let v = inst.result();
        out.push(inst);
        v
    }

    /// A scalar that equals lane `lane` of `v`, computed from scalars in at most `depth` levels of operations.
    fn lane_of(&mut self, v: Value, lane: i32, depth: u32, out: &mut Vec<Inst>, at: &Inst) -> Option<Value> {
        if !self.kernel.ty(v).lanes {
            return Some(v);
        }
        let (op, args) = self.defs.get(&v)?.clone();
        match op {
            Op::Lane => Some(self.kernel.const_i32(lane)),
            Op::Rotate | Op::Broadcast | Op::LaneActive | Op::VoteAny | Op::VoteAll => None,
            _ if depth == 0 || args.is_empty() => None,
            _ => {
                // Nothing is emitted unless all operands can be had.
                if !args.iter().all(|&a| self.can(a, depth - 1)) {
                    return None;
                }
                let mut scalars = Vec::with_capacity(args.len());
                for a in args {
                    scalars.push(self.lane_of(a, lane, depth - 1, out, at)?);
                }
                if let [a, b] = scalars[..]
                    && op == Op::Add
                {
                    if self.kernel.as_i32(a) == Some(0) {
                        return Some(b);
                    }
                    if self.kernel.as_i32(b) == Some(0) {
                        return Some(a);
                    }
                }
                Some(self.emit(op, &scalars, out, at))
            }
        }
    }

    fn can(&self, v: Value, depth: u32) -> bool {
        if !self.kernel.ty(v).lanes {
            return true;
        }
        match self.defs.get(&v) {
            None | Some((Op::Rotate | Op::Broadcast | Op::LaneActive | Op::VoteAny | Op::VoteAll, _)) => false,
            Some((Op::Lane, _)) => true,
            Some((_, args)) => depth > 0 && !args.is_empty() && args.iter().all(|&a| self.can(a, depth - 1)),
        }
    }
}
