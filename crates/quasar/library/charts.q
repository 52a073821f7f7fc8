% Charts of samples: what lies where in them, and how groups differ.

% a box from the first to the third quartile of each column, its median, whiskers to the last samples within 1.5 of its height, and marks of others
% > boxplot([1,2,3,4,9])
function h = boxplot(x, ...options)
    v = ndims(x) < 2 || size(x, 0) == 1 ? reshape(x, [numel(x), 1]) : x
    n = size(v, 1)
    % What is no number parts a curve.
    [boxes, middles, whiskers] = [nan(2, 6 * n), nan(2, 3 * n), nan(2, 12 * n)]
    [across, beyond] = [[nan], [nan]]
    {!serial for}
    for k = 0..n - 1
        column = transpose(v[:, k])
        column = column[find(column == column)]
        if numel(column) > 0
            [low, middle, high] = [prctile(column, 25), median(column), prctile(column, 75)]
            inside = column >= low - 1.5 * (high - low) & column <= high + 1.5 * (high - low)
            inner = column[find(inside)]
            [least, most] = [min(inner), max(inner)]
            [left, at, right] = [k + 0.75, k + 1, k + 1.25]
            boxes[:, 6 * k..6 * k + 4] = [[left, right, right, left, left], [low, low, high, high, low]]
            middles[:, 3 * k..3 * k + 1] = [[left, right], [middle, middle]]
            whiskers[:, 12 * k..12 * k + 1] = [[at, at], [low, least]]
            whiskers[:, 12 * k + 3..12 * k + 4] = [[at, at], [high, most]]
            whiskers[:, 12 * k + 6..12 * k + 7] = [[at - 0.1, at + 0.1], [least, least]]
            whiskers[:, 12 * k + 9..12 * k + 10] = [[at - 0.1, at + 0.1], [most, most]]
            outer = column[find(!inside)]
            across = horzcat(across, at .* ones(1, numel(outer)))
            beyond = horzcat(beyond, outer)
        endif
    end
    h = plot(boxes[0, :], boxes[1, :], "b-", middles[0, :], middles[1, :], "r-", whiskers[0, :], whiskers[1, :], "k-", across, beyond, "r+")
    xlim([0.5, max(n, 1) + 0.5])
end

% the numbers of a matrix as colours, with their scale
% > heatmap([[1,2],[3,4]])
function h = heatmap(x, ...options)
    h = imagesc(x)
    colorbar()
end

% where the elements of a matrix are not zero
% > spy(eye(5))
function h = spy(x, style = "b.")
    [rows, columns] = find(x != 0)
    h = plot(columns, rows, style)
    axis("ij")
    axis([-1, size(x, 1), -1, size(x, 0)])
end

% for each value of the samples the share of those up to it; the first value is given twice, with the share 0
% > [f, x] = ecdf([3,1,2,2]); print f, x
function [f, x] = ecdf(v)
    s = reshape(v, [1, numel(v)])
    s = s[find(s == s)]
    values = unique(s)
    values = reshape(values, [1, numel(values)])
    f = horzcat([0], isempty(values) ? values : cumsum(histc(s, values)) ./ numel(s))
    x = isempty(values) ? values : horzcat([values[0]], values)
end

% the share of the samples up to each place, as stairs
% > cdfplot([3,1,2,2])
function h = cdfplot(v)
    [f, x] = ecdf(v)
    h = stairs(x, f)
end

% points, those of each group with a colour of their own, of which there are seven
% > gscatter([1,2,3,4], [1,4,9,16], [0,0,1,1])
function h = gscatter(x, y, group, ...options)
    n = numel(group)
    [list, across, down] = [reshape(group, [1, n]), reshape(x, [1, n]), reshape(y, [1, n])]
    values = unique(list)
    place = zeros(1, n)
    {!serial for}
    for k = 0..numel(values) - 1
        place += mod(k, 7) .* (list == values[k])
    end
    % A curve has at least one point, be it no number.
    of = k -> horzcat([nan], across[find(place == k)])
    at = k -> horzcat([nan], down[find(place == k)])
    h = plot(of(0), at(0), "bo", of(1), at(1), "ro", of(2), at(2), "go", of(3), at(3), "mo", of(4), at(4), "co", of(5), at(5), "ko", of(6), at(6), "yo")
end

% circles of a radius around centres, one row [x,y] each
% > viscircles([[5,5],[20,9]], [3,4])
function h = viscircles(centres, radii, ...options)
    n = numel(centres) / 2
    c = reshape(centres, [n, 2])
    turn = linspace(0, 2 * pi, 65)
    % What is no number parts a curve.
    [across, down] = [nan(1, 66 * n), nan(1, 66 * n)]
    {!serial for}
    for k = 0..n - 1
        r = numel(radii) == 1 ? radii[0] : radii[k]
        across[66 * k..66 * k + 64] = c[k, 0] + r .* cos(turn)
        down[66 * k..66 * k + 64] = c[k, 1] + r .* sin(turn)
    end
    h = plot(across, down, "r-")
end
