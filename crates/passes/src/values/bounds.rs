//! Turns boundary access modes into arithmetic on indices.
//!
//! * Needs: a SIMT kernel without variables.
//! * Gives: every access is `unchecked`, `inside`, or `guarded` as a prefetch is. `clamp`, `mirror` and `circular` become `min`, `max`
//!   and `mod` on the index, `safe` becomes an `if`, `checked` an `assert`.
//! * Keeps: what is loaded and stored.
//!
//! It works per item, because there a condition is just an `if`; behind it nobody needs to know modes. An index is tested with
//! one unsigned comparison: as unsigned, a negative index is a large one.
//!
//! ```kir
//! kernel @f(%p: buf<f32, rw>, %i: i32) simt group=16 over=0 {
//!   %v = load.clamp %p[%i]
//!   store.inside %p[0], %v
//! }
//! ; check: kernel @f(%p: buf<f32, rw>, %i: i32) simt group=16 {
//! ; check:   %0 = dim %p, 0
//! ; check:   %1 = add %0, -1
//! ; check:   %2 = min %i, %1
//! ; check:   %3 = max %2, 0
//! ; check:   %v = load %p[%3]
//! ; check:   store.inside %p[0], %v
//! ; check: }
//! ```

use crate::pass::{Facts, Pass};
use quadra_base::Span;
use quadra_kir::{Block, Buf, Const, Inst, Kernel, Level, Mode, Op, Type, Value, Values};

/// The pass.
pub const PASS: Pass = Pass {
    name: "bounds",
    about: "turns access modes into index arithmetic",
    needs: Facts::VALUES,
    gives: Facts::IN_BOUNDS,
    run: |kernel, _| {
        run(kernel);
        Ok(())
    },
};

/// Lowers the access modes of `kernel`.
pub fn run(kernel: &mut Kernel) {
    let lowered = |i: &Inst| !i.mode.is_plain();
    if kernel.level != Level::Simt || !kernel.body.any(&mut |i| lowered(i)) {
        return;
    }
    kernel.rewrite(block);
}

fn block(kernel: &mut Kernel, b: &mut Block) {
    let mut out = Vec::with_capacity(b.insts.len());
    for mut inst in std::mem::take(&mut b.insts) {
        inst.regions.iter_mut().for_each(|r| block(kernel, r));
        match (inst.op, inst.buf) {
            (Op::Load | Op::Store, Some(buf)) => Lower { kernel, out: &mut out, buf, span: inst.span }.access(inst),
            _ => out.push(inst),
        }
    }
    b.insts = out;
}

struct Lower<'a> {
    kernel: &'a mut Kernel,
    out: &'a mut Vec<Inst>,
    buf: Buf,
    span: Option<Span>,
}

impl Lower<'_> {
    fn access(&mut self, mut inst: Inst) {
        let rank = self.kernel.bufs[self.buf].rank as usize;
        match std::mem::take(&mut inst.mode) {
            mode @ (Mode::Unchecked | Mode::Guarded | Mode::Inside) => inst.mode = mode,
            Mode::Clamp => self.indices(&mut inst, rank, Self::clamp),
            Mode::Mirror => self.indices(&mut inst, rank, Self::mirror),
            Mode::Circular => self.indices(&mut inst, rank, |l, i, n| l.op(Op::Mod, &[i, n])),
            Mode::Safe => return self.safe(inst, rank),
            Mode::Checked => {
                let inside = self.inside(&inst.args[..rank]);
                let text = format!("an index lies outside buffer `{}`", self.kernel.bufs[self.buf].name);
                let mut assert = Inst::new(Op::Assert, [inside]).at(self.span);
                assert.text = Some(text.into());
                self.out.push(assert);
            }
        }
        self.out.push(inst);
    }

    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        let types: Vec<Type> = args.iter().map(|&v| self.kernel.ty(v)).collect();
        let ty = op.result_type(Level::Simt, &types).expect("indices and sizes are i32");
        self.emit(Inst::new(op, args.iter().copied()), ty)
    }

    fn emit(&mut self, mut inst: Inst, ty: Type) -> Value {
        let v = self.kernel.new_value(ty);
        inst.results = Values::from_slice(&[v]);
        inst.span = self.span;
        self.out.push(inst);
        v
    }

    fn dim(&mut self, axis: usize) -> Value {
        let mut inst = Inst::new(Op::Dim, []);
        (inst.buf, inst.imm) = (Some(self.buf), axis as u32);
        self.emit(inst, Type::I32)
    }

    fn indices(&mut self, inst: &mut Inst, rank: usize, f: impl Fn(&mut Self, Value, Value) -> Value) {
        for (axis, index) in inst.args[..rank].iter_mut().enumerate() {
            let n = self.dim(axis);
            *index = f(self, *index, n);
        }
    }

    fn clamp(&mut self, i: Value, n: Value) -> Value {
        let (minus, zero) = (self.kernel.const_i32(-1), self.kernel.const_i32(0));
        let last = self.op(Op::Add, &[n, minus]);
        let low = self.op(Op::Min, &[i, last]);
        self.op(Op::Max, &[low, zero])
    }

    /// With a period of 2n, the second half runs backwards.
    fn mirror(&mut self, i: Value, n: Value) -> Value {
        let minus = self.kernel.const_i32(-1);
        let period = self.op(Op::Add, &[n, n]);
        let j = self.op(Op::Mod, &[i, period]);
        let last = self.op(Op::Add, &[period, minus]);
        let back = self.op(Op::Sub, &[last, j]);
        self.op(Op::Min, &[j, back])
    }

    /// Whether all indices lie inside the buffer.
    fn inside(&mut self, indices: &[Value]) -> Value {
        let mut all: Option<Value> = None;
        for (axis, &i) in indices.iter().enumerate() {
            let n = self.dim(axis);
            let ok = self.op(Op::CmpLtU, &[i, n]);
            all = Some(all.map_or(ok, |a| self.op(Op::And, &[a, ok])));
        }
        all.unwrap_or_else(|| self.kernel.constant(Const::bool(true)))
    }

    fn safe(&mut self, mut inst: Inst, rank: usize) {
        let inside = self.inside(&inst.args[..rank]);
        let results = std::mem::take(&mut inst.results);
        let mut branch = Inst::new(Op::If, [inside]).at(self.span);
        let (mut here, mut there) = (Vec::new(), Vec::new());
        for &r in &results {
            let ty = self.kernel.ty(r);
            inst.results.push(self.kernel.new_value(ty));
            let zero = self.kernel.constant(Const::zero(ty.elem));
            there.push(Inst::new(Op::Yield, [zero]));
        }
        let yields = Inst::new(Op::Yield, inst.results.clone());
        if results.is_empty() {
            there.push(Inst::new(Op::Yield, []));
        }
        here.extend([inst, yields]);
        branch.regions = [here, there].map(|insts| Block { params: Values::new(), insts }).into();
        branch.results = results;
        self.out.push(branch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::{Arg, Launch, Memory, MemoryBuffer, check, interp, parse};

    /// What each mode loads for indices around a buffer of five elements, and what a `safe` store leaves alone, is the
    /// same before and after.
    #[test]
    fn modes_mean_the_same_as_arithmetic() {
        for mode in ["safe", "clamp", "mirror", "circular"] {
            let text = format!(
                "kernel @k(%p: buf<i32, rw>, %q: buf<i32, rw>) simt group=16 over=0 {{
                   for %k in -32..32 step 16 {{
                     %l = lane
                     %i = add %k, %l
                     %v = load.{mode} %p[%i]
                     %o = add %i, 32
                     store %q[%o], %v
                     store.{mode} %p[%i], %v
                   }}
                 }}"
            );
            let before = parse::kernel("t.kir", &text).expect("the test's kernel parses");
            let mut after = before.clone();
            run(&mut after);
            assert_eq!(check::kernel(&after), []);
            assert!(!after.body.any(&mut |i| i.mode != Mode::Unchecked));
            let outcome = |k: &Kernel| {
                let mut memory =
                    Memory { buffers: vec![MemoryBuffer::of_i32(&[3, 1, 4, 1, 5]), MemoryBuffer::of_i32(&[0; 64])] };
                let launch = Launch::new(vec![Arg::Buffer(0), Arg::Buffer(1)]);
                interp::simt::run(k, &mut memory, &launch, &mut |_| {}).map(|_| memory)
            };
            let got = outcome(&after);
            assert!(got.is_ok(), "{mode}: {got:?}");
            assert_eq!(got, outcome(&before), "{mode}");
        }
    }
}
