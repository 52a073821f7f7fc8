% Segments of straight lines, and conversions of colours that are made first and applied later.

% segments of the set pixels along the lines that houghpeaks found: a cell of objects with point1 and point2 ([column,row]), theta and rho. Gaps up to fill are closed ("FillGap", by default 20), segments shorter than least are left out ("MinLength", by default 40)
% > x = eye(50); [votes, theta, rho] = hough(x); print numel(houghlines(x, theta, rho, houghpeaks(votes, 1)))
function lines = houghlines(x, theta, rho, peaks, ...options)
    [fill, least] = [20, 40]
    {!serial for}
    for k = 0..2..numel(options) - 2
        match lower(options[k]) with
        | "fillgap" -> fill = options[k + 1]
        | "minlength" -> least = options[k + 1]
        | _ -> error "houghlines knows no option """, options[k], """: FillGap or MinLength"
        end
    end
    lines = {}
    points = find(x)
    {!serial for}
    for k = 0..size(peaks, 0) - 1
        [turn, far] = [theta[int(peaks[k, 1])], rho[int(peaks[k, 0])]]
        a = turn * pi / 180
        places = numel(points) > 0 ? points[:, 1] .* cos(a) + points[:, 0] .* sin(a) : zeros(0)
        own = numel(points) > 0 ? find(abs(reshape(places, [1, numel(places)]) - far) <= 0.5 + 1e-6) : zeros(0)
        if numel(own) > 0
            lines = _segments(lines, points[int(own[:, 1]), :], turn, far, fill, least)
        endif
    end
end

% the pieces of one line, in the order of their pixels along it
function lines = _segments(known, points, turn, far, fill, least)
    lines = known
    a = turn * pi / 180
    along = points[:, 0] .* cos(a) - points[:, 1] .* sin(a)
    [t, order] = sort(reshape(along, [1, numel(along)]))
    first = 0
    {!serial for}
    for k = 0..numel(t) - 1
        ends = k == numel(t) - 1
        if !ends
            ends = t[k + 1] - t[k] > fill
        endif
        if ends
            [p, q] = [points[int(order[first]), :], points[int(order[k]), :]]
            if sqrt((p[0] - q[0])^2 + (p[1] - q[1])^2) >= least
                lines[end+1] = object(point1 := [p[1], p[0]], point2 := [q[1], q[0]], theta := turn, rho := far)
            endif
            first = k + 1
        endif
    end
end

% a conversion of colours for applycform: "srgb2lab" or "lab2srgb"
% > print size(applycform(ones(2,2,3) .* 255, makecform("srgb2lab")))
function c = makecform(name)
    match lower(name) with
    | ("srgb2lab", "lab2srgb") -> c = object(conversion := lower(name))
    | _ -> error "makecform knows no conversion """, name, """: srgb2lab or lab2srgb"
    end
end

% a picture in the colours of a conversion that makecform made; red, green and blue lie in 0 to 255, as imread gives them
% > print size(applycform(ones(2,2,3) .* 255, makecform("srgb2lab")))
function y = applycform(x, c)
    y = c.conversion == "srgb2lab" ? rgb2lab(x ./ 255) : lab2rgb(x) .* 255
end
