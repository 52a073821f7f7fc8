//! Control flow: per lane, converged and in Rust, and the exits out of all of them.

extern crate quadra_dsl as quadra;

mod common;
use common::check;
use quadra_dsl::prelude::*;

#[kernel]
fn per_lane_loops(x: Ptr<Int>, y: Ptr<Int>) {
    let (mut n, mut steps) = (*x, int(0));
    while n > 1 && steps < 50 {
        n = if n & 1 == 0 { n >> 1 } else { n * 3 + 1 };
        steps += 1;
    }
    *y = steps * 1000 + n;
}

#[test]
fn a_while_on_a_mask_runs_lane_by_lane() {
    check(per_lane_loops(), |x| {
        let (mut n, mut steps) = (x, 0);
        while n > 1 && steps < 50 {
            n = if n & 1 == 0 { n >> 1 } else { n * 3 + 1 };
            steps += 1;
        }
        steps * 1000 + n
    });
}

#[kernel]
fn exits_of_kernel_loops(x: Ptr<Int>, y: Ptr<Int>) {
    let mut sum = int(0);
    for i in range(0, 10, 1) {
        if i == *x {
            continue;
        }
        sum += i;
        if sum > 20 {
            break;
        }
        sum += 1;
    }
    let mut n = *x;
    let last = loop {
        n -= 3;
        if n < 0 {
            break n + 100;
        }
        if n == 4 {
            break int(44);
        }
    };
    *y = sum + last * 1000;
}

#[test]
fn breaks_and_continues_of_kernel_loops() {
    check(exits_of_kernel_loops(), |x| {
        let mut sum = 0;
        for i in 0..10 {
            if i == x {
                continue;
            }
            sum += i;
            if sum > 20 {
                break;
            }
            sum += 1;
        }
        let mut n = x;
        let last = loop {
            n -= 3;
            if n < 0 {
                break n + 100;
            }
            if n == 4 {
                break 44;
            }
        };
        sum + last * 1000
    });
}

#[kernel]
fn exits_of_rust_loops(x: Ptr<Int>, y: Ptr<Int>) {
    let (mut a, mut rounds) = (*x, int(0));
    while any(a > 0) {
        for i in 0..4 {
            if i == 3 {
                break;
            }
            if a < 3 {
                // Of this lane, out of the unrolled loop, not out of the kernel's.
                break;
            }
            if a & 1 == 1 {
                a -= 1;
                continue;
            }
            a -= i + 1;
        }
        a -= 1;
        rounds += 1;
    }
    *y = a * 100 + rounds;
}

#[test]
fn a_break_in_a_rust_loop_means_the_rust_loop() {
    let all = common::INPUT;
    check(exits_of_rust_loops(), |x| {
        let (mut lanes, mut rounds) = (all, 0);
        while lanes.iter().any(|&a| a > 0) {
            for a in &mut lanes {
                for i in 0..3 {
                    if *a < 3 {
                        break;
                    }
                    if *a & 1 == 1 {
                        *a -= 1;
                        continue;
                    }
                    *a -= i + 1;
                }
                *a -= 1;
            }
            rounds += 1;
        }
        let at = all.iter().position(|&v| v == x).expect("x is an input");
        lanes[at] * 100 + rounds
    });
}

#[kernel]
fn labels(x: Ptr<Int>, y: Ptr<Int>) {
    let mut count = int(0);
    'outer: for i in range(0, 6, 1) {
        for j in range(0, 6, 1) {
            if i + j == *x {
                continue 'outer;
            }
            for k in 0..2 {
                if i * j + k == *x + 2 {
                    break 'outer;
                }
                count += 1;
            }
        }
        count += 100;
    }
    'rust: for k in 0..3 {
        for i in range(0, 3, 1) {
            if i + k == *x {
                break 'rust;
            }
            count += 1000;
        }
    }
    *y = count;
}

#[test]
fn labelled_exits_cross_loops_of_both_kinds() {
    check(labels(), |x| {
        let mut count = 0;
        'outer: for i in 0..6 {
            for j in 0..6 {
                if i + j == x {
                    continue 'outer;
                }
                for k in 0..2 {
                    if i * j + k == x + 2 {
                        break 'outer;
                    }
                    count += 1;
                }
            }
            count += 100;
        }
        'rust: for k in 0..3 {
            for i in 0..3 {
                if i + k == x {
                    break 'rust;
                }
                count += 1000;
            }
        }
        count
    });
}

#[kernel_fn]
fn classify(x: Int, calls: &mut Int) -> Int {
    *calls += 1;
    if x < 0 {
        return int(-1);
    }
    for i in range(0, 5, 1) {
        for _ in 0..2 {
            if x == i {
                *calls += 10;
                return i * 7;
            }
        }
    }
    if x > 50 {
        *calls += 1000;
        return x;
    }
    int(5)
}

#[kernel]
fn returns(x: Ptr<Int>, y: Ptr<Int>) {
    let mut calls = int(0);
    let mut a = classify(*x, &mut calls);
    if a > 5 {
        a += classify(*x - 30, &mut calls);
    }
    *y = a * 10000 + calls;
    if *x == 3 {
        return;
    }
    for i in range(0, 3, 1) {
        if i == *x {
            return;
        }
    }
    *y = *y + 1;
}

#[test]
fn returns_leave_functions_and_kernels_lane_by_lane() {
    fn classify(x: i32, calls: &mut i32) -> i32 {
        *calls += 1;
        if x < 0 {
            return -1;
        }
        if x < 5 {
            *calls += 10;
            return x * 7;
        }
        if x > 50 {
            *calls += 1000;
            return x;
        }
        5
    }
    check(returns(), |x| {
        let mut calls = 0;
        let mut a = classify(x, &mut calls);
        if a > 5 {
            a += classify(x - 30, &mut calls);
        }
        let y = a * 10000 + calls;
        if (0..=3).contains(&x) { y } else { y + 1 }
    });
}

#[kernel]
fn shadowing(x: Ptr<Int>, y: Ptr<Int>) {
    let mut a = *x;
    let mut b = int(0);
    while a > 0 {
        b += a;
        let a2 = a;
        a -= 2;
        let a = a2 * 100;
        if a > 700 {
            let b = int(9);
            if a + b > 1000 {
                break;
            }
        }
        b += 1;
    }
    *y = a * 1000 + b;
}

#[test]
fn an_exit_knows_the_variables_that_inner_ones_hide() {
    check(shadowing(), |x| {
        let (mut a, mut b) = (x, 0);
        while a > 0 {
            b += a;
            let a2 = a;
            a -= 2;
            let a = a2 * 100;
            if a > 700 {
                let b = 9;
                if a + b > 1000 {
                    break;
                }
            }
            b += 1;
        }
        a * 1000 + b
    });
}

#[kernel]
fn meta(#[host] unroll: bool, #[host] times: i32, #[host] table: Vec<i32>, x: Ptr<Int>, y: Ptr<Int>) {
    let mut a = *x;
    if unroll {
        for i in 0..times {
            if i % 2 == 0 && i != 4 {
                continue;
            }
            a += table[i as usize % table.len()];
        }
    } else {
        for _ in range(0, times, 1) {
            a += 1;
        }
    }
    let mut i = 0;
    while i < 3 {
        a += i;
        i += 1;
    }
    let mut rounds = 0;
    loop {
        rounds += 1;
        a *= 2;
        if rounds == 2 {
            break;
        }
    }
    *y = if unroll && times > 3 { a } else { a + 1 };
}

#[test]
fn rust_conditions_and_ranges_run_while_recording() {
    check(meta(true, 6, vec![10, 20]), |x| (x + 20 + 20 + 10 + 20 + 3) * 4);
    check(meta(false, 6, vec![]), |x| (x + 6 + 3) * 4 + 1);
    let unrolled = meta(true, 6, vec![10, 20]).record().expect("it can be recorded");
    assert!(!unrolled.to_string().contains("loop") && !unrolled.to_string().contains("for "), "{unrolled}");
}

#[kernel]
fn repeated(x: Ptr<Int>, y: Ptr<Int>) {
    // Exits that cross loops are taken anew in each round of the loops around them.
    let mut sum = int(0);
    for i in range(0, 4, 1) {
        'middle: for j in range(0, 3, 1) {
            let mut k = int(0);
            while k < 3 {
                if (i + j + k) & 3 == *x & 3 {
                    continue 'middle;
                }
                if k == *x {
                    break 'middle;
                }
                k += 1;
                sum += 1;
            }
            sum += 10;
        }
        sum += 100;
    }
    *y = sum;
}

#[test]
fn exits_across_loops_start_anew_in_every_round() {
    check(repeated(), |x| {
        let mut sum = 0;
        for i in 0..4 {
            'middle: for j in 0..3 {
                let mut k = 0;
                while k < 3 {
                    if (i + j + k) & 3 == x & 3 {
                        continue 'middle;
                    }
                    if k == x {
                        break 'middle;
                    }
                    k += 1;
                    sum += 1;
                }
                sum += 10;
            }
            sum += 100;
        }
        sum
    });
}

#[kernel]
fn both_sides(x: Ptr<Int>, y: Ptr<Int>) {
    let a = *x;
    let mut n = int(0);
    if 3 < a && a <= 16 || a == -1 {
        n += 1;
    }
    if !(a >= 4) & (a != 2) {
        n += 10;
    }
    if any(a == 33) && all(a < 101) {
        n += 100;
    }
    let yes = true;
    if yes && a > 7 {
        n += 1000;
    }
    let f = a.to_float() * 0.5;
    if 1.0 < f && f < 3.5 {
        n += 10000;
    }
    n = 7 - n + (2 * a) / 3 - 100 % max(a.abs(), 1) + ((1 << (a & 3)) | 64) - (a >> 1) + (5 ^ a) + -a + !a;
    *y = n;
}

#[test]
fn operators_take_literals_on_either_side() {
    check(both_sides(), |a| {
        let mut n = 0;
        if 3 < a && a <= 16 || a == -1 {
            n += 1;
        }
        if a < 4 && a != 2 {
            n += 10;
        }
        n += 100;
        if a > 7 {
            n += 1000;
        }
        let f = a as f32 * 0.5;
        if 1.0 < f && f < 3.5 {
            n += 10000;
        }
        7 - n + (2 * a) / 3 - 100 % a.abs().max(1) + ((1 << (a & 3)) | 64) - (a >> 1) + (5 ^ a) + -a + !a
    });
}
