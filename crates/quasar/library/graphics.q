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

% from where surfaces are seen: those of files always from the same place
% > surf([[0,1],[1,2]]); view(45, 30)
function [] = view(...angles)
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
    h = plot(horzcat([x[0]], x, [x[n - 1]]), horzcat([0.0], reshape(y, [1, n]), [0.0]))
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
        [px, py] = _contour_points(float(x), float(y), float(z), float(levels[k]))
        if numel(px) > 0
            h = plot(px, py, ".")
            hold("on")
        endif
    end
end

% where the edges of the grid cross a height
function [px, py] = _contour_points(x, y, z, level)
    [r, c] = size(z, 0..1)
    [x0, x1] = [x[:, 0..c - 2], x[:, 1..c - 1]]
    [z0, z1] = [z[:, 0..c - 2], z[:, 1..c - 1]]
    across = (z0 - level) .* (z1 - level) < 0
    part = (level - z0) ./ (z1 - z0)
    ax = (x0 + part .* (x1 - x0))[across]
    ay = y[:, 0..c - 2][across]
    [y0, y1] = [y[0..r - 2, :], y[1..r - 1, :]]
    [z0, z1] = [z[0..r - 2, :], z[1..r - 1, :]]
    down = (z0 - level) .* (z1 - level) < 0
    part = (level - z0) ./ (z1 - z0)
    px = horzcat(ax, x[0..r - 2, :][down])
    py = horzcat(ay, (y0 + part .* (y1 - y0))[down])
end

% arrows (u, v) at the places (x, y), as lines from their feet
% > quiver([0,1],[0,0],[1,0],[1,1])
function h = quiver(x, y, u, v, scale = 1)
    h = 0
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

% bars that lie: drawn as bars that stand
% > barh([3,1,2])
function h = barh(...data)
    h = bar(...data)
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
