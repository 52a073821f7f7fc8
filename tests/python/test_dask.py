"""`quadra.dask`: what is needed around blocks, blocks against the whole, a worker that is killed."""

import os
import pickle
import signal
import time

import numpy as np
import pytest

import quadra

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")
qd = pytest.importorskip("quadra.dask")

PROGRAM = """
function y : mat = box(x : mat'clamped, r : int)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for k = -r..r
                for l = -1..2
                    s += x[m+k,n+l]
                endfor
            endfor
            y[m,n] = s
        endfor
    endfor
endfunction
function y : mat = twice(x : mat, r : int)
    t = box(x, r)
    y = box(t, 1)
    y = y + 2*x
endfunction
function y : mat = borders(x : mat)
    y = zeros(size(x))
    for m = 1..size(x,0)-3
        for n = 0..size(x,1)-1
            if n < 3
                y[m,n] = x[m,n]
            elseif n == size(x,1)-1
                y[m,n] = -x[m-1,n]
            else
                y[m,n] = x[m,n-1] + x[m+2,n]
            endif
        endfor
    endfor
endfunction
function y : mat = along(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        s = 0.0
        for k = 0..3
            s += x[m,k]
        endfor
        for n = 0..size(x,1)-1
            y[m,n] = x[m,n] - s
        endfor
    endfor
endfunction
function y = weighted(x : mat'mirror, w : mat, total : scalar)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.0
            for k = 0..2
                s += w[k,0]*x[m+k-1,n]
            endfor
            y[m,n] = s/total
        endfor
    endfor
endfunction
function s = total(x)
    s = sum(x)
endfunction
function y = recursive(x : mat)
    y = zeros(size(x))
    for m = 1..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m,n] + 0.5*y[m-1,n]
        endfor
    endfor
endfunction
function y = turned(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[n,m]
        endfor
    endfor
endfunction
function y = centred(x : mat)
    m = mean(x)
    y = x - m
endfunction
function y = numbered(x : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m,n] + m
        endfor
    endfor
endfunction
function y = gathered(x : mat, places : mat)
    y = zeros(size(x))
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            y[m,n] = x[m + int(places[m,n]), n]
        endfor
    endfor
endfunction
function y = carried(x : mat)
    y = zeros(size(x))
    s = 0.0
    for m = 0..size(x,0)-1
        for n = 0..size(x,1)-1
            s = 0.5*s + x[m,n]
            y[m,n] = s
        endfor
    endfor
endfunction
function y = growing(x : mat)
    y = copy(x)
    t = zeros(size(x))
    k = 0
    while k < 3
        for m = 0..size(x,0)-1
            for n = 0..size(x,1)-1
                t[m,n] = y[m-1,n] + y[m+1,n]
            endfor
        endfor
        y = t + x
        k += 1
    endwhile
endfunction
"""


@pytest.fixture(scope="module")
def q():
    return quadra.compile(PROGRAM)


@pytest.fixture(scope="module")
def x():
    return np.random.default_rng(5).random((57, 64)).astype(np.float32)


def test_depths_are_derived(q):
    x = da.zeros((60, 60), chunks=20)
    assert qd.depth(q.box, x, 3) == {0: (3, 3), 1: (1, 2)}
    assert qd.depth(q.twice, x, 2) == {0: (3, 3), 1: (2, 4)}
    rows, columns = qd.depth(q.borders, x).values()
    assert rows == (1, 2) and columns[0] >= 3 and columns[1] >= 1
    assert qd.depth(q.weighted, x, np.ones((3, 1), np.float32), 3.0) == {0: (1, 1), 1: (0, 0)}
    with pytest.raises(ValueError, match="axis 1"):
        qd.depth(q.along, x)
    assert qd.depth(q.along, x.rechunk((20, -1))) == {0: (0, 0), 1: (0, 0)}


@pytest.mark.parametrize(
    "name", ["recursive", "turned", "centred", "numbered", "carried", "growing", "total"],
)
def test_what_cannot_be_derived_is_an_error_with_its_place(q, name):
    with pytest.raises(quadra.Error, match="cannot be told") as found:
        qd.depth(getattr(q, name), da.zeros((60, 60), chunks=20))
    assert found.value.line and found.value.help


def test_distances_that_depend_on_data(q):
    x = da.zeros((60, 60), chunks=20)
    with pytest.raises(quadra.Error, match="cannot be told"):
        qd.depth(q.gathered, x, x)


@pytest.mark.parametrize("chunks", [(57, 64), (20, 64), (19, 11), (8, 9)])
def test_blocks_give_what_the_whole_gives(q, x, chunks):
    blocks = da.from_array(x, chunks=chunks)
    for name, rest in [("box", (2,)), ("twice", (1,)), ("borders", ()), ("weighted", (np.array([[1], [2], [3]], np.float32), 6.0))]:
        function = getattr(q, name)
        result = qd.map_overlap(function, blocks, *rest)
        assert result.dtype == np.float32 and result.shape == x.shape
        np.testing.assert_array_equal(result.compute(scheduler="sync"), function(x.copy(), *rest))
    assert qd.reduction(q.total, blocks).compute(scheduler="sync") == pytest.approx(x.sum(), rel=1e-5)


@quadra.jit
def edges(a):
    b = np.zeros_like(a)
    for i in range(1, a.shape[0] - 1):
        for j in range(2, a.shape[1] - 2):
            b[i, j] = a[i-1, j] - a[i+1, j] + a[i, j-2]*a[i, j+2]
    return b


@quadra.jit
def wraps(a):
    b = np.zeros_like(a)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            b[i, j] = a[i-1, j]
    return b


def test_jitted_functions_are_kernels(x):
    blocks = da.from_array(x, chunks=(20, 17))
    assert qd.depth(edges, blocks) == {0: (1, 1), 1: (2, 2)}
    np.testing.assert_array_equal(qd.map_overlap(edges, blocks).compute(scheduler="sync"), edges(x))
    with pytest.raises(quadra.Error):
        # An index of -1 is at the other end.
        qd.map_overlap(wraps, blocks)


def test_functions_travel_by_source(q):
    kernel = pickle.loads(pickle.dumps(qd.Kernel(q.box)))
    before = qd.compiled()
    x = np.ones((4, 4), np.float32)
    assert kernel(x, 1)[1, 1] == 12 and kernel(x, 1)[2, 2] == 12
    assert qd.compiled() <= before + 1
    import cloudpickle

    scale = 2

    def scaled(x):
        return x*scale + np.sqrt(x)

    first = cloudpickle.loads(cloudpickle.dumps(quadra.jit(scaled)))
    second = cloudpickle.loads(cloudpickle.dumps(quadra.jit(scaled)))
    assert first is second and first(4.0) == 10.0


def test_tiff_and_zarr(q, x, tmp_path):
    tifffile = pytest.importorskip("tifffile")
    pytest.importorskip("zarr")
    for k in range(3):
        tifffile.imwrite(tmp_path / f"slice{k}.tif", (x*(k + 1)).astype(np.float32))
    stack = qd.read_tiffs(str(tmp_path / "slice*.tif"))
    assert stack.shape == (3, *x.shape) and stack.numblocks == (3, 1, 1)
    np.testing.assert_array_equal(stack[1].compute(scheduler="sync"), x*2)
    da.from_array(x, chunks=(20, 32)).to_zarr(str(tmp_path / "x.zarr"))
    result = qd.map_overlap(q.box, da.from_zarr(str(tmp_path / "x.zarr")), 1)
    result.to_zarr(str(tmp_path / "y.zarr"))
    np.testing.assert_array_equal(da.from_zarr(str(tmp_path / "y.zarr")).compute(), q.box(x, 1))


def slowly(x):
    time.sleep(0.2)
    return x


def test_equal_calls_have_equal_names(q, x):
    blocks = da.from_array(x, chunks=(20, 17))
    for apply, name in [(qd.map_blocks, "borders"), (qd.map_overlap, "borders"), (qd.reduction, "total")]:
        first, second = apply(getattr(q, name), blocks), apply(getattr(q, name), blocks)
        assert first.name == second.name
        assert any(key.startswith(name) for key in first.dask.layers)


def test_the_dashboard_shows_progress(q, x):
    """The page with a bar for each function, as a browser gets it."""
    pull_session = pytest.importorskip("bokeh.client").pull_session
    from bokeh.models import ColumnDataSource

    blocks = da.from_array(x, chunks=(2, 64)).map_blocks(slowly, dtype=np.float32)
    result = qd.map_overlap(q.box, blocks, 1)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster, distributed.Client(cluster) as client:
        page = cluster.dashboard_link.rsplit("/", 1)[0] + "/individual-progress"
        future = client.compute(result)
        seen = []
        while not future.done():
            session = pull_session(url=page)
            for source in session.document.select({"type": ColumnDataSource}):
                seen += [done for name, done in zip(source.data.get("name", ()), source.data.get("done", ())) if name == "box"]
            session.close()
            time.sleep(0.2)
        np.testing.assert_array_equal(future.result(timeout=120), q.box(x, 1))
    counts = [int(done.split("/")[0]) for done in seen]
    assert all(done.endswith(f"/ {result.npartitions}") for done in seen)
    assert counts == sorted(counts) and any(0 < n < result.npartitions for n in counts), seen


def test_a_worker_is_killed_and_nothing_is_lost(q, x):
    blocks = da.from_array(x, chunks=(8, 64)).map_blocks(slowly, dtype=np.float32)
    result = qd.map_overlap(q.twice, blocks, 2)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        future = client.compute(result)
        time.sleep(0.7)
        pids = client.run(os.getpid)
        os.kill(next(iter(pids.values())), signal.SIGKILL)
        np.testing.assert_array_equal(future.result(timeout=120), q.twice(x, 2))
        counts = client.run(qd.compiled)
        assert all(n <= 1 for n in counts.values()) and any(counts.values())


def test_the_example_loses_nothing_when_workers_are_killed():
    """`examples/cluster/smooth.py` on a small image; `.ci/full` runs it on one five times as large as the memory."""
    import subprocess
    import sys
    from pathlib import Path

    examples = Path(os.environ.get("QUADRA_EXAMPLES", Path(__file__).parents[2] / "examples"))
    command = [sys.executable, str(examples / "cluster/smooth.py"), "--rows", "1536", "--columns", "1536", "--chunk", "192", "--kill", "--runs", "2"]
    out = subprocess.run([*command, "--limit", "240"], capture_output=True, text=True, timeout=600)
    assert out.returncode == 0, out.stdout + out.stderr
    assert out.stdout.count(", equal") == out.stdout.count("one killed") == 2
