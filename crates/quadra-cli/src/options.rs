//! Values of options that several commands take.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use quadra_isa::vc4::emu::SfuModel;

/// Reads the name of a model of the special functions.
pub fn sfu() -> impl TypedValueParser<Value = SfuModel> {
    PossibleValuesParser::new(SfuModel::NAMES).map(|name| SfuModel::from_name(&name).unwrap_or_default())
}
