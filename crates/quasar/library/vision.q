% Pictures as programs of MATLAB treat them: peaks and segments of Hough's transform, regions and their borders, watersheds, restoration.

% the highest cells of Hough's votes, at most n of them, that lie apart: a row of distance and angle indices for each. Fewest votes and size of what counts as near are next, or "Threshold" and "NHoodSize"
% > print size(houghpeaks(eye(5), 2))
function p = houghpeaks(votes, n = 1, ...options)
    o = _named_options("houghpeaks", options, {"threshold", "nhoodsize"}, {[], []})
    [threshold, apart] = {o[0], o[1]}
    v = float(votes) + 0.0
    [r, c] = size(v, 0..1)
    least = isempty(threshold) ? 0.5 * max(v) : float(threshold[0])
    near = isempty(apart) ? [2 * idivide(idivide(r, 50) + 1, 2) + 1, 2 * idivide(idivide(c, 50) + 1, 2) + 1] : apart
    [dr, dc] = [idivide(int(near[0]), 2), idivide(int(near[1]), 2)]
    p = []
    {!serial for}
    for k = 1..n
        [top, at] = max(reshape(v, [1, r * c]))
        if top < least || top <= 0
            break
        endif
        [i, j] = [idivide(at, c), mod(at, c)]
        p = isempty(p) ? reshape([i, j], [1, 2]) : vertcat(p, [i, j])
        v[max(0, i - dr)..min(r - 1, i + dr), max(0, j - dc)..min(c - 1, j + dc)] = 0
    end
end

% borders of the regions of a picture of 0 and 1, as a cell of rows of row and column, clockwise from the first pixel of a region
% > b = bwboundaries([[0,0,0],[0,1,0],[0,0,0]]); print b[0]
function b = bwboundaries(x)
    regions = bwlabel(x)
    n = int(max(regions))
    b = cell(n)
    {!serial for}
    for k = 1..n
        b[k - 1] = _border(regions == k)
    end
end

% the border of one region, by Moore's neighbours
function p = _border(x)
    [r, c] = size(x, 0..1)
    m = zeros(r + 2, c + 2)
    m[1..r, 1..c] = float(x)
    at = find(m)
    [i, j] = [int(at[0, 0]), int(at[0, 1])]
    [di, dj] = [[-1, -1, 0, 1, 1, 1, 0, -1], [0, 1, 1, 1, 0, -1, -1, -1]]
    [si, sj] = [i, j]
    list = zeros(4 * r * c + 4, 2)
    list[0, :] = [i - 1, j - 1]
    count = 1
    from = 6
    first = -1
    {!serial for}
    while count < size(list, 0)
        found = -1
        {!serial for}
        for s = 1..8
            d = mod(from + s, 8)
            if m[i + int(di[d]), j + int(dj[d])] > 0
                found = d
                break
            endif
        end
        if found < 0
            break
        endif
        if i == si && j == sj && found == first
            break
        endif
        if first < 0
            first = found
        endif
        [i, j] = [i + int(di[found]), j + int(dj[found])]
        list[count, :] = [i - 1, j - 1]
        count = count + 1
        from = mod(found + 5 - mod(found, 2), 8)
    end
    p = reshape(list[0..count - 1, :], [count, 2])
    if count == 1
        p = vertcat(p, p)
    endif
end

% a picture without the regions that touch its border
% > print imclearborder([[1,0,0,0],[0,0,0,0],[0,0,1,0],[0,0,0,0]])
function y = imclearborder(x)
    marker = 0.0 .* x
    [r, c] = size(x, 0..1)
    marker[0, :] = float(x[0, :])
    marker[r - 1, :] = float(x[r - 1, :])
    marker[:, 0] = float(x[:, 0])
    marker[:, c - 1] = float(x[:, c - 1])
    y = x - imreconstruct(marker, float(x))
end

% maxima that rise less than h above what surrounds them are levelled
% > print imhmax([1,5,2], 2)
function y = imhmax(x, h)
    y = imreconstruct(x - h, x)
end

% minima that lie less than h below what surrounds them are levelled
% > print imhmin([5,1,4], 2)
function y = imhmin(x, h)
    y = -imreconstruct(-x - h, -x)
end

% 1 at maxima that rise at least h above what surrounds them
% > print imextendedmax([1,5,2], 2)
function y = imextendedmax(x, h)
    y = imregionalmax(imhmax(x, h))
end

% 1 at minima that lie at least h below what surrounds them
% > print imextendedmin([5,1,4], 2)
function y = imextendedmin(x, h)
    y = imregionalmin(imhmin(x, h))
end

% a picture whose only minima are where the mask is not 0
% > print imimposemin([3.0,1,2], [1,0,0])
function y = imimposemin(x, mask)
    x = float(x)
    step = max(0.001 * (max(x) - min(x)), 1e-4)
    low = min(x) - 2 * step
    marker = mask != 0
    at = float(marker)
    f = at .* low + (1 - at) .* (max(x) + 2 * step)
    g = min(x + step, f)
    y = -imreconstruct(-f, -g)
end

% basins around the minima of a picture, numbered from 1, with 0 on the lines between them
% > print watershed([0,1,3,1,0])
function regions = watershed(x)
    marker = bwlabel(imregionalmin(x))
    regions = _flooded(float(x), float(marker))
end

% regions grow from the lowest pixels on; where two meet there is a line
function regions = _flooded(x, marker)
    [r, c] = size(x, 0..1)
    regions = zeros(r, c)
    regions[:, :] = marker
    done = float(marker > 0)
    [sorted, at] = sort(reshape(x, [1, r * c]))
    n = r * c
    k = 0
    {!serial for}
    while k < n
        last = k
        {!serial for}
        while last + 1 < n && sorted[last + 1] == sorted[k]
            last = last + 1
        end
        % pixels of this height, as long as some of them touch what is flooded
        waiting = at[k..last]
        {!serial for}
        while numel(waiting) > 0
            keep = zeros(1, numel(waiting))
            kept = 0
            new = zeros(1, numel(waiting))
            {!serial for}
            for q = 0..numel(waiting) - 1
                [i, j] = [idivide(int(waiting[q]), c), mod(int(waiting[q]), c)]
                if done[i, j] > 0
                    continue
                endif
                label = 0
                meets = 0
                {!serial for}
                for u = max(i - 1, 0)..min(i + 1, r - 1)
                    {!serial for}
                    for v = max(j - 1, 0)..min(j + 1, c - 1)
                        l = int(regions[u, v])
                        if l > 0 && label > 0 && l != label
                            meets = 1
                        endif
                        if l > 0
                            label = l
                        endif
                    end
                end
                if label > 0
                    new[q] = meets > 0 ? -1 : label
                else
                    keep[kept] = waiting[q]
                    kept = kept + 1
                endif
            end
            moved = 0
            {!serial for}
            for q = 0..numel(waiting) - 1
                if new[q] != 0
                    [i, j] = [idivide(int(waiting[q]), c), mod(int(waiting[q]), c)]
                    regions[i, j] = max(new[q], 0)
                    done[i, j] = 1
                    moved = moved + 1
                endif
            end
            if moved == 0 || kept == 0
                break
            endif
            waiting = keep[0..kept - 1]
        end
        k = last + 1
    end
end

% the neighbourhood of a structuring element: masks are matrices, so it is the mask itself
% > print getnhood(strel("square", 2))
function y = getnhood(mask)
    y = mask
end

% a picture through a table of 256 values from 0 to 255
% > print intlut([0,2], (0..255) .* 2)
function y = intlut(x, table)
    y = reshape(table, [1, numel(table)])[reshape(int(x), [1, numel(x)])]
    y = reshape(y, size(x))
end

% weighted sum of pictures: weight, picture, weight, picture, and maybe a number to add
% > print imlincomb(2, [1,2], 0.5, [4,4])
function y = imlincomb(...parts)
    y = 0.0
    {!serial for}
    for k = 0..2..numel(parts) - 2
        y = y + parts[k] .* float(parts[k + 1])
    end
    if mod(numel(parts), 2) == 1
        y = y + parts[numel(parts) - 1]
    endif
end

% a picture of 0 to 255 as numbers from 0 to 1
% > print im2single([[0,255]])
function y = im2single(x)
    y = im2double(x)
end

% a picture of 0 to 255 as whole numbers up to 65535
% > print im2uint16([[0,255]])
function y = im2uint16(x)
    y = uint16'sat(round(im2double(x) .* 65535))
end

% a chess board whose fields have n pixels, p by q times two fields; the right half is gray
% > print size(checkerboard(2))
function y = checkerboard(n = 10, p = 4, q = -1)
    q = q < 0 ? p : q
    i = reshape(floor((0..2 * p * n - 1) ./ n), [2 * p * n, 1])
    j = reshape(floor((0..2 * q * n - 1) ./ n), [1, 2 * q * n])
    y = mod(i + j, 2)
    right = float(j >= q)
    y = y .* (1 - 0.3 .* right)
end

% Shepp's and Logan's phantom of a head, n by n (the version with better contrast)
% > print size(phantom(16))
function y = phantom(n = 256, size_of = 256)
    if isstring(n)
        assert(lower(n) == "modified shepp-logan", "phantom knows the ""Modified Shepp-Logan"" one")
        n = size_of
    endif
    e = [[1, 0.69, 0.92, 0, 0, 0], [-0.8, 0.6624, 0.8740, 0, -0.0184, 0], [-0.2, 0.11, 0.31, 0.22, 0, -18], [-0.2, 0.16, 0.41, -0.22, 0, 18], [0.1, 0.21, 0.25, 0, 0.35, 0], [0.1, 0.046, 0.046, 0, 0.1, 0], [0.1, 0.046, 0.046, 0, -0.1, 0], [0.1, 0.046, 0.023, -0.08, -0.605, 0], [0.1, 0.023, 0.023, 0, -0.606, 0], [0.1, 0.023, 0.046, 0.06, -0.605, 0]]
    at = ((0..n - 1) - (n - 1) / 2.0) ./ ((n - 1) / 2.0)
    [x, y0] = meshgrid(at, -at)
    y = zeros(n, n)
    {!serial for}
    for k = 0..9
        phi = e[k, 5] * pi / 180
        u = (x - e[k, 3]) .* cos(phi) + (y0 - e[k, 4]) .* sin(phi)
        v = (y0 - e[k, 4]) .* cos(phi) - (x - e[k, 3]) .* sin(phi)
        y = y + e[k, 0] .* ((u ./ e[k, 1]).^2 + (v ./ e[k, 2]).^2 <= 1)
    end
end

% 1 for points inside a polygon or on its edges
% > print inpolygon([0.5,2], [0.5,0.5], [0,1,1,0], [0,0,1,1])
function y = inpolygon(x, y0, px, py)
    n = numel(px)
    inside = 0.0 .* x
    on = 0.0 .* x
    {!serial for}
    for k = 0..n - 1
        l = mod(k + 1, n)
        [ax, ay, bx, by] = [px[k], py[k], px[l], py[l]]
        if ay != by
            cuts = ((ay > y0) != (by > y0)) .* (x < (bx - ax) .* (y0 - ay) ./ (by - ay) + ax)
            inside = mod(inside + cuts, 2)
        endif
        side = (bx - ax) .* (y0 - ay) - (by - ay) .* (x - ax)
        between = (x >= min(ax, bx)) .* (x <= max(ax, bx)) .* (y0 >= min(ay, by)) .* (y0 <= max(ay, by))
        on = max(on, (side == 0) .* between)
    end
    y = int(max(inside, on))
end

% a picture of m rows and n columns that is 1 inside a polygon of corners (x, y), x to the right
% > print sum(poly2mask([0.5,3.5,3.5,0.5], [0.5,0.5,2.5,2.5], 5, 5))
function y = poly2mask(x, y0, m, n)
    [gx, gy] = meshgrid(float(0..n - 1), float(0..m - 1))
    y = inpolygon(gx, gy, x, y0)
end

% part of a picture inside a polygon, as 0 and 1
% > print size(roipoly(ones(4,4), [0,3,3], [0,0,3]))
function y = roipoly(picture, x, y0)
    y = poly2mask(x, y0, size(picture, 0), size(picture, 1))
end

% the regions of a picture of 0 and 1 that hold one of the points (column x, row y), or one of the positions that find gives
% > print bwselect([[1,0,1]], [0], [0])
function y = bwselect(picture, x, y0 = [])
    if numel(y0) == 0 && numel(x) > 0
        [y0, x] = [x[:, 0], x[:, 1]]
    endif
    regions = bwlabel(picture)
    y = 0 .* regions
    {!serial for}
    for k = 0..numel(x) - 1
        l = regions[int(y0[k]), int(x[k])]
        if l > 0
            y = max(y, int(regions == l))
        endif
    end
end

% 1 where both a mask fits into a picture of 0 and 1, and another one into what it leaves out; one mask alone says both by 1 and -1
% > print bwhitmiss([[0,0,0],[0,1,0],[0,0,0]], [[0,0,0],[0,1,0],[0,0,0]], [[1,1,1],[1,0,1],[1,1,1]])
function y = bwhitmiss(picture, hit, miss = [])
    x = float(picture != 0)
    [inside, outside] = isempty(miss) ? {hit == 1, hit == -1} : {hit, miss}
    y = int((_fits(x, inside) > 0) .* (_fits(1 - x, outside) > 0))
end

% outside of the picture everything fits neither mask
function y = _fits(x, mask)
    [r, c] = size(mask, 0..1)
    wide = padarray(x, [idivide(r, 2), idivide(c, 2)])
    full_ = imerode(wide, mask)
    y = full_[idivide(r, 2)..idivide(r, 2) + size(x, 0) - 1, idivide(c, 2)..idivide(c, 2) + size(x, 1) - 1]
end

% the transfer function, of the size in sz, of a mask whose centre is its middle pixel
% > print size(psf2otf(ones(3,3) ./ 9, [8,8]))
function y = psf2otf(mask, sz = [])
    n = isempty(sz) ? size(mask) : sz
    wide = zeros(int(n[0]), int(n[1]))
    wide[0..size(mask, 0) - 1, 0..size(mask, 1) - 1] = mask
    y = fft2(circshift(wide, [-idivide(size(mask, 0), 2), -idivide(size(mask, 1), 2)]))
end

% Wiener's restoration of a picture that a mask blurred; ratio is the power of the noise divided by the picture's
% > print size(deconvwnr(ones(8,8), ones(3,3) ./ 9, 0.01))
function y = deconvwnr(x, mask, ratio = 0)
    h = psf2otf(mask, size(x)[0..1])
    p = abs(h).^2
    y = real(ifft2(fft2(float(x)) .* conj(h) ./ max(p + ratio, 1e-12)))
end

% Lucy's and Richardson's restoration of a picture that a mask blurred
% > print size(deconvlucy(ones(8,8), ones(3,3) ./ 9, 3))
function y = deconvlucy(x, mask, steps = 10)
    h = psf2otf(mask, size(x)[0..1])
    y = float(x) + 0.0
    {!serial for}
    for k = 1..steps
        again = max(real(ifft2(fft2(y) .* h)), 1e-12)
        y = max(y .* real(ifft2(fft2(x ./ again) .* conj(h))), 0)
    end
end

% sums over everything above and to the left of each pixel, with a row and a column of zeros before them
% > print integralImage([[1,2],[3,4]])
function y = integralImage(x)
    y = zeros(size(x, 0) + 1, size(x, 1) + 1)
    y[1..size(x, 0), 1..size(x, 1)] = cumsum(cumsum(float(x), 0), 1)
end

% blocks of m by n pixels from columns, side by side, as a picture of mm by nn pixels (im2col's "distinct")
% > print col2im(im2col([[1,2],[3,4]], [1,1], "distinct"), [1,1], [2,2])
function y = col2im(c, block, sz, kind = "distinct")
    [m, n] = [int(block[0]), int(block[1])]
    [rows_, columns_] = [int(sz[0]), int(sz[1])]
    if kind == "sliding"
        [rows_, columns_] = [rows_ - m + 1, columns_ - n + 1]
        y = reshape(c, [rows_, columns_])
    else
        y = zeros(rows_, columns_) + (iscomplex(c) ? 0i : 0)
        k = 0
        {!serial for}
        for i = 0..m..rows_ - 1
            {!serial for}
            for j = 0..n..columns_ - 1
                block_ = reshape(c[:, k], [m, n])
                [last, end_] = [min(i + m, rows_), min(j + n, columns_)]
                y[i..last - 1, j..end_ - 1] = block_[0..last - i - 1, 0..end_ - j - 1]
                k = k + 1
            end
        end
    endif
end

% f of every block of a picture, put together again, like blockproc
% > print blkproc(ones(4,4), [2,2], b -> 2 .* b)
function y = blkproc(x, block, f)
    y = blockproc(x, block, f)
end

% thresholds that split the values of a picture into n + 1 classes, by Otsu's measure (n is 1 or 2)
% > print numel(multithresh([[0,0,100],[200,100,200]], 2))
function t = multithresh(x, n = 1)
    [low, high] = [float(min(x)), float(max(x))]
    at = int(floor((reshape(float(x), [1, numel(x)]) - low) ./ max(high - low, 1e-9) .* 255 + 0.5))
    p = accumarray(reshape(at, [numel(x), 1]), ones(numel(x), 1), [256, 1])
    p = reshape(p, [1, 256]) ./ numel(x)
    w = cumsum(p)
    m = cumsum(p .* (0..255))
    total = m[255]
    between = (a, b) -> w[b] - w[a] > 1e-12 ? (m[b] - m[a])^2 / (w[b] - w[a]) : 0.0
    best = -1.0
    t = [0.0]
    {!serial for}
    for i = 0..254
        left = w[i] > 1e-12 ? m[i]^2 / w[i] : 0.0
        if n == 1
            s = left + between(i, 255)
            if s > best + 1e-12
                best = s
                t = [i * 1.0]
            endif
        else
            {!serial for}
            for j = i + 1..254
                s = left + between(i, j) + between(j, 255)
                if s > best + 1e-12
                    best = s
                    t = [i * 1.0, j]
                endif
            end
        endif
    end
    t = low + t ./ 255 .* (high - low)
end

% number of the class of each value: how many thresholds lie below it
% > print imquantize([[1,5,9]], [3,7])
function y = imquantize(x, t)
    y = 0 .* int(x)
    {!serial for}
    for k = 0..numel(t) - 1
        y = y + int(x > t[k])
    end
end

% entropy in bits of n by n pixels around each, of 256 levels
% > print size(entropyfilt(ones(4,4)))
function y = entropyfilt(x, n = 9)
    h = idivide(n, 2)
    wide = padarray(int(x), [h, h], "symmetric")
    y = zeros(size(x, 0), size(x, 1))
    {!serial for}
    for i = 0..size(x, 0) - 1
        {!serial for}
        for j = 0..size(x, 1) - 1
            y[i, j] = entropy(wide[i..i + n - 1, j..j + n - 1])
        end
    end
end

% equalised histogram of tiles (a rows and b columns of them), with the slopes of the curves limited, and values between tiles interpolated; the numbers of tiles and the limit are next, or "NumTiles" and "ClipLimit"
% > print size(adapthisteq(ones(16,16)))
function y = adapthisteq(x, ...options)
    o = _named_options("adapthisteq", options, {"numtiles", "cliplimit"}, {[8, 8], 0.01})
    [tiles, clip] = {o[0], o[1]}
    [a, b] = [int(tiles[0]), int(tiles[1])]
    [r, c] = size(x, 0..1)
    [hr, hc] = [int(ceil(r / (1.0 * a))), int(ceil(c / (1.0 * b)))]
    wide = padarray(float(x), [hr * a - r, hc * b - c], "symmetric", "post")
    n = hr * hc
    most = max(1.0, n / 256.0 + clip * (n - n / 256.0))
    curves = zeros(a * b, 256)
    {!serial for}
    for i = 0..a - 1
        {!serial for}
        for j = 0..b - 1
            h = reshape(imhist(wide[i * hr..(i + 1) * hr - 1, j * hc..(j + 1) * hc - 1]), [1, 256])
            extra = sum(max(h - most, 0))
            h = min(h, most) + extra / 256
            curves[i * b + j, :] = min(cumsum(h) ./ n .* 255, 255)
        end
    end
    at_r = max(0, min(((0..r - 1) + 0.5) ./ hr - 0.5, a - 1))
    at_c = max(0, min(((0..c - 1) + 0.5) ./ hc - 0.5, b - 1))
    y = zeros(r, c)
    {!serial for}
    for i = 0..r - 1
        i0 = int(floor(at_r[i]))
        i1 = min(i0 + 1, a - 1)
        u = at_r[i] - i0
        {!serial for}
        for j = 0..c - 1
            j0 = int(floor(at_c[j]))
            j1 = min(j0 + 1, b - 1)
            v = at_c[j] - j0
            l = int(max(0, min(round(x[i, j]), 255)))
            above = (1 - v) * curves[i0 * b + j0, l] + v * curves[i0 * b + j1, l]
            below = (1 - v) * curves[i1 * b + j0, l] + v * curves[i1 * b + j1, l]
            y[i, j] = round((1 - u) * above + u * below)
        end
    end
end
