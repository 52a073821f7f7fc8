//! Types of values, conversions, assertions, evaluation of text.

use super::{Builtin, Call, Run, row};
use crate::arith::Kind;
use crate::display;
use crate::fault::{Fault, Res, fault};
use crate::object;
use crate::tensor::{Data, Shape, Tensor, normal_shape};
use crate::typing;
use crate::value::{Callable, Value};
use quadra_quasar_hir::meaning::Meaning;
use quadra_quasar_hir::types::{IntKind, Precision, Type};
use std::io::Write;
use std::rc::Rc;

/// As a statement of its own, which nobody could see otherwise, `type(x)` prints.
fn type_function(call: &mut Call) -> Res<Value> {
    if call.args.len() > 1 {
        let ty = call.type_argument(1)?;
        return Ok(Value::bool(typing::belongs(&call.args[0], &ty, call.double())));
    }
    let signature = match &call.args[0] {
        Value::Function(f) => typing::signature(f).map(|s| s.to_string()),
        _ => None,
    };
    let text = signature.unwrap_or_else(|| typing::type_of(&call.args[0], call.double()).to_string());
    if call.outs == 0 {
        super::io::write(call.cx, &format!("{text}\n"))?;
    }
    Ok(Value::str(&text))
}

fn deal(call: &mut Call) -> Res<Vec<Value>> {
    let outs = call.outs.max(1);
    match call.args {
        [one] => Ok(vec![one.clone(); outs]),
        all if all.len() == outs => Ok(all.to_vec()),
        all => {
            fault!("Q0313", "deal: {} values for {outs} results", all.len(); "give one value, or one for each result")
        }
    }
}

fn cast(call: &mut Call) -> Res<Value> {
    let ty = call.type_argument(1)?;
    typing::convert(&call.args[0], &ty, call.double())
}

fn assert(call: &mut Call) -> Res<()> {
    let holds = match &call.args[0] {
        Value::Array(t) if !t.is_cell() => {
            (0..t.len()).all(|i| t.get(i).is_some_and(|v| v.as_complex() != Some([0.0; 2])))
        }
        v => v.as_complex().map_or(!matches!(v, Value::Unset | Value::Null), |z| z != [0.0; 2]),
    };
    if holds {
        return Ok(());
    }
    let message = match call.args.get(1) {
        Some(text) => crate::display::value(text),
        None => "the assertion does not hold".into(),
    };
    Err(Fault::new("Q0315", message).help("raised by 'assert'"))
}

/// Limits of a number type.
fn limit(call: &mut Call, greatest: bool) -> Res<Value> {
    let ty = call.type_argument(0)?;
    let double = call.double();
    let float = |x: f64| if greatest { x } else { -x };
    Ok(match ty {
        Type::Int(kind, _) => {
            let (low, high) = kind.range();
            let v = if greatest { high } else { low };
            match kind {
                IntKind::Int => Value::Int(v as i32),
                kind => Value::IntN(kind, v as i64),
            }
        }
        Type::Scalar(p) | Type::Complex(p) => match (p, double) {
            (Precision::Half, _) => Value::F16(float(65504.0) as f32),
            (Precision::Double, _) | (Precision::Default, true) => Value::F64(float(f64::MAX)),
            _ => Value::F32(float(f64::from(f32::MAX)) as f32),
        },
        other => fault!("Q0314", "'{}' needs a number type, not '{other}'", call.name; "for example maxvalue(uint8)"),
    })
}

/// What the predicates of `system.q` ask for.
#[derive(Clone, Copy)]
enum Is {
    Real,
    Complex,
    Scalar,
    Vector,
    Matrix,
    Cube,
    Text,
    Empty,
}

/// Whether the argument belongs to a class of values, as `system.q` defines it.
fn predicate(call: &mut Call, is: Is) -> Res<Value> {
    let v = &call.args[0];
    let complex = matches!(Kind::of(v), Some(Kind::C32 | Kind::C64));
    let rank = match v {
        Value::Array(t) if !t.is_cell() => Some(t.rank()),
        _ => None,
    };
    let scalar = v.is_number();
    Ok(Value::bool(match is {
        Is::Real => (scalar || rank.is_some()) && !complex,
        Is::Complex => complex,
        Is::Scalar => scalar,
        Is::Vector => rank == Some(1),
        Is::Matrix => matches!(rank, Some(1 | 2)),
        Is::Cube => matches!(rank, Some(1..=3)),
        Is::Text => matches!(v, Value::Str(_)),
        Is::Empty => match v {
            Value::Array(t) => t.is_empty(),
            Value::Str(s) => s.is_empty(),
            Value::Unset => true,
            _ => false,
        },
    }))
}

/// `eval(s)`: one expression in the global scope.
fn eval(call: &mut Call) -> Res<Value> {
    let text = call.text(0)?.to_string();
    call.cx.machine.evaluate(call.cx, call.name, &text)
}

/// The name of a function, or the text of a lambda; what it captured is not in there.
fn func2str(call: &mut Call) -> Res<Value> {
    let Value::Function(f) = &call.args[0] else { return Err(call.wrong(0, "a function")) };
    fn text(f: &Callable) -> String {
        match f {
            Callable::Builtin(native) => native.name.to_string(),
            Callable::Overloads(list) => list.first().map_or_else(String::new, |f| text(f)),
            Callable::Closure(c) => match c.code.ast.as_ref().filter(|_| c.code.lambda) {
                Some(ast) => quadra_quasar_syntax::pretty::lambda(ast),
                None => c.code.name.to_string(),
            },
        }
    }
    Ok(Value::str(&text(f)))
}

/// `cellfun(f,c,…)`: a cell, or an array with "UniformOutput" and 1 behind the cells.
fn cellfun(call: &mut Call) -> Res<Value> {
    let (f, cells, uniform) = cells_of(call)?;
    let t = &cells[0];
    let mut out = Vec::with_capacity(t.len());
    for i in 0..t.len() {
        let given = cells.iter().map(|c| c.get(i).unwrap_or_default()).collect();
        let results = call.cx.call(&f, given, 1)?;
        out.push(results.into_iter().next().unwrap_or_default());
    }
    if !uniform {
        return Ok(Value::array(Tensor::new(t.shape.clone(), Data::Cell(out))));
    }
    if let Some(v) = out.iter().find(|v| !v.is_number()) {
        let ty = typing::type_of(v, call.double());
        fault!("Q0314", "'cellfun' with \"UniformOutput\" needs a number from each call, not a '{ty}'"; "leave it out for a cell");
    }
    match crate::literal::array(&out, call.cx.mode)? {
        Value::Array(list) if list.len() == t.len() => Ok(Value::array(list.reshaped(t.shape.clone()))),
        v => Ok(v),
    }
}

/// The function, the cells and the option of `cellfun`.
fn cells_of(call: &Call) -> Res<(Value, Vec<Rc<Tensor>>, bool)> {
    let f = match &call.args[0] {
        Value::Str(name) => {
            super::lookup(call.cx, name).ok_or_else(|| call.wrong(0, "a function or the name of one"))?
        }
        f => f.clone(),
    };
    let end = call.args.iter().skip(1).position(|v| matches!(v, Value::Str(_))).map_or(call.args.len(), |at| at + 1);
    let mut cells = Vec::new();
    for i in 1..end {
        let Value::Array(t) = &call.args[i] else { return Err(call.wrong(i, "a cell")) };
        if i > 1 && t.shape != cells.first().map_or_else(Shape::new, |c: &Rc<Tensor>| c.shape.clone()) {
            return Err(call.wrong(i, "a cell of the size of the first one"));
        }
        cells.push(t.clone());
    }
    if cells.is_empty() {
        return Err(call.wrong(1, "a cell"));
    }
    let uniform = match &call.args[end..] {
        [] => false,
        [Value::Str(word), flag] if &***word == "UniformOutput" => flag.as_f64() == Some(1.0),
        _ => return Err(call.wrong(end, "\"UniformOutput\" and 0 or 1")),
    };
    Ok((f, cells, uniform))
}

fn isfield(call: &mut Call) -> Res<Value> {
    let has = |name: &str| matches!(&call.args[0], Value::Object(o) if o.get(name).is_some());
    match &call.args[1] {
        Value::Array(names) if names.is_cell() => {
            let named = |k: usize| u8::from(names.get(k).unwrap_or_default().as_text().is_some_and(has));
            let found = Data::Mask((0..names.len()).map(named).collect());
            Ok(Value::array(Tensor::new(names.shape.clone(), found)))
        }
        _ => Ok(Value::bool(has(call.text(1)?))),
    }
}

/// `setfield(o,name,value)`: the field of this name, which may be new. The object itself changes, as by an assignment.
fn setfield(call: &mut Call) -> Res<Value> {
    let name = call.text(1)?.into();
    if !matches!(call.args[0], Value::Object(_)) {
        return Err(call.wrong(0, "an object"));
    }
    object::set_field(&call.args[0], &name, call.args[2].clone(), call.double())?;
    Ok(call.args[0].clone())
}

fn getfield(call: &mut Call) -> Res<Value> {
    object::get_field(&call.args[0], &call.text(1)?.into())
}

/// The names of an object's fields, in the order in which they were set.
fn fieldnames(call: &mut Call) -> Res<Value> {
    let Value::Object(o) = &call.args[0] else { return Err(call.wrong(0, "an object")) };
    let names: Vec<Value> = o.fields.borrow().iter().map(|(name, _)| Value::str(name)).collect();
    Ok(Value::array(Tensor::vector(Data::Cell(names))))
}

/// A line of standard input: as text with `"s"`, or else the value of the expression in it.
fn input(call: &mut Call) -> Res<Value> {
    if let Some(prompt) = call.args.first() {
        let prompt = display::value(prompt);
        super::io::write(call.cx, &prompt)?;
        // A prompt that cannot be written is no reason not to read.
        let _ = call.cx.out.flush();
    }
    let mut line = String::new();
    let read = std::io::stdin().read_line(&mut line);
    if !matches!(read, Ok(n) if n > 0) {
        fault!("Q0316", "input: there is nothing to read on standard input"; "give the answers in a file: quadra run program.q < answers.txt");
    }
    let line = line.trim_end_matches(['\n', '\r']);
    match call.args.get(1) {
        Some(_) => Ok(Value::str(line)),
        None if line.trim().is_empty() => Ok(Value::array(Tensor::new(normal_shape(&[1, 0]), Data::F32(Vec::new())))),
        None => call.cx.machine.evaluate(call.cx, call.name, line),
    }
}

fn float(call: &mut Call) -> Res<Value> {
    typing::convert(&call.args[0], &Type::SCALAR, call.double())
}

pub const TABLE: &[Builtin] = &[
    row!("float", "float(x)", "x as scalar", "print type(float(3))", 1..=1, Run::One(float))
        .means(Meaning::Float)
        .frugal(),
    row!(
        "type",
        "type(x), type(x,T)",
        "the name of the type of x, of a defined function its parameters and results (printed, if it is a statement of its own); or whether x belongs to T",
        "print type([1,2])",
        1..=2,
        Run::One(type_function)
    )
    .means(Meaning::TypeOf)
    .frugal(),
    row!(
        "deal",
        "[a,…]=deal(x), [a,…]=deal(x,…)",
        "the same value for every result, or each result its own",
        "[a,b] = deal(0); print a, b",
        1..=250,
        Run::Many(deal)
    )
    .frugal(),
    row!("cast", "cast(x,T)", "x converted to a type", "print cast(3.7,\"int\")", 2..=2, Run::One(cast))
        .means(Meaning::Cast)
        .frugal(),
    row!("assert", "assert(c[,message])", "an error if c is 0", "assert(1 > 0)", 1..=2, Run::Effect(assert))
        .means(Meaning::Assert)
        .frugal(),
    row!(
        "maxvalue",
        "maxvalue(T)",
        "greatest number of a type",
        "print maxvalue(uint8)",
        1..=1,
        Run::One(|c| limit(c, true))
    )
    .means(Meaning::Limit { greatest: true })
    .frugal(),
    row!(
        "minvalue",
        "minvalue(T)",
        "most negative number of a type",
        "print minvalue(int16)",
        1..=1,
        Run::One(|c| limit(c, false))
    )
    .means(Meaning::Limit { greatest: false })
    .frugal(),
    row!(
        "isreal",
        "isreal(x)",
        "1 for real numbers and arrays",
        "print isreal(1j)",
        1..=1,
        Run::One(|c| predicate(c, Is::Real))
    )
    .frugal(),
    row!(
        "iscomplex",
        "iscomplex(x)",
        "1 for complex numbers and arrays",
        "print iscomplex(1j)",
        1..=1,
        Run::One(|c| predicate(c, Is::Complex))
    )
    .frugal(),
    row!(
        "isscalar",
        "isscalar(x)",
        "1 for single numbers",
        "print isscalar(1)",
        1..=1,
        Run::One(|c| predicate(c, Is::Scalar))
    )
    .frugal(),
    row!(
        "isvector",
        "isvector(x)",
        "1 for vectors",
        "print isvector([1,2])",
        1..=1,
        Run::One(|c| predicate(c, Is::Vector))
    )
    .frugal(),
    row!(
        "ismatrix",
        "ismatrix(x)",
        "1 for vectors and matrices",
        "print ismatrix(eye(2))",
        1..=1,
        Run::One(|c| predicate(c, Is::Matrix))
    )
    .frugal(),
    row!(
        "iscube",
        "iscube(x)",
        "1 for arrays of up to three dimensions",
        "print iscube(eye(2))",
        1..=1,
        Run::One(|c| predicate(c, Is::Cube))
    )
    .frugal(),
    row!(
        "isstring",
        "isstring(x)",
        "1 for strings",
        "print isstring(\"a\")",
        1..=1,
        Run::One(|c| predicate(c, Is::Text))
    )
    .frugal(),
    row!(
        "isempty",
        "isempty(x)",
        "1 if there are no elements",
        "print isempty(3..1)",
        1..=1,
        Run::One(|c| predicate(c, Is::Empty))
    )
    .frugal(),
    row!("eval", "eval(s)", "the value of an expression given as text", "print eval(\"1+2\")", 1..=1, Run::One(eval))
        .means(Meaning::Evaluate)
        .host_only()
        .frugal(),
    row!(
        "func2str",
        "func2str(f)",
        "the name of a function or the text of a lambda",
        "print func2str(x -> x+1), \" \", func2str(sin)",
        1..=1,
        Run::One(func2str)
    )
    .frugal(),
    row!(
        "cellfun",
        "cellfun(f,c,…[,\"UniformOutput\",1])",
        "f of every element of a cell, or of several, as a cell, or as an array of numbers",
        "print cellfun(x -> 2*x, {1,2})",
        2..=20,
        Run::One(cellfun)
    )
    .frugal(),
    row!(
        "isfield",
        "isfield(o,\"name\")",
        "1 if the object has the field",
        "print isfield(object(a:=1),\"a\")",
        2..=2,
        Run::One(isfield)
    )
    .frugal(),
    row!(
        "setfield",
        "setfield(o,name,value)",
        "sets a field of an object by its name, which may be new; gives the object",
        "print setfield(object(), \"a\", 3).a",
        3..=3,
        Run::One(setfield)
    )
    .host_only(),
    row!(
        "getfield",
        "getfield(o,name)",
        "a field of an object by its name",
        "print getfield(object(a:=1), \"a\")",
        2..=2,
        Run::One(getfield)
    )
    .host_only(),
    row!(
        "fieldnames",
        "fieldnames(o)",
        "a cell of the names of an object's fields",
        "print fieldnames(object(a:=1))[0]",
        1..=1,
        Run::One(fieldnames)
    )
    .host_only(),
    row!(
        "input",
        "input([prompt[,\"s\"]])",
        "a line of standard input: the value of the expression in it, or the text itself with \"s\"",
        "print type(input)   % for example n = input(\"how many? \")",
        0..=2,
        Run::One(input)
    )
    .host_only(),
];
