//! Positions: the launch as the kernel sees it, and the special parameters.

use super::state::{Lower, Source};
use super::value::{Item, Num, Small, Val};
use super::{Low, refuse};
use quadra_kir::{self as kir, Op};
use quadra_quasar_hir::types::Type;
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::machine::launch::special_components;

/// Items that execute in lockstep on a warp.
const WARP: i64 = 32;

/// Axes of a launch that every device has.
pub(super) const MOST_AXES: usize = 3;

impl Lower<'_> {
    /// The block that the kernel depends on. The first attempt at a kernel is made without one.
    pub fn block_size(&mut self) -> Low<Vec<i64>> {
        match &self.launch.block {
            Some(block) => Ok(block.clone()),
            None => {
                self.launch.wants_block = true;
                refuse!("it depends on its block")
            }
        }
    }

    /// Gives the kernel an axis for each of so many components of the launch. Devices know [`MOST_AXES`] of them, so the first axis
    /// stands for all leading components beyond. Where groups are blocks, each component keeps its axis.
    pub fn set_axes(&mut self, components: &[usize]) {
        let axes = components.len();
        if axes <= MOST_AXES || self.launch.grouped {
            self.b.set_over(axes as u8);
            return;
        }
        self.b.set_over(MOST_AXES as u8);
        for d in &components[..=axes - MOST_AXES] {
            let length = self.b.scalar(&format!("dim{d}"), kir::Type::I32);
            self.launch.folded.push(length);
            self.sources.push(Source::Dim(*d));
        }
    }

    /// The item's index along a component of the launch that is an axis.
    fn item_index(&mut self, axis: usize) -> kir::Value {
        let folded = self.launch.folded.clone();
        if axis < folded.len() {
            let first = self.b.axis(Op::Item, 0);
            return self.digits(first, &folded)[axis];
        }
        self.b.axis(Op::Item, self.kernel_axis(axis))
    }

    /// The axis of the kernel that a component stands for which is not folded.
    fn kernel_axis(&self, axis: usize) -> u32 {
        (axis - self.launch.folded.len().saturating_sub(1)) as u32
    }

    /// The item's index along an axis of the extent.
    pub fn item(&mut self, axis: usize) -> Num {
        let re = self.item_index(axis);
        Num { range: Some(kir::Bounds::NATURAL), item: Some(Item::new(axis)), ..Num::new(Kind::Int, re) }
    }

    /// One component of a special parameter.
    fn component(&mut self, special: &str, d: usize) -> Low<Num> {
        if self.together.is_some() {
            return self.together_component(special, d);
        }
        let axes = self.launch.axes();
        let axis = axes.iter().position(|a| *a == d);
        if special == "pos" {
            return Ok(match axis {
                Some(axis) => self.item(axis),
                None => self.int(0),
            });
        }
        let size = self.block_size()?[d];
        if special == "blkdim" {
            return Ok(self.int(size));
        }
        let Some(axis) = axis else { return Ok(self.int(i64::from(special == "blkcnt"))) };
        let op = match special {
            "blkpos" => Op::Local,
            "blkidx" => Op::Group,
            _ => Op::NumGroups,
        };
        let last = if special == "blkpos" { size - 1 } else { i64::from(i32::MAX) };
        let re = if self.launch.grouped { self.b.axis(op, axis as u32) } else { self.in_block(op, axis, size) };
        Ok(Num { range: Some(kir::Bounds::new(0, last)), ..Num::new(Kind::Int, re) })
    }

    /// Positions within blocks that are not the groups of the kernel.
    fn in_block(&mut self, op: Op, axis: usize, size: i64) -> kir::Value {
        let n = self.b.i32(size as i32);
        if op == Op::NumGroups {
            let extent = match self.launch.folded.get(axis) {
                Some(length) => *length,
                None => self.b.axis(Op::Extent, self.kernel_axis(axis)),
            };
            let more = self.b.i32(size as i32 - 1);
            let up = self.op(Op::Add, &[extent, more]);
            return self.op(Op::Div, &[up, n]);
        }
        let item = self.item_index(axis);
        self.op(if op == Op::Local { Op::Mod } else { Op::Div }, &[item, n])
    }

    /// The items of a block share memory or wait for each other, so groups must be blocks.
    pub fn grouped(&mut self) -> Low<()> {
        self.block_size()?;
        if !self.launch.grouped {
            refuse!(Call: "a function that it calls synchronises or shares memory");
        }
        Ok(())
    }

    /// A special parameter as its type wants it: leading dimensions of one position are dropped, then trailing ones, and
    /// missing components are 0.
    pub fn special(&mut self, name: &str, ty: Option<&Type>) -> Low<Val> {
        let mut dims = self.launch.dims.clone();
        let mut list = Vec::new();
        if name == "warpsize" {
            dims.clear();
            list.push(self.int(WARP));
        } else {
            for d in 0..dims.len() {
                list.push(self.component(name, d)?);
            }
        }
        let wanted = special_components(ty, &dims, list.len());
        while list.len() > wanted && dims.first() == Some(&1) {
            list.remove(0);
            dims.remove(0);
        }
        while list.len() < wanted {
            list.push(self.int(0));
        }
        list.truncate(wanted);
        let kind = self.scalar_kind();
        Ok(match (&list[..], ty) {
            ([one], Some(Type::Scalar(_))) => Val::Num(self.convert(one, kind)),
            ([one], None | Some(Type::Int(..))) => Val::Num(*one),
            (_, Some(Type::Array { element, .. })) if matches!(**element, Type::Scalar(_)) => {
                let items = list.iter().map(|n| self.convert(n, kind)).collect();
                Val::Small(Small::vector(items))
            }
            _ => Val::Small(Small::vector(list)),
        })
    }
}
