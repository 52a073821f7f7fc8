//! Which items are computed as one: those that load the same again and again in loops, if so many are left that the GPU is busy.

use crate::abi::Target;
use crate::lower::is_grouped;
use quadra_kir::Kernel;
use quadra_passes::jam;

/// Most neighbours along an axis.
const MOST: u32 = 4;
/// Of the loads in loops, neighbours share at least one of so many.
const SHARE: u64 = 4;

/// Whether neighbours along an axis share enough of their loads.
fn pays(kernel: &Kernel, axis: u32) -> bool {
    jam::loads(kernel, axis).is_some_and(|loads| loads.shared > 0 && loads.shared * SHARE >= loads.all)
}

/// Whether there are such items, whatever the launch.
pub fn is_possible(kernel: &Kernel) -> bool {
    !is_grouped(kernel) && (0..u32::from(kernel.over)).any(|axis| pays(kernel, axis))
}

/// Neighbours along each axis that are computed as one, in a launch over an extent; empty for none.
pub fn choose(kernel: &Kernel, extent: &[u32], target: &Target) -> Vec<u32> {
    if is_grouped(kernel) || extent.len() != usize::from(kernel.over) {
        return Vec::new();
    }
    let mut tile = vec![1; extent.len()];
    let mut left: u64 = extent.iter().map(|&n| u64::from(n)).product();
    let axes: Vec<usize> = (0..extent.len()).filter(|&axis| pays(kernel, axis as u32)).collect();
    let mut grew = true;
    // Tiles are square as long as that goes: a square loads least.
    while std::mem::take(&mut grew) {
        for &axis in &axes {
            if tile[axis] < MOST
                && extent[axis] >= 4 * tile[axis]
                && left / 2 >= u64::from(target.groups) * u64::from(target.items)
            {
                tile[axis] *= 2;
                left /= 2;
                grew = true;
            }
        }
    }
    if tile.iter().all(|n| *n == 1) { Vec::new() } else { tile }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadra_kir::parse;

    fn tile(body: &str, extent: [u32; 2], groups: u32) -> Vec<u32> {
        let text = format!(
            "kernel @k(%a: buf<f32, r>, %b: buf<f32, r>, %c: buf<f32, rw>, %n: i32) simt group=16 over=2 {{
            %i = item 0 %j = item 1 {body} }}"
        );
        let kernel = parse::kernel("tile.kir", &text).unwrap_or_else(|d| panic!("{}: {text}", d[0].message));
        choose(&kernel, &extent, &Target { groups, ..Target::default() })
    }

    const PRODUCT: &str = "%s = for %k in 0..%n (%t: f32 = 0.0) {
        %p = mul %i, %n %q = add %p, %k %u = load %a[%q] %r = mul %k, %n %x = add %r, %j %v = load %b[%x]
        %y = mul %u, %v %z = add %t, %y yield %z } store %c[%i], %s";

    #[test]
    fn products_are_tiled_as_far_as_the_gpu_stays_busy() {
        assert_eq!(tile(PRODUCT, [1024, 1024], 1024), [4, 4]);
        assert_eq!(tile(PRODUCT, [1024, 1024], 4096), [2, 2]);
        assert_eq!(tile(PRODUCT, [64, 64], 1024), []);
        assert_eq!(tile(PRODUCT, [3, 1 << 20], 64), [1, 4]);
    }

    #[test]
    fn other_kernels_are_not() {
        let own = PRODUCT.replace("load %a", "load %c");
        assert_eq!(tile(&own, [1024, 1024], 64), [], "what is stored is loaded");
        assert_eq!(
            tile(&PRODUCT.replace("0..%n", "0..%j"), [1024, 1024], 64),
            [4, 1],
            "loops that differ along an axis"
        );
        let sum = PRODUCT.replace("store %c[%i], %s", "%o = atomic.add %c[%i], %s");
        assert_eq!(tile(&sum, [1024, 1024], 64), [], "twice is not once");
        assert_eq!(tile("%p = mul %i, %n %q = add %p, %j %u = load %a[%q] store %c[%q], %u", [1024, 1024], 64), []);
    }
}
