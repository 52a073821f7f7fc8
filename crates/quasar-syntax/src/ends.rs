//! `end` in the brackets behind a variable: its last index. `x[end+1] = v` makes the array longer by what it stores, `x[k] = []` shorter.

use super::ast::{APPEND, Arg, BinaryOp, EMPTIED, Expr, ExprKind, Text};
use super::brackets::Brackets;
use super::parser::Parser;
use super::token::Tok;
use quadra_base::{Diagnostic, Span};

impl Parser {
    /// `base` with the indices behind it, up to the closing bracket.
    pub(super) fn indices_of(&mut self, base: Expr) -> ExprKind {
        let brackets = Brackets { base: base.clone(), kept: None, item: 0, count: self.index_count() };
        self.ends.open.push(brackets);
        let items = self.indices();
        let kept = self.ends.open.pop().and_then(|b| b.kept);
        self.expect("]");
        let Some(name) = kept else { return ExprKind::Index { base: Box::new(base), items } };
        let span = base.span;
        let (stored, read) = (self.expr(span, ExprKind::Name(name.clone())), self.expr(span, ExprKind::Name(name)));
        let keep = ExprKind::Assign { target: Box::new(stored), op: None, value: Box::new(base) };
        let keep = self.expr(span, keep);
        let element = self.expr(span, ExprKind::Index { base: Box::new(read), items });
        ExprKind::Sequence(vec![keep, element])
    }

    /// The value before the brackets for its length: the same expression, or the variable that keeps it.
    fn base_again(&mut self, base: &Expr) -> Expr {
        if let Some(same) = self.again(base) {
            return same;
        }
        // The name has a blank, so that no program can mean it.
        let fresh: Text = format!("before {}", self.next_id).into();
        let name = match self.ends.open.last_mut() {
            Some(brackets) => brackets.kept.get_or_insert(fresh).clone(),
            None => fresh,
        };
        self.expr(base.span, ExprKind::Name(name))
    }

    pub(super) fn inside_brackets(&self) -> bool {
        !self.ends.open.is_empty()
    }

    /// The next index is read.
    pub(super) fn next_index(&mut self) {
        if let Some(brackets) = self.ends.open.last_mut() {
            brackets.item += 1;
        }
    }

    /// The number of indices up to the closing bracket.
    fn index_count(&self) -> Option<usize> {
        let (mut depth, mut count) = (0, 1);
        for ahead in 0.. {
            match self.peek_at(ahead) {
                Tok::Punct("(" | "[" | "{" | "`") => depth += 1,
                Tok::Punct("]") if depth == 0 => return Some(count),
                Tok::Punct(")" | "]" | "}" | "'") => depth -= 1,
                Tok::Punct(",") if depth == 0 => count += 1,
                Tok::Punct("...") if depth == 0 => return None,
                Tok::End | Tok::Newline => break,
                _ => {}
            }
        }
        Some(count)
    }

    /// `end` as an index: the last one of the dimension, or of all elements where it stands alone.
    pub(super) fn last_index(&mut self) -> Expr {
        let span = self.span();
        self.bump();
        let found = self.ends.open.last().map(|b| (b.base.clone(), b.item, b.count));
        let length = match found {
            Some((base, item, Some(count))) => Some((self.base_again(&base), (count > 1).then_some(item))),
            _ => None,
        };
        let Some((base, dimension)) = length else {
            let diagnostic = Diagnostic::error("Q0110", "'end' stands for no index here")
                .at(span)
                .help("it is the last index of the variable before the brackets: x[end], A[0,end], s.list[end-1]");
            self.error(diagnostic);
            return self.expr(span, ExprKind::Missing);
        };
        let name = if dimension.is_some() { "size" } else { "numel" };
        let mut args = vec![base];
        if let Some(dimension) = dimension {
            args.push(self.expr(span, ExprKind::Int(dimension as i64)));
        }
        let length = self.builtin_call(name, args, span);
        let one = self.expr(span, ExprKind::Int(1));
        let last = self.expr(span, ExprKind::Binary(BinaryOp::Sub, Box::new(length), Box::new(one)));
        self.ends.made.push(last.id);
        last
    }

    /// `f(args…)` for a function that is built in.
    pub(super) fn builtin_call(&mut self, name: &str, args: Vec<Expr>, span: Span) -> Expr {
        let callee = Box::new(self.expr(span, ExprKind::Name(name.into())));
        let args = args.into_iter().map(|value| Arg { name: None, value }).collect();
        self.expr(span, ExprKind::Call { callee, args })
    }

    /// The same expression once more, if evaluating it twice is evaluating it once.
    fn again(&mut self, e: &Expr) -> Option<Expr> {
        let kind = match &e.kind {
            kind @ (ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) | ExprKind::Name(_) | ExprKind::Colon) => {
                kind.clone()
            }
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, Box::new(self.again(a)?)),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, Box::new(self.again(a)?), Box::new(self.again(b)?)),
            ExprKind::Field { base, name, name_span } => {
                ExprKind::Field { base: Box::new(self.again(base)?), name: name.clone(), name_span: *name_span }
            }
            ExprKind::Index { base, items } => {
                let base = Box::new(self.again(base)?);
                ExprKind::Index { base, items: items.iter().map(|i| self.again(i)).collect::<Option<_>>()? }
            }
            // The length that an inner `end` stands for.
            ExprKind::Call { callee, args } if self.is_length(callee) => {
                let callee = Box::new(self.again(callee)?);
                let again = |p: &mut Self, a: &Arg| Some(Arg { name: a.name.clone(), value: p.again(&a.value)? });
                ExprKind::Call { callee, args: args.iter().map(|a| again(self, a)).collect::<Option<_>>()? }
            }
            _ => return None,
        };
        Some(self.expr(e.span, kind))
    }

    fn is_length(&self, callee: &Expr) -> bool {
        matches!(&callee.kind, ExprKind::Name(n) if matches!(&**n, "size" | "numel"))
    }

    /// What `target = value` means where an index of the target is `end+1`: the array with the value behind its last element,
    /// row or column takes the place of the old one.
    ///
    /// `target = []` takes what the target selects out of the array.
    pub(super) fn resized(&mut self, target: &Expr, value: &Expr, span: Span) -> Option<Expr> {
        let ExprKind::Index { base, items } = &target.kind else { return None };
        if matches!(&value.kind, ExprKind::Array(values) if values.is_empty()) {
            return self.emptied(base, items, span);
        }
        let one_more = |item: &Expr| match &item.kind {
            ExprKind::Binary(BinaryOp::Add, last, one) => {
                self.ends.made.contains(&last.id) && matches!(one.kind, ExprKind::Int(1))
            }
            _ => false,
        };
        let dimension = items.iter().position(one_more)?;
        let whole = |(d, item): (usize, &Expr)| d == dimension || matches!(item.kind, ExprKind::Colon);
        if !items.iter().enumerate().all(whole) {
            return None;
        }
        let mut args = vec![self.again(base)?, value.clone()];
        if items.len() > 1 {
            args.push(self.expr(target.span, ExprKind::Int(dimension as i64)));
        }
        let longer = self.builtin_call(APPEND, args, span);
        Some(self.expr(span, ExprKind::Assign { target: base.clone(), op: None, value: Box::new(longer) }))
    }
    /// `base[items…] = []` as `base = emptied(base, items…)`.
    fn emptied(&mut self, base: &Expr, items: &[Expr], span: Span) -> Option<Expr> {
        if items.iter().any(|i| matches!(i.kind, ExprKind::Spread(_))) {
            return None;
        }
        let mut args = vec![self.again(base)?];
        for item in items {
            args.push(match item.kind {
                ExprKind::Colon => self.expr(item.span, ExprKind::Str(":".into())),
                _ => item.clone(),
            });
        }
        let rest = self.builtin_call(EMPTIED, args, span);
        Some(self.expr(span, ExprKind::Assign { target: Box::new(base.clone()), op: None, value: Box::new(rest) }))
    }
}
