//! Words behind the arguments of a reduction, as MATLAB has them: `"all"`, over the whole array, and `"omitnan"`, without the elements that
//! are no numbers.

use super::Call;
use super::array::gather;
use super::reduce::{Lines, dimension};
use crate::arith::{to_c64, to_f64};
use crate::fault::{Res, fault};
use crate::literal;
use crate::tensor::{Data, Tensor, normal_shape};
use crate::value::Value;

/// What the words say, and how many arguments stand before them.
pub(super) struct Words {
    pub arguments: usize,
    pub whole: bool,
    pub omits: bool,
}

impl Words {
    pub fn of(call: &Call) -> Res<Words> {
        let mut words = Words { arguments: call.args.len(), whole: false, omits: false };
        while words.arguments > 1
            && let Some(word) = call.args[words.arguments - 1].as_text()
        {
            match word {
                "all" => words.whole = true,
                "omitnan" | "omitmissing" => words.omits = true,
                "includenan" | "includemissing" => words.omits = false,
                _ => return Err(call.wrong(words.arguments - 1, "a dimension, \"all\", \"omitnan\" or \"includenan\"")),
            }
            words.arguments -= 1;
        }
        Ok(words)
    }

    /// Refuses a dimension, which is argument `at`, beside `"all"`.
    pub fn agree(&self, call: &Call, at: usize) -> Res<()> {
        if self.whole && self.arguments > at {
            fault!("Q0314", "'{}' has both a dimension and \"all\"", call.name; call.signature);
        }
        Ok(())
    }
}

/// A reduction `f`, whose dimension is argument `at`, with words behind its arguments.
pub(super) fn worded(call: &mut Call, at: usize, f: fn(&mut Call) -> Res<Value>) -> Res<Value> {
    let words = Words::of(call)?;
    if words.arguments == call.args.len() {
        return f(call);
    }
    let args = &call.args[..words.arguments];
    let t = call.tensor(0)?;
    words.agree(call, at)?;
    let dim = if args.len() > at { dimension(call, at)? } else { 0 };
    let missing = if words.omits { not_numbers(&t.data.borrow()) } else { Vec::new() };
    if missing.is_empty() && !words.whole {
        return f(&mut call.with(args));
    }
    let mut reduce = |items: &mut dyn Iterator<Item = usize>| -> Res<Value> {
        let kept: Vec<usize> = items.filter(|i| missing.get(*i) != Some(&true)).collect();
        let mut own = args.to_vec();
        own[0] = Value::array(gather(&t, normal_shape(&[kept.len()]), kept.into_iter()));
        // What is left is one row.
        if args.len() > at {
            own[at] = Value::Int(1);
        } else if at > 1 && args.len() == at {
            own.push(Value::Int(1));
        }
        let result = f(&mut call.with(&own))?;
        Ok(match &result {
            Value::Array(one) if one.len() == 1 => one.get(0).unwrap_or_default(),
            _ => result,
        })
    };
    if args.len() <= at {
        return reduce(&mut (0..t.len()));
    }
    let lines = Lines::of(&t, dim);
    let results = lines.starts.iter().map(|s| reduce(&mut lines.items(*s))).collect::<Res<Vec<_>>>()?;
    match literal::array(&results, call.mode())? {
        Value::Array(v) if !results.is_empty() => {
            Ok(Value::array(Tensor::new(normal_shape(&lines.shape), v.data.borrow().copied())))
        }
        other => Ok(other),
    }
}

/// Which elements are no numbers; nothing if all are.
fn not_numbers(data: &Data) -> Vec<bool> {
    let found: Vec<bool> = match data.is_complex() {
        true => to_c64(data).iter().map(|z| z[0].is_nan() || z[1].is_nan()).collect(),
        false => to_f64(data).iter().map(|x| x.is_nan()).collect(),
    };
    if found.contains(&true) { found } else { Vec::new() }
}
