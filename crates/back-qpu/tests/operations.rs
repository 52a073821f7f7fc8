//! Every pure operation on edge values and random ones, against the meaning that `kir::eval` gives it.

mod common;

use common::{How, emulate};
use kir::{Access, Arithmetic, Elem, Inst, Kernel, Level, Op, Type, eval};
use quadra_kir as kir;

const EDGES: [u32; 24] = [
    0,
    1,
    2,
    0xffff_ffff,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0x00ff_ffff,
    0x0100_0000,
    31,
    32,
    33,
    0xffff_fff0,
    0x3f80_0000,
    0xbf80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffff_ffff,
    0x0000_0001,
    0x0080_0000,
    0x4b00_0000,
    0x4f00_0000,
    0xcf00_0001,
];

fn values(seed: &mut u64, rows: usize) -> Vec<u32> {
    let mut next = || {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 32) as u32
    };
    (0..16 * rows)
        .map(|_| match next() % 4 {
            0 | 1 => EDGES[next() as usize % EDGES.len()],
            2 => next(),
            _ => (next() % 64).wrapping_sub(32),
        })
        .collect()
}

/// What happens to the result of the operation before it is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Stored,
    /// As the condition of a `select`.
    Selects,
    /// As the condition of a `select` of 1 and 0, after `not`.
    NotSelects,
}

struct Maker {
    kernel: Kernel,
    insts: Vec<Inst>,
}

impl Maker {
    fn op(&mut self, op: Op, args: &[kir::Value]) -> kir::Value {
        let types: Vec<Type> = args.iter().map(|v| self.kernel.ty(*v)).collect();
        let ty = op.result_type(Level::Simd, &types).expect("well typed");
        let mut inst = Inst::new(op, args.iter().copied());
        inst.results = kir::Values::from_slice(&[self.kernel.new_value(ty)]);
        self.insts.push(inst);
        *self.insts.last().expect("pushed").results.first().expect("one")
    }
}

/// A kernel that stores `op` of rows of its input buffers, `rows` times; constants instead of operand `constant`.
fn kernel(op: Op, elem: Elem, arity: usize, rows: usize, form: Form, constant: Option<(usize, u32)>) -> Kernel {
    let mut k = Kernel::new(format!("{}.{elem}.{form:?}", op.mnemonic()), Level::Simd);
    let inputs: Vec<_> = (0..3).map(|i| k.add_buffer(&format!("x{i}"), Elem::I32, 1, Access::Read)).collect();
    let out = k.add_buffer("out", Elem::I32, 1, Access::Write);
    let mut m = Maker { kernel: k, insts: Vec::new() };
    for row in 0..rows {
        let at = m.kernel.const_i32(16 * row as i32);
        let mut args = Vec::new();
        for (i, &buf) in inputs.iter().enumerate().take(arity) {
            let bool_operand = elem == Elem::Bool || op == Op::Select && i == 0;
            if let Some((which, bits)) = constant
                && which == i
            {
                let elem = if bool_operand { Elem::Bool } else { elem };
                let bits = if bool_operand { bits & 1 } else { bits };
                args.push(m.kernel.constant(kir::Const { elem, bits: bits as u64 }));
                continue;
            }
            let mut load = Inst::new(Op::LoadRow, [at]);
            load.buf = Some(buf);
            load.results = kir::Values::from_slice(&[m.kernel.new_value(Type::vector(Elem::I32))]);
            let mut v = load.result();
            m.insts.push(load);
            if bool_operand {
                let one = m.kernel.const_i32(1);
                let bit = m.op(Op::And, &[v, one]);
                v = m.op(Op::CmpEq, &[bit, one]);
            } else if elem == Elem::F32 {
                v = m.op(Op::BitsF32, &[v]);
            }
            args.push(v);
        }
        let mut r = m.op(op, &args);
        let result = m.kernel.ty(r).elem;
        if result == Elem::Bool {
            let (one, zero) = (m.kernel.const_i32(1), m.kernel.const_i32(0));
            r = match form {
                Form::Stored => m.op(Op::ToI32, &[r]),
                Form::Selects => m.op(Op::Select, &[r, one, zero]),
                Form::NotSelects => {
                    let n = m.op(Op::Not, &[r]);
                    m.op(Op::Select, &[n, zero, one])
                }
            };
        } else if result == Elem::F32 {
            r = m.op(Op::BitsI32, &[r]);
        }
        let mut store = Inst::new(Op::StoreRow, [at, r]);
        store.buf = Some(out);
        m.insts.push(store);
    }
    m.insts.push(Inst::new(Op::Return, []));
    m.kernel.body.insts = m.insts;
    m.kernel
}

fn elems(op: Op) -> &'static [Elem] {
    use kir::Rule::*;
    match op.info().rule {
        Num => &[Elem::I32, Elem::F32],
        Int | CompareInt => &[Elem::I32],
        Float => &[Elem::F32],
        Bits => &[Elem::I32, Elem::Bool],
        Compare | Select | To(Elem::I32) | To(Elem::F32) => &[Elem::I32, Elem::F32, Elem::Bool],
        Bitcast(Elem::I32) => &[Elem::F32],
        Bitcast(_) => &[Elem::I32],
        _ => &[],
    }
}

fn check(op: Op, elem: Elem, form: Form, constant: Option<(usize, u32)>, level: u8, seed: &mut u64) {
    let rows = 12;
    let arity = op.info().arity.expect("pure operations have one");
    let k = kernel(op, elem, arity, rows, form, constant);
    let inputs: Vec<Vec<u32>> = (0..3).map(|_| values(seed, rows)).collect();
    let buffer = |w: &[u32]| kir::MemoryBuffer::of_i32(&w.iter().map(|x| *x as i32).collect::<Vec<_>>());
    let mut memory = kir::Memory { buffers: inputs.iter().map(|i| buffer(i)).collect() };
    memory.buffers.push(buffer(&vec![0xdead; 16 * rows]));
    let launch = kir::Launch::new((0..4).map(kir::Arg::Buffer).collect());
    let (compiled, _) = emulate(&k, &mut memory, &launch, How { level, ..How::default() }).expect("runs");
    let got = memory.buffers[3].words();
    for (i, &result) in got.iter().enumerate() {
        let operand = |n: usize| -> u64 {
            let bits = match constant {
                Some((which, bits)) if which == n => bits,
                _ => inputs[n][i],
            };
            let bool_operand = elem == Elem::Bool || op == Op::Select && n == 0;
            if bool_operand { (bits & 1) as u64 } else { bits as u64 }
        };
        let args: Vec<u64> = (0..arity).map(operand).collect();
        let want = eval::lane(op, elem, &args, Arithmetic::TowardZero) as u32;
        assert_eq!(
            result,
            want,
            "{} of {elem} {args:x?} ({form:?}, constant {constant:x?}, level {level}): {result:#x}, not {want:#x}\n{}",
            op.mnemonic(),
            common::listing(&compiled)
        );
    }
}

#[test]
fn pure_operations_mean_what_the_interpreters_say() {
    let mut seed = 1;
    let mut count = 0;
    for &op in Op::ALL.iter().filter(|op| eval::is_lanewise(**op)) {
        for &elem in elems(op) {
            if !quadra_back_qpu::caps().runs(op, elem) || op == Op::BitsF32 && elem != Elem::I32 {
                continue;
            }
            let bool_result =
                op.info().rule == kir::Rule::Compare || op.info().rule == kir::Rule::CompareInt || elem == Elem::Bool;
            let forms: &[Form] =
                if bool_result { &[Form::Stored, Form::Selects, Form::NotSelects] } else { &[Form::Stored] };
            for &form in forms {
                for level in [0, 1, 2] {
                    check(op, elem, form, None, level, &mut seed);
                    count += 1;
                }
                for which in 0..op.info().arity.unwrap_or(0) {
                    for bits in [0, 1, 7, 0xffff_ffff, 0x8000_0000, 0x0123_4567, 0x3f80_0000] {
                        check(op, elem, form, Some((which, bits)), 1, &mut seed);
                        count += 1;
                    }
                }
            }
        }
    }
    println!("{count} kernels");
    assert!(count > 500);
}
