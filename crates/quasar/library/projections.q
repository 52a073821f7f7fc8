% Pictures and their line integrals, corners, holes.

% sums of a picture along parallel rays, one column for each angle in degrees, and the distances of the rays from its centre
% > print size(radon(ones(8,8), [0,45,90]))
function [r, at] = radon(x, angles = 0..179)
    [m, n] = size(x, 0..1)
    [cy, cx] = [idivide(m - 1, 2), idivide(n - 1, 2)]
    half = int(ceil(sqrt((m - 1 - cy)^2 + (n - 1 - cx)^2))) + 1
    at = -half..half
    count = numel(angles)
    sums = zeros(2 * half + 1, count)
    {!serial for}
    for k = 0..count-1
        c = cosd(count == 1 ? sum(angles) : angles[k])
        s = sind(count == 1 ? sum(angles) : angles[k])
        % Each pixel counts as four points, shared between the two next rays.
        {!serial for}
        for i = 0..m-1
            {!serial for}
            for j = 0..n-1
                if x[i,j] != 0
                    {!serial for}
                    for part = 0..3
                        u = j - cx - 0.25 + 0.5 * mod(part, 2)
                        v = cy - i - 0.25 + 0.5 * idivide(part, 2)
                        place = u * c + v * s + half
                        low = int(floor(place))
                        sums[low,k] += 0.25 * x[i,j] * (low + 1 - place)
                        sums[low+1,k] += 0.25 * x[i,j] * (place - low)
                    end
                endif
            end
        end
    end
    r = sums
end

% the picture of n by n pixels whose sums along parallel rays are the columns of r, by filtered back projection; words between angles
% and n say how rays between two columns are read ("linear" or "nearest") and with which filter ("ram-lak", "hann" or "none")
% > x = zeros(16,16); x[8,8] = 1; y = iradon(radon(x), 0..179, 16); print y[8,8] > 0.5
function y = iradon(r, angles = 0..179, ...options)
    [rays, count] = size(r, 0..1)
    half = idivide(rays - 1, 2)
    [n, nearest, window] = [0, 0, "ram-lak"]
    {!serial for}
    for k = 0..numel(options) - 1
        if isstring(options[k])
            match lower(options[k]) with
            | ("linear", "ram-lak") ->
            | "nearest" -> nearest = 1
            | ("none", "hann") -> window = lower(options[k])
            | _ -> error "iradon knows no word """, options[k], """: linear, nearest, ram-lak, hann or none"
            end
        else
            n = int(options[k])
        endif
    end
    if n == 0
        n = 2 * int(floor(rays / (2 * sqrt(2))))
    endif
    % The ramp is the transform of its sampled impulse response, so that the mean is right.
    wide = nextpow2(2 * rays)
    ramp = zeros(wide)
    ramp[0] = 0.25
    {!serial for}
    for k = 1..2..idivide(wide, 2)
        ramp[k] = -1 / (pi * k)^2
        ramp[wide-k] = ramp[k]
    end
    ramp = 2 .* real(fft1(ramp))
    match window with
    | "none" -> ramp = ones(wide)
    | "hann" -> ramp = ramp .* (0.5 + 0.5 .* cos(2*pi .* (0..wide-1) ./ wide))
    end
    [J, I] = meshgrid(0..n-1, 0..n-1)
    c0 = idivide(n - 1, 2)
    sums = zeros(n, n)
    {!serial for}
    for k = 0..count-1
        column = zeros(wide)
        column[0..rays-1] = reshape(r[:,k], [1, rays])
        filtered = real(ifft1(fft1(column) .* ramp))[0..rays-1]
        place = (J - c0) .* cosd(angles[k]) + (c0 - I) .* sind(angles[k]) + half
        place = nearest ? round(place) : place
        low = min(max(int(floor(place)), 0), rays - 2)
        part = place - low
        inside = (place >= 0) .* (place <= rays - 1)
        sums = sums + inside .* (reshape(filtered[low], [n, n]) .* (1 - part) + reshape(filtered[low+1], [n, n]) .* part)
    end
    y = sums .* (pi / (2 * max(count, 1)))
end

% how many regions a black and white picture has, less the holes in them; regions touch at corners, too, unless edges = 4
% > print bweuler([[1,1,1],[1,0,1],[1,1,1]])
function e = bweuler(x, edges = 8)
    w = padarray(float(x != 0), [1, 1])
    a = w[0..size(w,0)-2, 0..size(w,1)-2]
    b = w[0..size(w,0)-2, 1..size(w,1)-1]
    c = w[1..size(w,0)-1, 0..size(w,1)-2]
    d = w[1..size(w,0)-1, 1..size(w,1)-1]
    ones_in = a + b + c + d
    diagonal = sum((ones_in == 2) .* (a == d))
    e = int(round((sum(ones_in == 1) - sum(ones_in == 3) + (edges == 4 ? 2 : -2) * diagonal) / 4))
end

% rows [column, row] of the n strongest corners of a picture by the measure of Harris and Stephens, strongest first
% > x = zeros(20,20); x[5..14,5..14] = 255; print size(corner(x))
function p = corner(x, n = 200, quality = 0.01)
    strength = cornermetric(x)
    most = max(max(strength), 0)
    peaks = (strength >= imdilate(strength, ones(3,3))) .* (strength > quality * most)
    p = find(peaks)
    if numel(p) > 0
        v = zeros(size(p, 0), 3)
        {!serial for}
        for k = 0..size(p, 0) - 1
            v[k,0] = strength[p[k,0], p[k,1]]
            v[k,1] = p[k,1]
            v[k,2] = p[k,0]
        end
        v = sortrows(v, [-1, 1, 2])
        count = min(int(n), size(v, 0))
        p = reshape(int(v[0..count-1,1..2]), [count, 2])
    endif
end

% how much every pixel is a corner, by the measure of Harris and Stephens: det(M) - k trace(M)^2
% > print size(cornermetric(ones(4,4)))
function y = cornermetric(x, k = 0.04)
    d = [[-1.0,0,1]]
    gx = imfilter(float(x), d, [], "clamped")
    gy = imfilter(float(x), transpose(d), [], "clamped")
    w = fspecial("gaussian", 5, 1.5)
    a = imfilter(gx .* gx, w, [], "clamped")
    b = imfilter(gy .* gy, w, [], "clamped")
    c = imfilter(gx .* gy, w, [], "clamped")
    y = a .* b - c .^ 2 - k .* (a + b) .^ 2
end
