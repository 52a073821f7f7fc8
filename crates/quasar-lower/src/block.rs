//! Kernels whose blocks work together, for devices that run 16 items in step and know no barrier: one worker runs a whole block.
//!
//! The body is cut at its barriers. What stands between two barriers runs in loops over the items of the block, 16 at a time,
//! of one row if rows are that long;
//! loops and branches with a barrier in them are the block's own, so their conditions must be the same for all items. Variables
//! that all items agree on belong to the block; any other that is read behind a barrier lies in memory, one element per item,
//! as shared memory does. A group of the kernel is a block: the launch has 16 items for each.

use super::agree::{Common, is_agreed};
use super::count::barrier;
use super::element::Place;
use super::parts::{Axis, Part, Together};
use super::state::{Lower, Slot, Source};
use super::value::{ArrayRef, Element, Length, Num, Small, Val, elem_of};
use super::{Low, refuse};
use quadra_kir::{self as kir, Elem, Op};
use quadra_quasar_hir::scope::Names;
use quadra_quasar_hir::types::{Fit, IntKind, Type};
use quadra_quasar_syntax::ast::{Block, Expr, Function, Stmt, StmtKind, Text};
use quadra_quasar_vm::arith::Kind;

/// Lanes of a group.
const LANES: i64 = kir::LANES as i64;

impl Lower<'_> {
    /// Prepares the form; parameters are lowered after this and before the body.
    pub fn begin_together(&mut self, ast: &Function, near: u64) -> Low<()> {
        let size = self.block_size()?;
        let number = self.b.axis(Op::Group, 0);
        self.b.kernel().whole = true;
        let mut dims = Vec::new();
        for d in 0..size.len() {
            dims.push(self.b.scalar(&format!("dim{d}"), kir::Type::I32));
            self.sources.push(Source::Dim(d));
        }
        let sizes: Vec<kir::Value> = size.iter().map(|n| self.b.i32(*n as i32)).collect();
        let common = Common::of(&ast.body);
        let mut together = Together { number: Some(number), near, common, ..Together::default() };
        let counts: Vec<kir::Value> = (0..size.len())
            .map(|d| {
                let more = self.b.i32(size[d] as i32 - 1);
                let up = self.op(Op::Add, &[dims[d], more]);
                self.op(Op::Div, &[up, sizes[d]])
            })
            .collect();
        let digits = self.digits(number, &counts);
        for (d, index) in digits.into_iter().enumerate() {
            let origin = self.op(Op::Mul, &[index, sizes[d]]);
            together.axes.push(Axis { dim: dims[d], count: counts[d], index, origin });
        }
        together.sizes = sizes;
        // What items assign may have to outlive the loop over them.
        for name in together.common.assigned.iter().filter(|n| !together.common.uniform.contains(*n)) {
            *self.frame().assigns.entry(name.clone()).or_default() += 2;
        }
        self.together = Some(together);
        Ok(())
    }

    /// A special parameter of the kernel; those of items have a value only while items run.
    pub fn together_special(&mut self, name: &Text, ty: Option<&Type>) -> Low<()> {
        let each = matches!(&**name, "pos" | "blkpos");
        if let (true, Some(t)) = (each, self.together.as_mut()) {
            t.specials.push((name.clone(), ty.cloned()));
            return Ok(());
        }
        let v = self.special(name, ty)?;
        self.bind_param(name, v)
    }

    /// A number's digits, of which the last counts single items.
    pub fn digits(&mut self, number: kir::Value, radix: &[kir::Value]) -> Vec<kir::Value> {
        let mut digits = Vec::new();
        let mut rest = number;
        for n in radix[1..].iter().rev() {
            digits.push(self.op(Op::Mod, &[rest, *n]));
            rest = self.op(Op::Div, &[rest, *n]);
        }
        digits.push(rest);
        digits.reverse();
        digits
    }

    /// One component of a special parameter in this form.
    pub fn together_component(&mut self, special: &str, d: usize) -> Low<Num> {
        let size = self.block_size()?;
        let Some(t) = &self.together else { refuse!("no block") };
        let (axis, item) = (t.axes[d].clone(), t.item.as_ref().map(|i| i.1[d]));
        let num = |re, most| Num { range: Some(kir::Bounds::new(0, most)), ..Num::new(Kind::Int, re) };
        let last = i64::from(i32::MAX);
        Ok(match special {
            "blkdim" => self.int(size[d]),
            "blkcnt" => num(axis.count, last),
            "blkidx" => num(axis.index, last),
            _ => {
                let Some(within) = item else { refuse!("'{special}' outside of the items") };
                if special == "blkpos" {
                    return Ok(num(within, size[d] - 1));
                }
                num(self.op(Op::Add, &[axis.origin, within]), last)
            }
        })
    }

    /// Lowers a body that is cut at its barriers.
    pub fn together_block(&mut self, body: &Block) -> Low<()> {
        let mut run: Vec<&Stmt> = Vec::new();
        for stmt in body {
            let common = self.together.as_ref().is_some_and(|t| t.common.is_once(stmt));
            if !common && !barrier(std::slice::from_ref(stmt)) {
                run.push(stmt);
                continue;
            }
            self.items(&std::mem::take(&mut run))?;
            self.at(stmt.span);
            self.common(stmt)?;
        }
        self.items(&run)
    }

    fn common(&mut self, stmt: &Stmt) -> Low<()> {
        match &stmt.kind {
            StmtKind::Sync { .. } => {
                self.b.sync(Op::Flush, 0);
                Ok(())
            }
            StmtKind::For(f) => {
                self.agree(&f.over)?;
                self.for_loop_with(f, &mut |l| l.together_block(&f.body))
            }
            StmtKind::While { condition, body } => {
                self.agree(condition)?;
                self.while_loop_with(condition, body, &mut |l| l.together_block(body))
            }
            StmtKind::Repeat { body, condition } => {
                self.agree(condition)?;
                self.repeat_loop_with(condition, body, &mut |l| l.together_block(body))
            }
            StmtKind::If { arms, otherwise } => {
                let [(condition, body)] = &arms[..] else { refuse!("a barrier in one of several branches") };
                self.agree(condition)?;
                let c = self.condition(condition)?;
                let before = self.frame().defined.clone();
                self.depth += 1;
                self.b.begin_if(c);
                self.together_block(body)?;
                self.b.begin_else();
                self.frame().defined = before.clone();
                self.together_block(otherwise)?;
                self.b.end();
                self.depth -= 1;
                self.frame().defined = before;
                Ok(())
            }
            StmtKind::Expr(e) => self.expr(e).map(drop),
            StmtKind::Attribute(_) => Ok(()),
            _ => refuse!("a barrier in such a statement"),
        }
    }

    /// All items of the block must come to the same value.
    fn agree(&self, e: &Expr) -> Low<()> {
        let Some(t) = &self.together else { return Ok(()) };
        match Names::of_expr(e).mentioned.iter().find(|n| !t.common.has(n)) {
            Some(name) => refuse!("whether a barrier is reached depends on '{name}', which may differ between items"),
            None if !is_agreed(e) => {
                refuse!("whether a barrier is reached depends on what cannot be computed for the block")
            }
            None => Ok(()),
        }
    }

    /// Runs statements for every item of the block.
    fn items(&mut self, run: &[&Stmt]) -> Low<()> {
        if run.is_empty() {
            return Ok(());
        }
        let size = self.block_size()?;
        let columns = size.last().copied().unwrap_or(1);
        // Lanes of one row have neighbouring columns and everything else in common. Rows shorter than that are taken together.
        let rows = columns >= LANES;
        let (outer, inner) = if rows { size.split_at(size.len() - 1) } else { (&[][..], &size[..]) };
        let sizes = self.together.as_ref().map(|t| t.sizes.clone()).unwrap_or_default();
        let (zero, one, step) = (self.b.i32(0), self.b.i32(1), self.b.i32(LANES as i32));
        let mut within = Vec::new();
        let mut loops = 0;
        for (d, &n) in outer.iter().enumerate() {
            if n == 1 {
                within.push(zero);
                continue;
            }
            within.push(self.b.begin_for(zero, sizes[d], one));
            loops += 1;
        }
        let total: i64 = inner.iter().product();
        let end = self.b.i32(total as i32);
        let base = if total == LANES { zero } else { self.b.begin_for(zero, end, step) };
        loops += usize::from(total != LANES);
        self.depth += 1;
        let lane = self.b.op(Op::Lane, &[]);
        let last = self.op(Op::Add, &[base, lane]);
        let item = self.item_number(&within, &sizes, last);
        if rows {
            within.push(last);
        } else {
            within = self.digits(last, &sizes);
        }
        if let Some(t) = self.together.as_mut() {
            t.item = Some((item, within));
        }
        let whole = total % LANES == 0;
        let inside = self.inside_launch((!whole).then_some((last, end)), &size)?;
        self.b.begin_if(inside);
        let result = self.item_statements(run);
        self.b.end();
        self.depth -= 1;
        for _ in 0..loops {
            self.b.end();
        }
        if let Some(t) = self.together.as_mut() {
            t.item = None;
        }
        result
    }

    /// The number of an item in the block: its row, if rows are taken one by one, and its column.
    fn item_number(&mut self, row: &[kir::Value], sizes: &[kir::Value], column: kir::Value) -> kir::Value {
        let Some((first, rest)) = row.split_first() else { return column };
        let mut number = *first;
        for (n, k) in sizes[1..].iter().zip(rest.iter().chain([&column])) {
            number = self.op(Op::Mul, &[number, *n]);
            number = self.op(Op::Add, &[number, *k]);
        }
        number
    }

    /// Whether an item lies in its block, if a number below a limit says so, and within the launch.
    fn inside_launch(&mut self, block: Option<(kir::Value, kir::Value)>, size: &[i64]) -> Low<kir::Value> {
        let mut inside = match block {
            Some((n, end)) => self.op(Op::CmpLt, &[n, end]),
            None => self.known_bool(true).re,
        };
        let exact: Vec<bool> = self.launch.dims.iter().zip(size).map(|(d, b)| *b > 0 && d % b == 0).collect();
        for (d, exact) in exact.into_iter().enumerate() {
            if exact {
                continue;
            }
            let p = self.together_component("pos", d)?;
            let dim = self.together.as_ref().map(|t| t.axes[d].dim);
            let Some(dim) = dim else { refuse!("no block") };
            let ok = self.op(Op::CmpLt, &[p.re, dim]);
            inside = self.op(Op::And, &[inside, ok]);
        }
        Ok(inside)
    }

    fn item_statements(&mut self, run: &[&Stmt]) -> Low<()> {
        let specials: Vec<_> = self.together.as_ref().map(|t| t.specials.clone()).unwrap_or_default();
        for (name, ty) in &specials {
            let v = self.special(name, ty.as_ref())?;
            let frame = self.frame();
            frame.vars.insert(name.clone(), Slot::Fixed(v));
            frame.defined.insert(name.clone());
        }
        for (name, parts) in self.spilled() {
            let Some(slot) = self.frame().vars.get(&name).cloned() else { continue };
            let mut items = Vec::new();
            for part in &parts {
                let (array, place) = self.spill_place(part)?;
                items.push(self.load(&array, &place)?);
            }
            let v = match &slot {
                Slot::Small(shape, _) => Val::Small(Small { shape: shape.clone(), items, mask: false }),
                _ => Val::Num(items[0]),
            };
            self.set_slot(&slot, &v)?;
        }
        let block: Block = run.iter().map(|s| (*s).clone()).collect();
        self.block(&block)?;
        self.spill(&block)
    }

    fn spilled(&self) -> Vec<(Text, Vec<Part>)> {
        self.together.as_ref().map(|t| t.spilled.clone()).unwrap_or_default()
    }

    /// The element of this item in a variable's memory.
    fn spill_place(&mut self, part: &Part) -> Low<(ArrayRef, Place)> {
        let item = self.together.as_ref().and_then(|t| t.item.as_ref().map(|i| i.0));
        let Some(item) = item else { refuse!("no item") };
        let base = self.block_base(part.buf, part.len)?;
        let shape = vec![Length::Known(1), Length::Known(part.len)];
        let array = ArrayRef { buf: part.buf, base, shape, element: part.element, fit: Fit::Unchecked, shared: true };
        Ok((array, Place::new(item)))
    }

    /// Leaves the variables that these statements assigned, and others read, in memory.
    fn spill(&mut self, block: &Block) -> Low<()> {
        let mut names = Names::of_block(block).assigned;
        let vars = &self.frame().vars;
        // Elements of arrays in memory are where everybody finds them.
        let small = |name: &Text| vars.get(name).is_some_and(|slot| !slot.in_memory());
        names.extend(super::count::elements(block).into_iter().filter(small));
        names.sort();
        names.dedup();
        for name in names {
            let crosses = self.together.as_ref().is_some_and(|t| t.common.crossing.contains(&name));
            if !crosses || !self.frame().defined.contains(&name) {
                self.frame().defined.remove(&name);
                continue;
            }
            let Some(slot) = self.frame().vars.get(&name).cloned() else { continue };
            let kinds: Vec<Kind> = match &slot {
                Slot::Number(kind, _, None) => vec![*kind],
                Slot::Small(_, items) if items.iter().all(|i| i.2.is_none()) => items.iter().map(|i| i.0).collect(),
                Slot::Output(..) => continue,
                Slot::Fixed(Val::Array(_)) => continue,
                _ => refuse!("'{name}' lives across a barrier"),
            };
            let items = match self.get_slot(&slot)? {
                Val::Num(n) => vec![n],
                Val::Small(s) => s.items,
                _ => continue,
            };
            let parts = self.parts(&name, &kinds)?;
            for (part, n) in parts.iter().zip(&items) {
                let (array, place) = self.spill_place(part)?;
                self.store(&array, &place, n, &name, None)?;
            }
        }
        Ok(())
    }

    /// The memory of a variable, made when it is first left there.
    fn parts(&mut self, name: &Text, kinds: &[Kind]) -> Low<Vec<Part>> {
        if let Some((_, parts)) = self.spilled().into_iter().find(|s| s.0 == *name) {
            return Ok(parts);
        }
        let len = self.block_size()?.iter().product::<i64>() as usize;
        let mut parts = Vec::new();
        for kind in kinds {
            let element = if kind.is_int() { Element::Int(IntKind::Int) } else { Element::Float(elem_of(*kind)) };
            if *kind == Kind::Wide {
                refuse!("a 64-bit integer lives across a barrier");
            }
            parts.push(Part { buf: self.block_array(name, len, elem_of(*kind)), len, element });
        }
        if let Some(t) = self.together.as_mut() {
            t.spilled.push((name.clone(), parts.clone()));
        }
        Ok(parts)
    }

    /// Memory with `len` elements for each block: an array of the group, or a part of a buffer for all blocks.
    pub fn block_array(&mut self, name: &str, len: usize, elem: Elem) -> kir::Buf {
        let bytes = len as u64 * u64::from(elem.bytes());
        if let Some(t) = self.together.as_mut().filter(|t| t.near >= bytes) {
            t.near -= bytes;
            return self.b.kernel().add_shared(name, elem, vec![len as u32]);
        }
        let buf = self.b.buffer(&format!("block{}", self.sources.len()), elem, 1, kir::Access::ReadWrite);
        self.sources.push(Source::Hidden { elem, per_block: len });
        buf
    }

    /// Where the block's elements begin in such memory, if it belongs to all blocks.
    pub fn block_base(&mut self, buf: kir::Buf, len: usize) -> Low<Option<kir::Value>> {
        if self.b.kernel().bufs[buf].space == kir::Space::Shared {
            return Ok(None);
        }
        let Some(number) = self.together.as_ref().and_then(|t| t.number) else { refuse!("no block") };
        let n = self.b.i32(len as i32);
        Ok(Some(self.op(Op::Mul, &[number, n])))
    }
}

impl Lower<'_> {
    /// A barrier or a fence of a program.
    pub(super) fn sync(&mut self, fence: bool, scope: Option<&Text>) -> Low<()> {
        if fence {
            self.b.sync(Op::Fence, 0);
            return Ok(());
        }
        if self.together.is_some() {
            refuse!("a barrier in a branch or loop that only some items run");
        }
        match scope.map(|s| &**s) {
            None | Some("block") => {
                self.grouped()?;
                self.b.sync(Op::Barrier, 0);
                Ok(())
            }
            Some(scope) => refuse!("syncthreads({scope})"),
        }
    }
}
