"""Rows of compare.py for filters of bands, programs with conditions, and what MATLAB's programs ask of arrays, texts and pictures."""

import numpy as np
import scipy.linalg
import scipy.ndimage
import scipy.optimize
import scipy.signal
import scipy.spatial.distance
import scipy.special
import scipy.stats

PLAIN = ["random"]
FULL = ["random", "one"]
REAL = ["random", "empty", "one", "nan"]


def both(pair):
    """Numerator and denominator in one list."""
    return np.concatenate([np.ravel(p) for p in pair])


def rows(row):
    """Filters."""
    s = scipy.signal
    for kind, ours in (("lowpass", "low"), ("highpass", "high")):
        row(f"ellip_{ours}", f'[b,a]=ellip(4,1,40,0.3,"{ours}"); r = horzcat(b,a)', lambda x, k=kind: both(s.ellip(4, 1, 40, 0.3, k)), only=PLAIN, near=1e-7)
    row("ellip_odd", "[b,a]=ellip(5,0.5,60,0.4); r = horzcat(b,a)", lambda x: both(s.ellip(5, 0.5, 60, 0.4)), only=PLAIN, near=1e-7)
    row("ellip_band", '[b,a]=ellip(3,1,40,[0.2,0.5],"bandpass"); r = horzcat(b,a)', lambda x: both(s.ellip(3, 1, 40, [0.2, 0.5], "bandpass")), only=PLAIN, near=1e-6)
    row("ellip_stop", '[b,a]=ellip(3,1,40,[0.2,0.5],"stop"); r = horzcat(b,a)', lambda x: both(s.ellip(3, 1, 40, [0.2, 0.5], "bandstop")), only=PLAIN, near=1e-6)
    row("ellipord", "[ellipord(0.2,0.3,1,40),ellipord(0.5,0.4,0.5,60),ellipord(0.1,0.12,0.1,80)]",
        lambda x: [s.ellipord(0.2, 0.3, 1, 40)[0], s.ellipord(0.5, 0.4, 0.5, 60)[0], s.ellipord(0.1, 0.12, 0.1, 80)[0]], only=PLAIN)
    row("bilinear", "[b,a]=bilinear([1,2],[1,3,4],2); r = horzcat(b,a)", lambda x: both(s.bilinear([1, 2], [1, 3, 4], 2)), only=PLAIN)
    row("impinvar", "[b,a]=impinvar([1,2],[1,4,3],10); r = horzcat(b,a)",
        lambda x: both((np.array([0.1, -0.1 * (0.5 * np.exp(-0.3) + 0.5 * np.exp(-0.1))]), np.poly([np.exp(-0.1), np.exp(-0.3)]))), only=PLAIN)
    row("residuez", "[q,p,k]=residuez([1,2,3,4],[1,-0.75,0.125]); r = horzcat(sort(q),sort(p),k)",
        lambda x: np.concatenate([np.sort(v) if n < 2 else v for n, v in enumerate(s.residuez([1, 2, 3, 4], [1, -0.75, 0.125]))]), only=PLAIN)
    row("tf2zpk", "[z,p,k]=tf2zpk([1,0.5],[1,-0.9,0.2]); r = horzcat(sort(z),sort(p),k)", lambda x: [-0.5, 0, 0.4, 0.5, 1], only=PLAIN)
    row("ss2tf", "[A,B,C,D]=tf2ss([1,3,3],[1,2,1]); [b,a]=ss2tf(A,B,C,D); r = horzcat(b,a)", lambda x: [1, 3, 3, 1, 2, 1], only=PLAIN)
    row("zp2ss", "[A,B,C,D]=zp2ss([-3],[-1,-2],2); [b,a]=ss2tf(A,B,C,D); r = horzcat(b,a)", lambda x: [0, 2, 6, 1, 3, 2], only=PLAIN)
    row("ss2zp", "[A,B,C,D]=tf2ss([2,6],[1,3,2]); [z,p,k]=ss2zp(A,B,C,D); r = horzcat(sort(p))", lambda x: [-2, -1], only=PLAIN)
    row("sos2zp", "[z,p,k]=sos2zp([[1,-1,0,1,0.5,0]],3); r = horzcat(sort(z),sort(p),k)", lambda x: [0, 1, -0.5, 0, 3], only=PLAIN)
    row("ss2sos", "[A,B,C,D]=tf2ss([1,2,1],[1,0.5,0.2]); [b,a]=sos2tf(ss2sos(A,B,C,D)); r = horzcat(b,a)", lambda x: [1, 2, 1, 1, 0.5, 0.2], only=PLAIN, near=1e-6)
    row("firpm", "firpm(20,[0,0.3,0.4,1],[1,1,0,0])", lambda x: s.remez(21, [0, 0.3, 0.4, 1], [1, 0], fs=2), only=PLAIN, near=2e-3)
    row("firpm_odd", "firpm(21,[0,0.3,0.5,1],[1,1,0,0],[1,5])", lambda x: s.remez(22, [0, 0.3, 0.5, 1], [1, 0], weight=[1, 5], fs=2), only=PLAIN, near=2e-3)
    row("remez", "remez(30,[0,0.2,0.3,0.5,0.6,1],[0,0,1,1,0,0])", lambda x: s.remez(31, [0, 0.2, 0.3, 0.5, 0.6, 1], [0, 1, 0], fs=2), only=PLAIN, near=2e-3)
    row("firpmord", "firpmord([1500,2000],[1,0],[0.01,0.1],8000)", lambda x: 20, only=PLAIN)
    row("kaiserord", "[n,w,b]=kaiserord([1000,1500],[1,0],[0.01,0.01],8000); r = horzcat(n,w,b)", lambda x: [36, 0.3125, s.kaiser_beta(40)], only=PLAIN)
    row("fftfilt", "fftfilt([1,2,3],x)", lambda x: s.lfilter([1, 2, 3], [1], x), only=["random", "one", "complex"])
    row("lowpass", "t = 0..199; v = sin(0.1*t) + sin(2*t); w = lowpass(v,0.2) - sin(0.1*t); r = max(abs(w[50..150])) < 0.01", lambda x: 1, only=PLAIN)
    row("highpass", "t = 0..199; v = sin(0.1*t) + sin(2*t); w = highpass(v,0.3) - sin(2*t); r = max(abs(w[60..140])) < 0.01", lambda x: 1, only=PLAIN)
    row("bandpass", "t = 0..399; v = sin(0.1*t) + sin(1*t) + sin(2.5*t); w = bandpass(v,[0.2,0.5]) - sin(1*t); r = max(abs(w[180..220])) < 0.01", lambda x: 1, only=PLAIN)
    row("bandstop", "t = 0..399; v = sin(0.1*t) + sin(1*t); w = bandstop(v,[0.2,0.5]) - sin(0.1*t); r = max(abs(w[180..220])) < 0.01", lambda x: 1, only=PLAIN)
    row("rectpuls", "rectpuls(x,2)", lambda x: (x >= -1) & (x < 1), only=["random", "empty", "one", "nan"])
    row("tripuls", "tripuls(x,2)", lambda x: np.maximum(1 - abs(x), 0), only=["random", "empty", "one"])
    row("bandpower", "bandpower(x)", lambda x: np.mean(abs(x) ** 2), only=["random", "one", "nan", "complex"])
    row("linprog", "linprog([-1,-2,0.5],[[1,1,1],[1,-1,2]],[4,1],[],[],[0,0,-1],[3,3,5])",
        lambda x: scipy.optimize.linprog([-1, -2, 0.5], [[1, 1, 1], [1, -1, 2]], [4, 1], bounds=[(0, 3), (0, 3), (-1, 5)]).x, only=PLAIN, near=1e-6)
    row("linprog_equal", "linprog([1,2,3],[],[],[[1,1,1]],[1],[0,0,0])", lambda x: [1, 0, 0], only=PLAIN, near=1e-6)
    row("quadprog", "quadprog(x*transpose(x)+eye(5),x[0,:],ones(1,5),0.1)",
        lambda x: scipy.optimize.minimize(lambda v: v @ (x @ x.T + np.eye(5)) @ v / 2 + x[0] @ v, np.zeros(5), jac=lambda v: (x @ x.T + np.eye(5)) @ v + x[0],
                                          constraints=[{"type": "ineq", "fun": lambda v: 0.1 - v.sum()}], method="SLSQP", tol=1e-12).x, on="m", only=PLAIN, near=1e-5)
    row("wfilters", '[a,b]=wfilters("db2"); r = [sum(a),sum(b),sum(a.^2)]', lambda x: [2**0.5, 0, 1], only=PLAIN)


def pieces(row):
    """Arrays, texts, codes."""
    row("vecnorm", "vecnorm(x)", lambda x: np.linalg.norm(x, axis=0), on="m", only=["random", "one", "nan", "complex"])
    row("vecnorm_3", "vecnorm(x,3,1)", lambda x: np.linalg.norm(x, 3, axis=1), on="m", only=["random", "one", "nan", "complex"])
    row("repelem", "repelem(x,3)", lambda x: np.repeat(x, 3), only=["random", "one", "nan", "complex"])
    row("repelem_matrix", "repelem(x,2,3)", lambda x: np.repeat(np.repeat(x, 2, 0), 3, 1), on="m", only=["random", "one", "nan", "complex"])
    row("nonzeros", "nonzeros(floor(abs(x)))", lambda x: np.floor(abs(x))[np.floor(abs(x)) != 0], on="m", only=["random", "nan"])
    row("issymmetric", "[issymmetric(x),issymmetric(x+transpose(x)),ishermitian(x+transpose(x)),isdiag(x),isdiag(eye(3))]", lambda x: [0, 1, 1, 0, 1], on="m", only=PLAIN)
    row("bsxfun", "bsxfun((a,b) -> a*b,x,2)", lambda x: 2 * x)
    row("discretize", "discretize(x,[-5,0,1,5])", lambda x: np.digitize(x, [-5, 0, 1, 5]) - 1, only=FULL)
    row("knnsearch", "[k,d]=knnsearch(x,y,\"K\",2); r = horzcat(k,d)",
        lambda x, y: np.concatenate(scipy.spatial.cKDTree(x).query(y, 2)[::-1], 1), on="m", only=PLAIN)
    row("mahal", "mahal(x,randn(7,5).*0 + [[1,2,0,1,1],[3,1,1,0,2],[0,2,4,1,0],[1,1,1,5,2],[2,0,1,1,1],[1,3,2,0,0],[2,2,0,1,3]])", mahalanobis, on="m", only=PLAIN, near=1e-6)
    row("strtok", '[a,b]=strtok(" left right"); r = fromascii(a+b)', lambda x: [ord(c) for c in "left right"], only=PLAIN)
    row("deblank", 'fromascii(deblank("ab  "))', lambda x: [97, 98], only=PLAIN)
    row("findstr", '[findstr("banana","na"),findstr("na","banana")]', lambda x: [2, 2], only=PLAIN)
    row("char", 'fromascii(char([72,105]))', lambda x: [72, 105], only=PLAIN)
    row("string", 'fromascii(string(2.5))', lambda x: [ord(c) for c in "2.5"], only=PLAIN)
    row("cellstr", 'numel(cellstr("one"))', lambda x: 1, only=PLAIN)
    row("isfloat", '[isfloat(x),isfloat(int(2)),isa(x,"float"),isa(x,"numeric"),isa("t","char"),isa(x,"cell")]', lambda x: [1, 0, 1, 1, 1, 0], only=["random", "one", "nan", "complex"])
    row("de2bi", "de2bi([6,1,13])", lambda x: [[0, 1, 1, 0], [1, 0, 0, 0], [1, 0, 1, 1]], only=PLAIN)
    row("bi2de", "bi2de([[0,1,1,0],[1,0,0,1]])", lambda x: [6, 9], only=PLAIN)
    row("qfunc", "qfunc(x)", lambda x: scipy.stats.norm.sf(x), only=REAL)
    row("qfuncinv", "qfuncinv(qfunc(x))", lambda x: x, only=REAL, near=1e-6)
    row("biterr", "[n,q]=biterr([1,2,7],[1,0,0]); [m,p]=symerr([1,2,7],[1,0,0]); r = [n,q,m,p]", lambda x: [4, 4 / 9, 2, 2 / 3], only=PLAIN)
    row("pskmod", "pskmod(0..7,8,0.2)", lambda x: np.exp(1j * (np.arange(8) * np.pi / 4 + 0.2)), only=PLAIN)
    row("pskdemod", "pskdemod(pskmod(0..7,8)+0.1,8)", lambda x: np.arange(8), only=PLAIN)
    row("qammod", "v = qammod(0..15,16); r = [mean(abs(v).^2),max(real(v)),numel(unique(real(v)))]", lambda x: [10, 3, 4], only=PLAIN)
    row("qamdemod", "qamdemod(qammod(0..63,64)+0.3,64)", lambda x: np.arange(64), only=PLAIN)
    row("wgn", "seed(1); r = std(wgn(100,100,6))", lambda x: 10**0.3, only=PLAIN, near=0.03)
    row("rcosdesign", "h = rcosdesign(0.25,40,4); v = conv(h,h); r = v[160..4..184]", lambda x: [1, 0, 0, 0, 0, 0, 0], only=PLAIN, near=5e-3)
    row("db", "db(x)", lambda x: 20 * np.log10(abs(x)), only=["random", "empty", "one", "nan", "complex"])
    row("pdist", "horzcat(pdist(x),squareform(pdist(x))[0,:])", lambda x: np.concatenate([scipy.spatial.distance.pdist(x), scipy.spatial.distance.squareform(scipy.spatial.distance.pdist(x))[0]]), on="m", only=PLAIN)
    row("smooth", "smooth(x,3)", lambda x: np.concatenate([x[:1], np.convolve(x, np.ones(3) / 3, "valid"), x[-1:]]), only=PLAIN)
    row("fminunc", "fminunc(t -> (t[0]-1)^2+(t[1]-2)^2,[0,0])", lambda x: [1, 2], only=PLAIN, near=1e-3)
    row("quadgk", "[quadgk(t -> sin(t),0,pi),quadl(t -> t.^2,0,3)]", lambda x: [2, 9], only=PLAIN, near=1e-6)
    row("dblquad", "[dblquad((a,b) -> a*b,0,2,0,2),integral2((a,b) -> exp(a)*cos(b),0,1,0,1)]", lambda x: [4, (np.e - 1) * np.sin(1)], only=PLAIN)
    row("pascal", "pascal(5)", lambda x: scipy.linalg.pascal(5), only=PLAIN)
    row("wilkinson", "wilkinson(3)", lambda x: [[1, 1, 0], [1, 0, 1], [0, 1, 1]], only=PLAIN)
    row("invhilb", "invhilb(5)", lambda x: scipy.linalg.invhilbert(5), only=PLAIN)
    row("ellipke", "[a,b]=ellipke(tanh(abs(x))); r = horzcat(a,b)", lambda x: np.concatenate([scipy.special.ellipk(np.tanh(abs(x))), scipy.special.ellipe(np.tanh(abs(x)))]), only=FULL)
    row("fir2", "fir2(20,[0,0.4,0.6,1],[1,1,0,0])", lambda x: scipy.signal.firwin2(21, [0, 0.4, 0.6, 1], [1, 1, 0, 0]), only=PLAIN, near=2e-3)
    row("firls", "firls(20,[0,0.3,0.5,1],[1,1,0,0],[1,4])", lambda x: scipy.signal.firls(21, [0, 0.3, 0.5, 1], [1, 1, 0, 0], weight=[1, 4]), only=PLAIN, near=1e-4)
    row("stepz", "stepz([1],[1,-0.5],8)", lambda x: scipy.signal.lfilter([1], [1, -0.5], np.ones(8)), only=PLAIN)
    row("phasez", "phasez([1,2],[1,0.5],16)", lambda x: np.unwrap(np.angle(scipy.signal.freqz([1, 2], [1, 0.5], 16)[1])), only=PLAIN)
    row("gausspuls", "gausspuls(x./1000,1000,0.5)", lambda x: scipy.signal.gausspulse(x / 1000, 1000, 0.5), only=REAL, near=1e-6)
    row("writematrix", 'writematrix(x,"w.csv"); dlmwrite("d.csv",x); r = horzcat(readmatrix("w.csv"),dlmread("d.csv"))', lambda x: np.concatenate([x, x], 1), on="m", only=PLAIN, near=1e-5)
    row("etime", "etime([2020,1,1,10,0,0],[2020,1,1,11,1,5])", lambda x: 3665, only=PLAIN)
    row("validatestring", 'fromascii(validatestring("med",{"mean","median"}))', lambda x: [ord(c) for c in "median"], only=PLAIN)
    row("sinpi", "[max(abs(sinpi(x)-sin(pi*x))),sinpi(3),cospi(0.5)]", lambda x: [0, 0, 0], only=PLAIN, near=1e-9)
    row("convn", 'convn(x,y,"same")', lambda x, y: scipy.signal.convolve2d(x, y, "same"), on="m", only=["random", "one", "complex"])
    row("convn_cube", 'convn(cat(2,x,y),cat(2,x[0..1,0..1],y[0..1,0..1]))', lambda x, y: scipy.signal.convolve(np.stack([x, y], 2), np.stack([x, y], 2)[:2, :2]), on="m", only=PLAIN)
    row("fftn", "fftn(x)", np.fft.fftn, on="m", only=["random", "one", "nan", "complex"])
    row("ifftn", "ifftn(x)", np.fft.ifftn, on="m", only=["random", "one", "nan", "complex"])
    row("colfilt", 'colfilt(x,[3,3],"sliding",v -> sum(v,0))', lambda x: scipy.ndimage.convolve(x, np.ones((3, 3)), mode="constant"), on="m", only=PLAIN)
    row("imboxfilt", "imboxfilt(x,3)", lambda x: scipy.ndimage.uniform_filter(x, 3, mode="nearest"), on="m", only=FULL)
    row("imsharpen", "v = 100+abs(x); r = imsharpen(v)-v-0.8*(v-imgaussfilt(v,1))", lambda x: np.zeros((5, 5)), on="m", only=PLAIN, near=1e-5)
    row("imbilatfilt", "imbilatfilt(x,1e12)", lambda x: scipy.ndimage.gaussian_filter(x, 1, mode="nearest", truncate=2), on="m", only=PLAIN, near=1e-6)
    row("imguidedfilter", "imguidedfilter(x,[],3,1e12)", lambda x: scipy.ndimage.uniform_filter(scipy.ndimage.uniform_filter(x, 3, mode="nearest"), 3, mode="nearest"), on="m", only=PLAIN, near=1e-6)
    row("imnlmfilt", "imnlmfilt(x,1e9,1)", lambda x: scipy.ndimage.uniform_filter(x, 3, mode="nearest"), on="m", only=PLAIN, near=1e-6)
    row("imfuse", 'imfuse(100*abs(x),100*abs(y),"blend")', lambda x, y: (abs(x) + abs(y)) * 50, on="m", only=PLAIN)
    row("im2gray", "im2gray(x)", lambda x: x, on="m", only=["random", "one", "nan"])
    row("imhistmatch", "v = floor(50*abs(x)); r = imhistmatch(v,v) - histeq(v,imhist(v))", lambda x: np.zeros((5, 5)), on="m", only=PLAIN)
    row("dither", "mean(mean(dither(0.25*ones(40,40))))", lambda x: 0.25, only=PLAIN, near=0.02)
    row("rgb2ntsc", "rgb2ntsc(cat(2,x,y,x))", lambda x, y: np.einsum("ij,mnj->mni", YIQ, np.stack([x, y, x], 2)), on="m", only=["random", "one", "nan"])
    row("ntsc2rgb", "ntsc2rgb(rgb2ntsc(cat(2,x,y,x)))", lambda x, y: np.stack([x, y, x], 2), on="m", only=["random"], near=1e-6)
    row("ind2rgb", "ind2rgb([[0,1],[2,0]],[[0,0,0],[1,0,0],[0,1,0.5]])", lambda x: np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.5]])[[[0, 1], [2, 0]]], only=PLAIN)
    row("gray2ind", "gray2ind([[0,100],[200,255]],16)", lambda x: np.round(np.array([[0, 100], [200, 255]]) / 255 * 15), only=PLAIN)
    row("bwconvhull", "m = zeros(6,6); m[0,0] = 1; m[5,0] = 1; m[0,5] = 1; r = bwconvhull(m)", lambda x: np.tri(6)[::-1], only=PLAIN)
    row("bwskel", "sum(sum(bwskel(ones(3,9))))", lambda x: 7, only=PLAIN)
    row("bwareafilt", "bwareafilt(x > 0,1)", largest, on="m", only=PLAIN)
    row("wcodemat", "wcodemat(x,16)", lambda x: np.minimum(np.floor((abs(x) - abs(x).min()) / np.ptp(abs(x)) * 16) + 1, 16), on="m", only=PLAIN)
    for name, want in dict(cool=[0, 1, 1], spring=[1, 0, 1], summer=[0, 0.5, 0.4], autumn=[1, 0, 0], winter=[0, 0, 1], copper=[0, 0, 0], hsv=[1, 0, 0], bone=[0, 0, 0.042], pink=[1 / 3, 0, 0]).items():
        row(name, f"m = {name}(9); r = m[0,:]", lambda x, w=want: w, only=PLAIN, near=1e-2)
    row("soundsc", 'soundsc(x,8000); r = max(abs(audioread("sound.wav")))', lambda x: 1, only=PLAIN, near=1e-3)
    row("dictionary", 'd = dictionary({"b","a"},{2,3}); d["c"] = x; remove(d,"a"); r = horzcat(d["c"],d.Count,isKey(d,"a"),numel(keys(d)),values(d)[0])',
        lambda x: np.concatenate([np.ravel(x), [2, 0, 2, 2]]))
    row("rmfield", 'o = object(a := 1, b := x); rmfield(o,"a"); r = o.b', lambda x: x)
    row("removed", "removed(x,0)", lambda x: np.delete(x, 0), only=["random", "one", "nan", "complex"])
    row("emptied", "z = copy(x); z[:,1] = []; r = emptied(z,0,\":\")", lambda x: np.delete(np.delete(x, 1, 1), 0, 0), on="m", only=["random", "nan", "complex"])
    row("holding", 'c = holding({},1); c[1].a = x; r = c[1].a', lambda x: x)


YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])


def mahalanobis(x):
    """Squares of distances from seven fixed points."""
    points = np.array([[1, 2, 0, 1, 1], [3, 1, 1, 0, 2], [0, 2, 4, 1, 0], [1, 1, 1, 5, 2], [2, 0, 1, 1, 1], [1, 3, 2, 0, 0], [2, 2, 0, 1, 3]], float)
    d = x - points.mean(0)
    return np.einsum("ij,jk,ik->i", d, np.linalg.inv(np.cov(points.T)), d)


def largest(x):
    """The largest region of positive elements."""
    labels, n = scipy.ndimage.label(x > 0, np.ones((3, 3)))
    sizes = [np.sum(labels == k) for k in range(1, n + 1)]
    return labels == 1 + int(np.argmax(sizes))


TABLES = (rows, pieces)
