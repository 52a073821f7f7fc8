extern crate quadra_dsl as quadra;

use quadra_dsl::prelude::*;

#[kernel]
fn gcd(p: Ptr<Int>, q: Ptr<Int>, r: Ptr<Int>) {
    let mut a = *p;
    let mut b = *q;
    while any(a != b) {
        if a > b {
            a = a - b;
        }
        if a < b {
            b -= a;
        }
    }
    *r = a;
}

#[derive(Clone, Copy, KernelState)]
struct Cursor {
    cursor: Ptr<Float>,
    prev: Float,
    current: Float,
    next: Float,
}

#[kernel_fn]
impl Cursor {
    fn init(p: Ptr<Float>) -> Cursor {
        gather(p);
        Cursor { cursor: p + 16, prev: float(0.0), current: float(0.0), next: float(0.0) }
    }
    fn prime(&mut self) {
        receive(&mut self.next);
        gather(self.cursor);
    }
    fn advance(&mut self) {
        self.cursor += 16;
        self.prev = self.current;
        gather(self.cursor);
        self.current = self.next;
        receive(&mut self.next);
    }
    fn finish(&mut self) {
        receive(&mut self.next);
    }
    fn shift_left(&self) -> Float {
        let mut result = rotate(self.current, 15);
        let next = rotate(self.next, 15);
        if index() == 15 {
            result = next;
        }
        result
    }
    fn shift_right(&self) -> Float {
        let mut result = rotate(self.current, 1);
        let prev = rotate(self.prev, 1);
        if index() == 0 {
            result = prev;
        }
        result
    }
}

const K: f32 = 0.25;

#[kernel]
fn step(mut grid: Ptr<Float>, mut out: Ptr<Float>, pitch: Int, width: Int, height: Int) {
    grid = grid + pitch * me() + index();
    out = out + pitch;
    for y in range(me(), height, num_qpus()) {
        let mut p = out + y * pitch;
        let mut row = [0, 1, 2].map(|i| Cursor::init(grid + i * pitch));
        for r in &mut row {
            r.prime();
        }
        for _x in range(0, width, 16) {
            for r in &mut row {
                r.advance();
            }
            let right = row.map(|r| r.shift_left());
            let left = row.map(|r| r.shift_right());
            let sum = left[0] + row[0].current + right[0] + left[1] + right[1] + left[2] + row[2].current + right[2];
            store(row[1].current - K * (row[1].current - sum * 0.125), p);
            p = p + 16;
        }
        for r in &mut row {
            r.finish();
        }
        grid = grid + pitch * num_qpus();
    }
}

#[test]
fn the_readme_kernels_record() {
    let text = gcd().record().expect("it can be recorded").to_string();
    assert!(text.contains("vote.any"), "{text}");
    let kernel = step().record().expect("it can be recorded");
    assert_eq!(kernel.params.len(), 5);
    let text = kernel.to_string();
    // Three rows, each primed by two gathers before the inner loop and advanced by one inside it.
    assert_eq!(text.matches("tmu.request").count(), 9, "{text}");
    assert_eq!(text.matches("tmu.receive").count(), 9, "{text}");
}
