"""A window over an image that no worker could hold, on a cluster of processes: the same as in one process, in bounded memory.

    python examples/cluster/smooth.py                      # 2 workers with 256 MB each, an image five times as large as both
    python examples/cluster/smooth.py --kill --runs 10     # a worker is killed in every run
    python examples/cluster/smooth.py --against numba      # the same with Numba, and times
    python examples/cluster/smooth.py --scheduler tcp://head:8786
"""

import argparse
import hashlib
import os
import signal
import threading
import time

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import quadra
import quadra.dask as qd

PROGRAM = """
function y : mat = smooth(x : mat'clamped)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for k = -2..2
                for l = -2..2
                    s += x[m+k,n+l]
                endfor
            endfor
            y[m,n] = s/25
        endfor
    endfor
endfunction
"""


def made(block_info=None, width=0):
    """A block of the image, computed from where it lies: nothing is read, and a block that was lost is made again."""
    (r0, r1), (c0, c1) = block_info[None]["array-location"]
    rows = np.arange(r0, r1, dtype=np.uint32)[:, None]*np.uint32(2654435761)
    columns = np.arange(c0, c1, dtype=np.uint32)[None, :]*np.uint32(40503)
    return ((rows ^ columns) >> np.uint32(8)).astype(np.float32)*np.float32(2**-24)


def digest(block):
    """What tells blocks apart that differ in any bit."""
    return np.frombuffer(hashlib.sha256(np.ascontiguousarray(block)).digest()[:8], np.uint64).reshape(1, 1)


def smooth_in_numba(block):
    import numba

    global COMPILED
    if COMPILED is None:
        @numba.njit(parallel=True)
        def smooth(x):
            y = np.zeros_like(x)
            for m in numba.prange(x.shape[0]):
                for n in range(x.shape[1]):
                    s = np.float32(0)
                    for k in range(-2, 3):
                        for l in range(-2, 3):
                            s += x[min(max(m + k, 0), x.shape[0] - 1), min(max(n + l, 0), x.shape[1] - 1)]
                    y[m, n] = s/np.float32(25)
            return y

        COMPILED = smooth
    return COMPILED(block)


COMPILED = None


def image(rows, columns, chunk):
    return da.map_blocks(made, chunks=(da.core.normalize_chunks(chunk, (rows, columns), dtype=np.float32)), dtype=np.float32, meta=np.zeros((0, 0), np.float32))


def result(x, way="quadra"):
    if way == "numba":
        y = da.map_overlap(smooth_in_numba, x, depth=2, boundary="none", dtype=np.float32, meta=np.zeros((0, 0), np.float32))
    else:
        y = qd.map_overlap(quadra.compile(PROGRAM).smooth, x)
    return da.map_blocks(digest, y, dtype=np.uint64, chunks=tuple((1,)*n for n in x.numblocks), meta=np.zeros((0, 0), np.uint64))


def largest(client, stop, seen):
    """The most memory that a worker had, as the scheduler hears of it."""
    while not stop.wait(0.1):
        workers = client.scheduler_info().get("workers", {}).values()
        seen.append(max((w["metrics"]["memory"] for w in workers if "memory" in w.get("metrics", {})), default=0))


def one_run(client, y, kill):
    stop, seen = threading.Event(), []
    watch = threading.Thread(target=largest, args=(client, stop, seen))
    watch.start()
    began = time.perf_counter()
    try:
        future = client.compute(y)
        if kill:
            pids = client.run(os.getpid)
            time.sleep(kill)
            os.kill(next(iter(pids.values())), signal.SIGKILL)
        value = future.result()
    finally:
        stop.set()
        watch.join()
    return value, time.perf_counter() - began, max(seen, default=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=32768)
    parser.add_argument("--columns", type=int, default=20480)
    parser.add_argument("--chunk", type=int, default=768)
    parser.add_argument("--memory", default="256MB", help="of each of the two workers")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--kill", type=float, nargs="?", const=2.0, help="seconds after which a worker is killed")
    parser.add_argument("--against", choices=["numba"])
    parser.add_argument("--scheduler", help="a cluster that is there already")
    parser.add_argument("--no-check", action="store_true", help="do not compute it in one process, too")
    args = parser.parse_args()

    dask.config.set({"distributed.worker.memory.target": 0.8, "distributed.scheduler.allowed-failures": 20})
    x = image(args.rows, args.columns, args.chunk)
    y = result(x)
    print(f"{x.nbytes/1e9:.2f} GB in {x.npartitions} blocks; around each: {qd.depth(quadra.compile(PROGRAM).smooth, x)}")
    expected = None
    if not args.no_check:
        began = time.perf_counter()
        expected = y.compute(scheduler="sync")
        print(f"one process: {time.perf_counter() - began:.1f} s")
    cluster = None
    if not args.scheduler:
        # Two workers share the processors of this machine.
        share = str(max(1, (os.cpu_count() or 2)//2))
        os.environ.update(QUADRA_THREADS=share, NUMBA_NUM_THREADS=share)
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=args.memory, dashboard_address=":0")
        print("dashboard:", cluster.dashboard_link)
    client = Client(args.scheduler or cluster)
    ways = ["quadra"] + ([args.against] if args.against else [])
    for run in range(args.runs):
        for way in ways:
            value, seconds, memory = one_run(client, y if way == "quadra" else result(x, way), args.kill)
            same = "" if expected is None or way != "quadra" else ", equal" if (value == expected).all() else ", DIFFERENT"
            print(f"run {run + 1}, {way}: {seconds:.1f} s, {x.nbytes/seconds/1e6:.0f} MB/s, at most {memory/1e6:.0f} MB in a worker{same}", flush=True)
            if "DIFFERENT" in same:
                raise SystemExit(1)
    client.close()
    if cluster is not None:
        cluster.close()


if __name__ == "__main__":
    main()
