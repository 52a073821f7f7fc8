//! Names to their meanings, as the compiler of the language gives them: blocks open no scopes, functions see the variables that exist
//! around them, then come functions of the program, constants, built-in functions and types.

use crate::program::language::ast::{
    Arg, Block, Expr, ExprKind, Function, NodeId, Stmt, StmtKind, Text as Name, TypeDef, TypeDefKind,
};
use crate::program::language::{Analysis, COUNTS, Names, Shipped, Type, shipped};
use crate::program::source::Source;
use crate::program::symbols::{Kind, Scope, Site, Symbol, SymbolId, Symbols};
use quadra_base::quick::Map;
use quadra_base::{FileId, Span};
use std::rc::Rc;

mod texts;
mod types;

/// Symbols and sites of a program.
pub fn resolve(analysis: &Analysis, sources: &Map<FileId, Source>) -> Symbols {
    let body = &analysis.program.module.body;
    let mut resolver = Resolver {
        analysis,
        sources,
        out: Symbols::default(),
        functions: Map::default(),
        methods: Map::default(),
        others: Map::default(),
        scope_of: Map::default(),
        scope: 0,
    };
    resolver.out.scopes.push(Scope {
        parent: None,
        names: Map::default(),
        assigned: Names::of_block(body),
        inner: Vec::new(),
        function: None,
    });
    resolver.gather(body, true);
    resolver.block(body);
    let mut out = resolver.out;
    out.settle();
    out
}

struct Resolver<'a> {
    analysis: &'a Analysis,
    sources: &'a Map<FileId, Source>,
    out: Symbols,
    functions: Map<Name, SymbolId>,
    /// Functions whose first parameter is called `self`.
    methods: Map<Name, SymbolId>,
    /// Everything that has no scope, by kind and name.
    others: Map<(u8, Name, Name), SymbolId>,
    scope_of: Map<NodeId, usize>,
    scope: usize,
}

impl Resolver<'_> {
    fn symbol(&mut self, name: &Name, kind: Kind, scope: usize) -> SymbolId {
        self.out.symbols.push(Symbol { name: name.clone(), kind, scope, function: None, written: None });
        self.out.symbols.len() - 1
    }

    fn other(&mut self, name: &Name, kind: Kind) -> SymbolId {
        let (number, class) = match &kind {
            Kind::Field(class) => (0, class.clone()),
            Kind::Type => (1, "".into()),
            Kind::Argument => (2, "".into()),
            Kind::Shipped(_) => (3, "".into()),
            _ => (4, "".into()),
        };
        let key = (number, name.clone(), class);
        if let Some(id) = self.others.get(&key) {
            return *id;
        }
        let id = self.symbol(name, kind, 0);
        self.others.insert(key, id);
        id
    }

    /// Global functions and all types: the order of their definitions does not matter.
    fn gather(&mut self, block: &Block, global: bool) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Function(f) => {
                    if global {
                        let known = self.functions.get(&f.name).copied();
                        let id = known.unwrap_or_else(|| self.symbol(&f.name, Kind::Function, 0));
                        self.out.symbols[id].function.get_or_insert_with(|| f.clone());
                        self.functions.insert(f.name.clone(), id);
                        if f.params.first().is_some_and(|p| &*p.name == "self") {
                            self.methods.insert(f.name.clone(), id);
                        }
                    }
                    self.gather(&f.body, false);
                }
                StmtKind::TypeDef(def) => drop(self.other(&def.name, Kind::Type)),
                StmtKind::Module(m) => self.gather(&m.body, global),
                StmtKind::If { arms, otherwise } => {
                    arms.iter().for_each(|a| self.gather(&a.1, global));
                    self.gather(otherwise, global);
                }
                StmtKind::For(f) => self.gather(&f.body, global),
                StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => self.gather(body, global),
                StmtKind::Try { body, handler, .. } => {
                    self.gather(body, global);
                    self.gather(handler, global);
                }
                StmtKind::Match { arms, .. } => arms.iter().for_each(|a| self.gather(&a.body, global)),
                _ => {}
            }
        }
    }

    /// The scope of a function, with its parameters; calls by name may ask before its definition is met.
    fn scope_of(&mut self, f: &Rc<Function>) -> usize {
        if let Some(scope) = self.scope_of.get(&f.id) {
            return *scope;
        }
        let scope = self.out.scopes.len();
        self.scope_of.insert(f.id, scope);
        let inner = Names::of_block(&f.body).functions;
        let assigned = Names::of_function(f);
        self.out.scopes.push(Scope { parent: None, names: Map::default(), assigned, inner, function: Some(f.clone()) });
        let own = f.params.iter().map(|p| (&p.name, Kind::Parameter, p.ty.as_ref()));
        let own = own.chain(f.generics.iter().map(|g| (&g.0, Kind::TypeParameter, g.1.as_ref())));
        let own = own.chain(f.outputs.iter().map(|o| (&o.0, Kind::Variable, o.1.as_ref())));
        for (name, kind, written) in own {
            if !self.out.scopes[scope].names.contains_key(name) {
                let id = self.symbol(name, kind, scope);
                self.out.symbols[id].function = Some(f.clone());
                self.out.symbols[id].written = written.map(|t| t.span);
                self.out.scopes[scope].names.insert(name.clone(), id);
            }
        }
        scope
    }

    /// The variable of this name as a scope sees it.
    fn variable(&mut self, scope: usize, name: &Name) -> Option<SymbolId> {
        if let Some(id) = self.out.scopes[scope].names.get(name) {
            return Some(*id);
        }
        // A function counts its own arguments, whatever is called so around it.
        let counting = self.out.scopes[scope].function.as_ref().is_some_and(|f| !f.lambda) && COUNTS.contains(&&**name);
        if let Some(parent) = self.out.scopes[scope].parent.filter(|_| !counting)
            && let Some(id) = self.variable(parent, name)
        {
            return Some(id);
        }
        let here = &self.out.scopes[scope];
        if !here.assigned.assigns(name) && !here.inner.contains(name) {
            return None;
        }
        let id = self.symbol(name, Kind::Variable, scope);
        self.out.scopes[scope].names.insert(name.clone(), id);
        Some(id)
    }

    fn meaning(&mut self, name: &Name) -> SymbolId {
        if let Some(id) = self.variable(self.scope, name).or_else(|| self.functions.get(name).copied()) {
            return id;
        }
        // A type of the program wins over a function of the library.
        let types = &self.analysis.facts.types;
        let kind = match shipped(name) {
            Some(what @ Shipped::Constant) => Kind::Shipped(what),
            _ if types.classes.contains_key(name) || types.aliases.contains_key(name) => Kind::Type,
            Some(what) => Kind::Shipped(what),
            None => Kind::Unknown,
        };
        self.other(name, kind)
    }

    fn put(&mut self, span: Span, symbol: SymbolId, write: bool, node: Option<NodeId>) {
        self.out.sites.push(Site { span, symbol, write, node, scope: self.scope });
    }

    /// A site at a token of the file that a place lies in.
    fn put_token(&mut self, file: FileId, token: Option<usize>, symbol: SymbolId, write: bool, node: Option<NodeId>) {
        let found = token.and_then(|t| self.sources.get(&file)?.tokens.get(t));
        if let Some(span) = found.map(|t| t.span) {
            self.put(span, symbol, write, node);
        }
    }

    /// The token of a name from a place on: parentheses may stand before it.
    fn token(&self, span: Span, name: &str) -> Option<usize> {
        let source = self.sources.get(&span.file)?;
        source.name_from(source.at(span), name)
    }

    fn block(&mut self, block: &Block) {
        block.iter().for_each(|s| self.statement(s));
    }

    fn statement(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::If { arms, otherwise } => {
                for (condition, body) in arms {
                    self.expr(condition);
                    self.block(body);
                }
                self.block(otherwise);
            }
            StmtKind::For(f) => {
                self.expr(&f.over);
                let id = self.meaning(&f.name);
                self.put(f.name_span, id, true, Some(f.id));
                self.block(&f.body);
            }
            StmtKind::While { condition, body } | StmtKind::Repeat { body, condition } => {
                self.expr(condition);
                self.block(body);
            }
            StmtKind::Match { value, arms } => {
                self.expr(value);
                for arm in arms {
                    arm.patterns.iter().for_each(|p| self.expr(p));
                    self.block(&arm.body);
                }
            }
            StmtKind::Try { body, name, handler } => {
                self.block(body);
                if let Some(name) = name {
                    let id = self.meaning(name);
                    let source = self.sources.get(&stmt.span.file);
                    let token = source.and_then(|s| s.caught(s.at(stmt.span)));
                    self.put_token(stmt.span.file, token, id, true, None);
                }
                self.block(handler);
            }
            StmtKind::Function(f) => self.definition(f),
            StmtKind::TypeDef(def) => self.type_definition(def),
            StmtKind::Command { name, args } => {
                let id = self.other(name, Kind::Shipped(Shipped::Function));
                self.put_token(stmt.span.file, self.token(stmt.span, name), id, false, None);
                self.args(args, None);
            }
            StmtKind::Module(m) => self.block(&m.body),
            _ => {}
        }
    }

    fn type_definition(&mut self, def: &TypeDef) {
        let id = self.other(&def.name, Kind::Type);
        self.put_token(def.span.file, self.token(def.span, &def.name), id, true, None);
        match &def.kind {
            TypeDefKind::Alias(ty) => self.type_expr(ty),
            TypeDefKind::Class { fields, .. } => {
                for (field, ty) in fields {
                    let id = self.other(field, Kind::Field(def.name.clone()));
                    self.out.symbols[id].written.get_or_insert(ty.span);
                    let token = self.sources.get(&ty.span.file).and_then(|s| s.at(ty.span).checked_sub(2));
                    self.put_token(ty.span.file, token, id, true, None);
                    self.type_expr(ty);
                }
            }
        }
    }

    /// A function statement: the sites of its head, then its body.
    fn definition(&mut self, f: &Rc<Function>) {
        let local = self.variable(self.scope, &f.name).filter(|_| self.scope != 0);
        let id = local.or_else(|| self.functions.get(&f.name).copied());
        let Some(id) = id else { return };
        self.out.symbols[id].function.get_or_insert_with(|| f.clone());
        let outer = self.enter(f);
        if let Some(source) = self.sources.get(&f.span.file) {
            let (outputs, behind) = source.listed(source.at(f.span) + 1, f.outputs.len());
            let name = source.name_from(behind, &f.name);
            self.heads(f, &outputs, f.outputs.iter().map(|o| &o.0));
            self.scope = outer;
            self.put_token(f.span.file, name, id, true, None);
            self.enter(f);
            if let Some(name) = name.filter(|_| !f.generics.is_empty()) {
                let (generics, _) = source.listed(name + 1, f.generics.len());
                self.heads(f, &generics, f.generics.iter().map(|g| &g.0));
            }
        }
        f.outputs.iter().filter_map(|o| o.1.as_ref()).for_each(|t| self.type_expr(t));
        self.inside(f);
        self.scope = outer;
    }

    fn enter(&mut self, f: &Rc<Function>) -> usize {
        let scope = self.scope_of(f);
        let outer = std::mem::replace(&mut self.scope, scope);
        self.out.scopes[scope].parent = Some(outer).filter(|o| *o != scope);
        outer
    }

    fn heads<'n>(&mut self, f: &Function, tokens: &[usize], names: impl Iterator<Item = &'n Name>) {
        for (token, name) in tokens.iter().zip(names) {
            if let Some(id) = self.variable(self.scope, name) {
                self.put_token(f.span.file, Some(*token), id, true, None);
            }
        }
    }

    /// Parameters and body of the function whose scope is entered.
    fn inside(&mut self, f: &Function) {
        for param in f.params.iter().filter(|p| !p.name.contains(' ')) {
            if let Some(id) = self.variable(self.scope, &param.name) {
                self.put_token(param.span.file, self.token(param.span, &param.name), id, true, None);
            }
            param.ty.iter().for_each(|t| self.type_expr(t));
            param.default.iter().for_each(|d| self.expr(d));
        }
        self.block(&f.body);
        f.value.iter().for_each(|v| self.expr(v));
    }

    /// Named arguments are parameters of the function, or fields of the class that is made.
    fn args(&mut self, args: &[Arg], callee: Option<SymbolId>) {
        for arg in args {
            if let Some(name) = &arg.name {
                let symbol = callee.map(|c| self.out.symbols[c].clone());
                let id = match symbol {
                    Some(Symbol { kind: Kind::Type, name: class, .. }) => {
                        let class = self.class_of(&class);
                        self.other(name, Kind::Field(class))
                    }
                    Some(Symbol { function: Some(f), kind: Kind::Function | Kind::Variable, .. }) => {
                        let scope = self.scope_of(&f);
                        let own = self.out.scopes[scope].names.get(name).copied();
                        own.unwrap_or_else(|| self.other(name, Kind::Argument))
                    }
                    Some(Symbol { kind: Kind::Shipped(_), .. }) => self.other(name, Kind::Field("".into())),
                    _ => self.other(name, Kind::Argument),
                };
                let span = arg.value.span;
                let token = self.sources.get(&span.file).and_then(|s| s.at(span).checked_sub(2));
                self.put_token(span.file, token, id, false, None);
            }
            self.expr(&arg.value);
        }
    }

    /// The class that an alias stands for, or the class itself.
    fn class_of(&self, name: &Name) -> Name {
        match self.analysis.facts.types.aliases.get(name) {
            Some(Type::Class(c) | Type::Pointer(c)) => c.name.clone(),
            _ => name.clone(),
        }
    }

    fn field(&mut self, base: &Expr, name: &Name, callee: bool) -> SymbolId {
        let class = match self.analysis.facts.expressions.get(&base.id) {
            Some(Type::Class(c) | Type::Pointer(c)) => Some(c.clone()),
            _ => None,
        };
        let has = class.as_ref().is_some_and(|c| c.fields.borrow().iter().any(|f| f.0 == *name));
        if callee && !has {
            let local = self.variable(self.scope, name);
            if let Some(id) = local.or_else(|| self.methods.get(name).copied()) {
                return id;
            }
            if shipped(name) == Some(Shipped::Function) {
                return self.other(name, Kind::Shipped(Shipped::Function));
            }
        }
        let class = class.filter(|_| has).map_or_else(|| "".into(), |c| c.name.clone());
        self.other(name, Kind::Field(class))
    }

    fn target(&mut self, target: &Expr) {
        match &target.kind {
            ExprKind::Name(name) => self.name(target, name, true),
            ExprKind::TypeCheck(inner, ty) => {
                self.target(inner);
                self.type_expr(ty);
            }
            _ => self.expr(target),
        }
    }

    fn name(&mut self, e: &Expr, name: &Name, write: bool) {
        if !name.contains(' ') {
            let id = self.meaning(name);
            self.put_token(e.span.file, self.token(e.span, name), id, write, Some(e.id));
        }
    }

    fn ends(&mut self, e: &Expr) {
        let source = self.sources.get(&e.span.file);
        if source.is_some_and(|s| s.path.is_some()) {
            self.out.ends.insert((e.span.file, e.span.line, e.span.column + e.span.len), e.id);
        }
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Name(name) => {
                self.name(e, name, false);
                self.ends(e);
            }
            ExprKind::Unary(_, a) | ExprKind::Spread(a) => self.expr(a),
            ExprKind::TypeCheck(a, ty) => {
                self.expr(a);
                self.type_expr(ty);
            }
            ExprKind::Binary(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::Ternary(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(e)),
            ExprKind::Range { from, step, to } => {
                self.expr(from);
                step.iter().for_each(|s| self.expr(s));
                self.expr(to);
            }
            ExprKind::Call { callee, args } => self.call(e, callee, args),
            ExprKind::Index { base, items } => {
                self.expr(base);
                items.iter().for_each(|i| self.expr(i));
                self.ends(e);
            }
            ExprKind::Field { base, name, name_span } => {
                self.expr(base);
                let id = self.field(base, name, false);
                self.put(*name_span, id, false, Some(e.id));
                self.ends(e);
            }
            ExprKind::Array(items) | ExprKind::Cell(items) | ExprKind::Sequence(items) => {
                items.iter().for_each(|i| self.expr(i));
            }
            ExprKind::Lambda(f) => {
                let outer = self.enter(f);
                self.inside(f);
                self.scope = outer;
            }
            ExprKind::Assign { target, value, .. } => self.assign(target, value),
            ExprKind::MultiAssign { targets, value } => {
                self.expr(value);
                targets.iter().for_each(|t| self.target(t));
            }
            ExprKind::Declare { target, ty, value } => {
                value.iter().for_each(|v| self.expr(v));
                if let ExprKind::Name(name) = &target.kind {
                    let id = self.meaning(name);
                    self.out.symbols[id].written.get_or_insert(ty.span);
                }
                self.target(target);
                self.type_expr(ty);
            }
            ExprKind::Type(ty) => self.type_expr(ty),
            _ => {}
        }
    }

    fn assign(&mut self, target: &Expr, value: &Expr) {
        if let (ExprKind::Name(name), ExprKind::Lambda(f)) = (&target.kind, &value.kind) {
            let id = self.meaning(name);
            self.out.symbols[id].function.get_or_insert_with(|| f.clone());
        }
        self.expr(value);
        self.target(target);
    }

    /// What a call by this name calls: before a variable has its value, the shipped function that it is called like.
    fn callee(&mut self, name: &Name) -> SymbolId {
        let id = self.meaning(name);
        let symbol = &self.out.symbols[id];
        let unset = symbol.kind == Kind::Variable && symbol.scope == self.scope && symbol.function.is_none();
        match shipped(name).filter(|_| unset) {
            Some(what) if !self.out.sites.iter().any(|s| s.symbol == id && s.write) => {
                self.other(name, Kind::Shipped(what))
            }
            _ => id,
        }
    }

    fn call(&mut self, e: &Expr, callee: &Expr, args: &[Arg]) {
        let symbol = match &callee.kind {
            ExprKind::Name(name) => {
                let id = self.callee(name);
                self.put_token(callee.span.file, self.token(callee.span, name), id, false, Some(callee.id));
                Some(id)
            }
            ExprKind::Field { base, name, name_span } => {
                self.expr(base);
                let id = self.field(base, name, true);
                self.put(*name_span, id, false, Some(callee.id));
                Some(id)
            }
            _ => {
                self.expr(callee);
                None
            }
        };
        self.asked(callee, args);
        self.args(args, symbol);
        self.ends(e);
    }
}
