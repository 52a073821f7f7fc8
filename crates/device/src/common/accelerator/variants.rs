//! The shaders of one kernel: which accesses are tested, and which iterations counted, depends on the sizes of a launch.
//!
//! They are kept on disk, too, by the kernel, what is known of a launch and what the GPU offers. Then nothing of a kernel is
//! compiled, and not even its passes run.

use super::driver::Driver;
use super::pipeline::{self, Pipeline};
use quadra_back_gpu::{Confirmed, Form, Prepared, Shader};
use quadra_base::Diagnostic;
use quadra_base::cache::{self, Cache};
use quadra_base::quick::Map;
use quadra_kir::{Kernel, Param};
use quadra_passes::specialise::Known;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// Launches whose proofs are kept. Where there are more, those with new sizes test every access.
const MOST_KNOWN: usize = 64;
/// Shaders of a kernel. Where there are as many, others are the one that tests every access.
const MOST_SHADERS: usize = 8;

pub(super) struct Variants<D: Driver> {
    driver: Arc<D>,
    kernel: Kernel,
    /// Kernel and target, as a part of keys.
    text: String,
    prepared: OnceLock<Prepared>,
    pub form: Form,
    /// Tests every access.
    general: Shader,
    made: Mutex<Made<D>>,
}

struct Made<D: Driver> {
    /// By what is known of a launch, with whether more is of no use.
    known: Map<Known, (Arc<Pipeline<D>>, bool)>,
    pipelines: Map<Vec<u32>, Arc<Pipeline<D>>>,
}

/// What was made for a launch.
#[derive(Default)]
pub(super) struct Making {
    pub seconds: f64,
    pub made: u32,
    /// How many came from the disk.
    pub read: u32,
}

impl<D: Driver> Variants<D> {
    /// Compiles the shader that tests every access.
    ///
    /// # Errors
    /// What is wrong with the kernel, and what the GPU does not do.
    pub fn new(kernel: &Kernel, driver: Arc<D>) -> Result<Variants<D>, Vec<Diagnostic>> {
        let compiler = cache::compiler();
        let text = format!("shader {compiler:?} {}\n{kernel}", driver.key());
        let prepared = OnceLock::new();
        let stored = compiler.and_then(|_| Cache::user()).and_then(|c| Shader::from_bytes(&c.get(text.as_bytes())?));
        let general = match stored {
            Some(shader) => shader,
            None => {
                let made = Prepared::new(kernel, driver.facts().caps)?;
                let shader = driver.shader(&made, &made.none())?;
                keep(&text, &shader);
                prepared.get_or_init(|| made);
                shader
            }
        };
        let buffers = kernel.params.iter().filter(|p| matches!(p, Param::Buffer(_))).count() as u32;
        pipeline::room(driver.facts().bindings, buffers).map_err(|d| vec![*d])?;
        let (kernel, form) = (kernel.clone(), general.form.clone());
        let made = Mutex::new(Made { known: Map::default(), pipelines: Map::default() });
        Ok(Variants { driver, kernel, text, prepared, form, general, made })
    }

    fn prepared(&self) -> &Prepared {
        self.prepared.get_or_init(|| match Prepared::new(&self.kernel, self.driver.facts().caps) {
            Ok(prepared) => prepared,
            Err(_) => quadra_base::bug!("a kernel has been compiled before"),
        })
    }

    /// What runs a launch of which `known` tells something, or more where it is asked for scalars, too.
    ///
    /// # Errors
    /// What the driver says.
    pub fn pipeline(&self, known: impl Fn(bool) -> Known, making: &mut Making) -> Result<Arc<Pipeline<D>>, Diagnostic> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if quadra_base::checked::is_on() {
            return self.of(&mut made, &self.general, making).map_err(|d| *d);
        }
        // Most claims follow from sizes alone, and scalars often change from launch to launch.
        let mut best = None;
        for known in [false, true].into_iter().map(known) {
            let found = match made.known.get(&known) {
                Some(found) => found.clone(),
                None if made.known.len() >= MOST_KNOWN || made.pipelines.len() >= MOST_SHADERS => break,
                None => {
                    let shader = self.shader(&known, making).map_err(|mut d| d.remove(0))?;
                    let found = (self.of(&mut made, &shader, making).map_err(|d| *d)?, shader.complete);
                    made.known.insert(known, found.clone());
                    found
                }
            };
            let complete = found.1;
            best = Some(found.0);
            if complete {
                break;
            }
        }
        match best {
            Some(pipeline) => Ok(pipeline),
            None => self.of(&mut made, &self.general, making).map_err(|d| *d),
        }
    }

    /// The shader for launches of which this is known.
    fn shader(&self, known: &Known, making: &mut Making) -> Result<Shader, Vec<Diagnostic>> {
        if self.general.complete {
            return Ok(self.general.clone());
        }
        let begin = Instant::now();
        let key = format!("{known:?} {}", self.text);
        let stored = cache::compiler().and_then(|_| Cache::user());
        let stored = stored.and_then(|c| Shader::from_bytes(&c.get(key.as_bytes())?));
        making.made += 1;
        making.read += u32::from(stored.is_some());
        let shader = match stored {
            Some(shader) => shader,
            None => {
                let prepared = self.prepared();
                let confirmed: Confirmed = prepared.confirmed(known);
                let shader = match confirmed == prepared.none() {
                    true => self.general.clone(),
                    false => self.driver.shader(prepared, &confirmed)?,
                };
                keep(&key, &shader);
                shader
            }
        };
        making.seconds += begin.elapsed().as_secs_f64();
        Ok(shader)
    }

    fn of(
        &self,
        made: &mut Made<D>,
        shader: &Shader,
        making: &mut Making,
    ) -> Result<Arc<Pipeline<D>>, Box<Diagnostic>> {
        if let Some(pipeline) = made.pipelines.get(&shader.words) {
            return Ok(pipeline.clone());
        }
        let begin = Instant::now();
        let pipeline = Arc::new(Pipeline::new(&*self.driver, shader, &self.kernel)?);
        making.seconds += begin.elapsed().as_secs_f64();
        made.pipelines.insert(shader.words.clone(), pipeline.clone());
        Ok(pipeline)
    }
}

fn keep(key: &str, shader: &Shader) {
    if let (Some(cache), Some(_)) = (Cache::user(), cache::compiler()) {
        cache.put(key.as_bytes(), &shader.to_bytes());
    }
}
