//! Calls of functions of the program, which are followed, and of built-in ones.

use super::{Certain, DEEPEST, Known, MOST_CALLS, State, leaves, no_field, shapes};
use crate::meaning::Meaning;
use crate::types::Type;
use quadra_base::quick::Map;
use quadra_base::quick::Set;
use quadra_base::{Diagnostic, Span};
use quadra_quasar_syntax::ast::{Arg, Expr, ExprKind, Function, FunctionKind, Text};
use std::rc::Rc;

impl Certain<'_> {
    pub(super) fn call_of(&mut self, e: &Expr, callee: &Expr, args: &[Arg], state: &mut State) -> Known {
        let given = self.arguments(args, state);
        let ExprKind::Name(name) = &callee.kind else {
            if let ExprKind::Field { base, .. } = &callee.kind {
                self.expr(base, state);
            }
            return Known::Other;
        };
        if state.env.contains_key(name) {
            return Known::Other;
        }
        match self.functions.get(name).cloned() {
            Some(Some(f)) if f.kind == FunctionKind::Host => {
                let plain = args.iter().all(|a| a.name.is_none() && !matches!(a.value.kind, ExprKind::Spread(_)));
                return if plain { self.call(&f, &given, state, e.span) } else { Known::Other };
            }
            Some(_) => return Known::Other,
            None => {}
        }
        if let Some(class) = self.types.classes.get(name).cloned() {
            for (arg, field) in args.iter().filter_map(|a| Some((a, a.name.as_ref()?))) {
                if !class.dynamic && !class.fields.borrow().iter().any(|f| f.0 == *field) {
                    self.wrong(state, no_field(&class, field, arg.value.span));
                }
            }
            return Known::Object(class.name.clone());
        }
        let meaning = self.library.meaning(name);
        match meaning {
            Meaning::Exit | Meaning::Error => state.sure = false,
            Meaning::Evaluate => state.env.clear(),
            _ => {}
        }
        shapes::of_builtin(meaning, &given)
    }

    /// Follows a call of a function of the program.
    pub(super) fn call(&mut self, f: &Rc<Function>, given: &[Known], state: &mut State, span: Span) -> Known {
        self.seen.insert(f.id);
        self.calls += 1;
        if self.calls > MOST_CALLS || self.depth >= DEEPEST || f.params.iter().any(|p| p.variadic) {
            return Known::Other;
        }
        let generics: Vec<Text> = f.generics.iter().map(|g| g.0.clone()).collect();
        let mut inner = State { env: Map::default(), moded: Set::default(), sure: state.sure, safe: false };
        for (i, param) in f.params.iter().enumerate() {
            let declared = param.ty.as_ref().map(|t| self.types.resolve(t, &generics, &mut Vec::new()));
            let ty = declared.as_ref().map(|d| d.ty.clone());
            let known = given.get(i).cloned().unwrap_or(Known::Other);
            if let (Known::Array(shape), Some(ty)) = (&known, &ty)
                && let Err(solved) = shapes::bind(shape, ty, &mut inner.env)
            {
                let message = format!(
                    "argument '{}' of '{}' needs a '{solved}', not an array of size {}",
                    param.name,
                    f.name,
                    shapes::text(shape)
                );
                let help = "the sizes of the call contradict those of the function";
                self.wrong(state, Diagnostic::error("Q0311", message).at(span).help(help));
                return Known::Other;
            }
            let known = match (known, &ty) {
                (Known::Array(shape), _) => Known::Array(shape),
                (known, Some(ty)) if matches!(ty, Type::Array { .. }) || known == Known::Other => shapes::of_type(ty),
                (known, _) => known,
            };
            inner.env.insert(param.name.clone(), known);
            if declared.is_some_and(|d| d.access.is_some()) {
                inner.moded.insert(param.name.clone());
            }
        }
        let found = self.found.len();
        self.depth += 1;
        let varying = std::mem::take(&mut self.varying);
        self.block(&f.body, &mut inner);
        self.varying = varying;
        self.depth -= 1;
        state.sure &= self.found.len() == found;
        // Where it may return early, what it leaves is not that of its end.
        let result =
            f.outputs.first().filter(|_| !leaves(&f.body, self.library)).and_then(|o| inner.env.get(&o.0).cloned());
        result.unwrap_or(Known::Other)
    }
}
