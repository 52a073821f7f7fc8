//! The engines for x86-64 with AVX2 and with AVX-512: the one place of the emulator that needs `unsafe`, because vector
//! instructions beyond the baseline must not be executed on a processor without them.

use super::code::Code;
use super::core::{Core, Shared};
use super::engine::Exit;

/// Whether the processor has what [`run_avx512`] needs.
pub fn has_avx512() -> bool {
    imp::has_avx512()
}

/// Whether the processor has what [`run_avx2`] needs.
pub fn has_avx2() -> bool {
    imp::has_avx2()
}

/// Executes up to `limit` instructions with 512-bit vectors.
///
/// # Panics
/// If the processor lacks them; see [`has_avx512`].
pub fn run_avx512(core: &mut Core, shared: &mut Shared, code: &Code, limit: u64) -> Exit {
    assert!(has_avx512(), "the engine was resolved for this processor");
    imp::run_avx512(core, shared, code, limit)
}

/// Executes up to `limit` instructions with the portable vectors compiled for AVX2.
///
/// # Panics
/// If the processor lacks it; see [`has_avx2`].
pub fn run_avx2(core: &mut Core, shared: &mut Shared, code: &Code, limit: u64) -> Exit {
    assert!(has_avx2(), "the engine was resolved for this processor");
    imp::run_avx2(core, shared, code, limit)
}

/// Tells the processor that an element, if there is one, will be written soon. This changes nothing but how long that takes.
#[inline]
pub fn expect<T>(elements: &[T], at: usize) {
    if let Some(element) = elements.get(at) {
        imp::expect(std::ptr::from_ref(element).cast());
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod imp {
    use super::super::engine::{Portable, run_loop};
    use super::*;

    pub fn expect(_: *const i8) {}

    pub fn has_avx512() -> bool {
        false
    }
    pub fn has_avx2() -> bool {
        false
    }
    pub fn run_avx512(core: &mut Core, shared: &mut Shared, code: &Code, limit: u64) -> Exit {
        run_loop::<Portable>(core, shared, code, limit)
    }
    pub fn run_avx2(core: &mut Core, shared: &mut Shared, code: &Code, limit: u64) -> Exit {
        run_loop::<Portable>(core, shared, code, limit)
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(improper_ctypes_definitions, reason = "the C convention passes vectors in registers; no C is involved")]
mod imp {
    use super::super::code::{Op, SetFlags, post, slot};
    use super::super::engine::{Alus, Kernels, run_loop};
    use super::super::fast::{self, Ahead, Fast, extra};
    use super::super::vector::{Vector, add_carry, add_op, mul_carry, mul_op};
    use super::super::{LANES, Lanes, alu, portable};
    use super::*;
    use crate::vc4::{AddOp, MulOp};
    use std::arch::x86_64::*;

    #[inline]
    pub fn expect(at: *const i8) {
        // SAFETY: a prefetch has no effect on what the program computes, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_ET0>(at) }
    }

    pub fn has_avx512() -> bool {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && has_bits()
    }

    pub fn has_avx2() -> bool {
        is_x86_feature_detected!("avx2") && has_bits()
    }

    /// What both engines use besides vectors. An emulator or a hypervisor may hide any of them.
    fn has_bits() -> bool {
        is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
    }

    pub fn run_avx512(core: &mut Core, shared: &mut Shared, code: &Code, limit: u64) -> Exit {
        // SAFETY: the caller has asserted that the processor has these features.
        unsafe { loop_avx512(core, shared, code, limit) }
    }

    pub fn run_avx2(core: &mut Core, shared: &mut Shared, code: &Code, limit: u64) -> Exit {
        // SAFETY: the caller has asserted that the processor has these features.
        unsafe { loop_avx2(core, shared, code, limit) }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
    fn loop_avx512(core: &mut Core, shared: &mut Shared, code: &Code, limit: u64) -> Exit {
        run_loop::<Avx512>(core, shared, code, limit)
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn loop_avx2(core: &mut Core, shared: &mut Shared, code: &Code, limit: u64) -> Exit {
        run_loop::<Avx2>(core, shared, code, limit)
    }

    /// The portable kernels compiled for AVX2.
    struct Avx2;

    /// Declares kernels: a function compiled for AVX2 and the method that calls it.
    macro_rules! kernels {
        ($(fn $name:ident($($arg:ident: $type:ty),*) -> $result:ty = $kernel:path;)*) => {
            impl Kernels for Avx2 {
                $(
                    #[inline(always)]
                    fn $name($($arg: $type),*) -> $result {
                        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
                        #[inline(never)]
                        fn compiled($($arg: $type),*) -> $result {
                            $kernel($($arg),*)
                        }
                        // SAFETY: kernels are called from `loop_avx2` only, which runs only on processors with AVX2,
                        // BMI1, BMI2, LZCNT and POPCNT.
                        unsafe { compiled($($arg),*) }
                    }
                )*
            }
        };
    }

    kernels! {
        fn add(op: AddOp, a: &Lanes, b: &Lanes, out: &mut Lanes) -> () = portable::add_op;
        fn mul(op: MulOp, a: &Lanes, b: &Lanes, out: &mut Lanes) -> () = portable::mul_op;
        fn add_carry(op: AddOp, a: &Lanes, b: &Lanes, r: &Lanes) -> u16 = portable::add_carry;
        fn zero_negative(r: &Lanes) -> (u16, u16) = portable::zero_negative;
        fn store_lanes(from: &Lanes, mask: u16, to: &mut Lanes) -> () = portable::store_lanes;
    }

    /// Operations on values in 512-bit registers.
    struct Avx512;

    impl Alus for Avx512 {
        #[inline(always)]
        fn execute(core: &mut Core, op: &Op, written: [u16; 2]) {
            let at = |n: u8| n as usize;
            // Both operations read before either writes.
            let (mul_a, mul_b) = (V512::load(&core.slots[at(op.mul_a)]), V512::load(&core.slots[at(op.mul_b)]));
            let product = mul_op(op.mul, mul_a, mul_b);
            if op.add != AddOp::Nop {
                let (a, b) = (V512::load(&core.slots[at(op.add_a)]), V512::load(&core.slots[at(op.add_b)]));
                let sum = add_op(op.add, a, b);
                sum.store_lanes(written[0], &mut core.slots[at(op.to_add)]);
                if op.post & (post::PACK | post::SPECIAL_ADD) != 0 {
                    sum.store(&mut core.slots[at(slot::OUT_ADD)]);
                    a.store(&mut core.slots[at(slot::ROTATED_A)]);
                    b.store(&mut core.slots[at(slot::ROTATED_B)]);
                }
                if op.set_flags == SetFlags::FromAdd {
                    set_flags(core, written[0], sum, add_carry(op.add, a, b, sum));
                }
            }
            if op.mul != MulOp::Nop {
                product.store_lanes(written[1], &mut core.slots[at(op.to_mul)]);
                if op.post & (post::PACK | post::SPECIAL_MUL) != 0 {
                    product.store(&mut core.slots[at(slot::OUT_MUL)]);
                }
                if op.set_flags == SetFlags::FromMul {
                    set_flags(core, written[1], product, mul_carry(op.mul, mul_a, mul_b));
                }
            }
        }

        #[inline(always)]
        fn stretch(core: &mut Core, code: &Code, index: usize, count: usize, uniforms: &mut Ahead) -> usize {
            // SAFETY: the loop of this engine runs only on processors that have the features.
            unsafe { stretch_avx512(core, &code.fast[index..index + count], uniforms) }
        }
    }

    /// The sum or difference on the operands as they are, and the lanes in which that is not exact; other operations
    /// whole.
    #[inline(always)]
    fn quick_add(op: AddOp, a: V512, b: V512) -> (V512, u16) {
        let b = if op == AddOp::Fsub { b.xor(V512::int(i32::MIN)) } else { b };
        match op {
            AddOp::Fadd | AddOp::Fsub => {
                let sum = V512::raw_fadd(a, b);
                (sum, V512::odd(a, b, sum))
            }
            _ => (add_op(op, a, b), 0),
        }
    }

    #[inline(always)]
    fn quick_mul(op: MulOp, a: V512, b: V512) -> (V512, u16) {
        if op == MulOp::Fmul {
            let product = V512::raw_fmul(a, b);
            return (product, V512::odd(a, b, product));
        }
        (mul_op(op, a, b), 0)
    }

    #[inline(always)]
    fn operands<const EXTRA: u8>(core: &Core, f: &Fast, uniform: V512) -> [V512; 4] {
        let load = |n: u8| V512::load(&core.slots[n as usize]);
        let last = if EXTRA == extra::UNIFORM { uniform } else { load(f.mul_b) };
        [load(f.add_a), load(f.add_b), load(f.mul_a), last]
    }

    /// Executes the plain instructions with these operations; see [`fast`]. The result means nothing: a function that
    /// returns a vector need not clear the vector registers for callers that know none.
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
    extern "C" fn plain<const ADD: usize, const MUL: usize, const EXTRA: u8>(
        core: &mut Core,
        f: &Fast,
        uniform: u32,
    ) -> __m512i {
        let (add, mul) = (const { fast::ADD[ADD] }, const { fast::MUL[MUL] });
        let uniform = V512::splat(uniform);
        if EXTRA == extra::ANY {
            uniform.store(&mut core.slots[slot::UNIFORM as usize]);
        }
        // Both operations read before either writes.
        let [a, b, c, d] = operands::<EXTRA>(core, f, uniform);
        let ((sum, odd), (product, odd_too)) = (quick_add(add, a, b), quick_mul(mul, c, d));
        if odd | odd_too != 0 {
            return careful::<ADD, MUL, EXTRA>(core, f, uniform.0);
        }
        finish::<ADD, MUL, EXTRA>(core, f, [a, b, c, d], sum, product)
    }

    /// The same where the quick forms are not exact.
    #[cold]
    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
    extern "C" fn careful<const ADD: usize, const MUL: usize, const EXTRA: u8>(
        core: &mut Core,
        f: &Fast,
        uniform: __m512i,
    ) -> __m512i {
        let (add, mul) = (const { fast::ADD[ADD] }, const { fast::MUL[MUL] });
        let [a, b, c, d] = operands::<EXTRA>(core, f, V512(uniform));
        finish::<ADD, MUL, EXTRA>(core, f, [a, b, c, d], add_op(add, a, b), mul_op(mul, c, d))
    }

    /// Writes the results.
    #[inline(always)]
    fn finish<const ADD: usize, const MUL: usize, const EXTRA: u8>(
        core: &mut Core,
        f: &Fast,
        [a, b, c, d]: [V512; 4],
        sum: V512,
        product: V512,
    ) -> __m512i {
        let at = |n: u8| n as usize;
        let everywhere = EXTRA != extra::ANY;
        let written =
            if everywhere { [!0; 2] } else { [core.masks[at(f.cond_add as u8)], core.masks[at(f.cond_mul as u8)]] };
        if ADD != 0 {
            sum.store_lanes(written[0], &mut core.slots[at(f.to_add)]);
        }
        if MUL != 0 {
            product.store_lanes(written[1], &mut core.slots[at(f.to_mul)]);
        }
        if EXTRA == extra::ANY {
            match f.set_flags {
                SetFlags::FromAdd => set_flags(core, written[0], sum, add_carry(fast::ADD[ADD], a, b, sum)),
                SetFlags::FromMul if MUL != 0 => {
                    set_flags(core, written[1], product, mul_carry(fast::MUL[MUL], c, d));
                }
                _ => {}
            }
        }
        sum.0
    }

    type Function = unsafe extern "C" fn(&mut Core, &Fast, u32) -> __m512i;

    /// The functions with one operation of the add ALU.
    macro_rules! with_add {
        ($($add:literal)*) => { [$(with_mul!($add, 0), with_mul!($add, 1), with_mul!($add, 2), with_mul!($add, 3),)*] };
    }
    macro_rules! with_mul {
        ($add:literal, $mul:literal) => {
            [plain::<$add, $mul, 0> as Function, plain::<$add, $mul, 1>, plain::<$add, $mul, 2>]
        };
    }

    /// By number, in the order of [`Fast::function`].
    static FUNCTIONS: [[Function; extra::COUNT as usize]; fast::ADD.len() * fast::MUL.len()] =
        with_add!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17);

    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,bmi1,bmi2,lzcnt,popcnt")]
    fn stretch_avx512(core: &mut Core, stretch: &[Fast], uniforms: &mut Ahead) -> usize {
        for (done, f) in stretch.iter().enumerate() {
            let uniform = if f.uniform {
                let Some(word) = uniforms.next() else { return done };
                word
            } else {
                0
            };
            let function = FUNCTIONS.as_flattened()[usize::from(f.function)];
            // SAFETY: this function's processor has the features.
            unsafe { function(core, f, uniform) };
        }
        stretch.len()
    }

    #[inline(always)]
    fn set_flags(core: &mut Core, mask: u16, result: V512, carry: u16) {
        core.set_flags(mask, result.zero_lanes(), V512::splat(0).greater_lanes(result), carry);
    }

    const RZ: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;

    /// One 512-bit register. Values exist only inside [`loop_avx512`].
    #[derive(Clone, Copy)]
    struct V512(__m512i);

    /// Declares methods that are one expression of AVX-512 intrinsics.
    macro_rules! intrinsics {
        ($(fn $name:ident($($arg:ident: $type:ty),*) -> $result:ty { $body:expr })*) => {
            $(
                #[inline(always)]
                fn $name($($arg: $type),*) -> $result {
                    // SAFETY: values of this type exist only in `loop_avx512`, which runs only on processors that have
                    // AVX-512 F, BW, CD, DQ and VL; the pointers come from references to 64 aligned bytes.
                    unsafe { $body }
                }
            )*
        };
    }

    impl V512 {
        intrinsics! {
            fn int(value: i32) -> V512 { V512(_mm512_set1_epi32(value)) }
            fn as_float(self: V512) -> __m512 { _mm512_castsi512_ps(self.0) }
            fn of_float(value: __m512) -> V512 { V512(_mm512_castps_si512(value)) }
            // Zero, negative zero and denormals become +0.
            fn flush(self: V512) -> V512 {
                V512(_mm512_maskz_mov_epi32(_mm512_test_epi32_mask(self.0, _mm512_set1_epi32(0x7f80_0000)), self.0))
            }
            // Lanes whose magnitude is the largest finite number or more: an overflow cut to it, an infinity or a NaN.
            fn huge(self: V512) -> u16 {
                _mm512_cmpge_epi32_mask(
                    _mm512_and_si512(self.0, _mm512_set1_epi32(0x7fff_ffff)),
                    _mm512_set1_epi32(0x7f7f_ffff),
                )
            }
            // Lanes where an operand is a denormal, or the result is a denormal, -0, the largest finite number or more.
            fn odd(a: V512, b: V512, r: V512) -> u16 {
                _mm512_fpclass_ps_mask::<0x20>(a.as_float())
                    | _mm512_fpclass_ps_mask::<0x20>(b.as_float())
                    | _mm512_fpclass_ps_mask::<0x24>(r.as_float())
                    | r.huge()
            }
            fn raw_fadd(a: V512, b: V512) -> V512 {
                V512::of_float(_mm512_add_round_ps::<RZ>(a.as_float(), b.as_float()))
            }
            fn raw_fmul(a: V512, b: V512) -> V512 {
                V512::of_float(_mm512_mul_round_ps::<RZ>(a.as_float(), b.as_float()))
            }
        }

        #[inline(always)]
        fn careful_fadd(self, b: V512) -> V512 {
            let sum = V512::raw_fadd(self.flush(), b.flush());
            if sum.huge() != 0 { self.slow(b, alu::fadd) } else { sum.flush() }
        }

        #[inline(always)]
        fn careful_fmul(self, b: V512) -> V512 {
            let product = V512::raw_fmul(self.flush(), b.flush());
            if product.huge() != 0 { self.slow(b, alu::fmul) } else { product.flush() }
        }

        /// The exact functions of [`alu`] lane by lane, where the fast forms do not reach.
        #[cold]
        #[inline(never)]
        fn by_lanes(a: &Lanes, b: &Lanes, f: fn(u32, u32) -> u32) -> Lanes {
            Lanes(std::array::from_fn(|i| f(a.0[i], b.0[i])))
        }

        #[inline(always)]
        fn slow(self, b: V512, f: fn(u32, u32) -> u32) -> V512 {
            let (mut x, mut y) = (Lanes::ZERO, Lanes::ZERO);
            self.store(&mut x);
            b.store(&mut y);
            V512::load(&V512::by_lanes(&x, &y, f))
        }
    }

    impl V512 {
        intrinsics! {
            fn blend(self: V512, mask: u16, old: &Lanes) -> V512 {
                V512(_mm512_mask_mov_epi32(V512::load(old).0, mask, self.0))
            }
        }
    }

    const _: () = assert!(LANES == 16 && std::mem::size_of::<Lanes>() == 64 && std::mem::align_of::<Lanes>() == 64);

    impl Vector for V512 {
        intrinsics! {
            fn load(from: &Lanes) -> V512 { V512(_mm512_load_si512(std::ptr::from_ref(from).cast())) }
            fn store(self: V512, to: &mut Lanes) -> () { _mm512_store_si512(std::ptr::from_mut(to).cast(), self.0) }
            fn splat(value: u32) -> V512 { V512(_mm512_set1_epi32(value as i32)) }
            fn add(self: V512, b: V512) -> V512 { V512(_mm512_add_epi32(self.0, b.0)) }
            fn sub(self: V512, b: V512) -> V512 { V512(_mm512_sub_epi32(self.0, b.0)) }
            fn and(self: V512, b: V512) -> V512 { V512(_mm512_and_si512(self.0, b.0)) }
            fn or(self: V512, b: V512) -> V512 { V512(_mm512_or_si512(self.0, b.0)) }
            fn xor(self: V512, b: V512) -> V512 { V512(_mm512_xor_si512(self.0, b.0)) }
            fn shl(self: V512, b: V512) -> V512 { V512(_mm512_sllv_epi32(self.0, b.and(V512::int(31)).0)) }
            fn shr(self: V512, b: V512) -> V512 { V512(_mm512_srlv_epi32(self.0, b.and(V512::int(31)).0)) }
            fn asr(self: V512, b: V512) -> V512 { V512(_mm512_srav_epi32(self.0, b.and(V512::int(31)).0)) }
            fn ror(self: V512, b: V512) -> V512 { V512(_mm512_rorv_epi32(self.0, b.0)) }
            fn min(self: V512, b: V512) -> V512 { V512(_mm512_min_epi32(self.0, b.0)) }
            fn max(self: V512, b: V512) -> V512 { V512(_mm512_max_epi32(self.0, b.0)) }
            fn clz(self: V512) -> V512 { V512(_mm512_lzcnt_epi32(self.0)) }
            fn mul24(self: V512, b: V512) -> V512 {
                V512(_mm512_mullo_epi32(self.and(V512::int(0xff_ffff)).0, b.and(V512::int(0xff_ffff)).0))
            }
            fn ftoi(self: V512) -> V512 {
                // Magnitudes below 2^31 convert; all others, NaN among them, give 0.
                V512(_mm512_maskz_cvttps_epi32(
                    _mm512_cmplt_epi32_mask(self.and(V512::int(0x7fff_ffff)).0, _mm512_set1_epi32(0x4f00_0000)),
                    self.as_float(),
                ))
            }
            fn itof(self: V512) -> V512 { V512::of_float(_mm512_cvt_roundepi32_ps::<RZ>(self.0)) }
            fn float_key(self: V512) -> V512 {
                V512(_mm512_mask_sub_epi32(
                    self.0,
                    _mm512_movepi32_mask(self.0),
                    _mm512_setzero_si512(),
                    self.and(V512::int(0x7fff_ffff)).0,
                ))
            }
            fn select(self: V512, mask: u16, b: V512) -> V512 { V512(_mm512_mask_mov_epi32(b.0, mask, self.0)) }
            fn zero_lanes(self: V512) -> u16 { _mm512_testn_epi32_mask(self.0, self.0) }
            fn greater_lanes(self: V512, b: V512) -> u16 { _mm512_cmpgt_epi32_mask(self.0, b.0) }
            fn below_lanes(self: V512, b: V512) -> u16 { _mm512_cmplt_epu32_mask(self.0, b.0) }
            fn v8adds(self: V512, b: V512) -> V512 { V512(_mm512_adds_epu8(self.0, b.0)) }
            fn v8subs(self: V512, b: V512) -> V512 { V512(_mm512_subs_epu8(self.0, b.0)) }
            fn v8min(self: V512, b: V512) -> V512 { V512(_mm512_min_epu8(self.0, b.0)) }
            fn v8max(self: V512, b: V512) -> V512 { V512(_mm512_max_epu8(self.0, b.0)) }
        }

        // A masked store cannot be forwarded to the load that often follows: blend and store all lanes instead.
        #[inline(always)]
        fn store_lanes(self, mask: u16, to: &mut Lanes) {
            if mask == !0 { self.store(to) } else { self.blend(mask, to).store(to) }
        }

        // The usual case must not wait for its checks: the operation runs on the operands as they are, and only a result
        // or operand out of the ordinary leads to the exact form, on a branch that is predicted not taken.
        #[inline(always)]
        fn fadd(self, b: V512) -> V512 {
            let sum = V512::raw_fadd(self, b);
            if V512::odd(self, b, sum) != 0 { self.careful_fadd(b) } else { sum }
        }

        #[inline(always)]
        fn fmul(self, b: V512) -> V512 {
            let product = V512::raw_fmul(self, b);
            if V512::odd(self, b, product) != 0 { self.careful_fmul(b) } else { product }
        }

        #[inline(always)]
        fn v8muld(self, b: V512) -> V512 {
            self.slow(b, |a, b| alu::mul_op(crate::vc4::MulOp::V8muld, a, b).bits)
        }
    }
}
