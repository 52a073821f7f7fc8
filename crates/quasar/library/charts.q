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

% how many points lie in each field of a grid of nx by ny, as colours; [h, counts] = … gives the counts, x along rows
% > histogram2([0,1,1,3], [0,1,1,2], 3)
function [h, counts] = histogram2(x, y, fields = 10, ...options)
    [nx, ny] = numel(fields) > 1 ? {fields[0], fields[1]} : {sum(fields), sum(fields)}
    n = numel(x)
    assert(numel(y) == n, "histogram2: as many x as y are needed")
    counts = zeros(nx, ny)
    [i, j] = [_field(reshape(x, [1, n]), nx), _field(reshape(y, [1, n]), ny)]
    {!serial for}
    for k = 0..n - 1
        if i[k] >= 0 && j[k] >= 0
            counts[i[k], j[k]] += 1
        endif
    end
    h = imagesc(transpose(counts))
    axis("xy")
    colorbar()
end

% in which of n equal parts of their range values lie; -1 for what is no number
function i = _field(v, n)
    kept = v[find(v - v == 0)]
    [low, high] = isempty(kept) ? {0.0, 1.0} : {min(kept), max(kept)}
    span = high > low ? high - low : 1.0
    i = vec[int](numel(v))
    {!serial for}
    for k = 0..numel(v) - 1
        i[k] = v[k] - v[k] == 0 ? int(min(floor((v[k] - low) / span * n), n - 1)) : -1
    end
end

% the lines of contour at their heights in space
% > contour3([[0,1,0],[1,3,1],[0,1,0]], 3)
function h = contour3(z, levels = 8, ...options)
    [m, n] = [size(z, 0), size(z, 1)]
    [x, y] = meshgrid(0..n - 1, 0..m - 1)
    if numel(levels) == 1
        [low, high] = [min(z), max(z)]
        levels = low + (high - low) .* (1..levels) ./ (levels + 1)
    endif
    h = 0
    {!serial for}
    for k = 0..numel(levels) - 1
        [px, py] = _contour_lines(float(x), float(y), float(z), float(levels[k]))
        h = plot3(px, py, levels[k] + 0.0 .* px)
        hold("on")
    end
end

% each row of a matrix as a curve in space that falls to the least height at both ends; x and y say where
% > waterfall([[0,1,0],[1,3,1],[0,1,0]])
function h = waterfall(x, y = [], z = [])
    if isempty(z)
        z = x
        [x, y] = [0..size(z, 1) - 1, 0..size(z, 0) - 1]
    elseif numel(x) == numel(z)
        [x, y] = [x[0, :], transpose(y[:, 0])]
    endif
    [n, low] = [size(z, 1), min(z)]
    h = 0
    {!serial for}
    for r = 0..size(z, 0) - 1
        h = plot3(horzcat([x[0]], x, [x[n-1]]), y[r] + zeros(1, n + 2), horzcat([low], reshape(z[r, :], [1, n]), [low]), "b-")
        hold("on")
    end
end

% each column of a matrix as a ribbon in space, of a width of 0.75 of their distance
% > ribbon([[0,1],[1,3],[0,1]])
function h = ribbon(y, z = [], width = 0.75)
    z = isempty(z) ? y : z
    z = size(z, 0) == 1 ? transpose(z) : z
    m = size(z, 0)
    along = numel(y) == m && m < numel(z) ? reshape(y, [1, m]) : 0..m - 1
    h = 0
    {!serial for}
    for c = 0..size(z, 1) - 1
        heights = reshape(z[:, c], [1, m])
        [near, far] = [c + 1 - width / 2, c + 1 + width / 2]
        % Both edges, and what joins them at every place.
        [px, py, pz] = [zeros(1, 5 * m), zeros(1, 5 * m), zeros(1, 5 * m)]
        {!serial for}
        for k = 0..m - 1
            next = min(k + 1, m - 1)
            px[5*k..5*k+4] = [near, far, far, near, near]
            py[5*k..5*k+4] = [along[k], along[k], along[next], along[next], along[k]]
            pz[5*k..5*k+4] = [heights[k], heights[k], heights[next], heights[next], heights[k]]
        end
        h = plot3(px, py, pz)
        hold("on")
    end
end

% a round histogram: how many angles lie in each of n equal sectors; [t, r] = … gives the corners and draws nothing
% > rose([0.1,0.2,1.5,3.0], 8)
function [h, r] = rose(angles, n = 20)
    turn = 2 * pi
    count = numel(n) == 1 ? sum(n) : numel(n)
    place = mod(floor(mod(reshape(angles, [1, numel(angles)]), turn) .* count ./ turn), count)
    counts = zeros(1, count)
    {!serial for}
    for k = 0..numel(place) - 1
        if place[k] == place[k]
            counts[int(place[k])] += 1
        endif
    end
    [corner, far] = [zeros(1, 4 * count), zeros(1, 4 * count)]
    {!serial for}
    for k = 0..count - 1
        corner[4*k..4*k+3] = [0.0, k * turn / count, (k + 1) * turn / count, 0.0]
        far[4*k..4*k+3] = [0.0, counts[k], counts[k], 0.0]
    end
    if nargout > 1
        [h, r] = [corner, far]
    else
        h = polar(corner, far)
    endif
end
