//! Colour spaces. Colours are cubes with 3 (or more) channels along dimension 2, or vectors with 3 elements.

use super::{Builtin, Call, Run, row};
use crate::arith::to_f64;
use crate::fault::Res;
use crate::storage;
use crate::tensor::{Data, Tensor, normal_shape, real_data};
use crate::value::Value;

/// Shares of red, green and blue in the luminance.
pub const LUMA: [f64; 3] = [0.299, 0.587, 0.114];

/// The channels of every pixel, and their number.
fn pixels(call: &Call) -> Res<(std::rc::Rc<Tensor>, Vec<f64>, usize)> {
    let t = call.tensor(0)?;
    let channels = if t.shape.len() == 3 { t.shape[2] } else { t.len() };
    let fits = if t.shape.len() == 3 { channels >= 3 } else { t.is_vector() && channels == 3 };
    if !fits || t.data.borrow().is_complex() {
        return Err(call.wrong(0, "a cube with 3 channels or a vector with 3 elements"));
    }
    let values = to_f64(&t.data.borrow()).into_owned();
    Ok((t, values, channels))
}

/// Weights of Rec. ITU-R BT.601.
fn rgb2gray(call: &mut Call) -> Res<Value> {
    let luma = |[r, g, b]: [f64; 3]| LUMA[0] * r + LUMA[1] * g + LUMA[2] * b;
    if let Value::Array(t) = &call.args[0]
        && let (Data::F32(v), [_, _, 3]) = (&*t.data.borrow(), &t.shape[..])
        && !call.double()
    {
        let (pixels, _) = v.as_chunks::<3>();
        let gray = storage::build(pixels.len(), |range, out: &mut [f32]| {
            out.iter_mut().zip(&pixels[range]).for_each(|(o, p)| *o = luma(p.map(f64::from)) as f32);
        });
        return Ok(Value::array(Tensor::new(normal_shape(&t.shape[..2]), Data::F32(gray))));
    }
    let (t, v, channels) = pixels(call)?;
    let mut gray = v.chunks(channels).map(|p| luma([p[0], p[1], p[2]]));
    if t.is_vector() {
        return Ok(Value::scalar(gray.next().unwrap_or(0.0), call.double()));
    }
    Ok(Value::array(Tensor::new(normal_shape(&t.shape[..2]), real_data(gray.collect(), call.double()))))
}

/// Changes the first three channels of every pixel.
fn convert(call: &mut Call, f: fn([f64; 3]) -> [f64; 3]) -> Res<Value> {
    let (t, mut v, channels) = pixels(call)?;
    storage::each_line(&mut v, channels, 4, |_, p| {
        let converted = f([p[0], p[1], p[2]]);
        p[..3].copy_from_slice(&converted);
    });
    Ok(Value::array(Tensor::new(t.shape.clone(), real_data(v, call.double()))))
}

/// Hue in degrees (0 to 360), saturation (0 to 1), value in the unit of the input (Smith, "Color gamut transform pairs", 1978).
fn to_hsv([r, g, b]: [f64; 3]) -> [f64; 3] {
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    let range = most - least;
    let hue = match range {
        d if d <= 0.0 => 0.0,
        d if most == r => 60.0 * ((g - b) / d).rem_euclid(6.0),
        d if most == g => 60.0 * ((b - r) / d + 2.0),
        d => 60.0 * ((r - g) / d + 4.0),
    };
    [hue, if most > 0.0 { range / most } else { 0.0 }, most]
}

fn to_rgb([h, s, v]: [f64; 3]) -> [f64; 3] {
    let channel = |shift: f64| {
        let k = (shift + h / 60.0).rem_euclid(6.0);
        v - v * s * k.min(4.0 - k).clamp(0.0, 1.0)
    };
    [channel(5.0), channel(3.0), channel(1.0)]
}

pub const TABLE: &[Builtin] = &[
    row!(
        "rgb2gray",
        "rgb2gray(x)",
        "luminance 0.299 R + 0.587 G + 0.114 B of a colour image or colour",
        "print rgb2gray(ones(1,2,3))",
        1..=1,
        Run::One(rgb2gray)
    ),
    row!(
        "rgb2hsv",
        "rgb2hsv(x)",
        "hue in degrees, saturation 0..1, value in the unit of x; x: cube or vec3",
        "print rgb2hsv([0,255,0])",
        1..=1,
        Run::One(|c| convert(c, to_hsv))
    ),
    row!(
        "hsv2rgb",
        "hsv2rgb(x)",
        "inverse of rgb2hsv",
        "print hsv2rgb([120,1,255])",
        1..=1,
        Run::One(|c| convert(c, to_rgb))
    ),
];
