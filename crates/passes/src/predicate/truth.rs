//! What values of a loop's body are where something is known of its truth values.

use super::Defs;
use quadra_base::quick::Map;
use quadra_kir::{Const, Kernel, Op, Value};

/// A value behind the choices that are decided.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form {
    Value(Value),
    /// Condition, the value where it holds, the other one.
    Select(Value, Box<Form>, Box<Form>),
}

impl Form {
    /// All values that it names.
    pub(super) fn values(&self, out: &mut Vec<Value>) {
        match self {
            Form::Value(v) => out.push(*v),
            Form::Select(c, a, b) => {
                out.push(*c);
                a.values(out);
                b.values(out);
            }
        }
    }
}

/// Choices of choices that are followed: what lies deeper stays as it is.
const DEEPEST: u32 = 8;

/// What is known of one lane.
pub(super) struct Truth<'a> {
    kernel: &'a Kernel,
    defs: &'a Defs<'a>,
    known: Map<Value, bool>,
    /// What has been asked and did not follow.
    open: quadra_base::quick::Set<Value>,
}

impl<'a> Truth<'a> {
    /// What follows where these values are known.
    pub(super) fn new(kernel: &'a Kernel, defs: &'a Defs<'a>, known: &[(Value, bool)]) -> Truth<'a> {
        let mut truth = Truth { kernel, defs, known: Map::default(), open: Default::default() };
        // An implication may need a fact that comes later in the list.
        for &(v, is) in known.iter().chain(known) {
            truth.known.remove(&v);
            truth.assume(v, is);
        }
        truth
    }

    /// Notes that `v` is so, and what that says of its operands.
    fn assume(&mut self, v: Value, is: bool) {
        if self.known.insert(v, is).is_some() {
            return;
        }
        self.open.clear();
        let Some(inst) = self.defs.get(&v) else { return };
        let (op, args) = (inst.op, inst.args.clone());
        match (op, is, &args[..]) {
            (Op::Not, _, &[a]) => self.assume(a, !is),
            (Op::And, true, &[a, b]) => {
                self.assume(a, true);
                self.assume(b, true);
            }
            (Op::Or, false, &[a, b]) => {
                self.assume(a, false);
                self.assume(b, false);
            }
            (Op::AndNot, true, &[a, b]) => {
                self.assume(a, true);
                self.assume(b, false);
            }
            (Op::And, false, &[a, b]) => self.other_of(a, b, true, false),
            (Op::Or, true, &[a, b]) => self.other_of(a, b, false, true),
            (Op::AndNot, false, &[a, b]) => {
                if self.of(a) == Some(true) {
                    self.assume(b, true);
                } else if self.of(b) == Some(false) {
                    self.assume(a, false);
                }
            }
            _ => {}
        }
    }

    /// If one operand is `neutral`, the other one decides and is `is`.
    fn other_of(&mut self, a: Value, b: Value, neutral: bool, is: bool) {
        if self.of(a) == Some(neutral) {
            self.assume(b, is);
        } else if self.of(b) == Some(neutral) {
            self.assume(a, is);
        }
    }

    /// Whether a truth value holds, if that follows.
    pub(super) fn of(&mut self, v: Value) -> Option<bool> {
        if let Some(&is) = self.known.get(&v) {
            return Some(is);
        }
        if let Some(c) = self.kernel.as_const(v) {
            return Const::as_bool(c);
        }
        if self.open.contains(&v) {
            return None;
        }
        let inst = self.defs.get(&v)?;
        let (op, args) = (inst.op, inst.args.clone());
        let is = match (op, &args[..]) {
            (Op::Not, &[a]) => self.of(a).map(|a| !a),
            (Op::And, &[a, b]) => match (self.of(a), self.of(b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            (Op::Or, &[a, b]) => match (self.of(a), self.of(b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            (Op::AndNot, &[a, b]) => match (self.of(a), self.of(b)) {
                (Some(false), _) | (_, Some(true)) => Some(false),
                (Some(true), Some(false)) => Some(true),
                _ => None,
            },
            (Op::Select, &[c, a, b]) => match self.of(c) {
                Some(c) => self.of(if c { a } else { b }),
                None => None,
            },
            _ => None,
        };
        match is {
            Some(is) => drop(self.known.insert(v, is)),
            None => drop(self.open.insert(v)),
        }
        is
    }

    /// `v` behind its choices that are decided.
    pub(super) fn form(&mut self, v: Value) -> Form {
        self.form_within(v, DEEPEST)
    }

    fn form_within(&mut self, v: Value, depth: u32) -> Form {
        let Some(inst) = self.defs.get(&v).filter(|i| i.op == Op::Select && depth > 0) else { return Form::Value(v) };
        let args = inst.args.clone();
        let [c, a, b] = args[..] else { return Form::Value(v) };
        match self.of(c) {
            Some(c) => self.form_within(if c { a } else { b }, depth),
            None => {
                let (x, y) = (self.form_within(a, depth - 1), self.form_within(b, depth - 1));
                match () {
                    () if x == y => x,
                    // Nothing was decided: the value itself.
                    () if x == Form::Value(a) && y == Form::Value(b) => Form::Value(v),
                    () => Form::Select(c, Box::new(x), Box::new(y)),
                }
            }
        }
    }
}
