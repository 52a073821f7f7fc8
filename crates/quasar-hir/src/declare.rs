//! Type definitions of a program, and types as written to types as meant.

use super::types::{Access, CallableType, ClassDef, Dim, Fit, IntKind, Precision, Rank, Type};
use quadra_base::Diagnostic;
use quadra_base::quick::Map;
use quadra_quasar_syntax::ast::{
    Block, DimExpr, RankExpr, StmtKind, Text, TypeDef, TypeDefKind, TypeExpr, TypeExprKind,
};
use std::cell::RefCell;
use std::rc::Rc;

/// The named types of a program.
#[derive(Clone, Default)]
pub struct TypeTable {
    pub classes: Map<Text, Rc<ClassDef>>,
    pub aliases: Map<Text, Type>,
}

/// A type together with what its modifiers say about the variable that has it.
#[derive(Clone, Debug)]
pub struct Declared {
    pub ty: Type,
    pub access: Option<Access>,
    pub constant: bool,
}

/// Collects the type definitions of `block` and of the modules in it.
pub fn collect(block: &Block, table: &mut TypeTable, diagnostics: &mut Vec<Diagnostic>) {
    let mut definitions = Vec::new();
    gather(block, &mut definitions);
    for def in &definitions {
        if let TypeDefKind::Class { mutable, dynamic, .. } = &def.kind {
            let class = ClassDef {
                name: def.name.clone(),
                mutable: *mutable || *dynamic,
                dynamic: *dynamic,
                fields: RefCell::default(),
            };
            table.classes.insert(def.name.clone(), Rc::new(class));
        }
    }
    // Aliases may stand in any order: as many rounds as there are definitions settle every chain of them.
    for _ in 0..definitions.len().min(32) {
        for def in &definitions {
            if let TypeDefKind::Alias(ty) = &def.kind {
                let ty = table.resolve(ty, &[], &mut Vec::new()).ty;
                table.aliases.insert(def.name.clone(), ty);
            }
        }
        if table.aliases.values().all(|t| t.unknown_name().is_none()) {
            break;
        }
    }
    for def in &definitions {
        match &def.kind {
            TypeDefKind::Alias(ty) => {
                table.resolve(ty, &[], diagnostics);
            }
            TypeDefKind::Class { fields, .. } => {
                let mut seen: Vec<(Text, Type)> = Vec::new();
                for (name, ty) in fields {
                    if seen.iter().any(|(n, _)| n == name) {
                        let message = format!("the field '{name}' of class '{}' is there twice", def.name);
                        diagnostics.push(Diagnostic::error("Q0201", message).at(ty.span).help("rename one of them"));
                    }
                    seen.push((name.clone(), table.resolve(ty, &[], diagnostics).ty));
                }
                check_by_value(table, &def.name, &seen, ty_span(def), diagnostics);
                if let Some(class) = table.classes.get(&def.name) {
                    *class.fields.borrow_mut() = seen;
                }
            }
        }
    }
}

fn ty_span(def: &TypeDef) -> quadra_base::Span {
    def.span
}

/// A class cannot contain itself by value.
fn check_by_value(
    table: &TypeTable,
    name: &Text,
    fields: &[(Text, Type)],
    span: quadra_base::Span,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut todo: Vec<Rc<ClassDef>> =
        fields.iter().filter_map(|(_, t)| if let Type::Class(c) = t { Some(c.clone()) } else { None }).collect();
    let mut seen: Vec<Text> = Vec::new();
    while let Some(class) = todo.pop() {
        if class.name == *name {
            let message = format!("class '{name}' contains itself");
            diagnostics.push(Diagnostic::error("Q0202", message).at(span).help(format!("use a pointer: ^{name}")));
            return;
        }
        if seen.contains(&class.name) {
            continue;
        }
        seen.push(class.name.clone());
        let fields = table.classes.get(&class.name).map(|c| c.fields.borrow().clone()).unwrap_or_default();
        todo.extend(fields.iter().filter_map(|(_, t)| if let Type::Class(c) = t { Some(c.clone()) } else { None }));
    }
}

fn gather(block: &Block, out: &mut Vec<Rc<TypeDef>>) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::TypeDef(def) => out.push(def.clone()),
            StmtKind::Module(module) => gather(&module.body, out),
            StmtKind::Function(function) => gather(&function.body, out),
            StmtKind::If { arms, otherwise } => {
                arms.iter().for_each(|(_, b)| gather(b, out));
                gather(otherwise, out);
            }
            StmtKind::For(f) => gather(&f.body, out),
            StmtKind::While { body, .. } | StmtKind::Repeat { body, .. } => gather(body, out),
            StmtKind::Try { body, handler, .. } => {
                gather(body, out);
                gather(handler, out);
            }
            StmtKind::Match { arms, .. } => arms.iter().for_each(|a| gather(&a.body, out)),
            _ => {}
        }
    }
}

impl TypeTable {
    /// What a type as written means. `params` are the type and size parameters in scope. Errors go to `diagnostics`.
    pub fn resolve(&self, expr: &TypeExpr, params: &[Text], diagnostics: &mut Vec<Diagnostic>) -> Declared {
        let mut declared = Declared { ty: Type::Any, access: None, constant: false };
        let (mut fit, mut precision) = (Fit::Checked, Precision::Default);
        for word in &expr.modifiers {
            match &**word {
                "checked" => declared.access = Some(Access::Checked),
                "safe" => declared.access = Some(Access::Safe),
                "circular" => declared.access = Some(Access::Circular),
                "mirror" => declared.access = Some(Access::Mirror),
                "clamped" => declared.access = Some(Access::Clamped),
                "unchecked" => {
                    declared.access = Some(Access::Unchecked);
                    fit = Fit::Unchecked;
                }
                "const" => declared.constant = true,
                "sat" => fit = Fit::Sat,
                "half" => precision = Precision::Half,
                "single" => precision = Precision::Single,
                "double" => precision = Precision::Double,
                "hwtex_nearest" | "hwtex_linear" | "hwtex_const" => {}
                _ => {
                    let message = format!("unknown modifier ''{word}'");
                    let help = "modifiers: 'checked 'safe 'circular 'mirror 'clamped 'unchecked 'const 'sat 'half 'single 'double";
                    diagnostics.push(Diagnostic::error("Q0203", message).at(expr.span).help(help));
                }
            }
        }
        declared.ty = match &expr.kind {
            TypeExprKind::Any => Type::Any,
            TypeExprKind::Pointer(inner) => self.pointer(expr, inner, params, diagnostics),
            TypeExprKind::Function { kind, params: inputs, results } => Type::Callable(Rc::new(CallableType {
                kind: *kind,
                params: inputs.iter().map(|(s, t)| (*s, self.resolve(t, params, diagnostics).ty)).collect(),
                results: results.iter().map(|t| self.resolve(t, params, diagnostics).ty).collect(),
            })),
            TypeExprKind::Named { name, rank, dims, element } => {
                let element = element.as_ref().map(|e| self.resolve(e, params, diagnostics).ty);
                self.named(name, rank.as_ref(), dims, element, params, fit, precision)
            }
        };
        declared
    }

    fn pointer(&self, at: &TypeExpr, inner: &TypeExpr, params: &[Text], diagnostics: &mut Vec<Diagnostic>) -> Type {
        if matches!(inner.kind, TypeExprKind::Pointer(_)) {
            let diagnostic = Diagnostic::error("Q0204", "pointers cannot have multiple indirections")
                .at(at.span)
                .help("use one '^', or a class with a pointer in it");
            diagnostics.push(diagnostic);
            return Type::Any;
        }
        match self.resolve(inner, params, diagnostics).ty {
            Type::Class(class) => Type::Pointer(class),
            Type::Unknown(name) => Type::Unknown(name),
            other => {
                let message = format!("pointers are only allowed to classes, not to '{other}'");
                let help = "arrays, cells and objects are references already";
                diagnostics.push(Diagnostic::error("Q0204", message).at(at.span).help(help));
                Type::Any
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn named(
        &self,
        name: &Text,
        rank: Option<&RankExpr>,
        dims: &[DimExpr],
        element: Option<Type>,
        params: &[Text],
        fit: Fit,
        precision: Precision,
    ) -> Type {
        if params.contains(name) {
            return Type::Param(name.clone());
        }
        if let Some(ty) = simple(name, fit, precision) {
            return ty;
        }
        if let Some(class) = self.classes.get(name) {
            return Type::Class(class.clone());
        }
        if let Some(alias) = self.aliases.get(name) {
            return alias.clone();
        }
        let Some((base_rank, prefix, fixed)) = array_name(name) else { return Type::Unknown(name.clone()) };
        let element = element.unwrap_or(match prefix {
            'c' => Type::Complex(precision),
            'i' => Type::INT,
            '?' => Type::Any,
            _ => Type::Scalar(precision),
        });
        let rank = match rank {
            Some(RankExpr::Number(n)) => Rank::Fixed((*n).clamp(1, 16) as u8),
            Some(_) => Rank::Any,
            None => Rank::Fixed(base_rank),
        };
        let mut sizes: Vec<Dim> = fixed.into_iter().map(Dim::Size).collect();
        if !dims.is_empty() {
            sizes = dims
                .iter()
                .map(|d| match d {
                    DimExpr::Number(n) => Dim::Size(usize::try_from(*n).unwrap_or(0)),
                    DimExpr::Any => Dim::Any,
                    DimExpr::Name(n) => Dim::Param(n.clone()),
                })
                .collect();
        }
        Type::Array { rank, element: Rc::new(element), dims: sizes }
    }
}

fn simple(name: &str, fit: Fit, precision: Precision) -> Option<Type> {
    if let Some((kind, _)) = IntKind::ALL.iter().find(|(_, n)| *n == name) {
        return Some(Type::Int(*kind, fit));
    }
    Some(match name {
        "scalar" => Type::Scalar(precision),
        "cscalar" => Type::Complex(precision),
        "string" => Type::Str,
        "object" => Type::Object,
        "function" => Type::Function,
        "lambda_expr" => Type::LambdaExpr,
        "kernel_function" => Type::KernelFunction,
        _ => return None,
    })
}

/// Takes `vec3`, `cmat2x2`, `icube` apart into rank, element prefix and sizes.
fn array_name(name: &str) -> Option<(u8, char, Vec<usize>)> {
    if name == "cell" {
        return Some((2, '?', Vec::new()));
    }
    for (base, rank) in [("vec", 1u8), ("mat", 2), ("cube", 3)] {
        for prefix in ['r', 'c', 'i'] {
            let full = if prefix == 'r' { base.to_string() } else { format!("{prefix}{base}") };
            let Some(rest) = name.strip_prefix(&full) else { continue };
            if rest.is_empty() {
                return Some((rank, prefix, Vec::new()));
            }
            let sizes: Result<Vec<usize>, _> = rest.split('x').map(str::parse).collect();
            if let Ok(sizes) = sizes
                && sizes.len() == rank as usize
            {
                return Some((rank, prefix, sizes));
            }
        }
    }
    None
}
