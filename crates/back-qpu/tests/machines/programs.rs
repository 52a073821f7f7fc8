//! Random kernels at SIMD level: rows of numbers, comparisons and choices, branches, loops in loops.

use std::fmt::Write;

/// Rows of the buffer that kernels read, and of the one that they write.
pub const READ: u32 = 12;
pub const WRITTEN: u32 = 24;

/// Numbers that look random, the same for the same seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }

    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }
}

struct Program {
    text: String,
    random: Random,
    /// Values that can be named: integers and floats, one per lane.
    ints: Vec<String>,
    floats: Vec<String>,
    names: usize,
    indent: usize,
}

/// A kernel `(%x: buf<i32, r>, %y: buf<i32, w>, %n: i32)`, where `%n` is at most 16 times [`READ`].
pub fn kernel(seed: u64) -> String {
    let mut random = Random::new(seed);
    let alive = [3, 6, 12, 40, 75][random.below(5)];
    let text = String::from("kernel @random(%x: buf<i32, r>, %y: buf<i32, w>, %n: i32) simd {\n");
    let mut p = Program { text, random, ints: Vec::new(), floats: Vec::new(), names: 0, indent: 1 };
    let lane = p.line("lane");
    p.ints.push(lane);
    // Some values are made at the start and used at the end.
    for k in 0..alive {
        let v = if k < 3 { p.load(&format!("{}", 16 * (k as u32 % READ))) } else { p.int() };
        p.ints.push(v);
    }
    let first = p.ints.clone();
    let float = p.line(&format!("to.f32 {}", first[1]));
    p.floats.push(float);
    p.statements(3, 2);
    let mut sum = p.ints[p.ints.len() - 1].clone();
    for v in first {
        sum = p.line(&format!("add {sum}, {v}"));
    }
    p.store("0", &sum);
    p.text += "  return\n}";
    p.text
}

impl Program {
    fn name(&mut self) -> String {
        self.names += 1;
        format!("%v{}", self.names)
    }

    /// A line that makes a value.
    fn line(&mut self, what: &str) -> String {
        let name = self.name();
        let _ = writeln!(self.text, "{:1$}{name} = {what}", "", 2 * self.indent);
        name
    }

    fn store(&mut self, index: &str, value: &str) {
        let _ = writeln!(self.text, "{:1$}store.row %y[{index}], {value}", "", 2 * self.indent);
    }

    fn load(&mut self, index: &str) -> String {
        self.line(&format!("load.row %x[{index}]"))
    }

    fn some_int(&mut self) -> String {
        match self.random.below(5) {
            0 => self.random.pick(&["1", "-3", "7", "15", "100", "-2147483648", "305419896"]).to_string(),
            // What came last is used most.
            1 | 2 => self.ints[self.ints.len() - 1 - self.random.below(self.ints.len().min(4))].clone(),
            _ => self.ints[self.random.below(self.ints.len())].clone(),
        }
    }

    /// One that differs from lane to lane, so that results do, too.
    fn vector(&mut self) -> String {
        self.ints[self.random.below(self.ints.len())].clone()
    }

    fn some_float(&mut self) -> String {
        self.floats[self.random.below(self.floats.len())].clone()
    }

    fn condition(&mut self) -> String {
        let op = self.random.pick(&["cmp.lt", "cmp.le", "cmp.eq", "cmp.ne", "cmp.gt", "cmp.ge"]);
        let (a, b) = (self.vector(), self.some_int());
        self.line(&format!("{op} {a}, {b}"))
    }

    /// A new integer.
    fn int(&mut self) -> String {
        let (a, b) = (self.vector(), self.some_int());
        match self.random.below(9) {
            0 => {
                let c = self.condition();
                self.line(&format!("select {c}, {a}, {b}"))
            }
            1 => self.line(&format!("mul24 {a}, {b}")),
            2 => {
                let op = self.random.pick(&["shl", "shr", "asr"]);
                let by = 1 + self.random.below(9);
                self.line(&format!("{op} {a}, {by}"))
            }
            3 if !self.floats.is_empty() => {
                let f = self.some_float();
                self.line(&format!("to.i32 {f}"))
            }
            _ => {
                let op = self.random.pick(&["add", "sub", "min", "max", "and", "or", "xor", "add"]);
                self.line(&format!("{op} {a}, {b}"))
            }
        }
    }

    fn float(&mut self) -> String {
        let (a, b) = (self.some_float(), self.some_float());
        let op = self.random.pick(&["add", "sub", "mul", "min", "max"]);
        self.line(&format!("{op} {a}, {b}"))
    }

    fn expression(&mut self) {
        if self.random.below(4) == 0 {
            let f = self.float();
            self.floats.push(f);
        } else {
            let v = self.int();
            self.ints.push(v);
        }
    }

    fn expressions(&mut self, most: usize) {
        for _ in 0..=self.random.below(most) {
            self.expression();
        }
    }

    /// Statements, with so many loops in loops at most.
    fn statements(&mut self, n: usize, loops: usize) {
        for _ in 0..n {
            self.expressions(6);
            match self.random.below(6) {
                0 => self.choice(loops),
                1 => {
                    let row = format!("{}", 16 * (1 + self.random.below(WRITTEN as usize - 1)));
                    let v = self.vector();
                    self.store(&row, &v);
                }
                _ if loops > 0 => self.counted(loops),
                _ => self.expressions(3),
            }
        }
    }

    fn choice(&mut self, loops: usize) {
        let c = self.condition();
        let any = self.line(&format!("vote.any {c}"));
        let (name, known) = (self.name(), (self.ints.len(), self.floats.len()));
        let _ = writeln!(self.text, "{:1$}{name} = if {any} {{", "", 2 * self.indent);
        for end in ["} else {", "}"] {
            self.indent += 1;
            self.expressions(4);
            if loops > 1 && self.random.below(4) == 0 {
                self.counted(1);
            }
            self.leave(known, 1, end);
        }
        self.ints.push(name);
    }

    /// Ends a region: what it made is forgotten, and some of it is yielded.
    fn leave(&mut self, (ints, floats): (usize, usize), yields: usize, end: &str) {
        let values: Vec<String> = (0..yields)
            .map(|_| self.ints[self.ints.len() - 1 - self.random.below(self.ints.len().min(3))].clone())
            .collect();
        let _ = writeln!(self.text, "{:1$}yield {2}", "", 2 * self.indent, values.join(", "));
        self.indent -= 1;
        let _ = writeln!(self.text, "{:1$}{end}", "", 2 * self.indent);
        self.ints.truncate(ints);
        self.floats.truncate(floats);
    }

    /// A loop over rows, with values that it carries.
    fn counted(&mut self, loops: usize) {
        let carried = 1 + self.random.below(3);
        let (results, params): (Vec<String>, Vec<String>) = (0..carried).map(|_| (self.name(), self.name())).unzip();
        let starts: Vec<String> = params.iter().map(|p| format!("{p}: <i32> = {}", self.vector())).collect();
        let i = self.name();
        let bound =
            if self.random.below(2) == 0 { "%n".to_string() } else { format!("{}", 16 * (2 + self.random.below(6))) };
        let known = (self.ints.len(), self.floats.len());
        let (indent, names) = (2 * self.indent, results.join(", "));
        let _ = writeln!(self.text, "{:indent$}{names} = for {i} in 0..{bound} step 16 ({}) {{", "", starts.join(", "));
        self.indent += 1;
        self.ints.extend(params);
        for _ in 0..self.random.below(3) {
            let v = self.load(&i);
            self.ints.push(v);
        }
        self.expressions(8);
        if loops > 1 && self.random.below(5) == 0 {
            if self.random.below(2) == 0 { self.counted(loops - 1) } else { self.choice(1) }
        }
        if self.random.below(3) == 0 {
            let v = self.vector();
            let ahead = 16 * self.random.below((WRITTEN - READ) as usize);
            let row = self.line(&format!("add {i}, {ahead}"));
            self.store(&row, &v);
        }
        self.leave(known, carried, "}");
        self.ints.extend(results);
    }
}
