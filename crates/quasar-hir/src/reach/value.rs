//! What the walk knows of values: how far around a position they look.

use std::collections::BTreeMap;

/// Along one axis: the least and the greatest distance, and whether anything along it may be looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Axis {
    pub low: i64,
    pub high: i64,
    pub whole: bool,
}

/// What a value was computed from: by axis, relative to the position; axes that are not named were not looked along.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks(pub BTreeMap<usize, Axis>);

impl Marks {
    /// A distance along one axis.
    pub fn at(axis: usize, low: i64, high: i64) -> Marks {
        Marks(BTreeMap::from([(axis, Axis { low, high, whole: false })]))
    }

    pub fn whole(axis: usize) -> Marks {
        Marks(BTreeMap::from([(axis, Axis { low: 0, high: 0, whole: true })]))
    }

    /// What either was computed from.
    pub fn join(&mut self, other: &Marks) {
        for (axis, b) in &other.0 {
            let a = self.0.entry(*axis).or_insert(*b);
            *a = Axis { low: a.low.min(b.low), high: a.high.max(b.high), whole: a.whole || b.whole };
        }
    }

    pub fn joined(mut self, other: &Marks) -> Marks {
        self.join(other);
        self
    }

    /// What an element of an array was computed from that lies so far away.
    pub fn shifted(&self, axis: usize, low: i64, high: i64) -> Marks {
        let mut moved = self.clone();
        if let Some(a) = moved.0.get_mut(&axis) {
            *a = Axis { low: a.low + low, high: a.high + high, whole: a.whole };
        }
        moved
    }

    /// The greatest distance.
    pub fn extent(&self) -> i64 {
        self.0.values().map(|a| a.high.max(-a.low)).max().unwrap_or(0)
    }
}

/// A number that the walk follows, or a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An integer within bounds, the same at all positions.
    Number(i64, i64),
    /// The position along an axis, plus a number within bounds.
    Position(usize, i64, i64),
    /// The length of an axis, plus a number within bounds.
    Length(usize, i64, i64),
    /// Anything else, which depends on no position.
    Data,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub kind: Kind,
    pub marks: Marks,
}

impl Known {
    pub fn data(marks: Marks) -> Known {
        Known { kind: Kind::Data, marks }
    }

    pub fn number(n: i64) -> Known {
        Known { kind: Kind::Number(n, n), marks: Marks::default() }
    }

    /// What holds of a value that is one of both; nothing if one depends on the position and the other does not.
    pub fn join(&self, other: &Known) -> Option<Known> {
        use Kind::*;
        let kind = match (self.kind, other.kind) {
            (Number(a, b), Number(c, d)) => Number(a.min(c), b.max(d)),
            (Position(k, a, b), Position(l, c, d)) if k == l => Position(k, a.min(c), b.max(d)),
            (Length(k, a, b), Length(l, c, d)) if k == l => Length(k, a.min(c), b.max(d)),
            (Number(..) | Data, Number(..) | Data) => Data,
            _ => return None,
        };
        Some(Known { kind, marks: self.marks.clone().joined(&other.marks) })
    }
}

/// An array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    pub marks: Marks,
    /// It has no positions, but belongs to one, or to all alike.
    pub private: bool,
    /// Number of dimensions, where that is known.
    pub rank: Option<usize>,
    /// It may be somebody else's, so that it must not be written to.
    pub given: bool,
    /// What an index outside means.
    pub mode: Mode,
    /// The same number for names of the same array; 0 if a name may stand for several.
    pub group: u32,
}

/// What reading outside of an array gives, as far as it is not there, or the nearest element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    #[default]
    Plain,
    Mirror,
    Circular,
}

impl Array {
    /// An array that belongs to one position, or to all alike.
    pub fn private(marks: Marks) -> Array {
        Array { marks, private: true, rank: None, given: false, mode: Mode::Plain, group: 0 }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Thing {
    Scalar(Known),
    Array(Array),
    /// The lengths of an array with so many dimensions.
    Size(Option<usize>),
}

/// The sum of what is known of two integers, or the difference.
pub fn sum(a: Kind, b: Kind, sign: i64) -> Option<Kind> {
    use Kind::*;
    let (Number(l, h) | Position(_, l, h) | Length(_, l, h)) = b else { return None };
    let (low, high) = if sign > 0 { (l, h) } else { (h.checked_neg()?, l.checked_neg()?) };
    Some(match (a, b) {
        (Number(c, d), Number(..)) => Number(c.checked_add(low)?, d.checked_add(high)?),
        (Position(k, c, d), Number(..)) => Position(k, c.checked_add(low)?, d.checked_add(high)?),
        (Length(k, c, d), Number(..)) => Length(k, c.checked_add(low)?, d.checked_add(high)?),
        (Number(c, d), Position(k, ..)) if sign > 0 => Position(k, c.checked_add(low)?, d.checked_add(high)?),
        (Number(c, d), Length(k, ..)) if sign > 0 => Length(k, c.checked_add(low)?, d.checked_add(high)?),
        (Position(k, c, d), Position(l, ..)) if k == l && sign < 0 => Number(c.checked_add(low)?, d.checked_add(high)?),
        _ => return None,
    })
}
