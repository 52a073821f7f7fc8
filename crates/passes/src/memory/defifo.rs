//! Makes loads of requests: what the queue would hold are values.
//!
//! * Needs: a SIMD kernel whose requests and receives match (`fifo`).
//! * Gives: a request is a load at its place, a receive is the value of the oldest request; loops carry what waits across
//!   their iterations.
//! * Keeps: every value. A request sees memory as it is when it is made, and so does the load.
//!
//! Requests go through caches that do not see what the launch stores. Where the author of a launch says that a buffer is
//! written in it by other means than the kernel shows (time steps that swap two buffers, for instance), its requests must
//! take the way of loads. It does nothing otherwise. `access` behind it finds rows.
//!
//! ```kir
//! ; launches: uncached=1
//! kernel @f(%p: buf<i32, r>, %q: buf<i32, w>, %n: i32) simd group=16 over=0 {
//!   %l = lane
//!   tmu.request %p[%l]
//!   for %k in 0..%n step 16 {
//!     %j = add %l, %k
//!     tmu.request %p[%j]
//!     %a = tmu.receive <i32>
//!     store.row %q[%k], %a
//!   }
//!   %b = tmu.receive <i32>
//! }
//! ; check: kernel @f(%p: buf<i32, r>, %q: buf<i32, w>, %n: i32) simd group=16 {
//! ; check:   %l = lane
//! ; check:   %0 = load.guarded %p[%l]
//! ; check:   %1 = for %k in 0..%n step 16 (%2: <i32> = %0) {
//! ; check:     %j = add %l, %k
//! ; check:     %3 = load.guarded %p[%j]
//! ; check:     store.row %q[%k], %2
//! ; check:     yield %3
//! ; check:   }
//! ; check: }
//! ```

use crate::analysis::coherence;
use crate::pass::{Facts, Pass, PassCx};
use crate::unroll::emit;
use quadra_base::Diagnostic;
use quadra_base::quick::Map;
use quadra_kir::{Block, Elem, Inst, Kernel, Level, Mode, Op, Type, Value, Values};

/// The pass.
pub const PASS: Pass = Pass {
    name: "defifo",
    about: "makes loads of requests that must see what is stored",
    needs: Facts::VALUES.and(Facts::SIMD),
    gives: Facts::NONE,
    run: pass,
};

fn pass(kernel: &mut Kernel, cx: &PassCx<'_>) -> Result<(), Vec<Diagnostic>> {
    let uncached = coherence::named(kernel, cx.launches.uncached);
    if kernel.body.any(&mut |i| i.op == Op::TmuRequest && i.buf.is_some_and(|b| uncached.contains(&b))) {
        run(kernel);
    }
    Ok(())
}

/// Replaces all requests and receives of `kernel`.
pub fn run(kernel: &mut Kernel) {
    if kernel.level != Level::Simd {
        return;
    }
    let map = kernel.rewrite(|kernel, body| {
        let mut d = Defifo { kernel, map: Map::default() };
        d.block(body, &mut Vec::new(), 0);
        d.map
    });
    kernel.replace_uses(&map);
}

struct Defifo<'k> {
    kernel: &'k mut Kernel,
    map: Map<Value, Value>,
}

impl Defifo<'_> {
    /// Rewrites a block in which the values of `queue` wait, oldest first. `yields`: whether its `yield` passes them on.
    fn block(&mut self, block: &mut Block, queue: &mut Vec<Value>, yields: usize) {
        let mut out = Vec::with_capacity(block.insts.len());
        for mut inst in std::mem::take(&mut block.insts) {
            match inst.op {
                Op::TmuRequest => {
                    inst.op = Op::Load;
                    inst.mode = Mode::Guarded;
                    let elem = self.kernel.bufs[inst.buf.expect("a request names a buffer")].elem;
                    let lanes = self.kernel.ty(inst.args[0]).lanes;
                    let v = self.kernel.new_value(Type::scalar(elem).with_lanes(lanes));
                    inst.results = Values::from_slice(&[v]);
                    queue.push(v);
                    out.push(inst);
                }
                Op::TmuReceive => {
                    let got = queue.remove(0);
                    self.receive(inst, got, &mut out);
                }
                Op::If => {
                    self.branch(&mut inst, queue);
                    out.push(inst);
                }
                Op::For | Op::Loop => {
                    self.repeat(&mut inst, queue);
                    out.push(inst);
                }
                Op::Break | Op::Continue => {
                    inst.args.extend(queue.iter().copied());
                    out.push(inst);
                }
                Op::Yield => {
                    inst.args.extend_from_slice(&queue[..yields.min(queue.len())]);
                    out.push(inst);
                }
                _ => out.push(inst),
            }
        }
        block.insts = out;
    }

    /// The value that a receive gets, in the type that it wants.
    fn receive(&mut self, receive: Inst, got: Value, out: &mut Vec<Inst>) {
        let want = self.kernel.ty(receive.result());
        let mut got = got;
        if want.lanes && !self.kernel.ty(got).lanes {
            // One element for all lanes, as one per lane: a choice between equals that each lane makes.
            let zero = self.kernel.const_i32(0);
            let lane = emit(self.kernel, Op::Lane, &[], Type::I32.with_lanes(true), &receive, out);
            let each = emit(self.kernel, Op::CmpGe, &[lane, zero], Type::BOOL.with_lanes(true), &receive, out);
            let ty = self.kernel.ty(got).with_lanes(true);
            got = emit(self.kernel, Op::Select, &[each, got, got], ty, &receive, out);
        }
        if self.kernel.ty(got).elem != want.elem {
            let bits = if want.elem == Elem::F32 { Op::BitsF32 } else { Op::BitsI32 };
            got = emit(self.kernel, bits, &[got], want, &receive, out);
        }
        self.map.insert(receive.result(), got);
    }

    fn branch(&mut self, inst: &mut Inst, queue: &mut Vec<Value>) {
        let mut after: Option<Vec<Value>> = None;
        for region in &mut inst.regions {
            let mut here = queue.clone();
            self.block(region, &mut here, usize::MAX);
            if region.terminator().is_some_and(|t| t.op == Op::Yield) {
                after = Some(match after {
                    None => here,
                    Some(old) => wider(self.kernel, old, &here),
                });
            }
        }
        // A branch that is never left leaves nothing behind it, either.
        let Some(after) = after else { return };
        *queue = self.results(inst, &after);
    }

    fn repeat(&mut self, inst: &mut Inst, queue: &mut Vec<Value>) {
        inst.args.extend(queue.iter().copied());
        let types: Vec<Type> = queue.iter().map(|&v| self.kernel.ty(v).with_lanes(true)).collect();
        let params: Vec<Value> = types.iter().map(|&ty| self.kernel.new_value(ty)).collect();
        let body = &mut inst.regions[0];
        body.params.extend_from_slice(&params);
        let mut here = params;
        self.block(body, &mut here, usize::MAX);
        *queue = types
            .iter()
            .map(|&ty| {
                let v = self.kernel.new_value(ty);
                inst.results.push(v);
                v
            })
            .collect();
    }

    /// New results of an instruction, of the types of these values.
    fn results(&mut self, inst: &mut Inst, like: &[Value]) -> Vec<Value> {
        like.iter()
            .map(|&v| {
                let r = self.kernel.new_value(self.kernel.ty(v));
                inst.results.push(r);
                r
            })
            .collect()
    }
}

/// Of two values at each place, the one with an element per lane.
fn wider(kernel: &Kernel, a: Vec<Value>, b: &[Value]) -> Vec<Value> {
    a.into_iter().zip(b).map(|(x, &y)| if kernel.ty(x).lanes { x } else { y }).collect()
}
