"""A window over an image that no worker could hold, on a cluster of processes: the same as in one process, in bounded memory.

    python examples/cluster/smooth.py                      # 2 workers with 256 MB each, an image five times as large as both
    python examples/cluster/smooth.py --kill --runs 10     # a worker is killed in every run, when a third of the blocks is done
    python examples/cluster/smooth.py --against numba      # the same with Numba, in workers of its own, and times
    python examples/cluster/smooth.py --scheduler tcp://head:8786
"""

import argparse
import hashlib
import logging
import os
import signal
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


def smooth_in_numba():
    """The function as Numba compiles it, once in each process that it travels to."""
    import numba

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

    return smooth


def image(rows, columns, chunk):
    return da.map_blocks(made, chunks=(da.core.normalize_chunks(chunk, (rows, columns), dtype=np.float32)), dtype=np.float32, meta=np.zeros((0, 0), np.float32))


def result(x, way="quadra"):
    if way == "numba":
        y = da.map_overlap(smooth_in_numba(), x, depth=2, boundary="none", dtype=np.float32, meta=np.zeros((0, 0), np.float32))
    else:
        y = qd.map_overlap(quadra.compile(PROGRAM).smooth, x)
    return da.map_blocks(digest, y, dtype=np.uint64, chunks=tuple((1,)*n for n in x.numblocks), meta=np.zeros((0, 0), np.uint64))


# What the workers' memory is for. A worker that is nearly full writes blocks to its disk; one that waits until memory which is no block's
# becomes free would wait for ever.
MEMORY = {"distributed.worker.memory.target": 0.7, "distributed.worker.memory.spill": 0.8, "distributed.worker.memory.pause": False}


def done(client):
    """How many blocks of the result there are."""
    def count(dask_scheduler):
        return sum(t.state == "memory" and t.prefix.name == "digest" for t in dask_scheduler.tasks.values())

    return client.run_on_scheduler(count)


def most_memory():
    """The most memory that this process ever had, in bytes."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1])*1024 for line in file if line.startswith("VmHWM"))


def one_run(client, y, kill, limit):
    """The result, seconds, the most memory of a worker, and how many blocks were done when a worker was killed."""
    while done(client):
        # Blocks of the run before are still there, which would be taken for those of this one.
        time.sleep(0.05)
    pids = client.run(os.getpid)
    began = time.perf_counter()
    future = client.compute(y)
    killed = None
    while not future.done():
        if time.perf_counter() - began > limit:
            raise SystemExit(f"no result after {limit:.0f} s; {done(client)} of {y.npartitions} blocks, workers {client.scheduler_info()['workers']}")
        if kill and killed is None and (n := done(client)) >= y.npartitions/3:
            os.kill(next(iter(pids.values())), signal.SIGKILL)
            killed = n
        time.sleep(0.1)
    value, seconds = future.result(), time.perf_counter() - began
    if kill and killed is None:
        raise SystemExit("it was done before a worker could be killed: take more blocks")
    return value, seconds, max(client.run(most_memory).values()), killed


def runs(client, way, x, expected, args):
    for run in range(args.runs):
        value, seconds, memory, killed = one_run(client, result(x, way), args.kill, args.limit)
        said = f"run {run + 1}, {way}: {seconds:.1f} s, {x.nbytes/seconds/1e6:.0f} MB/s, at most {memory/1e6:.0f} MB in a worker"
        if killed is not None:
            said += f", one killed after {killed} blocks"
        same = expected is None or (value == expected).all()
        # Numba may round the quotient otherwise.
        print(said + ("" if expected is None else ", equal" if same else ", different"), flush=True)
        if not same and way == "quadra":
            raise SystemExit(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=32768)
    parser.add_argument("--columns", type=int, default=20480)
    parser.add_argument("--chunk", type=int, default=768, help="rows and columns of a block")
    parser.add_argument("--memory", default="256MB", help="of each of the two workers")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--kill", action="store_true", help="kill a worker in every run")
    parser.add_argument("--limit", type=float, default=600, help="seconds after which a run has failed")
    parser.add_argument("--against", choices=["numba"])
    parser.add_argument("--scheduler", help="a cluster that is there already")
    parser.add_argument("--no-check", action="store_true", help="do not compute it in one process, too")
    args = parser.parse_args()

    x = image(args.rows, args.columns, args.chunk)
    print(f"{x.nbytes/1e9:.2f} GB in {x.npartitions} blocks; around each: {qd.depth(quadra.compile(PROGRAM).smooth, x)}")
    expected = None
    if not args.no_check:
        began = time.perf_counter()
        expected = result(x).compute(scheduler="sync")
        print(f"one process: {time.perf_counter() - began:.1f} s", flush=True)
    for way in ["quadra"] + ([args.against] if args.against else []):
        if args.scheduler:
            with Client(args.scheduler) as client:
                runs(client, way, x, expected, args)
            continue
        # Two workers share the processors of this machine; each way has workers of its own.
        share = str(max(1, (os.cpu_count() or 2)//2))
        os.environ.update(QUADRA_THREADS=share, NUMBA_NUM_THREADS=share)
        with dask.config.set({**MEMORY, "distributed.scheduler.allowed-failures": 20}):
            with LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=args.memory, dashboard_address=":0", silence_logs=logging.ERROR) as cluster, Client(cluster) as client:
                print("dashboard:", cluster.dashboard_link)
                runs(client, way, x, expected, args)


if __name__ == "__main__":
    main()
