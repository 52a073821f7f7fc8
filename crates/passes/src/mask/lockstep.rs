//! SIMD level back to SIMT, for devices whose lanes are threads of their own: each lane becomes an item of a group of 16 that come to
//! every branch together.
//!
//! * Needs: a SIMD kernel as `mask` leaves it.
//! * Gives: a SIMT kernel launched over an extent, which was one of workers: `worker` is the group. Control flow is the same for the
//!   items of a group, but for what a mask leaves out.
//! * Keeps: what a lane sees of the others. Lanes of a vector go in step, items do not: they wait for each other before and behind a
//!   store to a buffer that the kernel accesses elsewhere, too, and one of them loads what all of them must know alike.
//!
//! ```kir
//! kernel @f(%p: buf<i32, rw>) simd group=16 over=0 {
//!   %w = worker
//!   %l = lane
//!   %c = cmp.lt %l, 3
//!   %x = load %p[%l] if %c
//!   %y = rotate %x, 1
//!   store %p[%l], %y
//! }
//! ; check: kernel @f(%p: buf<i32, rw>) simt group=16 over=1 whole {
//! ; check:   %w = group 0
//! ; check:   %l = lane
//! ; check:   %c = cmp.lt %l, 3
//! ; check:   %x = if %c {
//! ; check:     %0 = load %p[%l]
//! ; check:     yield %0
//! ; check:   } else { yield 0 }
//! ; check:   %y = rotate %x, 1
//! ; check:   barrier
//! ; check:   store %p[%l], %y
//! ; check:   barrier
//! ; check: }
//! ```

use crate::defifo;
use crate::pass::{Facts, Pass};
use quadra_base::quick::Map;
use quadra_kir::{Block, Buf, Const, Elem, Inst, Kernel, LANES, Level, Op, Type, Value};

/// The pass.
pub const PASS: Pass = Pass {
    name: "lockstep",
    about: "makes items that take every branch together of lanes",
    needs: Facts::VALUES.and(Facts::SIMD),
    gives: Facts::NONE,
    run: |kernel, _| {
        if kernel.level == Level::Simd {
            run(kernel);
        }
        Ok(())
    },
};

/// Makes items of lanes, and loads of requests.
pub fn run(kernel: &mut Kernel) {
    defifo::run(kernel);
    let mut shared = Lockstep { accesses: accesses(&kernel.body), kernel };
    let body = std::mem::take(&mut shared.kernel.body);
    shared.kernel.body = shared.block(body);
    kernel.level = Level::Simt;
    if kernel.over == 0 {
        kernel.over = 1;
        kernel.group = vec![LANES];
        kernel.whole = true;
    }
    let all: Vec<Value> = kernel.values.iter().map(|(v, _)| v).collect();
    for v in all {
        let ty = kernel.ty(v);
        kernel.values[v].ty = ty.with_lanes(false);
    }
}

/// What a kernel does to a buffer.
#[derive(Clone, Copy, Default)]
struct Access {
    loads: bool,
    writes: bool,
    /// Whether what is written is accessed once more: by another instruction, or by the same one in a loop.
    again: bool,
}

fn accesses(body: &Block) -> Map<Buf, Access> {
    fn block(body: &Block, in_loop: bool, found: &mut Map<Buf, Access>) {
        for inst in &body.insts {
            if let Some(buf) = inst.buf.filter(|_| inst.op.accesses_memory()) {
                let seen = found.contains_key(&buf);
                let access = found.entry(buf).or_default();
                access.loads |= inst.op == Op::Load;
                access.writes |= inst.op != Op::Load;
                access.again |= seen || in_loop;
            }
            let in_loop = in_loop || matches!(inst.op, Op::For | Op::Loop);
            inst.regions.iter().for_each(|r| block(r, in_loop, found));
        }
    }
    let mut found = Map::default();
    block(body, false, &mut found);
    found
}

struct Lockstep<'k> {
    kernel: &'k mut Kernel,
    accesses: Map<Buf, Access>,
}

impl Lockstep<'_> {
    fn block(&mut self, block: Block) -> Block {
        let mut out = Vec::with_capacity(block.insts.len());
        for mut inst in block.insts {
            inst.regions = std::mem::take(&mut inst.regions).into_iter().map(|r| self.block(r)).collect();
            self.inst(inst, &mut out);
        }
        Block { params: block.params, insts: out }
    }

    fn inst(&mut self, mut inst: Inst, out: &mut Vec<Inst>) {
        let access = inst.buf.and_then(|b| self.accesses.get(&b)).copied().unwrap_or_default();
        match inst.op {
            Op::Worker => (inst.op, inst.imm) = (Op::Group, 0),
            Op::NumWorkers => (inst.op, inst.imm) = (Op::NumGroups, 0),
            Op::VoteAny | Op::VoteAll => {
                if let Some(mask) = inst.mask.take() {
                    let asked = inst.args[0];
                    let live = match inst.op {
                        Op::VoteAny => self.op(Op::And, &[mask, asked], out),
                        _ => {
                            let absent = self.op(Op::Not, &[mask], out);
                            self.op(Op::Or, &[absent, asked], out)
                        }
                    };
                    inst.args[0] = live;
                }
            }
            Op::Load if !self.kernel.ty(inst.result()).lanes => return self.uniform_load(inst, access, out),
            Op::Load | Op::Assert | Op::Print => return self.where_live(inst, out),
            op if op.accesses_memory() => {
                let wait = || Inst::new(Op::Barrier, []).at(inst.span);
                out.extend(access.again.then(wait));
                let behind = (access.again && access.loads).then(wait);
                self.where_live(inst, out);
                out.extend(behind);
                return;
            }
            _ => {}
        }
        out.push(inst);
    }

    /// A load that gives all lanes the same: it happens if any of them is live. Of what the launch may change meanwhile the first
    /// item tells the others.
    fn uniform_load(&mut self, mut inst: Inst, access: Access, out: &mut Vec<Inst>) {
        if let Some(mask) = inst.mask.take() {
            inst.mask = Some(self.op(Op::VoteAny, &[mask], out));
        }
        if !access.writes {
            return self.where_live(inst, out);
        }
        let (result, span) = (inst.result(), inst.span);
        let own = self.kernel.new_value(self.kernel.ty(result));
        inst.results[0] = own;
        self.where_live(inst, out);
        let first = self.kernel.const_i32(0);
        let mut told = Inst::new(Op::Broadcast, [own, first]).at(span);
        told.results.push(result);
        out.push(told);
    }

    /// The instruction in items whose mask holds; others get 0.
    fn where_live(&mut self, mut inst: Inst, out: &mut Vec<Inst>) {
        let Some(mask) = inst.mask.take() else { return out.push(inst) };
        let results = std::mem::take(&mut inst.results);
        let span = inst.span;
        let (mut given, mut none) = (Vec::new(), Vec::new());
        for &result in &results {
            let ty = self.kernel.ty(result);
            let own = self.kernel.new_value(ty);
            inst.results.push(own);
            given.push(own);
            none.push(self.kernel.constant(Const { elem: ty.elem, bits: 0 }));
        }
        let region = |insts: Vec<Inst>| Block { insts, ..Block::default() };
        let live = region(vec![inst, Inst::new(Op::Yield, given)]);
        let mut branch = Inst::new(Op::If, [mask]).at(span);
        branch.regions = vec![live, region(vec![Inst::new(Op::Yield, none)])];
        branch.results = results;
        out.push(branch);
    }

    fn op(&mut self, op: Op, args: &[Value], out: &mut Vec<Inst>) -> Value {
        let result = self.kernel.new_value(Type::scalar(Elem::Bool));
        let mut inst = Inst::new(op, args.iter().copied());
        inst.results.push(result);
        out.push(inst);
        result
    }
}
