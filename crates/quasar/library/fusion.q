% Pictures beside each other and in other colours, filters that keep edges, and shapes of masks.

% two pictures in one: "falsecolor" (green and magenta), "blend", "diff", "montage" (beside each other) or "checkerboard"
% > print size(imfuse(zeros(2,2), ones(2,2), "montage"))
function y = imfuse(a, b, method = "falsecolor", ...options)
    [rows, columns] = [max(size(a, 0), size(b, 0)), max(size(a, 1), size(b, 1))]
    [p, q] = {_widened(a, rows, columns), _widened(b, rows, columns)}
    if method == "montage"
        [p, q] = {_widened(a, rows, size(a, 1)), _widened(b, rows, size(b, 1))}
        if size(p, 2) != size(q, 2)
            [p, q] = {size(p, 2) == 3 ? p : gray2rgb(p), size(q, 2) == 3 ? q : gray2rgb(q)}
        endif
        y = cat(1, p, q)
    else
        [p, q] = {im2gray(p), im2gray(q)}
        match method with
        | "blend" -> y = (p + q) ./ 2
        | "diff" -> y = mat2gray(abs(p - q)) .* 255
        | "checkerboard" ->
            odd = mod(floor(transpose(0..rows - 1) ./ max(rows / 8, 1)) + floor((0..columns - 1) ./ max(columns / 8, 1)), 2)
            y = p .* (1 - odd) + q .* odd
        | _ ->
            y = zeros(rows, columns, 3)
            y[:,:,0] = mat2gray(q) .* 255
            y[:,:,1] = mat2gray(p) .* 255
            y[:,:,2] = mat2gray(q) .* 255
        end
    endif
end

% a picture with zeros at its right and below, of a size; 1 for yes counts as white
function y = _widened(x, rows, columns)
    v = x .* 1.0
    if islogical(x) || max(v) <= 1
        v = v .* 255
    endif
    if size(v, 0) == rows && size(v, 1) == columns
        y = v
    else
        y = zeros(rows, columns, size(v, 2))
        y[0..size(v, 0) - 1, 0..size(v, 1) - 1, 0..size(v, 2) - 1] = v
        y = size(v, 2) == 1 ? reshape(y, [rows, columns]) : y
    endif
end

% shows two pictures in one, made by imfuse
% > imshowpair(zeros(4,4), eye(4), "montage")
function h = imshowpair(a, b, method = "falsecolor", ...options)
    h = imshow(imfuse(a, b, method), [0, 255])
end

% pictures of one size, in a cell, beside and below each other in one
% > montage({zeros(4,4), eye(4)})
function h = montage(pictures, ...options)
    n = numel(pictures)
    across = int(ceil(sqrt(1.0 * n)))
    down = int(ceil(n / across))
    one = pictures[0]
    y = zeros(down * size(one, 0), across * size(one, 1), size(one, 2))
    {!serial for}
    for k = 0..n - 1
        [top, left] = [int(floor(k / across)) * size(one, 0), int(mod(k, across)) * size(one, 1)]
        y[top..top + size(one, 0) - 1, left..left + size(one, 1) - 1, 0..size(one, 2) - 1] = pictures[k] .* 1.0
    end
    h = imshow(size(one, 2) == 1 ? reshape(y, size(y, 0..1)) : y, [])
end

% shows a picture, like imshow
% > imtool(eye(4))
function h = imtool(x, ...options)
    h = imshow(x, ...options)
end

% shows a picture in its axes, like imshow
% > subplot(1,2,0); subimage(eye(4))
function h = subimage(x)
    h = imshow(x)
end

% the grey values of a picture; one that is grey stays as it is
% > print im2gray([[1,2],[3,4]])
function y = im2gray(x)
    y = size(x, 2) == 3 ? rgb2gray(x) : x
end

% convolution of arrays with up to three dimensions; part "full", "same" or "valid"
% > print convn([1,2,3], [1,1], "same")
function y = convn(x, h, part = "full")
    if size(x, 2) == 1 && size(h, 2) == 1
        y = conv2(x .* 1.0, h .* 1.0, part)
    else
        [m, n, p] = {size(x, 0..2), size(h, 0..2), size(x, 0..2) + size(h, 0..2) - 1}
        y = zeros(p[0], p[1], p[2]) + (iscomplex(x) || iscomplex(h) ? 0i : 0)
        {!serial for}
        for k = 0..n[2] - 1
            {!serial for}
            for j = 0..m[2] - 1
                y[:,:,j + k] = y[:,:,j + k] + conv2(x[:,:,j] .* 1.0, reshape(h[:,:,k], n[0..1]) .* 1.0, "full")
            end
        end
        if part == "same"
            first = int(floor(n ./ 2.0))
            y = y[first[0]..first[0] + m[0] - 1, first[1]..first[1] + m[1] - 1, first[2]..first[2] + m[2] - 1]
            y = reshape(y, m)
        elseif part == "valid"
            last = m - n
            y = y[n[0] - 1..n[0] - 1 + last[0], n[1] - 1..n[1] - 1 + last[1], n[2] - 1..n[2] - 1 + last[2]]
            y = reshape(y, last + 1)
        endif
    endif
end

% Fourier transform along all dimensions, up to three
% > print real(fftn([[1,2],[3,4]]))
function y = fftn(x)
    y = size(x, 2) > 1 ? fft3(x) : fft2(x)
end

% inverse of fftn
% > print real(ifftn(fftn([[1,2],[3,4]])))
function y = ifftn(x)
    y = size(x, 2) > 1 ? ifft3(x) : ifft2(x)
end

% a function of the columns of all neighbourhoods of a size, as im2col gives them; 0 lies outside. One that makes a number of a whole matrix,
% such as sum, gets one column after another
% > print colfilt(ones(3,3), [3,3], "sliding", x -> sum(x, 0))
function y = colfilt(x, block, kind, f)
    if kind == "sliding"
        before = int(floor((block - 1) ./ 2.0))
        wide = zeros(size(x, 0) + block[0] - 1, size(x, 1) + block[1] - 1) + (iscomplex(x) ? 0i : 0)
        wide[before[0]..before[0] + size(x, 0) - 1, before[1]..before[1] + size(x, 1) - 1] = x
        y = col2im(_of_columns(f, im2col(wide, block)), block, size(wide), "sliding")
    else
        y = col2im(f(im2col(x, block, "distinct")), block, size(x), "distinct")
    endif
end

% a function of a matrix, or of each of its columns where that of all is a number
function y = _of_columns(f, c)
    y = f(c)
    if numel(y) == 1 && size(c, 1) > 1
        y = zeros(size(c, 1)) + 0 .* y
        {!serial for}
        for k = 0..size(c, 1) - 1
            y[k] = f(c[:,k])
        end
    endif
end

% a picture plus amount times what a Gaussian filter of this radius takes out
% > print round(imsharpen([[0,0,9,9],[0,0,9,9]]))
function y = imsharpen(x, ...options)
    [radius, amount] = [1.0, 0.8]
    {!serial for}
    for k = 0..2..numel(options) - 2
        match lower(options[k]) with
        | "radius" -> radius = options[k + 1]
        | "amount" -> amount = options[k + 1]
        | _ -> radius = radius
        end
    end
    v = x .* 1.0
    y = max(v + amount .* (v - imgaussfilt(v, radius)), 0)
    y = max(v) > 1 ? min(y, 255) : min(y, 1)
end

% the mean of the n times n pixels around each, or of n[0] times n[1]; the border is repeated
% > print imboxfilt([[0,0,9],[0,0,9],[0,0,9]])
function y = imboxfilt(x, n = 3)
    mask = numel(n) == 1 ? ones(n, n) : ones(n[0], n[1])
    y = imfilter(x .* 1.0, mask ./ numel(mask), "replicate")
end

% a filter that keeps edges: means of n times n pixels weighted by distance (sigma) and by difference of value (its square in degree)
% > print round(imbilatfilt([[0,0,9],[0,0,9],[0,0,9]], 0.5))
function y = imbilatfilt(x, degree = -1, sigma = 1)
    v = x .* 1.0
    span = max(v) - min(v)
    d = degree > 0 ? degree : 0.01 * span^2
    half = int(ceil(2 * sigma))
    [m, n] = size(v, 0..1)
    y = zeros(m, n)
    for r = 0..m - 1
        for c = 0..n - 1
            top = 0.0
            bottom = 0.0
            for i = -half..half
                for j = -half..half
                    w = v[clamp(r + i, m - 1), clamp(c + j, n - 1)]
                    weight = exp(-(i * i + j * j) / (2.0 * sigma * sigma) - (w - v[r,c])^2 / (2 * d))
                    top += weight * w
                    bottom += weight
                end
            end
            y[r,c] = top / bottom
        end
    end
end

% a filter that keeps the edges of a guide, by default the picture itself: a line fitted to the n times n pixels around each, the smoother the larger degree is
% > print round(imguidedfilter([[0,0,9],[0,0,9],[0,0,9]]))
function y = imguidedfilter(x, guide = [], n = 5, degree = -1)
    v = x .* 1.0
    g = isempty(guide) ? v : guide .* 1.0
    d = degree > 0 ? degree : 0.01 * (max(g) > 1 ? 255.0^2 : 1.0)
    [mv, mg] = {imboxfilt(v, n), imboxfilt(g, n)}
    a = (imboxfilt(g .* v, n) - mg .* mv) ./ (imboxfilt(g .* g, n) - mg.^2 + d)
    b = mv - a .* mg
    y = imboxfilt(a, n) .* g + imboxfilt(b, n)
end

% a picture whose noise is averaged away over pixels with alike neighbourhoods (non-local means); degree of smoothing
% > print round(imnlmfilt([[0,0,9],[0,0,9],[0,0,9]], 3))
function y = imnlmfilt(x, degree = -1, reach = 5, patch = 2)
    v = x .* 1.0
    d = degree > 0 ? degree : max(std(v[:]), eps)
    [m, n] = size(v, 0..1)
    y = zeros(m, n)
    for r = 0..m - 1
        for c = 0..n - 1
            top = 0.0
            bottom = 0.0
            for i = -reach..reach
                for j = -reach..reach
                    apart = 0.0
                    for a = -patch..patch
                        for b = -patch..patch
                            p = v[clamp(r + a, m - 1), clamp(c + b, n - 1)]
                            q = v[clamp(r + i + a, m - 1), clamp(c + j + b, n - 1)]
                            apart += (p - q) * (p - q)
                        end
                    end
                    weight = exp(-apart / ((2.0 * patch + 1) * (2.0 * patch + 1) * d * d))
                    top += weight * v[clamp(r + i, m - 1), clamp(c + j, n - 1)]
                    bottom += weight
                end
            end
            y[r,c] = top / bottom
        end
    end
end

% a picture with about the histogram of another one
% > print size(imhistmatch([[0,50],[100,150]], [[0,200],[250,255]]))
function y = imhistmatch(x, like)
    if size(x, 2) == 3
        y = zeros(size(x))
        {!serial for}
        for k = 0..2
            y[:,:,k] = histeq(x[:,:,k], imhist(size(like, 2) == 3 ? like[:,:,k] : like))
        end
    else
        y = histeq(x, imhist(im2gray(like)))
    endif
end

% a picture in black and white whose error at each pixel is handed on to its neighbours (Floyd and Steinberg)
% > print dither([[128,128],[128,128]])
function y = dither(x)
    v = x .* 1.0
    v = max(v) > 1 ? v ./ 255 : v
    [m, n] = size(v, 0..1)
    y = zeros(m, n)
    for r = 0..m - 1
        for c = 0..n - 1
            y[r,c] = v[r,c] > 0.5 ? 1 : 0
            e = v[r,c] - y[r,c]
            if c + 1 < n
                v[r,c + 1] += e * 7 / 16
            endif
            if r + 1 < m
                v[r + 1,c] += e * 5 / 16
                if c > 0
                    v[r + 1,c - 1] += e * 3 / 16
                endif
                if c + 1 < n
                    v[r + 1,c + 1] += e / 16
                endif
            endif
        end
    end
end

% the channels of a picture multiplied by a matrix, pixel by pixel
function y = _mixed(x, M)
    v = x .* 1.0
    y = zeros(size(v)) + (iscomplex(v) ? 0i : 0)
    {!serial for}
    for k = 0..2
        y[:,:,k] = M[k,0] .* v[:,:,0] + M[k,1] .* v[:,:,1] + M[k,2] .* v[:,:,2]
    end
end

% luminance and two colour differences (YIQ) of a picture
% > print round(rgb2ntsc(255 .* ones(1,1,3)))
function y = rgb2ntsc(x)
    y = _mixed(x, [[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]])
end

% the picture with this luminance and these colour differences
% > print round(ntsc2rgb(rgb2ntsc(255 .* ones(1,1,3))))
function y = ntsc2rgb(x)
    y = _mixed(x, inv([[0.299, 0.587, 0.114], [0.596, -0.274, -0.322], [0.211, -0.523, 0.312]]))
end

% the picture of numbers of rows of a map of colours, from 0 on
% > print size(ind2rgb([[0,1]], [[0,0,0],[1,0,0]]))
function y = ind2rgb(x, map)
    at = int(clamp(x, size(map, 0) - 1))
    y = zeros(size(x, 0), size(x, 1), 3)
    {!serial for}
    for k = 0..2
        y[:,:,k] = reshape(map[at[:], k], size(x, 0..1))
    end
end

% a grey picture as numbers from 0 to n-1 of a grey map, and the map
% > [x, map] = gray2ind([[0,255]], 4); print x
function [x, map] = gray2ind(picture, n = 64)
    v = picture .* 1.0
    v = max(v) > 1 ? v ./ 255 : v
    x = round(v .* (n - 1))
    map = gray(n)
end

% the smallest convex shape around all set pixels of a mask
% > print bwconvhull([[1,0,0],[0,0,0],[1,0,1]])
function y = bwconvhull(mask)
    [m, n] = size(mask, 0..1)
    at = find(mask != 0)
    y = zeros(m, n)
    if size(at, 0) > 0
        [px, py] = {horzcat(at[:,1] - 0.5, at[:,1] + 0.5, at[:,1], at[:,1]), horzcat(at[:,0], at[:,0], at[:,0] - 0.5, at[:,0] + 0.5)}
        [px, py] = {px[:], py[:]}
        around = convhull(px, py)
        [cx, cy] = {px[around], py[around]}
        [X, Y] = meshgrid(0..n - 1, 0..m - 1)
        y = ones(m, n)
        area = sum(cx .* circshift(cy, -1) - cy .* circshift(cx, -1))
        sign = area < 0 ? -1 : 1
        {!serial for}
        for k = 0..numel(cx) - 1
            j = int(mod(k + 1, numel(cx)))
            side = sign .* ((cx[j] - cx[k]) .* (Y - cy[k]) - (cy[j] - cy[k]) .* (X - cx[k]))
            y = y .* (side >= -1e-4)
        end
    endif
end

% the middle lines of a mask
% > print bwskel([[0,0,0,0,0],[1,1,1,1,1],[0,0,0,0,0]])
function y = bwskel(mask)
    y = bwmorph(mask, "skel", inf)
end

% only the regions of a mask whose areas lie between those in limits, or the n largest
% > print bwareafilt([[1,0,1],[1,0,0]], 1)
function y = bwareafilt(mask, limits)
    regions = bwlabel(mask)
    most = max(regions)
    areas = zeros(1, max(most, 1))
    {!serial for}
    for k = 1..most
        areas[k - 1] = sum(regions == k)
    end
    y = zeros(size(mask))
    if most > 0
        [v, order] = sort(areas, "descend")
        kept = numel(limits) == 2 ? areas >= limits[0] : areas >= v[int(min(limits, most)) - 1]
        if numel(limits) == 2
            kept = kept .* (areas <= limits[1])
        endif
        {!serial for}
        for k = 1..most
            if kept[k - 1] > 0
                y = y + (regions == k)
            endif
        end
    endif
end

% numbers from 1 to n for the values of an array, evenly over their range; kind "mat" for all of it, "row" or "column" for each
% > print wcodemat([[0,1],[2,3]], 4)
function y = wcodemat(x, n = 16, kind = "mat", absolute = 1)
    v = absolute > 0 ? abs(x) : x
    if kind == "row"
        [low, high] = {min(v, [], 1), max(v, [], 1)}
    elseif kind == "column" || kind == "col"
        [low, high] = {min(v, [], 0), max(v, [], 0)}
    else
        [low, high] = {min(v), max(v)}
    endif
    y = min(floor((v - low) ./ max(high - low, 1e-30) .* n) + 1, n)
end
