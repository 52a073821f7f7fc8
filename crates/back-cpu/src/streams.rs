//! What goes once through memory that the caches do not hold: how it is read, and whether it is written past them.

use crate::plan::Setting;
use quadra_kir::{Access, Buf, Kernel, Op, Param, Value};
use std::collections::HashMap;

/// Most rows of a kernel that walks through memory.
const MOST_WALKS: usize = 16;

/// Buffers that are written in whole rows and never read, where the setting says that they are large.
pub fn streams(kernel: &Kernel, setting: &Setting) -> Vec<bool> {
    let mut streams = vec![false; kernel.bufs.len()];
    for (n, &param) in kernel.params.iter().enumerate() {
        let Param::Buffer(b) = param else { continue };
        let large = setting.streams.get(n).copied().unwrap_or(false) && kernel.bufs[b].access != Access::Read;
        streams[b.index()] = large && only_rows(kernel, b);
    }
    streams
}

/// Whether a kernel does little but walk through memory that the caches do not hold. Vectors of 256 bits read that faster, by a
/// third on one thread of a processor that has both: two loads from a line tell it better where the next ones will be.
pub fn halves(kernel: &Kernel, setting: &Setting) -> bool {
    let large = |b: Buf| {
        let mut params = kernel.params.iter().zip(&setting.streams);
        params.any(|(param, large)| *large && matches!(param, Param::Buffer(p) if *p == b))
    };
    let (mut rows, mut others, mut counts) = (0, 0, false);
    kernel.body.walk(&mut |i| match i.op {
        Op::LoadRow | Op::StoreRow if i.mask.is_none() && i.buf.is_some_and(large) => rows += 1,
        Op::Lane | Op::For | Op::Loop => {}
        _ => {
            // Elements of a histogram are noted 16 at a time.
            counts |= i.op.is_atomic() && kernel.ty(i.args[0]).lanes;
            others += usize::from(i.op.is_atomic() || i.results.iter().any(|&r| kernel.ty(r).lanes));
        }
    });
    // Many rows are the same memory again: a window.
    (1..=MOST_WALKS).contains(&rows) && others <= rows && !counts
}

/// Whether a buffer is only ever written, whole lines of 64 bytes at a time.
fn only_rows(kernel: &Kernel, buf: Buf) -> bool {
    let forms = quadra_passes::analysis::linear::Forms::of(kernel);
    let zeros = zeros(kernel);
    let line = (64 / kernel.bufs[buf].elem.bytes()).trailing_zeros();
    let mut rows = kernel.bufs[buf].elem.bytes() == 4;
    kernel.body.walk(&mut |i| {
        if i.buf == Some(buf) && i.op != Op::Dim {
            let form = forms.at(kernel, i.args[0]);
            let of_value = |v: Value| zeros.get(&v).copied().unwrap_or(0);
            let mut terms = form.terms.iter();
            let aligned = form.constant.trailing_zeros() >= line
                && terms.all(|&(v, factor)| factor.trailing_zeros() + of_value(v) >= line);
            rows &= i.op == Op::StoreRow && i.mask.is_none() && aligned;
        }
    });
    rows
}

/// How many of its lowest bits are known to be 0 for each scalar; sums that wrap keep them.
fn zeros(kernel: &Kernel) -> HashMap<Value, u32> {
    let mut zeros = HashMap::new();
    let of = |zeros: &HashMap<Value, u32>, v: Value| match kernel.as_i32(v) {
        Some(c) => c.trailing_zeros(),
        None => zeros.get(&v).copied().unwrap_or(0),
    };
    kernel.body.walk(&mut |i| {
        let arg = |n: usize| of(&zeros, i.args[n]);
        let (value, many) = match i.op {
            Op::Add | Op::Sub | Op::Min | Op::Max => (i.results[0], arg(0).min(arg(1))),
            Op::Mul => (i.results[0], (arg(0) + arg(1)).min(32)),
            Op::Shl => match kernel.as_i32(i.args[1]) {
                Some(by @ 0..32) => (i.results[0], (arg(0) + by as u32).min(32)),
                _ => return,
            },
            // A counter is where it begins, plus so many steps.
            Op::For => (i.regions[0].params[0], arg(0).min(arg(2))),
            _ => return,
        };
        zeros.insert(value, many);
    });
    zeros
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_passes::specialise::Known;

    /// Whether a kernel over long arrays is one that does little besides reading them.
    fn only_reads(body: &str, large: bool) -> bool {
        let head = "kernel @k(%v: buf<f32, r>, %h: buf<i32, rw>, %s: buf<f32, rw>) simd group=16 over=1";
        let kernel = quadra_kir::parse::kernel("t.kir", &format!("{head} {{ %g = group 0 %i = shl %g, 4 {body} }}"));
        let known = Known { extent: vec![None], workers: None, scalars: vec![None; 3], dims: vec![None; 3] };
        halves(
            &kernel.expect("the test's kernel parses"),
            &Setting { known, streams: vec![large; 3], alias: false, checked: false, guarded: false },
        )
    }

    #[test]
    fn what_walks_through_long_arrays_is_told_from_what_computes() {
        let sum = "%x = load.row %v[%i] %a = atomic.add %s[0], %x";
        assert!(only_reads(sum, true) && !only_reads(sum, false));
        assert!(only_reads("%x = load.row %v[%i] %y = mul %x, 2.0 store.row %s[%i], %y", true));
        assert!(!only_reads(
            "%x = load.row %v[%i] %y = exp %x %z = mul %y, 2.0 %w = add %z, %x store.row %s[%i], %w",
            true
        ));
        assert!(!only_reads("%x = load.row %v[%i] %n = to.i32 %x %a = atomic.add %h[%n], 1", true), "a histogram");
    }

    #[test]
    fn workers_write_whole_lines_if_their_shares_are_made_of_lines() {
        let written = |each: &str, step: u32| {
            let text = format!(
                "kernel @k(%v: buf<f32, w>, %n: i32) simd group=16 over=0 {{
                   %m = mul %n, {each} %w = worker %a = mul %w, %m %b = add %a, %m
                   for %i in %a..%b step {step} {{ %j = add %i, 16 store.row %v[%i], 1.0 store.row %v[%j], 1.0 yield }}
                 }}"
            );
            let kernel = quadra_kir::parse::kernel("t.kir", &text).expect("the test's kernel parses");
            kernel.bufs.ids().next().is_some_and(|b| only_rows(&kernel, b))
        };
        assert!(written("48", 48));
        assert!(!written("40", 48), "lines are 16 floats");
        assert!(!written("48", 40));
    }
}
