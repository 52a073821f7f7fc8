//! Computes what half floats in memory are, from and to the 16 bits of each.
//!
//! * Needs: a SIMD kernel without variables.
//! * Gives: buffers and shared arrays of `f16` become buffers of `i16`; behind each load stands the computation of the float,
//!   before each store that of the bits.
//! * Keeps: every result, to the bit: denormal halves, infinities, and NaNs as the interpreter has them; stores round to the
//!   nearest half, ties to even, whatever the target's arithmetic does. Buffers with requests or atomic operations stay.
//!
//! A target may have its own conversions, but the QPU's drop the denormal halves, and which way they round is not known for
//! certain; in integers every target gives what every other gives. It stands before `legalize`, which expands what it uses,
//! and behind `access`, which has found the rows.
//!
//! ```kir
//! kernel @f(%x: buf<f16, r>, %y: buf<f32, w>) simd group=16 over=0 {
//!   %a = load.row %x[0]
//!   store.row %y[0], %a
//! }
//! ; check: kernel @f(%x: buf<i16, r>, %y: buf<f32, w>) simd group=16 {
//! ; check:   %0 = load.row %x[0]
//! ; check:   %1 = and %0, -2147483648
//! ; check:   %2 = shl %0, 13
//! ; check:   %3 = and %2, 268427264
//! ; check:   %4 = add %3, 939524096
//! ; check:   %5 = add %3, 947912704
//! ; check:   %6 = bits.f32 %5
//! ; check:   %7 = sub %6, 6.1035156e-5
//! ; check:   %8 = bits.i32 %7
//! ; check:   %9 = min %4, %8
//! ; check:   %10 = add %9, 939524096
//! ; check:   %11 = cmp.ge %3, 260046848
//! ; check:   %12 = select %11, %10, %9
//! ; check:   %13 = or %12, %1
//! ; check:   %14 = bits.f32 %13
//! ; check:   store.row %y[0], %14
//! ; check: }
//! ```

use crate::pass::{Facts, Pass, PassCx};
use crate::unroll::emit;
use quadra_base::Diagnostic;
use quadra_kir::{Block, Buf, Const, Elem, Inst, Kernel, Op, Type, Value, Values};
use std::collections::{HashMap, HashSet};

/// The pass.
pub const PASS: Pass = Pass {
    name: "halves",
    about: "computes half floats from and to their bits",
    needs: Facts::VALUES.and(Facts::SIMD),
    gives: Facts::NONE,
    run: pass,
};

fn pass(kernel: &mut Kernel, cx: &PassCx<'_>) -> Result<(), Vec<Diagnostic>> {
    if !cx.caps.half_memory {
        run(kernel);
    }
    Ok(())
}

/// Exponents of single precision are 112 larger than those of halves.
const REBIAS: i32 = 112 << 23;
/// The smallest normal half, 2^-14.
const SMALLEST: i32 = 113 << 23;
/// The least power of two that no half can hold, 2^16.
const TOO_LARGE: i32 = 143 << 23;
const INFINITY: i32 = 255 << 23;

/// Makes integers of the half floats in memory.
pub fn run(kernel: &mut Kernel) {
    let mut halves: HashSet<Buf> = kernel.bufs.iter().filter(|(_, b)| b.elem == Elem::F16).map(|(b, _)| b).collect();
    kernel.body.walk(&mut |i| {
        if let Some(buf) = i.buf
            && !matches!(i.op, Op::Load | Op::LoadRow | Op::Store | Op::StoreRow)
        {
            halves.remove(&buf);
        }
    });
    if halves.is_empty() {
        return;
    }
    halves.iter().for_each(|&b| kernel.bufs[b].elem = Elem::I16);
    let mut map = HashMap::new();
    kernel.rewrite(|kernel, body| block(kernel, &halves, body, &mut map));
    kernel.replace_uses(&map);
}

fn block(kernel: &mut Kernel, halves: &HashSet<Buf>, b: &mut Block, map: &mut HashMap<Value, Value>) {
    let mut out = Vec::with_capacity(b.insts.len());
    for mut inst in std::mem::take(&mut b.insts) {
        inst.regions.iter_mut().for_each(|r| block(kernel, halves, r, map));
        if !inst.buf.is_some_and(|b| halves.contains(&b)) {
            out.push(inst);
        } else if matches!(inst.op, Op::Load | Op::LoadRow) {
            let old = inst.result();
            let bits = kernel.new_value(kernel.ty(old).with_elem(Elem::I32));
            inst.results = Values::from_slice(&[bits]);
            let at = inst.clone();
            out.push(inst);
            let float = Emit { kernel: &mut *kernel, at: &at, out: &mut out }.single(bits);
            map.insert(old, float);
        } else {
            let last = inst.args.len() - 1;
            let at = inst.clone();
            // What is stored may be a load of this pass, which `replace_uses` sees to.
            inst.args[last] = Emit { kernel: &mut *kernel, at: &at, out: &mut out }.half(inst.args[last]);
            out.push(inst);
        }
    }
    b.insts = out;
}

/// Appends operations at the place of an instruction.
struct Emit<'a> {
    kernel: &'a mut Kernel,
    at: &'a Inst,
    out: &'a mut Vec<Inst>,
}

impl Emit<'_> {
    fn typed(&mut self, op: Op, args: &[Value], elem: Elem) -> Value {
        let lanes = args.iter().any(|&v| self.kernel.ty(v).lanes);
        emit(self.kernel, op, args, Type::scalar(elem).with_lanes(lanes), self.at, self.out)
    }

    /// An operation on integers.
    fn op(&mut self, op: Op, a: Value, b: Value) -> Value {
        self.typed(op, &[a, b], Elem::I32)
    }

    fn with(&mut self, op: Op, a: Value, constant: i32) -> Value {
        let b = self.kernel.const_i32(constant);
        self.op(op, a, b)
    }

    /// `yes` where `op` holds between `a` and a constant, `no` elsewhere.
    fn choose(&mut self, op: Op, a: Value, constant: i32, yes: Value, no: Value) -> Value {
        let b = self.kernel.const_i32(constant);
        let c = self.typed(op, &[a, b], Elem::Bool);
        self.typed(Op::Select, &[c, yes, no], Elem::I32)
    }

    /// The float of 16 bits whose upper half is the sign's.
    fn single(&mut self, bits: Value) -> Value {
        let sign = self.with(Op::And, bits, i32::MIN);
        let shifted = self.with(Op::Shl, bits, 13);
        let size = self.with(Op::And, shifted, 0x0fff_e000);
        let normal = self.with(Op::Add, size, REBIAS);
        // A denormal half counts units of 2^-24, which is what stands behind the leading one of 2^-14 and more. For all
        // others this difference is the larger one of the two.
        let above = self.with(Op::Add, size, SMALLEST);
        let above = self.typed(Op::BitsF32, &[above], Elem::F32);
        let one = self.kernel.constant(Const::f32(f32::from_bits(SMALLEST as u32)));
        let small = self.typed(Op::Sub, &[above, one], Elem::F32);
        let small = self.typed(Op::BitsI32, &[small], Elem::I32);
        let finite = self.op(Op::Min, normal, small);
        let special = self.with(Op::Add, finite, REBIAS);
        let value = self.choose(Op::CmpGe, size, 31 << 23, special, finite);
        let value = self.op(Op::Or, value, sign);
        self.typed(Op::BitsF32, &[value], Elem::F32)
    }

    /// The 16 bits of the half that is nearest to a float; the bits above them are undefined.
    fn half(&mut self, float: Value) -> Value {
        let bits = self.typed(Op::BitsI32, &[float], Elem::I32);
        let upper = self.with(Op::Shr, bits, 16);
        let sign = self.with(Op::And, upper, 0x8000);
        let size = self.with(Op::And, bits, i32::MAX);
        let clamped = self.with(Op::Min, size, TOO_LARGE);
        // How many bits are dropped: 13, or more of what becomes a denormal half, but never so many that a bit above the 24
        // of the significand counted.
        let exponent = self.with(Op::Shr, clamped, 23);
        let bias = self.kernel.const_i32(126);
        let dropped = self.op(Op::Sub, bias, exponent);
        let dropped = self.with(Op::Max, dropped, 13);
        let dropped = self.with(Op::Min, dropped, 25);
        let fraction = self.with(Op::And, clamped, 0x007f_ffff);
        let significand = self.with(Op::Or, fraction, 1 << 23);
        // The exponent's unit is the significand's leading one: the larger one of the two is right for halves of either kind.
        let rebiased = self.with(Op::Sub, clamped, REBIAS);
        let kept = self.op(Op::Max, significand, rebiased);
        // Half of the last place that is kept, less one unless that place is odd.
        let odd = self.op(Op::Shr, kept, dropped);
        let odd = self.with(Op::And, odd, 1);
        let less = self.with(Op::Sub, odd, 1);
        let places = self.with(Op::Sub, dropped, 1);
        let one = self.kernel.const_i32(1);
        let middle = self.op(Op::Shl, one, places);
        let rounding = self.op(Op::Add, middle, less);
        let sum = self.op(Op::Add, kept, rounding);
        let half = self.op(Op::Shr, sum, dropped);
        let nan = self.kernel.const_i32(0x7e00);
        let half = self.choose(Op::CmpGt, size, INFINITY, nan, half);
        self.op(Op::Or, half, sign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::{Arg, Arithmetic, Launch, Memory, MemoryBuffer, check, interp, parse};

    /// Runs a kernel with and without the pass, in both arithmetics, and compares memory.
    fn agrees(text: &str, memory: &Memory, items: u32) {
        let kernel = parse::kernel("t.kir", text).expect("the test's kernel parses");
        let mut integers = kernel.clone();
        run(&mut integers);
        assert_eq!(check::kernel(&integers), []);
        assert!(integers.bufs.iter().all(|(_, b)| b.elem != Elem::F16));
        for arithmetic in [Arithmetic::Nearest, Arithmetic::TowardZero] {
            let mut launch = Launch::new((0..memory.buffers.len()).map(Arg::Buffer).collect());
            launch.arithmetic = arithmetic;
            launch.extent = vec![items];
            let [want, got] = [&kernel, &integers].map(|k| {
                let mut memory = memory.clone();
                interp::simd::run(k, &mut memory, &launch, &mut |_| {}).expect("the kernel is right");
                memory
            });
            assert!(want.buffers == got.buffers);
        }
    }

    fn kernel(elems: [&str; 2]) -> String {
        let [x, y] = elems;
        format!(
            "kernel @k(%x: buf<{x}, r>, %y: buf<{y}, w>) simd group=16 over=1 {{
               %g = group 0 %f = shl %g, 4 %a = load.row %x[%f] store.row %y[%f], %a
             }}"
        )
    }

    #[test]
    fn all_halves_become_the_same_floats() {
        let halves = MemoryBuffer {
            elem: Elem::F16,
            dims: vec![1 << 16],
            bytes: (0..=u16::MAX).flat_map(u16::to_le_bytes).collect(),
        };
        let memory = Memory { buffers: vec![halves, MemoryBuffer::of_i32(&[0; 1 << 16])] };
        let floats = MemoryBuffer { elem: Elem::F32, ..memory.buffers[1].clone() };
        agrees(&kernel(["f16", "f32"]), &Memory { buffers: vec![memory.buffers[0].clone(), floats] }, 1 << 16);
    }

    #[test]
    fn floats_become_the_same_halves() {
        // Around every half: itself, the middle to the next one, and both neighbours of each.
        let near = |bits: u32| [bits.wrapping_sub(1), bits, bits.wrapping_add(1)];
        let sizes = (0..=0x7f80_0000u32 >> 12).map(|i| i << 12);
        let few = sizes.filter(|b| (0x3280_0000..0x4800_0000).contains(b) || b % 0x0010_0000 == 0);
        let mut all: Vec<u32> = few.flat_map(near).flat_map(|b| [b, b | 1 << 31]).collect();
        all.extend([0x7f80_0001, 0x7fc0_0000, 0xffff_ffff, 1, 0x007f_ffff, 0x8000_0001]);
        all.resize(all.len().next_multiple_of(16), 0);
        let n = all.len() as u32;
        let bytes = all.iter().flat_map(|b| b.to_le_bytes()).collect();
        let floats = MemoryBuffer { elem: Elem::F32, dims: vec![n], bytes };
        let halves = MemoryBuffer { elem: Elem::F16, dims: vec![n], bytes: vec![0; 2 * all.len()] };
        agrees(&kernel(["f32", "f16"]), &Memory { buffers: vec![floats, halves] }, n);
    }
}
