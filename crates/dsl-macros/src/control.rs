//! Control flow: `if while for loop break continue return`.
//!
//! Each is replaced by Rust code that runs for kernel and Rust conditions alike; the types tell `quadra_dsl::rt` which it
//! is. Arms and bodies stay inline, in labelled blocks, so that Rust's own exits and borrows keep working; a recorded exit
//! jumps behind the innermost of these blocks.

use crate::rewrite::{block_expr, declare_for_pattern, has_let, strip, verbatim};
use crate::scope::{Binding, Frame, Region, Scan, Scope, Target};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{Block, Expr, Ident, Lifetime, Stmt};

/// What an arm gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gives {
    Unit,
    Value,
    Diverges,
}

fn label(name: &str, number: u32) -> Lifetime {
    Lifetime::new(&format!("'__{name}{number}"), Span::mixed_site())
}

fn variable(name: &str, number: u32, span: Span) -> Ident {
    Ident::new(&format!("__{name}{number}"), span)
}

fn gives_expr(expr: &Expr) -> Gives {
    match strip(expr) {
        Expr::Break(_) | Expr::Continue(_) | Expr::Return(_) => Gives::Diverges,
        Expr::Macro(m) if ["panic", "unreachable", "todo", "unimplemented"].iter().any(|n| m.mac.path.is_ident(n)) => {
            Gives::Diverges
        }
        Expr::If(i) => match &i.else_branch {
            Some((_, other)) => both(gives(&i.then_branch), gives_expr(other)),
            None => Gives::Unit,
        },
        Expr::Block(b) => gives(&b.block),
        Expr::While(_) | Expr::ForLoop(_) | Expr::Assign(_) => Gives::Unit,
        Expr::Binary(b) if crate::scope::is_assign_op(&b.op) => Gives::Unit,
        Expr::Verbatim(_) | Expr::Loop(_) => Gives::Value,
        _ => Gives::Value,
    }
}

fn gives(block: &Block) -> Gives {
    match block.stmts.last() {
        Some(Stmt::Expr(e, None)) => gives_expr(e),
        Some(Stmt::Expr(e, Some(_))) if gives_expr(e) == Gives::Diverges => Gives::Diverges,
        Some(Stmt::Macro(m)) if m.semi_token.is_none() => Gives::Value,
        _ => Gives::Unit,
    }
}

fn both(a: Gives, b: Gives) -> Gives {
    match (a, b) {
        (Gives::Diverges, other) | (other, Gives::Diverges) => other,
        (Gives::Unit, _) | (_, Gives::Unit) => Gives::Unit,
        _ => Gives::Value,
    }
}

/// Finds the exits of a loop's body that lead to that loop.
struct Exits<'a> {
    label: Option<&'a str>,
    nested: u32,
    breaks: bool,
    continues: bool,
}

impl<'ast> Visit<'ast> for Exits<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        let named = |l: &Option<Lifetime>, this: &Self| match l {
            Some(l) => Some(l.ident.to_string()).as_deref() == this.label,
            None => this.nested == 0,
        };
        match expr {
            Expr::Break(b) if named(&b.label, self) => self.breaks = true,
            Expr::Continue(c) if named(&c.label, self) => self.continues = true,
            Expr::Closure(_) => return,
            Expr::While(_) | Expr::ForLoop(_) | Expr::Loop(_) => {
                self.nested += 1;
                syn::visit::visit_expr(self, expr);
                self.nested -= 1;
                return;
            }
            _ => {}
        }
        syn::visit::visit_expr(self, expr);
    }
    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

fn exits(body: &Block, label: &Option<syn::Label>) -> (bool, bool) {
    let label = label.as_ref().map(|l| l.name.ident.to_string());
    let mut exits = Exits { label: label.as_deref(), nested: 0, breaks: false, continues: false };
    exits.visit_block(body);
    (exits.breaks, exits.continues)
}

impl Scope {
    /// Where recording goes on after an exit: `break 'label`.
    fn leave_region(&self, span: Span) -> TokenStream {
        let rt = self.rt(span);
        match self.regions.last() {
            Some(Region::Label(label)) => quote_spanned!(span=> break #label),
            _ => quote_spanned!(span=> #rt::never()),
        }
    }

    /// Rewrites a body in its own region.
    fn in_region(&mut self, label: &Lifetime, body: &mut Expr) {
        self.regions.push(Region::Label(label.clone()));
        self.visit_expr_mut(body);
        self.regions.pop();
    }

    pub fn if_(&mut self, expr: &mut Expr) {
        let Expr::If(i) = expr else { return };
        if has_let(&i.cond) {
            self.names.push(Vec::new());
            self.visit_expr_mut(&mut i.cond);
            self.visit_block_mut(&mut i.then_branch);
            self.names.pop();
            if let Some((_, other)) = &mut i.else_branch {
                self.visit_expr_mut(other);
            }
            return;
        }
        let mut scan = Scan::block(&i.then_branch);
        let mut outcome = Gives::Unit;
        if let Some((_, other)) = &i.else_branch {
            scan = scan.and(Scan::expr(other));
            outcome = both(gives(&i.then_branch), gives_expr(other));
        }
        let list = self.list(&scan);
        let number = self.fresh();
        let span = i.if_token.span();
        let show = self.show(&list, span);
        self.visit_expr_mut(&mut i.cond);
        let mut then = block_expr(i.then_branch.clone());
        let (then_label, else_label) = (label("then", number), label("else", number));
        self.in_region(&then_label, &mut then);
        let (rt, k) = (self.rt(span), variable("if", number, i.if_token.span()));
        let condition = &i.cond;
        let begin = quote_spanned!(span=> let mut #k = #rt::If::begin(#condition, #show););
        let Some((_, other)) = &mut i.else_branch else {
            *expr = verbatim(quote_spanned! {span=> {
                #begin
                #then_label: { if #k.then() { #then; } }
                if #k.then() { #k.leave(#show, &mut |_| {}); }
                #k.end(#show, &mut |_| {});
            }});
            return;
        };
        let mut other = (**other).clone();
        self.in_region(&else_label, &mut other);
        let [x, y, z] = ["x", "y", "z"].map(|n| variable(n, number, i.if_token.span()));
        let (value_x, value_y, value_z) =
            (self.show_value(&x, span), self.show_value(&y, span), self.show_value(&z, span));
        let unit = if outcome == Gives::Value {
            quote!()
        } else {
            quote!(: (::core::option::Option<()>, ::core::option::Option<()>))
        };
        let leave = self.leave_region(span);
        let result = match outcome {
            Gives::Diverges => quote_spanned!(span=> { let _ = #z; #leave }),
            _ => quote_spanned! {span=> match #z {
                ::core::option::Option::Some(__value) => __value,
                ::core::option::Option::None => #leave,
            }},
        };
        *expr = verbatim(quote_spanned! {span=> {
            #begin
            let (mut #x, mut #y) #unit = (::core::option::Option::None, ::core::option::Option::None);
            #then_label: { if #k.then() { #x = ::core::option::Option::Some(#then); } }
            if #k.then() { #k.leave(#show, #value_x); }
            #k.turn();
            #else_label: { if #k.otherwise() { #y = ::core::option::Option::Some(#other); } }
            if #k.otherwise() { #k.leave(#show, #value_y); }
            let mut #z = if #x.is_some() { #x } else { #y };
            #k.end(#show, #value_z);
            #result
        }});
    }

    /// `a && b` and `a || b`: the right side is an arm of its own.
    pub fn logic(&mut self, expr: &mut Expr) {
        let Expr::Binary(b) = expr else { return };
        if has_let(&b.left) || has_let(&b.right) {
            // Part of an `if let`, which is Rust's own.
            self.visit_expr_mut(&mut b.left);
            self.visit_expr_mut(&mut b.right);
            return;
        }
        let span = b.op.span();
        let list = self.list(&Scan::expr(&b.right));
        let show = self.show(&list, span);
        let ty = match gives_expr(&b.right) {
            Gives::Diverges => quote_spanned!(span=> : ::core::option::Option<bool>),
            _ => quote!(),
        };
        self.visit_expr_mut(&mut b.left);
        let number = self.fresh();
        let label = label("right", number);
        let mut right = (*b.right).clone();
        self.in_region(&label, &mut right);
        let (rt, k, value) = (self.rt(span), variable("logic", number, span), variable("right", number, span));
        let (left, or) = (&b.left, matches!(b.op, syn::BinOp::Or(_)));
        *expr = verbatim(quote_spanned! {span=> {
            let #k = #rt::ShortCircuit::begin(#left, #or, #show);
            let mut #value #ty = ::core::option::Option::None;
            #label: { if #k.goes_on() { #value = ::core::option::Option::Some(#right); } }
            #k.end(#value, #show)
        }});
    }

    /// A closure that shows the value in an option to the recording.
    pub fn show_value(&self, option: &Ident, span: Span) -> TokenStream {
        let rt = self.rt(span);
        quote_spanned! {span=> &mut |__visitor: &mut #rt::Visitor<'_>| {
            if let ::core::option::Option::Some(__value) = &mut #option {
                (&&&#rt::Probe::new(__value)).probe(__visitor.variable("value"));
            }
        }}
    }

    /// Opens the frame of a loop and gives its number.
    fn push_loop(&mut self, label: &Option<syn::Label>, list: &[Binding]) -> u32 {
        let number = self.fresh();
        let label = label.as_ref().map(|l| l.name.ident.to_string());
        self.frames.push(Frame { target: Target::Loop { label, number }, list: list.to_vec() });
        number
    }

    pub fn while_(&mut self, expr: &mut Expr) {
        let Expr::While(w) = expr else { return };
        let (breaks, continues) = exits(&w.body, &w.label);
        let list = self.list(&Scan::expr(&w.cond).and(Scan::block(&w.body)));
        let span = w.while_token.span();
        let show = self.show(&list, span);
        let number = self.push_loop(&w.label, &list);
        let (rt, l) = (self.rt(span), variable("loop", number, w.while_token.span()));
        let (loop_label, body_label) = (label("loop", number), label("body", number));
        self.regions.push(Region::Label(body_label.clone()));
        self.names.push(Vec::new());
        let binds = has_let(&w.cond);
        self.visit_expr_mut(&mut w.cond);
        let mut body = block_expr(w.body.clone());
        self.visit_expr_mut(&mut body);
        self.names.pop();
        self.regions.pop();
        self.frames.pop();
        let condition = &w.cond;
        let inner = if binds {
            quote_spanned!(span=> if #condition { #l.test(true, #show); #body } else { break #loop_label })
        } else {
            quote_spanned!(span=> if !#l.test(#condition, #show) { break #loop_label } #body)
        };
        *expr = verbatim(quote_spanned! {span=> {
            let mut #l = #rt::While::<_>::begin([#breaks, #continues], #show);
            #loop_label: loop {
                #body_label: { #inner }
                if !#l.frame.next(#show, &mut |_| {}) { break #loop_label }
            }
            #l.frame.end(#show, &mut |_| {});
        }});
    }

    pub fn for_(&mut self, expr: &mut Expr) {
        let Expr::ForLoop(f) = expr else { return };
        let (breaks, continues) = exits(&f.body, &f.label);
        let list = self.list(&Scan::block(&f.body));
        let span = f.for_token.span();
        let show = self.show(&list, span);
        let source_before = (*f.expr).clone();
        self.visit_expr_mut(&mut f.expr);
        let number = self.push_loop(&f.label, &list);
        let (rt, l) = (self.rt(span), variable("loop", number, f.for_token.span()));
        let item = variable("item", number, f.for_token.span());
        let (loop_label, body_label) = (label("loop", number), label("body", number));
        self.names.push(Vec::new());
        declare_for_pattern(self, &mut f.pat, &source_before);
        let mut body = block_expr(f.body.clone());
        self.in_region(&body_label, &mut body);
        self.names.pop();
        self.frames.pop();
        let (pat, source) = (&f.pat, &f.expr);
        *expr = verbatim(quote_spanned! {span=> {
            let mut #l = #rt::For::begin(#source, [#breaks, #continues], #show);
            #loop_label: loop {
                #body_label: {
                    let #item = match #l.item(#show) {
                        ::core::option::Option::Some(__item) => __item,
                        ::core::option::Option::None => break #loop_label,
                    };
                    let #pat = #item;
                    #body
                }
                if !#l.frame.next(#show, &mut |_| {}) { break #loop_label }
            }
            #l.frame.end(#show, &mut |_| {});
        }});
    }

    pub fn loop_(&mut self, expr: &mut Expr) {
        let Expr::Loop(l) = expr else { return };
        let (breaks, continues) = exits(&l.body, &l.label);
        let scan = Scan::block(&l.body);
        let endless = !(breaks || continues || scan.returns || self.leaves_outer(&l.body));
        let list = self.list(&scan);
        let span = l.loop_token.span();
        let show = self.show(&list, span);
        let number = self.push_loop(&l.label, &list);
        let (rt, v) = (self.rt(span), variable("loop", number, l.loop_token.span()));
        let value = variable("value", number, l.loop_token.span());
        let (loop_label, body_label) = (label("loop", number), label("body", number));
        let mut body = block_expr(l.body.clone());
        self.in_region(&body_label, &mut body);
        self.frames.pop();
        let leave = self.leave_region(span);
        let (declare, show_value, result) = if !breaks {
            (quote!(), quote!(&mut |_| {}), quote_spanned!(span=> #leave))
        } else if breaks_with_value(&l.body) {
            let declare = quote_spanned!(span=> let mut #value = ::core::option::Option::None;);
            let result = quote_spanned! {span=> match #value {
                ::core::option::Option::Some(__value) => __value,
                ::core::option::Option::None => #leave,
            }};
            (declare, self.show_value(&value, span), result)
        } else {
            (quote!(), quote!(&mut |_| {}), quote!())
        };
        *expr = verbatim(quote_spanned! {span=> {
            let mut #v = #rt::Loop::begin(#endless);
            #declare
            #loop_label: loop {
                #v.top(#show);
                #body_label: { #body }
                if !#v.frame.next(#show, #show_value) { break #loop_label }
            }
            #v.frame.end(#show, #show_value);
            #result
        }});
    }

    /// Whether a body contains an exit to a loop further out.
    fn leaves_outer(&self, body: &Block) -> bool {
        self.frames.iter().any(|f| match &f.target {
            Target::Loop { label: Some(name), .. } => {
                let mut exits = Exits { label: Some(name), nested: 1, breaks: false, continues: false };
                exits.visit_block(body);
                exits.breaks || exits.continues
            }
            _ => false,
        })
    }

    /// The loop that a `break` or `continue` means.
    fn target(&self, label: &Option<Lifetime>) -> Option<&Frame> {
        for frame in self.frames.iter().rev() {
            match (&frame.target, label) {
                (Target::Loop { .. }, None) => return Some(frame),
                (Target::Loop { label: Some(name), .. }, Some(l)) if l.ident == name => return Some(frame),
                (Target::Closure, _) => return None,
                _ => {}
            }
        }
        None
    }

    pub fn break_(&mut self, expr: &mut Expr) {
        let Expr::Break(b) = expr else { return };
        if let Some(value) = &mut b.expr {
            self.visit_expr_mut(value);
        }
        let Some(frame) = self.target(&b.label) else { return };
        let Target::Loop { number, .. } = frame.target else { return };
        let span = b.break_token.span();
        let (rt, l) = (self.rt(span), variable("loop", number, b.break_token.span()));
        let loop_label = label("loop", number);
        let show = self.show(&frame.list, span);
        let leave = self.leave_region(span);
        let (set, shown) = match &b.expr {
            Some(value) => {
                let option = variable("value", number, b.break_token.span());
                let shown = self.show_value(&option, span);
                (
                    quote_spanned!(span=> #option = ::core::option::Option::Some(#value);),
                    quote_spanned!(span=> ::core::option::Option::Some(#shown)),
                )
            }
            None => (quote!(), quote_spanned!(span=> ::core::option::Option::None)),
        };
        *expr = verbatim(quote_spanned! {span=> {
            #set
            if #l.frame.exit(#rt::Exit::Break, #show, #shown) { break #loop_label } else { #leave }
        }});
    }

    pub fn continue_(&mut self, expr: &mut Expr) {
        let Expr::Continue(c) = expr else { return };
        let Some(frame) = self.target(&c.label) else { return };
        let Target::Loop { number, .. } = frame.target else { return };
        let span = c.continue_token.span();
        let (rt, l) = (self.rt(span), variable("loop", number, c.continue_token.span()));
        let body_label = label("body", number);
        let show = self.show(&frame.list, span);
        let leave = self.leave_region(span);
        *expr = verbatim(quote_spanned! {span=> {
            if #l.frame.exit(#rt::Exit::Continue, #show, ::core::option::Option::None) { break #body_label } else { #leave }
        }});
    }

    pub fn return_(&mut self, expr: &mut Expr) {
        let Expr::Return(r) = expr else { return };
        if let Some(value) = &mut r.expr {
            self.visit_expr_mut(value);
        }
        let span = r.return_token.span();
        let rt = self.rt(span);
        let leave = self.leave_region(span);
        let frame = self.frames.iter().rev().find(|f| !matches!(f.target, Target::Loop { .. }));
        match frame.map(|f| (&f.target, &f.list)) {
            Some((Target::Kernel, _)) => {
                *expr = verbatim(quote_spanned!(span=> { if #rt::return_kernel() { return } else { #leave } }));
            }
            Some((Target::Function, list)) => {
                let show = self.show(list, span);
                let (body, value) = (format_ident!("__function", span = span), format_ident!("__result", span = span));
                let shown = self.show_value(&value, span);
                let given = r.expr.as_ref().map_or(quote!(()), |e| e.to_token_stream());
                let function = label("function", 0);
                *expr = verbatim(quote_spanned! {span=> {
                    #value = ::core::option::Option::Some(#given);
                    if #body.exit(#show, #shown) { break #function } else { #leave }
                }});
            }
            _ => {}
        }
    }
}

fn breaks_with_value(body: &Block) -> bool {
    struct Finder(bool);
    impl<'ast> Visit<'ast> for Finder {
        fn visit_expr_break(&mut self, b: &'ast syn::ExprBreak) {
            self.0 |= b.expr.is_some();
        }
        fn visit_expr_loop(&mut self, _: &'ast syn::ExprLoop) {}
    }
    let mut finder = Finder(false);
    finder.visit_block(body);
    finder.0
}
