//! Filters: correlation, convolution, medians, erosion and dilation, resizing.

use super::window::Rows;
use super::{Builtin, Call, Run, convolve, row};
use crate::arith::to_f64;
use crate::fault::{Fault, Res, fault};
use crate::index::map_index;
use crate::storage;
use crate::tensor::{Data, Shape, Tensor, normal_shape, real_data};
use crate::value::Value;
use quadra_numeric::order;
use quadra_quasar_hir::types::Access;

fn access(call: &Call, i: usize) -> Res<Access> {
    Ok(match call.text(i)? {
        "mirror" => Access::Mirror,
        "circular" => Access::Circular,
        "clamped" | "replicate" => Access::Clamped,
        "safe" => Access::Safe,
        other => {
            fault!("Q0314", "'{}' knows no boundary mode \"{other}\"", call.name; "mirror, circular, clamped or safe")
        }
    })
}

/// An image and, for every row and column of a window laid on a pixel, where the access mode finds it.
struct Window {
    height: usize,
    width: usize,
    channels: usize,
    shape: Shape,
    /// Rows and columns of the window.
    size: [usize; 2],
    rows: Vec<Option<usize>>,
    columns: Vec<Option<usize>>,
}

impl Window {
    /// A window of `size` on the image in argument 0 with the pixel at `center`.
    fn new(call: &Call, size: [usize; 2], center: [i64; 2], mode: Access) -> Res<Window> {
        let x = call.tensor(0)?;
        if x.shape.len() > 3 || x.data.borrow().is_complex() {
            return Err(call.wrong(0, "a real matrix, or a cube with channels"));
        }
        let (height, width, channels) = (x.shape[0], x.shape[1], x.shape.get(2).copied().unwrap_or(1));
        let positions = (height.saturating_mul(size[0])).saturating_add(width.saturating_mul(size[1]));
        if !crate::memory::fits(positions.saturating_mul(16)) {
            fault!("Q0310", "out of memory: a window of {}x{} elements", size[0], size[1]; "use a smaller window");
        }
        let line = |n: usize, m: usize, c: i64| -> Res<Vec<Option<usize>>> {
            let at = |i: usize, k: usize| map_index((i as i64).saturating_add(k as i64).saturating_sub(c), n, mode, "");
            (0..n).flat_map(|i| (0..m).map(move |k| (i, k))).map(|(i, k)| at(i, k)).collect()
        };
        let (rows, columns) = (line(height, size[0], center[0])?, line(width, size[1], center[1])?);
        Ok(Window { height, width, channels, shape: x.shape.clone(), size, rows, columns })
    }

    /// The rows of an image for this window; `outside` stands for what lies nowhere.
    fn lines<T: Copy + Send + Sync>(&self, values: &[T], outside: T) -> Rows<T> {
        let shape = [self.height, self.width, self.channels];
        Rows::new(values, shape, self.size, &self.rows, &self.columns, outside)
    }

    /// The image with these elements.
    fn image(&self, call: &Call, out: Vec<f64>) -> Value {
        Value::array(Tensor::new(self.shape.clone(), real_data(out, call.double())))
    }
}

/// A matrix argument as a mask: its lengths and elements.
fn mask(call: &Call, i: usize) -> Res<([usize; 2], Vec<f64>)> {
    let mask = call.tensor(i)?;
    if mask.shape.len() > 2 {
        return Err(call.wrong(i, "a matrix"));
    }
    let values = to_f64(&mask.data.borrow()).into_owned();
    Ok(([mask.shape[0], mask.shape[1]], values))
}

/// Where the pixel lies in a mask of this size: argument 2, the middle if there is none or it is empty.
fn center(call: &Call, size: [usize; 2]) -> Res<[i64; 2]> {
    match call.args.get(2) {
        Some(v) if !matches!(v, Value::Array(t) if t.is_empty()) => {
            let list = call.list(2)?;
            if list.len() > 2 {
                return Err(call.wrong(2, "a row and a column"));
            }
            Ok([list.first().map_or(0, |c| *c as i64), list.get(1).map_or(0, |c| *c as i64)])
        }
        _ => Ok([(size[0] / 2) as i64, (size[1] / 2) as i64]),
    }
}

/// Words behind the mask: a boundary mode, and "conv", for which the mask is turned around.
fn options(call: &Call) -> Res<(Access, bool)> {
    let (mut mode, mut turned) = (Access::Mirror, false);
    for i in 2..call.args.len() {
        match call.text(i)? {
            "corr" | "same" => {}
            "conv" => turned = true,
            "symmetric" | "full" => {
                return Err(call.wrong(
                    i,
                    "\"replicate\", \"circular\", \"mirror\" or \"safe\"; padarray makes other surroundings",
                ));
            }
            _ => mode = access(call, i)?,
        }
    }
    Ok((mode, turned))
}

/// Correlation of every channel with a mask.
fn imfilter(call: &mut Call) -> Res<Value> {
    let (size, mut weights) = mask(call, 1)?;
    let (center, mode) = match call.args.get(2) {
        Some(Value::Str(_)) => {
            let (mode, turned) = options(call)?;
            if turned {
                weights.reverse();
            }
            // The middle of an even mask is its upper left one, as the result of a convolution is cut.
            let middle = |n: usize| if turned { n / 2 } else { (n - n.min(1)) / 2 };
            ([middle(size[0]) as i64, middle(size[1]) as i64], mode)
        }
        _ => (center(call, size)?, if call.args.len() > 3 { access(call, 3)? } else { Access::Mirror }),
    };
    let window = Window::new(call, size, center, mode)?;
    // What lies outside counts as 0, as it does where weights are no numbers.
    let x = call.tensor(0)?;
    if let (Data::F32(v), false, false) = (&*x.data.borrow(), call.double(), weights.is_empty()) {
        let out = window.lines(v, 0.0).weighted(&weights);
        return Ok(Value::array(Tensor::new(window.shape.clone(), Data::F32(out))));
    }
    let out = match weights.is_empty() {
        true => vec![0.0; x.len()],
        false => window.lines(&to_f64(&x.data.borrow()), 0.0).weighted(&weights),
    };
    Ok(window.image(call, out))
}

/// Lengths of a window: a number, or two.
fn window_size(call: &Call, i: usize) -> Res<[usize; 2]> {
    let list = call.list(i)?;
    let length = |x: f64| (1.0..=10_000.0).contains(&x).then_some(x as usize);
    match list[..] {
        [n] => length(n).map(|n| [n, n]),
        [h, w] => length(h).zip(length(w)).map(|(h, w)| [h, w]),
        _ => None,
    }
    .ok_or_else(|| call.wrong(i, "one or two lengths from 1 to 10000"))
}

/// Median of the neighbourhood in every channel.
fn medfilt2(call: &mut Call) -> Res<Value> {
    let size = if call.args.len() > 1 { window_size(call, 1)? } else { [3, 3] };
    let mode = if call.args.len() > 2 { access(call, 2)? } else { Access::Mirror };
    let window = Window::new(call, size, [(size[0] / 2) as i64, (size[1] / 2) as i64], mode)?;
    // Elements outside count as 0 where the mode gives them that value.
    let n = (size[0] * size[1]) as u32;
    let x = call.tensor(0)?;
    let single = matches!(*x.data.borrow(), Data::F32(_) | Data::F16(_) | Data::Mask(_) | Data::U8(_));
    let values = to_f64(&x.data.borrow()).into_owned();
    let out = match single {
        true => {
            let zero = order::of_single(0.0);
            let keys: Vec<u32> = values.iter().map(|x| order::of_single(*x as f32)).collect();
            let rows = window.lines(&keys, zero);
            let at = |rank: u32| rows.ranked(rank, zero).into_iter().map(|k| f64::from(order::single(k))).collect();
            middle(n, at)
        }
        false => {
            let zero = order::of_double(0.0);
            let keys: Vec<u64> = values.iter().map(|x| order::of_double(*x)).collect();
            let rows = window.lines(&keys, zero);
            middle(n, |rank| rows.ranked(rank, zero).into_iter().map(order::double).collect())
        }
    };
    Ok(window.image(call, out))
}

/// The middle of `n` values by their ranks, or the mean of both that are.
fn middle(n: u32, at: impl Fn(u32) -> Vec<f64>) -> Vec<f64> {
    let mut high = at(n / 2);
    if n.is_multiple_of(2) {
        high.iter_mut().zip(at(n / 2 - 1)).for_each(|(h, l)| *h = (l + *h) / 2.0);
    }
    high
}

/// The least (or greatest) value under the elements of the mask that are not 0; what is outside the image does not count.
fn morphology(call: &mut Call, start: f64) -> Res<Value> {
    let (size, weights) = match call.args.len() {
        1 => ([3, 3], vec![1.0; 9]),
        _ => mask(call, 1)?,
    };
    if weights.is_empty() {
        return Err(call.wrong(1, "a mask with at least one element"));
    }
    let (center, greatest) = (center(call, size)?, start < 0.0);
    let whole = weights.iter().all(|w| *w != 0.0);
    // A full window is a column of rows.
    let window = Window::new(
        call,
        if whole { [1, size[1]] } else { size },
        [if whole { 0 } else { center[0] }, center[1]],
        Access::Safe,
    )?;
    let counts: Vec<bool> = weights.iter().map(|w| *w != 0.0).collect();
    let values = to_f64(&call.tensor(0)?.data.borrow()).into_owned();
    if !whole || size[0] < 2 {
        let out = window.lines(&values, start).extremes(&counts[..window.size[0] * window.size[1]], start, greatest);
        return Ok(window.image(call, out));
    }
    let across = window.lines(&values, start).extremes(&counts[..size[1]], start, greatest);
    let down = Window::new(call, [size[0], 1], [center[0], 0], Access::Safe)?;
    let out = down.lines(&across, start).extremes(&counts[..size[0]], start, greatest);
    Ok(down.image(call, out))
}

/// Where an output line takes its values from: for every index pairs of an input index and a weight.
type Taps = Vec<Vec<(usize, f64)>>;

/// Taps for `to` values out of `from`. Pixels are areas: value i of the output lies at (i + 0.5) * from / to - 0.5.
fn taps(from: usize, to: usize, method: &str) -> Taps {
    let edge = |i: f64| i.clamp(0.0, from as f64 - 1.0) as usize;
    // Keys, "Cubic convolution interpolation", 1981, with a = -0.5.
    let cubic = |d: f64| match d.abs() {
        d if d < 1.0 => 1.5 * d * d * d - 2.5 * d * d + 1.0,
        d if d < 2.0 => -0.5 * d * d * d + 2.5 * d * d - 4.0 * d + 2.0,
        _ => 0.0,
    };
    (0..to)
        .map(|i| {
            let at = (i as f64 + 0.5) * from as f64 / to as f64 - 0.5;
            let base = at.floor();
            match method {
                "nearest" => vec![(edge((at + 0.5).floor()), 1.0)],
                "bicubic" => (-1..3).map(|k| (edge(base + f64::from(k)), cubic(at - base - f64::from(k)))).collect(),
                _ => vec![(edge(base), 1.0 - (at - base)), (edge(base + 1.0), at - base)],
            }
        })
        .collect()
}

fn imresize(call: &mut Call) -> Res<Value> {
    let t = call.tensor(0)?;
    if t.shape.len() > 3 || t.is_empty() || t.data.borrow().is_complex() {
        return Err(call.wrong(0, "a real matrix, or a cube with channels"));
    }
    let (h, w, channels) = (t.shape[0], t.shape[1], t.shape.get(2).copied().unwrap_or(1));
    let wanted = match call.list(1)?[..] {
        [scale] => [(h as f64 * scale).round(), (w as f64 * scale).round()],
        [rows, columns] => [rows, columns],
        _ => return Err(call.wrong(1, "a factor or two lengths")),
    };
    if !wanted.iter().all(|n| (1.0..=1e9).contains(n)) {
        return Err(call.wrong(1, "a factor or two lengths that give at least one pixel"));
    }
    let method = if call.args.len() > 2 { call.text(2)? } else { "bilinear" };
    if !matches!(method, "nearest" | "bilinear" | "bicubic") {
        fault!("Q0314", "'imresize' knows no method \"{method}\""; "nearest, bilinear or bicubic");
    }
    let (rows, columns) = (wanted[0] as usize, wanted[1] as usize);
    let total = rows.saturating_mul(columns.max(w)).saturating_mul(channels).saturating_mul(16);
    if !crate::memory::fits(total) {
        return Err(Fault::new("Q0310", format!("out of memory: an image of {rows}x{columns} pixels"))
            .help("raise the limit with --max-memory"));
    }
    let values = to_f64(&t.data.borrow()).into_owned();
    let mut tall = vec![0.0; rows * w * channels];
    let down = taps(h, rows, method);
    storage::each_line(&mut tall, w * channels, 4, |row, line| {
        for (r, weight) in &down[row] {
            let source = &values[r * w * channels..(r + 1) * w * channels];
            line.iter_mut().zip(source).for_each(|(o, x)| *o += weight * x);
        }
    });
    let across = taps(w, columns, method);
    let mut out = vec![0.0; rows * columns * channels];
    storage::each_line(&mut out, columns * channels, 4, |row, line| {
        let source = &tall[row * w * channels..];
        for (pixel, taps) in line.chunks_mut(channels).zip(&across) {
            for (c, weight) in taps {
                let from = &source[c * channels..(c + 1) * channels];
                pixel.iter_mut().zip(from).for_each(|(o, x)| *o += weight * x);
            }
        }
    });
    let shape = normal_shape(&[rows, columns, channels]);
    Ok(Value::array(Tensor::new(shape, real_data(out, call.double()))))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "imfilter",
        "imfilter(x,mask[,center[,mode]]), imfilter(x,mask,word…)",
        "correlation of every channel with a mask; mode \"mirror\" by default, or \"safe\" (0), \"circular\", \"clamped\" or \"replicate\"; the word \"conv\" turns the mask around",
        "print imfilter(eye(3), ones(1,1))",
        2..=5,
        Run::One(imfilter)
    ),
    row!(
        "conv",
        "conv(a,b[,part])",
        "convolution of vectors; part \"full\", \"same\" (size of a) or \"valid\" (b inside a)",
        "print conv([1,2],[1,1])",
        2..=3,
        Run::One(|c| convolve::convolve(c, true))
    ),
    row!(
        "conv2",
        "conv2(a,b[,part]), conv2(u,v,x[,part])",
        "convolution of matrices, or of the columns of x with u and its rows with v; part as for conv",
        "print conv2([[1,2]],[[1],[1]])",
        2..=4,
        Run::One(|c| convolve::convolve(c, false))
    ),
    row!(
        "medfilt2",
        "medfilt2(x[,size[,mode]])",
        "median of the neighbourhood (3x3 by default) in every channel; mode \"mirror\" by default",
        "print medfilt2([[1,1,1],[1,9,1],[1,1,1]])",
        1..=3,
        Run::One(medfilt2)
    ),
    row!(
        "imerode",
        "imerode(x[,mask[,center]])",
        "least value under the elements of the mask that are not 0 (3x3 by default)",
        "print imerode([[1,1,1],[1,0,1],[1,1,1]])",
        1..=3,
        Run::One(|c| morphology(c, f64::INFINITY))
    ),
    row!(
        "imdilate",
        "imdilate(x[,mask[,center]])",
        "greatest value under the elements of the mask that are not 0 (3x3 by default)",
        "print imdilate([0,0,1,0,0],[1,1,1])",
        1..=3,
        Run::One(|c| morphology(c, f64::NEG_INFINITY))
    ),
    row!(
        "imresize",
        "imresize(x,scale[,method]), imresize(x,[rows,columns][,method])",
        "image of another size; method \"nearest\", \"bilinear\" (default) or \"bicubic\"",
        "print imresize([[1,2],[3,4]], 2, \"nearest\")",
        2..=3,
        Run::One(imresize)
    ),
];
