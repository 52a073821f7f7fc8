//! Dictionaries: objects whose fields are named by any text. `d["key"]` reads and `d["key"] = v` stores, as for every object.

use super::{Builtin, Call, Run, row};
use crate::fault::{Res, fault};
use crate::tensor::{Data, Shape, Tensor};
use crate::value::{Instance, Value};
use crate::{display, object};
use quadra_quasar_syntax::ast::Text;
use std::rc::Rc;

/// The name of the field that a key stands for: texts as they are, numbers as they are printed.
pub fn key(v: &Value) -> Option<Text> {
    match v {
        Value::Str(text) => Some((***text).into()),
        v if v.is_number() => Some(display::value(v).into()),
        _ => None,
    }
}

/// Keys or values that are given together: the elements of a cell, or one alone.
fn listed(v: &Value) -> Vec<Value> {
    match v {
        Value::Array(t) if t.is_cell() => (0..t.len()).map(|k| t.get(k).unwrap_or_default()).collect(),
        v => vec![v.clone()],
    }
}

/// Names of options, which MATLAB's containers.Map has and that say nothing here.
const OPTIONS: [&str; 3] = ["KeyType", "ValueType", "UniformValues"];

/// `dictionary(keys,values)`.
fn dictionary(call: &mut Call) -> Res<Value> {
    let mut args = call.args.to_vec();
    while let Some(at) = args.iter().position(|v| v.as_text().is_some_and(|s| OPTIONS.contains(&s))) {
        args.drain(at..(at + 2).min(args.len()));
    }
    let dictionary = Instance::keyed();
    if let [keys, values] = &args[..] {
        let keys_of = listed(keys);
        let one = keys_of.len() == 1 && !matches!(keys, Value::Array(_));
        let values = if one { vec![values.clone()] } else { listed(values) };
        if keys_of.len() != values.len() {
            fault!("Q0393", "'dictionary' of {} keys and {} values", keys_of.len(), values.len(); "every key has one value");
        }
        for (name, value) in keys_of.iter().zip(values) {
            let name = key(name).ok_or_else(|| call.wrong(0, "texts or numbers as keys"))?;
            dictionary.set(&name, value);
        }
    } else if !args.is_empty() {
        return Err(call.wrong(0, "keys, and values behind them"));
    }
    Ok(Value::Object(Rc::new(dictionary)))
}

fn object_of<'a>(call: &'a Call) -> Res<&'a Rc<Instance>> {
    match &call.args[0] {
        Value::Object(o) => Ok(o),
        _ => Err(call.wrong(0, "a dictionary")),
    }
}

fn sorted(o: &Instance) -> Vec<(Text, Value)> {
    let mut fields = o.fields.borrow().clone();
    let number = |t: &Text| t.parse::<f64>().ok();
    fields.sort_by(|(a, _), (b, _)| match (number(a), number(b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        _ => a.cmp(b),
    });
    fields
}

fn cell(values: Vec<Value>) -> Value {
    Value::array(Tensor::new(Shape::from_slice(&[1, values.len()]), Data::Cell(values)))
}

fn keys(call: &mut Call) -> Res<Value> {
    let fields = sorted(object_of(call)?);
    Ok(cell(fields.iter().map(|(name, _)| Value::str(name)).collect()))
}

fn values(call: &mut Call) -> Res<Value> {
    let Some(wanted) = call.args.get(1) else {
        return Ok(cell(sorted(object_of(call)?).into_iter().map(|(_, v)| v).collect()));
    };
    let of = |v: &Value| {
        let name = key(v).ok_or_else(|| call.wrong(1, "a cell of keys"))?;
        object::get_field(&call.args[0], &name)
    };
    Ok(cell(listed(wanted).iter().map(of).collect::<Res<_>>()?))
}

fn is_key(call: &mut Call) -> Res<Value> {
    let o = object_of(call)?;
    let has = |v: &Value| i32::from(key(v).is_some_and(|name| o.get(&name).is_some()));
    match &call.args[1] {
        Value::Array(t) if t.is_cell() => {
            let found = (0..t.len()).map(|k| has(&t.get(k).unwrap_or_default())).collect();
            Ok(Value::array(Tensor::new(t.shape.clone(), Data::Int(found))))
        }
        v => Ok(Value::Int(has(v))),
    }
}

/// `remove(d,key)`: the object itself changes.
fn remove(call: &mut Call) -> Res<Value> {
    let o = object_of(call)?;
    for v in listed(&call.args[1]) {
        let name = key(&v).ok_or_else(|| call.wrong(1, "a key"))?;
        object::get_field(&call.args[0], &name)?;
        if o.class.is_some() {
            fault!("Q0353", "'{}' takes the field '{name}' from an instance of a class", call.name; "fields of object() can be removed");
        }
        let at = o.fields.borrow().iter().position(|(n, _)| *n == name);
        let old = at.map(|at| o.fields.borrow_mut().remove(at));
        drop(old);
    }
    Ok(call.args[0].clone())
}

pub const TABLE: &[Builtin] = &[
    row!(
        "dictionary",
        "dictionary([keys,values])",
        "a dictionary of these keys and values (cells, or one key and its value), empty without any; d[key] reads and d[key] = v stores, keys are texts or numbers; also as containers.Map(…)",
        "d = dictionary({\"a\",\"b\"},{1,2}); d[\"c\"] = 3; print d[\"b\"], d.Count",
        0..=8,
        Run::One(dictionary)
    )
    .host_only(),
    row!(
        "keys",
        "keys(d)",
        "the keys of a dictionary as texts, in a cell, sorted",
        "print keys(dictionary({\"b\",\"a\"},{1,2}))",
        1..=1,
        Run::One(keys)
    )
    .host_only(),
    row!(
        "values",
        "values(d[,keys])",
        "the values of a dictionary in a cell, in the order of keys(d), or those of the keys in a cell",
        "print values(dictionary({\"b\",\"a\"},{1,2}))",
        1..=2,
        Run::One(values)
    )
    .host_only(),
    row!(
        "isKey",
        "isKey(d,key)",
        "1 if the dictionary has the key; of a cell of keys one number each",
        "print isKey(dictionary(\"a\",1),\"b\")",
        2..=2,
        Run::One(is_key)
    )
    .host_only(),
    row!(
        "remove",
        "remove(d,key)",
        "takes a key, or those in a cell, and its value out of a dictionary; gives the dictionary",
        "d = dictionary(\"a\",1); remove(d,\"a\"); print d.Count",
        2..=2,
        Run::One(remove)
    )
    .host_only(),
    row!(
        "rmfield",
        "rmfield(o,name)",
        "takes a field, or those named in a cell, out of an object; gives the object",
        "o = object(a:=1, b:=2); rmfield(o,\"a\"); print fieldnames(o)",
        2..=2,
        Run::One(remove)
    )
    .host_only(),
];
