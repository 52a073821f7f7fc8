"""Rows of compare.py for dates, factors of matrices, sets of rows, curves in pieces, objects and cells, operators as functions, and pictures that are smoothed or searched."""

import datetime

import numpy as np
import scipy.interpolate
import scipy.linalg
import scipy.signal
import scipy.special

REAL = ["random", "empty", "one", "nan"]
PLAIN = ["random"]
PLACES, VALUES = np.array([-9.0, -2, 0, 1, 9]), np.array([1.0, 4, 2, 7, 3])


def day(*date):
    """Days since the year 0, as MATLAB counts them."""
    return datetime.date(*date).toordinal() + 366


def codes(text):
    return [ord(c) for c in text]


def second_differences(x):
    """A quarter of the second differences along both axes, continued on straight lines."""

    def along(v):
        z = np.zeros_like(v)
        z[1:-1] = v[2:] - 2 * v[1:-1] + v[:-2]
        z[0], z[-1] = 2 * z[1] - z[2], 2 * z[-2] - z[-3]
        return z

    return (along(x) + along(x.T).T) / 4


def resampled(x):
    return np.fft.irfft(np.fft.rfft(x), 27) * 27 / len(x)


def dates(row):
    row("datenum", "[datenum(2024,2,29),datenum([1999,12,31]),datenum(2023,14,1)]", lambda x: [day(2024, 2, 29), day(1999, 12, 31), day(2024, 2, 1)], only=PLAIN)
    row("datevec", "datevec(datenum(2024,2,29,12,30,15.5))", lambda x: [2024, 2, 29, 12, 30, 15.5], only=PLAIN)
    row("datestr", 'fromascii(datestr(datenum(2024,2,29),"yyyy-mm-dd"))', lambda x: codes(datetime.date(2024, 2, 29).isoformat()), only=PLAIN)
    row("weekday", "weekday(datenum(2024,2,29))", lambda x: datetime.date(2024, 2, 29).isoweekday() % 7 + 1, only=PLAIN)
    row("eomday", "[eomday(1900,2),eomday(2000,2),eomday(2023,11)]", lambda x: [28, 29, 30], only=PLAIN)
    row("addtodate", 'addtodate(datenum(2024,1,31),13,"month")', lambda x: day(2025, 2, 28), only=PLAIN)


def curves(row):
    near = 1e-7
    row("pchip", "pchip([-9.0,-2,0,1,9],[1,4,2,7,3],x)", lambda x: scipy.interpolate.PchipInterpolator(PLACES, VALUES)(x), only=REAL, near=near)
    row("ppval", "ppval(spline([-9.0,-2,0,1,9],[1,4,2,7,3]),x)", lambda x: scipy.interpolate.CubicSpline(PLACES, VALUES)(x), only=REAL, near=near)
    row("mkpp", "ppval(mkpp([0,1,2],[[1,0,2],[2,1,0]]),abs(x))", lambda x: np.where(abs(x) < 1, abs(x) ** 2 + 2, 2 * (abs(x) - 1) ** 2 + abs(x) - 1), only=PLAIN)
    row("unmkpp", "[at,c]=unmkpp(mkpp([0,1,3],[[1,0],[2,1]])); r = at", lambda x: [0, 1, 3], only=PLAIN)
    row("interpft", "interpft(x,27)", resampled, only=PLAIN)
    row("del2", "del2(x)", second_differences, on="m", only=["random", "nan"])
    row("integral3", "integral3((a,b,c)->a.*b+c,0,1,0,2,0,1)", lambda x: 2, only=PLAIN, near=1e-6)
    row("triplequad", "triplequad((a,b,c)->a.*b+c,0,1,0,2,0,1)", lambda x: 2, only=PLAIN, near=1e-6)


def spreads(x, f):
    return [f(x[max(i - 1, 0) : i + 2], ddof=1) for i in range(len(x))]


def records(row):
    row("movstd", "movstd(x,3)", lambda x: spreads(x, np.std), only=["random", "nan"])
    row("movvar", "movvar(x,3)", lambda x: spreads(x, np.var), only=["random", "nan"])
    operators = dict(plus=np.add, minus=np.subtract, times=np.multiply, rdivide=np.divide, eq=np.equal, ne=np.not_equal)
    for name, f in operators.items():
        row(name, f"{name}(x,y)", f, only=[*REAL, "complex"] if name != "rdivide" else REAL)
    for name, f in dict(lt=np.less, gt=np.greater, le=np.less_equal, ge=np.greater_equal).items():
        row(name, f"{name}(x,y)", f, only=REAL)
    row("mtimes", "mtimes(x,x)", lambda x: x @ x, on="m", only=["random", "one", "complex"])
    row("power", "power(x,2)", lambda x: x**2)
    row("uminus", "uminus(x)", np.negative)
    row("meansq", "meansq(x)", lambda x: np.mean(abs(x) ** 2), only=["random", "one", "nan", "complex"])
    row("prepad", "prepad(x,12)", lambda x: np.r_[np.zeros(12 - len(x)), x], only=["random", "nan", "complex"])
    row("postpad", "postpad(x,12)", lambda x: np.r_[x, np.zeros(12 - len(x))], only=["random", "nan", "complex"])
    row("structfun", 'structfun(v->2*v,struct("a",3,"b",4))', lambda x: [[6], [8]], only=PLAIN)
    row("orderfields", 's = orderfields(struct("b",1,"a",2)); r = fromascii(fieldnames(s)[0])', lambda x: codes("a"), only=PLAIN)
    row("mat2cell", "c = mat2cell(x,[2,3],[1,4]); r = c[1,1]", lambda x: x[2:, 1:], on="m", only=["random", "nan", "complex"])
    row("iscellstr", 'iscellstr({"a","b"})', lambda x: 1, only=PLAIN)
    row("isstrprop", 'isstrprop("a1 B","alpha")', lambda x: [c.isalpha() for c in "a1 B"], only=PLAIN)
    row("isletter", 'isletter("a1 B")', lambda x: [c.isalpha() for c in "a1 B"], only=PLAIN)
    row("dec2base", "fromascii(dec2base(1000,7))", lambda x: codes(np.base_repr(1000, 7)), only=PLAIN)
    row("base2dec", 'base2dec("zz",36)', lambda x: int("zz", 36), only=PLAIN)
    row("ecdf", "ecdf(floor(2*x))", lambda x: shares(np.floor(2 * x)), only=["random", "empty", "one", "nan"])
    row("regexpi", 'regexpi("xAbB","b+","start")', lambda x: [2], only=PLAIN)


def shares(x):
    values = np.unique(x[~np.isnan(x)])
    return [0, *((x[:, None] <= values[None, :]).sum(0) / max((~np.isnan(x)).sum(), 1))]


def circle(_):
    return [15, 20, 8]


def pictures(row):
    row("imdiffusefilt", "imdiffusefilt(ones(5,6))", lambda x: np.ones((5, 6)), only=PLAIN)
    row("wdenoise", 'wdenoise(ones(1,16),1,"Wavelet","haar")', lambda x: np.ones(16), only=PLAIN, near=1e-6)
    text = "[p,q] = meshgrid(0..39,0..39); d = float((q-20).^2+(p-15).^2 <= 64); [c,s] = imfindcircles(d,[6,10]); r = round([c[0,0],c[0,1],s[0]])"
    row("imfindcircles", text, circle, only=PLAIN)
    row("imfinfo", 'imwrite("info.png",zeros(3,4)); r = imfinfo("info.png").Width', lambda x: 4, only=PLAIN)


def weighted(x, w):
    return np.average((x - np.average(x, weights=w)) ** 2, weights=w)


def factors(row):
    definite = "x*transpose(x)+eye(size(x,0))"
    row("logm", f"logm({definite})", lambda x: scipy.linalg.logm(x @ x.T + np.eye(len(x))), on="m", only=["random", "one"], near=1e-7)
    row("hess", "abs(hess(x))", lambda x: abs(scipy.linalg.hessenberg(x)), on="m", only=["random", "one"], near=1e-7)
    row("schur", "[u,t] = schur(x); r = u*t*ctranspose(u)", lambda x: x, on="m", only=["random", "one", "complex"], near=1e-7)
    text = '[u,t] = schur(x,"complex"); r = sort(abs(reshape(diag(t),[1,size(x,0)])))'
    row("schur_values", text, lambda x: np.sort(abs(np.linalg.eigvals(x))), on="m", only=["random", "one", "complex"], near=1e-7)
    row("kron_sparse", "full(kron(sparse(x),sparse(y)))", np.kron, on="m", only=["random", "one"])
    row("rose", "[r,n] = rose(x,4)", lambda x: roses(x, 4), only=["random", "one"])


def roses(x, n):
    edges = 2 * np.pi * np.arange(n + 1) / n
    return np.stack([0 * edges[:-1], edges[:-1], edges[1:], 0 * edges[1:]], 1).ravel()


def ordered(row):
    row("unique_each", 'unique(floor(x),"rows")', lambda x: np.unique(np.floor(x), axis=0), on="m", only=["random", "one"])
    row("unique_stable", 'unique(floor(3*x),"stable")', lambda x: np.array(list(dict.fromkeys(np.floor(3 * x)))), only=["random", "one", "empty"])
    row("setdiff_stable", 'setdiff(floor(3*x),floor(3*y),"stable")', lambda x, y: [v for v in dict.fromkeys(np.floor(3 * x)) if v not in np.floor(3 * y)], only=["random"])
    row("union_stable", 'union(floor(3*x),floor(3*y),"stable")', lambda x, y: list(dict.fromkeys([*np.floor(3 * x), *np.floor(3 * y)])), only=["random", "one"])
    row("ismember_rows", 'ismember(x,x,"rows")', lambda x: np.ones((len(x), 1)), on="m", only=["random"])
    row("accumarray_column", "accumarray(transpose(floor(abs(3*x))),ones(1,numel(x)))", lambda x: np.bincount(np.floor(abs(3 * x)).astype(int))[:, None], only=["random"])
    row("var_weights", "var(x,abs(y))", lambda x, y: weighted(x, abs(y)), only=["random"])
    row("std_weights", "std(x,abs(y))", lambda x, y: np.sqrt(weighted(x, abs(y))), only=["random"])
    row("typecast", 'typecast(x,"uint8")', lambda x: x.view(np.uint8), only=["random", "one", "nan"])
    grid = lambda x: scipy.interpolate.RectBivariateSpline(range(5), range(5), x)
    row("interp2_spline", 'interp2(x,[0.5,1.5],[0.5,2.25],"spline")', lambda x: grid(x)([0.5, 2.25], [0.5, 1.5], grid=False), on="m", only=PLAIN)
    row("interp2_finer", 'interp2(x,1,"spline")', lambda x: grid(x)(np.arange(9) / 2, np.arange(9) / 2), on="m", only=PLAIN)
    for order in (0, 2, 0.5, -1.5):
        row("besselj", f"besselj({order},9*x)", lambda x, n=order: scipy.special.jv(n, 9 * x), only=["complex"], near=1e-7)


def filters(row):
    row("rgb2lin", "sRGB_decode(abs(tanh(x)))", lambda x: light(abs(np.tanh(x))), only=REAL, near=1e-4)
    row("lin2rgb", "lin2rgb(rgb2lin(abs(tanh(x))))", lambda x: abs(np.tanh(x)), only=REAL, near=1e-4)
    row("sRGB_encode", "sRGB_encode(abs(tanh(x)))-lin2rgb(abs(tanh(x)))", lambda x: 0 * x, only=REAL)
    text = "[z,p,k] = buttap(5); r = [sort(real(reshape(p,[1,5]))), sort(imag(reshape(p,[1,5])))]"
    poles = scipy.signal.buttap(5)[1]
    row("buttap", text, lambda x: np.concatenate([np.sort(poles.real), np.sort(poles.imag)]), only=PLAIN, near=1e-6)
    row("convmtx", "[1,2,3,4]*convmtx([4,-1,0.5],4)", lambda x: np.convolve([4, -1, 0.5], [1, 2, 3, 4]), only=PLAIN, near=1e-6)
    row("dftmtx", "dftmtx(6)", lambda x: scipy.linalg.dft(6), only=PLAIN, near=1e-6)
    row("filtic", "filtic([1,2,3],[2,0.5,0.25],[1.5,2],[3,-4])", lambda x: scipy.signal.lfiltic([1, 2, 3], [2, 0.5, 0.25], [1.5, 2], [3, -4]), only=PLAIN, near=1e-6)
    row("flipdim", "flipdim(x,1)", lambda x: x[:, ::-1], on="m", only=["random", "one", "complex"])
    row("mse", "mse(x)", lambda x: np.mean(abs(x) ** 2), only=["random", "one", "complex"], near=1e-6)
    row("normrnd", "seed(3); r = abs(mean(normrnd(5,2,200,200))-5) < 0.1", lambda x: 1, only=PLAIN)
    one = lambda x: np.linalg.norm(x, 1)
    row("rcond", "rcond(x)", lambda x: 1 / (one(x) * one(np.linalg.inv(x))), on="m", only=["random", "one", "complex"], near=1e-6)
    row("remezord", "[n,f,m,w] = remezord([1500,2000],[1,0],[0.01,0.1],8000); r = f", lambda x: [0, 0.375, 0.5, 1], only=PLAIN, near=1e-6)


def light(s):
    return np.where(s <= 0.04045, s / 12.92, ((s + 0.055) / 1.055) ** 2.4)


TABLES = (dates, curves, records, pictures, factors, ordered, filters)
