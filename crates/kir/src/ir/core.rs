//! The operations of every target: a table, and as long as it has rows. How a row is read says [`registry`](super::registry).

macro_rules! core_rows {
    ([$next:ident $($rest:ident)*] $($before:tt)*) => {
        $next! { [$($rest)*] $($before)*
Core {
    // Arithmetic. Integers wrap; shift counts are taken modulo the width; x / 0 = 0 and x % 0 = 0 for integers.
    Add "add" Some(2), Num, Pure, Both, "a + b"
        = int |a, b| a.wrapping_add(b), float |a, b| a + b, zero |a, b| toward_zero::add(a, b);
    Sub "sub" Some(2), Num, Pure, Both, "a - b"
        = int |a, b| a.wrapping_sub(b), float |a, b| a - b, zero |a, b| toward_zero::sub(a, b);
    Mul "mul" Some(2), Num, Pure, Both, "a * b; integers keep the low bits of the full product"
        = int |a, b| a.wrapping_mul(b), float |a, b| a * b, zero |a, b| toward_zero::mul(a, b);
    Div "div" Some(2), Num, Pure, Both, "a / b; integers truncate toward zero, MIN / -1 = MIN"
        = int |a, b| if b == 0 { 0 } else { (a as S).wrapping_div(b as S) as U }, float |a, b| a / b,
        zero |a, b| toward_zero::div(a, b);
    Rem "rem" Some(2), Num, Pure, Both, "a - b * trunc(a / b), sign of a; MIN rem -1 = 0"
        = int |a, b| if b == 0 { 0 } else { (a as S).wrapping_rem(b as S) as U }, real |a, b| libm::fmod(a, b),
        single |a, b| elementary::remainder(a, b);
    Mod "mod" Some(2), Num, Pure, Both, "a - b * floor(a / b), sign of b"
        = int |a, b| if b == 0 { 0 } else {
            let (r, b) = ((a as S).wrapping_rem(b as S), b as S);
            if r != 0 && (r < 0) != (b < 0) { r.wrapping_add(b) as U } else { r as U }
        },
        real |a, b| real::floor_rem(a, b), single |a, b| elementary::floor_remainder(a, b);
    Min "min" Some(2), Num, Pure, Both, "the smaller (integers as signed); floats: a if it is not greater than b"
        = int |a, b| (a as S).min(b as S) as U, raw |a, b| if a > b { b } else { a },
        zero |a, b| if toward_zero::key(a) > toward_zero::key(b) { b } else { a };
    Max "max" Some(2), Num, Pure, Both, "the larger (integers as signed); floats: a if it is greater than b"
        = int |a, b| (a as S).max(b as S) as U, raw |a, b| if a > b { a } else { b },
        zero |a, b| if toward_zero::key(a) > toward_zero::key(b) { a } else { b };
    MinU "min.u" Some(2), Int, Pure, Both, "the smaller as unsigned"
        = int |a, b| a.min(b);
    MaxU "max.u" Some(2), Int, Pure, Both, "the larger as unsigned"
        = int |a, b| a.max(b);
    Neg "neg" Some(1), Num, Pure, Both, "-a, for floats 0 - a"
        = int |a, _b| a.wrapping_neg(), float |a, _b| 0.0 - a, zero |a, _b| toward_zero::sub(0, a);
    Abs "abs" Some(1), Num, Pure, Both, "absolute value; abs(MIN) = MIN; floats clear the sign bit"
        = int |a, _b| (a as S).wrapping_abs() as U, raw |a, _b| a.abs(), zero |a, _b| a & 0x7fff_ffff;
    And "and" Some(2), Bits, Pure, Both, "bitwise or logical and"
        = bits |a, b| a & b;
    Or "or" Some(2), Bits, Pure, Both, "bitwise or logical or"
        = bits |a, b| a | b;
    Xor "xor" Some(2), Bits, Pure, Both, "bitwise or logical exclusive or"
        = bits |a, b| a ^ b;
    Not "not" Some(1), Bits, Pure, Both, "bitwise or logical complement"
        = bits |a, _b| !a;
    AndNot "andnot" Some(2), Bits, Pure, Both, "a and not b"
        = bits |a, b| a & !b;
    Shl "shl" Some(2), Int, Pure, Both, "a << (b mod width)"
        = int |a, b| a << (b % U::BITS as U);
    Shr "shr" Some(2), Int, Pure, Both, "a >> (b mod width), zeros from the left"
        = int |a, b| a >> (b % U::BITS as U);
    Asr "asr" Some(2), Int, Pure, Both, "a >> (b mod width), copies of the sign from the left"
        = int |a, b| ((a as S) >> (b % U::BITS as U)) as U;
    Ror "ror" Some(2), Int, Pure, Both, "a rotated right by b mod width bits"
        = int |a, b| a.rotate_right((b % U::BITS as U) as u32);
    Clz "clz" Some(1), Int, Pure, Both, "leading zero bits; clz(0) is the width"
        = int |a, _b| a.leading_zeros() as U;
    Popcount "popcount" Some(1), Int, Pure, Both, "how many bits are 1"
        = int |a, _b| a.count_ones() as U;

    // Float functions.
    Floor "floor" Some(1), Float, Pure, Both, "the largest whole number not above a"
        = real |a, _b| libm::floor(a);
    Ceil "ceil" Some(1), Float, Pure, Both, "the smallest whole number not below a"
        = real |a, _b| libm::ceil(a);
    Trunc "trunc" Some(1), Float, Pure, Both, "a without its fraction"
        = real |a, _b| libm::trunc(a);
    Round "round" Some(1), Float, Pure, Both, "the nearest whole number, halves away from zero"
        = real |a, _b| libm::round(a);
    Sqrt "sqrt" Some(1), Float, Pure, Both, "square root; 0 for a negative"
        = real |a, _b| real::square_root(a), zero |a, _b| toward_zero::sqrt(a);
    Rsqrt "rsqrt" Some(1), Float, Pure, Both, "1 / sqrt(a)"
        = real |a, _b| 1.0 / real::square_root(a);
    Recip "recip" Some(1), Float, Pure, Both, "1 / a"
        = float |a, _b| 1.0 / a, zero |a, _b| toward_zero::div(1f32.to_bits(), a);
    Exp2 "exp2" Some(1), Float, Pure, Both, "2 to the a"
        = real |a, _b| libm::exp2(a), single |a, _b| exponential::exp2(a), double |a, _b| elementary::exp2(a);
    Log2 "log2" Some(1), Float, Pure, Both, "logarithm to base 2"
        = real |a, _b| libm::log2(a), float |a, _b| elementary::log2(a);
    Exp "exp" Some(1), Float, Pure, Both, "e to the a"
        = real |a, _b| libm::exp(a), single |a, _b| exponential::exp(a), double |a, _b| elementary::exp(a);
    Log "log" Some(1), Float, Pure, Both, "natural logarithm"
        = real |a, _b| libm::log(a), float |a, _b| elementary::log(a);
    Sin "sin" Some(1), Float, Pure, Both, "sine of a in radians"
        = real |a, _b| libm::sin(a), float |a, _b| elementary::sin(a);
    Cos "cos" Some(1), Float, Pure, Both, "cosine of a in radians"
        = real |a, _b| libm::cos(a), float |a, _b| elementary::cos(a);
    Tan "tan" Some(1), Float, Pure, Both, "tangent of a in radians"
        = real |a, _b| libm::tan(a), float |a, _b| elementary::tan(a);
    Asin "asin" Some(1), Float, Pure, Both, "arc sine"
        = real |a, _b| libm::asin(a), float |a, _b| elementary::asin(a);
    Acos "acos" Some(1), Float, Pure, Both, "arc cosine"
        = real |a, _b| libm::acos(a), float |a, _b| elementary::acos(a);
    Atan "atan" Some(1), Float, Pure, Both, "arc tangent"
        = real |a, _b| libm::atan(a), float |a, _b| elementary::atan(a);
    Atan2 "atan2" Some(2), Float, Pure, Both, "angle of the point (b, a)"
        = real |a, b| libm::atan2(a, b), float |a, b| elementary::atan2(a, b);
    Sinh "sinh" Some(1), Float, Pure, Both, "hyperbolic sine"
        = real |a, _b| libm::sinh(a), float |a, _b| elementary::sinh(a);
    Cosh "cosh" Some(1), Float, Pure, Both, "hyperbolic cosine"
        = real |a, _b| libm::cosh(a), float |a, _b| elementary::cosh(a);
    Tanh "tanh" Some(1), Float, Pure, Both, "hyperbolic tangent"
        = real |a, _b| libm::tanh(a), float |a, _b| elementary::tanh(a);
    Pow "pow" Some(2), Float, Pure, Both, "a to the b"
        = real |a, b| libm::pow(a, b), single |a, b| elementary::pow(a, b), double |a, b| elementary::pow_of_double(a, b);

    // Comparisons, selection, conversion.
    CmpEq "cmp.eq" Some(2), Compare, Pure, Both, "a equals b"
        = order |a, b| a == b;
    CmpNe "cmp.ne" Some(2), Compare, Pure, Both, "a differs from b"
        = order |a, b| a != b;
    CmpLt "cmp.lt" Some(2), Compare, Pure, Both, "a < b, signed for integers"
        = order |a, b| a < b;
    CmpLe "cmp.le" Some(2), Compare, Pure, Both, "a <= b"
        = order |a, b| a <= b;
    CmpGt "cmp.gt" Some(2), Compare, Pure, Both, "a > b"
        = order |a, b| a > b;
    CmpGe "cmp.ge" Some(2), Compare, Pure, Both, "a >= b"
        = order |a, b| a >= b;
    CmpLtU "cmp.lt.u" Some(2), CompareInt, Pure, Both, "a < b, unsigned"
        = int |a, b| (a < b) as U;
    CmpLeU "cmp.le.u" Some(2), CompareInt, Pure, Both, "a <= b, unsigned"
        = int |a, b| (a <= b) as U;
    CmpGtU "cmp.gt.u" Some(2), CompareInt, Pure, Both, "a > b, unsigned"
        = int |a, b| (a > b) as U;
    CmpGeU "cmp.ge.u" Some(2), CompareInt, Pure, Both, "a >= b, unsigned"
        = int |a, b| (a >= b) as U;
    Select "select" Some(3), Rule::Select, Pure, Both, "b where a, else c";
    ToI32 "to.i32" Some(1), To(Elem::I32), Pure, Both, "truncates floats (out of range and NaN give 0), wraps integers, bool to 0 or 1";
    ToF32 "to.f32" Some(1), To(Elem::F32), Pure, Both, "nearest or truncated float by arithmetic mode, bool to 0.0 or 1.0";
    ToI64 "to.i64" Some(1), To(Elem::I64), Pure, Both, "sign-extends integers, truncates floats";
    ToF64 "to.f64" Some(1), To(Elem::F64), Pure, Both, "exact for f32 and i32";
    BitsI32 "bits.i32" Some(1), Bitcast(Elem::I32), Pure, Both, "the bits of a float";
    BitsF32 "bits.f32" Some(1), Bitcast(Elem::F32), Pure, Both, "the float with these bits";

    // Where am I.
    Lane "lane" Some(0), LaneI32, Pure, Both, "lane of the subgroup, 0..15";
    LaneActive "lane.active" Some(0), LaneBool, Pure, Simd, "whether this lane's item lies within the extent";
    Item "item" Some(0), LaneI32, Pure, Simt, "index imm of the item of an extent";
    Local "local" Some(0), LaneI32, Pure, Simt, "index imm of the item within its group";
    Group "group" Some(0), UniformI32, Pure, Both, "index imm of the group";
    NumGroups "num_groups" Some(0), UniformI32, Pure, Both, "groups along axis imm";
    GroupSize "group_size" Some(0), UniformI32, Pure, Both, "items of a group along axis imm";
    Extent "extent" Some(0), UniformI32, Pure, Both, "items of the launch along axis imm";
    Worker "worker" Some(0), UniformI32, Pure, Both, "which of the launched workers (QPUs, threads) runs this, from 0";
    NumWorkers "num_workers" Some(0), UniformI32, Pure, Both, "how many workers were launched";
    Dim "dim" Some(0), UniformI32, Pure, Both, "elements of the buffer along axis imm";

    // Lanes together. At SIMT level the vote is over the active lanes; at SIMD level over those of its mask.
    VoteAny "vote.any" Some(1), Vote, Pure, Both, "whether any lane's operand is true";
    VoteAll "vote.all" Some(1), Vote, Pure, Both, "whether every lane's operand is true";
    Rotate "rotate" Some(2), Rule::Rotate, Pure, Both, "lane i gets lane (i - b) mod 16 of a; 0 from lanes past the extent";
    Broadcast "broadcast" Some(2), Rule::Broadcast, Pure, Both, "lane b mod 16 of a for all lanes; 0 from a lane past the extent";

    // Memory. Operands: one index per rank, then the value of a store.
    Load "load" None, Own, Read, Both, "the element at the indices, by the access mode";
    Store "store" None, Own, Write, Both, "writes the element at the indices, by the access mode";
    LoadRow "load.row" Some(1), Own, Read, Simd, "16 consecutive elements from a uniform index, one per lane";
    StoreRow "store.row" Some(2), Own, Write, Simd, "writes one element per lane from a uniform index on";
    StoreRows "store.rows" None, Own, Write, Simd, "operands index, stride, then values: writes value j, one element per lane, from index + j * stride on";
    AtomicAdd "atomic.add" None, Own, ReadWrite, Both, "adds, gives the old value";
    AtomicSub "atomic.sub" None, Own, ReadWrite, Both, "subtracts, gives the old value";
    AtomicMul "atomic.mul" None, Own, ReadWrite, Both, "multiplies, gives the old value";
    AtomicDiv "atomic.div" None, Own, ReadWrite, Both, "divides, gives the old value";
    AtomicPow "atomic.pow" None, Own, ReadWrite, Both, "raises to a power, gives the old value";
    AtomicMin "atomic.min" None, Own, ReadWrite, Both, "takes the minimum, gives the old value";
    AtomicMax "atomic.max" None, Own, ReadWrite, Both, "takes the maximum, gives the old value";
    AtomicAnd "atomic.and" None, Own, ReadWrite, Both, "bitwise and, gives the old value";
    AtomicOr "atomic.or" None, Own, ReadWrite, Both, "bitwise or, gives the old value";
    AtomicXor "atomic.xor" None, Own, ReadWrite, Both, "bitwise exclusive or, gives the old value";
    AtomicExchange "atomic.exch" None, Own, ReadWrite, Both, "writes the operand, gives the old value";
    AtomicCompareExchange "atomic.cas" None, Own, ReadWrite, Both, "indices, expected, new: writes new if the element equals expected, gives the old value";

    // Synchronisation.
    Barrier "barrier" Some(0), Own, Ordered, Simt, "waits for all items of the group";
    Print "print" None, Own, Ordered, Both, "prints `text`, in which {} (or {u}, without a sign) stands for each operand, once per worker or live lane";
    Comment "comment" Some(0), Own, Ordered, Both, "does nothing; `text` stands in listings of the code";
    Assert "assert" Some(1), Own, Ordered, Both, "stops the launch with `text` unless the operand holds in all live lanes";

    // Variables of the front ends; `promote` turns them into values.
    VarGet "get" Some(0), Own, Variable, Simt, "the value of a variable";
    VarSet "set" Some(1), Own, Variable, Simt, "assigns a variable in the live lanes";

    // Control.
    If "if" Some(1), Own, Control, Both, "runs one of two regions and gives what it yields";
    For "for" None, Own, Control, Both, "counted loop; operands lo, hi, step, initial carried values";
    Loop "loop" None, Own, Control, Both, "endless loop; operands are the initial carried values";
    Yield "yield" None, Own, Control, Both, "ends a region with these values; in a `for` body: next iteration";
    Break "break" None, Own, Control, Both, "leaves the innermost loop with these results";
    Continue "continue" None, Own, Control, Both, "next iteration of the innermost loop with these carried values";
    Return "return" Some(0), Own, Control, Both, "ends the kernel for these lanes";
}
        }
    };
}
pub(crate) use core_rows;
