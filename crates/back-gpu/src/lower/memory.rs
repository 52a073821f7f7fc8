//! Loads, stores and operations in one step. Narrow elements stand in words: a load shifts, a store exchanges the word for one in
//! which only their bits differ, so that neighbours are left alone and nobody sees a part of an element.

use super::{Cx, Expr, Place, Result};
use crate::abi::MARK_FAULT;

use naga::{
    AtomicFunction as A, BinaryOperator as B, Block, Expression, PredeclaredType, Scalar, ScalarKind, Statement,
};
use quadra_kir::launch::GUARD_BYTES;
use quadra_kir::{Buf, Elem, Inst, Mode, Op};

/// An element in its word: the place of its lowest bit, as many ones as it has bits, and ones where the others are.
#[derive(Clone, Copy)]
struct Part {
    low: Expr,
    ones: Expr,
    others: Expr,
}

impl Cx<'_> {
    /// Elements along an axis, as an `i32`.
    pub(super) fn dim(&mut self, buf: Buf, axis: u32) -> Expr {
        let place = &self.places[&buf];
        if place.shared {
            let size = self.kernel.bufs[buf].dims[axis as usize];
            return self.i32(size as i32);
        }
        let word = self.word(place.dims + axis);
        self.bits(word, ScalarKind::Sint)
    }

    /// The number of the element that an instruction names, and whether it exists, where that is not certain. An element
    /// that does not exist becomes number 0, which every buffer has room for.
    fn element(&mut self, inst: &Inst) -> Result<(Place, Expr, Option<Expr>)> {
        let buf = inst.buf.expect("an access names a buffer");
        let place = self.places[&buf].clone();
        let rank = self.kernel.bufs[buf].rank as usize;
        // What is claimed holds of items that are there.
        let certain = inst.mode == Mode::Inside && self.live.is_none();
        let (mut flat, mut inside) = (None, None);
        for (axis, &index) in inst.args[..rank].iter().enumerate() {
            let index = self.value(index);
            let size = self.dim(buf, axis as u32);
            if !certain {
                let (index, size) = (self.bits(index, ScalarKind::Uint), self.bits(size, ScalarKind::Uint));
                let here = self.binary(B::Less, index, size);
                inside = Some(inside.map_or(here, |others| self.binary(B::LogicalAnd, others, here)));
            }
            flat = Some(match flat {
                None => index,
                Some(rows) => {
                    let first = self.binary(B::Multiply, rows, size);
                    self.binary(B::Add, first, index)
                }
            });
        }
        let mut flat = flat.expect("a buffer has an axis");
        if let Some(within) = inside {
            let outside = self.not(within);
            let fault = if inst.mode == Mode::Guarded { self.past_guard(&place, flat, outside, buf) } else { outside };
            self.mark(fault, MARK_FAULT);
            let zero = self.i32(0);
            flat = self.select(within, flat, zero);
        }
        let flat = self.bits(flat, ScalarKind::Uint);
        Ok((place, flat, inside))
    }

    /// Whether a prefetch goes further than it may.
    fn past_guard(&mut self, place: &Place, flat: Expr, outside: Expr, buf: Buf) -> Expr {
        let size = self.dim(buf, 0);
        let more = self.i32((GUARD_BYTES / place.elem.bytes()) as i32);
        let end = self.binary(B::Add, size, more);
        let [flat, end] = [flat, end].map(|e| self.bits(e, ScalarKind::Uint));
        let past = self.binary(B::GreaterEqual, flat, end);
        self.binary(B::LogicalAnd, outside, past)
    }

    pub(super) fn pointer(&mut self, place: &Place, index: Expr) -> Expr {
        let base = self.pre(Expression::GlobalVariable(place.global));
        self.emit(Expression::Access { base, index })
    }

    /// The word that an element stands in, and the place of its lowest bit.
    fn part(&mut self, elem: Elem, index: Expr) -> (Expr, Expr) {
        let (shift, mask, bits) = if elem == Elem::I8 { (2, 3, 3) } else { (1, 1, 4) };
        let [shift, mask, bits] = [shift, mask, bits].map(|n| self.u32(n));
        let word = self.binary(B::ShiftRight, index, shift);
        let low = self.binary(B::And, index, mask);
        (word, self.binary(B::ShiftLeft, low, bits))
    }

    pub(super) fn load(&mut self, inst: &Inst) -> Result<Expr> {
        let (place, index, inside) = self.element(inst)?;
        let value = if is_packed(&place) {
            let (word, low) = self.part(place.elem, index);
            let pointer = self.pointer(&place, word);
            let word = self.emit(Expression::Load { pointer });
            self.of_part(&place, word, low)
        } else {
            let pointer = self.pointer(&place, index);
            let word = self.emit(Expression::Load { pointer });
            self.of_memory(&place, word)
        };
        Ok(match inside {
            Some(inside) if inst.mode == Mode::Guarded => {
                let zero = self.constant(quadra_kir::Const::zero(place.elem.in_register()));
                self.select(inside, value, zero)
            }
            _ => value,
        })
    }

    /// The element of a word whose lowest bit is there.
    fn of_part(&mut self, place: &Place, word: Expr, low: Expr) -> Expr {
        let bits = self.binary(B::ShiftRight, word, low);
        let bits = self.bits(bits, ScalarKind::Sint);
        self.narrowed(place.elem, bits)
    }

    /// The word that an element stands in, and where.
    fn part_of_word(&mut self, place: &Place, index: Expr) -> (Expr, Part) {
        let (word, low) = self.part(place.elem, index);
        let pointer = self.pointer(place, word);
        let ones = self.u32((1 << (8 * place.elem.bytes())) - 1);
        let mask = self.binary(B::ShiftLeft, ones, low);
        let others = self.emit(Expression::Unary { op: naga::UnaryOperator::BitwiseNot, expr: mask });
        (pointer, Part { low, ones, others })
    }

    /// A word with an element replaced.
    fn with_part(&mut self, word: Expr, part: Part, value: Expr) -> Expr {
        let bits = self.binary(B::And, value, part.ones);
        let bits = self.binary(B::ShiftLeft, bits, part.low);
        let kept = self.binary(B::And, word, part.others);
        self.binary(B::InclusiveOr, kept, bits)
    }

    /// The low bits of an `i32`, with copies of their sign.
    fn narrowed(&mut self, elem: Elem, value: Expr) -> Expr {
        let bits = self.u32(32 - 8 * elem.bytes());
        let high = self.binary(B::ShiftLeft, value, bits);
        self.binary(B::ShiftRight, high, bits)
    }

    /// The value of what memory holds.
    pub(super) fn of_memory(&mut self, place: &Place, word: Expr) -> Expr {
        match place.elem {
            Elem::Bool => {
                let zero = self.u32(0);
                self.binary(B::NotEqual, word, zero)
            }
            Elem::F32 if place.atomic => self.bits(word, ScalarKind::Float),
            _ => word,
        }
    }

    /// What memory holds of a value.
    pub(super) fn stored(&mut self, place: &Place, value: Expr) -> Expr {
        match place.elem {
            Elem::Bool => self.convert(value, ScalarKind::Uint, 4),
            Elem::F32 if place.atomic => self.bits(value, ScalarKind::Uint),
            Elem::I8 | Elem::I16 => {
                let narrow = self.narrowed(place.elem, value);
                if is_packed(place) { self.bits(narrow, ScalarKind::Uint) } else { narrow }
            }
            _ => value,
        }
    }

    pub(super) fn store(&mut self, inst: &Inst) -> Result {
        let (place, index, inside) = self.element(inst)?;
        let inside = self.if_there(inside);
        let value = self.value(*inst.args.last().expect("a store has a value"));
        let value = self.stored(&place, value);
        self.blocks.push(Block::new());
        if is_packed(&place) {
            self.store_part(&place, index, value)?;
        } else {
            let pointer = self.pointer(&place, index);
            self.push(Statement::Store { pointer, value });
        }
        self.close(inside);
        Ok(())
    }

    /// Whether a condition holds of an item that is there.
    fn if_there(&mut self, condition: Option<Expr>) -> Option<Expr> {
        match (condition, self.live) {
            (Some(condition), Some(live)) => Some(self.binary(B::LogicalAnd, condition, live)),
            (condition, live) => condition.or(live),
        }
    }

    /// Exchanges the word that an element stands in, until nobody has come in between.
    fn store_part(&mut self, place: &Place, index: Expr, value: Expr) -> Result {
        let (pointer, part) = self.part_of_word(place, index);
        self.exchange(place, pointer, |cx, before| Ok(cx.with_part(before, part, value)))
    }

    /// Exchanges a word for what `new` makes of it, again and again until nobody has come in between.
    fn exchange(&mut self, place: &Place, pointer: Expr, new: impl FnOnce(&mut Self, Expr) -> Result<Expr>) -> Result {
        let pair = PredeclaredType::AtomicCompareExchangeWeakResult(word(place));
        let pair = self.module.generate_predeclared_type(pair);
        let done = self.flag();
        self.blocks.push(Block::new());
        self.leave_if(done);
        // Where the driver counts iterations, these count, too.
        if self.target.together > 1 {
            self.burn((self.fuel, 1), done, None)?;
        }
        let before = self.emit(Expression::Load { pointer });
        let value = new(self, before)?;
        let result = self.pre(Expression::AtomicResult { ty: pair, comparison: true });
        let fun = A::Exchange { compare: Some(before) };
        self.push(Statement::Atomic { pointer, fun, value, result: Some(result) });
        let exchanged = self.emit(Expression::AccessIndex { base: result, index: 1 });
        self.set(done, exchanged);
        let body = self.blocks.pop().expect("it has been pushed before");
        self.push(Statement::Loop { body, continuing: Block::new(), break_if: None });
        Ok(())
    }

    /// Ends a block that is to run only where an element exists.
    fn close(&mut self, inside: Option<Expr>) {
        let block = self.blocks.pop().expect("it has been pushed before");
        match inside {
            Some(condition) => self.push(Statement::If { condition, accept: block, reject: Block::new() }),
            None => self.push(Statement::Block(block)),
        }
    }

    pub(super) fn atomic(&mut self, inst: &Inst) -> Result<Expr> {
        let elem = self.kernel.bufs[inst.buf.expect("an access names a buffer")].elem;
        if elem.in_register().bytes() != 4 || elem == Elem::Bool {
            return self.refuse(inst, format!("operations in one step on elements of type {elem}"));
        }
        let (place, index, _) = self.element(inst)?;
        let operands = inst.args.len() - self.kernel.bufs[inst.buf.expect("seen above")].rank as usize;
        let args: Vec<Expr> = inst.args[inst.args.len() - operands..].iter().map(|&v| self.value(v)).collect();
        if let Some(sum) = self.sum_of(inst.buf) {
            self.add_up(inst.op, sum, elem, args[0]);
            return Ok(args[0]);
        }
        let Some(live) = self.live else { return self.seen_at_once(inst, &place, index, &args) };
        let old = self.local_var(elem);
        self.blocks.push(Block::new());
        let seen = self.seen_at_once(inst, &place, index, &args)?;
        self.set(old, seen);
        self.close(Some(live));
        Ok(self.get(old))
    }

    /// The old element.
    fn seen_at_once(&mut self, inst: &Inst, place: &Place, index: Expr, args: &[Expr]) -> Result<Expr> {
        let seen = if is_packed(place) {
            let (pointer, part) = self.part_of_word(place, index);
            self.by_exchange(inst.op, place, (pointer, Some(part)), args)?
        } else {
            let pointer = self.pointer(place, index);
            self.at_once(inst.op, place, pointer, args)?
        };
        match seen {
            Some(old) => Ok(old),
            None => self.refuse(inst, format!("`{}` of {}", inst.op.mnemonic(), place.elem)),
        }
    }

    /// An operation in one step, and the old element; `None` if there is none.
    pub(super) fn at_once(&mut self, op: Op, place: &Place, pointer: Expr, args: &[Expr]) -> Result<Option<Expr>> {
        let native = match (op, place.elem) {
            (Op::AtomicExchange, _) => Some(A::Exchange { compare: None }),
            // What is computed of a narrow element is cut to its bits.
            (_, Elem::F32 | Elem::I8 | Elem::I16) => None,
            (Op::AtomicAdd, _) => Some(A::Add),
            (Op::AtomicSub, _) => Some(A::Subtract),
            (Op::AtomicAnd, _) => Some(A::And),
            (Op::AtomicOr, _) => Some(A::InclusiveOr),
            (Op::AtomicXor, _) => Some(A::ExclusiveOr),
            (Op::AtomicMin, _) => Some(A::Min),
            (Op::AtomicMax, _) => Some(A::Max),
            _ => None,
        };
        let Some(fun) = native else { return self.by_exchange(op, place, (pointer, None), args) };
        let value = self.stored(place, args[0]);
        let ty = self.ty(naga::TypeInner::Scalar(word(place)));
        let result = self.pre(Expression::AtomicResult { ty, comparison: false });
        self.push(Statement::Atomic { pointer, fun, value, result: Some(result) });
        Ok(Some(self.of_memory(place, result)))
    }

    /// Computes the new element and exchanges it for the old one, until nobody has come in between. Of an element that shares its word with
    /// others, which stay what they are, `part` says where it stands.
    fn by_exchange(
        &mut self,
        op: Op,
        place: &Place,
        (pointer, part): (Expr, Option<Part>),
        args: &[Expr],
    ) -> Result<Option<Expr>> {
        if !is_known(op, place.elem) {
            return Ok(None);
        }
        let old = self.local_var(place.elem);
        self.exchange(place, pointer, |cx, before| {
            let value = match part {
                Some(part) => cx.of_part(place, before, part.low),
                None => cx.of_memory(place, before),
            };
            cx.set(old, value);
            let new = cx.changed(op, place.elem, value, args);
            let new = cx.stored(place, new);
            Ok(part.map_or(new, |part| cx.with_part(before, part, new)))
        })?;
        Ok(Some(self.get(old)))
    }

    /// What an operation in one step makes of an element.
    fn changed(&mut self, op: Op, elem: Elem, old: Expr, args: &[Expr]) -> Expr {
        match op {
            Op::AtomicExchange => args[0],
            Op::AtomicCompareExchange => {
                let equal = self.binary(B::Equal, old, args[0]);
                self.select(equal, args[1], old)
            }
            _ => self.together(op, elem, old, args[0]),
        }
    }

    /// What an operation in one step makes of an element and its operand.
    pub(super) fn together(&mut self, op: Op, elem: Elem, old: Expr, operand: Expr) -> Expr {
        let args = [old, operand];
        let op = combined(op).expect("asked before");
        let new = if elem.is_float() { self.float(op, elem, &args) } else { self.int(op, elem, &args) };
        new.expect("sums, products and the smaller of two are there for all types")
    }
}

/// Whether several elements stand in a word.
fn is_packed(place: &Place) -> bool {
    !place.shared && matches!(place.elem, Elem::I8 | Elem::I16)
}

/// How an atomic element is declared.
fn word(place: &Place) -> Scalar {
    let signed = place.elem == Elem::I32 || place.shared && matches!(place.elem, Elem::I8 | Elem::I16);
    if signed { Scalar::I32 } else { Scalar::U32 }
}

/// Whether the new element can be computed of the old one and the operands.
fn is_known(op: Op, elem: Elem) -> bool {
    let bitwise = matches!(op, Op::AtomicAnd | Op::AtomicOr | Op::AtomicXor);
    match op {
        Op::AtomicExchange | Op::AtomicCompareExchange => true,
        _ => combined(op).is_some() && !(bitwise && elem.is_float()),
    }
}

/// What an operation in one step does to the element.
fn combined(op: Op) -> Option<Op> {
    Some(match op {
        Op::AtomicAdd => Op::Add,
        Op::AtomicSub => Op::Sub,
        Op::AtomicMul => Op::Mul,
        Op::AtomicDiv => Op::Div,
        Op::AtomicMin => Op::Min,
        Op::AtomicMax => Op::Max,
        Op::AtomicAnd => Op::And,
        Op::AtomicOr => Op::Or,
        Op::AtomicXor => Op::Xor,
        _ => return None,
    })
}
