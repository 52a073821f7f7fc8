//! What users are told about a loop that is not parallel: the reason, the places that it is about, and what to do.

use super::body::{Access, Body, Scalar};
use super::subscript::Linear;
use quadra_base::{Diagnostic, Span};
use quadra_quasar_syntax::ast::{ExprKind, For, Text};
use quadra_quasar_syntax::pretty;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Iterations depend on each other.
    Dependency,
    /// The body cannot be a kernel.
    Hard,
    /// The body can be a kernel in order alone: an iteration may be the last one, or a function changes arrays that it is given.
    InOrder,
    /// The type of a variable is not known.
    Unknown,
}

/// Why a loop is not parallel.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reason {
    pub kind: Kind,
    pub text: String,
    labels: Vec<(Span, String)>,
    help: Vec<String>,
}

impl Reason {
    pub fn new(kind: Kind, text: impl Into<String>) -> Reason {
        Reason { kind, text: text.into(), labels: Vec::new(), help: Vec::new() }
    }

    pub fn dependency(text: impl Into<String>) -> Reason {
        Reason::new(Kind::Dependency, text)
    }

    pub fn also(mut self, span: Option<Span>, text: impl Into<String>) -> Reason {
        // One note for a place.
        if let Some(span) = span.filter(|s| self.labels.iter().all(|l| l.0 != *s)) {
            self.labels.push((span, text.into()));
        }
        self
    }

    pub fn help(mut self, text: impl Into<String>) -> Reason {
        self.help.push(text.into());
        self
    }

    /// A diagnostic with the places and the help.
    pub fn tell(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        diagnostic.labels.extend(self.labels.iter().cloned());
        diagnostic.help.extend(self.help.iter().cloned());
        diagnostic
    }
}

impl Access {
    pub(super) fn text(&self) -> String {
        let items = self.items.iter().map(pretty::expression).collect::<Vec<_>>().join(",");
        format!("{}[{items}]", self.array)
    }
}

impl Body<'_> {
    /// A variable takes its value from one iteration to the next.
    pub(super) fn variable_reason(&self, name: &Text, s: &Scalar) -> Reason {
        let text = format!("there is a dependency between iterations on variable '{name}'");
        let running = s.updates.len() == 1 && s.other_read && !s.plain_write;
        let reason = if running {
            Reason::dependency(text + ", a running result that is read in every iteration")
                .also(s.read_at, "read here")
                .also(s.set_at, "combined here")
        } else {
            Reason::dependency(text)
                .also(s.read_at, format!("here '{name}' may be what an earlier iteration left in it"))
                .also(s.set_at, "set here")
        };
        if running {
            reason.help(format!(
                "running results are computed in blocks if one statement outside of conditions combines '{name}', with what depends neither on '{name}' nor on arrays that the loop writes"
            ))
        } else if s.updates.len() > 1 {
            reason.help(format!("combine '{name}' by one operator only (+= and -= count as one), or in two variables"))
        } else if s.follows > 0 {
            reason.help(format!("'{name}' may belong to one maximum or minimum that the loop keeps, and must not be read or set elsewhere"))
        } else if s.exposed_read {
            reason.help(format!("if '{name}' belongs to the iteration, set it at the beginning of the body; a value that follows from the one before is a recurrence, which runs serially"))
        } else {
            reason
        }
    }
}

/// Two accesses that may be one element in two iterations.
pub(super) fn conflict(access: &Access, write: &Access, parts: [Option<Vec<Linear>>; 2], heads: &[&For]) -> Reason {
    let array = &access.array;
    let how = if access.write { "written" } else { "read" };
    let reason = Reason::dependency(format!("'{array}' is {how} at {} and written at {}", access.text(), write.text()));
    let reason = |label: String| reason.also(Some(access.span), label).also(Some(write.span), "written here");
    let distance = match parts {
        [Some(a), Some(w)] => distance(&a, &w, heads),
        _ => None,
    };
    let old = "if the values from before the loop are meant, read them from a copy";
    match distance {
        Some((i, d)) if d > 0 && !access.write => {
            let which = if d == 1 { "the iteration before" } else { &format!("the iteration {d} before") };
            reason(format!("what {which} has written: a distance of {d} over {i}"))
                .help(format!("a recurrence over {i} runs serially; a loop around it may be parallel, such as one over rows; {old}: old = copy({array})"))
        }
        Some((_, d)) if d < 0 && !access.write => {
            let which = if d == -1 { "the next iteration".to_string() } else { format!("the iteration {} later", -d) };
            reason(format!("{which} writes this element"))
                .help(format!("{old}, old = copy({array}) before the loop, or write to another array"))
        }
        Some((i, d)) => reason(format!("the element that another iteration writes, {} apart over {i}", d.abs()))
            .help("write each element in one iteration only"),
        None => reason("this may be an element that another iteration writes".into())
            .help(format!("{old}, old = copy({array}) before the loop, or write to another array")),
    }
}

/// By how many iterations of a loop an access lies behind a write, if that loop alone tells them apart.
fn distance(a: &[Linear], w: &[Linear], heads: &[&For]) -> Option<(Text, i64)> {
    if a.len() != w.len() {
        return None;
    }
    let mut found = None;
    for (a, w) in a.iter().zip(w) {
        if a.coefficients != w.coefficients || a.rest != w.rest {
            return None;
        }
        if a.constant == w.constant {
            continue;
        }
        let [(name, factor)] = &w.coefficients[..] else { return None };
        let f = heads.iter().find(|f| f.name == *name)?;
        let ExprKind::Range { step, .. } = &f.over.kind else { return None };
        let step = match step.as_ref().map(|s| pretty::expression(s)) {
            None => 1,
            Some(text) => text.parse::<i64>().ok()?,
        };
        let by = factor.checked_mul(step).filter(|by| *by != 0)?;
        let d = w.constant - a.constant;
        if found.is_some() || d % by != 0 {
            return None;
        }
        found = Some((name.clone(), d / by));
    }
    found
}

/// All iterations of a loop write the same elements.
pub(super) fn same_element(access: &Access, variable: &Text, holders: usize) -> Reason {
    let array = &access.array;
    let reason = Reason::dependency(format!("different iterations write the same element of '{array}'"));
    let label = match holders {
        0 => format!("'{variable}' is in no subscript, so that all its values mean this element"),
        _ => format!("which element this is does not tell the values of '{variable}' apart"),
    };
    reason.also(Some(access.span), label).help(format!(
        "if iterations add up here, write {} += …; otherwise give every iteration an element, or a variable, of its own",
        access.text()
    ))
}

/// Which element is written is not known.
pub(super) fn some_element(access: &Access) -> Reason {
    let array = &access.array;
    Reason::dependency(format!("different iterations may write the same element of '{array}'"))
        .also(Some(access.span), "nothing in the program says that no other iteration writes this element")
        .help(format!(
            "if iterations add up here, write {} += …; if you know that no two of them meet, write {{!parallel for}} before the loop",
            access.text()
        ))
}

/// An array is read as a whole.
pub(super) fn read_whole(array: &Text, at: Option<Span>) -> Reason {
    Reason::dependency(format!("'{array}' is read as a whole and written in the loop"))
        .also(at, "read here, with elements that other iterations write")
        .help(format!("read the values from before the loop from a copy, old = copy({array}), or hand over the elements that are needed"))
}
