//! Kernels in the QPU's style: a worker is a group of 16 invocations, one for each lane.
//!
//! They come at SIMD level, where control flow is the worker's and masks say which lanes do something: what is the same for all lanes,
//! each invocation computes for itself. Lanes see each other through memory that the group shares, with barriers around, which
//! all of them reach. Workers that wait for each other are refused: no GPU promises that all of them run.

use super::{Cx, Expr, Result, is_worker, refused};
use naga::{AddressSpace, Barrier, BinaryOperator as B, Expression, Literal, ScalarKind, Statement};
use quadra_base::Diagnostic;
use quadra_base::quick::Set;
use quadra_kir::ext::Ext;
use quadra_kir::{Buf, Caps, Elem, Inst, Kernel, LANES, Mode, Op};
use quadra_passes::pipeline;

/// Whether such kernels run: not before the comparison of random ones with the interpreter (`gpu_workers`) has passed.
const ENABLED: bool = false;

/// Makes a kernel for workers ready.
///
/// # Errors
/// What is wrong with it; `E0870` for what shaders do not do, with its place.
pub fn prepare(kernel: &Kernel, caps: &Caps) -> std::result::Result<Kernel, Vec<Diagnostic>> {
    let mut wrong = vec![refused("it is written for workers of 16 lanes, not for items").at(kernel.span)];
    if ENABLED {
        wrong.clear();
    }
    kernel.body.walk(&mut |i| {
        let what = match i.op {
            Op::SemaInc | Op::SemaDec | Op::MutexLock | Op::MutexUnlock => "its workers wait for each other",
            Op::HostIrq => "it signals the host",
            Op::Print => "it prints",
            _ => return,
        };
        wrong.push(refused(what).at(i.span.or(kernel.span)));
    });
    if !wrong.is_empty() {
        wrong.truncate(1);
        return Err(wrong);
    }
    let caps = Caps { extensions: &[Ext::Sync], ..caps.clone() };
    let mut kernel = pipeline::compile(kernel, &caps)?;
    // Every access is tested: nobody has looked at what is claimed of vectors.
    let mut odd = None;
    kernel.body.walk_mut(&mut |i| match i.mode {
        Mode::Inside | Mode::Checked => i.mode = Mode::Unchecked,
        Mode::Unchecked | Mode::Guarded => {}
        mode => odd = odd.or(Some((mode, i.span))),
    });
    match odd {
        Some((mode, span)) => {
            let what = format!("vectors are not accessed in the mode `{}`", mode.name());
            Err(vec![refused(what).at(span.or(kernel.span))])
        }
        None => Ok(kernel),
    }
}

/// Whether an operation lets lanes see each other.
fn crosses(op: Op) -> bool {
    matches!(op, Op::Rotate | Op::Broadcast | Op::VoteAny | Op::VoteAll)
}

/// What a worker's lanes have done to buffers since they last met.
#[derive(Default)]
pub struct Order {
    read: Set<Buf>,
    written: Set<Buf>,
    /// Whether they may have done anything: where branches begin or meet.
    unknown: bool,
}

impl Order {
    /// Anything may have been done.
    pub fn forget(&mut self) {
        self.unknown = true;
    }
}

impl Cx<'_> {
    /// Lets a worker's lanes meet before an access that others of them, or this one's earlier ones, must not pass: a worker does one
    /// thing after the other, with all its lanes.
    pub(super) fn in_order(&mut self, inst: &Inst) {
        let Some(buf) = inst.buf.filter(|buf| is_worker(self.kernel) && self.stored_to.contains(buf)) else { return };
        let write = !matches!(inst.op, Op::Load | Op::LoadRow);
        let order = &self.order;
        if order.unknown || order.written.contains(&buf) || write && order.read.contains(&buf) {
            self.push(Statement::ControlBarrier(Barrier::STORAGE | Barrier::WORK_GROUP));
            self.order = Order::default();
        }
        if write {
            self.order.written.insert(buf)
        } else {
            self.order.read.insert(buf)
        };
    }

    /// The buffers that a kernel writes.
    pub(super) fn find_stores(&mut self) {
        let mut found = Set::default();
        self.kernel.body.walk(&mut |i| {
            let writes = matches!(i.op, Op::Store | Op::StoreRow | Op::StoreRows) || i.op.is_atomic();
            found.extend(i.buf.filter(|_| writes));
        });
        self.stored_to = found;
    }

    /// Declares what lanes see each other through.
    pub(super) fn declare_lanes(&mut self) {
        self.find_stores();
        if self.kernel.body.any(&mut |i| crosses(i.op)) {
            let ty = self.elements(Elem::Bool, false, Some(LANES));
            self.cross = Some(super::prelude::variable(&mut self.module, ty, AddressSpace::WorkGroup));
        }
    }

    /// Whether the lane does something.
    pub(super) fn masked(&mut self, inst: &Inst) -> Option<Expr> {
        inst.mask.map(|mask| self.value(mask))
    }

    /// Rotations, broadcasts and votes.
    pub(super) fn across(&mut self, inst: &Inst) -> Result<Expr> {
        let elem = self.elem(inst.args[0]);
        if matches!(elem, Elem::I64 | Elem::F64) {
            return self.refuse(inst, format!("lanes do not see each other's elements {elem}"));
        }
        let value = self.value(inst.args[0]);
        if matches!(inst.op, Op::VoteAny | Op::VoteAll) {
            return Ok(self.vote(inst, value));
        }
        let word = match elem {
            Elem::Bool => self.convert(value, ScalarKind::Uint, 4),
            _ => self.bits(value, ScalarKind::Uint),
        };
        self.spread(word);
        let (by, last) = (self.value(inst.args[1]), self.i32(LANES as i32 - 1));
        let from = match (inst.op, self.lane) {
            (Op::Rotate, Some(lane)) => self.binary(B::Subtract, lane, by),
            _ => by,
        };
        let from = self.binary(B::And, from, last);
        let from = self.bits(from, ScalarKind::Uint);
        let word = self.of_lane(from);
        Ok(match elem {
            Elem::Bool => {
                let zero = self.u32(0);
                self.binary(B::NotEqual, word, zero)
            }
            Elem::F16 | Elem::F32 => self.bits(word, ScalarKind::Float),
            _ => self.bits(word, ScalarKind::Sint),
        })
    }

    /// Whether any lane that is asked says yes, or all of them do.
    fn vote(&mut self, inst: &Inst, yes: Expr) -> Expr {
        let any = inst.op == Op::VoteAny;
        let asked = self.masked(inst);
        // For `all`, whether any lane says no.
        let said = if any { yes } else { self.not(yes) };
        let said = asked.map_or(said, |asked| self.binary(B::LogicalAnd, asked, said));
        let word = self.convert(said, ScalarKind::Uint, 4);
        self.spread(word);
        let mut sum = None;
        for lane in 0..LANES {
            let lane = self.u32(lane);
            let word = self.of_lane(lane);
            sum = Some(sum.map_or(word, |sum| self.binary(B::InclusiveOr, sum, word)));
        }
        let (sum, zero) = (sum.expect("a worker has lanes"), self.u32(0));
        self.binary(if any { B::NotEqual } else { B::Equal }, sum, zero)
    }

    /// Shows a word of each lane to all of them. Those that still look at the last one are waited for.
    fn spread(&mut self, value: Expr) {
        let lane = self.lane.expect("workers have lanes");
        let lane = self.bits(lane, ScalarKind::Uint);
        self.push(Statement::ControlBarrier(Barrier::WORK_GROUP));
        let pointer = self.lane_pointer(lane);
        self.push(Statement::Store { pointer, value });
        self.push(Statement::ControlBarrier(Barrier::WORK_GROUP));
    }

    fn lane_pointer(&mut self, index: Expr) -> Expr {
        let cross = self.cross.expect("declared where lanes see each other");
        let base = self.pre(Expression::GlobalVariable(cross));
        self.emit(Expression::Access { base, index })
    }

    /// The word of a lane.
    fn of_lane(&mut self, lane: Expr) -> Expr {
        let pointer = self.lane_pointer(lane);
        self.emit(Expression::Load { pointer })
    }

    /// Where the worker is, for the entry point's arguments.
    pub(super) fn worker_prelude(&mut self, number: Expr, inside: Expr) {
        let worker = self.bits(number, ScalarKind::Sint);
        self.item.push(worker);
        self.lane = Some(self.bits(inside, ScalarKind::Sint));
    }

    /// What a worker asks of itself; nothing for other operations.
    pub(super) fn of_worker(&mut self, inst: &Inst) -> Option<Result<Expr>> {
        Some(match inst.op {
            Op::Worker => Ok(self.item[0]),
            Op::NumWorkers => Ok(self.extent(0)),
            Op::LaneActive => Ok(self.pre(Expression::Literal(Literal::Bool(true)))),
            Op::Item | Op::Local | Op::Group | Op::GroupSize | Op::NumGroups | Op::Extent => {
                self.refuse(inst, "it asks for items without an extent")
            }
            op if crosses(op) => self.across(inst),
            _ => return None,
        })
    }
}
