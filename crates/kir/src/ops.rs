//! The one table of operations: mnemonic, arity, typing rule, effect, level, meaning. Printer, parser, checker and
//! interpreters read it; nothing else lists the operations.

use crate::kernel::Level;
use crate::types::{Elem, Type};

/// How the result type follows from the operand types. Unless said otherwise all operands have one element type, and a
/// result has one element per lane as soon as one operand has (SIMD level), or as many elements as its widest operand
/// (small vectors, SIMT level).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Numbers (int or float) to the same type.
    Num,
    /// Integers to the same type.
    Int,
    /// Floats to the same type.
    Float,
    /// Integers or bools to the same type.
    Bits,
    /// Two numbers or two bools to `bool`.
    Compare,
    /// Two integers to `bool`, compared as unsigned.
    CompareInt,
    /// `bool`, T, T to T.
    Select,
    /// A number or bool to this element type.
    To(Elem),
    /// `f32` to `i32` or back, same bits.
    Bitcast(Elem),
    /// No operand, an `i32` that is the same in all lanes.
    UniformI32,
    /// No operand, an `i32` per lane.
    LaneI32,
    /// No operand, a `bool` per lane (SIMD level).
    LaneBool,
    /// `bool` to one `bool` for the subgroup.
    Vote,
    /// A value and an `i32` amount to the same type.
    Rotate,
    /// A value and an `i32` lane to one element for the subgroup.
    Broadcast,
    /// Builds a small vector of its operands, all of one element type.
    VecMake,
    /// Element `imm` of a small vector.
    VecGet,
    /// A small vector with element `imm` replaced by the second operand.
    VecSet,
    /// Anything that has its own rule in the checker: memory, variables, synchronisation, control.
    Own,
}

/// What an operation does besides computing its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing: it may be moved, copied and removed, and it is defined for all inputs in all lanes.
    Pure,
    /// Reads a buffer.
    Read,
    /// Writes a buffer.
    Write,
    /// Reads and writes a buffer (atomics).
    ReadWrite,
    /// Keeps its place among the other ordered operations: synchronisation, queues, `print`, `assert`.
    Ordered,
    /// Reads or writes a variable (before `promote`).
    Variable,
    /// Structured control flow or a terminator.
    Control,
}

/// At which level an operation may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    Both,
    Simt,
    Simd,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// Name in the text form.
    pub mnemonic: &'static str,
    /// Number of operands; `None` where it varies.
    pub arity: Option<usize>,
    pub rule: Rule,
    pub effect: Effect,
    pub at: At,
    /// Meaning, in one line.
    pub doc: &'static str,
}

macro_rules! ops {
    ($($variant:ident $mnemonic:literal $arity:expr, $rule:expr, $effect:ident, $at:ident, $doc:literal;)*) => {
        /// An operation. See [`OpInfo`] for its row in the table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op {
            $(#[doc = $doc] $variant,)*
        }
        impl Op {
            /// All operations in the order of the table.
            pub const ALL: &'static [Op] = &[$(Op::$variant,)*];
        }
        const TABLE: &[OpInfo] = &[
            $(OpInfo { mnemonic: $mnemonic, arity: $arity, rule: $rule, effect: Effect::$effect, at: At::$at, doc: $doc },)*
        ];
    };
}

use Rule::*;
ops! {
    // Arithmetic. Integers wrap; shift counts are taken modulo the width; x / 0 = 0 and x % 0 = 0 for integers.
    Add "add" Some(2), Num, Pure, Both, "a + b";
    Sub "sub" Some(2), Num, Pure, Both, "a - b";
    Mul "mul" Some(2), Num, Pure, Both, "a * b; integers keep the low bits of the full product";
    Mul24 "mul24" Some(2), Int, Pure, Both, "(a mod 2^24) * (b mod 2^24), both taken as unsigned, low 32 bits";
    Div "div" Some(2), Num, Pure, Both, "a / b; integers truncate toward zero, MIN / -1 = MIN";
    Rem "rem" Some(2), Num, Pure, Both, "a - b * trunc(a / b), sign of a; MIN rem -1 = 0";
    Mod "mod" Some(2), Num, Pure, Both, "a - b * floor(a / b), sign of b";
    Min "min" Some(2), Num, Pure, Both, "the smaller (integers as signed); floats: a if it is not greater than b";
    Max "max" Some(2), Num, Pure, Both, "the larger (integers as signed); floats: a if it is greater than b";
    MinU "min.u" Some(2), Int, Pure, Both, "the smaller as unsigned";
    MaxU "max.u" Some(2), Int, Pure, Both, "the larger as unsigned";
    Neg "neg" Some(1), Num, Pure, Both, "-a, for floats 0 - a";
    Abs "abs" Some(1), Num, Pure, Both, "absolute value; abs(MIN) = MIN; floats clear the sign bit";
    And "and" Some(2), Bits, Pure, Both, "bitwise or logical and";
    Or "or" Some(2), Bits, Pure, Both, "bitwise or logical or";
    Xor "xor" Some(2), Bits, Pure, Both, "bitwise or logical exclusive or";
    Not "not" Some(1), Bits, Pure, Both, "bitwise or logical complement";
    AndNot "andnot" Some(2), Bits, Pure, Both, "a and not b";
    Shl "shl" Some(2), Int, Pure, Both, "a << (b mod width)";
    Shr "shr" Some(2), Int, Pure, Both, "a >> (b mod width), zeros from the left";
    Asr "asr" Some(2), Int, Pure, Both, "a >> (b mod width), copies of the sign from the left";
    Ror "ror" Some(2), Int, Pure, Both, "a rotated right by b mod width bits";
    Clz "clz" Some(1), Int, Pure, Both, "leading zero bits; clz(0) is the width";

    // Float functions. `*.approx` are the raw approximations of the special function unit, see `eval`.
    Floor "floor" Some(1), Float, Pure, Both, "the largest whole number not above a";
    Ceil "ceil" Some(1), Float, Pure, Both, "the smallest whole number not below a";
    Trunc "trunc" Some(1), Float, Pure, Both, "a without its fraction";
    Round "round" Some(1), Float, Pure, Both, "the nearest whole number, halves away from zero";
    Sqrt "sqrt" Some(1), Float, Pure, Both, "square root; 0 for a negative";
    Rsqrt "rsqrt" Some(1), Float, Pure, Both, "1 / sqrt(a)";
    Recip "recip" Some(1), Float, Pure, Both, "1 / a";
    Exp2 "exp2" Some(1), Float, Pure, Both, "2 to the a";
    Log2 "log2" Some(1), Float, Pure, Both, "logarithm to base 2";
    Exp "exp" Some(1), Float, Pure, Both, "e to the a";
    Log "log" Some(1), Float, Pure, Both, "natural logarithm";
    Sin "sin" Some(1), Float, Pure, Both, "sine of a in radians";
    Cos "cos" Some(1), Float, Pure, Both, "cosine of a in radians";
    Tan "tan" Some(1), Float, Pure, Both, "tangent of a in radians";
    Asin "asin" Some(1), Float, Pure, Both, "arc sine";
    Acos "acos" Some(1), Float, Pure, Both, "arc cosine";
    Atan "atan" Some(1), Float, Pure, Both, "arc tangent";
    Atan2 "atan2" Some(2), Float, Pure, Both, "angle of the point (b, a)";
    Sinh "sinh" Some(1), Float, Pure, Both, "hyperbolic sine";
    Cosh "cosh" Some(1), Float, Pure, Both, "hyperbolic cosine";
    Tanh "tanh" Some(1), Float, Pure, Both, "hyperbolic tangent";
    Pow "pow" Some(2), Float, Pure, Both, "a to the b";
    RecipApprox "recip.approx" Some(1), Float, Pure, Both, "about 1 / a, as the special function unit gives it";
    RsqrtApprox "rsqrt.approx" Some(1), Float, Pure, Both, "about 1 / sqrt(|a|), as the special function unit gives it";
    Exp2Approx "exp2.approx" Some(1), Float, Pure, Both, "about 2 to the a, as the special function unit gives it";
    Log2Approx "log2.approx" Some(1), Float, Pure, Both, "about log2(|a|), as the special function unit gives it";

    // Comparisons, selection, conversion.
    CmpEq "cmp.eq" Some(2), Compare, Pure, Both, "a equals b";
    CmpNe "cmp.ne" Some(2), Compare, Pure, Both, "a differs from b";
    CmpLt "cmp.lt" Some(2), Compare, Pure, Both, "a < b, signed for integers";
    CmpLe "cmp.le" Some(2), Compare, Pure, Both, "a <= b";
    CmpGt "cmp.gt" Some(2), Compare, Pure, Both, "a > b";
    CmpGe "cmp.ge" Some(2), Compare, Pure, Both, "a >= b";
    CmpLtU "cmp.lt.u" Some(2), CompareInt, Pure, Both, "a < b, unsigned";
    CmpLeU "cmp.le.u" Some(2), CompareInt, Pure, Both, "a <= b, unsigned";
    CmpGtU "cmp.gt.u" Some(2), CompareInt, Pure, Both, "a > b, unsigned";
    CmpGeU "cmp.ge.u" Some(2), CompareInt, Pure, Both, "a >= b, unsigned";
    Select "select" Some(3), Rule::Select, Pure, Both, "b where a, else c";
    ToI32 "to.i32" Some(1), To(Elem::I32), Pure, Both, "truncates floats (out of range and NaN give 0), wraps integers, bool to 0 or 1";
    ToF32 "to.f32" Some(1), To(Elem::F32), Pure, Both, "nearest or truncated float by arithmetic mode, bool to 0.0 or 1.0";
    ToI64 "to.i64" Some(1), To(Elem::I64), Pure, Both, "sign-extends integers, truncates floats";
    ToF64 "to.f64" Some(1), To(Elem::F64), Pure, Both, "exact for f32 and i32";
    BitsI32 "bits.i32" Some(1), Bitcast(Elem::I32), Pure, Both, "the bits of a float";
    BitsF32 "bits.f32" Some(1), Bitcast(Elem::F32), Pure, Both, "the float with these bits";

    // Small vectors (SIMT level; `scalarize` removes them).
    VecMake "vec.make" None, Rule::VecMake, Pure, Simt, "a small vector of the operands";
    VecGet "vec.get" Some(1), Rule::VecGet, Pure, Simt, "element imm of a small vector";
    VecSet "vec.set" Some(2), Rule::VecSet, Pure, Simt, "a small vector with element imm replaced";
    VecAt "vec.at" Some(2), Own, Pure, Simt, "element b of small vector a, 0 outside";

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
    TmuRequest "tmu.request" None, Own, Ordered, Both, "asks for the element at the indices; at most 4 requests may wait";
    TmuReceive "tmu.receive" Some(0), Own, Ordered, Both, "the element of the oldest waiting request";
    Fence "fence" Some(0), Own, Ordered, Both, "earlier writes of this worker reach memory before later ones";
    Flush "flush" Some(0), Own, Ordered, Both, "waits until this worker's stores have reached memory";

    // Synchronisation.
    Barrier "barrier" Some(0), Own, Ordered, Simt, "waits for all items of the group";
    SemaInc "sema.inc" Some(0), Own, Ordered, Both, "increments semaphore imm (0..15), waits while it is 15";
    SemaDec "sema.dec" Some(0), Own, Ordered, Both, "decrements semaphore imm (0..15), waits while it is 0";
    MutexLock "mutex.lock" Some(0), Own, Ordered, Both, "takes the one mutex of the launch";
    MutexUnlock "mutex.unlock" Some(0), Own, Ordered, Both, "gives the mutex back";
    HostIrq "host.irq" Some(0), Own, Ordered, Both, "signals the host";
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
    Each "each" None, Own, Control, Both, "runs its region once per subgroup of the group";
    Yield "yield" None, Own, Control, Both, "ends a region with these values; in a `for` body: next iteration";
    Break "break" None, Own, Control, Both, "leaves the innermost loop with these results";
    Continue "continue" None, Own, Control, Both, "next iteration of the innermost loop with these carried values";
    Return "return" Some(0), Own, Control, Both, "ends the kernel for these lanes";
}

impl Op {
    /// This operation's row of the table.
    #[inline]
    pub fn info(self) -> &'static OpInfo {
        &TABLE[self as usize]
    }

    /// The name in the text form.
    pub fn mnemonic(self) -> &'static str {
        self.info().mnemonic
    }

    /// The operation with this name.
    pub fn from_mnemonic(name: &str) -> Option<Op> {
        TABLE.iter().position(|row| row.mnemonic == name).map(|i| Op::ALL[i])
    }

    /// Whether it ends a block.
    pub fn is_terminator(self) -> bool {
        matches!(self, Op::Yield | Op::Break | Op::Continue | Op::Return)
    }

    /// Whether it has no effect and is defined everywhere, so that it may be moved, shared and dropped.
    #[inline]
    pub fn is_pure(self) -> bool {
        self.info().effect == Effect::Pure
    }

    /// Whether it reads and writes one element atomically.
    pub fn is_atomic(self) -> bool {
        self.info().effect == Effect::ReadWrite
    }

    /// Whether it has a buffer and an access mode.
    pub fn accesses_memory(self) -> bool {
        matches!(self.info().effect, Effect::Read | Effect::Write | Effect::ReadWrite) || self == Op::TmuRequest
    }

    /// Whether the result depends on which lanes are live, so that it needs a mask at SIMD level and must not be moved
    /// across control flow though it has no effect.
    pub fn is_vote(self) -> bool {
        matches!(self, Op::VoteAny | Op::VoteAll)
    }

    /// Whether lanes see other lanes' values.
    pub fn is_cross_lane(self) -> bool {
        matches!(self, Op::Rotate | Op::Broadcast | Op::VoteAny | Op::VoteAll)
    }

    /// Whether exchanging the two operands, of this element type, changes nothing in either arithmetic. The sum of two
    /// infinities is the second one in the arithmetic of the QPU, and the smaller of two equal floats is the first.
    pub fn is_commutative(self, elem: Elem) -> bool {
        use Op::*;
        match self {
            Add | Min | Max => !elem.is_float(),
            Mul | Mul24 | MinU | MaxU | And | Or | Xor | CmpEq | CmpNe => true,
            _ => false,
        }
    }

    /// The result type of an operation that has a [`Rule`] other than `Own`.
    ///
    /// # Errors
    /// What is wrong with the operands, in words.
    pub fn result_type(self, level: Level, args: &[Type]) -> Result<Type, String> {
        let info = self.info();
        let name = info.mnemonic;
        if let Some(n) = info.arity
            && n != args.len()
        {
            return Err(format!("`{name}` takes {n} operands, not {}", args.len()));
        }
        let shape = |args: &[Type]| -> Result<Type, String> {
            let mut out = args[0];
            for t in &args[1..] {
                if t.elem != out.elem {
                    return Err(format!("`{name}` of {out} and {t}: the element types differ"));
                }
                if t.n != out.n && t.n != 1 && out.n != 1 {
                    return Err(format!("`{name}` of {out} and {t}: the vector lengths differ"));
                }
                out = Type { elem: out.elem, n: out.n.max(t.n), lanes: out.lanes | t.lanes };
            }
            Ok(out)
        };
        let want = |ok: bool, t: Type, what: &str| {
            if ok { Ok(t) } else { Err(format!("`{name}` wants {what}, not {t}")) }
        };
        match info.rule {
            Num => shape(args).and_then(|t| want(t.elem != Elem::Bool, t, "numbers")),
            Int => shape(args).and_then(|t| want(t.elem.is_int(), t, "integers")),
            Float => shape(args).and_then(|t| want(t.elem.is_float(), t, "floats")),
            Bits => shape(args).and_then(|t| want(!t.elem.is_float(), t, "integers or bools")),
            Compare => shape(args).map(|t| t.with_elem(Elem::Bool)),
            CompareInt => {
                shape(args).and_then(|t| want(t.elem.is_int(), t, "integers")).map(|t| t.with_elem(Elem::Bool))
            }
            Rule::Select => {
                let t = shape(&args[1..])?;
                want(args[0].elem == Elem::Bool, args[0], "a bool first")?;
                Ok(Type { n: t.n.max(args[0].n), lanes: t.lanes | args[0].lanes, ..t })
            }
            To(elem) => Ok(args[0].with_elem(elem)),
            Bitcast(elem) => {
                let from = if elem == Elem::I32 { Elem::F32 } else { Elem::I32 };
                want(args[0].elem == from, args[0], from.name()).map(|t| t.with_elem(elem))
            }
            UniformI32 => Ok(Type::I32),
            LaneI32 => Ok(Type::I32.with_lanes(level == Level::Simd)),
            LaneBool => Ok(Type::vector(Elem::Bool)),
            Vote => want(args[0].elem == Elem::Bool && args[0].n == 1, args[0], "a bool").map(|_| Type::BOOL),
            // Lanes past the extent read as 0, so even a uniform operand gives one element per lane.
            Rule::Rotate => want(args[1].elem == Elem::I32, args[1], "an i32 amount")
                .map(|_| args[0].with_lanes(level == Level::Simd)),
            Rule::Broadcast => {
                want(args[1].elem == Elem::I32, args[1], "an i32 lane").map(|_| args[0].with_lanes(false))
            }
            Rule::VecMake => {
                if args.is_empty() || args.len() > 64 || args.iter().any(|t| t.n != 1 || t.elem != args[0].elem) {
                    return Err(format!("`{name}` takes 1 to 64 scalars of one type"));
                }
                Ok(Type { n: args.len() as u8, ..args[0] })
            }
            Rule::VecGet => Ok(Type { n: 1, ..args[0] }),
            Rule::VecSet => want(args[1].n == 1 && args[1].elem == args[0].elem, args[1], "a scalar").map(|_| args[0]),
            Own => Err(format!("`{name}` has no general typing rule")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mnemonics_are_distinct_and_found_again() {
        for &op in Op::ALL {
            assert_eq!(Op::from_mnemonic(op.mnemonic()), Some(op), "{}", op.mnemonic());
        }
    }

    #[test]
    fn a_result_has_lanes_as_soon_as_an_operand_has() {
        let t = Op::Add.result_type(Level::Simd, &[Type::I32, Type::vector(Elem::I32)]);
        assert_eq!(t, Ok(Type::vector(Elem::I32)));
        assert!(Op::Add.result_type(Level::Simd, &[Type::I32, Type::F32]).is_err());
        assert_eq!(Op::CmpLt.result_type(Level::Simt, &[Type::F32, Type::F32]), Ok(Type::BOOL));
    }
}
