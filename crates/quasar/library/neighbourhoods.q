% Functions of the neighbourhoods of pixels, of black and white pictures, and measures of pictures.

% the rank-th smallest (from 0) of the pixels where the mask is not 0; beyond the border 0 counts, or the mirrored picture ("symmetric")
% > print ordfilt2([[1,2],[3,4]], 8, ones(3,3))
function y = ordfilt2(x, rank, mask, border = "zeros")
    n = size(mask, 0)
    m = size(mask, 1)
    p = padarray(x, [idivide(n, 2), idivide(m, 2)], border == "symmetric" ? "symmetric" : 0)
    inside = find(mask)
    count = size(inside, 0)
    assert(rank >= 0 && rank < count, "ordfilt2: the rank lies outside of the mask")
    y = 0.0 .* x
    {!serial for}
    for i = 0..size(x, 0) - 1
        {!serial for}
        for j = 0..size(x, 1) - 1
            v = zeros(count)
            {!serial for}
            for k = 0..count - 1
                v[k] = p[i + inside[k, 0], j + inside[k, 1]]
            end
            y[i, j] = sort(v)[rank]
        end
    end
end

% the mean over n by n pixels, the border mirrored
function y = _box_mean(x, n)
    h = idivide(n, 2)
    y = imfilter(padarray(x, [h, h], "symmetric"), ones(n, n) ./ (n * n))[h..h + size(x, 0) - 1, h..h + size(x, 1) - 1]
end

% the deviation (of a sample) of n by n pixels around each
% > print stdfilt([[1,1],[1,5]])
function y = stdfilt(x, n = 3)
    centre = mean(x)
    m = _box_mean(x - centre, n)
    y = sqrt(max(_box_mean((x - centre).^2, n) - m.^2, 0) .* (n * n / (n * n - 1.0)))
end

% the greatest minus the least of n by n pixels around each
% > print rangefilt([[1,1],[1,5]])
function y = rangefilt(x, n = 3)
    y = imdilate(x, ones(n, n)) - imerode(x, ones(n, n))
end

% noise removed by Wiener's filter over n by n pixels; noise is its variance, by default the mean of the local variances
% > print size(wiener2(ones(4,4)))
function y = wiener2(x, n = 3, noise = -1)
    side = int(max(n))
    kernel = ones(side, side) ./ (side * side)
    m = imfilter(float(x), kernel, [], "safe")
    v = imfilter(float(x).^2, kernel, [], "safe") - m.^2
    level = noise < 0 ? mean(v) : noise
    y = m + max(v - level, 0) ./ max(max(v, level), 1e-30) .* (x - m)
end

% slopes along columns and along rows; method "sobel", "prewitt" or "central"
% > [gx, gy] = imgradientxy([[0,0,9],[0,0,9],[0,0,9]]); print gx[1,1], " ", gy[1,1]
function [gx, gy] = imgradientxy(x, method = "sobel")
    mask = [-1, 0, 1]
    match method with
    | "sobel" -> mask = transpose([1, 2, 1]) * [-1, 0, 1]
    | "prewitt" -> mask = transpose([1, 1, 1]) * [-1, 0, 1]
    | "central" -> mask = reshape([-0.5, 0, 0.5], [1, 3])
    | _ -> error "imgradientxy knows no method """, method, """: sobel, prewitt or central"
    end
    gx = imfilter(x, mask, [], "clamped")
    gy = imfilter(x, transpose(mask), [], "clamped")
end

% pixels of a black and white picture that have a black one (or the border) above, below, left or right of them, or at a corner if edges is 8
% > print bwperim([[1,1,1],[1,1,1],[1,1,1]])
function y = bwperim(x, edges = 4)
    p = padarray(x != 0, [1, 1])
    corners = edges == 8 ? 1 : 0
    y = zeros(size(x, 0), size(x, 1))
    for i = 0..size(x, 0) - 1
        for j = 0..size(x, 1) - 1
            beside = p[i, j + 1] * p[i + 2, j + 1] * p[i + 1, j] * p[i + 1, j + 2] == 0
            across = corners > 0 && p[i, j] * p[i + 2, j] * p[i, j + 2] * p[i + 2, j + 2] == 0
            y[i, j] = p[i + 1, j + 1] > 0 && (beside || across)
        end
    end
end

% a black and white picture without its regions of fewer than n pixels
% > print bwareaopen([1,0,1,1], 2)
function y = bwareaopen(x, n)
    regions = bwlabel(x != 0)
    area = _areas(regions)
    y = zeros(size(x, 0), size(x, 1))
    for i = 0..size(x, 0) - 1
        for j = 0..size(x, 1) - 1
            y[i, j] = regions[i, j] > 0 && area[int(regions[i, j])] >= n
        end
    end
end

% how often each number of a picture of regions occurs
function h = _areas(regions)
    h = zeros(numel(regions) > 0 ? int(max(regions)) + 1 : 1)
    for i = 0..size(regions, 0) - 1
        for j = 0..size(regions, 1) - 1
            h[int(regions[i, j])] += 1
        end
    end
end

% the distance of each pixel from the nearest white one, infinite if there is none
% > print bwdist([1,0,0])
function y = bwdist(x)
    n = size(x, 0)
    m = size(x, 1)
    along = zeros(n, m)
    for i = 0..n - 1
        for j = 0..m - 1
            d = inf
            {!serial for}
            for k = 0..n - 1
                d = x[k, j] != 0 ? min(d, float((i - k) * (i - k))) : d
            end
            along[i, j] = d
        end
    end
    y = zeros(n, m)
    for i = 0..n - 1
        for j = 0..m - 1
            d = inf
            {!serial for}
            for k = 0..m - 1
                d = min(d, along[i, k] + (j - k) * (j - k))
            end
            y[i, j] = sqrt(d)
        end
    end
end

% black and white pictures changed n times (0: until nothing changes): "remove" inner pixels, "clean" single pixels, "fill" single
% holes, "majority", "dilate", "erode", "open", "close", "thin" and "skel" to lines, "spur" their ends, or "endpoints" and "branchpoints" alone
% > print bwmorph([[1,1,1],[1,1,1],[1,1,1]], "remove")
function y = bwmorph(x, what, n = 1)
    y = (x != 0) + 0.0
    k = 0
    {!serial for}
    repeat
        before = y
        match what with
        | "remove" -> y = y - (imfilter(y, [[0, 1, 0], [1, 1, 1], [0, 1, 0]], [], "safe") == 5)
        | "clean" -> y = y .* (imfilter(y, ones(3, 3), [], "safe") > 1)
        | "fill" -> y = max(y, imfilter(y, [[0, 1, 0], [1, 0, 1], [0, 1, 0]], [], "safe") == 4)
        | "majority" -> y = (imfilter(y, ones(3, 3), [], "safe") > 4) + 0.0
        | "dilate" -> y = imdilate(y, ones(3, 3))
        | "erode" -> y = imerode(y, ones(3, 3))
        | "open" -> y = imopen(y, ones(3, 3))
        | "close" -> y = imclose(y, ones(3, 3))
        | "spur" -> y = y .* (1 - _line_ends(y))
        | "endpoints" -> y = _line_ends(y)
        | "branchpoints" -> y = y .* (_crossings(y) > 2)
        | ("thin", "skel") -> y = _thinned(_thinned(y, 0), 1)
        | _ -> error "bwmorph knows no operation """, what, """: remove, clean, fill, majority, dilate, erode, open, close, spur, endpoints, branchpoints, thin or skel"
        end
        k += 1
        again = (n == 0 || k < n) && any(y != before)
    until again == 0
end

% how often the neighbours of each pixel change from 0 to 1 on the way around it
function c = _crossings(x)
    [r, d] = size(x, 0..1)
    p = padarray(x, [1, 1])
    [di, dj] = [[0, 0, 1, 2, 2, 2, 1, 0], [1, 2, 2, 2, 1, 0, 0, 0]]
    c = zeros(r, d)
    {!serial for}
    for k = 0..7
        l = mod(k + 1, 8)
        a = p[int(di[k])..int(di[k]) + r - 1, int(dj[k])..int(dj[k]) + d - 1]
        b = p[int(di[l])..int(di[l]) + r - 1, int(dj[l])..int(dj[l]) + d - 1]
        c = c + (1 - a) .* b
    end
end

% pixels at which lines end: their neighbours are one, or two that lie side by side
function y = _line_ends(x)
    n = imfilter(x, [[1, 1, 1], [1, 0, 1], [1, 1, 1]], [], "safe")
    y = x .* (_crossings(x) <= 1) .* (n > 0) .* (n < 3)
end

% one half step of thinning (Guo and Hall): pixels of a border go that join nothing and end no line
function y = _thinned(x, half)
    p = padarray(x, [1, 1])
    y = copy(x)
    for i = 0..size(x, 0) - 1
        for j = 0..size(x, 1) - 1
            e = p[i + 1, j + 2]
            ne = p[i, j + 2]
            n = p[i, j + 1]
            nw = p[i, j]
            w = p[i + 1, j]
            sw = p[i + 2, j]
            s = p[i + 2, j + 1]
            se = p[i + 2, j + 2]
            joined = (1 - e) * max(ne, n) + (1 - n) * max(nw, w) + (1 - w) * max(sw, s) + (1 - s) * max(se, e)
            one = max(e, ne) + max(n, nw) + max(w, sw) + max(s, se)
            two = max(ne, n) + max(nw, w) + max(sw, s) + max(se, e)
            least = min(one, two)
            kept = half == 0 ? max(max(ne, n), 1 - se) * e : max(max(sw, s), 1 - nw) * w
            if joined == 1 && least >= 2 && least <= 3 && kept == 0
                y[i, j] = 0
            endif
        end
    end
end

% the blocks of rows by columns pixels as the columns of a matrix; kind "sliding" or "distinct" (the last ones filled with zeros)
% > print im2col([[1,2],[3,4],[5,6]], [2,2])
function y = im2col(x, block, kind = "sliding")
    m = int(block[0])
    n = int(block[1])
    sliding = kind == "sliding"
    down = sliding ? max(size(x, 0) - m + 1, 0) : idivide(size(x, 0) + m - 1, m)
    right = sliding ? max(size(x, 1) - n + 1, 0) : idivide(size(x, 1) + n - 1, n)
    p = sliding ? 1 : m
    q = sliding ? 1 : n
    y = zeros(m * n, down * right) + (iscomplex(x) ? 0i : 0)
    for c = 0..down * right - 1
        for r = 0..m * n - 1
            i = idivide(c, right) * p + idivide(r, n)
            j = mod(c, right) * q + mod(r, n)
            y[r, c] = i < size(x, 0) && j < size(x, 1) ? x[i, j] : 0
        end
    end
end

% a function of each block of rows by columns pixels, its results put together; blocks at the right and below may be smaller
% > print blockproc([[1,2],[3,4]], [1,2], b -> sum(b))
function y = blockproc(x, block, f)
    m = int(block[0])
    n = int(block[1])
    y = []
    {!serial for}
    for i = 0..m..size(x, 0) - 1
        row = []
        {!serial for}
        for j = 0..n..size(x, 1) - 1
            part = f(x[i..min(i + m, size(x, 0)) - 1, j..min(j + n, size(x, 1)) - 1])
            part = numel(part) == 1 ? reshape([sum(part)], [1, 1]) : part
            row = numel(row) == 0 ? part : horzcat(row, part)
        end
        y = numel(y) == 0 ? row : vertcat(y, row)
    end
end

% a function of the rows by columns pixels around each pixel, 0 beyond the border
% > print nlfilter([[1,2],[3,4]], [3,3], b -> max(b))
function y = nlfilter(x, block, f)
    m = int(block[0])
    n = int(block[1])
    p = padarray(x, [idivide(m, 2), idivide(n, 2)])
    y = zeros(size(x, 0), size(x, 1))
    {!serial for}
    for i = 0..size(x, 0) - 1
        {!serial for}
        for j = 0..size(x, 1) - 1
            y[i, j] = f(p[i..i + m - 1, j..j + n - 1])
        end
    end
end

% the mean of all pixels
% > print mean2([[1,2],[3,4]])
function y = mean2(x)
    y = mean(x)
end

% the deviation (of a sample) of all pixels
% > print std2([[1,2],[3,4]])
function y = std2(x)
    n = numel(x)
    y = std(x) * sqrt(n / max(n - 1.0, 1.0))
end

% the correlation coefficient of two pictures
% > print corr2([[1,2],[3,4]], [[2,4],[6,9]])
function r = corr2(x, z)
    a = x - mean(x)
    b = z - mean(z)
    r = sum(a .* conj(b)) / sqrt(sum(abs(a).^2) * sum(abs(b).^2))
end

% the mean of the squared differences of two pictures
% > print immse([1,2], [1,4])
function y = immse(x, z)
    y = mean((x - z).^2)
end

% the ratio of the peak (255 by default) to the differences of two pictures, in decibels
% > print psnr([1,2], [1,4])
function y = psnr(x, z, peak = 255)
    y = 10 * log10(peak^2 / immse(x, z))
end

% the likeness of two pictures, 1 if they are equal (mean over a Gaussian window of deviation 1.5)
% > print ssim(ones(4,4), ones(4,4))
function y = ssim(x, z, peak = 255)
    c = (0.01 * peak)^2
    d = (0.03 * peak)^2
    g = fspecial("gaussian", 11, 1.5)
    a = imfilter(float(x), g, [], "clamped")
    b = imfilter(float(z), g, [], "clamped")
    vx = imfilter(float(x).^2, g, [], "clamped") - a.^2
    vz = imfilter(float(z).^2, g, [], "clamped") - b.^2
    both = imfilter(float(x) .* z, g, [], "clamped") - a .* b
    y = mean((2 .* a .* b + c) .* (2 .* both + d) ./ ((a.^2 + b.^2 + c) .* (vx + vz + d)))
end

% the entropy of the grey values 0 to 255 in bits
% > print entropy([0,255])
function y = entropy(x)
    p = imhist(x) ./ max(numel(x), 1)
    y = -sum(p .* log2(max(p, 1e-30)))
end

% the correlation of a template with every place of a picture, -1 to 1, with the borders that conv2 has
% > print size(normxcorr2(ones(2,2), ones(4,4)))
function y = normxcorr2(template, x)
    t = template - mean(template)
    flipped = fliplr(flipud(t))
    area = ones(size(t, 0), size(t, 1))
    s = conv2(float(x), area)
    v = conv2(float(x).^2, area) - s.^2 ./ numel(t)
    power = sum(t.^2)
    y = conv2(float(x), flipped) ./ sqrt(max(v .* power, 1e-20)) .* (v > 1e-6 * max(max(v), 1e-20))
end

% noise added: "gaussian" (mean, variance, both for values 0 to 1), "salt & pepper" (part), "speckle" (variance)
% > print size(imnoise(ones(3,3), "gaussian"))
function y = imnoise(x, kind, a = -1, b = 0.01)
    n = size(x, 0)
    m = size(x, 1)
    match lower(kind) with
    | "gaussian" -> y = min(max(x + 255 .* ((a < 0 ? 0 : a) + sqrt(b) .* randn(size(x))), 0), 255)
    | "speckle" -> y = min(max(x + x .* sqrt(a < 0 ? 0.05 : a) .* randn(size(x)), 0), 255)
    | "salt & pepper" -> y = _salted(x, a < 0 ? 0.05 : a)
    | _ -> error "imnoise knows no noise """, kind, """: gaussian, salt & pepper or speckle"
    end
end

% a part of the pixels black or white
function y = _salted(x, part)
    r = rand(size(x))
    y = x .* (r >= part) + 255 .* (r < part / 2)
end

% how often grey values stand side by side: levels by levels counts of pairs offset = [rows,columns] apart, of values 0 to 255; options also as "NumLevels", n and "Offset", [rows,columns]
% > print graycomatrix([0,255,255], 2)
function c = graycomatrix(x, ...options)
    [levels, offset, k] = [8, [0, 1], 0]
    {!serial for}
    while k < numel(options)
        if isstring(options[k])
            match lower(options[k]) with
            | "offset" -> offset = options[k + 1]
            | "numlevels" -> levels = options[k + 1]
            | _ -> error "graycomatrix knows no option """, options[k], """: NumLevels or Offset"
            end
            k += 2
        else
            if k == 0
                levels = options[0]
            else
                offset = options[k]
            endif
            k += 1
        endif
    end
    g = int(min(floor(x .* (levels / 256)), levels - 1))
    c = zeros(levels, levels)
    di = int(offset[0])
    dj = int(offset[1])
    for i = max(-di, 0)..size(x, 0) - 1 - max(di, 0)
        for j = max(-dj, 0)..size(x, 1) - 1 - max(dj, 0)
            c[g[i, j], g[i + di, j + dj]] += 1
        end
    end
end

% contrast, correlation, energy and homogeneity of the counts of graycomatrix, or an object with those that are named
% > [contrast, correlation, energy, homogeneity] = graycoprops([[1,0],[0,1]]); print contrast, energy
function [contrast, correlation, energy, homogeneity] = graycoprops(c, name = "")
    n = size(c, 0)
    p = c ./ sum(c)
    i = transpose(0..n - 1) * ones(1, n)
    j = transpose(i)
    a = sum(i .* p)
    b = sum(j .* p)
    contrast = sum((i - j).^2 .* p)
    correlation = sum((i - a) .* (j - b) .* p) / sqrt(sum((i - a).^2 .* p) * sum((j - b).^2 .* p))
    energy = sum(p.^2)
    homogeneity = sum(p ./ (1 + abs(i - j)))
    match lower(name) with
    | "" ->
    | "contrast" -> contrast = object(Contrast := contrast)
    | "correlation" -> contrast = object(Correlation := correlation)
    | "energy" -> contrast = object(Energy := energy)
    | "homogeneity" -> contrast = object(Homogeneity := homogeneity)
    | "all" -> contrast = object(Contrast := contrast, Correlation := correlation, Energy := energy, Homogeneity := homogeneity)
    | _ -> error "graycoprops knows no property """, name, """: contrast, correlation, energy, homogeneity or all"
    end
end

% the regions of a picture of 0 and 1 as an object: NumObjects, ImageSize, Connectivity and PixelIdxList, a cell with the places of each
% region's pixels, counted row by row
% > print bwconncomp([[1,0,1],[1,0,0]]).NumObjects
function c = bwconncomp(picture, edges = 8)
    [labels, n] = bwlabel(picture, edges)
    flat = reshape(labels, [1, numel(labels)])
    places = cell(1, n)
    {!serial for}
    for k = 0..n - 1
        places[k] = transpose(find(flat == k + 1)[:, 1])
    end
    c = object(Connectivity := edges, ImageSize := size(picture), NumObjects := n, PixelIdxList := places)
end
