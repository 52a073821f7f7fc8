//! Connected regions of images.

use super::{Builtin, Call, Run, row};
use crate::arith::to_f64;
use crate::fault::{Res, fault};
use crate::tensor::{Data, Tensor, real_data};
use crate::value::Value;
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
    steps: &'static [(isize, isize)],
}

const ALL: [(isize, isize); 8] = [(-1, 0), (0, -1), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1)];

impl Image {
    /// Argument 0, with 4 or 8 neighbours as argument `i` says, or `usual`.
    fn of(call: &Call, i: usize, usual: i64) -> Res<Image> {
        let source = call.tensor(0)?;
        if source.shape.len() > 2 || source.data.borrow().is_complex() {
            return Err(call.wrong(0, "a real matrix"));
        }
        let steps = match if call.args.len() > i { call.integer(i)? } else { usual } {
            4 => &ALL[..4],
            8 => &ALL[..],
            n => fault!("Q0314", "'{}' with {n} neighbours", call.name; "4 or 8"),
        };
        let values = to_f64(&source.data.borrow()).into_owned();
        Ok(Image { height: source.shape[0], width: source.shape[1], values, source, steps })
    }

    fn neighbours(&self, i: usize) -> impl Iterator<Item = usize> + '_ {
        let (r, c) = (i / self.width, i % self.width);
        self.steps.iter().filter_map(move |(dr, dc)| {
            let (r, c) = (r.checked_add_signed(*dr)?, c.checked_add_signed(*dc)?);
            (r < self.height && c < self.width).then_some(r * self.width + c)
        })
    }
}

/// `[L,n] = bwlabel(x[,4 or 8])`: regions are numbered from 1 in the order of their first pixels, row by row.
fn bwlabel(call: &mut Call) -> Res<Vec<Value>> {
    let image = Image::of(call, 1, 8)?;
    let (height, width) = (image.height, image.width);
    // Runs of pixels in a row; those of the row before that touch them belong together.
    let reach = usize::from(image.steps.len() > 4);
    let (mut runs, mut parent): (Vec<[usize; 2]>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut before = 0..0;
    for row in image.values.chunks(width.max(1)).enumerate().map(|(r, row)| (r * width, row)) {
        let first = runs.len();
        let mut at = 0;
        let mut above = before.start;
        while let Some(from) = row.1[at..].iter().position(|x| *x != 0.0).map(|k| at + k) {
            let to = row.1[from..].iter().position(|x| *x == 0.0).map_or(width, |k| from + k);
            let number = runs.len();
            runs.push([row.0 + from, row.0 + to]);
            parent.push(number);
            let shift = |run: [usize; 2]| [run[0] + width - row.0, run[1] + width - row.0];
            while above < before.end && shift(runs[above])[1] + reach <= from {
                above += 1;
            }
            let mut other = above;
            while other < before.end && shift(runs[other])[0] < to + reach {
                join(&mut parent, number, other);
                other += 1;
            }
            at = to;
        }
        before = first..runs.len();
    }
    let (mut labels, mut numbers, mut count) = (vec![0i32; height * width], vec![0i32; runs.len()], 0);
    for (k, run) in runs.iter().enumerate() {
        let root = root(&mut parent, k);
        if root == k {
            count += 1;
            numbers[k] = count;
        }
        labels[run[0]..run[1]].fill(numbers[root]);
    }
    let labels = Tensor::new(image.source.shape.clone(), Data::Int(labels));
    Ok(vec![Value::array(labels), Value::Int(count)])
}

/// The first run of the region that run `k` belongs to.
fn root(parent: &mut [usize], mut k: usize) -> usize {
    while parent[k] != k {
        parent[k] = parent[parent[k]];
        k = parent[k];
    }
    k
}

/// Makes two runs belong together.
fn join(parent: &mut [usize], a: usize, b: usize) {
    let (a, b) = (root(parent, a), root(parent, b));
    parent[a.max(b)] = a.min(b);
}

/// Dark spots that no path of darker pixels joins to the border, raised to the lowest pass (flooding from the border by height).
fn imfill(call: &mut Call) -> Res<Value> {
    if call.args.len() > 1 && call.args[1].as_text() != Some("holes") {
        return Err(call.wrong(1, "\"holes\""));
    }
    let image = Image::of(call, 2, 4)?;
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
