% Pictures: contrast, thresholds, edges, lines, regions, and pictures moved by a transformation. Grey values lie in 0 to 255.

% grey values from the range [low,high] (by default all but the darkest and the brightest 1 %) to the range in to; limits up to 1 are parts of 255 where the grey values are larger
% > print imadjust([0,50,100], [0,100])
function y = imadjust(x, from = [], to = [0, 255], gamma = 1)
    parts = !isempty(from) && max(from) <= 1 && max(x) > 1
    r = isempty(from) ? prctile(x, [1, 99]) : parts ? 255 .* from : from
    to = isempty(to) ? [0, 255] : parts && max(to) <= 1 ? 255 .* to : to
    y = min(max((x - r[0]) ./ max(r[1] - r[0], 1e-30), 0), 1)
    y = to[0] + (to[1] - to[0]) .* (gamma == 1 ? y : y.^gamma)
end

% how many pixels have the grey values 0 to 255, rounded and clipped
function h = _levels(x)
    h = accumarray(int(min(max(round(reshape(x, [1, numel(x)])), 0), 255)), 1, 256)
end

% grey values spread so that all occur about as often, on n levels evenly over 0 to 255 if n is given, or as often as in the histogram n
% > print histeq([1,1,2,3])
function y = histeq(x, n = [])
    share = cumsum(_levels(x)) ./ max(numel(x), 1)
    k = int(min(max(round(reshape(x, [1, numel(x)])), 0), 255))
    y = reshape(255 .* share[k], size(x))
    if numel(n) == 1 && sum(n) < 256
        steps = max(sum(n) - 1, 1)
        y = round(y .* (steps / 255)) .* (255 / steps)
    elseif numel(n) > 1
        % Each grey value becomes the one with the same share in the histogram.
        wanted = cumsum(reshape(float(n), [1, numel(n)])) ./ max(sum(n), 1e-30)
        of = zeros(1, 256)
        {!serial for}
        for g = 0..255
            of[g] = min(sum(wanted < share[g] - 1e-6), numel(n) - 1) * (255 / (numel(n) - 1))
        end
        y = reshape(of[k], size(x))
    endif
end

% the threshold, 0 to 1 for 0 to 255, that divides the grey values best into two groups (Otsu)
% > print graythresh([10,20,200,210])
function t = graythresh(x)
    h = _levels(x) ./ max(numel(x), 1)
    w = cumsum(h)
    m = cumsum(h .* (0..255))
    between = (m[255] .* w - m).^2 ./ max(w .* (1 - w), 1e-12) .* (w > 0) .* (w < 0.999999)
    best = max(between)
    at = find(between >= best * 0.99999)
    t = best > 0 ? mean(at[:, 1]) / 255 : 0
end

% 1 for pixels brighter than a level from 0 to 1, by default that of graythresh
% > print im2bw([10,20,200,210])
function y = im2bw(x, level = -1)
    t = level < 0 ? graythresh(x) : level
    grey = ndims(x) > 2 ? rgb2gray(x) : x
    y = grey > 255 * t
end

% size and direction in degrees, against the clock, of the slope; method "sobel", "prewitt" or "central"
% > print imgradient([[0,0,0],[0,0,0],[9,9,9]])
function [size_of, direction] = imgradient(x, method = "sobel")
    [gx, gy] = _slopes(x, method)
    size_of = hypot(gx, gy)
    direction = atan2(-gy, gx) .* (180 / pi)
end

% slopes along columns and along rows
function [gx, gy] = _slopes(x, method)
    mask = [-1, 0, 1]
    match method with
    | "sobel" -> mask = transpose([1, 2, 1]) * [-1, 0, 1]
    | "prewitt" -> mask = transpose([1, 1, 1]) * [-1, 0, 1]
    | "central" -> mask = reshape([-0.5, 0, 0.5], [1, 3])
    | _ -> error "imgradient knows no method """, method, """: sobel, prewitt or central"
    end
    gx = imfilter(x, mask, [], "clamped")
    gy = imfilter(x, transpose(mask), [], "clamped")
end

% 1 at edges of a gray picture; method "sobel", "prewitt", "roberts", "log" or "canny" (threshold one number or [low,high], sigma). The masks look for edges "vertical", "horizontal" or "both", a word in place of threshold or sigma; the threshold that was used, and the slopes along rows and along columns of masks
% > print edge([[0,0,9,9],[0,0,9,9],[0,0,9,9]])
function [y, used, gv, gh] = edge(x, method = "sobel", threshold = [], sigma = 1.4142)
    direction = "both"
    if isstring(threshold)
        direction = lower(threshold)
        threshold = []
    endif
    if isstring(sigma)
        direction = lower(sigma)
        sigma = 1.4142
    endif
    used = isempty(threshold) ? 0.0 : sum(threshold)
    [gv, gh] = [[], []]
    match lower(method) with
    | "sobel" -> [y, used, gv, gh] = _edges_of_mask(x, [[-1,0,1],[-2,0,2],[-1,0,1]] ./ 8, direction, threshold)
    | "prewitt" -> [y, used, gv, gh] = _edges_of_mask(x, [[-1,0,1],[-1,0,1],[-1,0,1]] ./ 6, direction, threshold)
    | "roberts" -> [y, used] = _edges_of_slope(_masked(x, [[0,0,0],[0,1,0],[0,0,-1]] ./ 2), _masked(x, [[0,0,0],[0,0,1],[0,-1,0]] ./ 2), threshold)
    | "log" -> [y, used] = _edges_of_sign(x, threshold, sigma == 1.4142 ? 2.0 : sigma)
    | "canny" -> y = _edges_canny(x, threshold, sigma)
    | _ -> error "edge knows no method """, method, """: sobel, prewitt, roberts, log or canny"
    end
end

% edges by a mask for slopes along columns, and its transpose
function [y, used, gx, gy] = _edges_of_mask(x, mask, direction, threshold)
    [gx, gy] = [_masked(x, mask), _masked(x, transpose(mask))]
    if direction == "vertical"
        gy = 0 .* gy
    elseif direction == "horizontal"
        gx = 0 .* gx
    endif
    [y, used] = _edges_of_slope(gx, gy, threshold)
end

% a mask correlated with a picture, whose border is repeated
function y = _masked(x, mask)
    y = imfilter(float(x), mask, [], "clamped")
end

% where the Laplacian of the smoothed picture changes its sign by more than the threshold, by default 3/4 of its mean magnitude
function [y, t] = _edges_of_sign(x, threshold, sigma)
    n = 2 * int(ceil(3 * sigma)) + 1
    b = _masked(x, fspecial("log", n, sigma))
    t = isempty(threshold) ? 0.75 * mean(abs(b)) : sum(threshold)
    y = 0 .* b
    {!serial for}
    for k = 0..3
        c = _moved(b, [0, 0, 1, -1][k], [1, -1, 0, 0][k])
        y = max(y, (b < 0) .* (c > 0) .* (abs(b - c) > t))
    end
    y = y > 0
end

% ridges of the slope above the threshold, by default twice its quadratic mean
function [y, used] = _edges_of_slope(gx, gy, threshold)
    b = gx.^2 + gy.^2
    t = isempty(threshold) ? 4 * mean(b) : sum(threshold)^2
    [left, right, up, down] = [_moved(b, 0, -1), _moved(b, 0, 1), _moved(b, -1, 0), _moved(b, 1, 0)]
    across = (abs(gx) >= abs(gy)) .* (left <= b) .* (b > right)
    along = (abs(gy) >= abs(gx)) .* (up <= b) .* (b > down)
    y = (b > t) .* (across + along) > 0
    used = sqrt(t)
end

% the picture with the neighbour at this distance in place of each pixel, 0 outside
function y = _moved(x, r, c)
    [m, n] = size(x)
    y = zeros(m, n)
    if m > abs(r) && n > abs(c)
        y[max(0, -r)..m - 1 - max(0, r), max(0, -c)..n - 1 - max(0, c)] = x[max(0, r)..m - 1 + min(0, r), max(0, c)..n - 1 + min(0, c)]
    endif
end

% ridges of the slope of the smoothed picture that are strong or hang together with strong ones
function y = _edges_canny(x, threshold, sigma)
    [gx, gy] = _slopes(gaussian_filter(x, sigma, 0, "clamped"), "sobel")
    g = hypot(gx, gy)
    top = max(g)
    g = top > 0 ? g ./ top : g
    high = isempty(threshold) ? quantile(g, 0.7) : max(threshold)
    low = numel(threshold) > 1 ? min(threshold) : 0.4 * high
    % The direction in steps of 45 degrees: a ridge is higher than its neighbours on both sides.
    k = mod(round(atan2(gy, gx) .* (4 / pi)), 4)
    steps = [[0, 1], [1, 1], [1, 0], [1, -1]]
    ridge = zeros(size(g))
    {!serial for}
    for d = 0..3
        [r, c] = [steps[d, 0], steps[d, 1]]
        ridge = ridge + (k == d) .* (g >= _moved(g, r, c)) .* (g > _moved(g, -r, -c))
    end
    weak = (ridge > 0) .* (g > low)
    [labels, n] = bwlabel(weak)
    strong = zeros(n + 1)
    if n > 0
        strong = accumarray(reshape(labels, [1, numel(labels)]), reshape((weak > 0) .* (g > high), [1, numel(g)]), n + 1)
    endif
    y = reshape(strong[int(reshape(labels, [1, numel(labels)]))], size(x)) .* weak > 0
end

% votes of the set pixels for lines x*cos(theta) + y*sin(theta) = rho; theta in degrees, -90 to 89 by default, is the next
% argument or "Theta"; the distance of neighbours in rho is "RhoResolution", by default 1
% > print size(hough(eye(4)))
function [votes, theta, rho] = hough(x, ...options)
    [theta, fine] = [-90..89, 1]
    first = numel(options) > 0 && !isstring(options[0]) ? 1 : 0
    if first == 1 && !isempty(options[0])
        theta = options[0]
    endif
    {!serial for}
    for k = first..2..numel(options) - 2
        match lower(options[k]) with
        | "theta" -> theta = options[k + 1]
        | "rhoresolution" -> fine = options[k + 1]
        | _ -> error "hough knows no option """, options[k], """: Theta or RhoResolution"
        end
    end
    far = int(ceil(sqrt((size(x, 0) - 1)^2 + (size(x, 1) - 1)^2) / fine))
    rho = (-far..far) * fine
    votes = zeros(numel(rho), numel(theta))
    points = find(x)
    if numel(points) > 0
        [rows, columns] = [transpose(points[:, 0]), transpose(points[:, 1])]
        {!serial for}
        for k = 0..numel(theta) - 1
            a = theta[k] * pi / 180
            votes[:, k] = accumarray(int(round((columns .* cos(a) + rows .* sin(a)) ./ fine)) + far, 1, numel(rho))
        end
    endif
end

% cell with an object for each region of a labelled or black and white picture: Area, Centroid [x,y], BoundingBox [x,y,width,height]
% (whichever are named)
% > print regionprops([[1,1],[0,0]])[0].Area
function regions = regionprops(x, ...names)
    labels = max(max(x), 0) > 1 ? x : bwlabel(x)
    n = int(max(max(labels), 0))
    regions = cell(n)
    {!serial for}
    for k = 1..n
        points = find(labels == k)
        region = object(Area := size(points, 0), Centroid := [nan, nan], BoundingBox := [0, 0, 0, 0])
        if region.Area > 0
            low = min(points, [], 0)
            high = max(points, [], 0)
            middle = mean(points, 0)
            region.Centroid = [middle[1], middle[0]]
            region.BoundingBox = [low[1], low[0], high[1] - low[1] + 1, high[0] - low[0] + 1]
        endif
        regions[k - 1] = region
    end
end

% the picture at places given by column and row, channel by channel; 0 outside
function y = _at(x, columns, rows, method)
    if ndims(x) < 3
        y = interp2(x, columns, rows, method, 0)
    else
        y = zeros(size(columns, 0), size(columns, 1), size(x, 2))
        {!serial for}
        for k = 0..size(x, 2) - 1
            y[:, :, k] = interp2(x[:, :, k], columns, rows, method, 0)
        end
    endif
end

% places moved to the edge that rounding pushed over it; -1 for those that lie outside
function y = _snapped(at, n)
    inside = (at > -1e-3) .* (at < n - 1 + 1e-3)
    y = inside .* min(max(at, 0), n - 1) - (1 - inside)
end

% a picture turned by degrees against the clock; method "nearest", "linear" ("bilinear") or "cubic" ("bicubic"); box "loose" (all of it) or "crop" (same size), also in place of the method
% > print imrotate([[1,2],[3,4]], 90)
function y = imrotate(x, degrees, method = "nearest", box = "loose")
    [m, n] = [size(x, 0), size(x, 1)]
    a = degrees * pi / 180
    if lower(method) == "loose" || lower(method) == "crop"
        [box, method] = [lower(method), "nearest"]
    endif
    if lower(method) == "bilinear" || lower(method) == "bicubic"
        method = lower(method) == "bicubic" ? "cubic" : "linear"
    endif
    [c, s] = [cos(a), sin(a)]
    [h, w] = [m, n]
    if box == "loose"
        h = int(ceil(abs(m * c) + abs(n * s) - 1e-3))
        w = int(ceil(abs(n * c) + abs(m * s) - 1e-3))
    elseif box != "crop"
        error "imrotate knows no box """, box, """: loose or crop"
    endif
    [X, Y] = meshgrid((0..w - 1) - (w - 1) / 2, (0..h - 1) - (h - 1) / 2)
    columns = _snapped(c .* X - s .* Y + (n - 1) / 2, n)
    rows = _snapped(s .* X + c .* Y + (m - 1) / 2, m)
    y = _at(x, columns, rows, method)
end

% a picture moved so that the pixel at p = [column,row,1] comes to A*p (divided by its third component); same size, or that in sz
% > print imwarp([[1,2],[3,4]], [[1,0,1],[0,1,0],[0,0,1]])
function y = imwarp(x, A, method = "linear", sz = [])
    [h, w] = isempty(sz) ? [size(x, 0), size(x, 1)] : [sz[0], sz[1]]
    full = size(A, 0) == 3 ? A : vertcat(A, [[0, 0, 1]])
    B = inv(full)
    [X, Y] = meshgrid(0..w - 1, 0..h - 1)
    scale = B[2, 0] .* X + B[2, 1] .* Y + B[2, 2]
    y = _at(x, (B[0, 0] .* X + B[0, 1] .* Y + B[0, 2]) ./ scale, (B[1, 0] .* X + B[1, 1] .* Y + B[1, 2]) ./ scale, method)
end
