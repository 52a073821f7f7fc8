//! What the only index of an array names: elements of a column, or positions.

use super::slice::is_column;
use super::tensor::Tensor;
use super::value::Value;

/// Whether the only index is what `find` found.
pub(super) fn names_found(indices: &[Value]) -> bool {
    matches!(indices, [Value::Array(p)] if p.positions)
}

/// Whether a matrix names elements of a matrix or cube by their positions, one row each, as `find` gives them. A single row is a
/// position vector.
pub(super) fn names_positions(t: &Tensor, index: &Value) -> bool {
    matches!(index, Value::Array(p) if are_positions(t, p))
}

pub(super) fn are_positions(t: &Tensor, p: &Tensor) -> bool {
    matches!(p.shape[..], [rows, columns] if rows > 1 && columns > 1 && columns == t.shape.len())
}

/// Whether an index names elements of a column: a range does, and a column of numbers.
pub(super) fn runs_down(t: &Tensor, index: &Value) -> bool {
    match index {
        Value::Range(_) => is_column(t),
        Value::Array(p) => is_down(t, p),
        _ => false,
    }
}

/// Whether both are columns: a position vector is none.
pub(super) fn is_down(t: &Tensor, p: &Tensor) -> bool {
    is_column(t) && is_column(p)
}
