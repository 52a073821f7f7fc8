% The dual-tree complex wavelet transform (Kingsbury; Selesnick, Baraniuk, Kingsbury, "The dual-tree complex wavelet transform", 2005):
% two orthonormal wavelet transforms whose filters lie half a sample apart, as real and imaginary part. Coefficients hardly change their
% magnitude where a signal moves, and those of pictures have six directions. Edges are periodic; odd lengths grow by repeated samples.

% low-pass filter of tree 0 or 1: Farras' for the first level, where the trees lie a sample apart, and Kingsbury's q-shift filter
function h = _dual_filter(tree, level)
    near = [0, -0.08838834764832, 0.08838834764832, 0.69587998903400, 0.69587998903400, 0.08838834764832, -0.08838834764832, 0.01122679215254, 0.01122679215254, 0]
    shifted = [0.03516384, 0, -0.08832942, 0.23389032, 0.76027237, 0.58751830, 0, -0.11430184, 0, 0]
    if level == 0
        h = tree == 0 ? near : horzcat(fliplr(near)[1..9], [0])
    else
        h = tree == 0 ? shifted : fliplr(shifted)
    endif
end

% a matrix whose lengths are multiples of n, by repeating the last row and column
function y = _multiple(x, m, n)
    [rows, columns] = [ceil(size(x, 0) / m) * m, ceil(size(x, 1) / n) * n]
    y = reshape(x[int(min(0..rows-1, size(x, 0) - 1)),:], [rows, size(x, 1)])
    y = reshape(y[:,int(min(0..columns-1, size(x, 1) - 1))], [rows, columns])
end

% dual-tree wavelet transform of a vector: rough parts of both trees as rows, and a cell with the complex details of each level, finest first
% > [low, high] = dtcwt(0..7, 2); print size(low), numel(high)
function [low, high] = dtcwt(x, levels = 3)
    v = transpose(_multiple(reshape(x, [1, numel(x)]), 1, 2^levels))
    [a, b] = [v, v]
    high = cell(levels)
    {!serial for}
    for k=0..levels-1
        [f, g] = [_dual_filter(0, k), _dual_filter(1, k)]
        high[k] = transpose(complex(_rows_down(a, _detail(f)), _rows_down(b, _detail(g)))) ./ sqrt(2)
        [a, b] = [_rows_down(a, f), _rows_down(b, g)]
    end
    low = vertcat(transpose(a), transpose(b)) ./ sqrt(2)
end

% inverse of dtcwt, of length n if it is given
% > [low, high] = dtcwt(0..7, 2); print round(idtcwt(low, high))
function x = idtcwt(low, high, n = 0)
    [a, b] = [transpose(low[0,:]), transpose(low[1,:])]
    {!serial for}
    for k=numel(high)-1..-1..0
        [f, g] = [_dual_filter(0, k), _dual_filter(1, k)]
        d = transpose(high[k])
        a = _rows_up(a, f) + _rows_up(reshape(real(d), size(a)), _detail(f))
        b = _rows_up(b, g) + _rows_up(reshape(imag(d), size(b)), _detail(g))
    end
    x = transpose(a + b) ./ sqrt(2)
    x = n > 0 ? x[0..n-1] : x
end

% one level of a tree of pictures: rough part and details along columns, along rows and along both
function y = _dual_down(x, along_rows, along_columns)
    [l, h] = [transpose(_rows_down(x, along_columns)), transpose(_rows_down(x, _detail(along_columns)))]
    y = cell(4)
    y[0] = transpose(_rows_down(l, along_rows))
    y[1] = transpose(_rows_down(h, along_rows))
    y[2] = transpose(_rows_down(l, _detail(along_rows)))
    y[3] = transpose(_rows_down(h, _detail(along_rows)))
end

% the inverse of _dual_down
function x = _dual_up(y, along_rows, along_columns)
    l = _rows_up(transpose(y[0]), along_rows) + _rows_up(transpose(y[2]), _detail(along_rows))
    h = _rows_up(transpose(y[1]), along_rows) + _rows_up(transpose(y[3]), _detail(along_rows))
    x = _rows_up(transpose(l), along_columns) + _rows_up(transpose(h), _detail(along_columns))
end

% dual-tree wavelet transform of a picture: a cell with the rough parts of the four trees, and one with the details of each level, finest first: complex cubes with six directions
% > [low, high] = dtcwt2(ones(8,8), 2); print size(high[0])
function [low, high] = dtcwt2(x, levels = 3)
    y = _multiple(x, 2^levels, 2^levels) ./ 2
    low = {y, y, y, y}
    high = cell(levels)
    {!serial for}
    for k=0..levels-1
        filters = {_dual_filter(0, k), _dual_filter(1, k)}
        trees = cell(4)
        {!serial for}
        for t=0..3
            trees[t] = _dual_down(low[t], filters[mod(t, 2)], filters[floor(t / 2)])
            low[t] = trees[t][0]
        end
        band = complex(zeros(size(low[0], 0), size(low[0], 1), 6))
        {!serial for}
        for d=0..2
            [aa, ab, ba, bb] = [trees[0][d+1], trees[1][d+1], trees[2][d+1], trees[3][d+1]]
            band[:,:,d] = complex(aa - bb, ab + ba) ./ sqrt(2)
            band[:,:,d+3] = complex(aa + bb, ba - ab) ./ sqrt(2)
        end
        high[k] = band
    end
end

% inverse of dtcwt2, of the size in sz if it is given
% > [low, high] = dtcwt2(ones(8,8), 2); print round(idtcwt2(low, high)[0,0])
function x = idtcwt2(low, high, sz = [])
    rough = {low[0], low[1], low[2], low[3]}
    {!serial for}
    for k=numel(high)-1..-1..0
        filters = {_dual_filter(0, k), _dual_filter(1, k)}
        trees = {{rough[0], 0, 0, 0}, {rough[1], 0, 0, 0}, {rough[2], 0, 0, 0}, {rough[3], 0, 0, 0}}
        {!serial for}
        for d=0..2
            sz2 = size(rough[0])
            [p, q] = [reshape(high[k][:,:,d], sz2), reshape(high[k][:,:,d+3], sz2)]
            trees[0][d+1] = (real(q) + real(p)) ./ sqrt(2)
            trees[1][d+1] = (imag(p) - imag(q)) ./ sqrt(2)
            trees[2][d+1] = (imag(p) + imag(q)) ./ sqrt(2)
            trees[3][d+1] = (real(q) - real(p)) ./ sqrt(2)
        end
        {!serial for}
        for t=0..3
            rough[t] = _dual_up(trees[t], filters[mod(t, 2)], filters[floor(t / 2)])
        end
    end
    x = (rough[0] + rough[1] + rough[2] + rough[3]) ./ 2
    if !isempty(sz)
        x = x[0..sz[0]-1, 0..sz[1]-1]
    endif
end
