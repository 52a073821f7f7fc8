//! Labels: names, local names of a context, and labels that start with a digit, which can be used again and again.

use super::value::Value;
use super::{Assembler, Fail};
use quadra_base::{Diagnostic, Span};
use std::collections::HashMap;

/// The addresses of labels, in bytes.
#[derive(Default, Debug)]
pub(super) struct Labels {
    /// Names; those that start with a dot belong to the context with this id.
    named: HashMap<(usize, String), (i64, Span)>,
    /// What starts with a digit: every definition in order.
    numbered: HashMap<String, Vec<i64>>,
    /// Names in the order of definition.
    order: Vec<(usize, String)>,
}

/// The context of a name that is visible everywhere.
const EVERYWHERE: usize = usize::MAX;

impl Labels {
    pub fn has_name(&self, name: &str) -> bool {
        self.named.contains_key(&(EVERYWHERE, name.to_string()))
    }

    /// Moves what lies behind `address` by `by` bytes.
    pub fn shift(&mut self, address: i64, by: i64) {
        let named = self.named.values_mut().map(|(a, _)| a);
        for a in named.chain(self.numbered.values_mut().flatten()) {
            if *a > address {
                *a += by;
            }
        }
    }

    /// Names visible everywhere with their addresses, in order.
    pub fn list(&self) -> Vec<(String, u64)> {
        let public = self.order.iter().filter(|(context, _)| *context == EVERYWHERE);
        public.filter_map(|key| Some((key.1.clone(), u64::try_from(self.named.get(key)?.0).ok()?))).collect()
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.named.keys().map(|(_, name)| name.as_str())
    }
}

fn is_number(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a label may be defined more than once.
fn repeats(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_digit())
}

impl Assembler<'_> {
    /// Defines a label here.
    pub(super) fn define_label(&mut self, name: &str, span: Span) -> Result<(), Fail> {
        let address = self.out.address();
        self.out.seal();
        if repeats(name) {
            self.labels.numbered.entry(name.to_string()).or_default().push(address);
            return Ok(());
        }
        let context = if name.starts_with('.') { self.scopes.ids().next().unwrap_or(0) } else { EVERYWHERE };
        let key = (context, name.to_string());
        if let Some((_, first)) = self.labels.named.get(&key) {
            let diagnostic = Diagnostic::error("E0747", format!("the label `{name}` is defined twice")).at(span);
            let help = "labels inside macros and loops can be numbers, `:1`, or belong to their block, `:.name`";
            return Err(Box::new(diagnostic.also(*first, "first defined here").help(help)));
        }
        self.labels.named.insert(key.clone(), (address, span));
        self.labels.order.push(key);
        Ok(())
    }

    /// The value of `:name` or `r:name`.
    pub(super) fn label_value(&mut self, name: &str, relative: bool, span: Span) -> Result<Value, Fail> {
        let address = match name.strip_suffix(['f', 'b']).filter(|number| !number.is_empty() && is_number(number)) {
            Some(number) => {
                let so_far = self.labels.numbered.get(number).map_or(0, Vec::len);
                let all = self.known.numbered.get(number);
                let index = if name.ends_with('f') { Some(so_far) } else { so_far.checked_sub(1) };
                index.and_then(|i| all.and_then(|all| all.get(i)).copied())
            }
            // Without a direction: the last one, or the next if there was none yet.
            None if repeats(name) => {
                let index = self.labels.numbered.get(name).map_or(0, |all| all.len().saturating_sub(1));
                self.known.numbered.get(name).and_then(|all| all.get(index)).copied()
            }
            None if name.starts_with('.') => {
                let mut contexts = self.scopes.ids();
                contexts.find_map(|id| self.known.named.get(&(id, name.to_string()))).map(|(a, _)| *a)
            }
            None => self.known.named.get(&(EVERYWHERE, name.to_string())).map(|(a, _)| *a),
        };
        match address {
            Some(address) => Ok(Value::Label { address, relative }),
            None if !self.final_pass => Ok(Value::Label { address: 0, relative }),
            None => {
                let diagnostic = Diagnostic::error("E0748", format!("there is no label `{name}`")).at(span);
                let near = super::suggest::nearest(name, self.known.names());
                Err(Box::new(match near {
                    Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                    None if is_number(name) => {
                        diagnostic.help(format!("write `{name}f` for the next one, `{name}b` for the last"))
                    }
                    None => diagnostic.help(format!("define it with `:{name}` at the start of a line")),
                }))
            }
        }
    }

    /// Reports labels whose address changed between the passes.
    pub(super) fn check_labels(&mut self) {
        let moved = |key: &(usize, String)| {
            let (now, span) = self.labels.named.get(key)?;
            let before = self.known.named.get(key)?.0;
            (before != *now).then_some((key.1.clone(), *span))
        };
        let all: Vec<(String, Span)> = self.labels.order.iter().filter_map(moved).collect();
        if self.stopped {
            return;
        }
        for (name, span) in all {
            let message = format!("the address of `{name}` depends on itself");
            let help = "code before a label must not have a size that depends on the label";
            self.report(Diagnostic::error("E0748", message).at(span).help(help));
        }
    }
}
