//! `#[derive(KernelState)]`.

use crate::item::rt;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput};

/// Visits every field in order.
pub fn kernel_state(input: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(input) {
        Ok(input) => input,
        Err(e) => return e.to_compile_error(),
    };
    let Data::Struct(data) = &input.data else {
        let text = "only structs can be followed by kernel control flow: which variant an enum is must be known while recording";
        return syn::Error::new_spanned(&input.ident, text).to_compile_error();
    };
    let mut args = TokenStream::new();
    for attr in input.attrs.iter().filter(|a| a.path().is_ident("kernel_state")) {
        match attr.meta.require_list() {
            Ok(list) => args = list.tokens.clone(),
            Err(e) => return e.to_compile_error(),
        }
    }
    let rt = match rt(&args, "kernel_state") {
        Ok(rt) => rt,
        Err(e) => return e.to_compile_error(),
    };
    let members: Vec<_> = data.fields.members().collect();
    let types: Vec<_> = data.fields.iter().map(|f| &f.ty).collect();
    let visitor = syn::Ident::new("visitor", proc_macro2::Span::mixed_site());
    let probe = |exclusive: bool| {
        let (rt, visitor) = (&rt, &visitor);
        let lines = members.iter().zip(&types).map(move |(member, ty)| {
            let span = syn::spanned::Spanned::span(ty);
            let place = if exclusive { quote!(&mut self.#member) } else { quote!(&self.#member) };
            quote_spanned!(span=> (&&&#rt::Probe::new(#place)).probe(#visitor);)
        });
        let mut out = TokenStream::new();
        out.extend(lines);
        out
    };
    let (visits, views) = (probe(true), probe(false));
    let name = &input.ident;
    let mut generics = input.generics.clone();
    for parameter in input.generics.type_params() {
        let ident = &parameter.ident;
        generics.make_where_clause().predicates.push(syn::parse_quote!(#ident: #rt::KernelState));
    }
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();
    quote! {
        impl #impl_generics #rt::KernelState for #name #ty_generics #where_clause {
            fn visit(&mut self, #visitor: &mut #rt::Visitor<'_>) {
                #[allow(unused_imports)]
                use #rt::{ProbeAny as _, ProbeHost as _, ProbeState as _};
                #visits
            }
            fn view(&self, #visitor: &mut #rt::Visitor<'_>) {
                #[allow(unused_imports)]
                use #rt::{ProbeAny as _, ProbeHost as _, ProbeState as _};
                #views
            }
        }
    }
}
