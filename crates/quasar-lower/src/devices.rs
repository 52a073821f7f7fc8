//! The devices of a run: which one a launch goes to, what is compiled for it, and what the user is told of that.

use super::Refusal;
use super::kernels::{Kernels, MOST_KERNELS};
use super::lowered::{LOOP, Lowered};
use super::spent;
use quadra_base::quick::Map;
use quadra_base::{Diagnostic, Severity, Span};
use quadra_device::emu::Emu;
use quadra_device::emu::SfuModel;
use quadra_device::{Device, Module};
use quadra_kir::{self as kir, Caps};
use quadra_quasar_vm::auto::{Auto, estimate};
use quadra_quasar_vm::cx::Cx;
use quadra_quasar_vm::lend::lent_bytes;
use quadra_quasar_vm::value::Value;
use std::sync::Arc;
use std::time::Instant;

/// Times that an expression over short arrays is computed by the host before it gets a kernel.
const OFTEN: u32 = 16;

/// What a run asks of its devices.
pub struct Choice<'a> {
    /// `host` is the program's own interpreter, `auto` leaves the choice to the size of each launch.
    pub device: &'a str,
    /// QPUs that kernels may use on the device `qpu`: all unless said.
    pub qpus: Option<u32>,
    /// What special functions give on emulated QPUs.
    pub sfu: SfuModel,
    /// Note what kernels cost.
    pub profile: bool,
    /// Report accesses of one element by different work items that nothing orders.
    pub races: bool,
}

impl Kernels {
    /// Runs kernels on the first device that takes them, and on the host executor if none does.
    pub fn new(devices: Vec<Arc<dyn Device>>, races: bool) -> Kernels {
        Kernels {
            devices,
            cache: Map::default(),
            races,
            auto: None,
            alive: Vec::new(),
            expressions: Map::default(),
            met: Map::default(),
            variants: Map::default(),
            recent: Map::default(),
        }
    }

    /// What the options of a run ask for: nothing if kernels run on the host executor.
    ///
    /// # Errors
    /// An unknown device, and why a device cannot be used here.
    pub fn of_options(options: &Choice<'_>) -> Result<Option<Kernels>, Diagnostic> {
        let races = options.races;
        let devices = match options.device {
            "host" if !races => return Ok(None),
            // The interpreter looks for races; what it computes on the way is as good as any device's result.
            _ if races => vec![quadra_device::open("interp")?],
            "auto" => {
                let auto = Some(Auto::default());
                return Ok(Some(Kernels { auto, ..Kernels::new(Vec::new(), false) }));
            }
            "qpu" | "emu" => {
                // A number of QPUs is something to try out on the emulated ones; the real ones are always taken all.
                let real = options.device == "qpu" && options.qpus.is_none();
                let chip = real.then(|| quadra_device::open("vc4").ok()).flatten();
                let chip = chip.unwrap_or_else(|| {
                    let emu = if options.profile { Emu::modelled() } else { Emu::new() };
                    Arc::new(emu.kept().with_sfu(options.sfu).with_qpus(options.qpus.unwrap_or(u32::MAX)))
                });
                // What the chip cannot do runs on the processor, if there is a compiler for it.
                std::iter::once(chip).chain(quadra_device::open("cpu").ok()).collect()
            }
            // What a GPU does not do runs on the processor, if there is a compiler for it.
            gpu if quadra_device::is_gpu(gpu) => {
                let gpu = quadra_device::open(gpu)?;
                let timed = if options.profile { gpu.timed() } else { None };
                std::iter::once(timed.unwrap_or(gpu)).chain(quadra_device::open("cpu").ok()).collect()
            }
            "vc4" | "cpu" | "interp" | "interp-qpu" => vec![quadra_device::open(options.device)?],
            name => {
                return Err(Diagnostic::error("Q0525", format!("there is no device '{name}'")).help(
                    "choose auto, host, cpu, gpu, cuda, qpu, emu, vc4 or interp; `quadra run --help` describes them",
                ));
            }
        };
        Ok(Some(Kernels::new(devices, races)))
    }

    /// Whether a kernel may have constants: the end of the key from `from` on. There are at most `most` of them for the rest of
    /// the key.
    pub(super) fn few_variants(&mut self, key: &str, from: usize, most: u32) -> bool {
        let known = self.variants.entry(key[..from].to_string()).or_default();
        known.contains(&key[from..]) || known.len() < most as usize && known.insert(key[from..].to_string())
    }

    /// Whether races are looked for.
    pub fn checks_races(&self) -> bool {
        self.races
    }

    /// Whether it is left to the size of each launch where that runs.
    pub(super) fn decides(&self) -> bool {
        self.auto.is_some()
    }

    /// The first device.
    pub(super) fn device_name(&self) -> &'static str {
        if self.auto.is_some() {
            return "auto";
        }
        self.devices.first().map_or("host", |d| d.name())
    }

    /// What the first device can do; nothing while none is open.
    pub(super) fn caps(&self) -> Option<&'static Caps> {
        self.devices.first().map(|d| d.caps())
    }

    /// The workers that launches on the first device have at most; nothing while none is open.
    pub(super) fn workers(&self) -> Option<u32> {
        self.devices.first().map(|d| d.max_workers())
    }

    /// Whether the first device has something, or one that is still to be chosen may have it.
    pub(super) fn may(&self, has: impl FnOnce(&Caps) -> bool) -> bool {
        self.auto.is_some() || self.caps().is_some_and(has)
    }

    /// The compiled kernel of an expression over arrays, and its device.
    pub(super) fn expression(
        &mut self,
        key: &str,
        kernel: impl FnOnce() -> kir::Kernel,
        span: Span,
        cx: &mut Cx,
    ) -> Option<(Arc<dyn Module>, Arc<dyn Device>)> {
        let device = self.devices.iter().find(|d| d.caps().in_place)?.clone();
        if let Some(module) = self.expressions.get(key) {
            return module.clone().map(|m| (m, device));
        }
        let module = compile(&device, &kernel(), span, cx).ok().filter(|m| m.in_place());
        if self.auto.is_some() && module.is_some() {
            spent::keep(span);
        }
        if self.expressions.len() >= MOST_KERNELS {
            self.expressions.clear();
        }
        self.expressions.insert(key.to_string(), module.clone());
        module.map(|m| (m, device))
    }

    /// Whether an expression over short arrays has been met so often that it is likely to come again.
    pub(super) fn met_often(&mut self, id: u64) -> bool {
        if self.met.len() >= MOST_KERNELS {
            self.met.clear();
        }
        let met = self.met.entry(id).or_default();
        *met += 1;
        *met > OFTEN
    }

    /// Whether a launch of `work` steps of the host is to run on a device; `values` have the arrays that it works on.
    pub(super) fn wanted<'v>(
        &mut self,
        id: usize,
        work: u64,
        (name, span): (&str, Span),
        values: impl Iterator<Item = &'v Value>,
        cx: &mut Cx,
    ) -> bool {
        let Some(auto) = &mut self.auto else { return true };
        if !auto.pays(id, work, |spent| spent::was_worth(span, spent)) {
            return false;
        }
        if self.devices.is_empty() && !auto.looked {
            auto.looked = true;
            let (devices, missing) = quadra_device::candidates();
            self.devices = devices;
            missing.iter().for_each(|why| cx.warn(no_compiler(why, span)));
        }
        let reason = self.prefer(id, work, values);
        let Some(device) = self.devices.first() else { return false };
        if self.auto.as_mut().is_some_and(|auto| auto.told.insert(id)) {
            let message = format!("{} runs on device {}", what(name), device.name());
            let note = Diagnostic { severity: Severity::Note, ..Diagnostic::warning("Q0522", message).at(span) };
            cx.warn(reason.into_iter().fold(note, Diagnostic::help));
        }
        true
    }

    /// Puts the device in front that a launch is expected to be quickest on; why, if there is a choice. A kernel stays where it
    /// was compiled first. The chip of a Pi, whose accesses do not fault, is not compared.
    fn prefer<'v>(&mut self, id: usize, work: u64, values: impl Iterator<Item = &'v Value>) -> Option<String> {
        if self.devices.len() < 2 || !self.devices.iter().all(|d| d.caps().faults) {
            return None;
        }
        let auto = self.auto.as_mut()?;
        let (name, why) = match auto.chosen.get(&id) {
            Some(name) => (*name, None),
            None => {
                let bytes = values.map(to_copy).sum();
                let time = |d: &Arc<dyn Device>| {
                    let threads = quadra_device::cpu::threads() as u32;
                    let workers = if d.caps().in_place { threads } else { d.max_workers() };
                    estimate(d.caps(), workers, work, bytes)
                };
                let times: Vec<f64> = self.devices.iter().map(time).collect();
                let quickest = (0..times.len()).min_by(|&a, &b| times[a].total_cmp(&times[b]))?;
                let each = |(d, time): (&Arc<dyn Device>, &f64)| format!("{:.0} µs on {}", time * 1e-3, d.name());
                let each: Vec<String> = self.devices.iter().zip(&times).map(each).collect();
                let why = format!("expected: {}, with {:.1} MB to bring there", each.join(", "), bytes as f64 * 1e-6);
                (self.devices[quickest].name(), Some(why))
            }
        };
        auto.chosen.insert(id, name);
        // The others keep their order.
        self.devices.sort_by_key(|d| d.name() != name);
        why
    }

    /// The line that says why a kernel runs somewhere else.
    pub(super) fn fallback(&self, kernel: &str, device: &str, reason: &str, span: Span) -> Diagnostic {
        let message = format!("{} does not run on device {device}: {reason}", what(kernel));
        // Who leaves the choice open has not asked for a device, and nobody asks the interpreter for speed.
        let quiet = self.may(|caps| !caps.parallel);
        let code = if quiet { "Q0520" } else { "Q0521" };
        Diagnostic { severity: Severity::Note, ..Diagnostic::warning(code, message).at(span) }
    }

    /// As [`Kernels::fallback`], of something that takes the host so many steps: where a person may notice that, and who leaves
    /// the choice open would not be told, it is a line of its own with what to do.
    pub(super) fn slow(&self, kernel: &str, refusal: &Refusal, work: u64, span: Span) -> Diagnostic {
        let (reason, span) = (&refusal.reason, refusal.span.unwrap_or(span));
        let told = self.fallback(kernel, self.device_name(), reason, span);
        if self.auto.is_none() || !quadra_quasar_vm::auto::is_noticed(work) {
            return told;
        }
        let message = format!("{} runs on the host's interpreter: {reason}", what(kernel));
        Diagnostic { code: "Q0528", message, ..told }.help(refusal.advice())
    }

    /// Compiles for the first device that takes the kernel. Devices that do not are noted.
    pub(super) fn compile(
        &self,
        lowered: &Lowered,
        span: Span,
        cx: &mut Cx,
    ) -> Option<(Arc<dyn Module>, Arc<dyn Device>)> {
        for device in &self.devices {
            match compile(device, &lowered.kernel, span, cx) {
                Ok(module) => {
                    if self.auto.is_some() {
                        spent::keep(span);
                    }
                    return Some((module, device.clone()));
                }
                Err(why) => {
                    let reason = why.first().map_or_else(String::new, |d| d.message.clone());
                    cx.warn(self.fallback(&lowered.kernel.name, device.name(), &reason, span));
                }
            }
        }
        None
    }
}

/// Bytes of an array that only the host has.
fn to_copy(value: &Value) -> u64 {
    match value {
        Value::Array(t) if !t.data.has_copy() => lent_bytes(&t.data.peek()).unwrap_or(0) as u64,
        _ => 0,
    }
}

fn what(kernel: &str) -> String {
    if kernel == LOOP { "the for-loop".to_string() } else { format!("kernel '{kernel}'") }
}

/// The line that says what is missing for quicker runs.
fn no_compiler(why: &Diagnostic, span: Span) -> Diagnostic {
    let message = format!("loops and kernels run on the interpreter: {}", why.message);
    let note = Diagnostic { severity: Severity::Note, ..Diagnostic::warning("Q0523", message).at(span) };
    why.help.iter().fold(note, |note, help| note.help(help.clone()))
}

/// Hands a kernel to a device, and notes how long that took if the run is profiled; code is made when it is launched.
pub(super) fn compile(
    device: &Arc<dyn Device>,
    kernel: &kir::Kernel,
    span: Span,
    cx: &mut Cx,
) -> Result<Arc<dyn Module>, Vec<Diagnostic>> {
    let start = Instant::now();
    cx.send();
    let result = device.compile(kernel);
    if let (Some(profile), Ok(_)) = (&mut cx.profile, &result) {
        let number = profile.record(&kernel.name, Some(span), device.name());
        let seconds = profile.event(number, true, start);
        let record = &mut profile.records[number];
        record.compile_seconds += seconds;
        // An interpreter makes what it runs here; other devices say with launches what they have compiled for them.
        record.compiled += u64::from(!device.caps().parallel);
    }
    result
}
