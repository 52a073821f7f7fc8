//! Values of straight code and where they are computed.

pub mod bounds;
pub mod cse;
pub mod dce;
pub mod induction;
pub mod licm;
pub mod mul24;
pub mod promote;
pub mod rejoin;
pub mod specialise;
