//! Integers as sums: which value is how many times which others plus a constant, modulo 2³².
//!
//! Two indices whose sums differ by a constant, or by something whose bounds are known, are told apart without knowing
//! either. The sums are taken at one moment: values of a loop's body stand for the present iteration.

use crate::analysis::range::{Bounds, Range};
use quadra_base::quick::Map;
use quadra_kir::{Elem, Kernel, Op, Value};
use smallvec::{SmallVec, smallvec};

/// A sum of multiples of values plus a constant.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// Values and their factors, by value; no factor is 0.
    pub terms: SmallVec<[(Value, i32); 3]>,
    pub constant: i32,
}

/// Longer sums are not followed, so that the analysis stays linear in the kernel's size.
const MOST_TERMS: usize = 6;

impl Clone for Form {
    fn clone(&self) -> Form {
        // Terms are plain data: copied at once, not one by one.
        Form { terms: SmallVec::from_slice(&self.terms), constant: self.constant }
    }
}

impl Form {
    /// A value that is not taken apart.
    pub fn value(v: Value) -> Form {
        Form { terms: smallvec![(v, 1)], constant: 0 }
    }

    /// A constant.
    pub fn constant(c: i32) -> Form {
        Form { terms: SmallVec::new(), constant: c }
    }

    /// `self + factor * other`.
    pub fn plus(&self, other: &Form, factor: i32) -> Form {
        let mut terms: SmallVec<[(Value, i32); 3]> = SmallVec::from_slice(&self.terms);
        for &(v, f) in &other.terms {
            let f = f.wrapping_mul(factor);
            match terms.binary_search_by_key(&v, |t| t.0) {
                Ok(i) => terms[i].1 = terms[i].1.wrapping_add(f),
                Err(i) => terms.insert(i, (v, f)),
            }
        }
        terms.retain(|t| t.1 != 0);
        Form { terms, constant: self.constant.wrapping_add(other.constant.wrapping_mul(factor)) }
    }

    /// `self - other`.
    pub fn minus(&self, other: &Form) -> Form {
        self.plus(other, -1)
    }

    /// How often `v` counts.
    pub fn factor(&self, v: Value) -> i32 {
        self.terms.iter().find(|t| t.0 == v).map_or(0, |t| t.1)
    }

    /// The number it is, if it is one.
    pub fn as_constant(&self) -> Option<i32> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// Between which bounds it lies.
    pub fn bounds(&self, kernel: &Kernel, range: &Range) -> Bounds {
        let term = |&(v, f): &(Value, i32)| range.bounds(kernel, v).times(Bounds::exactly(f as i64));
        let sum = self.terms.iter().map(term).fold(Bounds::exactly(self.constant as i64), Bounds::plus);
        // Outside of what an `i32` holds the sum has wrapped.
        sum.fitting(32).unwrap_or(Bounds::ANY)
    }
}

/// The sums of all `i32` values of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Forms {
    forms: Map<Value, Form>,
}

impl Forms {
    /// Finds the sums of all values that additions, subtractions and multiplications by constants make.
    pub fn of(kernel: &Kernel) -> Forms {
        let mut forms = Forms::default();
        kernel.body.walk(&mut |inst| {
            if let [r] = inst.results[..]
                && kernel.ty(r).elem == Elem::I32
                && let Some(form) = forms.sum(kernel, inst.op, &inst.args)
                && form.terms.len() <= MOST_TERMS
            {
                forms.forms.insert(r, form);
            }
        });
        forms
    }

    /// The sum that a value is; itself where nothing is known.
    pub fn at(&self, kernel: &Kernel, v: Value) -> Form {
        match kernel.as_i32(v) {
            Some(c) => Form::constant(c),
            None => self.forms.get(&v).cloned().unwrap_or_else(|| Form::value(v)),
        }
    }

    fn sum(&self, kernel: &Kernel, op: Op, args: &[Value]) -> Option<Form> {
        let at = |i: usize| self.at(kernel, args[i]);
        let times = |f: Form, by: i32| Form::default().plus(&f, by);
        Some(match op {
            Op::Add => at(0).plus(&at(1), 1),
            Op::Sub => at(0).minus(&at(1)),
            Op::Neg => times(at(0), -1),
            Op::Shl => times(at(0), 1i32.wrapping_shl(kernel.as_i32(args[1])? as u32)),
            Op::Mul => match (kernel.as_i32(args[0]), kernel.as_i32(args[1])) {
                (_, Some(c)) => times(at(0), c),
                (Some(c), _) => times(at(1), c),
                _ => return None,
            },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::parse;

    #[test]
    fn sums_are_taken_apart_and_compared() {
        let k = parse::kernel(
            "t.kir",
            "kernel @k(%p: buf<i32, rw>, %x: i32, %y: i32) simd group=16 over=0 {
               %a = shl %x, 4 %b = add %a, %y %c = add %b, 48 %d = sub %c, %a %e = mul %y, %x
               %n = num_workers %s = shl %n, 4 %f = add %c, %s
               store %p[%d], %e store %p[%f], 1
             }",
        )
        .expect("the test's kernel parses");
        let named = |name: &str| k.values.iter().find(|(_, i)| &*i.name == name).expect("the value exists").0;
        let forms = Forms::of(&k);
        let at = |name: &str| forms.at(&k, named(name));
        assert_eq!(at("c").minus(&at("b")).as_constant(), Some(48));
        assert_eq!(at("d").minus(&at("y")).as_constant(), Some(48));
        assert_eq!(at("e"), Form::value(named("e")));
        assert_eq!(at("b").factor(named("x")), 16);
        let range = Range::with_workers(&k, 12);
        assert_eq!(at("f").minus(&at("c")).bounds(&k, &range), Bounds { low: 16, high: 192 });
        assert_eq!(at("c").bounds(&k, &range), Bounds::ANY);
    }
}
