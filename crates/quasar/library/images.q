% More functions of pictures: conversions, arithmetic, masks, neighbourhoods, reconstruction, measures of likeness. Grey values lie in 0 to 255.

% pictures with values 0 to 255 as values 0 to 1
% > print im2double([0,255])
function y = im2double(x)
    y = float(x) ./ 255
end

% pictures with values 0 to 1 as whole values 0 to 255
% > print im2uint8([0,0.5,1])
function y = im2uint8(x)
    y = min(max(round(x .* 255), 0), 255)
end

% a matrix with its least element at 0 and its greatest at 1, or a given range of it
% > print mat2gray([1,2,5])
function y = mat2gray(x, limits = [])
    a = numel(limits) > 1 ? limits[0] : min(x)
    b = numel(limits) > 1 ? limits[1] : max(x)
    y = min(max((x - a) ./ (b > a ? b - a : 1), 0), 1)
end

% 1 for pixels brighter than a level from 0 to 1 (by default, or with "global", that of graythresh), or than the levels of a matrix; "adaptive" takes those of adaptthresh, with "Sensitivity" and "ForegroundPolarity"
% > print imbinarize([10,20,200,210])
function y = imbinarize(x, level = -1, ...options)
    o = _named_options("imbinarize", options, {"sensitivity", "foregroundpolarity"}, {0.5, "bright"})
    [fine, dark] = {o[0], o[1]}
    if isstring(level) && lower(level) == "adaptive"
        limits = adaptthresh(x, fine, "ForegroundPolarity", dark) * 255
        y = lower(dark) == "dark" ? float(x) <= limits : float(x) > limits
    elseif isstring(level)
        assert(lower(level) == "global", "imbinarize knows the methods ""global"" and ""adaptive""")
        y = im2bw(x)
    elseif numel(level) > 1
        y = float(x) > level * 255
    else
        y = im2bw(x, level)
    endif
end

% levels from 0 to 1 for each pixel: the mean of its neighbourhood (an eighth of the picture), lower the greater the sensitivity
% > print size(adaptthresh(ones(32,32)))
function y = adaptthresh(x, sensitivity = 0.5, ...options)
    o = _named_options("adaptthresh", options, {"neighborhoodsize", "foregroundpolarity", "statistic"}, {2 * floor(size(x, 0..1) / 16) + 1, "bright", "mean"})
    [extent, dark, kind] = {o[0], o[1], o[2]}
    assert(lower(kind) == "mean", "adaptthresh takes the mean of a neighbourhood")
    [h, w] = numel(extent) > 1 ? [int(extent[0]), int(extent[1])] : [int(extent[0]), int(extent[0])]
    means = imfilter(float(x) / 255.0, ones(h, w) / (h * w), "replicate")
    scale = lower(dark) == "dark" ? 0.4 + sensitivity : 1.6 - sensitivity
    y = min(max(means * scale, 0), 1)
end

% options of a function: values in their order, then names with values; those that are left out are as given
function values = _named_options(who, options, names, usual)
    values = copy(usual)
    k = 0
    while k < numel(options) && !isstring(options[k])
        values[k] = options[k]
        k += 1
    end
    while k < numel(options)
        at = -1
        for i = 0..numel(names)-1
            if names[i] == lower(options[k])
                at = i
            endif
        end
        assert(at >= 0 && k + 1 < numel(options), strcat(who, " knows no option """, options[k], """, or it has no value"))
        values[at] = options[k + 1]
        k += 2
    end
end

% a grey picture as one with three equal channels
% > print size(gray2rgb(ones(2,2)))
function y = gray2rgb(x)
    y = cat(2, x, x, x)
end

% the colours of a picture of numbers of regions; 0 is black
% > print size(label2rgb([[0,1],[2,1]]))
function y = label2rgb(x)
    n = size(x, 0)
    m = size(x, 1)
    y = zeros(n, m, 3)
    for i = 0..n - 1
        for j = 0..m - 1
            h = x[i, j] * 0.61803399
            h = 6 * (h - floor(h))
            on = x[i, j] > 0 ? 255 : 0
            y[i, j, 0] = on * min(max(abs(h - 3) - 1, 0), 1)
            y[i, j, 1] = on * min(max(2 - abs(h - 2), 0), 1)
            y[i, j, 2] = on * min(max(2 - abs(h - 4), 0), 1)
        end
    end
end

% the part of a picture from row and column on, with so many rows and columns: place = [column, row, width, height], counted from 0
% > print imcrop([[1,2,3],[4,5,6]], [1,0,2,2])
function y = imcrop(x, place)
    j = int(place[0])
    i = int(place[1])
    columns = j..j + int(place[2]) - 1
    rows = i..i + int(place[3]) - 1
    y = ndims(x) > 2 ? x[rows, columns, :] : x[rows, columns]
end

% a picture moved by so many columns and rows; what comes in is 0
% > print imtranslate([[1,2],[3,4]], [1,0])
function y = imtranslate(x, by)
    y = 0 .* x
    dj = int(by[0])
    di = int(by[1])
    for i = 0..size(x, 0) - 1
        for j = 0..size(x, 1) - 1
            for k = 0..size(x, 2) - 1
                inside = i - di >= 0 && i - di < size(x, 0) && j - dj >= 0 && j - dj < size(x, 1)
                y[i, j, k] = inside ? x[i - di, j - dj, k] : 0
            end
        end
    end
end

% a picture with more rows and columns, [rows,columns] on each side: of a value, or "replicate", "symmetric" or "circular";
% direction "both", "pre" or "post"
% > print padarray([1,2], [0,1])
function y = padarray(x, by, fill = 0, direction = "both")
    p = int(by[0])
    q = numel(by) > 1 ? int(by[1]) : 0
    before = direction == "post" ? 0 : 1
    sides = direction == "both" ? 2 : 1
    rows = size(x, 0) + sides * p
    columns = size(x, 1) + sides * q
    y = size(x, 2) > 1 ? zeros(rows, columns, size(x, 2)) : zeros(rows, columns)
    y = iscomplex(x) ? y + 0i : y
    mode = type(fill, "string") ? fill : "value"
    value = type(fill, "string") ? 0.0 : float(fill)
    known = mode == "value" || mode == "replicate" || mode == "symmetric" || mode == "circular"
    assert(known, "padarray: the mode is a value, ""replicate"", ""symmetric"" or ""circular""")
    assert(mode == "value" || numel(x) > 0, "padarray: an empty array has no border")
    i = _padded_places(rows, before * p, size(x, 0), mode)
    j = _padded_places(columns, before * q, size(x, 1), mode)
    for m = 0..rows - 1
        for n = 0..columns - 1
            for k = 0..size(y, 2) - 1
                y[m, n, k] = i[m] < 0 || j[n] < 0 ? value : x[max(i[m], 0), max(j[n], 0), k]
            end
        end
    end
end

% where each element of a padded line comes from, -1 for nowhere
function at = _padded_places(total, before, n, mode)
    t = (0..total - 1) - before
    if mode == "replicate"
        at = min(max(t, 0), n - 1)
    elseif mode == "circular"
        at = mod(t, n)
    elseif mode == "symmetric"
        u = mod(t, 2 * n)
        at = min(u, 2 * n - 1 - u)
    else
        inside = (t >= 0) .* (t < n)
        at = inside .* (t + 1) - 1
    endif
    at = int(at)
end

% how many pixels have the grey values 0 to 255, rounded, or lie nearest to each of n values spread evenly over 0 to 255; these values
% > print imhist([1,1,2])[0..3]
function [h, values] = imhist(x, n = 256)
    scale = (n - 1) / 255.0
    v = int(min(max(round(reshape(x, [1, numel(x)]) .* scale), 0), n - 1))
    h = zeros(int(n))
    values = (0..int(n) - 1) ./ scale
    for i = 0..numel(v) - 1
        h[v[i]] += 1
    end
end

% grey values from and to which imadjust stretches: all but the darkest and brightest part
% > print stretchlim(0..255)
function limits = stretchlim(x, part = 0.01)
    c = cumsum(imhist(x)) ./ max(numel(x), 1)
    limits = [sum(c <= part), sum(c < 1 - part)]
end

% filter masks: "average" (size), "gaussian" (size, sigma), "laplacian" (alpha), "log" (size, sigma), "sobel", "prewitt",
% "unsharp" (alpha), "disk" (radius), "motion" (length, angle 0 or 90)
% > print fspecial("sobel")
function h = fspecial(name, a = [], b = 0.5)
    match name with
    | "average" -> h = ones(_extent(a, 0), _extent(a, 1)) ./ (_extent(a, 0) * _extent(a, 1))
    | "gaussian" -> h = _gaussian(_extent(a, 0), _extent(a, 1), b)
    | "laplacian" -> h = _laplacian(numel(a) > 0 ? sum(a) : 0.2)
    | "log" -> h = _laplacian_of_gaussian(numel(a) > 0 ? _extent(a, 0) : 5, numel(a) > 0 ? _extent(a, 1) : 5, b)
    | "sobel" -> h = [[1, 2, 1], [0, 0, 0], [-1, -2, -1]]
    | "prewitt" -> h = [[1, 1, 1], [0, 0, 0], [-1, -1, -1]]
    | "unsharp" -> h = [[0, 0, 0], [0, 1, 0], [0, 0, 0]] - _laplacian(numel(a) > 0 ? sum(a) : 0.2)
    | "disk" -> h = _disk(numel(a) > 0 ? sum(a) : 5)
    | "motion" -> h = _motion(numel(a) > 0 ? sum(a) : 9, b)
    | _ -> error "fspecial knows no mask """, name, """: average, gaussian, laplacian, log, sobel, prewitt, unsharp, disk or motion"
    end
end

% rows (0) or columns (1) of a mask whose size is a number, two numbers or left out (3)
function n = _extent(a, k)
    n = numel(a) == 0 ? 3 : numel(a) == 1 ? int(sum(a)) : int(a[k])
end

% squared distances of the places of a mask from its middle
function r = _distances(m, n)
    r = zeros(m, n)
    for i = 0..m - 1
        for j = 0..n - 1
            r[i, j] = (i - (m - 1) / 2)^2 + (j - (n - 1) / 2)^2
        end
    end
end

% a Gaussian whose elements sum to 1
function h = _gaussian(m, n, sigma)
    h = exp(-_distances(m, n) ./ (2 * sigma^2))
    h = h ./ sum(h)
end

% a Laplacian; alpha is the weight of the corners
function h = _laplacian(alpha)
    corner = alpha / (alpha + 1)
    side = (1 - alpha) / (alpha + 1)
    h = [[corner, side, corner], [side, -4 / (alpha + 1), side], [corner, side, corner]]
end

% the Laplacian of a Gaussian; its elements sum to 0
function h = _laplacian_of_gaussian(m, n, sigma)
    r = _distances(m, n)
    g = exp(-r ./ (2 * sigma^2))
    h = g .* (r - 2 * sigma^2) ./ (sigma^4 * sum(g))
    h = h - mean(h)
end

% a disk, each pixel by the part of it that lies inside (from 15 by 15 points of it)
function h = _disk(radius)
    c = int(ceil(radius - 0.5))
    n = 2 * c + 1
    h = zeros(n, n)
    for i = 0..n - 1
        for j = 0..n - 1
            s = 0.0
            {!serial for}
            for p = 0..14
                {!serial for}
                for q = 0..14
                    u = i - c + (p - 7) / 15
                    v = j - c + (q - 7) / 15
                    s += u * u + v * v <= radius * radius ? 1 : 0
                end
            end
            h[i, j] = s
        end
    end
    h = h ./ sum(h)
end

% a line of so many pixels, whose direction is turned from the row by an angle in degrees, counterclockwise; pixels count by how near
% they lie to it
function h = _motion(length, angle)
    degrees = angle == 0.5 ? 0.0 : mod(angle, 180) * 1.0
    phi = degrees * pi / 180
    half = (max(1, length) - 1) / 2.0
    [c, s] = [cos(phi), sin(phi)]
    [m, n] = [int(floor(half * abs(s) + 1e-6)), int(floor(half * abs(c) + 1e-6))]
    [x, y] = meshgrid(float(-n - 1..n + 1), float(-m - 1..m + 1))
    across = abs(x .* s + y .* c)
    along = abs(x .* c - y .* s)
    beyond = max(along - half, 0)
    h = max(1 - sqrt(across.^2 + beyond.^2), 0)
    h = h .* (h > 1e-6)
    % rows and columns of zeros at the edges go
    top = int(find(max(h, [], 1) > 0)[0, 0])
    left = int(find(max(h, [], 0) > 0)[0, 1])
    h = h[top..size(h, 0) - 1 - top, left..size(h, 1) - 1 - left]
    h = h ./ sum(h)
end

% a picture blurred by a Gaussian of standard deviation sigma, with its border repeated
% > print imgaussfilt([[0,0,0],[0,9,0],[0,0,0]], 0.5)
function y = imgaussfilt(x, sigma = 0.5)
    y = gaussian_filter(x, sigma, 2 * int(ceil(2 * sigma)) + 1, "clamped")
end

% the absolute difference of two pictures
% > print imabsdiff([1,5], [4,4])
function y = imabsdiff(x, z)
    y = abs(x - z)
end

% the sum of two pictures, at most 255
% > print imadd([200,100], 100)
function y = imadd(x, z)
    y = min(max(x + z, 0), 255)
end

% the difference of two pictures, at least 0
% > print imsubtract([200,50], 100)
function y = imsubtract(x, z)
    y = min(max(x - z, 0), 255)
end

% the product of two pictures, at most 255
% > print immultiply([200,50], 2)
function y = immultiply(x, z)
    y = min(max(x .* z, 0), 255)
end

% the quotient of two pictures, from 0 to 255
% > print imdivide([200,50], 2)
function y = imdivide(x, z)
    y = min(max(x ./ z, 0), 255)
end

% the negative: 255 minus the pixels, or 1 minus those of a picture of 0 and 1
% > print imcomplement([0,200])
function y = imcomplement(x)
    y = (numel(x) > 0 && max(x) <= 1 ? 1 : 255) - x
end

% structuring elements: "square" (side), "rectangle" ([rows,columns]), "disk" (radius), "diamond" (radius), "line" (length, angle 0 or 90)
% > print strel("diamond", 1)
function m = strel(shape, n = 3, angle = 0)
    match shape with
    | "square" -> m = ones(int(n), int(n))
    | "rectangle" -> m = ones(int(n[0]), int(n[1]))
    | "disk" -> m = (_distances(2 * int(n) + 1, 2 * int(n) + 1) <= n * n) + 0
    | "diamond" -> m = _diamond(int(n))
    | "line" -> m = angle == 90 ? ones(int(n), 1) : ones(1, int(n))
    | _ -> error "strel knows no shape """, shape, """: square, rectangle, disk, diamond or line"
    end
end

% the places at most n steps along rows and columns from the middle
function m = _diamond(n)
    m = zeros(2 * n + 1, 2 * n + 1)
    for i = 0..2 * n
        for j = 0..2 * n
            m[i, j] = abs(i - n) + abs(j - n) <= n
        end
    end
end

% bright details: a picture minus its opening
% > print imtophat([[1,1,1],[1,9,1],[1,1,1]], ones(3,3))
function y = imtophat(x, mask = ones(3, 3))
    y = x - imopen(x, mask)
end

% dark details: the closing of a picture minus the picture
% > print imbothat([[9,9,9],[9,1,9],[9,9,9]], ones(3,3))
function y = imbothat(x, mask = ones(3, 3))
    y = imclose(x, mask) - x
end

% the marker grown inside the mask: dilated again and again, never above the mask, until nothing changes
% > print imreconstruct([0,1,0,0], [2,2,0,2])
function y = imreconstruct(marker, mask)
    y = min(marker, mask)
    {!serial for}
    repeat
        before = y
        y = min(imdilate(y, ones(3, 3)), mask)
        again = any(y != before)
    until again == 0
end

% 1 at pixels from which every way up goes down first
% > print imregionalmax([1,3,1,2])
function y = imregionalmax(x)
    step = max(max(abs(x)) * 0.00001, 1e-30)
    y = x - imreconstruct(x - step, x) > step / 2
end

% 1 at pixels from which every way down goes up first
% > print imregionalmin([1,3,1,2])
function y = imregionalmin(x)
    y = imregionalmax(-x)
end
