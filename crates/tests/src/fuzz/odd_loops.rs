//! Statements of random loops that look more regular than they are: second names of arrays, inner loops that are empty or
//! triangular around accumulations, variables that are set in passing, and integers near the end of what there is.

use super::random::Random;

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
    ];
    forms[r.below(forms.len())].into()
}
