//! Which nests can be computed so.

use super::{FAR, How, LEAST_COLUMNS, LEAST_ROWS, MOST_INSTS, MOST_SKEW, Nest, Source, Total, straight};
use crate::along;
use crate::analysis::linear::Form;
use crate::analysis::range::Range;
use quadra_base::quick::{Map, Set};
use quadra_kir::{Block, Buf, Elem, Inst, Kernel, LANES, Mode, Op, Value, eval};

/// Indices of accesses.
pub(super) struct Places<'a> {
    range: &'a Range,
    how: &'a How<'a>,
    /// The counters.
    row: Value,
    column: Value,
    /// What the outer loop defines.
    within: Set<Value>,
    first: i32,
    columns: i32,
}

impl Places<'_> {
    /// The index of a load or store.
    pub(super) fn form(&self, kernel: &Kernel, inst: &Inst) -> Form {
        self.range.forms().at(kernel, inst.args[0])
    }

    /// Whether a load lies inside of its buffer in every iteration.
    pub(super) fn is_inside(&self, kernel: &Kernel, inst: &Inst) -> bool {
        let length = inst.buf.and_then(|b| self.how.lengths.get(b.index()).copied().flatten());
        let bounds = self.form(kernel, inst).bounds(kernel, self.range);
        length.is_some_and(|n| bounds.within(0, i64::from(n) - 1))
    }

    /// Whether an index is a sum of the row and the column, as often as that may be, and of what the nest does not change.
    fn is_regular(&self, form: &Form) -> bool {
        let own = |v: Value| v == self.row || v == self.column;
        form.terms.iter().all(|t| own(t.0) || !self.within.contains(&t.0))
    }

    /// Rows and columns between what an iteration writes and another access of the buffer, which names an element that no other
    /// iteration than that one writes.
    fn distance(&self, store: &Form, access: &Form) -> Option<(i32, i32)> {
        let (row, far) = (store.factor(self.row), store.minus(access).as_constant()?);
        let rows = (far + (row / 2) * far.signum()) / row;
        let columns = far - rows * row;
        let near = rows.abs() <= FAR && columns.abs() <= FAR && self.columns + columns.abs() <= row;
        near.then_some((rows, columns))
    }
}

/// How far an iteration is behind the one at this distance, in steps.
fn steps(skew: i32, (rows, columns): (i32, i32)) -> i32 {
    skew * rows + columns
}

/// Whether a nest's loops are left at their ends alone, and it computes with scalars by plain operations.
fn is_plain(kernel: &Kernel, outer: &Inst, inner: &Inst) -> bool {
    let leaves = |b: &Block| [Op::Break, Op::Continue, Op::Return].into_iter().any(|op| b.exits(op) > 0);
    let vector = |v: &Value| kernel.ty(*v).lanes;
    let other = |i: &Inst| {
        let fits = match i.op {
            Op::Load | Op::Store => i.mode.is_plain() && i.mode != Mode::Guarded,
            Op::Assert | Op::Comment | Op::If | Op::Yield => true,
            Op::For => std::ptr::eq(i, inner),
            op => eval::is_lanewise(op),
        };
        !fits || i.mask.is_some() || i.results.iter().chain(&i.args).any(vector)
    };
    let ends = outer.results.iter().chain(&outer.args).any(vector);
    let yields = |b: &Block| b.terminator().is_some_and(|t| t.op == Op::Yield);
    let bodies = [&outer.regions[0], &inner.regions[0]];
    !ends && bodies.iter().all(|b| !leaves(b) && yields(b)) && !outer.regions[0].any(&mut |i| other(i))
}

/// The nest of an outer loop, if it fits.
pub(super) fn nest(kernel: &mut Kernel, range: &Range, how: &How<'_>, outer: &Inst) -> Option<Nest> {
    let body = &outer.regions[0];
    let at = body.insts.iter().position(|i| i.op == Op::For)?;
    let inner = &body.insts[at];
    if at + 2 != body.insts.len() || inner.regions[0].count() > MOST_INSTS || !is_plain(kernel, outer, inner) {
        return None;
    }
    let one = |i: &Inst| kernel.as_i32(i.args[2]) == Some(1);
    let (first, end) = kernel.as_i32(inner.args[0]).zip(kernel.as_i32(inner.args[1]))?;
    let columns = i64::from(end) - i64::from(first);
    let (low, high) = (range.bounds(kernel, outer.args[0]), range.bounds(kernel, outer.args[1]));
    let near = |n: i64| n.abs() <= 1 << 30;
    let counted = near(i64::from(first)) && near(columns) && near(low.low) && near(high.high);
    if !one(outer) || !one(inner) || !counted || columns < LEAST_COLUMNS || high.low - low.high < LEAST_ROWS {
        return None;
    }
    let mut within: Set<Value> = body.params.iter().copied().collect();
    body.walk(&mut |i| {
        within.extend(&i.results);
        i.regions.iter().for_each(|r| within.extend(&r.params));
    });
    let columns = columns as i32;
    let (row, column) = (body.params[0], inner.regions[0].params[0]);
    let places = Places { range, how, row, column, within, first, columns };
    let end = body.insts.last().cloned().into_iter();
    let head = Block { insts: body.insts[..at].iter().cloned().chain(end).collect(), ..Block::default() };
    let (before, last) = along::straight(kernel, &head)?;
    let (mut insts, yields) = along::straight(kernel, &inner.regions[0])?;
    straight::unmask(kernel, &mut insts, &places);
    straight::merge(kernel, &mut insts, &places);
    let yields = straight::forward(kernel, &mut insts, &places, &yields);
    let totals = totals(kernel, outer, inner, &insts, (&yields, &last))?;
    // What makes the totals is written anew.
    insts.retain(|i| !i.uses().any(|v| inner.regions[0].params[1..].contains(&v)));
    let accesses = Accesses { kernel, places: &places, before: &before, insts: &insts };
    let stores = accesses.stores()?;
    accesses.head_comes_first(&stores).then_some(())?;
    let skew = accesses.skew(&stores)?;
    let sources = accesses.sources(&stores);
    let regular = insts.iter().filter(|i| i.buf.is_some()).all(|i| places.is_regular(&places.form(kernel, i)));
    let nest = Nest {
        outer: outer.clone(),
        before,
        inner: inner.clone(),
        insts,
        skew,
        first,
        columns,
        sources,
        stores,
        totals,
        regular,
    };
    let (from, to) = nest.steady();
    (to - from >= LANES as i32).then_some(nest)
}

/// The totals that a nest makes, if it carries nothing else.
fn totals(
    kernel: &Kernel,
    outer: &Inst,
    inner: &Inst,
    insts: &[Inst],
    (yields, last): (&[Value], &[Value]),
) -> Option<Vec<Total>> {
    let through = outer.regions[0].params[1..] == *inner.carried() && *last == inner.results[..];
    if !through || outer.results.len() != inner.results.len() {
        return None;
    }
    let params = &inner.regions[0].params[1..];
    let uses = |v: Value| insts.iter().flat_map(Inst::uses).filter(|u| *u == v).count();
    let total = |(&param, &end): (&Value, &Value)| {
        let made = |v: Value| insts.iter().find(|i| i.results.first() == Some(&v));
        let inst = made(end)?;
        let (op, by, seen) = match (inst.op, &inst.args[..]) {
            (Op::Add | Op::Min | Op::Max | Op::MinU | Op::MaxU | Op::And | Op::Or | Op::Xor, [a, b]) => {
                let by = if *a == param { *b } else { *a };
                ([*a, *b].contains(&param) && by != param).then_some((inst.op, by, 1))?
            }
            (Op::Select, &[c, by, old]) if old == param => {
                let compare = made(c).filter(|_| uses(c) == 1)?;
                let op = match (compare.op, &compare.args[..]) {
                    (Op::CmpGt | Op::CmpGe, &[a, b]) if (a, b) == (by, param) => Op::Max,
                    (Op::CmpLt | Op::CmpLe, &[a, b]) if (a, b) == (param, by) => Op::Max,
                    (Op::CmpLt | Op::CmpLe, &[a, b]) if (a, b) == (by, param) => Op::Min,
                    (Op::CmpGt | Op::CmpGe, &[a, b]) if (a, b) == (param, by) => Op::Min,
                    _ => return None,
                };
                (op, by, 2)
            }
            _ => return None,
        };
        let whole = matches!(kernel.ty(param).elem, Elem::I32 | Elem::I64);
        (whole && uses(param) == seen && uses(end) == 0).then_some(Total { op, by })
    };
    params.iter().zip(yields).map(total).collect()
}

/// The accesses of a nest's iterations.
struct Accesses<'a> {
    kernel: &'a Kernel,
    places: &'a Places<'a>,
    before: &'a [Inst],
    insts: &'a [Inst],
}

impl Accesses<'_> {
    fn of(&self, buf: Buf) -> impl Iterator<Item = (usize, &Inst)> {
        let memory = |i: &Inst| matches!(i.op, Op::Load | Op::Store);
        self.insts.iter().enumerate().filter(move |(_, i)| i.buf == Some(buf) && memory(i))
    }

    /// Where each buffer is written, if it is written in one place.
    fn stores(&self) -> Option<Vec<(Buf, Form, Value)>> {
        let mut stores: Vec<(Buf, Form, Value)> = Vec::new();
        for inst in self.insts.iter().filter(|i| i.op == Op::Store) {
            let (buf, form) = (inst.buf?, self.places.form(self.kernel, inst));
            let (row, column) = (form.factor(self.places.row), form.factor(self.places.column));
            let value = inst.args[1];
            let read = self.of(buf).any(|(_, i)| i.op == Op::Load);
            // What is stored is what would be loaded.
            let elem = self.kernel.bufs[buf].elem;
            let wide =
                matches!(elem, Elem::I32 | Elem::F32 | Elem::F64 | Elem::I64) && elem == self.kernel.ty(value).elem;
            let plain = wide && inst.mask.is_none() || !read;
            let own = column == 1 && row >= self.places.columns && self.places.is_regular(&form);
            if !plain || !own || self.kernel.bufs[buf].rank != 1 || stores.iter().any(|s| s.0 == buf) {
                return None;
            }
            stores.push((buf, form, value));
        }
        (!stores.is_empty()).then_some(stores)
    }

    /// Whether what rows do before their columns may be done for sixteen rows in advance: no column of a row before them writes what
    /// they read, or reads or writes what they write; and columns need no value that they read where something is written.
    fn head_comes_first(&self, stores: &[(Buf, Form, Value)]) -> bool {
        let writes = |i: &Inst, buf: Buf| i.op == Op::Store && i.buf == Some(buf);
        let written = |buf: Buf| stores.iter().any(|s| s.0 == buf) || self.before.iter().any(|i| writes(i, buf));
        let mut late: Set<Value> = Set::default();
        for inst in self.before {
            let Some(buf) = inst.buf.filter(|_| matches!(inst.op, Op::Load | Op::Store)) else {
                if inst.uses().any(|v| late.contains(&v)) {
                    late.extend(&inst.results);
                }
                continue;
            };
            if !written(buf) {
                continue;
            }
            if self.before.iter().any(|i| writes(i, buf)) {
                late.extend(&inst.results);
            }
            let concerns = |i: &Inst| inst.op == Op::Store || i.op == Op::Store;
            if !self.of(buf).all(|(_, i)| !concerns(i) || self.is_later(inst, i)) {
                return false;
            }
        }
        !self.insts.iter().any(|i| i.uses().any(|v| late.contains(&v)))
    }

    /// Whether a column's access never names the element that the head of a later row accesses.
    fn is_later(&self, head: &Inst, access: &Inst) -> bool {
        let [head, form] = [head, access].map(|i| self.places.form(self.kernel, i));
        let (row, along) = (i64::from(head.factor(self.places.row)), i64::from(form.factor(self.places.column)));
        let mut apart = form.minus(&head);
        apart.terms.retain(|t| t.0 != self.places.column);
        let (Some(apart), true) = (apart.as_constant(), row > 0) else { return false };
        let ends = [self.places.first, self.places.first + self.places.columns - 1];
        let [a, b] = ends.map(|end| i64::from(apart) + along * i64::from(end));
        // The head's row is so many behind as rows fit in between.
        let nearest = (a.min(b) + row - 1).div_euclid(row).max(1);
        nearest * row > a.max(b)
    }

    /// The distances of all accesses of a buffer from what an iteration writes.
    fn distances(&self, buf: Buf, store: &Form) -> Option<Vec<(usize, (i32, i32))>> {
        let loads = self.of(buf).filter(|(_, i)| i.op == Op::Load);
        loads.map(|(at, i)| Some((at, self.places.distance(store, &self.places.form(self.kernel, i))?))).collect()
    }

    /// By how many columns each row is behind the one above it; nothing if an iteration needs what would not be there, or none needs
    /// the one to the left.
    fn skew(&self, stores: &[(Buf, Form, Value)]) -> Option<i32> {
        let mut all = Vec::new();
        for (buf, form, _) in stores {
            let written = self.of(*buf).find(|(_, i)| i.op == Op::Store)?.0;
            for (at, distance) in self.distances(*buf, form)? {
                // What an iteration itself writes it reads before.
                if distance == (0, 0) && at > written {
                    return None;
                }
                all.push(distance);
            }
        }
        let order =
            |skew: i32, d: (i32, i32)| d == (0, 0) || steps(skew, d).signum() == if d > (0, 0) { 1 } else { -1 };
        let left = all.iter().any(|d| d.0 == 0 && d.1 > 0);
        (1..=MOST_SKEW).find(|&skew| left && all.iter().all(|&d| order(skew, d)))
    }

    /// From where loads take their values.
    fn sources(&self, stores: &[(Buf, Form, Value)]) -> Map<Value, (Source, Form)> {
        let mut sources = Map::default();
        for inst in self.insts.iter().filter(|i| i.op == Op::Load && i.mask.is_none()) {
            let Some(buf) = inst.buf else { continue };
            let form = self.places.form(self.kernel, inst);
            let source = match stores.iter().find(|s| s.0 == buf) {
                Some((_, store, _)) => match self.places.distance(store, &form) {
                    Some((0, columns)) if columns > 0 => Source::Left(buf, columns),
                    Some((rows, columns)) if rows > 0 => Source::Above(buf, rows, columns),
                    _ => continue,
                },
                None => {
                    let (row, column) = (form.factor(self.places.row), form.factor(self.places.column));
                    let head = self.before.iter().any(|i| i.op == Op::Store && i.buf == Some(buf));
                    if row != 0 || column == 0 || head || !self.places.is_regular(&form) {
                        continue;
                    }
                    Source::Slides
                }
            };
            sources.insert(inst.result(), (source, form));
        }
        sources
    }
}

impl Nest {
    /// How many steps before a value may have been stored that a step takes from registers.
    pub(super) fn reach(&self) -> i32 {
        let reach = |source: &Source| match *source {
            Source::Left(_, columns) => columns,
            Source::Above(_, rows, columns) => steps(self.skew, (rows, columns)).max(columns),
            Source::Slides => self.skew,
        };
        self.sources.values().map(|s| reach(&s.0)).max().unwrap_or(0).max(1)
    }

    /// The steps that all lanes make and that need nothing from beyond the first and last columns.
    pub(super) fn steady(&self) -> (i32, i32) {
        let beyond = |source: &Source| if let Source::Above(_, _, columns) = *source { columns.min(0) } else { 0 };
        let before = self.sources.values().map(|s| beyond(&s.0)).min().unwrap_or(0);
        ((LANES as i32 - 1) * self.skew + self.reach(), self.columns + before)
    }

    /// The steps of a block.
    pub(super) fn steps(&self) -> i32 {
        self.columns + (LANES as i32 - 1) * self.skew
    }
}
