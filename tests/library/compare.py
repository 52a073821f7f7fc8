"""Compares functions of Quasar's library with NumPy and SciPy: random, empty, one-element, NaN and complex input.

    python compare.py QUADRA [NAME…]

Every row of `rows` says how a function is called and what NumPy makes of the same input. Inputs and results travel as .npy files.
Where the two differ for a reason, the row says so in `other`: the kind of input, and what Quasar gives instead (`ERROR` for an error).
The status is 1 if anything else differs.
"""

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
    row("factorial", "factorial(floor(abs(3*x)))", lambda x: np.array([factorial(int(k)) for k in abs(3 * x)]), only=FULL)


def reductions():
    row("sum", "sum(x)", np.sum)
    row("sum_dim", "sum(x,0)", lambda x: x.sum(0), on="m", only=["random", "one", "nan", "complex"])
    row("prod", "prod(x)", np.prod)
    row("mean", "mean(x)", np.mean)
    row("mean_dim", "mean(x,1)", lambda x: x.mean(1), on="m", only=["random", "one", "nan", "complex"])
    row("median", "median(x)", np.median, only=["random", "empty", "one"])
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
    row("sort", "sort(x)", np.sort, only=REAL)
    row("sort_columns", "sort(x,0)", lambda x: np.sort(x, 0), on="m", only=["random", "one"])
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
    row("svd", "svd(x)", lambda x: la.svd(x)[1], on="m", only=["random", "one"])
    row("solve", "solve(x,y)", la.solve, on="m", only=["random", "one", "complex"])
    # The language's specification has the Euclidean norm of all elements, and the lower factor.
    row("matrix_norm", "norm(x)", la.norm, on="m", only=["random", "one", "complex"])
    row("chol", "chol(x*transpose(x)+eye(size(x,0)))", lambda x: la.cholesky(x @ x.T + np.eye(len(x))), on="m", only=FULL)
    row("eig", "sort(eig(x+transpose(x)))", lambda x: la.eigvalsh(x + x.T), on="m", only=FULL)
    row("null", "null([[1,2,3],[2,4,6.0]])*0", lambda x: np.zeros((3, 2)), on="m", only=PLAIN)
    row("orth", "abs(orth(x))*0+1", lambda x: np.ones((5, 5)), on="m", only=PLAIN)
    row("polyfit", "polyfit(x,y,3)", lambda x, y: np.polyfit(x, y, 3), only=PLAIN, near=1e-6)
    row("polyval", "polyval([1,-2,3],x)", lambda x: np.polyval([1, -2, 3], x))
    row("polyder", "polyder(x)", np.polyder, only=["random", "complex"])
    row("polyint", "polyint(x)", np.polyint, only=["random", "one", "complex"])
    row("poly", "poly(x)", np.poly, only=["random", "one", "complex"])
    row("roots", "sort(abs(roots(x)))", lambda x: np.sort(abs(np.roots(x))), only=["random"], near=1e-6)
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
    row("dwt", 'dwt(x[0..7],"haar")', lambda x: (x[0:8:2] + x[1:8:2]) / np.sqrt(2), only=PLAIN)
    row("waverec", '[c,l]=wavedec(x,3,"db2"); r = waverec(c,l,"db2")', lambda x: x, only=PLAIN)


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


def main(quadra, names):
    for table in (elementwise, special, reductions, arrays, algebra, fourier, signals, numerics, pictures):
        table()
    cases = [
        (name, quasar, numpy, on, kind, other, near)
        for name, quasar, numpy, on, kinds_, other, near in ROWS
        for kind in kinds_
        if not names or name in names
    ]
    failures = 0
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
        for number, (name, quasar, numpy, on, kind, other, near) in enumerate(cases):
            x = KINDS[kind][0 if on == "v" else 1]
            y = second[kind][on]
            wanted = other.get(kind)
            if wanted is None:
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    count = numpy.__code__.co_argcount - len(numpy.__defaults__ or ()) if hasattr(numpy, "__code__") else None
                    two = ",y" in quasar or "(y" in quasar or " y[" in quasar or "floor(2*y)" in quasar
                    wanted = numpy(x, y) if (count == 2 or count is None and two) else numpy(x)
            result = Path(folder) / f"r{number}.npy"
            if isinstance(wanted, str):
                problem = None if not result.exists() else "a value instead of an error"
            elif wanted is None:
                problem = None
            elif not result.exists():
                problem = f"error: {errors.get(str(number), 'nothing was written')}"
            else:
                problem = same(np.load(result), wanted, near)
            if problem:
                failures += 1
                print(f"{name} of {kind}: {quasar}: {problem}")
    print(f"{len(cases)} comparisons of {len({c[0] for c in cases})} rows, {failures} differ")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
