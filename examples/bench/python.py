"""Quadra, its jit and Numba on the same NumPy arrays: seconds to the first result, compilation included, and of later calls.

    python examples/bench/python.py [K1 K4 … calls]

`calls` is what a call from Python costs beyond the launch that it leads to. Each first call happens in a new process with empty caches. `quadra` is Quasar by `quadra.compile`, `jit` Python by `quadra.jit`.
Functions and sizes are those of k01, k04, k06, k08 and k10; Numba's are compiled with `parallel=True`.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


def box(x):
    y = np.zeros_like(x)
    for m in prange(x.shape[0]):
        for n in range(x.shape[1]):
            a = np.float32(0)
            b = np.float32(0)
            c = np.float32(0)
            for k in range(-5, 6):
                for l in range(-5, 6):
                    if m + k >= 0 and m + k < x.shape[0] and n + l >= 0 and n + l < x.shape[1]:
                        a += x[m + k, n + l, 0]
                        b += x[m + k, n + l, 1]
                        c += x[m + k, n + l, 2]
            y[m, n, 0] = a/np.float32(121)
            y[m, n, 1] = b/np.float32(121)
            y[m, n, 2] = c/np.float32(121)
    return y


def rotate(x, y, angle):
    c = np.float32(math.cos(angle))
    s = np.float32(math.sin(angle))
    for i in prange(len(x)):
        a = x[i]
        b = y[i]
        x[i] = a*c - b*s
        y[i] = a*s + b*c


def histogram(v):
    h = np.zeros(256, np.int32)
    for i in range(len(v)):
        h[v[i]] += 1
    return h


def mandelbrot(n, limit):
    count = np.zeros((n, n), np.int32)
    d = np.float32(3)/np.float32(n)
    for m in prange(n):
        for p in range(n):
            cx = np.float32(-2) + d*np.float32(p)
            cy = np.float32(-1.5) + d*np.float32(m)
            x = np.float32(0)
            y = np.float32(0)
            k = 0
            while k < limit and x*x + y*y <= np.float32(4):
                t = x*x - y*y + cx
                y = np.float32(2)*x*y + cy
                x = t
                k += 1
            count[m, p] = k
    return count


def bilateral(x, ss, sr):
    y = np.zeros_like(x)
    ds = np.float32(-1/(2*ss*ss))
    dr = np.float32(-1/(2*sr*sr))
    for m in prange(x.shape[0]):
        for n in range(x.shape[1]):
            c = x[m, n]
            num = np.float32(0)
            den = np.float32(0)
            for k in range(-2, 3):
                for l in range(-2, 3):
                    v = x[min(max(m + k, 0), x.shape[0] - 1), min(max(n + l, 0), x.shape[1] - 1)]
                    w = np.exp(ds*np.float32(k*k + l*l) + dr*(v - c)*(v - c))
                    num += w*v
                    den += w
            y[m, n] = num/den
    return y


def inputs(case):
    random = np.random.default_rng(1)
    single = lambda *shape: random.random(shape, np.float32)
    return {
        "K1": (single(512, 512, 3),), "K4": (single(1 << 22), single(1 << 22), 0.3), "K6": (random.integers(0, 256, 1 << 22).astype(np.uint8),),
        "K8": (512, 256), "K10": (single(512, 512), 2.0, 0.5),
    }[case]


CASES = {
    "K1": ("k01_box.q", "box_filter", box), "K4": ("k04_rotate.q", "rotate", rotate), "K6": ("k06_histogram.q", "histogram", histogram),
    "K8": ("k08_mandelbrot.q", "mandelbrot", mandelbrot), "K10": ("k10_bilateral.q", "bilateral", bilateral),
}


def function(way, case):
    file, name, python = CASES[case]
    if way == "numba":
        import numba

        globals()["prange"] = numba.prange
        return numba.njit(parallel=True)(python)
    import quadra

    globals()["prange"] = range
    if way == "jit":
        return quadra.jit(python)
    # Without the lines behind the functions, which are tests.
    text = (HERE / file).read_text().rpartition("endfunction")[0] + "endfunction\n"
    return getattr(quadra.compile(text, name=file), name)


def one(way, case):
    args = inputs(case)
    __import__("numba" if way == "numba" else "quadra")
    began = time.perf_counter()
    f = function(way, case)
    result = f(*args)
    first = time.perf_counter() - began
    later = []
    for _ in range(15):
        began = time.perf_counter()
        again = f(*args)
        later.append(time.perf_counter() - began)
    same = args[0] if result is None else result
    print(json.dumps({"first": first, "later": min(later), "sum": float(np.sum(same, dtype=np.float64))}))


CALLED = """
function [] = add(x, k)
    for i = 0..numel(x)-1
        x[i] += k
    endfor
endfunction
function [] = often(x, k, n)
    {!serial for}
    for j = 1..n
        add(x, k)
    endfor
endfunction
function [] = nothing(x, k)
endfunction
"""


def each(f, *args, turns=5000):
    """Least microseconds of a call over ten series."""
    def series():
        began = time.perf_counter()
        for _ in range(turns):
            f(*args)
        return time.perf_counter() - began

    return min(series() for _ in range(10))/turns*1e6


def calls():
    """What a call costs: from Python, within a program, and from Python to a function that does nothing."""
    import quadra

    q = quadra.compile(CALLED, device="cpu")
    x = np.zeros(64, np.float32)
    q.often(x, 1.0, 100)
    outside, inside = each(q.add, x, 1.0), each(q.often, x, 1.0, 5000, turns=1)/5000
    print(f"a launch on {len(x)} numbers, called from Python: {outside:.2f} us; within a program: {inside:.2f} us; beyond it {outside - inside:.2f} us")
    print(f"a function that does nothing, called from Python: {each(q.nothing, x, 1.0):.2f} us")


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "--one":
        return one(*sys.argv[2:4])
    wanted = sys.argv[1:] or [*CASES, "calls"]
    if "calls" in wanted:
        calls()
        wanted.remove("calls")
    if wanted:
        print(f"{'':4} {'':8} {'first call':>12} {'later calls':>12} {'sum of the result':>20}")
    for case in wanted:
        for way in ("quadra", "jit", "numba"):
            with tempfile.TemporaryDirectory() as cache:
                env = {**os.environ, "XDG_CACHE_HOME": cache, "NUMBA_CACHE_DIR": cache}
                out = subprocess.run([sys.executable, __file__, "--one", way, case], env=env, capture_output=True, text=True)
            if out.returncode:
                print(f"{case:4} {way:8} {out.stderr.strip().splitlines()[-1]}")
                continue
            row = json.loads(out.stdout.splitlines()[-1])
            print(f"{case:4} {way:8} {row['first']*1e3:9.1f} ms {row['later']*1e3:9.3f} ms {row['sum']:20.6g}")


if __name__ == "__main__":
    main()
