//! From a module to the words that a driver takes.

use crate::abi::Target;
use crate::abi::codes::INVALID;
use naga::back::spv;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use quadra_base::Diagnostic;

/// `OpDecorate`, and the decoration that forbids to contract an operation with others.
const DECORATE: u32 = 71;
const NO_CONTRACTION: u32 = 42;
/// `OpFNegate`, `OpFAdd`, `OpFSub`, `OpFMul`, `OpFDiv`, `OpFRem`, `OpFMod`.
const FLOAT_OPS: [u32; 7] = [127, 129, 131, 133, 136, 140, 141];
/// `OpCapability`, `OpExtension`, `OpEntryPoint`, `OpExecutionMode`, and the mode that keeps zeros with a sign, infinities and NaN, with
/// its capability and the extension that has all of that.
const CAPABILITY: u32 = 17;
const EXTENSION: u32 = 10;
const ENTRY_POINT: u32 = 15;
const EXECUTION_MODE: u32 = 16;
const PRESERVE: u32 = 4461;
const CAN_PRESERVE: u32 = 4466;
/// The same for denormal numbers.
const KEEP_DENORMALS: u32 = 4459;
const CAN_KEEP_DENORMALS: u32 = 4464;
const CONTROLS: &[u8; 24] = b"SPV_KHR_float_controls\0\0";
/// Words before the first instruction.
const HEADER: usize = 5;

/// Validates a module and writes it.
///
/// # Errors
/// `E0871` if it is not valid.
pub fn write(module: &naga::Module, target: &Target) -> Result<Vec<u32>, Box<Diagnostic>> {
    let info = validated(module, target)?;
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::empty(),
        fake_missing_bindings: false,
        binding_map: bindings(module),
        bounds_check_policies: naga::proc::BoundsCheckPolicies::default(),
        force_loop_bounding: false,
        emit_int_div_checks: false,
        ..spv::Options::default()
    };
    let words = spv::write_vec(module, &info, &options, None).map_err(|e| wrong(&e.to_string()))?;
    let words = if target.exact { without_contraction(&words) } else { words };
    Ok(with_special_numbers(words, target))
}

fn wrong(text: &str) -> Box<Diagnostic> {
    let d = Diagnostic::error(INVALID, format!("the shader is not valid: {text}"));
    Box::new(d.help("this is a mistake of the compiler: please report it with the kernel"))
}

/// What naga knows of a module that is valid.
///
/// # Errors
/// `E0871` if it is not.
pub fn validated(module: &naga::Module, target: &Target) -> Result<ModuleInfo, Box<Diagnostic>> {
    let mut capabilities = Capabilities::empty();
    capabilities.set(Capabilities::FLOAT64, target.float64);
    capabilities.set(Capabilities::SHADER_INT64, target.int64);
    // That barriers stand in uniform control flow has been checked on the kernel, with facts that the module no longer has.
    let flags = ValidationFlags::all() - ValidationFlags::CONTROL_FLOW_UNIFORMITY;
    let info = Validator::new(flags, capabilities).validate(module);
    info.map_err(|e| {
        let mut text = e.to_string();
        let mut inner = std::error::Error::source(e.as_inner());
        while let Some(why) = inner {
            text += &format!(": {why}");
            inner = why.source();
        }
        wrong(&text)
    })
}

/// Bindings as the module has them.
fn bindings(module: &naga::Module) -> spv::BindingMap {
    let bound = module.global_variables.iter().filter_map(|(_, global)| global.binding);
    let same = |b: naga::ResourceBinding| {
        (b, spv::BindingInfo { descriptor_set: b.group, binding: b.binding, binding_array_size: None })
    };
    bound.map(same).collect()
}

/// Decorates every float operation, so that a driver rounds each of them.
fn without_contraction(words: &[u32]) -> Vec<u32> {
    let mut first = None;
    let mut decorations = Vec::new();
    let mut at = HEADER;
    while let Some(&word) = words.get(at) {
        let (length, op) = ((word >> 16) as usize, word & 0xffff);
        if op == DECORATE && first.is_none() {
            first = Some(at);
        }
        if FLOAT_OPS.contains(&op) {
            decorations.extend([3 << 16 | DECORATE, words[at + 2], NO_CONTRACTION]);
        }
        at += length.max(1);
    }
    // Every shader has bindings, which are decorated.
    let first = first.unwrap_or(words.len());
    [&words[..first], &decorations, &words[first..]].concat()
}

/// Has the driver keep zeros with a sign, infinities, NaN and denormal numbers, where it can.
fn with_special_numbers(mut words: Vec<u32>, target: &Target) -> Vec<u32> {
    let (mut capabilities, mut modes) = (Vec::new(), Vec::new());
    let kept = [(target.special, CAN_PRESERVE, PRESERVE), (target.denormals, CAN_KEEP_DENORMALS, KEEP_DENORMALS)];
    for ([single, double], capability, mode) in kept {
        let sizes = [(single, 32), (double && target.float64, 64)];
        modes.extend(sizes.iter().filter_map(|(can, bits)| can.then_some((mode, *bits))));
        capabilities.extend((single || double && target.float64).then_some(capability));
    }
    if modes.is_empty() {
        return words;
    }
    let (mut head, mut behind, mut entry) = (HEADER, HEADER, 0);
    let mut at = HEADER;
    while let Some(&word) = words.get(at) {
        let (length, op) = ((word >> 16).max(1) as usize, word & 0xffff);
        match op {
            CAPABILITY => head = at + length,
            ENTRY_POINT => (entry, behind) = (words[at + 2], at + length),
            EXECUTION_MODE => behind = at + length,
            _ => {}
        }
        at += length;
    }
    let mode = |&(mode, bits): &(u32, u32)| [4 << 16 | EXECUTION_MODE, entry, mode, bits];
    words.splice(behind..behind, modes.iter().flat_map(mode));
    let extension = CONTROLS.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b));
    let capabilities = capabilities.iter().flat_map(|&c| [2 << 16 | CAPABILITY, c]);
    words.splice(head..head, capabilities.chain([7 << 16 | EXTENSION]).chain(extension));
    words
}
