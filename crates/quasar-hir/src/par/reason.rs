//! From what a body does to why its loops are not parallel.

use super::advice::{Reason, conflict, read_whole, same_element, some_element};
use super::body::{Access, Body};
use super::extreme::Extreme;
use super::pattern::sign;
use super::subscript::{Linear, linear};
use crate::scope::Names;
use quadra_quasar_syntax::ast::{Expr, ExprKind, For, Text};
use quadra_quasar_syntax::pretty;
use std::collections::HashSet;

impl Body<'_> {
    /// Why the loops are not parallel, variables with `running` values apart; empty if they are.
    pub fn reasons(&self, loops: &[Text], heads: &[&For], running: &HashSet<Text>) -> Vec<Reason> {
        let mut reasons = self.reasons.clone();
        let in_heads: Vec<Names> = heads.iter().map(|f| Names::of_expr(&f.over)).collect();
        if let Some(name) = self.other_names.redefined(|n| in_heads.iter().any(|h| h.calls(n))) {
            let reason = Reason::dependency(format!("'{name}' is not the built-in function"));
            reasons.push(reason.help(format!(
                "give the program's own '{name}' another name: which elements a loop uses is not known otherwise"
            )));
        }
        let mut names: Vec<&Text> = self.scalars.keys().collect();
        names.sort();
        for name in names {
            let s = &self.scalars[name];
            if !s.is_reduction() && !s.is_private() && !running.contains(name) {
                reasons.push(self.variable_reason(name, s));
            }
        }
        let mut arrays: Vec<&Text> = self.accesses.iter().filter(|a| a.write).map(|a| &a.array).collect();
        arrays.sort();
        arrays.dedup();
        for array in arrays {
            reasons.extend(self.array_reason(array, loops, heads));
        }
        reasons
    }

    /// A variable that takes its value from one iteration to the next.
    pub fn carried(&self) -> Option<Text> {
        let carried = self.scalars.iter().filter(|(_, s)| !s.is_reduction() && !s.is_private());
        carried.map(|s| s.0.clone()).min()
    }

    /// All variables that iterations combine, or read before they set them, and what belongs to an extreme, which not every iteration
    /// sets.
    pub fn all_carried(&self) -> Vec<Text> {
        let carried = self.scalars.iter().filter(|(_, s)| !s.is_private() || s.follows > 0);
        let mut names: Vec<Text> = carried.map(|s| s.0.clone()).collect();
        names.sort();
        names
    }

    fn components(&self, access: &Access, loops: &[Text]) -> Option<Vec<Linear>> {
        if let [Expr { kind: ExprKind::Name(p), .. }] = &access.items[..]
            && let Some((variable, size)) = self.positions.get(p).filter(|_| self.other_names.is_set_once(p))
        {
            let coefficients = vec![(variable.clone(), 1)];
            return Some(vec![Linear {
                coefficients,
                rest: vec![format!("in {}", pretty::expression(size))],
                ..Linear::default()
            }]);
        }
        let changes = |name: &str| self.assigned.assigns(name);
        access
            .items
            .iter()
            .map(|item| match &item.kind {
                ExprKind::Range { .. } | ExprKind::Colon => {
                    let free = !loops.iter().any(|l| Names::of_expr(item).mentions(l));
                    free.then(|| Linear { rest: vec![pretty::expression(item)], ..Linear::default() })
                }
                _ => match linear(item, loops, &changes) {
                    Some(l) => Some(l),
                    // What changes within an iteration only, such as the variable of an inner loop, is no matter.
                    None if !loops.iter().any(|l| self.depends(item, l)) => {
                        Some(Linear { rest: vec![pretty::expression(item)], ..Linear::default() })
                    }
                    None => None,
                },
            })
            .collect()
    }

    /// Whether an expression mentions a loop variable, or a variable of the body that may be computed from it.
    fn depends(&self, item: &Expr, variable: &Text) -> bool {
        let names = Names::of_expr(item);
        names.mentions(variable)
            || names.mentioned.iter().any(|n| self.assigned.assigns(n) && !self.inner_variables.contains(n))
    }

    fn array_reason(&self, array: &Text, loops: &[Text], heads: &[&For]) -> Option<Reason> {
        let all: Vec<&Access> = self.accesses.iter().filter(|a| a.array == *array).collect();
        let updates: HashSet<Option<char>> = all.iter().map(|a| a.update).collect();
        let read = self.whole_reads.contains_key(array);
        if updates.len() == 1 && !updates.contains(&None) && !read {
            return None;
        }
        self.element_reason(array, loops, heads).filter(|_| !self.never_meet(array, heads))
    }

    /// Written arrays of which only the exact tests know that iterations do not meet in them.
    fn exact(&self, loops: &[Text], heads: &[&For]) -> Vec<&Text> {
        let mut arrays: Vec<&Text> = self.accesses.iter().filter(|a| a.write).map(|a| &a.array).collect();
        arrays.sort();
        arrays.dedup();
        arrays.retain(|a| self.element_reason(a, loops, heads).is_some() && self.never_meet(a, heads));
        arrays
    }

    /// Why different iterations may use the same elements of an array.
    fn element_reason(&self, array: &Text, loops: &[Text], heads: &[&For]) -> Option<Reason> {
        let all: Vec<&Access> = self.accesses.iter().filter(|a| a.array == *array).collect();
        if let Some(at) = self.whole_reads.get(array) {
            return Some(read_whole(array, *at));
        }
        let against =
            |a: &Access, w: &Access| conflict(a, w, [self.components(a, loops), self.components(w, loops)], heads);
        let mut pattern: Option<Vec<Option<Linear>>> = None;
        let mut first: Option<&Access> = None;
        for access in all.iter().filter(|a| a.write) {
            let Some(parts) = self.components(access, loops) else {
                return Some(some_element(access));
            };
            for variable in loops {
                let holders = parts.iter().filter(|l| l.coefficients.iter().any(|(n, _)| n == variable));
                let holders: Vec<_> = holders.collect();
                if holders.len() != 1 || holders[0].coefficients.len() != 1 {
                    return Some(same_element(access, variable, holders.len()));
                }
            }
            let key: Vec<Option<Linear>> =
                parts.into_iter().map(|l| if l.coefficients.is_empty() { None } else { Some(l) }).collect();
            match (&pattern, first) {
                (None, _) => {
                    pattern = Some(key);
                    first = Some(access);
                }
                (Some(p), Some(f)) if *p != key => return Some(against(access, f)),
                _ => {}
            }
        }
        for access in all.iter().filter(|a| !a.write) {
            let key = self.components(access, loops).map(|parts| {
                parts.into_iter().map(|l| if l.coefficients.is_empty() { None } else { Some(l) }).collect::<Vec<_>>()
            });
            if key != pattern
                && let Some(f) = first
            {
                return Some(against(access, f));
            }
        }
        None
    }

    fn array_meets(&self, array: &Text, loops: &[Text], heads: &[&For]) -> bool {
        self.element_reason(array, loops, heads).is_some() && !self.never_meet(array, heads)
    }

    /// How the loops are carried out.
    pub fn plan(&self, depth: usize, loops: &[Text], heads: &[&For]) -> super::Plan {
        let mut reductions: Vec<(Text, char, bool)> = self
            .scalars
            .iter()
            .filter(|(_, s)| s.is_reduction() && s.extreme.is_none())
            .filter_map(|(name, s)| s.updates.iter().next().map(|c| (name.clone(), *c, s.compound)))
            .collect();
        reductions.sort();
        let mut accumulates: Vec<Text> =
            self.accesses.iter().filter(|a| a.write && a.update.is_some()).map(|a| a.array.clone()).collect();
        accumulates.sort();
        accumulates.dedup();
        accumulates.retain(|a| self.array_meets(a, loops, heads));
        let extremes = self.extremes().cloned().collect();
        let mut counters: Vec<(Text, i64)> = super::counter::counters(&heads[depth - 1].body).into_iter().collect();
        counters.sort();
        super::Plan {
            depth,
            carries: None,
            reductions,
            extremes,
            maybe: self.maybe.clone(),
            counters,
            accumulates,
            scans: Vec::new(),
            before_scans: Vec::new(),
            relaxed: false,
            supposed: self.supposed(loops),
            outer: None,
            serial: None,
        }
    }

    /// What iterations keep as extremes, by name.
    fn extremes(&self) -> impl Iterator<Item = &Extreme> {
        let mut all: Vec<&Extreme> =
            self.scalars.values().filter(|s| s.is_reduction()).filter_map(|s| s.extreme.as_ref()).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all.into_iter()
    }

    /// Reductions and accumulations, for the text of the verdict.
    pub fn extras(&self, loops: &[Text], heads: &[&For]) -> String {
        let mut parts: Vec<String> = self
            .scalars
            .iter()
            .filter(|(_, s)| s.is_reduction() && s.extreme.is_none())
            .map(|(name, s)| {
                format!(", reduction({}) on {name}", s.updates.iter().map(|c| sign(*c)).collect::<String>())
            })
            .collect();
        let mut arrays: Vec<&Text> =
            self.accesses.iter().filter(|a| a.write && a.update.is_some()).map(|a| &a.array).collect();
        arrays.sort();
        arrays.dedup();
        parts.extend(self.extremes().map(Extreme::text));
        parts.sort();
        parts.extend(arrays.iter().map(|a| format!(", accumulates into {a}")));
        let exact = self.exact(loops, heads).into_iter().filter(|a| !arrays.contains(a));
        parts.extend(exact.map(|a| format!(", no two iterations use the same element of {a}")));
        parts.concat()
    }
}
