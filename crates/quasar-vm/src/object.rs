//! Class instances, dynamic objects, fields, and deep copies.

use super::fault::{Fault, Res, fault};
use super::tensor::{Data, Tensor, normal_shape};
use super::typing;
use super::value::{Instance, Value};
use quadra_quasar_hir::types::{ClassDef, Dim, Rank, Type};
use quadra_quasar_syntax::ast::Text;
use std::collections::HashMap;
use std::rc::Rc;

/// Nesting to which structures are copied.
const DEPTH: usize = 1000;

/// The default value of a declared variable or field, if its type has one.
pub fn default_value(ty: &Type, double: bool, depth: usize) -> Res<Option<Value>> {
    Ok(Some(match ty {
        Type::Int(..) => typing::convert(&Value::Int(0), ty, double)?,
        Type::Scalar(_) | Type::Complex(_) => typing::convert(&Value::Int(0), ty, double)?,
        Type::Str => Value::str(""),
        Type::Pointer(_) => Value::Null,
        Type::Class(class) => match construct(class, Vec::new(), double, depth + 1) {
            Ok(v) => v,
            Err(fault) if fault.code == "Q0350" => return Err(fault),
            Err(_) => return Ok(None),
        },
        Type::Object => Value::Object(Rc::new(Instance::new(None, Vec::new()))),
        Type::Array { rank, element, dims } => {
            let rank = if let Rank::Fixed(r) = rank { usize::from(*r) } else { return Ok(None) };
            let sizes: Vec<usize> =
                dims.iter().filter_map(|d| if let Dim::Size(n) = d { Some(*n) } else { None }).collect();
            if sizes.is_empty() || sizes.len() != rank {
                return Ok(None);
            }
            Value::array(array_of(normal_shape(&sizes), element, double)?)
        }
        _ => return Ok(None),
    }))
}

/// An array filled with the default of its element type.
pub fn array_of(shape: super::tensor::Shape, element: &Type, double: bool) -> Res<Tensor> {
    let t = Tensor::zeros(shape, element, double)?;
    if matches!(element, Type::Class(_) | Type::Pointer(_) | Type::Str) {
        let mut data = t.data.borrow_mut();
        if let Data::Cell(values) = &mut *data {
            for v in values.iter_mut() {
                *v = default_value(element, double, 0)?.unwrap_or_default();
            }
        }
    }
    Ok(t)
}

/// A new instance of a class; fields that are not given get their defaults.
pub fn construct(class: &Rc<ClassDef>, given: Vec<(Option<Text>, Value)>, double: bool, depth: usize) -> Res<Value> {
    if depth > 50 {
        fault!("Q0350", "classes are nested too deeply in '{}'", class.name; "use a pointer for one of the fields");
    }
    let types = class.fields.borrow();
    let mut values: Vec<(Text, Value)> = types.iter().map(|(n, _)| (n.clone(), Value::Unset)).collect();
    for (position, (name, value)) in given.into_iter().enumerate() {
        let at = match &name {
            Some(name) => types.iter().position(|(n, _)| n == name).ok_or_else(|| no_field(class, name))?,
            None => position,
        };
        let Some((field, ty)) = types.get(at) else {
            fault!("Q0351", "class '{}' has {} fields, more values are given", class.name, types.len(); "leave the rest out");
        };
        if !matches!(values[at].1, Value::Unset) {
            fault!("Q0351", "the field '{field}' of '{}' is given twice", class.name; "remove one");
        }
        values[at].1 = field_value(&class.name, field, ty, value, double)?;
    }
    for ((name, ty), (_, value)) in types.iter().zip(values.iter_mut()) {
        if matches!(value, Value::Unset) && !matches!(ty, Type::Any) {
            match default_value(ty, double, depth)? {
                Some(v) => *value = v,
                None => fault!(
                    "Q0352", "class '{}' has no default constructor: field '{name}' needs a value", class.name;
                    format!("write {}({name}:=…)", class.name)
                ),
            }
        }
    }
    Ok(Value::Object(Rc::new(Instance::new(Some(class.clone()), values))))
}

fn no_field(class: &ClassDef, name: &str) -> Box<Fault> {
    let names: Vec<String> = class.fields.borrow().iter().map(|f| f.0.to_string()).collect();
    Fault::new("Q0353", format!("class '{}' has no field '{name}'", class.name))
        .help(format!("its fields are {}", names.join(", ")))
}

/// A value as it is stored in a field: checked, converted, and copied where the field holds an instance in place.
fn field_value(class: &str, field: &str, ty: &Type, value: Value, double: bool) -> Res<Value> {
    let Some(admitted) = typing::admit(&value, ty, double, false)? else {
        let have = typing::type_of(&value, double);
        fault!("Q0354", "field '{field}' of '{class}' needs a '{ty}', not a '{have}'"; "convert the value first");
    };
    if let (Type::Class(_), Value::Object(o)) = (ty, &admitted) {
        return Ok(copy_instance(o));
    }
    Ok(admitted)
}

/// `value.name`.
pub fn get_field(value: &Value, name: &Text) -> Res<Value> {
    match value {
        Value::Object(o) => match (o.get(name), &o.class) {
            (Some(v), _) => Ok(v),
            (None, Some(class)) => Err(no_field(class, name)),
            (None, None) if o.keyed && &**name == "Count" => Ok(Value::Int(o.fields.borrow().len() as i32)),
            (None, None) if o.keyed => {
                fault!("Q0353", "the dictionary has no key '{name}'"; "isKey(d,key) asks whether it has")
            }
            (None, None) => {
                fault!("Q0353", "the object has no field '{name}'"; format!("set it first: o.{name} = …"))
            }
        },
        Value::Null => fault!("Q0355", "field '{name}' of a null pointer"; "compare with nullptr first"),
        Value::Unset => fault!("Q0323", "field '{name}' of a value that was never set"; "assign it first"),
        other => {
            let ty = typing::type_of(other, false);
            fault!("Q0356", "a '{ty}' has no fields, so there is no '.{name}'"; "fields belong to classes and object()")
        }
    }
}

/// `value.name = new`.
pub fn set_field(value: &Value, name: &Text, new: Value, double: bool) -> Res<()> {
    let Value::Object(o) = value else {
        get_field(value, name)?;
        return Ok(());
    };
    let Some(class) = &o.class else {
        let declared = o.types.borrow().iter().find(|(n, _)| n == name).map(|(_, t)| t.clone());
        let new = match declared {
            Some(ty) => field_value("object", name, &ty, new, double)?,
            None => new,
        };
        o.set(name, new);
        return Ok(());
    };
    let ty = class.fields.borrow().iter().find(|(n, _)| n == name).map(|(_, t)| t.clone());
    let Some(ty) = ty else {
        if class.dynamic {
            o.set(name, new);
            return Ok(());
        }
        return Err(no_field(class, name));
    };
    if !class.mutable {
        fault!(
            "Q0357", "class '{}' is immutable: its field '{name}' cannot be changed", class.name;
            format!("define it as 'type {} : mutable class'", class.name)
        );
    }
    let new = field_value(&class.name, name, &ty, new, double)?;
    o.set(name, new);
    Ok(())
}

/// Copies made so far, by the address of what they copy: what is shared stays shared, and circles end.
type Copies = HashMap<usize, Value>;

/// A deep copy of an instance; pointers stay references.
pub fn copy_instance(o: &Rc<Instance>) -> Value {
    copy_object(o, &mut Copies::new(), 0)
}

fn copy_object(o: &Rc<Instance>, copies: &mut Copies, depth: usize) -> Value {
    let address = Rc::as_ptr(o) as usize;
    if let Some(copy) = copies.get(&address) {
        return copy.clone();
    }
    let types = o.class.as_ref().map(|c| c.fields.borrow().clone()).unwrap_or_default();
    let mut copy = Instance::new(o.class.clone(), Vec::new());
    copy.keyed = o.keyed;
    let copy = Rc::new(copy);
    *copy.types.borrow_mut() = o.types.borrow().clone();
    copies.insert(address, Value::Object(copy.clone()));
    let mut fields = Vec::new();
    for (name, v) in o.fields.borrow().iter() {
        let pointer = types.iter().any(|(n, t)| n == name && matches!(t, Type::Pointer(_)));
        fields.push((name.clone(), if pointer { v.clone() } else { copy_value(v, copies, depth + 1) }));
    }
    *copy.fields.borrow_mut() = fields;
    Value::Object(copy)
}

/// `copy(x)`.
pub fn deep_copy(v: &Value) -> Value {
    copy_value(v, &mut Copies::new(), 0)
}

fn copy_value(v: &Value, copies: &mut Copies, depth: usize) -> Value {
    match v {
        // Structures nested more deeply than this keep their innermost part in common.
        _ if depth > DEPTH => v.clone(),
        Value::Array(t) => {
            let address = Rc::as_ptr(t) as usize;
            if let Some(copy) = copies.get(&address) {
                return copy.clone();
            }
            let copy = Rc::new(t.duplicate());
            copies.insert(address, Value::Array(copy.clone()));
            if t.is_cell() {
                let items: Vec<Value> =
                    (0..t.len()).map(|i| copy_value(&t.get(i).unwrap_or_default(), copies, depth + 1)).collect();
                *copy.data.borrow_mut() = Data::Cell(items);
            }
            Value::Array(copy)
        }
        Value::Object(o) => copy_object(o, copies, depth),
        other => other.clone(),
    }
}

/// Whether two values are equal in the sense of `==` and of `match`; nothing if they are to be compared element by element.
pub fn equal(a: &Value, b: &Value) -> Option<bool> {
    Some(match (a, b) {
        (Value::Str(x), Value::Str(y)) => x == y,
        (Value::Object(x), Value::Object(y)) => Rc::ptr_eq(x, y),
        (Value::Null, Value::Null) => true,
        (Value::Null, Value::Object(_)) | (Value::Object(_), Value::Null) => false,
        (Value::Function(x), Value::Function(y)) => Rc::ptr_eq(x, y),
        (Value::Type(x), Value::Type(y)) => x.same(y),
        (Value::Str(_), _) | (_, Value::Str(_)) => false,
        (Value::Null, _) | (_, Value::Null) => false,
        _ => return None,
    })
}
