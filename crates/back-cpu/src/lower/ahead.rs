//! Loops along rows of which each lane has its own: a matrix times a vector, means and running sums of rows.
//!
//! Lanes then access elements a whole row apart, in each turn the next ones. One by one that takes sixteen lines of the cache a
//! turn, which rows of a power of two even keep pushing out of it. So every sixteenth turn reads sixteen elements of each row
//! at once and turns the square over: a tile in the frame, whose rows are what the next sixteen turns read. Stores go the same way back.

use super::state::Lower;
use super::words::{memory_type, writes};
use crate::common::brief::IOTA;
use crate::common::text::LANES;
use quadra_kir::{Buf, Elem, Inst, Kernel, Mode, Op, Type, Value};
use quadra_passes::analysis::linear::{Form, Forms};
use std::collections::{HashMap, HashSet};

/// Turns that a tile serves, and lanes.
const TILE: i32 = 16;
/// Shorter loops are over before a tile pays.
const LEAST_TURNS: i64 = 8;
/// Most accesses of a loop that get tiles: they should stay in the first cache.
const MOST: usize = 4;

/// An access that goes through a tile.
#[derive(Clone, Debug)]
pub(super) struct Row {
    store: bool,
    /// A load's result, or a store's index.
    value: Value,
    buf: Buf,
    /// How far the lanes' elements lie apart.
    step: i32,
    /// The index of lane 0.
    first: Form,
    /// The tile of each part, once the loop is being written.
    tiles: Vec<String>,
}

/// The loops with such accesses.
#[derive(Default)]
pub(super) struct Ahead {
    /// By the loop's counter.
    loops: HashMap<Value, Vec<Row>>,
    /// In which loop, by [`Row::value`] and buffer: stores to several buffers may share an index.
    of: HashMap<(Value, Buf), Value>,
    /// Which of a tile's turns the present one is, by the loop's counter.
    turn: HashMap<Value, String>,
}

/// Whether a kernel has loops along its lanes' rows.
pub fn has_rows(kernel: &Kernel, alias: bool) -> bool {
    let mut lane = None;
    kernel.body.walk(&mut |i| lane = if i.op == Op::Lane { Some(i.result()) } else { lane });
    let Some(lane) = lane else { return false };
    let forms = Forms::of(kernel);
    kernel.body.any(&mut |i| !rows(kernel, &forms, lane, i, alias).is_empty())
}

/// The counters of loops along lanes' rows that are so long that tiles cost less than code for each iteration.
pub fn long_rows(kernel: &Kernel, alias: bool) -> HashSet<Value> {
    let mut lane = None;
    kernel.body.walk(&mut |i| lane = if i.op == Op::Lane { Some(i.result()) } else { lane });
    let (Some(lane), forms, mut found) = (lane, Forms::of(kernel), HashSet::new()) else { return HashSet::new() };
    let end = |i: &Inst, n: usize| i.args.get(n).and_then(|&v| kernel.as_i32(v)).map(i64::from);
    kernel.body.walk(&mut |i| {
        let long = end(i, 0).zip(end(i, 1)).is_some_and(|(from, to)| to - from > i64::from(TILE));
        if long && !rows(kernel, &forms, lane, i, alias).is_empty() {
            found.insert(i.regions[0].params[0]);
        }
    });
    found
}

/// The accesses of a loop that can go through tiles, as far as the kernel's text says.
fn rows<'k>(kernel: &'k Kernel, forms: &Forms, lane: Value, inst: &'k Inst, alias: bool) -> Vec<(&'k Inst, Row)> {
    let step = |n: usize| inst.args.get(n).and_then(|&v| kernel.as_i32(v)).map(i64::from);
    if inst.op != Op::For || step(2) != Some(1) {
        return Vec::new();
    }
    if step(0).zip(step(1)).is_some_and(|(from, to)| to - from < LEAST_TURNS) {
        return Vec::new();
    }
    let body = &inst.regions[0];
    let leaves = [Op::Break, Op::Continue, Op::Return].into_iter().any(|op| body.exits(op) > 0);
    // Turns are read ahead of others, and written behind them: nothing else may see memory between them.
    let plain = |i: &Inst| {
        let memory = matches!(i.op, Op::Load | Op::LoadRow | Op::Store | Op::StoreRow);
        memory || i.op.is_pure() || matches!(i.op, Op::If | Op::For | Op::Yield | Op::Comment | Op::Assert)
    };
    if leaves || body.any(&mut |i| !plain(i)) || alias && body.any(&mut |i| writes(i)) {
        return Vec::new();
    }
    let (counter, mut inside) = (body.params[0], HashSet::<Value>::new());
    let mut accesses: HashMap<Buf, (usize, usize)> = HashMap::new();
    inside.extend(&body.params);
    body.walk(&mut |i| {
        inside.extend(&i.results);
        i.regions.iter().for_each(|r| inside.extend(&r.params));
        if let Some(buf) = i.buf {
            let (loads, stores) = accesses.entry(buf).or_default();
            *(if writes(i) { stores } else { loads }) += 1;
        }
    });
    let turns = step(0).zip(step(1)).map(|(from, to)| to - from);
    let row = |i: &'k Inst| {
        let (store, buf) = (i.op == Op::Store, i.buf?);
        let elem = kernel.bufs[buf].elem;
        let alone = match (store, accesses[&buf]) {
            (false, (_, 0)) | (true, (0, 1)) => true,
            (true, (_, 1)) => {
                body.insts.iter().all(|load| {
                    let same = load.buf == Some(buf) && !writes(load);
                    !same || turns.is_some_and(|n| apart(kernel, forms, (lane, n), i, load))
                }) && !body.insts.iter().any(|i| i.regions.iter().any(|r| r.any(&mut |i| i.buf == Some(buf))))
            }
            _ => false,
        };
        let each = i.mask.is_none() && i.mode != Mode::Guarded && kernel.ty(i.args[0]).lanes;
        if !alone || !each || elem == Elem::Bool || memory_type(elem) != "i32" {
            return None;
        }
        let form = forms.at(kernel, i.args[0]);
        let step = form.factor(lane);
        let first = form.plus(&Form::value(lane), step.wrapping_neg());
        let stays = first.terms.iter().all(|t| t.0 == counter || !inside.contains(&t.0) && !kernel.ty(t.0).lanes);
        let value = if store { i.args[0] } else { i.result() };
        // Rows of lanes that are closer would overlap.
        let fits = step.saturating_abs() >= TILE && first.factor(counter) == 1 && stays;
        fits.then(|| (i, Row { store, value, buf, step, first, tiles: Vec::new() }))
    };
    let found: Vec<_> =
        body.insts.iter().filter(|i| matches!(i.op, Op::Load | Op::Store)).filter_map(row).take(MOST).collect();
    found
}

/// Whether in so many iterations of a loop a load that all lanes have in common never reads what a store writes in another iteration.
fn apart(kernel: &Kernel, forms: &Forms, (lane, turns): (Value, i64), store: &Inst, load: &Inst) -> bool {
    if load.op != Op::Load || kernel.ty(load.args[0]).lanes {
        return false;
    }
    let difference = forms.at(kernel, store.args[0]).minus(&forms.at(kernel, load.args[0]));
    let step = i64::from(difference.factor(lane));
    let far = difference.plus(&Form::value(lane), difference.factor(lane).wrapping_neg()).as_constant();
    far.is_some_and(|far| (0..i64::from(TILE)).all(|lane| (i64::from(far) + step * lane).abs() >= turns))
}

/// The squares of a tile: their first lane and iteration. A lane's elements are read and written one behind the other.
fn squares(side: usize) -> impl Iterator<Item = (usize, usize)> {
    let at = move || (0..TILE as usize).step_by(side);
    at().flat_map(move |lanes| at().map(move |turns| (lanes, turns)))
}

impl Lower<'_> {
    /// Finds the accesses that go through tiles.
    pub(super) fn find_ahead(&mut self) {
        let Some(lane) = self.lane.filter(|_| self.plan.ahead && !self.plan.halves) else { return };
        let mut found = Ahead::default();
        self.kernel.body.walk(&mut |i| {
            let mut rows = rows(self.kernel, &self.forms, lane, i, self.plan.alias);
            rows.retain(|(access, _)| self.proven(access));
            let Some(body) = i.regions.first() else { return };
            // Of a launch that fails nothing stays, and so what an assertion ends may be stored behind it or not at all.
            let faults = body.insts.iter().any(|i| i.op != Op::Assert && self.may_fault(i));
            // What iterations to come read may lie inside only because of what they test before.
            let tested =
                |access: &Inst| body.insts.iter().take_while(|i| !std::ptr::eq(*i, access)).any(|i| self.may_fault(i));
            rows.retain(|(access, row)| {
                !(row.store && faults) && (row.store || self.bounded(access) || !tested(access))
            });
            if rows.is_empty() {
                return;
            }
            let counter = i.regions[0].params[0];
            found.of.extend(rows.iter().map(|(_, row)| ((row.value, row.buf), counter)));
            found.loops.insert(counter, rows.into_iter().map(|(_, row)| row).collect());
        });
        self.ahead = found;
    }

    /// Whether an instruction may end the launch.
    fn may_fault(&self, inst: &Inst) -> bool {
        inst.op == Op::Assert
            || inst.buf.is_some() && !self.proven(inst)
            || inst.regions.iter().flat_map(|r| &r.insts).any(|i| self.may_fault(i))
    }

    /// Whether an access finds its elements in a tile.
    pub(super) fn is_ahead(&self, inst: &Inst) -> bool {
        let value = match inst.op {
            Op::Load => inst.result(),
            Op::Store => inst.args[0],
            _ => return false,
        };
        inst.buf.is_some_and(|buf| self.ahead.of.contains_key(&(value, buf)))
    }

    /// At the beginning of a loop's turn: reads the next elements of each row where the tiles are used up.
    pub(super) fn read_ahead(&mut self, counter: Value, bounds: &[String]) {
        let Some(mut rows) = self.ahead.loops.remove(&counter) else { return };
        for row in &mut rows {
            let parts = if self.vary.at(row.value) { self.shape.parts() } else { 1 };
            row.tiles = (0..parts).map(|_| self.t.slot(&format!("[{TILE} x {LANES}], align 64"))).collect();
        }
        let at = self.value(counter);
        let turn = self.t.def(&format!("sub i32 {at}, {}", bounds[0]));
        let turn = self.t.def(&format!("and i32 {turn}, {}", TILE - 1));
        if rows.iter().any(|r| !r.store) {
            let used_up = self.t.def(&format!("icmp eq i32 {turn}, 0"));
            let [fill, go] = [(); 2].map(|()| self.t.fresh_label());
            self.t.branch_if(&used_up, &fill, &go);
            self.t.label(&fill);
            let left = self.t.def(&format!("sub i32 {}, {at}", bounds[1]));
            self.whole_or_less(&left, |l, mask| l.fill_tiles(&rows, mask));
            self.t.branch(&go);
            self.t.label(&go);
        }
        self.ahead.turn.insert(counter, turn);
        self.ahead.loops.insert(counter, rows);
    }

    /// At the end of a loop's turn: writes the tiles that are full, and what is in them behind the last turn.
    pub(super) fn write_behind(&mut self, counter: Value, bounds: &[String]) {
        let stores = |rows: &&Vec<Row>| rows.iter().any(|r| r.store);
        let Some(rows) = self.ahead.loops.get(&counter).filter(stores).cloned() else { return };
        let (turn, at) = (self.ahead.turn[&counter].clone(), self.value(counter));
        let full = self.t.def(&format!("icmp eq i32 {turn}, {}", TILE - 1));
        let next = self.t.def(&format!("add i32 {at}, 1"));
        let last = self.t.def(&format!("icmp sge i32 {next}, {}", bounds[1]));
        let either = self.t.def(&format!("or i1 {full}, {last}"));
        let [empty, go] = [(); 2].map(|()| self.t.fresh_label());
        self.t.branch_if(&either, &empty, &go);
        self.t.label(&empty);
        let many = self.t.def(&format!("add i32 {turn}, 1"));
        let back = self.t.def(&format!("zext i32 {turn} to i64"));
        let back = self.t.def(&format!("sub i64 0, {back}"));
        self.whole_or_less(&many, |l, mask| l.empty_tiles(&rows, &back, mask));
        self.t.branch(&go);
        self.t.label(&go);
    }

    /// Writes code for tiles of which so many iterations are used: for all of them without a mask, where that is cheaper.
    fn whole_or_less(&mut self, many: &str, write: impl Fn(&mut Self, Option<&str>)) {
        let before = self.memo.clone();
        let masked = |l: &mut Self| {
            let many = l.t.splat("i32", many);
            let mask = l.t.def(&format!("icmp ugt {LANES} {many}, {IOTA}"));
            write(l, Some(&mask));
        };
        // With AVX-512 a mask costs nothing; before, it is many instructions on some processors.
        if self.plan.scales {
            masked(self);
        } else {
            let whole = self.t.def(&format!("icmp uge i32 {many}, {TILE}"));
            let [all, less, go] = [(); 3].map(|()| self.t.fresh_label());
            self.t.branch_if(&whole, &all, &less);
            self.t.label(&all);
            write(self, None);
            self.memo = before.clone();
            self.t.branch(&go);
            self.t.label(&less);
            masked(self);
            self.t.branch(&go);
            self.t.label(&go);
        }
        self.part = 0;
        self.memo = before;
    }

    /// Fills the tiles of loads, as far as a mask of iterations says.
    fn fill_tiles(&mut self, rows: &[Row], mask: Option<&str>) {
        let side = self.side();
        for row in rows.iter().filter(|r| !r.store) {
            for (part, tile) in row.tiles.iter().enumerate() {
                self.part = part;
                for (lanes, turns) in squares(side) {
                    let mask = mask.map(|mask| self.some_lanes(mask, "i1", (turns, side)));
                    let of = |l: &mut Self, lane: usize| l.row_of_lane(row, lane, (turns, side), mask.as_deref());
                    let from: Vec<String> = (lanes..lanes + side).map(|lane| of(self, lane)).collect();
                    for (n, turn) in self.turned_over(from, "i32").iter().enumerate() {
                        let to = self.in_square(tile, turns + n, lanes);
                        self.t.line(&format!("store <{side} x i32> {turn}, ptr {to}, align {}", 4 * side));
                    }
                }
            }
        }
    }

    /// Writes what the tiles of stores hold, as far as a mask of iterations says; lanes' places are those of the last one.
    fn empty_tiles(&mut self, rows: &[Row], back: &str, mask: Option<&str>) {
        let side = self.side();
        let of = format!("<{side} x i32>");
        for row in rows.iter().filter(|r| r.store) {
            for (part, tile) in row.tiles.iter().enumerate() {
                self.part = part;
                for (lanes, turns) in squares(side) {
                    let load = |l: &mut Self, n: usize| {
                        let from = l.in_square(tile, turns + n, lanes);
                        l.t.def(&format!("load {of}, ptr {from}, align {}", 4 * side))
                    };
                    let from = (0..side).map(|n| load(self, n)).collect();
                    let mask = mask.map(|mask| self.some_lanes(mask, "i1", (turns, side)));
                    for (lane, values) in self.turned_over(from, "i32").iter().enumerate() {
                        let place = self.place_of_lane(row, (lanes + lane) as i32);
                        let place = self.t.def(&format!("getelementptr i32, ptr {place}, i64 {back}"));
                        let place = self.t.def(&format!("getelementptr i32, ptr {place}, i64 {turns}"));
                        let Some(mask) = &mask else {
                            self.t.line(&format!("store {of} {values}, ptr {place}, align 4"));
                            continue;
                        };
                        self.store_register(side, (values, &place), mask);
                    }
                }
            }
        }
    }

    /// The side of the squares that are turned over: what a register holds.
    fn side(&self) -> usize {
        if self.plan.scales { 16 } else { 8 }
    }

    /// Where in a tile an iteration has the elements from a lane on.
    fn in_square(&mut self, tile: &str, turn: usize, lane: usize) -> String {
        self.t.def(&format!("getelementptr i32, ptr {tile}, i64 {}", turn * TILE as usize + lane))
    }

    /// Where a lane's element of the present turn lies.
    fn place_of_lane(&mut self, row: &Row, lane: i32) -> String {
        let constant = row.first.constant.wrapping_add(lane.wrapping_mul(row.step));
        self.place_of(row.buf, Form { constant, ..row.first.clone() })
    }

    /// So many of the next elements of a lane, as far as a mask says.
    fn row_of_lane(&mut self, row: &Row, lane: usize, (from, many): (usize, usize), mask: Option<&str>) -> String {
        let place = self.place_of_lane(row, lane as i32);
        let place = self.t.def(&format!("getelementptr i32, ptr {place}, i64 {from}"));
        let of = format!("<{many} x i32>");
        let Some(mask) = mask else { return self.t.def(&format!("load {of}, ptr {place}, align 4")) };
        self.load_register(many, &place, mask)
    }

    /// The value of a load from a tile.
    pub(super) fn load_ahead(&mut self, inst: &Inst) -> Option<String> {
        let (row, place) = self.in_tile(*inst.results.first()?, inst.buf?)?;
        let elem = self.kernel.bufs[row.buf].elem;
        let value = self.t.def(&format!("load {LANES}, ptr {place}, align 64"));
        Some(self.widen(elem, Type::vector(elem.in_register()), &value))
    }

    /// A store to a tile; whether it is one.
    pub(super) fn store_behind(&mut self, inst: &Inst) -> bool {
        let Some((row, place)) = inst.buf.and_then(|buf| self.in_tile(inst.args[0], buf)) else { return false };
        let elem = self.kernel.bufs[row.buf].elem;
        let t = Type::vector(elem.in_register());
        let value = self.value_as(inst.args[1], t);
        let value = self.narrow(elem, t, &value);
        self.t.line(&format!("store {LANES} {value}, ptr {place}, align 64"));
        true
    }

    /// The access of a load or store, and where in the present part's tile its lanes are.
    fn in_tile(&mut self, value: Value, buf: Buf) -> Option<(Row, String)> {
        let counter = *self.ahead.of.get(&(value, buf))?;
        let row = self.ahead.loops.get(&counter)?.iter().find(|r| (r.value, r.buf) == (value, buf))?.clone();
        let tile = row.tiles.get(self.part).or(row.tiles.first())?;
        let place = self.t.def(&format!("getelementptr {LANES}, ptr {tile}, i32 {}", self.ahead.turn.get(&counter)?));
        Some((row, place))
    }
}
