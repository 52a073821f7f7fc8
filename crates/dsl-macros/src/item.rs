//! `#[kernel]` functions, `#[kernel_fn]` functions and `impl`s.

use crate::rewrite::block_expr;
use crate::scope::{Access, Binding, Frame, Region, Scan, Scope, Target, is_mut_reference};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit_mut::VisitMut;
use syn::{Block, FnArg, ImplItem, ItemFn, ItemImpl, Pat, ReceiverKind, ReturnType, Signature};

/// The path of the run-time support: in `::quadra`, or in what `crate = path` names.
///
/// # Errors
/// Arguments that are anything else.
pub fn rt(args: &TokenStream, name: &str) -> syn::Result<TokenStream> {
    if args.is_empty() {
        return Ok(quote!(::quadra::rt));
    }
    let parse = |input: syn::parse::ParseStream<'_>| {
        input.parse::<syn::Token![crate]>()?;
        input.parse::<syn::Token![=]>()?;
        let path = syn::Path::parse_mod_style(input)?;
        input.parse::<Option<syn::Token![,]>>()?;
        if input.is_empty() { Ok(path) } else { Err(input.error("more than a path")) }
    };
    let path = syn::parse::Parser::parse2(parse, args.clone()).map_err(|_| {
        let text = format!(
            "`#[{name}]` takes only `crate = path`, which says by what name this package has the crate `quadra`: \
             `#[{name}(crate = my_quadra)]`; without it the name is `::quadra`"
        );
        syn::Error::new_spanned(args, text)
    })?;
    Ok(quote!(#path::rt))
}

/// An error, with the item as it was, so that editors still know the names in it.
fn failed(errors: impl IntoIterator<Item = syn::Error>, item: TokenStream) -> TokenStream {
    let errors: TokenStream = errors.into_iter().map(|e| e.to_compile_error()).collect();
    quote!(#errors #item)
}

/// The traits whose methods the rewritten code calls.
fn imports(rt: &TokenStream) -> TokenStream {
    quote! {
        #[allow(unused_imports)]
        use #rt::{
            Assignee as _, HostIndex as _, HostIndexMut as _, ProbeAny as _, ProbeHost as _, ProbeState as _, PtrIndex as _,
            PtrIndexMut as _, StarPtr as _, StarRef as _,
        };
    }
}

/// The lints that the rewritten code cannot satisfy.
fn allowances() -> TokenStream {
    quote! {
        #[allow(
            non_snake_case, unreachable_code, unused_labels, unused_mut, unused_assignments, unused_parens, unused_braces, unused_must_use,
            clippy::all
        )]
    }
}

fn unsupported(sig: &Signature, what: &str) -> Option<syn::Error> {
    let bad = if let Some(token) = &sig.asyncness {
        ("async", token.span)
    } else if let Some(token) = &sig.constness {
        ("const", token.span)
    } else if let Some(variadic) = &sig.variadic {
        ("variadic", variadic.dots.spans[0])
    } else {
        return None;
    };
    Some(syn::Error::new(bad.1, format!("{what} cannot be {}", bad.0)))
}

pub fn kernel(args: TokenStream, input: TokenStream) -> TokenStream {
    let item: ItemFn = match syn::parse2(input.clone()) {
        Ok(item) => item,
        Err(e) => return failed([e], input),
    };
    let rt = match rt(&args, "kernel") {
        Ok(rt) => rt,
        Err(e) => return failed([e], input),
    };
    let mut errors: Vec<_> = unsupported(&item.sig, "a kernel").into_iter().collect();
    if let ReturnType::Type(_, ty) = &item.sig.output {
        errors.push(syn::Error::new_spanned(ty, "a kernel returns nothing: it stores its results through a `Ptr`"));
    }
    match (errors.is_empty(), expand_kernel(item, rt)) {
        (true, Ok(tokens)) => tokens,
        (_, Ok(_)) => failed(errors, input),
        (_, Err(more)) => failed(errors.into_iter().chain(more), input),
    }
}

fn expand_kernel(item: ItemFn, rt: TokenStream) -> Result<TokenStream, Vec<syn::Error>> {
    let mut scope = Scope::new(rt.clone());
    let (mut host, mut kept, mut clones) = (vec![], vec![], vec![]);
    let (mut patterns, mut types, mut names) = (vec![], vec![], vec![]);
    for input in &item.sig.inputs {
        let FnArg::Typed(input) = input else {
            return Err(vec![syn::Error::new_spanned(input, "a kernel has no `self`; methods are `#[kernel_fn]`")]);
        };
        let mut input = input.clone();
        let Pat::Ident(ident) = &*input.pat else {
            return Err(vec![syn::Error::new_spanned(&input.pat, "a kernel's parameter is a plain name")]);
        };
        let ident = ident.clone();
        let is_host = input.attrs.iter().any(|a| a.path().is_ident("host"));
        input.attrs.retain(|a| !a.path().is_ident("host"));
        scope.declare_pattern(&mut input.pat, false);
        let name = &ident.ident;
        if is_host {
            clones.push(quote!(let #ident = ::core::clone::Clone::clone(&#name);));
            // At the type, so that rustc's message says which parameter cannot be kept.
            let at = syn::spanned::Spanned::span(&input.ty);
            let rt = crate::scope::respan(rt.clone(), at);
            kept.push(quote_spanned!(at=> #rt::kept(&#name);));
            if let Pat::Ident(p) = &mut *input.pat {
                p.mutability = None;
            }
            host.push(input);
        } else {
            names.push(name.to_string());
            patterns.push(ident);
            types.push(input.ty);
        }
    }
    scope.frames.push(Frame { target: Target::Kernel, list: Vec::new() });
    let label = syn::Lifetime::new("'__function0", Span::mixed_site());
    scope.regions.push(Region::Label(label.clone()));
    let mut body = (*item.block).clone();
    scope.visit_block_mut(&mut body);
    if !scope.errors.is_empty() {
        return Err(scope.errors);
    }
    let (attrs, vis, ident, generics) = (&item.attrs, &item.vis, &item.sig.ident, &item.sig.generics);
    let where_clause = &generics.where_clause;
    let (imports, allowances) = (imports(&rt), allowances());
    let (name, place) = (ident.to_string(), ident.span());
    let place = quote_spanned!(place=> (::core::file!(), ::core::line!(), ::core::column!()));
    let bounds = quote_spanned!(ident.span()=> #rt::Kernel<(#(#types,)*)>);
    Ok(quote! {
        #(#attrs)*
        #allowances
        #vis fn #ident #generics (#(#host),*) -> #bounds #where_clause {
            #imports
            #(#kept)*
            #rt::Kernel::new(#name, #place, &[#(#names),*], move |(#(#patterns,)*): (#(#types,)*)| {
                #(#clones)*
                #label: #body
            })
        }
    })
}

pub fn kernel_fn(args: TokenStream, input: TokenStream) -> TokenStream {
    let rt = match rt(&args, "kernel_fn") {
        Ok(rt) => rt,
        Err(e) => return failed([e], input),
    };
    if let Ok(mut item) = syn::parse2::<ItemImpl>(input.clone()) {
        let mut errors: Vec<syn::Error> = Vec::new();
        for member in &mut item.items {
            if let ImplItem::Fn(f) = member {
                match rewrite_function(&f.sig, &f.block, &rt) {
                    Ok(block) => {
                        f.block = block;
                        let allowances = allowances();
                        f.attrs.extend(
                            syn::parse::Parser::parse2(syn::Attribute::parse_outer, allowances).unwrap_or_default(),
                        );
                    }
                    Err(more) => errors.extend(more),
                }
            }
        }
        return if errors.is_empty() { item.into_token_stream() } else { failed(errors, input) };
    }
    let item: ItemFn = match syn::parse2(input.clone()) {
        Ok(item) => item,
        Err(e) => return failed([e], input),
    };
    match rewrite_function(&item.sig, &item.block, &rt) {
        Ok(block) => {
            let (attrs, vis, sig, allowances) = (&item.attrs, &item.vis, &item.sig, allowances());
            quote!(#(#attrs)* #allowances #vis #sig #block)
        }
        Err(errors) => failed(errors, input),
    }
}

/// The body of a `#[kernel_fn]`.
fn rewrite_function(sig: &Signature, block: &Block, rt: &TokenStream) -> Result<Block, Vec<syn::Error>> {
    if let Some(e) = unsupported(sig, "a kernel function") {
        return Err(vec![e]);
    }
    let mut scope = Scope::new(rt.clone());
    for input in &sig.inputs {
        match input {
            FnArg::Receiver(r) => {
                let access = match (&r.kind, r.mutability.is_some()) {
                    (ReceiverKind::Reference(_, _, Some(_)), _) => Access::Reborrow,
                    (_, true) => Access::Mutable,
                    _ => Access::Shared,
                };
                let mut ident = syn::Ident::new("self", r.self_token.span);
                scope.declare(&mut ident, access);
            }
            FnArg::Typed(p) => {
                let reborrow = is_mut_reference(&p.ty);
                scope.declare_pattern(&mut p.pat.clone(), reborrow);
            }
        }
    }
    let imports = imports(rt);
    let mut body = block.clone();
    if !Scan::block(block).returns {
        scope.regions.push(Region::Nowhere);
        scope.visit_block_mut(&mut body);
        let body = block_expr(body);
        return done(scope, syn::parse_quote!({ #imports #body }));
    }
    let list: Vec<Binding> = scope.names[0].iter().filter(|b| b.access == Access::Reborrow).cloned().collect();
    scope.frames.push(Frame { target: Target::Function, list: list.clone() });
    let label = syn::Lifetime::new("'__function0", Span::mixed_site());
    scope.regions.push(Region::Label(label.clone()));
    scope.visit_block_mut(&mut body);
    let span = sig.ident.span();
    let show = scope.show(&list, span);
    let (function, value) = (format_ident!("__function", span = span), format_ident!("__result", span = span));
    let shown = scope.show_value(&value, span);
    let ty = match &sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) if ty.to_token_stream().to_string().contains("impl ") => quote!(_),
        ReturnType::Type(_, ty) => quote!(#ty),
    };
    let body = block_expr(body);
    let block = syn::parse2(quote_spanned! {span=> {
        #imports
        let mut #function = #rt::Body::begin(#show);
        let mut #value: ::core::option::Option<#ty> = ::core::option::Option::None;
        #label: { #value = ::core::option::Option::Some(#body); }
        #function.end(#show, #shown);
        match #value {
            ::core::option::Option::Some(__value) => __value,
            ::core::option::Option::None => #rt::never(),
        }
    }});
    match block {
        Ok(block) => done(scope, block),
        Err(e) => Err(vec![e]),
    }
}

fn done(scope: Scope, block: Block) -> Result<Block, Vec<syn::Error>> {
    if scope.errors.is_empty() { Ok(block) } else { Err(scope.errors) }
}
