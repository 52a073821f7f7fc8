//! Expressions: comparisons, `&& ||`, loads and stores through kernel pointers, literals, names.

use crate::scope::{Frame, Region, Scan, Scope, Target, gives_mut_reference, is_assign_op, respan};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Block, Expr, Lit, Pat, Stmt, Type, UnOp, parse_quote};

/// Methods of kernel values that take them by value, so that `p[i].to_float()` and `(*p).abs()` load.
const VALUE_METHODS: &[&str] = &[
    "min",
    "max",
    "abs",
    "mul24",
    "shr_logical",
    "ror",
    "clz",
    "topmost_bit",
    "to_float",
    "to_int",
    "to_uint",
    "as_float",
    "as_int",
    "recip",
    "rsqrt",
    "sqrt",
    "exp2",
    "log2",
    "exp",
    "ln",
    "sin",
    "cos",
    "tanh",
    "floor",
    "ceil",
    "trunc",
    "round",
    "pow",
    "select",
    "recip_approx",
    "rsqrt_approx",
    "exp2_approx",
    "log2_approx",
];

/// Wraps generated tokens as an expression that needs no parentheses around it.
pub fn verbatim(tokens: TokenStream) -> Expr {
    Expr::Verbatim(tokens)
}

impl Scope {
    /// An expression where Rust takes a place, not a value: it is not loaded.
    pub fn place(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Index(i) => {
                self.place(&mut i.expr);
                self.visit_expr_mut(&mut i.index);
            }
            Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => self.place(&mut u.expr),
            Expr::Field(f) => self.place(&mut f.base),
            Expr::Paren(p) => self.place(&mut p.expr),
            Expr::Group(g) => self.place(&mut g.expr),
            _ => self.visit_expr_mut(expr),
        }
    }

    fn binary(&mut self, expr: &mut Expr) {
        let Expr::Binary(b) = expr else { return };
        if is_assign_op(&b.op) {
            return self.update(expr);
        }
        if let BinOp::And(_) | BinOp::Or(_) = b.op {
            return self.logic(expr);
        }
        self.visit_expr_mut(&mut b.left);
        self.visit_expr_mut(&mut b.right);
        let method = match b.op {
            BinOp::Eq(_) => "Equal::equal",
            BinOp::Ne(_) => "Equal::unequal",
            BinOp::Lt(_) => "Order::less",
            BinOp::Le(_) => "Order::less_equal",
            BinOp::Gt(_) => "Order::greater",
            BinOp::Ge(_) => "Order::greater_equal",
            _ => return,
        };
        let span = b.left.span();
        let (left, right, rt) = (&b.left, &b.right, self.rt(span));
        let method: syn::Path = syn::parse_str(method).expect("the names above are paths");
        let method = respan(method.into_token_stream(), b.op.span());
        let (left, right) = (by_reference(left), by_reference(right));
        *expr = verbatim(quote_spanned!(span=> #rt::#method(#left, #right)));
    }

    /// `a = b`, `*p = x`, `p[i] = x`.
    fn assign(&mut self, expr: &mut Expr) {
        let Expr::Assign(a) = expr else { return };
        self.visit_expr_mut(&mut a.right);
        let right = self.literal(&a.right);
        let left = self.assignee(&mut a.left, "assignee");
        let eq = &a.eq_token;
        *expr = verbatim(quote!(#left #eq #right));
    }

    /// `a += b`, `*p += x`, `p[i] += x`. The right side is evaluated first, as Rust does for its own numbers.
    fn update(&mut self, expr: &mut Expr) {
        let Expr::Binary(b) = expr else { return };
        self.visit_expr_mut(&mut b.right);
        if matches!(strip(&b.left), Expr::Path(_) | Expr::Field(_)) {
            return self.place(&mut b.left);
        }
        let left = self.assignee(&mut b.left, "updatee");
        let (op, right) = (&b.op, &b.right);
        let span = right.span();
        *expr = verbatim(quote_spanned!(span=> { let __right = #right; #left #op __right; }));
    }

    /// The left side of an assignment: a store where it goes through a kernel pointer.
    fn assignee(&mut self, left: &mut Expr, method: &str) -> TokenStream {
        let span = left.span();
        let (element, whole) = (syn::Ident::new(&format!("element_{method}"), span), syn::Ident::new(method, span));
        match strip_mut(left) {
            Expr::Index(i) => {
                self.place(&mut i.expr);
                self.visit_expr_mut(&mut i.index);
                let (base, index) = (receiver(&i.expr), &i.index);
                quote_spanned!(span=> *#base.#element(#index))
            }
            Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => {
                self.place(&mut u.expr);
                let base = receiver(&u.expr);
                quote_spanned!(span=> *#base.#whole())
            }
            other => {
                self.place(other);
                other.to_token_stream()
            }
        }
    }

    /// A literal takes the type of what it is assigned to, kernel or Rust.
    fn literal(&self, expr: &Expr) -> TokenStream {
        if !is_plain_literal(expr) {
            return expr.to_token_stream();
        }
        let span = expr.span();
        let rt = self.rt(span);
        quote_spanned!(span=> #rt::literal(#expr))
    }

    fn macro_call(&mut self, mac: &mut syn::Macro) -> bool {
        if mac.path.is_ident("vec")
            && let Ok(mut list) =
                mac.parse_body_with(syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated)
        {
            list.iter_mut().for_each(|e| self.visit_expr_mut(e));
            mac.tokens = list.into_token_stream();
            return false;
        }
        let (tokens, renamed) = self.rename_tokens(mac.tokens.clone());
        mac.tokens = tokens;
        renamed
    }

    /// Variables in a macro's tokens get the names that the rewritten code gives them.
    fn rename_tokens(&self, tokens: TokenStream) -> (TokenStream, bool) {
        let mut any = false;
        let mut after_dot = false;
        let out = tokens
            .into_iter()
            .map(|tree| {
                let dotted =
                    std::mem::replace(&mut after_dot, matches!(&tree, TokenTree::Punct(p) if p.as_char() == '.'));
                match tree {
                    TokenTree::Ident(i) if !dotted => match self.lookup(&i.to_string()) {
                        Some(b) if b.ident != i => {
                            any = true;
                            TokenTree::Ident(syn::Ident::new(&b.ident.to_string(), i.span()))
                        }
                        _ => TokenTree::Ident(i),
                    },
                    TokenTree::Group(g) => {
                        let (inner, changed) = self.rename_tokens(g.stream());
                        any |= changed;
                        let mut group = proc_macro2::Group::new(g.delimiter(), inner);
                        group.set_span(g.span());
                        TokenTree::Group(group)
                    }
                    other => other,
                }
            })
            .collect();
        (out, any)
    }

    /// Format strings capture variables by name: bind the names they use that were renamed.
    pub fn format_captures(&self, mac: &syn::Macro) -> TokenStream {
        let mut out = TokenStream::new();
        for tree in mac.tokens.clone() {
            let TokenTree::Literal(l) = tree else { continue };
            let text = l.to_string();
            for part in text.split('{').skip(1) {
                let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if let Some(b) = self.lookup(&name)
                    && b.ident != name
                {
                    let (ident, original) = (&b.ident, syn::Ident::new(&name, l.span()));
                    out.extend(quote!(let #original = &#ident;));
                }
            }
        }
        out
    }

    fn closure(&mut self, closure: &mut syn::ExprClosure) {
        self.names.push(Vec::new());
        for pat in &mut closure.inputs {
            self.declare_pattern(pat, false);
        }
        self.frames.push(Frame { target: Target::Closure, list: Vec::new() });
        self.regions.push(Region::Nowhere);
        self.visit_expr_mut(&mut closure.body);
        self.regions.pop();
        self.frames.pop();
        self.names.pop();
    }

    fn match_arms(&mut self, m: &mut syn::ExprMatch) {
        let reborrow = gives_mut_reference(&m.expr);
        self.place(&mut m.expr);
        for arm in &mut m.arms {
            self.names.push(Vec::new());
            match &mut arm.pat {
                Pat::Guard(g) => {
                    self.declare_pattern(&mut g.pat, reborrow);
                    self.visit_expr_mut(&mut g.guard);
                }
                pat => self.declare_pattern(pat, reborrow),
            }
            self.visit_expr_mut(&mut arm.body);
            self.names.pop();
        }
    }

    fn local(&mut self, local: &mut syn::Local, rest: &[Stmt]) {
        let mut reborrow = false;
        if let Some(init) = &mut local.init {
            reborrow = gives_mut_reference(&init.expr);
            if takes_reference(&local.pat) {
                self.place(&mut init.expr);
            } else {
                self.visit_expr_mut(&mut init.expr);
            }
            if matches!(&local.pat, Pat::Type(t) if !matches!(*t.ty, Type::Infer(_))) {
                let literal = self.literal(&init.expr);
                *init.expr = verbatim(literal);
            }
            if let Some((_, diverge)) = &mut init.diverge {
                self.visit_expr_mut(diverge);
            }
        } else if let Some(ident) = declared_name(&mut local.pat)
            && assigned_in_control_flow(&ident.ident.to_string(), rest)
        {
            // It must hold something before kernel control flow can merge it.
            ident.mutability.get_or_insert(syn::token::Mut(ident.ident.span()));
            let span = ident.ident.span();
            let zero = verbatim(quote_spanned!(span=> ::core::default::Default::default()));
            local.init = Some(syn::LocalInit { eq_token: syn::token::Eq(span), expr: Box::new(zero), diverge: None });
        }
        self.declare_pattern(&mut local.pat, reborrow);
    }
}

impl VisitMut for Scope {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Binary(_) => self.binary(expr),
            Expr::Assign(_) => self.assign(expr),
            Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => {
                let span = u.span();
                self.place(&mut u.expr);
                let (rt, inner) = (self.rt(span), by_reference(&u.expr));
                *expr = verbatim(quote_spanned!(span=> (*(&&#rt::Star(#inner)).star())));
            }
            Expr::Index(i) => {
                let span = i.span();
                self.place(&mut i.expr);
                self.visit_expr_mut(&mut i.index);
                let (base, index) = (receiver(&i.expr), &i.index);
                *expr = verbatim(quote_spanned!(span=> (*#base.element(#index))));
            }
            Expr::Reference(r) => self.place(&mut r.expr),
            Expr::Field(f) => self.place(&mut f.base),
            Expr::MethodCall(m) => {
                if VALUE_METHODS.iter().any(|name| m.method == name) {
                    self.visit_expr_mut(&mut m.receiver);
                } else {
                    self.place(&mut m.receiver);
                }
                m.args.iter_mut().for_each(|e| self.visit_expr_mut(e));
            }
            Expr::Let(l) => {
                let reborrow = gives_mut_reference(&l.expr);
                self.place(&mut l.expr);
                self.declare_pattern(&mut l.pat, reborrow);
            }
            Expr::Match(m) => self.match_arms(m),
            Expr::Closure(c) => self.closure(c),
            Expr::Path(p) => {
                if p.qself.is_none()
                    && let Some(ident) = p.path.get_ident()
                    && let Some(b) = self.lookup(&ident.to_string())
                    && b.ident != *ident
                {
                    let ident = syn::Ident::new(&b.ident.to_string(), ident.span());
                    p.path = ident.into();
                }
            }
            Expr::Struct(s) => {
                for field in &mut s.fields {
                    self.visit_expr_mut(&mut field.expr);
                    if field.colon_token.is_none()
                        && field.member.to_token_stream().to_string() != field.expr.to_token_stream().to_string()
                    {
                        field.colon_token = Some(syn::token::Colon(field.member.span()));
                    }
                }
                if let Some(rest) = &mut s.rest {
                    self.visit_expr_mut(rest);
                }
            }
            Expr::Macro(m) if is_assertion(&m.mac) => {
                if let Some(assertion) = self.assertion(&mut m.mac) {
                    *expr = verbatim(assertion);
                }
            }
            Expr::Macro(m) => {
                let captures = self.format_captures(&m.mac);
                self.macro_call(&mut m.mac);
                if !captures.is_empty() {
                    *expr = verbatim(quote!({ #captures #m }));
                }
            }
            Expr::If(_) => self.if_(expr),
            Expr::While(_) => self.while_(expr),
            Expr::ForLoop(_) => self.for_(expr),
            Expr::Loop(_) => self.loop_(expr),
            Expr::Break(_) => self.break_(expr),
            Expr::Continue(_) => self.continue_(expr),
            Expr::Return(_) => self.return_(expr),
            Expr::Async(_) | Expr::Const(_) => {}
            _ => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        self.names.push(Vec::new());
        for i in 0..block.stmts.len() {
            let (before, rest) = block.stmts.split_at_mut(i + 1);
            match &mut before[i] {
                Stmt::Local(local) => self.local(local, rest),
                Stmt::Expr(e, _) => self.visit_expr_mut(e),
                Stmt::Macro(m) if is_assertion(&m.mac) => {
                    if let Some(assertion) = self.assertion(&mut m.mac) {
                        before[i] = Stmt::Expr(verbatim(assertion), Some(Default::default()));
                    }
                }
                Stmt::Macro(m) => {
                    let captures = self.format_captures(&m.mac);
                    self.macro_call(&mut m.mac);
                    if !captures.is_empty() {
                        let mac = m.mac.clone();
                        before[i] = Stmt::Expr(verbatim(quote!({ #captures #mac; })), Some(Default::default()));
                    }
                }
                Stmt::Item(_) => {}
            }
        }
        self.names.pop();
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

fn is_assertion(mac: &syn::Macro) -> bool {
    ["assert", "assert_eq", "assert_ne"].iter().any(|name| mac.path.is_ident(name))
}

/// Without parentheses and invisible groups.
pub fn strip(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(p) => strip(&p.expr),
        Expr::Group(g) => strip(&g.expr),
        other => other,
    }
}

fn strip_mut(expr: &mut Expr) -> &mut Expr {
    match expr {
        Expr::Paren(p) => strip_mut(&mut p.expr),
        Expr::Group(g) => strip_mut(&mut g.expr),
        other => other,
    }
}

/// `&expr` with the place of `expr`.
fn by_reference(expr: &Expr) -> TokenStream {
    let span = expr.span();
    match expr {
        Expr::Path(_) | Expr::Field(_) | Expr::Lit(_) | Expr::Verbatim(_) | Expr::MethodCall(_) | Expr::Call(_) => {
            quote_spanned!(span=> &#expr)
        }
        _ => quote_spanned!(span=> &(#expr)),
    }
}

/// An expression before `.method()`.
fn receiver(expr: &Expr) -> TokenStream {
    match expr {
        Expr::Path(_) | Expr::Field(_) | Expr::MethodCall(_) | Expr::Call(_) | Expr::Index(_) | Expr::Paren(_) => {
            quote!(#expr)
        }
        _ => quote!((#expr)),
    }
}

fn is_plain_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(l) => match &l.lit {
            Lit::Int(i) => i.suffix().is_empty(),
            Lit::Float(f) => f.suffix().is_empty(),
            _ => false,
        },
        Expr::Unary(u) => matches!(u.op, UnOp::Neg(_)) && is_plain_literal(&u.expr),
        _ => false,
    }
}

/// Whether a pattern binds by reference, so that its initializer is a place.
fn takes_reference(pat: &Pat) -> bool {
    match pat {
        Pat::Ident(p) => p.by_ref.is_some(),
        Pat::Type(p) => takes_reference(&p.pat),
        Pat::Wild(_) => false,
        _ => true,
    }
}

/// The variable of `let x;`.
fn declared_name(pat: &mut Pat) -> Option<&mut syn::PatIdent> {
    match pat {
        Pat::Ident(p) => Some(p),
        Pat::Type(p) => declared_name(&mut p.pat),
        _ => None,
    }
}

fn assigned_in_control_flow(name: &str, rest: &[Stmt]) -> bool {
    rest.iter().any(|stmt| match stmt {
        Stmt::Expr(e @ (Expr::If(_) | Expr::While(_) | Expr::ForLoop(_) | Expr::Loop(_)), _) => {
            Scan::expr(e).names.contains(name)
        }
        _ => false,
    })
}

/// Whether a condition binds names (`if let`), so that it is Rust's own.
pub fn has_let(condition: &Expr) -> bool {
    match strip(condition) {
        Expr::Let(_) => true,
        Expr::Binary(b) => has_let(&b.left) || has_let(&b.right),
        _ => false,
    }
}

/// `{ block }` as an expression.
pub fn block_expr(block: Block) -> Expr {
    parse_quote!(#block)
}

/// Declares a `for` pattern: its variables may be borrowed mutably, as references to what is iterated over.
pub fn declare_for_pattern(scope: &mut Scope, pat: &mut Pat, source: &Expr) {
    let tuple_by_value = matches!(strip(source), Expr::MethodCall(m) if m.method == "enumerate" || m.method == "zip");
    let mut make = |pat: &mut Pat| {
        if let Pat::Ident(p) = pat
            && p.by_ref.is_none()
            && !p.ident.to_string().starts_with(char::is_uppercase)
        {
            p.mutability.get_or_insert(syn::token::Mut(p.ident.span()));
        }
    };
    match &mut *pat {
        Pat::Tuple(t) if tuple_by_value => t.elems.iter_mut().for_each(&mut make),
        other => make(other),
    }
    scope.declare_pattern(pat, false);
}
