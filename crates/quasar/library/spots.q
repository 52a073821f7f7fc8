% Pictures smoothed along their edges, signals without noise, circles, and what is known of files.

% a picture smoothed by diffusion that stops at edges, with steps, threshold of the gradient (a number, or one for each step) and rule ("exponential" or "quadratic") as "NumberOfIterations", "GradientThreshold", "ConductionMethod"; "Connectivity" is "maximal" (eight neighbours) or "minimal"
% > print max(imdiffusefilt(eye(5)))
function y = imdiffusefilt(x, ...options)
    o = _named_options("imdiffusefilt", options, {"numberofiterations", "gradientthreshold", "conductionmethod", "connectivity"}, {5, [], "exponential", "maximal"})
    [steps, threshold, rule, near] = {int(o[0]), o[1], o[2], o[3]}
    y = 1.0 .* x
    span = max(y) - min(y)
    limits = numel(threshold) == 0 && ndims(threshold) > 0 ? 0.1 * (max(span, 1e-30)) : threshold
    dy = [-1, 1, 0, 0, -1, -1, 1, 1]
    dx = [0, 0, -1, 1, -1, 1, -1, 1]
    count = near == "minimal" ? 4 : 8
    {!serial for}
    for step = 0..steps - 1
        limit = numel(limits) > 1 ? limits[min(step, numel(limits) - 1)] : limits
        total = 0 .* y
        {!serial for}
        for k = 0..count - 1
            d = _beside(y, int(dy[k]), int(dx[k])) - y
            g = rule == "quadratic" ? 1 ./ (1 + (d ./ limit).^2) : exp(-(d ./ limit).^2)
            total = total + g .* d .* (k < 4 ? 1.0 : 0.5)
        end
        y = y + total .* (count == 4 ? 0.2 : 0.14285715)
    end
end

% the picture moved by dy and dx, with the border repeated
function z = _beside(y, dy, dx)
    [r, c] = size(y, 0..1)
    z = copy(y)
    if ndims(y) > 2
        for m = 0..r - 1
            for n = 0..c - 1
                z[m,n,:] = y[min(max(m + dy, 0), r - 1), min(max(n + dx, 0), c - 1), :]
            end
        end
    else
        for m = 0..r - 1
            for n = 0..c - 1
                z[m,n] = y[min(max(m + dy, 0), r - 1), min(max(n + dx, 0), c - 1)]
            end
        end
    endif
end

% a signal without its noise: details of the wavelet transform over some levels are made smaller; "Wavelet" and "ThresholdRule" ("Soft" or "Hard") are options
% > print numel(wdenoise([1,2,3,4,5,6,7,8], 2))
function y = wdenoise(x, ...options)
    n = numel(x)
    usual = max(1, min(int(floor(log2(n))) - 2, 5))
    o = _named_options("wdenoise", options, {"level", "wavelet", "thresholdrule", "denoisingmethod", "noiseestimate"}, {usual, "sym4", "Soft", "UniversalThreshold", "LevelIndependent"})
    wavelet = o[1] == "sym4" ? "db4" : o[1]
    [c, l] = wavedec(x, int(o[0]), wavelet)
    finest = int(l[numel(l) - 2])
    spread = median(abs(c[numel(c) - finest..numel(c) - 1])) / 0.6745
    coarse = int(l[0])
    soft = lower(o[2]) == "hard" ? "h" : "s"
    details = wthresh(c[coarse..numel(c) - 1], soft, spread * sqrt(2 * log(n)))
    y = reshape(waverec(horzcat(c[0..coarse - 1], details), l, wavelet), size(x))
end

% circles with radii from the first to the second, brightest first: centres as [column,row], radii and how sure; "ObjectPolarity" ("bright" or "dark"), "Sensitivity" and "EdgeThreshold" are options
% > [y, x] = size(zeros(40,40)); [c, r] = imfindcircles(zeros(40,40), [5,9]); print numel(r)
function [centers, radii, metric] = imfindcircles(x, radius, ...options)
    o = _named_options("imfindcircles", options, {"objectpolarity", "sensitivity", "edgethreshold", "method"}, {"bright", 0.85, -1, "PhaseCode"})
    grey = 1.0 .* (ndims(x) > 2 ? rgb2gray(x) : x)
    [r, c] = size(grey, 0..1)
    [low, high] = numel(radius) > 1 ? {int(radius[0]), int(radius[1])} : {int(radius), int(radius)}
    toward = lower(o[0]) == "dark" ? -1 : 1
    [gx, gy] = imgradientxy(grey)
    slope = sqrt(gx.^2 + gy.^2)
    top = max(slope)
    edge_ = slope > (o[2] < 0 ? 0.25 : o[2]) * top
    votes = zeros(r, c, high - low + 1)
    {!serial for}
    for m = 0..r - 1
        {!serial for}
        for n = 0..c - 1
            if edge_[m,n] && top > 0
                {!serial for}
                for k = 0..high - low
                    py = int(round(m + toward * (low + k) * gy[m,n] / slope[m,n]))
                    px = int(round(n + toward * (low + k) * gx[m,n] / slope[m,n]))
                    if py >= 0 && py < r && px >= 0 && px < c
                        votes[py,px,k] += 1.0 / (2 * pi * (low + k))
                    endif
                end
            endif
        end
    end
    [centers, radii, metric] = _circles(votes, low, 1 - o[1])
end

% peaks of the votes for centres and radii, summed over small neighbourhoods
function [centers, radii, metric] = _circles(votes, low, least)
    [r, c, depth] = size(votes, 0..2)
    smooth_ = zeros(r, c, depth)
    kernel_ = ones(3, 3)
    {!serial for}
    for k = 0..depth - 1
        smooth_[:,:,k] = imfilter(squeeze(votes[:,:,k]), kernel_, [1,1], "safe")
    end
    [centers, radii, metric] = {[], [], []}
    {!serial for}
    for count = 1..100
        [best, at] = max(reshape(smooth_, [1, numel(smooth_)]))
        if best < 4 * least
            break
        endif
        k = mod(at, depth)
        n = mod(idivide(at, depth), c)
        m = idivide(idivide(at, depth), c)
        place = _centre_of(votes, m, n, k)
        centers = numel(radii) == 0 ? place : vertcat(centers, place)
        radii = horzcat(radii, low + k)
        metric = horzcat(metric, best / 4)
        away = low + k
        smooth_[max(m - away, 0)..min(m + away, r - 1), max(n - away, 0)..min(n + away, c - 1), :] = 0
    end
    radii = reshape(radii, [numel(radii), 1])
    metric = reshape(metric, [numel(metric), 1])
end

% the centre of gravity of the votes around a peak, as [column,row]
function place = _centre_of(votes, m, n, k)
    [r, c] = size(votes, 0..1)
    [sy, sx, s] = [0.0, 0.0, 0.0]
    {!serial for}
    for i = max(m - 1, 0)..min(m + 1, r - 1)
        {!serial for}
        for j = max(n - 1, 0)..min(n + 1, c - 1)
            sy += i * votes[i,j,k]
            sx += j * votes[i,j,k]
            s += votes[i,j,k]
        end
    end
    place = reshape([sx / s, sy / s], [1, 2])
end

% what is known of a picture file: Filename, Format, Width, Height, NumberOfChannels and ColorType
% > imwrite("dot.png", zeros(2,3)); print imfinfo("dot.png").Width
function info = imfinfo(file)
    x = imread(file)
    [folder, name, extension] = fileparts(file)
    [r, c, n] = size(x, 0..2)
    kind = n > 2 ? "truecolor" : "grayscale"
    info = object(Filename := file, Format := lower(strrep(extension, ".", "")), Width := c, Height := r, NumberOfChannels := n, ColorType := kind, BitDepth := 8 * n)
end
