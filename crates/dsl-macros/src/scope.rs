//! Names: which variables are in scope, and which of them a piece of code may change.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, Ident, Pat, Type, UnOp};

/// How the recording gets at a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Declared `mut`: `&mut x`.
    Mutable,
    /// Holds a `&mut` reference: `&mut *x`.
    Reborrow,
    /// Anything else: `&x`; a change is an error.
    Shared,
}

/// A variable in scope.
#[derive(Clone)]
pub struct Binding {
    /// As the source calls it.
    pub name: String,
    /// As the rewritten code calls it.
    pub ident: Ident,
    pub access: Access,
}

/// What an early exit can lead to.
pub enum Target {
    /// A loop, with the label the source gives it.
    Loop { label: Option<String>, number: u32 },
    /// The body of a `#[kernel_fn]` that contains a `return`.
    Function,
    /// The body of a `#[kernel]`.
    Kernel,
    /// The body of a closure, which nothing crosses.
    Closure,
}

/// A target and the variables that must be shown to the recording where it is left for it.
pub struct Frame {
    pub target: Target,
    pub list: Vec<Binding>,
}

/// Where recording goes on after an exit was recorded: behind the innermost arm or body.
#[derive(Clone)]
pub enum Region {
    Label(syn::Lifetime),
    Nowhere,
}

/// The state of rewriting one function.
pub struct Scope {
    rt: TokenStream,
    pub names: Vec<Vec<Binding>>,
    pub frames: Vec<Frame>,
    pub regions: Vec<Region>,
    pub errors: Vec<syn::Error>,
    next: u32,
}

impl Scope {
    /// An empty scope.
    pub fn new(rt: TokenStream) -> Scope {
        Scope { rt, names: vec![Vec::new()], frames: Vec::new(), regions: Vec::new(), errors: Vec::new(), next: 0 }
    }

    /// `::quadra::rt`, all of it at a place of the source: `Location::caller()` and rustc's messages then name that place.
    pub fn rt(&self, span: Span) -> TokenStream {
        respan(self.rt.clone(), span)
    }

    /// A number for fresh names.
    pub fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// The variable that a name means here.
    pub fn lookup(&self, name: &str) -> Option<&Binding> {
        self.names.iter().rev().find_map(|block| block.iter().rev().find(|b| b.name == name))
    }

    /// Declares a variable; renames it if it would hide one that an exit still needs.
    pub fn declare(&mut self, ident: &mut Ident, access: Access) {
        let name = ident.to_string();
        let hides = self.frames.iter().any(|f| f.list.iter().any(|b| b.name == name));
        if hides {
            *ident = Ident::new(&format!("{name}__{}", self.fresh()), ident.span());
        }
        let binding = Binding { name, ident: ident.clone(), access };
        self.names.last_mut().expect("a function has at least one scope").push(binding);
    }

    /// Declares all variables of a pattern. `reborrow`: it is matched with a `&mut` reference, so that they are such references.
    pub fn declare_pattern(&mut self, pat: &mut Pat, reborrow: bool) {
        match pat {
            Pat::Ident(p) => {
                let name = p.ident.to_string();
                if p.subpat.is_none() && name.starts_with(char::is_uppercase) {
                    return; // A constant or a unit variant.
                }
                let access = match (p.mutability.is_some(), reborrow) {
                    (true, _) => Access::Mutable,
                    (false, true) => Access::Reborrow,
                    (false, false) => Access::Shared,
                };
                self.declare(&mut p.ident, access);
                if let Some((_, sub)) = &mut p.subpat {
                    self.declare_pattern(sub, reborrow);
                }
            }
            Pat::Or(p) => p.cases.iter_mut().for_each(|p| self.declare_pattern(p, reborrow)),
            Pat::Paren(p) => self.declare_pattern(&mut p.pat, reborrow),
            Pat::Reference(p) => self.declare_pattern(&mut p.pat, false),
            Pat::Slice(p) => p.elems.iter_mut().for_each(|p| self.declare_pattern(p, reborrow)),
            Pat::Struct(p) => {
                for field in &mut p.fields {
                    self.declare_pattern(&mut field.pat, reborrow);
                    if let (None, Pat::Ident(inner), syn::Member::Named(member)) =
                        (&field.colon_token, &*field.pat, &field.member)
                        && inner.ident != *member
                    {
                        field.colon_token = Some(syn::token::Colon(member.span()));
                    }
                }
            }
            Pat::Tuple(p) => p.elems.iter_mut().for_each(|p| self.declare_pattern(p, reborrow)),
            Pat::TupleStruct(p) => p.elems.iter_mut().for_each(|p| self.declare_pattern(p, reborrow)),
            Pat::Type(p) => {
                let reborrow = reborrow || is_mut_reference(&p.ty);
                self.declare_pattern(&mut p.pat, reborrow);
            }
            _ => {}
        }
    }

    /// The variables in scope that the code seen by `scan` may change.
    pub fn list(&self, scan: &Scan) -> Vec<Binding> {
        scan.names.iter().filter_map(|name| self.lookup(name)).cloned().collect()
    }

    /// A closure that shows the variables of a list to the recording.
    pub fn show(&self, list: &[Binding], span: Span) -> TokenStream {
        let rt = self.rt(span);
        if list.is_empty() {
            return quote_spanned!(span=> &mut |_: &mut #rt::Visitor<'_>| {});
        }
        let probes = list.iter().map(|b| {
            let (ident, name) = (&b.ident, &b.name);
            let place = match b.access {
                Access::Mutable => quote!(&mut #ident),
                Access::Reborrow => quote!(&mut *#ident),
                Access::Shared => quote!(&#ident),
            };
            let at = ident.span();
            let rt = self.rt(at);
            quote_spanned!(at=> (&&&#rt::Probe::new(#place)).probe(__visitor.variable(#name));)
        });
        quote_spanned!(span=> &mut |__visitor: &mut #rt::Visitor<'_>| { #(#probes)* })
    }
}

/// All tokens at one place.
pub fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut tree| {
            tree.set_span(span);
            tree
        })
        .collect()
}

/// Whether an expression gives a `&mut` reference, or options and the like of them, as far as one can see.
pub fn gives_mut_reference(expr: &Expr) -> bool {
    match expr {
        Expr::Reference(r) => r.mutability.is_some(),
        Expr::MethodCall(m) => m.method.to_string().ends_with("_mut"),
        Expr::Paren(p) => gives_mut_reference(&p.expr),
        _ => false,
    }
}

/// Whether a type is `&mut …`.
pub fn is_mut_reference(ty: &Type) -> bool {
    matches!(ty, Type::Reference(r) if r.mutability.is_some())
}

/// Collects the names that a piece of code may change: everything but what only takes part in arithmetic. Names that are no
/// variables, or are declared inside, do no harm.
#[derive(Default)]
pub struct Scan {
    pub names: BTreeSet<String>,
    /// Whether the code contains an exit that leaves it for this function (`return`) or a loop.
    pub returns: bool,
    reading: bool,
}

impl Scan {
    /// The names in an expression.
    pub fn expr(expr: &Expr) -> Scan {
        let mut scan = Scan::default();
        scan.visit_expr(expr);
        scan
    }

    /// The names in a block.
    pub fn block(block: &syn::Block) -> Scan {
        let mut scan = Scan::default();
        scan.visit_block(block);
        scan
    }

    /// Together with another's.
    pub fn and(mut self, other: Scan) -> Scan {
        self.names.extend(other.names);
        self.returns |= other.returns;
        self
    }

    fn read(&mut self, expr: &Expr) {
        let before = std::mem::replace(&mut self.reading, true);
        self.visit_expr(expr);
        self.reading = before;
    }

    fn change(&mut self, expr: &Expr) {
        let before = std::mem::replace(&mut self.reading, false);
        self.visit_expr(expr);
        self.reading = before;
    }

    fn tokens(&mut self, tokens: TokenStream) {
        for tree in tokens {
            match tree {
                TokenTree::Ident(i) => {
                    self.names.insert(i.to_string());
                }
                TokenTree::Group(g) => self.tokens(g.stream()),
                _ => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Scan {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Path(p) => {
                if let Some(ident) = p.path.get_ident()
                    && !self.reading
                {
                    self.names.insert(ident.to_string());
                }
            }
            Expr::Binary(b) if is_assign_op(&b.op) => {
                self.change(&b.left);
                self.read(&b.right);
            }
            Expr::Binary(b) => {
                self.read(&b.left);
                self.read(&b.right);
            }
            Expr::Unary(u) if matches!(u.op, UnOp::Neg(_) | UnOp::Not(_)) => self.read(&u.expr),
            Expr::Unary(u) => self.visit_expr(&u.expr),
            Expr::Index(i) => {
                self.visit_expr(&i.expr);
                self.read(&i.index);
            }
            Expr::Field(f) => self.visit_expr(&f.base),
            Expr::Paren(p) => self.visit_expr(&p.expr),
            Expr::Cast(c) => self.read(&c.expr),
            Expr::Reference(r) if r.mutability.is_none() => self.read(&r.expr),
            Expr::Return(_) => {
                self.returns = true;
                visit::visit_expr(self, expr);
            }
            Expr::Closure(c) => {
                let returns = self.returns;
                self.change(&c.body);
                self.returns = returns;
            }
            _ => {
                let before = std::mem::replace(&mut self.reading, false);
                visit::visit_expr(self, expr);
                self.reading = before;
            }
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.tokens(mac.tokens.clone());
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}

/// `+=` and the like.
pub fn is_assign_op(op: &BinOp) -> bool {
    use BinOp::*;
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}
