//! Which values are the same in all lanes but for a known multiple of the lane number: v = uniform + stride · lane.

use crate::analysis::range::Range;
use quadra_kir::{Block, Elem, Inst, Kernel, Op, Value};

/// What is known of a value's lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lanes {
    /// Nothing has been found yet; loop parameters start like this.
    Unseen,
    /// A uniform value plus this multiple of the lane number (wrapping).
    Stride(i32),
    /// Anything.
    Free,
}

impl Lanes {
    fn join(self, other: Lanes) -> Lanes {
        match (self, other) {
            (Lanes::Unseen, x) | (x, Lanes::Unseen) => x,
            (a, b) if a == b => a,
            _ => Lanes::Free,
        }
    }

    fn map2(self, other: Lanes, f: impl Fn(i32, i32) -> i32) -> Lanes {
        match (self, other) {
            (Lanes::Stride(a), Lanes::Stride(b)) => Lanes::Stride(f(a, b)),
            (Lanes::Free, _) | (_, Lanes::Free) => Lanes::Free,
            _ => Lanes::Unseen,
        }
    }
}

/// The strides of the `i32` values of a SIMD kernel.
#[derive(Clone, Debug)]
pub struct Affine {
    lanes: Vec<Lanes>,
    /// Values whose 24-bit products are products, by number; none if nobody has looked.
    natural: Vec<bool>,
}

impl Affine {
    /// Finds all strides, optimistically for loop parameters, by iteration to the fixed point.
    pub fn of(kernel: &Kernel) -> Affine {
        Affine::search(kernel, Vec::new())
    }

    /// As [`Affine::of`], also through `mul24` where bounds prove that it loses nothing.
    pub fn within(kernel: &Kernel, range: &Range) -> Affine {
        let natural = |v: Value| kernel.ty(v).elem == Elem::I32 && range.bounds(kernel, v).within(0, (1 << 24) - 1);
        Affine::search(kernel, kernel.values.iter().map(|(v, _)| natural(v)).collect())
    }

    fn search(kernel: &Kernel, natural: Vec<bool>) -> Affine {
        let mut a = Affine { lanes: vec![Lanes::Unseen; kernel.values.len()], natural };
        for (v, info) in kernel.values.iter() {
            if !info.ty.lanes {
                a.lanes[v.index()] = Lanes::Stride(0);
            } else if info.ty.elem != Elem::I32 {
                a.lanes[v.index()] = Lanes::Free;
            }
        }
        while a.block(kernel, &kernel.body, None) {}
        a
    }

    /// The stride of `v`: 0 for a uniform value, 1 for consecutive lanes; `None` if the lanes follow no such rule.
    pub fn stride(&self, v: Value) -> Option<i32> {
        match self.lanes.get(v.index()) {
            Some(Lanes::Stride(s)) => Some(*s),
            _ => None,
        }
    }

    fn at(&self, v: Value) -> Lanes {
        self.lanes[v.index()]
    }

    fn join(&mut self, v: Value, lanes: Lanes) -> bool {
        let old = self.at(v);
        let new = old.join(lanes);
        self.lanes[v.index()] = new;
        new != old
    }

    fn pass(&mut self, to: &[Value], from: &[Value]) -> bool {
        let mut changed = false;
        for (&t, &f) in to.iter().zip(from) {
            changed |= self.join(t, self.at(f));
        }
        changed
    }

    fn block(&mut self, kernel: &Kernel, block: &Block, frame: Option<&Inst>) -> bool {
        let mut changed = false;
        for inst in &block.insts {
            match inst.op {
                Op::If => {
                    for region in &inst.regions {
                        changed |= self.block(kernel, region, frame);
                        if let Some(t) = region.terminator().filter(|t| t.op == Op::Yield) {
                            changed |= self.pass(&inst.results, &t.args);
                        }
                    }
                }
                Op::For | Op::Loop => {
                    let params = &inst.regions[0].params;
                    let skip = usize::from(inst.op == Op::For);
                    changed |= self.pass(&params[skip..], inst.carried());
                    if skip == 1 {
                        changed |= self.pass(&params[..1], &inst.args[..1]);
                        changed |= self.pass(&inst.results, &params[1..]);
                    }
                    changed |= self.block(kernel, &inst.regions[0], Some(inst));
                }
                Op::Break => {
                    if let Some(f) = frame {
                        changed |= self.pass(&f.results, &inst.args);
                    }
                }
                Op::Continue => changed |= self.carry(frame, &inst.args),
                Op::Yield if frame.is_some_and(|f| f.op == Op::For && std::ptr::eq(&f.regions[0], block)) => {
                    changed |= self.carry(frame, &inst.args);
                }
                _ => {
                    if let [r] = inst.results[..]
                        && self.at(r) != Lanes::Free
                        && kernel.ty(r).lanes
                    {
                        changed |= self.join(r, self.value(kernel, inst));
                    }
                }
            }
        }
        changed
    }

    fn carry(&mut self, frame: Option<&Inst>, args: &[Value]) -> bool {
        let Some(f) = frame else { return false };
        let skip = usize::from(f.op == Op::For);
        self.pass(&f.regions[0].params[skip..], args)
    }

    fn value(&self, kernel: &Kernel, inst: &Inst) -> Lanes {
        let arg = |i: usize| self.at(inst.args[i]);
        match inst.op {
            Op::Lane => Lanes::Stride(1),
            Op::Add => arg(0).map2(arg(1), i32::wrapping_add),
            Op::Sub => arg(0).map2(arg(1), i32::wrapping_sub),
            Op::Neg => arg(0).map2(Lanes::Stride(0), |a, _| a.wrapping_neg()),
            Op::Mul => match (kernel.as_i32(inst.args[0]), kernel.as_i32(inst.args[1])) {
                (_, Some(c)) => arg(0).map2(Lanes::Stride(0), |a, _| a.wrapping_mul(c)),
                (Some(c), _) => arg(1).map2(Lanes::Stride(0), |a, _| a.wrapping_mul(c)),
                _ => self.uniform_only(inst),
            },
            Op::Mul24 if inst.args.iter().all(|v| self.natural.get(v.index()) == Some(&true)) => {
                match kernel.as_i32(inst.args[1]) {
                    Some(c) => arg(0).map2(Lanes::Stride(0), |a, _| a.wrapping_mul(c)),
                    None => self.uniform_only(inst),
                }
            }
            Op::Shl => match kernel.as_i32(inst.args[1]) {
                Some(c) => arg(0).map2(Lanes::Stride(0), |a, _| a.wrapping_shl(c as u32)),
                None => self.uniform_only(inst),
            },
            Op::Select if arg(0) == Lanes::Stride(0) => arg(1).join(arg(2)),
            op if op.is_pure() && !inst.args.is_empty() => self.uniform_only(inst),
            _ => Lanes::Free,
        }
    }

    fn uniform_only(&self, inst: &Inst) -> Lanes {
        inst.args.iter().fold(Lanes::Stride(0), |sum, &v| match self.at(v) {
            Lanes::Stride(0) => sum,
            Lanes::Unseen if sum != Lanes::Free => Lanes::Unseen,
            _ => Lanes::Free,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::parse;

    #[test]
    fn products_of_24_bits_count_where_bounds_prove_them() {
        let text = "kernel @k(%p: buf<i32, w>, %x: i32) simd group=16 over=0 {
            %l = lane %m = and %x, 1023 %a = add %m, %l %b = mul24 %a, 3 %c = add %x, %l %d = mul24 %c, 3
            store %p[%b], 1 store %p[%d], 1 }";
        let kernel = parse::kernel("t.kir", text).expect("the test's kernel parses");
        let mut places = Vec::new();
        kernel.body.walk(&mut |i| places.extend((i.op == Op::Store).then(|| i.args[0])));
        let strides = |a: Affine| places.iter().map(|&v| a.stride(v)).collect::<Vec<_>>();
        assert_eq!(strides(Affine::within(&kernel, &Range::of(&kernel))), [Some(3), None]);
        assert_eq!(strides(Affine::of(&kernel)), [None, None]);
    }
}
