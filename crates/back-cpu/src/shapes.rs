//! How many groups one turn of a kernel's loops computes: what shares loads, hides latencies, and is worth compiling.

use crate::common::function::Shape;
use crate::lower;
use quadra_kir::{Buf, Elem, Inst, Kernel, Op, Type, Value};
use quadra_passes::analysis::range::Bounds;
use std::collections::HashSet;

/// Most instructions of a turn that are worth compiling, if several groups only share what they load.
const MOST_CODE: usize = 1800;

/// Instructions of a group among which the processor finds enough that do not wait for each other.
const LONG_CODE: usize = 500;

/// Turns worth trying, the best first; `ahead` says that loops along rows may read them ahead,
/// and whether buffers may be the same memory; `whole` that a register holds all lanes of words, and there are twice as many.
pub fn shapes(kernel: &Kernel, groups: &[Bounds], ahead: Option<bool>, whole: bool) -> Vec<Shape> {
    let count = |axis: usize| (groups[axis].high - groups[axis].low + 1) as usize;
    let mut size = 1;
    kernel.body.walk(&mut |i| size += weight(kernel, i));
    // Turns whose parts leave few groups over: those are computed one by one with tests.
    let fits = |n: usize, axis: usize| n == 1 || count(axis) >= n && count(axis) % n * 50 <= count(axis);
    let last = groups.len() - 1;
    let largest = |most: usize, axis: usize| (1..=most).rev().find(|&n| fits(n, axis)).unwrap_or(1);
    // Each group's rows go through tiles of their own, which the next group's have no use for.
    if ahead.is_some_and(|alias| lower::has_rows(kernel, alias)) {
        return vec![Shape::ONE];
    }
    let squares = squares(kernel, size, if last > 0 { count(last - 1) } else { 0 });
    let (mut rows, mut loads, mut constants) = (1, 0, 0);
    kernel.body.walk(&mut |i| match i.op {
        _ if differs(kernel, i) => loads += 1,
        op => constants += usize::from(op == Op::Load),
    });
    let loops = kernel.body.any(&mut |i| matches!(i.op, Op::For | Op::Loop));
    let sums = !loops && added_loads(kernel) * 2 >= loads;
    // The rows of large windows often lie whole pages apart, in the same places of the cache: more of them would push each other
    // out, and a line that two vectors read together is fetched once.
    let many = sums && loads > 32;
    if last > 0 {
        let most = (6000 / size).min(if many { 6 } else { 8 });
        rows = match shared_loads(kernel, last - 1) {
            // Most loads serve several rows.
            share if share * 2 >= loads && (loads + constants) * 5 >= size => largest(most, last - 1),
            _ => 1,
        };
    }
    // Lanes of several vectors wait for each other: only as many as hide the latency of a turn.
    let open = kernel.body.any(&mut |i| i.op == Op::Loop);
    // Long code has enough to do meanwhile.
    let mut most = if size > LONG_CODE { 1 } else { (1600 / size).clamp(1, if open { 2 } else { 4 }) };
    if rows > 1 && !loops {
        // Four rows of two vectors keep both adders busy, where the first and last rows of eight would wait. Of high windows, eight
        // rows read less.
        let high = shared_loads(kernel, last - 1) * 8 >= loads * 7;
        most = if sums && !many { 1 } else { 2 };
        if largest(most, last) == 2 && !high && !many {
            rows = largest(rows.min(4), last - 1);
        }
        if !sums && size * rows * most > MOST_CODE {
            most = 1;
            rows = largest(rows.min((MOST_CODE / size).max(1)), last - 1);
        }
    }
    let (rows, most) = special(kernel, last, &largest, (rows, most));
    // Where groups share nothing, they are not worth values that wait in memory.
    let most = if rows == 1 { most.min(most_in_registers(kernel, whole)) } else { most };
    let most = match whole {
        false if asserts_wide(kernel) => 1,
        // A vector is two registers, which do not wait for each other.
        false if kernel.body.any(&mut |i| is_function(kernel, i)) => most.min(2),
        _ => most,
    };
    // A turn begins where what is periodic does.
    let period = lower::period(kernel);
    let periods = (1..=most.max(period)).rev().find(|n| n % period == 0 && fits(*n, last));
    let columns = periods.unwrap_or_else(|| largest(most, last));
    let mut shapes: Vec<Shape> = squares.into_iter().chain([Shape { rows, columns }]).collect();
    if rows > 1 && columns > 1 {
        shapes.push(Shape { rows, columns: 1 });
    }
    if rows > 1 {
        shapes.push(Shape { rows: 1, columns });
    }
    if columns > 1 || rows > 1 {
        shapes.push(Shape::ONE);
    }
    shapes
}

/// A turn that moves squares of memory, of a kernel of so much code: whatever it costs to compile, and whatever rows are left over, lines of
/// memory that are read or written for one element each cost more.
fn squares(kernel: &Kernel, size: usize, groups: usize) -> Option<Shape> {
    let fits = |rows: &usize| *rows <= groups && size * rows <= MOST_CODE;
    let rows = lower::SQUARE_ROWS.into_iter().filter(fits).find(|&rows| lower::has_squares(kernel, rows))?;
    Some(Shape { rows, columns: 1 })
}

/// Whether it is a function of floats in all lanes, which is many instructions, each of which waits for the one before.
fn is_function(kernel: &Kernel, inst: &Inst) -> bool {
    use Op::*;
    let function = matches!(
        inst.op,
        Exp | Exp2 | Log | Log2 | Sin | Cos | Tan | Asin | Acos | Atan | Atan2 | Sinh | Cosh | Tanh | Pow
    );
    function && inst.results.first().is_some_and(|&r| kernel.ty(r).lanes)
}

/// What one instruction of the kernel becomes: functions are many.
fn weight(kernel: &Kernel, inst: &Inst) -> usize {
    match inst.op {
        Op::Exp | Op::Exp2 | Op::Log | Op::Log2 | Op::Sin | Op::Cos | Op::Pow => 25,
        // Elements one by one take LLVM long.
        Op::Load if inst.mask.is_some() => 4,
        // Elements at a distance are put together from as many rows.
        Op::Load if kernel.ty(inst.args[0]).lanes => 8,
        _ if divides_wide(kernel, inst) => LONG_CODE,
        _ => 1,
    }
}

/// Rows and columns for kernels of two kinds; what was found before for others.
fn special(
    kernel: &Kernel,
    last: usize,
    largest: &dyn Fn(usize, usize) -> usize,
    (rows, most): (usize, usize),
) -> (usize, usize) {
    if last > 0 && tiles(kernel).is_some_and(|loads| shared_loads(kernel, last - 1) * 2 >= loads) {
        // Each load of an iteration serves four rows or four columns, and the sums stay in registers.
        return (largest(4, last - 1), 4);
    }
    if computes_short(kernel) {
        // Bytes and halves fill a vector with two to four groups; two rows share what they widen.
        return (if rows > 1 { largest(2, last - 1) } else { 1 }, 4);
    }
    (rows, most)
}

/// How many groups of straight-line code keep in registers what is alive at a store. Loads stand before the stores of the groups before,
/// since buffers may be the same memory, and so what they load waits: no compiler can move it.
fn most_in_registers(kernel: &Kernel, whole: bool) -> usize {
    // Bytes of registers, without those of one vector for what all groups use: 32 registers of 64, otherwise 16 of 32 or 32 of 16.
    let room = if whole { 31 * 64 } else { 7 * 64 };
    let bytes = |v: Value| if kernel.ty(v).lanes { 16 * kernel.ty(v).elem.bytes() as usize } else { 0 };
    let (mut alive, mut now, mut most) = (HashSet::new(), 0, 1);
    for inst in kernel.body.insts.iter().rev() {
        if !inst.regions.is_empty() {
            return usize::MAX;
        }
        now -= inst.results.iter().filter(|r| alive.remove(*r)).map(|&r| bytes(r)).sum::<usize>();
        now += inst.args.iter().chain(&inst.mask).filter(|a| alive.insert(**a)).map(|&a| bytes(a)).sum::<usize>();
        if matches!(inst.op, Op::StoreRow | Op::Store) {
            most = most.max(now);
        }
    }
    (room / most).max(1)
}

/// Whether it asserts something of vectors of 64 bits a lane, so that what groups share a turn waits in memory while that is tested: 16 lanes
/// are four of 16 registers.
fn asserts_wide(kernel: &Kernel) -> bool {
    let lanes = |v: Value| kernel.ty(v).lanes;
    let wide = kernel.body.any(&mut |i| i.results.iter().any(|&r| lanes(r) && kernel.ty(r).elem.bytes() == 8));
    wide && kernel.body.any(&mut |i| i.op == Op::Assert && lanes(i.args[0]))
}

/// Whether it divides vectors of integers of 64 bits, which takes many instructions and long enough for others to wait.
pub fn divides_wide(kernel: &Kernel, inst: &Inst) -> bool {
    let lanes = |v: &quadra_kir::Value| kernel.ty(*v) == Type::vector(Elem::I64);
    matches!(inst.op, Op::Div | Op::Mod | Op::Rem) && inst.results.first().is_some_and(lanes)
}

/// Whether a kernel makes rows of elements of 8 or 16 bits of nothing but integers.
fn computes_short(kernel: &Kernel) -> bool {
    let (mut stores, mut others) = (0, false);
    kernel.body.walk(&mut |i| {
        let short = i.buf.is_some_and(|b| kernel.bufs[b].elem.bytes() < 4);
        match i.op {
            Op::StoreRow | Op::Store if short => stores += 1,
            Op::For | Op::Loop => others = true,
            _ => {
                let ty = i.results.first().map(|&r| kernel.ty(r));
                others |= ty.is_some_and(|t| t.lanes && !matches!(t.elem, Elem::I32 | Elem::Bool));
            }
        }
    });
    stores > 0 && !others && kernel.body.count() <= MOST_CODE / 8
}

/// If the kernel is a short counted loop that carries one value from turn to turn: how many loads in it differ between groups.
fn tiles(kernel: &Kernel) -> Option<usize> {
    let mut loops = Vec::new();
    kernel.body.walk(&mut |i| loops.extend(matches!(i.op, Op::For | Op::Loop).then_some(i)));
    let [one] = loops[..] else { return None };
    let fits = one.op == Op::For && one.results.len() == 1 && one.regions[0].count() <= 16;
    let mut loads = 0;
    one.regions[0].walk(&mut |i| loads += usize::from(differs(kernel, i)));
    fits.then_some(loads)
}

/// How many loads are terms of sums whose terms may be added in any order.
fn added_loads(kernel: &Kernel) -> usize {
    let mut terms: HashSet<Value> = HashSet::new();
    kernel.body.walk(&mut |i| {
        if i.op == Op::Add && kernel.relaxed && kernel.ty(i.result()).elem.is_float() {
            terms.extend(&i.args);
        }
    });
    let mut many = 0;
    kernel
        .body
        .walk(&mut |i| many += usize::from(matches!(i.op, Op::Load | Op::LoadRow) && terms.contains(&i.result())));
    many
}

/// Whether it is a load of which groups and lanes may read different elements.
fn differs(kernel: &Kernel, inst: &Inst) -> bool {
    inst.op == Op::LoadRow || inst.op == Op::Load && kernel.as_i32(inst.args[0]).is_none()
}

/// How many loads of a group load what a neighbour's along an axis loads, too.
fn shared_loads(kernel: &Kernel, axis: usize) -> usize {
    let forms = quadra_passes::analysis::linear::Forms::of(kernel);
    let mut coordinates = Vec::new();
    let mut all = Vec::new();
    kernel.body.walk(&mut |i| {
        if i.op == Op::Group && i.imm as usize == axis {
            coordinates.push(i.result());
        }
        if differs(kernel, i) {
            all.push((i.buf, forms.at(kernel, i.args[0])));
        }
    });
    let set: HashSet<_> = all.iter().map(|(b, f)| (*b, f.terms.clone(), f.constant)).collect();
    let shared = |(buf, form): &&(Option<Buf>, quadra_passes::analysis::linear::Form)| {
        let factor: i32 = coordinates.iter().map(|&v| form.factor(v)).fold(0, i32::wrapping_add);
        set.contains(&(*buf, form.terms.clone(), form.constant.wrapping_add(factor)))
    };
    all.iter().filter(shared).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many groups a turn takes of a kernel over one axis, where registers hold whole vectors and where they do not.
    fn columns(params: &str, body: &str) -> (usize, usize) {
        let text = format!("kernel @k({params}) simd group=16 over=1 {{ %g = group 0 %i = shl %g, 4 {body} }}");
        let kernel =
            quadra_kir::parse::kernel("t.kir", &text).map_err(|d| format!("{d:?}")).expect("the test's kernel");
        let groups = [Bounds { low: 0, high: 1023 }];
        let of = |whole: bool| shapes(&kernel, &groups, None, whole)[0].columns;
        (of(true), of(false))
    }

    #[test]
    fn values_that_wait_for_a_store_limit_the_groups_of_a_turn() {
        let three = "%x: buf<f32, rw>, %y: buf<f32, rw>, %z: buf<f32, rw>";
        let rotated = "%a = load.row %x[%i] %b = load.row %y[%i] %c = load.row %z[%i]
            store.row %x[%i], %b store.row %y[%i], %c store.row %z[%i], %a";
        assert_eq!(columns(three, rotated), (4, 2));
        let lifted = "%a = load.row %x[%i] %b = load.row %y[%i] %d = sub %b, %a store.row %y[%i], %d
            %h = mul %d, 0.5 %s = add %a, %h store.row %x[%i], %s";
        assert_eq!(columns(three, lifted), (4, 3));
        let doubles = "%a = load.row %x[%i] %b = load.row %y[%i] store.row %x[%i], %b store.row %y[%i], %a";
        assert_eq!(columns("%x: buf<f64, rw>, %y: buf<f64, rw>", doubles), (4, 1));
    }

    #[test]
    fn what_is_tested_in_several_registers_has_a_turn_of_its_own() {
        let long = "%x: buf<i64, r>, %y: buf<i64, rw>";
        let tested =
            "%a = load.row %x[%i] %b = mul %a, %a %c = cmp.ge %b, 0:i64 assert \"wraps\", %c store.row %y[%i], %b";
        assert_eq!(columns(long, tested), (4, 1));
    }

    #[test]
    fn functions_fill_the_time_that_they_wait() {
        let two = "%x: buf<f32, r>, %y: buf<f32, rw>";
        assert_eq!(columns(two, "%a = load.row %x[%i] %b = tanh %a store.row %y[%i], %b"), (4, 2));
    }

    #[test]
    fn what_waits_for_nothing_hides_latencies() {
        let two = "%x: buf<f32, r>, %y: buf<f32, rw>";
        assert_eq!(columns(two, "%a = load.row %x[%i] %b = mul %a, 3.0 store.row %y[%i], %b"), (4, 4));
        let powers = "%a = load.row %x[%i] %b = load.row %y[%i]
            %p, %q = for %k in 0..9 step 1 (%t: <f32> = %a, %u: <f32> = %b) { %v = mul %t, %a %w = mul %u, %b yield %v, %w }
            store.row %x[%i], %p store.row %y[%i], %q";
        assert_eq!(columns("%x: buf<f32, rw>, %y: buf<f32, rw>", powers), (4, 4));
    }
}
