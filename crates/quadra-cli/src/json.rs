//! What all outputs of `--json` have in common: an object with the version of its schema.

use serde::Serialize;
use serde_json::{Value, json};

/// The version of every output of `--json`. It grows when a field goes away or changes its meaning; new fields may come at any time.
pub const SCHEMA: u32 = 1;

/// An object with its version; a list becomes the `rows` of one.
fn versioned(data: impl Serialize) -> Value {
    match serde_json::to_value(data).expect("plain data") {
        Value::Object(mut fields) => {
            fields.insert("schema".into(), SCHEMA.into());
            Value::Object(fields)
        }
        rows => json!({ "schema": SCHEMA, "rows": rows }),
    }
}

/// On several lines.
pub fn pretty(data: impl Serialize) -> String {
    format!("{:#}", versioned(data))
}

/// On one line.
pub fn line(data: impl Serialize) -> String {
    versioned(data).to_string()
}
