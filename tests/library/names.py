"""Rows of compare.py for pictures, systems, tests of values and other names; and the names that no row can have."""

import numpy as np
import scipy.fft
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.spatial
import scipy.stats

FULL = ["random", "one"]
REAL = ["random", "empty", "one", "nan"]
NO_EMPTY = ["random", "one", "nan"]
PLAIN = ["random"]
S8 = np.ones((3, 3))

# Names whose values are no numbers to compare, by where other tests look at them.
LEFT = {
    "tests/q: statements, constants, types, parameters of kernels and launches": """
        if for while repeat match break continue name return try type import syncthreads memfence true false nullptr scalar vec mat
        cube cell pos blkpos blkidx blkdim blkcnt warpsize parallel_do serial_do shared shared_zeros max_block_size opt_block_size
        print printf error warning exit input""",
    "crates/figure and tests/q: drawings": """
        imshow imagesc plot semilogx semilogy loglog scatter bar stem barh fill patch surf mesh text title caxis clim xlabel ylabel zlabel
        legend hold grid figure close subplot xlim ylim axis colormap view colorbar saveas area axes box camlight connect contour
        contourf drawnow echo errorbar gca gcf hdr_imshow image line lighting meshc pcolor pie plot3 polar quiver rasterize set
        xticks yticks xticklabels yticklabels imshowpair montage imtool subimage fplot ezplot scatter3 bar3 polarplot compass plotyy
        boxplot cdfplot contour3 gscatter heatmap histogram2 nexttile ribbon spy tiledlayout waterfall yyaxis viscircles subtitle clf cla daspect xline yline rectangle exportgraphics sgtitle shading stairs suptitle surfc surfl pause sync_framerate pzmap zplane
        scatterplot""",
    "crates/quadra-cli/tests/forms.rs: forms": "form form_display form_control form_event",
    "tests/q: operators and output under other names": "mldivide disp display",
    "tests/q: clocks": "tic toc time date clock now",
    "tests/q: videos": "vidopen vidreadframe vidclose vidseek",
    "tests/q: no value to compare, or one that is not defined": "uninit stored rng fopen fclose feof fgetl fprintf exists exist dir mfilename",
}


def overlaps(x, y):
    """Twice what two sets share over what both have, and what they share over all of it."""
    a, b = x > 0.5, y > 0.5
    return [2 * (a & b).sum() / (a.sum() + b.sum()), (a & b).sum() / (a | b).sum()]


def encoded(bits):
    """The convolutional code of generators 7 and 5 (octal), constraint length 3."""
    both = [np.convolve(bits, g)[: len(bits)] % 2 for g in ([1, 1, 1], [1, 0, 1])]
    return np.stack(both, 1).ravel()


def trellis(_):
    """Of each state (the last bit in front) and input: four times the next state plus the output of the same code."""
    states = [(s >> 1 & 1, s & 1) for s in range(4)]
    return [[4 * (b << 1 | p) + ((b ^ p ^ q) << 1 | (b ^ q)) for b in (0, 1)] for p, q in states]


def values(row):
    """Tests, conversions and parts of values."""
    row("float", "float(x)", lambda x: x, other={"complex": "error"})
    row("type", 'int(type(x)=="vec")', lambda x: 1, only=PLAIN)
    row("deal", "[a,b]=deal(x,y); r = b", lambda x, y: y)
    row("cast", 'cast(9*x,"int")', lambda x: np.trunc(9 * x), only=["random", "empty", "one"])
    row("assert", "assert(1 > 0); r = x", lambda x: x)
    row("maxvalue", "[maxvalue(int16),maxvalue(uint8),minvalue(int8)]", lambda x: [32767, 255, -128], only=PLAIN)
    row("isreal", "[isreal(x),iscomplex(x)]", lambda x: [not np.iscomplexobj(x), np.iscomplexobj(x)])
    row("isscalar", "[isscalar(x),isscalar(1)]", lambda x: [0, 1], only=PLAIN)
    row("isvector", "[isvector(x),ismatrix(x),iscube(x)]", lambda x: [1, 1, 1], only=["random", "nan", "complex"])
    row("isvector_matrix", "[isvector(x),ismatrix(x),isrow(x),iscolumn(x),issquare(x)]", lambda x: [0, 1, 0, 0, 1], on="m", only=PLAIN)
    row("isrow", "[isrow(x),iscolumn(transpose(x)),isnumeric(x),ischar(x),iscell(x),islogical(x),isstring(x),isstruct(x),issparse(x)]",
        lambda x: [1, 1, 1, 0, 0, 0, 0, 0, 0], only=["random", "complex"])
    row("isempty", "isempty(x)", lambda x: x.size == 0)
    row("eval", 'eval("x+1")', lambda x: x + 1)
    row("str2func", 'f=str2func("t -> t*2"); r = f(x)', lambda x: 2 * x)
    row("feval", "feval(max,x,y)", np.maximum, only=FULL)
    row("cellfun", "cell2mat(cellfun(t -> 2*t, num2cell(x)))", lambda x: 2 * x, only=["random", "nan"])
    row("fields", 'o=setfield(object(a:=1),"b",x); r = getfield(o,fieldnames(o)[1])', lambda x: x)
    row("isfield", 'horzcat(isfield(object(a:=1),"a"),isfield(object(a:=1),"b"))', lambda x: [1, 0], only=PLAIN)
    row("struct", 'struct("a",x).a', lambda x: x)
    row("isequal", "[isequal(x,x),isequal(x,x+1)]", lambda x: [not np.isnan(x).any(), x.size == 0])
    row("intmax", '[intmax("int16"),intmax("uint8"),intmin("int8"),intmax()]', lambda x: [32767, 255, -128, 2147483647], only=PLAIN)
    row("bounds", "[a,b]=bounds(x); r = [a,b]", lambda x: [x.min(), x.max()], only=FULL)
    row("ctranspose", "ctranspose(x)", lambda x: np.conj(x).T, on="m")
    row("length", "[length(x),numel(x),ndims(x),rows(x),columns(x)]", lambda x: [5, 25, 2, 5, 5], on="m", only=PLAIN)
    row("numel", "numel(x)", np.size)
    row("copy", "c=copy(x); r = c", lambda x: x)
    row("double", "double(x)", lambda x: x)
    row("single", "single(x)", lambda x: x.astype(np.float32), only=REAL, near=1e-6)
    row("logical", "logical(x)", lambda x: x != 0, only=["random", "empty", "one"])
    row("saturate", "saturate(x)", lambda x: np.clip(x, 0, 1), only=["random", "empty", "one"])
    row("complex", "complex(x,y)", lambda x, y: x + 1j * y, only=REAL)
    row("not", "not(x > 0)", lambda x: ~(x > 0).astype(int), only=REAL)
    row("and", "[and(6,3),or(6,3),xor(6,3),shl(3,2),shr(12,2),not(0)]", lambda x: [2, 7, 5, 12, 3, -1], only=PLAIN)
    row("idivide", "idivide(floor(99*x),7)", lambda x: np.trunc(np.floor(99 * x) / 7), only=["random", "one"])
    row("pow", "pow(abs(x),y)", lambda x, y: np.abs(x) ** y, only=REAL)
    row("periodize", "[periodize(-1,5),periodize(7,5),mirror_ext(-1,5),mirror_ext(5,5),mirror_ext(-3,5)]", lambda x: [4, 2, 1, 3, 3], only=PLAIN)
    row("zeros", "zeros(size(x))", np.zeros_like)
    row("czeros", "czeros(3)+1j", lambda x: np.zeros(3) + 1j, only=PLAIN)
    row("ind2pos", "ind2pos([3,4],7)", lambda x: np.unravel_index(7, (3, 4)), only=PLAIN)
    row("pos2ind", "pos2ind([3,4],[1,3])", lambda x: np.ravel_multi_index((1, 3), (3, 4)), only=PLAIN)
    row("ind2sub", "[i,j]=ind2sub([3,4],[0,5,11]); r = horzcat(i,j)", lambda x: np.concatenate(np.unravel_index([0, 5, 11], (3, 4))), only=PLAIN)
    row("inprod", "inprod(x,y)", lambda x, y: np.sum(x * y), only=REAL)
    row("factor", "factor(360)", lambda x: [2, 2, 2, 3, 3, 5], only=PLAIN)
    row("rand", "seed(3); v = rand(1,100000); r = [mean(v),std(v),min(v) >= 0,max(v) < 1]", lambda x: [0.5, 12**-0.5, 1, 1], only=PLAIN, near=0.01)
    row("randsample", "seed(3); r = sort(randsample(9,9))", lambda x: np.arange(9), only=PLAIN, other={})
    row("constants", "[pi,eps,inf,nan]", lambda x: [np.pi, np.finfo(float).eps, np.inf, np.nan], only=PLAIN)
    row("integers", "[int8'sat(300),uint8'sat(-3),uint16'sat(70000),int16'sat(-70000)]", lambda x: [127, 0, 65535, -32768], only=PLAIN)
    row("integers_of", "[int8(5),int16(5),int32(5),int64(5),uint8(5),uint16(5),uint32(5),uint64(5)]", lambda x: [5] * 8, only=PLAIN)
    row("bits", "[bitget(6,2),bitset(4,1),bitshift(3,2),bitshift(12,-2),bitcmp(5)]", lambda x: [1, 5, 12, 3, 250], only=PLAIN)
    row("db", "[db2mag(6),mag2db(2),db2pow(3)]", lambda x: [10**0.3, 20 * np.log10(2), 10**0.3], only=PLAIN)
    row("pol2cart", "[a,b]=pol2cart(x,y); r = horzcat(a,b)", lambda x, y: np.concatenate([y * np.cos(x), y * np.sin(x)]), only=REAL)
    row("magic", "magic(6)*ones(6,1)", lambda x: np.full(6, 111), only=PLAIN)
    row("magic_odd", "magic(5)", lambda x: [[17, 24, 1, 8, 15], [23, 5, 7, 14, 16], [4, 6, 13, 20, 22], [10, 12, 19, 21, 3], [11, 18, 25, 2, 9]], only=PLAIN)
    row("issorted", "[issorted(sort(x)),issorted([2,1])]", lambda x: [1, 0], only=["random", "empty", "one"])
    row("ndgrid", "ndgrid(x,y)", lambda x, y: np.meshgrid(x, y, indexing="ij")[0], only=["random", "one", "complex"])
    row("flip", "flip(x)", lambda x: np.flip(x, 0), on="m")
    row("flip_vector", "flip(x)", np.flip)
    row("speye", "full(speye(4))", lambda x: np.eye(4), only=PLAIN)
    row("quad", "quad(t -> exp(-t.^2),0,1)", lambda x: 0.7468241328124271, only=PLAIN, near=1e-6)
    row("fminbnd", "fminbnd(t -> cos(t),2,5)", lambda x: np.pi, only=PLAIN, near=1e-4)
    row("lup", "[l,u,p]=lu(x); r = p*x-l*u", lambda x: np.zeros_like(x), on="m", only=FULL)


def sounds(row):
    row("wavwrite", 'wavwrite(tanh(x)./2,8000,"t.wav"); [v,f]=audioread("t.wav"); r = v', lambda x: np.tanh(x) / 2, only=PLAIN, near=1e-4)


def texts(row):
    codes = lambda text: np.frombuffer(text.encode(), np.uint8).astype(float)
    row("str2double", 'horzcat(str2double("2.5e3"),str2double("x"),strlen("abcd"),hex2dec("fF"))', lambda x: [2500, np.nan, 4, 255], only=PLAIN)
    row("tounicode", 'horzcat(fromascii("Az"),fromunicode("é"))', lambda x: [65, 122, 233], only=PLAIN)
    pairs = {
        "upper": ('upper("aBc1")', "ABC1"),
        "lower": ('lower("aBC1")', "abc1"),
        "strreplace": ('strreplace("a-b-c","-","+")', "a+b+c"),
        "str": ("str(12)", "12"),
        "toascii": ("toascii([72,105])", "Hi"),
        "tounicode_back": ("tounicode([72,105])", "Hi"),
        "mat2str": ("mat2str([[1,2],[3,4.5]])", "[[1,2],[3,4.5]]"),
        "regexp": ('regexp("ab12","[0-9]+","match")[0]', "12"),
        "dec2hex": ("dec2hex(48879)", "BEEF"),
        "blanks": ('strcat("a",blanks(2),"b")', "a  b"),
        "fullfile": ('fullfile("a","b","c.q")', "a/b/c.q"),
        "textscan": ('sprintf("%d",textscan(sprintf("1,2\\n3,4"),"%f,%f")[1][1])', "4"),
    }
    for name, (quasar, want) in pairs.items():
        row(name, f"fromascii({quasar})", lambda x, w=want: codes(w), only=PLAIN)


def systems(row):
    s = scipy.signal
    both = lambda *parts: np.concatenate([np.ravel(p) for p in parts])
    row("step", "[y,t]=step(tf([1,3],[1,2,5]),0..0.5..4); r = y", lambda x: s.step(([1, 3], [1, 2, 5]), T=np.arange(0, 4.5, 0.5))[1], only=PLAIN, near=1e-6)
    row("impulse", "[y,t]=impulse(tf([1,3],[1,2,5]),0..0.5..4); r = y", lambda x: s.impulse(([1, 3], [1, 2, 5]), T=np.arange(0, 4.5, 0.5))[1], only=PLAIN, near=1e-6)
    row("lsim", "lsim(tf([2,1],[1,1]),x,0..8)", lambda x: s.lsim(([2, 1], [1, 1]), x, np.arange(9.0))[1], only=["random", "nan"], near=1e-6)
    row("lsim_discrete", "lsim(tf([1],[1,-0.5],1),x,0..8)", lambda x: s.lfilter([0, 1], [1, -0.5], x), only=PLAIN)
    row("tf2ss", "[a,b,c,d]=tf2ss([1,3],[2,3,4]); r = horzcat(reshape(a,[1,4]),transpose(b),c,[d])", lambda x: both(*s.tf2ss([1, 3], [2, 3, 4])), only=PLAIN)
    row("freqs", "freqs([1,2],[1,0.5,3],[0.5,1,2])", lambda x: s.freqs([1, 2], [1, 0.5, 3], [0.5, 1, 2])[1], only=PLAIN)
    row("bode", "[m,p,w]=bode(tf([1,2],[1,0.5,3]),[0.5,1,2]); r = horzcat(20*log10(m),p)", lambda x: both(*s.bode(([1, 2], [1, 0.5, 3]), [0.5, 1, 2])[1:]), only=PLAIN, near=1e-6)
    row("residue", "[a,p,k]=residue([1,2,3],[1,4,3]); r = horzcat(flip(a),flip(p),k)", lambda x: both(*s.residue([1, 2, 3], [1, 4, 3])), only=PLAIN, near=1e-6)
    row("sos2tf", "[b,a]=sos2tf([[1,2,1,1,0.5,0.2],[1,0,1,1,0.1,0.3]]); r = horzcat(b,a)", lambda x: both(*s.sos2tf([[1, 2, 1, 1, 0.5, 0.2], [1, 0, 1, 1, 0.1, 0.3]])), only=PLAIN)
    row("c2d", "d=c2d(tf([1,3],[1,2,5]),0.5); r = horzcat(d.num,d.den)", lambda x: both(s.cont2discrete(([1, 3], [1, 2, 5]), 0.5)[0].ravel()[1:], s.cont2discrete(([1, 3], [1, 2, 5]), 0.5)[1]), only=PLAIN, near=1e-6)
    row("tf2zp", "[z,p,k]=tf2zp([2,3],[1,4,3]); r = horzcat(z,sort(p),[k])", lambda x: [-1.5, -3, -1, 2], only=PLAIN, near=1e-6)
    row("zp2tf", "[b,a]=zp2tf([-1.5],[-3,-1],2); r = horzcat(b,a)", lambda x: both(*s.zpk2tf([-1.5], [-3, -1], 2)), only=PLAIN)
    row("pole", "s=tf([1,3],[1,3,2]); r = horzcat(sort(pole(s)),zero(s),[dcgain(s)],[evalfr(s,1)])", lambda x: [-2, -1, -3, 1.5, 4 / 6], only=PLAIN, near=1e-6)
    row("series", "s=series(tf([1,3],[1,2]),tf([2],[1,1])); r = horzcat(s.num,s.den)", lambda x: [2, 6, 1, 3, 2], only=PLAIN)
    row("parallel", "s=parallel(tf([1,3],[1,2]),tf([2],[1,1])); r = horzcat(s.num,s.den)", lambda x: [1, 6, 7, 1, 3, 2], only=PLAIN)
    row("feedback", "s=feedback(tf([1,3],[1,2]),tf([2],[1,1])); r = horzcat(s.num,s.den)", lambda x: [1, 4, 3, 1, 5, 8], only=PLAIN)
    row("isstable", "[isstable([1],[1,-0.5]),isstable([1],[1,-1.5])]", lambda x: [1, 0], only=PLAIN)
    row("aryule", "aryule(x,2)", lambda x: yule(x, 2), only=PLAIN, near=1e-6)
    row("lpc", "lpc(x,2)", lambda x: yule(x, 2), only=PLAIN, near=1e-6)
    row("arburg", "arburg(x,2)", lambda x: burg(x, 2), only=PLAIN, near=1e-6)
    row("bitrevorder", "bitrevorder(0..7)", lambda x: [0, 4, 2, 6, 1, 5, 3, 7], only=PLAIN)
    row("decimate", "decimate(sin((0..99)./9),2)[20..29]", lambda x: np.sin(np.arange(40, 60, 2) / 9), only=PLAIN, near=5e-3)
    row("interp", "interp(sin((0..49)./5),2)[40..59]", lambda x: np.sin(np.arange(40, 60) / 10), only=PLAIN, near=5e-3)
    row("spectrogram", "spectrogram(x,4,2)", lambda x: np.stack([np.fft.rfft(x[k : k + 4] * np.hamming(4)) for k in (0, 2, 4)], 1), only=PLAIN, near=1e-6)
    row("spectrogram_of", "[s,f,t]=spectrogram(x,[1,2,1.0],1,8,100); r = abs(s)", lambda x: abs(np.stack([np.fft.rfft(x[k : k + 3] * [1, 2, 1], 8) for k in range(0, 7, 2)], 1)), only=PLAIN, near=1e-6)
    row("pwelch", "pwelch(x,4,2,[],2)", lambda x: s.welch(x, 2, window=np.hamming(4), noverlap=2, detrend=False)[1], only=PLAIN, near=1e-6)
    row("awgn", "seed(1); v = awgn(zeros(1,100000),3,0); r = std(v)", lambda x: 10 ** (-3 / 20), only=PLAIN, near=0.02)
    row("idwt", '[a,d]=dwt(x[0..7],"db2"); r = idwt(a,d,"db2")', lambda x: x[:8], only=PLAIN, near=1e-6)
    row("ifft3", "ifft3(fft3(reshape(x,[3,1,3])))", lambda x: x, only=["random", "complex"])
    row("kmeans", "seed(1); g = kmeans(transpose([0,0.1,9,9.1,0.2]),2); r = [g[0]==g[1],g[2]==g[3],g[0]==g[4],g[0]==g[2]]", lambda x: [1, 1, 1, 0], only=PLAIN)


def yule(x, n):
    r = np.correlate(x, x, "full")[len(x) - 1 :] / len(x)
    return np.r_[1, -scipy.linalg.solve_toeplitz(r[:n], r[1 : n + 1])]


def burg(x, n):
    f, b, a = x[1:].copy(), x[:-1].copy(), np.array([1.0])
    for _ in range(n):
        k = -2 * f @ b / (f @ f + b @ b)
        a = np.r_[a, 0] + k * np.r_[a, 0][::-1]
        f, b = (f + k * b)[1:], (b + k * f)[:-1]
    return a


def pictures(row):
    n = scipy.ndimage
    m = dict(on="m", only=PLAIN)
    gray = lambda x: np.floor(np.clip(100 + 60 * x, 0, 255))
    g = "floor(clamp(100+60*x,255))"
    for name in "uint8_to_float float_to_uint8 uint16_to_float".split():
        row(name, f"{name}(51.2*ones(2,2))", lambda x, n=name: np.full((2, 2), 51 if n.startswith("float") else 51.2), **m)
    row("im2double", "im2double(uint8(51*ones(2,2)))", lambda x: np.full((2, 2), 0.2), **m)
    row("im2single", "im2single(uint8(51*ones(2,2)))", lambda x: np.full((2, 2), 0.2), on="m", only=PLAIN, near=1e-6)
    row("imabsdiff", "imabsdiff(x,y)", lambda x, y: abs(x - y), on="m", only=NO_EMPTY)
    row("imlincomb", "imlincomb(2,x,-1,y)", lambda x, y: 2 * x - y, **m)
    row("imbothat", "imbothat(x,ones(3,3))", lambda x: n.black_tophat(x, (3, 3)), **m)
    row("imbinarize", "imbinarize(x,0.2)", lambda x: x > 51, on="m", only=NO_EMPTY)
    row("im2bw", "im2bw(255*abs(tanh(x)),0.4)", lambda x: abs(np.tanh(x)) > 0.4, **m)
    row("imcrop", "imcrop(x,[1,0,2,3])", lambda x: x[0:3, 1:3], **m)
    row("imgaussfilt", "imgaussfilt(x,0.6)", lambda x: n.gaussian_filter(x, 0.6, radius=2, mode="nearest"), on="m", only=PLAIN, near=1e-5)
    row("imgradient", "imgradient(x)", lambda x: np.hypot(n.sobel(x, 0, mode="nearest"), n.sobel(x, 1, mode="nearest")), on="m", only=PLAIN, near=1e-6)
    row("bwperim", "bwperim(x > -0.5)", lambda x: (x > -0.5) & ~n.binary_erosion(x > -0.5, n.generate_binary_structure(2, 1)), **m)
    row("bwareaopen", "bwareaopen(x > 0,3)", lambda x: large(x > 0, 3), **m)
    row("bweuler", "bweuler(x > 0)", lambda x: n.label(x > 0, S8)[1] - (n.label(np.pad(x <= 0, 1, constant_values=1))[1] - 1), **m)
    row("bweuler_edges", "bweuler(x > 0,4)", lambda x: n.label(x > 0)[1] - (n.label(np.pad(x <= 0, 1, constant_values=1), S8)[1] - 1), **m)
    row("bwhitmiss", "bwhitmiss(x > 0,[[0,0,0],[0,1,1],[0,0,0]],[[0,0,0],[1,0,0],[0,0,0]])[1..3,1..3]", lambda x: n.binary_hit_or_miss(x > 0, [[0, 0, 0], [0, 1, 1], [0, 0, 0]], [[0, 0, 0], [1, 0, 0], [0, 0, 0]])[1:4, 1:4], **m)
    row("bwselect", "bwselect(x > -9,0,0)", lambda x: np.ones_like(x), **m)
    row("imclearborder_edge", "imclearborder([[0,0,0,0,0],[0,1,0,0,0],[0,0,0,0,0],[0,0,0,0,1]])", lambda x: np.eye(1, 20, 6).reshape(4, 5), **m)
    row("imregionalmax", "imregionalmax(x)", lambda x: x == n.maximum_filter(x, 3), **m)
    row("imregionalmin", "imregionalmin(x)", lambda x: x == n.minimum_filter(x, 3), **m)
    row("imextendedmax", "imextendedmax(x,1e-9)", lambda x: x == n.maximum_filter(x, 3), **m)
    row("imextendedmin", "imextendedmin(x,1e-9)", lambda x: x == n.minimum_filter(x, 3), **m)
    row("imreconstruct", "imreconstruct(x-0.5,x)", lambda x: rebuilt(x - 0.5, x), **m)
    row("imhmax", "imhmax(x,0.5)", lambda x: rebuilt(x - 0.5, x), **m)
    row("imhmin", "imhmin(x,0.5)", lambda x: -rebuilt(-x - 0.5, -x), **m)
    row("imquantize", "imquantize(x,[-0.5,0.5])", lambda x: np.digitize(x, [-0.5, 0.5], right=True), on="m", only=FULL)
    row("im2col", "im2col(x,[2,2])", lambda x: np.stack([x[i : i + 2, j : j + 2].ravel() for i in range(4) for j in range(4)], 1), **m)
    row("col2im", 'col2im(im2col(x,[1,5],"distinct"),[1,5],[5,5],"distinct")', lambda x: x, **m)
    row("blockproc", "blockproc(x,[2,2],b -> 2*b)", lambda x: 2 * x, on="m", only=NO_EMPTY)
    row("blkproc", "blkproc(x,[2,3],b -> b+1)", lambda x: x + 1, on="m", only=NO_EMPTY)
    row("nlfilter", "nlfilter(x,[3,3],b -> max(b))", lambda x: n.maximum_filter(x, 3, mode="constant"), **m)
    row("stdfilt", "stdfilt(x)", lambda x: n.generic_filter(x, lambda v: np.std(v, ddof=1), 3, mode="reflect"), on="m", only=PLAIN, near=1e-6)
    row("wiener2", "wiener2(x,[3,3],0.2)", lambda x: scipy.signal.wiener(x, 3, 0.2), on="m", only=PLAIN, near=1e-6)
    row("entropy", f"entropy({g})", lambda x: scipy.stats.entropy(np.unique(gray(x), return_counts=True)[1], base=2), **m)
    row("entropyfilt", f"entropyfilt({g},3)", lambda x: n.generic_filter(gray(x), lambda v: scipy.stats.entropy(np.unique(v, return_counts=True)[1], base=2), 3, mode="reflect"), on="m", only=PLAIN, near=1e-6)
    row("normxcorr2", "normxcorr2(x[1..3,1..3],x)[3,3]", lambda x: 1, on="m", only=PLAIN, near=1e-6)
    row("graycomatrix", "graycomatrix([[0,255,255],[0,0,255]])[0,7]", lambda x: 2, **m)
    row("graycoprops", "[a,b,c,d]=graycoprops([[1,2],[3,4]]); r = [a,c,d]", lambda x: [0.5, 0.3, 0.75], **m)
    row("graythresh", "graythresh([[10,20,10],[200,210,220]]) > 20/255", lambda x: 1, **m)
    row("multithresh", "imquantize([[10,10,100],[100,200,200]],multithresh([[10,10,100],[100,200,200]],2))", lambda x: [0, 0, 1, 1, 2, 2], **m)
    row("histeq", "histeq([1,1,2,3])", lambda x: [127.5, 127.5, 191.25, 255], **m)
    row("imadjust", "imadjust(255*abs(tanh(x)),[51,204],[0,255])", lambda x: 255 * np.clip((abs(np.tanh(x)) - 0.2) / 0.6, 0, 1), **m)
    row("stretchlim", "numel(stretchlim(x))", lambda x: 2, **m)
    row("intlut", "intlut(floor(abs(9*tanh(x))),0..2..510)", lambda x: 2 * np.floor(abs(9 * np.tanh(x))), **m)
    row("gray2rgb", "gray2rgb(x)[:,:,2]", lambda x: x, **m)
    row("label2rgb", "size(label2rgb(bwlabel(x > 0)))", lambda x: [5, 5, 3], **m)
    row("ssim", "ssim(x,x)", lambda x: 1, **m)
    row("psf2otf", "psf2otf(ones(3,3)./9,[5,5])", lambda x: np.fft.fft2(np.roll(np.pad(S8 / 9, (0, 2)), (-1, -1), (0, 1))), on="m", only=PLAIN, near=1e-6)
    row("deconvwnr", "deconvwnr(real(ifft2(fft2(x).*psf2otf([[0.1,0.7,0.2]],[5,5]))),[[0.1,0.7,0.2]])", lambda x: x, on="m", only=PLAIN, near=1e-5)
    row("deconvlucy", "deconvlucy(abs(x)+1,[[1.0]])", lambda x: abs(x) + 1, on="m", only=PLAIN, near=1e-6)
    row("radon_sum", "sum(radon(x,[0,30,90]),0)", lambda x: [x.sum()] * 3, on="m", only=["random", "one"])
    row("radon_columns", "radon(eye(5),[0])[1..7]", lambda x: np.convolve([0, 1, 1, 1, 1, 1, 0], [0.125, 0.75, 0.125], "same"), **m)
    row("iradon", "p=zeros(32,32); p[10..20,8..22]=1; q=iradon(radon(p),0..179,32); r = [mean(q[12..18,10..20]),abs(mean(q[0..6,0..4])) < 0.05]", lambda x: [1, 1], on="m", only=PLAIN, near=0.05)
    row("cornermetric", "argmax=find(cornermetric(checkerboard(4,1,1)) > 1e9); r = numel(argmax)", lambda x: 0, **m)
    row("corner", "p=zeros(20,20); p[5..14,5..14]=255; r = sortrows(corner(p,4))", lambda x: [[5, 5], [5, 14], [14, 5], [14, 14]], **m)
    row("imadd", "imadd(100*abs(tanh(x)),30)", lambda x: 100 * abs(np.tanh(x)) + 30, **m)
    row("imsubtract", "imsubtract(100+9*tanh(x),30)", lambda x: 70 + 9 * np.tanh(x), **m)
    row("immultiply", "immultiply(100*abs(tanh(x)),2)", lambda x: 200 * abs(np.tanh(x)), **m)
    row("imdivide", "imdivide(100*abs(tanh(x)),2)", lambda x: 50 * abs(np.tanh(x)), **m)
    row("im2uint8", "im2uint8(abs(tanh(x)))", lambda x: np.floor(255 * abs(np.tanh(x)) + 0.5), **m)
    row("im2uint16", "im2uint16(255*abs(tanh(x)))", lambda x: np.floor(65535 * abs(np.tanh(x)) + 0.5), **m)
    row("adapthisteq", "size(adapthisteq(255*abs(tanh(x)),[1,1]))", lambda x: [5, 5], **m)
    row("applycform", 'applycform(51*ones(2,2,3),makecform("srgb2lab"))', lambda x: np.tile([21.2467325, 0, 0], 4), on="m", only=PLAIN, near=1e-4)
    row("houghpeaks", "[h,t,d]=hough(eye(20)); p=houghpeaks(h,1); r = int(abs(abs(t[p[0,1]])-45) <= 1)", lambda x: 1, **m)
    row("houghlines", "[h,t,d]=hough(eye(60)); r = numel(houghlines(eye(60),t,d,houghpeaks(h,1)))", lambda x: 1, **m)
    row("imimposemin", "imimposemin([[3,2,3],[1,5,0]],[[0,1,0],[0,0,0]])[0,1] < 0", lambda x: 1, **m)
    row("checkerboard", "checkerboard(2,1,1)", lambda x: np.kron([[0, 0.7], [1, 0]], np.ones((2, 2))), **m)
    row("poly2mask", "poly2mask([0.5,0.5,3.5,3.5],[0.5,3.5,3.5,0.5],6,6)", lambda x: np.pad(S8, ((1, 2), (1, 2))), **m)
    row("roipoly", "roipoly(ones(6,6),[0.5,0.5,3.5,3.5],[0.5,3.5,3.5,0.5])", lambda x: np.pad(S8, ((1, 2), (1, 2))), **m)
    row("bwmorph", 'bwmorph(x > 0,"dilate")', lambda x: n.binary_dilation(x > 0, S8), **m)
    row("bwmorph_erode", 'bwmorph(x > -1,"erode")', lambda x: n.binary_erosion(x > -1, S8, border_value=1), **m)
    row("bwboundaries", "numel(bwboundaries(x > 0))", lambda x: n.label(x > 0, S8)[1], **m)
    row("watershed", "max(watershed([[0,1,5,1,0],[0,1,5,1,0],[0,1,5,1,0]]))", lambda x: 2, **m)
    row("gaussian_filter", 'gaussian_filter(x,0.5,5,"mirror")', lambda x: n.gaussian_filter(x, 0.5, radius=2, mode="mirror"), on="m", only=PLAIN, near=1e-5)
    row("imresize", 'imresize(x,[10,10],"nearest")', lambda x: np.kron(x, np.ones((2, 2))), on="m", only=PLAIN)
    row("fspecial", 'fspecial("gaussian",5,1)', lambda x: gaussian(5, 1), on="m", only=PLAIN, near=1e-6)
    row("fspecial_average", 'fspecial("average",3)', lambda x: S8 / 9, **m)
    row("strel", 'sum(getnhood(strel("square",3)))', lambda x: 9, **m)
    row("gray", "gray(3)", lambda x: [[0, 0, 0], [0.5, 0.5, 0.5], [1, 1, 1]], **m)
    row("jet", "jet(8)[0,:]", lambda x: [0, 0, 1], **m)
    row("hot", "hot(8)[7,:]", lambda x: [1, 1, 1], **m)
    row("peaks", "peaks(3)[1,1]", lambda x: 3 * np.exp(-1) - np.exp(-1) / 3, **m)
    row("sphere", "[a,b,c]=sphere(8); r = max(abs(a.^2+b.^2+c.^2-1)) < 1e-9", lambda x: 1, **m)
    row("phantom", "size(phantom(16))", lambda x: [16, 16], **m)
    row("imread", 'imwrite("t.png",floor(clamp(100+60*x,255))); r = imread("t.png")', lambda x: gray(x), **m)
    row("imwrite_exr", 'imwrite("t.exr",reshape(abs(x[0..3,0..2]),[2,2,3])); r = imread("t.exr")', lambda x: abs(x[:4, :3]), on="m", only=PLAIN, near=1e-6)
    row("exrread", 'imwrite("t.exr",reshape(abs(x[0..3,0..2]),[2,2,3])); r = rgb2gray(exrread("t.exr").data)', lambda x: abs(x[:4, :3]).reshape(4, 3) @ [0.299, 0.587, 0.114], on="m", only=PLAIN, near=1e-5)
    row("imnoise", 'seed(2); r = abs(std(imnoise(128*ones(200,200),"gaussian",0,0.01)-128)/255-0.1) < 0.01', lambda x: 1, **m)


def large(x, least):
    labels, count = scipy.ndimage.label(x, S8)
    return np.isin(labels, [k for k in range(1, count + 1) if np.sum(labels == k) >= least])


def rebuilt(marker, mask):
    while True:
        more = np.minimum(scipy.ndimage.maximum_filter(marker, 3, mode="nearest"), mask)
        if np.array_equal(more, marker):
            return more
        marker = more


def gaussian(n, sigma):
    v = np.exp(-((np.arange(n) - n // 2) ** 2) / (2 * sigma**2))
    h = np.outer(v, v)
    return h / h.sum()


def more(row):
    """Norms, spreads and groups in the forms that MATLAB has beside the language's own."""
    for p, q in (("1", 1), ("2", 2), ("inf", np.inf), ("-inf", -np.inf), ("3", 3)):
        row(f"norm_{p}", f"norm(x,{p})", lambda x, q=q: np.linalg.norm(x, q), only=["random", "one", "nan", "complex"])
    for p, q in (("1", 1), ("2", 2), ("inf", np.inf), ('"fro"', "fro")):
        row(f"norm_of_matrix_{p}", f"norm(x,{p})", lambda x, q=q: np.linalg.norm(x, q), on="m", only=["random", "complex"])
    row("norm_empty", "norm(x,1)", lambda x: 0, only=["empty"])
    row("var_of", "var(x,0,1)", lambda x: np.var(x, 1, ddof=1), on="m", only=["random", "nan"])
    row("std_of", "std(x,[],0)", lambda x: np.std(x, 0, ddof=1), on="m", only=["random", "nan"])
    row("std_whole", "std(x,1,0)", lambda x: np.std(x, 0), on="m", only=["random", "one", "nan"])
    row("unique_rows", 'unique(floor(x[:,0..1]),"rows")', lambda x: np.unique(np.floor(x[:, :2]), axis=0), on="m", only=PLAIN)
    row("unique_stable", 'unique(floor(2*x),"stable")', lambda x: np.array(list(dict.fromkeys(np.floor(2 * x)))), only=["random", "empty", "one"])
    row("accumarray_max", "accumarray([0,1,0,2,1,0,2,2,3],x,[1,5],max)", lambda x: [max(x[[0, 2, 5]]), max(x[[1, 4]]), max(x[[3, 6, 7]]), x[8], 0], only=PLAIN)
    row("hist_centres", "hist(x,[-1,0,1.5])", lambda x: np.histogram(x, [-np.inf, -0.5, 0.75, np.inf])[0], only=["random", "one", "empty"])
    row("hist_centres_nan", "hist(x,[-1,0,1.5])", lambda x: np.histogram(x[~np.isnan(x)], [-np.inf, -0.5, 0.75, np.inf])[0], only=["nan"])


def spectra(row):
    """Spectra of two signals, sections of filters, distributions, hulls, codes, least squares."""
    s, t = scipy.signal, scipy.stats
    w = {"window": np.hamming(4), "noverlap": 2, "detrend": False}
    row("cpsd", "cpsd(x,y,4,2,[],2)", lambda x, y: s.csd(x, y, 2, **w)[1], only=PLAIN, near=1e-6)
    row("cpsd_padded", "cpsd(x,y,4,2,8,2)", lambda x, y: s.csd(x, y, 2, nfft=8, **w)[1], only=PLAIN, near=1e-6)
    row("mscohere", "mscohere(x,y,4,2)", lambda x, y: s.coherence(x, y, **w)[1], only=PLAIN, near=1e-6)
    row("tfestimate", "tfestimate(x,y,4,2)", lambda x, y: s.csd(x, y, **w)[1] / s.welch(x, **w)[1], only=PLAIN, near=1e-6)
    row("goertzel", "goertzel(x,0..numel(x)-1)", np.fft.fft, only=["random", "one", "nan", "complex"], near=1e-6)
    row("czt", "czt(x,7,exp(-0.3j),1.1)", lambda x: s.czt(x, 7, np.exp(-0.3j), 1.1), only=["random", "one", "complex"], near=1e-6)
    row("upfirdn", "upfirdn(x,[1,2,0.5],3,2)", lambda x: s.upfirdn([1, 2, 0.5], x, 3, 2), only=["random", "one"])
    row("xcov", "xcov(x,y)", lambda x, y: np.correlate(x - x.mean(), y - y.mean(), "full"), only=["random", "one"])
    row("snr", "snr(x,y)", lambda x, y: 10 * np.log10(np.sum(abs(x) ** 2) / np.sum(abs(y) ** 2)), only=["random", "one", "nan", "complex"])
    row("rceps", "rceps(x)", lambda x: np.fft.ifft(np.log(abs(np.fft.fft(x)))).real, only=["random", "one", "nan"])
    row("stft", "stft(x,[1,2,2,1],2)", lambda x: np.fft.fft(np.lib.stride_tricks.sliding_window_view(x, 4)[::2] * [1, 2, 2, 1]).T, only=["random", "nan"])
    row("istft", "istft(stft(x,[1,2,1],2),[1,2,1],2)", lambda x: x, only=["random"], near=1e-6)
    row("buffer", "buffer(x,4)", lambda x: np.pad(x, (0, 3)).reshape(3, 4).T, only=["random", "nan"])
    row("tf2sos", "[b,a]=butter(3,0.4); [q,g]=tf2sos(b,a); r = g*sosfilt(q,x)", lambda x: s.lfilter(*s.butter(3, 0.4), x), only=["random", "one", "nan"], near=1e-5)
    row("zp2sos", "[q,g]=zp2sos([-1,-1],[0.5,-0.25],2); r = g*sosfilt(q,x)", lambda x: s.lfilter([2, 4, 2], np.poly([0.5, -0.25]), x), only=["random", "one", "nan"])
    row("sosfilt", "sosfilt([[1,2,1,1,-0.5,0.1]],x)", lambda x: s.lfilter([1, 2, 1], [1, -0.5, 0.1], x), only=["random", "one", "nan"])
    row("normpdf", "normpdf(x,0.5,2)", lambda x: t.norm.pdf(x, 0.5, 2), only=REAL)
    row("normcdf", "normcdf(x,0.5,2)", lambda x: t.norm.cdf(x, 0.5, 2), only=REAL)
    row("norminv", "norminv(normcdf(x))", lambda x: x, only=REAL, near=1e-6)
    row("corr", "corr(x)", lambda x: np.corrcoef(x.T), on="m", only=["random", "nan"])
    row("moment", "moment(x,3)", lambda x: t.moment(x, 3), only=["random", "one", "nan"])
    row("confusionmat", "confusionmat([0,1,1,2],[0,1,2,2])", lambda x: [[1, 0, 0], [0, 1, 1], [0, 0, 1]], only=PLAIN)
    row("sph2cart", "[a,b,c]=sph2cart(x,y,2); r = b", lambda x, y: 2 * np.cos(y) * np.sin(x), only=REAL)
    row("cart2sph", "[a,b,c]=cart2sph(x,y,2); r = b", lambda x, y: np.arctan2(2, np.hypot(x, y)), only=REAL)
    row("diag", "diag(x)", np.diag, only=["random", "nan", "complex"])
    row("polyarea", "polyarea([0,3,3,1],[0,0,2,4])", lambda x: 8, only=PLAIN)
    row("convhull", "k = convhull(x,y); r = polyarea(x[k],y[k])", lambda x, y: scipy.spatial.ConvexHull(np.c_[x, y]).volume, only=PLAIN)
    row("sqrtm", "sqrtm(x*transpose(x)+eye(5))", lambda x: scipy.linalg.sqrtm(x @ x.T + np.eye(5)), on="m", only=PLAIN, near=1e-6)
    row("fileparts", '[a,b,c]=fileparts("p/q.png"); r = fromascii(b+c)', lambda x: [ord(c) for c in "q.png"], only=PLAIN)
    row("wavedec2", "[c,z]=wavedec2(x,2); r = waverec2(c,z)", lambda x: x, on="m", only=["random", "one"], near=1e-6)
    row("appcoef2", "[c,z]=wavedec2(x,1); r = appcoef2(c,z)-dwt2(x)", lambda x: np.zeros((3, 3)), on="m", only=PLAIN)
    row("detcoef2", '[c,z]=wavedec2(x,1); [a,h,v,d]=dwt2(x); r = detcoef2("v",c,z,1)-v', lambda x: np.zeros((3, 3)), on="m", only=PLAIN)
    row("dice", "[dice(x > 0.5,y > 0.5),jaccard(x > 0.5,y > 0.5)]", overlaps, only=PLAIN)
    row("detcoef", '[c,z]=wavedec(x[0..7],1,"haar"); r = abs(detcoef(c,z,1))', lambda x: abs(x[:8:2] - x[1:8:2]) / 2**0.5, only=PLAIN, near=1e-6)
    row("poly2trellis", "t = poly2trellis(3,[7,5]); r = t.nextStates*4 + t.outputs", trellis, only=PLAIN)
    row("convenc", "convenc(x > 0.5,poly2trellis(3,[7,5]))", lambda x: encoded(x > 0.5), only=PLAIN)
    row("vitdec", 't = poly2trellis(3,[7,5]); r = vitdec(convenc(x > 0.5,t),t,9,"trunc","hard")', lambda x: x > 0.5, only=PLAIN)
    row("adaptthresh", "adaptthresh(51*ones(8,8))", lambda x: np.full((8, 8), 0.2 * 1.1), only=PLAIN, near=1e-6)
    row("fsolve", "fsolve(v->[v[0]^2+v[1]^2-2,v[0]-v[1]],[2,0.5])", lambda x: [1, 1], only=PLAIN, near=1e-6)
    row("lsqnonlin", "lsqnonlin(v->[v[0]-1,v[1]-2,v[0]+v[1]-5],[0,0])", lambda x: [5 / 3, 8 / 3], only=PLAIN, near=1e-6)
    row("lsqcurvefit", "lsqcurvefit((p,t)->p[0]*t+p[1],[0,0],0..8,x)", lambda x: np.polyfit(np.arange(9), x, 1), only=PLAIN, near=1e-5)
    row("huffman", "k = huffmandict([0,1,2],[0.2,0.3,0.5]); r = huffmandeco(huffmanenco([0,1,2,2,1],k),k)", lambda x: [0, 1, 2, 2, 1], only=PLAIN)
    row("bwconncomp", "c = bwconncomp(x > 0); r = c.NumObjects", lambda x: scipy.ndimage.label(x > 0, S8)[1], on="m", only=["random", "one", "nan"])
    row("func2str", 'fromascii(func2str(sin))', lambda x: [ord(c) for c in "sin"], only=PLAIN)


TABLES = (values, sounds, texts, systems, pictures, more, spectra)
