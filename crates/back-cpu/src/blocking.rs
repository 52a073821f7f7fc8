//! Cache blocking: what all rows of a launch read again is read in blocks that stay in the second cache.
//!
//! In a product of matrices each row of the result goes through the whole second factor. Where that is larger than the cache, it comes
//! from far away once for every few rows. So the loop's iterations are cut into blocks, and all rows of a call go through one block after
//! the other; in between, sums wait in the elements that they end in. Every sum has its terms in the order that it had.
//!
//! A kernel's preconditions are:
//!
//! 1. It is one loop with a known trip count, which ends there alone, writes nothing and carries one value, pure operations
//!    around it, and one store of that value.
//! 2. The store's buffer has elements of the value's type, nobody else uses it, no other buffer is the same memory, and every item
//!    has an element of its own (`covers`).
//! 3. What the loop loads for the groups along the last axis, the same for every row, is more than the cache has room for, and
//!    [`LEAST`] iterations' is not.

use crate::common::function::Blocks;
use quadra_kir::{Access, Block, Buf, Effect, Elem, Inst, Kernel, LANES, Mode, Op, Type, Value, Values};
use quadra_passes::analysis::linear::Forms;
use quadra_passes::analysis::range::Bounds;
use quadra_passes::unroll::{Counted, emit};

/// Fewest iterations of a block: it begins and ends with an access to each sum.
const LEAST: i64 = 24;
/// Fewest rows of a launch that is worth it.
const LEAST_ROWS: i64 = 16;

/// What is blocked.
struct Found {
    /// Places in the kernel's body.
    repeat: usize,
    store: usize,
    from: i32,
    to: i32,
    /// From a block's first iteration to the next one's, and how many blocks there are.
    step: i32,
    many: u32,
}

/// The kernel for one block, whose number is a parameter behind the others, if the kernel fits and its groups' data do not fit into `room`
/// bytes; otherwise as it was. It is at SIMD level; `covers` says which buffers a launch writes wholly.
pub fn run(mut kernel: Kernel, groups: &[Bounds], covers: &[bool], alias: bool, room: u64) -> (Kernel, Option<Blocks>) {
    let Some(found) = find(&kernel, groups, covers, room).filter(|_| !alias) else { return (kernel, None) };
    let number = kernel.add_scalar("block", Type::I32);
    kernel.rewrite(|kernel, body| block(kernel, body, &found, number));
    (kernel, Some(Blocks { number, many: found.many }))
}

fn find(kernel: &Kernel, groups: &[Bounds], covers: &[bool], room: u64) -> Option<Found> {
    let many = |b: &Bounds| b.high - b.low + 1;
    let (last, others) = groups.split_last()?;
    if others.iter().map(many).product::<i64>() < LEAST_ROWS || others.is_empty() {
        return None;
    }
    let insts = &kernel.body.insts;
    let repeat = insts.iter().position(|i| i.op == Op::For)?;
    let inst = &insts[repeat];
    let [result] = inst.results[..] else { return None };
    let pure = |i: &Inst| i.regions.is_empty() && i.op.is_pure();
    let store = insts.iter().position(|i| matches!(i.op, Op::StoreRow | Op::Store))?;
    let plain = |(at, i): (usize, &Inst)| at == repeat || at == store || pure(i) || i.op == Op::Return;
    // What follows the loop is only to know where the element is.
    let uses = insts.iter().flat_map(Inst::uses).filter(|v| *v == result).count();
    let body = &inst.regions[0];
    let reads = |i: &Inst| matches!(i.op.info().effect, Effect::Pure | Effect::Read | Effect::Control);
    let leaves = body.exits(Op::Break) > 0 || body.any(&mut |i| i.op == Op::Return);
    if leaves || store < repeat || !insts.iter().enumerate().all(plain) || uses != 1 || body.any(&mut |i| !reads(i)) {
        return None;
    }
    let (end, buf) = (&insts[store], insts[store].buf?);
    let ty = kernel.ty(result);
    let whole = matches!(ty.elem, Elem::F32 | Elem::F64 | Elem::I32 | Elem::I64) && kernel.bufs[buf].elem == ty.elem;
    let plain = end.mask.is_none() && end.mode.is_plain() && end.mode != Mode::Guarded && end.args[1] == result;
    let used = body.any(&mut |i| i.buf == Some(buf));
    if !whole || !plain || !ty.lanes || used || !covers.get(buf.index()).copied().unwrap_or(false) {
        return None;
    }
    let trips = Counted::of(inst).trips(kernel)?;
    let (from, to, step) = (kernel.as_i32(inst.args[0])?, kernel.as_i32(inst.args[1])?, kernel.as_i32(inst.args[2])?);
    let bytes = shared(kernel, inst, many(last));
    let most = (room / bytes.max(1)) as i64;
    if bytes == 0 || trips <= most || most < LEAST {
        return None;
    }
    let blocks = trips.div_euclid(most) + 1;
    let turns = trips.div_euclid(blocks) + 1;
    let step = i32::try_from(turns).ok()?.checked_mul(step)?;
    let many = u32::try_from((i64::from(to) - i64::from(from) + i64::from(step) - 1) / i64::from(step)).ok()?;
    // The last block's end is computed before it is cut off.
    (many > 1 && i64::from(to) + i64::from(step) <= i64::from(i32::MAX)).then_some(Found {
        repeat,
        store,
        from,
        to,
        step,
        many,
    })
}

/// Bytes that an iteration loads for all groups along the last axis, each row the same ones, and that no other iteration loads.
fn shared(kernel: &Kernel, inst: &Inst, columns: i64) -> u64 {
    let forms = Forms::of(kernel);
    let mut places: Vec<(Value, bool)> = Vec::new();
    kernel.body.walk(&mut |i| {
        if i.op == Op::Group {
            places.push((i.result(), i.imm as usize + 1 == kernel.over as usize));
        }
    });
    let counter = inst.regions[0].params[0];
    let items = columns * i64::from(LANES);
    let mut bytes = 0;
    let mut note = |i: &Inst, buf: Buf| {
        let form = forms.at(kernel, i.args[0]);
        let along: i64 = places.iter().filter(|p| p.1).map(|p| i64::from(form.factor(p.0))).sum();
        let across = places.iter().any(|p| !p.1 && form.factor(p.0) != 0);
        let apart = i64::from(form.factor(counter)).abs() >= items;
        if !across && along == i64::from(LANES) && apart {
            bytes += items as u64 * u64::from(kernel.bufs[buf].elem.bytes());
        }
    };
    inst.regions[0].walk(&mut |i| {
        if let (Op::LoadRow, Some(buf)) = (i.op, i.buf) {
            note(i, buf);
        }
    });
    bytes
}

fn block(kernel: &mut Kernel, body: &mut Block, found: &Found, number: Value) {
    let mut insts = std::mem::take(&mut body.insts);
    let mut rest = insts.split_off(found.repeat);
    let mut repeat = rest.remove(0);
    let end = rest.remove(found.store - found.repeat - 1);
    let leave = rest.pop();
    if let Some(buf) = end.buf {
        kernel.bufs[buf].access = Access::ReadWrite;
    }
    // Where the sums are.
    insts.extend(rest);
    let [zero, last, step, from, to] =
        [0, found.many as i32 - 1, found.step, found.from, found.to].map(|n| kernel.const_i32(n));
    let mut of = |kernel: &mut Kernel, op, a, b| emit(kernel, op, &[a, b], Type::I32, &repeat, &mut insts);
    // Nobody else knows between which bounds the number lies.
    let at = of(kernel, Op::Max, number, zero);
    let at = of(kernel, Op::Min, at, last);
    let before = of(kernel, Op::Mul, at, step);
    let begin = of(kernel, Op::Add, before, from);
    let behind = of(kernel, Op::Add, begin, step);
    let behind = of(kernel, Op::Min, behind, to);
    let first = emit(kernel, Op::CmpEq, &[at, zero], Type::BOOL, &repeat, &mut insts);
    let ty = kernel.ty(repeat.results[0]);
    let value = kernel.new_value(ty);
    let op = if end.op == Op::StoreRow { Op::LoadRow } else { Op::Load };
    let mut load = Inst { op, results: Values::from_slice(&[value]), ..end.clone() };
    load.args.truncate(1);
    let gives = |v: Value| Inst::new(Op::Yield, [v]).at(end.span);
    let mut branch = Inst::new(Op::If, [first]).at(end.span);
    branch.regions = [vec![gives(repeat.args[3])], vec![load, gives(value)]]
        .map(|insts| Block { params: Values::new(), insts })
        .into();
    let sum = kernel.new_value(ty);
    branch.results = Values::from_slice(&[sum]);
    insts.push(branch);
    (repeat.args[0], repeat.args[1], repeat.args[3]) = (begin, behind, sum);
    insts.extend([repeat, end]);
    insts.extend(leave);
    body.insts = insts;
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::{Arg, Const, Launch, Memory, MemoryBuffer, check, interp, parse};

    /// A product of matrices whose sums are of this kind, with `more` in the loop and what is stored behind it.
    fn product([rows, inner, columns]: [usize; 3], ty: &str, more: &str, stored: &str) -> Kernel {
        let text = format!(
            "kernel @k(%a: buf<{ty}, r>, %b: buf<{ty}, r>, %c: buf<{ty}, rw>) simd group=16 over=2 whole {{
                %g = group 1 %n = shl %g, 4 %m = group 0 %r = mul %m, {inner}
                %sum = for %k in 3..{inner} (%s: <{ty}> = 1) {{
                    %i = add %r, %k %x = load %a[%i] %o = mul %k, {columns} %j = add %o, %n %y = load.row %b[%j]
                    %p = mul %x, %y {more} %t = add %s, %p yield %t
                }}
                %h = mul %m, {columns} %e = add %h, %n {stored} return
            }}"
        );
        let text = if ty == "f32" { text.replace("= 1)", "= 1.0)") } else { text };
        let kernel = parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel parses");
        assert!(rows > 0 && check::kernel(&kernel).is_empty());
        kernel
    }

    fn groups([rows, _, columns]: [usize; 3]) -> [Bounds; 2] {
        [rows, columns / 16].map(|n| Bounds { low: 0, high: n as i64 - 1 })
    }

    /// What a kernel makes of two matrices, with these numbers as its last argument, one after the other.
    fn results([rows, inner, columns]: [usize; 3], kernel: &Kernel, blocks: &[Option<u32>]) -> Vec<u8> {
        let float = kernel.bufs.iter().all(|(_, b)| b.elem == Elem::F32);
        let array = |n: usize, seed: usize| {
            let numbers = (0..n).map(|i| (i * 7 + seed) % 31);
            match float {
                true => MemoryBuffer::of_f32(&numbers.map(|x| x as f32 * 0.37 - 5.0).collect::<Vec<_>>()),
                false => MemoryBuffer::of_i32(&numbers.map(|x| x as i32).collect::<Vec<_>>()),
            }
        };
        let mut memory =
            Memory { buffers: vec![array(rows * inner, 1), array(inner * columns, 2), array(rows * columns, 3)] };
        for block in blocks {
            let number = block.map(|n| Arg::Scalar(Const::i32(n as i32)));
            let mut launch = Launch::new((0..3).map(Arg::Buffer).chain(number).collect());
            launch.extent = vec![rows as u32, columns as u32];
            interp::simd::run(kernel, &mut memory, &launch, &mut |_| {}).expect("the kernel is right");
        }
        memory.buffers.swap_remove(2).bytes
    }

    const STORE: &str = "store.row %c[%e], %sum";
    const COVERS: [bool; 3] = [false, false, true];

    #[test]
    fn blocks_one_after_the_other_make_the_same_sums() {
        // Of the first shape the last block is shorter, of the second all are alike, of the third the last is one iteration.
        for (size, ty, many) in [([17, 100, 48], "f32", 4), ([20, 99, 32], "f32", 4), ([31, 76, 16], "i32", 3)] {
            let kernel = product(size, ty, "", STORE);
            let room = 4 * 24 * size[2] as u64;
            let (new, blocks) = run(kernel.clone(), &groups(size), &COVERS, false, room);
            let blocks = blocks.expect("the second matrix does not fit");
            assert!(check::kernel(&new).is_empty(), "{:?}", check::kernel(&new));
            assert!(blocks.many >= many, "{size:?}: {}", blocks.many);
            let numbers: Vec<_> = (0..blocks.many).map(Some).collect();
            assert_eq!(results(size, &kernel, &[None]), results(size, &new, &numbers), "{size:?}");
        }
    }

    #[test]
    fn other_kernels_stay_as_they_are() {
        let size = [17, 100, 48];
        let stays = |kernel: Kernel, covers: &[bool], alias: bool, room: u64, size| {
            run(kernel, &groups(size), covers, alias, room).1.is_none()
        };
        let room = 4 * 24 * 48;
        assert!(!stays(product(size, "f32", "", STORE), &COVERS, false, room, size));
        assert!(stays(product(size, "f32", "", STORE), &COVERS, true, room, size), "the same memory");
        assert!(stays(product(size, "f32", "", STORE), &COVERS, false, 4 * 97 * 48, size), "it fits");
        assert!(stays(product(size, "f32", "", STORE), &COVERS, false, room / 2, size), "not even a block fits");
        assert!(stays(product(size, "f32", "", STORE), &[false; 3], false, room, size), "places are unknown");
        assert!(stays(product(size, "f32", "", STORE), &COVERS, false, room, [15, 100, 48]), "few rows");
        let half = "%f = mul %sum, 0.5 store.row %c[%e], %f";
        assert!(stays(product(size, "f32", "", half), &COVERS, false, room, size), "another value is stored");
        let more = "%z = load.row %c[%j] store.row %c[%j], %z";
        assert!(stays(product(size, "f32", more, STORE), &COVERS, false, room, size), "the loop writes");
        let more = "%z = cmp.gt %x, 100.0 if %z { break %s } else {}";
        assert!(stays(product(size, "f32", more, STORE), &COVERS, false, room, size), "it may end before");
    }
}
