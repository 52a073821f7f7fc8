import json, os, sys, time, warnings
import numpy as np
try:
    import scipy.linalg as la, scipy.signal as sg, scipy.ndimage as nd, scipy.fft as ff
    import scipy.special as sp, scipy.interpolate as ip, scipy.stats as st
except ImportError:
    pass
warnings.simplefilter("ignore")
np.seterr(all="ignore")
threads = int(os.environ["QUADRA_BENCH_THREADS"])
print("ready", flush=True)
for line in sys.stdin:
    task = json.loads(line)
    g = np.random.default_rng(1)
    names = dict(globals(), R=lambda *size: g.random(size if len(size) > 1 else size[0], dtype=np.float32))
    best = float("nan")
    try:
        exec(task["setup"], names)
        code = compile(task["call"], "task", "exec")
        spent = 0.0
        for turn in range(40):
            start = time.perf_counter()
            exec(code, names)
            took = time.perf_counter() - start
            best, spent = min(took, best) if best == best else took, spent + took
            if spent > task["seconds"] and turn > 1:
                break
    except Exception:
        pass
    print(best * 1e3, flush=True)
