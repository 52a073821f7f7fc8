//! Turns the variables of front ends into values.
//!
//! * Needs: a SIMT kernel.
//! * Gives: no `get`, no `set`; what a region assigns becomes a result of its `if`, a carried value of its loop.
//! * Keeps: everything else, in order.
//!
//! It comes first, because every analysis reads values, not variables. Control flow is structured, so one walk suffices: no
//! dominance frontiers, no phis. A `set` under a condition that differs between lanes needs no care here: the `if`'s
//! result is chosen lane by lane.
//!
//! ```kir
//! kernel @f(%p: buf<i32, w>, %x: i32) simt group=16 over=0 {
//!   var $v: i32
//!   set $v, %x
//!   %c = cmp.lt %x, 0
//!   if %c { %n = neg %x  set $v, %n } else {}
//!   %r = get $v
//!   store %p[0], %r
//! }
//! ; check: kernel @f(%p: buf<i32, w>, %x: i32) simt group=16 {
//! ; check:   %c = cmp.lt %x, 0
//! ; check:   %v = if %c {
//! ; check:     %n = neg %x
//! ; check:     yield %n
//! ; check:   } else { yield %x }
//! ; check:   store %p[0], %v
//! ; check: }
//! ```

use crate::pass::{Facts, Pass};
use quadra_base::quick::Map;
use quadra_kir::{Block, Const, Inst, Kernel, Op, Value, Var};

/// The pass.
pub const PASS: Pass = Pass {
    name: "promote",
    about: "turns variables into values",
    needs: Facts::NONE,
    gives: Facts::VALUES,
    run: |kernel, _| {
        run(kernel);
        Ok(())
    },
};

/// What each variable holds here, by its index; one without a value still holds zero.
type Env = Vec<Option<Value>>;

/// Promotes all variables of `kernel`.
pub fn run(kernel: &mut Kernel) {
    let mut body = std::mem::take(&mut kernel.body);
    let accesses = accesses(kernel, &body);
    let uses = vec![Use::default(); accesses.len()];
    let mut p = Promote { accesses, uses, kernel: Kernel::new("", kernel.level), map: Map::default() };
    std::mem::swap(&mut p.kernel, kernel);
    let mut env = vec![None; p.kernel.vars.len()];
    p.block(&mut body, &mut env, &[], &[]);
    std::mem::swap(&mut p.kernel, kernel);
    kernel.body = body;
    kernel.replace_uses(&p.map);
    kernel.vars = Default::default();
}

struct Promote {
    /// How often each variable is read or set in the whole kernel.
    accesses: Vec<u32>,
    /// What the region at hand does with each variable; nothing between regions.
    uses: Vec<Use>,
    kernel: Kernel,
    /// From the result of a `get` to what the variable holds there.
    map: Map<Value, Value>,
}

/// How often each variable is read or set, by its index.
fn accesses(kernel: &Kernel, body: &Block) -> Vec<u32> {
    let mut counts = vec![0; kernel.vars.len()];
    body.walk(&mut |inst| inst.var.iter().for_each(|v| counts[v.index()] += 1));
    counts
}

/// What a region does with a variable.
#[derive(Clone, Copy, Default)]
struct Use {
    accesses: u32,
    sets: bool,
    /// It begins with a `set` that happens whenever the region runs.
    set_first: bool,
}

impl Promote {
    /// The variables that regions set and somebody else may look at, each once: one that is set whenever a region runs, before
    /// all else that is done with it anywhere, belongs to the region alone.
    fn assigned(&mut self, regions: &[Block]) -> Vec<Var> {
        let (mut seen, mut out) = (Vec::new(), Vec::new());
        for region in regions {
            for inst in &region.insts {
                self.note(inst, true, &mut seen);
                inst.regions.iter().for_each(|r| r.walk(&mut |i| self.note(i, false, &mut seen)));
            }
            for var in seen.drain(..) {
                let used = std::mem::take(&mut self.uses[var.index()]);
                if used.sets && !(used.set_first && used.accesses == self.accesses[var.index()]) {
                    out.push(var);
                }
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    fn note(&mut self, inst: &Inst, always: bool, seen: &mut Vec<Var>) {
        let Some(var) = inst.var else { return };
        let set = inst.op == Op::VarSet;
        let used = &mut self.uses[var.index()];
        if used.accesses == 0 {
            seen.push(var);
            used.set_first = set && always;
        }
        used.accesses += 1;
        used.sets |= set;
    }

    fn current(&mut self, env: &Env, var: Var) -> Value {
        env[var.index()].unwrap_or_else(|| self.kernel.constant(Const::zero(self.kernel.vars[var].ty.elem)))
    }

    /// A new value for a variable, named after it.
    fn fresh(&mut self, var: Var) -> Value {
        let (ty, name) = (self.kernel.vars[var].ty, self.kernel.vars[var].name.clone());
        self.kernel.named_value(ty, name)
    }

    /// Appends to a terminator what the variables hold.
    fn pass_on(&mut self, inst: &mut Inst, vars: &[Var], env: &mut Env) {
        for &var in vars {
            let v = self.current(env, var);
            inst.args.push(v);
        }
    }

    /// `yields` are the variables that a `yield` of this block passes on, `carried` those of the innermost loop.
    fn block(&mut self, block: &mut Block, env: &mut Env, yields: &[Var], carried: &[Var]) {
        let mut insts = Vec::with_capacity(block.insts.len());
        for mut inst in std::mem::take(&mut block.insts) {
            match inst.op {
                Op::VarGet => {
                    let var = inst.var.expect("`get` names a variable");
                    let v = self.current(env, var);
                    self.map.insert(inst.result(), v);
                    continue;
                }
                Op::VarSet => {
                    let value = inst.args[0];
                    env[inst.var.expect("`set` names a variable").index()] = Some(self.resolved(value));
                    continue;
                }
                Op::If => self.branch(&mut inst, env, carried),
                Op::For | Op::Loop => self.repeat(&mut inst, env),
                Op::Yield => self.pass_on(&mut inst, yields, env),
                Op::Break | Op::Continue => self.pass_on(&mut inst, carried, env),
                _ => {}
            }
            insts.push(inst);
        }
        block.insts = insts;
    }

    fn resolved(&self, mut v: Value) -> Value {
        while let Some(&to) = self.map.get(&v) {
            v = to;
        }
        v
    }

    fn branch(&mut self, inst: &mut Inst, env: &mut Env, carried: &[Var]) {
        let mut vars = self.assigned(&inst.regions);
        // Where no arm comes out at the bottom, nothing that follows could see a result.
        if !inst.regions.iter().any(|r| r.terminator().is_some_and(|t| t.op == Op::Yield)) {
            vars.clear();
        }
        // Zero vectors of variables that are set in one arm only must be made outside of the arms.
        for &var in &vars {
            let v = self.current(env, var);
            env[var.index()] = Some(v);
        }
        for region in &mut inst.regions {
            self.block(region, &mut env.clone(), &vars, carried);
        }
        for var in vars {
            let v = self.fresh(var);
            inst.results.push(v);
            env[var.index()] = Some(v);
        }
    }

    fn repeat(&mut self, inst: &mut Inst, env: &mut Env) {
        let vars = self.assigned(&inst.regions[..1]);
        let mut inner = env.clone();
        for &var in &vars {
            let init = self.current(env, var);
            inst.args.push(init);
            let param = self.fresh(var);
            inst.regions[0].params.push(param);
            inner[var.index()] = Some(param);
        }
        self.block(&mut inst.regions[0], &mut inner, &vars, &vars);
        for var in vars {
            let v = self.fresh(var);
            inst.results.push(v);
            env[var.index()] = Some(v);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::{Access, Builder, Elem, Mode, Type};

    #[test]
    fn a_variable_of_a_loop_is_carried() {
        let mut b = Builder::new("sum");
        let out = b.buffer("out", Elem::I32, 1, Access::Write);
        let n = b.scalar("n", Type::I32);
        let sum = b.var("sum", Type::I32);
        let (zero, one) = (b.i32(0), b.i32(1));
        let i = b.begin_for(zero, n, one);
        let s = b.get(sum);
        let s = b.op(Op::Add, &[s, i]);
        b.set(sum, s);
        b.end();
        let s = b.get(sum);
        b.store(out, Mode::Unchecked, &[zero], s);
        let mut k = b.finish();
        run(&mut k);
        let repeat = &k.body.insts[0];
        assert_eq!((repeat.op, repeat.args.len(), repeat.results.len()), (Op::For, 4, 1));
        let body = &repeat.regions[0];
        assert_eq!(body.params.len(), 2);
        assert_eq!(body.insts[0].args[0], body.params[1], "the sum reads the carried value");
        assert_eq!(body.insts[1].args[..], [body.insts[0].result()], "and passes the new one on");
        assert_eq!(k.body.insts[1].args[1], repeat.results[0]);
    }

    #[test]
    fn an_arm_that_leaves_the_loop_passes_its_variables_there() {
        let mut b = Builder::new("find");
        let n = b.scalar("n", Type::I32);
        let found = b.var("found", Type::I32);
        b.begin_loop();
        let f = b.get(found);
        let done = b.op(Op::CmpGt, &[f, n]);
        b.begin_if(done);
        b.break_loop();
        b.end();
        let one = b.i32(1);
        let f = b.op(Op::Add, &[f, one]);
        b.set(found, f);
        b.end();
        let f = b.get(found);
        b.say(Op::Print, &[f], "{}");
        let mut k = b.finish();
        run(&mut k);
        let repeat = &k.body.insts[0];
        let leave = &repeat.regions[0].insts[1].regions[0].insts[0];
        assert_eq!((leave.op, leave.args.as_slice()), (Op::Break, &[repeat.regions[0].params[0]][..]));
        assert_eq!(k.body.insts[1].args[..], [repeat.results[0]]);
    }
}
