//! Elements in memory: addressing by access mode, reading and writing, and the check of a launch's arguments.

use crate::kernel::{Access, Kernel, Mode, Param};
use crate::launch::{Arg, FaultKind, GUARD_BYTES, Launch, Memory, MemoryBuffer};
use crate::types::{Elem, Type};

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// This element of the flattened buffer.
    At(usize),
    /// Nowhere: a load gives 0, a store does nothing.
    Nowhere,
    /// Outside the buffer, at this element of it were it longer.
    Outside(i64),
}

/// The place of an element, indices outermost first.
pub(super) fn locate(buffer: &MemoryBuffer, mode: Mode, indices: impl Iterator<Item = i32>) -> Place {
    let (mut flat, mut real) = (0i64, 0i64);
    let (mut outside, mut skip) = (false, false);
    for (&dim, index) in buffer.dims.iter().zip(indices) {
        let (dim, index) = (dim as i64, index as i64);
        flat = flat.saturating_mul(dim).saturating_add(index);
        let inside = match mode {
            _ if (0..dim).contains(&index) => index,
            _ if dim == 0 => {
                outside = true;
                0
            }
            Mode::Clamp => index.clamp(0, dim - 1),
            Mode::Circular => index.rem_euclid(dim),
            Mode::Mirror => {
                let at = index.rem_euclid(2 * dim);
                at.min(2 * dim - 1 - at)
            }
            Mode::Safe => {
                skip = true;
                0
            }
            _ => {
                outside = true;
                0
            }
        };
        real = real * dim + inside;
    }
    if skip {
        return Place::Nowhere;
    }
    if mode == Mode::Guarded {
        // A prefetch goes by the flattened address alone.
        let width = buffer.elem.bytes() as i64;
        let len = buffer.bytes.len() as i64;
        return match flat {
            _ if flat >= 0 && flat * width < len => Place::At(flat as usize),
            _ if flat >= 0 && (flat + 1) * width <= len + GUARD_BYTES as i64 => Place::Nowhere,
            _ => Place::Outside(flat),
        };
    }
    if outside { Place::Outside(flat) } else { Place::At(real as usize) }
}

/// The element of a buffer's bytes with this number, as a value of the type it has in a register.
pub(super) fn read(buffer: &MemoryBuffer, element: usize) -> u64 {
    let bytes = &buffer.bytes;
    match buffer.elem {
        Elem::I8 => bytes[element] as i8 as i32 as u32 as u64,
        Elem::I16 => i16::from_le_bytes(part(bytes, element)) as i32 as u32 as u64,
        Elem::F16 => half_to_single(u16::from_le_bytes(part(bytes, element))) as u64,
        Elem::Bool => (u32::from_le_bytes(part(bytes, element)) != 0) as u64,
        Elem::I32 | Elem::F32 => u32::from_le_bytes(part(bytes, element)) as u64,
        Elem::I64 | Elem::F64 => u64::from_le_bytes(part(bytes, element)),
    }
}

/// Writes a register's value as an element: integers wrap, floats round to nearest.
pub(super) fn write(buffer: &mut MemoryBuffer, element: usize, value: u64) {
    let size = buffer.elem.bytes() as usize;
    let bits = match buffer.elem {
        Elem::F16 => single_to_half(value as u32) as u64,
        Elem::Bool => (value != 0) as u64,
        _ => value,
    };
    buffer.bytes[element * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
}

fn part<const N: usize>(bytes: &[u8], element: usize) -> [u8; N] {
    bytes[element * N..][..N].try_into().expect("the slice has N bytes")
}

fn half_to_single(h: u16) -> u32 {
    let (sign, exponent, fraction) = ((h as u32 & 0x8000) << 16, h as u32 >> 10 & 31, h as u32 & 0x3ff);
    match exponent {
        0 => sign | (fraction as f32 * 2f32.powi(-24)).to_bits(),
        31 => sign | 0x7f80_0000 | fraction << 13,
        _ => sign | (exponent + 112) << 23 | fraction << 13,
    }
}

/// Rounds to the nearest half float, ties to even.
fn single_to_half(x: u32) -> u16 {
    let sign = (x >> 16) as u16 & 0x8000;
    let magnitude = x & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    // Adding a float with the half's last place as its own last place makes the hardware's addition round there.
    let exponent = ((magnitude >> 23) as i32).max(113);
    let (keep, unit) = (magnitude, f32::from_bits(((exponent + 13) as u32) << 23));
    if magnitude >= 0x4780_0000 {
        return sign | 0x7c00;
    }
    let rounded = (f32::from_bits(keep) + unit).to_bits() - unit.to_bits();
    sign | (((exponent - 113) as u32) << 10).wrapping_add(rounded) as u16
}

/// The buffers of one launch: copies of the caller's, so that a launch that fails leaves the caller's as they were.
pub(super) struct Bound {
    pub globals: Vec<MemoryBuffer>,
    /// For each buffer of the kernel its index in `globals`, or for a shared array among the kernel's shared arrays.
    pub index: Vec<usize>,
    /// Fresh shared arrays of a group.
    pub shared: Vec<MemoryBuffer>,
}

/// Checks a launch's arguments against the kernel's parameters.
pub(super) fn bind(kernel: &Kernel, memory: &Memory, launch: &Launch) -> Result<Bound, FaultKind> {
    let bad = |text: String| Err(FaultKind::Arguments(text));
    if launch.args.len() != kernel.params.len() {
        return bad(format!("{} arguments for {} parameters", launch.args.len(), kernel.params.len()));
    }
    if launch.workers == 0 || launch.workers > 1 << 16 {
        return bad(format!("{} workers: there must be at least one", launch.workers));
    }
    if kernel.over > 0 && launch.extent.len() != kernel.over as usize {
        return bad(format!(
            "the kernel is launched over {} axes, the extent has {}",
            kernel.over,
            launch.extent.len()
        ));
    }
    let mut bound = Bound { globals: memory.buffers.clone(), index: vec![0; kernel.bufs.len()], shared: Vec::new() };
    let mut users: Vec<Option<(String, Access)>> = vec![None; memory.buffers.len()];
    for (&param, &arg) in kernel.params.iter().zip(&launch.args) {
        let name = kernel.param_name(param).to_string();
        match (param, arg) {
            (Param::Scalar(v), Arg::Scalar(c)) if kernel.ty(v) == Type::scalar(c.elem) => {}
            (Param::Scalar(v), _) => return bad(format!("parameter `{name}` wants one {}", kernel.ty(v))),
            (Param::Buffer(b), Arg::Buffer(i)) => {
                let (info, Some(buffer)) = (&kernel.bufs[b], memory.buffers.get(i)) else {
                    return bad(format!("parameter `{name}` is bound to buffer {i}, which does not exist"));
                };
                let elements = buffer.dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d as usize));
                // A kernel may compute with the bits of half floats.
                if info.elem == Elem::I16 && buffer.elem == Elem::F16 && users[i].is_none() {
                    bound.globals[i].elem = Elem::I16;
                }
                if bound.globals[i].elem != info.elem || buffer.dims.len() != info.rank as usize {
                    let (have, rank) = (buffer.elem, buffer.dims.len());
                    return bad(format!(
                        "parameter `{name}` wants {} of rank {}, not {have} of rank {rank}",
                        info.elem, info.rank
                    ));
                }
                if elements.and_then(|n| n.checked_mul(info.elem.bytes() as usize)) != Some(buffer.bytes.len()) {
                    return bad(format!(
                        "the buffer for `{name}` has {} bytes, its sizes say otherwise",
                        buffer.bytes.len()
                    ));
                }
                if let Some((other, access)) = &users[i]
                    && !launch.alias
                    && (*access != Access::Read || info.access != Access::Read)
                {
                    return bad(format!("`{other}` and `{name}` are the same buffer, and the kernel writes to it"));
                }
                let before = users[i].take().map_or(Access::Read, |u| u.1);
                users[i] = Some((name, if info.access == Access::Read { before } else { info.access }));
                bound.index[b.index()] = i;
            }
            (Param::Buffer(_), Arg::Scalar(_)) => return bad(format!("parameter `{name}` is a buffer")),
        }
    }
    for (b, info) in kernel.shared() {
        if info.elements() > 1 << 24 {
            return bad(format!("the shared array `{}` is too large", info.name));
        }
        bound.index[b.index()] = bound.shared.len();
        let bytes = vec![0; info.bytes() as usize];
        bound.shared.push(MemoryBuffer { elem: info.elem, dims: info.dims.clone(), bytes });
    }
    Ok(bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_survive_the_way_through_a_single() {
        for h in 0..=u16::MAX {
            let x = half_to_single(h);
            if f32::from_bits(x).is_nan() {
                continue;
            }
            assert_eq!(single_to_half(x), h, "{h:#x}");
        }
        assert_eq!(single_to_half(0x477f_f000), 0x7c00, "65520 rounds to infinity");
        assert_eq!(single_to_half(0x477f_efff), 0x7bff, "just below it does not");
        assert_eq!(single_to_half(0x3300_0000), 0, "half of the smallest rounds to even");
        assert_eq!(single_to_half(0x3300_0001), 1);
    }

    #[test]
    fn modes_map_indices_as_documented() {
        let buffer = MemoryBuffer::of_i32(&[0; 4]);
        let at = |mode, i| locate(&buffer, mode, [i].into_iter());
        let mirrored: Vec<Place> = (-5..6).map(|i| at(Mode::Mirror, i)).collect();
        let want = [3, 3, 2, 1, 0, 0, 1, 2, 3, 3, 2].map(Place::At);
        assert_eq!(mirrored, want);
        assert_eq!(at(Mode::Circular, -1), Place::At(3));
        assert_eq!(at(Mode::Clamp, 9), Place::At(3));
        assert_eq!(at(Mode::Safe, 4), Place::Nowhere);
        assert_eq!(at(Mode::Unchecked, -1), Place::Outside(-1));
        assert_eq!((at(Mode::Guarded, 4 + 1023), at(Mode::Guarded, 4 + 1024)), (Place::Nowhere, Place::Outside(1028)));
        assert_eq!(at(Mode::Guarded, -1), Place::Outside(-1));
    }
}
