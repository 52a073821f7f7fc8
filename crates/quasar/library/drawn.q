% Other drawings of MATLAB: functions, points and bars in space, maps of colours; and what one would hear.

% the curve of a function between two places; [x, y] = fplot(…) gives its points and draws nothing
% > fplot(x -> x^2, [0,2])
function [h, v] = fplot(f, limits = [-5, 5], style = "-")
    x = linspace(limits[0], limits[1], 201)
    y = zeros(1, 201)
    {!serial for}
    for k = 0..200
        y[k] = f(x[k])
    end
    if nargout > 1
        h = x
        v = y
    else
        h = plot(x, y, style)
    endif
end

% the curve of a function, or of an expression in x as text
% > ezplot("x^2", [0,2])
function h = ezplot(f, limits = [-6.2832, 6.2832])
    h = fplot(isstring(f) ? str2func("x -> " + f) : f, limits)
end

% points in space, seen from the side
% > scatter3([0,1,2], [0,1,0], [0,1,4])
function h = scatter3(x, y, z, ...options)
    h = plot3(x, y, z, "o")
end

% bars of the columns of a matrix, beside each other
% > bar3([3,1,2])
function h = bar3(y, ...options)
    h = bar(y)
end

% a curve in polar coordinates, like polar
% > polarplot(linspace(0,6.28,50), ones(1,50))
function h = polarplot(angle, distance, style = "-")
    h = polar(angle, distance, style)
end

% arrows from 0 to points
% > compass([1,0], [0,1])
function h = compass(x, y = [])
    [u, v] = isempty(y) ? {real(x), imag(x)} : {x, y}
    h = quiver(zeros(1, numel(u)), zeros(1, numel(u)), u, v)
end

% two curves in one figure, the second one scaled to the height of the first
% > plotyy([0,1,2], [0,1,4], [0,1,2], [9,5,2])
function h = plotyy(x1, y1, x2, y2, ...options)
    span = max(max(y2) - min(y2), 1e-30)
    h = plot(x1, y1, x2, (y2 - min(y2)) ./ span .* (max(y1) - min(y1)) + min(y1))
end

% a title below the title; it stands in place of it
% > plot([0,1,4]); subtitle("squares")
function [] = subtitle(text, ...options)
    title(text)
end

% the figure without what was drawn: the next drawing begins a new one
% > plot([0,1,4]); clf(); plot([4,1,0])
function [] = clf(...options)
    hold("off")
end

% the axes without what was drawn
% > plot([0,1,4]); cla(); plot([4,1,0])
function [] = cla(...options)
    hold("off")
end

% a map of n colours between others, one per row
function m = _between(n, stops)
    k = size(stops, 0)
    t = linspace(0, k - 1, n)
    m = zeros(n, 3)
    {!serial for}
    for c = 0..2
        m[:,c] = transpose(interp1(0..k - 1, reshape(stops[:,c], [1, k]), t))
    end
end

% a map of n colours: all hues
% > print size(hsv(8))
function m = hsv(n = 256)
    m = reshape(hsv2rgb(cat(2, transpose((0..n - 1) .* (360.0 / n)), ones(n, 1), ones(n, 1))), [n, 3])
    m = max(m) > 1 ? m ./ 255 : m
end

% a map of n colours from cyan to magenta
% > print cool(2)
function m = cool(n = 256)
    m = _between(n, [[0,1,1],[1,0,1]])
end

% a map of n greys with some blue
% > print size(bone(8))
function m = bone(n = 256)
    m = (7 .* gray(n) + fliplr(hot(n))) ./ 8
end

% a map of n colours from black to copper
% > print copper(2)
function m = copper(n = 256)
    m = min(_between(n, [[0,0,0],[1.25,0.7812,0.4975]]), 1)
end

% a map of n colours of old photographs
% > print size(pink(8))
function m = pink(n = 256)
    m = sqrt((2 .* gray(n) + hot(n)) ./ 3)
end

% a map of n colours from magenta to yellow
% > print spring(2)
function m = spring(n = 256)
    m = _between(n, [[1,0,1],[1,1,0]])
end

% a map of n colours from green to yellow
% > print summer(2)
function m = summer(n = 256)
    m = _between(n, [[0,0.5,0.4],[1,1,0.4]])
end

% a map of n colours from red to yellow
% > print autumn(2)
function m = autumn(n = 256)
    m = _between(n, [[1,0,0],[1,1,0]])
end

% a map of n colours from blue to green
% > print winter(2)
function m = winter(n = 256)
    m = _between(n, [[0,0,1],[0,1,0.5]])
end

% what would sound: writes the file sound.wav, since no sound is played; values beyond -1 and 1 are clipped
% > sound(sin(0..99), 8000)
function [] = sound(x, rate = 8192, bits = 16)
    audiowrite("sound.wav", min(max(x .* 1.0, -1), 1), rate)
end

% sound with the loudest value at 1
% > soundsc(sin(0..99), 8000)
function [] = soundsc(x, rate = 8192, ...limits)
    sound(x ./ max(max(max(abs(x .* 1.0))), 1e-30), rate)
end

% the lengths of units along the axes: all the same where the list says so
% > plot([0,1,4]); daspect([1,1,1])
function [] = daspect(lengths)
    if numel(lengths) > 1 && lengths[0] == lengths[1]
        axis("equal")
    endif
end
