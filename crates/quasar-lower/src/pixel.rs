//! Pixels channel by channel: a nest over the pixels of an image whose channels are the last dimension becomes a kernel over
//! the elements of its rows, so that lanes lie side by side in memory. A slice `x[m,n,0..2]` then stands for the item's own
//! channel. What would need all channels of a pixel in one item is refused, and the nest lowered over its pixels.

use super::index::{Select, Selection};
use super::state::Lower;
use super::value::{ArrayRef, Length, Num, Val};
use super::{Low, refuse};
use quadra_kir::{self as kir, Op};
use quadra_quasar_hir::types::Access;

impl Lower<'_> {
    /// Whether an array of so many elements is taken for a pixel.
    pub fn is_pixel(&self, len: usize) -> bool {
        self.pixels.as_ref().is_some_and(|p| p.count as usize == len)
    }

    /// A range as an index: all channels of a pixel, or a list.
    pub fn channel_select(&mut self, list: Vec<Num>) -> Select {
        let Some(p) = self.pixels.clone().filter(|p| list.len() == p.count as usize) else { return Select::Many(list) };
        let all = list.iter().enumerate().all(|(i, n)| self.known_int(n) == Some(i as i64));
        if all { Select::Channel(p.channel) } else { Select::Many(list) }
    }

    /// The item's own one of the components of a pixel.
    pub fn channel_among(&mut self, items: &[Num]) -> Low<Num> {
        let Some(p) = self.pixels.clone() else { refuse!("no pixel") };
        let mut result = items[0];
        for (i, n) in items.iter().enumerate().skip(1) {
            if n.re == result.re && n.im == result.im && n.kind == result.kind {
                continue;
            }
            let i = self.b.i32(i as i32);
            let here = self.op(Op::CmpEq, &[p.channel.re, i]);
            result = self.select(here, n, &result);
        }
        Ok(result)
    }

    /// A value for the item's channel: a number for all of them, or one component.
    pub fn channel_of(&mut self, v: &Val) -> Low<Num> {
        match v {
            Val::Num(n) | Val::Channel(n) => Ok(*n),
            Val::Small(_) | Val::Array(_) => {
                let small = self.small_of(v)?;
                if !small.is_vector() || !self.is_pixel(small.items.len()) {
                    refuse!("an array that is no pixel");
                }
                self.channel_among(&small.items)
            }
            other => refuse!("{} where a pixel is needed", other.what()),
        }
    }

    /// Each item must write its own channel only.
    pub fn one_channel(&self, selection: &Selection) -> Low<()> {
        let own = |e: &Vec<Num>| e.last().is_some_and(|n| n.channel);
        if self.pixels.is_some() && !selection.channel && !selection.elements.iter().all(own) {
            refuse!("all channels write one element");
        }
        Ok(())
    }

    /// The place of a channel in the row `row`, if the subscripts from dimension `d` on are a column and the item's channel.
    pub fn pixel_place(
        &mut self,
        a: &ArrayRef,
        rest: &[Num],
        d: usize,
        row: Option<kir::Value>,
        access: Access,
    ) -> Option<(kir::Value, Option<kir::Value>)> {
        let count = self.pixels.as_ref()?.count;
        let [column, Num { channel: true, .. }] = rest else { return None };
        let wide = column.wide?;
        if a.shape.len() != d + 2 || a.shape[d + 1].known() != Some(count as usize) {
            return None;
        }
        let n = a.shape[d];
        let length = match n {
            Length::Known(n) => self.b.i32((n as i64 * count) as i32),
            Length::Given(v) => {
                let count = self.b.i32(count as i32);
                self.op(Op::Mul, &[v, count])
            }
        };
        let mut inside = None;
        if !self.needs_no_test(column, n) {
            if matches!(access, Access::Circular | Access::Clamped | Access::Mirror) {
                return None;
            }
            // The column lies inside if the element of the row does.
            let ok = self.op(Op::CmpLtU, &[wide, length]);
            if access == Access::Safe {
                inside = Some(ok);
            } else {
                self.require(ok, "an index is out of bounds");
            }
        }
        let at = match row {
            Some(row) => {
                let start = self.op(Op::Mul, &[row, length]);
                self.op(Op::Add, &[start, wide])
            }
            None => wide,
        };
        Some((at, inside))
    }
}
