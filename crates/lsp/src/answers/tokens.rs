//! Semantic tokens.

use crate::program::language::Shipped;
use crate::program::language::token::Tok;
use crate::program::model::Model;
use crate::program::source::Source;
use crate::program::symbols::{Kind, Symbol};
use lsp_types::{SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokensLegend};

/// Kinds of tokens, by the numbers that [`tokens`] gives.
const TYPES: &[SemanticTokenType] = &[
    SemanticTokenType::KEYWORD,
    SemanticTokenType::COMMENT,
    SemanticTokenType::STRING,
    SemanticTokenType::NUMBER,
    SemanticTokenType::OPERATOR,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::TYPE_PARAMETER,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::TYPE,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::MODIFIER,
    SemanticTokenType::DECORATOR,
];

const MODIFIERS: &[SemanticTokenModifier] =
    &[SemanticTokenModifier::DEFINITION, SemanticTokenModifier::READONLY, SemanticTokenModifier::DEFAULT_LIBRARY];

pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend { token_types: TYPES.to_vec(), token_modifiers: MODIFIERS.to_vec() }
}

fn number(ty: SemanticTokenType) -> u32 {
    TYPES.iter().position(|t| *t == ty).unwrap_or(0) as u32
}

fn of_symbol(symbol: &Symbol, write: bool) -> (u32, u32) {
    const DEFINITION: u32 = 1;
    const READONLY: u32 = 2;
    const LIBRARY: u32 = 4;
    let function = symbol.function.as_ref().is_some_and(|f| f.name == symbol.name);
    let (ty, modifiers) = match &symbol.kind {
        Kind::Variable if function => (SemanticTokenType::FUNCTION, 0),
        Kind::Variable | Kind::Unknown => (SemanticTokenType::VARIABLE, 0),
        Kind::Parameter | Kind::Argument => (SemanticTokenType::PARAMETER, 0),
        Kind::TypeParameter => (SemanticTokenType::TYPE_PARAMETER, 0),
        Kind::Function => (SemanticTokenType::FUNCTION, 0),
        Kind::Type => (SemanticTokenType::TYPE, 0),
        Kind::Field(_) => (SemanticTokenType::PROPERTY, 0),
        Kind::Shipped(Shipped::Constant) => (SemanticTokenType::VARIABLE, READONLY | LIBRARY),
        Kind::Shipped(Shipped::Function) => (SemanticTokenType::FUNCTION, LIBRARY),
        Kind::Shipped(Shipped::Type) => (SemanticTokenType::TYPE, LIBRARY),
    };
    (number(ty), modifiers | if write { DEFINITION } else { 0 })
}

/// The tokens of a file that begin in `bytes`.
pub fn tokens(model: &Model, source: &Source, bytes: std::ops::Range<usize>) -> Vec<SemanticToken> {
    let mut found: Vec<(std::ops::Range<usize>, u32, u32)> = Vec::new();
    for token in &source.tokens {
        let (ty, modifiers) = match &token.kind {
            Tok::Keyword(_) => (number(SemanticTokenType::KEYWORD), 0),
            Tok::Str(_) => (number(SemanticTokenType::STRING), 0),
            Tok::Int(_) | Tok::Float(_) | Tok::Imag(_) => (number(SemanticTokenType::NUMBER), 0),
            Tok::Modifier(_) => (number(SemanticTokenType::MODIFIER), 0),
            Tok::Attribute(_) => (number(SemanticTokenType::DECORATOR), 0),
            Tok::Name(_) => match model.symbols.site(source.id, token.span.line, token.span.column) {
                Some(site) if site.span == token.span => of_symbol(&model.symbols.symbols[site.symbol], site.write),
                _ => continue,
            },
            Tok::Punct("," | ";" | "(" | ")" | "[" | "]" | "{" | "}" | "`" | "'") => continue,
            Tok::Punct(_) => (number(SemanticTokenType::OPERATOR), 0),
            Tok::Newline | Tok::End => continue,
        };
        found.push((source.text.bytes(token.span), ty, modifiers));
    }
    let comment = number(SemanticTokenType::COMMENT);
    found.extend(source.comments().into_iter().map(|c| (c, comment, 0)));
    found.retain(|(at, ..)| bytes.contains(&at.start) && !at.is_empty());
    found.sort_by_key(|(at, ..)| at.start);
    let mut before = lsp_types::Position::new(0, 0);
    let mut out = Vec::with_capacity(found.len());
    for (at, token_type, token_modifiers_bitset) in found {
        let range = source.text.range(at);
        if range.start.line != range.end.line {
            continue;
        }
        let delta_line = range.start.line - before.line;
        let delta_start = range.start.character - if delta_line == 0 { before.character } else { 0 };
        let length = range.end.character - range.start.character;
        out.push(SemanticToken { delta_line, delta_start, length, token_type, token_modifiers_bitset });
        before = range.start;
    }
    out
}
