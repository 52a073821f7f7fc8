//! Buffers to which items only add (or multiply, or keep the smaller): groups gather what their items add, and add it once.
//!
//! A buffer of one element is a sum that each invocation keeps for itself, over a series of items; the group puts these together in
//! halves. A buffer of few elements, such as the bins of a histogram, has a copy in memory that the group shares. That pays where
//! a launch has several items for each element, so it depends on sizes.

use super::prelude::{is_grouped, variable};
use super::turns::Plan;
use super::{Cx, Expr, Place, buffers, scalar};
use crate::abi::{EACH, Form, Series, Target};
use naga::{
    AddressSpace, Barrier, BinaryOperator as B, Block, Function, GlobalVariable, Handle, Span, Statement, TypeInner,
};
use quadra_kir::{Access, Buf, Const, Elem, Kernel, Op, Param};
use quadra_passes::specialise::Known;

/// Fewest items of a launch for each element that a group keeps, and for a single one.
const ITEMS: u64 = 8;
const ITEMS_OF_SUM: u64 = 256;
/// Most elements of a copy, whatever memory groups share.
const MOST: u64 = 1 << 13;
/// Most items of an invocation; fewer where items have loops.
const SERIES: u32 = 1 << 12;
/// The same where loops are endless for all that is known.
const SERIES_OF_LOOPS: u32 = 1 << 6;
/// Items of a group for each element of its copy: it is cleared and added once.
const ITEMS_OF_GROUP: u32 = 4;
/// Invocations of a group, if the GPU has so many, for each item that other groups have.
const INVOCATIONS: u32 = 4;

/// How a buffer is gathered.
pub struct Gathered {
    op: Op,
    length: u32,
    buf: Buf,
    kept: Kept,
    /// The buffer itself.
    real: Place,
}

enum Kept {
    /// Each invocation's own sum, and an array in which the group puts them together.
    Sum(Handle<GlobalVariable>, Place),
    /// The group's copy.
    Copy(Place),
}

/// A buffer that groups gather: what is done to its elements, and how many there are.
pub struct Wanted {
    buf: Buf,
    op: Op,
    length: u32,
}

/// Of each buffer, in the order of the parameters, the one thing that items do to its elements without looking at them, if there is
/// such a thing and it may be bracketed in any way.
pub fn candidates(kernel: &Kernel) -> Vec<Option<Op>> {
    if is_grouped(kernel) || kernel.over == 0 {
        return buffers(kernel).map(|_| None).collect();
    }
    let uses = kernel.use_counts();
    let candidate = |buf| {
        let info = &kernel.bufs[buf];
        let mut ops = Vec::new();
        let mut other = info.access == Access::Read || !matches!(info.elem, Elem::I32 | Elem::F32);
        kernel.body.walk(&mut |i| {
            if i.buf == Some(buf) && i.op != Op::Dim {
                ops.push(i.op);
                other |= i.results.iter().any(|r| uses[r.index()] > 0);
            }
        });
        ops.dedup();
        let op = *ops.first().filter(|op| ops.len() == 1 && !other && neutral(**op, info.elem).is_some())?;
        Some(op)
    };
    buffers(kernel).map(candidate).collect()
}

/// The elements of each buffer that it pays to gather in a launch of which this is known; 0 of the others.
pub fn lengths(kernel: &Kernel, known: &Known) -> Vec<u32> {
    let items: Option<u64> = known.extent.iter().map(|n| n.map(u64::from)).product();
    let candidates = candidates(kernel);
    let dims = kernel.params.iter().zip(&known.dims).filter(|(p, _)| matches!(p, Param::Buffer(_)));
    let length = |(candidate, (_, dims)): (&Option<Op>, (&Param, &Option<Vec<u32>>))| {
        let elements = dims.as_ref().filter(|_| candidate.is_some())?.iter().map(|&n| u64::from(n)).product::<u64>();
        let least = if elements == 1 { ITEMS_OF_SUM } else { elements * ITEMS };
        ((1..=MOST).contains(&elements) && items? >= least).then_some(elements as u32)
    };
    candidates.iter().zip(dims).map(|found| length(found).unwrap_or(0)).collect()
}

/// What combines with anything to that; `None` for what may not be bracketed in any way.
fn neutral(op: Op, elem: Elem) -> Option<Const> {
    let float = elem == Elem::F32;
    let bits = match op {
        Op::AtomicAdd | Op::AtomicSub => 0,
        Op::AtomicMul if float => 1_f32.to_bits(),
        Op::AtomicMul => 1,
        Op::AtomicMin if float => f32::INFINITY.to_bits(),
        Op::AtomicMax if float => f32::NEG_INFINITY.to_bits(),
        Op::AtomicMin => i32::MAX.cast_unsigned(),
        Op::AtomicMax => i32::MIN.cast_unsigned(),
        Op::AtomicAnd if !float => u32::MAX,
        Op::AtomicOr | Op::AtomicXor if !float => 0,
        _ => return None,
    };
    Some(Const { elem, bits: u64::from(bits) })
}

/// How what was gathered is put together.
fn joined(op: Op) -> Op {
    if op == Op::AtomicSub { Op::AtomicAdd } else { op }
}

/// Chooses what is gathered, and how many items an invocation takes.
pub fn plan(kernel: &Kernel, lengths: &[u32], (form, turns): (&mut Form, &mut Plan), target: &Target) -> Vec<Wanted> {
    let invocations = (INVOCATIONS * target.items).min(target.group);
    let endless = turns.burns.iter().any(|b| *b > 0);
    let most = match (target.together > 1, endless) {
        // The driver counts iterations of all items of a series.
        (true, true) => 1,
        (true, false) => (target.fuel / 2 / (turns.start + 1)).min(SERIES),
        (false, true) => SERIES_OF_LOOPS,
        (false, false) => SERIES.div_ceil(turns.start + 1).max(SERIES_OF_LOOPS),
    };
    if form.grouped || most < ITEMS as u32 {
        return Vec::new();
    }
    let mut room = target.shared_bytes / 2;
    let mut wanted = Vec::new();
    let mut least = 1;
    for ((buf, op), &length) in buffers(kernel).zip(candidates(kernel)).zip(lengths) {
        let Some(op) = op.filter(|_| length > 0) else { continue };
        let bytes = 4 * if length == 1 { invocations } else { length };
        let items = if length == 1 { 1 } else { (length * ITEMS_OF_GROUP).div_ceil(invocations) };
        if bytes <= room && items <= most {
            room -= bytes;
            least = least.max(items);
            wanted.push(Wanted { buf, op, length });
        }
    }
    if !wanted.is_empty() {
        form.invocations = invocations;
        form.series = Series { least, most, groups: target.groups };
        if target.together > 1 {
            turns.fuel = (target.fuel - most * (turns.start + 1)) / target.together;
        }
    }
    wanted
}

impl Cx<'_> {
    /// Declares what groups keep of the buffers that they gather.
    pub(super) fn declare_gathered(&mut self, wanted: Vec<Wanted>, form: &Form) {
        for Wanted { buf, op, length } in wanted {
            let real = self.places[&buf].clone();
            let alone = length == 1;
            let ty = self.elements(real.elem, !alone, Some(if alone { form.invocations } else { length }));
            let global = variable(&mut self.module, ty, AddressSpace::WorkGroup);
            let place = Place { global, atomic: !alone, ..real.clone() };
            let kept = if alone {
                let ty = self.ty(TypeInner::Scalar(scalar(real.elem)));
                Kept::Sum(variable(&mut self.module, ty, AddressSpace::Private), place)
            } else {
                self.places.insert(buf, place.clone());
                Kept::Copy(place)
            };
            self.gathered.push(Gathered { op, length, buf, kept, real });
        }
    }

    /// Where an invocation keeps the sum of a buffer, if it does.
    pub(super) fn sum_of(&self, buf: Option<Buf>) -> Option<Handle<GlobalVariable>> {
        self.gathered.iter().find(|g| Some(g.buf) == buf).and_then(|g| match g.kept {
            Kept::Sum(own, _) => Some(own),
            Kept::Copy(_) => None,
        })
    }

    /// An item adds to the invocation's own sum.
    pub(super) fn add_up(&mut self, op: Op, own: Handle<GlobalVariable>, elem: Elem, value: Expr) {
        let old = self.get_global(own);
        let new = self.together(op, elem, old, value);
        self.set_global(own, new);
    }

    /// The entry point's part: a series of items between what clears and what adds.
    pub(super) fn gather_series(
        &mut self,
        form: &Form,
        (group, inside, count): (Expr, Expr, Expr),
        item: Handle<Function>,
    ) {
        let gathered = std::mem::take(&mut self.gathered);
        gathered.iter().for_each(|g| self.clear(g, inside, form.invocations));
        self.meet();
        let each = self.word(EACH);
        let many = self.times(each, form.invocations, B::Multiply);
        let first = self.binary(B::Multiply, group, many);
        let base = self.word(crate::abi::BASE);
        let first = self.binary(B::Add, first, base);
        let first = self.binary(B::Add, first, inside);
        self.series(form, (first, each, count, inside), item);
        self.meet();
        gathered.iter().for_each(|g| self.add_once(g, inside, form.invocations));
        // An exchange that did not come to its end has left its mark, too.
        if self.target.together > 1 {
            self.leave_marks(first);
        }
    }

    /// One item after the other.
    fn series(&mut self, form: &Form, (first, each, count, inside): (Expr, Expr, Expr, Expr), item: Handle<Function>) {
        let turn = self.local_var(Elem::I32);
        let zero = self.i32(0);
        self.set(turn, zero);
        self.blocks.push(Block::new());
        let now = self.get(turn);
        let now = self.bits(now, naga::ScalarKind::Uint);
        let mut condition = self.binary(B::GreaterEqual, now, each);
        if self.marks_anything {
            // Nobody takes another item once one took too long.
            let (bad, none) = (self.get_global(self.bad), self.u32(0));
            let stops = self.binary(B::NotEqual, bad, none);
            condition = self.binary(B::LogicalOr, condition, stops);
        }
        let mut accept = Block::new();
        accept.push(Statement::Break, Span::UNDEFINED);
        self.push(Statement::If { condition, accept, reject: Block::new() });
        if self.target.together == 1 {
            let fuel = self.u32(self.plan.fuel);
            self.set_global(self.fuel, fuel);
        }
        let further = self.times(now, form.invocations, B::Multiply);
        let number = self.binary(B::Add, first, further);
        self.call(item, (number, count, inside));
        self.leave_marks(number);
        let body = self.blocks.pop().expect("it has been pushed before");
        self.blocks.push(Block::new());
        let (now, one) = (self.get(turn), self.i32(1));
        let next = self.binary(B::Add, now, one);
        self.set(turn, next);
        let continuing = self.blocks.pop().expect("it has been pushed before");
        self.push(Statement::Loop { body, continuing, break_if: None });
    }

    /// The items of a group meet, and see what the others have written to what they share.
    fn meet(&mut self) {
        self.push(Statement::ControlBarrier(Barrier::WORK_GROUP));
    }

    /// What has been added is nothing.
    fn clear(&mut self, gathered: &Gathered, inside: Expr, invocations: u32) {
        let neutral = neutral(gathered.op, gathered.real.elem).expect("only such are gathered");
        match &gathered.kept {
            Kept::Sum(own, _) => {
                let value = self.constant(neutral);
                self.set_global(*own, value);
            }
            Kept::Copy(place) => self.for_each_element(gathered.length, inside, invocations, |cx, at| {
                let pointer = cx.pointer(place, at);
                let value = cx.constant(neutral);
                let value = cx.stored(place, value);
                cx.push(Statement::Store { pointer, value });
            }),
        }
    }

    /// The group adds what it has gathered.
    fn add_once(&mut self, gathered: &Gathered, inside: Expr, invocations: u32) {
        match &gathered.kept {
            Kept::Sum(own, tree) => {
                let mine = self.get_global(*own);
                let pointer = self.pointer(tree, inside);
                self.push(Statement::Store { pointer, value: mine });
                self.halve(gathered, tree, inside, invocations);
                self.for_each_element(1, inside, invocations, |cx, at| {
                    let pointer = cx.pointer(tree, at);
                    let sum = cx.emit(naga::Expression::Load { pointer });
                    cx.add_element(gathered, at, sum);
                });
            }
            Kept::Copy(place) => self.for_each_element(gathered.length, inside, invocations, |cx, at| {
                let pointer = cx.pointer(place, at);
                let word = cx.emit(naga::Expression::Load { pointer });
                let value = cx.of_memory(place, word);
                let neutral = neutral(gathered.op, place.elem).expect("only such are gathered");
                let neutral = cx.constant(neutral);
                let neutral = cx.stored(place, neutral);
                let some = cx.binary(B::NotEqual, word, neutral);
                cx.blocks.push(Block::new());
                cx.add_element(gathered, at, value);
                let accept = cx.blocks.pop().expect("it has been pushed before");
                cx.push(Statement::If { condition: some, accept, reject: Block::new() });
            }),
        }
    }

    /// Adds the second half of an array to the first one, until one element is left.
    fn halve(&mut self, gathered: &Gathered, tree: &Place, inside: Expr, invocations: u32) {
        let mut left = invocations;
        while left > 1 {
            let half = left.div_ceil(2);
            self.meet();
            let others = self.u32(left - half);
            let condition = self.binary(B::Less, inside, others);
            self.blocks.push(Block::new());
            let other = self.times(inside, half, B::Add);
            let pointers = [inside, other].map(|at| self.pointer(tree, at));
            let [mine, other] = pointers.map(|pointer| self.emit(naga::Expression::Load { pointer }));
            let value = self.together(joined(gathered.op), tree.elem, mine, other);
            self.push(Statement::Store { pointer: pointers[0], value });
            let accept = self.blocks.pop().expect("it has been pushed before");
            self.push(Statement::If { condition, accept, reject: Block::new() });
            left = half;
        }
    }

    /// Adds to an element of the buffer itself.
    fn add_element(&mut self, gathered: &Gathered, at: Expr, value: Expr) {
        let pointer = self.pointer(&gathered.real, at);
        let added = self.at_once(joined(gathered.op), &gathered.real, pointer, &[value]);
        if !matches!(added, Ok(Some(_))) {
            quadra_base::bug!("what has a neutral element is there for all types");
        }
    }

    /// What the group does for each of so many elements, of which every invocation takes some.
    fn for_each_element(&mut self, length: u32, inside: Expr, invocations: u32, mut act: impl FnMut(&mut Self, Expr)) {
        for first in (0..length).step_by(invocations as usize) {
            let at = if first > 0 { self.times(inside, first, B::Add) } else { inside };
            self.blocks.push(Block::new());
            act(self, at);
            let accept = self.blocks.pop().expect("it has been pushed before");
            if length - first >= invocations {
                self.push(Statement::Block(accept));
                continue;
            }
            let length = self.u32(length);
            let condition = self.binary(B::Less, at, length);
            self.push(Statement::If { condition, accept, reject: Block::new() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Prepared;
    use quadra_kir::{Caps, parse};

    /// Items that each invocation takes of a launch over so many, on a buffer `y` of so many elements.
    fn each(body: &str, elements: u32, items: u32) -> u32 {
        let text = format!(
            "kernel @k(%x: buf<i32, r>, %y: buf<i32, rw>, %n: i32) simt group=16 over=1 {{
            %i = item 0 %v = load %x[%i] {body} }}"
        );
        let kernel = parse::kernel("gather.kir", &text).unwrap_or_else(|d| panic!("{}: {text}", d[0].message));
        let caps = Caps { extensions: &[], ..Caps::EVERYTHING };
        let prepared = Prepared::new(&kernel, &caps).expect("it is right");
        let dims = vec![Some(vec![items]), Some(vec![elements]), None];
        let known = Known { extent: vec![Some(items)], workers: None, scalars: vec![None; 3], dims };
        let target = Target { groups: 16, ..Target::default() };
        assert!(!prepared.none().is_complete() || body.contains("store"), "sizes say more");
        let shader = prepared.shader(&prepared.confirmed(&known), &target).expect("every GPU has that");
        shader.form.each(&[items])
    }

    const COUNT: &str = "%b = and %v, 255 %o = atomic.add %y[%b], 1";

    #[test]
    fn series_are_as_long_as_it_pays() {
        assert_eq!(each(COUNT, 256, 1 << 20), (1 << 20) / (16 * 256), "groups that keep the GPU busy");
        assert_eq!(each(COUNT, 256, 1 << 12), 4, "a copy has several items for each element");
        assert_eq!(each(COUNT, 256, 2000), 1, "few items");
        assert_eq!(each(COUNT, 1 << 14, 1 << 20), 1, "too large for what a group shares");
        assert_eq!(each("%o = atomic.add %y[0], %v", 1, 1 << 20), 256);
        let endless = "loop () { %c = cmp.gt %v, 3 if %c { break } } %o = atomic.add %y[0], %v";
        assert_eq!(each(endless, 1, 1 << 24), SERIES_OF_LOOPS);
    }

    #[test]
    fn what_is_read_is_not_gathered() {
        assert_eq!(each("%o = atomic.add %y[0], %v store %y[0], %o", 1, 1 << 20), 1);
        assert_eq!(each("%o = atomic.add %y[0], %v %p = atomic.max %y[0], %v", 1, 1 << 20), 1);
        assert_eq!(each("%o = atomic.exch %y[0], %v", 1, 1 << 20), 1);
    }
}
