//! Renaming: where a name stands, and whether another one may take its place.

use crate::program::language::token::{COMMANDS, KEYWORDS, Tok};
use crate::program::language::{SPECIAL, Shipped, builtins, library, shipped};
use crate::program::model::Model;
use crate::program::symbols::{Kind, Symbol, SymbolId};

/// Why a symbol keeps its name whatever the new one is.
///
/// # Errors
/// The reason, for the user.
pub fn renamable(model: &Model, id: SymbolId) -> Result<(), String> {
    let symbol = &model.symbols.symbols[id];
    let name = &symbol.name;
    let refuse = |why: &str| Err(format!("'{name}' cannot be renamed: {why}"));
    match &symbol.kind {
        Kind::Shipped(_) => return refuse("it belongs to the language"),
        Kind::Unknown => return refuse("nothing defines it"),
        Kind::Argument => return refuse("the function that it is given to is not known here"),
        Kind::Field(class) if class.is_empty() => return refuse("the class of its object is not known here"),
        Kind::Type if !model.symbols.of(id).any(|s| s.write) => return refuse("nothing defines it"),
        Kind::Parameter if &**name == "self" => return refuse("it makes the function a method"),
        Kind::Parameter if SPECIAL.contains(&&**name) => return refuse("a launch gives it by this name"),
        Kind::Function if &**name == "main" => return refuse("a run begins there"),
        _ => {}
    }
    let shipped = model.symbols.of(id).any(|s| model.sources.get(&s.span.file).is_none_or(|s| s.path.is_none()));
    if shipped {
        return refuse("it is used in the library of the language");
    }
    // What is used before it is assigned may be the language's function then.
    let function = builtins::find(name).is_some() || library::defining(name).is_some();
    if function && model.symbols.of(id).next().is_some_and(|first| !first.write) {
        return refuse("it is a function of the language until it is assigned");
    }
    ambiguous(model, symbol).map_or(Ok(()), |line| refuse(&format!("line {line} may mean it or another one")))
}

/// The line of a site that may mean this symbol, which only a run decides.
fn ambiguous(model: &Model, symbol: &Symbol) -> Option<u32> {
    let other = |kind: &Kind| match kind {
        Kind::Field(class) => class.is_empty() && matches!(symbol.kind, Kind::Field(_) | Kind::Function),
        Kind::Argument => matches!(symbol.kind, Kind::Parameter | Kind::Field(_)),
        _ => false,
    };
    let symbols = &model.symbols;
    let alike = |s: &&crate::program::symbols::Site| {
        let what = &symbols.symbols[s.symbol];
        what.name == symbol.name && other(&what.kind)
    };
    let method = symbol.kind != Kind::Function
        || symbol.function.as_ref().is_some_and(|f| f.params.first().is_some_and(|p| &*p.name == "self"));
    let site = symbols.sites.iter().find(alike).filter(|_| method);
    site.map(|s| s.span.line).or_else(|| evaluated(model, &symbol.name))
}

/// The line of a text with this name in a program that evaluates texts, or that reads or writes variables by their names.
fn evaluated(model: &Model, name: &str) -> Option<u32> {
    let calls = |names: [&str; 2]| {
        let one = |s: &Symbol| s.kind == Kind::Shipped(Shipped::Function) && names.contains(&&*s.name);
        model.symbols.symbols.iter().any(one)
    };
    let (evaluates, stores) = (calls(["eval", "type"]), calls(["load", "save"]));
    let word = |text: &str| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|w| w == name);
    let means = |text: &str| evaluates && word(text) || stores && text == name;
    let tokens = model.sources.values().flat_map(|s| &s.tokens);
    tokens.filter(|t| matches!(&t.kind, Tok::Str(text) if means(text))).map(|t| t.span.line).next()
}

/// Whether `new` can be a name of this symbol: an identifier that means nothing else where the symbol stands.
///
/// # Errors
/// The reason, for the user.
pub fn fits(model: &Model, id: SymbolId, new: &str) -> Result<(), String> {
    let symbol = &model.symbols.symbols[id];
    let begins = new.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !begins || new == "_" || !new.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(format!("'{new}' is no name: names are letters, digits and '_', and begin with no digit"));
    }
    if KEYWORDS.contains(&new) || COMMANDS.contains(&new) || SPECIAL.contains(&new) || matches!(new, "self" | "main") {
        return Err(format!("'{new}' has a meaning of its own"));
    }
    if matches!(shipped(new), Some(Shipped::Type | Shipped::Constant)) {
        return Err(format!("'{new}' is a type or constant of the language"));
    }
    let symbols = &model.symbols;
    let local = matches!(symbol.kind, Kind::Variable | Kind::Parameter | Kind::TypeParameter);
    let clash = symbols.sites.iter().find(|site| {
        let other = &symbols.symbols[site.symbol];
        let field = |kind: &Kind| matches!(kind, Kind::Field(_) | Kind::Argument);
        // Fields stand behind points, where no variable does; methods stand there, too.
        let apart = match (&symbol.kind, &other.kind) {
            (Kind::Field(a), Kind::Field(b)) => a != b && !b.is_empty(),
            (Kind::Field(_), kind) => *kind != Kind::Function,
            (Kind::Function, kind) => matches!(kind, Kind::Argument),
            (_, kind) => field(kind),
        };
        let seen = !local || symbols.within(site.scope, symbol.scope) || other.scope == symbol.scope;
        site.symbol != id && *other.name == *new && !apart && seen
    });
    match clash {
        Some(site) => Err(format!("'{new}' has another meaning in line {}", site.span.line)),
        None => Ok(()),
    }
}
