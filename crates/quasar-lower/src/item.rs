//! Positions: the launch as the kernel sees it, and the special parameters.

use super::state::Lower;
use super::value::{Item, Length, Num, Small, Val};
use super::{Low, refuse};
use quadra_base::quick::Map;
use quadra_kir::{self as kir, Op};
use quadra_quasar_hir::types::Type;
use quadra_quasar_vm::arith::Kind;
use quadra_quasar_vm::machine::launch::special_components;

/// Items that execute in lockstep on a warp.
const WARP: i64 = 32;

/// The positions of a launch.
#[derive(Clone, Debug, Default)]
pub(super) struct Shape {
    /// Lengths of the launch, in all its components.
    pub dims: Vec<i64>,
    /// The size of a block, if the kernel depends on it.
    pub block: Option<Vec<i64>>,
    /// Whether it turned out to.
    pub wants_block: bool,
    /// Whether the groups of the kernel are the blocks, because they share memory or synchronise.
    pub grouped: bool,
    /// The actual lengths behind parameters of the kernel, and the integers that are not negative.
    pub lengths: Map<kir::Value, usize>,
    /// What was found to be at most a length, with a number more.
    pub inside: Vec<(Amount, Bound, i64)>,
}

/// What a length is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Amount<V = kir::Value> {
    Nothing,
    /// The launch along an axis of the extent.
    Axis(u8),
    /// A parameter of the kernel.
    Given(V),
}

/// A length that something does not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Bound<V = kir::Value> {
    Known(usize),
    Given(V),
}

impl<V: Copy> Amount<V> {
    /// What it is in a launch; `given` says what parameters are.
    pub fn value(self, shape: &Shape, given: impl Fn(V) -> Option<i64>) -> Option<i64> {
        match self {
            Amount::Nothing => Some(0),
            Amount::Axis(axis) => shape.axes().get(axis as usize).map(|d| shape.dims[*d]),
            Amount::Given(v) => given(v),
        }
    }
}

impl<V: Copy> Bound<V> {
    /// What it is in a launch; `given` says what parameters are.
    pub fn value(self, given: impl Fn(V) -> Option<i64>) -> Option<i64> {
        match self {
            Bound::Known(n) => Some(n as i64),
            Bound::Given(v) => given(v),
        }
    }
}

impl Shape {
    pub fn new(dims: &[i64], block: Option<Vec<i64>>) -> Shape {
        Shape { dims: dims.to_vec(), block, ..Shape::default() }
    }

    /// The components that are axes of the extent: those with more than one position.
    pub fn axes(&self) -> Vec<usize> {
        let long = |d: &usize| self.dims[*d] != 1 || self.grouped && self.block.as_ref().is_some_and(|b| b[*d] != 1);
        let axes: Vec<usize> = (0..self.dims.len()).filter(long).collect();
        if axes.is_empty() { vec![self.dims.len() - 1] } else { axes }
    }

    /// Whether an amount and `more` are at most a length. If they are in this launch, launches for which that is not so need
    /// another kernel.
    pub fn fits(&mut self, amount: Amount, more: i64, n: Length) -> bool {
        let bound = match n {
            Length::Known(n) => Bound::Known(n),
            Length::Given(v) => Bound::Given(v),
        };
        let given = |v| self.lengths.get(&v).map(|n| *n as i64);
        let (Some(least), Some(n)) = (amount.value(self, given), bound.value(given)) else { return false };
        if least + more > n {
            return false;
        }
        let fact = (amount, bound, more);
        let certain = matches!((amount, bound), (Amount::Nothing, Bound::Known(_)))
            || matches!((amount, bound), (Amount::Given(v), Bound::Given(w)) if v == w);
        if !certain && !self.inside.contains(&fact) {
            self.inside.push(fact);
        }
        true
    }

    /// The block along the axes.
    pub fn group(&self) -> Option<Vec<u32>> {
        let block = self.block.as_ref().filter(|_| self.grouped)?;
        Some(self.axes().iter().map(|d| block[*d] as u32).collect())
    }
}

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

    /// The item's index along an axis of the extent.
    pub fn item(&mut self, axis: usize) -> Num {
        let re = self.b.axis(Op::Item, axis as u32);
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
        let re = if self.launch.grouped { self.b.axis(op, axis as u32) } else { self.in_block(op, axis as u32, size) };
        Ok(Num { range: Some(kir::Bounds::new(0, last)), ..Num::new(Kind::Int, re) })
    }

    /// Positions within blocks that are not the groups of the kernel.
    fn in_block(&mut self, op: Op, axis: u32, size: i64) -> kir::Value {
        let n = self.b.i32(size as i32);
        if op == Op::NumGroups {
            let (extent, more) = (self.b.axis(Op::Extent, axis), self.b.i32(size as i32 - 1));
            let up = self.op(Op::Add, &[extent, more]);
            return self.op(Op::Div, &[up, n]);
        }
        let item = self.b.axis(Op::Item, axis);
        self.op(if op == Op::Local { Op::Mod } else { Op::Div }, &[item, n])
    }

    /// The items of a block share memory or wait for each other, so groups must be blocks.
    pub fn grouped(&mut self) -> Low<()> {
        self.block_size()?;
        if !self.launch.grouped {
            refuse!("a function that it calls synchronises or shares memory");
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
