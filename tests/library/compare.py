"""Compares functions of Quasar's library with NumPy and SciPy: random, empty, one-element, NaN and complex input.

    python compare.py QUADRA [NAME…]

Every row of `rows` says how a function is called and what NumPy makes of the same input. Inputs and results travel as .npy files.
Where the two differ for a reason, the row says so in `other`: the kind of input, and what Quasar gives instead (`ERROR` for an error).
Rows name the kinds that they were written for; with the others, every row is called that has input at all. There the two agree, be it
that both refuse, or `differing.py` says why not and what Quasar gives, which is compared, too. The status is 1 if anything else differs.
QUADRA_BLESS=1 writes `differing.py` anew: read the difference, and put a reason where it says TODO.
"""

import colorsys
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import warnings
from math import factorial
from pathlib import Path

import numpy as np
import scipy.fft
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.sparse
import scipy.special
import scipy.stats

import bands
import differing
import later
import names as others

ERROR = "error"
random = np.random.default_rng(19)


def kinds():
    """Inputs by kind: vectors, and matrices for what works on those."""
    v = random.normal(size=9)
    m = random.normal(size=(5, 5))
    with_nan = v.copy()
    with_nan[3] = np.nan
    matrix_nan = m.copy()
    matrix_nan[1, 2] = np.nan
    return {
        "random": (v, m),
        "empty": (np.zeros(0), np.zeros((0, 0))),
        "one": (np.array([0.7]), np.array([[0.7]])),
        "nan": (with_nan, matrix_nan),
        "complex": (v + 1j * random.normal(size=9), m + 1j * random.normal(size=(5, 5))),
    }


def by_size(x):
    """In order: complex numbers by size, as in MATLAB."""
    return x[np.lexsort((np.angle(x), abs(x)))] if np.iscomplexobj(x) else np.sort(x)


KINDS = kinds()
ROWS = []


def row(name, quasar, numpy, on="v", only=None, other=None, near=1e-8):
    """One comparison: `quasar` is an expression in x (and y, another input of the same kind), `numpy` a function of the same."""
    ROWS.append((name, quasar, numpy, on, only or list(KINDS), other or {}, near))


REAL = ["random", "empty", "one", "nan"]
FULL = ["random", "one"]
NO_EMPTY = ["random", "one", "nan"]
PLAIN = ["random"]


def elementwise():
    for name in "sin cos tan sinh cosh tanh exp sqrt abs".split():
        same = (lambda f: lambda x: f(x.astype(complex) if f is np.sqrt and np.iscomplexobj(x) else x))(getattr(np, name))
        row(name, f"{name}(x)", same, only=REAL if name in ("tan", "tanh") else None)
    for name in "floor ceil sign".split():
        row(name, f"{name}(x)", getattr(np, name), only=REAL)
    row("fix", "fix(x)", np.trunc, only=REAL)
    row("round", "round(x)", lambda x: np.sign(x) * np.floor(np.abs(x) + 0.5), only=REAL)
    for name, f in dict(asin=np.arcsin, acos=np.arccos, atan=np.arctan, asinh=np.arcsinh, atanh=np.arctanh).items():
        row(name, f"{name}(x)", f, only=REAL)
    row("acosh", "acosh(1+abs(x))", lambda x: np.arccosh(1 + abs(x)), only=REAL)
    row("asec", "asec(1+abs(x))", lambda x: np.arccos(1 / (1 + abs(x))), only=REAL, near=1e-7)
    row("acsc", "acsc(1+abs(x))", lambda x: np.arcsin(1 / (1 + abs(x))), only=REAL, near=1e-7)
    row("acot", "acot(1+abs(x))", lambda x: np.arctan(1 / (1 + abs(x))), only=REAL)
    row("sech", "[sech(1),csch(2),coth(3)]", lambda x: [1 / np.cosh(1), 1 / np.sinh(2), 1 / np.tanh(3)], only=PLAIN)
    row("expint", "expint(abs(x))", lambda x: scipy.special.exp1(abs(x)), only=REAL)
    for name in "log log2 log10 log1p".split():
        row(name, f"{name}(abs(x))", lambda x, f=getattr(np, name): f(abs(x)), only=REAL)
    for name in "log log2 log10".split():
        row(name, f"{name}(x)", getattr(np, name), only=["complex"])
    row("expm1", "expm1(x)", np.expm1, only=REAL)
    for name, f in dict(real=np.real, imag=np.imag, conj=np.conj, angle=np.angle).items():
        row(name, f"{name}(x)", f)
    row("atan2", "atan2(x,y)", np.arctan2, only=REAL)
    row("hypot", "hypot(x,y)", np.hypot, only=REAL)
    row("mod", "mod(x,0.4)", lambda x: np.mod(x, 0.4), only=REAL)
    row("rem", "rem(x,0.4)", lambda x: np.fmod(x, 0.4), only=REAL)
    row("isnan", "isnan(x)", np.isnan, only=REAL)
    row("isfinite", "isfinite(x)", np.isfinite, only=REAL)
    row("isinf", "isinf(x)", np.isinf, only=REAL)
    row("sind", "sind(x)", lambda x: np.sin(np.deg2rad(x)), only=REAL)
    row("cosd", "cosd(x)", lambda x: np.cos(np.deg2rad(x)), only=REAL)
    row("deg2rad", "deg2rad(x)", np.deg2rad, only=REAL)
    row("rad2deg", "rad2deg(x)", np.rad2deg, only=REAL)
    row("cbrt", "cbrt(x)", np.cbrt, only=REAL)
    row("sinc", "sinc(x)", np.sinc, only=REAL)
    row("asind", "asind(tanh(x))", lambda x: np.rad2deg(np.arcsin(np.tanh(x))), only=REAL)
    row("acosd", "acosd(tanh(x))", lambda x: np.rad2deg(np.arccos(np.tanh(x))), only=REAL)
    row("atand", "atand(x)", lambda x: np.rad2deg(np.arctan(x)), only=REAL)
    row("atan2d", "atan2d(x,y)", lambda x, y: np.rad2deg(np.arctan2(x, y)), only=REAL)
    row("tand", "tand(x)", lambda x: np.tan(np.deg2rad(x)), only=REAL)
    for name, f in dict(sec=np.cos, csc=np.sin, cot=np.tan).items():
        row(name, f"{name}(x)", lambda x, f=f: 1 / f(x), only=REAL)
    row("pow2", "pow2(x)", np.exp2, only=REAL)
    row("nthroot", "nthroot(x,3)", np.cbrt, only=REAL)
    row("frac", "frac(x)", lambda x: x - np.floor(x), only=REAL)
    row("hypot3", "hypot3(x,y,1)", lambda x, y: np.sqrt(x**2 + y**2 + 1), only=REAL)
    row("lerp", "lerp(x,y,0.25)", lambda x, y: x + (y - x) * 0.25)
    row("clamp", "clamp(x,1)", lambda x: np.clip(x, 0, 1), only=["random", "empty", "one"])
    row("square", "square(x)", scipy.signal.square, only=FULL)
    row("sawtooth", "sawtooth(x)", scipy.signal.sawtooth, only=FULL, near=1e-6)
    row("gcd", "gcd(floor(9*abs(x)),6)", lambda x: np.gcd(np.floor(9 * abs(x)).astype(int), 6), only=["random", "one"])
    row("lcm", "lcm(floor(9*abs(x))+1,6)", lambda x: np.lcm(np.floor(9 * abs(x)).astype(int) + 1, 6), only=["random", "one"])
    row("bitand", "bitand(floor(99*abs(x)),6)", lambda x: np.floor(99 * abs(x)).astype(int) & 6, only=["random", "one"])
    row("bitor", "bitor(floor(99*abs(x)),6)", lambda x: np.floor(99 * abs(x)).astype(int) | 6, only=["random", "one"])
    row("bitxor", "bitxor(floor(99*abs(x)),6)", lambda x: np.floor(99 * abs(x)).astype(int) ^ 6, only=["random", "one"])
    row("max", "max(x,y)", np.maximum, only=["random", "one"])
    row("min", "min(x,y)", np.minimum, only=["random", "one"])
    row("cart2pol", "cart2pol(x,y)", lambda x, y: np.arctan2(y, x), only=REAL)
    row("pow2db", "pow2db(abs(x))", lambda x: 10 * np.log10(abs(x)), only=REAL)
    row("wthresh", 'wthresh(x,"s",0.5)', lambda x: np.sign(x) * np.maximum(abs(x) - 0.5, 0), only=["random", "one"])


def special():
    s = scipy.special
    row("erf", "erf(x)", s.erf, only=REAL)
    row("erfc", "erfc(x)", s.erfc, only=REAL)
    row("erfinv", "erfinv(tanh(x))", lambda x: s.erfinv(np.tanh(x)), only=REAL, near=1e-7)
    row("gamma", "gamma(abs(x)+0.5)", lambda x: s.gamma(abs(x) + 0.5), only=REAL)
    row("gammaln", "gammaln(abs(x)+0.5)", lambda x: s.gammaln(abs(x) + 0.5), only=REAL)
    row("beta", "beta(abs(x)+1,abs(y)+2)", lambda x, y: s.beta(abs(x) + 1, abs(y) + 2), only=REAL)
    for order in (0, 1, 3):
        row("besselj", f"besselj({order},5*x)", lambda x, n=order: s.jv(n, 5 * x), only=REAL, near=1e-6)
    for order in (0, 0.5, 2.5):
        row("besselj", f"besselj({order},abs(9*x))", lambda x, n=order: s.jv(n, abs(9 * x)), only=REAL, near=1e-7)
        row("bessely", f"bessely({order},abs(9*x)+0.1)", lambda x, n=order: s.yv(n, abs(9 * x) + 0.1), only=REAL, near=1e-7)
        row("besseli", f"besseli({order},abs(3*x))", lambda x, n=order: s.iv(n, abs(3 * x)), only=REAL, near=1e-7)
        row("besselk", f"besselk({order},abs(3*x)+0.1)", lambda x, n=order: s.kv(n, abs(3 * x) + 0.1), only=REAL, near=1e-7)
    row("gammainc", "gammainc(abs(3*x),2.5)", lambda x: s.gammainc(2.5, abs(3 * x)), only=REAL)
    row("gammainc", 'gammainc(abs(9*x),abs(y)+0.1,"upper")', lambda x, y: s.gammaincc(abs(y) + 0.1, abs(9 * x)), only=REAL)
    row("betainc", "betainc(1/(1+abs(x)),1.5,abs(y)+0.1)", lambda x, y: s.betainc(1.5, abs(y) + 0.1, 1 / (1 + abs(x))), only=REAL)
    row("erfcx", "erfcx(5*x)", lambda x: s.erfcx(5 * x), only=REAL)
    row("erfcinv", "erfcinv(1+tanh(x))", lambda x: s.erfcinv(1 + np.tanh(x)), only=REAL, near=1e-7)
    row("psi", "psi(3*x)", lambda x: s.psi(3 * x), only=REAL)
    row("lgamma", "lgamma(abs(x)+0.5)", lambda x: s.gammaln(abs(x) + 0.5), only=REAL)
    row("nchoosek", "nchoosek(9,4)", lambda x: s.comb(9, 4), only=PLAIN)
    # The power itself, as in the language's specification.
    row("nextpow2", "nextpow2(100)", lambda x: 128, only=PLAIN)
    row("primes", "primes(50)", lambda x: [n for n in range(2, 51) if all(n % k for k in range(2, n))], only=PLAIN)
    row("isprime", "isprime(0..50)", lambda x: [n > 1 and all(n % k for k in range(2, n)) for n in range(51)], only=PLAIN)
    row("factorial", "factorial(floor(abs(3*x)))", lambda x: np.array([factorial(int(k)) for k in abs(3 * x)]), only=FULL)


def reductions():
    row("sum", "sum(x)", np.sum)
    row("sum_dim", "sum(x,0)", lambda x: x.sum(0), on="m", only=["random", "one", "nan", "complex"])
    row("prod", "prod(x)", np.prod)
    row("mean", "mean(x)", np.mean)
    row("mean_dim", "mean(x,1)", lambda x: x.mean(1), on="m", only=["random", "one", "nan", "complex"])
    row("median", "median(x)", np.median, only=REAL)
    row("median_dim", "median(x,0)", lambda x: np.median(x, 0), on="m", only=["random", "one", "nan"])
    row("var", "var(x)", np.var, only=REAL)
    row("std", "std(x)", np.std, only=REAL)
    # NaN is neither greater nor less than anything, so that the others decide, as in MATLAB.
    row("max", "max(x)", np.nanmax, only=NO_EMPTY)
    row("min", "min(x)", np.nanmin, only=NO_EMPTY)
    row("max_empty", "max(x)", lambda x: None, only=["empty"], other={"empty": ERROR})
    row("cumsum", "cumsum(x)", np.cumsum)
    row("cumprod", "cumprod(x)", np.cumprod)
    row("cummax", "cummax(x)", np.maximum.accumulate, only=["random", "one"])
    row("cummin", "cummin(x)", np.minimum.accumulate, only=["random", "one"])
    row("any", "any(x > 0.5)", lambda x: np.any(x > 0.5), only=REAL)
    row("all", "all(x > 0.5)", lambda x: np.all(x > 0.5), only=REAL)
    row("nnz", "nnz(x)", np.count_nonzero)
    row("norm", "norm(x)", np.linalg.norm)
    row("dot", "dot(x,y)", np.vdot)
    row("range", "range(x)", np.ptp, only=["random", "one"])
    row("rms", "rms(x)", lambda x: np.sqrt(np.mean(abs(x) ** 2)), only=["random", "one", "nan", "complex"])
    row("sumsq", "sumsq(x)", lambda x: np.sum(abs(x) ** 2))
    row("skewness", "skewness(x)", scipy.stats.skew, only=PLAIN)
    row("kurtosis", "kurtosis(x)", lambda x: scipy.stats.kurtosis(x, fisher=False), only=PLAIN)
    row("zscore", "zscore(x)", lambda x: scipy.stats.zscore(x, ddof=1), only=PLAIN)
    row("quantile", "quantile(x,[0.1,0.5,0.9])", lambda x: np.quantile(x, [0.1, 0.5, 0.9], method="hazen"), only=FULL)
    row("prctile", "prctile(x,[5,50,95])", lambda x: np.percentile(x, [5, 50, 95], method="hazen"), only=FULL)
    row("mode", "mode(floor(2*x))", lambda x: scipy.stats.mode(np.floor(2 * x)).mode, only=FULL)
    row("cov", "cov(x)", lambda x: np.cov(x.T), on="m", only=PLAIN)
    row("corrcoef", "corrcoef(x)", lambda x: np.corrcoef(x.T), on="m", only=PLAIN)
    row("nanmean", "nanmean(x)", np.nanmean, only=NO_EMPTY)
    row("nansum", "nansum(x)", np.nansum, only=REAL)
    row("nanmax", "nanmax(x)", np.nanmax, only=NO_EMPTY)
    row("nanmin", "nanmin(x)", np.nanmin, only=NO_EMPTY)


def arrays():
    row("sort", "sort(x)", by_size, only=[*REAL, "complex"])
    row("sort_columns", "sort(x,0)", lambda x: np.stack([by_size(c) for c in x.T], 1) if np.iscomplexobj(x) else np.sort(x, 0), on="m", only=["random", "one", "complex"])
    row("unique", "unique(floor(2*x))", lambda x: np.unique(np.floor(2 * x)), only=["random", "empty", "one"])
    row("fliplr", "fliplr(x)", np.flip)
    row("flipud", "flipud(x)", np.flipud, on="m")
    row("diff", "diff(x)", np.diff)
    row("diff2", "diff(x,2)", lambda x: np.diff(x, 2), only=["random", "nan", "complex"])
    row("gradient", "gradient(x)", np.gradient, only=["random", "nan", "complex"])
    row("trapz", "trapz(x)", np.trapezoid if hasattr(np, "trapezoid") else np.trapz)
    row("cumtrapz", "cumtrapz(x)", lambda x: scipy.integrate.cumulative_trapezoid(x, initial=0), only=["random", "one", "nan", "complex"])
    row("rot90", "rot90(x)", np.rot90, on="m")
    row("circshift", "circshift(x,[0,2])", lambda x: np.roll(x, 2), only=["random", "one", "nan", "complex"])
    row("kron", "kron(x,y)", np.kron, on="m")
    row("triu", "triu(x,1)", lambda x: np.triu(x, 1), on="m")
    row("tril", "tril(x)", np.tril, on="m")
    row("transpose", "transpose(x)", np.transpose, on="m")
    row("cross", "cross(x[0..2],y[0..2])", lambda x, y: np.cross(x[:3], y[:3]), only=PLAIN)
    row("ismember", "ismember(floor(x),[0,1])", lambda x: np.isin(np.floor(x), [0, 1]), only=REAL)
    for name, f in dict(union=np.union1d, intersect=np.intersect1d, setdiff=np.setdiff1d, setxor=np.setxor1d).items():
        row(name, f"{name}(floor(2*x),floor(2*y))", lambda x, y, f=f: f(np.floor(2 * x), np.floor(2 * y)), only=["random", "empty", "one"])
    row("accumarray", "accumarray(mod(floor(9*abs(x)),4),y,4)", lambda x, y: np.bincount(np.mod(np.floor(9 * abs(x)), 4).astype(int), y, 4), only=PLAIN)
    row("histc", "histc(x,-2..2)", lambda x: np.append(np.histogram(x, np.arange(-2, 3))[0], np.sum(x == 2)) if np.all(x != 2) else None, only=FULL)
    row("meshgrid", "meshgrid(x,y)", lambda x, y: np.meshgrid(x, y)[0], only=["random", "one", "complex"])
    row("vander", "vander(x)", np.vander, only=["random", "one"])
    row("toeplitz", "toeplitz(x)", scipy.linalg.toeplitz, only=["random", "one"])
    row("hankel", "hankel(x)", scipy.linalg.hankel, only=["random", "one"])
    row("cumsum_dim", "cumsum(x,0)", lambda x: np.cumsum(x, 0), on="m", only=["random", "one", "nan", "complex"])
    row("arrayfun", "arrayfun(t -> t^2, x)", lambda x: x**2, only=REAL)
    row("pdist2", "pdist2(x,y)", lambda x, y: np.sqrt(((x[:, None] - y[None]) ** 2).sum(2)), on="m", only=PLAIN, near=1e-6)
    for name, f in dict(movmax=np.max, movmin=np.min, movsum=np.sum, movmedian=np.median).items():
        row(name, f"{name}(x,3)", lambda x, f=f: np.array([f(x[max(0, i - 1) : i + 2]) for i in range(len(x))]), only=["random", "one"])
    row("cat", "cat(0,x,y)", lambda x, y: np.concatenate([x, y]), on="m")
    row("horzcat", "horzcat(x,y)", lambda x, y: np.concatenate([x, y]))
    row("vertcat", "vertcat(x,y)", lambda x, y: np.concatenate([x, y]), on="m")
    row("append", "append(x,0.5)", lambda x: np.append(x, 0.5))
    row("grown", "x[end+1] = 0.5; r = x", lambda x: np.append(x, 0.5))
    row("append_row", "append(x,x[0,:],0)", lambda x: np.vstack([x, x[:1]]), on="m", only=["random", "one", "nan", "complex"])
    row("last", "x[end]", lambda x: x[-1], only=["random", "one", "nan", "complex"])
    row("column_range", "c=transpose(x); r = c[2..5]", lambda x: x[2:6], only=["random", "nan", "complex"])
    row("repmat", "repmat(x,2,3)", lambda x: np.tile(x, (2, 3)), on="m", only=["random", "one", "nan", "complex"])
    row("reshape", "reshape(x,[3,3])", lambda x: x.reshape(3, 3), only=["random", "nan", "complex"])
    row("permute", "permute(x,[1,0])", np.transpose, on="m")
    row("squeeze", "squeeze(reshape(x,[1,9,1]))", lambda x: x, only=["random", "nan", "complex"])
    row("sortrows", "sortrows(floor(x))", lambda x: np.array(sorted(map(list, np.floor(x)))), on="m", only=FULL)
    row("find", "transpose(find(x > 0.2)[:,1])", lambda x: np.flatnonzero(x > 0.2), only=["random", "nan"])
    row("sub2ind", "sub2ind([3,4],1,2)", lambda x: np.ravel_multi_index((1, 2), (3, 4)), only=PLAIN)
    row("linspace", "linspace(0,1,7)", lambda x: np.linspace(0, 1, 7), only=PLAIN)
    row("logspace", "logspace(0,2,7)", lambda x: np.logspace(0, 2, 7), only=PLAIN, near=1e-7)
    row("perms", "sortrows(perms([1,2,3,4]))", lambda x: np.array(sorted(itertools.permutations([1, 2, 3, 4]))), only=PLAIN)
    row("randperm", "seed(1); r = sort(randperm(20))", lambda x: np.arange(20), only=PLAIN)
    row("randi", "seed(1); r = int(all(abs(randi(6,1,500)-3) < 4))", lambda x: 1, only=PLAIN)
    row("randn", "seed(1); v = randn(1,100000); r = [mean(v),std(v)]", lambda x: [0, 1], only=PLAIN, near=0.02)
    row("histcounts", "histcounts(x,-3..3)", lambda x: np.histogram(x, np.arange(-3, 4))[0], only=FULL)
    row("histogram", "histogram(x,-3..3)", lambda x: np.histogram(x, np.arange(-3, 4))[0], only=FULL)
    row("hist", "hist(x,5)", lambda x: np.histogram(x, 5)[0], only=PLAIN)
    row("rescale", "rescale(x,-1,2)", lambda x: 3 * (x - x.min()) / np.ptp(x) - 1, only=PLAIN)
    row("normalize", "normalize(x)", lambda x: scipy.stats.zscore(x, ddof=1), on="m", only=PLAIN)
    row("iqr", "iqr(x)", lambda x: np.subtract(*np.quantile(x, [0.75, 0.25], method="hazen")), only=FULL)
    row("mad", "mad(x)", lambda x: np.mean(abs(x - x.mean())), only=["random", "one", "nan"])
    row("mean2", "mean2(x)", np.mean, on="m", only=["random", "one", "nan"])
    row("std2", "std2(x)", lambda x: np.std(x, ddof=1), on="m", only=PLAIN)
    row("corr2", "corr2(x,y)", lambda x, y: np.corrcoef(x.ravel(), y.ravel())[0, 1], on="m", only=PLAIN)
    row("movmean", "movmean(x,3)", lambda x: np.array([x[max(0, i - 1) : i + 2].mean() for i in range(len(x))]), only=["random", "one"])


def algebra():
    la = np.linalg
    row("det", "det(x)", la.det, on="m", only=["random", "one", "complex"])
    row("inv", "inv(x)", la.inv, on="m", only=["random", "one", "complex"])
    row("pinv", "pinv(x)", la.pinv, on="m", only=["random", "one", "complex"])
    row("rank", "rank(x)", la.matrix_rank, on="m", only=["random", "one"])
    row("trace", "trace(x)", np.trace, on="m")
    row("cond", "cond(x)", la.cond, on="m", only=["random", "one"])
    row("expm", "expm(x)", scipy.linalg.expm, on="m", only=["random", "one", "complex"])
    row("svd", "svd(x)", lambda x: la.svd(x)[1], on="m", only=["random", "one", "complex"])
    row("svd_parts", "[u,s,v]=svd(x); r = u*s*conj(transpose(v))", lambda x: x, on="m", only=["random", "one", "complex"])
    row("eig_all", "eig(x)", lambda x: np.sort_complex(la.eigvals(x)), on="m", only=["random", "one", "complex"])
    row("eig_vectors", "[v,d]=eig(x); r = x*v-v*d", lambda x: np.zeros_like(x), on="m", only=["random", "one", "complex"])
    row("eig_hermitian", "eig(x+conj(transpose(x)))", lambda x: la.eigvalsh(x + x.conj().T), on="m", only=["random", "one", "complex"])
    row("qr", "[q,a]=qr(x); r = q*a", lambda x: x, on="m", only=FULL)
    row("qr_factor", "abs(qr(x))", lambda x: abs(la.qr(x)[1]), on="m", only=FULL)
    row("lu", "[l,u]=lu(x); r = l*u", lambda x: x, on="m", only=FULL)
    row("lu_factor", "[l,u,p]=lu(x); r = u", lambda x: scipy.linalg.lu(x)[2], on="m", only=FULL)
    row("symeig", "symeig(x+transpose(x))", lambda x: la.eigvalsh(x + x.T), on="m", only=FULL)
    row("mldivide", "x \\ y", lambda x, y: la.solve(x, y), on="m", only=["random", "one", "complex"])
    row("mldivide_least", "x[:,0..1] \\ y", lambda x, y: la.lstsq(x[:, :2], y, rcond=None)[0], on="m", only=PLAIN)
    row("linsolve", "linsolve(x,y)", la.solve, on="m", only=FULL)
    row("logdet", "logdet(x*transpose(x)+eye(size(x,0)))", lambda x: la.slogdet(x @ x.T + np.eye(len(x)))[1], on="m", only=FULL)
    row("compan", "compan(x)", scipy.linalg.companion, only=PLAIN)
    row("hilb", "hilb(4)", lambda x: scipy.linalg.hilbert(4), only=PLAIN)
    row("blkdiag", "blkdiag(x,y)", lambda x, y: scipy.linalg.block_diag(x, y), on="m", only=["random", "one"])
    row("dotprod", "dotprod(x,y)", lambda x, y: np.sum(x * y), only=REAL)
    row("csr_solve", "csr_solve([0,2,3],[0,1,1],[2,1,4],y[0..1])", lambda x, y: la.solve([[2, 1], [0, 4]], y[:2]), only=PLAIN)
    row("solve", "solve(x,y)", la.solve, on="m", only=["random", "one", "complex"])
    # The language's specification has the Euclidean norm of all elements, and the lower factor.
    row("matrix_norm", "norm(x)", la.norm, on="m", only=["random", "one", "complex"])
    row("chol", "chol(x*transpose(x)+eye(size(x,0)))", lambda x: la.cholesky(x @ x.T + np.eye(len(x))), on="m", only=FULL)
    row("eig", "sort(eig(x+transpose(x)))", lambda x: by_size(la.eigvals(x + x.T)), on="m", only=[*FULL, "complex"])
    row("null", "null([[1,2,3],[2,4,6.0]])*0", lambda x: np.zeros((3, 2)), on="m", only=PLAIN)
    row("orth", "abs(orth(x))*0+1", lambda x: np.ones((5, 5)), on="m", only=PLAIN)
    row("polyfit", "polyfit(x,y,3)", lambda x, y: np.polyfit(x, y, 3), only=PLAIN, near=1e-6)
    row("polyval", "polyval([1,-2,3],x)", lambda x: np.polyval([1, -2, 3], x))
    row("polyder", "polyder(x)", np.polyder, only=["random", "complex"])
    row("polyint", "polyint(x)", np.polyint, only=["random", "one", "complex"])
    row("poly", "poly(x)", np.poly, only=["random", "one", "complex"])
    row("roots", "roots(x)", lambda x: np.sort_complex(np.roots(x)), only=["random", "complex"], near=1e-6)
    row("roots_none", "roots(x)", np.roots, only=["empty", "one"])
    row("conv", "conv(x,y)", np.convolve, only=["random", "one", "nan", "complex"])
    row("deconv", "deconv(conv(x,y),y)", lambda x, y: x, only=["random"], near=1e-6)
    row("pca", "pca(x)*0+abs(pca(x))", lambda x: abs(la.svd(x - x.mean(0))[2].T[:, :4]), on="m", only=PLAIN, near=1e-6)


def fourier():
    f = np.fft
    for name in "fft ifft".split():
        row(name, f"{name}(x)", getattr(f, name), only=["random", "one", "nan", "complex"])
    row("fft_longer", "fft(x,16)", lambda x: f.fft(x, 16), only=["random", "one", "complex"])
    row("fft2", "fft2(x)", f.fft2, on="m", only=["random", "one", "complex"])
    row("ifft2", "ifft2(x)", f.ifft2, on="m", only=["random", "one", "complex"])
    row("fftshift", "fftshift(x)", f.fftshift)
    row("ifftshift", "ifftshift(x)", f.ifftshift)
    row("fftshift2", "fftshift(x)", f.fftshift, on="m")
    row("dct", "dct(x)", lambda x: scipy.fft.dct(x, norm="ortho"), only=["random", "one"])
    row("dct2", "dct2(x)", lambda x: scipy.fft.dctn(x, norm="ortho"), on="m", only=["random", "one"])
    row("dctmtx", "dctmtx(5)*x", lambda x: scipy.fft.dct(x, norm="ortho", axis=0), on="m", only=PLAIN)
    row("idct", "idct(x)", lambda x: scipy.fft.idct(x, norm="ortho"), only=["random", "one"])
    row("idct2", "idct2(x)", lambda x: scipy.fft.idctn(x, norm="ortho"), on="m", only=["random", "one"])
    row("fft1", "fft1(x)", f.fft, on="m", only=["random", "one", "complex"])
    row("ifft1", "ifft1(x)", f.ifft, on="m", only=["random", "one", "complex"])
    row("fft3", "fft3(reshape(x,[3,1,3]))", lambda x: f.fftn(x.reshape(3, 1, 3)), only=["random", "complex"])
    row("cconv", "cconv(x,y,9)", lambda x, y: f.ifft(f.fft(x) * f.fft(y)).real, only=PLAIN)
    row("envelope", "envelope(x)", lambda x: abs(scipy.signal.hilbert(x)), only=PLAIN)
    row("hilbert", "hilbert(x)", scipy.signal.hilbert, only=FULL)
    row("xcorr", "xcorr(x,y)", lambda x, y: np.correlate(x, y, "full"), only=["random", "one", "complex"])
    row("unwrap", "unwrap(4*x)", lambda x: np.unwrap(4 * x), only=FULL)
    row("hadamard", "hadamard(8)", lambda x: scipy.linalg.hadamard(8), only=PLAIN)


def signals():
    s = scipy.signal
    row("filter", "filter([1,0.5],[1,-0.3],x)", lambda x: s.lfilter([1, 0.5], [1, -0.3], x))
    row("filtfilt", "filtfilt([0.2,0.3],[1,-0.4],x)", lambda x: s.filtfilt([0.2, 0.3], [1, -0.4], x, padlen=3), only=PLAIN)
    row("conv2", "conv2(x,y)", s.convolve2d, on="m", only=["random", "one", "complex"])
    row("conv2_same", 'conv2(x,[[1,2,1],[0,0,0],[-1,-2,-1]],"same")', lambda x: s.convolve2d(x, [[1, 2, 1], [0, 0, 0], [-1, -2, -1]], "same"), on="m", only=["random"])
    row("filter2", "filter2(ones(3,3),x)", lambda x: s.correlate2d(x, np.ones((3, 3)), "same"), on="m", only=["random"])
    row("xcorr2", "xcorr2(x,y)", lambda x, y: s.correlate2d(x, y), on="m", only=["random", "one", "complex"])
    row("detrend", "detrend(x)", s.detrend, only=PLAIN)
    row("medfilt1", "medfilt1(x,3)", lambda x: s.medfilt(x, 3), only=PLAIN)
    row("sgolayfilt", "sgolayfilt(x,2,5)", lambda x: s.savgol_filter(x, 5, 2), only=PLAIN)
    for name in "hann hamming blackman bartlett".split():
        row(name, f"{name}(9)", lambda x, w=name: s.windows.get_window(w, 9, False), only=PLAIN, near=1e-7)
    row("hanning", "hanning(9)", lambda x: s.windows.hann(11)[1:-1], only=PLAIN, near=1e-7)
    row("triang", "triang(9)", lambda x: s.windows.triang(9), only=PLAIN)
    row("rectwin", "rectwin(9)", lambda x: np.ones(9), only=PLAIN)
    row("gausswin", "gausswin(9)", lambda x: s.windows.gaussian(9, 8 / 5), only=PLAIN, near=1e-7)
    row("findpeaks", "findpeaks(x)", lambda x: x[s.find_peaks(x)[0]], only=PLAIN)
    row("kaiser", "kaiser(9,4)", lambda x: s.windows.kaiser(9, 4), only=PLAIN, near=1e-6)
    row("tukeywin", "tukeywin(9,0.5)", lambda x: s.windows.tukey(9, 0.5), only=PLAIN)
    row("flattopwin", "flattopwin(9)", lambda x: s.windows.flattop(9), only=PLAIN, near=1e-6)
    both = lambda pair: np.concatenate([np.ravel(pair[0]), np.ravel(pair[1])])
    for kind, w in dict(low="0.3", high="0.3", bandpass="[0.2,0.5]", stop="[0.2,0.5]").items():
        edges = eval(w)
        scipy_kind = {"stop": "bandstop"}.get(kind, kind)
        row(f"butter_{kind}", f'[b,a]=butter(3,{w},"{kind}"); r = horzcat(b,a)', lambda x, w=edges, k=scipy_kind: both(s.butter(3, w, k)), only=PLAIN, near=1e-6)
        row(f"cheby1_{kind}", f'[b,a]=cheby1(3,1,{w},"{kind}"); r = horzcat(b,a)', lambda x, w=edges, k=scipy_kind: both(s.cheby1(3, 1, w, k)), only=PLAIN, near=1e-6)
        row(f"cheby2_{kind}", f'[b,a]=cheby2(3,40,{w},"{kind}"); r = horzcat(b,a)', lambda x, w=edges, k=scipy_kind: both(s.cheby2(3, 40, w, k)), only=PLAIN, near=1e-6)
    row("cheb1ord", "[n,w]=cheb1ord(0.2,0.3,1,40); r = horzcat(n,w)", lambda x: both(s.cheb1ord(0.2, 0.3, 1, 40)), only=PLAIN)
    row("cheb2ord", "[n,w]=cheb2ord(0.2,0.3,1,40); r = horzcat(n,w)", lambda x: both(s.cheb2ord(0.2, 0.3, 1, 40)), only=PLAIN, near=1e-6)
    row("cheb1ord_band", "[n,w]=cheb1ord([0.2,0.5],[0.1,0.6],1,40); r = horzcat(n,w)", lambda x: both(s.cheb1ord([0.2, 0.5], [0.1, 0.6], 1, 40)), only=PLAIN)
    row("buttord", "[n,w]=buttord(0.2,0.3,1,40); r = n", lambda x: s.buttord(0.2, 0.3, 1, 40)[0], only=PLAIN)
    row("fir1", "fir1(12,0.4)", lambda x: s.firwin(13, 0.4), only=PLAIN, near=1e-6)
    row("freqz", "freqz([1,2],[1,-0.3],16)", lambda x: s.freqz([1, 2], [1, -0.3], 16)[1], only=PLAIN)
    row("grpdelay", "grpdelay([1,2,1],[1,-0.3],16)", lambda x: s.group_delay(([1, 2, 1], [1, -0.3]), 16)[1], only=PLAIN, near=1e-6)
    row("impz", "impz([1,2],[1,-0.3],9)", lambda x: s.lfilter([1, 2], [1, -0.3], np.eye(9)[0]), only=PLAIN)
    row("levinson", "levinson([1,0.5,0.3,0.1],3)", lambda x: np.r_[1, -scipy.linalg.solve_toeplitz([1, 0.5, 0.3], [0.5, 0.3, 0.1])], only=PLAIN)
    row("periodogram", "periodogram(x,2)", lambda x: s.periodogram(x, 2, detrend=False)[1], only=PLAIN)
    row("upsample", "upsample(x,2)", lambda x: np.ravel(np.column_stack([x, np.zeros_like(x)])))
    row("downsample", "downsample(x,2)", lambda x: x[::2])
    row("resample", "resample(sin((0..99)./9),1,2)[20..29]", lambda x: np.sin(np.arange(40, 60, 2) / 9), only=PLAIN, near=3e-3)
    row("chirp", "chirp(abs(x),1,2,5)", lambda x: s.chirp(abs(x), 1, 2, 5), only=FULL)


def numerics():
    i = scipy.interpolate
    row("interp1", "interp1([-9.0,0,1,9],[1,4,2,7],x)", lambda x: np.interp(x, [-9, 0, 1, 9], [1, 4, 2, 7]), only=["random", "one", "empty"])
    row("interp1_spline", 'spline([-9.0,-2,0,1,9],[1,4,2,7,3],x)', lambda x: i.CubicSpline([-9, -2, 0, 1, 9], [1, 4, 2, 7, 3])(x), only=FULL, near=1e-6)
    row("interp2", "interp2(x,[0.5,1.5],[0.5,2.25])", lambda x: scipy.ndimage.map_coordinates(x, [[0.5, 2.25], [0.5, 1.5]], order=1), on="m", only=PLAIN)
    row("fzero", "fzero(t -> t^2-2, 1)", lambda x: np.sqrt(2), only=PLAIN, near=1e-5)
    row("integral", "integral(t -> exp(-t.^2), 0, 2)", lambda x: scipy.integrate.quad(lambda t: np.exp(-t * t), 0, 2)[0], only=PLAIN, near=1e-6)
    row("fminsearch", "fminsearch(p -> (p[0]-1)^2+(p[1]+2)^2, [0.0,0])", lambda x: np.array([1, -2]), only=PLAIN, near=1e-2)
    row("lsqnonneg", "lsqnonneg(x,y[:,0])", lambda x, y: scipy.optimize.nnls(x, y[:, 0])[0], on="m", only=PLAIN, near=1e-6)
    row("ode45", "[t,v]=ode45((t,y) -> -y, [0.0,1], [1.0], 1e-8, 1e-10); r = v[size(v,0)-1,0]", lambda x: np.exp(-1), only=PLAIN, near=1e-6)
    row("pcg", "pcg(x*transpose(x)+eye(5), transpose(y[0,:]), 1e-12, 100)", lambda x, y: np.linalg.solve(x @ x.T + np.eye(5), y[0]), on="m", only=PLAIN, near=1e-5)
    row("sparse", "full(sparse(x)*sparse(y))", lambda x, y: x @ y, on="m", only=FULL)
    row("sparse_solve", "solve(sparse(x+9*eye(5)),y[:,0])", lambda x, y: np.linalg.solve(x + 9 * np.eye(5), y[:, 0]), on="m", only=PLAIN)
    row("spdiags", "full(spdiags(x,[-1,0,2,1,-3],5,5))", lambda x: scipy.sparse.spdiags(x.T, [-1, 0, 2, 1, -3], 5, 5).toarray(), on="m", only=PLAIN)


def pictures():
    n = scipy.ndimage
    row("medfilt2", 'medfilt2(x,3,"mirror")', lambda x: n.median_filter(x, 3, mode="mirror"), on="m", only=PLAIN)
    row("imdilate", "imdilate(x,ones(3,3))", lambda x: n.grey_dilation(x, (3, 3)), on="m", only=PLAIN)
    row("imerode", "imerode(x,ones(3,3))", lambda x: n.grey_erosion(x, (3, 3)), on="m", only=PLAIN)
    row("ordfilt2", "ordfilt2(x,2,ones(3,3))", lambda x: n.rank_filter(x, 2, (3, 3), mode="constant"), on="m", only=PLAIN)
    row("bwlabel", "bwlabel(x > 0)", lambda x: n.label(x > 0, np.ones((3, 3)))[0], on="m", only=PLAIN)
    row("bwdist", "bwdist(x > 0)", lambda x: n.distance_transform_edt(~(x > 0)), on="m", only=PLAIN, near=1e-6)
    row("imfill", "imfill(x > -0.3)", lambda x: n.binary_fill_holes(x > -0.3), on="m", only=PLAIN)
    row("integralImage", "integralImage(x)", lambda x: np.pad(x.cumsum(0).cumsum(1), ((1, 0), (1, 0))), on="m", only=["random", "one"])
    row("imfilter", 'imfilter(x,[[1,2,1],[2,4,2],[1,2,1]]./16,[],"clamped")', lambda x: n.correlate(x, np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16, mode="nearest"), on="m", only=PLAIN)
    row("inpolygon", "inpolygon(x,y,[0,1,1,0],[0,0,1,1])", lambda x, y: (x >= 0) & (x <= 1) & (y >= 0) & (y <= 1), only=FULL)
    row("imopen", "imopen(x,ones(3,3))", lambda x: n.grey_opening(x, (3, 3)), on="m", only=PLAIN)
    row("imclose", "imclose(x,ones(3,3))", lambda x: n.grey_closing(x, (3, 3)), on="m", only=PLAIN)
    row("imtophat", "imtophat(x,ones(3,3))", lambda x: n.white_tophat(x, (3, 3)), on="m", only=PLAIN)
    row("immedfilt", 'immedfilt(x,1)', lambda x: n.median_filter(x, 3, mode="mirror"), on="m", only=PLAIN)
    row("rangefilt", "rangefilt(x)[1..3,1..3]", lambda x: (n.grey_dilation(x, (3, 3)) - n.grey_erosion(x, (3, 3)))[1:4, 1:4], on="m", only=PLAIN)
    row("imrotate", "imrotate(x,90)", np.rot90, on="m", only=["random", "one"])
    row("imrotate_half", 'imrotate(x,180,"crop")', lambda x: np.rot90(x, 2), on="m", only=["random", "one"])
    row("imwarp", "imwarp(x,[[1,0,0.5],[0,1,0.25],[0,0,1]])[1..4,1..4]", lambda x: n.shift(x, (0.25, 0.5), order=1)[1:, 1:], on="m", only=PLAIN)
    row("imtranslate", "imtranslate(x,[1,2])", lambda x: n.shift(x, (2, 1), order=0), on="m", only=PLAIN)
    row("imcomplement", "imcomplement(100*abs(x))", lambda x: 255 - 100 * abs(x), on="m", only=PLAIN)
    row("mat2gray", "mat2gray(x)", lambda x: (x - x.min()) / np.ptp(x), on="m", only=PLAIN)
    row("immse", "immse(x,y)", lambda x, y: np.mean((x - y) ** 2), on="m", only=["random", "one", "nan"])
    row("psnr", "psnr(x,y,1)", lambda x, y: -10 * np.log10(np.mean((x - y) ** 2)), on="m", only=PLAIN, near=1e-6)
    row("imgradientxy", "[a,b]=imgradientxy(x); r = a", lambda x: n.sobel(x, 1, mode="nearest"), on="m", only=PLAIN)
    row("edge_slopes", '[e,t,a,b]=edge(x,"sobel"); r = a', lambda x: n.sobel(x, 1, mode="nearest") / 8, on="m", only=PLAIN)
    row("padarray", "padarray(x,[1,2])", lambda x: np.pad(x, ((1, 1), (2, 2))), on="m", only=["random", "one", "nan"])
    row("rgb2gray", "rgb2gray(reshape(x,[1,3,3]))", lambda x: x.reshape(1, 3, 3) @ [0.299, 0.587, 0.114], only=PLAIN, near=1e-6)
    row("rgb2hsv", "rgb2hsv(reshape(abs(tanh(x)),[1,3,3]))", lambda x: hsv(abs(np.tanh(x)).reshape(3, 3)), only=PLAIN, near=1e-6)
    row("hsv2rgb", "hsv2rgb(rgb2hsv(reshape(abs(tanh(x)),[1,3,3])))", lambda x: abs(np.tanh(x)), only=PLAIN, near=1e-6)
    row("ycbcr2rgb", "ycbcr2rgb(rgb2ycbcr(reshape(abs(x),[1,3,3])))", lambda x: abs(x), only=PLAIN, near=1e-5)
    row("lab2rgb", "lab2rgb(rgb2lab(reshape(abs(tanh(x)),[1,3,3])))", lambda x: abs(np.tanh(x)), only=PLAIN, near=1e-4)
    row("imhist", "imhist(floor(100*abs(x)))", lambda x: np.histogram(np.clip(np.floor(100 * abs(x)), 0, 255), np.arange(257))[0], on="m", only=FULL)
    row("regionprops", "regionprops(bwlabel(x > 0))[0].Area", lambda x: np.sum(n.label(x > 0, np.ones((3, 3)))[0] == 1), on="m", only=PLAIN)
    row("hough", "sum(hough(eye(6))[:,0])", lambda x: 6, only=PLAIN)
    row("dwt2", "[a,h,v,d]=dwt2(x[0..3,0..3]); r = idwt2(a,h,v,d)", lambda x: x[:4, :4], on="m", only=PLAIN, near=1e-6)
    row("dwt2_rough", "dwt2(x[0..3,0..3])", lambda x: x[:4, :4].reshape(2, 2, 2, 2).sum((1, 3)) / 2, on="m", only=PLAIN, near=1e-6)
    row("dtcwt", "[a,b]=dtcwt(x[0..7],2); r = idtcwt(a,b)", lambda x: x[:8], only=PLAIN, near=1e-4)
    row("dtcwt2", "[a,b]=dtcwt2(x[0..3,0..3],1); r = idtcwt2(a,b)", lambda x: x[:4, :4], on="m", only=PLAIN, near=1e-4)
    row("dwt", 'dwt(x[0..7],"haar")', lambda x: (x[0:8:2] + x[1:8:2]) / np.sqrt(2), only=PLAIN)
    row("waverec", '[c,l]=wavedec(x,3,"db2"); r = waverec(c,l,"db2")', lambda x: x, only=PLAIN)


def hsv(rgb):
    """Hue in degrees, saturation and value of rows of red, green and blue from 0 to 1."""
    out = np.array([colorsys.rgb_to_hsv(*c) for c in rgb])
    return out * [360, 1, 1]


def texts():
    """Functions of text, against Python's on the same text: as numbers, or as codes of the characters."""
    codes = lambda text: np.frombuffer(text.encode(), np.uint8).astype(float)
    row("strcmp", 'horzcat(strcmp("ab","ab"),strcmp("ab","aB"),strcmpi("ab","aB"),strncmp("abc","abd",2),strncmpi("ABc","abd",2))', lambda x: [1, 0, 1, 1, 1], only=PLAIN)
    row("strfind", 'strfind("banana","nan")', lambda x: "banana".find("nan"), only=PLAIN)
    row("str2num", 'str2num("42.5")', lambda x: 42.5, only=PLAIN)
    row("bin2dec", 'bin2dec("10110")', lambda x: int("10110", 2), only=PLAIN)
    row("isspace", 'isspace("a b")', lambda x: [0, 1, 0], only=PLAIN)
    pairs = {
        "strsplit": ('strjoin(strsplit("a,b,,c",","),"|")', "|".join("a,b,,c".split(","))),
        "strjoin": ('strjoin({"x","y","z"},"-")', "-".join("xyz")),
        "strrep": ('strrep("a-b-c","-","++")', "a-b-c".replace("-", "++")),
        "strtrim": ('strtrim("  a b ")', "  a b ".strip()),
        "strupper": ('strupper("aBc1")', "aBc1".upper()),
        "strlower": ('strlower("aBC1")', "aBC1".lower()),
        "strcat": ('strcat("a","b","c")', "abc"),
        "regexprep": ('regexprep("a1b22","([0-9])+","<$1>")', re.sub("([0-9])+", r"<\1>", "a1b22")),
        "sprintf": ('sprintf("%5.2f|%d|%s|%e|%x",pi,42,"t",12345.678,255)', "%5.2f|%d|%s|%e|%x" % (np.pi, 42, "t", 12345.678, 255)),
        "num2str": ("num2str(2.5)", "2.5"),
        "int2str": ("int2str(3)", "3"),
        "dec2bin": ("dec2bin(22)", format(22, "b")),
    }
    for name, (quasar, want) in pairs.items():
        row(name, f"fromascii({quasar})", lambda x, w=want: codes(w), only=PLAIN)


def files():
    """What is written and read again."""
    row("csvwrite", 'csvwrite("t.csv",x); r = csvread("t.csv")', lambda x: x, on="m", only=["random", "one"], near=1e-5)
    row("save_mat", 'save("t.mat",object(a := x)); r = load("t.mat").a', lambda x: x, on="m", only=["random", "one", "nan", "complex"])
    row("audiowrite", 'audiowrite("t.wav",tanh(x)./2,8000); [v,f]=audioread("t.wav"); r = v', lambda x: np.tanh(x) / 2, only=PLAIN, near=1e-4)


def program(folder, cases):
    """The Quasar program of all cases, each of which writes a file or prints its error."""
    lines = []
    for number, (name, quasar, _, on, kind, *_) in enumerate(cases):
        lines += ["try", f'    x = load("{folder}/{kind}_{on}.npy")', f'    y = load("{folder}/{kind}_{on}_2.npy")']
        lines += [f"    {part.strip()}" for part in (quasar if " r = " in f" {quasar}" else f"r = {quasar}").split("; ")]
        lines += [f'    save("{folder}/r{number}.npy", r)', "catch e", f'    print "{number} ", e', "end"]
    return "\n".join(lines) + "\n"


def same(mine, theirs, near):
    mine, theirs = np.ravel(mine), np.ravel(np.asarray(theirs))
    if mine.shape != theirs.shape:
        return f"{mine.shape} elements instead of {theirs.shape}"
    if not np.allclose(mine, theirs, rtol=near, atol=near, equal_nan=True):
        return f"{mine[:6]} instead of {theirs[:6]}"
    return None


def too_long(*_):
    raise TimeoutError("no result")


def theirs(numpy, inputs, may_refuse):
    """What NumPy gives, or `ERROR` where it may refuse the input and does, or does not come to an end."""
    try:
        signal.signal(signal.SIGALRM, too_long)
        signal.alarm(5)
        return numpy(*inputs)
    except Exception:
        if may_refuse:
            return ERROR
        raise
    finally:
        signal.alarm(0)


def own(result, error):
    """What Quasar gives, as differing.py says it: the message of an error, or how many elements and the first of them."""
    if not result.exists():
        return f"error: {error}"
    values = np.ravel(np.load(result))
    numbers = [complex(v) if np.iscomplexobj(values) else float(v) for v in values[:4]]
    return " ".join([f"{values.size}:", *(f"{v:.5g}" for v in numbers)])


def same_own(mine, noted):
    """Whether both say the same, numbers within a part in a thousand."""
    if mine == noted:
        return True
    if mine.startswith("error") or noted.startswith("error") or mine.split(":")[0] != noted.split(":")[0]:
        return False
    a, b = ([complex(w) for w in text.split()[1:]] for text in (mine, noted))
    return len(a) == len(b) and np.allclose(a, b, rtol=1e-3, atol=1e-6, equal_nan=True)


def bless(found):
    """Writes differing.py with what differs now; reasons stay."""
    path = Path(__file__).parent / "differing.py"
    head = path.read_text().split("DIFFERING = {")[0]
    names_of = {value: name for name, value in vars(differing).items() if name.isupper() and isinstance(value, str)}
    lines = ["DIFFERING = {"]
    for name, kinds_ in found.items():
        lines.append(f"    {name!r}: {{")
        for kind, (mine, wanted) in kinds_.items():
            reason = differing.DIFFERING.get(name, {}).get(kind, (differing.reason(kind, mine, wanted),))[0]
            lines.append(f'        "{kind}": ({names_of.get(reason, repr(reason))}, {mine!r}),')
        lines.append("    },")
    path.write_text(head + "\n".join(lines) + "\n}\n")


def key_of(name, quasar):
    """The name of a row in differing.py: the function's, and how it is called where it has several rows."""
    return name if sum(r[0] == name for r in ROWS) == 1 else f"{name}: {quasar}"


def not_compared(quadra):
    """Names of the library that no row calls and that `others.LEFT` does not name, either."""
    table = subprocess.run([quadra, "doc"], capture_output=True, text=True, check=True).stdout
    first = [m[1].split("), ")[0] for m in re.finditer(r"^\| `([^`]*)`", table, re.M)]
    names = {(re.search(r"(\w+)\(", sign) or re.search(r"(\w+)", sign))[1] for sign in first}
    known = set(re.findall(r"[A-Za-z_]\w*", " ".join(r[1] for r in ROWS) + " ".join(others.LEFT.values())))
    return sorted(names - known - {"x"})


def main(quadra, names):
    for table in (elementwise, special, reductions, arrays, algebra, fourier, signals, numerics, pictures, texts, files):
        table()
    for table in (*others.TABLES, *bands.TABLES, *later.TABLES):
        table(row)
    cases = [
        (name, quasar, numpy, on, kind, other, near, kind in kinds_)
        for name, quasar, numpy, on, kinds_, other, near in ROWS
        for kind in (list(KINDS) if re.search(r"\b[xy]\b", quasar) else kinds_)
        if not names or name in names
    ]
    failures = 0
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        again = {"random": 1.0, "one": 1.0, "empty": 1.0, "nan": 1.0, "complex": 1.0 - 0.5j}
        second = {}
        for kind, (v, m) in KINDS.items():
            second[kind] = {"v": v[::-1] * again[kind], "m": m[::-1] * again[kind] + 0.25 * np.eye(*m.shape)}
            for on, value in (("v", v), ("m", m)):
                np.save(f"{folder}/{kind}_{on}.npy", value)
                np.save(f"{folder}/{kind}_{on}_2.npy", second[kind][on])
        file = Path(folder) / "cases.q"
        file.write_text(program(folder, cases))
        out = subprocess.run([quadra, "run", "--double", "--device", "host", str(file)], capture_output=True, text=True, cwd=folder)
        if out.returncode != 0:
            print(out.stderr[-3000:])
            return 1
        errors = dict(line.split(" ", 1) for line in out.stdout.splitlines() if line[:1].isdigit() and " " in line)
        for number, (name, quasar, numpy, on, kind, other, near, written) in enumerate(cases):
            key = key_of(name, quasar)
            x = KINDS[kind][0 if on == "v" else 1]
            y = second[kind][on]
            wanted = other.get(kind)
            if wanted is None:
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    count = numpy.__code__.co_argcount - len(numpy.__defaults__ or ()) if hasattr(numpy, "__code__") else None
                    two = ",y" in quasar or "(y" in quasar or " y[" in quasar or "floor(2*y)" in quasar
                    wanted = theirs(numpy, (x, y) if (count == 2 or count is None and two) else (x,), not written)
            result = Path(folder) / f"r{number}.npy"
            if isinstance(wanted, str):
                problem = None if not result.exists() else "a value instead of an error"
            elif wanted is None:
                problem = None
            elif not result.exists():
                problem = f"error: {errors.get(str(number), 'nothing was written')}"
            else:
                problem = same(np.load(result), wanted, near)
            mine = own(result, errors.get(str(number), "nothing was written"))
            noted = differing.DIFFERING.get(key, {}).get(kind)
            if problem and not written:
                found.setdefault(key, {})[kind] = (mine, wanted)
                if noted is not None:
                    problem = None if same_own(mine, noted[1]) else f"{mine} instead of {noted[1]} (differing.py)"
            elif noted is not None and not written:
                problem = "agrees now, though differing.py says not"
            if problem:
                failures += 1
                print(f"{name} of {kind}: {quasar}: {problem}")
    if os.environ.get("QUADRA_BLESS") and not names:
        bless(found)
    missing = [] if names else not_compared(quadra)
    if missing:
        failures += 1
        print("no row compares " + ", ".join(missing))
    print(f"{len(cases)} comparisons of {len({c[0] for c in cases})} rows, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
