% Distributions, correlation, how well classes were found.

% the density of the normal distribution
% > print round(normpdf(0)*1000)
function y = normpdf(x, mean_ = 0, deviation = 1)
    y = exp(-((x - mean_) ./ deviation) .^ 2 ./ 2) ./ (deviation .* sqrt(2 * pi))
end

% how probable values up to x are by the normal distribution
% > print normcdf(0)
function y = normcdf(x, mean_ = 0, deviation = 1)
    y = erfc(-(x - mean_) ./ (deviation .* sqrt(2))) ./ 2
end

% up to which value the normal distribution has the probability p
% > print norminv(0.5)
function x = norminv(p, mean_ = 0, deviation = 1)
    x = mean_ + deviation .* sqrt(2) .* erfinv(2 .* p - 1)
end

% correlation of the columns of a matrix, or of two
% > print corr(transpose([1,2,3]), transpose([2,4,7])) > 0.9
function r = corr(x, y = [])
    b = isempty(y) ? x : y
    [u, v] = [_standard(x), _standard(b)]
    r = transpose(conj(u)) * v
    r = numel(r) == 1 ? r[0,0] : r
end

% columns without mean, of length 1
function y = _standard(x)
    column = size(x, 0) == 1 ? transpose(x) : x
    y = column - mean(column, 0)
    y = y ./ sqrt(sum(abs(y) .^ 2, 0))
end

% the mean of the powers of what lies beside the mean
% > print moment([1,2,3], 2)
function m = moment(x, order)
    m = mean((x - mean(x)) .^ order)
end

% how often members of each class (rows) were taken for each class (columns); classes are the different values
% > print confusionmat([0,0,1], [0,1,1])
function [c, classes] = confusionmat(known, found)
    classes = unique([...reshape(known, [1, numel(known)]), ...reshape(found, [1, numel(found)])])
    c = zeros(numel(classes), numel(classes))
    {!serial for}
    for i = 0..numel(known)-1
        row = find(classes == known[i])[0,1]
        column = find(classes == found[i])[0,1]
        c[row, column] += 1
    end
end

% spherical to Cartesian coordinates: around and above in radians, and the distance
% > print sph2cart(0, 0, 1)
function [x, y, z] = sph2cart(around, above, r)
    x = r .* cos(above) .* cos(around)
    y = r .* cos(above) .* sin(around)
    z = r .* sin(above)
end

% Cartesian to spherical coordinates: around and above in radians, and the distance
% > print cart2sph(1, 0, 0)
function [around, above, r] = cart2sph(x, y, z)
    around = atan2(y, x)
    above = atan2(z, hypot(x, y))
    r = sqrt(x .^ 2 + y .^ 2 + z .^ 2)
end

% the area of a polygon with these corners
% > print polyarea([0,1,1,0], [0,0,1,1])
function a = polyarea(x, y)
    n = numel(x)
    [u, v] = [reshape(x, [1, n]), reshape(y, [1, n])]
    next = int(mod(1..n, max(n, 1)))
    a = abs(sum(u .* v[next] - u[next] .* v)) / 2
end

% numbers of the points, counted from 0, around which a line encloses all; the first one comes again at the end, counterclockwise
% > print convhull([0,1,1,0,0.5], [0,0,1,1,0.5])
function k = convhull(x, y)
    n = numel(x)
    order = int(sortrows(horzcat(reshape(x, [n, 1]), reshape(y, [n, 1]), reshape(float(0..n-1), [n, 1])), [1, 2])[:, 2])
    lower = _half_hull(x, y, order)
    upper = _half_hull(x, y, flipud(order))
    k = [...lower[0..numel(lower)-2], ...upper]
end

function hull = _half_hull(x, y, order)
    hull = zeros(numel(order))
    count = 0
    {!serial for}
    for i = 0..numel(order)-1
        p = order[i]
        while count > 1 && _turn(x, y, hull[count-2], hull[count-1], p) <= 0
            count -= 1
        end
        hull[count] = p
        count += 1
    end
    hull = int(hull[0..count-1])
end

% more than 0 for a turn to the left at the second of three points
function t = _turn(x, y, a, b, c)
    t = (x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a])
end

% the square root of a square matrix: y*y = x
% > print round(sqrtm([[4,0],[0,9]]))
function y = sqrtm(x)
    [V, D] = eig(x)
    roots_ = diag(sqrt(complex(diag(D))))
    y = transpose(mldivide(transpose(complex(V)), transpose(V * roots_)))
    y = max(max(abs(imag(y)))) <= 1e-5 * max(max(max(abs(y))), eps) ? real(y) : y
end

% folder, name and extension of a path
% > [folder, name, extension] = fileparts("a/b.png"); print folder, " ", name, " ", extension
function [folder, name, extension] = fileparts(path)
    parts = strsplit(strrep(path, "\", "/"), "/")
    name = parts[end]
    folder = numel(parts) > 1 ? path[0..strlen(path)-strlen(name)-2] : ""
    dots = strsplit(name, ".")
    extension = numel(dots) > 1 ? strcat(".", dots[end]) : ""
    name = name[0..strlen(name)-strlen(extension)-1]
end

% normally distributed numbers with a mean and a deviation, of a size as for zeros
% > seed(1); print size(normrnd(5, 2, 2, 3))
function y = normrnd(mu, sigma, ...d)
    y = numel(d) == 0 ? mu + sigma .* randn(size(mu .* 0 + sigma)) : mu + sigma .* randn(...d)
end
