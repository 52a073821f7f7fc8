//! Image files, through the `image` crate.

use super::{Builtin, Call, Run, row};
use crate::arith::to_f64;
use crate::cx::Cx;
use crate::fault::{Fault, Res, fault};
use crate::literal;
use crate::tensor::{Shape, Tensor, normal_shape, real_data};
use crate::value::Value;
use ::image::{ColorType, DynamicImage, ImageBuffer, ImageFormat, Luma, Rgb, Rgba};
use quadra_figure::axes::Layer;
use quadra_figure::colors::ColorMap;
use quadra_figure::files;

/// `imread(file[,form])`: a matrix for gray images, a cube with 3 or 4 channels for colour, values 0..255 (or 0..65535); as the
/// form asks, always one or the other.
fn imread(call: &mut Call) -> Res<Value> {
    let path = call.text(0)?.to_string();
    let form = if call.args.len() > 1 { call.text(1)? } else { "" };
    let (rgb, luma) = match form {
        "" => (false, false),
        "rgb" => (true, false),
        "gray" | "grey" => (false, true),
        _ => return Err(call.wrong(1, "\"rgb\" or \"gray\"")),
    };
    let bytes = call.cx.read_file(&path, call.name, |e| {
        Fault::new("Q0414", format!("imread: cannot open '{path}'")).help(e.to_string())
    })?;
    let unreadable = |e: ::image::ImageError| {
        Fault::new("Q0414", format!("imread: cannot read '{path}': {e}"))
            .help("PGM, PPM, PNG, JPEG, TIFF, BMP, HDR and EXR are known")
    };
    let (w, h) = files::dimensions(&bytes).map_err(unreadable)?;
    let pixels = (w as usize).saturating_mul(h as usize);
    if !crate::memory::fits(pixels.saturating_mul(32)) {
        fault!("Q0310", "out of memory: an image of {h}x{w} pixels"; "raise the limit with --max-memory");
    }
    // The file's own size is what was asked for, not what some decoder allows.
    let image = files::decode(&bytes).map_err(unreadable)?;
    let (w, h) = (image.width() as usize, image.height() as usize);
    let wide = |v: Vec<u16>| v.into_iter().map(f64::from).collect::<Vec<_>>();
    let narrow = |v: Vec<u8>| v.into_iter().map(f64::from).collect::<Vec<_>>();
    if matches!(image.color(), ColorType::Rgb32F | ColorType::Rgba32F) {
        return Ok(radiance(image, luma, call.double()));
    }
    let deep = image.color().bytes_per_pixel() / image.color().channel_count() > 1;
    if luma && image.color().has_color() {
        let wide = image.into_rgb32f();
        let most = if deep { 65535.0 } else { 255.0 };
        let one = |p: &[f32]| (0..3).map(|k| f64::from(p[k]) * most * super::color::LUMA[k]).sum::<f64>().round();
        let values: Vec<f64> = wide.as_raw().chunks_exact(3).map(one).collect();
        return Ok(Value::array(Tensor::new(Shape::from_slice(&[h, w]), real_data(values, call.double()))));
    }
    let gray = !image.color().has_color() && !rgb;
    let alpha = image.color().has_alpha() && !rgb;
    let (values, channels) = match (gray, alpha, deep) {
        (true, _, true) => (wide(image.into_luma16().into_raw()), 1),
        (true, _, false) => (narrow(image.into_luma8().into_raw()), 1),
        (_, true, true) => (wide(image.into_rgba16().into_raw()), 4),
        (_, true, false) => (narrow(image.into_rgba8().into_raw()), 4),
        (_, _, true) => (wide(image.into_rgb16().into_raw()), 3),
        _ => (narrow(image.into_rgb8().into_raw()), 3),
    };
    let shape: Shape = if channels == 1 { Shape::from_slice(&[h, w]) } else { normal_shape(&[h, w, channels]) };
    Ok(Value::array(Tensor::new(shape, real_data(values, call.double()))))
}

/// An image of singles as it is, in whatever unit: a cube with 3 or 4 channels, or its luma.
fn radiance(image: DynamicImage, luma: bool, double: bool) -> Value {
    let (w, h) = (image.width() as usize, image.height() as usize);
    let channels = if image.color().has_alpha() && !luma { 4 } else { 3 };
    let values: Vec<f32> = match channels {
        4 => image.into_rgba32f().into_raw(),
        _ => image.into_rgb32f().into_raw(),
    };
    if luma {
        let one = |p: &[f32]| (0..3).map(|k| f64::from(p[k]) * super::color::LUMA[k]).sum::<f64>();
        let values: Vec<f64> = values.chunks_exact(3).map(one).collect();
        return Value::array(Tensor::new(Shape::from_slice(&[h, w]), real_data(values, double)));
    }
    let values = values.into_iter().map(f64::from).collect();
    Value::array(Tensor::new(normal_shape(&[h, w, channels]), real_data(values, double)))
}

/// An array as an image of 8 or (where values exceed 255 and `deep` allows it) 16 bits per channel.
pub fn to_image(t: &Tensor, deep: bool) -> Res<DynamicImage> {
    let values = to_f64(&t.data.borrow()).into_owned();
    let (h, w) = (t.shape[0], t.shape[1]);
    let channels = t.shape.get(2).copied().unwrap_or(1);
    if t.shape.len() > 3 || !matches!(channels, 1 | 3 | 4) || h == 0 || w == 0 {
        let size = crate::display::shape_text(&t.shape);
        fault!("Q0414", "an array of size {size} is no image"; "images are matrices, or cubes with 3 or 4 channels");
    }
    let (w, h) = (w as u32, h as u32);
    let image = if deep {
        let v: Vec<u16> = values.iter().map(|x| x.round().clamp(0.0, 65535.0) as u16).collect();
        match channels {
            1 => ImageBuffer::<Luma<u16>, _>::from_raw(w, h, v).map(DynamicImage::ImageLuma16),
            3 => ImageBuffer::<Rgb<u16>, _>::from_raw(w, h, v).map(DynamicImage::ImageRgb16),
            _ => ImageBuffer::<Rgba<u16>, _>::from_raw(w, h, v).map(DynamicImage::ImageRgba16),
        }
    } else {
        let v: Vec<u8> = values.iter().map(|x| x.round().clamp(0.0, 255.0) as u8).collect();
        match channels {
            1 => ImageBuffer::<Luma<u8>, _>::from_raw(w, h, v).map(DynamicImage::ImageLuma8),
            3 => ImageBuffer::<Rgb<u8>, _>::from_raw(w, h, v).map(DynamicImage::ImageRgb8),
            _ => ImageBuffer::<Rgba<u8>, _>::from_raw(w, h, v).map(DynamicImage::ImageRgba8),
        }
    };
    image.ok_or_else(|| Fault::new("Q0414", "the array is no image"))
}

/// An array as an image of singles, in whatever unit; for the formats that hold such.
fn to_radiance(t: &Tensor) -> Res<DynamicImage> {
    let values = to_f64(&t.data.borrow()).into_owned();
    let (h, w, channels) = (t.shape[0], t.shape[1], t.shape.get(2).copied().unwrap_or(1));
    if t.shape.len() > 3 || !matches!(channels, 1 | 3) || h == 0 || w == 0 {
        let size = crate::display::shape_text(&t.shape);
        fault!("Q0414", "an array of size {size} is no image of singles"; "it is a matrix, or a cube with 3 channels");
    }
    let v: Vec<f32> = values.iter().flat_map(|x| vec![*x as f32; 3 / channels]).collect();
    let image = ImageBuffer::<Rgb<f32>, _>::from_raw(w as u32, h as u32, v).map(DynamicImage::ImageRgb32F);
    image.ok_or_else(|| Fault::new("Q0414", "the array is no image"))
}

/// Writes an image whose format follows from its name.
pub fn save(cx: &mut Cx, image: &DynamicImage, path: &str, who: &str) -> Res<()> {
    let failed = |e: &dyn std::fmt::Display| {
        Fault::new("Q0414", format!("{who}: cannot write '{path}': {e}"))
            .help("the extension gives the format: .png, .jpg, .tif, .bmp, .pgm, .ppm, .exr, .hdr")
    };
    let format = ImageFormat::from_path(path).map_err(|e| failed(&e))?;
    // JPEG has no 16 bits and no transparency, and so on: the encoder says so.
    let bytes = files::encode(image, format).map_err(|e| failed(&e))?;
    cx.write_file(path, who, &bytes, |e| failed(&e))
}

/// `imwrite(file,x[,16])`.
fn imwrite(call: &mut Call) -> Res<()> {
    let deep = match call.args.len() {
        2 => false,
        _ => match call.number(2)? {
            8.0 => false,
            16.0 => true,
            _ => return Err(call.wrong(2, "8 or 16 bits per channel")),
        },
    };
    // MATLAB's order, the picture first, is as clear.
    let name = usize::from(call.args[0].as_text().is_none() && call.args[1].as_text().is_some());
    let path = call.text(name)?.to_string();
    let image = match ImageFormat::from_path(&path) {
        Ok(ImageFormat::OpenExr | ImageFormat::Hdr) => to_radiance(&*call.tensor(1 - name)?)?,
        _ => to_image(&*call.tensor(1 - name)?, deep)?,
    };
    save(call.cx, &image, &path, call.name)
}

/// Pixels of a picture in one direction that figures draw at most.
const MOST_DRAWN: u32 = 2048;

/// `imshow(x[,range])`: writes `imshow_NNN.png` and returns an object with its name. On a terminal the picture is shown there,
/// too, two pixels per character; elsewhere a note names the file.
fn imshow(call: &mut Call) -> Res<Value> {
    let colors = call.cx.figures.colors.clone();
    show(call, colors)
}

fn show(call: &mut Call, colors: Option<ColorMap>) -> Res<Value> {
    let t = call.tensor(0)?;
    let values = to_f64(&t.data.borrow()).into_owned();
    let (low, high) = match call.args.len() {
        1 => (0.0, 255.0),
        _ => match call.list(1)?[..] {
            [low, high] => (low, high),
            [_, ..] => return Err(call.wrong(1, "[low, high], or [] for the range of the values")),
            [] => values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x))),
        },
    };
    let scale = if high > low { 255.0 / (high - low) } else { 1.0 };
    let scaled = values.iter().map(|x| (x - low) * scale).collect();
    let image = to_image(&Tensor::new(t.shape.clone(), real_data(scaled, true)), false)?;
    let name = call.cx.figures.picture_name(call.name);
    let figure = call.cx.figures.for_layer(|_| name.replace(".png", ".svg"));
    // What figures draw has no more pixels than a screen.
    let small = if image.width().max(image.height()) > MOST_DRAWN {
        image.thumbnail(MOST_DRAWN, MOST_DRAWN)
    } else {
        image.clone()
    };
    let gray = !image.color().has_color();
    figure.axes().layers.push(Layer::Picture { image: small.into_rgb8(), gray, range: (low, high) });
    if figure.axes().colors.is_none() && gray {
        figure.axes().colors = colors;
    }
    let caption = figure.caption();
    let png = files::encode(&image, ImageFormat::Png)
        .map_err(|e| Fault::new("Q0414", format!("{}: cannot write '{name}': {e}", call.name)))?;
    let path = super::frame::keep(call.cx, call.name, &name, &caption, &png)?;
    let drawn = super::frame::changed(call)?;
    let drawn = if call.cx.figures.some().is_drawn() { drawn } else { path.clone() };
    announce(call, Some(&image), &drawn)?;
    Ok(super::frame::object(&path))
}

/// `imagesc(x[,range])`: `imshow(x,[])`; of `imagesc(columns,rows,x[,range])` the picture alone.
fn imagesc(call: &mut Call) -> Res<Value> {
    let whole = literal::array(&[], call.cx.mode)?;
    // Where the picture lies on the axes is no part of it.
    let at = if call.args.len() > 2 { 2 } else { 0 };
    let range = call.args.get(at + 1).cloned().unwrap_or(whole);
    let args = [call.args[at].clone(), range];
    let colors = call.cx.figures.colors.clone().or_else(|| ColorMap::named("viridis"));
    show(&mut call.with(&args), colors)
}

/// Shows the picture on a terminal, or says where it was written.
pub fn announce(call: &mut Call, image: Option<&DynamicImage>, path: &str) -> Res<()> {
    if let Some(image) = image.filter(|_| call.cx.terminal) {
        return super::io::write(call.cx, &terminal_picture(image, 78));
    }
    if call.cx.gallery.is_some() {
        return Ok(());
    }
    let mut note = quadra_base::Diagnostic::warning("Q0415", format!("{}: the picture is in '{path}'", call.name));
    note.severity = quadra_base::Severity::Note;
    call.cx.warn(note.at(call.span()));
    Ok(())
}

/// The picture in at most `columns` characters per line: upper half blocks whose foreground is one pixel and whose background
/// is the pixel below it, in 24-bit colours (ECMA-48 with the direct colours of ISO 8613-6).
pub fn terminal_picture(image: &DynamicImage, columns: u32) -> String {
    let rgb = match image.width() > columns {
        true => image.thumbnail(columns, image.height()).into_rgb8(),
        false => image.to_rgb8(),
    };
    let mut out = String::new();
    for y in (0..rgb.height()).step_by(2) {
        for x in 0..rgb.width() {
            let top = rgb.get_pixel(x, y).0;
            out.push_str(&format!("\x1b[38;2;{};{};{}m", top[0], top[1], top[2]));
            if y + 1 < rgb.height() {
                let below = rgb.get_pixel(x, y + 1).0;
                out.push_str(&format!("\x1b[48;2;{};{};{}m", below[0], below[1], below[2]));
            }
            out.push('▀');
        }
        out.push_str("\x1b[0m\n");
    }
    out
}

pub const TABLE: &[Builtin] = &[
    row!(
        "imread",
        "imread(file[,form])",
        "an image: matrix for gray, cube for colour, values from 0; the form \"rgb\" or \"gray\" gives one or the other",
        "imwrite(\"a.png\", [[0,255]]); print imread(\"a.png\")",
        1..=2,
        Run::One(imread)
    ).host_only(),
    row!(
        "imwrite",
        "imwrite(file,x[,bits])",
        "writes an image of 8 (or 16) bits, file and image in any order; the extension gives the format: png jpg tif bmp pgm ppm, exr and hdr with numbers as they are",
        "imwrite(\"a.pgm\", zeros(2,2))",
        2..=3,
        Run::Effect(imwrite)
    ).frugal().host_only(),
    row!(
        "imshow",
        "imshow(x[,range])",
        "writes imshow_NNN.png, shows it on a terminal, and returns an object with its name",
        "print imshow([[0,255],[255,0]]).file",
        1..=2,
        Run::One(imshow)
    ).frugal().host_only(),
    row!(
        "imagesc",
        "imagesc(x[,range]), imagesc(columns,rows,x[,range])",
        "as imshow, from the least value to the greatest, in the colours of colormap; what columns and rows stand for is not shown",
        "imagesc([[0,1],[2,3]])",
        1..=4,
        Run::One(imagesc)
    ).frugal().host_only(),
];
