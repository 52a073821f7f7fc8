//! Variables as the client shows them: arrays row by row and element by element, objects by their fields, as many at a time as it
//! asks for.

use quadra_quasar::debug::View;
use quadra_quasar::display;
use quadra_quasar::value::Value;
use serde_json::{Value as Json, json};

/// Characters of a value in a list.
const PREVIEW: usize = 100;
/// Children that are sent at a time to a client that does not say how many it wants.
const MOST: usize = 1000;

/// Something that has children.
#[derive(Clone)]
enum Handle {
    /// The variables of a frame.
    Frame(usize),
    Value(Parent),
}

/// A value with children, or the part of an array that these first indices choose.
#[derive(Clone)]
struct Parent {
    value: Value,
    indices: Vec<usize>,
    /// What a program writes for the value, in which frame.
    path: String,
    frame: usize,
}

/// A child: its name, value and, if a program can write it, how.
struct Child {
    name: String,
    value: Value,
    indices: Vec<usize>,
    path: String,
}

/// What the client may ask the children of, until the program goes on.
#[derive(Default)]
pub struct Handles(Vec<Handle>);

/// The lengths of an array's dimensions as programs index it.
fn dimensions(value: &Value) -> Vec<usize> {
    match value {
        Value::Array(t) if t.is_vector() => t.shape[1..].to_vec(),
        Value::Array(t) => t.shape.to_vec(),
        _ => Vec::new(),
    }
}

/// A value on one line.
pub fn short(value: &Value) -> String {
    let text = display::value(value).replace('\n', " ");
    match text.char_indices().nth(PREVIEW) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

fn type_text(view: &View<'_>, value: &Value) -> String {
    let sizes: Vec<String> = dimensions(value).iter().map(usize::to_string).collect();
    let size = if sizes.is_empty() { String::new() } else { format!(" {}", sizes.join("x")) };
    view.type_of(value) + &size
}

impl Parent {
    /// How many children have numbers, and how many names.
    fn counts(&self) -> (usize, usize) {
        match &self.value {
            Value::Array(_) => (dimensions(&self.value).get(self.indices.len()).copied().unwrap_or(0), 0),
            Value::Object(o) => (0, o.fields.borrow().len()),
            _ => (0, 0),
        }
    }

    fn child(&self, number: usize) -> Option<Child> {
        match &self.value {
            Value::Array(t) => {
                let dims = dimensions(&self.value);
                let mut indices = self.indices.clone();
                indices.push(number);
                let list: Vec<String> = indices.iter().map(usize::to_string).collect();
                let name = format!("[{}]", list.join(","));
                if indices.len() < dims.len() {
                    // Its elements are those of the whole array.
                    return Some(Child { name, value: self.value.clone(), indices, path: self.path.clone() });
                }
                let path = format!("{}{name}", self.path);
                let at = indices.iter().zip(&dims).fold(0, |at, (i, n)| at * n + i);
                Some(Child { name, value: t.get(at)?, indices: Vec::new(), path })
            }
            Value::Object(o) => {
                let fields = o.fields.borrow();
                let (name, value) = fields.get(number)?;
                let path = format!("{}.{name}", self.path);
                Some(Child { name: name.to_string(), value: value.clone(), indices: Vec::new(), path })
            }
            _ => None,
        }
    }

    fn named(&self, name: &str) -> Option<Child> {
        let (numbers, names) = self.counts();
        if numbers > 0 {
            let last = name.trim_matches(['[', ']']).rsplit(',').next()?;
            let number = last.trim().parse().ok().filter(|n| *n < numbers)?;
            return self.child(number);
        }
        (0..names).filter_map(|n| self.child(n)).find(|c| c.name == name)
    }
}

impl Handles {
    /// Nothing of before can be asked for any more.
    pub fn forget(&mut self) {
        self.0.clear();
    }

    fn add(&mut self, handle: Handle) -> usize {
        self.0.push(handle);
        self.0.len()
    }

    /// The number by which the variables of a frame are asked for.
    pub fn frame(&mut self, frame: usize) -> usize {
        self.add(Handle::Frame(frame))
    }

    fn get(&self, reference: i64) -> Result<Handle, String> {
        let number = usize::try_from(reference.saturating_sub(1)).ok();
        let handle = number.and_then(|n| self.0.get(n)).cloned();
        handle.ok_or_else(|| format!("there are no variables with the number {reference}: the program has gone on"))
    }

    /// A value as the client has it: `value` or `result` is its text.
    pub fn shown(&mut self, view: &View<'_>, value: &Value, path: &str, frame: usize, key: &str) -> Json {
        self.part(view, value, (Vec::new(), path.to_string(), frame), key)
    }

    fn part(
        &mut self,
        view: &View<'_>,
        value: &Value,
        (indices, path, frame): (Vec<usize>, String, usize),
        key: &str,
    ) -> Json {
        let row = !indices.is_empty();
        let text = if row { row_text(value, &indices) } else { short(value) };
        let parent = Parent { value: value.clone(), indices, path: path.clone(), frame };
        let (numbers, names) = parent.counts();
        let reference = if numbers + names > 0 { self.add(Handle::Value(parent)) } else { 0 };
        let mut json = json!({ key: text, "variablesReference": reference });
        if !row {
            json["type"] = type_text(view, value).into();
        }
        if key == "value" && !row {
            json["evaluateName"] = path.into();
        }
        if numbers > 0 {
            json["indexedVariables"] = numbers.into();
        }
        if names > 0 {
            json["namedVariables"] = names.into();
        }
        json
    }

    /// The children with the numbers from `start`, at most `count` of them; `filter` says whether only those with numbers or only
    /// those with names.
    ///
    /// # Errors
    /// Nothing has this number, or the frame's variables are out of reach.
    pub fn children(
        &mut self,
        view: &mut View<'_>,
        reference: i64,
        (start, count): (usize, Option<usize>),
        filter: Option<&str>,
    ) -> Result<Json, String> {
        let handle = self.get(reference)?;
        let count = count.filter(|n| *n > 0).unwrap_or(MOST);
        let parent = match handle {
            Handle::Frame(frame) => {
                view.choose(frame)?;
                let all = if filter == Some("indexed") { Vec::new() } else { view.variables() };
                let some = all.iter().skip(start).take(count);
                let list: Vec<Json> = some
                    .map(|(name, value)| {
                        let mut json = self.shown(view, value, name, frame, "value");
                        json["name"] = (&**name).into();
                        json
                    })
                    .collect();
                return Ok(json!({ "variables": list }));
            }
            Handle::Value(parent) => parent,
        };
        let (numbers, names) = parent.counts();
        let total = match filter {
            Some("indexed") => numbers,
            Some("named") => names,
            _ => numbers + names,
        };
        let some = (start..total.min(start.saturating_add(count))).filter_map(|n| parent.child(n));
        let list: Vec<Json> = some
            .map(|child| {
                let mut json = self.part(view, &child.value, (child.indices, child.path, parent.frame), "value");
                json["name"] = child.name.into();
                json
            })
            .collect();
        Ok(json!({ "variables": list }))
    }

    /// What a program writes for a child that can be assigned to, and its frame.
    ///
    /// # Errors
    /// There is no such child, or it is a whole row.
    pub fn target(&self, view: &mut View<'_>, reference: i64, name: &str) -> Result<(String, usize), String> {
        let missing = || format!("there is no variable '{name}' there");
        match self.get(reference)? {
            Handle::Frame(frame) => {
                view.choose(frame)?;
                let found = view.variables().into_iter().find(|v| *v.0 == *name);
                found.map(|v| (v.0.to_string(), frame)).ok_or_else(missing)
            }
            Handle::Value(parent) => {
                let child = parent.named(name).ok_or_else(missing)?;
                if !child.indices.is_empty() {
                    return Err(format!("'{name}' is a row: change its elements"));
                }
                Ok((child.path, parent.frame))
            }
        }
    }
}

/// Some elements of the part of an array.
fn row_text(value: &Value, indices: &[usize]) -> String {
    let Value::Array(t) = value else { return String::new() };
    let dims = dimensions(value);
    let inner: usize = dims[indices.len()..].iter().product();
    let first = indices.iter().zip(&dims).fold(0, |at, (i, n)| at * n + i) * inner;
    let mut text = String::from("[");
    for i in 0..inner {
        if text.len() > PREVIEW {
            return text + "…]";
        }
        text += if i > 0 { ", " } else { "" };
        text += &t.get(first + i).map_or(String::new(), |v| short(&v));
    }
    text + "]"
}
