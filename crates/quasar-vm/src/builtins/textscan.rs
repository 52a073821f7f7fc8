//! Tables in text files and strings: `csvread`, `csvwrite` and `textscan`, in MATLAB's forms.

use super::{Builtin, Call, Run, data_file, row, text_file};
use crate::fault::{Fault, Res, fault};
use crate::memory;
use crate::tensor::{Data, Tensor, real_data};
use crate::value::Value;

/// A part of the format.
enum Part {
    /// `%f`, `%d` and their like.
    Number { whole: bool, kept: bool },
    /// `%s`: up to the next delimiter. `%q`: perhaps in quotes.
    Word { quotes: bool, kept: bool },
    /// Text that stands there.
    Literal(String),
}

/// What a column has become.
enum Column {
    Numbers(Vec<f64>),
    Whole(Vec<f64>),
    Words(Vec<Value>),
}

const FORM: &str = "textscan(text or file, \"%f %s\"[, n], \"Delimiter\", \",\", \"HeaderLines\", 1)";

fn format(text: &str) -> Res<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '%' => {
                let kept = rest.next_if_eq(&'*').is_none();
                while rest.next_if(|c| c.is_ascii_digit() || *c == '.').is_some() {}
                let kind = rest.next();
                // `%d8` and `%u16` name a width.
                while matches!(kind, Some('d' | 'u' | 'f' | 'n')) && rest.next_if(char::is_ascii_digit).is_some() {}
                parts.push(match kind {
                    Some('f' | 'n') => Part::Number { whole: false, kept },
                    Some('d' | 'u') => Part::Number { whole: true, kept },
                    Some('s') => Part::Word { quotes: false, kept },
                    Some('q') => Part::Word { quotes: true, kept },
                    Some('%') => Part::Literal("%".into()),
                    other => {
                        let c = other.map_or(String::new(), String::from);
                        fault!("Q0314", "textscan: '%{c}' is no column"; "%f and %d are numbers, %s words, %q words in quotes, %*s is left out");
                    }
                });
            }
            c if c.is_whitespace() => {}
            c => match parts.last_mut() {
                Some(Part::Literal(text)) => text.push(c),
                _ => parts.push(Part::Literal(c.into())),
            },
        }
    }
    if !parts.iter().any(|p| matches!(p, Part::Number { kept: true, .. } | Part::Word { kept: true, .. })) {
        fault!("Q0314", "textscan: the format \"{text}\" has no column"; FORM);
    }
    Ok(parts)
}

/// Options behind the format.
struct Options {
    rows: usize,
    delimiters: Vec<char>,
    header: usize,
}

fn options(call: &Call) -> Res<Options> {
    let mut options = Options { rows: usize::MAX, delimiters: Vec::new(), header: 0 };
    let mut at = 2;
    if call.args.get(2).is_some_and(Value::is_number) {
        let n = call.number(2)?;
        options.rows = if n < 0.0 || !n.is_finite() { usize::MAX } else { n as usize };
        at = 3;
    }
    while at < call.args.len() {
        let name = call.text(at)?.to_ascii_lowercase();
        match (&*name, at + 1 < call.args.len()) {
            ("delimiter", true) => {
                options.delimiters = call.text(at + 1)?.replace("\\t", "\t").chars().collect();
            }
            ("headerlines", true) => options.header = call.integer(at + 1)?.max(0) as usize,
            _ => fault!("Q0314", "textscan: there is no option \"{name}\""; FORM),
        }
        at += 2;
    }
    Ok(options)
}

/// Text, read from the front.
struct Scanner<'a> {
    text: &'a str,
    delimiters: &'a [char],
}

impl<'a> Scanner<'a> {
    fn skip_space(&mut self) {
        let space = |c: char| c.is_whitespace() && !self.delimiters.contains(&c);
        self.text = self.text.trim_start_matches(space);
    }

    /// Whether a column ends with this character.
    fn ends(&self, c: char) -> bool {
        match self.delimiters {
            [] => c.is_whitespace(),
            list => list.contains(&c) || c == '\n' || c == '\r',
        }
    }

    /// The text of the next column, with the delimiter behind it taken away.
    fn column(&mut self, quotes: bool) -> &'a str {
        if quotes && let Some(rest) = self.text.strip_prefix('"') {
            let (inner, rest) = rest.split_once('"').unwrap_or((rest, ""));
            self.text = rest;
            self.delimiter();
            return inner;
        }
        let end = self.text.find(|c| self.ends(c)).unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at(end);
        self.text = rest;
        self.delimiter();
        word.trim()
    }

    fn delimiter(&mut self) {
        self.text =
            self.text.trim_start_matches([' ', '\t'].map(|c| if self.delimiters.contains(&c) { '\n' } else { c }));
        if let Some(c) = self.text.chars().next()
            && self.delimiters.contains(&c)
        {
            self.text = &self.text[c.len_utf8()..];
        }
    }

    /// The number at the front, which a literal of the format may follow at once; an empty column is NaN.
    fn number(&mut self, whole: bool) -> Option<f64> {
        if self.text.starts_with(|c| self.ends(c)) {
            self.delimiter();
            return Some(f64::NAN);
        }
        let lower: String = self.text.chars().take(4).collect::<String>().to_ascii_lowercase();
        let (sign, unsigned) = match lower.strip_prefix('-') {
            Some(rest) => (-1.0, rest.to_string()),
            None => (1.0, lower.strip_prefix('+').unwrap_or(&lower).to_string()),
        };
        for (word, value) in [("nan", f64::NAN), ("inf", f64::INFINITY)] {
            if unsigned.starts_with(word) {
                self.text = &self.text[word.len() + usize::from(lower.starts_with(['-', '+']))..];
                self.delimiter();
                return Some(sign * value);
            }
        }
        let mut end = 0;
        let mut value = None;
        // The longest beginning that is a number.
        for (i, c) in self.text.char_indices() {
            if !(c.is_ascii_digit() || matches!(c, '+' | '-') || !whole && matches!(c, '.' | 'e' | 'E')) {
                break;
            }
            if let Ok(x) = self.text[..=i].parse::<f64>() {
                (end, value) = (i + 1, Some(x));
            }
        }
        self.text = &self.text[end..];
        value.inspect(|_| self.delimiter())
    }
}

/// `textscan(text or file, format[, n][, option, value…])`: a cell with one column per conversion.
fn textscan(call: &mut Call) -> Res<Value> {
    let parts = format(call.text(1)?)?;
    let Options { rows, delimiters, header } = options(call)?;
    let text = match &call.args[0] {
        Value::Str(text) => text.to_string(),
        _ => text_file::rest(call)?,
    };
    // A number takes two characters at least.
    memory::elements(text.len(), 8, "a table")?;
    let body = text.splitn(header.saturating_add(1), '\n').nth(header).unwrap_or("");
    let mut scanner = Scanner { text: body, delimiters: &delimiters };
    let mut columns: Vec<Column> = parts.iter().filter_map(Part::column).collect();
    scanner.skip_space();
    for _ in 0..rows {
        let before = scanner.text.len();
        if before == 0 || !scanner.row(&parts, &mut columns) || scanner.text.len() == before {
            break;
        }
    }
    let double = call.double();
    let columns = columns.into_iter().map(|column| match column {
        Column::Numbers(v) => Value::array(Tensor::vector(real_data(v, double))),
        Column::Whole(v) => Value::array(Tensor::vector(Data::Int(v.iter().map(|x| *x as i32).collect()))),
        Column::Words(v) => Value::array(Tensor::vector(Data::Cell(v))),
    });
    Ok(Value::array(Tensor::vector(Data::Cell(columns.collect()))))
}

impl Part {
    /// The empty column of this part, if it gives one.
    fn column(&self) -> Option<Column> {
        match self {
            Part::Number { whole: true, kept: true } => Some(Column::Whole(Vec::new())),
            Part::Number { kept: true, .. } => Some(Column::Numbers(Vec::new())),
            Part::Word { kept: true, .. } => Some(Column::Words(Vec::new())),
            _ => None,
        }
    }
}

impl Scanner<'_> {
    /// Reads what the parts say into the columns; whether all of it was there.
    fn row(&mut self, parts: &[Part], columns: &mut [Column]) -> bool {
        let mut columns = columns.iter_mut();
        for (i, part) in parts.iter().enumerate() {
            let column = if part.column().is_some() { columns.next() } else { None };
            match part {
                Part::Literal(text) => match self.text.strip_prefix(&**text) {
                    Some(rest) => self.text = rest.trim_start_matches([' ', '\t']),
                    None => return false,
                },
                Part::Number { whole, .. } => {
                    let Some(x) = self.number(*whole) else { return false };
                    if let Some(Column::Numbers(v) | Column::Whole(v)) = column {
                        v.push(x);
                    }
                }
                Part::Word { quotes, .. } => {
                    let word = Value::str(self.column(*quotes));
                    if let Some(Column::Words(v)) = column {
                        v.push(word);
                    }
                }
            }
            // Columns of a row may stand on several lines where white space separates them.
            if self.delimiters.is_empty() && i + 1 < parts.len() {
                self.skip_space();
            }
        }
        self.skip_space();
        true
    }
}

/// `csvread(file[, row, column])`: the numbers from this row and column on.
fn csvread(call: &mut Call) -> Res<Value> {
    let path = call.text(0)?.to_string();
    let from = |call: &Call, i: usize| match call.args.len() > i {
        true => call.integer(i).map(|n| usize::try_from(n).unwrap_or(0)),
        false => Ok(0),
    };
    let (row, column) = (from(call, 1)?, from(call, 2)?);
    let bytes = call.cx.read_file(&path, call.name, |e| {
        Fault::new("Q0413", format!("csvread: cannot open '{path}'")).help(e.to_string())
    })?;
    let text = String::from_utf8_lossy(&bytes);
    let text: String = text.split_inclusive('\n').skip(row).collect();
    data_file::read_csv(&text, &path, column, call.double())
}

/// `csvwrite(file, x)`, whatever the name of the file.
fn csvwrite(call: &mut Call) -> Res<()> {
    let path = call.text(0)?.to_string();
    let table = call.tensor(1)?;
    let bytes = data_file::csv(&table)?;
    call.cx.write_file(&path, call.name, &bytes, |e| data_file::cannot_write(&path, &e))
}

pub const TABLE: &[Builtin] = &[
    row!(
        "csvread",
        "csvread(file[,row,column])",
        "the numbers of a table in a text file as a matrix, from a row and column on",
        "csvwrite(\"a.csv\", [[1,2],[3,4]]); print csvread(\"a.csv\", 1, 0)",
        1..=3,
        Run::One(csvread)
    )
    .host_only(),
    row!(
        "csvwrite",
        "csvwrite(file,x)",
        "writes a real matrix as a table: a line per row, commas between",
        "csvwrite(\"a.csv\", [[1,2],[3,4]])",
        2..=2,
        Run::Effect(csvwrite)
    )
    .host_only(),
    row!(
    "textscan",
    "textscan(text,format[,n],option,value,…)",
    "columns of a text, or of the rest of an open file: %f and %d are numbers, %s words, %q words in quotes, %*s is left out; \
     options \"Delimiter\" and \"HeaderLines\"",
    "c = textscan(\"a,1,b,2\", \"%s %f\", \"Delimiter\", \",\"); print c[1]",
    2..=8,
    Run::One(textscan)
)
.host_only(),
];
