//! The shaders of one kernel: which accesses are tested depends on the sizes of a launch.

use super::adapter::Context;
use super::shader::Pipeline;
use quadra_back_gpu::{Confirmed, Form, Prepared, Shader};
use quadra_base::Diagnostic;
use quadra_base::quick::Map;
use quadra_kir::{Kernel, Param};
use quadra_passes::specialise::Known;
use std::sync::{Arc, Mutex, PoisonError};

/// Launches whose proofs are kept. Where there are more, those with new sizes test every access.
const MOST_KNOWN: usize = 64;
/// Shaders of a kernel. Where there are as many, others are the one that tests every access.
const MOST_SHADERS: usize = 8;

pub(super) struct Variants {
    context: Arc<Context>,
    prepared: Prepared,
    /// Tests every access.
    general: Shader,
    buffers: u32,
    made: Mutex<Made>,
}

#[derive(Default)]
struct Made {
    confirmed: Map<Known, Confirmed>,
    pipelines: Map<Confirmed, Arc<Pipeline>>,
}

impl Variants {
    /// Compiles the shader that tests every access.
    ///
    /// # Errors
    /// What is wrong with the kernel, and what the GPU does not do.
    pub fn new(kernel: &Kernel, context: Arc<Context>) -> Result<(Variants, Form), Vec<Diagnostic>> {
        let prepared = Prepared::new(kernel, context.caps)?;
        let general = prepared.shader(&prepared.none(), &context.target)?;
        let form = general.form.clone();
        let buffers = kernel.params.iter().filter(|p| matches!(p, Param::Buffer(_))).count() as u32;
        let variants = Variants { context, prepared, general, buffers, made: Mutex::default() };
        // Drivers refuse shaders for reasons of their own, which the caller is to know before it launches.
        variants.of(&mut Made::default(), &variants.prepared.none())?;
        Ok((variants, form))
    }

    /// What runs a launch of which this is known.
    ///
    /// # Errors
    /// What the driver says.
    pub fn pipeline(&self, known: &Known) -> Result<Arc<Pipeline>, Diagnostic> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let confirmed = self.confirmed(&mut made, known);
        self.of(&mut made, &confirmed).map_err(|mut d| d.remove(0))
    }

    fn confirmed(&self, made: &mut Made, known: &Known) -> Confirmed {
        let none = self.prepared.none();
        if none.is_empty() || quadra_base::checked::is_on() {
            return none;
        }
        // Most claims follow from sizes alone, and scalars often change from launch to launch.
        let sizes = Known { scalars: vec![None; known.scalars.len()], ..known.clone() };
        let mut best = none;
        for known in [sizes, known.clone()] {
            best = match made.confirmed.get(&known) {
                Some(confirmed) => confirmed.clone(),
                None if made.confirmed.len() >= MOST_KNOWN => break,
                None => {
                    let confirmed = self.prepared.confirmed(&known);
                    made.confirmed.insert(known, confirmed.clone());
                    confirmed
                }
            };
            if best.iter().all(|c| *c) {
                break;
            }
        }
        best
    }

    fn of(&self, made: &mut Made, confirmed: &Confirmed) -> Result<Arc<Pipeline>, Vec<Diagnostic>> {
        if let Some(pipeline) = made.pipelines.get(confirmed) {
            return Ok(pipeline.clone());
        }
        let none = self.prepared.none();
        let confirmed = if made.pipelines.len() >= MOST_SHADERS { &none } else { confirmed };
        let shader = match confirmed.contains(&true) {
            true => &self.prepared.shader(confirmed, &self.context.target)?,
            false => &self.general,
        };
        let pipeline = Arc::new(Pipeline::new(&self.context, shader, self.buffers).map_err(|d| vec![*d])?);
        made.pipelines.insert(confirmed.clone(), pipeline.clone());
        Ok(pipeline)
    }
}
