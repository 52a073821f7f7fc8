//! Finished kernels: how their parameters are bound, and what must hold for them.

use super::state::{Lower, Source};
use super::strip::Geometry;
use super::suppose::{Assumption, assumptions};
use super::value::Path;
use super::{Low, Refusal};
use quadra_base::Span;
use quadra_kir as kir;
use quadra_quasar_syntax::ast::Text;
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::value::{Callable, Value};
use std::rc::Rc;

/// The name of kernels that are loops.
pub(super) const LOOP: &str = "for-loop";
/// A kernel that a device can run, and how its parameters are bound.
pub(super) struct Lowered {
    pub kernel: kir::Kernel,
    pub sources: Vec<Source>,
    pub warnings: Vec<(Span, Text)>,
    /// Where it asks for NaN or infinity, and what that means where there is neither.
    pub asks: Vec<(Span, String)>,
    /// Per buffer of the kernel, whether it reads what it also writes.
    pub rereads: Vec<bool>,
    /// Whether it may stop at an assertion.
    pub asserts: bool,
    /// What must not exceed lengths, with a number more; parameters by their numbers.
    pub(super) inside: Vec<Assumption>,
    globals: Vec<(Text, Rc<Callable>)>,
    /// Texts and numbers of the launch that it was made for.
    pub(super) made_for: Vec<(Path, Value)>,
    /// How items follow from the iterations of a loop.
    pub geometry: Geometry,
    /// Integers of arrays are supposed to lie within bounds; the kernel stops if they do not.
    pub supposes: bool,
    /// The block, if one worker runs all its items.
    pub together: Option<Vec<i64>>,
}

impl Lowered {
    /// Finishes a kernel: says what each buffer is used for, and checks it.
    pub(super) fn finish(lower: Lower<'_>) -> Low<Lowered> {
        let Lower { b, sources, warnings, asks, launch, globals, together, own, made_for, .. } = lower;
        let mut kernel = b.finish();
        let mut written = vec![false; kernel.bufs.len()];
        let mut read = written.clone();
        let mut asserts = false;
        kernel.body.walk(&mut |inst| {
            asserts |= inst.op == kir::Op::Assert;
            let Some(buf) = inst.buf.map(kir::Buf::index) else { return };
            let effect = inst.op.info().effect;
            written[buf] |= matches!(effect, kir::Effect::Write | kir::Effect::ReadWrite);
            read[buf] |= effect != kir::Effect::Write;
        });
        let rereads = read.iter().zip(&written).map(|(r, w)| *r && *w).collect();
        let bufs: Vec<kir::Buf> = kernel.bufs.ids().collect();
        for buf in bufs {
            if !written[buf.index()] {
                kernel.bufs[buf].access = kir::Access::Read;
            }
        }
        own.mark(&mut kernel);
        if let Some(d) = kir::check::kernel(&kernel).into_iter().next() {
            return Err(Box::new(Refusal { span: d.span, ..Refusal::new(d.message) }));
        }
        let inside = assumptions(&kernel, &launch);
        let together = together.and(launch.block);
        Ok(Lowered {
            kernel,
            sources,
            warnings,
            asks,
            rereads,
            asserts,
            inside,
            globals,
            made_for,
            geometry: Default::default(),
            supposes: false,
            together,
        })
    }

    /// Whether the functions that the kernel calls are still what they were.
    pub(super) fn has_functions(&self, cx: &Cx) -> bool {
        let same = |(name, f): &(Text, Rc<Callable>)| {
            let now = cx.shared.functions.get(name).and_then(|id| cx.function(*id));
            matches!(now, Some(Value::Function(g)) if Rc::ptr_eq(&g, f))
        };
        self.globals.iter().all(same)
    }
}
