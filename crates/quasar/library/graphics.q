% What programs of MATLAB say about figures beside drawing: handles, properties, and shapes made of curves and surfaces.

% the figure that functions work on, as something to hand on
% > plot([0,1,4]); saveas(gcf(), "squares.png")
function h = gcf()
    h = object(kind := "figure")
end

% the axes that functions work on, as something to hand on
% > plot([0,1,4]); set(gca(), "FontSize", 12)
function h = gca()
    h = object(kind := "axes")
end

% properties of a figure or axes; those that files cannot have are ignored, titles, labels and limits of axes take effect
% > plot([0,1,4]); set(gca(), "XLim", [0,1])
function [] = set(handle, ...properties)
    {!serial for}
    for k = 0..2..numel(properties) - 2
        name = lower(properties[k])
        if name == "xlim"
            xlim(properties[k + 1])
        elseif name == "ylim"
            ylim(properties[k + 1])
        elseif name == "title"
            title(properties[k + 1])
        elseif name == "xlabel"
            xlabel(properties[k + 1])
        elseif name == "ylabel"
            ylabel(properties[k + 1])
        endif
    end
end

% axes over the whole figure; a figure has them anyway
% > axes(); plot([0,1,4])
function h = axes(...properties)
    h = gca()
end

% a title over all axes of a figure: it stands over the axes that were drawn last
% > plot([0,1,4]); sgtitle("squares")
function [] = sgtitle(text, ...properties)
    title(text)
end

% a title over all axes of a figure, like sgtitle
% > plot([0,1,4]); suptitle("squares")
function [] = suptitle(text)
    title(text)
end

% how surfaces are shaded: those of files are flat
% > surf([[0,1],[1,2]]); shading("interp")
function [] = shading(kind)
end

% a light for surfaces: those of files have none
% > surf([[0,1],[1,2]]); camlight("left")
function [] = camlight(...place)
end

% how light falls on surfaces: those of files have none
% > surf([[0,1],[1,2]]); lighting("gouraud")
function [] = lighting(kind)
end

% shows what is drawn so far; files always do
% > plot([0,1,4]); drawnow()
function [] = drawnow(...what)
end

% a frame around axes, which all axes have
% > plot([0,1,4]); box("on")
function [] = box(state = "on")
end

% a matrix as a picture whose colours say its values
% > image([[0,1],[2,3]])
function h = image(x)
    h = imagesc(x)
end

% a surface with light, drawn as surf does
% > surfl([[0,1],[1,2]])
function h = surfl(...data)
    h = surf(...data)
end

% a surface, drawn as surf does
% > surfc([[0,1],[1,2]])
function h = surfc(...data)
    h = surf(...data)
end

% a surface of lines, drawn as mesh does
% > meshc([[0,1],[1,2]])
function h = meshc(...data)
    h = mesh(...data)
end

% a curve through points, added to the axes
% > line([0,1],[1,0])
function h = line(x, y, ...properties)
    before = hold("on")
    h = plot(x, y)
end

% steps: each value holds until the next one
% > stairs([3,1,2])
function h = stairs(x, y = [])
    if isempty(y)
        y = x
        x = 0..numel(y) - 1
    endif
    n = numel(y)
    at = int(floor((1..2 * n - 1) ./ 2))
    from = int(floor((0..2 * n - 2) ./ 2))
    h = plot(reshape(x, [1, n])[at], reshape(y, [1, n])[from])
end

% a curve with the area below it
% > area([3,1,2])
function h = area(x, y = [])
    if isempty(y)
        y = x
        x = 0..numel(y) - 1
    endif
    n = numel(y)
    x = reshape(x, [1, n])
    h = fill(horzcat([x[0]], x, [x[n - 1]]), horzcat([0.0], reshape(y, [1, n]), [0.0]))
end

% points in space, seen as surfaces are: a curve through them
% > t = 0..0.1..6; plot3(cos(t), sin(t), t)
function h = plot3(x, y, z, style = "-")
    [a, b] = [cos(pi / 6), sin(pi / 6)]
    h = plot((y - x) .* a, z + (x + y) .* b .* 0.5, style)
end

% lines through the points of equal height of a matrix, or of heights at the places x and y; levels says at how many heights, or at which
% > contour([[0,1,0],[1,3,1],[0,1,0]], [], [], 3)
function h = contour(x, y = [], z = [], levels = 8)
    if isempty(z)
        if numel(y) > 0
            levels = y
        endif
        z = x
        [x, y] = meshgrid(0..size(z, 1) - 1, 0..size(z, 0) - 1)
    elseif size(x, 0) == 1 && size(z, 0) > 1
        [x, y] = meshgrid(x, y)
    endif
    if numel(levels) == 1
        [low, high] = [min(z), max(z)]
        levels = low + (high - low) .* (1..levels) ./ (levels + 1)
    endif
    h = 0
    {!serial for}
    for k = 0..numel(levels) - 1
        [px, py] = _contour_lines(float(x), float(y), float(z), float(levels[k]))
        if numel(px) > 0
            h = plot(px, py)
            hold("on")
        endif
    end
end

% the pieces of the lines at a height: in each cell of the grid from where one edge crosses it to where another one does. NaN stands
% between pieces
function [px, py] = _contour_lines(x, y, z, level)
    [r, c] = size(z, 0..1)
    [px, py] = [zeros(6 * (r - 1) * (c - 1)), zeros(6 * (r - 1) * (c - 1))]
    [di, dj] = [[0, 0, 1, 1, 0], [0, 1, 1, 0, 0]]
    n = 0
    {!serial for}
    for i = 0..r - 2
        {!serial for}
        for j = 0..c - 2
            crossings = 0
            {!serial for}
            for k = 0..3
                [i0, j0, i1, j1] = [i + di[k], j + dj[k], i + di[k + 1], j + dj[k + 1]]
                [a, b] = [z[i0, j0] - level, z[i1, j1] - level]
                if (a < 0) != (b < 0)
                    part = a / (a - b)
                    px[n] = x[i0, j0] + part * (x[i1, j1] - x[i0, j0])
                    py[n] = y[i0, j0] + part * (y[i1, j1] - y[i0, j0])
                    n += 1
                    crossings += 1
                    if mod(crossings, 2) == 0
                        [px[n], py[n]] = [nan, nan]
                        n += 1
                    endif
                endif
            end
        end
    end
    [px, py] = n == 0 ? {zeros(0), zeros(0)} : {px[0..n - 1], py[0..n - 1]}
end

% arrows (u, v) at the places (x, y), as lines from their feet; quiver(u, v) has one at each column and row of two matrices
% > quiver([0,1],[0,0],[1,0],[1,1])
function h = quiver(x, y, u = [], v = [], scale = 1)
    h = 0
    if numel(u) == 0
        [u, v] = [x, y]
        [x, y] = meshgrid(0..size(u, 1)-1, 0..size(u, 0)-1)
    endif
    n = numel(x)
    [x, y] = [reshape(float(x), [1, n]), reshape(float(y), [1, n])]
    [u, v] = [reshape(float(u), [1, n]), reshape(float(v), [1, n])]
    {!serial for}
    for k = 0..n - 1
        h = plot([x[k], x[k] + scale * u[k]], [y[k], y[k] + scale * v[k]], "b-")
        hold("on")
    end
    hold("off")
end

% complex numbers as points of the plane
% > scatterplot([1+1i,-1-1i])
function h = scatterplot(z)
    n = numel(z)
    h = scatter(reshape(real(z), [1, n]), reshape(imag(z), [1, n]))
    xlabel("In-Phase")
    ylabel("Quadrature")
end

% a hilly example surface of n by n points
% > print size(peaks(5))
function z = peaks(n = 49)
    [x, y] = meshgrid(linspace(-3, 3, n), linspace(-3, 3, n))
    z = 3 .* (1 - x).^2 .* exp(-x.^2 - (y + 1).^2) - 10 .* (x ./ 5 - x.^3 - y.^5) .* exp(-x.^2 - y.^2) - exp(-(x + 1).^2 - y.^2) ./ 3
end

% the surface of a ball with n parts around and n from pole to pole
% > [x, y, z] = sphere(8); print size(x)
function [x, y, z] = sphere(n = 20)
    theta = reshape((0..n) ./ n .* (2 * pi) - pi, [1, n + 1])
    phi = reshape((0..n) ./ n .* pi - pi / 2, [n + 1, 1])
    x = cos(phi) * cos(theta)
    y = cos(phi) * sin(theta)
    z = sin(phi) * ones(1, n + 1)
end

% a map of n grays, dark first: a row of red, green and blue for each
% > print gray(3)
function m = gray(n = 256)
    m = reshape((0..n - 1) ./ max(n - 1, 1), [n, 1]) * ones(1, 3)
end

% a map of n colours from blue over green and yellow to red
% > print size(jet(8))
function m = jet(n = 256)
    at = (1..n) ./ n
    rise = (c) -> max(0, min(1, 1.5 - abs(4 .* at - c)))
    m = transpose([rise(3.0), rise(2.0), rise(1.0)])
end

% a map of n colours from black over red and yellow to white
% > print size(hot(8))
function m = hot(n = 256)
    k = floor(3 * n / 8)
    red = min((1..n) ./ max(k, 1), 1)
    green = max(0, min(((1..n) - k) ./ max(k, 1), 1))
    blue = max(0, ((1..n) - 2 * k) ./ max(n - 2 * k, 1))
    m = transpose([red, green, blue])
end

% an OpenEXR picture, as an object whose field data holds its pixels
% > try; print size(exrread("picture.exr").data); catch; end
function e = exrread(file)
    e = object(data := imread(file, "rgb"))
end

% a matrix, or heights at the places x and y, as a picture in colours with lines through the points of equal height
% > contourf([[0,1,0],[1,3,1],[0,1,0]])
function h = contourf(x, y = [], z = [], levels = 8)
    if isempty(z)
        h = pcolor(x)
        hold("on")
        contour(x, [], [], numel(y) > 0 ? y : levels)
    else
        h = pcolor(x, y, z)
        hold("on")
        contour(x, y, z, levels)
    endif
    hold("off")
end

% a matrix, or heights at the places x and y, as coloured cells seen from above
% > pcolor([[0,1],[2,3]])
function h = pcolor(x, y = [], z = [])
    h = isempty(z) ? surf(x) : surf(x, y, z)
    view(2)
end

% parts of a whole as sectors of a circle, from above against the clock
% > pie([1,2,3])
function h = pie(parts)
    p = reshape(float(parts), [1, numel(parts)])
    turn = horzcat([0.0], cumsum(p ./ max(sum(p), 1))) .* (2 * pi)
    h = 0
    {!serial for}
    for k = 0..numel(p) - 1
        t = linspace(turn[k], turn[k + 1], 60)
        h = fill(horzcat([0.0], -sin(t)), horzcat([0.0], cos(t)))
        hold("on")
    end
    hold("off")
end

% a curve with a vertical line at each point, from low below it to high above it, both e if there is one
% > errorbar([0,1,2], [1,4,2], [0.5,0.2,0.3])
function h = errorbar(x, y, e = [], high = [])
    if isempty(e)
        [x, y, e] = [0..numel(x) - 1, x, y]
    endif
    n = numel(y)
    above = isempty(high) ? e : high
    h = plot(x, y)
    hold("on")
    [px, py] = [nan .* zeros(3 * n), nan .* zeros(3 * n)]
    {!serial for}
    for k = 0..n - 1
        [px[3 * k], px[3 * k + 1]] = [x[k], x[k]]
        [py[3 * k], py[3 * k + 1]] = [y[k] - e[k], y[k] + above[k]]
    end
    plot(px, py, "k")
    hold("off")
end

% a curve at angles (radians) and distances from the middle
% > t = 0..0.1..6.3; polar(t, 1 + cos(t))
function h = polar(angle, distance, style = "-")
    h = plot(distance .* cos(angle), distance .* sin(angle), style)
end

% bars for how many values lie in each of n intervals of equal width, or between the given edges; these counts, and the edges
% > [counts, edges] = histogram([1,2,2,3], 3); print counts
function [counts, edges] = histogram(x, n = 10)
    v = reshape(float(x), [1, numel(x)])
    edges = numel(n) > 1 ? reshape(float(n), [1, numel(n)]) : linspace(min(v), max(v) > min(v) ? max(v) : min(v) + 1, sum(n) + 1)
    m = numel(edges) - 1
    counts = zeros(m)
    {!serial for}
    for k = 0..m - 1
        counts[k] = sum((v >= edges[k]) .* (k == m - 1 ? v <= edges[k + 1] : v < edges[k + 1]))
    end
    bar((edges[0..m - 1] + edges[1..m]) ./ 2, counts)
end

% whether a program shows its lines while it runs: none does
% > echo("off")
function [] = echo(state = "on")
end
