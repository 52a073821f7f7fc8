//! Names in types as written.

use super::Resolver;
use crate::program::language::ast::{DimExpr, RankExpr, Text as Name, TypeExpr, TypeExprKind};
use crate::program::language::{Shipped, shipped};
use crate::program::symbols::{Kind, SymbolId};

impl Resolver<'_> {
    pub(super) fn type_expr(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeExprKind::Any => {}
            TypeExprKind::Pointer(inner) => self.type_expr(inner),
            TypeExprKind::Function { params, results, .. } => {
                params.iter().for_each(|p| self.type_expr(&p.1));
                results.iter().for_each(|r| self.type_expr(r));
            }
            TypeExprKind::Named { name, rank, dims, element } => {
                let token = self.token(ty.span, name);
                let id = self.type_name(name);
                self.put_token(ty.span.file, token, id, false, None);
                let sizes = dims.iter().filter_map(|d| if let DimExpr::Name(n) = d { Some(n) } else { None });
                let rank = rank.iter().filter_map(|r| if let RankExpr::Name(n) = r { Some(n) } else { None });
                let mut from = token.map(|t| t + 1);
                for size in rank.chain(sizes) {
                    let source = self.sources.get(&ty.span.file);
                    let at = from.and_then(|from| source?.name_from(from, size));
                    if let Some(id) = self.variable(self.scope, size) {
                        self.put_token(ty.span.file, at, id, false, None);
                    }
                    from = at.map(|t| t + 1);
                }
                element.iter().for_each(|e| self.type_expr(e));
            }
        }
    }

    fn type_name(&mut self, name: &Name) -> SymbolId {
        let parameter = self.variable(self.scope, name);
        if let Some(id) = parameter.filter(|id| self.out.symbols[*id].kind == Kind::TypeParameter) {
            return id;
        }
        match shipped(name) {
            Some(Shipped::Type) => self.other(name, Kind::Shipped(Shipped::Type)),
            _ => self.other(name, Kind::Type),
        }
    }
}
