//! Which sums of 64-bit integers may be taken in parts, and what bounds those: see `wide_sum`.

use quadra_quasar_hir::types::{Fit, IntKind, Type};
use quadra_quasar_syntax::ast::Text;
use quadra_quasar_vm::nest::Nest;
use quadra_quasar_vm::value::Value;

/// Variables that hold sums of wide integers, and how far from 0 their parts may be.
pub(super) type Sums = Vec<(Text, quadra_kir::Value)>;

/// What the parts of a sum come to at most, and how far it may begin from 0.
pub(super) const MOST: i64 = 1 << 62;

/// Whether a variable holds a checked integer of 64 bits before the loop.
pub(super) fn is_wide(nest: &Nest, before: Option<&Value>, name: &Text) -> bool {
    let checked = |ty: &Type| matches!(ty, Type::Int(IntKind::I64, Fit::Checked));
    matches!(before, Some(Value::IntN(IntKind::I64, _))) && nest.declared.get(name).is_none_or(checked)
}

/// Whether a sum may begin with a value.
pub(super) fn may_begin(first: &Value) -> bool {
    match first {
        Value::Int(_) => true,
        Value::IntN(_, v) => (-MOST..=MOST).contains(v),
        _ => false,
    }
}
