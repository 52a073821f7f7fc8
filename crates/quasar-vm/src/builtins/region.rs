//! Connected regions of images.

use super::{Builtin, Call, Run, row};
use crate::arith::to_f64;
use crate::fault::{Res, fault};
use crate::storage::{self, Kept};
use crate::tensor::{Data, Tensor, real_data};
use crate::value::Value;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// An image with one channel: rows, columns, values.
struct Image {
    source: Rc<Tensor>,
    height: usize,
    width: usize,
    values: Vec<f64>,
    /// Steps to the neighbours.
    steps: Steps,
}

const ALL: [(isize, isize); 8] = [(-1, 0), (0, -1), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1)];

/// Steps to neighbours: rows and columns.
type Steps = &'static [(isize, isize)];

/// The real matrix in argument 0, and the steps to 4 or 8 neighbours as argument `i` says, or `usual`.
fn argument(call: &Call, i: usize, usual: i64) -> Res<(Rc<Tensor>, Steps)> {
    let source = call.tensor(0)?;
    if source.shape.len() > 2 || source.data.borrow().is_complex() || u32::try_from(source.len()).is_err() {
        return Err(call.wrong(0, "a real matrix"));
    }
    let steps = match if call.args.len() > i { call.integer(i)? } else { usual } {
        4 => &ALL[..4],
        8 => &ALL[..],
        n => fault!("Q0314", "'{}' with {n} neighbours", call.name; "4 or 8"),
    };
    Ok((source, steps))
}

impl Image {
    fn neighbours(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let (r, c) = (i / self.width, i % self.width);
        self.steps.iter().filter_map(move |(dr, dc)| {
            let (r, c) = (r.checked_add_signed(*dr)?, c.checked_add_signed(*dc)?);
            (r < self.height && c < self.width).then_some(r * self.width + c)
        })
    }
}

/// Runs of pixels in rows, and which of them belong together.
struct Runs {
    /// Columns where each run begins and ends.
    ends: Vec<[u32; 2]>,
    /// The first run of each row, and behind the last one.
    rows: Vec<usize>,
    parent: Vec<u32>,
}

impl Runs {
    /// Of the pixels that are 0, or not, in an image of this width; `reach`: corners touch, too.
    fn of(pixels: &[u8], width: usize, solid: bool, reach: bool) -> Runs {
        let reach = u32::from(reach);
        let mut runs = Runs { ends: Vec::new(), rows: vec![0], parent: Vec::new() };
        let mut edges = vec![0u32; width + 2];
        for row in pixels.chunks_exact(width.max(1)) {
            let (mut count, mut inside) = (0, false);
            for (c, x) in row.iter().enumerate() {
                let now = (*x != 0) == solid;
                edges[count] = c as u32;
                count += usize::from(now != inside);
                inside = now;
            }
            edges[count] = width as u32;
            count += usize::from(inside);
            let first = runs.ends.len();
            let mut above = runs.rows[runs.rows.len().saturating_sub(2)];
            for [from, to] in edges[..count].as_chunks::<2>().0.iter().copied() {
                let number = runs.ends.len();
                runs.ends.push([from, to]);
                runs.parent.push(number as u32);
                while above < first && runs.ends[above][1] + reach <= from {
                    above += 1;
                }
                let mut other = above;
                while other < first && runs.ends[other][0] < to + reach {
                    join(&mut runs.parent, number as u32, other as u32);
                    other += 1;
                }
            }
            runs.rows.push(runs.ends.len());
        }
        runs
    }

    /// Writes the pixels of all runs, row by row, `number` being what stands in one.
    fn draw<T: Kept>(&self, out: &mut [T], width: usize, number: impl Fn(usize) -> Option<T> + Sync) {
        storage::each_line(out, width, 1, |r, row| {
            for k in self.rows[r]..self.rows[r + 1] {
                if let Some(x) = number(k) {
                    row[self.ends[k][0] as usize..self.ends[k][1] as usize].iter_mut().for_each(|o| *o = x);
                }
            }
        });
    }
}

/// Which pixels are not 0.
fn solid(data: &Data) -> Cow<'_, [u8]> {
    match data {
        Data::Mask(v) | Data::U8(v) => Cow::Borrowed(v),
        Data::F32(v) => Cow::Owned(v.iter().map(|x| u8::from(*x != 0.0)).collect()),
        data => Cow::Owned(to_f64(data).iter().map(|x| u8::from(*x != 0.0)).collect()),
    }
}

/// `[L,n] = bwlabel(x[,4 or 8])`: regions are numbered from 1 in the order of their first pixels, row by row.
fn bwlabel(call: &mut Call) -> Res<Vec<Value>> {
    let (source, steps) = argument(call, 1, 8)?;
    let mut runs = Runs::of(&solid(&source.data.borrow()), source.shape[1], true, steps.len() > 4);
    let (mut numbers, mut count) = (vec![0i32; runs.ends.len()], 0);
    for k in 0..numbers.len() {
        let root = root(&mut runs.parent, k as u32) as usize;
        if root == k {
            count += 1;
            numbers[k] = count;
        } else {
            numbers[k] = numbers[root];
        }
    }
    let mut labels = storage::storage(source.len());
    storage::each_part(&mut labels, |_, part| part.fill(0));
    runs.draw(&mut labels, source.shape[1], |k| Some(numbers[k]));
    let labels = Tensor::new(source.shape.clone(), Data::Int(labels));
    Ok(vec![Value::array(labels), Value::Int(count)])
}

/// The first run of the region that run `k` belongs to.
fn root(parent: &mut [u32], mut k: u32) -> u32 {
    while parent[k as usize] != k {
        parent[k as usize] = parent[parent[k as usize] as usize];
        k = parent[k as usize];
    }
    k
}

/// Makes two runs belong together.
fn join(parent: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b) as usize] = a.min(b);
}

/// Of an image of zeros and ones the regions of zeros that do not reach the border filled.
fn filled(pixels: &[u8], [height, width]: [usize; 2], corners: bool) -> Vec<u8> {
    if pixels.is_empty() {
        return Vec::new();
    }
    let mut runs = Runs::of(pixels, width, false, corners);
    let mut open = vec![false; runs.ends.len()];
    for r in 0..height {
        for k in runs.rows[r]..runs.rows[r + 1] {
            let [from, to] = runs.ends[k];
            if r == 0 || r + 1 == height || from == 0 || to as usize == width {
                open[root(&mut runs.parent, k as u32) as usize] = true;
            }
        }
    }
    let open: Vec<bool> = (0..open.len()).map(|k| open[root(&mut runs.parent, k as u32) as usize]).collect();
    let mut out = storage::storage(pixels.len());
    storage::each_part(&mut out, |range, part| part.copy_from_slice(&pixels[range]));
    runs.draw(&mut out, width, |k| (!open[k]).then_some(1));
    out
}

/// Dark spots that no path of darker pixels joins to the border, raised to the lowest pass (flooding from the border by height).
fn imfill(call: &mut Call) -> Res<Value> {
    if call.args.len() > 1 && call.args[1].as_text() != Some("holes") {
        return Err(call.wrong(1, "\"holes\""));
    }
    let (source, steps) = argument(call, 2, 4)?;
    if let Data::Mask(v) = &*source.data.borrow()
        && v.iter().fold(true, |all, x| all & (*x < 2))
    {
        let out = filled(v, [source.shape[0], source.shape[1]], steps.len() > 4);
        return Ok(Value::array(Tensor::new(source.shape.clone(), Data::Mask(out))));
    }
    let values = to_f64(&source.data.borrow()).into_owned();
    let image = Image { height: source.shape[0], width: source.shape[1], values, source, steps };
    if image.values.iter().any(|x| x.is_nan()) {
        fault!("Q0400", "'imfill' of an image with NaN"; "test with isnan(x)");
    }
    // Ordered as their values are.
    let key = |x: f64| {
        let bits = x.to_bits() as i64;
        bits ^ (((bits >> 63) as u64) >> 1) as i64
    };
    let (mut out, mut seen) = (image.values.clone(), vec![false; image.values.len()]);
    let mut front = BinaryHeap::new();
    for i in 0..out.len() {
        let (r, c) = (i / image.width, i % image.width);
        if r == 0 || c == 0 || r + 1 == image.height || c + 1 == image.width {
            seen[i] = true;
            front.push(Reverse((key(out[i]), i)));
        }
    }
    // What lies no higher than the flood is flooded at once, before all that is higher (Barnes, Lehman and Mulla, "Priority-flood",
    // 2014).
    let mut below = Vec::new();
    while let Some(i) = below.pop().or_else(|| front.pop().map(|Reverse((_, i))| i)) {
        for k in image.neighbours(i) {
            if !seen[k] {
                seen[k] = true;
                if out[k] > out[i] {
                    front.push(Reverse((key(out[k]), k)));
                } else {
                    out[k] = out[i].max(out[k]);
                    below.push(k);
                }
            }
        }
    }
    let data = match &*image.source.data.borrow() {
        Data::Mask(_) => Data::Mask(out.iter().map(|x| *x as u8).collect()),
        Data::F64(_) => Data::F64(out),
        _ => real_data(out, call.double()),
    };
    Ok(Value::array(Tensor::new(image.source.shape.clone(), data)))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "bwlabel",
        "bwlabel(x[,neighbours]), [L,n]=bwlabel(x)",
        "connected regions of pixels other than 0, numbered from 1 row by row; 8 or 4 neighbours; n: how many",
        "print bwlabel([[1,0,1],[1,0,0]])",
        1..=2,
        Run::Many(bwlabel)
    ),
    row!(
        "imfill",
        "imfill(x[,\"holes\"[,neighbours]])",
        "dark spots inside brighter ones filled up to the lowest pixel around; 4 or 8 neighbours",
        "print imfill([[1,1,1],[1,0,1],[1,1,1]])",
        1..=3,
        Run::One(imfill)
    ),
];
