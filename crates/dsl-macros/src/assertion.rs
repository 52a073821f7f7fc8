//! `assert!`, `assert_eq!` and `assert_ne!`: checked now for Rust values, in the kernel for kernel values.

use crate::scope::Scope;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{Expr, Token};

impl Scope {
    /// What stands for an assertion; nothing if its arguments are not what the macro takes, of which rustc then complains.
    pub fn assertion(&mut self, mac: &mut syn::Macro) -> Option<TokenStream> {
        let args = mac.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated).ok()?;
        let mut args: Vec<Expr> = args.into_iter().collect();
        let sides = if mac.path.is_ident("assert") { 1 } else { 2 };
        if args.len() < sides {
            return None;
        }
        let message = args.split_off(sides);
        let shown: Vec<String> = args.iter().map(|a| tidy(a.to_token_stream().to_string())).collect();
        args.iter_mut().for_each(|a| self.visit_expr_mut(a));
        let span = mac.path.span();
        let rt = self.rt(span);
        let (condition, plain) = match &args[..] {
            [left, right] => {
                let (method, sign) = if mac.path.is_ident("assert_eq") { ("equal", "==") } else { ("unequal", "!=") };
                let method = syn::Ident::new(method, span);
                (
                    quote_spanned!(span=> #rt::Equal::#method(&(#left), &(#right))),
                    format!("{} {sign} {}", shown[0], shown[1]),
                )
            }
            _ => (args[0].to_token_stream(), shown[0].clone()),
        };
        let text = match &message[..] {
            [] => quote_spanned!(span=> ::std::string::String::from(#plain)),
            format => quote_spanned!(span=> ::std::format!(#(#format),*)),
        };
        let captures = {
            let mut only = mac.clone();
            only.tokens = quote!(#(#message),*);
            self.format_captures(&only)
        };
        Some(quote_spanned!(span=> #rt::assert_that(#condition, || { #captures #text })))
    }
}

/// Tokens as a person writes them, nearly.
fn tidy(text: String) -> String {
    let mut text = text.replace(" . ", ".").replace(" (", "(").replace("( ", "(").replace(" )", ")");
    for (spaced, plain) in [(" :: ", "::"), (" [", "["), ("[ ", "["), (" ]", "]"), (" ,", ","), ("! ", "!")] {
        text = text.replace(spaced, plain);
    }
    text
}
