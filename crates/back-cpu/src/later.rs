//! Code for groups outside the interior where there are none: it is made when somebody asks for it after all, as tiles of
//! several steps do, which end anywhere.

use crate::native::Native;
use crate::parts;
use crate::plan::Setting;
use quadra_kir::{Fault, FaultKind, Kernel};
use quadra_llvm::Llvm;
use std::sync::{Arc, OnceLock};

/// Code for every group, or what it can be made of.
#[derive(Debug)]
pub enum General<C = Native> {
    Made(C),
    Later(Box<Later>),
}

/// What code is made of once somebody asks for it.
#[derive(Debug, Default)]
pub struct Later {
    /// Nothing in what is not linked yet.
    of: Option<(Arc<Llvm>, Kernel, Setting)>,
    made: OnceLock<Result<Native, String>>,
}

impl<C> General<C> {
    /// What [`crate::variant::Variant::link`] puts together.
    pub fn unlinked() -> General<C> {
        General::Later(Box::default())
    }

    pub fn later(llvm: &Arc<Llvm>, kernel: &Kernel, setting: &Setting) -> General<C> {
        let of = Some((llvm.clone(), kernel.clone(), setting.clone()));
        General::Later(Box::new(Later { of, made: OnceLock::new() }))
    }
}

impl General {
    /// Whether the code may stop half-way. That of the interior says so where this one is not there.
    pub fn may_fault(&self) -> bool {
        match self {
            General::Made(native) => native.may_fault(),
            General::Later(later) => later.made.get().is_some_and(|made| made.as_ref().is_ok_and(Native::may_fault)),
        }
    }

    /// The code, which is made now if need be.
    ///
    /// # Errors
    /// That LLVM cannot make it.
    pub fn code(&self) -> Result<&Native, Fault> {
        let later = match self {
            General::Made(native) => return Ok(native),
            General::Later(later) => later,
        };
        let fault = |kernel: &str, why: &str| Fault::new(kernel, FaultKind::NoCode(why.into()));
        let Some((llvm, kernel, setting)) = &later.of else { return Err(fault("", "its code was not linked")) };
        let make = || {
            parts::general(llvm, kernel, setting).map_err(|d| d.first().map_or(String::new(), |d| d.message.clone()))
        };
        later.made.get_or_init(make).as_ref().map_err(|why| fault(&kernel.name, why))
    }
}
