% Wavelet transforms. Pictures of odd lengths grow by a repeated last row or column; edges are periodic.

% low-pass filter of an orthonormal wavelet: "haar", or "db2" to "db4" (Daubechies), or as wfilters gives that of the transform or of its inverse
function h = _scaling(name, back = 0)
    if isnumeric(name)
        h = back > 0 ? name : fliplr(name)
        return
    endif
    h = []
    match name with
    | ("haar", "db1") -> h = [0.70710678118654752, 0.70710678118654752]
    | "db2" -> h = [0.48296291314453414, 0.83651630373780790, 0.22414386804201338, -0.12940952255126037]
    | "db3" -> h = [0.33267055295008263, 0.80689150931109257, 0.45987750211849154, -0.13501102001025458, -0.08544127388202666, 0.03522629188570953]
    | "db4" -> h = [0.23037781330889650, 0.71484657055291565, 0.63088076792985890, -0.02798376941685985, -0.18703481171909309, 0.03084138183556076, 0.03288301166688519, -0.01059740178506903]
    | _ -> error "there is no wavelet """, name, """: haar, db2, db3 or db4"
    end
end

% the high-pass filter that belongs to a low-pass filter
function g = _detail(h)
    g = fliplr(h) .* (1 - 2 .* mod(0..numel(h)-1, 2))
end

% half the rows: each is the sum of rows from 2k on, weighted by a filter
function y = _rows_down(x, h)
    n = size(x, 0)
    at = 2 .* (0..n/2-1)
    y = zeros(numel(at), size(x, 1)) + (iscomplex(x) ? 0i : 0)
    {!serial for}
    for k=0..numel(h)-1
        y = y + h[k] .* reshape(x[int(mod(at + k, n)),:], size(y))
    end
end

% the transpose of _rows_down
function y = _rows_up(x, h)
    n = 2 * size(x, 0)
    y = zeros(n, size(x, 1)) + (iscomplex(x) ? 0i : 0)
    at = 2 .* (0..n/2-1)
    {!serial for}
    for k=0..numel(h)-1
        rows = int(mod(at + k, n))
        y[rows,:] = reshape(y[rows,:], size(x)) + h[k] .* x
    end
end

% one step of the wavelet transform of a vector: rough part and details; wavelet "haar", "db2", "db3" or "db4"
% > print dwt([1,1,3,3])
function [a, d] = dwt(x, wavelet = "haar")
    h = _scaling(wavelet)
    v = reshape(x, [numel(x), 1])
    if mod(numel(x), 2) == 1
        v = vertcat(v, [[x[numel(x)-1]]])
    endif
    a = transpose(_rows_down(v, h))
    d = transpose(_rows_down(v, _detail(h)))
end

% inverse of dwt, of length n if it is given
% > print idwt([1.5,2.5], [0,0])
function x = idwt(a, d, wavelet = "haar", n = 0)
    h = _scaling(wavelet, 1)
    column = [numel(a), 1]
    x = transpose(_rows_up(reshape(a, column), h) + _rows_up(reshape(d, column), _detail(h)))
    x = n > 0 ? x[0..n-1] : x
end

% one step of the wavelet transform of a matrix: rough part, details along columns, along rows, and along both
% > print dwt2([[1,1],[1,1]])
function [a, h, v, d] = dwt2(x, wavelet = "haar")
    low = _scaling(wavelet)
    high = _detail(low)
    even = size(x, 0) + mod(size(x, 0), 2)
    y = reshape(x[min(0..even-1, size(x, 0) - 1),:], [even, size(x, 1)])
    even = size(x, 1) + mod(size(x, 1), 2)
    y = reshape(y[:,min(0..even-1, size(x, 1) - 1)], [size(y, 0), even])
    [l, g] = [_rows_down(y, low), _rows_down(y, high)]
    a = transpose(_rows_down(transpose(l), low))
    v = transpose(_rows_down(transpose(l), high))
    h = transpose(_rows_down(transpose(g), low))
    d = transpose(_rows_down(transpose(g), high))
end

% inverse of dwt2, of the size in sz if it is given
% > print idwt2([[2]], [[0]], [[0]], [[0]])
function x = idwt2(a, h, v, d, wavelet = "haar", sz = [])
    low = _scaling(wavelet, 1)
    high = _detail(low)
    l = transpose(_rows_up(transpose(a), low) + _rows_up(transpose(v), high))
    g = transpose(_rows_up(transpose(h), low) + _rows_up(transpose(d), high))
    x = _rows_up(l, low) + _rows_up(g, high)
    if !isempty(sz)
        x = x[0..sz[0]-1, 0..sz[1]-1]
    endif
end

% several steps of the wavelet transform of a matrix: all parts one after another, as the rough one and then details from the last step on, and their sizes; wavelet a name or the two filters of wfilters
% > [c, s] = wavedec2(ones(4,4), 2); print size(s)
function [c, sizes] = wavedec2(x, steps, wavelet = "haar", high = [])
    sizes = zeros(steps + 2, 2)
    sizes[steps + 1, :] = size(x, 0..1)
    c = []
    rough = x
    {!serial for}
    for k = steps..-1..1
        [rough, h, v, d] = dwt2(rough, wavelet)
        n = numel(h)
        c = [...reshape(h, [1, n]), ...reshape(v, [1, n]), ...reshape(d, [1, n]), ...c]
        sizes[k, :] = size(h)
    end
    sizes[0, :] = size(rough)
    c = [...reshape(rough, [1, numel(rough)]), ...c]
end

% the matrix whose parts wavedec2 gave
% > [c, s] = wavedec2(ones(4,4), 2); print waverec2(c, s)
function x = waverec2(c, sizes, wavelet = "haar", high = [])
    steps = size(sizes, 0) - 2
    x = appcoef2(c, sizes, wavelet, steps)
    {!serial for}
    for k = 1..steps
        level = steps - k + 1
        [h, v, d] = {detcoef2("h", c, sizes, level), detcoef2("v", c, sizes, level), detcoef2("d", c, sizes, level)}
        x = idwt2(x, h, v, d, wavelet, int(sizes[k + 1, :]))
    end
end

% the rough part after so many steps of wavedec2
% > [c, s] = wavedec2(ones(4,4), 2); print appcoef2(c, s)
function a = appcoef2(c, sizes, wavelet = "haar", step = -1)
    steps = size(sizes, 0) - 2
    n = int(sizes[0, 0] * sizes[0, 1])
    a = reshape(c[0..n-1], int(sizes[0, :]))
    wanted = step < 0 ? steps : step
    {!serial for}
    for k = 1..steps-wanted
        level = steps - k + 1
        [h, v, d] = {detcoef2("h", c, sizes, level), detcoef2("v", c, sizes, level), detcoef2("d", c, sizes, level)}
        a = idwt2(a, h, v, d, wavelet, int(sizes[k + 1, :]))
    end
end

% details of one step of wavedec2: "h" along columns, "v" along rows, "d" along both; with "all" all three
% > [c, s] = wavedec2(ones(4,4), 2); print detcoef2("h", c, s, 2)
function [y, v, d] = detcoef2(part, c, sizes, step)
    if part == "all"
        [y, v, d] = {detcoef2("h", c, sizes, step), detcoef2("v", c, sizes, step), detcoef2("d", c, sizes, step)}
        return
    endif
    row = size(sizes, 0) - 1 - int(step)
    first = sizes[0, 0] * sizes[0, 1]
    {!serial for}
    for k = 1..row-1
        first += 3 * sizes[k, 0] * sizes[k, 1]
    end
    n = sizes[row, 0] * sizes[row, 1]
    match part with
    | "h" -> skip = 0
    | "v" -> skip = 1
    | "d" -> skip = 2
    | _ -> error "detcoef2 knows no part """, part, """: h, v or d"
    end
    first = int(first + skip * n)
    y = reshape(c[first..first+int(n)-1], int(sizes[row, :]))
end

% filters of a wavelet: low-pass and high-pass of the transform, low-pass and high-pass of its inverse
% > [low, high] = wfilters("haar"); print low
function [low, high, low_back, high_back] = wfilters(wavelet)
    h = _scaling(wavelet)
    low_back = h
    high_back = _detail(h)
    low = fliplr(h)
    high = fliplr(high_back)
end
