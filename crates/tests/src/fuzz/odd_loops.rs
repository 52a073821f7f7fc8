//! Statements of random loops that look more regular than they are: second names of arrays, inner loops that are empty or
//! triangular around accumulations, variables that are set in passing, integers near the end of what there is, assignments
//! within expressions, and positions that meet although they look different.

use super::random::Random;

/// Statements whose values are integers in some cases and floats in others, and loops that stand in for the one around.
const NEWER: &[&str] = &[
    // Integers in some cases and floats in others.
    "e = ramp(x[mod(i,9)])\ny[mod(i,9)] = e + i",
    "e = ramp(x[mod(i,9)] - 3)\ne *= 0.5\ny[mod(i,9)] = e",
    "e = x[mod(i,9)] > 2 ? x[mod(i,9)] : i\ne += 0.5\ny[mod(i,9)] = floor(e/2) + mod(e,3)",
    "e = 0\nt = ramp(e)\ne = x[mod(i,9)]\nt -= 0.5\ny[mod(i,9)] = t - e",
    "e = i\nwhile e > 1\n    e = mod(e,2) == 0 ? e/2 : e - 1\nendwhile\ny[mod(i,9)] = e",
    // Functions that return from within a loop, and loops that end early.
    "y[mod(i,9)] = above(x, x[mod(i,9)] - 1)",
    "e = above(y, i)\nx[mod(i,9)] = e",
    "exchange(x, mod(i,9), mod(i*2+1,9))\ny[mod(i,9)] = x[mod(i+1,9)]",
    "e = ordered(x, i)\ny[mod(i,9)] += e",
    "exchange(y, i, 0)\nx[mod(i,9)] = y[0] + y[mod(i,9)]",
    "[late, e] = sought(x, i - 2)\ny[mod(i,9)] = late + e",
    "late = x[mod(i,9)]\nif late > 4\n    break\nendif\ny[mod(i,9)] += late",
    "for k = 0..5\n    e = x[mod(i+k,9)]\n    if e > 3\n        break\n    endif\n    c += k\nendfor\ny[mod(i,9)] = e",
    // An array whose length depends on the launch, and loops that stand in for this one.
    "part = zeros(n+70)\nfor k = 0..n+69\n    part[k] = x[mod(k,9)] + i\nendfor\ny[mod(i,9)] = sum(part)",
];

/// Functions that they call.
pub const FUNCTIONS: &str = "\
function [] = exchange(q, i, j)
    t = q[i]
    q[i] = q[j]
    q[j] = t
endfunction
function n = ordered(q, n)
    for k = 1..n
        if q[k] < q[k-1]
            exchange(q, k, k-1)
        else
            return
        endif
        n -= 1
    endfor
endfunction
function r = above(q, t)
    for k = 0..numel(q)-1
        if q[k] > t
            r = k
            return
        endif
    endfor
    r = -1
endfunction
function [r, n] = sought(q, t : int)
    r = 0.5
    n = 0
    if t < 0
        return
    endif
    for k = t..numel(q)-1
        for l = 0..2
            n += l
            if q[k] == l + 3
                r = k
                return
            endif
        endfor
        if n > 20
            n = -n
            break
        endif
    endfor
    r += n
endfunction
";

/// A statement in a loop over `i`.
pub fn statement(r: &mut Random) -> String {
    let forms = [
        // The other array may be the same one.
        "t = i > 2 ? y : x\nt[i] = i + 1",
        "o = y\no[1] = o[1] + x[mod(i,9)]",
        "o = [i, 2]\nq = o\nq[0] = 7\nt = o[0] + 0.5",
        "touch(y, i)",
        "t = touched(y, i) + 0.0",
        // Inner loops with few turns or none.
        "for k = i..2\n    y[0] += k + 1\nendfor",
        "for k = i-1..-1..1\n    B[0,mod(i,5)] += k\nendfor",
        "for k = 3..i\n    A[1,1] += x[mod(k,9)]\nendfor",
        "for k = i..0.5..3\n    y[mod(i,9)] += k\nendfor",
        "for k = 0..h[0]\n    h[k] += 1\n    if k > 3\n        break\n    endif\nendfor",
        "for k = 0..1\n    [k, e] = [i, 0]\n    y[2*i+k] = i + e\nendfor",
        "for k = 0..1\n    if i > k\n        k = i\n    endif\n    x[2*i+k] = x[2*i+k] + 1\nendfor",
        // What stands behind a break or in one branch may not have run.
        "repeat\n    if x[mod(i,9)] > 3\n        break\n    endif\n    e = i\nuntil true\ny[mod(i,9)] = e",
        "if x[mod(i,9)] > 2 && (e = i) > 3\n    c += 1\nendif\nx[mod(i,9)] = e",
        "e = i > 4 ? i : e\ny[mod(i,9)] = e",
        // Positions.
        "d = ind2pos([3,3], i)\nB[d] = B[d] + 1",
        "d = ind2pos([3,3], i)\nd[1] = 0\nB[d] = B[d]*2 + i",
        "d = ind2pos([3,3], i)\na = ind2pos([2,4], i)\nA[d] = A[mod(a,4)] + 1",
        // Extremes beside NaN, and integers that do not fit.
        "m = m > x[mod(i,9)] ? m : x[mod(i,9)]",
        "m = m > (i == 2 ? nan : i) ? m : (i == 2 ? nan : i)",
        "h[mod(i,5)] += 600000000",
        "h[mod(i,5)] -= 900000000*mod(i,2)",
        "c += 500000000*mod(i,4)",
        "u[mod(i,9)] = 1000000000.0*i",
        "u[mod(i,4)] += 700000000",
        "u[mod(i,4)] += u[i] - 1",
        "u[i] = max(u[i]*2, i) - x[i]",
        "c += 1.5*i",
        // Assignments whose values are used, or that may be left out.
        "t = (c += 1) + 0.0\ny[mod(i,9)] = t",
        "h[(c += 1)] += 1",
        "y[mod(i,9)] = (h[mod(i,5)] += 1)",
        "if (s += x[mod(i,9)]) > 9\n    e = i\nendif",
        "found = found || (y[mod(i,9)] = i) > 3",
        "found = found && (c += 1) > 2",
        "m = max(m, (y[mod(i,9)] = x[mod(i,9)]))",
        "best = (A[0,1] = A[0,1] + 1) > best ? (A[0,1] = A[0,1] + 1) : best",
        "(i > 2 ? x : y)[1] = i",
        // Positions that are fractions, or elements of a vector, or lie before the first element.
        "y[i+shift] = x[i]",
        "y[i-shift] = y[i-shift]*2 + 1",
        "y[i+n/2-4] = i",
        "A[i-shift,1] = A[i-shift,1] + 1",
        "d = ind2pos([3,3], i)\ny[d] = y[d] + 1",
        "d = ind2pos([3,3], i-4)\nB[d] = B[d] + 1",
        "y[shr(i,1)] = i",
        "y[and(i,3)] = y[and(i,3)] + i",
        "y[xor(i,1)] = x[i]",
        // Lambdas that look into arrays, or change them.
        "y[mod(i,9)] = look(8-i)",
        "x[mod(i,9)] = look(i) + 1",
        "x[i] = look(i+1)",
        "e = store(i)",
        // Slices.
        "y[i..i+1] = [i, 2]",
        "y[2*i..2*i+1] = x[i..i+1]",
        "A[i,:] = A[i+1,:]",
        "A[i,:] = A[i,:] + 1",
        "x[0..3] = x[0..3] + i",
        "t = sum(x[i..i+2]) + 0.0\nx[i] = t",
        "y[i..-1..i-1] = [1, 2]",
        "y[0..i] += 1",
        // Types that depend on data.
        "c = x[mod(i,9)] > c ? x[mod(i,9)] : c",
        "late = i > 2 ? i : 0.5",
        "if h[mod(i,5)] > m\n    m = h[mod(i,5)]\nendif",
        "if h[mod(i,5)] > best\n    best = h[mod(i,5)]\n    at = i + 0.5\nendif",
        "m = max(x[mod(i,9)], m)",
        // Other loops, and what they leave.
        "e = i\nwhile e > 2\n    e -= 2\n    c += 1\nendwhile\ny[mod(i,9)] = e",
        "while e > i\n    e -= 2\nendwhile\ny[mod(i,9)] = e",
        "repeat\n    c += 1\nuntil mod(c,3) == 0",
        "match mod(i,3) with\n| 0 -> e = i\n| 1 -> y[mod(i,9)] = 2\n| _ -> c += 1\nendmatch",
        "s += x[mod(i,9)]\ny[mod(i,9)] = s",
        "m = min(x[mod(i,9)], m)\ny[mod(i,9)] = m",
        "[x[mod(i,9)], y[mod(i,9)]] = [y[mod(i,9)], x[mod(i,9)]]",
        "assert(i != 6 || x[0] > 2)",
        // Quotients of integers, and variables that go from integers to floats and back.
        "y[mod(i,9)] = int((2147483600+i)/3) - 715827866",
        "t = i\nt = t/2 + 0.25\nt = int(t)\ny[mod(i,9)] = x[t] + t",
        "e = i*3\ne = e/2\ne = floor(e)\nx[mod(i,9)] = e",
        "x[i] = mod(int(floor((-2147483600-i)/7)), 100) + idivide(i*5, 3)",
        "e = i\ne /= 2\ny[mod(i,9)] = e",
        // What lies outside, at once or late.
        "y[i+7] = i",
        "y[x[mod(i,9)]+4] = i",
        "A[i,perm[mod(i,9)]] = i",
        "h[i] += 1",
        "y[i..i+4] = i",
        // Written through access modes.
        "z[i+3] = z[i] + 1",
        "v[i+1] = v[i-1] + i",
        "w[i] = w[i]*2 + i",
    ];
    forms.iter().chain(NEWER).nth(r.below(forms.len() + NEWER.len())).map_or_else(String::new, |form| (*form).into())
}
