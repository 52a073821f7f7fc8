//! `#[kernel]` functions, `#[kernel_fn]` functions and `impl`s.

use crate::rewrite::block_expr;
use crate::scope::{Access, Binding, Frame, Region, Scan, Scope, Target, is_mut_reference};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::visit_mut::VisitMut;
use syn::{Block, FnArg, ImplItem, ItemFn, ItemImpl, Pat, ReceiverKind, ReturnType, Signature};

/// The path of the run-time support: this crate's facade by whichever name the user's package depends on it.
pub fn rt() -> TokenStream {
    let manifest = std::env::var("CARGO_MANIFEST_DIR")
        .ok()
        .and_then(|dir| std::fs::read_to_string(format!("{dir}/Cargo.toml")).ok());
    let own = std::env::var("CARGO_PKG_NAME").is_ok_and(|name| name == "quadra-dsl" || name == "quadra");
    match manifest {
        Some(text) if !own && !text.contains("quadra-dsl") => quote!(::quadra::dsl::rt),
        _ => quote!(::quadra_dsl::rt),
    }
}

/// An error, with the item as it was, so that editors still know the names in it.
fn failed(errors: impl IntoIterator<Item = syn::Error>, item: TokenStream) -> TokenStream {
    let errors: TokenStream = errors.into_iter().map(|e| e.to_compile_error()).collect();
    quote!(#errors #item)
}

fn no_arguments(args: &TokenStream, name: &str) -> Option<syn::Error> {
    (!args.is_empty()).then(|| syn::Error::new_spanned(args, format!("`#[{name}]` takes no arguments")))
}

/// The traits whose methods the rewritten code calls.
fn imports(rt: &TokenStream) -> TokenStream {
    quote! {
        #[allow(unused_imports)]
        use #rt::{
            Assignee as _, HostIndex as _, HostIndexMut as _, ProbeAny as _, ProbeHost as _, ProbeState as _, PtrIndex as _,
            StarPtr as _, StarRef as _,
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
    let mut errors: Vec<_> =
        no_arguments(&args, "kernel").into_iter().chain(unsupported(&item.sig, "a kernel")).collect();
    if let ReturnType::Type(_, ty) = &item.sig.output {
        errors.push(syn::Error::new_spanned(ty, "a kernel returns nothing: it stores its results through a `Ptr`"));
    }
    match (errors.is_empty(), expand_kernel(item)) {
        (true, Ok(tokens)) => tokens,
        (_, Ok(_)) => failed(errors, input),
        (_, Err(more)) => failed(errors.into_iter().chain(more), input),
    }
}

fn expand_kernel(item: ItemFn) -> Result<TokenStream, Vec<syn::Error>> {
    let rt = rt();
    let mut scope = Scope::new(rt.clone());
    let (mut host, mut patterns, mut types, mut names, mut clones) = (vec![], vec![], vec![], vec![], vec![]);
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
            #rt::Kernel::new(#name, #place, &[#(#names),*], move |(#(#patterns,)*): (#(#types,)*)| {
                #(#clones)*
                #label: #body
            })
        }
    })
}

pub fn kernel_fn(args: TokenStream, input: TokenStream) -> TokenStream {
    let wrong = no_arguments(&args, "kernel_fn");
    if let Ok(mut item) = syn::parse2::<ItemImpl>(input.clone()) {
        let mut errors: Vec<_> = wrong.into_iter().collect();
        for member in &mut item.items {
            if let ImplItem::Fn(f) = member {
                match rewrite_function(&f.sig, &f.block) {
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
    match (wrong, rewrite_function(&item.sig, &item.block)) {
        (None, Ok(block)) => {
            let (attrs, vis, sig, allowances) = (&item.attrs, &item.vis, &item.sig, allowances());
            quote!(#(#attrs)* #allowances #vis #sig #block)
        }
        (wrong, result) => failed(wrong.into_iter().chain(result.err().into_iter().flatten()), input),
    }
}

/// The body of a `#[kernel_fn]`.
fn rewrite_function(sig: &Signature, block: &Block) -> Result<Block, Vec<syn::Error>> {
    if let Some(e) = unsupported(sig, "a kernel function") {
        return Err(vec![e]);
    }
    let rt = rt();
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
    let imports = imports(&rt);
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
