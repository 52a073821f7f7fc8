//! Random loops over longer arrays and images: sums and histograms of many iterations, pixels with channels, windows that reach
//! over borders, loops of integers that end at different times. They bring about the forms of kernels that short loops do not.

use super::random::Random;

/// Arrays that the loops work on; whole numbers, so that sums are exact in every order.
pub const ARRAYS: &str = "\
X = mod((0..149).*7, 11)
Y = zeros(150)
K = vec[int](150)
for e = 0..149
    K[e] = mod(e*e, 23) - 2
endfor
P = reshape(mod((0..359).*5, 9), 6, 20, 3)
Q = zeros(6,20,3)
G = mod(reshape(0..479, 6, 80), 13)
C : mat'clamped = G
M : mat'mirror = G
O : mat'circular = G
L = zeros(6,80)
H = zeros(12)
N = vec[int](24)
radius = 2
wide = 150
";

/// What is printed of them.
pub const RESULTS: &str = "\
print sum(Y), \" \", sum(Y.*X), \" \", sum(Q), \" \", sum(L), \" \", sum(L.*G)
print H, N, K[3], Q[0,0,0..2], Q[5,19,0..2], L[0,0..3], L[5,76..79], Y[0..4]
";

/// The heads of a nest, and the statements of its body.
pub fn nest(r: &mut Random) -> (Vec<String>, Vec<String>) {
    match r.below(6) {
        0 => image(r),
        1 => plane(r),
        2 => slices(r),
        3 => inner(r),
        _ => {
            let (heads, mut body) = row(r);
            if r.below(4) == 0 {
                body.push(pick(r, EARLY));
            }
            (heads, body)
        }
    }
}

fn pick(r: &mut Random, items: &[&str]) -> String {
    items[r.below(items.len())].to_string()
}

/// Statements that end a loop, or call functions that return early or change elements.
const EARLY: &[&str] = &[
    "Y[i] = above(X, K[i] - 9)",
    "exchange(Y, i, 149-i)\nY[i] += X[i]",
    "e = ordered(X, mod(i,7))\nK[i] = e",
    "[t, e] = sought(X, i)\nY[i] = t + e",
    "late = K[i]\nif late > 18\n    break\nendif",
    "if i > 90 && X[i] > 9\n    at = i\n    break\nendif",
];

/// A loop over a vector.
fn row(r: &mut Random) -> (Vec<String>, Vec<String>) {
    let head = pick(
        r,
        &["for i = 0..149", "for i = 0..numel(X)-1", "for i = 2..147", "for i = 149..-1..0", "for i = 0..2..148"],
    );
    let mut body = Vec::new();
    if r.below(4) == 0 {
        // A running value, which what comes next may make a dependency.
        body.push(pick(
            r,
            &[
                "s += X[i]\nY[i] = s",
                "c += K[i]\nY[149-i] = c*2",
                "m = max(m, X[i] - i)\nY[i] = m",
                "Y[i] = p\np = min(p, X[i])",
                "t = X[i] - 3\ns -= t\nif s > 5\n    Y[i] = s\nendif",
                "c += 1\nt = X[i] * c\ns = s + X[i]\nY[i] += t - s",
            ],
        ));
    }
    for _ in 0..1 + r.below(3) {
        body.push(pick(
            r,
            &[
                "s += X[i]",
                "s -= X[i]*2",
                "s = s + Y[i]*X[i]",
                "m = max(m, X[i] - i)",
                "c += 1",
                "c += K[i]",
                "p = min(p, X[i])",
                "H[X[i]] += 1",
                "H[X[i]+1] += X[i]",
                "N[K[i]] += 1",
                "N[mod(K[i],24)] -= 2",
                "N[i] += K[i]",
                "if X[i] > best\n    best = X[i]\n    at = i\nendif",
                "if K[i] >= best\n    at = i\n    best = K[i]\nendif",
                "if X[i] - i/9 < least\n    least = X[i] - i/9\n    low = [i, X[i]]\nendif",
                "if X[i] == 5\n    found = 1\nendif",
                "if K[i] > 8\n    late = i\nendif",
                "bits = or(bits, K[i] + 2)",
                "bits = and(bits, K[i])\nt = X[i]",
                "Y[i] = X[i+1] - X[i-1]",
                "Y[i] += X[i] * 2",
                "Y[i] = sum(X[i-2..i+3]) - max(X[0..i])",
                "q = X[i-radius..i+radius]\nY[i] = sum(q.*q) + q[0]*numel(q) + q[7]",
                "Y[149-i] = X[i]",
                "Y[i] = X[mod(i-2, wide)] + X[mod(i+1+wide, wide)]",
                "if X[i] > 4\n    s += 1\nelse\n    s += X[i]\nendif",
                "if X[i] > 7\n    continue\nendif",
                "t = 0.0\nfor k = -radius..radius\n    t += X[i+k]\nendfor\nY[i] = t",
                "a = 3 + mod(i, 9)\nb = 2 + mod(i*7, 5)\nwhile a != b\n    if a > b\n        a -= b\n    else\n        b -= a\n    endif\nendwhile\nY[i] = a",
                "a = K[i]\nk = 0\nwhile a > 0 && k < 7\n    a -= 3\n    k += 1\nendwhile\nY[i] = k*10 + a",
                "k = 0\nrepeat\n    k += 1\nuntil k*k > X[i]\nY[i] = k",
                "K[i] = K[i] + 1",
                "if X[i] > 5\n    Y[i] = 7\nendif",
                "if X[i] > 5\n    Y[i] = X[i]\nelse\n    Y[i] += 2\nendif",
                "if K[i] > 9\n    K[i] -= 3\nelseif K[i] > 4\n    K[i] = i\nendif",
                "K[i] = max(K[i], K[i]*2 - i)",
            ],
        ));
    }
    (vec![head], body)
}

/// Inner loops that change the same element in each turn, or elements next to it; some have no turns.
fn inner(r: &mut Random) -> (Vec<String>, Vec<String>) {
    let outer = pick(r, &["for i = 0..5", "for i = 1..4", "for i = 5..-1..0"]);
    let next = pick(r, &["for j = 0..79", "for j = 3..70", "for j = 0..4..79", "for j = 0..1"]);
    let turns = pick(r, &["0..3", "0..-1", "-radius..radius", "0..i", "2..-1..0", "0..j/16"]);
    let target = pick(
        r,
        &[
            "L[i,j]",
            "L[i,j]",
            "L[i,79-j]",
            "L[5-i,j]",
            "L[i,j+1]",
            "L[i,k]",
            "Y[j]",
            "Y[i]",
            "H[i+2]",
            "N[j/4]",
            "K[i*3]",
            "Y[i+k]",
        ],
    );
    let change = pick(r, &["+=", "-=", "+=", "*="]);
    let value = pick(
        r,
        &[
            "G[i,k]*G[k,j]",
            "C[i+k,j]",
            "M[i,j-k]",
            "G[i,j] - k",
            "L[i,j]",
            "X[k+4] - 3",
            "G[j,i]",
            "Y[j]",
            "K[j] + 0.5*k",
        ],
    );
    // Few factors, so that products stay exact.
    let float = target.starts_with(['L', 'Y', 'H']);
    let change = if float { change } else { change.replace('*', "+") };
    let (turns, value) = if change == "*=" { ("0..1".into(), "1 + mod(k, 2)".into()) } else { (turns, value) };
    let statement = match r.below(3) {
        0 if change == "+=" => format!("{target} = {target} + {value}"),
        1 if change == "+=" => format!("{target} = {value} + {target}"),
        _ => format!("{target} {change} {value}"),
    };
    let turn = format!("for k = {turns}\n{statement}\nendfor");
    match r.below(4) {
        0 => (vec![outer, next], vec![format!("{target} = 0").replace("[i,k]", "[i,0]").replace("[i+k]", "[i]"), turn]),
        1 => (vec![outer], vec![format!("{next}\n{turn}\nendfor")]),
        2 => (vec![outer, next], vec![format!("for l = 0..1\n{turn}\nendfor")]),
        _ => (vec![outer, next, format!("for k = {turns}")], vec![statement]),
    }
}

/// A loop over rows or columns, taken as slices.
fn slices(r: &mut Random) -> (Vec<String>, Vec<String>) {
    let head = pick(r, &["for i = 0..5", "for i = 1..4", "for i = 5..-1..0", "for i = 0..79"]);
    let mut body = Vec::new();
    for _ in 0..1 + r.below(3) {
        let array = pick(r, &["G", "C", "M", "O", "G"]);
        let row = pick(
            r,
            &["i,:", "i+1,:", "i,2..70", "i,-3..66", "i,i..i+9", "mod(i,6),0..2..79", "i,79..-1..i", "0..5,i", ":,i"],
        );
        let form = pick(
            r,
            &[
                "H[i] = sum(S)",
                "H[i] += max(S) - min(S)",
                "s += sum(S > 4) + any(S == 12)",
                "H[i] = dotprod(S, S) + all(S >= 0)",
                "q = S\nH[i] = sum(q - q[0]) + numel(q)",
                "m = max(m, sum(abs(S - 6)))",
                "L[i,:] = G[i,:] * 2",
                "L[i,:] = L[i,:] + G[i,79..-1..0] - min(S)",
                "L[:,i] = G[:,i+1]",
                "L[i,:] += G[i,:]",
                "L[i,:] = i",
                "L[i,4..19] = L[i,5..20]",
                "q = L[i,:]\nL[i,:] = q - q[3]\nL[i,0] = 5",
                "L[i,:] = L[i,:] - max(L[i,:])",
                "L[i,:] = L[i-1,:]",
                "if i > 2\n    L[i,3..i] = sum(S)\nelse\n    L[i,:] = -G[i,:]\nendif",
                "t = 0.0\nfor k = 0..2\n    t += sum(G[i,k..79-k])\n    L[i,k..k+20] = t\nendfor\nH[i] = t",
            ],
        );
        body.push(form.replace('S', &format!("{array}[{row}]")));
    }
    (vec![head], body)
}

/// A nest over the pixels of an image.
fn image(r: &mut Random) -> (Vec<String>, Vec<String>) {
    let channel = r.below(3) == 0;
    let mut heads =
        vec![pick(r, &["for i = 0..5", "for i = 1..size(P,0)-2"]), pick(r, &["for j = 0..19", "for j = 1..18"])];
    if channel {
        heads.push("for b = 0..2".into());
    }
    let (k, l) = (pick(r, &["", "+1", "-1", "+k", "-k"]), pick(r, &["", "+1", "-2", "+k", "-k"]));
    let e = |s: &str| if channel { format!("{s},b]") } else { format!("{s},0..2]") };
    let loops = k.contains('k') || l.contains('k');
    let start = pick(r, if channel { &["0.0", "b*1.0"] } else { &["[0.,0.,0.]", "[1.,2.,3.]", "P[i,j,0..2]*1.0"] });
    let term = format!(
        "{}{}",
        e(&format!("P[i{k},j{l}")),
        pick(r, &["", "*2", "*[1,2,3]", " + 1"]).replace(if channel { "[1,2,3]" } else { "\n" }, "3")
    );
    let mut body = vec![format!("v = {start}")];
    body.push(if loops {
        format!("for k = -radius..radius\n    v += {term}\nendfor")
    } else {
        format!("v = v + {term}")
    });
    if r.below(3) == 0 {
        body.push("if i > j\n    v = v*2\nendif".into());
    }
    if r.below(4) == 0 && !channel {
        body.push("v = max(v, [2.,1.,0.])".into());
    }
    body.push(format!("{} {} v", e("Q[i,j"), pick(r, &["=", "+=", "="])));
    (heads, body)
}

/// A nest over a plane.
fn plane(r: &mut Random) -> (Vec<String>, Vec<String>) {
    let heads = vec![pick(r, &["for i = 0..5", "for i = 1..4"]), pick(r, &["for j = 0..79", "for j = 3..76"])];
    let array = pick(r, &["G", "C", "M", "O", "G"]);
    let (k, l) = (pick(r, &["", "+1", "-3", "+k", "-k"]), pick(r, &["", "+1", "-2", "+k", "+k-1", "-2*k"]));
    let sum = pick(
        r,
        &[
            "s += v",
            "L[i,j] = v",
            "if v > 40\n    L[i,j] = v\nendif",
            "if v > 60\n    L[i,j] = v\nelse\n    L[i,j] -= 1\nendif",
            "L[i,79-j] = v + i",
            "H[mod(G[i,j],12)] += v",
            "m = max(m, v)",
            "L[i,j] += v",
        ],
    );
    let body = vec![
        "v = 0.0".to_string(),
        format!("for k = -radius..radius\n    v += {array}[i{k},j{l}]*(k+3)\nendfor"),
        sum,
        pick(r, &["c += 1", "s += G[i,j]", "s -= 1"]),
    ];
    (heads, body)
}
