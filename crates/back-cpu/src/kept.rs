//! Compiled kernels as entries of the cache on disk: all that a launch needs, under the kernel's text and what is known of the
//! launch. So a kernel that was compiled before is neither lowered nor handed to LLVM again.
//!
//! Places in the source are kept as numbers of instructions, because the same kernel may come from another file.

use crate::common::function::{Private, Reason, Shape, Site};
use crate::common::refill::Choice;
use crate::later::General;
use crate::plan::{Inner, Object, Refilled, Setting, Variant, options};
use crate::steps::Steps;
use quadra_base::Span;
use quadra_base::cache::{Cache, compiler};
use quadra_kir::{Elem, Kernel, Op};
use quadra_llvm::Llvm;
use quadra_passes::analysis::covers::Frame;
use quadra_passes::limits::Limit;
use std::fmt::Write;

/// No number.
const NONE: u64 = u64::MAX;

/// A kernel as text, with all that entries depend on.
pub fn text(kernel: &Kernel) -> String {
    let mut text = quadra_kir::print::kernel(kernel);
    // Which instructions share a place decides which number stands for it.
    for (n, span) in places(kernel).iter().enumerate() {
        if let Some(s) = span {
            write!(text, "{n}:{}:{}:{} ", s.line, s.column, s.len).expect("a string takes all");
        }
    }
    text
}

/// What the code of a kernel with this text depends on; nothing if it is not known which compiler this is.
pub fn key(llvm: &Llvm, text: &str, setting: &Setting) -> Option<Vec<u8>> {
    let (compiler, llvm) = (compiler()?, llvm.identity(&options()));
    let threads = quadra_base::team::threads();
    Some(format!("kernel of {compiler}, {llvm}\n{setting:?} {threads} threads\n{text}").into_bytes())
}

/// Whether this back end takes a kernel with this text, as `find_out` says unless it has said so before: the passes take longer than
/// to look that up. What is kept of kernels that it does not take is nothing.
pub fn is_taken<'a>(text: impl FnOnce() -> &'a str, find_out: impl FnOnce() -> bool) -> bool {
    const YES: &[u8] = b"taken";
    let Some((cache, compiler)) = Cache::user().zip(compiler()) else { return find_out() };
    let key = format!("kernel that {compiler} takes\n{}", text()).into_bytes();
    if cache.get(&key).is_some_and(|found| found == YES) {
        return true;
    }
    let taken = find_out();
    if taken {
        cache.put(&key, YES);
    }
    taken
}

/// The places of all instructions, and of the kernel.
fn places(kernel: &Kernel) -> Vec<Option<Span>> {
    let mut places = vec![kernel.span];
    kernel.body.walk(&mut |i| places.push(i.span));
    places
}

/// A variant as bytes; `None` if a place in it is none of the kernel's.
pub fn write(kernel: &Kernel, variant: &Variant<Object>) -> Option<Vec<u8>> {
    let mut w = Writer { bytes: Vec::new(), places: places(kernel) };
    w.number(variant.cost);
    w.number(variant.covers.len() as u64);
    variant.covers.iter().for_each(|&c| w.number(c.into()));
    w.number(variant.frames.len() as u64);
    for frame in &variant.frames {
        w.number(frame.map_or(NONE, |f| f.first));
        frame.iter().for_each(|f| [f.run, f.stride, f.times].iter().for_each(|&n| w.number(n)));
    }
    w.number(variant.private.len() as u64);
    for private in &variant.private {
        w.number(private.map_or(NONE, |p| p.op as u64));
        if let Some(p) = private {
            w.number(p.length.into());
            w.number(p.copies.into());
        }
    }
    let general = match &variant.general {
        General::Made(object) => Some(object),
        General::Later(_) => None,
    };
    w.number(general.is_some().into());
    if let Some(object) = general {
        w.object(object)?;
    }
    w.number(variant.inner.is_some().into());
    if let Some(inner) = &variant.inner {
        inner.low.iter().chain(&inner.high).for_each(|&n| w.number(n.into()));
        w.number(inner.shape.rows as u64);
        w.number(inner.shape.columns as u64);
        w.number(inner.blocked.into());
        w.number(inner.limits.len() as u64);
        inner.limits.iter().for_each(|l| w.limit(l));
        w.object(&inner.native)?;
        w.number(inner.refilled.is_some().into());
        if let Some(r) = &inner.refilled {
            [r.most, r.parts, r.vectors.0, r.vectors.1].iter().for_each(|&n| w.number(n as u64));
            w.object(&r.native)?;
        }
    }
    Some(w.bytes)
}

/// What [`write`] wrote for the same kernel; `None` if it is something else.
pub fn read(kernel: &Kernel, bytes: &[u8]) -> Option<Variant<Object>> {
    let mut r = Reader { rest: bytes, places: places(kernel), kernel };
    let cost = r.number()?;
    let covers = r.many(|r| Some(r.number()? != 0))?;
    let frames = r.many(|r| match r.number()? {
        NONE => Some(None),
        first => Some(Some(Frame { first, run: r.number()?, stride: r.number()?, times: r.number()? })),
    })?;
    let private = r.many(|r| match r.number()? {
        NONE => Some(None),
        op => Some(Some(Private { op: operation(op)?, length: r.small()?, copies: r.small()? })),
    })?;
    let general = match r.number()? {
        0 => General::unlinked(),
        _ => General::Made(r.object()?),
    };
    let inner = match r.number()? {
        0 => None,
        _ => Some(r.inner()?),
    };
    let steps = Steps::default();
    r.rest.is_empty().then_some(Variant { general, inner, private, covers, frames, cost, steps })
}

fn operation(n: u64) -> Option<Op> {
    Op::ALL.get(usize::try_from(n).ok()?).copied()
}

struct Writer {
    bytes: Vec<u8>,
    places: Vec<Option<Span>>,
}

impl Writer {
    fn number(&mut self, n: u64) {
        self.bytes.extend_from_slice(&n.to_le_bytes());
    }

    fn text(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    fn limit(&mut self, limit: &Limit) {
        self.number(limit.axis as u64);
        self.number(limit.factor as u64);
        self.number(limit.numbers.len() as u64);
        for &(n, factor) in &limit.numbers {
            self.number(n as u64);
            self.number(factor as u64);
        }
        self.number(limit.at_least.into());
        self.number(limit.bound as u64);
    }

    fn object(&mut self, object: &Object) -> Option<()> {
        self.text(&object.bytes);
        self.number(object.sites.len() as u64);
        for site in &object.sites {
            let place = match site.span {
                None => NONE,
                span => self.places.iter().position(|p| *p == span)? as u64,
            };
            self.number(place);
            self.number(site.op as u64);
            self.number(site.buf.map_or(NONE, |b| b.index() as u64));
            self.number(site.text.is_some().into());
            self.text(site.text.as_deref().unwrap_or_default().as_bytes());
            self.number(site.elems.len() as u64);
            site.elems.iter().for_each(|&e| self.number(e as u64));
            self.number(site.proof.map_or(NONE, |p| p as u64));
        }
        Some(())
    }
}

struct Reader<'a> {
    rest: &'a [u8],
    places: Vec<Option<Span>>,
    kernel: &'a Kernel,
}

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.rest.split_first_chunk::<8>()?;
        self.rest = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.number()?).ok()
    }

    fn text(&mut self) -> Option<Vec<u8>> {
        let many = self.small()?;
        let (text, rest) = self.rest.split_at_checked(many)?;
        self.rest = rest;
        Some(text.to_vec())
    }

    fn many<T>(&mut self, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let many: usize = self.small()?;
        // Each takes eight bytes at least, so that a wrong number asks for no memory.
        (many <= self.rest.len() / 8).then_some(())?;
        (0..many).map(|_| one(self)).collect()
    }

    fn object(&mut self) -> Option<Object> {
        Some(Object { bytes: self.text()?, sites: self.many(Self::site)? })
    }

    fn site(&mut self) -> Option<Site> {
        let span = match self.number()? {
            NONE => None,
            n => *self.places.get(usize::try_from(n).ok()?)?,
        };
        let op = operation(self.number()?)?;
        let buf = match self.number()? {
            NONE => None,
            n => Some(self.kernel.bufs.ids().nth(usize::try_from(n).ok()?)?),
        };
        let has_text = self.number()? != 0;
        let text = String::from_utf8(self.text()?).ok()?;
        let elems = self.many(|r| Some(Elem::ALL.get(r.small::<usize>()?)?.0))?;
        let proof = match self.number()? {
            NONE => None,
            n => Some(*Reason::ALL.get(usize::try_from(n).ok()?)?),
        };
        Some(Site { span, op, buf, text: has_text.then(|| text.into()), elems, proof })
    }

    fn limit(&mut self) -> Option<Limit> {
        let (axis, factor) = (self.small()?, self.number()? as i64);
        let numbers = self.many(|r| Some((r.small()?, r.number()? as i64)))?;
        Some(Limit { axis, factor, numbers, at_least: self.number()? != 0, bound: self.number()? as i64 })
    }

    fn inner(&mut self) -> Option<Inner<Object>> {
        let (mut low, mut high) = ([0u32; 4], [0u32; 4]);
        for n in low.iter_mut().chain(&mut high) {
            *n = self.small()?;
        }
        let shape = Shape { rows: self.small()?, columns: self.small()? };
        let blocked = self.number()? != 0;
        let limits = self.many(Self::limit)?;
        let native = self.object()?;
        let refilled = match self.number()? {
            0 => None,
            _ => {
                let (most, parts, vectors) = (self.small()?, self.small()?, (self.small()?, self.small()?));
                Some(Refilled { native: self.object()?, most, parts, vectors, choice: Choice::default() })
            }
        };
        Some(Inner { native, low, high, limits, shape, blocked, refilled })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_again_and_nothing_else() {
        let text = "kernel @k(%a: buf<f32, rw>) simt group=16 over=1 { %i = item 0 %x = load %a[%i] store %a[%i], %x }";
        let kernel = quadra_kir::parse::kernel("t.kir", text).expect("the test's kernel parses");
        let mut span = None;
        kernel.body.walk(&mut |i| span = span.or(i.span));
        let sites = |op| {
            vec![
                Site {
                    span,
                    op,
                    buf: kernel.bufs.ids().next(),
                    text: Some("why".into()),
                    elems: vec![Elem::F32, Elem::Bool],
                    proof: Some(Reason::Mask),
                },
                Site { span: None, op, buf: None, text: None, elems: Vec::new(), proof: None },
            ]
        };
        let object = |n: u8| Object { bytes: vec![n; usize::from(n)], sites: sites(Op::Store) };
        let private = vec![None, Some(Private { op: Op::AtomicAdd, length: 7, copies: 8 })];
        let shape = Shape { rows: 4, columns: 2 };
        let refilled = Refilled { native: object(3), most: 64, parts: 4, vectors: (9, 12), choice: Choice::default() };
        let (low, high) = ([1, 2, 3, 4], [5, 6, 7, 8]);
        let limit = Limit { axis: 0, factor: -16, numbers: vec![(2, -1), (3, 5)], at_least: true, bound: -7 };
        let limits = vec![limit.clone(), Limit { at_least: false, ..limit }];
        let inner = Inner { native: object(9), low, high, limits, shape, blocked: true, refilled: Some(refilled) };
        let frames = vec![None, Some(Frame { first: 3, run: 5, stride: 9, times: 2 })];
        let (general, inner, steps) = (General::Made(object(5)), Some(inner), Steps::default());
        let variant = Variant { general, inner, private, covers: vec![true, false], frames, cost: 42, steps };
        let bytes = write(&kernel, &variant).expect("all places are the kernel's");
        let again = read(&kernel, &bytes).expect("it is whole");
        assert_eq!(format!("{again:?}"), format!("{variant:?}"));
        for many in 0..bytes.len() {
            assert!(read(&kernel, &bytes[..many]).is_none(), "{many} bytes of it");
        }
        let mut wrong = bytes.clone();
        wrong[8..16].fill(0xff);
        assert!(read(&kernel, &wrong).is_none());
        let without = Variant { general: General::unlinked(), ..variant };
        let bytes = write(&kernel, &without).expect("all places are the kernel's");
        assert_eq!(format!("{:?}", read(&kernel, &bytes).expect("it is whole")), format!("{without:?}"));
    }
}
